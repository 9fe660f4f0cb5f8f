/* per_instruction: partitions ops one at a time, in a program that stays global.
 *
 * Pass sdy-per-instruction-partitioning: for finding the op whose partitioned form is wrong. Each op that the filter
 * takes is put alone into a module, goes through the pipeline weft-partition-instruction, and comes back as the body of
 * an sdy.manual_computation over the axes of its operands and results; partial sums are reduced inside, and all-reduces
 * after the op are removed. Values that its regions read from outside become operands. If devices do not divide a
 * dimension, operands are padded and results sliced around the computation, each as its own sharding needs;
 * sdy-pad-for-divisibility does the same inside. The two sides of an sdy.reshard have one size, which both divide.
 *
 * The filter (instruction_filter.h) chooses by name and number. Ops inside loops and branches, Shardy's own ops except
 * sdy.reshard and sdy.constant, and ops without sharded values are left alone and not counted.
 *
 * Needs: a propagated module; edges sunk. Leaves: a valid one. Source: Shardy, docs/sdy_export_passes.md.
 */

#include "ir/verify.h"
#include "pipeline/instruction_filter.h"
#include "pipeline/registry.h"
#include "propagate/copy.h"
#include "propagate/mesh_refs.h"
#include "propagate/propagate.h"
#include "propagate/state.h"

weft_status weft_pass_per_instruction(weft_pass *p, const weft_module *in, weft_module **out);

typedef struct divider {
    weft_context *cx;
    const weft_module *in;
    const weft_pipeline_call *pipeline; /* for one op, with its options */
    weft_instruction_filter filter;
    int64_t number;                  /* of the next op that counts */
    int64_t channel;                 /* the highest in use */
    weft_shardings *t;
    weft_map alone;                  /* from the module to the one that holds an op alone */
    uint32_t *seen;                  /* by value: number of the op that last took it, from 1 */
    bool *finished;                  /* by value: it is not partial any more, since its maker was taken */
} divider;

/* An op being partitioned. Arrays are scratch; inputs are op's operands, then the values its regions read from
 * outside. */
typedef struct instruction {
    const weft_op *op;
    const weft_mesh *mesh;
    uint32_t input_count, count;                 /* count: inputs and results */
    const weft_value **inputs;                   /* in the old module */
    weft_value **values;                         /* in the new one, padded */
    const weft_sharding **shardings;             /* [count] */
    const weft_type **types;                     /* [count]: padded */
    const weft_type **alone;                     /* [count]: of the op when it is put alone */
} instruction;

/* ---- which ops ---- */

static const weft_op_kind left_alone[] = {
    WEFT_OP_sdy_all_gather,           WEFT_OP_sdy_all_slice,
    WEFT_OP_sdy_all_to_all,           WEFT_OP_sdy_collective_permute,
    WEFT_OP_sdy_all_reduce,           WEFT_OP_sdy_reduce_scatter,
    WEFT_OP_sdy_sharded_to_unreduced, WEFT_OP_sdy_replicated_to_unreduced,
    WEFT_OP_sdy_data_flow_edge,       WEFT_OP_sdy_manual_computation,
    WEFT_OP_sdy_propagation_barrier,  WEFT_OP_sdy_sharding_constraint,
    WEFT_OP_sdy_sharding_group,
};

static const char *const marking_targets[] = { "Sharding", "mhlo.sharding" };

static bool stays(const weft_op *op) {
    const weft_attr *target = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    for (size_t i = 0; i < WEFT_COUNT(left_alone); i++)
        if (op->kind == left_alone[i]) return true;
    for (size_t i = 0; target && target->kind == WEFT_ATTR_STRING && i < WEFT_COUNT(marking_targets); i++)
        if (weft_str_is(target->s, marking_targets[i])) return true;
    return weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR);
}

static weft_status is_cut(const divider *z, const weft_op *op, bool *cut) {
    weft_status st = WEFT_OK;
    const weft_sharding *s;
    *cut = false;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count + op->result_count; i++) {
        st = weft_value_sharding(z->t, weft_op_value(op, i), &s);
        *cut |= st == WEFT_OK && weft_sharding_cuts(s);
    }
    return st;
}

