/* Custom calls of functions of the process: what the kernel "ffi" gets of a call, in whatever words the text says it;
 * and what is refused. */
#include "base/context.h"
#include "codegen/compile.h"
#include "exec/kernels/ffi.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

static bool has(void *user, weft_str target, weft_buf *why) {
    if (weft_str_is(target, user)) return true;
    weft_buf_puts(why, "there is another way");
    return false;
}

static weft_status compile(weft_context *cx, const char *text, weft_executable **x) {
    const weft_foreign foreign = { has, "mine" };
    const weft_compile_options opt = { .device_count = 1, .foreign = &foreign };
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-flatten"), WEFT_PIPELINE_VERIFY_EACH, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, &opt, x);
    weft_module_free(m);
    return st;
}

static void put_text(weft_buf *b, weft_str s) {
    for (size_t i = 0; i < s.n; i++)
        weft_buf_printf(b, s.p[i] >= ' ' && s.p[i] <= '~' ? "%c" : "\\%02x", (unsigned char)s.p[i]);
}

static void put_dictionary(weft_buf *b, weft_ffi_reader *r) {
    weft_buf_puts(b, "{");
    for (int64_t n = weft_ffi_read_number(r); n > 0 && !r->bad; n--) {
        put_text(b, weft_ffi_read_text(r));
        const int64_t kind = weft_ffi_read_number(r);
        weft_buf_puts(b, kind == WEFT_FFI_ARRAY ? "[]" : "");
        weft_buf_puts(b, "=");
        if (kind == WEFT_FFI_DICTIONARY) {
            put_dictionary(b, r);
        } else {
            if (kind != WEFT_FFI_TEXT)
                weft_buf_printf(b, "%s ", weft_dtype_of((weft_dtype)weft_ffi_read_number(r))->name);
            if (kind != WEFT_FFI_TEXT) weft_buf_printf(b, "%d ", (int)weft_ffi_read_number(r));
            put_text(b, weft_ffi_read_text(r));
        }
        weft_buf_puts(b, n > 1 ? " " : "");
    }
    weft_buf_puts(b, "}");
}

/* The state of the first call, as text. */
static void describe(const weft_executable *x, weft_buf *b) {
    const weft_code *code = NULL;
    for (uint32_t i = 0; i < x->step_count && !code; i++) {
        if (!x->steps[i].code.kernel || strcmp(x->steps[i].code.kernel, "ffi")) continue;
        code = &x->steps[i].code;
        ck_assert_str_eq(x->steps[i].label, "mine"); /* the graph of code generation is gone */
    }
    ck_assert_ptr_nonnull(code);
    ck_assert(weft_ffi_is_whole(code->state, code->state_bytes));
    weft_ffi_reader r = weft_ffi_read(code->state);
    put_text(b, weft_ffi_read_text(&r));
    const int64_t in = weft_ffi_read_number(&r), out = weft_ffi_read_number(&r);
    for (int64_t i = 0; i < in + out; i++) {
        const int64_t t = weft_ffi_read_number(&r);
        weft_buf_printf(b, "%s(%s", i == in ? " ->" : " ", t ? weft_dtype_of((weft_dtype)t)->name : "token");
        for (int64_t d = weft_ffi_read_number(&r); d > 0; d--) weft_buf_printf(b, " %d", (int)weft_ffi_read_number(&r));
        if (i >= in) weft_buf_printf(b, " of %d", (int)weft_ffi_read_number(&r));
        weft_buf_puts(b, ")");
    }
    weft_buf_puts(b, " ");
    put_dictionary(b, &r);
    ck_assert(!r.bad && r.at == r.end);
}

#define ONE(attrs) \
    "func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n" \
    " %r = stablehlo.custom_call @mine(%a) {" attrs "} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n" \
    " return %r : tensor<2x3xf32>\n}\n"
#define F32_ONE "mine (f32 2 3) ->(f32 2 3 of -1) "

static const struct { const char *text, *want; } states[] = {
    { ONE("mhlo.backend_config = {}"), F32_ONE "{}" },
    { ONE("api_version = 4 : i32"), F32_ONE "{}" },
    { ONE("api_version = 4 : i32, backend_config = {a = 1 : i64}"), F32_ONE "{a=i64 1 \\01\\00\\00\\00\\00\\00\\00\\00}" },
    { ONE("mhlo.backend_config = {z = true, t = \"words\", b = 200 : ui8, n = -2 : i16}"),
      F32_ONE "{b=ui8 1 \\c8 n=i16 1 \\fe\\ff t=words z=i1 1 \\01}" },
    { ONE("mhlo.backend_config = {d = 1.0 : f64, f = 1.0 : f32, h = 1.0 : f16, w = 1.0 : bf16}"),
      F32_ONE "{d=f64 1 \\00\\00\\00\\00\\00\\00\\f0? f=f32 1 \\00\\00\\80? h=f16 1 \\00< w=bf16 1 \\80?}" },
    { ONE("mhlo.backend_config = {a = dense<[1, 2]> : tensor<2xi8>, e = dense<> : tensor<0xi32>, l = array<i16: 5, 6>, s = dense<7> : tensor<3xi8>}"),
      F32_ONE "{a[]=i8 2 \\01\\02 e[]=i32 0  l[]=i16 2 \\05\\00\\06\\00 s[]=i8 3 \\07\\07\\07}" },
    { ONE("mhlo.backend_config = {in = {x = {}, w = \"\"}, out = \"y\"}"), F32_ONE "{in={w= x={}} out=y}" },
    { ONE("mhlo.backend_config = {}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"),
      "mine (f32 2 3) ->(f32 2 3 of 0) {}" },
    { "func.func @main(%a: tensor<i32>) -> tensor<i32> {\n"
      " %t = stablehlo.create_token : !stablehlo.token\n"
      " %r:2 = stablehlo.custom_call @mine(%t, %a) {mhlo.backend_config = {}} : (!stablehlo.token, tensor<i32>) -> (!stablehlo.token, tensor<i32>)\n"
      " return %r#1 : tensor<i32>\n}\n",
      "mine (token) (i32) ->(token of -1) (i32 of -1) {}" },
};

