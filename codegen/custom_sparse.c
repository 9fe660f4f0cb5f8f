/* custom_sparse.c: custom calls of jaxlib on matrices that are mostly zeros: a matrix by rows times a dense one
 * (exec/kernels/csr.h), and tridiagonal systems that may be singular (exec/kernels/tridiagonal.h). */
#include "codegen/custom_call.h"
#include "exec/kernels/csr.h"
#include "exec/kernels/lapack.h"
#include "exec/kernels/tridiagonal.h"

static weft_status make(cg_custom *c, const cg_call_spec *spec, const void *state, size_t bytes) {
    cg_call_spec s = *spec;
    s.state = state;
    s.state_bytes = bytes;
    return cg_custom_call(c, &s);
}

weft_status cg_custom_csr(cg_custom *c) {
    cg_node *const *in = c->in;
    const weft_type *out = c->types[0];
    weft_csr_state s;
    memset(&s, 0, sizeof s);
    bool fits = in[0]->rank == 1 && in[1]->rank == 1 && in[2]->rank == 1 && in[1]->dims[0] >= 1 &&
                in[0]->dims[0] == in[2]->dims[0] && in[1]->dtype == in[2]->dtype &&
                (in[1]->dtype == WEFT_I32 || in[1]->dtype == WEFT_I64) && (in[3]->rank == 1 || in[3]->rank == 2) &&
                out->rank == in[3]->rank;
    fits = fits && in[0]->dtype == in[3]->dtype && out->dtype == (weft_dtype)in[0]->dtype &&
           out->dims[0] == in[1]->dims[0] - 1 && (out->rank == 1 || out->dims[1] == in[3]->dims[1]);
    if (!fits)
        return cg_custom_bad(c, "values, where each row begins, columns, and a dense operand of the values' type");
    if (!weft_csr_has(out->dtype))
        return cg_custom_bad(c, "elements of f32, f64, complex numbers of these, i32 or i64");
    s.rows = out->dims[0];
    s.columns = in[3]->dims[0];
    s.width = out->rank == 2 ? out->dims[1] : 1;
    s.stored = in[0]->dims[0];
    s.dtype = out->dtype;
    s.wide_index = in[1]->dtype == WEFT_I64;
    return make(c, &(cg_call_spec){ .kernel = &weft_kernel_csr }, &s, sizeof s);
}

weft_status cg_custom_tridiagonal(cg_custom *c) {
    cg_node *const *in = c->in;
    const weft_type *x = c->op->operands[3]->type, *out = c->op->results[0].type;
    weft_tridiagonal_state s;
    memset(&s, 0, sizeof s);
    bool fits = in[3]->rank >= 2 && x == out && weft_lapack_type(x->dtype) >= 0;
    for (int i = 0; i < 3 && fits; i++)
        fits = in[i]->rank + 1 == x->rank && in[i]->dtype == in[3]->dtype &&
               !memcmp(in[i]->dims, x->dims, in[i]->rank * sizeof *x->dims);
    if (!fits)
        return cg_custom_bad(c, "three diagonals, and right-hand sides in columns, of one float or complex type");
    s.batch = 1;
    for (uint32_t d = 0; d + 2 < x->rank; d++) s.batch *= x->dims[d];
    s.n = x->dims[x->rank - 2];
    s.width = x->dims[x->rank - 1];
    s.type = weft_lapack_type(x->dtype);
    return make(c,
                &(cg_call_spec){ .kernel = &weft_kernel_tridiagonal,
                                 .scratch_bytes = weft_tridiagonal_scratch_bytes(&s) },
                &s, sizeof s);
}
