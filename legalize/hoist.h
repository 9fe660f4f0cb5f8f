/* hoist.h: loop invariants, and those of them that are computed before the loop (inside legalize/ only). */
#ifndef WEFT_LEGALIZE_HOIST_H
#define WEFT_LEGALIZE_HOIST_H

#include "cost/environment.h"
#include "ir/module.h"

typedef struct lg_invariants {
    const weft_module *m;
    /* by value id: the value outside of its loop that it always equals; NULL: only itself */
    const weft_value **same;
    bool *before;            /* by op id: moved before the loop that contains it */
    bool *inside;            /* by op id: stays in the loop */
    bool any;                /* there is a change to make */
} lg_invariants;

/* Finds both for the loops of m; collectives: whether they move too. Memory is the arena's. */
weft_status lg_invariants_find(const weft_module *m, const weft_costs *costs, weft_arena *arena, bool collectives,
                               lg_invariants *out);

const weft_value *lg_resolve(const lg_invariants *v, const weft_value *x);

/* Calls f for each value that op uses and that is defined outside of it, until f returns false. */
typedef bool (*lg_value_fn)(void *user, const weft_value *x);
bool lg_each_used(const weft_op *op, lg_value_fn f, void *user);

/* Whether the loop carries value number i unchanged. */
static inline bool lg_unchanged(const lg_invariants *v, const weft_op *loop, uint32_t i) {
    return v->same[loop->results[i].id] != NULL;
}

#endif
