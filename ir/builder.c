/* builder.c: appends ops, numbers values and ops, and keeps the first failure. */
#include "ir/builder.h"

void weft_builder_init(weft_builder *b, weft_module *m, weft_block *block) {
    *b = (weft_builder){ .m = m, .block = block, .loc = &weft_loc_unknown };
}

static void note_kind(weft_module *m, const weft_op *op) { m->had[op->kind / 64] |= (uint64_t)1 << (op->kind % 64); }

static void link_op(weft_builder *b, weft_op *op) {
    weft_block *blk = b->block;
    note_kind(b->m, op);
    b->m->calls_known &= op->kind != WEFT_OP_func_call;
    if (!blk) return;
    op->parent = blk;
    op->next = b->before;
    op->prev = b->before ? b->before->prev : blk->last;
    if (op->prev) op->prev->next = op; else blk->first = op;
    if (op->next) op->next->prev = op; else blk->last = op;
}

void weft_op_remove(weft_op *op) {
    weft_block *blk = op->parent;
    if (op->prev) op->prev->next = op->next; else blk->first = op->next;
    if (op->next) op->next->prev = op->prev; else blk->last = op->prev;
    op->prev = op->next = NULL;
    op->parent = NULL;
}

/* When memory is out the calls are not known. */
static void list_call(weft_module *m, weft_op *call, size_t *cap) {
    if (m->calls_known)
        m->calls_known =
            weft_arena_grow(&m->arena, (void **)&m->calls, cap, (size_t)m->call_count + 1, sizeof *m->calls);
    if (m->calls_known) m->calls[m->call_count++] = call;
}

static void renumber_op(weft_module *m, weft_op *op, size_t *call_cap) {
    op->id = m->op_count++;
    note_kind(m, op);
    if (op->kind == WEFT_OP_func_call) list_call(m, op, call_cap);
    for (uint32_t i = 0; i < op->result_count; i++) op->results[i].id = m->value_count++;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r]) {
            for (uint32_t i = 0; i < b->arg_count; i++) b->args[i]->id = m->value_count++;
            WEFT_EACH_OP(inner, b) renumber_op(m, inner, call_cap);
        }
}

void weft_module_renumber(weft_module *m) {
    size_t call_cap = 0;
    m->op_count = m->value_count = m->call_count = 0;
    m->calls = NULL;
    m->calls_known = true;
    memset(m->had, 0, sizeof m->had);
    renumber_op(m, m->root, &call_cap);
}

/* The offsets of an op's parts in its one block of memory. */
typedef struct op_room { size_t results, regions, attrs, operands, all; } op_room;

static bool lay(size_t *at, size_t count, size_t size, size_t *begin) {
    size_t bytes;
    *begin = *at;
    return !__builtin_mul_overflow(count, size, &bytes) && !__builtin_add_overflow(*at, bytes, at);
}

static bool room_of(const weft_op_spec *spec, op_room *r) {
    size_t at = sizeof(weft_op);
    bool fits = lay(&at, spec->result_count, sizeof(weft_value), &r->results) &&
                lay(&at, spec->region_count, sizeof(weft_region), &r->regions) &&
                lay(&at, spec->attr_count, sizeof(weft_named_attr), &r->attrs) &&
                lay(&at, spec->operand_count, sizeof(weft_value *), &r->operands);
    r->all = at;
    return fits;
}
_Static_assert(_Alignof(weft_op) == sizeof(void *) && _Alignof(weft_value) == sizeof(void *) &&
                   _Alignof(weft_region) == sizeof(void *) && _Alignof(weft_named_attr) == sizeof(void *),
               "the parts of an op are made of pointers, so they follow each other");

