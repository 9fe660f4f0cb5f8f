/* comm.h: the inside of worlds and communicators.
 *
 * A world is a list of ranks on processes on nodes. The ranks of a node share memory: each process of the node has a
 * segment that all map (segment.h), and one more segment holds the node's common data (node.h). A group of ranks that
 * spans nodes adds messages (transport.h).
 *
 * The course of a call (call.c): the operands are described as a job; the members note the call in their slots and
 * meet; notes that differ make the world fail; an algorithm, chosen by cost/link.h, moves the data in turns between
 * which the members meet (run.h).
 */
#ifndef WEFT_COLLECTIVES_COMM_H
#define WEFT_COLLECTIVES_COMM_H

#include <weft/coll.h>
#include <weft/topo.h>
#include <pthread.h>
#include <semaphore.h>
#include "base/context.h"
#include "collectives/geometry.h"
#include "collectives/levels.h"
#include "collectives/node.h"
#include "collectives/proof.h"
#include "collectives/transport.h"
#include "topology/topology.h"

typedef struct weft_lent_room weft_lent_room; /* messages.c */

/* weft_slot.posts is an array of weft_post, one per operand. In an uneven form whose inputs have a block for each rank
 * it is followed, per operand, by as many spans as ranks: the place of each block, in elements. A single post without
 * spans is in the flag instead, in a cache line that all members read anyway. */
typedef struct weft_span {
    int64_t at, count;
} weft_span;

typedef struct weft_site_key {
    uint64_t key, note;        /* of the call site; offset of its weft_site_note */
} weft_site_key;

/* one rank of this process: used by its thread only, but for the handles and the fields that progress.h names */
typedef struct weft_local_rank {
    weft_coll_counts counts;
    uint64_t *took;                   /* [WEFT_ALG_COUNT] calls of each algorithm; part of weft_world.took */
    weft_site_key *sites;             /* open addressing, cap a power of two */
    size_t site_count, site_cap;
    int handles;                      /* communicators open, plus */
    int stays;                        /* 1 if the rank stays until the world ends (stay.h) */
    struct weft_coll_request *first, *last; /* calls in progress (run.h), in order */
    int waiting;                      /* of them begun; each other one follows one of these */
    /* guards all of this, and the rank's communicators, if the world has a progress thread */
    pthread_mutex_t lock;
    int moved;                        /* the thread is moving a call now: it keeps an error for the rank to report */
    struct weft_coll_request *late;   /* the first call that failed in the thread, */
    weft_diag_class late_class;       /* and why */
    char late_text[WEFT_REASON_BYTES];
} weft_local_rank;

/* Advances the rank's calls that can advance. */
typedef void (*weft_advance)(weft_local_rank *rank);

/* The thread that advances calls for their ranks: progress.h. */
typedef struct weft_progress {
    weft_advance advance;             /* by which the thread advances a rank's calls */
    int wanted;                       /* chosen when the world was made: ranks are locked */
    int runs, failed;                 /* of the thread, made at the first started call; under the world's lock */
    pthread_t thread;
    sem_t wake;
    _Atomic int open;                 /* started calls in progress */
    _Atomic int closing;
} weft_progress;

/* What a text forces (select.c). */
typedef struct weft_alg_rules {
    weft_alg_rule *v;                 /* [count]; the first one that fits counts; alg WEFT_ALG_COUNT: none */
    size_t count;
    int64_t stream;                   /* a rank that writes more bytes in a call bypasses the caches; 0: not said */
} weft_alg_rules;

/* whether each rank on the machine has a core */
typedef enum weft_cores { WEFT_CORES_OWN, WEFT_CORES_SHARED } weft_cores;

