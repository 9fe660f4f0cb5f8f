/* random.h: random numbers in a graph, by counter: element i of a tensor depends on the key and on i alone, so that the
 * numbers are the same on every mesh, and no device sends any. The generator is Threefry-2x32 with 20 rounds (Salmon et
 * al., SC 2011); keys, bits, uniform and normal numbers are those of jax.random for f32.
 *
 * A key is a tensor of type 2xui32. One key gives one tensor: fold a step, a layer or a counter into it for the next.
 * type is the result's, of f32, bf16, f16 or f64 where nothing else is said; all have 23 random bits.
 */
#ifndef WEFT_RANDOM_H
#define WEFT_RANDOM_H

#include <weft/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* jax.random.key(seed), for a seed of 32 bits or more. */
WEFT_API weft_tensor *weft_graph_random_key_at(weft_source at, weft_graph *g, uint64_t seed);
/* Another key for each value of n, an integer scalar of which 32 bits count: jax.random.fold_in. */
WEFT_API weft_tensor *weft_graph_random_fold_at(weft_source at, weft_graph *g, weft_tensor *key, weft_tensor *n);
/* type is of ui32, such as "4x8xui32". */
WEFT_API weft_tensor *weft_graph_random_bits_at(weft_source at, weft_graph *g, weft_tensor *key, const char *type);
/* From low, included, to high, excluded up to rounding. */
WEFT_API weft_tensor *weft_graph_random_uniform_at(weft_source at, weft_graph *g, weft_tensor *key, const char *type,
                                                   double low, double high);
/* Of mean 0 and standard deviation 1. */
WEFT_API weft_tensor *weft_graph_random_normal_at(weft_source at, weft_graph *g, weft_tensor *key, const char *type);
/* type is of i1: true with probability p. */
WEFT_API weft_tensor *weft_graph_random_bernoulli_at(weft_source at, weft_graph *g, weft_tensor *key, const char *type,
                                                     double p);
/* An index along the last dimension of logits (f32), with the probabilities of their softmax: i32, without that
 * dimension. */
WEFT_API weft_tensor *weft_graph_random_categorical_at(weft_source at, weft_graph *g, weft_tensor *key,
                                                       weft_tensor *logits);

#define weft_graph_random_key(...)           weft_graph_random_key_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_random_fold(...)          weft_graph_random_fold_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_random_bits(...)          weft_graph_random_bits_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_random_uniform(...)       weft_graph_random_uniform_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_random_normal(...)        weft_graph_random_normal_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_random_bernoulli(...)     weft_graph_random_bernoulli_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_random_categorical(...)   weft_graph_random_categorical_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
