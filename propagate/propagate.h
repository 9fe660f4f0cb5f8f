/* propagate.h: the passes of this room, for the table of passes (pipeline/passes.def) and for tests. Names and options are
 * Shardy's; what each pass does, needs and leaves stands at the top of its file. */
#ifndef WEFT_PROPAGATE_PROPAGATE_H
#define WEFT_PROPAGATE_PROPAGATE_H

#include "ir/pass.h"

weft_status weft_pass_basic_propagate(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_aggressive_propagate(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_op_priority_propagate(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_user_priority_propagate(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_populate_op_sharding_rules(weft_pass *p, const weft_module *in, weft_module **out);

#endif
