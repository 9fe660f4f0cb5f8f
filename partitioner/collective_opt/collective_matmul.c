/* collective_matmul: a product begins with the part of its operand that is there, while the other parts travel.
 *
 * Pass weft-collective-matmul. Needs: plain StableHLO on local shapes. Leaves: instead of an all_gather whose result
 * products read along a free dimension, a ring. In each of p steps a device multiplies the part that it holds and hands
 * it on, so that each permute can pass beside a product (codegen/overlap.c):
 *
 *     g = all_gather(x)            x1 = permute(x);   y0 = x . w
 *     y = g . w               ->   x2 = permute(x1);  y1 = x1 . w;  ...  y(p-1) = x(p-1) . w
 *                                  y = y0, y1 ... turned, so that each part stands at its device's number
 *
 * All products of one gather that can stand where the first of them does share the ring; other readers of the gathered
 * value finds it put together of the same parts. Each element is computed as before, from the same row and column, so
 * all devices still agree on it.
 *
 * With any-order the same is done to a reduce_scatter of a product: what a device hands on is a sum that began
 * elsewhere, to which it adds its product for that part. Each part is then added up in another order than that of the
 * ranks, which is why it has to be asked for.
 *
 * The ring has as many bytes on the wire as the gather; it costs p - 1 calls, and reads the other operand p times. It
 * is made where the cost model finds that it hides more than that (cost `ring-gain`), what could pass beside earlier
 * code in any case not counted. A permute lists its pairs, so that p and the number of devices are bounded here.
 *
 * Source: Wang et al., "Overlap Communication with Dependent Computation via Decomposition in Large Deep Learning
 * Models", ASPLOS 2023.
 */
#include "cost/environment.h"
#include "cost/op.h"
#include "ir/process.h"
#include "ir/rewrite.h"
#include "ir/trips.h"
#include "partitioner/layout/device_number.h"
#include "partitioner/layout/group_axes.h"
#include "partitioner/lower/local.h"
#include "partitioner/partition.h"

enum { MOST_PARTS = 16, MOST_DEVICES = 4096 };

/* parts come as that operand; dim: of its result */
typedef struct product { const weft_op *op; uint32_t operand; int64_t dim; } product;

/* What becomes a ring. */
typedef struct ring {
    const weft_op *moves;          /* the all_gather or reduce_scatter */
    product *products; uint32_t count, cap;
    uint32_t dim;                  /* of the gathered value, or of what is scattered */
    int64_t parts, rows;           /* rows of one part */
    bool whole;                    /* others read the gathered value too */
    bool given_up;
    weft_group_axes group;
    struct ring *next;
} ring;

/* Pairs of a ring along axes; each attribute once. */
typedef struct ring_pairs { const weft_attr *groups, *pairs; int64_t hop; struct ring_pairs *next; } ring_pairs;

typedef struct matmuls {
    weft_context *cx;
    weft_arena *arena;
    const weft_module *in;
    const weft_machine *machine;
    bool any_order;
    ring *first, **last;
    ring **of;                     /* by op id: a gather that may become a ring */
    ring **at;                     /* by op id: where the ring is written */
    bool *gone;                    /* by op id */
    uint32_t *order, *uses;        /* by op id, as they stand, from 1; by value id */
    uint32_t walked;
    ring_pairs *pairs;
    int64_t channel;
} matmuls;

/* ---- what can be ---- */

/* The dimension of dot's result that dimension d of this operand becomes; -1: it is a batch, or added up. */
static int64_t result_dim(const weft_op *dot, uint32_t operand, int64_t d) {
    const weft_dot_dims *n = &weft_op_attr(dot, WEFT_A_dot_dimension_numbers)->dot;
    const weft_ints batch = operand ? n->rhs_batch : n->lhs_batch,
                    contract = operand ? n->rhs_contract : n->lhs_contract;
    int64_t at = operand ? (int64_t)dot->operands[0]->type->rank - (int64_t)n->lhs_contract.n : (int64_t)n->lhs_batch.n;
    if (weft_ints_has(batch, d) || weft_ints_has(contract, d)) return -1;
    for (int64_t k = 0; k < d; k++) at += !weft_ints_has(batch, k) && !weft_ints_has(contract, k);
    return at;
}

