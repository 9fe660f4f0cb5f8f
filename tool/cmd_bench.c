/* cmd_bench: `weft bench coll`: time and bus bandwidth of the collectives, among threads or the processes of mpirun.
 *
 * Every call's result is checked before it is timed. A line is the median over the turns of the slowest rank's time, the
 * bus bandwidth as nccl-tests defines it (bytes of the busiest link over time: column wire of cost/collectives.def), and the
 * algorithm that ran.
 */
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <weft/coll.h>
#include "cost/link.h"
#include "runtime/execute.h"
#include "tool/tool.h"

typedef struct bench_settings {
    const char *sizes, *op, *format;
    int64_t ranks;
    bool private_memory;
} bench_settings;

static const tool_option options[] = {
    { "sizes", "FROM:TO:TIMES", TOOL_TEXT, offsetof(bench_settings, sizes), "bytes of the full tensor, each TIMES the last (default 1K:32M:8)" },
    { "op", "NAME,...", TOOL_TEXT, offsetof(bench_settings, op), "collectives to time; all by default" },
    { "format", "FORMAT", TOOL_TEXT, offsetof(bench_settings, format), "plain (the default), json or csv" },
    { "ranks", "N", TOOL_COUNT, offsetof(bench_settings, ranks), "ranks: threads of this process; of several processes, of each (default 1; alone 2)" },
    { "private", NULL, TOOL_FLAG, offsetof(bench_settings, private_memory), "buffers from malloc, which other processes do not see" },
};

static void defaults(void *settings) {
    bench_settings *s = settings;
    s->sizes = "1K:32M:8";
    s->format = "plain";
}

/* --- what can be timed ------------------------------------------------------------------------------------------------------------ */

typedef struct turn {
    weft_comm *c;
    int p, me;
    weft_coll_buf whole, part; /* of the full tensor, and of a rank's share of it */
} turn;

static weft_status all_reduce(const turn *t) { return weft_coll_all_reduce(t->c, WEFT_SUM, &t->whole, 1, NULL); }
static weft_status all_gather(const turn *t) { return weft_coll_all_gather(t->c, &t->part, 1, NULL); }
static weft_status reduce_scatter(const turn *t) { return weft_coll_reduce_scatter(t->c, WEFT_SUM, &t->part, 1, NULL); }
static weft_status all_to_all(const turn *t) { return weft_coll_all_to_all(t->c, 1, &t->part, 1, NULL); }
static weft_status reduce(const turn *t) { return weft_coll_reduce(t->c, WEFT_SUM, 0, &t->whole, 1, NULL); }
static weft_status broadcast(const turn *t) { return weft_coll_broadcast(t->c, 0, &t->whole, 1, NULL); }
static weft_status gather(const turn *t) { return weft_coll_gather(t->c, 0, &t->part, 1, NULL); }
static weft_status scatter(const turn *t) { return weft_coll_scatter(t->c, 0, &t->part, 1, NULL); }
static weft_status permute(const turn *t) { return weft_coll_permute(t->c, (t->me + t->p - 1) % t->p, (t->me + 1) % t->p, &t->whole, 1, NULL); }

/* The first four are those of ../shared/oracle/coll_mpi.c, in its order. */
static const struct { const char *name; weft_coll_kind kind; weft_status (*run)(const turn *t); } ops[] = {
    { "all_reduce", WEFT_PLAN_ALL_REDUCE, all_reduce },
    { "all_gather", WEFT_PLAN_ALL_GATHER, all_gather },
    { "reduce_scatter", WEFT_PLAN_REDUCE_SCATTER, reduce_scatter },
    { "all_to_all", WEFT_PLAN_ALL_TO_ALL, all_to_all },
    { "permute", WEFT_PLAN_COLLECTIVE_PERMUTE, permute },
    { "broadcast", WEFT_PLAN_COLLECTIVE_BROADCAST, broadcast },
    { "reduce", WEFT_PLAN_REDUCE, reduce },
    { "gather", WEFT_PLAN_GATHER, gather },
    { "scatter", WEFT_PLAN_SCATTER, scatter },
};
#define OPS WEFT_COUNT(ops)

/* Whole numbers, so that sums are exact. */
static float value(int rank, int64_t i) { return (float)((i * 7 + rank * 13) % 1000); }

