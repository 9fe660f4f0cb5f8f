/* infer_sdy_collective.c: sdy's collectives say how their operand's sharding becomes out_sharding.
 *
 * Each is replayed on the operand's axes, dimension by dimension, and the outcome compared with out_sharding. Where
 * the operand's sharding is not written on its definition (an argument of a loop's body) only out_sharding itself is
 * checked. Source: Shardy docs/sdy_dialect.md, sdy.all_gather ... sdy.sharded_to_unreduced.
 */
#include "ir/infer.h"

#define MOST_AXES 64 /* in one dimension */

/* A list of axes as pieces (pre, size) of mesh axes; a whole axis is the piece (1, its size). */
typedef struct pieces {
    weft_axis_ref v[MOST_AXES];
    uint32_t n;
} pieces;

static weft_axis_ref whole(const weft_mesh_attr *mesh, weft_axis_ref a) {
    return a.size ? a : (weft_axis_ref){ a.name, 1, weft_mesh_axis_size(mesh, a.name) };
}

static void pieces_from(const weft_mesh_attr *mesh, weft_axis_refs axes, pieces *p) {
    p->n = 0;
    for (uint32_t i = 0; i < axes.n && p->n < MOST_AXES; i++) p->v[p->n++] = whole(mesh, axes.v[i]);
}

/* Appends a, as part of the last piece where it continues that. */
static void pieces_append(pieces *p, weft_axis_ref a) {
    weft_axis_ref *last = p->n ? &p->v[p->n - 1] : NULL;
    if (last && last->name == a.name && last->pre_size * last->size == a.pre_size) last->size *= a.size;
    else if (p->n < MOST_AXES) p->v[p->n++] = a;
}

/* Takes a off the end; false when it is not there. */
static bool pieces_remove(pieces *p, weft_axis_ref a) {
    weft_axis_ref *last = p->n ? &p->v[p->n - 1] : NULL;
    if (!last || last->name != a.name || last->pre_size * last->size != a.pre_size * a.size || a.pre_size % last->pre_size) return false;
    if (a.pre_size == last->pre_size) p->n--;
    else last->size = a.pre_size / last->pre_size;
    return true;
}

static bool pieces_equal(const weft_mesh_attr *mesh, const pieces *p, weft_axis_refs axes) {
    if (p->n != axes.n) return false;
    for (uint32_t i = 0; i < axes.n; i++) {
        weft_axis_ref a = whole(mesh, axes.v[i]);
        if (a.name != p->v[i].name || a.pre_size != p->v[i].pre_size || a.size != p->v[i].size) return false;
    }
    return true;
}

static bool pieces_overlap(const weft_mesh_attr *mesh, weft_axis_refs axes, weft_axis_ref b) {
    for (uint32_t i = 0; i < axes.n; i++) {
        weft_axis_ref a = whole(mesh, axes.v[i]);
        if (a.name == b.name && a.pre_size < b.pre_size * b.size && b.pre_size < a.pre_size * a.size) return true;
    }
    return false;
}

/* Mesh order, adjacent pieces joined. */
static void pieces_sort(const weft_mesh_attr *mesh, pieces *p) {
    pieces sorted = { .n = 0 };
    for (uint32_t axis = 0; axis < mesh->axis_count; axis++)
        for (int64_t from = 0;;) {
            const weft_axis_ref *next = NULL;
            for (uint32_t i = 0; i < p->n; i++)
                if (p->v[i].name == mesh->axes[axis].name && p->v[i].pre_size > from && (!next || p->v[i].pre_size < next->pre_size)) next = &p->v[i];
            if (!next) break;
            from = next->pre_size;
            pieces_append(&sorted, *next);
        }
    *p = sorted;
}

/* Nothing says how arguments of other blocks than functions' lie. */
static bool is_known(const weft_value *v) { return v->def || v->block->parent->parent->kind == WEFT_OP_func; }

