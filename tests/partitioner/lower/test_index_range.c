/* Known ranges of indices: never narrower than the program's values, and as tight as the table says; known steps are
 * the program's. A failure prints its seed and program; WEFT_SEED=S repeats it alone. */
#include "ir/module.h"
#include "mlir/read.h"
#include "partitioner/lower/index_range.h"
#include "partitioner/lower/index_steps.h"
#include "tests/codegen/walk.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { VALUES = 24, RANK = 3, PROGRAMS = 40 };

typedef struct value { uint32_t rank; int64_t dims[RANK]; const char *type; } value;

typedef struct maker { weft_rng rng; char text[16384]; size_t n; value v[VALUES]; uint32_t count; } maker;

static const char *const types[] = { "i8", "ui8", "i16", "i32", "ui32", "i64" };

static void put(maker *m, const char *fmt, ...) WEFT_PRINTF(2, 3);
static void put(maker *m, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    m->n += (size_t)vsnprintf(m->text + m->n, sizeof m->text - m->n, fmt, ap);
    va_end(ap);
    ck_assert_uint_lt(m->n, sizeof m->text);
}

static void put_type(maker *m, const value *v, const char *element) {
    put(m, "tensor<");
    for (uint32_t d = 0; d < v->rank; d++) put(m, "%lldx", (long long)v->dims[d]);
    put(m, "%s>", element ? element : v->type);
}

static int64_t elems(const value *v) {
    int64_t n = 1;
    for (uint32_t d = 0; d < v->rank; d++) n *= v->dims[d];
    return n;
}