/* And back: which operand's, and which of its dimensions. False: a batch. */
static bool operand_dim(const weft_op *dot, int64_t d, uint32_t *operand, int64_t *dim) {
    for (*operand = 0; *operand < 2; ++*operand)
        for (*dim = 0; *dim < dot->operands[*operand]->type->rank; ++*dim)
            if (result_dim(dot, *operand, *dim) == d) return true;
    return false;
}

static bool is_plain(const weft_type *t) { return t->kind == WEFT_TYPE_TENSOR && weft_type_is_static(t) && !t->quant; }

static bool is_product(const weft_op *op) {
    return op->kind == WEFT_OP_dot_general && is_plain(op->operands[0]->type) && is_plain(op->operands[1]->type) &&
           is_plain(op->results[0].type);
}

/* Notes a ring for op if it could be one that moves along dimension `dim`; else *out is NULL. */
static weft_status new_ring(matmuls *z, const weft_op *op, weft_attr_name dim, const weft_value *whole,
                            const weft_value *part, ring **out) {
    const int64_t d = weft_op_int(op, dim, 0);
    *out = NULL;
    if (!is_plain(whole->type) || !is_plain(part->type) || !part->type->dims[d]) return WEFT_OK;
    const int64_t parts = whole->type->dims[d] / part->type->dims[d];
    if (parts < 2 || parts > MOST_PARTS) return WEFT_OK;
    ring *r = weft_arena_new(z->arena, ring);
    if (!r) return weft_oom();
    bool found;
    weft_status st = weft_group_axes_of(z->in, op, &r->group, &found);
    if (st != WEFT_OK) return st;
    if (!found || r->group.mesh.device_count > MOST_DEVICES || weft_axes_size(r->group.axes) != parts) return WEFT_OK;
    r->moves = op;
    r->dim = (uint32_t)d;
    r->parts = parts;
    r->rows = part->type->dims[d];
    *z->last = *out = r;
    z->last = &r->next;
    return WEFT_OK;
}

static weft_status add_product(matmuls *z, ring *r, const weft_op *op, uint32_t operand, int64_t dim) {
    if (r->count == r->cap) {
        product *more = weft_arena_array(z->arena, product, r->cap ? 2 * r->cap : 4);
        if (!more) return weft_oom();
        for (uint32_t i = 0; i < r->count; i++) more[i] = r->products[i];
        r->products = more;
        r->cap = r->cap ? 2 * r->cap : 4;
    }
    r->products[r->count++] = (product){ op, operand, dim };
    return WEFT_OK;
}

/* Whether v is there where op stands. */
static bool is_before(const matmuls *z, const weft_value *v, const weft_op *op) {
    return !v->def || z->order[v->def->id] < z->order[op->id];
}

static weft_status read_by(matmuls *z, ring *r, const weft_op *op, uint32_t operand) {
    const int64_t dim = is_product(op) && op->parent == r->moves->parent && op->operands[0] != op->operands[1]
                            ? result_dim(op, operand, r->dim)
                            : -1;
    if (dim >= 0 && (!r->count || is_before(z, op->operands[!operand], r->products[0].op)))
        return add_product(z, r, op, operand, dim);
    if (r->count) r->whole = true;
    else r->given_up = true; /* it is wanted before a part of it has been used */
    return WEFT_OK;
}

