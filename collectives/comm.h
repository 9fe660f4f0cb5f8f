/* comm.h: the inside of worlds and communicators.
 *
 * A world is a list of ranks, laid over processes, laid over nodes. The ranks of a node share memory: each process of
 * the node has a segment that all map (segment.h), and one more holds what they have in common (node.h). A group of
 * ranks that spans nodes adds messages (transport.h).
 *
 * One call goes like this (call.c): the operands are described as a job; the members note the call in their slots and
 * meet; notes that differ end the world; an algorithm, chosen by cost/link.h, moves the data in turns between which the
 * members meet (run.h).
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

/* weft_slot.posts is an array of weft_post, one per operand. In an uneven form whose inputs have a block for each rank
 * there follow, per operand, as many spans as ranks: where each block is, in elements. A single post without spans is
 * in the flag instead, whose line all members read anyway. */
typedef struct weft_span {
    int64_t at, count;
} weft_span;

typedef struct weft_site_key {
    uint64_t key, note;        /* of the call site; offset of its weft_site_note */
} weft_site_key;

/* one rank of this process: used by its thread only, but for handles and what progress.h says */
typedef struct weft_local_rank {
    weft_coll_counts counts;
    uint64_t *took;                   /* [WEFT_ALG_COUNT] calls that each algorithm has done: of weft_world.took */
    weft_site_key *sites;             /* open addressing, cap a power of two */
    size_t site_count, site_cap;
    int handles;                      /* communicators open, */
    int stays;                        /* and 1 that nobody has, where the rank is here until the world ends */
    struct weft_coll_request *first, *last; /* calls under way (run.h), in their order */
    int waiting;                      /* of them: begun; the others follow one of these */
    /* guards all of this, and the rank's communicators, where the world has a progress thread */
    pthread_mutex_t lock;
    int moved;                        /* by that thread, now: it reports nothing, but keeps */
    struct weft_coll_request *late;   /* the first call that failed so, */
    weft_diag_class late_class;       /* and why */
    char late_text[WEFT_REASON_BYTES];
} weft_local_rank;

/* Moves on what can be moved of a rank's calls. */
typedef void (*weft_advance)(weft_local_rank *rank);

/* The thread that moves calls on for their ranks: progress.h. */
typedef struct weft_progress {
    weft_advance advance;             /* by which the thread moves a rank's calls */
    int wanted;                       /* as said when the world was made: ranks are locked */
    int runs, failed;                 /* the thread; made when the first call is started: under the world's lock */
    pthread_t thread;
    sem_t wake;
    _Atomic int open;                 /* calls under way that were started */
    _Atomic int closing;
} weft_progress;

/* whether each rank on the machine has a core */
typedef enum weft_cores { WEFT_CORES_OWN, WEFT_CORES_SHARED } weft_cores;

