/* node.h: the common data of the ranks of one node: its members, whether the world has failed, the groups, the sites.
 *
 * All of it is in one segment that each process of the node maps at an address of its own, so links are offsets from
 * the segment's start; 0 is none. The pool only grows: groups and sites are kept until the world ends, and the same
 * members find the same group again. Each field names its writer, or the lock that guards it.
 */
#ifndef WEFT_COLLECTIVES_NODE_H
#define WEFT_COLLECTIVES_NODE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include "collectives/segment.h"
#include "cost/link.h"

#define WEFT_LINE 128 /* bytes that one writer should not share: two cache lines, fetched as a pair */
#define WEFT_REASON_BYTES 768

/* A reference to memory that every process of the node can resolve. */
typedef struct weft_ref {
    /* offset in the segment of the node's process segment - 1; segment 0: an address of the poster's process */
    uint64_t at;
    uint64_t segment;
} weft_ref;

/* A call in words, to report how it differs from the call of another rank. */
typedef struct weft_call_note {
    uint64_t site;      /* offset of a weft_site_note; 0: not known */
    int64_t elems;      /* of the first operand */
    int64_t longest;    /* uneven forms: bytes of the longest block; else 0 */
    int32_t source, target; /* permute: the partners; else the root, as source or as target */
    int32_t operands;
    uint16_t kind, reduce, dtype;
} weft_call_note;

typedef struct weft_site_note {
    char op[32], axes[64], place[160]; /* truncated if longer */
} weft_site_note;

/* Calls that a member remembers: of a program's few hundred different ones hardly five fall into one set. */
#define WEFT_AGREED_SETS 64
#define WEFT_AGREED_WAYS 4

#define WEFT_SEEN_PLACE 1u   /* in place, and may be written: all members map them */
#define WEFT_SEEN_REACH 2u   /* in the memory of their process (reach.h) */
/* in place, and of calls where all take the same, or one takes all: a sender can write into the outputs */
#define WEFT_SEEN_PUSH 4u

/* The location of one operand of a member. */
typedef struct weft_post {
    weft_ref in, out;
} weft_post;

/* The fields that change in every call and that every member reads, in one cache line. There are two, for rendezvous of
 * even and of odd number: the owner gets one back before it needs it again, while no rank reads it. */
typedef struct weft_flag {
    alignas(WEFT_LINE) _Atomic uint64_t phase; /* the last of these rendezvous that the owner has reached; see meet.c */
    /* of everything that all members must agree on; the fields below too are of the call that this rendezvous began */
    uint64_t sig;
    int32_t source, target;  /* as in the note: pairs must agree on them */
    uint32_t visible;        /* how the call's buffers can be accessed while it runs: WEFT_SEEN_... */
    weft_post post;          /* the operand's location, for a call of one operand; see weft_slot.posts */
} weft_flag;
_Static_assert(offsetof(weft_flag, post) + sizeof(weft_post) <= 64, "a flag is read as one cache line");

/* One member of a group on this node. The owner writes; the others read the fields that phase publishes. */
typedef struct weft_slot {
    weft_flag flag[2];
    /* Seldom read. */
    /* of call number c at [c & 1]: kept while a slow peer may still compare it */
    alignas(WEFT_LINE) weft_call_note note[2];
    /* Seldom written. */
    /* weft_post[] of the current call, if it has several operands, or spans; see comm.h */
    alignas(WEFT_LINE) weft_ref posts;
    weft_ref staging[2];     /* WEFT_STAGE_SMALL, WEFT_STAGE_LARGE: two halves each */
    /* Used by the owner only; here because all its handles on this group share them. */
    alignas(WEFT_LINE) uint64_t come; /* the last rendezvous at which it has arrived */
    uint64_t calls, windows;
    /* 1 while the owner may be in other members' memory; read by a rank that failed, before it frees its own */
    _Atomic uint32_t copying;
    uint64_t posts_bytes;
    uint64_t posted;         /* location of all members' posts of the current call: 1 + the flag, or 0: posts */
    /* the rendezvous of the last call, at which the owner has not waited for all members; 0: it has. See meet.c */
    uint64_t owed;
    uint64_t agreed[WEFT_AGREED_SETS]
                   [WEFT_AGREED_WAYS]; /* signatures of calls that all members have made together, of a set's the latest
                                        * first; alike in every member's slot, since all make the same calls */
} weft_slot;

/* Whether the members have made a call of this signature together; they have made one, which is now the latest. */
bool weft_slot_knows(const weft_slot *s, uint64_t sig);
void weft_slot_learn(weft_slot *s, uint64_t sig);

/* The flag of the owner's next rendezvous. */
static inline weft_flag *weft_flag_next(weft_slot *s) { return &s->flag[(s->come + 1) & 1]; }

