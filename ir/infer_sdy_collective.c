/* infer_sdy_collective.c: sdy's collectives, which describe how their operand's sharding becomes out_sharding.
 *
 * Each is replayed on the operand's axes, dimension by dimension, and the outcome compared with out_sharding. Rules,
 * order and words: Shardy, shardy/dialect/sdy/ir/verifiers.cc, verifyCollectiveOp and the verifySymbolUses of each op.
 */
#include "ir/infer.h"

#define MOST_AXES 64 /* in one dimension */

/* A list of axes as pieces (pre, size) of mesh axes; a full axis is the piece (1, its size). */
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

/* Appends a, merged with the last piece if it continues that. */
static void pieces_append(pieces *p, weft_axis_ref a) {
    weft_axis_ref *last = p->n ? &p->v[p->n - 1] : NULL;
    if (last && last->name == a.name && last->pre_size * last->size == a.pre_size) last->size *= a.size;
    else if (p->n < MOST_AXES) p->v[p->n++] = a;
}

/* Removes a from the end; false if it is not there. */
static bool pieces_remove(pieces *p, weft_axis_ref a) {
    weft_axis_ref *last = p->n ? &p->v[p->n - 1] : NULL;
    if (!last || last->name != a.name || last->pre_size * last->size != a.pre_size * a.size ||
        a.pre_size % last->pre_size)
        return false;
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
                if (p->v[i].name == mesh->axes[axis].name && p->v[i].pre_size > from &&
                    (!next || p->v[i].pre_size < next->pre_size))
                    next = &p->v[i];
            if (!next) break;
            from = next->pre_size;
            pieces_append(&sorted, *next);
        }
    *p = sorted;
}

/* ["x", "y":(1)2] */
static const char *pieces_text(weft_checker *c, const weft_mesh_attr *mesh, const pieces *p) {
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    weft_buf_putc(&b, '[');
    for (uint32_t i = 0; i < p->n; i++) {
        weft_axis_ref a = p->v[i];
        if (a.pre_size == 1 && a.size == weft_mesh_axis_size(mesh, a.name)) a.pre_size = a.size = 0;
        if (i) weft_buf_puts(&b, ", ");
        weft_buf_puts(&b, weft_text_of_axis(c, &a));
    }
    weft_buf_putc(&b, ']');
    const char *text = b.failed ? NULL : weft_arena_strdup(&c->cx->scratch, b.p, b.n);
    weft_buf_free(&b);
    return text ? text : "?";
}

/* The context in which every collective of sdy is checked. */
typedef struct collective {
    const weft_mesh_attr *mesh;
    const weft_sharding_attr *in, *out;
} collective;

/* An operand without a sharding is replicated, if the op allows that. */
typedef enum bare_operand { BARE_REFUSED, BARE_REPLICATED } bare_operand;

static weft_status replicated(weft_checker *c, collective *k) {
    weft_sharding_attr *s = weft_arena_new(&c->cx->scratch, weft_sharding_attr);
    weft_dim_sharding *dims = weft_scratch_array(c->cx, weft_dim_sharding, k->out->rank);
    if (!s || !dims) return weft_oom();
    *s = (weft_sharding_attr){ .mesh = k->out->mesh, .dims = dims, .rank = k->out->rank };
    k->in = s;
    return WEFT_OK;
}

static weft_status bad_mesh(weft_checker *c, const weft_op *op, const weft_mesh_attr *operand, const char *what) {
    weft_status st = weft_bad_sharding(c, op, "%s", what);
    weft_note(c->cx, weft_value_loc(op->operands[0]), "operand mesh: %s", weft_text_of_mesh(c, operand));
    return st;
}

