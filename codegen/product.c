/* product.c: dot_general of any types as nodes.
 *
 * What a library multiplies becomes a CG_DOT: of f64 and integers (gemm.h); of f32; of bf16 with sums in f32, when both
 * operands hold no more than that (bf16 and the 8-bit floats). Large products of complex numbers are four of their
 * parts. A few terms are written out. What is left, booleans and vectors, becomes a product of broadcast operands
 * reduced over the last dimension, or over the first where the matrix lies so, which fusion turns into one loop nest.
 */
#include "codegen/product.h"
#include "codegen/dot.h"
#include "codegen/strided.h"
#include "exec/kernels/gemm.h"

/* ---- types ---- */

static bool fits_bf16(weft_dtype t) {
    return t == WEFT_BF16 || (weft_dtype_is_float(t) && weft_dtype_of(t)->bits <= 8);
}

static weft_dtype float_for(weft_dtype x, weft_dtype y, weft_dtype t, weft_dtype least) {
    const weft_dtype all[] = { x, y, t };
    if (least == WEFT_F64) return WEFT_F64;
    for (int i = 0; i < 3; i++)
        if (all[i] == WEFT_F64) return WEFT_F64;
    return WEFT_F32;
}

void cg_product_types(weft_dtype x, weft_dtype y, weft_dtype t, weft_dtype least, weft_dtype *in, weft_dtype *sum) {
    const weft_dtype_kind kind = weft_dtype_of(t)->kind;
    *in = *sum = t;
    if (kind == WEFT_KIND_FLOAT) {
        *in = *sum = float_for(x, y, t, least);
        if (*sum == WEFT_F32 && fits_bf16(x) && fits_bf16(y)) {
            *in = WEFT_BF16;
            if (t == WEFT_BF16) *sum = WEFT_BF16; /* rounded once, from f32 */
        }
    } else if (kind == WEFT_KIND_INT ||
               kind == WEFT_KIND_UINT) { /* the low bits of a wider sum are those of the narrow one */
        *in = *sum = weft_dtype_of(t)->bits <= 32 ? WEFT_I32 : WEFT_I64;
    }
}

/* ---- loops ---- */

/* Where the dimensions of lhs or rhs go: batch, free and contracted ones, those of each kind side by side. */
typedef struct spreading { uint32_t batch, free, contract; } spreading;

static cg_node *spread(cg_graph *g, cg_node *x, weft_ints batch, weft_ints contract, spreading to, uint32_t rank,
                       const int64_t *dims) {
    cg_view_dim view[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->rank; i++) view[i] = cg_along(-1, 0, 1);
    for (uint32_t i = 0; i < batch.n; i++) view[batch.v[i]].dim = (int32_t)(to.batch + i);
    for (uint32_t i = 0; i < contract.n; i++) view[contract.v[i]].dim = (int32_t)(to.contract + i);
    for (uint32_t i = 0; i < x->rank; i++)
        if (!weft_ints_has(batch, i) && !weft_ints_has(contract, i)) view[i].dim = (int32_t)to.free++;
    return cg_view(g, x, rank, dims, view);
}

static cg_block *sum_body(cg_graph *g, weft_dtype t) {
    cg_block *outer = g->block, *body = cg_block_new(g, outer);
    const weft_type *scalar = weft_type_tensor(g->cx, t, 0, NULL);
    if (!body || !scalar) return NULL;
    body->args = weft_arena_array(&g->arena, cg_node *, 2);
    body->results = weft_arena_array(&g->arena, cg_node *, 1);
    if (!body->args || !body->results) return NULL;
    g->block = body;
    body->arg_count = 2;
    body->result_count = 1;
    for (uint32_t i = 0; i < 2; i++) body->args[i] = cg_argument(g, body, i, scalar);
    body->results[0] = cg_binary(g, t == WEFT_I1 ? CG_OP_or : CG_OP_add, body->args[0], body->args[1]);
    g->block = outer;
    return body->results[0] ? body : NULL;
}

