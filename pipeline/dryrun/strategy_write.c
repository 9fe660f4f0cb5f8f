/* strategy_write.c: a strategist's decisions as annotations; see strategy.h. */
#include "base/table.h"
#include "ir/rewrite.h"
#include "pipeline/dryrun/annotate.h"
#include "pipeline/dryrun/gradients.h"
#include "pipeline/dryrun/strategy_impl.h"

/* rank lists of axes as a SHARDING; NULL: memory is out. */
static const weft_attr *sharding(const weft_strategist *s, uint32_t rank, const weft_axes *of) {
    weft_dim_sharding dims[WEFT_MAX_RANK];
    weft_axis_ref refs[WEFT_MAX_RANK][WEFT_MOST_AXES];
    for (uint32_t d = 0; d < rank; d++) {
        for (uint8_t i = 0; i < of[d].n; i++) refs[d][i] = (weft_axis_ref){ .name = s->mesh->axes[of[d].v[i]].name };
        dims[d] = (weft_dim_sharding){ .axes = { refs[d], of[d].n }, .priority = WEFT_NO_PRIORITY };
    }
    return weft_attr_copy(s->m->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDING,
                                                  .sharding = { .mesh = s->ref, .dims = dims, .rank = rank } });
}

static bool is_taken(const weft_axes *of, uint32_t dims, uint8_t axis) {
    for (uint32_t d = 0; d < dims; d++)
        for (uint8_t i = 0; i < of[d].n; i++)
            if (of[d].v[i] == axis) return true;
    return false;
}

/* The class's axes but those of dimensions before d: experts and the batch have one axis, and a product of all of both
 * has it once. */
static weft_axes axes_left(const weft_strategist *s, uint32_t class, const weft_axes *of, uint32_t d) {
    weft_axes left = { 0 };
    for (uint8_t i = 0; i < s->of_class[class].n; i++)
        if (!is_taken(of, d, s->of_class[class].v[i])) left.v[left.n++] = s->of_class[class].v[i];
    return left;
}

/* The layout that a product's result is held to, so that the plan is the strategy's where another is cheaper. Under tp
 * a sum over its axis is complete, or under sp in parts of the sequence. Under fsdp and zero (without sp) every result
 * with the batch keeps it, and matrices are gathered. false: none. */
static bool held_layout(const weft_strategist *s, const weft_product *p, weft_axes *of) {
    const weft_value *v = &p->op->results[0];
    const bool sums =
        s->tp_axis != WEFT_NO_AXIS && weft_classes_split(s, p->contracted, p->contracted_count, s->tp_axis);
    bool found = !(sums && s->scatters), has_batch = false;
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const uint32_t class = weft_dim_class(&s->classes, v, d);
        of[d] = (weft_axes){ 0 };
        if (class == WEFT_NO_CLASS) continue;
        has_batch |= class == s->roles.batch;
        const weft_axes axes = axes_left(s, class, of, d);
        if (v->type->dims[d] % weft_axes_parts(s, &axes) == 0) of[d] = axes;
        if (class != s->sequence || found || !weft_axes_divide(s, v->type->dims[d], &of[d], s->tp_axis)) continue;
        of[d].v[of[d].n++] = (uint8_t)s->tp_axis;
        found = true;
    }
    return sums || (s->gathers && !s->scatters && has_batch);
}

static weft_status hold_product(const weft_strategist *s, const weft_product *p, const weft_attr **out) {
    weft_axes of[WEFT_MAX_RANK];
    if (!held_layout(s, p, of)) return WEFT_OK;
    *out = sharding(s, p->op->results[0].type->rank, of);
    return *out ? WEFT_OK : weft_oom();
}

typedef struct writer {
    const weft_strategist *s;
    const weft_attr **constraint; /* by op id: of its first result */
    const weft_attr **whole;      /* by value id: of gradients that are to be whole; NULL: there are none */
    weft_uses uses;
} writer;

