/* autotune.c: see autotune.h. */
#include "pipeline/autotune.h"

#include <math.h>
#include <string.h>
#include "base/context.h"
#include "base/table.h"
#include "ir/builder.h"
#include "pipeline/verify_internal.h"

typedef struct alternative {
    size_t cost;
    double value;
    int64_t devices;
    const char *about;
} alternative;

static const alternative alternatives[] = {
#define TRY(field, value, devices, about) { WEFT_COST_##field, value, devices, about },
#include "pipeline/autotune.def"
};

/* Steps are timed in rounds of this length at least, so that what a round begins with is a small part of it. No step
 * of a round begins after the other. */
static const double least_round_s = 0.02, most_round_s = 0.1;
enum { MOST_STEPS = 1000 };

/* A program on devices of its own, and the hash of its file: machine code, steps and constants. */
typedef struct runner {
    weft_built_program *p;
    weft_session *session;
    uint64_t hash;
} runner;

typedef struct search {
    weft_context *cx;
    const weft_module *m;
    const weft_autotune_options *opt;
    weft_machine machine;        /* that the trial is compiled for */
    weft_costs usual, best_costs;
    weft_built_program *as_it_was; /* with the usual costs; runners lend it */
    runner best;
    weft_outcome want;           /* its first results */
    double *digits;              /* of each: weft_verify_digits */
    uint64_t *seen; size_t seen_count;
    weft_arena arena;
    weft_diag_handler said;      /* the caller's */
    double began_s, step_s;
} search;

/* ---- runners ---- */

static void drop(void *user, const weft_diag *d) { (void)user, (void)d; }

/* What a trial reports is dropped: it only says that an alternative is none. */
static void hear(const search *s, bool all) { s->cx->handler = all ? s->said : drop; }

static void stop(const search *s, runner *r) {
    if (r->session) weft_session_close(r->session);
    if (r->p != s->as_it_was) weft_built_program_free(r->p);
    *r = (runner){ .p = NULL };
}