static weft_status open_collective(weft_checker *c, const weft_op *op, const weft_type **types, bare_operand bare,
                                   collective *k) {
    const weft_attr *out = weft_op_attr(op, WEFT_A_out_sharding), *in;
    types[0] = op->operands[0]->type;
    weft_status st = weft_written_sharding(c, op->operands[0], &in);
    if (st != WEFT_OK) return st;
    if (!in && bare == BARE_REFUSED) return weft_bad_sharding(c, op, "collective on operand without sharding");
    st = weft_check_sharding(c, op, "", out, types[0]);
    if (st != WEFT_OK) return st;
    *k = (collective){ weft_find_mesh(c, op, out->sharding.mesh), in ? &in->sharding : NULL, &out->sharding };
    const weft_mesh_attr *from = in ? weft_find_mesh(c, op, in->sharding.mesh) : NULL;
    if (from && op->kind != WEFT_OP_sdy_collective_permute && !weft_mesh_attr_equal(from, k->mesh))
        return bad_mesh(c, op, from, "result mesh does not match operand mesh");
    if (in && k->in->rank != k->out->rank)
        return weft_bad_sharding(c, op, "result sharding has rank %u but operand sharding has rank %u", k->out->rank,
                                 k->in->rank);
    return in ? WEFT_OK : replicated(c, k);
}

static weft_status check_dim(weft_checker *c, const weft_op *op, const collective *k, uint32_t d, const pieces *want) {
    if (pieces_equal(k->mesh, want, k->out->dims[d].axes)) return WEFT_OK;
    return weft_bad_sharding(c, op, "result sharding doesn't match expected sharding %s on dimension %u",
                             pieces_text(c, k->mesh, want), d);
}

/* Removes axes from the end of p; kind is their name in messages. */
static weft_status take_off(weft_checker *c, const weft_op *op, const collective *k, const char *kind,
                            weft_axis_refs axes, int64_t d, pieces *p) {
    for (uint32_t i = axes.n; i-- > 0;)
        if (!pieces_remove(p, whole(k->mesh, axes.v[i])))
            return weft_bad_sharding(c, op, "can't apply %s axis %s to operand sharding on dimension %lld", kind,
                                     weft_text_of_axis(c, &axes.v[i]), (long long)d);
    return WEFT_OK;
}

/* Removes a list of axes per dimension from the operand's, or, with kind NULL, appends it. */
static weft_status change_dims(weft_checker *c, const weft_op *op, const collective *k, weft_attr_name name,
                               const char *kind) {
    const weft_attr *axes = weft_op_attr(op, name);
    if (axes->kind != WEFT_ATTR_AXES_PER_DIM)
        return weft_bad(c, op, "attribute '%s' is not a list of axes per dimension", weft_attr_names[name]);
    weft_status st = weft_check_axes(c, op, "", k->mesh, axes->axes_per_dim.v, axes->axes_per_dim.n);
    if (st == WEFT_OK && axes->axes_per_dim.n != k->out->rank)
        st = weft_bad_sharding(c, op, "result sharding has rank %u but collective axes has rank %u", k->out->rank,
                               axes->axes_per_dim.n);
    for (uint32_t d = 0; d < k->out->rank && st == WEFT_OK; d++) {
        weft_axis_refs list = axes->axes_per_dim.v[d];
        pieces p;
        pieces_from(k->mesh, k->in->dims[d].axes, &p);
        if (kind) st = take_off(c, op, k, kind, list, d, &p);
        for (uint32_t i = 0; !kind && i < list.n; i++) pieces_append(&p, whole(k->mesh, list.v[i]));
        if (st == WEFT_OK) st = check_dim(c, op, k, d, &p);
    }
    return st;
}

weft_status weft_infer_sdy_all_gather(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    return st == WEFT_OK ? change_dims(c, op, &k, WEFT_A_gathering_axes, "gathering") : st;
}

weft_status weft_infer_sdy_all_slice(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REPLICATED, &k);
    return st == WEFT_OK ? change_dims(c, op, &k, WEFT_A_slicing_axes, NULL) : st;
}

/* A reduction makes nothing unreduced, and adds sums, or takes maxima. */
static weft_status check_reduction(weft_checker *c, const weft_op *op, const collective *k) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_reduction_op);
    weft_status st = weft_check_enum(c, op, WEFT_A_reduction_op, WEFT_ENUM_reduction_op);
    if (st != WEFT_OK) return st;
    weft_unreduced_by by = !a || a->e == WEFT_reduction_op_sum ? WEFT_BY_SUM
                           : a->e == WEFT_reduction_op_max     ? WEFT_BY_MAX
                                                               : WEFT_BY_MIN;
    return weft_check_unreduced_change(c, op, k->mesh, k->in, k->out, &(weft_unreduced_change){ .removed_by = by });
}

