/* graph.c: making nodes, each once, simplified where that changes no result. */
#include "codegen/call.h"
#include "codegen/conv.h"

const cg_op_info cg_op_table[CG_OP_COUNT] = {
#define SCALAR(name, arity, weight) [CG_OP_##name] = { #name, arity, weight },
#include "codegen/scalar.def"
};

const uint8_t cg_class_table[CG_CLASS_COUNT] = {
    [CG_ARGUMENT] = 0,
    [CG_CONSTANT] = CG_PURE,
    [CG_SPLAT] = CG_LOOP | CG_LIGHT | CG_PURE,
    [CG_IOTA] = CG_LOOP | CG_LIGHT | CG_PURE,
    [CG_SCALAR] = CG_LOOP | CG_PURE,
    [CG_VIEW] = CG_LOOP | CG_LIGHT | CG_PURE,
    [CG_RESHAPE] = CG_LOOP | CG_LIGHT | CG_PURE,
    [CG_PAD] = CG_LOOP | CG_PURE,
    [CG_CONCAT] = CG_LOOP | CG_PURE,
    [CG_DYNAMIC_SLICE] = CG_LOOP | CG_PURE,
    [CG_DYNAMIC_UPDATE] = CG_LOOP | CG_PURE,
    [CG_GATHER] = CG_LOOP | CG_PURE,
    [CG_DEVICE_ID] = CG_LOOP | CG_LIGHT | CG_PURE,
    [CG_REDUCE] = CG_LOOP | CG_PURE,
    [CG_SCAN] = CG_LOOP | CG_PURE,
    [CG_PART] = CG_PURE,
    [CG_DOT] = CG_STEP | CG_PURE,
    [CG_CONV] = CG_STEP | CG_PURE,
    [CG_SCATTER] = CG_LOOP,
    [CG_PLACE] = CG_LOOP,
    [CG_COLLECTIVE] = CG_STEP,
    [CG_WHILE] = CG_STEP,
    [CG_CASE] = CG_STEP,
    [CG_CALL] = CG_STEP | CG_PURE,
    [CG_GATE] = CG_PURE,
};

void cg_graph_init(cg_graph *g, weft_context *cx) {
    *g = (cg_graph){ .cx = cx, .status = WEFT_OK, .loc = &weft_loc_unknown,
                      .costs = &weft_machine_default.costs };
    weft_arena_init(&g->arena, &cx->alloc);
}

void cg_graph_free(cg_graph *g) { weft_arena_free(&g->arena); }

void cg_row_major(uint32_t rank, const int64_t *dims, int64_t *out) {
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        out[i] = step;
        step *= dims[i];
    }
}

bool cg_same_dims(const cg_node *a, const cg_node *b) {
    return a->rank == b->rank && (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}

bool cg_splat_is(const cg_node *n, double v) {
    return n->cls == CG_SPLAT && !weft_dtype_is_complex((weft_dtype)n->dtype) &&
           weft_dtype_load((weft_dtype)n->dtype, n->splat) == v;
}

cg_block *cg_block_new(cg_graph *g, cg_block *parent) {
    cg_block *b = weft_arena_new(&g->arena, cg_block);
    if (!b) {
        g->status = weft_oom();
        return NULL;
    }
    b->parent = parent;
    b->next = g->blocks;
    g->blocks = b;
    b->depth = parent ? parent->depth + 1 : 0;
    return b;
}

static void *cg_dup(cg_graph *g, const void *p, size_t bytes) {
    void *q = weft_arena_dup(&g->arena, p, bytes, _Alignof(max_align_t));
    if (!q) g->status = weft_oom();
    return q;
}

cg_node *cg_begin(cg_graph *g, cg_class cls, weft_dtype t, uint32_t rank, const int64_t *dims, cg_node *const *in,
                  uint32_t n) {
    if (g->status != WEFT_OK) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!in[i]) return NULL;
    cg_node *v = weft_arena_new(&g->arena, cg_node);
    if (!v) {
        g->status = weft_oom();
        return NULL;
    }
    v->cls = (uint16_t)cls;
    v->dtype = (uint16_t)t;
    v->rank = rank;
    v->dims = cg_dup(g, dims, rank * sizeof *dims);
    v->in = cg_dup(g, in, n * sizeof *in);
    v->in_count = n;
    v->result_count = 1;
    v->block = g->block;
    v->loc = g->loc;
    v->elems = 1;
    for (uint32_t i = 0; i < rank; i++) v->elems *= dims[i];
    return g->status == WEFT_OK ? v : NULL;
}

