/* Interned names and text buffers. */
#include "base/context.h"

#include <stdio.h>
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

START_TEST(equal_texts_are_one_name) {
    weft_context *cx = weft_context_new(NULL);
    weft_name names[3000];
    char text[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "name %d", i);
        names[i] = weft_name_from(cx, text);
        ck_assert_ptr_nonnull(names[i]);
    }
    for (int i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "name %d and more", i);
        ck_assert_ptr_eq(weft_name_intern(cx, (weft_str){ text, strlen(text) - 9 }), names[i]);
        ck_assert_ptr_eq(weft_name_at(cx, names[i]->id), names[i]);
        if (i) ck_assert_uint_eq(names[i]->id, names[i - 1]->id + 1); /* dense, in order of arrival */
    }
    weft_name empty = weft_name_intern(cx, (weft_str){ NULL, 0 });
    ck_assert_uint_eq(empty->n, 0);
    ck_assert_ptr_eq(weft_name_from(cx, ""), empty);
    weft_name nul = weft_name_intern(cx, (weft_str){ "a\0b", 3 });
    ck_assert_ptr_ne(nul, weft_name_from(cx, "a"));
    ck_assert_uint_eq(nul->n, 3);
    weft_context_free(cx);
}
END_TEST

/* Ids do not depend on the context's history of other names' hashes: the same order gives the same ids. */
START_TEST(ids_repeat) {
    weft_context *a = weft_context_new(NULL), *b = weft_context_new(NULL);
    static const char *const words[] = { "zeta", "alpha", "", "mid", "alpha", "omega" };
    for (size_t i = 0; i < WEFT_COUNT(words); i++)
        ck_assert_uint_eq(weft_name_from(a, words[i])->id, weft_name_from(b, words[i])->id);
    weft_context_free(a);
    weft_context_free(b);
}
END_TEST

static weft_status intern_many(weft_context *cx, void *user) {
    (void)user;
    char text[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(text, sizeof text, "%d", i);
        if (!weft_name_from(cx, text)) return WEFT_ERR_MEMORY;
    }
    return WEFT_OK;
}

START_TEST(interning_survives_failing_memory) { weft_test_each_failure(intern_many, NULL); }
END_TEST

static const struct { int64_t v; const char *text; } numbers[] = {
    { 0, "0" }, { 7, "7" }, { -1, "-1" }, { 1234567890123456789, "1234567890123456789" }, { INT64_MAX, "9223372036854775807" }, { INT64_MIN, "-9223372036854775808" },
};

START_TEST(buffers_take_numbers) {
    weft_context *cx = weft_context_new(NULL);
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_buf_i64(&b, numbers[_i].v);
    ck_assert_str_eq(b.p, numbers[_i].text);
    weft_buf_free(&b);
    weft_context_free(cx);
}
END_TEST

START_TEST(buffers_grow) {
    weft_test_alloc t;
    weft_buf b;
    weft_test_alloc_init(&t, -1);
    weft_buf_init(&b, &t.alloc);
    for (int i = 0; i < 10000; i++) weft_buf_printf(&b, "%d,", i % 10);
    weft_buf_str(&b, WEFT_STR("end"));
    ck_assert_uint_eq(b.n, 20003);
    ck_assert_str_eq(b.p + 19998, "9,end");
    ck_assert(!b.failed);
    weft_buf_free(&b);
    ck_assert_int_eq(t.live_blocks, 0);
}
END_TEST

START_TEST(a_failed_buffer_stays_as_it_is) {
    weft_test_alloc t;
    weft_buf b;
    weft_test_alloc_init(&t, 1);
    weft_buf_init(&b, &t.alloc);
    weft_buf_puts(&b, "kept");
    for (int i = 0; i < 1000; i++) weft_buf_puts(&b, "0123456789");
    ck_assert(b.failed);
    ck_assert_int_eq(strncmp(b.p, "kept0123456789", 14), 0);
    ck_assert_uint_eq(strlen(b.p), b.n);
    weft_buf_free(&b);
    ck_assert_int_eq(t.live_blocks, 0);
}
END_TEST

static const struct { const char *text; size_t at, length; uint32_t number; } placeholders[] = {
    { "{0}", 0, 3, 0 },      { "a {12} b", 2, 4, 12 }, { "a {12} b", 0, 0, 0 }, { "{}", 0, 0, 0 },   { "{1", 0, 0, 0 },
    { "{-1}", 0, 0, 0 },     { "{1 }", 0, 0, 0 },      { "{{1}}", 1, 3, 1 },    { "{{1}}", 0, 0, 0 }, { "{99999999999999999999}", 0, 0, 0 },
    { "{1}", 3, 0, 0 },
};

START_TEST(placeholders_are_found) {
    uint32_t number = 0;
    const weft_str s = { placeholders[_i].text, strlen(placeholders[_i].text) };
    ck_assert_uint_eq(weft_str_placeholder(s, placeholders[_i].at, &number), placeholders[_i].length);
    ck_assert_uint_eq(number, placeholders[_i].number);
}
END_TEST

/* Names that are cut, or are no UTF-8, stand in JSON and SVG. */
START_TEST(utf8_is_copied_in_whole_characters) {
    char to[8];
    ck_assert_uint_eq(weft_utf8_copy(to, sizeof to, weft_str_from("aääää")), 7);
    ck_assert_str_eq(to, "aäää");
    ck_assert_uint_eq(weft_utf8_copy(to, 7, weft_str_from("aääää")), 5);
    ck_assert_str_eq(to, "aää");
    weft_utf8_copy(to, sizeof to, (weft_str){ "x\xe4y\xc3", 4 });
    ck_assert_str_eq(to, "x?y?");
    weft_utf8_copy(to, sizeof to, (weft_str){ "\xc3\xa4", 1 }); /* the rest is not of the text */
    ck_assert_str_eq(to, "?");
}
END_TEST

static const struct { const char *text; int value; } counts[] = { /* -1: none */
    { "0", 0 }, { "5", 5 }, { "007", 7 }, { "100", 100 }, { "101", -1 }, { "99999999999999999999", -1 }, { "", -1 }, { " 5", -1 }, { "+5", -1 },
    { "-0", -1 }, { "5 ", -1 }, { "5x", -1 }, { "0x5", -1 }, { NULL, -1 },
};

START_TEST(counts_are_digits) {
    int value = -1;
    ck_assert_int_eq(weft_count_read(counts[_i].text, 100, &value), counts[_i].value >= 0);
    ck_assert_int_eq(value, counts[_i].value);
}
END_TEST

int main(void) {
    Suite *s = suite_create("base/str");
    TCase *tc = tcase_create("str");
    tcase_add_test(tc, equal_texts_are_one_name);
    tcase_add_test(tc, ids_repeat);
    tcase_add_test(tc, interning_survives_failing_memory);
    tcase_add_loop_test(tc, buffers_take_numbers, 0, WEFT_COUNT(numbers));
    tcase_add_test(tc, buffers_grow);
    tcase_add_test(tc, a_failed_buffer_stays_as_it_is);
    tcase_add_loop_test(tc, placeholders_are_found, 0, WEFT_COUNT(placeholders));
    tcase_add_test(tc, utf8_is_copied_in_whole_characters);
    tcase_add_loop_test(tc, counts_are_digits, 0, WEFT_COUNT(counts));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
