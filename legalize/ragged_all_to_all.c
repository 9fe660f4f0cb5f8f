/* ragged_all_to_all: the custom call of this name as collectives and a gather.
 *
 * Each device of a group of P has rows for every other: update e of E = P k goes to device e / k, send_sizes[e] rows
 * from row input_offsets[e] of its operand to row output_offsets[e] of the other's output; recv_sizes[e] rows come from
 * device e / k. Rows of the output that nothing comes to stay what they were.
 *
 * Offsets are exchanged first, an all_to_all of k rows [input, output offset] for each device, so that every device
 * knows from which rows of whom its own come. The operands of the group are gathered, and each row of the output takes
 * the one that is meant for it. How much travels does not depend on the sizes, which are values: P - 1 operands come to
 * each device, where the rows that it needs are one operand on average.
 * Source: XLA's operation semantics, RaggedAllToAll; jax.lax.ragged_all_to_all.
 */
#include "legalize/product.h"

typedef struct ragged_exchange {
    weft_context *cx;
    const weft_attr *groups, *channel;   /* channel: NULL where devices are replicas */
    int64_t devices, updates;            /* P and E */
} ragged_exchange;

bool lg_is_ragged_all_to_all(const weft_op *op) {
    return op->kind == WEFT_OP_custom_call &&
        weft_str_is(weft_op_symbol(op, WEFT_A_call_target_name), "ragged_all_to_all");
}

/* What the call says of devices; false where that is not said as XLA does. */
static bool read_call(const weft_op *op, weft_value *const *in, ragged_exchange *x) {
    const weft_attr *config = weft_op_attr(op, WEFT_A_backend_config);
    if (!config || config->kind != WEFT_ATTR_DICT || op->operand_count != 6 || op->result_count != 1) return false;
    x->groups = weft_dict_get(config, WEFT_A_replica_groups);
    if (!x->groups || x->groups->kind != WEFT_ATTR_DENSE || x->groups->type->rank != 2 || x->groups->type->dims[1] < 1)
        return false;
    x->devices = x->groups->type->dims[1];
    x->updates = in[2]->type->rank == 1 ? in[2]->type->dims[0] : 0;
    for (uint32_t i = 3; i < 6; i++)
        if (in[i]->type->rank != 1 || in[i]->type->dims[0] != x->updates) return false;
    const weft_type *rows = in[0]->type, *out = in[1]->type;
    if (x->updates < 1 || x->updates % x->devices || rows->rank < 1 || rows->rank != out->rank ||
        out != op->results[0].type) return false;
    return rows->dims[0] > 0 && !memcmp(rows->dims + 1, out->dims + 1, (rows->rank - 1) * sizeof *rows->dims);
}

static weft_status read_channel(const weft_op *op, ragged_exchange *x) {
    const weft_attr *id = weft_dict_get_named(weft_op_attr(op, WEFT_A_backend_config), "channel_id");
    if (!id || id->kind != WEFT_ATTR_INT || id->i < 1) return WEFT_OK;
    x->channel = weft_attr_copy(x->cx, &(weft_attr){ .kind = WEFT_ATTR_CHANNEL, .channel = { id->i, 0 } });
    return x->channel ? WEFT_OK : weft_oom();
}

/* Row j of the result is what device j had for this one: x is [E, ...]. */
static lg_value exchange(lg *g, const ragged_exchange *x, lg_value v) {
    const weft_attr_pair attrs[] = {
        { WEFT_A_split_dimension, weft_attr_i64(x->cx, 0) },
        { WEFT_A_concat_dimension, weft_attr_i64(x->cx, 0) },
        { WEFT_A_split_count, weft_attr_i64(x->cx, x->devices) },
        { WEFT_A_replica_groups, x->groups },
        { WEFT_A_channel_handle, x->channel },
    };
    return v ? weft_build_1(g, WEFT_OP_all_to_all, v->type, &v, 1, attrs, x->channel ? 5 : 4) : NULL;
}

/* The operands of the group one below the other. */
static lg_value gather_all(lg *g, const ragged_exchange *x, lg_value v) {
    int64_t dims[WEFT_MAX_RANK];
    memcpy(dims, v->type->dims, v->type->rank * sizeof *dims);
    dims[0] *= x->devices;
    const weft_attr_pair attrs[] = {
        { WEFT_A_all_gather_dim, weft_attr_i64(x->cx, 0) },
        { WEFT_A_replica_groups, x->groups },
        { WEFT_A_channel_handle, x->channel },
        { WEFT_A_use_global_device_ids, weft_attr_unit(x->cx) },
    };
    return weft_build_1(g, WEFT_OP_all_gather, weft_type_with_dims(x->cx, v->type, v->type->rank, dims), &v, 1, attrs,
                        x->channel ? 4 : 2);
}

