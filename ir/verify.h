/* verify.h: the rules of the dialects (column "infer" of ops.def).
 *
 * Verification reports the first error, at the location of its op, argument or return, and returns WEFT_ERR_INVALID.
 * One mistake often breaks hundreds of ops alike, so there is no second diagnostic, only notes.
 * Authority: StableHLO docs/spec.md; Shardy docs/sdy_dialect.md.
 */
#ifndef WEFT_IR_VERIFY_H
#define WEFT_IR_VERIFY_H

#include "ir/module.h"

/* Checks op's operands, attributes and regions and infers its result types into types[0..result_count). An entry is
 * NULL if the op may choose that result, within limits that were checked (convert, reshape, custom_call).
 */
weft_status weft_infer(weft_context *cx, const weft_op *op, const weft_type **types);
/* The same for an op of a module under construction from `symbols`, which has all meshes and functions while the new
 * module has not yet. */
weft_status weft_infer_within(weft_context *cx, const weft_module *symbols, const weft_op *op, const weft_type **types);

/* Checks a mesh, and describes the error; WEFT_ERR_INVALID if there is one. Uses cx's scratch memory. */
weft_status weft_mesh_explain(weft_context *cx, const weft_mesh_attr *mesh, char *why, size_t size);
/* The same for #sdy.propagation_edges by itself; false if it is invalid. */
bool weft_edges_explain(const weft_attr *edges, char *why, size_t size);

/* Whether the op has the counts of operands, results and regions and the attribute kinds of ops.def; reports nothing.
 */
bool weft_op_is_formed(const weft_op *op);
weft_status weft_verify_op(weft_context *cx, const weft_op *op);      /* without its regions' ops */
/* as weft_infer_within */
weft_status weft_verify_op_within(weft_context *cx, const weft_module *symbols, const weft_op *op);
weft_status weft_verify_module(weft_context *cx, const weft_module *m); /* structure, dominance, symbols, every op */

#endif
