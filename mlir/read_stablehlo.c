/* read_stablehlo.c: StableHLO's and CHLO's own attributes. Those without a kind in ir/attr.h are left to the caller,
 * which keeps their text. */
#include "ir/process.h"
#include "mlir/reader.h"
#include "mlir/writer.h"

/* One field of <name = value, ...>, and the place of its value. */
typedef enum field_kind { LIST, ONE, NUMBER, FLAG, TYPE, MODE } field_kind;
typedef struct field {
    const char *name;
    field_kind kind;
    void *out; /* weft_ints, int64_t, double, bool, const weft_type *, weft_enum_value */
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

static bool take_number(weft_reader *r, double *out) {
    rd_number n;
    return rd_number_read(r, &n) && rd_number_store(r, &n, WEFT_F64, out);
}

static bool take_flag(weft_reader *r, bool *out) {
    *out = rd_word(r, "true");
    return *out || rd_expect_word(r, "false");
}

/* #stablehlo.result_accuracy_mode<HIGHEST> */
static bool take_mode(weft_reader *r, weft_enum_value *out) {
    const char *at = r->p;
    const weft_attr *a = rd_attr(r);
    if (!a) return false;
    if (!weft_attr_is_keyword(a, WEFT_ENUM_result_accuracy_mode))
        return rd_fail(r, at, "expected #stablehlo.result_accuracy_mode<...>");
    *out = a->e;
    return true;
}

static bool take(weft_reader *r, const field *f) {
    const weft_type *t;
    switch (f->kind) {
    case LIST: return take_list(r, f->out);
    case ONE: return rd_int(r, f->out);
    case NUMBER: return take_number(r, f->out);
    case FLAG: return take_flag(r, f->out);
    case TYPE: return (t = rd_type(r)) && (memcpy(f->out, &t, sizeof t), true);
    case MODE: return take_mode(r, f->out);
    }
    return false;
}

/* a = [1], b = 2>: any order, each at most once, missing ones stay empty or zero. */
static bool fields_until_close(weft_reader *r, const field *f, size_t n) {
    uint32_t seen = 0;
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
        if (!take(r, &f[i])) return false;
        if (!rd_accept(r, ',')) break;
    }
    return rd_expect(r, '>');
}

static bool fields(weft_reader *r, const field *f, size_t n) {
    return rd_expect(r, '<') && fields_until_close(r, f, n);
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
        { "lhs_batching_dimensions", LIST, &d->lhs_batch },       { "rhs_batching_dimensions", LIST, &d->rhs_batch },
        { "lhs_contracting_dimensions", LIST, &d->lhs_contract }, { "rhs_contracting_dimensions", LIST, &d->rhs_contract },
    };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

static const weft_attr *gather(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_GATHER };
    weft_gather_dims *d = &a.gather;
    const field f[] = {
        { "offset_dims", LIST, &d->offset_dims },
        { "collapsed_slice_dims", LIST, &d->collapsed_slice_dims },
        { "operand_batching_dims", LIST, &d->operand_batching_dims },
        { "start_indices_batching_dims", LIST, &d->start_indices_batching_dims },
        { "start_index_map", LIST, &d->start_index_map },
        { "index_vector_dim", ONE, &d->index_vector_dim },
    };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

static const weft_attr *scatter(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_SCATTER };
    weft_scatter_dims *d = &a.scatter;
    const field f[] = {
        { "update_window_dims", LIST, &d->update_window_dims },
        { "inserted_window_dims", LIST, &d->inserted_window_dims },
        { "input_batching_dims", LIST, &d->input_batching_dims },
        { "scatter_indices_batching_dims", LIST, &d->scatter_indices_batching_dims },
        { "scatter_dims_to_operand_dims", LIST, &d->scatter_dims_to_operand_dims },
        { "index_vector_dim", ONE, &d->index_vector_dim },
    };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

static const weft_attr *channel(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_CHANNEL };
    return rd_expect(r, '<') && rd_expect_word(r, "handle") && rd_expect(r, '=') && rd_int(r, &a.channel.handle) &&
                   rd_expect(r, ',') && rd_expect_word(r, "type") && rd_expect(r, '=') && rd_int(r, &a.channel.type) &&
                   rd_expect(r, '>')
               ? copied(r, &a)
               : NULL;
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
           conv_side(r, "io", &d->kernel_input_feature, &d->kernel_output_feature, &d->kernel_spatial) &&
           rd_expect_arrow(r) && conv_side(r, "bf", &d->output_batch, &d->output_feature, &d->output_spatial);
}

