/* Each rule against central differences in f64: a function of %a and %b, written as StableHLO, whose result is weighed
 * and summed; the program with its gradients runs on one device. The points have no ties and no kinks. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/graph.h>
#include "mlir/print.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/support/suite.h"

#define OK(call) ck_assert_int_eq((call), WEFT_OK)

#define M "tensor<3x4xf64>"
#define ONE(op) "%r = " op " %a : " M
#define CHLO(op) "%r = " op " %a : " M " -> " M
#define TWO(op) "%r = " op " %a, %b : " M

/* A matrix that is positive definite in either triangle, whose triangles differ. */
#define S "tensor<3x3xf64>"
#define DEFINITE \
    "%g = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (" M ", " M ") -> " S "\n" \
    "%i = stablehlo.iota dim = 0 : " S "\n%j = stablehlo.iota dim = 1 : " S "\n" \
    "%k = stablehlo.compare EQ, %i, %j : (" S ", " S ") -> tensor<3x3xi1>\n" \
    "%n = stablehlo.constant dense<4.0> : " S "\n%o = stablehlo.constant dense<0.0> : " S "\n" \
    "%l = stablehlo.select %k, %n, %o : tensor<3x3xi1>, " S "\n%m = stablehlo.add %g, %l : " S "\n" \
    "%q = stablehlo.slice %b [0:3, 0:3] : (" M ") -> " S "\n%u = stablehlo.multiply %q, %i : " S "\n" \
    "%d = stablehlo.add %m, %u : " S "\n"
#define SOLVE(b, type, left, lower, unit, how) \
    DEFINITE "%r = \"stablehlo.triangular_solve\"(%d, " b ") <{left_side = " left ", lower = " lower \
    ", unit_diagonal = " unit ", transpose_a = #stablehlo<transpose " how ">}> : (" S ", " type ") -> " type
/* Windows of 2 x 3 elements, the first with a gap inside, over elements of which the second dimension's have gaps. */
#define WINDOW(op, initial) \
    "%i = stablehlo.constant dense<" initial "> : tensor<f64>\n" \
    "%r = \"stablehlo.reduce_window\"(%a, %i) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>," \
    " base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> :" \
    " tensor<2x2xi64>}> ({\n^bb0(%p: tensor<f64>, %q: tensor<f64>):\n%m = stablehlo." op " %p, %q : tensor<f64>\n" \
    "stablehlo.return %m : tensor<f64>\n}) : (" M ", tensor<f64>) -> tensor<3x3xf64>"
#define C34 "tensor<3x4xcomplex<f64>>"
#define ABS(type, real) "%r = stablehlo.abs %y : (" type ") -> " real

