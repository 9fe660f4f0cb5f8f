/* trace_class.c: what each loop class of node asks of its operands. */
#include "codegen/trace.h"

typedef uint32_t (*trace_fn)(tracer *t, cg_node *n, const element *i, uint32_t guard);

/* Operands of rank 0 stand for every index. */
static uint32_t operand(tracer *t, cg_node *n, uint32_t which, const element *i, uint32_t guard) {
    cg_node *x = n->in[which];
    if (x->rank || !n->rank) return trace_value(t, x, i, guard);
    cg_ix zero = trace_fixed(0);
    return trace_value(t, x, &(element){ true, &zero }, guard);
}

static uint32_t scalar_of(tracer *t, cg_node *x) {
    cg_ix zero = trace_fixed(0);
    return trace_value(t, x, &(element){ true, &zero }, CG_NONE);
}

static uint32_t of_splat(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    (void)i, (void)guard;
    cg_ins x = trace_blank(CG_I_SPLAT, (weft_dtype)n->dtype);
    memcpy(x.splat, n->splat, sizeof x.splat);
    return trace_emit(t, x);
}

static uint32_t of_iota(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    (void)guard;
    cg_ix *parts = trace_parts(t, n, n->rank);
    return parts && trace_apart(t, n, i, parts) ? trace_index(t, &parts[n->aux], (weft_dtype)n->dtype) : CG_NONE;
}

static uint32_t of_scalar(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    uint32_t a[3] = { CG_NONE, CG_NONE, CG_NONE };
    for (uint32_t k = 0; k < n->in_count; k++) a[k] = operand(t, n, k, i, guard);
    if (n->op == CG_OP_copy) return a[0];
    return trace_scalar(t, (cg_op)n->op, (weft_dtype)n->dtype, n->aux, a[0], a[1], a[2]);
}

static uint32_t of_view(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    cg_node *x = n->in[0];
    cg_ix *parts = trace_parts(t, n, n->rank), *inner = trace_parts(t, n, x->rank);
    if (!parts || !inner || !trace_apart(t, n, i, parts)) return CG_NONE;
    for (uint32_t d = 0; d < x->rank; d++) {
        inner[d] = trace_fixed(n->view[d].offset);
        if (n->view[d].dim >= 0) inner[d] = trace_add(t, &inner[d], &parts[n->view[d].dim], n->view[d].stride);
        if (n->view[d].also) inner[d] = trace_add(t, &inner[d], &parts[n->view[d].also - 1], n->view[d].step);
    }
    return trace_value(t, x, &(element){ false, inner }, guard);
}

static uint32_t of_reshape(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    if (cg_is_gated(n)) return trace_value(t, n->in[0], i, guard);
    cg_ix number = trace_number(t, n, i);
    return trace_value(t, n->in[0], &(element){ true, &number }, guard);
}

/* x / step where step divides it, which the guard then asks for; emit_kernel.c looks for both when it loads. */
static cg_ix exact(tracer *t, const cg_ix *x, int64_t step, uint32_t *guard) {
    cg_ins m = trace_blank(CG_I_MULTIPLE, WEFT_I1), s = trace_blank(CG_I_SPLAT, WEFT_I64);
    m.ix = *x;
    m.lo = step;
    *guard = trace_both(t, *guard, trace_emit(t, m));
    memcpy(s.splat, &step, sizeof step);
    cg_ix q = trace_fixed(0);
    q.sym = trace_scalar(t, CG_OP_divide, WEFT_I64, 0, trace_index(t, x, WEFT_I64), trace_emit(t, s), CG_NONE);
    return q;
}

static uint32_t of_pad(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    cg_node *x = n->in[0];
    cg_ix *parts = trace_parts(t, n, n->rank);
    uint32_t inside = CG_NONE;
    if (!parts || !trace_apart(t, n, i, parts)) return CG_NONE;
    for (uint32_t d = 0; d < n->rank && !t->failed; d++) {
        parts[d].c -= n->pad.low[d];
        const int64_t step = n->pad.interior[d] + 1;
        inside = trace_within(t, &parts[d], 0, x->dims[d] ? (x->dims[d] - 1) * step + 1 : 0, inside);
        if (step > 1) parts[d] = exact(t, &parts[d], step, &inside);
    }
    if (t->failed) return CG_NONE;
    uint32_t v = trace_value(t, x, &(element){ false, parts }, trace_both(t, guard, inside));
    if (inside == CG_NONE) return v;
    return trace_scalar(t, CG_OP_select, (weft_dtype)n->dtype, 0, inside, v, scalar_of(t, n->in[1]));
}

