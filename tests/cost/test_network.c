/* Networks of costs: small ones against all choices, larger ones of parts whose best is known, bounds, limits of
 * memory, what is forbidden, and failing allocations. */
#include <math.h>
#include <string.h>
#include "cost/network.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { MOST = 8, CHOICES = 4, MOMENTS = 6 };

/* A network, and its numbers to be tried one by one. */
typedef struct sample {
    uint32_t n, choices[MOST];
    double cost[MOST][CHOICES], usage[MOST][CHOICES], pair[MOST][MOST][CHOICES * CHOICES];
    bool has_edge[MOST][MOST];
    int64_t begin[MOST], end[MOST];
} sample;

static weft_rng rng;
static uint32_t draw(uint32_t below) { return weft_rng_below(&rng, below); }

static double draw_cost(void) { return draw(12) == 0 ? WEFT_NETWORK_NEVER : (double)draw(100); }

static void draw_sample(sample *s) {
    memset(s, 0, sizeof *s);
    s->n = 1 + draw(MOST);
    for (uint32_t i = 0; i < s->n; i++) {
        s->choices[i] = 1 + draw(CHOICES);
        s->begin[i] = draw(MOMENTS);
        s->end[i] = s->begin[i] + draw(MOMENTS);
        for (uint32_t k = 0; k < s->choices[i]; k++) s->cost[i][k] = draw(100), s->usage[i][k] = draw(50);
    }
    for (uint32_t a = 0; a < s->n; a++)
        for (uint32_t b = 0; b < s->n; b++) {
            if (a == b || draw(3)) continue;
            s->has_edge[a][b] = true;
            for (uint32_t k = 0; k < s->choices[a] * s->choices[b]; k++) s->pair[a][b][k] = draw_cost();
        }
}

/* Adds the sample's nodes from `first` on. */
static weft_status add_nodes(weft_network *x, const sample *s, uint32_t first) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < s->n && st == WEFT_OK; i++)
        st = weft_network_set_node(x, first + i, s->choices[i], s->cost[i], s->usage[i], s->begin[i], s->end[i]);
    return st;
}

static weft_status add_edges(weft_network *x, const sample *s, uint32_t first) {
    weft_status st = WEFT_OK;
    for (uint32_t a = 0; a < s->n; a++)
        for (uint32_t b = 0; b < s->n && st == WEFT_OK; b++)
            if (s->has_edge[a][b]) st = weft_network_add_edge(x, first + a, first + b, s->pair[a][b]);
    return st;
}

/* Of the choices; WEFT_NETWORK_NEVER: forbidden or too much memory. */
static double cost_of(const sample *s, const uint32_t *choice, double limit) {
    double sum = 0;
    for (int64_t t = 0; t < 2 * MOMENTS; t++) {
        double use = 0;
        for (uint32_t i = 0; i < s->n; i++)
            if (s->begin[i] <= t && t < s->end[i]) use += s->usage[i][choice[i]];
        if (limit > 0 && use > limit) return WEFT_NETWORK_NEVER;
    }
    for (uint32_t i = 0; i < s->n; i++) sum += s->cost[i][choice[i]];
    for (uint32_t a = 0; a < s->n; a++)
        for (uint32_t b = 0; b < s->n; b++)
            if (s->has_edge[a][b]) sum += s->pair[a][b][choice[a] * s->choices[b] + choice[b]];
    return sum < WEFT_NETWORK_NEVER ? sum : WEFT_NETWORK_NEVER;
}

/* The next choices; false: these were the last. */
static bool advance(const sample *s, uint32_t *choice) {
    for (uint32_t i = 0; i < s->n; i++) {
        choice[i] = (choice[i] + 1) % s->choices[i];
        if (choice[i]) return true;
    }
    return false;
}

static double best_of(const sample *s, double limit) {
    uint32_t choice[MOST] = { 0 };
    double best = WEFT_NETWORK_NEVER;
    do best = fmin(best, cost_of(s, choice, limit));
    while (advance(s, choice));
    return best;
}

/* The allowed choices that take the least memory for all lives together. */
static void find_leanest(const sample *s, uint32_t *leanest) {
    uint32_t choice[MOST] = { 0 };
    double least = INFINITY;
    do {
        double sum = 0;
        for (uint32_t i = 0; i < s->n; i++) sum += s->usage[i][choice[i]] * (double)(s->end[i] - s->begin[i]);
        if (sum >= least || cost_of(s, choice, 0) >= WEFT_NETWORK_NEVER) continue;
        least = sum;
        memcpy(leanest, choice, s->n * sizeof *choice);
    } while (advance(s, choice));
}

