/* index_batches: a component of a gather's or scatter's indices that counts along a dimension of its own makes this
 * dimension a batch.
 *
 * JAX writes x[jnp.arange(B), i] and cache.at[jnp.arange(B), i].set(u) as a gather and a scatter of pairs (b, i[b]). A
 * partitioner that takes the b for any numbers has to look for x[b] on all devices: it gathers the indices and the
 * updates, or adds results up. With dimension b of the operand and of the indices as batching dimensions a device that
 * has a part of each needs nothing from others.
 *
 * Pass weft-index-batches. Needs: shardings of values. Leaves: no gather or scatter, whose indices have further
 * components, with a component that is known to be the place along a dimension of the indices, from 0 to the end of the
 * operand's dimension, where the operand's dimension is collapsed or inserted. Source: StableHLO's specification,
 * gather and scatter.
 */
#include "partitioner/lower/index_steps.h"
#include "partitioner/partition.h"
#include "partitioner/prepare/sharded.h"

/* What gather and scatter call by different names, with room for changes. */
typedef struct numbering {
    int64_t single[WEFT_MAX_RANK], batching[WEFT_MAX_RANK], indices_batching[WEFT_MAX_RANK], to[WEFT_MAX_RANK];
    uint32_t singles, batches, tos;
    uint32_t kept[WEFT_MAX_RANK]; /* the component of the indices as they were that to[i] is of */
    uint32_t operand, indices;    /* numbers of these operands of the op */
    uint32_t vector_dim;
} numbering;

static void take(int64_t *to, uint32_t *n, weft_ints from) {
    for (*n = 0; *n < from.n; ++*n) to[*n] = from.v[*n];
}

static numbering numbering_of(const weft_op *op) {
    numbering n = { 0 };
    uint32_t same;
    if (op->kind == WEFT_OP_gather) {
        const weft_gather_dims *g = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
        take(n.single, &n.singles, g->collapsed_slice_dims);
        take(n.batching, &n.batches, g->operand_batching_dims);
        take(n.indices_batching, &same, g->start_indices_batching_dims);
        take(n.to, &n.tos, g->start_index_map);
        n.indices = 1;
        n.vector_dim = (uint32_t)g->index_vector_dim;
    } else {
        const weft_scatter_dims *s = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
        take(n.single, &n.singles, s->inserted_window_dims);
        take(n.batching, &n.batches, s->input_batching_dims);
        take(n.indices_batching, &same, s->scatter_indices_batching_dims);
        take(n.to, &n.tos, s->scatter_dims_to_operand_dims);
        n.indices = op->result_count;
        n.vector_dim = (uint32_t)s->index_vector_dim;
    }
    for (uint32_t i = 0; i < n.tos; i++) n.kept[i] = i;
    return n;
}

static bool has(const int64_t *v, uint32_t n, int64_t x, uint32_t *at) {
    for (*at = 0; *at < n; ++*at)
        if (v[*at] == x) return true;
    return false;
}

/* The dimension of the indices along which component i of them counts all places of dimension d of the operand. */
static bool counts_along(const weft_op *op, const numbering *n, uint32_t i, uint32_t *along) {
    const weft_value *indices = op->operands[n->indices];
    const int64_t size = op->operands[0]->type->dims[n->to[i]];
    weft_steps at;
    uint32_t found = 0, none;
    if (!weft_index_steps(indices, n->vector_dim, n->kept[i], &at) || at.start) return false;
    for (uint32_t b = 0; b < indices->type->rank; b++) {
        if (b == n->vector_dim || indices->type->dims[b] == 1 || !at.step[b]) continue;
        if (at.step[b] != 1 || indices->type->dims[b] != size) return false;
        found++;
        *along = b;
    }
    return found == 1 && !has(n->indices_batching, n->batches, *along, &none);
}

static void remove_at(int64_t *v, uint32_t *n, uint32_t at) {
    for (--*n; at < *n; at++) v[at] = v[at + 1];
}

/* Component i counts along dimension b of the indices: what it chooses is a batch. Batching dimensions of the operand
 * are listed in rising order. */
static void make_batch(numbering *n, uint32_t i, uint32_t single, uint32_t b) {
    uint32_t at = n->batches++;
    for (; at > 0 && n->batching[at - 1] > n->to[i]; at--) {
        n->batching[at] = n->batching[at - 1];
        n->indices_batching[at] = n->indices_batching[at - 1];
    }
    n->batching[at] = n->to[i];
    n->indices_batching[at] = b;
    remove_at(n->single, &n->singles, single);
    remove_at(n->to, &n->tos, i);
    for (; i < n->tos; i++) n->kept[i] = n->kept[i + 1];
}

/* Whether op has such components; n: its numbers with these as batches. One component stays, for indices without any
 * have no elements. */
