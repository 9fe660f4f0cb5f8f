/* moves.c: see moves.h. */
#include "pipeline/dryrun/moves.h"

#include <stdlib.h>
#include "base/table.h"
#include "pipeline/dryrun/arguments.h"
#include "pipeline/dryrun/strategy_impl.h"

/* ---- what looks alike ---- */

typedef struct look { uint64_t looks; uint32_t member; } look;

typedef struct finder {
    const weft_strategist *s;
    weft_arena *arena;
    uint64_t *of_class;        /* by class; 0: nothing reads it */
    weft_move *v;
    size_t n, cap;
} finder;

static uint64_t type_looks(const weft_type *t) {
    uint64_t h = weft_hash_mix(t->dtype, t->rank);
    for (uint32_t d = 0; d < t->rank; d++) h = weft_hash_mix(h, (uint64_t)t->dims[d]);
    return h;
}

/* Sums, since the order of the program is no part of the looks. */
static void look_at_arguments(finder *f) {
    const weft_strategist *s = f->s;
    for (uint32_t i = 0; i < s->roles.argument_count; i++) {
        const weft_value *v = weft_strategist_argument(s, i);
        for (uint32_t d = 0; weft_type_is_tensor(v->type) && d < v->type->rank; d++) {
            const uint32_t class = weft_dim_class(&s->classes, v, d);
            const uint64_t looks = weft_hash_mix(type_looks(v->type), s->roles.of[i]);
            if (class != WEFT_NO_CLASS) f->of_class[class] += weft_hash_mix(looks, d) | 1;
        }
    }
}

static void look_at_classes(finder *f, const uint32_t *classes, uint32_t n, uint64_t looks) {
    for (uint32_t i = 0; i < n; i++) f->of_class[classes[i]] += weft_hash_mix(looks, i) | 1;
}

static void look_at_products(finder *f) {
    for (size_t k = 0; k < f->s->products.n; k++) {
        const weft_product *p = &f->s->products.v[k];
        const uint64_t looks = weft_hash_mix(type_looks(p->matrix->type), type_looks(p->op->results[0].type));
        look_at_classes(f, p->contracted, p->contracted_count, weft_hash_mix(looks, 1));
        look_at_classes(f, p->free, p->free_count, weft_hash_mix(looks, 2));
        look_at_classes(f, p->batched, p->batched_count, weft_hash_mix(looks, 3));
        look_at_classes(f, p->grouped, p->grouped_count, weft_hash_mix(looks, 4));
    }
}

static int by_looks(const void *a, const void *b) {
    const look *x = a, *y = b;
    if (x->looks != y->looks) return x->looks < y->looks ? -1 : 1;
    return x->member < y->member ? -1 : x->member > y->member;
}

/* ---- moves ---- */

static weft_status add(finder *f, weft_move m) {
    if (f->n == f->cap && !weft_arena_grow(f->arena, (void **)&f->v, &f->cap, f->n + 1, sizeof *f->v))
        return weft_oom();
    f->v[f->n++] = m;
    return WEFT_OK;
}

static bool can_split_class(const weft_strategist *s, uint32_t class, uint32_t axis) {
    return s->products.divisor[class] % weft_axis_size(s, axis) == 0;
}

/* A move for each axis that divides one of these, and for each dimension of arguments. */
static weft_status add_group(finder *f, const uint32_t *v, uint32_t n, bool classes) {
    const weft_strategist *s = f->s;
    const weft_type *t = classes ? NULL : weft_strategist_argument(s, v[0])->type;
    weft_status st = WEFT_OK;
    for (uint32_t axis = 0; axis < s->mesh->axis_count && st == WEFT_OK; axis++) {
        if (weft_axis_size(s, axis) == 1) continue;
        if (classes && can_split_class(s, v[0], axis)) st = add(f, (weft_move){ axis, WEFT_NO_DIM, v, n, 0 });
        for (uint32_t d = 0; !classes && d < t->rank && st == WEFT_OK; d++) {
            const uint32_t class = weft_dim_class(&s->classes, weft_strategist_argument(s, v[0]), d);
            if (class == WEFT_NO_CLASS || s->products.sliced[class] || t->dims[d] % weft_axis_size(s, axis)) continue;
            st = add(f, (weft_move){ axis, d, v, n, 0 });
        }
    }
    return st;
}

