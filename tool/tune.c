/* tune: the measurements of `weft tune`, by collectives alone.
 *
 * Latency and bandwidth of a level: ranks at that distance form pairs, all at once, since a rank's bandwidth is its
 * share while all are busy. One rendezvous of a pair is a latency; the extra time of a larger permute over a smaller
 * one gives the bandwidth. Algorithms: each one that can run is forced for each size; the fastest is chosen, and
 * replaced only by one that is clearly faster. From which size on stores bypass the caches: copies and sums are timed
 * in both ways. Rank 0 decides everything and collectives distribute it, so that all ranks do the same. */
#include "tool/tune.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "cost/algorithm_id.h"
#include "runtime/execute.h"
#include "tool/coll_ops.h"

#define TIMES 4           /* factor from one size to the next */
#define NEAR (256 << 10)  /* the two sizes for measuring bandwidths */
#define FAR (4 << 20)
#define BATCHES 5
#define CLEARLY 0.93      /* fraction of the time of the best algorithm so far */

/* Shared by all ranks of this process. */
typedef struct tuning {
    const tool_tune_job *job;
    weft_world *world;
    weft_tune *found;          /* written by rank 0's thread */
} tuning;

typedef struct seat {
    tuning *all;
    weft_context *cx;
    weft_comm *c;
    int rank, ranks;
    float *in, *out;
    int32_t *core, *partner;   /* [ranks]: each rank's core; its partner at the measured level, -1: none */
    pthread_t thread;
    weft_status status;
} seat;

/* --- time --------------------------------------------------------------------------------------------------------- */

typedef struct job { weft_status (*run)(const void *what); const void *what; } job;

/* The slowest rank's time. */
static weft_status slowest(const seat *s, double *seconds) {
    weft_coll_buf b = { seconds, seconds, weft_coll_type("f64"), 1, 1, 1 };
    return weft_coll_all_reduce(s->c, WEFT_MAX, &b, 1, NULL);
}

/* Seconds of one run while all ranks do the same: the least of a few batches, which are as long as the clock needs;
 * longer ones were disturbed. */
static weft_status time_of(const seat *s, job j, double *seconds) {
    int runs = 1;
    double least = INFINITY;
    weft_status st = j.run(j.what);
    for (int i = -1; i < BATCHES && st == WEFT_OK; i++) {
        st = weft_coll_barrier(s->c, NULL);
        double start = tool_now_s();
        for (int k = 0; k < runs && st == WEFT_OK; k++) st = j.run(j.what);
        double took = (tool_now_s() - start) / runs;
        if (st == WEFT_OK) st = slowest(s, &took);
        /* equal on all ranks */
        if (i < 0) runs = took > 1e-3 ? 1 : (int)weft_min_i64(2000, 1 + (int64_t)(1e-3 / (took > 1e-9 ? took : 1e-9)));
        else if (took < least) least = took;
    }
    if (st == WEFT_OK) *seconds = least > 1e-9 ? least : 1e-9; /* the clock's step */
    return st;
}

/* --- rates of one rank -------------------------------------------------------------------------------------------- */

typedef struct loop { float *a, *b; size_t n; } loop;

static weft_status add_loop(const void *what) {
    const loop *l = what;
    float *restrict a = l->a;
    const float *restrict b = l->b;
    for (size_t i = 0; i < l->n; i += 16)
        for (size_t k = 0; k < 16; k++) a[i + k] += b[i + k];
    return WEFT_OK;
}

static weft_status copy_loop(const void *what) {
    const loop *l = what;
    memcpy(l->a, l->b, l->n * sizeof *l->a);
    return WEFT_OK;
}

/* Four digits: more are noise. */
static double rounded(double v) {
    const double unit = pow(10, floor(log10(v)) - 3);
    return round(v / unit) * unit;
}

