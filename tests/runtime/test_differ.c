/* The first difference of two programs, by their texts: locations are ignored, and the op's own location is named. */
#include "base/context.h"
#include "runtime/differ.h"
#include "tests/support/suite.h"

/* The first lines that differ, with their places; all NULL where the programs are alike. */
static const struct { const char *name, *a, *b, *line_a, *place_a, *line_b, *place_b;
} cases[] = {
    { "equal", "x = add\n  return x\n", "x = add\n  return x\n", NULL, NULL, NULL, NULL },
    { "both empty", "", "", NULL, NULL, NULL, NULL },
    { "other places", "x = add loc(\"a.c\":1:0)\n", "x = add loc(\"b.c\":7:2)\n", NULL, NULL, NULL, NULL },
    { "other indents", "  x = add\n", "x = add\n", NULL, NULL, NULL, NULL },
    { "another op", "x = add loc(\"a.c\":1:0)\n", "x = mul loc(\"a.c\":2:0)\n", "x = add", "\"a.c\":1:0", "x = mul",
      "\"a.c\":2:0" },
    { "the first of two", "one\ntwo\nthree\n", "one\ndue\ntre\n", "two", "", "due", "" },
    { "one is longer", "one\n", "one\ntwo loc(\"b.c\":9:0)\n", "", "", "two", "\"b.c\":9:0" },
    { "one is empty", "one", "", "one", "", "", "" },
    { "no newline at the end", "one\ntwo", "one\ntwo\n", NULL, NULL, NULL, NULL },
    { "arguments have places too", "f(%a: t loc(\"a.c\":1:0), %b: t loc(\"a.c\":2:0)) loc(\"a.c\":3:0)\n",
      "f(%a: t loc(\"z\"), %b: u loc(\"z\")) loc(\"b.c\":4:0)\n", "f(%a: t, %b: t)", "\"a.c\":3:0", "f(%a: t, %b: u)",
      "\"b.c\":4:0" },
    { "brackets in brackets", "x loc(callsite(\"f\"(\"a.c\":1:0) at \"g\"(\"a.c\":2:0)))\n", "y\n", "x",
      "callsite(\"f\"(\"a.c\":1:0) at \"g\"(\"a.c\":2:0))", "y", "" },
    { "brackets in names", "x loc(\"odd)(\\\" name\")\n", "y\n", "x", "\"odd)(\\\" name\"", "y", "" },
    { "in quotes it is text", "call {c = \" loc(1)\"}\n", "call {c = \" loc(2)\"}\n", "call {c = \" loc(1)\"}", "",
      "call {c = \" loc(2)\"}", "" },
    { "quotes in quotes", "c = \"\\\" loc(1)\" loc(\"a.c\":1:0)\n", "c = \"\\\" loc(2)\"\n", "c = \"\\\" loc(1)\"",
      "\"a.c\":1:0", "c = \"\\\" loc(2)\"", "" },
    { "a place without an end", "x loc(\"a.c\":1:0\n", "y loc(\n", "x", "\"a.c\":1:0", "y loc(", "" },
    { "a prefix", "x = add\n", "x = add_more\n", "x = add", "", "x = add_more", "" },
};

static weft_str text_of(const weft_buf *b) { return (weft_str){ b->n ? b->p : "", b->n }; }

START_TEST(test_lines) {
    weft_context *cx = weft_context_new(NULL);
    weft_program_line a, b;
    const bool differ =
        weft_programs_differ(&cx->alloc, weft_str_from(cases[_i].a), weft_str_from(cases[_i].b), &a, &b);
    ck_assert_msg(differ == (cases[_i].line_a != NULL), "%s", cases[_i].name);
    if (differ) {
        ck_assert_msg(weft_str_is(text_of(&a.text), cases[_i].line_a), "%s: '%.*s'", cases[_i].name, (int)a.text.n,
                      a.text.p);
        ck_assert_msg(weft_str_is(text_of(&a.place), cases[_i].place_a), "%s: '%.*s'", cases[_i].name, (int)a.place.n,
                      a.place.p);
        ck_assert_msg(weft_str_is(text_of(&b.text), cases[_i].line_b), "%s: '%.*s'", cases[_i].name, (int)b.text.n,
                      b.text.p);
        ck_assert_msg(weft_str_is(text_of(&b.place), cases[_i].place_b), "%s: '%.*s'", cases[_i].name, (int)b.place.n,
                      b.place.p);
    }
    weft_program_line_end(&a);
    weft_program_line_end(&b);
    weft_context_free(cx);
}
END_TEST

/* The same with the sides changed: the answer changes sides. */
START_TEST(test_sides) {
    weft_context *cx = weft_context_new(NULL);
    weft_program_line a, b, c, d;
    const weft_str x = weft_str_from(cases[_i].a), y = weft_str_from(cases[_i].b);
    ck_assert_int_eq(weft_programs_differ(&cx->alloc, x, y, &a, &b), weft_programs_differ(&cx->alloc, y, x, &c, &d));
    ck_assert(weft_str_equal(text_of(&a.text), text_of(&d.text)) && weft_str_equal(text_of(&b.text), text_of(&c.text)));
    weft_program_line *all[] = { &a, &b, &c, &d };
    for (size_t i = 0; i < WEFT_COUNT(all); i++) weft_program_line_end(all[i]);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/differ");
    TCase *tc = tcase_create("lines");
    tcase_add_loop_test(tc, test_lines, 0, WEFT_COUNT(cases));
    tcase_add_loop_test(tc, test_sides, 0, WEFT_COUNT(cases));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
