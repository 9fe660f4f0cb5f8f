/* sdy-constant-or-scalar-merger: merges constants with the same value and sharding, and broadcasts of one scalar to the
 * same type and sharding, within one region. Needs: a finished propagation. Undoes
 * sdy-constant-or-scalar-splitter. Source: Shardy, docs/sdy_export_passes.md. */
#include "base/table.h"
#include "propagate/copy.h"
#include "propagate/op_traits.h"
#include "propagate/propagate.h"

typedef struct kept { /* the first of its kind */
    const weft_op *op;
    weft_value *input;         /* in the new module; NULL for constants */
} kept;

typedef struct merger {
    weft_arena arena;
    weft_table kept;
} merger;

static bool same_attrs(const weft_op *a, const weft_op *b) {
    if (a->attr_count != b->attr_count) return false;
    for (uint32_t i = 0; i < a->attr_count; i++) {
        uint32_t k = 0;
        while (k < b->attr_count && b->attrs[k].name != a->attrs[i].name) k++;
        if (k == b->attr_count || !weft_attr_equal(a->attrs[i].value, b->attrs[k].value)) return false;
    }
    return true;
}

static uint64_t attrs_hash(const weft_op *op) {
    uint64_t h = 0; /* a sum: the order of attributes does not count */
    for (uint32_t i = 0; i < op->attr_count; i++)
        h += (weft_attr_hash(op->attrs[i].value) ^ op->attrs[i].name->hash) * 0x9e3779b97f4a7c15u;
    return h;
}

static bool is_candidate(const weft_op *op) {
    if (op->result_count != 1) return false;
    return weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_CONSTANT) ||
           (op->kind == WEFT_OP_broadcast_in_dim && weft_op_is_scalar_value(op->operands[0]));
}

static weft_status merge(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    merger *m = c->user;
    if (!is_candidate(op)) return WEFT_OK;
    weft_value *input = op->operand_count ? weft_copy_of(c, op->operands[0]) : NULL;
    uint64_t hash = attrs_hash(op) ^ ((uint64_t)op->results[0].type->id << 40) ^ (input ? (uint64_t)input->id + 1 : 0);
    /* else equal constants of many functions would be in one chain */
    hash ^= (uint64_t)weft_op_parent(op)->id * 0xff51afd7ed558ccdu;
    hash = weft_hash_end(hash);
    size_t probe = 0;
    for (const kept *first; (first = weft_table_next(&m->kept, hash, &probe));) {
        if (first->input != input || first->op->parent->parent != op->parent->parent ||
            first->op->results[0].type != op->results[0].type || !same_attrs(first->op, op))
            continue;
        weft_copy_map(c, &op->results[0], weft_copy_of(c, &first->op->results[0]));
        *answer = WEFT_COPY_DONE;
        return WEFT_OK;
    }
    kept *first = weft_arena_new(&m->arena, kept);
    if (!first) return weft_oom();
    *first = (kept){ op, input };
    return weft_table_add(&m->kept, &m->arena, hash, first) ? WEFT_OK : weft_oom();
}

weft_status weft_pass_constant_or_scalar_merger(weft_pass *p, const weft_module *in, weft_module **out) {
    merger m = { 0 };
    weft_arena_init(&m.arena, &p->cx->chunks);
    weft_status st = weft_edit_module(p, in, &(weft_copy_hooks){ .visit = merge }, &m, out);
    weft_arena_free(&m.arena);
    return st;
}