static uint32_t of_concat(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    cg_ix *parts = trace_parts(t, n, n->rank);
    if (!parts || !trace_apart(t, n, i, parts)) return CG_NONE;
    int64_t end = n->dims[n->aux];
    uint32_t v = CG_NONE;
    for (uint32_t k = n->in_count; k-- > 0 && !t->failed;) {
        int64_t begin = end - n->in[k]->dims[n->aux];
        if (trace_never(t, &parts[n->aux], begin, end) && (v != CG_NONE || k)) { /* another piece's elements only */
            end = begin;
            continue;
        }
        uint32_t here = trace_within(t, &parts[n->aux], begin, end, CG_NONE),
                 below = trace_within(t, &parts[n->aux], INT64_MIN, end, CG_NONE);
        cg_ix at = parts[n->aux];
        parts[n->aux].c -= begin;
        uint32_t x =
            t->failed ? CG_NONE : trace_value(t, n->in[k], &(element){ false, parts }, trace_both(t, guard, here));
        parts[n->aux] = at;
        v = v == CG_NONE || below == CG_NONE ? x : trace_scalar(t, CG_OP_select, (weft_dtype)n->dtype, 0, below, x, v);
        end = begin;
    }
    return v;
}

/* An index of any type as one with sign. Of the unsigned ones beyond that all are as far outside of every tensor as the
 * largest that can still be added to. */
uint32_t trace_signed(tracer *t, uint32_t v, weft_dtype dtype) {
    const int64_t most = INT64_MAX / 2;
    if (t->failed || dtype == WEFT_I64) return v;
    if (dtype == WEFT_UI64) {
        cg_ins top = trace_blank(CG_I_SPLAT, WEFT_UI64);
        memcpy(top.splat, &most, sizeof most);
        v = trace_scalar(t, CG_OP_minimum, WEFT_UI64, 0, v, trace_emit(t, top), CG_NONE);
    }
    return trace_scalar(t, CG_OP_convert, WEFT_I64, dtype, v, CG_NONE, CG_NONE);
}

/* A start index, clamped to 0 .. most, as a computed term. */
static cg_ix clamped(tracer *t, uint32_t v, weft_dtype dtype, int64_t most) {
    cg_ix x = trace_fixed(0);
    if (most <= 0 || t->failed) return x;
    cg_ins zero = trace_blank(CG_I_SPLAT, WEFT_I64), top = zero;
    memcpy(top.splat, &most, sizeof most);
    v = trace_signed(t, v, dtype);
    v = trace_scalar(t, CG_OP_maximum, WEFT_I64, 0, v, trace_emit(t, zero), CG_NONE);
    x.sym = trace_scalar(t, CG_OP_minimum, WEFT_I64, 0, v, trace_emit(t, top), CG_NONE);
    return x;
}

cg_ix trace_start(tracer *t, cg_node *start, int64_t most) {
    return most <= 0 ? trace_fixed(0) : clamped(t, scalar_of(t, start), (weft_dtype)start->dtype, most);
}

static uint32_t of_dynamic_slice(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    cg_node *x = n->in[0];
    cg_ix *parts = trace_parts(t, n, n->rank);
    if (!parts || !trace_apart(t, n, i, parts)) return CG_NONE;
    for (uint32_t d = 0; d < n->rank && !t->failed; d++) {
        cg_ix start = trace_start(t, n->in[1 + d], x->dims[d] - n->dims[d]);
        parts[d] = trace_add(t, &start, &parts[d], 1);
    }
    return t->failed ? CG_NONE : trace_value(t, x, &(element){ false, parts }, guard);
}

static uint32_t of_dynamic_update(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    cg_node *update = n->in[1];
    cg_ix *parts = trace_parts(t, n, n->rank), *moved = trace_parts(t, n, n->rank);
    if (!parts || !moved || !trace_apart(t, n, i, parts)) return CG_NONE;
    uint32_t inside = CG_NONE;
    for (uint32_t d = 0; d < n->rank && !t->failed; d++) {
        cg_ix start = trace_start(t, n->in[2 + d], n->dims[d] - update->dims[d]);
        moved[d] = trace_add(t, &parts[d], &start, -1);
        inside = trace_within(t, &moved[d], 0, update->dims[d], inside);
    }
    if (t->failed) return CG_NONE;
    uint32_t new = trace_value(t, update, &(element){ false, moved }, trace_both(t, guard, inside));
    if (inside == CG_NONE) return new;
    uint32_t old = trace_value(t, n->in[0], &(element){ false, parts }, guard);
    return trace_scalar(t, CG_OP_select, (weft_dtype)n->dtype, 0, inside, new, old);
}

bool trace_listed(weft_ints v, int64_t x, uint32_t *at) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == x) {
            if (at) *at = i;
            return true;
        }
    return false;
}