weft_op *weft_build_op(weft_builder *b, const weft_op_spec *spec) {
    if (b->status != WEFT_OK) return NULL;
    weft_module *m = b->m;
    op_room room;
    char *block = room_of(spec, &room) ? weft_arena_take(&m->arena, room.all, _Alignof(weft_op)) : NULL;
    weft_name name = spec->name ? spec->name : weft_name_at(m->cx, WEFT_A_COUNT + (uint32_t)spec->kind);
    bool whole = block != NULL;
    weft_op *op = (weft_op *)(void *)block;
    weft_value *results = whole ? (void *)(block + room.results) : NULL,
               **operands = whole ? (void *)(block + room.operands) : NULL;
    weft_region *regions = whole ? (void *)(block + room.regions) : NULL;
    weft_named_attr *attrs = whole ? (void *)(block + room.attrs) : NULL;
    for (uint32_t i = 0; whole && i < spec->operand_count; i++) whole = (operands[i] = spec->operands[i]) != NULL;
    for (uint32_t i = 0; whole && i < spec->attr_count; i++) whole = (attrs[i] = spec->attrs[i]).value != NULL;
    for (uint32_t i = 0; whole && i < spec->result_count; i++) {
        results[i] = (weft_value){ .index = i, .type = spec->types[i], .def = op };
        whole = spec->types[i] != NULL;
    }
    if (!whole) {
        b->status = WEFT_ERR_MEMORY; /* makers of values, types and attributes give NULL for nothing else */
        return NULL;
    }
    *op = (weft_op){
        .id = m->op_count++, .kind = (uint16_t)spec->kind, .region_count = (uint16_t)spec->region_count,
        .operand_count = spec->operand_count, .result_count = spec->result_count, .attr_count = spec->attr_count,
        .operands = operands, .results = results, .attrs = attrs, .regions = regions, .name = name, .loc = b->loc,
    };
    for (uint32_t i = 0; i < spec->result_count; i++) results[i].id = m->value_count++;
    for (uint32_t i = 0; i < spec->region_count; i++) regions[i] = (weft_region){ .parent = op };
    link_op(b, op);
    return op;
}

/* The counts are those of an existing op, so their sum fits. */
static op_room room_of_copy(const weft_op *op) {
    size_t results = sizeof(weft_op), regions = results + op->result_count * sizeof(weft_value),
           attrs = regions + op->region_count * sizeof(weft_region);
    size_t operands = attrs + op->attr_count * sizeof(weft_named_attr);
    return (op_room){ results, regions, attrs, operands, operands + op->operand_count * sizeof(weft_value *) };
}

/* Most ops of most passes are made here, so nothing is copied twice: the parts go straight to their places. operands
 * NULL: mapped. */
static weft_op *clone_shell(weft_builder *b, const weft_op *op, weft_map *map, weft_value *const *operands,
                            const weft_type *const *types) {
    if (b->status != WEFT_OK) return NULL;
    weft_module *m = b->m;
    const op_room room = room_of_copy(op);
    char *block = weft_arena_take(&m->arena, room.all, _Alignof(weft_op));
    if (!block) {
        b->status = weft_oom();
        return NULL;
    }
    weft_op *copy = (weft_op *)(void *)block;
    *copy = *op;
    copy->id = m->op_count++;
    copy->results = (void *)(block + room.results);
    copy->regions = (void *)(block + room.regions);
    copy->attrs = (void *)(block + room.attrs);
    copy->operands = (void *)(block + room.operands);
    copy->turns = NULL;
    copy->prev = copy->next = NULL;
    copy->parent = NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if ((copy->operands[i] = operands ? operands[i] : map->to[op->operands[i]->id])) continue;
        b->status =
            weft_report(m->cx, WEFT_D_internal, op->loc, "operand %u of '%s' was not mapped", i, op->name->text);
        return NULL;
    }
    for (uint32_t i = 0; i < op->attr_count; i++) copy->attrs[i] = op->attrs[i];
    for (uint32_t i = 0; i < op->region_count; i++) copy->regions[i] = (weft_region){ .parent = copy };
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_value *old = &op->results[i];
        copy->results[i] = (weft_value){
            .id = m->value_count++, .index = i, .type = types ? types[i] : old->type, .def = copy, .hint = old->hint
        };
        if (!copy->results[i].type) b->status = weft_oom(); /* see weft_build_op */
        map->to[old->id] = &copy->results[i];
    }
    if (op->turns) b->status = weft_op_read_as(m, copy, op);
    link_op(b, copy);
    return b->status == WEFT_OK ? copy : NULL;
}

weft_op *weft_clone_shell(weft_builder *b, const weft_op *op, weft_map *map, const weft_type *const *types) {
    return clone_shell(b, op, map, NULL, types);
}

weft_op *weft_clone_shell_over(weft_builder *b, const weft_op *op, weft_map *map, weft_value *const *operands) {
    return clone_shell(b, op, map, operands, NULL);
}

#define MOST_ATTRS 16

weft_value *weft_build_1(weft_builder *b, weft_op_kind kind, const weft_type *type, weft_value *const *operands,
                         uint32_t n, const weft_attr_pair *attrs, uint32_t attr_count) {
    weft_named_attr named[MOST_ATTRS];
    if (attr_count > MOST_ATTRS) b->status = WEFT_ERR_INTERNAL;
    if (b->status != WEFT_OK) return NULL;
    for (uint32_t i = 0; i < attr_count; i++)
        named[i] = (weft_named_attr){ weft_name_at(b->m->cx, attrs[i].name), attrs[i].value };
    weft_op *op = weft_build_op(b, &(weft_op_spec){ .kind = kind, .operands = operands, .operand_count = n,
                                                    .types = &type, .result_count = 1, .attrs = named,
                                                    .attr_count = attr_count });
    return op ? &op->results[0] : NULL;
}

