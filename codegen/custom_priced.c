/* custom_priced.c: custom calls of a plan that Weft has no code for: memory from their types, time as the user says it. */
#include "codegen/custom_priced.h"

#include "codegen/custom_call.h"

enum { MOST_LINES = 8 }; /* of a target that are named */

/* What tells two calls of one target on the same operands apart. */
typedef struct priced_state { uint32_t config, result_count; } priced_state;

static const weft_custom_cost *cost_of(const cg_import *im, weft_str target) {
    for (size_t i = 0; i < im->opt->custom_cost_count; i++)
        if (weft_str_equal(im->opt->custom_costs[i].target, target)) return &im->opt->custom_costs[i];
    return NULL;
}

static weft_status note_call(cg_import *im, const weft_op *op, weft_str target, bool is_priced) {
    cg_priced *p = weft_arena_new(&im->g->arena, cg_priced);
    if (!p) return weft_oom();
    *p = (cg_priced){ target, op->loc, is_priced, false, NULL };
    if (im->last_priced) im->last_priced->next = p;
    else im->priced = p;
    im->last_priced = p;
    return WEFT_OK;
}

weft_status cg_custom_priced(cg_custom *c, weft_str target) {
    cg_import *im = c->im;
    const weft_attr *config = weft_op_attr(c->op, WEFT_A_backend_config);
    const weft_custom_cost *cost = cost_of(im, target);
    const priced_state state = { config ? weft_attr_hash(config) : 0, c->op->result_count };
    cg_call_spec spec = { .state = &state, .state_bytes = sizeof state, .bytes = CG_BYTES_OF_TYPES };
    weft_status st = note_call(im, c->op, target, cost && cost->flops.n);
    if (st == WEFT_OK && cost) {
        double bytes;
        st = weft_custom_cost_of(im->g->cx, cost, c->op, &spec.flops, &bytes);
        if (bytes >= 0) spec.bytes = bytes < 0x1p62 ? weft_max_i64((int64_t)bytes, 1) : INT64_MAX / 2; /* 0 is of the types */
    }
    return st == WEFT_OK ? cg_custom_call(c, &spec) : st;
}

static bool same_place(const weft_loc *a, const weft_loc *b) {
    const weft_loc *x = weft_loc_place(a), *y = weft_loc_place(b);
    return a == b || (x && x == y);
}

/* Where else the calls are that p is the first of. */
static void name_lines(weft_context *cx, cg_priced *p) {
    const weft_loc *named[MOST_LINES + 1] = { p->loc };
    uint32_t n = 1, more = 0;
    for (cg_priced *q = p->next; q; q = q->next) {
        if (q->said || !weft_str_equal(q->target, p->target)) continue;
        bool known = false;
        q->said = true;
        for (uint32_t i = 0; i < n && !known; i++) known = same_place(named[i], q->loc);
        if (known) continue;
        if (n == WEFT_COUNT(named)) {
            more++;
            continue;
        }
        named[n++] = q->loc;
        weft_note(cx, q->loc, "and here");
    }
    if (more) weft_note(cx, p->loc, "and %u more calls at other places", more);
}

/* A cost for a target that no call has would change nothing. */
static weft_status check_names(const cg_import *im) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < im->opt->custom_cost_count && st == WEFT_OK; i++) {
        const weft_str target = im->opt->custom_costs[i].target;
        const cg_priced *p = im->priced;
        while (p && !weft_str_equal(p->target, target)) p = p->next;
        if (p) continue;
        st = weft_report(im->g->cx, WEFT_D_usage, NULL, "no custom call without code has the target '%.*s', for which a cost is given", WEFT_STR_ARG(target));
        if (im->priced) weft_note(im->g->cx, im->priced->loc, "the target here is '%.*s'", WEFT_STR_ARG(im->priced->target));
    }
    return st;
}

weft_status cg_custom_priced_report(const cg_import *im) {
    weft_context *cx = im->g->cx;
    weft_status st = check_names(im);
    for (cg_priced *p = im->priced; p && st == WEFT_OK; p = p->next) {
        if (p->said || p->has_cost) continue;
        uint32_t calls = 0;
        for (const cg_priced *q = p; q; q = q->next) calls += weft_str_equal(q->target, p->target);
        st = weft_report(cx, WEFT_D_cost, p->loc, "the arithmetic of custom call target '%.*s' (%u call%s) is not known and not counted: its time is that of "
                         "reading its operands and writing its results", WEFT_STR_ARG(p->target), calls, calls == 1 ? "" : "s");
        if (weft_warning_wanted(cx, WEFT_D_cost)) name_lines(cx, p);
        weft_help(cx, NULL, "--custom-call '%.*s=flops:N,bytes:N' says what one call on one device costs", WEFT_STR_ARG(p->target));
        for (cg_priced *q = p; q; q = q->next) q->said = q->said || weft_str_equal(q->target, p->target);
    }
    return st;
}
