/* reference.h: functions that the C library lacks, in long double, for tests only: slow, and by other ways than Weft's. */
#ifndef WEFT_TESTS_CODEGEN_REFERENCE_H
#define WEFT_TESTS_CODEGEN_REFERENCE_H

long double ref_logistic(long double x);
long double ref_rsqrt(long double x);

#endif
