/* carry_sorted: a sort carries the arrays that are gathered in its order.
 *
 * JAX writes y[argsort(x)] as a sort of x with the numbers of its elements, and a gather of y at the sorted numbers;
 * unique and lexsort are such programs. Along a split dimension an index may be anywhere, so that every device gets all
 * of y. A sort sends each element to one device. So the sort takes y as one more operand, unless it has y already, and
 * what was gathered is a result of the sort. Where nothing else reads the sorted numbers, pass cse removes them. For a
 * descending order JAX sorts what it has reversed, numbers too, and reverses the result: so does this.
 *
 * Pass weft-carry-sorted. Needs: shardings of values. Leaves: no gather of single elements, along a dimension that is
 * split, whose indices are the numbers that a sort of the same block has put in order, if what is gathered is there
 * before the sort. Numbers may have been wrapped and clamped where that changes none (index_range.h). Source:
 * StableHLO's specification, sort and gather: a sort's results are its operands in one order.
 */
#include "ir/rewrite.h"
#include "partitioner/lower/index_range.h"
#include "partitioner/lower/local.h"
#include "partitioner/lower/op_facts.h"
#include "partitioner/partition.h"
#include "partitioner/prepare/element_order.h"
#include "sharding/data_flow.h"

/* A gather in the order of a sort. */
typedef struct follower {
    const weft_op *gather, *sort;
    const weft_value *y;
    bool sorts_reversed;         /* the numbers that are sorted fall, so that y is sorted in reverse, */
    bool reads_reversed;         /* and what is gathered is the sort's result in reverse */
    uint32_t result;             /* the sort's result that has what is gathered */
    weft_value *made;            /* which is this */
    struct follower *next;       /* of the same sort, in program order */
} follower;

typedef struct rewriter {
    weft_context *cx;
    weft_arena *arena;
    weft_shardings *shardings;
    follower **of;               /* by op id: of a gather its own entry, of a sort its first */
    bool any;
} rewriter;

/* --- which gathers ------------------------------------------------------------------------------------------------ */

/* The operand of op that has op's numbers in their order; NULL: none has. */
static const weft_value *unchanged(const weft_op *op) {
    const weft_value *const *in = (const weft_value *const *)op->operands;
    weft_range x, low, high;
    switch ((int)op->kind) {
    case WEFT_OP_convert:
        return weft_index_is_known(weft_index_range_of(&op->results[0])) ? in[0] : NULL;
    case WEFT_OP_select: return weft_index_is_never(in[0]) ? in[2] : NULL;
    case WEFT_OP_clamp:
        low = weft_index_range_of(in[0]), x = weft_index_range_of(in[1]), high = weft_index_range_of(in[2]);
        return low.high <= x.low && x.high <= high.low ? in[1] : NULL;
    case WEFT_OP_maximum:
        low = weft_index_range_of(in[1]), x = weft_index_range_of(in[0]);
        return low.high <= x.low ? in[0] : NULL;
    case WEFT_OP_minimum:
        x = weft_index_range_of(in[0]), high = weft_index_range_of(in[1]);
        return x.high <= high.low ? in[0] : NULL;
    default: return weft_op_keeps_order(op) ? in[0] : NULL;
    }
}

/* What op reverses along d alone; NULL: it does not. */
static const weft_value *reversed_along(const weft_value *v, uint32_t d) {
    v = weft_value_root(v);
    if (!v->def || v->def->kind != WEFT_OP_reverse) return NULL;
    const weft_ints dims = weft_op_ints(v->def, WEFT_A_dimensions);
    return dims.n == 1 && dims.v[0] == (int64_t)d ? weft_value_root(v->def->operands[0]) : NULL;
}

/* Whether the elements of v are their own numbers along d. */
static bool is_count(const weft_value *v, uint32_t d) {
    v = weft_value_root(v);
    for (; v->def && v->def->kind == WEFT_OP_broadcast_in_dim; v = weft_value_root(v->def->operands[0])) {
        const weft_ints to = weft_op_ints(v->def, WEFT_A_broadcast_dimensions);
        const int64_t n = v->type->dims[d];
        uint32_t e = 0;
        while (e < to.n && to.v[e] != (int64_t)d) e++;
        if (e == to.n || v->def->operands[0]->type->dims[e] != n) return false;
        d = e;
    }
    return v->def && v->def->kind == WEFT_OP_iota && weft_op_int(v->def, WEFT_A_iota_dimension, 0) == (int64_t)d &&
           weft_index_is_known(weft_index_range_of(v));
}

#define MOST_STEPS 16 /* from indices back to a sort */

