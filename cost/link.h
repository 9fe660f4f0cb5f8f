/* link.h: the cost of a collective. The one place for wire bytes, and for the choice between algorithms.
 *
 * Time of an algorithm on p ranks and a full tensor of n bytes, in Hockney's form (cost/algorithms.def has the
 * factors):
 *     rounds * latency * (1 + peers / 10) + sent * n / bandwidth + reduced * n / reduce rate + copied * n / copy rate
 * plus, for groups that span nodes, the traffic within the nodes, with their own latency and bandwidth.
 * The dry run predicts, and collectives/ chooses at run time, by these functions.
 *
 * "Full tensor" of a collective: all_reduce, reduce, permute, broadcast: the operand; all_gather, gather: the result;
 * reduce_scatter, scatter and all_to_all: the operand. All operands of one call are added up first.
 */
#ifndef WEFT_COST_LINK_H
#define WEFT_COST_LINK_H

#include "cost/plan.h"
#include "topology/links.h"

/* A kind of collective: weft_coll_kind_plan, and the kinds that no program contains. */
typedef int weft_coll_kind;
enum {
    WEFT_PLAN_BARRIER = WEFT_PLAN_COLLECTIVE_BROADCAST + 1,
    WEFT_PLAN_REDUCE,
    WEFT_PLAN_GATHER,
    WEFT_PLAN_SCATTER,
    WEFT_PLAN_COLL_COUNT
};

/* The columns of cost/collectives.def. */
typedef enum weft_blocks { WEFT_BLOCKS_ONE, WEFT_BLOCKS_EACH } weft_blocks;
typedef enum weft_adding { WEFT_COLL_MOVES, WEFT_COLL_ADDS } weft_adding;
typedef enum weft_ends { WEFT_ENDS_ALL, WEFT_ENDS_ROOT, WEFT_ENDS_PAIR } weft_ends;
typedef enum weft_wire { WEFT_WIRE_NONE, WEFT_WIRE_SHARE, WEFT_WIRE_WHOLE, WEFT_WIRE_TWICE } weft_wire;

typedef struct weft_coll_info {
    const char *name;        /* "all_reduce", "collective_permute", ... */
    weft_blocks in, out;
    weft_adding adding;
    weft_ends givers, takers;
    weft_wire wire;
} weft_coll_info;
extern const weft_coll_info weft_coll_table[WEFT_PLAN_COLL_COUNT];

/* Bytes that one device (with a root, the busiest one) sends under the bandwidth-optimal algorithm, rounded down:
 * column `wire`; 0 for one device. */
int64_t weft_wire_bytes(weft_coll_kind kind, int64_t p, int64_t full_bytes);

/* The name; "?" for an invalid kind. */
const char *weft_coll_kind_name(weft_coll_kind kind);

/* Capacity of the one-rendezvous algorithms, per rank and call, inputs of all operands together. */
#define WEFT_COLL_SMALL_BYTES 32768

typedef enum weft_sum_order {
    WEFT_SUM_NONE,    /* adds nothing */
    WEFT_SUM_NODES,   /* each element over a node's ranks from first to last, then over the nodes */
    WEFT_SUM_ROTATED, /* each slice starts at another rank */
    WEFT_SUM_NESTED   /* sums of two or more ranks are added to each other */
} weft_sum_order;

/* The orders that may be chosen when nothing is forced. */
typedef enum weft_sums { WEFT_SUMS_IN_ORDER, WEFT_SUMS_FAST } weft_sums;

typedef enum weft_alg_needs {
    WEFT_NEEDS_SMALL = 1,    /* one node, inputs within WEFT_COLL_SMALL_BYTES */
    WEFT_NEEDS_PLACE = 2,    /* one node, buffers that every member can read and write */
    WEFT_NEEDS_STAGED = 4,   /* one node */
    WEFT_NEEDS_MESSAGES = 8, /* any nodes, with a transport that carries messages */
    WEFT_NEEDS_REACH = 16    /* one node whose processes may read each other's memory */
} weft_alg_needs;

/* WEFT_ALG_<collective>_<name>, or WEFT_ALG_COUNT for none: cost/algorithm_id.h. */
typedef unsigned weft_alg_id;

typedef struct weft_alg_info {
    weft_coll_kind kind;
    const char *name;
    weft_alg_needs needs;
    weft_sum_order order;
} weft_alg_info;
extern const weft_alg_info weft_alg_table[]; /* by weft_alg_id */

/* One call, as input of the model. */
typedef struct weft_coll_call {
    weft_coll_kind kind;
    int64_t p;                /* ranks */
    int64_t full_bytes;       /* of the full tensor, all operands */
    weft_link_level level;    /* the largest distance between two members */
    unsigned can;             /* weft_alg_needs that this call satisfies */
    int64_t nodes;            /* the ranks are spread over them evenly; 0: each rank is a node of its own */
    int64_t packages;         /* of all nodes; 0: each node is one. Their link is WEFT_LINK_MACHINE */
    weft_sums sums;
} weft_coll_call;

double weft_alg_time_s(const weft_links *links, weft_alg_id alg, const weft_coll_call *call);

/* The parts of that time: waiting for peers and links, bytes on the link, work in the rank's own
 * memory. */
typedef struct weft_alg_parts { double latency_s, sent_s, own_s; } weft_alg_parts;
weft_alg_parts weft_alg_time_parts(const weft_links *links, weft_alg_id alg, const weft_coll_call *call);

/* Whether calls that allow such sums may use the algorithm. */
static inline bool weft_alg_may_add(weft_alg_id a, weft_sums sums) {
    return weft_alg_table[a].order <= WEFT_SUM_NODES || sums == WEFT_SUMS_FAST;
}

typedef struct weft_coll_choice {
    weft_alg_id best, second; /* WEFT_ALG_COUNT: none */
    double best_s, second_s;
} weft_coll_choice;

/* The cheapest algorithm whose needs the call satisfies and whose order it allows, and the runner-up. Ties go to the
 * earlier line of the table. */
weft_coll_choice weft_coll_choose(const weft_links *links, const weft_coll_call *call);

/* rules.c: reads an algorithm for full tensors of from .. to bytes: "all_reduce:64K-1M=windows"; either end, or both
 * with the colon, may be missing. false: the text is no rule; *rule is then undefined. */
typedef struct weft_alg_rule { weft_alg_id alg; int64_t from, to; } weft_alg_rule;
bool weft_alg_rule_read(weft_str s, weft_alg_rule *rule);
/* The same, and "*=ring": a rule for each collective that has an algorithm of that name. Returns their number, at most
 * WEFT_PLAN_COLL_COUNT; 0: the text is wrong. */
size_t weft_alg_rules_read(weft_str s, weft_alg_rule *rules);
/* "stream=4M": a rank that writes more bytes in one call bypasses the caches. At least one byte. */
bool weft_stream_rule_read(weft_str s, int64_t *bytes);
void weft_stream_rule_print(weft_buf *b, int64_t bytes);
void weft_alg_rule_print(weft_buf *b, const weft_alg_rule *rule);

#endif
