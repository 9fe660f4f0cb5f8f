/* changes.c: see changes.h. */
#include "pipeline/dryrun/changes.h"

#include "pipeline/dryrun/annotate.h"
#include "pipeline/dryrun/batch.h"
#include "pipeline/dryrun/sizes.h"
#include "pipeline/pipeline.h"

static void replace(weft_module **m, weft_module *by) {
    weft_module_free(*m);
    *m = by;
}

weft_status weft_module_resize(weft_module **m, const char *const *sizes, size_t n, int64_t batch) {
    weft_status st = weft_module_check_main(*m);
    if (st == WEFT_OK && n) st = weft_module_set_sizes(m, sizes, n);
    if (st == WEFT_OK && (n || batch)) st = weft_pipeline_run((*m)->cx, WEFT_STR("weft-prepare"), 0, m);
    return st == WEFT_OK && batch ? weft_module_set_batch(m, batch) : st;
}

weft_status weft_module_make_bare(weft_module **m) {
    weft_module *bare = NULL;
    const weft_status st = weft_module_without_shardings(*m, &bare);
    if (st == WEFT_OK) replace(m, bare);
    return st;
}

weft_status weft_module_make_plain(const char *mesh, weft_module **m) {
    weft_context *cx = (*m)->cx;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_module_mesh_spec(*m, &b);
    const char *axes = mesh ? mesh : b.p;
    weft_status st = b.failed ? weft_oom() : weft_pipeline_run(cx, WEFT_STR("weft-prepare"), 0, m);
    if (st == WEFT_OK) st = weft_module_make_bare(m);
    if (st == WEFT_OK && axes) st = weft_module_add_mesh(*m, NULL, weft_str_from(axes));
    weft_buf_free(&b);
    return st;
}

weft_status weft_strategist_begin(const char *strategy, const char *mesh, weft_module **m, weft_arena *arena,
                                  weft_strategist **s) {
    weft_status st = weft_module_make_plain(mesh, m);
    if (st == WEFT_OK) st = weft_strategist_open(*m, arena, s);
    return st == WEFT_OK && strategy ? weft_strategist_add(*s, NULL, weft_str_from(strategy)) : st;
}

weft_status weft_strategist_end(const weft_strategist *s, weft_module **m) {
    weft_module *made = NULL;
    const weft_status st = weft_strategist_write(s, &made);
    if (st == WEFT_OK) replace(m, made);
    return st;
}
