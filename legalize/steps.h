/* steps.h: what a counted loop reads step by step, as one array over all steps (inside legalize/ only).
 *
 * A loop of n iterations, n known, has a *row* in each iteration: a value of its body that follows from one element,
 * along one dimension, of an array that stands before the loop, and that is the next element, or the one before, in the
 * next iteration. All rows together are an array [n, shape of the row], made before the loop or after it by the ops
 * that make the row, applied to all of them: element j is the row of the iteration that reads element low + j. No
 * element is read twice.
 *
 * A value of the body is *fixed* if it is the same in all iterations: it stands before the loop, is carried unchanged,
 * or is computed of such values alone.
 */
#ifndef WEFT_LEGALIZE_STEPS_H
#define WEFT_LEGALIZE_STEPS_H

#include "cost/environment.h"
#include "ir/rewrite.h"
#include "ir/trips.h"

typedef enum lg_direction { LG_FORWARD, LG_BACK } lg_direction;

typedef struct lg_row {
    const weft_op *slice;    /* a dynamic_slice; NULL: no row */
    uint32_t dim;            /* along which it takes one element */
    int64_t low;             /* the first element that is read, in whichever iteration */
    lg_direction direction;  /* the first iteration reads element low, or the last one does */
} lg_row;

/* Facts about the bodies of counted loops. Arrays by id are of the whole module. */
typedef struct lg_steps {
    const weft_machine *machine;
    lg_row *rows;            /* by op id: its result is a row */
    bool *fixed;             /* by op id: its results are fixed */
    weft_uses uses;          /* of every value */
    uint32_t *held;          /* by value id: scratch */
    bool *gone;              /* by op id: what the pass replaces; lg_steps_spare adds what nothing else reads */
    bool *needed;            /* by value id: is read by what the pass makes in a body */
    bool *mark;              /* by op id: scratch; all false between calls */
} lg_steps;

typedef struct lg_count { const weft_op *loop; weft_counter counter; int64_t n; } lg_count;

/* Memory is from arena. */
weft_status lg_steps_open(const weft_module *m, const weft_machine *machine, weft_arena *arena, lg_steps *out);

/* Whether op is a loop whose counter takes n values, 2 or more, one after the other, up or down; fills in its rows and
 * what is fixed. */
bool lg_steps_of(lg_steps *s, const weft_op *op, lg_count *out);

/* A tensor of known sizes, not quantised. */
bool lg_is_plain(const weft_type *t);
bool lg_is_fixed(const lg_steps *s, const lg_count *c, const weft_value *v);
/* v's row; NULL: it is none. */
const lg_row *lg_row_of(const lg_steps *s, const lg_count *c, const weft_value *v);

/* Bytes that all rows of what the loop makes may take (cost `hold-growth`): so much is held while it runs. */
double lg_loop_room(lg_steps *s, const lg_count *c);
/* Bytes of all rows of a row where they are not the array itself. */
double lg_rows_bytes(const lg_steps *s, const lg_count *c, const weft_value *v);
/* Seconds of code that does so many flops and moves so many bytes. */
static inline double lg_seconds(const weft_machine *m, double flops, double bytes) {
    return weft_machine_kernel_time_s(m, flops, bytes < 9e18 ? (int64_t)bytes : INT64_MAX);
}
static inline double lg_bytes(const weft_value *v) { return (double)weft_type_bytes(v->type); }

/* Marks what of c's body only ops that are gone read. */
void lg_steps_spare(lg_steps *s, const lg_count *c);

/* At b, outside of the loop: a copy of a fixed value, or all rows of a row. map has what stands before the loop; what
 * it has for values of the body changes. */
weft_value *lg_build_outside(lg_steps *s, const lg_count *c, weft_builder *b, weft_map *map, const weft_value *v);

/* The product of lhs and rhs in elements of t, as precise as op. */
weft_value *lg_build_product(weft_builder *b, const weft_op *op, weft_value *lhs, weft_value *rhs,
                             const weft_dot_dims *dims, weft_dtype t);

/* Dimensions of a row as those of all rows, in memory for one more: they follow that of the steps, which may be one of
 * them. */
typedef enum lg_step_dim { LG_WITHOUT_STEP, LG_WITH_STEP } lg_step_dim;
weft_ints lg_after_step(weft_ints dims, lg_step_dim step, int64_t *memory);

#endif
