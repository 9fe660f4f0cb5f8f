/* data_flow.c: the shardings of edges; see data_flow.h. */
#include "propagate/data_flow.h"

static weft_status held_by_edge(weft_shardings *t, const weft_uses *uses, const weft_value *owner,
                                const weft_sharding **out) {
    *out = NULL;
    if (weft_use_count(uses, owner) != 1) return WEFT_OK;
    const weft_op *edge = uses->use[uses->start[owner->id]].op;
    return edge->kind == WEFT_OP_sdy_data_flow_edge ? weft_value_sharding(t, &edge->results[0], out) : WEFT_OK;
}

weft_status weft_edge_shardings(weft_shardings *t, const weft_uses *uses, const weft_value *const *owners, uint32_t n,
                                const weft_sharding **of, bool *any) {
    const weft_mesh *mesh = NULL;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        st = held_by_edge(t, uses, owners[i], &of[i]);
        if (st == WEFT_OK && of[i] && !mesh) mesh = of[i]->mesh;
    }
    *any = mesh != NULL;
    for (uint32_t i = 0; st == WEFT_OK && mesh && i < n; i++)
        if (!of[i] &&
            !(of[i] = weft_sharding_empty(t, mesh, weft_type_is_tensor(owners[i]->type) ? owners[i]->type->rank : 0,
                                          WEFT_OPEN)))
            st = weft_oom();
    return st;
}
