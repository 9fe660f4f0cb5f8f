/* Random programs over dimensions of 2^31 elements and more: numbers of their places, moved, padded, sliced,
 * overwritten and looked up, sharded over a mesh. They return a few elements around the borders of the parts and of
 * narrow types, so that most programs run, on the mesh and on one device, without a wide value in memory; the others
 * are only planned. The reference computes each returned element by itself. WEFT_SEED=S repeats one. */
#include "pipeline/pipeline.h"
#include "runtime/execute.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

#ifndef PROGRAMS
#define PROGRAMS 24
#endif
enum { STEPS = 3, MOST = 4 * STEPS, RESULTS = 3, LIST = 5, ROOM = 65536 };
#define MEMORY ((int64_t)1 << 26)

typedef enum kind {
    IOTA,
    MAP,
    ADD,
    XOR,
    REVERSE,
    PAD,
    SLICE,
    CONCATENATE,
    TRANSPOSE,
    UPDATE,
    CONVERT,
    SPLIT,
    BROADCAST,
    KINDS,
    WINDOW,
    DYNAMIC,
    LIST_OF
} kind;

static const struct {
    const char *name;
    int bits;
    bool is_signed;
} types[] = {
    { "i64", 64, true }, { "i32", 32, true }, { "ui32", 32, false }, { "i16", 16, true }, { "ui8", 8, false }
};

/* A value of one or two dimensions, of which the one numbered `wide` is wide; dims[1] is 1 where there is one only. */
typedef struct node {
    kind kind;
    int a, b;                 /* operands, by number */
    int type, rank, wide;
    int64_t dims[2];
    int64_t p, q, s;          /* as eval() reads them */
    int64_t list[LIST];
} node;

typedef struct maker {
    weft_rng rng;
    node v[MOST];
    int n, wides[MOST], wide_count, results[RESULTS], result_count;
    int64_t argument[RESULTS];
    int argument_type[RESULTS], argument_count;
    char text[ROOM];
    size_t used;
} maker;

static int64_t wrap(int type, int64_t x) {
    const int bits = types[type].bits;
    if (bits == 64) return x;
    const int64_t low = x & (((int64_t)1 << bits) - 1);
    return types[type].is_signed && low >> (bits - 1) ? low - ((int64_t)1 << bits) : low;
}

static int64_t clamp(int64_t x, int64_t most) { return x < 0 ? 0 : x > most ? most : x; }
static int64_t times(int64_t x, int64_t y) { return (int64_t)((uint64_t)x * (uint64_t)y); }
static int64_t plus(int64_t x, int64_t y) { return (int64_t)((uint64_t)x + (uint64_t)y); }

/* Element (i, j) of value k, by StableHLO's spec. */
static int64_t eval(const maker *m, int k, int64_t i, int64_t j) {
    const node *v = &m->v[k];
    int64_t at[2] = { i, j }, *w = &at[v->wide];
    switch (v->kind) {
    case IOTA: return wrap(v->type, at[v->p]);
    case MAP: return wrap(v->type, plus(times(eval(m, v->a, i, j), v->p), v->q));
    case ADD: return wrap(v->type, plus(eval(m, v->a, i, j), eval(m, v->b, i, j)));
    case XOR: return wrap(v->type, eval(m, v->a, i, j) ^ eval(m, v->b, i, j));
    case REVERSE: *w = v->dims[v->wide] - 1 - *w; break;
    case PAD:
        *w -= v->p;
        if (*w < 0 || *w >= m->v[v->a].dims[v->wide]) return wrap(v->type, v->s);
        break;
    case WINDOW:
    case SLICE: *w = v->p + *w * v->s; break;
    case CONCATENATE:
        if (*w < m->v[v->a].dims[v->wide]) break;
        *w -= m->v[v->a].dims[v->wide];
        return eval(m, v->b, at[0], at[1]);
    case TRANSPOSE: return eval(m, v->a, j, i);
    case UPDATE:
        if (*w >= v->p && *w < v->p + v->q) return wrap(v->type, v->s);
        break;
    case CONVERT: return wrap(v->type, eval(m, v->a, i, j));
    case SPLIT: return eval(m, v->a, i * v->dims[1] + j, 0); /* the last dimension of two is the fast one */
    case BROADCAST: return eval(m, v->a, *w, 0);
    case DYNAMIC: *w += v->p; break;
    case LIST_OF: *w = clamp(v->list[*w], m->v[v->a].dims[v->wide] - 1); break;
    case KINDS: break;
    }
    return eval(m, v->a, at[0], at[1]);
}

