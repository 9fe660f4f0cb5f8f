/* lower_library.c: products and convolutions as steps of library code: oneDNN's, or our own where it lacks the type. */
#include "codegen/conv.h"
#include "codegen/dot.h"
#include "codegen/lower.h"
#include "codegen/operand.h"
#include "codegen/target.h"
#include "exec/kernels/gemm.h"
#include "exec/kernels/kernels.h"
#include "exec/kernels/library.h"
#include "exec/kernels/scratch.h"

/* Operands and result in the library's order. */
static void nodes_of(const cg_node *step, cg_node **nodes) {
    nodes[WEFT_LIBRARY_RESULT] = (cg_node *)step;
    for (uint32_t i = 0; i < 2; i++) nodes[i] = cg_operand_read(step, i);
}

static bool own_code(const cg_node *step) { return step->cls == CG_DOT && weft_gemm_has((weft_dtype)step->dtype); }

static weft_status set_state(cg_lowering *l, weft_step *s, const weft_kernel *k, const void *state, size_t bytes) {
    void *own = weft_arena_dup(&l->x->arena, state, bytes, _Alignof(max_align_t));
    cg_set_kernel(s, k, own, bytes);
    return own ? WEFT_OK : weft_oom();
}

/* The state of a step, with what the plan decides: by shapes and the processor that the program is compiled for, so
 * that every host makes the same plan. */
static void task_of(const cg_lowering *l, const cg_node *step, weft_conv_task *c) {
    cg_conv_task_of(step, c);
    c->widens = c->dtype == WEFT_BF16 && !cg_target_multiplies_bf16(l->opt->cpu);
    c->scratch_bytes = weft_conv_scratch_bytes(c);
}

static void matmul_of(const cg_lowering *l, const cg_node *step, weft_matmul *m) {
    cg_dot_matmul(step, m);
    if (own_code(step)) m->scratch_bytes = weft_gemm_scratch_bytes(m);
    else {
        m->widens = m->a.dtype == WEFT_BF16 && !cg_target_multiplies_bf16(l->opt->cpu);
        m->scratch_bytes = weft_matmul_scratch_bytes(m);
    }
}

static weft_status set_code(cg_lowering *l, const cg_node *step, weft_step *s) {
    if (step->cls == CG_CONV) {
        weft_conv_task c;
        task_of(l, step, &c);
        return set_state(l, s, &weft_kernel_convolution, &c, sizeof c);
    }
    weft_matmul m;
    matmul_of(l, step, &m);
    return set_state(l, s, own_code(step) ? &weft_kernel_gemm : &weft_kernel_product, &m, sizeof m);
}

/* How much scratch memory a step gets is known before memory is assigned. */
weft_status cg_prepare_library(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    const cg_node *step = lay->units.v[unit].step;
    weft_conv_task c;
    weft_matmul m;
    if (step->cls == CG_CONV) task_of(l, step, &c);
    else matmul_of(l, step, &m);
    lay->scratch_bytes[unit] = step->cls == CG_CONV ? c.scratch_bytes : m.scratch_bytes;
    if (!l->jit || own_code(step)) return WEFT_OK;
    return step->cls == CG_CONV ? weft_library_accepts_conv(l->cx, &c, step->loc)
                                : weft_library_accepts_matmul(l->cx, &m, step->loc);
}

weft_status cg_lower_library(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    const cg_unit *u = &lay->units.v[unit];
    const bool conv = u->step->cls == CG_CONV;
    cg_node *nodes[WEFT_LIBRARY_SCRATCH];
    weft_step *s = cg_new_step(l, u, WEFT_PLAN_LIBRARY);
    if (!s) return weft_oom();
    nodes_of(u->step, nodes);
    weft_status st = cg_slices(l, nodes, WEFT_LIBRARY_SCRATCH, 1, s);
    if (st != WEFT_OK) return st;
    ((weft_slice *)s->slices)[WEFT_LIBRARY_SCRATCH] = cg_scratch_of(lay, unit);
    if ((st = set_code(l, u->step, s)) != WEFT_OK) return st;
    const int64_t scratch_bytes = own_code(u->step) ? lay->scratch_bytes[unit] : 0; /* oneDNN's parts have their own */
    s->code.split = cg_split_of_call(l, u, WEFT_LIBRARY_SCRATCH, scratch_bytes);
    s->code.split.apart = true; /* each part packs an operand */
    s->label = cg_label(l, conv ? "conv" : "dot", l->library_steps++);
    return s->label ? WEFT_OK : weft_oom();
}