/* Element i of this rank's result. */
static float expected(weft_coll_kind kind, const turn *t, int64_t i) {
    int64_t share = t->part.inner;
    int from = (int)(share ? i / share : 0);
    const weft_coll_info *k = &weft_coll_table[kind];
    int64_t at = k->in == WEFT_BLOCKS_EACH ? t->me * share + (k->out == WEFT_BLOCKS_EACH ? i % share : i) : k->out == WEFT_BLOCKS_EACH ? i % share : i;
    float sum = 0;
    if (k->adding == WEFT_COLL_ADDS) {
        for (int r = 0; r < t->p; r++) sum += value(r, at);
        return sum;
    }
    if (kind == WEFT_PLAN_COLLECTIVE_PERMUTE) from = (t->me + t->p - 1) % t->p;
    else if (k->givers == WEFT_ENDS_ROOT) from = 0;
    return value(from, at);
}

/* --- one rank --------------------------------------------------------------------------------------------------------------------- */

typedef struct line {
    int op;
    int64_t bytes;
    double seconds;
    const char *algorithm;
} line;

/* What all ranks of this process share; rank 0's process prints the lines. */
typedef struct bench {
    weft_world *world;
    int64_t from, to, times;
    bool wanted[OPS], private_memory;
    line *lines;               /* written by rank 0's thread */
    size_t count;
} bench;

typedef struct seat {
    bench *b;
    weft_context *cx;
    int rank;
    pthread_t thread;
    weft_status status;
    const char *wrong;         /* the collective whose result is not the expected one */
} seat;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static weft_status check(int op, const turn *t, const char **wrong) {
    float *in = (float *)(uintptr_t)t->whole.in;
    const float *out = t->whole.out;
    const weft_coll_info *k = &weft_coll_table[ops[op].kind];
    int64_t full = k->in == WEFT_BLOCKS_ONE && k->out == WEFT_BLOCKS_ONE ? t->whole.inner : t->part.inner * t->p;
    int64_t elems = k->out == WEFT_BLOCKS_ONE && k->in == WEFT_BLOCKS_EACH ? t->part.inner : full;
    for (int64_t i = 0; i < full; i++) in[i] = value(t->me, i);
    weft_status st = ops[op].run(t);
    if (k->takers == WEFT_ENDS_ROOT && t->me) elems = 0;
    for (int64_t i = 0; i < elems && st == WEFT_OK && !*wrong; i++)
        if (out[i] != expected(ops[op].kind, t, i)) *wrong = ops[op].name;
    return st;
}

/* The slowest rank's time. */
static weft_status slowest(weft_comm *c, double *seconds) {
    weft_coll_buf b = { seconds, seconds, weft_coll_type("f64"), 1, 1, 1 };
    return weft_coll_all_reduce(c, WEFT_MAX, &b, 1, NULL);
}

static weft_status measure(seat *s, int op, const turn *t, int64_t bytes) {
    int turns = bytes < 1 << 16 ? 400 : bytes < 1 << 22 ? 60 : 12;
    double times[400];
    weft_coll_record last = { 0 };
    weft_status st = check(op, t, &s->wrong);
    for (int i = -3; i < turns && st == WEFT_OK; i++) {
        st = weft_coll_barrier(t->c, NULL);
        double start = tool_now_s();
        if (st == WEFT_OK) st = ops[op].run(t);
        double took = tool_now_s() - start;
        weft_comm_last(t->c, &last);
        if (st == WEFT_OK) st = slowest(t->c, &took);
        if (i >= 0) times[i] = took;
    }
    if (st != WEFT_OK || t->me) return st;
    qsort(times, (size_t)turns, sizeof *times, by_value);
    s->b->lines[s->b->count++] = (line){ op, bytes, times[turns / 2], last.algorithm };
    return st;
}

