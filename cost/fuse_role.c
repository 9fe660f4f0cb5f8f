/* fuse_role.c: what ops and values are to the fusion. See fuse_internal.h. */
#include "cost/fuse_internal.h"

#include "cost/op_internal.h"
#include "ir/trips.h"

/* The column "cost", as numbers. */
typedef enum family {
#define NAME(cost) FAMILY_##cost,
#include "ir/ops-cost.def"
} family;

static const uint8_t family_of[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = FAMILY_##cost,
#include "ir/ops.def"
};

/* A broadcast that only adds dimensions of 1. */
static bool is_reshape(const weft_op *op) {
    const int64_t n = weft_type_elems(op->operands[0]->type);
    return n > 0 && n == weft_type_elems(op->results[0].type);
}

fuse_role fuse_role_of(const weft_op *op) {
    const weft_op_kind kind = (weft_op_kind)op->kind;
    if (weft_op_kind_has(kind, WEFT_TRAIT_TERMINATOR)) return FUSE_END;
    if (weft_op_kind_has(kind, WEFT_TRAIT_COLLECTIVE)) return FUSE_COLLECTIVE;
    if (weft_op_kind_has(kind, WEFT_TRAIT_CONTROL)) return FUSE_REGIONS;
    if (op->operand_count == 0) return FUSE_FREE;
    if (kind == WEFT_OP_custom_call || op->result_count == 0) return FUSE_OTHER;
    if (kind == WEFT_OP_rng || kind == WEFT_OP_rng_bit_generator) return FUSE_OTHER;
    if (kind == WEFT_OP_transpose || kind == WEFT_OP_slice || kind == WEFT_OP_dynamic_slice) return FUSE_ALIAS;
    if (kind == WEFT_OP_broadcast_in_dim && is_reshape(op)) return FUSE_ALIAS;
    switch ((family)family_of[kind]) {
    case FAMILY_none: return FUSE_ALIAS;
    case FAMILY_flop: case FAMILY_math: case FAMILY_move: return FUSE_PART;
    case FAMILY_reduce: return FUSE_REDUCE;
    case FAMILY_dot: case FAMILY_einsum: case FAMILY_ragged_dot: case FAMILY_convolution: return FUSE_PRODUCT;
    case FAMILY_update: return FUSE_STORE;
    case FAMILY_control: case FAMILY_branches: return FUSE_REGIONS;
    default: return weft_op_kind_has(kind, WEFT_TRAIT_POINTWISE) ? FUSE_PART : FUSE_OTHER;
    }
}

double fuse_elems(const weft_value *v) { return weft_cost_elems(v); }
double fuse_bytes(const weft_value *v) { return (double)weft_cost_bytes(v); }

const weft_value *fuse_base(const weft_value *v) {
    while (v->def && fuse_role_of(v->def) == FUSE_ALIAS && v->def->operand_count)
        v = v->def->operands[v->def->operand_count == v->def->result_count ? v->index : 0];
    return v;
}

static bool loop_argument_is_free(fuse *f, const weft_value *v) {
    const weft_op *loop = v->block->parent->parent;
    if (loop->kind != WEFT_OP_while) return false;
    const weft_value *outer = weft_loop_unchanged(loop, v->index);
    return outer && fuse_is_free(f, outer);
}

bool fuse_is_free(fuse *f, const weft_value *v) {
    if (f->free_value[v->id]) return f->free_value[v->id] == 1;
    f->free_value[v->id] = 2;
    bool is = false;
    if (!v->def) {
        is = loop_argument_is_free(f, v);
    } else {
        const fuse_role role = fuse_role_of(v->def);
        is = role == FUSE_FREE && weft_op_kind_has((weft_op_kind)v->def->kind, WEFT_TRAIT_PURE);
        if (role == FUSE_PART || role == FUSE_ALIAS) {
            is = true;
            for (uint32_t i = 0; i < v->def->operand_count && is; i++) is = fuse_is_free(f, v->def->operands[i]);
        }
    }
    f->free_value[v->id] = is ? 1 : 2;
    return is;
}

bool fuse_is_costly(const weft_op *op) { return family_of[op->kind] == FAMILY_math; }
