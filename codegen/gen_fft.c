/* gen_fft.c: column `gen` of fft (exec/kernels/fft_blocks.h). */
#include "codegen/call.h"
#include "codegen/import.h"
#include "exec/kernels/fft_blocks.h"

/* A file says the kind by the kernel's number, not by the op table's, which changes with the table. */
static int32_t kind_of(const weft_op *op) {
    switch (weft_op_attr(op, WEFT_A_fft_type)->e) {
    case WEFT_fft_type_IFFT: return WEFT_FFT_IFFT;
    case WEFT_fft_type_RFFT: return WEFT_FFT_RFFT;
    case WEFT_fft_type_IRFFT: return WEFT_FFT_IRFFT;
    default: return WEFT_FFT_FFT;
    }
}

weft_status weft_gen_fft(cg_import *im, const weft_op *op) {
    cg_graph *g = im->g;
    cg_node *x = cg_of(im, op, 0), *out = NULL;
    const weft_ints length = weft_op_ints(op, WEFT_A_fft_length);
    const weft_type *t = op->results[0].type;
    if (!x) return g->status;
    /* nothing to transform */
    if (!x->elems || !weft_type_elems(t)) return cg_set(im, op, 0, cg_splat_value(g, t->dtype, t->rank, t->dims, 0));
    weft_fft_state s = { .batch = 1, .length = { 1, 1, 1 }, .kind = kind_of(op),
                         .wide = t->dtype == WEFT_F64 || t->dtype == WEFT_C128 };
    for (uint32_t i = 0; i < length.n; i++) s.length[3 - length.n + i] = length.v[i];
    for (uint32_t d = 0; d + length.n < x->rank; d++) s.batch *= x->dims[d];
    const cg_call_spec spec = {
        .kernel = &weft_kernel_fft,
        .state = &s,
        .state_bytes = sizeof s,
        .scratch_bytes = weft_fft_scratch_bytes(&s),
    };
    if (!cg_call(g, &spec, &x, 1, &t, 1, &out)) return g->status;
    return cg_set(im, op, 0, out);
}
