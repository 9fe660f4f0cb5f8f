/* call.c: the rule of func.call.
 *
 * A small function is put in place of its call: what it hides (a slice at a loop's counter) decides about memory. Of
 * others there are two new functions for each set of arguments that vary and of results that have a cotangent, made
 * once: @f_forward returns f's results and what the second needs, @f_backward makes of the results' cotangents and of
 * what was saved the arguments' cotangents. An argument or result of f that is needed is the caller's, no further
 * result.
 */
#include "differentiate/grad.h"

enum { SMALL = 24 }; /* ops */

typedef struct source { enum { OF_ARGUMENT, OF_RESULT } of; uint32_t index; } source;

typedef struct gd_function gd_function;
struct gd_function {
    gd_function *next;
    const weft_op *callee;
    const bool *varied, *useful; /* by argument, by result */
    weft_op *forward, *backward; /* func.func */
    source *saved;               /* what backward is given besides cotangents */
    size_t saved_count;
    const bool *given;           /* by argument: backward returns its cotangent */
    uint32_t given_count;
    bool making;                 /* it calls itself */
};

/* ---- one call in place ---- */

static size_t ops_of(const weft_block *blk) {
    size_t n = 0;
    WEFT_EACH_OP(op, blk) n += op->region_count ? 1 + (op->kind == WEFT_OP_reduce ? 0 : SMALL) : 1;
    return n;
}

void gd_take_place(gd *g, weft_op *op, const weft_op *before, weft_value *const *out) {
    const weft_op *first = before ? before->next : op->parent->first;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (out[i]) gd_of(g, out[i])->marks |= gd_of(g, &op->results[i])->marks & GD_USEFUL;
    gd_mark_ops(g, first, op);
    for (uint32_t i = 0; i < op->result_count; i++)
        if (out[i]) gd_add(g, out[i], gd_ct(g, op, i));
    gd_replace(g, op, out);
}

void gd_put_in_place(gd *g, weft_op *call, const weft_block *body) {
    weft_map *map = gd_map(g);
    const weft_op *before = call->prev;
    weft_builder b;
    weft_builder_init(&b, g->m, call->parent);
    b.before = call;
    weft_value **out = weft_arena_array(g->arena, weft_value *, call->result_count + 1);
    if (!map || !out) {
        gd_fail(g, weft_oom());
        return;
    }
    for (uint32_t i = 0; i < body->arg_count; i++) map->to[body->args[i]->id] = call->operands[i];
    WEFT_EACH_OP(op, body) {
        if (op == body->last) break;
        b.loc = op->loc;
        weft_clone_op(&b, op, map);
    }
    if (b.status != WEFT_OK) {
        gd_fail(g, b.status);
        return;
    }
    for (uint32_t i = 0; i < call->result_count; i++) out[i] = map->to[body->last->operands[i]->id];
    gd_take_place(g, call, before, out);
}

/* ---- the two functions ---- */

static weft_value *save(gd *g, gd_scope *s, weft_value *v) {
    weft_value *here = weft_build_block_arg(&s->b, s->b.block, v->type, s->b.loc);
    return gd_note_saved(g, s, v, here) ? here : NULL;
}

static bool is_argument(const gd_scope *s, const weft_value *v) {
    (void)s;
    return !v->def;
}

static weft_op *clone_callee(gd *g, const weft_op *callee) {
    weft_map *map = gd_map(g);
    weft_builder b;
    weft_builder_init(&b, g->m, callee->parent);
    b.before = callee->next;
    b.loc = callee->loc;
    return map ? weft_clone_op(&b, callee, map) : NULL;
}

