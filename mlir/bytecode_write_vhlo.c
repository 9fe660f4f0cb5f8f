/* bytecode_write_vhlo.c: VHLO's attributes in bytecode, and the properties that an op of StableHLO has as one of VHLO:
 * bytecode_convert.c backwards. */
#include "ir/builder.h"
#include "mlir/bytecode_write.h"
#include "mlir/print.h"

static uint32_t end(bc_writer *w, weft_buf *b) { return bw_end(w, "vhlo", b); }

static uint32_t boolean(bc_writer *w, bool v) {
    weft_buf b;
    bw_begin(w, &b, VHLO_BOOLEAN);
    bw_int(&b, v);
    return end(w, &b);
}

static uint32_t string(bc_writer *w, weft_str s) {
    weft_buf b;
    bw_begin(w, &b, VHLO_STRING);
    bw_int(&b, bw_string(w, s));
    return end(w, &b);
}

static uint32_t number(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, a->kind == WEFT_ATTR_FLOAT ? VHLO_FLOAT : VHLO_INTEGER);
    bw_int(&b, bw_type(w, BW_VHLO, a->type));
    bw_number(&b, a);
    return end(w, &b);
}

static uint32_t i64(bc_writer *w, int64_t v) {
    const weft_attr a = { .kind = WEFT_ATTR_INT, .type = weft_type_scalar(w->cx, WEFT_I64), .i = v };
    return a.type ? number(w, &a) : (bw_oom(w), 0);
}

static uint32_t type(bc_writer *w, const weft_type *t) {
    weft_buf b;
    if (!t) return bw_oom(w), 0;
    bw_begin(w, &b, VHLO_TYPE);
    bw_int(&b, bw_type(w, BW_VHLO, t));
    return end(w, &b);
}

static uint32_t tensor(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    if (!a->type) return bw_oom(w), 0;
    bw_begin(w, &b, VHLO_TENSOR);
    bw_int(&b, bw_type(w, BW_VHLO, a->type));
    bw_elements(&b, a);
    return end(w, &b);
}

/* A list of i64 or i1 as a tensor of one dimension. */
static uint32_t list(bc_writer *w, weft_dtype dtype, weft_ints v) {
    const int64_t n = v.n;
    weft_attr a = bw_i64s(w, &v);
    if (dtype == WEFT_I64) return tensor(w, &a);
    weft_buf bools;
    weft_buf_init(&bools, &w->cx->alloc);
    for (uint32_t i = 0; i < v.n; i++) weft_buf_putc(&bools, v.v[i] != 0);
    a = (weft_attr){ .kind = WEFT_ATTR_DENSE, .type = weft_type_tensor(w->cx, WEFT_I1, 1, &n),
                     .dense = { bools.p, bools.n, false } };
    const uint32_t number = bools.failed ? (bw_oom(w), 0) : tensor(w, &a);
    weft_buf_free(&bools);
    return number;
}

/* Lists of axes stay Shardy's, which has two kinds of them that the name tells apart. */
static uint32_t named(bc_writer *w, weft_name name, const weft_attr *a) {
    return a->kind == WEFT_ATTR_AXES ? bw_attr_named(w, name, a) : bw_vhlo_attr(w, a);
}

static uint32_t array(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, VHLO_ARRAY);
    bw_int(&b, a->items.n);
    for (uint32_t i = 0; i < a->items.n; i++) bw_int(&b, bw_vhlo_attr(w, a->items.v[i]));
    return end(w, &b);
}

static uint32_t dict(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, VHLO_DICT);
    bw_int(&b, a->entries.n);
    for (uint32_t i = 0; i < a->entries.n; i++) {
        bw_int(&b, string(w, weft_name_str(a->entries.v[i].name)));
        bw_int(&b, named(w, a->entries.v[i].name, a->entries.v[i].value));
    }
    return end(w, &b);
}

static uint32_t empty(bc_writer *w, vhlo_attr code) {
    weft_buf b;
    bw_begin(w, &b, code);
    bw_int(&b, 0);
    return end(w, &b);
}

