/* Spellings that the reader accepts besides MLIR's own, and its diagnostics and their places for wrong text. */
#include "ir/builder.h"
#include "tests/mlir/text.h"
#include "tests/support/suite.h"

#define F "func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {\n"
#define R "  return %a : tensor<2xf32>\n}\n"

/* Accepted text and how it is printed. */
static const struct { const char *what, *in, *want;
} taken[] = {
    { "nothing", "", "module {\n}\n" },
    { "comments and blanks", "// one\n  \t// two\r\nmodule {// three\n}//", "module {\n}\n" },
    { "no module around functions", F R,
      "module {\n  func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) -> tensor<2xf32> {\n    return %arg0 : tensor<2xf32>\n  }\n}\n" },
    { "two modules", "module @a {}\nmodule @b {}", "module {\n  module @a {\n  }\n  module @b {\n  }\n}\n" },
    { "a module's generic form", "\"builtin.module\"() <{sym_name = \"m\"}> ({\n}) {k} : () -> ()",
      "module @m attributes {k} {\n}\n" },
    { "aliases", "#x = 3 : i8\n!t = tensor<2xf32>\nmodule attributes {a = [#x]} { func.func private @f(!t) -> !t }",
      "module attributes {a = [3 : i8]} {\n  func.func private @f(tensor<2xf32>) -> tensor<2xf32>\n}\n" },
    { "a resource section", "module {}\n{-#\n  dialect_resources: { builtin: { w: \"0x01\" } }\n#-}\n",
      "module {\n}\n" },
    { "attributes in either place of the generic form",
      F
      "  %0 = \"stablehlo.transpose\"(%a) {permutation = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  %1 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 0>}> {k = 1 : i8} : (tensor<2xf32>) -> tensor<2xf32>\n" R,
      "module {\n  func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) -> tensor<2xf32> {\n"
      "    %0 = stablehlo.transpose %arg0, dims = [0] : (tensor<2xf32>) -> tensor<2xf32>\n"
      "    %1 = stablehlo.transpose %arg0, dims = [0] {k = 1 : i8} : (tensor<2xf32>) -> tensor<2xf32>\n"
      "    return %arg0 : tensor<2xf32>\n  }\n}\n" },
    { "names of every kind",
      "func.func @\"odd name\"(%a.b: tensor<f32>, %0: tensor<f32>, %x-y: tensor<f32>) {\n"
      "  %p, %q:2 = \"stablehlo.optimization_barrier\"(%a.b, %0, %x-y) : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)\n"
      "  %1 = stablehlo.add %p, %q#1 : tensor<f32>\n  return\n}",
      "module {\n  func.func @\"odd name\"(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>) {\n"
      "    %0:3 = stablehlo.optimization_barrier %arg0, %arg1, %arg2 : tensor<f32>, tensor<f32>, tensor<f32>\n"
      "    %1 = stablehlo.add %0#0, %0#2 : tensor<f32>\n    return\n  }\n}\n" },
    { "space before the angle of a type",
      "func.func private @f(tensor <2xf32>, tensor\n\t<f32>, tensor // <\n <3x?xi8>)",
      "module {\n  func.func private @f(tensor<2xf32>, tensor<f32>, tensor<3x?xi8>)\n}\n" },
    { "the long name of a return", "func.func @f() {\n  func.return\n}",
      "module {\n  func.func @f() {\n    return\n  }\n}\n" },
    { "a constant whose type is not its literal's",
      "func.func @f() {\n  %0 = stablehlo.constant() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<?xi32>\n  return\n}",
      "module {\n  func.func @f() {\n    %c = stablehlo.constant() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<?xi32>\n    return\n  }\n}\n" },
    { "an op of another dialect",
      "func.func @f(%a: tensor<f32>) {\n  %0 = \"x.y\"(%a) ({\n  ^bb0(%b: tensor<f32>):\n    \"x.z\"(%b) {t = #x.w<1>} : (tensor<f32>) -> ()\n  }) : (tensor<f32>) -> !x.t\n  return\n}",
      "module {\n  func.func @f(%arg0: tensor<f32>) {\n    %0 = \"x.y\"(%arg0) ({\n    ^bb0(%arg1: tensor<f32>):\n      \"x.z\"(%arg1) {t = #x.w<1>} : (tensor<f32>) -> ()\n"
      "    }) : (tensor<f32>) -> !x.t\n    return\n  }\n}\n" },
    { "several blocks",
      "\"x.y\"() ({\n  \"x.z\"() : () -> ()\n^next(%a: i32):\n  \"x.w\"(%a) : (i32) -> ()\n}) : () -> ()",
      "module {\n  \"x.y\"() ({\n    \"x.z\"() : () -> ()\n  ^bb1(%0: i32):  // no predecessors\n    \"x.w\"(%0) : (i32) -> ()\n  }) : () -> ()\n}\n" },
};

