/* gemm.c: see gemm.h. One kernel per type and instruction set, chosen when it runs. */
#include "exec/kernels/gemm.h"
#include "exec/kernels/kernels.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { ROWS = 8, FEWER_ROWS = 6, /* of a tile, with 32 registers and with 16 */
       DEPTH = 256, HIGH = 96, WIDE = 512, VECTORS = 2, LONGEST = 64, /* bytes of a vector */
       GRAIN = 48 /* rows of a product that a thread may do: whole tiles of both kinds */ };

/* A tile's rows of the left operand, in a panel or where they lie: number p of row i is at base[row[i] + column[p]]. */
typedef struct left { const void *base; int64_t row[ROWS]; const int64_t *column; } left;

/* How a tile meets what stands in the result. */
typedef enum meet { MEET_SET, MEET_ADD } meet;
typedef struct tile { void *c; int64_t row, column, rows, columns; meet how; } tile;
typedef void (*kernel)(int64_t k, const left *a, const void *b, const tile *t);

/* A tile's sums meet what stands in the result. */
#define MEET(number, vector) \
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
        }

/* A tile of some rows x VECTORS vectors: b holds a row of the tile per step of k. The sums stay in registers: eight
 * rows where there are 32, six where there are 16 (eight took 1.5 times as long by AVX2, as sums went through memory).
 * Integers are without sign: they wrap around. */
#define KERNEL_16(name, number, bytes, target, add) \
    target static void name(int64_t k, const left *a, const void *pb, const tile *t) { \
        typedef number vector __attribute__((vector_size(bytes))); \
        enum { LANES = (bytes) / (int)sizeof(number) }; \
        const number *const base = a->base, *const r0 = base + a->row[0], *const r1 = base + a->row[1], \
                            *const r2 = base + a->row[2], *const r3 = base + a->row[3], *const r4 = base + a->row[4], \
                            *const r5 = base + a->row[5]; \
        const vector *b = pb; \
        vector s0[VECTORS] = { { 0 } }, s1[VECTORS] = { { 0 } }, s2[VECTORS] = { { 0 } }; \
        vector s3[VECTORS] = { { 0 } }, s4[VECTORS] = { { 0 } }, s5[VECTORS] = { { 0 } }; \
        for (int64_t p = 0; p < k; p++, b += VECTORS) { \
            const int64_t at = a->column[p]; \
            s0[0] = add(r0[at], b[0], s0[0]), s0[1] = add(r0[at], b[1], s0[1]), s1[0] = add(r1[at], b[0], s1[0]), \
            s1[1] = add(r1[at], b[1], s1[1]); \
            s2[0] = add(r2[at], b[0], s2[0]), s2[1] = add(r2[at], b[1], s2[1]), s3[0] = add(r3[at], b[0], s3[0]), \
            s3[1] = add(r3[at], b[1], s3[1]); \
            s4[0] = add(r4[at], b[0], s4[0]), s4[1] = add(r4[at], b[1], s4[1]), s5[0] = add(r5[at], b[0], s5[0]), \
            s5[1] = add(r5[at], b[1], s5[1]); \
        } \
        const vector *const sum[] = { s0, s1, s2, s3, s4, s5 }; \
        MEET(number, vector) \
    }