static bool same_dims(const value *a, const value *b) {
    return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

/* One of the values made so far that may stand beside a: of its shape and type, or a itself. */
static uint32_t like(maker *m, uint32_t a) {
    const uint32_t first = weft_rng_below(&m->rng, m->count);
    for (uint32_t k = 0; k < m->count; k++) {
        const uint32_t i = (first + k) % m->count;
        if (m->v[i].type == m->v[a].type && same_dims(&m->v[i], &m->v[a])) return i;
    }
    return a;
}

/* Small numbers, and those at which 8 and 16 bits end. */
static long long number(maker *m, const char *type) {
    static const int ends[] = { 127, -128, 255, 32767, -32768, 100, -100 };
    const bool below = *type != 'u';
    long long x = weft_rng_chance(&m->rng, 0.4) ? ends[weft_rng_below(&m->rng, WEFT_COUNT(ends))]
                                                : (int)weft_rng_range(&m->rng, -6, 6);
    if (!below && x < 0) x = -x;
    if (!strcmp(type, "i8") && (x > 127 || x < -128)) x = x > 0 ? 127 : -128;
    return !strcmp(type, "ui8") && x > 255 ? 255 : x;
}

static void constant(maker *m) {
    value *v = &m->v[m->count];
    *v = (value){ .rank = weft_rng_below(&m->rng, RANK), .type = types[weft_rng_below(&m->rng, WEFT_COUNT(types))] };
    for (uint32_t d = 0; d < v->rank; d++) v->dims[d] = weft_rng_range(&m->rng, 1, 3);
    put(m, "  %%%u = stablehlo.constant dense<", m->count);
    for (uint32_t d = 0; d < v->rank; d++) put(m, "[");
    for (int64_t i = 0; i < elems(v); i++) {
        int64_t inner = 1;
        bool closes = false;
        for (uint32_t d = v->rank; d-- > 1; closes = true)
            if (i == 0 || i % (inner *= v->dims[d])) break;
            else put(m, "]");
        if (i) put(m, ", ");
        inner = 1;
        for (uint32_t d = v->rank; closes && d-- > 1;)
            if (i % (inner *= v->dims[d])) break;
            else put(m, "[");
        put(m, "%lld", number(m, v->type));
    }
    for (uint32_t d = 0; d < v->rank; d++) put(m, "]");
    put(m, "> : ");
    put_type(m, v, NULL);
    put(m, "\n");
}

static void iota(maker *m) {
    value *v = &m->v[m->count];
    *v = (value){ .rank = 1 + weft_rng_below(&m->rng, RANK - 1),
                  .type = types[weft_rng_below(&m->rng, WEFT_COUNT(types))] };
    for (uint32_t d = 0; d < v->rank; d++) v->dims[d] = weft_rng_range(&m->rng, 1, 3);
    put(m, "  %%%u = stablehlo.iota dim = %u : ", m->count, weft_rng_below(&m->rng, v->rank));
    put_type(m, v, NULL);
    put(m, "\n");
}

/* Value a along one dimension in reverse, or in order; where it has none, itself. */
static void reorder(maker *m, uint32_t a) {
    value *v = &m->v[m->count];
    *v = m->v[a];
    const uint32_t d = v->rank ? weft_rng_below(&m->rng, v->rank) : 0;
    if (!v->rank || weft_rng_chance(&m->rng, 0.5)) {
        put(m, "  %%%u = stablehlo.reverse %%%u, dims = [", m->count, a);
        if (v->rank) put(m, "%u", d);
        put(m, "] : ");
        put_type(m, v, NULL);
    } else {
        put(m, "  %%%u = \"stablehlo.sort\"(%%%u) <{dimension = %u : i64}> ({\n  ^bb0(%%p: tensor<%s>, %%q: tensor<%s>):\n",
            m->count, a, d, v->type, v->type);
        put(m, "    %%b = stablehlo.compare LT, %%p, %%q : (tensor<%s>, tensor<%s>) -> tensor<i1>\n", v->type, v->type);
        put(m, "    stablehlo.return %%b : tensor<i1>\n  }) : (");
        put_type(m, v, NULL);
        put(m, ") -> ");
        put_type(m, v, NULL);
    }
    put(m, "\n");
}

static void broadcast(maker *m, uint32_t a) {
    value from = m->v[a], *v = &m->v[m->count];
    if (from.rank == RANK) return constant(m);
    const uint32_t at = weft_rng_below(&m->rng, from.rank + 1); /* the new dimension; others move up */
    *v = (value){ .rank = from.rank + 1, .type = from.type };
    put(m, "  %%%u = stablehlo.broadcast_in_dim %%%u, dims = [", m->count, a);
    for (uint32_t d = 0; d < from.rank; d++) {
        const uint32_t to = d + (d >= at);
        v->dims[to] = from.dims[d] == 1 && weft_rng_chance(&m->rng, 0.5) ? 2 : from.dims[d];
        put(m, "%s%u", d ? ", " : "", to);
    }
    v->dims[at] = weft_rng_range(&m->rng, 1, 3);
    put(m, "] : (");
    put_type(m, &from, NULL);
    put(m, ") -> ");
    put_type(m, v, NULL);
    put(m, "\n");
}

static void unary(maker *m, uint32_t a, const char *op, value to) {
    m->v[m->count] = to;
    put(m, "  %%%u = stablehlo.%s %%%u : (", m->count, op, a);
    put_type(m, &m->v[a], NULL);
    put(m, ") -> ");
    put_type(m, &to, NULL);
    put(m, "\n");
}

/* Its dimensions as one, or one of size 1 more at an end. */
static void reshape(maker *m, uint32_t a) {
    value to = m->v[a];
    if (to.rank < RANK && weft_rng_chance(&m->rng, 0.6)) {
        if (weft_rng_chance(&m->rng, 0.5)) to.dims[to.rank] = 1;
        else memmove(to.dims + 1, m->v[a].dims, to.rank * sizeof *to.dims), to.dims[0] = 1;
        to.rank++;
    } else {
        to.dims[0] = elems(&m->v[a]);
        to.rank = 1;
    }
    unary(m, a, "reshape", to);
}

static void concatenate(maker *m, uint32_t a) {
    const uint32_t b = like(m, a);
    value to = m->v[a];
    if (!to.rank) return reshape(m, a);
    const uint32_t d = weft_rng_below(&m->rng, to.rank);
    to.dims[d] += m->v[b].dims[d];
    m->v[m->count] = to;
    put(m, "  %%%u = stablehlo.concatenate %%%u, %%%u, dim = %u : (", m->count, a, b, d);
    put_type(m, &m->v[a], NULL);
    put(m, ", ");
    put_type(m, &m->v[b], NULL);
    put(m, ") -> ");
    put_type(m, &to, NULL);
    put(m, "\n");
}

static void binary(maker *m, uint32_t a) {
    static const char *const ops[] = { "add", "minimum", "maximum", "subtract", "multiply" };
    m->v[m->count] = m->v[a];
    put(m, "  %%%u = stablehlo.%s %%%u, %%%u : ", m->count, ops[weft_rng_below(&m->rng, WEFT_COUNT(ops))], a,
        like(m, a));
    put_type(m, &m->v[a], NULL);
    put(m, "\n");
}

static void clamp(maker *m, uint32_t a) {
    m->v[m->count] = m->v[a];
    put(m, "  %%%u = stablehlo.clamp %%%u, %%%u, %%%u : ", m->count, like(m, a), a, like(m, a));
    put_type(m, &m->v[a], NULL);
    put(m, "\n");
}

/* As programs wrap negative indices: select(x < y, a, b). */
static void choose(maker *m, uint32_t a) {
    const uint32_t x = like(m, a), y = like(m, a), b = like(m, a);
    m->v[m->count] = m->v[a];
    put(m, "  %%p%u = stablehlo.compare %s, %%%u, %%%u : (", m->count, weft_rng_chance(&m->rng, 0.7) ? "LT" : "GE", x,
        y);
    put_type(m, &m->v[x], NULL);
    put(m, ", ");
    put_type(m, &m->v[y], NULL);
    put(m, ") -> ");
    put_type(m, &m->v[x], "i1");
    put(m, "\n  %%%u = stablehlo.select %%p%u, %%%u, %%%u : ", m->count, m->count, a, b);
    put_type(m, &m->v[a], "i1");
    put(m, ", ");
    put_type(m, &m->v[a], NULL);
    put(m, "\n");
}

static void make(maker *m) {
    put(m, "func.func @main() -> (");
    const size_t types_at = m->n;
    char body[sizeof m->text];
    m->n = 0;
    while (m->count < VALUES) {
        const uint32_t a = m->count ? weft_rng_below(&m->rng, m->count) : 0,
                       which = m->count < 3 ? 0 : weft_rng_below(&m->rng, 11);
        value to = m->v[a];
        to.type = types[weft_rng_below(&m->rng, WEFT_COUNT(types))];
        if (which < 1 && weft_rng_chance(&m->rng, 0.5)) iota(m);
        else if (which < 1) constant(m);
        else if (which < 2) broadcast(m, a);
        else if (which < 3) reshape(m, a);
        else if (which < 4) concatenate(m, a);
        else if (which < 5) unary(m, a, "convert", to);
        else if (which < 7) binary(m, a);
        else if (which < 8) clamp(m, a);
        else if (which < 9) reorder(m, a);
        else choose(m, a);
        m->count++;
    }
    memcpy(body, m->text, m->n + 1);
    m->n = 0;
    put(m, "func.func @main() -> (");
    ck_assert_uint_eq(m->n, types_at);
    for (uint32_t i = 0; i < m->count; i++) {
        if (i) put(m, ", ");
        put_type(m, &m->v[i], NULL);
    }
    put(m, ") {\n%s  return ", body);
    for (uint32_t i = 0; i < m->count; i++) put(m, "%s%%%u", i ? ", " : "", i);
    put(m, " : ");
    for (uint32_t i = 0; i < m->count; i++) {
        if (i) put(m, ", ");
        put_type(m, &m->v[i], NULL);
    }
    put(m, "\n}\n");
}

/* The elements whose place along dim is at lie in r. */
static void check_range(const weft_type *t, const void *data, uint32_t dim, int64_t at, weft_range r, const maker *m,
                        uint32_t which) {
    int64_t inner = 1;
    for (uint32_t d = dim + 1; d < t->rank; d++) inner *= t->dims[d];
    for (int64_t i = 0; i < weft_type_elems(t); i++) {
        if (dim < t->rank && i / inner % t->dims[dim] != at) continue;
        const int64_t x =
            (int64_t)weft_dtype_load(t->dtype, (const char *)data + (size_t)i * weft_dtype_bytes(t->dtype));
        ASSERT_EACH(r.low <= x && x <= r.high,
                    "%%%u[%lld] is %lld, known to be in [%lld, %lld] (dimension %u, place %lld):\n%s", which,
                    (long long)i, (long long)x, (long long)r.low, (long long)r.high, dim, (long long)at, m->text);
    }
}

/* The elements whose place along dim is at are what the steps say. */
static void check_steps(const weft_type *t, const void *data, uint32_t dim, int64_t at, const weft_steps *s,
                        const maker *m, uint32_t which) {
    for (int64_t i = 0; i < weft_type_elems(t); i++) {
        int64_t want = s->start, inner = 1;
        bool there = true;
        for (uint32_t d = t->rank; d-- > 0; inner *= t->dims[d]) {
            want += s->step[d] * (i / inner % t->dims[d]);
            there = there && (d != dim || i / inner % t->dims[d] == at);
        }
        const int64_t x =
            (int64_t)weft_dtype_load(t->dtype, (const char *)data + (size_t)i * weft_dtype_bytes(t->dtype));
        if (there)
            ASSERT_EACH(x == want, "%%%u[%lld] is %lld, by its steps %lld (dimension %u, place %lld):\n%s", which,
                        (long long)i, (long long)x, (long long)want, dim, (long long)at, m->text);
    }
}

/* How many steps were known. */
static uint32_t check_program(uint64_t seed) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    weft_module *module = NULL;
    static maker m;
    void *results[VALUES];
    uint32_t known = 0;
    m = (maker){ .rng = { seed } };
    make(&m);
    ck_assert_msg(weft_read_text(cx, weft_str_from(m.text), "random", 0, &module) == WEFT_OK, "WEFT_SEED=%llu: %s\n%s",
                  (unsigned long long)seed, weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "",
                  m.text);
    ck_assert_int_eq(walk_compile(cx, m.text, NULL, &x), WEFT_OK);
    for (uint32_t i = 0; i < m.count; i++) results[i] = walk_buffer((size_t)x->results[i].bytes);
    ck_assert_int_eq(walk_run(x, NULL, results, NULL), WEFT_OK);
    const weft_op *ret = weft_op_body(weft_module_main(module), 0)->last;
    for (uint32_t i = 0; i < m.count; i++) {
        const weft_type *t = ret->operands[i]->type;
        for (uint32_t d = 0; d <= t->rank; d++)
            for (int64_t at = 0; at < (d < t->rank ? t->dims[d] : 1); at++) {
                weft_steps s;
                check_range(t, results[i], d, at, weft_index_range(ret->operands[i], d, at), &m, i);
                if (!weft_index_steps(ret->operands[i], d, at, &s)) continue;
                check_steps(t, results[i], d, at, &s, &m, i);
                known++;
            }
        free(results[i]);
    }
    weft_executable_free(x);
    weft_module_free(module);
    weft_context_free(cx);
    return known;
}

