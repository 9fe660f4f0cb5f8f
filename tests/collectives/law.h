/* law.h: collective calls against a serial reference, on random data; used by threads in one process and by the ranks
 * that mpirun starts. Everything follows from a seed, so that every rank knows every rank's input. Calls are made one by one, or
 * several are started and then waited for in an order of each rank's own.
 */
#ifndef WEFT_TESTS_COLLECTIVES_LAW_H
#define WEFT_TESTS_COLLECTIVES_LAW_H

#include <weft/coll.h>
#include "base/dtype.h"
#include "cost/link.h"

typedef enum law_memory { LAW_ALLOC, LAW_MALLOC, LAW_MIXED } law_memory;

typedef struct law_case {
    uint64_t seed;
    weft_coll_kind kind;
    weft_op_reduce reduce;
    weft_dtype dtype;
    int64_t outer, middle, inner;
    int n;                   /* operands; the second and later ones are smaller */
    int split_first, in_place, layout;
    int uneven;              /* blocks of different sizes; inner is the longest's */
    law_memory memory;
} law_case;

#define LAW_LAYOUTS 6

/* Case number i of this seed: the first ones walk all types and reductions, the others are random. */
law_case law_case_at(uint64_t seed, long i);
long law_table_count(void);

/* The members of the group that this rank is in under the layout. Returns how many. */
int law_members(int layout, int size, int rank, int *members);

/* Runs cases 0, step, 2 * step ... below count of the seed as this rank. Returns how many failed; says on stderr what and why. */
int law_run(weft_context *cx, weft_world *w, int rank, uint64_t seed, long step, long count);

/* WEFT_SEED, or the given one. */
uint64_t law_seed(uint64_t otherwise);
uint64_t law_random(uint64_t *state);

/* The result of a reduction of k elements, computed one at a time. */
void law_reduce(weft_dtype dtype, weft_op_reduce op, const void *const *elem, int k, void *out);

#endif
