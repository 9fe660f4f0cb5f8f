/* bytecode_stablehlo.c: StableHLO's and CHLO's own attributes and types in bytecode, which is not portable between
 * versions; and what VHLO encodes in the same way. Codes: StableHLO, dialect/StablehloBytecode.cpp and
 * ChloBytecode.cpp. */
#include "ir/process.h"
#include "mlir/bytecode.h"

typedef enum stablehlo_attr {
    CHANNEL = 1, COMPARISON_DIRECTION, COMPARISON_TYPE, CONV, DOT, FFT_TYPE, GATHER, PRECISION, RNG_ALGORITHM,
    RNG_DISTRIBUTION, SCATTER, TRANSPOSE, TYPE_EXTENSIONS, ALIAS, ALGORITHM, ACCURACY_MODE, ACCURACY, MESH_AXES,
    SUB_AXIS, AXIS_REF, MESH_AXIS, MESH, STABLEHLO_ATTRS
} stablehlo_attr;

#define BUILTIN_ARRAY 0

static const weft_attr *copied(bc_reader *f, const weft_attr *a) { return bc_made(f, weft_attr_copy(f->r.cx, a)); }

const weft_attr *bc_keyword(bc_reader *f, bc_in *in, weft_enum_set set, uint64_t first) {
    const uint8_t *at = in->p;
    uint64_t number, next = first;
    if (!bc_int(f, in, &number)) return NULL;
    for (unsigned e = 0; e < WEFT_ENUM_COUNT; e++)
        if (weft_enum_table[e].set == set && next++ == number)
            return bc_made(f, weft_attr_enum(f->r.cx, (weft_enum_value)e));
    return bc_fail(f, at, "%llu is no %s", (unsigned long long)number, weft_enum_sets[set].mnemonic), NULL;
}

const weft_attr *bc_alias(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_ALIAS };
    return bc_ints(f, in, &a.alias.output_indices) && bc_signed(f, in, &a.alias.operand) &&
                   bc_ints(f, in, &a.alias.operand_indices)
               ? copied(f, &a)
               : NULL;
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

static const weft_attr *channel(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_CHANNEL };
    return bc_signed(f, in, &a.channel.handle) && bc_signed(f, in, &a.channel.type) ? copied(f, &a) : NULL;
}

static const weft_attr *conv(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_CONV };
    weft_conv_dims *d = &a.conv;
    return bc_signed(f, in, &d->input_batch) && bc_signed(f, in, &d->input_feature) &&
                   bc_ints(f, in, &d->input_spatial) && bc_signed(f, in, &d->kernel_input_feature) &&
                   bc_signed(f, in, &d->kernel_output_feature) && bc_ints(f, in, &d->kernel_spatial) &&
                   bc_signed(f, in, &d->output_batch) && bc_signed(f, in, &d->output_feature) &&
                   bc_ints(f, in, &d->output_spatial)
               ? copied(f, &a)
               : NULL;
}

static const weft_attr *dot(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_DOT };
    weft_dot_dims *d = &a.dot;
    return bc_ints(f, in, &d->lhs_batch) && bc_ints(f, in, &d->rhs_batch) && bc_ints(f, in, &d->lhs_contract) &&
                   bc_ints(f, in, &d->rhs_contract)
               ? copied(f, &a)
               : NULL;
}

static const weft_attr *gather(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_GATHER };
    weft_gather_dims *d = &a.gather;
    return bc_ints(f, in, &d->offset_dims) && bc_ints(f, in, &d->collapsed_slice_dims) &&
                   bc_ints(f, in, &d->operand_batching_dims) && bc_ints(f, in, &d->start_indices_batching_dims) &&
                   bc_ints(f, in, &d->start_index_map) && bc_signed(f, in, &d->index_vector_dim)
               ? copied(f, &a)
               : NULL;
}

