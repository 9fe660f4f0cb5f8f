/* hoist.h: what does not change in a loop, and what of it is computed before the loop (inside legalize/ only). */
#ifndef WEFT_LEGALIZE_HOIST_H
#define WEFT_LEGALIZE_HOIST_H

#include "ir/module.h"

typedef struct lg_invariants {
    const weft_module *m;
    /* by value id: what it always equals, known outside of its loop; NULL: nothing but itself */
    const weft_value **same;
    bool *before;            /* by op id: made before the loop in whose condition or body it stands */
    bool *inside;            /* by op id: made there */
    bool any;                /* something is to be done */
} lg_invariants;

/* Finds both for the loops of m; collectives: they move too. Memory is the arena's. */
weft_status lg_invariants_find(const weft_module *m, weft_arena *arena, bool collectives, lg_invariants *out);

const weft_value *lg_resolve(const lg_invariants *v, const weft_value *x);

/* Calls f for each value that op uses and that is not made inside of it, until f says false. */
typedef bool (*lg_value_fn)(void *user, const weft_value *x);
bool lg_each_used(const weft_op *op, lg_value_fn f, void *user);

/* Whether the loop carries value number i unchanged. */
static inline bool lg_unchanged(const lg_invariants *v, const weft_op *loop, uint32_t i) {
    return v->same[loop->results[i].id] != NULL;
}

#endif