/* %a and %b are 3x4; the result %r has this type */
static const struct { const char *name, *lines, *type; } rules[] = {
    { "abs", ONE("stablehlo.abs"), M }, { "cbrt", ONE("stablehlo.cbrt"), M }, { "cosine", ONE("stablehlo.cosine"), M },
    { "exponential", ONE("stablehlo.exponential"), M },
    { "exponential_minus_one", ONE("stablehlo.exponential_minus_one"), M }, { "log", ONE("stablehlo.log"), M },
    { "log_plus_one", ONE("stablehlo.log_plus_one"), M }, { "logistic", ONE("stablehlo.logistic"), M },
    { "negate", ONE("stablehlo.negate"), M }, { "rsqrt", ONE("stablehlo.rsqrt"), M }, { "sine", ONE("stablehlo.sine"), M },
    { "sqrt", ONE("stablehlo.sqrt"), M }, { "tan", ONE("stablehlo.tan"), M }, { "tanh", ONE("stablehlo.tanh"), M },
    { "bitcast_convert", "%x = stablehlo.sine %a : " M "\n%y = stablehlo.bitcast_convert %x : (" M ") -> " M "\n"
                         "%r = stablehlo.multiply %y, %b : " M, M },
    { "floor", "%f = stablehlo.floor %a : " M "\n%r = stablehlo.multiply %f, %b : " M, M },
    { "add", TWO("stablehlo.add"), M }, { "atan2", TWO("stablehlo.atan2"), M }, { "divide", TWO("stablehlo.divide"), M },
    { "maximum", TWO("stablehlo.maximum"), M }, { "minimum", TWO("stablehlo.minimum"), M },
    { "multiply", TWO("stablehlo.multiply"), M }, { "power", TWO("stablehlo.power"), M },
    { "remainder", TWO("stablehlo.remainder"), M }, { "subtract", TWO("stablehlo.subtract"), M },
    { "acos", CHLO("chlo.acos"), M }, { "asin", CHLO("chlo.asin"), M }, { "asinh", CHLO("chlo.asinh"), M },
    { "acosh", "%x = stablehlo.exponential %a : " M "\n%r = chlo.acosh %x : " M " -> " M, M },
    { "atan", CHLO("chlo.atan"), M }, { "atanh", CHLO("chlo.atanh"), M }, { "cosh", CHLO("chlo.cosh"), M },
    { "sinh", CHLO("chlo.sinh"), M }, { "erf", CHLO("chlo.erf"), M }, { "erfc", CHLO("chlo.erfc"), M },
    { "erf_inv", CHLO("chlo.erf_inv"), M }, { "lgamma", CHLO("chlo.lgamma"), M },
    { "digamma", CHLO("chlo.digamma"), M }, { "square", CHLO("chlo.square"), M }, { "chlo.tan", CHLO("chlo.tan"), M },
    { "select", "%p = stablehlo.compare GT, %a, %b : (" M ", " M ") -> tensor<3x4xi1>\n"
                "%r = stablehlo.select %p, %a, %b : tensor<3x4xi1>, " M, M },
    { "clamp", "%l = stablehlo.constant dense<0.3> : " M "\n%r = stablehlo.clamp %l, %a, %b : " M, M },
    { "complex", "%z = stablehlo.complex %a, %b : tensor<3x4xcomplex<f64>>\n"
                 "%e = stablehlo.exponential %z : tensor<3x4xcomplex<f64>>\n"
                 "%x = stablehlo.real %e : (tensor<3x4xcomplex<f64>>) -> " M "\n"
                 "%y = stablehlo.imag %e : (tensor<3x4xcomplex<f64>>) -> " M "\n"
                 "%w = stablehlo.abs %e : (tensor<3x4xcomplex<f64>>) -> " M "\n"
                 "%v = stablehlo.multiply %x, %y : " M "\n%r = stablehlo.add %v, %w : " M, M },
    { "broadcast_in_dim", "%r = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (" M ") -> tensor<4x2x3xf64>",
      "tensor<4x2x3xf64>" },
    { "reshape", "%r = stablehlo.reshape %a : (" M ") -> tensor<2x6xf64>", "tensor<2x6xf64>" },
    { "transpose", "%r = stablehlo.transpose %a, dims = [1, 0] : (" M ") -> tensor<4x3xf64>", "tensor<4x3xf64>" },
    { "reverse", "%r = stablehlo.reverse %a, dims = [0] : " M, M },
    { "slice", "%r = stablehlo.slice %a [0:3:2, 1:4:2] : (" M ") -> tensor<2x2xf64>", "tensor<2x2xf64>" },
    { "pad", "%z = stablehlo.slice %b [0:1, 0:1] : (" M ") -> tensor<1x1xf64>\n"
             "%v = stablehlo.reshape %z : (tensor<1x1xf64>) -> tensor<f64>\n"
             "%r = stablehlo.pad %a, %v, low = [1, -1], high = [-1, 2], interior = [1, 0] : (" M ", tensor<f64>)"
             " -> tensor<5x5xf64>", "tensor<5x5xf64>" },
    { "concatenate", "%r = stablehlo.concatenate %a, %b, dim = 0 : (" M ", " M ") -> tensor<6x4xf64>",
      "tensor<6x4xf64>" },
    { "dot_general", "%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (" M ", " M ") -> tensor<3x3xf64>",
      "tensor<3x3xf64>" },
    { "dot_general by batch", "%r = stablehlo.dot_general %a, %b, batching_dims = [1] x [1], contracting_dims = [] x [] : (" M ", " M
      ") -> tensor<4x3x3xf64>", "tensor<4x3x3xf64>" },
    { "reduce multiply", "%i = stablehlo.constant dense<1.0> : tensor<f64>\n"
      "%r = stablehlo.reduce(%a init: %i) applies stablehlo.multiply across dimensions = [1] : (" M ", tensor<f64>)"
      " -> tensor<3xf64>", "tensor<3xf64>" },
    { "reduce maximum", "%i = stablehlo.constant dense<-9.0> : tensor<f64>\n"
      "%r = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [0] : (" M ", tensor<f64>)"
      " -> tensor<4xf64>", "tensor<4xf64>" },
    { "reduce multiply and its initial value", "%c = stablehlo.slice %b [0:1, 0:1] : (" M ") -> tensor<1x1xf64>\n"
      "%i = stablehlo.reshape %c : (tensor<1x1xf64>) -> tensor<f64>\n"
      "%r = stablehlo.reduce(%a init: %i) applies stablehlo.multiply across dimensions = [0] : (" M ", tensor<f64>)"
      " -> tensor<4xf64>", "tensor<4xf64>" },
    { "reduce_window of a product", WINDOW("multiply", "1.0"), "tensor<3x3xf64>" },
    { "reduce_window of a maximum, dilated", WINDOW("maximum", "-9.0"), "tensor<3x3xf64>" },
    { "reduce_window of a minimum, dilated", WINDOW("minimum", "9.0"), "tensor<3x3xf64>" },
    { "map", "%r = \"stablehlo.map\"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({\n^bb0(%p: tensor<f64>, %q: tensor<f64>):\n"
      "%s = stablehlo.sine %p : tensor<f64>\n%t = stablehlo.multiply %s, %q : tensor<f64>\n"
      "%c = stablehlo.constant dense<3.0> : tensor<f64>\n%u = stablehlo.multiply %t, %c : tensor<f64>\n"
      "stablehlo.return %u : tensor<f64>\n}) : (" M ", " M ") -> " M, M },
    { "bessel_i1e", CHLO("chlo.bessel_i1e"), M },
    { "scatter subtract, where updates meet", "%i = stablehlo.constant dense<[[1], [1], [2]]> : tensor<3x1xi32>\n"
      "%y = \"stablehlo.scatter\"(%a, %i, %b) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],"
      " inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
      "^bb0(%p: tensor<f64>, %q: tensor<f64>):\n%m = stablehlo.subtract %p, %q : tensor<f64>\n"
      "stablehlo.return %m : tensor<f64>\n}) : (" M ", tensor<3x1xi32>, " M ") -> " M "\n"
      "%r = stablehlo.sine %y : " M, M },
    { "dynamic_slice", "%i = stablehlo.constant dense<2> : tensor<i32>\n"
      "%r = stablehlo.dynamic_slice %a, %i, %i, sizes = [2, 2] : (" M ", tensor<i32>, tensor<i32>) -> tensor<2x2xf64>",
      "tensor<2x2xf64>" },
    { "dynamic_update_slice", "%i = stablehlo.constant dense<1> : tensor<i32>\n"
      "%u = stablehlo.slice %b [0:2, 0:2] : (" M ") -> tensor<2x2xf64>\n"
      "%r = stablehlo.dynamic_update_slice %a, %u, %i, %i : (" M ", tensor<2x2xf64>, tensor<i32>, tensor<i32>) -> " M,
      M },
    { "gather past the end", "%i = stablehlo.constant dense<[[2], [7]]> : tensor<2x1xi32>\n"
      "%r = \"stablehlo.gather\"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1],"
      " collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}"
      " : (" M ", tensor<2x1xi32>) -> tensor<2x4xf64>", "tensor<2x4xf64>" },
    { "while with a bound", "%c = stablehlo.constant dense<0> : tensor<i32>\n"
      "%w:2 = stablehlo.while(%i = %c, %v = %a) : tensor<i32>, " M " cond {\n"
      "%n = stablehlo.constant dense<7> : tensor<i32>\n%f = stablehlo.constant dense<false> : tensor<i1>\n"
      "%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%o = stablehlo.compare NE, %p, %f : (tensor<i1>, tensor<i1>) -> tensor<i1>\n"
      "%z = stablehlo.constant dense<0.0> : tensor<f64>\n%m = stablehlo.constant dense<20.0> : tensor<f64>\n"
      "%s = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0, 1] : (" M ", tensor<f64>)"
      " -> tensor<f64>\n%q = stablehlo.compare LT, %s, %m : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
      "%y = stablehlo.and %o, %q : tensor<i1>\nstablehlo.return %y : tensor<i1>\n} do {\n"
      "%e = stablehlo.constant dense<1> : tensor<i32>\n%j = stablehlo.add %i, %e : tensor<i32>\n"
      "%g = stablehlo.sine %v : " M "\n%h = stablehlo.multiply %g, %b : " M "\n%k = stablehlo.add %v, %h : " M "\n"
      "stablehlo.return %j, %k : tensor<i32>, " M "\n}\n%r = stablehlo.multiply %w#1, %b : " M, M },
    { "cholesky", DEFINITE "%r = stablehlo.cholesky %d, lower = true : " S, S },
    { "cholesky, upper", DEFINITE "%r = stablehlo.cholesky %d, lower = false : " S, S },
    { "triangular_solve", SOLVE("%b", M, "true", "true", "false", "NO_TRANSPOSE"), M },
    { "triangular_solve, upper", SOLVE("%b", M, "true", "false", "false", "NO_TRANSPOSE"), M },
    { "triangular_solve, transposed", SOLVE("%b", M, "true", "true", "false", "TRANSPOSE"), M },
    { "triangular_solve, adjoint", SOLVE("%b", M, "true", "false", "false", "ADJOINT"), M },
    { "triangular_solve, unit", SOLVE("%b", M, "true", "true", "true", "NO_TRANSPOSE"), M },
    { "triangular_solve, unit and transposed", SOLVE("%b", M, "true", "false", "true", "TRANSPOSE"), M },
    { "triangular_solve from the right", "%p = stablehlo.transpose %b, dims = [1, 0] : (" M ") -> tensor<4x3xf64>\n"
      SOLVE("%p", "tensor<4x3xf64>", "false", "true", "false", "NO_TRANSPOSE"), "tensor<4x3xf64>" },
    { "triangular_solve from the right, transposed",
      "%p = stablehlo.transpose %b, dims = [1, 0] : (" M ") -> tensor<4x3xf64>\n"
      SOLVE("%p", "tensor<4x3xf64>", "false", "false", "true", "TRANSPOSE"), "tensor<4x3xf64>" },
    { "fft RFFT", "%y = stablehlo.fft %a, type = RFFT, length = [4] : (" M ") -> tensor<3x3xcomplex<f64>>\n"
      ABS("tensor<3x3xcomplex<f64>>", S), S },
    { "fft RFFT in two dimensions, odd", "%p = stablehlo.transpose %a, dims = [1, 0] : (" M ") -> tensor<4x3xf64>\n"
      "%y = stablehlo.fft %p, type = RFFT, length = [4, 3] : (tensor<4x3xf64>) -> tensor<4x2xcomplex<f64>>\n"
      ABS("tensor<4x2xcomplex<f64>>", "tensor<4x2xf64>"), "tensor<4x2xf64>" },
    { "fft IRFFT, even", "%z = stablehlo.complex %a, %b : " C34 "\n"
      "%r = stablehlo.fft %z, type = IRFFT, length = [6] : (" C34 ") -> tensor<3x6xf64>", "tensor<3x6xf64>" },
    { "fft IRFFT in two dimensions, odd", "%z = stablehlo.complex %a, %b : " C34 "\n"
      "%r = stablehlo.fft %z, type = IRFFT, length = [3, 7] : (" C34 ") -> tensor<3x7xf64>", "tensor<3x7xf64>" },
    { "optimization_barrier", "%r = stablehlo.optimization_barrier %a : " M, M },
};