/* Sees the ops as they stand: gathers, and what reads them. */
static weft_status look_at(matmuls *z, const weft_op *op) {
    weft_status st = WEFT_OK;
    bool taken = false; /* a product is part of one ring */
    z->order[op->id] = ++z->walked;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) {
        ring *r = op->operands[i]->def ? z->of[op->operands[i]->def->id] : NULL;
        z->uses[op->operands[i]->id]++;
        if (!r || r->given_up) continue;
        const uint32_t count = r->count;
        if (taken) r->count ? (r->whole = true) : (r->given_up = true);
        else st = read_by(z, r, op, i);
        taken = taken || r->count > count;
    }
    if (st == WEFT_OK && op->kind == WEFT_OP_all_gather && op->operand_count == 1)
        st = new_ring(z, op, WEFT_A_all_gather_dim, &op->results[0], op->operands[0], &z->of[op->id]);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            for (const weft_op *inner = blk->first; inner && st == WEFT_OK; inner = inner->next) st = look_at(z, inner);
    return st;
}

static bool in_a_ring(const matmuls *z, const weft_op *op) {
    for (const ring *r = z->first; r; r = r->next)
        for (uint32_t i = 0; i < r->count && !r->given_up; i++)
            if (r->products[i].op == op) return true;
    return false;
}

/* Products that are scattered and read by nobody else. */
static weft_status look_for_sums(matmuls *z, const weft_op *op) {
    weft_status st = WEFT_OK;
    const weft_op *dot = op->kind == WEFT_OP_reduce_scatter && op->operand_count == 1 ? op->operands[0]->def : NULL;
    uint32_t operand;
    int64_t dim;
    if (dot && dot->parent == op->parent && is_product(dot) && z->uses[dot->results[0].id] == 1 &&
        weft_reducer_kind(op, 0) == WEFT_OP_add && !in_a_ring(z, dot) &&
        operand_dim(dot, weft_op_int(op, WEFT_A_scatter_dimension, 0), &operand, &dim)) {
        ring *r;
        st = new_ring(z, op, WEFT_A_scatter_dimension, op->operands[0], &op->results[0], &r);
        if (r) st = add_product(z, r, dot, operand, dim);
    }
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            for (const weft_op *inner = blk->first; inner && st == WEFT_OK; inner = inner->next)
                st = look_for_sums(z, inner);
    return st;
}

/* ---- what is worth it ---- */

static double kernel_s(const matmuls *z, double flops, double bytes) {
    return weft_machine_kernel_time_s(z->machine, flops, (int64_t)bytes);
}

static double op_s(const matmuls *z, const weft_op *op) {
    weft_op_cost work;
    (void)weft_cost_op(op, &work);
    return kernel_s(z, work.flops + work.transcendentals, (double)(work.read_bytes + work.write_bytes));
}

/* A view, conversion or slice of what the block's first op could read. */
static bool is_early(const weft_value *v, const weft_block *blk) {
    for (; v->def && v->def->parent == blk; v = v->def->operands[0]) {
        const weft_op_kind k = (weft_op_kind)v->def->kind;
        if (!v->def->operand_count ||
            (!weft_op_kind_has(k, WEFT_TRAIT_VIEW) && k != WEFT_OP_convert && k != WEFT_OP_dynamic_slice))
            return false;
    }
    const weft_op *owner = blk->parent->parent;
    return v->def || v->block != blk || owner->kind != WEFT_OP_while || weft_loop_unchanged(owner, v->index);
}

/* How much of `most` the gather could pass beside in any case: code in front of the first product. */
static double slack_s(const matmuls *z, const ring *r, double most) {
    double s = 0;
    if (r->moves->kind != WEFT_OP_all_gather || !is_early(r->moves->operands[0], r->moves->parent)) return 0;
    for (const weft_op *op = r->moves->parent->first; op != r->products[0].op && s < most; op = op->next)
        if (!weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE)) s += op_s(z, op);
    return s < most ? s : most;
}

/* One step's work: a part of the products. */
static double step_s(const matmuls *z, const ring *r) {
    const double parts = (double)r->parts;
    double s = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const weft_op *dot = r->products[i].op;
        const double cut = (double)weft_type_bytes(dot->operands[r->products[i].operand]->type) +
                           (double)weft_type_bytes(dot->results[0].type);
        weft_op_cost work;
        (void)weft_cost_op(dot, &work);
        s += kernel_s(z, work.flops / parts,
                      (double)weft_type_bytes(dot->operands[!r->products[i].operand]->type) + cut / parts);
    }
    return s;
}

