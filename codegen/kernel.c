/* kernel.c: loops joined, kernels copied and compared. */
#include "codegen/body.h"
#include "codegen/kernel.h"

cg_kernel *cg_kernel_copy(const cg_kernel *k, weft_arena *arena) {
    cg_kernel *c = weft_arena_dup(arena, k, sizeof *k, _Alignof(cg_kernel));
    if (!c) return NULL;
    c->ins = weft_arena_dup(arena, k->ins, k->ins_count * sizeof *k->ins, _Alignof(cg_ins));
    c->folds = weft_arena_dup(arena, k->folds, k->fold_count * sizeof *k->folds, _Alignof(cg_fold));
    c->sums = weft_arena_dup(arena, k->sums, k->sum_count * sizeof *k->sums, _Alignof(cg_fold));
    c->stores = weft_arena_dup(arena, k->stores, k->store_count * sizeof *k->stores, _Alignof(cg_store));
    c->ins_cap = k->ins_count;
    return c->ins && c->folds && c->sums && c->stores ? c : NULL;
}

static bool moves_as_one(const cg_kernel *k, const cg_ix *x, uint32_t v) {
    return x->k[v] == x->k[v + 1] * k->extent[v + 1];
}

static bool may_join(const cg_kernel *k, uint32_t v) {
    if (v + 1 == k->inner && (k->row || k->inner + 1 != k->var_count)) return false;
    for (uint32_t i = 0; i < k->ins_count; i++)
        if (!moves_as_one(k, &k->ins[i].ix, v)) return false;
    for (uint32_t i = 0; i < k->store_count; i++)
        if (!moves_as_one(k, &k->stores[i].ix, v)) return false;
    return true;
}

static void drop(cg_ix *x, uint32_t v) {
    memmove(x->k + v, x->k + v + 1, (CG_MAX_VARS - v - 1) * sizeof *x->k);
    x->k[CG_MAX_VARS - 1] = 0;
}

static void join(cg_kernel *k, uint32_t v) {
    for (uint32_t i = 0; i < k->ins_count; i++) {
        drop(&k->ins[i].ix, v);
        if (k->ins[i].level > v) k->ins[i].level--;
    }
    for (uint32_t i = 0; i < k->store_count; i++) {
        drop(&k->stores[i].ix, v);
        if (k->stores[i].level > v) k->stores[i].level--;
    }
    k->extent[v + 1] *= k->extent[v];
    memmove(k->extent + v, k->extent + v + 1, (CG_MAX_VARS - v - 1) * sizeof *k->extent);
    k->var_count--;
    if (k->inner > v) k->inner--;
}

void cg_kernel_collapse(cg_kernel *k) {
    for (uint32_t v = k->var_count ? k->var_count - 1 : 0; v-- > 0;)
        if (may_join(k, v)) join(k, v);
    if (!k->row) k->inner = k->var_count ? k->var_count - 1 : 0;
}

typedef struct need { const cg_kernel *k; bool seen[CG_MAX_INS]; } need;

static void mark(void *user, uint32_t i) {
    need *n = user;
    if (i == CG_NONE || n->seen[i]) return;
    n->seen[i] = true;
    for (int a = 0; a < 3; a++) mark(n, n->k->ins[i].a[a]);
    mark(n, n->k->ins[i].ix.sym);
}

/* What phases after `after` compute, and what is stored per row at the end. */
static void mark_later(need *n, uint32_t after) {
    const cg_kernel *k = n->k;
    for (uint32_t i = 0; i < k->fold_count; i++)
        for (uint32_t r = 0; k->folds[i].phase > after && r < k->folds[i].n; r++) mark(n, k->folds[i].value[r]);
    for (uint32_t i = 0; i < k->store_count; i++) {
        const cg_store *s = &k->stores[i];
        if (k->row && s->level == k->inner) continue; /* of loads per row, which are not in place */
        if (s->phase <= after) continue;
        cg_store_uses(k, s, mark, n);
    }
}

