/* reader.c: `reader FILE WANT` reads the executable in FILE, loads it, runs it once and compares its results with the
 * bytes in WANT. A program of its own, because it is linked without LLVM (test_reader.sh). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/context.h"
#include "exec/file.h"
#include "exec/kernels/kernels.h"
#include "tests/exec/inputs.h"
#include "tests/exec/steps.h"

static char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *p = NULL;
    if (f && !fseek(f, 0, SEEK_END)) {
        const long size = ftell(f);
        rewind(f);
        p = size >= 0 ? malloc((size_t)size + 1) : NULL;
        *n = p ? fread(p, 1, (size_t)size, f) : 0;
    }
    if (f) fclose(f);
    return p;
}

/* How many bytes differ; -1 where want has another size. */
static long differing(const weft_executable *x, const inputs *in, const char *want, size_t n) {
    size_t at = 0;
    long bad = 0;
    for (uint32_t r = 0; r < x->result_count; r++) {
        const size_t bytes = (size_t)x->results[r].bytes;
        if (n - at < bytes) return -1;
        for (size_t i = 0; i < bytes; i++) bad += ((const char *)in->results[r])[i] != want[at + i];
        at += bytes;
    }
    return at == n ? bad : -1;
}

static weft_status run(weft_context *cx, const char *const *path, weft_executable **x) {
    size_t n[2] = { 0, 0 };
    char *bytes[2] = { read_file(path[0], &n[0]), read_file(path[1], &n[1]) };
    inputs in = { { NULL }, { NULL } };
    weft_status st = bytes[0] && bytes[1] ? WEFT_OK : WEFT_ERR_INVALID;
    if (st == WEFT_OK) st = weft_executable_read(cx, bytes[0], n[0], path[0], x);
    if (st == WEFT_OK && !inputs_make(*x, &in)) st = WEFT_ERR_UNSUPPORTED;
    if (st == WEFT_OK)
        st = steps_walk(cx, &weft_kernels, &(steps_run){ .x = *x, .args = in.args, .results = in.results });
    if (st == WEFT_OK)
        printf("%u steps, fingerprint %016llx, %ld bytes differ\n", (*x)->step_count,
               (unsigned long long)(*x)->fingerprint, differing(*x, &in, bytes[1], n[1]));
    inputs_free(&in);
    free(bytes[0]), free(bytes[1]);
    return st;
}

int main(int argc, char **argv) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    const char *const path[2] = { argc == 3 ? argv[1] : "", argc == 3 ? argv[2] : "" };
    const weft_status st = cx && argc == 3 ? run(cx, path, &x) : WEFT_ERR_INVALID;
    for (size_t i = 0; cx && i < weft_context_diag_count(cx); i++)
        fprintf(stderr, "%s\n", weft_context_diag(cx, i)->message);
    weft_executable_free(x);
    weft_context_free(cx);
    return st == WEFT_OK ? 0 : 1;
}
