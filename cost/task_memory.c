/* task_memory.c: the memory of tasks at its peak, in the order of their lists. See timeline.h. */
#include "cost/timeline.h"

#include <stdlib.h>

/* The most at once over the list, and the task at which. */
static double peak_of(const weft_task_list *list, uint32_t *at, const weft_task_list **inner) {
    double most = 0, live = 0;
    *at = 0;
    *inner = NULL;
    /* buffers stand in the order of their first tasks only by chance: each end is looked up */
    for (uint32_t t = 0; t < list->task_count; t++) {
        const weft_task *task = &list->tasks[t];
        const weft_task_list *worst = NULL;
        double within = 0;
        live = 0;
        for (uint32_t i = 0; i < list->buffer_count; i++)
            if (list->buffers[i].first <= t && list->buffers[i].last >= t) live += list->buffers[i].bytes;
        for (uint32_t b = 0; b < task->body_count; b++) {
            uint32_t where;
            const weft_task_list *deeper;
            const double p = peak_of(&task->bodies[b], &where, &deeper);
            if (p > within) within = p, worst = &task->bodies[b];
        }
        if (live + within > most) most = live + within, *at = t, *inner = worst;
    }
    return most;
}

void weft_task_memory_each(const weft_task_list *list, double *bytes) {
    for (uint32_t t = 0; t < list->task_count; t++) {
        double within = 0;
        bytes[t] = 0;
        for (uint32_t b = 0; b < list->tasks[t].body_count; b++) {
            uint32_t at;
            const weft_task_list *inner;
            const double p = peak_of(&list->tasks[t].bodies[b], &at, &inner);
            if (p > within) within = p;
        }
        bytes[t] += within;
    }
    for (uint32_t i = 0; i < list->buffer_count; i++)
        for (uint32_t t = list->buffers[i].first; t <= list->buffers[i].last && t < list->task_count; t++)
            bytes[t] += list->buffers[i].bytes;
}

static int larger_first(const void *a, const void *b) {
    const weft_task_buffer *x = a, *y = b;
    if (x->bytes > y->bytes || x->bytes < y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->value->id < y->value->id ? -1 : x->value->id > y->value->id;
}

weft_status weft_task_memory_of(const weft_task_list *list, weft_arena *arena, weft_task_memory *out) {
    weft_task_buffer *v = NULL;
    size_t n = 0, cap = 0;
    uint32_t at;
    const weft_task_list *inner;
    *out = (weft_task_memory){ .bytes = peak_of(list, &at, &inner) };
    while (list) {
        for (uint32_t i = 0; i < list->buffer_count; i++) {
            if (list->buffers[i].first > at || list->buffers[i].last < at) continue;
            if (n == cap && !weft_arena_grow(arena, (void **)&v, &cap, n + 1, sizeof *v)) return weft_oom();
            v[n] = list->buffers[i];
            v[n].is_kept = v[n].first < at && v[n].last > at;
            n++;
        }
        list = inner;
        if (list) (void)peak_of(list, &at, &inner);
    }
    if (n) qsort(v, n, sizeof *v, larger_first);
    out->live = v;
    out->live_count = n;
    return WEFT_OK;
}
