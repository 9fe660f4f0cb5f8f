/* convolve.c: stablehlo.convolution as nodes.
 *
 * Up to three spatial dimensions of f32 or bf16, unless there is little to do, become a CG_CONV: padding that is
 * negative is cut off first, holes in lhs are a gradient by data when the windows move by 1, and what no library call
 * says (both kinds of groups, holes and strides at once) is made plain by padding lhs in memory. Complex numbers are
 * four convolutions of their parts. All else is a product of windows, which are a view of lhs padded in memory, with
 * the kernel; our own product (gemm.h) reads them out of that memory. Where windows move by 1 over an image with holes,
 * there is a product for each distance to the next element. A depthwise one is written out. Source: StableHLO
 * docs/spec.md, convolution.
 */
#include "codegen/convolve.h"
#include "codegen/conv.h"
#include "codegen/product.h"

typedef struct convolver {
    cg_graph *g;
    cg_node *lhs, *rhs;
    cg_convolution c;       /* changes with lhs and rhs */
    uint32_t n;             /* spatial dimensions */
    uint32_t rank;
    const int64_t *dims;    /* of the result */
    weft_dtype t;
} convolver;

static int64_t size_of(const cg_node *x, weft_ints spatial, uint32_t i) { return x->dims[spatial.v[i]]; }
static int64_t lhs_size(const convolver *v, uint32_t i) { return size_of(v->lhs, v->c.dims.input_spatial, i); }
static int64_t rhs_size(const convolver *v, uint32_t i) { return size_of(v->rhs, v->c.dims.kernel_spatial, i); }
static int64_t out_size(const convolver *v, uint32_t i) { return v->dims[v->c.dims.output_spatial.v[i]]; }
static int64_t kernel_reach(const convolver *v, uint32_t i) { return (rhs_size(v, i) - 1) * v->c.window[i].dilation; }

static bool clear(const convolver *v, int64_t (*what)(const cg_conv_window *w)) {
    for (uint32_t i = 0; i < v->n; i++)
        if (what(&v->c.window[i])) return false;
    return true;
}

static int64_t negative(const cg_conv_window *w) { return w->low < 0 || w->high < 0; }
static int64_t holes(const cg_conv_window *w) { return w->base > 1; }
static int64_t strides(const cg_conv_window *w) { return w->stride > 1; }

/* rhs turned round where windows are reversed, so that they are not. */
static void turn_kernel(convolver *v, bool all) {
    cg_view_dim view[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < v->rhs->rank; d++) view[d] = cg_along((int32_t)d, 0, 1);
    for (uint32_t i = 0; i < v->n; i++) {
        const int64_t d = v->c.dims.kernel_spatial.v[i];
        if (v->c.window[i].reversed != all) view[d] = cg_along((int32_t)d, v->rhs->dims[d] - 1, -1);
        v->c.window[i].reversed = all;
    }
    v->rhs = cg_view(v->g, v->rhs, v->rhs->rank, v->rhs->dims, view);
}

/* Negative padding cuts lhs; with holes, a cut may end inside one, which is then padding. False when nothing is left.
 */
static bool cut(convolver *v) {
    cg_view_dim view[WEFT_MAX_RANK];
    int64_t dims[WEFT_MAX_RANK];
    memcpy(dims, v->lhs->dims, v->lhs->rank * sizeof *dims);
    for (uint32_t d = 0; d < v->lhs->rank; d++) view[d] = cg_along((int32_t)d, 0, 1);
    for (uint32_t i = 0; i < v->n; i++) {
        cg_conv_window *w = &v->c.window[i];
        const int64_t d = v->c.dims.input_spatial.v[i];
        const int64_t front = w->low < 0 ? (-w->low + w->base - 1) / w->base : 0,
                      back = w->high < 0 ? (-w->high + w->base - 1) / w->base : 0;
        view[d].offset = front;
        dims[d] -= front + back;
        if (dims[d] <= 0) return false;
        w->low += front * w->base;
        w->high += back * w->base;
    }
    v->lhs = cg_view(v->g, v->lhs, v->lhs->rank, dims, view);
    return true;
}

