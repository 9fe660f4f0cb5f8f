/* task_memory.c: the memory of tasks at its peak, in the order of their lists. See timeline.h. */
#include "cost/timeline.h"

#include <stdlib.h>

typedef struct peak {
    double bytes;
    uint32_t at;                  /* the task */
    const weft_task_list *inner;  /* its run that takes the most; NULL: it has none */
} peak;

static weft_status peak_of(const weft_task_list *list, weft_arena *arena, peak *out);

static weft_status peak_within(const weft_task *task, weft_arena *arena, peak *out) {
    weft_status st = WEFT_OK;
    *out = (peak){ 0 };
    for (uint32_t b = 0; b < task->body_count && st == WEFT_OK; b++) {
        peak p;
        st = peak_of(&task->bodies[b], arena, &p);
        if (st == WEFT_OK && p.bytes > out->bytes) *out = (peak){ .bytes = p.bytes, .inner = &task->bodies[b] };
    }
    return st;
}

/* bytes: what begins to be live less what has ended, then added up; room for one more than tasks. Sizes are whole
 * numbers, so the sums are exact. */
static weft_status measure(const weft_task_list *list, weft_arena *arena, double *bytes, peak *out) {
    const uint32_t n = list->task_count;
    weft_status st = WEFT_OK;
    double live = 0;
    *out = (peak){ 0 };
    for (uint32_t t = 0; t <= n; t++) bytes[t] = 0;
    for (uint32_t i = 0; i < list->buffer_count; i++) {
        const weft_task_buffer *b = &list->buffers[i];
        if (b->first >= n || b->first > b->last) continue;
        bytes[b->first] += b->bytes;
        bytes[b->last < n ? b->last + 1 : n] -= b->bytes;
    }
    for (uint32_t t = 0; t < n && st == WEFT_OK; t++) {
        peak within;
        st = peak_within(&list->tasks[t], arena, &within);
        live += bytes[t];
        bytes[t] = live + within.bytes;
        if (bytes[t] > out->bytes) *out = (peak){ bytes[t], t, within.inner };
    }
    return st;
}

static weft_status peak_of(const weft_task_list *list, weft_arena *arena, peak *out) {
    const weft_mark mark = weft_arena_mark(arena);
    double *bytes = weft_arena_array(arena, double, (size_t)list->task_count + 1);
    weft_status st = bytes ? measure(list, arena, bytes, out) : weft_oom();
    weft_arena_reset(arena, mark);
    return st;
}

weft_status weft_task_memory_each(const weft_task_list *list, weft_arena *arena, double *bytes) {
    peak most;
    return measure(list, arena, bytes, &most);
}

static int larger_first(const void *a, const void *b) {
    const weft_task_buffer *x = a, *y = b;
    if (x->bytes > y->bytes || x->bytes < y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->value->id < y->value->id ? -1 : x->value->id > y->value->id;
}

weft_status weft_task_memory_of(const weft_task_list *list, weft_arena *arena, weft_task_memory *out) {
    weft_task_buffer *v = NULL;
    size_t n = 0, cap = 0;
    peak p;
    weft_status st = peak_of(list, arena, &p);
    *out = (weft_task_memory){ .bytes = p.bytes };
    while (st == WEFT_OK && list) {
        for (uint32_t i = 0; i < list->buffer_count; i++) {
            if (list->buffers[i].first > p.at || list->buffers[i].last < p.at) continue;
            if (n == cap && !weft_arena_grow(arena, (void **)&v, &cap, n + 1, sizeof *v)) return weft_oom();
            v[n] = list->buffers[i];
            v[n].is_kept = v[n].first < p.at && v[n].last > p.at;
            n++;
        }
        list = p.inner;
        if (list) st = peak_of(list, arena, &p);
    }
    if (st != WEFT_OK) return st;
    if (n) qsort(v, n, sizeof *v, larger_first);
    out->live = v;
    out->live_count = n;
    return WEFT_OK;
}
