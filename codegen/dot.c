/* dot.c: operands of a dot_general as strided matrices.
 *
 * Views and reshapes between a dot and the memory that it reads are folded into strides where the free dimensions, and
 * the contracted ones, can each be walked with one stride and one of the two strides is 1. Otherwise the operand is
 * written out first. Our own products copy panels of their operands anyway, and do so from any strides.
 */
#include "codegen/dot.h"
#include "codegen/strided.h"
#include "exec/kernels/gemm.h"

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

/* An operand's dimensions by what they are in the product. lifted: those that are counted as batch, which the other
 * operand does not have. */
typedef struct roles { weft_ints batch, contract; weft_bits lifted; } roles;

static uint32_t free_dims(const cg_node *n, const roles *r, int64_t *out) {
    uint32_t count = 0;
    for (uint32_t d = 0; d < n->rank; d++)
        if (!weft_ints_has(r->batch, d) && !weft_ints_has(r->contract, d) && !(r->lifted & weft_bit(d)))
            out[count++] = d;
    return count;
}

static bool steps_forward(const cg_node *n, const int64_t *stride, const roles *r) {
    for (uint32_t d = 0; d < n->rank; d++)
        if ((weft_ints_has(r->batch, d) || r->lifted & weft_bit(d)) && n->dims[d] > 1 && stride[d] <= 0) return false;
    return true;
}

static bool as_matrix(const cg_node *n, const int64_t *stride, const roles *r, sides *s) {
    int64_t free[WEFT_MAX_RANK];
    const uint32_t count = free_dims(n, r, free);
    if (r->batch.n + weft_bits_count(r->lifted) > WEFT_PRODUCT_BATCH || !steps_forward(n, stride, r)) return false;
    if (!one_stride(n, stride, free, count, &s->free_stride, &s->free)) return false;
    if (!one_stride(n, stride, r->contract.v, r->contract.n, &s->contract_stride, &s->contract)) return false;
    if (s->free == 1) s->free_stride = s->contract_stride * s->contract;
    else if (s->contract == 1) s->contract_stride = s->free_stride == 1 ? s->free : 1;
    if (s->free == 1 && s->contract_stride != 1) s->free_stride = 1;
    return s->free_stride == 1 || s->contract_stride == 1;
}

static bool as_axes(const cg_node *n, const int64_t *stride, const roles *r, sides *s) {
    int64_t free[WEFT_MAX_RANK];
    const uint32_t count = free_dims(n, r, free);
    s->free_stride = s->contract_stride = 0;
    return r->batch.n <= WEFT_PRODUCT_BATCH && axes_of(n, stride, free, count, &s->free_axes, &s->free) &&
           axes_of(n, stride, r->contract.v, r->contract.n, &s->contract_axes, &s->contract);
}

bool cg_dot_reads(const cg_node *x, weft_ints batch, weft_ints contract) {
    int64_t stride[WEFT_MAX_RANK];
    sides s;
    cg_row_major(x->rank, x->dims, stride);
    return as_matrix(x, stride, &(roles){ batch, contract, 0 }, &s);
}

bool cg_dot_follows(cg_node *x, weft_ints batch, weft_ints contract) {
    cg_strided at;
    sides s;
    return cg_follow(x, &at) && as_matrix(x, at.stride, &(roles){ batch, contract, 0 }, &s);
}

uint32_t cg_dot_columns(const cg_node *dot) { return dot->in[0]->rank - dot->dot.lhs_contract.n; }

/* The result's dimensions are batch, lhs free, rhs free: that of dimension d of operand i, which is free. */
static uint32_t result_dim(const cg_node *dot, uint32_t i, uint32_t d) {
    const weft_dot_dims *x = &dot->dot;
    uint32_t at = i ? cg_dot_columns(dot) : x->lhs_batch.n;
    for (uint32_t k = 0; k < d; k++)
        at += !weft_ints_has(i ? x->rhs_batch : x->lhs_batch, k) &&
              !weft_ints_has(i ? x->rhs_contract : x->lhs_contract, k);
    return at;
}

static roles roles_of(const cg_node *dot, uint32_t i) {
    const weft_dot_dims *x = &dot->dot;
    roles r = { i ? x->rhs_batch : x->lhs_batch, i ? x->rhs_contract : x->lhs_contract, 0 };
    for (uint32_t d = 0; dot->lifted && d < dot->in[i]->rank; d++)
        if (!weft_ints_has(r.batch, d) && !weft_ints_has(r.contract, d) &&
            dot->lifted & weft_bit(result_dim(dot, i, d)))
            r.lifted |= weft_bit(d);
    return r;
}

