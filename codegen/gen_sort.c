/* gen_sort.c: column `gen` of sort and top_k.
 *
 * Comparators that order by keys are recognised in the forms that frontends write: a comparison of the two sides of one
 * operand, plain or after what makes zeros and NaNs equal (JAX), and such comparisons one after another, "less, or
 * equal and the rest is less". Any other comparator is compiled and asked.
 */
#include "codegen/body.h"
#include "codegen/call.h"
#include "codegen/import.h"
#include "codegen/sort.h"

/* What a comparison looks at: one side of an operand. */
typedef struct side { uint32_t operand, right; bool canonical; weft_dtype dtype; } side;

static const cg_node *element_of(const cg_node *n) {
    while ((n->cls == CG_RESHAPE || n->cls == CG_VIEW) && n->in[0]->elems == 1 && n->elems == 1) n = n->in[0];
    return n;
}

static const cg_node *operand(const cg_node *n, uint32_t i) { return element_of(n->in[i]); }
static bool is_op(const cg_node *n, cg_op op) { return n->cls == CG_SCALAR && n->op == op; }

static bool compares(const cg_node *n, int64_t direction) {
    return is_op(n, CG_OP_compare) && (n->aux & 0xffffffff) == direction;
}

/* select(x != x, NaN, select(x == 0, 0, x)), in either order: x, or NULL. */
static const cg_node *canonical(const cg_node *n) {
    const cg_node *zero = NULL, *nan = NULL;
    for (int i = 0; i < 2; i++) {
        if (!is_op(n, CG_OP_select)) return NULL;
        const cg_node *test = operand(n, 0), *then = operand(n, 1),
                      *x = test->cls == CG_SCALAR && test->in_count == 2 ? operand(test, 0) : NULL;
        if (!x || then->cls != CG_SPLAT) return NULL;
        const double v = weft_dtype_load((weft_dtype)then->dtype, then->splat);
        if (compares(test, WEFT_comparison_direction_NE) && operand(test, 1) == x && v != v) nan = x;
        else if (compares(test, WEFT_comparison_direction_EQ) && cg_splat_is(operand(test, 1), 0) && v == 0) zero = x;
        else return NULL;
        n = operand(n, 2);
    }
    /* the tests may look at x or at what the other one left of it */
    return n->cls == CG_ARGUMENT && zero && nan && element_of(zero) == n && element_of(nan) == n ? n : NULL;
}

static bool read_side(const cg_block *body, const cg_node *n, side *s) {
    n = element_of(n);
    const cg_node *x = weft_dtype_is_float((weft_dtype)n->dtype) ? canonical(n) : NULL;
    s->canonical = x != NULL;
    if (!x) x = n;
    if (x->cls != CG_ARGUMENT || x->block != body) return false;
    s->operand = (uint32_t)x->aux / 2;
    s->right = x->aux % 2;
    s->dtype = (weft_dtype)x->dtype;
    return true;
}

/* The two sides of a comparison, which must be those of one operand; left is what stands there. */
static bool read_sides(const cg_block *body, const cg_node *n, side *left) {
    side right;
    if (!is_op(n, CG_OP_compare) || !read_side(body, n->in[0], left) || !read_side(body, n->in[1], &right))
        return false;
    return left->operand == right.operand && left->right != right.right && left->canonical == right.canonical;
}

/* Complex numbers never come here: they have no order, so the verifier refuses LT and GT of them. */
static bool key_of(weft_dtype t, weft_key_kind floats, weft_sort_key *k) {
    const weft_dtype_info *info = weft_dtype_of(t);
    const weft_float_format *f = weft_dtype_is_narrow_float(t) ? weft_float_format_of(t) : NULL;
    k->bytes = (uint8_t)info->stored_bytes;
    k->bits = (uint8_t)(info->kind == WEFT_KIND_BOOL ? 8 : info->bits);
    k->kind = WEFT_KEY_UNSIGNED;
    k->float_bits = (uint8_t)(t == WEFT_F32 ? 23 : t == WEFT_F64 ? 52 : f ? f->mantissa_bits : 0);
    if (info->kind == WEFT_KIND_FLOAT && (!f || f->has_sign)) k->kind = (uint8_t)floats;
    else if (info->kind == WEFT_KIND_INT) k->kind = WEFT_KEY_SIGNED;
    /* where NaNs are the codes above infinity's; the total order is that of the codes, whatever they mean */
    return k->kind != WEFT_KEY_FLOAT || !f || f->top == WEFT_TOP_IEEE;
}

/* less-than or greater-than of one key. */
static bool read_key(const cg_block *body, const cg_node *n, weft_sort_key *k) {
    side s;
    const bool lower = compares(n, WEFT_comparison_direction_LT), higher = compares(n, WEFT_comparison_direction_GT);
    if ((!lower && !higher) || !read_sides(body, n, &s)) return false;
    const bool total = n->aux >> 32 && !s.canonical;
    memset(k, 0, sizeof *k);
    k->operand = s.operand;
    k->descending = higher != (s.right != 0);
    return key_of(s.dtype, total ? WEFT_KEY_TOTAL : WEFT_KEY_FLOAT, k);
}

