/* syntax_func.c: builtin.module, func.func, func.call, stablehlo.custom_call, stablehlo.composite. */
#include "mlir/syntax.h"

static const weft_attr *string_of(weft_reader *r, weft_str s) {
    const weft_attr *a = weft_attr_string(r->cx, s);
    if (!a) rd_oom(r);
    return a;
}

/* The root was made empty: the entries above the op's height become its attributes. */
bool rd_root_attrs(weft_reader *r, const rd_op *o) {
    weft_op *root = r->m->root;
    size_t n = r->attrs.n - o->attrs;
    root->attrs =
        weft_arena_dup(&r->m->arena, r->attrs.v + o->attrs, n * sizeof *root->attrs, _Alignof(weft_named_attr));
    if (!root->attrs) return rd_oom(r);
    root->attr_count = (uint32_t)n;
    return true;
}

/* module @name attributes {...} { ... }. The root exists already; a nested module is made here. */
bool rd_module_rest(weft_reader *r, rd_op *o) {
    weft_str name;
    if (rd_at(r, '@') && (!rd_symbol_name(r, &name) || !rd_put(r, WEFT_A_sym_name, string_of(r, name)))) return false;
    if (!rd_attr_dict_keyword(r, o)) return false;
    if (!o->made) {
        if (!rd_new_region(r) || !(o->made = rd_make(r, o))) return false;
    } else {
        if (!rd_root_attrs(r, o)) return false;
    }
    r->attrs.n = o->attrs;
    weft_region *body = &o->made->regions[0];
    if (!body->first && !weft_build_block(&r->b, body)) return rd_oom(r);
    return rd_isolated_region(r, body, NULL, "builtin") && rd_loc_optional(r, &o->made->loc);
}

static bool module_can_print(const weft_op *op) {
    const weft_block *body = op->regions[0].first;
    return body && !body->next && !body->arg_count;
}

static void module_print(weft_writer *w, const weft_op *op) {
    const weft_attr *name = weft_op_attr(op, WEFT_A_sym_name);
    if (name) {
        weft_buf_putc(w->b, ' ');
        pr_symbol_name(w->b, name->s);
    }
    pr_attr_dict_keyword(w, op, PR_ELIDE(WEFT_A_sym_name));
    weft_buf_putc(w->b, ' ');
    pr_region(w, &op->regions[0], "builtin", PR_NO_ENTRY_LABEL);
}

const weft_syntax weft_syntax_module = { .read = rd_module_rest, .print = module_print, .can_print = module_can_print };

/* Arguments or results of a function under construction. */
typedef struct signature {
    RD_STACK(rd_value_name) names;
    RD_STACK(const weft_type *) types;
    RD_STACK(const weft_attr *) dicts;
    RD_STACK(const weft_loc *) locs;
    bool any_attrs;
} signature;

/* type {attrs} loc(...) */
static bool one(weft_reader *r, signature *s) {
    const weft_type *t = rd_type(r);
    if (!t || !rd_push(r, (void **)&s->types.v, &s->types.n, &s->types.cap, sizeof t)) return false;
    s->types.v[s->types.n - 1] = t;
    bool has = rd_at(r, '{');
    const weft_attr *d = has ? rd_dict(r) : weft_attr_dict(r->cx, NULL, 0);
    if (!d) return r->status == WEFT_OK ? rd_oom(r) : false;
    if (!rd_push(r, (void **)&s->dicts.v, &s->dicts.n, &s->dicts.cap, sizeof d)) return false;
    s->dicts.v[s->dicts.n - 1] = d;
    s->any_attrs |= has && d->entries.n;
    const weft_loc *loc = NULL;
    if (!rd_loc_optional(r, &loc) || !rd_push(r, (void **)&s->locs.v, &s->locs.n, &s->locs.cap, sizeof loc))
        return false;
    s->locs.v[s->locs.n - 1] = loc;
    return true;
}

