/* syntax_dot.c: dot, dot_general, convolution. */
#include "mlir/syntax.h"

/* From the word precision on: precision = [DEFAULT, HIGHEST] */
bool rd_precision(weft_reader *r) {
    size_t height = r->items.n;
    if (!rd_expect_word(r, "precision") || !rd_expect(r, '=') || !rd_expect(r, '[')) return false;
    while (!rd_at(r, ']')) {
        weft_enum_value e;
        if (!rd_enum(r, WEFT_ENUM_precision, &e)) return false;
        const weft_attr *a = weft_attr_enum(r->cx, e);
        if (!a) return rd_oom(r);
        if (!RD_PUSH(r, items, a)) return false;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return false;
    const weft_attr *a = weft_attr_array(r->cx, r->items.v + height, (uint32_t)(r->items.n - height));
    r->items.n = height;
    return rd_put(r, WEFT_A_precision_config, a);
}

void pr_precision(weft_writer *w, const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_precision_config);
    if (!a) return;
    weft_buf_puts(w->b, ", precision = [");
    for (uint32_t i = 0; i < a->items.n; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        pr_enum(w->b, a->items.v[i]);
    }
    weft_buf_putc(w->b, ']');
}

static bool precision_is_keywords(const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_precision_config);
    if (!a) return true;
    if (a->kind != WEFT_ATTR_ARRAY) return false;
    for (uint32_t i = 0; i < a->items.n; i++)
        if (!weft_attr_is_keyword(a->items.v[i], WEFT_ENUM_precision)) return false;
    return true;
}

/* stablehlo.dot %0, %1, precision = [DEFAULT, DEFAULT] : (a, b) -> c */
static bool dot_read(weft_reader *r, rd_op *o) {
    if (!rd_operand_read(r) || !rd_expect(r, ',') || !rd_operand_read(r)) return false;
    if (rd_accept(r, ',') && !rd_precision(r)) return false;
    return rd_attr_dict(r, o) && rd_functional(r, o);
}

static void dot_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    pr_precision(w, op);
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_precision_config));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

const weft_syntax weft_syntax_dot = { .read = dot_read, .print = dot_print, .can_print = precision_is_keywords };

static bool copy_ints(weft_reader *r, size_t height, weft_ints *out) {
    uint32_t n = (uint32_t)(r->ints.n - height);
    int64_t *v = weft_arena_dup(&r->arena, r->ints.v ? r->ints.v + height : NULL, n * sizeof *v, _Alignof(int64_t));
    if (!v) return rd_oom(r);
    r->ints.n = height;
    *out = (weft_ints){ v, n };
    return true;
}

/* [0, 1] x [2, 3] */
static bool dims_pair(weft_reader *r, weft_ints *lhs, weft_ints *rhs) {
    size_t height = r->ints.n;
    return rd_expect(r, '=') && rd_int_list(r, '[', ']') && copy_ints(r, height, lhs) && rd_expect_word(r, "x") &&
           rd_int_list(r, '[', ']') && copy_ints(r, height, rhs);
}

/* algorithm = <...> */
static bool algorithm(weft_reader *r) {
    if (!rd_expect_word(r, "algorithm") || !rd_expect(r, '=')) return false;
    return rd_put(r, WEFT_A_algorithm, rd_at(r, '#') ? rd_attr(r) : rd_dot_algorithm(r));
}

/* stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [...] : (a, b) ->
 * c */
static bool dot_general_read(weft_reader *r, rd_op *o) {
    weft_attr a = { .kind = WEFT_ATTR_DOT };
    if (!rd_operand_read(r) || !rd_expect(r, ',') || !rd_operand_read(r) || !rd_expect(r, ',')) return false;
    if (rd_word(r, "batching_dims") && (!dims_pair(r, &a.dot.lhs_batch, &a.dot.rhs_batch) || !rd_expect(r, ',')))
        return false;
    if (!rd_expect_word(r, "contracting_dims") || !dims_pair(r, &a.dot.lhs_contract, &a.dot.rhs_contract)) return false;
    if (!rd_put(r, WEFT_A_dot_dimension_numbers, weft_attr_copy(r->cx, &a))) return false;
    if (rd_accept(r, ',')) {
        if (rd_at(r, 'a')) {
            if (!algorithm(r)) return false;
        } else if (!rd_precision(r) || (rd_accept(r, ',') && !algorithm(r))) {
            return false;
        }
    }
    return rd_attr_dict(r, o) && rd_functional(r, o);
}