/* Copies that the ring makes: of products into their order, or sums. */
static double copies_s(const matmuls *z, const ring *r) {
    double bytes = 0;
    for (uint32_t i = 0; i < r->count; i++) bytes += 2 * (double)weft_type_bytes(r->products[i].op->results[0].type);
    if (r->whole) bytes += 2 * (double)weft_type_bytes(r->moves->results[0].type);
    return kernel_s(z, 0, bytes);
}

static bool is_worth_it(const matmuls *z, const ring *r) {
    const bool gather = r->moves->kind == WEFT_OP_all_gather;
    const int64_t whole = weft_type_bytes(gather ? r->moves->results[0].type : r->moves->operands[0]->type);
    const weft_coll_time once =
        weft_machine_coll_time(z->machine, gather ? WEFT_PLAN_ALL_GATHER : WEFT_PLAN_REDUCE_SCATTER, r->parts,
                               r->group.stride, whole);
    const weft_coll_time hop =
        weft_machine_coll_time(z->machine, WEFT_PLAN_COLLECTIVE_PERMUTE, r->parts, r->group.stride, whole / r->parts);
    const double step = step_s(z, r), hops = (double)(r->parts - 1);
    double before = once.beside_s + once.own_s - slack_s(z, r, once.beside_s);
    for (uint32_t i = 0; i < r->count; i++) before += op_s(z, r->products[i].op);
    const double after = copies_s(z, r) + step + hops * (hop.own_s + (hop.beside_s > step ? hop.beside_s : step));
    return before - after >= z->machine->costs.ring_gain * before;
}

static void choose(matmuls *z, bool *any) {
    for (ring *r = z->first; r; r = r->next) {
        r->given_up = r->given_up || !r->count || !is_worth_it(z, r);
        if (r->given_up) continue;
        const bool gather = r->moves->kind == WEFT_OP_all_gather;
        z->gone[r->moves->id] = *any = true;
        for (uint32_t i = 0; i < r->count; i++) z->gone[r->products[i].op->id] = true;
        z->at[gather ? r->products[0].op->id : r->moves->id] = r;
    }
}

/* ---- the rewriting ---- */

/* Everyone gives to who is `hop` after it along the ring. */
static const weft_attr *pairs_of(matmuls *z, const ring *r, int64_t hop) {
    const weft_attr *groups = weft_op_attr(r->moves, WEFT_A_replica_groups);
    const weft_mesh *mesh = &r->group.mesh;
    for (const ring_pairs *p = z->pairs; p; p = p->next)
        if (p->hop == hop && weft_attr_equal(p->groups, groups)) return p->pairs;
    ring_pairs *made = weft_arena_new(z->arena, ring_pairs);
    int64_t *v = weft_arena_array(z->arena, int64_t, 2 * mesh->device_count), dims[2] = { mesh->device_count, 2 };
    if (!made || !v) return NULL;
    for (int64_t place = 0; place < mesh->device_count; place++) {
        const int64_t to = (weft_mesh_number(mesh, r->group.axes, place) + r->parts - hop) % r->parts;
        v[2 * place] = weft_mesh_device_at(mesh, place);
        v[2 * place + 1] = weft_mesh_device_at(mesh, weft_mesh_place(mesh, r->group.axes, place, to));
    }
    *made =
        (ring_pairs){ .groups = groups, .pairs = weft_attr_dense_i64(z->cx, 2, dims, v), .hop = hop, .next = z->pairs };
    z->pairs = made;
    return made->pairs;
}

static weft_value *handed_on(matmuls *z, weft_builder *b, const ring *r, weft_value *x, int64_t hop) {
    weft_attr channel = { .kind = WEFT_ATTR_CHANNEL, .channel = { ++z->channel, 1 } };
    weft_attr_pair attrs[] = { { WEFT_A_source_target_pairs, pairs_of(z, r, hop) },
                               { WEFT_A_channel_handle, weft_attr_copy(z->cx, &channel) } };
    return x ? weft_build_1(b, WEFT_OP_collective_permute, x->type, &x, 1, attrs, WEFT_COUNT(attrs)) : NULL;
}