static weft_status hash_of(weft_context *cx, const weft_module *m, const weft_built_program *p, uint64_t *out) {
    weft_port_names names;
    weft_buf bytes;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_buf_init(&bytes, &cx->alloc);
    weft_status st = weft_module_port_names(m, &cx->scratch, &names);
    if (st == WEFT_OK) st = weft_built_program_write(p, &names, &bytes);
    if (st == WEFT_OK) *out = weft_hash_end(weft_hash_bytes(0, bytes.p, bytes.n));
    weft_buf_free(&bytes);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

static weft_status compile(search *s, const weft_costs *costs, runner *out) {
    weft_build_options build = s->opt->build;
    *out = (runner){ .p = NULL };
    s->machine.costs = *costs;
    build.machine = &s->machine;
    weft_status st = weft_program_build(s->cx, s->m, &build, &out->p);
    return st == WEFT_OK ? hash_of(s->cx, s->m, out->p, &out->hash) : st;
}

/* The first step from the arguments. */
static weft_status begin_again(const search *s, runner *r) {
    const weft_status st = s->opt->load(s->opt->user, r->p, r->session);
    return st == WEFT_OK ? weft_session_step(r->session) : st;
}

/* On devices of its own; on new ones, if it has some. */
static weft_status start(const search *s, runner *r) {
    bool speaker;
    const weft_session_options so = { .processes = s->opt->processes, .exec = r->p->exec, .args = r->p->arg_layouts,
                                      .results = r->p->result_layouts, .here = true };
    if (r->session) weft_session_close(r->session);
    r->session = NULL;
    return weft_session_open(s->cx, &so, &speaker, &r->session);
}

/* ---- results ---- */

/* By value of @main, so that of a result by what returns it; of m without calls, whose ops would not be seen. */
static weft_status read_digits_of(search *s, const weft_module *m, uint32_t n) {
    const double *of_values = weft_verify_digits(m, &s->arena);
    s->digits = weft_arena_array(&s->arena, double, n + 1u);
    if (!of_values || !s->digits) return weft_oom();
    const weft_op *ret = weft_block_terminator(weft_op_body(weft_module_main(m), 0));
    for (uint32_t i = 0; i < n && i < ret->operand_count; i++) s->digits[i] = of_values[ret->operands[i]->id];
    return WEFT_OK;
}

static weft_status read_digits(search *s, uint32_t n) {
    weft_module *m = NULL;
    weft_status st = weft_module_clone(s->m, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(s->cx, WEFT_STR("weft-prepare"), 0, &m);
    if (st == WEFT_OK) st = read_digits_of(s, m, n);
    weft_module_free(m);
    return st;
}

static bool is_equal(const search *s, uint32_t i, const weft_host_array *got) {
    static const weft_verify by_digits = { .opt = { .rtol = -1, .atol = -1 } };
    const weft_host_array *want = &s->want.arrays[i];
    int64_t at;
    if (s->opt->exact) return !memcmp(got->data, want->data, (size_t)weft_host_array_bytes(want));
    return weft_verify_compare(&by_digits, got, want, s->digits[i], 0, &at) == WEFT_OK;
}

/* Whether the first results of r are those of the program as it was. */
static weft_status compare(const search *s, const runner *r, bool *equal) {
    weft_status st = WEFT_OK;
    *equal = true;
    for (uint32_t i = 0; i < r->p->exec->result_count && st == WEFT_OK && *equal; i++) {
        weft_host_array got;
        st = weft_result_fetch(s->cx, r->p, r->session, i, &got);
        if (st == WEFT_OK) *equal = is_equal(s, i, &got);
        weft_result_free(s->cx, &got);
    }
    return st;
}

/* ---- times ---- */

/* The least time of n steps: others may have been interrupted, and the first brings its data into the caches. Results
 * may become arguments, so steps may take longer and longer. */
static weft_status time_steps(runner *r, uint32_t n, double *out) {
    weft_status st = WEFT_OK;
    double spent_s = 0;
    *out = INFINITY;
    for (uint32_t i = 0; i < n && st == WEFT_OK && spent_s < most_round_s; i++) {
        const double start_s = weft_team_now_s();
        st = weft_session_step(r->session);
        const double took_s = fmax(weft_team_now_s() - start_s, 1e-9);
        *out = fmin(*out, took_s);
        spent_s += took_s;
    }
    return st;
}

static bool is_over(const search *s) { return weft_team_now_s() - s->began_s > s->opt->seconds; }

static uint32_t steps_of_round(const search *s) {
    return (uint32_t)fmin(fmax(least_round_s / s->step_s, 1), MOST_STEPS);
}

/* The round of a runner. Each begins with the same arguments, since how long a loop runs may depend on them. */
static weft_status run_round(const search *s, runner *r, double *out) {
    const weft_status st = begin_again(s, r);
    return st == WEFT_OK ? time_steps(r, steps_of_round(s), out) : st;
}

/* Until it is decided or the search's time is over; or all pairs. */
static weft_status run_race(const search *s, runner *old, runner *new, bool all, weft_race *race, runner **failed) {
    runner *const both[2] = { old, new };
    weft_status st = WEFT_OK;
    *race = (weft_race){ .n = 0 };
    while (st == WEFT_OK && race->n < WEFT_RACE_PAIRS &&
           (all || (weft_race_judge(race) == WEFT_RACE_OPEN && !is_over(s)))) {
        double t[2];
        for (int k = 0; k < 2 && st == WEFT_OK; k++) {
            const int i = k ^ (int)(race->n & 1);
            *failed = both[i];
            hear(s, all || both[i] != new);
            st = run_round(s, both[i], &t[i]);
        }
        hear(s, true);
        if (st != WEFT_OK) break;
        weft_race_add(race, t[0], t[1]);
    }
    return st;
}

/* ---- the search ---- */

static bool was_seen(const search *s, uint64_t hash) {
    for (size_t i = 0; i < s->seen_count; i++)
        if (s->seen[i] == hash) return true;
    return false;
}

/* Where the operating system puts the threads of a session, and its memory, may make it slow for as long as it lives:
 * so who wins races once more, with a new session of the other. The status is that of the best program: a failure of r
 * is an end of the trial. */
static weft_status race_with_best(search *s, runner *r, weft_trial *t) {
    runner *failed = NULL;
    for (int k = 0; k < 2; k++) {
        weft_status st = k ? start(s, &s->best) : WEFT_OK;
        if (st != WEFT_OK) return st;
        st = run_race(s, &s->best, r, false, &t->race, &failed);
        if (st != WEFT_OK && failed == &s->best) return st;
        t->end = st != WEFT_OK                                        ? WEFT_TRIAL_FAILED
                 : weft_race_judge(&t->race) == WEFT_RACE_FASTER ? WEFT_TRIAL_FASTER
                                                                     : WEFT_TRIAL_NOT_FASTER;
        if (t->end != WEFT_TRIAL_FASTER) return WEFT_OK;
    }
    return WEFT_OK;
}

/* The trial as far as it needs nobody else: NOT_FASTER is left to be found out. */
static weft_trial_end prepare(search *s, const weft_costs *costs, runner *r, weft_autotune_result *out) {
    bool equal = false;
    weft_status st = compile(s, costs, r);
    out->tried++;
    if (st == WEFT_OK && was_seen(s, r->hash)) return WEFT_TRIAL_KNOWN;
    if (st == WEFT_OK) {
        s->seen[s->seen_count++] = r->hash;
        out->ran++;
        st = start(s, r);
    }
    if (st == WEFT_OK) st = begin_again(s, r);
    if (st == WEFT_OK) st = compare(s, r, &equal);
    return st != WEFT_OK ? WEFT_TRIAL_FAILED : equal ? WEFT_TRIAL_NOT_FASTER : WEFT_TRIAL_DIFFERS;
}

/* A failure of the best program ends the search; one of the trial, only the trial. */
static weft_status try_one(search *s, const alternative *a, weft_autotune_result *out) {
    weft_costs costs = s->best_costs;
    weft_trial t = { .cost = a->cost, .costs = &costs, .about = a->about };
    const weft_diag error = s->cx->error;
    weft_status st = WEFT_OK;
    runner r;
    weft_cost_set(&costs, a->cost, a->value);
    hear(s, false);
    t.end = prepare(s, &costs, &r, out);
    hear(s, true);
    if (t.end == WEFT_TRIAL_NOT_FASTER) st = race_with_best(s, &r, &t);
    if (st == WEFT_OK) s->cx->error = error; /* a failure of a trial is not the caller's */
    if (st == WEFT_OK && t.end == WEFT_TRIAL_FASTER) {
        const runner old = s->best;
        s->best = r, r = old;
        s->best_costs = costs;
    }
    stop(s, &r);
    if (st == WEFT_OK && s->opt->tell) s->opt->tell(s->opt->user, &t);
    return st;
}

static bool has_value(const search *s, const alternative *a) {
    const double v = weft_cost_get(&s->best_costs, a->cost);
    return v <= a->value && v >= a->value;
}

/* The program as it is, with the costs of the machine. */
static weft_status open_usual(search *s) {
    s->best = (runner){ .p = s->opt->built };
    return s->best.p ? hash_of(s->cx, s->m, s->best.p, &s->best.hash) : compile(s, &s->usual, &s->best);
}

static weft_status begin(search *s) {
    weft_status st = open_usual(s);
    s->as_it_was = s->best.p;
    if (st == WEFT_OK) st = start(s, &s->best);
    if (st == WEFT_OK) st = begin_again(s, &s->best);
    if (st == WEFT_OK) st = read_digits(s, s->as_it_was->exec->result_count);
    if (st == WEFT_OK) st = weft_outcome_fetch(s->cx, s->as_it_was, s->best.session, &s->want);
    s->seen = weft_arena_array(&s->arena, uint64_t, WEFT_COUNT(alternatives) + 1);
    if (st == WEFT_OK && !s->seen) st = weft_oom();
    if (st != WEFT_OK) return st;
    s->seen[s->seen_count++] = s->best.hash;
    return time_steps(&s->best, 1, &s->step_s);
}

/* The best beside the program as it was, in all pairs, with new sessions of both, and again with a new one of the
 * latter; what is not faster in both, by the least times, too, is not kept. */
static weft_status confirm(search *s, weft_autotune_result *out) {
    runner was = { .p = s->as_it_was }, *failed;
    const weft_race *last = &out->last;
    bool wins = true;
    weft_status st = start(s, &s->best);
    for (int k = 0; k < 2 && wins && st == WEFT_OK; k++) {
        st = start(s, &was);
        if (st == WEFT_OK) st = run_race(s, &was, &s->best, true, &out->last, &failed);
        if (st != WEFT_OK) break;
        wins = weft_race_judge(last) == WEFT_RACE_FASTER && last->new_s[0] < last->old_s[0];
        out->before_s = last->old_s[last->n / 2], out->after_s = last->new_s[last->n / 2];
    }
    if (st == WEFT_OK && wins) out->costs = s->best_costs, out->wins = true;
    stop(s, &was);
    return st;
}

static weft_status run(search *s, weft_autotune_result *out) {
    weft_status st = begin(s);
    if (st != WEFT_OK) return st;
    for (size_t i = 0; i < WEFT_COUNT(alternatives); i++)
        out->count += s->best.p->device_count >= alternatives[i].devices;
    for (size_t i = 0; i < WEFT_COUNT(alternatives) && st == WEFT_OK; i++) {
        const alternative *a = &alternatives[i];
        if (is_over(s)) break;
        if (s->best.p->device_count >= a->devices && !has_value(s, a)) st = try_one(s, a, out);
    }
    if (st != WEFT_OK) return st;
    if (memcmp(&s->usual, &s->best_costs, sizeof s->usual)) return confirm(s, out);
    return time_steps(&s->best, steps_of_round(s), &out->before_s);
}

weft_status weft_autotune(weft_context *cx, const weft_module *m, const weft_autotune_options *opt,
                          weft_autotune_result *out) {
    search s = { .cx = cx, .m = m, .opt = opt, .machine = *opt->build.machine, .usual = opt->build.machine->costs,
                 .best_costs = opt->build.machine->costs, .said = cx->handler, .began_s = weft_team_now_s() };
    *out = (weft_autotune_result){ .costs = s.usual };
    weft_arena_init(&s.arena, &cx->chunks);
    const uint32_t silent = weft_warnings_silence(cx, WEFT_EVERY_WARNING);
    const weft_status st = run(&s, out);
    (void)weft_warnings_silence(cx, silent);
    weft_outcome_free(cx, &s.want);
    stop(&s, &s.best);
    if (!opt->built) weft_built_program_free(s.as_it_was);
    weft_arena_free(&s.arena);
    if (st == WEFT_OK && out->last.n == 0) out->after_s = out->before_s;
    return st;
}
