/* sdy-user-priority-propagate: op-priority propagation once for each priority that the user gave to dimensions, lowest
 * number first. Before its priority is reached a dimension is empty and closed, and its axes are kept replicated, so
 * that other dimensions cannot take them. Needs, leaves: as sdy-basic-propagate; no priorities are left. Source:
 * Shardy, docs/propagation.md ("User priorities"). */
#include <stdio.h>
#include <stdlib.h>

#include "propagate/history.h"
#include "propagate/options.h"
#include "propagate/propagate.h"

typedef struct held { /* a sharding with dimensions that wait */
    int32_t priority;
    uint32_t slot;
    const weft_sharding *original;
} held;

static int compare_axes(const void *a, const void *b) {
    return weft_axis_compare(*(const weft_axis *)a, *(const weft_axis *)b);
}

/* Empties and closes dimensions of priority over 0, and replicates their axes. */
static const weft_sharding *hold_back(weft_shardings *t, const weft_sharding *s) {
    weft_dim dims[WEFT_MAX_RANK];
    weft_axis_list replicated;
    weft_axis_list_set(&replicated, s->replicated);
    for (uint32_t d = 0; d < s->rank; d++) {
        dims[d] = s->dims[d];
        dims[d].priority = WEFT_NO_PRIORITY;
        if (weft_dim_priority(&s->dims[d]) == 0) continue;
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++) weft_axis_list_push(&replicated, s->dims[d].axes.v[i]);
        dims[d] = (weft_dim){ .priority = WEFT_NO_PRIORITY };
    }
    qsort(replicated.v, replicated.n, sizeof replicated.v[0], compare_axes);
    return weft_sharding_make(t, s->mesh, s->rank, dims, weft_axes_of(&replicated), s->unreduced);
}

/* Restores the dimensions of this priority; their axes need no longer be replicated. */
static const weft_sharding *let_go(weft_shardings *t, const weft_sharding *now, const weft_sharding *original,
                                   int32_t priority) {
    weft_dim dims[WEFT_MAX_RANK];
    weft_axis_list replicated = { 0 }, back = { 0 };
    for (uint32_t d = 0; d < now->rank; d++) {
        dims[d] = now->dims[d];
        if (weft_dim_priority(&original->dims[d]) != priority) continue;
        dims[d] = original->dims[d];
        dims[d].priority = WEFT_NO_PRIORITY;
        for (uint32_t i = 0; i < dims[d].axes.n; i++) weft_axis_list_push(&back, dims[d].axes.v[i]);
    }
    for (uint32_t i = 0; i < now->replicated.n; i++) {
        bool freed = false;
        for (uint32_t k = 0; k < back.n; k++) freed |= weft_axis_equal(now->replicated.v[i], back.v[k]);
        if (!freed) weft_axis_list_push(&replicated, now->replicated.v[i]);
    }
    return weft_sharding_make(t, now->mesh, now->rank, dims, weft_axes_of(&replicated), now->unreduced);
}

static int compare_held(const void *pa, const void *pb) {
    const held *a = pa, *b = pb;
    if (a->priority != b->priority) return a->priority < b->priority ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static bool has_priority_before(const weft_sharding *s, uint32_t dim) {
    for (uint32_t d = 0; d < dim; d++)
        if (weft_dim_priority(&s->dims[d]) == weft_dim_priority(&s->dims[dim])) return true;
    return false;
}

static weft_status hold_all(weft_propagation *p, held **list, size_t *count) {
    size_t cap = 0;
    *list = NULL;
    *count = 0;
    for (uint32_t slot = 0; slot < p->slot_count; slot++) {
        const weft_sharding *s = p->of[slot];
        for (uint32_t d = 0; s && d < s->rank; d++) {
            if (weft_dim_priority(&s->dims[d]) == 0 || has_priority_before(s, d)) continue;
            if (!weft_arena_grow(&p->arena, (void **)list, &cap, *count + 1, sizeof **list)) return weft_oom();
            (*list)[(*count)++] = (held){ weft_dim_priority(&s->dims[d]), slot, s };
        }
        if (s && !(p->of[slot] = hold_back(p->shardings, s))) return weft_oom();
    }
    if (*count) qsort(*list, *count, sizeof **list, compare_held);
    return WEFT_OK;
}

/* Dumps the module between two priorities. Source: Shardy, the option module-dump-directory. */
static weft_status leave_module(const weft_pass *pass, weft_propagation *p, int32_t priority) {
    char name[64];
    weft_module *m = NULL;
    if (!weft_pass_text(pass, "module-dump-directory", (weft_str){ NULL, 0 }).n) return WEFT_OK;
    snprintf(name, sizeof name, "propagation_after_user_priority_%d", (int)priority);
    weft_status st = weft_propagation_emit(NULL, p, WEFT_EMIT_BETWEEN, &m);
    if (st == WEFT_OK) st = weft_pass_leave(pass, "module-dump-directory", WEFT_DUMP_WITHIN, name, m);
    weft_module_free(m);
    return st;
}

static weft_status user_priorities(weft_pass *pass, weft_propagation *p) {
    held *list;
    size_t count, i = 0;
    weft_status st = hold_all(p, &list, &count);
    p->priorities_spent = true;
    if (st == WEFT_OK) st = weft_propagate_op_priorities(pass, p);
    while (st == WEFT_OK && i < count) {
        if ((st = leave_module(pass, p, i ? list[i - 1].priority : 0)) != WEFT_OK) return st;
        if (p->history) p->history->priority = list[i].priority;
        for (int32_t priority = list[i].priority; i < count && list[i].priority == priority; i++) {
            const weft_sharding **now = &p->of[list[i].slot];
            if (p->history && (st = weft_history_add(p, list[i].slot, WEFT_CAUSE_PRIORITY, NULL)) != WEFT_OK) return st;
            if (!(*now = let_go(p->shardings, *now, list[i].original, priority))) return weft_oom();
            weft_worklist_forget_around(p, list[i].slot);
        }
        st = weft_propagate_op_priorities(pass, p);
    }
    return st;
}

weft_status weft_propagation_explain(weft_context *cx, const weft_module *in, weft_propagation *p,
                                     weft_module **loosened) {
    weft_pass plain = { .cx = cx, .name = "sdy-user-priority-propagate" };
    weft_status st = weft_propagation_open_loose(&plain, in, p, loosened);
    if (st == WEFT_OK) st = weft_history_open(p);
    if (st == WEFT_OK) st = weft_propagation_sync_groups(p);
    return st == WEFT_OK ? user_priorities(&plain, p) : st;
}

weft_status weft_pass_user_priority_propagate(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_propagation_pass(p, user_priorities, in, out);
}