typedef struct shape {
    uint32_t rank;
    int64_t dims[WEFT_MAX_RANK], elems, contracted;
    bool by_rows;           /* see by_rows() */
} shape;

/* The terms one by one: x[k] is x at the k-th place of the contracted dimensions, which are after the first `rank`. */
static cg_node *term(cg_graph *g, cg_node *x, uint32_t rank, int64_t k) {
    cg_view_dim view[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t d = x->rank; d-- > rank; k /= x->dims[d]) view[d] = cg_along(-1, k % x->dims[d], 0);
    for (uint32_t d = 0; d < rank; d++) view[d] = cg_along((int32_t)d, 0, 1);
    return cg_view(g, x, rank, x->dims, view);
}

static cg_node *written_out(cg_graph *g, cg_node *a, cg_node *b, weft_dtype t, const shape *s) {
    cg_node *sum = NULL;
    for (int64_t k = 0; k < s->contracted; k++) {
        cg_node *in[2] = { term(g, a, s->rank, k), term(g, b, s->rank, k) };
        cg_node *p =
            cg_scalar(g, t == WEFT_I1 ? CG_OP_and : CG_OP_multiply, t, weft_dtype_is_float(t) ? CG_ROUNDED : 0, in);
        sum = sum ? cg_binary(g, t == WEFT_I1 ? CG_OP_or : CG_OP_add, sum, p) : p;
    }
    return sum;
}

/* A vector and a matrix whose rows lie side by side along the other dimension, or vectors that lie so: row after row is
 * added up in memory, which is read once. */
static cg_node *by_rows(cg_graph *g, cg_node *a, cg_node *b, const weft_dot_dims *d, weft_dtype t, const shape *s) {
    const uint32_t n = d->lhs_contract.n, all = n + s->rank;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < n; i++) dims[i] = a->dims[d->lhs_contract.v[i]];
    memcpy(dims + n, s->dims, s->rank * sizeof *dims);
    const uint32_t lhs_end = a->rank; /* of the dimensions that it has */
    a = spread(g, a, d->lhs_batch, d->lhs_contract, (spreading){ n, n + d->lhs_batch.n, 0 }, all, dims);
    b = spread(g, b, d->rhs_batch, d->rhs_contract, (spreading){ n, lhs_end, 0 }, all, dims);
    const int64_t flat[2] = { s->contracted, s->elems };
    cg_node *in[2] = { cg_reshape(g, cg_binary(g, CG_OP_multiply, a, b), 2, flat), cg_splat_value(g, t, 0, NULL, 0) };
    cg_node *r = cg_begin(g, CG_REDUCE, t, 1, flat + 1, in, 2);
    cg_block *body = sum_body(g, t);
    if (!r || !body) return NULL;
    r->reduce.dims = weft_bit(0);
    r->reduce.body = body;
    return cg_reshape(g, cg_finish(g, r), s->rank, s->dims);
}

/* a and b have type t. */
static cg_node *as_loops(cg_graph *g, cg_node *a, cg_node *b, const weft_dot_dims *d, weft_dtype t, cg_sum_order order,
                         const shape *s) {
    int64_t dims[WEFT_MAX_RANK];
    const uint32_t lhs_free = a->rank - d->lhs_batch.n - d->lhs_contract.n, all = s->rank + d->lhs_contract.n;
    if (all > WEFT_MAX_RANK) {
        g->status =
            weft_report(g->cx, WEFT_D_unsupported, g->loc, "a product over more than %d dimensions", WEFT_MAX_RANK);
        return NULL;
    }
    memcpy(dims, s->dims, s->rank * sizeof *dims);
    for (uint32_t i = 0; i < d->lhs_contract.n; i++) dims[s->rank + i] = a->dims[d->lhs_contract.v[i]];
    a = spread(g, a, d->lhs_batch, d->lhs_contract, (spreading){ 0, d->lhs_batch.n, s->rank }, all, dims);
    b = spread(g, b, d->rhs_batch, d->rhs_contract, (spreading){ 0, d->lhs_batch.n + lhs_free, s->rank }, all, dims);
    if (s->contracted == 1 || order == CG_SUM_IN_ORDER) return written_out(g, a, b, t, s);
    cg_node *p = cg_binary(g, t == WEFT_I1 ? CG_OP_and : CG_OP_multiply, a, b);
    const int64_t flat[2] = { s->elems, s->contracted };
    const uint32_t one = s->elems == 1;
    cg_node *in[2] = { cg_reshape(g, p, 2 - one, flat + one), cg_splat_value(g, t, 0, NULL, 0) };
    cg_node *r = cg_begin(g, CG_REDUCE, t, 1 - one, flat, in, 2);
    cg_block *body = sum_body(g, t);
    if (!r || !body) return NULL;
    r->reduce.dims = weft_bit(1 - one);
    r->reduce.body = body;
    return cg_reshape(g, cg_finish(g, r), s->rank, s->dims);
}

