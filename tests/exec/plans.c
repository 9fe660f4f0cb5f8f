/* plans.c: `plans CPU FILE...` compiles each program for one device of that kind, CPU as in weft_compile_options, and
 * prints its fingerprint, its memory and its steps; on stderr, the scratch memory that oneDNN takes on this host. */
#include <stdio.h>
#include "base/context.h"
#include "codegen/compile.h"
#include "exec/kernels/library.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"

/* Of the products and convolutions: in bytes, one after another. */
static weft_status taken(weft_context *cx, const weft_executable *x) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < x->step_count && st == WEFT_OK; i++) {
        const weft_code *c = &x->steps[i].code;
        weft_library *made = NULL;
        if (!c->kernel) continue;
        if (!strcmp(c->kernel, "product")) st = weft_library_matmul(cx, c->state, &weft_loc_unknown, &made);
        else if (!strcmp(c->kernel, "convolution")) st = weft_library_conv(cx, c->state, &weft_loc_unknown, &made);
        if (made) fprintf(stderr, "%lld\n", (long long)weft_library_scratch_bytes(made));
        weft_library_free(made);
    }
    return st;
}

static weft_status one(weft_context *cx, const char *cpu, const char *path) {
    weft_module *m = NULL;
    weft_executable *x = NULL;
    weft_buf steps;
    weft_buf_init(&steps, &cx->alloc);
    const weft_compile_options opt = { .device_count = 1, .cpu = cpu, .dump = WEFT_COMPILE_DUMP_STEPS,
                                       .dumped = &steps };
    weft_status st = weft_read_file(cx, path, 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, weft_str_from("weft-prepare"), WEFT_PIPELINE_VERIFY_EACH, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, &opt, &x);
    if (st == WEFT_OK)
        printf("fingerprint %016llx, peak %lld, temporaries %lld\n%s", (unsigned long long)x->fingerprint,
               (long long)weft_plan_peak_bytes(&x->plan), (long long)x->temp_bytes, steps.p);
    if (st == WEFT_OK) st = taken(cx, x);
    weft_executable_free(x);
    weft_module_free(m);
    weft_buf_free(&steps);
    return st;
}

int main(int argc, char **argv) {
    weft_context *cx = weft_context_new(NULL);
    weft_status st = cx && argc > 2 ? WEFT_OK : WEFT_ERR_INVALID;
    for (int i = 2; i < argc && st == WEFT_OK; i++) st = one(cx, argv[1], argv[i]);
    for (size_t i = 0; cx && i < weft_context_diag_count(cx); i++)
        fprintf(stderr, "%s\n", weft_context_diag(cx, i)->message);
    weft_context_free(cx);
    return st == WEFT_OK ? 0 : 1;
}
