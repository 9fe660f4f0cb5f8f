/* buffers.c: memory for every value of a block.
 *
 * Arguments, results and constants have spaces of their own. The rest share one arena: a value lives from the unit that
 * writes it to the last one that reads it, a kernel's result takes over the memory of an operand that dies there when
 * each element is read before it is written, and the buffers that remain are put, largest first, at the lowest offset
 * that no other one holds at the same time. A collective that is begun by one unit and waited for by another holds operands and
 * results from the one to the other.
 */
#include <stdlib.h>
#include "codegen/call.h"
#include "codegen/lower.h"

typedef struct buffer {
    int64_t bytes, offset;
    uint32_t from, to;      /* units, both included */
    uint32_t number;
} buffer;

typedef struct assigner {
    cg_lowering *l;
    cg_layout *lay;
    weft_arena arena;
    uint32_t *last;         /* unit that reads a node last, by node id */
    uint32_t *of;           /* buffer of a node, by id */
    buffer *v;
    uint32_t n;
} assigner;

static bool local(const assigner *a, const cg_node *n) { return n->block == a->lay->block && !a->l->place[n->id].known; }

static void uses(assigner *a) {
    const cg_units *u = &a->lay->units;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = u->v[i].held_count; k < u->v[i].read_count; k++) a->last[u->v[i].reads[k]->id] = i;
    for (uint32_t r = 0; r < a->lay->block->result_count; r++) a->last[cg_base(a->lay->block->results[r])->id] = u->count;
}

static const cg_store *store_of(const cg_kernel *k, const cg_node *n) {
    for (uint32_t i = 0; i < k->store_count; i++)
        if (k->stores[i].kind == CG_STORE && k->params[k->stores[i].param] == n) return &k->stores[i];
    return NULL;
}

static uint32_t param_of(const cg_kernel *k, const cg_node *n) {
    for (uint32_t i = 0; i < k->param_count; i++)
        if (k->params[i] == n) return i;
    return CG_NONE;
}

/* The call says so, and reads that memory by no other operand. */
static bool call_overwrites(const cg_node *call, const cg_node *read, const cg_node *write) {
    uint32_t reads = 0;
    for (uint32_t i = 0; i < call->in_count; i++) reads += cg_base(call->in[i]) == read;
    return reads == 1 && write->aux < call->in_count && weft_bits_has(call->call->spec.in_place, (unsigned)write->aux) && cg_base(call->in[write->aux]) == read;
}

bool cg_may_overwrite(const cg_unit *u, const cg_node *read, const cg_node *write) {
    if (cg_bytes(read) != cg_bytes(write)) return false;
    if (u->kind == CG_UNIT_STEP && u->step->cls == CG_CALL) return call_overwrites(u->step, read, write);
    if (u->kind == CG_UNIT_STEP)
        return u->step->cls == CG_WHILE ? cg_base(u->step->in[write->aux]) == read : u->step->cls == CG_COLLECTIVE && u->step->coll->kind == WEFT_PLAN_ALL_REDUCE && cg_base(u->step->in[write->aux]) == read;
    const cg_node *whole = cg_whole((cg_node *)write);
    if (cg_in_place(whole)) return cg_base(whole->in[write == whole ? 0 : write->aux]) == read;
    const cg_store *s = store_of(&u->kernel, write);
    return s && read->dtype == write->dtype && cg_kernel_in_place(&u->kernel, param_of(&u->kernel, read), s);
}

/* The buffer of an operand that dies in unit i, for its result w; CG_NONE when there is none. */
static uint32_t taken_over(assigner *a, uint32_t i, const cg_node *w) {
    const cg_unit *u = &a->lay->units.v[i];
    for (uint32_t k = 0; k < u->read_count; k++) {
        const cg_node *r = u->reads[k];
        uint32_t b = a->of[r->id];
        if (b == CG_NONE || a->last[r->id] != i || a->v[b].to != i || !cg_may_overwrite(u, r, w)) continue;
        return b;
    }
    return CG_NONE;
}

static uint32_t new_buffer(assigner *a, int64_t bytes, uint32_t from, uint32_t to) {
    a->v[a->n] = (buffer){ cg_align(bytes), 0, from, to, a->n };
    return a->n++;
}

/* Operands of a collective under way stay until its end, unless a result has their memory by now. */
static void hold(assigner *a, const cg_unit *start) {
    for (uint32_t k = 0; k < start->read_count; k++) {
        const uint32_t b = a->of[start->reads[k]->id];
        if (b != CG_NONE && a->v[b].to < start->mate) a->v[b].to = start->mate;
    }
}

static void make_buffers(assigner *a) {
    const cg_units *u = &a->lay->units;
    for (uint32_t i = 0; i < u->count; i++) {
        for (uint32_t k = 0; k < u->v[i].write_count; k++) {
            const cg_node *w = u->v[i].writes[k];
            if (!local(a, w)) continue;
            uint32_t to = a->last[w->id] == CG_NONE ? i : a->last[w->id], b = taken_over(a, i, w);
            if (b != CG_NONE) a->v[b].to = to;
            else b = new_buffer(a, cg_bytes(w), i, to);
            a->of[w->id] = b;
        }
        if (u->v[i].phase == CG_PHASE_START) hold(a, &u->v[i]);
        if (a->lay->scratch_bytes[i]) a->lay->scratch[i] = new_buffer(a, a->lay->scratch_bytes[i], i, i); /* a number, until packed */
    }
}

