/* forms.c: the families whose form is operands, clauses, attributes, types:
 *
 *   stablehlo.pad %0, %cst, low = [0], high = [1], interior = [0] {note} : (tensor<2xf32>, tensor<f32>) ->
 *   tensor<3xf32>
 */
#include "mlir/syntax.h"

static bool read_clause(weft_reader *r, const weft_clause *c) {
    if (!rd_expect_word(r, c->key) || !rd_expect(r, '=')) return false;
    int64_t v;
    weft_enum_value e;
    weft_str s;
    switch (c->kind) {
    case WEFT_CLAUSE_INT: return rd_int(r, &v) && rd_put(r, c->name, weft_attr_i64(r->cx, v));
    case WEFT_CLAUSE_INTS: return rd_put(r, c->name, rd_ints_attr(r, WEFT_I64));
    case WEFT_CLAUSE_ENUM: return rd_enum(r, c->set, &e) && rd_put(r, c->name, weft_attr_enum(r->cx, e));
    case WEFT_CLAUSE_STRING: return rd_string(r, &s) && rd_put(r, c->name, weft_attr_string(r->cx, s));
    case WEFT_CLAUSE_FLAG:
        v = rd_at(r, 't');
        return rd_expect_word(r, v ? "true" : "false") && rd_put(r, c->name, weft_attr_bool(r->cx, v));
    case WEFT_CLAUSE_END: break;
    }
    return true;
}

/* a, b -> c */
static bool read_arrow(weft_reader *r, const rd_op *o) {
    if (!rd_expect(r, ':')) return false;
    for (uint32_t i = 0; i < rd_operand_count(r, o); i++)
        if ((i && !rd_expect(r, ',')) || !rd_operand_type(r, o, i)) return false;
    if (!rd_expect_arrow(r)) return false;
    const weft_type *t = rd_type(r);
    return t && RD_PUSH(r, types, t);
}

static bool form_read(weft_reader *r, rd_op *o) {
    const weft_form *f = weft_syntax_of[o->kind]->form;
    const weft_clause *c = f->clauses;
    bool more = true; /* something may follow: at the start, or after a comma */
    while (rd_at(r, '%')) {
        if (!rd_operand_read(r)) return false;
        if (!(more = rd_accept(r, ','))) break;
    }
    if (more && rd_operand_count(r, o) && c->kind == WEFT_CLAUSE_END) return rd_unexpected(r, "a value such as %0");
    int want = weft_op_table[o->kind].operands;
    if (want >= 0 && !rd_operands_exactly(r, o, (uint32_t)want)) return false;
    for (; c->kind != WEFT_CLAUSE_END; c++) {
        if (!more && c->kind == WEFT_CLAUSE_FLAG) continue;
        if (!more) return rd_unexpected(r, "','");
        if (!read_clause(r, c)) return false;
        more = rd_accept(r, ',');
    }
    if (more && f->clauses[0].kind != WEFT_CLAUSE_END) return rd_unexpected(r, "':'");
    if (!rd_attr_dict(r, o)) return false;
    switch (f->types) {
    case WEFT_FORM_SAME:
    case WEFT_FORM_RESULT: return rd_same_type(r, o);
    case WEFT_FORM_FUNCTIONAL: return rd_functional(r, o);
    case WEFT_FORM_ARROW: return read_arrow(r, o);
    }
    return false;
}

static bool shown(const weft_op *op, const weft_clause *c) {
    return c->kind != WEFT_CLAUSE_FLAG || weft_op_int(op, c->name, 0) != 0;
}

static bool form_can_print(const weft_op *op) {
    const weft_form *f = weft_syntax_of[op->kind]->form;
    for (const weft_clause *c = f->clauses; c->kind != WEFT_CLAUSE_END; c++) {
        if (c->kind != WEFT_CLAUSE_FLAG && !weft_op_attr(op, c->name)) return false;
        if (c->kind == WEFT_CLAUSE_ENUM && !pr_keyword_of(op, c->name, c->set)) return false;
    }
    return true;
}

static void print_clause(weft_writer *w, const weft_op *op, const weft_clause *c) {
    const weft_attr *a = weft_op_attr(op, c->name);
    weft_buf_puts(w->b, c->key);
    weft_buf_puts(w->b, " = ");
    switch (c->kind) {
    case WEFT_CLAUSE_INT: weft_buf_i64(w->b, a->i); break;
    case WEFT_CLAUSE_INTS: pr_int_list(w->b, a->ints); break;
    case WEFT_CLAUSE_ENUM: pr_enum(w->b, a); break;
    case WEFT_CLAUSE_STRING: pr_string(w->b, a->s); break;
    case WEFT_CLAUSE_FLAG: weft_buf_puts(w->b, a->i ? "true" : "false"); break;
    case WEFT_CLAUSE_END: break;
    }
}

