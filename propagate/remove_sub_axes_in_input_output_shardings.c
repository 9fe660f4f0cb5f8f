/* sdy-remove-sub-axes-in-input-output-shardings: propagation may have given arguments and results of @main parts of
 * axes, which users cannot write. Truncates each open dimension before the first part; closed ones are the user's own.
 * Needs: a finished propagation, dimensions not closed yet. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/propagate.h"
#include "propagate/transform.h"

static const weft_sharding *cut_parts(weft_shardings *t, const weft_sharding *s, const weft_type *type) {
    weft_dim dims[WEFT_MAX_RANK];
    (void)type;
    for (uint32_t d = 0; d < s->rank; d++) {
        uint32_t n = 0;
        dims[d] = s->dims[d];
        while (n < dims[d].axes.n && (int64_t)dims[d].axes.v[n].size == s->mesh->axes[dims[d].axes.v[n].axis].size) n++;
        if (dims[d].open) dims[d].axes.n = n;
    }
    return weft_sharding_make(t, s->mesh, s->rank, dims, s->replicated, s->unreduced);
}

weft_status weft_pass_remove_sub_axes_in_input_output_shardings(weft_pass *p, const weft_module *in,
                                                                weft_module **out) {
    return weft_transform_borders(p, in, WEFT_BORDERS_OF_MAIN, cut_parts, out);
}
