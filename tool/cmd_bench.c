/* cmd_bench: `weft bench coll`: time and bus bandwidth of the collectives, among threads or the processes of mpirun.
 *
 * Every call's result is checked before it is timed. A line has the median over the repetitions of the slowest rank's
 * time, the bus bandwidth as nccl-tests defines it (bytes of the busiest link over time: column wire of
 * cost/collectives.def), and the algorithm that ran.
 */
#include <pthread.h>
#include <stdlib.h>
#include "base/nearest.h"
#include "base/quantity.h"
#include "runtime/execute.h"
#include "tool/coll_ops.h"
#include "tool/tool.h"

typedef struct bench_settings {
    const char *sizes, *op, *format;
    int64_t ranks;
    bool private_memory, fast;
} bench_settings;

static const tool_option options[] = {
    { "sizes", "FROM:TO:TIMES", TOOL_TEXT, offsetof(bench_settings, sizes), "bytes of the full tensor, each TIMES the last (default 1K:32M:8)" },
    { "op", "NAME,...", TOOL_TEXT, offsetof(bench_settings, op), "collectives to time; all by default" },
    { "format", "FORMAT", TOOL_TEXT, offsetof(bench_settings, format), "plain (the default), json or csv" },
    { "ranks", "N", TOOL_COUNT, offsetof(bench_settings, ranks), "ranks: threads of this process; of several processes, of each (default 1; alone 2)" },
    { "private", NULL, TOOL_FLAG, offsetof(bench_settings, private_memory), "buffers from malloc, which other processes do not see" },
    { "fast", NULL, TOOL_FLAG, offsetof(bench_settings, fast), "also time algorithms that change the order of sums" },
};

static void defaults(void *settings) {
    bench_settings *s = settings;
    s->sizes = "1K:32M:8";
    s->format = "plain";
}

typedef tool_coll_turn turn;

/* Integers, so that sums are exact. */
static float value(int rank, int64_t i) { return (float)((i * 7 + rank * 13) % 1000); }

/* Element i of this rank's result. */
static float expected(weft_coll_kind kind, const turn *t, int64_t i) {
    int64_t share = t->part.inner;
    int from = (int)(share ? i / share : 0);
    const weft_coll_info *k = &weft_coll_table[kind];
    int64_t at = k->in == WEFT_BLOCKS_EACH    ? t->me * share + (k->out == WEFT_BLOCKS_EACH ? i % share : i)
                 : k->out == WEFT_BLOCKS_EACH ? i % share
                                              : i;
    float sum = 0;
    if (k->adding == WEFT_COLL_ADDS) {
        for (int r = 0; r < t->p; r++) sum += value(r, at);
        return sum;
    }
    if (kind == WEFT_PLAN_COLLECTIVE_PERMUTE) from = (t->me + t->p - 1) % t->p;
    else if (k->givers == WEFT_ENDS_ROOT) from = 0;
    return value(from, at);
}

/* --- one rank ----------------------------------------------------------------------------------------------------- */

/* The two orders of sums: kept, and free. */
enum { IN_ORDER, FAST, WAYS };

typedef struct line {
    int op;
    int64_t bytes;
    bool is_wrong;             /* it is not timed */
    struct { double seconds; const char *algorithm; } by[WAYS];
} line;

/* Lines are printed as soon as they are known: a failure leaves the earlier ones. */
typedef struct bench bench;
typedef struct format {
    const char *name;
    void (*begin)(const bench *b);
    void (*print)(const bench *b, const line *l, int p);
    void (*end)(const bench *b);
} format;

/* Shared by all ranks of this process. */
struct bench {
    tool *t;
    weft_world *world[WAYS];
    int ways;                  /* 1, or 2 with --fast */
    int64_t from, to, times;
    bool wanted[TOOL_COLL_OPS], private_memory;
    const format *format;
    size_t printed;            /* lines, by rank 0, which is its process's first thread */
};

