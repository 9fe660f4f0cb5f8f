/* factor_choice.h: along which mesh axes the devices share the work of one op.
 *
 * An op's rule names its loops: factors. A choice gives atoms of the mesh to factors; every operand and result then has
 * one placement that fits. What the operands cost to bring there, what a partial sum costs to finish, what the result
 * costs to bring where propagation wants it, and work that several devices would repeat are added up; the cheapest
 * choice wins.
 *
 * Unlike a greedy choice by tensor size, this compares prices (cost/price.h): gathering a weight, or carrying an
 * activation to the contracted dimension and scattering the sum, are just two prices. Operands that already exist in
 * several placements (a weight gathered by an earlier op) are taken in the one that is nearest.
 */
#ifndef WEFT_PARTITIONER_FACTOR_CHOICE_H
#define WEFT_PARTITIONER_FACTOR_CHOICE_H

#include "partitioner/lower/local.h"
#include "partitioner/layout/reshard_plan.h"

typedef struct weft_choice_operand {
    const weft_value *value;
    const weft_placement_id *have;  /* the axes that it has already; at least one unless free */
    const double *making;           /* [have_count] what it costs to have it there; NULL: nothing */
    uint32_t have_count;
    bool free;                      /* can be made anywhere at no cost: a constant, a broadcast scalar */
    bool may_stay_partial;          /* no other op needs the finished sum */
    /* NULL, or what it is spread from (broadcast_in_dim): that may move instead, and be spread anew */
    struct weft_choice_operand *source;
    /* one move of it serves so many turns of the loops around, since it does not change in them; 0: one */
    double turns;
    int64_t room;                   /* so many bytes may be held through the loop for what a move makes larger */
} weft_choice_operand;

/* Placements of one value, and what each costs more than the best of them by what becomes of the value (worth.h). */
typedef struct weft_wish {
    weft_placement_id at;
    double cost;
    bool born;                      /* a plan had it made there */
    bool offered;                   /* worth a try: best for the readers, or with what it costs to make it there */
    /* what that costs more than where it costs least; negative: no op makes it there */
    double making;
} weft_wish;
typedef struct weft_wishes { weft_wish *v; uint32_t n; } weft_wishes;

typedef struct weft_choice weft_choice;

typedef struct weft_choice_request {
    const weft_op *op;
    const weft_rule *rule;                   /* NULL: of an op that passes its operands on */
    const weft_choice_operand *operands;     /* [op->operand_count] */
    const weft_placement_id *declared;       /* [op->result_count]: what propagation wants */
    weft_atoms spare;                        /* atoms that no operand or result has, to be tried too */
    weft_atoms barred;                       /* along these every value must be whole */
    /* a choice whose operands and results are in these placements is the only one that counts, or one that does not;
     * or NULL */
    const weft_choice *only, *but;
    /* [op->result_count]: where readers want it; each, or the list, may be NULL: declared counts */
    const weft_wishes *const *wishes;
} weft_choice_request;

struct weft_choice {
    weft_placement_id *operands;    /* [op->operand_count] */
    weft_placement_id *results;     /* [op->result_count]; unreduced where a sum is left for later */
    /* how the devices' results combine over reduce_over, when not by an unreduced sum */
    weft_partial partial;
    weft_atoms reduce_over;         /* for MAX and MIN: to be reduced right after the op */
    double steps_cost;              /* of the op's own work, with talk */
    double talk;                    /* of what it sends while it works */
    double cost;
    double own;                     /* of cost, all but what it costs readers to have results where they want them */
    /* along these all devices do the same; what partial operands are kept over is not among them */
    weft_atoms idle;
};

typedef struct weft_chooser weft_chooser;

/* For the ops of m. */
weft_status weft_chooser_open(weft_placements *placements, weft_planner *planner, const weft_module *m,
                              weft_arena *arena, weft_chooser **out);

/* How much of what it costs to bring a result where propagation wants it counts: 1 trusts propagation, near 0 stays
 * where the operands are, since readers may be content with that. */
void weft_chooser_set_trust(weft_chooser *c, double trust);
/* Whether products are also offered axes at factors along which neither operand nor declared result has them. */
void weft_chooser_set_wide(weft_chooser *c, bool wide);

/* What a move of the operand between these placements costs is divided by this. */
double weft_choice_turns(const weft_placements *t, const weft_choice_operand *o, weft_placement_id from,
                         weft_placement_id to);

/* A value that is larger than the one it is spread from; NULL otherwise. That one is operand 0 of what is returned. */
const weft_op *weft_choice_spread(const weft_value *v);
/* Where operand 0 of such an op has to be for its result to be in `want`; false: that is a partial sum. */
bool weft_choice_source_at(const weft_op *spread, const weft_placement *want, weft_placement *out);

/* Fills *out, whose arrays the caller gives. Reports where there is no choice at all. */
weft_status weft_choose_factors(weft_chooser *c, const weft_choice_request *r, weft_choice *out);
/* The same where there may be none: *found. */
weft_status weft_choose_if_any(weft_chooser *c, const weft_choice_request *r, weft_choice *out, bool *found);

/* For an op whose result i is operand i (r has no rule): where that is best left, and what it costs to have it there
 * and to bring it where it is wanted. It grows no larger than it was born or was to be: what is gathered after a
 * barrier is not gathered before it. */
weft_status weft_choose_passing(weft_chooser *c, const weft_choice_request *r, uint32_t i, weft_placement_id *out,
                                double *cost);

#endif
