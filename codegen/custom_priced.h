/* custom_priced.h: custom calls without code in a program that is only planned (WEFT_COMPILE_PLAN_ONLY): a step that
 * moves what its types say and takes what weft_compile_options.custom_costs says of its kernel or target, or else what
 * the program does: the cost_estimate that Pallas writes into the backend_config of a tpu_custom_call. */
#ifndef WEFT_CODEGEN_CUSTOM_PRICED_H
#define WEFT_CODEGEN_CUSTOM_PRICED_H

#include "codegen/custom_call.h"

/* One such call, in the order of the program. Kernels of one target are told apart by the name that Pallas and Triton
 * give them. */
struct cg_priced {
    weft_str target, kernel;   /* kernel.n 0: it has no name */
    const weft_loc *loc;
    bool has_cost, said;
    struct cg_priced *next;
};

weft_status cg_custom_priced(cg_custom *c);

/* A warning per target and kernel whose arithmetic no option gives; an error for a cost that no call takes. Once, when
 * all is imported. */
weft_status cg_custom_priced_report(const cg_import *im);

#endif