struct weft_world {
    weft_allocator alloc;
    /* the process that made the world: a child of fork has only part of its memory (segment.c), and no other thread */
    pid_t owner;
    int size, first, local;           /* ranks: of the world; the first, and the number, of this process */
    int process, processes;
    int node_processes, node_process; /* processes of this node; this one's number among them */
    int nodes;
    int *first_of;                    /* [processes + 1]: first rank of each process */
    int *node_of;                     /* [processes] */
    int *seat_of;                     /* [processes]: the process's number on its node */
    int *package_of;                  /* [size]: each rank's package: differs between packages of a node */
    int *node_rank_of;                /* [size]: a rank's number on this node, -1: on another */
    int node_ranks;                   /* ranks of this node */
    const weft_transport *memory;     /* threads or shm */
    const weft_transport *messages;   /* NULL on one node */
    void *memory_state, *messages_state;
    void (*end)(weft_world *w);       /* ends the starter's MPI; NULL: nothing to end */
    void *end_state;
    uint64_t token;                   /* other processes read it to test reach.h */
    int reach;                        /* 1: processes of this node copy out of each other's memory (reach.h) */
    weft_node node;
    weft_heap heap;                   /* in this process's segment */
    weft_segment *segments;           /* [node_processes] of the others; own: a copy without ownership */
    int64_t timeout_ns;               /* of new handles; negative: none */
    weft_cores cores;                 /* how waiting ranks spin, */
    int64_t spin_ns;                  /* and for how long before they sleep */
    void (*idle)(void *user);         /* a waiting rank calls it meanwhile; NULL: nothing to call */
    void *idle_user;
    _Atomic uint64_t moves;           /* of messages: while it grows, ranks that wait for messages do not sleep */
    size_t cached_bytes;              /* a rank that writes more in one call bypasses the caches (stream.h) */
    int spare_core;                   /* each process of the machine has more cores than ranks */
    /* all members compare every call before they go on, also calls that they made before */
    int checks;
    bool memory_is_lent;              /* to messages that never ended: it stays mapped after the world */
    weft_lent_room *lent;             /* buffers of failed calls that messages still use; under the lock */
    bool messages_remain;             /* the transport is closed, and some may still use these buffers */
    int one_thread;                   /* only the thread that made the world may send messages */
    weft_progress progress;
    weft_bind bind;
    weft_link_level level;            /* between the ranks of this node */
    weft_links links;
    weft_alg_rules rules;             /* that the user forces */
    weft_sums sums;                   /* the orders of sums that the cost model may choose */
    weft_alg_rule *tuned;             /* [tuned_count] from measurements; they come after the forced ones */
    size_t tuned_count;
    weft_locality *localities;        /* [processes]; NULL without measurements */
    uint64_t run;                     /* a number that all processes of this world have, and no other world */
    /* the path for the files with the last calls, to which the process's number is appended; NULL: no files */
    char *flight;
    /* the secret of the job's processes; not set: they have none beside the numbers that they tell each other */
    weft_secret secret;
    pthread_t maker;                  /* the thread that made the world; with `flight` it */
    int holds_back;                   /* 1: Weft blocked SIGUSR1 in it; 0: it was blocked before */
    _Atomic int flown;                /* by compare and swap: the thread that writes the file on failure */
    weft_local_rank *ranks;           /* [local] */
    uint64_t *took;                   /* [local][WEFT_ALG_COUNT] */
    char trouble[192];                /* why the world could not be made */
    pthread_mutex_t lock;             /* guards diagnostics (several ranks may have one context) and topology */
    weft_topology *topology;          /* made when the first rank binds */
};

enum { WEFT_STAGE_SMALL, WEFT_STAGE_LARGE };
#define WEFT_STAGE_LARGE_BYTES ((size_t)1 << 19) /* of one half: input and result stay in a core's own cache */

/* A choice made before. The model's answer depends on these fields alone, and asking it costs as much as a small call.
 */
typedef struct weft_choice_note {
    int64_t full_bytes;
    int16_t kind, can;
    int32_t best;                     /* weft_alg_id + 1, 0: empty */
} weft_choice_note;
#define WEFT_CHOICES 16

/* The bytes from the beginning of an operand's input, and of its output, to their ends. */
typedef struct weft_extents {
    size_t in, out;
} weft_extents;

/* The job of a call of one even operand, or none. It is kept (call.c): programs repeat their calls, and computing it
 * takes as long as a cache line takes to move between cores. */
typedef struct weft_shape_note {
    int is_kept;
    weft_coll_kind kind;
    weft_op_reduce reduce;
    int n, split_first, source, target;
    weft_coll_dtype dtype;
    int64_t outer, middle, inner;     /* the fields so far are the key */
    size_t stage_bytes;               /* from here on the result, as in weft_job */
    int64_t full_bytes, wire_bytes;
    uint64_t sig;
    size_t plain_bytes;
    weft_geom first;
    weft_extents extents;
} weft_shape_note;
#define WEFT_SHAPES 32

/* Memory for the messages of one call: lent to the call (weft_mail_open), and kept by the communicator between
 * calls. */
typedef struct weft_mail_room {
    weft_request *requests;           /* followed by a byte for each rank; NULL: not allocated */
    char *in, *out;                   /* `bytes` each */
    size_t bytes;
} weft_mail_room;

/* The rules of weft_comm_force, for the calls from then on. Calls made before keep the rules of their time, however
 * late they begin. */
typedef struct weft_forced {
    weft_alg_rules rules;             /* they take precedence over the world's */
    uint64_t hash;                    /* of their text, which must be equal on all members */
    int uses;                         /* references: the handle's own, and one of each started call */
} weft_forced;

