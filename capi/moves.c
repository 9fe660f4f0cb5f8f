/* moves.c: ops.h: picking, putting, ordering and moving elements, in terms of other makers. */
#include <weft/ops.h>

#include "capi/graph_impl.h"

/* Whether dim is one of x's; reports. */
static bool has_dim(weft_graph *g, const char *what, const weft_tensor *x, int64_t dim) {
    if (dim >= 0 && dim < x->type->rank) return true;
    weft_graph_fail(g, WEFT_D_verify, "'%s' has no dimension %lld: the tensor has %u", what, (long long)dim,
                    x->type->rank);
    return false;
}

/* ---- dynamic slices ---- */

/* first, second (where it is not NULL) and x's starts, as operands of the op. */
static weft_tensor *dynamic(weft_graph *g, weft_op_kind kind, weft_tensor *x, weft_tensor *update,
                            weft_tensor *const *starts, const weft_attr_pair *attr) {
    weft_tensor *all[2 + WEFT_MAX_RANK] = { x, update };
    const size_t head = update ? 2 : 1;
    for (uint32_t d = 0; d < x->type->rank; d++) all[head + d] = starts[d];
    return weft_graph_build_1(g, kind, all, head + x->type->rank, attr, attr != NULL, NULL);
}

weft_tensor *weft_graph_dynamic_slice_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *const *starts,
                                         weft_dims sizes) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "dynamic_slice", &x, 1) ||
        !weft_graph_owns(g, "dynamic_slice", starts, x->type->rank) || !weft_graph_lists(g, "dynamic_slice", &sizes, 1))
        return NULL;
    const weft_attr_pair attr = { WEFT_A_slice_sizes, weft_graph_ints(g, sizes) };
    return dynamic(g, WEFT_OP_dynamic_slice, x, NULL, starts, &attr);
}

weft_tensor *weft_graph_dynamic_update_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *update,
                                          weft_tensor *const *starts) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "dynamic_update", (weft_tensor *const[]){ x, update }, 2) ||
        !weft_graph_owns(g, "dynamic_update", starts, x->type->rank))
        return NULL;
    return dynamic(g, WEFT_OP_dynamic_update_slice, x, update, starts, NULL);
}

/* ---- rows ---- */

/* from, from + 1 ... below to. */
static weft_dims range(int64_t *room, uint32_t from, uint32_t to) {
    for (uint32_t d = from; d < to; d++) room[d - from] = d;
    return (weft_dims){ room, to - from };
}

static bool has_rows(weft_graph *g, const char *what, const weft_tensor *x, const weft_tensor *rows) {
    if (!has_dim(g, what, x, 0)) return false;
    if (x->type->rank - 1 + rows->type->rank <= WEFT_MAX_RANK) return true;
    weft_graph_fail(g, WEFT_D_verify, "a tensor has at most %d dimensions", WEFT_MAX_RANK);
    return false;
}

weft_tensor *weft_graph_gather_rows_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *rows) {
    weft_tensor *const both[] = { x, rows };
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "gather_rows", both, 2) || !has_rows(g, "gather_rows", x, rows))
        return NULL;
    int64_t of_row[WEFT_MAX_RANK], sizes[WEFT_MAX_RANK] = { 1 };
    const int64_t first = 0;
    const uint32_t n = rows->type->rank;
    const weft_dims offsets = range(of_row, n, n + x->type->rank - 1);
    for (uint32_t d = 1; d < x->type->rank; d++) sizes[d] = x->type->dims[d];
    const weft_attr a = { .kind = WEFT_ATTR_GATHER,
                          .gather = { .offset_dims = { offsets.v, (uint32_t)offsets.n },
                                      .collapsed_slice_dims = { &first, 1 }, .start_index_map = { &first, 1 },
                                      .index_vector_dim = n } };
    const weft_attr_pair attrs[] = { { WEFT_A_dimension_numbers, weft_attr_copy(g->cx, &a) },
                                     { WEFT_A_slice_sizes, weft_graph_ints(g, (weft_dims){ sizes, x->type->rank }) } };
    return weft_graph_build_1(g, WEFT_OP_gather, both, 2, attrs, 2, NULL);
}

