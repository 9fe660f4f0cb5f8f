/* reduce_i8.c: integers of 8 bits; see reduce_kernels.h. */
#include "collectives/reduce_integers.h"

#define ADD8(a, b) ((uint8_t)((uint32_t)(a) + (b)))
#define MUL8(a, b) ((uint8_t)((uint32_t)(a) * (b)))
INTEGER(8, ADD8, MUL8, int64_t)
