/* debug_info.h: notes in a module on the origins of its shardings, for the passes' debugging options.
 *
 *   debug-sharding-origins             every value names the first origin of each axis: sdy.sharding_origins = {x =
 *                                      "input: 0"}. Origins are arguments ("input: i") and results ("output: i") of
 *                                      functions, constraints ("constraint_n") and manual computations ("mc_n_input:
 *                                      i", "mc_n_output: i"); "self": the value itself. Constraints and computations
 *                                      have their names as sdy.sharding_origin_name.
 *   debug-propagation-edge-sharding    every op lists from which of its operands and results an axis spread to which
 *                                      others, and in which step: sdy.propagation_edges.
 *
 * Nothing is tracked during propagation: its history (history.h) is replayed afterwards, and each visit that changed
 * something is one step. Source: Shardy, docs/sdy_propagation_passes.md;
 * transforms/propagation/debugging.
 */
#ifndef WEFT_PROPAGATE_DEBUG_INFO_H
#define WEFT_PROPAGATE_DEBUG_INFO_H

#include "ir/pass.h"
#include "propagate/state.h"

typedef enum weft_asker {
    WEFT_ASKED_INPUT,
    WEFT_ASKED_OUTPUT,
    WEFT_ASKED_CONSTRAINT,
    WEFT_ASKED_MC_INPUT,
    WEFT_ASKED_MC_OUTPUT
} weft_asker;

typedef struct weft_asked {        /* an axis of a slot, and its first origin */
    const weft_mesh *mesh;
    weft_axis axis;
    weft_asker by;
    uint32_t number, index;        /* of the constraint or computation; of its operand or result, or the function's */
    uint32_t next;                 /* next of the slot, in order; or WEFT_NO_NOTE */
} weft_asked;

typedef struct weft_passed {       /* an axis that spread through an op */
    const weft_mesh *mesh;
    weft_axis axis;
    weft_edge_ref source, target;
    int64_t step;
    uint32_t next;                 /* next of the op */
} weft_passed;

#define WEFT_NO_NOTE UINT32_MAX

struct weft_debug_info {
    weft_context *cx;
    weft_arena *arena;
    bool origins, edges;
    const uint32_t *slot;          /* by value */
    weft_asked *asked;
    weft_passed *passed;
    size_t asked_cap, passed_cap;
    uint32_t asked_count, passed_count;
    uint32_t *first_asked;         /* by slot */
    uint32_t *first_passed;        /* by op; those of results of @main are at their function */
    uint32_t *number;              /* by op: of constraints and of manual computations */
    int64_t step;                  /* the next one */
};

/* The notes that a pass's options ask for. */
static inline bool weft_debug_origins(const weft_pass *p) { return weft_pass_flag(p, "debug-sharding-origins", false); }
static inline bool weft_debug_edges(const weft_pass *p) {
    return weft_pass_flag(p, "debug-propagation-edge-sharding", false);
}

/* Notes the axes that the module itself gives. written: by slot; everything lives in arena. *out is NULL if nothing is
 * to be noted. */
typedef struct weft_debug_slots {
    const uint32_t *of_value;
    const weft_sharding *const *written;
    uint32_t count;
} weft_debug_slots;
weft_status weft_debug_open(const weft_pass *pass, weft_arena *arena, weft_shardings *t, const weft_module *in,
                            const weft_debug_slots *slots, weft_debug_info **out);

/* An axis spread through op, from a tensor whose slot had it to another; what->next is ignored. */
weft_status weft_debug_pass(weft_debug_info *d, const weft_op *op, weft_passed what, uint32_t from_slot,
                            uint32_t to_slot);

/* The steps of a finished propagation. */
weft_status weft_debug_replay(weft_debug_info *d, weft_propagation *p);

/* debug_info_emit.c: the notes about op, on its copy in m. */
weft_status weft_debug_emit(const weft_debug_info *d, weft_module *m, const weft_op *op, weft_op *copy);

#endif
