/* strategy.h: how a model lies on a mesh, by the names of its parts. Each call adds one axis to the shardings of the
 * inputs that a pattern chooses (parameters.h), so strategies combine:
 *
 *     const weft_device_mesh *mesh = weft_graph_mesh(g, "data=2, model=4");
 *     weft_strategy_sp(g, mesh, "model", "*residual");                  // before the model is made
 *     ... the model ...
 *     weft_strategy_dp(g, mesh, "data", "x, y");
 *     weft_strategy_tp(g, mesh, "model", "*q*, *k*, *v*, *up*", "*out*, *down*, embed*");
 *     weft_strategy_fsdp(g, mesh, "data", "blocks*");
 *
 * They are the annotations of weft_shard, and nothing more: all else follows by propagation, and what they do not say
 * can be said by weft_shard. An optimizer's state lies as its parameters do, whatever is called first. The dimensions
 * of layers (weft_layers) stay whole. A dimension that an axis does not divide stays whole, too: two groups of keys on
 * four devices are on each of them.
 *
 * A pattern that chooses nothing is an error, with the nearest name; so is an axis that a parameter has already.
 * Errors, ownership and threads are those of graph.h.
 */
#ifndef WEFT_STRATEGY_H
#define WEFT_STRATEGY_H

#include <weft/parameters.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Data parallel: the first dimension, the batch, of inputs that are neither parameters nor variables. */
WEFT_API void weft_strategy_dp_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *axis,
                                  const char *pattern);
/* Fully sharded (ZeRO): of each parameter the largest dimension that the axis divides, besides axes that it has; the
 * first of equal ones. Parameters without such a dimension stay whole. */
WEFT_API void weft_strategy_fsdp_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *axis,
                                    const char *pattern);
/* Tensor parallel: of `columns` the first dimension of the outputs: heads, hidden features, and their biases. Of `rows`
 * the first dimension that is summed: what comes back from heads and hidden features, and the vocabulary of an
 * embedding. Biases among the rows stay whole. Either pattern may be NULL. */
WEFT_API void weft_strategy_tp_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *axis,
                                  const char *columns, const char *rows);
/* Expert parallel: the dimension of the experts, which comes first (weft_experts). */
WEFT_API void weft_strategy_ep_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *axis,
                                  const char *pattern);
/* Sequence parallel: the tokens, dimension 1, of activations. It is called before these are made. */
WEFT_API void weft_strategy_sp_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *axis,
                                  const char *pattern);

/* x, an activation of this name in the scopes that are open: constrained to what strategies say of it, and else itself.
 */
WEFT_API weft_tensor *weft_activation_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x);

/* ---- the calls as they are made: with the caller's place ---- */

#define weft_strategy_dp(...)                weft_strategy_dp_at(WEFT_HERE, __VA_ARGS__)
#define weft_strategy_fsdp(...)              weft_strategy_fsdp_at(WEFT_HERE, __VA_ARGS__)
#define weft_strategy_tp(...)                weft_strategy_tp_at(WEFT_HERE, __VA_ARGS__)
#define weft_strategy_ep(...)                weft_strategy_ep_at(WEFT_HERE, __VA_ARGS__)
#define weft_strategy_sp(...)                weft_strategy_sp_at(WEFT_HERE, __VA_ARGS__)
#define weft_activation(...)                 weft_activation_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