/* The payload as numbers. */
typedef struct key_writer { int64_t v[512]; uint32_t n; bool full; } key_writer;

static void key_put(key_writer *k, int64_t v) {
    if (k->n < WEFT_COUNT(k->v)) k->v[k->n++] = v;
    else k->full = true;
}

static void key_array(key_writer *k, const int64_t *v, uint32_t n) {
    key_put(k, n);
    for (uint32_t i = 0; i < n; i++) key_put(k, v[i]);
}

static void key_ints(key_writer *k, weft_ints v) { key_array(k, v.v, v.n); }

static void key_view(key_writer *k, const cg_node *n) {
    for (uint32_t i = 0; i < n->in[0]->rank; i++) {
        key_put(k, n->view[i].dim);
        key_put(k, n->view[i].offset);
        key_put(k, n->view[i].stride);
        key_put(k, n->view[i].also);
        key_put(k, n->view[i].step);
    }
}

static void key_gather(key_writer *k, const cg_node *n) {
    const weft_gather_dims *d = &n->gather.dims;
    key_ints(k, d->offset_dims), key_ints(k, d->collapsed_slice_dims), key_ints(k, d->operand_batching_dims);
    key_ints(k, d->start_indices_batching_dims), key_ints(k, d->start_index_map), key_put(k, d->index_vector_dim);
    key_array(k, n->gather.sizes, n->in[0]->rank);
}

static bool key_call(const cg_node *n, key_writer *k) {
    const cg_call_spec *s = &n->call->spec;
    if (s->flags & CG_CALL_EFFECTS || s->body) return false;
    key_put(k, n->result_count), key_put(k, s->scratch_bytes), key_put(k, (int64_t)s->state_bytes);
    for (uint32_t r = 0; r < n->result_count; r++)
        key_put(k, n->call->types[r]->dtype), key_array(k, n->call->types[r]->dims, n->call->types[r]->rank);
    for (const char *c = s->label; *c; c++) key_put(k, *c);
    for (size_t i = 0; i < s->state_bytes; i++) key_put(k, ((const uint8_t *)s->state)[i]);
    return !k->full;
}

static void key_conv(key_writer *k, const cg_conv *c) {
    const weft_conv_dims *d = &c->dims;
    const int64_t named[] = { d->input_batch,           d->input_feature, d->kernel_input_feature,
                              d->kernel_output_feature, d->output_batch,  d->output_feature };
    key_put(k, c->kind), key_put(k, c->groups), key_array(k, named, WEFT_COUNT(named));
    key_ints(k, d->input_spatial), key_ints(k, d->kernel_spatial), key_ints(k, d->output_spatial);
    key_array(k, c->stride, WEFT_CONV_SPATIAL), key_array(k, c->dilation, WEFT_CONV_SPATIAL),
        key_array(k, c->low, WEFT_CONV_SPATIAL);
}

/* false: the node equals no other one. */
static bool key_of(const cg_node *n, key_writer *k) {
    k->n = 0;
    k->full = false;
    switch ((cg_class)n->cls) {
    case CG_SPLAT: {
        int64_t two[2];
        memcpy(two, n->splat, sizeof two);
        key_array(k, two, 2);
        break;
    }
    case CG_CONSTANT: key_put(k, (int64_t)(uintptr_t)n->data); break; /* equality only: the address gives no order */
    case CG_VIEW: key_view(k, n); break;
    case CG_PAD: key_array(k, n->pad.low, n->rank), key_array(k, n->pad.interior, n->rank); break;
    case CG_GATHER: key_gather(k, n); break;
    case CG_REDUCE:
    case CG_SCAN:
        if (cg_body_op(n->reduce.body) == CG_OP_COUNT) return false;
        key_put(k, (int64_t)n->reduce.dims), key_put(k, cg_body_op(n->reduce.body));
        break;
    case CG_DOT:
        key_ints(k, n->dot.lhs_batch), key_ints(k, n->dot.rhs_batch);
        key_ints(k, n->dot.lhs_contract), key_ints(k, n->dot.rhs_contract);
        break;
    case CG_CONV: key_conv(k, n->conv); break;
    case CG_SCATTER:
    case CG_PLACE: return false;
    case CG_CALL: return key_call(n, k);
    default: break;
    }
    return !k->full;
}

