/* slots.c: what loops carry is updated where it lies.
 *
 * A loop's arguments and results are one set of buffers, the slots. A result of the body that nothing keeps from it is
 * computed in its slot: then an iteration ends without copies, and an update of a part touches that part. What lies in
 * a slot is the chain of the result (storage.h). A copy from a slot to itself is no step (lower.c).
 *
 * The old value must have been read before the first unit that writes the slot, or by that unit element by element; and
 * each value of the chain before the next one takes its place. Otherwise the result has memory of its own, and is
 * copied to its slot when the iteration ends. Branches write their results in the same way; an old value is in danger
 * there where a result shares the memory of a donated argument that the branches read.
 */
#include "codegen/slots.h"
#include "codegen/lower.h"

/* What the block ends with is read last, at the end. */
static bool is_result(const cg_lifetimes *l, const cg_node *n) { return l->last[n->id] == l->order->count; }

static uint32_t unit_at(const cg_lifetimes *l, uint32_t position) { return l->order->v[position].unit; }

/* Nothing reads old after position `first`, which is the first to write values of chain c; and that one reads it, if at
 * all, element by element before it writes them. */
static bool may_lie_in(const cg_lifetimes *l, const cg_node *old, uint32_t first, const cg_chain *c) {
    if (cg_last_use_but(l, old, first) > first) return false;
    if (!cg_unit_reads(&l->storage->units->v[unit_at(l, first)], old)) return true;
    for (uint32_t i = 0; i < c->n; i++)
        if (l->writer[c->v[i]->id] == first && !cg_may_share(l->storage, unit_at(l, first), old, c->v[i])) return false;
    return true;
}

static bool fits(const cg_lifetimes *l, uint32_t result) {
    const cg_block *b = l->storage->block;
    const cg_chain *c = &l->storage->chain[result]; /* of which only the first value is that result */
    uint32_t first = CG_NONE;
    for (uint32_t i = 0; i < c->n; i++) {
        const uint32_t w = l->writer[c->v[i]->id];
        if (w == CG_NONE || (i && is_result(l, c->v[i]))) return false;
        if (i && cg_last_use_but(l, c->v[i], CG_NONE) > l->writer[c->v[i - 1]->id]) return false;
        if (i + 1 < c->n || !c->from_argument) first = w; /* that copy changes nothing */
    }
    const cg_node *old = result < b->arg_count ? b->args[result] : NULL;
    if (!old || first == CG_NONE) return first != CG_NONE;
    return !is_result(l, old) && may_lie_in(l, old, first, c);
}

void cg_keep_slots(const cg_lifetimes *l) {
    for (uint32_t r = 0; r < l->storage->block->result_count; r++)
        l->in_slot[r] = l->storage->results == CG_RESULTS_SLOTS && fits(l, r);
}

weft_status cg_branches_of(const cg_graph *g, const cg_node *step, struct cg_layout *const *inner, weft_arena *a,
                           cg_branches *out) {
    cg_lifetimes *of = weft_arena_array(a, cg_lifetimes, step->control.count);
    weft_status st = of ? WEFT_OK : weft_oom();
    *out = (cg_branches){ step, of };
    for (uint32_t b = 0; b < step->control.count && st == WEFT_OK; b++) {
        st = cg_uses_of(g, &inner[b]->storage, &inner[b]->order, a, &of[b]);
        of[b].in_slot = inner[b]->in_slot;
    }
    return st;
}

/* Whether a branch may compute its result where old, a value from outside, lies. A result that is copied at the end of
 * the branch may: by then all has been read. */
static bool branch_overwrites(const cg_lifetimes *l, const cg_node *old, uint32_t result) {
    const cg_chain *c = &l->storage->chain[result];
    if (is_result(l, old)) return false;
    return !l->in_slot[result] || may_lie_in(l, old, l->writer[c->v[c->n - 1]->id], c);
}

bool cg_branches_may_overwrite(const cg_branches *x, const cg_block *outside, const cg_node *old, const cg_node *w) {
    if (old->cls != CG_ARGUMENT || old->block != outside || cg_bytes(old) != cg_bytes(w)) return false;
    if (cg_base(x->step->in[0]) == old) return false;
    for (uint32_t b = 0; b < x->step->control.count; b++)
        if (!branch_overwrites(&x->of[b], old, (uint32_t)w->aux)) return false;
    return true;
}
