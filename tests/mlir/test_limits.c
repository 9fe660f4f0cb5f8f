/* Large, odd and truncated files: time proportional to the text, invalid bytes, resources. */
#include <stdio.h>
#include <time.h>
#include "base/context.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

/* ---- time ---- */

static void head(weft_buf *b, int n) { (void)n, weft_buf_puts(b, "func.func @main(%a: tensor<f32>) {\n"); }
static void tail(weft_buf *b, int n) { (void)n, weft_buf_puts(b, "  return\n}\n"); }

static void chain(weft_buf *b, int n) {
    weft_buf_puts(b, "func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {\n");
    for (int i = 0; i < n; i++)
        weft_buf_printf(b, "  %%v%d = stablehlo.add %%v%d, %%v%d : tensor<4xf32>\n", i + 1, i, i / 2);
    weft_buf_printf(b, "  return %%v%d : tensor<4xf32>\n}\n", n);
}

static void calls(weft_buf *b, int n) {
    for (int i = 0; i < n; i++) weft_buf_printf(b, "func.func private @f%d(%%a: tensor<f32>) {\n  return\n}\n", i);
    head(b, n);
    for (int i = 0; i < n; i++) weft_buf_printf(b, "  call @f%d(%%a) : (tensor<f32>) -> ()\n", n - 1 - i);
    tail(b, n);
}

static void arguments(weft_buf *b, int n) {
    weft_buf_puts(b, "func.func @main(");
    for (int i = 0; i < n; i++)
        weft_buf_printf(b, "%s%%a%d: tensor<%dxf32> {x.y = %d : i64}", i ? ", " : "", i, i + 1, i);
    weft_buf_puts(b, ") {\n  return\n}\n");
}

static void branches(weft_buf *b, int n) {
    weft_buf_puts(b, "func.func @main(%p: tensor<i1>, %a: tensor<f32>) {\n");
    for (int i = 0; i < n; i++)
        weft_buf_printf(
            b,
            "  %%v%d = \"stablehlo.if\"(%%p) ({ stablehlo.return %%a : tensor<f32> }, { stablehlo.return %%a : tensor<f32> }) : (tensor<i1>) -> tensor<f32>\n",
            i);
    tail(b, n);
}

static void late_places(weft_buf *b, int n) {
    head(b, n);
    for (int i = 0; i < n; i++)
        weft_buf_printf(b, "  %%v%d = stablehlo.negate %%a : tensor<f32> loc(#loc%d)\n", i, n - 1 - i);
    tail(b, n);
    for (int i = 0; i < n; i++) weft_buf_printf(b, "#loc%d = loc(\"f.py\":%d:1)\n", i, i + 1);
}

static void buffers(weft_buf *b, int n) { /* the last goes out first */
    weft_buf_printf(b, "func.func @main(%%a: memref<2xf32>) {\n  %%v:%d = \"stablehlo.custom_call\"(", n);
    for (int i = 0; i < n; i++) weft_buf_puts(b, i ? ", %a" : "%a");
    weft_buf_puts(b, ") {call_target_name = \"x\", output_operand_aliases = [");
    for (int i = 0; i < n; i++)
        weft_buf_printf(
            b,
            "%s#stablehlo.output_operand_alias<output_tuple_indices = [%d], operand_index = %d, operand_tuple_indices = []>",
            i ? ", " : "", n - 1 - i, i);
    weft_buf_puts(b, "]} : (");
    for (int i = 0; i < n; i++) weft_buf_puts(b, i ? ", memref<2xf32>" : "memref<2xf32>");
    weft_buf_puts(b, ") -> (");
    for (int i = 0; i < n; i++) weft_buf_puts(b, i ? ", memref<2xf32>" : "memref<2xf32>");
    weft_buf_puts(b, ")\n  return\n}\n");
}

static void resources(weft_buf *b, int n) {
    head(b, n);
    for (int i = 0; i < n; i++)
        weft_buf_printf(b, "  %%c%d = stablehlo.constant dense_resource<r%d> : tensor<1xi32>\n", i, n - 1 - i);
    tail(b, n);
    weft_buf_puts(b, "{-#\n  dialect_resources: {\n    builtin: {\n");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%s      r%d: \"0x04000000%08x\"", i ? ",\n" : "", i, (unsigned)i);
    weft_buf_puts(b, "\n    }\n  }\n#-}\n");
}