static const weft_attr *conv(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_CONV };
    weft_conv_dims *d = &a.conv;
    if (!rd_expect(r, '<')) return NULL;
    if (rd_word(r, "raw")) {
        const field f[] = {
            { "input_batch_dimension", ONE, &d->input_batch },
            { "input_feature_dimension", ONE, &d->input_feature },
            { "input_spatial_dimensions", LIST, &d->input_spatial },
            { "kernel_input_feature_dimension", ONE, &d->kernel_input_feature },
            { "kernel_output_feature_dimension", ONE, &d->kernel_output_feature },
            { "kernel_spatial_dimensions", LIST, &d->kernel_spatial },
            { "output_batch_dimension", ONE, &d->output_batch },
            { "output_feature_dimension", ONE, &d->output_feature },
            { "output_spatial_dimensions", LIST, &d->output_spatial },
        };
        return fields_until_close(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
    }
    return rd_conv_dims(r, &a.conv) && rd_expect(r, '>') ? copied(r, &a) : NULL;
}

/* #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2> */
static bool axis_ref(weft_reader *r, weft_axis_ref *out) {
    weft_str name;
    if (!rd_at(r, '#')) return rd_unexpected(r, "#stablehlo.axis_ref<...>");
    r->p++;
    if (!rd_expect_word(r, "stablehlo.axis_ref") || !rd_expect(r, '<') || !rd_expect_word(r, "name") ||
        !rd_expect(r, '=') || !rd_string(r, &name))
        return false;
    *out = (weft_axis_ref){ .name = rd_intern(r, name) };
    if (!out->name) return false;
    if (rd_accept(r, ',')) {
        if (!rd_expect_word(r, "sub_axis_info") || !rd_expect(r, '=')) return false;
        if (rd_at(r, '#')) { /* #stablehlo.sub_axis_info(1)2 */
            r->p++;
            if (!rd_expect_word(r, "stablehlo.sub_axis_info")) return false;
        }
        if (!rd_expect(r, '(') || !rd_int(r, &out->pre_size) || !rd_expect(r, ')') || !rd_int(r, &out->size))
            return false;
    }
    return rd_expect(r, '>');
}

/* <name = "x", size = 2>, with or without #stablehlo.mesh_axis in front */
static bool mesh_axis(weft_reader *r, weft_mesh_axis *out) {
    weft_str name;
    if (rd_accept(r, '#') && !rd_expect_word(r, "stablehlo.mesh_axis")) return false;
    return rd_expect(r, '<') && rd_expect_word(r, "name") && rd_expect(r, '=') && rd_string(r, &name) &&
           (out->name = rd_intern(r, name)) && rd_expect(r, ',') && rd_expect_word(r, "size") && rd_expect(r, '=') &&
           rd_int(r, &out->size) && rd_expect(r, '>');
}

/* device_ids = dense<[3, 1]> : tensor<2xi64> */
static bool device_ids(weft_reader *r, weft_ints *out) {
    if (!rd_expect_word(r, "device_ids") || !rd_expect(r, '=')) return false;
    const char *at = r->p;
    const weft_attr *a = rd_attr(r);
    if (!a) return false;
    if (a->kind != WEFT_ATTR_DENSE || a->type->rank != 1 || !weft_dtype_is_integer(a->type->dtype) ||
        weft_type_elems(a->type) > WEFT_MAX_DEVICES)
        return rd_fail(r, at, "expected device ids as dense<...> of one dimension");
    uint32_t n = (uint32_t)weft_type_elems(a->type);
    int64_t *ids = weft_arena_array(&r->arena, int64_t, n);
    if (!ids) return rd_oom(r);
    for (uint32_t i = 0; i < n; i++) ids[i] = weft_dense_int(a, i);
    *out = (weft_ints){ ids, n };
    return true;
}

/* #stablehlo.mesh<axes = [...], device_ids = ...>, which means the same as an sdy.mesh */
static const weft_attr *inline_mesh(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_MESH };
    RD_STACK(weft_mesh_axis) axes = { 0 };
    if (!rd_expect(r, '#') || !rd_expect_word(r, "stablehlo.mesh") || !rd_expect(r, '<') ||
        !rd_expect_word(r, "axes") || !rd_expect(r, '=') || !rd_expect(r, '['))
        return NULL;
    while (!rd_at(r, ']')) {
        if (!rd_push(r, (void **)&axes.v, &axes.n, &axes.cap, sizeof *axes.v) || !mesh_axis(r, &axes.v[axes.n - 1]))
            return NULL;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    a.mesh.axes = axes.v;
    a.mesh.axis_count = (uint32_t)axes.n;
    if (rd_accept(r, ',') && !device_ids(r, &a.mesh.device_ids)) return NULL;
    return rd_expect(r, '>') ? copied(r, &a) : NULL;
}

/* <mesh = @mesh, axes = [...]> */
static const weft_attr *mesh_axes(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_MESH_AXES };
    RD_STACK(weft_axis_ref) axes = { 0 };
    if (!rd_expect(r, '<') || !rd_expect_word(r, "mesh") || !rd_expect(r, '=')) return NULL;
    if (!(a.mesh_axes.mesh = rd_at(r, '#') ? inline_mesh(r) : rd_symbol(r))) return NULL;
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

