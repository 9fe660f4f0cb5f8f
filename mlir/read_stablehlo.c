/* read_stablehlo.c: StableHLO's own attributes. Those without a kind in ir/attr.h (result_accuracy, dot_algorithm, ...)
 * are left to the caller, who keeps their text. */
#include "mlir/reader.h"
#include "mlir/writer.h"

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

/* a = [1], b = 2>: any order, each at most once, what is missing stays empty or zero. */
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
        if (f[i].list ? !take_list(r, f[i].list) : !rd_int(r, f[i].one)) return false;
        if (!rd_accept(r, ',')) break;
    }
    return rd_expect(r, '>');
}

static bool fields(weft_reader *r, const field *f, size_t n) { return rd_expect(r, '<') && fields_until_close(r, f, n); }

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

/* Every dimension 0 .. n+1 is named once, so that the side can be printed as a list. */
static bool conv_side_whole(int64_t first, int64_t second, weft_ints spatial) {
    weft_bits seen = 0;
    int64_t n = (int64_t)spatial.n + 2;
    if (n > WEFT_MAX_RANK) return false;
    for (int64_t i = 0; i < n; i++) {
        int64_t d = i == 0 ? first : i == 1 ? second : spatial.v[i - 2];
        if (d < 0 || d >= n || weft_bits_has(seen, (unsigned)d)) return false;
        seen |= weft_bit((unsigned)d);
    }
    return true;
}

static const weft_attr *conv(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_CONV };
    weft_conv_dims *d = &a.conv;
    if (!rd_expect(r, '<')) return NULL;
    if (rd_word(r, "raw")) {
        const field f[] = {
            { "input_batch_dimension", NULL, &d->input_batch },
            { "input_feature_dimension", NULL, &d->input_feature },
            { "input_spatial_dimensions", &d->input_spatial, NULL },
            { "kernel_input_feature_dimension", NULL, &d->kernel_input_feature },
            { "kernel_output_feature_dimension", NULL, &d->kernel_output_feature },
            { "kernel_spatial_dimensions", &d->kernel_spatial, NULL },
            { "output_batch_dimension", NULL, &d->output_batch },
            { "output_feature_dimension", NULL, &d->output_feature },
            { "output_spatial_dimensions", &d->output_spatial, NULL },
        };
        const char *at = r->p;
        if (!fields_until_close(r, f, WEFT_COUNT(f))) return NULL;
        if (!conv_side_whole(d->input_batch, d->input_feature, d->input_spatial) ||
            !conv_side_whole(d->kernel_input_feature, d->kernel_output_feature, d->kernel_spatial) ||
            !conv_side_whole(d->output_batch, d->output_feature, d->output_spatial))
            return rd_fail(r, at, "dimension numbers that do not name each dimension once"), NULL;
        return copied(r, &a);
    }
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

/* <name = "x", size = 2>, with or without #stablehlo.mesh_axis in front */
static bool mesh_axis(weft_reader *r, weft_mesh_axis *out) {
    weft_str name;
    if (rd_accept(r, '#') && !rd_expect_word(r, "stablehlo.mesh_axis")) return false;
    return rd_expect(r, '<') && rd_expect_word(r, "name") && rd_expect(r, '=') && rd_string(r, &name) && (out->name = rd_intern(r, name)) &&
           rd_expect(r, ',') && rd_expect_word(r, "size") && rd_expect(r, '=') && rd_int(r, &out->size) && rd_expect(r, '>');
}

/* #stablehlo.mesh<axes = [...]>, which means the same as an sdy.mesh without device ids */
static const weft_attr *inline_mesh(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_MESH };
    RD_STACK(weft_mesh_axis) axes = { 0 };
    if (!rd_expect(r, '#') || !rd_expect_word(r, "stablehlo.mesh") || !rd_expect(r, '<') || !rd_expect_word(r, "axes") ||
        !rd_expect(r, '=') || !rd_expect(r, '['))
        return NULL;
    while (!rd_at(r, ']')) {
        if (!rd_push(r, (void **)&axes.v, &axes.n, &axes.cap, sizeof *axes.v) || !mesh_axis(r, &axes.v[axes.n - 1])) return NULL;
        if (!rd_accept(r, ',')) break;
    }
    if (!rd_expect(r, ']')) return NULL;
    if (rd_at(r, ',')) return rd_fail_as(r, WEFT_D_unsupported, r->p, "device ids in #stablehlo.mesh are not supported"), NULL;
    a.mesh.axes = axes.v;
    a.mesh.axis_count = (uint32_t)axes.n;
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

