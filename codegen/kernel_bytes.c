/* kernel_bytes.c: what of its memory a kernel touches. */
#include "codegen/kernel.h"

/* How many values r's index takes between its bounds: in whole steps of what its variables move it by. */
static int64_t within(const cg_kernel *k, const cg_ins *r) {
    int64_t low = r->ix.c, high = r->ix.c, step = 0;
    for (uint32_t v = 0; v < k->var_count; v++) {
        const int64_t way = r->ix.k[v] * (k->extent[v] - 1);
        if (way < 0) low += way;
        else high += way;
        step = weft_gcd(step, r->ix.k[v] < 0 ? -r->ix.k[v] : r->ix.k[v]);
    }
    const bool moved = r->ix.sym != CG_NONE; /* by who knows how much */
    const int64_t from = moved ? r->lo : weft_max_i64(low, r->lo), to = moved ? r->hi : weft_min_i64(high + 1, r->hi);
    if (to <= from) return 0;
    return step ? weft_ceil_div(to - from, step) : 1;
}

typedef struct reach { const cg_kernel *k; weft_bits left; int64_t elems; } reach;

static int64_t iterations(const cg_kernel *k, weft_bits vars) {
    int64_t n = 1;
    for (uint32_t v = 0; v < k->var_count; v++)
        if (weft_bits_has(vars, v)) n *= k->extent[v];
    return n;
}

/* A condition on some of the variables that are left lets fewer of their iterations through. */
static void narrow(reach *x, uint32_t guard) {
    const cg_ins *g = guard == CG_NONE ? NULL : &x->k->ins[guard];
    weft_bits vars = 0;
    if (g && g->kind == CG_I_SCALAR && g->op == CG_OP_and) {
        narrow(x, g->a[0]);
        narrow(x, g->a[1]);
    }
    if (!g || g->kind != CG_I_RANGE) return;
    for (uint32_t v = 0; v < x->k->var_count; v++)
        if (g->ix.k[v]) vars |= weft_bit(v);
    if (vars & ~x->left) return;
    x->left &= ~vars;
    x->elems *= weft_min_i64(iterations(x->k, vars), within(x->k, g));
}

/* How many elements an index can name where guard holds: it differs between iterations by the variables in it, and by
 * those that its computed term depends on. */
static int64_t distinct(const cg_kernel *k, const cg_ix *x, uint32_t guard) {
    const uint32_t computed = x->sym == CG_NONE ? 0 : k->ins[x->sym].level;
    reach r = { k, 0, 1 };
    for (uint32_t v = 0; v < k->var_count; v++)
        if (v < computed || x->k[v]) r.left |= weft_bit(v);
    narrow(&r, guard);
    return r.elems * iterations(k, r.left);
}

static void touch(const cg_kernel *k, int64_t *elems, uint32_t param, const cg_ix *x, uint32_t guard) {
    elems[param] = weft_min_i64(elems[param] + distinct(k, x, guard), k->params[param]->elems);
}

void cg_kernel_bytes(const cg_kernel *k, int64_t *read_bytes, int64_t *write_bytes) {
    int64_t read[CG_MAX_PARAMS] = { 0 }, written[CG_MAX_PARAMS] = { 0 };
    for (uint32_t i = 0; i < k->ins_count; i++)
        if (k->ins[i].kind == CG_I_LOAD) touch(k, read, k->ins[i].param, &k->ins[i].ix, k->ins[i].a[0]);
    for (uint32_t i = 0; i < k->store_count; i++) {
        const cg_store *s = &k->stores[i];
        for (uint32_t r = 0; r < (s->kind == CG_STORE ? 1 : k->sums[s->fold].n); r++) {
            const uint32_t param = s->kind == CG_STORE ? s->param : s->params[r];
            touch(k, written, param, &s->ix, CG_NONE);
            if (s->kind == CG_UPDATE) touch(k, read, param, &s->ix, CG_NONE); /* combined with what stands there */
        }
    }
    *read_bytes = *write_bytes = 0;
    for (uint32_t i = 0; i < k->param_count; i++) {
        const int64_t size = (int64_t)weft_dtype_bytes((weft_dtype)k->params[i]->dtype);
        *read_bytes += size * read[i];
        *write_bytes += size * written[i];
    }
}
