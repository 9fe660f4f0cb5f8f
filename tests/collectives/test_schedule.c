/* test_schedule.c: every schedule of collectives/schedules.def, simulated for all ranks of groups of 2 to 33, with
 * various roots, each rank on a node of its own and on nodes and packages of many shapes: every message sent is
 * received, nothing is added twice, all end with the collective's result; and the rounds and bytes are those of
 * cost/algorithms.def.
 */
#include <check.h>
#include <stdlib.h>
#include "collectives/schedule.h"
#include "cost/algorithm_id.h"
#include "tests/support/suite.h"

#define HOLDS(what) ASSERT_EACH(what, "%s", #what)

#define RANKS 33
#define BLOCKS (5 * RANKS)

/* Of a block at a rank: whose operands are in it, and for moving collectives what it is: a giver and what it is for. */
typedef struct block {
    uint64_t of;
    int done, giver, aim;
} block;

/* late: what may be sent: with a lag, without the last round's arrivals */
static struct { block at[RANKS][BLOCKS], late[RANKS][BLOCKS], before[RANKS][BLOCKS]; } *state;

/* Where ranks are, and whose block is which of a store. */
static weft_levels levels;
/* ends: of PASSED, at each rank from each */
static int memory_of_levels[WEFT_LEVELS_INTS(RANKS)], place[2 * RANKS], rank_of[RANKS], ends[RANKS][RANKS];

static int is_adding(weft_coll_kind kind) { return weft_coll_table[kind].adding == WEFT_COLL_ADDS; }

static void give(int rank, int blk, int giver, int aim) {
    state->at[rank][blk] = (block){ (uint64_t)1 << giver, 1, giver, aim };
}

static void start(weft_coll_kind kind, const weft_schedule *plan, int p, int root) {
    int cuts = plan->cuts;
    memset(state, 0, sizeof *state);
    for (int r = 0; r < p; r++)
        for (int b = 0; b < plan->blocks; b++) {
            int owner = plan->store == WEFT_STORE_EACH ? rank_of[b / cuts] : b / cuts;
            state->at[r][b] = (block){ 0, 0, -1, -1 };
            if (is_adding(kind) && (plan->store == WEFT_STORE_WHOLE || kind == WEFT_PLAN_REDUCE_SCATTER))
                state->at[r][b] = (block){ (uint64_t)1 << r, 0, -1, -1 };
            else if (plan->store == WEFT_STORE_WHOLE && r == root) give(r, b, root, b);
            else if (kind == WEFT_PLAN_SCATTER && r == root) give(r, b, root, owner);
            else if (plan->store == WEFT_STORE_PAIRS && owner < p) give(r, b, r, owner);
            else if (plan->store == WEFT_STORE_PAIRS && owner == p + r) give(r, b, r, r);
            else if (plan->store == WEFT_STORE_TURNED) give(r, b, r, (r + owner) % p);
            else if (plan->store == WEFT_STORE_PASSED && owner < p) give(r, b, r, rank_of[owner]);
            else if (plan->store == WEFT_STORE_EACH && kind != WEFT_PLAN_SCATTER && owner == r) give(r, b, r, b % cuts);
        }
}

static void check_end(weft_coll_kind kind, const weft_schedule *plan, int p, int root) {
    uint64_t all = p == 64 ? ~(uint64_t)0 : ((uint64_t)1 << p) - 1;
    int cuts = plan->cuts;
    for (int r = 0; r < p && plan->store == WEFT_STORE_PASSED; r++)
        for (int from = 0; from < p; from++) {
            const block *x = &state->at[r][ends[r][from]];
            HOLDS(x->done && x->giver == from && x->aim == r);
        }
    for (int r = 0; r < p && plan->store != WEFT_STORE_PASSED; r++)
        for (int b = 0; b < plan->blocks; b++) {
            const block *x = &state->at[r][b];
            int owner = plan->store == WEFT_STORE_EACH ? rank_of[b / cuts] : b / cuts;
            if (weft_coll_table[kind].takers == WEFT_ENDS_ROOT && r != root) continue;
            if (kind == WEFT_PLAN_REDUCE_SCATTER && owner != r) continue;
            if (kind == WEFT_PLAN_SCATTER && owner != r) continue;
            if (plan->store == WEFT_STORE_PAIRS && owner < p) continue;
            HOLDS(x->done);
            if (is_adding(kind) && plan->store == WEFT_STORE_WHOLE) HOLDS(x->of == all);
            else if (kind == WEFT_PLAN_REDUCE_SCATTER) HOLDS(x->of == all);
            else if (plan->store == WEFT_STORE_WHOLE) HOLDS(x->giver == root && x->aim == b);
            else if (kind == WEFT_PLAN_SCATTER) HOLDS(x->giver == root && x->aim == r);
            else if (plan->store == WEFT_STORE_PAIRS) HOLDS(x->giver == owner - p && x->aim == r);
            else if (plan->store == WEFT_STORE_TURNED) HOLDS(x->giver == (r + p - owner) % p && x->aim == r);
            else HOLDS(x->giver == owner && x->aim == b % cuts);
        }
}

