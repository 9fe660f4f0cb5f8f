/* readers.h: the readers of a value in the order of MLIR's use lists, which decides conflicts in propagation.
 *
 * An op reads its operands from when it is made, after the ops of its regions. If a pass gives a value's readers
 * another value to read, they become readers of that one from the latest to the first, so their order is reversed. Such
 * a pass calls weft_readers_hand_over and writes the order on its copies with weft_readers_write; the module keeps it
 * for later passes (turns in ir/module.h). Text does not contain it, and neither does MLIR's.
 */
#ifndef WEFT_PROPAGATE_READERS_H
#define WEFT_PROPAGATE_READERS_H

#include "propagate/copy.h"

/* Uses of every value, oldest first. */
weft_status weft_readers_build(const weft_module *m, weft_arena *arena, weft_uses *out);

typedef struct weft_readers {
    weft_uses uses;           /* of the module, oldest first */
    /* the module itself, if turns are set on its ops at once; NULL: they are kept here for the copies */
    weft_module *edited;
    const uint32_t *first;    /* by op: number of its operand 0 */
    uint32_t *turn;           /* by number of operand: in the copy */
    uint32_t operand_count;
    uint32_t turns;           /* in use */
} weft_readers;

/* edited: in itself if the pass edits it, or NULL. */
weft_status weft_readers_open(const weft_module *in, weft_module *edited, weft_arena *arena, weft_readers *out);
/* All readers of v except `but`, if any, read another value from now on. */
weft_status weft_readers_hand_over(weft_readers *r, const weft_value *v, const weft_op *but);
/* Writes the turns of op on its copy. */
weft_status weft_readers_write(const weft_readers *r, const weft_op *op, weft_module *out, weft_op *copy);

/* f and all its ops were made at once, by copying: an op then reads before the ops of its regions. */
weft_status weft_readers_of_copy(weft_module *m, weft_op *f);

/* The readers of every value are in program order, an op before the ops of its regions, as MLIR's dialect conversion
 * leaves them. */
void weft_readers_in_program_order(weft_module *m);

#endif
