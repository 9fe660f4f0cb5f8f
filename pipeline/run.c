/* run: executes a pass or a pipeline by name over a module.
 *
 * Needs: a verified module. Leaves: the module of the last pass in *m; on failure *m unchanged, or NULL if it was given
 * to the pipeline. The modules between are freed as soon as the next one is made. Options live in scratch memory while
 * the spec runs. Passes that declare the option "machine" do not get its text: the runner reads the machine, once for a
 * spec and before any pass runs, and puts it into the environment of such a pass.
 */
#include "base/nearest.h"
#include "cost/machine.h"
#include "ir/verify.h"
#include "pipeline/dump.h"
#include "pipeline/registry.h"

#define MAX_NESTING 8 /* pipelines inside pipelines: a table that calls itself is a bug, not a hang */

typedef struct runner {
    weft_context *cx;
    unsigned flags;
    const weft_pipeline_observer *observer;
    const weft_environment *environment; /* the caller's; NULL: nothing is known */
    const char *named;       /* the value of the option "machine" that `own` was read from; NULL: none */
    const weft_environment *own;
    weft_module *in;         /* the caller's: kept until all passes succeed; NULL: given away */
    weft_module *cur;
    enum { CHECK_ONLY, EXECUTE, STOPPED } mode;
    int64_t dumped;          /* modules written between passes so far */
} runner;

/* A weft_pass_dump. A dump from within a pass has the number of the next module after it, as in Shardy. */
static weft_status dump(void *user, weft_str directory, weft_dump_moment when, int64_t first, const char *name,
                        const weft_module *m) {
    runner *r = user;
    weft_status st = weft_dump_module(r->cx, directory, first + r->dumped, name, m);
    r->dumped += when == WEFT_DUMP_BETWEEN;
    return st;
}

static weft_status run_pass(runner *r, const weft_pass_row *row, weft_option_list options,
                            const weft_environment *environment) {
    weft_pass_dump keep = { dump, r };
    weft_pass p = { .cx = r->cx, .name = row->info.name, .options = options.v, .option_count = options.n, .dump = &keep,
                    .environment = environment, .own = r->cur == r->in ? NULL : r->cur };
    weft_module *out = NULL;
    if (r->observer && r->observer->before && !r->observer->before(r->observer->user, row->info.name)) {
        r->mode = STOPPED;
        return WEFT_OK;
    }
    weft_status st = row->run(&p, r->cur, &out);
    if (st != WEFT_OK) return st;
    if (!out) out = r->cur; /* it changed nothing */
    st = r->flags & WEFT_PIPELINE_VERIFY_EACH ? weft_verify_module(r->cx, out) : WEFT_OK;
    if (st != WEFT_OK) {
        if (out != r->cur) weft_module_free(out);
        if (st == WEFT_ERR_MEMORY) return st;
        weft_note(r->cx, NULL, "the module was broken by pass '%s'", row->info.name);
        return WEFT_ERR_INTERNAL;
    }
    if (out != r->cur && r->cur != r->in) weft_module_free(r->cur);
    r->cur = out;
    if (r->observer && r->observer->after) r->observer->after(r->observer->user, row->info.name, out);
    return WEFT_OK;
}

/* The caller's environment with the machine that an option names. */
static weft_status read_machine(runner *r, weft_str value, const weft_environment **out) {
    *out = r->own;
    if (r->named && weft_str_is(value, r->named)) return WEFT_OK;
    weft_environment *own = weft_arena_new(&r->cx->scratch, weft_environment);
    weft_machine *machine = weft_arena_new(&r->cx->scratch, weft_machine);
    const char *what = weft_arena_strdup(&r->cx->scratch, value.p, value.n);
    if (!own || !machine || !what) return weft_oom();
    weft_status st = weft_machine_open(r->cx, what, NULL, machine);
    if (st != WEFT_OK) return st;
    if (r->environment) *own = *r->environment;
    own->machine = machine;
    *out = r->own = own;
    r->named = what;
    return WEFT_OK;
}