struct weft_world {
    weft_allocator alloc;
    /* the process that made it: a child of fork has its memory only in part (segment.c), and none of its threads */
    pid_t owner;
    int size, first, local;           /* ranks: in all, first of this process, of this process */
    int process, processes;
    int node_processes, node_process; /* processes of this node; this one's number among them */
    int nodes;
    int *first_of;                    /* [processes + 1]: first rank of each process */
    int *node_of;                     /* [processes] */
    int *seat_of;                     /* [processes]: the process's number on its node */
    int *package_of;                  /* [size]: of each rank; what tells the packages of a node apart */
    int *node_rank_of;                /* [size]: a rank's number on this node, -1: on another */
    int node_ranks;                   /* ranks of this node */
    const weft_transport *memory;     /* threads or shm */
    const weft_transport *messages;   /* NULL on one node */
    void *memory_state, *messages_state;
    void (*end)(weft_world *w);       /* ends what the starter began (MPI); NULL: nothing */
    void *end_state;
    uint64_t token;                   /* for the others to read: whether they can */
    int reach;                        /* 1: processes of this node copy out of each other's memory (reach.h) */
    weft_node node;
    weft_heap heap;                   /* this process's segment */
    weft_segment *segments;           /* [node_processes] of the others; own: a copy without ownership */
    int64_t timeout_ns;               /* negative: none */
    weft_cores cores;                 /* how ranks wait at first, */
    int64_t spin_ns;                  /* and how long before they sleep */
    void (*idle)(void *user);         /* what they do meanwhile; NULL: nothing */
    void *idle_user;
    _Atomic uint64_t moves;           /* of messages: as long as it grows who waits for them does not sleep */
    size_t cached_bytes;              /* what a rank writes in one call is for the caches up to here (stream.h) */
    int spare_core;                   /* each process of the machine has a core more than it has ranks */
    /* all calls are compared by all members before anybody goes on, also those that were made before */
    int checks;
    bool memory_is_lent;              /* to messages that never end: it is not unmapped with the world */
    int one_thread;                   /* messages have to come from the thread that made the world */
    weft_progress progress;
    weft_bind bind;
    weft_link_level level;            /* between the ranks of this node */
    weft_links links;
    /* [rule_count] that the user forces; the first that fits counts; alg WEFT_ALG_COUNT: none */
    weft_alg_rule *rules;
    size_t rule_count;
    weft_sums sums;                   /* what the cost model may choose from */
    weft_alg_rule *tuned;             /* [tuned_count] of the table of measurements: after those */
    size_t tuned_count;
    weft_locality *localities;        /* [processes]; NULL where nothing was measured */
    uint64_t run;                     /* a number that all its processes have, and no other world */
    /* where to write the last calls: a path to which the process's number is added; NULL: nowhere */
    char *flight;
    /* what the processes of the job know and nobody else; not set: nothing but what they tell each other */
    weft_secret secret;
    pthread_t maker;                  /* the thread that made the world, which with `flight` */
    int holds_back;                   /* has SIGUSR1 held back for the world's sake; else it did so itself */
    _Atomic int flown;                /* by compare and swap: whoever writes on failure */
    weft_local_rank *ranks;           /* [local] */
    uint64_t *took;                   /* [local][WEFT_ALG_COUNT] */
    char trouble[192];                /* why it could not be opened */
    pthread_mutex_t lock;             /* guards diagnostics (several ranks may have one context) and topology */
    weft_topology *topology;          /* made when the first rank binds */
};

enum { WEFT_STAGE_SMALL, WEFT_STAGE_LARGE };
#define WEFT_STAGE_LARGE_BYTES ((size_t)1 << 19) /* of one half: input and result stay in a core's own cache */

/* A choice made before: the model's answer depends on these alone, and asking it costs as much as a small collective.
 */
typedef struct weft_choice_note {
    int64_t full_bytes;
    int16_t kind, can;
    int32_t best;                     /* weft_alg_id + 1, 0: empty */
} weft_choice_note;
#define WEFT_CHOICES 16

/* Bytes from the beginning of an operand's input, and of its output, to their ends. */
typedef struct weft_extents {
    size_t in, out;
} weft_extents;

/* What a call of one even operand, or none, amounts to: kept (call.c), since programs make the same calls again and
 * again, and to work it out takes as long as a cache line takes from another core. */
typedef struct weft_shape_note {
    int is_kept;
    weft_coll_kind kind;
    weft_op_reduce reduce;
    int n, split_first, source, target;
    weft_coll_dtype dtype;
    int64_t outer, middle, inner;     /* so far what it follows from */
    size_t stage_bytes;               /* from here on as in weft_job */
    int64_t full_bytes, wire_bytes;
    uint64_t sig;
    size_t plain_bytes;
    weft_geom first;
    weft_extents extents;
} weft_shape_note;
#define WEFT_SHAPES 32

/* Memory for the messages of one call: lent to it (weft_mail_open), and kept by the communicator between calls. */
typedef struct weft_mail_room {
    weft_request *requests;           /* and after them a byte for each rank; NULL: none drawn yet */
    char *in, *out;                   /* `bytes` each */
    size_t bytes;
} weft_mail_room;

/* What weft_comm_force names, for the calls from then on. Those that were made before keep what stood then, however
 * late they begin. */