enum { N = 12 };
typedef struct point { double a[N], b[N]; } point;

/* The program with its gradients, as text. */
static char *differentiated(weft_context *cx, int i) {
    static char text[4096];
    weft_module *m = NULL;
    weft_buf b;
    char dims[64] = "";
    int rank = 0;
    for (const char *p = strchr(rules[i].type, '<') + 1; *p != 'f'; p++) rank += *p == 'x';
    for (int d = 0; d < rank; d++) sprintf(dims + strlen(dims), d ? ", %d" : "%d", d);
    snprintf(text, sizeof text,
             "func.func public @main(%%a: " M ", %%b: " M ") -> tensor<f64> {\n%s\n"
             "%%w0 = stablehlo.iota dim = %d : %s\n%%w1 = stablehlo.iota dim = 0 : %s\n%%w2 = stablehlo.sine %%w0 : %s\n"
             "%%w3 = stablehlo.cosine %%w1 : %s\n%%w4 = stablehlo.add %%w2, %%w3 : %s\n%%t = stablehlo.multiply %%r, %%w4 : %s\n"
             "%%zero = stablehlo.constant dense<0.0> : tensor<f64>\n%%s = stablehlo.reduce(%%t init: %%zero) applies stablehlo.add"
             " across dimensions = [%s] : (%s, tensor<f64>) -> tensor<f64>\nreturn %%s : tensor<f64>\n}\n",
             rules[i].lines, rank - 1, rules[i].type, rules[i].type, rules[i].type, rules[i].type, rules[i].type,
             rules[i].type, dims, rules[i].type);
    OK(weft_read_text(cx, weft_str_from(text), rules[i].name, 0, &m));
    OK(weft_pipeline_run(cx, weft_str_from("weft-differentiate=wrt=0,1"), WEFT_PIPELINE_VERIFY_EACH, &m));
    weft_buf_init(&b, &cx->alloc);
    OK(weft_print_module(m, WEFT_PRINT_PRETTY, &b));
    char *copy = strndup(b.p, b.n);
    weft_buf_free(&b);
    weft_module_free(m);
    return copy;
}

