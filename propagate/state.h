/* state.h: a propagation in progress.
 *
 * For each place that can hold a sharding (a slot) it has the current one; for each op through which shardings
 * propagate the slots around it; and the ops to be visited again when a slot changes. All of it is arrays by value or
 * op number in the propagation's own arena; the module is only read. weft_spread_emit writes a new one.
 *
 * Slots are numbered like values, followed by the results of @main. A value's slot is its own, except for the targets
 * of a data-flow edge (results, arguments and bodies of loops and the like): they share the slot of the edge's owner.
 * Arguments of other regions have none. Authority: Shardy, docs/propagation.md; shardable data-flow ops in
 * docs/sdy_op_interfaces.md.
 */
#ifndef WEFT_PROPAGATE_STATE_H
#define WEFT_PROPAGATE_STATE_H

#include "ir/builder.h"
#include "ir/pass.h"
#include "propagate/call_sources.h"
#include "propagate/calls.h"
#include "propagate/worklist.h"
#include "sharding/values.h"

#define WEFT_NO_SLOT UINT32_MAX
#define WEFT_NO_GROUP UINT32_MAX

/* The effect of a visit to an op. A function's edge joins the callers' operands, or the callee's returns, to its
 * result.
 */
typedef enum weft_visit {
    WEFT_VISIT_NONE,
    WEFT_VISIT_RULE,
    WEFT_VISIT_EDGE,
    WEFT_VISIT_BARRIER,
    WEFT_VISIT_FUNC_EDGE
} weft_visit;

/* How early an op takes part: the lower steps of the ladder in schedule.c. */
typedef enum weft_op_class {
    WEFT_CLASS_ANY,
    WEFT_CLASS_PASS,
    WEFT_CLASS_PASS_FORWARD,
    WEFT_CLASS_BROADCAST
} weft_op_class;

struct weft_op_state {
    const weft_op *op;
    const weft_rule *rule;           /* NULL: nothing propagates here */
    /* tensors[first_tensor ..): slots of operands, then results, as the rule counts them */
    uint32_t first_tensor;
    uint8_t visit, class;
    bool elementwise, dead, listed;
    bool unread;                     /* its results have no readers: it may be dead */
    /* a visit of this kind (run.c) changed nothing, and its slots have not changed since; 0: unknown */
    uint8_t settled;
    uint16_t waiting;                /* by kind of round: it is in the worklist's set */
};

typedef struct weft_slot_group { uint32_t n; const uint32_t *slots; } weft_slot_group;

typedef struct weft_memo weft_memo;  /* results of earlier visits; memo.c */
typedef struct weft_history weft_history; /* history.h */
typedef struct weft_debug_info weft_debug_info; /* debug_info.h */

struct weft_propagation {
    weft_context *cx;
    const weft_module *in;
    weft_arena arena;
    weft_rule_mode mode;
    weft_shardings *shardings;
    weft_rules *rules;
    weft_memo *memo;
    weft_history *history;           /* NULL: not needed */
    weft_debug_info *debug;          /* notes to be written beside the shardings, or NULL */
    weft_uses uses;
    const weft_op *main;             /* NULL if there is none with a body */
    const weft_call_graph *calls;    /* NULL if no sdy.func_data_flow_edge crosses calls */
    /* by op: for functions' edges with many sources, once they are visited; NULL if calls is */
    weft_call_sources **sources;
    uint32_t slot_count;
    const weft_sharding **of;        /* [slot_count]: now */
    const weft_sharding **before;    /* [slot_count]: in the module */
    uint32_t *slot;                  /* by value */
    const weft_value **owner;        /* by slot: the value whose slot it is; NULL for results of @main */
    const weft_op **edge;            /* by value: the sdy.data_flow_edge that it owns, or NULL */
    uint32_t *live_uses;             /* by value: operands that read it in ops that are not dead */
    uint32_t *group;                 /* by slot: its sharding group, or WEFT_NO_GROUP */
    weft_slot_group *groups;
    uint32_t group_count;
    weft_op_state *ops;              /* by op */
    uint32_t *tensors;
    size_t tensor_count, tensor_cap;
    /* every priority was reached: none is left, on results of other functions than @main neither */
    bool priorities_spent;
    /* by value: the most operands of one op that read it; NULL until an op is found dead */
    uint32_t *most_uses;
    weft_worklist work;
};

