/* scan.c: one body over slices of stacked tensors: a while whose turns slice along dimension 0, which no mesh axis
 * need cut, so that nothing is gathered. */
#include "capi/graph_impl.h"

typedef struct scan {
    size_t n, m, made;
    int64_t steps;
    weft_tensor *const *stacked;
    weft_body *body;
    void *user;
    const weft_type **made_types;    /* of one step, once the body is made */
} scan;

static const weft_type *i64_scalar(weft_graph *g) { return weft_type_tensor(g->cx, WEFT_I64, 0, NULL); }

static weft_value *number(weft_graph *g, int64_t v) {
    const weft_type *t = i64_scalar(g);
    return t ? weft_build_integer(&g->b, t, v) : weft_graph_keep(g, weft_oom());
}

/* t without dimension 0, or with a dimension 0 of `steps`; NULL with the failure kept. */
static const weft_type *slice_type(weft_graph *g, const weft_type *t) {
    const weft_type *s = weft_type_with_dims(g->cx, t, t->rank - 1, t->dims + 1);
    if (!s) weft_graph_keep(g, weft_oom());
    return s;
}

static const weft_type *stack_type(weft_graph *g, const weft_type *t, int64_t steps) {
    int64_t dims[WEFT_MAX_RANK];
    if (t->rank == WEFT_MAX_RANK)
        return (void)weft_graph_fail(g, WEFT_D_verify, "what 'scan' stacks has %d dimensions already", WEFT_MAX_RANK),
               NULL;
    dims[0] = steps;
    for (uint32_t d = 0; d < t->rank; d++) dims[d + 1] = t->dims[d];
    const weft_type *s = weft_type_with_dims(g->cx, t, t->rank + 1, dims);
    if (!s) weft_graph_keep(g, weft_oom());
    else if (weft_type_bytes(s) < 0)
        return (void)weft_graph_fail(g, WEFT_D_verify, "what 'scan' stacks has more bytes than can be counted"), NULL;
    return s;
}

/* The starts of slice i of a tensor of rank: i, 0, 0 ... after the given first operands. */
static bool starts(weft_graph *g, weft_value *i, uint32_t rank, weft_value **to) {
    weft_value *zero = rank > 1 ? number(g, 0) : NULL;
    if (rank > 1 && !zero) return false;
    to[0] = i;
    for (uint32_t d = 1; d < rank; d++) to[d] = zero;
    return true;
}

weft_value *weft_graph_slice_of(weft_graph *g, weft_value *x, weft_value *i) {
    weft_value *operands[1 + WEFT_MAX_RANK] = { x };
    int64_t sizes[WEFT_MAX_RANK];
    const weft_type *t = slice_type(g, x->type);
    if (!t || !starts(g, i, x->type->rank, operands + 1)) return NULL;
    sizes[0] = 1;
    for (uint32_t d = 1; d < x->type->rank; d++) sizes[d] = x->type->dims[d];
    const weft_attr_pair attr = { WEFT_A_slice_sizes, weft_attr_ints(g->cx, WEFT_I64, sizes, x->type->rank) };
    weft_value *s = weft_graph_build_1(g, WEFT_OP_dynamic_slice, operands, 1 + x->type->rank, &attr, 1, NULL);
    return s ? weft_graph_build_1(g, WEFT_OP_reshape, &s, 1, NULL, 0, t) : NULL;
}

/* `all` with y as its slice i. */
static weft_value *put_slice(weft_graph *g, weft_value *all, weft_value *y, weft_value *i) {
    int64_t dims[WEFT_MAX_RANK];
    dims[0] = 1;
    for (uint32_t d = 0; d < y->type->rank; d++) dims[d + 1] = y->type->dims[d];
    const weft_type *t = weft_type_with_dims(g->cx, y->type, y->type->rank + 1, dims);
    if (!t) return weft_graph_keep(g, weft_oom());
    weft_value *operands[2 + WEFT_MAX_RANK] = { all, weft_graph_build_1(g, WEFT_OP_reshape, &y, 1, NULL, 0, t) };
    if (!operands[1] || !starts(g, i, t->rank, operands + 2)) return NULL;
    return weft_graph_build_1(g, WEFT_OP_dynamic_update_slice, operands, 2 + t->rank, NULL, 0, NULL);
}

/* ---- the loop's regions: x is the counter, the carried values and what is stacked ---- */

static void more(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const scan *s = user;
    weft_value *end = number(g, s->steps);
    y[0] = end ? weft_graph_build_compare(g, WEFT_comparison_direction_LT, x[0], end) : NULL;
}

/* What is stacked has no type until the user's body is made: these arguments of the block are added then. */
static bool stack_results(weft_graph *g, const scan *s, weft_tensor *const *x, weft_tensor **y) {
    for (size_t k = 0; k < s->made; k++) {
        weft_tensor *one = y[1 + s->n + k];
        const weft_type *t = stack_type(g, one->type, s->steps);
        weft_value *all = t ? weft_build_block_arg(&g->b, g->b.block, t, g->b.loc) : NULL;
        if (!all) return weft_graph_keep(g, g->b.status == WEFT_OK ? weft_oom() : g->b.status) != NULL;
        s->made_types[k] = t;
        if (!(y[1 + s->n + k] = put_slice(g, all, one, x[0]))) return false;
    }
    return true;
}