static const weft_attr *scatter(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_SCATTER };
    weft_scatter_dims *d = &a.scatter;
    return bc_ints(f, in, &d->update_window_dims) && bc_ints(f, in, &d->inserted_window_dims) &&
                   bc_ints(f, in, &d->input_batching_dims) && bc_ints(f, in, &d->scatter_indices_batching_dims) &&
                   bc_ints(f, in, &d->scatter_dims_to_operand_dims) && bc_signed(f, in, &d->index_vector_dim)
               ? copied(f, &a)
               : NULL;
}

static const weft_attr *algorithm(bc_reader *f, bc_in *in) {
    weft_attr a = { .kind = WEFT_ATTR_ALGORITHM };
    weft_dot_algorithm *d = &a.algorithm;
    uint8_t imprecise;
    if (!(d->lhs = bc_type(f, in)) || !(d->rhs = bc_type(f, in)) || !(d->accumulation = bc_type(f, in)) ||
        !bc_signed(f, in, &d->lhs_components) || !bc_signed(f, in, &d->rhs_components) ||
        !bc_signed(f, in, &d->operations) || !bc_byte(f, in, &imprecise))
        return NULL;
    d->imprecise = imprecise;
    return copied(f, &a);
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
    if (!bc_open(f, in, BC_STABLEHLO, AXIS_REF, "an axis", &body) || !(out->name = bc_name(f, &body)) ||
        !bc_byte(f, &body, &has))
        return false;
    return !has || (bc_open(f, &body, BC_STABLEHLO, SUB_AXIS, "a sub-axis", &sub) && bc_sub_axis(f, at, sub, out));
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
        if (!bc_open(f, &list, BC_STABLEHLO, MESH_AXIS, "an axis of a mesh", &body) ||
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
    switch (code) {
    case CHANNEL: return channel(f, in);
    case COMPARISON_DIRECTION: return bc_keyword(f, in, WEFT_ENUM_comparison_direction, 0);
    case COMPARISON_TYPE: return bc_keyword(f, in, WEFT_ENUM_comparison_type, 0);
    case CONV: return conv(f, in);
    case DOT: return dot(f, in);
    case FFT_TYPE: return bc_keyword(f, in, WEFT_ENUM_fft_type, 0);
    case GATHER: return gather(f, in);
    case PRECISION: return bc_keyword(f, in, WEFT_ENUM_precision, 0);
    case RNG_ALGORITHM: return bc_keyword(f, in, WEFT_ENUM_rng_algorithm, 0);
    case RNG_DISTRIBUTION: return bc_keyword(f, in, WEFT_ENUM_rng_distribution, 1);
    case SCATTER: return scatter(f, in);
    case TRANSPOSE: return bc_keyword(f, in, WEFT_ENUM_transpose, 0);
    case TYPE_EXTENSIONS: return bc_bounds(f, in);
    case ALIAS: return bc_alias(f, in);
    case ALGORITHM: return algorithm(f, in);
    case ACCURACY_MODE: return bc_keyword(f, in, WEFT_ENUM_result_accuracy_mode, 0);
    case ACCURACY: return bc_accuracy(f, in);
    case MESH_AXES: return mesh_axes(f, in);
    case MESH: return mesh(f, in);
    default: break;
    }
    bc_fail(f, at, "a StableHLO attribute of the unknown kind %llu", (unsigned long long)code);
    return NULL;
}

const weft_type *bc_stablehlo_type(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    if (code == 0) return bc_made_type(f, weft_type_simple(f->r.cx, WEFT_TYPE_TOKEN));
    if (code == 1) return bc_future(f, in);
    return bc_fail(f, at, "a StableHLO type of the unknown kind %llu", (unsigned long long)code), NULL;
}

const weft_attr *bc_chlo_attr(bc_reader *f, bc_in *in) {
    const uint8_t *at = in->p;
    uint64_t code;
    if (!bc_int(f, in, &code)) return NULL;
    if (code == 0) return bc_keyword(f, in, WEFT_ENUM_chlo_comparison_direction, 0);
    if (code == 1) return bc_keyword(f, in, WEFT_ENUM_chlo_comparison_type, 0);
    return bc_fail(f, at, "a CHLO attribute of the unknown kind %llu", (unsigned long long)code), NULL;
}