/* StableHLO spec, gather: batch dimensions select a start index, offset dimensions an element of its slice. */
static uint32_t of_gather(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    cg_node *x = n->in[0], *indices = n->in[1];
    const weft_gather_dims *g = &n->gather.dims;
    cg_ix *parts = trace_parts(t, n, n->rank), *batch = trace_parts(t, n, indices->rank),
          *inner = trace_parts(t, n, x->rank);
    if (!parts || !batch || !inner || !trace_apart(t, n, i, parts)) return CG_NONE;
    uint32_t b = 0, offset = 0, at;
    for (uint32_t d = 0; d < n->rank; d++) {
        if (trace_listed(g->offset_dims, d, NULL)) continue;
        if (b == (uint32_t)g->index_vector_dim) b++;
        batch[b++] = parts[d];
    }
    for (uint32_t d = 0; d < x->rank && !t->failed; d++) {
        inner[d] = trace_fixed(0);
        if (trace_listed(g->operand_batching_dims, d, &at)) {
            inner[d] = batch[g->start_indices_batching_dims.v[at]];
            continue;
        }
        if (trace_listed(g->start_index_map, d, &at) && x->dims[d] > n->gather.sizes[d]) {
            if (g->index_vector_dim < indices->rank) batch[g->index_vector_dim] = trace_fixed(at);
            uint32_t v = trace_value(t, indices, &(element){ false, batch }, guard);
            inner[d] = clamped(t, v, (weft_dtype)indices->dtype, x->dims[d] - n->gather.sizes[d]);
        }
        if (!trace_listed(g->collapsed_slice_dims, d, NULL))
            inner[d] = trace_add(t, &inner[d], &parts[g->offset_dims.v[offset++]], 1);
    }
    return t->failed ? CG_NONE : trace_value(t, x, &(element){ false, inner }, guard);
}

static uint32_t of_device_id(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    (void)i, (void)guard;
    cg_ins x = trace_blank(CG_I_DEVICE, (weft_dtype)n->dtype);
    x.aux = n->aux;
    return trace_emit(t, x);
}

/* A reduction computed in this kernel may be used where its row is passed over. */
static uint32_t reduced(tracer *t, cg_node *n, const element *i, uint32_t result) {
    cg_kernel *k = t->k;
    cg_ix at = trace_number(t, n, i), here = trace_natural_row(t), full = trace_natural_full(t);
    const cg_node *x = n->in[0];
    bool mine =
        k->row && x->elems == k->total && weft_bits_has(n->reduce.dims, x->rank - 1) && x->dims[x->rank - 1] == k->row;
    if (!mine || at.c != here.c || at.sym != CG_NONE || memcmp(at.k, here.k, k->var_count * sizeof *at.k))
        return trace_fail(t, n);
    uint32_t which = 0;
    while (which < k->fold_count && k->folds[which].node != n) which++;
    if (which == k->fold_count) {
        cg_fold f = trace_fold(t, n, &(element){ true, &full });
        for (uint32_t r = 0; r < f.n && !t->failed; r++)
            if (k->ins[f.value[r]].ready > f.phase) f.phase = k->ins[f.value[r]].ready;
        if (t->failed || k->fold_count == CG_MAX_FOLDS) return trace_fail(t, n);
        which = k->fold_count;
        k->folds[k->fold_count++] = f;
    }
    cg_ins r = trace_blank(CG_I_REDUCED, (weft_dtype)n->in[result]->dtype);
    r.param = which;
    r.aux = result;
    r.level = (uint8_t)k->inner;
    r.ready = k->folds[which].phase + 1;
    return trace_emit(t, r);
}

static uint32_t of_reduce(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    (void)guard;
    return reduced(t, n, i, 0);
}

static uint32_t of_part(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    (void)guard;
    if (n->in[0]->cls != CG_REDUCE) return trace_fail(t, n);
    cg_ix at = trace_number(t, n, i);
    return reduced(t, n->in[0], &(element){ true, &at }, (uint32_t)n->aux);
}

static const trace_fn of_class[CG_CLASS_COUNT] = {
    [CG_SPLAT] = of_splat,
    [CG_IOTA] = of_iota,
    [CG_SCALAR] = of_scalar,
    [CG_VIEW] = of_view,
    [CG_RESHAPE] = of_reshape,
    [CG_PAD] = of_pad,
    [CG_CONCAT] = of_concat,
    [CG_DYNAMIC_SLICE] = of_dynamic_slice,
    [CG_DYNAMIC_UPDATE] = of_dynamic_update,
    [CG_GATHER] = of_gather,
    [CG_DEVICE_ID] = of_device_id,
    [CG_REDUCE] = of_reduce,
    [CG_PART] = of_part,
};

uint32_t trace_class(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    const uint32_t used = t->used;
    if (!of_class[n->cls]) return trace_fail(t, n);
    const uint32_t v = of_class[n->cls](t, n, i, guard);
    t->used = used;
    return v;
}
