/* transform.c: maps every sharding of a module; see transform.h. */
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/transform.h"

typedef struct transform {
    weft_shardings *t;
    weft_sharding_map map;
    void *user;
    weft_typed_map border_map;
    weft_borders borders;
    const weft_op *main;
    const weft_sharding **done; /* by id of the old sharding */
    size_t cap;
    weft_arena arena;
} transform;

static weft_status map_sharding(transform *x, const weft_attr *a, const weft_loc *loc, const weft_sharding **from,
                                const weft_sharding **to) {
    weft_status st = weft_sharding_from_attr(x->t, a, loc, from);
    if (st != WEFT_OK) return st;
    uint32_t id = (*from)->id;
    if (!weft_arena_grow(&x->arena, (void **)&x->done, &x->cap, (size_t)id + 1, sizeof *x->done)) return weft_oom();
    if (!x->done[id]) x->done[id] = x->map(x->t, *from, x->user);
    *to = x->done[id];
    return *to ? WEFT_OK : weft_oom();
}

static weft_status map_one(transform *x, const weft_attr *a, const weft_loc *loc, const weft_attr **out) {
    const weft_sharding *from, *to;
    weft_status st = map_sharding(x, a, loc, &from, &to);
    if (st != WEFT_OK) return st;
    *out = to == from ? a : weft_sharding_to_attr(x->t, to);
    return *out ? WEFT_OK : weft_oom();
}

/* The usual list, of one sharding: made once for all ops that have it. */
static weft_status map_single(transform *x, const weft_attr *a, const weft_loc *loc, const weft_attr **out) {
    const weft_sharding *from, *to;
    weft_status st = map_sharding(x, a->items.v[0], loc, &from, &to);
    if (st != WEFT_OK) return st;
    *out = to == from ? a : weft_sharding_to_per_value(x->t, to);
    return *out ? WEFT_OK : weft_oom();
}

static weft_status map_items(transform *x, weft_context *cx, const weft_attr *a, const weft_loc *loc,
                             const weft_attr **out) {
    if (a->items.n == 1) return map_single(x, a, loc, out);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_attr **v = weft_scratch_array(cx, const weft_attr *, a->items.n);
    weft_status st = v ? WEFT_OK : weft_oom();
    bool changed = false;
    for (uint32_t i = 0; st == WEFT_OK && i < a->items.n; i++) {
        st = map_one(x, a->items.v[i], loc, &v[i]);
        changed |= st == WEFT_OK && v[i] != a->items.v[i];
    }
    *out = a;
    if (st == WEFT_OK && changed &&
        !(*out = weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { v, a->items.n } })))
        st = weft_oom();
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

/* One sharding, a list of them, or another attribute, which stays. */
static weft_status map_attr(transform *x, weft_context *cx, const weft_attr *a, const weft_loc *loc,
                            const weft_attr **out) {
    *out = a;
    if (a->kind == WEFT_ATTR_SHARDING) return map_one(x, a, loc, out);
    if (a->kind == WEFT_ATTR_SHARDINGS) return map_items(x, cx, a, loc, out);
    return WEFT_OK;
}

/* The attribute dictionaries of a function's arguments or results. */
static weft_status map_dicts(transform *x, weft_copy *c, weft_op *f, weft_attr_name name) {
    const weft_attr *dicts = weft_op_attr(f, name);
    if (!dicts) return WEFT_OK;
    weft_context *cx = c->b.m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_sharding **of = weft_scratch_array(cx, const weft_sharding *, dicts->items.n);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < dicts->items.n; i++) {
        const weft_attr *a = weft_dict_get(dicts->items.v[i], WEFT_A_sdy_sharding);
        if (!a) continue;
        if ((st = map_one(x, a, f->loc, &a)) == WEFT_OK) st = weft_sharding_from_attr(x->t, a, f->loc, &of[i]);
    }
    if (st == WEFT_OK)
        st = weft_func_set_shardings(x->t, c->out, f, name == WEFT_A_arg_attrs ? of : NULL,
                                     name == WEFT_A_res_attrs ? of : NULL);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

static weft_status transform_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    transform *x = c->user;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->attr_count; i++) {
        const weft_attr *to;
        if (!weft_op_attr_says_sharding(op, op->attrs[i].name)) continue;
        st = map_attr(x, c->b.m->cx, op->attrs[i].value, op->loc, &to);
        if (st == WEFT_OK && to != op->attrs[i].value) st = weft_op_set_attr(c->out, copy, op->attrs[i].name, to);
    }
    if (st != WEFT_OK || op->kind != WEFT_OP_func) return st;
    st = map_dicts(x, c, copy, WEFT_A_arg_attrs);
    return st == WEFT_OK ? map_dicts(x, c, copy, WEFT_A_res_attrs) : st;
}

