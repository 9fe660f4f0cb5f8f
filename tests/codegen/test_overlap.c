/* Which collectives start before their done, which steps run between, and how much memory that may cost.
 *
 * Programs for two devices, compiled for one of them; their results are compared in other tests
 * (tests/pipeline/test_law, tests/programs). Buffers are checked here: no step between start and done writes memory
 * that the collective reads or writes. */
#include <stdio.h>
#include "codegen/compile.h"
#include "mlir/read.h"
#include "tests/support/suite.h"
#include "tests/support/under_way.h"

#define REDUCE(x) \
    "\"stablehlo.all_reduce\"(" x \
    ") <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> " \
    "({\n ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n  %sum = stablehlo.add %p, %q : tensor<f32>\n  stablehlo.return %sum : tensor<f32>\n}) : (tensor<64x64xf32>) -> tensor<64x64xf32>\n"
#define GATHER(x) \
    "\"stablehlo.all_gather\"(" x \
    ") <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> " \
    ": (tensor<32x64xf32>) -> tensor<64x64xf32>\n"
#define DOT(x, y) \
    "stablehlo.dot_general " x ", " y \
    ", contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
#define MAIN(args) "func.func @main(" args ") -> tensor<64x64xf32> {\n"
#define RETURN(x) "  return " x " : tensor<64x64xf32>\n}\n"
#define T "tensor<64x64xf32>"
#define LOOP \
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n  %w:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, " T \
    "\n  cond {\n" \
    "    %four = stablehlo.constant dense<4> : tensor<i32>\n    %more = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %more : tensor<i1>\n  } do {\n" \
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n    %j = stablehlo.add %i, %one : tensor<i32>\n"
#define END(x) "    stablehlo.return %j, " x " : tensor<i32>, " T "\n  }\n"

/* steps: s and d for starts and ends with their tickets, a for a whole collective, m for a product, w for a loop, . for
 * other code. */
static const struct { const char *what, *text, *steps; weft_test_use reads;
} shapes[] = {
    { "nothing to pass beside", MAIN("%x: " T) "  %a = " REDUCE("%x") RETURN("%a"), "a", WEFT_TEST_SHARED },
    { "a product in between",
      MAIN("%x: " T ", %y: " T) "  %a = " REDUCE("%x") "  %b = " DOT("%y", "%y") "  %c = stablehlo.add %a, %b : " T
                                                                                 "\n" RETURN("%c"),
      "s0md0.", WEFT_TEST_SHARED },
    { "begun before what stands in front",
      MAIN("%x: " T ", %y: " T) "  %b = " DOT("%y", "%y") "  %a = " REDUCE("%x") "  %c = " DOT("%a", "%b") RETURN("%c"),
      "s0md0m", WEFT_TEST_SHARED },
    { "not before its operand",
      MAIN("%x: " T ", %y: " T) "  %b = " DOT("%y", "%y") "  %a = " REDUCE("%b") "  %c = " DOT("%a", "%a") RETURN("%c"),
      "mam", WEFT_TEST_SHARED },
    { "one behind the other",
      MAIN("%x: " T ", %y: " T) "  %a = " REDUCE("%x") "  %e = " REDUCE(
          "%a") "  %b = " DOT("%y", "%y") "  %c = stablehlo.add %e, %b : " T "\n" RETURN("%c"),
      "as0md0.", WEFT_TEST_SHARED },
    { "beside a loop",
      MAIN("%x: " T ", %y: tensor<32x64xf32>") "  %a = " GATHER("%y") LOOP "    %u = " DOT("%v", "%v")
          END("%u") "  %c = " DOT("%a", "%w#1") RETURN("%c"),
      "s0..wd0m", WEFT_TEST_SHARED },
    { "not around a loop that talks",
      MAIN("%x: " T ", %y: tensor<32x64xf32>") "  %a = " GATHER("%y") LOOP "    %u = " REDUCE("%v")
          END("%u") "  %c = " DOT("%a", "%w#1") RETURN("%c"),
      "s0..d0w..am", WEFT_TEST_SHARED },
    { "in each turn",
      MAIN("%x: " T) LOOP "    %u = " REDUCE("%v") "    %t = " DOT("%v", "%v") "    %c = stablehlo.add %u, %t : " T
                                                                               "\n" END("%c") RETURN("%w#1"),
      "..w..s0md0.", WEFT_TEST_SHARED },
    { "with what makes its operand",
      MAIN("%x: " T ", %y: tensor<32x64xf32>") "  %m = " DOT(
          "%x", "%x") "  %z = stablehlo.add %y, %y : tensor<32x64xf32>\n  %g = " GATHER("%z") "  %c = " DOT("%m", "%g")
          RETURN("%c"),
      ".s0md0m", WEFT_TEST_SHARED },
    { "not with what others read",
      MAIN("%x: " T ", %y: tensor<32x64xf32>") "  %m = " DOT(
          "%x",
          "%x") "  %z = stablehlo.add %y, %y : tensor<32x64xf32>\n  %k = stablehlo.reverse %z, dims = [0, 1] : tensor<32x64xf32>\n"
                "  %h = stablehlo.concatenate %z, %k, dim = 0 : (tensor<32x64xf32>, tensor<32x64xf32>) -> " T
                "\n  %n = " DOT("%h", "%m") "  %g = " GATHER("%z") "  %c = " DOT("%n", "%g") RETURN("%c"),
      "m.s0md0m", WEFT_TEST_SHARED },
    { "over products that need memory while its operand is read",
      MAIN("%x: " T ", %y: " T) "  %z = stablehlo.tanh %x : " T "\n  %a = " REDUCE("%z") "  %b = " DOT(
          "%y", "%y") "  %c = " DOT("%b", "%y") "  %d = " DOT("%c", "%b") "  %e = stablehlo.add %a, %d : " T
                                                                          "\n" RETURN("%e"),
      ".s0mmmd0.", WEFT_TEST_ALONE },
    { "a gather over products that need memory",
      MAIN("%x: tensor<32x64xf32>, %y: " T) "  %z = stablehlo.tanh %x : tensor<32x64xf32>\n  %a = " GATHER(
          "%z") "  %b = " DOT("%y", "%y") "  %c = " DOT("%b",
                                                        "%y") "  %d = " DOT("%c",
                                                                            "%b") "  %e = stablehlo.add %a, %d : " T
                                                                                  "\n" RETURN("%e"),
      ".s0md0mm.", WEFT_TEST_ALONE },
    { "two at once over products that need memory",
      MAIN("%x: " T ", %y: " T) "  %z = stablehlo.tanh %x : " T "\n  %v = stablehlo.negate %y : " T
                                "\n  %a = " REDUCE("%z") "  %u = " REDUCE("%v") "  %b = " DOT("%y", "%y") "  %c = " DOT(
                                    "%b", "%y") "  %d = " DOT("%c", "%b") "  %e = stablehlo.add %a, %d : " T
                                                                          "\n  %f = stablehlo.add %e, %u : " T
                                                                          "\n" RETURN("%f"),
      ".s0.s1mmmd0d1.", WEFT_TEST_ALONE },
};

static weft_status compile(weft_context *cx, const char *text, unsigned flags, weft_executable **x) {
    static const char slow_text[] =
        "device 1Gflop/s bandwidth 1GB/s reduce 1TB/s copy 1TB/s engine gpu 8 nvlink 450GB/s 2us";
    weft_machine slow; /* a product of 64 x 64 takes longer than a collective */
    const weft_compile_options opt = { .flags = WEFT_COMPILE_PLAN_ONLY | flags, .device_count = 2, .machine = &slow };
    weft_module *m = NULL;
    weft_status st = weft_machine_read(cx, weft_str_from(slow_text), "slow", &slow);
    if (st == WEFT_OK) st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, &opt, x);
    weft_module_free(m);
    return st;
}

