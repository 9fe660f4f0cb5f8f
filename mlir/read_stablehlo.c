/* read_stablehlo.c: StableHLO's own attributes. Those without a kind in ir/attr.h (result_accuracy, dot_algorithm, ...)
 * are left to the caller, who keeps their text. */
#include "mlir/reader.h"

/* One field of <name = value, ...>: a list of integers or one. */
typedef struct field {
    const char *name;
    weft_ints *list;
    int64_t *one;
} field;

static bool take_list(weft_reader *r, weft_ints *out) {
    size_t height = r->ints.n;
    if (!rd_int_list(r, '[', ']')) return false;
    uint32_t n = (uint32_t)(r->ints.n - height);
    int64_t *v = weft_arena_array(&r->arena, int64_t, n);
    if (!v) return rd_oom(r);
    if (n) memcpy(v, r->ints.v + height, n * sizeof *v);
    r->ints.n = height;
    *out = (weft_ints){ v, n };
    return true;
}

/* <a = [1], b = 2>: any order, each at most once, what is missing stays empty or zero. */
static bool fields(weft_reader *r, const field *f, size_t n) {
    uint32_t seen = 0;
    if (!rd_expect(r, '<')) return false;
    while (!rd_at(r, '>')) {
        const char *at = r->p;
        weft_str name;
        if (!rd_ident(r, &name)) return false;
        size_t i = 0;
        while (i < n && !weft_str_is(name, f[i].name)) i++;
        if (i == n) return rd_fail(r, at, "unknown field '%.*s'", WEFT_STR_ARG(name));
        if (seen >> i & 1) return rd_fail(r, at, "field '%.*s' is given twice", WEFT_STR_ARG(name));
        seen |= 1u << i;
        if (!rd_expect(r, '=')) return false;
        if (f[i].list ? !take_list(r, f[i].list) : !rd_int(r, f[i].one)) return false;
        if (!rd_accept(r, ',')) break;
    }
    return rd_expect(r, '>');
}

static const weft_attr *copied(weft_reader *r, const weft_attr *a) {
    const weft_attr *c = weft_attr_copy(r->cx, a);
    if (!c) rd_oom(r);
    return c;
}

static const weft_attr *dot(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_DOT };
    weft_dot_dims *d = &a.dot;
    const field f[] = {
        { "lhs_batching_dimensions", &d->lhs_batch, NULL },       { "rhs_batching_dimensions", &d->rhs_batch, NULL },
        { "lhs_contracting_dimensions", &d->lhs_contract, NULL }, { "rhs_contracting_dimensions", &d->rhs_contract, NULL },
    };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

static const weft_attr *gather(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_GATHER };
    weft_gather_dims *d = &a.gather;
    const field f[] = {
        { "offset_dims", &d->offset_dims, NULL },
        { "collapsed_slice_dims", &d->collapsed_slice_dims, NULL },
        { "operand_batching_dims", &d->operand_batching_dims, NULL },
        { "start_indices_batching_dims", &d->start_indices_batching_dims, NULL },
        { "start_index_map", &d->start_index_map, NULL },
        { "index_vector_dim", NULL, &d->index_vector_dim },
    };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

static const weft_attr *scatter(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_SCATTER };
    weft_scatter_dims *d = &a.scatter;
    const field f[] = {
        { "update_window_dims", &d->update_window_dims, NULL },
        { "inserted_window_dims", &d->inserted_window_dims, NULL },
        { "input_batching_dims", &d->input_batching_dims, NULL },
        { "scatter_indices_batching_dims", &d->scatter_indices_batching_dims, NULL },
        { "scatter_dims_to_operand_dims", &d->scatter_dims_to_operand_dims, NULL },
        { "index_vector_dim", NULL, &d->index_vector_dim },
    };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

static const weft_attr *channel(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_CHANNEL };
    const field f[] = { { "handle", NULL, &a.channel.handle }, { "type", NULL, &a.channel.type } };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

