/* box: see box.h. */
#include "runtime/box.h"

int64_t weft_box_bytes(const weft_box *r) {
    int64_t n = (int64_t)r->elem_bytes;
    for (uint32_t d = 0; d < r->rank; d++) n *= r->count[d];
    return n;
}

bool weft_box_first(const weft_box *r, weft_box_cursor *c) {
    int64_t file = (int64_t)r->elem_bytes, memory = file, run = file;
    bool whole = true;
    *c = (weft_box_cursor){ .box = r, .run_dim = r->rank };
    for (uint32_t d = r->rank; d-- > 0;) {
        c->file_stride[d] = file;
        c->memory_stride[d] = memory;
        c->file += r->start[d] * file;
        if (whole) {
            run *= r->count[d];
            c->run_dim = d;
            whole = r->count[d] == r->dims[d] && r->count[d] == r->local[d];
        }
        file *= r->dims[d];
        memory *= r->local[d];
    }
    c->n = (size_t)run;
    return run && weft_box_bytes(r);
}

bool weft_box_next(weft_box_cursor *c) {
    for (uint32_t d = c->run_dim; d-- > 0;) {
        c->file += c->file_stride[d];
        c->memory += c->memory_stride[d];
        if (++c->index[d] < c->box->count[d]) return true;
        c->file -= c->index[d] * c->file_stride[d];
        c->memory -= c->index[d] * c->memory_stride[d];
        c->index[d] = 0;
    }
    return false;
}

weft_status weft_box_walk(const weft_box *r, weft_box_run *visit, void *user) {
    weft_box_cursor c;
    weft_status st = WEFT_OK;
    for (bool more = weft_box_first(r, &c); more && st == WEFT_OK; more = weft_box_next(&c))
        st = visit(user, c.file, c.memory, c.n);
    return st;
}
