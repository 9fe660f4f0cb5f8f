/* dot_general of any types and dimensions against a serial reference: shapes from a seed, which is printed when they
 * fail; WEFT_SEED sets it. */
#include <math.h>
#include <stdio.h>
#include "exec/kernels/library.h"
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { RANK = 6, EACH = 14 };

/* As a tolerance: these sums are exact in f32, and the result is such a sum rounded once, as StableHLO's spec has it.
 * XLA's processors add f8 up in f16 and round that again, so that of 4096 sums of 96 products of f8E4M3FN 17 differ. */
#define ONCE (-1)

static const struct { const char *lhs, *rhs, *out, *more; double tolerance; } types[] = {
    { "f32", "f32", "f32", "", 4e-7 },
    { "f64", "f64", "f64", "", 1e-15 },
    { "f32", "f32", "f64", "", 1e-15 },
    { "f16", "f16", "f16", "", 1.0 / 2048 },
    { "f16", "f16", "f32", "", 4e-7 },
    { "bf16", "bf16", "f32", "", 4e-7 },
    { "bf16", "bf16", "bf16", "", 1.0 / 256 },
    { "f8E4M3FN", "f8E5M2", "f32", "", 4e-7 },
    { "f8E3M4", "f8E3M4", "bf16", "", 1.0 / 256 },
    { "i8", "i8", "i8", "", 0 },
    { "i8", "i8", "i32", "", 0 },
    { "i4", "i4", "i32", "", 0 },
    { "ui8", "ui8", "ui32", "", 0 },
    { "i16", "i16", "i16", "", 0 },
    { "i32", "i32", "i32", "", 0 },
    { "ui64", "ui64", "ui64", "", 0 },
    { "i1", "i1", "i1", "", 0 },
    { "complex<f32>", "complex<f32>", "complex<f32>", "", 4e-7 },
    { "complex<f64>", "complex<f64>", "complex<f64>", "", 1e-15 },
#define ALGORITHM(l, r, a, n) \
    ", algorithm = <lhs_precision_type = " l ", rhs_precision_type = " r ", accumulation_type = " a \
    ", lhs_component_count = 1, rhs_component_count = 1," \
    " num_primitive_operations = " #n ", allow_imprecise_accumulation = false>"
    { "f32", "f32", "f32", ALGORITHM("f64", "f64", "f64", 1), 6e-8 },
    { "f32", "f32", "f32", ALGORITHM("bf16", "bf16", "f32", 1), 4e-7 },
    { "f32", "f32", "f32", ALGORITHM("bf16", "bf16", "f32", 6), 4e-7 },
    { "f32", "f32", "f32", ALGORITHM("tf32", "tf32", "f32", 3), 4e-7 },
    { "f32", "f32", "f32", ", precision = [HIGHEST, HIGHEST]", 4e-7 },
    { "f16", "f16", "f16", ALGORITHM("f16", "f16", "f16", 1), 1.0 / 2048 },
    { "f8E4M3FN", "f8E4M3FN", "f8E4M3FN", "", ONCE },
    { "f8E5M2", "f8E5M2", "f8E5M2", "", ONCE },
    { "f8E4M3FN", "f8E5M2", "f8E3M4", "", ONCE },
    { "bf16", "bf16", "bf16", "", ONCE },
    { "f16", "f16", "f16", "", ONCE },
};

/* Dimension d of each operand: which of batch, contracted, free it is. parts[side][kind] are its dimensions, in order.
 */
typedef enum kind { BATCH, CONTRACT, FREE, KINDS } kind;
typedef struct product {
    int count[2][KINDS], rank[2], out_rank;
    int64_t part[2][KINDS][RANK], dims[2][RANK], out[2 * RANK];
} product;

/* Sizes beside those of a library's tiles. */
static int64_t edge(weft_rng *r) {
    return (16 << weft_rng_below(r, 3)) * weft_rng_range(r, 1, 2) + weft_rng_range(r, -1, 7);
}

