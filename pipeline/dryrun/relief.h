/* relief.h: changes of a program that take memory from each device, to be tried in turn: the smallest first.
 *
 *   donate     results take the memory of the arguments that they update
 *   state      the optimizer's state is split along an axis too (zero1)
 *   both       parameters and state are (fsdp)
 *
 * alone, and the latter with donation. A split is of the largest dimension that no axis splits and the axis divides.
 */
#ifndef WEFT_PIPELINE_DRYRUN_RELIEF_H
#define WEFT_PIPELINE_DRYRUN_RELIEF_H

#include "pipeline/dryrun/roles.h"

typedef enum weft_relief_kind { WEFT_RELIEF_DONATE = 1, WEFT_RELIEF_STATE = 2,
                                WEFT_RELIEF_PARAMETERS = 4 } weft_relief_kind;

typedef struct weft_relief {
    unsigned kinds;            /* weft_relief_kind */
    weft_name axis;            /* of a split, else NULL */
    weft_module *m;            /* the program with it; the caller's */
} weft_relief;

enum { WEFT_RELIEFS = 16 };

/* The roles of m's arguments, as after weft-prepare, which works on a copy. In arena. */
weft_status weft_module_roles(const weft_module *m, weft_arena *arena, weft_roles *out);

/* The changes that change something; *count of at most WEFT_RELIEFS. */
weft_status weft_reliefs_find(const weft_module *m, const weft_roles *roles, weft_relief *out, size_t *count);
void weft_reliefs_free(weft_relief *v, size_t count);

/* "donate the updated arguments, split parameters and state over data" */
void weft_relief_print(weft_buf *b, const weft_relief *r);

#endif
