/* start_gatherer.c: a world over processes that gather bytes by a function of the caller; see weft/coll.h. */
#include "collectives/world.h"

#include <errno.h>
#include <stdio.h>

typedef struct gathering {
    const weft_gatherer *with;
    char trouble[512];
} gathering;

static weft_status allgather(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    gathering *g = b->state;
    const char *why = NULL;
    if (g->with->gather(g->with->user, in, bytes, out, &why) == WEFT_OK) return WEFT_OK;
    snprintf(g->trouble, sizeof g->trouble, "%s", why ? why : "");
    return WEFT_ERR_IO;
}

/* Process 0's random bytes. */
static weft_status share_secret(weft_context *cx, const weft_bootstrap *b, weft_secret *out) {
    uint8_t mine[WEFT_PROOF_BYTES] = { 0 };
    const size_t bytes = (size_t)b->size * sizeof mine;
    if (b->rank == 0 && weft_random(mine, sizeof mine) != WEFT_OK)
        return weft_report(cx, WEFT_D_system, NULL, "the system has no random numbers: %s", strerror(errno));
    uint8_t *all = cx->alloc.resize(cx->alloc.user, NULL, 0, bytes);
    if (!all) return weft_oom();
    weft_status st = weft_bootstrap_gather(cx, b, mine, sizeof mine, all);
    if (st == WEFT_OK) memcpy(out->bytes, all, sizeof out->bytes);
    out->state = WEFT_SECRET_KNOWN;
    cx->alloc.resize(cx->alloc.user, all, bytes, 0);
    return st;
}

weft_status weft_world_create_gatherer(weft_context *cx, const weft_world_options *given, const weft_gatherer *with,
                                       weft_world **out) {
    weft_world_options asked;
    weft_status st = weft_world_asked(cx, given, &asked, out);
    if (st != WEFT_OK) return st;
    if (!with || !with->gather) return weft_report(cx, WEFT_D_usage, NULL, "there is no gatherer of the processes");
    if (with->processes < 1 || with->process < 0 || with->process >= with->processes)
        return weft_report(cx, WEFT_D_usage, NULL, "no process %d among %d", with->process, with->processes);
    gathering g = { .with = with, .trouble = "" };
    weft_secret secret = { .state = WEFT_SECRET_NONE };
    weft_start start = { .all = { .rank = with->process, .size = with->processes, .allgather = allgather, .state = &g,
                                  .trouble = g.trouble } };
    if (weft_proof_is_hashed()) st = share_secret(cx, &start.all, &secret);
    start.secret = secret.state == WEFT_SECRET_KNOWN ? &secret : NULL;
    return st == WEFT_OK ? weft_world_start(cx, &asked, &start, out) : st;
}
