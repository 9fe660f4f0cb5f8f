/* array.c: arrays on a client's devices. */
#include "capi/array_impl.h"

/* ---- their making ---- */

weft_status weft_array_wrap(weft_client *c, const weft_kind *k, weft_buffer *b, weft_array **out) {
    weft_context *cx = weft_client_context(c);
    weft_array *a = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *a);
    if (!a) {
        weft_buffer_release(b);
        return weft_oom();
    }
    *a = (weft_array){ .client = c, .kind = k, .buffer = b, .refs = 1 };
    *out = a;
    return WEFT_OK;
}

weft_status weft_array_of_kind(weft_client *c, const weft_kind *k, const void *data, weft_array **out) {
    weft_buffer *b;
    weft_host_array whole = { .dtype = k->layout->dtype, .rank = k->layout->rank,
                              .data = (void *)data }; /* read only */
    for (uint32_t d = 0; d < whole.rank; d++) whole.dims[d] = k->layout->dims[d].global;
    weft_status st =
        data ? weft_buffer_put(c, k->layout, &whole, &b) : weft_buffer_zeros(c, k->layout, &b);
    return st == WEFT_OK ? weft_array_wrap(c, k, b, out) : st;
}

static void describe_part(const weft_array *a, int64_t device, weft_part *out) {
    const weft_layout *l = a->kind->layout;
    int64_t stride = 1;
    *out = (weft_part){ .device = device, .rank = l->rank };
    for (uint32_t d = l->rank; d-- > 0;) {
        const int64_t whole = l->dims[d].global, from = weft_layout_shard(l, d, device) * l->dims[d].local;
        out->start[d] = weft_min_i64(from, whole);
        out->count[d] = weft_min_i64(l->dims[d].local, whole - out->start[d]);
        out->stride[d] = stride;
        stride *= l->dims[d].local;
    }
    out->data = weft_buffer_shard(a->buffer, device);
}

/* The device of this process before `device` that holds the same part, or -1. */
static int64_t twin_of(const weft_array *a, int64_t device) {
    const weft_layout *l = a->kind->layout;
    for (int64_t other = weft_client_first_device(a->client); other < device; other++) {
        bool same = true;
        for (uint32_t d = 0; d < l->rank && same; d++)
            same = weft_layout_shard(l, d, other) == weft_layout_shard(l, d, device);
        if (same) return other;
    }
    return -1;
}

/* For the status of a callback that has reported nothing itself. */
static weft_diag_class class_of(weft_status st) {
    switch (st) {
    case WEFT_ERR_UNSUPPORTED: return WEFT_D_unsupported;
    case WEFT_ERR_IO:
    case WEFT_ERR_MEMORY: return WEFT_D_system;
    case WEFT_ERR_USAGE: return WEFT_D_usage;
    case WEFT_ERR_MISMATCH: return WEFT_D_differ;
    case WEFT_ERR_PEER: return WEFT_D_peer;
    default: return WEFT_D_data;
    }
}