/* ---- text ---- */

static void put(maker *m, const char *fmt, ...) WEFT_PRINTF(2, 3);
static void put(maker *m, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    m->used += (size_t)vsnprintf(m->text + m->used, ROOM - m->used, fmt, ap);
    va_end(ap);
    ck_assert_uint_lt(m->used, ROOM);
}

static const char *shape(const node *v, const char *element, char to[80]) {
    if (v->rank == 1) snprintf(to, 80, "tensor<%lldx%s>", (long long)v->dims[0], element);
    else snprintf(to, 80, "tensor<%lldx%lldx%s>", (long long)v->dims[0], (long long)v->dims[1], element);
    return to;
}

static const char *type(const node *v, char to[80]) { return shape(v, types[v->type].name, to); }

/* "[WIDE]" or "[WIDE, SMALL]", in the order of the dimensions. */
static void pair(maker *m, const node *v, int64_t wide, int64_t small) {
    if (v->rank == 1) put(m, "[%lld]", (long long)wide);
    else put(m, "[%lld, %lld]", (long long)(v->wide ? small : wide), (long long)(v->wide ? wide : small));
}

static int64_t small_of(const node *v) { return v->rank == 1 ? 1 : v->dims[!v->wide]; }

static void put_splat(maker *m, const char *name, int k, const node *like, int64_t x) {
    char t[80];
    put(m, "  %%%s%d = stablehlo.constant dense<%lld> : %s\n", name, k, (long long)wrap(like->type, x), type(like, t));
}

static void put_scalar(maker *m, const char *name, int k, const char *element, int64_t x) {
    put(m, "  %%%s%d = stablehlo.constant dense<%lld> : tensor<%s>\n", name, k, (long long)x, element);
}

static void write_moved(maker *m, int k, const char *t, const char *of) {
    const node *v = &m->v[k], *a = &m->v[v->a];
    const int64_t small = small_of(v);
    if (v->kind == PAD) {
        put_scalar(m, "p", k, types[v->type].name, wrap(v->type, v->s));
        put(m, "  %%%d = stablehlo.pad %%%d, %%p%d, low = ", k, v->a, k);
        pair(m, v, v->p, 0), put(m, ", high = "), pair(m, v, v->dims[v->wide] - a->dims[a->wide] - v->p, 0),
            put(m, ", interior = "), pair(m, v, 0, 0);
        put(m, " : (%s, tensor<%s>) -> %s\n", of, types[v->type].name, t);
    } else if (v->kind == UPDATE) {
        node part = *v;
        char pt[80];
        part.dims[v->wide] = v->q;
        put_splat(m, "u", k, &part, v->s);
        put_scalar(m, "i", k, "i64", v->p), put_scalar(m, "z", k, "i64", 0);
        put(m, "  %%%d = stablehlo.dynamic_update_slice %%%d, %%u%d, %%%s%d", k, v->a, k, v->wide ? "z" : "i", k);
        if (v->rank == 2) put(m, ", %%%s%d", v->wide ? "i" : "z", k);
        put(m, " : (%s, %s, tensor<i64>%s) -> %s\n", of, type(&part, pt), v->rank == 2 ? ", tensor<i64>" : "", t);
    } else {
        const int64_t end = v->p + (v->dims[v->wide] - 1) * v->s + 1;
        put(m, "  %%%d = stablehlo.slice %%%d [", k, v->a);
        if (v->rank == 2 && v->wide) put(m, "0:%lld, ", (long long)small);
        put(m, "%lld:%lld:%lld", (long long)v->p, (long long)end, (long long)v->s);
        if (v->rank == 2 && !v->wide) put(m, ", 0:%lld", (long long)small);
        put(m, "] : (%s) -> %s\n", of, t);
    }
}

