/* test_locations.c: every op of every stage has a place in the text that the user wrote (docs/architecture.md, the
 * invariants), so that a message about an op that a pass has made names a line.
 *
 * Random programs are printed and read again, which gives each op its place, and go through the whole path. After each
 * pass the ops without a place are counted. A failure names its case, seed and pass: WEFT_SEED=S WEFT_ONLY=CASE.
 */
#include <stdlib.h>
#include "mlir/print.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

static const struct {
    const char *name;
    int64_t devices;
    unsigned flags;
} cases[] = {
    { "one device", 1, WEFT_RANDOM_MIXED },
    { "mixed", 4, WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED },
    { "uneven", 6, WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED | WEFT_RANDOM_UNEVEN },
    { "windows", 8, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_MIXED },
    { "uneven windows", 6, WEFT_RANDOM_MESH | WEFT_RANDOM_WINDOWS | WEFT_RANDOM_UNEVEN },
};
enum { PROGRAMS = 40, OPS = 16 };

typedef struct trial { const char *name; uint64_t seed; const char *pass; } trial;

/* A symbol of a pass's own making has none: meshes, and the module. */
static weft_status look_at(void *user, weft_op *op) {
    const trial *t = user;
    const weft_loc *at = weft_loc_place(op->loc);
    ck_assert_msg(op->kind == WEFT_OP_sdy_mesh || op->kind == WEFT_OP_module || (at && at->line),
                  "WEFT_SEED=%llu WEFT_ONLY='%s': after %s a %s has no place", (unsigned long long)t->seed, t->name,
                  t->pass, weft_op_info_of((weft_op_kind)op->kind)->name);
    return WEFT_OK;
}

static void after(void *user, const char *pass, const weft_module *m) {
    trial *t = user;
    t->pass = pass;
    ck_assert_int_eq(weft_module_walk(m, look_at, t), WEFT_OK);
}

/* The random module as a user's text. */
static weft_module *written(weft_context *cx, int c, uint64_t seed) {
    const weft_random_options how = { .seed = seed, .flags = cases[c].flags, .ops = OPS,
                                      .devices = cases[c].devices, .max_elems = 256 };
    weft_module *m, *read;
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    ck_assert_int_eq(weft_random_module(cx, &how, &m), WEFT_OK);
    ck_assert_int_eq(weft_print_module(m, 0, &text), WEFT_OK);
    ck_assert_int_eq(weft_read_text(cx, (weft_str){ text.p, text.n }, "random.mlir", 0, &read), WEFT_OK);
    weft_buf_free(&text);
    weft_module_free(m);
    return read;
}

START_TEST(every_op_has_a_place) {
    const char *seed = getenv("WEFT_SEED");
    if (!weft_test_wanted(cases[_i].name)) return;
    for (int k = 0; k < (seed ? 1 : weft_test_sample(PROGRAMS)); k++) {
        trial t = { cases[_i].name, seed ? strtoull(seed, NULL, 10) : (uint64_t)k, "reading" };
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = written(cx, _i, t.seed);
        const weft_pipeline_observer watch = { .after = after, .user = &t };
        static const char *const path[] = { "weft-propagate", "weft-export", "weft-legalize" };
        for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
            if (cases[_i].devices == 1 && i == 1) continue;
            const weft_pipeline_call call = { .spec = weft_str_from(path[i]), .observer = &watch };
            ck_assert_int_eq(weft_pipeline_call_run(cx, &call, &m), WEFT_OK);
        }
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("locations");
    TCase *tc = tcase_create("locations");
    tcase_add_loop_test(tc, every_op_has_a_place, 0, sizeof cases / sizeof *cases);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
