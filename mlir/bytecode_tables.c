/* bytecode_tables.c: what reader and writer of bytecode know of kinds of attributes, types and ops. */
#include <stdlib.h>
#include "mlir/bytecode_codes.h"

#define V BC_VHLO
const bc_scalar bc_scalars[BC_SCALARS] = {
    { WEFT_I1, -1, 0, V(0, 9) },
    { WEFT_BF16, BUILTIN_T_BF16, 2, V(0, 9) },
    { WEFT_F16, BUILTIN_T_F16, 3, V(0, 9) },
    { WEFT_F32, BUILTIN_T_F32, 4, V(0, 9) },
    { WEFT_F64, BUILTIN_T_F64, 5, V(0, 9) },
    { WEFT_F8E4M3FN, BUILTIN_T_F8E4M3FN, 6, V(0, 9) },
    { WEFT_F8E5M2, BUILTIN_T_F8E5M2, 7, V(0, 9) },
    { WEFT_I4, -1, 10, V(0, 9) },
    { WEFT_I8, -1, 11, V(0, 9) },
    { WEFT_I16, -1, 12, V(0, 9) },
    { WEFT_I32, -1, 13, V(0, 9) },
    { WEFT_I64, -1, 14, V(0, 9) },
    { WEFT_UI4, -1, 15, V(0, 9) },
    { WEFT_UI8, -1, 16, V(0, 9) },
    { WEFT_UI16, -1, 17, V(0, 9) },
    { WEFT_UI32, -1, 18, V(0, 9) },
    { WEFT_UI64, -1, 19, V(0, 9) },
    { WEFT_F8E4M3FNUZ, BUILTIN_T_F8E4M3FNUZ, 27, V(0, 10) },
    { WEFT_F8E5M2FNUZ, BUILTIN_T_F8E5M2FNUZ, 28, V(0, 10) },
    { WEFT_F8E4M3B11FNUZ, BUILTIN_T_F8E4M3B11FNUZ, 29, V(0, 11) },
    { WEFT_I2, -1, 31, V(1, 2) },
    { WEFT_UI2, -1, 32, V(1, 2) },
    { WEFT_F8E4M3, BUILTIN_T_F8E4M3, 35, V(1, 7) },
    { WEFT_F8E3M4, BUILTIN_T_F8E3M4, 36, V(1, 7) },
    { WEFT_F4E2M1FN, BUILTIN_T_F4E2M1FN, 37, V(1, 8) },
    { WEFT_F6E2M3FN, BUILTIN_T_F6E2M3FN, 38, V(1, 8) },
    { WEFT_F6E3M2FN, BUILTIN_T_F6E3M2FN, 39, V(1, 8) },
    { WEFT_F8E8M0FNU, BUILTIN_T_F8E8M0FNU, 40, V(1, 8) },
};
#undef V

const bc_scalar *bc_scalar_of(weft_dtype dtype) {
    for (size_t i = 0; i < BC_SCALARS; i++)
        if (bc_scalars[i].dtype == dtype) return &bc_scalars[i];
    return NULL;
}

weft_dtype bc_quant_storage(weft_dtype dtype, bool is_signed) {
    static const weft_dtype pairs[][2] = {
        { WEFT_UI2, WEFT_I2 }, { WEFT_UI4, WEFT_I4 }, { WEFT_UI8, WEFT_I8 }, { WEFT_UI16, WEFT_I16 }, { WEFT_UI32, WEFT_I32 },
    };
    for (size_t i = 0; i < WEFT_COUNT(pairs); i++)
        if (dtype == pairs[i][0] || dtype == pairs[i][1]) return pairs[i][is_signed];
    return WEFT_DTYPE_NONE;
}

