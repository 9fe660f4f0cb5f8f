/* fuse_key.c: the key of a trace, by which equal ones are known.
 *
 * A program repeats its layers, and fusion asks of each what it asked of the one before: can these nodes be one loop
 * nest, and what does it cost? A trace reads the nodes that it computes, the nodes that these load, and the edges
 * between them. The key is that as numbers. Nodes are numbered as they are met, breadth first from the roots. Of each
 * node the key has its kind, which is all of it but its operands, and, where it is computed inside, the numbers of its
 * operands. Traces of equal keys make equal kernels of nodes of equal numbers.
 */
#include "codegen/body.h"
#include "codegen/fuse_key.h"

typedef struct kind { const int64_t *v; size_t n; uint32_t number; } kind;

struct fuse_keys {
    const cg_graph *g;
    weft_arena *arena;
    uint32_t *inside, *loaded; /* by node id: the kind of a node that is computed inside, or read; 0: not asked for */
    weft_table kinds;
    uint32_t kind_count;
    int64_t *payload;       /* of the kind at hand */
    size_t payload_n, payload_cap;
    uint32_t *number, *seen, stamp; /* by node id: its number in the key at hand, where seen says so */
    bool failed;            /* memory is out */
    fuse_key key;
    size_t word_cap, node_cap;
};

fuse_keys *fuse_keys_new(const cg_graph *g, weft_arena *arena) {
    fuse_keys *s = weft_arena_new(arena, fuse_keys);
    if (!s) return NULL;
    s->g = g, s->arena = arena;
    s->inside = weft_arena_array(arena, uint32_t, g->count);
    s->loaded = weft_arena_array(arena, uint32_t, g->count);
    s->number = weft_arena_array(arena, uint32_t, g->count);
    s->seen = weft_arena_array(arena, uint32_t, g->count);
    return s->inside && s->loaded && s->number && s->seen ? s : NULL;
}

/* --- kinds ------------------------------------------------------------------------------------------------------- */

static void put(fuse_keys *s, int64_t v) {
    if (s->payload_n == s->payload_cap &&
        !weft_arena_grow(s->arena, (void **)&s->payload, &s->payload_cap, s->payload_n + 1, sizeof *s->payload))
        s->failed = true;
    if (!s->failed) s->payload[s->payload_n++] = v;
}

static void put_all(fuse_keys *s, const int64_t *v, size_t n) {
    put(s, (int64_t)n);
    for (size_t i = 0; i < n; i++) put(s, v[i]);
}

static void put_number(void *user, int64_t v) { put(user, v); }

static void put_body(fuse_keys *s, const cg_node *n, const cg_block *b) {
    cg_body body;
    const weft_status st = cg_body_read(s->arena, b, &body, NULL);
    if (st == WEFT_OK) cg_body_key(&body, put_number, s);
    else if (st == WEFT_ERR_MEMORY) s->failed = true;
    else put(s, n->id); /* equal to no other */
}

/* What a node without a key of its own (graph.c) is beside its type and its operands. */
static void put_keyless(fuse_keys *s, const cg_node *n) {
    const weft_scatter_dims *d = &n->scatter.dims;
    switch (n->cls) {
    case CG_REDUCE:
    case CG_SCAN:
        put(s, (int64_t)n->reduce.dims);
        put_body(s, n, n->reduce.body);
        break;
    case CG_SCATTER:
        put_all(s, d->update_window_dims.v, d->update_window_dims.n);
        put_all(s, d->inserted_window_dims.v, d->inserted_window_dims.n);
        put_all(s, d->input_batching_dims.v, d->input_batching_dims.n);
        put_all(s, d->scatter_indices_batching_dims.v, d->scatter_indices_batching_dims.n);
        put_all(s, d->scatter_dims_to_operand_dims.v, d->scatter_dims_to_operand_dims.n);
        put(s, d->index_vector_dim);
        put_body(s, n, n->scatter.body);
        break;
    case CG_PLACE: break;
    default: put(s, n->id);
    }
}

static uint32_t kind_number(fuse_keys *s) {
    const uint64_t hash = weft_hash_end(weft_hash_bytes(0, s->payload, s->payload_n * sizeof *s->payload));
    size_t probe = 0;
    for (const kind *k; (k = weft_table_next(&s->kinds, hash, &probe));)
        if (k->n == s->payload_n && !memcmp(k->v, s->payload, k->n * sizeof *k->v)) return k->number;
    kind *k = weft_arena_new(s->arena, kind);
    const int64_t *v = weft_arena_dup(s->arena, s->payload, s->payload_n * sizeof *v, _Alignof(int64_t));
    if (k && v) *k = (kind){ v, s->payload_n, ++s->kind_count };
    if (!k || !v || !weft_table_add(&s->kinds, s->arena, hash, k)) {
        s->failed = true;
        return 0;
    }
    return k->number;
}

