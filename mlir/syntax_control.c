/* syntax_control.c: reduce and while, whose regions are part of the pretty form, and the small ops around control flow.
 */
#include "mlir/syntax.h"

/* stablehlo.return %0, %1 {attrs} : a, b; func.return and sdy.return print the attributes first. */
static bool return_read(weft_reader *r, rd_op *o) {
    if (!rd_attr_dict(r, o) || !rd_operand_list(r) || !rd_attr_dict(r, o)) return false;
    uint32_t n = rd_operand_count(r, o);
    if (!n) return true;
    if (!rd_expect(r, ':')) return false;
    for (uint32_t i = 0; i < n; i++)
        if ((i && !rd_expect(r, ',')) || !rd_operand_type(r, o, i)) return false;
    return true;
}

static void operand_types(weft_writer *w, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        pr_type(w, op->operands[i]->type);
    }
}

static void return_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    pr_attr_dict(w, op, PR_ELIDE_NONE);
    if (!op->operand_count) return;
    weft_buf_puts(w->b, " : ");
    operand_types(w, op);
}

static void attrs_return_print(weft_writer *w, const weft_op *op) {
    pr_attr_dict(w, op, PR_ELIDE_NONE);
    if (!op->operand_count) return;
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    weft_buf_puts(w->b, " : ");
    operand_types(w, op);
}

const weft_syntax weft_syntax_return = { .read = return_read, .print = return_print };
const weft_syntax weft_syntax_attrs_return = { .read = return_read, .print = attrs_return_print };

/* stablehlo.optimization_barrier %0, %1 : a, b. Without operands: (). */
static bool variadic_same_read(weft_reader *r, rd_op *o) {
    if (!rd_attr_dict(r, o)) return false;
    if (rd_accept(r, '(')) return rd_expect(r, ')');
    if (!rd_operand_list(r) || !rd_expect(r, ':')) return false;
    for (uint32_t i = 0; i < rd_operand_count(r, o); i++) {
        if ((i && !rd_expect(r, ',')) || !rd_operand_type(r, o, i)) return false;
        if (!RD_PUSH(r, types, r->operands.v[o->operands + i]->type)) return false;
    }
    return true;
}

static bool variadic_same_can_print(const weft_op *op) {
    if (op->operand_count != op->result_count) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operands[i]->type != op->results[i].type) return false;
    return true;
}

static void variadic_same_print(weft_writer *w, const weft_op *op) {
    pr_attr_dict(w, op, PR_ELIDE_NONE);
    if (!op->operand_count) {
        weft_buf_puts(w->b, "()");
        return;
    }
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    weft_buf_puts(w->b, " : ");
    operand_types(w, op);
}

WEFT_SYNTAX(variadic_same);

/* stablehlo.tuple %0, %1 : tuple<a, b> */
static bool tuple_read(weft_reader *r, rd_op *o) {
    if (!rd_operand_list(r) || !rd_attr_dict(r, o) || !rd_expect(r, ':')) return false;
    const char *at = r->p;
    const weft_type *t = rd_type(r);
    if (!t) return false;
    if (t->kind != WEFT_TYPE_TUPLE) return rd_fail(r, at, "expected a tuple type");
    if (!rd_operands_exactly(r, o, t->part_count)) return false;
    for (uint32_t i = 0; i < t->part_count; i++)
        if (!rd_operand_is(r, o, i, t->parts[i])) return false;
    return RD_PUSH(r, types, t);
}

static void tuple_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    pr_attr_dict(w, op, PR_ELIDE_NONE);
    weft_buf_puts(w->b, " : ");
    pr_type(w, op->results[0].type);
}

static bool tuple_can_print(const weft_op *op) {
    const weft_type *t = op->results[0].type;
    bool same = t->kind == WEFT_TYPE_TUPLE && t->part_count == op->operand_count;
    for (uint32_t i = 0; same && i < op->operand_count; i++) same = op->operands[i]->type == t->parts[i];
    return same;
}

WEFT_SYNTAX(tuple);

/* stablehlo.get_tuple_element %0[1] : (tuple<a, b>) -> b */
static bool get_tuple_element_read(weft_reader *r, rd_op *o) {
    int64_t index;
    const weft_type *i32 = weft_type_scalar(r->cx, WEFT_I32);
    if (!i32) return rd_oom(r);
    return rd_operand_read(r) && rd_expect(r, '[') && rd_int(r, &index) && rd_expect(r, ']') &&
           rd_put(r, WEFT_A_index, weft_attr_int(r->cx, index, i32)) && rd_attr_dict(r, o) && rd_functional(r, o);
}

static void get_tuple_element_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    weft_buf_putc(w->b, '[');
    weft_buf_i64(w->b, weft_op_int(op, WEFT_A_index, 0));
    weft_buf_putc(w->b, ']');
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_index));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

const weft_syntax weft_syntax_get_tuple_element = { .read = get_tuple_element_read, .print = get_tuple_element_print };

/* stablehlo.rng_bit_generator %0, algorithm = DEFAULT : (a) -> (a, b) */
static bool rng_bit_generator_read(weft_reader *r, rd_op *o) {
    weft_enum_value e;
    return rd_operand_read(r) && rd_expect(r, ',') && rd_expect_word(r, "algorithm") && rd_expect(r, '=') &&
           rd_enum(r, WEFT_ENUM_rng_algorithm, &e) && rd_put(r, WEFT_A_rng_algorithm, weft_attr_enum(r->cx, e)) &&
           rd_attr_dict(r, o) && rd_functional(r, o);
}

