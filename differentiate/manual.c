/* manual.c: the rule of sdy.manual_computation and sdy.named_computation.
 *
 * The backward computation is manual over the same axes. A result's cotangent enters as the result left, an
 * argument's leaves as the argument entered. Along axes that a result's sharding does not name, each device has the
 * whole of it: each is given an equal share of the cotangent. Along those that an argument's does not name, the
 * devices' cotangents are added. (JAX's shard_map does the same where it does not follow which values vary.) A value
 * that the backward computation needs leaves the forward one with a new first dimension, which all manual axes shard:
 * each device keeps its own.
 */
#include "differentiate/grad.h"

typedef struct manual {
    weft_op *op;
    weft_axis_refs axes;         /* the manual ones */
    const weft_mesh_attr *mesh;
    const weft_attr *mesh_ref;   /* as the shardings name it */
    const weft_attr *kept;       /* shardings of operands and results */
    const weft_attr *in, *out;
} manual;

static weft_value *save(gd *g, gd_scope *s, weft_value *v) {
    weft_value *here = gd_stand_in(g, v->type);
    return gd_note_saved(g, s, v, here) ? here : NULL;
}

static bool is_argument(const gd_scope *s, const weft_value *v) {
    (void)s;
    return !v->def;
}

static int64_t size_of(const manual *p, weft_name axis) {
    for (uint32_t i = 0; i < p->mesh->axis_count; i++)
        if (p->mesh->axes[i].name == axis) return p->mesh->axes[i].size;
    return 1;
}

static bool names(const weft_attr *sharding, weft_name axis) {
    for (uint32_t d = 0; d < sharding->sharding.rank; d++)
        for (uint32_t i = 0; i < sharding->sharding.dims[d].axes.n; i++)
            if (sharding->sharding.dims[d].axes.v[i].name == axis) return true;
    return false;
}

/* The manual axes that the sharding does not name. */
static weft_axis_refs unnamed(gd *g, const manual *p, const weft_attr *sharding, int64_t *devices) {
    weft_axis_ref *v = weft_arena_array(g->arena, weft_axis_ref, p->axes.n + 1);
    weft_axis_refs out = { v, 0 };
    *devices = 1;
    for (uint32_t i = 0; v && i < p->axes.n; i++)
        if (!names(sharding, p->axes.v[i].name)) {
            v[out.n++] = p->axes.v[i];
            *devices *= size_of(p, p->axes.v[i].name);
        }
    if (!v) gd_fail(g, weft_oom());
    return out;
}

static bool open_manual(gd *g, manual *p) {
    p->axes = weft_op_attr(p->op, WEFT_A_manual_axes)->axes;
    p->in = weft_op_attr(p->op, WEFT_A_in_shardings);
    p->out = weft_op_attr(p->op, WEFT_A_out_shardings);
    const weft_attr *any = p->in->items.n ? p->in->items.v[0] : p->out->items.n ? p->out->items.v[0] : NULL;
    if (!any) return false;
    p->mesh_ref = any->sharding.mesh;
    if (p->mesh_ref->kind == WEFT_ATTR_MESH) p->mesh = &p->mesh_ref->mesh;
    else if (p->mesh_ref->names.n) {
        const weft_name name = p->mesh_ref->names.v[0];
        const weft_op *mesh = weft_module_symbol(g->m, (weft_str){ name->text, name->n });
        if (mesh) p->mesh = &weft_op_attr(mesh, WEFT_A_mesh)->mesh;
    }
    return p->mesh != NULL;
}

/* The sharding of a kept value: the first dimension over all manual axes, the others open. */
static const weft_attr *kept_sharding(gd *g, const manual *p, uint32_t rank) {
    weft_dim_sharding *dims = weft_arena_array(g->arena, weft_dim_sharding, rank + 1);
    if (!dims) return NULL;
    for (uint32_t d = 0; d < rank; d++) dims[d] = (weft_dim_sharding){ .open = d > 0, .priority = WEFT_NO_PRIORITY };
    dims[0].axes = p->axes;
    weft_attr node = { .kind = WEFT_ATTR_SHARDING, .sharding = { .mesh = p->mesh_ref, .dims = dims, .rank = rank } };
    return weft_attr_copy(g->cx, &node);
}

static const weft_type *with_first(gd *g, const weft_type *t, int64_t n) {
    int64_t dims[WEFT_MAX_RANK + 1] = { n };
    for (uint32_t d = 0; d < t->rank; d++) dims[d + 1] = t->dims[d];
    return weft_type_tensor(g->cx, t->dtype, t->rank + 1, dims);
}

static int64_t devices_of(const manual *p) {
    int64_t n = 1;
    for (uint32_t i = 0; i < p->axes.n; i++) n *= size_of(p, p->axes.v[i].name);
    return n;
}

/* ---- lists of values with shardings ---- */

typedef struct list {
    weft_value **v;
    const weft_type **types;
    const weft_attr **shardings;
    uint32_t n;
} list;