/* ---- the library ---- */

/* x, or x transposed to [batch, free, contracted] when a matrix product could not read it written out as it is. */
static cg_node *readable(cg_graph *g, cg_node *x, weft_ints *batch, weft_ints *contract) {
    if (!x || cg_dot_reads(x, *batch, *contract)) return x;
    int64_t order[WEFT_MAX_RANK], *where = weft_arena_array(&g->arena, int64_t, x->rank);
    uint32_t n = 0;
    if (!where) return NULL;
    for (uint32_t i = 0; i < batch->n; i++) order[n++] = batch->v[i];
    for (uint32_t i = 0; i < x->rank; i++)
        if (!weft_ints_has(*batch, i) && !weft_ints_has(*contract, i)) order[n++] = i;
    for (uint32_t i = 0; i < contract->n; i++) order[n++] = contract->v[i];
    for (uint32_t i = 0; i < x->rank; i++) where[i] = i;
    x = cg_transpose(g, x, (weft_ints){ order, n });
    *contract = (weft_ints){ where + n - contract->n, contract->n };
    *batch = (weft_ints){ where, batch->n };
    return x;
}

/* The contracted dimensions in another order, which both operands have in common: by falling strides of x. */
static bool reorder(cg_graph *g, cg_node *x, weft_ints *own, weft_ints *other) {
    cg_strided at;
    int64_t *order[2] = { weft_arena_dup(&g->arena, own->v, own->n * sizeof *own->v, _Alignof(int64_t)),
                          weft_arena_dup(&g->arena, other->v, other->n * sizeof *own->v, _Alignof(int64_t)) };
    if (!order[0] || !order[1] || !cg_follow(x, &at)) return false;
    for (uint32_t i = 1; i < own->n; i++)
        for (uint32_t k = i; k > 0 && at.stride[order[0][k - 1]] < at.stride[order[0][k]]; k--)
            for (int side = 0; side < 2; side++) {
                const int64_t moved = order[side][k];
                order[side][k] = order[side][k - 1], order[side][k - 1] = moved;
            }
    own->v = order[0], other->v = order[1];
    return true;
}

/* Where the larger operand lies such that no one stride walks its contracted dimensions in this order, but in another,
 * that is taken: the smaller one may have to be copied then. */
static void order_contracted(cg_graph *g, cg_node *a, cg_node *b, weft_dot_dims *d) {
    const bool left = a->elems >= b->elems;
    cg_node *x = left ? a : b;
    const weft_ints batch = left ? d->lhs_batch : d->rhs_batch;
    weft_ints own = left ? d->lhs_contract : d->rhs_contract, other = left ? d->rhs_contract : d->lhs_contract;
    if (own.n < 2 || cg_dot_follows(x, batch, own) || !reorder(g, x, &own, &other)) return;
    if (!cg_dot_follows(x, batch, own)) return;
    d->lhs_contract = left ? own : other;
    d->rhs_contract = left ? other : own;
}