START_TEST(takes) {
    char *out = test_reprint(taken[_i].in, WEFT_READ_NO_VERIFY | WEFT_READ_ALLOW_UNREGISTERED, WEFT_PRINT_PRETTY);
    ck_assert_msg(!strcmp(out, taken[_i].want), "%s:\n%s", taken[_i].what, out);
    free(out);
}
END_TEST

/* Locations: written, by alias before its definition, or the place of the text. */
static const struct { const char *in, *want; } locations[] = {
    { "", "test.mlir:2:8" },
    { " loc(\"x.py\":3:4)", "x.py:3:4" },
    { " loc(\"x.py\":3:4 to 5:6)", "x.py:3:4" },
    { " loc(\"name\")", "name" },
    { " loc(\"name\"(\"x.py\":3:4))", "x.py:3:4" },
    { " loc(callsite(\"name\" at \"y.py\":7:8))", "y.py:7:8" },
    { " loc(fused[\"a\", \"z.py\":1:2])", "z.py:1:2" },
    { " loc(fused<#x.y>[unknown])", "test.mlir:3:8" },
    { " loc(unknown)", "test.mlir:3:8" },
    { " loc(#late)", "late.py:9:10" },
    { " loc(#early)", "e" },
    { " loc(\"name\"(#late))", "late.py:9:10" },
    { " loc(callsite(#early at #late))", "late.py:9:10" },
    { " loc(fused[\"a\", #early, #late, \"z.py\":1:2])", "late.py:9:10" },
};

static weft_status find_op(void *user, weft_op *op) {
    if (op->kind == WEFT_OP_negate) *(weft_op **)user = op;
    return WEFT_OK;
}