static void combine(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const char *op = user;
    const weft_source at = weft_graph_source(g);
    y[0] = strcmp(op, "set") ? weft_graph_pointwise_at(at, g, op, x, 2) : x[1];
}

/* Whether op is one of those that combine two values; reports. */
static bool combines(weft_graph *g, const char *op, const char *further) {
    static const char *const names[] = { "add", "multiply", "maximum", "minimum" };
    for (size_t i = 0; op && i < WEFT_COUNT(names); i++)
        if (!strcmp(op, names[i])) return true;
    if (op && *further && !strcmp(op, further)) return true;
    weft_graph_fail(g, WEFT_D_usage, "'%s' combines no values: add, multiply, maximum, minimum%s%s", op ? op : "",
                    *further ? ", " : "", further);
    return false;
}

weft_tensor *weft_graph_scatter_rows_at(weft_source at, weft_graph *g, const char *op, weft_tensor *x,
                                        weft_tensor *rows, weft_tensor *updates) {
    weft_tensor *const all[] = { x, rows, updates };
    if (!weft_graph_begin(g, at) || !combines(g, op, "set") || !weft_graph_owns(g, "scatter_rows", all, 3) ||
        !has_rows(g, "scatter_rows", x, rows))
        return NULL;
    int64_t of_row[WEFT_MAX_RANK];
    const int64_t first = 0;
    const uint32_t n = rows->type->rank;
    const weft_scatter_numbers dims = { .window = range(of_row, n, n + x->type->rank - 1), .inserted = { &first, 1 },
                                        .places = { &first, 1 }, .vector = n };
    weft_tensor *out = NULL;
    weft_graph_scatter_at(at, g, &x, 1, rows, &updates, dims, combine, (void *)op, &out);
    return out;
}

/* ---- order ---- */

static void better(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const weft_source at = weft_graph_source(g);
    weft_tensor *wins = weft_graph_compare_at(at, g, user, x[0], x[2]),
                *is_nan = weft_graph_compare_at(at, g, "NE", x[0], x[0]),
                *equal = weft_graph_compare_at(at, g, "EQ", x[0], x[2]),
                *sooner = weft_graph_compare_at(at, g, "LT", x[1], x[3]);
    wins = weft_graph_pointwise_at(at, g, "or", (weft_tensor *const[]){ wins, is_nan }, 2);
    weft_tensor *tie = weft_graph_pointwise_at(at, g, "and", (weft_tensor *const[]){ equal, sooner }, 2);
    weft_tensor *index = weft_graph_pointwise_at(at, g, "or", (weft_tensor *const[]){ wins, tie }, 2);
    y[0] = weft_graph_pointwise_at(at, g, "select", (weft_tensor *const[]){ wins, x[0], x[2] }, 3);
    y[1] = weft_graph_pointwise_at(at, g, "select", (weft_tensor *const[]){ index, x[1], x[3] }, 3);
}

static weft_tensor *arg_of(weft_source at, weft_graph *g, const char *what, const char *direction, weft_tensor *x,
                           int64_t dim) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, what, &x, 1) || !has_dim(g, what, x, dim)) return NULL;
    const weft_type *scalar = weft_type_with_dims(g->cx, x->type, 0, NULL),
                    *index = weft_type_tensor(g->cx, WEFT_I32, 0, NULL),
                    *places = weft_type_tensor(g->cx, WEFT_I32, x->type->rank, x->type->dims);
    if (!scalar || !index || !places) return weft_graph_keep(g, weft_oom());
    weft_tensor *values[] = { x, weft_build_iota(&g->b, places, dim) };
    const weft_dtype t = x->type->dtype;
    const double worst = *direction == 'G' ? weft_dtype_least(t) : weft_dtype_greatest(t);
    weft_tensor *init[] = { weft_build_splat(&g->b, scalar, worst), weft_build_splat(&g->b, index, 0) }, *out[2];
    weft_graph_reduce_by_at(at, g, values, init, 2, (weft_dims){ &dim, 1 }, better, (void *)direction, out);
    return out[1];
}

