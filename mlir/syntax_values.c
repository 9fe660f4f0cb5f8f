/* syntax_values.c: constants, and the element-wise ops with more in their pretty form than operands and types. */
#include "mlir/syntax.h"

/* stablehlo.constant {attrs} dense<1.0> : tensor<f32>. If value and result differ in type, the tail of the generic form
 * follows the name instead. */
static bool constant_read(weft_reader *r, rd_op *o) {
    if (rd_at(r, '(')) return rd_generic(r, o);
    if (!rd_attr_dict(r, o)) return false;
    const char *at = r->p;
    const weft_attr *a = rd_attr(r);
    if (!a) return false;
    const weft_type *t = a->type;
    if (!t || (a->kind != WEFT_ATTR_DENSE && a->kind != WEFT_ATTR_OPAQUE))
        return rd_fail(r, at, "expected a dense<...> literal");
    return rd_put(r, WEFT_A_value, a) && RD_PUSH(r, types, t);
}

static void constant_print(weft_writer *w, const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_value);
    if (a->type != op->results[0].type || (a->kind != WEFT_ATTR_DENSE && a->kind != WEFT_ATTR_OPAQUE)) {
        pr_generic(w, op);
        return;
    }
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_value));
    weft_buf_putc(w->b, ' ');
    pr_attr(w, a, PR_TYPE_ALWAYS);
}

const weft_syntax weft_syntax_constant = { .read = constant_read, .print = constant_print,
                                           .results = { PR_WORD_cst } }; /* or c */
const weft_syntax weft_syntax_unnamed_constant = { .read = constant_read, .print = constant_print };

/* stablehlo.compare LT, %0, %1, FLOAT : (a, a) -> b */
static bool compare_read(weft_reader *r, rd_op *o) {
    weft_enum_value e;
    if (!rd_enum(r, WEFT_ENUM_comparison_direction, &e) ||
        !rd_put(r, WEFT_A_comparison_direction, weft_attr_enum(r->cx, e)) || !rd_expect(r, ',') ||
        !rd_operand_read(r) || !rd_expect(r, ',') || !rd_operand_read(r))
        return false;
    if (rd_accept(r, ',') &&
        (!rd_enum(r, WEFT_ENUM_comparison_type, &e) || !rd_put(r, WEFT_A_compare_type, weft_attr_enum(r->cx, e))))
        return false;
    return rd_attr_dict(r, o) && rd_functional(r, o);
}

static bool compare_can_print(const weft_op *op) {
    return pr_keyword_of(op, WEFT_A_comparison_direction, WEFT_ENUM_comparison_direction) &&
           pr_keyword_of(op, WEFT_A_compare_type, WEFT_ENUM_comparison_type);
}

static void compare_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_enum(w->b, weft_op_attr(op, WEFT_A_comparison_direction));
    weft_buf_puts(w->b, ", ");
    pr_operand_list(w, op);
    const weft_attr *type = weft_op_attr(op, WEFT_A_compare_type);
    if (type) {
        weft_buf_puts(w->b, ", ");
        pr_enum(w->b, type);
    }
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_comparison_direction, WEFT_A_compare_type));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

WEFT_SYNTAX(compare);

/* stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xf32> */
static bool select_read(weft_reader *r, rd_op *o) {
    if (!rd_operand_list(r) || !rd_operands_exactly(r, o, 3) || !rd_attr_dict(r, o) || !rd_expect(r, ':')) return false;
    if (rd_at(r, '(')) return rd_signature(r, o);
    if (!rd_operand_type(r, o, 0) || !rd_expect(r, ',')) return false;
    const weft_type *t = rd_type(r);
    return t && rd_operand_is(r, o, 1, t) && rd_operand_is(r, o, 2, t) && RD_PUSH(r, types, t);
}

static void select_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    pr_attr_dict(w, op, PR_ELIDE_NONE);
    weft_buf_puts(w->b, " : ");
    const weft_type *t = op->results[0].type;
    if (op->operands[1]->type != t || op->operands[2]->type != t) {
        pr_functional(w, op);
        return;
    }
    pr_type(w, op->operands[0]->type);
    weft_buf_puts(w->b, ", ");
    pr_type(w, t);
}

const weft_syntax weft_syntax_select = { .read = select_read, .print = select_print };

/* The real type of a complex one's parts; NULL for others. */
static const weft_type *real_part(weft_context *cx, const weft_type *t) {
    if (t->kind != WEFT_TYPE_TENSOR || !weft_dtype_is_complex(t->dtype)) return NULL;
    return weft_type_with_dtype(cx, t, t->dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64);
}

/* stablehlo.complex %re, %im : tensor<2xcomplex<f32>> */
static bool complex_read(weft_reader *r, rd_op *o) {
    if (!rd_operand_list(r) || !rd_operands_exactly(r, o, 2) || !rd_attr_dict(r, o) || !rd_expect(r, ':')) return false;
    if (rd_at(r, '(')) return rd_signature(r, o);
    const char *at = r->p;
    const weft_type *t = rd_type(r), *part = t ? real_part(r->cx, t) : NULL;
    if (!t) return false;
    if (!part) return rd_fail(r, at, "expected a tensor of complex numbers");
    return rd_operand_is(r, o, 0, part) && rd_operand_is(r, o, 1, part) && RD_PUSH(r, types, t);
}

