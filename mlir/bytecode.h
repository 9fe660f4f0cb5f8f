/* bytecode.h: the state of one reading of MLIR bytecode, for the files of this room only.
 *
 * A file has sections: strings, dialects with the names of ops, attributes and types (entries, decoded when they are
 * first used), properties of ops, resources, and the ops. Numbers are varints. Everything names entries and strings by
 * their index.
 *
 * Dialect VHLO has versioned copies of StableHLO's ops with every attribute written out; it is what a StableHLO
 * portable artifact, jax.export and a PJRT plugin's caller hold. Its attributes and types are decoded as those of
 * StableHLO, and bytecode_convert.c gives its ops the attributes that StableHLO's have.
 *
 * The embedded weft_reader has the stacks and makes the ops; its text is empty. Every bc_ function that returns bool
 * or a pointer reports its failure once, with the byte offset, and sets r.status.
 *
 * Authority: MLIR, docs/BytecodeFormat.md; StableHLO, docs/vhlo.md; and those of bytecode_codes.h.
 */
#ifndef WEFT_MLIR_BYTECODE_H
#define WEFT_MLIR_BYTECODE_H

#include "mlir/bytecode_codes.h"
#include "mlir/reader.h"

/* Nodes (attributes, types, locations, entries of lists) that indices may spell out: a fixed number and some for each
 * byte. A chain of entries, each naming the last one twice, is a small file. */
#define BC_FREE_NODES (UINT64_C(1) << 22)
#define BC_NODES_PER_BYTE 256

/* A part of the file; p moves to its end. */
typedef struct bc_in { const uint8_t *p, *end; } bc_in;

typedef enum bc_dialect { BC_OTHER, BC_BUILTIN, BC_VHLO, BC_SDY, BC_STABLEHLO, BC_CHLO, BC_QUANT } bc_dialect;

typedef enum bc_state { BC_UNREAD, BC_BEING_READ, BC_ATTR, BC_TYPE, BC_LOC } bc_state;

/* An attribute, type or location, decoded at its first use. */
typedef struct bc_entry {
    bc_in bytes;
    uint8_t dialect;         /* bc_dialect */
    uint8_t state;
    bool is_text;            /* MLIR's text instead of the dialect's own encoding */
    uint16_t depth;          /* of what it names */
    uint64_t nodes;          /* with all that it names spelt out */
    union {
        const weft_attr *attr;
        const weft_type *type;
        const weft_loc *loc;
    } as;
} bc_entry;

typedef struct bc_dialect_name { weft_str name; bc_dialect kind; } bc_dialect_name;

/* A blob; p is NULL when the file only declares it. */
typedef struct bc_resource { weft_str name; bc_in bytes; } bc_resource;

/* The name of an op, which ops of the file name by number. */
typedef struct bc_op_name {
    weft_str dialect, name;
    bool is_registered, is_known; /* is_known: kind and properties are set */
    bc_dialect in;
    uint16_t kind;                /* weft_op_kind */
    weft_name full;               /* with its dialect; of an op of VHLO, that of StableHLO's op */
    bc_property *properties;      /* the attributes that it has as properties */
    uint32_t property_count;
} bc_op_name;

typedef struct bc_reader {
    weft_reader r;
    const char *file;
    const uint8_t *begin;
    size_t size;
    uint64_t version;
    weft_str producer;

    weft_str *strings;        uint32_t string_count;
    bc_dialect_name *dialects; uint32_t dialect_count;
    RD_STACK(bc_op_name) op_names;
    bc_entry *attrs;          uint32_t attr_count;
    bc_entry *types;          uint32_t type_count;
    bc_in *properties;        uint32_t property_count;
    RD_STACK(bc_resource) resources;
    RD_STACK(weft_value *) values; /* of the open isolated regions; NULL: not defined yet */
    uint32_t values_base;          /* where those of the innermost one begin */
    uint64_t copied;               /* bytes of resources, which several attributes may name */
} bc_reader;

