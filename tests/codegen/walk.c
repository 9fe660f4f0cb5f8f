/* walk.c: see walk.h. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <check.h>
#include "base/context.h"
#include "exec/file.h"
#include "exec/load.h"
#include "kernels/kernels.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/walk.h"

void *walk_buffer(size_t bytes) {
    size_t size = (bytes + 2 * WEFT_BUFFER_ALIGN - 1) / WEFT_BUFFER_ALIGN * WEFT_BUFFER_ALIGN;
    void *p = aligned_alloc(WEFT_BUFFER_ALIGN, size);
    if (!p) abort();
    memset(p, 0, size);
    return p;
}

const weft_kernel_set *walk_kernels;

typedef struct walker {
    const weft_executable *x;
    const weft_loaded_step *code;
    void *const *args, *const *results;
    char *temp;
    double *step_s;
    weft_failure *why;
    const weft_step **where;
    const _Atomic uint32_t *stop;
} walker;

static void *address(const walker *w, const weft_slice *s) {
    char *base = s->space == WEFT_SPACE_ARGUMENT ? w->args[s->index]
                 : s->space == WEFT_SPACE_RESULT ? w->results[s->index]
                 : s->space == WEFT_SPACE_TEMP   ? w->temp
                                                 : (char *)w->x->constants;
    return base + s->offset;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static weft_status steps(const walker *w, uint32_t from, uint32_t to);

static weft_status call(const walker *w, uint32_t at) {
    const weft_step *s = &w->x->steps[at];
    const weft_run_env env = { .failure = w->why, .stop = w->stop };
    void *buffers[256];
    if (s->slice_count > WEFT_COUNT(buffers)) return WEFT_ERR_INTERNAL;
    for (uint32_t i = 0; i < s->slice_count; i++) buffers[i] = address(w, &s->slices[i]);
    double start = now();
    weft_status st = w->code[at].fn(w->code[at].state, buffers, &env);
    if (w->step_s) w->step_s[at] += now() - start;
    if (st != WEFT_OK && w->where) *w->where = s;
    return st;
}

static weft_status loop(const walker *w, uint32_t at) {
    const weft_step *s = &w->x->steps[at];
    const uint32_t cond = at + 1, body = cond + s->cond_steps, end = body + s->body_steps;
    weft_status st = steps(w, cond, body);
    while (st == WEFT_OK && *(const uint8_t *)address(w, &s->slices[0])) {
        st = steps(w, body, end);
        if (st == WEFT_OK) st = steps(w, cond, body);
    }
    return st;
}

static weft_status branch(const walker *w, uint32_t at) {
    const weft_step *s = &w->x->steps[at];
    int32_t which = *(const int32_t *)address(w, &s->slices[0]);
    uint32_t from = at + 1;
    if (which < 0 || which >= (int32_t)s->branch_count) which = (int32_t)s->branch_count - 1;
    for (int32_t b = 0; b < which; b++) from += s->branch_steps[b];
    return steps(w, from, from + s->branch_steps[which]);
}

static uint32_t length(const weft_step *s) {
    uint32_t n = 1;
    if (s->kind == WEFT_STEP_WHILE) n += s->cond_steps + s->body_steps;
    for (uint32_t b = 0; s->kind == WEFT_STEP_CASE && b < s->branch_count; b++) n += s->branch_steps[b];
    return n;
}

static weft_status steps(const walker *w, uint32_t from, uint32_t to) {
    weft_status st = WEFT_OK;
    for (uint32_t i = from; i < to && st == WEFT_OK; i += length(&w->x->steps[i])) {
        switch (w->x->steps[i].kind) {
        case WEFT_STEP_CALL: st = call(w, i); break;
        case WEFT_STEP_WHILE: st = loop(w, i); break;
        case WEFT_STEP_CASE: st = branch(w, i); break;
        case WEFT_STEP_COLLECTIVE: case WEFT_STEP_START: case WEFT_STEP_DONE: st = WEFT_ERR_UNSUPPORTED; break;
        }
    }
    return st;
}

/* Loads the program, runs it once, unloads it. */
static weft_status run(walker *w) {
    const weft_kernel_set sets = { walk_kernels ? walk_kernels->kernels : NULL,
                                   walk_kernels ? walk_kernels->count : 0, &weft_kernels };
    weft_context *cx = weft_context_new(NULL);
    weft_loaded *loaded = NULL;
    if (!cx) return WEFT_ERR_MEMORY;
    weft_status st = weft_load(cx, w->x, &sets, &loaded);
    if (st == WEFT_OK) {
        w->code = weft_loaded_steps(loaded);
        w->temp = walk_buffer((size_t)w->x->temp_bytes);
        st = steps(w, 0, w->x->step_count);
        free(w->temp);
    }
    weft_unload(loaded);
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
    if (st == WEFT_OK) st = run(&(walker){ .x = read, .args = args, .results = results, .step_s = step_s });
    weft_executable_free(read);
    weft_buf_free(&bytes);
    weft_context_free(cx);
    return st;
}

weft_status walk_run_why(const weft_executable *x, void *const *args, void *const *results, weft_failure *why,
                         const weft_step **where) {
    *why = (weft_failure){ .loc = NULL };
    return run(&(walker){ .x = x, .args = args, .results = results, .why = why, .where = where });
}

weft_status walk_run_until(const weft_executable *x, void *const *args, void *const *results,
                           const _Atomic uint32_t *stop) {
    return run(&(walker){ .x = x, .args = args, .results = results, .stop = stop });
}

weft_status walk_compile(weft_context *cx, const char *text, const char *passes, weft_executable **x) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK && passes) st = weft_pipeline_run(cx, weft_str_from(passes), WEFT_PIPELINE_VERIFY_EACH, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, NULL, x);
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
