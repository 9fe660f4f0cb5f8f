/* func_copies.h: copies of functions that a pass adds, each with copies of all its callees.
 *
 * An instance is a function of the pass's new module: the first func_count are the old module's own, by number; the
 * others are copies, appended to the module, which name their original as sdy.original_func_name. First the pass
 * decides which copies there are, in the order that determines their names, and which instance each call calls. Then it
 * copies the module (copy.h) and reports each function entered and each call made. Source: Shardy, which names and
 * orders the copies so.
 */
#ifndef WEFT_PROPAGATE_FUNC_COPIES_H
#define WEFT_PROPAGATE_FUNC_COPIES_H

#include "propagate/calls.h"
#include "propagate/copy.h"

typedef struct weft_func_instance {
    uint32_t func;             /* the function of which it is a copy */
    weft_name name;            /* NULL: its own */
    uint32_t *callee;          /* [call_count] instances called, in the order in which the calls are made */
    uint32_t call_count;
} weft_func_instance;

typedef struct weft_func_copies {
    weft_context *cx;
    weft_arena *arena;
    weft_call_graph graph;
    weft_symbols symbols;
    weft_func_instance *instances;
    size_t count, cap;
    uint32_t *appended;        /* copies in the order in which they are appended to the module */
    size_t appended_count, appended_cap;
    const weft_func_instance *making; /* while copying: the instance under work and its next call */
    uint32_t next_call;
} weft_func_copies;

/* The module's own functions, with their calls. Lives in arena, which must not be the context's scratch. */
weft_status weft_func_copies_open(const weft_module *in, weft_arena *arena, weft_func_copies *out);
/* A copy of an instance in its current state and, before it in the module, of all its callees. */
weft_status weft_func_copies_add(weft_func_copies *x, uint32_t from, uint32_t *out);

/* For hooks of copy.h: f is entered; call, of the new module, was made inside it; the module's own ops are all copied.
 */
void weft_func_copies_enter(weft_func_copies *x, const weft_op *f);
weft_status weft_func_copies_retarget(weft_func_copies *x, weft_module *m, weft_op *call);
weft_status weft_func_copies_append(weft_func_copies *x, weft_copy *c);

#endif
