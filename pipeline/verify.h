/* verify.h: checks that the partitioned program computes the same as the global one.
 *
 * The global program, without its shardings, runs once on one device; the same program with shardings runs on the
 * devices of its mesh, threads of this process, with the same arguments. All results are compared. When one differs,
 * both programs also compute and compare the values that lead to it, and the difference is reported at the first op
 * that has one: its location, the shardings of its operands and results, and the place in the tensor, with both values.
 *
 *     weft_pipeline_run(cx, "weft-prepare", ..., &m);
 *     weft_verify_open(cx, m, &options, &v);                the global program and its results
 *     weft_verify_run(v, m);                                with m's shardings
 *     weft_pipeline_run(cx, "weft-draw-shardings=seed=1", ..., &m); weft_verify_run(v, m); ...   with random ones
 *     weft_verify_close(v);
 *
 * Sums are taken in another order, so floats differ by a little: the relative part of the tolerance follows from the
 * digits of the narrowest type on the way to a value, the absolute one from the largest finite magnitude in the tensor.
 * A program may amplify rounding. So a larger difference is compared with the effect on one device of changing all
 * float arguments (all constants, if there are none) by a few units in the last place. Integers must be equal.
 *
 * The program's own checks (check.expect_*) count among its results: their operands are compared, the checks removed. A
 * program written per device (collectives, partition_id, manual computations) has no global form. One thread at a time;
 * everything lives until weft_verify_close.
 */
#ifndef WEFT_PIPELINE_VERIFY_H
#define WEFT_PIPELINE_VERIFY_H

#include "cost/machine.h"
#include "ir/module.h"
#include "runtime/execute.h"

typedef struct weft_verify_options {
    const weft_host_array *arguments;  /* per argument of @main; NULL: all are filled */
    const weft_fill *fills;       /* per argument, without arguments; NULL: weft_verify_fill */
    uint64_t seed;                /* of these */
    /* |got - want| <= atol + rtol * |want| for floats; negative: derived from their type's digits */
    double rtol, atol;
    double timeout_s;             /* for a device to wait for another; 0: the default */
    const weft_machine *machine;  /* by whose costs both programs are compiled; NULL: the default */
    int64_t keep_bytes;           /* compared at a time in search of the first op; 0: 256 MiB */
} weft_verify_options;

typedef struct weft_verify weft_verify;

/* Runs m without its shardings on one device. m is as weft-prepare leaves it, and is not kept. */
weft_status weft_verify_open(weft_context *cx, const weft_module *m, const weft_verify_options *opt, weft_verify **out);
void weft_verify_close(weft_verify *v); /* NULL is fine */

/* Runs m, which is v's program except for its shardings, on its mesh and compares. WEFT_ERR_MISMATCH, reported, when a
 * result differs; any other failure is of partitioning, compiling or running m. */
weft_status weft_verify_run(weft_verify *v, const weft_module *m);

/* The default fill of an argument of this type. */
weft_fill weft_verify_fill(weft_dtype t, uint64_t seed);
/* The same per argument of m's @main, into out; m is as weft-prepare leaves it. Arguments under a root or logarithm,
 * like the second moments of an optimiser, are not negative. */
weft_status weft_verify_fills(const weft_module *m, uint64_t seed, weft_fill *out);

#endif