static weft_status name_function(gd *g, weft_op *f, const weft_op *callee, const char *ending) {
    weft_str old = weft_op_symbol(callee, WEFT_A_sym_name);
    weft_buf text;
    weft_buf_init(&text, &g->cx->alloc);
    weft_buf_str(&text, old);
    weft_buf_puts(&text, ending);
    weft_name wanted = text.failed ? NULL : weft_name_intern(g->cx, (weft_str){ text.p, text.n });
    weft_buf_free(&text);
    weft_name name = wanted ? weft_symbols_add(&g->symbols, wanted) : NULL;
    const weft_attr *attr = name ? weft_attr_string(g->cx, (weft_str){ name->text, name->n }) : NULL,
                    *hidden = weft_attr_string(g->cx, WEFT_STR("private"));
    if (!attr || !hidden) return weft_oom();
    weft_status st = weft_op_set(g->m, f, WEFT_A_sym_name, attr);
    return st == WEFT_OK ? weft_op_set(g->m, f, WEFT_A_sym_visibility, hidden) : st;
}

/* Its type from its block. */
static weft_status type_function(gd *g, weft_op *f) {
    const weft_block *blk = weft_op_body(f, 0);
    const uint32_t n = blk->arg_count, k = blk->last->operand_count;
    const weft_type **types = weft_arena_array(g->arena, const weft_type *, (size_t)n + k + 1);
    if (!types) return weft_oom();
    for (uint32_t i = 0; i < n; i++) types[i] = blk->args[i]->type;
    for (uint32_t i = 0; i < k; i++) types[n + i] = blk->last->operands[i]->type;
    const weft_type *t = weft_type_function(g->cx, types, n, types + n, k);
    const weft_attr *attr = t ? weft_attr_type(g->cx, t) : NULL;
    return attr ? weft_op_set(g->m, f, WEFT_A_function_type, attr) : weft_oom();
}

/* Results that were added have no attributes. */
static weft_status extend_result_attrs(gd *g, weft_op *f) {
    const weft_attr *list = weft_op_attr(f, WEFT_A_res_attrs);
    const uint32_t n = weft_op_body(f, 0)->last->operand_count;
    if (!list || list->kind != WEFT_ATTR_ARRAY || list->items.n == n) return WEFT_OK;
    const weft_attr **items = weft_arena_array(g->arena, const weft_attr *, n + 1);
    const weft_attr *none = weft_attr_dict(g->cx, NULL, 0);
    if (!items || !none) return weft_oom();
    for (uint32_t i = 0; i < n; i++) items[i] = i < list->items.n ? list->items.v[i] : none;
    const weft_attr *all = weft_attr_array(g->cx, items, n);
    return all ? weft_op_set(g->m, f, WEFT_A_res_attrs, all) : weft_oom();
}

/* Where the caller finds what was saved; what it cannot have yet becomes a further result of forward. */
static void place_saved(gd *g, gd_function *f, const gd_scope *s) {
    weft_op *ret = weft_op_body(f->forward, 0)->last;
    f->saved_count = s->saved_count;
    f->saved = weft_arena_array(g->arena, source, s->saved_count + 1);
    if (!f->saved) gd_fail(g, weft_oom());
    for (size_t i = 0; i < s->saved_count && gd_status(g) == WEFT_OK; i++) {
        weft_value *v = s->saved[i].v;
        uint32_t k = 0;
        if (!v->def) {
            f->saved[i] = (source){ OF_ARGUMENT, v->index };
            continue;
        }
        while (k < ret->operand_count && ret->operands[k] != v) k++;
        if (k == ret->operand_count) gd_extend_operands(g, ret, &v, 1);
        f->saved[i] = (source){ OF_RESULT, k };
    }
}

static void return_cotangents(gd *g, gd_function *f, gd_scope *s) {
    const weft_block *blk = s->forward;
    weft_value **out = weft_arena_array(g->arena, weft_value *, blk->arg_count + 1);
    bool *given = weft_arena_array(g->arena, bool, blk->arg_count + 1);
    if (!out || !given) {
        gd_fail(g, weft_oom());
        return;
    }
    f->given = given;
    for (uint32_t i = 0; i < blk->arg_count; i++) {
        weft_value *sum = f->varied[i] ? *gd_slot(g, blk->args[i]) : NULL;
        given[i] = sum != NULL;
        if (sum) out[f->given_count++] = sum;
    }
    gd_build_return(g, &s->b, WEFT_OP_func_return, out, f->given_count);
}

