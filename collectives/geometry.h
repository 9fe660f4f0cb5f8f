/* geometry.h: where the elements of an operand lie, in terms that all collectives share.
 *
 * An operand is made of blocks, one per rank, of `units` elements each; which elements a block has depends on the
 * collective. Unit u of block k lies at element ((u / row) * blocks + k) * row + u % row: rows of the blocks take turns.
 * A buffer without blocks is one block with row = units. Strided gathers and scatters, staging areas and messages are
 * all of this form, so that one copy function and one way to cut windows do for all of them.
 */
#ifndef WEFT_COLLECTIVES_GEOMETRY_H
#define WEFT_COLLECTIVES_GEOMETRY_H

#include <weft/coll.h>
#include "base/dtype.h"
#include "cost/link.h"

typedef struct weft_layout {
    int64_t row;       /* >= 1 */
    int64_t blocks;
} weft_layout;

typedef struct weft_geom {
    int64_t units;     /* elements of one block */
    weft_layout in, out;
    size_t elem_bytes;
} weft_geom;

/* One call: what all algorithms work from. */
struct weft_job {
    weft_coll_kind kind;
    weft_op_reduce reduce;
    const weft_coll_buf *bufs;
    int n;                      /* operands */
    int ranks;                  /* of the group */
    int split_first;            /* all_to_all */
    int source, target;         /* permute; broadcast: source is the root */
    const weft_call_site *site;
    size_t stage_bytes;         /* all inputs, each rounded up to WEFT_STAGE_ALIGN */
    int64_t full_bytes;         /* cost/link.h */
    uint64_t sig;
};
typedef struct weft_job weft_job;

#define WEFT_STAGE_ALIGN 64

weft_geom weft_geom_of(const weft_job *job, const weft_coll_buf *b);

/* Fills stage_bytes, full_bytes and sig. false: a count is negative, a size overflows or the dtype is none; *bad is then
 * the operand. */
bool weft_job_measure(weft_job *job, int *bad);

static inline int64_t weft_layout_at(weft_layout l, int64_t block, int64_t u) {
    return ((u / l.row) * l.blocks + block) * l.row + u % l.row;
}
static inline weft_layout weft_layout_dense(int64_t count, int64_t blocks) {
    return (weft_layout){ count > 0 ? count : 1, blocks };
}

/* Copies count units: from unit su of block sb of src to unit du of block db of dst. */
void weft_units_copy(void *dst, weft_layout dl, int64_t db, int64_t du, const void *src, weft_layout sl, int64_t sb, int64_t su,
                     int64_t count, size_t elem_bytes);
void weft_units_zero(void *dst, weft_layout dl, int64_t db, int64_t du, int64_t count, size_t elem_bytes);

/* Windows: a job cut into pieces that fill a staging area. All ranks cut alike. Start with {0}; weft_window_next gives the
 * pieces of one window, then false; set filled to 0 to go on with the next window. The end is when operand == job->n. */
typedef struct weft_cursor {
    int operand;
    int64_t unit;
    size_t filled;
} weft_cursor;

typedef struct weft_piece {
    const weft_coll_buf *buf;
    weft_geom geom;
    int64_t unit, count;
    size_t at;             /* in the staging area: input blocks of count units one behind the other */
} weft_piece;

bool weft_window_next(const weft_job *job, weft_cursor *at, size_t capacity, weft_piece *piece);

/* Moves `at` to the start of the next window and returns how many bytes of the area this one fills. */
size_t weft_window_skip(const weft_job *job, weft_cursor *at, size_t capacity);

/* The bytes [*from, *to) of a window of `filled` bytes that rank r owns: whole lines of WEFT_STAGE_ALIGN. */
void weft_window_slice(size_t filled, int ranks, int r, size_t *from, size_t *to);

/* Copies the inputs of the window that starts at `at` into the staging area. */
void weft_window_stage(const weft_job *job, weft_cursor at, size_t capacity, char *stage);

/* For operands of one block: copies bytes [from, to) of the window, which lie at stage + from, to the outputs. */
void weft_window_unstage(const weft_job *job, weft_cursor at, size_t capacity, size_t from, size_t to, const char *stage);

/* The sources that a rank reads in a job without sums are all blocks; or one: permute, broadcast. */
static inline int weft_job_takes_all(const weft_job *job) {
    return job->kind == WEFT_PLAN_ALL_GATHER || job->kind == WEFT_PLAN_ALL_TO_ALL;
}
/* The block of a source's input that goes to rank `to`, and the block of the output that takes it. */
static inline int weft_job_in_block(const weft_job *job, int to) {
    return job->kind == WEFT_PLAN_ALL_TO_ALL || job->kind == WEFT_PLAN_REDUCE_SCATTER ? to : 0;
}
static inline int weft_job_out_block(const weft_job *job, int from) { return weft_job_takes_all(job) ? from : 0; }

#endif
