/* lapack.h: jaxlib's custom calls to LAPACK (inside differentiate/ only). */
#ifndef WEFT_DIFFERENTIATE_LAPACK_H
#define WEFT_DIFFERENTIATE_LAPACK_H

#include "differentiate/matrix.h"

/* A letter of the call's configuration, one of allowed; 0: it has none, and the op is refused. */
char gd_letter(gd *g, const weft_op *op, const char *name, const char *allowed);

/* lapack_orthogonal.c */
void gd_rule_gesdd(gd *g, const weft_op *op);
void gd_rule_geqrf(gd *g, const weft_op *op);
void gd_rule_orgqr(gd *g, const weft_op *op);

#endif