/* Windows see nothing but padding: lhs is as many zeros, which an infinite kernel makes no numbers. */
static void all_padding(convolver *v) {
    int64_t dims[WEFT_MAX_RANK];
    memcpy(dims, v->lhs->dims, v->lhs->rank * sizeof *dims);
    for (uint32_t i = 0; i < v->n; i++) {
        cg_conv_window *w = &v->c.window[i];
        dims[v->c.dims.input_spatial.v[i]] = (out_size(v, i) - 1) * w->stride + kernel_reach(v, i) + 1;
        w->low = w->high = 0;
        w->base = 1;
    }
    v->lhs = cg_splat_value(v->g, (weft_dtype)v->lhs->dtype, v->lhs->rank, dims, 0);
}

/* Holes, and padding as well when asked, as elements of lhs. */
typedef enum plain { HOLES, HOLES_AND_PADDING } plain;

static void fill_in(convolver *v, plain what) {
    int64_t low[WEFT_MAX_RANK] = { 0 }, interior[WEFT_MAX_RANK] = { 0 }, dims[WEFT_MAX_RANK];
    memcpy(dims, v->lhs->dims, v->lhs->rank * sizeof *dims);
    for (uint32_t i = 0; i < v->n; i++) {
        cg_conv_window *w = &v->c.window[i];
        const int64_t d = v->c.dims.input_spatial.v[i];
        interior[d] = w->base - 1;
        dims[d] = (dims[d] - 1) * w->base + 1;
        w->base = 1;
        if (what == HOLES) continue;
        low[d] = w->low;
        dims[d] += w->low + w->high;
        w->low = w->high = 0;
    }
    v->lhs = cg_pad(v->g, v->lhs, cg_splat_value(v->g, (weft_dtype)v->lhs->dtype, 0, NULL, 0), low, interior, dims);
}

/* Batch groups of lhs, [group, batch], as feature groups: lhs copied to [batch, group, feature]. */
static void groups_to_features(convolver *v) {
    const int64_t b = v->c.dims.input_batch, f = v->c.dims.input_feature, groups = v->c.batch_groups,
                  each = v->lhs->dims[b] / groups;
    int64_t split[WEFT_MAX_RANK], merged[WEFT_MAX_RANK], spatial[WEFT_MAX_RANK];
    cg_view_dim view[WEFT_MAX_RANK];
    uint32_t n = 0;
    split[n++] = each, split[n++] = groups, split[n++] = v->lhs->dims[f];
    for (uint32_t i = 0; i < v->n; i++) {
        split[n] = lhs_size(v, i);
        view[v->c.dims.input_spatial.v[i]] = cg_along((int32_t)n++, 0, 1);
    }
    view[b] = (cg_view_dim){ 0, 0, 1, 2, each };
    view[f] = cg_along(2, 0, 1);
    merged[0] = each, merged[1] = groups * v->lhs->dims[f];
    for (uint32_t i = 0; i < v->n; i++) {
        merged[2 + i] = split[3 + i];
        spatial[i] = 2 + i;
    }
    int64_t *where = weft_arena_dup(&v->g->arena, spatial, v->n * sizeof *spatial, _Alignof(int64_t));
    if (!where) v->g->status = weft_oom();
    v->lhs = cg_reshape(v->g, cg_view(v->g, v->lhs, n, split, view), v->rank, merged);
    v->c.dims.input_batch = 0, v->c.dims.input_feature = 1;
    v->c.dims.input_spatial = (weft_ints){ where, v->n };
    v->c.feature_groups = groups;
    v->c.batch_groups = 1;
}

/* ---- the library ---- */

/* The kernel is larger than the result: as in a gradient by weights, where it is an image. */
static bool weights_shape(const convolver *v) {
    int64_t kernel = 1, out = 1;
    for (uint32_t i = 0; i < v->n; i++) kernel *= rhs_size(v, i), out *= out_size(v, i);
    return kernel > out;
}

/* Does padding reach no further than the library expects: not beyond a kernel that touches the image? */
static bool near(const convolver *v, const int64_t *reach, const int64_t *low, const int64_t *high) {
    for (uint32_t i = 0; i < v->n; i++)
        if (low[i] < 0 || low[i] > reach[i] || high[i] > reach[i]) return false;
    return true;
}

static cg_node *conv_node(const convolver *v, cg_conv *c, weft_dtype sum) {
    cg_node *in[2] = { cg_in_memory(v->g, v->lhs), cg_in_memory(v->g, v->rhs) };
    cg_node *n = cg_begin(v->g, CG_CONV, sum, v->rank, v->dims, in, 2);
    if (!n) return NULL;
    c->dims = v->c.dims;
    n->conv = weft_arena_dup(&v->g->arena, c, sizeof *c, _Alignof(cg_conv));
    if (n->conv) return cg_finish(v->g, n);
    v->g->status = weft_oom();
    return NULL;
}

