/* reduce_i64.c: integers of 64 bits, whose means are added up in 128; see reduce_kernels.h. */
#include "collectives/reduce_integers.h"

INTEGER(64, ADD, MUL, weft_exact)