static cg_node *by_library(cg_graph *g, cg_node *a, cg_node *b, const weft_dot_dims *d, weft_dtype sum,
                           const shape *s) {
    weft_dot_dims dims = *d;
    if (!weft_gemm_has(sum)) order_contracted(g, a, b, &dims);
    cg_node *in[2] = { readable(g, a, &dims.lhs_batch, &dims.lhs_contract),
                       readable(g, b, &dims.rhs_batch, &dims.rhs_contract) };
    for (int i = 0; i < 2; i++) in[i] = cg_in_memory(g, in[i]);
    cg_node *n = cg_begin(g, CG_DOT, sum, s->rank, s->dims, in, 2);
    if (n) n->dot = dims;
    return cg_finish(g, n);
}

/* ---- choice ---- */

/* Sums of a few terms, and few of them: a loop nest that writes them out is done before oneDNN's call is under way,
 * some 3 us, and gives what the formula gives. By the default cost that is sums of up to 16 terms. */
static bool is_small(const cg_graph *g, const shape *s) {
    const double most = g->costs->loop_product, terms = (double)s->contracted;
    return 16 * terms * terms <= most && (double)s->elems <= most / terms;
}

/* elements of a row that is added up: whole vectors, and the sums stay in the first cache */
enum { LEAST_ROW = 64, MOST_ROW = 1 << 13 };

typedef enum lie { LIES_ELSEWISE, LIES_BY_ROWS, LIES_BY_COLUMNS } lie;

/* How x lies: its contracted dimension side by side, or rows of `elems` that are contracted over. */
static lie lie_of(cg_node *x, weft_ints contract, int64_t elems) {
    cg_strided m;
    if (!cg_follow(x, &m)) cg_row_major(x->rank, x->dims, m.stride);
    if (m.stride[contract.v[contract.n - 1]] == 1) return LIES_BY_COLUMNS;
    for (uint32_t i = 0; i < contract.n; i++)
        if (m.stride[contract.v[i]] < elems) return LIES_ELSEWISE;
    return LIES_BY_ROWS;
}

/* A matrix and a vector, whose every element of the matrix is read once: a library gains nothing by packing it, and is
 * called for 3 us. A loop nest is faster by up to ten times while the contracted dimension is the one that lies side by
 * side (to 512 rows of 512; at 1024 both wait for memory). Where the other one does, rows are added up: bench/kernels'
 * "vector by rows", 2048 by 2048, takes 0.21 ms, where oneDNN takes 0.78. Vectors by vectors are nothing for a library
 * however they lie: it has a call, or a product of one row and one column, for each. */
static bool is_vector(cg_node *a, cg_node *b, const weft_dot_dims *d, shape *s) {
    const bool left = a->elems > b->elems, both = a->elems == b->elems;
    cg_node *x = left ? a : b;
    if (!d->lhs_contract.n || s->elems * s->contracted != x->elems) return false;
    const lie own = lie_of(x, left ? d->lhs_contract : d->rhs_contract, s->elems),
              other = both ? lie_of(a, d->lhs_contract, s->elems) : own;
    if (own == LIES_BY_COLUMNS || x->elems <= 4096) return true;
    s->by_rows = own == LIES_BY_ROWS && other == LIES_BY_ROWS && s->elems >= LEAST_ROW && s->elems <= MOST_ROW &&
                 weft_dtype_is_float((weft_dtype)x->dtype);
    return s->by_rows || both;
}

static void shape_of(const cg_node *a, const cg_node *b, const weft_dot_dims *d, shape *s) {
    s->rank = 0;
    s->by_rows = false;
    s->elems = s->contracted = 1;
    for (uint32_t i = 0; i < d->lhs_batch.n; i++) s->dims[s->rank++] = a->dims[d->lhs_batch.v[i]];
    for (uint32_t i = 0; i < a->rank; i++)
        if (!weft_ints_has(d->lhs_batch, i) && !weft_ints_has(d->lhs_contract, i)) s->dims[s->rank++] = a->dims[i];
    for (uint32_t i = 0; i < b->rank; i++)
        if (!weft_ints_has(d->rhs_batch, i) && !weft_ints_has(d->rhs_contract, i)) s->dims[s->rank++] = b->dims[i];
    for (uint32_t i = 0; i < s->rank; i++) s->elems *= s->dims[i];
    for (uint32_t i = 0; i < d->lhs_contract.n; i++) s->contracted *= a->dims[d->lhs_contract.v[i]];
}

