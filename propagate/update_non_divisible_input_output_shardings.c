/* sdy-update-non-divisible-input-output-shardings: what users hand in and get back is cut evenly. In each dimension of an
 * argument or result of @main the axes stop where they would no longer divide it; the last one may be cut to a part.
 * Needs: propagation is over. Source: Shardy, docs/sdy_export_passes.md. */
#include "propagate/propagate.h"
#include "propagate/transform.h"

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static weft_axes even_prefix(weft_axes a, int64_t size, weft_axis *store) {
    uint32_t n = 0;
    for (; n < a.n; n++) {
        int64_t common = gcd(size, a.v[n].size);
        if (common == 1) break;
        store[n] = a.v[n];
        size /= common;
        if (common == a.v[n].size) continue;
        store[n++].size = (uint32_t)common;
        break;
    }
    return (weft_axes){ store, n };
}

static const weft_sharding *make_even(weft_shardings *t, const weft_sharding *s, const weft_type *type) {
    weft_axis store[WEFT_MAX_MESH_AXES + 32];
    weft_dim dims[WEFT_MAX_RANK];
    uint32_t used = 0;
    if (!weft_type_is_tensor(type) || !weft_type_is_static(type) || type->rank != s->rank || weft_sharding_divides(s, type->dims)) return s;
    for (uint32_t d = 0; d < s->rank; d++) {
        dims[d] = s->dims[d];
        if (type->dims[d] % weft_dim_shards(s, d) == 0) continue;
        dims[d].axes = even_prefix(s->dims[d].axes, type->dims[d], store + used);
        dims[d].priority = WEFT_NO_PRIORITY;
        used += dims[d].axes.n;
    }
    return weft_sharding_make(t, s->mesh, s->rank, dims, s->replicated, s->unreduced);
}

weft_status weft_pass_update_non_divisible_input_output_shardings(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    return weft_transform_main(in, make_even, out);
}
