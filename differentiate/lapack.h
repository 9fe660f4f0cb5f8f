/* lapack.h: rules of LAPACK's routines that have files of their own (inside differentiate/ only). */
#ifndef WEFT_DIFFERENTIATE_LAPACK_H
#define WEFT_DIFFERENTIATE_LAPACK_H

#include "differentiate/matrix.h"

void gd_rule_gesdd(gd *g, const weft_op *op); /* lapack_svd.c */
void gd_rule_geqrf(gd *g, const weft_op *op); /* lapack_qr.c */
void gd_rule_orgqr(gd *g, const weft_op *op);
void gd_rule_geev(gd *g, const weft_op *op);  /* lapack_eig.c */
void gd_rule_gtsv(gd *g, const weft_op *op);  /* lapack_tridiagonal.c */

#endif
