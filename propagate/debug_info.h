/* debug_info.h: notes in a module of how its shardings came to be, for the passes' debugging options.
 *
 *   debug-sharding-origins             every value says for each axis who asked for it first: sdy.sharding_origins = {x
 *                                      = "input: 0"}. Who asks: arguments ("input: i") and results ("output: i") of
 *                                      functions, constraints ("constraint_n") and manual computations ("mc_n_input:
 *                                      i", "mc_n_output: i"); "self": the value itself. Constraints and computations
 *                                      bear their names: sdy.sharding_origin_name.
 *   debug-propagation-edge-sharding    every op says from which of its operands and results an axis went to which
 *                                      others, and at which step: sdy.propagation_edges.
 *
 * Nothing is tracked while shardings spread: the propagation's history (history.h) is replayed when it is over, each
 * visit that changed something being one step. Source: Shardy, docs/sdy_propagation_passes.md;
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

typedef struct weft_asked {        /* an axis of a slot, and who asked for it first */
    const weft_mesh *mesh;
    weft_axis axis;
    weft_asker by;
    uint32_t number, index;        /* of the constraint or computation; of its operand or result, or the function's */
    uint32_t next;                 /* of the slot, in the order noted; or WEFT_NO_NOTE */
} weft_asked;

typedef struct weft_passed {       /* an axis that went through an op */
    const weft_mesh *mesh;
    weft_axis axis;
    weft_edge_ref source, target;
    int64_t step;
    uint32_t next;                 /* of the op */
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
    uint32_t *first_passed;        /* by op; those of results of @main stand at their function */
    uint32_t *number;              /* by op: of constraints and of manual computations */
    int64_t step;                  /* the next one */
};

/* What a pass that was given the options is to note. */
static inline bool weft_debug_origins(const weft_pass *p) { return weft_pass_flag(p, "debug-sharding-origins", false); }
static inline bool weft_debug_edges(const weft_pass *p) {
    return weft_pass_flag(p, "debug-propagation-edge-sharding", false);
}

/* Notes what the module itself asks for. written: by slot; everything lives in arena. *out is NULL when nothing is to
 * be noted. */
typedef struct weft_debug_slots {
    const uint32_t *of_value;
    const weft_sharding *const *written;
    uint32_t count;
} weft_debug_slots;
weft_status weft_debug_open(const weft_pass *pass, weft_arena *arena, weft_shardings *t, const weft_module *in,
                            const weft_debug_slots *slots, weft_debug_info **out);

/* An axis went through op, from a tensor whose slot had it to another; what->next is not read. */
weft_status weft_debug_pass(weft_debug_info *d, const weft_op *op, weft_passed what, uint32_t from_slot,
                            uint32_t to_slot);

/* The steps of a propagation that is over. */
weft_status weft_debug_replay(weft_debug_info *d, weft_propagation *p);

/* debug_info_emit.c: the notes about op, on its copy in m. */
weft_status weft_debug_emit(const weft_debug_info *d, weft_module *m, const weft_op *op, weft_op *copy);

#endif
