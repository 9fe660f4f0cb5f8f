/* random_internal.h: the generator's state, shared by random_module.c, random_recipes.c, random_mixed.c,
 * random_windows.c and random_sharding.c. */
#ifndef WEFT_TESTS_SUPPORT_RANDOM_INTERNAL_H
#define WEFT_TESTS_SUPPORT_RANDOM_INTERNAL_H

#include "ir/builder.h"
#include "tests/support/random_module.h"

typedef struct item {
    weft_value *v;       /* NULL after a failure; helpers pass that on */
    double bound;        /* |x| is at most this */
    bool exact;          /* an argument or a copy of one: the same bits in every run */
} item;

#define MOST_ITEMS 512
#define MOST_ARGS 16

typedef struct gen {
    weft_context *cx;
    weft_random_options opt;
    weft_rng rng;
    weft_builder b;
    weft_module *m;
    weft_op *func;
    weft_block *body;
    item items[MOST_ITEMS];
    uint32_t item_count;
    const weft_type *args[MOST_ARGS];
    uint32_t arg_count;
    const weft_mesh_axis *axes;  /* NULL without a mesh */
    uint32_t axis_count;
    const weft_attr *mesh_ref;
    int64_t groups;              /* sharding groups made */
} gen;

/* random_module.c */
const weft_loc *place(gen *g, uint32_t column);
void keep(gen *g, item x);                                  /* makes x available to later steps */
item pick(gen *g, weft_dtype dtype);                        /* some value of the type, made if there is none */
item make(gen *g, weft_dtype dtype, uint32_t rank, const int64_t *dims); /* some value of this very shape */
item splat(gen *g, const weft_type *t, double v);
item unary(gen *g, weft_op_kind k, item x, double bound);
item binary(gen *g, weft_op_kind k, item x, item y, double bound);
item tame(gen *g, item x);                                  /* x, through tanh when it may be large */
/* A wide dimension is a multiple of opt.unit. All others go by ones. */
int64_t step_of(const gen *g, int64_t d);
int64_t steps(const gen *g, int64_t d);
int64_t room_of(const gen *g, uint32_t rank, const int64_t *dims); /* the product of the dimensions' steps */
bool fits(const gen *g, uint32_t rank, const int64_t *dims); /* no more steps than max_elems, and one wide dimension */
uint32_t random_shape(gen *g, int64_t *dims, uint32_t max_rank);
const weft_type *tensor(gen *g, weft_dtype dtype, uint32_t rank, const int64_t *dims);
const weft_attr *ints(gen *g, const int64_t *v, uint32_t n);
item build(gen *g, weft_op_kind k, const weft_type *t, const item *in, uint32_t n, const weft_attr_pair *attrs,
           uint32_t attr_count);
void shuffle(gen *g, int64_t *v, uint32_t n);               /* v becomes a permutation of 0..n-1 */

/* random_recipes.c: one step each, chosen by weight. */
void take_step(gen *g);
weft_dtype some_dtype(gen *g);
/* An op with one result and a region of { ^(a, b): return a body b } over scalars of dtype. */
item with_region(gen *g, weft_op_kind k, const weft_type *t, const item *in, uint32_t n, const weft_attr_pair *pairs,
                 uint32_t pair_count, weft_op_kind body, weft_dtype dtype);

/* random_mixed.c: steps of WEFT_RANDOM_MIXED. */
weft_dtype random_narrow(gen *g);                           /* integers and narrow floats */
bool sums_are_exact(weft_dtype t);                          /* or within the tolerance, in any order */
item random_index(gen *g, item small);                      /* indices of any integer type, inside and outside */
void take_narrow(gen *g);
void take_mixed_reduce(gen *g);
void take_meet(gen *g);
void take_loop(gen *g);
void take_branch(gen *g);
void take_outside(gen *g);
void take_named(gen *g);
void take_group(gen *g);

/* random_windows.c: steps of WEFT_RANDOM_WINDOWS. */
void take_convolution(gen *g);
void take_reduce_window(gen *g);
void take_sort(gen *g);
void take_fft(gen *g);

/* random_sharding.c */
weft_status random_mesh(gen *g);
typedef enum evenness { EVEN_ONLY, UNEVEN_TOO } evenness;
const weft_attr *random_sharding(gen *g, const weft_type *t, evenness e); /* SHARDING, or NULL for none or no memory */

#endif
