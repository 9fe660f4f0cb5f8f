/* Products whose operands have several free dimensions, of which one may be counted as batch (layout.c): of random
 * letters, sizes and orders, with a printed seed, each result is what plain loops add up, exactly; the products of
 * attention with grouped queries are done without a copy, a reader's order of contracted dimensions included. */
#include <stdio.h>
#include <stdlib.h>
#include "exec/kernels/library.h"
#include "tests/codegen/walk.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { LETTERS = 7, EACH = 12 };

/* A product as an einsum: letters by number. a and b are transposed from `a_lies` and `b_lies`, in which the arguments
 * lie, to a and b; the result of the dot_general, batch, a's free and b's free, is transposed to out. */
typedef struct list { int n; int v[LETTERS]; } list;
typedef struct einsum { int64_t size[LETTERS]; list a_lies, b_lies, a, b, dot, out, batch, contract; } einsum;

static void push(list *l, int x) { l->v[l->n++] = x; }
static bool has(const list *l, int x) {
    for (int i = 0; i < l->n; i++)
        if (l->v[i] == x) return true;
    return false;
}
static int place(const list *l, int x) {
    int i = 0;
    while (l->v[i] != x) i++;
    return i;
}

static list shuffled(weft_rng *r, list l) {
    for (int i = l.n; i > 1; i--) {
        const int k = (int)weft_rng_below(r, (uint32_t)i), x = l.v[i - 1];
        l.v[i - 1] = l.v[k], l.v[k] = x;
    }
    return l;
}

static void finish(einsum *e) {
    e->dot = e->batch;
    for (int i = 0; i < e->a.n; i++)
        if (!has(&e->batch, e->a.v[i]) && !has(&e->contract, e->a.v[i])) push(&e->dot, e->a.v[i]);
    for (int i = 0; i < e->b.n; i++)
        if (!has(&e->batch, e->b.v[i]) && !has(&e->contract, e->b.v[i])) push(&e->dot, e->b.v[i]);
}

/* Letter 0 is batch, 1 and 2 are a's and b's long ones, 3 a short one beside either, 4 another, 5 and 6 are
 * contracted. */
static einsum random_einsum(weft_rng *r) {
    static const int64_t least[LETTERS] = { 1, 64, 64, 2, 1, 2, 2 }, most[LETTERS] = { 2, 70, 70, 4, 3, 9, 4 };
    einsum e = { .size = { 0 } };
    for (int x = 0; x < LETTERS; x++) e.size[x] = weft_rng_range(r, least[x], most[x]);
    list a = { 0 }, b = { 0 };
    push(&e.batch, 0), push(&a, 0), push(&b, 0), push(&a, 1), push(&b, 2);
    push(weft_rng_chance(r, 0.5) ? &a : &b, 3);
    if (weft_rng_chance(r, 0.5)) push(weft_rng_chance(r, 0.5) ? &a : &b, 4);
    for (int x = 5; x < 7 - (int)weft_rng_below(r, 2); x++) push(&e.contract, x), push(&a, x), push(&b, x);
    e.a_lies = shuffled(r, a), e.b_lies = shuffled(r, b);
    e.a = weft_rng_chance(r, 0.5) ? e.a_lies : shuffled(r, a);
    e.b = weft_rng_chance(r, 0.5) ? e.b_lies : shuffled(r, b);
    finish(&e);
    e.out = weft_rng_chance(r, 0.3) ? e.dot : shuffled(r, e.dot);
    return e;
}

static int64_t elems(const einsum *e, const list *l) {
    int64_t n = 1;
    for (int i = 0; i < l->n; i++) n *= e->size[l->v[i]];
    return n;
}

/* ---- its program ---- */

static char *put_type(char *p, const einsum *e, const list *l) {
    p += sprintf(p, "tensor<");
    for (int i = 0; i < l->n; i++) p += sprintf(p, "%lldx", (long long)e->size[l->v[i]]);
    return p + sprintf(p, "f32>");
}

static char *put_places(char *p, const list *of, const list *in) {
    *p++ = '[';
    for (int i = 0; i < of->n; i++) p += sprintf(p, "%s%d", i ? ", " : "", place(in, of->v[i]));
    return p + sprintf(p, "]");
}

