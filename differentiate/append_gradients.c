/* append_gradients: @main returns, after its results, the gradients of a scalar result with respect to arguments.
 *
 * Options: of, the number of the result; wrt, the numbers of arguments ("1,2"; empty: all of floats or complex
 * numbers); keep, what the backward pass may keep (differentiate.h); bound, the most iterations of loops of unknown
 * trip count; rules, backward functions of custom calls. A gradient's sharding is its argument's. Needs: no tuples,
 * composites, CHLO broadcasts (the pipeline weft-differentiate). Leaves: functions that only replaced calls have used
 * are removed. */
#include "differentiate/differentiate.h"
#include "ir/func_attrs.h"

typedef struct request {
    weft_module *m;
    weft_op *main;
    weft_value **wrt, **out;
    uint32_t n;
    weft_gradients what;
} request;

static weft_status usage(weft_context *cx, const char *what, int64_t i, const weft_op *main) {
    return weft_report(cx, WEFT_D_usage, main->loc, what, (long long)i);
}

static bool has_tangent(const weft_type *t) {
    return weft_type_is_tensor(t) && !t->quant && (weft_dtype_is_float(t->dtype) || weft_dtype_is_complex(t->dtype));
}

static weft_status add_wrt(request *r, int64_t i, const weft_block *body) {
    if (i < 0 || i >= body->arg_count)
        return usage(r->m->cx, "wrt: @main has no argument %lld", i, r->main);
    if (!has_tangent(body->args[i]->type))
        return weft_report(r->m->cx, WEFT_D_usage, weft_value_loc(body->args[i]),
                           "wrt: argument %lld of @main has no gradient: its elements are not floats", (long long)i);
    for (uint32_t k = 0; k < r->n; k++)
        if (r->wrt[k] == body->args[i]) return usage(r->m->cx, "wrt: argument %lld is named twice", i, r->main);
    r->wrt[r->n++] = body->args[i];
    return WEFT_OK;
}

/* "1,2": decimal numbers. */
static weft_status read_wrt(request *r, weft_str text, const weft_block *body) {
    weft_status st = WEFT_OK;
    if (!text.n)
        for (uint32_t i = 0; st == WEFT_OK && i < body->arg_count; i++)
            if (has_tangent(body->args[i]->type)) st = add_wrt(r, i, body);
    for (size_t i = 0; st == WEFT_OK && i < text.n; i++) {
        int64_t v = 0;
        const size_t begin = i;
        for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9' && v < INT32_MAX; i++)
            v = 10 * v + (text.p[i] - '0');
        if (i == begin || (i < text.n && (text.p[i] != ',' || i + 1 == text.n)))
            return weft_report(r->m->cx, WEFT_D_usage, r->main->loc,
                               "wrt: '%.*s' is not a list of argument numbers, as in 1,2", (int)text.n, text.p);
        st = add_wrt(r, v, body);
    }
    return st;
}

static weft_status read_keep(request *r, weft_str text) {
    static const char *const words[] = { "all", "products", "nothing" };
    for (size_t i = 0; i < WEFT_COUNT(words); i++)
        if (weft_str_is(text, words[i])) {
            r->what.keep = (weft_keep)i;
            return WEFT_OK;
        }
    return weft_report(r->m->cx, WEFT_D_usage, r->main->loc, "keep: '%.*s' is not one of all, products, nothing",
                       (int)text.n, text.p);
}

static weft_status read_options(request *r, const weft_pass *p) {
    weft_context *cx = r->m->cx;
    const int64_t of = weft_pass_int(p, "of", 0);
    r->main = weft_module_main(r->m);
    weft_block *body = r->main ? weft_op_body(r->main, 0) : NULL;
    if (!body) return weft_report(cx, WEFT_D_usage, r->m->root->loc, "the program has no function @main");
    const weft_op *ret = body->last;
    if (of < 0 || of >= ret->operand_count) return usage(cx, "of: @main has no result %lld", of, r->main);
    r->what.of = ret->operands[of];
    const weft_type *t = r->what.of->type;
    if (t->rank || !weft_type_is_tensor(t) || !weft_dtype_is_float(t->dtype))
        return weft_report(cx, WEFT_D_usage, ret->loc, "of: result %lld of @main is not a scalar of floats",
                           (long long)of);
    r->what.bound = weft_pass_int(p, "bound", 0);
    if (r->what.bound < 0) return usage(cx, "bound: %lld is not a number of iterations", r->what.bound, r->main);
    r->wrt = weft_scratch_array(cx, weft_value *, body->arg_count + 1);
    r->out = weft_scratch_array(cx, weft_value *, body->arg_count + 1);
    if (!r->wrt || !r->out) return weft_oom();
    r->what.rules = weft_pass_text(p, "rules", WEFT_STR(""));
    weft_status st = read_keep(r, weft_pass_text(p, "keep", WEFT_STR("all")));
    if (st == WEFT_OK) st = read_wrt(r, weft_pass_text(p, "wrt", WEFT_STR("")), body);
    r->what.wrt = r->wrt;
    r->what.n = r->n;
    return st;
}