static product random_product(weft_rng *r) {
    product p = { .count = { { 0 } } };
    const bool edges = weft_rng_chance(r, 0.15);
    const int64_t most = weft_rng_chance(r, 0.25) ? 40 : 6, zero = weft_rng_chance(r, 0.06);
    p.count[0][BATCH] = p.count[1][BATCH] = (int)weft_rng_below(r, edges ? 2 : 3);
    p.count[0][CONTRACT] = p.count[1][CONTRACT] = weft_rng_chance(r, 0.75) || edges ? 1 : (int)weft_rng_below(r, 3);
    for (int s = 0; s < 2; s++) p.count[s][FREE] = edges ? 1 : (int)weft_rng_below(r, 3);
    /* vectors by vectors: of many, rows are added up */
    const int64_t wide = p.count[0][FREE] || p.count[1][FREE] || weft_rng_chance(r, 0.5) ? 3 : 120;
    int64_t size[KINDS][RANK];
    for (int s = 0; s < 2; s++) {
        int order[RANK], at = 0;
        for (int k = 0; k < KINDS; k++) p.rank[s] += p.count[s][k];
        for (int i = 0; i < p.rank[s]; i++) order[i] = i;
        for (int i = p.rank[s]; i > 1; i--) {
            const int k = (int)weft_rng_below(r, (uint32_t)i), x = order[i - 1];
            order[i - 1] = order[k], order[k] = x;
        }
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < p.count[s][k]; i++) {
                if (s == 0 || k == FREE)
                    size[k][i] = edges && k != BATCH ? edge(r) : weft_rng_range(r, !zero, k == BATCH ? wide : most);
                p.part[s][k][i] = order[at];
                p.dims[s][order[at++]] = size[k][i];
            }
        /* free dimensions count in the order in which they stand */
        for (int i = 0; i < p.count[s][FREE]; i++)
            for (int j = i + 1; j < p.count[s][FREE]; j++)
                if (p.part[s][FREE][j] < p.part[s][FREE][i]) {
                    const int64_t x = p.part[s][FREE][i];
                    p.part[s][FREE][i] = p.part[s][FREE][j], p.part[s][FREE][j] = x;
                }
    }
    for (int i = 0; i < p.count[0][BATCH]; i++) p.out[p.out_rank++] = p.dims[0][p.part[0][BATCH][i]];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < p.count[s][FREE]; i++) p.out[p.out_rank++] = p.dims[s][p.part[s][FREE][i]];
    return p;
}

static void put_type(char **p, int rank, const int64_t *dims, const char *element) {
    *p += sprintf(*p, "tensor<");
    for (int d = 0; d < rank; d++) *p += sprintf(*p, "%lldx", (long long)dims[d]);
    *p += sprintf(*p, "%s>", element);
}

static void put_pair(char **p, const product *x, const char *name, kind k) {
    *p += sprintf(*p, ", %s = ", name);
    for (int s = 0; s < 2; s++) {
        *p += sprintf(*p, s ? " x [" : "[");
        for (int i = 0; i < x->count[s][k]; i++)
            *p += sprintf(*p, "%s%lld", i ? ", " : "", (long long)x->part[s][k][i]);
        *p += sprintf(*p, "]");
    }
}

static void text_of(const product *x, int t, char *p) {
    p += sprintf(p, "func.func @main(%%a: ");
    put_type(&p, x->rank[0], x->dims[0], types[t].lhs), p += sprintf(p, ", %%b: "),
        put_type(&p, x->rank[1], x->dims[1], types[t].rhs);
    p += sprintf(p, ") -> "), put_type(&p, x->out_rank, x->out, types[t].out),
        p += sprintf(p, " {\n%%r = stablehlo.dot_general %%a, %%b");
    put_pair(&p, x, "batching_dims", BATCH), put_pair(&p, x, "contracting_dims", CONTRACT);
    p += sprintf(p, "%s : (", types[t].more), put_type(&p, x->rank[0], x->dims[0], types[t].lhs), p += sprintf(p, ", ");
    put_type(&p, x->rank[1], x->dims[1], types[t].rhs), p += sprintf(p, ") -> "),
        put_type(&p, x->out_rank, x->out, types[t].out);
    p += sprintf(p, "\nreturn %%r : "), put_type(&p, x->out_rank, x->out, types[t].out), sprintf(p, "\n}\n");
}

static void fill(weft_dtype t, void *p, int64_t bytes, weft_rng *r) {
    const weft_dtype part = weft_dtype_part(t);
    const int64_t size = (int64_t)weft_dtype_bytes(part);
    const bool integers = weft_dtype_is_integer(t);
    for (int64_t i = 0; i < bytes; i += size) {
        uint64_t bits = weft_rng_next(r);
        if (integers && weft_dtype_of(t)->bits >= 8) memcpy((char *)p + i, &bits, (size_t)size);
        else
            weft_dtype_store(part, (char *)p + i,
                             t == WEFT_I1 ? (double)(bits & 1)
                             : integers   ? (double)(bits % 16) - 8
                                          : (double)weft_rng_range(r, -64, 64) / 64);
    }
}

