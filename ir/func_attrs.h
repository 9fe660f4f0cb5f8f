/* func_attrs.h: the attributes of a function's arguments and results, one dictionary each: its arg_attrs and res_attrs.
 * Both lists may be absent.
 */
#ifndef WEFT_IR_FUNC_ATTRS_H
#define WEFT_IR_FUNC_ATTRS_H

#include "ir/builder.h"

/* The location of entry i of the side: the argument's or, for results, the function's. */
const weft_loc *weft_func_entry_loc(const weft_op *f, weft_attr_name side, uint32_t i);

/* Whether an argument's jax.buffer_donor is true: its memory may become a result's. An attribute of another kind says
 * nothing, as in XLA. */
bool weft_func_arg_is_offered(const weft_op *f, uint32_t arg);

/* *dict: entry i of the side; the callback may replace it. */
typedef weft_status (*weft_entry_fn)(void *user, uint32_t i, const weft_loc *loc, const weft_attr **dict);

/* Sets the side of `to`, a function of m, to the entries of `from` after fn has edited them. to: `from` itself, or a
 * copy that has its attributes and may have no body yet. The list is removed if fn leaves every entry empty, and kept
 * if it changes none. */
weft_status weft_func_map_entries(weft_module *m, const weft_op *from, weft_op *to, weft_attr_name side,
                                  weft_entry_fn fn, void *user);

#endif