typedef struct weft_forced {
    weft_alg_rule *rules;             /* [rule_count]: before the world's */
    size_t rule_count;
    uint64_t hash;                    /* of their text: all members must force the same */
    int uses;                         /* the handle's own, and one of each started call */
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
    int nodes, node;                  /* that have members, numbered in the order of their first ones; mine */
    int *by_node;                     /* [size]: group ranks by node, rising within one */
    int *node_first;                  /* [nodes + 1]: where each node's begin in it */
    weft_levels levels;               /* of a group that spans nodes; else empty */
    int *places;                      /* [2 * size]: scratch of schedules */
    weft_group_note *group;
    weft_slot *slot;                  /* mine */
    int one_process;                  /* all members of this node are in this process: any address will do */
    const void **src, **base;         /* [size] each: scratch for an algorithm's pointers */
    const void **of_node;             /* [size]: scratch of weft_sum_members */
    void **dst;
    weft_link_level level;            /* the farthest that two members of one node are apart */
    weft_forced *forced;              /* NULL: none */
    weft_choice_note choices[WEFT_CHOICES]; /* made while it stands */
    weft_shape_note shapes[WEFT_SHAPES];
    struct weft_coll_request *run;    /* the call under way */
    weft_mail_room mail;              /* for the next one; empty while one has it */
    int requests;                     /* started and not waited for yet: the handle stays for them, */
    int freed;                        /* also when its owner has freed it */
};

static inline weft_slot *weft_slot_of(const weft_comm *c, int local) { return &c->group->slots[local]; }
static inline int weft_spans_nodes(const weft_comm *c) { return c->local != c->size; }

/* Members on one of the group's nodes. */
static inline int weft_node_size(const weft_comm *c, int node) { return c->node_first[node + 1] - c->node_first[node]; }

/* The bytes after a reference that member `local` posted. */
static inline void *weft_ref_address(const weft_world *w, weft_ref r) {
    return r.segment ? w->segments[r.segment - 1].base + r.at : (void *)(uintptr_t)r.at;
}

/* select.c: one use less of these (NULL: none), the last of which takes them with it. Under the rank's lock. */
void weft_forced_leave(const weft_world *w, weft_forced *f);

#define WEFT_LOOK_NS 50000000    /* between two looks for trouble of who waits: 50 ms */
/* who waits has looked within this time, or answered a question; also where all cores are taken */
#define WEFT_LOOKS_NS 1000000000
#define WEFT_GRACE_NS 3000000000

/* --- seats.c: also weft_world_is_inherited (stay.h) --------------------------------------------------------------- */

/* The process that a rank lives in. */
int weft_process_of(const weft_world *w, int rank);
/* Whether the process of a rank of this node has ended. */
bool weft_rank_ended(weft_world *w, int rank);

/* --- bind.c ------------------------------------------------------------------------------------------------------- */

/* Cores of the machine that this rank of this process has to itself: [*first, *first + *count). Discovers the topology
 * when it is first asked. */
weft_status weft_world_cores(weft_context *cx, weft_world *w, int rank, int *first, int *count);

/* --- clock.c ------------------------------------------------------------------------------------------------------ */

int64_t weft_now_ns(void);
static inline bool weft_timed_out(const weft_world *w, int64_t waited_ns) {
    return w->timeout_ns >= 0 && waited_ns > w->timeout_ns;
}
/* Lets others run for a moment: a pause of the core, or the core itself where ranks share it. */
void weft_wait_pause(const weft_world *w);

/* --- meet.c ------------------------------------------------------------------------------------------------------- */

/* This rank has come to its next rendezvous, whose number it returns: what it wrote before is visible to who sees that.
 */
uint64_t weft_meet_come(weft_comm *c);
/* Whether member i has come to rendezvous k. */
static inline bool weft_meet_has_come(const weft_comm *c, int i, uint64_t k) {
    /* Pairs with the seq_cst store in weft_meet_come(): what the member wrote before it came is visible. Sequentially
     * consistent so that of two members that come at once at least one sees the other, and rings. */
    return (int64_t)(atomic_load_explicit(&weft_slot_of(c, i)->flag[k & 1].phase, memory_order_seq_cst) - k) >= 0;
}
/* The first of members [from, to) of this node that has not; to: all have. */
static inline int weft_meet_behind(const weft_comm *c, int from, int to, uint64_t k) {
    while (from < to && weft_meet_has_come(c, from, k)) from++;
    return from;
}
/* The same after a nap, which ends when all have come, of who is choosy when anybody has; after 50 ms at the latest. */
int weft_meet_nap(weft_comm *c, int from, int to, uint64_t k, bool is_choosy);
/* A look for trouble by who waits for these at rendezvous k: WEFT_ERR_PEER, reported, when the world has failed, one of
 * them has ended or left, or waited_ns exceeds the timeout. *left is what the last look saw, -1 at first. */
