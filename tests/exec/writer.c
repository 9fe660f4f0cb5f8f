/* writer.c: `writer TEXT FILE WANT` compiles the program in TEXT for one device, writes the executable to FILE, and to
 * WANT the results of one run in this process. */
#include <stdio.h>
#include <string.h>
#include "base/context.h"
#include "codegen/compile.h"
#include "exec/file.h"
#include "exec/kernels/kernels.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/exec/inputs.h"
#include "tests/exec/steps.h"

static weft_status compile(weft_context *cx, const char *path, weft_executable **x) {
    weft_module *m = NULL;
    weft_status st = weft_read_file(cx, path, 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, weft_str_from("weft-prepare"), WEFT_PIPELINE_VERIFY_EACH, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, NULL, x);
    weft_module_free(m);
    return st;
}

static weft_status put(const char *path, const void *const *p, const size_t *bytes, uint32_t n) {
    FILE *f = fopen(path, "wb");
    bool good = f != NULL;
    for (uint32_t i = 0; good && i < n; i++) good = fwrite(p[i], 1, bytes[i], f) == bytes[i];
    return f && !fclose(f) && good ? WEFT_OK : WEFT_ERR_INVALID;
}

static weft_status write_all(weft_context *cx, char **argv, weft_executable **x) {
    inputs in = { { NULL }, { NULL } };
    size_t bytes[INPUTS_MOST];
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_status st = compile(cx, argv[1], x);
    if (st == WEFT_OK) st = weft_executable_write(*x, &b);
    if (st == WEFT_OK) st = put(argv[2], (const void *const[]){ b.p }, &b.n, 1);
    if (st == WEFT_OK && !inputs_make(*x, &in)) st = WEFT_ERR_UNSUPPORTED;
    if (st == WEFT_OK)
        st = steps_walk(cx, &weft_kernels, &(steps_run){ .x = *x, .args = in.args, .results = in.results });
    for (uint32_t i = 0; st == WEFT_OK && i < (*x)->result_count; i++) bytes[i] = (size_t)(*x)->results[i].bytes;
    if (st == WEFT_OK) st = put(argv[3], (const void *const *)in.results, bytes, (*x)->result_count);
    if (st == WEFT_OK) printf("fingerprint %016llx\n", (unsigned long long)(*x)->fingerprint);
    inputs_free(&in);
    weft_buf_free(&b);
    return st;
}

int main(int argc, char **argv) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    const weft_status st = cx && argc == 4 ? write_all(cx, argv, &x) : WEFT_ERR_INVALID;
    for (size_t i = 0; cx && i < weft_context_diag_count(cx); i++)
        fprintf(stderr, "%s\n", weft_context_diag(cx, i)->message);
    weft_executable_free(x);
    weft_context_free(cx);
    return st == WEFT_OK ? 0 : 1;
}
