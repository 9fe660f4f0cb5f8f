/* local_reduce.c: reduce when a dimension that it reduces is split.
 *
 * A sum, a maximum or a minimum of one operand is finished by an all-reduce, which others see to: the devices' results
 * are parts of it (weft_partial). Whatever else a body does, of several operands at once too (a maximum with its
 * place), no all-reduce does. Then each device reduces its part, the devices tell each other what they have, and each
 * reduces that again by the same body: the results travel, not the operands. In the order of the parts, so that a body
 * need not commute along one dimension.
 *
 * The initial value is taken into every part. Of a body that is one op the parts begin with what changes nothing
 * instead, and the value is taken in once; a body of several ops is taken to form a monoid with it: what else it gives
 * is said nowhere (StableHLO, reduce).
 */
#include "partitioner/lower/local_ops.h"

/* The initial value is taken into every device's part: right for a sum only when it is nothing. */
weft_partial weft_partial_reduce(const weft_op *op) {
    weft_partial p =
        op->operand_count == 2 ? weft_partial_of_reducer(op, 0, op->results[0].type->dtype) : WEFT_PARTIAL_NONE;
    if (p == WEFT_PARTIAL_NONE || (p == WEFT_PARTIAL_SUM && !weft_value_is_zero(op->operands[1])))
        return WEFT_PARTIAL_TOLD;
    return p;
}

/* The atoms of l along what op reduces, dimension by dimension. */
static uint32_t atoms_reduced(const weft_op *op, const weft_placement *l, uint8_t *atoms) {
    uint32_t n = 0;
    weft_bits dims = weft_reduced_dims(op);
    WEFT_EACH_BIT(d, dims) n += weft_placement_dim_atoms(l, d, atoms + n);
    return n;
}

double weft_talk_reduce(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    const weft_placement *l = weft_placement_of(t, operands[0]);
    const weft_bits dims = weft_reduced_dims(op);
    const uint32_t n = weft_partial_reduce(op) == WEFT_PARTIAL_TOLD ? atoms_reduced(op, l, atoms) : 0;
    double devices = 1, sent = 0;
    for (uint32_t i = 0; i < n; i++) devices *= (double)weft_atom_size(t, atoms[i]);
    for (uint32_t i = 0; n && i < op->result_count; i++) {
        const weft_type *part = weft_placement_local_type(t, operands[i], op->operands[i]->type);
        double bytes = (double)weft_dtype_bytes(op->results[i].type->dtype);
        if (!part) return -1;
        for (uint32_t d = 0; d < part->rank; d++)
            if (!weft_bits_has(dims, d)) bytes *= (double)part->dims[d];
        sent += bytes * (devices - 1);
    }
    return sent;
}

/* What the parts begin with in place of initial value i. */
static weft_value *part_init(weft_localizer *z, const weft_op *op, uint32_t i) {
    weft_value *init = weft_local_value(z, op->operands[op->result_count + i]);
    weft_value *neutral =
        op->result_count == 1 ? weft_build_neutral(z->b, weft_reducer_kind(op, 0), op->operands[0]->type->dtype) : NULL;
    return neutral ? neutral : init;
}

/* What each of these devices has of a result, side by side along a first dimension. */
static weft_value *tell_parts(weft_localizer *z, weft_value *x, const uint8_t *atoms, uint32_t n) {
    int64_t dims[WEFT_MAX_RANK + 1] = { 1 };
    if (x->type->rank) memcpy(dims + 1, x->type->dims, x->type->rank * sizeof dims[0]);
    return weft_local_gathered(z, weft_local_reshaped(z, x, x->type->rank + 1, dims), 0, atoms, n);
}

static weft_status reduce_told(weft_localizer *z, const weft_op *op, weft_op *parts, const uint8_t *atoms, uint32_t n) {
    const uint32_t count = op->result_count;
    const int64_t first = 0;
    weft_named_attr attr = { weft_name_at(z->cx, WEFT_A_dimensions), weft_attr_ints(z->cx, WEFT_I64, &first, 1) };
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **operands = weft_scratch_array(z->cx, weft_value *, 2 * count);
    const weft_type **types = weft_scratch_array(z->cx, const weft_type *, count);
    weft_op *made = NULL;
    bool told = operands && types && attr.value;
    for (uint32_t i = 0; told && i < count; i++) {
        operands[i] = tell_parts(z, &parts->results[i], atoms, n);
        operands[count + i] = weft_local_value(z, op->operands[count + i]);
        types[i] = parts->results[i].type;
        told = operands[i] != NULL;
    }
    if (told)
        made = weft_build_op(z->b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = operands,
                                                    .operand_count = 2 * count, .types = types, .result_count = count,
                                                    .attrs = &attr, .attr_count = 1, .region_count = 1 });
    weft_arena_reset(&z->cx->scratch, mark);
    if (!made) return z->b->status != WEFT_OK ? z->b->status : weft_oom();
    for (uint32_t i = 0; i < count; i++) weft_local_map(z, &op->results[i], &made->results[i]);
    return weft_rewrite_regions(z->rewrite, op, made);
}

/* The atoms along which the devices tell each other what they have. Of a sum these are the ones that the result is not
 * unreduced along, which is what the plan left for here: an initial value that was not known when the plan was made may
 * be zero by now, so the op is not asked again. In the listed form all-reduces stand after sums that are not noted so;
 * there reshards have seen to it that nothing is split that no all-reduce finishes. */
static uint32_t atoms_told(weft_localizer *z, const weft_op *op, uint8_t *atoms) {
    const weft_atoms left = weft_local_placement(z, &op->results[0])->unreduced;
    const uint32_t n = atoms_reduced(op, weft_local_placement(z, op->operands[0]), atoms);
    const weft_partial p = weft_partial_reduce(op);
    uint32_t told = 0;
    if (p == WEFT_PARTIAL_MAX || p == WEFT_PARTIAL_MIN) return 0;
    if (z->form & WEFT_FORM_LISTED) return p == WEFT_PARTIAL_TOLD ? n : 0;
    for (uint32_t i = 0; i < n; i++)
        if (!(left >> atoms[i] & 1)) atoms[told++] = atoms[i];
    return told;
}

weft_status weft_lower_reduce(weft_localizer *z, const weft_op *op) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    const uint32_t count = op->result_count;
    const uint32_t n = atoms_told(z, op, atoms);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **operands = weft_scratch_array(z->cx, weft_value *, 2 * count);
    weft_op *made = NULL;
    weft_status st = operands ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < count; i++) {
        weft_value *init = n ? part_init(z, op, i) : weft_local_value(z, op->operands[count + i]);
        operands[i] =
            weft_local_masked(z, op->operands[i], weft_local_value(z, op->operands[i]), weft_reduced_dims(op), init);
        operands[count + i] = init;
        st = z->b->status;
    }
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    for (uint32_t i = 0; st == WEFT_OK && i < 2 * count; i++) made->operands[i] = operands[i];
    weft_arena_reset(&z->cx->scratch, mark);
    return st == WEFT_OK && n ? reduce_told(z, op, made, atoms, n) : st;
}
