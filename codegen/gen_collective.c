/* gen_collective.c: column `gen` of the ops that talk to other devices: collectives as steps of the runtime. What
 * reduces with a body that no step adds by, and what has a root, is put together from these in gen_rooted.c. */
#include "codegen/gen_collective.h"
#include "exec/executable.h"

static bool reduction_of(cg_op op, weft_dtype t, uint8_t *out) {
    const bool boolean = t == WEFT_I1, bits = boolean || weft_dtype_is_integer(t);
    /* weft_reduce_find has no other */
    if (weft_dtype_is_complex(t) && op != CG_OP_add && op != CG_OP_multiply) return false;
    switch (op) {
    case CG_OP_add: *out = boolean ? WEFT_REDUCE_OR : WEFT_REDUCE_SUM; return true;
    case CG_OP_multiply: *out = boolean ? WEFT_REDUCE_AND : WEFT_REDUCE_PRODUCT; return true;
    case CG_OP_maximum: *out = boolean ? WEFT_REDUCE_OR : WEFT_REDUCE_MAX; return true;
    case CG_OP_minimum: *out = boolean ? WEFT_REDUCE_AND : WEFT_REDUCE_MIN; return true;
    case CG_OP_and: *out = WEFT_REDUCE_AND; return bits;
    case CG_OP_or: *out = WEFT_REDUCE_OR; return bits;
    case CG_OP_xor: *out = WEFT_REDUCE_XOR; return bits;
    default: return false;
    }
}

weft_status cg_coll_groups(cg_import *im, const weft_op *op, cg_coll *c) {
    const weft_attr *groups = weft_op_attr(op, WEFT_A_replica_groups);
    bool named = groups && groups->kind == WEFT_ATTR_MESH_AXES && groups->mesh_axes.mesh->kind == WEFT_ATTR_SYMBOL;
    const weft_known_groups *known;
    c->axes = NULL;
    c->mesh = NULL;
    if (named) {
        /* Not spelled out: a program is as long for many devices as for few. */
        const weft_op *mesh = weft_module_symbol(im->m, weft_name_str(groups->mesh_axes.mesh->names.v[0]));
        const weft_attr *sizes = mesh ? weft_op_attr(mesh, WEFT_A_mesh) : NULL;
        if (!sizes)
            return weft_report(im->g->cx, WEFT_D_verify, op->loc, "mesh '%s' is not defined",
                               groups->mesh_axes.mesh->names.v[0]->text);
        c->axes = groups;
        c->mesh = groups->mesh_axes.mesh->names.v[0];
        c->group_size = 1;
        for (uint32_t i = 0; i < groups->mesh_axes.axes.n; i++) {
            const weft_axis_ref *a = &groups->mesh_axes.axes.v[i];
            int64_t size = a->size;
            for (uint32_t k = 0; k < sizes->mesh.axis_count; k++)
                if (!size && sizes->mesh.axes[k].name == a->name) size = sizes->mesh.axes[k].size;
            if (!size)
                return weft_report(im->g->cx, WEFT_D_verify, op->loc, "mesh '%s' has no axis '%s'", c->mesh->text,
                                   a->name->text);
            c->group_size *= size;
        }
        return WEFT_OK;
    }
    weft_status st = weft_known_groups_of(&im->groups, im->m, op, im->grid, &known);
    if (st != WEFT_OK) return st;
    c->groups = known->groups;
    c->group_size = c->kind == WEFT_PLAN_COLLECTIVE_PERMUTE ? 0 : c->groups.size;
    return WEFT_OK;
}

/* The types say how many devices a group has; so do the groups. */
static weft_status check_size(cg_import *im, const weft_op *op, const cg_coll *c) {
    int64_t size = c->group_size;
    for (uint32_t i = 0;
         i < op->operand_count && (c->kind == WEFT_PLAN_ALL_GATHER || c->kind == WEFT_PLAN_REDUCE_SCATTER); i++) {
        int64_t in = op->operands[i]->type->dims[c->dim], out = op->results[i].type->dims[c->dim], whole;
        bool gathers = c->kind == WEFT_PLAN_ALL_GATHER;
        if (weft_mul_i64(gathers ? in : out, size, &whole) && whole == (gathers ? out : in)) continue;
        return weft_report(im->g->cx, WEFT_D_partition, op->loc,
                           "'%s' over groups of %lld devices: operand %u has %lld in dimension %lld, the result %lld",
                           op->name->text, (long long)size, i, (long long)in, (long long)c->dim, (long long)out);
    }
    for (int64_t i = 0; c->kind != WEFT_PLAN_ALL_REDUCE && !c->axes && i < c->groups.count * c->groups.size; i++)
        if (c->groups.ids[i] < 0)
            return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "'%s' over groups of different sizes",
                               op->name->text);
    if (c->kind == WEFT_PLAN_ALL_TO_ALL && size != weft_op_int(op, WEFT_A_split_count, size))
        return weft_report(im->g->cx, WEFT_D_partition, op->loc, "'%s' splits for %lld devices, a group has %lld",
                           op->name->text, (long long)weft_op_int(op, WEFT_A_split_count, size), (long long)size);
    return WEFT_OK;
}