static weft_status bench_rank(seat *s, weft_comm *c) {
    bench *b = s->b;
    size_t room = (size_t)b->to + 64;
    float *in = b->private_memory ? malloc(room) : weft_comm_alloc(c, room), *out = b->private_memory ? malloc(room) : weft_comm_alloc(c, room);
    weft_status st = in && out ? WEFT_OK : weft_report(s->cx, WEFT_D_system, NULL, "there is no memory for two buffers of %lld bytes", (long long)b->to);
    turn t = { .c = c, .p = weft_comm_size(c), .me = weft_comm_rank(c) };
    if (st == WEFT_OK) memset(out, 0, room);
    for (size_t op = 0; op < OPS && st == WEFT_OK; op++)
        for (int64_t n = b->from; n <= b->to && st == WEFT_OK && b->wanted[op]; n *= b->times) {
            t.whole = (weft_coll_buf){ in, out, weft_coll_type("f32"), 1, 1, n / 4 };
            t.part = t.whole;
            t.part.inner = n / 4 / t.p;
            st = measure(s, (int)op, &t, n);
            if (n > b->to / b->times) break;
        }
    if (b->private_memory) free(in), free(out);
    else weft_comm_dealloc(c, in), weft_comm_dealloc(c, out);
    return st;
}

static void *sit(void *p) {
    seat *s = p;
    weft_comm *c;
    s->status = weft_comm_world(s->cx, s->b->world, s->rank, &c);
    if (s->status != WEFT_OK) return NULL;
    s->status = bench_rank(s, c);
    if (s->status != WEFT_OK && s->status != WEFT_ERR_PEER) weft_world_abort(s->b->world, "a rank of the benchmark gave up");
    weft_comm_free(c);
    return NULL;
}

/* --- settings ----------------------------------------------------------------------------------------------------------------------- */

