/* branch.c: the rule of stablehlo.case and stablehlo.if.
 *
 * The backward op branches on the same index. Its results are the cotangents of the values from outside that any
 * branch uses. What the branches need of the forward op are further results of it: a branch that needs fewer gives
 * zeros, and branches share results of one type.
 */
#include "differentiate/grad.h"

typedef struct branches {
    weft_op *op;
    gd_scope *scopes;           /* by region */
    const weft_type **slots;    /* types of further results */
    uint32_t slot_count;
    uint32_t **slot_of;         /* by region and saved value */
    weft_value **outer;         /* the values from outside, each once */
    size_t outer_count;
} branches;

static weft_value *save(gd *g, gd_scope *s, weft_value *v) {
    weft_value *here = gd_stand_in(g, v->type);
    return gd_note_saved(g, s, v, here) ? here : NULL;
}

static void visit(gd *g, branches *p, uint32_t r) {
    gd_scope *s = &p->scopes[r];
    weft_block *blk = weft_op_body(p->op, r);
    *s = (gd_scope){ .save = save };
    gd_open(g, s, p->op, blk);
    for (uint32_t i = 0; i < p->op->result_count; i++) {
        weft_value *c = gd_of(g, &p->op->results[i])->ct;
        if (c) gd_add(g, blk->last->operands[i], c);
    }
    gd_sweep(g);
    gd_close(g, s);
}

/* ---- from forward to backward ---- */

static bool prepare(gd *g, branches *p) {
    size_t saved = 0, captured = 0;
    for (uint32_t r = 0; r < p->op->region_count; r++) {
        saved += p->scopes[r].saved_count;
        captured += p->scopes[r].captured_count;
    }
    p->slots = weft_arena_array(g->arena, const weft_type *, saved + 1);
    p->slot_of = weft_arena_array(g->arena, uint32_t *, p->op->region_count);
    p->outer = weft_arena_array(g->arena, weft_value *, captured + 1);
    if (!p->slots || !p->slot_of || !p->outer) return false;
    for (uint32_t r = 0; r < p->op->region_count; r++)
        if (!(p->slot_of[r] = weft_arena_array(g->arena, uint32_t, p->scopes[r].saved_count + 1))) return false;
    return true;
}

static bool taken(const uint32_t *slots, size_t n, uint32_t slot) {
    for (size_t i = 0; i < n; i++)
        if (slots[i] == slot) return true;
    return false;
}

static void assign_slots(branches *p) {
    for (uint32_t r = 0; r < p->op->region_count; r++)
        for (size_t i = 0; i < p->scopes[r].saved_count; i++) {
            const weft_type *t = p->scopes[r].saved[i].v->type;
            uint32_t slot = 0;
            while (slot < p->slot_count && (p->slots[slot] != t || taken(p->slot_of[r], i, slot))) slot++;
            if (slot == p->slot_count) p->slots[p->slot_count++] = t;
            p->slot_of[r][i] = slot;
        }
}

/* A branch's further results. */
static void extend(gd *g, branches *p, uint32_t r, weft_block *blk) {
    weft_value **more = weft_arena_array(g->arena, weft_value *, p->slot_count + 1);
    weft_builder b;
    if (!more) {
        gd_fail(g, weft_oom());
        return;
    }
    for (size_t i = 0; i < p->scopes[r].saved_count; i++) more[p->slot_of[r][i]] = p->scopes[r].saved[i].v;
    weft_builder_init(&b, g->m, blk);
    b.before = blk->last;
    b.loc = p->op->loc;
    for (uint32_t k = 0; k < p->slot_count; k++)
        if (!more[k]) more[k] = weft_build_splat(&b, p->slots[k], 0);
    if (b.status != WEFT_OK) gd_fail(g, b.status);
    gd_extend_operands(g, blk->last, more, p->slot_count);
}

