/* cmd_explain: `weft explain`: the origins of a program's shardings, value by value or as comments in its text.
 */
#include <stdlib.h>
#include "base/nearest.h"
#include "pipeline/print_plan.h"
#include "tool/explain.h"

typedef struct explain_settings {
    const char *value;
    int64_t arg, line;
    bool annotate, full, plan;
    const char *against, *topology, *costs, *output;
    tool_compiling compiling;
} explain_settings;

#define NONE INT64_MIN

static const tool_option options[] = {
    { "value", "NAME", TOOL_TEXT, offsetof(explain_settings, value), "the value of this name, e.g. %12 or %3#1" },
    { "arg", "N", TOOL_COUNT, offsetof(explain_settings, arg), "argument N of @main, from 0" },
    { "line", "N", TOOL_COUNT, offsetof(explain_settings, line), "the values defined in line N of FILE" },
    { "annotate", NULL, TOOL_FLAG, offsetof(explain_settings, annotate), "print FILE with a comment below each line that defines a sharded value" },
    { "plan", NULL, TOOL_FLAG, offsetof(explain_settings, plan), "print the partitioner's layouts of each op's operands and results, their cost, and the runner-up" },
    { "against", "PLAN", TOOL_TEXT, offsetof(explain_settings, against), "with --plan: print the differences from the plan in this file, and both costs" },
    { "topology", "FILE|NAME[:N]", TOOL_TEXT, offsetof(explain_settings, topology), "with --plan: the machine by whose costs the plan is made, as in dryrun" },
    { "machine", "FILE|NAME[:N]", TOOL_TEXT, offsetof(explain_settings, topology), "the same" },
    { "costs", "FILE|LIST", TOOL_TEXT, offsetof(explain_settings, costs), "with --plan: costs in place of the machine's, as in run (default: WEFT_COSTS)" },
    { "full", NULL, TOOL_FLAG, offsetof(explain_settings, full), "print every step of long paths" },
    { "o", "FILE", TOOL_TEXT, offsetof(explain_settings, output), "write to FILE instead of standard output" },
    TOOL_COMPILING_OPTIONS(explain_settings, compiling),
};

static void defaults(void *settings) {
    explain_settings *s = settings;
    s->arg = s->line = NONE;
}

static bool is_main_arg(const weft_explanation *e, uint32_t slot, int64_t arg) {
    const weft_value *v = e->p.owner[slot];
    return v && v->block && e->p.main && v->block == weft_op_body(e->p.main, 0) && v->index == arg;
}

static bool is_name(const char *own, const char *name) {
    return !strcmp(own, name) || (own[0] == '%' && !strcmp(own + 1, name));
}

static bool has_name(const explain_text *x, uint32_t slot, const char *name) {
    char own[EXPLAIN_NAME];
    explain_name(x, slot, own);
    return is_name(own, name) || weft_str_is(weft_explanation_given_name(x->e, slot), name);
}

static bool chosen(const explain_text *x, const explain_settings *s, uint32_t slot) {
    if (s->value) return has_name(x, slot, s->value);
    if (s->arg != NONE) return is_main_arg(x->e, slot, s->arg);
    if (s->line != NONE) return explain_line(x, slot) == s->line;
    const weft_value *v = x->e->p.owner[slot];
    /* arguments and results of @main */
    return !v || (v->block && x->e->p.main && v->block == weft_op_body(x->e->p.main, 0));
}

static bool is_there(const weft_propagation *p, uint32_t slot) { return slot >= p->in->value_count || p->owner[slot]; }

/* Values that propagation has not seen, since calls are inlined. */

typedef struct unseen {
    explain_text *x;
    const explain_settings *s;
    const weft_module *m;
    bool any;          /* something was printed */
    bool there;        /* the text has this value */
} unseen;

static void explain_unseen(unseen *u, const weft_value *v) {
    const weft_propagation *p = &u->x->e->p;
    char own[EXPLAIN_NAME], name[EXPLAIN_NAME];
    explain_value_name(u->x, v, own);
    if (u->s->value ? !is_name(own, u->s->value) : explain_value_line(u->x, v) != u->s->line) return;
    u->there = true;
    const weft_value *as = explain_inlined(u->m, v);
    if (!as) return;
    explain_value_name(u->x, as, name);
    bool said = false;
    for (uint32_t slot = 0; slot < p->in->value_count; slot++) {
        if (!p->owner[slot] || !has_name(u->x, slot, name) || explain_line(u->x, slot) != explain_value_line(u->x, as))
            continue;
        if (u->any) weft_buf_putc(u->x->out, '\n');
        if (!said) weft_buf_printf(u->x->out, "%s is %s where calls are inlined\n", own, name);
        said = u->any = true;
        explain_slot(u->x, slot);
    }
}

