/* Memory that runs out while a program is differentiated: what is half made is freed, once. The programs have every
 * kind of scope: loops in loops, branches, functions, manual computations; and each of what may be kept. */
#include <stdio.h>

#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

#ifndef FAILURES
#define FAILURES 40 /* a program */
#endif

#define V "tensor<4xf32>"
#define SUM "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n" \
            "  %s = stablehlo.reduce(%r init: %z) applies stablehlo.add across dimensions = [0] : (" V ", tensor<f32>)" \
            " -> tensor<f32>\n  return %s : tensor<f32>\n}\n"
#define LOOP(body) "  %c0 = stablehlo.constant dense<0> : tensor<i32>\n" \
            "  %w:2 = stablehlo.while(%i = %c0, %v = %a) : tensor<i32>, " V " cond {\n" \
            "    %n = stablehlo.constant dense<3> : tensor<i32>\n" \
            "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
            "    stablehlo.return %p : tensor<i1>\n  } do {\n" \
            "    %o = stablehlo.constant dense<1> : tensor<i32>\n    %j = stablehlo.add %i, %o : tensor<i32>\n" body \
            "    stablehlo.return %j, %t : tensor<i32>, " V "\n  }\n"
#define MAIN "func.func public @main(%a: " V ", %b: " V ", %k: tensor<i32>) -> tensor<f32> {\n"

#define Q "tensor<2x2xf32>"
#define CALL(routine, x, config) \
    "stablehlo.custom_call @lapack_s" routine "_ffi(" x ") {mhlo.backend_config = {" config "}} : ("

static const char *const programs[] = {
    MAIN LOOP("    %u = stablehlo.multiply %v, %b : " V "\n    %t = stablehlo.tanh %u : " V "\n")
    "  %r = stablehlo.maximum %w#1, %b : " V "\n" SUM,
    MAIN LOOP("    %t = \"stablehlo.case\"(%i) ({\n      %x = stablehlo.sine %v : " V "\n      stablehlo.return %x : " V
              "\n    }, {\n      %x = stablehlo.multiply %v, %b : " V "\n      stablehlo.return %x : " V
              "\n    }) : (tensor<i32>) -> " V "\n")
    "  %q:2 = \"stablehlo.sort\"(%w#1, %b) ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %e: tensor<f32>, %f: tensor<f32>):\n"
    "    %g = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %g : tensor<i1>\n"
    "  }) {dimension = 0 : i64} : (" V ", " V ") -> (" V ", " V ")\n"
    "  %r = stablehlo.multiply %q#0, %q#1 : " V "\n" SUM,
    MAIN LOOP("    %t = func.call @f(%v, %b) : (" V ", " V ") -> " V "\n")
    "  %m = func.call @f(%w#1, %b) : (" V ", " V ") -> " V "\n  %r = func.call @g(%m) : (" V ") -> " V "\n" SUM
    "func.func private @g(%x: " V ") -> " V " {\n  %y = stablehlo.exponential %x : " V "\n  return %y : " V "\n}\n"
    "func.func private @f(%a: " V ", %b: " V ") -> " V " {\n"
    LOOP("    %u = stablehlo.multiply %v, %b : " V "\n    %t = stablehlo.cosine %u : " V "\n")
    "  return %w#1 : " V "\n}\n",
    "sdy.mesh @mesh = <[\"x\"=2]>\n" MAIN
    "  %r = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{\"x\"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{\"x\"}]>]"
    " manual_axes={\"x\"} (%x: tensor<2xf32>, %y: " V ") {\n"
    "    %h = stablehlo.slice %y [0:2] : (" V ") -> tensor<2xf32>\n    %t = stablehlo.tanh %x : tensor<2xf32>\n"
    "    %o = stablehlo.multiply %t, %h : tensor<2xf32>\n    sdy.return %o : tensor<2xf32>\n"
    "  } : (" V ", " V ") -> " V "\n" SUM,
    MAIN "  %m = stablehlo.reshape %a : (" V ") -> " Q "\n  %n = stablehlo.reshape %b : (" V ") -> " Q "\n"
    "  %l = stablehlo.cholesky %m, lower = false : " Q "\n"
    "  %x = \"stablehlo.triangular_solve\"(%l, %n) <{left_side = true, lower = false, unit_diagonal = false,"
    " transpose_a = #stablehlo<transpose ADJOINT>}> : (" Q ", " Q ") -> " Q "\n"
    "  %f:3 = " CALL("getrf", "%x", "") Q ") -> (" Q ", tensor<2xi32>, tensor<i32>)\n"
    "  %e:3 = " CALL("syevd", "%f#0", "mode = 86 : ui8, uplo = 76 : ui8") Q ") -> (" Q ", tensor<2xf32>, tensor<i32>)\n"
    "  %d:5 = " CALL("gesdd", "%e#0", "mode = 78 : ui8") Q ") -> (" Q ", tensor<2xf32>, " Q ", " Q ", tensor<i32>)\n"
    "  %h:2 = " CALL("geqrf", "%e#0", "") Q ") -> (" Q ", tensor<2xf32>)\n"
    "  %q = " CALL("orgqr", "%h#0, %h#1", "") Q ", tensor<2xf32>) -> " Q "\n"
    "  %t = stablehlo.fft %q, type = RFFT, length = [2] : (" Q ") -> tensor<2x2xcomplex<f32>>\n"
    "  %u = stablehlo.fft %t, type = IRFFT, length = [2] : (tensor<2x2xcomplex<f32>>) -> " Q "\n"
    "  %v = stablehlo.broadcast_in_dim %d#1, dims = [1] : (tensor<2xf32>) -> " Q "\n"
    "  %w = stablehlo.add %u, %v : " Q "\n  %r = stablehlo.reshape %w : (" Q ") -> " V "\n" SUM,
};
static const char *const kept[] = { "all", "products", "nothing" };

typedef struct way { const char *text, *keep; } way;

static weft_status read(weft_context *cx, void *user) {
    const way *w = user;
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(w->text), "m.mlir", 0, &m);
    weft_module_free(m);
    return st;
}

static weft_status differentiate(weft_context *cx, void *user) {
    const way *w = user;
    weft_module *m = NULL;
    char spec[64];
    snprintf(spec, sizeof spec, "weft-differentiate=keep=%s", w->keep);
    weft_status st = weft_read_text(cx, weft_str_from(w->text), "m.mlir", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, weft_str_from(spec), WEFT_PIPELINE_VERIFY_EACH, &m);
    weft_module_free(m);
    return st;
}

START_TEST(test_failures) {
    way w = { programs[_i / 3], kept[_i % 3] };
    ck_assert(weft_test_any_failure(read, differentiate, &w, weft_test_long(FAILURES)));
}
END_TEST

int main(void) {
    Suite *s = suite_create("differentiate/failures");
    TCase *tc = tcase_create("failures");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_failures, 0, (int)(3 * sizeof programs / sizeof *programs));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
