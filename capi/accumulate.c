/* accumulate.c: gradients over micro-batches: a loop whose body has a loss and its gradients, and adds up both; see
 * weft/optim.h. How many gradients there are is known once the body is made, so the loop's carried values but its
 * counter are added then. */
#include <weft/ops.h>
#include <weft/optim.h>

#include "capi/graph_impl.h"

typedef struct accumulation {
    weft_source at;
    int64_t n;
    weft_tensor **x;                 /* [batch / n, n, ...] */
    weft_tensor **micro;             /* of one turn */
    size_t m;
    weft_body *body;
    void *user;
    const weft_gradient_options *options;
    const char *pattern;
    const weft_type **types;         /* of the sums, once the body is made: the loss, and the gradients */
    weft_graph_late late;            /* the counter and the sums after a turn */
} accumulation;

static weft_value *number(weft_graph *g, int64_t v) {
    const weft_type *t = weft_type_tensor(g->cx, WEFT_I64, 0, NULL);
    return t ? weft_build_integer(&g->b, t, v) : weft_graph_keep(g, weft_oom());
}

static bool is_valid(weft_graph *g, int64_t n, weft_tensor *const *x, size_t m, weft_body *body) {
    if (n < 1) return weft_graph_fail(g, WEFT_D_usage, "'accumulate' has %lld micro-batches", (long long)n) != NULL;
    if (!body) return weft_graph_fail(g, WEFT_D_usage, "'accumulate' has no body: it is NULL") != NULL;
    for (size_t i = 0; i < m; i++)
        if (!x[i]->type->rank || x[i]->type->dims[0] % n) {
            weft_graph_fail(g, WEFT_D_verify, "batch %zu of 'accumulate' has %lld elements, which %lld does not divide",
                            i, x[i]->type->rank ? (long long)x[i]->type->dims[0] : 1, (long long)n);
            return false;
        }
    return true;
}

/* x's elements j, j + n ... in column j, so that a sharding of the batch stays one of dimension 0. */
static weft_tensor *in_columns(weft_source at, weft_graph *g, weft_tensor *x, int64_t n) {
    int64_t dims[WEFT_MAX_RANK];
    const uint32_t rank = x->type->rank;
    if (rank == WEFT_MAX_RANK)
        return weft_graph_fail(g, WEFT_D_verify, "a tensor has at most %d dimensions", WEFT_MAX_RANK);
    dims[0] = x->type->dims[0] / n;
    dims[1] = n;
    for (uint32_t d = 1; d < rank; d++) dims[d + 1] = x->type->dims[d];
    return weft_graph_reshape_at(at, g, x, (weft_dims){ dims, rank + 1 });
}