static bool rng_bit_generator_can_print(const weft_op *op) {
    return pr_keyword_of(op, WEFT_A_rng_algorithm, WEFT_ENUM_rng_algorithm);
}

static void rng_bit_generator_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    weft_buf_puts(w->b, ", algorithm = ");
    pr_enum(w->b, weft_op_attr(op, WEFT_A_rng_algorithm));
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_rng_algorithm));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

WEFT_SYNTAX(rng_bit_generator, .results = { PR_WORD_output_state, PR_WORD_output });

/* chlo.top_k(%0, k = 8, is_stable = false) : a -> (b, c) */
static bool top_k_read(weft_reader *r, rd_op *o) {
    int64_t k;
    if (!rd_expect(r, '(') || !rd_operand_read(r) || !rd_expect(r, ',') || !rd_expect_word(r, "k") ||
        !rd_expect(r, '=') || !rd_int(r, &k) || !rd_put(r, WEFT_A_k, weft_attr_i64(r->cx, k)))
        return false;
    if (rd_accept(r, ',')) {
        if (!rd_expect_word(r, "is_stable") || !rd_expect(r, '=')) return false;
        bool v = rd_at(r, 't');
        if (!rd_expect_word(r, v ? "true" : "false") || !rd_put(r, WEFT_A_is_stable, weft_attr_bool(r->cx, v)))
            return false;
    }
    return rd_expect(r, ')') && rd_attr_dict(r, o) && rd_expect(r, ':') && rd_operand_type(r, o, 0) &&
           rd_expect_arrow(r) && rd_type_list_parens(r);
}

static void top_k_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, '(');
    pr_operand_list(w, op);
    weft_buf_puts(w->b, ", k = ");
    weft_buf_i64(w->b, weft_op_int(op, WEFT_A_k, 0));
    if (!weft_op_int(op, WEFT_A_is_stable, 1)) weft_buf_puts(w->b, ", is_stable = false");
    weft_buf_putc(w->b, ')');
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_k, WEFT_A_is_stable));
    weft_buf_puts(w->b, " : ");
    operand_types(w, op);
    weft_buf_puts(w->b, " -> (");
    pr_types(w, op->results, op->result_count);
    weft_buf_putc(w->b, ')');
}

const weft_syntax weft_syntax_top_k = { .read = top_k_read,
                                        .print = top_k_print,
                                        .results = { PR_WORD_values, PR_WORD_indices } };

/* stablehlo.while(%iterArg = %0, %iterArg_0 = %1) : a, b
 *   cond { ... } do { ... } */
static bool while_read(weft_reader *r, rd_op *o) {
    size_t names = r->results.n;
    if (!rd_expect(r, '(')) return false;
    while (rd_at(r, '%')) {
        rd_value_name name;
        if (!rd_value_name_read(r, &name) || !RD_PUSH(r, results, name) || !rd_expect(r, '=') || !rd_operand_read(r))
            return false;
        if (!rd_accept(r, ',')) break;
    }
    uint32_t n = rd_operand_count(r, o);
    if (!rd_expect(r, ')') || (n && !rd_expect(r, ':'))) return false;
    for (uint32_t i = 0; i < n; i++) {
        if ((i && !rd_expect(r, ',')) || !rd_operand_type(r, o, i)) return false;
        if (!RD_PUSH(r, types, r->operands.v[o->operands + i]->type)) return false;
    }
    if (!rd_attr_dict_keyword(r, o)) return false;
    /* The stacks may move while the regions are read. */
    rd_value_name *args =
        weft_arena_dup(&r->arena, n ? r->results.v + names : NULL, n * sizeof *args, _Alignof(rd_value_name));
    const weft_type **types =
        weft_arena_dup(&r->arena, n ? r->types.v + o->types : NULL, n * sizeof *types, _Alignof(const weft_type *));
    if (!args || !types) return rd_oom(r);
    r->results.n = names;
    const rd_args list = { args, types, NULL, n };
    weft_region *cond, *body;
    return rd_expect_word(r, "cond") && (cond = rd_new_region(r)) && rd_region(r, cond, &list, "") &&
           rd_expect_word(r, "do") && (body = rd_new_region(r)) && rd_region(r, body, &list, "");
}

static bool while_can_print(const weft_op *op) {
    if (op->operand_count != op->result_count) return false;
    for (int i = 0; i < 2; i++) {
        const weft_block *blk = op->regions[i].first;
        if (!blk || blk->next || blk->arg_count != op->operand_count) return false;
        for (uint32_t k = 0; k < blk->arg_count; k++)
            if (blk->args[k]->type != op->operands[k]->type || op->results[k].type != op->operands[k]->type)
                return false;
    }
    return true;
}

static void while_print(weft_writer *w, const weft_op *op) {
    const weft_block *body = op->regions[1].first;
    weft_buf_putc(w->b, '(');
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        pr_value(w, body->args[i]);
        weft_buf_puts(w->b, " = ");
        pr_value(w, op->operands[i]);
    }
    weft_buf_putc(w->b, ')');
    if (op->operand_count) weft_buf_puts(w->b, " : ");
    operand_types(w, op);
    pr_attr_dict_keyword(w, op, PR_ELIDE_NONE);
    pr_newline(w);
    weft_buf_puts(w->b, "cond ");
    pr_region(w, &op->regions[0], "", PR_NO_ENTRY_LABEL);
    weft_buf_puts(w->b, " do ");
    pr_region(w, &op->regions[1], "", PR_NO_ENTRY_LABEL);
}

WEFT_SYNTAX(while, .args = PR_WORD_iterArg);
