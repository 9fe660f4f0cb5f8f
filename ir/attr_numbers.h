/* attr_numbers.h: numbers attributes from 0 in the order of first occurrence, so that facts about them can be kept in
 * an array. Equal attributes have one number. Lives in an arena; used by one thread. */
#ifndef WEFT_IR_ATTR_NUMBERS_H
#define WEFT_IR_ATTR_NUMBERS_H

#include "base/table.h"
#include "ir/attr.h"

typedef struct weft_attr_numbers {
    weft_arena *arena;
    weft_table of;
    uint32_t count;
} weft_attr_numbers;

/* Allocates nothing before the first attribute. */
static inline weft_attr_numbers weft_attr_numbers_in(weft_arena *arena) {
    return (weft_attr_numbers){ .arena = arena };
}

/* The number of attr, which must outlive the table; a new attribute gets the old `count`. False when memory is out. */
bool weft_attr_number_of(weft_attr_numbers *t, const weft_attr *attr, uint32_t *number);

/* A pointer for each attribute: what was read from it. */
typedef struct weft_attr_facts {
    weft_attr_numbers numbers;
    const void **of; size_t cap;
} weft_attr_facts;

/* Where the pointer for attr stands until the next call, NULL at first; NULL when memory is out. */
const void **weft_attr_fact(weft_attr_facts *t, const weft_attr *attr);

#endif
