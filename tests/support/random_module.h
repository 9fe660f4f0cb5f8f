/* random_module.h: random valid programs, the raw material of laws (read(print(m)) is m, partitioned equals global,
 * ...).
 *
 *     weft_random_options opt = { .seed = weft_test_seed(1) + i, .flags = WEFT_RANDOM_MESH };
 *     weft_status st = weft_random_module(cx, &opt, &m);      // the same seed and options give the same program
 *
 * @main takes tensors of f32 and i32 and returns some. It is made of element-wise ops, compare, select, clamp, convert,
 * constant, iota, broadcast_in_dim, reshape, transpose, reverse, slice, pad, concatenate, dynamic_slice,
 * dynamic_update_slice, dot_general, reduce, gather and scatter, in random forms and shapes.
 *
 * Numerics: with f32 arguments within [-1, 1] no value exceeds about 100 and none is NaN or infinite. Comparisons and
 * other discontinuous steps read only arguments and copies of them, so a different order of sums cannot flip them:
 * results of two correct runs agree within rtol 1e-4, atol 1e-4. i32 arguments may have any value; they serve as
 * indices, which gather and the dynamic ops clamp and scatter drops.
 *
 * With WEFT_RANDOM_MIXED values are of integers of all widths and of bf16, f16 and two f8 as well; indices are of any
 * integer type, inside and outside; there are while loops whose narrow counters may wrap round, cases, products of
 * partial sums, reducers of two ops, any initial values, sharding groups, and meshes with axes of size 1 and devices in
 * another order.
 *
 * With WEFT_RANDOM_WINDOWS there are convolutions with groups, strides and dilations, reduce_window, sort with one or
 * two operands, and fft of all types.
 *
 * With unit over 1 half of the tensors have one wide dimension, a multiple of unit: 1 << 32 gives programs that can be
 * planned and not run. The same seed and another unit of the same residues give the same program with other sizes;
 * unit is over every other dimension, 4096 or more.
 *
 * With WEFT_RANDOM_MESH there is a mesh @mesh (axis names vary) and shardings on arguments, results and
 * sdy.sharding_constraint ops. Sharded dimensions divide evenly unless WEFT_RANDOM_UNEVEN is set; on arguments and
 * results they always do.
 */
#ifndef WEFT_TESTS_SUPPORT_RANDOM_MODULE_H
#define WEFT_TESTS_SUPPORT_RANDOM_MODULE_H

#include "ir/module.h"
#include "tests/support/random.h"

typedef enum weft_random_flags {
    WEFT_RANDOM_MESH       = 1 << 0, /* a mesh, shardings and constraints */
    WEFT_RANDOM_UNEVEN     = 1 << 1, /* constraints on dimensions that do not divide */
    WEFT_RANDOM_SUB_AXES   = 1 << 2, /* "x":(1)2 in shardings */
    WEFT_RANDOM_PRIORITIES = 1 << 3, /* {"x"}p1 */
    WEFT_RANDOM_UNREDUCED  = 1 << 4, /* reserved */
    WEFT_RANDOM_NO_INDEX   = 1 << 5, /* no gather, scatter, dynamic_slice, dynamic_update_slice */
    /* narrow types, loops, branches, partial sums that meet, reducers of several ops, groups, permuted meshes */
    WEFT_RANDOM_MIXED      = 1 << 6,
    WEFT_RANDOM_WINDOWS    = 1 << 7, /* convolutions, windows, sorts, transforms */
    WEFT_RANDOM_NAMED      = 1 << 8  /* named computations that compute what is computed outside of them, too */
} weft_random_flags;

typedef struct weft_random_options {
    uint64_t seed;
    unsigned flags;
    uint32_t ops;          /* steps to take; one step makes one or a few ops. 0: 20 */
    uint32_t max_args;     /* 0: 5 */
    int64_t max_elems;     /* of a tensor, a wide dimension counted in units; 0: 4096 */
    int64_t devices;       /* size of the mesh; 0: 8 */
    int64_t unit;          /* of wide dimensions; 0: there are none */
} weft_random_options;

weft_status weft_random_module(weft_context *cx, const weft_random_options *opt, weft_module **out);

#endif
