/* check.c: the checks of StableHLO's test programs (exec/kernels/check.h): the dialect's ops and the custom calls.
 *
 * What the custom calls take for limits: StableHLO, stablehlo/tools/StablehloTranslateMain.cpp. Here a custom call may
 * bring its own, as attributes of those names.
 */
#include "codegen/check.h"
#include "codegen/custom_call.h"

_Static_assert(WEFT_CHECK_RANK == WEFT_MAX_RANK, "every tensor can be checked");

weft_status cg_check_make(cg_import *im, const weft_op *op, weft_check_state *c, cg_node *actual, cg_node *expected) {
    weft_context *cx = im->g->cx;
    const weft_dtype t = (weft_dtype)actual->dtype;
    if (actual->dtype != expected->dtype || !cg_same_dims(actual, expected))
        return weft_report(cx, WEFT_D_verify, op->loc, "a check compares tensors of one type");
    if (c->kind != WEFT_CHECK_EXACT && !weft_dtype_is_float(t) && !weft_dtype_is_complex(t))
        return weft_report(cx, WEFT_D_verify, op->loc, "a check of floats does not take '%s'", weft_dtype_of(t)->name);
    c->dtype = (uint16_t)t;
    c->rank = actual->rank;
    memcpy(c->dims, actual->dims, actual->rank * sizeof *actual->dims);
    static const char *const labels[] = { "check.eq", "check.almost_eq", "check.close" };
    const cg_call_spec s = { .kernel = &weft_kernel_check, .label = labels[c->kind], .state = c,
                             .state_bytes = sizeof *c, .flags = CG_CALL_EFFECTS };
    return cg_call(im->g, &s, (cg_node *[]){ actual, expected }, 2, NULL, 0, NULL) ? WEFT_OK : im->g->status;
}

/* --- the custom calls --- */

static weft_status custom(cg_custom *c, weft_check_kind kind, double tolerance) {
    weft_check_state check = { .kind = (uint16_t)kind, .max_ulp = 3, .tolerance = tolerance };
    const weft_attr *max = weft_op_attr(c->op, WEFT_A_max_ulp_difference),
                    *min = weft_op_attr(c->op, WEFT_A_min_ulp_difference);
    const weft_attr *within = weft_op_attr(c->op, WEFT_A_tolerance);
    if (max && max->kind == WEFT_ATTR_INT) check.max_ulp = (uint64_t)max->i;
    if (min && min->kind == WEFT_ATTR_INT) check.min_ulp = (uint64_t)min->i;
    if (within && within->kind == WEFT_ATTR_FLOAT) check.tolerance = within->f;
    weft_status st = cg_check_make(c->im, c->op, &check, c->in[0], c->in[1]);
    for (uint32_t r = 0; r < c->op->result_count && st == WEFT_OK; r++) { /* of a check that did not fail */
        const weft_type *t = c->types[r];
        if (t->dtype != WEFT_I1) return cg_custom_bad(c, "results of type i1");
        st = cg_set(c->im, c->op, r, cg_splat_value(c->im->g, WEFT_I1, t->rank, t->dims, 1));
    }
    return st;
}

weft_status cg_custom_check_exact(cg_custom *c) { return custom(c, WEFT_CHECK_EXACT, 0); }
weft_status cg_custom_check_almost_eq(cg_custom *c) { return custom(c, WEFT_CHECK_ALMOST, 1e-3); }
weft_status cg_custom_check_close(cg_custom *c) { return custom(c, WEFT_CHECK_CLOSE, 0); }

weft_status cg_custom_check_eq(cg_custom *c) {
    const weft_dtype_kind kind = weft_dtype_of((weft_dtype)c->in[1]->dtype)->kind;
    return custom(c, kind == WEFT_KIND_FLOAT || kind == WEFT_KIND_COMPLEX ? WEFT_CHECK_ALMOST : WEFT_CHECK_EXACT, 1e-4);
}

/* --- the dialect's ops --- */

static weft_status dialect(cg_import *im, const weft_op *op, weft_check_kind kind) {
    const weft_attr *max = weft_op_attr(op, WEFT_A_max_ulp_difference),
                    *min = weft_op_attr(op, WEFT_A_min_ulp_difference);
    const weft_attr *within = weft_op_attr(op, WEFT_A_tolerance), *value = weft_op_attr(op, WEFT_A_value);
    weft_check_state check = { .kind = (uint16_t)kind, .max_ulp = max ? (uint64_t)max->i : 1,
                       .min_ulp = min ? (uint64_t)min->i : 0 };
    check.tolerance = within ? within->f : 1e-4;
    cg_node *expected = value ? cg_constant(im->g, value) : cg_of(im, op, 1);
    return expected ? cg_check_make(im, op, &check, cg_of(im, op, 0), expected) : im->g->status;
}

weft_status weft_gen_check_expect_eq(cg_import *im, const weft_op *op) { return dialect(im, op, WEFT_CHECK_EXACT); }
weft_status weft_gen_check_expect_almost_eq(cg_import *im, const weft_op *op) {
    return dialect(im, op, WEFT_CHECK_ALMOST);
}
weft_status weft_gen_check_expect_close(cg_import *im, const weft_op *op) { return dialect(im, op, WEFT_CHECK_CLOSE); }
