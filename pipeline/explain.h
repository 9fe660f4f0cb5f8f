/* explain.h: the origins of a program's shardings: `weft explain`.
 *
 * An explanation holds the program as propagation saw it (calls inlined, constraints applied) and the finished
 * propagation with its history. propagate/history.h answers the questions.
 */
#ifndef WEFT_PIPELINE_EXPLAIN_H
#define WEFT_PIPELINE_EXPLAIN_H

#include "pipeline/pipeline.h"
#include "propagate/history.h"

typedef struct weft_explanation {
    weft_module *imported;       /* the input of propagation */
    weft_module *loosened;       /* the rewritten input if sharding groups need one, or NULL */
    weft_propagation p;
    weft_conflict *conflicts;    /* by slot */
    size_t conflict_count;
    struct weft_roots *roots;    /* places whose root is known */
} weft_explanation;

/* m is not changed. close frees everything, also after open has failed. */
weft_status weft_explanation_open(weft_context *cx, const weft_module *m, weft_explanation *out);
void weft_explanation_close(weft_explanation *e);

/* Where an axis of the final shardings was written in the program. */
weft_slot_axis weft_explanation_root(weft_explanation *e, weft_slot_axis of);
/* The op with the annotation of a slot: a constraint, the op that makes the value, the function whose argument or
 * result it is. */
const weft_op *weft_explanation_writer(const weft_explanation *e, uint32_t slot);
/* The name that the program's authors gave the slot, if it is an argument or result of @main (ir/given_name.h); else
 * empty. */
weft_str weft_explanation_given_name(const weft_explanation *e, uint32_t slot);

#endif
