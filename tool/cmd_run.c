/* cmd_run: `weft run`: a program on devices, with data from files or from a seed, its results compared or written.
 *
 * Alone, the devices are threads of this process; under mpirun each process has its share of them, all processes do the
 * same, and process 0 reads results, compares, writes and prints. Diagnostics are kept until all processes are known to
 * be ready, so that one process reports an error that all of them met.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "runtime/execute.h"
#include "tool/data.h"
#include "tool/run.h"
#include "tool/run_profile.h"

typedef struct run_settings {
    tool_build_settings build;
    int64_t repeat, seed, threads;
    const char *inputs, *outputs, *compare, *dump, *trace;
    bool profile;
    double rtol, atol, timeout_s;
    tool_list print, feed, fill;
    bool bind, count;
} run_settings;

static const tool_option options[] = {
    TOOL_BUILD_OPTIONS(run_settings, build),
    { "inputs", "DIR", TOOL_TEXT, offsetof(run_settings, inputs), "read arguments from DIR/in0.npy, DIR/in1.npy, ..." },
    { "outputs", "DIR", TOOL_TEXT, offsetof(run_settings, outputs), "write the last step's results to DIR/out0.npy, ..." },
    { "compare", "DIR", TOOL_TEXT, offsetof(run_settings, compare), "compare the first step's results with DIR/out0.npy, ..." },
    { "rtol", "R", TOOL_REAL, offsetof(run_settings, rtol), "allow |got - want| <= A + R * |want| (default 2e-4)" },
    { "atol", "A", TOOL_REAL, offsetof(run_settings, atol), "see --rtol (default 2e-5)" },
    { "repeat", "K", TOOL_NUMBER, offsetof(run_settings, repeat), "run K steps and print their times; results become the arguments donated to them" },
    { "seed", "S", TOOL_COUNT, offsetof(run_settings, seed), "seed of random data (default 0)" },
    { "fill", "A[-B]=HOW", TOOL_LIST, offsetof(run_settings, fill), "arguments A to B: normal, uniform, zeros, ones or a number" },
    { "feed", "R:A", TOOL_LIST, offsetof(run_settings, feed), "result R becomes argument A of the next step" },
    { "print", "R", TOOL_LIST, offsetof(run_settings, print), "print result R, a scalar, after every step" },
    { "count", NULL, TOOL_FLAG, offsetof(run_settings, count), "print the bytes sent, the memory held and the algorithms of collectives, as counted" },
    { "profile", NULL, TOOL_FLAG, offsetof(run_settings, profile), "print what takes the time of a step, by kind and by line of the program" },
    { "trace", "FILE", TOOL_TEXT, offsetof(run_settings, trace), "write the last step as a trace for Perfetto and chrome://tracing" },
    { "bind", NULL, TOOL_FLAG, offsetof(run_settings, bind), "bind each device's thread to its cores" },
    { "threads", "N", TOOL_NUMBER, offsetof(run_settings, threads), "threads of each device (default: WEFT_THREADS, or its share of the cores)" },
    { "dump", "STAGE", TOOL_TEXT, offsetof(run_settings, dump), "print clusters, storage, order, buffers or steps of the compiled program, and do not run it" },
    { "cpu", "NAME", TOOL_TEXT, offsetof(run_settings, build.cpu), "with --dump: the processor to compile for (x86-64-v3, znver4, ...; default: this one)" },
    { "timeout", "SECONDS", TOOL_REAL, offsetof(run_settings, timeout_s), "give up on a device that does not answer (default 30)" },
    TOOL_COMPILING_OPTIONS(run_settings, build.compiling),
};

static void defaults(void *settings) {
    run_settings *s = settings;
    s->rtol = 2e-4;
    s->atol = 2e-5;
    s->repeat = 1;
}

typedef struct feed { uint32_t result, arg; } feed;

enum { TRACED_STEPS = 100000 }; /* of a device, in a trace */

