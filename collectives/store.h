/* store.h: the blocks of a call that a schedule (schedule.h) carries out, window by window, as bytes.
 *
 * A store has the blocks of one or several owners, one after another. Each block has room for its elements in every
 * operand of the window, each operand's part rounded up to WEFT_STAGE_ALIGN. It is split into `cuts` pieces of whole
 * lines; these are the blocks of the schedule. Partial sums are in a second memory of the same order but wider
 * elements, or, if no partial sum is wider than its element, in the same one.
 */
#ifndef WEFT_COLLECTIVES_STORE_H
#define WEFT_COLLECTIVES_STORE_H

#include "collectives/geometry.h"
#include "collectives/reduce.h"
#include "collectives/schedule.h"

typedef struct weft_store {
    weft_store_kind kind;
    int owners, cuts;
    /* weft_schedule_places: the owner of each rank; NULL: the one of its number. Lent */
    const int *place;
    int widens;                    /* size of partial sums, in elements; 1: they are in `done` */
    size_t capacity;               /* of a window: weft_window_next */
    size_t most;                   /* largest size of an owner's block, as elements */
    size_t done_room, sums_room;   /* of an owner's block of this window */
    weft_cursor at;                /* the start of the window */
    char *done, *sums;             /* lent by the mail: owners * most bytes, and widens times that if apart */
} weft_store;

/* The size of a call's widest partial sum, in elements, at most (sum_members.c). */
size_t weft_sum_widens(const weft_job *job);

/* The bytes that both would need: `done` and `sums` are to be set to memory of these sizes. */
void weft_store_plan(const weft_job *job, const weft_schedule *plan, const int *place, weft_store *out);
size_t weft_store_done_bytes(const weft_store *s);
size_t weft_store_sums_bytes(const weft_store *s); /* 0: not apart */
/* The largest size of one block, in either form. */
size_t weft_store_block_most(const weft_store *s);

/* Moves on to the window that begins at `at`, and fills in this rank's operands; the kind determines in which
 * blocks. */
void weft_store_load(weft_store *s, const weft_job *job, weft_cursor at);
/* Copies the finished blocks to the outputs; an all_reduce that has gathered the operands adds them up with `add`. */
typedef void (*weft_store_add)(void *user, const weft_adder *a, void *dst, size_t elem_bytes, int64_t count);
void weft_store_unload(const weft_store *s, const weft_job *job, const void **src, weft_store_add add, void *user);

typedef enum weft_store_form { WEFT_STORE_DONE, WEFT_STORE_SUMS } weft_store_form;

/* The address of blocks first .. first + count - 1, and their bytes. */
char *weft_store_range(const weft_store *s, const weft_job *job, weft_store_form form, int first, int count,
                       size_t *bytes);
/* Adds received partial sums to this block: mine + theirs, or theirs + mine. Returns the address after theirs. */
const char *weft_store_merge(weft_store *s, const weft_job *job, int block, weft_act act, const char *theirs);
/* Finishes a block, the sum of all ranks' operands. */
void weft_store_finish(weft_store *s, const weft_job *job, int block);

#endif