static int list(const weft_blockset *set, int blocks, int out[BLOCKS]) {
    int n = 0;
    for (int i = 0, first, count; weft_blockset_run(set, blocks, &i, &first, &count);)
        for (int b = first; b < first + count; b++) {
            HOLDS(n < BLOCKS);
            HOLDS(b >= 0 && b < blocks);
            out[n++] = b;
        }
    return n;
}

static int is_send(weft_act a) { return a == WEFT_ACT_SEND || a == WEFT_ACT_SEND_SUM; }

/* Blocks that a rank sends or receives, whichever it does more of; and rounds: of all messages, of those between nodes,
 * of those between packages of a node; rounds in which no message goes between nodes are near ones. */
enum { ANY, FAR, CROSSED, WAYS };
typedef struct totals { int64_t sent[WAYS][RANKS], got[WAYS][RANKS]; int rounds, near; } totals;

static void count(totals *sum, int from, int to, int n) {
    int far = levels.node[from] != levels.node[to], crosses = !far && levels.package[from] != levels.package[to];
    sum->sent[ANY][from] += n, sum->got[ANY][to] += n;
    if (far) sum->sent[FAR][from] += n, sum->got[FAR][to] += n;
    if (crosses) sum->sent[CROSSED][from] += n, sum->got[CROSSED][to] += n;
}

static int64_t most_of(const totals *sum, int way) {
    int64_t most = 0;
    for (int r = 0; r < levels.ranks; r++) {
        most = sum->sent[way][r] > most ? sum->sent[way][r] : most;
        most = sum->got[way][r] > most ? sum->got[way][r] : most;
    }
    return most;
}

/* The transfers of a round of all ranks, and which of them have been dealt with. */
typedef struct round_of_all {
    weft_transfer t[RANKS][WEFT_TRANSFERS];
    int n[RANKS], used[RANKS][WEFT_TRANSFERS];
} round_of_all;

/* The first send of `from` to `to` that was not received. */
static const weft_transfer *matching(round_of_all *all, int from, int to) {
    for (int i = 0; i < all->n[from]; i++) {
        const weft_transfer *t = &all->t[from][i];
        if (!is_send(t->act) || t->peer != to || all->used[from][i]) continue;
        all->used[from][i] = 1;
        return t;
    }
    ck_abort_msg("rank %d waits for a message of rank %d", to, from);
    return NULL;
}

static void receive(const weft_schedule *plan, round_of_all *all, int r, const weft_transfer *t, totals *sum) {
    int to[BLOCKS], from[BLOCKS], n = list(&t->set, plan->blocks, to);
    const weft_transfer *s = matching(all, t->peer, r);
    HOLDS(list(&s->set, plan->blocks, from) == n);
    HOLDS((s->act == WEFT_ACT_SEND) == (t->act == WEFT_ACT_TAKE));
    count(sum, t->peer, r, n);
    for (int i = 0; i < n; i++) {
        const block *theirs = &state->late[t->peer][from[i]];
        block *mine = &state->at[r][to[i]];
        HOLDS(theirs->done == (t->act == WEFT_ACT_TAKE)); /* what is sent is there */
        if (t->act == WEFT_ACT_TAKE) {
            *mine = *theirs;
            continue;
        }
        if (t->act == WEFT_ACT_TAKE_SUM) { /* whatever was mine has gone into it before */
            HOLDS(!mine->done && (mine->of & ~theirs->of) == 0);
            *mine = *theirs;
            continue;
        }
        HOLDS(!mine->done && (mine->of & theirs->of) == 0);
        mine->of |= theirs->of;
    }
}

