/* random.c: Threefry-2x32 over the index of each element. Source: Salmon, Moraes, Dror, Shaw: Parallel random numbers:
 * as easy as 1, 2, 3 (SC 2011); how bits become numbers: jax.random. */
#include <math.h>
#include <weft/random.h>

#include "capi/graph_impl.h"

/* Two words of the generator's state, of one shape. */
typedef struct words { weft_value *a, *b; } words;

static weft_value *two(weft_graph *g, weft_op_kind kind, weft_value *x, weft_value *y) {
    return x && y ? weft_build_binary(&g->b, kind, x, y) : NULL;
}

static weft_value *number(weft_graph *g, const weft_value *like, int64_t v) {
    return like ? weft_build_integer(&g->b, like->type, v) : NULL;
}

static weft_value *rotated(weft_graph *g, weft_value *x, int by) {
    return two(g, WEFT_OP_or, two(g, WEFT_OP_shift_left, x, number(g, x, by)),
               two(g, WEFT_OP_shift_right_logical, x, number(g, x, 32 - by)));
}

/* Twenty rounds of the counter x under the key k; all of one shape. */
static words threefry(weft_graph *g, words k, words x) {
    static const int rotations[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
    weft_value *keys[3] = { k.a, k.b,
                            two(g, WEFT_OP_xor, two(g, WEFT_OP_xor, k.a, k.b), number(g, k.a, 0x1BD11BDA)) };
    x.a = two(g, WEFT_OP_add, x.a, keys[0]);
    x.b = two(g, WEFT_OP_add, x.b, keys[1]);
    for (int group = 0; group < 5; group++) {
        for (int r = 0; r < 4 && x.a && x.b; r++) {
            x.a = two(g, WEFT_OP_add, x.a, x.b);
            x.b = two(g, WEFT_OP_xor, rotated(g, x.b, rotations[group & 1][r]), x.a);
        }
        x.a = two(g, WEFT_OP_add, x.a, keys[(group + 1) % 3]);
        x.b = two(g, WEFT_OP_add, two(g, WEFT_OP_add, x.b, keys[(group + 2) % 3]), number(g, x.b, group + 1));
    }
    return x;
}

/* Word i of the key, as a tensor of type t. */
static weft_value *key_word(weft_graph *g, weft_value *key, int64_t i, const weft_type *t) {
    const weft_type *scalar = weft_type_tensor(g->cx, WEFT_UI32, 0, NULL);
    weft_value *word = weft_build_slice(&g->b, key, &i, (const int64_t[]){ i + 1 }, (const int64_t[]){ 1 });
    word = word && scalar ? weft_graph_build_1(g, WEFT_OP_reshape, &word, 1, NULL, 0, scalar) : NULL;
    return word && t ? weft_build_broadcast(&g->b, word, t, NULL) : NULL;
}

static bool is_key(weft_graph *g, const weft_tensor *key) {
    if (key->type->dtype == WEFT_UI32 && key->type->rank == 1 && key->type->dims[0] == 2) return true;
    weft_graph_fail(g, WEFT_D_verify, "a key has the type 2xui32");
    return false;
}

/* Both halves of each element's row-major index. */
static words counters(weft_graph *g, const weft_type *t) {
    const weft_type *wide = weft_type_with_dtype(g->cx, t, WEFT_UI64);
    weft_value *index = wide ? weft_build_splat(&g->b, wide, 0) : NULL;
    int64_t stride = 1;
    for (uint32_t d = t->rank; index && d-- > 0;) {
        weft_value *i = weft_build_iota(&g->b, wide, d);
        index = two(g, WEFT_OP_add, index, two(g, WEFT_OP_multiply, i, number(g, i, stride)));
        stride *= t->dims[d];
    }
    weft_value *high = two(g, WEFT_OP_shift_right_logical, index, number(g, index, 32));
    return (words){ high ? weft_graph_build_1(g, WEFT_OP_convert, &high, 1, NULL, 0, t) : NULL,
                    index ? weft_graph_build_1(g, WEFT_OP_convert, &index, 1, NULL, 0, t) : NULL };
}

/* Random words of type t, which is of ui32. */
static weft_value *bits(weft_graph *g, weft_value *key, const weft_type *t) {
    const words k = { key_word(g, key, 0, t), key_word(g, key, 1, t) };
    const words r = k.a && k.b ? threefry(g, k, counters(g, t)) : (words){ NULL, NULL };
    weft_value *both = two(g, WEFT_OP_xor, r.a, r.b);
    return both ? both : weft_graph_keep(g, g->b.status == WEFT_OK ? weft_oom() : g->b.status);
}

weft_tensor *weft_graph_random_key_at(weft_source at, weft_graph *g, uint64_t seed) {
    const uint32_t key[] = { (uint32_t)(seed >> 32), (uint32_t)seed };
    return weft_graph_constant_at(at, g, "2xui32", key, sizeof key);
}

weft_tensor *weft_graph_random_fold_at(weft_source at, weft_graph *g, weft_tensor *key, weft_tensor *n) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "random_fold", (weft_tensor *const[]){ key, n }, 2) ||
        !is_key(g, key))
        return NULL;
    const weft_dtype_kind kind = weft_dtype_of(n->type->dtype)->kind;
    if (n->type->rank || (kind != WEFT_KIND_INT && kind != WEFT_KIND_UINT))
        return weft_graph_fail(g, WEFT_D_verify, "what is folded into a key is an integer scalar");
    const int64_t one = 1;
    const weft_type *t = weft_type_tensor(g->cx, WEFT_UI32, 1, &one);
    weft_value *low = weft_graph_convert_at(at, g, n, "ui32");
    low = low && t ? weft_graph_build_1(g, WEFT_OP_reshape, &low, 1, NULL, 0, t) : NULL;
    const words k = { key_word(g, key, 0, t), key_word(g, key, 1, t) };
    const words r = k.a && k.b && low ? threefry(g, k, (words){ number(g, low, 0), low }) : (words){ NULL, NULL };
    if (!r.a || !r.b) return weft_graph_keep(g, g->b.status == WEFT_OK ? weft_oom() : g->b.status);
    return weft_build_concatenate(&g->b, (weft_value *const[]){ r.a, r.b }, 2, 0);
}

