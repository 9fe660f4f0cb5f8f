/* variants.h: variants of a program with the same meaning, to be compared with each other (verify.h).
 *
 * All functions take modules of one function, as weft-prepare leaves them.
 */
#ifndef WEFT_PIPELINE_VARIANTS_H
#define WEFT_PIPELINE_VARIANTS_H

#include "ir/module.h"

/* m without meshes and shardings: constraints, reshards, barriers and sdy's own collectives become their operands. */
weft_status weft_module_bare(const weft_module *m, weft_module **out);

/* m with other shardings than its own: see draw_shardings.c, the pass weft-draw-shardings. */
typedef enum weft_draw_evenness { WEFT_DRAW_EVEN, WEFT_DRAW_ANY } weft_draw_evenness;
typedef struct weft_draw {
    uint64_t seed;
    weft_str mesh;       /* "x=2,y=4", or empty: by `devices` */
    int64_t devices;     /* of a mesh with random axes; 0: m's own mesh, or else a small one */
    weft_draw_evenness evenness;
} weft_draw;
weft_status weft_module_draw_shardings(const weft_module *m, const weft_draw *how, weft_module **out);

/* m whose @main also returns values[0..n), with their shardings, after its own results; checks are removed.
 * The values are tensors of @main's own block. */
weft_status weft_module_return_values(const weft_module *m, const weft_value *const *values, uint32_t n,
                                      weft_module **out);

/* Whether op only compares tensors: check.expect_*, as an op or as a custom call. */
bool weft_op_is_check(const weft_op *op);

#endif
