/* test_any_pass.c: any pass alone leaves a valid, equal module, or reports.
 *
 * A random program, at each stage of the partitioner, goes through each pass of passes.def by itself.
 * The pass may refuse it with a diagnostic. Otherwise its module is verified, and must compute the program's results:
 * partitioned and run on the devices of its mesh, it is compared with one device (pipeline/verify.h);
 * at the last stage, where the module is one device's program, with the devices' results before the pass. A pass
 * that changes nothing is not run for that.
 *
 * A module that a pass leaves may be refused by later passes, also with a diagnostic: not every pass is
 * made for every stage. A failure names its case and seed: WEFT_SEED=S WEFT_ONLY=CASE repeats it; WEFT_TRACE=1 prints
 * each pass before it runs, and the tally of each pass at the end.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "ir/builder.h"
#include "pipeline/pipeline.h"
#include "pipeline/verify.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

#ifndef PROGRAMS
#define PROGRAMS 3 /* per case */
#endif
enum { MOST_PASSES = 256, MOST_RESULTS = 16 };

static const struct {
    const char *name;
    int64_t devices;
    unsigned flags;
    uint32_t ops;
} cases[] = {
    { "plain", 4, WEFT_RANDOM_MESH, 12 },
    { "mixed", 4, WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED, 12 },
    { "uneven", 6, WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED | WEFT_RANDOM_UNEVEN, 8 },
    { "cut axes", 8, WEFT_RANDOM_MESH | WEFT_RANDOM_SUB_AXES | WEFT_RANDOM_PRIORITIES, 10 },
    { "windows", 4, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_MIXED, 10 },
    { "uneven windows", 6, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_UNEVEN, 8 },
    { "named", 4, WEFT_RANDOM_MESH | WEFT_RANDOM_NAMED, 8 },
};

/* pipeline: run on the program as weft-prepare leaves it; before: stopped in front of this pass. */
static const struct {
    const char *name, *pipeline, *before;
    enum { GLOBAL, LOCAL } form;
} stages[] = {
    { "prepared", NULL, NULL, GLOBAL },
    { "propagated", "weft-propagate", NULL, GLOBAL },
    { "resharded", "weft-partition", "weft-lower-reshards", GLOBAL },
    { "with collectives", "weft-partition", "sdy-convert-global-to-local", GLOBAL },
    { "local", "weft-partition", "weft-defer-reductions", LOCAL },
};

/* Passes for one device's program; the others read shardings, which speak of global values. */
static const char *const local_passes[] = {
    "weft-defer-reductions", "weft-hoist-loop-invariants", "weft-hoist-loop-products", "weft-sink-loop-sums",
    "weft-collective-matmul", "weft-combine-collectives",
    "weft-pipeline-gathers", "weft-rematerialize", "weft-select-updates", "weft-expand-bodies",
    "chlo-legalize-to-stablehlo", "canonicalize", "cse", "inline", "symbol-dce", "sdy-drop-sharding-and-mesh",
    "sdy-constant-or-scalar-splitter", "sdy-constant-or-scalar-merger"
};

static bool applies(int stage, const char *pass) {
    bool found = stages[stage].form == GLOBAL;
    for (size_t i = 0; i < WEFT_COUNT(local_passes); i++) found |= !strcmp(pass, local_passes[i]);
    return found;
}

typedef struct tally { int same, changed, compared, refused, after, wrong; } tally;

typedef struct trial {
    weft_context *cx;
    weft_verify *v;
    uint64_t seed;
    int c;
    const char *stage, *pass;
    tally *of;
} trial;

static bool stop(void *user, const char *pass) { return strcmp(user, pass) != 0; }

static const char *said(const trial *t, size_t first) {
    for (size_t i = first; i < weft_context_diag_count(t->cx); i++)
        if (weft_context_diag(t->cx, i)->severity == WEFT_ERROR) return weft_context_diag(t->cx, i)->message;
    return NULL;
}

/* Prints what is wrong and goes on with the next pass: a run names all that fail. */
static bool hold(trial *t, bool ok, const char *fmt, ...) {
    if (ok) return true;
    va_list args;
    printf("WEFT_SEED=%llu WEFT_ONLY='%s': %s, the module %s: ", (unsigned long long)t->seed, cases[t->c].name, t->pass,
           t->stage);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    printf("\n");
    t->of->wrong++;
    return false;
}

/* What may be refused is refused by an error that a user can read. */
static void check_refused(trial *t, weft_status st, size_t first) {
    const char *why = said(t, first);
    if (hold(t, why != NULL, "%s without a diagnostic", weft_status_name(st)))
        hold(t, st != WEFT_ERR_INTERNAL && st != WEFT_ERR_MISMATCH, "%s: %s", weft_status_name(st), why);
}

/* --- one device's program --------------------------------------------------------------------------------------- */

