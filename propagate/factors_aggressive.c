/* factors_aggressive.c: the aggressive strategy; see factors.h. */
#include <stdlib.h>

#include "propagate/factors.h"

/* The claim of a factor: its axes, and the largest tensor that has them. Factors go in the order of their claims.
 */
typedef struct claim {
    uint32_t factor;
    int64_t source_size, shards;
    uint32_t source;                /* UINT32_MAX: none */
    weft_axis_list axes;
} claim;

/* Larger source first; between equals of elementwise ops the one with more shards; then the earlier tensor, the earlier
 * factor. */
static int compare_claims(const void *pa, const void *pb) {
    const claim *a = *(const claim *const *)pa, *b = *(const claim *const *)pb;
    if (a->source_size != b->source_size) return a->source_size > b->source_size ? -1 : 1;
    if (a->shards != b->shards) return a->shards > b->shards ? -1 : 1;
    if (a->source != b->source) return (int32_t)a->source < (int32_t)b->source ? -1 : 1;
    return a->factor < b->factor ? -1 : a->factor > b->factor;
}

static void find_sources(const weft_spread *s, claim *claims) {
    const weft_rule *r = s->p->rule;
    for (uint32_t t = 0; t < r->tensor_count; t++) {
        int64_t size = 1;
        WEFT_EACH_BIT(f, s->p->tensors[t].factors) size *= r->sizes[f];
        WEFT_EACH_BIT(g, s->p->tensors[t].factors) {
            claim *c = &claims[g];
            bool is_source = c->axes.n && weft_axes_prefix(weft_axes_of(&c->axes),
                                                           weft_axes_of(&weft_cell_of(s->p, t, (uint32_t)g)->axes)) !=
                                              WEFT_PREFIX_NOT;
            if (is_source && size > c->source_size) {
                c->source_size = size;
                c->source = t;
            }
        }
    }
}

static bool is_part(const weft_mesh *m, weft_axis a) { return a.pre > 1 || a.size < m->axes[a.axis].size; }

/* The part of a claim's axes that tensor t can take; empty if it has them already. */
static void offer(const weft_spread *s, const claim *c, uint32_t t, weft_axis_list *out) {
    const weft_cell *cell = weft_cell_of(s->p, t, c->factor);
    int64_t before = 1;
    weft_axis kept;
    out->n = 0;
    out->full = false;
    if (!cell) return;
    for (uint32_t i = 0; i < c->axes.n; i++) {
        if (!weft_spread_fits_cell(&s->p->tensors[t], cell, s->p->rule->sizes[c->factor], before, c->axes.v[i], &kept))
            break;
        if (s->mode == WEFT_RULE_CONSERVATIVE && is_part(s->p->mesh, kept)) break;
        weft_axis_list_push(out, kept);
        if (!weft_axis_equal(kept, c->axes.v[i])) break;
        before *= kept.size;
    }
    if (weft_axes_prefix(weft_axes_of(&cell->axes), weft_axes_of(out)) != WEFT_PREFIX_STRICT) {
        out->n = 0;
        return;
    }
    for (uint32_t i = 0; i < out->n; i++) {
        if (!weft_spread_free_of_others(s->p, t, c->factor, out->v[i], &kept) ||
            (s->mode == WEFT_RULE_CONSERVATIVE && is_part(s->p->mesh, kept))) {
            out->n = i;
        } else if (!weft_axis_equal(kept, out->v[i])) {
            out->v[i] = kept;
            out->n = i + 1;
        }
    }
}

/* An operand of an elementwise op gets no more than the results have if a result could not take the axes: sharding
 * operands beside a replicated result has no benefit. */
static void no_more_than_results(const weft_spread *s, uint32_t factor, weft_axis_list *axes) {
    const weft_rule *r = s->p->rule;
    for (uint32_t t = r->operand_count; t < r->tensor_count; t++) {
        const weft_cell *cell = weft_cell_of(s->p, t, factor);
        if (cell && weft_axes_prefix(weft_axes_of(&cell->axes), weft_axes_of(axes)) == WEFT_PREFIX_STRICT)
            *axes = cell->axes;
    }
}

static bool spread_to(const weft_spread *s, claim *const *order, uint32_t t, weft_axis_list *axes) {
    const weft_rule *r = s->p->rule;
    bool changed = false;
    for (uint32_t i = 0; i < r->factor_count; i++) {
        uint32_t factor = order[i]->factor;
        if (!order[i]->axes.n) continue;
        offer(s, order[i], t, axes);
        if (!axes->n) continue;
        if (t < r->operand_count && s->elementwise) no_more_than_results(s, factor, axes);
        changed |= weft_spread_extend(weft_cell_of(s->p, t, factor), weft_axes_of(axes));
    }
    return changed;
}

static weft_status spread(const weft_spread *s, weft_arena *scratch, bool *changed) {
    const weft_rule *r = s->p->rule;
    claim *claims = weft_arena_array(scratch, claim, r->factor_count),
          **order = weft_arena_array(scratch, claim *, r->factor_count);
    weft_axis_list *axes = weft_arena_new(scratch, weft_axis_list);
    bool any = false;
    if (!claims || !order || !axes) return weft_oom();
    for (uint32_t f = 0; f < r->factor_count; f++) {
        claims[f].factor = f;
        claims[f].source_size = -1;
        claims[f].source = UINT32_MAX;
        weft_spread_major_axes(s, f, &claims[f].axes);
        if (s->elementwise) claims[f].shards = weft_axes_size(weft_axes_of(&claims[f].axes));
        any |= claims[f].axes.n > 0;
        order[f] = &claims[f];
    }
    if (!any) return WEFT_OK;
    find_sources(s, claims);
    qsort(order, r->factor_count, sizeof *order, compare_claims); /* no two are equal: any sort is stable */
    for (uint32_t t = r->operand_count; t < r->tensor_count; t++) changed[t] = spread_to(s, order, t, axes);
    for (uint32_t t = 0; t < r->operand_count; t++) changed[t] = spread_to(s, order, t, axes);
    return WEFT_OK;
}

weft_status weft_spread_aggressive(const weft_spread *s, weft_arena *scratch, bool *changed) {
    weft_mark mark = weft_arena_mark(scratch);
    weft_status st = spread(s, scratch, changed);
    weft_arena_reset(scratch, mark);
    return st;
}