/* Holes of stride - 1 in lhs, windows that move by 1: the gradient of a strided convolution by its image. */
static cg_node *by_data(convolver *v, weft_dtype sum) {
    int64_t reach[WEFT_CONV_SPATIAL], high[WEFT_CONV_SPATIAL];
    cg_conv c = {
        .kind = WEFT_CONV_DATA, .groups = v->c.feature_groups, .stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }
    };
    for (uint32_t i = 0; i < v->n; i++) {
        c.stride[i] = v->c.window[i].base;
        c.dilation[i] = v->c.window[i].dilation;
        reach[i] = kernel_reach(v, i);
        c.low[i] = reach[i] - v->c.window[i].low;
        high[i] = reach[i] - v->c.window[i].high;
        if (high[i] <= -c.stride[i]) return NULL;
    }
    if (v->c.batch_groups > 1 || !clear(v, strides) || !near(v, reach, c.low, high)) return NULL;
    turn_kernel(v, true);
    return conv_node(v, &c, sum);
}

static cg_node *by_weights(convolver *v, weft_dtype sum) {
    int64_t reach[WEFT_CONV_SPATIAL], high[WEFT_CONV_SPATIAL];
    cg_conv c = {
        .kind = WEFT_CONV_WEIGHTS, .groups = v->c.batch_groups, .stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 }
    };
    for (uint32_t i = 0; i < v->n; i++) {
        c.stride[i] = v->c.window[i].dilation;
        c.dilation[i] = v->c.window[i].stride;
        c.low[i] = v->c.window[i].low;
        reach[i] = (out_size(v, i) - 1) * c.dilation[i];
        high[i] = reach[i] + kernel_reach(v, i) + 1 - c.low[i] - lhs_size(v, i);
    }
    if (v->c.feature_groups > 1 || !weights_shape(v) || !near(v, reach, c.low, high)) return NULL;
    turn_kernel(v, false);
    return conv_node(v, &c, sum);
}

static cg_node *forward(convolver *v, weft_dtype sum) {
    int64_t reach[WEFT_CONV_SPATIAL], high[WEFT_CONV_SPATIAL];
    cg_conv c = { .kind = WEFT_CONV_FORWARD, .stride = { 1, 1, 1 }, .dilation = { 1, 1, 1 } };
    turn_kernel(v, false);
    if (v->c.batch_groups > 1) groups_to_features(v);
    c.groups = v->c.feature_groups;
    for (uint32_t i = 0; i < v->n; i++) {
        c.stride[i] = v->c.window[i].stride;
        c.dilation[i] = v->c.window[i].dilation;
        c.low[i] = v->c.window[i].low;
        reach[i] = kernel_reach(v, i);
        high[i] = (out_size(v, i) - 1) * c.stride[i] + reach[i] + 1 - c.low[i] - lhs_size(v, i);
    }
    if (near(v, reach, c.low, high)) return conv_node(v, &c, sum);
    fill_in(v, HOLES_AND_PADDING);
    memset(c.low, 0, sizeof c.low);
    return conv_node(v, &c, sum);
}

static cg_node *by_library(convolver *v, weft_dtype sum) {
    cg_node *r;
    if (!clear(v, holes) && (r = by_data(v, sum))) return r;
    if (!clear(v, holes)) fill_in(v, HOLES);
    r = by_weights(v, sum);
    return r ? r : forward(v, sum);
}

/* ---- windows ---- */

static weft_ints ints(convolver *v, const int64_t *p, uint32_t n) {
    int64_t *q = weft_arena_dup(&v->g->arena, p, n * sizeof *p, _Alignof(int64_t));
    if (!q) v->g->status = weft_oom();
    return (weft_ints){ q, q ? n : 0 };
}

/* Where the parts of an image are among the dimensions of its windows: [group, batch and result's space, kernel's space
 * and feature], each in the order in which they lie in lhs, so that neighbours there are neighbours in the product. */
typedef struct order { int64_t batch, feature, space[WEFT_MAX_RANK], kernel[WEFT_MAX_RANK]; } order;

static order order_of(const convolver *v) {
    const weft_conv_dims *d = &v->c.dims;
    order o = { 0 };
    int64_t outer = 1, inner = 2 + v->n;
    for (int64_t r = 0; r < v->lhs->rank; r++) {
        if (r == d->input_batch) o.batch = outer++;
        if (r == d->input_feature) o.feature = inner++;
        for (uint32_t i = 0; i < v->n; i++)
            if (r == d->input_spatial.v[i]) o.space[i] = outer++, o.kernel[i] = inner++;
    }
    return o;
}