static void complex_print(weft_writer *w, const weft_op *op) {
    const weft_type *t = op->results[0].type, *part = real_part(w->m->cx, t);
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    pr_attr_dict(w, op, PR_ELIDE_NONE);
    weft_buf_puts(w->b, " : ");
    if (op->operands[0]->type == part && op->operands[1]->type == part) pr_type(w, t);
    else pr_functional(w, op);
}

const weft_syntax weft_syntax_complex = { .read = complex_read, .print = complex_print };

/* e5m10: digits after letter, moving *p after them */
static bool digits_behind(const char **p, const char *end, char letter, int64_t *out) {
    const char *q = *p;
    if (q >= end || *q++ != letter || q >= end || !rd_is_digit(*q)) return false;
    for (*out = 0; q < end && rd_is_digit(*q); q++) {
        *out = *out * 10 + (*q - '0');
        if (*out > INT32_MAX) return false;
    }
    *p = q;
    return true;
}

/* stablehlo.reduce_precision %0, format = e5m10 : tensor<2xf32> */
static bool reduce_precision_read(weft_reader *r, rd_op *o) {
    weft_str word;
    int64_t e, m;
    if (!rd_operand_read(r) || !rd_expect(r, ',') || !rd_expect_word(r, "format") || !rd_expect(r, '=')) return false;
    const char *at = r->p;
    if (!rd_ident(r, &word)) return false;
    const char *q = word.p, *end = word.p + word.n;
    if (!digits_behind(&q, end, 'e', &e) || !digits_behind(&q, end, 'm', &m) || q != end)
        return rd_fail(r, at, "expected a format such as e5m10, found '%.*s'", WEFT_STR_ARG(word));
    const weft_type *i32 = weft_type_scalar(r->cx, WEFT_I32);
    if (!i32) return rd_oom(r);
    return rd_put(r, WEFT_A_exponent_bits, weft_attr_int(r->cx, e, i32)) &&
           rd_put(r, WEFT_A_mantissa_bits, weft_attr_int(r->cx, m, i32)) && rd_attr_dict(r, o) && rd_same_type(r, o);
}

static bool reduce_precision_can_print(const weft_op *op) {
    return weft_op_int(op, WEFT_A_exponent_bits, 0) >= 0 && weft_op_int(op, WEFT_A_mantissa_bits, 0) >= 0;
}

static void reduce_precision_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    weft_buf_puts(w->b, ", format = e");
    weft_buf_i64(w->b, weft_op_int(op, WEFT_A_exponent_bits, 0));
    weft_buf_putc(w->b, 'm');
    weft_buf_i64(w->b, weft_op_int(op, WEFT_A_mantissa_bits, 0));
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_exponent_bits, WEFT_A_mantissa_bits));
    weft_buf_puts(w->b, " : ");
    if (op->operands[0]->type == op->results[0].type) pr_type(w, op->results[0].type);
    else pr_functional(w, op);
}

WEFT_SYNTAX(reduce_precision);

/* stablehlo.slice %0 [0:4, 2:8:2] : (a) -> b */
static bool slice_read(weft_reader *r, rd_op *o) {
    enum { START, LIMIT, STRIDE };
    static const weft_attr_name names[] = { WEFT_A_start_indices, WEFT_A_limit_indices, WEFT_A_strides };
    int64_t v[3][WEFT_MAX_RANK];
    uint32_t n = 0;
    if (!rd_operand_read(r) || !rd_expect(r, '[')) return false;
    while (!rd_at(r, ']')) {
        if (n == WEFT_MAX_RANK) return rd_fail(r, r->p, "more than %d dimensions", WEFT_MAX_RANK);
        v[STRIDE][n] = 1;
        if (!rd_int(r, &v[START][n]) || !rd_expect(r, ':') || !rd_int(r, &v[LIMIT][n])) return false;
        if (rd_accept(r, ':') && !rd_int(r, &v[STRIDE][n])) return false;
        n++;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return false;
    for (int i = 0; i < 3; i++)
        if (!rd_put(r, names[i], weft_attr_ints(r->cx, WEFT_I64, v[i], n))) return false;
    return rd_attr_dict(r, o) && rd_functional(r, o);
}

static bool slice_can_print(const weft_op *op) {
    uint32_t n = weft_op_ints(op, WEFT_A_start_indices).n;
    return weft_op_ints(op, WEFT_A_limit_indices).n == n && weft_op_ints(op, WEFT_A_strides).n == n;
}

static void slice_print(weft_writer *w, const weft_op *op) {
    weft_ints start = weft_op_ints(op, WEFT_A_start_indices), limit = weft_op_ints(op, WEFT_A_limit_indices),
              stride = weft_op_ints(op, WEFT_A_strides);
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    weft_buf_puts(w->b, " [");
    for (uint32_t i = 0; i < start.n; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        weft_buf_i64(w->b, start.v[i]);
        weft_buf_putc(w->b, ':');
        weft_buf_i64(w->b, limit.v[i]);
        if (stride.v[i] == 1) continue;
        weft_buf_putc(w->b, ':');
        weft_buf_i64(w->b, stride.v[i]);
    }
    weft_buf_putc(w->b, ']');
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_start_indices, WEFT_A_limit_indices, WEFT_A_strides));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

WEFT_SYNTAX(slice);
