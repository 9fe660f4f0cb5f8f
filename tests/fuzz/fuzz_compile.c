/* fuzz_compile.c: arbitrary bytes as a program to run.
 *
 * A valid program goes through all steps except the making of machine code: legalisation, propagation, partitioning,
 * import, fusion, schedule, buffers. A step that refuses it gives at least one diagnostic; all that is built is freed.
 * The bytes may also be invalid: then the reader and the verifier report it.
 *
 *   fuzz_compile [-max_total_time=60] [CORPUS]
 *
 * seeds.h lists the added options.
 */
#include "codegen/compile.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/fuzz/seeds.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void quiet(void *user, const weft_diag *d) {
    (void)d;
    ++*(size_t *)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t reports = 0;
    weft_context *cx = weft_context_new(NULL);
    if (!cx) return 0;
    weft_context_set_handler(cx, quiet, &reports);
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    const weft_build_options opt = { .compile_flags = WEFT_COMPILE_PLAN_ONLY };
    weft_status st = weft_read_text(cx, (weft_str){ (const char *)data, size }, "fuzz", 0, &m);
    if (st == WEFT_OK) st = weft_program_build(cx, m, &opt, &p);
    if (st != WEFT_OK && (!reports || p)) abort();
    if (p) weft_built_program_free(p);
    if (m) weft_module_free(m);
    weft_context_free(cx);
    return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) { return add_options(argc, argv); }