static weft_tensor *column(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *i) {
    weft_tensor *starts[WEFT_MAX_RANK], *zero = number(g, 0);
    int64_t sizes[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    const uint32_t rank = x->type->rank;
    for (uint32_t d = 0; d < rank; d++) {
        starts[d] = d == 1 ? i : zero;
        sizes[d] = d == 1 ? 1 : x->type->dims[d];
        if (d != 1) dims[d ? d - 1 : 0] = x->type->dims[d];
    }
    x = weft_graph_dynamic_slice_at(at, g, x, starts, (weft_dims){ sizes, rank });
    return weft_graph_reshape_at(at, g, x, (weft_dims){ dims, rank - 1 });
}

/* In f32 at least: sums of many. */
static weft_tensor *wide(weft_source at, weft_graph *g, weft_tensor *x) {
    const bool narrow = x && x->type->dtype != WEFT_F32 && x->type->dtype != WEFT_F64;
    return narrow ? weft_graph_convert_at(at, g, x, "f32") : x;
}

/* The loss and the gradients of one micro-batch, in f32 at least, to a list of the graph; empty with the failure kept.
 * */
static weft_tensors loss_and_gradients(const accumulation *a, weft_graph *g) {
    const weft_tensors none = { NULL, 0 };
    weft_tensor *loss = NULL;
    const weft_graph_scope *scope = g->scope;
    a->body(g, a->micro, &loss, a->user);
    if (!weft_graph_begin(g, a->at)) return none;
    if (g->scope != scope || !loss) {
        weft_graph_fail(g, WEFT_D_usage, loss ? "the body left a scope open, or closed one that it did not open"
                                              : "the body did not set result 0 of 1");
        return none;
    }
    const weft_tensors p = weft_parameters_at(a->at, g, a->pattern), all = weft_tensors_new(g, p.n + 1);
    if (!p.n || all.n != p.n + 1) return none;
    weft_graph_gradients_at(a->at, g, loss, p.v, p.n, a->options, all.v + 1);
    all.v[0] = loss;
    for (size_t i = 0; i < all.n; i++) all.v[i] = wide(a->at, g, all.v[i]);
    return g->b.status == WEFT_OK ? all : none;
}

static void more(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const accumulation *a = user;
    weft_value *end = number(g, a->n);
    y[0] = end ? weft_graph_build_compare(g, WEFT_comparison_direction_LT, x[0], end) : NULL;
}

static void turn(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    accumulation *a = user;
    (void)y;
    for (size_t i = 0; i < a->m; i++) a->micro[i] = column(a->at, g, a->x[i], x[0]);
    const weft_tensors now = loss_and_gradients(a, g);
    if (!now.n) return;
    const weft_tensors next = weft_tensors_new(g, now.n + 1);
    a->types = weft_arena_array(&g->m->arena, const weft_type *, now.n);
    if (!a->types || !next.n) {
        weft_graph_keep(g, weft_oom());
        return;
    }
    weft_value *one = number(g, 1);
    next.v[0] = one ? weft_build_binary(&g->b, WEFT_OP_add, x[0], one) : NULL;
    for (size_t i = 0; i < now.n; i++) {
        a->types[i] = now.v[i]->type;
        weft_value *sum = weft_build_block_arg(&g->b, g->b.block, a->types[i], g->b.loc);
        if (!sum) weft_graph_keep(g, weft_oom());
        next.v[1 + i] = sum ? weft_build_binary(&g->b, WEFT_OP_add, sum, now.v[i]) : NULL;
    }
    a->late = (weft_graph_late){ next.v, next.n };
}

/* The sums after the loop, times 1 / n: the loss first. */
static weft_tensors by_loop(weft_graph *g, accumulation *a) {
    const weft_tensors none = { NULL, 0 };
    weft_op *shell = weft_graph_shell(g, WEFT_OP_while, 2);
    weft_value *first = shell ? number(g, 0) : NULL;
    if (!first) return none;
    const weft_graph_body cond = { .fn = more, .user = a, .args = &first->type, .arg_count = 1, .result_count = 1 };
    const weft_graph_body body = { .fn = turn, .user = a, .args = &first->type, .arg_count = 1, .late = &a->late };
    if (!weft_graph_fill_region(g, shell, 0, &cond) || !weft_graph_fill_region(g, shell, 1, &body)) return none;
    const weft_tensors init = weft_tensors_new(g, a->late.n), out = weft_tensors_new(g, a->late.n - 1);
    if (!out.n) return none;
    init.v[0] = first;
    for (size_t i = 0; i < out.n; i++) {
        init.v[1 + i] = weft_build_splat(&g->b, a->types[i], 0);
        if (!init.v[1 + i] || !weft_build_block_arg(&g->b, weft_op_body(shell, 0), a->types[i], g->b.loc))
            return (void)weft_graph_keep(g, weft_oom()), none;
    }
    weft_op *loop = weft_graph_build_shell(g, shell, init.v, init.n, NULL, 0, NULL, init.n);
    weft_graph_results_from(loop, 1, out.v, out.n);
    for (size_t i = 0; i < out.n; i++) out.v[i] = weft_graph_scale_at(a->at, g, out.v[i], 1 / (double)a->n);
    return g->b.status == WEFT_OK ? out : none;
}

weft_tensors weft_accumulate_at(weft_source at, weft_graph *g, int64_t n, weft_tensor *const *x, size_t m,
                                weft_body *body, void *user, const char *pattern, weft_tensor **loss,
                                const weft_gradient_options *options) {
    weft_tensors all = { NULL, 0 };
    if (loss) *loss = NULL;
    if (!weft_graph_begin(g, at) || !weft_graph_at_main(g, "accumulation") || !weft_graph_owns(g, "accumulate", x, m) ||
        !is_valid(g, n, x, m, body))
        return all;
    weft_tensors batches = weft_tensors_new(g, m), micro = weft_tensors_new(g, m);
    accumulation a = { .at = at, .n = n, .x = batches.v, .micro = micro.v, .m = m, .body = body, .user = user,
                       .pattern = pattern, .options = options };
    for (size_t i = 0; i < micro.n; i++) {
        micro.v[i] = x[i];
        if (n > 1) batches.v[i] = in_columns(at, g, x[i], n);
    }
    if (weft_graph_begin(g, at)) all = n > 1 ? by_loop(g, &a) : loss_and_gradients(&a, g);
    if (!all.n) return all;
    if (loss) *loss = all.v[0];
    return (weft_tensors){ all.v + 1, all.n - 1 };
}
