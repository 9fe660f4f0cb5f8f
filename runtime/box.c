/* box: see box.h. */
#include "runtime/box.h"

int64_t weft_box_bytes(const weft_box *r) {
    int64_t n = (int64_t)r->elem_bytes;
    for (uint32_t d = 0; d < r->rank; d++) n *= r->count[d];
    return n;
}

typedef struct walk {
    const weft_box *r;
    uint32_t run_dim;                    /* dimensions from here on are one run on both sides */
    int64_t file_stride[64], memory_stride[64];
    size_t run;
    weft_box_run *visit;
    void *user;
} walk;

static weft_status walk_dim(const walk *w, uint32_t d, int64_t file, int64_t memory) {
    if (d == w->run_dim) return w->visit(w->user, file, memory, w->run);
    weft_status st = WEFT_OK;
    for (int64_t i = 0; st == WEFT_OK && i < w->r->count[d]; i++)
        st = walk_dim(w, d + 1, file + i * w->file_stride[d], memory + i * w->memory_stride[d]);
    return st;
}

weft_status weft_box_walk(const weft_box *r, weft_box_run *visit, void *user) {
    walk w = { .r = r, .run_dim = r->rank, .visit = visit, .user = user };
    int64_t file = (int64_t)r->elem_bytes, memory = file, run = file, begin = 0;
    bool whole = true;
    for (uint32_t d = r->rank; d-- > 0;) {
        w.file_stride[d] = file;
        w.memory_stride[d] = memory;
        begin += r->start[d] * file;
        if (whole) {
            run *= r->count[d];
            w.run_dim = d;
            whole = r->count[d] == r->dims[d] && r->count[d] == r->local[d];
        }
        file *= r->dims[d];
        memory *= r->local[d];
    }
    if (run == 0 || weft_box_bytes(r) == 0) return WEFT_OK;
    w.run = (size_t)run;
    return walk_dim(&w, 0, begin, 0);
}
