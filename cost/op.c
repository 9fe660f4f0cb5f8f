/* op.c: the column "cost": element-wise ops, data movement, and ops that work through regions.
 *
 * Source of the conventions: XLA's HloCostAnalysis, as openxla/xla documents it.
 */
#include "cost/op.h"

#include "cost/op_internal.h"

static const weft_cost_fn cost_of[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = weft_cost_##cost,
#include "ir/ops.def"
};

double weft_cost_elems(const weft_value *v) {
    int64_t n = weft_type_is_tensor(v->type) ? weft_type_elems(v->type) : 0;
    return n > 0 ? (double)n : 0;
}

int64_t weft_cost_bytes(const weft_value *v) {
    int64_t n = weft_type_is_tensor(v->type) ? weft_type_bytes(v->type) : 0;
    return n > 0 ? n : 0;
}

/* Sums saturate: beyond 2^63 bytes a figure has no meaning. */
static void add_bytes(int64_t *sum, int64_t n) {
    if (!weft_add_i64(*sum, n, sum)) *sum = INT64_MAX;
}

static void add_cost(weft_op_cost *sum, const weft_op_cost *c) {
    sum->flops += c->flops;
    sum->transcendentals += c->transcendentals;
    add_bytes(&sum->read_bytes, c->read_bytes);
    add_bytes(&sum->write_bytes, c->write_bytes);
}

weft_status weft_cost_op(const weft_op *op, weft_op_cost *out) {
    *out = (weft_op_cost){ 0 };
    for (uint32_t i = 0; i < op->operand_count; i++) add_bytes(&out->read_bytes, weft_cost_bytes(op->operands[i]));
    for (uint32_t i = 0; i < op->result_count; i++) add_bytes(&out->write_bytes, weft_cost_bytes(&op->results[i]));
    return cost_of[op->kind](op, out);
}

weft_status weft_cost_block(const weft_block *b, weft_op_cost *out) {
    *out = (weft_op_cost){ 0 };
    WEFT_EACH_OP(op, b) {
        weft_op_cost c;
        weft_status st = weft_cost_op(op, &c);
        if (st != WEFT_OK) return st;
        add_cost(out, &c);
    }
    return WEFT_OK;
}

weft_status weft_cost_body(const weft_op *op, uint32_t r, double times, weft_op_cost *out) {
    weft_op_cost c = { 0 };
    const weft_block *body = r < op->region_count ? weft_op_body(op, r) : NULL;
    weft_status st = body ? weft_cost_block(body, &c) : WEFT_OK;
    out->flops += c.flops * times;
    out->transcendentals += c.transcendentals * times;
    return st;
}

/* ---- no arithmetic ---- */

/* Nothing moves: the value only gets a new name or type. */
weft_status weft_cost_none(const weft_op *op, weft_op_cost *out) {
    (void)op;
    *out = (weft_op_cost){ 0 };
    return WEFT_OK;
}

/* Every operand is read, every result written. */
weft_status weft_cost_move(const weft_op *op, weft_op_cost *out) {
    (void)op, (void)out;
    return WEFT_OK;
}

/* Operand 0 is read only as far as the result contains it. */
weft_status weft_cost_pick(const weft_op *op, weft_op_cost *out) {
    out->read_bytes -= weft_cost_bytes(op->operands[0]);
    add_bytes(&out->read_bytes, out->write_bytes);
    return WEFT_OK;
}

/* Operand 1 goes into operand 0 in place. */
weft_status weft_cost_update(const weft_op *op, weft_op_cost *out) {
    out->read_bytes -= weft_cost_bytes(op->operands[0]);
    out->write_bytes = weft_cost_bytes(op->operands[1]);
    return WEFT_OK;
}

/* ---- element by element ---- */

weft_status weft_cost_flop(const weft_op *op, weft_op_cost *out) {
    out->flops = weft_cost_elems(&op->results[0]);
    return WEFT_OK;
}

weft_status weft_cost_math(const weft_op *op, weft_op_cost *out) {
    out->transcendentals = weft_cost_elems(&op->results[op->result_count - 1]);
    return WEFT_OK;
}

