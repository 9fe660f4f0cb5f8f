/* run.h: one call under way.
 *
 * A call is a run of turns. A turn does what can be done without waiting, comes to a rendezvous, and names the turn
 * that follows once all members have come and the messages that it began are through. So a call can be waited for at
 * once, looked at now and then, or be one of several under way: an algorithm never waits itself.
 *
 * A blocking call's run lies on the caller's stack; one that was started is a weft_coll_request, which owns copies of
 * what its caller described (request.c). Runs of one rank on one group follow each other in the order of their calls,
 * since they share a slot; runs on different groups advance side by side, whichever of them the rank waits for. Only
 * the rank's thread touches them, and the progress thread where there is one (progress.h), one of them at a time.
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

#define WEFT_MAIL_REQUESTS(size) (2 * (size_t)(size) + 2 * WEFT_TRANSFERS) /* under way at once, at most */

/* Of one window of block_mail.c's: where all give, rank i's blocks come i * room after in, else at in; those of this
 * rank are at own. */
typedef struct weft_arrivals {
    char *in;
    const char *own;
    size_t room;
} weft_arrivals;

/* The messages of one call, and room for what they carry: of groups that span nodes; see messages.c. */
typedef struct weft_mail {
    weft_request *requests;  /* [WEFT_MAIL_REQUESTS(size)]; NULL: not open */
    unsigned char *peers;    /* [size]: with whom to exchange cards; after the requests */
    int count;               /* requests under way */
    size_t capacity;         /* of a window, alike on all ranks */
    char *in, *out;          /* `room` bytes each, as many as were asked for or more */
    size_t room;
    bool without_cards;      /* the members do not compare this call */
    weft_turn_fn then;       /* the turn after the cards */
    weft_block_take take;    /* block_mail.c: what to do with what came; */
    bool sends_in_place, receives_in_place; /* messages are of the caller's memory; */
    bool goes_ahead;         /* a window's messages are under way while the one before is dealt with, */
    int half;                /* from two halves in turn: of the window under way */
    weft_arrivals arrivals[2];
    weft_piece piece;        /* of a call of one operand: the window under way */
} weft_mail;

/* A schedule under way: schedule_run.c. */
typedef struct weft_course {
    weft_schedule plan;
    weft_seat seat;
    int round;
    weft_store store;
    char *pack;              /* blocks that lie apart and go as one message */
    size_t arrivals_room;    /* of what one round receives; in mail.in */
} weft_course;

typedef enum weft_run_state { WEFT_RUN_QUEUED, WEFT_RUN_WAITS, WEFT_RUN_DONE } weft_run_state;
typedef enum weft_meeting { WEFT_MEETING_FIRST, WEFT_MEETING_AGAIN, WEFT_MEETING_OWED } weft_meeting;

struct weft_coll_request {
    weft_comm *comm;
    weft_job job;
    weft_run_state state;
    weft_status status;          /* once done */
    int untold;                  /* it failed while the progress thread moved it: its rank has yet to be told why */
    uint64_t site_key;           /* of job.site */
    weft_forced *forced;         /* what its handle forced when it was made; NULL: nothing */
    uint64_t sig;                /* of everything that all members must agree on */
    /* the members have made such a call before, and compared it: they need not do so at once */
    int is_known;
    weft_alg_id alg;
    uint64_t number;             /* of the rank's calls */
    int64_t longest;             /* uneven all_to_all: of the members on other nodes (weft_job.longest) */

    weft_turn_fn then;           /* what to do once all have come */
    weft_meeting meeting;        /* FIRST: the members' notes are compared then; OWED: those of the call before */
    uint64_t phase;              /* what those it waits for must come to: */
    int from, until;             /* local members [from, until), */
    int behind;                  /* of whom those before this one have */
    int64_t since_ns;            /* when somebody first looked at the clock; 0: not yet */
    int64_t checked_ns;          /* when somebody last looked for trouble */
    int left;                    /* a member that had left at the last look; -1: none */

    /* Of the algorithm: */
    weft_cursor at, next;        /* the window under way, and the one after it */
    size_t filled;               /* bytes of the window */
    uint64_t window;             /* its number in the slot */
    weft_mail mail;
    weft_course course;

    weft_run *up, *down;         /* in the rank's list of unfinished runs, in the order of calls */
    weft_run *after;             /* the next call on the same slot, which waits for this one */
    size_t block_bytes;          /* of a request: itself and what it keeps; 0: on a stack */
    char *copies;                /* of inputs, owned by a request */
    size_t copies_bytes;
};

/* --- turn.c: a turn's last act is one of these --- */

weft_status weft_run_meet(weft_run *r, weft_turn_fn then);
/* The first rendezvous of a call: also compares the notes of the members. */
weft_status weft_run_meet_first(weft_run *r, weft_turn_fn then);
/* The first rendezvous of a call of few bytes. Of a call that it has made before a rank waits for those only who give
 * it anything, and takes the turn at once where nobody does; those that it has not waited for it waits for at the
 * slot's next call. */
weft_status weft_run_meet_givers(weft_run *r, weft_turn_fn then);
/* Waits for those of the call before, then takes the turn. */
weft_status weft_run_meet_owed(weft_run *r, weft_turn_fn then);
/* No rendezvous: the turn follows once the messages are through. */
weft_status weft_run_await(weft_run *r, weft_turn_fn then);
weft_status weft_run_end(weft_run *r);
/* Ends the world: there is no memory to stage in. */
weft_status weft_run_unstaged(weft_run *r);

/* This rank's half of the staging area for its next window, whose number becomes r->window. NULL when memory is out. */
char *weft_run_stage(weft_run *r, int kind);

/* --- run.c --- */

/* Runs it to its end: a blocking call. */
weft_status weft_run_call(weft_run *r);
/* Begins it, or leaves it to follow the one before it on its slot. */
void weft_run_enter(weft_run *r);
/* Moves on every run of the rank. */
void weft_runs_advance(weft_local_rank *rank);
/* A look for trouble at a run that is not done; costs little when the last one was a moment ago. */
void weft_run_look(weft_run *r);
/* Waits until one that was entered is done; moves the others on meanwhile. */
weft_status weft_run_wait(weft_run *r);

/* trouble.c: reports what the progress thread kept of a run that failed in its hands. */
void weft_run_tell(weft_run *r);

/* call.c: notes the call, chooses the algorithm and takes its first turn. */
weft_status weft_run_begin(weft_run *r);

#endif
