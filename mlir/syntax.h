/* syntax.h: column `syntax` of ir/ops.def: the functions that read and print an op's pretty form.
 *
 * A family reads the text between the op's name and its location, and prints the text between its name and the end of
 * the line. Most families are a form: operands, clauses such as `dims = [0, 1]`, other attributes, types; forms.c reads
 * and prints them all from a description. The others have a pair of functions each.
 */
#ifndef WEFT_MLIR_SYNTAX_H
#define WEFT_MLIR_SYNTAX_H

#include "mlir/reader.h"
#include "mlir/writer.h"

typedef enum weft_clause_kind {
    WEFT_CLAUSE_END,
    WEFT_CLAUSE_INT,     /* dim = 0 */
    WEFT_CLAUSE_INTS,    /* dims = [0, 1] */
    WEFT_CLAUSE_ENUM,    /* type = RFFT */
    WEFT_CLAUSE_STRING,  /* config = "ab,bc->ac" */
    WEFT_CLAUSE_FLAG     /* lower = true; left out when absent or false */
} weft_clause_kind;

typedef struct weft_clause {
    weft_clause_kind kind;
    const char *key;
    weft_attr_name name;
    weft_enum_set set;   /* ENUM */
} weft_clause;

typedef enum weft_form_types {
    WEFT_FORM_SAME,       /* : t where all operands and the result are t, else FUNCTIONAL */
    WEFT_FORM_FUNCTIONAL, /* : (a, b) -> c */
    WEFT_FORM_ARROW,      /* : a, b -> c */
    WEFT_FORM_RESULT      /* : c; there are no operands */
} weft_form_types;

typedef struct weft_form {
    weft_form_types types;
    weft_clause clauses[4]; /* ended by END */
} weft_form;

typedef struct weft_syntax {
    bool (*read)(weft_reader *r, rd_op *o);            /* NULL: only the generic form is read */
    void (*print)(weft_writer *w, const weft_op *op);
    /* whether an op with valid counts (ir/verify.h) has a pretty form; false: the generic form; NULL: always */
    bool (*can_print)(const weft_op *op);
    const weft_form *form;
    pr_word results[3];                                /* names of the results, when not numbers */
    pr_word args;                                      /* names of its regions' arguments */
} weft_syntax;

/* A family of three functions, and the other fields that it sets. */
#define WEFT_SYNTAX(name, ...) \
    const weft_syntax weft_syntax_##name = { \
        .read = name##_read, .print = name##_print, .can_print = name##_can_print, __VA_ARGS__ \
    }

#define NAME(syntax) extern const weft_syntax weft_syntax_##syntax;
#include "ir/ops-syntax.def"

extern const weft_syntax *const weft_syntax_of[];

/* Shared by several families. */
bool rd_precision(weft_reader *r);                             /* precision = [DEFAULT, ...] */
void pr_precision(weft_writer *w, const weft_op *op);          /* with ", " in front; nothing when absent */
bool pr_has(const weft_op *op, weft_attr_name name, weft_attr_kind kind);
/* Whether the attribute is a keyword of set, or absent. */
bool pr_keyword_of(const weft_op *op, weft_attr_name name, weft_enum_set set);
bool pr_has_or_lacks(const weft_op *op, weft_attr_name name, weft_attr_kind kind);
/* the number of chlo.scan's operands that are not carried; -1: malformed */
int pr_scan_inputs(const weft_op *op);

#endif