static const weft_attr *ragged(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_RAGGED };
    weft_ragged_dims *d = &a.ragged;
    const field f[] = {
        { "lhs_batching_dimensions", LIST, &d->dot.lhs_batch },       { "rhs_batching_dimensions", LIST, &d->dot.rhs_batch },
        { "lhs_contracting_dimensions", LIST, &d->dot.lhs_contract }, { "rhs_contracting_dimensions", LIST, &d->dot.rhs_contract },
        { "lhs_ragged_dimensions", LIST, &d->lhs_ragged },            { "rhs_group_dimensions", LIST, &d->rhs_group },
    };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

const weft_attr *rd_dot_algorithm(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_ALGORITHM };
    weft_dot_algorithm *d = &a.algorithm;
    const field f[] = {
        { "lhs_precision_type", TYPE, &d->lhs },
        { "rhs_precision_type", TYPE, &d->rhs },
        { "accumulation_type", TYPE, &d->accumulation },
        { "lhs_component_count", ONE, &d->lhs_components },
        { "rhs_component_count", ONE, &d->rhs_components },
        { "num_primitive_operations", ONE, &d->operations },
        { "allow_imprecise_accumulation", FLAG, &d->imprecise },
    };
    const char *at = r->p;
    if (!fields(r, f, WEFT_COUNT(f))) return NULL;
    if (!d->lhs || !d->rhs || !d->accumulation)
        return rd_fail(r, at, "a dot algorithm without lhs_precision_type, rhs_precision_type or accumulation_type"),
               NULL;
    return copied(r, &a);
}

static const weft_attr *accuracy(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_ACCURACY };
    weft_accuracy *d = &a.accuracy;
    d->mode = WEFT_result_accuracy_mode_DEFAULT;
    const field f[] = { { "atol", NUMBER, &d->atol }, { "rtol", NUMBER, &d->rtol }, { "ulps", ONE, &d->ulps },
                        { "mode", MODE, &d->mode } };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

static const weft_attr *alias(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_ALIAS };
    const field f[] = {
        { "output_tuple_indices", LIST, &a.alias.output_indices },
        { "operand_index", ONE, &a.alias.operand },
        { "operand_tuple_indices", LIST, &a.alias.operand_indices },
    };
    return fields(r, f, WEFT_COUNT(f)) ? copied(r, &a) : NULL;
}

/* ?, 2 up to the closing bracket */
static const weft_attr *bounds_list(weft_reader *r, char close) {
    weft_attr a = { .kind = WEFT_ATTR_BOUNDS };
    size_t height = r->ints.n;
    while (!rd_at(r, close)) {
        int64_t v = WEFT_DYNAMIC;
        if (!rd_accept(r, '?') && !rd_int(r, &v)) return NULL;
        if (!RD_PUSH(r, ints, v)) return NULL;
        if (!rd_accept(r, ',')) break;
    }
    a.ints = (weft_ints){ r->ints.v + height, (uint32_t)(r->ints.n - height) };
    const weft_attr *made = copied(r, &a);
    r->ints.n = height;
    return rd_expect(r, close) ? made : NULL;
}

static const weft_attr *bounds(weft_reader *r) { return rd_expect(r, '<') ? bounds_list(r, '>') : NULL; }

/* The older spelling: #stablehlo.type_extensions<bounds = [?, 2]>. */
static const weft_attr *type_extensions(weft_reader *r) {
    if (!rd_expect(r, '<') || !rd_expect_word(r, "bounds") || !rd_expect(r, '=') || !rd_expect(r, '[')) return NULL;
    const weft_attr *a = bounds_list(r, ']');
    return a && rd_expect(r, '>') ? a : NULL;
}

static const struct { const char *dialect, *name; const weft_attr *(*read)(weft_reader *r); } known[] = {
    { "stablehlo", "dot", dot },                       { "stablehlo", "gather", gather },
    { "stablehlo", "scatter", scatter },               { "stablehlo", "conv", conv },
    { "stablehlo", "channel_handle", channel },        { "stablehlo", "replica_group_mesh_axes", mesh_axes },
    { "stablehlo", "dot_algorithm", rd_dot_algorithm }, { "stablehlo", "result_accuracy", accuracy },
    { "stablehlo", "output_operand_alias", alias },    { "stablehlo", "bounds", bounds },
    { "stablehlo", "type_extensions", type_extensions }, { "chlo", "ragged_dot", ragged },
};

const weft_attr *rd_stablehlo_attr(weft_reader *r, weft_str dialect, weft_str mnemonic) {
    for (size_t i = 0; i < WEFT_COUNT(known); i++)
        if (weft_str_is(dialect, known[i].dialect) && weft_str_is(mnemonic, known[i].name)) return known[i].read(r);
    return NULL;
}
