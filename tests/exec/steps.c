/* steps.c: see steps.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "exec/load.h"
#include "exec/team.h"
#include "tests/exec/steps.h"

enum { PIECES = 5 };

typedef struct walker {
    const steps_run *r;
    const weft_loaded_step *code;
    char *temp;
} walker;

void *steps_buffer(size_t bytes) {
    size_t size = (bytes + 2 * WEFT_BUFFER_ALIGN - 1) / WEFT_BUFFER_ALIGN * WEFT_BUFFER_ALIGN;
    void *p = aligned_alloc(WEFT_BUFFER_ALIGN, size);
    if (!p) abort();
    memset(p, 0, size);
    return p;
}

static void *address(const walker *w, const weft_slice *s) {
    char *base = s->space == WEFT_SPACE_ARGUMENT ? w->r->args[s->index]
                 : s->space == WEFT_SPACE_RESULT ? w->r->results[s->index]
                 : s->space == WEFT_SPACE_TEMP   ? w->temp
                                                 : (char *)w->r->x->constants;
    return base + s->offset;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static weft_status steps(const walker *w, uint32_t from, uint32_t to);

/* Work that can be split is done in pieces, the last one first: as by threads of which each waits for its turn. */
static weft_status in_pieces(const weft_run_env *env, const weft_loaded_step *s, void *const *buffers) {
    const int64_t grains = s->split.grains, pieces = grains < PIECES ? grains : PIECES;
    weft_status st = WEFT_OK;
    for (int64_t i = pieces; i-- > 0 && st == WEFT_OK;) {
        weft_run_env own = *env;
        own.first_grain = grains / pieces * i;
        own.end_grain = i + 1 == pieces ? grains : grains / pieces * (i + 1);
        own.divide = NULL;
        st = s->fn(s->state, buffers, &own);
    }
    return st;
}

static weft_status by_team(const weft_run_env *env, const weft_loaded_step *s, void *const *buffers) {
    return weft_team_run(env->user, env, s, buffers);
}

static weft_status call(const walker *w, uint32_t at) {
    const weft_step *s = &w->r->x->steps[at];
    const weft_run_env env = { .failure = w->r->why, .stop = w->r->stop, .user = w->r->team, WEFT_ALL_GRAINS,
                               .divide = w->r->team ? by_team : in_pieces };
    const weft_loaded_step *code = &w->code[at];
    void *buffers[256];
    if (s->slice_count > WEFT_COUNT(buffers)) return WEFT_ERR_INTERNAL;
    for (uint32_t i = 0; i < s->slice_count; i++) buffers[i] = address(w, &s->slices[i]);
    double start = now();
    weft_status st = weft_loaded_step_run(code, buffers, &env);
    if (w->r->step_s) w->r->step_s[at] += now() - start;
    if (st != WEFT_OK && w->r->where) *w->r->where = s;
    return st;
}

static weft_status loop(const walker *w, uint32_t at) {
    const weft_step *s = &w->r->x->steps[at];
    const uint32_t cond = at + 1, body = cond + s->cond_steps, end = body + s->body_steps;
    weft_status st = steps(w, cond, body);
    while (st == WEFT_OK && *(const uint8_t *)address(w, &s->slices[0])) {
        st = steps(w, body, end);
        if (st == WEFT_OK) st = steps(w, cond, body);
    }
    return st;
}

static weft_status branch(const walker *w, uint32_t at) {
    const weft_step *s = &w->r->x->steps[at];
    int32_t which = *(const int32_t *)address(w, &s->slices[0]);
    uint32_t from = at + 1;
    if (which < 0 || which >= (int32_t)s->branch_count) which = (int32_t)s->branch_count - 1;
    for (int32_t b = 0; b < which; b++) from += s->branch_steps[b];
    return steps(w, from, from + s->branch_steps[which]);
}

static uint32_t length(const weft_step *s) {
    uint32_t n = 1;
    if (s->kind == WEFT_STEP_WHILE) n += s->cond_steps + s->body_steps;
    for (uint32_t b = 0; s->kind == WEFT_STEP_CASE && b < s->branch_count; b++) n += s->branch_steps[b];
    return n;
}

static weft_status steps(const walker *w, uint32_t from, uint32_t to) {
    weft_status st = WEFT_OK;
    for (uint32_t i = from; i < to && st == WEFT_OK; i += length(&w->r->x->steps[i])) {
        switch (w->r->x->steps[i].kind) {
        case WEFT_STEP_CALL: st = call(w, i); break;
        case WEFT_STEP_WHILE: st = loop(w, i); break;
        case WEFT_STEP_CASE: st = branch(w, i); break;
        case WEFT_STEP_COLLECTIVE: case WEFT_STEP_START: case WEFT_STEP_DONE: st = WEFT_ERR_UNSUPPORTED; break;
        }
    }
    return st;
}

weft_status steps_walk(weft_context *cx, const weft_kernel_set *sets, const steps_run *r) {
    weft_loaded *loaded = NULL;
    weft_status st = weft_load(cx, r->x, sets, PIECES, &loaded);
    if (st != WEFT_OK) return st;
    walker w = { .r = r, .code = weft_loaded_steps(loaded), .temp = steps_buffer((size_t)r->x->temp_bytes) };
    st = steps(&w, 0, r->x->step_count);
    free(w.temp);
    weft_unload(loaded);
    return st;
}