static char *put_transpose(char *p, const einsum *e, const char *to, const char *from, const list *lies,
                           const list *l) {
    p += sprintf(p, "%%%s = stablehlo.transpose %%%s, dims = ", to, from), p = put_places(p, l, lies);
    p += sprintf(p, " : ("), p = put_type(p, e, lies), p += sprintf(p, ") -> "), p = put_type(p, e, l);
    return p + sprintf(p, "\n");
}

static void text_of(const einsum *e, char *p) {
    p += sprintf(p, "func.func @main(%%x: "), p = put_type(p, e, &e->a_lies), p += sprintf(p, ", %%y: ");
    p = put_type(p, e, &e->b_lies), p += sprintf(p, ") -> "), p = put_type(p, e, &e->out), p += sprintf(p, " {\n");
    p = put_transpose(p, e, "a", "x", &e->a_lies, &e->a), p = put_transpose(p, e, "b", "y", &e->b_lies, &e->b);
    p += sprintf(p, "%%dot = stablehlo.dot_general %%a, %%b, batching_dims = "), p = put_places(p, &e->batch, &e->a);
    p += sprintf(p, " x "), p = put_places(p, &e->batch, &e->b), p += sprintf(p, ", contracting_dims = ");
    p = put_places(p, &e->contract, &e->a), p += sprintf(p, " x "), p = put_places(p, &e->contract, &e->b);
    p += sprintf(p, " : ("), p = put_type(p, e, &e->a), p += sprintf(p, ", "), p = put_type(p, e, &e->b);
    p += sprintf(p, ") -> "), p = put_type(p, e, &e->dot), p += sprintf(p, "\n");
    p = put_transpose(p, e, "r", "dot", &e->dot, &e->out), p += sprintf(p, "return %%r : ");
    p = put_type(p, e, &e->out), sprintf(p, "\n}\n");
}

/* ---- what it computes ---- */

static void strides(const einsum *e, const list *l, int64_t *of) {
    int64_t step = 1;
    memset(of, 0, LETTERS * sizeof *of);
    for (int i = l->n; i-- > 0; step *= e->size[l->v[i]]) of[l->v[i]] = step;
}

static void add_up(const einsum *e, const float *a, const float *b, double *out) {
    int64_t step[3][LETTERS], i[LETTERS] = { 0 };
    strides(e, &e->a_lies, step[0]), strides(e, &e->b_lies, step[1]), strides(e, &e->out, step[2]);
    for (;;) {
        int64_t at[3] = { 0 };
        for (int x = 0; x < LETTERS; x++)
            for (int s = 0; s < 3; s++) at[s] += i[x] * step[s][x];
        out[at[2]] += (double)a[at[0]] * (double)b[at[1]];
        int x = LETTERS;
        while (x-- > 0) {
            const bool is = has(&e->a, x) || has(&e->b, x);
            if (is && ++i[x] < e->size[x]) break;
            i[x] = 0;
        }
        if (x < 0) return;
    }
}

static bool repeats_an_operand(const weft_matmul *m) {
    for (int64_t d = 0; d < m->batch_rank; d++)
        if (m->batch[d] > 1 && (!m->a.batch[d] || !m->b.batch[d])) return true;
    return false;
}

/* How the program was compiled. */
typedef struct found { uint32_t steps, products, grouped; } found;

