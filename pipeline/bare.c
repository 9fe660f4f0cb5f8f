/* bare: removes a program's meshes and shardings; see variants.h.
 *
 * Leaves: no sdy.mesh, no sdy.sharding on ops, arguments or results, no op of sdy that is the identity on global
 * values. The program computes the same.
 */
#include "ir/rewrite.h"
#include "pipeline/variants.h"
#include "propagate/drop_attrs.h"

/* Identities on global values: constraints, edges, barriers, and sdy's own collectives. */
static bool is_identity(const weft_op *op) {
    return weft_op_is_marker(op) || weft_op_kind_has_attr((weft_op_kind)op->kind, WEFT_A_out_sharding);
}

static weft_status strip(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    static const weft_attr_name lists[] = { WEFT_A_sdy_sharding, WEFT_A_in_shardings, WEFT_A_out_shardings };
    if (op->kind == WEFT_OP_sdy_mesh || op->kind == WEFT_OP_sdy_sharding_group) {
        *did = WEFT_DONE;
        return WEFT_OK;
    }
    if (is_identity(op)) {
        r->map.to[op->results[0].id] = r->map.to[op->operands[0]->id];
        *did = WEFT_DONE;
        return WEFT_OK;
    }
    bool says = op->kind == WEFT_OP_func;
    for (size_t i = 0; i < WEFT_COUNT(lists); i++) says |= weft_op_attr(op, lists[i]) != NULL;
    if (!says || op->kind == WEFT_OP_sdy_manual_computation) return WEFT_OK;
    weft_op *made = weft_clone_shell(b, op, &r->map, NULL);
    if (!made) return b->status;
    weft_name names[WEFT_COUNT(lists)];
    for (size_t i = 0; i < WEFT_COUNT(lists); i++) names[i] = weft_name_at(r->out->cx, lists[i]);
    weft_status st = weft_drop_attrs(r->out, made, names, WEFT_COUNT(lists));
    *did = WEFT_DONE;
    return st == WEFT_OK ? weft_rewrite_regions(r, op, made) : st;
}

weft_status weft_module_bare(const weft_module *m, weft_module **out) {
    weft_arena arena;
    weft_arena_init(&arena, &m->cx->chunks);
    weft_status st = weft_rewrite_module(&(weft_rewrite){ .op = strip }, m, &arena, out);
    weft_arena_free(&arena);
    const weft_attr *partitions = st == WEFT_OK ? weft_op_attr((*out)->root, WEFT_A_mhlo_num_partitions) : NULL;
    if (!partitions) return st;
    const weft_attr *one = weft_attr_int(m->cx, 1, partitions->type);
    st = one ? weft_op_set(*out, (*out)->root, WEFT_A_mhlo_num_partitions, one) : weft_oom();
    if (st != WEFT_OK) {
        weft_module_free(*out);
        *out = NULL;
    }
    return st;
}
