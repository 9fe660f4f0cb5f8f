/* table.c: see table.h. */
#include <string.h>
#include "base/table.h"

static void put(weft_table_slot *slots, size_t cap, uint64_t hash, const void *entry) {
    size_t at = hash & (cap - 1);
    while (slots[at].entry) at = (at + 1) & (cap - 1);
    slots[at] = (weft_table_slot){ hash, entry };
}

/* Entries of one hash keep their order: they are inserted again in the order in which they are found. */
static bool grow(weft_table *t, weft_arena *arena) {
    const size_t cap = t->cap ? 2 * t->cap : 64;
    weft_table_slot *slots = weft_arena_array(arena, weft_table_slot, cap);
    if (!slots) return false;
    size_t first = 0; /* a run of entries across the end begins before it */
    while (first < t->cap && t->slots[first].entry) first++;
    for (size_t i = 0; i < t->cap; i++) {
        const weft_table_slot *s = &t->slots[(first + i) & (t->cap - 1)];
        if (s->entry) put(slots, cap, s->hash, s->entry);
    }
    t->slots = slots;
    t->cap = cap;
    return true;
}

bool weft_table_add(weft_table *t, weft_arena *arena, uint64_t hash, const void *entry) {
    if (2 * (t->count + 1) > t->cap && !grow(t, arena)) return false;
    put(t->slots, t->cap, hash, entry);
    t->count++;
    return true;
}

uint64_t weft_hash_bytes(uint64_t h, const void *p, size_t n) {
    const unsigned char *b = p;
    uint64_t word;
    for (; n >= sizeof word; n -= sizeof word, b += sizeof word) {
        memcpy(&word, b, sizeof word);
        h = weft_hash_mix(h, word);
    }
    for (size_t i = 0; i < n; i++) h = weft_hash_mix(h, b[i]);
    return h;
}
