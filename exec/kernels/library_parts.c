/* library_parts.c: the kernels "product" and "convolution": lists of oneDNN primitives, one for each part that a thread
 * of the device may do.
 *
 * A product is split along a batch dimension, else along the longer of its rows and columns; a convolution along its
 * batch. What is summed up stays together, so each element of the result is one part's. Parts run at the same time, so
 * each has scratch memory of its own.
 */
#include "base/context.h"
#include "exec/kernels/kernels.h"
#include "exec/kernels/library.h"

enum { LEAST_ROWS = 32, LEAST_COLUMNS = 64 }; /* of a part: some of oneDNN's tiles each way */

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

static int product_parts(const weft_matmul *m, int wanted) {
    const division c = division_of(m, wanted);
    return (int)weft_max_i64(weft_min_i64(wanted, c.size / c.step), 1);
}

static weft_status make_product(weft_context *cx, const void *task, int parts, int part, const weft_loc *loc,
                                weft_library **out) {
    weft_matmul m = *(const weft_matmul *)task;
    if (parts == 1) return weft_library_matmul(cx, &m, loc, out);
    const division c = division_of(&m, parts);
    const int64_t from = begin_of(&c, parts, part), size = begin_of(&c, parts, part + 1) - from;
    if (c.along == ALONG_BATCH) {
        m.batch[c.dim] = size;
        m.a.offset += from * m.a.batch[c.dim];
        m.b.offset += from * m.b.batch[c.dim];
        m.c.offset += from * m.c.batch[c.dim];
    } else if (c.along == ALONG_ROWS) {
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

static weft_status prepare_product(weft_context *cx, const void *state, size_t bytes, int parts, const weft_loc *loc,
                                   void **out) {
    (void)bytes;
    return make_parts(cx, state, product_parts(state, parts), make_product, loc, out);
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