typedef struct outcome { weft_host_array results[MOST_RESULTS]; uint32_t count; } outcome;

static void drop(outcome *o) {
    for (uint32_t i = 0; i < o->count; i++) free(o->results[i].data);
    o->count = 0;
}

static weft_status step(weft_session *s, const weft_built_program *p, uint64_t seed, outcome *out) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < p->exec->arg_count && st == WEFT_OK; i++) {
        const double most = weft_dtype_is_float(p->exec->args[i].dtype) ? 1 : 16;
        st = weft_session_fill(s, i, &(weft_fill){ WEFT_FILL_UNIFORM, most, seed });
    }
    if (st == WEFT_OK) st = weft_session_step(s);
    for (uint32_t i = 0; i < p->exec->result_count && i < MOST_RESULTS && st == WEFT_OK; i++) {
        weft_host_array *a = &out->results[out->count++];
        weft_session_describe(&p->result_layouts[i], a);
        a->data = calloc(1, (size_t)weft_host_array_bytes(a) + 1);
        st = weft_session_get(s, i, a);
    }
    return st;
}

/* What lies on the devices in parts is now a value of each device. The mesh stays: collectives may name it. */
static weft_status forget_borders(void *user, weft_op *op) {
    weft_status st = WEFT_OK;
    if (op->kind != WEFT_OP_func) return WEFT_OK;
    st = weft_op_set(user, op, WEFT_A_arg_attrs, NULL);
    return st == WEFT_OK ? weft_op_set(user, op, WEFT_A_res_attrs, NULL) : st;
}

/* Every device has the same arguments; what device 0 returns is looked at. */
static weft_status run_local(weft_context *cx, const weft_module *m, int64_t devices, uint64_t seed, outcome *out) {
    weft_built_program *p = NULL;
    weft_session *s = NULL;
    weft_module *bare = NULL;
    bool speaker;
    *out = (outcome){ .count = 0 };
    weft_status st = weft_module_clone(m, &bare);
    if (st == WEFT_OK) st = weft_module_walk(bare, forget_borders, bare);
    if (st == WEFT_OK) st = weft_program_build(cx, bare, &(weft_build_options){ .devices = devices }, &p);
    if (st == WEFT_OK) {
        weft_session_options so = { .processes = { .processes = 1, .timeout_s = 20 }, .exec = p->exec,
                                    .args = p->arg_layouts, .results = p->result_layouts };
        st = weft_session_open(cx, &so, &speaker, &s);
    }
    if (st == WEFT_OK) st = step(s, p, seed, out);
    if (s) weft_session_close(s);
    weft_built_program_free(p);
    weft_module_free(bare);
    return st;
}

/* NULL where m cannot be run by itself. */
static bool check_local(trial *t, const weft_module *m, const outcome *want) {
    const size_t first = weft_context_diag_count(t->cx);
    outcome got;
    int64_t at = 0;
    weft_status st = run_local(t->cx, m, cases[t->c].devices, t->seed, &got);
    if (st != WEFT_OK) check_refused(t, st, first);
    else hold(t, got.count == want->count, "%u results, %u before", got.count, want->count);
    for (uint32_t i = 0; st == WEFT_OK && i < got.count && i < want->count; i++)
        hold(t, weft_host_array_compare(&got.results[i], &want->results[i], 1e-4, 1e-4, &at) == WEFT_OK,
             "result %u differs at element %lld", i, (long long)at);
    drop(&got);
    return st == WEFT_OK;
}

/* --- all forms -------------------------------------------------------------------------------------------------- */

static bool check_global(trial *t, const weft_module *m) {
    const size_t first = weft_context_diag_count(t->cx);
    weft_status st = weft_verify_run(t->v, m);
    if (st != WEFT_OK) check_refused(t, st, first);
    return st == WEFT_OK;
}

static bool same_text(const weft_module *a, const weft_module *b) {
    weft_buf x, y;
    weft_buf_init(&x, &a->cx->alloc);
    weft_buf_init(&y, &a->cx->alloc);
    weft_print_module(a, 0, &x);
    weft_print_module(b, 0, &y);
    const bool same = !x.failed && !y.failed && x.n == y.n && !memcmp(x.p, y.p, x.n);
    weft_buf_free(&x);
    weft_buf_free(&y);
    return same;
}

