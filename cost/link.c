/* link.c: expands collectives.def, algorithms.def and machines.def; see link.h. */
#include "cost/link.h"

const weft_coll_info weft_coll_table[WEFT_PLAN_COLL_COUNT] = {
#define COLL(kind, name, in, out, adding, givers, takers, wire)                                                        \
    [WEFT_PLAN_##kind] = { name, WEFT_BLOCKS_##in, WEFT_BLOCKS_##out, WEFT_COLL_##adding, WEFT_ENDS_##givers, WEFT_ENDS_##takers, \
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

const char *weft_coll_kind_name(weft_coll_kind kind) { return kind >= 0 && kind < WEFT_PLAN_COLL_COUNT ? weft_coll_table[kind].name : "?"; }

const weft_alg_info weft_alg_table[WEFT_ALG_COUNT] = {
#define ALG(kind, name, run, needs, order, rounds, sent, reduced, copied) \
    [WEFT_ALG_##kind##_##name] = { WEFT_PLAN_##kind, #name, WEFT_NEEDS_##needs, WEFT_SUM_##order },
#include "cost/algorithms.def"
};

typedef struct factors {
    double rounds, sent, reduced, copied;
} factors;

/* What a byte costs more when the kernel copies it out of another process, for the pages that it pins. Measured by processor time on the test
 * machine, 256 KiB at a time: 4.1 GB/s, where memcpy out of shared memory has 5.5 and both copies through a staging area that stays in
 * cache 4.6. So it costs 1.5 times what the staging area does, which the table counts as one copy. */
#define PULLED 1.5

static factors factors_of(weft_alg_id alg, double p) {
    switch (alg) {
#define ALG(kind, name, run, needs, order, rounds, sent, reduced, copied) \
    case WEFT_ALG_##kind##_##name: return (factors){ rounds, sent, reduced, copied };
#include "cost/algorithms.def"
    case WEFT_ALG_COUNT: break;
    }
    return (factors){ 0 };
}

weft_alg_parts weft_alg_time_parts(const weft_links *links, weft_alg_id alg, const weft_coll_call *call) {
    const weft_link *link = &links->at[call->level];
    factors f = factors_of(alg, (double)call->p);
    double n = (double)call->full_bytes;
    /* A rendezvous reads one flag per peer; messages overlap, so that latency counts once per round and a tenth per peer. */
    double latency = f.rounds * link->latency_s * (1 + 0.1 * (double)(call->p - 1));
    return (weft_alg_parts){ latency, f.sent * n / link->bytes_per_s, f.reduced * n / links->reduce_bytes_per_s + f.copied * n / links->copy_bytes_per_s };
}

double weft_alg_time_s(const weft_links *links, weft_alg_id alg, const weft_coll_call *call) {
    const weft_alg_parts t = weft_alg_time_parts(links, alg, call);
    return t.latency_s + t.sent_s + t.own_s;
}

weft_coll_choice weft_coll_choose(const weft_links *links, const weft_coll_call *call) {
    weft_coll_choice c = { WEFT_ALG_COUNT, WEFT_ALG_COUNT, 0, 0 };
    for (weft_alg_id a = 0; a < WEFT_ALG_COUNT; a++) {
        if (weft_alg_table[a].kind != call->kind || !(weft_alg_table[a].needs & call->can)) continue;
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

static const weft_machine machines[] = {
#define MACHINE(name, flops, bytes, devices, level, mover, lat_in, bw_in, lat_out, bw_out, reduce, copy, about) \
    { name, about, flops, bytes, devices, WEFT_LINK_##level, WEFT_MOVER_##mover, \
      { { [WEFT_LINK_##level] = { lat_in, bw_in }, [WEFT_LINK_NETWORK] = { lat_out, bw_out } }, reduce, copy } },
#include "cost/machines.def"
};

const weft_machine *weft_machine_at(size_t i) { return i < WEFT_COUNT(machines) ? &machines[i] : NULL; }

const weft_machine *weft_machine_find(weft_str name) {
    for (size_t i = 0; i < WEFT_COUNT(machines); i++)
        if (weft_str_is(name, machines[i].name)) return &machines[i];
    return NULL;
}

weft_coll_time weft_machine_coll_time(const weft_machine *m, weft_coll_kind kind, int64_t p, int64_t stride, int64_t full_bytes) {
    if (p <= 1) return (weft_coll_time){ 0, 0 };
    int inside = p <= m->node_devices && stride <= m->node_devices / p;
    weft_coll_call call = {
        .kind = kind, .p = p, .full_bytes = full_bytes,
        .level = inside ? m->node_level : WEFT_LINK_NETWORK,
        .can = inside ? WEFT_NEEDS_PLACE | WEFT_NEEDS_STAGED | (full_bytes <= WEFT_COLL_SMALL_BYTES ? WEFT_NEEDS_SMALL : 0u)
                      : WEFT_NEEDS_MESSAGES,
    };
    const weft_alg_parts t = weft_alg_time_parts(&m->links, weft_coll_choose(&m->links, &call).best, &call);
    /* Neither bytes nor rendezvous move there but by the devices' own hands (bench/overlap: what is begun early all the same is slower). */
    if (inside && m->mover == WEFT_MOVER_DEVICE) return (weft_coll_time){ 0, t.latency_s + t.sent_s + t.own_s };
    return (weft_coll_time){ t.latency_s + t.sent_s, t.own_s };
}

double weft_machine_coll_time_s(const weft_machine *m, weft_coll_kind kind, int64_t p, int64_t stride, int64_t full_bytes) {
    const weft_coll_time t = weft_machine_coll_time(m, kind, p, stride, full_bytes);
    return t.beside_s + t.own_s;
}

double weft_machine_kernel_time_s(const weft_machine *m, double flops, int64_t bytes) {
    const double arithmetic_s = flops / m->flops_per_s, memory_s = (double)bytes / m->bytes_per_s;
    return arithmetic_s > memory_s ? arithmetic_s : memory_s;
}

double weft_machine_call_bytes(const weft_machine *m, int64_t p) {
    if (p > m->node_devices) p = m->node_devices;
    return weft_machine_coll_time_s(m, WEFT_PLAN_ALL_GATHER, p, 1, 0) * m->links.at[m->node_level].bytes_per_s;
}