/* Column c of v: [E, 2] as [E]. */
static lg_value column(lg *g, lg_value v, int64_t c) {
    lg_value one = v ? weft_build_cut(g, v, 1, c, c + 1) : NULL;
    return one ? lg_reshape(g, one, 1, v->type->dims) : NULL;
}

/* Rows `at` of v, at: [m]. */
static lg_value take_rows(lg *g, lg_value v, lg_value at, const weft_type *type) {
    int64_t sizes[WEFT_MAX_RANK], offset[WEFT_MAX_RANK], first = 0;
    if (!v || !at) return NULL;
    for (uint32_t d = 0; d < type->rank; d++) sizes[d] = d ? type->dims[d] : 1, offset[d] = d + 1;
    weft_attr dims = { .kind = WEFT_ATTR_GATHER };
    dims.gather = (weft_gather_dims){ .offset_dims = { offset, type->rank - 1 }, .collapsed_slice_dims = { &first, 1 },
                                      .start_index_map = { &first, 1 },
                                      .index_vector_dim = 1 };
    const weft_attr_pair attrs[] = { { WEFT_A_dimension_numbers, weft_attr_copy(g->m->cx, &dims) },
                                     { WEFT_A_slice_sizes, weft_attr_ints(g->m->cx, WEFT_I64, sizes, type->rank) } };
    weft_value *in[] = { v, at };
    return weft_build_1(g, WEFT_OP_gather, type, in, 2, attrs, 2);
}

/* [E] as a row, [m, E], of which each row of the output has its own copy. */
static lg_value per_row(lg *g, lg_value v, int64_t m) {
    static const int64_t where = 1;
    return v ? lg_broadcast(g, v, 2, (const int64_t[]){ m, v->type->dims[0] }, &where) : NULL;
}

/* Which row of the gathered operands each row of the output takes, [m], and whether it takes any. */
static void find_sources(lg *g, const ragged_exchange *x, weft_value *const *in, lg_value *source, lg_value *any) {
    const int64_t m = in[1]->type->dims[0], n = in[0]->type->dims[0], e = x->updates, square[] = { m, e },
        pair[] = { e, 1 }, last = 1;
    lg_value from = lg_reshape(g, lg_convert(g, in[2], WEFT_I64), 2, pair),
        to = lg_reshape(g, lg_convert(g, in[4], WEFT_I64), 2, pair);
    weft_value *both[] = { from, to };
    lg_value told = from && to ? exchange(g, x, weft_build_concatenate(g, both, 2, 1)) : NULL;
    lg_value begin = column(g, told, 1), size = lg_convert(g, in[5], WEFT_I64), update = lg_iota(g, WEFT_I64, 1, &e, 0);
    if (!begin || !size || !update) return;
    lg_value sender = lg_div(g, update, lg_const(g, update, (double)(e / x->devices)));
    lg_value first = lg_add(g, lg_mul_c(g, sender, (double)n), column(g, told, 0));
    lg_value way = lg_sub(g, lg_iota(g, WEFT_I64, 2, square, 0), per_row(g, begin, m));
    lg_value low = lg_ge(g, way, lg_const(g, way, 0)), high = lg_lt(g, way, per_row(g, size, m));
    lg_value meant = low && high ? lg_and(g, low, high) : NULL, row = lg_add(g, per_row(g, first, m), way);
    if (!meant || !row) return;
    *source = lg_sum_over(g, lg_select(g, meant, row, lg_const(g, row, 0)), (weft_ints){ &last, 1 });
    *any = lg_sum_over(g, meant, (weft_ints){ &last, 1 });
}

weft_status lg_ragged_all_to_all(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                 weft_value **out) {
    static const int64_t where = 0;
    ragged_exchange x = { .cx = b->m->cx };
    lg_value source = NULL, any = NULL;
    (void)r;
    if (!read_call(op, in, &x))
        return weft_report(x.cx, WEFT_D_unsupported, op->loc,
                           "'ragged_all_to_all' needs an operand and an output of rows alike, four tables of offsets "
                           "and sizes, a multiple of the group's devices long, and 'replica_groups' in its "
                           "backend_config");
    weft_status st = read_channel(op, &x);
    if (st != WEFT_OK) return st;
    find_sources(b, &x, in, &source, &any);
    const weft_type *type = op->results[0].type;
    lg_value rows = source && any ? take_rows(b, gather_all(b, &x, in[0]), source, type) : NULL;
    lg_value mask = rows ? lg_broadcast(b, any, type->rank, type->dims, &where) : NULL;
    out[0] = mask ? lg_select(b, mask, rows, in[1]) : NULL;
    return out[0] || b->status != WEFT_OK ? b->status : weft_oom();
}