/* Arithmetic ops per element of the first operand when written out in add, multiply and rsqrt: inference 4
 * (subtract, multiply, multiply, add), training 4 more for the two moments, the gradient 4 more for its two sums. */
weft_status weft_cost_norm(const weft_op *op, weft_op_cost *out) {
    out->flops = (op->operand_count == 3 ? 8 : op->result_count == 3 ? 12 : 4) * weft_cost_elems(op->operands[0]);
    return WEFT_OK;
}

/* ---- bodies ---- */

weft_status weft_cost_map(const weft_op *op, weft_op_cost *out) {
    return weft_cost_body(op, 0, weft_cost_elems(&op->results[0]), out);
}

/* n elements become one by n - 1 steps. */
weft_status weft_cost_reduce(const weft_op *op, weft_op_cost *out) {
    double in = op->operand_count ? weft_cost_elems(op->operands[0]) : 0,
           left = op->result_count ? weft_cost_elems(&op->results[0]) : 0;
    return weft_cost_body(op, 0, in > left ? in - left : 0, out);
}

/* Reads the updates, and reads and writes as much of the inputs. */
weft_status weft_cost_scatter(const weft_op *op, weft_op_cost *out) {
    uint32_t n = op->operand_count / 2;
    int64_t updates = 0;
    for (uint32_t i = 0; i < n; i++) {
        out->read_bytes -= weft_cost_bytes(op->operands[i]);
        add_bytes(&updates, weft_cost_bytes(op->operands[n + 1 + i]));
    }
    add_bytes(&out->read_bytes, updates);
    out->write_bytes = updates;
    return weft_cost_body(op, 0, n ? weft_cost_elems(op->operands[n + 1]) : 0, out);
}

/* Each region once. The op's own operands and results are passed, not copied. */
weft_status weft_cost_control(const weft_op *op, weft_op_cost *out) {
    weft_status st = WEFT_OK;
    *out = (weft_op_cost){ 0 };
    for (uint32_t r = 0; r < op->region_count && st == WEFT_OK; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r]) {
            weft_op_cost c;
            st = weft_cost_block(b, &c);
            add_cost(out, &c);
            if (st != WEFT_OK) break;
        }
    return st;
}

static void most(weft_op_cost *sum, const weft_op_cost *c) {
    sum->flops = c->flops > sum->flops ? c->flops : sum->flops;
    sum->transcendentals = c->transcendentals > sum->transcendentals ? c->transcendentals : sum->transcendentals;
    sum->read_bytes = weft_max_i64(sum->read_bytes, c->read_bytes);
    sum->write_bytes = weft_max_i64(sum->write_bytes, c->write_bytes);
}

/* One region of several: the maximum of each figure. */
weft_status weft_cost_branches(const weft_op *op, weft_op_cost *out) {
    weft_status st = WEFT_OK;
    *out = (weft_op_cost){ 0 };
    for (uint32_t r = 0; r < op->region_count && st == WEFT_OK; r++) {
        weft_op_cost c = { 0 };
        const weft_block *b = weft_op_body(op, r);
        if (b) st = weft_cost_block(b, &c);
        most(out, &c);
    }
    return st;
}

/* The callee's work, when the module has it. */
weft_status weft_cost_call(const weft_op *op, weft_op_cost *out) {
    const weft_op *root = op;
    for (const weft_op *up = weft_op_parent(root); up; up = weft_op_parent(root)) root = up;
    *out = (weft_op_cost){ 0 };
    if (root->region_count == 0 || !weft_op_body(root, 0)) return WEFT_ERR_UNSUPPORTED;
    weft_str callee = weft_op_symbol(op, WEFT_A_callee);
    WEFT_EACH_OP(f, weft_op_body(root, 0))
        if (f->kind == WEFT_OP_func && weft_str_equal(weft_op_symbol(f, WEFT_A_sym_name), callee))
            return weft_cost_control(f, out);
    return WEFT_ERR_UNSUPPORTED;
}

/* A collective that reduces adds the operands of two ranks once per element of a result. */
weft_status weft_cost_collective(const weft_op *op, weft_op_cost *out) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->result_count && op->region_count && st == WEFT_OK; i++)
        st = weft_cost_body(op, 0, weft_cost_elems(&op->results[i]), out);
    return st;
}
