/* layout_planner.h: makes plans of one module, and finds the cheapest; part of pass weft-insert-reshards.
 *
 * A plan follows from the module and an input: how far propagation is trusted, what readers are known to want, and one
 * value that is to lie elsewhere than the module says. Making one changes neither the module nor the input; a planner
 * keeps what all plans of its module need, and what was found out before.
 */
#ifndef WEFT_PARTITIONER_LAYOUT_PLANNER_H
#define WEFT_PARTITIONER_LAYOUT_PLANNER_H

#include "cost/machine.h"
#include "ir/symbols.h"
#include "partitioner/plan/layout_plan.h"
#include "partitioner/plan/worth.h"

typedef struct weft_known_rule { const weft_rule *rule; bool known; } weft_known_rule;

typedef struct weft_placed weft_placed;
typedef struct weft_loop_frame weft_loop_frame;

#define WEFT_LEAST_TRUST 1e-4 /* in propagation's wishes: results are left where operands are */

/* Where an op is to have its operands and results, whatever that costs. */
typedef struct weft_forced_op {
    const weft_placement_id *operands, *results;
    const weft_placement_id *then; /* where results are brought right after it; or NULL */
    const weft_loc *loc;           /* the op that says so */
} weft_forced_op;

typedef struct weft_forced_plan {
    const weft_forced_op **of;     /* by id of the op; NULL: as the planner finds best */
    bool spreading;
} weft_forced_plan;

typedef struct weft_plan_input {
    double trust;                  /* in propagation's wishes, 1 in full; of the chooser */
    bool wide;                     /* products are offered axes that they were not found to have; of the chooser */
    bool spreading;                /* broadcasts are made again where that is cheaper */
    const weft_wishes *wishes;     /* by id of the value: what it has found; NULL while propagation's wishes count */
    /* by id of a loop's result: 1 + where it is carried; 0: where it is declared. NULL: everything where declared */
    const weft_placement_id *carried;
    weft_worth *told;              /* what ops and places there are is told to it; or NULL */
    bool telling_ops;              /* ops, too, and not only places */
    const weft_forced_plan *forced; /* or NULL */
    bool rivals;                   /* the plan has runners-up */
} weft_plan_input;

typedef struct weft_layout_planner {
    /* of the module */
    weft_context *cx;
    const weft_module *in;
    const weft_machine *machine;   /* plans are compared by its costs */
    weft_arena arena;
    weft_placements *t;
    weft_planner *planner;
    weft_chooser *chooser;
    weft_rules *rules;
    weft_uses uses;
    weft_symbol_table functions;
    weft_placement_id *declared;   /* by id of the value: 1 + where the module has it; 0: not looked up yet */
    weft_known_rule *rule_of;      /* by id of the op: of its work */
    /* a question: this value is declared to be in changed_to, whatever the module says; or NULL */
    const weft_value *changed;
    weft_placement_id changed_to;
    /* the plan that is being made */
    const weft_plan_input *how;
    weft_layout_plan *plan;
    weft_placed **of;              /* by id of the value */
    uint32_t *log;                 /* values that got a version, in order, so that a body's end can forget them */
    size_t log_count, log_cap;
    double weight;                 /* turns of the loops around */
    weft_loop_frame *loop;         /* the innermost one, or NULL */
    /* by id of the value: the loop in whose turns it is the same, though computed there */
    const weft_op **fixed_in;
    weft_atoms manual;             /* of the manual computations around */
    const weft_op *op;             /* at work on */
    /* what the last plan found: by id of a loop's result, 1 + where the turns leave it; 0: where it is declared */
    weft_placement_id *left;
    double trusting;               /* what the plan that trusts propagation costs; of the search for the cheapest */
    weft_layout_plan *spare;       /* a plan that is no longer wanted, or NULL */
} weft_layout_planner;

/* The machine must live as long as the planner. */
weft_status weft_layout_planner_open(weft_context *cx, const weft_module *m, const weft_machine *machine,
                                     weft_layout_planner *out);
void weft_layout_planner_close(weft_layout_planner *s);

/* Where the module, or the change asked for, has v. */
weft_status weft_plan_declared(const weft_layout_planner *s, const weft_value *v, weft_placement_id *id);

/* The plan that follows from the input. It lives as long as s, or until it is given back. */
weft_status weft_plan_make(weft_layout_planner *s, const weft_plan_input *how, weft_layout_plan **out);
void weft_plan_give_back(weft_layout_planner *s, weft_layout_plan *p); /* p may be NULL */

/* plan_search.c: plans with each of a few weights of propagation's wishes, and by what readers want; the cheapest that
 * has forced, if that is not NULL, in it. rivals: with runners-up. */
weft_status weft_plan_search(weft_layout_planner *s, const weft_forced_plan *forced, bool rivals,
                             weft_layout_plan **out);
/* One plan, which trusts propagation; it is quick, and at most dearer. */
weft_status weft_plan_trusting(weft_layout_planner *s, weft_layout_plan **out);

/* unfollowed.c: warns of sharding constraints that the plan leaves aside, with what that saves. */
weft_status weft_report_unfollowed(const weft_layout_planner *s, const weft_layout_plan *p);

/* replicated.c: warns of what s's best plan gathers, or computes everywhere, although an annotation would avoid it. It
 * makes plans of its own with s. */
weft_status weft_report_replicated(weft_layout_planner *s, const weft_layout_plan *best);

#endif