/* Everything that is checked before devices are started. */
typedef struct job {
    tool *t;
    const run_settings *s;
    run_program p;
    void *compiled;          /* the compiler's (run.h), */
    weft_program_file *file; /* or what was read */
    weft_machine *machine;   /* of --profile with --topology, or NULL */
    tool_arguments arguments;
    weft_npy *expected;      /* per result, or NULL */
    feed *feeds;
    size_t feed_count;
    uint32_t *prints;
    double *times_s;         /* per step */
} job;

static weft_status add_feed(job *j, uint32_t result, uint32_t arg) {
    const run_program *p = &j->p;
    weft_context *cx = j->t->cx;
    for (size_t i = 0; i < j->feed_count; i++) {
        if (j->feeds[i].result == result && j->feeds[i].arg == arg) return WEFT_OK;
        if (j->feeds[i].result == result || j->feeds[i].arg == arg)
            return weft_report(cx, WEFT_D_usage, NULL,
                               "result %u cannot become argument %u: result %u becomes argument %u already", result,
                               arg, j->feeds[i].result, j->feeds[i].arg);
    }
    j->feeds[j->feed_count++] = (feed){ result, arg };
    if (!weft_layout_same_array(&p->result_layouts[result], &p->arg_layouts[arg]))
        return weft_report(cx, WEFT_D_usage, NULL, "result %u cannot become argument %u: they differ in type or shape",
                           result, arg);
    if (weft_layout_equal(&p->result_layouts[result], &p->arg_layouts[arg])) return WEFT_OK;
    weft_status st =
        weft_report(cx, WEFT_D_fallback, NULL,
                    "result %u becomes argument %u, which has another sharding: all of it moves between steps", result,
                    arg);
    weft_note(cx, NULL, "a sharding on the result that is the argument's would avoid it");
    return st;
}

/* A donated argument is fed from its result, whatever its sharding; then --feed applies. */
static weft_status plan_feeds(job *j) {
    const weft_executable *x = j->p.exec;
    weft_status st = WEFT_OK;
    j->feeds = weft_arena_array(&j->t->cx->arena, feed, x->result_count + j->s->feed.n);
    if (!j->feeds) return weft_oom();
    if (j->s->repeat > 1)
        for (uint32_t r = 0; st == WEFT_OK && r < x->result_count; r++)
            if (x->results[r].becomes >= 0) st = add_feed(j, r, (uint32_t)x->results[r].becomes);
    for (size_t i = 0; st == WEFT_OK && i < j->s->feed.n; i++) {
        unsigned r, a;
        char rest;
        if (sscanf(j->s->feed.v[i], "%u:%u%c", &r, &a, &rest) != 2 || r >= x->result_count || a >= x->arg_count)
            return weft_report(j->t->cx, WEFT_D_usage, NULL,
                               "--feed takes RESULT:ARGUMENT of a program with %u results and %u arguments, not '%s'",
                               x->result_count, x->arg_count, j->s->feed.v[i]);
        st = add_feed(j, r, a);
    }
    return st;
}

static weft_status plan_prints(job *j) {
    const weft_executable *x = j->p.exec;
    j->prints = weft_arena_array(&j->t->cx->arena, uint32_t, j->s->print.n);
    if (!j->prints) return weft_oom();
    for (size_t i = 0; i < j->s->print.n; i++) {
        unsigned r;
        char rest;
        weft_host_array a;
        bool good = sscanf(j->s->print.v[i], "%u%c", &r, &rest) == 1 && r < x->result_count;
        if (good) weft_session_describe(&j->p.result_layouts[r], &a);
        if (!good || weft_host_array_elems(&a) != 1)
            return weft_report(j->t->cx, WEFT_D_usage, NULL,
                               "--print takes the number of a result that is a scalar, not '%s'", j->s->print.v[i]);
        j->prints[i] = r;
    }
    return WEFT_OK;
}

/* The first option given that says how a program is compiled; NULL: none. */
static const char *option_of_compiling(const run_settings *s) {
    const char *option = tool_build_option(&s->build);
    if (option || s->dump) return option ? option : "dump";
    return s->build.topology && !s->profile ? "topology" : NULL;
}