static uint32_t keyword(bc_writer *w, weft_enum_value v) {
    weft_buf b;
    const bc_keyword_set *set = bw_keyword_set(v);
    bw_begin(w, &b, (vhlo_attr)set->vhlo);
    bw_int(&b, bw_keyword_number(set, v));
    return end(w, &b);
}

static uint32_t accuracy(bc_writer *w, const weft_accuracy *a) {
    weft_buf b;
    if (w->vhlo < BC_VHLO(1, 9)) bw_refuse_newer(w, BC_VHLO(1, 9), "an accuracy of results");
    bw_begin(w, &b, VHLO_ACCURACY);
    bw_real(&b, a->atol);
    bw_real(&b, a->rtol);
    bw_signed(&b, a->ulps);
    bw_int(&b, keyword(w, a->mode));
    return end(w, &b);
}

static uint32_t axis_ref(bc_writer *w, const weft_axis_ref *x) {
    weft_buf b, sub;
    bw_begin(w, &b, VHLO_AXIS_REF);
    bw_int(&b, string(w, weft_name_str(x->name)));
    bw_int(&b, x->size != 0);
    if (x->size) {
        bw_begin(w, &sub, VHLO_SUB_AXIS);
        bw_signed(&sub, x->pre_size);
        bw_signed(&sub, x->size);
        bw_int(&b, end(w, &sub));
    }
    return end(w, &b);
}

static uint32_t mesh_axis(bc_writer *w, const weft_mesh_axis *x) {
    weft_buf b;
    bw_begin(w, &b, VHLO_MESH_AXIS);
    bw_int(&b, string(w, weft_name_str(x->name)));
    bw_signed(&b, x->size);
    return end(w, &b);
}

static uint32_t mesh(bc_writer *w, const weft_mesh_attr *m) {
    weft_buf b, axes;
    bw_begin(w, &axes, VHLO_ARRAY);
    bw_int(&axes, m->axis_count);
    for (uint32_t i = 0; i < m->axis_count; i++) bw_int(&axes, mesh_axis(w, &m->axes[i]));
    bw_begin(w, &b, VHLO_MESH);
    bw_int(&b, end(w, &axes));
    bw_flagged(&b, m->device_ids.n ? list(w, WEFT_I64, m->device_ids) : 0, m->device_ids.n);
    return end(w, &b);
}

static uint32_t mesh_axes(bc_writer *w, const weft_mesh_axes_attr *a) {
    weft_buf b, axes;
    if (w->vhlo < BC_VHLO(1, 16)) bw_refuse_newer(w, BC_VHLO(1, 16), "groups by axes of a mesh");
    bw_begin(w, &axes, VHLO_ARRAY);
    bw_int(&axes, a->axes.n);
    for (uint32_t i = 0; i < a->axes.n; i++) bw_int(&axes, axis_ref(w, &a->axes.v[i]));
    bw_begin(w, &b, VHLO_MESH_AXES);
    bw_int(&b, a->mesh->kind == WEFT_ATTR_MESH ? mesh(w, &a->mesh->mesh) : bw_vhlo_attr(w, a->mesh));
    bw_int(&b, end(w, &axes));
    return end(w, &b);
}

static uint32_t bounds(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, VHLO_TYPE_EXTENSIONS);
    bw_ints(&b, a->ints);
    return end(w, &b);
}

static uint32_t alias(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, VHLO_ALIAS);
    bw_record(w, &b, bc_record_of(WEFT_ATTR_ALIAS), a);
    return end(w, &b);
}

static void refuse_record(bc_writer *w, const weft_attr *a) {
    weft_buf text;
    weft_buf_init(&text, &w->cx->alloc);
    weft_print_attr(&text, a);
    bw_refuse(w, "VHLO has '%.*s' in its place in an op only: as an attribute that the op defines", (int)text.n,
              text.p ? text.p : "");
    weft_buf_free(&text);
}

