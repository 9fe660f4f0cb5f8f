/* network: the solver of cost networks (cost/network.h) on instances of the contest of ASPLOS 2025 (google/iopddl,
 * Apache-2.0, not part of Weft): files of its format, each for so many seconds.
 *
 *     bench/network SECONDS FILE.json...
 *
 * Prints for each the cost of the choices found, checked here in integers, the bound below which no choice can be, and
 * how far the cost is above it at most. A winner of the contest is not below the bound either.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/status.h"
#include "cost/network.h"

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "network: %s\n", what);
    exit(1);
}

static void *room(size_t n, size_t bytes) {
    void *v = calloc(n + 1, bytes);
    if (!v) fail("out of memory");
    return v;
}

/* ---- the file ---- */

/* A list of lists of integers: v[row[i]] .. v[row[i + 1]]. */
typedef struct table { int64_t *v; size_t *row, rows; } table;
enum { INTERVALS, COSTS, USAGES, EDGES, EDGE_COSTS, TABLES };
static const struct { const char *of, *name; } paths[TABLES] = {
    { "nodes", "intervals" }, { "nodes", "costs" }, { "nodes", "usages" }, { "edges", "nodes" }, { "edges", "costs" },
};
typedef struct instance { table t[TABLES]; int64_t limit; } instance;

static size_t length(const table *t, size_t i) { return t->row[i + 1] - t->row[i]; }

static table read_table(const json_t *list) {
    table t = { .rows = json_array_size(list) };
    if (!json_is_array(list)) fail("a list is missing: the file is not of the contest's format");
    t.row = room(t.rows + 1, sizeof *t.row);
    for (size_t i = 0; i < t.rows; i++) {
        if (!json_is_array(json_array_get(list, i))) fail("a list has something else than lists");
        t.row[i + 1] = t.row[i] + json_array_size(json_array_get(list, i));
    }
    t.v = room(t.row[t.rows], sizeof *t.v);
    for (size_t i = 0; i < t.rows; i++)
        for (size_t k = 0; k < length(&t, i); k++) {
            const json_t *n = json_array_get(json_array_get(list, i), k);
            if (!json_is_integer(n)) fail("a list has something else than integers");
            t.v[t.row[i] + k] = json_integer_value(n);
        }
    return t;
}

/* What cost/network.h asks for, and evaluate() reads. */
static void check(const instance *x) {
    const table *life = &x->t[INTERVALS], *cost = &x->t[COSTS], *usage = &x->t[USAGES], *edge = &x->t[EDGES],
                *pair = &x->t[EDGE_COSTS];
    if (cost->rows != life->rows || usage->rows != life->rows || pair->rows != edge->rows)
        fail("lists of the file have other lengths");
    if (!life->rows || life->rows >= UINT32_MAX || edge->rows >= UINT32_MAX) fail("there are no nodes, or too many");
    for (size_t i = 0; i < life->rows; i++) {
        if (length(life, i) != 2 || life->v[2 * i] < 0 || life->v[2 * i] > life->v[2 * i + 1])
            fail("an interval is not its begin and its end");
        if (!length(cost, i) || length(cost, i) >= UINT32_MAX || length(usage, i) != length(cost, i))
            fail("a node has no choices, or not as many usages as costs");
    }
    for (size_t i = 0; i < usage->row[usage->rows]; i++)
        if (usage->v[i] < 0) fail("a usage is negative");
    for (size_t i = 0; i < edge->rows; i++) {
        if (length(edge, i) != 2) fail("an edge has not two nodes");
        const int64_t a = edge->v[2 * i], b = edge->v[2 * i + 1];
        if (a < 0 || b < 0 || a == b || (size_t)a >= life->rows || (size_t)b >= life->rows)
            fail("an edge's nodes are not two of the nodes");
        if (length(pair, i) != length(cost, (size_t)a) * length(cost, (size_t)b))
            fail("an edge has not a cost for each pair of its nodes' choices");
    }
    if (x->limit < 0) fail("the limit is negative");
}

static void read_instance(const char *path, instance *x) {
    json_error_t error;
    json_t *file = json_load_file(path, 0, &error);
    if (!file) {
        fprintf(stderr, "network: %s:%d: ", path, error.line);
        fail(error.text);
    }
    const json_t *problem = json_object_get(file, "problem"), *limit = json_object_get(problem, "usage_limit");
    for (int i = 0; i < TABLES; i++)
        x->t[i] = read_table(json_object_get(json_object_get(problem, paths[i].of), paths[i].name));
    if (limit && !json_is_integer(limit)) fail("the limit is not an integer");
    x->limit = json_integer_value(limit);
    json_decref(file);
    check(x);
}

/* ---- from it to a network, and back ---- */

static const double *numbers(const table *t, size_t i, double *to) {
    for (size_t k = 0; k < length(t, i); k++) to[k] = (double)t->v[t->row[i] + k];
    return to;
}