/* The sharding written on v's definition, or NULL. */
static const weft_attr *sharding_of(const weft_value *v) {
    if (!v->def) return is_known(v) ? weft_func_arg_attr(v->block->parent->parent, v->index, WEFT_A_sdy_sharding) : NULL;
    static const weft_attr_name own[] = { WEFT_A_sharding, WEFT_A_out_sharding };
    for (size_t i = 0; i < WEFT_COUNT(own); i++) {
        const weft_attr *a = weft_op_kind_has_attr(v->def->kind, own[i]) ? weft_op_attr(v->def, own[i]) : NULL;
        if (a && a->kind == WEFT_ATTR_SHARDING) return a;
    }
    const weft_attr *list = weft_op_attr(v->def, WEFT_A_sdy_sharding);
    return list && list->kind == WEFT_ATTR_SHARDINGS && v->index < list->items.n ? list->items.v[v->index] : NULL;
}

/* What every collective of sdy is checked with. */
typedef struct collective {
    const weft_mesh_attr *mesh;
    const weft_sharding_attr *in;   /* NULL when not written */
    const weft_sharding_attr *out;
} collective;

/* An operand without a sharding is replicated, where the op makes sense of that. */
typedef enum bare_operand { BARE_REFUSED, BARE_REPLICATED } bare_operand;

static weft_status replicated(weft_checker *c, collective *k) {
    weft_sharding_attr *s = weft_arena_new(&c->cx->scratch, weft_sharding_attr);
    weft_dim_sharding *dims = weft_scratch_array(c->cx, weft_dim_sharding, k->out->rank);
    if (!s || !dims) return weft_oom();
    *s = (weft_sharding_attr){ .mesh = k->out->mesh, .dims = dims, .rank = k->out->rank };
    k->in = s;
    return WEFT_OK;
}

static weft_status open_collective(weft_checker *c, const weft_op *op, const weft_type **types, bare_operand bare, collective *k) {
    const weft_attr *out = weft_op_attr(op, WEFT_A_out_sharding), *in = sharding_of(op->operands[0]);
    types[0] = op->operands[0]->type;
    weft_status st = weft_check_sharding(c, op, "out_sharding", out, types[0]);
    if (st != WEFT_OK) return st;
    *k = (collective){ weft_check_mesh_ref(c, op, "out_sharding", out->sharding.mesh), in && in->kind == WEFT_ATTR_SHARDING ? &in->sharding : NULL, &out->sharding };
    if (!k->in && is_known(op->operands[0])) {
        if (bare == BARE_REFUSED) return weft_bad_sharding(c, op, "operand 0 has no sharding");
        return replicated(c, k);
    }
    if (k->in && k->in->rank != k->out->rank)
        return weft_bad_sharding(c, op, "out_sharding has %u dimensions, but the operand's sharding has %u", k->out->rank, k->in->rank);
    if (k->in && op->kind != WEFT_OP_sdy_collective_permute && !weft_attr_equal(k->in->mesh, k->out->mesh))
        return weft_bad_sharding(c, op, "out_sharding and the operand's sharding are on different meshes");
    return WEFT_OK;
}

static weft_status check_dim(weft_checker *c, const weft_op *op, const collective *k, uint32_t d, const pieces *want) {
    if (pieces_equal(k->mesh, want, k->out->dims[d].axes)) return WEFT_OK;
    return weft_bad_sharding(c, op, "out_sharding of dimension %u is not what the operand's sharding becomes", d);
}

typedef enum dim_change { TAKE_OFF, PUT_ON } dim_change;

