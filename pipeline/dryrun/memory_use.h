/* memory_use.h: what a device's memory at the peak of a step is for.
 *
 *   parameters, state, data   arguments by their roles (roles.h)
 *   results       those that take no argument's memory
 *   gradients     temporaries at the peak of a parameter's sizes on the device
 *   activations   the other temporaries that the kernel at the peak neither makes nor reads last: kept for later
 *   temporaries   the rest of them
 *   constants
 * Which temporaries live at the peak is known of a vendor's machine only (cost/timeline.h); else all are `temporaries`.
 */
#ifndef WEFT_PIPELINE_DRYRUN_MEMORY_USE_H
#define WEFT_PIPELINE_DRYRUN_MEMORY_USE_H

#include "cost/timeline.h"
#include "pipeline/dryrun/roles.h"
#include "pipeline/pipeline.h"

typedef enum weft_use_of_memory {
    WEFT_USE_PARAMETERS, WEFT_USE_STATE, WEFT_USE_DATA, WEFT_USE_RESULTS, WEFT_USE_GRADIENTS, WEFT_USE_ACTIVATIONS,
    WEFT_USE_TEMPORARIES, WEFT_USE_CONSTANTS, WEFT_USES_OF_MEMORY
} weft_use_of_memory;

/* "parameters", ... */
const char *weft_use_of_memory_name(weft_use_of_memory use);

/* bytes[WEFT_USES_OF_MEMORY]; their sum is the plan's peak. roles: of the program's arguments; live may be NULL. */
void weft_memory_use(const weft_built_program *p, const weft_roles *roles, const weft_task_memory *live, double *bytes);

enum { WEFT_ROLES = WEFT_ROLE_DATA + 1 };
/* Of arguments, by role: what a device holds beyond its share, were they split over all devices, without padding; and
 * padding, of a device on average: where axes do not divide a dimension, each device has room for the most rows that
 * one of them has. excess[WEFT_ROLES], padding[WEFT_ROLES]; arena: for what is in use meanwhile. */
weft_status weft_memory_excess(weft_context *cx, weft_arena *arena, const weft_built_program *p,
                               const weft_roles *roles, double *excess, double *padding);

#endif