static void build_backward(gd *g, gd_function *f, gd_scope *s) {
    weft_builder b;
    weft_builder_init(&b, g->m, f->callee->parent);
    b.before = f->forward->next;
    b.loc = f->callee->loc;
    const weft_type *none = weft_type_function(g->cx, NULL, 0, NULL, 0);
    const weft_named_attr attrs[] = {
        { weft_name_at(g->cx, WEFT_A_sym_name), weft_attr_string(g->cx, WEFT_STR("")) },
        { weft_name_at(g->cx, WEFT_A_function_type), none ? weft_attr_type(g->cx, none) : NULL }
    };
    f->backward = weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_func, .attrs = attrs, .attr_count = 2,
                                                     .region_count = 1 });
    if (!f->backward) {
        gd_fail(g, b.status);
        return;
    }
    gd_put_block(s->b.block, &f->backward->regions[0]);
    weft_status st = name_function(g, f->backward, f->callee, "_backward");
    if (st == WEFT_OK) st = type_function(g, f->backward);
    if (st == WEFT_OK) st = name_function(g, f->forward, f->callee, "_forward");
    if (st == WEFT_OK) st = type_function(g, f->forward);
    if (st == WEFT_OK) st = extend_result_attrs(g, f->forward);
    gd_fail(g, st);
}

static void make(gd *g, gd_function *f) {
    gd_scope *outer = g->scope, s = { .save = save, .free = is_argument };
    if (!g->symbols.cx && weft_symbols_open(g->m, g->arena, &g->symbols) != WEFT_OK) gd_fail(g, weft_oom());
    f->forward = gd_status(g) == WEFT_OK ? clone_callee(g, f->callee) : NULL;
    if (!f->forward) {
        gd_fail(g, weft_oom());
        return;
    }
    weft_block *blk = weft_op_body(f->forward, 0);
    const weft_op *ret = blk->last;
    for (uint32_t i = 0; i < blk->arg_count; i++)
        if (f->varied[i]) gd_of(g, blk->args[i])->marks |= GD_VARIED;
    for (uint32_t i = 0; i < ret->operand_count; i++)
        if (f->useful[i]) gd_of(g, ret->operands[i])->marks |= GD_USEFUL;
    gd_mark(g, blk);
    g->scope = NULL;
    gd_open(g, &s, f->forward, blk);
    for (uint32_t i = 0; i < ret->operand_count; i++)
        if (f->useful[i]) {
            weft_value *v = ret->operands[i];
            gd_add(g, v, weft_build_block_arg(&s.b, s.b.block, v->type, ret->loc));
        }
    f->making = true;
    gd_sweep(g);
    f->making = false;
    if (gd_status(g) == WEFT_OK) return_cotangents(g, f, &s);
    gd_close(g, &s);
    if (gd_status(g) == WEFT_OK) place_saved(g, f, &s);
    if (gd_status(g) == WEFT_OK) build_backward(g, f, &s);
    g->scope = outer;
}

static bool same(const bool *a, const bool *b, uint32_t n) { return !memcmp(a, b, n * sizeof *a); }

static gd_function *function_for(gd *g, const weft_op *call, const weft_op *callee) {
    bool *varied = weft_arena_array(g->arena, bool, call->operand_count + 1),
         *useful = weft_arena_array(g->arena, bool, call->result_count + 1);
    gd_function *f = weft_arena_new(g->arena, gd_function);
    if (!varied || !useful || !f) {
        gd_fail(g, weft_oom());
        return NULL;
    }
    for (uint32_t i = 0; i < call->operand_count; i++) varied[i] = gd_wants(g, call, i);
    for (uint32_t i = 0; i < call->result_count; i++) useful[i] = gd_ct(g, call, i) != NULL;
    for (gd_function *made = g->functions; made; made = made->next)
        if (made->callee == callee && same(made->varied, varied, call->operand_count) &&
            same(made->useful, useful, call->result_count))
            return made;
    *f = (gd_function){ .next = g->functions, .callee = callee, .varied = varied, .useful = useful };
    g->functions = f;
    make(g, f);
    return f;
}

