/* link.c: expands collectives.def and algorithms.def; see link.h. */
#include "cost/link.h"
#include "cost/algorithm_id.h"

const weft_coll_info weft_coll_table[WEFT_PLAN_COLL_COUNT] = {
#define COLL(kind, name, in, out, adding, givers, takers, wire) \
    [WEFT_PLAN_##kind] = { name, \
                           WEFT_BLOCKS_##in, \
                           WEFT_BLOCKS_##out, \
                           WEFT_COLL_##adding, \
                           WEFT_ENDS_##givers, \
                           WEFT_ENDS_##takers, \
                           WEFT_WIRE_##wire },
#include "cost/collectives.def"
};

int64_t weft_wire_bytes(weft_coll_kind kind, int64_t p, int64_t full_bytes) {
    if (p <= 1 || full_bytes <= 0 || kind < 0 || kind >= WEFT_PLAN_COLL_COUNT) return 0;
    weft_wire wire = weft_coll_table[kind].wire;
    if (wire == WEFT_WIRE_NONE) return 0;
    if (wire == WEFT_WIRE_WHOLE) return full_bytes;
    /* floor(times * n * (p-1) / p) without overflow: n = q p + r. */
    int64_t times = wire == WEFT_WIRE_TWICE ? 2 : 1, q = full_bytes / p, r = full_bytes % p;
    return times * q * (p - 1) + times * r * (p - 1) / p;
}

const char *weft_coll_kind_name(weft_coll_kind kind) {
    return kind >= 0 && kind < WEFT_PLAN_COLL_COUNT ? weft_coll_table[kind].name : "?";
}

const weft_alg_info weft_alg_table[WEFT_ALG_COUNT] = {
#define ALG(kind, name, run, needs, order, rounds, near, peers, sent, crossed, reduced, copied) \
    [WEFT_ALG_##kind##_##name] = { WEFT_PLAN_##kind, #name, WEFT_NEEDS_##needs, WEFT_SUM_##order },
#include "cost/algorithms.def"
};

typedef struct factors {
    double rounds, near, peers, sent, crossed, reduced, copied;
} factors;

/* The cost per byte when the kernel copies it out of another process and pins its pages for that, in copies through a
 * staging area that stays in cache. A permute among two processes does one or the other: of 64 KiB to 16 MiB it takes
 * 1.7 to 2.6 times as long pulled as staged, where the staged one is two copies (AMD EPYC, November 2026: `mpirun -n 2
 * weft bench coll --private --op collective_permute` with WEFT_ALGORITHMS='*=pull' and '*=windows'). */
#define PULLED 3.0

/* The logarithm to base 2, rounded up. */
static double steps(double n) {
    int k = 0;
    while ((double)((int64_t)1 << k) < n) k++;
    return k;
}

static factors factors_of(weft_alg_id alg, const weft_coll_call *call) {
    int floor = 0;
    while (call->p >> (floor + 1)) floor++;
    double p = (double)call->p, g = call->nodes > 0 ? (double)call->nodes : p, l = p / g, fl = floor,
           q = (double)((int64_t)1 << floor);
    double h = call->packages > 0 ? (double)call->packages / g : 1, m = l / h, lgg = steps(g), lgh = steps(h),
           lgm = steps(m);
    double x = q < p, lg = fl + x, e = (double)(call->p % 2);
    switch (alg) {
#define ALG(kind, name, run, needs, order, rounds, near, peers, sent, crossed, reduced, copied) \
    case WEFT_ALG_##kind##_##name: return (factors){ rounds, near, peers, sent, crossed, reduced, copied };
#include "cost/algorithms.def"
    case WEFT_ALG_COUNT: break;
    }
    return (factors){ 0 };
}

weft_alg_parts weft_alg_time_parts(const weft_links *links, weft_alg_id alg, const weft_coll_call *call) {
    const weft_link *link = &links->at[call->level], *inside = &links->at[WEFT_LINK_MACHINE];
    factors f = factors_of(alg, call);
    double n = (double)call->full_bytes;
    /* A rendezvous reads one flag per peer; messages overlap, so latency counts once per round and a tenth per
     * peer. */
    double latency = (f.rounds * link->latency_s + f.near * inside->latency_s) * (1 + 0.1 * f.peers);
    double sent = f.sent * n / link->bytes_per_s + f.crossed * n / inside->bytes_per_s;
    return (weft_alg_parts){ latency, sent,
                             f.reduced * n / links->reduce_bytes_per_s + f.copied * n / links->copy_bytes_per_s };
}

double weft_alg_time_s(const weft_links *links, weft_alg_id alg, const weft_coll_call *call) {
    const weft_alg_parts t = weft_alg_time_parts(links, alg, call);
    return t.latency_s + t.sent_s + t.own_s;
}

weft_coll_choice weft_coll_choose(const weft_links *links, const weft_coll_call *call) {
    weft_coll_choice c = { WEFT_ALG_COUNT, WEFT_ALG_COUNT, 0, 0 };
    for (weft_alg_id a = 0; a < WEFT_ALG_COUNT; a++) {
        if (weft_alg_table[a].kind != call->kind || !(weft_alg_table[a].needs & call->can)) continue;
        if (!weft_alg_may_add(a, call->sums)) continue;
        double t = weft_alg_time_s(links, a, call);
        if (c.best == WEFT_ALG_COUNT || t < c.best_s) {
            c.second = c.best, c.second_s = c.best_s;
            c.best = a, c.best_s = t;
        } else if (c.second == WEFT_ALG_COUNT || t < c.second_s) {
            c.second = a, c.second_s = t;
        }
    }
    return c;
}
