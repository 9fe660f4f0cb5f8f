/* unfollowed: warns of sharding constraints that a plan leaves aside.
 *
 * A constraint brings its value to where it says, beside the places where the value is already, and each reader takes
 * what costs it least. Where none takes the constraint's, the move is not made: the plan is better so, and what it
 * saves is what the move would have sent and held. GSPMD and Shardy make such moves, so XLA users have to hear of it;
 * with weft-obey-constraints the plan makes them, too. The dearest are told, those whose bytes take as long as a call.
 */
#include "partitioner/plan/layout_planner.h"

#define MOST_TOLD 8

static bool is_unfollowed(const weft_layout_planner *s, const weft_moved *m) {
    const bool asks = m->op && (m->op->kind == WEFT_OP_sdy_reshard || m->op->kind == WEFT_OP_sdy_sharding_constraint);
    if (!asks || m->used || m->anew || !weft_use_count(&s->uses, &m->op->results[0])) return false;
    const weft_atoms all = weft_placement_of(s->t, m->from)->used | weft_placement_of(s->t, m->to)->used;
    return m->wire_bytes >= weft_machine_call_bytes(s->machine, weft_atoms_size(s->t, all));
}

static weft_status tell(const weft_layout_planner *s, const weft_moved *m) {
    const weft_type *type = m->value->type;
    weft_buf b;
    weft_buf_init(&b, &s->cx->alloc);
    weft_buf_puts(&b, "the plan does not follow this sharding constraint, as '");
    weft_type_print(&b, type);
    weft_buf_puts(&b, "' is read where it is made: that saves each device ");
    weft_buf_bytes(&b, m->wire_bytes);
    weft_buf_puts(&b, " on the wire");
    const int64_t before = weft_placement_local_bytes(s->t, weft_placement_of(s->t, m->from), type);
    const int64_t after = weft_placement_local_bytes(s->t, weft_placement_of(s->t, m->to), type);
    if (after > before) {
        weft_buf_puts(&b, " and ");
        weft_buf_bytes(&b, (double)(after - before));
        weft_buf_puts(&b, " of memory");
    }
    if (m->turns > 1) weft_buf_printf(&b, ", %.0f times", m->turns);
    weft_status st = b.failed ? weft_oom() : weft_report(s->cx, WEFT_D_constraint, m->op->loc, "%s", b.p);
    weft_buf_free(&b);
    return st;
}

weft_status weft_report_unfollowed(const weft_layout_planner *s, const weft_layout_plan *p) {
    const weft_moved *told[MOST_TOLD]; /* the dearest first */
    size_t n = 0, more = 0;
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < p->moved_count; i++) {
        const weft_moved *m = &p->moved[i];
        if (!is_unfollowed(s, m)) continue;
        if (n == MOST_TOLD) more++;
        if (n == MOST_TOLD && told[n - 1]->cost >= m->cost) continue;
        size_t k = n < MOST_TOLD ? n++ : n - 1;
        for (; k > 0 && told[k - 1]->cost < m->cost; k--) told[k] = told[k - 1];
        told[k] = m;
    }
    for (size_t i = 0; i < n; i++) {
        const weft_status one = tell(s, told[i]);
        if (st == WEFT_OK) st = one;
    }
    if (more) weft_note(s->cx, told[n - 1]->op->loc, "%zu more constraints are not followed", more);
    if (n)
        weft_help(
            s->cx, NULL,
            "--obey-constraints (weft dryrun and run), or the pass weft-obey-constraints, makes the plan follow all of them");
    return st;
}
