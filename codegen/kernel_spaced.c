/* kernel_spaced.c: loads of what is padded between its elements.
 *
 * A pad of one between columns reads element x / 2 where 2 divides x, and nothing elsewhere (trace_class.c, of_pad).
 * Lanes then read neighbours in memory, two lanes apart: emit_kernel.c loads these side by side and puts them on their
 * lanes, where a gather would take a load for each. The index is a sum of x / step and of what all lanes share.
 */
#include "codegen/kernel.h"

static bool is_of_lane(const cg_kernel *k, uint32_t i) { return k->ins[i].level == k->var_count; }
static bool is_sum(const cg_ins *x, cg_op op) { return x->kind == CG_I_SCALAR && x->op == op; }

static bool add_shared(uint32_t *v, uint32_t *n, uint32_t i) {
    if (*n == CG_MAX_SHARED) return false;
    v[(*n)++] = i;
    return true;
}

static bool asks_for(const cg_kernel *k, uint32_t guard, const cg_spacing *s) {
    if (guard == CG_NONE) return false;
    const cg_ins *g = &k->ins[guard];
    if (is_sum(g, CG_OP_and)) return asks_for(k, g->a[0], s) || asks_for(k, g->a[1], s);
    return g->kind == CG_I_MULTIPLE && g->lo == s->step && !memcmp(&g->ix, s->x, sizeof *s->x);
}

bool cg_kernel_spaced(const cg_kernel *k, const cg_ins *load, cg_spacing *s) {
    const uint32_t last = k->var_count - 1;
    uint32_t i = load->ix.sym;
    *s = (cg_spacing){ 0 };
    if (i == CG_NONE || !is_of_lane(k, i) || load->ix.k[last]) return false;
    while (is_sum(&k->ins[i], CG_OP_add)) {
        const uint32_t *a = k->ins[i].a, lane = is_of_lane(k, a[1]);
        if (is_of_lane(k, a[1 - lane]) || !add_shared(s->shared, &s->shared_count, a[1 - lane])) return false;
        i = a[lane];
    }
    const cg_ins *q = &k->ins[i];
    if (!is_sum(q, CG_OP_divide) || q->dtype != WEFT_I64) return false;
    const cg_ins *x = &k->ins[q->a[0]], *by = &k->ins[q->a[1]];
    if (x->kind != CG_I_INDEX || x->dtype != WEFT_I64 || by->kind != CG_I_SPLAT || x->ix.sym != CG_NONE ||
        x->ix.k[last] != 1)
        return false;
    memcpy(&s->step, by->splat, sizeof s->step);
    s->x = &x->ix;
    return s->step > 1 && asks_for(k, load->a[0], s);
}

bool cg_kernel_all_spaced(const cg_kernel *k, uint32_t guard, const int8_t *known, cg_spacing *s) {
    const cg_ins *g = &k->ins[guard];
    if (known[guard] == CG_ALWAYS) return true;
    if (!is_of_lane(k, guard)) return add_shared(s->guard, &s->guard_count, guard);
    if (is_sum(g, CG_OP_and))
        return cg_kernel_all_spaced(k, g->a[0], known, s) && cg_kernel_all_spaced(k, g->a[1], known, s);
    return g->kind == CG_I_MULTIPLE && g->lo == s->step && !memcmp(&g->ix, s->x, sizeof *s->x);
}
