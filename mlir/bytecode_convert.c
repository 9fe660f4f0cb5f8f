/* bytecode_convert.c: the attributes of an op of VHLO become those of the op in StableHLO.
 *
 * VHLO writes every attribute out, defaults too, in fewer kinds: lists are tensors, names of functions are strings,
 * and the fields of StableHLO's own attributes are attributes each. What is left out where it is the default is what
 * StableHLO's own deserialiser leaves out, so both read the same text.
 *
 * Authority: StableHLO, transforms/VhloLegalizeToStablehlo.cpp.
 */
#include "mlir/bytecode.h"

typedef struct conversion {
    bc_reader *f;
    const uint8_t *at;
    weft_op_kind kind;
    weft_named_attr *attrs;  /* the op's, as VHLO has them */
    size_t n;
} conversion;

static const weft_attr *given(const conversion *c, const char *name) {
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->attrs[i].name->text, name)) return c->attrs[i].value;
    return NULL;
}

static bool is_list(const weft_attr *a) {
    return a && a->kind == WEFT_ATTR_DENSE && a->type->kind == WEFT_TYPE_TENSOR && a->type->rank == 1 &&
           (a->type->dtype == WEFT_I64 || a->type->dtype == WEFT_I1);
}

/* A tensor of one dimension as a list in the reader's arena. */
static bool list(const conversion *c, const char *name, const weft_attr *a, weft_ints *out) {
    if (!is_list(a)) return bc_fail(c->f, c->at, "'%s' of '%s' is no list", name, weft_op_info_of(c->kind)->name);
    const int64_t n = weft_type_elems(a->type);
    if (n < 0 || n > UINT32_MAX) return bc_fail(c->f, c->at, "'%s' is too long", name);
    if (!bc_spend(c->f, c->at, (uint64_t)n)) return false;
    int64_t *v = weft_arena_array(&c->f->r.arena, int64_t, n);
    if (!v) return bc_oom(c->f);
    for (int64_t i = 0; i < n; i++) v[i] = weft_dense_int(a, i);
    *out = (weft_ints){ v, (uint32_t)n };
    return true;
}

/* A field of an attribute of StableHLO's. */
typedef struct field {
    const char *name;
    enum { LIST, MAYBE_LIST, NUMBER, FLAG, TYPE } kind; /* MAYBE_LIST: older versions do not have it */
    void *out;
} field;

static bool take(const conversion *c, const field *x) {
    const weft_attr *a = given(c, x->name);
    switch (x->kind) {
    case MAYBE_LIST:
        if (!a) return true;
        return list(c, x->name, a, x->out);
    case LIST: return list(c, x->name, a, x->out);
    case NUMBER:
        if (!a || a->kind != WEFT_ATTR_INT) break;
        *(int64_t *)x->out = a->i;
        return true;
    case FLAG:
        if (!a || a->kind != WEFT_ATTR_BOOL) break;
        *(bool *)x->out = a->i;
        return true;
    case TYPE:
        if (!a || a->kind != WEFT_ATTR_TYPE) break;
        *(const weft_type **)x->out = a->type;
        return true;
    }
    return bc_fail(c->f, c->at, "'%s' of '%s' is missing or of another kind", x->name, weft_op_info_of(c->kind)->name);
}

static bool take_all(const conversion *c, const field *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!take(c, &x[i])) return false;
    return true;
}

/* Pushes an attribute of the op. */
static bool put(const conversion *c, weft_attr_name name, const weft_attr *value) {
    return (value || bc_oom(c->f)) && rd_put(&c->f->r, name, value);
}
static bool put_copy(const conversion *c, weft_attr_name name, const weft_attr *value) {
    return put(c, name, weft_attr_copy(c->f->r.cx, value));
}

static bool conv(const conversion *c) {
    weft_attr a = { .kind = WEFT_ATTR_CONV };
    weft_conv_dims *d = &a.conv;
    const field x[] = {
        { "input_batch_dimension", NUMBER, &d->input_batch },
        { "input_feature_dimension", NUMBER, &d->input_feature },
        { "input_spatial_dimensions", LIST, &d->input_spatial },
        { "kernel_input_feature_dimension", NUMBER, &d->kernel_input_feature },
        { "kernel_output_feature_dimension", NUMBER, &d->kernel_output_feature },
        { "kernel_spatial_dimensions", LIST, &d->kernel_spatial },
        { "output_batch_dimension", NUMBER, &d->output_batch },
        { "output_feature_dimension", NUMBER, &d->output_feature },
        { "output_spatial_dimensions", LIST, &d->output_spatial },
    };
    return take_all(c, x, WEFT_COUNT(x)) && put_copy(c, WEFT_A_dimension_numbers, &a);
}