static weft_value *number(weft_builder *b, int64_t v) {
    return weft_build_integer(b, weft_type_tensor(b->m->cx, WEFT_I64, 0, NULL), v);
}

/* The first row of this device's part. */
static weft_value *my_row(weft_builder *b, const ring *r) {
    weft_value *k =
        weft_build_device_number(b, &r->group.mesh, r->group.axes, weft_build_device_id(b, WEFT_OP_partition_id));
    return weft_build_binary(b, WEFT_OP_multiply, k, number(b, r->rows));
}

/* A row modulo all rows; of at least 0. */
static weft_value *around(weft_builder *b, const ring *r, weft_value *row) {
    return weft_build_binary(b, WEFT_OP_remainder, row, number(b, r->parts * r->rows));
}

/* The rows of all from `row` on along d, as this type. */
static weft_value *take(weft_builder *b, weft_value *all, weft_value *row, const weft_type *type, uint32_t d) {
    weft_value *operands[1 + WEFT_MAX_RANK] = { all }, *zero = number(b, 0);
    if (!all || !type) return NULL;
    for (uint32_t i = 0; i < type->rank; i++) operands[1 + i] = i == d ? row : zero;
    weft_attr_pair sizes[] = { { WEFT_A_slice_sizes, weft_attr_ints(b->m->cx, WEFT_I64, type->dims, type->rank) } };
    return weft_build_1(b, WEFT_OP_dynamic_slice, type, operands, 1 + type->rank, sizes, 1);
}

/* Parts as they came, from this device's own on, in the order of the devices, the first of whom is `first` rows
 * further. */
static weft_value *in_order(weft_builder *b, const ring *r, weft_value *first, weft_value *const *parts,
                            const weft_type *type, uint32_t d) {
    weft_value *twice[2 * MOST_PARTS];
    for (int64_t i = 0; i < r->parts; i++) {
        if (!parts[i]) return NULL;
        twice[i] = twice[i + r->parts] = parts[i];
    }
    return take(b, weft_build_concatenate(b, twice, (uint32_t)(2 * r->parts - 1), d), first, type, d);
}

static const weft_type *with_rows(weft_context *cx, const weft_type *t, int64_t d, int64_t rows) {
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = i == d ? rows : t->dims[i];
    return weft_type_with_dims(cx, t, t->rank, dims);
}

/* The product for a part that stands in for its operand. */
static weft_value *multiplied(weft_rewrite *rw, weft_builder *b, const ring *r, const product *d, weft_value *part) {
    weft_value **operand = &rw->map.to[d->op->operands[d->operand]->id], *kept = *operand;
    const weft_type *type =
        with_rows(b->m->cx, d->op->results[0].type, r->moves->kind == WEFT_OP_all_gather ? d->dim : r->dim, r->rows);
    if (!part || !type) return NULL;
    *operand = part;
    weft_op *made = weft_clone_shell(b, d->op, &rw->map, &type);
    *operand = kept;
    return made ? &made->results[0] : NULL;
}

static weft_status write_gathered(weft_rewrite *rw, weft_builder *b, const ring *r) {
    matmuls *z = rw->user;
    weft_value *parts[MOST_PARTS] = { rw->map.to[r->moves->operands[0]->id] };
    weft_value *(*products)[MOST_PARTS] =
        weft_arena_alloc(z->arena, r->count * sizeof *products, _Alignof(weft_value *));
    if (!products) return weft_oom();
    weft_value *first =
        around(b, r, weft_build_binary(b, WEFT_OP_subtract, number(b, r->parts * r->rows), my_row(b, r)));
    for (int64_t s = 0; s < r->parts && b->status == WEFT_OK; s++) {
        b->loc = r->moves->loc;
        if (s + 1 < r->parts) parts[s + 1] = handed_on(z, b, r, parts[s], 1);
        for (uint32_t i = 0; i < r->count && b->status == WEFT_OK; i++) {
            b->loc = r->products[i].op->loc;
            products[i][s] = multiplied(rw, b, r, &r->products[i], parts[s]);
        }
    }
    for (uint32_t i = 0; i < r->count && b->status == WEFT_OK; i++) {
        const product *d = &r->products[i];
        rw->map.to[d->op->results[0].id] = in_order(b, r, first, products[i], d->op->results[0].type, (uint32_t)d->dim);
    }
    b->loc = r->moves->loc;
    if (r->whole && b->status == WEFT_OK)
        rw->map.to[r->moves->results[0].id] = in_order(b, r, first, parts, r->moves->results[0].type, r->dim);
    return b->status;
}

