/* weak_node.c: the ranks of a node on their shared memory, as programs for the explorer: the code is that of
 * collectives/meet.c, turn.c, run.c, node.c and flight.c, compiled for it. The replacement here for the rest of a call
 * (call.c) notes the call and shows a word in the rank's staging area.
 *
 * Asserted: a rank that goes on reads the words of this call, and no plain memory (notes, signatures, staging areas,
 * users' buffers, reasons) is accessed by two ranks at once; no member waits for ever; a failed call returns its
 * buffers when no rank copies from them any more; an entry of the flight recorder is of one call.
 */
#include "tests/model/weak_node.h"

#include <stdlib.h>
#include <string.h>
#include "cost/algorithm_id.h"
#include "collectives/flight.h"

enum { RANKS = 3, CALLS = 4, ENTRIES = WEFT_FLIGHT_CALLS * WEFT_FLIGHT_WORDS };

/* What the ranks share. */
static struct region {
    weft_node_note note;
    alignas(WEFT_LINE) char group[sizeof(weft_group_note) + RANKS * sizeof(weft_slot)];
    weft_rank_note rank[RANKS];
    uint64_t flight[ENTRIES];
    uint64_t stage[RANKS][2], buffer[RANKS];
} shared;

/* And what each has for itself: a process of its own. */
static weft_world world[RANKS];
static weft_comm comm[RANKS];
static weft_local_rank local[RANKS];
static uint64_t took[RANKS][WEFT_ALG_COUNT];
static int numbers[RANKS] = { 0, 1, 2 }, size;
/* of the calls: all wait for all (A), and once more (T), or for rank 0, which alone gives (G) */
static const char *kinds;
static bool naps;              /* waiting ranks may fall asleep */

static uint64_t offset_of(const void *p) { return (uint64_t)((const char *)p - (const char *)&shared); }

static void lay_out(void) {
    memset(&shared, 0, sizeof shared);
    memset(world, 0, sizeof world);
    memset(comm, 0, sizeof comm);
    memset(local, 0, sizeof local);
    memset(took, 0, sizeof took);
    weft_group_note *g = (weft_group_note *)shared.group;
    g->size = g->local = size;
    shared.note.ranks = shared.note.processes = size;
    shared.note.rank_notes = offset_of(shared.rank);
    for (int i = 0; i < size; i++) {
        shared.rank[i].flight = offset_of(shared.flight);
        local[i].took = took[i];
        world[i] = (weft_world){ .size = size, .process = i, .node_rank_of = numbers, .cores = WEFT_CORES_SHARED,
                                 .node = { .note = &shared.note } };
        world[i].node.segment.base = (char *)&shared;
        comm[i] = (weft_comm){ .world = &world[i], .rank_state = &local[i], .rank_note = &shared.rank[i], .rank = i,
                               .size = size, .members = numbers, .local = size, .me = i, .local_rank = numbers,
                               .local_of = numbers, .group = g, .slot = &g->slots[i], .timeout_ns = -1 };
    }
}

static weft_comm *mine(void) { return &comm[weak_self()]; }

/* --- meetings: kinds of calls ------------------------------------------------------------------------------------- */

static uint64_t word_of(int rank, uint64_t call) { return call * 16 + (uint64_t)rank; }

/* The members' words, the members from which this one takes; the call's second rendezvous, if it has one. */
static weft_status take(weft_run *r) {
    const weft_comm *c = r->comm;
    for (int i = 0; i < c->size; i++)
        if (weft_job_from(&r->job, i))
            WEAK_ASSERT(*(uint64_t *)weft_stage_of(c, i, WEFT_STAGE_SMALL, r->window) == word_of(i, c->slot->calls));
    return kinds[c->slot->calls - 1] == 'T' ? weft_run_meet(r, weft_run_end) : weft_run_end(r);
}

static weft_status note_and_meet(weft_run *r) {
    weft_comm *c = r->comm;
    weft_slot *s = c->slot;
    weft_call_note *note = &s->note[++s->calls & 1];
    weft_flag *flag = weft_flag_next(s);
    flag->sig = r->sig = s->calls;
    *note = (weft_call_note){ .kind = (uint16_t)r->job.kind };
    if (weft_job_gives(&r->job)) *(uint64_t *)weft_run_stage(r, WEFT_STAGE_SMALL) = word_of(c->me, s->calls);
    else (void)weft_run_stage(r, WEFT_STAGE_SMALL);
    return kinds[s->calls - 1] == 'G' ? weft_run_meet_givers(r, take) : weft_run_meet_first(r, take);
}

weft_status weft_run_begin(weft_run *r) {
    r->comm->run = r;
    if (r->then) return r->then(r);
    return r->comm->slot->owed ? weft_run_meet_owed(r, note_and_meet) : note_and_meet(r);
}

