/* symbols.c: see symbols.h. */
#include "ir/symbols.h"

/* FNV-1a, 32 bits: Fowler, Noll and Vo. */
static uint32_t hash_of(weft_str s) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < s.n; i++) h = (h ^ (unsigned char)s.p[i]) * 16777619u;
    return h ^ h >> 15;
}

/* The slot that holds name, or the free one where it belongs. */
static uint32_t slot_of(const weft_symbol_table *t, weft_str name) {
    uint32_t i = hash_of(name) & t->mask;
    while (t->slots[i] && !weft_str_equal(weft_op_symbol(t->slots[i], WEFT_A_sym_name), name)) i = (i + 1) & t->mask;
    return i;
}

weft_status weft_symbol_table_open(const weft_module *m, weft_arena *arena, weft_symbol_table *out, const weft_op **twice) {
    uint32_t count = 0, slots = 8;
    if (twice) *twice = NULL;
    WEFT_EACH_OP(op, weft_module_body(m)) count += weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_SYMBOL);
    while (slots < 2 * count) slots *= 2;
    *out = (weft_symbol_table){ weft_arena_array(arena, weft_op *, slots), slots - 1 };
    if (!out->slots) return weft_oom();
    WEFT_EACH_OP(op, weft_module_body(m)) {
        weft_str name = weft_op_symbol(op, WEFT_A_sym_name);
        if (!weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_SYMBOL) || !name.p) continue;
        weft_op **slot = &out->slots[slot_of(out, name)];
        if (!*slot) *slot = op;
        else if (twice && !*twice) *twice = op;
    }
    return WEFT_OK;
}

weft_op *weft_symbol_table_find(const weft_symbol_table *t, weft_str name) { return name.p ? t->slots[slot_of(t, name)] : NULL; }
