/* bytecode_vhlo.c: VHLO's attributes and types, decoded as StableHLO's. */
#include "mlir/bytecode.h"

static const weft_attr *copied(bc_reader *f, const weft_attr *a) { return bc_made(f, weft_attr_copy(f->r.cx, a)); }

static const weft_attr *boolean(bc_reader *f, bc_in *in) {
    uint64_t v;
    return bc_int(f, in, &v) ? bc_made(f, weft_attr_bool(f->r.cx, v != 0)) : NULL;
}

/* name, and a flag with a sub-axis */
static bool axis_ref(bc_reader *f, bc_in *in, weft_axis_ref *out) {
    bc_in body, sub;
    const uint8_t *at = in->p;
    uint64_t has;
    if (!bc_open(f, in, BC_VHLO, VHLO_AXIS_REF, "an axis", &body) || !(out->name = bc_attr_name(f, &body)) ||
        !bc_int(f, &body, &has))
        return false;
    return !has || (bc_open(f, &body, BC_VHLO, VHLO_SUB_AXIS, "a sub-axis", &sub) && bc_sub_axis(f, at, sub, out));
}

static bool mesh_axis(bc_reader *f, bc_in *in, weft_mesh_axis *out) {
    bc_in body;
    return bc_open(f, in, BC_VHLO, VHLO_MESH_AXIS, "an axis of a mesh", &body) &&
           (out->name = bc_attr_name(f, &body)) && bc_signed(f, &body, &out->size);
}

/* an array of axes, and device ids or none */
static const weft_attr *mesh(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_MESH };
    const uint8_t *at = in->p;
    const weft_attr *ids;
    bc_in list;
    uint32_t n;
    if (!bc_open(f, in, BC_VHLO, VHLO_ARRAY, "a list of axes", &list) || !bc_count(f, &list, &n)) return NULL;
    weft_mesh_axis *axes = weft_arena_array(&f->r.arena, weft_mesh_axis, n);
    if (!axes) return bc_oom(f), NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!mesh_axis(f, &list, &axes[i])) return NULL;
    a.mesh.axes = axes;
    a.mesh.axis_count = n;
    if (!bc_attr_optional(f, in, &ids) || (ids && !bc_device_ids(f, at, ids, &a.mesh.device_ids))) return NULL;
    return copied(f, &a);
}

/* a mesh or its name, and an array of axes */
static const weft_attr *mesh_axes(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_MESH_AXES };
    const uint8_t *at = in->p;
    const weft_attr *of = bc_attr(f, in);
    bc_in list;
    uint32_t n;
    if (!of) return NULL;
    if (of->kind == WEFT_ATTR_STRING) {
        const weft_name name = rd_intern(&f->r, of->s);
        if (!name || !(of = bc_made(f, weft_attr_symbol(f->r.cx, name)))) return NULL;
    }
    if (of->kind != WEFT_ATTR_SYMBOL && of->kind != WEFT_ATTR_MESH) return bc_fail(f, at, "expected a mesh"), NULL;
    if (!bc_open(f, in, BC_VHLO, VHLO_ARRAY, "a list of axes", &list) || !bc_count(f, &list, &n)) return NULL;
    weft_axis_ref *axes = weft_arena_array(&f->r.arena, weft_axis_ref, n);
    if (!axes) return bc_oom(f), NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!axis_ref(f, &list, &axes[i])) return NULL;
    a.mesh_axes.mesh = of;
    a.mesh_axes.axes = (weft_axis_refs){ axes, n };
    return copied(f, &a);
}

const weft_attr *bc_vhlo_attr(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    for (size_t i = 0; i < BC_KEYWORD_SETS; i++)
        if (code == (uint64_t)bc_keyword_sets[i].vhlo) return bc_keyword(f, in, &bc_keyword_sets[i]);
    switch (code) {
    case VHLO_ARRAY: return bc_array(f, in);
    case VHLO_BOOLEAN: return boolean(f, in);
    case VHLO_DICT: return bc_dict(f, in);
    case VHLO_FLOAT:
    case VHLO_INTEGER: return bc_number_attr(f, in, code == VHLO_INTEGER);
    case VHLO_ALIAS: return bc_read_record(f, in, bc_record_of(WEFT_ATTR_ALIAS));
    case VHLO_STRING: return bc_string_attr(f, in);
    case VHLO_TENSOR: return bc_dense_attr(f, in);
    case VHLO_TYPE: return bc_type_attr(f, in);
    case VHLO_TYPE_EXTENSIONS: return bc_bounds(f, in);
    case VHLO_ACCURACY: return bc_accuracy(f, in);
    case VHLO_MESH_AXES: return mesh_axes(f, in);
    case VHLO_MESH: return mesh(f, in);
    default: break;
    }
    bc_fail(f, at, "a VHLO attribute of the unknown kind %llu", (unsigned long long)code);
    return NULL;
}

static weft_dtype storage_of(const weft_type *t, uint64_t flags) {
    return t->kind == WEFT_TYPE_SCALAR && !t->quant ? bc_quant_storage(t->dtype, flags & 1) : WEFT_DTYPE_NONE;
}

