/* single_device: an op whose result is on one device is done by that device and told to the others.
 *
 * Pass sdy-resolve-single-device-sharding. Needs: results on a maximal mesh where an op belongs to one device, its
 * operands brought there by sdy.reshard. Leaves in place of each such op a stablehlo.if by the device's number, whose
 * other branch gives zeros, and a sum over all axes of the program's mesh after it; reshards to the device and back
 * that this makes idle are gone. Global shapes. Options: of replica-count and partition-count the one above 1 says
 * which number a device goes by. Source: Shardy, docs/sdy_export_passes.md.
 */
#include "ir/rewrite.h"
#include "partitioner/layout/device_number.h"
#include "partitioner/partition.h"
#include "sharding/values.h"

#define NO_DEVICE (-1)

typedef struct resolver {
    weft_context *cx;
    weft_shardings *t;
    const weft_mesh *mesh;         /* the program's: the first with axes */
    weft_uses uses;
    weft_op_kind id;               /* the op that says which device this is */
    bool *idle;                    /* by op id: reshards that only resolved ops read */
} resolver;

/* --- which ops ---------------------------------------------------------------------------------------------------- */

/* The device that all results of op on one device are on, or NO_DEVICE. */
static weft_status device_of(const resolver *x, const weft_op *op, int64_t *device) {
    bool shared = false;
    *device = NO_DEVICE;
    /* what moves values has no work of its own */
    if (op->name->n > 4 && !memcmp(op->name->text, "sdy.", 4)) return WEFT_OK;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_sharding *s;
        if (!weft_type_is_tensor(op->results[i].type)) continue;
        weft_status st = weft_value_sharding(x->t, &op->results[i], &s);
        if (st != WEFT_OK) return st;
        if (!s) continue;
        if (!weft_mesh_is_maximal(s->mesh)) {
            shared |= !weft_sharding_is_replicated(s);
            continue;
        }
        int64_t id = s->mesh->device_ids.v[0];
        if (*device != NO_DEVICE && *device != id)
            return weft_report(x->cx, WEFT_D_sharding, op->loc, "results of one op on devices %lld and %lld",
                               (long long)*device, (long long)id);
        *device = id;
    }
    if (*device != NO_DEVICE && shared)
        return weft_report(x->cx, WEFT_D_sharding, op->loc,
                           "an op on device %lld with a result that is split over the mesh", (long long)*device);
    return WEFT_OK;
}

static weft_status goes_to_device(const resolver *x, const weft_value *v, bool *yes) {
    const weft_sharding *s;
    *yes = false;
    if (!v->def || v->def->kind != WEFT_OP_sdy_reshard) return WEFT_OK;
    weft_status st = weft_value_sharding(x->t, v, &s);
    *yes = st == WEFT_OK && s && weft_mesh_is_maximal(s->mesh);
    return st;
}

static weft_status find_idle(void *user, weft_op *op) {
    resolver *x = user;
    bool yes;
    if (op->kind != WEFT_OP_sdy_reshard) return WEFT_OK;
    weft_status st = goes_to_device(x, &op->results[0], &yes);
    uint32_t first = x->uses.start[op->results[0].id], n = weft_use_count(&x->uses, &op->results[0]);
    x->idle[op->id] = st == WEFT_OK && yes && n > 0;
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        int64_t device;
        st = device_of(x, x->uses.use[first + i].op, &device);
        x->idle[op->id] &= device != NO_DEVICE;
    }
    return st;
}

/* --- what stands for one ------------------------------------------------------------------------------------------ */

static weft_value *build_guard(const resolver *x, weft_builder *b, int64_t device) {
    weft_attr_pair equal[] = { { WEFT_A_comparison_direction, weft_attr_enum(x->cx, WEFT_comparison_direction_EQ) } };
    weft_value *id = weft_build_device_id(b, x->id),
               *sides[2] = { id, id ? weft_build_integer(b, id->type, device) : NULL };
    return weft_build_1(b, WEFT_OP_compare, weft_type_tensor(x->cx, WEFT_I1, 0, NULL), sides, 2, equal, 1);
}

static weft_status build_return(weft_builder *b, weft_value *const *v, uint32_t n) {
    return weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = v, .operand_count = n }) ? WEFT_OK
                                                                                                          : b->status;
}

/* The branch of the device: the op, on what was to be brought there. */
static weft_status build_work(const resolver *x, weft_rewrite *r, weft_builder *b, const weft_op *op) {
    weft_op *copy = weft_clone_shell(b, op, &r->map, NULL);
    weft_status st = copy ? weft_op_set(r->out, copy, WEFT_A_sdy_sharding, NULL) : b->status;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        bool yes;
        st = goes_to_device(x, op->operands[i], &yes);
        if (yes) copy->operands[i] = r->map.to[op->operands[i]->def->operands[0]->id];
    }
    if (st == WEFT_OK) st = weft_rewrite_regions(r, op, copy);
    weft_value **v = weft_scratch_array(x->cx, weft_value *, op->result_count);
    if (st != WEFT_OK || !v) return st != WEFT_OK ? st : weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) v[i] = &copy->results[i];
    return build_return(b, v, op->result_count);
}

