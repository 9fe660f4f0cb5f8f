/* gen_rooted.c: collectives with a root, and reductions by bodies of any kind.
 *
 * collective_broadcast is a step of its own. collective_reduce is an all_reduce of which all but the root forget the
 * result; a device in no group is a group of one. A body that no step adds by: the group's values come together,
 * whole or in the parts that a reduce_scatter keeps, and are combined in a tree whose leaves are in the order of the
 * group. Source: StableHLO docs/spec.md, and stablehlo/reference for what the text leaves open.
 */
#include "codegen/gen_collective.h"

/* --- this device -------------------------------------------------------------------------------------------------- */

static cg_node *device_id(cg_graph *g, int64_t which) {
    cg_node *n = cg_begin(g, CG_DEVICE_ID, WEFT_UI32, 0, NULL, NULL, 0);
    if (!n) return NULL;
    n->aux = which;
    return cg_convert(g, cg_finish(g, n), WEFT_I32);
}

/* replica_id * partitions + partition_id */
static cg_node *device_number(cg_import *im) {
    cg_graph *g = im->g;
    cg_node *replica = device_id(g, 1), *partition = device_id(g, 0),
            *width = cg_splat_value(g, WEFT_I32, 0, NULL, (double)im->grid.partitions);
    return replica && partition && width
               ? cg_binary(g, CG_OP_add, cg_binary(g, CG_OP_multiply, replica, width), partition)
               : NULL;
}

/* Part `at` along the first dimension of x, without that dimension. */
static cg_node *row_at(cg_graph *g, cg_node *x, cg_node *at) {
    cg_node *in[WEFT_MAX_RANK + 2] = { x, at }, *zero = cg_splat_value(g, WEFT_I32, 0, NULL, 0);
    int64_t dims[WEFT_MAX_RANK + 1] = { 1 };
    if (!x || !at || !zero) return NULL;
    for (uint32_t d = 1; d < x->rank; d++) {
        in[1 + d] = zero;
        dims[d] = x->dims[d];
    }
    cg_node *row = cg_finish(g, cg_begin(g, CG_DYNAMIC_SLICE, (weft_dtype)x->dtype, x->rank, dims, in, x->rank + 1));
    return row ? cg_reshape(g, row, x->rank - 1, dims + 1) : NULL;
}

/* What table[devices * width] says at [this device][k]. */
static cg_node *look_up(cg_import *im, const int32_t *table, int64_t width, int64_t k) {
    cg_graph *g = im->g;
    int64_t n = im->grid.replicas * im->grid.partitions * width;
    const weft_type *type = weft_type_tensor(g->cx, WEFT_I32, 1, &n);
    const weft_attr *all = type ? weft_attr_dense(g->cx, type, table, false) : NULL;
    cg_node *device = device_number(im), *w = cg_splat_value(g, WEFT_I32, 0, NULL, (double)width),
            *offset = cg_splat_value(g, WEFT_I32, 0, NULL, (double)k);
    if (!all || !device || !w || !offset) return NULL;
    return row_at(g, cg_constant(g, all), cg_binary(g, CG_OP_add, cg_binary(g, CG_OP_multiply, device, w), offset));
}

/* --- any body ----------------------------------------------------------------------------------------------------- */

/* Rows first, first + 2, ... of x, n in all. */
static cg_node *rows(cg_graph *g, cg_node *x, int64_t first, int64_t n) {
    cg_view_dim view[WEFT_MAX_RANK + 1];
    int64_t dims[WEFT_MAX_RANK + 1];
    for (uint32_t d = 0; d < x->rank; d++) {
        view[d] = d ? cg_along((int32_t)d, 0, 1) : cg_along(0, first, 2);
        dims[d] = d ? x->dims[d] : n;
    }
    return cg_view(g, x, x->rank, dims, view);
}

static cg_node *fold(cg_graph *g, const cg_block *body, cg_node *x) {
    while (x && x->dims[0] > 1) {
        int64_t n = x->dims[0], half = n / 2, dims[WEFT_MAX_RANK + 1];
        cg_node *pair[2] = { rows(g, x, 0, half), rows(g, x, 1, half) };
        cg_node *both = pair[0] && pair[1] ? cg_inline_body(g, body, pair, 0) : NULL;
        if (both && n % 2) {
            cg_node *parts[2] = { both, rows(g, x, n - 1, 1) };
            memcpy(dims, x->dims, x->rank * sizeof dims[0]);
            dims[0] = half + 1;
            both = parts[1] ? cg_concat(g, parts, 2, 0, dims) : NULL;
        }
        x = both;
    }
    return x;
}