static weft_status fill_parts(weft_source at, weft_array *a, weft_part_filler *fill, void *user) {
    weft_context *cx = weft_client_context(a->client);
    const int64_t first = weft_client_first_device(a->client), n = weft_client_local_devices(a->client);
    const size_t bytes = (size_t)weft_layout_local_bytes(a->kind->layout);
    for (int64_t device = first; device < first + n; device++) {
        const int64_t twin = twin_of(a, device);
        weft_part part;
        if (twin >= 0) {
            memcpy(weft_buffer_shard(a->buffer, device), weft_buffer_shard(a->buffer, twin), bytes);
            continue;
        }
        describe_part(a, device, &part);
        const weft_status st = fill(user, &part);
        if (st != WEFT_OK && cx->error.status != st)
            (void)weft_report(cx, class_of(st), weft_place_of(cx, at),
                              "the callback for the part of device %lld failed: %s",
                              (long long)device, weft_status_name(st));
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

weft_status weft_array_fill(weft_source at, weft_client *c, const weft_kind *k, weft_part_filler *fill, void *user,
                            weft_array **out) {
    weft_context *cx = weft_client_context(c);
    weft_array *a;
    if (!fill) return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the callback that fills the parts is NULL");
    weft_status st = weft_array_of_kind(c, k, NULL, &a);
    if (st != WEFT_OK) return st;
    st = weft_agree(c, fill_parts(at, a, fill, user));
    if (st == WEFT_OK) *out = a;
    else weft_array_release(a);
    return st;
}

weft_status weft_bytes_check(weft_source at, weft_client *c, const char *what, const weft_kind *k, const void *data,
                             size_t bytes) {
    weft_context *cx = weft_client_context(c);
    const int64_t want = weft_layout_global_bytes(k->layout);
    if ((int64_t)bytes != want)
        return weft_report(cx, WEFT_D_data, weft_place_of(cx, at), "%s of type %s has %lld bytes, not %zu", what,
                           k->type,
                           (long long)want, bytes);
    if (data || !bytes) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "the data of %s is NULL", what);
}

static const weft_kind *begin(weft_source at, weft_client *c, const char *type, const char *mesh, const char *sharding,
                              weft_array **out, weft_status *st) {
    *st = WEFT_ERR_USAGE;
    if (!c) {
        if (out) *out = NULL;
        return NULL;
    }
    *st = weft_out_check(weft_client_context(c), at, "the array", out);
    if (*st != WEFT_OK) return NULL;
    *out = NULL;
    const weft_kind *k = weft_kind_of_texts(at, c, type, mesh, sharding, st);
    if (k) weft_journal_call(c);
    return k;
}

weft_status weft_array_of_zeros_at(weft_source at, weft_client *c, const char *type, const char *mesh,
                                   const char *sharding, weft_array **out) {
    weft_status st;
    const weft_kind *k = begin(at, c, type, mesh, sharding, out, &st);
    if (!k) return st;
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    return weft_call_end(call, weft_array_of_kind(c, k, NULL, out));
}

weft_status weft_array_from_at(weft_source at, weft_client *c, const char *type, const char *mesh, const char *sharding,
                               const void *data, size_t bytes, weft_array **out) {
    weft_status st;
    const weft_kind *k = begin(at, c, type, mesh, sharding, out, &st);
    if (k) st = weft_bytes_check(at, c, "an array", k, data, bytes);
    if (!k || st != WEFT_OK) return st;
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    weft_journal_write(c, k->type, data, bytes);
    return weft_call_end(call, weft_array_of_kind(c, k, bytes ? data : NULL, out));
}

weft_status weft_array_make_at(weft_source at, weft_client *c, const char *type, const char *mesh, const char *sharding,
                               weft_part_filler *fill, void *user, weft_array **out) {
    weft_status st;
    const weft_kind *k = begin(at, c, type, mesh, sharding, out, &st);
    if (!k) return st;
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    return weft_call_end(call, weft_array_fill(at, c, k, fill, user, out));
}

weft_array *weft_array_retain(weft_array *a) {
    if (a) a->refs++;
    return a;
}

void weft_array_release(weft_array *a) {
    if (!a || --a->refs) return;
    weft_context *cx = weft_client_context(a->client);
    weft_buffer_release(a->buffer);
    cx->alloc.resize(cx->alloc.user, a, sizeof *a, 0);
}

/* ---- questions ---- */

const char *weft_array_type(const weft_array *a) { return a ? a->kind->type : ""; }
const char *weft_array_mesh(const weft_array *a) { return a ? a->kind->mesh : ""; }
const char *weft_array_sharding(const weft_array *a) { return a ? a->kind->sharding : ""; }
const char *weft_array_dtype(const weft_array *a) { return a ? weft_dtype_of(a->kind->layout->dtype)->name : ""; }
size_t weft_array_rank(const weft_array *a) { return a ? a->kind->layout->rank : 0; }
int64_t weft_array_dim(const weft_array *a, size_t i) {
    return i < weft_array_rank(a) ? a->kind->layout->dims[i].global : 0;
}
size_t weft_array_bytes(const weft_array *a) { return a ? (size_t)weft_layout_global_bytes(a->kind->layout) : 0; }

weft_status weft_array_check(weft_source at, const weft_array *a) {
    weft_context *cx = weft_client_context(a->client);
    if (weft_buffer_state_of(a->buffer) == WEFT_BUFFER_LIVE) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                       "an array of type %s has no data: a program has taken its memory for an update", a->kind->type);
}

weft_status weft_array_part_at(weft_source at, weft_array *a, int64_t device, weft_part *out) {
    if (!a) return WEFT_ERR_USAGE;
    weft_context *cx = weft_client_context(a->client);
    weft_status st = weft_out_check(cx, at, "the part", out);
    if (st == WEFT_OK && (device < 0 || device >= weft_client_devices(a->client)))
        st = weft_report(cx, WEFT_D_usage, weft_place_of(cx, at), "there is no device %lld: the client has %lld",
                         (long long)device, (long long)weft_client_devices(a->client));
    if (st == WEFT_OK) st = weft_array_check(at, a);
    if (st == WEFT_OK) describe_part(a, device, out);
    return st;
}

