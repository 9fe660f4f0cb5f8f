/* index_set.c: see index_set.h. */
#include "base/index_set.h"

static uint32_t words_of(uint32_t n) { return n / 64 + (n % 64 != 0); }

weft_status weft_index_set_open(weft_arena *arena, uint32_t bound, weft_index_fill fill, weft_index_set *out) {
    uint32_t n = bound;
    *out = (weft_index_set){ .bound = bound };
    do {
        uint32_t words = n ? words_of(n) : 1;
        weft_bits *level = weft_arena_array(arena, weft_bits, words);
        if (!level) return WEFT_ERR_MEMORY;
        for (uint32_t w = 0; fill == WEFT_INDEX_ALL && w < n / 64; w++) level[w] = ~(weft_bits)0;
        if (fill == WEFT_INDEX_ALL && n % 64) level[n / 64] = weft_bit(n % 64) - 1;
        out->words[out->levels] = words;
        out->level[out->levels++] = level;
        n = words;
    } while (n > 1);
    return WEFT_OK;
}

void weft_index_set_add(weft_index_set *s, uint32_t i) {
    for (uint32_t l = 0; l < s->levels; l++, i /= 64) {
        weft_bits *word = &s->level[l][i / 64], had = *word;
        *word |= weft_bit(i % 64);
        if (had) return; /* the levels above have its bit already */
    }
}

void weft_index_set_remove(weft_index_set *s, uint32_t i) {
    for (uint32_t l = 0; l < s->levels; l++, i /= 64) {
        weft_bits *word = &s->level[l][i / 64];
        *word &= ~weft_bit(i % 64);
        if (*word) return;
    }
}

uint32_t weft_index_set_next(const weft_index_set *s, uint32_t from) {
    uint32_t l = 0, i = from;
    if (from >= s->bound) return s->bound;
    for (; l < s->levels; l++) { /* up, until a word has a member that is at least i */
        weft_bits left = i / 64 < s->words[l] ? s->level[l][i / 64] >> (i % 64) : 0;
        if (left) {
            /* and down to it */
            for (i += weft_bits_lowest(left); l > 0; l--) i = i * 64 + weft_bits_lowest(s->level[l - 1][i]);
            return i;
        }
        i = i / 64 + 1; /* the next word, which has a bit in the level above */
    }
    return s->bound;
}