/* What VHLO has no kind for stays as it is, except for StableHLO's own. */
uint32_t bw_vhlo_attr(bc_writer *w, const weft_attr *a) {
    switch ((int)a->kind) {
    case WEFT_ATTR_BOOL: return boolean(w, a->i);
    case WEFT_ATTR_INT:
    case WEFT_ATTR_FLOAT: return number(w, a);
    case WEFT_ATTR_STRING: return string(w, a->s);
    case WEFT_ATTR_SYMBOL: return a->names.n == 1 ? string(w, weft_name_str(a->names.v[0])) : bw_attr(w, a);
    case WEFT_ATTR_TYPE: return type(w, a->type);
    case WEFT_ATTR_ARRAY: return array(w, a);
    case WEFT_ATTR_DICT: return dict(w, a);
    case WEFT_ATTR_DENSE: return tensor(w, a);
    case WEFT_ATTR_DENSE_ARRAY:
        return a->dtype == WEFT_I64 || a->dtype == WEFT_I1 ? list(w, a->dtype, a->ints) : bw_attr(w, a);
    case WEFT_ATTR_ENUM: {
        const bc_keyword_set *set = bw_keyword_set(a->e);
        return set && set->vhlo >= 0 ? keyword(w, a->e) : bw_attr(w, a);
    }
    case WEFT_ATTR_ALIAS: return alias(w, a);
    case WEFT_ATTR_BOUNDS: return bounds(w, a);
    case WEFT_ATTR_ACCURACY: return accuracy(w, &a->accuracy);
    case WEFT_ATTR_MESH_AXES: return mesh_axes(w, &a->mesh_axes);
    default: break;
    }
    if (bc_record_of(a->kind)) refuse_record(w, a);
    return bw_attr(w, a);
}

/* A field of an attribute of StableHLO's. */
static uint32_t field(bc_writer *w, const bc_field *x, const weft_attr *a) {
    const char *at = (const char *)a + x->at;
    switch (x->kind) {
    case BC_LIST:
    case BC_LIST_SINCE: return list(w, WEFT_I64, *(const weft_ints *)at);
    case BC_NUMBER: return i64(w, *(const int64_t *)at);
    case BC_FLAG: return boolean(w, *(const bool *)at);
    case BC_FIELD_TYPE: break;
    }
    return type(w, *(const weft_type *const *)at);
}

static const bc_field *field_named(const bc_record *r, const char *name) {
    for (size_t i = 0; r && i < r->count; i++)
        if (!strcmp(r->fields[i].name, name)) return &r->fields[i];
    return NULL;
}

/* The number of dimensions that an op's window or kernel has. */
static uint32_t window_rank(const weft_op *op) {
    const weft_attr *dims = weft_op_attr(op, WEFT_A_dimension_numbers);
    if (dims && dims->kind == WEFT_ATTR_CONV) return dims->conv.input_spatial.n;
    return weft_op_ints(op, WEFT_A_window_dimensions).n;
}

/* n equal numbers; pairs of them are of two dimensions. */
static uint32_t filled(bc_writer *w, weft_dtype dtype, uint32_t n, uint32_t columns, int64_t v) {
    const int64_t dims[2] = { n, columns };
    char stored[16] = { 0 };
    const weft_attr a = { .kind = WEFT_ATTR_DENSE,
                          .type = weft_type_tensor(w->cx, dtype, columns > 1 ? 2 : 1, dims),
                          .dense = { stored, weft_dtype_bytes(dtype), true } };
    weft_dtype_store_int(dtype, stored, v);
    return tensor(w, &a);
}

static uint32_t default_precision(bc_writer *w) {
    weft_buf b;
    bw_begin(w, &b, VHLO_ARRAY);
    bw_int(&b, 2);
    for (int i = 0; i < 2; i++) bw_int(&b, keyword(w, WEFT_precision_DEFAULT));
    return end(w, &b);
}

/* The configuration of a call of the typed kind is a dictionary. */
static bool has_typed_config(const weft_op *op) {
    const weft_attr *api = weft_op_attr(op, WEFT_A_api_version);
    return api && api->kind == WEFT_ATTR_ENUM && api->e == WEFT_custom_call_api_version_API_VERSION_TYPED_FFI;
}

