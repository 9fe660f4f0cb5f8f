/* walk.h: loads an executable and runs it on one device, without a runtime: for the tests of code generation. */
#ifndef WEFT_TESTS_CODEGEN_WALK_H
#define WEFT_TESTS_CODEGEN_WALK_H

#include "codegen/compile.h"
#include "exec/kernel.h"

/* A test's own kernels, found before Weft's; NULL: none. Set before the first run. */
extern const weft_kernel_set *walk_kernels;

/* args and results are buffers of the sizes in x, aligned to WEFT_BUFFER_ALIGN; a result that aliases an argument is at
 * that argument's address. Collectives give WEFT_ERR_UNSUPPORTED. step_s, if not NULL, has room for a time per
 * step. */
weft_status walk_run(const weft_executable *x, void *const *args, void *const *results, double *step_s);

/* The same; if a step fails, why is its message and *where, if not NULL, is the step. */
weft_status walk_run_why(const weft_executable *x, void *const *args, void *const *results, weft_failure *why,
                         const weft_step **where);

/* The same; code that may run without end returns WEFT_ERR_PEER once *stop is not 0. */
weft_status walk_run_until(const weft_executable *x, void *const *args, void *const *results,
                           const _Atomic uint32_t *stop);

/* The machine to compile for: the default one; two times of three, one where all work is worth splitting among threads,
 * however little, and the walk does it in pieces (steps.c). */
const weft_machine *walk_machine(void);

/* Memory aligned as buffers are; zeroed. Fails the test when memory is out. */
void *walk_buffer(size_t bytes);

/* Reads text, runs the pipeline named passes over it (NULL: none) and compiles it. */
weft_status walk_compile(weft_context *cx, const char *text, const char *passes, weft_executable **x);
/* The same and one run; a failure fails the test and prints the text. */
void walk_text(const char *text, const char *passes, void *const *args, void *const *results);

#endif
