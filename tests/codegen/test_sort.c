/* Sorts and top_k by their laws: the results are the operand's elements, moved together, in the comparator's order,
 * equal ones in their old order. Values with many ties, zeros of both signs, infinities and NaNs. The seed is printed;
 * WEFT_SEED sets it. */
#include <math.h>
#include <stdio.h>
#include "tests/codegen/program.h"

/* --- comparators, as text on %a %b of the type T, and as C --- */

static int total_order(double a, double b) { /* IEEE 754, totalOrder; NaNs here have no payload of their own */
    const double x[2] = { a, b };
    int64_t bits[2];
    memcpy(bits, x, sizeof bits);
    for (int i = 0; i < 2; i++)
        if (bits[i] < 0) bits[i] = INT64_MAX - (bits[i] & INT64_MAX) - INT64_MAX - 1;
    return bits[0] < bits[1] ? -1 : bits[0] > bits[1];
}

static int numbers(double a, double b) { /* zeros equal, NaNs equal and after all */
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return a < b ? -1 : a > b;
}

static int sizes(double a, double b) { return numbers(fabs(a), fabs(b)); }

typedef struct comparator {
    const char *name, *dtypes; /* which types it is for: i integers, f floats */
    const char *text;          /* T is the type */
    int (*order)(double a, double b);
    bool descending;
} comparator;

static const comparator comparators[] = {
    { "less", "i", "%l = stablehlo.compare LT, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>\n", numbers, false },
    { "greater", "i", "%l = stablehlo.compare GT, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>\n", numbers, true },
    { "less, sides exchanged", "i", "%l = stablehlo.compare GT, %b, %a : (tensor<T>, tensor<T>) -> tensor<i1>\n",
      numbers, false },
    { "total order", "f", "%l = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<T>, tensor<T>) -> tensor<i1>\n",
      total_order, false },
    { "total order down", "f", "%l = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<T>, tensor<T>) -> tensor<i1>\n",
      total_order, true },
    { "as JAX writes it", "f",
      "%z = stablehlo.constant dense<0.0> : tensor<T>\n%n = stablehlo.constant dense<NAN> : tensor<T>\n"
      "%1 = stablehlo.compare EQ, %a, %z, FLOAT : (tensor<T>, tensor<T>) -> tensor<i1>\n%2 = stablehlo.select %1, %z, %a : tensor<i1>, tensor<T>\n"
      "%3 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<T>, tensor<T>) -> tensor<i1>\n%4 = stablehlo.select %3, %n, %2 : tensor<i1>, tensor<T>\n"
      "%5 = stablehlo.compare EQ, %b, %z, FLOAT : (tensor<T>, tensor<T>) -> tensor<i1>\n%6 = stablehlo.select %5, %z, %b : tensor<i1>, tensor<T>\n"
      "%7 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<T>, tensor<T>) -> tensor<i1>\n%8 = stablehlo.select %7, %n, %6 : tensor<i1>, tensor<T>\n"
      "%l = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<T>, tensor<T>) -> tensor<i1>\n",
      numbers, false },
    { "by size", "f",
      "%1 = stablehlo.abs %a : tensor<T>\n%2 = stablehlo.abs %b : tensor<T>\n"
      "%l = stablehlo.compare LT, %1, %2, TOTALORDER : (tensor<T>, tensor<T>) -> tensor<i1>\n",
      sizes, false },
    { "less, in a loop", "i",
      "%0 = stablehlo.compare LT, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>\n"
      "%1 = stablehlo.constant dense<true> : tensor<i1>\n%2 = stablehlo.constant dense<false> : tensor<i1>\n"
      "%3:2 = stablehlo.while(%go = %1, %is = %2) : tensor<i1>, tensor<i1>\ncond {\nstablehlo.return %go : tensor<i1>\n} do {\n"
      "%4 = stablehlo.or %is, %0 : tensor<i1>\nstablehlo.return %2, %4 : tensor<i1>, tensor<i1>\n}\n%l = stablehlo.or %3#1, %2 : tensor<i1>\n",
      numbers, false },
    { "total order, in a loop", "f",
      "%0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<T>, tensor<T>) -> tensor<i1>\n"
      "%1 = stablehlo.constant dense<true> : tensor<i1>\n%2 = stablehlo.constant dense<false> : tensor<i1>\n"
      "%3:2 = stablehlo.while(%go = %1, %is = %2) : tensor<i1>, tensor<i1>\ncond {\nstablehlo.return %go : tensor<i1>\n} do {\n"
      "%4 = stablehlo.or %is, %0 : tensor<i1>\nstablehlo.return %2, %4 : tensor<i1>, tensor<i1>\n}\n%l = stablehlo.or %3#1, %2 : tensor<i1>\n",
      total_order, false },
    { "by size of integers", "s",
      "%1 = stablehlo.abs %a : tensor<T>\n%2 = stablehlo.abs %b : tensor<T>\n"
      "%l = stablehlo.compare LT, %1, %2 : (tensor<T>, tensor<T>) -> tensor<i1>\n",
      sizes, false },
};