/* t->input is a compiled program. */
static weft_status read_program(job *j) {
    tool *t = j->t;
    const tool_build_settings *s = &j->s->build;
    const char *option = option_of_compiling(j->s);
    if (option)
        return weft_report(t->cx, WEFT_D_usage, NULL, "'%s' is compiled already: --%s is for 'weft compile'",
                           t->input.name, option);
    weft_status st = tool_compiling_set(t, &s->compiling);
    if (st == WEFT_OK) st = weft_program_file_read(t->cx, t->input.text, t->input.n, t->input.name, &j->file);
    if (st != WEFT_OK) return st;
    j->p = (run_program){ j->file->exec, j->file->arg_layouts, j->file->result_layouts, false, 0 };
    if (s->devices && s->devices != j->p.exec->device_count)
        return weft_report(t->cx, WEFT_D_usage, NULL, "--devices %lld, but '%s' is compiled for %lld",
                           (long long)s->devices, t->input.name, (long long)j->p.exec->device_count);
    return st;
}

static weft_status open_program(job *j) {
    if (weft_program_file_is(j->t->input.text, j->t->input.n)) return read_program(j);
    return run_compiler_of_program->compile(j->t, &j->s->build, j->s->inputs, &j->compiled, &j->p);
}

/* By whose rates the profile goes. */
static weft_status open_machine(job *j) {
    j->machine = weft_arena_new(&j->t->cx->arena, weft_machine);
    if (!j->machine) return weft_oom();
    const weft_status st = tool_machine_open(j->t, j->s->build.topology, j->machine);
    return st == WEFT_OK ? weft_machine_hold(j->t->cx, j->machine, j->p.exec->device_count) : st;
}

static weft_status prepare(job *j) {
    tool *t = j->t;
    weft_processes all = { .process = t->launch.process, .processes = t->launch.processes };
    weft_status st = open_program(j);
    if (st == WEFT_OK && j->s->profile && j->s->build.topology) st = open_machine(j);
    if (st != WEFT_OK) return st;
    if (!weft_processes_share(t->cx, &all, j->p.exec->device_count)) return WEFT_ERR_INVALID;
    st = tool_arguments_open(t, j->s->inputs, &j->s->fill, (uint64_t)j->s->seed, j->p.arg_layouts, j->p.exec->arg_count,
                             &j->arguments);
    if (st == WEFT_OK) st = plan_feeds(j);
    if (st == WEFT_OK) st = plan_prints(j);
    if (st == WEFT_OK && t->launch.process == 0)
        st = tool_arrays_open_as(t->cx, j->s->compare, "out", j->p.result_layouts, j->p.exec->result_count,
                                 &j->expected);
    j->times_s = weft_arena_array(&t->cx->arena, double, j->s->repeat + 1);
    return st == WEFT_OK && !j->times_s ? weft_oom() : st;
}

/* Result r as a global array, on process 0; the others take part without memory. Freed with free(). */
static weft_status fetch(job *j, weft_session *session, uint32_t r, weft_host_array *out) {
    weft_session_describe(&j->p.result_layouts[r], out);
    if (j->t->launch.process == 0) {
        out->data = malloc((size_t)weft_host_array_bytes(out) + 1);
        if (!out->data)
            return weft_report(j->t->cx, WEFT_D_system, NULL, "there is not enough memory for result %u", r);
    }
    return weft_session_get(session, r, out);
}

static weft_status compare_one(job *j, uint32_t r, const weft_host_array *got) {
    weft_context *cx = j->t->cx;
    const weft_host_array *want = &j->expected[r].array;
    int64_t at;
    weft_buf index, a, b;
    if (weft_host_array_compare(got, want, j->s->rtol, j->s->atol, &at) == WEFT_OK) return WEFT_OK;
    weft_buf_init(&index, &cx->alloc);
    weft_buf_init(&a, &cx->alloc);
    weft_buf_init(&b, &cx->alloc);
    weft_host_array_index_print(&index, got, at);
    weft_host_array_element_print(&a, got, at);
    weft_host_array_element_print(&b, want, at);
    weft_status st =
        weft_report(cx, WEFT_D_differ, NULL, "output %u%s differs at %s: got %s, expected %s", r,
                    j->s->repeat > 1 ? " of step 1" : "", index.p ? index.p : "", a.p ? a.p : "", b.p ? b.p : "");
    weft_buf_free(&index);
    weft_buf_free(&a);
    weft_buf_free(&b);
    return st;
}

