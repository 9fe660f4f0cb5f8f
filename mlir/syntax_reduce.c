/* syntax_reduce.c: chlo.scan; stablehlo.reduce, in its short form for one commuting op and in its long form with a
 * reducer region.
 *
 *   stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (a, b) -> c
 *   stablehlo.reduce(%0 init: %cst), (%1 init: %c) across dimensions = [1] : (a, b, c, d) -> (e, f)
 *    reducer(%arg0: t, %arg1: t) (%arg2: u, %arg3: u)  { ... }
 */
#include "mlir/syntax.h"


/* The pairs; operands come out as all inputs, then all initial values. */
static bool pairs(weft_reader *r, rd_op *o) {
    if (!rd_at(r, '(')) return rd_unexpected(r, "'('");
    do {
        if (!rd_expect(r, '(') || !rd_operand_read(r) || !rd_expect_word(r, "init") || !rd_expect(r, ':') ||
            !rd_operand_read(r) || !rd_expect(r, ')'))
            return false;
    } while (rd_accept(r, ','));
    uint32_t n = rd_operand_count(r, o) / 2;
    weft_value **v = weft_arena_array(&r->arena, weft_value *, 2 * n);
    const char **at = weft_arena_array(&r->arena, const char *, 2 * n);
    if (!v || !at) return rd_oom(r);
    for (uint32_t i = 0; i < 2 * n; i++) {
        uint32_t to = i / 2 + (i % 2) * n;
        v[to] = r->operands.v[o->operands + i];
        at[to] = r->operand_at.v[o->operands + i];
    }
    memcpy(r->operands.v + o->operands, v, 2 * n * sizeof *v);
    memcpy(r->operand_at.v + o->operands, at, 2 * n * sizeof *at);
    return true;
}

static bool across(weft_reader *r, rd_op *o) {
    return rd_expect_word(r, "across") && rd_expect_word(r, "dimensions") && rd_expect(r, '=') &&
           rd_put(r, WEFT_A_dimensions, rd_ints_attr(r, WEFT_I64)) && rd_attr_dict(r, o) && rd_functional(r, o);
}

static bool commutes(weft_op_kind k) {
    return weft_op_kind_has(k, WEFT_TRAIT_COMMUTES) && weft_op_table[k].operands == 2 && weft_op_table[k].results == 1;
}

/* The region that `applies OP` means. */
static bool applied(weft_reader *r, rd_op *o, weft_op_kind inner) {
    weft_region *region = rd_new_region(r);
    if (!region) return false;
    const weft_type *in = r->operands.v[o->operands]->type;
    if (in->kind != WEFT_TYPE_TENSOR) return rd_fail(r, r->operand_at.v[o->operands], "expected a tensor");
    const weft_type *scalar = in->quant ? weft_type_quant_tensor(r->cx, in->quant, 0, NULL, NULL)
                                        : weft_type_tensor(r->cx, in->dtype, 0, NULL);
    weft_builder b = r->b;
    b.loc = o->loc;
    b.block = weft_build_block(&b, region);
    weft_value *x = weft_build_block_arg(&b, b.block, scalar, o->loc),
               *y = weft_build_block_arg(&b, b.block, scalar, o->loc);
    weft_value *sum = weft_build_binary(&b, inner, x, y);
    weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = &sum, .operand_count = 1 });
    return b.status == WEFT_OK || rd_oom(r);
}

typedef struct reducer {
    RD_STACK(rd_value_name) names;
    RD_STACK(const weft_type *) types;
    RD_STACK(const weft_loc *) locs;
} reducer;

static bool reducer_arg(weft_reader *r, reducer *a) {
    rd_value_name name;
    const weft_type *t;
    const weft_loc *loc = NULL;
    if (!rd_value_name_read(r, &name) || !rd_expect(r, ':') || !(t = rd_type(r)) || !rd_loc_optional(r, &loc))
        return false;
    if (!rd_push(r, (void **)&a->names.v, &a->names.n, &a->names.cap, sizeof *a->names.v) ||
        !rd_push(r, (void **)&a->types.v, &a->types.n, &a->types.cap, sizeof *a->types.v) ||
        !rd_push(r, (void **)&a->locs.v, &a->locs.n, &a->locs.cap, sizeof *a->locs.v))
        return false;
    a->names.v[a->names.n - 1] = name;
    a->types.v[a->types.n - 1] = t;
    a->locs.v[a->locs.n - 1] = loc;
    return true;
}