/* Groups of different sizes: every device gets the values of all, and combines those of its group one by one. */
static weft_status fold_uneven(cg_import *im, const cg_coll *c, const cg_block *body, cg_node *x, cg_node **out) {
    cg_graph *g = im->g;
    int64_t devices = im->grid.replicas * im->grid.partitions, size = c->groups.size, dims[WEFT_MAX_RANK + 1] = { 1 };
    int32_t *member = weft_arena_array(&g->arena, int32_t, devices * size);
    int64_t *ids = weft_arena_array(&g->arena, int64_t, devices);
    cg_coll *all = weft_arena_new(&g->arena, cg_coll);
    if (!member || !ids || !all) return weft_oom();
    for (int64_t i = 0; i < devices; i++) ids[i] = i;
    for (int64_t i = 0; i < c->groups.count * size; i++)
        for (int64_t k = 0; c->groups.ids[i] >= 0 && k < size; k++)
            member[c->groups.ids[i] * size + k] = (int32_t)c->groups.ids[i / size * size + k];
    *all = (cg_coll){ .kind = WEFT_PLAN_ALL_GATHER, .group_size = devices, .groups = { ids, 1, devices } };
    memcpy(dims + 1, x->dims, x->rank * sizeof dims[0]);
    cg_node *row = cg_reshape(g, x, x->rank + 1, dims), *together = NULL,
            *zero = cg_splat_value(g, WEFT_I32, 0, NULL, 0), *sum = NULL;
    dims[0] = devices;
    const weft_type *type = weft_type_tensor(g->cx, (weft_dtype)x->dtype, x->rank + 1, dims);
    weft_status st = row && zero && type ? cg_coll_step(im, all, &row, 1, &type, &together) : weft_oom();
    for (int64_t k = 0; k < size && st == WEFT_OK; k++) {
        cg_node *who = look_up(im, member, size, k), *sides[2] = { who, zero },
                *pair[2] = { sum, who ? row_at(g, together, who) : NULL };
        if (k == 0) {
            sum = pair[1];
            continue;
        }
        cg_node *both = sum && pair[1] ? cg_inline_body(g, body, pair, 0) : NULL;
        cg_node *is = who ? cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_GE, sides) : NULL;
        is = is ? cg_broadcast(g, is, x->rank, x->dims, (weft_ints){ NULL, 0 }) : NULL;
        sum = both && is ? cg_scalar(g, CG_OP_select, (weft_dtype)x->dtype, 0, (cg_node *[]){ is, both, sum }) : NULL;
    }
    *out = sum;
    return st != WEFT_OK || sum ? st : g->status != WEFT_OK ? g->status : weft_oom();
}

static bool uneven(const cg_coll *c) {
    for (int64_t i = 0; !c->axes && i < c->groups.count * c->groups.size; i++)
        if (c->groups.ids[i] < 0) return true;
    return false;
}

weft_status cg_coll_fold(cg_import *im, const weft_op *op, const cg_coll *c, const cg_block *body, cg_node *const *in,
                         cg_node **out) {
    cg_graph *g = im->g;
    bool scatters = c->kind == WEFT_PLAN_REDUCE_SCATTER;
    for (uint32_t i = 0; i < op->result_count; i++) {
        int64_t dims[WEFT_MAX_RANK + 1] = { 1 };
        if (in[i]->rank == WEFT_MAX_RANK)
            return weft_report(g->cx, WEFT_D_unsupported, op->loc, "'%s' of rank %u with such a body", op->name->text,
                               in[i]->rank);
        if (uneven(c)) {
            weft_status st = fold_uneven(im, c, body, in[i], &out[i]);
            if (st != WEFT_OK) return st;
            continue;
        }
        memcpy(dims + 1, in[i]->dims, in[i]->rank * sizeof dims[0]);
        cg_node *row = cg_reshape(g, in[i], in[i]->rank + 1, dims);
        cg_coll *all = weft_arena_new(&g->arena, cg_coll);
        if (!row || !all) return weft_oom();
        *all = *c;
        all->kind = scatters ? WEFT_PLAN_ALL_TO_ALL : WEFT_PLAN_ALL_GATHER;
        all->dim = scatters ? c->dim + 1 : 0;
        all->concat_dim = 0;
        dims[0] = c->group_size;
        if (scatters) dims[1 + c->dim] /= c->group_size;
        const weft_type *type = weft_type_tensor(g->cx, (weft_dtype)in[i]->dtype, in[i]->rank + 1, dims);
        cg_node *together = NULL;
        weft_status st = type ? cg_coll_step(im, all, &row, 1, &type, &together) : weft_oom();
        if (st != WEFT_OK) return st;
        cg_node *one = fold(g, body, together);
        if (!one || !(out[i] = cg_reshape(g, one, in[i]->rank, dims + 1)))
            return g->status != WEFT_OK ? g->status : weft_oom();
    }
    return WEFT_OK;
}

/* --- roots -------------------------------------------------------------------------------------------------------- */

/* This device's place in its group, -1 when it is in none. */
static cg_node *place_in_group(cg_import *im, const weft_process_groups *all) {
    int64_t devices = im->grid.replicas * im->grid.partitions;
    int32_t *place = weft_arena_array(&im->g->arena, int32_t, devices);
    if (!place) return NULL;
    for (int64_t d = 0; d < devices; d++) place[d] = -1;
    for (int64_t i = 0; i < all->count * all->size; i++)
        if (all->ids[i] >= 0) place[all->ids[i]] = (int32_t)(i % all->size);
    return look_up(im, place, 1, 0);
}

