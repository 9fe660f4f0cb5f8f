/* gradients.c: see gradients.h. */
#include "pipeline/dryrun/gradients.h"

#include <stdlib.h>

enum { MOST_SOURCES = 64 };

/* What a value is computed from, element by element. */
typedef struct cone { const weft_value *v; uint64_t sources; bool has_argument; } cone;

typedef struct finder {
    uint32_t *seen;            /* by value id: the round in which it was found */
    cone *found;
    uint32_t count, round;
    uint32_t sources;
} finder;

static bool has_shape(const weft_value *v, const weft_type *t) {
    if (!weft_type_is_tensor(v->type) || v->type->rank != t->rank) return false;
    for (uint32_t d = 0; d < t->rank; d++)
        if (v->type->dims[d] != t->dims[d]) return false;
    return true;
}

static bool is_elementwise(const weft_value *v) {
    return v->def && weft_op_kind_has((weft_op_kind)v->def->kind, WEFT_TRAIT_POINTWISE);
}

/* The same number everywhere, from a scalar: a rate, a scale. */
static bool is_spread(const weft_value *v) {
    return v->def && (v->def->kind == WEFT_OP_constant || v->def->kind == WEFT_OP_broadcast_in_dim ||
                      v->def->kind == WEFT_OP_iota);
}

static void find(finder *f, const weft_value *v, const weft_type *t) {
    if (f->seen[v->id] == f->round || !has_shape(v, t)) return;
    f->seen[v->id] = f->round;
    f->found[f->count++] = (cone){ v, 0, false };
}

/* Values are made after their operands, and numbered in that order. */
static int by_id(const void *a, const void *b) {
    const cone *x = a, *y = b;
    return x->v->id < y->v->id ? -1 : x->v->id > y->v->id;
}

static const cone *cone_of(const finder *f, const weft_value *v) {
    const cone key = { v, 0, false };
    return bsearch(&key, f->found, f->count, sizeof key, by_id);
}

/* The cones of `last` and of all values that it is computed from. */
static void find_cones(finder *f, const weft_value *last, const weft_type *t) {
    f->count = f->sources = 0;
    f->round++;
    find(f, last, t);
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; is_elementwise(f->found[i].v) && k < f->found[i].v->def->operand_count; k++)
            find(f, f->found[i].v->def->operands[k], t);
    if (f->count) qsort(f->found, f->count, sizeof *f->found, by_id);
    for (uint32_t i = 0; i < f->count; i++) {
        cone *c = &f->found[i];
        if (!c->v->def) c->has_argument = true;
        else if (is_elementwise(c->v))
            for (uint32_t k = 0; k < c->v->def->operand_count; k++) {
                const cone *x = cone_of(f, c->v->def->operands[k]);
                if (x) c->sources |= x->sources, c->has_argument |= x->has_argument;
            }
        else if (!is_spread(c->v) && f->sources < MOST_SOURCES) c->sources = (uint64_t)1 << f->sources++;
    }
}

static const weft_value *gradient_in(finder *f, const weft_value *last, const weft_type *t) {
    find_cones(f, last, t);
    const cone *whole = cone_of(f, last);
    for (uint32_t i = 0; whole && whole->sources && i < f->count; i++)
        if (!f->found[i].has_argument && f->found[i].sources == whole->sources) return f->found[i].v;
    return NULL;
}

weft_status weft_gradients_find(const weft_module *m, const weft_roles *roles, weft_arena *arena,
                                const weft_value *const **of) {
    const weft_block *body = weft_op_body(weft_module_main(m), 0);
    const weft_value **v = weft_arena_array(arena, const weft_value *, roles->argument_count);
    finder f = { weft_arena_array(arena, uint32_t, m->value_count), weft_arena_array(arena, cone, m->value_count), 0, 0,
                 0 };
    if (!v || !f.seen || !f.found) return weft_oom();
    for (uint32_t i = 0; i < m->value_count; i++) f.seen[i] = 0;
    for (uint32_t i = 0; i < roles->argument_count; i++) {
        const int64_t result = roles->of[i] == WEFT_ROLE_PARAMETER ? roles->result[i] : -1;
        v[i] = result < 0 ? NULL : gradient_in(&f, body->last->operands[result], body->args[i]->type);
    }
    *of = v;
    return WEFT_OK;
}
