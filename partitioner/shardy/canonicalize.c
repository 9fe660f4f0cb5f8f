/* canonicalize: Shardy's own simplifications: what its ops say twice, or do for nothing.
 *
 * Pass canonicalize. Needs nothing; leaves the ops that it finds, but
 *   sdy.reshard             of a reshard that no other op reads: one; of what is resharded alike already: that
 *                           (canonicalize_reshard.c)
 *   sdy.all_gather, all_slice, all_reduce, reduce_scatter  without axes, sdy.collective_permute to an equal sharding:
 *   nothing
 *   sdy.all_slice           of an all_gather along the same axes: nothing; of an all_reduce along all of its:
 *                           sdy.reduce_scatter
 *   sdy.all_reduce          of sharded_to_unreduced: an all_gather; of replicated_to_unreduced: nothing
 *   sdy.all_to_all          of an all_to_all of other dimensions that no other op reads: one; of no use: nothing
 *   sdy.manual_computation  loses unused arguments; over axes of size 1 it is its body; empty ones go
 *   stablehlo.case          of a constant: its branch
 * and what ir/tidy.h says of constants and unread ops. enable-patterns asks for some only, by Shardy's labels:
 * sdy-reshard is the first of the two about reshards, sdy-collective what is about collectives. Each sweep reads one
 * module and makes the next; the last one found nothing to do. Source: Shardy,
 * shardy/dialect/sdy/ir/canonicalization.cc and canonicalization.td.
 */
#include <stdlib.h>
#include "ir/tidy.h"
#include "partitioner/shardy/canonicalize.h"
#include "partitioner/partition.h"

/* ---- what is needed ---- */

static bool removable(const weft_op *op) {
    return weft_op_is_removable(op) || op->kind == WEFT_OP_sdy_all_to_all;
}

/* Backwards, so that readers come before what they read. */
static void mark_block(weft_canon *s, const weft_block *blk) {
    uint32_t place = UINT32_MAX;
    for (const weft_op *op = blk->last; op; op = op->prev) {
        bool live = !removable(op);
        for (uint32_t i = 0; i < op->result_count; i++) live |= s->use_count[op->results[i].id] > 0;
        s->live[op->id] = live;
        s->place[op->id] = place--;
        if (!live) continue;
        for (uint32_t i = 0; i < op->operand_count; i++) s->use_count[op->operands[i]->id]++;
        for (uint32_t r = 0; r < op->region_count; r++)
            WEFT_EACH_BLOCK(inner, &op->regions[r]) mark_block(s, inner);
    }
}

static bool read_once(const weft_canon *s, const weft_value *v) { return s->use_count[v->id] == 1; }
static weft_value *now(const weft_canon *s, const weft_value *old) { return s->rewrite.map.to[old->id]; }

/* ---- collectives ---- */

/* Axes as a list, or a list per dimension: none at all. */
static bool no_axes(const weft_attr *a) {
    if (a->kind == WEFT_ATTR_AXES) return !a->axes.n;
    for (uint32_t d = 0; a->kind == WEFT_ATTR_AXES_PER_DIM && d < a->axes_per_dim.n; d++)
        if (a->axes_per_dim.v[d].n) return false;
    return a->kind == WEFT_ATTR_AXES_PER_DIM;
}

static weft_status build(weft_canon *s, weft_builder *b, const weft_op *op, weft_op_kind kind, weft_value *x,
                         const weft_attr_pair *attrs, uint32_t n, weft_rewritten *did) {
    weft_value *made = weft_build_1(b, kind, op->results[0].type, &x, 1, attrs, n);
    if (made) weft_canon_replace(s, op, made, did);
    return b->status;
}

/* All readers of an all_reduce are equal slices in one block; *first is the one that comes first. */
static bool sliced_alike(const weft_canon *s, const weft_op *reduce, const weft_op **first) {
    const weft_value *v = &reduce->results[0];
    *first = NULL;
    for (uint32_t u = s->uses.start[v->id]; u < s->uses.start[v->id + 1]; u++) {
        const weft_op *op = s->uses.use[u].op;
        if (!s->live[op->id]) continue;
        if (op->kind != WEFT_OP_sdy_all_slice) return false;
        if (!*first) *first = op;
        if (op->parent != (*first)->parent ||
            !weft_attr_equal(weft_op_attr(op, WEFT_A_slicing_axes), weft_op_attr(*first, WEFT_A_slicing_axes)))
            return false;
        if (s->place[op->id] < s->place[(*first)->id]) *first = op;
    }
    return *first != NULL;
}

