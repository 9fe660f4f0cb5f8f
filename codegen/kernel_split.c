/* kernel_split.c: which loop of a kernel threads may share.
 *
 * Turns of the loop over a variable may run at the same time where each writes elements of its own. That holds for
 * plain stores, of which each iteration writes another element, and for what is summed up in memory where the variable
 * moves the sum's place by more than all inner variables do. What shares the memory of what it writes is read by the
 * turn that writes it (cg_kernel_in_place). Updates of a scatter and prefixes of a scan go in the program's order,
 * which a turn keeps among its own: a variable is shared that moves along whole windows, or from one scan to another.
 *
 * The outermost loop with turns enough is taken, so that each thread reads and writes memory of its own. The last one
 * is counted in whole vectors.
 */
#include <string.h>
#include "codegen/kernel.h"

enum {
    TURNS = 16,     /* so many are enough: what one thread has more than another is little */
    VECTORS = 64,   /* elements of the last variable: a multiple of all lanes, and of a cache line's */
    LONG_ROW = 4096, /* elements of rows of which each thread does a part: those of shorter ones are read slowly */
    TILES = 64      /* and of a tiled variable: a multiple of a block's rows */
};

int64_t cg_kernel_sum_of_turn(const cg_kernel *k, const cg_store *s, uint32_t v) {
    int64_t inside = 0;
    if (s->ix.sym != CG_NONE || s->ix.c || s->ix.k[v] <= 0) return 0;
    for (uint32_t w = 0; w < k->var_count; w++) {
        if (w == v) continue;
        if (s->ix.k[w] < 0) return 0;
        inside += s->ix.k[w] * (k->extent[w] - 1);
    }
    const int64_t all = k->params[s->params[0]]->elems;
    return inside < s->ix.k[v] && all == s->ix.k[v] * k->extent[v] ? s->ix.k[v] : 0;
}

/* Is the value of instruction i, an integer, a multiple of n wherever the kernel is? */
static bool is_multiple(const cg_kernel *k, uint32_t i, int64_t n) {
    const cg_ins *x = &k->ins[i];
    int64_t v = 0;
    if (x->kind == CG_I_SPLAT && x->dtype == WEFT_I64) {
        memcpy(&v, x->splat, sizeof v);
        return v % n == 0;
    }
    if (x->kind != CG_I_SCALAR || x->dtype != WEFT_I64) return false;
    if (x->op == CG_OP_multiply) return is_multiple(k, x->a[0], n) || is_multiple(k, x->a[1], n);
    return x->op == CG_OP_add && is_multiple(k, x->a[0], n) && is_multiple(k, x->a[1], n);
}

/* Updates go to places that v moves by k[v], and everything else by whole runs of it: those of two turns never meet. */
static bool updates_apart(const cg_kernel *k, const cg_store *s, uint32_t v) {
    const int64_t run = s->ix.k[v] * k->extent[v];
    if (s->ix.k[v] <= 0) return false;
    for (uint32_t w = 0; w < k->var_count; w++)
        if (w != v && s->ix.k[w] % run) return false;
    return s->ix.sym == CG_NONE || is_multiple(k, s->ix.sym, run);
}

/* Prefixes begin where the guard, the place along the scan, is 0. */
static bool scans_apart(const cg_kernel *k, const cg_store *s, uint32_t v) {
    const cg_ins *place = s->guard == CG_NONE ? NULL : &k->ins[s->guard];
    return place && place->kind == CG_I_RANGE && place->ix.sym == CG_NONE && !place->ix.k[v] && s->ix.k[v];
}

static bool is_apart(const cg_kernel *k, const cg_store *s, uint32_t v) {
    switch (s->kind) {
    case CG_STORE: return s->ix.k[v] != 0;
    case CG_ACCUMULATE: return cg_kernel_sum_of_turn(k, s, v) > 0;
    case CG_UPDATE: return updates_apart(k, s, v);
    case CG_RUNNING: return scans_apart(k, s, v);
    }
    return false;
}

static bool may_share(const cg_kernel *k, uint32_t v) {
    for (uint32_t i = 0; i < k->store_count; i++)
        if (!is_apart(k, &k->stores[i], v)) return false;
    return k->store_count > 0;
}

static bool has_outer(const cg_kernel *k, uint32_t v) {
    for (uint32_t w = 0; w < v; w++)
        if (k->extent[w] > 1) return true;
    return false;
}

/* Rows of its result are met in no order, so that parts of them are as good as whole ones. */
static bool has_updates(const cg_kernel *k) {
    for (uint32_t i = 0; i < k->store_count; i++)
        if (k->stores[i].kind == CG_UPDATE) return true;
    return false;
}

/* Elements of v in a grain; 0: its loop cannot be shared. */
static int64_t grain_of(const cg_kernel *k, const cg_pieces *p, uint32_t v) {
    const uint32_t last = k->var_count - 1;
    if (k->tiled || k->narrow) {
        if (v + 1 < last) return 1;
        if (k->scanned) return v == last ? VECTORS : 0;
        return v + 1 == last && k->tiled ? TILES : 0;
    }
    if (v < k->inner) return 1;
    if (v != last || k->row || p->count[v]) return 0;
    return has_outer(k, v) && k->extent[v] < LONG_ROW && !has_updates(k) ? 0 : VECTORS;
}

cg_split cg_kernel_split(const cg_kernel *k) {
    cg_split best = { .var = CG_NONE, .grains = 1 };
    cg_pieces p;
    cg_kernel_pieces(k, 1, &p);
    for (uint32_t v = 0; v < k->var_count && best.grains < TURNS; v++) {
        const int64_t grain = grain_of(k, &p, v), grains = grain ? weft_ceil_div(k->extent[v], grain) : 1;
        if (grains > best.grains && may_share(k, v)) best = (cg_split){ v, grains, grain, has_outer(k, v) };
    }
    return best;
}
