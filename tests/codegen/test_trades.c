/* Loops whose values take each other's places: random ones of large arrays, against a plain loop. Each new value is an
 * old one as it was, turned round, or the sum of two, some of them after an inner loop of the same kind. */
#include <stdio.h>
#include "tests/codegen/program.h"

enum { WIDTH = 200, MOST = 4, LOOPS = 60 };
#define ARRAY "tensor<200xi32>"

typedef enum how { KEEP, TURN, ADD, TURN_AND_ADD, HOWS } how;
typedef struct value { how how; uint32_t p, q, inner_turns; } value;
typedef struct loop { uint32_t count, turns; value v[MOST]; } loop;

static loop random_loop(weft_rng *r) {
    loop l = { .count = 1 + weft_rng_below(r, MOST), .turns = weft_rng_below(r, 6) };
    for (uint32_t i = 0; i < l.count; i++)
        l.v[i] = (value){ (how)weft_rng_below(r, HOWS), weft_rng_below(r, l.count), weft_rng_below(r, l.count),
                          weft_rng_chance(r, 0.3) ? 1 + weft_rng_below(r, 3) : 0 };
    return l;
}

/* ---- as text ---- */

static void header(text *t, const char *name, const char *counter, uint32_t count, const char *values,
                   uint32_t turns) {
    text_add(t, "  %%%s:%u = stablehlo.while(%%%s = %%zero%s) : tensor<i32>", name, count + 1, counter, values);
    for (uint32_t i = 0; i < count; i++) text_add(t, ", " ARRAY);
    text_add(t, "\n  cond {\n  %%n = stablehlo.constant dense<%u> : tensor<i32>\n", turns);
    text_add(t, "  %%more = stablehlo.compare LT, %%%s, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n", counter);
    text_add(t, "  stablehlo.return %%more : tensor<i1>\n  } do {\n");
    text_add(t, "  %%next_%s = stablehlo.add %%%s, %%one : tensor<i32>\n", counter, counter);
}

static void footer(text *t, const char *counter, uint32_t count, const char *values) {
    text_add(t, "  stablehlo.return %%next_%s%s : tensor<i32>", counter, values);
    for (uint32_t i = 0; i < count; i++) text_add(t, ", " ARRAY);
    text_add(t, "\n  }\n");
}

static void turned(text *t, const char *to, const char *from) {
    text_add(t, "  %%%s = stablehlo.reverse %%%s, dims = [0] : " ARRAY "\n", to, from);
}

/* Value i into %y<i>, from %x<p> and %x<q>. */
static void value_text(text *t, const value *v, uint32_t i) {
    char p[16], q[16], y[16], before[16];
    snprintf(p, sizeof p, "x%u", v->p), snprintf(q, sizeof q, "x%u", v->q), snprintf(y, sizeof y, "y%u", i);
    snprintf(before, sizeof before, "b%u", i);
    text_add(t, "  %%c%u = stablehlo.constant dense<0> : " ARRAY "\n", i);
    if (v->how == KEEP) text_add(t, "  %%%s = stablehlo.add %%%s, %%c%u : " ARRAY "\n", before, p, i);
    if (v->how == TURN) turned(t, before, p);
    if (v->how == ADD) text_add(t, "  %%%s = stablehlo.add %%%s, %%%s : " ARRAY "\n", before, p, q);
    if (v->how == TURN_AND_ADD) {
        char round[16];
        snprintf(round, sizeof round, "r%u", i);
        turned(t, round, p);
        text_add(t, "  %%%s = stablehlo.add %%%s, %%%s : " ARRAY "\n", before, round, q);
    }
    if (!v->inner_turns) {
        text_add(t, "  %%%s = stablehlo.add %%%s, %%c%u : " ARRAY "\n", y, before, i);
        return;
    }
    char values[64], name[16];
    snprintf(values, sizeof values, ", %%u = %%%s", before);
    snprintf(name, sizeof name, "w%u", i);
    header(t, name, "k", 1, values, v->inner_turns);
    turned(t, "s", "u");
    text_add(t, "  %%t = stablehlo.add %%s, %%%s : " ARRAY "\n", q);
    footer(t, "k", 1, ", %t");
    text_add(t, "  %%%s = stablehlo.add %%%s#1, %%c%u : " ARRAY "\n", y, name, i);
}