static bool is_same_part(const weft_layout *l, int64_t a, int64_t b) {
    for (uint32_t d = 0; d < l->rank; d++)
        if (weft_layout_shard(l, d, a) != weft_layout_shard(l, d, b)) return false;
    return true;
}

static void print_part(weft_buf *b, const weft_array *a, int64_t device) {
    const weft_layout *l = a->kind->layout;
    weft_part part;
    describe_part(a, device, &part);
    weft_buf_puts(b, "\n  [");
    for (size_t d = 0; d < part.rank; d++)
        weft_buf_printf(b, "%s%lld:%lld", d ? ", " : "", (long long)part.start[d],
                        (long long)(part.start[d] + part.count[d]));
    weft_buf_puts(b, "] on");
    for (int64_t other = device, n = 0; other < l->device_count; other++)
        if (is_same_part(l, device, other)) weft_buf_printf(b, "%s %lld", n++ ? "," : "", (long long)other);
}

weft_status(weft_array_text)(const weft_array *a, char **text) {
    if (!a) return WEFT_ERR_USAGE;
    weft_context *cx = weft_client_context(a->client);
    if (!text) return weft_report(cx, WEFT_D_usage, NULL, "the array's text has no output pointer: text is NULL");
    const weft_layout *l = a->kind->layout;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_buf_printf(&b, "%s on \"%s\", sharded \"%s\"", a->kind->type, a->kind->mesh, a->kind->sharding);
    for (int64_t device = 0; device < l->device_count; device++)
        if (weft_layout_owns(l, device)) print_part(&b, a, device);
    /* The caller's block has exactly its text's length, so that weft_text_free knows its size. */
    char *p = b.failed ? NULL : cx->alloc.resize(cx->alloc.user, NULL, 0, b.n + 1);
    if (p) memcpy(p, b.p, b.n + 1);
    weft_buf_free(&b);
    *text = p;
    return p ? WEFT_OK : weft_oom();
}

weft_status weft_array_text_at(weft_source at, const weft_array *a, char **text) {
    const weft_call call = weft_call_begin(a ? weft_client_context(a->client) : NULL, at);
    return weft_call_end(call, (weft_array_text)(a, text));
}

/* ---- data out ---- */

/* What only one process could refuse must not leave the others waiting in the call. */
static weft_status refuse(weft_client *c, weft_status st) {
    if (weft_client_processes(c) > 1) (void)weft_client_fail(c, "a process reads an array into NULL");
    return st;
}

static weft_status read_whole(weft_source at, weft_array *a, void *data, size_t bytes, bool everywhere) {
    if (!a) return WEFT_ERR_USAGE;
    weft_client *c = a->client;
    const bool needed = everywhere || weft_client_process(c) == 0;
    weft_status st = weft_array_check(at, a);
    if (st == WEFT_OK) st = weft_bytes_check(at, c, "the array", a->kind, &bytes, bytes);
    if (st != WEFT_OK) return st;
    weft_journal_call(c);
    if (bytes && !data && needed) return refuse(c, weft_bytes_check(at, c, "the array", a->kind, NULL, bytes));
    weft_host_array whole = { .data = data };
    const weft_call call = weft_call_begin(weft_client_context(c), at);
    st = weft_journal_check(c);
    if (st == WEFT_OK)
        st = everywhere ? weft_buffer_get_everywhere(a->buffer, &whole) : weft_buffer_get(a->buffer, &whole);
    return weft_call_end(call, st);
}

weft_status weft_array_read_at(weft_source at, weft_array *a, void *data, size_t bytes) {
    return read_whole(at, a, data, bytes, false);
}

weft_status weft_array_read_all_at(weft_source at, weft_array *a, void *data, size_t bytes) {
    return read_whole(at, a, data, bytes, true);
}

/* ---- to another sharding ---- */

weft_status weft_array_move_at(weft_source at, weft_array *a, const char *mesh, const char *sharding,
                               weft_array **out) {
    weft_status st;
    weft_buffer *b;
    if (!a && out) *out = NULL;
    if (!a) return WEFT_ERR_USAGE;
    const weft_kind *k = begin(at, a->client, a->kind->type, mesh, sharding, out, &st);
    if (st == WEFT_OK) st = weft_array_check(at, a);
    if (st != WEFT_OK) return st;
    const weft_call call = weft_call_begin(weft_client_context(a->client), at);
    st = weft_buffer_move(a->buffer, k->layout, &b);
    return weft_call_end(call, st == WEFT_OK ? weft_array_wrap(a->client, k, b, out) : st);
}