static weft_status measure_rates(seat *s) {
    loop near = { s->out, s->in, 64 << 10 >> 2 }, far = { s->out, s->in, FAR >> 2 };
    double add = 0, copy = 0;
    weft_status st = time_of(s, (job){ add_loop, &near }, &add);
    if (st == WEFT_OK) st = time_of(s, (job){ copy_loop, &far }, &copy);
    if (st != WEFT_OK || s->rank) return st;
    /* of one operand per addition, as cost/algorithms.def counts */
    s->all->found->links.reduce_bytes_per_s = rounded((double)(near.n * sizeof(float)) / add);
    s->all->found->links.copy_bytes_per_s = rounded((double)(far.n * sizeof(float)) / copy);
    s->all->found->reduce_measured = s->all->found->copy_measured = true;
    return WEFT_OK;
}

/* --- links -------------------------------------------------------------------------------------------------------- */

/* The distance of two ranks. Nodes are assumed to be equal: their cores have the same numbers. */
static weft_link_level level_of(const seat *s, int a, int b) {
    if (weft_world_node_of(s->all->world, a) != weft_world_node_of(s->all->world, b)) return WEFT_LINK_NETWORK;
    return weft_topology_core_level(s->all->job->node, s->core[a], s->core[b]);
}

/* Pairs the ranks at this level: rank 0's pairs are used by all. */
static weft_status pair_up(seat *s, weft_link_level level, int *pairs) {
    *pairs = 0;
    for (int r = 0; r < s->ranks; r++) s->partner[r] = -1;
    for (int a = 0; a < s->ranks && s->rank == 0; a++)
        for (int b = a + 1; b < s->ranks && s->partner[a] < 0; b++)
            if (s->partner[b] < 0 && level_of(s, a, b) == level) s->partner[a] = b, s->partner[b] = a;
    weft_coll_buf b = { s->partner, s->partner, weft_coll_type("i32"), 1, 1, s->ranks };
    weft_status st = weft_coll_broadcast(s->c, 0, &b, 1, NULL);
    for (int r = 0; r < s->ranks; r++) *pairs += s->partner[r] > r;
    return st;
}

typedef struct exchange { const seat *s; weft_comm *pair; int64_t bytes; } exchange;

static weft_status meet(const void *what) {
    const exchange *e = what;
    return e->pair ? weft_coll_barrier(e->pair, NULL) : WEFT_OK;
}

static weft_status swap(const void *what) {
    const exchange *e = what;
    int other = e->pair ? 1 - weft_comm_rank(e->pair) : 0;
    weft_coll_buf b = { e->s->in, e->s->out, weft_coll_type("f32"), 1, 1, e->bytes / 4 };
    return e->pair ? weft_coll_permute(e->pair, other, other, &b, 1, NULL) : WEFT_OK;
}

static weft_status measure_pairs(seat *s, weft_link_level level, weft_comm *pair) {
    exchange near = { s, pair, NEAR }, far = { s, pair, FAR };
    double round_s = 0, near_s = 0, far_s = 0;
    weft_status st =
        pair ? weft_comm_force(pair, level == WEFT_LINK_NETWORK ? "barrier=messages" : "collective_permute=place")
             : WEFT_OK;
    if (st == WEFT_OK) st = time_of(s, (job){ meet, &near }, &round_s);
    if (st == WEFT_OK) st = time_of(s, (job){ swap, &near }, &near_s);
    if (st == WEFT_OK) st = time_of(s, (job){ swap, &far }, &far_s);
    if (st != WEFT_OK || s->rank) return st;
    weft_tune *f = s->all->found;
    /* If the machine is so busy that the longer exchange was faster, its total time. */
    double per_byte = far_s > near_s ? (far_s - near_s) / (FAR - NEAR) : far_s / FAR,
           copied = level == WEFT_LINK_NETWORK ? 1 / f->links.copy_bytes_per_s : 0;
    /* copies made by messages are counted separately, cost/algorithms.def */
    if (per_byte > 2 * copied) per_byte -= copied;
    if (per_byte < 1e-13) per_byte = 1e-13; /* 10 TB/s: no link is as fast */
    /* cost/link.c: a round of two is 1 + 0.1 latencies */
    f->links.at[level] = (weft_link){ rounded(round_s / 1.1), rounded(1 / per_byte) };
    f->measured |= weft_bit(level);
    return WEFT_OK;
}