static bool all_same(const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operands[i]->type != op->results[0].type) return false;
    return true;
}

static void print_types(weft_writer *w, const weft_op *op, weft_form_types types) {
    weft_buf_puts(w->b, " : ");
    if (types == WEFT_FORM_RESULT || (types == WEFT_FORM_SAME && all_same(op))) {
        pr_type(w, op->results[0].type);
    } else if (types == WEFT_FORM_ARROW) {
        for (uint32_t i = 0; i < op->operand_count; i++) {
            if (i) weft_buf_puts(w->b, ", ");
            pr_type(w, op->operands[i]->type);
        }
        weft_buf_puts(w->b, " -> ");
        pr_type(w, op->results[0].type);
    } else {
        pr_functional(w, op);
    }
}

/* DEFAULT accuracy equals a missing attribute. */
static bool default_accuracy(const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_result_accuracy);
    return a && a->kind == WEFT_ATTR_ACCURACY && a->accuracy.mode == WEFT_result_accuracy_mode_DEFAULT &&
           a->accuracy.atol == 0 && a->accuracy.rtol == 0 && !a->accuracy.ulps;
}

static void form_print(weft_writer *w, const weft_op *op) {
    const weft_form *f = weft_syntax_of[op->kind]->form;
    weft_attr_name elide[6];
    size_t n = 0;
    bool any = op->operand_count > 0;
    if (weft_op_table[op->kind].operands) weft_buf_putc(w->b, ' '); /* also if a variadic list is empty */
    pr_operand_list(w, op);
    for (const weft_clause *c = f->clauses; c->kind != WEFT_CLAUSE_END; c++) {
        elide[n++] = c->name;
        if (!shown(op, c)) continue;
        weft_buf_puts(w->b, any ? ", " : " ");
        print_clause(w, op, c);
        any = true;
    }
    if (default_accuracy(op)) elide[n++] = WEFT_A_result_accuracy;
    elide[n] = WEFT_A_COUNT;
    pr_attr_dict(w, op, elide);
    print_types(w, op, f->types);
}

#define FORM(name, types, ...) \
    static const weft_form form_##name = { WEFT_FORM_##types, { __VA_ARGS__ } }; \
    const weft_syntax weft_syntax_##name = { \
        .read = form_read, .print = form_print, .can_print = form_can_print, .form = &form_##name \
    }
#define NO_CLAUSE { WEFT_CLAUSE_END, NULL, WEFT_A_COUNT, WEFT_ENUM_SET_COUNT }
#define INT(key, name) { WEFT_CLAUSE_INT, key, WEFT_A_##name, WEFT_ENUM_SET_COUNT }
#define INTS(key, name) { WEFT_CLAUSE_INTS, key, WEFT_A_##name, WEFT_ENUM_SET_COUNT }
#define STRING(key, name) { WEFT_CLAUSE_STRING, key, WEFT_A_##name, WEFT_ENUM_SET_COUNT }
#define FLAG(key, name) { WEFT_CLAUSE_FLAG, key, WEFT_A_##name, WEFT_ENUM_SET_COUNT }
#define KEYWORD(key, name, set) { WEFT_CLAUSE_ENUM, key, WEFT_A_##name, WEFT_ENUM_##set }

FORM(unary, SAME, NO_CLAUSE);
FORM(binary, SAME, NO_CLAUSE);
FORM(clamp, SAME, NO_CLAUSE);
FORM(functional, FUNCTIONAL, NO_CLAUSE);
FORM(arrow, ARROW, NO_CLAUSE);
FORM(nullary, RESULT, NO_CLAUSE);
FORM(after_all, SAME, NO_CLAUSE);
FORM(iota, RESULT, INT("dim", iota_dimension));
FORM(dynamic_iota, FUNCTIONAL, INT("dim", iota_dimension));
FORM(dimension_of, FUNCTIONAL, INT("dim", dimension));
FORM(concatenate, FUNCTIONAL, INT("dim", dimension));
FORM(broadcast, FUNCTIONAL, INTS("sizes", broadcast_sizes));
FORM(broadcast_in_dim, FUNCTIONAL, INTS("dims", broadcast_dimensions));
FORM(transpose, FUNCTIONAL, INTS("dims", permutation));
FORM(reverse, SAME, INTS("dims", dimensions));
FORM(pad, FUNCTIONAL, INTS("low", edge_padding_low), INTS("high", edge_padding_high), INTS("interior", interior_padding));
FORM(dynamic_slice, FUNCTIONAL, INTS("sizes", slice_sizes));
FORM(cholesky, SAME, FLAG("lower", lower));
FORM(fft, FUNCTIONAL, KEYWORD("type", fft_type, fft_type), INTS("length", fft_length));
FORM(rng, FUNCTIONAL, KEYWORD("distribution", rng_distribution, rng_distribution));
FORM(einsum, FUNCTIONAL, STRING("config", einsum_config));
