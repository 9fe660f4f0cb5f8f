/* rule_shape.c: rules of ops that rearrange elements: broadcast, reshape, transpose, slices, pad, concatenate.
 * Authority: Shardy, docs/propagation.md; compound factors of reshape by the divisors that both shapes share. */
#include "sharding/rule_build.h"

void weft_rule_broadcast(weft_rule_builder *b);
void weft_rule_broadcast_in_dim(weft_rule_builder *b);
void weft_rule_reshape(weft_rule_builder *b);
void weft_rule_transpose(weft_rule_builder *b);
void weft_rule_reverse(weft_rule_builder *b);
void weft_rule_slice(weft_rule_builder *b);
void weft_rule_pad(weft_rule_builder *b);
void weft_rule_concatenate(weft_rule_builder *b);
void weft_rule_assemble(weft_rule_builder *b);
void weft_rule_dynamic_slice(weft_rule_builder *b);
void weft_rule_dynamic_update_slice(weft_rule_builder *b);

static void pass_in_out(weft_rule_builder *b, int64_t in, int64_t out, int64_t size) {
    weft_rule_in_out(b, in, out, size, WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
}

static weft_rule_flow blocked_if_conservative(const weft_rule_builder *b) {
    return b->mode == WEFT_RULE_CONSERVATIVE ? WEFT_RULE_BLOCKED : WEFT_RULE_FLOWS;
}

/* New dimensions come first. */
void weft_rule_broadcast(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0), *out = weft_rule_out(b, 0);
    uint32_t added = out->rank - in->rank;
    for (uint32_t d = 0; d < out->rank; d++)
        pass_in_out(b, d < added ? WEFT_NO_DIM : (int64_t)(d - added), d, out->dims[d]);
}

void weft_rule_broadcast_in_dim(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0), *out = weft_rule_out(b, 0);
    weft_ints to = weft_op_ints(b->op, WEFT_A_broadcast_dimensions);
    int64_t from[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < out->rank; d++) from[d] = WEFT_NO_DIM;
    for (uint32_t i = 0; i < to.n; i++) from[to.v[i]] = i;
    for (uint32_t d = 0; d < out->rank; d++) {
        int64_t i = from[d];
        if (i != WEFT_NO_DIM && in->dims[i] == 1 && out->dims[d] != 1) { /* expanded in place */
            pass_in_out(b, i, WEFT_NO_DIM, 1);
            i = WEFT_NO_DIM;
        }
        pass_in_out(b, i, d, out->dims[d]);
    }
}

/* Reshape walks both shapes from the major end. `dims` is the product of the dimensions begun, `factors` that of their
 * factors so far; a dimension is done when the two are equal. */
typedef struct side {
    const weft_type *type;
    uint32_t dim;
    int64_t dims, factors;
} side;

static bool left(const side *s) { return s->dim < s->type->rank; }
static bool at_one(const side *s) { return left(s) && s->type->dims[s->dim] == 1; }
static void begin(side *s) {
    if (left(s) && s->dims == s->factors) s->dims *= s->type->dims[s->dim];
}
static void end(side *s) {
    if (left(s) && s->dims == s->factors) s->dim++;
}

/* The factor for the side with the smaller product: the quotient that makes both sides equal if it divides, else all
 * but the divisor that the other side's next factor shares. */
static int64_t catch_up(int64_t next, int64_t common, int64_t behind, int64_t ahead) {
    if (ahead % behind == 0 && next % (ahead / behind) == 0) return ahead / behind;
    return next > common ? next / common : next;
}

