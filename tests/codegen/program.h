/* program.h: a program as text, compiled for one device and run; and the bodies that the tests of reductions, windows
 * and scatters share, each as StableHLO and as C. */
#ifndef WEFT_TESTS_CODEGEN_PROGRAM_H
#define WEFT_TESTS_CODEGEN_PROGRAM_H

#include "tests/codegen/walk.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

typedef struct program {
    weft_context *cx;
    weft_executable *x;
    void **args, **results; /* of the executable's sizes */
} program;

/* Reads, prepares and compiles the text; a failure fails the test and prints it. */
void program_open(program *p, const char *text);
/* The same for another processor, as in weft_compile_options. */
void program_open_for(program *p, const char *text, const char *cpu);
/* The same in two parts, for a test that prepares the module in its own way: opens a context, and compiles m, which is
 * freed, unless st is a failure. */
void program_begin(program *p);
void program_compile(program *p, const char *text, weft_status st, weft_module *m, const weft_compile_options *options);
void program_run(program *p);
void program_close(program *p);

/* How far results may be apart: |x - y| <= absolute + relative |x|. */
typedef struct bounds { double absolute, relative; bool nans_agree; } bounds;
/* Compares all results of two programs; where they differ, prints the text and fails the test with the seed. */
void program_compare(const program *want, const program *got, bounds most, const char *text, uint64_t seed);

/* Text that grows. */
typedef struct text { char v[16384]; size_t n; } text;
__attribute__((format(printf, 2, 3))) void text_add(text *t, const char *format, ...);
/* "2x3xi32" */
void text_type(text *t, uint32_t rank, const int64_t *dims, const char *dtype);

/* Row-major. */
int64_t shape_elems(uint32_t rank, const int64_t *dims);
/* The next index in row-major order; false after the last. */
bool shape_next(uint32_t rank, const int64_t *dims, int64_t *at);
int64_t shape_number(uint32_t rank, const int64_t *dims, const int64_t *at);

/* Reducers of one or two i32. All are associative; those that do not commute reveal reordered elements. */
typedef struct body {
    const char *name;
    uint32_t n;
    const char *ops;        /* of %a0 %b0 (%a1 %b1), giving %r0 (%r1) */
    void (*apply)(const int32_t *a, const int32_t *b, int32_t *r);
    int32_t init[2];
} body;
extern const body bodies[];
extern const uint32_t body_count;
/* "{ ^bb0(...): ... }" */
void text_region(text *t, const body *b);

#endif
