/* What LLVM is told of a processor, from the features that it lists. */
#include "codegen/target.h"
#include "tests/support/suite.h"

static const struct { const char *list, *features, *needs; } lists[] = {
    { "", "", "" },
    { "+64bit,+sse2,+avx2", "+avx2", "+avx2" },
    { "+avx2,+no-such,-xop,+avx512f", "+avx2,-no-such,-xop,+avx512f", "+avx2,+avx512f" },
    /* AVX-512 of 512 bits: on as long as nothing takes it away */
    { "+evex512,+avx512f,+avx512vl", "+avx512f,+avx512vl", "+avx512f,+avx512vl" },
    { "+avx512f,-evex512", "+avx512f,-evex512", "+avx512f" },
    { "+avx512fp16,+avx512f", "-avx512fp16,+avx512f", "+avx512f" },
};

START_TEST(features) {
    weft_context *cx = weft_context_new(NULL);
    char *told = NULL, *needs = NULL;
    ck_assert_int_eq(cg_target_features(&cx->arena, lists[_i].list, false, &told, &needs), WEFT_OK);
    ck_assert_str_eq(told, lists[_i].features);
    ck_assert_str_eq(needs, lists[_i].needs);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/target");
    TCase *tc = tcase_create("target");
    tcase_add_loop_test(tc, features, 0, WEFT_COUNT(lists));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
