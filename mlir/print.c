/* print.c: modules, ops, regions and blocks as MLIR's own printer lays them out. */
#include <stdlib.h>
#include "ir/verify.h"
#include "mlir/syntax.h"

void pr_type(weft_writer *w, const weft_type *t) { weft_type_print(w->b, t); }

const char *const pr_words[] = {
    "",
#define WORD(name) #name,
    PR_WORDS(WORD)
#undef WORD
};

/* Without a table of names, an op's results are named by the first one's id. */
static pr_name name_of(const weft_writer *w, const weft_value *v) {
    if (w->names) return w->names[v->id];
    return (pr_name){ PR_NO_WORD, v->def && v->index ? PR_OF_FIRST : (int32_t)v->id };
}

/* The name of an op's results, or of a block argument. */
static void value_name(weft_writer *w, const weft_value *v) {
    weft_buf *b = w->b;
    pr_name n = name_of(w, v);
    if (n.number == PR_OF_FIRST) n = name_of(w, &v->def->results[0]);
    weft_buf_putc(b, '%');
    if (n.number == PR_HINT) weft_buf_puts(b, v->hint->text);
    if (n.word) weft_buf_puts(b, pr_words[n.word]);
    if (n.number < 0) return;
    if (n.word && n.word != PR_WORD_arg) weft_buf_putc(b, '_'); /* arg0 */
    weft_buf_i64(b, n.number);
}

static bool has_followers(const weft_writer *w, const weft_op *op) {
    return op->result_count > 1 && name_of(w, &op->results[1]).number == PR_OF_FIRST;
}

void pr_value(weft_writer *w, const weft_value *v) {
    value_name(w, v);
    if (!v->def || v->def->result_count == 1 || !has_followers(w, v->def)) return;
    weft_buf_putc(w->b, '#');
    weft_buf_i64(w->b, v->index);
}

void pr_operands(weft_writer *w, const weft_op *op, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        if (i > from) weft_buf_puts(w->b, ", ");
        pr_value(w, op->operands[i]);
    }
}

void pr_operand_list(weft_writer *w, const weft_op *op) { pr_operands(w, op, 0, op->operand_count); }

void pr_newline(weft_writer *w) {
    static const char blanks[] = "                                                                ";
    weft_buf_putc(w->b, '\n');
    for (uint32_t left = w->indent; left;) {
        uint32_t n = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
        weft_buf_put(w->b, blanks, n);
        left -= n;
    }
}

void pr_types(weft_writer *w, const weft_value *results, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        pr_type(w, results[i].type);
    }
}

void pr_functional(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, '(');
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        pr_type(w, op->operands[i]->type);
    }
    weft_buf_puts(w->b, ") -> ");
    bool parens = op->result_count != 1 || op->results[0].type->kind == WEFT_TYPE_FUNCTION;
    if (parens) weft_buf_putc(w->b, '(');
    pr_types(w, op->results, op->result_count);
    if (parens) weft_buf_putc(w->b, ')');
}

void pr_block_arg(weft_writer *w, const weft_value *v) {
    pr_value(w, v);
    weft_buf_puts(w->b, ": ");
    pr_type(w, v->type);
    if (v->loc) pr_loc(w, v->loc);
}

static void pr_op(weft_writer *w, const weft_op *op);

static void block_label(weft_writer *w, const weft_block *blk, uint32_t number) {
    w->indent -= 2;
    pr_newline(w);
    weft_buf_puts(w->b, "^bb");
    weft_buf_i64(w->b, number);
    if (blk->arg_count) {
        weft_buf_putc(w->b, '(');
        for (uint32_t i = 0; i < blk->arg_count; i++) {
            if (i) weft_buf_puts(w->b, ", ");
            pr_block_arg(w, blk->args[i]);
        }
        weft_buf_putc(w->b, ')');
    }
    weft_buf_putc(w->b, ':');
    if (number) weft_buf_puts(w->b, "  // no predecessors");
    w->indent += 2;
}

void pr_region(weft_writer *w, const weft_region *region, const char *dialect, pr_region_style style) {
    const char *outer = w->dialect;
    w->dialect = dialect;
    weft_buf_putc(w->b, '{');
    w->indent += 2;
    uint32_t number = 0;
    WEFT_EACH_BLOCK(blk, region) {
        if (number || (style == PR_ENTRY_LABEL && (blk->arg_count || !blk->first))) block_label(w, blk, number);
        WEFT_EACH_OP(op, blk) {
            pr_newline(w);
            pr_op(w, op);
        }
        number++;
    }
    w->indent -= 2;
    pr_newline(w);
    weft_buf_putc(w->b, '}');
    w->dialect = outer;
}

