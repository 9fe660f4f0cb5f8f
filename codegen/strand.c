/* strand.c: which steps become strands, and what memory they work on. */
#include <stdlib.h>
#include "base/table.h"
#include "codegen/call.h"
#include "codegen/lower.h"
#include "codegen/strand.h"
#include "exec/kernels/kernels.h"

typedef struct weaver {
    cg_lowering *l;
    const weft_step *in;    /* all steps */
    cg_growing out;         /* those that are left */
} weaver;

uint32_t cg_step_span(const weft_step *s) {
    uint32_t n = 1;
    if (s->kind == WEFT_STEP_WHILE) n += s->cond_steps + s->body_steps;
    for (uint32_t b = 0; s->kind == WEFT_STEP_CASE && b < s->branch_count; b++) n += s->branch_steps[b];
    return n;
}

static bool all_local(const weft_step *s, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (s[i].coll) return false;
    return true;
}

/* ---- memory ---- */

typedef struct stretch { uint32_t base; int64_t from, to; uint32_t part; } stretch;

static int by_place(const void *x, const void *y) {
    const stretch *a = x, *b = y;
    if (a->base != b->base) return a->base < b->base ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static uint32_t base_of(cg_strand *s, const weft_slice *x) {
    for (uint32_t i = 0; i < s->base_count; i++)
        if (s->bases[i].space == x->space && s->bases[i].index == x->index) return i;
    s->bases[s->base_count] = (weft_slice){ x->space, x->index, 0, 0 };
    return s->base_count++;
}

/* Slices that overlap are one part, when that is small: LLVM keeps it in registers where it can. */
static void make_parts(const weft_costs *costs, cg_strand *s, stretch *v, uint32_t n) {
    qsort(v, n, sizeof *v, by_place);
    for (uint32_t i = 0, end; i < n; i = end) {
        int64_t to = v[i].to;
        for (end = i + 1; end < n && v[end].base == v[i].base && v[end].from < to; end++)
            to = weft_max_i64(to, v[end].to);
        if ((double)(to - v[i].from) > costs->part_bytes || s->part_count >= costs->strand_parts) continue;
        for (uint32_t k = i; k < end; k++) v[k].part = s->part_count;
        const weft_space space = s->bases[v[i].base].space;
        s->parts[s->part_count++] = (cg_strand_part){ v[i].base, v[i].from, to - v[i].from,
                                                      space == WEFT_SPACE_TEMP || space == WEFT_SPACE_RESULT };
    }
}

static uint32_t part_at(const stretch *v, uint32_t n, uint32_t base, int64_t from) {
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (v[mid].base < base || (v[mid].base == base && v[mid].from < from)) low = mid + 1;
        else high = mid;
    }
    return v[low].part;
}

static weft_status places(cg_lowering *l, cg_strand *s, const weft_step *steps) {
    weft_arena *a = &l->g->arena;
    uint32_t slices = 0, n = 0;
    for (uint32_t i = 0; i < s->count; i++) slices += steps[i].slice_count;
    s->bases = weft_arena_array(a, weft_slice, slices);
    s->parts = weft_arena_array(a, cg_strand_part, slices);
    stretch *v = weft_arena_array(a, stretch, slices);
    cg_strand_place *place = weft_arena_array(a, cg_strand_place, slices);
    if (!s->bases || !s->parts || !v || !place) return weft_oom();
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < steps[i].slice_count; k++) {
            const weft_slice *x = &steps[i].slices[k];
            const uint32_t base = base_of(s, x);
            if (x->bytes > 0) v[n++] = (stretch){ base, x->offset, x->offset + x->bytes, UINT32_MAX };
        }
    make_parts(l->g->costs, s, v, n);
    for (uint32_t i = 0; i < s->count; i++) {
        s->steps[i].places = place;
        for (uint32_t k = 0; k < steps[i].slice_count; k++) {
            const weft_slice *x = &steps[i].slices[k];
            const uint32_t base = base_of(s, x);
            *place++ = (cg_strand_place){ base, x->bytes > 0 ? part_at(v, n, base, x->offset) : UINT32_MAX, x->offset };
        }
    }
    return WEFT_OK;
}

/* ---- steps ---- */

static cg_strand_does does_of(const weft_step *s) {
    if (s->kind != WEFT_STEP_CALL) return CG_STRAND_CONTROL;
    if (!s->code.kernel) return CG_STRAND_KERNEL;
    return s->code.kernel == weft_kernel_copy.name ? CG_STRAND_COPY : CG_STRAND_CALL;
}

