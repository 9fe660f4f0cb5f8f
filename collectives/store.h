/* store.h: the blocks of a call that a schedule tells (schedule.h), window by window, as bytes.
 *
 * A store has one or several owners' blocks one after the other, each with room for its elements in every operand of
 * the window, each operand's part rounded up to WEFT_STAGE_ALIGN; a block is then cut into `cuts` pieces of whole
 * lines, and these are what the schedule calls blocks. Partial sums lie in a second memory of the same order but wider
 * elements, or, where no partial sum is wider than its element, in the same one.
 */
#ifndef WEFT_COLLECTIVES_STORE_H
#define WEFT_COLLECTIVES_STORE_H

#include "collectives/geometry.h"
#include "collectives/reduce.h"
#include "collectives/schedule.h"

typedef struct weft_store {
    weft_store_kind kind;
    int owners, cuts;
    /* weft_schedule_places: which owner each rank is; NULL: the one of its number. Lent */
    const int *place;
    int widens;                    /* partial sums: times the elements' bytes; 1: they are in `done` */
    size_t capacity;               /* of a window: weft_window_next */
    size_t most;                   /* bytes that an owner's block has at most, as elements */
    size_t done_room, sums_room;   /* of an owner's block of this window */
    weft_cursor at;                /* where the window begins */
    char *done, *sums;             /* lent by the mail: owners * most, and times widens where they are apart */
} weft_store;

/* How many times as wide as its element the widest partial sum of a call is, at most (sum_members.c). */
size_t weft_sum_widens(const weft_job *job);

/* What both of these would need: `done` and `sums` are to be set, to room for these bytes. */
void weft_store_plan(const weft_job *job, const weft_schedule *plan, const int *place, weft_store *out);
size_t weft_store_done_bytes(const weft_store *s);
size_t weft_store_sums_bytes(const weft_store *s); /* 0: not apart */
/* Bytes that one block has at most, in either form. */
size_t weft_store_block_most(const weft_store *s);

/* Moves on to the window that begins at `at`, and fills in this rank's operands; in which blocks, the kind says. */
void weft_store_load(weft_store *s, const weft_job *job, weft_cursor at);
/* The finished blocks to the outputs; an all_reduce that has gathered the operands adds them up, as `add` does. */
typedef void (*weft_store_add)(void *user, const weft_adder *a, void *dst, size_t elem_bytes, int64_t count);
void weft_store_unload(const weft_store *s, const weft_job *job, const void **src, weft_store_add add, void *user);

typedef enum weft_store_form { WEFT_STORE_DONE, WEFT_STORE_SUMS } weft_store_form;

/* Where blocks first .. first + count - 1 lie, and how many bytes they have. */
char *weft_store_range(const weft_store *s, const weft_job *job, weft_store_form form, int first, int count,
                       size_t *bytes);
/* Adds partial sums that came for this block: mine + theirs, or theirs + mine. Returns what follows theirs. */
const char *weft_store_merge(weft_store *s, const weft_job *job, int block, weft_act act, const char *theirs);
/* Finishes a block, the sum of all ranks' operands. */
void weft_store_finish(weft_store *s, const weft_job *job, int block);

#endif
