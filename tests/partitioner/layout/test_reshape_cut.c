/* Shardings across reshapes, and the groups into which the dimensions of a reshape fall. */
#include <stdio.h>
#include "mlir/read.h"
#include "partitioner/layout/reshape_cut.h"
#include "tests/support/suite.h"

static weft_context *cx;
static weft_module *m;
static weft_arena arena;
static weft_shardings *t;

static void set_up(void) {
    static const char text[] = "module { sdy.mesh @mesh = <[\"x\"=4, \"y\"=2, \"z\"=6]> }";
    cx = weft_context_new(NULL);
    weft_arena_init(&arena, &cx->alloc);
    ck_assert_int_eq(weft_read_text(cx, WEFT_STR(text), "mesh", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_shardings_open(cx, m, &arena, &t), WEFT_OK);
}

static void tear_down(void) {
    weft_arena_free(&arena);
    weft_module_free(m);
    weft_context_free(cx);
}

static const weft_sharding *sharding(const char *dims) {
    char text[256];
    const weft_attr *a;
    const weft_sharding *s = NULL;
    snprintf(text, sizeof text, "#sdy.sharding<@mesh, [%s]>", dims);
    ck_assert_int_eq(weft_read_attr(cx, weft_str_from(text), &a), WEFT_OK);
    ck_assert_int_eq(weft_sharding_from_attr(t, a, NULL, &s), WEFT_OK);
    return s;
}

/* "8x2" */
static const weft_type *type(const char *text) {
    int64_t dims[8];
    uint32_t rank = 0;
    for (int at = 0, n; *text && sscanf(text, "%d%n", &at, &n) == 1; text += text[n] ? n + 1 : n) dims[rank++] = at;
    return weft_type_tensor(cx, WEFT_I32, rank, dims);
}

static const struct { const char *a, *ta, *b, *tb; bool exactly, padded; } cuts[] = {
    { "{\"x\"}", "8", "{\"x\":(1)2}, {\"x\":(2)2}", "2x4", true, true },
    { "{\"x\"}", "8", "{\"x\"}, {}", "4x2", true, true },
    { "{\"x\"}", "6", "{\"x\":(1)2}, {\"x\":(2)2}", "2x3", false, true },
    { "{\"z\"}", "14", "{\"z\":(1)2}, {\"z\":(2)3}", "2x7", false, true },
    { "{\"x\"}, {}", "6x2", "{\"x\"}, {}, {}", "3x2x2", true, true },       /* parts 2x2 2x2 2x2 0x2 and 1x2x2 1x2x2 1x2x2 0x2x2 */
    { "{\"x\"}, {}", "6x2", "{\"x\"}, {}", "4x3", false, true },
    { "{\"x\", \"y\"}", "24", "{\"x\"}, {\"y\"}", "4x6", true, true },
    { "{\"x\", \"y\"}", "24", "{\"y\"}, {\"x\"}", "4x6", false, false },
    { "{\"x\"}", "8", "{\"x\":(2)2}, {\"x\":(1)2}", "2x4", false, false },
    { "{\"x\"}", "8", "{}, {\"x\"}", "2x4", false, false },
    { "{\"x\"}", "8", "{}", "8", false, false },
    { "{}, {\"x\"}", "1x6", "{\"x\"}", "6", true, true },
    { "{\"x\"}", "0", "{\"x\"}", "0", true, true },
};

START_TEST(cut_alike) {
    const weft_sharding *a = sharding(cuts[_i].a), *b = sharding(cuts[_i].b);
    const weft_type *ta = type(cuts[_i].ta), *tb = type(cuts[_i].tb);
    ck_assert_int_eq(weft_cut_alike(a, ta, b, tb, WEFT_CUT_EXACTLY), cuts[_i].exactly);
    ck_assert_int_eq(weft_cut_alike(b, tb, a, ta, WEFT_CUT_EXACTLY), cuts[_i].exactly);
    ck_assert_int_eq(weft_cut_alike(a, ta, b, tb, WEFT_CUT_UP_TO_PADDING), cuts[_i].padded);
    ck_assert_int_eq(weft_cut_alike(b, tb, a, ta, WEFT_CUT_UP_TO_PADDING), cuts[_i].padded);
}
END_TEST

static const struct { const char *in, *out, *groups; } reshapes[] = {
    { "6", "2x3", "0-1>0-2 splits;" },
    { "2x3", "6", "0-2>0-1;" },
    { "8x4", "2x4x4", "0-1>0-2 splits;1-2>2-3 keeps;" },
    { "6x2", "4x3", "0-2>0-2;" },
    { "1x6", "6", "0-2>0-1 keeps;" },
    { "6x1", "6", "0-1>0-1 keeps;1-2>1-1 keeps;" },
    { "6", "6x1x1", "0-1>0-1 keeps;1-1>1-2 keeps;1-1>2-3 keeps;" },
    { "2x3x5x7", "6x35", "0-2>0-1;2-4>1-2;" },
};

START_TEST(groups) {
    const weft_type *in = type(reshapes[_i].in), *out = type(reshapes[_i].out);
    weft_reshape_group g[16];
    uint32_t n = weft_reshape_groups(in, out, g);
    char text[256] = "";
    size_t at = 0;
    ck_assert_uint_le(n, in->rank + out->rank);
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%u-%u>%u-%u%s;", g[i].in, g[i].in_end, g[i].out,
                               g[i].out_end,
                               weft_reshape_group_keeps(&g[i])    ? " keeps"
                               : weft_reshape_group_splits(&g[i]) ? " splits"
                                                                  : "");
    ck_assert_str_eq(text, reshapes[_i].groups);
}
END_TEST

int main(void) {
    Suite *s = suite_create("partitioner/reshape_cut");
    TCase *tc = tcase_create("tables");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, cut_alike, 0, WEFT_COUNT(cuts));
    tcase_add_loop_test(tc, groups, 0, WEFT_COUNT(reshapes));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
