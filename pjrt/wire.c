/* wire: protocol buffers as bytes. Source: protobuf.dev, "Encoding". */
#include "pjrt/impl.h"

pjrt_wire pjrt_wire_of(const void *bytes, size_t size) {
    const uint8_t *p = bytes;
    return (pjrt_wire){ .p = p, .end = p ? p + size : NULL };
}

bool pjrt_wire_number(pjrt_wire *w, uint64_t *out) {
    uint64_t v = 0;
    for (unsigned shift = 0; w->p < w->end && shift < 64; shift += 7) {
        const uint8_t byte = *w->p++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = v;
            return true;
        }
        if (shift == 63) break;
    }
    w->bad = w->bad || w->p < w->end;
    return false;
}

static bool damaged(pjrt_wire *w) {
    w->bad = true;
    return false;
}

static bool fixed(pjrt_wire *w, size_t bytes) {
    w->number = 0;
    if ((size_t)(w->end - w->p) < bytes) return damaged(w);
    memcpy(&w->number, w->p, bytes);
    w->p += bytes;
    return true;
}

bool pjrt_wire_next(pjrt_wire *w) {
    uint64_t tag, size;
    if (w->bad || w->p >= w->end) return false;
    if (!pjrt_wire_number(w, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX) return damaged(w);
    w->field = (uint32_t)(tag >> 3);
    w->kind = (pjrt_wire_kind)(tag & 7);
    switch (w->kind) {
    case PJRT_WIRE_NUMBER: return pjrt_wire_number(w, &w->number) || damaged(w);
    case PJRT_WIRE_FIXED64: return fixed(w, 8);
    case PJRT_WIRE_FIXED32: return fixed(w, 4);
    case PJRT_WIRE_BYTES:
        if (!pjrt_wire_number(w, &size) || size > (uint64_t)(w->end - w->p)) return damaged(w);
        w->bytes = w->p;
        w->size = (size_t)size;
        w->p += size;
        return true;
    }
    return damaged(w); /* groups are not written any more */
}

static void put(weft_buf *b, uint64_t v) {
    char bytes[10];
    size_t n = 0;
    do {
        bytes[n++] = (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
        v >>= 7;
    } while (v);
    weft_buf_put(b, bytes, n);
}

void pjrt_wire_put_number(weft_buf *b, uint32_t field, uint64_t v) {
    put(b, (uint64_t)field << 3 | PJRT_WIRE_NUMBER);
    put(b, v);
}

void pjrt_wire_put_bytes(weft_buf *b, uint32_t field, const void *bytes, size_t size) {
    put(b, (uint64_t)field << 3 | PJRT_WIRE_BYTES);
    put(b, size);
    weft_buf_put(b, bytes, size);
}

void pjrt_wire_put_list(weft_buf *b, uint32_t field, const int64_t *v, size_t n) {
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        for (uint64_t rest = (uint64_t)v[i], first = 1; first || rest; rest >>= 7, first = 0) bytes++;
    put(b, (uint64_t)field << 3 | PJRT_WIRE_BYTES);
    put(b, bytes);
    for (size_t i = 0; i < n; i++) put(b, (uint64_t)v[i]);
}
