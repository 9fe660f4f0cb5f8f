/* gemm.c: see gemm.h. One kernel per type and instruction set, chosen when it runs. */
#include "codegen/gemm.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { ROWS = 8, DEPTH = 256, HIGH = 96, WIDE = 512, VECTORS = 2, LONGEST = 64 /* bytes of a vector */ };

/* How a tile meets what stands in the result. */
typedef enum meet { MEET_SET, MEET_ADD } meet;
typedef struct tile { void *c; int64_t row, column, rows, columns; meet how; } tile;
typedef void (*kernel)(int64_t k, const void *a, const void *b, const tile *t);

/* A tile of ROWS x VECTORS vectors: a holds ROWS numbers per step of k, b a row of the tile. The sums stay in registers.
 * Integers are without sign: they wrap around. */
#define KERNEL(name, number, bytes, target, add) \
    target static void name(int64_t k, const void *pa, const void *pb, const tile *t) { \
        typedef number vector __attribute__((vector_size(bytes))); \
        enum { LANES = (bytes) / (int)sizeof(number) }; \
        const number *a = pa; \
        const vector *b = pb; \
        vector s0[VECTORS] = { { 0 } }, s1[VECTORS] = { { 0 } }, s2[VECTORS] = { { 0 } }, s3[VECTORS] = { { 0 } }; \
        vector s4[VECTORS] = { { 0 } }, s5[VECTORS] = { { 0 } }, s6[VECTORS] = { { 0 } }, s7[VECTORS] = { { 0 } }; \
        for (int64_t p = 0; p < k; p++, a += ROWS, b += VECTORS) { \
            s0[0] = add(a[0], b[0], s0[0]), s0[1] = add(a[0], b[1], s0[1]), s1[0] = add(a[1], b[0], s1[0]), s1[1] = add(a[1], b[1], s1[1]); \
            s2[0] = add(a[2], b[0], s2[0]), s2[1] = add(a[2], b[1], s2[1]), s3[0] = add(a[3], b[0], s3[0]), s3[1] = add(a[3], b[1], s3[1]); \
            s4[0] = add(a[4], b[0], s4[0]), s4[1] = add(a[4], b[1], s4[1]), s5[0] = add(a[5], b[0], s5[0]), s5[1] = add(a[5], b[1], s5[1]); \
            s6[0] = add(a[6], b[0], s6[0]), s6[1] = add(a[6], b[1], s6[1]), s7[0] = add(a[7], b[0], s7[0]), s7[1] = add(a[7], b[1], s7[1]); \
        } \
        const vector *const sum[ROWS] = { s0, s1, s2, s3, s4, s5, s6, s7 }; \
        const bool whole = t->column == 1 && t->columns == VECTORS * LANES; \
        for (int64_t i = 0; whole && i < t->rows; i++) \
            for (int64_t j = 0; j < VECTORS; j++) { \
                number *c = (number *)t->c + i * t->row + j * LANES; \
                vector x = sum[i][j], old; \
                memcpy(&old, c, sizeof old); \
                if (t->how == MEET_ADD) x += old; \
                memcpy(c, &x, sizeof x); \
            } \
        for (int64_t i = 0; !whole && i < t->rows; i++) \
            for (int64_t j = 0; j < t->columns; j++) { \
                number *c = (number *)t->c + i * t->row + j * t->column; \
                const number x = sum[i][j / LANES][j % LANES]; \
                *c = t->how == MEET_ADD ? *c + x : x; \
            } \
    }

/* x y + s. ISO C forbids compilers to fuse what is written as two operations; the f64 kernels ask for it. */
#define APART(x, y, s) ((s) + (x) * (y))
#define FUSED_256(x, y, s) _mm256_fmadd_pd(_mm256_set1_pd(x), y, s)
#define FUSED_512(x, y, s) _mm512_fmadd_pd(_mm512_set1_pd(x), y, s)
KERNEL(f64_any, double, 16, , APART)
KERNEL(i32_any, uint32_t, 16, , APART)
KERNEL(i64_any, uint64_t, 16, , APART)
#if defined(__x86_64__)
KERNEL(f64_avx2, double, 32, __attribute__((target("avx2,fma"))), FUSED_256)
KERNEL(i32_avx2, uint32_t, 32, __attribute__((target("avx2"))), APART)
KERNEL(i64_avx2, uint64_t, 32, __attribute__((target("avx2"))), APART)
KERNEL(f64_avx512, double, 64, __attribute__((target("avx512f,avx512dq"))), FUSED_512)
KERNEL(i32_avx512, uint32_t, 64, __attribute__((target("avx512f,avx512dq"))), APART)
KERNEL(i64_avx512, uint64_t, 64, __attribute__((target("avx512f,avx512dq"))), APART)
#endif

typedef struct machine { kernel of[3]; int64_t vector_bytes; } machine;

static const machine any = { { f64_any, i32_any, i64_any }, 16 };
#if defined(__x86_64__)
static const machine avx2 = { { f64_avx2, i32_avx2, i64_avx2 }, 32 }, avx512 = { { f64_avx512, i32_avx512, i64_avx512 }, 64 };
#endif

static const machine *this_machine(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return &avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2;
#endif
    return &any;
}

static int kernel_of(weft_dtype t) { return t == WEFT_F64 ? 0 : t == WEFT_I32 ? 1 : t == WEFT_I64 ? 2 : -1; }
bool cg_gemm_has(weft_dtype t) { return kernel_of(t) >= 0; }

cg_gemm cg_gemm_of(const cg_matmul *m) {
    cg_gemm g;
    memset(&g, 0, sizeof g);
    g.m = *m;
    g.m.a.base = g.m.b.base = g.m.c.base = NULL; /* addresses are no part of a program */
    g.dtype = m->c.dtype;
    return g;
}