/* Element i of the roots, or 0. */
static cg_node *root_at(cg_graph *g, cg_node *roots, int64_t i) {
    int64_t one = 1;
    cg_view_dim at = cg_along(0, i, 1);
    if (!roots) return cg_splat_value(g, WEFT_I32, 0, NULL, 0);
    cg_node *cell = cg_view(g, roots, 1, &one, &at);
    return cell ? cg_reshape(g, cell, 0, NULL) : NULL;
}

/* x where the devices' places are equal, zeros elsewhere. */
static cg_node *where_equal(cg_graph *g, cg_node *place, cg_node *root, cg_node *x) {
    cg_node *sides[2] = { place, root };
    cg_node *is = place && root ? cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_EQ, sides) : NULL;
    cg_node *zero = cg_splat_value(g, (weft_dtype)x->dtype, x->rank, x->dims, 0);
    cg_node *all = is ? cg_broadcast(g, is, x->rank, x->dims, (weft_ints){ NULL, 0 }) : NULL;
    return all && zero ? cg_scalar(g, CG_OP_select, (weft_dtype)x->dtype, 0, (cg_node *[]){ all, x, zero }) : NULL;
}

/* The groups, and every device that is in none as a group of its own. */
static weft_status everyone(cg_import *im, weft_process_groups *all) {
    int64_t devices = im->grid.replicas * im->grid.partitions, size = weft_max_i64(all->size, 1), n = all->count;
    int64_t *ids = weft_arena_array(&im->g->arena, int64_t, (all->count + devices) * size);
    bool *seen = weft_arena_array(&im->g->arena, bool, devices);
    if (!ids || !seen) return weft_oom();
    for (int64_t i = 0; i < all->count * all->size; i++) {
        ids[i] = all->ids[i];
        if (ids[i] >= 0) seen[ids[i]] = true;
    }
    for (int64_t d = 0; d < devices; d++) {
        if (seen[d]) continue;
        for (int64_t k = 0; k < size; k++) ids[n * size + k] = k ? -1 : d;
        n++;
    }
    *all = (weft_process_groups){ ids, n, size };
    return WEFT_OK;
}

static weft_status take_roots(cg_import *im, const weft_op *op, cg_node **roots) {
    bool rooted = weft_op_attr(op, WEFT_A_has_dynamic_root) != NULL;
    *roots = rooted ? cg_convert(im->g, cg_of(im, op, op->result_count), WEFT_I32) : NULL;
    return rooted && !*roots ? weft_oom() : WEFT_OK;
}

weft_status weft_gen_collective_broadcast(cg_import *im, const weft_op *op) {
    cg_coll *c = NULL;
    cg_node **in = NULL, *roots = NULL;
    weft_status st = cg_coll_begin(im, op, WEFT_PLAN_COLLECTIVE_BROADCAST, &c);
    if (st == WEFT_OK) st = cg_coll_operands(im, op, op->result_count, &in);
    if (st == WEFT_OK) st = take_roots(im, op, &roots);
    cg_node **out = weft_arena_array(&im->g->arena, cg_node *, op->result_count);
    const weft_type **types = weft_arena_array(&im->g->arena, const weft_type *, op->result_count);
    if (st != WEFT_OK || !out || !types) return st != WEFT_OK ? st : weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    if (cg_coll_alone(im, c)) out = in;
    else {
        c->tables = roots != NULL;
        if (roots) in[op->result_count] = roots;
        st = cg_coll_step(im, c, in, op->result_count + c->tables, types, out);
    }
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) st = cg_set(im, op, i, out[i]);
    return st;
}

weft_status weft_gen_collective_reduce(cg_import *im, const weft_op *op) {
    cg_coll *c = NULL;
    cg_node **in = NULL, *roots = NULL;
    weft_process_groups groups;
    weft_status st = cg_coll_begin(im, op, WEFT_PLAN_ALL_REDUCE, &c);
    if (st == WEFT_OK) st = weft_process_groups_of(im->m, op, im->grid, &im->g->arena, &groups);
    if (st == WEFT_OK) st = cg_coll_operands(im, op, op->result_count, &in);
    if (st == WEFT_OK) st = take_roots(im, op, &roots);
    if (st == WEFT_OK && !c->axes) st = everyone(im, &c->groups);
    cg_node **out = weft_arena_array(&im->g->arena, cg_node *, op->result_count);
    const weft_type **types = weft_arena_array(&im->g->arena, const weft_type *, op->result_count);
    if (st != WEFT_OK || !out || !types) return st != WEFT_OK ? st : weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    if (cg_coll_alone(im, c)) out = in;
    else st = cg_coll_reduce(im, op, c, in, types, out);
    cg_node *place = st == WEFT_OK ? place_in_group(im, &groups) : NULL;
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++)
        st = cg_set(im, op, i, where_equal(im->g, place, root_at(im->g, roots, i), out[i]));
    return st;
}