weft_tensor *weft_graph_argmax_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim) {
    return arg_of(at, g, "argmax", "GT", x, dim);
}

weft_tensor *weft_graph_argmin_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim) {
    return arg_of(at, g, "argmin", "LT", x, dim);
}

void weft_graph_top_k_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t k, weft_tensor *out[2]) {
    if (!weft_graph_begin_to(g, at, "top_k", out, 2) || !weft_graph_owns(g, "top_k", &x, 1)) {
        weft_graph_results(NULL, out, 2);
        return;
    }
    const weft_attr_pair attr = { WEFT_A_k, weft_attr_i64(g->cx, k) };
    weft_graph_results(weft_graph_build(g, WEFT_OP_chlo_top_k, &x, 1, &attr, 1, NULL, 2), out, 2);
}

static void before(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    const bool is_float = weft_dtype_of(x[0]->type->dtype)->kind == WEFT_KIND_FLOAT;
    const weft_attr_pair attrs[] = {
        { WEFT_A_comparison_direction, weft_attr_enum(g->cx, WEFT_comparison_direction_LT) },
        { WEFT_A_compare_type, weft_attr_enum(g->cx, WEFT_comparison_type_TOTALORDER) },
    };
    y[0] = weft_graph_build_1(g, WEFT_OP_compare, x, 2, attrs, is_float ? 2 : 1, NULL);
}

weft_tensor *weft_graph_sort_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim) {
    weft_tensor *out = NULL;
    weft_graph_sort_by_at(at, g, &x, 1, dim, before, NULL, &out);
    return out;
}

/* ---- places ---- */

weft_tensor *weft_graph_pad_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims low, weft_dims high, double v) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "pad", &x, 1) ||
        !weft_graph_lists(g, "pad", (weft_dims[]){ low, high }, 2))
        return NULL;
    static const int64_t zeros[WEFT_MAX_RANK];
    const weft_type *scalar = weft_type_with_dims(g->cx, x->type, 0, NULL);
    weft_value *fill = scalar ? weft_build_splat(&g->b, scalar, v) : NULL;
    if (!fill) return weft_graph_keep(g, weft_oom());
    const weft_dims between = { zeros, x->type->rank };
    const weft_attr_pair attrs[] = { { WEFT_A_edge_padding_low, weft_graph_ints(g, low) },
                                     { WEFT_A_edge_padding_high, weft_graph_ints(g, high) },
                                     { WEFT_A_interior_padding, weft_graph_ints(g, between) } };
    return weft_graph_build_1(g, WEFT_OP_pad, (weft_value *const[]){ x, fill }, 2, attrs, WEFT_COUNT(attrs), NULL);
}

/* Elements [low, high) along dim. */
static weft_tensor *part(weft_graph *g, weft_tensor *x, int64_t dim, int64_t low, int64_t high) {
    int64_t start[WEFT_MAX_RANK] = { 0 }, limit[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < x->type->rank; d++) limit[d] = x->type->dims[d];
    start[dim] = low;
    limit[dim] = high;
    return weft_graph_slice_at(weft_graph_source(g), g, x, (weft_dims){ start, x->type->rank },
                               (weft_dims){ limit, x->type->rank }, WEFT_NO_DIMS);
}

/* The result is made of slices one after another: the partitioner knows such rotations, and sends only what crosses a
 * border. */