START_TEST(locates) {
    char text[512];
    snprintf(
        text, sizeof text,
        "#early = loc(\"e\")\nfunc.func @f(%%a: tensor<f32>) {\n  %%0 = stablehlo.negate %%a : tensor<f32>%s\n  return\n}\n#late = loc(\"late.py\":9:10)\n",
        locations[_i].in);
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = test_read(cx, text, 0);
    weft_op *op = NULL;
    ck_assert_int_eq(weft_module_walk(m, find_op, &op), WEFT_OK);
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_loc_print(&b, op->loc);
    ck_assert_str_eq(b.p, *locations[_i].in ? locations[_i].want : "test.mlir:3:8");
    weft_buf_free(&b);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* Wrong text, the place that is blamed, and why. Every mistake gives one diagnostic. */
#define CONV(dims) \
    "func.func @main(%a: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x6xf32>) { %0 = stablehlo.convolution(%a, %k) dim_numbers = " \
    dims ", window = {} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32> return }"
static const struct { const char *in; int line, column; const char *want;
} wrong[] = {
    { "x", 1, 1, "unknown op 'x'" },
    { "\"x.y\"() : () -> ()", 1, 1, "unknown op 'x.y'" },
    { "\"x.\"() : () -> ()", 1, 1, "the name of an op is one or more visible characters, no quotes among them and no dot at the end" },
    { "\"\"() : () -> ()", 1, 1, "the name of an op is one or more visible characters, no quotes among them and no dot at the end" },
    { "module {", 1, 9, "expected an op, found the end of the text" },
    { "module }", 1, 8, "expected '{', found '}'" },
    { "module {} }", 1, 11, "expected an op, found '}'" },
    { "module @ {}", 1, 9, "expected a name, found ' '" },
    { "\x7f"
      "EL\x02\x01",
      1, 1, "expected an op, found byte 0x7F" },
    { "\xff\xff", 1, 1, "expected an op, found byte 0xFF" },
    { "func.func", 1, 10, "expected a symbol such as @name, found the end of the text" },
    { "func.func @f(", 1, 14, "expected a type, found the end of the text" },
    { "func.func @f(%a: tensor<*", 1, 25, "expected a type, found '*'" },
    { "func.func @f(%a: tensor< *\n", 1, 26, "expected a type, found '*'" },
    { "func.func @f(%a) {}", 1, 16, "expected ':', found ')'" },
    { "func.func @f() {}", 1, 1, "function 'f' has an empty body" },
    { "func.func @f(tensor<f32>) {\n}", 1, 27, "expected a declaration's end: its arguments have no names, found '{'" },
    { "func.func @f(%a: tensor<f32>, %a: tensor<f32>) {\n}", 1, 31, "'%a' is defined twice" },
    { F "  %0 = stablehlo.add %a, %c : tensor<2xf32>\n" R, 2, 26, "'%c' is not defined here" },
    { F "  %0 = stablehlo.add %a, %0 : tensor<2xf32>\n" R, 2, 26, "'%0' is not defined here" },
    { F "  %a = stablehlo.add %a, %a : tensor<2xf32>\n" R, 2, 3, "'%a' is defined twice" },
    { F "  %0 = stablehlo.add %a, %b : tensor<2xf32>\n" R, 2, 26,
      "use of value '%b' expects different type than prior uses: 'tensor<2xf32>' vs 'tensor<3xf32>'" },
    { F "  %0 = stablehlo.add %a : tensor<2xf32>\n" R, 2, 8, "'stablehlo.add' takes 2 operands, here are 1" },
    { F "  %0 = stablehlo.add %a, %a, %a : tensor<2xf32>\n" R, 2, 8, "'stablehlo.add' takes 2 operands, here are 3" },
    { F "  %0 = stablehlo.add %a, : tensor<2xf32>\n" R, 2, 26, "expected a value such as %0, found ':'" },
    { F "  %0 = stablehlo.add %a, %a tensor<2xf32>\n" R, 2, 29, "expected ':', found 'tensor'" },
    { F "  %0 = stablehlo.add %a, %a : tensor<2xf33>\n" R, 2, 40, "unknown type 'f33'; did you mean 'f32'?" },
    { F "  %0 = stablehlo.add %a, %a : (tensor<2xf32>) -> tensor<2xf32>\n" R, 2, 31, "2 operands, but 1 operand type" },
    { F "  %0 = stablehlo.negate %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n" R, 2, 46,
      "more operand types than the 1 operand" },
    { F "  %0, %1 = stablehlo.negate %a : tensor<2xf32>\n" R, 2, 3,
      "'stablehlo.negate' has 1 result, but 2 are named" },
    { F "  %0:2 = stablehlo.negate %a : tensor<2xf32>\n" R, 2, 3, "'stablehlo.negate' has 1 result, but 2 are named" },
    { F "  %0:0 = stablehlo.negate %a : tensor<2xf32>\n" R, 2, 6, "expected a positive number of results" },
    { F "  %0 = stablehlo.negate %a#1 : tensor<2xf32>\n" R, 2, 27, "'%a' has 1 results, there is no number 1" },
    { F "  % = stablehlo.negate %a : tensor<2xf32>\n" R, 2, 3, "'%' without a name" },
    { F "  %0 = stablehlo.negtae %a : tensor<2xf32>\n" R, 2, 8,
      "unknown op 'stablehlo.negtae'; did you mean 'stablehlo.negate'?" },
    { F "  %0 = stablehlo.nonsense %a : tensor<2xf32>\n" R, 2, 8, "unknown op 'stablehlo.nonsense'" },
    { F "  %0 = mhlo.negate %a : tensor<2xf32>\n" R, 2, 8,
      "unknown op 'mhlo.negate'; did you mean 'stablehlo.negate'?" },
    { F "  %0 = negate %a : tensor<2xf32>\n" R, 2, 8, "unknown op 'negate'; did you mean 'stablehlo.negate'?" },
    { F "  %0 = mhlo.nonsense %a : tensor<2xf32>\n" R, 2, 8, "unknown op 'mhlo.nonsense'" },
    { F "  %left = stablehlo.negate %a : tensor<2xf32>\n  %0 = stablehlo.negate %lfet : tensor<2xf32>\n" R, 3, 25,
      "'%lfet' is not defined here; did you mean '%left'?" },
    { F "  %9 = stablehlo.negate %a : tensor<2xf32>\n  %0 = stablehlo.negate %8 : tensor<2xf32>\n" R, 3, 25,
      "'%8' is not defined here" },
    { "func.func @g(%left: tensor<f32>) {\n return\n}\n" F "  %0 = stablehlo.negate %lfet : tensor<2xf32>\n" R, 5, 25,
      "'%lfet' is not defined here" },
    { F "  %0 = stablehlo.negate %a : tensro<2xf32>\n" R, 2, 30, "unknown type 'tensro'; did you mean 'tensor'?" },
    { F "  %0 = stablehlo.negate %a : tensor\n" R, 3, 3, "expected '<', found 'return'" },
    { F "  %0 = stablehlo.negate %a : tensor<2xfloat32>\n" R, 2, 39, "unknown type 'float32'; did you mean 'f32'?" },
    { F "  %0 = stablehlo.negate %a : tensor<2xuint8>\n" R, 2, 39, "unknown type 'uint8'; did you mean 'ui8'?" },
    { F "  %0 = stablehlo.negate %a : tensor<2,f32>\n" R, 2, 38, "expected 'x' after a dimension, found ','" },
    { F "  %0 = stablehlo.sort %a : tensor<2xf32>\n" R, 2, 8,
      "'stablehlo.sort' has no pretty form; write \"stablehlo.sort\"(...)" },
    { F "  %0 = stablehlo.constant dense<1> : tensor<2xf32>\n" R, 2, 33,
      "an integer where 'f32' is wanted; write 1.0" },
    { F "  %0 = stablehlo.constant dense<1.5> : tensor<2xi32>\n" R, 2, 33, "a float where 'i32' is wanted" },
    { F "  %0 = stablehlo.constant dense<300> : tensor<2xi8>\n" R, 2, 33, "'300' does not fit 'i8'" },
    { F "  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi8>\n" R, 2, 40, "more than 2 elements in dimension 0" },
    { F "  %0 = stablehlo.constant dense<[1]> : tensor<2xi8>\n" R, 2, 33, "1 elements in dimension 0, the type has 2" },
    { F "  %0 = stablehlo.constant dense<[[1], [2]]> : tensor<2xi8>\n" R, 2, 34, "expected a number, found '['" },
    { F "  %0 = stablehlo.constant dense<[1]> : tensor<999999999999xi8>\n" R, 2, 33,
      "fewer elements than the 999999999999 of the type" },
    { F "  %0 = stablehlo.constant dense<\"0x00\"> : tensor<2xi32>\n" R, 2, 33, "1 bytes of data, the type needs 8" },
    { F "  %0 = stablehlo.constant dense<\"0x0g\"> : tensor<1xi8>\n" R, 2, 33,
      "a character that is no hexadecimal digit" },
    { F "  %0 = stablehlo.constant dense<1> : tensor<?xi32>\n" R, 2, 38,
      "elements literal type must have static shape" },
    { F "  %0 = stablehlo.constant dense<1 : tensor<2xi32>\n" R, 3, 3, "expected ':', found 'return'" },
    { F "  %0 = stablehlo.constant 1 : i32\n" R, 2, 27, "expected a dense<...> literal" },
    { F "  %0 = stablehlo.iota dim = 0 : tensor<9223372036854775807x2xf32>\n" R, 2, 33,
      "the tensor has more than 2^63-1 elements" },
    { F "  %0 = stablehlo.iota dim = 0 : tensor<9223372036854775808xf32>\n" R, 2, 40,
      "dimension does not fit 64 bits" },
    { F "  %0 = stablehlo.iota dim = 9223372036854775808 : tensor<2xi32>\n" R, 2, 29, "integer does not fit 64 bits" },
    { F "  %0 = stablehlo.iota dim : tensor<2xi32>\n" R, 2, 27, "expected '=', found ':'" },
    { F "  %0 = stablehlo.transpose %a, perm = [0] : (tensor<2xf32>) -> tensor<2xf32>\n" R, 2, 32,
      "expected 'dims', found 'perm'" },
    { F "  %0 = stablehlo.transpose %a : (tensor<2xf32>) -> tensor<2xf32>\n" R, 2, 31, "expected ',', found ':'" },
    { F "  %0 = stablehlo.compare XX, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>\n" R, 2, 26,
      "'XX' is no comparison_direction" },
    { F
      "  %0 = stablehlo.reduce(%a init: %a) applies stablehlo.subtract across dimensions = [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>\n" R,
      2, 46, "'stablehlo.subtract' is no op of two operands that commute" },
    { CONV("[b, 0, 1, x]x[0, 1, i, o]->[b, 0, 1, f]"), 1, 128, "expected 'b', 'f' or the number of a spatial dimension" },
    { CONV("[b, 0, 1, f]x[0, 1, i, b]->[b, 0, 1, f]"), 1, 141, "expected 'i', 'o' or the number of a spatial dimension" },
    { CONV("[b, 0, b, f]x[0, 1, i, o]->[b, 0, 1, f]"), 1, 125, "dimension 'b' is given twice" },
    { CONV("[b, 1, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"), 1, 125, "spatial dimension 1 is given twice" },
    { CONV("[b, 0, 99, f]x[0, 1, i, o]->[b, 0, 1, f]"), 1, 125, "spatial dimension out of range" },
    { CONV("[b, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]"), 1, 118, "dimension 'f' is missing" },
    { F "  %0 = stablehlo.negate %a {k = 1, k = 2} : tensor<2xf32>\n" R, 2, 36, "attribute 'k' is given twice" },
    { F
      "  %0 = \"stablehlo.transpose\"(%a) <{permutation = array<i64: 0>}> {permutation = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>\n" R,
      2, 66, "attribute 'permutation' is given twice" },
    { F "  %0 = stablehlo.negate %a {k = #nowhere} : tensor<2xf32>\n" R, 2, 33,
      "attribute alias '#nowhere' is not defined" },
    { F "  %0 = stablehlo.negate %a {k = \"open} : tensor<2xf32>\n" R, 2, 33, "string without its closing '\"'" },
    { F "  %0 = stablehlo.negate %a {k = \"\\q\"} : tensor<2xf32>\n" R, 2, 34, "unknown escape in a string" },
    { F "  %0 = stablehlo.negate %a {k = #x.y<(]>} : tensor<2xf32>\n" R, 2, 39, "expected ')', found ']'" },
    { F "  %0 = stablehlo.negate %a {k = !nowhere} : tensor<2xf32>\n" R, 2, 33,
      "type alias '!nowhere' is not defined" },
    { F "  %0 = stablehlo.negate %a : tensor<2xf32> loc(#nowhere)\n" R, 2, 48, "location '#nowhere' is not defined" },
    { F "  %0 = stablehlo.negate %a : tensor<2xf32> loc(3)\n" R, 2, 48, "expected a location, found '3'" },
    { "#a = loc(\"x\"(#b))\n#b = loc(\"y\"(#a))\n", 1, 14, "location '#b' is not defined yet" },
    { "#a = 1\n#a = 2\n", 2, 1, "'#a' is defined twice" },
    { "!a = !a\n", 1, 6, "type alias '!a' is not defined" },
    { F "  \"stablehlo.custom_call\"(%a)[^bb1] : (tensor<2xf32>) -> ()\n" R, 2, 30,
      "ops with successor blocks are not supported" },
    { "{-# never closed", 1, 1, "'{-#' without its closing '#-}'" },
};

START_TEST(blames) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_ne(weft_read_text(cx, weft_str_from(wrong[_i].in), "test.mlir", WEFT_READ_NO_VERIFY, &m), WEFT_OK);
    ck_assert_ptr_null(m);
    for (size_t i = 1; i < weft_context_diag_count(cx); i++)
        ck_assert_int_eq(weft_context_diag(cx, i)->severity, WEFT_NOTE);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_ptr_nonnull(d);
    ck_assert_str_eq(d->message, wrong[_i].want);
    ck_assert_str_eq(d->file, "test.mlir");
    ck_assert_msg(d->line == wrong[_i].line && d->column == wrong[_i].column, "'%s' is blamed at %lld:%lld, not %d:%d",
                  d->message, (long long)d->line, (long long)d->column, wrong[_i].line, wrong[_i].column);
    weft_context_free(cx);
}
END_TEST

