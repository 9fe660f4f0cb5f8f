/* control.c: loops and branches by callbacks. */
#include "capi/graph_impl.h"

/* The types of n values on scratch memory; NULL with the failure kept. */
static const weft_type **types_of(weft_graph *g, weft_tensor *const *x, size_t n) {
    const weft_type **t = weft_scratch_array(g->cx, const weft_type *, n);
    if (!t) return (void)weft_graph_keep(g, weft_oom()), NULL;
    for (size_t i = 0; i < n; i++) t[i] = x[i]->type;
    return t;
}

/* ---- while ---- */

static weft_op *make_while(weft_graph *g, weft_tensor *const *init, size_t n, weft_graph_body cond,
                           weft_graph_body body) {
    const weft_type **t = types_of(g, init, n);
    weft_op *shell = t ? weft_graph_shell(g, WEFT_OP_while, 2) : NULL;
    if (!shell) return NULL;
    cond.args = body.args = t;
    cond.arg_count = body.arg_count = body.result_count = n;
    cond.result_count = 1;
    if (!weft_graph_fill_region(g, shell, 0, &cond) || !weft_graph_fill_region(g, shell, 1, &body)) return NULL;
    return weft_graph_build_shell(g, shell, init, n, NULL, 0, NULL, n);
}

void weft_graph_while_at(weft_source at, weft_graph *g, weft_tensor *const *init, size_t n, weft_body *cond,
                         weft_body *body, void *user, weft_tensor **out) {
    if (!weft_graph_begin_to(g, at, "while", out, n) || !weft_graph_owns(g, "while", init, n)) {
        weft_graph_results(NULL, out, n);
        return;
    }
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_op *op = make_while(g, init, n, (weft_graph_body){ .fn = cond, .user = user },
                             (weft_graph_body){ .fn = body, .user = user });
    weft_graph_results(op, out, n);
    weft_arena_reset(&g->cx->scratch, mark);
}

/* ---- for: a while with a counter before the carried values ---- */

typedef struct counted {
    int64_t end, step;
    size_t n;
    weft_body *body;
    void *user;
} counted;

static weft_value *number(weft_graph *g, int64_t v) {
    const weft_type *t = weft_type_tensor(g->cx, WEFT_I64, 0, NULL);
    return t ? weft_build_integer(&g->b, t, v) : weft_graph_keep(g, weft_oom());
}

static void count_holds(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const counted *c = user;
    y[0] = weft_graph_build_compare(g, c->step > 0 ? WEFT_comparison_direction_LT : WEFT_comparison_direction_GT, x[0],
                                    number(g, c->end));
}

static void count_body(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const counted *c = user;
    const weft_loc *loc = g->b.loc;
    c->body(g, x, y + 1, c->user);
    if (g->b.status != WEFT_OK) return;
    g->b.loc = loc;
    y[0] = weft_build_binary(&g->b, WEFT_OP_add, x[0], number(g, c->step));
}

void weft_graph_for_at(weft_source at, weft_graph *g, int64_t begin, int64_t end, int64_t step,
                       weft_tensor *const *init, size_t n, weft_body *body, void *user, weft_tensor **out) {
    if (!weft_graph_begin_to(g, at, "for", out, n) || !weft_graph_owns(g, "for", init, n)) {
        weft_graph_results(NULL, out, n);
        return;
    }
    if (!step) {
        weft_graph_fail(g, WEFT_D_usage, "the step of 'for' is 0");
        weft_graph_results(NULL, out, n);
        return;
    }
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    counted c = { end, step, n, body, user };
    weft_tensor **all = weft_scratch_array(g->cx, weft_tensor *, n + 1);
    weft_op *op = NULL;
    if (!all) weft_graph_keep(g, weft_oom());
    else if ((all[0] = number(g, begin))) {
        if (n) memcpy(all + 1, init, n * sizeof *all);
        op = make_while(g, all, n + 1, (weft_graph_body){ .fn = count_holds, .user = &c },
                        (weft_graph_body){ .fn = body ? count_body : NULL, .user = &c });
    }
    weft_graph_results_from(op, 1, out, n);
    weft_arena_reset(&g->cx->scratch, mark);
}

/* ---- if and case ---- */

static void choose(weft_graph *g, weft_op_kind kind, weft_tensor *by, weft_body *const *branch, size_t count,
                   void *user, weft_tensor **out, size_t n) {
    weft_op *shell = weft_graph_shell(g, kind, count);
    for (size_t r = 0; shell && r < count; r++)
        if (!weft_graph_fill_region(g, shell, r,
                                    &(weft_graph_body){ .fn = branch[r], .user = user, .result_count = n }))
            shell = NULL;
    weft_graph_results(shell ? weft_graph_build_shell(g, shell, &by, 1, NULL, 0, NULL, n) : NULL, out, n);
}

void weft_graph_if_at(weft_source at, weft_graph *g, weft_tensor *predicate, weft_body *yes, weft_body *no, void *user,
                      weft_tensor **out, size_t n) {
    if (weft_graph_begin_to(g, at, "if", out, n) && weft_graph_owns(g, "if", &predicate, 1))
        choose(g, WEFT_OP_if, predicate, (weft_body *const[]){ yes, no }, 2, user, out, n);
    else weft_graph_results(NULL, out, n);
}

void weft_graph_case_at(weft_source at, weft_graph *g, weft_tensor *index, weft_body *const *branch, size_t count,
                        void *user, weft_tensor **out, size_t n) {
    if (!weft_graph_begin_to(g, at, "case", out, n) || !weft_graph_owns(g, "case", &index, 1)) {
        weft_graph_results(NULL, out, n);
        return;
    }
    if (count && branch && count <= UINT16_MAX) {
        choose(g, WEFT_OP_case, index, branch, count, user, out, n);
        return;
    }
    weft_graph_fail(g, WEFT_D_usage, "'case' needs between 1 and %d branches", UINT16_MAX);
    weft_graph_results(NULL, out, n);
}
