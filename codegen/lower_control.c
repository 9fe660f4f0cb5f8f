/* lower_control.c: loops and branches as steps that hold steps.
 *
 * A loop's arguments and results are one set of buffers. Where the body's results are not computed there (slots.c), the
 * turn ends with copying them, all of them after the last unit of the body, since until then the old values may be
 * read. The temporaries of condition and body share one stretch of the arena.
 */
#include "codegen/call.h"
#include "codegen/lower.h"
#include "exec/kernels/copy.h"
#include "ir/trips.h"

static weft_status lower_copy(cg_lowering *l, const cg_unit *u, weft_slice from, weft_slice to, bool is_last) {
    weft_step *s = cg_new_step(l, u, WEFT_PLAN_KERNEL);
    weft_slice *v = weft_arena_array(&l->x->arena, weft_slice, 2);
    weft_copy_state *state = weft_arena_new(&l->x->arena, weft_copy_state);
    if (!s || !v || !state) return weft_oom();
    weft_plan_step *p = (weft_plan_step *)l->plan_steps.v + l->plan_steps.n - 1;
    v[0] = from;
    v[1] = to;
    state->bytes = from.bytes;
    state->is_last = is_last;
    p->flops = 0;
    p->read_bytes = p->write_bytes = from.bytes;
    s->kind = WEFT_STEP_CALL;
    cg_set_kernel(s, &weft_kernel_copy, state, sizeof *state);
    const cg_unit copied = { .read_bytes = from.bytes, .write_bytes = from.bytes };
    s->code.split = cg_split_of_call(l, &copied, 0, 0);
    s->slices = v;
    s->slice_count = 2;
    s->label = "copy";
    return WEFT_OK;
}

/* Whether the memory is the block's own, which holds nothing when its steps begin. */
static bool is_inside(const cg_layout *lay, const weft_slice *x) {
    return x->space == lay->base.space && x->index == lay->base.index && x->offset >= lay->base.offset &&
           x->offset + x->bytes <= lay->base.offset + lay->memory.temp_bytes;
}

/* Whether no other result of the block is the value of the one that u's write r takes. */
static bool is_only(const cg_unit *u, const cg_layout *inner, uint32_t r) {
    const cg_node *value = cg_base(inner->block->results[u->writes[r]->aux]);
    for (uint32_t k = 0; k < u->write_count; k++)
        if (k != r && cg_base(inner->block->results[u->writes[k]->aux]) == value) return false;
    return true;
}

/* The steps of block number b of unit, its results copied to the unit's, which lie at results[] (NULL: it has none);
 * *count is how many steps they are. */
static weft_status lower_inner(cg_lowering *l, cg_layout *lay, uint32_t unit, uint32_t b, const weft_slice *results,
                               uint32_t *count) {
    const cg_unit *u = &lay->units.v[unit];
    cg_layout *inner = lay->inner[unit][b];
    const size_t before = l->steps.n;
    weft_status st = cg_lower_block(l, inner, cg_scratch_of(lay, unit), results);
    const bool turns = u->step->cls == CG_WHILE;
    for (uint32_t r = 0; r < u->write_count && results && st == WEFT_OK; r++) {
        weft_slice from, to;
        st = cg_slice_of(l, inner->block->results[u->writes[r]->aux], &from);
        if (st == WEFT_OK) st = cg_slice_of(l, u->writes[r], &to);
        if (st != WEFT_OK || !memcmp(&from, &to, sizeof from)) continue;
        st = lower_copy(l, u, from, to, turns && is_inside(inner, &from) && is_only(u, inner, r));
    }
    *count = (uint32_t)(l->steps.n - before);
    return st;
}

/* The step itself, whose place in the list may move while its inner steps are made: at() finds it again. */
static weft_step *at(cg_lowering *l, size_t i) { return (weft_step *)l->steps.v + i; }
static weft_plan_step *plan_at(cg_lowering *l, size_t i) { return (weft_plan_step *)l->plan_steps.v + i; }

/* How often a loop over a counter turns: its start, its step and its limit are constants. -1 when that is not so. */
int64_t cg_trip_count(const cg_node *n) {
    const cg_block *cond = n->control.blocks[0], *body = n->control.blocks[1];
    const cg_node *test = cond->results[0];
    if (test->cls != CG_SCALAR || test->op != CG_OP_compare) return -1;
    const bool turned = test->in[0]->cls == CG_SPLAT; /* limit, counter */
    const cg_node *counter = test->in[turned], *limit = test->in[!turned];
    if (counter->cls != CG_ARGUMENT || limit->cls != CG_SPLAT) return -1;
    const uint32_t k = (uint32_t)counter->aux;
    const cg_node *init = n->in[k]->in[0], *next = cg_base(body->results[k]);
    if (!weft_dtype_is_integer((weft_dtype)counter->dtype) || init->cls != CG_SPLAT || next->cls != CG_SCALAR)
        return -1;
    const bool less = next->op == CG_OP_subtract, first = next->in[0] == body->args[k];
    if ((next->op != CG_OP_add && !less) || (less && !first)) return -1;
    const cg_node *step = next->in[first];
    if ((!first && next->in[1] != body->args[k]) || step->cls != CG_SPLAT) return -1;
    const weft_dtype t = (weft_dtype)init->dtype;
    const int64_t direction = test->aux & 0xffffffff;
    weft_counter c = { .dtype = t, .direction = turned ? weft_direction_mirrored(direction) : direction,
                       .from = weft_dtype_load_int(t, init->splat), .to = weft_dtype_load_int(t, limit->splat),
                       .by = weft_dtype_load_int(t, step->splat) };
    if (less && __builtin_sub_overflow(0, c.by, &c.by)) return -1;
    return weft_counter_trips(&c);
}