static void member(void) {
    weft_comm *c = mine();
    c->world->spin_ns = naps ? 0 : INT64_MAX;
    for (const char *k = kinds; *k; k++) {
        weak_forget((uint64_t)(k - kinds));
        bool gives = *k == 'G';
        weft_run r = { .comm = c,
                       .is_known = gives,
                       .alg = gives ? WEFT_ALG_COLLECTIVE_BROADCAST_small : WEFT_ALG_ALL_REDUCE_one_shot,
                       .job = { .kind = gives ? WEFT_PLAN_COLLECTIVE_BROADCAST : WEFT_PLAN_ALL_REDUCE, .rank = c->me,
                                .source = gives ? 0 : -1, .target = -1 } };
        WEAK_ASSERT(weft_run_call(&r) == WEFT_OK);
    }
}

#define MEETING(ranks, what, sleeps) \
    static void begin_##ranks##what(void) { size = ranks; kinds = #what; naps = sleeps; lay_out(); }
MEETING(2, AA, true) MEETING(2, AG, true) MEETING(2, AT, true) MEETING(2, GA, true) MEETING(2, GG, true) MEETING(2, GT, true) MEETING(2, TA, true) MEETING(2, TG, true) MEETING(2, TT, true) MEETING(2, GGG, true)
MEETING(3, A, true) MEETING(3, G, true) MEETING(3, GA, false) MEETING(3, GG, false)

/* --- a rank that leaves when it has come -------------------------------------------------------------------------- */

static void begin_leaving(void) { size = 2; lay_out(); }

static void leaves(void) {
    weft_meet_come(mine());
    /* as weft_world_leave() in comm.c */
    atomic_store_explicit(&mine()->rank_note->state, WEFT_RANK_LEFT, memory_order_release);
}

static void looks(void) {
    weft_comm *c = mine();
    uint64_t k = weft_meet_come(c);
    WEAK_ASSERT(weft_meet_look(c, 0, c->local, k, 0) == WEFT_OK);
}

/* --- a call that fails while another copies ----------------------------------------------------------------------- */

static void begin_copying(void) {
    size = 2;
    kinds = "A";
    lay_out();
}

/* Reads the other's buffer; the first of them then fails. */
static weft_status copy(weft_run *r) {
    const weft_comm *c = r->comm;
    WEAK_ASSERT(shared.buffer[1 - c->me] == 0);
    if (c->me > 0) return weft_run_end(r);
    weft_node_fail(&c->world->node, "it fails");
    return WEFT_ERR_PEER;
}

static weft_status meet_to_copy(weft_run *r) { return weft_run_meet_first(r, copy); }

static void copies(void) {
    weft_comm *c = mine();
    weft_run r = { .comm = c, .alg = WEFT_ALG_ALL_REDUCE_two_shot, .then = meet_to_copy,
                   .job = { .kind = WEFT_PLAN_ALL_REDUCE, .rank = c->me, .source = -1, .target = -1 } };
    c->world->spin_ns = INT64_MAX;
    if (weft_run_call(&r) != WEFT_OK) shared.buffer[c->me] = 1; /* the caller has it back */
}

/* --- a world that fails ------------------------------------------------------------------------------------------- */

static void fails(void) { weft_node_fail(&mine()->world->node, weak_self() ? "the one reason" : "the other"); }

static void hears(void) {
    const weft_node *n = &mine()->world->node;
    char reason[WEFT_REASON_BYTES];
    if (!weft_node_failed(n)) return;
    weft_node_reason(n, reason);
    WEAK_ASSERT(!strcmp(reason, "the one reason") || !strcmp(reason, "the other"));
}

static void begin_failing(void) { size = 3; lay_out(); }

/* --- the flight recorder ------------------------------------------------------------------------------------------ */

static void begin_recording(void) { size = 2; lay_out(); }

/* Calls that share an entry. */
static void records(void) {
    weft_comm *c = mine();
    weft_coll_buf buf = { .dtype = 0 };
    for (uint64_t number = 1; number < 2 * WEFT_FLIGHT_CALLS; number += WEFT_FLIGHT_CALLS) {
        weft_run r = { .comm = c, .number = number,
                       .job = { .kind = WEFT_PLAN_BARRIER, .full_bytes = (int64_t)number, .bufs = &buf } };
        c->size = (int)number;
        c->slot->calls = number;
        c->slot->note[number & 1].site = number;
        weft_flight_begin(&r);
        atomic_store_explicit(&c->rank_note->calls, number, memory_order_relaxed); /* as record() in call.c */
        weft_flight_end(&r);
    }
}

