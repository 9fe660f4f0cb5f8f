/* program_file.c: programs written to files, and read from them without compilation. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/draft.h"
#include "base/file_read.h"
#include "capi/launch.h"
#include "capi/program_impl.h"

/* ---- writing ---- */

static weft_status write_file(weft_context *cx, const weft_loc *loc, const char *path, const weft_buf *bytes) {
    weft_draft draft;
    weft_status st = weft_draft_open(&cx->alloc, path, &draft);
    if (st == WEFT_OK) {
        (void)fwrite(bytes->p, 1, bytes->n, draft.file); /* the stream remembers failures */
        st = weft_draft_close(&draft);
    }
    if (st != WEFT_ERR_IO) return st;
    return weft_report(cx, WEFT_D_file, loc, "'%s' cannot be written: %s", path, strerror(errno));
}

weft_status weft_program_write_at(weft_source at, weft_program *p, const char *path) {
    if (!p) return WEFT_ERR_USAGE;
    weft_context *cx = weft_client_context(p->client);
    if (!path) return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the path of a program is NULL");
    weft_buf bytes;
    weft_buf_init(&bytes, &cx->alloc);
    weft_status st = weft_kept_write(&p->code, &bytes);
    if (st == WEFT_OK) st = write_file(cx, weft_place_of(cx, at), path, &bytes);
    weft_buf_free(&bytes);
    return st;
}

/* ---- reading ---- */

static weft_status read_file(weft_context *cx, const char *path, weft_program_file **out) {
    char *text;
    size_t bytes;
    weft_status st = weft_file_read_whole(cx, path, INT64_MAX - 1, &text, &bytes);
    if (st == WEFT_OK) st = weft_program_file_read(cx, text, bytes, path, out);
    weft_file_text_free(cx, text, bytes);
    return st;
}

static weft_status prepare(weft_source at, weft_program *p, const char *path) {
    weft_context *cx = weft_client_context(p->client);
    if (!path) return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the path of a program is NULL");
    weft_program_file *file;
    weft_status st = read_file(cx, path, &file);
    if (st != WEFT_OK) return st;
    p->code = weft_kept_of_file(file);
    if (p->code.exec->device_count != weft_client_devices(p->client))
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                           "'%s' is compiled for %lld devices, the client has %lld", path,
                           (long long)p->code.exec->device_count, (long long)weft_client_devices(p->client));
    return weft_program_fill_ports(p);
}

weft_status weft_program_read_at(weft_source at, weft_client *c, const char *path, weft_program **out) {
    weft_program *p = NULL;
    weft_status st = weft_program_begin(at, c, out, &p);
    if (st != WEFT_OK) return st;
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    st = prepare(at, p, path);
    st = weft_program_finish(p, st, &(weft_load_options){ .print = NULL }, out);
    return weft_call_end(call, st);
}
