/* bytecode_write.h: the state of one writing of MLIR bytecode, for the files of this room only.
 *
 * The ops are written first. Whatever they name (strings, attributes, types, names of ops, properties) is encoded when
 * it is first named and gets the next number of its pool; a pool knows equal entries by their bytes, for what an entry
 * names in turn has numbers already. The sections of the pools follow when all is known.
 *
 * With a version of VHLO, ops of StableHLO and func are written as those of VHLO, and their values have VHLO's types.
 * Ops of other dialects keep their own types: where one side reads a value of the other, a cast follows the value's
 * definition.
 *
 * The first failure is kept in status; what is written after it is of no use, and bw_ functions may be called on.
 */
#ifndef WEFT_MLIR_BYTECODE_WRITE_H
#define WEFT_MLIR_BYTECODE_WRITE_H

#include "base/table.h"
#include "mlir/bytecode_codes.h"

typedef enum bw_encoding { BW_TEXT, BW_ENCODED } bw_encoding; /* MLIR's text, or a dialect's own encoding */

typedef struct bw_entry {
    const char *p;
    size_t n;
    uint32_t number, dialect;
    bw_encoding encoding;    /* of an op's name: ENCODED if MLIR knows the op */
} bw_entry;

typedef struct bw_pool {
    const bw_entry **v;      /* by number */
    size_t n, cap;
    weft_table known;
} bw_pool;

/* The two families of types and attributes. */
typedef enum bw_side { BW_OWN, BW_VHLO } bw_side;

typedef struct bw_named { weft_name name; uint32_t attr; } bw_named;
typedef struct bw_attrs { bw_named *v; size_t n, cap; } bw_attrs;

typedef struct bc_writer {
    weft_context *cx;
    weft_status status;
    weft_arena arena;
    const weft_op *op;       /* for messages */
    unsigned format;         /* version of the format */
    unsigned vhlo;           /* BC_VHLO of the target, or 0 */
    bw_pool strings, dialects, op_names, attrs, types, properties;
    uint32_t *known_types[2];/* by side and id of the type: number + 1 */
    size_t known_cap[2];
    const bc_vhlo_op *newest[WEFT_OP_COUNT], *chosen[WEFT_OP_COUNT]; /* of VHLO: at all, and for the target */
    struct { const bc_property *v; uint32_t n; } lists[WEFT_OP_COUNT]; /* see bw_properties */
    uint32_t *numbers;       /* of values, by id */
    uint32_t *casts;         /* of their casts, likewise: number + 1, 0: it needs none */
    uint32_t top;            /* numbers in use in the innermost isolated op */
    bw_attrs inherent, others; /* of the op that is being written, until its regions are */
} bc_writer;

/* bytecode_write.c */
void bw_int(weft_buf *b, uint64_t v);
void bw_signed(weft_buf *b, int64_t v);
void bw_flagged(weft_buf *b, uint64_t v, bool flag);
void bw_bits(weft_buf *b, uint32_t width, uint64_t bits);    /* an APInt of that width */
void bw_real(weft_buf *b, double v);
void bw_ints(weft_buf *b, weft_ints v);
void bw_section(weft_buf *b, bc_section_id id, const weft_buf *bytes);
void bw_oom(bc_writer *w);
void bw_refuse(bc_writer *w, const char *fmt, ...) WEFT_PRINTF(2, 3);  /* at the op; not after another failure */
/* Refuses what came with a version of VHLO after the target; the format says what that is. */
void bw_refuse_newer(bc_writer *w, unsigned since, const char *fmt, ...) WEFT_PRINTF(3, 4);
uint32_t bw_string(bc_writer *w, weft_str s);
uint32_t bw_dialect(bc_writer *w, weft_str name);
/* An encoded attribute: from its code to its dialect. */
void bw_begin(bc_writer *w, weft_buf *b, uint64_t code);
uint32_t bw_end(bc_writer *w, const char *dialect, weft_buf *b);
/* The entry of b, which is freed, in a pool. */
uint32_t bw_add(bc_writer *w, bw_pool *pool, const char *dialect, bw_encoding encoding, weft_buf *b);
/* The properties of an op's kind, of VHLO if it is written as one of VHLO; NULL: memory is out. */
const bc_property *bw_properties(bc_writer *w, weft_op_kind kind, uint32_t *count);
typedef enum bw_registration { BW_UNREGISTERED, BW_REGISTERED } bw_registration; /* MLIR knows an op, or not */
uint32_t bw_op_name(bc_writer *w, weft_str dialect, weft_str name, bw_registration registration);

/* bytecode_write_type.c, bytecode_write_attr.c, bytecode_write_vhlo.c: numbers of types and attributes */
uint32_t bw_type(bc_writer *w, bw_side side, const weft_type *t);
uint32_t bw_attr(bc_writer *w, const weft_attr *a);
uint32_t bw_attr_named(bc_writer *w, weft_name name, const weft_attr *a); /* as the value of that name */
uint32_t bw_attr_as_text(bc_writer *w, const char *dialect, const weft_attr *a);
uint32_t bw_string_attr(bc_writer *w, weft_str s);
uint32_t bw_loc(bc_writer *w, const weft_loc *loc);
uint32_t bw_sdy_attr(bc_writer *w, const weft_attr *a);
uint32_t bw_manual_axes(bc_writer *w, const weft_attr *a);
uint32_t bw_vhlo_attr(bc_writer *w, const weft_attr *a);
void bw_elements(weft_buf *b, const weft_attr *dense);       /* the length of their bytes, and these */
void bw_record(bc_writer *w, weft_buf *b, const bc_record *record, const weft_attr *a); /* the fields */
void bw_number(weft_buf *b, const weft_attr *a);             /* the bits of an INT or FLOAT */
uint64_t bw_keyword_number(const bc_keyword_set *of, weft_enum_value e);
const bc_keyword_set *bw_keyword_set(weft_enum_value e);     /* NULL: bytecode has no such attributes */

/* A list as a tensor of one dimension, with the caller's numbers; its type is NULL when memory is out. */
weft_attr bw_i64s(bc_writer *w, const weft_ints *v);

void bw_push(bc_writer *w, bw_attrs *attrs, weft_name name, uint32_t attr);
/* Pushes what an op of VHLO has as properties, and what else it has on others. */
void bw_vhlo_op(bc_writer *w, const weft_op *op, bw_attrs *properties);

/* bytecode_write_op.c */
void bw_ir(bc_writer *w, const weft_module *m, weft_buf *b);

#endif