static void explain_unseen_of(unseen *u, const weft_block *blk) {
    for (uint32_t i = 0; i < blk->arg_count; i++) explain_unseen(u, blk->args[i]);
    WEFT_EACH_OP(op, blk) {
        for (uint32_t i = 0; i < op->result_count; i++) explain_unseen(u, &op->results[i]);
        for (uint32_t r = 0; r < op->region_count; r++)
            WEFT_EACH_BLOCK(inner, &op->regions[r]) explain_unseen_of(u, inner);
    }
}

static weft_status no_such_value(tool *t, const explain_text *x, const char *name) {
    const weft_propagation *p = &x->e->p;
    char own[EXPLAIN_NAME], kept[EXPLAIN_NAME];
    weft_nearest near = weft_nearest_to(weft_str_from(name));
    for (uint32_t slot = 0; slot < p->slot_count; slot++) {
        if (!is_there(p, slot)) continue;
        explain_name(x, slot, own);
        const char *alike = own + (own[0] == '%' && name[0] != '%');
        weft_nearest_offer(&near, weft_str_from(alike));
        if (near.best.p == alike) near.best.p = memcpy(kept, alike, near.best.n);
    }
    return weft_report(t->cx, WEFT_D_usage, NULL, "there is no value '%s' in %s" WEFT_NEAREST, name, t->input.name,
                       WEFT_NEAREST_ARG(near));
}

static weft_status no_value_in_line(tool *t, const explain_text *x, int64_t line) {
    const weft_propagation *p = &x->e->p;
    int64_t next = INT64_MAX;
    for (uint32_t slot = 0; slot < p->slot_count; slot++) {
        const int64_t at = is_there(p, slot) ? explain_line(x, slot) : 0;
        if (at > line && at < next) next = at;
    }
    if (next < INT64_MAX)
        return weft_report(t->cx, WEFT_D_usage, NULL, "line %lld of %s makes no value; the next line that does is %lld",
                           (long long)line, t->input.name, (long long)next);
    return weft_report(t->cx, WEFT_D_usage, NULL, "line %lld of %s makes no value, and none after it does",
                       (long long)line, t->input.name);
}

static weft_status explain_chosen(tool *t, explain_text *x, const explain_settings *s, const weft_module *m) {
    const weft_propagation *p = &x->e->p;
    unseen u = { .x = x, .s = s, .m = m };
    bool any = false;
    for (uint32_t slot = 0; slot < p->slot_count; slot++) {
        if (!is_there(p, slot) || !chosen(x, s, slot)) continue;
        if (any) weft_buf_putc(x->out, '\n');
        explain_slot(x, slot);
        any = true;
    }
    if (!any && (s->value || s->line != NONE)) explain_unseen_of(&u, weft_module_body(m));
    if (any || u.any) return WEFT_OK;
    if (s->value && u.there)
        return weft_report(t->cx, WEFT_D_usage, NULL,
                           "value '%s' has no part in propagation: no op reads it, or its op was rewritten as other ops",
                           s->value);
    if (s->value) return no_such_value(t, x, s->value);
    weft_status st = weft_module_check_main(m); /* all other explanations are of @main */
    if (st == WEFT_OK && s->arg != NONE)
        return weft_report(t->cx, WEFT_D_usage, NULL, "@main has no argument %lld: it has %u, from 0 on",
                           (long long)s->arg, weft_op_body(weft_module_main(m), 0)->arg_count);
    return st == WEFT_OK && s->line != NONE ? no_value_in_line(t, x, s->line) : st;
}

/* Of the plan; its source places are those by which a stored plan is followed. */
static weft_status explain_plan(tool *t, const explain_settings *s, weft_buf *text) {
    weft_module *m = NULL;
    weft_machine machine;
    weft_plan_question q = { .machine = &machine };
    if (s->against) q.against = weft_str_from(s->against);
    weft_status st = tool_priced_open(t, s->topology, s->costs, &machine);
    if (st == WEFT_OK) st = weft_read_text(t->cx, (weft_str){ t->input.text, t->input.n }, t->input.name, 0, &m);
    if (st == WEFT_OK) st = tool_rules_check(t, m, &s->compiling);
    if (st == WEFT_OK) st = weft_module_check_main(m);
    if (st == WEFT_OK) st = weft_plan_explain(t->cx, m, &q, text);
    weft_module_free(m);
    return st;
}

