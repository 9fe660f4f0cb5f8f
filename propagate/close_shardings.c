/* sdy-close-shardings: closes every sharding and drops its replicated axes.
 * Needs: a finished propagation. Leaves: no open dimension. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/propagate.h"
#include "propagate/transform.h"

static const weft_sharding *close_one(weft_shardings *t, const weft_sharding *s, void *user) {
    (void)user;
    return weft_sharding_close(t, s);
}

weft_status weft_pass_close_shardings(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_transform_shardings(p, in, close_one, NULL, out);
}
