/* agreement.c: see agreement.h. */
#include "capi/agreement.h"

#include <stdio.h>
#include <string.h>

enum { HASHED_WHOLE = 1 << 16, SAMPLES = 1 << 10, SAMPLE = 64 };

weft_status weft_agreement_open(weft_agreement *a, weft_session *s, int process, size_t inputs, weft_arena *arena) {
    size_t n = 1 + inputs;
    *a = (weft_agreement){ .session = s, .inputs = inputs };
    a->did = weft_arena_array(arena, uint64_t, n);
    a->told = weft_arena_array(arena, bool, n);
    if (process == 0) a->all = weft_arena_array(arena, uint64_t, n * (size_t)weft_session_ranks(s));
    if (!a->did || !a->told || (process == 0 && !a->all)) return weft_oom();
    memset(a->did, 0, n * sizeof *a->did);
    memset(a->told, 0, n * sizeof *a->told);
    return WEFT_OK;
}

/* FNV-1a by words (Fowler, Noll and Vo); the shift brings high bits down, which a product alone does not. */
static uint64_t hash_on(uint64_t h, const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, p + i, n - i < sizeof word ? n - i : sizeof word);
        h = (h ^ word) * 1099511628211u;
        h ^= h >> 29;
    }
    return h;
}

void weft_agreement_wrote(weft_agreement *a, size_t input, const void *data, size_t bytes) {
    const unsigned char *p = data;
    if (!a->session) return;
    uint64_t h = hash_on(a->did[1 + input], (const unsigned char *)&bytes, sizeof bytes); /* so that zeros count */
    if (bytes <= HASHED_WHOLE) {
        h = hash_on(h, p, bytes);
    } else { /* at equal distances, the last bytes among them */
        for (size_t i = 0; i < SAMPLES; i++) h = hash_on(h, p + (bytes - SAMPLE) / (SAMPLES - 1) * i, SAMPLE);
        h = hash_on(h, p + bytes - SAMPLE, SAMPLE);
    }
    a->did[1 + input] = h;
}

weft_status weft_agreement_check(weft_agreement *a, int64_t steps, int *rank, int64_t *input) {
    size_t n = 1 + a->inputs;
    *rank = -1;
    *input = -1;
    if (!a->session) return WEFT_OK;
    a->did[0] = (uint64_t)steps;
    weft_status st = weft_session_tell(a->session, a->did, n, a->all);
    for (int r = 1; st == WEFT_OK && a->all && r < weft_session_ranks(a->session); r++) {
        const uint64_t *theirs = a->all + (size_t)r * n;
        char why[128];
        if (theirs[0] != a->did[0]) {
            snprintf(why, sizeof why, "rank %d has done %llu steps where rank 0 has done %lld", r,
                     (unsigned long long)theirs[0], (long long)steps);
            return weft_session_fail(a->session, why);
        }
        for (size_t i = 0; i < a->inputs && *input < 0; i++)
            if (theirs[1 + i] != a->did[1 + i] && !a->told[i]) *rank = r, *input = (int64_t)i, a->told[i] = true;
    }
    return st;
}