static bool equals(const cg_block *body, const cg_node *n, const weft_sort_key *k, int64_t direction) {
    side s;
    if (!compares(n, direction) || !read_sides(body, n, &s) || s.operand != k->operand) return false;
    const bool total = n->aux >> 32 && !s.canonical;
    return k->kind == WEFT_KEY_UNSIGNED || k->kind == WEFT_KEY_SIGNED || (k->kind == WEFT_KEY_TOTAL) == total;
}

/* n as k is less, or equal and *rest. */
static bool first_key(const cg_block *body, const cg_node *n, weft_sort_key *k, const cg_node **rest) {
    if (is_op(n, CG_OP_or))
        for (uint32_t i = 0; i < 2; i++) {
            const cg_node *both = operand(n, !i);
            if (!read_key(body, operand(n, i), k) || !is_op(both, CG_OP_and)) continue;
            for (uint32_t e = 0; e < 2; e++)
                if (equals(body, operand(both, e), k, WEFT_comparison_direction_EQ)) {
                    *rest = operand(both, !e);
                    return true;
                }
        }
    if (!is_op(n, CG_OP_select)) return false;
    for (uint32_t i = 1; i < 3; i++) {
        const int64_t direction = i == 2 ? WEFT_comparison_direction_EQ : WEFT_comparison_direction_NE;
        if (!read_key(body, operand(n, i), k) || !equals(body, operand(n, 0), k, direction)) continue;
        *rest = operand(n, 3 - i);
        return true;
    }
    return false;
}

uint32_t cg_sort_keys(const cg_block *body, weft_sort_key *keys) {
    const cg_node *n = element_of(body->results[0]);
    for (uint32_t count = 0; count < WEFT_SORT_KEYS; count++) {
        if (read_key(body, n, &keys[count])) return count + 1;
        if (!first_key(body, n, &keys[count], &n)) return 0;
    }
    return 0;
}

static weft_status call(cg_import *im, const weft_op *op, const cg_call_spec *spec, cg_node *const *in) {
    const weft_type **types = weft_arena_array(&im->g->arena, const weft_type *, op->result_count);
    cg_node **out = weft_arena_array(&im->g->arena, cg_node *, op->result_count);
    if (!types || !out) return weft_oom();
    for (uint32_t r = 0; r < op->result_count; r++) types[r] = op->results[r].type;
    cg_call(im->g, spec, in, op->operand_count, types, op->result_count, out);
    weft_status st = im->g->status;
    for (uint32_t r = 0; r < op->result_count && st == WEFT_OK; r++) st = cg_set(im, op, r, out[r]);
    return st;
}

weft_status weft_gen_sort(cg_import *im, const weft_op *op) {
    const cg_node *x = cg_of(im, op, 0);
    int64_t dim = weft_op_int(op, WEFT_A_dimension, -1);
    weft_sort_state s;
    cg_block *body = NULL;
    cg_node *in[WEFT_SORT_OPERANDS];
    weft_status st = cg_import_body(im, &op->regions[0], &body);
    if (st != WEFT_OK) return st;
    if (op->operand_count > WEFT_SORT_OPERANDS)
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc,
                           "no code can be made for a sort of more than %d tensors", WEFT_SORT_OPERANDS);
    memset(&s, 0, sizeof s);
    if (dim < 0) dim += x->rank;
    s.outer = s.inner = 1;
    s.n = x->dims[dim];
    for (uint32_t d = 0; d < x->rank; d++)
        if (d != (uint32_t)dim) *(d < (uint32_t)dim ? &s.outer : &s.inner) *= x->dims[d];
    s.operands = op->operand_count;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        in[i] = cg_of(im, op, i);
        s.bytes[i] = (uint8_t)weft_dtype_bytes((weft_dtype)in[i]->dtype);
    }
    s.keys = cg_sort_keys(body, s.key);
    if (s.n < 2 || !x->elems) {
        for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) st = cg_set(im, op, i, in[i]);
        return st;
    }
    return call(im, op,
                &(cg_call_spec){ .kernel = &weft_kernel_sort, .state = &s, .state_bytes = sizeof s,
                                 .scratch_bytes = weft_sort_scratch(&s), .body = s.keys ? NULL : body },
                in);
}

/* XLA orders floats totally here. */
weft_status cg_top_k_make(cg_import *im, const weft_op *op, int64_t k, cg_top_k_order order) {
    cg_node *x = cg_of(im, op, 0);
    weft_top_k_state s;
    memset(&s, 0, sizeof s);
    s.n = x->dims[x->rank - 1];
    s.k = k;
    s.rows = 1;
    for (uint32_t d = 0; d + 1 < x->rank; d++) s.rows *= x->dims[d];
    s.index_bytes = (uint8_t)weft_dtype_bytes(op->results[1].type->dtype);
    s.key.descending = order == CG_TOP_K_LARGEST;
    if (!key_of((weft_dtype)x->dtype, WEFT_KEY_TOTAL, &s.key))
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "no code can be made for '%s' of '%s' yet",
                           op->name->text, weft_dtype_of((weft_dtype)x->dtype)->name);
    return call(im, op,
                &(cg_call_spec){ .kernel = &weft_kernel_top_k, .state = &s, .state_bytes = sizeof s,
                                 .scratch_bytes = weft_top_k_scratch(&s) },
                &x);
}

weft_status weft_gen_top_k(cg_import *im, const weft_op *op) {
    return cg_top_k_make(im, op, weft_op_int(op, WEFT_A_k, 0), CG_TOP_K_LARGEST);
}
