/* memo.c: visits already worked out. Programs repeat themselves: layers have the same ops over the same shardings, and
 * each round of a propagation looks at every op again. What a visit does depends only on the key, so it is worked out
 * once. */
#include "propagate/state.h"

typedef struct entry {
    weft_memo_key key;            /* key.rule NULL: empty slot */
    const weft_sharding **after;
    uint64_t hash;
} entry;

struct weft_memo {
    weft_arena *arena;
    entry *slots;                 /* open addressing, power of two, at most half full */
    size_t slot_count, count;
};

weft_status weft_memo_open(weft_propagation *p) {
    weft_memo *m = weft_arena_new(&p->arena, weft_memo);
    if (!m) return weft_oom();
    m->arena = &p->arena;
    m->slot_count = 1024;
    m->slots = weft_arena_array(m->arena, entry, m->slot_count);
    p->memo = m;
    return m->slots ? WEFT_OK : weft_oom();
}

static uint64_t key_hash(const weft_memo_key *k) {
    uint64_t h = (((uint64_t)k->rule->id << 8) ^ k->how) * 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < k->n; i++)
        h = (h ^ (h >> 32) ^ (k->before[i] ? k->before[i]->id + 1 : 0)) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static bool key_same(const weft_memo_key *a, const weft_memo_key *b) {
    return a->rule == b->rule && a->how == b->how && !memcmp(a->before, b->before, a->n * sizeof *a->before);
}

/* The slot of the key, or the empty one where it would be. */
static entry *lookup(const weft_memo *m, const weft_memo_key *key, uint64_t hash) {
    size_t k = hash & (m->slot_count - 1);
    while (m->slots[k].key.rule && !(m->slots[k].hash == hash && key_same(&m->slots[k].key, key)))
        k = (k + 1) & (m->slot_count - 1);
    return &m->slots[k];
}

const weft_sharding *const *weft_memo_find(const weft_memo *memo, const weft_memo_key *key) {
    return lookup(memo, key, key_hash(key))->after;
}

static bool grow(weft_memo *m) {
    size_t old_count = m->slot_count;
    entry *old = m->slots, *slots = weft_arena_array(m->arena, entry, old_count * 2);
    if (!slots) return false;
    m->slots = slots;
    m->slot_count = old_count * 2;
    for (size_t i = 0; i < old_count; i++) {
        if (!old[i].key.rule) continue;
        size_t k = old[i].hash & (m->slot_count - 1);
        while (slots[k].key.rule) k = (k + 1) & (m->slot_count - 1);
        slots[k] = old[i];
    }
    return true;
}

const weft_sharding **weft_memo_add(weft_memo *memo, const weft_memo_key *key) {
    if (2 * (memo->count + 1) > memo->slot_count && !grow(memo)) return NULL;
    uint64_t hash = key_hash(key);
    entry *e = lookup(memo, key, hash);
    const weft_sharding **before =
        weft_arena_dup(memo->arena, key->before, key->n * sizeof *before, _Alignof(const weft_sharding *));
    const weft_sharding **after = weft_arena_array(memo->arena, const weft_sharding *, key->n + 1);
    if (!before || !after) return NULL;
    *e = (entry){ { key->rule, key->how, key->n, before }, after, hash };
    memo->count++;
    return after;
}