/* ---- its inputs, and their shardings ---- */

static bool is_inside(const weft_value *v, const weft_op *op) {
    for (const weft_op *at = v->def ? v->def : v->block->parent->parent; at; at = weft_op_parent(at))
        if (at == op) return true;
    return false;
}

typedef struct gatherer {
    divider *z;
    instruction *x;
    size_t cap;
} gatherer;

static weft_status gather_inputs(void *user, weft_op *op) {
    gatherer *g = user;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *v = op->operands[i];
        bool own = op == g->x->op; /* an operand of its own for each, others once */
        if (!own && (g->z->seen[v->id] == g->x->op->id + 1 || is_inside(v, g->x->op))) continue;
        g->z->seen[v->id] = g->x->op->id + 1;
        if (!weft_arena_grow(&g->z->cx->scratch, (void **)&g->x->inputs, &g->cap, g->x->input_count + 1,
                             sizeof *g->x->inputs))
            return weft_oom();
        g->x->inputs[g->x->input_count++] = v;
    }
    return WEFT_OK;
}

static const weft_type *type_of(const instruction *x, uint32_t i) {
    return i < x->input_count ? x->inputs[i]->type : x->op->results[i - x->input_count].type;
}

/* Current shardings of inputs, the op's shardings of results; missing ones are replicated. Results are never
 * partial. */
static weft_status find_shardings(divider *z, weft_copy *c, instruction *x) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < x->count; i++)
        st = weft_value_sharding(z->t,
                                 i < x->input_count ? weft_copy_of(c, x->inputs[i])
                                                    : &x->op->results[i - x->input_count],
                                 &x->shardings[i]);
    if (st != WEFT_OK) return st;
    if (!(x->mesh = weft_common_mesh(x->shardings, x->count)))
        return weft_report(z->cx, WEFT_D_partition, x->op->loc,
                           "%s: its operands and results are over meshes of different devices", x->op->name->text);
    for (uint32_t i = 0; i < x->count; i++) {
        const weft_type *type = type_of(x, i);
        if (!x->shardings[i])
            x->shardings[i] =
                weft_sharding_empty(z->t, x->mesh, weft_type_is_tensor(type) ? type->rank : 0, WEFT_CLOSED);
        else if (i >= x->input_count)
            x->shardings[i] = weft_sharding_with_unreduced(z->t, x->shardings[i], (weft_axes){ 0 });
        if (!x->shardings[i]) return weft_oom();
    }
    return WEFT_OK;
}

/* The type with dimensions that one sharding divides, or both: b may be NULL. */
static const weft_type *even_type(weft_context *cx, const weft_type *type, const weft_sharding *a,
                                  const weft_sharding *b) {
    int64_t dims[WEFT_MAX_RANK];
    if (!weft_type_is_tensor(type) || !weft_type_is_static(type)) return type;
    for (uint32_t d = 0; d < type->rank; d++) {
        int64_t n = d < a->rank ? weft_dim_shards(a, d) : 1, m = b && d < b->rank ? weft_dim_shards(b, d) : 1;
        dims[d] = weft_round_up(type->dims[d], n / weft_gcd(n, m) * m);
    }
    return weft_type_with_dims(cx, type, type->rank, dims);
}

static weft_status find_types(divider *z, instruction *x) {
    bool moves = x->op->kind == WEFT_OP_sdy_reshard;
    for (uint32_t i = 0; i < x->count; i++) {
        const weft_type *type = type_of(x, i);
        if (!(x->types[i] = even_type(z->cx, type, x->shardings[i], moves ? x->shardings[1 - i] : NULL)))
            return weft_oom();
        x->alone[i] = moves ? x->types[i] : type;
    }
    return WEFT_OK;
}