/* p, which is [group, batch and space, out], in the result's order with group and out side by side, then one. */
static cg_node *in_result_order(const convolver *v, cg_node *p, const order *o) {
    const weft_conv_dims *d = &v->c.dims;
    int64_t to[WEFT_MAX_RANK];
    uint32_t at = 0;
    if (!p) return NULL;
    for (int64_t r = 0; r < v->rank; r++) {
        if (r == d->output_batch) to[at++] = o->batch;
        if (r == d->output_feature) to[at++] = 0, to[at++] = 2 + v->n;
        for (uint32_t i = 0; i < v->n; i++)
            if (r == d->output_spatial.v[i]) to[at++] = o->space[i];
    }
    return cg_reshape(v->g, cg_transpose(v->g, p, (weft_ints){ to, at }), v->rank, v->dims);
}

/* A product of windows with the kernel, [group, out, kernel's space and feature]. */
static cg_node *by_windows(convolver *v, cg_sum_order sum) {
    const weft_conv_dims *d = &v->c.dims;
    const uint32_t n = v->n;
    const int64_t groups = v->c.feature_groups * v->c.batch_groups, features = v->rhs->dims[d->kernel_input_feature];
    const int64_t out = v->rhs->dims[d->kernel_output_feature] / groups,
                  batch = v->lhs->dims[d->input_batch] / v->c.batch_groups;
    int64_t x[WEFT_MAX_RANK] = { groups }, k[WEFT_MAX_RANK] = { groups, out }, lhs_contract[WEFT_MAX_RANK],
            rhs_contract[WEFT_MAX_RANK];
    cg_view_dim lhs[WEFT_MAX_RANK], rhs[WEFT_MAX_RANK];
    static const int64_t zero[1] = { 0 };
    const order o = order_of(v);
    fill_in(v, HOLES_AND_PADDING);
    turn_kernel(v, false);
    for (uint32_t i = 0; i < n; i++) {
        x[o.space[i]] = out_size(v, i);
        x[o.kernel[i]] = k[o.kernel[i] - n] = v->rhs ? rhs_size(v, i) : 0;
        lhs[d->input_spatial.v[i]] = (cg_view_dim){ (int32_t)o.space[i], 0, v->c.window[i].stride,
                                                    1 + (uint32_t)o.kernel[i], v->c.window[i].dilation };
        rhs[d->kernel_spatial.v[i]] = cg_along((int32_t)(o.kernel[i] - n), 0, 1);
    }
    x[o.batch] = batch;
    x[o.feature] = k[o.feature - n] = features;
    lhs[d->input_batch] =
        v->c.batch_groups > 1 ? (cg_view_dim){ (int32_t)o.batch, 0, 1, 1, batch } : cg_along((int32_t)o.batch, 0, 1);
    lhs[d->input_feature] = v->c.feature_groups > 1 ? (cg_view_dim){ (int32_t)o.feature, 0, 1, 1, features }
                                                    : cg_along((int32_t)o.feature, 0, 1);
    rhs[d->kernel_input_feature] = cg_along((int32_t)(o.feature - n), 0, 1);
    rhs[d->kernel_output_feature] = groups > 1 ? (cg_view_dim){ 1, 0, 1, 1, out } : cg_along(1, 0, 1);
    for (uint32_t i = 0; i <= n; i++) lhs_contract[i] = 2 + n + i, rhs_contract[i] = 2 + i;
    const weft_dot_dims dot = { { zero, 1 }, { zero, 1 }, ints(v, lhs_contract, n + 1), ints(v, rhs_contract, n + 1) };
    const cg_product_spec spec = { .order = sum };
    return in_result_order(v,
                           cg_product(v->g, cg_view(v->g, v->lhs, 3 + 2 * n, x, lhs),
                                      cg_view(v->g, v->rhs, 3 + n, k, rhs), &dot, v->t, &spec),
                           &o);
}

/* ---- holes ---- */

/* A dimension whose holes can be passed over, or n. */
static uint32_t with_holes(const convolver *v) {
    uint32_t i = 0;
    while (i < v->n && (v->c.window[i].base == 1 || v->c.window[i].stride > 1 || v->c.window[i].dilation > 1)) i++;
    return v->rank < WEFT_MAX_RANK ? i : v->n;
}

