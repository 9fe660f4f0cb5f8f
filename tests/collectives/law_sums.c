/* law_sums.c: sums, means and extremes of one element of each rank, in the order defined in law.h. */
#include "tests/collectives/law.h"

#include <math.h>
#include "collectives/reduce.h"

static uint64_t load_bits(weft_dtype t, const void *p) {
    uint64_t v = 0;
    memcpy(&v, p, weft_dtype_bytes(t));
    return v;
}

static int64_t as_signed(weft_dtype t, uint64_t v) {
    unsigned bits = weft_dtype_of(t)->bits;
    return bits == 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static uint64_t as_unsigned(weft_dtype t, uint64_t v) {
    unsigned bits = weft_dtype_of(t)->bits;
    return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

uint64_t law_integer(weft_dtype t, uint64_t v) {
    return weft_dtype_of(t)->kind == WEFT_KIND_INT ? (uint64_t)as_signed(t, v) : as_unsigned(t, v);
}

static uint64_t int_op(weft_dtype t, weft_op_reduce op, uint64_t a, uint64_t b) {
    int is_signed = weft_dtype_of(t)->kind == WEFT_KIND_INT;
    int less = is_signed ? as_signed(t, a) < as_signed(t, b) : as_unsigned(t, a) < as_unsigned(t, b);
    switch (op) {
    case WEFT_SUM:
    case WEFT_MEAN: return a + b;
    case WEFT_PRODUCT: return a * b;
    case WEFT_MIN: return less ? a : b;
    case WEFT_MAX: return less ? b : a;
    case WEFT_AND: return a & b;
    case WEFT_OR: return a | b;
    case WEFT_XOR: return a ^ b;
    }
    return 0;
}

static double extreme(weft_op_reduce op, double a, double b) {
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    if (a == b && a == 0) return (op == WEFT_MIN) == (signbit(a) != 0) ? a : b;
    return (op == WEFT_MIN) == (a < b) ? a : b;
}

static float float_op(weft_op_reduce op, float a, float b) {
    return op == WEFT_SUM || op == WEFT_MEAN ? a + b : op == WEFT_PRODUCT ? a * b : (float)extreme(op, a, b);
}

static double double_op(weft_op_reduce op, double a, double b) {
    return op == WEFT_SUM || op == WEFT_MEAN ? a + b : op == WEFT_PRODUCT ? a * b : extreme(op, a, b);
}

/* A sum under way: of floats in f32 or f64 as the type has it, of complex numbers in both parts. */
typedef union sum { float f[2]; double d[2]; } sum;

static sum load_sum(weft_dtype t, const void *p) {
    sum s = { .d = { 0, 0 } };
    if (weft_dtype_is_complex(t)) memcpy(&s, p, weft_dtype_bytes(t));
    else if (t == WEFT_F64) s.d[0] = weft_dtype_load(t, p);
    else s.f[0] = (float)weft_dtype_load(t, p);
    return s;
}

static sum add_sums(weft_dtype t, weft_op_reduce op, sum a, sum b) {
    int times = op == WEFT_PRODUCT;
    switch (t) {
    case WEFT_C64: return times ? (sum){ .f = { a.f[0] * b.f[0] - a.f[1] * b.f[1], a.f[0] * b.f[1] + a.f[1] * b.f[0] } }
                                : (sum){ .f = { a.f[0] + b.f[0], a.f[1] + b.f[1] } };
    case WEFT_C128:
        return times ? (sum){ .d = { a.d[0] * b.d[0] - a.d[1] * b.d[1], a.d[0] * b.d[1] + a.d[1] * b.d[0] } }
                     : (sum){ .d = { a.d[0] + b.d[0], a.d[1] + b.d[1] } };
    case WEFT_F64: return (sum){ .d = { double_op(op, a.d[0], b.d[0]) } };
    default: return (sum){ .f = { float_op(op, a.f[0], b.f[0]) } };
    }
}

static void store_sum(weft_dtype t, weft_op_reduce op, sum s, int k, void *out) {
    int wide = t == WEFT_F64 || t == WEFT_C128;
    for (int i = 0; i < 2 && op == WEFT_MEAN; i++) {
        if (wide) s.d[i] /= k;
        else s.f[i] /= (float)k;
    }
    if (wide || t == WEFT_F32 || t == WEFT_C64) memcpy(out, &s, weft_dtype_bytes(t));
    else weft_dtype_store(t, out, s.f[0]);
}

/* Each node's operands from first to last, then the nodes' sums in the order in which the nodes come up. node NULL:
 * there is one. */
static void reduce_floats(weft_dtype t, weft_op_reduce op, const void *const *elem, const int *node, int k, void *out) {
    sum total = { .d = { 0, 0 } };
    int nodes = 0;
    for (int first = 0; first < k; first++) {
        int before = 0;
        while (node ? node[before] != node[first] : 0) before++;
        if (before < first) continue; /* its node has been dealt with */
        sum part = load_sum(t, elem[first]);
        for (int s = first + 1; s < k; s++)
            if (!node || node[s] == node[first]) part = add_sums(t, op, part, load_sum(t, elem[s]));
        total = nodes++ ? add_sums(t, op, total, part) : part;
    }
    store_sum(t, op, total, k, out);
}

/* Exact, toward zero: quotients and remainders apart, so that no sum overflows. */
static uint64_t mean_of_integers(weft_dtype t, const void *const *elem, int k) {
    int64_t whole = 0, rest = 0;
    int is_signed = weft_dtype_of(t)->kind == WEFT_KIND_INT;
    uint64_t whole_u = 0, rest_u = 0;
    for (int s = 0; s < k; s++) {
        uint64_t v = load_bits(t, elem[s]);
        whole += as_signed(t, v) / k, rest += as_signed(t, v) % k;
        whole_u += as_unsigned(t, v) / (uint64_t)k, rest_u += as_unsigned(t, v) % (uint64_t)k;
    }
    if (!is_signed) return whole_u + rest_u / (uint64_t)k;
    whole += rest / k, rest %= k; /* of different signs the quotient's distance from zero is one too much */
    if (whole > 0 && rest < 0) whole--;
    if (whole < 0 && rest > 0) whole++;
    return (uint64_t)whole;
}

void law_reduce(weft_dtype t, weft_op_reduce op, const void *const *elem, const int *node, int k, void *out) {
    if (weft_dtype_is_complex(t) || weft_dtype_is_float(t)) {
        reduce_floats(t, op, elem, node, k, out);
    } else if (t == WEFT_I1) {
        static const weft_op_reduce same[] = { WEFT_OR, WEFT_AND, WEFT_AND, WEFT_OR, WEFT_AND, WEFT_OR, WEFT_XOR };
        uint64_t acc = load_bits(t, elem[0]);
        for (int s = 1; s < k; s++) acc = int_op(WEFT_UI8, same[op], acc, load_bits(t, elem[s]));
        memcpy(out, &acc, 1);
    } else if (op == WEFT_MEAN) {
        uint64_t mean = mean_of_integers(t, elem, k);
        memcpy(out, &mean, weft_dtype_bytes(t));
    } else {
        uint64_t acc = load_bits(t, elem[0]); /* bits above the type's width mean nothing */
        for (int s = 1; s < k; s++) acc = int_op(t, op, acc, load_bits(t, elem[s]));
        acc = weft_dtype_of(t)->kind == WEFT_KIND_INT ? (uint64_t)as_signed(t, acc) : as_unsigned(t, acc);
        memcpy(out, &acc, weft_dtype_bytes(t));
    }
}
