/* placement.h: a program's devices on a machine: its collectives as loads of cost/order.h, and device orders written
 * into its meshes.
 *
 * A mesh puts device i at place i unless it has ids. An order other than contiguous is written into the meshes of the
 * module as their ids (sdy's device_ids), so that everything after it, the fingerprint included, depends on it. */
#ifndef WEFT_PIPELINE_PLACEMENT_H
#define WEFT_PIPELINE_PLACEMENT_H

#include "cost/order.h"
#include "pipeline/pipeline.h"

/* The loads of p's plan, one for each of its collectives, in order; counts[i]: how often collective i runs. A
 * pattern's places are device numbers. In `arena`. */
weft_status weft_program_loads(weft_context *cx, weft_arena *arena, const weft_built_program *p, const int64_t *counts,
                               weft_loads *out);

/* The compared orders: the mesh's own, the requested one, the cheapest found. */
typedef enum weft_order_of { WEFT_ORDER_CONTIGUOUS, WEFT_ORDER_ASKED, WEFT_ORDER_BEST, WEFT_ORDER_COUNT } weft_order_of;

/* The bytes that a program's collectives over the same axes send in a step, and their links. */
typedef struct weft_axes_traffic {
    weft_str axes;                        /* as in weft_plan_collective */
    double wire_bytes;                    /* sent by one device */
    weft_reach reach[WEFT_ORDER_COUNT];   /* of their most expensive group */
    double time_s[WEFT_ORDER_COUNT];      /* of all these collectives */
} weft_axes_traffic;

/* The result of the search for the cheapest order, for a program that was built in contiguous order. */
typedef struct weft_order_advice {
    /* "data,model"; NULL: there is nothing to order (see `why`), or no order was requested */
    const char *text[WEFT_ORDER_COUNT];
    double time_s[WEFT_ORDER_COUNT];      /* a step's collectives in these orders */
    const char *why;                      /* "the program has no mesh", "its mesh has device ids" ... */
    int64_t tried;
    const weft_axes_traffic *traffic; uint32_t traffic_count; /* why: the most bytes first */
} weft_order_advice;

/* Whether no order cheaper than the mesh's own was found. */
bool weft_advice_is_contiguous(const weft_order_advice *a);

/* Searches for the order; m is the module from which p was built, with meshes of `sizes` (weft_build_options.mesh),
 * counts as above. `asked` is compared with it, unless NULL. Texts are in `arena`. The machine has p's devices.
 * WEFT_ERR_USAGE, reported, if `asked` is no order of the mesh. */
weft_status weft_program_order(weft_context *cx, weft_arena *arena, const weft_module *m, const char *sizes,
                               const weft_built_program *p, const weft_machine *machine, const int64_t *counts,
                               const char *asked, weft_order_advice *out);

/* Writes the order of text ("model,data") into every mesh of m that has as many devices. WEFT_ERR_USAGE, reported, if
 * the text does not fit, or a mesh has device ids already. */
weft_status weft_module_order_devices(weft_module *m, const char *text);

#endif
