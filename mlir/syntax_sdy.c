/* syntax_sdy.c: Shardy's ops. Spelling: Shardy, docs/sdy_dialect.md. */
#include "mlir/syntax.h"

/* sdy.mesh @mesh = <["x"=2]> */
static bool sdy_mesh_read(weft_reader *r, rd_op *o) {
    weft_str name;
    return rd_symbol_name(r, &name) && rd_put(r, WEFT_A_sym_name, weft_attr_string(r->cx, name)) && rd_expect(r, '=') &&
           rd_put(r, WEFT_A_mesh, rd_sdy_mesh_op(r)) && rd_attr_dict(r, o);
}

static void sdy_mesh_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_symbol_name(w->b, weft_op_attr(op, WEFT_A_sym_name)->s);
    weft_buf_puts(w->b, " = ");
    pr_mesh_body(w, weft_op_attr(op, WEFT_A_mesh));
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_sym_name, WEFT_A_mesh));
}

const weft_syntax weft_syntax_sdy_mesh = { .read = sdy_mesh_read, .print = sdy_mesh_print };

static bool same_type(const weft_op *op) { return op->operands[0]->type == op->results[0].type; }

static void result_type(weft_writer *w, const weft_op *op) {
    weft_buf_puts(w->b, " : ");
    pr_type(w, op->results[0].type);
}

/* sdy.sharding_constraint %0 <@mesh, [{"x"}]> : t. Also sdy.reshard. */
static bool sdy_sharding_read(weft_reader *r, rd_op *o) {
    return rd_operand_read(r) && rd_put(r, WEFT_A_sharding, rd_sdy_sharding(r)) && rd_attr_dict(r, o) &&
           rd_same_type(r, o);
}

static void sdy_sharding_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    weft_buf_putc(w->b, ' ');
    pr_sharding_body(w, weft_op_attr(op, WEFT_A_sharding));
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_sharding));
    result_type(w, op);
}

const weft_syntax weft_syntax_sdy_sharding = { .read = sdy_sharding_read,
                                               .print = sdy_sharding_print,
                                               .can_print = same_type };

/* sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}]> : t */
static bool sdy_data_flow_edge_read(weft_reader *r, rd_op *o) {
    if (!rd_operand_read(r)) return false;
    if (rd_word(r, "sharding") && (!rd_expect(r, '=') || !rd_put(r, WEFT_A_sharding, rd_sdy_sharding(r)))) return false;
    return rd_attr_dict(r, o) && rd_same_type(r, o);
}

static void sdy_data_flow_edge_print(weft_writer *w, const weft_op *op) {
    const weft_attr *s = weft_op_attr(op, WEFT_A_sharding);
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    if (s) {
        weft_buf_puts(w->b, " sharding=");
        pr_sharding_body(w, s);
    }
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_sharding));
    result_type(w, op);
}

const weft_syntax weft_syntax_sdy_data_flow_edge = { .read = sdy_data_flow_edge_read,
                                                     .print = sdy_data_flow_edge_print,
                                                     .can_print = same_type };

/* sdy.sharding_group %0 group_id=3 : t */
static bool sdy_sharding_group_read(weft_reader *r, rd_op *o) {
    int64_t id;
    return rd_operand_read(r) && rd_expect_word(r, "group_id") && rd_expect(r, '=') && rd_int(r, &id) &&
           rd_put(r, WEFT_A_group_id, weft_attr_i64(r->cx, id)) && rd_attr_dict(r, o) && rd_expect(r, ':') &&
           rd_operand_type(r, o, 0);
}

static void sdy_sharding_group_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    weft_buf_puts(w->b, " group_id=");
    weft_buf_i64(w->b, weft_op_int(op, WEFT_A_group_id, 0));
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_group_id));
    weft_buf_puts(w->b, " : ");
    pr_type(w, op->operands[0]->type);
}

const weft_syntax weft_syntax_sdy_sharding_group = { .read = sdy_sharding_group_read,
                                                     .print = sdy_sharding_group_print };

/* sdy.propagation_barrier %0 allowed_direction=FORWARD : t */
static bool sdy_propagation_barrier_read(weft_reader *r, rd_op *o) {
    weft_enum_value e;
    return rd_operand_read(r) && rd_expect_word(r, "allowed_direction") && rd_expect(r, '=') &&
           rd_enum(r, WEFT_ENUM_propagation_direction, &e) &&
           rd_put(r, WEFT_A_allowed_direction, weft_attr_enum(r->cx, e)) && rd_attr_dict(r, o) && rd_same_type(r, o);
}

static bool sdy_propagation_barrier_can_print(const weft_op *op) {
    return same_type(op) && pr_keyword_of(op, WEFT_A_allowed_direction, WEFT_ENUM_propagation_direction);
}