/* Only those of the kernel's places along dimension i that are `first` and every so many-th after it; all of them meet
 * elements, and none a hole, in the results that are numbered alike. False when there are none. */
static bool take_places(convolver *v, uint32_t i, int64_t first, int64_t every) {
    const int64_t d = v->c.dims.kernel_spatial.v[i];
    cg_view_dim view[WEFT_MAX_RANK];
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t e = 0; e < v->rhs->rank; e++) view[e] = cg_along((int32_t)e, 0, 1), dims[e] = v->rhs->dims[e];
    if (first >= dims[d]) return false;
    view[d] = cg_along((int32_t)d, first, every);
    dims[d] = (dims[d] - first + every - 1) / every;
    v->rhs = cg_view(v->g, v->rhs, v->rhs->rank, dims, view);
    return v->rhs != NULL;
}

/* What the kernel gives over zeros alone, spread over a result of these dims: zero, or no number where it is infinite.
 */
static cg_node *over_zeros(convolver v, const int64_t *dims, cg_sum_order sum) {
    int64_t image[WEFT_MAX_RANK], one[WEFT_MAX_RANK];
    cg_view_dim view[WEFT_MAX_RANK];
    memcpy(image, v.lhs->dims, v.lhs->rank * sizeof *image);
    image[v.c.dims.input_batch] = v.c.batch_groups;
    for (uint32_t i = 0; i < v.n; i++) {
        image[v.c.dims.input_spatial.v[i]] = kernel_reach(&v, i) + 1;
        v.c.window[i].low = v.c.window[i].high = 0;
        v.c.window[i].base = v.c.window[i].stride = 1;
    }
    for (uint32_t d = 0; d < v.rank; d++) one[d] = 1, view[d] = cg_along(-1, 0, 1);
    one[v.c.dims.output_feature] = dims[v.c.dims.output_feature];
    view[v.c.dims.output_feature] = cg_along((int32_t)v.c.dims.output_feature, 0, 1);
    v.lhs = cg_splat_value(v.g, (weft_dtype)v.lhs->dtype, v.lhs->rank, image, 0);
    v.dims = one;
    return cg_view(v.g, by_windows(&v, sum), v.rank, dims, view);
}

static cg_node *without_holes(convolver *v, cg_sum_order sum);

/* Results `phase`, and every base-th from there along dimension i, `count` of them: dims are theirs. */
static cg_node *one_phase(const convolver *v, uint32_t i, int64_t phase, int64_t count, const int64_t *dims,
                          cg_sum_order sum) {
    const int64_t base = v->c.window[i].base, first = ((v->c.window[i].low - phase) % base + base) % base;
    convolver part = *v, rest = *v;
    cg_conv_window *w = &part.c.window[i];
    cg_node *r = NULL;
    part.dims = dims;
    if (take_places(&part, i, first, base)) {
        w->low = (w->low - phase - first) / base;
        w->high = count + rhs_size(&part, i) - 1 - w->low - lhs_size(&part, i);
        w->base = 1;
        if (!clear(&part, negative) && !cut(&part)) all_padding(&part);
        if (part.lhs) r = without_holes(&part, sum);
    } else if (part.rhs) r = cg_splat_value(v->g, v->t, v->rank, dims, 0);
    for (int64_t other = 0; weft_dtype_is_float(v->t) && other < base; other++) {
        rest.rhs = v->rhs;
        if (other != first && take_places(&rest, i, other, base))
            r = cg_binary(v->g, CG_OP_add, r, over_zeros(rest, dims, sum));
    }
    return r;
}

/* Holes that are filled in are multiplied. Windows that move by 1 meet elements at every base-th place of the kernel,
 * which ones depends on the result: as many smaller convolutions, whose results take turns. */