/* scales, then zero points */
static bool parameters(bc_reader *f, bc_in *in, weft_quant *q) {
    const uint8_t *at = in->p;
    weft_ints zero_points;
    if (!bc_count(f, in, &q->count) || !bc_spend(f, at, q->count)) return false;
    double *scales = weft_arena_array(&f->r.arena, double, q->count);
    if (!scales) return bc_oom(f);
    for (uint32_t i = 0; i < q->count; i++)
        if (!bc_real(f, in, &scales[i])) return false;
    if (!bc_ints(f, in, &zero_points)) return false;
    if (zero_points.n != q->count) return bc_fail(f, at, "%u scales, but %u zero points", q->count, zero_points.n);
    q->scales = scales;
    q->zero_points = zero_points.v;
    return true;
}

static const weft_type *quant(bc_reader *f, bc_in *in, bool per_axis) {
    const uint8_t *at = in->p;
    uint64_t flags, axis = 0;
    weft_quant q = { .axis = WEFT_PER_TENSOR, .count = 1 };
    double scale = 0;
    int64_t zero_point = 0;
    char why[160];
    const weft_type *storage, *expressed;
    if (!bc_int(f, in, &flags) || !(storage = bc_type(f, in)) || !(expressed = bc_type(f, in))) return NULL;
    if (per_axis ? !bc_int(f, in, &axis) : !bc_real(f, in, &scale) || !bc_signed(f, in, &zero_point)) return NULL;
    if (!bc_signed(f, in, &q.min) || !bc_signed(f, in, &q.max)) return NULL;
    q.scales = &scale;
    q.zero_points = &zero_point;
    if (per_axis && !parameters(f, in, &q)) return NULL;
    if (axis >= WEFT_MAX_RANK) return bc_fail(f, at, "parameters along dimension %llu", (unsigned long long)axis), NULL;
    if (per_axis) q.axis = (int32_t)axis;
    q.storage = storage_of(storage, flags);
    if (!q.storage || expressed->kind != WEFT_TYPE_SCALAR || !weft_dtype_is_float(expressed->dtype))
        return bc_fail_as(f, WEFT_D_unsupported, at, "a quantised type of types that Weft does not know"), NULL;
    q.expressed = expressed->dtype;
    if (!weft_quant_valid(&q, 0, NULL, why, sizeof why)) return bc_fail_as(f, WEFT_D_verify, at, "%s", why), NULL;
    return bc_made_type(f, weft_type_quant_scalar(f->r.cx, &q));
}

/* MLIR's dialect of quantised types, which VHLO has a copy of. */
const weft_type *bc_quant_type(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    if (code == QUANT_T_UNIFORM) return quant(f, in, false);
    if (code == QUANT_T_UNIFORM_PER_AXIS) return quant(f, in, true);
    bc_fail_as(f, WEFT_D_unsupported, at, "a quantised type of the unknown or unsupported kind %llu",
               (unsigned long long)code);
    return NULL;
}

const weft_type *bc_vhlo_type(bc_reader *f, bc_in *in) {
    weft_context *cx = f->r.cx;
    const uint8_t *at = in->p;
    const weft_attr *encoding;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    for (size_t i = 0; i < BC_SCALARS; i++)
        if (code == (uint64_t)bc_scalars[i].vhlo) return bc_made_type(f, weft_type_scalar(cx, bc_scalars[i].dtype));
    switch (code) {
    case VHLO_T_COMPLEX: return bc_complex(f, in);
    case VHLO_T_FUNCTION: return bc_function(f, in);
    case VHLO_T_INDEX: return bc_made_type(f, weft_type_simple(cx, WEFT_TYPE_INDEX));
    case VHLO_T_RANKED: return bc_tensor(f, in, NULL);
    case VHLO_T_RANKED_ENCODED: return (encoding = bc_attr(f, in)) ? bc_tensor(f, in, encoding) : NULL;
    case VHLO_T_TOKEN: return bc_made_type(f, weft_type_simple(cx, WEFT_TYPE_TOKEN));
    case VHLO_T_TUPLE: return bc_tuple(f, in);
    case VHLO_T_QUANT: return quant(f, in, false);
    case VHLO_T_QUANT_PER_AXIS: return quant(f, in, true);
    case VHLO_T_UNRANKED: return bc_unranked(f, in);
    case VHLO_T_NONE: return bc_made_type(f, weft_type_simple(cx, WEFT_TYPE_NONE));
    case VHLO_T_TF32: return bc_text_type(f, "tf32");
    case VHLO_T_BUFFER: return bc_shaped_text(f, in, "memref");
    case VHLO_T_FUTURE: return bc_future(f, in);
    case VHLO_T_WITNESS: return bc_text_type(f, "!shape.witness");
    default: break;
    }
    bc_fail(f, at, "a VHLO type of the unknown kind %llu", (unsigned long long)code);
    return NULL;
}
