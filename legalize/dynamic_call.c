/* dynamic_call: custom calls that represent dynamic ops which StableHLO lacks, and any call whose operands give the
 * shapes of its results (indices_of_shape_operands).
 *
 * jax.export writes them for symbolic sizes. JAX's lowerings (lax.reduce_window, top_k, rng_bit_generator) and
 * StableHLO's docs/dynamism.md define their operands.
 */
#include "legalize/called.h"
#include "legalize/dynamism.h"

/* ---- the values of shape operands ---- */

typedef struct call {
    weft_context *cx;
    const weft_op *op;
    const lg_known *const *known;
    const weft_type *const *types;
} call;

static const weft_attr *shape_indices(const weft_op *op) {
    const weft_attr *indices = weft_op_attr_named(op, "indices_of_shape_operands");
    return indices && indices->kind == WEFT_ATTR_DENSE ? indices : NULL;
}

static void take(const lg_known *shape, uint32_t rank, int64_t *dims) {
    for (uint32_t d = 0; shape->v && shape->n == rank && d < rank; d++)
        if (dims[d] == WEFT_DYNAMIC && shape->v[d] >= 0) dims[d] = shape->v[d];
}

static void dims_by_indices(const call *c, uint32_t result, int64_t *dims) {
    const weft_attr *at = shape_indices(c->op);
    if (result >= (uint64_t)weft_type_elems(at->type)) return;
    const int64_t i = weft_dense_int(at, result);
    if (i >= 0 && i < c->op->operand_count) take(c->known[i], c->op->results[result].type->rank, dims);
}

static void dims_of_top_k(const call *c, uint32_t result, int64_t *dims) {
    const weft_type *x = c->types[0];
    const uint32_t rank = c->op->results[result].type->rank;
    if (!weft_type_is_tensor(x) || x->rank != rank || !rank) return;
    for (uint32_t d = 0; d + 1 < rank; d++)
        if (dims[d] == WEFT_DYNAMIC) dims[d] = x->dims[d];
    if (c->known[1]->v && c->known[1]->n == 1 && c->known[1]->v[0] >= 0 && dims[rank - 1] == WEFT_DYNAMIC)
        dims[rank - 1] = c->known[1]->v[0];
}

static void dims_of_rng(const call *c, uint32_t result, int64_t *dims) {
    if (result == 1) take(c->known[1], c->op->results[1].type->rank, dims);
}

/* Inputs, initial values, then sizes, strides, dilations of the operand, of the window, and padding. */
enum { SIZES, STRIDES, BASE, WINDOW, PADDING, WINDOW_OPERANDS };

static void dims_of_window(const call *c, uint32_t result, int64_t *dims) {
    const uint32_t first = c->op->operand_count - WINDOW_OPERANDS;
    const weft_type *x = c->types[result];
    const uint32_t rank = x->rank;
    if (result >= c->op->result_count || !weft_type_is_tensor(x) || c->op->results[result].type->rank != rank) return;
    for (uint32_t k = 0; k < WINDOW_OPERANDS; k++)
        if (!c->known[first + k]->v || c->known[first + k]->n != rank * (k == PADDING ? 2 : 1)) return;
    for (uint32_t d = 0; d < rank; d++) {
        const int64_t size = c->known[first + SIZES]->v[d], stride = c->known[first + STRIDES]->v[d],
                      base = c->known[first + BASE]->v[d];
        const int64_t window = c->known[first + WINDOW]->v[d], low = c->known[first + PADDING]->v[2 * d],
                      high = c->known[first + PADDING]->v[2 * d + 1];
        if (x->dims[d] == WEFT_DYNAMIC || dims[d] != WEFT_DYNAMIC || stride <= 0) continue;
        const int64_t spread = x->dims[d] ? (x->dims[d] - 1) * base + 1 : 0,
                      room = spread + low + high - (size ? (size - 1) * window + 1 : 0);
        dims[d] = room < 0 ? 0 : room / stride + 1;
    }
}