static uint64_t node_hash(const cg_node *n) {
    uint64_t h = weft_hash_mix(n->cls, n->dtype);
    h = weft_hash_mix(h, n->op), h = weft_hash_mix(h, (uint64_t)n->aux), h = weft_hash_mix(h, n->rank);
    for (uint32_t i = 0; i < n->rank; i++) h = weft_hash_mix(h, (uint64_t)n->dims[i]);
    for (uint32_t i = 0; i < n->in_count; i++) h = weft_hash_mix(h, n->in[i]->id);
    if (n->cls != CG_CONSTANT)
        for (uint32_t i = 0; i < n->key_count; i++) h = weft_hash_mix(h, (uint64_t)n->key[i]);
    return weft_hash_end(h);
}

static bool node_equal(const cg_node *a, const cg_node *b) {
    return a->cls == b->cls && a->dtype == b->dtype && a->op == b->op && a->aux == b->aux &&
           a->in_count == b->in_count && a->block == b->block && cg_same_dims(a, b) && a->key_count == b->key_count &&
           !memcmp(a->in, b->in, a->in_count * sizeof(cg_node *)) &&
           !memcmp(a->key, b->key, a->key_count * sizeof *a->key);
}

/* A uniform node is a part of every kernel that reads it, so it must be small against what a kernel may hold
 * (CG_MAX_INS): programs step from a constant to the next number a hundred times. */
static bool is_uniform(cg_node *n) {
    enum { MOST_OPS = 64 };
    n->remade_by = 1;
    if (n->cls == CG_SPLAT) return true;
    if (n->cls != CG_SCALAR || n->op == CG_OP_copy) return false;
    for (uint32_t i = 0; i < n->in_count; i++) {
        if (!n->in[i]->uniform) return false;
        n->remade_by += n->in[i]->remade_by;
    }
    return n->remade_by <= MOST_OPS;
}

cg_node *cg_finish(cg_graph *g, cg_node *n) {
    if (!n || g->status != WEFT_OK) return NULL;
    key_writer k;
    uint64_t hash = 0;
    size_t probe = 0;
    bool merge = key_of(n, &k) && cg_is(n, CG_PURE);
    n->uniform = is_uniform(n);
    if (merge) {
        if (!(n->key = cg_dup(g, k.v, k.n * sizeof *k.v))) return NULL;
        n->key_count = k.n;
        hash = node_hash(n);
        for (const cg_node *old; (old = weft_table_next(&g->pure, hash, &probe));)
            if (node_equal(old, n)) return g->nodes[old->id];
    }
    if (g->count == g->cap &&
        !weft_arena_grow(&g->arena, (void **)&g->nodes, &g->cap, g->count + 1, sizeof *g->nodes)) {
        g->status = weft_oom();
        return NULL;
    }
    n->id = (uint32_t)g->count;
    g->nodes[g->count++] = n;
    if (merge && !weft_table_add(&g->pure, &g->arena, hash, n)) {
        g->status = weft_oom();
        return NULL;
    }
    return n;
}

cg_node *cg_argument(cg_graph *g, cg_block *b, uint32_t index, const weft_type *t) {
    cg_node *n = cg_begin(g, CG_ARGUMENT, t->dtype, t->rank, t->dims, NULL, 0);
    if (!n) return NULL;
    n->aux = index;
    n->block = b;
    return cg_finish(g, n);
}

cg_node *cg_splat(cg_graph *g, weft_dtype t, uint32_t rank, const int64_t *dims, const void *element) {
    cg_node *n = cg_begin(g, CG_SPLAT, t, rank, dims, NULL, 0);
    if (n) memcpy(n->splat, element, weft_dtype_bytes(t));
    return cg_finish(g, n);
}

cg_node *cg_splat_value(cg_graph *g, weft_dtype t, uint32_t rank, const int64_t *dims, double v) {
    uint8_t element[16] = { 0 };
    weft_dtype_store(t, element, v);
    return cg_splat(g, t, rank, dims, element);
}

cg_node *cg_constant(cg_graph *g, const weft_attr *dense) {
    const weft_type *t = dense->type;
    size_t size = weft_dtype_bytes(t->dtype);
    int64_t elems = weft_type_elems(t);
    const char *p = dense->dense.p;
    bool splat = dense->dense.splat || elems == 1;
    for (int64_t i = 1; !splat && i <= elems; i++) {
        if (i == elems) splat = true;
        else if (memcmp(p, p + (size_t)i * size, size)) break;
    }
    if (splat) return cg_splat(g, t->dtype, t->rank, t->dims, p);
    cg_node *n = cg_begin(g, CG_CONSTANT, t->dtype, t->rank, t->dims, NULL, 0);
    if (n) n->data = p;
    return cg_finish(g, n);
}

