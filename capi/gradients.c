/* gradients.c: the derivatives of a graph's values; see weft/gradients.h. */
#include <weft/gradients.h>
#include "base/options.h"
#include "capi/graph_impl.h"
#include "differentiate/differentiate.h"

static bool check_all(weft_graph *g, const char *call, weft_tensor *const *v, size_t n) {
    if (!weft_graph_owns(g, call, v, n)) return false;
    for (size_t i = 0; i < n; i++)
        if (!weft_type_has_derivative(v[i]->type))
            return weft_graph_fail(g, WEFT_D_usage, "%s: value %zu is of neither floats nor complex numbers", call, i);
    return true;
}

static bool ended_well(weft_graph *g, weft_status st) {
    if (st != WEFT_OK) weft_graph_keep(g, st);
    return st == WEFT_OK;
}

static bool read_options(weft_graph *g, const char *call, const weft_gradient_options *options, weft_tensor **out,
                         size_t n, weft_gradients *what) {
    weft_gradient_options o;
    if (!out && n) return weft_graph_fail(g, WEFT_D_usage, "%s: out is NULL", call);
    if (!ended_well(g, WEFT_OPTIONS_READ(g->cx, g->b.loc, weft_gradient_options, options, &o))) return false;
    if (o.bound < 0 || o.keep > WEFT_GRADIENT_KEEP_NOTHING)
        return weft_graph_fail(g, WEFT_D_usage, "%s: keep or bound is not valid", call);
    what->keep = (weft_keep)o.keep;
    what->bound = o.bound;
    what->replaced = WEFT_REPLACED_FORWARD;
    return true;
}

static void set_null(weft_tensor **out, size_t n) {
    for (size_t i = 0; out && i < n; i++) out[i] = NULL;
}

static bool is_loss(weft_graph *g, weft_tensor *loss) {
    if (!weft_graph_owns(g, "gradients", &loss, 1)) return false;
    if (weft_type_is_tensor(loss->type) && !loss->type->rank && weft_dtype_is_float(loss->type->dtype)) return true;
    return weft_graph_fail(g, WEFT_D_usage, "gradients are of a scalar of floats");
}

/* out may be the array that holds the operands, so it is written last. */
void weft_graph_gradients_at(weft_source at, weft_graph *g, weft_tensor *loss, weft_tensor *const *of, size_t n,
                             const weft_gradient_options *options, weft_tensor **out) {
    weft_gradients what = { .of = &loss, .of_n = 1, .wrt = of, .n = (uint32_t)n };
    if (!weft_graph_begin(g, at) || !is_loss(g, loss) || !check_all(g, "gradients", of, n) ||
        !read_options(g, "gradients", options, out, n, &what) ||
        !ended_well(g, weft_differentiate(&g->b, &what, out)))
        set_null(out, n);
}

static bool check_tangents(weft_graph *g, weft_tensor *const *wrt, weft_tensor *const *tangents, size_t n) {
    if (!check_all(g, "tangents", wrt, n) || !weft_graph_owns(g, "tangents", tangents, n)) return false;
    for (size_t i = 0; i < n; i++)
        if (tangents[i]->type != wrt[i]->type)
            return weft_graph_fail(g, WEFT_D_usage, "tangents: tangent %zu has not the type of its value", i);
    return true;
}

void weft_graph_tangents_at(weft_source at, weft_graph *g, weft_tensor *const *of, size_t of_n,
                            weft_tensor *const *wrt, weft_tensor *const *tangents, size_t n,
                            const weft_gradient_options *options, weft_tensor **out) {
    weft_gradients what = { .of = of, .of_n = (uint32_t)of_n, .wrt = wrt, .n = (uint32_t)n };
    if (!weft_graph_begin(g, at) || !check_all(g, "tangents", of, of_n) || !check_tangents(g, wrt, tangents, n) ||
        !read_options(g, "tangents", options, out, of_n, &what) ||
        !ended_well(g, weft_differentiate_along(&g->b, &what, tangents, out)))
        set_null(out, of_n);
}
