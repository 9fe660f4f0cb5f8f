/* machine.c: prices the algorithms of algorithms.def over a group's share of a machine's links. */
#include "cost/machine.h"
#include "cost/library.h"

weft_coll_time weft_machine_reach_time(const weft_machine *m, weft_coll_kind kind, int64_t p, const weft_reach *reach,
                                       int64_t full_bytes) {
    if (p <= 1 || reach->level < 0) return (weft_coll_time){ 0, 0 };
    if (m->compiler == WEFT_COMPILER_VENDOR) {
        const double time_s = weft_library_time_s(m, kind, p, reach, full_bytes);
        return m->mover == WEFT_MOVER_ENGINE ? (weft_coll_time){ time_s, 0 } : (weft_coll_time){ 0, time_s };
    }
    bool inside = reach->level > weft_machine_message_level(m);
    weft_links links = m->links; /* with this group's share of them */
    links.at[WEFT_LINK_MACHINE] = links.at[WEFT_LINK_NETWORK] = reach->link;
    if (!inside && reach->node_link.bytes_per_s > 0) links.at[WEFT_LINK_MACHINE] = reach->node_link;
    const weft_coll_info *k = &weft_coll_table[kind];
    /* by one rank: the rule of call.c */
    int64_t given = k->in == WEFT_BLOCKS_ONE && k->out == WEFT_BLOCKS_EACH ? (full_bytes + p - 1) / p : full_bytes;
    weft_coll_call call = {
        .kind = kind, .p = p, .full_bytes = full_bytes,
        .level = inside ? WEFT_LINK_MACHINE : WEFT_LINK_NETWORK,
        .can = inside ? WEFT_NEEDS_PLACE | WEFT_NEEDS_STAGED | (given <= WEFT_COLL_SMALL_BYTES ? WEFT_NEEDS_SMALL : 0u)
                      : WEFT_NEEDS_MESSAGES,
        .nodes = reach->on_node > 0 ? (p + reach->on_node - 1) / reach->on_node : p,
        .packages = reach->on_package > 0 ? (p + reach->on_package - 1) / reach->on_package : 0,
    };
    const weft_alg_parts t = weft_alg_time_parts(&links, weft_coll_choose(&links, &call).best, &call);
    /* There the devices themselves move bytes and make rendezvous (bench/overlap: an early start makes it
     * slower). */
    if (inside && m->mover == WEFT_MOVER_DEVICE) return (weft_coll_time){ 0, t.latency_s + t.sent_s + t.own_s };
    return (weft_coll_time){ t.latency_s + t.sent_s, t.own_s };
}

weft_coll_time weft_machine_coll_time(const weft_machine *m, weft_coll_kind kind, int64_t p, int64_t stride,
                                      int64_t full_bytes) {
    const weft_reach reach = weft_machine_reach_strided(m, p, stride);
    return weft_machine_reach_time(m, kind, p, &reach, full_bytes);
}

double weft_machine_coll_time_s(const weft_machine *m, weft_coll_kind kind, int64_t p, int64_t stride,
                                int64_t full_bytes) {
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
