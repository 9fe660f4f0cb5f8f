/* Memory of temporaries: values that share a result's memory before it is written, and that the results are still
 * right. */
#include "exec/executable.h"
#include "tests/codegen/program.h"

enum { N = 32, BYTES = N * N * 4 };

#define T "tensor<32x32xf32>"
#define TIMES(to, x, y) \
    "  %" to " = stablehlo.dot_general %" x ", %" y ", contracting_dims = [1] x [0] : (" T ", " T ") -> " T "\n"
#define LOOP(results) \
    "  %z = stablehlo.constant dense<0> : tensor<i32>\n" \
    "  %w:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, " T \
    "\n  cond {\n    %n = stablehlo.constant dense<3> : tensor<i32>\n" \
    "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  } do {\n" \
    "    %o = stablehlo.constant dense<1> : tensor<i32>\n    %j = stablehlo.add %i, %o : tensor<i32>\n" TIMES( \
        "y", "x", "a") "    stablehlo.return %j, %y : tensor<i32>, " T "\n  }\n" results

/* Each of three turns squares a row of zeros and ones where it stands, by an op that takes %u, of the row %r, into %y.
 */
#define ROWS(update) \
    "  %z = stablehlo.constant dense<0> : tensor<i32>\n" \
    "  %w:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, " T \
    "\n  cond {\n    %n = stablehlo.constant dense<3> : tensor<i32>\n" \
    "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  } do {\n" \
    "    %o = stablehlo.constant dense<1> : tensor<i32>\n    %j = stablehlo.add %i, %o : tensor<i32>\n" \
    "    %r = stablehlo.dynamic_slice %x, %i, %z, sizes = [1, 32] : (" T \
    ", tensor<i32>, tensor<i32>) -> tensor<1x32xf32>\n" \
    "    %u = stablehlo.multiply %r, %r : tensor<1x32xf32>\n" update "    stablehlo.return %j, %y : tensor<i32>, " T \
    "\n  }\n  return %w#1 : " T "\n"
#define SCATTERED \
    "    %k = stablehlo.reshape %i : (tensor<i32>) -> tensor<1x1xi32>\n" \
    "    %y = \"stablehlo.scatter\"(%x, %k, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n" \
    "    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n      stablehlo.return %q : tensor<f32>\n    }) : (" T \
    ", tensor<1x1xi32>, tensor<1x32xf32>) -> " T "\n"
#define UPDATED \
    "    %y = stablehlo.dynamic_update_slice %x, %u, %i, %z : (" T \
    ", tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> " T "\n"

/* One layer of a chain whose backward half computes it again: x, m, k, and after the barrier of x and g the same m and
 * k for the next g. */
#define LAYER(x, m, k, to) TIMES(m, x, "a") TIMES(k, m, "a") TIMES(to, k, "a")
#define AGAIN(x, g, to) \
    "  %b" to ":2 = stablehlo.optimization_barrier %" x ", %" g " : " T ", " T "\n" \
    TIMES("m" to, "b" to "#0", "a") TIMES("k" to, "m" to, "a") TIMES("h" to, "b" to "#1", "m" to) TIMES(to, "h" to, "k" to)