/* Names and lines are those of a text: of bytecode, the text that weft opt prints. */
static weft_status text_of_input(tool *t, weft_buf *printed, weft_str *source) {
    weft_module *m = NULL;
    if (weft_is_text(*source)) return WEFT_OK;
    weft_status st = weft_read_text(t->cx, *source, t->input.name, 0, &m);
    if (st == WEFT_OK) st = weft_print_module(m, WEFT_PRINT_PRETTY, printed);
    if (st == WEFT_OK) *source = (weft_str){ printed->p, printed->n };
    weft_module_free(m);
    return st;
}

static weft_status explain_shardings(tool *t, const explain_settings *s, weft_buf *text) {
    weft_module *m = NULL;
    weft_explanation e = { 0 };
    weft_buf printed;
    explain_text x = { .e = &e, .source = { t->input.text, t->input.n }, .file = t->input.name, .out = text,
                       .full = s->full };
    const bool by_text = s->value || s->line != NONE || s->annotate;
    weft_buf_init(&printed, &t->cx->alloc);
    weft_status st = by_text ? text_of_input(t, &printed, &x.source) : WEFT_OK;
    if (st == WEFT_OK) st = weft_read_text(t->cx, x.source, x.file, WEFT_READ_TEXT_PLACES, &m);
    if (st == WEFT_OK) st = tool_rules_check(t, m, &s->compiling);
    if (st == WEFT_OK) st = weft_explanation_open(t->cx, m, &e);
    if (st == WEFT_OK) st = explain_text_open(t->cx, &x);
    if (st == WEFT_OK) st = s->annotate ? explain_listing(t->cx, &x, m) : explain_chosen(t, &x, s, m);
    weft_explanation_close(&e);
    weft_module_free(m);
    weft_buf_free(&printed);
    return st;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const explain_settings *s = settings;
    weft_buf text;
    (void)count;
    if ((s->value != NULL) + (s->arg != NONE) + (s->line != NONE) + s->annotate + s->plan > 1)
        return tool_usage(t, "--value, --arg, --line, --annotate and --plan exclude each other");
    if (s->against && !s->plan) return tool_usage(t, "--against goes with --plan");
    if (s->topology && !s->plan) return tool_usage(t, "--topology goes with --plan");
    if (s->costs && !s->plan) return tool_usage(t, "--costs goes with --plan");
    weft_buf_init(&text, &t->cx->alloc);
    weft_status st = tool_compiling_set(t, &s->compiling);
    if (st == WEFT_OK) st = tool_input_read(t, arguments[0]);
    if (st == WEFT_OK) st = tool_input_is_text(t);
    if (st == WEFT_OK) st = s->plan ? explain_plan(t, s, &text) : explain_shardings(t, s, &text);
    if (st == WEFT_OK && text.failed) st = weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    if (st == WEFT_OK) st = tool_output_write(t, s->output, text.p ? text.p : "", text.n);
    weft_buf_free(&text);
    return tool_exit_of(st);
}

const tool_command tool_cmd_explain = {
    .name = "explain",
    .arguments = "FILE|-",
    .summary = "explain the origin of each sharding",
    .description =
        "Propagates the shardings of the module in FILE and prints, for each axis of each value asked for, the annotation that it\n"
        "comes from and the ops through which it came; and for each axis that a neighbour has and the value has not, the reason.\n"
        "Without --value, --arg, --line, --annotate or --plan: the arguments and results of @main. Names and lines of a bytecode\n"
        "FILE are those of the text that weft opt prints for it.\n"
        "--plan prints the partitioner's plan for the shardings, op by op; docs/partitioner.md (Plans) explains the format.",
    .examples = "weft explain program.mlir                               # arguments and results of @main\n"
                "weft explain program.mlir --value %12                   # one value, by its name in the text\n"
                "weft explain program.mlir --line 40                     # the values of line 40\n"
                "weft explain --annotate program.mlir                    # the text, with explanations as comments\n"
                "weft explain --plan -o good.plan program.mlir           # the partitioner's plan\n"
                "weft explain --plan --against good.plan program.mlir    # the differences of the current plan\n"
                "weft explain --plan --topology dgx-h100 program.mlir    # the plan for this machine",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(explain_settings),
    .defaults = defaults,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