/* A list of axes per dimension is taken off, or put on, the operand's. */
static weft_status change_dims(weft_checker *c, const weft_op *op, const collective *k, weft_attr_name name, dim_change change) {
    const weft_attr *axes = weft_op_attr(op, name);
    if (axes->kind != WEFT_ATTR_AXES_PER_DIM) return weft_bad(c, op, "attribute '%s' is not a list of axes per dimension", weft_attr_names[name]);
    weft_status st = weft_check_axes(c, op, weft_attr_names[name], k->mesh, axes->axes_per_dim.v, axes->axes_per_dim.n);
    if (st == WEFT_OK && axes->axes_per_dim.n != k->out->rank)
        st = weft_bad_sharding(c, op, "%s has %u dimensions, but out_sharding has %u", weft_attr_names[name], axes->axes_per_dim.n, k->out->rank);
    for (uint32_t d = 0; k->in && d < k->out->rank && st == WEFT_OK; d++) {
        weft_axis_refs list = axes->axes_per_dim.v[d];
        pieces p;
        pieces_from(k->mesh, k->in->dims[d].axes, &p);
        for (uint32_t i = 0; i < list.n && st == WEFT_OK; i++) {
            const weft_axis_ref *a = change == TAKE_OFF ? &list.v[list.n - 1 - i] : &list.v[i];
            if (change == PUT_ON) pieces_append(&p, whole(k->mesh, *a));
            else if (!pieces_remove(&p, whole(k->mesh, *a)))
                st = weft_bad_sharding(c, op, "%s: the operand's dimension %u does not end with axis %s", weft_attr_names[name], d, weft_text_of_axis(c, a));
        }
        if (st == WEFT_OK) st = check_dim(c, op, k, d, &p);
    }
    return st;
}

weft_status weft_infer_sdy_all_gather(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    return st == WEFT_OK ? change_dims(c, op, &k, WEFT_A_gathering_axes, TAKE_OFF) : st;
}

weft_status weft_infer_sdy_all_slice(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REPLICATED, &k);
    return st == WEFT_OK ? change_dims(c, op, &k, WEFT_A_slicing_axes, PUT_ON) : st;
}

/* A reduction leaves nothing unreduced that was not. */
static weft_status check_no_new_unreduced(weft_checker *c, const weft_op *op, const collective *k) {
    for (uint32_t i = 0; k->in && i < k->out->unreduced.n; i++)
        if (!pieces_overlap(k->mesh, k->in->unreduced, whole(k->mesh, k->out->unreduced.v[i])))
            return weft_bad_sharding(c, op, "out_sharding: axis %s is unreduced, but not in the operand's sharding", weft_text_of_axis(c, &k->out->unreduced.v[i]));
    return WEFT_OK;
}

weft_status weft_infer_sdy_reduce_scatter(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REPLICATED, &k);
    if (st == WEFT_OK) st = weft_check_enum(c, op, WEFT_A_reduction_op, WEFT_ENUM_reduction_op);
    if (st == WEFT_OK) st = check_no_new_unreduced(c, op, &k);
    return st == WEFT_OK ? change_dims(c, op, &k, WEFT_A_reduce_scatter_axes, PUT_ON) : st;
}

/* out's unreduced axes are the operand's and more[0..n). */
static weft_status check_unreduced(weft_checker *c, const weft_op *op, const collective *k, const weft_axis_refs *more, uint32_t n) {
    pieces p;
    if (!k->in) return WEFT_OK;
    pieces_from(k->mesh, k->in->unreduced, &p);
    for (uint32_t l = 0; l < n; l++)
        for (uint32_t i = 0; i < more[l].n && p.n < MOST_AXES; i++) p.v[p.n++] = whole(k->mesh, more[l].v[i]);
    pieces_sort(k->mesh, &p);
    if (pieces_equal(k->mesh, &p, k->out->unreduced)) return WEFT_OK;
    return weft_bad_sharding(c, op, "out_sharding's unreduced axes are not the operand's and those of the op");
}

weft_status weft_infer_sdy_sharded_to_unreduced(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    if (st == WEFT_OK) st = change_dims(c, op, &k, WEFT_A_axes, TAKE_OFF);
    const weft_attr *axes = weft_op_attr(op, WEFT_A_axes);
    return st == WEFT_OK ? check_unreduced(c, op, &k, axes->axes_per_dim.v, axes->axes_per_dim.n) : st;
}

/* Dimensions stay as they are. */
static weft_status check_dims_kept(weft_checker *c, const weft_op *op, const collective *k) {
    weft_status st = WEFT_OK;
    for (uint32_t d = 0; k->in && d < k->out->rank && st == WEFT_OK; d++) {
        pieces p;
        pieces_from(k->mesh, k->in->dims[d].axes, &p);
        st = check_dim(c, op, k, d, &p);
    }
    return st;
}