/* Of a matrix a that turns what it is multiplied with by one row: results are its powers. */
static const struct {
    const char *what, *head, *text;
    int power[2];
    int64_t matrices;           /* of temporaries, at most */
} cases[] = {
    { "a chain: the first product lies in the result",
      "(%a: " T ") -> " T,
      TIMES("p", "a", "a") TIMES("q", "p", "a") TIMES("r", "q", "a") "  return %r : " T "\n",
      { 4 },
      1 },
    { "what the result takes over lies there from the start",
      "(%a: " T ") -> " T,
      TIMES("p", "a", "a") "  %r = stablehlo.multiply %p, %p : " T "\n  return %r : " T "\n",
      { 2 },
      0 },
    { "a loop's value lies in the result; one product beside it",
      "(%a: " T ") -> " T,
      LOOP("  return %w#1 : " T "\n"),
      { 4 },
      1 },
    { "a right operand by columns, narrower than a tile: a copy of it by rows, without what would fill the tile",
      "(%a: " T ") -> " T,
      "  %r = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (" T ", " T ") -> " T "\n  return %r : " T
      "\n",
      { 0 },
      1 },
    { "two results, one of them read behind the other",
      "(%a: " T ") -> (" T ", " T ")",
      TIMES("p", "a", "a") TIMES("q", "p", "a") TIMES("r", "q", "p") "  return %q, %r : " T ", " T "\n",
      { 3, 5 },
      1 },
    { "a donated argument that is read first",
      "(%a: " T " {tf.aliasing_output = 0 : i32}) -> " T,
      TIMES("p", "a", "a") TIMES("q", "p", "p") TIMES("r", "q", "q") TIMES("s", "r", "r") "  return %s : " T "\n",
      { 16 },
      1 },
    { "a donated argument that is read late",
      "(%a: " T " {tf.aliasing_output = 0 : i32}) -> " T,
      TIMES("p", "a", "a") TIMES("q", "p", "a") "  %r = stablehlo.add %q, %a : " T
                                                "\n  %s = stablehlo.subtract %r, %a : " T "\n  return %s : " T "\n",
      { 3 },
      2 },
    { "rows of a loop's value are scattered into it where it stands, out of what is read before",
      "(%a: " T ") -> " T,
      ROWS(SCATTERED),
      { 1 },
      0 },
    { "and written as slices", "(%a: " T ") -> " T, ROWS(UPDATED), { 1 }, 0 },
    { "what is computed again behind a barrier waits for what the barrier waits for",
      "(%a: " T ") -> " T,
      LAYER("a", "m0", "k0", "x1") LAYER("x1", "m1", "k1", "x2") LAYER("x2", "m2", "k2", "x3")
          LAYER("x3", "m3", "k3", "x4") LAYER("x4", "m4", "k4", "x5") LAYER("x5", "m5", "k5", "x6")
              AGAIN("x5", "x6", "g5") AGAIN("x4", "g5", "g4") AGAIN("x3", "g4", "g3") AGAIN("x2", "g3", "g2")
                  AGAIN("x1", "g2", "g1") AGAIN("a", "g1", "g0") "  return %g0 : " T "\n",
      { 139 },
      6 },
};

START_TEST(test_homes) {
    program p;
    text t = { .n = 0 };
    text_add(&t, "func.func @main%s {\n%s}\n", cases[_i].head, cases[_i].text);
    program_open(&p, t.v);
    for (uint32_t r = 0; r < p.x->result_count; r++) {
        if (p.x->results[r].alias < 0) continue;
        free(p.results[r]);
        p.results[r] = p.args[p.x->results[r].alias];
    }
    for (int run = 0; run < 2; run++) { /* what stands in the results' memory does not matter */
        float *a = p.args[0];
        for (int k = 0; k < N * N; k++) a[k] = (float)(k % N == (k / N + 1) % N);
        program_run(&p);
        for (uint32_t r = 0; r < p.x->result_count; r++)
            for (int k = 0; k < N * N; k++)
                ASSERT_EACH(((float *)p.results[r])[k] == (float)(k % N == (k / N + cases[_i].power[r]) % N), "%s: element %d of result %u", cases[_i].what, k, r);
    }
    ck_assert_msg(p.x->temp_bytes < (cases[_i].matrices + 1) * BYTES, "%s: %lld bytes of temporaries", cases[_i].what,
                  (long long)p.x->temp_bytes);
    for (uint32_t r = 0; r < p.x->result_count; r++)
        if (p.x->results[r].alias >= 0) p.results[r] = NULL;
    program_close(&p);
}
END_TEST

