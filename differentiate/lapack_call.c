/* lapack_call.c: calls to LAPACK as their rules read them, and make them again; see lapack_call.h. */
#include "differentiate/lapack_call.h"
#include "ir/signature.h"

char gd_letter(gd *g, const weft_op *op, const char *name, const char *allowed) {
    const char letter = weft_custom_call_letter(op, name, allowed);
    if (!letter) gd_refuse(g, op, "its configuration lacks a letter that LAPACK needs");
    return letter;
}

static bool same_types(const weft_op *op, const weft_type *const *types) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->results[i].type != types[i]) return false;
    return true;
}

/* The configuration with some letters changed. */
static const weft_attr *config(gd *g, const weft_op *op, const char *const names[2], char letter) {
    const weft_attr *old = weft_custom_call_configs(op);
    weft_named_attr *entries = weft_arena_array(g->arena, weft_named_attr, old ? old->entries.n + 1u : 1u);
    if (!entries) gd_fail(g, weft_oom());
    if (!old || !entries) return NULL;
    for (uint32_t i = 0; i < old->entries.n; i++) {
        const weft_attr *a = old->entries.v[i].value;
        entries[i] = old->entries.v[i];
        for (int k = 0; k < 2; k++)
            if (names[k] && a == weft_dict_get_named(old, names[k]) &&
                entries[i].name == weft_name_intern(g->cx, weft_str_from(names[k])))
                entries[i].value = weft_attr_int(g->cx, letter, a->type);
    }
    return weft_attr_dict(g->cx, entries, old->entries.n);
}

weft_op *gd_call_again(gd *g, const weft_op *op, weft_value *const *operands, const weft_type *const *types,
                       const char *const names[2], char letter) {
    weft_named_attr *attrs = weft_arena_array(g->arena, weft_named_attr, op->attr_count + 1u);
    const weft_attr *configured = config(g, op, names, letter);
    const bool same = same_types(op, types);
    uint32_t n = 0;
    if (!attrs) gd_fail(g, weft_oom());
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!operands[i]) return NULL;
    if (!attrs) return NULL;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const weft_name name = op->attrs[i].name;
        if (name == weft_name_at(g->cx, WEFT_A_sdy_sharding) || name == weft_name_at(g->cx, WEFT_A_backend_config) ||
            name == weft_name_at(g->cx, WEFT_A_mhlo_backend_config) ||
            (name == weft_name_at(g->cx, WEFT_A_sdy_sharding_rule) && !same))
            continue;
        attrs[n++] = op->attrs[i];
    }
    if (configured)
        attrs[n++] = (weft_named_attr){ weft_name_at(g->cx, WEFT_A_mhlo_backend_config), configured };
    return weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_custom_call, .operands = operands,
                                                   .operand_count = op->operand_count, .types = types,
                                                   .result_count = op->result_count, .attrs = attrs, .attr_count = n });
}