/* No axis of list overlaps one that the operand's dimensions use. */
static weft_status check_free(weft_checker *c, const weft_op *op, const collective *k, const char *what, weft_axis_refs list) {
    for (uint32_t i = 0; i < list.n; i++) {
        weft_axis_ref a = whole(k->mesh, list.v[i]);
        for (uint32_t d = 0; k->in && d < k->in->rank; d++)
            if (pieces_overlap(k->mesh, k->in->dims[d].axes, a))
                return weft_bad_sharding(c, op, "%s: axis %s overlaps the operand's dimension %u", what, weft_text_of_axis(c, &list.v[i]), d);
    }
    return WEFT_OK;
}

weft_status weft_infer_sdy_replicated_to_unreduced(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    if (st != WEFT_OK) return st;
    const weft_attr *axes = weft_op_attr(op, WEFT_A_axes);
    if (axes->kind != WEFT_ATTR_AXES || !axes->axes.n) return weft_bad(c, op, "attribute 'axes' is not a list of at least one axis");
    st = weft_check_axes(c, op, "axes", k.mesh, &axes->axes, 1);
    if (st == WEFT_OK) st = weft_check_axis_order(c, op, "axes", k.mesh, axes->axes);
    if (st == WEFT_OK) st = check_free(c, op, &k, "axes", axes->axes);
    for (uint32_t i = 0; k.in && i < axes->axes.n && st == WEFT_OK; i++)
        if (pieces_overlap(k.mesh, k.in->unreduced, whole(k.mesh, axes->axes.v[i])))
            st = weft_bad_sharding(c, op, "axes: axis %s is unreduced in the operand's sharding", weft_text_of_axis(c, &axes->axes.v[i]));
    if (st == WEFT_OK) st = check_dims_kept(c, op, &k);
    return st == WEFT_OK ? check_unreduced(c, op, &k, &axes->axes, 1) : st;
}

weft_status weft_infer_sdy_all_reduce(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REPLICATED, &k);
    if (st != WEFT_OK) return st;
    weft_axis_refs axes = weft_op_attr(op, WEFT_A_reduction_axes)->axes;
    st = weft_check_enum(c, op, WEFT_A_reduction_op, WEFT_ENUM_reduction_op);
    if (st == WEFT_OK) st = weft_check_axes(c, op, "reduction_axes", k.mesh, &axes, 1);
    if (st == WEFT_OK) st = weft_check_axis_order(c, op, "reduction_axes", k.mesh, axes);
    if (st == WEFT_OK) st = check_no_new_unreduced(c, op, &k);
    if (st == WEFT_OK) st = check_free(c, op, &k, "reduction_axes", axes);
    for (uint32_t i = 0; i < axes.n && st == WEFT_OK; i++)
        if (pieces_overlap(k.mesh, k.out->unreduced, whole(k.mesh, axes.v[i])))
            st = weft_bad_sharding(c, op, "reduction_axes: axis %s is still unreduced in out_sharding", weft_text_of_axis(c, &axes.v[i]));
    return st == WEFT_OK ? check_dims_kept(c, op, &k) : st;
}

static int64_t parts_of(const weft_mesh_attr *mesh, weft_axis_refs axes) {
    int64_t n = 1;
    for (uint32_t i = 0; i < axes.n; i++) n *= whole(mesh, axes.v[i]).size;
    return n;
}

