/* reference.h: functions that the C library lacks, in long double, for tests only: slow, and by other methods than
 * Weft's.
 */
#ifndef WEFT_TESTS_CODEGEN_REFERENCE_H
#define WEFT_TESTS_CODEGEN_REFERENCE_H

long double ref_logistic(long double x);
long double ref_rsqrt(long double x);
long double ref_erf_inv(long double x);               /* bisection and Newton's method on erf and erfc */
/* Stirling after a long recurrence; near its zeros by the series around them */
long double ref_lgamma(long double x);
long double ref_digamma(long double x);
long double ref_zeta(long double s, long double q);   /* q > -60: the sum of many terms and its tail */
long double ref_polygamma(long double n, long double x);
long double ref_bessel_i1e(long double x);            /* power series, asymptotic series */

#endif
