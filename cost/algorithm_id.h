/* algorithm_id.h: the algorithms as an enum (algorithms.def), for code that names one or lists them all: a header of
 * its own, so that a new algorithm recompiles no other file. */
#ifndef WEFT_COST_ALGORITHM_ID_H
#define WEFT_COST_ALGORITHM_ID_H

enum {
#define NAME(kind, name) WEFT_ALG_##kind##_##name,
#include "cost/algorithms-name.def"
    WEFT_ALG_COUNT
};

#endif
