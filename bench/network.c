/* network: the solver of cost networks (cost/network.h) on instances of the contest of ASPLOS 2025 (google/iopddl,
 * Apache-2.0, not part of Weft): files of its format, each for so many seconds.
 *
 *     bench/network SECONDS FILE.json...
 *
 * Prints for each the cost of the choices found, checked here in integers, the bound below which no choice can be, and
 * how far the cost is above it at most. A winner of the contest is not below the bound either.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cost/network.h"

/* ---- the file: objects whose members are objects, numbers or arrays of arrays of integers ---- */

typedef struct table { int64_t *v; size_t n, cap; size_t *row; size_t rows, row_cap; } table; /* row[i] .. row[i + 1] */
enum { INTERVALS, COSTS, USAGES, EDGES, EDGE_COSTS, TABLES };
static const char *const paths[TABLES] = { "problem.nodes.intervals", "problem.nodes.costs", "problem.nodes.usages",
                                           "problem.edges.nodes", "problem.edges.costs" };
typedef struct instance { table t[TABLES]; int64_t limit; } instance;

static void fail(const char *what) {
    fprintf(stderr, "network: %s\n", what);
    exit(1);
}

static void *grown(void *p, size_t n, size_t *cap, size_t bytes) {
    if (n < *cap) return p;
    *cap = *cap ? 2 * *cap : 1024;
    p = realloc(p, *cap * bytes);
    if (!p) fail("out of memory");
    return p;
}

static void add_number(table *t, int64_t v) {
    t->v = grown(t->v, t->n, &t->cap, sizeof *t->v);
    t->v[t->n++] = v;
}

static void end_row(table *t) {
    t->row = grown(t->row, t->rows + 1, &t->row_cap, sizeof *t->row);
    if (!t->rows) t->row[0] = 0;
    t->row[++t->rows] = t->n;
}

static const char *space(const char *p) { return p + strspn(p, " \t\r\n"); }

static const char *expect(const char *p, char c) {
    p = space(p);
    if (*p != c) fail("the file is not of the contest's format");
    return p + 1;
}

static const char *read_rows(const char *p, table *t) {
    p = expect(p, '[');
    for (p = space(p); *p != ']'; p = space(p)) {
        for (p = space(expect(p, '[')); *p != ']'; p = space(p)) {
            char *end;
            add_number(t, strtoll(p, &end, 10));
            if (end == p) fail("the file is not of the contest's format");
            p = space(end);
            if (*p == ',') p++;
        }
        end_row(t);
        p = space(p + 1);
        if (*p == ',') p++;
    }
    return p + 1;
}

static const char *read_object(const char *p, const char *path, instance *x) {
    p = expect(p, '{');
    for (p = space(p); *p != '}'; p = space(p)) {
        char name[256];
        const char *from = expect(p, '"'), *end = strchr(from, '"');
        int which = -1;
        if (!end) fail("the file is not of the contest's format");
        snprintf(name, sizeof name, "%s%s%.*s", path, *path ? "." : "", (int)(end - from), from);
        p = space(expect(end + 1, ':'));
        for (int i = 0; i < TABLES; i++)
            if (!strcmp(paths[i], name)) which = i;
        if (*p == '{') p = read_object(p, name, x);
        else if (which >= 0) p = read_rows(p, &x->t[which]);
        else if (*p == '"') p = strchr(p + 1, '"') ? strchr(p + 1, '"') + 1 : p + strlen(p);
        else {
            char *after;
            const int64_t v = strtoll(p, &after, 10);
            if (after == p) fail("the file is not of the contest's format");
            if (!strcmp(name, "problem.usage_limit")) x->limit = v;
            p = after;
        }
        p = space(p);
        if (*p == ',') p++;
    }
    return p + 1;
}

