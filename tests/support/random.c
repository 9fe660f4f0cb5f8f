/* random.c: see random.h. */
#include "tests/support/random.h"

#include <stdlib.h>

/* Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014. */
uint64_t weft_rng_next(weft_rng *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t weft_rng_below(weft_rng *r, uint32_t n) { return (uint32_t)(((weft_rng_next(r) >> 32) * n) >> 32); }

int64_t weft_rng_range(weft_rng *r, int64_t low, int64_t high) {
    return low + (int64_t)weft_rng_below(r, (uint32_t)(high - low + 1));
}

double weft_rng_unit(weft_rng *r) { return (double)(weft_rng_next(r) >> 11) * 0x1p-53; }

uint64_t weft_test_seed(uint64_t fallback) {
    const char *text = getenv("WEFT_SEED");
    return text && *text ? strtoull(text, NULL, 0) : fallback;
}
