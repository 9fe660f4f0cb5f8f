/* fuse_attention.c: finds products that scores join. See fuse.h. */
#include "cost/fuse_internal.h"

#include "ir/trips.h"

typedef struct group {
    fuse *f;
    const weft_block *block;
    uint32_t number;
    double size;               /* elements of the scores */
    const weft_op **v; size_t n, cap;
    uint32_t makes, takes;     /* products */
    bool refused, failed;
} group;

static bool is_batched(const weft_op *op) {
    const weft_attr *a = op->kind == WEFT_OP_dot_general ? weft_op_attr(op, WEFT_A_dot_dimension_numbers) : NULL;
    double batch = 1;
    for (uint32_t i = 0; a && i < a->dot.lhs_batch.n; i++)
        batch *= (double)op->operands[0]->type->dims[a->dot.lhs_batch.v[i]];
    return batch > 1;
}

static bool makes_scores(const weft_op *op, double size) {
    if (!is_batched(op)) return false;
    const double out = fuse_elems(&op->results[0]);
    return (size <= 0 || (out >= size && out <= size)) &&
           out >= 2 * fuse_elems(op->operands[0]) && out >= 2 * fuse_elems(op->operands[1]);
}

static bool is_size(const group *g, const weft_value *v) {
    const double n = fuse_elems(v);
    return n >= g->size && n <= g->size;
}

static void add(group *g, const weft_op *op) {
    uint32_t *of = &g->f->attention[op->id];
    if (*of == g->number) return;
    if (*of != FUSE_NONE) g->refused = true;
    if (g->n == g->cap && !weft_arena_grow(&g->f->scratch, (void **)&g->v, &g->cap, g->n + 1, sizeof *g->v))
        g->failed = true;
    if (g->refused || g->failed) return;
    *of = g->number;
    g->v[g->n++] = op;
}

/* Scores may be read by what belongs to the group only. */
static void follow(group *g, const weft_value *v) {
    const weft_uses *u = &g->f->uses;
    for (uint32_t i = u->start[v->id]; i < u->start[v->id + 1]; i++) {
        const weft_op *user = u->use[i].op;
        const fuse_role role = fuse_role_of(user);
        const bool fits = user->parent == g->block &&
                          (role == FUSE_REDUCE || role == FUSE_PRODUCT || is_size(g, &user->results[0]));
        if (!fits || (role != FUSE_PART && role != FUSE_ALIAS && role != FUSE_REDUCE && role != FUSE_PRODUCT)) {
            g->refused = true;
            return;
        }
        if (role == FUSE_ALIAS) follow(g, fuse_alias_of(user, u->use[i].operand));
        else add(g, user);
    }
}

/* What else the op reads in that size belongs to the group if it is computed here. */
static void trace(group *g, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *v = fuse_base(op->operands[i]);
        if (!is_size(g, v) || !v->def || v->def->parent != g->block || fuse_is_free(g->f, v)) continue;
        if (fuse_role_of(v->def) == FUSE_PART || makes_scores(v->def, g->size)) add(g, v->def);
    }
}

static void grow(group *g) {
    for (size_t i = 0; i < g->n && !g->refused && !g->failed; i++) {
        const weft_op *op = g->v[i];
        const bool makes = is_size(g, &op->results[0]);
        if (fuse_role_of(op) == FUSE_PRODUCT) {
            g->makes += makes;
            g->takes += !makes;
            if (!makes && !is_batched(op)) g->refused = true;
        }
        if (makes) follow(g, &op->results[0]);
        if (!makes_scores(op, g->size)) trace(g, op);
    }
}

/* Whether what op computes from row sums comes back to the scores; such ops belong to the group too. */
static bool returns(group *g, const weft_op *op, int depth) {
    bool any = false;
    if (depth > 32) return false;
    const weft_uses *u = &g->f->uses;
    for (uint32_t r = 0; r < op->result_count; r++)
        for (uint32_t i = u->start[op->results[r].id]; i < u->start[op->results[r].id + 1]; i++) {
            const weft_op *user = u->use[i].op;
            const fuse_role role = fuse_role_of(user);
            if (user->parent != g->block) continue;
            if (g->f->attention[user->id] == g->number) any |= role != FUSE_REDUCE;
            else if (role == FUSE_ALIAS) any |= returns(g, user, depth + 1);
            else if (role == FUSE_PART && fuse_elems(&user->results[0]) * 8 <= g->size && returns(g, user, depth + 1))
                add(g, user), any = true;
        }
    return any;
}

