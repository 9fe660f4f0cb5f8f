/* bytecode_write_op.c: operations, regions and blocks in bytecode; how values are numbered: bytecode_op.c. */
#include <stdlib.h>
#include "mlir/bytecode_write.h"

static bw_side side_of(const bc_writer *w, const weft_op *op) {
    return w->vhlo && w->newest[op->kind] ? BW_VHLO : BW_OWN;
}

static bw_side side_of_value(const bc_writer *w, const weft_value *v) {
    return side_of(w, v->def ? v->def : v->block->parent->parent);
}

/* Marks the values that the other side reads, in casts. */
static weft_status mark_casts(void *user, weft_op *op) {
    bc_writer *w = user;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (side_of_value(w, op->operands[i]) != side_of(w, op)) w->casts[op->operands[i]->id] = 1;
    return WEFT_OK;
}

static uint32_t with_cast(const bc_writer *w, const weft_value *v) { return w->casts[v->id] ? 2 : 1; }

/* What the blocks of a region define, casts included. */
static uint32_t values_in(const bc_writer *w, const weft_region *region) {
    uint32_t n = 0;
    WEFT_EACH_BLOCK(blk, region) {
        for (uint32_t i = 0; i < blk->arg_count; i++) n += with_cast(w, blk->args[i]);
        WEFT_EACH_OP(op, blk)
            for (uint32_t i = 0; i < op->result_count; i++) n += with_cast(w, &op->results[i]);
    }
    return n;
}

static uint32_t ops_in(const bc_writer *w, const weft_block *blk) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < blk->arg_count; i++) n += with_cast(w, blk->args[i]) - 1;
    WEFT_EACH_OP(op, blk) {
        n++;
        for (uint32_t i = 0; i < op->result_count; i++) n += with_cast(w, &op->results[i]) - 1;
    }
    return n;
}

/* The casts of values that have just been defined. */
static void cast(bc_writer *w, weft_buf *b, const weft_value *v, uint32_t *next) {
    if (!w->casts[v->id]) return;
    bw_int(b, bw_op_name(w, WEFT_STR("builtin"), WEFT_STR("unrealized_conversion_cast"), BW_REGISTERED));
    weft_buf_putc(b, BC_HAS_RESULTS | BC_HAS_OPERANDS);
    bw_int(b, bw_loc(w, weft_value_loc(v)));
    bw_int(b, 1);
    bw_int(b, bw_type(w, side_of_value(w, v) == BW_VHLO ? BW_OWN : BW_VHLO, v->type));
    bw_int(b, 1);
    bw_int(b, w->numbers[v->id]);
    w->casts[v->id] = 1 + (*next)++;
}

static uint32_t own_name(bc_writer *w, const weft_op *op) {
    const weft_str full = weft_name_str(op->name);
    const char *dot = full.n ? memchr(full.p, '.', full.n) : NULL;
    const size_t n = dot ? (size_t)(dot - full.p) : full.n;
    const weft_str rest = dot ? (weft_str){ dot + 1, full.n - n - 1 } : WEFT_STR("");
    return bw_op_name(w, (weft_str){ full.p, n }, rest,
                      op->kind != WEFT_OP_other ? BW_REGISTERED : BW_UNREGISTERED);
}

static int by_name(const void *a, const void *b) {
    const bw_named *x = a, *y = b;
    return strcmp(x->name->text, y->name->text);
}

static uint32_t dictionary(bc_writer *w, bw_attrs *attrs) {
    weft_buf b;
    weft_buf_init(&b, &w->cx->alloc);
    if (attrs->n) qsort(attrs->v, attrs->n, sizeof *attrs->v, by_name);
    bw_int(&b, BUILTIN_DICT);
    bw_int(&b, attrs->n);
    for (size_t i = 0; i < attrs->n; i++) {
        bw_int(&b, bw_string_attr(w, weft_name_str(attrs->v[i].name)));
        bw_int(&b, attrs->v[i].attr);
    }
    return bw_add(w, &w->attrs, "builtin", BW_ENCODED, &b);
}