/* How the axes of a slice divide into those that are reduced and the others, which follow them in each dimension. */
typedef struct parted {
    weft_axis_refs *reduced, *rest;
    bool any_rest;
} parted;

/* false: some reduced axis is not among the first of a dimension. */
static bool part(weft_axis_refs reduction, const weft_attr *slicing, bool *taken, parted *p) {
    uint32_t found = 0;
    p->any_rest = false;
    for (uint32_t d = 0; d < slicing->axes_per_dim.n; d++) {
        weft_axis_refs list = slicing->axes_per_dim.v[d];
        uint32_t n = 0, k = 0;
        for (; n < list.n; n++, found++) {
            for (k = 0; k < reduction.n; k++)
                if (!taken[k] &&
                    weft_axis_refs_equal((weft_axis_refs){ &reduction.v[k], 1 }, (weft_axis_refs){ &list.v[n], 1 }))
                    break;
            if (k == reduction.n) break;
            taken[k] = true;
        }
        p->reduced[d] = (weft_axis_refs){ list.v, n };
        p->rest[d] = n < list.n ? (weft_axis_refs){ list.v + n, list.n - n } : (weft_axis_refs){ 0 };
        p->any_rest |= n < list.n;
    }
    return found == reduction.n;
}

/* The operand's axes, which are the all_reduce's, and after them those scattered over. */
static weft_status scattered_sharding(weft_canon *s, const weft_op *reduce, const weft_op *slice, const parted *p,
                                      const weft_attr **out) {
    const weft_sharding *to, *over;
    weft_axis_list lists[WEFT_MAX_RANK];
    weft_dim dims[WEFT_MAX_RANK];
    weft_status st = weft_sharding_from_attr(s->shardings, weft_op_attr(slice, WEFT_A_out_sharding), slice->loc, &to);
    if (st == WEFT_OK)
        st = weft_sharding_from_attr(s->shardings, weft_op_attr(reduce, WEFT_A_out_sharding), reduce->loc, &over);
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; d < to->rank; d++) {
        weft_axis_list_set(&lists[d], over->dims[d].axes);
        for (uint32_t i = 0; i < p->reduced[d].n; i++) {
            weft_axis a;
            if (weft_axis_from_ref(over->mesh, p->reduced[d].v[i], &a)) weft_axis_list_push_merged(&lists[d], a);
        }
        dims[d] = (weft_dim){ .axes = weft_axes_of(&lists[d]), .priority = WEFT_NO_PRIORITY };
    }
    const weft_sharding *made =
        weft_sharding_make(s->shardings, over->mesh, to->rank, dims, to->replicated, to->unreduced);
    *out = made ? weft_sharding_to_attr(s->shardings, made) : NULL;
    return *out ? WEFT_OK : weft_oom();
}

static const weft_attr *per_dim(weft_context *cx, const weft_axis_refs *v, uint32_t n) {
    return weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_AXES_PER_DIM, .axes_per_dim = { v, n } });
}