static void reshape_step(weft_rule_builder *b, side *in, side *out) {
    int64_t next_in = in->dims / in->factors, next_out = out->dims / out->factors, common = weft_gcd(next_in, next_out);
    if (in->factors == out->factors && common > 1) {
        pass_in_out(b, in->dim, out->dim, common);
        in->factors *= common;
        out->factors *= common;
    } else if (in->factors == out->factors) { /* coprime: no common factor until they meet again */
        pass_in_out(b, in->dim, WEFT_NO_DIM, next_in);
        pass_in_out(b, WEFT_NO_DIM, out->dim, next_out);
        in->factors *= next_in;
        out->factors *= next_out;
    } else if (in->factors < out->factors) {
        int64_t f = catch_up(next_in, common, in->factors, out->factors);
        pass_in_out(b, in->dim, WEFT_NO_DIM, f);
        in->factors *= f;
    } else {
        int64_t f = catch_up(next_out, common, out->factors, in->factors);
        pass_in_out(b, WEFT_NO_DIM, out->dim, f);
        out->factors *= f;
    }
}

void weft_rule_reshape(weft_rule_builder *b) {
    side in = { weft_rule_in(b, 0), 0, 1, 1 }, out = { weft_rule_out(b, 0), 0, 1, 1 };
    if (weft_type_elems(in.type) <= 0) { /* nothing to shard, and sizes of 0 have no factors */
        b->none = true;
        return;
    }
    while ((left(&in) || left(&out)) && b->status == WEFT_OK) {
        if (at_one(&in)) {
            pass_in_out(b, in.dim++, WEFT_NO_DIM, 1);
        } else if (at_one(&out)) {
            pass_in_out(b, WEFT_NO_DIM, out.dim++, 1);
        } else {
            begin(&in);
            begin(&out);
            reshape_step(b, &in, &out);
            end(&in);
            end(&out);
        }
    }
}

void weft_rule_transpose(weft_rule_builder *b) {
    weft_ints from = weft_op_ints(b->op, WEFT_A_permutation);
    for (uint32_t d = 0; d < from.n; d++) pass_in_out(b, from.v[d], d, weft_rule_in(b, 0)->dims[from.v[d]]);
}

void weft_rule_reverse(weft_rule_builder *b) {
    weft_ints reversed = weft_op_ints(b->op, WEFT_A_dimensions);
    const weft_type *out = weft_rule_out(b, 0);
    for (uint32_t d = 0; d < out->rank; d++)
        weft_rule_all(b, d, out->dims[d], weft_ints_has(reversed, d) ? WEFT_FACTOR_PERMUTATION : WEFT_FACTOR_PASS,
                      WEFT_RULE_FLOWS);
}

/* With static indices the data can be shifted between neighbours, so resized dimensions stay sharded. */
void weft_rule_slice(weft_rule_builder *b) {
    weft_rule_mismatch(b, weft_rule_in(b, 0), weft_rule_out(b, 0), WEFT_FACTOR_PERMUTATION, blocked_if_conservative(b));
}

void weft_rule_pad(weft_rule_builder *b) {
    weft_rule_mismatch(b, weft_rule_in(b, 0), weft_rule_out(b, 0), WEFT_FACTOR_PERMUTATION, blocked_if_conservative(b));
}

static bool is_work(const weft_rule_builder *b) { return b->mode == WEFT_RULE_WORK || b->mode == WEFT_RULE_SHIFT; }

static bool is_constant(const weft_value *v) {
    return v->def && weft_op_kind_has((weft_op_kind)v->def->kind, WEFT_TRAIT_CONSTANT);
}

/* A piece can begin anywhere in the rest of the whole, so a device that has a part of each needs that
 * much more of the other's: of a piece of half the whole, or less, some device may need all, unless its start is known
 * (start: NULL if not needed). Returns that, and whether this rule has that mode. */
static bool shifts(weft_rule_builder *b, int64_t whole, int64_t piece, const weft_value *start) {
    if (whole >= 2 * piece && !(start && is_constant(start))) return false;
    b->shifts |= b->mode == WEFT_RULE_WORK;
    return b->mode == WEFT_RULE_SHIFT;
}

/* A slice is a sum over the parts of the operand, of parts of the slice: these two factors are independent.
 */