typedef struct sum { double re, im, size; uint64_t bits; } sum;

static uint64_t integer(weft_dtype t, const char *p) {
    uint64_t v = 0;
    /* at most 32 bits where the sign matters */
    if (weft_dtype_of(t)->kind == WEFT_KIND_INT) return (uint64_t)(int64_t)weft_dtype_load(t, p);
    for (size_t i = 0; i < weft_dtype_bytes(t); i++) v |= (uint64_t)(uint8_t)p[i] << 8 * i;
    return v;
}

static void add_product(weft_dtype l, const char *a, weft_dtype r, const char *b, sum *s) {
    if (weft_dtype_is_complex(l)) {
        const weft_dtype part = weft_dtype_part(l);
        const size_t half = weft_dtype_bytes(part);
        const double ar = weft_dtype_load(part, a), ai = weft_dtype_load(part, a + half), br = weft_dtype_load(part, b),
                     bi = weft_dtype_load(part, b + half);
        s->re += ar * br - ai * bi;
        s->im += ar * bi + ai * br;
        s->size += fabs(ar * br) + fabs(ai * bi) + fabs(ar * bi) + fabs(ai * br);
    } else if (weft_dtype_is_float(l)) {
        const double p = weft_dtype_load(l, a) * weft_dtype_load(r, b);
        s->re += p;
        s->size += fabs(p);
    } else if (l == WEFT_I1) s->bits |= *a && *b;
    else s->bits += integer(l, a) * integer(r, b);
}

static bool next(int n, const int64_t *dims, int64_t *i) {
    for (int d = n; d-- > 0; i[d] = 0)
        if (++i[d] < dims[d]) return true;
    return false;
}

/* Linear in out and k, so that places of the terms of a sum are the same from one element to the next. */
static int64_t number(const product *x, int s, const int64_t *out, const int64_t *k) {
    int64_t index[RANK] = { 0 }, n = 0;
    const int64_t *free = out + x->count[0][BATCH] + (s ? x->count[0][FREE] : 0);
    for (int i = 0; i < x->count[s][BATCH]; i++) index[x->part[s][BATCH][i]] = out[i];
    for (int i = 0; i < x->count[s][FREE]; i++) index[x->part[s][FREE][i]] = free[i];
    for (int i = 0; i < x->count[s][CONTRACT]; i++) index[x->part[s][CONTRACT][i]] = k[i];
    for (int d = 0; d < x->rank[s]; d++) n = n * x->dims[s][d] + index[d];
    return n;
}

static bool good(int t, weft_dtype out, const sum *s, const char *p) {
    const weft_dtype part = weft_dtype_part(out);
    const double most = types[t].tolerance * s->size;
    if (!weft_dtype_is_float(part)) return !memcmp(&s->bits, p, weft_dtype_bytes(out));
    if (types[t].tolerance == ONCE) {
        char want[16];
        weft_dtype_store(part, want, s->re);
        return weft_dtype_load(part, want) >= weft_dtype_load(part, p) &&
               weft_dtype_load(part, want) <= weft_dtype_load(part, p);
    }
    if (!(fabs(weft_dtype_load(part, p) - s->re) <= most)) return false;
    return !weft_dtype_is_complex(out) || fabs(weft_dtype_load(part, p + weft_dtype_bytes(part)) - s->im) <= most;
}