static void long_literals(weft_buf *b, int n) {
    weft_buf_puts(b, "module attributes {a.name = \"");
    for (int i = 0; i < n; i++) weft_buf_puts(b, "abcdefgh");
    weft_buf_puts(b, "\", a.list = [");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%s%d", i ? ", " : "", i);
    weft_buf_puts(b, "], a.array = array<i64: ");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%s%d", i ? ", " : "", -i);
    weft_buf_printf(b, ">} {\n  func.func @main() {\n    %%c = stablehlo.constant dense<\"0x");
    for (int i = 0; i < n; i++) weft_buf_puts(b, "00112233");
    weft_buf_printf(b, "\"> : tensor<%dxi32>\n    return\n  }\n}\n", n);
}

static void long_names(weft_buf *b, int n) {
    weft_buf_puts(b, "func.func @main(%");
    for (int i = 0; i < 8 * n; i++) weft_buf_putc(b, 'a');
    weft_buf_puts(b, ": tensor<f32>) {\n  \"stablehlo.custom_call\"() {call_target_name = \"x\", ");
    for (int i = 0; i < 8 * n; i++) weft_buf_putc(b, 'b');
    weft_buf_puts(b, "} : () -> ()\n  return\n}\n");
}

static void (*const kinds[])(weft_buf *b, int n) = {
    chain, calls, arguments, branches, late_places, buffers, resources, long_literals, long_names,
};