/* want: NULL at a stage of global programs. */
static void try_pass(trial *t, const weft_module *m, const outcome *want) {
    const size_t first = weft_context_diag_count(t->cx);
    weft_module *made = NULL;
    char spec[128];
    if (getenv("WEFT_TRACE"))
        fprintf(stderr, "WEFT_SEED=%llu %s, %s\n", (unsigned long long)t->seed, t->stage, t->pass);
    snprintf(spec, sizeof spec, "%s%s", t->pass, strcmp(t->pass, "weft-print-plan") ? "" : "=file=/dev/null");
    ck_assert_int_eq(weft_module_clone(m, &made), WEFT_OK);
    weft_status st = weft_pipeline_run(t->cx, weft_str_from(spec), WEFT_PIPELINE_VERIFY_EACH, &made);
    if (st != WEFT_OK) {
        check_refused(t, st, first);
        t->of->refused++;
    } else if (same_text(m, made)) t->of->same++;
    else {
        t->of->changed++;
        if (!want && !strcmp(t->pass, "sdy-convert-global-to-local")) t->of->after++; /* it has no global form now */
        else if (want ? check_local(t, made, want) : check_global(t, made)) t->of->compared++;
        else t->of->after++;
    }
    weft_module_free(made);
}

static void try_stage(trial *t, const weft_module *prepared, int stage, tally *tallies) {
    weft_pipeline_observer until = { .before = stop, .user = (void *)stages[stage].before };
    weft_module *m = NULL;
    outcome want = { .count = 0 };
    t->stage = stages[stage].name;
    t->pass = "no pass";
    t->of = &tallies[weft_pass_count()];
    ck_assert_int_eq(weft_module_clone(prepared, &m), WEFT_OK);
    weft_status st = WEFT_OK;
    const size_t first = weft_context_diag_count(t->cx);
    const weft_pipeline_call call = { .spec = weft_str_from(stages[stage].pipeline ? stages[stage].pipeline : ""),
                                      .flags = WEFT_PIPELINE_VERIFY_EACH,
                                      .observer = stages[stage].before ? &until : NULL };
    if (stages[stage].pipeline) st = weft_pipeline_call_run(t->cx, &call, &m);
    if (!hold(t, st == WEFT_OK, "%s", said(t, first))) goto out;
    if (stages[stage].form == LOCAL) {
        st = run_local(t->cx, m, cases[t->c].devices, t->seed, &want);
        if (!hold(t, st == WEFT_OK, "%s", said(t, first))) goto out;
    }
    for (size_t i = 0; i < weft_pass_count(); i++) {
        if (weft_pass_at(i)->is_pipeline || !applies(stage, weft_pass_at(i)->name)) continue;
        t->pass = weft_pass_at(i)->name;
        t->of = &tallies[i];
        try_pass(t, m, stages[stage].form == LOCAL ? &want : NULL);
    }
out:
    drop(&want);
    weft_module_free(m);
}

static void try_program(uint64_t seed, int c, tally *tallies) {
    const weft_random_options how = { .seed = seed, .flags = cases[c].flags, .ops = cases[c].ops,
                                      .devices = cases[c].devices, .max_elems = 256 };
    trial t = { .cx = weft_context_new(NULL), .seed = seed, .c = c };
    weft_module *m = NULL;
    ck_assert_int_eq(weft_random_module(t.cx, &how, &m), WEFT_OK);
    ck_assert_int_eq(weft_pipeline_run(t.cx, WEFT_STR("weft-prepare"), 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_verify_open(t.cx, m, &(weft_verify_options){ .rtol = -1, .atol = -1 }, &t.v), WEFT_OK);
    for (size_t i = 0; i < WEFT_COUNT(stages); i++)
        if (stages[i].form == GLOBAL || !(cases[c].flags & WEFT_RANDOM_UNEVEN)) /* padding may hold anything */
            try_stage(&t, m, (int)i, tallies);
    weft_verify_close(t.v);
    weft_module_free(m);
    weft_context_free(t.cx);
}

START_TEST(test_any_pass) {
    static tally tallies[MOST_PASSES + 1]; /* the last: of no pass */
    const bool alone = getenv("WEFT_SEED") != NULL;
    const int programs = alone ? 1 : weft_test_sample(PROGRAMS);
    int compared = 0, wrong = 0;
    ck_assert_uint_le(weft_pass_count(), MOST_PASSES);
    if (!weft_test_wanted(cases[_i].name)) return;
    for (int i = 0; i < programs; i++)
        try_program(weft_test_seed(1 + 1000 * (uint64_t)_i) + (uint64_t)i, _i, tallies);
    for (size_t i = 0; i <= weft_pass_count(); i++) {
        const tally *n = &tallies[i];
        compared += n->compared;
        wrong += n->wrong;
        if (getenv("WEFT_TRACE"))
            fprintf(stderr, "%-60s same %d changed %d compared %d refused %d refused later %d\n",
                    i < weft_pass_count() ? weft_pass_at(i)->name : "no pass", n->same, n->changed, n->compared,
                    n->refused, n->after);
    }
    fflush(stdout);
    ck_assert_int_eq(wrong, 0);
    if (!alone) ck_assert_int_ge(compared, 20 * programs);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/any_pass");
    TCase *tc = tcase_create("any_pass");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, test_any_pass, 0, WEFT_COUNT(cases));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
