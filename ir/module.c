/* module.c: making and reading modules. */
#include "ir/module.h"

#include "ir/builder.h"
#include "ir/prepare.h"

weft_module *weft_module_new(weft_context *cx) {
    if (!weft_ir_prepare(cx)) return NULL;
    weft_module *m = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *m);
    if (!m) return NULL;
    *m = (weft_module){ .cx = cx };
    weft_arena_init(&m->arena, &cx->chunks);

    weft_builder b;
    weft_builder_init(&b, m, NULL);
    m->root = weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_module, .region_count = 1 });
    if (m->root) weft_build_block(&b, &m->root->regions[0]);
    if (b.status == WEFT_OK) return m;
    weft_module_free(m);
    return NULL;
}

void weft_module_free(weft_module *m) {
    if (!m) return;
    weft_allocator alloc = m->cx->alloc;
    weft_arena_free(&m->arena);
    alloc.resize(alloc.user, m, sizeof *m, 0);
}

weft_op *weft_module_symbol(const weft_module *m, weft_str name) {
    WEFT_EACH_OP(op, weft_module_body(m))
        if (weft_op_kind_has(op->kind, WEFT_TRAIT_SYMBOL) && weft_str_equal(weft_op_symbol(op, WEFT_A_sym_name), name))
            return op;
    return NULL;
}

weft_op *weft_module_main(const weft_module *m) {
    weft_op *only = NULL;
    int public_count = 0;
    WEFT_EACH_OP(op, weft_module_body(m)) {
        if (op->kind != WEFT_OP_func) continue;
        if (weft_str_is(weft_op_symbol(op, WEFT_A_sym_name), "main")) return op;
        if (weft_str_is(weft_op_symbol(op, WEFT_A_sym_visibility), "private")) continue;
        only = op;
        public_count++;
    }
    return public_count == 1 ? only : NULL;
}

const weft_attr *weft_op_attr(const weft_op *op, weft_attr_name name) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (op->attrs[i].name->id == (uint32_t)name) return op->attrs[i].value;
    return NULL;
}

const weft_attr *weft_op_attr_named(const weft_op *op, const char *name) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (!strcmp(op->attrs[i].name->text, name)) return op->attrs[i].value;
    return NULL;
}

int64_t weft_op_int(const weft_op *op, weft_attr_name name, int64_t absent) {
    const weft_attr *a = weft_op_attr(op, name);
    if (!a) return absent;
    if (a->kind == WEFT_ATTR_UNIT) return 1;
    return a->kind == WEFT_ATTR_INT || a->kind == WEFT_ATTR_BOOL ? a->i : absent;
}

weft_ints weft_op_ints(const weft_op *op, weft_attr_name name) {
    const weft_attr *a = weft_op_attr(op, name);
    return a && a->kind == WEFT_ATTR_DENSE_ARRAY ? a->ints : (weft_ints){ 0 };
}

int64_t weft_op_int_at(const weft_op *op, weft_attr_name name, uint32_t i, int64_t absent) {
    weft_ints v = weft_op_ints(op, name);
    return i < v.n ? v.v[i] : absent;
}

int64_t weft_op_padding_at(const weft_op *op, uint32_t i, uint32_t end) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_padding);
    return a && a->kind == WEFT_ATTR_DENSE ? weft_dense_int(a, 2 * (int64_t)i + end) : 0;
}

const char *const weft_visibilities[WEFT_VISIBILITIES] = { "public", "private", "nested" };

bool weft_is_visibility(weft_str text) {
    for (int i = 0; i < WEFT_VISIBILITIES; i++)
        if (weft_str_is(text, weft_visibilities[i])) return true;
    return false;
}

weft_str weft_op_symbol(const weft_op *op, weft_attr_name name) {
    const weft_attr *a = weft_op_attr(op, name);
    if (a && a->kind == WEFT_ATTR_STRING) return a->s;
    return a && a->kind == WEFT_ATTR_SYMBOL ? weft_name_str(a->names.v[a->names.n - 1]) : (weft_str){ NULL, 0 };
}

static const weft_attr *nth_attr(const weft_op *f, weft_attr_name list, uint32_t i, weft_attr_name name) {
    const weft_attr *a = weft_op_attr(f, list);
    return a && a->kind == WEFT_ATTR_ARRAY && i < a->items.n ? weft_dict_get(a->items.v[i], name) : NULL;
}

const weft_attr *weft_func_arg_attr(const weft_op *f, uint32_t arg, weft_attr_name name) {
    return nth_attr(f, WEFT_A_arg_attrs, arg, name);
}
const weft_attr *weft_func_result_attr(const weft_op *f, uint32_t res, weft_attr_name name) {
    return nth_attr(f, WEFT_A_res_attrs, res, name);
}

