/* environment.h: the machine that a pass's costs are of. */
#ifndef WEFT_COST_ENVIRONMENT_H
#define WEFT_COST_ENVIRONMENT_H

#include "cost/machine.h"
#include "ir/pass.h"

/* The one that the pass's environment names, else the default machine. Lives as long as the pass runs. */
static inline const weft_machine *weft_pass_machine(const weft_pass *p) {
    return p->environment && p->environment->machine ? p->environment->machine : &weft_machine_default;
}

#endif
