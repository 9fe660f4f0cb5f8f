/* bytecode_vhlo.c: VHLO's attributes and types, decoded as StableHLO's. Codes: StableHLO, dialect/VhloBytecode.cpp. */
#include "mlir/bytecode.h"

typedef enum vhlo_attr {
    ARRAY = 1, BOOLEAN, COMPARISON_DIRECTION, COMPARISON_TYPE, API_VERSION, DICT, FFT_TYPE, FLOAT, INTEGER, ALIAS,
    PRECISION, RNG_ALGORITHM, RNG_DISTRIBUTION, STRING, TENSOR, TRANSPOSE, TYPE, TYPE_EXTENSIONS, ACCURACY_MODE,
    ACCURACY, SUB_AXIS, AXIS_REF, MESH_AXES, MESH_AXIS, MESH, VHLO_ATTRS
} vhlo_attr;

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
    if (!bc_open(f, in, BC_VHLO, AXIS_REF, "an axis", &body) || !(out->name = bc_attr_name(f, &body)) ||
        !bc_int(f, &body, &has))
        return false;
    return !has || (bc_open(f, &body, BC_VHLO, SUB_AXIS, "a sub-axis", &sub) && bc_sub_axis(f, at, sub, out));
}

static bool mesh_axis(bc_reader *f, bc_in *in, weft_mesh_axis *out) {
    bc_in body;
    return bc_open(f, in, BC_VHLO, MESH_AXIS, "an axis of a mesh", &body) && (out->name = bc_attr_name(f, &body)) &&
           bc_signed(f, &body, &out->size);
}

/* an array of axes, and device ids or none */
static const weft_attr *mesh(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_MESH };
    const uint8_t *at = in->p;
    const weft_attr *ids;
    bc_in list;
    uint32_t n;
    if (!bc_open(f, in, BC_VHLO, ARRAY, "a list of axes", &list) || !bc_count(f, &list, &n)) return NULL;
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
    if (!bc_open(f, in, BC_VHLO, ARRAY, "a list of axes", &list) || !bc_count(f, &list, &n)) return NULL;
    weft_axis_ref *axes = weft_arena_array(&f->r.arena, weft_axis_ref, n);
    if (!axes) return bc_oom(f), NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!axis_ref(f, &list, &axes[i])) return NULL;
    a.mesh_axes.mesh = of;
    a.mesh_axes.axes = (weft_axis_refs){ axes, n };
    return copied(f, &a);
}

const weft_attr *bc_vhlo_attr(bc_reader *f, bc_in *in) {
    static const struct { bool is_keyword; weft_enum_set set; uint64_t first; } keywords[VHLO_ATTRS] = {
        [COMPARISON_DIRECTION] = { true, WEFT_ENUM_comparison_direction, 0 },
        [COMPARISON_TYPE] = { true, WEFT_ENUM_comparison_type, 0 },
        [API_VERSION] = { true, WEFT_ENUM_custom_call_api_version, 0 },
        [FFT_TYPE] = { true, WEFT_ENUM_fft_type, 0 },
        [PRECISION] = { true, WEFT_ENUM_precision, 0 },
        [RNG_ALGORITHM] = { true, WEFT_ENUM_rng_algorithm, 0 },
        [RNG_DISTRIBUTION] = { true, WEFT_ENUM_rng_distribution, 1 },
        [TRANSPOSE] = { true, WEFT_ENUM_transpose, 0 },
        [ACCURACY_MODE] = { true, WEFT_ENUM_result_accuracy_mode, 0 },
    };
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    if (code < VHLO_ATTRS && keywords[code].is_keyword)
        return bc_keyword(f, in, keywords[code].set, keywords[code].first);
    switch (code) {
    case ARRAY: return bc_array(f, in);
    case BOOLEAN: return boolean(f, in);
    case DICT: return bc_dict(f, in);
    case FLOAT:
    case INTEGER: return bc_number_attr(f, in, code == INTEGER);
    case ALIAS: return bc_alias(f, in);
    case STRING: return bc_string_attr(f, in);
    case TENSOR: return bc_dense_attr(f, in);
    case TYPE: return bc_type_attr(f, in);
    case TYPE_EXTENSIONS: return bc_bounds(f, in);
    case ACCURACY: return bc_accuracy(f, in);
    case MESH_AXES: return mesh_axes(f, in);
    case MESH: return mesh(f, in);
    default: break;
    }
    bc_fail(f, at, "a VHLO attribute of the unknown kind %llu", (unsigned long long)code);
    return NULL;
}