static void loop_text(text *t, const loop *l) {
    char values[256] = "", returned[256] = "";
    t->n = 0;
    text_add(t, "func.func @main(");
    for (uint32_t i = 0; i < l->count; i++) text_add(t, "%s%%a%u: " ARRAY, i ? ", " : "", i);
    text_add(t, ") -> (");
    for (uint32_t i = 0; i < l->count; i++) text_add(t, "%s" ARRAY, i ? ", " : "");
    text_add(t, ") {\n  %%zero = stablehlo.constant dense<0> : tensor<i32>\n");
    text_add(t, "  %%one = stablehlo.constant dense<1> : tensor<i32>\n");
    for (uint32_t i = 0; i < l->count; i++) {
        snprintf(values + strlen(values), sizeof values - strlen(values), ", %%x%u = %%a%u", i, i);
        snprintf(returned + strlen(returned), sizeof returned - strlen(returned), ", %%y%u", i);
    }
    header(t, "w", "i", l->count, values, l->turns);
    for (uint32_t i = 0; i < l->count; i++) value_text(t, &l->v[i], i);
    footer(t, "i", l->count, returned);
    text_add(t, "  return ");
    for (uint32_t i = 0; i < l->count; i++) text_add(t, "%s%%w#%u", i ? ", " : "", i + 1);
    text_add(t, " : ");
    for (uint32_t i = 0; i < l->count; i++) text_add(t, "%s" ARRAY, i ? ", " : "");
    text_add(t, "\n}\n");
}

/* ---- as C ---- */

static void turn(const value *v, int32_t (*x)[WIDTH], int32_t *y) {
    for (uint32_t k = 0; k < WIDTH; k++) {
        const uint32_t p = x[v->p][k], q = x[v->q][k], back = x[v->p][WIDTH - 1 - k];
        y[k] = (int32_t)(v->how == KEEP ? p : v->how == TURN ? back : v->how == ADD ? p + q : back + q);
    }
    for (uint32_t n = 0; n < v->inner_turns; n++) {
        int32_t u[WIDTH];
        memcpy(u, y, sizeof u);
        for (uint32_t k = 0; k < WIDTH; k++) y[k] = (int32_t)((uint32_t)u[WIDTH - 1 - k] + (uint32_t)x[v->q][k]);
    }
}

static void run_plainly(const loop *l, int32_t (*x)[WIDTH]) {
    int32_t y[MOST][WIDTH];
    for (uint32_t n = 0; n < l->turns; n++) {
        for (uint32_t i = 0; i < l->count; i++) turn(&l->v[i], x, y[i]);
        memcpy(x, y, l->count * sizeof *x);
    }
}

START_TEST(test_trades) {
    static text t;
    const uint64_t seed = weft_test_seed(7000) + (uint64_t)_i;
    weft_rng r = { seed };
    program p;
    int32_t x[MOST][WIDTH];
    const loop l = random_loop(&r);
    loop_text(&t, &l);
    program_open(&p, t.v);
    for (uint32_t i = 0; i < l.count; i++)
        for (uint32_t k = 0; k < WIDTH; k++)
            x[i][k] = ((int32_t *)p.args[i])[k] = (int32_t)weft_rng_range(&r, -1000, 1000);
    program_run(&p);
    run_plainly(&l, x);
    for (uint32_t i = 0; i < l.count; i++)
        ck_assert_msg(!memcmp(p.results[i], x[i], sizeof x[i]), "seed %llu: result %u differs\n%s",
                      (unsigned long long)seed, i, t.v);
    program_close(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/trades");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_trades, 0, weft_test_sample(LOOPS));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
