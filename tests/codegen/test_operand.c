/* What steps read through strides: values from outside of a loop or branch. A program with a region gives what the same
 * ops give without one. */
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

enum { SIDE = 64, ELEMS = SIDE * SIDE, TURNS = 3, MOST_TEXT = 1 << 14 };

/* In all texts T> is the end of a type. */
#define M "tensor<64x64xT>"
#define BROADCAST(from, dims, type) \
    "stablehlo.broadcast_in_dim " from ", dims = [" dims "] : (tensor<" type ">) -> " M "\n"

/* Each makes %v of the arguments %u and %k, outside of the region. */
static const struct { const char *name, *text; } outside[] = {
    { "a constant", "%v = stablehlo.constant dense<3.0> : " M "\n" },
    { "listed numbers", "%c = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xT>\n"
      "%d = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xT>) -> tensor<2048x2xT>\n"
      "%v = stablehlo.reshape %d : (tensor<2048x2xT>) -> " M "\n" },
    { "an iota", "%v = stablehlo.iota dim = 1 : " M "\n" },
    { "an iota turned round", "%c = stablehlo.iota dim = 1 : " M "\n"
      "%v = stablehlo.transpose %c, dims = [1, 0] : (" M ") -> " M "\n" },
    { "an iota reshaped", "%c = stablehlo.iota dim = 1 : tensor<16x4x64xT>\n"
      "%v = stablehlo.reshape %c : (tensor<16x4x64xT>) -> " M "\n" },
    { "constants multiplied", "%c = stablehlo.constant dense<3.0> : " M "\n%v = stablehlo.multiply %c, %c : " M "\n" },
    { "constants multiplied and reshaped", "%c = stablehlo.constant dense<3.0> : tensor<4096xT>\n"
      "%d = stablehlo.multiply %c, %c : tensor<4096xT>\n%v = stablehlo.reshape %d : (tensor<4096xT>) -> " M "\n" },
    { "a broadcast of a device's number", "%c = stablehlo.partition_id : tensor<ui32>\n"
      "%d = stablehlo.convert %c : (tensor<ui32>) -> tensor<T>\n%v = " BROADCAST("%d", "", "T") },
    { "a broadcast of a device's number as it is", "%c = stablehlo.partition_id : tensor<ui32>\n"
      "%d = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<64x64xui32>\n"
      "%v = stablehlo.convert %d : (tensor<64x64xui32>) -> " M "\n" },
    { "a broadcast of a converted %k", "%c = stablehlo.convert %k : (tensor<i32>) -> tensor<T>\n"
      "%v = " BROADCAST("%c", "", "T") },
    { "a broadcast of a row", "%c = stablehlo.slice %u [3:4, 0:64] : (" M ") -> tensor<1x64xT>\n"
      "%d = stablehlo.add %c, %c : tensor<1x64xT>\n%e = stablehlo.reshape %d : (tensor<1x64xT>) -> tensor<64xT>\n"
      "%v = " BROADCAST("%e", "0", "64xT") },
    { "an argument turned round", "%v = stablehlo.transpose %u, dims = [1, 0] : (" M ") -> " M "\n" },
    { "a sum turned round", "%c = stablehlo.add %u, %u : " M "\n"
      "%v = stablehlo.transpose %c, dims = [1, 0] : (" M ") -> " M "\n" },
    { "a product turned round", "%c = stablehlo.dot_general %u, %u, contracting_dims = [1] x [1] : (" M ", " M
      ") -> " M "\n"
      "%v = stablehlo.transpose %c, dims = [1, 0] : (" M ") -> " M "\n" },
    { "a part of a sum", "%c = stablehlo.concatenate %u, %u, dim = 0 : (" M ", " M ") -> tensor<128x64xT>\n"
      "%d = stablehlo.add %c, %c : tensor<128x64xT>\n"
      "%v = stablehlo.slice %d [32:96, 0:64] : (tensor<128x64xT>) -> " M "\n" },
    { "a sum after a barrier, turned round", "%c = stablehlo.add %u, %u : " M "\n"
      "%d = stablehlo.subtract %u, %c : " M "\n"
      "%e:2 = stablehlo.optimization_barrier %c, %d : " M ", " M "\n"
      "%v = stablehlo.transpose %e#0, dims = [1, 0] : (" M ") -> " M "\n" },
};