static void write_looked_up(maker *m, int k, const char *t, const char *of) {
    const node *v = &m->v[k];
    if (v->kind == DYNAMIC) {
        const char *it = types[m->argument_type[v->s]].name;
        put_scalar(m, "z", k, it, 0);
        put(m, "  %%%d = stablehlo.dynamic_slice %%%d", k, v->a);
        for (int d = 0; d < v->rank; d++) {
            if (d == v->wide) put(m, ", %%arg%d", (int)v->s);
            else put(m, ", %%z%d", k);
        }
        put(m, ", sizes = "), pair(m, v, v->dims[v->wide], small_of(v));
        put(m, " : (%s, tensor<%s>%s%s%s) -> %s\n", of, it, v->rank == 2 ? ", tensor<" : "", v->rank == 2 ? it : "",
            v->rank == 2 ? ">" : "", t);
        return;
    }
    const char *it = types[v->p].name;
    put(m, "  %%i%d = stablehlo.constant dense<[", k);
    for (int i = 0; i < LIST; i++) put(m, "%s[%lld]", i ? ", " : "", (long long)v->list[i]);
    put(m, "]> : tensor<%dx1x%s>\n  %%%d = \"stablehlo.gather\"(%%%d, %%i%d) <{dimension_numbers = #stablehlo.gather<",
        LIST, it, k, v->a, k);
    if (v->rank == 2) put(m, "offset_dims = [%d], ", !v->wide);
    put(m, "collapsed_slice_dims = [%d], start_index_map = [%d], index_vector_dim = 1>, slice_sizes = array<i64: ",
        v->wide, v->wide);
    for (int d = 0; d < v->rank; d++) put(m, "%s%lld", d ? ", " : "", d == v->wide ? 1LL : (long long)small_of(v));
    put(m, ">}> : (%s, tensor<%dx1x%s>) -> %s\n", of, LIST, it, t);
}

static void write_node(maker *m, int k) {
    const node *v = &m->v[k], *a = &m->v[v->a];
    char t[80], of[80], bt[80];
    type(v, t), type(a, of);
    switch (v->kind) {
    case IOTA: put(m, "  %%%d = stablehlo.iota dim = %lld : %s\n", k, (long long)v->p, t); break;
    case MAP:
        put_splat(m, "c", k, v, v->p), put_splat(m, "d", k, v, v->q);
        put(m, "  %%m%d = stablehlo.multiply %%%d, %%c%d : %s\n  %%%d = stablehlo.add %%m%d, %%d%d : %s\n", k, v->a, k,
            t, k, k, k, t);
        break;
    case ADD: put(m, "  %%%d = stablehlo.add %%%d, %%%d : %s\n", k, v->a, v->b, t); break;
    case XOR: put(m, "  %%%d = stablehlo.xor %%%d, %%%d : %s\n", k, v->a, v->b, t); break;
    case REVERSE: put(m, "  %%%d = stablehlo.reverse %%%d, dims = [%d] : %s\n", k, v->a, v->wide, t); break;
    case PAD: case SLICE: case WINDOW: case UPDATE: write_moved(m, k, t, of); break;
    case CONCATENATE:
        put(m, "  %%%d = stablehlo.concatenate %%%d, %%%d, dim = %d : (%s, %s) -> %s\n", k, v->a, v->b, v->wide, of,
            type(&m->v[v->b], bt), t);
        break;
    case TRANSPOSE: put(m, "  %%%d = stablehlo.transpose %%%d, dims = [1, 0] : (%s) -> %s\n", k, v->a, of, t); break;
    case CONVERT: put(m, "  %%%d = stablehlo.convert %%%d : (%s) -> %s\n", k, v->a, of, t); break;
    case SPLIT: put(m, "  %%%d = stablehlo.reshape %%%d : (%s) -> %s\n", k, v->a, of, t); break;
    case BROADCAST:
        put(m, "  %%%d = stablehlo.broadcast_in_dim %%%d, dims = [%d] : (%s) -> %s\n", k, v->a, v->wide, of, t);
        break;
    case DYNAMIC: case LIST_OF: write_looked_up(m, k, t, of); break;
    case KINDS: break;
    }
}

/* ---- programs ---- */

static uint32_t below(maker *m, uint32_t n) { return weft_rng_below(&m->rng, n); }
static bool chance(maker *m, double p) { return weft_rng_chance(&m->rng, p); }

