/* verify_edges.c: #sdy.propagation_edges, the record of the operands and results to which propagation took each axis.
 *
 * Source: Shardy, shardy/dialect/sdy/ir/verifiers.cc, PropagationEdgesAttr and its users.
 */
#include "ir/check.h"

#include <stdio.h>
#include "ir/verify.h"

static bool same_ref(const weft_edge_ref *a, const weft_edge_ref *b) { return a->of == b->of && a->index == b->index; }

static bool explain_axis(const weft_edge_step *s, const weft_edge_axis *x, char *why, size_t size) {
    for (uint32_t t = 0; t < x->target_count; t++) {
        if (same_ref(&x->source, &x->targets[t]))
            return snprintf(why, size, "propagation edges have a source that is the same as a target"), false;
        for (uint32_t u = 0; u < t; u++)
            if (same_ref(&x->targets[u], &x->targets[t])) {
                snprintf(why, size, "propagation edges have duplicate targets for step index: %lld and axis: %s",
                         (long long)s->step, x->axis.name->text);
                return false;
            }
    }
    return true;
}

bool weft_edges_explain(const weft_attr *a, char *why, size_t size) {
    for (uint32_t i = 0; i < a->edges.n; i++) {
        const weft_edge_step *s = &a->edges.v[i];
        if (s->step < 0)
            return snprintf(why, size, "propagation edges have negative step index: %lld", (long long)s->step), false;
        for (uint32_t k = 0; k < i; k++)
            if (a->edges.v[k].step == s->step)
                return snprintf(why, size, "propagation edges have duplicate step index: %lld", (long long)s->step),
                       false;
        for (uint32_t k = 0; k < s->axis_count; k++)
            if (!explain_axis(s, &s->axes[k], why, size)) return false;
    }
    return true;
}

/* The operand or result of op to which e refers, or NULL. */
static const weft_value *value_of(const weft_op *op, const weft_edge_ref *e) {
    const bool result = e->of == WEFT_EDGE_RESULT;
    if (e->index < 0 || e->index >= (result ? op->result_count : op->operand_count)) return NULL;
    return result ? &op->results[e->index] : op->operands[e->index];
}

/* The mesh to which the edges of an op refer: that of the values' shardings. */
typedef struct referred {
    const weft_mesh_attr *mesh;
    bool clash;       /* there are different meshes */
    bool elsewhere;   /* a value's sharding is on a data-flow edge, not on the value */
} referred;

/* Operand references of a data-flow edge are to its sources, which its operand represents. */
static bool is_source(const weft_op *op, const weft_edge_ref *e) {
    return op->kind == WEFT_OP_sdy_data_flow_edge && e->of == WEFT_EDGE_OPERAND && e->index >= 0;
}

static bool is_inner_arg(const weft_value *v) { return v && !v->def && v->block->parent->parent->kind != WEFT_OP_func; }

static weft_status add_mesh(weft_checker *c, const weft_op *op, const weft_edge_ref *e, referred *r) {
    const weft_value *v = value_of(op, e);
    const weft_attr *s = NULL;
    weft_status st = v ? weft_written_sharding(c, v, &s) : WEFT_OK;
    const weft_mesh_attr *mesh = st == WEFT_OK && s ? weft_find_mesh(c, op, s->sharding.mesh) : NULL;
    r->elsewhere |= is_source(op, e) || is_inner_arg(v);
    if (!mesh) return st;
    if (!r->mesh || (!r->mesh->axis_count && !r->mesh->device_ids.n)) r->mesh = mesh;
    else if ((mesh->axis_count || mesh->device_ids.n) && !weft_mesh_attr_equal(r->mesh, mesh)) r->clash = true;
    return WEFT_OK;
}

static weft_status check_ref(weft_checker *c, const weft_op *op, const weft_edge_ref *e) {
    if (is_source(op, e) || op->kind == WEFT_OP_sdy_func_data_flow_edge || value_of(op, e)) return WEFT_OK;
    return weft_bad_sharding(c, op, "expected a value ref to have %s index in range [0, %u), got: %lld",
                             e->of == WEFT_EDGE_RESULT ? "a result" : "an operand",
                             e->of == WEFT_EDGE_RESULT ? op->result_count : op->operand_count, (long long)e->index);
}

static weft_status check_axis(weft_checker *c, const weft_op *op, const weft_mesh_attr *mesh, const weft_edge_axis *x) {
    if (weft_mesh_axis_index(mesh, x->axis.name) < 0)
        return weft_bad_sharding(c, op, "expected axis ref to be in one of the meshes");
    weft_status st = check_ref(c, op, &x->source);
    for (uint32_t t = 0; t < x->target_count && st == WEFT_OK; t++) st = check_ref(c, op, &x->targets[t]);
    return st;
}

weft_status weft_check_edges(weft_checker *c, const weft_op *op, const weft_attr *a) {
    referred r = { 0 };
    weft_status st = WEFT_OK;
    if (a->kind != WEFT_ATTR_EDGES)
        return weft_bad_sharding(
            c, op,
            "should have a propagation edges attribute of type PropagationEdgesAttr for attr named 'sdy.propagation_edges'");
    for (uint32_t i = 0; i < a->edges.n; i++)
        for (uint32_t k = 0; k < a->edges.v[i].axis_count && st == WEFT_OK; k++) {
            const weft_edge_axis *x = &a->edges.v[i].axes[k];
            st = add_mesh(c, op, &x->source, &r);
            for (uint32_t t = 0; t < x->target_count && st == WEFT_OK; t++) st = add_mesh(c, op, &x->targets[t], &r);
        }
    if (st != WEFT_OK) return st;
    if (!r.mesh && r.elsewhere) return WEFT_OK;
    if (!r.mesh) return weft_bad_sharding(c, op, "expected propagation edges attr to reference a sharding.");
    if (r.clash) return weft_bad_sharding(c, op, "expected a common mesh for propagation edges attr.");
    for (uint32_t i = 0; i < a->edges.n; i++)
        for (uint32_t k = 0; k < a->edges.v[i].axis_count && st == WEFT_OK; k++)
            st = check_axis(c, op, r.mesh, &a->edges.v[i].axes[k]);
    return st;
}

weft_status weft_check_edges_per_value(weft_checker *c, const weft_op *op, const weft_attr *a) {
    bool good = a->kind == WEFT_ATTR_ARRAY;
    for (uint32_t i = 0; good && i < a->items.n; i++) good = a->items.v[i]->kind == WEFT_ATTR_EDGES;
    if (good) return WEFT_OK;
    return weft_bad_sharding(
        c, op,
        "should have a propagation edges attribute of type ArrayAttr<PropagationEdgesAttr> for attr named "
        "'sdy.result_propagation_edges' or 'sdy.block_arg_propagation_edges'");
}
