/* local_convolution.c: a convolution on local shapes.
 *
 * Along a spatial dimension the devices share the work between the windows, with halos of the input, or inside them,
 * with halos of the input and a sum of the results (window_view.h): the latter where the kernel is an image too, as in
 * the gradient of a kernel. Groups that are split are fewer on each device. What is padding of features is zeros in
 * both factors of its products.
 *
 * What is padding of a window is zeros in the kernel. The input there is another window's, and zero times infinity is
 * no zero: so of floats each window gets an input of its own, one beside the other along the batch, in which its
 * padding is zeros too. Windows that are split so are few, as those of a gradient of a kernel are.
 */
#include "partitioner/lower/local_ops.h"
#include "partitioner/lower/window_view.h"

static const weft_conv_dims *dims_of(const weft_op *op) { return &weft_op_attr(op, WEFT_A_dimension_numbers)->conv; }

static uint32_t views_of(const weft_placements *t, const weft_op *op, const weft_placement *kernel,
                         weft_view_dim *out) {
    const weft_conv_dims *n = dims_of(op);
    for (uint32_t i = 0; i < n->input_spatial.n; i++) {
        uint32_t d = (uint32_t)n->input_spatial.v[i], r = (uint32_t)n->output_spatial.v[i],
                 w = (uint32_t)n->kernel_spatial.v[i];
        weft_view v = { op->operands[0]->type->dims[d], op->results[0].type->dims[r],
                        weft_op_int_at(op, WEFT_A_window_strides, i, 1), weft_op_padding_at(op, i, 0),
                        op->operands[1]->type->dims[w], weft_op_int_at(op, WEFT_A_rhs_dilation, i, 1),
                        weft_op_int_at(op, WEFT_A_lhs_dilation, i, 1) };
        bool inside = weft_placement_dim_shards(t, kernel, w) > 1;
        weft_view_cut cut = !inside                                            ? WEFT_VIEW_BETWEEN
                            : weft_op_int_at(op, WEFT_A_window_reversal, i, 0) ? WEFT_VIEW_INSIDE_REVERSED
                                                                               : WEFT_VIEW_INSIDE;
        out[i] = (weft_view_dim){ d, r, i, cut, v };
    }
    return n->input_spatial.n;
}

/* --- which factors may be split ----------------------------------------------------------------------------------- */

static weft_bits first_factor(const weft_rule *rule, uint32_t tensor, int64_t dim) {
    weft_rule_dim d = rule->tensors[tensor].dims[dim];
    return d.n ? weft_bit(rule->factors[d.first]) : 0;
}

/* Spatial dimensions are split between windows or inside them, whichever is the major factor of the input. */
weft_bits weft_any_parts_convolution(const weft_op *op, const weft_rule *rule) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_dimension_numbers);
    weft_bits set = 0, between = weft_factors_moving(op, rule);
    for (uint32_t i = 0; a && a->kind == WEFT_ATTR_CONV && i < a->conv.input_spatial.n; i++)
        set |= first_factor(rule, 0, a->conv.input_spatial.v[i]) &
               (between | (rule->reduction & first_factor(rule, 1, a->conv.kernel_spatial.v[i])));
    return set;
}

weft_bits weft_factors_convolution(const weft_op *op, const weft_rule *rule) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_dimension_numbers);
    if (!a || a->kind != WEFT_ATTR_CONV) return 0;
    weft_bits set = weft_pass_factors(op, rule) | rule->reduction;
    weft_ints spatial[3] = { a->conv.input_spatial, a->conv.kernel_spatial, a->conv.output_spatial };
    for (uint32_t t = 0; t < 3; t++)
        for (uint32_t i = 0; i < spatial[t].n; i++) {
            weft_rule_dim d = rule->tensors[t].dims[spatial[t].v[i]];
            for (uint32_t k = 0; k < d.n; k++) set &= ~weft_bit(rule->factors[d.first + k]);
        }
    return set | weft_any_parts_convolution(op, rule);
}

#define MOST_APART 16 /* windows that get an input each */

/* Whether the last devices have fewer taps than the first, and numbers for which zeros in the kernel are not enough. */
static bool ends_with_padding(const weft_op *op, const weft_view_dim *d, int64_t shards) {
    return d->cut != WEFT_VIEW_BETWEEN && d->v.taps % shards && !weft_dtype_is_integer(op->operands[0]->type->dtype);
}