bool cg_kernel_in_place(const cg_kernel *k, uint32_t param, const cg_store *store) {
    need n = { .k = k };
    if (store->kind != CG_STORE || store->level != k->var_count) return false;
    mark_later(&n, store->phase);
    bool loaded = false;
    for (uint32_t i = 0; i < k->ins_count; i++) {
        const cg_ins *x = &k->ins[i];
        if (x->kind != CG_I_LOAD || x->param != param) continue;
        loaded = true;
        if (n.seen[i] || x->ix.c != store->ix.c || x->ix.sym != CG_NONE ||
            memcmp(x->ix.k, store->ix.k, k->var_count * sizeof *x->ix.k))
            return false;
    }
    return loaded; /* else a scatter's operand, whose place is taken */
}

typedef struct writer { weft_arena *arena; int64_t *v; size_t n, cap; bool failed; } writer;

static void put(writer *w, int64_t v) {
    if (w->n == w->cap && !weft_arena_grow(w->arena, (void **)&w->v, &w->cap, w->n + 1, sizeof *w->v)) w->failed = true;
    if (!w->failed) w->v[w->n++] = v;
}

static void put_ix(writer *w, const cg_kernel *k, const cg_ix *x) {
    put(w, x->c);
    put(w, x->sym);
    for (uint32_t v = 0; v < k->var_count; v++) put(w, x->k[v]);
}

static void put_ins(writer *w, const cg_kernel *k, const cg_ins *x) {
    int64_t splat[2];
    memcpy(splat, x->splat, sizeof splat);
    const int64_t parts[] = { x->kind, x->level, x->ready, x->dtype, x->op, x->param, x->a[0],
                              x->a[1], x->a[2],  x->aux,   x->lo,    x->hi, splat[0], splat[1] };
    for (size_t i = 0; i < WEFT_COUNT(parts); i++) put(w, parts[i]);
    /* what is masked off stays inside */
    if (x->kind == CG_I_LOAD && x->a[0] != CG_NONE) put(w, k->params[x->param]->elems);
    put_ix(w, k, &x->ix);
}

static void put_number(void *w, int64_t v) { put(w, v); }

static void put_fold(writer *w, const cg_fold *f) {
    cg_body body;
    put(w, f->phase);
    put(w, f->order);
    put(w, f->n);
    for (uint32_t i = 0; i < f->n; i++) {
        put(w, f->node->in[i]->dtype);
        put(w, f->value[i]);
        put(w, f->init[i]);
    }
    if (cg_body_read(w->arena, f->body, &body, NULL) == WEFT_OK) cg_body_key(&body, put_number, w);
    else w->failed = true;
}

bool cg_kernel_key(const cg_kernel *k, weft_arena *arena, int64_t **key, uint32_t *count) {
    writer w = { .arena = arena };
    put(&w, k->var_count);
    put(&w, k->inner);
    put(&w, k->phases);
    put(&w, (k->row != 0) + 2 * k->tiled + 4 * k->narrow + 8 * k->scanned + 16 * k->moves);
    for (uint32_t v = 0; v < k->var_count; v++) put(&w, k->extent[v]);
    put(&w, k->param_count);
    for (uint32_t i = 0; i < k->param_count; i++) put(&w, k->params[i]->dtype);
    put(&w, k->ins_count);
    for (uint32_t i = 0; i < k->ins_count; i++) put_ins(&w, k, &k->ins[i]);
    put(&w, k->fold_count);
    for (uint32_t i = 0; i < k->fold_count; i++) put_fold(&w, &k->folds[i]);
    put(&w, k->store_count);
    for (uint32_t i = 0; i < k->store_count; i++) {
        const cg_store *s = &k->stores[i];
        put(&w, s->kind), put(&w, s->level), put(&w, s->phase), put_ix(&w, k, &s->ix);
        put(&w, s->guard);
        if (s->kind == CG_STORE) {
            put(&w, s->param), put(&w, s->value);
            continue;
        }
        put(&w, s->back);
        put(&w, k->params[s->params[0]]->elems);
        for (uint32_t r = 0; r < k->sums[s->fold].n; r++) put(&w, s->params[r]);
        put_fold(&w, &k->sums[s->fold]);
    }
    *key = w.v;
    *count = (uint32_t)w.n;
    return !w.failed;
}
