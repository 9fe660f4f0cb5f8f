/* region.c: bodies of ops, made by callbacks. */
#include "capi/graph_impl.h"

weft_op *weft_graph_shell(weft_graph *g, weft_op_kind kind, size_t region_count) {
    weft_op *shell = weft_arena_new(&g->m->arena, weft_op);
    weft_region *regions = weft_arena_array(&g->m->arena, weft_region, region_count);
    if (!shell || !regions) return (void)weft_graph_keep(g, weft_oom()), NULL;
    *shell = (weft_op){ .kind = (uint16_t)kind, .region_count = (uint16_t)region_count, .regions = regions,
                        .name = weft_name_at(g->cx, WEFT_A_COUNT + (uint32_t)kind), .loc = g->b.loc,
                        .parent = g->b.block };
    for (size_t r = 0; r < region_count; r++) regions[r].parent = shell;
    return shell;
}

static weft_op_kind end_of(const weft_op *shell) {
    switch (shell->kind) {
    case WEFT_OP_func: return WEFT_OP_func_return;
    case WEFT_OP_sdy_manual_computation:
    case WEFT_OP_sdy_named_computation: return WEFT_OP_sdy_return;
    default: return WEFT_OP_return;
    }
}

/* The block of region r, open, with its arguments. */
static weft_block *open_block(weft_graph *g, weft_op *shell, size_t r, const weft_graph_body *body) {
    weft_block *blk = weft_build_block(&g->b, &shell->regions[r]);
    for (size_t i = 0; blk && i < body->arg_count; i++)
        if (!weft_build_block_arg(&g->b, blk, body->args[i], shell->loc)) blk = NULL;
    return blk ? blk : (void *)weft_graph_keep(g, weft_oom());
}

/* The values that the callback returned, as the block's end. A mistake in them is shown at the body's last op. */
static void close_block(weft_graph *g, const weft_op *shell, weft_tensor *const *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!y[i]) {
            weft_graph_fail(g, WEFT_D_usage, "the body did not set result %zu of %zu", i, n);
            return;
        }
    if (!weft_graph_owns(g, "return", y, n)) return;
    if (g->b.block->last) g->b.loc = g->b.block->last->loc;
    weft_build_op(&g->b, &(weft_op_spec){ .kind = end_of(shell), .operands = y, .operand_count = (uint32_t)n });
}

static void call(weft_graph *g, const weft_op *shell, const weft_block *blk, const weft_graph_body *body) {
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_tensor **y = weft_scratch_array(g->cx, weft_tensor *, body->result_count);
    weft_tensor **x = weft_scratch_array(g->cx, weft_tensor *, body->arg_count);
    if (x && y) {
        for (size_t i = 0; i < body->arg_count; i++) x[i] = blk->args[i];
        for (size_t i = 0; i < body->result_count; i++) y[i] = NULL;
        const weft_graph_scope *scope = g->scope;
        body->fn(g, x, y, body->user);
        g->b.loc = shell->loc;
        if (g->b.status == WEFT_OK && g->scope != scope)
            weft_graph_fail(g, WEFT_D_usage, "the body left a scope open, or closed one that it did not open");
        g->scope = scope;
        if (g->b.status != WEFT_OK) goto out;
        if (body->late) close_block(g, shell, body->late->y, body->late->n);
        else close_block(g, shell, y, body->result_count);
    } else {
        weft_graph_keep(g, weft_oom());
    }
out:
    weft_arena_reset(&g->cx->scratch, mark);
}

bool weft_graph_fill_region(weft_graph *g, weft_op *shell, size_t r, const weft_graph_body *body) {
    if (!body->fn) return weft_graph_fail(g, WEFT_D_usage, "'%s' has no body: it is NULL", shell->name->text) != NULL;
    weft_block *blk = open_block(g, shell, r, body);
    if (!blk) return false;
    const weft_builder outer = g->b;
    const weft_graph_open *outer_open = g->open;
    const weft_graph_open open = { blk, outer_open, shell->kind == WEFT_OP_func ? WEFT_SEES_NOTHING : WEFT_SEES_OUTER };
    g->open = &open;
    g->b.block = blk;
    g->b.before = NULL;
    call(g, shell, blk, body);
    const weft_status st = g->b.status;
    g->open = outer_open;
    g->b = outer;
    g->b.status = st;
    if (st != WEFT_OK && st != WEFT_ERR_MEMORY) weft_note(g->cx, shell->loc, "in a body of this '%s'",
        shell->name->text);
    return st == WEFT_OK;
}

weft_value *const *weft_graph_yields(const weft_op *shell, size_t r, size_t *n) {
    const weft_block *blk = weft_op_body(shell, (uint32_t)r);
    const weft_op *end = blk ? weft_block_terminator(blk) : NULL;
    *n = end ? end->operand_count : 0;
    return end ? end->operands : NULL;
}

void weft_graph_results_from(const weft_op *op, size_t first, weft_tensor **out, size_t n) {
    for (size_t i = 0; out && i < n; i++) out[i] = op ? &op->results[first + i] : NULL;
}

void weft_graph_results(const weft_op *op, weft_tensor **out, size_t n) { weft_graph_results_from(op, 0, out, n); }

bool weft_graph_begin_to(weft_graph *g, weft_source at, const char *what, weft_tensor **out, size_t n) {
    if (weft_graph_begin(g, at) && (!n || out)) return true;
    weft_graph_results(NULL, out, n);
    if (!g || g->b.status != WEFT_OK) return false;
    return weft_graph_fail(g, WEFT_D_usage, "there is no place for the results of '%s': out is NULL", what) != NULL;
}