#define KERNEL_32(name, number, bytes, target, add) \
    target static void name(int64_t k, const left *a, const void *pb, const tile *t) { \
        typedef number vector __attribute__((vector_size(bytes))); \
        enum { LANES = (bytes) / (int)sizeof(number) }; \
        const number *const base = a->base, *const r0 = base + a->row[0], *const r1 = base + a->row[1], \
                            *const r2 = base + a->row[2]; \
        const number *const r3 = base + a->row[3], *const r4 = base + a->row[4], *const r5 = base + a->row[5]; \
        const number *const r6 = base + a->row[6], *const r7 = base + a->row[7]; \
        const vector *b = pb; \
        vector s0[VECTORS] = { { 0 } }, s1[VECTORS] = { { 0 } }, s2[VECTORS] = { { 0 } }, s3[VECTORS] = { { 0 } }; \
        vector s4[VECTORS] = { { 0 } }, s5[VECTORS] = { { 0 } }, s6[VECTORS] = { { 0 } }, s7[VECTORS] = { { 0 } }; \
        for (int64_t p = 0; p < k; p++, b += VECTORS) { \
            const int64_t at = a->column[p]; \
            s0[0] = add(r0[at], b[0], s0[0]), s0[1] = add(r0[at], b[1], s0[1]), s1[0] = add(r1[at], b[0], s1[0]), \
            s1[1] = add(r1[at], b[1], s1[1]); \
            s2[0] = add(r2[at], b[0], s2[0]), s2[1] = add(r2[at], b[1], s2[1]), s3[0] = add(r3[at], b[0], s3[0]), \
            s3[1] = add(r3[at], b[1], s3[1]); \
            s4[0] = add(r4[at], b[0], s4[0]), s4[1] = add(r4[at], b[1], s4[1]), s5[0] = add(r5[at], b[0], s5[0]), \
            s5[1] = add(r5[at], b[1], s5[1]); \
            s6[0] = add(r6[at], b[0], s6[0]), s6[1] = add(r6[at], b[1], s6[1]), s7[0] = add(r7[at], b[0], s7[0]), \
            s7[1] = add(r7[at], b[1], s7[1]); \
        } \
        const vector *const sum[] = { s0, s1, s2, s3, s4, s5, s6, s7 }; \
        MEET(number, vector) \
    }

/* x y + s. ISO C forbids compilers to fuse what is written as two operations; the f64 kernels ask for it. */
#define APART(x, y, s) ((s) + (x) * (y))
#define FUSED_256(x, y, s) _mm256_fmadd_pd(_mm256_set1_pd(x), y, s)
#define FUSED_512(x, y, s) _mm512_fmadd_pd(_mm512_set1_pd(x), y, s)
KERNEL_16(f64_any, double, 16, , APART)
KERNEL_16(i32_any, uint32_t, 16, , APART)
KERNEL_16(i64_any, uint64_t, 16, , APART)
#if defined(__x86_64__)
KERNEL_16(f64_avx2, double, 32, __attribute__((target("avx2,fma"))), FUSED_256)
KERNEL_16(i32_avx2, uint32_t, 32, __attribute__((target("avx2"))), APART)
KERNEL_16(i64_avx2, uint64_t, 32, __attribute__((target("avx2"))), APART)
KERNEL_32(f64_avx512, double, 64, __attribute__((target("avx512f,avx512dq"))), FUSED_512)
KERNEL_32(i32_avx512, uint32_t, 64, __attribute__((target("avx512f,avx512dq"))), APART)
KERNEL_32(i64_avx512, uint64_t, 64, __attribute__((target("avx512f,avx512dq"))), APART)
#endif

typedef struct machine { kernel of[3]; int64_t vector_bytes, rows; } machine;

static const machine any = { { f64_any, i32_any, i64_any }, 16, FEWER_ROWS };
#if defined(__x86_64__)
static const machine avx2 = { { f64_avx2, i32_avx2, i64_avx2 }, 32, FEWER_ROWS },
                     avx512 = { { f64_avx512, i32_avx512, i64_avx512 }, 64, ROWS };
#endif

static const machine *this_machine(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return &avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &avx2;
#endif
    return &any;
}

static int kernel_of(weft_dtype t) { return t == WEFT_F64 ? 0 : t == WEFT_I32 ? 1 : t == WEFT_I64 ? 2 : -1; }
bool weft_gemm_has(weft_dtype t) { return kernel_of(t) >= 0; }

/* Of a panel of n numbers side by side, in whole tiles: those of the machine with the longest vectors, since a
 * program's memory is the same on all. */
static int64_t panel_bytes(const weft_matmul *m, int64_t n, int64_t most, int64_t tile) {
    return (weft_min_i64(n, most) + tile - 1) / tile * tile * weft_min_i64(m->k, DEPTH) *
           (int64_t)weft_dtype_bytes(m->c.dtype);
}

static int64_t wide_bytes(const weft_matmul *m) {
    return panel_bytes(m, m->n, WIDE, VECTORS * LONGEST / (int64_t)weft_dtype_bytes(m->c.dtype));
}

int64_t weft_gemm_scratch_bytes(const weft_matmul *m) {
    return wide_bytes(m) + weft_max_i64(panel_bytes(m, m->m, HIGH, ROWS), panel_bytes(m, m->m, HIGH, FEWER_ROWS));
}

