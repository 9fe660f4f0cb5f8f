/* lower_library.c: products and convolutions as steps of library code: oneDNN's, or our own where it lacks the type. */
#include "codegen/gemm.h"
#include "codegen/lower.h"

/* Operands and result in the library's order; what the program's fingerprint takes from them. */
static void nodes_of(const cg_node *step, cg_node **nodes) {
    nodes[CG_LIBRARY_RESULT] = (cg_node *)step;
    for (uint32_t i = 0; i < 2; i++)
        nodes[i] = step->cls == CG_CONV ? cg_conv_operand(step, i) : cg_dot_operand(step, i);
}

static bool own_code(const cg_node *step) { return step->cls == CG_DOT && cg_gemm_has((weft_dtype)step->dtype); }

static weft_status set_code(cg_lowering *l, const cg_node *step, uint32_t library, weft_step *s) {
    s->kind = WEFT_STEP_CALL;
    s->fn = l->jit ? cg_library_run : NULL;
    s->state = ((cg_library **)l->libraries.v)[library];
    if (!own_code(step)) return WEFT_OK;
    cg_matmul m;
    cg_dot_matmul(step, &m);
    const cg_gemm g = cg_gemm_of(&m);
    s->fn = l->jit ? cg_gemm_run : NULL;
    s->state = weft_arena_dup(&l->x->arena, &g, sizeof g, _Alignof(cg_gemm));
    return s->state ? WEFT_OK : weft_oom();
}

static void mix_axes(cg_lowering *l, const cg_axes *x) {
    cg_mix(l, x->size, x->rank * sizeof *x->size);
    cg_mix(l, x->stride, x->rank * sizeof *x->stride);
}

static void mix_matmul(cg_lowering *l, const cg_node *step) {
    cg_matmul m;
    cg_dot_matmul(step, &m);
    const int64_t shape[] = { m.m,     m.n,        m.k,        m.a.row,    m.a.column, m.b.row,  m.b.column,
                              m.c.row, m.c.column, m.a.offset, m.b.offset, m.a.dtype,  m.c.dtype };
    cg_mix(l, shape, sizeof shape);
    mix_axes(l, &m.a.rows), mix_axes(l, &m.a.columns), mix_axes(l, &m.b.rows), mix_axes(l, &m.b.columns);
}

static void mix_conv(cg_lowering *l, const cg_node *step) {
    cg_conv_task c;
    cg_conv_task_of(step, &c);
    const int64_t kind[] = { c.kind, c.dtype, c.result };
    cg_mix(l, kind, sizeof kind);
    for (uint32_t i = 0; i < 3; i++) {
        cg_mix(l, &c.tensors[i].offset, sizeof c.tensors[i].offset);
        cg_mix(l, c.tensors[i].dims, c.tensors[i].rank * sizeof *c.tensors[i].dims);
        cg_mix(l, c.tensors[i].strides, c.tensors[i].rank * sizeof *c.tensors[i].strides);
    }
    cg_mix(l, c.stride, sizeof c.stride), cg_mix(l, c.dilation, sizeof c.dilation), cg_mix(l, c.low, sizeof c.low);
}

/* Primitives exist before memory is assigned, because they say how much scratch they need. */
weft_status cg_prepare_library(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    const cg_node *step = lay->units.v[unit].step;
    cg_library **slot = cg_grow(l, &l->libraries, sizeof *slot);
    weft_status st = WEFT_OK;
    if (!slot) return weft_oom();
    lay->library[unit] = (uint32_t)l->libraries.n - 1;
    if (step->cls == CG_CONV) {
        cg_conv_task c;
        cg_conv_task_of(step, &c);
        st = cg_library_conv(l->cx, &c, step->loc, slot);
    } else {
        cg_matmul m;
        cg_dot_matmul(step, &m);
        if (own_code(step)) {
            const cg_gemm g = cg_gemm_of(&m);
            lay->scratch_bytes[unit] = cg_gemm_scratch_bytes(&g);
            return WEFT_OK;
        }
        st = cg_library_matmul(l->cx, &m, step->loc, slot);
    }
    if (st == WEFT_OK) lay->scratch_bytes[unit] = cg_library_scratch_bytes(*slot);
    return st;
}

weft_status cg_lower_library(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    const cg_unit *u = &lay->units.v[unit];
    const bool conv = u->step->cls == CG_CONV;
    cg_node *nodes[CG_LIBRARY_SCRATCH];
    weft_step *s = cg_new_step(l, u, WEFT_PLAN_LIBRARY);
    if (!s) return weft_oom();
    nodes_of(u->step, nodes);
    weft_status st = cg_slices(l, nodes, CG_LIBRARY_SCRATCH, 1, s);
    if (st != WEFT_OK) return st;
    ((weft_slice *)s->slices)[CG_LIBRARY_SCRATCH] = cg_scratch_of(lay, unit);
    if (conv) mix_conv(l, u->step);
    else mix_matmul(l, u->step);
    if ((st = set_code(l, u->step, lay->library[unit], s)) != WEFT_OK) return st;
    s->label = cg_label(l, conv ? "conv" : "dot", l->library_steps++);
    return s->label ? WEFT_OK : weft_oom();
}
