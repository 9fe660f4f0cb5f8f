/* Sizes as options, variables and rules have them. */
#include "base/quantity.h"

#include "tests/support/suite.h"

/* rest: what stands after the size; NULL: there is none. */
static const struct { const char *text; int64_t bytes; const char *rest; } sizes[] = {
    { "0", 0, "" },
    { "4096", 4096, "" },
    { "7B", 7, "" },
    { "64K", 65536, "" },
    { "3M", 3 << 20, "" },
    { "2G", (int64_t)2 << 30, "" },
    { "1T", (int64_t)1 << 40, "" },
    { "64KiB", 65536, "" },
    { "1.5GiB", (int64_t)3 << 29, "" },
    { "0.5", 0, "" },
    { "80GB", 80000000000, "" },
    { "2kB", 2000, "" },
    { "1K-64K", 1024, "-64K" },
    { "1K:32M:8", 1024, ":32M:8" },
    { "12.", 12, "." },
    { "5KB", 5120, "B" }, /* neither 1000 nor 1024 for sure: a caller that wants no more refuses it */
    { "5Ki", 5120, "i" },
    { "5 K", 5, " K" },
    { "9007199254740991", 9007199254740991, "" },
    { "9007199254740992", 0, NULL },
    { "99999999999999999999999", 0, NULL },
    { "8192T", 0, NULL },
    { "", 0, NULL },
    { "K", 0, NULL },
    { "-1", 0, NULL },
    { "+1", 0, NULL },
    { ".5K", 0, NULL },
    { "much", 0, NULL },
};

START_TEST(size) {
    weft_str s = weft_str_from(sizes[_i].text);
    int64_t bytes = -7;
    const bool found = weft_size_take(&s, &bytes);
    ck_assert_msg(found == (sizes[_i].rest != NULL), "'%s'", sizes[_i].text);
    ck_assert_int_eq(bytes, found ? sizes[_i].bytes : -7);
    ck_assert_msg(weft_str_is(s, found ? sizes[_i].rest : sizes[_i].text), "'%s'", sizes[_i].text);
}
END_TEST

/* The unit decides what a number of a machine's text is. */
static const struct { const char *text; weft_quantity q; double v; } quantities[] = {
    { "450GB/s", WEFT_RATE, 450e9 }, { "400Gbit/s", WEFT_RATE, 50e9 }, { "2us", WEFT_TIME, 2e-6 },
    { "989Tflop/s", WEFT_FLOPS, 989e12 }, { "96GiB", WEFT_SIZE, 0x1.8p36 }, { "1.5", WEFT_NUMBER, 1.5 },
    { "64K", WEFT_QUANTITIES, 0 }, { "1.5.", WEFT_QUANTITIES, 0 }, { "GB", WEFT_QUANTITIES, 0 },
    { "2 us", WEFT_QUANTITIES, 0 },
};

START_TEST(quantity) {
    double v = 0;
    ck_assert_int_eq(weft_quantity_read(weft_str_from(quantities[_i].text), &v), quantities[_i].q);
    ck_assert_double_le(v, quantities[_i].v * (1 + 1e-12));
    ck_assert_double_ge(v, quantities[_i].v * (1 - 1e-12));
}
END_TEST

int main(void) {
    Suite *s = suite_create("base/quantity");
    TCase *tc = tcase_create("quantity");
    tcase_add_loop_test(tc, size, 0, WEFT_COUNT(sizes));
    tcase_add_loop_test(tc, quantity, 0, WEFT_COUNT(quantities));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
