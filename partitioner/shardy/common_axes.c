/* common_axes.c: Shardy's choice of axes; see common_axes.h. */
#include <string.h>

#include "partitioner/shardy/common_axes.h"

bool weft_factor_agreed(const weft_projection *p, uint32_t factor, weft_axes *out) {
    const weft_cell *first = NULL;
    for (uint32_t t = 0; t < p->rule->tensor_count; t++) {
        const weft_cell *cell = weft_cell_of(p, t, factor);
        if (cell && first && !weft_axes_equal(weft_axes_of(&cell->axes), weft_axes_of(&first->axes))) return false;
        if (cell && !first) first = cell;
    }
    *out = first ? weft_axes_of(&first->axes) : (weft_axes){ 0 };
    return true;
}

void weft_projection_set(weft_projection *p, const weft_axis_list *axes, bool *changed) {
    for (uint32_t t = 0; t < p->rule->tensor_count; t++)
        WEFT_EACH_BIT(f, p->tensors[t].factors) {
            weft_cell *cell = weft_cell_of(p, t, (uint32_t)f);
            changed[t] |= cell->overflow.n > 0 || !weft_axes_equal(weft_axes_of(&cell->axes), weft_axes_of(&axes[f]));
            cell->axes = axes[f];
            cell->overflow.n = 0;
        }
}

/* --- all agree ------------------------------------------------------------------------------------------------- */

static bool all_agree(const weft_projection *p, weft_axis_list *out) {
    const weft_rule *rule = p->rule;
    for (uint32_t f = 0; f < rule->factor_count; f++) {
        weft_axes agreed;
        if (!weft_factor_agreed(p, f, &agreed)) return false;
        if (weft_bits_has(rule->replicated, f) && agreed.n) return false;
        for (uint32_t g = 0; g < f; g++)
            if (weft_axes_overlap(agreed, weft_axes_of(&out[g]))) return false;
        weft_axis_list_set(&out[f], agreed);
    }
    return true;
}

/* --- two tensors ----------------------------------------------------------------------------------------------- */

/* The tensors of rank > 0: how many, and the first two. */
static uint32_t tensors_with_dims(const weft_rule *rule, uint32_t *a, uint32_t *b) {
    uint32_t n = 0;
    for (uint32_t t = 0; t < rule->tensor_count; t++) {
        if (!rule->tensors[t].rank) continue;
        if (n == 0) *a = t;
        if (n == 1) *b = t;
        n++;
    }
    return n;
}

static bool any_dim_of_several(const weft_rule *rule) {
    for (uint32_t t = 0; t < rule->tensor_count; t++)
        for (uint32_t d = 0; d < rule->tensors[t].rank; d++)
            if (rule->tensors[t].dims[d].n > 1) return true;
    return false;
}

static int64_t parts_of(const weft_projection *p, uint32_t tensor) {
    int64_t parts = 1;
    WEFT_EACH_BIT(f, p->tensors[tensor].factors) {
        const weft_cell *cell = weft_cell_of(p, tensor, (uint32_t)f);
        parts *= weft_axes_size(weft_axes_of(&cell->axes)) * weft_axes_size(weft_axes_of(&cell->overflow));
    }
    return parts;
}

static bool permutes(const weft_projection *p, uint32_t tensor) {
    WEFT_EACH_BIT(f, p->tensors[tensor].factors & p->rule->permutation)
        if (weft_cell_of(p, tensor, (uint32_t)f)->axes.n) return true;
    return false;
}

static bool second_preferred(const weft_projection *p, const int64_t *elems, uint32_t a, uint32_t b) {
    if (permutes(p, a) != permutes(p, b)) return permutes(p, a);
    if (elems[a] != elems[b]) return elems[a] < elems[b];
    return parts_of(p, a) < parts_of(p, b);
}

