/* tune_program.c: see tune_program.h. */
#include "tool/tune_program.h"

#include <sys/stat.h>
#include <unistd.h>
#include "pipeline/autotune.h"
#include "tool/data.h"
#include "tool/program_cache.h"

typedef struct tuning {
    tool *t;
    const tool_tune_settings *s;
    const char *path, *out;
    tool_built built;
    tool_arguments arguments;
    double began_s;
} tuning;

static weft_status load(void *user, const weft_built_program *p, weft_session *session) {
    (void)p;
    return tool_arguments_load(&((tuning *)user)->arguments, session);
}

/* "keep 5", in the context's memory. */
static const char *cost_text(weft_context *cx, const weft_trial *trial) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_cost_print(&b, trial->costs, trial->cost);
    const char *text = b.failed ? NULL : weft_arena_strdup(&cx->arena, b.p, b.n);
    weft_buf_free(&b);
    return text ? text : "";
}

/* What compiles to a known program is only counted, at the end. */
static void tell(void *user, const weft_trial *trial) {
    static const char *const ends[] = {
        [WEFT_TRIAL_FASTER] = "kept", [WEFT_TRIAL_NOT_FASTER] = "", [WEFT_TRIAL_DIFFERS] = "other results: not timed",
        [WEFT_TRIAL_FAILED] = "does not run"
    };
    const tuning *x = user;
    if (trial->end == WEFT_TRIAL_KNOWN) return;
    if (trial->race.n) printf("  %5.3f", weft_race_median(&trial->race));
    else printf("  %5s", "-");
    printf("  %-56s %-22s %s\n", trial->about, cost_text(x->t->cx, trial), ends[trial->end]);
    fflush(stdout);
}

static weft_status store(const tuning *x, const weft_autotune_result *r) {
    weft_machine usual; /* that --costs changes */
    weft_buf b;
    weft_status st = tool_machine_open(x->t, x->s->build.topology, &usual);
    if (st != WEFT_OK) return st;
    weft_buf_init(&b, &x->t->cx->alloc);
    weft_buf_printf(&b, "# by 'weft tune', devices: %lld, %.3f of the time\n", (long long)x->built.p->device_count,
                    weft_race_median(&r->last));
    weft_costs_print(&b, &r->costs, &usual.costs);
    st = b.failed ? weft_oom() : tool_output_write(x->t, x->out, b.p, b.n);
    weft_buf_free(&b);
    if (st == WEFT_OK)
        printf("kept in '%s': for --costs of run, compile and others, with the options of this search, or WEFT_COSTS\n",
               x->out);
    return st;
}

static weft_status report(const tuning *x, const weft_autotune_result *r) {
    printf("\n%zu of %zu alternatives tried in %.0f s: %zu are other programs\n", r->tried, r->count,
           tool_now_s() - x->began_s, r->ran);
    if (!r->wins) {
        printf("a step takes %.4g ms, and with no alternative surely less: nothing is kept%s\n", 1e3 * r->before_s,
               !x->s->dry && !access(x->out, F_OK) ? ", and the file that is there stays" : "");
        return WEFT_OK;
    }
    printf("a step takes %.4g ms with what was kept, %.4g ms before: %.3f of the time in the median of %u pairs\n",
           1e3 * r->after_s, 1e3 * r->before_s, weft_race_median(&r->last), r->last.n);
    return x->s->dry ? WEFT_OK : store(x, r);
}

static weft_status tune(tuning *x) {
    const tool_tune_settings *s = x->s;
    weft_autotune_options opt = { .build = x->built.options, .built = x->built.p,
                                  .processes = { .processes = 1, .bind = s->bind, .threads = (int)s->threads },
                                  .seconds = s->seconds, .exact = s->reproducible,
                                  .load = load, .tell = tell, .user = x };
    weft_autotune_result r;
    printf("%s on %lld device%s; each line is a program and its time over that of the best before\n\n", x->path,
           (long long)x->built.p->device_count, x->built.p->device_count == 1 ? "" : "s");
    const weft_status st = weft_autotune(x->t->cx, x->built.m, &opt, &r);
    return st == WEFT_OK ? report(x, &r) : st;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

tool_exit tool_tune_program(tool *t, const tool_tune_settings *s, const char *path) {
    tuning x = { .t = t, .s = s, .path = path, .out = s->out, .began_s = tool_now_s() };
    weft_cache *cache = NULL;
    if (t->launch.processes > 1)
        return tool_usage(t, "the devices of FILE are threads of this process; start it without mpirun");
    if (s->threads > WEFT_THREADS_MOST)
        return tool_usage(t, "--threads is %lld; a device has at most %d", (long long)s->threads, WEFT_THREADS_MOST);
    if (!s->out && !strcmp(path, "-")) return tool_usage(t, "standard input has no name: give the output's with -o");
    if (!x.out) x.out = tool_name_beside(t, path, ".costs");
    if (x.out && is_same_file(x.out, path))
        return tool_usage(t, "'%s' is the program: give another output with -o", path);
    weft_status st = x.out ? WEFT_OK : weft_oom();
    if (st == WEFT_OK && !s->dry) st = tool_output_check(t, x.out);
    if (st == WEFT_OK) st = tool_input_read(t, path);
    if (st == WEFT_OK) st = tool_input_is_text(t);
    if (st == WEFT_OK) st = tool_cache_open(t, &cache);
    const tool_build_request request = { .inputs = s->inputs, .cache = cache };
    if (st == WEFT_OK) st = tool_build(t, &s->build, &request, &x.built);
    if (st == WEFT_OK)
        st = tool_arguments_open(t, s->inputs, &s->fill, 0, x.built.p->arg_layouts, x.built.p->exec->arg_count,
                                 &x.arguments);
    if (st == WEFT_OK) st = tune(&x);
    tool_arguments_close(t, &x.arguments);
    tool_built_free(&x.built);
    return tool_exit_of(st);
}