/* The value for reading, padded to its type with zeros. */
static weft_value *padded(const divider *z, weft_copy *c, const instruction *x, uint32_t i) {
    weft_value *v = weft_copy_of(c, x->inputs[i]);
    const weft_type *to = x->types[i];
    if (!v || v->type == to) return v;
    int64_t none[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < to->rank; d++) high[d] = to->dims[d] - v->type->dims[d];
    weft_value *zero = weft_build_splat(&c->b, weft_type_with_dims(z->cx, to, 0, NULL), 0);
    const weft_attr_pair attrs[] = {
        { WEFT_A_edge_padding_low, weft_attr_ints(z->cx, WEFT_I64, none, to->rank) },
        { WEFT_A_edge_padding_high, weft_attr_ints(z->cx, WEFT_I64, high, to->rank) },
        { WEFT_A_interior_padding, weft_attr_ints(z->cx, WEFT_I64, none, to->rank) },
        { WEFT_A_sdy_sharding, weft_sharding_to_per_value(z->t, x->shardings[i]) },
    };
    weft_value *operands[] = { v, zero };
    return weft_build_1(&c->b, WEFT_OP_pad, to, operands, 2, attrs, WEFT_COUNT(attrs));
}

/* ---- the op alone ---- */

static weft_op *build_func(divider *z, weft_builder *b, const instruction *x) {
    const uint32_t results = x->count - x->input_count;
    const weft_type *type = weft_type_function(z->cx, x->alone, x->input_count, x->alone + x->input_count, results);
    const weft_named_attr attrs[] = {
        { weft_name_at(z->cx, WEFT_A_sym_name), weft_attr_string(z->cx, WEFT_STR("main")) },
        { weft_name_at(z->cx, WEFT_A_function_type), type ? weft_attr_type(z->cx, type) : NULL },
    };
    if (!attrs[0].value || !attrs[1].value) b->status = weft_oom();
    weft_op *f =
        weft_build_op(b,
                      &(weft_op_spec){
                          .kind = WEFT_OP_func, .attrs = attrs, .attr_count = WEFT_COUNT(attrs), .region_count = 1 });
    if (f) b->status = weft_func_set_shardings(z->t, b->m, f, x->shardings, x->shardings + x->input_count);
    return f;
}

/* In f's empty body, op reads the arguments and is returned. */
static weft_status build_body(divider *z, weft_builder *b, const instruction *x, weft_op *f) {
    weft_block *body = weft_build_block(b, &f->regions[0]);
    b->block = body;
    for (uint32_t i = 0; body && i < x->input_count; i++)
        z->alone.to[x->inputs[i]->id] = weft_build_block_arg(b, body, x->alone[i], x->op->loc);
    weft_op *copy = body ? weft_clone_op(b, x->op, &z->alone) : NULL;
    if (!copy) return b->status;
    for (uint32_t i = 0; i < copy->operand_count; i++) copy->operands[i] = body->args[i];
    const uint32_t n = copy->result_count;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **results = weft_scratch_array(z->cx, weft_value *, n);
    weft_status st = results ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        copy->results[i].type = x->alone[x->input_count + i];
        results[i] = &copy->results[i];
    }
    if (st == WEFT_OK)
        weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_func_return, .operands = results, .operand_count = n });
    weft_arena_reset(&z->cx->scratch, mark);
    return st == WEFT_OK ? b->status : st;
}

/* A module with the meshes and one function around the op, as one device's program. */
static weft_status partition_alone(divider *z, const instruction *x, weft_module **out) {
    weft_builder b;
    weft_module *m = weft_module_new(z->cx);
    if (!m) return weft_oom();
    m->root->loc = x->op->loc;
    weft_builder_init(&b, m, weft_module_body(m));
    WEFT_EACH_OP(op, weft_module_body(z->in))
        if (op->kind == WEFT_OP_sdy_mesh) weft_clone_op(&b, op, &z->alone);
    b.loc = x->op->loc;
    weft_op *f = build_func(z, &b, x);
    weft_status st = f && b.status == WEFT_OK ? build_body(z, &b, x, f) : b.status;
    if (st == WEFT_OK) st = weft_verify_module(z->cx, m);
    if (st == WEFT_OK) st = weft_pipeline_call_run(z->cx, z->pipeline, &m);
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}

