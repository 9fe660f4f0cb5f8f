/* edit.c: runs hooks of copy.h over a module that is changed in place, for passes that leave nearly every op alone.
 *
 * The ops keep their places in memory; ops made by a hook are linked in between. If any op was added or removed the
 * module is renumbered, so that it cannot be told from a copy.
 */
#include "propagate/copy.h"

static weft_status edit_regions(weft_copy *c, weft_op *op);

static weft_status edit_op(weft_copy *c, weft_op *op) {
    weft_copy_answer answer = WEFT_COPY_AS_IS;
    weft_op *next = op->next;
    weft_status st = c->hooks->visit ? c->hooks->visit(c, op, &answer) : WEFT_OK;
    if (st == WEFT_OK && answer == WEFT_COPY_DONE) {
        weft_op_remove(op);
        c->removed = true;
        c->out->calls_known = false;
    }
    if (st != WEFT_OK || answer == WEFT_COPY_DONE) return st;
    if (c->hooks->operand)
        for (uint32_t i = 0; i < op->operand_count; i++) op->operands[i] = c->hooks->operand(c, op, i);
    else if (c->mapped)
        for (uint32_t i = 0; i < op->operand_count; i++) op->operands[i] = weft_copy_of(c, op->operands[i]);
    if (op->region_count && !c->hooks->outermost) st = edit_regions(c, op);
    c->b.before = next;
    return st == WEFT_OK && c->hooks->after ? c->hooks->after(c, op, op) : st;
}

static weft_status edit_block(weft_copy *c, const weft_op *op, weft_block *blk) {
    weft_builder outer = c->b;
    weft_op *next = blk->first;
    weft_status st = WEFT_OK;
    c->b.block = blk;
    c->b.before = next;
    if (c->hooks->entered) st = c->hooks->entered(c, op, blk, blk);
    for (weft_op *inner = next; inner && st == WEFT_OK && c->b.status == WEFT_OK; inner = next) {
        next = inner->next;
        c->b.before = inner;
        st = edit_op(c, inner);
    }
    if (st == WEFT_OK) st = c->b.status;
    outer.status = c->b.status;
    c->b = outer;
    return st;
}


static weft_status edit_regions(weft_copy *c, weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        for (weft_block *b = op->regions[r].first; b && st == WEFT_OK; b = b->next) st = edit_block(c, op, b);
    return st;
}

weft_status weft_copy_take_regions(weft_copy *c, const weft_op *op, weft_op *to) {
    if (c->in != c->out) return weft_copy_regions(c, op, to);
    for (uint32_t r = 0; r < op->region_count; r++) {
        weft_region *from = &op->regions[r];
        WEFT_EACH_BLOCK(b, from) b->parent = &to->regions[r];
        to->regions[r].first = from->first;
        to->regions[r].last = from->last;
        from->first = from->last = NULL;
    }
    return edit_regions(c, to);
}

static weft_status edit(weft_module *m, const weft_copy_hooks *hooks, void *user) {
    weft_arena arena;
    weft_copy c = { .in = m, .out = m, .hooks = hooks, .user = user, .arena = &arena };
    uint32_t ops = m->op_count;
    weft_arena_init(&arena, &m->cx->chunks);
    weft_builder_init(&c.b, m, weft_module_body(m));
    weft_status st = edit_block(&c, m->root, weft_module_body(m));
    if (st == WEFT_OK && hooks->after) st = hooks->after(&c, m->root, m->root);
    weft_arena_free(&arena);
    if (st == WEFT_OK && (c.removed || m->op_count != ops)) weft_module_renumber(m);
    return st;
}

weft_status weft_edit_module(const weft_pass *p, const weft_module *in, const weft_copy_hooks *hooks, void *user,
                             weft_module **out) {
    weft_module *edited = weft_edited(p, in);
    if (!edited) return weft_copy_module(in, hooks, user, out);
    weft_status st = edit(edited, hooks, user);
    if (st == WEFT_OK) *out = edited;
    return st;
}