static weft_status measure_level(seat *s, weft_link_level level) {
    weft_comm *pair = NULL;
    int pairs = 0;
    weft_status st = pair_up(s, level, &pairs);
    if (st != WEFT_OK || pairs == 0) return st;
    int other = s->partner[s->rank],
        members[2] = { s->rank < other ? s->rank : other, s->rank < other ? other : s->rank };
    if (other >= 0) st = weft_comm_group(s->cx, s->c, members, 2, &pair);
    if (st == WEFT_OK) st = measure_pairs(s, level, pair);
    weft_comm_free(pair);
    return st;
}

/* --- algorithms --------------------------------------------------------------------------------------------------- */

typedef struct timed { const tool_coll_op *op; tool_coll_turn turn; } timed;

static weft_status one_call(const void *what) {
    const timed *t = what;
    return t->op->run(&t->turn);
}

/* Seconds of a forced algorithm; 0 if another one runs because it cannot. */
static weft_status time_forced(seat *s, const tool_coll_op *op, weft_alg_id alg, int64_t bytes, double *seconds) {
    char force[96];
    weft_coll_record last;
    timed t = { op, tool_coll_turn_of(s->c, s->in, s->out, bytes) };
    snprintf(force, sizeof force, "%s=%s", weft_coll_kind_name(op->kind), weft_alg_table[alg].name);
    *seconds = 0;
    weft_status st = weft_comm_force(s->c, force);
    if (st == WEFT_OK) st = op->run(&t.turn);
    bool runs = st == WEFT_OK && weft_comm_last(s->c, &last) && !strcmp(last.algorithm, weft_alg_table[alg].name);
    if (runs) st = time_of(s, (job){ one_call, &t }, seconds);
    if (st == WEFT_OK) st = weft_comm_force(s->c, NULL);
    return st;
}

/* After the existing rules; if two ranges meet the earlier one counts. */
static void add_rule(seat *s, weft_alg_id alg, int64_t from, int64_t to) {
    const weft_tune_rule r = { s->ranks, weft_world_nodes(s->all->world), { alg, from, to } };
    if (s->rank == 0) weft_tune_add(s->all->found, &r);
}

/* The fastest of the allowed ones, by size; bounds are powers of two between the timed sizes. */
static weft_status choose(seat *s, const tool_coll_op *op, weft_sums sums) {
    weft_alg_id chosen = WEFT_ALG_COUNT;
    int64_t from = 0;
    weft_status st = WEFT_OK;
    for (int64_t n = TOOL_TUNE_LEAST; n <= s->all->job->most && st == WEFT_OK; n *= TIMES) {
        weft_alg_id best = WEFT_ALG_COUNT;
        double best_s = 0, chosen_s = 0, t;
        const tool_coll_turn turn = tool_coll_turn_of(s->c, s->in, s->out, n);
        if (!tool_coll_bytes(op, &turn)) continue; /* a call without bytes says nothing about algorithms */
        for (weft_alg_id a = 0; a < WEFT_ALG_COUNT && st == WEFT_OK; a++) {
            if (weft_alg_table[a].kind != op->kind || !weft_alg_may_add(a, sums)) continue;
            st = time_forced(s, op, a, n, &t);
            if (t > 0 && (best == WEFT_ALG_COUNT || t < best_s)) best = a, best_s = t;
            if (a == chosen) chosen_s = t;
        }
        if (best == WEFT_ALG_COUNT || best == chosen || (chosen_s > 0 && best_s > CLEARLY * chosen_s)) continue;
        if (chosen != WEFT_ALG_COUNT) add_rule(s, chosen, from, n / 2);
        from = chosen == WEFT_ALG_COUNT ? 0 : n / 2;
        chosen = best;
    }
    if (st == WEFT_OK && chosen != WEFT_ALG_COUNT) add_rule(s, chosen, from, INT64_MAX);
    return st;
}