static bool listed(const weft_attr_name *list, uint32_t id) {
    for (; *list != WEFT_A_COUNT; list++)
        if ((uint32_t)*list == id) return true;
    return false;
}

typedef enum which_attrs { ALL_ATTRS, INHERENT_ATTRS, OTHER_ATTRS } which_attrs;

static bool chosen(const weft_op *op, const weft_named_attr *a, which_attrs which, const weft_attr_name *elide) {
    if (listed(elide, a->name->id)) return false;
    if (which == ALL_ATTRS) return true;
    bool inherent = (a->name->id < WEFT_A_COUNT && weft_op_kind_has_attr(op->kind, a->name->id)) ||
                    (op->kind != WEFT_OP_other &&
                     (!strcmp(a->name->text, "operandSegmentSizes") || !strcmp(a->name->text, "resultSegmentSizes")));
    return inherent == (which == INHERENT_ATTRS);
}

static int compare_names(weft_name a, weft_name b) {
    int c = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);
    return c ? c : (a->n > b->n) - (a->n < b->n);
}

/* MLIR keeps a dictionary sorted by name. Few attributes: the next one in order is searched each time. */
static int by_name(const void *a, const void *b) {
    return compare_names(((const weft_named_attr *)a)->name, ((const weft_named_attr *)b)->name);
}

/* The same for an op with many. */
static void many_entries(weft_writer *w, const weft_op *op, which_attrs which, const weft_attr_name *elide) {
    weft_allocator alloc = w->b->alloc;
    size_t bytes = op->attr_count * sizeof(weft_named_attr);
    weft_named_attr *sorted = alloc.resize(alloc.user, NULL, 0, bytes);
    if (!sorted) {
        w->b->failed = true;
        return;
    }
    memcpy(sorted, op->attrs, bytes);
    qsort(sorted, op->attr_count, sizeof *sorted, by_name);
    bool any = false;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (!chosen(op, &sorted[i], which, elide)) continue;
        if (any) weft_buf_puts(w->b, ", ");
        pr_attr_named(w, &sorted[i]);
        any = true;
    }
    alloc.resize(alloc.user, sorted, bytes, 0);
}

static void entries(weft_writer *w, const weft_op *op, which_attrs which, const weft_attr_name *elide) {
    if (op->attr_count > 32) {
        many_entries(w, op, which, elide);
        return;
    }
    for (const weft_named_attr *last = NULL;;) {
        const weft_named_attr *next = NULL;
        for (uint32_t i = 0; i < op->attr_count; i++) {
            const weft_named_attr *a = &op->attrs[i];
            if ((last && compare_names(a->name, last->name) <= 0) || (next && compare_names(a->name, next->name) >= 0))
                continue;
            if (chosen(op, a, which, elide)) next = a;
        }
        if (!next) return;
        if (last) weft_buf_puts(w->b, ", ");
        pr_attr_named(w, next);
        last = next;
    }
}

static bool any(const weft_op *op, which_attrs which, const weft_attr_name *elide) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (chosen(op, &op->attrs[i], which, elide)) return true;
    return false;
}

static void dict(weft_writer *w, const weft_op *op, which_attrs which, const weft_attr_name *elide, const char *before,
                 const char *behind) {
    if (!op->attr_count || !any(op, which, elide)) return;
    weft_buf_puts(w->b, before);
    entries(w, op, which, elide);
    weft_buf_puts(w->b, behind);
}

void pr_attr_dict(weft_writer *w, const weft_op *op, const weft_attr_name *elide) {
    dict(w, op, ALL_ATTRS, elide, " {", "}");
}

void pr_attr_dict_keyword(weft_writer *w, const weft_op *op, const weft_attr_name *elide) {
    dict(w, op, ALL_ATTRS, elide, " attributes {", "}");
}

void pr_generic(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, '(');
    pr_operand_list(w, op);
    weft_buf_putc(w->b, ')');
    dict(w, op, INHERENT_ATTRS, PR_ELIDE_NONE, " <{", "}>");
    if (op->region_count) {
        const char *dialect = w->flags & WEFT_PRINT_GENERIC ? ""
                              : op->kind == WEFT_OP_func    ? "func"
                              : op->kind == WEFT_OP_module  ? "builtin"
                                                            : "";
        weft_buf_puts(w->b, " (");
        for (uint32_t i = 0; i < op->region_count; i++) {
            if (i) weft_buf_puts(w->b, ", ");
            pr_region(w, &op->regions[i], dialect, PR_ENTRY_LABEL);
        }
        weft_buf_putc(w->b, ')');
    }
    dict(w, op, OTHER_ATTRS, PR_ELIDE_NONE, " {", "}");
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