/* Reads in. close frees everything, also after open has failed. */
weft_status weft_propagation_open(weft_context *cx, const weft_module *in, weft_rule_mode mode, weft_propagation *p);
void weft_propagation_close(weft_propagation *p);

/* If members of a sharding group are sharded differently at first: a module with open constraints between them, to be
 * propagated instead. *out is unchanged if all agree. */
weft_status weft_propagation_loosen_groups(weft_propagation *p, weft_module **out);
/* Gives all members of each sharding group the sharding of the one that has one. */
weft_status weft_propagation_sync_groups(weft_propagation *p);

static inline uint32_t weft_slot_of(const weft_propagation *p, const weft_value *v) { return p->slot[v->id]; }
static inline uint32_t weft_result_slot(const weft_propagation *p, uint32_t result) {
    return p->in->value_count + result;
}

/* Sets a slot; if one of several results gets its first sharding, the others get open ones. Updates the worklist.
 */
weft_status weft_slot_set(weft_propagation *p, uint32_t slot, const weft_sharding *s);

/* The key of a visit's outcome: its rule, its directions and strategy (bits of run.c), and the tensors' shardings
 * before. */
typedef struct weft_memo_key {
    const weft_rule *rule;
    uint32_t how;
    uint32_t n;
    const weft_sharding *const *before;
} weft_memo_key;

/* One round over all ops to a fixed point. ladder: the last step of schedule.c's ladder, or WEFT_LADDER_TOP. */
weft_status weft_propagation_run(weft_propagation *p, weft_strategy strategy, int ladder);
/* The mesh of the given shardings; NULL if there are none, or they are over different devices. */
const weft_mesh *weft_common_mesh(const weft_sharding *const *shardings, uint32_t n);
/* The tensors of a visit by factor, extended by the strategy; sets changed[tensor] for extended ones. The
 * projection may hold more than shardings can express. Lives in the context's scratch memory. */
weft_status weft_visit_spread(weft_propagation *p, const weft_memo_key *key, const weft_mesh *mesh,
                              weft_projection *out, bool *changed);
/* An edge's result as its sources see it, and the inverse. */
weft_status weft_edge_view(weft_propagation *p, const weft_op *edge, const weft_sharding *s, bool to_sources,
                           const weft_sharding **out);
/* The directions in which axes propagate through op, along pass-through factors and along others. */
void weft_schedule(const weft_propagation *p, const weft_op_state *op, int ladder, weft_direction *pass,
                   weft_direction *rest);

/* The module with the slots' shardings, without dead ops; see weft_edit_module. BETWEEN: a debug dump before the end,
 * with rules, without warnings and notes. */
typedef enum weft_emit_rules { WEFT_EMIT_NO_RULES, WEFT_EMIT_RULES, WEFT_EMIT_BETWEEN } weft_emit_rules;
weft_status weft_propagation_emit(const weft_pass *pass, weft_propagation *p, weft_emit_rules rules, weft_module **out);

/* memo.c: the tensors' new shardings. */
weft_status weft_memo_open(weft_propagation *p);
/* NULL if not known; else the tensors' shardings after the visit, or an array equal to key->before if nothing
 * changes. */
const weft_sharding *const *weft_memo_find(const weft_memo *memo, const weft_memo_key *key);
/* to be filled by the caller; NULL: memory is out */
const weft_sharding **weft_memo_add(weft_memo *memo, const weft_memo_key *key);

#endif