/* Few nodes: branch and bound, which proves what it finds. */
START_TEST(small_networks) {
    const uint64_t seed = weft_test_seed(1) + (uint64_t)_i;
    weft_context *cx = weft_context_new(NULL);
    weft_arena arena;
    sample s;
    weft_network_result r;
    rng.state = seed;
    draw_sample(&s);
    weft_arena_init(&arena, &cx->alloc);
    const double limit = _i % 3 ? 20 + draw(150) : 0, best = best_of(&s, limit);
    weft_network *x = weft_network_new(&arena, s.n, MOST * MOST);
    ck_assert_int_eq(add_nodes(x, &s, 0), WEFT_OK);
    ck_assert_int_eq(add_edges(x, &s, 0), WEFT_OK);
    ck_assert_int_eq(weft_network_solve(x, &(weft_network_options){ .limit = limit }, &r), WEFT_OK);
    if (best < WEFT_NETWORK_NEVER) {
        ck_assert_msg(r.fits && r.is_best, "seed %llu", (unsigned long long)seed);
        ck_assert_double_eq_tol(r.cost, best, 1e-6);
        ck_assert_double_eq_tol(cost_of(&s, r.choice, limit), best, 1e-6);
        ck_assert_double_eq_tol(r.bound, best, 1e-6);
        ck_assert(limit <= 0 || r.peak <= limit);
        ck_assert_double_eq_tol(weft_network_peak(x, r.choice), r.peak, 1e-9);
    } else ck_assert_msg(!r.fits || r.cost >= WEFT_NETWORK_NEVER, "seed %llu", (unsigned long long)seed);
    weft_arena_free(&arena);
    weft_context_free(cx);
}
END_TEST

enum { PARTS = 40 };

/* Many parts without edges between them: the best is the sum of the parts' best, the bound is not above it. */
START_TEST(networks_of_parts) {
    weft_context *cx = weft_context_new(NULL);
    weft_arena arena;
    weft_network_result r;
    double best = 0;
    uint32_t nodes = 0, leanest[PARTS * MOST];
    sample *s = calloc(PARTS, sizeof *s);
    ck_assert_ptr_nonnull(s);
    rng.state = weft_test_seed(1) + 1000u * (unsigned)_i;
    for (int k = 0; k < PARTS; k++) {
        do draw_sample(&s[k]);
        while (best_of(&s[k], 0) >= WEFT_NETWORK_NEVER);
        best += best_of(&s[k], 0);
        nodes += s[k].n;
    }
    weft_arena_init(&arena, &cx->alloc);
    weft_network *x = weft_network_new(&arena, nodes, PARTS * MOST * MOST);
    uint32_t first = 0;
    for (int k = 0; k < PARTS; first += s[k++].n) ck_assert_int_eq(add_nodes(x, &s[k], first), WEFT_OK);
    first = 0;
    for (int k = 0; k < PARTS; first += s[k++].n) ck_assert_int_eq(add_edges(x, &s[k], first), WEFT_OK);
    ck_assert_int_eq(weft_network_solve(x, &(weft_network_options){ 0 }, &r), WEFT_OK);
    ck_assert_double_le(r.bound, best * (1 + 1e-9));
    ck_assert_double_ge(r.cost, best * (1 - 1e-9));
    ck_assert_double_le(r.cost, best * 1.01);
    ck_assert(r.fits);
    /* less memory than that takes: what fits costs more, and no less than the bound */
    first = 0;
    for (int k = 0; k < PARTS; first += s[k++].n) find_leanest(&s[k], leanest + first);
    const double lean = weft_network_peak(x, leanest), half = (lean + r.peak) / 2, all = r.cost, bound = r.bound;
    ck_assert_double_lt(lean, r.peak);
    ck_assert_int_eq(weft_network_solve(x, &(weft_network_options){ .limit = half }, &r), WEFT_OK);
    ck_assert(r.fits);
    ck_assert_double_le(r.peak, half);
    ck_assert_double_ge(r.cost, all);
    ck_assert_double_le(r.bound, r.cost);
    ck_assert_double_le(r.cost, 1.1 * r.bound);
    /* as much as at first: nothing is left of the limit's prices */
    ck_assert_int_eq(weft_network_solve(x, &(weft_network_options){ 0 }, &r), WEFT_OK);
    ck_assert_double_eq(r.cost, all);
    ck_assert_double_eq(r.bound, bound);
    weft_arena_free(&arena);
    weft_context_free(cx);
    free(s);
}
END_TEST

