/* call.c: makes calls. */
#include "codegen/body.h"
#include "codegen/call.h"
#include "exec/kernels/copy.h"

static cg_call_node *keep(cg_graph *g, const cg_call_spec *s, const weft_type *const *types, uint32_t m) {
    cg_call_node *c = weft_arena_new(&g->arena, cg_call_node);
    if (!c) return NULL;
    c->spec = *s;
    if (!s->label) c->spec.label = s->kernel->name;
    c->spec.state = weft_arena_dup(&g->arena, s->state, s->state_bytes, _Alignof(max_align_t));
    c->types = weft_arena_dup(&g->arena, types, m * sizeof *types, _Alignof(weft_type *));
    return c->spec.state && c->types ? c : NULL;
}

cg_node *cg_call(cg_graph *g, const cg_call_spec *s, cg_node *const *in, uint32_t n, const weft_type *const *types,
                 uint32_t m, cg_node **out) {
    cg_node **operands = weft_arena_array(&g->arena, cg_node *, n + 1);
    cg_call_node *call = keep(g, s, types, m);
    for (uint32_t r = 0; r < m; r++) out[r] = NULL;
    if (!operands || !call) {
        g->status = weft_oom();
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) operands[i] = cg_in_memory(g, in[i]);
    const weft_status st = s->body ? cg_body_check(g, s->body) : WEFT_OK;
    if (st != WEFT_OK) {
        g->status = st;
        return NULL;
    }
    cg_node *v = cg_begin(g, CG_CALL, WEFT_I1, 0, NULL, operands, n);
    if (!v) return NULL;
    v->call = call;
    v->result_count = m;
    v->effects = s->flags & CG_CALL_EFFECTS;
    v->flops = s->flops;
    v = cg_finish(g, v);
    for (uint32_t r = 0; r < m; r++) out[r] = cg_part(g, v, r, types[r]);
    return v;
}

cg_node *cg_call_copy(cg_graph *g, cg_node *x) {
    if (!x) return NULL;
    const weft_type *t = weft_type_tensor(g->cx, (weft_dtype)x->dtype, x->rank, x->dims);
    const weft_copy_state state = { .bytes = cg_bytes(x), .number = (int64_t)g->count };
    const cg_call_spec spec = {
        .kernel = &weft_kernel_copy, .state = &state, .state_bytes = sizeof state, .in_place = 1
    };
    cg_node *out = NULL;
    if (!t) g->status = weft_oom();
    else cg_call(g, &spec, &x, 1, &t, 1, &out);
    return out;
}

bool cg_is_call_copy(const cg_node *n) {
    return n->cls == CG_PART && n->in[0]->cls == CG_CALL && n->in[0]->call->spec.kernel == &weft_kernel_copy;
}
