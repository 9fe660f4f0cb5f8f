/* What a join of kernels may hold (weft_compile_options.join_bytes): each program is one kernel beside its products
 * where that may be so much, and several for a byte less. Products are of 64x64 floats: B bytes; a row's sums S. */
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/program.h"

enum { N = 64, S = N * sizeof(float), B = N * S };
#define M "tensor<64x64xf32>"
#define V "tensor<64xf32>"
#define W "tensor<64x2xf32>"
#define DOT_OF(d, x, y, along, of, result)                                                                             \
    "  %" d " = stablehlo.dot_general %" x ", %" y ", contracting_dims = " along " : " of " -> " result "\n"
#define DOT(d, x, y) DOT_OF(d, x, y, "[1] x [0]", "(" M ", " M ")", M)
#define DOT_W(d, x, y) DOT_OF(d, x, y, "[1] x [0]", "(" M ", " W ")", W)
#define DOT_T(d, x, type) DOT_OF(d, x, x, "[1] x [1]", "(" type ", " type ")", M)
#define FIRST(x, w)                                                                                                    \
    "  %f = stablehlo.slice %" w " [0:64, 0:1] : (" W ") -> tensor<64x1xf32>\n"                                        \
    "  %" x " = stablehlo.reshape %f : (tensor<64x1xf32>) -> " V "\n"
#define ROWS(r, d)                                                                                                     \
    "  %" r " = stablehlo.reduce(%" d " init: %low) applies stablehlo.maximum across dimensions = [1]"                 \
    " : (" M ", tensor<f32>) -> " V "\n"
#define ADD(s, x, y) "  %" s " = stablehlo.add %" x ", %" y " : " M "\n"
#define MAP(s, op, x) "  %" s " = stablehlo." op " %" x " : " M "\n"
#define MAIN(results)                                                                                                  \
    "func.func @main(%a: " M ", %v: " W ") -> (" results ") {\n"                                                       \
    "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"

static const struct hold { const char *name; int64_t least; const char *text; } holds[] = {
    /* it takes the place of what it reads */
    { "element by element", 1,
      MAIN(M) DOT("d", "a", "a") DOT("e", "d", "a") MAP("t", "tanh", "d") ADD("s", "t", "e")
      "  return %s : " M " }" },
    /* the product waits for what its rows are added to */
    { "rows and a product's", B - S,
      MAIN(V) DOT("d", "a", "a") ROWS("r", "d")
      DOT_W("w", "d", "v") DOT_W("u", "a", "w") FIRST("p", "u")
      "  %s = stablehlo.add %r, %p : " V "\n  return %s : " V " }" },
    { "rows and an argument", 1,
      MAIN(V) DOT("d", "a", "a") ROWS("r", "d") FIRST("p", "v")
      "  %s = stablehlo.add %r, %p : " V "\n  return %s : " V " }" },
    /* both are there at once, each for a product */
    { "siblings", B,
      MAIN(W ", " W) MAP("t", "tanh", "a") MAP("u", "sine", "a")
      DOT_W("d", "t", "v") DOT_W("e", "u", "v") "  return %d, %e : " W ", " W " }" },
    { "three siblings", 2 * B,
      MAIN(W ", " W ", " W) MAP("t", "tanh", "a") MAP("u", "sine", "a") MAP("c", "cosine", "a")
      DOT_W("d", "t", "v") DOT_W("e", "u", "v") DOT_W("g", "c", "v") "  return %d, %e, %g : " W ", " W ", " W " }" },
    { "siblings that are results", 1,
      MAIN(M ", " M) MAP("t", "tanh", "a") MAP("u", "sine", "a")
      "  return %t, %u : " M ", " M " }" },
    /* nor is the sum of the first two computed again for the third, which would hold as much */
    { "three products", B,
      MAIN(M) DOT("d", "a", "a") DOT_T("e", "v", W) DOT_T("g", "a", M) ADD("s", "d", "e") ADD("o", "s", "g")
      "  return %o : " M " }" },
    /* 13 products, of which sums of two need three */
    { "a long sum", 11 * B,
      MAIN(M) DOT("d0", "a", "a") DOT("d1", "d0", "a") DOT("d2", "d1", "a") DOT("d3", "d2", "a") DOT("d4", "d3", "a")
      DOT("d5", "d4", "a") DOT("d6", "d5", "a") DOT("d7", "d6", "a") DOT("d8", "d7", "a") DOT("d9", "d8", "a")
      DOT("da", "d9", "a") DOT("db", "da", "a") DOT("dc", "db", "a")
      ADD("s1", "d0", "d1") ADD("s2", "s1", "d2") ADD("s3", "s2", "d3") ADD("s4", "s3", "d4") ADD("s5", "s4", "d5")
      ADD("s6", "s5", "d6") ADD("s7", "s6", "d7") ADD("s8", "s7", "d8") ADD("s9", "s8", "d9") ADD("sa", "s9", "da")
      ADD("sb", "sa", "db") ADD("sc", "sb", "dc") "  return %sc : " M " }" },
};

static int kernels(const char *text, int64_t join_bytes, int64_t *peak) {
    const weft_compile_options o = { .device_count = 1, .flags = WEFT_COMPILE_PLAN_ONLY, .join_bytes = join_bytes };
    weft_module *m = NULL;
    program p;
    int n = 0;
    program_begin(&p);
    weft_status st = weft_read_text(p.cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(p.cx, WEFT_STR("weft-prepare"), WEFT_PIPELINE_VERIFY_EACH, &m);
    program_compile(&p, text, st, m, &o);
    for (uint32_t i = 0; i < p.x->plan.step_count; i++) n += p.x->plan.steps[i].kind == WEFT_PLAN_KERNEL;
    *peak = weft_plan_peak_bytes(&p.x->plan);
    program_close(&p);
    return n;
}

START_TEST(joins_hold_so_much) {
    const struct hold *h = &holds[_i];
    int64_t peak, less;
    const int free = kernels(h->text, 0, &peak), least = kernels(h->text, h->least, &peak);
    ck_assert_msg(free == 1 && least == 1, "%s: %d kernels without a limit, %d with what one holds", h->name, free,
                  least);
    if (h->least == 1) return;
    const int apart = kernels(h->text, h->least - 1, &less), all = kernels(h->text, 1, &less);
    ck_assert_msg(apart > 1 && all > 1, "%s: %d kernels with a byte less than one holds, %d with one", h->name, apart,
                  all);
    ck_assert_msg(less < peak, "%s: kernels apart need %lld bytes, one %lld", h->name, (long long)less,
                  (long long)peak);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/fuse_hold");
    TCase *tc = tcase_create("joins");
    tcase_add_loop_test(tc, joins_hold_so_much, 0, (int)WEFT_COUNT(holds));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
