/* lapack_step.h: kernels that call LAPACK over a batch: their state, and what each asks for.
 *
 * Buffers: as the op that is compiled has operands and results, then scratch: work, and from rwork_at, iwork_at and
 * spare_at on what else the routine needs. It is for one entry of the batch at a time. The device's threads share the
 * batch: each calls LAPACK for entries of its own, in scratch memory of its own.
 */
#ifndef WEFT_KERNELS_LAPACK_STEP_H
#define WEFT_KERNELS_LAPACK_STEP_H

#include "exec/kernels/kernels.h"

/* A call's state: plain bytes, no padding. */
typedef struct weft_lapack_state {
    int32_t type;           /* 0 s, 1 d, 2 c, 3 z */
    int32_t m, n, k, s, u, v; /* dimensions, by the letters of ir/lapack.def */
    int32_t lwork, lrwork, liwork; /* elements of the routine's type, reals, ints */
    char opt[4];            /* the routine's letters, in its order */
    int32_t low, high;
    int32_t zero;
    int64_t batch;
    int64_t rwork_at, iwork_at, spare_at, spare_bytes; /* in scratch, after work */
} weft_lapack_state;

/* A routine: ask sets the sizes of its workspace (lwork, lrwork, liwork, spare_bytes), once letters and dimensions are
 * set; NULL: it needs none. */
typedef struct weft_lapack_routine {
    const weft_kernel *kernel;
    void (*ask)(weft_lapack_state *s);
} weft_lapack_routine;
extern const weft_lapack_routine weft_lapack_trsm, weft_lapack_potrf, weft_lapack_getrf, weft_lapack_geqrf,
    weft_lapack_geqp3, weft_lapack_orgqr, weft_lapack_ormqr, weft_lapack_gehrd, weft_lapack_sytrd, weft_lapack_gtsv,
    weft_lapack_gesdd, weft_lapack_gesvd, weft_lapack_syevd, weft_lapack_geev, weft_lapack_gees;

/* Reals that the singular values of complex matrices take. */
int64_t weft_lapack_gesdd_reals(const weft_lapack_state *s);
int64_t weft_lapack_gesvd_reals(const weft_lapack_state *s);

/* ---- for the routines ---- */

/* What the routine answered to the question for its best workspace. */
int32_t weft_lapack_answer(const weft_lapack_state *s, const double *work);

static inline size_t weft_lapack_bytes(const weft_lapack_state *s) { return s->type == 0 ? 4 : s->type == 3 ? 16 : 8; }
static inline size_t weft_lapack_real_bytes(const weft_lapack_state *s) { return s->type & 1 ? 8 : 4; }
static inline int32_t weft_lapack_min(int32_t a, int32_t b) { return a < b ? a : b; }
/* Leading dimension of a matrix of so many rows. */
static inline int32_t weft_lapack_ld(int32_t rows) { return rows > 1 ? rows : 1; }

/* Does entry i of the batch. */
typedef void weft_lapack_one(const weft_lapack_state *s, void *const *b, int64_t i);
/* Entries are the grains of a call: does those of env, as weft_lapack_begin wants it. */
weft_status weft_lapack_each(const void *state, void *const *b, const weft_run_env *env, weft_lapack_one *one);
int64_t weft_lapack_grains(const void *state);

/* The kernel by routine_one, and the routine that asks for its workspace by ask, or NULL. */
#define WEFT_LAPACK_KERNEL(routine, ask) \
    static weft_status routine##_run(const void *state, void *const *b, const weft_run_env *env) { \
        return weft_lapack_each(state, b, env, routine##_one); \
    } \
    const weft_kernel weft_kernel_##routine = { .name = #routine, .run = routine##_run, \
                                                .state_bytes = sizeof(weft_lapack_state), \
                                                .grains = weft_lapack_grains }; \
    const weft_lapack_routine weft_lapack_##routine = { &weft_kernel_##routine, ask }

/* Entry i of p, whose entries have so many elements of the routine's type, or reals. */
static inline void *weft_lapack_entry(const weft_lapack_state *s, void *p, int64_t i, int64_t elems) {
    return (char *)p + (size_t)(i * elems) * weft_lapack_bytes(s);
}
static inline void *weft_lapack_real_entry(const weft_lapack_state *s, void *p, int64_t i, int64_t elems) {
    return (char *)p + (size_t)(i * elems) * weft_lapack_real_bytes(s);
}
/* Entry i of a result, which the routine overwrites: with the operand's elements, or zeros. */
void *weft_lapack_copied(const weft_lapack_state *s, void *to, const void *from, int64_t i, int64_t elems);
void *weft_lapack_zeroed(const weft_lapack_state *s, void *to, int64_t i, int64_t elems);
/* Routines that iterate may not end on what is not finite: then false, info is -4 as gesdd itself has it, and the n
 * results of the batch's entry are NaN. reals: 2 where elements are complex. */
typedef struct weft_lapack_out { void *p; int64_t elems; uint32_t reals; } weft_lapack_out;
bool weft_lapack_finite(const weft_lapack_state *s, const void *a, int64_t elems, int *info, const weft_lapack_out *out,
                        uint32_t n);

#endif