static bool is_none(const weft_attr *a) { return a && a->kind == WEFT_ATTR_TYPE && a->type->kind == WEFT_TYPE_NONE; }

/* An op of version 1 has no algorithm; one of version 2 without has none as each part of it. */
static bool algorithm(const conversion *c) {
    weft_attr a = { .kind = WEFT_ATTR_ALGORITHM };
    weft_dot_algorithm *d = &a.algorithm;
    const field x[] = {
        { "lhs_precision_type", TYPE, &d->lhs },
        { "rhs_precision_type", TYPE, &d->rhs },
        { "accumulation_type", TYPE, &d->accumulation },
        { "lhs_component_count", NUMBER, &d->lhs_components },
        { "rhs_component_count", NUMBER, &d->rhs_components },
        { "num_primitive_operations", NUMBER, &d->operations },
        { "allow_imprecise_accumulation", FLAG, &d->imprecise },
    };
    const weft_attr *first = given(c, "lhs_component_count");
    if (!first || is_none(first)) return true;
    return take_all(c, x, WEFT_COUNT(x)) && put_copy(c, WEFT_A_algorithm, &a);
}

static bool dot(const conversion *c) {
    weft_attr a = { .kind = WEFT_ATTR_DOT };
    weft_dot_dims *d = &a.dot;
    const field x[] = {
        { "lhs_batching_dimensions", LIST, &d->lhs_batch },
        { "rhs_batching_dimensions", LIST, &d->rhs_batch },
        { "lhs_contracting_dimensions", LIST, &d->lhs_contract },
        { "rhs_contracting_dimensions", LIST, &d->rhs_contract },
    };
    return take_all(c, x, WEFT_COUNT(x)) && put_copy(c, WEFT_A_dot_dimension_numbers, &a) && algorithm(c);
}

static bool gather(const conversion *c) {
    weft_attr a = { .kind = WEFT_ATTR_GATHER };
    weft_gather_dims *d = &a.gather;
    const field x[] = {
        { "offset_dims", LIST, &d->offset_dims },
        { "collapsed_slice_dims", LIST, &d->collapsed_slice_dims },
        { "operand_batching_dims", MAYBE_LIST, &d->operand_batching_dims },
        { "start_indices_batching_dims", MAYBE_LIST, &d->start_indices_batching_dims },
        { "start_index_map", LIST, &d->start_index_map },
        { "index_vector_dim", NUMBER, &d->index_vector_dim },
    };
    return take_all(c, x, WEFT_COUNT(x)) && put_copy(c, WEFT_A_dimension_numbers, &a);
}

static bool scatter(const conversion *c) {
    weft_attr a = { .kind = WEFT_ATTR_SCATTER };
    weft_scatter_dims *d = &a.scatter;
    const field x[] = {
        { "update_window_dims", LIST, &d->update_window_dims },
        { "inserted_window_dims", LIST, &d->inserted_window_dims },
        { "input_batching_dims", MAYBE_LIST, &d->input_batching_dims },
        { "scatter_indices_batching_dims", MAYBE_LIST, &d->scatter_indices_batching_dims },
        { "scatter_dims_to_operand_dims", LIST, &d->scatter_dims_to_operand_dims },
        { "index_vector_dim", NUMBER, &d->index_vector_dim },
    };
    return take_all(c, x, WEFT_COUNT(x)) && put_copy(c, WEFT_A_scatter_dimension_numbers, &a);
}

/* Collectives have the number of a channel only, and 0 for none. */
static bool channel(const conversion *c) {
    weft_attr a = { .kind = WEFT_ATTR_CHANNEL };
    const bool transfer = c->kind == WEFT_OP_send || c->kind == WEFT_OP_recv;
    const field x[] = { { "channel_id", NUMBER, &a.channel.handle }, { "channel_type", NUMBER, &a.channel.type } };
    if (!take_all(c, x, transfer ? 2 : 1)) return false;
    return (!transfer && !a.channel.handle) || put_copy(c, WEFT_A_channel_handle, &a);
}