static found run(const einsum *e, uint64_t seed) {
    char text[4096];
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    weft_rng r = { seed };
    text_of(e, text);
    ck_assert_msg(walk_compile(cx, text, NULL, &x) == WEFT_OK, "seed %llu: %s", (unsigned long long)seed, text);
    const int64_t n[3] = { elems(e, &e->a), elems(e, &e->b), elems(e, &e->out) };
    float *buffer[3];
    for (int i = 0; i < 3; i++) {
        buffer[i] = walk_buffer((size_t)n[i] * sizeof(float));
        for (int64_t k = 0; k < n[i]; k++) buffer[i][k] = (float)weft_rng_range(&r, -32, 32) / 32;
    }
    double *want = calloc((size_t)n[2], sizeof *want);
    ck_assert_ptr_nonnull(want);
    add_up(e, buffer[0], buffer[1], want);
    void *args[2] = { buffer[0], buffer[1] }, *result = buffer[2];
    ck_assert_int_eq(walk_run(x, args, &result, NULL), WEFT_OK);
    for (int64_t k = 0; k < n[2]; k++)
        ASSERT_EACH((double)buffer[2][k] >= want[k] && (double)buffer[2][k] <= want[k],
                    "seed %llu: element %lld: %g, not %g\n%s", (unsigned long long)seed, (long long)k,
                    (double)buffer[2][k], want[k], text);
    found f = { .steps = x->step_count };
    for (uint32_t i = 0; i < x->step_count; i++) {
        if (!x->steps[i].code.kernel || strcmp(x->steps[i].code.kernel, "product")) continue;
        f.products++;
        f.grouped += repeats_an_operand(x->steps[i].code.state);
    }
    for (int i = 0; i < 3; i++) free(buffer[i]);
    free(want);
    weft_executable_free(x);
    weft_context_free(cx);
    return f;
}

START_TEST(random_orders) {
    const char *text = getenv("WEFT_SEED");
    const uint64_t first = text ? strtoull(text, NULL, 0) : 1;
    const uint64_t last = first + (text ? 1 : (uint64_t)weft_test_sample(EACH));
    uint32_t grouped = 0;
    for (uint64_t seed = first; seed < last; seed++) {
        weft_rng r = { seed };
        const einsum e = random_einsum(&r);
        const found f = run(&e, seed);
        ck_assert_uint_eq(f.products, 1);
        grouped += f.grouped;
    }
    ck_assert_msg(text || grouped, "none of them has a free dimension that is counted as batch");
}
END_TEST

#define LIST(...) { sizeof((int[]){ __VA_ARGS__ }) / sizeof(int), { __VA_ARGS__ } }
/* b, t, s, g, k, d: batch, queries, keys, heads of a group, groups, numbers of a head; letters 0 1 2 3 4 5. */
enum { B, T, S, G, K, D };
static const struct { const char *name; einsum e; } attention[] = {
    { "scores",
      { { 2, 70, 66, 3, 2, 8, 1 }, LIST(B, S, K, D), LIST(B, T, K, G, D), LIST(B, S, K, D), LIST(B, T, K, G, D), { 0 },
        LIST(B, K, G, T, S), LIST(B, K), LIST(D) } },
    { "values",
      { { 2, 70, 66, 3, 2, 64, 1 }, LIST(B, S, K, D), LIST(B, K, G, T, S), LIST(B, S, K, D), LIST(B, K, G, T, S), { 0 },
        LIST(B, T, K, G, D), LIST(B, K), LIST(S) } },
    { "gradient of queries",
      { { 2, 70, 66, 3, 2, 64, 1 }, LIST(B, K, G, T, S), LIST(B, S, K, D), LIST(B, K, S, T, G), LIST(B, S, K, D), { 0 },
        LIST(B, T, K, G, D), LIST(B, K), LIST(S) } },
};

START_TEST(attention_without_copies) {
    einsum e = attention[_i].e;
    finish(&e);
    const found f = run(&e, weft_test_seed(5));
    /* the product, which reads the arguments, and a copy of its result out, in order */
    ck_assert_msg(f.steps == 2 && f.grouped == 1, "%s: %u steps, %u grouped", attention[_i].name, f.steps, f.grouped);
}
END_TEST

/* The gradient of keys adds up over queries and heads of a group, which lie as (g, t) in the scores: only the queries,
 * a tenth of the scores, are copied. */
START_TEST(contracted_order) {
    einsum e = { { 2, 70, 66, 3, 2, 8, 1 }, LIST(B, K, G, T, S), LIST(B, T, K, G, D), LIST(B, K, S, T, G),
                 LIST(B, T, K, G, D), { 0 }, LIST(B, S, K, D), LIST(B, K), LIST(T, G) };
    finish(&e);
    ck_assert_uint_le(run(&e, weft_test_seed(6)).steps, 3);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/grouped");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, random_orders);
    tcase_add_loop_test(tc, attention_without_copies, 0, WEFT_COUNT(attention));
    tcase_add_test(tc, contracted_order);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