/* Fills in the sort whose numbers indices are, in its order or the reverse; its dimension is *d. */
static bool follows_sort(const weft_value *indices, follower *f, uint32_t *d) {
    const weft_value *v = weft_value_root(indices), *next, *numbers;
    int64_t along = -1; /* the dimension that was reversed */
    for (int i = 0; i < MOST_STEPS && v->def && v->def->kind != WEFT_OP_sort; i++, v = weft_value_root(next)) {
        const weft_ints dims = weft_op_ints(v->def, WEFT_A_dimensions);
        next = unchanged(v->def);
        if (!next && v->def->kind == WEFT_OP_reverse && along < 0 && dims.n == 1) {
            along = dims.v[0];
            next = v->def->operands[0];
        }
        if (!next) return false;
    }
    if (!v->def || v->def->kind != WEFT_OP_sort) return false;
    *d = (uint32_t)weft_op_int(v->def, WEFT_A_dimension, 0);
    numbers = v->def->operands[v->index];
    next = reversed_along(numbers, *d);
    f->sort = v->def;
    f->sorts_reversed = next != NULL;
    f->reads_reversed = along >= 0;
    return is_count(next ? next : numbers, *d) && (along < 0 || along == (int64_t)*d);
}

static bool is_every_other(weft_ints dims, uint32_t rank, uint32_t d) {
    uint32_t n = 0;
    for (uint32_t e = 0; e < rank; e++)
        if (e != d && (n == dims.n || dims.v[n++] != (int64_t)e)) return false;
    return n == dims.n;
}

/* Whether op takes, along d, one element of its operand for each index, and along the others the index's own. */
static bool takes_along(const weft_op *op, uint32_t d) {
    const weft_type *y = op->operands[0]->type, *index = op->operands[1]->type;
    const weft_gather_dims *n = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    const bool own_dim = n->index_vector_dim == (int64_t)index->rank;
    return d < y->rank && op->results[0].type == y && weft_type_is_static(y) && !n->offset_dims.n &&
           n->start_index_map.n == 1 && n->start_index_map.v[0] == (int64_t)d && n->collapsed_slice_dims.n == 1 &&
           n->collapsed_slice_dims.v[0] == (int64_t)d && is_every_other(n->operand_batching_dims, y->rank, d) &&
           is_every_other(n->start_indices_batching_dims, y->rank, d) &&
           (own_dim || n->index_vector_dim == (int64_t)y->rank);
}

static bool comes_before(const weft_value *y, const weft_op *op) {
    if (!y->def || y->def->parent != op->parent) return true; /* of a block around it, which both see */
    for (const weft_op *o = op->prev; o; o = o->prev)
        if (o == y->def) return true;
    return false;
}

static weft_status is_split(rewriter *w, const weft_value *y, uint32_t d, bool *split) {
    const weft_sharding *s;
    weft_status st = weft_value_sharding_inside(w->cx, w->shardings, y, &s);
    *split = st == WEFT_OK && s && s->dims[d].axes.n > 0;
    return st;
}

/* What v has the elements of, in other shapes. */
static const weft_value *source(const weft_value *v) {
    for (v = weft_value_root(v); v->def && weft_op_keeps_order(v->def);) v = weft_value_root(v->def->operands[0]);
    return v;
}

static bool are_alike(const weft_value *a, const weft_value *b) {
    return a->type == b->type && source(a) == source(b);
}

/* The sort's result that has what f gathers: of an operand, or one that an earlier follower has asked for, or a new
 * one. */
static void choose_result(const rewriter *w, follower *f) {
    follower **end = &w->of[f->sort->id];
    f->result = f->sort->operand_count;
    const uint32_t d = (uint32_t)weft_op_int(f->sort, WEFT_A_dimension, 0);
    for (uint32_t i = f->sort->operand_count; i-- > 0;) {
        const weft_value *x = f->sort->operands[i];
        if (f->sorts_reversed) x = reversed_along(x, d);
        if (x && are_alike(x, f->y)) f->result = i;
    }
    bool found = f->result < f->sort->operand_count;
    for (; *end; end = &(*end)->next) {
        if (found) continue;
        if ((found = are_alike((*end)->y, f->y))) f->result = (*end)->result;
        else if (f->result <= (*end)->result) f->result = (*end)->result + 1;
    }
    *end = f;
}

static weft_status find(void *user, weft_op *op) {
    rewriter *w = user;
    follower of = { .gather = op };
    bool split = false;
    uint32_t d;
    if (op->kind != WEFT_OP_gather || !follows_sort(op->operands[1], &of, &d) || of.sort->parent != op->parent ||
        !takes_along(op, d))
        return WEFT_OK;
    of.y = op->operands[0];
    while (!comes_before(of.y, of.sort) && weft_op_is_marker(of.y->def)) of.y = of.y->def->operands[0];
    if (!weft_type_same_dims(of.y->type, of.sort->operands[0]->type) || !comes_before(of.y, of.sort)) return WEFT_OK;
    weft_status st = is_split(w, of.y, d, &split);
    if (st != WEFT_OK || !split) return st;
    follower *f = weft_arena_array(w->arena, follower, 1);
    if (!f) return weft_oom();
    *f = of;
    choose_result(w, f);
    w->of[op->id] = f;
    w->any = true;
    return WEFT_OK;
}