static size_t longest(const table *t) {
    size_t most = 1;
    for (size_t i = 0; i < t->rows; i++)
        if (length(t, i) > most) most = length(t, i);
    return most;
}

static weft_network *network_of(const instance *x, weft_arena *arena) {
    const table *life = &x->t[INTERVALS], *cost = &x->t[COSTS], *edge = &x->t[EDGES], *pair = &x->t[EDGE_COSTS];
    weft_network *n = weft_network_new(arena, (uint32_t)life->rows, (uint32_t)edge->rows);
    double *a = room(longest(cost) + longest(pair), sizeof *a), *b = room(longest(cost), sizeof *b);
    weft_status st = n ? WEFT_OK : WEFT_ERR_MEMORY;
    for (size_t i = 0; i < life->rows && st == WEFT_OK; i++)
        st = weft_network_set_node(n, (uint32_t)i, (uint32_t)length(cost, i), numbers(cost, i, a),
                                   numbers(&x->t[USAGES], i, b), life->v[2 * i], life->v[2 * i + 1]);
    for (size_t i = 0; i < edge->rows && st == WEFT_OK; i++)
        st = weft_network_add_edge(n, (uint32_t)edge->v[2 * i], (uint32_t)edge->v[2 * i + 1], numbers(pair, i, a));
    if (st != WEFT_OK) fail("out of memory");
    free(a);
    free(b);
    return n;
}

static void add(int64_t *sum, int64_t v) {
    if (!weft_add_i64(*sum, v, sum)) fail("a sum of the file's numbers is too large");
}

/* The contest's own rule, in integers; false: above the limit. */
static bool evaluate(const instance *x, const uint32_t *choice, int64_t *cost) {
    const table *life = &x->t[INTERVALS], *edge = &x->t[EDGES];
    int64_t last = 0, sum = 0;
    bool fits = true;
    *cost = 0;
    for (size_t i = 0; i < life->rows; i++)
        if (life->v[2 * i + 1] > last) last = life->v[2 * i + 1];
    int64_t *use = room((size_t)last, sizeof *use);
    for (size_t i = 0; i < life->rows; i++) {
        const int64_t usage = x->t[USAGES].v[x->t[USAGES].row[i] + choice[i]];
        add(cost, x->t[COSTS].v[x->t[COSTS].row[i] + choice[i]]);
        if (life->v[2 * i] >= life->v[2 * i + 1]) continue;
        add(&use[life->v[2 * i]], usage);
        add(&use[life->v[2 * i + 1]], -usage);
    }
    for (size_t i = 0; i < edge->rows; i++) {
        const size_t a = (size_t)edge->v[2 * i], b = (size_t)edge->v[2 * i + 1], columns = length(&x->t[COSTS], b);
        add(cost, x->t[EDGE_COSTS].v[x->t[EDGE_COSTS].row[i] + choice[a] * columns + choice[b]]);
    }
    for (int64_t i = 0; i <= last; i++) {
        add(&sum, use[i]);
        fits = fits && (!x->limit || sum <= x->limit);
    }
    free(use);
    return fits;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Messages take two fifths of the time. */
typedef struct clock_of { double start, seconds; } clock_of;
static bool is_over(void *user, int phase) {
    const clock_of *c = user;
    return now_s() - c->start > c->seconds * (phase == 1 ? 0.4 : 1);
}

int main(int argc, char **argv) {
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
    if (argc < 3 || seconds <= 0) fail("usage: network SECONDS FILE.json...");
    printf("%-28s %8s %9s %18s %18s %8s %7s %7s\n", "instance", "nodes", "edges", "cost", "bound", "above",
           "rounds", "s");
    for (int i = 2; i < argc; i++) {
        weft_context *cx = weft_context_new(NULL);
        weft_arena arena;
        instance x;
        if (!cx) fail("out of memory");
        weft_arena_init(&arena, &cx->alloc);
        read_instance(argv[i], &x);
        clock_of clock = { now_s(), seconds };
        const weft_network_options opt = { .limit = (double)x.limit, .rounds = UINT32_MAX, .stop = is_over,
                                           .user = &clock };
        weft_network_result r;
        if (weft_network_solve(network_of(&x, &arena), &opt, &r) != WEFT_OK) fail("out of memory");
        int64_t cost;
        const bool fits = evaluate(&x, r.choice, &cost);
        const char *name = strrchr(argv[i], '/');
        printf("%-28s %8zu %9zu %18" PRId64 " %18.6g %7.2f%% %7u %7.1f%s\n", name ? name + 1 : argv[i], x.t[0].rows,
               x.t[EDGES].rows, cost, r.bound, 100 * ((double)cost - r.bound) / r.bound, r.rounds,
               now_s() - clock.start, fits == r.fits ? fits ? "" : "  does not fit" : "  WRONG");
        fflush(stdout);
        weft_arena_free(&arena);
        weft_context_free(cx);
        for (int k = 0; k < TABLES; k++) free(x.t[k].v), free(x.t[k].row);
    }
    return 0;
}