static weft_status try(group *g, const weft_op *op) {
    add(g, op);
    grow(g);
    const size_t members = g->n;
    for (size_t i = 0; i < members && !g->refused && !g->failed; i++)
        if (fuse_role_of(g->v[i]) == FUSE_REDUCE) (void)returns(g, g->v[i], 0);
    if (g->failed) return weft_oom();
    if (g->refused || !g->makes || !g->takes)
        for (size_t i = 0; i < g->n; i++) g->f->attention[g->v[i]->id] = FUSE_NONE;
    return WEFT_OK;
}

weft_status fuse_find_attention(fuse *f, const weft_block *b) {
    weft_status st = WEFT_OK;
    for (const weft_op *op = b->first; op && st == WEFT_OK; op = op->next) {
        if (f->attention[op->id] != FUSE_NONE || !makes_scores(op, 0)) continue;
        group g = { .f = f, .block = b, .number = f->attention_count++, .size = fuse_elems(&op->results[0]) };
        st = try(&g, op);
    }
    return st;
}

/* --- masks -------------------------------------------------------------------------------------------------------- */

/* v, or what it is spread or converted from; through loops that do not change it. */
static const weft_value *spread_of(const weft_value *v, int depth) {
    v = fuse_base(v);
    if (!v->def) {
        const weft_op *loop = v->block->parent->parent;
        const weft_value *outer = loop->kind == WEFT_OP_while ? weft_loop_unchanged(loop, v->index) : NULL;
        return outer && depth < 64 ? spread_of(outer, depth + 1) : v;
    }
    const bool spreads = v->def->kind == WEFT_OP_broadcast_in_dim || v->def->kind == WEFT_OP_convert;
    return spreads && depth < 64 ? spread_of(v->def->operands[0], depth + 1) : v;
}

/* The same, and what it shifts by a constant. */
static const weft_value *counter_of(const weft_value *v, int depth) {
    v = spread_of(v, 0);
    return v->def && v->def->kind == WEFT_OP_add && depth < 64 ? counter_of(v->def->operands[0], depth + 1) : v;
}

static bool is_counter(const weft_value *v) {
    v = counter_of(v, 0);
    return v->def && v->def->kind == WEFT_OP_iota;
}

/* Two counters in an order: not those of a diagonal. */
static bool compares_counters(const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_comparison_direction);
    return a && a->e != WEFT_comparison_direction_EQ && a->e != WEFT_comparison_direction_NE &&
           is_counter(op->operands[0]) && is_counter(op->operands[1]);
}

static bool is_constant(const weft_value *v) {
    v = spread_of(v, 0);
    return v->def && v->def->kind == WEFT_OP_constant;
}

/* Whether v is zero, or one value, above or below a diagonal: a comparison of two counters, what is chosen by it, and
 * what other masks leave of it. JAX's tril selects by the comparison from its argument; Flax compares a mask of floats
 * with zero; others subtract it from one, and add a multiple. */
static bool is_triangle(const weft_value *v, int depth) {
    v = spread_of(v, 0);
    const weft_op *op = v->def;
    if (!op || depth > 6) return false;
    switch ((weft_op_kind)op->kind) {
    case WEFT_OP_compare:
        return compares_counters(op) || (is_constant(op->operands[1]) && is_triangle(op->operands[0], depth + 1));
    case WEFT_OP_not: return is_triangle(op->operands[0], depth + 1);
    case WEFT_OP_or: return is_triangle(op->operands[0], depth + 1) && is_triangle(op->operands[1], depth + 1);
    case WEFT_OP_and: case WEFT_OP_multiply: case WEFT_OP_minimum:
        return is_triangle(op->operands[0], depth + 1) || is_triangle(op->operands[1], depth + 1);
    case WEFT_OP_subtract:
        return (is_constant(op->operands[0]) && is_triangle(op->operands[1], depth + 1)) ||
               (is_constant(op->operands[1]) && is_triangle(op->operands[0], depth + 1));
    case WEFT_OP_select: return is_triangle(op->operands[0], depth + 1);
    default: return false;
    }
}

bool fuse_masks_triangle(const weft_op *op) {
    if (op->kind == WEFT_OP_select) return is_triangle(op->operands[0], 0);
    if (op->kind != WEFT_OP_add && op->kind != WEFT_OP_multiply) return false;
    return is_triangle(op->operands[0], 0) || is_triangle(op->operands[1], 0);
}
