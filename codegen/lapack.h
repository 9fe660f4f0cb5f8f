/* lapack.h: LAPACK and BLAS, any library that configure found, in the four element types.
 *
 * Fortran's calling convention as gfortran has it: everything by address, the lengths of texts after all other
 * arguments. Matrices are column-major. Complex and real routines of one name may differ in their arguments; those that
 * do are declared apart.
 */
#ifndef WEFT_CODEGEN_LAPACK_H
#define WEFT_CODEGEN_LAPACK_H

#include "base/dtype.h"

/* s, d, c, z. */
enum { CG_LAPACK_TYPES = 4 };
/* The number of an element type, or -1. */
static inline int cg_lapack_type(weft_dtype t) {
    return t == WEFT_F32 ? 0 : t == WEFT_F64 ? 1 : t == WEFT_C64 ? 2 : t == WEFT_C128 ? 3 : -1;
}

/* On the device's thread, before it calls one of them: a device is one thread, and an OpenBLAS on OpenMP then takes
 * one. */
void cg_lapack_begin(void);

#define CG_LAPACK_REAL(name, ...) void s##name##_(__VA_ARGS__), d##name##_(__VA_ARGS__)
#define CG_LAPACK_COMPLEX(name, ...) void c##name##_(__VA_ARGS__), z##name##_(__VA_ARGS__)
#define CG_LAPACK_ALL(name, ...) CG_LAPACK_REAL(name, __VA_ARGS__); CG_LAPACK_COMPLEX(name, __VA_ARGS__)

typedef const char *cg_opt;
typedef const int *cg_int_in;

CG_LAPACK_ALL(trsm, cg_opt side, cg_opt uplo, cg_opt trans, cg_opt diag, cg_int_in m, cg_int_in n, const void *alpha,
              const void *a, cg_int_in lda, void *b, cg_int_in ldb, size_t, size_t, size_t, size_t);
CG_LAPACK_ALL(gemm, cg_opt transa, cg_opt transb, cg_int_in m, cg_int_in n, cg_int_in k, const void *alpha,
              const void *a, cg_int_in lda, const void *b, cg_int_in ldb, const void *beta, void *c, cg_int_in ldc,
              size_t, size_t);
CG_LAPACK_ALL(potrf, cg_opt uplo, cg_int_in n, void *a, cg_int_in lda, int *info, size_t);
CG_LAPACK_ALL(getrf, cg_int_in m, cg_int_in n, void *a, cg_int_in lda, int *ipiv, int *info);
CG_LAPACK_ALL(geqrf, cg_int_in m, cg_int_in n, void *a, cg_int_in lda, void *tau, void *work, cg_int_in lwork, int *info);
CG_LAPACK_REAL(geqp3, cg_int_in m, cg_int_in n, void *a, cg_int_in lda, int *jpvt, void *tau, void *work, cg_int_in lwork, int *info);
CG_LAPACK_COMPLEX(geqp3, cg_int_in m, cg_int_in n, void *a, cg_int_in lda, int *jpvt, void *tau, void *work, cg_int_in lwork, void *rwork, int *info);
CG_LAPACK_REAL(orgqr, cg_int_in m, cg_int_in n, cg_int_in k, void *a, cg_int_in lda, const void *tau, void *work, cg_int_in lwork, int *info);
CG_LAPACK_COMPLEX(ungqr, cg_int_in m, cg_int_in n, cg_int_in k, void *a, cg_int_in lda, const void *tau, void *work, cg_int_in lwork, int *info);
CG_LAPACK_REAL(ormqr, cg_opt side, cg_opt trans, cg_int_in m, cg_int_in n, cg_int_in k, const void *a, cg_int_in lda,
               const void *tau, void *c, cg_int_in ldc, void *work, cg_int_in lwork, int *info, size_t, size_t);
CG_LAPACK_COMPLEX(unmqr, cg_opt side, cg_opt trans, cg_int_in m, cg_int_in n, cg_int_in k, const void *a, cg_int_in lda,
                  const void *tau, void *c, cg_int_in ldc, void *work, cg_int_in lwork, int *info, size_t, size_t);
