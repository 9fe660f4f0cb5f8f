/* ways.c: the transports that a world may use, by its options or the environment. */
#include "base/nearest.h"
#include "collectives/world.h"

#include <stdlib.h>

static const struct { const char *name; weft_transport_offer offer; } transports[] = {
#define TRANSPORT(name, offer) { #name, WEFT_TRANSPORT_##offer },
#include "collectives/transports.def"
};

const char *weft_ways_text(const weft_world_options *opt) {
    const char *text = opt->transport ? opt->transport : getenv("WEFT_TRANSPORT");
    return text && *text ? text : "shm";
}

static weft_status no_such_way(weft_context *cx, const char *text, weft_str word) {
    weft_nearest near = weft_nearest_to(word);
    for (size_t i = 0; i < WEFT_COUNT(transports); i++) weft_nearest_offer(&near, weft_str_from(transports[i].name));
    /* a valid word in the wrong place */
    if (near.best.n && weft_str_equal(near.best, word)) near.best.n = 0;
    return weft_report(
        cx, WEFT_D_usage, NULL,
        "no transport '%s' between processes; there are shm, tcp, ucx and mpi, and shm with one of the others" WEFT_NEAREST,
        text, WEFT_NEAREST_ARG(near));
}

/* "shm", "ucx", "shm,mpi": the named transports are used; without shm every process is a node of its own. */
weft_status weft_ways_read(weft_context *cx, const weft_world_options *opt, weft_ways *out) {
    const char *text = weft_ways_text(opt);
    size_t n;
    *out = (weft_ways){ .sharing = WEFT_BY_PROCESS };
    for (const char *p = text; *p; p += n + (p[n] == ',')) {
        n = strcspn(p, ",");
        weft_str word = { p, n };
        size_t i = 0;
        while (i < WEFT_COUNT(transports) && !weft_str_is(word, transports[i].name)) i++;
        if (weft_str_is(word, weft_transport_shm.name)) out->sharing = WEFT_BY_NODE;
        else if (i < WEFT_COUNT(transports) && transports[i].offer == WEFT_TRANSPORT_MESSAGES && !out->messages.n)
            out->messages = word;
        else return no_such_way(cx, text, word);
    }
    return WEFT_OK;
}
