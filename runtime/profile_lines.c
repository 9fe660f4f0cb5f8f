/* profile_lines.c: see profile_lines.h. */
#include "runtime/profile_lines.h"

#include <stdlib.h>
#include <string.h>

const char *weft_step_class_name(weft_step_class c) {
    static const char *const names[] = { "products", "library calls", "generated code", "collectives", "waits" };
    return names[c];
}

static weft_step_class kind_of(const weft_step *s) {
    if (s->kind == WEFT_STEP_DONE) return WEFT_CLASS_WAIT;
    if (s->kind == WEFT_STEP_COLLECTIVE || s->kind == WEFT_STEP_START) return WEFT_CLASS_COLLECTIVE;
    if (!s->code.kernel) return WEFT_CLASS_CODE;
    const bool is_product = !strcmp(s->code.kernel, "product") || !strcmp(s->code.kernel, "convolution");
    return is_product ? WEFT_CLASS_PRODUCT : WEFT_CLASS_LIBRARY;
}

/* "fusion" of "fusion.12" */
static weft_str name_of(const char *label) {
    size_t n = strlen(label), end = n;
    while (end && label[end - 1] >= '0' && label[end - 1] <= '9') end--;
    return (weft_str){ label, end && end < n && label[end - 1] == '.' ? end - 1 : n };
}

static void add(weft_profile_line *to, double executions, const weft_step_time *time, double least_s) {
    to->time_s += time->total_s / executions;
    to->calls += (double)time->calls / executions;
    to->flops += time->sum.flops / executions;
    to->bytes += time->sum.bytes / executions;
    const bool is_product = to->kind == WEFT_CLASS_PRODUCT;
    to->product_flops += (is_product ? time->sum.flops : time->sum.product_flops) / executions;
    to->product_bytes += (is_product ? time->sum.bytes : time->sum.product_bytes) / executions;
    to->least_s += least_s / executions;
}

static weft_profile_line *find(weft_profile_line *v, size_t *n, const weft_profile_line *like) {
    for (size_t i = 0; i < *n; i++)
        if (v[i].kind == like->kind && weft_str_equal(v[i].name, like->name) && !strcmp(v[i].place, like->place))
            return &v[i];
    v[*n] = *like;
    return &v[(*n)++];
}

static int by_time(const void *a, const void *b) {
    const weft_profile_line *x = a, *y = b;
    return (x->time_s < y->time_s) - (x->time_s > y->time_s);
}

weft_status weft_profile_lines(weft_arena *arena, const weft_executable *x, const weft_profile *p,
                               weft_least_time *least, const void *user, weft_profile_line **out, size_t *n,
                               weft_profile_line kinds[WEFT_STEP_CLASSES]) {
    weft_profile_line *v = weft_arena_array(arena, weft_profile_line, x->step_count + 1u);
    const double runs = (double)p->executions;
    *n = 0;
    *out = v;
    if (!v) return weft_oom();
    for (int k = 0; k < WEFT_STEP_CLASSES; k++) kinds[k] = (weft_profile_line){ .kind = (weft_step_class)k };
    for (uint32_t i = 0; i < x->step_count; i++) {
        const weft_step *s = &x->steps[i];
        if (!p->steps[i].calls || s->kind == WEFT_STEP_WHILE || s->kind == WEFT_STEP_CASE) continue;
        weft_profile_line like = { .kind = kind_of(s), .name = name_of(s->label ? s->label : "") };
        like.place = weft_loc_text(arena, s->loc);
        if (!like.place) return weft_oom();
        const weft_step_time *t = &p->steps[i];
        const double calls = (double)t->calls;
        const double least_s = like.kind < WEFT_CLASS_COLLECTIVE && least
                                   ? calls * least(user, p->works[i].dtype, t->sum.flops / calls,
                                                   (int64_t)(t->sum.bytes / calls)) : 0;
        add(find(v, n, &like), runs, t, least_s);
        add(&kinds[like.kind], runs, t, least_s);
    }
    if (*n) qsort(v, *n, sizeof *v, by_time);
    return WEFT_OK;
}
