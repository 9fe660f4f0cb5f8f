/* ffi_pack: elements of 2 and 4 bits, which handlers get and give without gaps, the first in a byte's lowest bits, as
 * XLA's CPU has them. Weft has each in a byte of its own.
 */
#include <stdlib.h>
#include "pjrt/ffi.h"

size_t pjrt_ffi_bytes(const pjrt_ffi_site *s, uint32_t i) {
    return s->bits[i] ? ((size_t)s->bytes[i] * s->bits[i] + 7) / 8 : (size_t)s->bytes[i];
}

static size_t packed_bytes(const pjrt_ffi_site *s, uint32_t i) {
    return (pjrt_ffi_bytes(s, i) / WEFT_BUFFER_ALIGN + 1) * WEFT_BUFFER_ALIGN;
}

static void pack(const uint8_t *from, int64_t n, unsigned bits, uint8_t *to) {
    const unsigned mask = (1u << bits) - 1, per = 8 / bits;
    for (int64_t i = 0; i < n; i++)
        to[i / per] = (uint8_t)(to[i / per] | (from[i] & mask) << bits * (unsigned)(i % per));
}

/* A signed integer's highest bit is repeated. */
static void unpack(const uint8_t *from, int64_t n, unsigned bits, bool is_signed, uint8_t *to) {
    const unsigned mask = (1u << bits) - 1, top = is_signed ? 1u << (bits - 1) : 0, per = 8 / bits;
    for (int64_t i = 0; i < n; i++) {
        const unsigned v = (unsigned)from[i / per] >> bits * (unsigned)(i % per) & mask;
        to[i] = (uint8_t)(v & top ? v | ~mask : v);
    }
}

bool pjrt_ffi_pack(const pjrt_ffi_site *s, void *const *buffers, void **packed, void **block) {
    size_t bytes = 0;
    const uint32_t n = s->operands + s->results;
    for (uint32_t i = 0; i < n; i++) bytes += s->bits[i] ? packed_bytes(s, i) : 0;
    *block = NULL;
    if (bytes && posix_memalign(block, WEFT_BUFFER_ALIGN, bytes)) return false;
    if (bytes) memset(*block, 0, bytes);
    char *at = *block;
    for (uint32_t i = 0; i < n; i++) {
        packed[i] = s->bits[i] ? at : buffers[i];
        if (!s->bits[i]) continue;
        if (i < s->operands) pack(buffers[i], s->bytes[i], s->bits[i], (uint8_t *)at);
        at += packed_bytes(s, i);
    }
    return true;
}

void pjrt_ffi_unpack(const pjrt_ffi_site *s, void *const *packed, void *const *buffers) {
    for (uint32_t i = s->operands; i < s->operands + s->results; i++)
        if (s->bits[i]) unpack(packed[i], s->bytes[i], s->bits[i], s->is_signed[i], buffers[i]);
}