static bool batches_of(const weft_op *op, numbering *n) {
    bool any = false;
    uint32_t along, single;
    if (op->kind != WEFT_OP_gather && op->kind != WEFT_OP_scatter) return false;
    *n = numbering_of(op);
    const weft_type *index = op->operands[n->indices]->type;
    if (!weft_type_is_static(op->operands[0]->type) || !weft_type_is_static(index) || n->vector_dim == index->rank ||
        weft_op_attr(op, WEFT_A_sdy_sharding_rule))
        return false;
    for (uint32_t i = 0; i < n->tos && n->tos > 1;)
        if (has(n->single, n->singles, n->to[i], &single) && counts_along(op, n, i, &along)) {
            make_batch(n, i, single, along);
            any = true;
        } else {
            i++;
        }
    return any;
}

/* Gives v, some components of indices, their sharding. */
static weft_value *shard_components(const weft_sharded *w, weft_builder *b, const numbering *n,
                                    const weft_value *indices, weft_value *v) {
    uint32_t from[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < indices->type->rank; d++) from[d] = d == n->vector_dim ? WEFT_NO_DIM : d;
    return weft_sharded_as(w, b, indices, from, v);
}

/* Component c of the indices: what the op that put them together was given, or a slice. */
static weft_value *component(const weft_sharded *w, weft_rewrite *r, weft_builder *b, const numbering *n,
                             const weft_value *indices, uint32_t c) {
    const weft_op *def = indices->def;
    int64_t from[WEFT_MAX_RANK] = { 0 }, to[WEFT_MAX_RANK], step[WEFT_MAX_RANK], at = 0;
    if (def && def->kind == WEFT_OP_concatenate && weft_op_int(def, WEFT_A_dimension, 0) == n->vector_dim)
        for (uint32_t i = 0; i < def->operand_count; at += def->operands[i++]->type->dims[n->vector_dim])
            if (at == c && def->operands[i]->type->dims[n->vector_dim] == 1) return r->map.to[def->operands[i]->id];
    for (uint32_t d = 0; d < indices->type->rank; d++) {
        to[d] = indices->type->dims[d];
        step[d] = 1;
    }
    from[n->vector_dim] = c;
    to[n->vector_dim] = c + 1;
    return shard_components(w, b, n, indices, weft_build_slice(b, r->map.to[indices->id], from, to, step));
}

static weft_value *components(const weft_sharded *w, weft_rewrite *r, weft_builder *b, const numbering *n,
                              const weft_value *indices) {
    weft_value *each[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < n->tos; i++) {
        each[i] = component(w, r, b, n, indices, n->kept[i]);
        if (!each[i]) return NULL;
    }
    if (n->tos == 1) return each[0];
    return shard_components(w, b, n, indices, weft_build_concatenate(b, each, n->tos, n->vector_dim));
}

static weft_ints list(const int64_t *v, uint32_t n) { return (weft_ints){ v, n }; }

/* made: a copy of op, or its shell. */
static weft_status set_numbers(weft_builder *b, const weft_op *op, const numbering *n, weft_op *made) {
    const weft_attr_name name =
        op->kind == WEFT_OP_gather ? WEFT_A_dimension_numbers : WEFT_A_scatter_dimension_numbers;
    const weft_ints single = list(n->single, n->singles), batching = list(n->batching, n->batches),
                    indices = list(n->indices_batching, n->batches), to = list(n->to, n->tos);
    weft_attr dims = *weft_op_attr(op, name);
    if (op->kind == WEFT_OP_gather) {
        dims.gather.collapsed_slice_dims = single;
        dims.gather.operand_batching_dims = batching;
        dims.gather.start_indices_batching_dims = indices;
        dims.gather.start_index_map = to;
    } else {
        dims.scatter.inserted_window_dims = single;
        dims.scatter.input_batching_dims = batching;
        dims.scatter.scatter_indices_batching_dims = indices;
        dims.scatter.scatter_dims_to_operand_dims = to;
    }
    const weft_attr *kept = weft_attr_copy(b->m->cx, &dims);
    weft_status st = kept ? weft_op_set(b->m, made, name, kept) : weft_oom();
    return st == WEFT_OK ? weft_op_set(b->m, made, WEFT_A_indices_are_sorted, NULL) : st;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    numbering n;
    if (!batches_of(op, &n)) return WEFT_OK;
    *did = WEFT_DONE;
    weft_value *indices = components(r->user, r, b, &n, op->operands[n.indices]);
    weft_op *made = indices ? weft_clone_op(b, op, &r->map) : NULL;
    if (!made) return b->status != WEFT_OK ? b->status : weft_oom();
    made->operands[n.indices] = indices;
    return set_numbers(b, op, &n, made);
}

static bool has_batches(const weft_op *op) {
    numbering n;
    return batches_of(op, &n);
}

weft_status weft_pass_index_batches(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_sharded_rewrite(p, in, has_batches, offered, out);
}
