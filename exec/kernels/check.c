/* check.c: the checks of StableHLO's test programs, as steps that fail with the first element that differs.
 *
 *   exact    equal values: NaN differs from itself, 0 equals -0
 *   almost   |actual - expected| <= tolerance, NaN equals NaN; parts of complex numbers one by one
 *   close    at most so many representable values apart, at least so many; what is not finite must be the same, NaNs
 *            all are. Complex: the farther part
 *
 * Source: StableHLO, stablehlo/tests/CheckOps.td and .cpp.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "exec/kernels/check.h"

static uint64_t raw_of(weft_dtype t, const uint8_t *p) {
    uint64_t raw = 0;
    memcpy(&raw, p, weft_dtype_bytes(t));
    return raw & (~UINT64_C(0) >> (64 - weft_dtype_of(t)->bits));
}

/* Representable values between two of a real float type. */
static uint64_t ulps(weft_dtype t, const uint8_t *a, const uint8_t *b) {
    const double x = weft_dtype_load(t, a), y = weft_dtype_load(t, b);
    const uint64_t i = raw_of(t, a), k = raw_of(t, b);
    if (i == k || (isnan(x) && isnan(y))) return 0;
    if (!isfinite(x) || !isfinite(y)) return UINT64_MAX;
    const uint64_t magnitude = t == WEFT_F8E8M0FNU ? 0xff : (UINT64_C(1) << (weft_dtype_of(t)->bits - 1)) - 1;
    const uint64_t m = i & magnitude, n = k & magnitude;
    if ((i & ~magnitude) != (k & ~magnitude)) return m + n;
    return m > n ? m - n : n - m;
}

static bool almost(weft_dtype t, const uint8_t *a, const uint8_t *b, double tolerance) {
    const double x = weft_dtype_load(t, a), y = weft_dtype_load(t, b);
    if (x == y || (isnan(x) && isnan(y))) return true;
    return isfinite(x) && isfinite(y) && fabs(x - y) <= tolerance;
}

static bool equal(weft_dtype t, const uint8_t *a, const uint8_t *b) {
    if (weft_dtype_is_float(t)) return weft_dtype_load(t, a) == weft_dtype_load(t, b);
    if (t == WEFT_I1) return !*a == !*b;
    return raw_of(t, a) == raw_of(t, b);
}

typedef struct parts { weft_dtype type; uint32_t n; size_t bytes; } parts;

static parts parts_of(weft_dtype t) {
    if (t == WEFT_C64) return (parts){ WEFT_F32, 2, 4 };
    if (t == WEFT_C128) return (parts){ WEFT_F64, 2, 8 };
    return (parts){ t, 1, weft_dtype_bytes(t) };
}

static bool passes(const weft_check_state *c, const uint8_t *a, const uint8_t *b, uint64_t *far) {
    const parts p = parts_of((weft_dtype)c->dtype);
    bool good = true;
    *far = 0;
    for (uint32_t i = 0; i < p.n; i++, a += p.bytes, b += p.bytes) {
        uint64_t u = 0;
        switch ((weft_check_kind)c->kind) {
        case WEFT_CHECK_EXACT: good = good && equal(p.type, a, b); break;
        case WEFT_CHECK_ALMOST: good = good && almost(p.type, a, b, c->tolerance); break;
        case WEFT_CHECK_CLOSE: u = ulps(p.type, a, b); break;
        }
        if (u > *far) *far = u;
    }
    return good && (c->kind != WEFT_CHECK_CLOSE || (*far >= c->min_ulp && *far <= c->max_ulp));
}