/* --- the sort ----------------------------------------------------------------------------------------------------- */

/* The shardings of a sort's results: its own, and those of the gathers for what it carries for them. */
static weft_status shard(const rewriter *w, weft_builder *b, const weft_op *old, weft_op *made,
                         const weft_sharding **of) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < old->result_count && st == WEFT_OK; i++)
        st = weft_value_sharding(w->shardings, &old->results[i], &of[i]);
    for (const follower *f = w->of[old->id]; f && st == WEFT_OK; f = f->next)
        if (f->result >= old->result_count)
            st = weft_value_sharding(w->shardings, &f->gather->results[0], &of[f->result]);
    return st == WEFT_OK ? weft_op_set_shardings(w->shardings, b->m, made, of) : st;
}

/* x along the sort's dimension in reverse, sharded like `like`. */
static weft_value *reversed(const rewriter *w, weft_builder *b, const weft_op *sort, weft_value *x,
                            const weft_value *like) {
    const int64_t d = weft_op_int(sort, WEFT_A_dimension, 0);
    const weft_attr_pair attr = { WEFT_A_dimensions, weft_attr_ints(w->cx, WEFT_I64, &d, 1) };
    const weft_sharding *s = NULL;
    weft_value *v = x ? weft_build_1(b, WEFT_OP_reverse, x->type, &x, 1, &attr, 1) : NULL;
    if (v) b->status = weft_value_sharding_inside(w->cx, w->shardings, like, &s);
    if (v && s && b->status == WEFT_OK) b->status = weft_op_set_shardings(w->shardings, b->m, v->def, &s);
    return b->status == WEFT_OK ? v : NULL;
}

/* y of f for the sort. */
static weft_value *operand(weft_rewrite *r, weft_builder *b, const follower *f) {
    weft_value *y = r->map.to[f->y->id];
    return f->sorts_reversed ? reversed(r->user, b, f->sort, y, f->y) : y;
}

static weft_status carry(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    const rewriter *w = r->user;
    uint32_t n = op->operand_count;
    for (const follower *f = w->of[op->id]; f; f = f->next) n = f->result < n ? n : f->result + 1;
    const weft_mark mark = weft_arena_mark(&w->cx->scratch);
    weft_value **x = weft_scratch_array(w->cx, weft_value *, n);
    uint32_t *from = weft_scratch_array(w->cx, uint32_t, n);
    const weft_sharding **of = weft_scratch_array(w->cx, const weft_sharding *, n);
    weft_status st = x && from && of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        from[i] = i < op->operand_count ? i : WEFT_NOT_COMPARED;
        if (i < op->operand_count) x[i] = r->map.to[op->operands[i]->id];
    }
    for (const follower *f = w->of[op->id]; f && st == WEFT_OK; f = f->next)
        if (f->result >= op->operand_count && !x[f->result] && !(x[f->result] = operand(r, b, f)))
            st = b->status != WEFT_OK ? b->status : weft_oom();
    weft_op *made = st == WEFT_OK ? weft_rewrite_sort(r, b, op, x, from, n, op->attrs, op->attr_count) : NULL;
    if (st == WEFT_OK && !made) st = b->status != WEFT_OK ? b->status : weft_oom();
    if (st == WEFT_OK) st = shard(w, b, op, made, of);
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) r->map.to[op->results[i].id] = &made->results[i];
    for (follower *f = w->of[op->id]; f && st == WEFT_OK; f = f->next) f->made = &made->results[f->result];
    weft_arena_reset(&w->cx->scratch, mark);
    return st;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const rewriter *w = r->user;
    const follower *f = w->of[op->id];
    if (!f) return WEFT_OK;
    *did = WEFT_DONE;
    if (op->kind == WEFT_OP_sort) return carry(r, b, op);
    weft_value *v = f->reads_reversed ? reversed(w, b, f->sort, f->made, &op->results[0]) : f->made;
    r->map.to[op->results[0].id] = v;
    return v ? WEFT_OK : b->status != WEFT_OK ? b->status : weft_oom();
}

weft_status weft_pass_carry_sorted(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    rewriter w = { .cx = p->cx, .arena = &arena };
    if (!weft_module_had(in, WEFT_OP_sort) || !weft_module_had(in, WEFT_OP_gather)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    w.of = weft_arena_array(&arena, follower *, in->op_count);
    weft_status st = w.of ? weft_shardings_open(p->cx, in, &arena, &w.shardings) : weft_oom();
    if (st == WEFT_OK) st = weft_module_walk(in, find, &w);
    if (st == WEFT_OK && w.any) st = weft_rewrite_module(&(weft_rewrite){ .user = &w, .op = offered }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
