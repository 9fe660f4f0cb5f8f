/* append.c: options and results of the passes that append derivatives; see append.h. */
#include "differentiate/append.h"
#include "ir/func_attrs.h"

static weft_status usage(ap_request *r, const char *what, int64_t i) {
    return weft_report(r->m->cx, WEFT_D_usage, r->main->loc, what, (long long)i);
}

static weft_status add_wrt(ap_request *r, int64_t i) {
    weft_block *body = r->body;
    if (i < 0 || i >= body->arg_count) return usage(r, "wrt: @main has no argument %lld", i);
    if (!weft_type_has_derivative(body->args[i]->type))
        return weft_report(r->m->cx, WEFT_D_usage, weft_value_loc(body->args[i]),
                           "wrt: argument %lld of @main has no gradient: its elements are not floats", (long long)i);
    for (uint32_t k = 0; k < r->what.n; k++)
        if (r->wrt[k] == body->args[i]) return usage(r, "wrt: argument %lld is named twice", i);
    r->wrt[r->what.n++] = body->args[i];
    return WEFT_OK;
}

weft_status ap_add_of(ap_request *r, int64_t i) {
    const weft_op *ret = r->body->last;
    if (i < 0 || i >= ret->operand_count) return usage(r, "of: @main has no result %lld", i);
    if (!weft_type_has_derivative(ret->operands[i]->type))
        return weft_report(r->m->cx, WEFT_D_usage, ret->loc, "of: result %lld of @main has no derivative: its elements "
                           "are not floats", (long long)i);
    for (uint32_t k = 0; k < r->what.of_n; k++)
        if (r->of_index[k] == i) return usage(r, "of: result %lld is named twice", i);
    r->of_index[r->what.of_n] = (uint32_t)i;
    r->of[r->what.of_n++] = ret->operands[i];
    return WEFT_OK;
}

weft_status ap_read_list(ap_request *r, const char *name, weft_str text, weft_status (*add)(ap_request *, int64_t)) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < text.n; i++) {
        int64_t v = 0;
        const size_t begin = i;
        for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9' && v < INT32_MAX; i++)
            v = 10 * v + (text.p[i] - '0');
        if (i == begin || (i < text.n && (text.p[i] != ',' || i + 1 == text.n)))
            return weft_report(r->m->cx, WEFT_D_usage, r->main->loc, "%s: '%.*s' is not a list of numbers, as in 1,2",
                               name, (int)text.n, text.p);
        st = add(r, v);
    }
    return st;
}

static weft_status read_keep(ap_request *r, weft_str text) {
    static const char *const words[] = { "all", "products", "nothing" };
    for (size_t i = 0; i < WEFT_COUNT(words); i++)
        if (weft_str_is(text, words[i])) {
            r->what.keep = (weft_keep)i;
            return WEFT_OK;
        }
    return weft_report(r->m->cx, WEFT_D_usage, r->main->loc, "keep: '%.*s' is not one of all, products, nothing",
                       (int)text.n, text.p);
}

weft_status ap_read_options(ap_request *r, const weft_pass *p) {
    weft_context *cx = r->m->cx;
    const weft_str wrt = weft_pass_text(p, "wrt", WEFT_STR(""));
    r->main = weft_module_main(r->m);
    r->body = r->main ? weft_op_body(r->main, 0) : NULL;
    if (!r->body) return weft_report(cx, WEFT_D_usage, r->m->root->loc, "the program has no function @main");
    const size_t room = r->body->arg_count + r->body->last->operand_count + 1u;
    r->wrt = weft_scratch_array(cx, weft_value *, room);
    r->of = weft_scratch_array(cx, weft_value *, room);
    r->out = weft_scratch_array(cx, weft_value *, room);
    r->of_index = weft_scratch_array(cx, uint32_t, room);
    if (!r->wrt || !r->of || !r->out || !r->of_index) return weft_oom();
    r->what = (weft_gradients){ .of = r->of, .wrt = r->wrt, .bound = weft_pass_int(p, "bound", 0),
                                .rules = weft_pass_text(p, "rules", WEFT_STR("")) };
    if (r->what.bound < 0) return usage(r, "bound: %lld is not a number of iterations", r->what.bound);
    weft_status st = read_keep(r, weft_pass_text(p, "keep", WEFT_STR("all")));
    for (uint32_t i = 0; st == WEFT_OK && !wrt.n && i < r->body->arg_count; i++)
        if (weft_type_has_derivative(r->body->args[i]->type)) st = add_wrt(r, i);
    return st == WEFT_OK ? ap_read_list(r, "wrt", wrt, add_wrt) : st;
}

/* Result attributes: those of the results so far, and the shardings of the further ones. */
static weft_status set_result_attrs(ap_request *r, uint32_t old, const weft_attr *const *shardings, uint32_t n) {
    weft_context *cx = r->m->cx;
    const weft_attr *list = weft_op_attr(r->main, WEFT_A_res_attrs);
    const weft_attr **items = weft_scratch_array(cx, const weft_attr *, old + n + 1);
    bool any = list != NULL;
    if (!items) return weft_oom();
    for (uint32_t i = 0; i < old + n; i++) {
        const weft_attr *sharding = i < old ? NULL : shardings[i - old];
        weft_named_attr one = { weft_name_at(cx, WEFT_A_sdy_sharding), sharding };
        any |= sharding != NULL;
        items[i] = i < old && list && i < list->items.n ? list->items.v[i]
                                                        : weft_attr_dict(cx, &one, sharding != NULL);
        if (!items[i]) return weft_oom();
    }
    const weft_attr *all = any ? weft_attr_array(cx, items, old + n) : NULL;
    if (any && !all) return weft_oom();
    return any ? weft_op_set(r->m, r->main, WEFT_A_res_attrs, all) : WEFT_OK;
}

weft_status ap_return(ap_request *r, weft_builder *b, const weft_attr *const *shardings, uint32_t n) {
    weft_context *cx = r->m->cx;
    weft_op *ret = r->body->last;
    const uint32_t old = ret->operand_count, all = old + n, inputs = r->body->arg_count;
    weft_value **v = weft_scratch_array(cx, weft_value *, all + 1);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, inputs + all + 1);
    if (!v || !types) return weft_oom();
    for (uint32_t i = 0; i < inputs; i++) types[i] = r->body->args[i]->type;
    for (uint32_t i = 0; i < all; i++) {
        v[i] = i < old ? ret->operands[i] : r->out[i - old];
        types[inputs + i] = v[i]->type;
    }
    b->loc = ret->loc;
    weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_func_return, .operands = v, .operand_count = all });
    const weft_type *type = weft_type_function(cx, types, inputs, types + inputs, all);
    const weft_attr *attr = type ? weft_attr_type(cx, type) : NULL;
    weft_op_remove(ret);
    if (b->status != WEFT_OK) return b->status;
    weft_status st = attr ? weft_op_set(r->m, r->main, WEFT_A_function_type, attr) : weft_oom();
    return st == WEFT_OK ? set_result_attrs(r, old, shardings, n) : st;
}

weft_status ap_run(weft_pass *p, const weft_module *in, weft_status (*append)(ap_request *, const weft_pass *),
                   weft_module **out) {
    ap_request r = { .m = p->own };
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