static void sdy_propagation_barrier_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    weft_buf_puts(w->b, " allowed_direction=");
    pr_enum(w->b, weft_op_attr(op, WEFT_A_allowed_direction));
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_allowed_direction));
    result_type(w, op);
}

WEFT_SYNTAX(sdy_propagation_barrier);

/* (%arg0: t, %arg1: u) { ... }: a region with its arguments in front, not in a label. */
static bool region_with_args(weft_reader *r) {
    struct {
        RD_STACK(rd_value_name) names;
        RD_STACK(const weft_type *) types;
        RD_STACK(const weft_loc *) locs;
    } a = { 0 };
    if (!rd_expect(r, '(')) return false;
    while (rd_at(r, '%')) {
        rd_value_name name;
        const weft_type *t;
        const weft_loc *loc = NULL;
        if (!rd_value_name_read(r, &name) || !rd_expect(r, ':') || !(t = rd_type(r)) || !rd_loc_optional(r, &loc))
            return false;
        if (!rd_push(r, (void **)&a.names.v, &a.names.n, &a.names.cap, sizeof name) ||
            !rd_push(r, (void **)&a.types.v, &a.types.n, &a.types.cap, sizeof t) ||
            !rd_push(r, (void **)&a.locs.v, &a.locs.n, &a.locs.cap, sizeof loc))
            return false;
        a.names.v[a.names.n - 1] = name;
        a.types.v[a.types.n - 1] = t;
        a.locs.v[a.locs.n - 1] = loc;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ')')) return false;
    weft_region *region = rd_new_region(r);
    return region && rd_region(r, region, &(rd_args){ a.names.v, a.types.v, a.locs.v, (uint32_t)a.names.n }, "");
}

static void print_region_with_args(weft_writer *w, const weft_op *op) {
    const weft_block *body = op->regions[0].first;
    weft_buf_putc(w->b, '(');
    for (uint32_t i = 0; i < body->arg_count; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        pr_block_arg(w, body->args[i]);
    }
    weft_buf_puts(w->b, ") ");
    pr_region(w, &op->regions[0], "", PR_NO_ENTRY_LABEL);
}

static bool one_body(const weft_op *op) { return op->regions[0].first && !op->regions[0].first->next; }

static bool shardings_after(weft_reader *r, const char *word, weft_attr_name name) {
    return rd_expect_word(r, word) && rd_expect(r, '=') && rd_put(r, name, rd_sdy_shardings(r));
}

static void print_shardings(weft_writer *w, const weft_op *op, const char *key, weft_attr_name name) {
    const weft_attr *a = weft_op_attr(op, name);
    if (!a) return;
    weft_buf_puts(w->b, key);
    pr_shardings_body(w, a);
}

/* sdy.manual_computation(%0) in_shardings=[...] out_shardings=[...] manual_axes={"x"} (%arg1: t) { ... } : (a) -> b */
static bool sdy_manual_computation_read(weft_reader *r, rd_op *o) {
    return rd_expect(r, '(') && rd_operand_list(r) && rd_expect(r, ')') &&
           shardings_after(r, "in_shardings", WEFT_A_in_shardings) &&
           shardings_after(r, "out_shardings", WEFT_A_out_shardings) && rd_expect_word(r, "manual_axes") &&
           rd_expect(r, '=') && rd_put(r, WEFT_A_manual_axes, rd_sdy_axes(r)) && region_with_args(r) &&
           rd_attr_dict(r, o) && rd_functional(r, o);
}

static void sdy_manual_computation_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, '(');
    pr_operand_list(w, op);
    weft_buf_putc(w->b, ')');
    print_shardings(w, op, " in_shardings=", WEFT_A_in_shardings);
    print_shardings(w, op, " out_shardings=", WEFT_A_out_shardings);
    weft_buf_puts(w->b, " manual_axes=");
    pr_axes_body(w, weft_op_attr(op, WEFT_A_manual_axes)->axes);
    weft_buf_putc(w->b, ' ');
    print_region_with_args(w, op);
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_in_shardings, WEFT_A_out_shardings, WEFT_A_manual_axes));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

const weft_syntax weft_syntax_sdy_manual_computation = {
    .read = sdy_manual_computation_read, .print = sdy_manual_computation_print, .can_print = one_body
};

/* sdy.named_computation<"f">(%0) in_shardings=[...] (%arg1: t) { ... } : (a) -> b */
static bool sdy_named_computation_read(weft_reader *r, rd_op *o) {
    weft_str name;
    if (!rd_expect(r, '<') || !rd_string(r, &name) || !rd_put(r, WEFT_A_name, weft_attr_string(r->cx, name)) ||
        !rd_expect(r, '>') || !rd_expect(r, '(') || !rd_operand_list(r) || !rd_expect(r, ')'))
        return false;
    if (rd_at(r, 'i') && !shardings_after(r, "in_shardings", WEFT_A_in_shardings)) return false;
    if (rd_at(r, 'o') && !shardings_after(r, "out_shardings", WEFT_A_out_shardings)) return false;
    return region_with_args(r) && rd_attr_dict(r, o) && rd_functional(r, o);
}