/* What is received where it belongs is not sent in the same round. */
static void check_apart(const weft_schedule *plan, const round_of_all *all, int r, const weft_transfer *t) {
    int to[BLOCKS], from[BLOCKS], n = list(&t->set, plan->blocks, to);
    for (int i = 0; i < all->n[r]; i++) {
        int sent = is_send(all->t[r][i].act) ? list(&all->t[r][i].set, plan->blocks, from) : 0;
        for (int a = 0; a < n && (t->act == WEFT_ACT_TAKE || t->act == WEFT_ACT_TAKE_SUM); a++)
            for (int b = 0; b < sent; b++) HOLDS(to[a] != from[b]);
    }
}

static int carry_out(const weft_schedule *plan, int p, int root, int round, totals *sum) {
    static round_of_all all;
    int messages = 0, far = 0;
    memset(&all, 0, sizeof all);
    for (int r = 0; r < p; r++) {
        weft_seat seat = { p, r, root, &levels };
        all.n[r] = plan->transfers(&seat, round, all.t[r]);
        HOLDS(all.n[r] <= WEFT_TRANSFERS);
        HOLDS((all.n[r] < 0) == (all.n[0] < 0));
    }
    if (all.n[0] < 0) return 0;
    /* What a round sends: with a lag the state before the last round's arrivals, but for what is finished now. */
    if (!plan->lag) memcpy(state->late, state->at, (size_t)p * sizeof *state->at);
    for (int r = 0; r < p; r++)
        for (int i = 0; i < all.n[r]; i++) {
            int blocks[BLOCKS],
                n = all.t[r][i].act == WEFT_ACT_FINISH ? list(&all.t[r][i].set, plan->blocks, blocks) : 0;
            for (int b = 0; b < n; b++) {
                block *x = &state->late[r][blocks[b]];
                /* with a lag it was whole before the last arrivals */
                HOLDS(!x->done && x->of == ((uint64_t)1 << p) - 1);
                x->done = state->at[r][blocks[b]].done = 1;
            }
            messages += all.t[r][i].act != WEFT_ACT_FINISH;
            far += all.t[r][i].act != WEFT_ACT_FINISH && levels.node[r] != levels.node[all.t[r][i].peer];
        }
    if (plan->lag) memcpy(state->before, state->at, (size_t)p * sizeof *state->at);
    for (int r = 0; r < p; r++)
        for (int i = 0; i < all.n[r]; i++)
            if (!is_send(all.t[r][i].act) && all.t[r][i].act != WEFT_ACT_FINISH) {
                receive(plan, &all, r, &all.t[r][i], sum);
                if (plan->store != WEFT_STORE_TURNED) check_apart(plan, &all, r, &all.t[r][i]);
            }
    for (int r = 0; r < p; r++)
        for (int i = 0; i < all.n[r]; i++) HOLDS(!is_send(all.t[r][i].act) || all.used[r][i]);
    if (plan->lag) memcpy(state->late, state->before, (size_t)p * sizeof *state->at);
    sum->rounds += messages > 0;
    sum->near += messages > 0 && !far;
    return 1;
}

/* The column's factor of n, by a machine on which nothing else costs anything. */
static double predicted(weft_alg_id alg, int p, int rounds) {
    weft_links links = { .reduce_bytes_per_s = 1e300, .copy_bytes_per_s = 1e300 };
    for (int i = 0; i < WEFT_LINK_COUNT; i++) links.at[i] = (weft_link){ rounds, rounds ? 1e300 : 1 };
    weft_coll_call call = {
        .kind = weft_alg_table[alg].kind, .p = p, .full_bytes = 1 << 20, .can = WEFT_NEEDS_MESSAGES
    };
    return weft_alg_time_s(&links, alg, &call) / (rounds ? 1 : 1 << 20);
}