const bc_keyword_set bc_keyword_sets[BC_KEYWORD_SETS] = {
    { WEFT_ENUM_comparison_direction, STABLEHLO_COMPARISON_DIRECTION, -1, VHLO_COMPARISON_DIRECTION, 0 },
    { WEFT_ENUM_comparison_type, STABLEHLO_COMPARISON_TYPE, -1, VHLO_COMPARISON_TYPE, 0 },
    { WEFT_ENUM_custom_call_api_version, -1, -1, VHLO_API_VERSION, 0 },
    { WEFT_ENUM_fft_type, STABLEHLO_FFT_TYPE, -1, VHLO_FFT_TYPE, 0 },
    { WEFT_ENUM_precision, STABLEHLO_PRECISION, -1, VHLO_PRECISION, 0 },
    { WEFT_ENUM_rng_algorithm, STABLEHLO_RNG_ALGORITHM, -1, VHLO_RNG_ALGORITHM, 0 },
    { WEFT_ENUM_rng_distribution, STABLEHLO_RNG_DISTRIBUTION, -1, VHLO_RNG_DISTRIBUTION, 1 },
    { WEFT_ENUM_transpose, STABLEHLO_TRANSPOSE, -1, VHLO_TRANSPOSE, 0 },
    { WEFT_ENUM_result_accuracy_mode, STABLEHLO_ACCURACY_MODE, -1, VHLO_ACCURACY_MODE, 0 },
    { WEFT_ENUM_chlo_comparison_direction, -1, CHLO_COMPARISON_DIRECTION, -1, 0 },
    { WEFT_ENUM_chlo_comparison_type, -1, CHLO_COMPARISON_TYPE, -1, 0 },
};

#define AT(member) offsetof(weft_attr, member)
static const bc_field channel[] = {
    { "channel_id", BC_NUMBER, AT(channel.handle) },
    { "channel_type", BC_NUMBER, AT(channel.type) },
};
static const bc_field conv[] = {
    { "input_batch_dimension", BC_NUMBER, AT(conv.input_batch) },
    { "input_feature_dimension", BC_NUMBER, AT(conv.input_feature) },
    { "input_spatial_dimensions", BC_LIST, AT(conv.input_spatial) },
    { "kernel_input_feature_dimension", BC_NUMBER, AT(conv.kernel_input_feature) },
    { "kernel_output_feature_dimension", BC_NUMBER, AT(conv.kernel_output_feature) },
    { "kernel_spatial_dimensions", BC_LIST, AT(conv.kernel_spatial) },
    { "output_batch_dimension", BC_NUMBER, AT(conv.output_batch) },
    { "output_feature_dimension", BC_NUMBER, AT(conv.output_feature) },
    { "output_spatial_dimensions", BC_LIST, AT(conv.output_spatial) },
};
static const bc_field dot[] = {
    { "lhs_batching_dimensions", BC_LIST, AT(dot.lhs_batch) },
    { "rhs_batching_dimensions", BC_LIST, AT(dot.rhs_batch) },
    { "lhs_contracting_dimensions", BC_LIST, AT(dot.lhs_contract) },
    { "rhs_contracting_dimensions", BC_LIST, AT(dot.rhs_contract) },
};
static const bc_field gather[] = {
    { "offset_dims", BC_LIST, AT(gather.offset_dims) },
    { "collapsed_slice_dims", BC_LIST, AT(gather.collapsed_slice_dims) },
    { "operand_batching_dims", BC_LIST_SINCE, AT(gather.operand_batching_dims) },
    { "start_indices_batching_dims", BC_LIST_SINCE, AT(gather.start_indices_batching_dims) },
    { "start_index_map", BC_LIST, AT(gather.start_index_map) },
    { "index_vector_dim", BC_NUMBER, AT(gather.index_vector_dim) },
};
static const bc_field scatter[] = {
    { "update_window_dims", BC_LIST, AT(scatter.update_window_dims) },
    { "inserted_window_dims", BC_LIST, AT(scatter.inserted_window_dims) },
    { "input_batching_dims", BC_LIST_SINCE, AT(scatter.input_batching_dims) },
    { "scatter_indices_batching_dims", BC_LIST_SINCE, AT(scatter.scatter_indices_batching_dims) },
    { "scatter_dims_to_operand_dims", BC_LIST, AT(scatter.scatter_dims_to_operand_dims) },
    { "index_vector_dim", BC_NUMBER, AT(scatter.index_vector_dim) },
};
static const bc_field algorithm[] = {
    { "lhs_precision_type", BC_FIELD_TYPE, AT(algorithm.lhs) },
    { "rhs_precision_type", BC_FIELD_TYPE, AT(algorithm.rhs) },
    { "accumulation_type", BC_FIELD_TYPE, AT(algorithm.accumulation) },
    { "lhs_component_count", BC_NUMBER, AT(algorithm.lhs_components) },
    { "rhs_component_count", BC_NUMBER, AT(algorithm.rhs_components) },
    { "num_primitive_operations", BC_NUMBER, AT(algorithm.operations) },
    { "allow_imprecise_accumulation", BC_FLAG, AT(algorithm.imprecise) },
};
/* never an attribute of an op, so VHLO has it in one piece, too */
static const bc_field alias[] = {
    { "output_tuple_indices", BC_LIST, AT(alias.output_indices) },
    { "operand_index", BC_NUMBER, AT(alias.operand) },
    { "operand_tuple_indices", BC_LIST, AT(alias.operand_indices) },
};
#undef AT

