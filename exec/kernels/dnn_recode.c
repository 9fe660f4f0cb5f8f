/* dnn_recode.c: copies between bf16 and f32 for oneDNN, whose own take one element after another on machines without
 * AVX-512.
 *
 * Eight elements at a time in plain vectors, which every machine has: a bf16 is the upper half of an f32. Dimensions
 * along which both sides go on without a gap are walked as one.
 */
#include "exec/kernels/dnn_recode.h"

enum { EIGHT = 8 };
typedef uint16_t half8 __attribute__((vector_size(EIGHT * sizeof(uint16_t))));
typedef uint32_t word8 __attribute__((vector_size(EIGHT * sizeof(uint32_t))));

bool weft_recode_of(const weft_md *from, const weft_md *to, weft_recode *out) {
    const weft_md_view a = weft_md_look(from), b = weft_md_look(to);
    const dnnl_dim_t *s = a.strides, *d = b.strides;
    int order[DNNL_MAX_NDIMS];
    memset(out, 0, sizeof *out);
    if (!s || !d || a.n != b.n || a.blocks || b.blocks) return false;
    for (int i = 0; i < b.n; i++) { /* the longest steps outside */
        int at = i;
        for (; at > 0 && d[order[at - 1]] < d[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < b.n; i++) {
        const int k = order[i];
        const int64_t n = b.dims[k];
        if (n == 1) continue;
        const uint32_t last = out->rank - 1;
        if (out->rank && out->from[last] == n * s[k] && out->to[last] == n * d[k]) {
            out->dims[last] *= n, out->from[last] = s[k], out->to[last] = d[k];
            continue;
        }
        out->dims[out->rank] = n, out->from[out->rank] = s[k], out->to[out->rank++] = d[k];
    }
    out->widens = a.type == dnnl_bf16;
    return a.type != b.type;
}

static void widen(const uint16_t *from, uint32_t *to) {
    half8 h;
    memcpy(&h, from, sizeof h);
    const word8 w = __builtin_convertvector(h, word8) << 16;
    memcpy(to, &w, sizeof w);
}

/* To the nearest, ties to even; what is no number stays none: its upper half might be an infinity's. */
static void narrow(const uint32_t *from, uint16_t *to) {
    word8 w;
    memcpy(&w, from, sizeof w);
    const word8 none = (word8)((w & 0x7fffffffu) > 0x7f800000u), high = w >> 16;
    const word8 r = (none & (high | 0x40u)) | (~none & ((w + 0x7fffu + (high & 1u)) >> 16));
    const half8 h = __builtin_convertvector(r, half8);
    memcpy(to, &h, sizeof h);
}

/* n elements, at least one, `s` and `d` of them apart. */
static void row(bool widens, const char *from, int64_t s, char *to, int64_t d, int64_t n) {
    const size_t in = widens ? 2 : 4, out = 6 - in;
    const bool side_by_side = s == 1 && d == 1;
    for (int64_t i = 0; i < n;) {
        const int64_t now = side_by_side && n - i >= EIGHT ? EIGHT : 1;
        uint32_t word[EIGHT] = { 0 };
        uint16_t half[EIGHT] = { 0 };
        if (now == EIGHT && widens) widen((const uint16_t *)from + i, (uint32_t *)to + i);
        else if (now == EIGHT) narrow((const uint32_t *)from + i, (uint16_t *)to + i);
        else if (widens) {
            memcpy(half, from + (size_t)(i * s) * in, in);
            widen(half, word);
            memcpy(to + (size_t)(i * d) * out, word, out);
        } else {
            memcpy(word, from + (size_t)(i * s) * in, in);
            narrow(word, half);
            memcpy(to + (size_t)(i * d) * out, half, out);
        }
        i += now;
    }
}

void weft_recode_run(const weft_recode *c, const void *from, void *to) {
    const int64_t in = c->widens ? 2 : 4, out = 6 - in;
    int64_t index[DNNL_MAX_NDIMS] = { 0 }, s = 0, d = 0;
    const uint32_t last = c->rank ? c->rank - 1 : 0;
    for (;;) {
        if (c->rank)
            row(c->widens, (const char *)from + s * in, c->from[last], (char *)to + d * out, c->to[last],
                c->dims[last]);
        else row(c->widens, from, 1, to, 1, 1);
        uint32_t k = last;
        for (; k > 0; k--) {
            s += c->from[k - 1], d += c->to[k - 1];
            if (++index[k - 1] < c->dims[k - 1]) break;
            s -= c->from[k - 1] * c->dims[k - 1], d -= c->to[k - 1] * c->dims[k - 1];
            index[k - 1] = 0;
        }
        if (!k) return;
    }
}