/* %0 = , %1:2 = , %values, %indices = */
static void results_of(weft_writer *w, const weft_op *op) {
    if (!op->result_count) return;
    value_name(w, &op->results[0]);
    if (has_followers(w, op)) {
        weft_buf_putc(w->b, ':');
        weft_buf_i64(w->b, op->result_count);
    } else {
        for (uint32_t i = 1; i < op->result_count; i++) {
            weft_buf_puts(w->b, ", ");
            value_name(w, &op->results[i]);
        }
    }
    weft_buf_puts(w->b, " = ");
}

/* The prefix of the region's own dialect is omitted. */
static void op_name(weft_writer *w, const weft_op *op) {
    size_t n = strlen(w->dialect);
    const char *text = op->name->text;
    if (n && !strncmp(text, w->dialect, n) && text[n] == '.' && !strchr(text + n + 1, '.')) text += n + 1;
    weft_buf_puts(w->b, text);
}

/* A result of a function's type would be read as the types of operands and results. */
static bool has_pretty_form(const weft_op *op) {
    const weft_syntax *s = weft_syntax_of[op->kind];
    if (!s->print || !weft_op_is_formed(op) || (s->can_print && !s->can_print(op))) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->results[i].type->kind == WEFT_TYPE_FUNCTION) return false;
    return true;
}

static void pr_op(weft_writer *w, const weft_op *op) {
    results_of(w, op);
    if (w->flags & WEFT_PRINT_GENERIC || !has_pretty_form(op)) {
        weft_buf_putc(w->b, '"');
        weft_buf_puts(w->b, op->name->text);
        weft_buf_putc(w->b, '"');
        pr_generic(w, op);
    } else {
        op_name(w, op);
        weft_syntax_of[op->kind]->print(w, op);
    }
    pr_loc(w, op->loc);
}

weft_status weft_print_module(const weft_module *m, unsigned flags, weft_buf *out) {
    weft_context *cx = m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = WEFT_OK;
    weft_writer w = { .b = out, .m = m, .flags = flags, .dialect = "builtin" };
    w.names = weft_scratch_array(cx, pr_name, m->value_count);
    if (!w.names) st = weft_oom();
    if (st == WEFT_OK) {
        pr_number_values(m, flags, w.names);
        st = pr_aliases(&w);
    }
    if (st == WEFT_OK) {
        pr_op(&w, m->root);
        weft_buf_putc(out, '\n');
        if (out->failed) st = weft_oom();
    }
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_print_op(const weft_module *m, const weft_op *op, unsigned flags, weft_buf *out) {
    weft_writer w = { .b = out, .m = m, .flags = flags, .dialect = "builtin" };
    pr_op(&w, op);
    return out->failed ? weft_oom() : WEFT_OK;
}

static weft_status name_value(weft_writer *w, const weft_value *v, weft_arena *arena, const char **names) {
    w->b->n = 0;
    pr_value(w, v);
    names[v->id] = w->b->failed ? NULL : weft_arena_strdup(arena, w->b->p, w->b->n);
    return names[v->id] ? WEFT_OK : weft_oom();
}

typedef struct name_list { weft_writer w; weft_arena *arena; const char **names; } name_list;

static weft_status name_values_of(void *user, weft_op *op) {
    name_list *l = user;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = name_value(&l->w, &op->results[i], l->arena, l->names);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            for (uint32_t i = 0; st == WEFT_OK && i < blk->arg_count; i++)
                st = name_value(&l->w, blk->args[i], l->arena, l->names);
    return st;
}

weft_status weft_value_names(const weft_module *m, weft_arena *arena, const char *const **out) {
    weft_buf b;
    weft_buf_init(&b, &m->cx->alloc);
    weft_mark mark = weft_arena_mark(&m->cx->scratch);
    name_list l = { .w = { .b = &b, .m = m, .dialect = "builtin" }, .arena = arena,
                    .names = weft_arena_array(arena, const char *, m->value_count) };
    l.w.names = weft_scratch_array(m->cx, pr_name, m->value_count);
    weft_status st = l.names && l.w.names ? WEFT_OK : weft_oom();
    if (st == WEFT_OK) pr_number_values(m, 0, l.w.names);
    if (st == WEFT_OK) st = weft_module_walk(m, name_values_of, &l);
    weft_arena_reset(&m->cx->scratch, mark);
    weft_buf_free(&b);
    *out = l.names;
    return st;
}

void weft_print_attr(weft_buf *b, const weft_attr *a) {
    weft_writer w = { .b = b, .dialect = "" };
    pr_attr(&w, a, PR_TYPE_ALWAYS);
}
