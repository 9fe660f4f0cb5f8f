/* reader.h: the state of one reading, for the files of this room only.
 *
 * The reader has no token list. A cursor points at the first character of the next token; a function that takes a token
 * also skips the blanks and comments after it. The text ends with a NUL, so the cursor can always be dereferenced.
 * Every rd_ function that returns bool or a pointer reports its failure at the exact character, once, and sets
 * r->status; callers only return the failure.
 *
 * Lists under construction (operands, types, attributes, integers) grow on stacks in the reader: a function remembers
 * the height, pushes, passes on the part above the height, and restores the height.
 */
#ifndef WEFT_MLIR_READER_H
#define WEFT_MLIR_READER_H

#include "ir/builder.h"
#include "mlir/read.h"

/* The deepest nesting in a file: of regions, of attributes, of types. */
#define RD_MAX_DEPTH 256

/* From so many attributes on, order and duplicates are found by sorting. */
#define RD_MANY_ATTRS 32

/* A map from slices of the text (or of names) to numbers, in insertion order. */
typedef struct rd_key { const char *p; uint32_t n, hash; } rd_key;
typedef struct rd_map {
    rd_key *keys;        /* by number */
    uint32_t *slots;     /* number + 1, 0 for empty */
    size_t count, cap, key_cap;
} rd_map;

/* The values of a name such as %8: count values from first on. zone: the isolated op to which it belongs. */
typedef struct rd_binding {
    weft_value *first;
    uint32_t count, zone;
} rd_binding;

typedef struct rd_undo { uint32_t slot; rd_binding old; } rd_undo;

typedef struct rd_scope { uint32_t undo, zone; } rd_scope;

/* A name left of = : %a, or %a:2. */
typedef struct rd_value_name {
    const char *at;
    uint32_t n;          /* of the name, without % */
    uint32_t slot;
    uint32_t count;      /* number of results */
    uint32_t line, column;
} rd_value_name;

/* #name and !name. A location may be used before its definition: loc is then filled in place later. */
typedef struct rd_alias {
    const weft_attr *attr;
    const weft_type *type;
    weft_loc *loc;
    const char *first_use;
    bool loc_defined;
    uint32_t depth;      /* nesting depth of its value */
    uint64_t nodes;      /* attributes, types and locations in its value, with aliases expanded */
    uint64_t early_uses; /* before its definition */
} rd_alias;

/* Nodes that a text may spell out by aliases: a fixed number and some for each byte. A chain of aliases, each doubling
 * the last, is a small text; and a traceback of a hundred calls is fine for every op. */
#define RD_FREE_NODES (UINT64_C(1) << 22)
#define RD_NODES_PER_BYTE 16

#define RD_STACK(T) struct { T *v; size_t n, cap; }

typedef struct weft_reader {
    weft_context *cx;
    weft_module *m;          /* NULL when a single attribute or type is read */
    weft_builder b;
    weft_status status;
    unsigned flags;
    const char *p;           /* the next token */
    const char *text, *end;  /* *end is NUL */
    const char *line_start;
    uint32_t line;
    unsigned depth, deepest;  /* deepest: since the alias that is being defined began */
    uint64_t nodes;          /* attributes, types and locations read so far, counted as in rd_alias */
    weft_name file;
    const char *dialect;     /* the prefix of a bare op name here: "builtin", "func" or "" */
    weft_arena arena;        /* everything that lives as long as the reading */
    bool in_alias;           /* inside #name = loc(...): later names may not be used */

    /* names of values */
    RD_STACK(rd_binding) numbered;   /* %0, %1, ... */
    RD_STACK(rd_binding) named;      /* by number of names */
    RD_STACK(weft_name) hints;       /* by number of names */
    rd_map names;
    RD_STACK(rd_undo) undo;
    uint32_t zone, zones;

    rd_map alias_names;
    RD_STACK(rd_alias) aliases;
    rd_map type_texts;
    RD_STACK(const weft_type *) type_cache;
    rd_map op_texts;
    RD_STACK(weft_name) op_names;
    rd_map attr_texts;
    RD_STACK(weft_name) attr_names;
    rd_map resource_names;
    RD_STACK(weft_str) resources;    /* by number of resource_names: hexadecimal digits */
    bool resources_known;

    RD_STACK(weft_value *) operands;
    RD_STACK(const char *) operand_at;   /* same height as operands */
    RD_STACK(rd_value_name) results;
    RD_STACK(const weft_type *) types;
    RD_STACK(weft_named_attr) attrs;
    RD_STACK(const weft_attr *) items;
    RD_STACK(int64_t) ints;
    RD_STACK(weft_region *) regions;
} weft_reader;

