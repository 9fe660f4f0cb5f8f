/* inserter.h: one plan of a module by pass weft-insert-reshards, and what is known of it afterwards.
 *
 * A plan says what it costs in all, and lists the moves that it makes and the work that it leaves to all devices
 * alike, so that replicated.c can judge them; the one that is wanted is then written as a module. It can be asked again
 * with one value declared elsewhere than the module says: what that plan costs is what an annotation there would.
 */
#ifndef WEFT_PARTITIONER_INSERTER_H
#define WEFT_PARTITIONER_INSERTER_H

#include "ir/symbols.h"
#include "partitioner/plan/worth.h"

/* A value brought to another placement: one sdy.reshard. */
typedef struct weft_moved {
    const weft_op *op;             /* of the module read: who needs it there; NULL: a function's results */
    const weft_value *value;
    weft_placement_id from, to;
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
    double cost;                   /* what is done in vain, in bytes on the wire, of all turns */
    double turns;
} weft_repeated;

#define WEFT_MOST_REPEATED 16      /* the dearest are kept, and so many sets of axes are told apart */

/* of all ops that are done whole along these atoms */
typedef struct weft_vain { weft_atoms idle; double cost; } weft_vain;

typedef struct weft_plan_notes {
    weft_moved *moved;                              size_t moved_count, moved_cap;
    weft_repeated repeated[WEFT_MOST_REPEATED];     size_t repeated_count; /* dearest first */
    weft_vain vain[WEFT_MOST_REPEATED];             size_t vain_count;
} weft_plan_notes;

typedef struct weft_known_rule { const weft_rule *rule; bool known; } weft_known_rule;

typedef struct weft_placed weft_placed;
typedef struct weft_loop_frame weft_loop_frame;

typedef struct weft_inserter {
    weft_context *cx;
    const weft_module *in;
    weft_module *out;              /* NULL: the plan is only judged */
    weft_arena arena;
    weft_placements *t;
    weft_planner *planner;
    weft_chooser *chooser;
    weft_rules *rules;
    weft_uses uses;
    weft_symbol_table functions;
    weft_placement_id *declared;   /* by id of the value: 1 + where the module has it; 0: not looked up yet */
    weft_known_rule *rule_of;      /* by id of the op: of its work */
    weft_map map;                  /* scratch for cloning: set just before, op by op */
    weft_placed **of;             /* by id of the old value */
    uint32_t *log;                 /* values that got a version, in order, so that a body's end can forget them */
    size_t log_count, log_cap;
    double total;                  /* bytes sent and work done, in bytes; what is in loops as often as they turn */
    double work;                   /* of total, what is no traffic */
    double weight;                 /* turns of the loops around */
    weft_loop_frame *loop;         /* the innermost one, or NULL */
    /* by id of the old value: the loop in whose turns it is the same, though computed there */
    const weft_op **fixed_in;
    weft_atoms manual;             /* of the manual computations around */
    const weft_op *op;             /* at work on */
    weft_plan_notes notes;
    weft_worth *worth;             /* NULL while a plan only judges */
    bool asking;                   /* the ops are told to worth */
    bool spreading;                /* what is spread is spread anew where that is cheaper */
    const weft_wishes *wishes;     /* by id of the value: what it has found; NULL while propagation's wishes count */
    /* by id of a loop's result: 1 + where a plan's turns leave it; 0: where it is declared */
    weft_placement_id *left;
    const weft_placement_id *carried; /* the same, of where it is carried; NULL: everything where it is declared */
    double trust;                  /* of the chooser */
    double trusting;               /* what the plan that trusts propagation costs; of the search for the cheapest */
    const weft_value *changed;     /* this value is declared to be in changed_to, whatever the module says; or NULL */
    weft_placement_id changed_to;
} weft_inserter;

/* Reshards and markers are the same value in another place, but for those that are to be obeyed
 * (weft-obey-constraints): readers of such a one have the value where it says, and nowhere else. */
bool weft_inserter_passes(const weft_op *op);
const weft_value *weft_inserter_root(const weft_value *v);
/* Where the module, or the change asked for, has v. */
weft_status weft_inserter_declared(const weft_inserter *s, const weft_value *v, weft_placement_id *id);

#define WEFT_LEAST_TRUST 1e-4 /* of a chooser, in propagation's wishes: results are left where operands are */

/* One plan, by s's trust, wishes and places, written to s->out if that is a module; s->total says what it costs. */
weft_status weft_inserter_insert(weft_inserter *s);

/* plan_search.c: plans with each of a few weights of propagation's wishes, and by what readers want; out gets the
 * cheapest plan, notes its own. out NULL: one plan, which trusts propagation; it is quick, and at most dearer. */
weft_status weft_inserter_plan(weft_inserter *s, weft_module **out, weft_plan_notes *notes, double *total);

/* unfollowed.c: warns of sharding constraints that the plan with these notes leaves aside, with what that saves. */
weft_status weft_report_unfollowed(const weft_inserter *s, const weft_plan_notes *notes);

/* replicated.c: warns of what s's best plan gathers, or computes everywhere, although an annotation would avoid it.
 * Changes s's state. */
weft_status weft_report_replicated(weft_inserter *s, const weft_plan_notes *notes, double total);

#endif