/* (%arg0: type {attrs}, ...); a declaration has no names. */
static bool arguments(weft_reader *r, signature *s) {
    if (!rd_expect(r, '(')) return false;
    if (rd_accept(r, ')')) return true;
    bool named = rd_at(r, '%');
    do {
        if (named) {
            rd_value_name name;
            if (!rd_value_name_read(r, &name) || !rd_expect(r, ':') ||
                !rd_push(r, (void **)&s->names.v, &s->names.n, &s->names.cap, sizeof name))
                return false;
            s->names.v[s->names.n - 1] = name;
        }
        if (!one(r, s)) return false;
    } while (rd_accept(r, ','));
    return rd_expect(r, ')');
}

static bool results(weft_reader *r, signature *s) {
    if (!rd_accept_arrow(r)) return true;
    if (!rd_at(r, '(')) {
        const weft_type *t = rd_type(r);
        if (!t || !rd_push(r, (void **)&s->types.v, &s->types.n, &s->types.cap, sizeof t)) return false;
        s->types.v[s->types.n - 1] = t;
        return true;
    }
    rd_expect(r, '(');
    if (rd_accept(r, ')')) return true;
    do
        if (!one(r, s)) return false;
    while (rd_accept(r, ','));
    return rd_expect(r, ')');
}

static bool put_dicts(weft_reader *r, weft_attr_name name, const signature *s) {
    return !s->any_attrs || rd_put(r, name, weft_attr_array(r->cx, s->dicts.v, (uint32_t)s->dicts.n));
}

/* func.func public @main(%arg0: t {attrs}) -> (u {attrs}) attributes {...} { ... } */
static bool func_read(weft_reader *r, rd_op *o) {
    signature in = { 0 }, out = { 0 };
    weft_str visibility = { NULL, 0 }, name;
    for (int i = 0; i < WEFT_VISIBILITIES && !visibility.n; i++)
        if (rd_word(r, weft_visibilities[i])) visibility = weft_str_from(weft_visibilities[i]);
    if (!rd_symbol_name(r, &name) || !rd_put(r, WEFT_A_sym_name, string_of(r, name))) return false;
    if (!arguments(r, &in) || !results(r, &out)) return false;
    const weft_type *t =
        weft_type_function(r->cx, in.types.v, (uint32_t)in.types.n, out.types.v, (uint32_t)out.types.n);
    if (!t || !rd_put(r, WEFT_A_function_type, weft_attr_type(r->cx, t))) return rd_oom(r);
    if (visibility.n && !rd_put(r, WEFT_A_sym_visibility, string_of(r, visibility))) return false;
    if (!put_dicts(r, WEFT_A_arg_attrs, &in) || !put_dicts(r, WEFT_A_res_attrs, &out) || !rd_attr_dict_keyword(r, o))
        return false;
    if (!rd_new_region(r) || !(o->made = rd_make(r, o))) return false;
    if (!rd_at(r, '{')) return true;
    if (in.names.n != in.types.n) return rd_unexpected(r, "a declaration's end: its arguments have no names");
    /* The body has a block even when the function has no arguments. */
    weft_region *body = &o->made->regions[0];
    rd_args args = { in.names.v, in.types.v, in.locs.v, (uint32_t)in.types.n };
    if (!rd_isolated_region(r, body, &args, "func")) return false;
    return body->first || rd_fail(r, o->at, "function '%.*s' has an empty body", WEFT_STR_ARG(name));
}