static weft_status add_groups(finder *f, look *v, size_t n, bool classes) {
    weft_status st = WEFT_OK;
    if (n) qsort(v, n, sizeof *v, by_looks);
    for (size_t i = 0, end; i < n && st == WEFT_OK; i = end) {
        for (end = i + 1; end < n && v[end].looks == v[i].looks;) end++;
        uint32_t *members = weft_arena_array(f->arena, uint32_t, end - i);
        if (!members) return weft_oom();
        for (size_t k = i; k < end; k++) members[k - i] = v[k].member;
        st = add_group(f, members, (uint32_t)(end - i), classes);
    }
    return st;
}

/* Parameters, and what the optimizer keeps for them. */
static weft_status add_argument_groups(finder *f, look *v) {
    const weft_strategist *s = f->s;
    size_t n = 0;
    for (uint32_t i = 0; i < s->roles.argument_count; i++) {
        const weft_value *x = weft_strategist_argument(s, i);
        if (s->roles.of[i] == WEFT_ROLE_DATA || !weft_type_is_tensor(x->type) || !x->type->rank) continue;
        uint64_t looks = weft_hash_mix(type_looks(x->type), s->roles.of[i]);
        for (uint32_t d = 0; d < x->type->rank; d++) {
            const uint32_t class = weft_dim_class(&s->classes, x, d);
            looks = weft_hash_mix(looks, class == WEFT_NO_CLASS ? 0 : f->of_class[class]);
        }
        v[n++] = (look){ looks, i };
    }
    return add_groups(f, v, n, false);
}

static double bytes_of(const weft_strategist *s, const uint32_t *v, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += (double)weft_type_bytes(weft_strategist_argument(s, v[i])->type);
    return sum;
}

/* By class: the bytes of the arguments that have it. */
static double *bytes_by_class(const weft_strategist *s, weft_arena *arena) {
    double *of = weft_arena_array(arena, double, s->classes.count);
    for (uint32_t i = 0; of && i < s->classes.count; i++) of[i] = 0;
    for (uint32_t i = 0; of && i < s->roles.argument_count; i++) {
        const weft_value *v = weft_strategist_argument(s, i);
        for (uint32_t d = 0; weft_type_is_tensor(v->type) && d < v->type->rank; d++) {
            const uint32_t class = weft_dim_class(&s->classes, v, d);
            if (class != WEFT_NO_CLASS) of[class] += bytes_of(s, &i, 1);
        }
    }
    return of;
}

static weft_status weigh(const weft_strategist *s, weft_arena *arena, weft_move *v, size_t n) {
    const double *of_class = bytes_by_class(s, arena);
    if (!of_class) return weft_oom();
    for (size_t i = 0; i < n; i++) {
        v[i].bytes = v[i].dim == WEFT_NO_DIM ? 0 : bytes_of(s, v[i].v, v[i].n);
        for (uint32_t k = 0; v[i].dim == WEFT_NO_DIM && k < v[i].n; k++) v[i].bytes += of_class[v[i].v[k]];
    }
    return WEFT_OK;
}