static const struct { const char *name, *kind, *nan; double low, high; } dtypes[] = {
    { "i1", "i", "", 0, 1 }, { "i8", "is", "", -99, 99 }, { "ui8", "i", "", 0, 255 }, { "i16", "is", "", -900, 900 }, { "ui16", "i", "", 0, 60000 },
    { "i32", "is", "", -20, 20 }, { "ui32", "i", "", 0, 4e9 }, { "i64", "is", "", -9e15, 9e15 }, { "ui64", "i", "", 0, 9e15 },
    { "i4", "is", "", -7, 7 }, { "ui4", "i", "", 0, 15 }, { "f16", "f", "0x7E00", -30, 30 }, { "bf16", "f", "0x7FC0", -30, 30 }, { "f32", "f", "0x7FC00000", -30, 30 }, { "f64", "f", "0x7FF8000000000000", -30, 30 },
    { "f8E5M2", "f", "0x7E", -30, 30 }, { "f8E4M3FN", "f", "0x7F", -30, 30 },
};

static void put(text *t, const char *s, const char *dtype, const char *nan) {
    for (; *s; s++) {
        if (*s == 'T' && (s[1] == '>' || s[-1] == '<')) text_add(t, "%s", dtype);
        else if (!strncmp(s, "NAN", 3)) text_add(t, "%s", nan), s += 2;
        else text_add(t, "%c", *s);
    }
}

static double random_value(weft_rng *r, uint32_t type) {
    static const double special[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 1, -1 };
    if (dtypes[type].kind[0] == 'f' && weft_rng_range(r, 0, 3) == 0) return special[weft_rng_range(r, 0, 7)];
    return floor(dtypes[type].low + weft_rng_unit(r) * (dtypes[type].high - dtypes[type].low + 1));
}

static void tensor(text *t, uint32_t rank, const int64_t *dims, const char *dtype) {
    text_add(t, "tensor<");
    text_type(t, rank, dims, dtype);
    text_add(t, ">");
}

typedef struct case_of { uint32_t type, rank; int64_t dims[3], dim; const comparator *how; bool written; } case_of;

static case_of random_case(weft_rng *r, uint32_t i) {
    static const int64_t lengths[] = { 1, 2, 7, 48, 49, 70, 300, 1500, 0 };
    case_of c = { .type = i % WEFT_COUNT(dtypes), .rank = 1 + (uint32_t)weft_rng_range(r, 0, 2) };
    c.dim = weft_rng_range(r, 0, c.rank - 1);
    for (uint32_t d = 0; d < c.rank; d++)
        c.dims[d] = d == c.dim ? lengths[weft_rng_range(r, 0, 8)] : weft_rng_range(r, 1, 4);
    do c.how = &comparators[weft_rng_range(r, 0, WEFT_COUNT(comparators) - 1)];
    while (!strpbrk(dtypes[c.type].kind, c.how->dtypes) ||
           (c.how->dtypes[0] == 's' && !strchr(dtypes[c.type].kind, 's')));
    c.written = weft_rng_range(r, 0, 1); /* dimension as a negative number */
    return c;
}

static void write_program(text *t, const case_of *c) {
    const char *dtype = dtypes[c->type].name;
    text_add(t, "func.func @main(%%x: ");
    tensor(t, c->rank, c->dims, dtype);
    text_add(t, ") -> (");
    tensor(t, c->rank, c->dims, dtype);
    text_add(t, ", ");
    tensor(t, c->rank, c->dims, "i32");
    text_add(t, ") {\n%%i = stablehlo.iota dim = %lld : ", (long long)c->dim);
    tensor(t, c->rank, c->dims, "i32");
    text_add(t, "\n%%r:2 = \"stablehlo.sort\"(%%x, %%i) ({\n");
    put(t, "^bb0(%a: tensor<T>, %b: tensor<T>, %c: tensor<i32>, %d: tensor<i32>):\n", dtype, "");
    put(t, c->how->text, dtype, dtypes[c->type].nan);
    text_add(t, "stablehlo.return %%l : tensor<i1>\n}) {dimension = %lld : i64, is_stable = true} : (",
             (long long)(c->written ? c->dim - c->rank : c->dim));
    tensor(t, c->rank, c->dims, dtype);
    text_add(t, ", ");
    tensor(t, c->rank, c->dims, "i32");
    text_add(t, ") -> (");
    tensor(t, c->rank, c->dims, dtype);
    text_add(t, ", ");
    tensor(t, c->rank, c->dims, "i32");
    text_add(t, ")\nreturn %%r#0, %%r#1 : ");
    tensor(t, c->rank, c->dims, dtype);
    text_add(t, ", ");
    tensor(t, c->rank, c->dims, "i32");
    text_add(t, "\n}\n");
}

