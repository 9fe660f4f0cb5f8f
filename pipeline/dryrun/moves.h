/* moves.h: small changes of what a strategist has decided, for a search (search.h).
 *
 * A move is for one axis of the mesh and for all classes of dimensions, or all arguments, that look alike: of a model
 * whose layers are written one after another it changes all layers at once. Classes look alike if the arguments and
 * products that have them have the same types and read them at the same places, arguments if they have one type, one
 * role and classes that look alike.
 */
#ifndef WEFT_PIPELINE_DRYRUN_MOVES_H
#define WEFT_PIPELINE_DRYRUN_MOVES_H

#include "pipeline/dryrun/strategy.h"

#define WEFT_NO_DIM UINT32_MAX

typedef struct weft_move {
    uint32_t axis;
    uint32_t dim;              /* of the arguments in v; WEFT_NO_DIM: v are classes */
    const uint32_t *v; uint32_t n;
    double bytes;              /* of the arguments concerned */
} weft_move;

/* All moves of the strategist's program that some axis divides, those of the most bytes first, in arena. */
weft_status weft_moves_find(const weft_strategist *s, weft_arena *arena, const weft_move **out, size_t *n);

/* Splits the classes, or this dimension of the arguments, along the axis; no longer if that is done already. An
 * argument's other dimensions lose the axis, unless their classes have it. false: there is nothing to change. */
bool weft_move_make(weft_strategist *s, const weft_move *m);

/* "model: dimension 1 of params.h.0.wq and 11 others" */
weft_status weft_move_print(weft_buf *b, const weft_strategist *s, const weft_move *m);

/* The same decisions, to be changed apart from these; in arena, with s's program. */
weft_status weft_strategist_copy(const weft_strategist *s, weft_arena *arena, weft_strategist **out);

#endif
