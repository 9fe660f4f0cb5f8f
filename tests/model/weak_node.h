/* weak_node.h: the programs that test_weak.sh explores. */
#ifndef WEFT_TESTS_MODEL_WEAK_NODE_H
#define WEFT_TESTS_MODEL_WEAK_NODE_H

#include "tests/model/weak.h"

/* Number i of the small programs: its name; its error, NULL: none. */
size_t weak_litmus_count(void);
const char *weak_litmus(size_t i, const char **why);

/* The programs of ranks on the room's code; is_long: also those that take minutes. */
size_t weak_program_count(bool is_long);
weak_program weak_program_at(size_t i);

#endif
