/* sdy-populate-op-sharding-rules: writes each op's rule, if it has one, as sdy.sharding_rule, for debugging and tests.
 * Source: Shardy, sdy_propagation_passes. */
#include "propagate/copy.h"
#include "propagate/options.h"
#include "propagate/propagate.h"

typedef struct rule_writer {
    weft_rules *rules;
    weft_rule_mode mode;
    weft_uses uses;
    bool warned;
} rule_writer;

/* Reports the first custom call without a rule, as in Shardy. */
static weft_status warn(rule_writer *w, weft_context *cx, const weft_op *op) {
    if (w->warned || !weft_rule_is_unknown(cx, op)) return WEFT_OK;
    w->warned = true;
    return weft_rule_warn_unknown(cx, op);
}

static weft_status write_rule(weft_copy *c, const weft_op *op, weft_op *copy) {
    rule_writer *w = c->user;
    const weft_rule *rule;
    weft_status st = weft_rule_of(w->rules, op, w->mode, &w->uses, &rule);
    if (st == WEFT_OK && !rule) st = warn(w, c->in->cx, op);
    if (st != WEFT_OK || !rule) return st;
    const weft_attr *a = weft_rule_to_attr(w->rules, rule);
    return a ? weft_op_set(c->out, copy, WEFT_A_sdy_sharding_rule, a) : weft_oom();
}

weft_status weft_pass_populate_op_sharding_rules(weft_pass *p, const weft_module *in, weft_module **out) {
    rule_writer w = { .mode = weft_option_mode(p) };
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_rules_open(p->cx, &arena, &w.rules);
    if (st == WEFT_OK) st = weft_uses_build(in, &arena, &w.uses);
    if (st == WEFT_OK) st = weft_copy_module(in, &(weft_copy_hooks){ .after = write_rule }, &w, out);
    weft_arena_free(&arena);
    return st;
}