static int64_t differing(const product *x, int t, const weft_executable *e, void *const *args, const char *got) {
    const weft_dtype l = e->args[0].dtype, r = e->args[1].dtype, out = e->results[0].dtype;
    int64_t i[2 * RANK] = { 0 }, k[RANK] = { 0 }, terms[RANK], count = 1, bad = 0, at = 0;
    for (int d = 0; d < x->count[0][CONTRACT]; d++) count *= terms[d] = x->dims[0][x->part[0][CONTRACT][d]];
    if (!e->results[0].bytes) return 0;
    int64_t *places = walk_buffer((size_t)count * 2 * sizeof *places), none[2 * RANK] = { 0 };
    for (int64_t n = 0; n < count; n++, next(x->count[0][CONTRACT], terms, k))
        for (int s = 0; s < 2; s++) places[2 * n + s] = number(x, s, none, k) * (int64_t)weft_dtype_bytes(s ? r : l);
    do {
        const char *a = (const char *)args[0] + number(x, 0, i, none) * (int64_t)weft_dtype_bytes(l);
        const char *b = (const char *)args[1] + number(x, 1, i, none) * (int64_t)weft_dtype_bytes(r);
        sum s = { 0 };
        for (int64_t n = 0; n < count; n++) add_product(l, a + places[2 * n], r, b + places[2 * n + 1], &s);
        bad += !good(t, out, &s, got + at++ * (int64_t)weft_dtype_bytes(out));
    } while (next(x->out_rank, x->out, i));
    free(places);
    return bad;
}

static void check_product(int t, uint64_t seed, product x, weft_rng r) {
    char text[4096];
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_executable *e = NULL;
    text_of(&x, t, text);
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, NULL, &e);
    const weft_diag *d = st == WEFT_OK ? NULL : weft_context_diag(cx, 0);
    ck_assert_msg(st == WEFT_OK, "seed %llu: %s\n%s", (unsigned long long)seed, d ? d->message : "?", text);
    void *args[2] = { walk_buffer((size_t)e->args[0].bytes), walk_buffer((size_t)e->args[1].bytes) };
    void *result = walk_buffer((size_t)e->results[0].bytes);
    for (int i = 0; i < 2; i++) fill(e->args[i].dtype, args[i], e->args[i].bytes, &r);
    memset(result, 0x55, (size_t)e->results[0].bytes);
    ck_assert_int_eq(walk_run(e, args, &result, NULL), WEFT_OK);
    const int64_t bad = differing(&x, t, e, args, result);
    ck_assert_msg(!bad, "seed %llu: %lld elements differ\n%s", (unsigned long long)seed, (long long)bad, text);
    for (int i = 0; i < 2; i++) free(args[i]);
    free(result);
    weft_executable_free(e);
    weft_module_free(m);
    weft_context_free(cx);
}

static void check(int t, uint64_t seed) {
    weft_rng r = { seed };
    const product x = random_product(&r);
    check_product(t, seed, x, r);
}

START_TEST(test_type) {
    const char *text = getenv("WEFT_SEED");
    const uint64_t first = text ? strtoull(text, NULL, 0) : 7100 + 100 * (uint64_t)_i;
    for (uint64_t seed = first; seed < first + (text ? 1 : (uint64_t)weft_test_sample(EACH)); seed++) check(_i, seed);
}
END_TEST

/* oneDNN 2.6 ended the process on processors with AMX. */
START_TEST(test_tiles) {
    const product x = { .count = { { 0, 1, 1 }, { 0, 1, 1 } }, .rank = { 2, 2 }, .out_rank = 2,
                        .part = { { { 0 }, { 1 }, { 0 } }, { { 0 }, { 0 }, { 1 } } },
                        .dims = { { 70, 63 }, { 63, 17 } }, .out = { 70, 17 } };
    check_product(_i, 1, x, (weft_rng){ 1 });
}
END_TEST

/* A vector and a matrix that lies by rows of so many elements that their sums would not stay in a cache is oneDNN's own
 * code. As one column of a matrix written by columns it was left to the reference, 500 times slower. */
static const struct { const char *lhs, *rhs, *out; int contracted; } vectors[] = {
    { "1x70", "70x9000", "1x9000", 1 }, { "70x9000", "70x1", "9000x1", 0 }, { "70x1", "70x9000", "1x9000", 0 },
};

static bool is_product(const weft_step *s) { return s->code.kernel && !strcmp(s->code.kernel, "product"); }