/* ---- and back ---- */

/* All axes named in its shardings, in order. */
static const weft_attr *manual_axes(const divider *z, const instruction *x) {
    weft_axis axes[WEFT_MAX_MESH_AXES];
    uint32_t n = 0;
    weft_bits seen = 0;
    for (uint32_t i = 0; i < x->count; i++) {
        const weft_sharding *s = x->shardings[i];
        for (uint32_t k = 0; k < s->rank + 2; k++) {
            weft_axes list = k < s->rank ? s->dims[k].axes : k == s->rank ? s->replicated : s->unreduced;
            for (uint32_t a = 0; a < list.n; a++) {
                if (weft_bits_has(seen, list.v[a].axis)) continue;
                seen |= weft_bit(list.v[a].axis);
                axes[n++] = weft_mesh_axis_at(x->mesh, list.v[a].axis);
            }
        }
    }
    return weft_axes_to_attr(z->cx, x->mesh, (weft_axes){ .v = axes, .n = n });
}

static weft_op *build_computation(const divider *z, weft_copy *c, const instruction *x) {
    const weft_attr *axes = manual_axes(z, x);
    const uint32_t n = x->count - x->input_count;
    if (!axes) c->b.status = weft_oom();
    const weft_named_attr attr = { weft_name_at(z->cx, WEFT_A_manual_axes), axes };
    weft_op *made = weft_build_op(&c->b, &(weft_op_spec){ .kind = WEFT_OP_sdy_manual_computation, .operands = x->values,
                                                          .operand_count = x->input_count,
                                                          .types = x->types + x->input_count, .result_count = n,
                                                          .attrs = &attr, .attr_count = 1, .region_count = 1 });
    if (made)
        c->b.status = weft_op_set_shardings_attr(z->t, c->out, made, WEFT_A_in_shardings, x->shardings, x->input_count);
    if (made && c->b.status == WEFT_OK)
        c->b.status =
            weft_op_set_shardings_attr(z->t, c->out, made, WEFT_A_out_shardings, x->shardings + x->input_count, n);
    return c->b.status == WEFT_OK ? made : NULL;
}

typedef struct renumbering { divider *z; weft_module *m; int64_t before, highest; } renumbering;

/* Collectives of all computations get consecutive numbers, so that all differ. */
static weft_status number_channel(void *user, weft_op *op) {
    renumbering *r = user;
    const weft_attr *channel = weft_op_attr(op, WEFT_A_channel_handle);
    if (!channel || channel->kind != WEFT_ATTR_CHANNEL || channel->channel.handle <= 0) return WEFT_OK;
    weft_attr a = *channel;
    a.channel.handle += r->before;
    r->highest = weft_max_i64(r->highest, a.channel.handle);
    const weft_attr *to = weft_attr_copy(r->z->cx, &a);
    return to ? weft_op_set(r->m, op, WEFT_A_channel_handle, to) : weft_oom();
}

static weft_status fill_computation(divider *z, weft_copy *c, const weft_module *alone, weft_op *made) {
    const weft_block *from = weft_op_body(weft_module_main(alone), 0);
    weft_builder b = c->b;
    weft_map map;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_status st = weft_map_init(&map, &z->cx->scratch, alone);
    weft_block *body = st == WEFT_OK ? weft_build_block(&b, &made->regions[0]) : NULL;
    for (uint32_t i = 0; body && i < from->arg_count; i++)
        map.to[from->args[i]->id] = weft_build_block_arg(&b, body, from->args[i]->type, made->loc);
    b.block = body;
    b.before = NULL;
    for (const weft_op *op = from->first; body && op != from->last; op = op->next) weft_clone_op(&b, op, &map);
    weft_value **results = weft_scratch_array(z->cx, weft_value *, from->last->operand_count);
    for (uint32_t i = 0; results && i < from->last->operand_count; i++)
        results[i] = map.to[from->last->operands[i]->id];
    b.loc = made->loc;
    if (!results) st = weft_oom();
    else if (st == WEFT_OK)
        weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_sdy_return, .operands = results,
                                           .operand_count = from->last->operand_count });
    weft_arena_reset(&z->cx->scratch, mark);
    if (st == WEFT_OK) st = b.status;
    renumbering r = { z, c->out, z->channel, z->channel };
    if (st == WEFT_OK) st = weft_op_walk(made, number_channel, &r);
    z->channel = r.highest;
    return st;
}