/* Seconds that reading, verifying and printing takes. */
static double seconds_of(void (*make)(weft_buf *b, int n), int n) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_buf in, out;
    weft_buf_init(&in, &cx->alloc);
    weft_buf_init(&out, &cx->alloc);
    make(&in, n);
    clock_t begin = clock();
    ck_assert_int_eq(weft_read_text(cx, (weft_str){ in.p, in.n }, "large.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_print_module(m, WEFT_PRINT_PRETTY, &out), WEFT_OK);
    weft_module_free(m);
    double s = (double)(clock() - begin) / CLOCKS_PER_SEC;
    weft_buf_free(&in);
    weft_buf_free(&out);
    weft_context_free(cx);
    return s;
}

/* Eight times the text takes eight times as long; 64 times as long if anything were quadratic. */
START_TEST(takes_linear_time) {
    double small = 1e9, large = 1e9;
    for (int k = 0; k < 3 && large > 24 * small + 0.05; k++) {
        double s = seconds_of(kinds[_i], 5000), l = seconds_of(kinds[_i], 40000);
        if (s < small) small = s;
        if (l < large) large = l;
    }
    ck_assert_msg(large <= 24 * small + 0.05, "%g s, and %g s for eight times as much", small, large);
}
END_TEST

START_TEST(takes_a_million_ops) { ck_assert_double_gt(seconds_of(chain, 1000000), 0); }
END_TEST

/* ---- bytes ---- */

#define T(text) text, sizeof text - 1
#define NEGATE "func.func @f(%a: tensor<2xf32>) {\n  %0 = stablehlo.negate %a : tensor<2xf32>\n  return\n}\n"
#define CONSTANT(literal) "func.func @f() {\n  %c = stablehlo.constant " literal "\n  return\n}\n"
#define RESOURCES(text) "{-#\n  dialect_resources: { builtin: { " text " } }\n#-}\n"

static const struct { const char *text; size_t n; const char *want; } odd[] = {
    { T(""), NULL },
    { T("\n\n"), NULL },
    { T("func.func @f(%a: tensor<2xf32>) {\r\n  %0 = stablehlo.negate %a : tensor<2xf32>\r\n  return\r\n}\r\n"), NULL },
    { T("func.func @f() {\r  return\r}\r"), NULL },
    { T("// \xff\xfe\n" NEGATE), NULL },
    { T("module attributes {a.b = \"\xff\xfe\"} {}\n"), NULL },
    { T("func.func @\"\xff\"() {\n  return\n}\n"), NULL },
    { T("func.func @\xff() {\n  return\n}\n"), "expected a name, found byte 0xFF" },
    { T("\xef\xbb\xbf" NEGATE), NULL },
    { T("\xef\xbb" NEGATE), "expected an op, found byte 0xEF" },
    { T(NEGATE "\0"), "expected an op, found byte 0x00" },
    { T("func.func @f() {\n\0 return\n}\n"), "expected an op, found byte 0x00" },
    { T("module attributes {a.b = \"x\0y\"} {}\n"), NULL },
    { T("func.func private @f(!q.u<i\0008>)\n"), "a NUL byte in a text" },
    { T("module attributes {a.b = #c.d<\"x\0\">} {}\n"), "a NUL byte in a text" },
    { T("module attributes {a.b = #c.d<\"x\\\0\">} {}\n"), "a NUL byte in a text" },
    { T("module attributes {a.b = #c.d<x> // \0\n} {}\n"), NULL },
    { T("ML\xefR\x0dStableHLO_v1.0.0\0\1"), "'odd.mlir', byte 23 of the bytecode: the file or a part of it ends here" },
    { T("ML\xefR"), "'odd.mlir', byte 4 of the bytecode: the file or a part of it ends here" },
    { T("ML\xefR\x0fStableHLO_v9.0.0\0\1"), "'odd.mlir', byte 4 of the bytecode: version 7 of MLIR bytecode by 'StableHLO_v9.0.0'; Weft reads up to 6" },
    { T("\x1f\x8b\x08\0"), "'odd.mlir' is compressed by gzip; Weft reads StableHLO as MLIR's text" },
    { T("\x1f"), "expected an op, found byte 0x1F" },
    { T("<\0\0\0\0\0\x44\0"), "'odd.mlir' is not text, nor whole MLIR bytecode or a whole file of jax.export" },
    { T("\xff\xfem\0o\0"), "'odd.mlir' is text in UTF-16; Weft reads StableHLO as MLIR's text" },
    { T("HloModule jit_f\n"), "'odd.mlir' is XLA's HLO; Weft reads StableHLO as MLIR's text" },
    { T("{ lambda ; a:f32[4]. let\n"), "'odd.mlir' is a jaxpr; Weft reads StableHLO as MLIR's text" },
    { T("\x7f" "ELF\x02"), "'odd.mlir' is a compiled program; Weft reads StableHLO as MLIR's text" },
    { T("\x93NUMPY\x01\0"), "'odd.mlir' is an array of NumPy; Weft reads StableHLO as MLIR's text" },
    { T("ML\xef"), "unknown op 'ML'" },
    /* sizes */
    { T("func.func @f(%a: tensor<4611686018427387904x2xi8>) {\n  return\n}\n"), "the tensor has more than 2^63-1 elements" },
    { T("func.func @f(%a: tensor<4611686018427387904x4x0xi8>) {\n  return\n}\n"), "the tensor has more than 2^63-1 elements, sizes of 0 not counted" },
    { T("func.func @f(%a: tensor<0x4611686018427387904x4xi8>) {\n  return\n}\n"), "the tensor has more than 2^63-1 elements, sizes of 0 not counted" },
    { T("func.func @f(%a: tensor<4611686018427387904xf32>) {\n  return\n}\n"), NULL },
    { T(CONSTANT("dense<1> : tensor<4611686018427387904xi8>")), NULL },
    { T(CONSTANT("dense<1> : tensor<4611686018427387904xi32>")), "the tensor has more than 2^63-1 bytes" },
    { T(CONSTANT("dense<\"0x01000000\"> : tensor<2305843009213693951xi32>")), NULL },
    { T(CONSTANT("dense<\"0x01\"> : tensor<2305843009213693951xi32>")), "1 bytes of data, the type needs 9223372036854775804" },
    { T(CONSTANT("dense<[1, // a > b, \"c\n 2]> : tensor<2xi8>")), NULL },
    { T(CONSTANT("dense<1 // >> \n> : tensor<2xi8>")), NULL },
    { T(CONSTANT("dense<[1, 2]// >")), "'dense<' without its closing '>'" },
    { T(CONSTANT("dense<\"0x010\"> : tensor<1xi8>")), "expected a string of the form \"0x...\"" },
    { T("func.func @f() {\n  %c = stablehlo.constant dense<\"0x0102"), "string without its closing '\"'" },
    /* locations */
    { T("func.func @f() {\n  return loc(#b)\n} loc(#a)\n#a = loc(fused[#b])\n#b = loc(fused[#a])\n"), "location '#b' is not defined yet" },
    { T("func.func @f() {\n  return loc(#a)\n}\n#a = loc(fused[\"x\", #a])\n"), "location '#a' is not defined yet" },
    { T("func.func @f() {\n  return loc(fused[#a, #b])\n}\n#b = loc(\"x\")\n#a = loc(fused[\"x\", #b])\n"), NULL },
    /* resources */
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>")), NULL },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") RESOURCES("s: \"0x0400000000112233\"")), NULL },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") RESOURCES("r: \"0x0400000000112233\"")), NULL },
    { T(CONSTANT("dense_resource<r> : tensor<0xi32>") RESOURCES("r: \"0x04000000\"")), NULL },
    { T(CONSTANT("dense_resource<\"a b\"> : tensor<8xi1>") RESOURCES("\"a b\": \"0x04000000ff\"")), NULL },
    { T(CONSTANT("dense_resource<r> : tensor<2xi32>") RESOURCES("r: \"0x0400000000112233\"")), "4 bytes of data, the type needs 8" },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") RESOURCES("r: \"0x04000000001122\"")), "3 bytes of data, the type needs 4" },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") RESOURCES("r: \"0x040000000011223\"")), "resource 'r' ends within a byte" },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") RESOURCES("r: \"0x04000000zz112233\"")), "a character that is no hexadecimal digit" },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") RESOURCES("r: \"0x0400\"")), "a resource is a string \"0x...\" that begins with four bytes of alignment" },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") RESOURCES("r: 4")), "expected a string of the form \"0x...\", found '4'" },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") RESOURCES("r: \"0x0400000000112233\", r: \"0x0400000000112233\"")), "resource 'r' is given twice" },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") "{-# dialect_resources: { builtin: { r: \"0x0400000000112233\" } }"), "expected '#-}', found the end of the text" },
    { T(CONSTANT("dense_resource<r> : tensor<1xi32>") "{-# external_resources: { mlir_reproducer: { pipeline: \"x\", verify: true } } #-}"), NULL },
};

