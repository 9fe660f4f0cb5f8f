/* clone.c: copying ops from one module to another. Attributes, types and locations are shared: the context owns them.
 */
#include "ir/builder.h"

weft_status weft_map_init(weft_map *map, weft_arena *arena, const weft_module *in) {
    map->to = weft_arena_array(arena, weft_value *, in->value_count);
    map->count = in->value_count;
    return map->to ? WEFT_OK : weft_oom();
}

static void clone_region(weft_builder *b, const weft_region *from, weft_region *to, weft_map *map) {
    WEFT_EACH_BLOCK(blk, from) {
        weft_block *copy = weft_build_block(b, to);
        for (uint32_t i = 0; copy && i < blk->arg_count; i++) {
            weft_value *arg = weft_build_block_arg(b, copy, blk->args[i]->type, blk->args[i]->loc);
            if (arg) arg->hint = blk->args[i]->hint;
            map->to[blk->args[i]->id] = arg;
        }
        weft_builder inner = *b;
        inner.block = copy;
        inner.before = NULL;
        WEFT_EACH_OP(op, blk) weft_clone_op(&inner, op, map);
        b->status = inner.status;
    }
}

weft_op *weft_clone_op(weft_builder *b, const weft_op *op, weft_map *map) {
    weft_op *copy = weft_clone_shell(b, op, map, NULL);
    for (uint32_t i = 0; copy && i < op->region_count; i++) clone_region(b, &op->regions[i], &copy->regions[i], map);
    return b->status == WEFT_OK ? copy : NULL;
}

weft_status weft_module_clone(const weft_module *in, weft_module **out) {
    weft_context *cx = in->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = WEFT_OK;
    weft_map map;
    weft_module *m = weft_module_new(cx);
    if (!m) st = weft_oom();
    if (st == WEFT_OK) st = weft_map_init(&map, &cx->scratch, in);
    if (st == WEFT_OK) {
        weft_builder b;
        weft_builder_init(&b, m, weft_module_body(m));
        m->root->loc = in->root->loc;
        m->reading = in->reading;
        for (uint32_t i = 0; st == WEFT_OK && i < in->root->attr_count; i++)
            st = weft_op_set_attr(m, m->root, in->root->attrs[i].name, in->root->attrs[i].value);
        WEFT_EACH_OP(op, weft_module_body(in)) weft_clone_op(&b, op, &map);
        if (st == WEFT_OK) st = b.status;
    }
    weft_arena_reset(&cx->scratch, mark);
    if (st != WEFT_OK) weft_module_free(m);
    else *out = m;
    return st;
}
