/* wire.c: see wire.h. */
#include "config.h"
#include "collectives/wire.h"

#include "collectives/door.h"
#include "cost/algorithm_id.h"

#include <limits.h>
#include <math.h>

/* --- the layout --------------------------------------------------------------------------------------------------- */

#define FIELD(type, field) offsetof(type, field), sizeof ((type *)0)->field

/* Two builds with different structs on the wire have different values, unless only meanings have changed: then the
 * release differs. */
uint64_t weft_wire_layout(void) {
    static const size_t sizes[] = {
        sizeof(weft_hello),
        sizeof(weft_reply),
        sizeof(weft_process_card),
        FIELD(weft_process_card, core_end),
        FIELD(weft_process_card, cpus),
        FIELD(weft_process_card, run),
        sizeof(weft_memory_card),
        FIELD(weft_memory_card, node),
        sizeof(weft_step_card),
        sizeof(weft_tcp_card),
        FIELD(weft_tcp_card, at),
        sizeof(weft_tcp_frame),
        sizeof(weft_tuned_card),
        FIELD(weft_tuned_card, links),
        FIELD(weft_tuned_card, rules),
        sizeof(weft_alg_rule),
        sizeof(weft_call_card),
        FIELD(weft_call_card, note),
        sizeof(weft_node_note),
        FIELD(weft_node_note, rank_notes),
        sizeof(weft_group_note),
        sizeof(weft_slot),
        FIELD(weft_slot, agreed),
        sizeof(weft_rank_note),
        WEFT_ALG_COUNT,
        WEFT_PLAN_COLL_COUNT,
        WEFT_DTYPE_COUNT,
        WEFT_LINK_COUNT,
        WEFT_TCP_KINDS,
        WEFT_TCP_EAGER,
        WEFT_FLIGHT_CALLS,
    };
    static const char *const names[] = {
#define ALG(kind, name, run, needs, order, rounds, near, peers, sent, crossed, reduced, copied) #kind "." #name,
#include "cost/algorithms.def"
    };
    uint64_t h = weft_text_hash(PACKAGE_VERSION) ^ (uint64_t)weft_proof_is_hashed();
    for (size_t i = 0; i < WEFT_COUNT(sizes); i++) h = (h ^ sizes[i]) * 1099511628211u; /* FNV-1a, by words */
    for (size_t i = 0; i < WEFT_COUNT(names); i++) h = (h ^ weft_text_hash(names[i])) * 1099511628211u;
    return h;
}

/* --- cards -------------------------------------------------------------------------------------------------------- */

static bool is_within(int64_t x, int64_t least, int64_t most) { return least <= x && x <= most; }
static bool is_flag(int32_t x) { return is_within(x, 0, 1); }
static bool is_text(const char *p, size_t room) { return memchr(p, 0, room) != NULL; }

bool weft_status_is_sound(int32_t status) { return is_within(status, WEFT_OK, WEFT_ERR_INTERNAL); }

#define CORES_MOST (1 << 20)
#define CACHE_MOST ((uint64_t)1 << 44)

/* Each core is in one package: the ends ascend, up to the number of cores. */
static bool packages_are_sound(const weft_process_card *c) {
    for (int i = 0; c->cores && i < c->packages; i++)
        if (c->core_end[i] <= (i ? c->core_end[i - 1] : 0)) return false;
    return is_within(c->cores, 0, CORES_MOST) && (!c->cores || c->core_end[c->packages - 1] == c->cores);
}

/* Node: the number of the node's first process, which has its own. */
static bool process_is_sound(const weft_process_card *cards, int p) {
    const weft_process_card *c = &cards[p];
    return packages_are_sound(c) && is_flag(c->shares_cores) && is_flag(c->has_fabric) && is_within(c->node, 0, p) &&
           cards[c->node].node == c->node && is_within(c->cache_cpus, c->cache_bytes != 0, CORES_MOST) &&
           c->cache_bytes <= CACHE_MOST;
}

/* Ranks that chose differently would wait for each other in vain. */
static weft_status agrees(weft_context *cx, const weft_process_card *cards, int p) {
    const weft_process_card *c = &cards[p];
    if (c->forced != cards[0].forced)
        return weft_report(
            cx, WEFT_D_usage, NULL,
            "process %d has another WEFT_ALGORITHMS, WEFT_FAST or WEFT_CHECK than process 0",
            p);
    return c->ways == cards[0].ways
               ? WEFT_OK
               : weft_report(cx, WEFT_D_usage, NULL, "process %d chooses another transport than process 0", p);
}

#define RANKS_MOST (1 << 24)