/* ---- the two calls ---- */

static weft_op *build_call(gd *g, weft_builder *b, const weft_op *f, weft_value *const *in, uint32_t n) {
    const weft_type *t = weft_func_type(f);
    weft_str name = weft_op_symbol(f, WEFT_A_sym_name);
    weft_name interned = weft_name_intern(g->cx, name);
    weft_named_attr to = { weft_name_at(g->cx, WEFT_A_callee), interned ? weft_attr_symbol(g->cx, interned) : NULL };
    return weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_func_call, .operands = in, .operand_count = n,
                                             .types = t->parts + t->input_count,
                                             .result_count = t->part_count - t->input_count, .attrs = &to,
                                             .attr_count = 1 });
}

/* What the function makes again it makes when the cotangents are there: before, it would be held as long as if it had
 * been kept. */
static void wait_for(gd *g, weft_value **v, uint32_t n) {
    const weft_type **types = weft_arena_array(g->arena, const weft_type *, n + 1);
    if (!types) gd_fail(g, weft_oom());
    for (uint32_t i = 0; types && i < n; i++) types[i] = v[i] ? v[i]->type : NULL;
    weft_op *barrier = types ? weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_optimization_barrier,
                                                                       .operands = v, .operand_count = n,
                                                                       .types = types, .result_count = n })
                             : NULL;
    for (uint32_t i = 0; barrier && i < n; i++) v[i] = &barrier->results[i];
}

static void call_both(gd *g, weft_op *call, const gd_function *f) {
    weft_builder before;
    weft_builder_init(&before, g->m, call->parent);
    before.before = call;
    before.loc = call->loc;
    weft_op *forward = build_call(g, &before, f->forward, call->operands, call->operand_count);
    weft_value **in = weft_arena_array(g->arena, weft_value *, call->result_count + f->saved_count + 1);
    uint32_t n = 0, k = 0;
    if (!forward || !in) {
        gd_fail(g, weft_oom());
        return;
    }
    for (uint32_t i = 0; i < call->result_count; i++)
        if (gd_ct(g, call, i)) in[n++] = gd_ct(g, call, i);
    for (size_t i = 0; i < f->saved_count; i++) {
        const source at = f->saved[i];
        in[n++] = gd_here(g, at.of == OF_ARGUMENT ? call->operands[at.index] : &forward->results[at.index]);
    }
    if (g->what->keep != WEFT_KEEP_ALL) wait_for(g, in, n);
    weft_op *backward = build_call(g, gd_b(g), f->backward, in, n);
    for (uint32_t i = 0; backward && i < call->operand_count; i++)
        if (f->given[i]) gd_give(g, call, i, &backward->results[k++]);
    gd_replace_by_op(g, call, forward);
}

void gd_rule_call(gd *g, const weft_op *op) {
    weft_op *call = (weft_op *)op;
    const weft_op *callee = weft_module_symbol(g->m, weft_op_symbol(op, WEFT_A_callee));
    if (!callee || !callee->region_count || !weft_op_body(callee, 0)) {
        gd_refuse(g, op, "the function has no body");
        return;
    }
    if (ops_of(weft_op_body(callee, 0)) <= SMALL) {
        gd_put_in_place(g, call, weft_op_body(callee, 0));
        return;
    }
    const gd_function *f = function_for(g, op, callee);
    if (gd_status(g) != WEFT_OK) return;
    if (f->making) gd_refuse(g, op, "the function calls itself");
    else call_both(g, call, f);
}
