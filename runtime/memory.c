/* memory: what is in use of a memory and what is kept of it, whatever its kind. */
#include "runtime/memory.h"

struct weft_kept_block {
    void *at;
    int64_t bytes;                             /* in whole granules */
    weft_kept_block *next_of_size, *before_of_size; /* newest first */
    weft_kept_block *newer, *older;
};

static int64_t rounded(const weft_memory *m, int64_t bytes) {
    const int64_t granule = m->kind->granule ? (int64_t)m->kind->granule : 1;
    return (weft_max_i64(bytes, 1) + granule - 1) / granule * granule;
}

static weft_kept_block **list_of(weft_memory *m, int64_t bytes) {
    return &m->of_size[(uint64_t)bytes * 0x9e3779b97f4a7c15u >> 58];
}

static void *take_out(weft_memory *m, weft_kept_block *k) {
    void *at = k->at;
    if (k->before_of_size) k->before_of_size->next_of_size = k->next_of_size;
    else *list_of(m, k->bytes) = k->next_of_size;
    if (k->next_of_size) k->next_of_size->before_of_size = k->before_of_size;
    *(k->older ? &k->older->newer : &m->oldest) = k->newer;
    *(k->newer ? &k->newer->older : &m->newest) = k->older;
    m->kept -= k->bytes;
    k->newer = m->spare;
    m->spare = k;
    return at;
}

/* Whether the block is kept. */
static bool keep(weft_memory *m, void *block, int64_t bytes) {
    weft_kept_block *k = m->spare, **list = list_of(m, bytes);
    if (k) m->spare = k->newer;
    else if (m->alloc) k = m->alloc->resize(m->alloc->user, NULL, 0, sizeof *k);
    if (!k) return false;
    *k = (weft_kept_block){ .at = block, .bytes = bytes, .next_of_size = *list, .older = m->newest };
    if (*list) (*list)->before_of_size = k;
    *list = k;
    *(m->newest ? &m->newest->newer : &m->oldest) = k;
    m->newest = k;
    m->kept += bytes;
    return true;
}

static void give_back(weft_memory *m, int64_t most) {
    while (m->oldest && m->rounded + m->kept > most) m->kind->release(m->state, take_out(m, m->oldest));
}

void weft_memory_trim(weft_memory *m) {
    give_back(m, 0);
    for (weft_kept_block *k = m->spare, *next; k; k = next) {
        next = k->newer;
        m->alloc->resize(m->alloc->user, k, sizeof *k, 0);
    }
    m->spare = NULL;
}

/* Where the kind has no more, what is kept in other sizes may make room. */
static void *find(weft_memory *m, int64_t bytes) {
    for (weft_kept_block *k = *list_of(m, bytes); k; k = k->next_of_size)
        if (k->bytes == bytes) return take_out(m, k);
    give_back(m, weft_max_i64(m->rounded_most - bytes, 0));
    void *block = m->kind->allocate(m->state, (size_t)bytes);
    if (block || !m->kept) return block;
    weft_memory_trim(m);
    return m->kind->allocate(m->state, (size_t)bytes);
}

void *weft_memory_allocate(weft_memory *m, int64_t bytes) {
    const int64_t whole = rounded(m, bytes);
    void *block = find(m, whole);
    if (!block) return NULL;
    m->bytes += bytes;
    m->most = weft_max_i64(m->most, m->bytes);
    m->rounded += whole;
    m->rounded_most = weft_max_i64(m->rounded_most, m->rounded);
    return block;
}

void weft_memory_release(weft_memory *m, void *block, int64_t bytes) {
    if (!block) return;
    const int64_t whole = rounded(m, bytes);
    m->bytes -= bytes;
    m->rounded -= whole;
    if (!keep(m, block, whole)) m->kind->release(m->state, block);
    give_back(m, m->rounded_most);
}