static weft_status compare(job *j, weft_session *session) {
    weft_status first = WEFT_OK;
    for (uint32_t r = 0; j->s->compare && r < j->p.exec->result_count; r++) {
        weft_host_array got;
        weft_status st = fetch(j, session, r, &got);
        if (st == WEFT_OK && first == WEFT_OK && j->expected) first = compare_one(j, r, &got);
        free(got.data);
        if (st != WEFT_OK) return st;
    }
    if (j->s->compare && first == WEFT_OK && j->t->launch.process == 0)
        printf("%u outputs%s agree within rtol %g, atol %g\n", j->p.exec->result_count,
               j->s->repeat > 1 ? " of step 1" : "", j->s->rtol, j->s->atol);
    return first;
}

static weft_status write_outputs(job *j, weft_session *session) {
    weft_context *cx = j->t->cx;
    const char *dir = j->s->outputs;
    bool mine = j->t->launch.process == 0;
    weft_status first = WEFT_OK;
    if (!dir) return WEFT_OK;
    if (mine && mkdir(dir, 0777) && errno != EEXIST)
        first = weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be made: %s", dir, strerror(errno));
    for (uint32_t r = 0; r < j->p.exec->result_count; r++) {
        weft_host_array got;
        weft_status st = fetch(j, session, r, &got);
        const char *path = tool_array_path(cx, dir, "out", r);
        if (st == WEFT_OK && first == WEFT_OK && mine) first = path ? weft_npy_write(cx, path, &got) : weft_oom();
        free(got.data);
        if (st != WEFT_OK) return st;
    }
    return first;
}

static weft_status print_step(job *j, weft_session *session, int64_t k) {
    weft_status st = WEFT_OK;
    bool mine = j->t->launch.process == 0, times = j->s->repeat > 1;
    if (!times && !j->s->print.n) return WEFT_OK;
    if (mine && times) printf("step %lld: %.3f ms", (long long)k + 1, 1e3 * j->times_s[k]);
    for (size_t i = 0; st == WEFT_OK && i < j->s->print.n; i++) {
        weft_host_array a;
        weft_buf text;
        weft_buf_init(&text, &j->t->cx->alloc);
        st = fetch(j, session, j->prints[i], &a);
        if (st == WEFT_OK && mine) {
            weft_host_array_element_print(&text, &a, 0);
            printf("%soutput %u = %s", i || times ? "  " : "", j->prints[i], text.p ? text.p : "");
        }
        weft_buf_free(&text);
        free(a.data);
    }
    if (mine) {
        putchar('\n');
        fflush(stdout);
    }
    return st;
}

/* The first of several steps touches memory for the first time, so it is left out. */
static weft_status measure(job *j, weft_session *session, int64_t k) {
    const bool is_first = k == (j->s->repeat > 1);
    if (!(j->s->profile || j->s->trace) || !is_first) return WEFT_OK;
    return weft_session_measure(session, j->s->trace ? TRACED_STEPS : 0);
}

