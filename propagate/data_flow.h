/* data_flow.h: the data-flow edges (sharding/data_flow.h) of a module as ops, sdy.data_flow_edge. */
#ifndef WEFT_PROPAGATE_DATA_FLOW_H
#define WEFT_PROPAGATE_DATA_FLOW_H

#include "ir/pass.h"
#include "propagate/presence.h"
#include "sharding/data_flow.h"

/* The sharding of each owner's sdy.data_flow_edge; open ones if it has none or is missing. *any is false if none has a
 * sharding; of is then undefined. */
weft_status weft_edge_shardings(weft_shardings *t, const weft_uses *uses, const weft_value *const *owners, uint32_t n,
                                const weft_sharding **of, bool *any);

/* add_data_flow_edges.c: in (see weft_edit_module) with an edge after every value that owns one at an op for which the
 * predicate is true. */
weft_status weft_add_data_flow_edges(const weft_pass *p, const weft_module *in, weft_op_test at, weft_module **out);

#endif