static weft_tensor *two_parts(weft_graph *g, weft_tensor *a, weft_tensor *b, int64_t dim) {
    return weft_graph_concatenate_at(weft_graph_source(g), g, (weft_tensor *const[]){ a, b }, 2, dim);
}

weft_tensor *weft_graph_shift_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim, int64_t by, double v) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "shift", &x, 1) || !has_dim(g, "shift", x, dim)) return NULL;
    const int64_t n = x->type->dims[dim], far = by >= n || by <= -n ? n : by < 0 ? -by : by;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < x->type->rank; d++) dims[d] = x->type->dims[d];
    dims[dim] = far;
    if (!by || !n) return x;
    const weft_type *t = weft_type_with_dims(g->cx, x->type, x->type->rank, dims);
    weft_value *fill = t ? weft_build_splat(&g->b, t, v) : weft_graph_keep(g, weft_oom());
    if (!fill || far == n) return fill;
    return by > 0 ? two_parts(g, fill, part(g, x, dim, 0, n - far), dim) : two_parts(g, part(g, x, dim, far, n), fill,
        dim);
}

weft_tensor *weft_graph_roll_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim, int64_t by) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "roll", &x, 1) || !has_dim(g, "roll", x, dim)) return NULL;
    const int64_t n = x->type->dims[dim], cut = n ? (n - by % n) % n : 0; /* the first element of the result */
    return cut ? two_parts(g, part(g, x, dim, cut, n), part(g, x, dim, 0, cut), dim) : x;
}

weft_tensor *weft_graph_reverse_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims dims) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "reverse", &x, 1) || !weft_graph_lists(g, "reverse", &dims, 1))
        return NULL;
    const weft_attr_pair attr = { WEFT_A_dimensions, weft_graph_ints(g, dims) };
    return weft_graph_build_1(g, WEFT_OP_reverse, &x, 1, &attr, 1, NULL);
}

/* ---- running sums: after turn k an element has what 2^k elements up to it give ---- */

weft_tensor *weft_graph_cumulative_at(weft_source at, weft_graph *g, const char *op, weft_tensor *x, int64_t dim) {
    if (!weft_graph_begin(g, at) || !combines(g, op, "") || !weft_graph_owns(g, "cumulative", &x, 1) ||
        !has_dim(g, "cumulative", x, dim))
        return NULL;
    const double nothing = !strcmp(op, "add")        ? 0
                           : !strcmp(op, "multiply") ? 1
                           : !strcmp(op, "maximum")  ? weft_dtype_least(x->type->dtype)
                                                     : weft_dtype_greatest(x->type->dtype);
    for (int64_t by = 1; x && by < x->type->dims[dim]; by *= 2) {
        weft_tensor *both[] = { weft_graph_shift_at(at, g, x, dim, by, nothing), x };
        x = weft_graph_pointwise_at(at, g, op, both, 2);
    }
    return x;
}

/* ---- convolution ---- */

typedef struct letters { char image[WEFT_MAX_RANK + 1], kernel[WEFT_MAX_RANK + 1], result[WEFT_MAX_RANK + 1]; } letters;

static bool read_letters(const char *p, letters *l) {
    char *const to[] = { l->image, l->kernel, l->result };
    static const char *const ends[] = { ",", "->", "" };
    for (int i = 0; i < 3; i++) {
        const char *end = *ends[i] ? strstr(p, ends[i]) : p + strlen(p);
        if (!end || end - p < 2 || end - p > WEFT_MAX_RANK) return false;
        memcpy(to[i], p, (size_t)(end - p));
        to[i][end - p] = 0;
        p = end + strlen(ends[i]);
    }
    return strlen(l->image) == strlen(l->kernel) && strlen(l->image) == strlen(l->result);
}

/* The place of letter c, once, in text; -1. */
static int64_t place(const char *text, char c) {
    const char *p = strchr(text, c);
    return p && !strchr(p + 1, c) ? p - text : -1;
}