static void follow_one(const weft_projection *p, const int64_t *elems, uint32_t a, uint32_t b, weft_axis_list *out) {
    bool swap = second_preferred(p, elems, a, b);
    uint32_t lead = swap ? b : a, other = swap ? a : b;
    WEFT_EACH_BIT(f, p->tensors[lead].factors) out[f] = weft_cell_of(p, lead, (uint32_t)f)->axes;
    WEFT_EACH_BIT(f, p->tensors[other].factors & ~p->tensors[lead].factors) {
        out[f] = weft_cell_of(p, other, (uint32_t)f)->axes;
        WEFT_EACH_BIT(g, p->tensors[lead].factors)
            weft_axis_list_cut_overlap(&out[f], weft_axes_of(&weft_cell_of(p, lead, (uint32_t)g)->axes));
    }
}

/* --- the largest tensors win ------------------------------------------------------------------------------------- */

typedef struct candidate {
    uint32_t factor;
    weft_axis_list axes;
    int64_t elems;               /* of all tensors sharded so, or further */
    int64_t parts;               /* into which it cuts beyond what its factor has won so far */
} candidate;

typedef struct contest {
    const weft_projection *p;
    /* factors just before it in some dimension that are not split into single steps yet */
    weft_bits waits_for[WEFT_MAX_FACTORS];
    candidate *v;
    uint32_t n;
} contest;

static int preference(weft_factor_kind kind) {
    switch (kind) {
    case WEFT_FACTOR_PASS: return 3;
    case WEFT_FACTOR_REDUCTION: return 2;
    case WEFT_FACTOR_PERMUTATION: return 1;
    case WEFT_FACTOR_REPLICATED: return 0;
    }
    return 0;
}

static int compare_axes(const weft_mesh *mesh, weft_axes a, weft_axes b) {
    if (a.n != b.n) return a.n < b.n ? -1 : 1;
    for (uint32_t i = 0; i < a.n; i++) {
        int by_name = strcmp(mesh->axes[a.v[i].axis].name->text, mesh->axes[b.v[i].axis].name->text);
        int c = by_name ? by_name : weft_axis_compare(a.v[i], b.v[i]);
        if (c) return c;
    }
    return 0;
}

static bool better(const contest *k, const candidate *a, const candidate *b) {
    int pa = preference(weft_rule_kind(k->p->rule, a->factor)), pb = preference(weft_rule_kind(k->p->rule, b->factor));
    if (a->elems != b->elems) return a->elems > b->elems;
    if (pa != pb) return pa > pb;
    if (a->parts != b->parts) return a->parts > b->parts;
    if (a->factor != b->factor) return a->factor > b->factor;
    return compare_axes(k->p->mesh, weft_axes_of(&a->axes), weft_axes_of(&b->axes)) > 0;
}

static const candidate *best_of(const contest *k) {
    const candidate *best = NULL;
    for (uint32_t i = 0; i < k->n; i++)
        if (!k->waits_for[k->v[i].factor] && (!best || better(k, &k->v[i], best))) best = &k->v[i];
    return best;
}

static void add_candidate(contest *k, uint32_t factor, weft_axes axes) {
    for (uint32_t i = 0; i < k->n; i++)
        if (k->v[i].factor == factor && weft_axes_equal(weft_axes_of(&k->v[i].axes), axes)) return;
    candidate *c = &k->v[k->n++];
    *c = (candidate){ .factor = factor, .parts = weft_axes_size(axes) };
    weft_axis_list_set(&c->axes, axes);
}

static weft_status open_contest(weft_context *cx, contest *k, const int64_t *elems) {
    const weft_rule *rule = k->p->rule;
    uint32_t room = 0;
    for (uint32_t t = 0; t < rule->tensor_count; t++)
        WEFT_EACH_BIT(f, k->p->tensors[t].factors) room += weft_cell_of(k->p, t, (uint32_t)f)->axes.n;
    if (!(k->v = weft_scratch_array(cx, candidate, room))) return weft_oom();
    for (uint32_t t = 0; t < rule->tensor_count; t++) {
        WEFT_EACH_BIT(f, k->p->tensors[t].factors) {
            const weft_axis_list *axes = &weft_cell_of(k->p, t, (uint32_t)f)->axes;
            for (uint32_t n = axes->n; n > 0; n--) add_candidate(k, (uint32_t)f, weft_axes_at(axes->v, n));
        }
        for (uint32_t d = 0; d < rule->tensors[t].rank; d++)
            for (uint32_t i = 1; i < rule->tensors[t].dims[d].n; i++) {
                const uint8_t *at = &rule->factors[rule->tensors[t].dims[d].first + i];
                k->waits_for[at[0]] |= weft_bit(at[-1]);
            }
    }
    for (uint32_t i = 0; i < k->n; i++)
        for (uint32_t t = 0; t < rule->tensor_count; t++) {
            const weft_cell *cell = weft_cell_of(k->p, t, k->v[i].factor);
            if (cell && weft_axes_prefix(weft_axes_of(&k->v[i].axes), weft_axes_of(&cell->axes)) != WEFT_PREFIX_NOT)
                k->v[i].elems += elems[t];
        }
    return WEFT_OK;
}

