/* attr_numbers.c: see attr_numbers.h. */
#include "ir/attr_numbers.h"

typedef struct numbered { const weft_attr *attr; uint32_t number; } numbered;

bool weft_attr_number_of(weft_attr_numbers *t, const weft_attr *attr, uint32_t *number) {
    const uint64_t hash = weft_attr_hash(attr);
    size_t probe = 0;
    for (const numbered *old; (old = weft_table_next(&t->of, hash, &probe));)
        if (weft_attr_equal(old->attr, attr)) return *number = old->number, true;
    numbered *made = weft_arena_new(t->arena, numbered);
    if (!made) return false;
    *made = (numbered){ attr, t->count };
    if (!weft_table_add(&t->of, t->arena, hash, made)) return false;
    *number = t->count++;
    return true;
}

const void **weft_attr_fact(weft_attr_facts *t, const weft_attr *attr) {
    uint32_t i;
    if (!weft_attr_number_of(&t->numbers, attr, &i) ||
        !weft_arena_grow(t->numbers.arena, (void **)&t->of, &t->cap, (size_t)i + 1, sizeof *t->of))
        return NULL;
    return &t->of[i];
}