static bool open_list(gd *g, list *l, size_t room) {
    l->v = weft_arena_array(g->arena, weft_value *, room + 1);
    l->types = weft_arena_array(g->arena, const weft_type *, room + 1);
    l->shardings = weft_arena_array(g->arena, const weft_attr *, room + 1);
    if (!l->v || !l->types || !l->shardings) gd_fail(g, weft_oom());
    return gd_status(g) == WEFT_OK;
}

static void put(list *l, weft_value *v, const weft_type *t, const weft_attr *sharding) {
    l->v[l->n] = v;
    l->types[l->n] = t;
    l->shardings[l->n++] = sharding;
}

static const weft_attr *shardings_of(gd *g, const list *l) {
    weft_attr node = { .kind = WEFT_ATTR_SHARDINGS, .items = { l->shardings, l->n } };
    for (uint32_t i = 0; i < l->n; i++)
        if (!l->shardings[i]) return NULL;
    return weft_attr_copy(g->cx, &node);
}

static weft_op *build_computation(gd *g, weft_builder *b, const manual *p, const list *in, const list *out) {
    const weft_named_attr attrs[] = {
        { weft_name_at(g->cx, WEFT_A_in_shardings), shardings_of(g, in) },
        { weft_name_at(g->cx, WEFT_A_out_shardings), shardings_of(g, out) },
        { weft_name_at(g->cx, WEFT_A_manual_axes), weft_op_attr(p->op, WEFT_A_manual_axes) },
    };
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_sdy_manual_computation, .operands = in->v,
                                                      .operand_count = in->n, .types = out->types,
                                                      .result_count = out->n, .attrs = attrs, .attr_count = 3,
                                                      .region_count = 1 });
    if (!made) gd_fail(g, b->status);
    return made;
}

/* ---- the forward computation ---- */

/* With what is kept as further results. */
static weft_op *build_forward(gd *g, const manual *p, const gd_scope *s, size_t kept) {
    weft_op *op = p->op;
    list in = { 0 }, out = { 0 };
    weft_builder b, inner;
    if (!open_list(g, &in, op->operand_count) || !open_list(g, &out, op->result_count + kept)) return NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) put(&in, op->operands[i], NULL, p->in->items.v[i]);
    for (uint32_t i = 0; i < op->result_count; i++) put(&out, NULL, op->results[i].type, p->out->items.v[i]);
    weft_block *blk = weft_op_body(op, 0);
    weft_builder_init(&inner, g->m, blk);
    inner.before = blk->last;
    inner.loc = op->loc;
    const uint32_t old = out.n;
    for (size_t i = 0; i < s->saved_count; i++) {
        weft_value *v = s->saved[i].v;
        if (!v->def) continue;
        weft_value *wide = weft_build_1(&inner, WEFT_OP_reshape, with_first(g, v->type, 1), &v, 1, NULL, 0);
        put(&out, wide, with_first(g, v->type, devices_of(p)), kept_sharding(g, p, v->type->rank + 1));
    }
    if (inner.status != WEFT_OK) gd_fail(g, inner.status);
    if (gd_status(g) != WEFT_OK) return NULL;
    gd_extend_operands(g, blk->last, out.v + old, out.n - old);
    weft_builder_init(&b, g->m, op->parent);
    b.before = op;
    b.loc = op->loc;
    weft_op *made = build_computation(g, &b, p, &in, &out);
    if (made) gd_move_region(&op->regions[0], &made->regions[0]);
    return made;
}

/* ---- the backward computation ---- */

static weft_value *sum_over(gd *g, const manual *p, weft_value *x, weft_axis_refs axes) {
    weft_attr node = { .kind = WEFT_ATTR_MESH_AXES, .mesh_axes = { p->mesh_ref, axes } };
    const weft_named_attr groups[] = {
        { weft_name_at(g->cx, WEFT_A_replica_groups), weft_attr_copy(g->cx, &node) },
        { weft_name_at(g->cx, WEFT_A_use_global_device_ids), weft_attr_unit(g->cx) },
    };
    weft_attr handle = { .kind = WEFT_ATTR_CHANNEL, .channel = { 1, 1 } };
    const weft_named_attr all[] = { groups[0], { weft_name_at(g->cx, WEFT_A_channel_handle),
                                                 weft_attr_copy(g->cx, &handle) }, groups[1] };
    if (!x) return NULL;
    weft_op *made = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_all_reduce, .operands = &x,
                                                            .operand_count = 1, .types = &x->type, .result_count = 1,
                                                            .attrs = all, .attr_count = 3, .region_count = 1 });
    if (made) gd_build_reducer(g, made, 0, gd_scalar(g, x->type), WEFT_OP_add);
    return made ? &made->results[0] : NULL;
}

