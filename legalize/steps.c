/* steps.c: see steps.h. */
#include "legalize/steps.h"

#include "ir/line.h"
#include "legalize/product.h"

#define MOST_COUNT (INT64_C(1) << 52) /* counters far from the ends of their type */

weft_status lg_steps_open(const weft_module *m, const weft_machine *machine, weft_arena *arena, lg_steps *out) {
    *out = (lg_steps){ .machine = machine };
    out->rows = weft_arena_array(arena, lg_row, m->op_count);
    out->fixed = weft_arena_array(arena, bool, m->op_count);
    out->gone = weft_arena_array(arena, bool, m->op_count);
    out->mark = weft_arena_array(arena, bool, m->op_count);
    out->held = weft_arena_array(arena, uint32_t, m->value_count);
    out->needed = weft_arena_array(arena, bool, m->value_count);
    if (!out->rows || !out->fixed || !out->gone || !out->mark || !out->held || !out->needed)
        return weft_oom();
    return weft_uses_build(m, arena, &out->uses);
}

/* ---- rows and fixed values ---- */

static bool stands_outside(const lg_count *c, const weft_value *v) {
    return !weft_block_is_within(weft_value_block(v), c->loop);
}

/* The value before the loop that v always equals; NULL: there is none. */
static const weft_value *outer(const lg_count *c, const weft_value *v) {
    if (!v->def && v->block == weft_op_body(c->loop, 1)) v = weft_loop_unchanged(c->loop, v->index);
    return v && stands_outside(c, v) ? v : NULL;
}

static const weft_value *origin(void *user, const weft_value *v) {
    const weft_value *before = outer(user, v);
    return before ? before : v;
}

bool lg_is_fixed(const lg_steps *s, const lg_count *c, const weft_value *v) {
    return outer(c, v) || (v->def && v->def->parent == weft_op_body(c->loop, 1) && s->fixed[v->def->id]);
}

const lg_row *lg_row_of(const lg_steps *s, const lg_count *c, const weft_value *v) {
    const bool here = v->def && v->def->parent == weft_op_body(c->loop, 1);
    return here && s->rows[v->def->id].slice ? &s->rows[v->def->id] : NULL;
}

bool lg_is_plain(const weft_type *t) { return weft_type_is_tensor(t) && weft_type_is_static(t) && !t->quant; }

static weft_lines lines_of(const lg_count *c) {
    return (weft_lines){ .counter = weft_op_body(c->loop, 1)->args[c->counter.index], .from = c->counter.from,
                         .by = c->counter.by, .trips = c->n, .origin = origin, .user = (void *)c };
}

/* A slice of one element along one dimension, all elements along the others, which each iteration moves on by one. */
static bool takes_row(const lg_count *c, const weft_op *op, lg_row *out) {
    if (op->kind != WEFT_OP_dynamic_slice) return false;
    const weft_value *array = op->operands[0];
    const weft_type *from = array->type, *to = op->results[0].type;
    weft_line l;
    int64_t last;
    if (!outer(c, array) || !lg_is_plain(from)) return false;
    *out = (lg_row){ .slice = op, .dim = from->rank };
    for (uint32_t d = 0; d < from->rank; d++) {
        if (to->dims[d] == from->dims[d]) continue; /* it begins at element 0, whatever its index says */
        if (to->dims[d] != 1 || out->dim < from->rank) return false;
        out->dim = d;
    }
    const weft_lines in = lines_of(c);
    if (out->dim == from->rank || from->rank >= WEFT_MAX_RANK || !weft_line_of(&in, op->operands[1 + out->dim], &l) ||
        (l.by != 1 && l.by != -1) || !weft_line_last(&in, l, &last))
        return false;
    out->direction = l.by == 1 ? LG_FORWARD : LG_BACK;
    out->low = l.by == 1 ? l.from : last;
    return out->low >= 0 && (l.by == 1 ? last : l.from) < from->dims[out->dim];
}

/* What makes of a row another one, element by element or by moving them. */
static bool keeps_row(const weft_op *op) {
    const weft_op_kind k = (weft_op_kind)op->kind;
    if (op->operand_count != 1 || op->result_count != 1 || op->region_count || weft_op_attr(op, WEFT_A_sdy_sharding) ||
        !weft_op_kind_has(k, WEFT_TRAIT_PURE) || !lg_is_plain(op->results[0].type) ||
        op->results[0].type->rank >= WEFT_MAX_RANK)
        return false;
    return k == WEFT_OP_reshape || k == WEFT_OP_transpose ||
           (weft_op_kind_has(k, WEFT_TRAIT_POINTWISE) &&
            weft_type_same_dims(op->operands[0]->type, op->results[0].type));
}