/* Of a panel of n numbers side by side, in whole tiles: those of the machine with the longest vectors, since a program's memory is the
 * same on all. */
static int64_t panel_bytes(const cg_gemm *g, int64_t n, int64_t most, int64_t tile) {
    return (weft_min_i64(n, most) + tile - 1) / tile * tile * weft_min_i64(g->m.k, DEPTH) * (int64_t)weft_dtype_bytes(g->dtype);
}

static int64_t wide_bytes(const cg_gemm *g) { return panel_bytes(g, g->m.n, WIDE, VECTORS * LONGEST / (int64_t)weft_dtype_bytes(g->dtype)); }

int64_t cg_gemm_scratch_bytes(const cg_gemm *g) { return wide_bytes(g) + panel_bytes(g, g->m.m, HIGH, ROWS); }

/* `count` rows of x, `each` side by side, over `depth` columns; missing rows are 0. A panel of `each` rows stays in the first cache while it
 * is written: four rows at a time, or along the columns where numbers lie side by side there. */
#define PACK(name, number) \
    static void name(const char *from, int64_t row, int64_t column, int64_t count, int64_t depth, int64_t each, char *to) { \
        const number *x = (const number *)from; \
        number *out = (number *)to; \
        for (int64_t r = 0; r < count; r += each, x += each * row, out += each * depth) { \
            const int64_t rows = weft_min_i64(each, count - r); \
            if (rows < each) memset(out, 0, (size_t)(each * depth) * sizeof *out); \
            if (row == 1) \
                for (int64_t p = 0; p < depth; p++) memcpy(out + p * each, x + p * column, (size_t)rows * sizeof *out); \
            else \
                for (int64_t i = 0, p; i < rows; i += 4) { \
                    const number *v = x + i * row; \
                    for (p = 0; i + 4 <= rows && p < depth; p++) \
                        for (int64_t q = 0; q < 4; q++) out[p * each + i + q] = v[q * row + p * column]; \
                    for (; i + 4 > rows && p < depth; p++) \
                        for (int64_t q = 0; i + q < rows; q++) out[p * each + i + q] = v[q * row + p * column]; \
                } \
        } \
    }
PACK(pack_4, uint32_t)
PACK(pack_8, uint64_t)

static void pack(const char *x, int64_t row, int64_t column, int64_t count, int64_t depth, int64_t each, int64_t bytes, char *out) {
    (bytes == 8 ? pack_8 : pack_4)(x, row, column, count, depth, each, out);
}

typedef struct run { const cg_gemm *g; kernel k; int64_t columns, bytes; char *a, *b, *c, *pa, *pb; } run;

static void block(const run *r, int64_t i0, int64_t rows, int64_t j0, int64_t columns, int64_t depth, meet how) {
    const cg_matrix *c = &r->g->m.c;
    for (int64_t j = 0; j < columns; j += r->columns)
        for (int64_t i = 0; i < rows; i += ROWS) {
            const tile t = { r->c + ((i0 + i) * c->row + (j0 + j) * c->column) * r->bytes, c->row, c->column,
                             weft_min_i64(ROWS, rows - i), weft_min_i64(r->columns, columns - j), how };
            r->k(depth, r->pa + i * depth * r->bytes, r->pb + j * depth * r->bytes, &t);
        }
}

static void multiply(const run *r) {
    const cg_matmul *m = &r->g->m;
    for (int64_t j = 0; j < m->n; j += WIDE)
        for (int64_t p = 0; p < m->k; p += DEPTH) {
            const int64_t columns = weft_min_i64(WIDE, m->n - j), depth = weft_min_i64(DEPTH, m->k - p);
            pack(r->b + (p * m->b.row + j * m->b.column) * r->bytes, m->b.column, m->b.row, columns, depth, r->columns, r->bytes, r->pb);
            for (int64_t i = 0; i < m->m; i += HIGH) {
                const int64_t rows = weft_min_i64(HIGH, m->m - i);
                pack(r->a + (i * m->a.row + p * m->a.column) * r->bytes, m->a.row, m->a.column, rows, depth, ROWS, r->bytes, r->pa);
                block(r, i, rows, j, columns, depth, p ? MEET_ADD : MEET_SET);
            }
        }
}

weft_status cg_gemm_run(const void *state, void *const *buffers, const weft_run_env *env) {
    const cg_gemm *g = state;
    const cg_matmul *m = &g->m;
    const machine *on = this_machine();
    run r = { .g = g, .k = on->of[kernel_of(g->dtype)], .bytes = (int64_t)weft_dtype_bytes(g->dtype) };
    int64_t index[CG_DOT_BATCH] = { 0 };
    (void)env;
    r.columns = VECTORS * on->vector_bytes / r.bytes;
    r.pb = buffers[3];
    r.pa = r.pb + wide_bytes(g);
    for (bool more = true; more;) {
        int64_t a = m->a.offset, b = m->b.offset, c = 0;
        for (uint32_t i = 0; i < m->batch_rank; i++) a += index[i] * m->a.batch[i], b += index[i] * m->b.batch[i], c += index[i] * m->c.batch[i];
        r.a = (char *)buffers[m->a.buffer] + a * r.bytes;
        r.b = (char *)buffers[m->b.buffer] + b * r.bytes;
        r.c = (char *)buffers[2] + c * r.bytes;
        multiply(&r);
        uint32_t d = m->batch_rank;
        while (d > 0 && ++index[d - 1] == m->batch[d - 1]) index[--d] = 0;
        more = d > 0;
    }
    return WEFT_OK;
}
