/* gen_collective.c: column `gen` of the ops that talk to other devices. */
#include "codegen/import.h"
#include "cost/plan.h"
#include "codegen/executable.h"

/* Devices per group, from either form of groups. */
static weft_status group_size(cg_import *im, const weft_op *op, const weft_attr *groups, int64_t *size, weft_name *mesh) {
    weft_context *cx = im->g->cx;
    *mesh = NULL;
    *size = 1;
    if (groups->kind == WEFT_ATTR_DENSE) {
        if (groups->type->rank != 2) return weft_report(cx, WEFT_D_verify, op->loc, "replica groups of '%s' are not a matrix", op->name->text);
        *size = groups->type->dims[1];
        return WEFT_OK;
    }
    if (groups->kind != WEFT_ATTR_MESH_AXES || groups->mesh_axes.mesh->kind != WEFT_ATTR_SYMBOL)
        return weft_report(cx, WEFT_D_unsupported, op->loc, "replica groups of '%s' in this form", op->name->text);
    *mesh = groups->mesh_axes.mesh->names.v[0];
    const weft_op *m = weft_module_symbol(im->m, weft_name_str(*mesh));
    const weft_attr *sizes = m ? weft_op_attr(m, WEFT_A_mesh) : NULL;
    if (!sizes) return weft_report(cx, WEFT_D_verify, op->loc, "mesh '%s' is not defined", (*mesh)->text);
    for (uint32_t i = 0; i < groups->mesh_axes.axes.n; i++) {
        const weft_axis_ref *a = &groups->mesh_axes.axes.v[i];
        int64_t axis = 0;
        for (uint32_t k = 0; k < sizes->mesh.axis_count; k++)
            if (sizes->mesh.axes[k].name == a->name) axis = sizes->mesh.axes[k].size;
        if (!axis) return weft_report(cx, WEFT_D_verify, op->loc, "mesh '%s' has no axis '%s'", (*mesh)->text, a->name->text);
        *size *= a->size ? a->size : axis;
    }
    return WEFT_OK;
}

static bool reduction_of(cg_op op, weft_dtype t, uint8_t *out) {
    const bool boolean = t == WEFT_I1;
    if (weft_dtype_is_complex(t) && op != CG_OP_add && op != CG_OP_multiply) return false; /* weft_reduce_find has no other */
    switch (op) {
    case CG_OP_add: *out = boolean ? WEFT_REDUCE_OR : WEFT_REDUCE_SUM; return true;
    case CG_OP_multiply: *out = boolean ? WEFT_REDUCE_AND : WEFT_REDUCE_PRODUCT; return true;
    case CG_OP_maximum: *out = boolean ? WEFT_REDUCE_OR : WEFT_REDUCE_MAX; return true;
    case CG_OP_minimum: *out = boolean ? WEFT_REDUCE_AND : WEFT_REDUCE_MIN; return true;
    case CG_OP_and: *out = WEFT_REDUCE_AND; return true;
    case CG_OP_or: *out = WEFT_REDUCE_OR; return true;
    case CG_OP_xor: *out = WEFT_REDUCE_XOR; return true;
    default: return false;
    }
}

/* The verifier lets pass what groups of replicas with all their partitions could make; here a group is what the text lists. */
static weft_status check_sizes(cg_import *im, const weft_op *op, weft_coll_kind_plan kind, int64_t dim, int64_t size) {
    bool gathers = kind == WEFT_PLAN_ALL_GATHER;
    if (!gathers && kind != WEFT_PLAN_REDUCE_SCATTER) return WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        int64_t from = op->operands[i]->type->dims[dim], to = op->results[i].type->dims[dim], whole;
        if (weft_mul_i64(gathers ? from : to, size, &whole) && whole == (gathers ? to : from)) continue;
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "'%s' over groups of replicas with all their partitions: operand %u has %lld in dimension %lld, "
                           "result %lld, a group has %lld devices; say use_global_device_ids", op->name->text, i, (long long)from, (long long)dim, (long long)to, (long long)size);
    }
    return WEFT_OK;
}

static weft_status collective(cg_import *im, const weft_op *op, weft_coll_kind_plan kind, int64_t dim, int64_t concat_dim) {
    cg_graph *g = im->g;
    cg_coll *c = weft_arena_new(&g->arena, cg_coll);
    cg_node **in = weft_arena_array(&g->arena, cg_node *, op->operand_count);
    if (!c || !in) return weft_oom();
    c->kind = (uint8_t)kind;
    c->dim = dim;
    c->concat_dim = concat_dim;
    c->groups = weft_op_attr(op, kind == WEFT_PLAN_COLLECTIVE_PERMUTE ? WEFT_A_source_target_pairs : WEFT_A_replica_groups);
    weft_status st = WEFT_OK;
    if (kind == WEFT_PLAN_COLLECTIVE_PERMUTE) c->group_size = 0;
    else st = group_size(im, op, c->groups, &c->group_size, &c->mesh);
    if (st == WEFT_OK) st = check_sizes(im, op, kind, dim, c->group_size);
    if (st == WEFT_OK && op->region_count) {
        cg_block *body = NULL;
        st = cg_import_region(im, &op->regions[0], &body);
        if (st == WEFT_OK && !reduction_of(cg_body_op(body), op->operands[0]->type->dtype, &c->reduction))
            st = weft_report(g->cx, WEFT_D_unsupported, op->loc, "'%s' with a body other than add, mul, min, max, and, or, xor", op->name->text);
    }
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < op->operand_count; i++) in[i] = cg_of(im, op, i);
    const weft_type *t = op->results[0].type;
    cg_node *n = cg_begin(g, CG_COLLECTIVE, t->dtype, t->rank, t->dims, in, op->operand_count);
    if (!n) return weft_oom();
    n->coll = c;
    n->result_count = op->result_count;
    n = cg_finish(g, n);
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) st = cg_set(im, op, i, cg_part(g, n, i, op->results[i].type));
    return st;
}

weft_status weft_gen_all_reduce(cg_import *im, const weft_op *op) { return collective(im, op, WEFT_PLAN_ALL_REDUCE, 0, 0); }
weft_status weft_gen_collective_permute(cg_import *im, const weft_op *op) { return collective(im, op, WEFT_PLAN_COLLECTIVE_PERMUTE, 0, 0); }
weft_status weft_gen_all_gather(cg_import *im, const weft_op *op) {
    return collective(im, op, WEFT_PLAN_ALL_GATHER, weft_op_int(op, WEFT_A_all_gather_dim, 0), 0);
}
weft_status weft_gen_reduce_scatter(cg_import *im, const weft_op *op) {
    return collective(im, op, WEFT_PLAN_REDUCE_SCATTER, weft_op_int(op, WEFT_A_scatter_dimension, 0), 0);
}
weft_status weft_gen_all_to_all(cg_import *im, const weft_op *op) {
    return collective(im, op, WEFT_PLAN_ALL_TO_ALL, weft_op_int(op, WEFT_A_split_dimension, 0), weft_op_int(op, WEFT_A_concat_dimension, 0));
}