typedef struct seat {
    bench *b;
    weft_context *cx;
    int rank;
    pthread_t thread;
    weft_status status;
    const char *wrong;         /* the collective with a wrong result */
} seat;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* *differs: whether the result is the expected one on this rank. */
static weft_status check(int op, const turn *t, bool *differs) {
    float *in = (float *)(uintptr_t)t->whole.in;
    const float *out = t->whole.out;
    const weft_coll_info *k = &weft_coll_table[tool_coll_ops[op].kind];
    int64_t full = k->in == WEFT_BLOCKS_ONE && k->out == WEFT_BLOCKS_ONE ? t->whole.inner : t->part.inner * t->p;
    int64_t elems = k->out == WEFT_BLOCKS_ONE && k->in == WEFT_BLOCKS_EACH ? t->part.inner : full;
    for (int64_t i = 0; i < full; i++) in[i] = value(t->me, i);
    weft_status st = tool_coll_ops[op].run(t);
    if (k->takers == WEFT_ENDS_ROOT && t->me) elems = 0;
    for (int64_t i = 0; i < elems && st == WEFT_OK && !*differs; i++)
        *differs = out[i] != expected(tool_coll_ops[op].kind, t, i);
    return st;
}

/* The slowest rank's time. */
static weft_status slowest(weft_comm *c, double *seconds) {
    weft_coll_buf b = { seconds, seconds, weft_coll_type("f64"), 1, 1, 1 };
    return weft_coll_all_reduce(c, WEFT_MAX, &b, 1, NULL);
}

/* Checks and times one way of a line; l->is_wrong where any rank's result is. */
static weft_status measure(seat *s, const turn *t, int way, line *l) {
    const int op = l->op, turns = l->bytes < 1 << 16 ? 400 : l->bytes < 1 << 22 ? 60 : 12;
    double times[400], wrong;
    bool differs = false;
    weft_coll_record last = { 0 };
    weft_status st = check(op, t, &differs);
    if (st == WEFT_OK && differs && !s->wrong) s->wrong = tool_coll_ops[op].name;
    wrong = differs;
    if (st == WEFT_OK) st = slowest(t->c, &wrong);
    l->is_wrong |= wrong > 0;
    if (st != WEFT_OK || l->is_wrong) return st;
    for (int i = -3; i < turns && st == WEFT_OK; i++) {
        st = weft_coll_barrier(t->c, NULL);
        double start = tool_now_s();
        if (st == WEFT_OK) st = tool_coll_ops[op].run(t);
        double took = tool_now_s() - start;
        weft_comm_last(t->c, &last);
        if (st == WEFT_OK) st = slowest(t->c, &took);
        if (i >= 0) times[i] = took;
    }
    if (st != WEFT_OK || t->me) return st;
    qsort(times, (size_t)turns, sizeof *times, by_value);
    l->by[way].seconds = times[turns / 2];
    l->by[way].algorithm = last.algorithm;
    return st;
}

static void *buffer(const bench *b, weft_comm *c, size_t bytes) {
    return b->private_memory ? malloc(bytes) : weft_comm_alloc(c, bytes);
}

static void unbuffer(const bench *b, weft_comm *c, void *p) {
    if (b->private_memory) free(p);
    else weft_comm_dealloc(c, p);
}

/* One collective of one size, in both orders. */
static weft_status bench_line(seat *s, weft_comm **c, float **in, float **out, int op, int64_t bytes) {
    bench *b = s->b;
    line l = { .op = op };
    weft_status st = WEFT_OK;
    for (int w = 0; w < b->ways && st == WEFT_OK; w++) {
        const turn t = tool_coll_turn_of(c[w], in[w], out[w], bytes);
        l.bytes = tool_coll_bytes(&tool_coll_ops[op], &t);
        if (!l.bytes) {
            if (t.me == 0)
                weft_note(b->t->cx, NULL, "%s of %lld B has no element for each of %d ranks", tool_coll_ops[op].name,
                          (long long)bytes, t.p);
            return WEFT_OK;
        }
        st = measure(s, &t, w, &l);
    }
    if (st != WEFT_OK || l.is_wrong || weft_comm_rank(c[0])) return st;
    b->format->print(b, &l, weft_comm_size(c[0]));
    fflush(stdout); /* main checks for errors */
    b->printed++;
    return st;
}

