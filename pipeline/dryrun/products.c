/* products.c: see products.h. */
#include "pipeline/dryrun/products.h"

#define NO_ARGUMENT UINT32_MAX

typedef struct finder {
    const weft_module *m;
    const weft_dim_classes *c;
    const weft_roles *roles;
    weft_arena *arena;
    uint32_t *origin;          /* by value id: the argument that it is, in another layout or type, or a part of */
    weft_uses uses;
    bool *inner, *looked_up, *sliced, changed;
    int64_t *divisor;
    weft_product *v;
    size_t n, cap;
} finder;

/* Vectors of integers do not count: where parts of a ragged product begin, say, comes from pieces of such a vector, and
 * padding them costs nothing. */
static void note_sizes(finder *f, const weft_value *v) {
    if (!weft_type_is_tensor(v->type) || (v->type->rank == 1 && !weft_dtype_is_float(v->type->dtype))) return;
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const uint32_t k = weft_dim_class(f->c, v, d);
        if (k != WEFT_NO_CLASS) f->divisor[k] = weft_gcd(f->divisor[k], v->type->dims[d]);
    }
}

/* ---- where values come from ---- */

static bool is_layout(const weft_op *op) {
    switch ((weft_op_kind)op->kind) {
    case WEFT_OP_convert:
    case WEFT_OP_reshape:
    case WEFT_OP_transpose:
    case WEFT_OP_broadcast_in_dim:
    case WEFT_OP_slice:
    case WEFT_OP_dynamic_slice: return true;
    default: return false;
    }
}

static void note_slices(finder *f, const weft_op *op) {
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    for (uint32_t d = 0; d < from->rank; d++) {
        const uint32_t k = weft_dim_class(f->c, op->operands[0], d);
        if (k != WEFT_NO_CLASS && to->dims[d] == 1) f->sliced[k] = true;
    }
}

static void set_origin(finder *f, const weft_value *v, uint32_t from) {
    f->changed |= f->origin[v->id] != from;
    f->origin[v->id] = from;
}

/* What every iteration stores into its slice of the loop's value i, as JAX's scan does with what the backward pass
 * reads: there weights are parts of it. NULL: it does something else. */
static const weft_value *stored_in(const weft_block *body, uint32_t i) {
    const weft_op *op = body->last->operands[i]->def;
    return op && op->kind == WEFT_OP_dynamic_update_slice && op->operands[0] == body->args[i] ? op->operands[1] : NULL;
}

/* A loop's value that every iteration passes on, or one of the slices that they store. */
static void enter_loop(finder *f, const weft_op *op) {
    const weft_block *body = weft_op_body(op, 1);
    for (uint32_t i = 0; body && body->last && i < body->arg_count && i < op->operand_count; i++) {
        if (i >= body->last->operand_count) break;
        const weft_value *stored = stored_in(body, i);
        if (stored && f->origin[stored->id] != NO_ARGUMENT) set_origin(f, &op->results[i], f->origin[stored->id]);
        if (body->last->operands[i] != body->args[i]) continue;
        set_origin(f, body->args[i], f->origin[op->operands[i]->id]);
        set_origin(f, &op->results[i], f->origin[op->operands[i]->id]);
    }
}

static weft_status note_origin(void *user, weft_op *op) {
    finder *f = user;
    for (uint32_t i = 0; i < op->result_count; i++) note_sizes(f, &op->results[i]);
    if (op->kind == WEFT_OP_optimization_barrier)
        for (uint32_t i = 0; i < op->result_count; i++)
            set_origin(f, &op->results[i], f->origin[op->operands[i]->id]);
    else if (op->kind == WEFT_OP_while) enter_loop(f, op);
    else if (is_layout(op)) {
        set_origin(f, &op->results[0], f->origin[op->operands[0]->id]);
        if (op->kind == WEFT_OP_dynamic_slice) note_slices(f, op);
    }
    return WEFT_OK;
}

/* ---- products ---- */

static void list(const finder *f, const weft_value *v, uint32_t dim, uint32_t *to, uint32_t *n) {
    const uint32_t k = weft_dim_class(f->c, v, dim);
    if (k != WEFT_NO_CLASS && *n < WEFT_PRODUCT_DIMS) to[(*n)++] = k;
}

static weft_status keep(finder *f, const weft_product *p) {
    if (f->n == f->cap && !weft_arena_grow(f->arena, (void **)&f->v, &f->cap, f->n + 1, sizeof *f->v))
        return weft_oom();
    f->v[f->n++] = *p;
    return WEFT_OK;
}

static bool is_parameter(const finder *f, const weft_value *v) {
    const uint32_t from = f->origin[v->id];
    return from != NO_ARGUMENT && f->roles->of[from] == WEFT_ROLE_PARAMETER;
}

/* Whether v is the same along dim but for a mask: select(mask, broadcast(rows), 0). */
static bool is_masked_copy(const weft_value *v, int64_t dim) {
    const weft_op *op = v->def;
    if (op && op->kind == WEFT_OP_convert) return is_masked_copy(op->operands[0], dim);
    if (!op || op->kind != WEFT_OP_select) return false;
    const weft_op *rows = op->operands[1]->def;
    while (rows && rows->kind == WEFT_OP_convert) rows = rows->operands[0]->def;
    if (!rows || rows->kind != WEFT_OP_broadcast_in_dim || !rows->operands[0]->type->rank) return false;
    return !weft_ints_has(weft_op_ints(rows, WEFT_A_broadcast_dimensions), dim);
}