static uint32_t by_default(bc_writer *w, const weft_op *op, weft_name name) {
    static const weft_accuracy none = { .mode = WEFT_result_accuracy_mode_DEFAULT };
    switch (bc_default_of(name->id)) {
    case BC_FALSE: return boolean(w, false);
    case BC_EMPTY_STRING:
        return name->id == WEFT_A_backend_config && has_typed_config(op) ? empty(w, VHLO_DICT)
                                                                         : string(w, WEFT_STR(""));
    case BC_KEPT_STRING: return string(w, WEFT_STR(""));
    case BC_EMPTY_ARRAY: return empty(w, VHLO_ARRAY);
    case BC_EMPTY_DICT: return empty(w, VHLO_DICT);
    case BC_EMPTY_LIST: return list(w, WEFT_I64, (weft_ints){ NULL, 0 });
    case BC_ONES: return filled(w, WEFT_I64, window_rank(op), 1, 1);
    case BC_FALSES: return filled(w, WEFT_I1, window_rank(op), 1, 0);
    case BC_ZERO_PAIRS: return filled(w, WEFT_I64, window_rank(op), 2, 0);
    case BC_ZERO: return i64(w, 0);
    case BC_LAST_DIM: return i64(w, -1);
    case BC_NO_TYPE: return keyword(w, WEFT_comparison_type_NOTYPE);
    case BC_ORIGINAL_API: return keyword(w, WEFT_custom_call_api_version_API_VERSION_ORIGINAL);
    case BC_DEFAULT_PRECISION: return default_precision(w);
    case BC_NO_ACCURACY: return accuracy(w, &none);
    case BC_NO_DEFAULT: break;
    }
    if (!strcmp(name->text, "channel_id")) return i64(w, 0);
    if (field_named(bc_record_of(WEFT_ATTR_ALGORITHM), name->text))
        return type(w, weft_type_simple(w->cx, WEFT_TYPE_NONE));
    bw_refuse(w, "'%s' has no attribute '%s', which VHLO needs", op->name->text, name->text);
    return 0;
}

/* Where the op has it: by its name, or as a field of another attribute. */
static uint32_t property(bc_writer *w, const weft_op *op, weft_name name) {
    const bc_field *x = NULL;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const weft_attr *a = op->attrs[i].value;
        if (weft_op_kind_has_attr(op->kind, op->attrs[i].name->id) &&
            (x = field_named(bc_record_of(a->kind), name->text)))
            return field(w, x, a);
        if (op->attrs[i].name == name)
            return a->kind == WEFT_ATTR_UNIT ? boolean(w, true) : bw_vhlo_attr(w, a);
    }
    return by_default(w, op, name);
}

/* A field that this version of the op does not have must be empty, and an attribute absent or what it is by default. */
static void check_given_up(bc_writer *w, const weft_named_attr *a, const bc_vhlo_op *row, const bc_vhlo_op *newest) {
    const bc_record *r = bc_record_of(a->value->kind);
    for (size_t i = 0; r && i < r->count; i++) {
        const bc_field *x = &r->fields[i];
        if (bc_vhlo_op_has(row, weft_str_from(x->name)) || !bc_vhlo_op_has(newest, weft_str_from(x->name))) continue;
        if (x->kind != BC_LIST_SINCE || ((const weft_ints *)(const void *)((const char *)a->value + x->at))->n)
            bw_refuse_newer(w, newest->since, "attribute '%s'", x->name);
    }
    if (!r && !bc_vhlo_op_has(row, weft_name_str(a->name)) && !bc_is_default(bc_default_of(a->name->id), a->value))
        bw_refuse_newer(w, newest->since, "attribute '%s'", a->name->text);
}

static bool in_row(const bc_vhlo_op *row, const weft_named_attr *a) {
    const bc_record *r = bc_record_of(a->value->kind);
    return r ? bc_vhlo_op_has(row, weft_str_from(r->fields[0].name)) : bc_vhlo_op_has(row, weft_name_str(a->name));
}

static const weft_type *element_of(const weft_type *t, weft_dtype *dtype) {
    *dtype = t->kind == WEFT_TYPE_TENSOR ? t->dtype : WEFT_DTYPE_NONE;
    return t->kind == WEFT_TYPE_FOREIGN ? t->parts[0] : NULL;
}

