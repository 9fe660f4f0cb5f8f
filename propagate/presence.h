/* presence.h: whether a module has anything for a pass to do. */
#ifndef WEFT_PROPAGATE_PRESENCE_H
#define WEFT_PROPAGATE_PRESENCE_H

#include "ir/module.h"

/* Whether the predicate is true for any op of m, at any depth. */
typedef bool (*weft_op_test)(const weft_op *op);
bool weft_module_has(const weft_module *m, weft_op_test test);
bool weft_module_has_kind(const weft_module *m, weft_op_kind kind);

#endif