/* Readers get the result in its own size. */
static weft_status give_result(const divider *z, weft_copy *c, const instruction *x, const weft_value *old,
                               weft_value *made) {
    const weft_type *type = old->type;
    if (made->type != type) {
        int64_t zeros[WEFT_MAX_RANK] = { 0 }, ones[WEFT_MAX_RANK];
        for (uint32_t d = 0; d < type->rank; d++) ones[d] = 1;
        const weft_attr_pair attrs[] = {
            { WEFT_A_start_indices, weft_attr_ints(z->cx, WEFT_I64, zeros, type->rank) },
            { WEFT_A_limit_indices, weft_attr_ints(z->cx, WEFT_I64, type->dims, type->rank) },
            { WEFT_A_strides, weft_attr_ints(z->cx, WEFT_I64, ones, type->rank) },
            { WEFT_A_sdy_sharding, weft_sharding_to_per_value(z->t, x->shardings[x->input_count + old->index]) },
        };
        made = weft_build_1(&c->b, WEFT_OP_slice, type, &made, 1, attrs, WEFT_COUNT(attrs));
    }
    if (made) made->hint = old->hint;
    z->finished[old->id] = true;
    weft_copy_map(c, old, made);
    return c->b.status;
}

static weft_status wrap(divider *z, weft_copy *c, const weft_op *op) {
    instruction x = { .op = op };
    gatherer g = { .z = z, .x = &x };
    weft_status st = weft_op_walk((weft_op *)op, gather_inputs, &g); /* walked, not changed */
    if (st != WEFT_OK) return st;
    x.count = x.input_count + op->result_count;
    x.values = weft_scratch_array(z->cx, weft_value *, x.input_count);
    x.shardings = weft_scratch_array(z->cx, const weft_sharding *, x.count);
    x.types = weft_scratch_array(z->cx, const weft_type *, x.count);
    x.alone = weft_scratch_array(z->cx, const weft_type *, x.count);
    if (!x.values || !x.shardings || !x.types || !x.alone) return weft_oom();
    c->b.loc = op->loc;
    if ((st = find_shardings(z, c, &x)) != WEFT_OK || (st = find_types(z, &x)) != WEFT_OK) return st;
    for (uint32_t i = 0; i < x.input_count; i++) x.values[i] = padded(z, c, &x, i);
    weft_module *alone = NULL;
    st = c->b.status == WEFT_OK ? partition_alone(z, &x, &alone) : c->b.status;
    weft_op *made = st == WEFT_OK ? build_computation(z, c, &x) : NULL;
    if (st == WEFT_OK) st = made ? fill_computation(z, c, alone, made) : c->b.status;
    weft_module_free(alone);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = give_result(z, c, &x, &op->results[i], &made->results[i]);
    return st;
}

/* The sum after an op that was taken is made inside its computation. */
static weft_status do_without_sum(divider *z, weft_copy *c, const weft_op *op) {
    weft_value *v = weft_copy_of(c, op->operands[0]);
    if (op->kind == WEFT_OP_sdy_reduce_scatter) {
        const weft_attr_pair attrs[] = { { WEFT_A_slicing_axes, weft_op_attr(op, WEFT_A_reduce_scatter_axes) },
                                         { WEFT_A_out_sharding, weft_op_attr(op, WEFT_A_out_sharding) } };
        c->b.loc = op->loc;
        v = weft_build_1(&c->b, WEFT_OP_sdy_all_slice, v->type, &v, 1, attrs, WEFT_COUNT(attrs));
    }
    z->finished[op->results[0].id] = true;
    weft_copy_map(c, &op->results[0], v);
    return c->b.status;
}

