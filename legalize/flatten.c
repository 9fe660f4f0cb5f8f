/* flatten: removes tuples, tokens and asynchronous ops.
 *
 * A tuple becomes its parts, nested ones too, and a future its values, wherever they occur: operands, results,
 * arguments of regions and functions, values carried by loops. A token becomes a tensor<i1> that is false and has no
 * meaning: ops with effects run in program order, which is one of the orders that tokens allow. A custom call that has
 * tokens is told which they were, of its operands and then its results: weft.tokens. The work of async_start
 * is done in its place. Communication with the host is refused here, since a run has no host program. Needs: a verified
 * module.
 * Leaves: no values of type tuple, token or future, and none of the ops below. Annotations of a tuple are removed with
 * it.
 * Source: StableHLO docs/spec.md, tuple, get_tuple_element, create_token, after_all, async_start, async_done.
 */
#include "ir/builder.h"
#include "legalize/legalize.h"

typedef struct leaves { weft_value **v; uint32_t n; } leaves;

typedef struct flattener {
    weft_context *cx;
    const weft_module *in;
    weft_arena *arena;
    leaves *of;             /* by old value id */
} flattener;

static void copy_ops(flattener *f, weft_builder *b, const weft_block *blk, const weft_op *last);

static bool is_bundle(const weft_type *t) {
    return t->kind == WEFT_TYPE_TUPLE || t->kind == WEFT_TYPE_TOKEN || t->kind == WEFT_TYPE_FUTURE;
}

/* ---- types ---- */

/* Types with parts: a future's are the results of its op. */
static bool has_parts(const weft_type *t) { return t->kind == WEFT_TYPE_TUPLE || t->kind == WEFT_TYPE_FUTURE; }

static uint32_t leaf_count(const weft_type *t) {
    if (!has_parts(t)) return 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->part_count; i++) n += leaf_count(t->parts[i]);
    return n;
}

/* false when memory is out. */
static bool leaf_types(flattener *f, const weft_type *t, const weft_type **out, uint32_t *n) {
    for (uint32_t i = 0; has_parts(t) && i < t->part_count; i++)
        if (!leaf_types(f, t->parts[i], out, n)) return false;
    if (has_parts(t)) return true;
    out[*n] = t->kind == WEFT_TYPE_TOKEN ? weft_type_tensor(f->cx, WEFT_I1, 0, NULL) : t;
    return out[(*n)++] != NULL;
}

static const weft_type **flat_types(flattener *f, const weft_type *const *types, uint32_t count, uint32_t *n) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++) most += leaf_count(types[i]);
    const weft_type **out = weft_arena_array(f->arena, const weft_type *, most);
    *n = 0;
    for (uint32_t i = 0; out && i < count; i++)
        if (!leaf_types(f, types[i], out, n)) return NULL;
    return out;
}

static const weft_type **result_types(flattener *f, const weft_op *op, uint32_t *n) {
    const weft_type **t = weft_arena_array(f->arena, const weft_type *, op->result_count);
    for (uint32_t i = 0; t && i < op->result_count; i++) t[i] = op->results[i].type;
    return t ? flat_types(f, t, op->result_count, n) : NULL;
}

/* ---- values ---- */

static bool flat_operands(flattener *f, const weft_op *op, leaves *out) {
    *out = (leaves){ 0 };
    for (uint32_t i = 0; i < op->operand_count; i++) out->n += f->of[op->operands[i]->id].n;
    out->v = weft_arena_array(f->arena, weft_value *, out->n);
    for (uint32_t i = 0, at = 0; out->v && i < op->operand_count; i++)
        for (uint32_t k = 0; k < f->of[op->operands[i]->id].n; k++) out->v[at++] = f->of[op->operands[i]->id].v[k];
    return out->v != NULL;
}

/* The next leaves of `from`, which begin at *at, are value v. */
static bool give(flattener *f, const weft_value *v, weft_value *from, uint32_t *at) {
    const uint32_t n = leaf_count(v->type);
    leaves *l = &f->of[v->id];
    l->v = weft_arena_array(f->arena, weft_value *, n);
    l->n = n;
    for (uint32_t i = 0; l->v && i < n; i++) l->v[i] = &from[(*at)++];
    if (l->v && n == 1) l->v[0]->hint = v->hint;
    return l->v != NULL;
}

/* ---- ops ---- */