/* all_slice of all_reduce: reduce_scatter, and a slice along the axes that are left. */
static weft_status scatter(weft_canon *s, weft_builder *b, const weft_op *slice, const weft_op *reduce,
                           weft_rewritten *did) {
    const weft_attr *slicing = weft_op_attr(slice, WEFT_A_slicing_axes), *out,
                    *op = weft_op_attr(reduce, WEFT_A_reduction_op);
    const weft_axis_refs reduction = weft_op_attr(reduce, WEFT_A_reduction_axes)->axes;
    const uint32_t rank = slicing->axes_per_dim.n;
    const weft_op *first;
    if (s->fused[reduce->id]) {
        weft_canon_replace(s, slice, s->fused[reduce->id], did);
        return WEFT_OK;
    }
    parted p = { weft_arena_array(&s->arena, weft_axis_refs, rank), weft_arena_array(&s->arena, weft_axis_refs, rank),
                 false };
    bool *taken = weft_arena_array(&s->arena, bool, reduction.n);
    if (!p.reduced || !p.rest || !taken) return weft_oom();
    if (!reduction.n || !sliced_alike(s, reduce, &first) || first != slice || !part(reduction, slicing, taken, &p))
        return WEFT_OK;
    weft_status st = scattered_sharding(s, reduce, slice, &p, &out);
    if (st != WEFT_OK) return st;
    weft_value *x = now(s, reduce->operands[0]);
    weft_attr_pair attrs[] = { { WEFT_A_reduce_scatter_axes, per_dim(s->cx, p.reduced, rank) },
                               { WEFT_A_out_sharding, out }, { WEFT_A_reduction_op, op } };
    if (!attrs[0].value) return weft_oom();
    b->loc = reduce->loc;
    x = weft_build_1(b, WEFT_OP_sdy_reduce_scatter, slice->results[0].type, &x, 1, attrs, op ? 3 : 2);
    b->loc = slice->loc;
    if (x && p.any_rest) {
        weft_attr_pair rest[] = { { WEFT_A_slicing_axes, per_dim(s->cx, p.rest, rank) },
                                  { WEFT_A_out_sharding, weft_op_attr(slice, WEFT_A_out_sharding) } };
        if (!rest[0].value) return weft_oom();
        x = weft_build_1(b, WEFT_OP_sdy_all_slice, slice->results[0].type, &x, 1, rest, 2);
    }
    if (!x) return b->status;
    s->fused[reduce->id] = x;
    weft_canon_replace(s, slice, x, did);
    return WEFT_OK;
}

/* Not so where this sweep found that it gathers, or does nothing: then a slice is of that, and the next sweep's. */
static bool still_reduces(const weft_canon *s, const weft_op *reduce) {
    const weft_value *v = now(s, &reduce->results[0]); /* NULL: its first slice makes what comes instead */
    return !v || (v->def && v->def->kind == WEFT_OP_sdy_all_reduce);
}

static weft_status fold_slice(weft_canon *s, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_op *def = op->operands[0]->def;
    const weft_attr *axes = weft_op_attr(op, WEFT_A_slicing_axes);
    if (def && def->kind == WEFT_OP_sdy_all_gather && weft_attr_equal(axes, weft_op_attr(def, WEFT_A_gathering_axes)))
        weft_canon_replace(s, op, now(s, def->operands[0]), did);
    else if (def && def->kind == WEFT_OP_sdy_all_reduce && still_reduces(s, def)) return scatter(s, b, op, def, did);
    return WEFT_OK;
}

/* Whether the axes of a sharded_to_unreduced, in the order of the mesh, are those that are then reduced. */
static bool reduces_all(weft_canon *s, const weft_op *from, const weft_op *reduce, weft_status *st) {
    const weft_attr *axes = weft_op_attr(from, WEFT_A_axes);
    const weft_axis_refs want = weft_op_attr(reduce, WEFT_A_reduction_axes)->axes;
    const weft_sharding *sh;
    weft_axis_list all = { 0 };
    weft_axis a;
    *st = weft_sharding_from_attr(s->shardings, weft_op_attr(from, WEFT_A_out_sharding), from->loc, &sh);
    if (*st != WEFT_OK || axes->kind != WEFT_ATTR_AXES_PER_DIM) return false;
    for (uint32_t d = 0; d < axes->axes_per_dim.n; d++)
        for (uint32_t i = 0; i < axes->axes_per_dim.v[d].n; i++)
            if (weft_axis_from_ref(sh->mesh, axes->axes_per_dim.v[d].v[i], &a)) weft_axis_list_push(&all, a);
    weft_axis_list_sort_merge(&all);
    bool same = all.n == want.n && !all.full;
    for (uint32_t i = 0; same && i < want.n; i++)
        same = weft_axis_from_ref(sh->mesh, want.v[i], &a) && weft_axis_equal(a, all.v[i]);
    return same;
}