/* The order does not depend on hashes: they only say what is equal. */
static int by_bytes(const void *a, const void *b) {
    const weft_move *x = a, *y = b;
    if (x->bytes < y->bytes || x->bytes > y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if ((x->dim == WEFT_NO_DIM) != (y->dim == WEFT_NO_DIM)) return x->dim == WEFT_NO_DIM ? -1 : 1;
    if (x->v[0] != y->v[0]) return x->v[0] < y->v[0] ? -1 : 1;
    if (x->dim != y->dim) return x->dim < y->dim ? -1 : 1;
    return x->axis < y->axis ? -1 : x->axis > y->axis;
}

weft_status weft_moves_find(const weft_strategist *s, weft_arena *arena, const weft_move **out, size_t *n) {
    finder f = { .s = s, .arena = arena, .of_class = weft_arena_array(arena, uint64_t, s->classes.count) };
    look *v = weft_arena_array(arena, look, s->classes.count + (size_t)s->roles.argument_count);
    size_t count = 0;
    if (!f.of_class || !v) return weft_oom();
    for (uint32_t i = 0; i < s->classes.count; i++) f.of_class[i] = 0;
    look_at_arguments(&f);
    look_at_products(&f);
    for (uint32_t i = 0; i < s->classes.count; i++)
        if (f.of_class[i] && !s->products.sliced[i]) v[count++] = (look){ f.of_class[i], i };
    weft_status st = add_groups(&f, v, count, true);
    if (st == WEFT_OK) st = add_argument_groups(&f, v);
    if (st == WEFT_OK) st = weigh(s, arena, f.v, f.n);
    if (st != WEFT_OK) return st;
    if (f.n) qsort(f.v, f.n, sizeof *f.v, by_bytes);
    *out = f.v;
    *n = f.n;
    return WEFT_OK;
}

/* ---- making them ---- */

static bool take_away(weft_axes *a, uint32_t axis) {
    for (uint8_t i = 0; i < a->n; i++) {
        if (a->v[i] != axis) continue;
        for (; i + 1 < a->n; i++) a->v[i] = a->v[i + 1];
        a->n--;
        return true;
    }
    return false;
}

static bool move_classes(weft_strategist *s, const weft_move *m) {
    bool changed = false;
    for (uint32_t i = 0; i < m->n; i++) changed |= take_away(&s->of_class[m->v[i]], m->axis);
    for (uint32_t i = 0; !changed && i < m->n; i++)
        if (weft_strategist_divides(s, m->v[i], m->axis)) weft_axes_add(&s->of_class[m->v[i]], m->axis);
    return changed || weft_classes_split(s, m->v, m->n, m->axis);
}

static bool move_arguments(weft_strategist *s, const weft_move *m) {
    bool changed = false;
    for (uint32_t i = 0; i < m->n; i++) {
        const weft_value *v = weft_strategist_argument(s, m->v[i]);
        weft_axes *of = &s->of_dim[s->classes.first[v->id]];
        bool back = false;
        for (uint32_t d = 0; d < v->type->rank; d++)
            if (take_away(&of[d], m->axis) && d == m->dim) back = true;
        changed |= back;
        if (back || weft_strategist_has(s, m->v[i], m->axis)) continue;
        const weft_axes has = weft_strategist_axes(s, m->v[i], m->dim);
        if (weft_axes_divide(s, v->type->dims[m->dim], &has, m->axis)) changed |= weft_axes_add(&of[m->dim], m->axis);
    }
    return changed;
}

bool weft_move_make(weft_strategist *s, const weft_move *m) {
    return m->dim == WEFT_NO_DIM ? move_classes(s, m) : move_arguments(s, m);
}

weft_status weft_strategist_copy(const weft_strategist *s, weft_arena *arena, weft_strategist **out) {
    const size_t n = s->classes.count;
    weft_strategist *c = weft_arena_new(arena, weft_strategist);
    if (!c) return weft_oom();
    *c = *s;
    c->arena = arena;
    c->of_class = weft_arena_array(arena, weft_axes, n);
    c->of_dim = weft_arena_array(arena, weft_axes, n);
    if (!c->of_class || !c->of_dim) return weft_oom();
    if (n) memcpy(c->of_class, s->of_class, n * sizeof *c->of_class);
    if (n) memcpy(c->of_dim, s->of_dim, n * sizeof *c->of_dim);
    *out = c;
    return WEFT_OK;
}

/* ---- words ---- */

/* The first argument that has the class, and where; false: none has. */
static bool argument_of_class(const weft_strategist *s, uint32_t class, uint32_t *argument, uint32_t *dim) {
    for (uint32_t i = 0; i < s->roles.argument_count; i++) {
        const weft_value *v = weft_strategist_argument(s, i);
        for (uint32_t d = 0; weft_type_is_tensor(v->type) && d < v->type->rank; d++) {
            if (weft_dim_class(&s->classes, v, d) != class) continue;
            *argument = i, *dim = d;
            return true;
        }
    }
    return false;
}

weft_status weft_move_print(weft_buf *b, const weft_strategist *s, const weft_move *m) {
    const bool classes = m->dim == WEFT_NO_DIM;
    uint32_t argument = m->v[0], dim = m->dim;
    weft_buf_printf(b, "%s: ", s->mesh->axes[m->axis].name->text);
    if (classes && !argument_of_class(s, m->v[0], &argument, &dim)) {
        weft_buf_printf(b, "a dimension of intermediate values of %lld", (long long)s->products.divisor[m->v[0]]);
        return WEFT_OK;
    }
    weft_str path = weft_argument_path(s->main, argument, s->arena);
    if (!path.p) return weft_oom();
    weft_buf_printf(b, "dimension %u of ", dim);
    if (path.n) weft_buf_printf(b, "%.*s", WEFT_STR_ARG(path));
    else weft_buf_printf(b, "argument %u", argument);
    if (classes) weft_buf_puts(b, " and all that belongs to it");
    if (m->n > 1) weft_buf_printf(b, ", and %u alike", m->n - 1);
    return WEFT_OK;
}