/* The full tensor in blocks: the operand, or p; an all_reduce that gathers operands has p times its own. */
static double full_of(weft_alg_id alg, const weft_schedule *plan, int p) {
    int owners = plan->blocks / plan->cuts;
    return plan->store == WEFT_STORE_WHOLE ||
                   (is_adding(weft_alg_table[alg].kind) && weft_alg_table[alg].kind == WEFT_PLAN_ALL_REDUCE)
               ? (double)plan->cuts
               : (double)plan->cuts * (owners < p ? owners : p);
}

/* most: the root's sends or receives, whichever are more. */
static void check_costs(weft_alg_id alg, const weft_schedule *plan, int p, const totals *sum, double *most) {
    double sent = (double)most_of(sum, ANY) / full_of(alg, plan, p), column = predicted(alg, p, 0);
    ck_assert_msg(sent <= column * (1 + 1e-9) && sent >= column / 2, "%s of %d ranks by %s sends %g, not %g",
                  weft_coll_kind_name(weft_alg_table[alg].kind), p, weft_alg_table[alg].name, sent, column);
    *most = sent > *most ? sent : *most;
    double rounds = predicted(alg, p, 1) / (!strcmp(weft_alg_table[alg].name, "double_tree") ? 1.3 : 1.1) - 1;
    ck_assert_msg(rounds >= sum->rounds - 1e-6 && rounds <= sum->rounds + 1.001,
                  "%s of %d ranks by %s takes %d rounds, not %g", weft_coll_kind_name(weft_alg_table[alg].kind), p,
                  weft_alg_table[alg].name, sum->rounds, rounds);
}

static int is_rooted(weft_coll_kind kind) {
    return weft_coll_table[kind].givers == WEFT_ENDS_ROOT || weft_coll_table[kind].takers == WEFT_ENDS_ROOT;
}

/* From the first round to the last one, where `levels` says. */
static totals run(weft_alg_id alg, int root, weft_schedule *plan) {
    int p = levels.ranks;
    weft_coll_kind kind = weft_alg_table[alg].kind;
    totals sum = { 0 };
    weft_schedule_find(alg, &levels, plan);
    HOLDS(plan->blocks <= BLOCKS);
    for (int r = p - 1; r >= 0; r--) {
        for (int k = 0; k < p; k++) place[k] = k;
        weft_schedule_places(plan, &(weft_seat){ p, r, root, &levels }, place);
        memcpy(ends[r], place + p, sizeof ends[r]);
        for (int k = 0; k < p && plan->store == WEFT_STORE_PASSED; k++)
            HOLDS(ends[r][k] >= 0 && ends[r][k] < plan->blocks);
    }
    for (int r = 0; r < p; r++) rank_of[r] = -1;
    for (int r = 0; r < p; r++) {
        HOLDS(place[r] >= 0 && place[r] < p && rank_of[place[r]] < 0);
        rank_of[place[r]] = r;
    }
    start(kind, plan, p, root);
    memcpy(state->late, state->at, sizeof state->at);
    for (int round = 0; carry_out(plan, p, root, round, &sum); round++) HOLDS(round < 10000);
    check_end(kind, plan, p, root);
    return sum;
}

