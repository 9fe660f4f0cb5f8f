/* dryrun_plans.h: the figures of many plans of one program, by as many processes as there are cores.
 *
 * Programs of one key are planned once: two strategies may say the same of a program, and moves from two starts may
 * lead to one. A plan depends on its program alone, so which process makes it changes no figure.
 */
#ifndef WEFT_TOOL_DRYRUN_PLANS_H
#define WEFT_TOOL_DRYRUN_PLANS_H

#include "pipeline/dryrun/report.h"
#include "pipeline/dryrun/strategy.h"
#include "tool/tool.h"

typedef struct dryrun_plans {
    tool *t;
    const weft_dry_how *how;
    const weft_ordered *order;
    struct dryrun_known_plan *known; size_t known_count, known_cap; /* all so far; in the context's arena */
} dryrun_plans;

/* Makes the program of point i, which is then the caller's, and its key; zeros: it has none. May change how it is
 * planned, of all with one key in the same way. Runs in a process of its own. Reports. */
typedef weft_status (*dryrun_plan_maker)(void *user, size_t i, weft_dry_how *how, weft_strategist_key *key,
                                         weft_module **m);

/* Figures of n points to out. beat: as weft_dry_how has it. */
weft_status dryrun_plans_make(dryrun_plans *p, size_t n, const weft_sweep_cost *beat, dryrun_plan_maker make,
                              void *user, weft_dry_figures *out);

#endif
