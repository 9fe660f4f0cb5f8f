/* gradients.c: see gradients.h. */
#include "pipeline/dryrun/gradients.h"

#include <stdlib.h>
#include "ir/check.h"

enum { AT_ONCE = 64 };         /* sources, a bit for each */

/* What a value is computed from, element by element. */
typedef struct cone {
    const weft_value *v;
    uint64_t sources;          /* of the AT_ONCE that are looked at */
    bool has_argument, lacks;  /* some source */
} cone;

typedef struct finder {
    uint32_t *seen;            /* by value id: the round in which it was found */
    cone *found;
    uint32_t count, round;
} finder;

static bool is_elementwise(const weft_value *v) {
    return v->def && weft_op_kind_has((weft_op_kind)v->def->kind, WEFT_TRAIT_POINTWISE);
}

/* The same number everywhere, from a scalar: a rate, a scale. */
static bool is_spread(const weft_value *v) {
    return v->def && (v->def->kind == WEFT_OP_constant || v->def->kind == WEFT_OP_broadcast_in_dim ||
                      v->def->kind == WEFT_OP_iota);
}

static void find(finder *f, const weft_value *v, const weft_type *t) {
    if (f->seen[v->id] == f->round || !weft_type_is_tensor(v->type) || !weft_shapes_agree(v->type, t)) return;
    f->seen[v->id] = f->round;
    f->found[f->count++] = (cone){ .v = v };
}

/* Values are made after their operands, and numbered in that order. */
static int by_id(const void *a, const void *b) {
    const cone *x = a, *y = b;
    return x->v->id < y->v->id ? -1 : x->v->id > y->v->id;
}

static const cone *cone_of(const finder *f, const weft_value *v) {
    const cone key = { .v = v };
    return bsearch(&key, f->found, f->count, sizeof key, by_id);
}

/* `last` and all values that it is computed from. */
static void find_values(finder *f, const weft_value *last, const weft_type *t) {
    f->count = 0;
    f->round++;
    find(f, last, t);
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; is_elementwise(f->found[i].v) && k < f->found[i].v->def->operand_count; k++)
            find(f, f->found[i].v->def->operands[k], t);
    if (f->count) qsort(f->found, f->count, sizeof *f->found, by_id);
}

/* Marks the values that lack one of the sources from number `first` on. Returns the number of all sources. */
static uint32_t find_lacking(finder *f, uint32_t first) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        cone *c = &f->found[i];
        c->sources = 0;
        if (!c->v->def) c->has_argument = true;
        else if (is_elementwise(c->v))
            for (uint32_t k = 0; k < c->v->def->operand_count; k++) {
                const cone *x = cone_of(f, c->v->def->operands[k]);
                if (x) c->sources |= x->sources, c->has_argument |= x->has_argument;
            }
        else if (!is_spread(c->v)) {
            if (n >= first && n - first < AT_ONCE) c->sources = (uint64_t)1 << (n - first);
            n++;
        }
    }
    for (uint32_t i = 0; i < f->count; i++) f->found[i].lacks |= f->found[i].sources != f->found[f->count - 1].sources;
    return n;
}

/* The last of the values by number is `last`, which has all sources. */
static const weft_value *gradient_in(finder *f, const weft_value *last, const weft_type *t) {
    find_values(f, last, t);
    const uint32_t sources = find_lacking(f, 0);
    for (uint32_t first = AT_ONCE; first < sources; first += AT_ONCE) (void)find_lacking(f, first);
    for (uint32_t i = 0; sources && i < f->count; i++)
        if (!f->found[i].has_argument && !f->found[i].lacks) return f->found[i].v;
    return NULL;
}

weft_status weft_gradients_find(const weft_module *m, const weft_roles *roles, weft_arena *arena,
                                const weft_value *const **of) {
    const weft_block *body = weft_op_body(weft_module_main(m), 0);
    const weft_value **v = weft_arena_array(arena, const weft_value *, roles->argument_count);
    finder f = { .seen = weft_arena_array(arena, uint32_t, m->value_count),
                 .found = weft_arena_array(arena, cone, m->value_count) };
    if (!v || !f.seen || !f.found) return weft_oom();
    for (uint32_t i = 0; i < roles->argument_count; i++) {
        const int64_t result = roles->of[i] == WEFT_ROLE_PARAMETER ? roles->result[i] : -1;
        v[i] = result < 0 ? NULL : gradient_in(&f, body->last->operands[result], body->args[i]->type);
    }
    *of = v;
    return WEFT_OK;
}
