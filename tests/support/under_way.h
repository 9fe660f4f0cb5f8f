/* under_way.h: no step touches the memory that a collective under way works on. */
#ifndef WEFT_TESTS_SUPPORT_UNDER_WAY_H
#define WEFT_TESTS_SUPPORT_UNDER_WAY_H

#include <stdint.h>
#include "exec/executable.h"

/* Whether other steps read what collectives read. Slices of a kernel do not say which of them it writes: only in a
 * program in which no other step reads a collective's operand is a step that touches one known to write it. */
typedef enum weft_test_use { WEFT_TEST_SHARED, WEFT_TEST_ALONE } weft_test_use;

/* NULL, or what is wrong with step *step, to be read after "step N": the step touches what a collective writes between
 * its start and its end, writes what the collective reads, or starts one that does not end. */
const char *weft_test_under_way(const weft_executable *x, weft_test_use use, uint32_t *step);

#endif
