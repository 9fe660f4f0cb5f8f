/* storage.h: which values of a block may lie in one memory, and which must.
 *
 * Storage is known once clusters are, before there is an order. A unit that reads each element before it writes it may
 * put a result where an operand lies; an update in place and a loop must. Whether the operand is dead by then follows
 * from the order (lifetimes.h). What a block's results lie in is the caller's: each result begins a chain of values
 * that hand their memory on from one to the next, so that all of them may lie there.
 */
#ifndef WEFT_CODEGEN_STORAGE_H
#define WEFT_CODEGEN_STORAGE_H

#include "codegen/fuse.h"

struct cg_layout;

/* Of a unit: writes[write] lies where reads[read] lies. */
typedef enum cg_share_kind {
    CG_MAY_SHARE,           /* where nothing reads the operand later */
    CG_MUST_SHARE           /* the same, and the importer sees to it that nothing does: it copies the operand first */
} cg_share_kind;
typedef struct cg_share { uint32_t read, write; cg_share_kind kind; } cg_share;

/* Where a block's results lie. */
typedef enum cg_results {
    CG_RESULTS_TEMPORARY,   /* among its temporaries: of a loop's condition */
    CG_RESULTS_GIVEN,       /* in memory of the caller, which is there during the whole step: of @main */
    CG_RESULTS_SLOTS        /* where the results of the loop or branch lie, a loop's carried values as well */
} cg_results;

/* Values that hand their memory on, from the result backwards. */
typedef struct cg_chain {
    cg_node **v;
    uint32_t n;
    bool from_argument;     /* the last of them copies the argument of the result's number, which lies there too */
    const cg_node *begins;  /* of @main as well: the first of all such values; its unit overwrites what lay there */
} cg_chain;

typedef struct cg_storage {
    const cg_block *block;  /* given, as are units and results */
    const cg_units *units;
    cg_results results;
    int32_t *donor;         /* by result: the argument whose memory it is to take over, or -1. Of @main given; else what
                             * the loop carries under that number */
    cg_share *share;        /* unit by unit, by result and then by operand; */
    uint32_t *first_share;  /* of unit u: those from first_share[u] to first_share[u + 1] */
    cg_chain *chain;        /* by result */
} cg_storage;

/* inner: by unit, the layouts of the blocks of a branch, from which follows which donated arguments its results may
 * overwrite. What is made lies in the graph's arena. */
weft_status cg_storage_of(cg_graph *g, struct cg_layout ***inner, cg_storage *s);

/* May w, which the unit writes, lie in the memory of r, which it reads? */
bool cg_may_share(const cg_storage *s, uint32_t unit, const cg_node *r, const cg_node *w);

bool cg_unit_reads(const cg_unit *u, const cg_node *n);
bool cg_unit_writes(const cg_unit *u, const cg_node *n);
cg_node *cg_copied(const cg_node *n); /* what n is a copy of, or NULL */

#endif
