/* factors_basic.c: the basic strategy, and code shared by both strategies; see factors.h. */
#include "propagate/factors.h"

weft_direction weft_spread_direction(const weft_spread *s, uint32_t factor) {
    if (weft_bits_has(s->p->rule->blocked, factor)) return WEFT_FLOW_NONE;
    return weft_rule_is_pass(s->p->rule, factor) ? s->pass : s->rest;
}

/* Merges one tensor's axes `with` into *list. Returns whether the list may still grow: it may not once it met a
 * conflict, and then only gets shorter. */
static bool merge_major(weft_axis_list *list, weft_axes with, bool can_grow) {
    uint32_t i = 0;
    for (; i < list->n && i < with.n; i++) {
        weft_axis mine = list->v[i], theirs = with.v[i];
        if (weft_axis_equal(mine, theirs)) continue;
        if (weft_axis_prefix_of(theirs, mine)) {
            if (i + 1 == with.n) continue; /* the other may still be extended to this one */
            list->v[i] = theirs;           /* the other continues with another axis */
            list->n = i + 1;
            return false;
        }
        if (weft_axis_prefix_of(mine, theirs)) {
            if (!can_grow || i + 1 < list->n) {
                list->n = i + 1;
                return false;
            }
            list->v[i] = theirs;
            continue;
        }
        list->n = i;
        return false;
    }
    for (; can_grow && i < with.n; i++) weft_axis_list_push(list, with.v[i]);
    return can_grow;
}

void weft_spread_major_axes(const weft_spread *s, uint32_t factor, weft_axis_list *out) {
    weft_direction direction = weft_spread_direction(s, factor);
    const weft_rule *r = s->p->rule;
    bool can_grow = true;
    out->n = 0;
    out->full = false;
    if (direction == WEFT_FLOW_NONE) return;
    /* First the side from which axes flow, then the other, which may only veto. */
    bool back = direction == WEFT_FLOW_BACKWARD;
    uint32_t n = r->tensor_count, first = back ? r->operand_count : 0,
             sources = back ? n - r->operand_count : r->operand_count;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t t = (first + k) % n;
        if (direction != WEFT_FLOW_BOTH && k == sources) can_grow = false;
        const weft_cell *cell = weft_cell_of(s->p, t, factor);
        if (cell) can_grow = merge_major(out, weft_axes_of(&cell->axes), can_grow);
    }
}

bool weft_spread_fits_cell(const weft_cells *t, const weft_cell *cell, int64_t factor_size, int64_t before, weft_axis a,
                           weft_axis *out) {
    if (!weft_axis_prefix_without_all(a, t->replicated, out) || !weft_axis_prefix_without_all(*out, t->unreduced, out))
        return false;
    for (uint32_t i = 0; i < cell->axes.n; i++)
        if (weft_axis_contains(cell->axes.v[i], *out)) return true;
    if (!cell->closed && !cell->overflow.n) {
        if (cell->minor_most) return true;
        if (factor_size % before == 0) { /* unlike the last factor of a dimension, this one must stay even */
            int64_t common = weft_gcd(factor_size / before, out->size);
            if (common > 1 || common == out->size) {
                out->size = (uint32_t)common;
                return true;
            }
        }
    }
    /* It cannot be extended, but its axes may be a prefix. */
    if (cell->axes.n && weft_axis_prefix_of(cell->axes.v[cell->axes.n - 1], *out)) {
        *out = cell->axes.v[cell->axes.n - 1];
        return true;
    }
    return false;
}

bool weft_spread_free_of_others(const weft_projection *p, uint32_t tensor, uint32_t factor, weft_axis a,
                                weft_axis *out) {
    *out = a;
    WEFT_EACH_BIT(f, p->tensors[tensor].factors & ~weft_bit(factor)) {
        const weft_cell *other = weft_cell_of(p, tensor, (uint32_t)f);
        if (!weft_axis_prefix_without_all(*out, weft_axes_of(&other->overflow), out) ||
            !weft_axis_prefix_without_all(*out, weft_axes_of(&other->axes), out))
            return false;
    }
    return true;
}

bool weft_spread_extend(weft_cell *cell, weft_axes axes) {
    if (weft_axes_prefix(weft_axes_of(&cell->axes), axes) != WEFT_PREFIX_STRICT) return false;
    weft_axis_list_set(&cell->axes, axes);
    return true;
}

/* The prefix of a that every tensor can take. */
static bool fits_all(const weft_spread *s, uint32_t factor, int64_t before, weft_axis a, weft_axis *out) {
    *out = a;
    for (uint32_t t = 0; t < s->p->rule->tensor_count; t++) {
        const weft_cell *cell = weft_cell_of(s->p, t, factor);
        if (!weft_spread_free_of_others(s->p, t, factor, *out, out)) return false;
        if (cell && !weft_spread_fits_cell(&s->p->tensors[t], cell, s->p->rule->sizes[factor], before, *out, out))
            return false;
    }
    return true;
}

static void cut_conflicts(const weft_spread *s, uint32_t factor, weft_axis_list *axes) {
    int64_t before = 1;
    for (uint32_t i = 0; i < axes->n; i++) {
        weft_axis kept;
        bool part = !fits_all(s, factor, before, axes->v[i], &kept);
        if (part ||
            (s->mode == WEFT_RULE_CONSERVATIVE && (kept.pre > 1 || kept.size < s->p->mesh->axes[kept.axis].size))) {
            axes->n = i;
        } else if (!weft_axis_equal(kept, axes->v[i])) {
            axes->v[i] = kept;
            axes->n = i + 1;
        } else {
            before *= kept.size;
        }
    }
}

weft_status weft_spread_basic(const weft_spread *s, weft_arena *scratch, bool *changed) {
    const weft_rule *r = s->p->rule;
    weft_mark mark = weft_arena_mark(scratch);
    weft_axis_list *axes = weft_arena_new(scratch, weft_axis_list);
    if (!axes) return weft_oom();
    for (uint32_t f = 0; f < r->factor_count; f++) {
        weft_spread_major_axes(s, f, axes);
        if (!axes->n) continue;
        cut_conflicts(s, f, axes);
        for (uint32_t t = 0; t < r->tensor_count; t++) {
            weft_cell *cell = weft_cell_of(s->p, t, f);
            if (cell && weft_spread_extend(cell, weft_axes_of(axes))) changed[t] = true;
        }
    }
    weft_arena_reset(scratch, mark);
    return WEFT_OK;
}
