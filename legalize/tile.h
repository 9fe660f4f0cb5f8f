/* tile.h: products much larger than what is multiplied, and what is made of them, tile by tile (inside legalize/ only).
 *
 * A *wide* value is the result of a product that has several times the elements of its operands, such as the scores of
 * attention, or follows from one element by element. A *nest* is a set of ops of one block that make, change and
 * consume wide values, so that none of these is read outside. It is computed in tiles: a loop over the elements of its
 * *outer* axes (batches, heads), in each iteration one range of *rows* after the other, and of each only the *columns*
 * that matter. Only a tile of each wide value is in memory.
 *
 * Ops whose operands need what lies outside of the nest, which needs the nest in turn, are of a later *stage*: the
 * gradient is of a later stage than its scores. A nest has copies of the ops of earlier stages that make its wide
 * values: scores are computed again for their gradient.
 *
 * The axes of a nest are the classes of dimensions that its ops walk through together, as a softmax's rows are those
 * of its scores.
 */
#ifndef WEFT_LEGALIZE_TILE_H
#define WEFT_LEGALIZE_TILE_H

#include "cost/environment.h"
#include "ir/rewrite.h"

enum { LT_MOST_OUTER = 4, LT_MOST_TILES = 16, LT_MOST_OPERANDS = 3, LT_NONE = -1 };

typedef struct lt_range { int64_t from, to; } lt_range;

typedef struct lt_axis {
    uint32_t parent;         /* itself: the representative of its class */
    int64_t size;
    bool summed;             /* of a representative: added up by the last op of the nest that has it */
    bool folded;             /* of a representative: reduced in another way, or for ops of the nest */
} lt_axis;

/* An operand that the nest does not make. One value may be several, each walked through by other axes. */
typedef struct lt_input { const weft_op *op; uint32_t operand; } lt_input;

typedef struct lt_nest {
    uint32_t id, stage;
    const weft_op **ops;     /* in program order; with copies of others */
    uint32_t op_count, room;
    const weft_op *last;     /* of its own ops: the nest stands in its place */
    lt_input *in;
    const weft_value **out;
    uint32_t in_count, out_count;
    uint32_t **first;        /* by place in ops, of each operand and the result: its first dimension among axes */
    lt_axis *axes;
    uint32_t axis_count;
    /* representatives; LT_NONE: all elements in every tile */
    int64_t outer[LT_MOST_OUTER], rows, columns;
    uint32_t outer_count;
    int64_t each[LT_MOST_OUTER];             /* elements of an outer axis in a tile */
    lt_range row[LT_MOST_TILES], column[LT_MOST_TILES];
    uint32_t tile_count;                     /* in an iteration */
    bool taken;
    struct lt_nest *next;                   /* of the same block, an earlier stage or the same */
} lt_nest;

typedef struct lt_tiler {
    weft_arena *arena;
    const weft_machine *machine;
    bool always;             /* also where tiles save memory only */
    weft_uses uses;
    /* by op id */
    uint8_t *mark;           /* lt_mark */
    uint32_t *stage;         /* of an op that may be in a nest; else that of ops which read its results */
    uint32_t *root;          /* the op that stands for all ops of its nest */
    uint32_t *reader, *reader_stage;
    uint32_t *holder;        /* the number of the last nest that it is in */
    uint32_t *at;            /* its place in ops of that nest */
    lt_nest **nest;          /* its own, if that is computed in tiles */
    bool *emitted;           /* while a block is written: its results are there */
    /* by value id */
    bool *wide, *needed;     /* needed: read outside of the nests that make it */
    uint32_t *first_axis;    /* in the last nest that makes it */
    weft_value **here;       /* in the tile at hand */
    int64_t least;           /* elements of a wide value in the block at hand */
    uint32_t nests;
    uint32_t effects;        /* in the block at hand: the stage of the last op with effects */
    bool any;
} lt_tiler;

static inline int64_t lt_elems(const weft_value *v) { return weft_type_elems(v->type); }
/* Whether nest computes v itself. */
static inline bool lt_makes(const lt_tiler *t, const lt_nest *nest, const weft_value *v) {
    return v->def && t->holder[v->def->id] == nest->id;
}

/* tile_ops.c: whether op is one that tiles can be computed of. */
bool lt_fits(const weft_op *op);
/* A reduction that adds up. */
static inline bool lt_adds_up(const weft_op *op) {
    return op->kind == WEFT_OP_reduce && weft_reducer_kind(op, 0) == WEFT_OP_add;
}
/* Whether op must not change places with others like it. Collectives may: all ranks run one program. */
bool lt_has_effects(const weft_op *op);

/* tile_nests.c: the nests of blk, the latest stage first; *out is NULL if there are none. */
weft_status lt_nests_find(lt_tiler *t, const weft_block *blk, lt_nest **out);

/* tile_axes.c: finds the axes of nest. false: there are none by which all its ops agree. */
weft_status lt_axes_find(lt_tiler *t, lt_nest *nest, bool *agree);
/* Makes nest the nest that its ops are in, as those of two nests are in turn. */
void lt_enter(lt_tiler *t, const lt_nest *nest);
/* The axis of dimension d of a value that nest makes; of an operand of one of its ops. */
uint32_t lt_result_axis(const lt_tiler *t, const lt_nest *nest, const weft_value *v, uint32_t d);
uint32_t lt_operand_axis(const lt_tiler *t, const lt_nest *nest, const weft_op *op, uint32_t i, uint32_t d);
/* The axis that op walks through and its result does not have: calls f for each. */
typedef void (*lt_axis_fn)(void *user, uint32_t axis);
void lt_each_reduced(const lt_tiler *t, const lt_nest *nest, const weft_op *op, lt_axis_fn f, void *user);

/* tile_choose.c: chooses the tiles of nest, and whether they are worth it. */
weft_status lt_choose(lt_tiler *t, lt_nest *nest);

/* tile_empty.c: whether the columns [from, to) of nest's wide values add nothing to its results in these rows. */
bool lt_is_empty(lt_tiler *t, lt_nest *nest, lt_range rows, lt_range columns, lt_range kept);

/* tile_build.c: nest's loop, at b; r maps nest's results. */
weft_status lt_build(lt_tiler *t, lt_nest *nest, weft_rewrite *r, weft_builder *b);

#endif
