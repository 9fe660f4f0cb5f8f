/* under_way.h: checks that no step touches the memory of a collective in progress. */
#ifndef WEFT_TESTS_SUPPORT_UNDER_WAY_H
#define WEFT_TESTS_SUPPORT_UNDER_WAY_H

#include <stdint.h>
#include "exec/executable.h"

/* Whether other steps read the operands of collectives. Slices of a kernel do not say which of them it writes: only in
 * a program in which no other step reads a collective's operand does a step that touches one surely write it. */
typedef enum weft_test_use { WEFT_TEST_SHARED, WEFT_TEST_ALONE } weft_test_use;

/* NULL, or the error of step *step, to be read after "step N": the step touches memory that a collective writes between
 * its start and its end, writes memory that the collective reads, or starts a collective that does not end. */
const char *weft_test_under_way(const weft_executable *x, weft_test_use use, uint32_t *step);

#endif