/* bytecode.c: the file, numbers, bytes and names */
/* Like weft_read_text, of what bc_find found. */
weft_status bc_read(weft_context *cx, weft_str bytes, const char *file, unsigned flags, weft_module **out);
bool bc_fail(bc_reader *f, const uint8_t *at, const char *fmt, ...) WEFT_PRINTF(3, 4); /* always false */
bool bc_fail_as(bc_reader *f, weft_diag_class cls, const uint8_t *at, const char *fmt, ...) WEFT_PRINTF(4, 5);
bool bc_oom(bc_reader *f);                                                             /* always false */
bool bc_byte(bc_reader *f, bc_in *in, uint8_t *out);
bool bc_int(bc_reader *f, bc_in *in, uint64_t *out);
bool bc_signed(bc_reader *f, bc_in *in, int64_t *out);
bool bc_flagged(bc_reader *f, bc_in *in, uint64_t *out, bool *flag); /* number << 1 | flag */
bool bc_part(bc_reader *f, bc_in *in, uint64_t n, bc_in *out);       /* the next n bytes */
bool bc_blob(bc_reader *f, bc_in *in, bc_in *out);                   /* a length and so many bytes */
/* A number of things that take a byte each at least in what is left; so it bounds what is allocated for them. */
bool bc_count(bc_reader *f, bc_in *in, uint32_t *out);
bool bc_section(bc_reader *f, bc_in *in, uint8_t *id, bc_in *out);
/* To a multiple of the alignment, a power of two, from the beginning of the file. at: for the message */
bool bc_skip_padding(bc_reader *f, bc_in *in, const uint8_t *at, uint64_t alignment);
bool bc_string(bc_reader *f, bc_in *in, weft_str *out);
bool bc_string_at(bc_reader *f, const uint8_t *at, uint64_t index, weft_str *out);
weft_name bc_name(bc_reader *f, bc_in *in);

/* jax_export.c: the bytecode that the file is, or that a file of jax.export has; n is 0 for any other file. */
weft_str bc_find(weft_str file);

/* bytecode_entry.c: attributes, types and locations by index */
const weft_attr *bc_attr(bc_reader *f, bc_in *in);
const weft_attr *bc_attr_at(bc_reader *f, const uint8_t *at, uint64_t index);
bool bc_attr_optional(bc_reader *f, bc_in *in, const weft_attr **out); /* NULL: absent */
const weft_type *bc_type(bc_reader *f, bc_in *in);
const weft_type *bc_type_at(bc_reader *f, const uint8_t *at, uint64_t index);
const weft_loc *bc_loc(bc_reader *f, bc_in *in);
/* An attribute that Weft has no kind for, of this dialect and code: *out is what follows the code. */
bool bc_open(bc_reader *f, bc_in *in, bc_dialect dialect, uint64_t code, const char *what, bc_in *out);
bool bc_open_at(bc_reader *f, const uint8_t *at, uint64_t index, bc_dialect dialect, uint64_t code, const char *what,
                bc_in *out);
bool bc_spend(bc_reader *f, const uint8_t *at, uint64_t nodes);
const weft_attr *bc_made(bc_reader *f, const weft_attr *a);
const weft_type *bc_made_type(bc_reader *f, const weft_type *t);

/* Lists: a count, then so many of them. Those on a stack are above the height that the caller remembered. */
bool bc_attr_list(bc_reader *f, bc_in *in);                          /* pushed on r.items */
bool bc_type_list(bc_reader *f, bc_in *in);                          /* pushed on r.types */
bool bc_signed_list(bc_reader *f, bc_in *in);                        /* pushed on r.ints */
bool bc_ints(bc_reader *f, bc_in *in, weft_ints *out);               /* likewise, as an array of the reader's arena */