/* What each step does; the calls are the loop's. */
static weft_status list_steps(cg_lowering *l, cg_strand *s, const weft_step *steps, weft_code *loop) {
    weft_code *calls = weft_arena_array(&l->x->arena, weft_code, s->count);
    if (!calls) return weft_oom();
    for (uint32_t i = 0; i < s->count; i++) {
        cg_strand_step *x = &s->steps[i];
        x->step = &steps[i];
        x->does = does_of(&steps[i]);
        x->number = steps[i].code.function;
        loop->divides |= steps[i].code.split.grains > 1;
        if (x->does != CG_STRAND_CALL) continue;
        x->number = loop->call_count;
        calls[loop->call_count] = steps[i].code;
        calls[loop->call_count++].loc = steps[i].loc;
    }
    loop->calls = calls;
    return WEFT_OK;
}

/* What a strand computes follows from what its steps are, what they call, and where their slices are. */
static weft_status new_function(cg_lowering *l, const cg_strand *s, uint32_t *function) {
    const uint64_t *contents = l->contents.v;
    uint64_t h = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const cg_strand_step *x = &s->steps[i];
        const weft_step *step = x->step;
        h = weft_hash_mix(h, x->does);
        const bool known = x->does == CG_STRAND_KERNEL && x->number != WEFT_NO_FUNCTION; /* a plan's calls have none */
        h = weft_hash_mix(h, known ? contents[x->number] : x->number);
        h = weft_hash_mix(h, (uint64_t)step->cond_steps << 32 | step->body_steps);
        if (x->does == CG_STRAND_COPY) h = weft_hash_bytes(h, step->code.state, step->code.state_bytes);
        h = weft_hash_bytes(h, step->branch_steps, step->branch_count * sizeof *step->branch_steps);
        h = weft_hash_bytes(h, x->places, step->slice_count * sizeof *x->places);
    }
    return cg_new_function(l, &h, sizeof h, function);
}

static weft_status weave(weaver *w, const weft_step *steps, uint32_t n) {
    cg_lowering *l = w->l;
    cg_strand s = { .count = n };
    weft_code code = { .kernel = NULL };
    s.steps = weft_arena_array(&l->g->arena, cg_strand_step, n);
    weft_step *made = cg_grow(l, &w->out, sizeof *made);
    if (!s.steps || !made) return weft_oom();
    weft_status st = list_steps(l, &s, steps, &code);
    if (st == WEFT_OK) st = places(l, &s, steps);
    if (st == WEFT_OK) st = new_function(l, &s, &code.function);
    if (st != WEFT_OK) return st;
    *made = (weft_step){ .kind = WEFT_STEP_CALL,
                         .code = code,
                         .slices = weft_arena_dup(&l->x->arena, s.bases, s.base_count * sizeof *s.bases,
                                                  _Alignof(weft_slice)),
                         .slice_count = s.base_count,
                         .label = "loop",
                         .loc = steps->loc };
    if (!made->slices) return weft_oom();
    return l->jit ? cg_jit_add_strand(l->jit, &s, code.function) : WEFT_OK;
}

static weft_status keep(weaver *w, uint32_t from, uint32_t to, uint32_t *count);

/* A step that stays: what it holds may become strands. */
static weft_status keep_one(weaver *w, uint32_t at) {
    const weft_step *s = &w->in[at];
    const size_t self = w->out.n;
    weft_step *made = cg_grow(w->l, &w->out, sizeof *made), now = *s;
    if (!made) return weft_oom();
    weft_status st = WEFT_OK;
    if (s->kind == WEFT_STEP_WHILE) {
        st = keep(w, at + 1, at + 1 + s->cond_steps, &now.cond_steps);
        if (st == WEFT_OK) st = keep(w, at + 1 + s->cond_steps, at + cg_step_span(s), &now.body_steps);
    } else if (s->kind == WEFT_STEP_CASE) {
        uint32_t *branch = weft_arena_array(&w->l->x->arena, uint32_t, s->branch_count), from = at + 1;
        if (!branch) return weft_oom();
        for (uint32_t b = 0; b < s->branch_count && st == WEFT_OK; from += s->branch_steps[b++])
            st = keep(w, from, from + s->branch_steps[b], &branch[b]);
        now.branch_steps = branch;
    }
    ((weft_step *)w->out.v)[self] = now;
    return st;
}

static weft_status keep(weaver *w, uint32_t from, uint32_t to, uint32_t *count) {
    const size_t before = w->out.n;
    weft_status st = WEFT_OK;
    for (uint32_t i = from; i < to && st == WEFT_OK; i += cg_step_span(&w->in[i])) {
        const weft_step *s = &w->in[i];
        const uint32_t n = cg_step_span(s);
        st = s->kind == WEFT_STEP_WHILE && all_local(s, n) ? weave(w, s, n) : keep_one(w, i);
    }
    *count = (uint32_t)(w->out.n - before);
    return st;
}

weft_status cg_weave(cg_lowering *l) {
    weaver w = { .l = l, .in = l->steps.v };
    uint32_t count;
    const weft_status st = keep(&w, 0, (uint32_t)l->steps.n, &count);
    l->steps = w.out;
    return st;
}