static weft_status step_all(job *j, weft_session *session) {
    weft_status st = tool_arguments_load(&j->arguments, session), differs = WEFT_OK;
    for (int64_t k = 0; st == WEFT_OK && k < j->s->repeat; k++) {
        st = measure(j, session, k);
        if (st != WEFT_OK) break;
        double start = tool_now_s();
        st = weft_session_step(session);
        j->times_s[k] = tool_now_s() - start;
        if (st == WEFT_OK) st = print_step(j, session, k);
        if (st == WEFT_OK && k == 0) differs = compare(j, session);
        if (differs != WEFT_OK && differs != WEFT_ERR_MISMATCH) st = differs;
        for (size_t i = 0; st == WEFT_OK && k + 1 < j->s->repeat && i < j->feed_count; i++)
            st = weft_session_feed(session, j->feeds[i].result, j->feeds[i].arg);
    }
    /* before the outputs: the others would wait while a process writes them */
    if (st == WEFT_OK) st = weft_session_finish(session);
    if (st == WEFT_OK) st = write_outputs(j, session);
    return st == WEFT_OK ? differs : st;
}

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_summary(job *j, const weft_session *session) {
    size_t n = (size_t)j->s->repeat;
    if (j->t->launch.process != 0) return;
    if (j->compiled && j->s->build.order) run_compiler_of_program->print_order(j->t, j->compiled);
    if (n > 1) {
        qsort(j->times_s, n, sizeof *j->times_s, by_time);
        if (!j->file) printf("%s in %.3f s\n", j->p.kept ? "found compiled" : "compiled", j->p.compile_s);
        printf("%zu steps on %lld devices: min %.3f ms, median %.3f ms\n", n, (long long)j->p.exec->device_count,
               1e3 * j->times_s[0], 1e3 * j->times_s[n / 2]);
    } else if (!j->s->compare && !j->s->print.n && !j->s->count) { /* without other output, show that it ran */
        printf("ran 1 step on %lld device%s of %d process%s: ", (long long)j->p.exec->device_count,
               j->p.exec->device_count == 1 ? "" : "s", j->t->launch.processes,
               j->t->launch.processes == 1 ? "" : "es");
        if (!j->file) printf("%s in %.3f s, ", j->p.kept ? "found compiled" : "compiled", j->p.compile_s);
        printf("ran in %.3f ms\n", 1e3 * j->times_s[0]);
    }
    if (j->s->count) {
        weft_session_counts c = weft_session_count(session);
        printf("counted per device: wire_bytes %lld, peak_memory_bytes %lld, collectives %lld\n",
               (long long)(c.steps ? c.wire_bytes / c.steps : 0), (long long)c.memory_bytes,
               (long long)(c.steps ? c.collectives / c.steps : 0));
        weft_coll_use uses[WEFT_SESSION_USES];
        int n_uses = weft_session_uses(session, uses, WEFT_SESSION_USES);
        for (int i = 0; i < n_uses && i < WEFT_SESSION_USES; i++)
            printf("%s by %s: %llu calls\n", uses[i].op, uses[i].algorithm, (unsigned long long)uses[i].calls);
    }
}

/* What 'weft tune' has measured here; *out is NULL if it has not. */
static weft_status find_rates(tool *t, const weft_tune_rates **out) {
    weft_topology *node = NULL;
    weft_tune *table = weft_arena_new(&t->cx->arena, weft_tune);
    bool there;
    *out = NULL;
    if (!table) return weft_oom();
    if (!weft_tune_any(&t->tune)) return WEFT_OK;
    weft_status st = weft_topology_discover_with(t->cx, WEFT_TOPOLOGY_UNBOUND, &node);
    if (st == WEFT_OK) st = weft_tune_find(t->cx, &t->tune, node, table, &there);
    weft_topology_free(node);
    if (st == WEFT_OK && there && table->rates.core_bytes_per_s > 0) *out = &table->rates;
    return st;
}

/* The profile is of process 0: the others' devices do the same. */
static weft_status report_times(job *j, weft_session *session) {
    const weft_profile *p = weft_session_profile(session, 0);
    weft_status st = WEFT_OK;
    if (!p) return WEFT_OK;
    if (j->s->profile && j->t->launch.process == 0) {
        putchar('\n');
        run_rates rates = { .machine = j->machine, .cores = weft_session_threads(session) };
        if (!j->machine) st = find_rates(j->t, &rates.measured);
        if (st == WEFT_OK) st = run_profile_print(j->t, j->p.exec, p, weft_session_first(session), &rates);
    }
    return st == WEFT_OK && j->s->trace ? run_trace_write(j->t, j->p.exec, session, j->s->trace) : st;
}

static void speak(void *user) { tool_report_kept(((job *)user)->t); }