/* Somewhere in 0..n-1, mostly where a part or a narrow type ends. */
static int64_t place(maker *m, int64_t n) {
    static const int64_t ends[] = { INT32_MAX, (int64_t)1 << 31, UINT32_MAX, (int64_t)1 << 32, (int64_t)3 << 31 };
    const int64_t at = chance(m, 0.4) ? ends[below(m, WEFT_COUNT(ends))] : n / 8 * (int64_t)below(m, 9);
    return chance(m, 0.1) ? weft_rng_range(&m->rng, 0, n - 1) : clamp(at + weft_rng_range(&m->rng, -3, 2), n - 1);
}

static int64_t wide_size(maker *m) {
    static const int64_t bases[] = { (int64_t)1 << 31, (int64_t)1 << 32, (int64_t)3 << 31, (int64_t)1 << 33,
                                     (int64_t)5 << 30 };
    const int64_t n = bases[below(m, WEFT_COUNT(bases))];
    return chance(m, 0.7) ? n : n + weft_rng_range(&m->rng, -9, 9) * (chance(m, 0.5) ? 8 : 1);
}

static int add(maker *m, node v) {
    m->v[m->n] = v;
    write_node(m, m->n);
    return m->n++;
}

/* A name for v that is sharded as one of these says; as a node, a conversion to its own type. */
static void constrain(maker *m, int k) {
    static const char *const axes[] = { "{\"x\"}", "{\"x\", \"y\"}", "{\"y\"}", "{}", "{\"y\", \"x\"}" };
    const node *v = &m->v[k];
    char t[80];
    const uint32_t on = below(m, WEFT_COUNT(axes));
    const char *wide = axes[on], *small = on == 0 && chance(m, 0.3) ? axes[2] : "{}";
    put(m, "  %%s%d = sdy.sharding_constraint %%%d <@mesh, [%s", k, k, v->wide ? small : wide);
    if (v->rank == 2) put(m, ", %s", v->wide ? wide : small);
    put(m, "]> : %s\n", type(v, t));
    put(m, "  %%%d = stablehlo.convert %%s%d : (%s) -> %s\n", m->n, k, t, t);
    node same = *v;
    same.kind = CONVERT, same.a = k;
    m->v[m->n] = same;
    m->n++;
}

static int start(maker *m) {
    node v = { .kind = IOTA, .rank = 1 + (int)below(m, 2) };
    v.wide = v.rank == 2 && chance(m, 0.5);
    v.dims[0] = v.dims[1] = 1;
    if (v.rank == 2) v.dims[!v.wide] = 4;
    v.dims[v.wide] = wide_size(m);
    v.p = chance(m, 0.8) ? v.wide : v.rank - 1;
    return add(m, v);
}

static int some(maker *m) {
    return m->wides[m->wide_count - 1 - (int)below(m, (uint32_t)(m->wide_count < 3 ? m->wide_count : 3))];
}

static bool alike(const node *a, const node *b) {
    return a->rank == b->rank && a->type == b->type && a->dims[0] == b->dims[0] && a->dims[1] == b->dims[1];
}

static int partner(maker *m, int a) {
    for (int i = m->wide_count; i-- > 0;)
        if (m->wides[i] != a && alike(&m->v[m->wides[i]], &m->v[a])) return m->wides[i];
    return a;
}