static bool as_side(const cg_node *dot, uint32_t i, const int64_t *stride, sides *side) {
    const roles r = roles_of(dot, i);
    return (weft_gemm_has((weft_dtype)dot->dtype) ? as_axes : as_matrix)(dot->in[i], stride, &r, side);
}

static bool deep(const cg_node *dot, uint32_t i, cg_strided *s, sides *side) {
    return cg_follow(dot->in[i], s) && as_side(dot, i, s->stride, side);
}

cg_node *cg_dot_operand(const cg_node *dot, uint32_t i) {
    cg_strided s;
    sides side;
    return deep(dot, i, &s, &side) ? s.base : dot->in[i];
}

bool cg_dot_reads_operand(const cg_node *dot, uint32_t i, bool *written_out) {
    cg_strided s;
    sides side;
    *written_out = !deep(dot, i, &s, &side);
    cg_row_major(dot->in[i]->rank, dot->in[i]->dims, s.stride);
    return !*written_out || as_side(dot, i, s.stride, &side);
}

/* Strides along the batch dimensions, then along those that are lifted, in the result's order: 0 for the operand that
 * does not have one. */
static void batch_strides(const cg_node *dot, uint32_t i, const int64_t *stride, int64_t *out) {
    const roles r = roles_of(dot, i);
    uint32_t n = 0;
    for (; n < r.batch.n; n++) out[n] = stride[r.batch.v[n]];
    for (uint32_t q = r.batch.n; q < dot->rank; q++) {
        if (!(dot->lifted & weft_bit(q))) continue;
        out[n] = 0;
        for (uint32_t d = 0; d < dot->in[i]->rank; d++)
            if (r.lifted & weft_bit(d) && result_dim(dot, i, d) == q) out[n] = stride[d];
        n++;
    }
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
    batch_strides(dot, i, s.stride, m.batch);
    m.row = i ? side->contract_stride : side->free_stride;
    m.column = i ? side->free_stride : side->contract_stride;
    m.rows = i ? side->contract_axes : side->free_axes;
    m.columns = i ? side->free_axes : side->contract_axes;
    return m;
}

/* The result's dimensions from `first` to `end` that are rows, or columns. */
static uint32_t solid(const cg_node *dot, uint32_t first, uint32_t end, int64_t *order) {
    uint32_t n = 0;
    for (uint32_t d = first; d < end; d++)
        if (!(dot->lifted & weft_bit(d))) order[n++] = d;
    return n;
}

bool cg_dot_writes(const cg_node *dot, const int64_t *stride) {
    int64_t rows[WEFT_MAX_RANK], columns[WEFT_MAX_RANK], row, column, size;
    const uint32_t middle = cg_dot_columns(dot), r = solid(dot, dot->dot.lhs_batch.n, middle, rows),
                   c = solid(dot, middle, dot->rank, columns);
    if (!one_stride(dot, stride, rows, r, &row, &size) || size == 1) return false;
    if (!one_stride(dot, stride, columns, c, &column, &size) || size == 1) return false;
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
    int64_t stride[WEFT_MAX_RANK];
    if (dot->strides) memcpy(stride, dot->strides, dot->rank * sizeof *stride);
    else cg_row_major(dot->rank, dot->dims, stride);
    out->c.dtype = (weft_dtype)dot->dtype;
    for (uint32_t d = 0; d < dot->rank; d++) {
        if (d >= dot->dot.lhs_batch.n && !(dot->lifted & weft_bit(d))) continue;
        out->batch[out->batch_rank] = dot->dims[d];
        out->c.batch[out->batch_rank++] = stride[d];
    }
    /* The last solid dimension of each side carries its stride: layouts keep a side's dimensions together. */
    out->c.row = out->n;
    out->c.column = 1;
    for (uint32_t d = dot->dot.lhs_batch.n; d < dot->rank; d++) {
        if (dot->dims[d] == 1 || dot->lifted & weft_bit(d)) continue;
        if (d < cg_dot_columns(dot)) out->c.row = stride[d];
        else out->c.column = stride[d];
    }
    if (out->c.column != 1 && out->c.row == 1) swap_sides(out);
}