/* The branch of the others: nothing, as zeros and tokens. */
static weft_status build_zeros(const resolver *x, weft_builder *b, const weft_op *op) {
    weft_value **v = weft_scratch_array(x->cx, weft_value *, op->result_count);
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_type *type = op->results[i].type;
        if (type->kind == WEFT_TYPE_TOKEN) v[i] = weft_build_1(b, WEFT_OP_create_token, type, NULL, 0, NULL, 0);
        else if (weft_type_is_tensor(type) && weft_type_is_static(type)) v[i] = weft_build_splat(b, type, 0);
        else
            return weft_report(x->cx, WEFT_D_unsupported, op->loc,
                               "result %u of an op on one device is not a tensor of static shape", i);
    }
    return b->status == WEFT_OK ? build_return(b, v, op->result_count) : b->status;
}

static weft_value *build_sum(const resolver *x, weft_builder *b, weft_value *v, const weft_attr *sharding) {
    weft_axis_ref refs[WEFT_MAX_MESH_AXES];
    for (uint32_t i = 0; i < x->mesh->axis_count; i++) refs[i] = (weft_axis_ref){ .name = x->mesh->axes[i].name };
    weft_attr axes = { .kind = WEFT_ATTR_AXES, .axes = { refs, x->mesh->axis_count } };
    weft_attr_pair attrs[] = { { WEFT_A_reduction_axes, weft_attr_copy(x->cx, &axes) },
                               { WEFT_A_out_sharding, sharding } };
    if (!attrs[0].value) return NULL;
    return weft_build_1(b, WEFT_OP_sdy_all_reduce, v->type, &v, 1, attrs, WEFT_COUNT(attrs));
}

/* Readers get the sum; reshards that ask for just that are the sum. */
static weft_status publish(const resolver *x, weft_rewrite *r, weft_builder *b, const weft_value *old,
                           weft_value *made) {
    if (!weft_type_is_tensor(old->type)) {
        r->map.to[old->id] = made;
        return WEFT_OK;
    }
    const weft_sharding *whole = weft_sharding_empty(x->t, x->mesh, old->type->rank, WEFT_CLOSED);
    const weft_attr *attr = whole ? weft_sharding_to_attr(x->t, whole) : NULL;
    weft_value *sum = attr ? build_sum(x, b, made, attr) : NULL;
    if (!sum) return b->status != WEFT_OK ? b->status : weft_oom();
    r->map.to[old->id] = sum;
    for (uint32_t i = x->uses.start[old->id]; i < x->uses.start[old->id + 1]; i++) {
        const weft_op *reader = x->uses.use[i].op;
        const weft_sharding *s;
        if (reader->kind != WEFT_OP_sdy_reshard) continue;
        weft_status st = weft_value_sharding(x->t, &reader->results[0], &s);
        if (st != WEFT_OK) return st;
        if (s == whole) r->map.to[reader->results[0].id] = sum;
    }
    return WEFT_OK;
}

static weft_status resolve(const resolver *x, weft_rewrite *r, weft_builder *b, const weft_op *op, int64_t device) {
    weft_builder in;
    b->loc = op->loc;
    const weft_type **types = weft_scratch_array(x->cx, const weft_type *, op->result_count);
    if (!types) return weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    weft_value *guard = build_guard(x, b, device);
    weft_op *cond = guard ? weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_if, .operands = &guard,
                                                              .operand_count = 1, .types = types,
                                                              .result_count = op->result_count, .region_count = 2 })
                          : NULL;
    weft_status st = cond ? WEFT_OK : b->status;
    for (uint32_t side = 0; st == WEFT_OK && side < 2; side++) {
        weft_block *blk = weft_build_block(b, &cond->regions[side]);
        if (!blk) return b->status;
        weft_builder_init(&in, r->out, blk);
        in.loc = op->loc;
        st = side ? build_zeros(x, &in, op) : build_work(x, r, &in, op);
    }
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = publish(x, r, b, &op->results[i], &cond->results[i]);
    return st;
}

static weft_status resolve_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const resolver *x = r->user;
    int64_t device;
    bool made = op->kind == WEFT_OP_sdy_reshard && (x->idle[op->id] || r->map.to[op->results[0].id]);
    weft_status st = device_of(x, op, &device);
    if (st != WEFT_OK || (!made && device == NO_DEVICE)) return st;
    *did = WEFT_DONE;
    if (made && x->idle[op->id]) r->map.to[op->results[0].id] = r->map.to[op->operands[0]->id];
    if (made) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&x->cx->scratch);
    st = resolve(x, r, b, op, device);
    weft_arena_reset(&x->cx->scratch, mark);
    return st;
}

weft_status weft_pass_resolve_single_device(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    resolver x = { .cx = p->cx };
    weft_rewrite r = { .user = &x, .op = resolve_op };
    weft_status st = weft_device_id_op(p, in->root->loc, &x.id);
    if (st != WEFT_OK) return st;
    weft_arena_init(&arena, &p->cx->chunks);
    st = weft_shardings_open(p->cx, in, &arena, &x.t);
    for (uint32_t i = 0; st == WEFT_OK && !x.mesh && i < weft_shardings_mesh_count(x.t); i++)
        if (weft_shardings_mesh_at(x.t, i)->axis_count) x.mesh = weft_shardings_mesh_at(x.t, i);
    if (st == WEFT_OK && x.mesh) {
        x.idle = weft_arena_array(&arena, bool, in->op_count);
        st = x.idle ? weft_uses_build(in, &arena, &x.uses) : weft_oom();
        if (st == WEFT_OK) st = weft_module_walk(in, find_idle, &x);
        if (st == WEFT_OK) st = weft_rewrite_module(&r, in, &arena, out);
    }
    weft_arena_free(&arena);
    return st;
}
