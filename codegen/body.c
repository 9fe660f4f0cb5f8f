/* body.c: the nodes that a block's results are made of, in the order in which they were made. */
#include <stdlib.h>
#include "codegen/body.h"

/* Nodes of the block by id, constants from outside, which have smaller ids than any, in a list of their own. */
typedef struct outsider { const cg_node *node; uint32_t number; } outsider;
typedef struct reader {
    weft_arena *arena;
    const cg_block *block;
    uint32_t first, n;      /* ids first .. first + n - 1 are the block's */
    const cg_node **node;   /* by id - first; NULL: not needed */
    uint32_t *number;
    outsider *outside; size_t outside_count, outside_cap;
    const cg_node *culprit;
    bool memory;
    cg_body *out;
} reader;

/* What stands for n: one element is the same under any shape of 1s. */
static const cg_node *element_of(const cg_node *n) {
    while ((n->cls == CG_RESHAPE || n->cls == CG_VIEW) && n->in[0]->elems == 1 && n->elems == 1) n = n->in[0];
    return n;
}

static bool is_argument(const reader *r, const cg_node *n) { return n->cls == CG_ARGUMENT && n->block == r->block; }

static void need_outside(reader *r, const cg_node *n) {
    for (size_t i = 0; i < r->outside_count; i++)
        if (r->outside[i].node == n) return;
    if (r->outside_count == r->outside_cap &&
        !weft_arena_grow(r->arena, (void **)&r->outside, &r->outside_cap, r->outside_count + 1, sizeof *r->outside))
        r->memory = true;
    else r->outside[r->outside_count++] = (outsider){ n, 0 };
}

static void need(reader *r, const cg_node *n) {
    n = element_of(n);
    if (is_argument(r, n)) return;
    const bool scalar = (n->cls == CG_SCALAR || n->cls == CG_SPLAT) && n->elems == 1;
    if (!scalar || (n->block != r->block && !n->uniform)) r->culprit = n;
    else if (n->block != r->block) need_outside(r, n);
    else r->node[n->id - r->first] = n;
}

static void need_operands(reader *r, const cg_node *n) {
    for (uint32_t k = 0; n && n->cls == CG_SCALAR && k < n->in_count; k++) need(r, n->in[k]);
}

static uint32_t number_of(const reader *r, const cg_node *n) {
    n = element_of(n);
    if (is_argument(r, n)) return (uint32_t)n->aux;
    if (n->block == r->block) return r->number[n->id - r->first];
    size_t i = 0;
    while (r->outside[i].node != n) i++;
    return r->outside[i].number;
}

static bool make_room(reader *r) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < r->block->result_count; i++)
        if (r->block->results[i]->id >= last) last = r->block->results[i]->id + 1;
    r->first = r->block->arg_count ? r->block->args[0]->id : 0;
    r->n = last > r->first ? last - r->first : 0;
    r->node = weft_arena_array(r->arena, const cg_node *, r->n + 1);
    r->number = weft_arena_array(r->arena, uint32_t, r->n + 1);
    return r->node && r->number;
}

static int by_id(const void *x, const void *y) {
    const outsider *a = x, *b = y;
    return a->node->id < b->node->id ? -1 : 1;
}

static uint32_t append(reader *r, const cg_node *n) {
    cg_body *b = r->out;
    cg_body_ins *x = &b->ins[b->count];
    *x = (cg_body_ins){ .node = n };
    for (uint32_t k = 0; n->cls == CG_SCALAR && k < n->in_count; k++) x->in[k] = number_of(r, n->in[k]);
    return b->arg_count + b->count++;
}

static bool list(reader *r) {
    cg_body *b = r->out;
    size_t count = r->outside_count;
    for (uint32_t i = 0; i < r->n; i++) count += r->node[i] != NULL;
    b->ins = weft_arena_array(r->arena, cg_body_ins, count + 1);
    b->results = weft_arena_array(r->arena, uint32_t, b->result_count + 1);
    if (!b->ins || !b->results) return false;
    if (r->outside_count) qsort(r->outside, r->outside_count, sizeof *r->outside, by_id);
    for (size_t i = 0; i < r->outside_count; i++) r->outside[i].number = append(r, r->outside[i].node);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->node[i]) r->number[i] = append(r, r->node[i]);
    for (uint32_t i = 0; i < b->result_count; i++) b->results[i] = number_of(r, r->block->results[i]);
    return true;
}

weft_status cg_body_read(weft_arena *arena, const cg_block *block, cg_body *out, const cg_node **culprit) {
    reader r = { .arena = arena, .block = block, .out = out };
    *out = (cg_body){ .arg_count = block->arg_count, .result_count = block->result_count };
    if (!make_room(&r)) return weft_oom();
    for (uint32_t i = 0; i < block->result_count; i++) need(&r, block->results[i]);
    for (uint32_t i = r.n; i-- > 0 && !r.culprit;) need_operands(&r, r.node[i]); /* operands have smaller ids */
    for (size_t i = 0; i < r.outside_count && !r.culprit; i++) need_operands(&r, r.outside[i].node);
    if (culprit) *culprit = r.culprit;
    if (r.culprit) return WEFT_ERR_UNSUPPORTED;
    return !r.memory && list(&r) ? WEFT_OK : weft_oom();
}

weft_status cg_body_check(cg_graph *g, const cg_block *b) {
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    const cg_node *culprit = NULL;
    cg_body body;
    weft_status st = cg_body_read(&g->cx->scratch, b, &body, &culprit);
    weft_arena_reset(&g->cx->scratch, mark);
    if (st == WEFT_ERR_UNSUPPORTED)
        return weft_report(g->cx, WEFT_D_unsupported, culprit->loc,
                           "inside the body of another operation only scalar operations on its arguments have code");
    return st;
}

void cg_body_key(const cg_body *b, void (*put)(void *user, int64_t v), void *user) {
    put(user, b->arg_count);
    put(user, b->count);
    for (uint32_t i = 0; i < b->count; i++) {
        const cg_node *n = b->ins[i].node;
        int64_t splat[2] = { 0, 0 };
        if (n->cls == CG_SPLAT) memcpy(splat, n->splat, sizeof splat);
        const int64_t parts[] = { n->cls, n->op, n->dtype, n->op == CG_OP_copy ? 0 : n->aux, splat[0], splat[1] };
        for (size_t k = 0; k < WEFT_COUNT(parts); k++) put(user, parts[k]);
        for (uint32_t k = 0; k < 3; k++) put(user, b->ins[i].in[k]);
    }
    for (uint32_t i = 0; i < b->result_count; i++) put(user, b->results[i]);
}