/* The attributes that are several of VHLO's. */
static bool composed(const conversion *c) {
    switch (c->kind) {
    case WEFT_OP_convolution:
    case WEFT_OP_dynamic_conv: return conv(c);
    case WEFT_OP_dot_general: return dot(c);
    case WEFT_OP_gather:
    case WEFT_OP_dynamic_gather: return gather(c);
    case WEFT_OP_scatter: return scatter(c);
    default: return !weft_op_kind_has_attr(c->kind, WEFT_A_channel_handle) || !given(c, "channel_id") || channel(c);
    }
}

static bool is_empty(const weft_attr *a) {
    return (a->kind == WEFT_ATTR_STRING && !a->s.n) || (a->kind == WEFT_ATTR_ARRAY && !a->items.n) ||
           (a->kind == WEFT_ATTR_DICT && !a->entries.n) ||
           (a->kind == WEFT_ATTR_DENSE && !weft_type_elems(a->type));
}

static bool is_bool(const weft_attr *a, bool v) { return a->kind == WEFT_ATTR_BOOL && a->i == v; }
static bool is_int(const weft_attr *a, int64_t v) { return a->kind == WEFT_ATTR_INT && a->i == v; }
static bool is_enum(const weft_attr *a, weft_enum_value e) { return a->kind == WEFT_ATTR_ENUM && a->e == e; }

static bool is_splat(const weft_attr *a, int64_t v) {
    return a->kind == WEFT_ATTR_DENSE && a->dense.splat &&
           (weft_dtype_is_integer(a->type->dtype) || a->type->dtype == WEFT_I1) && weft_dense_int(a, 0) == v;
}

static bool all_default(const weft_attr *a) {
    if (a->kind != WEFT_ATTR_ARRAY) return false;
    for (uint32_t i = 0; i < a->items.n; i++)
        if (!is_enum(a->items.v[i], WEFT_precision_DEFAULT)) return false;
    return true;
}

static bool no_accuracy(const weft_attr *a) {
    return a->kind == WEFT_ATTR_ACCURACY && a->accuracy.atol == 0 && a->accuracy.rtol == 0 && !a->accuracy.ulps &&
           a->accuracy.mode == WEFT_result_accuracy_mode_DEFAULT;
}

/* Layouts of operands and of results are given together. */
static bool no_layouts(const conversion *c) {
    const weft_attr *in = given(c, "operand_layouts"), *out = given(c, "result_layouts");
    return (!in || is_empty(in)) && (!out || is_empty(out));
}

/* Whether StableHLO's text leaves it out. */
static bool is_default(const conversion *c, uint32_t name, const weft_attr *a) {
    switch (name) {
    case WEFT_A_has_side_effect:
    case WEFT_A_indices_are_sorted:
    case WEFT_A_unique_indices:
    case WEFT_A_is_host_transfer:
    case WEFT_A_is_stable: return is_bool(a, false);
    case WEFT_A_lower: return c->kind == WEFT_OP_cholesky && is_bool(a, false);
    case WEFT_A_compare_type: return is_enum(a, WEFT_comparison_type_NOTYPE);
    case WEFT_A_api_version: return is_enum(a, WEFT_custom_call_api_version_API_VERSION_ORIGINAL);
    case WEFT_A_version: return is_int(a, 0);
    case WEFT_A_dimension: return c->kind == WEFT_OP_sort && is_int(a, -1);
    case WEFT_A_source_target_pairs: return c->kind != WEFT_OP_collective_permute && is_empty(a);
    case WEFT_A_operand_layouts:
    case WEFT_A_result_layouts: return no_layouts(c);
    case WEFT_A_composite_attributes:
    case WEFT_A_backend_config:
    case WEFT_A_called_computations:
    case WEFT_A_output_operand_aliases:
    case WEFT_A_result_tilings:
    case WEFT_A_layout:
    case WEFT_A_sym_visibility:
    case WEFT_A_arg_attrs:
    case WEFT_A_res_attrs:
    case WEFT_A_known_expanding_dimensions:
    case WEFT_A_known_nonexpanding_dimensions: return is_empty(a);
    case WEFT_A_window_strides:
    case WEFT_A_lhs_dilation:
    case WEFT_A_rhs_dilation:
    case WEFT_A_base_dilations:
    case WEFT_A_window_dilations: return is_splat(a, 1);
    case WEFT_A_padding:
    case WEFT_A_window_reversal: return is_splat(a, 0);
    case WEFT_A_precision_config: return all_default(a);
    case WEFT_A_result_accuracy: return no_accuracy(a);
    default: return false;
    }
}

