/* layout_plan.h: a plan as a value: where each op of a module has its operands and results, what that costs, and what
 * it would cost to do it the second best way.
 *
 * weft_plan_make (layout_planner.h) fills a plan from a module and changes no IR; weft_plan_write makes a module of the
 * two. A plan says what it costs in all, and lists the moves that it makes and the work that it leaves to all devices
 * alike, so that replicated.c and unfollowed.c can judge it. Costs are prices
 * (cost/price.h), in seconds: of what one device sends, and of its work. A loop's body counts once for each turn.
 */
#ifndef WEFT_PARTITIONER_LAYOUT_PLAN_H
#define WEFT_PARTITIONER_LAYOUT_PLAN_H

#include "partitioner/lower/local.h"

/* A value brought to another placement: one sdy.reshard. Or made there anew, by a copy of its op. Or a complete value
 * as terms of a sum: one sdy.replicated_to_unreduced, or sdy.sharded_to_unreduced. */
typedef struct weft_moved {
    const weft_op *op;             /* of the module read: the op that needs it there; NULL: a function's results */
    const weft_value *value;
    const weft_loc *loc;           /* of the op that needs it there */
    weft_placement_id from, to;
    bool anew;                     /* `from` is where the copy has its operand; it costs nothing */
    bool terms;                    /* one device keeps what it has in `from`, or each its part, among zeros; no cost */
    double wire_bytes;             /* sent by one device each time */
    double cost;                   /* of all turns of the loops around */
    double turns;
    size_t source;                 /* 1 + the number of the move that made what it moves; 0: none */
    bool used;                     /* something reads it */
} weft_moved;

/* An op of whose work every device along some atoms does all. */
typedef struct weft_repeated {
    const weft_op *op;
    weft_atoms idle;
    double cost;                   /* of what is done in vain, in all turns */
    double turns;
} weft_repeated;

#define WEFT_MOST_REPEATED 16      /* the dearest are kept, and so many sets of axes are told apart */

/* of all ops that are done whole along these atoms */
typedef struct weft_vain { weft_atoms idle; double cost; } weft_vain;

/* The moves of op [first, ready) stand before it, in order; [ready, end) after it, of its results. */
typedef struct weft_op_layout {
    bool planned;                  /* false: of an op in the body of another, or in no function */
    bool marked;                   /* its results' placements are written on it */
    size_t operands;               /* where the placements of its operands begin in the plan's list */
    size_t first, ready, end;
    weft_partial partial;          /* how results combine over reduce_over, by an sdy.all_reduce after the op */
    weft_atoms reduce_over;
    double cost;                   /* its work, and that reduction; what its moves cost is theirs */
} weft_op_layout;

/* The next cheapest way to do an op, as far as it is seen from there: by what its operands cost to bring, its work, and
 * what readers are expected to pay to have its results where they want them (onward). */
typedef struct weft_op_rival {
    double cost, onward;
    double own_onward;             /* of the way that the plan takes */
    const weft_placement_id *operands, *results;
} weft_op_rival;

typedef struct weft_layout_plan {
    weft_arena *arena;
    const weft_module *of;
    weft_op_layout *ops;                            /* by id of the op */
    weft_placement_id *born;                        /* by id of the value: where its op, or its block, has it */
    weft_placement_id *operands;                    size_t operand_count, operand_cap;
    weft_moved *moved;                              size_t moved_count, moved_cap;
    weft_repeated repeated[WEFT_MOST_REPEATED];     size_t repeated_count; /* dearest first */
    weft_vain vain[WEFT_MOST_REPEATED];             size_t vain_count;
    double total;                  /* of what is sent and of work */
    double work;                   /* of total, what is no traffic */
    bool spreading;                /* broadcasts are made again where that is cheaper */
    const weft_op_rival **rivals;  /* by id of the op, where it has one; NULL: not asked for */
} weft_layout_plan;

/* An empty plan of m in the arena; and one emptied, whose memory is used again. */
weft_status weft_layout_plan_open(const weft_module *m, weft_arena *arena, weft_layout_plan **out);
void weft_layout_plan_clear(weft_layout_plan *p);

weft_status weft_layout_plan_add_move(weft_layout_plan *p, const weft_moved *move);
/* op has its operands in these placements; the moves made last are those before it. */
weft_status weft_layout_plan_add_op(weft_layout_plan *p, const weft_op *op, const weft_placement_id *operands);
void weft_layout_plan_add_repeated(weft_layout_plan *p, const weft_repeated *repeated);
/* All has been added: finds which moves are used, and adds up what they cost. */
void weft_layout_plan_finish(weft_layout_plan *p);

static inline const weft_op_layout *weft_layout_plan_op(const weft_layout_plan *p, const weft_op *op) {
    return &p->ops[op->id];
}
static inline const weft_placement_id *weft_layout_plan_operands(const weft_layout_plan *p, const weft_op *op) {
    return p->operands + p->ops[op->id].operands;
}
bool weft_layout_plan_moves(const weft_layout_plan *p);            /* whether any value moves */
/* What op adds to the plan's total: its work, and the moves made for it that something reads. */
double weft_layout_plan_cost(const weft_layout_plan *p, const weft_op *op);

/* Reshards and markers are the same value in another place, but for those that are to be obeyed
 * (weft-obey-constraints): readers of such a one have the value where it says, and nowhere else. */
bool weft_plan_passes(const weft_op *op);
const weft_value *weft_plan_root(const weft_value *v);

/* write_plan.c: the plan's module, with its reshards in it: p->of is not changed. t: the placements of the plan. */
weft_status weft_plan_write(const weft_layout_plan *p, weft_placements *t, weft_module **out);

#endif