START_TEST(random_programs) {
    const bool alone = getenv("WEFT_SEED") != NULL;
    for (int i = 0; i < (alone ? 1 : weft_test_long(PROGRAMS)); i++)
        ck_assert_uint_gt(check_program(weft_test_seed(1) + (uint64_t)i), 0);
}
END_TEST

/* The range of the result's elements at place `at` of dimension `dim`. */
static const struct { const char *what, *body; uint32_t dim; int64_t at, low, high;
} cases[] = {
    { "a column of a constant", "%r = stablehlo.constant dense<[[1, 7], [3, 9]]> : tensor<2x2xi32>", 1, 1, 7, 9 },
    { "a row", "%r = stablehlo.constant dense<[[1, 7], [3, 9]]> : tensor<2x2xi32>", 0, 1, 3, 9 },
    { "all", "%r = stablehlo.constant dense<[[1, 7], [3, 9]]> : tensor<2x2xi32>", 2, 0, 1, 9 },
    { "broadcast along a dimension",
      "%a = stablehlo.constant dense<[4, 8]> : tensor<2xi32>\n%r = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>",
      1, 1, 8, 8 },
    { "added", "%a = stablehlo.constant dense<[4, 8]> : tensor<2xi32>\n%r = stablehlo.add %a, %a : tensor<2xi32>", 0, 1,
      16, 16 },
    { "up to a quarter of the type",
      "%a = stablehlo.constant dense<63> : tensor<2xi8>\n%r = stablehlo.add %a, %a : tensor<2xi8>", 0, 1, 126, 126 },
    { "what might wrap round",
      "%a = stablehlo.constant dense<64> : tensor<2xi8>\n%r = stablehlo.add %a, %a : tensor<2xi8>", 0, 1, INT64_MIN,
      INT64_MAX },
    { "unsigned sums", "%a = stablehlo.constant dense<4> : tensor<2xui8>\n%r = stablehlo.add %a, %a : tensor<2xui8>", 0,
      1, INT64_MIN, INT64_MAX },
    { "negative ones wrapped round",
      "%a = stablehlo.constant dense<[4, 8]> : tensor<2xi32>\n%z = stablehlo.constant dense<0> : tensor<2xi32>\n%n = stablehlo.constant dense<10> : tensor<2xi32>\n"
      "%p = stablehlo.compare LT, %a, %z : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>\n%b = stablehlo.add %a, %n : tensor<2xi32>\n%r = stablehlo.select %p, %b, %a : tensor<2xi1>, tensor<2xi32>",
      1, 0, 4, 8 },
    { "one may be negative",
      "%a = stablehlo.constant dense<[-4, 8]> : tensor<2xi32>\n%z = stablehlo.constant dense<0> : tensor<2xi32>\n%n = stablehlo.constant dense<10> : tensor<2xi32>\n"
      "%p = stablehlo.compare LT, %a, %z : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>\n%b = stablehlo.add %a, %n : tensor<2xi32>\n%r = stablehlo.select %p, %b, %a : tensor<2xi1>, tensor<2xi32>",
      1, 0, -4, 18 },
    { "at the place where none is",
      "%a = stablehlo.constant dense<[-4, 8]> : tensor<2xi32>\n%z = stablehlo.constant dense<0> : tensor<2xi32>\n%n = stablehlo.constant dense<10> : tensor<2xi32>\n"
      "%p = stablehlo.compare LT, %a, %z : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>\n%b = stablehlo.add %a, %n : tensor<2xi32>\n%r = stablehlo.select %p, %b, %a : tensor<2xi1>, tensor<2xi32>",
      0, 1, 8, 8 },
    { "by a predicate that is broadcast",
      "%a = stablehlo.constant dense<[4, -8]> : tensor<2xi32>\n%z = stablehlo.constant dense<0> : tensor<2xi32>\n%n = stablehlo.constant dense<10> : tensor<3x2xi32>\n"
      "%p = stablehlo.compare LT, %a, %z : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>\n%q = stablehlo.broadcast_in_dim %p, dims = [1] : (tensor<2xi1>) -> tensor<3x2xi1>\n"
      "%b = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xi32>) -> tensor<3x2xi32>\n%r = stablehlo.select %q, %n, %b : tensor<3x2xi1>, tensor<3x2xi32>",
      1, 0, 4, 4 },
    { "clamped",
      "%f = stablehlo.iota dim = 0 : tensor<2xf32>\n%i = stablehlo.convert %f : (tensor<2xf32>) -> tensor<2xi32>\n%a = stablehlo.constant dense<0> : tensor<i32>\n%b = stablehlo.constant dense<5> : tensor<i32>\n%r = stablehlo.clamp %a, %i, %b : (tensor<i32>, tensor<2xi32>, tensor<i32>) -> tensor<2xi32>",
      0, 1, 0, 5 },
    { "counted, at a place", "%r = stablehlo.iota dim = 1 : tensor<2x7xi32>", 1, 4, 4, 4 },
    { "counted, along another dimension", "%r = stablehlo.iota dim = 1 : tensor<2x7xi32>", 0, 1, 0, 6 },
    { "counted as far as the type goes", "%r = stablehlo.iota dim = 0 : tensor<128xi8>", 1, 0, 0, 127 },
    { "counted further than that", "%r = stablehlo.iota dim = 0 : tensor<129xi8>", 1, 0, INT64_MIN, INT64_MAX },
    { "counted further than a signed type goes", "%r = stablehlo.iota dim = 0 : tensor<256xui8>", 1, 0, 0, 255 },
    { "reversed",
      "%a = stablehlo.constant dense<[4, 8, 6]> : tensor<3xi32>\n%r = stablehlo.reverse %a, dims = [0] : tensor<3xi32>",
      0, 2, 4, 4 },
    { "reversed along another dimension",
      "%a = stablehlo.constant dense<[[1, 7], [3, 9]]> : tensor<2x2xi32>\n%r = stablehlo.reverse %a, dims = [1] : tensor<2x2xi32>",
      0, 0, 1, 7 },
    { "sorted, anywhere along the dimension",
      "%a = stablehlo.constant dense<[4, 8, 6]> : tensor<3xi32>\n%r = \"stablehlo.sort\"(%a) ({\n^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
      "%p = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n}) : (tensor<3xi32>) -> tensor<3xi32>",
      0, 1, 4, 8 },
    { "sorted along another dimension",
      "%a = stablehlo.constant dense<[[1, 7], [3, 9]]> : tensor<2x2xi32>\n%r = \"stablehlo.sort\"(%a) <{dimension = 1 : i64}> ({\n^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
      "%p = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n}) : (tensor<2x2xi32>) -> tensor<2x2xi32>",
      0, 1, 3, 9 },
    { "a piece of a concatenation",
      "%a = stablehlo.constant dense<[4, 8]> : tensor<2xi32>\n%b = stablehlo.constant dense<9> : tensor<1xi32>\n%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>",
      0, 2, 9, 9 },
    { "across the pieces",
      "%a = stablehlo.constant dense<[4, 8]> : tensor<2xi32>\n%b = stablehlo.constant dense<9> : tensor<1xi32>\n%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>",
      1, 0, 4, 9 },
    { "to a type that holds it",
      "%a = stablehlo.constant dense<[4, 127]> : tensor<2xi32>\n%r = stablehlo.convert %a : (tensor<2xi32>) -> tensor<2xi8>",
      1, 0, 4, 127 },
    { "to one that does not",
      "%a = stablehlo.constant dense<[4, 128]> : tensor<2xi32>\n%r = stablehlo.convert %a : (tensor<2xi32>) -> tensor<2xi8>",
      1, 0, INT64_MIN, INT64_MAX },
    { "below zero to an unsigned one",
      "%a = stablehlo.constant dense<[4, -1]> : tensor<2xi32>\n%r = stablehlo.convert %a : (tensor<2xi32>) -> tensor<2xui32>",
      1, 0, INT64_MIN, INT64_MAX },
    { "reshaped",
      "%a = stablehlo.constant dense<[[1, 7], [3, 9]]> : tensor<2x2xi32>\n%r = stablehlo.reshape %a : (tensor<2x2xi32>) -> tensor<2x1x2xi32>",
      2, 1, 7, 9 },
    { "reshaped, a dimension of its own",
      "%a = stablehlo.constant dense<[[1, 7], [3, 9]]> : tensor<2x2xi32>\n%r = stablehlo.reshape %a : (tensor<2x2xi32>) -> tensor<4xi32>",
      0, 1, 1, 9 },
};