static bool computes_fixed(const lg_steps *s, const lg_count *c, const weft_op *op) {
    const weft_op_kind k = (weft_op_kind)op->kind;
    if (op->region_count || !weft_op_kind_has(k, WEFT_TRAIT_PURE) || weft_op_kind_has(k, WEFT_TRAIT_COLLECTIVE))
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!lg_is_fixed(s, c, op->operands[i])) return false;
    return true;
}

bool lg_steps_of(lg_steps *s, const weft_op *op, lg_count *out) {
    *out = (lg_count){ .loop = op };
    weft_line l;
    if (op->kind != WEFT_OP_while || !weft_loop_counter(op, &out->counter)) return false;
    const weft_counter *k = &out->counter;
    out->n = weft_counter_trips(k);
    const weft_lines in = lines_of(out);
    if (out->n < 2 || (k->by != 1 && k->by != -1) || k->from <= -MOST_COUNT || k->from >= MOST_COUNT ||
        !weft_line_of(&in, in.counter, &l))
        return false;
    WEFT_EACH_OP(inner, weft_op_body(op, 1)) {
        s->fixed[inner->id] = computes_fixed(s, out, inner);
        if (s->fixed[inner->id] || takes_row(out, inner, &s->rows[inner->id])) continue;
        const lg_row *row = keeps_row(inner) ? lg_row_of(s, out, inner->operands[0]) : NULL;
        s->rows[inner->id] = row ? *row : (lg_row){ 0 };
    }
    return true;
}

/* ---- memory ---- */

/* What op reads of values outside of the loop, each once. */
static void hold(lg_steps *s, const lg_count *c, const weft_op *op, double *bytes) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *v = op->operands[i];
        if (s->held[v->id] == c->loop->id + 1 || !stands_outside(c, v)) continue;
        s->held[v->id] = c->loop->id + 1;
        *bytes += (double)weft_max_i64(weft_type_bytes(v->type), 0);
    }
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r]) WEFT_EACH_OP(inner, blk) hold(s, c, inner, bytes);
}

double lg_loop_room(lg_steps *s, const lg_count *c) {
    const weft_costs *costs = &s->machine->costs;
    double bytes = 0;
    for (uint32_t i = 0; i < c->loop->result_count; i++)
        bytes += (double)weft_max_i64(weft_type_bytes(c->loop->results[i].type), 0);
    for (uint32_t r = 0; r < c->loop->region_count; r++)
        WEFT_EACH_OP(op, weft_op_body(c->loop, r)) hold(s, c, op, &bytes);
    bytes *= costs->hold_growth;
    return bytes > costs->hold_bytes ? bytes : costs->hold_bytes;
}

double lg_rows_bytes(const lg_steps *s, const lg_count *c, const weft_value *v) {
    const lg_row *row = lg_row_of(s, c, v);
    bool copies = row->dim != 0;
    for (const weft_op *op = v->def; op != row->slice; op = op->operands[0]->def)
        copies = copies || op->kind != WEFT_OP_reshape;
    return copies ? (double)c->n * lg_bytes(v) : 0;
}

/* ---- what is left ---- */

static void note_uses(bool *needed, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) needed[op->operands[i]->id] = true;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r]) WEFT_EACH_OP(inner, blk) note_uses(needed, inner);
}

void lg_steps_spare(lg_steps *s, const lg_count *c) {
    for (const weft_op *op = weft_op_body(c->loop, 1)->last; op; op = op->prev) {
        const weft_op_kind k = (weft_op_kind)op->kind;
        bool read = !weft_op_kind_has(k, WEFT_TRAIT_PURE) || weft_op_kind_has(k, WEFT_TRAIT_COLLECTIVE);
        for (uint32_t i = 0; i < op->result_count; i++) read = read || s->needed[op->results[i].id];
        if (s->gone[op->id]) continue;
        s->gone[op->id] = !read;
        if (read) note_uses(s->needed, op);
    }
}

/* ---- outside of the loop ---- */