/* out[i]: where index first + i is, in elements. */
static void offsets(const weft_product_axes *x, int64_t first, int64_t count, int64_t *out) {
    int64_t digit[WEFT_PRODUCT_AXES], at = 0;
    for (uint32_t d = x->rank; d-- > 0; first /= x->size[d]) {
        digit[d] = first % x->size[d];
        at += digit[d] * x->stride[d];
    }
    for (int64_t i = 0; i < count; i++) {
        out[i] = at;
        for (uint32_t d = x->rank; d-- > 0;) {
            at += x->stride[d];
            if (++digit[d] < x->size[d]) break;
            at -= digit[d] * x->stride[d];
            digit[d] = 0;
        }
    }
}

static bool side_by_side(const int64_t *at, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (at[i] != at[0] + i) return false;
    return true;
}

/* `count` rows of x, `each` side by side, over `depth` columns; row i begins at row[i], its columns are column[]
 * further. Missing rows are 0. A panel of `each` rows stays in the first cache while it is written: four rows at a
 * time, or along the columns where rows lie side by side. */
#define PACK(name, number) \
    static void name(const char *from, const int64_t *row, const int64_t *column, int64_t count, int64_t depth, \
                     int64_t each, char *to) { \
        const number *x = (const number *)from; \
        number *out = (number *)to; \
        for (int64_t r = 0; r < count; r += each, row += each, out += each * depth) { \
            const int64_t rows = weft_min_i64(each, count - r); \
            if (rows < each) memset(out, 0, (size_t)(each * depth) * sizeof *out); \
            if (side_by_side(row, rows)) \
                for (int64_t p = 0; p < depth; p++) \
                    memcpy(out + p * each, x + row[0] + column[p], (size_t)rows * sizeof *out); \
            else \
                for (int64_t i = 0, p; i < rows; i += 4) { \
                    const number *v[4]; \
                    for (int64_t q = 0; q < 4; q++) v[q] = x + row[weft_min_i64(i + q, rows - 1)]; \
                    for (p = 0; i + 4 <= rows && p < depth; p++) \
                        for (int64_t q = 0; q < 4; q++) out[p * each + i + q] = v[q][column[p]]; \
                    for (; i + 4 > rows && p < depth; p++) \
                        for (int64_t q = 0; i + q < rows; q++) out[p * each + i + q] = v[q][column[p]]; \
                } \
        } \
    }
PACK(pack_4, uint32_t)
PACK(pack_8, uint64_t)

static void pack(const char *x, const int64_t *row, const int64_t *column, int64_t count, int64_t depth, int64_t each,
                 int64_t bytes, char *out) {
    (bytes == 8 ? pack_8 : pack_4)(x, row, column, count, depth, each, out);
}

typedef struct run {
    const weft_matmul *m;
    kernel k;
    int64_t rows, columns, bytes; /* of a tile; of a number */
    char *a, *b, *c, *pa, *pb;
    /* of what is packed or read now: where its rows begin, and its columns from there */
    int64_t across[WIDE], down[DEPTH];
    int64_t panel[DEPTH];   /* the columns of a panel of the left operand */
} run;

/* So few tiles side by side read the left operand where it lies: packing it would take longer than it saves. */
enum { FEW_TILES = 4 };
static bool reads_in_place(const run *r) { return r->m->n <= FEW_TILES * r->columns; }

/* Rows i and on of `rows`; what is past the last is that one again, and dropped. */
static left left_of(const run *r, int64_t i, int64_t rows, int64_t depth) {
    left a = { .base = r->pa + i * depth * r->bytes, .column = r->panel };
    for (int64_t q = 0; q < r->rows; q++) a.row[q] = q;
    if (!reads_in_place(r)) return a;
    a.base = r->a;
    a.column = r->down;
    for (int64_t q = 0; q < r->rows; q++) a.row[q] = r->across[weft_min_i64(i + q, rows - 1)];
    return a;
}

/* Of the result from row i0 and column j0: what is i rows and j columns further. */
typedef struct corner { int64_t i0, rows, j0, columns, depth; meet how; } corner;

static void one_tile(const run *r, const corner *b, int64_t i, int64_t j) {
    const weft_matrix *c = &r->m->c;
    const left a = left_of(r, i, b->rows, b->depth);
    const tile t = { r->c + ((b->i0 + i) * c->row + (b->j0 + j) * c->column) * r->bytes, c->row, c->column,
                     weft_min_i64(r->rows, b->rows - i), weft_min_i64(r->columns, b->columns - j), b->how };
    r->k(b->depth, &a, r->pb + j * b->depth * r->bytes, &t);
}