static void take_step(maker *m) {
    const int a = some(m);
    node v = m->v[a];
    v.a = v.b = a;
    v.kind = (kind)below(m, KINDS);
    int64_t *w = &v.dims[v.wide];
    switch (v.kind) {
    case MAP: v.p = weft_rng_range(&m->rng, -5, 7), v.q = weft_rng_range(&m->rng, -200, 200); break;
    case ADD: case XOR: v.b = partner(m, a); break;
    case PAD:
        v.p = weft_rng_range(&m->rng, -9, 9), v.s = weft_rng_range(&m->rng, -99, 99);
        if (chance(m, 0.2)) v.p = *w / 4;
        *w += v.p + weft_rng_range(&m->rng, -9, 9);
        break;
    case SLICE:
        v.s = 1 + (int64_t)below(m, 2), v.p = chance(m, 0.5) ? (int64_t)below(m, 9) : place(m, *w / 2);
        *w = (*w - v.p - (int64_t)below(m, 9)) / v.s;
        break;
    case CONCATENATE: *w += m->v[v.b = partner(m, a)].dims[v.wide]; break;
    case TRANSPOSE: {
        const int64_t d = v.dims[0];
        if (v.rank == 1) return;
        v.dims[0] = v.dims[1], v.dims[1] = d, v.wide = !v.wide;
        break;
    }
    case UPDATE:
        v.q = 1 + (int64_t)below(m, 9), v.p = clamp(place(m, *w), *w - v.q), v.s = weft_rng_range(&m->rng, -99, 99);
        break;
    case CONVERT: v.type = (int)below(m, WEFT_COUNT(types)); break;
    case SPLIT:
        if (v.rank != 1 || *w % 4 || *w / 4 < INT32_MAX / 2) return;
        v.rank = 2, v.dims[0] /= 4, v.dims[1] = 4;
        break;
    case BROADCAST: {
        const int64_t d = *w;
        if (v.rank != 1) return;
        v.rank = 2, v.wide = chance(m, 0.5), v.dims[v.wide] = d, v.dims[!v.wide] = 2;
        break;
    }
    case IOTA: case REVERSE: default: break;
    }
    if (v.kind == IOTA) {
        m->wides[m->wide_count++] = start(m);
    } else {
        if (v.dims[v.wide] > (int64_t)1 << 36) return;
        m->wides[m->wide_count++] = add(m, v);
    }
    if (chance(m, 0.6)) constrain(m, m->n - 1), m->wides[m->wide_count - 1] = m->n - 1;
}

/* A few elements of what was made last. */
static void take_result(maker *m) {
    const int a = some(m);
    node v = m->v[a];
    const int64_t n = v.dims[v.wide];
    v.a = a, v.kind = (kind)(WINDOW + below(m, 3)), v.s = 1;
    v.dims[v.wide] = v.kind == LIST_OF ? LIST : 1 + (int64_t)below(m, 8);
    if (v.kind == WINDOW) v.p = clamp(place(m, n), n - v.dims[v.wide]);
    if (v.kind == DYNAMIC) {
        const int c = m->argument_count++;
        m->argument_type[c] = (int)below(m, 3);
        m->argument[c] = wrap(m->argument_type[c], chance(m, 0.9) ? place(m, n) : -5);
        v.s = c, v.p = clamp(m->argument[c], n - v.dims[v.wide]);
    }
    if (v.kind == LIST_OF) {
        v.p = below(m, 3);
        for (int i = 0; i < LIST; i++)
            v.list[i] =
                wrap((int)v.p, chance(m, 0.9) ? place(m, n) : -1 - (int64_t)below(m, 2) + n * (int64_t)below(m, 2));
    }
    m->results[m->result_count++] = add(m, v);
}

static void write_program(maker *m, uint64_t seed) {
    char head[1024], t[80];
    size_t n;
    m->rng.state = seed * 7919;
    m->n = m->wide_count = m->result_count = m->argument_count = 0, m->used = 0;
    m->wides[m->wide_count++] = start(m);
    constrain(m, 0), m->wides[0] = m->n - 1;
    for (int i = 0; i < STEPS; i++) take_step(m);
    for (int i = 0; i < RESULTS; i++) take_result(m);
    n = (size_t)snprintf(head, sizeof head, "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]%s>\nfunc.func @main(",
                         chance(m, 0.2) ? ", device_ids=[2, 0, 3, 1]" : "");
    for (int i = 0; i < m->argument_count; i++)
        n += (size_t)snprintf(head + n, sizeof head - n, "%s%%arg%d: tensor<%s>", i ? ", " : "", i,
                              types[m->argument_type[i]].name);
    n += (size_t)snprintf(head + n, sizeof head - n, ") -> (");
    for (int r = 0; r < m->result_count; r++)
        n += (size_t)snprintf(head + n, sizeof head - n, "%s%s", r ? ", " : "", type(&m->v[m->results[r]], t));
    n += (size_t)snprintf(head + n, sizeof head - n, ") {\n");
    put(m, "  return ");
    for (int r = 0; r < m->result_count; r++) put(m, "%s%%%d", r ? ", " : "", m->results[r]);
    for (int r = 0; r < m->result_count; r++) put(m, "%s%s", r ? ", " : " : ", type(&m->v[m->results[r]], t));
    put(m, "\n}\n");
    ck_assert_uint_lt(m->used + n, ROOM);
    memmove(m->text + n, m->text, m->used + 1);
    memcpy(m->text, head, n);
}