static weft_status visit(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    divider *z = c->user;
    const weft_op *parent = weft_op_parent(op);
    bool cut;
    if ((op->kind == WEFT_OP_sdy_all_reduce || op->kind == WEFT_OP_sdy_reduce_scatter) &&
        z->finished[op->operands[0]->id]) {
        *answer = WEFT_COPY_DONE;
        return do_without_sum(z, c, op);
    }
    if (!parent || parent->kind != WEFT_OP_func || stays(op)) return WEFT_OK;
    weft_status st = is_cut(z, op, &cut);
    if (st != WEFT_OK || !cut || !weft_instruction_filter_takes(&z->filter, op, z->number++)) return st;
    *answer = WEFT_COPY_DONE;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    st = wrap(z, c, op);
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}

/* ---- the pass ---- */

static weft_status last_channel(void *user, weft_op *op) {
    divider *z = user;
    const weft_attr *channel = weft_op_attr(op, WEFT_A_channel_handle);
    if (channel && channel->kind == WEFT_ATTR_CHANNEL) z->channel = weft_max_i64(z->channel, channel->channel.handle);
    return WEFT_OK;
}

/* Whether some attribute writes a mesh out. */
typedef struct mesh_seeker { weft_context *cx; bool any; } mesh_seeker;

static const weft_attr *note_mesh(void *user, const weft_attr *ref) {
    ((mesh_seeker *)user)->any |= ref->kind == WEFT_ATTR_MESH;
    return ref;
}

static weft_status seek_mesh(void *user, weft_op *op) {
    mesh_seeker *s = user;
    for (uint32_t i = 0; op->kind != WEFT_OP_sdy_mesh && i < op->attr_count; i++)
        if (!weft_map_mesh_refs(s->cx, op->attrs[i].value, note_mesh, s)) return weft_oom();
    return WEFT_OK;
}

static weft_status divide(divider *z, weft_pass *p, const weft_module *in, weft_module **out) {
    const weft_pass_option options[] = {
        { WEFT_STR("enable-halo-exchange"), weft_pass_text(p, "enable-halo-exchange", WEFT_STR("true")) },
        { WEFT_STR("replica-count"), weft_pass_text(p, "replica-count", WEFT_STR("1")) },
        { WEFT_STR("partition-count"), weft_pass_text(p, "partition-count", WEFT_STR("1")) },
    };
    const weft_pipeline_call pipeline = { .spec = WEFT_STR("weft-partition-instruction"), .options = options,
                                          .option_count = WEFT_COUNT(options), .environment = p->environment };
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    z->in = in;
    z->pipeline = &pipeline;
    z->seen = weft_arena_array(&arena, uint32_t, in->value_count);
    z->finished = weft_arena_array(&arena, bool, in->value_count);
    weft_status st = z->seen && z->finished ? weft_map_init(&z->alone, &arena, in) : weft_oom();
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &arena, &z->t);
    if (st == WEFT_OK) st = weft_module_walk(in, last_channel, z);
    if (st == WEFT_OK) st = weft_copy_module(in, &(weft_copy_hooks){ .visit = visit }, z, out);
    weft_arena_free(&arena);
    return st;
}

/* Meshes inside shardings get names first: the computations' collectives and shardings refer to one mesh.
 */
weft_status weft_pass_per_instruction(weft_pass *p, const weft_module *in, weft_module **out) {
    divider z = { .cx = p->cx };
    mesh_seeker s = { .cx = p->cx };
    weft_module *named = NULL;
    weft_status st = weft_instruction_filter_read(p->cx, weft_pass_text(p, "filter", (weft_str){ NULL, 0 }), &z.filter);
    if (st == WEFT_OK) st = weft_module_walk(in, seek_mesh, &s);
    if (st == WEFT_OK && s.any)
        st = weft_pass_lift_inlined_meshes(&(weft_pass){ .cx = p->cx, .name = "sdy-lift-inlined-meshes" }, in, &named);
    if (st == WEFT_OK) st = divide(&z, p, named ? named : in, out);
    weft_module_free(named);
    return st;
}