const weft_loc *weft_value_loc(const weft_value *v) {
    if (v->def) return v->def->loc;
    if (v->loc) return v->loc;
    return v->block && v->block->parent && v->block->parent->parent ? v->block->parent->parent->loc : &weft_loc_unknown;
}

const weft_value *weft_value_root(const weft_value *v) {
    while (v->def && weft_op_is_marker(v->def)) v = v->def->operands[0];
    return v;
}

/* Constraints on scalars come and go from pass to pass, and say nothing. */
weft_op_kind weft_reducer_kind(const weft_op *op, uint32_t region) {
    const weft_block *blk = region < op->region_count ? weft_op_body(op, region) : NULL;
    if (!blk || blk->arg_count != 2 || blk->last->operand_count != 1) return WEFT_OP_other;
    const weft_op *f = weft_value_root(blk->last->operands[0])->def;
    uint32_t others = 0;
    WEFT_EACH_OP(inner, blk) others += inner != f && inner != blk->last && !weft_op_is_marker(inner);
    if (!f || f->parent != blk || others || f->operand_count != 2 || f->result_count != 1) return WEFT_OP_other;
    const weft_value *x = weft_value_root(f->operands[0]), *y = weft_value_root(f->operands[1]);
    bool straight = x == blk->args[0] && y == blk->args[1], crossed = x == blk->args[1] && y == blk->args[0];
    return straight || (crossed && weft_op_kind_has(f->kind, WEFT_TRAIT_COMMUTES)) ? (weft_op_kind)f->kind
                                                                                   : WEFT_OP_other;
}

weft_status weft_op_read_since(weft_module *m, weft_op *op, uint32_t operand, uint32_t turn) {
    if (!op->turns && !(op->turns = weft_arena_array(&m->arena, uint32_t, op->operand_count))) return weft_oom();
    op->turns[operand] = turn;
    if (turn > m->turns) m->turns = turn;
    return WEFT_OK;
}

weft_status weft_op_read_as(weft_module *m, weft_op *copy, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; op->turns && st == WEFT_OK && i < op->operand_count; i++)
        if (op->turns[i]) st = weft_op_read_since(m, copy, i, op->turns[i]);
    return st;
}

static weft_status walk_region(const weft_region *r, weft_op_visitor visit, void *user);

weft_status weft_op_walk(weft_op *op, weft_op_visitor visit, void *user) {
    weft_status st = visit(user, op);
    for (uint32_t i = 0; st == WEFT_OK && i < op->region_count; i++) st = walk_region(&op->regions[i], visit, user);
    return st;
}

static weft_status walk_region(const weft_region *r, weft_op_visitor visit, void *user) {
    WEFT_EACH_BLOCK(b, r)
        WEFT_EACH_OP(op, b) {
            weft_status st = weft_op_walk(op, visit, user);
            if (st != WEFT_OK) return st;
        }
    return WEFT_OK;
}

weft_status weft_module_walk(const weft_module *m, weft_op_visitor visit, void *user) {
    return weft_op_walk(m->root, visit, user);
}

static void count_uses(const weft_op *op, uint32_t *next) { /* at id + 1 */
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b) {
                for (uint32_t i = 0; i < inner->operand_count; i++) next[inner->operands[i]->id + 1]++;
                if (inner->region_count) count_uses(inner, next);
            }
}

static void place_uses(const weft_op *op, uint32_t *next, weft_use *use) {
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b) {
                for (uint32_t i = 0; i < inner->operand_count; i++)
                    use[next[inner->operands[i]->id]++] = (weft_use){ inner, i };
                if (inner->region_count) place_uses(inner, next, use);
            }
}

/* Counting sort by value id: program order within a value is kept. */
weft_status weft_uses_build(const weft_module *m, weft_arena *arena, weft_uses *out) {
    size_t n = (size_t)m->value_count + 2;
    uint32_t *start = weft_arena_array(arena, uint32_t, n);
    uint32_t *next = weft_arena_array(arena, uint32_t, n);
    if (!start || !next) return weft_oom();
    count_uses(m->root, next);
    for (size_t i = 1; i < n; i++) next[i] += next[i - 1];
    memcpy(start, next, n * sizeof *start);
    weft_use *use = weft_arena_array(arena, weft_use, start[n - 1]);
    if (!use) return weft_oom();
    place_uses(m->root, next, use);
    *out = (weft_uses){ start, use };
    return WEFT_OK;
}
