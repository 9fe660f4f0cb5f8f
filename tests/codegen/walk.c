/* walk.c: see walk.h. */
#include <stdio.h>
#include <check.h>
#include "base/context.h"
#include "exec/file.h"
#include "exec/kernels/kernels.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/walk.h"
#include "tests/exec/steps.h"

void *walk_buffer(size_t bytes) { return steps_buffer(bytes); }

const weft_kernel_set *walk_kernels;

static weft_status run(const steps_run *r) {
    const weft_kernel_set sets = { walk_kernels ? walk_kernels->kernels : NULL,
                                   walk_kernels ? walk_kernels->count : 0, &weft_kernels };
    weft_context *cx = weft_context_new(NULL);
    const weft_status st = cx ? steps_walk(cx, &sets, r) : WEFT_ERR_MEMORY;
    weft_context_free(cx);
    return st;
}

/* By way of a file's bytes: what every test of code generation runs was written and read. */
weft_status walk_run(const weft_executable *x, void *const *args, void *const *results, double *step_s) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *read = NULL;
    weft_buf bytes;
    if (!cx) return WEFT_ERR_MEMORY;
    weft_buf_init(&bytes, &cx->alloc);
    weft_status st = weft_executable_write(x, &bytes);
    if (st == WEFT_OK) st = weft_executable_read(cx, bytes.p, bytes.n, "walk", &read);
    if (st != WEFT_OK && weft_context_diag_count(cx)) fprintf(stderr, "%s\n", weft_context_diag(cx, 0)->message);
    if (st == WEFT_OK && read->fingerprint != x->fingerprint) st = WEFT_ERR_INTERNAL;
    if (st == WEFT_OK) st = run(&(steps_run){ .x = read, .args = args, .results = results, .step_s = step_s });
    weft_executable_free(read);
    weft_buf_free(&bytes);
    weft_context_free(cx);
    return st;
}

weft_status walk_run_why(const weft_executable *x, void *const *args, void *const *results, weft_failure *why,
                         const weft_step **where) {
    *why = (weft_failure){ .loc = NULL };
    return run(&(steps_run){ .x = x, .args = args, .results = results, .why = why, .where = where });
}

weft_status walk_run_until(const weft_executable *x, void *const *args, void *const *results,
                           const _Atomic uint32_t *stop) {
    return run(&(steps_run){ .x = x, .args = args, .results = results, .stop = stop });
}

const weft_machine *walk_machine(void) {
    static weft_machine splits;
    static unsigned times;
    splits = weft_machine_default;
    splits.costs.split_s = 1e-15;
    return ++times % 3 ? &splits : NULL;
}

weft_status walk_compile(weft_context *cx, const char *text, const char *passes, weft_executable **x) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK && passes) st = weft_pipeline_run(cx, weft_str_from(passes), WEFT_PIPELINE_VERIFY_EACH, &m);
    const weft_compile_options opt = { .device_count = 1, .machine = walk_machine() };
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, &opt, x);
    weft_module_free(m);
    return st;
}

void walk_text(const char *text, const char *passes, void *const *args, void *const *results) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    ck_assert(cx != NULL);
    const weft_status st = walk_compile(cx, text, passes, &x);
    ck_assert_msg(st == WEFT_OK, "%s\n%s", text, weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    ck_assert_int_eq(walk_run(x, args, results, NULL), WEFT_OK);
    weft_executable_free(x);
    weft_context_free(cx);
}