/* All collectives and sizes in order; c: a handle on each order's world. */
static weft_status bench_rank(seat *s, weft_comm **c) {
    bench *b = s->b;
    size_t room = (size_t)b->to + 64;
    float *in[WAYS] = { 0 }, *out[WAYS] = { 0 };
    weft_status st = WEFT_OK;
    for (int w = 0; w < b->ways && st == WEFT_OK; w++) {
        in[w] = buffer(b, c[w], room);
        out[w] = buffer(b, c[w], room);
        if (in[w] && out[w]) memset(out[w], 0, room);
        else
            st = weft_report(s->cx, WEFT_D_system, NULL, "there is no memory for two buffers of %lld bytes",
                             (long long)b->to);
    }
    for (size_t op = 0; op < TOOL_COLL_OPS && st == WEFT_OK; op++)
        for (int64_t n = b->from; n <= b->to && st == WEFT_OK && b->wanted[op]; n *= b->times) {
            st = bench_line(s, c, in, out, (int)op, n);
            if (n > b->to / b->times) break;
        }
    for (int w = 0; w < b->ways; w++) {
        unbuffer(b, c[w], in[w]);
        unbuffer(b, c[w], out[w]);
    }
    return st;
}

static void *sit(void *p) {
    seat *s = p;
    bench *b = s->b;
    weft_comm *c[WAYS] = { 0 };
    s->status = WEFT_OK;
    for (int w = 0; w < b->ways && s->status == WEFT_OK; w++)
        s->status = weft_comm_world(s->cx, b->world[w], s->rank, &c[w]);
    if (s->status == WEFT_OK) s->status = bench_rank(s, c);
    for (int w = 0; w < b->ways && s->status != WEFT_OK && s->status != WEFT_ERR_PEER; w++)
        weft_world_abort(b->world[w], "a rank of the benchmark gave up");
    for (int w = 0; w < b->ways; w++) weft_comm_free(c[w]);
    return NULL;
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

/* ":SIZE" goes into *out, if there is more; false: it is something else. */
static bool take_more(weft_str *s, int64_t *out) {
    if (!s->n) return true;
    if (s->p[0] != ':') return false;
    *s = (weft_str){ s->p + 1, s->n - 1 };
    return weft_size_take(s, out);
}

static bool read_sizes(weft_str s, bench *b) {
    b->times = 8;
    if (!weft_size_take(&s, &b->from)) return false;
    b->to = b->from;
    return take_more(&s, &b->to) && take_more(&s, &b->times) && !s.n && b->from >= 4 && b->to >= b->from &&
           b->times >= 2 && b->times <= 1 << 20;
}

static tool_exit no_such_collective(const tool *t, weft_str name) {
    weft_nearest near = weft_nearest_to(name);
    for (size_t i = 0; i < TOOL_COLL_OPS; i++) weft_nearest_offer(&near, weft_str_from(tool_coll_ops[i].name));
    if (near.best.n)
        return tool_usage(t, "no collective '%.*s' to time; the nearest is '%.*s'", WEFT_STR_ARG(name),
                          WEFT_STR_ARG(near.best));
    char names[256];
    size_t n = 0;
    for (size_t i = 0; i < TOOL_COLL_OPS && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", tool_coll_ops[i].name);
    return tool_usage(t, "no collective '%.*s' to time; there are: %s", WEFT_STR_ARG(name), names);
}

/* Accepts also the name in WEFT_ALGORITHMS: collective_broadcast. */
static bool is_named(weft_str text, const tool_coll_op *op) {
    return weft_str_is(text, op->name) || weft_str_is(text, weft_coll_table[op->kind].name);
}

static tool_exit read_ops(const tool *t, const char *text, bench *b) {
    for (size_t i = 0; i < TOOL_COLL_OPS; i++) b->wanted[i] = !text;
    if (text && !*text) return tool_usage(t, "--op names no collective");
    for (size_t n; text && *text; text += n + (text[n] == ',')) {
        size_t i = 0;
        n = strcspn(text, ",");
        while (i < TOOL_COLL_OPS && !is_named((weft_str){ text, n }, &tool_coll_ops[i])) i++;
        if (i == TOOL_COLL_OPS) return no_such_collective(t, (weft_str){ text, n });
        b->wanted[i] = true;
    }
    return TOOL_DONE;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static double bandwidth(const line *l, int p) {
    return (double)weft_wire_bytes(tool_coll_ops[l->op].kind, p, l->bytes) / l->by[IN_ORDER].seconds / 1e9;
}
static double gain(const line *l) { return l->by[IN_ORDER].seconds / l->by[FAST].seconds; }

static void nothing(const bench *b) { (void)b; }

static void print_plain(const bench *b, const line *l, int p) {
    printf("%-15s P=%d %10lld B %10.1f us  busbw %7.2f GB/s  %s", tool_coll_ops[l->op].name, p, (long long)l->bytes,
           l->by[IN_ORDER].seconds * 1e6, bandwidth(l, p), l->by[IN_ORDER].algorithm);
    if (b->ways > FAST)
        printf("  fast %10.1f us  x%.2f  %s", l->by[FAST].seconds * 1e6, gain(l), l->by[FAST].algorithm);
    putchar('\n');
}

static void begin_csv(const bench *b) {
    printf("op,ranks,bytes,us,busbw_gb_per_s,algorithm%s\n", b->ways > FAST ? ",fast_us,fast_gain,fast_algorithm" : "");
}

static void print_csv(const bench *b, const line *l, int p) {
    printf("%s,%d,%lld,%.3f,%.4f,%s", tool_coll_ops[l->op].name, p, (long long)l->bytes, l->by[IN_ORDER].seconds * 1e6,
           bandwidth(l, p), l->by[IN_ORDER].algorithm);
    if (b->ways > FAST) printf(",%.3f,%.3f,%s", l->by[FAST].seconds * 1e6, gain(l), l->by[FAST].algorithm);
    putchar('\n');
}

static void begin_json(const bench *b) {
    (void)b;
    putchar('[');
}

static void print_json(const bench *b, const line *l, int p) {
    printf(
        "%s\n  {\"op\": \"%s\", \"ranks\": %d, \"bytes\": %lld, \"us\": %.3f, \"busbw_gb_per_s\": %.4f, \"algorithm\": \"%s\"",
        b->printed ? "," : "", tool_coll_ops[l->op].name, p, (long long)l->bytes, l->by[IN_ORDER].seconds * 1e6,
        bandwidth(l, p), l->by[IN_ORDER].algorithm);
    if (b->ways > FAST)
        printf(", \"fast_us\": %.3f, \"fast_gain\": %.3f, \"fast_algorithm\": \"%s\"", l->by[FAST].seconds * 1e6,
               gain(l), l->by[FAST].algorithm);
    putchar('}');
}

static void end_json(const bench *b) {
    (void)b;
    printf("\n]\n");
}

static const format formats[] = {
    { "plain", nothing, print_plain, nothing }, { "json", begin_json, print_json, end_json }, { "csv", begin_csv, print_csv, nothing },
};

/* --- the command -------------------------------------------------------------------------------------------------- */

static weft_status run_seats(tool *t, bench *b, seat *seats, int n) {
    weft_status st = WEFT_OK;
    int running = 0;
    for (int i = 0; i < n && st == WEFT_OK; i++) {
        seats[i] = (seat){ .b = b, .cx = weft_context_new(NULL), .rank = weft_world_first(b->world[0]) + i };
        if (!seats[i].cx || (i && pthread_create(&seats[i].thread, NULL, sit, &seats[i])))
            st = weft_report(t->cx, WEFT_D_system, NULL, "a rank cannot be started");
        else running++;
    }
    for (int w = 0; w < b->ways && st != WEFT_OK; w++) weft_world_abort(b->world[w], "not all ranks could be started");
    if (running) sit(&seats[0]);
    for (int i = 0; i < n; i++) {
        if (i && i < running) pthread_join(seats[i].thread, NULL);
        const weft_diag *d = seats[i].cx ? weft_context_diag(seats[i].cx, 0) : NULL;
        if (st == WEFT_OK && seats[i].status != WEFT_OK)
            st = weft_report(t->cx, WEFT_D_peer, NULL, "rank %d: %s", seats[i].rank, d ? d->message : "out of memory");
        if (st == WEFT_OK && seats[i].wrong)
            st = weft_report(t->cx, WEFT_D_differ, NULL, "rank %d got a wrong result of %s", seats[i].rank,
                             seats[i].wrong);
        weft_context_free(seats[i].cx);
    }
    return st;
}

static weft_status bench_world(tool *t, const bench_settings *s, bench *b) {
    bool alone = t->launch.processes == 1;
    weft_world_options opt = { .local_ranks = (int)(s->ranks ? s->ranks : alone ? 2 : 1), .bind = WEFT_BIND_NONE };
    weft_processes all = { .process = t->launch.process, .processes = t->launch.processes,
                           .rendezvous = t->launch.rendezvous };
    weft_status st = WEFT_OK;
    b->ways = s->fast ? WAYS : FAST;
    for (int w = 0; w < b->ways && st == WEFT_OK; w++) {
        opt.fast = s->fast ? w == FAST ? 1 : -1 : 0;
        st = weft_processes_world(t->cx, &all, &opt, &b->world[w]);
    }
    if (st != WEFT_OK) {
        for (int w = WAYS - 1; w >= 0; w--) weft_world_free(b->world[w]);
        return st;
    }
    seat *seats = calloc((size_t)opt.local_ranks, sizeof *seats);
    if (!seats) st = weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    if (seats && t->launch.process == 0) b->format->begin(b);
    if (seats) st = run_seats(t, b, seats, opt.local_ranks);
    if (seats && t->launch.process == 0) b->format->end(b);
    free(seats);
    for (int w = WAYS - 1; w >= 0; w--) weft_world_free(b->world[w]);
    return st;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const bench_settings *s = settings;
    bench b = { .t = t, .private_memory = s->private_memory };
    size_t format = 0;
    if (count != 1 || strcmp(arguments[0], "coll") != 0) return tool_usage(t, "there is one benchmark: coll");
    while (format < WEFT_COUNT(formats) && strcmp(formats[format].name, s->format) != 0) format++;
    if (format == WEFT_COUNT(formats)) return tool_usage(t, "--format is plain, json or csv");
    if (!read_sizes(weft_str_from(s->sizes), &b))
        return tool_usage(t, "--sizes is FROM:TO:TIMES, in bytes from 4, as 1K:256M:8");
    if (s->ranks > 1024) return tool_usage(t, "--ranks is at most 1024");
    b.format = &formats[format];
    tool_exit code = read_ops(t, s->op, &b);
    return code == TOOL_DONE ? tool_exit_of(bench_world(t, s, &b)) : code;
}

const tool_command tool_cmd_bench = {
    .name = "bench",
    .arguments = "coll",
    .summary = "time the collectives",
    .description =
        "Checks and times each collective at each size, among threads of this process or, under mpirun or with\n"
        "WEFT_RENDEZVOUS (weft help run), among several processes. A line\n"
        "has the median time per call of the slowest rank, the bus bandwidth in nccl-tests' convention, and the algorithm that ran:\n"
        "the cheapest by the cost model, or the one that WEFT_ALGORITHMS forces. With --fast it also has the time, the gain and the\n"
        "algorithm when algorithms that change the order of sums are allowed (WEFT_FAST=1): bits may then depend on the size of a call.\n"
        "Sizes are rounded down to a multiple of the number of ranks. Each line is printed as soon as it is measured.",
    .examples = "mpirun -n 2 weft bench coll\n"
                "weft bench coll --ranks 4 --op all_reduce,reduce_scatter --sizes 1K:256M:8\n"
                "WEFT_ALGORITHMS=all_reduce=windows weft bench coll --op all_reduce --format csv\n"
                "WEFT_TRANSPORT=mpi mpirun -n 4 weft bench coll --op all_reduce,reduce_scatter --fast",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(bench_settings),
    .defaults = defaults,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
