/* legalize.h: passes that replace ops by simpler ones.
 *
 * CHLO's ops, and others without a kernel of their own, are functions of StableHLO's. Ops with an implicit broadcast
 * are rewritten before propagation, so that shardings propagate through broadcast_in_dim, which has a rule; the
 * element-wise ones are replaced in the per-device program, before code generation. An op that a pass replaces has the
 * word `legalized` in the columns of ops.def for later passes. An op of dynamic shape is left alone: shapes are refined
 * before.
 *
 * A pass here is a weft_rewrite (ir/rewrite.h); ir/expr.h writes the new ops.
 */
#ifndef WEFT_LEGALIZE_LEGALIZE_H
#define WEFT_LEGALIZE_LEGALIZE_H

#include "ir/pass.h"

weft_status weft_pass_expand_chlo_broadcasts(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_chlo_legalize_to_stablehlo(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_expand_approx_top_k(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_recompose_mhlo_calls(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_flatten(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_composite_to_call(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_refine_shapes(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_canonicalize_dynamism(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_expand_bodies(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_expand_ops(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_hoist_loop_invariants(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_hoist_loop_products(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_sink_loop_sums(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_tile_products(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_narrow_products(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_select_updates(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_quant_to_math(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_match_donors(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_check_static(weft_pass *p, const weft_module *in, weft_module **out);

#endif
