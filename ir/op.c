/* op.c: the op table and the attribute names, expanded. */
#include "ir/op.h"

#define V WEFT_VARIADIC
#define REQ(name) { WEFT_A_##name, WEFT_REQUIRED },
#define OPT(name) { WEFT_A_##name, WEFT_OPTIONAL },
#define LIST(...) __VA_ARGS__
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    static const weft_attr_spec attrs_##id[] = { LIST attrs { 0, WEFT_END_OF_ATTRS } };
#include "ir/ops.def"
#undef REQ
#undef OPT

enum {
    NONE = WEFT_TRAIT_NONE, PURE = WEFT_TRAIT_PURE, POINTWISE = WEFT_TRAIT_POINTWISE, COMMUTES = WEFT_TRAIT_COMMUTES,
    CONSTANT = WEFT_TRAIT_CONSTANT, CONTROL = WEFT_TRAIT_CONTROL, TERMINATOR = WEFT_TRAIT_TERMINATOR,
    COLLECTIVE = WEFT_TRAIT_COLLECTIVE, SYMBOL = WEFT_TRAIT_SYMBOL, ISOLATED = WEFT_TRAIT_ISOLATED,
    QUANT = WEFT_TRAIT_QUANT, VIEW = WEFT_TRAIT_VIEW, MARKER = WEFT_TRAIT_MARKER
};

const weft_op_info weft_op_table[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) \
    [WEFT_OP_##id] = { text, operands, results, regions, traits, attrs_##id },
#include "ir/ops.def"
};

const char *const weft_attr_names[WEFT_A_COUNT] = {
#define ATTR(id, text, kind) [WEFT_A_##id] = text,
#include "ir/attrs.def"
};

const uint8_t weft_attr_specs[WEFT_A_COUNT] = {
#define ATTR(id, text, kind) [WEFT_A_##id] = WEFT_SPEC_##kind,
#include "ir/attrs.def"
};

const weft_enum_info weft_enum_table[WEFT_ENUM_COUNT] = {
#define ENUM_SET(set, dialect, mnemonic)
#define ENUM(set, keyword) { WEFT_ENUM_##set, #keyword },
#include "ir/enums.def"
};

const weft_enum_set_info weft_enum_sets[WEFT_ENUM_SET_COUNT] = {
#define ENUM_SET(set, dialect, mnemonic) { #set, dialect, mnemonic },
#define ENUM(set, keyword)
#include "ir/enums.def"
};

weft_enum_value weft_enum_find(weft_enum_set set, weft_str keyword) {
    int e = 0;
    while (e < WEFT_ENUM_COUNT &&
           (weft_enum_table[e].set != set || !weft_str_is(keyword, weft_enum_table[e].keyword))) e++;
    return (weft_enum_value)e;
}

bool weft_op_kind_has_attr(weft_op_kind k, unsigned name_id) {
    for (const weft_attr_spec *s = weft_op_table[k].attrs; s->presence; s++)
        if (s->name == name_id) return true;
    return false;
}

/* ir_prepare (type.c) interned the attribute names and then the mnemonics, so a mnemonic's id gives its kind. */
weft_op_kind weft_op_kind_find(weft_context *cx, weft_name name) {
    (void)cx;
    uint32_t at = name->id - WEFT_A_COUNT;
    return name->id >= WEFT_A_COUNT && at < WEFT_OP_other ? (weft_op_kind)at : WEFT_OP_other;
}
