/* history.h: the changes of a propagation's shardings, and the origin of each axis.
 *
 * A propagation with a history notes each change of a slot: when, at which op, to what sharding. Nothing else is kept.
 * The origin of an axis is computed on demand by going back: the change that brought the axis was made at an op, one of
 * whose other tensors had the axis along the same factor at that moment, and so on to a slot that had it from the
 * beginning: there it is annotated in the program.
 *
 * Moments are numbers of changes: moment t is after the first t changes. WEFT_NOW is the end.
 */
#ifndef WEFT_PROPAGATE_HISTORY_H
#define WEFT_PROPAGATE_HISTORY_H

#include "propagate/state.h"

#define WEFT_NOW UINT32_MAX

/* The reason why a slot changed. */
typedef enum weft_cause {
    WEFT_CAUSE_WRITTEN,    /* no change: the module has it */
    WEFT_CAUSE_PRIORITY,   /* the module has it, with a priority that was reached */
    WEFT_CAUSE_OP,         /* a visit to op */
    WEFT_CAUSE_GROUP,      /* another member of its sharding group changed */
    WEFT_CAUSE_RETURN      /* a result of @main and its returned value are one */
} weft_cause;

typedef struct weft_change {
    const weft_op *op;               /* WEFT_CAUSE_OP and _GROUP */
    const weft_sharding *before;
    uint32_t slot, previous;         /* the slot's change before this one, or WEFT_NOW */
    uint32_t began;                  /* the moment when the visit began */
    uint8_t cause;
    int8_t ladder;                   /* current op priority */
    uint16_t how;                    /* the visit's, for weft_visit_spread */
    int32_t priority;                /* current user priority */
    uint32_t result;                 /* WEFT_CAUSE_RETURN: of @main */
} weft_change;

struct weft_history {
    weft_change *v;
    uint32_t n;
    size_t cap;
    uint32_t *last;                  /* by slot: its last change, or WEFT_NOW */
    uint32_t began, how, result;     /* of the current visit */
    int ladder;
    int32_t priority;
};

/* Gives p, just opened, a history. */
weft_status weft_history_open(weft_propagation *p);
/* p->of[slot] is about to change. */
weft_status weft_history_add(weft_propagation *p, uint32_t slot, weft_cause cause, const weft_op *op);

/* The slot's sharding at a moment; NULL: none. */
const weft_sharding *weft_history_at(const weft_propagation *p, uint32_t slot, uint32_t moment);

/* One axis, or part of one, in one dimension of a slot. */
typedef struct weft_slot_axis { uint32_t slot, dim; weft_axis axis; } weft_slot_axis;

/* The cause of `of` by a moment. For causes other than WRITTEN and PRIORITY `from` is where the axis was before. */
typedef struct weft_origin {
    weft_cause cause;
    const weft_op *op;
    weft_slot_axis from;
    uint32_t factor;                 /* of op's rule, along which it came */
    uint32_t moment;                 /* the moment to query `from` with */
    int ladder;
    int32_t priority;
} weft_origin;
weft_origin weft_history_origin(const weft_propagation *p, weft_slot_axis of, uint32_t moment);

/* Why a neighbour's axis is missing in a dimension. */
typedef enum weft_refusal {
    WEFT_REFUSED_CLOSED,       /* the dimension is closed */
    WEFT_REFUSED_REPLICATED,   /* the value is annotated as replicated along the axis */
    WEFT_REFUSED_UNREDUCED,    /* the value is a partial sum along the axis */
    WEFT_REFUSED_ELSEWHERE,    /* the axis shards another dimension of the value */
    WEFT_REFUSED_OTHER_AXES,   /* the dimension has other axes */
    WEFT_REFUSED_UNEVEN,       /* the axes minor to it would not divide evenly */
    WEFT_REFUSED_BLOCKED,      /* the op does not propagate along this factor, or not in this direction */
    WEFT_REFUSED_NEIGHBOURS,   /* other tensors of the op cannot take it */
    WEFT_REFUSED_MESHES        /* another tensor of the op is over a mesh of other devices, which blocks propagation */
} weft_refusal;

typedef struct weft_conflict {
    weft_slot_axis wanted;         /* the axis, and its dimension of the value */
    weft_slot_axis by;             /* its place in the neighbour */
    const weft_op *op;         /* the op between both */
    weft_refusal refusal;
    /* ELSEWHERE and OTHER_AXES: the axes there; NEIGHBOURS: those of one of them, or WEFT_NO_SLOT; MESHES: the slot */
    weft_slot_axis winner;
    int ladder;                /* the op priority at which the op would first have propagated the wanted axis */
} weft_conflict;

/* Every axis that a neighbour of a value has at the end and the value has not, by slot; if several neighbours have it,
 * the first one's. *out lives in arena. */
weft_status weft_history_conflicts(weft_propagation *p, weft_arena *arena, weft_conflict **out, size_t *count);

#endif