/* x.at[3::2, 1::4], as JAX writes it: component `at` of the indices. */
static const struct { const char *body; int64_t at, start, step[3];
} steps[] = {
    { "%i = stablehlo.iota dim = 0 : tensor<5xi32>\n%two = stablehlo.constant dense<2> : tensor<5xi32>\n%a = stablehlo.multiply %two, %i : tensor<5xi32>\n"
      "%three = stablehlo.constant dense<3> : tensor<5xi32>\n%b = stablehlo.add %three, %a : tensor<5xi32>\n%k = stablehlo.constant dense<[1, 5, 9]> : tensor<3xi32>\n"
      "%x = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<5xi32>) -> tensor<5x3x1xi32>\n%y = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<3xi32>) -> tensor<5x3x1xi32>\n"
      "%r = stablehlo.concatenate %x, %y, dim = 2 : (tensor<5x3x1xi32>, tensor<5x3x1xi32>) -> tensor<5x3x2xi32>",
      0,
      3,
      { 2, 0, 0 } },
    { "%k = stablehlo.constant dense<[1, 5, 9]> : tensor<3xi32>\n%x = stablehlo.iota dim = 0 : tensor<5x3x1xi32>\n"
      "%y = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<3xi32>) -> tensor<5x3x1xi32>\n"
      "%r = stablehlo.concatenate %x, %y, dim = 2 : (tensor<5x3x1xi32>, tensor<5x3x1xi32>) -> tensor<5x3x2xi32>",
      1,
      1,
      { 0, 4, 0 } },
};

