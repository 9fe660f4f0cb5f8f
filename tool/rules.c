/* rules: --rule is for custom calls of a program; warns of a rule for a target that the program does not call. */
#include "base/nearest.h"
#include "pipeline/pipeline.h"
#include "tool/tool.h"

typedef struct look { weft_str target; weft_nearest near; bool found; } look;

static weft_status compare(void *user, weft_op *op) {
    look *l = user;
    const weft_attr *target = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    if (!target || target->kind != WEFT_ATTR_STRING) return WEFT_OK;
    l->found |= weft_str_equal(target->s, l->target);
    weft_nearest_offer(&l->near, target->s);
    return WEFT_OK;
}

weft_status tool_rules_check(tool *t, const weft_module *m, const tool_compiling *how) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < how->rules.n; i++) {
        look l = { .target = { how->rules.v[i], strcspn(how->rules.v[i], "=") } };
        l.near = weft_nearest_to(l.target);
        st = weft_module_walk(m, compare, &l);
        if (st == WEFT_OK && !l.found)
            st = weft_report(t->cx, WEFT_D_rule, NULL,
                             "'--rule %s' has no effect: no custom call of the program has this target" WEFT_NEAREST,
                             how->rules.v[i], WEFT_NEAREST_ARG(l.near));
    }
    return st;
}
