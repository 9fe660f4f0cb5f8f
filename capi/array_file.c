/* array_file.c: arrays from .npy files, each process its own parts. */
#include <unistd.h>

#include "base/file_read.h"
#include "capi/array_impl.h"
#include "runtime/box.h"
#include "runtime/host_array.h"
#include "runtime/strided.h"

typedef struct file {
    weft_context *cx;
    const char *path;
    int fd;
    weft_npy_form form;
    weft_host_array array;
    const weft_layout *layout;
    char *to;                            /* of the part that is read */
} file;

static weft_status open_npy(file *f) {
    int64_t bytes = 0;
    weft_status st = weft_npy_describe(f->cx, f->path, &f->array, &f->form);
    if (st == WEFT_OK) st = weft_file_open(f->cx, f->path, &f->fd, &bytes);
    if (st != WEFT_OK || weft_host_array_bytes(&f->array) == bytes - (int64_t)f->form.at) return st;
    return weft_report(f->cx, WEFT_D_data, NULL, "'%s' has %lld bytes of data where its header says %lld", f->path,
                       (long long)(bytes - (int64_t)f->form.at), (long long)weft_host_array_bytes(&f->array));
}

static weft_status read_run(void *user, int64_t from, int64_t memory, size_t n) {
    file *f = user;
    return weft_file_read(f->cx, f->path, f->fd, (int64_t)f->form.at + from, f->to + memory, n);
}

/* Column-major, or big-endian. */
static weft_status read_turned(const file *f, const weft_part *p) {
    const weft_host_array *a = &f->array;
    const weft_in_file in = { .cx = f->cx, .path = f->path, .fd = f->fd, .at = (int64_t)f->form.at,
                              .elems = weft_host_array_elems(a), .dtype = a->dtype,
                              .is_swapped = f->form.is_big_endian };
    int64_t apart[WEFT_MOST_DIMS], memory[WEFT_MOST_DIMS], step = 1;
    weft_strided v = { .rank = a->rank, .count = p->count, .file = apart, .memory = memory, .dtype = a->dtype };
    for (uint32_t i = 0; i < a->rank; step *= a->dims[f->form.is_column_major ? i : a->rank - 1 - i], i++)
        apart[f->form.is_column_major ? i : a->rank - 1 - i] = step;
    step = 1;
    for (uint32_t d = a->rank; d-- > 0; step *= f->layout->dims[d].local) memory[d] = step;
    for (uint32_t d = 0; d < a->rank; d++) v.first += p->start[d] * apart[d];
    return weft_strided_read(&in, &v, p->data);
}

static weft_status read_part(void *user, const weft_part *p) {
    file *f = user;
    if (f->form.is_column_major || f->form.is_big_endian) return read_turned(f, p);
    int64_t local[WEFT_MOST_DIMS];
    for (uint32_t d = 0; d < f->array.rank; d++) local[d] = f->layout->dims[d].local;
    const weft_box box = { f->array.rank, weft_dtype_bytes(f->array.dtype), f->array.dims, p->start, p->count, local };
    f->to = p->data;
    return weft_box_walk(&box, read_run, f);
}

static const weft_kind *kind_of(weft_source at, weft_client *c, const file *f, const char *mesh, const char *sharding,
                                weft_status *st) {
    weft_buf type;
    weft_buf_init(&type, &f->cx->alloc);
    for (uint32_t d = 0; d < f->array.rank; d++) weft_buf_printf(&type, "%lldx", (long long)f->array.dims[d]);
    weft_buf_puts(&type, weft_dtype_of(f->array.dtype)->name);
    *st = type.failed ? weft_oom() : WEFT_OK;
    const weft_kind *k = *st == WEFT_OK ? weft_kind_of_texts(at, c, type.p, mesh, sharding, st) : NULL;
    weft_buf_free(&type);
    return k;
}

weft_status weft_array_from_npy_at(weft_source at, weft_client *c, const char *path, const char *mesh,
                                   const char *sharding, weft_array **out) {
    if (out) *out = NULL;
    if (!c) return WEFT_ERR_USAGE;
    file f = { .cx = weft_client_context(c), .path = path, .fd = -1 };
    const weft_kind *k = NULL;
    weft_status st = weft_out_check(f.cx, at, "the array", out);
    if (st == WEFT_OK && !path)
        st = weft_report(f.cx, WEFT_D_usage, weft_place_of(f.cx, at), "the path of an array's file is NULL");
    if (st != WEFT_OK) return st;
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    weft_journal_call(c);
    st = open_npy(&f);
    if (st == WEFT_OK) k = kind_of(at, c, &f, mesh, sharding, &st);
    if (st == WEFT_OK) weft_journal_write(c, k->type, k->type, strlen(k->type)); /* the file is one for all */
    st = weft_agree(c, st);
    if (st == WEFT_OK) {
        f.layout = k->layout;
        st = weft_array_fill(at, c, k, read_part, &f, out);
    }
    if (f.fd >= 0) close(f.fd);
    return weft_call_end(call, st);
}
