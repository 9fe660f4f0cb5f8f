/* even_instruction.h: how large the tensors around one op have to be for every device to have the same share, and what the op is on
 * tensors of these sizes. Private to pipeline/.
 *
 * Dimensions grow at their ends, by what makes them divide. What stands there then must not reach an element that was there before:
 * so a dimension grows only where the op treats its elements one by one (a pass-through factor that has the dimension to itself, in
 * every tensor that has it), or adds them up (the contracting dimensions of a product, filled with zeros), and where slices and pads
 * can say with other limits what they mean. Anything else is reported.
 */
#ifndef WEFT_PIPELINE_EVEN_INSTRUCTION_H
#define WEFT_PIPELINE_EVEN_INSTRUCTION_H

#include "sharding/rule.h"
#include "sharding/values.h"

/* types[operands, then results]: to be used instead of op's own. shardings in the same order, none NULL. */
weft_status weft_even_types(weft_context *cx, weft_rules *rules, const weft_op *op, const weft_sharding *const *shardings, const weft_type **types);

/* copy, an op under construction like op, gets the result types and what of its attributes speaks of sizes. */
weft_status weft_even_copy(weft_module *m, const weft_op *op, const weft_type *const *types, weft_op *copy);

#endif