/* In the scope: the arguments for cotangents, and the visit. */
static void visit(gd *g, gd_scope *s, const manual *p) {
    weft_op *ret = s->forward->last;
    for (uint32_t i = 0; i < p->op->result_count; i++) {
        weft_value *c = gd_of(g, &p->op->results[i])->ct;
        int64_t devices;
        if (!c) continue;
        unnamed(g, p, p->out->items.v[i], &devices);
        weft_value *mine = weft_build_block_arg(&s->b, s->b.block, ret->operands[i]->type, s->b.loc);
        gd_add(g, ret->operands[i], devices > 1 ? lg_mul_c(&s->b, mine, 1.0 / (double)devices) : mine);
    }
    gd_sweep(g);
}

/* In the scope: arguments for what was saved, and what is returned. out: the cotangents of arguments. */
static void finish(gd *g, gd_scope *s, const manual *p, list *out) {
    for (size_t i = 0; i < s->saved_count; i++) {
        const weft_type *t = s->saved[i].v->type;
        const weft_type *wide = s->saved[i].v->def ? with_first(g, t, 1) : t;
        gd_instead(g, s->saved[i].here, weft_build_block_arg(&s->b, s->b.block, wide, s->b.loc));
    }
    for (uint32_t k = 0; k < p->op->operand_count && gd_status(g) == WEFT_OK; k++) {
        weft_value *arg = s->forward->args[k], *sum = gd_varies(g, arg) ? *gd_slot(g, arg) : NULL;
        int64_t devices;
        if (!sum) continue;
        const weft_axis_refs axes = unnamed(g, p, p->in->items.v[k], &devices);
        put(out, devices > 1 ? sum_over(g, p, sum, axes) : sum, p->op->operands[k]->type, p->in->items.v[k]);
    }
    if (gd_status(g) == WEFT_OK) gd_build_return(g, &s->b, WEFT_OP_sdy_return, out->v, out->n);
}

/* A kept value has a first dimension of size 1 on each device: it goes where backward ops begin. */
static void unfold(gd *g, gd_scope *s) {
    weft_builder b = s->b;
    b.before = s->b.block->first;
    for (size_t i = 0; i < s->saved_count; i++) {
        weft_value *here = s->saved[i].here, *wide = gd_of(g, here)->instead;
        if (!s->saved[i].v->def || !wide) continue;
        gd_instead(g, here, weft_build_1(&b, WEFT_OP_reshape, here->type, &wide, 1, NULL, 0));
    }
    if (b.status != WEFT_OK) gd_fail(g, b.status);
}

static void hand_over(gd *g, const manual *p, gd_scope *s, const weft_op *forward, const list *out) {
    list in = { 0 };
    uint32_t k = 0, kept = p->op->result_count;
    if (!open_list(g, &in, p->op->result_count + s->saved_count)) return;
    for (uint32_t i = 0; i < p->op->result_count; i++)
        if (gd_of(g, &p->op->results[i])->ct)
            put(&in, gd_of(g, &p->op->results[i])->ct, NULL, p->out->items.v[i]);
    for (size_t i = 0; i < s->saved_count; i++) {
        weft_value *v = s->saved[i].v;
        if (v->def) {
            put(&in, gd_here(g, &forward->results[kept++]), NULL, kept_sharding(g, p, v->type->rank + 1));
        } else {
            put(&in, gd_here(g, p->op->operands[v->index]), NULL, p->in->items.v[v->index]);
        }
    }
    weft_op *back = gd_status(g) == WEFT_OK ? build_computation(g, gd_b(g), p, &in, out) : NULL;
    if (!back) return;
    gd_put_block(s->b.block, &back->regions[0]);
    for (uint32_t i = 0; i < p->op->operand_count; i++)
        if (k < out->n && gd_varies(g, s->forward->args[i]) && gd_of(g, s->forward->args[i])->ct)
            gd_give(g, p->op, i, &back->results[k++]);
}

void gd_rule_manual_computation(gd *g, const weft_op *op) {
    manual p = { .op = (weft_op *)op };
    gd_scope *outer = g->scope, s = { .save = save, .free = is_argument };
    weft_op *forward = NULL;
    list out = { 0 };
    size_t kept = 0;
    if (!open_manual(g, &p)) {
        gd_refuse(g, op, "it has no mesh");
        return;
    }
    if (!open_list(g, &out, op->operand_count)) return;
    g->scope = NULL;
    gd_open(g, &s, op, weft_op_body(op, 0));
    visit(g, &s, &p);
    if (gd_status(g) == WEFT_OK) finish(g, &s, &p, &out);
    if (gd_status(g) == WEFT_OK) unfold(g, &s);
    gd_close(g, &s);
    g->scope = outer;
    if (gd_status(g) != WEFT_OK || !out.n) return;
    for (size_t i = 0; i < s.saved_count; i++) kept += s.saved[i].v->def != NULL;
    if (kept) forward = build_forward(g, &p, &s, kept);
    if (gd_status(g) != WEFT_OK) return;
    hand_over(g, &p, &s, forward, &out);
    if (forward && gd_status(g) == WEFT_OK) gd_replace_by_op(g, p.op, forward);
}
