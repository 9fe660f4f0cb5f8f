/* error: errors of the API: a code, and Weft's diagnostics as text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "pjrt/impl.h"

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes) {
    (void)user, (void)old_bytes;
    if (new_bytes) return realloc(p, new_bytes);
    free(p);
    return NULL;
}

const weft_allocator pjrt_heap = { resize, NULL };

static void destroy(pjrt_error *e) { pjrt_error_free(e); }

static void message(const pjrt_error *e, const char **text, size_t *size) {
    *text = e->text;
    *size = e->size;
}

static uint32_t get_code(const pjrt_error *e) { return e->code; }

static void for_each_payload(const pjrt_error *e, pjrt_payload_visitor *visitor, void *user) {
    (void)e, (void)visitor, (void)user;
}

static const pjrt_error_table table = {
    .struct_size = sizeof table, .instance_size = sizeof(pjrt_error), .destroy = destroy, .message = message,
    .get_code = get_code, .for_each_payload = for_each_payload
};

static const pjrt_error out_of_memory = {
    .table = &table, .code = PJRT_RESOURCE_EXHAUSTED, .size = sizeof "out of memory" - 1, .text = "out of memory"
};

pjrt_error *pjrt_no_memory(void) { return (pjrt_error *)&out_of_memory; }

static pjrt_error *make(pjrt_code code, const char *text, size_t size) {
    pjrt_error *e = malloc(sizeof *e + size + 1);
    if (!e) return pjrt_no_memory();
    char *copy = (char *)(e + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    *e = (pjrt_error){ .table = &table, .code = code, .size = size, .heap = true, .text = copy };
    return e;
}

pjrt_error *pjrt_error_new(pjrt_code code, const char *fmt, ...) {
    char text[1024];
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return make(code, text, n < 0 ? 0 : (size_t)weft_min_i64(n, sizeof text - 1));
}

pjrt_error *pjrt_error_copy(const pjrt_error *e) { return e ? make(e->code, e->text, e->size) : NULL; }

pjrt_error *pjrt_error_given(uint32_t code, const char *text, size_t size) {
    return code == PJRT_OK ? NULL : make((pjrt_code)code, text ? text : "", text ? size : 0);
}

void pjrt_error_free(pjrt_error *e) {
    if (e && e->heap) free(e);
}

pjrt_code pjrt_code_of(weft_status st) {
    switch (st) {
    case WEFT_OK: return PJRT_OK;
    case WEFT_ERR_MEMORY: return PJRT_RESOURCE_EXHAUSTED;
    case WEFT_ERR_INVALID:
    case WEFT_ERR_USAGE:
    case WEFT_ERR_MISMATCH: return PJRT_INVALID_ARGUMENT;
    case WEFT_ERR_UNSUPPORTED: return PJRT_UNIMPLEMENTED;
    case WEFT_ERR_IO: return PJRT_UNAVAILABLE;
    case WEFT_ERR_PEER: return PJRT_ABORTED;
    case WEFT_ERR_INTERNAL: break;
    }
    return PJRT_INTERNAL;
}

static void say(weft_buf *b, const weft_diag *d) {
    if (b->n) weft_buf_puts(b, "\n");
    if (d->file) weft_buf_printf(b, "%s:%lld:%lld: ", d->file, (long long)d->line, (long long)d->column);
    if (d->severity != WEFT_ERROR) weft_buf_printf(b, "%s: ", weft_severity_name(d->severity));
    weft_buf_puts(b, d->message);
}

/* The last error, and the notes that follow it. */
pjrt_error *pjrt_error_of(weft_context *cx, weft_status st) {
    size_t n = weft_context_diag_count(cx), at = n;
    if (st == WEFT_ERR_MEMORY && !n) return pjrt_no_memory();
    while (at > 0 && weft_context_diag(cx, at - 1)->severity != WEFT_ERROR) at--;
    if (!at) return pjrt_error_new(pjrt_code_of(st), "%s", weft_status_name(st));
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    for (size_t i = at - 1; i < n; i++) {
        const weft_diag *d = weft_context_diag(cx, i);
        if (i >= at && d->severity != WEFT_NOTE && d->severity != WEFT_HELP) break;
        say(&text, d);
    }
    pjrt_error *e = text.failed ? pjrt_no_memory() : make(pjrt_code_of(st), text.p, text.n);
    weft_buf_free(&text);
    return e;
}

/* --- the API --- */

pjrt_error *pjrt_Error_Destroy(pjrt_Error_Destroy_args *a) {
    pjrt_error_free(a->error);
    return NULL;
}

pjrt_error *pjrt_Error_Message(pjrt_Error_Message_args *a) {
    a->message = a->error ? a->error->text : "";
    a->message_size = a->error ? a->error->size : 0;
    return NULL;
}

pjrt_error *pjrt_Error_GetCode(pjrt_Error_GetCode_args *a) {
    a->code = a->error->code;
    return NULL;
}

pjrt_error *pjrt_Error_ForEachPayload(pjrt_Error_ForEachPayload_args *a) {
    (void)a;
    return NULL;
}
