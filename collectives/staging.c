/* staging.c: the memory of a rank that the members of its group on this node see: staging areas, posts, and buffers of
 * the caller in memory that all can access.
 */
#include "collectives/comm.h"

static weft_ref own_ref(const weft_world *w, const void *p) {
    weft_ref r = { (uint64_t)(uintptr_t)p, 0 };
    uint64_t offset;
    if (weft_segment_offset(&w->heap.segment, p, 0, &offset)) r = (weft_ref){ offset, (uint64_t)w->node_process + 1 };
    return r;
}

bool weft_ref_of(const weft_comm *c, const void *p, size_t bytes, weft_ref *out) {
    const weft_world *w = c->world;
    uint64_t offset;
    if (weft_segment_offset(&w->heap.segment, p, bytes, &offset)) {
        *out = (weft_ref){ offset, (uint64_t)w->node_process + 1 };
        return true;
    }
    *out = (weft_ref){ (uint64_t)(uintptr_t)p, 0 };
    return c->one_process || bytes == 0;
}

size_t weft_stage_half_bytes(int kind) {
    return kind == WEFT_STAGE_SMALL ? WEFT_COLL_SMALL_BYTES : WEFT_STAGE_LARGE_BYTES;
}

char *weft_stage_mine(weft_comm *c, int kind) {
    weft_ref *r = &c->slot->staging[kind];
    size_t half = weft_stage_half_bytes(kind);
    if (!r->at && !r->segment) {
        char *p = weft_heap_alloc(&c->world->heap, 2 * half);
        if (!p) return NULL;
        /* So that the pages exist that own_next() (run.c) fetches back after a call in which this rank shows nothing:
         * each line of a missing page costs a walk through the page tables, 0.07 us under a hypervisor, and again in
         * every call. No other rank knows of the area yet. */
        p[0] = p[half] = 0;
        *r = own_ref(c->world, p);
    }
    return (char *)weft_ref_address(c->world, *r) + (c->slot->windows & 1) * half;
}

char *weft_stage_of(const weft_comm *c, int local, int kind, uint64_t window) {
    return (char *)weft_ref_address(c->world, weft_slot_of(c, local)->staging[kind]) +
           (window & 1) * weft_stage_half_bytes(kind);
}

weft_post *weft_posts_mine(weft_comm *c, size_t bytes) {
    weft_slot *s = c->slot;
    s->posted = 0;
    if (bytes == sizeof(weft_post)) {
        s->posted = 1 + ((s->come + 1) & 1);
        return &weft_flag_next(s)->post;
    }
    if (bytes > s->posts_bytes) {
        bytes = (bytes + 4095) & ~(size_t)4095;
        void *p = weft_heap_alloc(&c->world->heap, bytes);
        if (!p) return NULL;
        if (s->posts_bytes) weft_heap_dealloc(&c->world->heap, weft_ref_address(c->world, s->posts));
        s->posts = own_ref(c->world, p);
        s->posts_bytes = bytes;
    }
    return weft_ref_address(c->world, s->posts);
}