static const weft_attr *symbol_of(const conversion *c, const weft_attr *a) {
    const weft_name name = rd_intern(&c->f->r, a->s);
    return name ? bc_made(c->f, weft_attr_symbol(c->f->r.cx, name)) : NULL;
}

/* The strings of an array as symbols. */
static const weft_attr *symbols_of(const conversion *c, const weft_attr *a) {
    weft_reader *r = &c->f->r;
    const size_t height = r->items.n;
    for (uint32_t i = 0; i < a->items.n; i++) {
        if (a->items.v[i]->kind != WEFT_ATTR_STRING)
            return bc_fail(c->f, c->at, "a called computation that is no name"), NULL;
        const weft_attr *s = symbol_of(c, a->items.v[i]);
        if (!s || !RD_PUSH(r, items, s)) return NULL;
    }
    const weft_attr *made = weft_attr_array(r->cx, r->items.v + height, a->items.n);
    r->items.n = height;
    return bc_made(c->f, made);
}

/* In StableHLO's kind. Others pass, for the verifier. */
static const weft_attr *converted(const conversion *c, uint32_t name, const weft_attr *a) {
    weft_ints v;
    switch (weft_attr_specs[name]) {
    case WEFT_SPEC_ints:
    case WEFT_SPEC_bools:
        if (!is_list(a)) return a;
        if (!list(c, weft_attr_names[name], a, &v)) return NULL;
        return bc_made(c->f, weft_attr_ints(c->f->r.cx, a->type->dtype, v.v, v.n));
    case WEFT_SPEC_symbol: return a->kind == WEFT_ATTR_STRING ? symbol_of(c, a) : a;
    case WEFT_SPEC_unit: return is_bool(a, true) ? bc_made(c->f, weft_attr_unit(c->f->r.cx)) : a;
    default: return name == WEFT_A_called_computations && a->kind == WEFT_ATTR_ARRAY ? symbols_of(c, a) : a;
    }
}

static bool is_property(const bc_op_name *n, weft_name name) {
    for (uint32_t i = 0; i < n->property_count; i++)
        if (n->properties[i].name == name) return true;
    return false;
}

/* A property that StableHLO's op lacks is a field of what composed() makes, or was given up with a later version. */
static bool one(const conversion *c, const bc_op_name *n, const weft_named_attr *x) {
    const uint32_t name = x->name->id;
    if (!is_property(n, x->name) || c->kind == WEFT_OP_other) return RD_PUSH(&c->f->r, attrs, *x);
    if (name >= WEFT_A_COUNT || !weft_op_kind_has_attr(c->kind, name) || is_default(c, name, x->value)) return true;
    if (weft_attr_specs[name] == WEFT_SPEC_unit && is_bool(x->value, false)) return true;
    const weft_attr *value = converted(c, name, x->value);
    return value && RD_PUSH(&c->f->r, attrs, (weft_named_attr){ x->name, value });
}

bool bc_convert(bc_reader *f, const uint8_t *at, const bc_op_name *n, const rd_op *o) {
    weft_reader *r = &f->r;
    conversion c = { .f = f, .at = at, .kind = (weft_op_kind)n->kind, .n = r->attrs.n - o->attrs };
    if (!c.n) return true;
    c.attrs = weft_arena_dup(&r->arena, r->attrs.v + o->attrs, c.n * sizeof *c.attrs, _Alignof(weft_named_attr));
    if (!c.attrs) return bc_oom(f);
    r->attrs.n = o->attrs;
    if (!composed(&c)) return false;
    for (size_t i = 0; i < c.n; i++)
        if (!one(&c, n, &c.attrs[i])) return false;
    return true;
}
