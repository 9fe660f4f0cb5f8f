/* library_parts.c: the kernels "product" and "convolution": lists of oneDNN primitives, one for each part that a thread
 * of the device may do.
 *
 * A product is split along a batch dimension, else along the longer of its rows and columns; a convolution along its
 * batch. What is summed up stays together, so each element of the result is one part's. Parts run at the same time, so
 * each has scratch memory of its own.
 *
 * Rows of a matrix in memory by rows are a matrix without gaps, columns of it are not, and oneDNN 2 has its code for
 * AVX-512 for the former only; columns whose rows are whole pages apart are then BLAS's (dnn_blas.h), which copies as
 * long as it multiplies where the product has few rows. So such a product is split along its rows where that keeps the
 * newer code, though all threads then read all of its right operand: up to a few MB that gains, later it loses. Two
 * threads of an EPYC with AVX-512, oneDNN 2.6.3, columns and rows, ms: 32 x 256 x 1024 0.138 and 0.107,
 * 128 x 256 x 1024 0.465 and 0.325, 32 x 1024 x 1024 0.49 and 0.42, 32 x 512 x 4096 0.83 and 0.81, 32 x 1024 x 4096 1.7
 * and 2.2. Of other strides columns are as fast or faster: 48 x 300 x 700 0.114 and 0.147.
 */
#include "base/context.h"
#include "exec/kernels/kernels.h"
#include "exec/kernels/library.h"

/* Of a part: some of oneDNN's tiles each way. FEW_ROWS: one tile, where columns are BLAS's. SHARED_BYTES: of what all
 * parts may read then. */
enum { LEAST_ROWS = 32, LEAST_COLUMNS = 64, FEW_ROWS = 16, SHARED_BYTES = 4 << 20 };

typedef struct parts {
    weft_allocator alloc;
    int count, made;
    weft_library *part[];
} parts;

static size_t bytes_of(int count) { return sizeof(parts) + (size_t)count * sizeof(weft_library *); }

static void free_parts(void *prepared) {
    parts *p = prepared;
    for (int i = 0; i < p->made; i++) weft_library_free(p->part[i]);
    p->alloc.resize(p->alloc.user, p, bytes_of(p->count), 0);
}

typedef weft_status make_part(weft_context *cx, const void *task, int parts, int part, const weft_loc *loc,
                              weft_library **out);

static weft_status make_parts(weft_context *cx, const void *task, int count, make_part *make, const weft_loc *loc,
                              void **out) {
    parts *p = cx->alloc.resize(cx->alloc.user, NULL, 0, bytes_of(count));
    if (!p) return weft_oom();
    p->alloc = cx->alloc;
    p->count = count;
    p->made = 0;
    weft_status st = WEFT_OK;
    while (p->made < count && (st = make(cx, task, count, p->made, loc, &p->part[p->made])) == WEFT_OK) p->made++;
    if (st == WEFT_OK) *out = p;
    else free_parts(p);
    return st;
}

const weft_library *weft_library_part(const void *prepared, int i) { return ((const parts *)prepared)->part[i]; }

static int64_t grains(const void *prepared) { return ((const parts *)prepared)->count; }

static weft_status run(const void *state, void *const *buffers, const weft_run_env *env) {
    const parts *p = state;
    weft_status st = WEFT_OK;
    for (int64_t i = env->first_grain; i < env->end_grain && i < p->count && st == WEFT_OK; i++)
        st = weft_library_run(p->part[i], buffers);
    return st;
}

/* ---- products ---- */

/* Where a product is split: batch dimension number `dim`, or its rows or columns. */
typedef struct division { enum { ALONG_BATCH, ALONG_ROWS, ALONG_COLUMNS } along; int64_t dim, size, step; } division;

static division division_of(const weft_matmul *m, int parts) {
    for (int64_t d = 0; d < m->batch_rank; d++)
        if (m->batch[d] >= parts) return (division){ ALONG_BATCH, d, m->batch[d], 1 };
    if (m->m >= m->n) return (division){ ALONG_ROWS, 0, m->m, LEAST_ROWS };
    return (division){ ALONG_COLUMNS, 0, m->n, LEAST_COLUMNS };
}

static int64_t begin_of(const division *c, int parts, int part) {
    return part == parts ? c->size : c->size / c->step * part / parts * c->step;
}

static int parts_of(const division *c, int wanted) {
    return (int)weft_max_i64(weft_min_i64(wanted, c->size / c->step), 1);
}

typedef struct divided { const weft_matmul *m; division by; } divided;

