/* bytecode_stablehlo.c: StableHLO's and CHLO's own attributes and types in bytecode, which is not portable between
 * versions; and what VHLO encodes in the same way. */
#include "ir/process.h"
#include "mlir/bytecode.h"

static const weft_attr *copied(bc_reader *f, const weft_attr *a) { return bc_made(f, weft_attr_copy(f->r.cx, a)); }

const weft_attr *bc_keyword(bc_reader *f, bc_in *in, const bc_keyword_set *of) {
    const uint8_t *at = in->p;
    uint64_t number, next = of->first;
    if (!bc_int(f, in, &number)) return NULL;
    for (unsigned e = 0; e < WEFT_ENUM_COUNT; e++)
        if (weft_enum_table[e].set == of->set && next++ == number)
            return bc_made(f, weft_attr_enum(f->r.cx, (weft_enum_value)e));
    return bc_fail(f, at, "%llu is no %s", (unsigned long long)number, weft_enum_sets[of->set].mnemonic), NULL;
}

static bool record_field(bc_reader *f, bc_in *in, const bc_field *x, void *to) {
    uint8_t flag;
    switch (x->kind) {
    case BC_LIST:
    case BC_LIST_SINCE: return bc_ints(f, in, to);
    case BC_NUMBER: return bc_signed(f, in, to);
    case BC_FIELD_TYPE: return (*(const weft_type **)to = bc_type(f, in));
    case BC_FLAG: break;
    }
    if (!bc_byte(f, in, &flag)) return false;
    *(bool *)to = flag;
    return true;
}

const weft_attr *bc_read_record(bc_reader *f, bc_in *in, const bc_record *record) {
    weft_attr a = { .kind = record->kind };
    for (size_t i = 0; i < record->count; i++)
        if (!record_field(f, in, &record->fields[i], (char *)&a + record->fields[i].at)) return NULL;
    return copied(f, &a);
}

const weft_attr *bc_bounds(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_BOUNDS };
    return bc_ints(f, in, &a.ints) ? copied(f, &a) : NULL;
}

bool bc_real(bc_reader *f, bc_in *in, double *out) {
    uint64_t bits;
    if (!bc_bits(f, in, 64, &bits)) return false;
    memcpy(out, &bits, sizeof *out);
    return true;
}

const weft_attr *bc_accuracy(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_ACCURACY };
    if (!bc_real(f, in, &a.accuracy.atol) || !bc_real(f, in, &a.accuracy.rtol) || !bc_signed(f, in, &a.accuracy.ulps))
        return NULL;
    const uint8_t *at = in->p;
    const weft_attr *mode = bc_attr(f, in);
    if (!mode) return NULL;
    if (!weft_attr_is_keyword(mode, WEFT_ENUM_result_accuracy_mode))
        return bc_fail(f, at, "expected a mode of accuracy"), NULL;
    a.accuracy.mode = mode->e;
    return copied(f, &a);
}

bool bc_device_ids(bc_reader *f, const uint8_t *at, const weft_attr *a, weft_ints *out) {
    if (a->kind != WEFT_ATTR_DENSE || a->type->rank != 1 || !weft_dtype_is_integer(a->type->dtype) ||
        weft_type_elems(a->type) > WEFT_MAX_DEVICES)
        return bc_fail(f, at, "expected device ids of one dimension");
    const uint32_t n = (uint32_t)weft_type_elems(a->type);
    int64_t *ids = weft_arena_array(&f->r.arena, int64_t, n);
    if (!ids) return bc_oom(f);
    for (uint32_t i = 0; i < n; i++) ids[i] = weft_dense_int(a, i);
    *out = (weft_ints){ ids, n };
    return true;
}

const weft_type *bc_future(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    const size_t height = f->r.types.n;
    if (!bc_type_list(f, in)) return NULL;
    const uint32_t n = (uint32_t)(f->r.types.n - height);
    for (uint32_t i = 0; i < n; i++) {
        const weft_type_kind kind = f->r.types.v[height + i]->kind;
        if (kind != WEFT_TYPE_TENSOR && kind != WEFT_TYPE_FOREIGN)
            return bc_fail_as(f, WEFT_D_verify, at, "a future is one of ranked tensors"), NULL;
    }
    const weft_type *t = weft_type_future(f->r.cx, f->r.types.v + height, n);
    f->r.types.n = height;
    return bc_made_type(f, t);
}

bool bc_sub_axis(bc_reader *f, const uint8_t *at, bc_in body, weft_axis_ref *out) {
    if (!bc_signed(f, &body, &out->pre_size) || !bc_signed(f, &body, &out->size)) return false;
    /* of an axis without a sub-axis both are zero */
    return out->pre_size || out->size || bc_fail(f, at, "sub-axis pre-size must be at least 1");
}