weft_status weft_infer_sdy_reduce_scatter(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REPLICATED, &k);
    if (st == WEFT_OK) st = check_reduction(c, op, &k);
    return st == WEFT_OK ? change_dims(c, op, &k, WEFT_A_reduce_scatter_axes, NULL) : st;
}

/* out's unreduced axes are the operand's and more[0..n). */
static weft_status check_unreduced(weft_checker *c, const weft_op *op, const collective *k, const char *what,
                                   const weft_axis_refs *more, uint32_t n) {
    pieces p;
    pieces_from(k->mesh, k->in->unreduced, &p);
    for (uint32_t l = 0; l < n; l++)
        for (uint32_t i = 0; i < more[l].n && p.n < MOST_AXES; i++) p.v[p.n++] = whole(k->mesh, more[l].v[i]);
    pieces_sort(k->mesh, &p);
    if (pieces_equal(k->mesh, &p, k->out->unreduced)) return WEFT_OK;
    return weft_bad_sharding(c, op, "out_unreduced_axes should be in_unreduced_axes + %s", what);
}

static weft_status check_sums(weft_checker *c, const weft_op *op, const collective *k) {
    return k->out->unreduced_by == WEFT_BY_SUM ? WEFT_OK
                                               : weft_bad_sharding(c, op, "out_sharding reduction_op must be SUM");
}

weft_status weft_infer_sdy_sharded_to_unreduced(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    if (st == WEFT_OK) st = check_sums(c, op, &k);
    if (st == WEFT_OK) st = change_dims(c, op, &k, WEFT_A_axes, "shard-to-unreduce");
    const weft_attr *axes = weft_op_attr(op, WEFT_A_axes);
    return st == WEFT_OK
               ? check_unreduced(c, op, &k, "sharded_to_unreduced_axes", axes->axes_per_dim.v, axes->axes_per_dim.n)
               : st;
}

static bool same_dims(const collective *k) {
    for (uint32_t d = 0; d < k->out->rank; d++)
        if (!weft_axis_refs_equal(k->in->dims[d].axes, k->out->dims[d].axes)) return false;
    return true;
}

static bool dims_overlap(const collective *k, weft_axis_ref a) {
    for (uint32_t d = 0; d < k->in->rank; d++)
        if (pieces_overlap(k->mesh, k->in->dims[d].axes, a)) return true;
    return false;
}

weft_status weft_infer_sdy_replicated_to_unreduced(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    if (st == WEFT_OK) st = check_sums(c, op, &k);
    if (st != WEFT_OK) return st;
    const weft_attr *axes = weft_op_attr(op, WEFT_A_axes);
    bool same = same_dims(&k);
    for (uint32_t d = 0; d < k.out->rank; d++)
        same = same && k.in->dims[d].open == k.out->dims[d].open && k.in->dims[d].priority == k.out->dims[d].priority;
    if (!same) return weft_bad_sharding(c, op, "input and output must share the same dimension shardings");
    if (axes->kind != WEFT_ATTR_AXES || !axes->axes.n) return weft_bad_sharding(c, op, "r2u axes must not be empty");
    st = weft_check_axis_order(c, op, "", "r2u", k.mesh, axes->axes);
    if (st == WEFT_OK) st = weft_check_axes(c, op, "", k.mesh, &axes->axes, 1);
    for (uint32_t i = 0; i < axes->axes.n && st == WEFT_OK; i++) {
        const weft_axis_ref *a = &axes->axes.v[i];
        if (dims_overlap(&k, whole(k.mesh, *a)))
            st = weft_bad_sharding(c, op, "r2u axis %s overlaps with operand dimension sharding",
                                   weft_text_of_axis(c, a));
        else if (pieces_overlap(k.mesh, k.in->unreduced, whole(k.mesh, *a)))
            st = weft_bad_sharding(c, op, "r2u axis %s overlaps with operand unreduced axes", weft_text_of_axis(c, a));
    }
    return st == WEFT_OK ? check_unreduced(c, op, &k, "r2u_axes", &axes->axes, 1) : st;
}