/* At most 64 steps; a loop without collectives is one. */
static void spell(const weft_executable *x, char *out) {
    for (uint32_t i = 0; i < x->step_count && i < 64; i++) {
        const weft_step *s = &x->steps[i];
        switch (s->kind) {
        case WEFT_STEP_START: out += sprintf(out, "s%u", s->ticket); break;
        case WEFT_STEP_DONE: out += sprintf(out, "d%u", s->ticket); break;
        case WEFT_STEP_COLLECTIVE: *out++ = 'a'; break;
        case WEFT_STEP_WHILE: *out++ = 'w'; break;
        case WEFT_STEP_CASE: *out++ = 'c'; break;
        case WEFT_STEP_CALL: *out++ = strcmp(s->label, "loop") ? strncmp(s->label, "dot", 3) ? '.' : 'm' : 'w'; break;
        }
    }
    *out = '\0';
}

START_TEST(test_shapes) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL, *plain = NULL;
    char got[1024];
    uint32_t step = 0;
    ck_assert_msg(compile(cx, shapes[_i].text, 0, &x) == WEFT_OK, "%s: %s", shapes[_i].what,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    ck_assert_int_eq(compile(cx, shapes[_i].text, WEFT_COMPILE_NO_OVERLAP, &plain), WEFT_OK);
    spell(x, got);
    ck_assert_msg(!strcmp(got, shapes[_i].steps), "%s: %s, not %s", shapes[_i].what, got, shapes[_i].steps);
    const char *wrong = weft_test_under_way(x, shapes[_i].reads, &step);
    ck_assert_msg(!wrong, "%s: step %u %s", shapes[_i].what, step, wrong);
    ck_assert_uint_eq(plain->ticket_count, 0);
    ck_assert_int_le(weft_plan_peak_bytes(&x->plan), weft_plan_peak_bytes(&plain->plan) + 65536);
    ck_assert_uint_eq(x->plan.collective_count, plain->plan.collective_count);
    weft_executable_free(x);
    weft_executable_free(plain);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/overlap");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, test_shapes, 0, (int)WEFT_COUNT(shapes));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