static bool same_elements(const weft_op *op) {
    weft_dtype a, b;
    for (uint32_t i = 0; i < op->operand_count && i < op->result_count; i++)
        if (element_of(op->operands[i]->type, &a) != element_of(op->results[i].type, &b) || a != b) return false;
    return true;
}

/* VHLO has the functions that a custom call names as strings, so what is no name would read as one, or not at all. */
static void check_called(bc_writer *w, const weft_op *op) {
    const weft_attr *called = weft_op_attr(op, WEFT_A_called_computations);
    const uint32_t n = called && called->kind == WEFT_ATTR_ARRAY ? called->items.n : 0;
    for (uint32_t i = 0; i < n; i++)
        if (!weft_attr_is_flat_symbol(called->items.v[i]))
            bw_refuse(w, "'called_computations' of '%s' is not a list of symbols of one name", op->name->text);
}

/* What versions do not allow of ops that they have. Source: StableHLO, dialect/VhloOps.cpp, validateConstraint. */
static void check_use(bc_writer *w, const weft_op *op) {
    const weft_attr *config = weft_op_attr(op, WEFT_A_backend_config);
    switch ((weft_op_kind)op->kind) {
    case WEFT_OP_all_reduce:
    case WEFT_OP_reduce:
    case WEFT_OP_reduce_scatter:
    case WEFT_OP_reduce_window:
    case WEFT_OP_scatter:
    case WEFT_OP_select_and_scatter:
        if (w->vhlo < BC_VHLO(0, 17) && !same_elements(op))
            bw_refuse_newer(w, BC_VHLO(0, 17), "a reduction to another element type");
        break;
    case WEFT_OP_custom_call:
        check_called(w, op);
        if (w->vhlo < BC_VHLO(1, 3) && (has_typed_config(op) || (config && config->kind == WEFT_ATTR_DICT)))
            bw_refuse_newer(w, BC_VHLO(1, 3), "a custom call with a dictionary");
        for (uint32_t i = 0; w->vhlo < BC_VHLO(1, 17) && i < op->operand_count; i++)
            if (op->operands[i]->type->kind == WEFT_TYPE_FUTURE)
                bw_refuse_newer(w, BC_VHLO(1, 17), "a custom call of a future");
        break;
    default: break;
    }
}

/* A version that a later one replaced takes less. */
static void check_old(bc_writer *w, const weft_op *op, const bc_vhlo_op *newest) {
    if (weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE) && op->kind != WEFT_OP_send &&
        op->kind != WEFT_OP_recv && op->operand_count > 1)
        bw_refuse_newer(w, newest->since, "a collective of several values");
    if (op->kind == WEFT_OP_composite && op->region_count)
        bw_refuse_newer(w, newest->since, "a composite with regions");
}

void bw_vhlo_op(bc_writer *w, const weft_op *op, bw_attrs *properties) {
    const bc_vhlo_op *row = w->chosen[op->kind], *newest = w->newest[op->kind];
    uint32_t count = 0;
    const bc_property *v = bw_properties(w, (weft_op_kind)op->kind, &count);
    check_use(w, op);
    for (uint32_t i = 0; i < count; i++) bw_push(w, properties, v[i].name, property(w, op, v[i].name));
    for (uint32_t i = 0; i < op->attr_count && w->status == WEFT_OK; i++) {
        const weft_named_attr *a = &op->attrs[i];
        const bool inherent = weft_op_kind_has_attr(op->kind, a->name->id);
        if (inherent && in_row(newest, a)) check_given_up(w, a, row, newest);
        else if (bc_vhlo_op_has(row, weft_name_str(a->name)))
            bw_refuse(w, "VHLO has another attribute '%s' of '%s'", a->name->text, op->name->text);
        else bw_push(w, &w->others, a->name, named(w, a->name, a->value));
    }
    /* after the attributes, of which a newer one is the reason rather than what check_old finds */
    if (row != newest) check_old(w, op, newest);
}
