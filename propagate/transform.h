/* transform.h: a pass that replaces every sharding of a module by another. */
#ifndef WEFT_PROPAGATE_TRANSFORM_H
#define WEFT_PROPAGATE_TRANSFORM_H

#include "ir/pass.h"
#include "sharding/values.h"

/* The replacement of s, or NULL when memory is out. Depends on s alone, so it is called once for each. */
typedef const weft_sharding *(*weft_sharding_map)(weft_shardings *t, const weft_sharding *s, void *user);

/* in (see weft_edit_module) with every sharding mapped: of values, of functions' arguments and results, of constraints
 * and similar ops. */
weft_status weft_transform_shardings(const weft_pass *p, const weft_module *in, weft_sharding_map map, void *user,
                                     weft_module **out);

/* in with the shardings of functions' arguments and results mapped: @main's, or those of all functions and with them
 * the results of calls. The map also gets the type. *out is unchanged if nothing changes. */
typedef const weft_sharding *(*weft_typed_map)(weft_shardings *t, const weft_sharding *s, const weft_type *type);
typedef enum weft_borders { WEFT_BORDERS_OF_MAIN, WEFT_BORDERS_OF_ALL } weft_borders;
weft_status weft_transform_borders(const weft_pass *p, const weft_module *in, weft_borders borders, weft_typed_map map,
                                   weft_module **out);

#endif