static void print_pair(weft_buf *b, const char *key, weft_ints lhs, weft_ints rhs) {
    weft_buf_puts(b, key);
    pr_int_list(b, lhs);
    weft_buf_puts(b, " x ");
    pr_int_list(b, rhs);
}

static void dot_general_print(weft_writer *w, const weft_op *op) {
    const weft_dot_dims *d = &weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot;
    const weft_attr *alg = weft_op_attr(op, WEFT_A_algorithm);
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    if (d->lhs_batch.n || d->rhs_batch.n) print_pair(w->b, ", batching_dims = ", d->lhs_batch, d->rhs_batch);
    print_pair(w->b, ", contracting_dims = ", d->lhs_contract, d->rhs_contract);
    pr_precision(w, op);
    if (alg) {
        weft_buf_puts(w->b, ", algorithm = ");
        pr_dot_algorithm(w->b, &alg->algorithm);
    }
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_dot_dimension_numbers, WEFT_A_precision_config, WEFT_A_algorithm));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

const weft_syntax weft_syntax_dot_general = { .read = dot_general_read, .print = dot_general_print,
                                              .can_print = precision_is_keywords };

/* The fields of window = {...}, in printing order. */
static const struct { const char *key; weft_attr_name name; } window_keys[] = {
    { "stride", WEFT_A_window_strides },  { "pad", WEFT_A_padding },           { "lhs_dilate", WEFT_A_lhs_dilation },
    { "rhs_dilate", WEFT_A_rhs_dilation }, { "reverse", WEFT_A_window_reversal },
};