static weft_status take_apart(flattener *f, weft_builder *b, const weft_op *op) {
    (void)b;
    const leaves *from = &f->of[op->operands[0]->id];
    const weft_type *t = op->operands[0]->type;
    uint32_t at = 0;
    for (int64_t i = 0; i < weft_op_int(op, WEFT_A_index, 0); i++) at += leaf_count(t->parts[i]);
    f->of[op->results[0].id] = (leaves){ from->v + at, leaf_count(op->results[0].type) };
    return WEFT_OK;
}

static weft_status put_together(flattener *f, weft_builder *b, const weft_op *op) {
    (void)b;
    return flat_operands(f, op, &f->of[op->results[0].id]) ? WEFT_OK : weft_oom();
}

static weft_status make_token(flattener *f, weft_builder *b, const weft_op *op) {
    const weft_type *t = weft_type_tensor(f->cx, WEFT_I1, 0, NULL);
    leaves *l = &f->of[op->results[0].id];
    l->v = weft_arena_array(f->arena, weft_value *, 1);
    l->n = 1;
    if (!t || !l->v) return weft_oom();
    l->v[0] = weft_build_splat(b, t, 0);
    return b->status;
}

static weft_status start(flattener *f, weft_builder *b, const weft_op *op) {
    const weft_block *body = weft_op_body(op, 0);
    for (uint32_t i = 0; i < op->operand_count; i++) f->of[body->args[i]->id] = f->of[op->operands[i]->id];
    copy_ops(f, b, body, body->last);
    if (b->status != WEFT_OK) return b->status;
    return flat_operands(f, body->last, &f->of[op->results[0].id]) ? WEFT_OK : weft_oom();
}

static weft_status await(flattener *f, weft_builder *b, const weft_op *op) {
    (void)b;
    const leaves *done = &f->of[op->operands[0]->id];
    if (done->n != leaf_count(op->results[0].type))
        return weft_report(f->cx, WEFT_D_verify, op->loc,
                           "'%s': the future holds %u values, but the result has another number", op->name->text,
                           done->n);
    f->of[op->results[0].id] = *done;
    return WEFT_OK;
}

static weft_status refuse(flattener *f, weft_builder *b, const weft_op *op) {
    (void)b;
    weft_status st =
        weft_report(f->cx, WEFT_D_unsupported, op->loc,
                    "'%s' exchanges data with a host program, which a run does not have", op->name->text);
    weft_note(f->cx, op->loc, "make the received data an argument of '@main', and the sent data a result");
    return st;
}

static const struct {
    weft_op_kind kind;
    weft_status (*fn)(flattener *f, weft_builder *b, const weft_op *op);
} handled[] = {
    { WEFT_OP_tuple, put_together }, { WEFT_OP_get_tuple_element, take_apart }, { WEFT_OP_create_token, make_token },
    { WEFT_OP_after_all, make_token }, { WEFT_OP_async_start, start }, { WEFT_OP_async_done, await },
    { WEFT_OP_infeed, refuse }, { WEFT_OP_outfeed, refuse }, { WEFT_OP_send, refuse }, { WEFT_OP_recv, refuse },
};

/* ---- all other ops: the same op over leaves ---- */

/* A dictionary per value: a tuple's is dropped, its leaves get empty ones. */
static const weft_attr *flat_value_attrs(flattener *f, const weft_attr *list, const weft_type *const *types,
                                         uint32_t count) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) n += leaf_count(types[i]);
    const weft_attr **v = weft_arena_array(f->arena, const weft_attr *, n), *none = weft_attr_dict(f->cx, NULL, 0);
    if (!v || !none) return NULL;
    for (uint32_t i = 0, at = 0; i < count; i++)
        for (uint32_t k = 0, leaf = leaf_count(types[i]); k < leaf; k++)
            v[at++] = has_parts(types[i]) ? none : list->items.v[i];
    return weft_attr_array(f->cx, v, n);
}

/* tf.aliasing_output counts results: now it counts their leaves. A tuple's memory is not one piece, so no result takes
 * it. */
