/* run.h: one call in progress.
 *
 * A call is a run of turns. A turn does all that is possible without waiting, arrives at a rendezvous, and names the
 * next turn, which follows once all members have arrived and the messages that it began are complete. An algorithm
 * never waits itself. So a call can be waited for at once, polled now and then, or be one of several in progress.
 *
 * A blocking call's run is on the caller's stack; a started call's is a weft_coll_request, which owns copies of the
 * caller's descriptions (request.c). Runs of one rank on one group follow each other in the order of their calls, since
 * they share a slot; runs on different groups advance side by side, whichever of them the rank waits for. Only the
 * rank's thread and the progress thread, if there is one (progress.h), touch them, one at a time.
 */
#ifndef WEFT_COLLECTIVES_RUN_H
#define WEFT_COLLECTIVES_RUN_H

#include "collectives/comm.h"
#include "collectives/geometry.h"
#include "collectives/store.h"

typedef struct weft_coll_request weft_run;
typedef weft_status (*weft_turn_fn)(weft_run *r);
typedef struct weft_block_piece weft_block_piece; /* algorithm.h */
typedef void (*weft_block_take)(const weft_block_piece *b);

#define WEFT_MAIL_REQUESTS(size) (2 * (size_t)(size) + 2 * WEFT_TRANSFERS) /* in progress at once, at most */

/* Of one window of block_mail.c. If all ranks send, rank i's blocks arrive at in + i * room, else at in; this rank's
 * blocks are at own. */
typedef struct weft_arrivals {
    char *in;
    const char *own;
    size_t room;
} weft_arrivals;

/* The messages of one call, and their buffers: for groups that span nodes; see messages.c. */
typedef struct weft_mail {
    weft_request *requests;  /* [WEFT_MAIL_REQUESTS(size)]; NULL: not open */
    unsigned char *peers;    /* [size]: the ranks to exchange cards with; stored after the requests */
    int count;               /* requests in progress */
    size_t capacity;         /* of a window, alike on all ranks */
    char *in, *out;          /* `room` bytes each, at least as many as requested */
    size_t room;
    bool without_cards;      /* the members do not compare this call */
    weft_turn_fn then;       /* the turn after the cards */
    weft_block_take take;    /* block_mail.c: stores a received piece; */
    bool sends_in_place, receives_in_place; /* messages are of the caller's memory; */
    bool goes_ahead;         /* a window's messages are in progress while the one before is processed, */
    int half;                /* alternating two halves: that of the current window */
    weft_arrivals arrivals[2];
    weft_piece piece;        /* the current window, for a call of one operand */
} weft_mail;

/* A schedule in progress: schedule_run.c. */
typedef struct weft_course {
    weft_schedule plan;
    weft_seat seat;
    int round;
    weft_store store;
    char *pack;              /* buffer that packs separate blocks into one message */
    size_t arrivals_room;    /* for one round's arrivals; in mail.in */
} weft_course;

typedef enum weft_run_state { WEFT_RUN_QUEUED, WEFT_RUN_WAITS, WEFT_RUN_DONE } weft_run_state;
typedef enum weft_meeting { WEFT_MEETING_FIRST, WEFT_MEETING_AGAIN, WEFT_MEETING_OWED } weft_meeting;

struct weft_coll_request {
    weft_comm *comm;
    weft_job job;
    weft_run_state state;
    weft_status status;          /* once done */
    int untold;                  /* it failed in the progress thread, and its rank has not reported it yet */
    uint64_t site_key;           /* of job.site */
    weft_forced *forced;         /* its handle's forced rules when it was made; NULL: none */
    uint64_t sig;                /* of everything that all members must agree on */
    /* the members have made and compared such a call before: they need not compare again at once */
    int is_known;
    weft_alg_id alg;
    uint64_t number;             /* of the rank's calls */
    int64_t longest;             /* uneven all_to_all: of the members on other nodes (weft_job.longest) */

    weft_turn_fn then;           /* the turn that follows once all have arrived */
    weft_meeting meeting;        /* FIRST: the members' notes are then compared; OWED: those of the previous call */
    uint64_t phase;              /* the rendezvous at which these members must arrive: */
    int from, until;             /* local members [from, until), */
    int behind;                  /* those below this one have arrived */
    int64_t since_ns;            /* when the waiting began; 0: the clock was not read yet */
    int64_t checked_ns;          /* when failures were last checked for */

    /* The algorithm's state: */
    weft_cursor at, next;        /* the current window, and the next one */
    size_t filled;               /* bytes of the window */
    uint64_t window;             /* its number in the slot */
    weft_mail mail;
    weft_course course;

    weft_run *up, *down;         /* in the rank's list of unfinished runs, in the order of calls */
    weft_run *after;             /* the next call on the same slot, which waits for this one */
    size_t block_bytes;          /* of a request: its own size and that of its copies; 0: on a stack */
    char *copies;                /* of inputs, owned by a request */
    size_t copies_bytes;
};

/* --- turn.c: each turn ends with one of these calls --- */

weft_status weft_run_meet(weft_run *r, weft_turn_fn then);
/* Meets at the first rendezvous of a call, and compares the notes of the members. */
weft_status weft_run_meet_first(weft_run *r, weft_turn_fn then);
/* The first rendezvous of a call of few bytes. In a call that it has made before, a rank waits only for the members
 * that send to it, and takes the turn at once if there are none. It waits for the others at the slot's next call. */
weft_status weft_run_meet_givers(weft_run *r, weft_turn_fn then);
/* Waits for the members that the call before has not waited for, then takes the turn. */
weft_status weft_run_meet_owed(weft_run *r, weft_turn_fn then);
/* No rendezvous: the turn follows once the messages are through. */
weft_status weft_run_await(weft_run *r, weft_turn_fn then);
weft_status weft_run_end(weft_run *r);
/* Makes the world fail: there is no memory for staging. */
weft_status weft_run_unstaged(weft_run *r);

/* This rank's half of the staging area for its next window, whose number becomes r->window. NULL when memory is out. */
char *weft_run_stage(weft_run *r, int kind);

/* --- run.c --- */

/* Runs a call to its end: a blocking call. */
weft_status weft_run_call(weft_run *r);
/* Begins the run, or queues it after the one before it on its slot. */
void weft_run_enter(weft_run *r);
/* Advances every run of the rank. */
void weft_runs_advance(weft_local_rank *rank);
/* Checks for failures, for a run that is not done; cheap if the last check was a moment ago. */
void weft_run_look(weft_run *r);
/* Waits until an entered run is done; advances the others meanwhile. */
weft_status weft_run_wait(weft_run *r);

/* trouble.c: reports the error of a run that failed in the progress thread. */
void weft_run_tell(weft_run *r);

/* call.c: notes the call, chooses the algorithm and takes its first turn. */
weft_status weft_run_begin(weft_run *r);

#endif
