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

weft_status weft_symbol_table_open(const weft_module *m, weft_arena *arena, weft_symbol_table *out,
                                   const weft_op **twice) {
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

weft_op *weft_symbol_table_find(const weft_symbol_table *t, weft_str name) {
    return name.p ? t->slots[slot_of(t, name)] : NULL;
}

/* --- added symbols ------------------------------------------------------------------------------------------------ */

weft_name weft_symbol_name(weft_context *cx, const weft_op *op) {
    return weft_name_intern(cx, weft_op_symbol(op, WEFT_A_sym_name));
}

/* An added name has no op yet; the table then holds this. */
static const weft_op added;

static bool enter(weft_symbols *s, weft_name name, const weft_op *op) {
    if (!weft_arena_grow(s->arena, (void **)&s->of, &s->cap, name->id + 1, sizeof *s->of)) return false;
    s->of[name->id] = op;
    return true;
}

weft_status weft_symbols_open(const weft_module *in, weft_arena *arena, weft_symbols *out) {
    *out = (weft_symbols){ .cx = in->cx, .arena = arena };
    WEFT_EACH_OP(op, weft_module_body(in)) {
        if (!weft_op_kind_has(op->kind, WEFT_TRAIT_SYMBOL)) continue;
        weft_name name = weft_symbol_name(in->cx, op);
        if (!name || !enter(out, name, op)) return weft_oom();
    }
    return WEFT_OK;
}

static const weft_op *entry(const weft_symbols *s, weft_name name) {
    return name && name->id < s->cap ? s->of[name->id] : NULL;
}

const weft_op *weft_symbols_find(const weft_symbols *s, weft_name name) {
    const weft_op *op = entry(s, name);
    return op == &added ? NULL : op;
}

weft_name weft_symbols_add(weft_symbols *s, weft_name wanted) {
    weft_name name = wanted;
    weft_buf text;
    weft_buf_init(&text, &s->cx->alloc);
    while (name && entry(s, name)) {
        text.n = 0;
        weft_buf_put(&text, wanted->text, wanted->n);
        weft_buf_printf(&text, "_%u", s->counter++);
        name = text.failed ? NULL : weft_name_intern(s->cx, (weft_str){ text.p, text.n });
    }
    weft_buf_free(&text);
    return name && enter(s, name, &added) ? name : NULL;
}

void weft_symbols_remove(weft_symbols *s, weft_name name) {
    if (name->id < s->cap) s->of[name->id] = NULL;
}