weft_status weft_infer_sdy_collective_permute(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    const weft_mesh_attr *from = st == WEFT_OK && k.in ? weft_check_mesh_ref(c, op, "sharding of operand", k.in->mesh) : NULL;
    if (st != WEFT_OK || !k.in) return st;
    if (!from) return WEFT_ERR_INVALID;
    bool same_axes = from->axis_count == k.mesh->axis_count;
    for (uint32_t i = 0; same_axes && i < from->axis_count; i++) same_axes = from->axes[i].name == k.mesh->axes[i].name && from->axes[i].size == k.mesh->axes[i].size;
    if (!same_axes) return weft_bad_sharding(c, op, "out_sharding's mesh has other axes than the operand's");
    bool same_order = from->device_ids.n == k.mesh->device_ids.n;
    for (uint32_t i = 0; same_order && i < from->device_ids.n; i++) same_order = from->device_ids.v[i] == k.mesh->device_ids.v[i];
    if (same_order && !weft_attr_equal(k.in->mesh, k.out->mesh))
        return weft_bad_sharding(c, op, "out_sharding is on another mesh than the operand's sharding, but of the same devices; name one of them");
    for (uint32_t d = 0; d < k.out->rank; d++)
        if (parts_of(from, k.in->dims[d].axes) != parts_of(k.mesh, k.out->dims[d].axes))
            return weft_bad_sharding(c, op, "dimension %u is in %lld parts, but out_sharding says %lld", d, (long long)parts_of(from, k.in->dims[d].axes),
                                     (long long)parts_of(k.mesh, k.out->dims[d].axes));
    return WEFT_OK;
}

static weft_status check_param(weft_checker *c, const weft_op *op, const collective *k, const weft_a2a_param *p) {
    pieces src, tgt;
    if (!k->in) return WEFT_OK;
    pieces_from(k->mesh, k->in->dims[p->src_dim].axes, &src);
    pieces_from(k->mesh, k->in->dims[p->tgt_dim].axes, &tgt);
    for (uint32_t i = p->axes.n; i-- > 0;)
        if (!pieces_remove(&src, whole(k->mesh, p->axes.v[i])))
            return weft_bad_sharding(c, op, "params: the operand's dimension %lld does not end with axis %s", (long long)p->src_dim, weft_text_of_axis(c, &p->axes.v[i]));
    for (uint32_t i = 0; i < p->axes.n; i++) pieces_append(&tgt, whole(k->mesh, p->axes.v[i]));
    weft_status st = check_dim(c, op, k, (uint32_t)p->src_dim, &src);
    return st == WEFT_OK ? check_dim(c, op, k, (uint32_t)p->tgt_dim, &tgt) : st;
}

weft_status weft_infer_sdy_all_to_all(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_bits moved = 0;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    if (st != WEFT_OK) return st;
    const weft_attr *a = weft_op_attr(op, WEFT_A_params);
    if (!a->a2a.n) return weft_bad(c, op, "params is empty");
    weft_axis_refs *lists = weft_scratch_array(c->cx, weft_axis_refs, a->a2a.n);
    if (!lists) return weft_oom();
    for (uint32_t i = 0; i < a->a2a.n; i++) {
        const weft_a2a_param *p = &a->a2a.v[i];
        int64_t dims[] = { p->src_dim, p->tgt_dim };
        for (int s = 0; s < 2; s++) {
            if (dims[s] < 0 || dims[s] >= k.out->rank) return weft_bad(c, op, "params: dimension %lld is not within 0 to %d", (long long)dims[s], (int)k.out->rank - 1);
            if (weft_bits_has(moved, (unsigned)dims[s])) return weft_bad(c, op, "params: dimension %lld is named twice", (long long)dims[s]);
            moved |= weft_bit((unsigned)dims[s]);
        }
        if (i && p->src_dim <= a->a2a.v[i - 1].src_dim) return weft_bad(c, op, "params: source dimensions are not in rising order");
        lists[i] = p->axes;
    }
    st = weft_check_axes(c, op, "params", k.mesh, lists, a->a2a.n);
    for (uint32_t i = 0; i < a->a2a.n && st == WEFT_OK; i++) st = check_param(c, op, &k, &a->a2a.v[i]);
    for (uint32_t d = 0; k.in && d < k.out->rank && st == WEFT_OK; d++) {
        pieces p;
        if (weft_bits_has(moved, d)) continue;
        pieces_from(k.mesh, k.in->dims[d].axes, &p);
        st = check_dim(c, op, &k, d, &p);
    }
    return st;
}