cg_node *cg_iota(cg_graph *g, weft_dtype t, uint32_t rank, const int64_t *dims, int64_t dim) {
    if (dims[dim] == 1) return cg_splat_value(g, t, rank, dims, 0);
    cg_node *n = cg_begin(g, CG_IOTA, t, rank, dims, NULL, 0);
    if (n) n->aux = dim;
    return cg_finish(g, n);
}

cg_node *cg_copy(cg_graph *g, cg_node *x) {
    if (!x) return NULL;
    cg_node *n = cg_begin(g, CG_SCALAR, (weft_dtype)x->dtype, x->rank, x->dims, &x, 1);
    if (!n) return NULL;
    n->op = CG_OP_copy;
    n->aux = (int64_t)g->count; /* equal to no other copy */
    return cg_finish(g, n);
}

cg_node *cg_in_memory(cg_graph *g, cg_node *x) {
    if (!x) return NULL;
    const cg_node *base = cg_base(x);
    return base->block != g->block && cg_is_rewritten(base) ? cg_copy(g, x) : x;
}

cg_node *cg_part(cg_graph *g, cg_node *of, uint32_t index, const weft_type *t) {
    cg_node *n = cg_begin(g, CG_PART, t->dtype, t->rank, t->dims, &of, 1);
    if (n) n->aux = index;
    return cg_finish(g, n);
}

cg_node *cg_result(const cg_graph *g, cg_node *n, uint32_t r) {
    if (n->result_count == 1 && n->cls != CG_CALL) return n;
    for (uint32_t p = n->id + 1; p <= n->id + n->result_count && p < g->count; p++)
        if (g->nodes[p]->cls == CG_PART && g->nodes[p]->in[0] == n && g->nodes[p]->aux == r) return g->nodes[p];
    return NULL;
}

cg_op cg_body_op_of(const cg_block *body, uint32_t result) {
    const uint32_t n = body->result_count;
    if (body->arg_count != 2 * n) return CG_OP_COUNT;
    const cg_node *r = body->results[result], *left = body->args[result], *right = body->args[n + result];
    if (r->cls != CG_SCALAR || r->in_count != 2) return CG_OP_COUNT;
    bool straight = r->in[0] == left && r->in[1] == right;
    bool crossed = r->in[0] == right && r->in[1] == left;
    bool commutes = r->op == CG_OP_add || r->op == CG_OP_multiply || r->op == CG_OP_maximum || r->op == CG_OP_minimum ||
                    r->op == CG_OP_and || r->op == CG_OP_or || r->op == CG_OP_xor;
    return commutes && (straight || crossed) ? (cg_op)r->op : CG_OP_COUNT;
}

cg_op cg_body_op(const cg_block *body) { return body->result_count == 1 ? cg_body_op_of(body, 0) : CG_OP_COUNT; }

bool cg_neutral(cg_op op, weft_dtype t, void *element) {
    const weft_dtype_info *info = weft_dtype_of(t);
    if (info->kind == WEFT_KIND_COMPLEX && op != CG_OP_add && op != CG_OP_multiply) return false;
    if (t == WEFT_F8E8M0FNU && op == CG_OP_add) return false; /* it has no zero */
    switch (op) {
    case CG_OP_add: case CG_OP_or: case CG_OP_xor: weft_dtype_store(t, element, 0); return true;
    case CG_OP_multiply: weft_dtype_store(t, element, 1); return true;
    case CG_OP_maximum:
        weft_dtype_store(t, element, weft_dtype_least(t));
        return true;
    case CG_OP_minimum:
        weft_dtype_store(t, element, weft_dtype_greatest(t));
        return true;
    case CG_OP_and:
        if (info->kind == WEFT_KIND_BOOL) weft_dtype_store(t, element, 1);
        else memset(element, 0xff, info->stored_bytes);
        return true;
    default: return false;
    }
}

cg_node *cg_base(cg_node *n) {
    while (n->cls == CG_RESHAPE && !n->in[0]->strides) n = n->in[0];
    return n;
}

static bool reads_within(const cg_node *n, const cg_node *x, uint32_t *budget) {
    if (cg_base((cg_node *)n) == x || !*budget) return true;
    --*budget;
    if (!cg_is(n, CG_LOOP) || n->block != x->block) return false;
    for (uint32_t i = 0; i < n->in_count; i++)
        if (reads_within(n->in[i], x, budget)) return true;
    return false;
}

bool cg_reads(const cg_node *n, const cg_node *x) {
    uint32_t budget = 300;
    return reads_within(n, x, &budget);
}

bool cg_is_small_part(const cg_node *x, const cg_node *update) {
    return x->elems >= 256 && update->elems && update->elems <= x->elems / 4;
}