static void sdy_named_computation_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, '<');
    pr_string(w->b, weft_op_attr(op, WEFT_A_name)->s);
    weft_buf_puts(w->b, ">(");
    pr_operand_list(w, op);
    weft_buf_putc(w->b, ')');
    print_shardings(w, op, " in_shardings=", WEFT_A_in_shardings);
    print_shardings(w, op, " out_shardings=", WEFT_A_out_shardings);
    weft_buf_putc(w->b, ' ');
    print_region_with_args(w, op);
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_name, WEFT_A_in_shardings, WEFT_A_out_shardings));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

const weft_syntax weft_syntax_sdy_named_computation = {
    .read = sdy_named_computation_read, .print = sdy_named_computation_print, .can_print = one_body
};

/* The list in a collective before its operand: sdy.all_gather [{"x"}, {}] %0 out_sharding=<...> : t */
static weft_attr_name leading(weft_op_kind kind) {
    static const weft_attr_name names[] = { WEFT_A_gathering_axes, WEFT_A_slicing_axes,        WEFT_A_params,
                                            WEFT_A_reduction_axes, WEFT_A_reduce_scatter_axes, WEFT_A_axes };
    for (size_t i = 0; i < WEFT_COUNT(names); i++)
        if (weft_op_kind_has_attr(kind, names[i])) return names[i];
    return WEFT_A_COUNT; /* collective_permute has none */
}

/* {"x"}, [{"x"}, {}], [{"x"}: 0->1] or one of these as an attribute after a # */
static const weft_attr *read_leading(weft_reader *r, weft_attr_name name) {
    if (rd_at(r, '#')) return rd_attr(r);
    return rd_at(r, '{')                                   ? rd_sdy_axes(r)
           : weft_attr_specs[name] == WEFT_SPEC_a2a_params ? rd_sdy_a2a(r)
                                                           : rd_sdy_axes_per_dim(r);
}

static bool is_leading(const weft_attr *a) {
    return a && (a->kind == WEFT_ATTR_AXES || a->kind == WEFT_ATTR_AXES_PER_DIM || a->kind == WEFT_ATTR_A2A_PARAMS);
}

static bool sdy_collective_read(weft_reader *r, rd_op *o) {
    weft_attr_name name = leading(o->kind);
    if (weft_op_kind_has_attr(o->kind, WEFT_A_reduction_op) && rd_is_ident_start(*r->p)) {
        weft_enum_value e;
        if (!rd_enum(r, WEFT_ENUM_reduction_op, &e) || !rd_put(r, WEFT_A_reduction_op, weft_attr_enum(r->cx, e)))
            return false;
    }
    if (name != WEFT_A_COUNT && !rd_put(r, name, read_leading(r, name))) return false;
    return rd_operand_read(r) && rd_expect_word(r, "out_sharding") && rd_expect(r, '=') &&
           rd_put(r, WEFT_A_out_sharding, rd_sdy_sharding(r)) && rd_attr_dict(r, o) && rd_same_type(r, o);
}

static bool sdy_collective_can_print(const weft_op *op) {
    weft_attr_name name = leading(op->kind);
    return same_type(op) &&
           pr_keyword_of(op, WEFT_A_reduction_op, WEFT_ENUM_reduction_op) &&
           (name == WEFT_A_COUNT || is_leading(weft_op_attr(op, name)));
}

static void sdy_collective_print(weft_writer *w, const weft_op *op) {
    weft_attr_name name = leading(op->kind);
    const weft_attr *reduction = weft_op_attr(op, WEFT_A_reduction_op),
                    *a = name == WEFT_A_COUNT ? NULL : weft_op_attr(op, name);
    weft_buf_putc(w->b, ' ');
    if (reduction) {
        pr_enum(w->b, reduction);
        weft_buf_putc(w->b, ' ');
    }
    if (a) {
        if (a->kind == WEFT_ATTR_AXES) pr_axes_body(w, a->axes);
        else if (a->kind == WEFT_ATTR_A2A_PARAMS) pr_a2a_body(w, a);
        else pr_axes_per_dim_body(w, a);
        weft_buf_putc(w->b, ' ');
    }
    pr_operand_list(w, op);
    weft_buf_puts(w->b, " out_sharding=");
    pr_sharding_body(w, weft_op_attr(op, WEFT_A_out_sharding));
    const weft_attr_name elide[] = { WEFT_A_out_sharding, WEFT_A_reduction_op, name, WEFT_A_COUNT };
    pr_attr_dict(w, op, elide);
    result_type(w, op);
}

WEFT_SYNTAX(sdy_collective);