/* Part k is begun by who comes after device k, and ends there after a round. */
static weft_status write_scattered(weft_rewrite *rw, weft_builder *b, const ring *r) {
    matmuls *z = rw->user;
    const product *d = &r->products[0];
    weft_value *all = rw->map.to[d->op->operands[d->operand]->id], *sum = NULL;
    const weft_type *piece = with_rows(z->cx, all->type, d->dim, r->rows);
    weft_value *mine = my_row(b, r);
    for (int64_t s = 0; s < r->parts && b->status == WEFT_OK; s++) {
        b->loc = r->moves->loc;
        weft_value *come = s ? handed_on(z, b, r, sum, r->parts - 1) : NULL;
        b->loc = d->op->loc;
        weft_value *row =
            s + 1 < r->parts
                ? around(b, r, weft_build_binary(b, WEFT_OP_add, mine, number(b, (r->parts - 1 - s) * r->rows)))
                : mine;
        sum = multiplied(rw, b, r, d, take(b, all, row, piece, (uint32_t)d->dim));
        if (s) sum = weft_build_binary(b, WEFT_OP_add, come, sum);
    }
    rw->map.to[r->moves->results[0].id] = sum;
    return b->status;
}

static weft_status offered(weft_rewrite *rw, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const matmuls *z = rw->user;
    const ring *r = z->at[op->id];
    *did = r || z->gone[op->id] ? WEFT_DONE : WEFT_KEEP;
    b->loc = op->loc;
    if (!r) return WEFT_OK;
    return r->moves->kind == WEFT_OP_all_gather ? write_gathered(rw, b, r) : write_scattered(rw, b, r);
}

/* ---- the pass ---- */

static bool has_kind(const weft_op *op, weft_op_kind a, weft_op_kind b) {
    bool yes = op->kind == a || op->kind == b;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            for (const weft_op *inner = blk->first; inner && !yes; inner = inner->next) yes = has_kind(inner, a, b);
    return yes;
}

static weft_status find(matmuls *z, bool *any) {
    z->last = &z->first;
    z->of = weft_arena_array(z->arena, ring *, z->in->op_count);
    z->at = weft_arena_array(z->arena, ring *, z->in->op_count);
    z->gone = weft_arena_array(z->arena, bool, z->in->op_count);
    z->order = weft_arena_array(z->arena, uint32_t, z->in->op_count);
    z->uses = weft_arena_array(z->arena, uint32_t, z->in->value_count);
    if (!z->of || !z->at || !z->gone || !z->order || !z->uses) return weft_oom();
    weft_status st = look_at(z, z->in->root);
    if (st == WEFT_OK && z->any_order) st = look_for_sums(z, z->in->root);
    if (st == WEFT_OK) choose(z, any);
    return st == WEFT_OK && *any ? weft_last_channel(z->in, &z->channel) : st;
}

weft_status weft_pass_collective_matmul(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    bool any = false;
    matmuls z = { .cx = p->cx, .arena = &arena, .in = in, .machine = weft_pass_machine(p),
                  .any_order = weft_pass_flag(p, "any-order", false) };
    if (!has_kind(in->root, WEFT_OP_all_gather, z.any_order ? WEFT_OP_reduce_scatter : WEFT_OP_all_gather))
        return WEFT_OK;
    weft_rewrite r = { .user = &z, .op = offered };
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = find(&z, &any);
    if (st == WEFT_OK && any) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
