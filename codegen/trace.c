/* trace.c: from a set of nodes to the loop nest that computes them.
 *
 * Each root is asked for its element at the loop's natural index; a node asks its operands for theirs at the index its
 * class maps this one to. Indices are row-major numbers as long as nothing takes them apart, so shapes that differ only
 * in how they group elements share loops. When a node needs an index apart that a loop variable runs through, the
 * variable is split there and the trace starts again.
 */
#include "codegen/trace.h"

static uint32_t level_of(const tracer *t, const cg_ix *x) {
    uint32_t level = 0;
    for (uint32_t v = t->k->var_count; v-- > 0;)
        if (x->k[v]) {
            level = v + 1;
            break;
        }
    if (x->sym != CG_NONE && t->k->ins[x->sym].level > level) level = t->k->ins[x->sym].level;
    return level;
}

static uint32_t ready_of(const tracer *t, uint32_t i) { return i == CG_NONE ? 0 : t->k->ins[i].ready; }

/* Of indices the loop variables there are, all others being zero. */
static uint64_t ins_hash(const tracer *t, const cg_ins *x) {
    uint64_t splat[2], h = x->kind * 31u + x->dtype;
    memcpy(splat, x->splat, sizeof splat);
    const uint64_t parts[] = { x->op,           x->param,        x->a[0],           x->a[1],  x->a[2], (uint64_t)x->aux,
                               (uint64_t)x->lo, (uint64_t)x->hi, (uint64_t)x->ix.c, x->ix.sym, splat[0], splat[1] };
    for (size_t i = 0; i < WEFT_COUNT(parts); i++) h = (h ^ parts[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    for (size_t i = 0; i < t->k->var_count; i++) h = (h ^ (uint64_t)x->ix.k[i]) * 0xff51afd7ed558ccdu, h ^= h >> 31;
    return h;
}

uint32_t trace_emit(tracer *t, cg_ins x) {
    cg_kernel *k = t->k;
    uint32_t level = level_of(t, &x.ix), ready = ready_of(t, x.ix.sym);
    for (int i = 0; i < 3; i++) {
        if (x.a[i] == CG_NONE) continue;
        if (k->ins[x.a[i]].level > level) level = k->ins[x.a[i]].level;
        if (k->ins[x.a[i]].ready > ready) ready = k->ins[x.a[i]].ready;
    }
    if (x.kind != CG_I_REDUCED) { /* a reduction's are given */
        x.level = (uint8_t)level;
        x.ready = (uint8_t)ready;
    }
    size_t at = ins_hash(t, &x) & (TRACE_SLOTS - 1);
    for (; t->slots[at].stamp == t->stamp; at = (at + 1) & (TRACE_SLOTS - 1))
        if (!memcmp(&k->ins[t->slots[at].ins], &x, sizeof x)) return t->slots[at].ins;
    if (k->ins_count == CG_MAX_INS) return trace_fail(t, NULL);
    t->slots[at].stamp = t->stamp;
    t->slots[at].ins = k->ins_count;
    k->ins[k->ins_count] = x;
    return k->ins_count++;
}

cg_ins trace_blank(cg_ins_kind kind, weft_dtype dtype) {
    cg_ins x;
    memset(&x, 0, sizeof x); /* compared and hashed as bytes */
    x.kind = (uint8_t)kind;
    x.dtype = (uint16_t)dtype;
    x.a[0] = x.a[1] = x.a[2] = x.ix.sym = CG_NONE;
    return x;
}

uint32_t trace_fail(tracer *t, const cg_node *culprit) {
    if (!t->failed) {
        t->failed = true;
        t->culprit = culprit;
    }
    return CG_NONE;
}

cg_ix trace_fixed(int64_t c) { return (cg_ix){ .c = c, .sym = CG_NONE }; }

cg_ix trace_add(tracer *t, const cg_ix *a, const cg_ix *b, int64_t scale) {
    cg_ix r = *a;
    r.c += b->c * scale;
    for (uint32_t v = 0; v < t->k->var_count; v++) r.k[v] += b->k[v] * scale;
    if (b->sym == CG_NONE || !scale) return r;
    uint32_t s = b->sym;
    if (scale != 1) {
        cg_ins f = trace_blank(CG_I_SPLAT, WEFT_I64);
        memcpy(f.splat, &scale, sizeof scale);
        s = trace_scalar(t, CG_OP_multiply, WEFT_I64, 0, s, trace_emit(t, f), CG_NONE);
    }
    r.sym = r.sym == CG_NONE ? s : trace_scalar(t, CG_OP_add, WEFT_I64, 0, r.sym, s, CG_NONE);
    return r;
}

uint32_t trace_scalar(tracer *t, cg_op op, weft_dtype dtype, int64_t aux, uint32_t a, uint32_t b, uint32_t c) {
    if (t->failed) return CG_NONE;
    cg_ins x = trace_blank(CG_I_SCALAR, dtype);
    x.op = (uint16_t)op;
    x.aux = aux;
    x.a[0] = a, x.a[1] = b, x.a[2] = c;
    return trace_emit(t, x);
}

static void range(const tracer *t, const cg_ix *x, int64_t *lo, int64_t *hi) {
    *lo = *hi = x->c;
    for (uint32_t v = 0; v < t->k->var_count; v++) {
        int64_t d = x->k[v] * (t->k->extent[v] - 1);
        if (d < 0) *lo += d;
        else *hi += d;
    }
}

/* Asks for a loop variable to be split so that x can be divided by n. */
static bool ask_split(tracer *t, const cg_ix *x, int64_t n) {
    int64_t after = 1;
    for (uint32_t v = t->k->var_count; v-- > 0; after *= t->k->extent[v]) {
        int64_t k = x->k[v], e = t->k->extent[v];
        if (k <= 0 || k >= n || n % k || (k * e) % n || k * e == n) continue;
        t->request = after * (n / k);
        return true;
    }
    return false;
}

/* x = q * n + r with 0 <= r < n. A dimension of size 0 has no element, so anything will do for it. */
static bool divide(tracer *t, const cg_ix *x, int64_t n, cg_ix *q, cg_ix *r) {
    *q = *r = trace_fixed(0);
    if (n <= 1) {
        *q = *x;
        return true;
    }
    if (x->sym != CG_NONE) return false;
    r->c = x->c % n;
    if (r->c < 0) r->c += n;
    q->c = (x->c - r->c) / n;
    for (uint32_t v = 0; v < t->k->var_count; v++) {
        if (x->k[v] % n == 0) q->k[v] = x->k[v] / n;
        else r->k[v] = x->k[v];
    }
    int64_t lo, hi;
    range(t, r, &lo, &hi);
    return (lo >= 0 && hi < n) || (ask_split(t, r, n), false);
}

bool trace_apart(tracer *t, const cg_node *n, const element *i, cg_ix *parts) {
    if (!i->linear) {
        memcpy(parts, i->ix, n->rank * sizeof *parts);
        return true;
    }
    cg_ix rest = i->ix[0];
    for (uint32_t d = n->rank; d-- > 0;) {
        if (n->dims[d] == 1) {
            parts[d] = trace_fixed(0);
            continue;
        }
        bool first = true;
        for (uint32_t e = 0; e < d; e++) first = first && n->dims[e] == 1;
        if (first) {
            parts[d] = rest;
            rest = trace_fixed(0);
            continue;
        }
        cg_ix q;
        if (!divide(t, &rest, n->dims[d], &q, &parts[d])) {
            trace_fail(t, n);
            return false;
        }
        rest = q;
    }
    return true;
}

cg_ix *trace_parts(tracer *t, const cg_node *n, uint32_t rank) {
    cg_ix *parts = t->room + t->used;
    if (rank > TRACE_ROOM - t->used) {
        (void)trace_fail(t, n);
        return NULL;
    }
    t->used += rank;
    return parts;
}

cg_ix trace_number(tracer *t, const cg_node *n, const element *i) {
    if (i->linear) return i->ix[0];
    cg_ix sum = trace_fixed(0);
    int64_t step = 1;
    for (uint32_t d = n->rank; d-- > 0; step *= n->dims[d]) sum = trace_add(t, &sum, &i->ix[d], step);
    return sum;
}

uint32_t trace_param(tracer *t, cg_node *n) {
    cg_kernel *k = t->k;
    for (uint32_t i = 0; i < k->param_count; i++)
        if (k->params[i] == n) return i;
    if (k->param_count == CG_MAX_PARAMS) return trace_fail(t, n);
    k->params[k->param_count] = n;
    return k->param_count++;
}

static uint32_t load(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    cg_ins x = trace_blank(CG_I_LOAD, (weft_dtype)n->dtype);
    if (n->strides) {
        cg_ix parts[WEFT_MAX_RANK];
        if (!trace_apart(t, n, i, parts)) return CG_NONE;
        x.ix = trace_fixed(0);
        for (uint32_t d = 0; d < n->rank; d++) x.ix = trace_add(t, &x.ix, &parts[d], n->strides[d]);
    } else x.ix = trace_number(t, n, i);
    x.a[0] = guard;
    x.param = trace_param(t, n);
    return t->failed ? CG_NONE : trace_emit(t, x);
}

uint32_t trace_index(tracer *t, const cg_ix *x, weft_dtype dtype) {
    int64_t lo, hi;
    range(t, x, &lo, &hi);
    bool narrow = x->sym == CG_NONE && lo >= INT32_MIN && hi <= INT32_MAX && weft_dtype_bytes(dtype) <= 4;
    cg_ins i = trace_blank(CG_I_INDEX, narrow ? WEFT_I32 : WEFT_I64);
    i.ix = *x;
    uint32_t v = trace_emit(t, i);
    return dtype == i.dtype || t->failed ? v : trace_scalar(t, CG_OP_convert, dtype, i.dtype, v, CG_NONE, CG_NONE);
}

uint32_t trace_within(tracer *t, const cg_ix *x, int64_t lo, int64_t hi, uint32_t guard) {
    int64_t a, b;
    range(t, x, &a, &b);
    if (x->sym == CG_NONE && a >= lo && b < hi) return guard;
    cg_ins r = trace_blank(CG_I_RANGE, WEFT_I1);
    r.ix = *x;
    r.lo = lo;
    r.hi = hi;
    return trace_both(t, guard, trace_emit(t, r));
}

bool trace_never(const tracer *t, const cg_ix *x, int64_t lo, int64_t hi) {
    int64_t a, b;
    range(t, x, &a, &b);
    return x->sym == CG_NONE && (a >= hi || b < lo);
}

uint32_t trace_both(tracer *t, uint32_t a, uint32_t b) {
    return a == CG_NONE ? b : b == CG_NONE ? a : trace_scalar(t, CG_OP_and, WEFT_I1, 0, a, b, CG_NONE);
}

/* Computing a value again and again where a buffer would be read: more than four times is not worth it. */
static bool worth(const tracer *t, const cg_node *n, const element *i) {
    if (cg_is(n, CG_LIGHT) || n->uniform || n->elems == t->k->total) return true;
    uint32_t level = 0;
    for (uint32_t d = 0; d < (i->linear ? 1 : n->rank); d++) {
        uint32_t l = level_of(t, &i->ix[d]);
        if (l > level) level = l;
    }
    int64_t times = 1;
    for (uint32_t v = 0; v < level; v++) times *= t->k->extent[v];
    return times <= 4 * n->elems;
}

static bool same_ix(const tracer *t, const cg_ix *a, const cg_ix *b) {
    return a->c == b->c && a->sym == b->sym && !memcmp(a->k, b->k, t->k->var_count * sizeof *a->k);
}

uint32_t trace_value(tracer *t, cg_node *n, const element *i, uint32_t guard) {
    if (t->failed) return CG_NONE;
    /* nobody looks at it, whatever the index */
    if (!n->elems) return trace_emit(t, trace_blank(CG_I_SPLAT, (weft_dtype)n->dtype));
    if (!t->inlines(t->user, n)) return load(t, n, i, guard);
    if (!worth(t, n, i)) return trace_fail(t, n);
    const bool memo = !cg_is(n, CG_LIGHT);
    cg_ix number = trace_fixed(0);
    if (memo) {
        number = trace_number(t, n, i);
        for (memo_entry *m = t->memo[n->id % TRACE_MEMO]; m; m = m->next)
            if (m->node == n && m->guard == guard && same_ix(t, &m->ix, &number)) return m->ins;
    }
    if (++t->depth > TRACE_DEPTH) return trace_fail(t, n);
    uint32_t v = trace_class(t, n, i, guard);
    t->depth--;
    if (memo && !t->failed) {
        memo_entry *m = t->spare;
        if (m) t->spare = m->next;
        else m = weft_arena_new(t->arena, memo_entry);
        if (!m) {
            t->memory = true;
            return trace_fail(t, n);
        }
        *m = (memo_entry){ n, number, guard, v, t->memo[n->id % TRACE_MEMO] };
        t->memo[n->id % TRACE_MEMO] = m;
    }
    return v;
}

static cg_ix natural(const tracer *t, uint32_t vars) {
    cg_ix x = trace_fixed(0);
    int64_t step = 1;
    for (uint32_t v = vars; v-- > 0; step *= t->k->extent[v]) x.k[v] = step;
    return x;
}

cg_ix trace_natural_full(const tracer *t) { return natural(t, t->k->var_count); }
cg_ix trace_natural_row(const tracer *t) { return natural(t, t->k->inner); }

void trace_store(tracer *t, cg_node *n, uint32_t value, cg_ix ix, uint32_t level) {
    cg_kernel *k = t->k;
    const uint8_t of_value = k->ins[value].ready, of_place = (uint8_t)ready_of(t, ix.sym),
                  phase = of_place > of_value ? of_place : of_value;
    uint32_t param = trace_param(t, n);
    if (t->failed || k->store_count == CG_MAX_PARAMS) {
        trace_fail(t, n);
        return;
    }
    k->written |= weft_bit(param);
    k->stores[k->store_count++] = (cg_store){ .kind = CG_STORE, .level = (uint8_t)level, .phase = phase, .ix = ix,
                                              .param = param, .value = value, .guard = CG_NONE };
}

static void later(tracer *t, uint32_t ins, uint8_t *phase) {
    if (ins != CG_NONE && t->k->ins[ins].ready > *phase) *phase = t->k->ins[ins].ready;
}

bool trace_started(const tracer *t, const cg_node *n) {
    for (uint32_t i = 0; i < t->k->sum_count; i++)
        if (t->k->sums[i].node == n) return true;
    return false;
}

void trace_fold_store(tracer *t, cg_node *n, cg_fold f, cg_store s) {
    cg_kernel *k = t->k;
    if (k->sum_count == CG_MAX_FOLDS || k->store_count == CG_MAX_PARAMS) trace_fail(t, n);
    s.fold = k->sum_count;
    for (uint32_t i = 0; i < f.n && !t->failed; i++) {
        cg_node *result = cg_result(t->g, n, i);
        if (!result) trace_fail(t, n);
        else s.params[i] = trace_param(t, result);
        if (t->failed) return;
        later(t, f.value[i], &s.phase);
        k->written |= weft_bit(s.params[i]);
    }
    if (t->failed) return;
    later(t, s.guard, &s.phase);
    later(t, s.ix.sym, &s.phase);
    f.phase = s.phase;
    k->sums[k->sum_count++] = f;
    k->stores[k->store_count++] = s;
}

cg_fold trace_fold(tracer *t, cg_node *n, const element *i) {
    cg_fold f = { .node = n, .body = n->reduce.body, .n = n->result_count,
                  .order = n->cls == CG_REDUCE ? (cg_fold_order)n->aux : CG_ANY_ORDER };
    cg_ix zero = trace_fixed(0);
    if (f.n > WEFT_COUNT(f.value)) trace_fail(t, n);
    for (uint32_t r = 0; r < f.n && !t->failed; r++) {
        f.value[r] = trace_value(t, n->in[r], i, CG_NONE);
        f.init[r] = trace_value(t, n->in[f.n + r], &(element){ true, &zero }, CG_NONE);
        /* not known before the loops */
        if (!t->failed && (t->k->ins[f.init[r]].level || t->k->ins[f.init[r]].ready)) trace_fail(t, n);
    }
    return f;
}

/* A reduction whose result is gathered in memory while the loops run. */
static void accumulate(tracer *t, cg_node *n, const cg_ix *at, uint32_t level) {
    cg_node *x = n->in[0];
    cg_ix parts[WEFT_MAX_RANK], ix = trace_fixed(0);
    element whole = { true, (cg_ix *)at };
    if (trace_started(t, n)) return;
    if (!trace_apart(t, x, &whole, parts)) {
        trace_fail(t, n);
        return;
    }
    int64_t step = 1;
    for (uint32_t d = x->rank; d-- > 0;) {
        if (weft_bits_has(n->reduce.dims, d)) continue;
        ix = trace_add(t, &ix, &parts[d], step);
        step *= x->dims[d];
    }
    const cg_fold f = trace_fold(t, n, &whole);
    if (!t->failed)
        trace_fold_store(t, n, f,
                         (cg_store){ .kind = CG_ACCUMULATE, .level = (uint8_t)level, .ix = ix, .guard = CG_NONE });
}

static void root(tracer *t, cg_node *n) {
    cg_kernel *k = t->k;
    cg_node *computed = cg_whole(n), *red = computed->cls == CG_REDUCE ? computed : NULL;
    const int64_t rows = k->row ? k->total / k->row : 0;
    if (n->cls == CG_PLACE) {
        trace_place(t, n);
        return;
    }
    if (computed->cls == CG_SCATTER || computed->cls == CG_SCAN) {
        if (trace_started(t, computed)) return;
        if (computed->cls == CG_SCATTER) trace_scatter(t, computed);
        else trace_scan(t, computed);
        return;
    }
    cg_ix full = trace_natural_full(t), row = trace_natural_row(t);
    if (red) {
        const cg_node *x = red->in[0];
        bool trailing = weft_bits_has(red->reduce.dims, x->rank - 1);
        if (x->elems == k->total && trailing && x->dims[x->rank - 1] == k->row) {
            uint32_t v = trace_value(t, n, &(element){ true, &row }, CG_NONE);
            if (!t->failed) trace_store(t, n, v, row, k->inner);
        } else if (x->elems == k->total && !trailing) accumulate(t, red, &full, k->var_count);
        else if (x->elems == rows && (n == red || !trailing)) accumulate(t, red, &row, k->inner);
        else trace_fail(t, n);
        return;
    }
    const bool whole = n->elems == k->total;
    if (!whole && n->elems != rows) {
        trace_fail(t, n);
        return;
    }
    cg_ix *at = whole ? &full : &row;
    uint32_t v = trace_value(t, n, &(element){ true, at }, CG_NONE);
    if (!t->failed) trace_store(t, n, v, *at, whole ? k->var_count : k->inner);
}

/* Loop variables from the sorted borders of total (numbers of elements after each border, falling). */
static void set_vars(cg_kernel *k, const int64_t *border, uint32_t n) {
    int64_t from = k->total;
    k->var_count = 0;
    k->inner = k->row == k->total ? 0 : CG_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (from != border[i]) k->extent[k->var_count++] = from / border[i];
        from = border[i];
        if (from == k->row) k->inner = k->var_count;
    }
    if (from > 1) k->extent[k->var_count++] = from;
    if (k->inner == CG_NONE) k->inner = k->var_count ? k->var_count - 1 : 0;
}

/* Adds b to the falling list; false when it does not divide its neighbours or there is no room. */
static bool add_border(int64_t *border, uint32_t *n, int64_t b) {
    uint32_t at = 0;
    while (at < *n && border[at] > b) at++;
    if ((at < *n && border[at] == b) || *n + 2 >= CG_MAX_VARS) return false;
    if ((at > 0 && border[at - 1] % b) || (at < *n && b % border[at])) return false;
    memmove(border + at + 1, border + at, (*n - at) * sizeof *border);
    border[at] = b;
    ++*n;
    return true;
}

/* What was remembered goes to the spare entries: an arena that is marked and reset for each trace asks the system for a
 * page each time that the mark lies at the end of a chunk. */
static void forget(tracer *t) {
    for (uint32_t i = 0; i < TRACE_MEMO; i++) {
        memo_entry *m = t->memo[i];
        if (!m) continue;
        while (m->next) m = m->next;
        m->next = t->spare;
        t->spare = t->memo[i];
        t->memo[i] = NULL;
    }
}

static void reset(tracer *t, const int64_t *border, uint32_t n) {
    cg_kernel *k = t->k;
    k->ins_count = k->param_count = k->fold_count = k->sum_count = k->store_count = 0;
    k->written = 0;
    set_vars(k, border, n);
    t->stamp++;
    t->failed = false;
    t->request = 0;
    t->depth = t->used = 0;
    forget(t);
}

static void count_phases(cg_kernel *k) {
    k->phases = 1;
    for (uint32_t i = 0; i < k->fold_count; i++)
        if (k->folds[i].phase + 1u > k->phases) k->phases = k->folds[i].phase + 1u;
    for (uint32_t i = 0; i < k->store_count; i++)
        if (k->stores[i].level > k->inner && k->stores[i].phase + 1u > k->phases) k->phases = k->stores[i].phase + 1u;
}

tracer *cg_tracer_new(cg_graph *g, weft_arena *arena) {
    tracer *t = weft_arena_new(arena, tracer);
    cg_ins *ins = weft_arena_array(arena, cg_ins, CG_MAX_INS);
    cg_ix *room = weft_arena_array(arena, cg_ix, TRACE_ROOM);
    cg_fold *folds = weft_arena_array(arena, cg_fold, CG_MAX_FOLDS),
            *sums = weft_arena_array(arena, cg_fold, CG_MAX_FOLDS);
    cg_store *stores = weft_arena_array(arena, cg_store, CG_MAX_PARAMS);
    if (!t || !ins || !room || !folds || !sums || !stores) return NULL;
    t->room = room;
    t->folds = folds;
    t->sums = sums;
    t->stores = stores;
    t->g = g;
    t->arena = arena;
    t->ins = ins;
    return t;
}

cg_trace_result cg_trace(tracer *t, int64_t total, int64_t row, cg_node *const *roots, uint32_t root_count,
                         cg_inlines inlines, void *user, cg_kernel *out, const cg_node **culprit) {
    int64_t border[CG_MAX_VARS];
    uint32_t n = 0;
    memset(out, 0, sizeof *out);
    out->total = total;
    out->row = row;
    out->ins = t->ins;
    out->folds = t->folds, out->sums = t->sums, out->stores = t->stores;
    t->k = out, t->inlines = inlines, t->user = user, t->memory = false;
    if (row && row != total && row != 1) border[n++] = row;
    cg_trace_result result = CG_TRACE_OK;
    for (;;) {
        reset(t, border, n);
        for (uint32_t i = 0; i < root_count && !t->failed; i++) root(t, roots[i]);
        if (!t->failed) break;
        result = t->memory ? CG_TRACE_MEMORY : CG_TRACE_NO;
        if (t->memory || !t->request || !add_border(border, &n, t->request)) break;
        result = CG_TRACE_OK;
    }
    if (culprit) *culprit = t->culprit;
    if (result == CG_TRACE_OK) count_phases(out);
    return result;
}
