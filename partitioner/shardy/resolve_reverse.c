/* resolve_reverse.c: reverses along dimensions that are split.
 *
 * Each device reverses its own part, which then belongs to its mirror along the dimension: the result is sharded as
 * before, over a mesh whose devices stand in the reverse order along those axes, and a reshard brings it to the one it
 * should be over. Such meshes are added to the module. Where the devices do not divide the dimension, the padding after
 * the last element must come out after the last one again: it is shifted to the front before, in a manual computation,
 * each device getting the end of its part from its neighbours. Source: Shardy, sdy-resolve-permutation-factors and its
 * tests.
 */
#include "partitioner/shardy/exchange.h"
#include "partitioner/lower/local_ops.h"

/* --- the mesh ----------------------------------------------------------------------------------------------------- */

static bool same_ids(const int64_t *ids, int64_t n, const weft_mesh *m) {
    for (int64_t i = 0; i < n; i++)
        if (ids[i] != weft_mesh_device_at(m, i)) return false;
    return true;
}

/* A mesh in the order of ids (NULL: counted) named after base, as an attribute of the module's, or inside shardings as
 * base is. */
static weft_status add_mesh(weft_resolver *z, const weft_mesh *base, const int64_t *ids, const weft_loc *loc,
                            const weft_mesh **out) {
    weft_context *cx = z->x.cx;
    weft_attr a = { .kind = WEFT_ATTR_MESH, .mesh = base->attr->mesh };
    a.mesh.device_ids = (weft_ints){ ids, ids ? (uint32_t)base->device_count : 0 };
    const weft_attr *attr = weft_attr_copy(cx, &a);
    if (!attr) return weft_oom();
    if (!base->name) return weft_shardings_add_mesh(z->x.t, NULL, attr, loc, out);
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    weft_buf_printf(&text, "%s_reversed", base->name->text);
    weft_name name = text.failed ? NULL : weft_name_intern(cx, (weft_str){ text.p, text.n });
    if (name) name = weft_symbols_add(&z->symbols, name);
    weft_buf_free(&text);
    if (!name) return weft_oom();
    weft_builder top;
    weft_builder_init(&top, z->x.r->out, weft_module_body(z->x.r->out));
    top.before = top.block->first;
    top.loc = loc;
    weft_named_attr attrs[] = { { weft_name_at(cx, WEFT_A_sym_name),
                                  weft_attr_string(cx, (weft_str){ name->text, name->n }) },
                                { weft_name_at(cx, WEFT_A_mesh), attr } };
    if (!weft_build_op(&top,
                       &(weft_op_spec){ .kind = WEFT_OP_sdy_mesh, .attrs = attrs, .attr_count = WEFT_COUNT(attrs) }))
        return top.status;
    return weft_shardings_add_mesh(z->x.t, name, attr, loc, out);
}

/* The mesh in which the devices stand in the reverse order along axes; one of the module's where there is one. */
static weft_status reversed_mesh(weft_resolver *z, const weft_mesh *m, weft_axes axes, const weft_loc *loc,
                                 const weft_mesh **out) {
    int64_t n = m->device_count, last = weft_axes_size(axes) - 1;
    bool counted = true;
    int64_t *ids = weft_scratch_array(z->x.cx, int64_t, n);
    if (!ids) return weft_oom();
    for (int64_t i = 0; i < n; i++) {
        ids[i] = weft_mesh_device_at(m, weft_mesh_place(m, axes, i, last - weft_mesh_number(m, axes, i)));
        counted = counted && ids[i] == i;
    }
    for (uint32_t i = 0; i < weft_shardings_mesh_count(z->x.t); i++) {
        *out = weft_shardings_mesh_at(z->x.t, i);
        if (!(*out)->name == !m->name && weft_mesh_same_axes(*out, m) && same_ids(ids, n, *out)) return WEFT_OK;
    }
    return add_mesh(z, m, counted ? NULL : ids, loc, out);
}

/* --- the padding -------------------------------------------------------------------------------------------------- */

/* Elements move up by `shift` along d: each part begins with the end of one and goes on with the beginning of the next.
 */
static weft_status shift_up(weft_resolver *z, weft_exchange *e, uint32_t d, int64_t shift) {
    const weft_sharding *s = weft_exchange_inside(z, e->in, e->manual);
    weft_axes axes = e->in->dims[d].axes;
    int64_t part = e->local->type->dims[d], hops = shift / part, cut = part - shift % part;
    weft_builder *b = &e->inside;
    weft_value *near = weft_exchange_shift(z, e, b, e->local, axes, hops),
               *far = weft_exchange_shift(z, e, b, e->local, axes, hops + 1);
    weft_value *pieces[2];
    pieces[0] = weft_sharded(z, b, weft_build_cut(b, far, d, cut, part), s);
    pieces[1] = weft_sharded(z, b, weft_build_cut(b, near, d, 0, cut), s);
    e->local = weft_sharded(z, b, weft_build_concatenate(b, pieces, 2, d), s);
    return b->status;
}