/* Rules for fast worlds only come before those for all. */
static weft_status measure_algorithms(seat *s) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < TOOL_COLL_OPS && st == WEFT_OK; i++) {
        if (s->all->job->sums == WEFT_SUMS_FAST && weft_coll_table[tool_coll_ops[i].kind].adding == WEFT_COLL_ADDS)
            st = choose(s, &tool_coll_ops[i], WEFT_SUMS_FAST);
        if (st == WEFT_OK) st = choose(s, &tool_coll_ops[i], WEFT_SUMS_IN_ORDER);
    }
    return st;
}

/* --- stores that bypass the caches -------------------------------------------------------------------------------- */

/* Bytes of the smallest call; of the largest, in times of --most; of the buffers of all ranks; and how many sizes. */
enum { STREAM_LEAST = 512 << 10, STREAM_TIMES = 8, STREAM_ROOM = 1 << 30, STREAM_SIZES = 16 };

/* 0: none is timed. */
static int64_t largest_streamed(const seat *s) {
    const int64_t most = weft_min_i64(STREAM_TIMES * s->all->job->most, STREAM_ROOM / s->ranks);
    return s->ranks > 1 && most >= STREAM_LEAST ? most : 0;
}

static weft_status time_stream(const seat *s, const tool_coll_op *op, int64_t bytes, const char *force,
                               double *seconds) {
    timed t = { op, tool_coll_turn_of(s->c, s->in, s->out, bytes) };
    weft_status st = weft_comm_force(s->c, force);
    return st == WEFT_OK ? time_of(s, (job){ one_call, &t }, seconds) : st;
}

/* gain[i]: the logarithm of how many times as fast calls of the i-th size are through the caches. */
static int64_t best_stream(const double *gain, int count) {
    int best = 0;
    double sum = 0, most = 0;
    for (int i = 0; i < count; i++) {
        sum += gain[i];
        if (sum >= most) most = sum, best = i + 1;
    }
    return (int64_t)STREAM_LEAST << best >> 1;
}