START_TEST(rising) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_steps s;
    char text[4096];
    snprintf(text, sizeof text, "func.func @main() {\n%s\nreturn\n}\n", steps[_i].body);
    ck_assert_msg(weft_read_text(cx, weft_str_from(text), "case", 0, &m) == WEFT_OK, "%s",
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    ck_assert(weft_index_steps(&weft_op_body(weft_module_main(m), 0)->last->prev->results[0], 2, steps[_i].at, &s));
    ck_assert_int_eq(s.start, steps[_i].start);
    for (int d = 0; d < 3; d++) ck_assert_int_eq(s.step[d], steps[_i].step[d]);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

START_TEST(known) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    char text[4096];
    snprintf(text, sizeof text, "func.func @main() {\n%s\nreturn\n}\n", cases[_i].body);
    ck_assert_msg(weft_read_text(cx, weft_str_from(text), "case", 0, &m) == WEFT_OK, "%s: %s", cases[_i].what,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    const weft_op *last = weft_op_body(weft_module_main(m), 0)->last->prev;
    const weft_range r = weft_index_range(&last->results[0], cases[_i].dim, cases[_i].at);
    ck_assert_msg(r.low == cases[_i].low && r.high == cases[_i].high, "%s: [%lld, %lld], expected [%lld, %lld]",
                  cases[_i].what, (long long)r.low, (long long)r.high, (long long)cases[_i].low,
                  (long long)cases[_i].high);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("partitioner/index_range");
    TCase *tc = tcase_create("known");
    tcase_add_loop_test(tc, known, 0, WEFT_COUNT(cases));
    tcase_add_loop_test(tc, rising, 0, WEFT_COUNT(steps));
    suite_add_tcase(s, tc);
    tc = tcase_create("random");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, random_programs);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
