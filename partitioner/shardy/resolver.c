/* resolver.c: what the files of pass sdy-resolve-permutation-factors ask of an op. */
#include "partitioner/shardy/resolver.h"

weft_status weft_resolver_ends_of(weft_resolver *z, const weft_op *op, const weft_sharding **in,
                                  const weft_sharding **out) {
    const weft_value *x = op->operands[0], *y = &op->results[0];
    *in = *out = NULL;
    if (!weft_type_is_tensor(x->type) || !weft_type_is_tensor(y->type) || x->type->quant) return WEFT_OK;
    if (weft_type_elems(x->type) <= 0 || weft_type_elems(y->type) <= 0) return WEFT_OK;
    weft_status st = weft_value_sharding_inside(z->x.cx, z->x.t, x, in);
    if (st == WEFT_OK) st = weft_value_sharding(z->x.t, y, out);
    if (st != WEFT_OK) return st;
    if (!*in || !*out || (*in)->mesh != (*out)->mesh || weft_mesh_is_maximal((*in)->mesh) || !weft_sharding_cuts(*in))
        *in = NULL;
    return WEFT_OK;
}
