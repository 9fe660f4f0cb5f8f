/* bytecode_codes.h: the numbers by which bytecode tells kinds of attributes and types apart, for reader and writer.
 *
 * Authority: MLIR, BuiltinDialectBytecode.td; StableHLO, dialect/VhloBytecode.cpp, StablehloBytecode.cpp and
 * ChloBytecode.cpp; Shardy, dialect/sdy/ir/bytecode.td.
 */
#ifndef WEFT_MLIR_BYTECODE_CODES_H
#define WEFT_MLIR_BYTECODE_CODES_H

#include "mlir/write.h"

/* The sections of a file. */
typedef enum bc_section_id {
    BC_STRINGS, BC_DIALECTS, BC_ENTRIES, BC_ENTRY_SIZES, BC_IR, BC_RESOURCES, BC_RESOURCE_SIZES, BC_DIALECT_VERSION,
    BC_PROPERTIES, BC_SECTIONS
} bc_section_id;

#define BC_MAGIC "ML\xefR"
#define BC_NEWEST 6       /* the newest version of the format */

/* What changed with each version of the format. */
enum {
    BC_VERSIONED_DIALECTS = 1, BC_LAZY_REGIONS = 2, BC_USE_LISTS = 3, BC_OP_COUNT = 4, BC_ELIDED_LOCATIONS = 4,
    BC_REGISTERED_OPS = 5
};

/* The parts that an op has. */
enum {
    BC_HAS_ATTRS = 1 << 0, BC_HAS_RESULTS = 1 << 1, BC_HAS_OPERANDS = 1 << 2, BC_HAS_SUCCESSORS = 1 << 3,
    BC_HAS_REGIONS = 1 << 4, BC_HAS_USE_LISTS = 1 << 5, BC_HAS_PROPERTIES = 1 << 6
};

typedef enum builtin_attr {
    BUILTIN_ARRAY, BUILTIN_DICT, BUILTIN_STRING, BUILTIN_TYPED_STRING, BUILTIN_FLAT_SYMBOL, BUILTIN_SYMBOL,
    BUILTIN_TYPE, BUILTIN_UNIT, BUILTIN_INT, BUILTIN_FLOAT, BUILTIN_CALL_SITE, BUILTIN_FILE_LINE, BUILTIN_FUSED,
    BUILTIN_FUSED_METADATA, BUILTIN_NAMED, BUILTIN_UNKNOWN, BUILTIN_DENSE_RESOURCE, BUILTIN_DENSE_ARRAY, BUILTIN_DENSE,
    BUILTIN_DENSE_STRINGS, BUILTIN_SPARSE, BUILTIN_DISTINCT, BUILTIN_FILE_RANGE
} builtin_attr;

typedef enum builtin_type {
    BUILTIN_T_INTEGER, BUILTIN_T_INDEX, BUILTIN_T_FUNCTION, BUILTIN_T_BF16, BUILTIN_T_F16, BUILTIN_T_F32,
    BUILTIN_T_F64, BUILTIN_T_F80, BUILTIN_T_F128, BUILTIN_T_COMPLEX, BUILTIN_T_MEMREF, BUILTIN_T_MEMREF_SPACE,
    BUILTIN_T_NONE, BUILTIN_T_TENSOR, BUILTIN_T_TENSOR_ENCODED, BUILTIN_T_TUPLE, BUILTIN_T_UNRANKED_MEMREF,
    BUILTIN_T_UNRANKED_MEMREF_SPACE, BUILTIN_T_UNRANKED_TENSOR, BUILTIN_T_VECTOR, BUILTIN_T_SCALABLE_VECTOR,
    BUILTIN_T_TF32, BUILTIN_T_F8E5M2, BUILTIN_T_F8E4M3, BUILTIN_T_F8E4M3FN, BUILTIN_T_F8E5M2FNUZ,
    BUILTIN_T_F8E4M3FNUZ, BUILTIN_T_F8E4M3B11FNUZ, BUILTIN_T_F8E3M4, BUILTIN_T_F4E2M1FN, BUILTIN_T_F6E2M3FN,
    BUILTIN_T_F6E3M2FN, BUILTIN_T_F8E8M0FNU, BUILTIN_TYPES
} builtin_type;