static weft_status fold_reduce(weft_canon *s, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_op *def = op->operands[0]->def;
    weft_status st = WEFT_OK;
    if (def && def->kind == WEFT_OP_sdy_replicated_to_unreduced &&
        weft_attr_equal(weft_op_attr(def, WEFT_A_axes), weft_op_attr(op, WEFT_A_reduction_axes)))
        weft_canon_replace(s, op, now(s, def->operands[0]), did);
    else if (def && def->kind == WEFT_OP_sdy_sharded_to_unreduced && reduces_all(s, def, op, &st)) {
        weft_attr_pair attrs[] = { { WEFT_A_gathering_axes, weft_op_attr(def, WEFT_A_axes) },
                                   { WEFT_A_out_sharding, weft_op_attr(op, WEFT_A_out_sharding) } };
        return build(s, b, op, WEFT_OP_sdy_all_gather, now(s, def->operands[0]), attrs, 2, did);
    } else if (st == WEFT_OK) {
        const weft_op *first;
        const weft_attr *slicing = sliced_alike(s, op, &first) ? weft_op_attr(first, WEFT_A_slicing_axes) : NULL;
        const weft_axis_refs reduction = weft_op_attr(op, WEFT_A_reduction_axes)->axes;
        if (!slicing) return WEFT_OK;
        parted p = { weft_arena_array(&s->arena, weft_axis_refs, slicing->axes_per_dim.n),
                     weft_arena_array(&s->arena, weft_axis_refs, slicing->axes_per_dim.n), false };
        bool *taken = weft_arena_array(&s->arena, bool, reduction.n);
        if (!p.reduced || !p.rest || !taken) return weft_oom();
        if (part(reduction, slicing, taken, &p)) *did = WEFT_DONE; /* its first slice makes what comes instead */
    }
    return st;
}

static int by_source(const void *a, const void *b) {
    int64_t x = ((const weft_a2a_param *)a)->src_dim, y = ((const weft_a2a_param *)b)->src_dim;
    return (x > y) - (x < y);
}

/* Both lists of parameters as one, or NULL when a dimension is in both or memory is out. */
static const weft_attr *join_params(weft_canon *s, const weft_attr *a, const weft_attr *b) {
    const uint32_t n = a->a2a.n + b->a2a.n;
    weft_a2a_param *v = weft_arena_array(&s->arena, weft_a2a_param, n);
    weft_bits dims = 0;
    for (uint32_t i = 0; v && i < n; i++) {
        v[i] = i < a->a2a.n ? a->a2a.v[i] : b->a2a.v[i - a->a2a.n];
        const int64_t of[] = { v[i].src_dim, v[i].tgt_dim };
        for (int k = 0; k < 2; k++) {
            if (of[k] < 0 || of[k] >= WEFT_MAX_RANK || weft_bits_has(dims, (unsigned)of[k])) return NULL;
            dims |= weft_bit((unsigned)of[k]);
        }
    }
    if (!v) return NULL;
    qsort(v, n, sizeof *v, by_source);
    return weft_attr_copy(s->cx, &(weft_attr){ .kind = WEFT_ATTR_A2A_PARAMS, .a2a = { v, n } });
}

static weft_status fold_all_to_all(weft_canon *s, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_op *def = op->operands[0]->def;
    if (!def || def->kind != WEFT_OP_sdy_all_to_all || !read_once(s, op->operands[0])) return WEFT_OK;
    const weft_attr *params = join_params(s, weft_op_attr(def, WEFT_A_params), weft_op_attr(op, WEFT_A_params));
    if (!params) return WEFT_OK;
    weft_attr_pair attrs[] = { { WEFT_A_params, params },
                               { WEFT_A_out_sharding, weft_op_attr(op, WEFT_A_out_sharding) } };
    return build(s, b, op, WEFT_OP_sdy_all_to_all, now(s, def->operands[0]), attrs, 2, did);
}

static weft_status fold_permute(weft_canon *s, const weft_op *op, weft_rewritten *did) {
    const weft_sharding *from, *to;
    weft_status st = weft_value_sharding(s->shardings, op->operands[0], &from);
    if (st == WEFT_OK) st = weft_sharding_from_attr(s->shardings, weft_op_attr(op, WEFT_A_out_sharding), op->loc, &to);
    if (st == WEFT_OK && weft_sharding_equivalent(from, to)) weft_canon_replace(s, op, now(s, op->operands[0]), did);
    return st;
}