/* [b, 0, 1, f]: letters[0] and letters[1] once each, and 0 .. n-1 in any order. */
static bool conv_side(weft_reader *r, const char *letters, int64_t *first, int64_t *second, weft_ints *spatial) {
    int64_t place[WEFT_MAX_RANK], found[2] = { -1, -1 };
    uint32_t n = 0, total = 0;
    const char *at = r->p;
    for (uint32_t i = 0; i < WEFT_MAX_RANK; i++) place[i] = -1;
    if (!rd_expect(r, '[')) return false;
    do {
        const char *here = r->p;
        if (total == WEFT_MAX_RANK) return rd_fail(r, here, "more than %d dimensions", WEFT_MAX_RANK);
        int letter = *here == letters[0] ? 0 : *here == letters[1] ? 1 : -1;
        if (letter >= 0 && !rd_is_ident(here[1])) {
            if (found[letter] >= 0) return rd_fail(r, here, "dimension '%c' is given twice", letters[letter]);
            found[letter] = total;
            r->p++;
            rd_skip(r);
        } else {
            int64_t d;
            if (!rd_is_digit(*here)) {
                rd_fail(r, here, "expected '%c', '%c' or the number of a spatial dimension", letters[0], letters[1]);
                return false;
            }
            if (!rd_int(r, &d)) return false;
            if (d < 0 || d >= WEFT_MAX_RANK) return rd_fail(r, here, "spatial dimension out of range");
            if (place[d] >= 0) return rd_fail(r, here, "spatial dimension %lld is given twice", (long long)d);
            place[d] = total;
            n++;
        }
        total++;
    } while (rd_accept(r, ','));
    for (int i = 0; i < 2; i++)
        if (found[i] < 0) return rd_fail(r, at, "dimension '%c' is missing", letters[i]);
    int64_t *v = weft_arena_array(&r->arena, int64_t, n);
    if (!v) return rd_oom(r);
    for (uint32_t i = 0; i < n; i++) {
        if (place[i] < 0) return rd_fail(r, at, "spatial dimension %u is missing", i);
        v[i] = place[i];
    }
    *first = found[0];
    *second = found[1];
    *spatial = (weft_ints){ v, n };
    return rd_expect(r, ']');
}

bool rd_conv_dims(weft_reader *r, weft_conv_dims *d) {
    return conv_side(r, "bf", &d->input_batch, &d->input_feature, &d->input_spatial) && rd_expect_word(r, "x") &&
           conv_side(r, "io", &d->kernel_input_feature, &d->kernel_output_feature, &d->kernel_spatial) && rd_expect_arrow(r) &&
           conv_side(r, "bf", &d->output_batch, &d->output_feature, &d->output_spatial);
}

static const weft_attr *conv(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_CONV };
    if (!rd_expect(r, '<')) return NULL;
    if (rd_word(r, "raw")) return NULL;
    return rd_conv_dims(r, &a.conv) && rd_expect(r, '>') ? copied(r, &a) : NULL;
}

/* #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2> */
static bool axis_ref(weft_reader *r, weft_axis_ref *out) {
    weft_str name;
    if (!rd_at(r, '#')) return rd_unexpected(r, "#stablehlo.axis_ref<...>");
    r->p++;
    if (!rd_expect_word(r, "stablehlo.axis_ref") || !rd_expect(r, '<') || !rd_expect_word(r, "name") || !rd_expect(r, '=') ||
        !rd_string(r, &name))
        return false;
    *out = (weft_axis_ref){ .name = rd_intern(r, name) };
    if (!out->name) return false;
    if (rd_accept(r, ',')) {
        if (!rd_expect_word(r, "sub_axis_info") || !rd_expect(r, '=')) return false;
        if (rd_at(r, '#')) { /* #stablehlo.sub_axis_info(1)2 */
            r->p++;
            if (!rd_expect_word(r, "stablehlo.sub_axis_info")) return false;
        }
        if (!rd_expect(r, '(') || !rd_int(r, &out->pre_size) || !rd_expect(r, ')') || !rd_int(r, &out->size)) return false;
    }
    return rd_expect(r, '>');
}

/* <mesh = @mesh, axes = [...]>; a mesh spelled out as #stablehlo.mesh<...> keeps the whole attribute as text */
static const weft_attr *mesh_axes(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_MESH_AXES };
    RD_STACK(weft_axis_ref) axes = { 0 };
    if (!rd_expect(r, '<') || !rd_expect_word(r, "mesh") || !rd_expect(r, '=')) return NULL;
    if (!rd_at(r, '@')) return NULL;
    if (!(a.mesh_axes.mesh = rd_symbol(r))) return NULL;
    if (!rd_expect(r, ',') || !rd_expect_word(r, "axes") || !rd_expect(r, '=') || !rd_expect(r, '[')) return NULL;
    while (!rd_at(r, ']')) {
        weft_axis_ref ref;
        if (!axis_ref(r, &ref) || !rd_push(r, (void **)&axes.v, &axes.n, &axes.cap, sizeof ref)) return NULL;
        axes.v[axes.n - 1] = ref;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']') || !rd_expect(r, '>')) return NULL;
    a.mesh_axes.axes = (weft_axis_refs){ axes.v, (uint32_t)axes.n };
    return copied(r, &a);
}

const weft_attr *rd_stablehlo_attr(weft_reader *r, weft_str mnemonic) {
    static const struct { const char *name; const weft_attr *(*read)(weft_reader *r); } known[] = {
        { "dot", dot }, { "gather", gather }, { "scatter", scatter }, { "conv", conv },
        { "channel_handle", channel }, { "replica_group_mesh_axes", mesh_axes },
    };
    for (size_t i = 0; i < WEFT_COUNT(known); i++)
        if (weft_str_is(mnemonic, known[i].name)) return known[i].read(r);
    return NULL;
}