/* Calls in which a rank writes the full tensor: copies, and sums. */
static weft_status measure_stream(seat *s) {
    const int64_t most = largest_streamed(s);
    double gain[STREAM_SIZES] = { 0 };
    int count = 0;
    weft_status st = WEFT_OK;
    for (int64_t n = STREAM_LEAST; n <= most && count < STREAM_SIZES; n *= 2, count++)
        for (size_t i = 0; i < TOOL_COLL_OPS && st == WEFT_OK; i++) {
            const weft_coll_kind kind = tool_coll_ops[i].kind;
            double cached = 1, streamed = 1;
            if (kind != WEFT_PLAN_ALL_GATHER && kind != WEFT_PLAN_ALL_TO_ALL && kind != WEFT_PLAN_ALL_REDUCE) continue;
            st = time_stream(s, &tool_coll_ops[i], n, "stream=1G", &cached);
            if (st == WEFT_OK) st = time_stream(s, &tool_coll_ops[i], n, "stream=1", &streamed);
            gain[count] += log(streamed / cached);
        }
    if (st == WEFT_OK) st = weft_comm_force(s->c, NULL);
    const weft_tune_stream found = { s->ranks, weft_world_nodes(s->all->world), best_stream(gain, count) };
    if (st == WEFT_OK && s->rank == 0 && count) weft_tune_set_stream(s->all->found, &found);
    return st;
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

static weft_status tune_rank(seat *s) {
    s->ranks = weft_comm_size(s->c);
    const int64_t most = weft_max_i64(s->all->job->most, largest_streamed(s));
    const size_t room = (size_t)weft_max_i64(most, FAR) + 64;
    int32_t core = weft_world_bind(s->all->world, s->rank) == WEFT_OK ? weft_topology_core_here(s->all->job->node) : 0;
    s->in = weft_comm_alloc(s->c, room);
    s->out = weft_comm_alloc(s->c, room);
    s->core = calloc(2 * (size_t)s->ranks, sizeof *s->core);
    if (!s->in || !s->out || !s->core)
        return weft_report(s->cx, WEFT_D_system, NULL, "there is no memory for two buffers of %zu bytes", room);
    s->partner = s->core + s->ranks;
    memset(s->in, 0, room);
    memset(s->out, 0, room);
    weft_coll_buf b = { &core, s->core, weft_coll_type("i32"), 1, 1, 1 };
    weft_status st = weft_coll_all_gather(s->c, &b, 1, NULL);
    if (st == WEFT_OK) st = measure_rates(s);
    for (int level = 0; level < WEFT_LINK_COUNT && st == WEFT_OK; level++)
        st = measure_level(s, (weft_link_level)level);
    if (st == WEFT_OK && s->ranks > 1) st = measure_algorithms(s);
    return st == WEFT_OK ? measure_stream(s) : st;
}

static void *sit(void *p) {
    seat *s = p;
    s->status = weft_comm_world(s->cx, s->all->world, s->rank, &s->c);
    if (s->status == WEFT_OK) s->status = tune_rank(s);
    if (s->status != WEFT_OK && s->status != WEFT_ERR_PEER) weft_world_abort(s->all->world, "a rank gave up measuring");
    if (s->c) {
        weft_comm_dealloc(s->c, s->in);
        weft_comm_dealloc(s->c, s->out);
    }
    weft_comm_free(s->c);
    free(s->core);
    return NULL;
}

static weft_status run_seats(tuning *all, seat *seats, int n) {
    weft_status st = WEFT_OK;
    int running = 0;
    for (int i = 0; i < n && st == WEFT_OK; i++) {
        seats[i] = (seat){ .all = all, .cx = weft_context_new(NULL), .rank = weft_world_first(all->world) + i };
        if (!seats[i].cx || (i && pthread_create(&seats[i].thread, NULL, sit, &seats[i])))
            st = weft_report(all->job->t->cx, WEFT_D_system, NULL, "a rank cannot be started");
        else running++;
    }
    if (st != WEFT_OK) weft_world_abort(all->world, "not all ranks could be started");
    if (running) sit(&seats[0]);
    for (int i = 0; i < n; i++) {
        if (i && i < running) pthread_join(seats[i].thread, NULL);
        const weft_diag *d = seats[i].cx ? weft_context_diag(seats[i].cx, 0) : NULL;
        if (st == WEFT_OK && i < running && seats[i].status != WEFT_OK)
            st = weft_report(all->job->t->cx, WEFT_D_peer, NULL, "rank %d: %s", seats[i].rank,
                             d ? d->message : "out of memory");
        weft_context_free(seats[i].cx);
    }
    return st;
}

weft_status tool_tune_measure(const tool_tune_job *job, weft_tune *found) {
    tool *t = job->t;
    bool alone = t->launch.processes == 1;
    int ranks = (int)weft_min_i64(job->ranks ? job->ranks : alone ? weft_max_i64(2, job->room) : 1, TOOL_TUNE_RANKS);
    const weft_world_options opt = { .local_ranks = ranks, .bind = WEFT_BIND_CORES, .algorithms = "", .tuned = "none" };
    const weft_processes processes = { .process = t->launch.process, .processes = t->launch.processes,
                                       .rendezvous = t->launch.rendezvous };
    tuning all = { .job = job, .found = found };
    weft_status st = weft_processes_world(t->cx, &processes, &opt, &all.world);
    if (st == WEFT_OK && job->ready != WEFT_OK) {
        weft_world_abort(all.world, "a process cannot take part in measuring");
        st = job->ready;
    }
    seat *seats = st == WEFT_OK ? calloc((size_t)ranks, sizeof *seats) : NULL;
    if (st == WEFT_OK && !seats) st = weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    if (st == WEFT_OK) st = run_seats(&all, seats, ranks);
    free(seats);
    weft_world_free(all.world);
    return st;
}