static bool dicts_fit(const weft_op *op, weft_attr_name name, uint32_t n) {
    const weft_attr *a = weft_op_attr(op, name);
    if (!a) return true;
    if (a->kind != WEFT_ATTR_ARRAY || a->items.n != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (a->items.v[i]->kind != WEFT_ATTR_DICT) return false;
    return true;
}

static bool func_can_print(const weft_op *op) {
    const weft_type *t = weft_func_type(op);
    const weft_attr *seen = weft_op_attr(op, WEFT_A_sym_visibility);
    if (seen && !weft_is_visibility(seen->s)) return false;
    if (t->kind != WEFT_TYPE_FUNCTION || !dicts_fit(op, WEFT_A_arg_attrs, t->input_count) ||
        !dicts_fit(op, WEFT_A_res_attrs, t->part_count - t->input_count))
        return false;
    const weft_block *body = op->regions[0].first;
    if (body && body->arg_count != t->input_count) return false;
    for (uint32_t i = 0; body && i < t->input_count; i++)
        if (body->args[i]->type != t->parts[i]) return false;
    return true;
}

static void print_dict(weft_writer *w, const weft_attr *list, uint32_t i) {
    if (!list || !list->items.v[i]->entries.n) return;
    weft_buf_putc(w->b, ' ');
    pr_attr(w, list->items.v[i], PR_TYPE_ALWAYS);
}

static void print_results(weft_writer *w, const weft_type *t, const weft_attr *dicts) {
    uint32_t n = t->part_count - t->input_count;
    const weft_type *const *types = t->parts + t->input_count;
    if (!n) return;
    weft_buf_puts(w->b, " -> ");
    bool bare = n == 1 && types[0]->kind != WEFT_TYPE_FUNCTION && !(dicts && dicts->items.v[0]->entries.n);
    if (!bare) weft_buf_putc(w->b, '(');
    for (uint32_t i = 0; i < n; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        pr_type(w, types[i]);
        print_dict(w, dicts, i);
    }
    if (!bare) weft_buf_putc(w->b, ')');
}

static void func_print(weft_writer *w, const weft_op *op) {
    const weft_type *t = weft_func_type(op);
    const weft_attr *visibility = weft_op_attr(op, WEFT_A_sym_visibility), *dicts = weft_op_attr(op, WEFT_A_arg_attrs);
    const weft_block *body = op->regions[0].first;
    weft_buf_putc(w->b, ' ');
    if (visibility) {
        weft_buf_str(w->b, visibility->s);
        weft_buf_putc(w->b, ' ');
    }
    pr_symbol_name(w->b, weft_op_attr(op, WEFT_A_sym_name)->s);
    weft_buf_putc(w->b, '(');
    for (uint32_t i = 0; i < t->input_count; i++) {
        if (i) weft_buf_puts(w->b, ", ");
        if (body) {
            pr_value(w, body->args[i]);
            weft_buf_puts(w->b, ": ");
        }
        pr_type(w, t->parts[i]);
        print_dict(w, dicts, i);
        if (body && body->args[i]->loc) pr_loc(w, body->args[i]->loc);
    }
    weft_buf_putc(w->b, ')');
    print_results(w, t, weft_op_attr(op, WEFT_A_res_attrs));
    pr_attr_dict_keyword(w, op,
                         PR_ELIDE(WEFT_A_sym_name, WEFT_A_function_type, WEFT_A_sym_visibility, WEFT_A_arg_attrs,
                                  WEFT_A_res_attrs));
    if (!body) return;
    weft_buf_putc(w->b, ' ');
    pr_region(w, &op->regions[0], "func", PR_NO_ENTRY_LABEL);
}

WEFT_SYNTAX(func);

/* func.call @f(%0, %1) {...} : (a, b) -> c */
static bool call_read(weft_reader *r, rd_op *o) {
    const weft_attr *callee;
    return rd_at(r, '@') ? (callee = rd_symbol(r)) && rd_put(r, WEFT_A_callee, callee) && rd_expect(r, '(') &&
                               rd_operand_list(r) && rd_expect(r, ')') && rd_attr_dict(r, o) && rd_functional(r, o)
                         : rd_unexpected(r, "a symbol such as @name");
}

static void call_print(weft_writer *w, const weft_op *op) {
    weft_buf_putc(w->b, ' ');
    pr_attr(w, weft_op_attr(op, WEFT_A_callee), PR_TYPE_ALWAYS);
    weft_buf_putc(w->b, '(');
    pr_operand_list(w, op);
    weft_buf_putc(w->b, ')');
    pr_attr_dict(w, op, PR_ELIDE(WEFT_A_callee));
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

const weft_syntax weft_syntax_call = { .read = call_read, .print = call_print };

/* stablehlo.custom_call @target(%0) {...} : (a) -> b */
static bool custom_call_read(weft_reader *r, rd_op *o) {
    weft_str name;
    return rd_symbol_name(r, &name) && rd_put(r, WEFT_A_call_target_name, string_of(r, name)) && rd_expect(r, '(') &&
           rd_operand_list(r) && rd_expect(r, ')') && rd_attr_dict(r, o) && rd_functional(r, o);
}

static bool empty_array(const weft_op *op, weft_attr_name name) {
    const weft_attr *a = weft_op_attr(op, name);
    return a && a->kind == WEFT_ATTR_ARRAY && !a->items.n;
}

static void custom_call_print(weft_writer *w, const weft_op *op) {
    weft_attr_name elide[6];
    size_t n = 0;
    elide[n++] = WEFT_A_call_target_name;
    if (!weft_op_int(op, WEFT_A_has_side_effect, 1)) elide[n++] = WEFT_A_has_side_effect;
    const weft_attr *api = weft_op_attr(op, WEFT_A_api_version);
    if (api && api->kind == WEFT_ATTR_ENUM && api->e == WEFT_custom_call_api_version_API_VERSION_ORIGINAL)
        elide[n++] = WEFT_A_api_version;
    if (empty_array(op, WEFT_A_called_computations)) elide[n++] = WEFT_A_called_computations;
    if (empty_array(op, WEFT_A_output_operand_aliases)) elide[n++] = WEFT_A_output_operand_aliases;
    elide[n] = WEFT_A_COUNT;
    weft_buf_putc(w->b, ' ');
    pr_symbol_name(w->b, weft_op_attr(op, WEFT_A_call_target_name)->s);
    weft_buf_putc(w->b, '(');
    pr_operand_list(w, op);
    weft_buf_putc(w->b, ')');
    pr_attr_dict(w, op, elide);
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

const weft_syntax weft_syntax_custom_call = { .read = custom_call_read, .print = custom_call_print };

/* stablehlo.composite "dialect.op" %0, %1 {...} : (a, b) -> c */
static bool composite_read(weft_reader *r, rd_op *o) {
    weft_str name;
    if (!rd_string(r, &name) || !rd_put(r, WEFT_A_name, string_of(r, name)) || !rd_operand_list(r)) return false;
    if (rd_accept(r, '(')) {
        do {
            weft_region *region = rd_new_region(r);
            if (!region || !rd_isolated_region(r, region, NULL, "")) return false;
        } while (rd_accept(r, ','));
        if (!rd_expect(r, ')')) return false;
    }
    return rd_attr_dict(r, o) && rd_functional(r, o);
}

static void composite_print(weft_writer *w, const weft_op *op) {
    weft_attr_name elide[4];
    size_t n = 0;
    elide[n++] = WEFT_A_name;
    const weft_attr *more = weft_op_attr(op, WEFT_A_composite_attributes);
    if (more && more->kind == WEFT_ATTR_DICT && !more->entries.n) elide[n++] = WEFT_A_composite_attributes;
    if (!weft_op_int(op, WEFT_A_version, 1)) elide[n++] = WEFT_A_version;
    elide[n] = WEFT_A_COUNT;
    weft_buf_putc(w->b, ' ');
    pr_string(w->b, weft_op_attr(op, WEFT_A_name)->s);
    weft_buf_putc(w->b, ' ');
    pr_operand_list(w, op);
    if (op->region_count) {
        weft_buf_puts(w->b, " (");
        for (uint32_t i = 0; i < op->region_count; i++) {
            if (i) weft_buf_puts(w->b, ", ");
            pr_region(w, &op->regions[i], "", PR_ENTRY_LABEL);
        }
        weft_buf_putc(w->b, ')');
    }
    pr_attr_dict(w, op, elide);
    weft_buf_puts(w->b, " : ");
    pr_functional(w, op);
}

const weft_syntax weft_syntax_composite = { .read = composite_read, .print = composite_print };