/* read.c: text[n] is NUL; false when memory is out */
bool rd_begin(weft_reader *r, weft_context *cx, const char *text, size_t n, const char *file, unsigned flags);
void rd_end(weft_reader *r);

/* text.c: the cursor */
bool rd_fail(weft_reader *r, const char *at, const char *fmt, ...) WEFT_PRINTF(3, 4); /* always false */
bool rd_fail_as(weft_reader *r, weft_diag_class cls, const char *at, const char *fmt, ...) WEFT_PRINTF(4, 5);
/* One more diagnostic after a failure, in MLIR's words: the enclosing construct. Always false. */
bool rd_within(weft_reader *r, const char *fmt, ...) WEFT_PRINTF(2, 3);
bool rd_oom(weft_reader *r);                          /* always false */
void rd_skip_blanks(weft_reader *r);
const weft_loc *rd_place(weft_reader *r, const char *at);
bool rd_unexpected(weft_reader *r, const char *wanted); /* "expected WANTED, found ..."; always false */
bool rd_expect(weft_reader *r, char c);
bool rd_expect_arrow(weft_reader *r);
bool rd_word(weft_reader *r, const char *word);       /* takes the identifier if it is this one */
bool rd_expect_word(weft_reader *r, const char *word);
bool rd_ident(weft_reader *r, weft_str *out);         /* letters, digits, _ $ . */
bool rd_keyword_or_string(weft_reader *r, weft_str *out);
bool rd_string(weft_reader *r, weft_str *out);        /* unescaped; lives in the text or the reader's arena */
bool rd_symbol_name(weft_reader *r, weft_str *out);   /* @name or @"name" */
bool rd_int(weft_reader *r, int64_t *out);
bool rd_enter(weft_reader *r);                        /* one level deeper; pair with rd_leave */
void rd_leave(weft_reader *r);
weft_name rd_intern(weft_reader *r, weft_str s);
/* attr_names.c: warns of a name that is nearly one that Weft or XLA knows. */
weft_status rd_note_attr_name(weft_reader *r, weft_str name, const char *at);
weft_name rd_attr_name(weft_reader *r, weft_str s);
bool rd_push(weft_reader *r, void **v, size_t *n, size_t *cap, size_t size);
bool rd_map_get(weft_reader *r, rd_map *map, const char *p, size_t n, uint32_t *number, bool *fresh);

#define RD_PUSH(r, stack, ...) \
    (rd_push((r), (void **)&(r)->stack.v, &(r)->stack.n, &(r)->stack.cap, sizeof *(r)->stack.v) \
     && ((r)->stack.v[(r)->stack.n - 1] = (__VA_ARGS__), true))

/* A position to return to, with its line. */
typedef struct rd_cursor { const char *p, *line_start; uint32_t line; } rd_cursor;
static inline rd_cursor rd_tell(const weft_reader *r) { return (rd_cursor){ r->p, r->line_start, r->line }; }
static inline void rd_seek(weft_reader *r, rd_cursor c) {
    r->p = c.p;
    r->line_start = c.line_start;
    r->line = c.line;
}

static inline void rd_skip(weft_reader *r) {
    if ((unsigned char)*r->p <= ' ' || *r->p == '/') rd_skip_blanks(r);
}
static inline bool rd_at(const weft_reader *r, char c) { return *r->p == c; }
static inline bool rd_accept(weft_reader *r, char c) {
    if (*r->p != c) return false;
    r->p++;
    rd_skip(r);
    return true;
}
static inline bool rd_at_arrow(const weft_reader *r) { return r->p[0] == '-' && r->p[1] == '>'; }
static inline bool rd_accept_arrow(weft_reader *r) {
    if (!rd_at_arrow(r)) return false;
    r->p += 2;
    rd_skip(r);
    return true;
}
static inline bool rd_is_ident(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '.';
}
static inline bool rd_is_ident_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline bool rd_is_digit(char c) { return c >= '0' && c <= '9'; }

