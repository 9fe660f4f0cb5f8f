/* reduce_i16.c: integers of 16 bits; see reduce_kernels.h. */
#include "collectives/reduce_integers.h"

#define ADD16(a, b) ((uint16_t)((uint32_t)(a) + (b)))
#define MUL16(a, b) ((uint16_t)((uint32_t)(a) * (b)))
INTEGER(16, ADD16, MUL16, int64_t)