/* [[0, 1], [2, 3]] as dense of Nx2 */
static const weft_attr *pad_pairs(weft_reader *r) {
    size_t height = r->ints.n;
    if (!rd_expect(r, '[')) return NULL;
    while (!rd_at(r, ']')) {
        const char *at = r->p;
        size_t before = r->ints.n;
        if (!rd_int_list(r, '[', ']')) return NULL;
        if (r->ints.n != before + 2) return rd_fail(r, at, "expected a pair of integers"), NULL;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    int64_t dims[2] = { (int64_t)(r->ints.n - height) / 2, 2 }, *v = r->ints.v + height;
    bool splat = r->ints.n > height;
    for (size_t i = height; i < r->ints.n; i++) splat &= r->ints.v[i] == *v;
    const weft_type *t = weft_type_tensor(r->cx, WEFT_I64, 2, dims);
    const weft_attr *a = t ? weft_attr_dense(r->cx, t, r->ints.n > height ? (const void *)v : "", splat) : NULL;
    r->ints.n = height;
    if (!a) rd_oom(r);
    return a;
}

static const weft_attr *window_value(weft_reader *r, weft_attr_name name) {
    if (name == WEFT_A_padding) return pad_pairs(r);
    if (name != WEFT_A_window_reversal) return rd_ints_attr(r, WEFT_I64);
    size_t height = r->ints.n;
    if (!rd_expect(r, '[')) return NULL;
    while (!rd_at(r, ']')) {
        int64_t v = 0;
        if (rd_word(r, "true")) v = 1;
        else if (!rd_word(r, "false") && !rd_int(r, &v)) return NULL;
        if (!RD_PUSH(r, ints, v != 0)) return NULL;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    const weft_attr *a = weft_attr_ints(r->cx, WEFT_I1, r->ints.v + height, (uint32_t)(r->ints.n - height));
    r->ints.n = height;
    if (!a) rd_oom(r);
    return a;
}

static bool window(weft_reader *r, const rd_op *o) {
    if (!rd_expect_word(r, "window") || !rd_expect(r, '=') || !rd_expect(r, '{')) return false;
    while (!rd_at(r, '}')) {
        const char *at = r->p;
        weft_str key;
        if (!rd_ident(r, &key)) return false;
        size_t i = 0;
        while (i < WEFT_COUNT(window_keys) && !weft_str_is(key, window_keys[i].key)) i++;
        if (i == WEFT_COUNT(window_keys)) return rd_fail(r, at, "unknown window field '%.*s'", WEFT_STR_ARG(key));
        for (size_t k = o->attrs; k < r->attrs.n; k++)
            if (r->attrs.v[k].name->id == (uint32_t)window_keys[i].name)
                return rd_fail(r, at, "field '%.*s' is given twice", WEFT_STR_ARG(key));
        if (!rd_expect(r, '=') || !rd_put(r, window_keys[i].name, window_value(r, window_keys[i].name))) return false;
        if (!rd_accept(r, ',')) break;
    }
    return rd_expect(r, '}');
}

/* stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]} {...} : (a, b) ->
 * c */
static bool convolution_read(weft_reader *r, rd_op *o) {
    weft_attr a = { .kind = WEFT_ATTR_CONV };
    return rd_expect(r, '(') && rd_operand_list(r) && rd_operands_exactly(r, o, 2) && rd_expect(r, ')') &&
           rd_expect_word(r, "dim_numbers") && rd_expect(r, '=') && rd_conv_dims(r, &a.conv) &&
           rd_put(r, WEFT_A_dimension_numbers, weft_attr_copy(r->cx, &a)) && rd_expect(r, ',') && window(r, o) &&
           rd_attr_dict(r, o) && rd_functional(r, o);
}

static bool convolution_can_print(const weft_op *op) {
    if (!pr_has(op, WEFT_A_dimension_numbers, WEFT_ATTR_CONV) ||
        !pr_conv_whole(&weft_op_attr(op, WEFT_A_dimension_numbers)->conv))
        return false;
    for (size_t i = 0; i < WEFT_COUNT(window_keys); i++) {
        const weft_attr *a = weft_op_attr(op, window_keys[i].name);
        bool pad = window_keys[i].name == WEFT_A_padding;
        if (a && a->kind != (pad ? WEFT_ATTR_DENSE : WEFT_ATTR_DENSE_ARRAY)) return false;
        if (a && pad && (a->type->rank != 2 || a->type->dims[1] != 2 || a->type->dtype != WEFT_I64)) return false;
    }
    return true;
}

static void print_window_value(weft_buf *b, const weft_attr *a) {
    uint32_t n = a->kind == WEFT_ATTR_DENSE ? (uint32_t)a->type->dims[0] : a->ints.n;
    weft_buf_putc(b, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i) weft_buf_puts(b, ", ");
        if (a->kind == WEFT_ATTR_DENSE_ARRAY) {
            if (a->dtype == WEFT_I1) weft_buf_puts(b, a->ints.v[i] ? "true" : "false");
            else weft_buf_i64(b, a->ints.v[i]);
            continue;
        }
        weft_buf_putc(b, '[');
        weft_buf_i64(b, weft_dense_int(a, 2 * (int64_t)i));
        weft_buf_puts(b, ", ");
        weft_buf_i64(b, weft_dense_int(a, 2 * (int64_t)i + 1));
        weft_buf_putc(b, ']');
    }
    weft_buf_putc(b, ']');
}

static void convolution_print(weft_writer *w, const weft_op *op) {
    bool any = false;
    weft_buf_putc(w->b, '(');
    pr_operand_list(w, op);
    weft_buf_puts(w->b, ") dim_numbers = ");
    pr_conv_dims(w->b, &weft_op_attr(op, WEFT_A_dimension_numbers)->conv);
    weft_buf_puts(w->b, ", window = {");
    for (size_t i = 0; i < WEFT_COUNT(window_keys); i++) {
        const weft_attr *a = weft_op_attr(op, window_keys[i].name);
        if (!a) continue;
        if (any) weft_buf_puts(w->b, ", ");
        weft_buf_puts(w->b, window_keys[i].key);
        weft_buf_puts(w->b, " = ");
        print_window_value(w->b, a);
        any = true;
    }
    weft_buf_putc(w->b, '}');
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_dimension_numbers, WEFT_A_window_strides, WEFT_A_padding, WEFT_A_lhs_dilation,
                                 WEFT_A_rhs_dilation, WEFT_A_window_reversal));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

WEFT_SYNTAX(convolution);