/* The attributes without a kind of their own are kept as text, spelled as MLIR prints them, so that two spellings of one
 * attribute compare equal: <a = 1, b = [2, 3]>. */
static const weft_attr *as_text(weft_reader *r, weft_str dialect, weft_str mnemonic, bool drop_zeros) {
    weft_buf text;
    weft_buf_init(&text, &r->cx->alloc);
    weft_buf_printf(&text, "#%.*s.%.*s<", WEFT_STR_ARG(dialect), WEFT_STR_ARG(mnemonic));
    bool any = false, ok = rd_expect(r, '<');
    while (ok && !rd_at(r, '>')) {
        weft_str name;
        ok = rd_ident(r, &name) && rd_expect(r, '=');
        const weft_attr *value = ok ? rd_attr(r) : NULL;
        if (!(ok = value != NULL)) break;
        bool zero = (value->kind == WEFT_ATTR_INT && !value->i) || (value->kind == WEFT_ATTR_FLOAT && value->f == 0) ||
                    (value->kind == WEFT_ATTR_ARRAY && !value->items.n);
        if (!zero || !drop_zeros) {
            if (any) weft_buf_puts(&text, ", ");
            weft_buf_str(&text, name);
            weft_buf_puts(&text, " = ");
            pr_text_value(&text, value);
            any = true;
        }
        if (!rd_accept(r, ',')) break;
    }
    weft_buf_putc(&text, '>');
    ok = ok && rd_expect(r, '>');
    weft_attr a = { .kind = WEFT_ATTR_OPAQUE };
    a.s = (weft_str){ text.p, text.n };
    const weft_attr *made = ok && !text.failed ? copied(r, &a) : NULL;
    if (text.failed) rd_oom(r);
    weft_buf_free(&text);
    return made;
}

/* #stablehlo.type_extensions<bounds = [?, 2]> is printed #stablehlo.bounds<?, 2>. */
static const weft_attr *bounds(weft_reader *r, bool old_spelling) {
    weft_buf text;
    weft_buf_init(&text, &r->cx->alloc);
    weft_buf_puts(&text, "#stablehlo.bounds<");
    bool ok = rd_expect(r, '<');
    if (ok && old_spelling) ok = rd_expect_word(r, "bounds") && rd_expect(r, '=') && rd_expect(r, '[');
    char close = old_spelling ? ']' : '>';
    for (bool any = false; ok && !rd_at(r, close); any = true) {
        int64_t v = 0;
        if (any) weft_buf_puts(&text, ", ");
        if (rd_accept(r, '?')) weft_buf_putc(&text, '?');
        else if ((ok = rd_int(r, &v))) weft_buf_i64(&text, v);
        if (!ok || !rd_accept(r, ',')) break;
    }
    ok = ok && rd_expect(r, close) && (!old_spelling || rd_expect(r, '>'));
    weft_buf_putc(&text, '>');
    weft_attr a = { .kind = WEFT_ATTR_OPAQUE };
    a.s = (weft_str){ text.p, text.n };
    const weft_attr *made = ok && !text.failed ? copied(r, &a) : NULL;
    if (text.failed) rd_oom(r);
    weft_buf_free(&text);
    return made;
}

const weft_attr *rd_text_attr(weft_reader *r, weft_str dialect, weft_str mnemonic) {
    bool stablehlo = weft_str_is(dialect, "stablehlo");
    if (stablehlo && weft_str_is(mnemonic, "bounds")) return bounds(r, false);
    if (stablehlo && weft_str_is(mnemonic, "type_extensions")) return bounds(r, true);
    static const struct { const char *name; bool drop_zeros; } known[] = {
        { "result_accuracy", true }, { "dot_algorithm", false }, { "output_operand_alias", false }, { "ragged_dot", true },
    };
    for (size_t i = 0; i < WEFT_COUNT(known); i++)
        if (weft_str_is(mnemonic, known[i].name)) return as_text(r, dialect, mnemonic, known[i].drop_zeros);
    return NULL;
}

const weft_attr *rd_stablehlo_attr(weft_reader *r, weft_str mnemonic) {
    static const struct { const char *name; const weft_attr *(*read)(weft_reader *r); } known[] = {
        { "dot", dot }, { "gather", gather }, { "scatter", scatter }, { "conv", conv },
        { "channel_handle", channel }, { "replica_group_mesh_axes", mesh_axes },
    };
    for (size_t i = 0; i < WEFT_COUNT(known); i++)
        if (weft_str_is(mnemonic, known[i].name)) return known[i].read(r);
    return rd_text_attr(r, WEFT_STR("stablehlo"), mnemonic);
}
