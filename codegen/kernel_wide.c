/* kernel_wide.c: how many vectors of an element-wise kernel are computed at once.
 *
 * An exponential is some twenty operations each of which waits for the one before, and a processor looks ahead by two
 * or three such chains only: it computes nothing for half of the time. Vectors of several registers are as many chains
 * side by side. What has few operations waits for memory, and what has very many finds no room in registers. Measured
 * on a Xeon: two registers of f32 take 0.87 of the time (gelu) and compile as fast; four take 0.76 and a third longer
 * to compile. Roundings to narrow floats make chains so long that two registers gain nothing: four take 0.66.
 * Without AVX2, where nothing fuses a product with a sum, four took 1.24: there it is one.
 */
#include "codegen/kernel.h"

enum { MOST_WEIGHT = 20, ROUNDING = 5, LEAST_TURNS = 8 };

/* A value for each element by arithmetic alone; operations that are a call for some operands are left out. */
static bool is_plain(const cg_kernel *k, const cg_ins *x) {
    const uint32_t last = k->var_count - 1;
    if (weft_dtype_of((weft_dtype)x->dtype)->bits > 32) return false;
    if (x->kind == CG_I_LOAD) return x->a[0] == CG_NONE && x->ix.sym == CG_NONE && x->ix.k[last] == 1;
    return x->kind == CG_I_SCALAR && x->op != CG_OP_remainder && cg_op_table[x->op].weight <= MOST_WEIGHT;
}

static bool only_stores(const cg_kernel *k) {
    for (uint32_t i = 0; i < k->store_count; i++) {
        const cg_store *s = &k->stores[i];
        if (s->kind != CG_STORE || s->level != k->var_count || s->ix.k[k->var_count - 1] != 1 || s->guard != CG_NONE ||
            s->ix.sym != CG_NONE)
            return false;
    }
    return true;
}

unsigned cg_kernel_side_by_side(const cg_kernel *k, const cg_code_costs *costs, unsigned lanes) {
    unsigned work = 0;
    bool rounds = false;
    if (!k->var_count || k->row || k->fold_count || k->sum_count || k->tiled || k->narrow || !only_stores(k)) return 1;
    for (uint32_t i = 0; i < k->ins_count; i++) {
        const cg_ins *x = &k->ins[i];
        if (x->level != k->var_count) continue;
        if (!is_plain(k, x)) return 1;
        if (x->kind == CG_I_LOAD) continue;
        const bool narrow = weft_dtype_is_narrow_float((weft_dtype)x->dtype);
        work += cg_op_table[x->op].weight + (narrow ? ROUNDING : 0);
        rounds = rounds || narrow;
    }
    const unsigned count = rounds ? 4 : 2;
    if (work < costs->wide_least || work > costs->wide_most) return 1;
    return k->extent[k->var_count - 1] < (int64_t)LEAST_TURNS * count * lanes ? 1 : count;
}
