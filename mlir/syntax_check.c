/* syntax_check.c: the check dialect of StableHLO's tests.
 *
 *   check.expect_eq %0, %1 : type
 *   check.expect_eq_const %0, dense<[1, 2]> : type
 *   check.expect_almost_eq %0, %1, tolerance = 1.000000e-03 : type          (and expect_almost_eq_const)
 *   check.expect_close %0, %1, max_ulp_difference = 3, min_ulp_difference = 0 : type, type
 *
 * Source: StableHLO, stablehlo/tests/CheckOps.td. expect_close has its other attributes after the colon.
 */
#include <inttypes.h>
#include "mlir/syntax.h"

static const struct { const char *key; weft_attr_name name; weft_dtype type; } limits[] = {
    { "tolerance", WEFT_A_tolerance, WEFT_F64 },
    { "max_ulp_difference", WEFT_A_max_ulp_difference, WEFT_UI64 },
    { "min_ulp_difference", WEFT_A_min_ulp_difference, WEFT_UI64 },
};

/* A number of known type, so that the colon after it is the op's. */
static const weft_attr *read_number(weft_reader *r, weft_dtype dtype) {
    const weft_type *t = weft_type_scalar(r->cx, dtype);
    rd_number n;
    int64_t i;
    if (!t) return rd_oom(r), NULL;
    if (!rd_number_read(r, &n)) return NULL;
    if (dtype == WEFT_F64) return weft_attr_float(r->cx, rd_number_double(&n), t);
    return rd_number_store(r, &n, dtype, &i) ? weft_attr_int(r->cx, i, t) : NULL;
}

static bool read_limit(weft_reader *r, const rd_op *o) {
    for (size_t i = 0; i < WEFT_COUNT(limits); i++) {
        if (!weft_op_kind_has_attr(o->kind, limits[i].name) || !rd_word(r, limits[i].key)) continue;
        return rd_expect(r, '=') && rd_put(r, limits[i].name, read_number(r, limits[i].type));
    }
    return rd_unexpected(r, "a limit such as tolerance");
}

static bool check_read(weft_reader *r, rd_op *o) {
    const bool is_const = weft_op_table[o->kind].operands == 1, close = o->kind == WEFT_OP_check_expect_close;
    if (!rd_operand_read(r) || !rd_expect(r, ',')) return false;
    if (is_const ? !rd_put(r, WEFT_A_value, rd_attr(r)) : !rd_operand_read(r)) return false;
    while (rd_accept(r, ','))
        if (!read_limit(r, o)) return false;
    if (close)
        return rd_expect(r, ':') && rd_attr_dict(r, o) && rd_operand_type(r, o, 0) && rd_expect(r, ',') &&
               rd_operand_type(r, o, 1);
    if (!rd_attr_dict(r, o)) return false;
    if (is_const) return true;
    const weft_type *t = rd_expect(r, ':') ? rd_type(r) : NULL;
    return t && rd_operand_is(r, o, 0, t) && rd_operand_is(r, o, 1, t);
}

static bool check_can_print(const weft_op *op) {
    if (op->kind == WEFT_OP_check_expect_close && !pr_has(op, WEFT_A_max_ulp_difference, WEFT_ATTR_INT)) return false;
    return pr_has_or_lacks(op, WEFT_A_tolerance, WEFT_ATTR_FLOAT) &&
           pr_has_or_lacks(op, WEFT_A_min_ulp_difference, WEFT_ATTR_INT) &&
           (op->operand_count == 2 || pr_has(op, WEFT_A_value, WEFT_ATTR_DENSE));
}

static void check_print(weft_writer *w, const weft_op *op) {
    const bool close = op->kind == WEFT_OP_check_expect_close;
    const weft_attr_name *elide =
        PR_ELIDE(WEFT_A_value, WEFT_A_tolerance, WEFT_A_max_ulp_difference, WEFT_A_min_ulp_difference);
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    if (op->operand_count == 1) {
        weft_buf_puts(w->b, ", ");
        pr_attr(w, weft_op_attr(op, WEFT_A_value), PR_TYPE_ALWAYS);
    }
    for (size_t i = 0; i < WEFT_COUNT(limits); i++) {
        const weft_attr *a = weft_op_attr(op, limits[i].name);
        if (!a) continue;
        weft_buf_printf(w->b, ", %s = ", limits[i].key);
        if (a->kind == WEFT_ATTR_INT) weft_buf_printf(w->b, "%" PRIu64, (uint64_t)a->i);
        else pr_attr(w, a, PR_TYPE_MAY_ELIDE);
    }
    if (!close) pr_attr_dict(w, op, elide);
    if (op->operand_count == 1) return;
    weft_buf_puts(w->b, " :");
    if (close) pr_attr_dict(w, op, elide);
    weft_buf_putc(w->b, ' ');
    pr_type(w, op->operands[0]->type);
    if (!close) return;
    weft_buf_puts(w->b, ", ");
    pr_type(w, op->operands[1]->type);
}

WEFT_SYNTAX(check);
