/* custom_lapack.h: custom calls to LAPACK: what each routine (exec/kernels/lapack_step.h) needs to know of the call. */
#ifndef WEFT_CODEGEN_CUSTOM_LAPACK_H
#define WEFT_CODEGEN_CUSTOM_LAPACK_H

#include "codegen/custom_call.h"
#include "exec/kernels/lapack_step.h"

struct cg_lapack {
    weft_status (*plan)(cg_custom *c, weft_lapack_state *s); /* letters, and whether the dimensions fit; NULL: none */
    const weft_lapack_routine *routine;
    double (*flops)(const weft_lapack_state *s); /* of one matrix */
    weft_bits in_place;
};

/* A letter of backend_config: one of allowed. */
weft_status cg_lapack_letter(cg_custom *c, const char *attr, const char *allowed, char *out);

#endif
