/* dryrun_changes.c: what the options of `weft dryrun` change in a program before it is partitioned. */
#include <stdlib.h>
#include "pipeline/dryrun/annotate.h"
#include "pipeline/dryrun/changes.h"
#include "tool/dryrun.h"

/* "PATTERN=SHARDING", or "@FILE" with such lines. */
static weft_status shard(tool *t, weft_module *m, const char *text) {
    tool_text file;
    if (*text != '@') return weft_module_shard_arguments(m, NULL, weft_str_from(text));
    weft_status st = tool_text_read(t, text + 1, &file);
    if (st != WEFT_OK) return st;
    st = weft_module_shard_lines(m, text + 1, (weft_str){ file.text, file.n });
    free((char *)file.text);
    return st;
}

static weft_status write_module(tool *t, const weft_module *m, const char *path) {
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    weft_status st = weft_print_module(m, WEFT_PRINT_LOCS, &b);
    if (st == WEFT_OK && b.failed) st = weft_oom();
    if (st == WEFT_OK) st = tool_output_write(t, path, b.p, b.n);
    weft_buf_free(&b);
    return st;
}

static weft_status apply_strategy(tool *t, const dryrun_changes *c, const weft_dry_how *how, weft_module **m,
                                  weft_dry_report *r) {
    weft_strategist *s = NULL;
    weft_arena arena;
    weft_arena_init(&arena, &t->cx->alloc);
    (void)weft_warning_silence(t->cx, WEFT_D_constraint, true); /* also while the caller plans it */
    weft_status st = weft_strategist_begin(c->strategy, c->mesh, m, &arena, &s);
    if (st == WEFT_OK && c->tactics) st = dryrun_tactics(t, c->tactics, how, &r->order, s, &r->stages, &r->stage_count);
    if (st == WEFT_OK) st = weft_strategist_end(s, m);
    weft_arena_free(&arena);
    return st;
}

weft_status dryrun_donate(const dryrun_changes *c, weft_module *m) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < c->donate.n && st == WEFT_OK; i++)
        st = weft_module_donate_arguments(m, NULL, weft_str_from(c->donate.v[i]));
    return st;
}

weft_status dryrun_change(tool *t, const dryrun_changes *c, weft_dry_how *how, weft_module **m, weft_dry_report *r) {
    const bool strategic = c->strategy || c->tactics;
    weft_status st = c->bare ? weft_module_make_bare(m) : WEFT_OK;
    how->build.mesh = strategic || c->automatic ? NULL : c->mesh;
    if (st == WEFT_OK && c->automatic) st = dryrun_auto_choose(t, c, how, &r->order, m, &r->chosen);
    if (st == WEFT_OK && strategic) st = apply_strategy(t, c, how, m, r);
    if (st == WEFT_OK && how->build.mesh && !weft_module_has_mesh(*m)) {
        st = weft_module_add_mesh(*m, NULL, weft_str_from(c->mesh));
        how->build.mesh = NULL;
    }
    for (size_t i = 0; i < c->shard.n && st == WEFT_OK; i++) st = shard(t, *m, c->shard.v[i]);
    if (st == WEFT_OK) st = dryrun_donate(c, *m);
    if (st == WEFT_OK && c->write) st = write_module(t, *m, c->write);
    return st;
}
