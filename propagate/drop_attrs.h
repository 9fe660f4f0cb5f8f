/* drop_attrs.h: removes attributes from a whole module: ops, functions' arguments and functions' results. */
#ifndef WEFT_PROPAGATE_DROP_ATTRS_H
#define WEFT_PROPAGATE_DROP_ATTRS_H

#include "ir/builder.h"

/* For an op under construction. */
weft_status weft_drop_attrs(weft_module *m, weft_op *op, const weft_name *names, size_t n);

#endif