/* Products whose results are only added up, as the gradients of what several matrices read, are held as their sum: one
 * sum over the axis in place of several. */
static weft_status hold_sums(void *user, weft_op *op) {
    writer *w = user;
    const weft_op *x, *y;
    if (op->kind != WEFT_OP_add || !(x = op->operands[0]->def) || !(y = op->operands[1]->def) || x == y) return WEFT_OK;
    if (!w->constraint[x->id] || !w->constraint[y->id] || op->operands[0]->type != op->results[0].type) return WEFT_OK;
    if (weft_use_count(&w->uses, op->operands[0]) != 1 || weft_use_count(&w->uses, op->operands[1]) != 1 ||
        !weft_attr_equal(w->constraint[x->id], w->constraint[y->id]))
        return WEFT_OK;
    w->constraint[op->id] = w->constraint[x->id];
    w->constraint[x->id] = w->constraint[y->id] = NULL;
    return WEFT_OK;
}

static void hold(weft_rewrite *r, weft_builder *b, const weft_value *old, const weft_attr *sharding,
                 const weft_attr *obey) {
    const weft_attr_pair attrs[] = { { WEFT_A_sharding, sharding }, { WEFT_A_weft_obey, obey } };
    weft_value *v = r->map.to[old->id];
    r->map.to[old->id] = weft_build_1(b, WEFT_OP_sdy_sharding_constraint, v->type, &v, 1, attrs, obey ? 2 : 1);
}

static weft_status constrain(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const writer *w = r->user;
    const weft_attr *a = w->constraint[op->id], *obey = NULL;
    bool any = a != NULL;
    for (uint32_t i = 0; w->whole && i < op->result_count; i++) any |= w->whole[op->results[i].id] != NULL;
    if (!any) return WEFT_OK;
    if (w->whole && !(obey = weft_attr_unit(r->out->cx))) return weft_oom();
    weft_op *made = weft_clone_shell(b, op, &r->map, NULL);
    weft_status st = made ? weft_rewrite_regions(r, op, made) : b->status;
    if (st != WEFT_OK) return st;
    if (a) hold(r, b, &op->results[0], a, NULL);
    for (uint32_t i = 0; w->whole && i < op->result_count && b->status == WEFT_OK; i++)
        if (w->whole[op->results[i].id]) hold(r, b, &op->results[i], w->whole[op->results[i].id], obey);
    *did = WEFT_DONE;
    return b->status;
}

/* Gradients that lie as their parameters do, and not as the state that they change. */
static weft_status hold_gradients(writer *w, weft_arena *arena) {
    const weft_strategist *s = w->s;
    const weft_value *const *gradient;
    if (!s->keeps_gradients) return WEFT_OK;
    weft_status st = weft_gradients_find(s->m, &s->roles, arena, &gradient);
    w->whole = st == WEFT_OK ? weft_arena_array(arena, const weft_attr *, s->m->value_count) : NULL;
    if (st == WEFT_OK && !w->whole) st = weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < s->roles.argument_count; i++) {
        weft_axes of[WEFT_MAX_RANK];
        if (!gradient[i]) continue;
        const uint32_t rank = gradient[i]->type->rank;
        for (uint32_t d = 0; d < rank; d++) of[d] = weft_strategist_axes(s, i, d);
        w->whole[gradient[i]->id] = sharding(s, rank, of);
        if (!w->whole[gradient[i]->id]) st = weft_oom();
    }
    return st;
}