/* Slice `first`, elements step apart: NULL when it keeps the laws, else which it breaks. */
static const char *broken(const case_of *c, const program *p, int64_t first, int64_t step) {
    const weft_dtype type = p->x->args[0].dtype;
    const int64_t n = c->dims[c->dim], size = (int64_t)weft_dtype_bytes(type);
    const char *in = p->args[0], *out = p->results[0];
    const int32_t *from = p->results[1];
    const int sign = c->how->descending ? -1 : 1;
    bool *seen = calloc((size_t)n + 1, sizeof *seen);
    const char *why = NULL;
    for (int64_t i = 0; i < n && !why; i++) {
        const int64_t at = first + i * step, k = from[at];
        if (k < 0 || k >= n || seen[k]) why = "not a permutation";
        else if (memcmp(out + at * size, in + (first + k * step) * size, (size_t)size))
            why = "operands moved differently";
        else seen[k] = true;
        if (why || !i) continue;
        const double a = weft_dtype_load(type, out + (at - step) * size), b = weft_dtype_load(type, out + at * size);
        const int order = sign * c->how->order(a, b);
        if (order > 0) why = "out of order";
        if (!order && from[at - step] > k) why = "not stable";
    }
    free(seen);
    return why;
}

START_TEST(test_sort) {
    const uint64_t seed = weft_test_seed(13000) + (uint64_t)_i;
    weft_rng r = { seed };
    const case_of c = random_case(&r, (uint32_t)_i);
    text t = { .n = 0 };
    program p;
    write_program(&t, &c);
    program_open(&p, t.v);
    const int64_t size = (int64_t)weft_dtype_bytes(p.x->args[0].dtype);
    for (int64_t i = 0; i < p.x->args[0].bytes; i += size)
        weft_dtype_store(p.x->args[0].dtype, (char *)p.args[0] + i, random_value(&r, c.type));
    program_run(&p);
    int64_t outer = 1, inner = 1;
    for (uint32_t d = 0; d < c.rank; d++)
        if (d != c.dim) *(d < c.dim ? &outer : &inner) *= c.dims[d];
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            const char *why = broken(&c, &p, o * c.dims[c.dim] * inner + i, inner);
            ck_assert_msg(!why, "seed %llu, %s, slice %lld %lld: %s\n%s", (unsigned long long)seed, c.how->name,
                          (long long)o, (long long)i, why, t.v);
        }
    program_close(&p);
}
END_TEST

/* Two keys, in the forms that frontends write them, and three operands. */
START_TEST(test_two_keys) {
    static const char *const forms[] = {
        "%1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n%2 = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "%3 = stablehlo.compare GT, %c, %d : (tensor<i64>, tensor<i64>) -> tensor<i1>\n%4 = stablehlo.and %2, %3 : tensor<i1>\n%l = stablehlo.or %1, %4 : tensor<i1>\n",
        "%1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n%2 = stablehlo.compare EQ, %b, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "%3 = stablehlo.compare LT, %d, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>\n%l = stablehlo.select %2, %3, %1 : tensor<i1>, tensor<i1>\n",
        "%1 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n%2 = stablehlo.compare NE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "%3 = stablehlo.compare LT, %d, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>\n%l = stablehlo.select %2, %1, %3 : tensor<i1>, tensor<i1>\n",
    };
    enum { N = 400 };
    weft_rng r = { weft_test_seed(14000) };
    text t = { .n = 0 };
    program p;
    text_add(
        &t,
        "func.func @main(%%x: tensor<400xi32>, %%y: tensor<400xi64>) -> (tensor<400xi32>, tensor<400xi64>, tensor<400xi16>) {\n%%i = stablehlo.iota dim = 0 : tensor<400xi16>\n"
        "%%r:3 = \"stablehlo.sort\"(%%x, %%y, %%i) ({\n^bb0(%%a: tensor<i32>, %%b: tensor<i32>, %%c: tensor<i64>, %%d: tensor<i64>, %%e: tensor<i16>, %%f: tensor<i16>):\n%s"
        "stablehlo.return %%l : tensor<i1>\n}) {dimension = 0 : i64, is_stable = true} : (tensor<400xi32>, tensor<400xi64>, tensor<400xi16>) -> (tensor<400xi32>, tensor<400xi64>, tensor<400xi16>)\n"
        "return %%r#0, %%r#1, %%r#2 : tensor<400xi32>, tensor<400xi64>, tensor<400xi16>\n}\n",
        forms[_i]);
    program_open(&p, t.v);
    int32_t *x = p.args[0], *a = p.results[0];
    int64_t *y = p.args[1], *b = p.results[1];
    const int16_t *from = p.results[2];
    for (int i = 0; i < N; i++)
        x[i] = (int32_t)weft_rng_range(&r, -4, 4), y[i] = weft_rng_range(&r, -3, 3) * INT64_C(5000000000);
    program_run(&p);
    for (int i = 0; i < N; i++) {
        ck_assert(a[i] == x[from[i]] && b[i] == y[from[i]]);
        if (!i) continue;
        const int order = a[i - 1] != a[i]   ? (a[i - 1] < a[i] ? -1 : 1)
                          : b[i - 1] != b[i] ? (b[i - 1] > b[i] ? -1 : 1)
                                             : 0;
        ck_assert_msg(order < 0 || (!order && from[i - 1] < from[i]), "element %d", i);
    }
    program_close(&p);
}
END_TEST