/* The given options that this pass declares. Each is checked; `taken` records that one found its pass. The first of a
 * key counts. */
static weft_status pick_options(runner *r, const weft_pass_row *row, weft_option_list given, bool *taken,
                                weft_option_list *own, const weft_environment **environment) {
    bool is_named = false;
    *environment = r->environment;
    own->n = 0;
    own->v = weft_scratch_array(r->cx, weft_pass_option, given.n);
    if (!own->v) return weft_oom();
    for (size_t i = 0; i < given.n; i++) {
        weft_str absent;
        if (!weft_option_declared(row->info.options, given.v[i].key, &absent)) continue;
        weft_status st = weft_option_check(r->cx, row->info.name, given.v[i].key, given.v[i].value, absent);
        if (st != WEFT_OK) return st;
        taken[i] = true;
        if (!weft_str_is(given.v[i].key, "machine")) {
            own->v[own->n++] = given.v[i];
            continue;
        }
        if (!is_named && given.v[i].value.n) st = read_machine(r, given.v[i].value, environment);
        if (st != WEFT_OK) return st;
        is_named = true;
    }
    return WEFT_OK;
}

/* Options given to the pipeline come first and so override those in its list: the first of a key counts. The list's
 * values of the pipeline's own options are kept. */
static weft_status join_options(runner *r, const weft_pass_row *pipeline, weft_option_list outer,
                                weft_option_list inner, weft_option_list *all) {
    weft_str absent;
    all->n = outer.n + inner.n;
    all->v = weft_scratch_array(r->cx, weft_pass_option, all->n);
    if (!all->v) return weft_oom();
    if (outer.n) memcpy(all->v, outer.v, outer.n * sizeof *all->v);
    if (inner.n) memcpy(all->v + outer.n, inner.v, inner.n * sizeof *all->v);
    for (size_t i = 0; i < outer.n; i++)
        for (size_t k = 0; k < inner.n && weft_option_declared(pipeline->info.switches, outer.v[i].key, &absent); k++)
            if (weft_str_equal(inner.v[k].key, outer.v[i].key)) all->v[i] = inner.v[k];
    return WEFT_OK;
}

static weft_status run_row(runner *r, const weft_pass_row *row, weft_option_list given, bool *taken, int depth);

/* Checks and takes the given options that are the pipeline's own, whether a condition uses them or not. */
static weft_status check_switches(runner *r, const weft_pass_row *pipeline, weft_option_list given, bool *taken) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < given.n; i++) {
        weft_str absent;
        if (!weft_option_declared(pipeline->info.switches, given.v[i].key, &absent)) continue;
        taken[i] = true;
        st = weft_option_check(r->cx, pipeline->info.name, given.v[i].key, given.v[i].value, absent);
    }
    return st;
}

/* The given value of a switch, else its default. */
static weft_status switch_value(runner *r, const weft_pass_row *pipeline, weft_option_list given, weft_str key,
                                weft_str *value, weft_str *absent) {
    if (!weft_option_declared(pipeline->info.switches, key, absent))
        return weft_report(r->cx, WEFT_D_internal, NULL, "pipeline '%s' asks for a switch that it does not have",
                           pipeline->info.name);
    *value = *absent;
    for (size_t i = given.n; i-- > 0;) /* the first counts */
        if (weft_str_equal(given.v[i].key, key)) *value = given.v[i].value;
    return WEFT_OK;
}