/* Result attributes: those of the results so far, and each argument's sharding. */
static weft_status set_result_attrs(request *r, uint32_t old) {
    weft_context *cx = r->m->cx;
    const weft_attr *list = weft_op_attr(r->main, WEFT_A_res_attrs);
    const weft_attr **items = weft_scratch_array(cx, const weft_attr *, old + r->n + 1);
    bool any = list != NULL;
    if (!items) return weft_oom();
    for (uint32_t i = 0; i < old + r->n; i++) {
        const weft_attr *sharding =
            i < old ? NULL : weft_func_arg_attr(r->main, r->wrt[i - old]->index, WEFT_A_sdy_sharding);
        weft_named_attr one = { weft_name_at(cx, WEFT_A_sdy_sharding), sharding };
        any |= sharding != NULL;
        items[i] = i < old && list && i < list->items.n ? list->items.v[i]
                                                        : weft_attr_dict(cx, &one, sharding != NULL);
        if (!items[i]) return weft_oom();
    }
    const weft_attr *all = any ? weft_attr_array(cx, items, old + r->n) : NULL;
    if (any && !all) return weft_oom();
    return any ? weft_op_set(r->m, r->main, WEFT_A_res_attrs, all) : WEFT_OK;
}

/* The return, and the function's type. */
static weft_status return_all(request *r, weft_builder *b, weft_op *ret) {
    weft_context *cx = r->m->cx;
    const weft_type *f = weft_func_type(r->main);
    const uint32_t old = ret->operand_count, all = old + r->n;
    weft_value **v = weft_scratch_array(cx, weft_value *, all + 1);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, all + 1);
    if (!v || !types) return weft_oom();
    for (uint32_t i = 0; i < all; i++) {
        v[i] = i < old ? ret->operands[i] : r->out[i - old];
        types[i] = v[i]->type;
    }
    b->loc = ret->loc;
    weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_func_return, .operands = v, .operand_count = all });
    const weft_type *type = weft_type_function(cx, f->parts, f->input_count, types, all);
    const weft_attr *attr = type ? weft_attr_type(cx, type) : NULL;
    weft_op_remove(ret);
    if (b->status != WEFT_OK) return b->status;
    weft_status st = attr ? weft_op_set(r->m, r->main, WEFT_A_function_type, attr) : weft_oom();
    return st == WEFT_OK ? set_result_attrs(r, old) : st;
}

static weft_status append(request *r, const weft_pass *p) {
    weft_status st = read_options(r, p);
    if (st != WEFT_OK) return st;
    weft_block *body = weft_op_body(r->main, 0);
    weft_op *ret = body->last;
    weft_builder b;
    weft_builder_init(&b, r->m, body);
    b.before = ret;
    b.loc = ret->loc;
    st = weft_differentiate(&b, &r->what, r->out);
    return st == WEFT_OK ? return_all(r, &b, ret) : st;
}

weft_status weft_pass_append_gradients(weft_pass *p, const weft_module *in, weft_module **out) {
    request r = { .m = p->own };
    weft_mark mark = weft_arena_mark(&in->cx->scratch);
    weft_status st = r.m ? WEFT_OK : weft_module_clone(in, &r.m);
    if (st == WEFT_OK) st = append(&r, p);
    weft_arena_reset(&in->cx->scratch, mark);
    if (st == WEFT_OK) {
        weft_module_renumber(r.m);
        *out = r.m;
    } else if (r.m != p->own) {
        weft_module_free(r.m);
    }
    return st;
}