static cg_node *without_holes(convolver *v, cg_sum_order sum) {
    const uint32_t i = with_holes(v);
    if (i == v->n || sum != CG_SUM_ANY) return by_windows(v, sum);
    const int64_t base = v->c.window[i].base, d = v->c.dims.output_spatial.v[i], count = (v->dims[d] + base - 1) / base;
    int64_t dims[WEFT_MAX_RANK], apart[WEFT_MAX_RANK];
    cg_node **part = weft_arena_array(&v->g->arena, cg_node *, (size_t)base);
    cg_view_dim view[WEFT_MAX_RANK];
    if (!part) {
        v->g->status = weft_oom();
        return NULL;
    }
    turn_kernel(v, false);
    if (!v->rhs) return NULL;
    for (uint32_t e = 0; e < v->rank; e++) dims[e] = v->dims[e], view[e] = cg_along((int32_t)e, 0, 1);
    dims[d] = count;
    for (uint32_t e = 0; e <= v->rank; e++) apart[e] = e <= d ? dims[e] : e == d + 1 ? 1 : dims[e - 1];
    for (int64_t p = 0; p < base; p++)
        part[p] = cg_reshape(v->g, one_phase(v, i, p, count, dims, sum), v->rank + 1, apart);
    apart[d + 1] = base;
    cg_node *all = cg_concat(v->g, part, (uint32_t)base, d + 1, apart);
    dims[d] = count * base;
    return cg_view(v->g, cg_reshape(v->g, all, v->rank, dims), v->rank, v->dims, view);
}

/* ---- choice ---- */

/* One feature in, one out in each group, as in a depthwise convolution: a product of matrices would be a column each.
 * Written out, vectors run along the groups. */
static bool is_depthwise(const cg_convolution *c, const cg_node *rhs, int64_t terms) {
    return terms <= 64 && rhs->dims[c->dims.kernel_output_feature] == c->feature_groups * c->batch_groups;
}

/* Not worth oneDNN's copies of kernel and images; in a loop nest the sums are what the formula gives, term by term. By
 * the default cost that is sums of up to 64 terms. */
static bool is_small(const cg_graph *g, int64_t elems, int64_t terms) {
    const double most = g->costs->loop_convolution, n = (double)terms;
    return 4 * n * n <= most && (double)elems <= most / n;
}

static cg_node *complex_convolution(const convolver *v) {
    const weft_dtype part = weft_dtype_part(v->t);
    cg_node *x[2] = { v->lhs, v->rhs }, *of[2][2], *p[2][2];
    for (int i = 0; i < 2; i++) {
        of[i][0] = cg_scalar(v->g, CG_OP_real, part, 0, &x[i]);
        of[i][1] = cg_scalar(v->g, CG_OP_imag, part, 0, &x[i]);
    }
    for (int i = 0; i < 4; i++)
        p[i / 2][i % 2] = cg_convolve(v->g, of[0][i / 2], of[1][i % 2], &v->c, v->rank, v->dims, part);
    cg_node *re = cg_binary(v->g, CG_OP_subtract, p[0][0], p[1][1]), *im = cg_binary(v->g, CG_OP_add, p[0][1], p[1][0]);
    return cg_scalar(v->g, CG_OP_complex, v->t, 0, (cg_node *[]){ re, im });
}

cg_node *cg_convolve(cg_graph *g, cg_node *lhs, cg_node *rhs, const cg_convolution *c, uint32_t rank,
                     const int64_t *dims, weft_dtype t) {
    convolver v = {
        .g = g, .lhs = lhs, .rhs = rhs, .c = *c, .n = c->dims.input_spatial.n, .rank = rank, .dims = dims, .t = t
    };
    weft_dtype in, sum;
    int64_t elems = 1;
    if (!lhs || !rhs) return NULL;
    for (uint32_t i = 0; i < rank; i++) elems *= dims[i];
    if (!elems || !rhs->elems) return cg_splat_value(g, t, rank, dims, 0);
    if (!lhs->elems || (!clear(&v, negative) && !cut(&v))) all_padding(&v);
    if (!v.lhs) return NULL;
    cg_product_types((weft_dtype)lhs->dtype, (weft_dtype)rhs->dtype, t, WEFT_DTYPE_NONE, &in, &sum);
    const int64_t terms = rhs->elems / rhs->dims[c->dims.kernel_output_feature];
    const bool small = is_small(v.g, elems, terms);
    if (weft_dtype_is_complex(t) && !small) return complex_convolution(&v);
    const bool library = !small && (in == WEFT_F32 || in == WEFT_BF16) && v.n >= 1 && v.n <= WEFT_CONV_SPATIAL;
    v.lhs = cg_convert(g, v.lhs, library ? in : (weft_dtype)lhs->dtype);
    v.rhs = cg_convert(g, v.rhs, library ? in : (weft_dtype)rhs->dtype);
    if (!v.lhs || !v.rhs) return NULL;
    return library ? cg_convert(g, by_library(&v, sum), t)
                   : without_holes(&v, small || is_depthwise(c, rhs, terms) ? CG_SUM_IN_ORDER : CG_SUM_ANY);
}
