/* algorithm_id.h: the algorithms by name (algorithms.def), for who names one or goes through all: a header of its own,
 * so that a new algorithm reaches no other object. */
#ifndef WEFT_COST_ALGORITHM_ID_H
#define WEFT_COST_ALGORITHM_ID_H

enum {
#define NAME(kind, name) WEFT_ALG_##kind##_##name,
#include "cost/algorithms-name.def"
    WEFT_ALG_COUNT
};

#endif
