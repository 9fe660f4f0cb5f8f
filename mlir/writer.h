/* writer.h: the state of one printing, for the files of this room only. Text goes to b; a failed allocation is noticed
 * once, at the end. */
#ifndef WEFT_MLIR_WRITER_H
#define WEFT_MLIR_WRITER_H

#include "mlir/print.h"

/* The words in the names of some ops' values. */
#define PR_WORDS(WORD) \
    WORD(arg) \
    WORD(cst) WORD(c) WORD(iterArg) WORD(input) WORD(carry) WORD(values) WORD(indices) WORD(output_state) WORD(output) \
        WORD(batch_mean) WORD(batch_var) WORD(grad_operand) WORD(grad_scale) WORD(grad_offset)
extern const char *const pr_words[];
typedef enum pr_word {
    PR_NO_WORD,
#define WORD(name) PR_WORD_##name,
    PR_WORDS(WORD)
#undef WORD
    PR_WORD_COUNT
} pr_word;

/* The name of a value: a number, a word, or a word and a number. If an op's results share one name, the first has it
 * and the others are name#i. */
typedef struct pr_name {
    uint32_t word;      /* pr_word */
    int32_t number;     /* or one of these: */
} pr_name;

#define PR_PLAIN (-1)        /* the word alone */
#define PR_OF_FIRST (-2)     /* a result named after the first one */
#define PR_HINT (-3)         /* the value's hint */

typedef struct weft_writer {
    weft_buf *b;
    const weft_module *m;
    unsigned flags;
    uint32_t indent;
    const char *dialect;      /* the dialect whose prefix is omitted here */
    pr_name *names;           /* by value id; NULL: values are printed by id */
    const struct pr_alias *aliases; uint32_t alias_count; /* print_aliases.c */
} weft_writer;

/* print_aliases.c */
typedef struct pr_alias pr_alias;
weft_status pr_aliases(weft_writer *w);                       /* writes the definitions, a line each */
bool pr_by_alias(weft_writer *w, const weft_attr *a);         /* false: nothing printed, a has none */

/* print_names.c: names every value of the module as MLIR does. */
void pr_number_values(const weft_module *m, unsigned flags, pr_name *names);

/* print.c */
void pr_value(weft_writer *w, const weft_value *v);
void pr_operands(weft_writer *w, const weft_op *op, uint32_t from, uint32_t to); /* separated by commas */
void pr_operand_list(weft_writer *w, const weft_op *op);
void pr_newline(weft_writer *w);
typedef enum pr_region_style { PR_NO_ENTRY_LABEL, PR_ENTRY_LABEL } pr_region_style;
void pr_region(weft_writer *w, const weft_region *region, const char *dialect, pr_region_style style);
void pr_block_arg(weft_writer *w, const weft_value *v);       /* %arg0: type */
void pr_generic(weft_writer *w, const weft_op *op);           /* from ( on */
void pr_loc(weft_writer *w, const weft_loc *loc);             /* " loc(...)" when asked for */
void pr_functional(weft_writer *w, const weft_op *op);        /* (a, b) -> c */
void pr_types(weft_writer *w, const weft_value *results, uint32_t n);

/* {a = 1} with a blank in front, without the attributes that the op's syntax already has; nothing when none is left.
 * elide is a list of well-known names, ended by WEFT_A_COUNT. */
void pr_attr_dict(weft_writer *w, const weft_op *op, const weft_attr_name *elide);
void pr_attr_dict_keyword(weft_writer *w, const weft_op *op, const weft_attr_name *elide);
#define PR_ELIDE(...) ((const weft_attr_name[]){ __VA_ARGS__, WEFT_A_COUNT })
#define PR_ELIDE_NONE ((const weft_attr_name[]){ WEFT_A_COUNT })

/* print_attr.c */
/* i64 and f64 inside arrays need no type */
typedef enum pr_elide_type { PR_TYPE_ALWAYS, PR_TYPE_MAY_ELIDE } pr_elide_type;
void pr_attr(weft_writer *w, const weft_attr *a, pr_elide_type elide);
void pr_attr_named(weft_writer *w, const weft_named_attr *a);
/* Lists of manual axes are an attribute of their own in sdy. Its users are manual_axes of manual_computation, and
 * sdy.func_manual_axes and xla.sdy.manual_axes of functions and calls. Whether it is one of these names. */
bool pr_says_manual(weft_str name);
void pr_string(weft_buf *b, weft_str s);
void pr_symbol_name(weft_buf *b, weft_str s);
void pr_keyword_or_string(weft_buf *b, weft_str s);
void pr_int_list(weft_buf *b, weft_ints v);                   /* [1, 2] */
void pr_enum(weft_buf *b, const weft_attr *a);                /* the keyword alone */
void pr_type(weft_writer *w, const weft_type *t);

/* print_dense.c */
void pr_dense(weft_writer *w, const weft_attr *a);            /* dense<...> : type */
void pr_dense_literal(weft_buf *b, const weft_attr *a);       /* dense<...> */
bool pr_dense_is_long(const weft_attr *a);                    /* raw bytes */
void pr_element(weft_buf *b, weft_dtype t, const void *p);

/* print_stablehlo.c, print_sdy.c */
void pr_stablehlo_attr(weft_writer *w, const weft_attr *a);
void pr_dot_algorithm(weft_buf *b, const weft_dot_algorithm *d); /* <lhs_precision_type = ...> */
bool pr_conv_whole(const weft_conv_dims *d); /* each side names each of its dimensions once */
void pr_conv_dims(weft_buf *b, const weft_conv_dims *d); /* for dimensions of which pr_conv_whole is true */
/* print_groups.c; false: nothing printed, the mesh is not known */
bool pr_mesh_axes_dense(weft_writer *w, const weft_attr *a);
void pr_sdy_attr(weft_writer *w, const weft_attr *a);
void pr_sharding_body(weft_writer *w, const weft_attr *a);    /* <@mesh, [...]> */
void pr_shardings_body(weft_writer *w, const weft_attr *a);   /* [<...>, <...>] */
void pr_mesh_body(weft_writer *w, const weft_attr *a);        /* <["x"=2]> */
void pr_axes_body(weft_writer *w, weft_axis_refs axes);       /* {"x", "y":(1)2} */
void pr_axes_per_dim_body(weft_writer *w, const weft_attr *a);
void pr_a2a_body(weft_writer *w, const weft_attr *a);

#endif