/* A panel of the right operand stays in the first cache while the left one's pass by; rows that are read in place stay
 * there instead. */
static void block(const run *r, const corner *b) {
    for (int64_t i = 0; reads_in_place(r) && i < b->rows; i += r->rows)
        for (int64_t j = 0; j < b->columns; j += r->columns) one_tile(r, b, i, j);
    for (int64_t j = 0; !reads_in_place(r) && j < b->columns; j += r->columns)
        for (int64_t i = 0; i < b->rows; i += r->rows) one_tile(r, b, i, j);
}

/* Rows from `first` to `end` of a product. */
static void multiply(run *r, int64_t first, int64_t end) {
    const weft_matmul *m = r->m;
    for (int64_t p = 0; p < DEPTH; p++) r->panel[p] = p * r->rows;
    for (int64_t j = 0; j < m->n; j += WIDE)
        for (int64_t p = 0; p < m->k; p += DEPTH) {
            const int64_t columns = weft_min_i64(WIDE, m->n - j), depth = weft_min_i64(DEPTH, m->k - p);
            offsets(&m->b.columns, j, columns, r->across), offsets(&m->b.rows, p, depth, r->down);
            pack(r->b, r->across, r->down, columns, depth, r->columns, r->bytes, r->pb);
            offsets(&m->a.columns, p, depth, r->down);
            for (int64_t i = first; i < end; i += HIGH) {
                const int64_t rows = weft_min_i64(HIGH, end - i);
                offsets(&m->a.rows, i, rows, r->across);
                if (!reads_in_place(r)) pack(r->a, r->across, r->down, rows, depth, r->rows, r->bytes, r->pa);
                block(r, &(corner){ i, rows, j, columns, depth, p ? MEET_ADD : MEET_SET });
            }
        }
}

/* A product of the batch. */
static void set_batch(run *r, int64_t number, void *const *buffers) {
    const weft_matmul *m = r->m;
    int64_t a = m->a.offset, b = m->b.offset, c = 0;
    for (int64_t i = m->batch_rank; i-- > 0; number /= m->batch[i]) {
        const int64_t at = number % m->batch[i];
        a += at * m->a.batch[i], b += at * m->b.batch[i], c += at * m->c.batch[i];
    }
    r->a = (char *)buffers[m->a.buffer] + a * r->bytes;
    r->b = (char *)buffers[m->b.buffer] + b * r->bytes;
    r->c = (char *)buffers[2] + c * r->bytes;
}

static int64_t batch_of(const weft_matmul *m) {
    int64_t n = 1;
    for (int64_t i = 0; i < m->batch_rank; i++) n *= m->batch[i];
    return n;
}

/* Products of a batch, or blocks of rows of one. */
static int64_t gemm_grains(const void *state) {
    const weft_matmul *m = state;
    const int64_t batch = batch_of(m);
    return batch > 1 ? batch : weft_ceil_div(m->m, GRAIN);
}

static weft_status gemm_run(const void *state, void *const *buffers, const weft_run_env *env) {
    const weft_matmul *m = state;
    const machine *on = this_machine();
    run r = { .m = m, .k = on->of[kernel_of(m->c.dtype)], .bytes = (int64_t)weft_dtype_bytes(m->c.dtype) };
    const int64_t batch = batch_of(m), first = env->first_grain, end = weft_min_i64(env->end_grain, gemm_grains(m));
    r.rows = on->rows;
    r.columns = VECTORS * on->vector_bytes / r.bytes;
    r.pb = buffers[3];
    r.pa = r.pb + wide_bytes(m);
    for (int64_t i = first; batch > 1 && i < end; i++) {
        set_batch(&r, i, buffers);
        multiply(&r, 0, m->m);
    }
    if (batch != 1) return WEFT_OK;
    set_batch(&r, 0, buffers);
    multiply(&r, first * GRAIN, weft_min_i64(end * GRAIN, m->m));
    return WEFT_OK;
}

const weft_kernel weft_kernel_gemm = { .name = "gemm", .run = gemm_run, .state_bytes = sizeof(weft_matmul),
                                       .grains = gemm_grains };