/* The array's elements that are read, one after the other, each of the slice's shape. */
static weft_value *all_of(weft_builder *b, const weft_map *map, const lg_count *c, const lg_row *row) {
    const weft_type *each = row->slice->results[0].type;
    weft_value *x = map->to[outer(c, row->slice->operands[0])->id];
    int64_t order[WEFT_MAX_RANK] = { row->dim }, dims[WEFT_MAX_RANK] = { c->n };
    if (x->type->dims[row->dim] != c->n) x = weft_build_cut(b, x, row->dim, row->low, row->low + c->n);
    for (uint32_t d = 0; d < each->rank; d++) {
        if (d != row->dim) order[d < row->dim ? d + 1 : d] = d;
        dims[1 + d] = each->dims[d];
    }
    return lg_reshape(b, lg_transpose(b, x, order), each->rank + 1, dims);
}

/* op on all rows x. */
static weft_value *on_all(weft_builder *b, const lg_count *c, const weft_op *op, weft_value *x) {
    const weft_type *each = op->results[0].type;
    int64_t dims[WEFT_MAX_RANK] = { c->n }, order[WEFT_MAX_RANK] = { 0 };
    for (uint32_t d = 0; d < each->rank; d++) {
        dims[1 + d] = each->dims[d];
        if (op->kind == WEFT_OP_transpose) order[1 + d] = 1 + weft_op_int_at(op, WEFT_A_permutation, d, d);
    }
    if (op->kind == WEFT_OP_transpose) return lg_transpose(b, x, order);
    if (op->kind == WEFT_OP_reshape) return lg_reshape(b, x, each->rank + 1, dims);
    const weft_type *all = weft_type_with_dims(b->m->cx, each, each->rank + 1, dims);
    if (!all) b->status = weft_oom();
    weft_op *made = x && all ? weft_build_op(b, &(weft_op_spec){ .kind = op->kind, .operands = &x, .operand_count = 1,
                                                                 .types = &all, .result_count = 1, .attrs = op->attrs,
                                                                 .attr_count = op->attr_count })
                             : NULL;
    return made ? &made->results[0] : NULL;
}

/* Marks the ops of the body that v is made by. */
static void mark_makers(lg_steps *s, const weft_block *body, const weft_value *v) {
    s->mark[v->def->id] = true;
    for (const weft_op *op = v->def; op; op = op->prev)
        for (uint32_t i = 0; s->mark[op->id] && i < op->operand_count; i++) {
            const weft_op *def = op->operands[i]->def;
            if (def && def->parent == body && op != s->rows[op->id].slice) s->mark[def->id] = true;
        }
}

weft_value *lg_build_outside(lg_steps *s, const lg_count *c, weft_builder *b, weft_map *map, const weft_value *v) {
    const weft_block *body = weft_op_body(c->loop, 1);
    const weft_value *before = outer(c, v);
    if (before) return map->to[before->id];
    for (uint32_t i = 0; i < body->arg_count; i++)
        if (weft_loop_unchanged(c->loop, i)) map->to[body->args[i]->id] = map->to[outer(c, body->args[i])->id];
    mark_makers(s, body, v);
    for (const weft_op *op = body->first; op; op = op == v->def ? NULL : op->next) {
        if (!s->mark[op->id]) continue;
        s->mark[op->id] = false;
        b->loc = op->loc;
        const lg_row *row = &s->rows[op->id];
        if (s->fixed[op->id]) weft_clone_op(b, op, map);
        else map->to[op->results[0].id] = row->slice == op ? all_of(b, map, c, row)
                                                           : on_all(b, c, op, map->to[op->operands[0]->id]);
    }
    return b->status == WEFT_OK ? map->to[v->id] : NULL;
}

weft_value *lg_build_product(weft_builder *b, const weft_op *op, weft_value *lhs, weft_value *rhs,
                             const weft_dot_dims *dims, weft_dtype t) {
    const weft_attr *algorithm = weft_op_attr(op, WEFT_A_algorithm);
    weft_value *v = lg_dot(b, lhs, rhs, dims, t, weft_op_attr(op, WEFT_A_precision_config));
    if (v && algorithm) b->status = weft_op_set(b->m, v->def, WEFT_A_algorithm, algorithm);
    return b->status == WEFT_OK ? v : NULL;
}

weft_ints lg_after_step(weft_ints dims, lg_step_dim step, int64_t *memory) {
    uint32_t n = 0;
    if (step == LG_WITH_STEP) memory[n++] = 0;
    for (uint32_t i = 0; i < dims.n; i++) memory[n++] = dims.v[i] + 1;
    return (weft_ints){ memory, n };
}
