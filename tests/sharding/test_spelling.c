/* Shardings as users spell them: both forms give the attribute that sdy's text gives, and mistakes have their place. */
#include "sharding/spelling.h"

#include "mlir/print.h"
#include "tests/support/suite.h"

static weft_context *cx;
static const weft_attr *mesh, *ref;

static void set_up(void) {
    cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_mesh_spelled(cx, NULL, WEFT_STR("x = 4, y=2,layers=3"), &mesh), WEFT_OK);
    ref = weft_attr_symbol(cx, weft_name_from(cx, "mesh"));
}

static void tear_down(void) { weft_context_free(cx); }

/* want: the sharding, or what is said of the mistake. */
static const struct { const char *text, *want; uint32_t rank; } cases[] = {
    { "x, -", "#sdy.sharding<@mesh, [{\"x\"}, {}]>", 2 },
    { "[{\"x\"}, {}]", "#sdy.sharding<@mesh, [{\"x\"}, {}]>", 2 },
    { "[ { x } , {} ]", "#sdy.sharding<@mesh, [{\"x\"}, {}]>", 2 },
    { "x*y?, ? p2", "#sdy.sharding<@mesh, [{\"x\", \"y\", ?}, {?}p2]>", 2 },
    { "[{\"x\", \"y\", ?}, {?}p2]", "#sdy.sharding<@mesh, [{\"x\", \"y\", ?}, {?}p2]>", 2 },
    { "x:(1)2*y, x:(2)2", "#sdy.sharding<@mesh, [{\"x\":(1)2, \"y\"}, {\"x\":(2)2}]>", 2 },
    { "[{\"x\":(1)2, \"y\"}, {\"x\":(2)2}]", "#sdy.sharding<@mesh, [{\"x\":(1)2, \"y\"}, {\"x\":(2)2}]>", 2 },
    { "-; replicated x; unreduced y", "#sdy.sharding<@mesh, [{}], replicated={\"x\"}, unreduced={\"y\"}>", 1 },
    { "[{}], replicated={\"x\", \"layers\"}, unreduced={\"y\"}",
      "#sdy.sharding<@mesh, [{}], replicated={\"x\", \"layers\"}, unreduced={\"y\"}>", 1 },
    { "[]", "#sdy.sharding<@mesh, []>", 0 },
    { "", "#sdy.sharding<@mesh, []>", 0 },
    { "x", "\"x\" has 1 dimension, the tensor has 2", 2 },
    { "[{\"x\"}, {}, {}]", "has 3 dimensions, the tensor has 2", 2 },
    { "[{\"x\"}, {\"x\"}]", "axis 'x' is used twice", 2 },
    { "[{\"xx\"}, {}]", "the mesh has no axis 'xx'", 2 },
    { "layer, -", "the mesh has no axis 'layer'; did you mean 'layers'?", 2 },
    { "[{\"x}, {}]", "expected '\"' at column 5", 2 },
    { "[{\"x\" \"y\"}, {}]", "expected ',' or '}' at column 7", 2 },
    { "[{?, \"y\"}, {}]", "expected ',' or '}' at column 4", 2 },
    { "[\"x\", {}]", "expected '{' at column 2", 2 },
    { "[{\"x\"}, {}", "expected ',' or ']' at column 11", 2 },
    { "[{\"x\"}, {}] more", "expected ',' at column 13", 2 },
    { "[{}, {}], reduced={\"x\"}", "expected 'replicated={' or 'unreduced={' at column 18", 2 },
    { "[{}, {}], unreduced={\"x\"", "expected ',' or '}' at column 25", 2 },
    { "[{}p, {}]", "a priority is spelled 'p' and a number", 2 },
    { "[{\"x\":(0)2}, {}]", "a sub-axis is spelled 'axis:(pre)size'", 2 },
    { "x, - -", "expected ',' or ';' at column 6", 2 },
};

START_TEST(spelled) {
    const weft_attr *a = NULL;
    weft_buf b;
    const weft_status st =
        weft_sharding_spelled(cx, NULL, ref, &mesh->mesh, cases[_i].rank, weft_str_from(cases[_i].text), &a);
    weft_buf_init(&b, &cx->alloc);
    if (st == WEFT_OK) weft_print_attr(&b, a);
    else weft_buf_puts(&b, weft_context_diag(cx, 0)->message);
    ck_assert_msg(!b.failed && strstr(b.p, cases[_i].want), "%s: %s", cases[_i].text, b.p);
    ck_assert_int_eq(weft_context_diag_count(cx), st == WEFT_OK ? 0 : 1);
    weft_buf_free(&b);
}
END_TEST

/* In a file the place of the mistake, not that of the text. */
START_TEST(places) {
    const weft_attr *a = NULL;
    const weft_loc *loc = weft_loc_file(cx, weft_name_from(cx, "changes"), 7, 20);
    ck_assert_int_ne(weft_sharding_spelled(cx, loc, ref, &mesh->mesh, 2, WEFT_STR("[{\"x\"}, }"), &a), WEFT_OK);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_str_eq(d->file, "changes");
    ck_assert_int_eq(d->line, 7);
    ck_assert_int_eq(d->column, 28);
}
END_TEST

int main(void) {
    Suite *s = suite_create("sharding/spelling");
    TCase *tc = tcase_create("spellings");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, spelled, 0, WEFT_COUNT(cases));
    tcase_add_test(tc, places);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