/* (ar + i ai)(br + i bi) by four products; an operand that is real has no second part. */
static cg_node *complex_product(cg_graph *g, cg_node *a, cg_node *b, const weft_dot_dims *d, weft_dtype t,
                                const cg_product_spec *spec) {
    const weft_dtype part = weft_dtype_part(t);
    cg_node *x[2] = { a, b }, *re[2], *im[2], *p[2][2] = { { 0 } };
    for (int i = 0; i < 2; i++) {
        const bool is = weft_dtype_is_complex((weft_dtype)x[i]->dtype);
        const weft_dtype own = is ? weft_dtype_part((weft_dtype)x[i]->dtype) : part;
        re[i] = is ? cg_scalar(g, CG_OP_real, own, 0, &x[i]) : x[i];
        im[i] = is ? cg_scalar(g, CG_OP_imag, own, 0, &x[i]) : NULL;
    }
    p[0][0] = cg_product(g, re[0], re[1], d, part, spec);
    if (im[1]) p[0][1] = cg_product(g, re[0], im[1], d, part, spec);
    if (im[0]) p[1][0] = cg_product(g, im[0], re[1], d, part, spec);
    if (im[0] && im[1]) p[1][1] = cg_product(g, im[0], im[1], d, part, spec);
    if (!p[0][0]) return NULL;
    cg_node *real = p[1][1] ? cg_binary(g, CG_OP_subtract, p[0][0], p[1][1]) : p[0][0];
    cg_node *imag = p[0][1] && p[1][0] ? cg_binary(g, CG_OP_add, p[0][1], p[1][0]) : p[0][1] ? p[0][1] : p[1][0];
    if (!imag) imag = cg_splat_value(g, part, real ? real->rank : 0, real ? real->dims : NULL, 0);
    return cg_scalar(g, CG_OP_complex, t, 0, (cg_node *[]){ real, imag });
}

cg_node *cg_product(cg_graph *g, cg_node *a, cg_node *b, const weft_dot_dims *d, weft_dtype t,
                    const cg_product_spec *spec) {
    weft_dtype in, sum;
    shape s;
    if (!a || !b) return NULL;
    shape_of(a, b, d, &s);
    if (!s.elems || !s.contracted) return cg_splat_value(g, t, s.rank, s.dims, 0);
    const bool in_order = (spec && spec->order == CG_SUM_IN_ORDER) || is_small(g, &s);
    const cg_sum_order order = in_order ? CG_SUM_IN_ORDER : CG_SUM_ANY;
    if (weft_dtype_is_complex(t) && order == CG_SUM_ANY) return complex_product(g, a, b, d, t, spec);
    cg_product_types((weft_dtype)a->dtype, (weft_dtype)b->dtype, t, spec ? spec->least : WEFT_DTYPE_NONE, &in, &sum);
    const bool library = s.contracted > 1 && !is_vector(a, b, d, &s) && order == CG_SUM_ANY &&
                         (in == WEFT_F32 || in == WEFT_BF16 || weft_gemm_has(in));
    if (!library && in == WEFT_BF16) in = sum = WEFT_F32;
    a = cg_convert(g, a, in), b = cg_convert(g, b, in);
    if (!a || !b) return NULL;
    cg_node *p = library                            ? by_library(g, a, b, d, sum, &s)
                 : s.by_rows && order == CG_SUM_ANY ? by_rows(g, a, b, d, in, &s)
                                                    : as_loops(g, a, b, d, in, order, &s);
    return cg_convert(g, p, t);
}