/* names.c: the values of %x */
rd_scope rd_scope_open(weft_reader *r, bool isolated);
void rd_scope_close(weft_reader *r, rd_scope s);
bool rd_value_name_read(weft_reader *r, rd_value_name *out);
const weft_loc *rd_name_place(weft_reader *r, const rd_value_name *name, const weft_loc *given); /* given may be NULL */
bool rd_define(weft_reader *r, rd_value_name name, weft_value *first, uint32_t count);
bool rd_operand_read(weft_reader *r);                       /* %x or %x#1, pushed on operands */
bool rd_operand_list(weft_reader *r);                       /* none or more, separated by commas */

/* read_type.c */
const weft_type *rd_type(weft_reader *r);
bool rd_type_list(weft_reader *r);                          /* one or more, pushed on types */
bool rd_type_list_parens(weft_reader *r);                   /* (...) */
const weft_type *rd_function_type(weft_reader *r);          /* (a, b) -> c */

/* read_quant.c: after !quant.uniform. *out is NULL for a form that is kept as text; the cursor is then undefined. */
bool rd_quant(weft_reader *r, const weft_type **out);

/* read_attr.c */
const weft_attr *rd_attr(weft_reader *r);
const weft_attr *rd_attr_typed(weft_reader *r, const weft_type *type); /* type of a number that does not say its own */
const weft_attr *rd_dict(weft_reader *r);
const weft_attr *rd_array(weft_reader *r);
bool rd_attr_entries(weft_reader *r);                       /* { name = value, ... }: pushed on attrs */
bool rd_attrs_differ(weft_reader *r, size_t height);        /* among those above height */
const weft_attr *rd_symbol(weft_reader *r);
bool rd_opaque_text(weft_reader *r, const char *from, weft_str *out); /* from .. cursor, blanks made one */
const weft_attr *rd_opaque(weft_reader *r, const char *from);
/* An attribute as the printer spells it, kept as text: encodings of tensors that Weft does not model. *too_long: it is
 * NULL since the text has more than `most` bytes; nothing is reported. */
const weft_attr *rd_printed(weft_reader *r, const weft_attr *a, size_t most, bool *too_long);
/* a literal that says its type */
const weft_attr *rd_opaque_typed(weft_reader *r, const char *from, const weft_type *type);
bool rd_skip_balanced(weft_reader *r);                      /* from an opening bracket to after its closing one */
bool rd_int_list(weft_reader *r, char open, char close);    /* [1, 2]: pushed on ints */
const weft_attr *rd_ints_attr(weft_reader *r, weft_dtype dtype); /* [1, 2] as array<...> */
bool rd_enum(weft_reader *r, weft_enum_set set, weft_enum_value *out);

/* read_number.c: a literal, and its value in an element type */
typedef struct rd_number {
    const char *at;
    uint32_t n;
    bool negative, is_hex, is_float; /* is_float: has a point or an exponent */
} rd_number;
bool rd_number_read(weft_reader *r, rd_number *out);
double rd_number_double(const rd_number *n);
bool rd_number_store(weft_reader *r, const rd_number *n, weft_dtype dtype, void *out); /* out holds one element */

/* read_dense.c */
const weft_attr *rd_dense(weft_reader *r, const char *from); /* after the word dense, which began at from */
const weft_attr *rd_dense_resource(weft_reader *r, const char *from); /* likewise */
/* n bytes of elements as Weft stores them: in MLIR's of types under a byte the value's bits alone count. */
void rd_narrow(weft_dtype dtype, char *p, size_t n);
/* The elements of resource `name` as hexadecimal digits; p is NULL if the file does not have it. read_resource.c */
bool rd_resource(weft_reader *r, weft_str name, weft_str *digits);