/* Text that opens n brackets of one kind: refused, not a crash. */
static const struct { const char *head, *open, *tail; } deep[] = {
    { "module attributes {a = ", "[", "" },
    { "module attributes {a = ", "{b = ", "" },
    { "module attributes {a = #x.y", "<", "" },
    { "module attributes {a = ", "() -> (", "" },
    { "module attributes {a = ", "tuple<", "" },
    { "module attributes {a = loc", "(", "" },
    { "", "module {", "" },
    { "", "\"x.y\"() ({", "" },
    { "func.func @f() loc(", "\"a\"(", "" },
    { "func.func @f(%a: ", "tensor<2x", "" },
};

START_TEST(refuses_depth) {
    enum { N = 100000 };
    size_t head = strlen(deep[_i].head), open = strlen(deep[_i].open);
    char *text = malloc(head + N * open + 1);
    memcpy(text, deep[_i].head, head);
    for (size_t i = 0; i < N; i++) memcpy(text + head + i * open, deep[_i].open, open);
    text[head + N * open] = 0;
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "test.mlir", WEFT_READ_ALLOW_UNREGISTERED, &m),
                     WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    weft_context_free(cx);
    free(text);
}
END_TEST

/* Small text that means too much: each alias holds the one before it twice, or nests once more. */
static const struct { const char *first, *next; int n; } piled[] = {
    { "#a0 = 1\n", "#a%d = [#a%d, #a%d]\n", 100 },
    { "!a0 = i1\n", "!a%d = tuple<!a%d, !a%d>\n", 100 },
    { "#a0 = loc(\"x\")\n", "#a%d = loc(fused[#a%d, #a%d])\n", 100 },
    { "#a0 = loc(\"x\")\n", "#a%d = loc(\"x\"(#a%d))\n", 100000 },
    { "#a0 = 1\n", "#a%d = [#a%d]\n", 100000 },
};

