/* compile_run.c: what compiles the programs of `weft run` (run.h). */
#include <stdlib.h>
#include "base/nearest.h"
#include "tool/program_cache.h"
#include "tool/run.h"

typedef struct compiled {
    tool *t;
    tool_built built;
    weft_program_file *file; /* of the cache */
} compiled;

/* Compiled, and kept where key has the program's key. */
static weft_status make(tool *t, const tool_build_settings *s, const char *inputs, weft_cache *c, const weft_buf *key,
                        bool leads, compiled *to) {
    weft_said said;
    const tool_build_request request = { .inputs = inputs, .cache = c, .leads = leads };
    weft_said_begin(&said, t->cx);
    const weft_status st = tool_build(t, s, &request, &to->built);
    weft_said_end(&said);
    return st == WEFT_OK && c && key->n && !said.failed ? tool_program_keep(t, c, key, &said, &to->built) : st;
}

/* Of processes that lack it at once one compiles it, and the others wait. */
static weft_status make_or_wait(tool *t, const tool_build_settings *s, const char *inputs, weft_cache *c,
                                const weft_buf *key, compiled *to) {
    int claim;
    weft_status st = WEFT_OK;
    if (!c || !key->n) return make(t, s, inputs, c, key, false, to);
    const bool leads = weft_cache_claim(c, WEFT_CACHE_PROGRAM, key->p, key->n, &claim);
    if (!(to->file = tool_program_find(t, c, key))) st = make(t, s, inputs, c, key, leads, to);
    if (leads) weft_cache_unclaim(c, WEFT_CACHE_PROGRAM, key->p, key->n, claim);
    return st;
}

static weft_status find_or_make(tool *t, const tool_build_settings *s, const char *inputs, compiled *to,
                                run_program *out) {
    const double start = tool_now_s();
    weft_cache *c = NULL;
    weft_buf key;
    weft_buf_init(&key, &t->cx->alloc);
    weft_status st = tool_cache_open(t, &c);
    if (st == WEFT_OK && c) st = tool_program_key(t, s, inputs, &key);
    if (st == WEFT_OK && c && key.n) to->file = tool_program_find(t, c, &key);
    if (st == WEFT_OK && !to->file) st = make_or_wait(t, s, inputs, c, &key, to);
    if (st == WEFT_OK && to->file) st = tool_compiling_set(t, &s->compiling);
    weft_buf_free(&key);
    const weft_built_program *p = to->built.p;
    if (st != WEFT_OK) return st;
    if (p) *out = (run_program){ p->exec, p->arg_layouts, p->result_layouts, false, tool_now_s() - start };
    else
        *out = (run_program){ to->file->exec, to->file->arg_layouts, to->file->result_layouts, true,
                              tool_now_s() - start };
    return st;
}

static weft_status compile(tool *t, const tool_build_settings *s, const char *inputs, void **state, run_program *out) {
    compiled *to = *state = calloc(1, sizeof *to);
    if (!to) return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    to->t = t;
    return find_or_make(t, s, inputs, to, out);
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

/* The text of a program that the cache had is read only now. */
static weft_status print(void *state, weft_buf *out) {
    static const tool_compiling none;
    compiled *c = state;
    weft_status st = c->built.m ? WEFT_OK : tool_module_parse(c->t, &none, &c->built.m);
    return st == WEFT_OK ? weft_print_module(c->built.m, WEFT_PRINT_PRETTY | WEFT_PRINT_LOCS, out) : st;
}

static void print_order(tool *t, void *state) {
    const compiled *c = state;
    if (c->built.p) tool_order_print(t, &c->built.order);
}

static void release(void *state) {
    compiled *c = state;
    if (c) tool_built_free(&c->built), weft_program_file_free(c->file);
    free(c);
}

static const run_compiler compiler = { compile, dump, print, print_order, release };
const run_compiler *const run_compiler_of_program = &compiler;