weft_status weft_meet_look(weft_comm *c, int from, int to, uint64_t k, int64_t waited_ns, int *left);
/* Compares the notes of the last call that this rank has noted with those of members [from, to), who have come to its
 * first rendezvous, k; of a permute also whether who sends is expected. */
weft_status weft_meet_compare(weft_comm *c, int from, int to, uint64_t k);
/* Whether member `from` sends to this rank if and only if this rank expects it, if the last call that this rank has
 * noted is a permute: from its note. */
weft_status weft_permute_check(weft_comm *c, int from, const weft_call_note *theirs);
/* WEFT_ERR_PEER, reported, when the world has failed or waited_ns exceeds the timeout; late says in words whom the wait
 * is for. "": for ranks that wait themselves. They will know better who keeps everybody waiting, and are given
 * WEFT_GRACE_NS to say so. */
weft_status weft_wait_check(weft_comm *c, int64_t waited_ns, const char *late);

/* --- trouble.c ---------------------------------------------------------------------------------------------------- */

/* Ends the world with this reason and reports it, at the place of the current call. Returns WEFT_ERR_PEER. */
weft_status weft_comm_fail(weft_comm *c, const char *fmt, ...) WEFT_PRINTF(2, 3);
/* Reports that the world has failed before. Returns WEFT_ERR_PEER. */
weft_status weft_comm_failed(weft_comm *c);
/* Reports something that only this rank did wrong. */
weft_status weft_comm_report(weft_comm *c, weft_diag_class cls, const char *fmt, ...) WEFT_PRINTF(3, 4);
/* "all_reduce over "model" at gpt.mlir:41:10" of a note; site may be NULL. */
void weft_note_print(weft_buf *b, const weft_call_note *note, const weft_site_note *site);
/* Ends the world: group rank `other`, whose note and site these are, has called something else than this rank. */
weft_status weft_calls_differ(weft_comm *c, int other, const weft_call_note *theirs, const weft_site_note *their_site,
                              const weft_call_note *mine, const weft_site_note *my_site);
/* "in its call 12, all_reduce over "model" at gpt.mlir:41:10 of 4096 B" of a world rank of this node; and whether it is
 * in another group than this one. NULL: nothing is said of its group. */
void weft_last_call_print(const weft_world *w, const weft_group_note *group, int rank, weft_buf *b);
/* Ends the world: the process of this world rank, of this node, is no more. */
weft_status weft_process_ended(weft_comm *c, int rank);
static inline const weft_site_note *weft_site_at(const weft_node *n, uint64_t at) {
    return at ? weft_node_at(n, at) : NULL;
}
/* The offset of the site's note in the node's pool, kept per rank; 0 when there is none. */
uint64_t weft_site_of(weft_comm *c, const weft_call_site *site, uint64_t key);
/* A key of the site that is equal on all ranks. */
uint64_t weft_site_key_of(const weft_call_site *site);

/* --- messages.c --------------------------------------------------------------------------------------------------- */

/* Frees the memory that the communicator keeps for messages. */
void weft_mail_room_free(weft_comm *c);

/* --- comm.c ------------------------------------------------------------------------------------------------------- */

/* One of the communicator's requests has been waited for; it ends with the last one where it was freed before. Under
 * the rank's lock, which it lets go. */
void weft_comm_waited(weft_comm *c);

/* --- staging.c ---------------------------------------------------------------------------------------------------- */

/* This rank's staging area of that kind, drawn at first use: one half of it. NULL when memory is out. */
char *weft_stage_mine(weft_comm *c, int kind);
/* Member `local`'s half of the same window. */
char *weft_stage_of(const weft_comm *c, int local, int kind, uint64_t window);
size_t weft_stage_half_bytes(int kind);
/* Whether every member can read and write [p, p + bytes) in place; then its reference. */
bool weft_ref_of(const weft_comm *c, const void *p, size_t bytes, weft_ref *out);
/* Room for `bytes` of posts of the current call. NULL when memory is out. */
weft_post *weft_posts_mine(weft_comm *c, size_t bytes);
/* A member's posts of the current call: from its first rendezvous to its last, which no member passes while another may
 * read them. */
static inline const weft_post *weft_posts_of(const weft_comm *c, int local) {
    const weft_slot *s = weft_slot_of(c, local);
    return c->slot->posted ? &s->flag[c->slot->posted - 1].post : weft_ref_address(c->world, s->posts);
}

#endif