typedef struct weft_group_note {
    uint64_t next;           /* of the node's list; written once, under the lock */
    uint64_t hash;
    uint32_t key;            /* tells groups of the same members apart */
    int32_t size, local;     /* members in all, and on this node */
    uint64_t members;        /* offset of int32_t[size], world ranks in group order */
    alignas(WEFT_LINE) _Atomic uint32_t bell;  /* futex: rung when the last member has arrived */
    _Atomic uint32_t sleepers, choosy;         /* ranks that sleep; those of them that do not wait for all */
    weft_slot slots[];       /* of the members on this node, in group order */
} weft_group_note;

typedef enum weft_rank_state {
    WEFT_RANK_NOT_YET,       /* it has had no handle */
    WEFT_RANK_HERE,
    WEFT_RANK_AWAY,          /* it has freed its handles, and may open another */
    WEFT_RANK_LEFT           /* its process frees the world */
} weft_rank_state;

typedef struct weft_rank_note {           /* written by the rank's thread, read by ranks that wait for it too long */
    alignas(WEFT_LINE) _Atomic uint32_t state;
    _Atomic uint32_t kind;                /* weft_coll_kind_plan of the last call */
    _Atomic uint64_t calls;               /* calls begun */
    _Atomic uint64_t ended;               /* calls ended */
    _Atomic uint64_t site;
    /* when it last checked for failures while waiting; in CLOCK_MONOTONIC, which a node's processes share */
    _Atomic int64_t looked_ns;
    uint64_t flight;                      /* offset of its ring (flight.h); written once, when the node is made */
} weft_rank_note;

#define WEFT_FLIGHT_CALLS 64              /* kept per rank */
#define WEFT_FLIGHT_WORDS 8               /* of 64 bits, one call */

typedef struct weft_node_note {           /* at offset 0 */
    _Atomic uint32_t failed;              /* weft_failure; set by compare and swap, once */
    char reason[WEFT_REASON_BYTES];       /* written by the rank that set FAILURE_WRITING */
    pthread_mutex_t lock;                 /* robust; guards the pool and the list of groups */
    uint64_t used, committed;
    uint64_t groups;
    int32_t processes, ranks;
    uint64_t pids;                        /* offset of int64_t[processes] */
    uint64_t rank_notes;                  /* offset of weft_rank_note[ranks] */
} weft_node_note;

typedef enum weft_failure { WEFT_FAILURE_NONE, WEFT_FAILURE_WRITING, WEFT_FAILURE_STANDS } weft_failure;

typedef struct weft_node {                /* this process's view */
    weft_segment segment;                 /* owned */
    weft_node_note *note;
} weft_node;

#define WEFT_NODE_BYTES ((size_t)1 << 30) /* of addresses; memory is committed as groups are made */

/* Makes the segment and its contents; called by one process of the node. WEFT_ERR_IO and errno. */
weft_status weft_node_create(weft_node *n, weft_segment_kind kind, int processes, int ranks);
/* To be called after the segment was mapped. */
void weft_node_attach(weft_node *n);
void weft_node_close(weft_node *n);

static inline void *weft_node_at(const weft_node *n, uint64_t offset) { return n->segment.base + offset; }
static inline int64_t *weft_node_pids(const weft_node *n) { return weft_node_at(n, n->note->pids); }
static inline weft_rank_note *weft_node_rank(const weft_node *n, int i) {
    return (weft_rank_note *)weft_node_at(n, n->note->rank_notes) + i;
}

/* Zeroed memory in the pool; 0 when it is full. Takes the lock. */
uint64_t weft_node_alloc(weft_node *n, size_t bytes);

/* The group of these world ranks in this order with this key, `local` of them on this node: an existing one, else a new
 * one. 0 when memory is out. */
uint64_t weft_node_group(weft_node *n, const int *members, int size, int local, uint32_t key);

/* Calls fn for each group, under the lock; members are world ranks. */
void weft_node_each_group(weft_node *n, void (*fn)(void *user, const weft_group_note *g, const int32_t *members),
                          void *user);

/* Marks the world as failed; the first reason is kept. */
void weft_node_fail(weft_node *n, const char *reason);
static inline bool weft_node_failed(const weft_node *n) {
    /* Pairs with the release in weft_node_fail: a thread that sees STANDS may read the reason. */
    return atomic_load_explicit(&n->note->failed, memory_order_acquire) != WEFT_FAILURE_NONE;
}
/* A copy of the reason. Waits while it is being written, up to two seconds. Its writer may have died in the middle; out
 * then says that no reason was recorded. */
void weft_node_reason(const weft_node *n, char out[WEFT_REASON_BYTES]);

#endif