/* Whether of dimension dim of a product one is taken for each row: sum(select(mask, product, 0)) along it. */
static bool is_chosen_by_mask(const finder *f, const weft_value *product, int64_t dim) {
    const weft_uses *u = &f->uses;
    if (weft_use_count(u, product) != 1) return false;
    const weft_op *choice = u->use[u->start[product->id]].op;
    if (choice->kind != WEFT_OP_select || choice->operands[1] != product) return false;
    if (weft_use_count(u, &choice->results[0]) != 1) return false;
    const weft_op *sum = u->use[u->start[choice->results[0].id]].op;
    return sum->kind == WEFT_OP_reduce && weft_reducer_kind(sum, 0) == WEFT_OP_add &&
           weft_ints_has(weft_op_ints(sum, WEFT_A_dimensions), dim);
}

static weft_status note_dot(finder *f, const weft_op *op) {
    const weft_dot_dims *n = &weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot;
    const bool left = is_parameter(f, op->operands[0]), right = is_parameter(f, op->operands[1]);
    for (size_t i = 0; i < n->lhs_contract.n && !left && !right; i++) {
        const uint32_t k = weft_dim_class(f->c, op->operands[0], (uint32_t)n->lhs_contract.v[i]);
        if (k != WEFT_NO_CLASS) f->inner[k] = true;
    }
    if (left == right) return WEFT_OK;
    const weft_value *matrix = op->operands[left ? 0 : 1], *other = op->operands[left ? 1 : 0];
    const weft_ints contract = left ? n->lhs_contract : n->rhs_contract, batch = left ? n->lhs_batch : n->rhs_batch;
    const weft_ints with = left ? n->rhs_contract : n->lhs_contract;
    weft_product p = { .op = op, .matrix = matrix, .argument = f->origin[matrix->id] };
    /* where the matrix's free dimensions begin in the result */
    int64_t at = left ? (int64_t)batch.n : (int64_t)other->type->rank - (int64_t)contract.n;
    for (uint32_t d = 0; d < matrix->type->rank; d++) {
        const uint32_t i = weft_ints_place(contract, d);
        if (i < contract.n && is_masked_copy(other, with.v[i])) list(f, matrix, d, p.grouped, &p.grouped_count);
        else if (i < contract.n) list(f, matrix, d, p.contracted, &p.contracted_count);
        else if (weft_ints_has(batch, d)) list(f, matrix, d, p.batched, &p.batched_count);
        else if (is_chosen_by_mask(f, &op->results[0], at++)) list(f, matrix, d, p.grouped, &p.grouped_count);
        else list(f, matrix, d, p.free, &p.free_count);
    }
    return keep(f, &p);
}

/* Rows of a table by numbers that have the batch. */
static weft_status note_gather(finder *f, const weft_op *op) {
    const weft_gather_dims *n = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    const weft_value *table = op->operands[0], *rows = op->operands[1];
    if (!is_parameter(f, table) || n->start_index_map.n != 1) return WEFT_OK;
    if (!weft_ints_has(n->collapsed_slice_dims, n->start_index_map.v[0])) return WEFT_OK;
    if (!rows->type->rank || f->roles->batch == WEFT_NO_CLASS) return WEFT_OK;
    if (weft_leading_class(f->roles, f->c, rows) != f->roles->batch) return WEFT_OK;
    weft_product p = { .op = op, .matrix = table, .argument = f->origin[table->id] };
    for (uint32_t d = 0; d < table->type->rank; d++)
        if (d == n->start_index_map.v[0]) list(f, table, d, p.contracted, &p.contracted_count);
        else list(f, table, d, p.free, &p.free_count);
    for (uint32_t i = 0; i < p.contracted_count; i++) f->looked_up[p.contracted[i]] = true;
    return keep(f, &p);
}

static weft_status visit(void *user, weft_op *op) {
    finder *f = user;
    if (op->kind == WEFT_OP_dot_general) return note_dot(f, op);
    return op->kind == WEFT_OP_gather ? note_gather(f, op) : WEFT_OK;
}

weft_status weft_products_find(const weft_module *m, const weft_dim_classes *c, const weft_roles *roles,
                               weft_arena *arena, weft_products *out) {
    const weft_block *body = weft_op_body(weft_module_main(m), 0);
    finder f = { .m = m, .c = c, .roles = roles, .arena = arena };
    f.origin = weft_arena_array(arena, uint32_t, m->value_count);
    f.inner = weft_arena_array(arena, bool, c->count);
    f.sliced = weft_arena_array(arena, bool, c->count);
    f.looked_up = weft_arena_array(arena, bool, c->count);
    f.divisor = weft_arena_array(arena, int64_t, c->count);
    if (!f.origin || !f.inner || !f.looked_up || !f.sliced || !f.divisor) return weft_oom();
    memset(f.inner, 0, c->count * sizeof *f.inner);
    memset(f.looked_up, 0, c->count * sizeof *f.looked_up);
    memset(f.sliced, 0, c->count * sizeof *f.sliced);
    memset(f.divisor, 0, c->count * sizeof *f.divisor);
    for (uint32_t i = 0; i < m->value_count; i++) f.origin[i] = NO_ARGUMENT;
    for (uint32_t i = 0; i < body->arg_count; i++) {
        f.origin[body->args[i]->id] = i;
        note_sizes(&f, body->args[i]);
    }
    weft_status st = weft_uses_build(m, arena, &f.uses);
    do { /* what a loop stores is known after its body */
        f.changed = false;
        if (st == WEFT_OK) st = weft_module_walk(m, note_origin, &f);
    } while (st == WEFT_OK && f.changed);
    if (st == WEFT_OK) st = weft_module_walk(m, visit, &f);
    *out = (weft_products){ f.v, f.n, f.inner, f.looked_up, f.sliced, f.divisor };
    return st;
}