/* What runs each algorithm: those of `schedule` have a line in schedules.def, the others none. */
static const char *const run_of[] = {
#define ALG(kind, name, run, needs, order, rounds, near, peers, sent, crossed, reduced, copied) \
    [WEFT_ALG_##kind##_##name] = #run,
#include "cost/algorithms.def"
};

START_TEST(test_listed) {
    int node[2] = { 0, 1 }, package[2] = { 0 }, scheduled = !strcmp(run_of[_i], "schedule");
    weft_schedule plan;
    weft_levels_make(&levels, 2, node, package, memory_of_levels);
    ck_assert_msg(weft_schedule_find((weft_alg_id)_i, &levels, &plan) == scheduled,
                  "%s of %s: cost/algorithms.def says `%s`, and collectives/schedules.def has %s",
                  weft_alg_table[_i].name, weft_coll_kind_name(weft_alg_table[_i].kind), run_of[_i],
                  scheduled ? "no line of it" : "a line of it");
}
END_TEST

START_TEST(test_schedule) {
    weft_alg_id alg = (weft_alg_id)_i;
    weft_schedule plan;
    int node[RANKS], package[RANKS] = { 0 };
    for (int r = 0; r < RANKS; r++) node[r] = r;
    for (int p = 2; p <= RANKS; p++) {
        weft_levels_make(&levels, p, node, package, memory_of_levels);
        if (!weft_schedule_find(alg, &levels, &plan)) return;
        double most = 0;
        for (int root = 0; root < (is_rooted(weft_alg_table[alg].kind) ? p : 1); root += 1 + p / 5) {
            totals sum = run(alg, root, &plan);
            check_costs(alg, &plan, p, &sum, &most);
        }
        if (p > 3 && !(p & (p - 1)) && strcmp(weft_alg_table[alg].name, "double_tree"))
            ck_assert_double_eq_tol(most, predicted(alg, p, 0), 1e-9);
    }
}
END_TEST

/* --- levels ------------------------------------------------------------------------------------------------------- */

/* Ranks of each package, by node; even: all alike. */
static const struct { const char *text; int even; } shapes[] = {
    { "1 1 | 1 1", 1 },         { "2 2 | 2 2", 1 },           { "4 4 | 4 4 | 4 4", 1 },     { "2 2 2 | 2 2 2 | 2 2 2 | 2 2 2", 1 }, { "3 3 | 3 3", 1 },
    { "8 8 | 8 8", 1 },         { "1 1 1 1 | 1 1 1 1", 1 },   { "4 | 4 | 4 | 4", 1 },       { "4 4", 0 },                           { "2 1 | 1 2 | 3", 0 },
    { "5 | 1 1 1 | 2", 0 },     { "3 | 1", 0 },               { "2 3 1 4 | 2 2", 0 },       { "1 | 1 | 7 9", 0 },                   { "3 3 3 | 3 3", 0 },
    { "6 5 | 6 5 | 6 5", 0 },   { "1 | 2 | 3 | 4 | 5", 0 },   { "16 17", 0 },               { "5 5 5 | 2 9", 0 },                   { "1 16 | 16", 0 },
};
/* Ranks go through the places one after the other; or some further on each time, so that they follow neither nodes nor
 * packages. */
enum { IN_ORDER, DEALT, ORDERS };

static void take_shape(const char *text, int order) {
    int spot[RANKS][2], node[RANKS], package[RANKS], p = 0, k = 0, q = 0, seen[RANKS], nodes = 0,
                                                     step = order == DEALT ? 5 : 1;
    for (const char *c = text; *c;) {
        if (*c == ' ' || *c == '|') {
            k += *c++ == '|';
            continue;
        }
        for (int n = (int)strtol(c, (char **)&c, 10); n > 0; n--) spot[p][0] = k, spot[p++][1] = q;
        q++;
    }
    while (p % step == 0 && step > 1) step += 2;
    for (int i = 0; i < RANKS; i++) seen[i] = -1;
    for (int r = 0; r < p; r++) {
        int *at = spot[r * step % p];
        if (seen[at[0]] < 0) seen[at[0]] = nodes++;
        node[r] = seen[at[0]], package[r] = at[1];
    }
    weft_levels_make(&levels, p, node, package, memory_of_levels);
}

/* A column of the table where latency or bandwidth of the one link or the other is all that costs. */
static double column_of(weft_alg_id alg, weft_link_level level, int rounds) {
    weft_links links = { .reduce_bytes_per_s = 1e300, .copy_bytes_per_s = 1e300 };
    for (int i = 0; i < WEFT_LINK_COUNT; i++) links.at[i] = (weft_link){ 0, 1e300 };
    links.at[level] = rounds ? (weft_link){ 1, 1e300 } : (weft_link){ 0, 1 };
    weft_coll_call call = { .kind = weft_alg_table[alg].kind, .p = levels.ranks, .full_bytes = 1 << 20,
                            .level = WEFT_LINK_NETWORK, .can = WEFT_NEEDS_MESSAGES, .nodes = levels.nodes,
                            .packages = levels.packages };
    return weft_alg_time_s(&links, alg, &call) / (rounds ? 1.1 : 1 << 20); /* one peer at a time */
}

/* Of all roots the most of each. */
enum { SENT_FAR, SENT_CROSSED, ROUNDS_FAR, ROUNDS_NEAR, FIGURES };

static void note_levels(weft_alg_id alg, const weft_schedule *plan, const totals *sum, double most[FIGURES]) {
    double full = full_of(alg, plan, levels.ranks);
    double now[FIGURES] = { (double)most_of(sum, FAR) / full, (double)most_of(sum, CROSSED) / full,
                            sum->rounds - sum->near, sum->near };
    for (int i = 0; i < FIGURES; i++) most[i] = now[i] > most[i] ? now[i] : most[i];
}

/* Those that go by levels do what the table says of even ones. */
static void check_levels(weft_alg_id alg, const double most[FIGURES]) {
    ck_assert_double_eq_tol(most[SENT_FAR], column_of(alg, WEFT_LINK_NETWORK, 0), 1e-9);
    ck_assert_double_eq_tol(most[SENT_CROSSED], column_of(alg, WEFT_LINK_MACHINE, 0), 1e-9);
    ck_assert_double_eq_tol(most[ROUNDS_FAR], column_of(alg, WEFT_LINK_NETWORK, 1) - 1, 1e-9);
    ck_assert_double_eq_tol(most[ROUNDS_NEAR], column_of(alg, WEFT_LINK_MACHINE, 1), 1e-9);
}

START_TEST(test_levels) {
    weft_alg_id alg = (weft_alg_id)_i;
    const char *name = weft_alg_table[alg].name;
    int by_level = !strcmp(name, "split_rail") || !strncmp(name, "level_", 6);
    weft_schedule plan;
    for (size_t i = 0; i < WEFT_COUNT(shapes) * ORDERS; i++) {
        int order = (int)(i % ORDERS);
        take_shape(shapes[i / ORDERS].text, order);
        if (!weft_schedule_find(alg, &levels, &plan)) return;
        int priced = by_level && shapes[i / ORDERS].even && order == IN_ORDER;
        double most[FIGURES] = { 0 };
        for (int root = 0; root < (is_rooted(weft_alg_table[alg].kind) ? levels.ranks : 1);
             root += priced ? 1 : 1 + levels.ranks / 7) {
            totals sum = run(alg, root, &plan);
            note_levels(alg, &plan, &sum, most);
        }
        if (priced) check_levels(alg, most);
    }
}
END_TEST

static const struct { weft_blockset set; int blocks, want[8], n; } sets[] = {
    { { 2, 3, 0, 0 }, 8, { 2, 3, 4 }, 3 },       { { 6, 4, 0, 0 }, 8, { 6, 7, 0, 1 }, 4 }, { { 0, 5, 0, 0 }, 5, { 0, 1, 2, 3, 4 }, 5 }, { { 3, 0, 0, 0 }, 5, { 0 }, 0 },
    { { 1, 1, 2, 0 }, 6, { 1, 3, 5 }, 3 },       { { 2, 2, 4, 0 }, 7, { 2, 3, 6 }, 3 },    { { 4, 4, 8, 0 }, 5, { 4 }, 1 },
    { { 1, 2, 3, 2 }, 9, { 1, 2, 4, 5 }, 4 },    { { 1, 2, 3, 1 }, 9, { 1, 2 }, 2 },       { { 2, 2, 4, 5 }, 7, { 2, 3, 6 }, 3 },
};

START_TEST(test_set) {
    int got[BLOCKS], n = list(&sets[_i].set, sets[_i].blocks, got), runs = n > 0;
    ck_assert_int_eq(n, sets[_i].n);
    for (int i = 0; i < n; i++) ck_assert_int_eq(got[i], sets[_i].want[i]);
    for (int i = 1; i < n; i++) runs += got[i] != got[i - 1] + 1;
    ck_assert_int_eq(weft_blockset_is_run(&sets[_i].set, sets[_i].blocks), runs == 1);
}
END_TEST

int main(void) {
    state = malloc(sizeof *state);
    Suite *s = suite_create("schedule");
    TCase *tc = tcase_create("schedule");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_listed, 0, WEFT_ALG_COUNT);
    tcase_add_loop_test(tc, test_schedule, 0, WEFT_ALG_COUNT);
    tcase_add_loop_test(tc, test_levels, 0, WEFT_ALG_COUNT);
    tcase_add_loop_test(tc, test_set, 0, (int)WEFT_COUNT(sets));
    suite_add_tcase(s, tc);
    int status = weft_run_suite(s);
    free(state);
    return status;
}
