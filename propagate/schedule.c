/* schedule.c: the op priority at which each op propagates shardings. Shardings propagate first where they surely
 * belong: through elementwise ops and the like, later through ops where axes could also go elsewhere, last forward
 * through broadcasts.
 *
 *   0  ops that pass everything, whose tensor operands have no other reader
 *   1  the same with any readers; dynamic slices forward only in both
 *   2  pass-through factors of any op; broadcasts backward
 *   3  any factor of any op; broadcasts backward
 *   4  everything
 *
 * At each step the directions of all steps so far are joined. Authority: Shardy, docs/propagation.md ("Op priorities").
 */
#include "propagate/state.h"

static bool operands_read_once(const weft_propagation *p, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *v = op->operands[i];
        bool scalar = weft_type_is_tensor(v->type) && v->type->rank == 0; /* cannot be sharded, so no conflict */
        if (!scalar && p->live_uses[v->id] != 1) return false;
    }
    return true;
}

static weft_direction as_passing(const weft_propagation *p, const weft_op_state *op, weft_op_class class, int ladder) {
    if (class != WEFT_CLASS_PASS && class != WEFT_CLASS_PASS_FORWARD) return WEFT_FLOW_NONE;
    if (ladder < 1 && !operands_read_once(p, op->op)) return WEFT_FLOW_NONE;
    return class == WEFT_CLASS_PASS ? WEFT_FLOW_BOTH : WEFT_FLOW_FORWARD;
}

void weft_schedule(const weft_propagation *p, const weft_op_state *op, int ladder, weft_direction *pass,
                   weft_direction *rest) {
    weft_op_class class = (weft_op_class)op->class;
    weft_direction backward = class == WEFT_CLASS_BROADCAST ? WEFT_FLOW_BACKWARD : WEFT_FLOW_BOTH;
    *pass = *rest = ladder >= WEFT_LADDER_TOP ? WEFT_FLOW_BOTH : as_passing(p, op, class, ladder);
    if (ladder >= 2) *pass |= backward;
    if (ladder >= 3) *rest |= backward;
}
