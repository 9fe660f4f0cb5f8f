/* lapack.h: LAPACK and BLAS, any library that configure found, in the four element types.
 *
 * Fortran's calling convention as gfortran has it: everything by address, the lengths of texts after all other
 * arguments. Matrices are column-major. Complex and real routines of one name may differ in their arguments; those that
 * do are declared apart.
 */
#ifndef WEFT_KERNELS_LAPACK_H
#define WEFT_KERNELS_LAPACK_H

#include "base/dtype.h"

/* s, d, c, z. */
enum { WEFT_LAPACK_TYPES = 4 };
/* The number of an element type, or -1. */
static inline int weft_lapack_type(weft_dtype t) {
    return t == WEFT_F32 ? 0 : t == WEFT_F64 ? 1 : t == WEFT_C64 ? 2 : t == WEFT_C128 ? 3 : -1;
}

/* On the device's thread, around its calls of them. A device is one thread, and an OpenBLAS on OpenMP then takes one.
 * An OpenBLAS built without threads may give two callers at a time the same scratch memory, unless its builder said
 * USE_LOCKING, which it does not tell (its Makefile.rule): under it one device at a time is between begin and end. */
void weft_lapack_begin(void);
void weft_lapack_end(void);

/* Is it an OpenBLAS on OpenMP? It keeps to the caller's thread (threads.h), and callers need not take turns. */
bool weft_lapack_is_openmp(void);

#define WEFT_LAPACK_REAL(name, ...) void s##name##_(__VA_ARGS__), d##name##_(__VA_ARGS__)
#define WEFT_LAPACK_COMPLEX(name, ...) void c##name##_(__VA_ARGS__), z##name##_(__VA_ARGS__)
#define WEFT_LAPACK_ALL(name, ...) WEFT_LAPACK_REAL(name, __VA_ARGS__); WEFT_LAPACK_COMPLEX(name, __VA_ARGS__)

typedef const char *la_opt;
typedef const int *la_int;

WEFT_LAPACK_ALL(trsm, la_opt side, la_opt uplo, la_opt trans, la_opt diag, la_int m, la_int n, const void *alpha,
              const void *a, la_int lda, void *b, la_int ldb, size_t, size_t, size_t, size_t);
WEFT_LAPACK_ALL(gemm, la_opt transa, la_opt transb, la_int m, la_int n, la_int k, const void *alpha,
              const void *a, la_int lda, const void *b, la_int ldb, const void *beta, void *c, la_int ldc,
              size_t, size_t);
WEFT_LAPACK_ALL(potrf, la_opt uplo, la_int n, void *a, la_int lda, int *info, size_t);
WEFT_LAPACK_ALL(getrf, la_int m, la_int n, void *a, la_int lda, int *ipiv, int *info);
WEFT_LAPACK_ALL(geqrf, la_int m, la_int n, void *a, la_int lda, void *tau, void *work, la_int lwork, int *info);
WEFT_LAPACK_REAL(geqp3, la_int m, la_int n, void *a, la_int lda, int *jpvt, void *tau, void *work, la_int lwork, int *info);
WEFT_LAPACK_COMPLEX(geqp3, la_int m, la_int n, void *a, la_int lda, int *jpvt, void *tau, void *work, la_int lwork, void *rwork, int *info);
WEFT_LAPACK_REAL(orgqr, la_int m, la_int n, la_int k, void *a, la_int lda, const void *tau, void *work, la_int lwork, int *info);
WEFT_LAPACK_COMPLEX(ungqr, la_int m, la_int n, la_int k, void *a, la_int lda, const void *tau, void *work, la_int lwork, int *info);
WEFT_LAPACK_REAL(ormqr, la_opt side, la_opt trans, la_int m, la_int n, la_int k, const void *a, la_int lda,
               const void *tau, void *c, la_int ldc, void *work, la_int lwork, int *info, size_t, size_t);
WEFT_LAPACK_COMPLEX(unmqr, la_opt side, la_opt trans, la_int m, la_int n, la_int k, const void *a, la_int lda,
                  const void *tau, void *c, la_int ldc, void *work, la_int lwork, int *info, size_t, size_t);
WEFT_LAPACK_REAL(gesdd, la_opt jobz, la_int m, la_int n, void *a, la_int lda, void *s, void *u, la_int ldu,
               void *vt, la_int ldvt, void *work, la_int lwork, int *iwork, int *info, size_t);
WEFT_LAPACK_COMPLEX(gesdd, la_opt jobz, la_int m, la_int n, void *a, la_int lda, void *s, void *u, la_int ldu,
                  void *vt, la_int ldvt, void *work, la_int lwork, void *rwork, int *iwork, int *info, size_t);
WEFT_LAPACK_REAL(gesvd, la_opt jobu, la_opt jobvt, la_int m, la_int n, void *a, la_int lda, void *s, void *u,
               la_int ldu, void *vt, la_int ldvt, void *work, la_int lwork, int *info, size_t, size_t);
WEFT_LAPACK_COMPLEX(gesvd, la_opt jobu, la_opt jobvt, la_int m, la_int n, void *a, la_int lda, void *s, void *u,
                  la_int ldu, void *vt, la_int ldvt, void *work, la_int lwork, void *rwork, int *info, size_t,
                  size_t);
WEFT_LAPACK_REAL(syevd, la_opt jobz, la_opt uplo, la_int n, void *a, la_int lda, void *w, void *work,
               la_int lwork, int *iwork, la_int liwork, int *info, size_t, size_t);
WEFT_LAPACK_COMPLEX(heevd, la_opt jobz, la_opt uplo, la_int n, void *a, la_int lda, void *w, void *work,
                  la_int lwork, void *rwork, la_int lrwork, int *iwork, la_int liwork, int *info, size_t,
                  size_t);
WEFT_LAPACK_REAL(geev, la_opt jobvl, la_opt jobvr, la_int n, void *a, la_int lda, void *wr, void *wi, void *vl,
               la_int ldvl, void *vr, la_int ldvr, void *work, la_int lwork, int *info, size_t, size_t);
WEFT_LAPACK_COMPLEX(geev, la_opt jobvl, la_opt jobvr, la_int n, void *a, la_int lda, void *w, void *vl,
                  la_int ldvl, void *vr, la_int ldvr, void *work, la_int lwork, void *rwork, int *info, size_t,
                  size_t);
WEFT_LAPACK_REAL(gees, la_opt jobvs, la_opt sort, void *select, la_int n, void *a, la_int lda, int *sdim, void *wr,
               void *wi, void *vs, la_int ldvs, void *work, la_int lwork, int *bwork, int *info, size_t, size_t);
WEFT_LAPACK_COMPLEX(gees, la_opt jobvs, la_opt sort, void *select, la_int n, void *a, la_int lda, int *sdim,
                  void *w, void *vs, la_int ldvs, void *work, la_int lwork, void *rwork, int *bwork, int *info,
                  size_t, size_t);
WEFT_LAPACK_ALL(gehrd, la_int n, la_int ilo, la_int ihi, void *a, la_int lda, void *tau, void *work, la_int lwork, int *info);
WEFT_LAPACK_REAL(sytrd, la_opt uplo, la_int n, void *a, la_int lda, void *d, void *e, void *tau, void *work, la_int lwork, int *info, size_t);
WEFT_LAPACK_COMPLEX(hetrd, la_opt uplo, la_int n, void *a, la_int lda, void *d, void *e, void *tau, void *work, la_int lwork, int *info, size_t);
WEFT_LAPACK_ALL(gtsv, la_int n, la_int nrhs, void *dl, void *d, void *du, void *b, la_int ldb, int *info);

#endif
