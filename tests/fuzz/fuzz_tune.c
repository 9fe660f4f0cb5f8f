/* fuzz_tune.c: arbitrary bytes as a table of measurements. A refused text leaves a diagnostic and no table; an accepted
 * one prints to a text that reads again and prints the same, and can be merged into others.
 *
 *   fuzz_tune [-max_total_time=60] [CORPUS] */
#include <stdio.h>
#include <stdlib.h>
#include "base/context.h"
#include "cost/tune.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void quiet(void *user, const weft_diag *d) {
    (void)d;
    ++*(size_t *)user;
}

static void use(weft_context *cx, const weft_tune *t) {
    weft_tune *again = weft_arena_new(&cx->arena, weft_tune);
    weft_buf text, twice;
    if (!again) abort();
    weft_buf_init(&text, &cx->alloc);
    weft_buf_init(&twice, &cx->alloc);
    weft_tune_print(t, &text);
    if (weft_tune_read(cx, (weft_str){ text.p, text.n }, "again", again) != WEFT_OK) {
        fprintf(stderr, "printed, but not read again:\n%s\n", text.p);
        abort();
    }
    weft_tune_print(again, &twice);
    if (text.n != twice.n || memcmp(text.p, twice.p, text.n)) abort();
    weft_tune_merge(again, t);
    weft_tune_merge(again, t);
    if (again->rule_count > WEFT_TUNE_RULES) abort();
    weft_buf_free(&text);
    weft_buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t reports = 0;
    weft_context *cx = weft_context_new(NULL);
    if (!cx) return 0;
    weft_context_set_handler(cx, quiet, &reports);
    weft_tune *t = weft_arena_new(&cx->arena, weft_tune);
    if (!t) abort();
    weft_status st = weft_tune_read(cx, (weft_str){ (const char *)data, size }, "fuzz", t);
    if (st == WEFT_OK) use(cx, t);
    else if (!reports || t->rule_count) abort();
    weft_context_free(cx);
    return 0;
}