/* name, and a byte with a sub-axis */
static bool axis_ref(bc_reader *f, bc_in *in, weft_axis_ref *out) {
    const uint8_t *at = in->p;
    bc_in body, sub;
    uint8_t has;
    if (!bc_open(f, in, BC_STABLEHLO, STABLEHLO_AXIS_REF, "an axis", &body) || !(out->name = bc_name(f, &body)) ||
        !bc_byte(f, &body, &has))
        return false;
    return !has ||
           (bc_open(f, &body, BC_STABLEHLO, STABLEHLO_SUB_AXIS, "a sub-axis", &sub) && bc_sub_axis(f, at, sub, out));
}

/* an array of axes, and a byte with device ids */
static const weft_attr *mesh(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_MESH };
    const uint8_t *at = in->p;
    bc_in list, body;
    uint32_t n;
    uint8_t has;
    if (!bc_open(f, in, BC_BUILTIN, BUILTIN_ARRAY, "a list of axes", &list) || !bc_count(f, &list, &n)) return NULL;
    weft_mesh_axis *axes = weft_arena_array(&f->r.arena, weft_mesh_axis, n);
    if (!axes) return bc_oom(f), NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!bc_open(f, &list, BC_STABLEHLO, STABLEHLO_MESH_AXIS, "an axis of a mesh", &body) ||
            !(axes[i].name = bc_name(f, &body)) || !bc_signed(f, &body, &axes[i].size))
            return NULL;
    a.mesh.axes = axes;
    a.mesh.axis_count = n;
    if (!bc_byte(f, in, &has)) return NULL;
    const weft_attr *ids = has ? bc_attr(f, in) : NULL;
    return !has || (ids && bc_device_ids(f, at, ids, &a.mesh.device_ids)) ? copied(f, &a) : NULL;
}

/* a mesh or its name, and axes */
static const weft_attr *mesh_axes(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_MESH_AXES };
    const uint8_t *at = in->p;
    uint32_t n;
    if (!(a.mesh_axes.mesh = bc_attr(f, in))) return NULL;
    if (a.mesh_axes.mesh->kind != WEFT_ATTR_SYMBOL && a.mesh_axes.mesh->kind != WEFT_ATTR_MESH)
        return bc_fail(f, at, "expected a mesh"), NULL;
    if (!bc_count(f, in, &n)) return NULL;
    weft_axis_ref *axes = weft_arena_array(&f->r.arena, weft_axis_ref, n);
    if (!axes) return bc_oom(f), NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!axis_ref(f, in, &axes[i])) return NULL;
    a.mesh_axes.axes = (weft_axis_refs){ axes, n };
    return copied(f, &a);
}

const weft_attr *bc_stablehlo_attr(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    for (size_t i = 0; i < BC_KEYWORD_SETS; i++)
        if (bc_keyword_sets[i].stablehlo >= 0 && code == (uint64_t)bc_keyword_sets[i].stablehlo)
            return bc_keyword(f, in, &bc_keyword_sets[i]);
    for (size_t i = 0; i < BC_RECORDS; i++)
        if (code == bc_records[i].code) return bc_read_record(f, in, &bc_records[i]);
    switch (code) {
    case STABLEHLO_TYPE_EXTENSIONS: return bc_bounds(f, in);
    case STABLEHLO_ACCURACY: return bc_accuracy(f, in);
    case STABLEHLO_MESH_AXES: return mesh_axes(f, in);
    case STABLEHLO_MESH: return mesh(f, in);
    default: break;
    }
    bc_fail(f, at, "a StableHLO attribute of the unknown kind %llu", (unsigned long long)code);
    return NULL;
}

const weft_type *bc_stablehlo_type(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    if (code == STABLEHLO_T_TOKEN) return bc_made_type(f, weft_type_simple(f->r.cx, WEFT_TYPE_TOKEN));
    if (code == STABLEHLO_T_FUTURE) return bc_future(f, in);
    return bc_fail(f, at, "a StableHLO type of the unknown kind %llu", (unsigned long long)code), NULL;
}

const weft_attr *bc_chlo_attr(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    for (size_t i = 0; i < BC_KEYWORD_SETS; i++)
        if (bc_keyword_sets[i].chlo >= 0 && code == (uint64_t)bc_keyword_sets[i].chlo)
            return bc_keyword(f, in, &bc_keyword_sets[i]);
    return bc_fail(f, at, "a CHLO attribute of the unknown kind %llu", (unsigned long long)code), NULL;
}
