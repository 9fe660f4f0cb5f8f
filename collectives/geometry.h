/* geometry.h: the layout of an operand's elements, in terms that all collectives share.
 *
 * An operand is made of blocks, one per rank, of `units` elements each; which elements a block has depends on the
 * collective (cost/collectives.def). Unit u of block k is element ((u / row) * blocks + k) * row + u % row: rows of the
 * blocks alternate. A buffer without blocks is one block with row = units. Strided gathers and scatters, staging areas
 * and messages all have this form, so one copy function and one way to divide an operand into windows serve all. Uneven
 * forms have blocks of different sizes anywhere in the buffer (weft_parts); a view of a block hides the difference.
 */
#ifndef WEFT_COLLECTIVES_GEOMETRY_H
#define WEFT_COLLECTIVES_GEOMETRY_H

#include <weft/coll.h>
#include "base/dtype.h"
#include "collectives/stream.h"
#include "cost/link.h"

typedef struct weft_layout {
    int64_t row;       /* >= 1 */
    int64_t blocks;
} weft_layout;

/* The blocks of one operand of an uneven form, in elements: [ranks] on the side that has each rank's block, [1] on the
 * other side. */
typedef struct weft_parts {
    const int64_t *in_count, *in_at, *out_count, *out_at;
} weft_parts;

typedef struct weft_geom {
    int64_t units;     /* elements of one block; uneven: of the longest one that windows must hold */
    weft_layout in, out;
    size_t elem_bytes;
    const weft_parts *parts; /* NULL: all blocks have one size */
} weft_geom;

/* One call: the input of all algorithms. */
struct weft_job {
    weft_coll_kind kind;
    weft_op_reduce reduce;
    const weft_coll_buf *bufs;
    const weft_parts *parts;    /* [n] of an uneven form, else NULL */
    int n;                      /* operands */
    int ranks, rank;            /* of the group; this one's number */
    int split_first;            /* all_to_all */
    int source, target;         /* permute: the partners; else the root, as source or as target */
    const weft_call_site *site;
    size_t stage_bytes;         /* all inputs, each rounded up to WEFT_STAGE_ALIGN */
    int64_t full_bytes, wire_bytes; /* cost/link.h */
    /* size by which an algorithm is chosen: full_bytes, but for an uneven all_to_all a size that all ranks know */
    int64_t choice_bytes;
    int64_t longest;            /* uneven: bytes of the longest block of all operands */
    uint64_t sig;
    /* of a block, if the one operand's blocks lie one after another on both sides, as in a staging area; else
     * 0 */
    size_t plain_bytes;
    /* of the first operand, which small calls use again and again; elem_bytes 0: not computed yet */
    weft_geom first;
};
typedef struct weft_job weft_job;

#define WEFT_STAGE_ALIGN 64

weft_geom weft_geom_make(const weft_job *job, const weft_coll_buf *b);
static inline weft_geom weft_geom_of(const weft_job *job, const weft_coll_buf *b) {
    return b == job->bufs && job->first.elem_bytes ? job->first : weft_geom_make(job, b);
}

/* Fills stage_bytes, full_bytes, choice_bytes, wire_bytes, longest, plain_bytes and sig. false: a count is negative, a
 * size overflows or the dtype is none; *bad is then the operand. */
bool weft_job_measure(weft_job *job, int *bad);
/* Bytes of this rank's outputs that it may write. */
size_t weft_job_out_bytes(const weft_job *job);
/* Sets the bytes of the longest block, and choice_bytes, to the values that all ranks have agreed on. For an uneven
 * all_to_all, whose ranks know only their own counts. */
void weft_job_agree(weft_job *job, int64_t longest);

/* One block of a buffer. */
typedef struct weft_view {
    char *base;
    weft_layout layout;
    int64_t block, units;
} weft_view;

weft_view weft_view_in(const weft_geom *g, const void *in, int block);
weft_view weft_view_out(const weft_geom *g, void *out, int block);
/* Dense memory of count elements. */
static inline weft_view weft_view_dense(const void *p, int64_t count) {
    return (weft_view){ (char *)(uintptr_t)p, { count > 0 ? count : 1, 1 }, 0, count };
}
/* The address of a view's first element, and how many elements of [from, from + count) it has. */
static inline char *weft_view_at(const weft_view *v, size_t elem_bytes) {
    return v->base + (size_t)(v->block * v->layout.row) * elem_bytes;
}
static inline bool weft_view_is_dense(const weft_view *v) { return v->layout.blocks == 1 || v->units <= v->layout.row; }
static inline int64_t weft_view_span(const weft_view *v, int64_t from, int64_t count) {
    return from >= v->units ? 0 : count < v->units - from ? count : v->units - from;
}
/* Copies count elements, or as many as both have: from element s of src to element d of dst. Nothing if they are the
 * same memory. */
