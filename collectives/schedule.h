/* schedule.h: algorithms as schedules: which rank sends which blocks to which rank, round by round.
 *
 * Each rank keeps a store of numbered blocks. A schedule is a function without state: from the number of ranks, this
 * rank, the root and the round it lists the round's transfers. Every send has its receive in the same round of the
 * other rank, listed in the same order if two ranks have several. So a schedule can be checked without a transport, for
 * any number of ranks (tests/collectives/test_schedule.c). store.c defines the blocks, schedule_run.c moves their
 * bytes.
 *
 * A block is in one of two states: a partial sum, at first of this rank's operand (reduce.h), or finished. Sums are
 * passed on and added up as partial sums, finished once, and then passed on as elements. Collectives that only move
 * data have finished blocks only.
 */
#ifndef WEFT_COLLECTIVES_SCHEDULE_H
#define WEFT_COLLECTIVES_SCHEDULE_H

#include "base/status.h"
#include "collectives/levels.h"
#include "cost/link.h"

/* A set of blocks: count from `first` on, continuing at block 0 after the last one. With every > 0: count from `first`
 * on, count from first + every on, and so on; `runs` such runs, or with runs = 0 as many as there are blocks. */
typedef struct weft_blockset {
    int first, count, every, runs;
} weft_blockset;

typedef enum weft_act {
    /* partial sums become finished; no other rank takes part, and it comes before the round's messages */
    WEFT_ACT_FINISH,
    WEFT_ACT_SEND,         /* finished blocks */
    WEFT_ACT_TAKE,         /* the peer's receive */
    WEFT_ACT_SEND_SUM,     /* partial sums */
    WEFT_ACT_TAKE_SUM,     /* receives partial sums: theirs replace mine, */
    WEFT_ACT_ADD_BEFORE,   /* theirs + mine, */
    WEFT_ACT_ADD_AFTER     /* or mine + theirs */
} weft_act;

typedef struct weft_transfer {
    weft_act act;
    int peer;
    weft_blockset set;
} weft_transfer;

#define WEFT_TRANSFERS 16 /* of one rank in one round, at most */

/* The rank for which a schedule is listed. levels belong to the caller; NULL for schedules that do not use levels. */
typedef struct weft_seat {
    int ranks, rank, root;
    const weft_levels *levels;
} weft_seat;

/* Lists the transfers of a round and returns their number; -1 after the last round. All ranks have the same number of
 * rounds. */
typedef int (*weft_transfers_fn)(const weft_seat *s, int round, weft_transfer t[WEFT_TRANSFERS]);

/* The blocks of a rank's store, for p ranks. */
typedef enum weft_store_kind {
    WEFT_STORE_WHOLE,  /* one block: the operand */
    WEFT_STORE_EACH,   /* p blocks: block k is rank k's input (gathers) or output (scatters) */
    WEFT_STORE_PAIRS,  /* 2p blocks: block k goes to rank k; block p + k came from rank k */
    /* p blocks: block k goes to the rank k above; at the end it holds what came from the rank k below */
    WEFT_STORE_TURNED,
    WEFT_STORE_PASSED /* p blocks, block k for rank k; then as many as the schedule needs for blocks that pass through
                         the rank (level_exchange.c) */
} weft_store_kind;

/* The number of each rank's block in a store of EACH or PASSED. */
typedef enum weft_places {
    WEFT_PLACES_OWN,       /* the rank's number */
    WEFT_PLACES_BY_RAIL,   /* the blocks of one rail are neighbours: split_rail.c */
    WEFT_PLACES_FROM_ROOT, /* the blocks of each tree are neighbours: level_tree.c */
    /* the blocks for one node, or one package, are neighbours; a second list says where each rank's block ends:
     * level_exchange.c */
    WEFT_PLACES_BY_NODE
} weft_places;

typedef struct weft_schedule {
    weft_transfers_fn transfers;
    weft_store_kind store;
    weft_places places;
    int cuts, lag;     /* schedules.def */
    int blocks;        /* of the store, cut */
} weft_schedule;

/* false: the algorithm is not a schedule. */
bool weft_schedule_find(weft_alg_id alg, const weft_levels *levels, weft_schedule *out);
/* place: [2 * ranks], filled in if the schedule's places are not the ranks' own: the place of each rank's block, and
 * for a store of PASSED the final place of the block from each rank. */
void weft_schedule_places(const weft_schedule *plan, const weft_seat *s, int *place);

/* Iterates over a set's runs of neighbouring blocks. Start with i = 0; false after the last run. */
bool weft_blockset_run(const weft_blockset *set, int blocks, int *i, int *first, int *count);
/* Whether it is one run. */
bool weft_blockset_is_run(const weft_blockset *set, int blocks);

/* --- shared by several schedules --- */

/* The exponent of the largest power of two that is not above n; n >= 1. */
static inline int weft_log2_floor(int n) {
    int k = 0;
    while (n >> (k + 1)) k++;
    return k;
}
static inline int weft_log2_ceil(int n) { return n > 1 ? weft_log2_floor(n - 1) + 1 : 0; }

/* Reduces any number of ranks to a power of two: of the first 2 * extra ranks, each odd one is represented by the even
 * one before it and shares its number. So ranks of neighbouring numbers are neighbours. Thakur et al., IJHPCA 2005. */
typedef struct weft_fold {
    int power, extra;
    int v;             /* this rank's number */
    int behind;        /* 1: its partner represents it; -1: it represents its partner; 0: no partner */
    int partner;       /* -1: none */
} weft_fold;

weft_fold weft_fold_of(const weft_seat *s);
/* The first rank that has number v or a higher one; of v = power: the number of ranks. */
static inline int weft_fold_first(const weft_fold *f, int v) { return v < f->extra ? 2 * v : v + f->extra; }

/* split_rail.c: a cell is the data that one rank, its carrier, brings to the ring of nodes: pieces of the call, one for
 * each node in a cell; or the blocks of the ranks. */
typedef enum weft_rail_content { WEFT_RAIL_CUTS, WEFT_RAIL_RANKS } weft_rail_content;
int weft_rail_cells(const weft_levels *l); /* the number of pieces, with CUTS: cells times nodes */
int weft_rail_blocks(const weft_levels *l, weft_rail_content c);
bool weft_rail_carries(const weft_levels *l, weft_spot s);
/* The rank of a node that carries a block; a carrier's blocks that are node k's. */
int weft_rail_carrier(const weft_levels *l, weft_rail_content c, int node, int block);
weft_blockset weft_rail_part(const weft_levels *l, weft_rail_content c, weft_spot carrier, int k);
void weft_places_by_rail(const weft_seat *s, int *place);
/* The transfers back to all ranks of a node: from round `round` on, a rail's blocks between its packages, then within
 * them; -1 after the last round. */
int weft_rail_hand_out(const weft_seat *s, int round, weft_transfer *t);
/* The blocks of ranks that are not their own carriers go to the ranks; -1 after the last round. */
int weft_rail_deliver(const weft_seat *s, int round, weft_transfer *t);
/* level_tree.c */
void weft_places_from_root(const weft_seat *s, int *place);
/* level_exchange.c: the places, and how many blocks a rank has in progress at most. */
void weft_places_by_node(const weft_seat *s, int *place);
int weft_exchange_blocks(const weft_levels *l);

#define NAME(transfers) int weft_transfers_##transfers(const weft_seat *s, int round, weft_transfer *t);
#include "collectives/schedules-run.def"

#endif
