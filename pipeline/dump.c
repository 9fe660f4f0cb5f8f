/* dump: writes the module at some point of a pipeline to a file.
 *
 * Pass sdy-save-module: writes to dump-directory, numbered from dump-index in the order of the files of one pipeline.
 * Pipelines contain it where Shardy writes a file, under the names of Shardy's files. Needs: nothing. Leaves: the
 * module unchanged. Source: Shardy, common/file_utils.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "pipeline/dump.h"

weft_status weft_pass_save_module(weft_pass *p, const weft_module *in, weft_module **out);

static weft_status write_file(weft_context *cx, const char *path, weft_str text) {
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(text.p, 1, text.n, f) == text.n;
    if (f) good = !fclose(f) && good;
    return good ? WEFT_OK : weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be written: %s", path, strerror(errno));
}

/* The directory's name and the module's path in it, both ended by 0. */
static bool make_path(weft_buf *b, weft_str directory, int64_t number, const char *name) {
    weft_buf_put(b, directory.p, directory.n);
    weft_buf_printf(b, "/%02lld.%s.mlir", (long long)number, name);
    return !b->failed;
}

weft_status weft_dump_module(weft_context *cx, weft_str directory, int64_t number, const char *name,
                             const weft_module *m) {
    weft_buf dir, path, text;
    weft_buf_init(&dir, &cx->alloc);
    weft_buf_init(&path, &cx->alloc);
    weft_buf_init(&text, &cx->alloc);
    weft_buf_put(&dir, directory.p, directory.n);
    weft_status st =
        make_path(&path, directory, number, name) && !dir.failed ? weft_print_module(m, 0, &text) : weft_oom();
    if (st == WEFT_OK && text.failed) st = weft_oom();
    if (st == WEFT_OK && mkdir(dir.p, 0777) && errno != EEXIST)
        st = weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be made: %s", dir.p, strerror(errno));
    if (st == WEFT_OK) st = write_file(cx, path.p, (weft_str){ text.p, text.n });
    weft_buf_free(&text);
    weft_buf_free(&path);
    weft_buf_free(&dir);
    return st;
}

weft_status weft_pass_save_module(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)out;
    weft_str name = weft_pass_text(p, "name", WEFT_STR("module"));
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    const char *text = weft_arena_strdup(&p->cx->scratch, name.p, name.n);
    weft_status st = text ? weft_pass_leave(p, "dump-directory", WEFT_DUMP_BETWEEN, text, in) : weft_oom();
    weft_arena_reset(&p->cx->scratch, mark);
    return st;
}