/* rows, n, k: few and many; the largest first, floats in total order, equal ones by index. */
static const struct { uint32_t type; int64_t rows, n, k; } tops[] = {
    { 13, 3, 50, 5 }, { 13, 1, 5000, 64 }, { 13, 1, 5000, 65 }, { 13, 2, 300, 300 }, { 13, 4, 9, 1 }, { 13, 3, 7, 0 }, { 14, 2, 2000, 700 }, { 12, 3, 400, 100 },
    { 11, 3, 400, 20 }, { 9, 2, 40, 9 }, { 10, 2, 40, 30 }, { 0, 2, 90, 70 }, { 1, 2, 300, 30 }, { 2, 2, 300, 90 }, { 5, 1, 1000, 200 }, { 7, 2, 500, 80 }, { 8, 2, 500, 10 },
    { 0, 3, 90, 7 }, { 1, 3, 90, 7 }, { 2, 3, 90, 7 }, { 3, 3, 90, 7 }, { 4, 3, 90, 7 }, { 5, 3, 900, 7 }, { 6, 3, 90, 7 }, { 11, 3, 900, 7 }, { 12, 3, 90, 7 }, { 13, 3, 900, 7 },
    { 13, 40, 16, 2 }, { 12, 40, 17, 2 }, { 11, 9, 33, 16 }, { 15, 2, 300, 20 }, { 15, 1, 3000, 70 }, { 16, 2, 300, 20 }, { 16, 1, 90, 90 },
};

START_TEST(test_top_k) {
    const int64_t n = tops[_i].n, k = tops[_i].k;
    const char *dtype = dtypes[tops[_i].type].name;
    weft_rng r = { weft_test_seed(15000) + (uint64_t)_i };
    text t = { .n = 0 };
    program p;
    char type[128];
    snprintf(type, sizeof type, "(tensor<%lldx%lldx%s>, tensor<%lldx%lldxi32>)", (long long)tops[_i].rows, (long long)k,
             dtype, (long long)tops[_i].rows, (long long)k);
    text_add(
        &t,
        "func.func @main(%%x: tensor<%lldx%lldx%s>) -> %s {\n%%v, %%i = chlo.top_k(%%x, k = %lld) : tensor<%lldx%lldx%s> -> %s\nreturn %%v, %%i : %.*s\n}\n",
        (long long)tops[_i].rows, (long long)n, dtype, type, (long long)k, (long long)tops[_i].rows, (long long)n,
        dtype, type, (int)strlen(type) - 2, type + 1);
    program_open(&p, t.v);
    const weft_dtype d = p.x->args[0].dtype;
    const int64_t size = (int64_t)weft_dtype_bytes(d);
    for (int64_t i = 0; i < p.x->args[0].bytes; i += size)
        weft_dtype_store(d, (char *)p.args[0] + i, random_value(&r, tops[_i].type));
    program_run(&p);
    for (int64_t row = 0; row < tops[_i].rows; row++) {
        const char *in = (char *)p.args[0] + row * n * size, *out = (char *)p.results[0] + row * k * size;
        const int32_t *from = (int32_t *)p.results[1] + row * k;
        for (int64_t i = 0; i < k; i++) {
            ck_assert_mem_eq(out + i * size, in + from[i] * size, (size_t)size);
            int64_t better = 0; /* elements that belong before it */
            const double v = weft_dtype_load(d, in + from[i] * size);
            for (int64_t e = 0; e < n; e++) {
                const int order = total_order(weft_dtype_load(d, in + e * size), v);
                better += order > 0 || (!order && e < from[i]);
            }
            ck_assert_int_eq(better, i);
        }
    }
    program_close(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/sort");
    TCase *tc = tcase_create("sort");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_sort, 0, 12 * (int)WEFT_COUNT(dtypes));
    tcase_add_loop_test(tc, test_two_keys, 0, 3);
    tcase_add_loop_test(tc, test_top_k, 0, (int)WEFT_COUNT(tops));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
