/* attr_numbers.c: see attr_numbers.h. */
#include "ir/attr_numbers.h"

#define FIRST_SLOTS 64

static weft_attr_number *slot_of(weft_attr_number *slots, size_t n, const weft_attr *attr, uint32_t hash) {
    size_t k = hash & (n - 1);
    while (slots[k].attr && !(slots[k].hash == hash && weft_attr_equal(slots[k].attr, attr))) k = (k + 1) & (n - 1);
    return &slots[k];
}

static bool grow(weft_attr_numbers *t) {
    size_t n = t->slot_count ? 2 * t->slot_count : FIRST_SLOTS;
    weft_attr_number *slots = weft_arena_array(t->arena, weft_attr_number, n);
    if (!slots) return false;
    for (size_t i = 0; i < t->slot_count; i++) {
        size_t k = t->slots[i].hash & (n - 1);
        if (!t->slots[i].attr) continue;
        while (slots[k].attr) k = (k + 1) & (n - 1); /* no two are equal */
        slots[k] = t->slots[i];
    }
    t->slots = slots;
    t->slot_count = n;
    return true;
}

bool weft_attr_number_of(weft_attr_numbers *t, const weft_attr *attr, uint32_t *number) {
    if (2 * ((size_t)t->count + 1) > t->slot_count && !grow(t)) return false;
    uint32_t hash = weft_attr_hash(attr);
    weft_attr_number *slot = slot_of(t->slots, t->slot_count, attr, hash);
    if (!slot->attr) *slot = (weft_attr_number){ attr, hash, t->count++ };
    *number = slot->number;
    return true;
}