/* ---- the static ops ---- */

typedef struct making {
    weft_rewrite *r;
    weft_builder *b;
    const weft_op *op;
    weft_value **in;
    const lg_known *const *known;
    const weft_type **types;
} making;

static weft_op *op_of(const making *m, weft_op_kind kind, uint32_t operands, const weft_named_attr *attrs, uint32_t n,
                      uint32_t regions) {
    return weft_build_op(m->b, &(weft_op_spec){ .kind = kind, .operands = m->in, .operand_count = operands,
                                                .types = m->types, .result_count = m->op->result_count, .attrs = attrs,
                                                .attr_count = n, .region_count = regions });
}

static weft_op *top_k(const making *m) {
    const weft_named_attr k = { weft_name_at(m->b->m->cx, WEFT_A_k), weft_attr_i64(m->b->m->cx, m->known[1]->v[0]) };
    return op_of(m, WEFT_OP_chlo_top_k, 1, &k, 1, 0);
}

static weft_op *random_bits(const making *m) {
    const weft_attr *a = weft_op_attr(m->op, WEFT_A_rng_algorithm);
    const weft_named_attr algorithm = { weft_name_at(m->b->m->cx, WEFT_A_rng_algorithm), a };
    return a ? op_of(m, WEFT_OP_rng_bit_generator, 1, &algorithm, 1, 0) : NULL;
}

static weft_op *reduce_window(const making *m) {
    static const weft_attr_name names[WINDOW_OPERANDS] = { WEFT_A_window_dimensions, WEFT_A_window_strides,
                                                           WEFT_A_base_dilations, WEFT_A_window_dilations,
                                                           WEFT_A_padding };
    weft_context *cx = m->b->m->cx;
    const uint32_t first = m->op->operand_count - WINDOW_OPERANDS;
    const weft_block *body = lg_called_body(m->op);
    weft_named_attr attrs[WINDOW_OPERANDS];
    if (!body || !body->last || body->arg_count != 2 * m->op->result_count) return NULL;
    for (uint32_t k = 0; k < WINDOW_OPERANDS; k++) {
        const lg_known *v = m->known[first + k];
        attrs[k].name = weft_name_at(cx, names[k]);
        attrs[k].value = k == PADDING ? weft_attr_dense_i64(cx, v->rank, v->dims, v->v)
                                      : weft_attr_ints(cx, WEFT_I64, v->v, (uint32_t)v->n);
    }
    weft_op *made = op_of(m, WEFT_OP_reduce_window, first, attrs, WINDOW_OPERANDS, 1);
    if (made) lg_copy_body(m->r, m->b, made, body);
    m->b->loc = m->op->loc;
    return made;
}

/* The call without its shape operands. */
static weft_op *without_shapes(const making *m) {
    weft_context *cx = m->b->m->cx;
    const weft_attr *at = shape_indices(m->op), *layouts = weft_op_attr(m->op, WEFT_A_operand_layouts);
    const weft_attr **kept = weft_scratch_array(cx, const weft_attr *, m->op->operand_count + 1);
    weft_named_attr *attrs = weft_scratch_array(cx, weft_named_attr, m->op->attr_count + 1);
    uint32_t n = 0, operands = 0;
    if (!kept || !attrs) return NULL;
    for (uint32_t i = 0; i < m->op->operand_count; i++) {
        bool shape = false;
        for (int64_t k = 0; k < weft_dense_stored(at); k++) shape = shape || weft_dense_int(at, k) == i;
        if (shape) continue;
        if (layouts && i < layouts->items.n) kept[operands] = layouts->items.v[i];
        m->in[operands++] = m->in[i];
    }
    for (uint32_t i = 0; i < m->op->attr_count; i++) {
        if (m->op->attrs[i].value == at) continue;
        attrs[n] = m->op->attrs[i];
        if (attrs[n].value == layouts) attrs[n].value = weft_attr_array(cx, kept, operands);
        n++;
    }
    return op_of(m, WEFT_OP_custom_call, operands, attrs, n, 0);
}