/* Of a compiled program there is no text. */
static weft_status print_program(void *user, weft_buf *out) {
    const job *j = user;
    return j->compiled ? run_compiler_of_program->print(j->compiled, out) : WEFT_OK;
}

/* The first option given that says how a program runs, or what becomes of its results; NULL: none. */
static const char *option_of_run(const run_settings *s) {
    const struct { const char *name; bool given; } of_run[] = {
        { "repeat", s->repeat != 1 }, { "outputs", s->outputs }, { "compare", s->compare }, { "feed", s->feed.n },
        { "print", s->print.n },      { "fill", s->fill.n },     { "count", s->count },     { "bind", s->bind },
        { "threads", s->threads },
        { "profile", s->profile },    { "trace", s->trace },
    };
    for (size_t i = 0; i < WEFT_COUNT(of_run); i++)
        if (of_run[i].given) return of_run[i].name;
    return NULL;
}

/* --dump; process 0 prints for all. */
static tool_exit dump(job *j) {
    const char *also = option_of_run(j->s);
    if (also) return tool_usage(j->t, "--dump runs nothing, so --%s is of no use with it", also);
    if (weft_program_file_is(j->t->input.text, j->t->input.n)) return tool_exit_of(read_program(j));
    if (j->t->launch.process > 0) return TOOL_DONE;
    return tool_exit_of(run_compiler_of_program->dump(j->t, &j->s->build, j->s->dump));
}

static weft_status run_all(job *j, weft_status prepared) {
    tool *t = j->t;
    weft_session *session = NULL;
    bool speaker = true;
    weft_session_options so = { .processes = { t->launch.process, t->launch.processes, j->s->timeout_s, j->s->bind,
                                               (int)j->s->threads, t->launch.rendezvous, t->launch.unmet },
                                .prepared = prepared,
                                .speak = speak,
                                .print = print_program,
                                .user = j };
    if (prepared == WEFT_OK) {
        so.exec = j->p.exec;
        so.args = j->p.arg_layouts;
        so.results = j->p.result_layouts;
    }
    weft_status st = weft_session_open(t->cx, &so, &speaker, &session);
    t->report = TOOL_REPORT_NOW;
    if (st == WEFT_OK) st = step_all(j, session);
    if (st == WEFT_OK) print_summary(j, session);
    if (st == WEFT_OK) st = report_times(j, session);
    weft_session_close(session);
    return st;
}

/* Whether another program of the tool has to do it: one with a compiler. */
static bool needs_compiler(const tool *t, const char *path) {
    return !run_compiler_of_program &&
           (!strcmp(path, "-") || (t->input.text && !weft_program_file_is(t->input.text, t->input.n)));
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    job j = { .t = t, .s = settings };
    (void)count;
    if (j.s->threads > WEFT_THREADS_MOST)
        return tool_usage(t, "--threads is %lld; a device has at most %d", (long long)j.s->threads, WEFT_THREADS_MOST);
    if (!j.s->dump && j.s->build.cpu)
        return tool_usage(t, "--cpu is for --dump: a program runs on this processor, and is compiled for it");
    if (needs_compiler(t, arguments[0])) return tool_pass_on(t->argv);
    t->report = t->launch.processes > 1 && !j.s->dump ? TOOL_REPORT_LATER : TOOL_REPORT_NOW;
    weft_status st = tool_input_read(t, arguments[0]);
    if (st == WEFT_OK && needs_compiler(t, arguments[0])) return tool_pass_on(t->argv);
    if (j.s->dump) {
        const tool_exit code = st == WEFT_OK ? dump(&j) : tool_exit_of(st);
        weft_program_file_free(j.file);
        return code;
    }
    if (st == WEFT_OK) st = prepare(&j);
    st = run_all(&j, st);
    if (j.p.exec) {
        tool_arguments_close(t, &j.arguments);
        tool_arrays_close(t->cx, j.expected, j.p.exec->result_count);
    }
    if (j.compiled) run_compiler_of_program->free(j.compiled);
    weft_program_file_free(j.file);
    return tool_exit_of(st);
}

