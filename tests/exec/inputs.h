/* inputs.h: memory for one run of an executable whose arguments are f32 and i32, filled in the same way by all that
 * ask. */
#ifndef WEFT_TESTS_EXEC_INPUTS_H
#define WEFT_TESTS_EXEC_INPUTS_H

#include "exec/executable.h"

enum { INPUTS_MOST = 8 }; /* arguments, and results */

typedef struct inputs { void *args[INPUTS_MOST], *results[INPUTS_MOST]; } inputs;

/* False where the executable has more, or others. */
bool inputs_make(const weft_executable *x, inputs *out);
void inputs_free(inputs *in);

#endif
