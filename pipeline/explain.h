/* explain.h: where the shardings of a program come from: `weft explain`.
 *
 * An explanation holds the program as propagation saw it (calls inlined, constraints applied) and the propagation
 * itself, finished and with its history. What there is to ask of it is in propagate/history.h.
 */
#ifndef WEFT_PIPELINE_EXPLAIN_H
#define WEFT_PIPELINE_EXPLAIN_H

#include "pipeline/pipeline.h"
#include "propagate/history.h"

typedef struct weft_explanation {
    weft_module *imported;       /* what propagation was given */
    weft_module *loosened;       /* what it made of that where sharding groups needed it, or NULL */
    weft_propagation p;
    weft_conflict *conflicts;    /* by slot */
    size_t conflict_count;
    struct weft_roots *roots;    /* places whose root is known */
} weft_explanation;

/* m is not changed. close frees everything, whether open went well or not. */
weft_status weft_explanation_open(weft_context *cx, const weft_module *m, weft_explanation *out);
void weft_explanation_close(weft_explanation *e);

/* Where the axis was written that is in this place at the end. */
weft_slot_axis weft_explanation_root(weft_explanation *e, weft_slot_axis of);
/* The op that wrote what is written in a slot: a constraint, the op that makes the value, the function whose argument
 * or result it is. */
const weft_op *weft_explanation_writer(const weft_explanation *e, uint32_t slot);
/* What those who wrote the program call the slot, where it is an argument or result of @main (ir/given_name.h); else
 * empty. */
weft_str weft_explanation_given_name(const weft_explanation *e, uint32_t slot);

#endif