weft_status weft_transform_shardings(const weft_pass *p, const weft_module *in, weft_sharding_map map, void *user,
                                     weft_module **out) {
    transform x = { .map = map, .user = user };
    weft_arena_init(&x.arena, &in->cx->chunks);
    weft_status st = weft_shardings_open(in->cx, in, &x.arena, &x.t);
    if (st == WEFT_OK) st = weft_edit_module(p, in, &(weft_copy_hooks){ .after = transform_op }, &x, out);
    weft_arena_free(&x.arena);
    return st;
}

static weft_status map_call(transform *x, weft_copy *c, const weft_op *op, weft_op *copy) {
    weft_mark mark = weft_arena_mark(&c->b.m->cx->scratch);
    const weft_sharding **of = weft_scratch_array(c->b.m->cx, const weft_sharding *, op->result_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        if ((st = weft_value_sharding(x->t, &op->results[i], &of[i])) != WEFT_OK || !of[i]) continue;
        if (!(of[i] = x->border_map(x->t, of[i], op->results[i].type))) st = weft_oom();
    }
    if (st == WEFT_OK && weft_op_attr(op, WEFT_A_sdy_sharding)) st = weft_op_set_shardings(x->t, c->out, copy, of);
    weft_arena_reset(&c->b.m->cx->scratch, mark);
    return st;
}

static weft_status map_border(weft_copy *c, const weft_op *op, weft_op *copy) {
    transform *x = c->user;
    if (op->kind == WEFT_OP_func_call && x->borders == WEFT_BORDERS_OF_ALL) return map_call(x, c, op, copy);
    if (op->kind != WEFT_OP_func || (op != x->main && x->borders == WEFT_BORDERS_OF_MAIN)) return WEFT_OK;
    weft_context *cx = c->b.m->cx;
    const weft_type *type = weft_func_type(op);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_sharding **of = weft_scratch_array(cx, const weft_sharding *, type->part_count);
    weft_status st = of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < type->part_count; i++) {
        const weft_attr *a = i < type->input_count
                                 ? weft_func_arg_attr(op, i, WEFT_A_sdy_sharding)
                                 : weft_func_result_attr(op, i - type->input_count, WEFT_A_sdy_sharding);
        if (!a || (st = weft_sharding_from_attr(x->t, a, op->loc, &of[i])) != WEFT_OK) continue;
        if (!(of[i] = x->border_map(x->t, of[i], type->parts[i]))) st = weft_oom();
    }
    if (st == WEFT_OK) st = weft_func_set_shardings(x->t, c->out, copy, of, of + type->input_count);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

/* Whether the map changes any argument or result of f. */
static weft_status border_changes(const transform *x, const weft_op *f, bool *changes) {
    const weft_type *type = weft_func_type(f);
    for (uint32_t i = 0; i < type->part_count; i++) {
        const weft_sharding *s, *to;
        const weft_attr *a = i < type->input_count
                                 ? weft_func_arg_attr(f, i, WEFT_A_sdy_sharding)
                                 : weft_func_result_attr(f, i - type->input_count, WEFT_A_sdy_sharding);
        if (!a) continue;
        weft_status st = weft_sharding_from_attr(x->t, a, f->loc, &s);
        if (st != WEFT_OK) return st;
        if (!(to = x->border_map(x->t, s, type->parts[i]))) return weft_oom();
        *changes |= to != s;
    }
    return WEFT_OK;
}

weft_status weft_transform_borders(const weft_pass *p, const weft_module *in, weft_borders borders, weft_typed_map map,
                                   weft_module **out) {
    transform x = { .border_map = map, .borders = borders, .main = weft_module_main(in) };
    bool calls = borders == WEFT_BORDERS_OF_ALL && weft_module_has_kind(in, WEFT_OP_func_call), changes = calls;
    weft_arena_init(&x.arena, &in->cx->chunks);
    weft_status st = weft_shardings_open(in->cx, in, &x.arena, &x.t);
    WEFT_EACH_OP(op, weft_module_body(in)) {
        if (st == WEFT_OK && !changes && op->kind == WEFT_OP_func && (borders == WEFT_BORDERS_OF_ALL || op == x.main))
            st = border_changes(&x, op, &changes);
    }
    if (st == WEFT_OK && changes)
        st = weft_edit_module(p, in, &(weft_copy_hooks){ .after = map_border, .outermost = !calls }, &x, out);
    weft_arena_free(&x.arena);
    return st;
}