CG_LAPACK_REAL(gesdd, cg_opt jobz, cg_int_in m, cg_int_in n, void *a, cg_int_in lda, void *s, void *u, cg_int_in ldu,
               void *vt, cg_int_in ldvt, void *work, cg_int_in lwork, int *iwork, int *info, size_t);
CG_LAPACK_COMPLEX(gesdd, cg_opt jobz, cg_int_in m, cg_int_in n, void *a, cg_int_in lda, void *s, void *u, cg_int_in ldu,
                  void *vt, cg_int_in ldvt, void *work, cg_int_in lwork, void *rwork, int *iwork, int *info, size_t);
CG_LAPACK_REAL(gesvd, cg_opt jobu, cg_opt jobvt, cg_int_in m, cg_int_in n, void *a, cg_int_in lda, void *s, void *u,
               cg_int_in ldu, void *vt, cg_int_in ldvt, void *work, cg_int_in lwork, int *info, size_t, size_t);
CG_LAPACK_COMPLEX(gesvd, cg_opt jobu, cg_opt jobvt, cg_int_in m, cg_int_in n, void *a, cg_int_in lda, void *s, void *u,
                  cg_int_in ldu, void *vt, cg_int_in ldvt, void *work, cg_int_in lwork, void *rwork, int *info, size_t,
                  size_t);
CG_LAPACK_REAL(syevd, cg_opt jobz, cg_opt uplo, cg_int_in n, void *a, cg_int_in lda, void *w, void *work,
               cg_int_in lwork, int *iwork, cg_int_in liwork, int *info, size_t, size_t);
CG_LAPACK_COMPLEX(heevd, cg_opt jobz, cg_opt uplo, cg_int_in n, void *a, cg_int_in lda, void *w, void *work,
                  cg_int_in lwork, void *rwork, cg_int_in lrwork, int *iwork, cg_int_in liwork, int *info, size_t,
                  size_t);
CG_LAPACK_REAL(geev, cg_opt jobvl, cg_opt jobvr, cg_int_in n, void *a, cg_int_in lda, void *wr, void *wi, void *vl,
               cg_int_in ldvl, void *vr, cg_int_in ldvr, void *work, cg_int_in lwork, int *info, size_t, size_t);
CG_LAPACK_COMPLEX(geev, cg_opt jobvl, cg_opt jobvr, cg_int_in n, void *a, cg_int_in lda, void *w, void *vl,
                  cg_int_in ldvl, void *vr, cg_int_in ldvr, void *work, cg_int_in lwork, void *rwork, int *info, size_t,
                  size_t);
CG_LAPACK_REAL(gees, cg_opt jobvs, cg_opt sort, void *select, cg_int_in n, void *a, cg_int_in lda, int *sdim, void *wr,
               void *wi, void *vs, cg_int_in ldvs, void *work, cg_int_in lwork, int *bwork, int *info, size_t, size_t);
CG_LAPACK_COMPLEX(gees, cg_opt jobvs, cg_opt sort, void *select, cg_int_in n, void *a, cg_int_in lda, int *sdim,
                  void *w, void *vs, cg_int_in ldvs, void *work, cg_int_in lwork, void *rwork, int *bwork, int *info,
                  size_t, size_t);
CG_LAPACK_ALL(gehrd, cg_int_in n, cg_int_in ilo, cg_int_in ihi, void *a, cg_int_in lda, void *tau, void *work, cg_int_in lwork, int *info);
CG_LAPACK_REAL(sytrd, cg_opt uplo, cg_int_in n, void *a, cg_int_in lda, void *d, void *e, void *tau, void *work, cg_int_in lwork, int *info, size_t);
CG_LAPACK_COMPLEX(hetrd, cg_opt uplo, cg_int_in n, void *a, cg_int_in lda, void *d, void *e, void *tau, void *work, cg_int_in lwork, int *info, size_t);
CG_LAPACK_ALL(gtsv, cg_int_in n, cg_int_in nrhs, void *dl, void *d, void *du, void *b, cg_int_in ldb, int *info);

#endif