/* (%elt: t, %acc: t) pairs: the block's arguments are all elements, then all accumulators. */
static bool reducer_region(weft_reader *r) {
    reducer elt = { 0 }, acc = { 0 };
    while (rd_accept(r, '('))
        if (!reducer_arg(r, &elt) || !rd_expect(r, ',') || !reducer_arg(r, &acc) || !rd_expect(r, ')')) return false;
    uint32_t n = (uint32_t)elt.names.n;
    rd_value_name *names = weft_arena_array(&r->arena, rd_value_name, 2 * n);
    const weft_type **types = weft_arena_array(&r->arena, const weft_type *, 2 * n);
    const weft_loc **locs = weft_arena_array(&r->arena, const weft_loc *, 2 * n);
    if (!names || !types || !locs) return rd_oom(r);
    for (uint32_t i = 0; i < 2 * n; i++) {
        const reducer *from = i < n ? &elt : &acc;
        names[i] = from->names.v[i % n];
        types[i] = from->types.v[i % n];
        locs[i] = from->locs.v[i % n];
    }
    weft_region *region = rd_new_region(r);
    return region && rd_region(r, region, &(rd_args){ names, types, locs, 2 * n }, "");
}

static bool reduce_read(weft_reader *r, rd_op *o) {
    if (!pairs(r, o)) return false;
    if (!rd_word(r, "applies")) return across(r, o) && rd_expect_word(r, "reducer") && reducer_region(r);
    weft_str text;
    const char *at = r->p;
    if (!rd_keyword_or_string(r, &text)) return false;
    weft_name name = rd_intern(r, text);
    if (!name) return false;
    weft_op_kind inner = weft_op_kind_find(r->cx, name);
    if (inner == WEFT_OP_other || !commutes(inner))
        return rd_fail(r, at, "'%s' is no op of two operands that commute", name->text);
    return across(r, o) && applied(r, o, inner);
}

static bool reduce_can_print(const weft_op *op) {
    if (op->operand_count == 0 || op->operand_count % 2) return false;
    const weft_block *body = op->regions[0].first;
    return body && !body->next && body->arg_count == op->operand_count && body->last;
}

/* Whether the body is one commuting op of the first input's element type on the two arguments, returned as it is. */
static const weft_op *short_body(const weft_op *op) {
    const weft_block *body = op->regions[0].first;
    const weft_op *inner = body->first, *end = inner->next;
    if (!end || end->next || body->arg_count != 2 || end->kind != WEFT_OP_return || !commutes(inner->kind)) return NULL;
    const weft_type *in = op->operands[0]->type, *t = body->args[0]->type;
    if (inner->operand_count != 2 || inner->result_count != 1 || inner->attr_count) return NULL;
    if (in->kind != WEFT_TYPE_TENSOR || t->kind != WEFT_TYPE_TENSOR || t->rank || t->dtype != in->dtype || t->encoding)
        return NULL;
    if (inner->operands[0] != body->args[0] || inner->operands[1] != body->args[1] || body->args[1]->type != t ||
        inner->results[0].type != t)
        return NULL;
    return end->operand_count == 1 && end->operands[0] == &inner->results[0] ? inner : NULL;
}

static void reduce_print(weft_writer *w, const weft_op *op) {
    uint32_t n = op->operand_count / 2;
    for (uint32_t i = 0; i < n; i++) {
        weft_buf_puts(w->b, i ? ", (" : "(");
        pr_value(w, op->operands[i]);
        weft_buf_puts(w->b, " init: ");
        pr_value(w, op->operands[i + n]);
        weft_buf_putc(w->b, ')');
    }
    const weft_op *inner = short_body(op);
    if (inner) {
        weft_buf_puts(w->b, " applies ");
        weft_buf_puts(w->b, inner->name->text);
    }
    weft_buf_puts(w->b, " across dimensions = ");
    pr_int_list(w->b, weft_op_ints(op, WEFT_A_dimensions));
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_dimensions));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
    if (inner) return;
    pr_newline(w);
    weft_buf_puts(w->b, " reducer");
    const weft_block *body = op->regions[0].first;
    for (uint32_t i = 0; i < n; i++) {
        weft_buf_putc(w->b, '(');
        pr_block_arg(w, body->args[i]);
        weft_buf_puts(w->b, ", ");
        pr_block_arg(w, body->args[i + n]);
        weft_buf_puts(w->b, ") ");
    }
    weft_buf_putc(w->b, ' ');
    pr_region(w, &op->regions[0], "", PR_NO_ENTRY_LABEL);
}