weft_status weft_process_cards_check(weft_context *cx, const weft_process_card *cards, int processes, int *ranks) {
    uint64_t layout = weft_wire_layout();
    *ranks = 0;
    for (int p = 0; p < processes; p++) {
        const weft_process_card *c = &cards[p];
        if (c->layout != layout) return weft_report(cx, WEFT_D_system, NULL, "process %d is of another Weft", p);
        if (!is_within(c->local, 1, 1 << 16))
            return weft_report(cx, WEFT_D_usage, NULL, "process %d has %d ranks", p, (int)c->local);
        if (!is_within(c->packages, 1, WEFT_PACKAGE_NAMES))
            return weft_report(cx, WEFT_D_usage, NULL, "process %d names more than %d packages", p, WEFT_PACKAGE_NAMES);
        if (!process_is_sound(cards, p))
            return weft_report(cx, WEFT_D_system, NULL, "process %d sent an invalid description of itself", p);
        weft_status st = agrees(cx, cards, p);
        if (st != WEFT_OK) return st;
        *ranks += c->local;
        if (*ranks > RANKS_MOST)
            return weft_report(cx, WEFT_D_usage, NULL, "a world of more than %d ranks", RANKS_MOST);
    }
    return WEFT_OK;
}

static bool segment_is_sound(const weft_segment_card *c) {
    return is_within(c->fd, 0, INT_MAX) && c->size && c->size <= (uint64_t)1 << 47;
}

bool weft_memory_card_is_sound(const weft_memory_card *c, int of_node) {
    return is_within(c->pid, 1, INT_MAX) && segment_is_sound(&c->heap) && (!of_node || segment_is_sound(&c->node));
}

bool weft_step_card_is_sound(const weft_step_card *c) {
    return weft_status_is_sound(c->status) && is_flag(c->reach) && is_text(c->why, sizeof c->why);
}

static bool address_is_sound(const weft_tcp_address *a) {
    return (a->family == 4 && a->prefix <= 32) || (a->family == 6 && a->prefix <= 128);
}

bool weft_tcp_card_is_sound(const weft_tcp_card *c) {
    if (!c->port || c->count > WEFT_TCP_ADDRESSES) return false;
    for (int i = 0; i < c->count; i++)
        if (!address_is_sound(&c->at[i])) return false;
    return true;
}

/* 1e-12 to 1e18 of a unit: no measurement is outside of it, nor any sum of a few. */
static bool is_measure(double x) { return isfinite(x) && x >= 1e-12 && x <= 1e18; }

static bool links_are_sound(const weft_links *l) {
    for (int i = 0; i < WEFT_LINK_COUNT; i++)
        if (!isfinite(l->at[i].latency_s) || l->at[i].latency_s < 0 || l->at[i].latency_s > 1e6 ||
            !is_measure(l->at[i].bytes_per_s))
            return false;
    return is_measure(l->reduce_bytes_per_s) && is_measure(l->copy_bytes_per_s);
}

static bool rule_is_sound(const weft_alg_rule *r) {
    return is_within((int64_t)r->alg, 0, WEFT_ALG_COUNT - 1) && r->from >= 0 && r->from <= r->to;
}

bool weft_tuned_card_is_sound(const weft_tuned_card *c) {
    if (!weft_status_is_sound(c->status) || !is_flag(c->there) || !is_within(c->count, 0, WEFT_TUNED_RULES) ||
        c->stream < 0)
        return false;
    for (int i = 0; i < c->count; i++)
        if (!rule_is_sound(&c->rules[i])) return false;
    return !c->there || links_are_sound(&c->links);
}

bool weft_call_card_is_sound(const weft_call_card *c, int ranks) {
    const weft_call_note *n = &c->note;
    return n->kind < WEFT_PLAN_COLL_COUNT && n->reduce <= WEFT_MEAN && n->dtype < WEFT_DTYPE_COUNT && n->elems >= 0 &&
           is_within(n->longest, 0, (int64_t)1 << 56) && is_within(n->source, -1, ranks - 1) &&
           is_within(n->target, -1, ranks - 1) && n->operands >= 0 && is_text(c->site.op, sizeof c->site.op) &&
           is_text(c->site.axes, sizeof c->site.axes) && is_text(c->site.place, sizeof c->site.place);
}

static bool lies_in(const weft_node *n, uint64_t at, uint64_t count, uint64_t bytes) {
    return at >= sizeof(weft_node_note) && at <= n->segment.size && bytes <= n->segment.size &&
           count <= (n->segment.size - at) / bytes;
}

bool weft_node_is_sound(const weft_node *n, int processes, int ranks) {
    const weft_node_note *note = n->note;
    if (n->segment.size < sizeof *note || note->processes != processes || note->ranks != ranks ||
        note->committed > n->segment.size || note->used > note->committed)
        return false;
    return lies_in(n, note->pids, (uint64_t)processes, sizeof(int64_t)) &&
           lies_in(n, note->rank_notes, (uint64_t)ranks, sizeof(weft_rank_note));
}
