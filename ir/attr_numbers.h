/* attr_numbers.h: attributes numbered from 0 in the order in which they first come, so that what is known of one is an
 * array by its number. Equal attributes have one number, wherever they stand. Lives in an arena; used by one thread. */
#ifndef WEFT_IR_ATTR_NUMBERS_H
#define WEFT_IR_ATTR_NUMBERS_H

#include "base/table.h"
#include "ir/attr.h"

typedef struct weft_attr_numbers {
    weft_arena *arena;
    weft_table of;
    uint32_t count;
} weft_attr_numbers;

/* Takes no memory before the first attribute. */
static inline weft_attr_numbers weft_attr_numbers_in(weft_arena *arena) {
    return (weft_attr_numbers){ .arena = arena };
}

/* The number of attr, which outlives the table: `count` as it was, where attr is new. False when memory is out. */
bool weft_attr_number_of(weft_attr_numbers *t, const weft_attr *attr, uint32_t *number);

#endif