struct weft_comm {
    weft_context *cx;
    weft_world *world;
    weft_local_rank *rank_state;
    weft_rank_note *rank_note;
    int rank, size;                   /* in the group */
    int *members;                     /* [size] world ranks */
    int local, me;                    /* members on this node; my number among them */
    int *local_rank;                  /* [local]: group ranks, rising */
    int *local_of;                    /* [size]: number among the local members, -1: on another node */
    int nodes, node;                  /* nodes with members, in the order of their first ones; mine */
    int *by_node;                     /* [size]: group ranks by node, rising within one */
    int *node_first;                  /* [nodes + 1]: where each node's ranks begin in it */
    weft_levels levels;               /* of a group that spans nodes; else empty */
    int *places;                      /* [2 * size]: scratch of schedules */
    weft_group_note *group;
    weft_slot *slot;                  /* mine */
    int one_process;                  /* all members on this node are in this process: every address is visible */
    const void **src, **base;         /* [size] each: scratch for an algorithm's pointers */
    const void **of_node;             /* [size]: scratch of weft_sum_members */
    void **dst;
    weft_link_level level;            /* the largest distance between two members of one node */
    weft_forced *forced;              /* NULL: none */
    weft_choice_note choices[WEFT_CHOICES]; /* made under these rules */
    weft_shape_note shapes[WEFT_SHAPES];
    struct weft_coll_request *run;    /* the call in progress */
    weft_mail_room mail;              /* for the next call; empty while a call has it */
    int64_t timeout_ns;               /* of its calls: the world's, or weft_comm_timeout's; negative: none */
    int requests;                     /* started and not waited for yet: they keep the handle's memory */
    int freed;                        /* its owner has freed it */
};

static inline weft_slot *weft_slot_of(const weft_comm *c, int local) { return &c->group->slots[local]; }
static inline int weft_spans_nodes(const weft_comm *c) { return c->local != c->size; }

/* The number of members on one of the group's nodes. */
static inline int weft_node_size(const weft_comm *c, int node) { return c->node_first[node + 1] - c->node_first[node]; }

/* The bytes after a reference that member `local` posted. */
static inline void *weft_ref_address(const weft_world *w, weft_ref r) {
    return r.segment ? w->segments[r.segment - 1].base + r.at : (void *)(uintptr_t)r.at;
}

/* select.c: drops one use of these rules (NULL: none); the last use frees them. Under the rank's lock. */
void weft_forced_leave(const weft_world *w, weft_forced *f);

#define WEFT_LOOK_NS 50000000    /* between two checks of a waiting rank for failures: 50 ms */
/* a rank that waits has checked, or answered a question, within this time, also if all cores are busy */
#define WEFT_LOOKS_NS 1000000000
#define WEFT_GRACE_NS 3000000000

/* --- seats.c: also weft_world_is_inherited (stay.h) --------------------------------------------------------------- */

/* The process of a rank. */
int weft_process_of(const weft_world *w, int rank);
/* Whether the process of a rank of this node has ended. */
bool weft_rank_ended(weft_world *w, int rank);

/* --- bind.c ------------------------------------------------------------------------------------------------------- */

/* The cores of the machine that this rank of this process has to itself: [*first, *first + *count). Discovers the
 * topology at the first call. */
weft_status weft_world_cores(weft_context *cx, weft_world *w, int rank, int *first, int *count);

/* --- clock.c ------------------------------------------------------------------------------------------------------ */

int64_t weft_now_ns(void);
static inline bool weft_timed_out(const weft_comm *c, int64_t waited_ns) {
    return c->timeout_ns >= 0 && waited_ns > c->timeout_ns;
}
/* Yields for a moment: pauses the core, or gives it up if ranks share it. */
void weft_wait_pause(const weft_world *w);

/* --- meet.c ------------------------------------------------------------------------------------------------------- */

/* This rank arrives at its next rendezvous; returns its number. Ranks that see it also see all earlier writes.
 */
uint64_t weft_meet_come(weft_comm *c);
/* Whether member i has arrived at rendezvous k. */
static inline bool weft_meet_has_come(const weft_comm *c, int i, uint64_t k) {
    /* Pairs with the seq_cst store in weft_meet_come(): the member's writes before its arrival are visible.
     * Sequentially consistent, so that of two members that arrive at once at least one sees the other, and rings the
     * bell. */
    return (int64_t)(atomic_load_explicit(&weft_slot_of(c, i)->flag[k & 1].phase, memory_order_seq_cst) - k) >= 0;
}
/* Whether a member of this node has arrived at a rendezvous at which this rank has not. */
static inline bool weft_meet_ahead(const weft_comm *c) {
    for (int i = 0; i < c->local; i++)
        if (weft_meet_has_come(c, i, c->slot->come + 1)) return true;
    return false;
}
/* The first of members [from, to) of this node that has not arrived; to: all have. */
static inline int weft_meet_behind(const weft_comm *c, int from, int to, uint64_t k) {
    while (from < to && weft_meet_has_come(c, from, k)) from++;
    return from;
}
/* The same after a sleep, which ends when all have arrived; for a choosy rank when any has; after at most 50 ms. */
int weft_meet_nap(weft_comm *c, int from, int to, uint64_t k, bool is_choosy);
/* A check for failures by a rank that waits for these members at rendezvous k: WEFT_ERR_PEER, reported, when the world
 * has failed, one of them has ended or left, or waited_ns exceeds the timeout. */
