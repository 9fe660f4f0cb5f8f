/* prepare.h: prepares a context for ir/ (the type table; fixed ids for attribute names and mnemonics). Called by every
 * function that makes types, attributes or modules; does nothing the second time. */
#ifndef WEFT_IR_PREPARE_H
#define WEFT_IR_PREPARE_H

#include "ir/op.h"

bool weft_ir_prepare(weft_context *cx); /* false: out of memory */

#endif