static bool given(weft_graph *g, const scan *s, weft_tensor *const *y) {
    for (size_t k = 0; k < s->n + s->made; k++)
        if (!y[k]) return weft_graph_fail(g, WEFT_D_usage, "the body did not set result %zu of %zu", k, s->n + s->made);
    return weft_graph_owns(g, "return", y, s->n + s->made);
}

static void step(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const scan *s = user;
    const weft_loc *loc = g->b.loc;
    weft_tensor **args = weft_scratch_array(g->cx, weft_tensor *, s->n + s->m + 1);
    if (!args) {
        weft_graph_keep(g, weft_oom());
        return;
    }
    for (size_t i = 0; i < s->n; i++) args[i] = x[1 + i];
    for (size_t i = 0; i < s->m; i++)
        if (!(args[s->n + i] = weft_graph_slice_of(g, s->stacked[i], x[0]))) return;
    args[s->n + s->m] = x[0];
    s->body(g, args, y + 1, s->user);
    if (g->b.status != WEFT_OK) return;
    g->b.loc = loc;
    weft_value *one = given(g, s, y + 1) && stack_results(g, s, x, y) ? number(g, 1) : NULL;
    y[0] = one ? weft_build_binary(&g->b, WEFT_OP_add, x[0], one) : NULL;
}

/* Zeros before the loop for what is stacked, and its arguments in the condition, which was made first. */
static bool add_stacks(weft_graph *g, const scan *s, weft_op *shell, weft_tensor **all) {
    for (size_t k = 0; k < s->made; k++) {
        all[1 + s->n + k] = weft_build_splat(&g->b, s->made_types[k], 0);
        if (!all[1 + s->n + k] ||
            !weft_build_block_arg(&g->b, weft_op_body(shell, 0), s->made_types[k], g->b.loc))
            return weft_graph_keep(g, weft_oom()) != NULL;
    }
    return true;
}

static weft_op *build(weft_graph *g, scan *s, weft_tensor *const *init) {
    const size_t carried = 1 + s->n, count = carried + s->made;
    weft_tensor **all = weft_scratch_array(g->cx, weft_tensor *, count);
    const weft_type **types = weft_scratch_array(g->cx, const weft_type *, carried);
    s->made_types = weft_scratch_array(g->cx, const weft_type *, s->made);
    weft_op *shell = all && types && s->made_types ? weft_graph_shell(g, WEFT_OP_while, 2) : NULL;
    if (!shell) {
        weft_graph_keep(g, weft_oom());
        return NULL;
    }
    if (!(all[0] = number(g, 0))) return NULL;
    for (size_t i = 0; i < s->n; i++) all[1 + i] = init[i];
    for (size_t i = 0; i < carried; i++) types[i] = all[i]->type;
    const weft_graph_body cond = { .fn = more, .user = s, .args = types, .arg_count = carried, .result_count = 1 };
    const weft_graph_body body = { .fn = s->body ? step : NULL, .user = s, .args = types, .arg_count = carried,
                                   .result_count = count };
    if (!weft_graph_fill_region(g, shell, 0, &cond) || !weft_graph_fill_region(g, shell, 1, &body) ||
        !add_stacks(g, s, shell, all))
        return NULL;
    return weft_graph_build_shell(g, shell, all, count, NULL, 0, NULL, count);
}

static bool check(weft_graph *g, int64_t steps, weft_tensor *const *x, size_t m) {
    if (steps < 0) return weft_graph_fail(g, WEFT_D_usage, "'scan' has %lld steps", (long long)steps) != NULL;
    for (size_t i = 0; i < m; i++)
        if (!x[i]->type->rank || x[i]->type->dims[0] != steps) {
            weft_graph_fail(g, WEFT_D_verify,
                "stacked tensor %zu of 'scan' has %lld elements in dimension 0, expected %lld",
                            i, x[i]->type->rank ? (long long)x[i]->type->dims[0] : 0, (long long)steps);
            return false;
        }
    return true;
}

void weft_graph_scan_at(weft_source at, weft_graph *g, int64_t steps, weft_tensor *const *init, size_t n,
                        weft_tensor *const *x, size_t m, size_t made, weft_body *body, void *user, weft_tensor **out) {
    if (!weft_graph_begin_to(g, at, "scan", out, n + made) || !weft_graph_owns(g, "scan", init, n) ||
        !weft_graph_owns(g, "scan", x, m) || !check(g, steps, x, m)) {
        weft_graph_results(NULL, out, n + made);
        return;
    }
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    scan s = { n, m, made, steps, x, body, user, NULL };
    weft_graph_results_from(build(g, &s, init), 1, out, n + made);
    weft_arena_reset(&g->cx->scratch, mark);
}
