/* resharder.h: what the files of pass sdy-insert-explicit-reshards share.
 *
 * The pass makes a new module op by op. When an op has been copied, the copy is looked at: its operands (slots of the
 * copy) get reshards in front of it, its results get reshards after it, and the map from old values to new ones then
 * leads later readers to those. So everything reads shardings from the new module, and a builder says where a new op
 * goes.
 */
#ifndef WEFT_PARTITIONER_RESHARDER_H
#define WEFT_PARTITIONER_RESHARDER_H

#include "ir/rewrite.h"
#include "ir/symbols.h"
#include "sharding/data_flow.h"
#include "sharding/projection.h"

/* ops: option enable-full-version */
typedef enum weft_reshards_in { WEFT_RESHARDS_IN_FEW, WEFT_RESHARDS_IN_ALL } weft_reshards_in;

typedef struct weft_resharder {
    weft_context *cx;
    const weft_module *in;
    weft_rewrite *r;
    weft_shardings *t;
    weft_rules *rules;
    weft_uses uses;              /* of in */
    weft_symbol_table symbols;   /* of in */
    const weft_mesh *global;     /* the first mesh that has axes, or NULL */
    bool partial, single;        /* values may be partial, or on one device only */
    weft_reshards_in ops;
} weft_resharder;

/* The sharding of a value of the new module as its readers see it; NULL when there is none. */
static inline weft_status weft_reshard_sharding(const weft_resharder *x, const weft_value *v,
                                                const weft_sharding **out) {
    return weft_value_sharding_inside(x->cx, x->t, v, out);
}
/* A builder in front of op, or at its place in general: after v and what is known to stand there. */
weft_builder weft_builder_before(const weft_resharder *x, weft_op *op);
weft_builder weft_builder_behind(const weft_resharder *x, const weft_value *v);

/* sdy.reshard of v. */
weft_status weft_build_reshard(weft_resharder *x, weft_builder *b, weft_value *v, const weft_sharding *to,
                               weft_value **out);
/* sdy.all_reduce of v over axes. */
weft_status weft_build_all_reduce(weft_resharder *x, weft_builder *b, weft_value *v, weft_axes axes,
                                  weft_unreduced_by by, const weft_sharding *to, weft_value **out);

/* Later readers of result i of op, an op of the old module, read v. */
static inline void weft_reshard_replace(weft_resharder *x, const weft_op *op, uint32_t i, weft_value *v) {
    x->r->map.to[op->results[i].id] = v;
}
/* The sharding of one result of an op that was copied becomes s. */
weft_status weft_reshard_set_result(weft_resharder *x, weft_op *copy, uint32_t i, const weft_sharding *s);

/* The tensors around an op, operands first, seen by factor. To be filled in: op, its copy and its rule. Lives on
 * scratch memory. */
typedef struct weft_meeting {
    const weft_op *op;
    weft_op *copy;
    const weft_rule *rule;
    const weft_sharding **of;      /* [rule->tensor_count], entries may be NULL */
    int64_t *elems;
    bool *changed;                 /* by tensor: p no longer says what is so */
    const weft_mesh *mesh;         /* NULL: nothing is sharded, or over meshes that do not compare */
    weft_projection p;
    weft_axis_list *axes;          /* [rule->factor_count] */
} weft_meeting;

/* From the shardings around the copy. Without a mesh there is no projection. */
weft_status weft_meeting_open(weft_resharder *x, weft_meeting *m);
/* Operands and results that have changed, or have the devices in another order than the mesh, get reshards from and to
 * what is so. */
weft_status weft_meeting_apply(weft_resharder *x, weft_meeting *m);

/* --- unreduced_reshards.c --- */

/* Finishes *v where it is partial along axes that its reader does not leave unreduced; *s is its sharding. */
weft_status weft_reshard_reduce(weft_resharder *x, weft_builder *b, const weft_sharding *reader, weft_value **v,
                                const weft_sharding **s);
/* Makes *v partial along the axes that its reader has unreduced and *v has not, from the whole value or from shards of
 * it. */
weft_status weft_reshard_to_unreduced(weft_resharder *x, weft_builder *b, const weft_sharding *reader, weft_value **v,
                                      const weft_sharding **s);
/* sdy.all_reduce after every result of copy, which was split along axes (major to minor as found) of its reduction
 * factors. */
weft_status weft_reshard_finish_results(weft_resharder *x, const weft_op *op, weft_op *copy, const weft_mesh *mesh,
                                        weft_axes axes);

/* Which axes of reduction factors op cannot be split along, since no all-reduce combines what the devices would get. */
bool weft_reduction_is_expressible(const weft_op *op);

/* --- single_device_reshards.c --- */

/* Reports functions whose arguments or results are to be on one device only. */
weft_status weft_single_device_check(weft_resharder *x, const weft_op *func);
/* Where a result of copy is on one device only, brings the operands there and the results back; *did says whether it
 * was so. */
weft_status weft_single_device_op(weft_resharder *x, const weft_op *op, weft_op *copy, bool *did);

#endif
