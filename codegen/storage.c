/* storage.c: see storage.h. Which operands a unit may overwrite, and which values hand on the memory of a result. */
#include "codegen/call.h"
#include "codegen/slots.h"
#include "cost/plan.h"

enum { MAX_CHAIN = 64 };

bool cg_unit_reads(const cg_unit *u, const cg_node *n) {
    for (uint32_t k = 0; k < u->read_count; k++)
        if (u->reads[k] == n) return true;
    return false;
}

bool cg_unit_writes(const cg_unit *u, const cg_node *n) {
    for (uint32_t k = 0; k < u->write_count; k++)
        if (u->writes[k] == n) return true;
    return false;
}

bool cg_is_result(const cg_block *b, const cg_node *n, uint32_t but) {
    for (uint32_t r = 0; r < b->result_count; r++)
        if (r != but && cg_base(b->results[r]) == n) return true;
    return false;
}

cg_node *cg_copied(const cg_node *n) {
    if (cg_is_call_copy(n)) return cg_base(n->in[0]->in[0]);
    return n->cls == CG_SCALAR && n->op == CG_OP_copy ? cg_base(n->in[0]) : NULL;
}

/* The operand whose memory n has, or NULL. */
static cg_node *memory_from(cg_node *n) {
    cg_node *whole = cg_whole(n);
    if (cg_in_place(whole)) return cg_base(whole->in[n == whole ? 0 : n->aux]);
    return whole->cls == CG_WHILE ? cg_base(whole->in[n->aux]) : NULL;
}

/* --- what a unit may overwrite ------------------------------------------------------------------------------------ */

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

/* The step may work in the memory of that operand, and reads it by no other one. */
static bool step_overwrites(const cg_node *step, const cg_node *read, const cg_node *write) {
    const bool all_reduce = step->cls == CG_COLLECTIVE && step->coll->kind == WEFT_PLAN_ALL_REDUCE;
    const uint32_t w = (uint32_t)write->aux;
    uint32_t reads = 0;
    if (w >= step->in_count || cg_base(step->in[w]) != read) return false;
    if (!all_reduce && (step->cls != CG_CALL || !weft_bits_has(step->call->spec.in_place, w))) return false;
    for (uint32_t i = 0; i < step->in_count; i++) reads += cg_base(step->in[i]) == read;
    return reads == 1;
}

static bool kernel_overwrites(const cg_kernel *k, const cg_node *read, const cg_node *write) {
    const cg_store *s = store_of(k, write);
    return s && read->dtype == write->dtype && cg_kernel_in_place(k, param_of(k, read), s);
}

/* Sets *kind when write may or must lie where read does. */
static bool shares(const cg_unit *u, cg_node *read, cg_node *write, cg_share_kind *kind) {
    if (cg_bytes(read) != cg_bytes(write)) return false;
    *kind = memory_from(write) ? CG_MUST_SHARE : CG_MAY_SHARE;
    if (*kind == CG_MUST_SHARE) return memory_from(write) == read;
    return u->kind == CG_UNIT_STEP ? step_overwrites(u->step, read, write) : kernel_overwrites(u->kernel, read, write);
}

/* How many shares unit number i has; they go to out where that is given. */
static uint32_t list_shares(const cg_storage *s, const cg_branches *branches, uint32_t i, cg_share *out) {
    const cg_unit *u = &s->units->v[i];
    uint32_t n = 0;
    for (uint32_t r = 0; r < u->read_count; r++)
        for (uint32_t w = 0; w < u->write_count; w++) {
            cg_share one = { r, w, CG_MAY_SHARE };
            const bool yes = branches ? cg_branches_may_overwrite(branches, s->block, u->reads[r], u->writes[w])
                                      : shares(u, u->reads[r], u->writes[w], &one.kind);
            if (yes && out) out[n] = one;
            n += yes;
        }
    return n;
}