static weft_status fold_reshard(weft_canon *s, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_op *def = op->operands[0]->def;
    if (!def || def->kind != WEFT_OP_sdy_reshard || !read_once(s, op->operands[0])) return WEFT_OK;
    weft_attr_pair attrs[] = { { WEFT_A_sharding, weft_op_attr(op, WEFT_A_sharding) } };
    return build(s, b, op, WEFT_OP_sdy_reshard, now(s, def->operands[0]), attrs, 1, did);
}

/* ---- manual computations ---- */

/* Devices along the manual axes. */
static weft_status manual_devices(weft_canon *s, const weft_op *op, int64_t *n) {
    const weft_attr *lists[] = { weft_op_attr(op, WEFT_A_in_shardings), weft_op_attr(op, WEFT_A_out_shardings) };
    const weft_attr *manual = weft_op_attr(op, WEFT_A_manual_axes);
    *n = 1;
    for (int l = 0; l < 2; l++)
        for (uint32_t i = 0; i < lists[l]->items.n; i++) {
            const weft_sharding *sh;
            weft_status st = weft_sharding_from_attr(s->shardings, lists[l]->items.v[i], op->loc, &sh);
            if (st != WEFT_OK) return st;
            if (weft_mesh_is_empty(sh->mesh)) continue;
            for (uint32_t a = 0; a < manual->axes.n; a++) {
                uint32_t at = weft_mesh_find(sh->mesh, manual->axes.v[a].name);
                if (at != WEFT_NO_AXIS) *n *= sh->mesh->axes[at].size;
            }
            return WEFT_OK; /* all are on one mesh */
        }
    return WEFT_OK;
}

/* Instead of op, what block, one of its, does. */
static weft_status inline_block(weft_canon *s, weft_builder *b, const weft_op *op, const weft_block *block,
                                weft_rewritten *did) {
    const weft_op *end = weft_block_terminator(block);
    *did = WEFT_DONE;
    s->changed = true;
    weft_status st = weft_rewrite_inline(&s->rewrite, b, block);
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++)
        s->rewrite.map.to[op->results[i].id] = now(s, end->operands[i]);
    return st == WEFT_OK ? b->status : st;
}

static weft_status inline_body(weft_canon *s, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_block *body = weft_op_body(op, 0);
    for (uint32_t i = 0; i < op->operand_count; i++) s->rewrite.map.to[body->args[i]->id] = now(s, op->operands[i]);
    return inline_block(s, b, op, body, did);
}

/* The same without the operands and arguments that the body does not read. */
static weft_status drop_arguments(weft_canon *s, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_block *body = weft_op_body(op, 0);
    const weft_attr *in = weft_op_attr(op, WEFT_A_in_shardings);
    weft_value **operands = weft_arena_array(&s->arena, weft_value *, op->operand_count);
    const weft_attr **items = weft_arena_array(&s->arena, const weft_attr *, op->operand_count);
    const weft_type **types = weft_arena_array(&s->arena, const weft_type *, op->result_count);
    uint32_t n = 0;
    if (!operands || !items || !types || in->items.n != op->operand_count)
        return operands && items && types ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!s->use_count[body->args[i]->id]) continue;
        operands[n] = now(s, op->operands[i]);
        items[n++] = in->items.v[i];
    }
    if (n == op->operand_count) return WEFT_OK;
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = op->kind, .operands = operands, .operand_count = n,
                                                      .types = types, .result_count = op->result_count,
                                                      .attrs = op->attrs, .attr_count = op->attr_count,
                                                      .region_count = 1 });
    const weft_attr *kept = weft_attr_copy(s->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { items, n } });
    weft_block *to = made ? weft_build_block(b, &made->regions[0]) : NULL;
    weft_status st = to && kept             ? weft_op_set(b->m, made, WEFT_A_in_shardings, kept)
                     : b->status != WEFT_OK ? b->status
                                            : weft_oom();
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) {
        if (!s->use_count[body->args[i]->id]) continue;
        weft_value *arg = weft_build_block_arg(b, to, body->args[i]->type, body->args[i]->loc);
        if (!arg) return weft_oom();
        arg->hint = body->args[i]->hint;
        s->rewrite.map.to[body->args[i]->id] = arg;
    }
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++)
        s->rewrite.map.to[op->results[i].id] = &made->results[i];
    *did = WEFT_DONE;
    s->changed = true;
    return st == WEFT_OK ? weft_rewrite_block(&s->rewrite, body, to) : st;
}