/* Of a node that is read, a trace asks where its elements lie. */
static uint32_t kind_of(fuse_keys *s, const cg_node *n, bool inside) {
    uint32_t *known = inside ? &s->inside[n->id] : &s->loaded[n->id];
    if (*known) return *known;
    s->payload_n = 0;
    put(s, inside ? n->cls : -1), put(s, n->dtype), put_all(s, n->dims, n->rank);
    put(s, n->strides != NULL);
    for (uint32_t d = 0; n->strides && d < n->rank; d++) put(s, n->strides[d]);
    if (inside) {
        const bool copy = n->cls == CG_SCALAR && n->op == CG_OP_copy; /* its aux is a number of its own */
        put(s, n->op), put(s, copy ? 0 : n->aux), put(s, n->in_count), put(s, n->result_count), put(s, n->uniform);
        if (n->key) put_all(s, n->key, n->key_count);
        else put_keyless(s, n);
    }
    return s->failed ? 0 : (*known = kind_number(s));
}

/* --- keys -------------------------------------------------------------------------------------------------------- */

static void put_word(fuse_keys *s, uint32_t w) {
    fuse_key *k = &s->key;
    if (k->word_count == s->word_cap &&
        !weft_arena_grow(s->arena, (void **)&k->word, &s->word_cap, k->word_count + 1, sizeof *k->word))
        s->failed = true;
    if (!s->failed) k->word[k->word_count++] = w;
}

static void put_long(fuse_keys *s, int64_t v) { put_word(s, (uint32_t)v), put_word(s, (uint32_t)((uint64_t)v >> 32)); }

static uint32_t number_of(fuse_keys *s, cg_node *n) {
    fuse_key *k = &s->key;
    if (s->seen[n->id] == s->stamp) return s->number[n->id];
    s->seen[n->id] = s->stamp;
    if (k->node_count == s->node_cap &&
        !weft_arena_grow(s->arena, (void **)&k->node, &s->node_cap, k->node_count + 1, sizeof *k->node))
        s->failed = true;
    if (s->failed) return 0;
    k->node[k->node_count] = n;
    return s->number[n->id] = k->node_count++;
}

static void put_operands(fuse_keys *s, cg_node *n, cg_inlines inlines, void *user) {
    const uint32_t count = cg_is_gated(n) ? 1 : n->in_count; /* a gate has no value */
    for (uint32_t i = 0; i < count; i++) put_word(s, number_of(s, n->in[i]));
    for (uint32_t i = 0; cg_in_place(n) && i < n->in_count; i++) put_word(s, inlines(user, cg_base(n->in[i])));
    for (uint32_t r = 0; n->result_count > 1 && r < n->result_count; r++) {
        cg_node *result = cg_result(s->g, n, r);
        put_word(s, result ? number_of(s, result) : CG_NONE);
    }
}

const fuse_key *fuse_key_of(fuse_keys *s, int64_t total, int64_t row, cg_node *const *roots, uint32_t root_count,
                            cg_inlines inlines, void *user) {
    fuse_key *k = &s->key;
    k->word_count = 0, k->node_count = 0;
    s->stamp++;
    put_long(s, total), put_long(s, row), put_word(s, root_count);
    for (uint32_t i = 0; i < root_count; i++) put_word(s, number_of(s, roots[i]));
    for (uint32_t i = 0; i < k->node_count && !s->failed; i++) {
        cg_node *n = k->node[i];
        const bool inside = i < root_count || inlines(user, n);
        put_word(s, kind_of(s, n, inside) << 1 | inside);
        if (inside) put_operands(s, n, inlines, user);
    }
    if (s->failed) return NULL;
    k->hash = weft_hash_end(weft_hash_bytes(0, k->word, k->word_count * sizeof *k->word));
    return k;
}

const fuse_key *fuse_keys_last(const fuse_keys *s) { return &s->key; }

uint32_t fuse_key_number(const fuse_keys *s, const cg_node *n) {
    return s->seen[n->id] == s->stamp ? s->number[n->id] : CG_NONE;
}