START_TEST(test_state) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    weft_buf got;
    const weft_status st = compile(cx, states[_i].text, &x);
    ck_assert_msg(st == WEFT_OK, "%s\n%s", states[_i].text,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    weft_buf_init(&got, &cx->alloc);
    describe(x, &got);
    ck_assert_str_eq(got.p, states[_i].want);
    weft_buf_free(&got);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

static const struct { const char *text, *message, *note; } refused[] = {
    { "func.func @main() {\n stablehlo.custom_call @other() {mhlo.backend_config = {}} : () -> ()\n return\n}\n",
      "no code for custom call target 'other'", "there is another way" },
    { ONE("api_version = 2 : i32"), "no code for custom call target 'mine'",
      "the process has a function of this name, but the call is of an older interface: only calls of api_version 4 are made" },
    { ONE("mhlo.backend_config = {a = [1, 2]}"),
      "attribute 'a' of 'mine' is no scalar, array, text or dictionary: functions take no others", NULL },
    { ONE("mhlo.backend_config = {d = {a = f32}}"),
      "attribute 'a' of 'mine' is no scalar, array, text or dictionary: functions take no others", NULL },
};

START_TEST(test_refused) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    ck_assert_int_eq(compile(cx, refused[_i].text, &x), WEFT_ERR_UNSUPPORTED);
    ck_assert_str_eq(weft_context_diag(cx, 0)->message, refused[_i].message);
    ck_assert_uint_eq(weft_context_diag_count(cx), refused[_i].note ? 2 : 1);
    if (refused[_i].note) ck_assert_str_eq(weft_context_diag(cx, 1)->message, refused[_i].note);
    weft_context_free(cx);
}
END_TEST

/* A process that has not the function: one sentence, when the call is reached. */
START_TEST(test_elsewhere) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    weft_failure why;
    float *a = walk_buffer(24), *r = walk_buffer(24);
    ck_assert_int_eq(compile(cx, ONE("mhlo.backend_config = {}"), &x), WEFT_OK);
    ck_assert_int_eq(walk_run_why(x, (void *[]){ a }, (void *[]){ r }, &why, NULL), WEFT_ERR_UNSUPPORTED);
    ck_assert_str_eq(why.text, "the program calls 'mine', a function of the process that wrote it: only such a process can run it");
    weft_executable_free(x);
    weft_context_free(cx);
    free(a), free(r);
}
END_TEST

/* Words of a file may say anything. */
START_TEST(test_damaged) {
    const int64_t whole[] = { 4, 3, 0x636261, 7 };
    for (size_t bytes = 0; bytes < sizeof whole; bytes++) ck_assert(!weft_ffi_is_whole(whole, bytes));
    ck_assert(weft_ffi_is_whole(whole, sizeof whole));
    weft_ffi_reader r = weft_ffi_read(whole);
    ck_assert(weft_str_is(weft_ffi_read_text(&r), "abc"));
    ck_assert_int_eq(weft_ffi_read_number(&r), 7);
    ck_assert(!r.bad);
    ck_assert_int_eq(weft_ffi_read_number(&r), 0);
    ck_assert(r.bad);
    static const int64_t lengths[] = { -1, 17, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < WEFT_COUNT(lengths); i++) {
        const int64_t wrong[] = { 4, lengths[i], 0, 0 };
        r = weft_ffi_read(wrong);
        ck_assert_uint_eq(weft_ffi_read_text(&r).n, 0);
        ck_assert(r.bad);
    }
    const int64_t none[] = { 0 };
    r = weft_ffi_read(none);
    ck_assert_int_eq(weft_ffi_read_number(&r), 0);
    ck_assert(r.bad);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/foreign");
    TCase *tc = tcase_create("foreign");
    tcase_add_loop_test(tc, test_state, 0, WEFT_COUNT(states));
    tcase_add_loop_test(tc, test_refused, 0, WEFT_COUNT(refused));
    tcase_add_test(tc, test_elsewhere);
    tcase_add_test(tc, test_damaged);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
