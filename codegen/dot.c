/* dot.c: operands of a dot_general as strided matrices.
 *
 * Views and reshapes between a dot and the memory that it reads are folded into strides where the free dimensions, and
 * the contracted ones, can each be walked with one stride and one of the two strides is 1. Otherwise the operand is
 * written out first. Our own products copy panels of their operands anyway, and do so from any strides.
 */
#include "codegen/dot.h"
#include "codegen/strided.h"
#include "exec/kernels/gemm.h"

static bool listed(weft_ints v, int64_t x) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == x) return true;
    return false;
}

/* One stride for dimensions in order, major first; false when there is none. 1 for no elements to step over. */
static bool one_stride(const cg_node *n, const int64_t *stride, const int64_t *order, uint32_t count, int64_t *out,
                       int64_t *size) {
    bool first = true;
    int64_t next = 0;
    *size = 1;
    *out = 1;
    for (uint32_t i = count; i-- > 0;) {
        int64_t d = order[i], e = n->dims[d];
        if (e == 1) continue;
        if (stride[d] <= 0 || (!first && stride[d] != next)) return false;
        if (first) *out = stride[d];
        first = false;
        next = stride[d] * e;
        *size *= e;
    }
    return true;
}

/* The dimensions of `order` as few as strides allow; false when they are too many. */
static bool axes_of(const cg_node *n, const int64_t *stride, const int64_t *order, uint32_t count,
                    weft_product_axes *out, int64_t *size) {
    out->rank = 0;
    *size = 1;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t e = n->dims[order[i]], s = stride[order[i]];
        if (e == 1) continue;
        *size *= e;
        if (out->rank && out->stride[out->rank - 1] == s * e) {
            out->size[out->rank - 1] *= e;
            out->stride[out->rank - 1] = s;
            continue;
        }
        if (out->rank == WEFT_PRODUCT_AXES) return false;
        out->size[out->rank] = e;
        out->stride[out->rank++] = s;
    }
    return true;
}

typedef struct sides {
    int64_t free_stride, contract_stride, free, contract;
    weft_product_axes free_axes, contract_axes; /* of our own products */
} sides;

static uint32_t free_dims(const cg_node *n, weft_ints batch, weft_ints contract, int64_t *out) {
    uint32_t count = 0;
    for (uint32_t d = 0; d < n->rank; d++)
        if (!listed(batch, d) && !listed(contract, d)) out[count++] = d;
    return count;
}

static bool as_matrix(const cg_node *n, const int64_t *stride, weft_ints batch, weft_ints contract, sides *s) {
    int64_t free[WEFT_MAX_RANK];
    uint32_t count = free_dims(n, batch, contract, free);
    if (batch.n > WEFT_PRODUCT_BATCH || !one_stride(n, stride, free, count, &s->free_stride, &s->free)) return false;
    if (!one_stride(n, stride, contract.v, contract.n, &s->contract_stride, &s->contract)) return false;
    for (uint32_t i = 0; i < batch.n; i++)
        if (n->dims[batch.v[i]] > 1 && stride[batch.v[i]] <= 0) return false;
    if (s->free == 1) s->free_stride = s->contract_stride * s->contract;
    else if (s->contract == 1) s->contract_stride = s->free_stride == 1 ? s->free : 1;
    if (s->free == 1 && s->contract_stride != 1) s->free_stride = 1;
    return s->free_stride == 1 || s->contract_stride == 1;
}

static bool as_axes(const cg_node *n, const int64_t *stride, weft_ints batch, weft_ints contract, sides *s) {
    int64_t free[WEFT_MAX_RANK];
    const uint32_t count = free_dims(n, batch, contract, free);
    s->free_stride = s->contract_stride = 0;
    return batch.n <= WEFT_PRODUCT_BATCH && axes_of(n, stride, free, count, &s->free_axes, &s->free) &&
           axes_of(n, stride, contract.v, contract.n, &s->contract_axes, &s->contract);
}

bool cg_dot_reads(const cg_node *x, weft_ints batch, weft_ints contract) {
    int64_t stride[WEFT_MAX_RANK];
    sides s;
    cg_row_major(x->rank, x->dims, stride);
    return as_matrix(x, stride, batch, contract, &s);
}

static weft_ints batch_of(const cg_node *dot, uint32_t i) { return i ? dot->dot.rhs_batch : dot->dot.lhs_batch; }
static weft_ints contract_of(const cg_node *dot, uint32_t i) {
    return i ? dot->dot.rhs_contract : dot->dot.lhs_contract;
}

