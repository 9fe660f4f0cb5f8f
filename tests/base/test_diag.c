/* Locations and diagnostics. */
#include "base/context.h"

#include "tests/support/suite.h"

static const struct {
    weft_diag_class class;
    const char *name;
    weft_severity severity;
    weft_status status;
    const char *flag;
} classes[] = {
#define DIAG(name, severity, status, flag, about) { WEFT_D_##name, #name, WEFT_##severity, WEFT_ERR_##status, flag },
#include "base/diags.def"
};

START_TEST(each_class_reports_itself) {
    weft_context *cx = weft_context_new(NULL);
    weft_name file = weft_name_from(cx, "a.mlir");
    bool warning = classes[_i].severity == WEFT_WARNING;
    weft_status st = weft_report(cx, classes[_i].class, weft_loc_file(cx, file, 3, 7), "%s %d", classes[_i].name, 42);
    ck_assert_int_eq(st, warning ? WEFT_OK : classes[_i].status);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_int_eq(d->severity, classes[_i].severity);
    ck_assert_str_eq(d->flag, classes[_i].flag);
    ck_assert_str_eq(d->file, "a.mlir");
    ck_assert_int_eq(d->line, 3);
    ck_assert_int_eq(d->column, 7);
    ck_assert_int_eq(strncmp(d->message, classes[_i].name, strlen(classes[_i].name)), 0);
    ck_assert_ptr_null(weft_context_diag(cx, 1));
    if (warning) {
        ck_assert_int_eq(weft_context_werror(cx, classes[_i].flag), WEFT_OK);
        ck_assert_int_eq(weft_report(cx, classes[_i].class, NULL, "again"), classes[_i].status);
        ck_assert_int_eq(weft_context_diag(cx, 1)->severity, WEFT_ERROR);
        ck_assert_ptr_null(weft_context_diag(cx, 1)->file);
    }
    weft_context_free(cx);
}
END_TEST

START_TEST(warnings_can_be_left_out) {
    weft_context *cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_context_silence(cx, "replicate"), WEFT_OK);
    ck_assert(!weft_warning_wanted(cx, WEFT_D_replicate) && weft_warning_wanted(cx, WEFT_D_fallback));
    ck_assert_int_eq(weft_report(cx, WEFT_D_replicate, NULL, "unheard"), WEFT_OK);
    weft_note(cx, NULL, "its note");
    weft_help(cx, NULL, "its help");
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    ck_assert_int_eq(weft_report(cx, WEFT_D_fallback, NULL, "heard"), WEFT_OK);
    weft_help(cx, NULL, "its help");
    ck_assert_uint_eq(weft_context_diag_count(cx), 2);
    ck_assert_int_eq(weft_context_diag(cx, 1)->severity, WEFT_HELP);
    ck_assert_int_eq(weft_context_werror(cx, "replicate"), WEFT_OK); /* an error is heard in any case */
    ck_assert(weft_warning_wanted(cx, WEFT_D_replicate));
    ck_assert_int_eq(weft_report(cx, WEFT_D_replicate, NULL, "an error"), WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 3);
    ck_assert(weft_warning_silence(cx, WEFT_D_replicate, false));
    ck_assert(!weft_warning_silence(cx, WEFT_D_replicate, false));
    ck_assert(!weft_warning_silence(cx, WEFT_D_cost, true));
    ck_assert_uint_eq(weft_warnings_silence(cx, WEFT_EVERY_WARNING), 1u << WEFT_D_cost);
    ck_assert_int_eq(weft_report(cx, WEFT_D_memory, NULL, "unheard"), WEFT_OK);
    ck_assert_int_eq(weft_report(cx, WEFT_D_usage, NULL, "an error"), WEFT_ERR_USAGE);
    ck_assert_uint_eq(weft_context_diag_count(cx), 4);
    ck_assert_uint_eq(weft_warnings_silence(cx, 1u << WEFT_D_cost), WEFT_EVERY_WARNING);
    ck_assert(!weft_warning_wanted(cx, WEFT_D_cost) && weft_warning_wanted(cx, WEFT_D_memory));
    weft_context_free(cx);
}
END_TEST

START_TEST(unknown_flags_are_refused) {
    weft_context *cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_context_silence(cx, "no-such-flag"), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_context_werror(cx, "no-such-flag"), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_context_werror(cx, ""), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_context_werror(cx, NULL), WEFT_ERR_USAGE);
    static const char *const lists[] = { "replicate,",      ",replicate",             "replicate,,cost",
                                         "replicate, cost", "replicate,no-such-flag", "replicatecost" };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        ck_assert_int_eq(weft_context_silence(cx, lists[i]), WEFT_ERR_USAGE);
        ck_assert_msg(weft_warning_wanted(cx, WEFT_D_replicate), "%s", lists[i]);
    }
    weft_context_free(cx);
}
END_TEST

