/* compile_run.c: what compiles the programs of `weft run` (run.h). */
#include <stdlib.h>
#include "base/nearest.h"
#include "tool/run.h"

static weft_status compile(tool *t, const tool_build_settings *s, const char *inputs, void **state,
                           run_program *out) {
    tool_built *b = *state = calloc(1, sizeof *b);
    if (!b) return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    const weft_status st = tool_build(t, s, &(tool_build_request){ .inputs = inputs }, b);
    if (st == WEFT_OK) *out = (run_program){ b->p->exec, b->p->arg_layouts, b->p->result_layouts, b->compile_s };
    return st;
}

/* --dump: the decisions of a stage of the compilation; no machine code is made. */
static weft_status dump(tool *t, const tool_build_settings *s, const char *stage) {
    static const struct { const char *name; weft_compile_dump dump; } stages[] = {
        { "clusters", WEFT_COMPILE_DUMP_CLUSTERS }, { "storage", WEFT_COMPILE_DUMP_STORAGE },
        { "order", WEFT_COMPILE_DUMP_ORDER }, { "buffers", WEFT_COMPILE_DUMP_BUFFERS },
        { "steps", WEFT_COMPILE_DUMP_STEPS },
    };
    weft_nearest near = weft_nearest_to(weft_str_from(stage));
    weft_buf text;
    weft_buf_init(&text, &t->cx->alloc);
    tool_build_request request = { .dumped = &text };
    tool_built b = { .m = NULL };
    for (size_t i = 0; i < WEFT_COUNT(stages); i++) {
        weft_nearest_offer(&near, weft_str_from(stages[i].name));
        if (!strcmp(stage, stages[i].name)) request.dump = stages[i].dump;
    }
    weft_status st = WEFT_OK;
    if (!request.dump)
        st = weft_report(t->cx, WEFT_D_usage, NULL,
                         "--dump takes clusters, storage, order, buffers or steps, not '%s'" WEFT_NEAREST, stage,
                         WEFT_NEAREST_ARG(near));
    if (st == WEFT_OK) st = tool_build(t, s, &request, &b);
    if (st == WEFT_OK) fwrite(text.p, 1, text.n, stdout);
    tool_built_free(&b);
    weft_buf_free(&text);
    return st;
}

static weft_status print(void *state, weft_buf *out) {
    const tool_built *b = state;
    return b->m ? weft_print_module(b->m, WEFT_PRINT_PRETTY | WEFT_PRINT_LOCS, out) : WEFT_OK;
}

static void print_order(tool *t, void *state) { tool_order_print(t, &((tool_built *)state)->order); }

static void release(void *state) {
    if (state) tool_built_free(state);
    free(state);
}

static const run_compiler compiler = { compile, dump, print, print_order, release };
const run_compiler *const run_compiler_of_program = &compiler;