/* The dimension numbers that the letters give; false if they do not fit. */
static bool numbers(const letters *l, int64_t room[3][WEFT_MAX_RANK], weft_conv_dims *out) {
    *out = (weft_conv_dims){ .input_batch = place(l->image, 'b'), .input_feature = place(l->image, 'f'),
                             .kernel_input_feature = place(l->kernel, 'i'),
                             .kernel_output_feature = place(l->kernel, 'o'),
                             .output_batch = place(l->result, 'b'), .output_feature = place(l->result, 'f') };
    if (out->input_batch < 0 || out->input_feature < 0 || out->kernel_input_feature < 0 ||
        out->kernel_output_feature < 0 || out->output_batch < 0 || out->output_feature < 0)
        return false;
    uint32_t n = 0;
    for (const char *c = l->image; *c; c++) {
        if (*c == 'b' || *c == 'f') continue;
        room[0][n] = place(l->image, *c);
        room[1][n] = place(l->kernel, *c);
        room[2][n] = place(l->result, *c);
        if (*c == 'i' || *c == 'o' || room[0][n] < 0 || room[1][n] < 0 || room[2][n] < 0) return false;
        n++;
    }
    out->input_spatial = (weft_ints){ room[0], n };
    out->kernel_spatial = (weft_ints){ room[1], n };
    out->output_spatial = (weft_ints){ room[2], n };
    return true;
}

weft_tensor *weft_graph_convolution_at(weft_source at, weft_graph *g, const char *spelling, weft_tensor *image,
                                       weft_tensor *kernel, weft_window_dims w, int64_t groups) {
    weft_tensor *const both[] = { image, kernel };
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "convolution", both, 2) ||
        !weft_graph_lists(g, "convolution",
                          (weft_dims[]){ w.strides, w.low, w.high, w.dilation, w.base_dilation }, 5))
        return NULL;
    letters l;
    int64_t room[3][WEFT_MAX_RANK];
    weft_attr a = { .kind = WEFT_ATTR_CONV };
    if (!spelling || !read_letters(spelling, &l) || !numbers(&l, room, &a.conv))
        return weft_graph_fail(g, WEFT_D_usage, "\"%s\" is not of the form \"bhwf,hwio->bhwf\"",
            spelling ? spelling : "");
    if (strlen(l.image) != image->type->rank || strlen(l.kernel) != kernel->type->rank)
        return weft_graph_fail(g, WEFT_D_verify, "\"%s\" names %zu dimensions, the operands have %u and %u", spelling,
                               strlen(l.image), image->type->rank, kernel->type->rank);
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_attr_pair attrs[7] = { { WEFT_A_dimension_numbers, weft_attr_copy(g->cx, &a) },
                                { WEFT_A_feature_group_count, weft_attr_i64(g->cx, groups) },
                                { WEFT_A_batch_group_count, weft_attr_i64(g->cx, 1) } };
    const struct { weft_attr_name name; weft_dims v; } lists[] = { { WEFT_A_window_strides, w.strides },
                                                                   { WEFT_A_lhs_dilation, w.base_dilation },
                                                                   { WEFT_A_rhs_dilation, w.dilation } };
    size_t n = 3;
    for (size_t i = 0; i < WEFT_COUNT(lists); i++)
        if (lists[i].v.n) attrs[n++] = (weft_attr_pair){ lists[i].name, weft_graph_ints(g, lists[i].v) };
    if (w.low.n || w.high.n)
        attrs[n++] = (weft_attr_pair){ WEFT_A_padding,
                                       weft_graph_padding(g, "convolution", w.low, w.high, a.conv.input_spatial.n) };
    weft_tensor *r = g->b.status == WEFT_OK ? weft_graph_build_1(g, WEFT_OP_convolution, both, 2, attrs, n,
        NULL) : NULL;
    weft_arena_reset(&g->cx->scratch, mark);
    return r;
}