START_TEST(takes_or_refuses) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, (weft_str){ odd[_i].text, odd[_i].n }, "odd.mlir", 0, &m);
    const weft_diag *d = weft_context_diag(cx, 0);
    if (odd[_i].want) {
        ck_assert(d != NULL);
        ck_assert_str_eq(d->message, odd[_i].want);
    } else {
        ck_assert_msg(!d, "'%s'", d ? d->message : "");
    }
    ck_assert((st == WEFT_OK) == !odd[_i].want);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* A location that ops name before its definition counts for each of them. */
START_TEST(charges_locations) {
    for (int uses = 10; uses <= 10000; uses *= 1000) {
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL;
        weft_buf text;
        weft_buf_init(&text, &cx->alloc);
        weft_buf_puts(&text, "func.func @f() {\n");
        for (int i = 0; i < uses; i++) weft_buf_printf(&text, "  %%%d = stablehlo.constant dense<1> : tensor<i32> loc(#l12)\n", i);
        weft_buf_puts(&text, "  return\n}\n#l0 = loc(unknown)\n");
        for (int i = 1; i <= 12; i++) weft_buf_printf(&text, "#l%d = loc(fused[#l%d, #l%d])\n", i, i - 1, i - 1);
        const weft_status st = weft_read_text(cx, (weft_str){ text.p, text.n }, "locations.mlir", 0, &m);
        if (uses == 10) ck_assert_int_eq(st, WEFT_OK);
        else ck_assert_str_eq(weft_context_diag(cx, 0)->message, "aliases that spell out too much");
        weft_buf_free(&text);
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

/* An encoding is a text of its own in each type, also by an alias. */
START_TEST(charges_encodings) {
    enum { LENGTH = 20000 };
    for (int types = 10; types <= 1000; types *= 100) {
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL;
        weft_buf text;
        weft_buf_init(&text, &cx->alloc);
        weft_buf_printf(&text, "#a = \"%0*d\"\nfunc.func private @f(", LENGTH, 0);
        for (int i = 0; i < types; i++) weft_buf_printf(&text, "%stensor<%dxf32, #a>", i ? ", " : "", i);
        weft_buf_puts(&text, ")\n");
        const weft_status st = weft_read_text(cx, (weft_str){ text.p, text.n }, "encodings.mlir", 0, &m);
        if (types == 10) ck_assert_int_eq(st, WEFT_OK);
        else ck_assert_str_eq(weft_context_diag(cx, 0)->message, "aliases that spell out too much");
        weft_buf_free(&text);
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

/* One encoding that two levels of aliases make 800 MB of: it is refused before it is printed. */
START_TEST(stops_before_a_long_encoding) {
    enum { LENGTH = 20000, EACH = 200 };
    weft_test_alloc counted;
    weft_test_alloc_init(&counted, -1);
    weft_context *cx = weft_context_new(&counted.alloc);
    weft_module *m = NULL;
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    weft_buf_printf(&text, "#a = \"%0*d\"\n", LENGTH, 0);
    for (int level = 0; level < 2; level++) {
        weft_buf_printf(&text, "#%c = [", 'b' + level);
        for (int i = 0; i < EACH; i++) weft_buf_printf(&text, "%s#%c", i ? ", " : "", 'a' + level);
        weft_buf_puts(&text, "]\n");
    }
    weft_buf_puts(&text, "func.func private @f(tensor<2xf32, #c>)\n");
    ck_assert_int_ne(weft_read_text(cx, (weft_str){ text.p, text.n }, "encoding.mlir", 0, &m), WEFT_OK);
    ck_assert_str_eq(weft_context_diag(cx, 0)->message, "aliases that spell out too much");
    ck_assert_uint_lt(counted.most_bytes, 64u << 20);
    weft_buf_free(&text);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* Plain attributes count against what aliases may spell out, but are never refused themselves. Where they come last
 * before the end of the budget, an alias after them is refused all the same: of `uses` about as many as fit, tried one
 * after another, each that spells out more than RD_FREE_NODES + RD_NODES_PER_BYTE * n is. */
START_TEST(a_spent_budget_stays_spent) {
    enum { SMALL = 1000, TAIL = 3000, LARGE = 1000 * SMALL };
    weft_buf head, tail, text;
    weft_context *cx = weft_context_new(NULL);
    weft_buf_init(&head, &cx->alloc), weft_buf_init(&tail, &cx->alloc), weft_buf_init(&text, &cx->alloc);
    weft_buf_puts(&head, "#s = [0");
    for (int i = 1; i < SMALL; i++) weft_buf_puts(&head, ",0");
    weft_buf_puts(&head, "]\n#l = [#s");
    for (int i = 1; i < LARGE / SMALL; i++) weft_buf_puts(&head, ",#s");
    weft_buf_puts(&head, "]\nmodule attributes {a.a = [");
    for (int i = 0; i < TAIL; i++) weft_buf_puts(&tail, "0,");
    weft_buf_puts(&tail, "#l]} {\n}\n");
    const size_t plain = head.n + tail.n, free_nodes = (size_t)1 << 22;
    const int first = (int)((free_nodes + 16 * plain) / (SMALL + 10)) - 1000, last = first + 1200;
    int refused = 0;
    for (int uses = first; uses < last; uses++) {
        weft_context *one = weft_context_new(NULL);
        weft_module *m = NULL;
        text.n = 0;
        weft_buf_str(&text, (weft_str){ head.p, head.n });
        for (int i = 0; i < uses; i++) weft_buf_puts(&text, "#s,");
        weft_buf_str(&text, (weft_str){ tail.p, tail.n });
        const weft_status st = weft_read_text(one, (weft_str){ text.p, text.n }, "budget.mlir", 0, &m);
        const size_t least = (size_t)uses * SMALL + 2 * LARGE; /* nodes, those of the definition of #l, too */
        if (least > free_nodes + 16 * text.n) {
            ck_assert_msg(st != WEFT_OK, "%d uses, at least %zu nodes, are read", uses, least);
            ck_assert_str_eq(weft_context_diag(one, 0)->message, "aliases that spell out too much");
            refused++;
        }
        weft_module_free(m);
        weft_context_free(one);
    }
    ck_assert_int_gt(refused, 500);
    weft_buf_free(&head), weft_buf_free(&tail), weft_buf_free(&text);
    weft_context_free(cx);
}
END_TEST

/* What a resource holds is read, and printed where it stands. */
START_TEST(resources_are_elements) {
    static const char text[] = CONSTANT("dense_resource<r> : tensor<2x2xi16>")
        RESOURCES("q: \"0x01000000\", r: \"0x080000000100020003000400\"");
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_buf out;
    weft_buf_init(&out, &cx->alloc);
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "r.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_print_module(m, WEFT_PRINT_PRETTY, &out), WEFT_OK);
    ck_assert_ptr_nonnull(strstr(out.p, "dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>"));
    weft_buf_free(&out);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("mlir/limits");
    TCase *tc = tcase_create("limits");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, takes_linear_time, 0, (int)WEFT_COUNT(kinds));
    tcase_add_test(tc, takes_a_million_ops);
    tcase_add_loop_test(tc, takes_or_refuses, 0, (int)WEFT_COUNT(odd));
    tcase_add_test(tc, charges_locations);
    tcase_add_test(tc, charges_encodings);
    tcase_add_test(tc, stops_before_a_long_encoding);
    tcase_add_test(tc, a_spent_budget_stays_spent);
    tcase_add_test(tc, resources_are_elements);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
