/* Gradients in a step's program: sums of few and many products, what is no gradient. */
#include "pipeline/dryrun/gradients.h"

#include "mlir/read.h"
#include "tests/support/suite.h"

static weft_context *cx;

static void set_up(void) { cx = weft_context_new(NULL); }
static void tear_down(void) { weft_context_free(cx); }

#define T "tensor<8x8xf32>"

/* A step whose gradient %g is the sum of n products, as those of n micro-batches; `last`: what becomes of it. */
static weft_module *step(unsigned n, const char *last) {
    weft_buf b;
    weft_module *m = NULL;
    weft_buf_init(&b, &cx->alloc);
    weft_buf_puts(&b, "func.func @main(%w: " T ", %m: " T ", %x: " T ") -> (" T ", " T ") {\n");
    for (unsigned i = 0; i < n; i++)
        weft_buf_printf(&b, "%%p%u = stablehlo.dot_general %%x, %%x, contracting_dims = [0] x [0] : (" T ", " T ") -> "
                        T "\n", i);
    for (unsigned i = 1; i < n; i++)
        weft_buf_printf(&b, "%%s%u = stablehlo.add %%%s%u, %%p%u : " T "\n", i, i > 1 ? "s" : "p", i - 1, i);
    weft_buf_printf(&b, "%%g = stablehlo.negate %%%s%u : " T "\n%s", n > 1 ? "s" : "p", n - 1, last);
    weft_buf_puts(&b, "%v = stablehlo.subtract %w, %d : " T "\nreturn %v, %d : " T ", " T "\n}\n");
    ck_assert(!b.failed);
    ck_assert_int_eq(weft_read_text(cx, (weft_str){ b.p, b.n }, "step.mlir", 0, &m), WEFT_OK);
    weft_buf_free(&b);
    return m;
}

/* Of %w, as an op; NULL: none. The arguments that are no parameters have none. */
static const weft_op *gradient_of(const weft_module *m, weft_arena *arena) {
    weft_role of[] = { WEFT_ROLE_PARAMETER, WEFT_ROLE_STATE, WEFT_ROLE_DATA };
    int64_t result[] = { 0, 1, -1 };
    const weft_roles roles = { .of = of, .result = result, .argument_count = 3, .result_count = 2 };
    const weft_value *const *found;
    ck_assert_int_eq(weft_gradients_find(m, &roles, arena, &found), WEFT_OK);
    ck_assert_ptr_null(found[1]);
    ck_assert_ptr_null(found[2]);
    return found[0] ? found[0]->def : NULL;
}

/* The first value that depends on all products: the last sum, or the only product. */
START_TEST(sums) {
    static const unsigned counts[] = { 1, 2, 63, 64, 65, 70, 128, 129, 500 };
    const unsigned n = counts[_i];
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    weft_module *m = step(n, "%d = stablehlo.add %m, %g : " T "\n");
    const weft_op *negate = weft_op_body(weft_module_main(m), 0)->last->prev->prev->prev;
    ck_assert_int_eq(negate->kind, WEFT_OP_negate);
    ck_assert_ptr_eq(gradient_of(m, &arena), negate->operands[0]->def);
    weft_module_free(m);
    weft_arena_free(&arena);
}
END_TEST

/* The products meet only where the state has come in: there is no gradient. */
START_TEST(apart) {
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    weft_module *m = step(70, "%q = stablehlo.dot_general %x, %w, contracting_dims = [0] x [0] : (" T ", " T ") -> " T "\n"
                              "%e = stablehlo.multiply %m, %g : " T "\n%d = stablehlo.add %e, %q : " T "\n");
    ck_assert_ptr_null(gradient_of(m, &arena));
    weft_module_free(m);
    weft_arena_free(&arena);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/gradients");
    TCase *tc = tcase_create("gradients");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, sums, 0, 9);
    tcase_add_test(tc, apart);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