static bool as_side(const cg_node *dot, uint32_t i, const int64_t *stride, sides *side) {
    return (weft_gemm_has((weft_dtype)dot->dtype) ? as_axes : as_matrix)(dot->in[i], stride, batch_of(dot, i),
                                                                       contract_of(dot, i), side);
}

static bool deep(const cg_node *dot, uint32_t i, cg_strided *s, sides *side) {
    return cg_follow(dot->in[i], s) && as_side(dot, i, s->stride, side);
}

cg_node *cg_dot_operand(const cg_node *dot, uint32_t i) {
    cg_strided s;
    sides side;
    return deep(dot, i, &s, &side) ? s.base : dot->in[i];
}

static weft_matrix operand(const cg_node *dot, uint32_t i, sides *side) {
    cg_strided s;
    cg_node *x = dot->in[i];
    if (!deep(dot, i, &s, side)) {
        s.base = x;
        s.offset = 0;
        cg_row_major(x->rank, x->dims, s.stride);
        as_side(dot, i, s.stride, side);
    }
    weft_matrix m = { .dtype = (weft_dtype)x->dtype, .buffer = i, .offset = s.offset };
    for (uint32_t b = 0; b < batch_of(dot, i).n; b++) m.batch[b] = s.stride[batch_of(dot, i).v[b]];
    m.row = i ? side->contract_stride : side->free_stride;
    m.column = i ? side->free_stride : side->contract_stride;
    m.rows = i ? side->contract_axes : side->free_axes;
    m.columns = i ? side->free_axes : side->contract_axes;
    return m;
}

static uint32_t lhs_free(const cg_node *dot) {
    return dot->in[0]->rank - dot->dot.lhs_batch.n - dot->dot.lhs_contract.n;
}

bool cg_dot_writes(const cg_node *dot, const int64_t *stride) {
    int64_t order[WEFT_MAX_RANK], row, column, size;
    const uint32_t first = dot->dot.lhs_batch.n, middle = first + lhs_free(dot);
    for (uint32_t d = 0; d < dot->rank; d++) order[d] = d;
    if (!one_stride(dot, stride, order + first, middle - first, &row, &size) || size == 1) return false;
    if (!one_stride(dot, stride, order + middle, dot->rank - middle, &column, &size) || size == 1) return false;
    return row == 1 || column == 1;
}

/* (a b) transposed is b transposed times a transposed. */
static void swap_sides(weft_matmul *m) {
    weft_matrix a = m->a, c = m->c;
    const int64_t rows = m->m;
    m->a = m->b;
    m->a.row = m->b.column, m->a.column = m->b.row, m->a.rows = m->b.columns, m->a.columns = m->b.rows;
    m->b = a;
    m->b.row = a.column, m->b.column = a.row, m->b.rows = a.columns, m->b.columns = a.rows;
    m->c.row = c.column, m->c.column = c.row;
    m->m = m->n;
    m->n = rows;
}

void cg_dot_matmul(const cg_node *dot, weft_matmul *out) {
    sides a = { 0 }, b = { 0 };
    memset(out, 0, sizeof *out);
    out->a = operand(dot, 0, &a);
    out->b = operand(dot, 1, &b);
    out->m = a.free;
    out->n = b.free;
    out->k = a.contract;
    out->batch_rank = dot->dot.lhs_batch.n;
    int64_t stride[WEFT_MAX_RANK];
    if (dot->strides) memcpy(stride, dot->strides, dot->rank * sizeof *stride);
    else cg_row_major(dot->rank, dot->dims, stride);
    out->c.dtype = (weft_dtype)dot->dtype;
    for (uint32_t i = 0; i < out->batch_rank; i++) {
        out->batch[i] = dot->dims[i];
        out->c.batch[i] = stride[i];
    }
    /* The last solid dimension of each side carries its stride: layouts keep a side's dimensions together. */
    uint32_t lhs = lhs_free(dot);
    out->c.row = out->n;
    out->c.column = 1;
    for (uint32_t d = out->batch_rank; d < dot->rank; d++) {
        if (dot->dims[d] == 1) continue;
        if (d < out->batch_rank + lhs) out->c.row = stride[d];
        else out->c.column = stride[d];
    }
    if (out->c.column != 1 && out->c.row == 1) swap_sides(out);
}
