/* infer_func.c: the module, functions, calls, and ops with results of any type.
 *
 * Source: MLIR's func dialect; StableHLO docs/spec.md, composite.
 */
#include "ir/infer.h"

#include <stdio.h>

weft_status weft_infer_module(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    if (op->parent) return weft_report(c->cx, WEFT_D_unsupported, op->loc, "a module inside a module");
    if (!op->regions[0].first || op->regions[0].first->next) return weft_bad(c, op, "region 0 must have one block");
    if (op->regions[0].first->arg_count)
        return weft_bad(c, op, "region 0 has %u arguments, expected none", op->regions[0].first->arg_count);
    return WEFT_OK;
}

/* An unknown op: nothing to check. */
weft_status weft_infer_other(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)c, (void)op, (void)types;
    return WEFT_OK;
}

/* arg_attrs or res_attrs: a dictionary per value, with a sharding that fits the value where it has one. */
static weft_status check_value_attrs(weft_checker *c, const weft_op *op, weft_attr_name list, const char *what,
                                     const weft_type *const *types, uint32_t n) {
    const weft_attr *a = weft_op_attr(op, list);
    if (!a) return WEFT_OK;
    if (a->items.n != n)
        return weft_bad(c, op, "%s has %u entries for %u %ss", weft_attr_names[list], a->items.n, n, what);
    for (uint32_t i = 0; i < n; i++) {
        if (a->items.v[i]->kind != WEFT_ATTR_DICT)
            return weft_bad(c, op, "%s entry %u is not a dictionary", weft_attr_names[list], i);
        const weft_attr *sharding = weft_dict_get(a->items.v[i], WEFT_A_sdy_sharding);
        if (!sharding) continue;
        char name[48];
        snprintf(name, sizeof name, "%s %u - ", list == WEFT_A_arg_attrs ? "arg" : what, i);
        weft_status st =
            sharding->kind == WEFT_ATTR_SHARDING
                ? weft_check_sharding(c, op, name, sharding, types[i])
                : weft_bad_sharding(c, op, "%sshould have a sharding attribute of type TensorShardingAttr", name);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

/* MLIR requires a function's own types exactly, while other regions accept types that agree; the words are MLIR's. */
static weft_status check_exact(weft_checker *c, const weft_op *op, const weft_op *ret, const weft_type *f) {
    const weft_block *body = weft_op_body(op, 0);
    const weft_str name = weft_op_symbol(op, WEFT_A_sym_name);
    const uint32_t n_out = f->part_count - f->input_count;
    for (uint32_t i = 0; i < f->input_count; i++)
        if (body->args[i]->type != f->parts[i])
            return weft_bad(c, op, "region 0 argument %u has type '%s', expected '%s'", i,
                            weft_text_of(c, body->args[i]->type), weft_text_of(c, f->parts[i]));
    if (ret->operand_count != n_out)
        return weft_bad_sharding(c, ret, "has %u operands, but enclosing function (@%.*s) returns %u",
                                 ret->operand_count, WEFT_STR_ARG(name), n_out);
    for (uint32_t i = 0; i < n_out; i++)
        if (ret->operands[i]->type != f->parts[f->input_count + i])
            return weft_bad_sharding(
                c, ret, "type of return operand %u ('%s') doesn't match function result type ('%s') in function @%.*s",
                i, weft_text_of(c, ret->operands[i]->type), weft_text_of(c, f->parts[f->input_count + i]),
                WEFT_STR_ARG(name));
    return WEFT_OK;
}

/* A function without a body is a declaration. JAX ends functions that custom calls name with stablehlo.return, which
 * MLIR accepts; an unknown op may end one as well. */
weft_status weft_infer_func(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    const weft_type *f = weft_func_type(op);
    if (!f || f->kind != WEFT_TYPE_FUNCTION) return weft_bad(c, op, "function_type is not a function type");
    const weft_str seen = weft_op_symbol(op, WEFT_A_sym_visibility);
    if (seen.n && !weft_is_visibility(seen))
        return weft_bad(c, op, "visibility expected to be one of [\"public\", \"private\", \"nested\"], but got \"%.*s\"",
                        WEFT_STR_ARG(seen));
    uint32_t n_in = f->input_count, n_out = f->part_count - f->input_count;
    weft_status st = check_value_attrs(c, op, WEFT_A_arg_attrs, "argument", f->parts, n_in);
    if (st == WEFT_OK) st = check_value_attrs(c, op, WEFT_A_res_attrs, "result", f->parts + n_in, n_out);
    if (st != WEFT_OK || !op->regions[0].first) return st;
    const weft_op *ret, *last = weft_op_body(op, 0)->last;
    const bool other = last && (last->kind == WEFT_OP_return || last->kind == WEFT_OP_other);
    st = weft_check_body(c, op, 0, f->parts, n_in, other ? (weft_op_kind)last->kind : WEFT_OP_func_return, &ret);
    if (st != WEFT_OK || ret->kind == WEFT_OP_other) return st;
    return ret->kind == WEFT_OP_func_return ? check_exact(c, op, ret, f)
                                            : weft_check_yields(c, op, ret, f->parts + n_in, n_out);
}

/* op's operands and results are those of the function named by attribute `name`. */
static weft_status check_callee(weft_checker *c, const weft_op *op, weft_attr_name name, const weft_type **types) {
    weft_str callee = weft_op_symbol(op, name);
    const weft_op *f = weft_check_symbol(c, op, callee);
    if (!f || f->kind != WEFT_OP_func) {
        const weft_nearest near = weft_nearest_symbol(c, op, WEFT_OP_func, callee);
        return weft_bad(c, op, "there is no function '@%.*s'" WEFT_NEAREST, WEFT_STR_ARG(callee),
                        WEFT_NEAREST_ARG(near));
    }
    const weft_attr *a = weft_op_attr(f, WEFT_A_function_type);
    if (!a || a->kind != WEFT_ATTR_TYPE || a->type->kind != WEFT_TYPE_FUNCTION) return WEFT_OK; /* reported there */
    const weft_type *t = a->type;
    uint32_t n_out = t->part_count - t->input_count;
    if (op->operand_count != t->input_count)
        return weft_bad(c, op, "has %u operands, but '@%.*s' takes %u", op->operand_count, WEFT_STR_ARG(callee),
                        t->input_count);
    if (op->result_count != n_out)
        return weft_bad(c, op, "has %u results, but '@%.*s' returns %u", op->result_count, WEFT_STR_ARG(callee), n_out);
    for (uint32_t i = 0; i < t->input_count; i++)
        if (!weft_types_agree(op->operands[i]->type, t->parts[i]))
            return weft_bad(c, op, "operand %u has type '%s', but '@%.*s' takes '%s'", i,
                            weft_text_of(c, op->operands[i]->type), WEFT_STR_ARG(callee), weft_text_of(c, t->parts[i]));
    for (uint32_t i = 0; i < n_out; i++) types[i] = t->parts[t->input_count + i];
    return WEFT_OK;
}

weft_status weft_infer_call(weft_checker *c, const weft_op *op, const weft_type **types) {
    return check_callee(c, op, WEFT_A_callee, types);
}

/* Independent of the locale. */
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* A composite is named "dialect.op". */
weft_status weft_infer_composite(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_str name = weft_op_symbol(op, WEFT_A_name);
    size_t dot = 0;
    bool ok = name.n > 2 && is_letter(name.p[0]);
    for (size_t i = 0; ok && i < name.n; i++) {
        char ch = name.p[i];
        if (ch == '.' && !dot) dot = i;
        ok = is_letter(ch) || (ch >= '0' && ch <= '9') || ch == '_' || ch == '$' || ch == '-' || ch == '.';
    }
    if (!ok || !dot || dot + 1 == name.n || name.p[dot + 1] == '.')
        return weft_bad(c, op, "name \"%.*s\" is not of the form \"dialect.op\"", WEFT_STR_ARG(name));
    return check_callee(c, op, WEFT_A_decomposition, types);
}