bool cg_coll_alone(const cg_import *im, const cg_coll *c) {
    int64_t devices = im->grid.replicas * im->grid.partitions;
    if (c->kind == WEFT_PLAN_COLLECTIVE_PERMUTE) {
        for (int64_t i = 0; i < c->groups.count; i++)
            if (c->groups.ids[2 * i] != c->groups.ids[2 * i + 1]) return false;
        return c->groups.count == devices;
    }
    return c->group_size == 1 && (c->axes || c->groups.count == devices);
}

weft_status cg_coll_begin(cg_import *im, const weft_op *op, weft_coll_kind_plan kind, cg_coll **out) {
    cg_coll *c = weft_arena_new(&im->g->arena, cg_coll);
    if (!c) return weft_oom();
    *out = c;
    c->kind = (uint8_t)kind;
    return cg_coll_groups(im, op, c);
}

weft_status cg_coll_step(cg_import *im, cg_coll *c, cg_node *const *in, uint32_t n, const weft_type *const *types,
                         cg_node **out) {
    cg_graph *g = im->g;
    uint32_t results = n - c->tables;
    cg_node **operands = weft_arena_array(&g->arena, cg_node *, n);
    if (!operands) return weft_oom();
    for (uint32_t i = 0; i < n; i++) operands[i] = cg_in_memory(g, in[i]);
    cg_node *step = cg_begin(g, CG_COLLECTIVE, types[0]->dtype, types[0]->rank, types[0]->dims, operands, n);
    if (!step) return weft_oom();
    step->coll = c;
    step->result_count = results;
    step = cg_finish(g, step);
    for (uint32_t i = 0; i < results; i++)
        if (!(out[i] = cg_part(g, step, i, types[i]))) return weft_oom();
    return WEFT_OK;
}

weft_status cg_coll_operands(cg_import *im, const weft_op *op, uint32_t n, cg_node ***out) {
    cg_node **in = weft_arena_array(&im->g->arena, cg_node *, op->operand_count);
    if (!in) return weft_oom();
    for (uint32_t i = 0; i < n; i++)
        if (!(in[i] = cg_convert(im->g, cg_of(im, op, i), op->results[i].type->dtype)))
            return im->g->status != WEFT_OK ? im->g->status : weft_oom();
    *out = in;
    return WEFT_OK;
}

static weft_status set_all(cg_import *im, const weft_op *op, cg_node *const *values) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) st = cg_set(im, op, i, values[i]);
    return st;
}

static weft_status collective(cg_import *im, const weft_op *op, weft_coll_kind_plan kind, int64_t dim,
                              int64_t concat_dim) {
    cg_coll *c = NULL;
    cg_node **in = NULL;
    weft_status st = cg_coll_begin(im, op, kind, &c);
    if (st != WEFT_OK) return st;
    c->dim = dim;
    c->concat_dim = concat_dim;
    st = check_size(im, op, c);
    if (st == WEFT_OK) st = cg_coll_operands(im, op, op->result_count, &in);
    if (st != WEFT_OK || cg_coll_alone(im, c)) return st == WEFT_OK ? set_all(im, op, in) : st;
    cg_node **out = weft_arena_array(&im->g->arena, cg_node *, op->result_count);
    const weft_type **types = weft_arena_array(&im->g->arena, const weft_type *, op->result_count);
    if (!out || !types) return weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    if (op->region_count) {
        st = cg_coll_reduce(im, op, c, in, types, out);
    } else st = cg_coll_step(im, c, in, op->operand_count, types, out);
    return st == WEFT_OK ? set_all(im, op, out) : st;
}

weft_status cg_coll_reduce(cg_import *im, const weft_op *op, cg_coll *c, cg_node *const *in,
                           const weft_type *const *types, cg_node **out) {
    cg_block *body = NULL;
    weft_status st = cg_import_body(im, &op->regions[0], &body);
    if (st != WEFT_OK) return st;
    uint8_t first = 0, other = 0;
    bool known = true;
    for (uint32_t i = 0; i < op->result_count && known; i++) {
        known = reduction_of(cg_body_op(body), types[i]->dtype, i ? &other : &first);
        if (i && other != first) known = false;
    }
    c->reduction = first;
    return known ? cg_coll_step(im, c, in, op->result_count, types, out) : cg_coll_fold(im, op, c, body, in, out);
}

weft_status weft_gen_all_reduce(cg_import *im, const weft_op *op) {
    return collective(im, op, WEFT_PLAN_ALL_REDUCE, 0, 0);
}
weft_status weft_gen_collective_permute(cg_import *im, const weft_op *op) {
    return collective(im, op, WEFT_PLAN_COLLECTIVE_PERMUTE, 0, 0);
}
weft_status weft_gen_all_gather(cg_import *im, const weft_op *op) {
    return collective(im, op, WEFT_PLAN_ALL_GATHER, weft_op_int(op, WEFT_A_all_gather_dim, 0), 0);
}
weft_status weft_gen_reduce_scatter(cg_import *im, const weft_op *op) {
    return collective(im, op, WEFT_PLAN_REDUCE_SCATTER, weft_op_int(op, WEFT_A_scatter_dimension, 0), 0);
}
weft_status weft_gen_all_to_all(cg_import *im, const weft_op *op) {
    return collective(im, op, WEFT_PLAN_ALL_TO_ALL, weft_op_int(op, WEFT_A_split_dimension, 0),
                      weft_op_int(op, WEFT_A_concat_dimension, 0));
}