/* read_stablehlo.c, read_sdy.c: after the mnemonic; NULL with r->status still OK when the mnemonic is not known */
const weft_attr *rd_stablehlo_attr(weft_reader *r, weft_str dialect, weft_str mnemonic); /* and CHLO's */
const weft_attr *rd_sdy_attr(weft_reader *r, weft_str mnemonic);
const weft_attr *rd_dot_algorithm(weft_reader *r);          /* <lhs_precision_type = f32, ...> */
bool rd_conv_dims(weft_reader *r, weft_conv_dims *out);
const weft_attr *rd_sdy_sharding(weft_reader *r);           /* <@mesh, [...]> */
const weft_attr *rd_sdy_shardings(weft_reader *r);          /* [<...>, <...>] */
const weft_attr *rd_sdy_mesh(weft_reader *r);               /* <["x"=2]> */
const weft_attr *rd_sdy_mesh_op(weft_reader *r);            /* the same as value of sdy.mesh */
/* WEFT_ERR_INVALID and the reason in why[0..size), or the mesh loses a list of devices that is in order. */
weft_status rd_mesh_check(weft_context *cx, weft_mesh_attr *mesh, char *why, size_t size);
const weft_attr *rd_sdy_rule(weft_reader *r);               /* <([i])->([i]) {i=2}>; read_sdy_rule.c */
const weft_attr *rd_sdy_axes(weft_reader *r);               /* {"x", "y":(1)2} */
const weft_attr *rd_sdy_axes_per_dim(weft_reader *r);       /* [{"x"}, {}] */
const weft_attr *rd_sdy_a2a(weft_reader *r);                /* [{"x"}: 0->1] */

/* read_loc.c */
const weft_loc *rd_loc(weft_reader *r);                     /* loc(...) */
bool rd_loc_optional(weft_reader *r, const weft_loc **loc); /* keeps *loc when there is none */
const weft_loc *rd_loc_body(weft_reader *r);
rd_alias *rd_alias_get(weft_reader *r, weft_str name);
/* counts it; false when it nests too deep or grows too large */
bool rd_alias_used(weft_reader *r, const rd_alias *a, const char *at);
/* Accounts for what aliases spell out. */
bool rd_spend(weft_reader *r, uint64_t nodes, const char *at);
uint64_t rd_left(const weft_reader *r); /* nodes that may still be spent */

/* read_op.c: one op */
typedef struct rd_op {
    weft_op_kind kind;
    weft_name name;
    const char *at;           /* of the op's name */
    const weft_loc *loc;
    size_t operands, types, attrs, regions; /* heights at the op's start: the entries above are the op's */
    weft_op *made;            /* set by families that make the op before they read its region */
} rd_op;

bool rd_op_read(weft_reader *r);
weft_str rd_own_name(weft_str name);                        /* another dialect's op that equals one of the table's */
weft_op *rd_make(weft_reader *r, rd_op *o);                 /* from the stacks' entries */
bool rd_generic(weft_reader *r, rd_op *o);                  /* from ( on */
bool rd_put(weft_reader *r, weft_attr_name name, const weft_attr *value); /* NULL value: an earlier failure */
bool rd_attr_dict(weft_reader *r, const rd_op *o);          /* {...} if there is one */
bool rd_attr_dict_keyword(weft_reader *r, const rd_op *o);  /* attributes {...} if there is one */
static inline uint32_t rd_operand_count(const weft_reader *r, const rd_op *o) {
    return (uint32_t)(r->operands.n - o->operands);
}

/* Types after the colon; they are compared with the operands' types, and results are pushed on types. */
bool rd_signature(weft_reader *r, const rd_op *o);          /* (a, b) -> c */
bool rd_functional(weft_reader *r, const rd_op *o);         /* : (a, b) -> c */
bool rd_same_type(weft_reader *r, const rd_op *o);          /* : a, all operands and the result; or as above */
bool rd_operand_is(weft_reader *r, const rd_op *o, uint32_t i, const weft_type *type);
bool rd_operand_type(weft_reader *r, const rd_op *o, uint32_t i); /* reads a type and compares it with operand i's */
bool rd_operands_exactly(weft_reader *r, const rd_op *o, uint32_t n);

bool rd_root_attrs(weft_reader *r, const rd_op *o);         /* gives the root the op's attributes */
bool rd_module_rest(weft_reader *r, rd_op *o);              /* after the word module; syntax_func.c */

/* Regions. A region is read before its op exists and moves into it when the op is made. */
weft_region *rd_new_region(weft_reader *r);                 /* pushed on regions */
typedef struct rd_args {
    const rd_value_name *names;
    const weft_type *const *types;
    const weft_loc *const *locs;                            /* NULL, or one each, each may be NULL */
    uint32_t n;
} rd_args;
bool rd_region(weft_reader *r, weft_region *region, const rd_args *args, const char *dialect); /* {...} */
bool rd_isolated_region(weft_reader *r, weft_region *region, const rd_args *args, const char *dialect);

#endif