static void read_instance(const char *path, instance *x) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) fail("the file cannot be read");
    const long n = ftell(f);
    char *text = malloc((size_t)n + 1);
    rewind(f);
    if (!text || fread(text, 1, (size_t)n, f) != (size_t)n) fail("the file cannot be read");
    fclose(f);
    text[n] = 0;
    *x = (instance){ .limit = 0 };
    (void)read_object(text, "", x);
    free(text);
}

/* ---- from it to a network, and back ---- */

static double *room(size_t n) {
    double *v = malloc((n + 1) * sizeof *v);
    if (!v) fail("out of memory");
    return v;
}

static const double *numbers(const table *t, size_t i, double *to) {
    for (size_t k = t->row[i]; k < t->row[i + 1]; k++) to[k - t->row[i]] = (double)t->v[k];
    return to;
}

static weft_network *network_of(const instance *x, weft_arena *arena) {
    const table *life = &x->t[INTERVALS], *cost = &x->t[COSTS], *edge = &x->t[EDGES], *pair = &x->t[EDGE_COSTS];
    weft_network *n = weft_network_new(arena, (uint32_t)life->rows, (uint32_t)edge->rows);
    size_t most = 1;
    for (size_t i = 0; i < edge->rows; i++)
        if (pair->row[i + 1] - pair->row[i] > most) most = pair->row[i + 1] - pair->row[i];
    for (size_t i = 0; i < cost->rows; i++)
        if (cost->row[i + 1] - cost->row[i] > most) most = cost->row[i + 1] - cost->row[i];
    double *a = room(most), *b = room(most);
    if (!n || cost->rows != life->rows || x->t[USAGES].rows != life->rows || pair->rows != edge->rows)
        fail("lists of the file have other lengths");
    for (size_t i = 0; i < life->rows; i++)
        if (weft_network_set_node(n, (uint32_t)i, (uint32_t)(cost->row[i + 1] - cost->row[i]), numbers(cost, i, a),
                                  numbers(&x->t[USAGES], i, b), life->v[2 * i], life->v[2 * i + 1]) != WEFT_OK)
            fail("out of memory");
    for (size_t i = 0; i < edge->rows; i++) {
        if (edge->row[i + 1] - edge->row[i] != 2) fail("an edge has not two nodes");
        if (weft_network_add_edge(n, (uint32_t)edge->v[2 * i], (uint32_t)edge->v[2 * i + 1], numbers(pair, i, a)) !=
            WEFT_OK)
            fail("out of memory");
    }
    free(a);
    free(b);
    return n;
}

/* The contest's own rule, in integers; false: above the limit. */
static bool evaluate(const instance *x, const uint32_t *choice, int64_t *cost) {
    const table *life = &x->t[INTERVALS], *edge = &x->t[EDGES];
    int64_t last = 0, sum = 0;
    bool fits = true;
    *cost = 0;
    for (size_t i = 0; i < life->rows; i++)
        if (life->v[2 * i + 1] > last) last = life->v[2 * i + 1];
    int64_t *use = calloc((size_t)last + 1, sizeof *use);
    if (!use) fail("out of memory");
    for (size_t i = 0; i < life->rows; i++) {
        const int64_t usage = x->t[USAGES].v[x->t[USAGES].row[i] + choice[i]];
        *cost += x->t[COSTS].v[x->t[COSTS].row[i] + choice[i]];
        if (life->v[2 * i] >= life->v[2 * i + 1]) continue;
        use[life->v[2 * i]] += usage;
        use[life->v[2 * i + 1]] -= usage;
    }
    for (size_t i = 0; i < edge->rows; i++) {
        const size_t a = (size_t)edge->v[2 * i], b = (size_t)edge->v[2 * i + 1];
        const size_t columns = x->t[COSTS].row[b + 1] - x->t[COSTS].row[b];
        *cost += x->t[EDGE_COSTS].v[x->t[EDGE_COSTS].row[i] + choice[a] * columns + choice[b]];
    }
    for (int64_t i = 0; i <= last; i++) {
        sum += use[i];
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
