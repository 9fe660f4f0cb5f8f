/* start.c: worlds over several processes that find each other through a bootstrap. */
#include "collectives/world.h"

weft_status weft_world_create_node(weft_context *cx, const weft_world_options *opt, const weft_bootstrap *b, weft_world **out) {
    weft_process_card mine = weft_world_card(opt);
    size_t bytes = (size_t)b->size * sizeof mine;
    *out = NULL;
    weft_process_card *cards = cx->alloc.resize(cx->alloc.user, NULL, 0, bytes);
    if (!cards) return weft_oom();
    weft_status st = b->allgather(b, &mine, sizeof mine, cards);
    if (st != WEFT_OK) st = weft_report(cx, WEFT_D_system, NULL, "the processes of this node do not find each other");
    if (st == WEFT_OK) st = weft_world_lay_out(cx, opt, cards, b->rank, b->size, out);
    if (st == WEFT_OK) {
        st = weft_world_open(*out, b->size > 1 ? &weft_transport_shm : &weft_transport_threads, b);
        if (st != WEFT_OK) st = weft_world_not_opened(cx, *out, st);
    }
    if (st != WEFT_OK) {
        weft_world_free(*out);
        *out = NULL;
    }
    cx->alloc.resize(cx->alloc.user, cards, bytes, 0);
    return st;
}
