/* turn.c: the end of a call's turn: a rendezvous, messages to wait for, or the call's end; see run.h. */
#include "collectives/run.h"

static weft_status come(weft_run *r, weft_turn_fn then, weft_meeting meeting) {
    r->then = then;
    r->meeting = meeting;
    r->from = r->behind = 0;
    r->until = r->comm->local;
    r->since_ns = 0;
    r->phase = weft_meet_come(r->comm);
    return WEFT_OK;
}

weft_status weft_run_meet(weft_run *r, weft_turn_fn then) { return come(r, then, WEFT_MEETING_AGAIN); }
weft_status weft_run_meet_first(weft_run *r, weft_turn_fn then) { return come(r, then, WEFT_MEETING_FIRST); }

/* The local members that send to this rank, [*from, *to). */
static void givers_of(const weft_run *r, int *from, int *to) {
    const weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    *from = *to = 0;
    if (!weft_job_takes(job)) return;
    if (weft_coll_table[job->kind].givers == WEFT_ENDS_ALL) *to = c->local;
    else if (job->source >= 0 && job->source != job->rank) *from = c->local_of[job->source], *to = *from + 1;
}

weft_status weft_run_meet_givers(weft_run *r, weft_turn_fn then) {
    weft_comm *c = r->comm;
    int from, to;
    weft_status st = weft_run_meet_first(r, then);
    if (!r->is_known) return st;
    givers_of(r, &from, &to);
    if (to - from == c->local || (c->local == 2 && from < to)) return st; /* there are no others */
    c->slot->owed = r->phase;
    r->from = r->behind = from;
    r->until = to;
    return from < to ? st : then(r);
}

weft_status weft_run_meet_owed(weft_run *r, weft_turn_fn then) {
    weft_run_await(r, then);
    r->meeting = WEFT_MEETING_OWED;
    r->phase = r->comm->slot->owed;
    r->from = r->behind = 0;
    return WEFT_OK;
}

weft_status weft_run_await(weft_run *r, weft_turn_fn then) {
    r->then = then;
    r->meeting = WEFT_MEETING_AGAIN;
    r->from = r->behind = r->until = r->comm->local; /* all have arrived */
    r->since_ns = 0;
    return WEFT_OK;
}

weft_status weft_run_end(weft_run *r) {
    r->state = WEFT_RUN_DONE;
    return WEFT_OK;
}

weft_status weft_run_unstaged(weft_run *r) {
    return weft_comm_fail(r->comm, "rank %d has no shared memory left for staging", r->comm->members[r->comm->rank]);
}

char *weft_run_stage(weft_run *r, int kind) {
    char *mine = weft_stage_mine(r->comm, kind);
    r->window = r->comm->slot->windows++;
    return mine;
}