static bool may_be_apart(const weft_op *op, const weft_view_dim *d) {
    return d->v.out <= MOST_APART && d->v.dilation == 1 && weft_op_int(op, WEFT_A_batch_group_count, 1) == 1;
}

double weft_talk_convolution(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    weft_view_dim views[WEFT_MAX_RANK];
    const weft_placement *l = weft_placement_of(t, operands[0]);
    const uint32_t n = views_of(t, op, weft_placement_of(t, operands[1]), views);
    uint32_t apart = 0, dilated = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t shards = weft_placement_dim_shards(t, l, views[i].dim);
        dilated += shards > 1 && views[i].v.dilation != 1; /* may make more results than it keeps */
        if (!ends_with_padding(op, &views[i], shards)) continue;
        if (apart++ || !may_be_apart(op, &views[i])) return -1;
    }
    if (apart && dilated) return -1;
    return weft_view_talk(t, op, operands[0], views, n);
}

/* --- lowering ----------------------------------------------------------------------------------------------------- */

/* Groups are the major part of the dimension that has them, so they are split first. The last device may have fewer,
 * and padding. */
static int64_t groups_left(const weft_localizer *z, int64_t groups, const weft_placement *l, int64_t dim) {
    return weft_ceil_div(groups, weft_min_i64(groups, weft_placement_dim_shards(z->t, l, (uint32_t)dim)));
}

static weft_status set_groups(weft_localizer *z, const weft_op *op, weft_op *made) {
    const weft_placement *lhs = weft_local_placement(z, op->operands[0]),
                         *rhs = weft_local_placement(z, op->operands[1]);
    const weft_conv_dims *n = dims_of(op);
    int64_t features = weft_op_int(op, WEFT_A_feature_group_count, 1),
            batches = weft_op_int(op, WEFT_A_batch_group_count, 1);
    weft_status st = WEFT_OK;
    if (features > 1) {
        const weft_attr *a = weft_attr_i64(z->cx, groups_left(z, features, rhs, n->kernel_output_feature));
        st = a ? weft_op_set(z->rewrite->out, made, WEFT_A_feature_group_count, a) : weft_oom();
    }
    if (st == WEFT_OK && batches > 1) {
        const weft_attr *a = weft_attr_i64(z->cx, groups_left(z, batches, lhs, n->input_batch));
        st = a ? weft_op_set(z->rewrite->out, made, WEFT_A_batch_group_count, a) : weft_oom();
    }
    return st;
}

/* The operands as the op sees them, with zeros in the padding of what is summed over. */
static weft_status operands_of(weft_localizer *z, const weft_op *op, const weft_view_dim *views, uint32_t n,
                               weft_sight *s, weft_value **rhs) {
    const weft_conv_dims *c = dims_of(op);
    const weft_value *lhs = op->operands[0];
    const weft_placement *l = weft_local_placement(z, lhs);
    weft_bits window = 0;
    bool cut = false;
    for (uint32_t i = 0; i < n; i++) {
        cut = cut || (weft_placement_dim(l, views[i].dim).n && !weft_view_is_plain(&views[i]));
        if (views[i].cut == WEFT_VIEW_BETWEEN) continue;
        if (weft_placement_dim(weft_local_placement(z, &op->results[0]), views[i].result_dim).n)
            return weft_report(z->cx, WEFT_D_unsupported, op->loc,
                               "dimension %u of %s is split between its windows and inside them", views[i].dim,
                               op->name->text);
        window |= weft_bit(c->kernel_spatial.v[i]);
    }
    weft_value *fill = cut ? weft_build_splat(z->b, weft_type_tensor(z->cx, lhs->type->dtype, 0, NULL), 0) : NULL;
    weft_status st = weft_view_look(z, op, views, n, 1, &fill, s);
    if (st != WEFT_OK) return st;
    s->x[0] = weft_local_masked(z, lhs, s->x[0], weft_bit(c->input_feature), NULL);
    *rhs = weft_local_masked(z, op->operands[1], weft_local_value(z, op->operands[1]),
                             window | weft_bit(c->kernel_input_feature), NULL);
    return z->b->status;
}

/* Of x the elements that each window sees, one window after the other along the batch, with zeros where it is padding.
 */