/* A branch: %x and %y, which are donated, or what random ops make of them. */
static void branch(text *t, weft_rng *r, int depth) {
    const int first = (int)t->n; /* names of this branch's values */
    char pool[8][24] = { "x", "y" };
    uint32_t n = 2;
    text_add(t, "{\n");
    for (uint32_t ops = weft_rng_below(r, 4); ops > 0; ops--) {
        const char *a = pool[weft_rng_below(r, n)], *b = pool[weft_rng_below(r, n)];
        snprintf(pool[n], sizeof pool[n], "v%d_%u", first, n);
        switch (weft_rng_below(r, depth ? 5 : 4)) {
        case 0: text_add(t, "  %%%s = stablehlo.add %%%s, %%%s : " T "\n", pool[n], a, b); break;
        case 1: text_add(t, "  %%%s = stablehlo.reverse %%%s, dims = [1] : " T "\n", pool[n], a); break;
        case 2: text_add(t, "  %%%s = stablehlo.maximum %%%s, %%%s : " T "\n", pool[n], a, b); break;
        case 3:
            text_add(t, "  %%%s = stablehlo.transpose %%%s, dims = [1, 0] : (" T ") -> " T "\n", pool[n], a);
            break;
        default:
            text_add(t, "  %%%s:2 = \"stablehlo.case\"(%%k) (", pool[n]);
            branch(t, r, depth - 1);
            text_add(t, ", ");
            branch(t, r, depth - 1);
            text_add(t, ") : (tensor<i32>) -> (" T ", " T ")\n");
            strcat(pool[n], "#0");
        }
        n++;
    }
    text_add(t, "  stablehlo.return %%%s, %%%s : " T ", " T "\n}", pool[weft_rng_below(r, n)],
             pool[weft_rng_below(r, n)]);
}

static void fill(program *p, int32_t k) {
    for (uint32_t i = 0; i < 2; i++)
        for (int e = 0; e < N * N; e++) ((float *)p->args[i])[e] = (float)((e * 37 + (int)i * 11) % 101);
    memcpy(p->args[2], &k, sizeof k);
}

/* What branches make of donated arguments is what they make of others. */
START_TEST(test_branches) {
    const uint64_t seed = weft_test_seed(1);
    int taken = 0, copied = 0;
    for (uint64_t round = 0; round < 60; round++) {
        weft_rng r = { seed + round };
        text body = { .n = 0 };
        text_add(&body, "  %%r:2 = \"stablehlo.case\"(%%k) (");
        branch(&body, &r, 1);
        text_add(&body, ", ");
        branch(&body, &r, 1);
        text_add(&body, ") : (tensor<i32>) -> (" T ", " T ")\n  return %%r#0, %%r#1 : " T ", " T "\n}\n");
        program p[2]; /* with and without donations */
        for (int d = 0; d < 2; d++) {
            text t = { .n = 0 };
            text_add(&t, "func.func @main(%%x: " T "%s, %%y: " T "%s, %%k: tensor<i32>) -> (" T ", " T ") {\n%s",
                     d ? "" : " {tf.aliasing_output = 0 : i32}", d ? "" : " {tf.aliasing_output = 1 : i32}", body.v);
            program_open(&p[d], t.v);
        }
        for (uint32_t i = 0; i < 2; i++) {
            const int32_t alias = p[0].x->results[i].alias;
            taken += alias >= 0, copied += alias < 0;
            if (alias < 0) continue;
            free(p[0].results[i]);
            p[0].results[i] = p[0].args[alias];
        }
        for (int32_t k = 0; k < 2; k++) {
            for (int d = 0; d < 2; d++) fill(&p[d], k), program_run(&p[d]);
            for (uint32_t i = 0; i < 2; i++)
                ck_assert_msg(!memcmp(p[0].results[i], p[1].results[i], BYTES),
                              "WEFT_SEED=%llu: result %u of branch %d\n%s", (unsigned long long)(seed + round), i, k,
                              body.v);
        }
        for (uint32_t i = 0; i < 2; i++)
            if (p[0].x->results[i].alias >= 0) p[0].results[i] = NULL;
        for (int d = 0; d < 2; d++) program_close(&p[d]);
    }
    ck_assert_msg(taken > 10 && copied > 10, "%d results took an argument's memory, %d did not", taken, copied);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/buffers");
    TCase *tc = tcase_create("buffers");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_homes, 0, (int)WEFT_COUNT(cases));
    tcase_add_test(tc, test_branches);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