START_TEST(several_flags_are_a_list) {
    weft_context *cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_context_silence(cx, "replicate,cost"), WEFT_OK);
    ck_assert(!weft_warning_wanted(cx, WEFT_D_replicate) && !weft_warning_wanted(cx, WEFT_D_cost));
    ck_assert(weft_warning_wanted(cx, WEFT_D_memory));
    ck_assert_int_eq(weft_context_werror(cx, "memory,cost,memory"), WEFT_OK);
    ck_assert_int_eq(weft_report(cx, WEFT_D_memory, NULL, "an error"), WEFT_ERR_INVALID);
    ck_assert_int_eq(weft_report(cx, WEFT_D_cost, NULL, "an error"), WEFT_ERR_INVALID);
    ck_assert_int_eq(weft_report(cx, WEFT_D_fallback, NULL, "a warning"), WEFT_OK);
    weft_context_free(cx);
}
END_TEST

static void collect(void *user, const weft_diag *d) {
    weft_buf_printf(user, "%d:%s;", (int)d->severity, d->message);
}

START_TEST(handlers_get_all_in_order) {
    weft_context *cx = weft_context_new(NULL);
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_context_set_handler(cx, collect, &b);
    ck_assert_int_eq(weft_report(cx, WEFT_D_verify, NULL, "first"), WEFT_ERR_INVALID);
    weft_note(cx, NULL, "note");
    ck_assert_int_eq(weft_report(cx, WEFT_D_replicate, NULL, "second"), WEFT_OK);
    ck_assert_str_eq(b.p, "2:first;0:note;1:second;");
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    weft_buf_free(&b);
    weft_context_free(cx);
}
END_TEST

START_TEST(places_are_found_inside) {
    weft_context *cx = weft_context_new(NULL);
    weft_name f = weft_name_from(cx, "f.py"), g = weft_name_from(cx, "g.py"), n = weft_name_from(cx, "jit(main)/dot");
    const weft_loc *at = weft_loc_file(cx, f, 1, 2), *other = weft_loc_file(cx, g, 3, 4),
                   *bare = weft_loc_named(cx, n, NULL);
    const weft_loc *parts[] = { bare, weft_loc_named(cx, n, weft_loc_call(cx, at, other)), other };
    const struct { const weft_loc *loc; const char *text; } of[] = {
        { at, "f.py:1:2" }, { bare, "jit(main)/dot" }, { weft_loc_named(cx, n, other), "g.py:3:4" },
        { weft_loc_call(cx, bare, other), "g.py:3:4" },
        { weft_loc_fused(cx, (const weft_loc *const[]){ &weft_loc_unknown, bare, parts[0] }, 3), "jit(main)/dot" },
        { weft_loc_call(cx, &weft_loc_unknown, bare), "jit(main)/dot" },
        { weft_loc_file(cx, weft_name_from(cx, ""), 0, 0), "unknown" },
        { weft_loc_fused(cx, (const weft_loc *const[]){ weft_loc_file(cx, weft_name_from(cx, ""), 0, 0), other }, 2),
          "g.py:3:4" },
        { weft_loc_fused(cx, parts, 3), "f.py:1:2" }, { weft_loc_fused(cx, parts, 0), "unknown" },
        { &weft_loc_unknown, "unknown" }, { NULL, "unknown" },
    };
    for (size_t i = 0; i < WEFT_COUNT(of); i++) {
        weft_buf b;
        weft_buf_init(&b, &cx->alloc);
        weft_loc_print(&b, of[i].loc);
        ck_assert_str_eq(b.p, of[i].text);
        weft_buf_free(&b);
    }
    weft_context_free(cx);
}
END_TEST

