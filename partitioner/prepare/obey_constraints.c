/* obey_constraints: sharding constraints become orders.
 *
 * Pass weft-obey-constraints. Needs: a propagated module, before weft-insert-reshards. Leaves: the unit attribute
 * weft.obey on every sdy.sharding_constraint and sdy.reshard. A plan brings the value there whatever that costs, and
 * readers of the op's result read it there. GSPMD and Shardy do so; Weft otherwise takes a constraint as one more place
 * where the value may be read.
 */
#include "ir/builder.h"
#include "partitioner/partition.h"

static weft_status mark(void *user, weft_op *op) {
    weft_module *m = user;
    if (op->kind != WEFT_OP_sdy_sharding_constraint && op->kind != WEFT_OP_sdy_reshard) return WEFT_OK;
    const weft_attr *unit = weft_attr_unit(m->cx);
    return unit ? weft_op_set(m, op, WEFT_A_weft_obey, unit) : weft_oom();
}

weft_status weft_pass_obey_constraints(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    weft_module *m;
    weft_status st = weft_module_clone(in, &m);
    if (st != WEFT_OK) return st;
    st = weft_module_walk(m, mark, m);
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}