/* The sizes of the two groups of operands or results: number << 1, then each. */
static void segment(bc_writer *w, weft_buf *b, const weft_op *op, const bc_property *x) {
    const weft_attr *a = weft_op_attr(op, (weft_attr_name)x->name->id);
    bool fits = a && a->kind == WEFT_ATTR_DENSE_ARRAY && a->dtype == WEFT_I32 && a->ints.n == 2;
    for (uint32_t i = 0; fits && i < a->ints.n; i++) fits = a->ints.v[i] >= 0;
    if (!fits) {
        bw_refuse(w, "'%s' of '%s' is not the sizes of two groups", x->name->text, op->name->text);
        return;
    }
    bw_flagged(b, a->ints.n, false);
    for (uint32_t i = 0; i < a->ints.n; i++) bw_int(b, (uint64_t)a->ints.v[i]);
}

static void own_property(bc_writer *w, weft_buf *b, const weft_op *op, const bc_property *x) {
    const weft_attr *a = weft_op_attr(op, (weft_attr_name)x->name->id);
    if (!a && x->is_optional && bc_property_is_newer((weft_op_kind)op->kind, x)) return;
    if (!a && !x->is_optional) {
        bw_refuse(w, "'%s' has no attribute '%s'", op->name->text, x->name->text);
        return;
    }
    const uint32_t number = a ? bw_attr_named(w, x->name, a) : 0;
    if (x->is_optional) bw_flagged(b, number, a);
    else bw_int(b, number);
}

/* What an op has as properties, and the other attributes. False: nothing is a property. */
static bool own_properties(bc_writer *w, weft_buf *b, const weft_op *op) {
    uint32_t count = 0;
    const bool split = w->format >= BC_REGISTERED_OPS && op->kind != WEFT_OP_other;
    const bc_property *v = split ? bw_properties(w, (weft_op_kind)op->kind, &count) : NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!bc_is_segment(&v[i])) own_property(w, b, op, &v[i]);
    for (uint32_t i = 0; i < count; i++)
        if (bc_is_segment(&v[i])) segment(w, b, op, &v[i]);
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const weft_named_attr *a = &op->attrs[i];
        if (!split || !weft_op_kind_has_attr((weft_op_kind)op->kind, a->name->id))
            bw_push(w, &w->others, a->name, bw_attr_named(w, a->name, a->value));
    }
    return count;
}

/* The same of an op of VHLO. */
static bool vhlo_properties(bc_writer *w, weft_buf *b, const weft_op *op) {
    bw_vhlo_op(w, op, w->format >= BC_REGISTERED_OPS ? &w->inherent : &w->others);
    for (size_t i = 0; i < w->inherent.n; i++) bw_int(b, w->inherent.v[i].attr);
    return w->inherent.n;
}

static void block(bc_writer *w, weft_buf *b, const weft_block *blk, uint32_t *next);

static void block_arguments(bc_writer *w, weft_buf *b, const weft_block *blk, bw_side side, uint32_t *next) {
    bw_int(b, blk->arg_count);
    for (uint32_t i = 0; i < blk->arg_count; i++) {
        const weft_loc *loc = weft_value_loc(blk->args[i]);
        const bool has_loc = w->format < BC_ELIDED_LOCATIONS || weft_loc_given(loc)->kind != WEFT_LOC_UNKNOWN;
        const uint32_t type = bw_type(w, side, blk->args[i]->type);
        if (w->format < BC_ELIDED_LOCATIONS) bw_int(b, type);
        else bw_flagged(b, type, has_loc);
        if (has_loc) bw_int(b, bw_loc(w, loc));
        w->numbers[blk->args[i]->id] = (*next)++;
    }
    if (w->format >= BC_USE_LISTS) weft_buf_putc(b, 0);
}

static void region(bc_writer *w, weft_buf *b, const weft_region *r) {
    uint32_t blocks = 0, next = w->top;
    WEFT_EACH_BLOCK(blk, r) blocks++;
    bw_int(b, blocks);
    if (!blocks) return;
    const uint32_t n = values_in(w, r);
    bw_int(b, n);
    w->top += n;
    WEFT_EACH_BLOCK(blk, r) block(w, b, blk, &next);
    w->top -= n;
}

/* A cast follows what it casts, so what ends a region must be of the dialects of its op. */
static void check_end(bc_writer *w, const weft_op *op, const weft_region *r) {
    WEFT_EACH_BLOCK(blk, r)
        if (op->kind != WEFT_OP_module && blk->last && side_of(w, blk->last) != side_of(w, op))
            bw_refuse(w, "portable artifacts have no '%s' with a body that ends with '%s'", op->name->text,
                      blk->last->name->text);
}