/* What costs least costs nothing, so that a share of the bound is none; where all costs are 0, all of it is. */
START_TEST(a_bound_of_nothing) {
    enum { NODES = 100, DEARER = 56 }; /* 1000 - 9 * 56 are less than 500 */
    const double usage[2] = { 10, 1 };
    double least = 0;
    for (int costless = 0; costless < 2; costless++) {
        weft_context *cx = weft_context_new(NULL);
        weft_arena arena;
        weft_network_result r;
        weft_arena_init(&arena, &cx->alloc);
        weft_network *x = weft_network_new(&arena, NODES, 0);
        for (uint32_t i = 0; i < NODES; i++) {
            const double cost[2] = { 0, costless ? 0 : 5 + i / 10.0 };
            if (i < DEARER) least += cost[1];
            ck_assert_int_eq(weft_network_set_node(x, i, 2, cost, usage, 0, 1), WEFT_OK);
        }
        ck_assert_int_eq(weft_network_solve(x, &(weft_network_options){ .limit = 500 }, &r), WEFT_OK);
        ck_assert(r.fits);
        ck_assert_double_le(r.peak, 500);
        if (costless) ck_assert_double_eq(r.cost, 0);
        else {
            ck_assert_double_ge(r.cost, least - 1e-9);
            ck_assert_double_le(r.cost, 1.1 * least);
            ck_assert_double_ge(r.bound, 0.9 * least);
            ck_assert_double_le(r.bound, least + 1e-9);
        }
        weft_arena_free(&arena);
        weft_context_free(cx);
    }
}
END_TEST

static bool at_once(void *user, int phase) {
    ++((int *)user)[phase];
    return true;
}

/* A chain of 200, which a forest solves alone. The caller's clock ends both phases; the result is one anyway. */
START_TEST(a_chain) {
    weft_context *cx = weft_context_new(NULL);
    weft_arena arena;
    weft_network_result r;
    const double cost[2] = { 1, 2 }, same[4] = { 0, 5, 5, 0 };
    int asked[3] = { 0 };
    weft_arena_init(&arena, &cx->alloc);
    weft_network *x = weft_network_new(&arena, 200, 199);
    for (uint32_t i = 0; i < 200; i++) ck_assert_int_eq(weft_network_set_node(x, i, 2, cost, NULL, 0, 1), WEFT_OK);
    for (uint32_t i = 0; i < 199; i++) ck_assert_int_eq(weft_network_add_edge(x, i + 1, i, same), WEFT_OK);
    ck_assert_int_eq(weft_network_solve(x, &(weft_network_options){ .stop = at_once, .user = asked }, &r), WEFT_OK);
    ck_assert_double_eq_tol(r.cost, 200, 1e-9);
    ck_assert_double_le(r.bound, 200 + 1e-9);
    ck_assert_int_eq(asked[1], 1);
    ck_assert_int_eq(asked[2], 1);
    weft_arena_free(&arena);
    weft_context_free(cx);
}
END_TEST

static weft_status solve_large(weft_context *cx, void *user) {
    const sample *s = user;
    weft_network_result r;
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    weft_network *x = weft_network_new(&arena, 80 * s->n, 80 * MOST * MOST);
    weft_status st = x ? WEFT_OK : WEFT_ERR_MEMORY;
    for (uint32_t i = 0; i < 80 && st == WEFT_OK; i++) st = add_nodes(x, s, i * s->n);
    for (uint32_t i = 0; i < 80 && st == WEFT_OK; i++) st = add_edges(x, s, i * s->n);
    if (st == WEFT_OK) st = weft_network_solve(x, &(weft_network_options){ .limit = 100, .rounds = 2 }, &r);
    weft_arena_free(&arena);
    return st;
}

START_TEST(failing_allocations) {
    sample s;
    rng.state = 7;
    draw_sample(&s);
    weft_test_each_failure(solve_large, &s);
}
END_TEST

int main(void) {
    Suite *s = suite_create("cost/network");
    TCase *tc = tcase_create("network");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, small_networks, 0, (int)weft_test_long(200));
    tcase_add_loop_test(tc, networks_of_parts, 0, (int)weft_test_long(5));
    tcase_add_test(tc, a_bound_of_nothing);
    tcase_add_test(tc, a_chain);
    tcase_add_test(tc, failing_allocations);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