START_TEST(refuses_piled_aliases) {
    char *text = malloc(64 + (size_t)piled[_i].n * 64);
    size_t n = (size_t)sprintf(text, "%s", piled[_i].first);
    for (int i = 1; i < piled[_i].n; i++) n += (size_t)snprintf(text + n, 64, piled[_i].next, i, i - 1, i - 1);
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, (weft_str){ text, n }, "test.mlir", 0, &m), WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    weft_context_free(cx);
    free(text);
}
END_TEST

/* Two aliases that nest deeply, of which the second holds the first in its midst: each may, both together not. */
static const struct {
    const char *open, *close, *inner;
    bool is_type;
} nests[] = { { "[", "]", "1", false }, { "tuple<", ">", "i1", true }, { "{a = ", "}", "1", false } };

static size_t put_deep(char *to, int i, char alias, int n, const char *inner) {
    size_t at = (size_t)sprintf(to, "%c%c = ", nests[i].is_type ? '!' : '#', alias);
    for (int k = 0; k < n; k++) at += (size_t)sprintf(to + at, "%s", nests[i].open);
    at += (size_t)sprintf(to + at, "%s", inner);
    for (int k = 0; k < n; k++) at += (size_t)sprintf(to + at, "%s", nests[i].close);
    return at + (size_t)sprintf(to + at, "\n");
}

