/* op_nearest.h: the op of the table that a misspelt name may mean.
 *
 * The nearest name (base/nearest.h), else the op of that name in another dialect: for mhlo.add, or for add without one.
 */
#ifndef WEFT_IR_OP_NEAREST_H
#define WEFT_IR_OP_NEAREST_H

#include "base/nearest.h"

weft_nearest weft_op_nearest(weft_str name);

#endif
