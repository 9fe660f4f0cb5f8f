/* custom_priced.h: custom calls without code in a program that is only planned (WEFT_COMPILE_PLAN_ONLY): a step that moves what its types
 * say and takes what weft_compile_options.custom_costs says. */
#ifndef WEFT_CODEGEN_CUSTOM_PRICED_H
#define WEFT_CODEGEN_CUSTOM_PRICED_H

#include "codegen/custom_call.h"

/* One such call, in the order of the program. */
struct cg_priced {
    weft_str target;
    const weft_loc *loc;
    bool has_cost, said;
    struct cg_priced *next;
};

weft_status cg_custom_priced(cg_custom *c, weft_str target);

/* A warning per target whose arithmetic nobody gave; an error for a cost that no call takes. Once, when all is imported. */
weft_status cg_custom_priced_report(const cg_import *im);

#endif
