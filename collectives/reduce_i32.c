/* reduce_i32.c: integers of 32 bits; see reduce_kernels.h. */
#include "collectives/reduce_integers.h"

INTEGER(32, ADD, MUL, int64_t)