static bool read_size(const char **s, int64_t *out) {
    char *end;
    long long n = strtoll(*s, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (end == *s || n < 0 || n > INT64_MAX >> 31) return false;
    *out = (int64_t)n << shift;
    *s = end + (shift > 0);
    return true;
}

static bool read_sizes(const char *s, bench *b) {
    b->times = 8;
    if (!read_size(&s, &b->from)) return false;
    b->to = b->from;
    if (*s == ':' && (s++, !read_size(&s, &b->to))) return false;
    if (*s == ':' && (s++, !read_size(&s, &b->times))) return false;
    return !*s && b->from >= 4 && b->to >= b->from && b->times >= 2 && b->times <= 1 << 20;
}

static tool_exit read_ops(const tool *t, const char *text, bench *b) {
    for (size_t i = 0; i < OPS; i++) b->wanted[i] = !text;
    for (size_t n; text && *text; text += n + (text[n] == ',')) {
        size_t i = 0;
        n = strcspn(text, ",");
        while (i < OPS && !weft_str_is((weft_str){ text, n }, ops[i].name)) i++;
        if (i == OPS) return tool_usage(t, "no collective '%.*s' to time", (int)n, text);
        b->wanted[i] = true;
    }
    return TOOL_DONE;
}

/* --- lines -------------------------------------------------------------------------------------------------------------------------- */

static double bandwidth(const line *l, int p) { return (double)weft_wire_bytes(ops[l->op].kind, p, l->bytes) / l->seconds / 1e9; }

static void print_plain(const bench *b, int p) {
    for (size_t i = 0; i < b->count; i++) {
        const line *l = &b->lines[i];
        printf("%-15s P=%d %10lld B %10.1f us  busbw %7.2f GB/s  %s\n", ops[l->op].name, p, (long long)l->bytes, l->seconds * 1e6, bandwidth(l, p), l->algorithm);
    }
}

static void print_csv(const bench *b, int p) {
    printf("op,ranks,bytes,us,busbw_gb_per_s,algorithm\n");
    for (size_t i = 0; i < b->count; i++) {
        const line *l = &b->lines[i];
        printf("%s,%d,%lld,%.3f,%.4f,%s\n", ops[l->op].name, p, (long long)l->bytes, l->seconds * 1e6, bandwidth(l, p), l->algorithm);
    }
}

static void print_json(const bench *b, int p) {
    json_t *list = json_array();
    for (size_t i = 0; i < b->count; i++) {
        const line *l = &b->lines[i];
        json_array_append_new(list, json_pack("{s:s, s:i, s:I, s:f, s:f, s:s}", "op", ops[l->op].name, "ranks", p, "bytes", (json_int_t)l->bytes, "us",
                                              l->seconds * 1e6, "busbw_gb_per_s", bandwidth(l, p), "algorithm", l->algorithm));
    }
    json_dumpf(list, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(list);
}

static const struct { const char *name; void (*print)(const bench *b, int p); } formats[] = {
    { "plain", print_plain }, { "json", print_json }, { "csv", print_csv },
};

/* --- the command --------------------------------------------------------------------------------------------------------------------- */

static weft_status run_seats(tool *t, bench *b, seat *seats, int n) {
    weft_status st = WEFT_OK;
    int running = 0;
    for (int i = 0; i < n && st == WEFT_OK; i++) {
        seats[i] = (seat){ .b = b, .cx = weft_context_new(NULL), .rank = weft_world_first(b->world) + i };
        if (!seats[i].cx || (i && pthread_create(&seats[i].thread, NULL, sit, &seats[i]))) st = weft_report(t->cx, WEFT_D_system, NULL, "a rank cannot be started");
        else running++;
    }
    if (st != WEFT_OK) weft_world_abort(b->world, "not all ranks could be started");
    if (running) sit(&seats[0]);
    for (int i = 0; i < n; i++) {
        if (i && i < running) pthread_join(seats[i].thread, NULL);
        const weft_diag *d = seats[i].cx ? weft_context_diag(seats[i].cx, 0) : NULL;
        if (st == WEFT_OK && seats[i].status != WEFT_OK) st = weft_report(t->cx, WEFT_D_peer, NULL, "rank %d: %s", seats[i].rank, d ? d->message : "out of memory");
        if (st == WEFT_OK && seats[i].wrong) st = weft_report(t->cx, WEFT_D_differ, NULL, "rank %d got a wrong result of %s", seats[i].rank, seats[i].wrong);
        weft_context_free(seats[i].cx);
    }
    return st;
}

static weft_status bench_world(tool *t, const bench_settings *s, bench *b, size_t format) {
    bool alone = t->launch.processes == 1;
    weft_world_options opt = { .local_ranks = (int)(s->ranks ? s->ranks : alone ? 2 : 1), .bind = WEFT_BIND_NONE };
    weft_place place = { .process = t->launch.process, .processes = t->launch.processes, .rendezvous = t->launch.rendezvous };
    weft_status st = weft_place_world(t->cx, &place, &opt, &b->world);
    if (st != WEFT_OK) return st;
    size_t sizes = 1;
    for (int64_t n = b->from; n <= b->to / b->times; n *= b->times) sizes++;
    seat *seats = calloc((size_t)opt.local_ranks, sizeof *seats);
    b->lines = calloc(sizes * OPS, sizeof *b->lines);
    if (seats && b->lines) st = run_seats(t, b, seats, opt.local_ranks);
    else st = weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    if (st == WEFT_OK && t->launch.process == 0) formats[format].print(b, weft_world_size(b->world));
    free(seats);
    free(b->lines);
    weft_world_free(b->world);
    return st;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const bench_settings *s = settings;
    bench b = { .private_memory = s->private_memory };
    size_t format = 0;
    if (count != 1 || strcmp(arguments[0], "coll") != 0) return tool_usage(t, "there is one benchmark: coll");
    while (format < WEFT_COUNT(formats) && strcmp(formats[format].name, s->format) != 0) format++;
    if (format == WEFT_COUNT(formats)) return tool_usage(t, "--format is plain, json or csv");
    if (!read_sizes(s->sizes, &b)) return tool_usage(t, "--sizes is FROM:TO:TIMES, in bytes from 4, as 1K:256M:8");
    if (s->ranks > 1024) return tool_usage(t, "--ranks is at most 1024");
    tool_exit code = read_ops(t, s->op, &b);
    return code == TOOL_DONE ? tool_exit_of(bench_world(t, s, &b, format)) : code;
}

const tool_command tool_cmd_bench = {
    .name = "bench",
    .arguments = "coll",
    .summary = "time the collectives",
    .description = "Checks and times each collective at each size, among threads of this process or, under mpirun or at the place\n"
                   "that WEFT_RENDEZVOUS names (weft help run), among several. A line\n"
                   "is the median time per call of the slowest rank, the bus bandwidth in nccl-tests' convention, and the algorithm that ran:\n"
                   "the cheapest by the cost model, or the one that WEFT_ALGORITHMS forces.",
    .examples = "mpirun -n 2 weft bench coll\n"
                "weft bench coll --ranks 4 --op all_reduce,reduce_scatter --sizes 1K:256M:8\n"
                "WEFT_ALGORITHMS=all_reduce=windows weft bench coll --op all_reduce --format csv",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(bench_settings),
    .defaults = defaults,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
