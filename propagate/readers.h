/* readers.h: who reads a value, in the order in which MLIR lists its uses, which decides conflicts in propagation.
 *
 * An op reads its operands from when it is made, after the ops of its regions. Where a pass gives a value's readers
 * another value to read, they come to read that one from the latest to the first, so that their order turns round. A
 * pass that does so says it with weft_readers_hand_over and writes it on its copies with weft_readers_write; the module
 * keeps it for the passes that follow (turns in ir/module.h). Text does not hold it, MLIR's neither.
 */
#ifndef WEFT_PROPAGATE_READERS_H
#define WEFT_PROPAGATE_READERS_H

#include "propagate/copy.h"

/* Uses of every value, oldest first. */
weft_status weft_readers_build(const weft_module *m, weft_arena *arena, weft_uses *out);

typedef struct weft_readers {
    weft_uses uses;           /* of the module, oldest first */
    /* the module itself, where turns go to its ops at once; NULL: they wait here for the copies */
    weft_module *edited;
    const uint32_t *first;    /* by op: number of its operand 0 */
    uint32_t *turn;           /* by number of operand: in the copy */
    uint32_t operand_count;
    uint32_t turns;           /* given out */
} weft_readers;

/* edited: in itself where the pass edits it, or NULL. */
weft_status weft_readers_open(const weft_module *in, weft_module *edited, weft_arena *arena, weft_readers *out);
/* All readers of v but `but`, if any, read something else from now on. */
weft_status weft_readers_hand_over(weft_readers *r, const weft_value *v, const weft_op *but);
/* What op's copy reads, it reads since then. */
weft_status weft_readers_write(const weft_readers *r, const weft_op *op, weft_module *out, weft_op *copy);

/* f and all in it were made at once, by copying: there an op reads before the ops of its regions. */
weft_status weft_readers_of_copy(weft_module *m, weft_op *f);

/* Every value's readers are as the program has them, an op before the ops of its regions: what MLIR's dialect
 * conversion leaves. */
void weft_readers_in_program_order(weft_module *m);

#endif