/* Removes a "[key]" or "[!key]" from a member's name; *runs: whether the key's given value, else its default, holds. */
static weft_status take_condition(runner *r, const weft_pass_row *pipeline, weft_option_list given, weft_str *name,
                                  bool *runs) {
    size_t end = 0;
    while (end < name->n && name->p[end] != ']') end++;
    bool negated = name->n > 1 && name->p[1] == '!';
    weft_str key = { name->p + 1 + negated, end - 1 - negated }, value, absent;
    weft_status st = switch_value(r, pipeline, given, key, &value, &absent);
    if (st != WEFT_OK) return st;
    *name = (weft_str){ name->p + end + 1, name->n - end - 1 };
    bool flag = weft_str_is(absent, "true") || weft_str_is(absent, "false");
    *runs = (flag ? weft_str_is(value, "true") || weft_str_is(value, "1") : value.n != 0) != negated;
    return WEFT_OK;
}

/* Options that the list gives a member as "key=$switch" have the switch's value. */
static weft_status fill_in_switches(runner *r, const weft_pass_row *pipeline, weft_option_list given,
                                    weft_option_list own) {
    weft_status st = WEFT_OK;
    weft_str absent;
    for (size_t i = 0; st == WEFT_OK && i < own.n; i++) {
        weft_str *v = &own.v[i].value;
        if (v->n && v->p[0] == '$') st = switch_value(r, pipeline, given, (weft_str){ v->p + 1, v->n - 1 }, v, &absent);
    }
    return st;
}

static weft_status run_list(runner *r, const weft_pass_row *pipeline, weft_option_list given, bool *taken, int depth) {
    weft_str list = weft_str_from(pipeline->info.options);
    weft_spec member;
    if (depth == MAX_NESTING)
        return weft_report(r->cx, WEFT_D_internal, NULL, "pipeline '%s' is nested too deep", pipeline->info.name);
    weft_status st = check_switches(r, pipeline, given, taken);
    if (st != WEFT_OK) return st;
    while (weft_spec_next(&list, &member)) {
        weft_option_list own, all;
        bool runs = true;
        while (st == WEFT_OK && runs && member.name.n && member.name.p[0] == '[')
            st = take_condition(r, pipeline, given, &member.name, &runs);
        const weft_pass_row *row = st == WEFT_OK ? weft_pass_row_find(member.name) : NULL;
        if (st != WEFT_OK) return st;
        if (!runs) continue;
        if (!row)
            return weft_report(r->cx, WEFT_D_internal, NULL, "pipeline '%s' names the unknown pass '%.*s'",
                               pipeline->info.name, WEFT_STR_ARG(member.name));
        st = weft_options_parse(r->cx, row->info.name, member.options, &own);
        if (st == WEFT_OK) st = fill_in_switches(r, pipeline, given, own);
        if (st == WEFT_OK) st = join_options(r, pipeline, given, own, &all);
        if (st != WEFT_OK) return st;
        bool *seen = weft_scratch_array(r->cx, bool, all.n);
        if (!seen) return weft_oom();
        st = run_row(r, row, all, seen, depth + 1);
        if (st != WEFT_OK) return st;
        for (size_t i = 0; i < all.n; i++) {
            if (i < given.n) taken[i] |= seen[i];
            else if (!seen[i])
                return weft_report(r->cx, WEFT_D_internal, NULL, "pipeline '%s' gives '%s' the unknown option '%.*s'",
                                   pipeline->info.name, row->info.name, WEFT_STR_ARG(all.v[i].key));
        }
    }
    return WEFT_OK;
}

static weft_status run_row(runner *r, const weft_pass_row *row, weft_option_list given, bool *taken, int depth) {
    weft_option_list own;
    const weft_environment *environment;
    if (!row->run) return run_list(r, row, given, taken, depth);
    weft_status st = pick_options(r, row, given, taken, &own, &environment);
    return st == WEFT_OK && r->mode == EXECUTE ? run_pass(r, row, own, environment) : st;
}

/* Among "key=value,key=value". */
static weft_nearest nearest_option(weft_str key, const char *declared) {
    weft_nearest near = weft_nearest_to(key);
    for (const char *p = declared; *p; p += strcspn(p, ","), p += *p == ',')
        weft_nearest_offer(&near, (weft_str){ p, strcspn(p, "=,") });
    return near;
}

