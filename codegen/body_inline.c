/* body_inline.c: a body of scalars applied to tensors, element by element. */
#include "codegen/body.h"
#include "codegen/import.h"

cg_node *cg_inline_body(cg_graph *g, const cg_block *block, cg_node *const *args, uint32_t result) {
    cg_body body;
    const weft_mark mark = weft_arena_mark(&g->cx->scratch);
    const weft_status st = cg_body_read(&g->cx->scratch, block, &body, NULL);
    cg_node **value = st == WEFT_OK ? weft_scratch_array(g->cx, cg_node *, body.arg_count + body.count + 1) : NULL,
            *out = NULL;
    if (st == WEFT_ERR_MEMORY || (st == WEFT_OK && !value)) g->status = weft_oom();
    for (uint32_t i = 0; value && i < body.arg_count; i++) value[i] = args[i];
    for (uint32_t i = 0; value && i < body.count; i++) {
        const cg_node *n = body.ins[i].node;
        cg_node *in[3] = { 0 }, **to = &value[body.arg_count + i];
        for (uint32_t k = 0; n->cls == CG_SCALAR && k < n->in_count; k++) in[k] = value[body.ins[i].in[k]];
        if (n->cls == CG_SPLAT) *to = cg_splat(g, (weft_dtype)n->dtype, args[0]->rank, args[0]->dims, n->splat);
        else *to = cg_scalar(g, (cg_op)n->op, (weft_dtype)n->dtype, n->aux, in);
    }
    if (value) out = value[body.results[result]];
    weft_arena_reset(&g->cx->scratch, mark);
    return out;
}
