/* random.h: random numbers for tests, which print their seed. */
#ifndef WEFT_TESTS_SUPPORT_RANDOM_H
#define WEFT_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

typedef struct weft_rng { uint64_t state; } weft_rng;

uint64_t weft_rng_next(weft_rng *r);                     /* splitmix64 */
uint32_t weft_rng_below(weft_rng *r, uint32_t n);        /* 0 <= x < n, n > 0 */
int64_t weft_rng_range(weft_rng *r, int64_t low, int64_t high); /* both included */
double weft_rng_unit(weft_rng *r);                       /* 0 <= x < 1 */
static inline int weft_rng_chance(weft_rng *r, double p) { return weft_rng_unit(r) < p; }

/* The seed to start from: the environment's WEFT_SEED, else fallback. Print it when a law breaks. */
uint64_t weft_test_seed(uint64_t fallback);

#endif
