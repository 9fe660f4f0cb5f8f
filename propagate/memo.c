/* memo.c: the results of earlier visits. Programs repeat themselves: layers have the same ops over the same shardings,
 * and each round of a propagation visits every op again. The result of a visit depends only on its key, so it is
 * computed once. */
#include "base/table.h"
#include "propagate/state.h"

typedef struct entry {
    weft_memo_key key;
    const weft_sharding **after;
} entry;

struct weft_memo {
    weft_arena *arena;
    weft_table entries;
};

weft_status weft_memo_open(weft_propagation *p) {
    weft_memo *m = p->memo = weft_arena_new(&p->arena, weft_memo);
    if (m) m->arena = &p->arena;
    return m ? WEFT_OK : weft_oom();
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

const weft_sharding *const *weft_memo_find(const weft_memo *memo, const weft_memo_key *key) {
    const uint64_t hash = key_hash(key);
    size_t probe = 0;
    for (const entry *e; (e = weft_table_next(&memo->entries, hash, &probe));)
        if (key_same(&e->key, key)) return e->after;
    return NULL;
}

const weft_sharding **weft_memo_add(weft_memo *memo, const weft_memo_key *key) {
    entry *e = weft_arena_new(memo->arena, entry);
    const weft_sharding **before =
        weft_arena_dup(memo->arena, key->before, key->n * sizeof *before, _Alignof(const weft_sharding *));
    const weft_sharding **after = weft_arena_array(memo->arena, const weft_sharding *, key->n + 1);
    if (!e || !before || !after) return NULL;
    *e = (entry){ { key->rule, key->how, key->n, before }, after };
    return weft_table_add(&memo->entries, memo->arena, key_hash(key), e) ? after : NULL;
}
