/* The cost of a propagation, counted in ops, tensors and readers visited (weft_worklist.steps): programs of twice the
 * size cost about twice as much, in whatever way they grow. */
#include <stdio.h>

#include "pipeline/pipeline.h"
#include "propagate/history.h"
#include "propagate/options.h"
#include "tests/support/suite.h"

#define MESH "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
#define T "tensor<8x8xf32>"

/* Each writes a module that grows with n. */

/* n arguments, each with a priority of its own, and n results. */
static void write_priorities(weft_buf *b, int n) {
    weft_buf_puts(b, MESH "func.func @main(");
    for (int i = 0; i < n; i++)
        weft_buf_printf(b, "%s%%a%d: " T " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\", ?}p%d, {?}]>}", i ? ", " : "",
                        i, i);
    weft_buf_puts(b, ") -> (");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%s" T, i ? ", " : "");
    weft_buf_puts(b, ") {\n");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%%b%d = stablehlo.add %%a%d, %%a%d : " T "\n", i, i, (i + 1) % n);
    weft_buf_puts(b, "return ");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%s%%b%d", i ? ", " : "", i);
    weft_buf_puts(b, " : ");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%s" T, i ? ", " : "");
    weft_buf_puts(b, "\n}\n");
}

/* A sum whose value has n readers: half of them have no readers. */
static void write_readers(weft_buf *b, int n) {
    weft_buf_puts(b, MESH "func.func @main(%a: " T " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}) -> " T
                          " {\n%v = stablehlo.add %a, %a : " T "\n");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%%d%d = stablehlo.negate %%v : " T "\n", i);
    weft_buf_puts(b, "%s0 = stablehlo.negate %v : " T "\n");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%%s%d = stablehlo.add %%s%d, %%v : " T "\n", i + 1, i);
    weft_buf_printf(b, "return %%s%d : " T "\n}\n", n);
}

/* n calls of one function, each of what the one before gave. */
static void write_calls(weft_buf *b, int n) {
    weft_buf_puts(b, MESH "func.func @main(%c0: " T " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}) -> " T
                          " {\n");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%%c%d = call @f(%%c%d) : (" T ") -> " T "\n", i + 1, i);
    weft_buf_printf(b, "return %%c%d : " T "\n}\n", n);
    weft_buf_puts(b, "func.func private @f(%a: " T ") -> " T " {\n%b = stablehlo.dot %a, %a : (" T ", " T ") -> " T
                     "\nreturn %b : " T "\n}\n");
}

/* n functions, each called twice. */
static void write_functions(weft_buf *b, int n) {
    weft_buf_puts(b, MESH "func.func @main(%c0: " T " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}) -> " T
                          " {\n");
    for (int i = 0; i < n; i++)
        weft_buf_printf(b, "%%d%d = call @f%d(%%c%d) : (" T ") -> " T "\n%%c%d = call @f%d(%%d%d) : (" T ") -> " T "\n",
                        i, i, i, i + 1, i, i);
    weft_buf_printf(b, "return %%c%d : " T "\n}\n", n);
    for (int i = 0; i < n; i++)
        weft_buf_printf(b,
                        "func.func private @f%d(%%a: " T ") -> " T " {\n%%b = stablehlo.negate %%a : " T
                        "\nreturn %%b : " T "\n}\n",
                        i);
}

/* n calls of one function, each of an argument with a priority of its own. */
static void write_callers(weft_buf *b, int n) {
    weft_buf_puts(b, MESH "func.func @main(");
    for (int i = 0; i < n; i++)
        weft_buf_printf(b, "%s%%a%d: " T " {sdy.sharding = #sdy.sharding<@mesh, [{\"%s\", ?}p%d, {?}]>}", i ? ", " : "",
                        i, i % 3 ? "x" : "y", n - i);
    weft_buf_puts(b, ") -> " T " {\n");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%%c%d = call @f(%%a%d) : (" T ") -> " T "\n", i, i);
    weft_buf_puts(b, "return %c0 : " T "\n}\n");
    weft_buf_puts(b, "func.func private @f(%a: " T ") -> " T " {\n%b = stablehlo.negate %a : " T "\nreturn %b : " T
                     "\n}\n");
}

static const struct { const char *about; void (*write)(weft_buf *b, int n); const char *prepare; } programs[] = {
    { "user priorities", write_priorities, "sdy-import-pipeline" },
    { "readers of one value", write_readers, "sdy-import-pipeline" },
    { "calls of one function", write_calls, "sdy-add-func-data-flow-edges" },
    { "functions", write_functions, "sdy-add-func-data-flow-edges" },
    { "callers with priorities", write_callers, "sdy-add-func-data-flow-edges" },
};

static uint64_t steps_of(int program, int n) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL, *loosened = NULL;
    weft_propagation p;
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    programs[program].write(&text, n);
    weft_status st = weft_read_text(cx, (weft_str){ text.p, text.n }, programs[program].about, 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, weft_str_from(programs[program].prepare), 0, &m);
    ck_assert_msg(st == WEFT_OK, "%s: %s", programs[program].about,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "failed");
    ck_assert_int_eq(weft_propagation_explain(cx, m, &p, &loosened), WEFT_OK);
    uint64_t steps = p.work.steps;
    weft_propagation_close(&p);
    weft_module_free(loosened);
    weft_module_free(m);
    weft_buf_free(&text);
    weft_context_free(cx);
    return steps;
}

START_TEST(twice_the_program_twice_the_steps) {
    uint64_t once = steps_of(_i, 200), twice = steps_of(_i, 400);
    ck_assert_uint_ge(once, 200);
    ck_assert_msg(twice < once * 9 / 4, "%s: %llu steps at 200, %llu at 400", programs[_i].about,
                  (unsigned long long)once, (unsigned long long)twice);
}
END_TEST

int main(void) {
    Suite *s = suite_create("propagate/worklist");
    TCase *tc = tcase_create("cost");
    tcase_add_loop_test(tc, twice_the_program_twice_the_steps, 0, WEFT_COUNT(programs));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