/* A location whose parts are shared has as many ways through it as there are paths. */
START_TEST(shared_parts_are_looked_at_once) {
    weft_context *cx = weft_context_new(NULL);
    weft_name n = weft_name_from(cx, "f.py");
    const weft_loc *none = weft_loc_named(cx, n, NULL), *placed = weft_loc_file(cx, n, 1, 2), *called = placed,
                   *scoped = weft_loc_scope(cx, n, none);
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    for (int i = 0; i < 100; i++) {
        const weft_loc *twice[] = { none, none }, *both[] = { placed, placed };
        none = weft_loc_fused(cx, twice, 2);
        placed = weft_loc_fused(cx, both, 2);
        scoped = weft_loc_call(cx, scoped, scoped);
        called = weft_loc_call(cx, called, called);
    }
    ck_assert_ptr_null(weft_loc_place(none));
    ck_assert_uint_eq(weft_loc_place(placed)->column, 2);
    ck_assert(weft_loc_scope_print(&b, scoped));
    ck_assert_uint_lt(b.n, 10000);
    ck_assert_int_eq(weft_report(cx, WEFT_D_verify, none, "nowhere"), WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_int_eq(weft_report(cx, WEFT_D_verify, placed, "here"), WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 2); /* one place, on however many ways */
    ck_assert_int_eq(weft_report(cx, WEFT_D_verify, called, "here"), WEFT_ERR_INVALID);
    ck_assert_str_eq(weft_context_diag(cx, weft_context_diag_count(cx) - 1)->message, "and from many more places");
    weft_buf_free(&b);
    weft_context_free(cx);
}
END_TEST

/* One note for each frame of a stack, the innermost first; what has no place has no note. */
START_TEST(stacks_are_told) {
    weft_context *cx = weft_context_new(NULL);
    weft_name file = weft_name_from(cx, "f.py");
    const weft_loc *at[15], *deep;
    for (uint32_t i = 0; i < 15; i++) at[i] = weft_loc_file(cx, file, i + 1, 1);
    const weft_loc *helper = weft_loc_named(cx, weft_name_from(cx, "helper"), at[1]),
                   *nowhere = weft_loc_named(cx, weft_name_from(cx, "jit(f)"), NULL);
    const weft_loc *fused[] = { nowhere, at[0], weft_loc_call(cx, at[3], at[4]) };
    const weft_loc *again[] = { at[0], at[3] };
    deep = at[0];
    for (uint32_t i = 1; i < 15; i++) deep = weft_loc_call(cx, deep, at[i]);
    const struct { const weft_loc *loc; const char *text;
    } of[] = {
        { at[0], "1:m 1;" },
        { weft_loc_call(cx, at[0], at[1]), "1:m 1;0:called from here 2;" },
        { weft_loc_named(cx, weft_name_from(cx, "jit(f)/add"),
                         weft_loc_call(cx, weft_loc_call(cx, at[0], helper), at[2])),
          "1:m 1;0:called from here, in \"helper\" 2;0:called from here 3;" },
        { weft_loc_call(cx, at[0], weft_loc_call(cx, helper, at[2])),
          "1:m 1;0:called from here, in \"helper\" 2;0:called from here 3;" },
        { weft_loc_call(cx, nowhere, at[1]), "1:m 2;" },
        { weft_loc_call(cx, at[1], nowhere), "1:m 2;" },
        { weft_loc_fused(cx, (const weft_loc *[]){ at[0], at[3], at[0], weft_loc_fused(cx, again, 2), at[2] }, 5),
          "1:m 1;0:the op was also made from one here 4;0:the op was also made from one here 3;" },
        { weft_loc_fused(cx, fused, 3), "1:m 1;0:the op was also made from one here 4;0:called from here 5;" },
        { deep,
          "1:m 1;0:called from here 2;0:called from here 3;0:called from here 4;0:called from here 5;0:called from "
          "here 6;0:called from here 7;"
          "0:called from here 8;0:called from here 9;0:called from here 10;0:called from here 11;0:called from here "
          "12;0:called from here 13;"
          "0:and from 2 more places 0;" },
    };
    for (size_t i = 0; i < WEFT_COUNT(of); i++) {
        weft_buf b;
        const size_t first = weft_context_diag_count(cx);
        weft_buf_init(&b, &cx->alloc);
        ck_assert_int_eq(weft_report(cx, WEFT_D_fallback, of[i].loc, "m"), WEFT_OK);
        for (size_t k = first; k < weft_context_diag_count(cx); k++)
            weft_buf_printf(&b, "%d:%s %u;", (int)weft_context_diag(cx, k)->severity, weft_context_diag(cx, k)->message,
                            (unsigned)weft_context_diag(cx, k)->line);
        ck_assert_str_eq(b.p, of[i].text);
        weft_buf_free(&b);
    }
    weft_context_free(cx);
}
END_TEST

START_TEST(statuses_have_names) {
    for (int st = WEFT_OK; st <= WEFT_ERR_INTERNAL; st++)
        for (int other = WEFT_OK; other < st; other++)
            ck_assert_str_ne(weft_status_name((weft_status)st), weft_status_name((weft_status)other));
    ck_assert_ptr_nonnull(weft_status_name((weft_status)99));
}
END_TEST

int main(void) {
    Suite *s = suite_create("base/diag");
    TCase *tc = tcase_create("diag");
    tcase_add_loop_test(tc, each_class_reports_itself, 0, WEFT_COUNT(classes));
    tcase_add_test(tc, warnings_can_be_left_out);
    tcase_add_test(tc, unknown_flags_are_refused);
    tcase_add_test(tc, several_flags_are_a_list);
    tcase_add_test(tc, handlers_get_all_in_order);
    tcase_add_test(tc, places_are_found_inside);
    tcase_add_test(tc, shared_parts_are_looked_at_once);
    tcase_add_test(tc, stacks_are_told);
    tcase_add_test(tc, statuses_have_names);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
