/* ragged_all_to_all: the groups of a custom call of this name, as attributes of the call.
 *
 * Each device of a group of P has rows for every other: update e of E = P k goes to device e / k, send_sizes[e] rows
 * from row input_offsets[e] of its operand to row output_offsets[e] of the other's output; recv_sizes[e] rows come from
 * device e / k. Rows of the output that receive nothing keep their values.
 *
 * The call stays one op: the number of rows that travel is known at run time only, and no other op of StableHLO sends
 * as many as its operands say. XLA writes the groups into the backend_config. Here they become the attributes that
 * collectives have, replica_groups and channel_handle, from which the partitioner derives the devices and their axes.
 * codegen/custom_ragged.c makes the steps. Source: XLA's operation semantics, RaggedAllToAll;
 * jax.lax.ragged_all_to_all.
 */
#include "legalize/product.h"

bool lg_is_ragged_all_to_all(const weft_op *op) {
    return op->kind == WEFT_OP_custom_call && !weft_op_attr(op, WEFT_A_replica_groups) &&
        weft_str_is(weft_op_symbol(op, WEFT_A_call_target_name), "ragged_all_to_all");
}

/* The groups of the call, if it has the form that XLA writes; else NULL. */
static const weft_attr *read_groups(const weft_op *op, weft_value *const *in) {
    const weft_attr *config = weft_op_attr(op, WEFT_A_backend_config);
    if (!config || config->kind != WEFT_ATTR_DICT || op->operand_count != 6 || op->result_count != 1) return NULL;
    const weft_attr *groups = weft_dict_get(config, WEFT_A_replica_groups);
    if (!groups || groups->kind != WEFT_ATTR_DENSE || groups->type->rank != 2 || groups->type->dims[1] < 1) return NULL;
    const int64_t updates = in[2]->type->rank == 1 ? in[2]->type->dims[0] : 0;
    for (uint32_t i = 2; i < 6; i++)
        if (in[i]->type->rank != 1 || in[i]->type->dims[0] != updates || !weft_dtype_is_integer(in[i]->type->dtype))
            return NULL;
    const weft_type *rows = in[0]->type, *out = in[1]->type;
    const bool alike = rows->rank >= 1 && rows->rank == out->rank && rows->dtype == out->dtype &&
                       !memcmp(rows->dims + 1, out->dims + 1, (rows->rank - 1) * sizeof *rows->dims);
    return updates >= 1 && updates % groups->type->dims[1] == 0 && alike && out == op->results[0].type ? groups : NULL;
}

/* The channel of a call between partitions; 0 or missing between replicas. */
static int64_t channel_of(const weft_op *op) {
    const weft_attr *id = weft_dict_get_named(weft_op_attr(op, WEFT_A_backend_config), "channel_id");
    return id && id->kind == WEFT_ATTR_INT ? weft_max_i64(id->i, 0) : 0;
}

weft_status lg_ragged_all_to_all(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                 weft_value **out) {
    weft_context *cx = b->m->cx;
    const weft_attr *groups = read_groups(op, in);
    if (!groups)
        return weft_report(cx, WEFT_D_unsupported, op->loc,
                           "'ragged_all_to_all' needs an operand and an output of rows alike, four tables of offsets "
                           "and sizes, a multiple of the group's devices long, and 'replica_groups' in its "
                           "backend_config");
    weft_op *made = weft_clone_shell(b, op, &r->map, NULL);
    weft_status st = made ? weft_op_set(b->m, made, WEFT_A_replica_groups, groups) : weft_oom();
    if (st == WEFT_OK && channel_of(op)) {
        const weft_attr *channel =
            weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_CHANNEL, .channel = { channel_of(op), 0 } });
        st = channel ? weft_op_set(b->m, made, WEFT_A_channel_handle, channel) : weft_oom();
    }
    if (st == WEFT_OK) out[0] = &made->results[0];
    return st;
}