static const weft_attr *flat_alias(flattener *f, const weft_attr *dict, const weft_type *const *results,
                                   uint32_t count) {
    const weft_attr *alias = weft_dict_get(dict, WEFT_A_tf_aliasing_output);
    if (!alias || alias->kind != WEFT_ATTR_INT || alias->i < 0 || alias->i >= count) return dict;
    int64_t at = 0;
    for (int64_t i = 0; i < alias->i; i++) at += leaf_count(results[i]);
    weft_named_attr *v = weft_arena_array(f->arena, weft_named_attr, dict->entries.n);
    uint32_t n = 0;
    for (uint32_t i = 0; v && i < dict->entries.n; i++) {
        v[n] = dict->entries.v[i];
        const bool is_alias = v[n].name->id == WEFT_A_tf_aliasing_output;
        if (is_alias && has_parts(results[alias->i])) continue;
        if (is_alias && !(v[n].value = weft_attr_int(f->cx, at, alias->type))) return NULL;
        n++;
    }
    return v ? weft_attr_dict(f->cx, v, n) : NULL;
}

static const weft_attr *flat_aliases(flattener *f, const weft_attr *args, const weft_type *const *results,
                                     uint32_t count) {
    const weft_attr **v = weft_arena_array(f->arena, const weft_attr *, args->items.n);
    for (uint32_t i = 0; v && i < args->items.n; i++)
        if (!(v[i] = flat_alias(f, args->items.v[i], results, count))) return NULL;
    return v ? weft_attr_array(f->cx, v, args->items.n) : NULL;
}

static weft_status flat_function(flattener *f, weft_builder *b, const weft_op *op, weft_op *made) {
    const weft_type *t = weft_func_type(op);
    const uint32_t in = t->input_count, out = t->part_count - in;
    uint32_t n_in, n_out;
    const weft_type **a = flat_types(f, t->parts, in, &n_in), **r = flat_types(f, t->parts + in, out, &n_out);
    const weft_type *type = a && r ? weft_type_function(f->cx, a, n_in, r, n_out) : NULL;
    const weft_attr *attr = type ? weft_attr_type(f->cx, type) : NULL;
    weft_status st = attr ? weft_op_set(b->m, made, WEFT_A_function_type, attr) : weft_oom();
    const weft_attr *args = weft_op_attr(op, WEFT_A_arg_attrs), *results = weft_op_attr(op, WEFT_A_res_attrs);
    if (st == WEFT_OK && args) {
        const weft_attr *flat = flat_value_attrs(f, args, t->parts, in);
        if (flat) flat = flat_aliases(f, flat, t->parts + in, out);
        st = flat ? weft_op_set(b->m, made, WEFT_A_arg_attrs, flat) : weft_oom();
    }
    if (st == WEFT_OK && results) {
        const weft_attr *flat = flat_value_attrs(f, results, t->parts + in, out);
        st = flat ? weft_op_set(b->m, made, WEFT_A_res_attrs, flat) : weft_oom();
    }
    return st;
}

/* Attributes that count operands or results, if their number changes. */
static weft_status flat_annotations(flattener *f, weft_builder *b, const weft_op *op, weft_op *made) {
    weft_status st = WEFT_OK;
    if (made->result_count != op->result_count) st = weft_op_set(b->m, made, WEFT_A_sdy_sharding, NULL);
    const weft_attr *in = weft_op_attr(op, WEFT_A_operand_layouts), *out = weft_op_attr(op, WEFT_A_result_layouts);
    if (st != WEFT_OK || !in || !out || (in->items.n == made->operand_count && out->items.n == made->result_count))
        return st;
    return weft_report(f->cx, WEFT_D_unsupported, op->loc, "'%s' has layouts for nested tuples", op->name->text);
}

/* A function of the process is to get its tokens as tokens. */
static weft_status note_tokens(flattener *f, weft_builder *b, const weft_op *op, weft_op *made) {
    int64_t *tokens = weft_arena_array(f->arena, int64_t, made->operand_count + made->result_count);
    uint32_t n = 0;
    if (!tokens) return weft_oom();
    for (uint32_t i = 0, at = 0; i < op->operand_count + op->result_count; i++) {
        const weft_type *t = weft_op_value(op, i)->type;
        if (t->kind == WEFT_TYPE_TOKEN) tokens[n++] = at;
        at += leaf_count(t);
    }
    if (!n) return WEFT_OK;
    const weft_attr *list = weft_attr_ints(f->cx, WEFT_I64, tokens, n);
    const weft_name name = weft_name_intern(f->cx, WEFT_STR("weft.tokens"));
    return list && name ? weft_op_set_attr(b->m, made, name, list) : weft_oom();
}

