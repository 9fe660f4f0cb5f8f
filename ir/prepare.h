/* prepare.h: gives a context what ir/ keeps in it (the type table; fixed ids for attribute names and mnemonics). Called
 * by every maker of types, attributes and modules; does nothing the second time. */
#ifndef WEFT_IR_PREPARE_H
#define WEFT_IR_PREPARE_H

#include "ir/op.h"

bool weft_ir_prepare(weft_context *cx); /* false: out of memory */

#endif
