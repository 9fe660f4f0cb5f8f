/* fuse.c: where values are computed: in which kernel, or in memory. See fuse.h. */
#include "cost/fuse_internal.h"

/* --- where a FUSE_PART is computed -------------------------------------------------------------------------------- */

/* The kernels that would compute op: one (its root), several, or memory is needed for another reader. */
typedef struct readers { uint32_t root; bool several, outside; } readers;

static void join(readers *r, uint32_t root) {
    if (root == FUSE_NONE || (r->root != FUSE_NONE && r->root != root)) r->several = true;
    else r->root = root;
}

static bool absorbs(const fuse *f, const weft_op *user, const weft_op *op) {
    const fuse_role role = fuse_role_of(user);
    if (f->attention[user->id] != FUSE_NONE) return true;
    if (role == FUSE_PART || role == FUSE_REDUCE) return true;
    return role == FUSE_PRODUCT && op && f->opt->machine->costs.product_fusion > 0;
}

static void find_readers(fuse *f, const weft_value *v, const weft_op *op, readers *r) {
    for (uint32_t i = f->uses.start[v->id]; i < f->uses.start[v->id + 1] && !r->outside; i++) {
        const weft_op *user = f->uses.use[i].op;
        const fuse_role role = fuse_role_of(user);
        if (user->parent != op->parent || fuse_is_barrier(user)) r->outside = true;
        else if (role == FUSE_ALIAS) find_readers(f, fuse_alias_of(user, f->uses.use[i].operand), op, r);
        else if (!absorbs(f, user, op)) r->outside = true;
        else if (role == FUSE_PART && !f->kept[user->id] && f->attention[user->id] == FUSE_NONE)
            join(r, f->root[user->id]);
        else join(r, user->id);
    }
}

/* To compute it again reads no more than to read its result. */
static bool is_cheap(fuse *f, const weft_op *op) {
    double in = 0;
    if (fuse_is_costly(op)) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!fuse_is_free(f, op->operands[i])) in += fuse_bytes(op->operands[i]);
    return in <= fuse_bytes(&op->results[0]);
}

static void place(fuse *f, const weft_op *op) {
    readers r = { FUSE_NONE, false, false };
    f->kept[op->id] = false;
    f->root[op->id] = FUSE_NONE;
    if (fuse_is_free(f, &op->results[0]) || fuse_elems(&op->results[0]) <= FUSE_TINY) return;
    find_readers(f, &op->results[0], op, &r);
    f->kept[op->id] = r.outside || (r.several && !is_cheap(f, op));
    if (!r.several) f->root[op->id] = r.root;
}

static void place_block(fuse *f, const weft_block *b) {
    for (const weft_op *op = b->last; op; op = op->prev) {
        for (uint32_t i = 0; i < op->region_count; i++)
            if (fuse_role_of(op) == FUSE_REGIONS && weft_op_body(op, i)) place_block(f, weft_op_body(op, i));
        if (fuse_role_of(op) == FUSE_PART && f->attention[op->id] == FUSE_NONE) place(f, op);
    }
}

static weft_status attend_block(fuse *f, const weft_block *b) {
    weft_status st = fuse_find_attention(f, b);
    for (const weft_op *op = b->first; op && st == WEFT_OK; op = op->next)
        for (uint32_t i = 0; i < op->region_count && st == WEFT_OK; i++)
            if (fuse_role_of(op) == FUSE_REGIONS && weft_op_body(op, i)) st = attend_block(f, weft_op_body(op, i));
    return st;
}

static weft_status begin(fuse *f) {
    const uint32_t ops = f->m->op_count, values = f->m->value_count;
    weft_status st = weft_uses_build(f->m, &f->scratch, &f->uses);
    if (st != WEFT_OK) return st;
    f->kept = weft_arena_array(&f->scratch, bool, ops);
    f->root = weft_arena_array(&f->scratch, uint32_t, ops);
    f->task = weft_arena_array(&f->scratch, uint32_t, ops);
    f->attention = weft_arena_array(&f->scratch, uint32_t, ops);
    f->seen = weft_arena_array(&f->scratch, uint32_t, ops);
    f->free_value = weft_arena_array(&f->scratch, uint8_t, values);
    f->written = weft_arena_array(&f->scratch, bool, values);
    if (!f->kept || !f->root || !f->task || !f->attention || !f->seen || !f->free_value || !f->written)
        return weft_oom();
    for (uint32_t i = 0; i < ops; i++) f->root[i] = f->task[i] = f->attention[i] = FUSE_NONE;
    return WEFT_OK;
}

weft_status weft_fuse(const weft_module *m, const weft_fuse_options *opt, weft_arena *arena, weft_task_list *out) {
    fuse f = { .m = m, .opt = opt, .arena = arena };
    const weft_block *body = weft_op_body(weft_module_main(m), 0);
    weft_arena_init(&f.scratch, &m->cx->chunks);
    f.groups = weft_group_list_in(&f.scratch);
    weft_status st = begin(&f);
    if (st == WEFT_OK && opt->attention == WEFT_ATTENTION_FUSED) st = attend_block(&f, body);
    if (st == WEFT_OK) place_block(&f, body);
    if (st == WEFT_OK) st = fuse_block(&f, body, NULL, out);
    weft_arena_free(&f.scratch);
    return st;
}