START_TEST(refuses_deep_aliases) {
    for (int depth = 100; depth <= 200; depth += 100) {
        char text[4096];
        size_t n = put_deep(text, _i, 'a', depth, nests[_i].inner);
        n += put_deep(text + n, _i, 'b', depth, nests[_i].is_type ? "!a" : "#a");
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL;
        const weft_status st = weft_read_text(cx, (weft_str){ text, n }, "test.mlir", 0, &m);
        ck_assert_int_eq(st, depth == 100 ? WEFT_OK : WEFT_ERR_INVALID);
        if (st != WEFT_OK) ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "nested more than"));
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

/* Thousands of attributes on one op take no time that one could notice, and stay sorted. */
START_TEST(takes_many_attributes) {
    enum { N = 100000 };
    char *text = malloc(64 + N * 16);
    size_t n = (size_t)sprintf(text, "module attributes {");
    for (int i = N; i-- > 0;) n += (size_t)sprintf(text + n, "a%d%s", i, i ? "," : "} {\n}\n");
    char *out = test_reprint(text, 0, WEFT_PRINT_PRETTY), *again = test_reprint(out, 0, WEFT_PRINT_PRETTY);
    ck_assert_str_eq(out, again);
    ck_assert(!strncmp(out, "module attributes {a0, a1, a10, a100,", 37));
    sprintf(text + n - 7, ",a5} {}");
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "test.mlir", 0, &m), WEFT_ERR_INVALID);
    ck_assert_str_eq(weft_context_diag(cx, 0)->message, "attribute 'a5' is given twice");
    weft_context_free(cx);
    free(out);
    free(again);
    free(text);
}
END_TEST

