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

/* The value may lie where read does, if nothing reads that later. */
static bool may_overwrite(const cg_unit *u, const cg_node *read, const cg_node *write) {
    if (cg_bytes(read) != cg_bytes(write)) return false;
    return u->kind == CG_UNIT_STEP ? step_overwrites(u->step, read, write) : kernel_overwrites(u->kernel, read, write);
}

typedef struct share_list {
    const cg_storage *s;
    const cg_unit *u;
    const cg_branches *branches; /* of a branch; else NULL */
    uint32_t *place;             /* by node id: 1 + its number among the unit's reads; 0: it is none */
    cg_share *out;               /* NULL: they are only counted */
    uint32_t n;
} share_list;

static void add_share(share_list *l, uint32_t read, uint32_t write, cg_share_kind kind) {
    if (l->out) l->out[l->n] = (cg_share){ read, write, kind };
    l->n++;
}

/* Loops carry thousands of values, of which each must lie where one operand does: that one is found by its place. */
static void list_of_write(share_list *l, uint32_t w) {
    const cg_unit *u = l->u;
    cg_node *write = u->writes[w], *from = l->branches ? NULL : memory_from(write);
    if (from) {
        const uint32_t at = l->place[from->id];
        if (at && cg_bytes(from) == cg_bytes(write)) add_share(l, at - 1, w, CG_MUST_SHARE);
        return;
    }
    for (uint32_t r = 0; r < u->read_count; r++)
        if (l->branches ? cg_branches_may_overwrite(l->branches, l->s->block, u->reads[r], write)
                        : may_overwrite(u, u->reads[r], write))
            add_share(l, r, w, CG_MAY_SHARE);
}

static void list_of_writes(share_list *l) {
    l->n = 0;
    for (uint32_t w = 0; w < l->u->write_count; w++) list_of_write(l, w);
}

static weft_status list_shares(cg_graph *g, share_list *l, uint32_t first, size_t *cap, cg_storage *s) {
    for (uint32_t r = l->u->read_count; r-- > 0;) l->place[l->u->reads[r]->id] = r + 1;
    list_of_writes(l);
    const size_t need = (size_t)first + l->n;
    const bool fits = need <= *cap || weft_arena_grow(&g->arena, (void **)&s->share, cap, need, sizeof *s->share);
    if (fits && l->n) {
        l->out = s->share + first;
        list_of_writes(l);
    }
    for (uint32_t r = 0; r < l->u->read_count; r++) l->place[l->u->reads[r]->id] = 0;
    return fits ? WEFT_OK : weft_oom();
}

static weft_status shares_of(cg_graph *g, struct cg_layout ***inner, uint32_t i, uint32_t *place, size_t *cap,
                             cg_storage *s) {
    share_list l = { .s = s, .u = &s->units->v[i], .place = place };
    cg_branches branches;
    weft_arena arena;
    weft_status st = WEFT_OK;
    weft_arena_init(&arena, &g->cx->alloc);
    if (l.u->kind == CG_UNIT_STEP && l.u->step->cls == CG_CASE) {
        l.branches = &branches;
        st = cg_branches_of(g, l.u->step, inner[i], &arena, &branches);
    }
    if (st == WEFT_OK) st = list_shares(g, &l, s->first_share[i], cap, s);
    s->first_share[i + 1] = s->first_share[i] + l.n;
    weft_arena_free(&arena);
    return st;
}

static weft_status all_shares(cg_graph *g, struct cg_layout ***inner, cg_storage *s) {
    size_t cap = 0;
    weft_arena arena;
    weft_arena_init(&arena, &g->cx->alloc);
    uint32_t *place = weft_arena_array(&arena, uint32_t, g->count);
    s->first_share = weft_arena_array(&g->arena, uint32_t, s->units->count + 1);
    weft_status st = place && s->first_share ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; i < s->units->count && st == WEFT_OK; i++) st = shares_of(g, inner, i, place, &cap, s);
    weft_arena_free(&arena);
    return st;
}

bool cg_may_share(const cg_storage *s, uint32_t unit, const cg_node *r, const cg_node *w) {
    const cg_unit *u = &s->units->v[unit];
    for (uint32_t i = s->first_share[unit]; i < s->first_share[unit + 1]; i++)
        if (u->reads[s->share[i].read] == r && u->writes[s->share[i].write] == w) return true;
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