static weft_value *windows_apart(weft_localizer *z, const weft_op *op, weft_value *x, const weft_view_dim *d) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    const uint32_t n = weft_placement_dim_atoms(l, d->dim, atoms);
    const int64_t shards = weft_placement_dim_shards(z->t, l, d->dim), part = weft_ceil_div(d->v.taps, shards),
                  seen = (part - 1) * d->v.spread + 1;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **windows = weft_scratch_array(z->cx, weft_value *, d->v.out), *v = NULL;
    int64_t *from = weft_scratch_array(z->cx, int64_t, shards);
    for (int64_t o = 0; windows && o < d->v.out; o++)
        windows[o] = weft_local_cut(z, x, d->dim, o * d->v.stride, o * d->v.stride + seen);
    if (windows)
        v = d->v.out == 1
                ? windows[0]
                : weft_build_concatenate(z->b, windows, (uint32_t)d->v.out, (uint32_t)dims_of(op)->input_batch);
    for (int64_t k = 0; from && k < shards; k++)
        from[k] = (d->cut == WEFT_VIEW_INSIDE ? k * part : d->v.taps - (k + 1) * part) * d->v.spread;
    if (v && from) {
        weft_value *in =
            weft_halo_inside(z, v->type, d->dim, atoms, n, from, shards, 0, (d->v.taps - 1) * d->v.spread + 1);
        v = weft_local_select(z, in, v, weft_build_splat(z->b, v->type, 0));
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* made, whose batch is one of each window, with the windows along their own dimension. */
static weft_status bring_together(weft_localizer *z, const weft_op *op, weft_op *made, const weft_view_dim *d) {
    const uint32_t batch = (uint32_t)dims_of(op)->output_batch, rank = op->results[0].type->rank;
    const weft_type *type = made->results[0].type;
    int64_t apart[WEFT_MAX_RANK], dims[WEFT_MAX_RANK + 1], order[WEFT_MAX_RANK + 1];
    if (d->v.out == 1) return WEFT_OK;
    if (rank == WEFT_MAX_RANK)
        return weft_report(z->cx, WEFT_D_unsupported, op->loc, "%s of %u dimensions that is split inside a window",
                           op->name->text, rank);
    for (uint32_t i = 0; i < rank; i++)
        apart[i] = i == d->result_dim ? 1 : i == batch ? type->dims[i] * d->v.out : type->dims[i];
    /* without the dimension of the windows, which stand before the batch */
    for (uint32_t i = 0, n = 0, k = 0; i < rank; i++) {
        if (i == batch) dims[n++] = d->v.out;
        if (i != d->result_dim) dims[n++] = type->dims[i];
        const uint32_t windows = d->result_dim < batch ? batch - 1 : batch;
        if (i == d->result_dim) {
            order[i] = windows;
            continue;
        }
        order[i] = k < windows ? k : k + 1;
        k++;
    }
    made->results[0].type = weft_type_with_dims(z->cx, type, rank, apart);
    if (!made->results[0].type) return weft_oom();
    weft_local_map(z, &op->results[0],
                   weft_local_transposed(z, weft_local_reshaped(z, &made->results[0], rank, dims), order));
    return z->b->status;
}

weft_status weft_lower_convolution(weft_localizer *z, const weft_op *op) {
    weft_view_dim views[WEFT_MAX_RANK];
    uint32_t n = views_of(z->t, op, weft_local_placement(z, op->operands[1]), views);
    weft_value *rhs = NULL;
    weft_op *made = NULL;
    weft_sight s;
    const weft_view_dim *apart = NULL;
    weft_status st = operands_of(z, op, views, n, &s, &rhs);
    for (uint32_t i = 0; st == WEFT_OK && i < n && !apart; i++)
        if (ends_with_padding(op, &views[i],
                              weft_placement_dim_shards(z->t, weft_local_placement(z, op->operands[0]), views[i].dim)))
            apart = &views[i];
    if (st == WEFT_OK && apart)
        st = (s.x[0] = windows_apart(z, op, s.x[0], apart)) ? WEFT_OK
             : z->b->status != WEFT_OK                      ? z->b->status
                                                            : weft_oom();
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || !(weft_local_placement(z, op->operands[0])->n || weft_local_placement(z, op->operands[1])->n))
        return st;
    made->operands[0] = s.x[0];
    made->operands[1] = rhs;
    st = weft_local_strip(z, made);
    if (st == WEFT_OK) st = set_groups(z, op, made);
    if (st == WEFT_OK && s.any) st = weft_view_set_padding(z, made, op, &s, n);
    if (st == WEFT_OK && s.any) st = weft_view_cut_results(z, made, op, views, n, &s);
    return st == WEFT_OK && apart ? bring_together(z, op, made, apart) : st;
}
