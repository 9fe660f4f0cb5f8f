/* partition.h: the passes that turn one global program into the one that every device runs.
 *
 *     weft-inline-named-computations named computations are their bodies, between reshards
 *     weft-one-mesh                  shardings over several meshes are over one
 *     sdy-resolve-single-device-sharding  what is on one device is done there, and the result told to all
 *     weft-window-scatters           scatters at known places are updates of slices
 *     weft-carry-sorted              what is gathered in the order of a sort is sorted with it
 *     weft-widen-pieces              what is computed of slices to be put elsewhere is computed there
 *     weft-fold-slices               slices, pads and concatenations that follow each other are one op
 *     weft-obey-constraints          sharding constraints become orders
 *     weft-insert-reshards           operands fit how each op's work is shared most cheaply
 *     sdy-insert-explicit-reshards   the same by Shardy's rule
 *     weft-lower-reshards            reshards become the cheapest chains of sdy collectives
 *     sdy-reshard-to-collectives     the same by Shardy's rule
 *     sdy-resolve-permutation-factors  what moves elements along a split dimension exchanges parts, or is resharded
 *                                      around
 *     sdy-pad-for-divisibility       what devices do not divide is padded until they do
 *     sdy-convert-global-to-local    every shape becomes one device's; plain StableHLO
 *     weft-defer-reductions          a sum over devices that a loop adds up is made after the loop
 *     weft-collective-matmul         a product uses the part of its operand that is there while the others travel
 *     weft-combine-collectives       small collectives of one kind and group in one call
 *     weft-pipeline-gathers          what a loop gathers for a turn is gathered in the turn before
 *     canonicalize                   Shardy's ops without what they say twice or do for nothing
 *     cse                            equal ops are one, unused ops go
 *     weft-rematerialize             values that are held for long are computed again
 *
 * The result's @main has local types; its arguments and results keep sdy.sharding, and sdy.mesh stays, so that the
 * global shape of each is its local shape times the shards of each dimension.
 */
#ifndef WEFT_PARTITIONER_PARTITION_H
#define WEFT_PARTITIONER_PARTITION_H

#include "ir/pass.h"

weft_status weft_pass_inline_named_computations(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_obey_constraints(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_one_mesh(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_resolve_single_device(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_insert_reshards(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_insert_explicit_reshards(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_lower_reshards(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_reshard_to_collectives(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_resolve_permutations(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_pad_for_divisibility(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_convert_global_to_local(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_defer_reductions(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_collective_matmul(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_combine_collectives(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_pipeline_gathers(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_canonicalize(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_carry_sorted(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_window_scatters(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_index_batches(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_widen_pieces(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_fold_slices(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_rematerialize(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_cse(weft_pass *p, const weft_module *in, weft_module **out);

#endif
