/* import_round_trip.h: shared by the two files of the pass weft-import-round-trip. */
#ifndef WEFT_PIPELINE_IMPORT_ROUND_TRIP_H
#define WEFT_PIPELINE_IMPORT_ROUND_TRIP_H

#include "ir/pass.h"
#include "ir/rewrite.h"
#include "mlir/read.h"

typedef struct rt_manual { /* a manual computation: the ops that encode it */
    const weft_op *call, *function;
    /* @xla.sdy.GlobalToLocalShape, @xla.sdy.LocalToGlobalShape; NULL if it has no inputs, or no outputs */
    const weft_op *begin, *end;
} rt_manual;

typedef struct rt_importer {
    weft_rewrite rewrite;
    weft_context *cx;
    weft_arena arena;
    weft_uses uses;
    rt_manual *manual;
    size_t manual_count, manual_cap;
    /* by op id: 1 + the number of the manual computation of which it is the call, begin or end; 0: none */
    uint32_t *manual_of;
    bool *body;                      /* by op id of a function: only manual computations call it */
    const weft_block *filling;       /* the function's block that is being copied into a manual computation, or NULL */
    uint32_t depth;
    bool warned;                     /* a call that is left alone was reported */
} rt_importer;

bool rt_is_call(const weft_op *op, const char *target);
const weft_attr *rt_dict(const weft_op *op); /* its mhlo.frontend_attributes, or NULL */

/* The attribute that dict holds as text under this name. *out is NULL if there is none. Text that is no attribute of
 * that kind is an error. */
weft_status rt_read(weft_context *cx, const weft_attr *dict, const char *name, weft_attr_kind kind, const weft_loc *loc,
                    const weft_attr **out);

bool rt_names_body(weft_str callee); /* of a manual computation */
weft_status rt_find_manual(rt_importer *im, const weft_module *in);
bool rt_is_manual(const rt_importer *im, const weft_op *call);   /* the call of a known manual computation */
/* ops that only encode one: a begin, an end, a body */
bool rt_is_part(const rt_importer *im, const weft_op *op);
weft_status rt_import_manual(rt_importer *im, weft_builder *b, const weft_op *call);
weft_status rt_end_manual(rt_importer *im, weft_builder *b, const weft_op *end); /* in place of the function's return */

#endif
