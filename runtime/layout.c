/* layout: where the elements of a global array are on the devices. */
#include "runtime/layout.h"

static int64_t bytes_of(const weft_layout *l, bool global) {
    int64_t n = (int64_t)weft_dtype_bytes(l->dtype);
    for (uint32_t d = 0; d < l->rank; d++)
        if (!weft_mul_i64(n, global ? l->dims[d].global : l->dims[d].local, &n)) return -1;
    return n;
}

int64_t weft_layout_global_bytes(const weft_layout *l) { return bytes_of(l, true); }
int64_t weft_layout_local_bytes(const weft_layout *l) { return bytes_of(l, false); }

static int64_t position_of(const weft_layout *l, int64_t device) { return l->position ? l->position[device] : device; }

static int64_t shard_at(const weft_layout_dim *dim, int64_t position) {
    int64_t shard = 0;
    for (uint32_t a = 0; a < dim->axis_count; a++)
        shard = shard * dim->axes[a].size + position / dim->axes[a].stride % dim->axes[a].size;
    return shard;
}

int64_t weft_layout_shard(const weft_layout *l, uint32_t d, int64_t device) {
    return shard_at(&l->dims[d], position_of(l, device));
}

/* Taking every coordinate that a dimension uses away from the position leaves the coordinates of the replica: 0 at the
 * owner. */
bool weft_layout_owns(const weft_layout *l, int64_t device) {
    int64_t position = position_of(l, device), rest = position;
    for (uint32_t d = 0; d < l->rank; d++)
        for (uint32_t a = 0; a < l->dims[d].axis_count; a++) {
            const weft_layout_axis *x = &l->dims[d].axes[a];
            rest -= position / x->stride % x->size * x->stride;
        }
    return rest == 0;
}

bool weft_layout_same_array(const weft_layout *a, const weft_layout *b) {
    if (a->dtype != b->dtype || a->rank != b->rank || a->device_count != b->device_count) return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (a->dims[d].global != b->dims[d].global) return false;
    return true;
}

static bool same_terms(const weft_layout *a, const weft_layout *b) {
    if (a->term_axis_count != b->term_axis_count) return false;
    for (uint32_t i = 0; i < a->term_axis_count; i++)
        if (a->terms[i].stride != b->terms[i].stride || a->terms[i].size != b->terms[i].size) return false;
    return true;
}

bool weft_layout_equal(const weft_layout *a, const weft_layout *b) {
    if (!weft_layout_same_array(a, b) || !same_terms(a, b)) return false;
    for (uint32_t d = 0; d < a->rank; d++) {
        if (a->dims[d].local != b->dims[d].local) return false;
        for (int64_t dev = 0; dev < a->device_count; dev++)
            if (weft_layout_shard(a, d, dev) != weft_layout_shard(b, d, dev)) return false;
    }
    return true;
}

typedef struct walk {
    const weft_layout *l;
    int64_t begin[64], extent[64]; /* what the shard has of the global array, per dimension */
    uint32_t run_dim;              /* dimensions from here on form one run */
    int64_t run_elems;
    weft_layout_run visit;
    void *user;
} walk;

static void walk_dim(const walk *w, uint32_t d, int64_t global, int64_t local) {
    if (d == w->run_dim) {
        for (uint32_t k = d; k < w->l->rank; k++) {
            global = global * w->l->dims[k].global + w->begin[k];
            local = local * w->l->dims[k].local;
        }
        w->visit(w->user, global, local, w->run_elems);
        return;
    }
    for (int64_t i = 0; i < w->extent[d]; i++)
        walk_dim(w, d + 1, global * w->l->dims[d].global + w->begin[d] + i, local * w->l->dims[d].local + i);
}

void weft_layout_walk(const weft_layout *l, int64_t device, weft_layout_run visit, void *user) {
    walk w = { .l = l, .run_dim = l->rank, .run_elems = 1, .visit = visit, .user = user };
    bool whole = true; /* the dimensions inside d are the same in both arrays */
    for (uint32_t d = 0; d < l->rank; d++) {
        const weft_layout_dim *dim = &l->dims[d];
        w.begin[d] = weft_layout_shard(l, d, device) * dim->local;
        w.extent[d] = weft_max_i64(0, weft_min_i64(dim->local, dim->global - w.begin[d]));
        if (w.extent[d] == 0) return;
    }
    for (uint32_t d = l->rank; d-- > 0 && whole;) {
        w.run_dim = d;
        w.run_elems *= w.extent[d];
        whole = l->dims[d].local == l->dims[d].global;
    }
    walk_dim(&w, 0, 0, 0);
}

typedef struct mover { size_t elem_bytes; const char *from; char *to; enum { CUT, JOIN } way; } mover;

static void move(void *user, int64_t global, int64_t local, int64_t elems) {
    const mover *m = user;
    size_t e = m->elem_bytes, g = (size_t)global * e, k = (size_t)local * e;
    if (m->way == CUT) memcpy(m->to + k, m->from + g, (size_t)elems * e);
    else memcpy(m->to + g, m->from + k, (size_t)elems * e);
}

static bool is_uneven(const weft_layout *l) {
    for (uint32_t d = 0; d < l->rank; d++) {
        int64_t shards = 1;
        for (uint32_t a = 0; a < l->dims[d].axis_count; a++) shards *= l->dims[d].axes[a].size;
        if (shards * l->dims[d].local != l->dims[d].global) return true;
    }
    return false;
}

void weft_layout_cut(const weft_layout *l, int64_t device, const void *global, void *local) {
    mover m = { weft_dtype_bytes(l->dtype), global, local, CUT };
    if (is_uneven(l)) memset(local, 0, (size_t)weft_layout_local_bytes(l));
    weft_layout_walk(l, device, move, &m);
}

void weft_layout_join(const weft_layout *l, int64_t device, const void *local, void *global) {
    mover m = { weft_dtype_bytes(l->dtype), local, global, JOIN };
    weft_layout_walk(l, device, move, &m);
}