static int larger(const void *x, const void *y) {
    const buffer *a = *(buffer *const *)x, *b = *(buffer *const *)y;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return a->number < b->number ? -1 : 1;
}

static int lower_offset(const void *x, const void *y) {
    const buffer *a = *(buffer *const *)x, *b = *(buffer *const *)y;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static weft_status pack(assigner *a) {
    buffer **order = weft_arena_array(&a->arena, buffer *, a->n), **held = weft_arena_array(&a->arena, buffer *, a->n);
    if (!order || !held) return weft_oom();
    for (uint32_t i = 0; i < a->n; i++) order[i] = &a->v[i];
    qsort(order, a->n, sizeof *order, larger);
    int64_t end = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        buffer *b = order[i];
        uint32_t n = 0;
        for (uint32_t k = 0; k < i; k++)
            if (order[k]->from <= b->to && b->from <= order[k]->to) held[n++] = order[k];
        qsort(held, n, sizeof *held, lower_offset);
        for (uint32_t k = 0; k < n; k++) {
            if (held[k]->offset >= b->offset + b->bytes) break;
            b->offset = weft_max_i64(b->offset, held[k]->offset + held[k]->bytes);
        }
        end = weft_max_i64(end, b->offset + b->bytes);
    }
    a->lay->temp_bytes = end;
    return WEFT_OK;
}

/* A result may take over an argument's memory when nothing reads the argument behind the unit that writes the result,
 * and that unit itself reads each element before it writes it. */
static bool keeps_alias(const assigner *a, const cg_node *w, const cg_node *arg) {
    const cg_units *u = &a->lay->units;
    uint32_t writer = CG_NONE;
    if (cg_bytes(w) != cg_bytes(arg)) return false;
    for (uint32_t i = 0; i < u->count; i++) {
        bool reads = false;
        for (uint32_t k = 0; k < u->v[i].write_count; k++)
            if (u->v[i].writes[k] == w) writer = i;
        for (uint32_t k = 0; k < u->v[i].read_count; k++) reads = reads || u->v[i].reads[k] == arg;
        if (!reads || writer == CG_NONE) continue;
        if (i != writer || u->v[i].kind != CG_UNIT_KERNEL || !cg_may_overwrite(&u->v[i], arg, w)) return false;
    }
    return writer != CG_NONE;
}

static void check_aliases(const assigner *a, int32_t *alias) {
    const cg_block *b = a->lay->block;
    for (uint32_t r = 0; r < b->result_count; r++) {
        bool again = false;
        for (uint32_t e = 0; e < r; e++) again = again || alias[e] == alias[r];
        if (alias[r] >= 0 && (again || !keeps_alias(a, cg_base(b->results[r]), b->args[alias[r]]))) alias[r] = -1;
    }
}

/* Places of an earlier assignment. */
static void forget(assigner *a) {
    const cg_units *u = &a->lay->units;
    for (uint32_t i = 0; i < u->count; i++)
        for (uint32_t k = 0; k < u->v[i].write_count; k++) {
            cg_place *p = &a->l->place[u->v[i].writes[k]->id];
            if (!p->absolute) p->known = false;
        }
}

static void place_buffers(assigner *a) {
    cg_lowering *l = a->l;
    for (size_t i = 0; i < l->g->count; i++)
        if (a->of[i] != CG_NONE)
            l->place[i] = (cg_place){ { WEFT_SPACE_TEMP, 0, a->v[a->of[i]].offset, cg_bytes(l->g->nodes[i]) }, true, false };
    for (uint32_t i = 0; i < a->lay->units.count; i++)
        if (a->lay->scratch_bytes[i]) a->lay->scratch[i] = a->v[a->lay->scratch[i]].offset;
}

weft_status cg_assign(cg_lowering *l, cg_layout *lay, int32_t *alias) {
    assigner a = { .l = l, .lay = lay };
    const size_t nodes = l->g->count;
    size_t most = lay->units.count;
    weft_arena_init(&a.arena, &l->cx->alloc);
    for (uint32_t i = 0; i < lay->units.count; i++) most += lay->units.v[i].write_count;
    a.last = weft_arena_array(&a.arena, uint32_t, nodes);
    a.of = weft_arena_array(&a.arena, uint32_t, nodes);
    a.v = weft_arena_array(&a.arena, buffer, most);
    weft_status st = weft_oom();
    if (a.last && a.of && a.v) {
        for (size_t i = 0; i < nodes; i++) a.last[i] = a.of[i] = CG_NONE;
        forget(&a);
        uses(&a);
        make_buffers(&a);
        st = pack(&a);
        if (st == WEFT_OK) place_buffers(&a);
        if (st == WEFT_OK && alias) check_aliases(&a, alias);
    }
    weft_arena_free(&a.arena);
    return st;
}