static weft_status fold_manual(weft_canon *s, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_block *body = weft_op_body(op, 0);
    int64_t devices;
    if (!op->operand_count && !op->result_count && body->first == body->last) {
        *did = WEFT_DONE;
        s->changed = true;
        return WEFT_OK;
    }
    weft_status st = manual_devices(s, op, &devices);
    if (st != WEFT_OK) return st;
    return devices == 1 ? inline_body(s, b, op, did) : drop_arguments(s, b, op, did);
}

/* ---- branches ---- */

static weft_status fold_case(weft_canon *s, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_op *def = op->operands[0]->def;
    const weft_attr *which = def && def->kind == WEFT_OP_constant ? weft_op_attr(def, WEFT_A_value) : NULL;
    if (!which || which->kind != WEFT_ATTR_DENSE) return WEFT_OK;
    const int64_t branch = weft_dense_int(which, 0);
    return branch >= 0 && branch < op->region_count ? inline_block(s, b, op, weft_op_body(op, (uint32_t)branch), did)
                                                    : WEFT_OK;
}

/* ---- sweeps ---- */

static weft_canon_patterns pattern_of(weft_op_kind kind) {
    if (kind == WEFT_OP_sdy_reshard) return WEFT_CANON_RESHARDS;
    return kind == WEFT_OP_sdy_manual_computation || kind == WEFT_OP_case ? WEFT_CANON_OTHERS : WEFT_CANON_COLLECTIVES;
}

/* Whether a sweep may find anything after weft_tidy: an op that a pattern begins with, or one that only removable()
 * knows. */
static bool may_fold(const weft_module *in, unsigned patterns) {
    static const weft_op_kind first[] = {
        WEFT_OP_sdy_reshard,
        WEFT_OP_sdy_all_gather,
        WEFT_OP_sdy_all_slice,
        WEFT_OP_sdy_all_reduce,
        WEFT_OP_sdy_reduce_scatter,
        WEFT_OP_sdy_all_to_all,
        WEFT_OP_sdy_collective_permute,
        WEFT_OP_sdy_manual_computation,
        WEFT_OP_case,
    };
    for (size_t i = 0; i < WEFT_COUNT(first); i++)
        if (weft_module_had(in, first[i]) && (patterns & pattern_of(first[i]) || first[i] == WEFT_OP_sdy_all_to_all))
            return true;
    return false;
}

static weft_status fold(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    weft_canon *s = r->user;
    static const struct { weft_op_kind kind; weft_attr_name axes; } idle[] = {
        { WEFT_OP_sdy_all_gather, WEFT_A_gathering_axes }, { WEFT_OP_sdy_all_slice, WEFT_A_slicing_axes },
        { WEFT_OP_sdy_all_reduce, WEFT_A_reduction_axes }, { WEFT_OP_sdy_reduce_scatter, WEFT_A_reduce_scatter_axes },
    };
    if (!s->live[op->id]) {
        *did = WEFT_DONE;
        s->changed = true;
        return WEFT_OK;
    }
    for (size_t i = 0; i < WEFT_COUNT(idle) && s->patterns & WEFT_CANON_COLLECTIVES; i++)
        if (op->kind == idle[i].kind && no_axes(weft_op_attr(op, idle[i].axes))) {
            weft_canon_replace(s, op, now(s, op->operands[0]), did);
            return WEFT_OK;
        }
    if (!(s->patterns & pattern_of(op->kind))) return WEFT_OK;
    switch ((int)op->kind) {
    case WEFT_OP_sdy_reshard: return fold_reshard(s, b, op, did);
    case WEFT_OP_sdy_all_slice: return fold_slice(s, b, op, did);
    case WEFT_OP_sdy_all_reduce: return fold_reduce(s, b, op, did);
    case WEFT_OP_sdy_all_to_all: return fold_all_to_all(s, b, op, did);
    case WEFT_OP_sdy_collective_permute: return fold_permute(s, op, did);
    case WEFT_OP_sdy_manual_computation: return fold_manual(s, b, op, did);
    case WEFT_OP_case: return fold_case(s, b, op, did);
    }
    return WEFT_OK;
}