/* The options of the call, then those of the text: the first of a key counts. */
static weft_status all_options(runner *r, const weft_pipeline_call *call, const char *pass, weft_str text,
                               weft_option_list *out) {
    weft_option_list written;
    weft_status st = weft_options_parse(r->cx, pass, text, &written);
    if (st != WEFT_OK) return st;
    out->n = call->option_count + written.n;
    out->v = weft_scratch_array(r->cx, weft_pass_option, out->n);
    if (!out->v) return weft_oom();
    if (call->option_count) memcpy(out->v, call->options, call->option_count * sizeof *out->v);
    if (written.n) memcpy(out->v + call->option_count, written.v, written.n * sizeof *out->v);
    return WEFT_OK;
}

/* Checks the spec as a whole before anything runs, then runs it. */
static weft_status run_spec(runner *r, const weft_pipeline_call *call) {
    weft_spec spec = weft_spec_split(call->spec);
    const weft_pass_row *row = weft_pass_row_find(spec.name);
    weft_option_list given;
    if (!row) {
        weft_nearest near = weft_nearest_to(spec.name);
        for (size_t i = 0; i < weft_pass_count(); i++) weft_nearest_offer(&near, weft_str_from(weft_pass_at(i)->name));
        return weft_report(r->cx, WEFT_D_usage, NULL, "there is no pass or pipeline '%.*s'" WEFT_NEAREST,
                           WEFT_STR_ARG(spec.name), WEFT_NEAREST_ARG(near));
    }
    weft_status st = all_options(r, call, row->info.name, spec.options, &given);
    if (st != WEFT_OK) return st;
    bool *taken = weft_scratch_array(r->cx, bool, given.n);
    if (!taken) return weft_oom();
    runner check = *r;
    check.mode = CHECK_ONLY;
    st = run_row(&check, row, given, taken, 0);
    if (st != WEFT_OK) return st;
    r->named = check.named;
    r->own = check.own;
    for (size_t i = 0; i < given.n; i++)
        if (!taken[i]) {
            const char *all = row->run ? row->info.options : row->info.switches;
            weft_nearest near = nearest_option(given.v[i].key, all);
            st = weft_report(r->cx, WEFT_D_usage, NULL, "%s '%s' has no option '%.*s'" WEFT_NEAREST,
                             row->run ? "pass" : "pipeline", row->info.name, WEFT_STR_ARG(given.v[i].key),
                             WEFT_NEAREST_ARG(near));
            if (*all)
                weft_help(r->cx, NULL, "its%s options with their defaults: %s", row->run ? "" : " own", all);
            return st;
        }
    return r->mode == EXECUTE ? run_row(r, row, given, taken, 0) : WEFT_OK;
}

weft_status weft_pipeline_call_run(weft_context *cx, const weft_pipeline_call *call, weft_module **m) {
    runner r = { .cx = cx, .flags = call->flags, .observer = call->observer, .environment = call->environment,
                 .in = call->flags & WEFT_PIPELINE_TAKE ? NULL : *m, .cur = *m, .mode = EXECUTE };
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = run_spec(&r, call);
    weft_arena_reset(&cx->scratch, mark);
    if (r.cur != r.in) weft_module_free(st == WEFT_OK ? r.in : r.cur);
    *m = st == WEFT_OK ? r.cur : r.in;
    return st;
}

weft_status weft_pipeline_run(weft_context *cx, weft_str spec, unsigned flags, weft_module **m) {
    return weft_pipeline_call_run(cx, &(weft_pipeline_call){ .spec = spec, .flags = flags }, m);
}

weft_status weft_pipeline_check(weft_context *cx, weft_str spec) {
    runner r = { .cx = cx, .mode = CHECK_ONLY };
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = run_spec(&r, &(weft_pipeline_call){ .spec = spec });
    weft_arena_reset(&cx->scratch, mark);
    return st;
}
