/* weft-auto-partition: runs the registered partitioner (auto_partition.h), which chooses shardings. Reports if there is
 * none. Needs and leaves: see there. */
#include "propagate/auto_partition.h"

#include "base/context.h"
#include "ir/verify.h"
#include "propagate/propagate.h"

typedef struct weft_auto_partitioner {
    weft_auto_partition_fn fn;
    void *user;
} weft_auto_partitioner;

bool weft_auto_partitioner_is_registered(const weft_context *cx) { return cx->auto_partitioner != NULL; }

weft_status weft_auto_partitioner_register(weft_context *cx, weft_auto_partition_fn fn, void *user) {
    if (!fn) return weft_report(cx, WEFT_D_usage, NULL, "an auto-partitioner needs a function");
    if (cx->auto_partitioner)
        return weft_report(cx, WEFT_D_usage, NULL, "auto-partitioner callback already registered");
    weft_auto_partitioner *a = weft_arena_new(&cx->arena, weft_auto_partitioner);
    if (!a) return weft_oom();
    *a = (weft_auto_partitioner){ fn, user };
    cx->auto_partitioner = a;
    return WEFT_OK;
}

void weft_auto_partitioner_clear(weft_context *cx) { cx->auto_partitioner = NULL; }

weft_status weft_pass_auto_partition(weft_pass *p, const weft_module *in, weft_module **out) {
    const weft_auto_partitioner *a = p->cx->auto_partitioner;
    if (!a) return weft_report(p->cx, WEFT_D_usage, in->root->loc, "auto-partitioner callback wasn't registered");
    weft_status st = a->fn(p, in, out, a->user);
    if (st != WEFT_OK || !*out) return st;
    st = weft_verify_module(p->cx, *out);
    if (st == WEFT_OK) return st;
    weft_note(p->cx, NULL, "the module was broken by the auto-partitioner");
    weft_module_free(*out);
    *out = NULL;
    return st;
}