static weft_status share(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    return op->kind == WEFT_OP_sdy_reshard ? weft_canon_share(r->user, b, op, did) : WEFT_OK;
}

typedef weft_status (*rewriting)(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did);

/* *out stays NULL when there was nothing to do. */
static weft_status sweep(weft_context *cx, const weft_module *in, unsigned patterns, rewriting how, weft_module **out) {
    weft_canon s = { .cx = cx, .patterns = patterns };
    weft_module *made = NULL;
    weft_arena_init(&s.arena, &cx->alloc);
    s.rewrite = (weft_rewrite){ .user = &s, .op = how };
    s.live = weft_arena_array(&s.arena, bool, in->op_count);
    s.place = weft_arena_array(&s.arena, uint32_t, in->op_count);
    s.fused = weft_arena_array(&s.arena, weft_value *, in->op_count);
    s.use_count = weft_arena_array(&s.arena, uint32_t, in->value_count);
    weft_status st = s.live && s.place && s.fused && s.use_count ? weft_uses_build(in, &s.arena, &s.uses) : weft_oom();
    if (st == WEFT_OK) st = weft_shardings_open(cx, in, &s.arena, &s.shardings);
    if (st == WEFT_OK) mark_block(&s, weft_module_body(in));
    if (st == WEFT_OK) st = weft_rewrite_module(&s.rewrite, in, &s.arena, &made);
    if (st == WEFT_OK && s.changed) *out = made;
    else if (st == WEFT_OK) weft_module_free(made);
    weft_arena_free(&s.arena);
    return st;
}

/* enable-patterns: labels between commas; none means all, as for MLIR's pass. */
static weft_status read_patterns(const weft_pass *p, unsigned *out) {
    static const struct { const char *label; weft_canon_patterns pattern; } labels[] = {
        { "sdy-reshard", WEFT_CANON_RESHARDS }, { "sdy-collective", WEFT_CANON_COLLECTIVES },
    };
    weft_str list = weft_pass_text(p, "enable-patterns", WEFT_STR(""));
    *out = list.n ? 0 : WEFT_CANON_ALL;
    while (list.n) {
        size_t n = 0, i = 0;
        while (n < list.n && list.p[n] != ',') n++;
        const weft_str label = { list.p, n };
        while (i < WEFT_COUNT(labels) && !weft_str_is(label, labels[i].label)) i++;
        if (i == WEFT_COUNT(labels))
            return weft_report(p->cx, WEFT_D_usage, NULL, "pass '%s' has no patterns '%.*s'", p->name,
                               WEFT_STR_ARG(label));
        *out |= labels[i].pattern;
        list = (weft_str){ list.p + n + (n < list.n), list.n - n - (n < list.n) };
    }
    return WEFT_OK;
}

weft_status weft_pass_canonicalize(weft_pass *p, const weft_module *in, weft_module **out) {
    const weft_module *cur = in;
    weft_module *tidy = NULL;
    unsigned patterns;
    weft_status st = read_patterns(p, &patterns);
    if (st == WEFT_OK) st = weft_tidy(in, &tidy);
    if (tidy) cur = tidy;
    for (bool more = st == WEFT_OK && may_fold(cur, patterns); more && st == WEFT_OK;) {
        weft_module *next = NULL;
        st = sweep(p->cx, cur, patterns, fold, &next);
        if (st == WEFT_OK && !next && patterns & WEFT_CANON_OTHERS) st = sweep(p->cx, cur, patterns, share, &next);
        more = next != NULL;
        if (!more) break;
        if (cur != in) weft_module_free((weft_module *)cur);
        cur = next;
    }
    if (st == WEFT_OK && cur != in) *out = (weft_module *)cur;
    else if (cur != in) weft_module_free((weft_module *)cur);
    return st;
}