/* Enough digits to tell neighbours apart. */
static int print_part(char *to, size_t n, weft_dtype t, const uint8_t *p) {
    const int digits = t == WEFT_F64 ? 17 : t == WEFT_F32 ? 9 : 5;
    if (t == WEFT_I1) return snprintf(to, n, "%s", *p ? "true" : "false");
    if (weft_dtype_is_float(t)) return weft_format(to, n, "%.*g", digits, weft_dtype_load(t, p));
    const uint64_t raw = raw_of(t, p);
    const unsigned unused = 64 - weft_dtype_of(t)->bits;
    if (weft_dtype_of(t)->kind == WEFT_KIND_UINT) return snprintf(to, n, "%" PRIu64, raw);
    return snprintf(to, n, "%" PRId64, (int64_t)(raw << unused) >> unused);
}

static void print_element(char *to, size_t n, weft_dtype t, const uint8_t *p) {
    const parts part = parts_of(t);
    if (part.n == 1) {
        print_part(to, n, t, p);
        return;
    }
    char re[40], im[40];
    print_part(re, sizeof re, part.type, p);
    print_part(im, sizeof im, part.type, p + part.bytes);
    snprintf(to, n, "(%s, %s)", re, im);
}

/* "[1, 2]" of row-major number i; "[]" of the only element of a scalar. */
static void print_index(char *to, size_t n, const weft_check_state *c, int64_t i) {
    int64_t at[WEFT_CHECK_RANK];
    size_t used = 1;
    for (uint32_t d = c->rank; d-- > 0; i /= c->dims[d]) at[d] = i % c->dims[d];
    to[0] = '[', to[1] = '\0';
    for (uint32_t d = 0; d < c->rank && used < n; d++)
        used += (size_t)snprintf(to + used, n - used, "%s%" PRId64, d ? ", " : "", at[d]);
    if (used < n) snprintf(to + used, n - used, "]");
}

static weft_status differs(const weft_check_state *c, const weft_run_env *env, int64_t first, uint64_t far, int64_t bad,
                           int64_t all, const uint8_t *a, const uint8_t *b) {
    char index[128], actual[96], expected[96], how[96] = "";
    print_index(index, sizeof index, c, first);
    print_element(actual, sizeof actual, (weft_dtype)c->dtype, a);
    print_element(expected, sizeof expected, (weft_dtype)c->dtype, b);
    if (c->kind == WEFT_CHECK_ALMOST) weft_format(how, sizeof how, " within %g", c->tolerance);
    if (c->kind == WEFT_CHECK_CLOSE && far == UINT64_MAX)
        snprintf(how, sizeof how, " within %" PRIu64 " ulp", c->max_ulp);
    else if (c->kind == WEFT_CHECK_CLOSE && far > c->max_ulp)
        snprintf(how, sizeof how, " within %" PRIu64 " ulp (it is %" PRIu64 " away)", c->max_ulp, far);
    else if (c->kind == WEFT_CHECK_CLOSE)
        snprintf(how, sizeof how, " at least %" PRIu64 " ulp away (it is %" PRIu64 ")", c->min_ulp, far);
    return weft_step_fail(env, WEFT_ERR_MISMATCH,
                          "element %s is %s, expected %s%s; %" PRId64 " of %" PRId64 " elements differ", index, actual,
                          expected, how, bad, all);
}

static weft_status check_run(const void *state, void *const *buffers, const weft_run_env *env) {
    const weft_check_state *c = state;
    const size_t bytes = weft_dtype_bytes((weft_dtype)c->dtype);
    const uint8_t *actual = buffers[0], *expected = buffers[1];
    int64_t elems = 1, first = -1, bad = 0;
    uint64_t far, first_far = 0;
    for (uint32_t d = 0; d < c->rank; d++) elems *= c->dims[d];
    for (int64_t i = 0; i < elems; i++) {
        if (passes(c, actual + (size_t)i * bytes, expected + (size_t)i * bytes, &far)) continue;
        if (!bad++) first = i, first_far = far;
    }
    if (!bad) return WEFT_OK;
    return differs(c, env, first, first_far, bad, elems, actual + (size_t)first * bytes,
                   expected + (size_t)first * bytes);
}

const weft_kernel weft_kernel_check = { .name = "check", .run = check_run, .state_bytes = sizeof(weft_check_state) };