static weft_status copy(const weft_strategist *s, weft_module **out) {
    weft_arena arena;
    writer w = { .s = s };
    weft_arena_init(&arena, &s->m->cx->chunks);
    w.constraint = weft_arena_array(&arena, const weft_attr *, s->m->op_count);
    weft_status st = w.constraint ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < s->m->op_count; i++) w.constraint[i] = NULL;
    for (size_t k = 0; st == WEFT_OK && k < s->products.n; k++)
        st = hold_product(s, &s->products.v[k], &w.constraint[s->products.v[k].op->id]);
    if (st == WEFT_OK) st = weft_uses_build(s->m, &arena, &w.uses);
    if (st == WEFT_OK) st = weft_module_walk(s->m, hold_sums, &w);
    if (st == WEFT_OK) st = hold_gradients(&w, &arena);
    if (st == WEFT_OK)
        st = weft_rewrite_module(&(weft_rewrite){ .user = &w, .op = constrain }, s->m, &arena, out);
    weft_arena_free(&arena);
    return st;
}

weft_status weft_strategist_write(const weft_strategist *s, weft_module **out) {
    const weft_roles *roles = &s->roles;
    weft_arena arena;
    weft_module *m = NULL;
    weft_arena_init(&arena, &s->m->cx->alloc);
    const weft_attr **args = weft_arena_array(&arena, const weft_attr *, roles->argument_count);
    const weft_attr **results = weft_arena_array(&arena, const weft_attr *, roles->result_count);
    weft_status st = args && results ? copy(s, &m) : weft_oom();
    for (uint32_t r = 0; st == WEFT_OK && r < roles->result_count; r++) results[r] = NULL;
    for (uint32_t i = 0; st == WEFT_OK && i < roles->argument_count; i++) {
        const weft_type *t = weft_strategist_argument(s, i)->type;
        weft_axes of[WEFT_MAX_RANK];
        args[i] = NULL;
        if (!weft_type_is_tensor(t)) continue;
        for (uint32_t d = 0; d < t->rank; d++) of[d] = weft_strategist_axes(s, i, d);
        args[i] = sharding(s, t->rank, of);
        if (!args[i]) st = weft_oom();
        if (roles->result[i] >= 0) results[roles->result[i]] = args[i];
    }
    if (st == WEFT_OK) st = weft_module_set_shardings(m, WEFT_A_arg_attrs, args);
    if (st == WEFT_OK) st = weft_module_set_shardings(m, WEFT_A_res_attrs, results);
    weft_arena_free(&arena);
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}

/* ---- what is written, as numbers ---- */

static void mix(weft_strategist_key *k, uint64_t v) {
    k->a = weft_hash_mix(k->a, v);
    k->b = weft_hash_end(weft_hash_mix(k->b, v));
}

static void mix_axes(weft_strategist_key *k, const weft_axes *a) {
    mix(k, a->n);
    for (uint8_t i = 0; i < a->n; i++) mix(k, a->v[i]);
}

weft_strategist_key weft_strategist_key_of(const weft_strategist *s) {
    weft_strategist_key k = { 1, 2 };
    for (uint32_t i = 0; i < s->mesh->axis_count; i++) {
        const weft_str name = weft_name_str(s->mesh->axes[i].name);
        mix(&k, weft_hash_bytes(name.n, name.p, name.n));
        mix(&k, (uint64_t)s->mesh->axes[i].size);
    }
    mix(&k, s->keeps_gradients);
    for (uint32_t i = 0; i < s->roles.argument_count; i++) {
        const weft_type *t = weft_strategist_argument(s, i)->type;
        for (uint32_t d = 0; weft_type_is_tensor(t) && d < t->rank; d++) {
            const weft_axes of = weft_strategist_axes(s, i, d);
            mix_axes(&k, &of);
        }
    }
    for (size_t i = 0; i < s->products.n; i++) {
        const weft_product *p = &s->products.v[i];
        weft_axes of[WEFT_MAX_RANK];
        const bool held = held_layout(s, p, of);
        mix(&k, held);
        for (uint32_t d = 0; held && d < p->op->results[0].type->rank; d++) mix_axes(&k, &of[d]);
    }
    return (weft_strategist_key){ weft_hash_end(k.a), weft_hash_end(k.b) };
}
