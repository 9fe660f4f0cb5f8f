/* custom_lapack.h: custom calls to LAPACK: what each routine needs to know, and the step that runs it over a batch. */
#ifndef WEFT_CODEGEN_CUSTOM_LAPACK_H
#define WEFT_CODEGEN_CUSTOM_LAPACK_H

#include "codegen/custom_call.h"

/* A call's state: plain bytes, no padding. */
typedef struct cg_lapack_state {
    int32_t type;           /* 0 s, 1 d, 2 c, 3 z */
    int32_t m, n, k, s, u, v; /* the signature's dimensions */
    int32_t lwork, lrwork, liwork; /* elements of the routine's type, reals, ints */
    char opt[4];            /* the routine's letters, in its order */
    int32_t low, high;
    int32_t zero;
    int64_t batch;
    int64_t rwork_at, iwork_at, spare_at, spare_bytes; /* in scratch, after work */
} cg_lapack_state;

struct cg_lapack {
    weft_status (*plan)(cg_custom *c, cg_lapack_state *s); /* letters and workspace */
    const weft_kernel *kernel;
    weft_bits in_place;
};

/* A letter of backend_config: one of allowed. */
weft_status cg_lapack_letter(cg_custom *c, const char *attr, const char *allowed, char *out);
/* What the routine answered to the question for its best workspace. */
int32_t cg_lapack_answer(const cg_lapack_state *s, const double *work);

static inline size_t cg_lapack_bytes(const cg_lapack_state *s) { return s->type == 0 ? 4 : s->type == 3 ? 16 : 8; }
static inline size_t cg_lapack_real_bytes(const cg_lapack_state *s) { return s->type & 1 ? 8 : 4; }
static inline int32_t cg_lapack_min(int32_t a, int32_t b) { return a < b ? a : b; }
/* Leading dimension of a matrix of so many rows. */
static inline int32_t cg_lapack_ld(int32_t rows) { return rows > 1 ? rows : 1; }

/* The operand's elements in the result's memory, which the routine overwrites. */
void *cg_lapack_copy(void *to, const void *from, size_t bytes);
/* Routines that iterate may not end on what is not finite: then false, info is -4 as gesdd itself has it, and the n
 * results of the batch's entry are NaN. reals: 2 where elements are complex. */
typedef struct cg_lapack_out { void *p; int64_t elems; uint32_t reals; } cg_lapack_out;
bool cg_lapack_finite(const cg_lapack_state *s, const void *a, int64_t elems, int *info, const cg_lapack_out *out,
                      uint32_t n);

#endif
