/* versions.c: see versions.h. Lists by value, newest first, and a log by which they are shortened again. */
#include "partitioner/plan/versions.h"

weft_status weft_version_add_moved(weft_layout_planner *s, const weft_value *v, weft_placement_id id, size_t moved) {
    weft_placed *placed = weft_arena_new(&s->arena, weft_placed);
    if (!placed) return weft_oom();
    if (s->log_count == s->log_cap &&
        !weft_arena_grow(&s->arena, (void **)&s->log, &s->log_cap, s->log_count + 1, sizeof *s->log))
        return weft_oom();
    *placed = (weft_placed){ id, moved, s->of[v->id] };
    s->of[v->id] = placed;
    s->log[s->log_count++] = v->id;
    return WEFT_OK;
}

weft_status weft_version_add(weft_layout_planner *s, const weft_value *v, weft_placement_id id) {
    weft_status st = s->how->told ? weft_worth_note(s->how->told, v, id) : WEFT_OK;
    s->plan->born[v->id] = id;
    return st == WEFT_OK ? weft_version_add_moved(s, v, id, 0) : st;
}

void weft_versions_forget(weft_layout_planner *s, size_t mark) {
    while (s->log_count > mark) {
        weft_placed **head = &s->of[s->log[--s->log_count]];
        *head = (*head)->next;
    }
}

const weft_placed *weft_version_find(const weft_layout_planner *s, const weft_value *v, weft_placement_id id) {
    for (weft_placed *x = s->of[v->id]; x; x = x->next)
        if (x->id == id) return x;
    return NULL;
}

void weft_version_read(weft_layout_planner *s, const weft_placed *v) {
    if (v->moved) s->plan->moved[v->moved - 1].used = true;
}

weft_status weft_version_nearest(weft_layout_planner *s, const weft_value *v, weft_placement_id id, weft_placed **best,
                                 const weft_reshard_plan **way) {
    *best = NULL;
    for (weft_placed *x = s->of[v->id]; x; x = x->next) {
        const weft_reshard_plan *plan = NULL;
        weft_status st = weft_reshard_plan_find(s->planner, x->id, id, v->type, &plan);
        if (st != WEFT_OK) return st;
        if (!plan || (*best && plan->price >= (*way)->price)) continue;
        *best = x;
        *way = plan;
    }
    return WEFT_OK;
}

weft_status weft_versions_list(weft_layout_planner *s, const weft_value *v, const weft_placement_id **ids,
                               uint32_t *n) {
    uint32_t count = 0;
    for (weft_placed *x = s->of[v->id]; x; x = x->next) count++;
    weft_placement_id *list = weft_arena_take(&s->cx->scratch, count * sizeof *list, _Alignof(weft_placement_id));
    if (!list) return weft_oom();
    *ids = list;
    *n = count;
    for (weft_placed *x = s->of[v->id]; x; x = x->next) list[--count] = x->id;
    return WEFT_OK;
}
