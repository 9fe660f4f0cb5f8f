/* scratch.c: see scratch.h.
 *
 * The numbers are of oneDNN 2.6.3 under ONEDNN_MAX_CPU_ISA=AVX2, AVX512_CORE, AVX512_CORE_BF16 and DEFAULT (AMX): of
 * 1500 products of up to 4096 by 4096 by 4096 with batches 0, 0, 1 and 6 take more, of 1000 convolutions 53, 18, 23 and
 * 50.
 */
#include "exec/step.h"
#include "exec/kernels/conv_zeros.h"
#include "exec/kernels/scratch.h"

static int64_t up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }
static int64_t aligned(int64_t bytes) { return up(bytes, WEFT_BUFFER_ALIGN); }

/* ---- products ---- */

/* Beside copies; columns of the right operand that are copied at once; bytes of a row of the left operand, and rows,
 * that are; sums of AMX's tiles. */
enum { BESIDE_F32 = 1280, BESIDE_BF16 = 5120, COLUMNS = 64, DEEP = 2048 };
enum { HIGH_F32 = 352, HIGH_BF16 = 704, SUMS = 112 << 10 };

/* Does another matrix of the batch lie between the rows of one? */
static bool is_interleaved(const weft_matmul *m, const weft_matrix *x) {
    for (int64_t i = 0; i < m->batch_rank; i++)
        if (m->batch[i] > 1 && x->batch[i] && x->batch[i] < x->row) return true;
    return false;
}

/* The right operand is copied where it lies by columns or interleaved, or its rows are so far apart that they meet in
 * the cache; the left one where it lies by columns. Of a right operand by columns that is smaller than oneDNN's copy of
 * it, product.c makes a copy by rows instead. */
static int64_t own_f32(const weft_matmul *m, int64_t batch) {
    const int64_t row = 4 * up(m->k, 16), right = aligned(4 * batch * m->k * m->n);
    int64_t n = BESIDE_F32;
    if (m->n > 1 && (m->b.column != 1 || m->b.row % 512 == 0 || is_interleaved(m, &m->b)))
        n += m->b.column != 1 && m->n % COLUMNS ? weft_min_i64(row * COLUMNS, right) : row * COLUMNS;
    if (m->m > 1 && m->a.column != 1) n += (weft_min_i64(row, DEEP) + 64) * weft_min_i64(up(m->m, 32), HIGH_F32);
    return n;
}

/* Both may be, in pairs or blocks as AVX512_BF16 and AMX read them. */
static int64_t own_bf16(const weft_matmul *m) {
    const int64_t row = 2 * up(m->k, 64), rows = up(m->m, 32);
    return BESIDE_BF16 + row * 2 * COLUMNS + weft_min_i64(row, DEEP) * weft_min_i64(rows, HIGH_BF16) +
           4 * weft_min_i64(rows * up(m->n, COLUMNS), SUMS);
}

/* Matrices of x that are not the same. */
static int64_t batch_of(const weft_matmul *m, const weft_matrix *x) {
    int64_t batch = 1;
    for (int64_t i = 0; i < m->batch_rank; i++) batch *= x->batch[i] ? m->batch[i] : 1;
    return batch;
}

int64_t weft_matmul_scratch_bytes(const weft_matmul *m) {
    const bool bf16 = m->a.dtype == WEFT_BF16, widens = bf16 && m->widens;
    const int64_t a = batch_of(m, &m->a), b = batch_of(m, &m->b), c = batch_of(m, &m->c);
    int64_t n = bf16 && !widens ? own_bf16(m) : own_f32(m, b);
    if (widens) n += aligned(4 * a * m->m * m->k) + aligned(4 * b * m->k * m->n);
    if (widens && m->c.dtype == WEFT_BF16) n += aligned(4 * c * m->m * m->n);
    return aligned(n);
}

/* ---- convolutions ---- */

enum { FEATURES = 16, BESIDE = 16 << 10 }; /* of a block, in which tensors are copied; beside copies */

typedef struct sizes { int64_t plain, blocks; } sizes; /* elements as they are, and with features rounded up */

static sizes size_of(const weft_conv_tensor *t, bool kernel) {
    sizes s = { 1, 1 };
    for (int64_t d = 0; d < t->rank; d++) {
        const bool features = d == 1 || (kernel && d == 2);
        s.plain *= t->dims[d];
        s.blocks *= features ? up(t->dims[d], FEATURES) : t->dims[d];
    }
    return s;
}

/* Features side by side are read as they lie, and written so, but in part where blocks of them are not whole. */
static bool copies_images(const weft_conv_task *c, const weft_conv_tensor *image, const weft_conv_tensor *kernel,
                          const weft_conv_tensor *output) {
    const bool whole = kernel->dims[1] % FEATURES == 0 && kernel->dims[2] % FEATURES == 0;
    if (image->strides[1] != 1 || output->strides[1] != 1) return true;
    if (c->kind == WEFT_CONV_WEIGHTS) return c->dtype == WEFT_BF16 || c->spatial == 3;
    return !whole && (c->kind == WEFT_CONV_DATA || c->dtype == WEFT_BF16);
}

int64_t weft_conv_scratch_bytes(const weft_conv_task *c) {
    static const uint8_t roles[][3] = {
        [WEFT_CONV_FORWARD] = { 0, 1, 2 }, [WEFT_CONV_DATA] = { 2, 1, 0 }, [WEFT_CONV_WEIGHTS] = { 0, 2, 1 }
    };
    const weft_conv_tensor *image = &c->tensors[roles[c->kind][0]], *kernel = &c->tensors[roles[c->kind][1]],
                           *output = &c->tensors[roles[c->kind][2]];
    /* What oneDNN cannot count is only planned, and finding its zeros would take minutes. */
    for (uint32_t t = 0; t < 3; t++)
        for (int64_t d = 0; d < c->tensors[t].rank; d++)
            if (c->tensors[t].dims[d] > INT32_MAX) return 0;
    const sizes i = size_of(image, false), k = size_of(kernel, true), o = size_of(output, false);
    const int64_t times = c->widens ? 2 : 1; /* copied as f32, then to blocks */
    int64_t n = BESIDE + aligned(weft_conv_zeros_room(c)) + 4 * k.blocks * (c->kind == WEFT_CONV_WEIGHTS ? 2 : times);
    if (copies_images(c, image, kernel, output)) n += 4 * times * (i.blocks + o.blocks);
    else if (c->widens) n += 4 * (i.plain + o.plain);
    return aligned(n);
}
