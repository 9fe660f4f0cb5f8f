/* sdy-inline-meshes: writes the meshes into shardings and replica groups, and removes the module's sdy.mesh ops.
 * Needs: every named mesh exists. Source: Shardy, docs (common passes, sdy-inline-meshes). */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/mesh_refs.h"
#include "propagate/propagate.h"

static const weft_attr *inline_ref(void *user, const weft_attr *ref) {
    const weft_symbols *symbols = user;
    const weft_op *op =
        ref->kind == WEFT_ATTR_SYMBOL ? weft_symbols_find(symbols, ref->names.v[ref->names.n - 1]) : NULL;
    return op && op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : ref;
}

static weft_status inline_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    (void)op;
    return weft_map_mesh_refs_of(c->out, copy, inline_ref, c->user);
}

static weft_status drop_mesh(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    (void)c;
    if (op->kind == WEFT_OP_sdy_mesh) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

weft_status weft_pass_inline_meshes(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    weft_symbols symbols;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_symbols_open(in, &arena, &symbols);
    if (st == WEFT_OK)
        st = weft_edit_module(p, in, &(weft_copy_hooks){ .visit = drop_mesh, .after = inline_op }, &symbols, out);
    weft_arena_free(&arena);
    return st;
}