typedef enum vhlo_type {
    COMPLEX = 1, FUNCTION = 8, INDEX = 9, RANKED = 20, RANKED_ENCODED = 21, TOKEN = 22, TUPLE = 23, QUANT = 24,
    UNRANKED = 25, WITNESS = 26, QUANT_PER_AXIS = 30, NONE = 33, TF32 = 34, BUFFER = 41, FUTURE = 42
} vhlo_type;

/* The types that are an element type and nothing else. */
static const weft_dtype scalars[] = {
    [0] = WEFT_I1,          [2] = WEFT_BF16,        [3] = WEFT_F16,         [4] = WEFT_F32,         [5] = WEFT_F64,
    [6] = WEFT_F8E4M3FN,    [7] = WEFT_F8E5M2,      [10] = WEFT_I4,         [11] = WEFT_I8,
    [12] = WEFT_I16,        [13] = WEFT_I32,        [14] = WEFT_I64,        [15] = WEFT_UI4,
    [16] = WEFT_UI8,        [17] = WEFT_UI16,       [18] = WEFT_UI32,       [19] = WEFT_UI64,
    [27] = WEFT_F8E4M3FNUZ, [28] = WEFT_F8E5M2FNUZ, [29] = WEFT_F8E4M3B11FNUZ,
    [31] = WEFT_I2,         [32] = WEFT_UI2,        [35] = WEFT_F8E4M3,     [36] = WEFT_F8E3M4,
    [37] = WEFT_F4E2M1FN,   [38] = WEFT_F6E2M3FN,   [39] = WEFT_F6E3M2FN,   [40] = WEFT_F8E8M0FNU,
};

/* The integers of a quantised type: VHLO has a signed type and, apart from it, whether they are signed. */
static weft_dtype storage_of(const weft_type *t, uint64_t flags) {
    static const weft_dtype pairs[][2] = {
        { WEFT_I2, WEFT_UI2 }, { WEFT_I4, WEFT_UI4 }, { WEFT_I8, WEFT_UI8 }, { WEFT_I16, WEFT_UI16 }, { WEFT_I32, WEFT_UI32 },
    };
    for (size_t i = 0; t->kind == WEFT_TYPE_SCALAR && !t->quant && i < WEFT_COUNT(pairs); i++)
        if (t->dtype == pairs[i][0] || t->dtype == pairs[i][1]) return pairs[i][flags & 1 ? 0 : 1];
    return WEFT_DTYPE_NONE;
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
    enum { UNIFORM = 4, UNIFORM_PER_AXIS = 5 };
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    if (code == UNIFORM || code == UNIFORM_PER_AXIS) return quant(f, in, code == UNIFORM_PER_AXIS);
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
    if (code < WEFT_COUNT(scalars) && scalars[code]) return bc_made_type(f, weft_type_scalar(cx, scalars[code]));
    switch (code) {
    case COMPLEX: return bc_complex(f, in);
    case FUNCTION: return bc_function(f, in);
    case INDEX: return bc_made_type(f, weft_type_simple(cx, WEFT_TYPE_INDEX));
    case RANKED: return bc_tensor(f, in, NULL);
    case RANKED_ENCODED: return (encoding = bc_attr(f, in)) ? bc_tensor(f, in, encoding) : NULL;
    case TOKEN: return bc_made_type(f, weft_type_simple(cx, WEFT_TYPE_TOKEN));
    case TUPLE: return bc_tuple(f, in);
    case QUANT: return quant(f, in, false);
    case QUANT_PER_AXIS: return quant(f, in, true);
    case UNRANKED: return bc_unranked(f, in);
    case NONE: return bc_made_type(f, weft_type_simple(cx, WEFT_TYPE_NONE));
    case TF32: return bc_text_type(f, "tf32");
    case BUFFER: return bc_shaped_text(f, in, "memref");
    case FUTURE: return bc_future(f, in);
    case WITNESS: return bc_text_type(f, "!shape.witness");
    default: break;
    }
    bc_fail(f, at, "a VHLO type of the unknown kind %llu", (unsigned long long)code);
    return NULL;
}