/* What is left of candidate c once won has its axes; false when nothing that goes beyond what c's factor has. */
static bool still_runs(candidate *c, const candidate *won, const weft_axis_list *have) {
    weft_axes axes = weft_axes_of(&c->axes);
    if (c->factor == won->factor) {
        if (weft_axes_prefix(weft_axes_of(&won->axes), axes) != WEFT_PREFIX_STRICT) return false;
        c->parts = weft_axes_size(axes) / weft_axes_size(weft_axes_of(&won->axes));
        return true;
    }
    weft_axis_list cut = c->axes;
    weft_axis_list_cut_overlap(&cut, weft_axes_of(&won->axes));
    if (weft_axes_equal(weft_axes_of(&cut), axes)) {
        c->parts = weft_axes_size(axes);
        return true;
    }
    c->axes = cut;
    c->parts = weft_axes_size(weft_axes_of(&cut)) / weft_axes_size(weft_axes_of(have));
    return !weft_axes_equal(weft_axes_of(&cut), weft_axes_of(have));
}

static weft_status run_contest(weft_context *cx, const weft_projection *p, const int64_t *elems, weft_axis_list *out) {
    contest k = { .p = p };
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = open_contest(cx, &k, elems);
    for (const candidate *best; st == WEFT_OK && (best = best_of(&k)) != NULL;) {
        candidate won = *best;
        uint32_t left = 0;
        out[won.factor] = won.axes;
        if (weft_axes_size(weft_axes_of(&won.axes)) == p->rule->sizes[won.factor])
            for (uint32_t f = 0; f < p->rule->factor_count; f++) k.waits_for[f] &= ~weft_bit(won.factor);
        for (uint32_t i = 0; i < k.n; i++)
            if (still_runs(&k.v[i], &won, &out[k.v[i].factor])) k.v[left++] = k.v[i];
        k.n = left;
    }
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

/* --- axes of factors that must be whole --------------------------------------------------------------------------- */

static bool in_all_tensors(const weft_rule *rule, uint32_t factor) {
    for (uint32_t t = 0; t < rule->tensor_count; t++)
        if (rule->tensors[t].rank && !weft_bits_has(rule->tensors[t].factors, factor)) return false;
    return true;
}

static void give_to_batches(const weft_projection *p, weft_axes axes, weft_axis_list *out) {
    const weft_rule *rule = p->rule;
    for (uint32_t f = 0; f < rule->factor_count && axes.n; f++) {
        int64_t have = weft_axes_size(weft_axes_of(&out[f]));
        if (!weft_rule_is_pass(rule, f) || !in_all_tensors(rule, f) || rule->sizes[f] == 0 ||
            rule->sizes[f] % have != 0)
            continue;
        for (int64_t room = rule->sizes[f] / have; axes.n && room % axes.v[0].size == 0;
             axes = weft_axes_from(axes, 1)) {
            weft_axis_list_push_merged(&out[f], axes.v[0]);
            room /= axes.v[0].size;
        }
    }
}

static void empty_whole_factors(const weft_projection *p, weft_axis_list *out) {
    WEFT_EACH_BIT(f, p->rule->replicated) {
        weft_axis_list axes = out[f];
        out[f].n = 0;
        if (in_all_tensors(p->rule, (uint32_t)f)) give_to_batches(p, weft_axes_of(&axes), out);
    }
}

weft_status weft_common_axes(weft_context *cx, const weft_projection *p, const int64_t *elems, weft_axis_list *out) {
    const weft_rule *rule = p->rule;
    uint32_t a = 0, b = 0;
    if (all_agree(p, out)) return WEFT_OK;
    memset(out, 0, rule->factor_count * sizeof out[0]);
    if (tensors_with_dims(rule, &a, &b) == 2 && !rule->replicated && !any_dim_of_several(rule)) {
        follow_one(p, elems, a, b, out);
        return WEFT_OK;
    }
    weft_status st = run_contest(cx, p, elems, out);
    if (st == WEFT_OK) empty_whole_factors(p, out);
    return st;
}

/* --- reshapes whose axes do not fit ------------------------------------------------------------------------------ */

/* The factors of a tensor in the order of its dimensions; those without a cell stand after an overflow. */
static uint32_t factors_in_order(const weft_projection *p, uint32_t tensor, uint32_t *out) {
    const weft_rule_tensor *t = &p->rule->tensors[tensor];
    uint32_t n = 0;
    for (uint32_t d = 0; d < t->rank; d++)
        for (uint32_t i = 0; i < t->dims[d].n; i++) {
            uint32_t f = p->rule->factors[t->dims[d].first + i];
            if (weft_cell_of(p, tensor, f)) out[n++] = f;
        }
    return n;
}

/* Gives axis, or what of it fits, to the factors in turn. Returns what is left; size 0 when nothing is. */
static weft_axis place_axis(weft_projection *p, uint32_t tensor, const uint32_t *factors, uint32_t n, int64_t *room,
                            weft_axis axis, bool *placed) {
    *placed = false;
    for (uint32_t i = 0; i < n; i++) {
        if (room[i] <= 1) continue;
        uint32_t common = (uint32_t)weft_gcd(axis.size, room[i] % axis.size);
        if (common == 1 && axis.size != 1) continue;
        *placed = true;
        weft_axis_list_push_merged(&weft_cell_of(p, tensor, factors[i])->axes,
                                   (weft_axis){ axis.axis, axis.pre, common });
        room[i] /= common;
        if (common == axis.size) return (weft_axis){ 0 };
        axis = (weft_axis){ axis.axis, axis.pre * common, axis.size / common };
    }
    return axis;
}

static void redistribute(weft_projection *p, uint32_t tensor, const weft_axis_list *axes) {
    uint32_t factors[WEFT_MAX_FACTORS], n = factors_in_order(p, tensor, factors);
    int64_t room[WEFT_MAX_FACTORS];
    for (uint32_t i = 0; i < n; i++) {
        weft_cell *cell = weft_cell_of(p, tensor, factors[i]);
        cell->axes.n = cell->overflow.n = 0;
        room[i] = p->rule->sizes[factors[i]];
    }
    for (uint32_t a = 0; n && a < axes->n; a++) {
        bool placed = true;
        weft_axis left = axes->v[a];
        while (left.size && placed) left = place_axis(p, tensor, factors, n, room, left, &placed);
        if (placed) continue;
        weft_axis_list *overflow = &weft_cell_of(p, tensor, factors[n - 1])->overflow;
        weft_axis_list_push_merged(overflow, left);
        for (a++; a < axes->n; a++) weft_axis_list_push_merged(overflow, axes->v[a]);
    }
}

void weft_reshape_redistribute(weft_projection *p) {
    uint32_t lead = parts_of(p, 0) >= parts_of(p, 1) ? 0 : 1;
    weft_axis_list all = { 0 };
    WEFT_EACH_BIT(f, p->tensors[lead].factors) {
        const weft_cell *cell = weft_cell_of(p, lead, (uint32_t)f);
        for (uint32_t i = 0; i < cell->axes.n; i++) weft_axis_list_push(&all, cell->axes.v[i]);
        for (uint32_t i = 0; i < cell->overflow.n; i++) weft_axis_list_push(&all, cell->overflow.v[i]);
    }
    redistribute(p, 0, &all);
    redistribute(p, 1, &all);
}
