/* symbols.h: the symbols of a module by name, for whoever looks up more than a few. Valid while the module does not change; lives in the
 * arena that it was opened on. */
#ifndef WEFT_IR_SYMBOLS_H
#define WEFT_IR_SYMBOLS_H

#include "ir/module.h"

typedef struct weft_symbol_table {
    weft_op **slots;       /* open addressing by the name's hash, power of two, at most half full; NULL: not opened */
    uint32_t mask;
} weft_symbol_table;

/* Of two ops of one name, which a verified module has not, the first counts; *twice, where not NULL, is the second, or NULL. */
weft_status weft_symbol_table_open(const weft_module *m, weft_arena *arena, weft_symbol_table *out, const weft_op **twice);
weft_op *weft_symbol_table_find(const weft_symbol_table *t, weft_str name); /* NULL when there is none */

#endif
