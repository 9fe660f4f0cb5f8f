/* dryrun_changes.c: what the options of `weft dryrun` change in a program before it is partitioned. */
#include <stdlib.h>
#include "pipeline/dryrun/annotate.h"
#include "tool/dryrun.h"

static weft_status make_bare(weft_module **m) {
    weft_module *bare = NULL;
    const weft_status st = weft_module_without_shardings(*m, &bare);
    if (st != WEFT_OK) return st;
    weft_module_free(*m);
    *m = bare;
    return WEFT_OK;
}

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

weft_status dryrun_change(tool *t, const dryrun_changes *c, weft_module **m, const char **mesh) {
    weft_status st = c->bare ? make_bare(m) : WEFT_OK;
    *mesh = c->mesh;
    if (st == WEFT_OK && c->mesh && !weft_module_has_mesh(*m)) {
        st = weft_module_add_mesh(*m, NULL, weft_str_from(c->mesh));
        *mesh = NULL;
    }
    for (size_t i = 0; i < c->shard.n && st == WEFT_OK; i++) st = shard(t, *m, c->shard.v[i]);
    for (size_t i = 0; i < c->donate.n && st == WEFT_OK; i++)
        st = weft_module_donate_arguments(*m, NULL, weft_str_from(c->donate.v[i]));
    if (st == WEFT_OK && c->write) st = write_module(t, *m, c->write);
    return st;
}