WEFT_SYNTAX(reduce);

static bool put_sizes(weft_reader *r, weft_attr_name name, int64_t first, int64_t second) {
    const int64_t sizes[2] = { first, second };
    return rd_put(r, name, weft_attr_ints(r->cx, WEFT_I32, sizes, 2));
}

/* chlo.scan(%0) inits (%1) dimension=0 { ... } : (a, b) -> (c, d) */
static bool scan_read(weft_reader *r, rd_op *o) {
    int64_t dim;
    if (!rd_expect(r, '(') || !rd_operand_list(r) || !rd_expect(r, ')') || !rd_expect_word(r, "inits")) return false;
    uint32_t inputs = rd_operand_count(r, o);
    if (!rd_expect(r, '(') || !rd_operand_list(r) || !rd_expect(r, ')') || !rd_expect_word(r, "dimension") ||
        !rd_expect(r, '=') || !rd_int(r, &dim) || !rd_put(r, WEFT_A_dimension, weft_attr_i64(r->cx, dim)) ||
        !rd_attr_dict_keyword(r, o))
        return false;
    uint32_t carries = rd_operand_count(r, o) - inputs;
    weft_region *region = rd_new_region(r);
    if (!region || !rd_isolated_region(r, region, NULL, "") || !rd_functional(r, o)) return false;
    size_t results = r->types.n - o->types;
    if (results < carries)
        return rd_fail(r, o->at, "'%s' has %u carries, but %zu results", o->name->text, carries, results);
    return put_sizes(r, WEFT_A_operandSegmentSizes, inputs, carries) &&
           put_sizes(r, WEFT_A_resultSegmentSizes, (int64_t)results - carries, carries);
}

/* The number of inputs, the rest being carries; -1 when the sizes do not add up. */
int pr_scan_inputs(const weft_op *op) {
    const weft_attr *in = weft_op_attr(op, WEFT_A_operandSegmentSizes),
                    *out = weft_op_attr(op, WEFT_A_resultSegmentSizes);
    if (!in || !out || in->kind != WEFT_ATTR_DENSE_ARRAY || out->kind != WEFT_ATTR_DENSE_ARRAY || in->ints.n != 2 ||
        out->ints.n != 2)
        return -1;
    const int64_t *a = in->ints.v, *b = out->ints.v;
    bool whole = a[0] >= 0 && a[1] >= 0 && b[0] >= 0 && a[0] <= op->operand_count && a[1] == op->operand_count - a[0] &&
                 b[1] == a[1] && b[0] <= op->result_count && b[1] == op->result_count - b[0];
    return whole ? (int)a[0] : -1;
}

static bool scan_can_print(const weft_op *op) { return op->regions[0].first && pr_scan_inputs(op) >= 0; }

static void scan_print(weft_writer *w, const weft_op *op) {
    uint32_t inputs = (uint32_t)pr_scan_inputs(op);
    weft_buf_putc(w->b, '(');
    pr_operands(w, op, 0, inputs);
    weft_buf_puts(w->b, ") inits (");
    pr_operands(w, op, inputs, op->operand_count);
    weft_buf_puts(w->b, ") dimension=");
    weft_buf_i64(w->b, weft_op_int(op, WEFT_A_dimension, 0));
    weft_buf_putc(w->b, ' ');
    pr_attr_dict_keyword(w, op, PR_ELIDE(WEFT_A_dimension, WEFT_A_operandSegmentSizes, WEFT_A_resultSegmentSizes));
    weft_buf_putc(w->b, ' ');
    pr_region(w, &op->regions[0], "", PR_ENTRY_LABEL);
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

WEFT_SYNTAX(scan, .args = PR_WORD_input);