weft_tensor *weft_graph_random_bits_at(weft_source at, weft_graph *g, weft_tensor *key, const char *type) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "random_bits", &key, 1) || !is_key(g, key)) return NULL;
    const weft_type *t = weft_graph_type(g, weft_str_from(type ? type : ""));
    if (!t) return NULL;
    if (t->dtype != WEFT_UI32) return weft_graph_fail(g, WEFT_D_verify, "random bits are of ui32, not '%s'", type);
    return bits(g, key, t);
}

/* ---- numbers of bits ---- */

/* In [0, 1), of f32 and t's shape: the upper 23 bits as a fraction of a number in [1, 2). */
static weft_value *unit(weft_graph *g, weft_value *key, const weft_type *t) {
    const weft_type *word = weft_type_with_dtype(g->cx, t, WEFT_UI32), *f32 = weft_type_with_dtype(g->cx, t, WEFT_F32);
    weft_value *r = word && f32 ? bits(g, key, word) : NULL;
    if (r) r = two(g, WEFT_OP_shift_right_logical, r, number(g, r, 9));
    if (r) r = two(g, WEFT_OP_or, r, number(g, r, 0x3f800000));
    if (r) r = weft_graph_build_1(g, WEFT_OP_bitcast_convert, &r, 1, NULL, 0, f32);
    return r ? two(g, WEFT_OP_subtract, r, weft_build_splat(&g->b, f32, 1)) : NULL;
}

static weft_value *between(weft_graph *g, weft_value *key, const weft_type *t, double low, double high) {
    weft_value *u = unit(g, key, t);
    if (!u) return NULL;
    weft_value *from = weft_build_splat(&g->b, u->type, low);
    u = two(g, WEFT_OP_multiply, u, weft_build_splat(&g->b, u->type, high - low));
    return two(g, WEFT_OP_maximum, from, two(g, WEFT_OP_add, u, from));
}