static weft_status all_shares(cg_graph *g, struct cg_layout ***inner, cg_storage *s) {
    const cg_units *u = s->units;
    size_t cap = 0;
    weft_status st = WEFT_OK;
    s->first_share = weft_arena_array(&g->arena, uint32_t, u->count + 1);
    if (!s->first_share) return weft_oom();
    for (uint32_t i = 0; i < u->count && st == WEFT_OK; i++) {
        weft_arena arena;
        cg_branches read, *branches = NULL;
        weft_arena_init(&arena, &g->cx->alloc);
        if (u->v[i].kind == CG_UNIT_STEP && u->v[i].step->cls == CG_CASE) {
            branches = &read;
            st = cg_branches_of(g, u->v[i].step, inner[i], &arena, branches);
        }
        const uint32_t first = s->first_share[i], n = st == WEFT_OK ? list_shares(s, branches, i, NULL) : 0;
        if (first + n > cap && !weft_arena_grow(&g->arena, (void **)&s->share, &cap, first + n, sizeof *s->share))
            st = weft_oom();
        if (st == WEFT_OK && n) list_shares(s, branches, i, s->share + first);
        s->first_share[i + 1] = first + n;
        weft_arena_free(&arena);
    }
    return st;
}

bool cg_may_share(const cg_storage *s, uint32_t unit, const cg_node *r, const cg_node *w) {
    const cg_unit *u = &s->units->v[unit];
    for (uint32_t i = s->first_share[unit]; i < s->first_share[unit + 1]; i++)
        if (u->reads[s->share[i].read] == r && u->writes[s->share[i].write] == w) return true;
    return false;
}

bool cg_may_share_any(const cg_storage *s, uint32_t unit, const cg_node *r) {
    const cg_unit *u = &s->units->v[unit];
    for (uint32_t i = s->first_share[unit]; i < s->first_share[unit + 1]; i++)
        if (u->reads[s->share[i].read] == r) return true;
    return false;
}

/* --- what hands on the memory of a result ------------------------------------------------------------------------- */

/* A value that has memory of its own in the block, which others may have had before it. */
static bool may_lie_elsewhere(const cg_block *b, const cg_node *n) {
    return n->block == b && n->cls != CG_ARGUMENT && n->cls != CG_CONSTANT;
}

static weft_status follow(cg_graph *g, const cg_block *b, uint32_t result, cg_chain *c) {
    cg_node *v[MAX_CHAIN], *n = cg_base(b->results[result]);
    const cg_node *old = result < b->arg_count ? b->args[result] : NULL;
    while (n && may_lie_elsewhere(b, n) && c->n < MAX_CHAIN) {
        v[c->n++] = n;
        cg_node *next = memory_from(n);
        if (!next && cg_copied(n) && c->n > 1) {
            next = cg_copied(n);
            c->from_argument = next == old;
            if (!memory_from(next)) next = NULL; /* from there on a copy */
        }
        n = next;
    }
    c->v = weft_arena_dup(&g->arena, v, c->n * sizeof *v, _Alignof(cg_node *));
    return c->v ? WEFT_OK : weft_oom();
}

static const cg_node *beginning(const cg_block *b, uint32_t result) {
    cg_node *n = cg_base(b->results[result]);
    for (int i = 0; i < MAX_CHAIN; i++) {
        cg_node *before = memory_from(n);
        if (!before) before = cg_copied(n);
        if (!before || !may_lie_elsewhere(b, before)) break;
        n = before;
    }
    return n;
}

weft_status cg_storage_of(cg_graph *g, struct cg_layout ***inner, cg_storage *s) {
    const cg_block *b = s->block;
    weft_status st = all_shares(g, inner, s);
    s->chain = weft_arena_array(&g->arena, cg_chain, b->result_count);
    if (s->results != CG_RESULTS_GIVEN) s->donor = weft_arena_array(&g->arena, int32_t, b->result_count);
    if (st == WEFT_OK && (!s->chain || !s->donor)) st = weft_oom();
    for (uint32_t r = 0; r < b->result_count && st == WEFT_OK; r++) {
        s->chain[r].begins = beginning(b, r);
        if (s->results == CG_RESULTS_SLOTS) st = follow(g, b, r, &s->chain[r]);
        if (s->results != CG_RESULTS_GIVEN) s->donor[r] = s->chain[r].n && r < b->arg_count ? (int32_t)r : -1;
    }
    return st;
}
