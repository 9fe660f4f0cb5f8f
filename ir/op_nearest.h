/* op_nearest.h: which op of the table somebody may have meant.
 *
 * The nearest name (base/nearest.h), else the op of that name in another dialect: of mhlo.add, or of add without any.
 */
#ifndef WEFT_IR_OP_NEAREST_H
#define WEFT_IR_OP_NEAREST_H

#include "base/nearest.h"

weft_nearest weft_op_nearest(weft_str name);

#endif
