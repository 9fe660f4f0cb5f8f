/* program_file.c: programs written to files, and read from them without compilation. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/draft.h"
#include "base/file_read.h"
#include "capi/launch.h"
#include "capi/program_impl.h"

/* ---- writing ---- */

static weft_status write_bytes(weft_program *p, weft_buf *out) {
    weft_context *cx = weft_client_context(p->client);
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    const char **args = weft_scratch_array(cx, const char *, p->input_count),
               **results = weft_scratch_array(cx, const char *, p->output_count);
    weft_status st = args && results ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < p->input_count; i++) args[i] = p->inputs[i].name->text;
    for (uint32_t r = 0; st == WEFT_OK && r < p->output_count; r++) results[r] = p->outputs[r].name->text;
    if (st == WEFT_OK && p->file) st = weft_program_file_write(p->file, out);
    else if (st == WEFT_OK) st = weft_built_program_write(p->built, &(weft_port_names){ args, results }, out);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

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
    weft_status st = write_bytes(p, &bytes);
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

static weft_status fill_ports(weft_program *p) {
    const weft_program_file *f = p->file;
    weft_context *cx = weft_client_context(p->client);
    weft_status st = weft_program_make_ports(p);
    for (uint32_t i = 0; st == WEFT_OK && i < p->input_count; i++) {
        weft_program_in_port *in = &p->inputs[i];
        *in = (weft_program_in_port){ .name = weft_name_from(cx, f->args[i].name), .update = -1,
                                    .kind = weft_kind_of_layout(p->client, &f->arg_layouts[i], f->args[i].mesh,
                                                                f->args[i].sharding) };
        if (!in->name || !in->kind) st = weft_oom();
    }
    for (uint32_t r = 0; st == WEFT_OK && r < p->output_count; r++) {
        weft_program_out_port *out = &p->outputs[r];
        *out = (weft_program_out_port){ .name = weft_name_from(cx, f->results[r].name),
                                           .kind = weft_kind_of_layout(p->client, &f->result_layouts[r],
                                                                       f->results[r].mesh, f->results[r].sharding) };
        if (!out->name || !out->kind) st = weft_oom();
    }
    if (st == WEFT_OK) weft_program_link_updates(p);
    return st;
}

static weft_status prepare(weft_source at, weft_program *p, const char *path) {
    weft_context *cx = weft_client_context(p->client);
    if (!path) return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the path of a program is NULL");
    weft_status st = read_file(cx, path, &p->file);
    if (st != WEFT_OK) return st;
    p->exec = p->file->exec;
    if (p->exec->device_count != weft_client_devices(p->client))
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                           "'%s' is compiled for %lld devices, the client has %lld", path,
                           (long long)p->exec->device_count, (long long)weft_client_devices(p->client));
    return fill_ports(p);
}

weft_status weft_program_read_at(weft_source at, weft_client *c, const char *path, weft_program **out) {
    weft_program *p = NULL;
    weft_status st = weft_program_begin(at, c, out, &p);
    if (st != WEFT_OK) return st;
    st = prepare(at, p, path);
    return weft_program_finish(p, st, &(weft_load_options){ .print = NULL }, out);
}