static double at(weft_job *j, const point *p) {
    double y;
    OK(weft_job_write(j, "arg0", p->a, sizeof p->a));
    OK(weft_job_write(j, "arg1", p->b, sizeof p->b));
    OK(weft_job_step(j));
    OK(weft_job_read(j, "out0", &y, sizeof y));
    return y;
}

START_TEST(test_rule) {
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = NULL;
    weft_job *j = NULL;
    char *text = differentiated(cx, _i);
    point p, got;
    for (int i = 0; i < N; i++) {
        p.a[i] = 0.4 + 0.35 * sin(3 * i + 1);
        p.b[i] = 0.5 + 0.3 * cos(5 * i + 2);
    }
    OK(weft_graph_read_text(cx, rules[_i].name, text, strlen(text), &g));
    OK(weft_job_open(cx, g, &(weft_job_options){ .launch = WEFT_LAUNCH_THREADS }, &j));
    at(j, &p);
    OK(weft_job_read(j, "out1", got.a, sizeof got.a));
    OK(weft_job_read(j, "out2", got.b, sizeof got.b));
    for (int i = 0; i < 2 * N; i++) {
        double *x = i < N ? &p.a[i] : &p.b[i - N], is = i < N ? got.a[i] : got.b[i - N], old = *x, h = 1e-5;
        *x = old + h;
        const double above = at(j, &p);
        *x = old - h;
        const double want = (above - at(j, &p)) / (2 * h);
        *x = old;
        ck_assert_msg(fabs(is - want) <= 1e-7 * fmax(1, fabs(want)), "%s: element %d of %s is %.10g, expected %.10g",
                      rules[_i].name, i % N, i < N ? "a" : "b", is, want);
    }
    weft_job_close(j);
    weft_graph_free(g);
    weft_context_free(cx);
    free(text);
}
END_TEST

int main(void) {
    Suite *s = suite_create("differentiate/rules");
    TCase *tc = tcase_create("rules");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_rule, 0, (int)(sizeof rules / sizeof *rules));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
