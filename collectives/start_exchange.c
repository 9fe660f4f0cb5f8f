/* start_exchange.c: a world over processes that bring their own exchange of bytes; see weft/coll.h. */
#include "collectives/world.h"

/* One world in the making. */
typedef struct exchange {
    const weft_exchange *by;
    weft_bootstrap *all;
} exchange;

static weft_status gather(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    const exchange *e = b->state;
    e->all->trouble = e->by->all_gather(e->by->user, in, bytes, out);
    return e->all->trouble ? WEFT_ERR_IO : WEFT_OK;
}

weft_status weft_world_create_exchange(weft_context *cx, const weft_world_options *given, const weft_exchange *by,
                                       weft_world **out) {
    weft_world_options opt;
    weft_status st = weft_world_asked(cx, given, &opt, out);
    if (st != WEFT_OK) return st;
    if (!by || !by->all_gather) return weft_report(cx, WEFT_D_usage, NULL, "there is no exchange between processes");
    if (by->processes < 1 || by->process < 0 || by->process >= by->processes)
        return weft_report(cx, WEFT_D_usage, NULL, "no process %d among %d", by->process, by->processes);
    weft_start start = { .all = { by->process, by->processes, gather, NULL, NULL } };
    exchange e = { by, &start.all };
    start.all.state = &e;
    return weft_world_start(cx, &opt, &start, out);
}