static weft_status copy_regions(flattener *f, const weft_op *op, weft_op *made, weft_module *m) {
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r]) {
            weft_builder b;
            weft_builder_init(&b, m, NULL);
            weft_block *copy = weft_build_block(&b, &made->regions[r]);
            for (uint32_t i = 0; copy && i < blk->arg_count; i++) {
                uint32_t n;
                const weft_type **types = flat_types(f, &blk->args[i]->type, 1, &n);
                leaves *l = &f->of[blk->args[i]->id];
                l->v = types ? weft_arena_array(f->arena, weft_value *, n) : NULL;
                l->n = n;
                if (!l->v) return weft_oom();
                for (uint32_t k = 0; k < n; k++) {
                    if (!(l->v[k] = weft_build_block_arg(&b, copy, types[k], blk->args[i]->loc))) return weft_oom();
                    if (n == 1) l->v[k]->hint = blk->args[i]->hint;
                }
            }
            if (!copy) return weft_oom();
            b.block = copy;
            copy_ops(f, &b, blk, NULL);
            if (b.status != WEFT_OK) return b.status;
        }
    return WEFT_OK;
}

static weft_status copy_op(flattener *f, weft_builder *b, const weft_op *op) {
    leaves in;
    uint32_t n = 0, at = 0;
    const weft_type **types = result_types(f, op, &n);
    if (!types || !flat_operands(f, op, &in)) return weft_oom();
    weft_op *made = weft_build_op(b, &(weft_op_spec){
        .kind = op->kind, .name = op->name, .operands = in.v, .operand_count = in.n, .types = types, .result_count = n,
        .attrs = op->attrs, .attr_count = op->attr_count, .region_count = op->region_count });
    if (!made) return b->status;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!give(f, &op->results[i], made->results, &at)) return weft_oom();
    weft_status st = op->kind == WEFT_OP_func ? flat_function(f, b, op, made) : flat_annotations(f, b, op, made);
    if (st == WEFT_OK && op->kind == WEFT_OP_custom_call) st = note_tokens(f, b, op, made);
    return st == WEFT_OK ? copy_regions(f, op, made, b->m) : st;
}

static void copy_ops(flattener *f, weft_builder *b, const weft_block *blk, const weft_op *last) {
    for (const weft_op *op = blk->first; op && op != last && b->status == WEFT_OK; op = op->next) {
        size_t i = 0;
        while (i < WEFT_COUNT(handled) && handled[i].kind != op->kind) i++;
        b->loc = op->loc;
        weft_status st = i < WEFT_COUNT(handled) ? handled[i].fn(f, b, op) : copy_op(f, b, op);
        if (b->status == WEFT_OK) b->status = st;
    }
}

/* ---- the pass ---- */

static weft_status look_at(void *user, weft_op *op) {
    bool *found = user;
    for (size_t i = 0; i < WEFT_COUNT(handled); i++) *found = *found || handled[i].kind == op->kind;
    for (uint32_t i = 0; i < op->result_count; i++) *found = *found || is_bundle(op->results[i].type);
    const weft_type *t = op->kind == WEFT_OP_func ? weft_func_type(op) : NULL;
    for (uint32_t i = 0; t && i < t->part_count; i++) *found = *found || is_bundle(t->parts[i]);
    return WEFT_OK;
}

static weft_status copy_module(flattener *f, weft_module *m) {
    weft_builder b;
    weft_status st = WEFT_OK;
    weft_builder_init(&b, m, weft_module_body(m));
    m->root->loc = f->in->root->loc;
    for (uint32_t i = 0; st == WEFT_OK && i < f->in->root->attr_count; i++)
        st = weft_op_set_attr(m, m->root, f->in->root->attrs[i].name, f->in->root->attrs[i].value);
    if (st != WEFT_OK) return st;
    copy_ops(f, &b, weft_module_body(f->in), NULL);
    return b.status;
}

weft_status weft_pass_flatten(weft_pass *p, const weft_module *in, weft_module **out) {
    bool found = false;
    weft_status st = weft_module_walk(in, look_at, &found);
    if (st != WEFT_OK || !found) return st;
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    flattener f = { p->cx, in, &arena, weft_arena_array(&arena, leaves, in->value_count) };
    weft_module *m = weft_module_new(p->cx);
    st = m && f.of ? copy_module(&f, m) : weft_oom();
    weft_arena_free(&arena);
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}