const tool_command tool_cmd_run = {
    .name = "run",
    .arguments = "FILE|-",
    .summary = "run a program on devices",
    .description =
        "Partitions the program over its mesh, compiles it and runs it. Alone, the devices are threads of this process; under\n"
        "mpirun the processes share them evenly, one device each or several; so do processes that find each other without MPI\n"
        "at the address in WEFT_RENDEZVOUS, tcp:HOST:PORT of process 0 or file:DIRECTORY, where WEFT_PROCESS is this process's\n"
        "number and WEFT_PROCESSES the number of processes. WEFT_RENDEZVOUS_KEY, the same text for all of them, keeps\n"
        "strangers that reach the port out of the job.\n\n"
        "FILE is StableHLO as MLIR's text, as MLIR bytecode (portable artifacts) or as a file of jax.export; or it is what\n"
        "'weft compile' made of such a program, which then runs without a compiler in the process. Options that say how a\n"
        "program is compiled are for 'weft compile' then.\n\n"
        "A program without a mesh runs unchanged on every device. --devices, or mhlo.num_replicas and mhlo.num_partitions, set\n"
        "their number.\n\n"
        "Without --inputs the arguments are random, the same in every run and for every number of devices: floats uniform in\n"
        "[0, 0.04), integers 0 to 15. --fill overrides that for some of them: normal has mean 0 and deviation 0.02.\n\n"
        "Device i is place i of the mesh, unless --order lists the mesh's axes, or parts of them, from the slowest to the fastest\n"
        "digit of the device number (see weft dryrun); a mesh with device ids of its own keeps them.\n\n"
        "Sizes that the arguments of @main leave open ('?') come from --types or else from the files of --inputs.\n\n"
        "With --repeat, a donated argument becomes in the next step the result to which it was donated, so that training goes on:\n"
        "the result that tf.aliasing_output names, or for jax.buffer_donor the first remaining one of its type. --feed does\n"
        "the same for programs without such attributes.\n\n"
        "The last line reports the run: devices, processes, the times to compile and to run; with --repeat, the shortest and the\n"
        "median step. For a single step --compare, --print and --count print their own lines instead.\n\n"
        "--profile prints what takes the time of a step on device 0, each step of its program timed; with --repeat without the\n"
        "first. Products are those of libraries, and below the kinds those in loops of generated code, too; waits are for collectives\n"
        "that began before. Bytes are those that a kernel touches, of a collective those sent. 'of rate' is the least time over the\n"
        "time taken: at the rates that 'weft tune' has measured here on as many cores as the device has threads, or with --topology at\n"
        "that machine's; more than 100 % where caches hold what memory is thought to give. --trace FILE has the last step: a track for\n"
        "each device of all processes, and for its other threads.\n\n"
        "--dump prints the decisions of code generation instead: clusters are the kernels with the ops that each computes,\n"
        "storage has the values that may or must share memory, order is the order of execution, buffers are the memory and\n"
        "lifetime of each value, steps are the steps of a device.\n\n"
        "A program may check itself, with custom calls @check.expect_eq, expect_close and expect_almost_eq or the check\n"
        "dialect of StableHLO's tests: the first check that fails is an error with the index and both values, exit status 1.",
    .examples =
        "weft run program.mlir --inputs data --compare data     # exit status 1 and the first difference if there is one\n"
        "weft run program.mlir --repeat 10                       # step times on random data\n"
        "weft run program.mlir --repeat 20 --profile --trace step.json\n"
        "mpirun -n 8 weft run program.mlir --repeat 10           # each process one device of eight\n"
        "WEFT_RENDEZVOUS=tcp:host1:7000 WEFT_PROCESS=0 WEFT_PROCESSES=2 weft run program.mlir    # on host1, the first of two\n"
        "weft run train.mlir --repeat 20 --print 0 --feed 1:0 --feed 2:1\n"
        "weft run program.mlir --dump=clusters                   # the ops of each kernel\n"
        "weft compile program.mlir && weft run program.weft --repeat 10",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(run_settings),
    .defaults = defaults,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