START_TEST(test_vector) {
    char text[512];
    weft_context *cx = weft_context_new(NULL);
    weft_executable *e = NULL;
    uint32_t products = 0;
    const char *l = vectors[_i].lhs, *r = vectors[_i].rhs, *out = vectors[_i].out;
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: tensor<%sxf32>, %%b: tensor<%sxf32>) -> tensor<%sxf32> {\n%%r = stablehlo.dot_general %%a, %%b, contracting_dims = [%d] x [0]"
        " : (tensor<%sxf32>, tensor<%sxf32>) -> tensor<%sxf32>\nreturn %%r : tensor<%sxf32>\n}\n",
        l, r, out, vectors[_i].contracted, l, r, out, out);
    ck_assert_int_eq(walk_compile(cx, text, NULL, &e), WEFT_OK);
    for (uint32_t i = 0; i < e->step_count; i++) {
        weft_library *made = NULL;
        if (!is_product(&e->steps[i])) continue;
        products++;
        ck_assert_int_eq(weft_library_matmul(cx, e->steps[i].code.state, &weft_loc_unknown, &made), WEFT_OK);
        ck_assert_msg(!weft_library_is_reference(made), "%s times %s is left to the reference", l, r);
        weft_library_free(made);
    }
    ck_assert_uint_eq(products, 1);
    weft_executable_free(e);
    weft_context_free(cx);
}
END_TEST

/* Shorter rows are added up in a loop nest. lhs is the vector; [k] or [k0, k1] is contracted. */
static const struct { const char *lhs, *rhs, *dims, *out; int64_t k, n; } rows[] = {
    { "700", "700x300", "[0] x [0]", "300", 700, 300 },
    { "1x700", "700x64", "[1] x [0]", "1x64", 700, 64 },
    { "20x35", "20x35x101", "[0, 1] x [0, 1]", "101", 700, 101 },
    { "700x1", "700x8x16", "[0] x [0]", "1x8x16", 700, 128 },
};
static const struct {
    const char *name;
    weft_dtype t;
    double most;
} row_types[] = { { "f32", WEFT_F32, 1e-5 }, { "f64", WEFT_F64, 1e-14 }, { "bf16", WEFT_BF16, 1e-2 } };

START_TEST(test_rows) {
    char text[512];
    const int64_t k = rows[_i].k, n = rows[_i].n;
    for (size_t y = 0; y < WEFT_COUNT(row_types); y++) {
        const weft_dtype t = row_types[y].t;
        const size_t size = weft_dtype_bytes(t);
        const char *name = row_types[y].name;
        weft_context *cx = weft_context_new(NULL);
        weft_executable *e = NULL;
        weft_rng r = { weft_test_seed(77 + (uint64_t)_i) };
        snprintf(
            text, sizeof text,
            "func.func @main(%%a: tensor<%sx%s>, %%b: tensor<%sx%s>) -> tensor<%sx%s> {\n%%r = stablehlo.dot_general %%a, %%b, contracting_dims = %s"
            " : (tensor<%sx%s>, tensor<%sx%s>) -> tensor<%sx%s>\nreturn %%r : tensor<%sx%s>\n}\n",
            rows[_i].lhs, name, rows[_i].rhs, name, rows[_i].out, name, rows[_i].dims, rows[_i].lhs, name, rows[_i].rhs,
            name, rows[_i].out, name, rows[_i].out, name);
        ck_assert_int_eq(walk_compile(cx, text, NULL, &e), WEFT_OK);
        for (uint32_t i = 0; i < e->step_count; i++)
            ck_assert_msg(!is_product(&e->steps[i]), "%s times %s calls a library", rows[_i].lhs, rows[_i].rhs);
        char *a = walk_buffer((size_t)k * size), *b = walk_buffer((size_t)(k * n) * size),
             *out = walk_buffer((size_t)n * size);
        fill(t, a, k * (int64_t)size, &r), fill(t, b, k * n * (int64_t)size, &r);
        void *args[2] = { a, b }, *result = out;
        ck_assert_int_eq(walk_run(e, args, &result, NULL), WEFT_OK);
        for (int64_t j = 0; j < n; j++) {
            double want = 0, most = 0;
            for (int64_t i = 0; i < k; i++) {
                const double p =
                    weft_dtype_load(t, a + (size_t)i * size) * weft_dtype_load(t, b + (size_t)(i * n + j) * size);
                want += p, most += fabs(p);
            }
            ASSERT_EACH(fabs(weft_dtype_load(t, out + (size_t)j * size) - want) <= row_types[y].most * most, "%s: element %lld", text, (long long)j);
        }
        free(a), free(b), free(out);
        weft_executable_free(e);
        weft_context_free(cx);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/dot");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, test_type, 0, WEFT_COUNT(types));
    tcase_add_loop_test(tc, test_tiles, 0, WEFT_COUNT(types));
    tcase_add_loop_test(tc, test_vector, 0, WEFT_COUNT(vectors));
    tcase_add_loop_test(tc, test_rows, 0, WEFT_COUNT(rows));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