weft_status weft_meet_look(weft_comm *c, int from, int to, uint64_t k, int64_t waited_ns);
/* Compares the note of this rank's last noted call with those of members [from, to), which have arrived at its first
 * rendezvous, k; for a permute also whether each sender is expected. */
weft_status weft_meet_compare(weft_comm *c, int from, int to, uint64_t k);
/* If this rank's last noted call is a permute: whether member `from`, by its note, sends to this rank if and only if
 * this rank expects it. */
weft_status weft_permute_check(weft_comm *c, int from, const weft_call_note *theirs);
/* WEFT_ERR_PEER, reported, when the world has failed or waited_ns exceeds the timeout; `late` names the ranks that the
 * wait is for. "": they wait themselves. They know better which rank is late, and have WEFT_GRACE_NS to report it. */
weft_status weft_wait_check(weft_comm *c, int64_t waited_ns, const char *late);

/* --- trouble.c ---------------------------------------------------------------------------------------------------- */

/* Makes the world fail for this reason, and reports it at the place of the current call. Returns WEFT_ERR_PEER. */
weft_status weft_comm_fail(weft_comm *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
/* Reports that the world has failed before. Returns WEFT_ERR_PEER. */
weft_status weft_comm_failed(weft_comm *c);
/* Reports an error of this rank alone. */
weft_status weft_comm_report(weft_comm *c, weft_diag_class cls, const char *fmt, ...) WEFT_PRINTF(3, 4);
/* The text "all_reduce over "model" at gpt.mlir:41:10" of a note; site may be NULL. */
void weft_note_print(weft_buf *b, const weft_call_note *note, const weft_site_note *site);
/* Makes the world fail: group rank `other`, whose note and site these are, has made another call than this rank. */
weft_status weft_calls_differ(weft_comm *c, int other, const weft_call_note *theirs, const weft_site_note *their_site,
                              const weft_call_note *mine, const weft_site_note *my_site);
/* "in its call 12, all_reduce over "model" at gpt.mlir:41:10 of 4096 B" of a world rank of this node, and whether that
 * call is of another group than this one. group NULL: nothing is said of its group. */
void weft_last_call_print(const weft_world *w, const weft_group_note *group, int rank, weft_buf *b);
/* Makes the world fail: the process of this world rank, of this node, has ended. */
weft_status weft_process_ended(weft_comm *c, int rank);
static inline const weft_site_note *weft_site_at(const weft_node *n, uint64_t at) {
    return at ? weft_node_at(n, at) : NULL;
}
/* The offset of the site's note in the node's pool, kept per rank; 0 when there is none. */
uint64_t weft_site_of(weft_comm *c, const weft_call_site *site, uint64_t key);
/* A key of the site that is equal on all ranks. */
uint64_t weft_site_key_of(const weft_call_site *site);

/* --- messages.c --------------------------------------------------------------------------------------------------- */

/* Frees the communicator's memory for messages. */
void weft_mail_room_free(weft_comm *c);

/* Frees the buffers of failed calls, once the transport of messages is closed; those that it may still use stay for
 * ever. */
void weft_mail_lent_free(weft_world *w);

/* --- comm.c ------------------------------------------------------------------------------------------------------- */

/* One of the communicator's requests has been waited for; if the communicator was freed before, the last one ends it.
 * Called under the rank's lock, which it releases. */
void weft_comm_waited(weft_comm *c);

/* --- staging.c ---------------------------------------------------------------------------------------------------- */

/* This rank's staging area of that kind, allocated at first use: one half of it. NULL when memory is out. */
char *weft_stage_mine(weft_comm *c, int kind);
/* Member `local`'s half of the same window. */
char *weft_stage_of(const weft_comm *c, int local, int kind, uint64_t window);
size_t weft_stage_half_bytes(int kind);
/* Whether every member can read and write [p, p + bytes) in place; then also its reference. */
bool weft_ref_of(const weft_comm *c, const void *p, size_t bytes, weft_ref *out);
/* Room for `bytes` of posts of the current call. NULL when memory is out. */
weft_post *weft_posts_mine(weft_comm *c, size_t bytes);
/* A member's posts of the current call. Valid from its first rendezvous to its last, which no member passes while
 * another one may read them. */
static inline const weft_post *weft_posts_of(const weft_comm *c, int local) {
    const weft_slot *s = weft_slot_of(c, local);
    return c->slot->posted ? &s->flag[c->slot->posted - 1].post : weft_ref_address(c->world, s->posts);
}

#endif