weft_status weft_infer_sdy_all_reduce(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REPLICATED, &k);
    if (st != WEFT_OK) return st;
    weft_axis_refs axes = weft_op_attr(op, WEFT_A_reduction_axes)->axes;
    bool plain = true; /* then the meshes may have two names */
    for (uint32_t d = 0; d < k.in->rank; d++) plain = plain && !k.in->dims[d].axes.n;
    if (!same_dims(&k) || (!plain && !weft_attr_equal(k.in->mesh, k.out->mesh)))
        return weft_bad_sharding(c, op, "operand and result shardings are not equivalent");
    st = weft_check_axis_order(c, op, "", "reduction", k.mesh, axes);
    if (st == WEFT_OK) st = weft_check_axes(c, op, "", k.mesh, &axes, 1);
    for (uint32_t i = 0; i < axes.n && st == WEFT_OK; i++) {
        const weft_axis_ref a = whole(k.mesh, axes.v[i]);
        if (dims_overlap(&k, a) || pieces_overlap(k.mesh, k.in->replicated, a))
            st = weft_bad_sharding(c, op,
                                   "reduction axis %s overlaps with operand dimension sharding or replicated axes",
                                   weft_text_of_axis(c, &axes.v[i]));
        else if (pieces_overlap(k.mesh, k.out->unreduced, a))
            st = weft_bad_sharding(c, op, "reduction axis %s overlaps with result unreduced axes",
                                   weft_text_of_axis(c, &axes.v[i]));
    }
    return st == WEFT_OK ? check_reduction(c, op, &k) : st;
}

static int64_t parts_of(const weft_mesh_attr *mesh, weft_axis_refs axes) {
    int64_t n = 1;
    for (uint32_t i = 0; i < axes.n; i++) n *= whole(mesh, axes.v[i]).size;
    return n;
}

weft_status weft_infer_sdy_collective_permute(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    if (st != WEFT_OK) return st;
    const weft_attr *mesh_ref = k.in->mesh;
    const weft_mesh_attr *from = weft_check_mesh_ref(c, op, "operand - ", mesh_ref);
    if (!from) return WEFT_ERR_INVALID;
    weft_mesh_attr plain_from = *from, plain_to = *k.mesh;
    plain_from.device_ids.n = plain_to.device_ids.n = 0;
    if (!weft_mesh_attr_equal(&plain_from, &plain_to))
        return bad_mesh(c, op, from, "result mesh has different axes than operand mesh");
    if (weft_mesh_attr_equal(from, k.mesh) && !weft_attr_equal(mesh_ref, k.out->mesh))
        return bad_mesh(c, op, from, "result mesh name is different but same device ids as operand");
    for (uint32_t d = 0; d < k.out->rank; d++) {
        int64_t in = parts_of(from, k.in->dims[d].axes), out = parts_of(k.mesh, k.out->dims[d].axes);
        if (in != out)
            return weft_bad_sharding(c, op,
                                     "sharded size of result doesn't match operand on dimension %u: %lld != %lld", d,
                                     (long long)out, (long long)in);
    }
    return WEFT_OK;
}

/* The dimensions that params name, once each; those that axes leave, in ascending order. */
static weft_status check_params(weft_checker *c, const weft_op *op, const collective *k, const weft_attr *a,
                                weft_bits *moved) {
    for (uint32_t i = 0; i < a->a2a.n; i++) {
        const weft_a2a_param *p = &a->a2a.v[i];
        const int64_t dims[] = { p->src_dim, p->tgt_dim };
        for (int s = 0; s < 2; s++)
            if (dims[s] < 0 || dims[s] >= k->out->rank)
                return weft_bad_sharding(c, op, "%s dimension %lld is out of range [0, %u)", s ? "target" : "source",
                                         (long long)dims[s], k->out->rank);
        for (int s = 0; s < 2; s++) {
            if (weft_bits_has(*moved, (unsigned)dims[s]))
                return weft_bad_sharding(c, op, "overlapping source/target dimensions in all-to-all params: %lld",
                                         (long long)dims[s]);
            *moved |= weft_bit((unsigned)dims[s]);
        }
        if (i && p->src_dim <= a->a2a.v[i - 1].src_dim)
            return weft_bad_sharding(c, op,
                                     "source dimensions are not sorted in ascending order: %lld appears after %lld",
                                     (long long)p->src_dim, (long long)a->a2a.v[i - 1].src_dim);
    }
    return WEFT_OK;
}

