/* no_codegen: stands in until code generation is there, so that `weft opt` links. */
#include "codegen/compile.h"

weft_status weft_codegen_compile(weft_context *cx, const weft_module *m, const weft_compile_options *opt, weft_executable **out) {
    (void)opt;
    (void)out;
    return weft_report(cx, WEFT_D_unsupported, m->root->loc, "programs cannot be compiled yet");
}

void weft_executable_free(weft_executable *x) { (void)x; }