void weft_rule_dynamic_slice(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0), *out = weft_rule_out(b, 0);
    if (!is_work(b)) {
        weft_rule_mismatch(b, in, out, WEFT_FACTOR_REPLICATED, WEFT_RULE_BLOCKED);
        return;
    }
    for (uint32_t d = 0; d < in->rank; d++) {
        if (in->dims[d] == out->dims[d]) weft_rule_all(b, d, in->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
        else if (shifts(b, in->dims[d], out->dims[d], NULL))
            weft_rule_all(b, d, in->dims[d], WEFT_FACTOR_PERMUTATION, WEFT_RULE_BLOCKED);
        else {
            weft_rule_map(b, 0, d, weft_rule_factor(b, in->dims[d], WEFT_FACTOR_REDUCTION, WEFT_RULE_BLOCKED));
            weft_rule_map(b, weft_rule_result(b, 0), d,
                          weft_rule_factor(b, out->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_BLOCKED));
        }
    }
}

void weft_rule_assemble(weft_rule_builder *b) {
    const weft_type *out = weft_rule_out(b, 0);
    const int64_t along = weft_op_int(b->op, WEFT_A_dimension, 0);
    for (uint32_t d = 0; d < out->rank; d++)
        weft_rule_all(b, d, out->dims[d], d == along ? WEFT_FACTOR_PERMUTATION : WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
}

static bool is_slice(const weft_value *v) { return v->def && v->def->kind == WEFT_OP_slice; }
static const weft_value *before_slice(const weft_value *v) { return is_slice(v) ? v->def->operands[0] : v; }

/* Pieces of something sharded along the dimension need only neighbours: all operands are slices, or at least one is and
 * all come from one value (a rotation, a halo). */
static bool concat_permutes(const weft_op *op) {
    uint32_t slices = 0;
    bool same = true;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        slices += is_slice(op->operands[i]);
        same &= before_slice(op->operands[i]) == before_slice(op->operands[0]);
    }
    return slices == op->operand_count || (same && slices);
}

void weft_rule_concatenate(weft_rule_builder *b) {
    const weft_type *out = weft_rule_out(b, 0);
    int64_t along = weft_op_int(b->op, WEFT_A_dimension, 0);
    for (uint32_t d = 0; d < out->rank; d++) {
        if (d != along) weft_rule_all(b, d, out->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
        else if (b->mode != WEFT_RULE_CONSERVATIVE)
            weft_rule_all(b, d, out->dims[d], concat_permutes(b->op) ? WEFT_FACTOR_PERMUTATION : WEFT_FACTOR_REPLICATED,
                          WEFT_RULE_FLOWS);
    }
}

static bool indices_constant(const weft_op *op, uint32_t first) {
    for (uint32_t i = first; i < op->operand_count; i++)
        if (!is_constant(op->operands[i])) return false;
    return true;
}

/* The updated tensor stays sharded along resized dimensions: each device writes the part of the update in its shard;
 * the update is replicated there unless the place is known. */
void weft_rule_dynamic_update_slice(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0), *update = weft_rule_in(b, 1);
    bool known = !is_work(b) && indices_constant(b->op, 2);
    for (uint32_t d = 0; d < in->rank; d++) {
        const bool whole = in->dims[d] == update->dims[d];
        if (whole || (is_work(b) && shifts(b, in->dims[d], update->dims[d], b->op->operands[2 + d]))) {
            weft_rule_all(b, d, in->dims[d], whole ? WEFT_FACTOR_PASS : WEFT_FACTOR_PERMUTATION, WEFT_RULE_FLOWS);
            continue;
        }
        pass_in_out(b, d, d, in->dims[d]);
        weft_rule_map(b, 1, d,
                      weft_rule_factor(b, update->dims[d], known ? WEFT_FACTOR_PASS : WEFT_FACTOR_REPLICATED,
                                       WEFT_RULE_FLOWS));
    }
}