/* A good file cut off anywhere, or with one byte changed, is read or refused with one message. */
START_TEST(survives_damage) {
    char *text = test_file("sdy.mlir");
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i += 3) {
        for (int change = 0; change < 2; change++) {
            weft_context *cx = weft_context_new(NULL);
            weft_module *m = NULL;
            char kept = text[i];
            text[i] = change ? (char)(kept ^ 0x15) : kept;
            weft_status st = weft_read_text(cx, (weft_str){ text, change ? n : i }, "test.mlir", 0, &m);
            text[i] = kept;
            ck_assert(st == WEFT_OK ? m != NULL : m == NULL);
            if (st != WEFT_OK) ck_assert_uint_ge(weft_context_diag_count(cx), 1);
            weft_module_free(m);
            weft_context_free(cx);
        }
    }
    free(text);
}
END_TEST

START_TEST(names_a_missing_file) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_file(cx, "/nowhere/x.mlir", 0, &m), WEFT_ERR_IO);
    ck_assert_str_eq(weft_context_diag(cx, 0)->message, "cannot open '/nowhere/x.mlir': No such file or directory");
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("mlir read");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, takes, 0, WEFT_COUNT(taken));
    tcase_add_loop_test(tc, locates, 0, WEFT_COUNT(locations));
    tcase_add_loop_test(tc, blames, 0, WEFT_COUNT(wrong));
    tcase_add_loop_test(tc, refuses_depth, 0, WEFT_COUNT(deep));
    tcase_add_loop_test(tc, refuses_piled_aliases, 0, WEFT_COUNT(piled));
    tcase_add_loop_test(tc, refuses_deep_aliases, 0, WEFT_COUNT(nests));
    tcase_add_test(tc, takes_many_attributes);
    tcase_add_test(tc, survives_damage);
    tcase_add_test(tc, names_a_missing_file);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
