/* custom_top_k.c: custom calls that keep the first k of each slice. */
#include "codegen/body.h"
#include "codegen/custom_call.h"
#include "ir/signature.h"
#include "codegen/sort.h"

/* The comparator: the only called computation, a function on left and right of each operand. */
static weft_status comparator(cg_custom *c, cg_block **out) {
    const weft_attr *called = weft_op_attr(c->op, WEFT_A_called_computations),
                    *name = called && called->items.n == 1 ? called->items.v[0] : NULL;
    const weft_op *f = name && name->kind == WEFT_ATTR_SYMBOL
                           ? weft_module_symbol(c->im->m, weft_name_str(name->names.v[name->names.n - 1]))
                           : NULL;
    if (!f || !weft_op_body(f, 0)) return cg_custom_bad(c, "a comparator as its only called computation");
    weft_status st = cg_import_region(c->im, &f->regions[0], out);
    if (st == WEFT_OK) st = cg_body_check(c->im->g, *out);
    if (st != WEFT_OK) return st;
    const cg_block *b = *out;
    bool fits = b->arg_count == 4 && b->result_count == 1 && b->results[0]->dtype == WEFT_I1;
    for (uint32_t i = 0; fits && i < 4; i++) fits = b->args[i]->dtype == c->in[i / 2]->dtype;
    return fits ? WEFT_OK : cg_custom_bad(c, "a comparator of two elements of each operand");
}

static cg_node *first_of(cg_custom *c, cg_node *x, uint32_t r) {
    cg_view_dim view[WEFT_MAX_RANK];
    for (uint32_t d = 0; x && d < x->rank; d++) view[d] = cg_along((int32_t)d, 0, 1);
    return x ? cg_view(c->im->g, x, c->types[r]->rank, c->types[r]->dims, view) : NULL;
}

/* values, indices, two initial values -> the first of them: XLA's own fallback on machines without a partial reduction
 * sorts, too, so the recall is 1. */
weft_status cg_custom_approx_top_k(cg_custom *c) {
    cg_graph *g = c->im->g;
    for (uint32_t i = 0; i < 2; i++) { /* dimensions are the op's, whatever the layout */
        c->in[i] = cg_of(c->im, c->op, i);
        c->types[i] = c->op->results[i].type;
    }
    const cg_node *x = c->in[0];
    const weft_attr *dim = weft_custom_call_config(c->op, "reduction_dim");
    weft_sort_state s;
    cg_block *less = NULL;
    cg_node *out[2];
    bool fits = dim && dim->kind == WEFT_ATTR_INT && dim->i >= 0 && dim->i < x->rank && cg_same_dims(x, c->in[1]);
    for (uint32_t r = 0; fits && r < 2; r++) {
        fits = c->types[r]->dtype == c->in[r]->dtype && c->types[r]->rank == x->rank;
        for (uint32_t d = 0; fits && d < x->rank; d++)
            fits = d == dim->i ? c->types[r]->dims[d] <= x->dims[d] : c->types[r]->dims[d] == x->dims[d];
    }
    if (!fits)
        return cg_custom_bad(c, "results that are the operands, shorter along 'reduction_dim' of its backend_config");
    weft_status st = comparator(c, &less);
    if (st != WEFT_OK) return st;
    memset(&s, 0, sizeof s);
    s.outer = s.inner = 1;
    s.n = x->dims[dim->i];
    for (uint32_t d = 0; d < x->rank; d++)
        if (d != dim->i) *(d < dim->i ? &s.outer : &s.inner) *= x->dims[d];
    s.operands = 2;
    for (uint32_t i = 0; i < 2; i++) s.bytes[i] = (uint8_t)weft_dtype_bytes((weft_dtype)c->in[i]->dtype);
    s.keys = cg_sort_keys(less, s.key);
    const weft_type *types[2] = { c->op->operands[0]->type, c->op->operands[1]->type };
    const cg_call_spec spec = { .kernel = &weft_kernel_sort, .state = &s, .state_bytes = sizeof s,
                                .scratch_bytes = weft_sort_scratch(&s), .body = s.keys ? NULL : less };
    if (!cg_call(g, &spec, c->in, 2, types, 2, out)) return g->status;
    for (uint32_t r = 0; r < 2 && st == WEFT_OK; r++) st = cg_set(c->im, c->op, r, first_of(c, out[r], r));
    return st;
}

/* k is what the results' last dimension says. */
weft_status cg_custom_top_k(cg_custom *c) {
    const weft_type *t = c->op->results[0].type, *i = c->op->results[1].type;
    const cg_node *x = c->in[0];
    const weft_attr *largest = weft_custom_call_config(c->op, "largest");
    bool fits = x->rank && t->dtype == x->dtype && t->rank == x->rank && t->dims[x->rank - 1] <= x->dims[x->rank - 1] &&
                i->rank == t->rank && i->dtype == WEFT_I32;
    for (uint32_t d = 0; fits && d < x->rank; d++)
        fits = i->dims[d] == t->dims[d] && (d + 1 == x->rank || t->dims[d] == x->dims[d]);
    if (!fits) return cg_custom_bad(c, "values and i32 indices of the first of its operand's last dimension");
    const bool smallest = largest && (largest->kind == WEFT_ATTR_BOOL || largest->kind == WEFT_ATTR_INT) && !largest->i;
    return cg_top_k_make(c->im, c->op, t->dims[x->rank - 1], smallest ? CG_TOP_K_SMALLEST : CG_TOP_K_LARGEST);
}