void weft_view_copy(const weft_view *dst, int64_t d, const weft_view *src, int64_t s, int64_t count, size_t elem_bytes);
/* The same, possibly bypassing the caches: visible to others after weft_copy_end. */
void weft_view_copy_way(const weft_view *dst, int64_t d, const weft_view *src, int64_t s, int64_t count,
                        size_t elem_bytes, weft_copy_way way);
void weft_view_zero(const weft_view *dst, int64_t d, int64_t count, size_t elem_bytes);

/* Windows: a job is divided into pieces that fill a staging area, alike on all ranks. A block shorter than the longest
 * leaves the rest of its place unused. Start with {0}; weft_window_next gives the pieces of one window, then false; set
 * filled to 0 to go on with the next window. The end is operand == job->n. */
typedef struct weft_cursor {
    int operand;
    int64_t unit;
    size_t filled;
} weft_cursor;

typedef struct weft_piece {
    const weft_coll_buf *buf;
    weft_geom geom;
    int64_t unit, count;
    size_t at;             /* in the staging area: input blocks of count units one after the other */
} weft_piece;

bool weft_window_next(const weft_job *job, weft_cursor *at, size_t capacity, weft_piece *piece);
/* The offset of an input block in a staging area. */
weft_view weft_piece_block(const weft_piece *p, const char *stage, int block);

/* Moves `at` to the start of the next window and returns how many bytes of the area this one fills. */
size_t weft_window_skip(const weft_job *job, weft_cursor *at, size_t capacity);

/* The bytes [*from, *to) of a window of `filled` bytes that rank r owns: whole lines of WEFT_STAGE_ALIGN. */
void weft_window_slice(size_t filled, int ranks, int r, size_t *from, size_t *to);

/* Copies the inputs of the window that starts at `at` into the staging area. */
void weft_window_stage(const weft_job *job, weft_cursor at, size_t capacity, char *stage);

/* For operands of one block: copies bytes [from, to) of the window, at stage + from, to the outputs. */
void weft_window_unstage(const weft_job *job, weft_cursor at, size_t capacity, size_t from, size_t to,
                         const char *stage);

/* --- senders and receivers: from the table --- */

static inline int weft_job_adds(const weft_job *job) { return weft_coll_table[job->kind].adding == WEFT_COLL_ADDS; }

/* Whether this rank takes a block of rank `from`; whether rank `to` takes one of this rank's blocks. */
static inline int weft_job_from(const weft_job *job, int from) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    if (k->takers == WEFT_ENDS_ROOT && job->rank != job->target) return 0;
    return k->givers == WEFT_ENDS_ALL || job->source == from;
}
static inline int weft_job_to(const weft_job *job, int to) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    if (k->givers == WEFT_ENDS_ROOT && job->rank != job->source) return 0;
    return k->takers == WEFT_ENDS_ALL || job->target == to;
}
/* Whether this rank's input is read, and whether its output is written. */
static inline int weft_job_gives(const weft_job *job) {
    weft_ends ends = weft_coll_table[job->kind].givers;
    return ends == WEFT_ENDS_ALL || (ends == WEFT_ENDS_ROOT ? job->rank == job->source : job->target >= 0);
}
static inline int weft_job_takes(const weft_job *job) {
    return weft_coll_table[job->kind].takers != WEFT_ENDS_ROOT || job->rank == job->target;
}
/* A permute's rank that receives nothing: its output becomes zeros. */
static inline int weft_job_zeroes(const weft_job *job) {
    return weft_coll_table[job->kind].takers == WEFT_ENDS_PAIR && job->source < 0;
}
void weft_job_zero(const weft_job *job);

/* The block of a sender's input for rank `to`, and the block of the output that takes it. */
static inline int weft_job_in_block(const weft_job *job, int to) {
    return weft_coll_table[job->kind].in == WEFT_BLOCKS_EACH ? to : 0;
}
static inline int weft_job_out_block(const weft_job *job, int from) {
    return weft_coll_table[job->kind].out == WEFT_BLOCKS_EACH ? from : 0;
}

#endif
