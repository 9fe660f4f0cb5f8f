/* live.c: see live.h. */
#include "partitioner/memory/live.h"

#include <string.h>
#include "ir/op.h"

static bool has(const weft_op *op, unsigned traits) { return weft_op_kind_has((weft_op_kind)op->kind, traits); }

static bool moves_within(const weft_op *op) {
    return has(op, WEFT_TRAIT_VIEW) && op->kind != WEFT_OP_concatenate && !op->region_count;
}

/* Whether what op reads may be computed there, element by element. */
static bool computes_operands(const weft_op *op) {
    return has(op, WEFT_TRAIT_POINTWISE) || op->kind == WEFT_OP_reduce;
}

/* The one reader of v, in v's own block; NULL: there are several, or one in a region. */
static const weft_op *only_reader(const weft_live *l, const weft_value *v) {
    if (weft_use_count(&l->uses, v) != 1) return NULL;
    const weft_op *reader = l->uses.use[l->uses.start[v->id]].op;
    return reader->parent == l->block ? reader : NULL;
}

/* Through views with one reader each, which are few: each is an op of the program between two that compute. */
static bool is_computed_by_reader(const weft_live *l, const weft_op *op) {
    const weft_op *reader = op->result_count == 1 ? only_reader(l, &op->results[0]) : NULL;
    while (reader && moves_within(reader) && reader->result_count == 1) reader = only_reader(l, &reader->results[0]);
    return reader && computes_operands(reader);
}

static bool is_within(const weft_live *l, const weft_op *op) {
    if (has(op, WEFT_TRAIT_CONSTANT) || moves_within(op)) return true;
    return has(op, WEFT_TRAIT_POINTWISE) && is_computed_by_reader(l, op);
}

/* ---- places ---- */

static weft_status set_place(void *user, weft_op *op) {
    weft_live *l = ((void **)user)[0];
    l->at[op->id] = *(const uint32_t *)((void **)user)[1];
    return WEFT_OK;
}

static weft_status list_ops(weft_live *l, const weft_module *m, weft_arena *arena) {
    weft_status st = WEFT_OK;
    for (const weft_op *op = l->block->first; op; op = op->next) l->n++;
    l->ops = weft_arena_array(arena, weft_op *, l->n);
    l->at = weft_arena_array(arena, uint32_t, m->op_count);
    l->within = weft_arena_array(arena, bool, m->op_count);
    if (!l->ops || !l->at || !l->within) return weft_oom();
    uint32_t k = 0;
    for (weft_op *op = l->block->first; op && st == WEFT_OK; op = op->next, k++) {
        l->ops[k] = op;
        l->within[op->id] = is_within(l, op);
        st = weft_op_walk(op, set_place, (void *[]){ l, &k });
    }
    return st;
}

/* When a reader reads, by `of`, which has it for later ops: one that is computed within its own readers, when they do,
 * of a barrier those of the same value. */
static uint32_t read_place(const weft_live *l, const weft_use *use, const uint32_t *of) {
    const weft_op *reader = use->op;
    if (reader->parent != l->block || !l->within[reader->id]) return l->at[reader->id];
    return of[reader->results[reader->result_count > 1 ? use->operand : 0].id];
}

static void find_last(weft_live *l) {
    for (uint32_t k = l->n; k-- > 0;)
        for (uint32_t i = 0; i < l->ops[k]->result_count; i++) {
            const weft_value *v = &l->ops[k]->results[i];
            uint32_t *last = &l->last[v->id];
            *last = WEFT_LIVE_NEVER;
            for (uint32_t u = l->uses.start[v->id]; u < l->uses.start[v->id + 1]; u++) {
                const uint32_t at = read_place(l, &l->uses.use[u], l->last);
                if (at != WEFT_LIVE_NEVER && (*last == WEFT_LIVE_NEVER || at > *last)) *last = at;
            }
        }
}

void weft_live_next(const weft_live *l, uint32_t place, uint32_t *next) {
    for (uint32_t k = l->n; k-- > 0;)
        for (uint32_t i = 0; i < l->ops[k]->result_count; i++) {
            const weft_value *v = &l->ops[k]->results[i];
            next[v->id] = WEFT_LIVE_NEVER;
            for (uint32_t u = l->uses.start[v->id]; u < l->uses.start[v->id + 1]; u++) {
                const uint32_t at = read_place(l, &l->uses.use[u], next);
                if (at > place && at < next[v->id]) next[v->id] = at;
            }
        }
}

/* What each place adds and gives back, then their sums. */
static void find_held(weft_live *l) {
    memset(l->held, 0, (l->n + (size_t)1) * sizeof *l->held);
    memset(l->kept, 0, (l->n + (size_t)1) * sizeof *l->kept);
    for (uint32_t k = 0; k < l->n; k++)
        for (uint32_t i = 0; i < l->ops[k]->result_count; i++) {
            const weft_value *v = &l->ops[k]->results[i];
            if (l->last[v->id] == WEFT_LIVE_NEVER) continue;
            l->held[k] += l->bytes[v->id];
            l->held[l->last[v->id] + (size_t)1] -= l->bytes[v->id];
            l->kept[l->last[v->id]] -= l->bytes[v->id];
        }
    for (uint32_t k = 1; k < l->n; k++) l->held[k] += l->held[k - 1];
    for (uint32_t k = 0; k < l->n; k++) {
        l->kept[k] += l->held[k];
        if (l->held[k] > l->held[l->peak]) l->peak = k;
    }
}

weft_status weft_live_find(const weft_module *m, const weft_block *block, weft_arena *arena, weft_live *out) {
    *out = (weft_live){ .block = block };
    weft_status st = weft_uses_build(m, arena, &out->uses);
    if (st == WEFT_OK) st = list_ops(out, m, arena);
    if (st != WEFT_OK) return st;
    out->bytes = weft_arena_array(arena, int64_t, m->value_count);
    out->last = weft_arena_array(arena, uint32_t, m->value_count);
    out->held = weft_arena_array(arena, int64_t, out->n + (size_t)1);
    out->kept = weft_arena_array(arena, int64_t, out->n + (size_t)1);
    if (!out->bytes || !out->last || !out->held || !out->kept) return weft_oom();
    memset(out->bytes, 0, m->value_count * sizeof *out->bytes);
    for (uint32_t k = 0; k < out->n; k++)
        for (uint32_t i = 0; i < out->ops[k]->result_count && !out->within[out->ops[k]->id]; i++) {
            const int64_t bytes = weft_type_bytes(out->ops[k]->results[i].type);
            out->bytes[out->ops[k]->results[i].id] = bytes > 0 ? bytes : 0;
        }
    for (uint32_t i = 0; out->n && i < out->ops[out->n - 1]->operand_count; i++)
        out->bytes[out->ops[out->n - 1]->operands[i]->id] = 0;
    find_last(out);
    find_held(out);
    return WEFT_OK;
}