/* last: the last operands that must be known; fewest: the least number of operands. */
static const struct dynamic_call {
    const char *target;     /* NULL: any call with indices_of_shape_operands */
    uint32_t last, fewest, results; /* results 0: any number */
    void (*dims)(const call *c, uint32_t result, int64_t *dims);
    weft_op *(*make)(const making *m);
} calls[] = {
    { "stablehlo.dynamic_top_k", 1, 2, 2, dims_of_top_k, top_k },
    { "stablehlo.dynamic_rng_bit_generator", 1, 2, 2, dims_of_rng, random_bits },
    { "stablehlo.dynamic_reduce_window", WINDOW_OPERANDS, WINDOW_OPERANDS + 2, 0, dims_of_window, reduce_window },
    { NULL, 0, 0, 0, dims_by_indices, without_shapes },
};

static const struct dynamic_call *find(const weft_op *op) {
    if (op->kind != WEFT_OP_custom_call) return NULL;
    for (size_t i = 0; i < WEFT_COUNT(calls); i++) {
        const struct dynamic_call *c = &calls[i];
        if (c->target ? !weft_str_is(weft_op_symbol(op, WEFT_A_call_target_name), c->target) : !shape_indices(op))
            continue;
        bool fits = op->operand_count >= c->fewest && (!c->results || op->result_count == c->results);
        if (c->make == reduce_window) fits = fits && op->operand_count == 2 * op->result_count + WINDOW_OPERANDS;
        for (uint32_t r = 0; r < op->result_count; r++) fits = fits && weft_type_is_tensor(op->results[r].type);
        return fits ? c : NULL;
    }
    return NULL;
}

bool lg_is_dynamic_call(const weft_op *op) { return find(op) != NULL; }

void lg_refine_call(weft_context *cx, const weft_op *op, const lg_known *const *known, const weft_type *const *types,
                    uint32_t result, int64_t *dims) {
    const struct dynamic_call *d = find(op);
    const call c = { cx, op, known, types };
    if (d) d->dims(&c, result, dims);
}

static weft_status make(const struct dynamic_call *d, const making *m, weft_rewritten *did) {
    for (uint32_t i = 0; i < d->last; i++)
        if (!m->known[m->op->operand_count - 1 - i]->v) return WEFT_OK;
    weft_op *made = d->make(m);
    if (!made) return m->b->status;
    for (uint32_t i = 0; i < made->result_count; i++) {
        made->results[i].hint = m->op->results[i].hint;
        m->r->map.to[m->op->results[i].id] = &made->results[i];
    }
    *did = WEFT_DONE;
    return m->b->status;
}

weft_status lg_static_call(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const struct dynamic_call *d = find(op);
    weft_context *cx = b->m->cx;
    if (!d) return WEFT_OK;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!weft_type_is_static(op->results[i].type)) return WEFT_OK;
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_value **in = weft_scratch_array(cx, weft_value *, op->operand_count + 1);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, op->result_count + 1);
    const lg_known **known = weft_scratch_array(cx, const lg_known *, op->operand_count + 1);
    lg_known *values = weft_scratch_array(cx, lg_known, op->operand_count + 1);
    weft_status st = in && types && known && values ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        in[i] = r->map.to[op->operands[i]->id];
        known[i] = &values[i];
        st = lg_known_constant(&arena,
                               in[i]->def && in[i]->def->kind == WEFT_OP_constant
                                   ? weft_op_attr(in[i]->def, WEFT_A_value)
                                   : NULL,
                               &values[i]);
    }
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) types[i] = op->results[i].type;
    if (st == WEFT_OK) st = make(d, &(making){ r, b, op, in, known, types }, did);
    weft_arena_reset(&cx->scratch, mark);
    weft_arena_free(&arena);
    return st;
}