/* Isolated regions have numbers of their own, and are a section. */
static void regions(bc_writer *w, weft_buf *b, const weft_op *op) {
    const bool isolated = op->kind == WEFT_OP_module || weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_ISOLATED);
    const uint32_t outer = w->top;
    weft_buf own;
    weft_buf_init(&own, &w->cx->alloc);
    weft_buf *to = isolated && w->format >= BC_LAZY_REGIONS ? &own : b;
    bw_flagged(b, op->region_count, isolated);
    if (isolated) w->top = 0;
    for (uint32_t i = 0; i < op->region_count; i++) {
        check_end(w, op, &op->regions[i]);
        region(w, to, &op->regions[i]);
    }
    w->top = outer;
    if (to == &own) bw_section(b, BC_IR, &own);
    weft_buf_free(&own);
}

static uint32_t operand(const bc_writer *w, const weft_op *op, const weft_value *v) {
    return side_of_value(w, v) == side_of(w, op) ? w->numbers[v->id] : w->casts[v->id] - 1;
}

static void parts(bc_writer *w, weft_buf *b, const weft_op *op, bw_side side, uint32_t *next) {
    weft_buf properties;
    weft_buf_init(&properties, &w->cx->alloc);
    w->inherent.n = w->others.n = 0;
    const bool has = side == BW_VHLO ? vhlo_properties(w, &properties, op) : own_properties(w, &properties, op);
    weft_buf_putc(b, (char)((w->others.n ? BC_HAS_ATTRS : 0) | (has ? BC_HAS_PROPERTIES : 0) |
                            (op->result_count ? BC_HAS_RESULTS : 0) | (op->operand_count ? BC_HAS_OPERANDS : 0) |
                            (op->region_count ? BC_HAS_REGIONS : 0)));
    bw_int(b, bw_loc(w, op->loc));
    if (w->others.n) bw_int(b, dictionary(w, &w->others));
    if (has) bw_int(b, bw_add(w, &w->properties, NULL, BW_ENCODED, &properties));
    else weft_buf_free(&properties);
    if (op->result_count) bw_int(b, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) {
        bw_int(b, bw_type(w, side, op->results[i].type));
        w->numbers[op->results[i].id] = (*next)++;
    }
    if (op->operand_count) bw_int(b, op->operand_count);
    for (uint32_t i = 0; i < op->operand_count; i++) bw_int(b, operand(w, op, op->operands[i]));
    if (op->region_count) regions(w, b, op);
}

/* Some version of VHLO has the op, and the target has none. */
static void refuse_op(bc_writer *w, const weft_op *op) {
    unsigned since = BC_VHLO_OLDEST;
    while (!bc_vhlo_op_at((weft_op_kind)op->kind, since)) since++;
    bw_refuse_newer(w, since, "op '%s'", op->name->text);
}

static void op_write(bc_writer *w, weft_buf *b, const weft_op *op, uint32_t *next) {
    const weft_op *outer = w->op;
    const bw_side side = side_of(w, op);
    if (w->status != WEFT_OK) return;
    w->op = op;
    if (side == BW_VHLO && !w->chosen[op->kind]) {
        refuse_op(w, op);
        return;
    }
    bw_int(b, side == BW_VHLO ? bw_op_name(w, WEFT_STR("vhlo"), weft_str_from(w->chosen[op->kind]->name), BW_REGISTERED)
                              : own_name(w, op));
    parts(w, b, op, side, next);
    for (uint32_t i = 0; i < op->result_count; i++) cast(w, b, &op->results[i], next);
    w->op = outer;
}

static void block(bc_writer *w, weft_buf *b, const weft_block *blk, uint32_t *next) {
    bw_flagged(b, ops_in(w, blk), blk->arg_count);
    if (blk->arg_count) block_arguments(w, b, blk, side_of(w, blk->parent->parent), next);
    for (uint32_t i = 0; i < blk->arg_count; i++) cast(w, b, blk->args[i], next);
    WEFT_EACH_OP(op, blk) op_write(w, b, op, next);
}

/* A block of one op, the module. */
void bw_ir(bc_writer *w, const weft_module *m, weft_buf *b) {
    uint32_t next = 0;
    if (w->vhlo) weft_module_walk(m, mark_casts, w);
    bw_flagged(b, 1, false);
    op_write(w, b, m->root, &next);
    if (b->failed) bw_oom(w);
}