#define DOT(r, a, b, da, db) \
    r " = stablehlo.dot_general " a ", " b ", contracting_dims = [" da "] x [" db "] : (" M ", " M ") -> " M "\n"

/* Each makes %r of %v and %x. */
static const struct { const char *name, *text; } readers[] = {
    { "a product", DOT("%r", "%x", "%v", "1", "0") },
    { "a product from the left", DOT("%r", "%v", "%x", "1", "0") },
    { "a product of columns", DOT("%r", "%v", "%x", "0", "0") },
    { "a product with itself", DOT("%r", "%v", "%v", "1", "1") },
    { "a product of it turned round", "%t = stablehlo.transpose %v, dims = [1, 0] : (" M ") -> " M "\n"
      DOT("%r", "%t", "%x", "1", "0") },
    { "a product of it twice", DOT("%q", "%x", "%v", "1", "0") DOT("%s", "%x", "%v", "1", "1")
      "%r = stablehlo.subtract %q, %s : " M "\n" },
    { "a batched product", "%a = stablehlo.reshape %v : (" M ") -> tensor<2x32x64xT>\n"
      "%b = stablehlo.reshape %x : (" M ") -> tensor<2x64x32xT>\n"
      "%c2 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
      "(tensor<2x32x64xT>, tensor<2x64x32xT>) -> tensor<2x32x32xT>\n"
      "%f = stablehlo.concatenate %c2, %c2, dim = 0 : (tensor<2x32x32xT>, tensor<2x32x32xT>) -> tensor<4x32x32xT>\n"
      "%r = stablehlo.reshape %f : (tensor<4x32x32xT>) -> " M "\n" },
    { "a convolution", "%a = stablehlo.reshape %v : (" M ") -> tensor<1x8x8x64xT>\n"
      "%b = stablehlo.reshape %x : (" M ") -> tensor<1x1x64x64xT>\n"
      "%f = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<1x8x8x64xT>, tensor<1x1x64x64xT>) -> tensor<1x8x8x64xT>\n"
      "%r = stablehlo.reshape %f : (tensor<1x8x8x64xT>) -> " M "\n" },
    { "a convolution by it", "%a = stablehlo.reshape %x : (" M ") -> tensor<1x16x16x16xT>\n"
      "%b = stablehlo.reshape %v : (" M ") -> tensor<2x2x16x64xT>\n"
      "%f = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<1x16x16x16xT>, tensor<2x2x16x64xT>) -> tensor<1x15x15x64xT>\n"
      "%h = stablehlo.slice %f [0:1, 0:8, 0:8, 0:64] : (tensor<1x15x15x64xT>) -> tensor<1x8x8x64xT>\n"
      "%r = stablehlo.reshape %h : (tensor<1x8x8x64xT>) -> " M "\n" },
    { "a scatter into its own place", "%at = stablehlo.constant dense<5> : tensor<64x1xi32>\n"
      "%r = \"stablehlo.scatter\"(%v, %at, %v) ({\n^bb0(%old: tensor<T>, %new: tensor<T>):\n"
      "%sum = stablehlo.add %old, %new : tensor<T>\nstablehlo.return %sum : tensor<T>\n}) {scatter_dimension_numbers = "
      "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
      "index_vector_dim = 1>} : (" M ", tensor<64x1xi32>, " M ") -> " M "\n" },
};