static weft_op *build_forward(gd *g, branches *p) {
    const uint32_t old = p->op->result_count, n = old + p->slot_count;
    const weft_type **types = weft_arena_array(g->arena, const weft_type *, (size_t)n + 1);
    weft_builder b;
    weft_builder_init(&b, g->m, p->op->parent);
    b.before = p->op;
    b.loc = p->op->loc;
    for (uint32_t i = 0; types && i < n; i++) types[i] = i < old ? p->op->results[i].type : p->slots[i - old];
    weft_op *w = types ? weft_build_op(&b, &(weft_op_spec){ .kind = (weft_op_kind)p->op->kind, .types = types,
                                                            .operands = p->op->operands, .result_count = n,
                                                            .operand_count = p->op->operand_count,
                                                            .attrs = p->op->attrs, .attr_count = p->op->attr_count,
                                                            .region_count = p->op->region_count })
                       : NULL;
    if (!w) {
        gd_fail(g, weft_oom());
        return NULL;
    }
    gd_extend_shardings(g, p->op, w);
    for (uint32_t r = 0; r < w->region_count; r++) {
        gd_move_region(&p->op->regions[r], &w->regions[r]);
        extend(g, p, r, weft_op_body(w, r));
    }
    for (uint32_t r = 0; r < w->region_count; r++)
        for (size_t i = 0; i < p->scopes[r].saved_count; i++)
            gd_instead(g, p->scopes[r].saved[i].here, gd_here(g, &w->results[old + p->slot_of[r][i]]));
    return w;
}

/* ---- the backward op ---- */

static void list_outer(branches *p) {
    for (uint32_t r = 0; r < p->op->region_count; r++)
        for (size_t i = 0; i < p->scopes[r].captured_count; i++) {
            weft_value *v = p->scopes[r].captured[i].outer;
            size_t k = 0;
            while (k < p->outer_count && p->outer[k] != v) k++;
            if (k == p->outer_count && p->scopes[r].captured[i].sum) p->outer[p->outer_count++] = v;
        }
}

static void return_sums(gd *g, branches *p, uint32_t r) {
    gd_scope *s = &p->scopes[r];
    weft_value **out = weft_arena_array(g->arena, weft_value *, p->outer_count + 1);
    if (!out) {
        gd_fail(g, weft_oom());
        return;
    }
    for (size_t k = 0; k < p->outer_count; k++) {
        for (size_t i = 0; i < s->captured_count; i++)
            if (s->captured[i].outer == p->outer[k]) out[k] = s->captured[i].sum;
        if (!out[k]) out[k] = weft_build_splat(&s->b, p->outer[k]->type, 0);
    }
    gd_build_return(g, &s->b, WEFT_OP_return, out, p->outer_count);
    if (s->b.status != WEFT_OK) gd_fail(g, s->b.status);
}

static void build_backward(gd *g, branches *p) {
    const weft_type **types = weft_arena_array(g->arena, const weft_type *, p->outer_count + 1);
    weft_value *index = gd_here(g, p->op->operands[0]);
    if (!types) gd_fail(g, weft_oom());
    if (gd_status(g) != WEFT_OK) return;
    for (size_t k = 0; k < p->outer_count; k++) types[k] = p->outer[k]->type;
    weft_op *w = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = (weft_op_kind)p->op->kind, .operands = &index,
                                                         .operand_count = 1, .types = types,
                                                         .result_count = (uint32_t)p->outer_count,
                                                         .region_count = p->op->region_count });
    if (!w) return;
    for (uint32_t r = 0; r < w->region_count; r++) {
        return_sums(g, p, r);
        gd_put_block(p->scopes[r].b.block, &w->regions[r]);
    }
    for (size_t k = 0; k < p->outer_count; k++) gd_add(g, p->outer[k], &w->results[k]);
}

void gd_rule_case(gd *g, const weft_op *op) {
    branches p = { .op = (weft_op *)op,
                   .scopes = weft_arena_array(g->arena, gd_scope, op->region_count + 1) };
    weft_op *forward = NULL;
    if (!p.scopes) gd_fail(g, weft_oom());
    for (uint32_t r = 0; r < op->region_count && gd_status(g) == WEFT_OK; r++) visit(g, &p, r);
    if (gd_status(g) == WEFT_OK && !prepare(g, &p)) gd_fail(g, weft_oom());
    if (gd_status(g) != WEFT_OK) return;
    list_outer(&p);
    if (!p.outer_count) return;
    assign_slots(&p);
    if (p.slot_count) forward = build_forward(g, &p);
    if (gd_status(g) == WEFT_OK) build_backward(g, &p);
    if (gd_status(g) == WEFT_OK && forward) gd_replace_by_op(g, p.op, forward);
}
