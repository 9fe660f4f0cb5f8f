/* law.h: collective calls against a serial reference, on random data; used by threads in one process and by the ranks
 * that mpirun starts. Everything follows from a seed, so every rank knows every rank's input. Calls are made one by
 * one, or several are started and then waited for in an order of each rank's own.
 */
#ifndef WEFT_TESTS_COLLECTIVES_LAW_H
#define WEFT_TESTS_COLLECTIVES_LAW_H

#include <weft/coll.h>
#include "base/dtype.h"
#include "cost/algorithm_id.h"
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
    int uneven;              /* blocks of different sizes; inner is that of the longest */
    law_memory memory;
    int exact;               /* sums do not depend on the order: for algorithms that have one of their own */
} law_case;

#define LAW_LAYOUTS 6

/* The cases of a seed. First a matrix: every collective and reduction x type x layout of groups x sizes 0, 1 and odd;
 * then every collective and reduction with operands of several windows, each of another type; then any number of random
 * ones. The open parameters of a matrix cell (memory, place, number of operands, uneven blocks) are random. */
law_case law_case_at(uint64_t seed, long i);
long law_matrix_count(void);
long law_large_count(void);

/* Which cases run: every `large`th of the large ones (0: none), `random` random ones, and every `step`th cell of the
 * matrix from `first` on, but at most `most` of these (0: all). Their order soon covers some of everything. */
typedef struct law_amount { long first, step, large, random, most; } law_amount;

/* By weft_alg_id, for forced algorithms: whether a blocking call of more than one rank has used it. */
typedef struct law_ran { unsigned char alg[WEFT_ALG_COUNT]; } law_ran;

/* The members of this rank's group under the layout. Returns their number. */
int law_members(int layout, int size, int rank, int *members);

/* Runs cases of the seed as this rank; in a world that forces algorithms, those of the collectives concerned. Returns
 * the number of failures; prints each failure on stderr. ran may be NULL. */
int law_run(weft_context *cx, weft_world *w, int rank, uint64_t seed, law_amount amount, law_ran *ran);

/* The same by `ranks` threads, of which thread i is rank i and has world[i]; the first failure aborts them all. Rank 0
 * fills ran. */
int law_run_threads(weft_world *const *world, int ranks, uint64_t seed, law_amount amount, law_ran *ran);

/* Whether a text of "*=NAME,*=NAME" forces this algorithm. */
bool law_forces(const char *algorithms, weft_alg_id alg);

/* The names of the algorithms that have one of these needs, each once, in the table's order. Returns their number. */
int law_names(unsigned needs, const char *names[WEFT_ALG_COUNT]);

/* The same names as texts that force them, "*=NAME,*=NAME", in as few texts as one collective has algorithms. Returns
 * the number of texts. */
enum { LAW_TEXT = 512 };
int law_ways(unsigned needs, char texts[WEFT_ALG_COUNT][LAW_TEXT]);

/* WEFT_SEED, or the given one. */
uint64_t law_seed(uint64_t otherwise);
uint64_t law_random(uint64_t *state);

/* An integer of the type from the low bits of v. */
uint64_t law_integer(weft_dtype t, uint64_t v);
/* The result of a reduction of k elements, computed one at a time, over each node's and then over the nodes'. node
 * NULL: all are on one. */
void law_reduce(weft_dtype dtype, weft_op_reduce op, const void *const *elem, const int *node, int k, void *out);

#endif