/* Parts around what a reader makes: %x in memory of the region's own, %y the result. */
static const struct { const char *name, *before, *after; } regions[] = {
    { "no branch", "%x = stablehlo.add %u, %u : " M "\n", "%y = stablehlo.add %r, %x : " M "\nreturn %y : " M "\n}\n" },
    { "a branch", "%o = \"stablehlo.case\"(%k) ({\nstablehlo.return %u : " M "\n}, {\n"
      "%x = stablehlo.add %u, %u : " M "\n",
      "%y = stablehlo.add %r, %x : " M "\nstablehlo.return %y : " M "\n}) : (tensor<i32>) -> " M "\n"
      "return %o : " M "\n}\n" },
    { "a loop", "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "%o:2 = stablehlo.while(%i = %zero, %z = %u) : tensor<i32>, " M "\ncond {\n"
      "%n = stablehlo.constant dense<3> : tensor<i32>\n"
      "%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n"
      "} do {\n%one = stablehlo.constant dense<1> : tensor<i32>\n%j = stablehlo.add %i, %one : tensor<i32>\n"
      "%x = stablehlo.add %u, %u : " M "\n",
      "%y = stablehlo.add %r, %x : " M "\n%w = stablehlo.add %y, %z : " M "\n"
      "stablehlo.return %j, %w : tensor<i32>, " M "\n}\n%q2 = stablehlo.subtract %o#1, %u : " M "\n"
      "return %q2 : " M "\n}\n" },
    { "a branch of a loop", "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "%o:2 = stablehlo.while(%i = %zero, %z = %u) : tensor<i32>, " M "\ncond {\n"
      "%n = stablehlo.constant dense<3> : tensor<i32>\n"
      "%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n"
      "} do {\n%one = stablehlo.constant dense<1> : tensor<i32>\n%j = stablehlo.add %i, %one : tensor<i32>\n"
      "%w = \"stablehlo.case\"(%k) ({\nstablehlo.return %u : " M "\n}, {\n%x = stablehlo.add %u, %u : " M "\n",
      "%y = stablehlo.add %r, %x : " M "\n%y2 = stablehlo.add %y, %z : " M "\nstablehlo.return %y2 : " M "\n"
      "}) : (tensor<i32>) -> " M "\nstablehlo.return %j, %w : tensor<i32>, " M "\n}\n"
      "%q2 = stablehlo.subtract %o#1, %u : " M "\nreturn %q2 : " M "\n}\n" },
};
enum { NO_REGION, BRANCH };

/* One of oneDNN's, one of our own products'. */
static const struct { const char *name; weft_dtype t; } types[] = { { "f32", WEFT_F32 }, { "f64", WEFT_F64 } };

static void of_type(const char *pattern, int type, char *out) {
    for (const char *p = pattern; *p; p++) {
        if (p[0] == 'T' && p[1] == '>') out += sprintf(out, "%s", types[type].name);
        else *out++ = *p;
    }
    *out = 0;
}

static void run(int value, int reader, int region, int type, const void *u, double *r) {
    static char pattern[MOST_TEXT], text[MOST_TEXT];
    const size_t size = weft_dtype_bytes(types[type].t);
    int32_t *k = walk_buffer(sizeof *k);
    char *result = walk_buffer(ELEMS * size);
    *k = 1;
    snprintf(pattern, sizeof pattern, "func.func @main(%%k: tensor<i32>, %%u: " M ") -> " M " {\n%s%s%s%s",
             outside[value].text, regions[region].before, readers[reader].text, regions[region].after);
    of_type(pattern, type, text);
    walk_text(text, NULL, (void *[]){ k, (void *)u }, (void *[]){ result });
    for (int e = 0; e < ELEMS; e++) r[e] = weft_dtype_load(types[type].t, result + (size_t)e * size);
    free(k), free(result);
}

/* Small whole numbers: floats compute with them exactly, whatever the order of a sum. */
static void *numbers(int type) {
    const size_t size = weft_dtype_bytes(types[type].t);
    char *u = walk_buffer(ELEMS * size);
    for (int e = 0; e < ELEMS; e++) weft_dtype_store(types[type].t, u + (size_t)e * size, (e * 7 + e / SIDE) % 5 - 2);
    return u;
}

static void test_reader(int value, int reader, int type, const void *u) {
    static double plain[ELEMS], inside[ELEMS];
    run(value, reader, NO_REGION, type, u, plain);
    for (int region = BRANCH; region < (int)WEFT_COUNT(regions); region++) {
        const int turns = region > BRANCH ? TURNS : 1;
        run(value, reader, region, type, u, inside);
        for (int e = 0; e < ELEMS; e++)
            ASSERT_EACH(inside[e] == turns * plain[e], "%s of %s from outside of %s, %s: element %d is %g, not %g",
                        readers[reader].name, outside[value].name, regions[region].name, types[type].name, e, inside[e],
                        turns * plain[e]);
    }
}

START_TEST(test_outside_of_libraries) {
    for (int type = 0; type < (int)WEFT_COUNT(types); type++) {
        void *u = numbers(type);
        for (int reader = 0; reader < (int)WEFT_COUNT(readers); reader++)
            if (weft_test_turn((size_t)(_i + reader + type))) test_reader(_i, reader, type, u);
        free(u);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/operand");
    TCase *tc = tcase_create("outside");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_outside_of_libraries, 0, (int)WEFT_COUNT(outside));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
