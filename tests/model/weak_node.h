/* weak_node.h: what test_weak.sh explores. */
#ifndef WEFT_TESTS_MODEL_WEAK_NODE_H
#define WEFT_TESTS_MODEL_WEAK_NODE_H

#include "tests/model/weak.h"

/* Number i of the small programs: its name; why it is not as it should be, NULL: it is. */
size_t weak_litmus_count(void);
const char *weak_litmus(size_t i, const char **why);

/* The programs of ranks on the room's code; is_long: those that take minutes as well. */
size_t weak_program_count(bool is_long);
weak_program weak_program_at(size_t i);

#endif
