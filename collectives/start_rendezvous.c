/* start_rendezvous: a world over processes that find each other at an address, without MPI; see weft/coll.h. */
#include "collectives/rendezvous.h"
#include "collectives/world.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *scheme;
    weft_status (*open)(weft_meeting_place *place, const char *where, weft_bootstrap *out);
    void (*close)(weft_bootstrap *b);
} ways[] = {
    { "tcp:", weft_rendezvous_tcp_open, weft_rendezvous_tcp_close },
    { "file:", weft_rendezvous_file_open, weft_rendezvous_file_close },
};

int64_t weft_meeting_end(const weft_meeting_place *p) {
    return p->timeout_ns < 0 ? INT64_MAX : weft_now_ns() + p->timeout_ns;
}

int weft_meeting_left(int64_t end, int most) {
    int64_t left = end == INT64_MAX ? most : (end - weft_now_ns()) / 1000000;
    return left < 0 ? 0 : left < most ? (int)left : most;
}

weft_status weft_meeting_missed(weft_meeting_place *p, const char *came) {
    char names[128] = "";
    size_t n = 0;
    int missing = 0, shown = 0;
    for (int i = 0; i < p->processes; i++) missing += !came[i];
    for (int i = 0; i < p->processes && shown < 8; i++)
        if (!came[i] && n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%d",
                                  !shown++           ? ""
                                  : shown == missing ? " and "
                                                     : ", ",
                                  i);
    weft_format(p->trouble, sizeof p->trouble, "process%s %s%s did not come to %s within %.3g s%s%s",
                missing > 1 ? "es" : "", names, missing > shown ? " and more" : "", p->at, (double)p->timeout_ns * 1e-9,
                p->refused[0] ? "; refused: " : "", p->refused);
    return WEFT_ERR_IO;
}

#define PROCESSES_MOST (1 << 24)

static bool number_of(const char *name, int *out) { return weft_count_read(getenv(name), PROCESSES_MOST, out); }

static weft_status read_place(weft_context *cx, const weft_rendezvous *given, weft_meeting_place *p) {
    p->at = given->at ? given->at : getenv("WEFT_RENDEZVOUS");
    p->process = given->process;
    p->processes = given->processes;
    if (!p->at || !*p->at)
        return weft_report(cx, WEFT_D_usage, NULL, "no place for a rendezvous: WEFT_RENDEZVOUS is not set");
    if (!p->processes && (!number_of("WEFT_PROCESS", &p->process) || !number_of("WEFT_PROCESSES", &p->processes)))
        return weft_report(cx, WEFT_D_usage, NULL, "a rendezvous needs numbers in WEFT_PROCESS and WEFT_PROCESSES");
    if (p->processes < 1 || p->processes > PROCESSES_MOST || p->process < 0 || p->process >= p->processes)
        return weft_report(cx, WEFT_D_usage, NULL, "no process %d among %d", p->process, p->processes);
    return WEFT_OK;
}

/* An empty key is an error, which would leave the job without one. */
static weft_status read_key(weft_context *cx, const char *given, weft_meeting_place *p) {
    const char *key = given ? given : getenv("WEFT_RENDEZVOUS_KEY"),
               *in = given ? "weft_world_options.rendezvous_key" : "WEFT_RENDEZVOUS_KEY";
    if (!key) return WEFT_OK;
    if (!*key) return weft_report(cx, WEFT_D_usage, NULL, "%s is set but empty", in);
    if (!weft_proof_is_hashed())
        return weft_report(cx, WEFT_D_unsupported, NULL,
                           "this Weft was built without libcrypto: it cannot prove that it knows the key in %s", in);
    weft_secret_of_key(key, &p->secret);
    p->is_keyed = 1;
    if (p->secret.state == WEFT_SECRET_KNOWN) return WEFT_OK;
    return weft_report(
        cx, WEFT_D_system, NULL,
        "libcrypto refuses to compute HMAC-SHA-256, so the key in %s cannot be used: see openssl.cnf, or OPENSSL_CONF",
        in);
}

weft_status weft_world_create_rendezvous(weft_context *cx, const weft_world_options *given,
                                         const weft_rendezvous *where, weft_world **out) {
    static const weft_rendezvous environment;
    weft_world_options asked, *opt = &asked;
    weft_status st = weft_world_asked(cx, given, &asked, out);
    if (st != WEFT_OK) return st;
    weft_meeting_place place = { .alloc = cx->alloc,
                                 .timeout_ns =
                                     weft_timeout_ns(opt->join_timeout_s != 0 ? opt->join_timeout_s : opt->timeout_s) };
    weft_start start = { 0 };
    size_t i = 0;
    st = read_place(cx, where ? where : &environment, &place);
    if (st == WEFT_OK) st = read_key(cx, opt->rendezvous_key, &place);
    if (st != WEFT_OK) return st;
    while (i < WEFT_COUNT(ways) && strncmp(place.at, ways[i].scheme, strlen(ways[i].scheme)) != 0) i++;
    if (i == WEFT_COUNT(ways))
        return weft_report(cx, WEFT_D_usage, NULL, "'%s' is not a rendezvous; write tcp:HOST:PORT or file:PATH",
                           place.at);
    st = ways[i].open(&place, place.at + strlen(ways[i].scheme), &start.all);
    if (st == WEFT_ERR_IO) st = weft_report(cx, WEFT_D_system, NULL, "%s", place.trouble);
    if (st != WEFT_OK) return st == WEFT_ERR_MEMORY ? weft_oom() : st;
    start.secret = &place.secret;
    st = weft_world_start(cx, opt, &start, out);
    ways[i].close(&start.all);
    return st;
}
