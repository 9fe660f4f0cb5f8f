/* auto_partition.h: a hook for a partitioner that chooses shardings itself.
 *
 * A context has at most one. sdy-propagation-pipeline=enable-auto-partitioning=true runs it after the user's shardings
 * have propagated and functions are flat, before reshards are inserted. It is a pass: it may write other shardings,
 * meshes and symbols for them, and must leave the ops alone. Needs: nothing. Its result is verified. Source:
 * Shardy's AutoPartitionerRegistry, which is one per process.
 */
#ifndef WEFT_PROPAGATE_AUTO_PARTITION_H
#define WEFT_PROPAGATE_AUTO_PARTITION_H

#include "ir/pass.h"

/* As weft_pass_fn; user is the pointer registered with it. */
typedef weft_status (*weft_auto_partition_fn)(weft_pass *p, const weft_module *in, weft_module **out, void *user);

/* user must live as long as the context, or until the hook is removed. A second hook is WEFT_D_usage. */
weft_status weft_auto_partitioner_register(weft_context *cx, weft_auto_partition_fn fn, void *user);
void weft_auto_partitioner_clear(weft_context *cx);
bool weft_auto_partitioner_is_registered(const weft_context *cx);

#endif