static weft_status one_slice(cg_lowering *l, cg_node *n, size_t step) {
    weft_slice *v = weft_arena_new(&l->x->arena, weft_slice);
    if (!v) return weft_oom();
    at(l, step)->slices = v;
    at(l, step)->slice_count = 1;
    return cg_slice_of(l, n, v);
}

/* Where the results of the unit stand, by number. */
static weft_status result_slices(cg_lowering *l, const cg_unit *u, weft_slice **out) {
    weft_status st = WEFT_OK;
    *out = weft_arena_array(&l->g->arena, weft_slice, u->step->result_count);
    if (!*out) return weft_oom();
    for (uint32_t r = 0; r < u->write_count && st == WEFT_OK; r++)
        st = cg_slice_of(l, u->writes[r], &(*out)[u->writes[r]->aux]);
    return st;
}

weft_status cg_lower_while(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    const cg_unit *u = &lay->units.v[unit];
    const size_t self = l->steps.n;
    if (!cg_new_step(l, u, WEFT_PLAN_LOOP)) return weft_oom();
    weft_slice *carried;
    weft_status st = result_slices(l, u, &carried);
    for (uint32_t b = 0; b < 2 && st == WEFT_OK; b++)
        for (uint32_t r = 0; r < u->step->result_count; r++)
            l->place[u->step->control.blocks[b]->args[r]->id] = (cg_place){ carried[r], true };
    if (st != WEFT_OK) return st;
    uint32_t cond = 0, body = 0;
    st = lower_inner(l, lay, unit, 0, NULL, &cond);
    if (st == WEFT_OK) st = one_slice(l, lay->inner[unit][0]->block->results[0], self);
    if (st == WEFT_OK) st = lower_inner(l, lay, unit, 1, carried, &body);
    if (st != WEFT_OK) return st;
    weft_step *s = at(l, self);
    s->kind = WEFT_STEP_WHILE;
    s->cond_steps = cond;
    s->body_steps = body;
    s->label = "while";
    weft_plan_step *p = plan_at(l, self);
    p->flops = 0;
    p->read_bytes = p->write_bytes = 0;
    p->body_steps = cond + body;
    p->trip_count = cg_trip_count(u->step);
    return WEFT_OK;
}

/* The branch of a case whose index is a constant: beyond the list the last (StableHLO spec, case). -1: known to a run
 * only. */
static int64_t branch_taken(const cg_node *n) {
    const cg_node *index = cg_base(n->in[0]->in[0]); /* the step reads a copy */
    if (index->cls != CG_SPLAT) return -1;
    const int64_t which = weft_dtype_load_int((weft_dtype)index->dtype, index->splat);
    return which < 0 || which >= n->control.count ? (int64_t)n->control.count - 1 : which;
}

weft_status cg_lower_case(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    const cg_unit *u = &lay->units.v[unit];
    const size_t self = l->steps.n;
    const uint32_t n = u->step->control.count;
    uint32_t *steps = weft_arena_array(&l->x->arena, uint32_t, n);
    if (!steps || !cg_new_step(l, u, WEFT_PLAN_CASE)) return weft_oom();
    weft_slice *results;
    weft_status st = one_slice(l, u->step->in[0], self);
    if (st == WEFT_OK) st = result_slices(l, u, &results);
    for (uint32_t b = 0; b < n && st == WEFT_OK; b++) st = lower_inner(l, lay, unit, b, results, &steps[b]);
    if (st != WEFT_OK) return st;
    weft_step *s = at(l, self);
    s->kind = WEFT_STEP_CASE;
    s->branch_steps = steps;
    s->branch_count = n;
    s->label = "case";
    weft_plan_step *p = plan_at(l, self);
    p->flops = 0;
    p->read_bytes = p->write_bytes = 0;
    p->branch_steps = steps;
    p->branch_count = n;
    p->case_number = l->x->plan.case_count++;
    p->taken = branch_taken(u->step);
    return WEFT_OK;
}

weft_status cg_layout_control(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    const cg_node *n = lay->units.v[unit].step;
    lay->inner[unit] = weft_arena_array(&l->g->arena, cg_layout *, n->control.count);
    if (!lay->inner[unit]) return weft_oom();
    int64_t most = 0;
    for (uint32_t b = 0; b < n->control.count; b++) {
        const cg_results results = n->cls == CG_WHILE && b == 0 ? CG_RESULTS_TEMPORARY : CG_RESULTS_SLOTS;
        weft_status st = cg_layout_block(l, n->control.blocks[b], results, NULL, &lay->inner[unit][b]);
        if (st != WEFT_OK) return st;
        most = weft_max_i64(most, lay->inner[unit][b]->memory.temp_bytes);
    }
    lay->scratch_bytes[unit] = most;
    return WEFT_OK;
}