static void reads_record(void) {
    weft_flight f;
    if (!weft_flight_read(&mine()->world->node, &shared.rank[0], 0, &f)) return;
    WEAK_ASSERT(f.turn == f.number && f.site == f.number && (uint64_t)f.bytes == f.number && (uint64_t)f.size == f.number);
    WEAK_ASSERT(f.kind == WEFT_PLAN_BARRIER && (f.state == WEFT_FLIGHT_UNDER_WAY || f.state == WEFT_FLIGHT_DONE));
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

#define MEET(ranks, what, naps, dozes) \
    { #ranks " ranks make calls " #what, \
      ranks, \
      &shared, \
      sizeof shared, \
      begin_##ranks##what, \
      { member, member, member }, \
      NULL, \
      { naps, naps, naps }, \
      dozes, \
      0 }

static const weak_program programs[] = {
    { "a record is read while it is written", 2, &shared, sizeof shared, begin_recording, { records, reads_record }, NULL, { 0 }, 0, 0 },
    { "a world fails twice", 3, &shared, sizeof shared, begin_failing, { fails, fails, hears }, NULL, { 0 }, 0, 0 },
    { "a rank leaves when it has come", 2, &shared, sizeof shared, begin_leaving, { leaves, looks }, NULL, { 0 }, 0, 0 },
    { "a call fails while another copies", 2, &shared, sizeof shared, begin_copying, { copies, copies }, NULL, { 0 }, 0, 0 },
    MEET(2, AA, 1, 1), MEET(2, AA, 1, 0), MEET(2, AG, 1, 1), MEET(2, GA, 1, 1), MEET(2, GG, 1, 1), MEET(2, GGG, 0, 0), MEET(2, AT, 0, 0), MEET(2, GT, 0, 0),
    MEET(2, TT, 0, 0), MEET(2, TA, 0, 0), MEET(2, TG, 0, 0), MEET(2, GGG, 1, 0),
    MEET(3, A, 0, 0), MEET(3, G, 0, 0), MEET(3, G, 1, 0), MEET(3, GA, 0, 0), MEET(3, GG, 0, 0),
    /* From here on only where there is time. */
    MEET(2, AT, 1, 0), MEET(3, A, 1, 0),
};

size_t weak_program_count(bool is_long) { return sizeof programs / sizeof *programs - (is_long ? 0 : 2); }
weak_program weak_program_at(size_t i) {
    weak_program p = programs[i];
    p.bit = 1u << i;
    return p;
}

/* --- what stands in for the rest of the room ---------------------------------------------------------------------- */

char *weft_stage_of(const weft_comm *c, int member, int kind, uint64_t window) {
    (void)c, (void)kind;
    return (char *)&shared.stage[member][window & 1];
}
char *weft_stage_mine(weft_comm *c, int kind) { return weft_stage_of(c, c->me, kind, c->slot->windows); }
weft_status weft_comm_failed(weft_comm *c) { (void)c; return WEFT_ERR_PEER; }
weft_status weft_comm_fail(weft_comm *c, const char *fmt, ...) { (void)c; weak_fail(fmt); }
weft_status weft_process_ended(weft_comm *c, int rank) { (void)c, (void)rank; weak_fail("a process has ended"); }
weft_status weft_calls_differ(weft_comm *c, int other, const weft_call_note *theirs, const weft_site_note *their_site,
                              const weft_call_note *note, const weft_site_note *site) {
    (void)c, (void)other, (void)theirs, (void)their_site, (void)note, (void)site;
    weak_fail("calls differ");
}
bool weft_rank_ended(weft_world *w, int rank) { (void)w, (void)rank; return false; }
int weft_process_of(const weft_world *w, int rank) { (void)w; return rank; }
void weft_last_call_print(const weft_world *w, const weft_group_note *g, int rank, weft_buf *b) {
    (void)w, (void)g, (void)rank, (void)b;
}
void weft_mail_close(weft_run *r, weft_status st) { (void)r, (void)st; }
weft_status weft_mail_test(weft_run *r, int *all) { (void)r, (void)all; return WEFT_OK; }
void weft_mail_print_late(const weft_run *r, int64_t waited, char *out, size_t n) {
    (void)r, (void)waited, (void)out, (void)n;
}
void weft_progress_entered(weft_world *w) { (void)w; }
void weft_progress_left(weft_world *w) { (void)w; }
void weft_flight_asked(weft_world *w) { (void)w; }
void weft_buf_init(weft_buf *b, const weft_allocator *a) { (void)a; *b = (weft_buf){ 0 }; }
void weft_buf_free(weft_buf *b) { (void)b; }
void weft_buf_puts(weft_buf *b, const char *s) { (void)b, (void)s; }
void weft_buf_putc(weft_buf *b, char c) { (void)b, (void)c; }
void weft_buf_printf(weft_buf *b, const char *fmt, ...) { (void)b, (void)fmt; }
weft_status weft_segment_create(weft_segment_kind kind, size_t want, weft_segment *out) {
    (void)kind, (void)want, (void)out;
    return WEFT_ERR_IO;
}
bool weft_segment_commit(const weft_segment *s, size_t offset, size_t bytes) {
    (void)s, (void)offset, (void)bytes;
    return false;
}
void weft_segment_close(weft_segment *s) { (void)s; }
