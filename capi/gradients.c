/* gradients.c: the gradients of a graph's value; see weft/gradients.h. */
#include <weft/gradients.h>
#include "base/options.h"
#include "capi/graph_impl.h"
#include "differentiate/differentiate.h"

static bool check(weft_graph *g, weft_tensor *loss, weft_tensor *const *of, size_t n) {
    if (!weft_graph_owns(g, "gradients", &loss, 1) || !weft_graph_owns(g, "gradients", of, n)) return false;
    if (!weft_type_is_tensor(loss->type) || loss->type->rank || !weft_dtype_is_float(loss->type->dtype))
        return weft_graph_fail(g, WEFT_D_usage, "gradients are of a scalar of floats");
    for (size_t i = 0; i < n; i++)
        if (!weft_type_is_tensor(of[i]->type) ||
            (!weft_dtype_is_float(of[i]->type->dtype) && !weft_dtype_is_complex(of[i]->type->dtype)))
            return weft_graph_fail(g, WEFT_D_usage,
                                   "gradients: value %zu is of neither floats nor complex numbers", i);
    return true;
}

void weft_graph_gradients_at(weft_source at, weft_graph *g, weft_tensor *loss, weft_tensor *const *of, size_t n,
                             const weft_gradient_options *options, weft_tensor **out) {
    weft_gradient_options o;
    for (size_t i = 0; out && i < n; i++) out[i] = NULL;
    if (!weft_graph_begin(g, at) || !check(g, loss, of, n)) return;
    if (!out && n) {
        weft_graph_fail(g, WEFT_D_usage, "gradients: out is NULL");
        return;
    }
    weft_status st = WEFT_OPTIONS_READ(g->cx, weft_gradient_options, options, &o);
    if (st != WEFT_OK || o.bound < 0 || o.keep > WEFT_GRADIENT_KEEP_NOTHING) {
        if (st != WEFT_OK) weft_graph_keep(g, st);
        else weft_graph_fail(g, WEFT_D_usage, "gradients: keep or bound is not valid");
        return;
    }
    const weft_gradients what = { .of = loss, .wrt = of, .n = (uint32_t)n, .keep = (weft_keep)o.keep,
                                  .bound = o.bound, .replaced = WEFT_REPLACED_FORWARD };
    st = weft_differentiate(&g->b, &what, out);
    if (st == WEFT_OK) return;
    weft_graph_keep(g, st);
    for (size_t i = 0; i < n; i++) out[i] = NULL;
}
