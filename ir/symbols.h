/* symbols.h: the symbols of a module by name, for more than a few lookups. Valid while the module does not change;
 * lives in the arena on which it was opened. */
#ifndef WEFT_IR_SYMBOLS_H
#define WEFT_IR_SYMBOLS_H

#include "ir/module.h"

typedef struct weft_symbol_table {
    weft_op **slots;       /* open addressing by the name's hash, power of two, at most half full; NULL: not opened */
    uint32_t mask;
} weft_symbol_table;

/* Of two ops of one name, which a verified module cannot have, the first counts; *twice, if not NULL, is the second, or
 * NULL. */
weft_status weft_symbol_table_open(const weft_module *m, weft_arena *arena, weft_symbol_table *out,
                                   const weft_op **twice);
weft_op *weft_symbol_table_find(const weft_symbol_table *t, weft_str name); /* NULL when absent */

/* The symbols of a module and those that a pass adds: functions, meshes. */
typedef struct weft_symbols {
    weft_context *cx;
    weft_arena *arena;
    const weft_op **of;          /* by name id: the op, a mark for a name added, or NULL */
    size_t cap;
    uint32_t counter;            /* of added endings, over all names, as in MLIR */
} weft_symbols;
weft_status weft_symbols_open(const weft_module *in, weft_arena *arena, weft_symbols *out);
const weft_op *weft_symbols_find(const weft_symbols *s, weft_name name);
/* wanted or, if that is taken, wanted_0, wanted_1, ... with the next counter. NULL only when memory is out. */
weft_name weft_symbols_add(weft_symbols *s, weft_name wanted);
/* for an op that the pass leaves out: its name is free again */
void weft_symbols_remove(weft_symbols *s, weft_name name);

weft_name weft_symbol_name(weft_context *cx, const weft_op *op);   /* interned sym_name; NULL when memory is out */

#endif