typedef enum sdy_attr {
    SDY_MANUAL_AXES, SDY_MESH_AXIS, SDY_MESH, SDY_SUB_AXIS, SDY_AXIS_REF, SDY_DIM_SHARDING, SDY_SHARDING,
    SDY_SHARDINGS, SDY_DIM_MAPPING, SDY_TENSOR_MAPPING, SDY_RULE, SDY_AXES, SDY_AXES_PER_DIM, SDY_A2A_PARAM,
    SDY_A2A_PARAMS, SDY_SHARDING_V2, SDY_SHARDINGS_V2, SDY_SHARDING_V3
} sdy_attr;

typedef enum stablehlo_attr {
    STABLEHLO_CHANNEL = 1, STABLEHLO_COMPARISON_DIRECTION, STABLEHLO_COMPARISON_TYPE, STABLEHLO_CONV, STABLEHLO_DOT,
    STABLEHLO_FFT_TYPE, STABLEHLO_GATHER, STABLEHLO_PRECISION, STABLEHLO_RNG_ALGORITHM, STABLEHLO_RNG_DISTRIBUTION,
    STABLEHLO_SCATTER, STABLEHLO_TRANSPOSE, STABLEHLO_TYPE_EXTENSIONS, STABLEHLO_ALIAS, STABLEHLO_ALGORITHM,
    STABLEHLO_ACCURACY_MODE, STABLEHLO_ACCURACY, STABLEHLO_MESH_AXES, STABLEHLO_SUB_AXIS, STABLEHLO_AXIS_REF,
    STABLEHLO_MESH_AXIS, STABLEHLO_MESH
} stablehlo_attr;

typedef enum stablehlo_type { STABLEHLO_T_TOKEN, STABLEHLO_T_FUTURE } stablehlo_type;

typedef enum chlo_attr { CHLO_COMPARISON_DIRECTION, CHLO_COMPARISON_TYPE } chlo_attr;

/* of MLIR's dialect of quantised types */
typedef enum quant_type { QUANT_T_UNIFORM = 4, QUANT_T_UNIFORM_PER_AXIS = 5 } quant_type;

typedef enum vhlo_attr {
    VHLO_ARRAY = 1, VHLO_BOOLEAN, VHLO_COMPARISON_DIRECTION, VHLO_COMPARISON_TYPE, VHLO_API_VERSION, VHLO_DICT,
    VHLO_FFT_TYPE, VHLO_FLOAT, VHLO_INTEGER, VHLO_ALIAS, VHLO_PRECISION, VHLO_RNG_ALGORITHM, VHLO_RNG_DISTRIBUTION,
    VHLO_STRING, VHLO_TENSOR, VHLO_TRANSPOSE, VHLO_TYPE, VHLO_TYPE_EXTENSIONS, VHLO_ACCURACY_MODE, VHLO_ACCURACY,
    VHLO_SUB_AXIS, VHLO_AXIS_REF, VHLO_MESH_AXES, VHLO_MESH_AXIS, VHLO_MESH
} vhlo_attr;

/* Those that are an element type and nothing else are in bc_scalars. */
typedef enum vhlo_type {
    VHLO_T_COMPLEX = 1, VHLO_T_FUNCTION = 8, VHLO_T_INDEX = 9, VHLO_T_RANKED = 20, VHLO_T_RANKED_ENCODED = 21,
    VHLO_T_TOKEN = 22, VHLO_T_TUPLE = 23, VHLO_T_QUANT = 24, VHLO_T_UNRANKED = 25, VHLO_T_WITNESS = 26,
    VHLO_T_QUANT_PER_AXIS = 30, VHLO_T_NONE = 33, VHLO_T_TF32 = 34, VHLO_T_BUFFER = 41, VHLO_T_FUTURE = 42
} vhlo_type;

/* A version of VHLO, as one number that compares as the version does. */
#define BC_VHLO(major, minor) ((major) * 1000 + (minor))
#define BC_VHLO_OLDEST BC_VHLO(0, 9)
#define BC_VHLO_NEWEST BC_VHLO(WEFT_VHLO_NEWEST_MAJOR, WEFT_VHLO_NEWEST_MINOR)