const bc_record bc_records[BC_RECORDS] = {
    { WEFT_ATTR_CHANNEL, STABLEHLO_CHANNEL, channel, WEFT_COUNT(channel) },
    { WEFT_ATTR_CONV, STABLEHLO_CONV, conv, WEFT_COUNT(conv) },
    { WEFT_ATTR_DOT, STABLEHLO_DOT, dot, WEFT_COUNT(dot) },
    { WEFT_ATTR_GATHER, STABLEHLO_GATHER, gather, WEFT_COUNT(gather) },
    { WEFT_ATTR_SCATTER, STABLEHLO_SCATTER, scatter, WEFT_COUNT(scatter) },
    { WEFT_ATTR_ALGORITHM, STABLEHLO_ALGORITHM, algorithm, WEFT_COUNT(algorithm) },
    { WEFT_ATTR_ALIAS, STABLEHLO_ALIAS, alias, WEFT_COUNT(alias) },
};

const bc_record *bc_record_of(weft_attr_kind kind) {
    for (size_t i = 0; i < BC_RECORDS; i++)
        if (bc_records[i].kind == kind) return &bc_records[i];
    return NULL;
}

/* Source: StableHLO, transforms/StablehloLegalizeToVhlo.cpp, addDefaults. */
bc_default bc_default_of(uint32_t name) {
    static const uint8_t defaults[WEFT_A_COUNT] = {
        [WEFT_A_has_side_effect] = BC_FALSE,
        [WEFT_A_has_dynamic_root] = BC_FALSE,
        [WEFT_A_use_global_device_ids] = BC_FALSE,
        [WEFT_A_indices_are_sorted] = BC_FALSE,
        [WEFT_A_unique_indices] = BC_FALSE,
        [WEFT_A_is_host_transfer] = BC_FALSE,
        [WEFT_A_is_stable] = BC_FALSE,
        [WEFT_A_lower] = BC_FALSE,
        [WEFT_A_compare_type] = BC_NO_TYPE,
        [WEFT_A_api_version] = BC_ORIGINAL_API,
        [WEFT_A_version] = BC_ZERO,
        [WEFT_A_dimension] = BC_LAST_DIM,
        [WEFT_A_source_target_pairs] = BC_EMPTY_LIST,
        [WEFT_A_known_expanding_dimensions] = BC_EMPTY_LIST,
        [WEFT_A_known_nonexpanding_dimensions] = BC_EMPTY_LIST,
        [WEFT_A_operand_layouts] = BC_EMPTY_ARRAY,
        [WEFT_A_result_layouts] = BC_EMPTY_ARRAY,
        [WEFT_A_called_computations] = BC_EMPTY_ARRAY,
        [WEFT_A_output_operand_aliases] = BC_EMPTY_ARRAY,
        [WEFT_A_result_tilings] = BC_EMPTY_ARRAY,
        [WEFT_A_layout] = BC_EMPTY_ARRAY,
        [WEFT_A_arg_attrs] = BC_EMPTY_ARRAY,
        [WEFT_A_res_attrs] = BC_EMPTY_ARRAY,
        [WEFT_A_composite_attributes] = BC_EMPTY_DICT,
        [WEFT_A_backend_config] = BC_EMPTY_STRING,
        [WEFT_A_infeed_config] = BC_KEPT_STRING,
        [WEFT_A_outfeed_config] = BC_KEPT_STRING,
        [WEFT_A_sym_visibility] = BC_EMPTY_STRING,
        [WEFT_A_window_strides] = BC_ONES,
        [WEFT_A_lhs_dilation] = BC_ONES,
        [WEFT_A_rhs_dilation] = BC_ONES,
        [WEFT_A_base_dilations] = BC_ONES,
        [WEFT_A_window_dilations] = BC_ONES,
        [WEFT_A_window_reversal] = BC_FALSES,
        [WEFT_A_padding] = BC_ZERO_PAIRS,
        [WEFT_A_precision_config] = BC_DEFAULT_PRECISION,
        [WEFT_A_result_accuracy] = BC_NO_ACCURACY,
    };
    return name < WEFT_A_COUNT ? (bc_default)defaults[name] : BC_NO_DEFAULT;
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

bool bc_is_default(bc_default d, const weft_attr *a) {
    switch (d) {
    case BC_NO_DEFAULT:
    case BC_KEPT_STRING: break;
    case BC_FALSE: return is_bool(a, false);
    case BC_EMPTY_STRING:
    case BC_EMPTY_ARRAY:
    case BC_EMPTY_DICT:
    case BC_EMPTY_LIST: return is_empty(a);
    case BC_ONES: return is_splat(a, 1);
    case BC_FALSES:
    case BC_ZERO_PAIRS: return is_splat(a, 0);
    case BC_ZERO: return is_int(a, 0);
    case BC_LAST_DIM: return is_int(a, -1);
    case BC_NO_TYPE: return is_enum(a, WEFT_comparison_type_NOTYPE);
    case BC_ORIGINAL_API: return is_enum(a, WEFT_custom_call_api_version_API_VERSION_ORIGINAL);
    case BC_DEFAULT_PRECISION: return all_default(a);
    case BC_NO_ACCURACY: return no_accuracy(a);
    }
    return false;
}

static const bc_vhlo_op vhlo_ops[] = {
#define VHLO(name, major, minor, op, properties) { name, BC_VHLO(major, minor), WEFT_OP_##op, properties },
#include "mlir/vhlo.def"
};

const bc_vhlo_op *bc_vhlo_op_named(weft_str name) {
    for (size_t i = 0; i < WEFT_COUNT(vhlo_ops); i++)
        if (weft_str_is(name, vhlo_ops[i].name)) return &vhlo_ops[i];
    return NULL;
}

const bc_vhlo_op *bc_vhlo_op_at(weft_op_kind kind, unsigned version) {
    const bc_vhlo_op *best = NULL;
    if (kind == WEFT_OP_other) return NULL;
    if (kind == WEFT_OP_func_return) kind = WEFT_OP_return;
    for (size_t i = 0; i < WEFT_COUNT(vhlo_ops); i++) {
        const bc_vhlo_op *o = &vhlo_ops[i];
        if (o->kind == kind && o->since <= version && (!best || o->since > best->since)) best = o;
    }
    return best;
}

bool bc_vhlo_op_has(const bc_vhlo_op *op, weft_str name) {
    for (const char *p = op->properties; *p; p += *p == ' ') {
        const size_t size = strcspn(p, " ");
        if (size == name.n && !memcmp(p, name.p, size)) return true;
        p += size;
    }
    return false;
}

static int by_text(const void *a, const void *b) {
    const bc_property *x = a, *y = b;
    return strcmp(x->name->text, y->name->text);
}

bc_property *bc_own_properties(weft_context *cx, weft_arena *arena, weft_op_kind kind, uint32_t *count) {
    const weft_attr_spec *spec = weft_op_info_of(kind)->attrs;
    uint32_t n = 0;
    while (spec[n].presence != WEFT_END_OF_ATTRS) n++;
    bc_property *v = weft_arena_array(arena, bc_property, n);
    if (!v) return NULL;
    for (uint32_t i = 0; i < n; i++)
        v[i] = (bc_property){ weft_name_at(cx, spec[i].name), spec[i].presence == WEFT_OPTIONAL };
    qsort(v, n, sizeof *v, by_text);
    *count = n;
    return v;
}

bc_property *bc_vhlo_properties(weft_context *cx, weft_arena *arena, const bc_vhlo_op *op, uint32_t *count) {
    uint32_t n = 0;
    for (const char *q = op->properties; *q; q++) n += q == op->properties || q[-1] == ' ';
    bc_property *v = weft_arena_array(arena, bc_property, n);
    if (!v) return NULL;
    *count = n;
    n = 0;
    for (const char *p = op->properties; *p; p += *p == ' ') {
        const size_t size = strcspn(p, " ");
        if (!(v[n++].name = weft_name_intern(cx, (weft_str){ p, size }))) return NULL;
        p += size;
    }
    return v;
}

bool bc_property_is_newer(weft_op_kind kind, const bc_property *x) {
    static const struct { weft_op_kind kind; weft_attr_name name; } newer[] = {
        { WEFT_OP_chlo_top_k, WEFT_A_is_stable },
        { WEFT_OP_collective_broadcast, WEFT_A_has_dynamic_root },
        { WEFT_OP_custom_call, WEFT_A_result_tilings },
        { WEFT_OP_sdy_all_reduce, WEFT_A_reduction_op },
        { WEFT_OP_sdy_reduce_scatter, WEFT_A_reduction_op },
    };
    for (size_t i = 0; i < WEFT_COUNT(newer); i++)
        if (kind == newer[i].kind && x->name->id == newer[i].name) return true;
    return false;
}