static weft_status make_product(weft_context *cx, const void *task, int parts, int part, const weft_loc *loc,
                                weft_library **out) {
    const divided *d = task;
    const division *c = &d->by;
    weft_matmul m = *d->m;
    if (parts == 1) return weft_library_matmul(cx, &m, loc, out);
    const int64_t from = begin_of(c, parts, part), size = begin_of(c, parts, part + 1) - from;
    if (c->along == ALONG_BATCH) {
        m.batch[c->dim] = size;
        m.a.offset += from * m.a.batch[c->dim];
        m.b.offset += from * m.b.batch[c->dim];
        m.c.offset += from * m.c.batch[c->dim];
    } else if (c->along == ALONG_ROWS) {
        m.m = size;
        m.a.offset += from * m.a.row;
        m.c.offset += from * m.c.row;
    } else {
        m.n = size;
        m.b.offset += from * m.b.column;
        m.c.offset += from * m.c.column;
    }
    m.scratch_bytes = 0;
    return weft_library_matmul(cx, &m, loc, out);
}

/* Whether the first part is done by older code, and whether by BLAS. */
static weft_status look(weft_context *cx, const divided *d, int parts, const weft_loc *loc, bool *older, bool *blas) {
    weft_library *first;
    weft_status st = make_product(cx, d, parts, 0, loc, &first);
    if (st != WEFT_OK) return st;
    *older = weft_library_is_older(first), *blas = weft_library_is_blas(first);
    weft_library_free(first);
    return WEFT_OK;
}

/* By rows in place of columns that are BLAS's, where that keeps newer code. */
static weft_status choose(weft_context *cx, divided *d, int wanted, const weft_loc *loc) {
    const divided rows = { d->m, { ALONG_ROWS, 0, d->m->m, FEW_ROWS } };
    const int parts = parts_of(&d->by, wanted);
    const double shared = (double)d->m->n * (double)d->m->k * (double)weft_dtype_bytes(d->m->b.dtype);
    bool older, blas = false;
    if (d->by.along != ALONG_COLUMNS || parts < 2 || parts_of(&rows.by, wanted) < parts || shared > SHARED_BYTES)
        return WEFT_OK;
    weft_status st = look(cx, d, parts, loc, &older, &blas);
    if (st != WEFT_OK || !blas) return st;
    st = look(cx, &rows, parts, loc, &older, &blas);
    if (st == WEFT_OK && !older) *d = rows;
    return st;
}

static weft_status prepare_product(weft_context *cx, const void *state, size_t bytes, int parts, const weft_loc *loc,
                                   void **out) {
    (void)bytes;
    divided d = { state, division_of(state, parts) };
    weft_status st = choose(cx, &d, parts, loc);
    return st == WEFT_OK ? make_parts(cx, &d, parts_of(&d.by, parts), make_product, loc, out) : st;
}

/* ---- convolutions ---- */

static int convolution_parts(const weft_conv_task *c, int wanted) {
    const int64_t batch = c->kind == WEFT_CONV_WEIGHTS ? 1 : c->tensors[WEFT_LIBRARY_LHS].dims[0];
    return (int)weft_max_i64(weft_min_i64(wanted, batch), 1);
}

static weft_status make_convolution(weft_context *cx, const void *task, int parts, int part, const weft_loc *loc,
                                    weft_library **out) {
    weft_conv_task c = *(const weft_conv_task *)task;
    if (parts == 1) return weft_library_conv(cx, &c, loc, out);
    const int64_t batch = c.tensors[WEFT_LIBRARY_LHS].dims[0], from = batch * part / parts;
    weft_conv_tensor *const images[2] = { &c.tensors[WEFT_LIBRARY_LHS], &c.tensors[WEFT_LIBRARY_RESULT] };
    for (int i = 0; i < 2; i++) {
        images[i]->offset += from * images[i]->strides[0];
        images[i]->dims[0] = batch * (part + 1) / parts - from;
    }
    c.scratch_bytes = 0;
    return weft_library_conv(cx, &c, loc, out);
}

static weft_status prepare_convolution(weft_context *cx, const void *state, size_t bytes, int parts,
                                       const weft_loc *loc, void **out) {
    (void)bytes;
    return make_parts(cx, state, convolution_parts(state, parts), make_convolution, loc, out);
}

const weft_kernel weft_kernel_product = { .name = "product", .run = run, .state_bytes = sizeof(weft_matmul),
                                          .prepare = prepare_product, .release = free_parts, .grains = grains };
const weft_kernel weft_kernel_convolution = { .name = "convolution", .run = run, .state_bytes = sizeof(weft_conv_task),
                                              .prepare = prepare_convolution, .release = free_parts, .grains = grains };