/* The element types, with their codes; -1: none. An integer of builtin's is its width and sign instead. */
typedef struct bc_scalar {
    weft_dtype dtype;
    int8_t builtin, vhlo;
    uint16_t since;          /* of VHLO */
} bc_scalar;
enum { BC_SCALARS = 28 };
extern const bc_scalar bc_scalars[BC_SCALARS];
const bc_scalar *bc_scalar_of(weft_dtype dtype);     /* NULL: a complex type */
/* Bytecode has the integers of a quantised type as a signless type and, apart from it, whether they are signed. Of the
 * two that a type's width has, the signed one or not; WEFT_DTYPE_NONE: of no such type. */
weft_dtype bc_quant_storage(weft_dtype dtype, bool is_signed);

/* The sets of keywords that are attributes in bytecode. */
typedef struct bc_keyword_set {
    weft_enum_set set;
    int8_t stablehlo, chlo, vhlo; /* its codes; -1: not there */
    uint8_t first;                /* the number of its first keyword */
} bc_keyword_set;
enum { BC_KEYWORD_SETS = 11 };
extern const bc_keyword_set bc_keyword_sets[BC_KEYWORD_SETS];

/* Attributes that are a fixed list of fields. StableHLO encodes the fields in this order. VHLO has an attribute for
 * each instead, and an op has them all. */
typedef enum bc_field_kind {
    BC_LIST,
    BC_LIST_SINCE,           /* older versions of VHLO's ops do not have it */
    BC_NUMBER, BC_FLAG, BC_FIELD_TYPE
} bc_field_kind;
typedef struct bc_field {
    const char *name;        /* VHLO's */
    bc_field_kind kind;
    size_t at;               /* in weft_attr */
} bc_field;
typedef struct bc_record {
    weft_attr_kind kind;
    stablehlo_attr code;
    const bc_field *fields;
    size_t count;
} bc_record;
enum { BC_RECORDS = 7 };
extern const bc_record bc_records[BC_RECORDS];
const bc_record *bc_record_of(weft_attr_kind kind);  /* NULL: no such attribute */

/* The value that an optional attribute of an op of StableHLO's has where it is absent. VHLO writes it out. */
typedef enum bc_default {
    BC_NO_DEFAULT,
    BC_FALSE, BC_EMPTY_STRING, BC_EMPTY_ARRAY, BC_EMPTY_DICT,
    BC_KEPT_STRING,          /* an empty one, which StableHLO's own deserialiser does not leave out */
    BC_EMPTY_LIST,           /* tensor<0xi64> */
    BC_ONES,                 /* one for each dimension of the window */
    BC_FALSES, BC_ZERO_PAIRS,/* likewise */
    BC_ZERO, BC_LAST_DIM,    /* 0 and -1 */
    BC_NO_TYPE, BC_ORIGINAL_API, BC_DEFAULT_PRECISION, BC_NO_ACCURACY
} bc_default;
bc_default bc_default_of(uint32_t name);             /* of a well-known name */
bool bc_is_default(bc_default d, const weft_attr *a); /* a as VHLO has it */

/* The versions of VHLO's ops (vhlo.def). */
typedef struct bc_vhlo_op {
    const char *name;        /* without its dialect */
    uint16_t since;          /* a version of VHLO */
    uint16_t kind;           /* weft_op_kind */
    const char *properties;  /* names, separated by blanks */
} bc_vhlo_op;
const bc_vhlo_op *bc_vhlo_op_named(weft_str name);   /* NULL: there is none */
/* The version of an op of that kind at a version of VHLO, or the newest one that is older; NULL: there is none. */
const bc_vhlo_op *bc_vhlo_op_at(weft_op_kind kind, unsigned version);
/* Whether a name is one of the words of properties. */
bool bc_vhlo_op_has(const bc_vhlo_op *op, weft_str name);

/* The attributes that an op has as properties, in the arena; NULL: memory is out. */
typedef struct bc_property { weft_name name; bool is_optional; } bc_property;
/* Of ops of dialects other than VHLO: in alphabetical order, that of bytecode. */
bc_property *bc_own_properties(weft_context *cx, weft_arena *arena, weft_op_kind kind, uint32_t *count);
bc_property *bc_vhlo_properties(weft_context *cx, weft_arena *arena, const bc_vhlo_op *op, uint32_t *count);
static inline bool bc_is_segment(const bc_property *x) {
    return x->name->id == WEFT_A_operandSegmentSizes || x->name->id == WEFT_A_resultSegmentSizes;
}
/* A property that the op has since a version that writers of 2026 may not have. */
bool bc_property_is_newer(weft_op_kind kind, const bc_property *x);

#endif