weft_value *weft_build_unary(weft_builder *b, weft_op_kind kind, weft_value *x) {
    return weft_build_1(b, kind, x ? x->type : NULL, &x, 1, NULL, 0);
}

weft_value *weft_build_binary(weft_builder *b, weft_op_kind kind, weft_value *x, weft_value *y) {
    weft_value *operands[] = { x, y };
    return weft_build_1(b, kind, x ? x->type : NULL, operands, 2, NULL, 0);
}

weft_value *weft_build_constant(weft_builder *b, const weft_attr *dense) {
    return weft_build_1(b, WEFT_OP_constant, dense ? dense->type : NULL, NULL, 0,
                        &(weft_attr_pair){ WEFT_A_value, dense }, 1);
}

weft_value *weft_build_splat(weft_builder *b, const weft_type *type, double v) {
    _Alignas(16) char one[16];
    if (!type || b->status != WEFT_OK) return weft_build_constant(b, NULL);
    weft_dtype_store(type->dtype, one, v);
    return weft_build_constant(b, weft_attr_dense(b->m->cx, type, one, true));
}

weft_value *weft_build_integer(weft_builder *b, const weft_type *type, int64_t v) {
    _Alignas(16) char one[16];
    if (!type || b->status != WEFT_OK) return weft_build_constant(b, NULL);
    weft_dtype_store_int(type->dtype, one, v);
    return weft_build_constant(b, weft_attr_dense(b->m->cx, type, one, true));
}

weft_block *weft_build_block(weft_builder *b, weft_region *r) {
    if (b->status != WEFT_OK || !r) return NULL;
    weft_block *blk = weft_arena_new(&b->m->arena, weft_block);
    if (!blk) {
        b->status = WEFT_ERR_MEMORY;
        return NULL;
    }
    blk->parent = r;
    if (r->last) r->last->next = blk; else r->first = blk;
    r->last = blk;
    return blk;
}

weft_value *weft_build_block_arg(weft_builder *b, weft_block *blk, const weft_type *type, const weft_loc *loc) {
    if (b->status != WEFT_OK || !blk) return NULL;
    weft_value *v = weft_arena_new(&b->m->arena, weft_value);
    size_t n = blk->arg_count;
    /* The array doubles at powers of two: room is n rounded up. */
    bool full = (n & (n - 1)) == 0;
    weft_value **args = full ? weft_arena_array(&b->m->arena, weft_value *, n ? 2 * n : 1) : blk->args;
    if (!v || !args || !type) {
        b->status = WEFT_ERR_MEMORY;
        return NULL;
    }
    if (full && n) memcpy(args, blk->args, n * sizeof *args);
    *v = (weft_value){ .id = b->m->value_count++, .index = (uint32_t)n, .type = type, .block = blk, .loc = loc };
    args[n] = v;
    blk->args = args;
    blk->arg_count++;
    return v;
}

weft_status weft_op_set_attr(weft_module *m, weft_op *op, weft_name name, const weft_attr *value) {
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (op->attrs[i].name != name) continue;
        if (value) {
            op->attrs[i].value = value;
        } else {
            memmove(op->attrs + i, op->attrs + i + 1, (op->attr_count - i - 1) * sizeof *op->attrs);
            op->attr_count--;
        }
        return WEFT_OK;
    }
    if (!value) return WEFT_OK;
    weft_named_attr *attrs = weft_arena_array(&m->arena, weft_named_attr, op->attr_count + 1);
    if (!attrs) return weft_oom();
    if (op->attr_count) memcpy(attrs, op->attrs, op->attr_count * sizeof *attrs);
    attrs[op->attr_count++] = (weft_named_attr){ name, value };
    op->attrs = attrs;
    return WEFT_OK;
}

weft_status weft_op_set(weft_module *m, weft_op *op, weft_attr_name name, const weft_attr *value) {
    return weft_op_set_attr(m, op, weft_name_at(m->cx, name), value);
}

weft_status weft_op_set_ints(weft_module *m, weft_op *op, weft_attr_name name, const int64_t *v, uint32_t n) {
    const weft_attr *a = weft_attr_ints(m->cx, WEFT_I64, v, n);
    return a ? weft_op_set(m, op, name, a) : weft_oom();
}