/* ---- the law ---- */

static int64_t element(const weft_host_array *a, int t, int64_t i) {
    const size_t bytes = (size_t)types[t].bits / 8;
    uint64_t x = 0;
    memcpy(&x, (const char *)a->data + (size_t)i * bytes, bytes); /* little-endian, as .npy files are */
    return wrap(t, (int64_t)x);
}

static void compare(const maker *m, weft_session *s, const weft_built_program *p, uint64_t seed, const char *mesh) {
    for (int r = 0; r < m->result_count; r++) {
        const node *v = &m->v[m->results[r]];
        int64_t data[64];
        weft_host_array a;
        weft_session_describe(&p->result_layouts[r], &a);
        a.data = data;
        ck_assert(weft_host_array_bytes(&a) <= (int64_t)sizeof data);
        ck_assert_int_eq(weft_session_get(s, (uint32_t)r, &a), WEFT_OK);
        for (int64_t i = 0; i < v->dims[0]; i++)
            for (int64_t j = 0; j < v->dims[1]; j++) {
                const int64_t got = element(&a, v->type, i * v->dims[1] + j), want = eval(m, m->results[r], i, j);
                ASSERT_EACH(got == want,
                            "WEFT_SEED=%llu, mesh %s: element (%lld, %lld) of result %d is %lld, not %lld\n%s",
                            (unsigned long long)seed, mesh ? mesh : "of its own", (long long)i, (long long)j, r,
                            (long long)got, (long long)want, m->text);
            }
    }
}

/* No wide value lies in memory, and none is computed whole. */
static bool is_small(const weft_plan *p) {
    double flops = 0;
    for (uint32_t i = 0; i < p->step_count; i++) flops += p->steps[i].flops;
    return weft_plan_peak_bytes(p) < MEMORY && flops < MEMORY;
}

/* Whether it could run. */
static bool try(const maker *m, uint64_t seed, const char *mesh) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *source = NULL;
    weft_built_program *p = NULL;
    weft_session *s = NULL;
    bool speaker, runs = false;
    weft_status st = weft_read_text(cx, weft_str_from(m->text), "random", 0, &source);
    if (st == WEFT_OK) st = weft_program_build(cx, source, &(weft_build_options){ .mesh = mesh }, &p);
    ck_assert_msg(st == WEFT_OK, "WEFT_SEED=%llu: %s\n%s", (unsigned long long)seed,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : weft_status_name(st), m->text);
    if (is_small(&p->exec->plan)) {
        weft_session_options so = { .processes = { .processes = 1, .timeout_s = 20 }, .exec = p->exec,
                                    .args = p->arg_layouts, .results = p->result_layouts };
        runs = true;
        st = weft_session_open(cx, &so, &speaker, &s);
        for (int i = 0; i < m->argument_count && st == WEFT_OK; i++) {
            weft_host_array a;
            weft_session_describe(&p->arg_layouts[i], &a);
            a.data = (void *)&m->argument[i]; /* its first bytes */
            st = weft_session_put(s, (uint32_t)i, &a);
        }
        if (st == WEFT_OK) st = weft_session_step(s);
        ck_assert_msg(st == WEFT_OK, "WEFT_SEED=%llu: %s\n%s", (unsigned long long)seed, weft_status_name(st), m->text);
        compare(m, s, p, seed, mesh);
        weft_session_close(s);
    }
    weft_built_program_free(p);
    weft_module_free(source);
    weft_context_free(cx);
    return runs;
}

START_TEST(test_random) {
    const bool alone = getenv("WEFT_SEED") != NULL;
    static maker m;
    int runs = 0, n = alone ? 1 : weft_test_long(PROGRAMS);
    for (int i = 0; i < n; i++) {
        const uint64_t seed = weft_test_seed(1) + (uint64_t)i;
        write_program(&m, seed);
        runs += try(&m, seed, NULL);
        runs += try(&m, seed, "x=1,y=1");
    }
    printf("%d of %d runs of %d programs needed no wide value whole\n", runs, 2 * n, n);
    if (!alone) ck_assert_int_ge(runs, n / 4);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/wide");
    TCase *tc = tcase_create("wide");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, test_random);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
