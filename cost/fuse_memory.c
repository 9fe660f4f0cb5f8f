/* fuse_memory.c: what tasks of a block write to memory, and what of it takes memory that is there already. */
#include "cost/fuse_internal.h"

#include "ir/trips.h"

/* ---- what a block returns ---- */

/* The arguments whose memory the results take: of a loop those of the same number, of @main the donated ones. */
static void find_givers(fuse_builder *b, uint32_t results) {
    const weft_op *main = weft_module_main(b->f->m);
    const bool is_main = b->block == weft_op_body(main, 0);
    for (uint32_t a = 0; a < b->block->arg_count && (is_main || b->loop); a++) {
        const weft_attr *to = is_main ? weft_func_arg_attr(main, a, WEFT_A_tf_aliasing_output) : NULL;
        if (b->loop && a < results) b->givers[a] = b->block->args[a];
        if (to && to->kind == WEFT_ATTR_INT && to->i >= 0 && to->i < results) b->givers[to->i] = b->block->args[a];
    }
}

weft_status fuse_find_homes(fuse_builder *b) {
    const weft_op *end = b->block->last;
    b->home = weft_arena_array(&b->f->scratch, uint32_t, b->f->m->value_count);
    b->givers = weft_arena_array(&b->f->scratch, const weft_value *, end->operand_count);
    if (!b->home || !b->givers) return weft_oom();
    for (uint32_t i = 0; i < b->f->m->value_count; i++) b->home[i] = FUSE_NONE;
    for (uint32_t i = 0; i < end->operand_count; i++) {
        const weft_value *v = fuse_base(end->operands[i]);
        if (b->home[v->id] == FUSE_NONE && fuse_bytes(v) <= fuse_bytes(end->operands[i])) b->home[v->id] = i;
    }
    find_givers(b, end->operand_count);
    return WEFT_OK;
}

/* Whether the loop reads v as nothing but the beginning of its result i. */
static bool begins(const fuse *f, const weft_value *v, const weft_op *loop, uint32_t i) {
    if (i >= loop->operand_count || loop->operands[i] != v || weft_loop_unchanged(loop, i)) return false;
    for (uint32_t k = f->uses.start[v->id]; k < f->uses.start[v->id + 1]; k++) {
        const weft_use *u = &f->uses.use[k];
        if (u->op == loop ? u->operand != i : u->op->parent != loop->parent || fuse_role_of(u->op) == FUSE_ALIAS)
            return false;
    }
    return true;
}

/* Whether task t, the last that reads a, may write v over it: element by element, as a scatter or as a loop. */
static bool is_overwritten(const fuse_builder *b, uint32_t t, const weft_value *a, const weft_value *v) {
    const fuse *f = b->f;
    const weft_task *task = &b->v[t].task;
    if (task->kind == WEFT_TASK_LOOP) return begins(f, a, task->op, v->index);
    if (task->kind != WEFT_TASK_KERNEL) return task->kind == WEFT_TASK_CASE;
    for (uint32_t k = f->uses.start[a->id]; k < f->uses.start[a->id + 1]; k++) {
        const weft_use *u = &f->uses.use[k];
        const fuse_role role = fuse_role_of(u->op);
        if (f->task[u->op->id] != t || role == FUSE_PART || role == FUSE_REDUCE || role == FUSE_STORE) continue;
        if (u->op->kind != WEFT_OP_scatter || u->operand >= u->op->result_count) return false;
    }
    return true;
}

/* Whether v, which task t computes, is written into memory that it is returned in. */
static bool is_home(const fuse_builder *b, uint32_t t, const weft_value *v) {
    if (b->home[v->id] == FUSE_NONE) return false;
    const weft_value *a = b->givers[b->home[v->id]];
    if (!a || fuse_bytes(a) < fuse_bytes(v) || fuse_bytes(a) > fuse_bytes(v)) return !b->loop;
    if (b->home[a->id] != FUSE_NONE) return false; /* another result is the argument as it was */
    const uint32_t last = b->last[a->id];
    return last == FUSE_NONE || last < t || (last == t && is_overwritten(b, t, a, v));
}

/* ---- buffers ---- */

static bool is_stored(const fuse *f, const weft_value *v) {
    for (uint32_t i = f->uses.start[v->id]; i < f->uses.start[v->id + 1]; i++) {
        const weft_use *u = &f->uses.use[i];
        if (fuse_role_of(u->op) == FUSE_STORE && u->operand == 1) return true;
        if (fuse_role_of(u->op) == FUSE_ALIAS && u->op->result_count == 1 && is_stored(f, &u->op->results[0]))
            return true;
    }
    return false;
}

/* What a loop leaves in a result is named after what its body stores there. */
static const weft_loc *origin_of(const weft_value *v) {
    if (!v->def || v->def->kind != WEFT_OP_while || v->def->region_count < 2) return weft_value_loc(v);
    const weft_op *end = weft_op_body(v->def, 1)->last;
    if (v->index >= end->operand_count) return weft_value_loc(v);
    const weft_value *made = fuse_base(end->operands[v->index]);
    if (made->def && fuse_role_of(made->def) == FUSE_STORE) made = fuse_base(made->def->operands[1]);
    return weft_value_loc(made);
}

weft_status fuse_add_buffers(fuse_builder *b, uint32_t t, weft_task_buffer **list, size_t *n, size_t *cap) {
    fuse_draft *d = &b->v[t];
    for (const weft_op *op = d->first; op; op = b->next[op->id])
        for (uint32_t r = 0; r < op->result_count; r++) {
            const weft_value *v = &op->results[r];
            const bool loops = d->task.kind == WEFT_TASK_LOOP;
            if (loops && weft_loop_unchanged(op, r)) continue;
            if (!b->f->written[v->id] && !(loops && b->f->uses.start[v->id] < b->f->uses.start[v->id + 1])) continue;
            if (d->task.kind == WEFT_TASK_KERNEL && !(b->v[t].first && !b->next[b->v[t].first->id] &&
                (d->task.kernel.kind == WEFT_KERNEL_GATHER || d->task.kernel.kind == WEFT_KERNEL_UPDATE)))
                d->task.kernel.write_bytes += fuse_bytes(v);
            if (is_stored(b->f, v) || fuse_role_of(op) == FUSE_STORE || is_home(b, t, v)) continue;
            if (*n == *cap && !weft_arena_grow(b->f->arena, (void **)list, cap, *n + 1, sizeof **list))
                return weft_oom();
            const uint32_t last = b->last[v->id];
            (*list)[(*n)++] = (weft_task_buffer){ v, origin_of(v), fuse_bytes(v), t,
                                                   last == FUSE_NONE ? t : last, false };
        }
    return WEFT_OK;
}

bool fuse_enters_loop(const fuse *f, const weft_value *v, const weft_task *task) {
    if (task->kind != WEFT_TASK_LOOP) return false;
    for (uint32_t i = 0; i < task->op->operand_count; i++)
        if (task->op->operands[i] == v) return begins(f, v, task->op, i);
    return false;
}
