/* network_solve.c: prices of memory, and choices for them; see network.h.
 *
 * Few nodes are tried by branch and bound first (network_branch.c), which mostly ends with the best.
 *
 * Phase 1 sends messages. After each pass the choices that are the least by a node's own messages say in which periods
 * memory is above the limit, where prices rise, and below it, where they sink (a subgradient of the dual: Held and
 * Karp, 1971). The bound of any prices is one of the problem. Choices that fit together, which nodes suggest in turn,
 * are kept if they are the best so far, but are a much worse subgradient. Phase 2 begins with the cheapest suggestion,
 * and solves forests; prices rise by a factor while memory is too much, and sink slowly while it is not, so that the
 * search stays near the limit. Steps of prices are shares of the bound, which rises with them; where it is about 0, of
 * the least difference of two costs. (Of the largest, which in the contest is far above the bound, prices would soon be
 * much too high.) Where the sum has stopped to fall it begins again, mostly with what the messages suggest for the
 * prices as they are then, else with the best so far.
 */
#include <math.h>
#include <string.h>
#include "cost/network_impl.h"

enum { PASSES = 1000, WARM = 10, ROUNDS = 200, TURNS = 3, STALE = 8, BACK = 4 };
/* The first step would raise the dual by this share; later ones are shorter. Tried on instances B and G of the contest
 * (bench/network): with 0.05 to 0.5 and 10 to 50 the bounds of G differ by 2%, those of B by 9%. */
#define FIRST_STEP 0.2
#define STEPS_TO_HALF 20.0
#define SAME 1e-3 /* less is no fall of a sum */

typedef struct solver {
    weft_network *x;
    const weft_network_options *opt;
    weft_network_result *out;
    uint32_t *choice;            /* as it is now */
    double least;                /* by which choices differ in cost */
    network_messages m;
} solver;

static bool stops(const solver *s, int phase) { return s->opt->stop && s->opt->stop(s->opt->user, phase); }

/* Whether the choices take more than the limit; x->use is set. */
static bool is_above(const solver *s, double *peak) {
    *peak = weft_network_peak(s->x, s->choice);
    return s->opt->limit > 0 && *peak > s->opt->limit;
}

/* Keeps the choices if they are better than the best so far: within the limit, then cheaper. */
static bool keep(solver *s) {
    double peak;
    const bool fits = !is_above(s, &peak);
    const double cost = weft_network_cost(s->x, s->choice);
    weft_network_result *o = s->out;
    const bool less = fits ? cost < o->cost : peak < o->peak || (peak <= o->peak && cost < o->cost);
    if (!(fits != o->fits ? fits : less)) return false;
    memcpy(o->choice, s->choice, s->x->node_count * sizeof *s->choice);
    o->fits = fits;
    o->cost = cost;
    o->peak = peak;
    return true;
}

/* The least by which one of these costs is above the lowest of them. */
static double difference(const double *cost, size_t n) {
    double low = INFINITY, least = INFINITY;
    for (size_t i = 0; i < n; i++) low = fmin(low, cost[i]);
    for (size_t i = 0; i < n; i++)
        if (cost[i] > low) least = fmin(least, cost[i] - low);
    return least;
}

/* Of the choices of any node or edge; 1 where all cost the same: any price then says which take less memory. */
static double least_difference(const weft_network *x) {
    double least = WEFT_NETWORK_NEVER;
    for (uint32_t i = 0; i < x->node_count; i++)
        least = fmin(least, difference(x->cost + x->node[i].first, x->node[i].n));
    for (uint32_t i = 0; i < x->edge_count; i++)
        least = fmin(least, difference(x->edge[i].cost, (size_t)x->node[x->edge[i].a].n * x->node[x->edge[i].b].n));
    return least < x->most ? least : 1;
}

static double paid_for_limit(const solver *s) {
    double sum = 0;
    for (uint32_t i = 0; i < s->x->periods; i++) sum += s->x->price[i];
    return sum * s->opt->limit;
}

/* One step along the subgradient, by how much memory is above or below the limit in each period that matters. The
 * length is such that the dual would rise by `gap`, were it linear. */