/* v: the operand, made even, with the padding of reversed dimensions in front. */
static weft_status padding_in_front(weft_resolver *z, weft_builder *b, weft_exchange *e, weft_ints reversed,
                                    weft_value **v) {
    const weft_type *type = e->op->operands[0]->type;
    weft_status st = weft_exchange_open(z, b, e);
    for (uint32_t d = 0; st == WEFT_OK && d < type->rank; d++) {
        int64_t shards = weft_exchange_shards(e->in, d, e->manual),
                padding = weft_round_up(type->dims[d], shards) - type->dims[d];
        if (weft_ints_has(reversed, d) && padding) st = shift_up(z, e, d, padding);
    }
    return st == WEFT_OK ? weft_exchange_close(e, v) : st;
}

/* --- the op ------------------------------------------------------------------------------------------------------- */

static weft_status reverse(weft_resolver *z, weft_builder *b, weft_exchange *e, weft_ints reversed, weft_axes axes) {
    const weft_op *op = e->op;
    const weft_mesh *mesh;
    weft_value *v = weft_resolver_value(z, op->operands[0]);
    weft_status st = e->manual ? padding_in_front(z, b, e, reversed, &v) : WEFT_OK;
    if (st == WEFT_OK) st = reversed_mesh(z, e->in->mesh, axes, op->loc, &mesh);
    if (st != WEFT_OK) return st;
    const weft_sharding *s =
        weft_sharding_make(z->x.t, mesh, e->in->rank, e->in->dims, e->in->replicated, e->in->unreduced);
    weft_op *copy = s ? weft_clone_shell(b, op, &z->x.r->map, &v->type) : NULL;
    if (!copy) return b->status != WEFT_OK ? b->status : weft_oom();
    copy->operands[0] = v;
    st = weft_op_set_shardings(z->x.t, b->m, copy, &s);
    if (st == WEFT_OK) st = weft_build_reshard(&z->x, b, &copy->results[0], e->out, &v);
    if (st != WEFT_OK) return st;
    weft_resolver_map(z, op, weft_build_trimmed(z, b, v, op->results[0].type, e->out));
    return b->status;
}

/* Axes and padding of reversed dimensions. */
static void look(const weft_exchange *e, weft_ints reversed, weft_axis_list *axes, weft_bits *uneven) {
    *axes = (weft_axis_list){ 0 };
    *uneven = 0;
    for (uint32_t d = 0; d < e->in->rank; d++) {
        weft_axes a = e->in->dims[d].axes;
        if (!weft_ints_has(reversed, d)) continue;
        for (uint32_t i = 0; i < a.n; i++) weft_axis_list_push(axes, a.v[i]);
        if (e->op->operands[0]->type->dims[d] % weft_axes_size(a)) *uneven |= weft_axes_mask(a);
    }
}

/* The result is over a mesh with another order of the devices: this has been done. */
static weft_status is_done(weft_resolver *z, const weft_op *op, bool *yes) {
    const weft_sharding *in, *out;
    weft_status st = weft_value_sharding_inside(z->x.cx, z->x.t, op->operands[0], &in);
    if (st == WEFT_OK) st = weft_value_sharding(z->x.t, &op->results[0], &out);
    *yes = st == WEFT_OK && in && out && in->mesh != out->mesh && weft_mesh_same_axes(in->mesh, out->mesh);
    return st;
}

weft_status weft_resolve_reverse(weft_resolver *z, weft_builder *b, const weft_op *op, weft_resolved *how) {
    weft_ints reversed = weft_op_ints(op, WEFT_A_dimensions);
    weft_exchange e = { .op = op };
    weft_axis_list axes;
    bool done;
    weft_status st = is_done(z, op, &done);
    if (st == WEFT_OK && done) *how = WEFT_RESOLVE_NOTHING;
    if (st != WEFT_OK || done) return st;
    st = weft_resolver_ends_of(z, op, &e.in, &e.out);
    if (st != WEFT_OK || !e.in || z->exchanges == WEFT_EXCHANGES_NONE || !weft_sharding_equivalent(e.in, e.out))
        return st;
    look(&e, reversed, &axes, &e.manual);
    e.manual = weft_exchange_axes(e.in, e.manual);
    *how = axes.n ? WEFT_RESOLVE_DONE : WEFT_RESOLVE_NOTHING;
    if (!axes.n) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&z->x.cx->scratch);
    st = reverse(z, b, &e, reversed, weft_axes_of(&axes));
    weft_arena_reset(&z->x.cx->scratch, mark);
    return st;
}
