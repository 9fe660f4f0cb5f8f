/* table.h: a hash table of the caller's entries, by open addressing.
 *
 * An entry is a pointer, which the table does not dereference: the caller hashes and compares. Entries are never
 * removed. Slots are in the given arena; a zeroed table is empty.
 *
 *     size_t probe = 0;
 *     for (const weft_type *t; (t = weft_table_next(&table, hash, &probe));)
 *         if (same_type(t, want)) return t;
 *     ... make one ...
 *     if (!weft_table_add(&table, arena, hash, made)) return NULL;
 */
#ifndef WEFT_BASE_TABLE_H
#define WEFT_BASE_TABLE_H

#include "base/arena.h"

typedef struct weft_table_slot { uint64_t hash; const void *entry; } weft_table_slot;
typedef struct weft_table {
    weft_table_slot *slots; /* [cap], a power of two, at most half full; entry NULL: empty */
    size_t cap, count;
} weft_table;

/* The next entry of this hash, in insertion order; NULL: there are no more. *probe is 0 at first. */
static inline const void *weft_table_next(const weft_table *t, uint64_t hash, size_t *probe) {
    if (!t->cap) return NULL;
    for (;;) {
        const weft_table_slot *s = &t->slots[(hash + (*probe)++) & (t->cap - 1)];
        if (!s->entry || s->hash == hash) return s->entry;
    }
}

/* entry: not NULL. Returns false when memory is out; the table is then unchanged. */
bool weft_table_add(weft_table *t, weft_arena *arena, uint64_t hash, const void *entry);

/* Mixes one more value into a hash, which begins as any number. After weft_hash_end low bits depend on all of v. */
static inline uint64_t weft_hash_mix(uint64_t h, uint64_t v) {
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    return h * 0xff51afd7ed558ccdu;
}
static inline uint64_t weft_hash_end(uint64_t h) { return h ^ h >> 32; }
uint64_t weft_hash_bytes(uint64_t h, const void *p, size_t n);

#endif