/* Attributes of several dialects: after the code. */
const weft_attr *bc_array(bc_reader *f, bc_in *in);
const weft_attr *bc_dict(bc_reader *f, bc_in *in);                   /* pairs of a string and any attribute */
const weft_attr *bc_type_attr(bc_reader *f, bc_in *in);
const weft_attr *bc_string_attr(bc_reader *f, bc_in *in);
const weft_attr *bc_dense_attr(bc_reader *f, bc_in *in);             /* type, blob */
const weft_attr *bc_number_attr(bc_reader *f, bc_in *in, bool integer); /* type, value */
weft_name bc_attr_name(bc_reader *f, bc_in *in);                     /* of an attribute that is a string */
bool bc_attrs_differ(bc_reader *f, const uint8_t *at, size_t height); /* among those on r.attrs above height */
const weft_type *bc_function(bc_reader *f, bc_in *in);
const weft_type *bc_tuple(bc_reader *f, bc_in *in);
const weft_type *bc_complex(bc_reader *f, bc_in *in);
const weft_type *bc_unranked(bc_reader *f, bc_in *in);

/* Values of a known type. */
bool bc_bits(bc_reader *f, bc_in *in, uint32_t width, uint64_t *out); /* an APInt of up to 64 bits */
const weft_attr *bc_int_attr(bc_reader *f, bc_in *in, const weft_type *type);
const weft_attr *bc_float_attr(bc_reader *f, bc_in *in, const weft_type *type);
const weft_attr *bc_dense(bc_reader *f, const uint8_t *at, const weft_type *type, bc_in blob);
const weft_type *bc_tensor(bc_reader *f, bc_in *in, const weft_attr *encoding); /* sizes, element type */
const weft_type *bc_text_type(bc_reader *f, const char *fmt, ...) WEFT_PRINTF(2, 3); /* kept as text */
const weft_type *bc_shaped_text(bc_reader *f, bc_in *in, const char *word); /* word<2x3xf32>, of sizes and a type */
const weft_attr *bc_text_attr(bc_reader *f, const weft_buf *text, const weft_type *type); /* NULL: without a type */

/* bytecode_resource.c */
bool bc_resource_sections(bc_reader *f, bc_in sizes, bc_in bytes);
const weft_attr *bc_resource_attr(bc_reader *f, bc_in *in);          /* type, number */

/* One file per dialect: from the code on. */
bool bc_builtin_attr(bc_reader *f, bc_in *in, bc_entry *e);           /* an attribute or a location */
const weft_type *bc_builtin_type(bc_reader *f, bc_in *in);
const weft_attr *bc_vhlo_attr(bc_reader *f, bc_in *in);
const weft_type *bc_vhlo_type(bc_reader *f, bc_in *in);
const weft_attr *bc_sdy_attr(bc_reader *f, bc_in *in);
const weft_attr *bc_stablehlo_attr(bc_reader *f, bc_in *in);
const weft_type *bc_stablehlo_type(bc_reader *f, bc_in *in);
const weft_type *bc_quant_type(bc_reader *f, bc_in *in);
const weft_attr *bc_chlo_attr(bc_reader *f, bc_in *in);

/* bytecode_stablehlo.c: what StableHLO and VHLO, and some of it sdy, encode alike, after the code */
const weft_attr *bc_keyword(bc_reader *f, bc_in *in, const bc_keyword_set *of);
bool bc_sub_axis(bc_reader *f, const uint8_t *at, bc_in body, weft_axis_ref *out); /* sizes before it and of it */
const weft_attr *bc_read_record(bc_reader *f, bc_in *in, const bc_record *record);
const weft_attr *bc_bounds(bc_reader *f, bc_in *in);
const weft_attr *bc_accuracy(bc_reader *f, bc_in *in);
bool bc_device_ids(bc_reader *f, const uint8_t *at, const weft_attr *a, weft_ints *out); /* of a tensor */
const weft_type *bc_future(bc_reader *f, bc_in *in);
bool bc_real(bc_reader *f, bc_in *in, double *out);

/* bytecode_names.c: the ops and their properties */
bool bc_op_name_known(bc_reader *f, const uint8_t *at, bc_op_name *n); /* fills in what is_known promises */
bool bc_is_cast(const bc_op_name *n); /* builtin.unrealized_conversion_cast */

/* bytecode_op.c */
bool bc_ir_section(bc_reader *f, bc_in in);
/* bytecode_convert.c: the attributes above the op's height, VHLO's until now, become StableHLO's. */
bool bc_convert(bc_reader *f, const uint8_t *at, const bc_op_name *n, const rd_op *o);

#endif