static weft_status check_param(weft_checker *c, const weft_op *op, const collective *k, const weft_a2a_param *p) {
    pieces src, tgt;
    pieces_from(k->mesh, k->in->dims[p->src_dim].axes, &src);
    pieces_from(k->mesh, k->in->dims[p->tgt_dim].axes, &tgt);
    weft_status st = take_off(c, op, k, "all-to-all", p->axes, p->src_dim, &src);
    for (uint32_t i = 0; i < p->axes.n; i++) pieces_append(&tgt, whole(k->mesh, p->axes.v[i]));
    if (st == WEFT_OK) st = check_dim(c, op, k, (uint32_t)p->src_dim, &src);
    return st == WEFT_OK ? check_dim(c, op, k, (uint32_t)p->tgt_dim, &tgt) : st;
}

weft_status weft_infer_sdy_all_to_all(weft_checker *c, const weft_op *op, const weft_type **types) {
    collective k;
    weft_bits moved = 0;
    weft_status st = open_collective(c, op, types, BARE_REFUSED, &k);
    if (st != WEFT_OK) return st;
    const weft_attr *a = weft_op_attr(op, WEFT_A_params);
    if (!a->a2a.n) return weft_bad_sharding(c, op, "parameter list is empty");
    weft_axis_refs *lists = weft_scratch_array(c->cx, weft_axis_refs, a->a2a.n);
    if (!lists) return weft_oom();
    for (uint32_t i = 0; i < a->a2a.n; i++) lists[i] = a->a2a.v[i].axes;
    st = weft_check_axes(c, op, "", k.mesh, lists, a->a2a.n);
    if (st == WEFT_OK) st = check_params(c, op, &k, a, &moved);
    for (uint32_t i = 0; i < a->a2a.n && st == WEFT_OK; i++) st = check_param(c, op, &k, &a->a2a.v[i]);
    for (uint32_t d = 0; d < k.out->rank && st == WEFT_OK; d++) {
        pieces p;
        if (weft_bits_has(moved, d)) continue;
        pieces_from(k.mesh, k.in->dims[d].axes, &p);
        st = check_dim(c, op, &k, d, &p);
    }
    return st;
}

/* ---- help ---- */

static const struct { weft_op_kind kind; const char *law; } laws[] = {
    { WEFT_OP_sdy_all_gather, "has to be the operand's without the gathered axes, which are last in their dimensions" },
    { WEFT_OP_sdy_all_slice, "has to be the operand's with the axes sliced by after those of their dimensions" },
    { WEFT_OP_sdy_reduce_scatter, "has to be the operand's with the axes scattered over after those of their dimensions, and no longer unreduced" },
    { WEFT_OP_sdy_all_reduce, "has to be the operand's; the axes reduced over are in none of its dimensions, and no longer unreduced" },
    { WEFT_OP_sdy_all_to_all, "here axes leave the end of the source dimension and come after those of the target; nothing else changes" },
    { WEFT_OP_sdy_collective_permute, "every dimension has to be split into as many parts as before" },
    { WEFT_OP_sdy_sharded_to_unreduced, "here axes leave the end of their dimensions and become unreduced" },
    { WEFT_OP_sdy_replicated_to_unreduced, "the dimensions have to be kept; axes that are in none of them become unreduced" },
};

void weft_help_collective(weft_checker *c, const weft_op *op) {
    const weft_attr *in = NULL, *out = weft_op_attr(op, WEFT_A_out_sharding);
    if (!op->operand_count || weft_written_sharding(c, op->operands[0], &in) != WEFT_OK) return;
    weft_help(c->cx, weft_value_loc(op->operands[0]), "the operand has %s", weft_text_of_sharding(c, in));
    for (size_t i = 0; i < WEFT_COUNT(laws); i++)
        if (laws[i].kind == (weft_op_kind)op->kind)
            weft_help(c->cx, op->loc, "out_sharding is %s, but %s", weft_text_of_sharding(c, out), laws[i].law);
}