static bool move_prices(solver *s, double gap) {
    weft_network *x = s->x;
    const double limit = s->opt->limit;
    double sum = 0;
    if (limit <= 0) return false;
    for (uint32_t i = 0; i < x->periods; i++) {
        const double d = (x->use[i] - limit) / limit;
        if (d > 0 || x->price[i] > 0) sum += d * d;
    }
    if (sum <= 0) return false;
    for (uint32_t i = 0; i < x->periods; i++) {
        const double d = (x->use[i] - limit) / limit;
        if (d <= 0 && x->price[i] <= 0) continue;
        x->price[i] += gap / limit * d / sum;
        if (x->price[i] < 0) x->price[i] = 0;
    }
    return true;
}

static weft_status send_messages(solver *s) {
    weft_network *x = s->x;
    double best = -INFINITY;
    double *kept = weft_arena_array(x->arena, double, x->periods + 1u);
    s->least = least_difference(x);
    memset(x->price, 0, (x->periods + 1u) * sizeof *x->price); /* a solve before this one left some */
    weft_status st = kept ? network_messages_new(x, &s->m) : weft_oom();
    for (uint32_t i = 0; i < PASSES && st == WEFT_OK && !(i && stops(s, 1)); i++) {
        network_pay(x);
        const double bound = network_pass(x, &s->m, s->choice) - paid_for_limit(s);
        (void)keep(s);
        if (bound > best) {
            best = bound;
            memcpy(kept, x->price, (x->periods + 1u) * sizeof *kept);
        }
        if (i < WARM) continue;
        memcpy(s->choice, s->m.least, x->node_count * sizeof *s->choice);
        (void)weft_network_peak(x, s->choice);
        (void)move_prices(s, fmax(fabs(best), s->least) * FIRST_STEP / (1 + (i - WARM) / STEPS_TO_HALF));
    }
    if (st == WEFT_OK) memcpy(x->price, kept, (x->periods + 1u) * sizeof *kept);
    s->out->bound = best;
    return st;
}

static void scale_prices(const solver *s, double by) {
    for (uint32_t i = 0; i < s->x->periods; i++) s->x->price[i] *= by;
}

static weft_status solve_forests(solver *s) {
    weft_network *x = s->x;
    const uint32_t rounds = s->opt->rounds ? s->opt->rounds : ROUNDS;
    network_forest *f = network_forest_new(x, UINT64_C(0x9e3779b97f4a7c15));
    uint32_t *from = weft_arena_array(x->arena, uint32_t, x->node_count + 1u);
    if (!f || !from) return weft_oom();
    memcpy(s->choice, s->out->choice, x->node_count * sizeof *s->choice);
    double last = INFINITY;
    uint32_t stale = 0, begun = 0;
    for (; s->out->rounds < rounds && !stops(s, 2); s->out->rounds++) {
        double peak;
        network_pay(x);
        for (int t = 0; t < TURNS; t++) {
            network_forest_turn(f, s->choice);
            (void)keep(s);
        }
        if (is_above(s, &peak)) {
            (void)move_prices(s, 0.02 * fmax(fabs(s->out->bound), s->least));
            scale_prices(s, 1.02);
        } else scale_prices(s, 0.98);
        const double now = weft_network_cost(x, s->choice);
        stale = isinf(last) || now < last - SAME * fabs(last) ? 0 : stale + 1;
        if (!stale) last = now;
        if (stale < STALE) continue;
        stale = 0;
        last = INFINITY;
        if (++begun % BACK == 0) memcpy(s->choice, s->out->choice, x->node_count * sizeof *s->choice);
        else {
            network_pay(x);
            (void)network_pass(x, &s->m, s->choice);
        }
    }
    return WEFT_OK;
}

weft_status weft_network_solve(weft_network *x, const weft_network_options *opt, weft_network_result *out) {
    solver s = { .x = x, .opt = opt, .out = out };
    bool whole = false, found = false;
    *out = (weft_network_result){ .cost = INFINITY, .peak = INFINITY };
    weft_status st = network_settle(x);
    out->choice = weft_arena_array(x->arena, uint32_t, x->node_count + 1u);
    s.choice = weft_arena_array(x->arena, uint32_t, x->node_count + 1u);
    if (st != WEFT_OK || !out->choice || !s.choice) return weft_oom();
    st = network_branch(x, opt->limit, s.choice, &whole, &found);
    if (st == WEFT_OK && found) (void)keep(&s);
    if (st == WEFT_OK && found && whole) {
        out->is_best = true;
        out->bound = out->cost;
        return WEFT_OK;
    }
    if (st == WEFT_OK) st = send_messages(&s);
    return st == WEFT_OK && !whole ? solve_forests(&s) : st;
}
