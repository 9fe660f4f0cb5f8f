/* load.c: addresses for what an executable names. */
#include <string.h>
#include "base/context.h"
#include "exec/image.h"
#include "exec/load.h"
#include "exec/symbols.h"

/* What a kernel made of a state. */
typedef struct prepared { const weft_kernel *kernel; void *p; } prepared;

struct weft_loaded {
    weft_arena arena;       /* owns all but the code and what kernels prepared */
    weft_mapping code;
    weft_symbols *symbols;
    weft_loaded_step *steps;
    prepared *prepared;
    uint32_t prepared_count;
};

typedef struct loader {
    weft_context *cx;
    const weft_executable *x;
    const weft_kernel_set *sets;
    int threads;
    weft_loaded *to;
} loader;

static const void *function_at(const loader *l, uint32_t number) {
    return (const char *)l->to->code.at + l->x->image.functions[number].offset;
}

static bool has_function(const loader *l, uint32_t number) { return number < l->x->image.function_count; }

static weft_status run_call(const weft_loop_call *c, void *const *buffers, const weft_run_env *env) {
    const weft_status st = weft_loaded_step_run(&c->code, buffers, env);
    if (st != WEFT_OK && env->failure) env->failure->loc = c->loc;
    return st;
}

/* The state with the address of its body. */
static weft_status with_body(const loader *l, const weft_code *c, const void **state) {
    weft_body_fn body = NULL;
    void *copy = weft_arena_dup(&l->to->arena, c->state, c->state_bytes, _Alignof(max_align_t));
    if (!copy) return weft_oom();
    if (has_function(l, c->function)) {
        const void *at = function_at(l, c->function);
        memcpy(&body, &at, sizeof body);
    }
    memcpy(copy, &body, sizeof body);
    *state = copy;
    return WEFT_OK;
}

/* Into how many parts a kernel's work is worth splitting. */
static int64_t worth(const weft_code *c) {
    return weft_max_i64(c->split.grains / weft_max_i64(c->split.least, 1), 1);
}

static weft_split split_of(const weft_kernel *k, const weft_code *c, const void *state) {
    weft_split s = c->split;
    s.grains = k->grains ? k->grains(state) : 1;
    s.least = weft_ceil_div(s.grains, worth(c));
    return s;
}

static weft_status load_kernel(const loader *l, const weft_code *c, const weft_loc *loc, weft_loaded_step *out) {
    const weft_kernel *k = weft_kernel_find(l->sets, c->kernel);
    if (!k) return weft_report(l->cx, WEFT_D_unsupported, loc, "this process has no kernel '%s'", c->kernel);
    if ((k->state_bytes && k->state_bytes != c->state_bytes) ||
        (k->flags & WEFT_KERNEL_HAS_BODY && c->state_bytes < sizeof(weft_body_fn)))
        return weft_report(l->cx, WEFT_D_unsupported, loc, "kernel '%s' is another version's: its state has %llu bytes",
                           c->kernel, (unsigned long long)c->state_bytes);
    *out = (weft_loaded_step){ k->run, c->state, { 0 } };
    if (k->flags & WEFT_KERNEL_HAS_BODY) {
        const weft_status st = with_body(l, c, &out->state);
        if (st != WEFT_OK) return st;
    }
    if (!k->prepare) {
        out->split = split_of(k, c, out->state);
        return WEFT_OK;
    }
    prepared *p = &l->to->prepared[l->to->prepared_count];
    *p = (prepared){ k, NULL };
    weft_status st = k->prepare(l->cx, c->state, c->state_bytes, (int)weft_min_i64(worth(c), l->threads), loc, &p->p);
    if (st != WEFT_OK) return st;
    l->to->prepared_count++;
    out->state = p->p;
    out->split = split_of(k, c, p->p);
    return WEFT_OK;
}

static weft_status load_loop(const loader *l, const weft_code *c, const void **out) {
    weft_loop_state *state = weft_arena_new(&l->to->arena, weft_loop_state);
    weft_loop_call *calls = weft_arena_array(&l->to->arena, weft_loop_call, c->call_count);
    weft_status st = state && calls ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; i < c->call_count && st == WEFT_OK; i++) {
        weft_loaded_step s;
        st = load_kernel(l, &c->calls[i], c->calls[i].loc, &s);
        calls[i] = (weft_loop_call){ s, c->calls[i].loc };
    }
    if (st == WEFT_OK) *state = (weft_loop_state){ run_call, calls };
    *out = state;
    return st;
}

static weft_status load_step(const loader *l, const weft_step *s, weft_loaded_step *out) {
    const weft_code *c = &s->code;
    if (s->kind != WEFT_STEP_CALL) return WEFT_OK;
    if (c->kernel) return load_kernel(l, c, s->loc, out);
    if (!has_function(l, c->function)) return weft_report(l->cx, WEFT_D_internal, s->loc, "a step has no code");
    const void *at = function_at(l, c->function);
    memcpy(&out->fn, &at, sizeof out->fn);
    out->split = c->split;
    return c->call_count ? load_loop(l, c, &out->state) : WEFT_OK;
}

static uint32_t most_prepared(const weft_executable *x) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->step_count; i++) n += 1 + x->steps[i].code.call_count;
    return n;
}

static weft_status load_all(loader *l) {
    const weft_executable *x = l->x;
    l->to->steps = weft_arena_array(&l->to->arena, weft_loaded_step, x->step_count);
    l->to->prepared = weft_arena_array(&l->to->arena, prepared, most_prepared(x));
    if (!l->to->steps || !l->to->prepared) return weft_oom();
    weft_status st = WEFT_OK;
    if (x->image.machine || x->image.function_count) st = weft_image_map(l->cx, &x->image, &l->to->code);
    if (st == WEFT_OK) st = weft_symbols_tell(l->cx, &l->to->arena, x, &l->to->code, &l->to->symbols);
    for (uint32_t i = 0; i < x->step_count && st == WEFT_OK; i++) st = load_step(l, &x->steps[i], &l->to->steps[i]);
    return st;
}

weft_status weft_load(weft_context *cx, const weft_executable *x, const weft_kernel_set *sets, int threads,
                      weft_loaded **out) {
    weft_arena arena;
    *out = NULL;
    weft_arena_init(&arena, &cx->alloc);
    weft_loaded *p = weft_arena_new(&arena, weft_loaded);
    if (!p) {
        weft_arena_free(&arena);
        return weft_oom();
    }
    p->arena = arena;
    weft_status st = load_all(&(loader){ cx, x, sets, threads, p });
    if (st == WEFT_OK) *out = p;
    else weft_unload(p);
    return st;
}

void weft_unload(weft_loaded *p) {
    if (!p) return;
    for (uint32_t i = 0; i < p->prepared_count; i++) p->prepared[i].kernel->release(p->prepared[i].p);
    weft_symbols_take_back(p->symbols);
    weft_image_unmap(&p->code);
    weft_arena arena = p->arena; /* p lives in it */
    weft_arena_free(&arena);
}

const weft_loaded_step *weft_loaded_steps(const weft_loaded *p) { return p->steps; }