/* The type that a draw of numbers gives; NULL, reported, if it is not of floats. */
static const weft_type *float_type(weft_graph *g, weft_source at, const char *what, weft_tensor *key,
    const char *type) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, what, &key, 1) || !is_key(g, key)) return NULL;
    const weft_type *t = weft_graph_type(g, weft_str_from(type ? type : ""));
    if (!t || weft_dtype_of(t->dtype)->kind == WEFT_KIND_FLOAT) return t;
    return (void)weft_graph_fail(g, WEFT_D_verify, "'%s' makes floats, not '%s'", what, type), NULL;
}

static weft_value *as_type(weft_graph *g, weft_value *x, const weft_type *t) {
    if (!x) return weft_graph_keep(g, g->b.status == WEFT_OK ? weft_oom() : g->b.status);
    return x->type == t ? x : weft_graph_build_1(g, WEFT_OP_convert, &x, 1, NULL, 0, t);
}

weft_tensor *weft_graph_random_uniform_at(weft_source at, weft_graph *g, weft_tensor *key, const char *type, double low,
                                          double high) {
    const weft_type *t = float_type(g, at, "random_uniform", key, type);
    if (t && !(low <= high && isfinite(high - low)))
        return weft_graph_fail(g, WEFT_D_usage, "'random_uniform' draws from %g to %g", low, high);
    return t ? as_type(g, between(g, key, t, low, high), t) : NULL;
}

weft_tensor *weft_graph_random_normal_at(weft_source at, weft_graph *g, weft_tensor *key, const char *type) {
    const weft_type *t = float_type(g, at, "random_normal", key, type);
    if (!t) return NULL;
    weft_value *u = between(g, key, t, (double)nextafterf(-1, 0), 1);
    weft_value *x = u ? weft_graph_build_1(g, WEFT_OP_chlo_erf_inv, &u, 1, NULL, 0, NULL) : NULL;
    return as_type(g, x ? two(g, WEFT_OP_multiply, x, weft_build_splat(&g->b, x->type, sqrt(2))) : NULL, t);
}

weft_tensor *weft_graph_random_bernoulli_at(weft_source at, weft_graph *g, weft_tensor *key, const char *type,
    double p) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "random_bernoulli", &key, 1) || !is_key(g, key)) return NULL;
    const weft_type *t = weft_graph_type(g, weft_str_from(type ? type : ""));
    if (!t) return NULL;
    if (t->dtype != WEFT_I1) return weft_graph_fail(g, WEFT_D_verify, "'random_bernoulli' makes i1, not '%s'", type);
    if (!(p >= 0 && p <= 1)) return weft_graph_fail(g, WEFT_D_usage, "'random_bernoulli' has the probability %g", p);
    weft_value *u = unit(g, key, t);
    return u ? weft_graph_build_compare(g, WEFT_comparison_direction_LT, u, weft_build_splat(&g->b, u->type, p))
             : weft_graph_keep(g, g->b.status == WEFT_OK ? weft_oom() : g->b.status);
}

/* The largest of logits plus Gumbel noise. */
weft_tensor *weft_graph_random_categorical_at(weft_source at, weft_graph *g, weft_tensor *key, weft_tensor *logits) {
    weft_tensor *const both[] = { key, logits };
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "random_categorical", both, 2) || !is_key(g, key)) return NULL;
    if (!logits->type->rank || logits->type->dtype != WEFT_F32)
        return weft_graph_fail(g, WEFT_D_verify, "the logits of 'random_categorical' are of f32 and not a scalar");
    weft_value *u = between(g, key, logits->type, 1.17549435e-38,
        1); /* the smallest normal f32: its logarithm is finite */
    for (int twice = 0; u && twice < 2; twice++)
        u = weft_build_unary(&g->b, WEFT_OP_negate, weft_build_unary(&g->b, WEFT_OP_log, u));
    weft_value *noisy = two(g, WEFT_OP_add, u, logits);
    if (!noisy) return weft_graph_keep(g, g->b.status == WEFT_OK ? weft_oom() : g->b.status);
    return weft_graph_argmax_at(at, g, noisy, logits->type->rank - 1);
}
