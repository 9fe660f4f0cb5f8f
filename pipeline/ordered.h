/* ordered.h: a program built for a machine, in an order of its devices that is given or searched for. */
#ifndef WEFT_PIPELINE_ORDERED_H
#define WEFT_PIPELINE_ORDERED_H

#include "pipeline/placement.h"

typedef struct weft_ordered {
    const char *order;           /* "model,data", "auto", "contiguous" or NULL */
    const char *topology;        /* as weft_machine_open takes it; NULL: the default machine */
    const char *folders;         /* of machine descriptions; may be NULL */
    const char *costs;           /* in place of some of the machine's, as weft_costs_open takes them; may be NULL */
    double memory_bytes;         /* of a device, in place of the machine's; 0: the machine's */
    int64_t threads;             /* of a device of Weft's own machines, each on a core of its own; 0: 1 */
    weft_machine machine;        /* set by weft_ordered_build, large enough for the program */
    weft_order_advice advice;    /* the search's result, if it ran */
    const char *chosen;          /* the program's order; NULL: contiguous */
} weft_ordered;

/* Whether a cheaper order is searched for where none is asked for. */
typedef enum weft_advise { WEFT_ADVISE_NEVER, WEFT_ADVISE_ALWAYS } weft_advise;

/* Builds m in that order and for that machine; they override opt's. The search runs for the order "auto", and otherwise
 * if `when` says so. Its texts are in arena. Reports. */
weft_status weft_ordered_build(weft_context *cx, weft_arena *arena, const weft_module *m, weft_build_options *opt,
                               weft_advise when, weft_ordered *o, weft_built_program **p);

/* The compared order that the program has. */
weft_order_of weft_ordered_has(const weft_ordered *o);

#endif
