/* strategy_impl.h: what a strategist has decided; shared by strategy.c, strategy_write.c and moves.c. */
#ifndef WEFT_PIPELINE_DRYRUN_STRATEGY_IMPL_H
#define WEFT_PIPELINE_DRYRUN_STRATEGY_IMPL_H

#include "pipeline/dryrun/products.h"
#include "pipeline/dryrun/strategy.h"

enum { WEFT_MOST_AXES = 6 }; /* of one dimension */
#define WEFT_NO_AXIS UINT32_MAX

/* Axes of the mesh, by number: the slowest of a dimension first. */
typedef struct weft_axes { uint8_t n, v[WEFT_MOST_AXES]; } weft_axes;

struct weft_strategist {
    const weft_module *m;
    weft_arena *arena;
    const weft_op *main;
    const weft_mesh_attr *mesh;
    const weft_attr *ref;
    weft_dim_classes classes;
    weft_roles roles;
    weft_products products;
    weft_axes *of_class;       /* of all dimensions of a class: by class */
    weft_axes *of_dim;         /* besides, of one argument: by number of the dimension */
    bool *whole;               /* by class: tp gathers it. By number of its first dimension */
    uint32_t sequence;         /* class: of data, after the batch */
    uint32_t tp_axis;
    bool scatters, gathers;    /* sp; fsdp, zero1, zero2 */
    bool keeps_gradients;      /* zero1: each device has them whole */
    uint64_t taken;            /* axes that a tactic without a name does not take */
    uint32_t changes;          /* of the tactic that is being added */
};

static inline int64_t weft_axis_size(const weft_strategist *s, uint32_t axis) { return s->mesh->axes[axis].size; }

static inline bool weft_axes_have(const weft_axes *a, uint32_t axis) {
    for (uint8_t i = 0; i < a->n; i++)
        if (a->v[i] == axis) return true;
    return false;
}

/* false: it is there, or there is no room. */
static inline bool weft_axes_add(weft_axes *a, uint32_t axis) {
    if (a->n == WEFT_MOST_AXES || weft_axes_have(a, axis)) return false;
    a->v[a->n++] = (uint8_t)axis;
    return true;
}

/* Into how many parts they split a dimension. */
static inline int64_t weft_axes_parts(const weft_strategist *s, const weft_axes *a) {
    int64_t n = 1;
    for (uint8_t i = 0; i < a->n; i++) n *= weft_axis_size(s, a->v[i]);
    return n;
}

/* Whether a dimension of this size, split along a, can be split along the axis too. */
static inline bool weft_axes_divide(const weft_strategist *s, int64_t size, const weft_axes *a, uint32_t axis) {
    return size % (weft_axes_parts(s, a) * weft_axis_size(s, axis)) == 0;
}

static inline const weft_value *weft_strategist_argument(const weft_strategist *s, uint32_t i) {
    return weft_op_body(s->main, 0)->args[i];
}

static inline bool weft_classes_split(const weft_strategist *s, const uint32_t *classes, uint32_t n, uint32_t axis) {
    for (uint32_t i = 0; i < n; i++)
        if (weft_axes_have(&s->of_class[classes[i]], axis)) return true;
    return false;
}

/* The axes of dimension d of argument i. Only data has those of the sequence. An axis that an earlier dimension has, or
 * that does not divide what is left, is not among them. */
weft_axes weft_strategist_axes(const weft_strategist *s, uint32_t i, uint32_t d);
/* Whether a dimension of argument i has the axis. */
bool weft_strategist_has(const weft_strategist *s, uint32_t i, uint32_t axis);
/* Whether the axis divides all dimensions of the class further. */
bool weft_strategist_divides(const weft_strategist *s, uint32_t class, uint32_t axis);

#endif
