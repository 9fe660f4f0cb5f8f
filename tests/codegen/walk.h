/* walk.h: runs an executable on one device, without a runtime: for the tests of code generation. */
#ifndef WEFT_TESTS_CODEGEN_WALK_H
#define WEFT_TESTS_CODEGEN_WALK_H

#include "codegen/compile.h"

/* args and results are buffers of the sizes that x says, aligned to WEFT_BUFFER_ALIGN; results that alias an argument
 * may be the same address. Collectives give WEFT_ERR_UNSUPPORTED. step_s, when not NULL, has room for a time per step. */
weft_status walk_run(const weft_executable *x, void *const *args, void *const *results, double *step_s);

/* Memory aligned as buffers are; zeroed. Fails the test when there is none. */
void *walk_buffer(size_t bytes);

#endif
