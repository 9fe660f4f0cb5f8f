/* localize.c: device arithmetic and small builders for lowering; see localize.h. */
#include "partitioner/layout/device_number.h"
#include "partitioner/lower/localize.h"

const weft_type *weft_local_type(weft_localizer *z, const weft_value *old) {
    return weft_placement_local_type(z->t, z->of[old->id], old->type);
}

const weft_type *weft_local_offset_type(weft_localizer *z) {
    return weft_type_tensor(z->cx, weft_local_listed(z) ? WEFT_I64 : z->index_dtype, 0, NULL);
}

bool weft_local_offset_fits(weft_localizer *z, int64_t v) {
    if (weft_local_listed(z) || weft_index_holds(z->index_dtype, v)) return true;
    if (z->b->status == WEFT_OK)
        z->b->status = weft_report(z->cx, WEFT_D_unsupported, z->b->loc,
                                   "element %lld of a padded tensor that is split into parts", (long long)v);
    return false;
}

weft_value *weft_local_offset(weft_localizer *z, const weft_type *type, int64_t v) {
    return weft_local_offset_fits(z, v) ? weft_build_integer(z->b, type, v) : NULL;
}

/* --- devices and places ----------------------------------------------------------------------------------------- */

int64_t weft_local_device_at(const weft_localizer *z, int64_t place) {
    return weft_mesh_device_at(weft_placements_mesh(z->t), place);
}

int64_t weft_local_device_of(const weft_localizer *z, const weft_placement *l, int64_t place) {
    return weft_mesh_device_at(weft_placements_order(z->t, l->order), place);
}

int64_t weft_local_number(const weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t place) {
    int64_t v = 0;
    for (uint32_t i = 0; i < n; i++)
        v = v * weft_atom_size(z->t, atoms[i]) +
            place / weft_atom_stride(z->t, atoms[i]) % weft_atom_size(z->t, atoms[i]);
    return v;
}

/* --- offsets by table ------------------------------------------------------------------------------------------- */

weft_value *weft_local_lookup(weft_localizer *z, const int64_t *table, weft_dtype dtype) {
    weft_value *id =
        weft_build_device_id(z->b, z->form & WEFT_FORM_REPLICAS ? WEFT_OP_replica_id : WEFT_OP_partition_id);
    return weft_build_lookup(z->b, table, weft_placements_devices(z->t), dtype, id);
}

static weft_value *listed_index(weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t step) {
    int64_t devices = weft_placements_devices(z->t);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *table = weft_scratch_array(z->cx, int64_t, devices);
    weft_value *v = NULL;
    for (int64_t place = 0; table && place < devices; place++)
        table[weft_local_device_at(z, place)] = step * weft_local_number(z, atoms, n, place);
    if (table) v = weft_local_reshaped(z, weft_local_lookup(z, table, WEFT_I64), 0, NULL);
    else z->b->status = weft_oom();
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* --- the head of the function ----------------------------------------------------------------------------------- */

static void head_begin(weft_localizer *z, weft_builder *h) {
    weft_builder_init(h, z->rewrite->out, z->entry);
    h->before = z->last_index ? z->last_index->next : z->entry->first;
    h->loc = z->b->loc;
}

static weft_value *head_end(weft_localizer *z, weft_builder *h, weft_value *v) {
    if (h->status != WEFT_OK || !v) {
        if (z->b->status == WEFT_OK) z->b->status = h->status != WEFT_OK ? h->status : weft_oom();
        return NULL;
    }
    z->last_index = v->def;
    return v;
}

static weft_value *head_number(weft_localizer *z, weft_builder *h, int64_t v) {
    return weft_build_integer(h, weft_local_offset_type(z), v);
}

/* Meshes whose devices are not in order: the place of a device in the mesh is looked up. */
static weft_value *mesh_place(weft_localizer *z, weft_builder *h, weft_value *device) {
    const weft_mesh *mesh = weft_placements_mesh(z->t);
    if (mesh->device_ids.n == 0) return device;
    int64_t n = mesh->device_ids.n;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *place = weft_scratch_array(z->cx, int64_t, n);
    weft_value *v = NULL;
    if (place) {
        for (int64_t i = 0; i < n; i++)
            if (mesh->device_ids.v[i] >= 0 && mesh->device_ids.v[i] < n) place[mesh->device_ids.v[i]] = i;
        v = weft_build_lookup(h, place, n, z->index_dtype, device);
        v = weft_build_1(h, WEFT_OP_reshape, weft_local_offset_type(z), &v, 1, NULL, 0);
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

static weft_index_entry *remember(weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t step, weft_value *v) {
    if (z->index_count == z->index_cap &&
        !weft_arena_grow(z->arena, (void **)&z->index, &z->index_cap, z->index_count + 1, sizeof *z->index))
        return NULL;
    weft_index_entry *e = &z->index[z->index_count++];
    *e = (weft_index_entry){ .n = n, .step = step, .value = v };
    if (n) memcpy(e->atoms, atoms, n); /* atoms may be NULL when there are none */
    return e;
}

static weft_value *recall(const weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t step) {
    for (size_t i = 0; i < z->index_count; i++)
        if (z->index[i].n == n && z->index[i].step == step && (!n || !memcmp(z->index[i].atoms, atoms, n)))
            return z->index[i].value;
    return NULL;
}

/* The device's place in the mesh: the entry of no atoms. */
static weft_value *place_value(weft_localizer *z) {
    weft_value *v = recall(z, NULL, 0, 0);
    if (v) return v;
    weft_builder h;
    head_begin(z, &h);
    const weft_type *id = weft_type_tensor(z->cx, WEFT_UI32, 0, NULL);
    v = weft_build_1(&h, WEFT_OP_partition_id, id, NULL, 0, NULL, 0);
    v = weft_build_1(&h, WEFT_OP_convert, weft_local_offset_type(z), &v, 1, NULL, 0);
    v = head_end(z, &h, mesh_place(z, &h, v));
    if (v && !remember(z, NULL, 0, 0, v)) z->b->status = weft_oom();
    return v;
}

/* place / stride % size, without what changes nothing. */
static weft_value *coordinate(weft_localizer *z, weft_builder *h, weft_value *place, int64_t stride, int64_t size) {
    weft_value *v = place;
    if (stride > 1) v = weft_build_binary(h, WEFT_OP_divide, v, head_number(z, h, stride));
    if (stride * size < weft_placements_devices(z->t))
        v = weft_build_binary(h, WEFT_OP_remainder, v, head_number(z, h, size));
    return v;
}

weft_value *weft_local_index(weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t step) {
    if (weft_local_listed(z))
        return n ? listed_index(z, atoms, n, step) : weft_build_splat(z->b, weft_local_offset_type(z), 0);
    weft_value *v = n ? recall(z, atoms, n, step) : NULL;
    if (v || z->b->status != WEFT_OK) return v;
    weft_value *place = n ? place_value(z) : NULL;
    weft_builder h;
    head_begin(z, &h);
    if (z->b->status != WEFT_OK) return NULL;
    for (uint32_t i = 0; i < n;) { /* neighbours in the mesh are one coordinate */
        int64_t size = weft_atom_size(z->t, atoms[i]), stride = weft_atom_stride(z->t, atoms[i]);
        for (i++; i < n && weft_atom_stride(z->t, atoms[i]) * weft_atom_size(z->t, atoms[i]) == stride; i++) {
            stride = weft_atom_stride(z->t, atoms[i]);
            size *= weft_atom_size(z->t, atoms[i]);
        }
        weft_value *c = coordinate(z, &h, place, stride, size);
        if (v) {
            v = weft_build_binary(&h, WEFT_OP_multiply, v, head_number(z, &h, size));
            v = weft_build_binary(&h, WEFT_OP_add, v, c);
        } else v = c;
    }
    if (!v) v = head_number(z, &h, 0);
    else if (step != 1) v = weft_build_binary(&h, WEFT_OP_multiply, v, head_number(z, &h, step));
    if (v == place && h.status == WEFT_OK) { /* nothing was built */
        if (!remember(z, atoms, n, step, v)) z->b->status = weft_oom();
        return v;
    }
    v = head_end(z, &h, v);
    if (v && !remember(z, atoms, n, step, v)) z->b->status = weft_oom();
    return v;
}

weft_value *weft_local_dim_index(weft_localizer *z, const weft_placement *l, uint32_t d, int64_t step) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n = weft_placement_dim_atoms(l, d, atoms);
    return weft_local_index(z, atoms, n, step);
}

weft_value *weft_local_start(weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t step) {
    return n || weft_local_listed(z) ? weft_local_index(z, atoms, n, step) : NULL;
}

weft_value *weft_local_is_first(weft_localizer *z, weft_atoms set) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n = 0;
    WEFT_EACH_BIT(a, set) atoms[n++] = (uint8_t)a;
    weft_value *c = weft_local_index(z, atoms, n, 1);
    return weft_local_compare(z, c, weft_build_splat(z->b, weft_local_offset_type(z), 0), WEFT_comparison_direction_EQ);
}

/* --- small builders --------------------------------------------------------------------------------------------- */

weft_value *weft_local_part(weft_localizer *z, weft_value *x, const weft_type *type, weft_value *const *starts) {
    weft_value *operands[1 + WEFT_MAX_RANK] = { x };
    weft_value *zero = NULL;
    if (!x || !type) return NULL;
    for (uint32_t d = 0; d < type->rank; d++) {
        if (!starts[d] && !zero) zero = weft_build_splat(z->b, weft_local_offset_type(z), 0);
        operands[1 + d] = starts[d] ? starts[d] : zero;
    }
    weft_attr_pair sizes[] = { { WEFT_A_slice_sizes, weft_attr_ints(z->cx, WEFT_I64, type->dims, type->rank) } };
    return weft_build_1(z->b, WEFT_OP_dynamic_slice, type, operands, 1 + type->rank, sizes, 1);
}

weft_value *weft_local_broadcast(weft_localizer *z, weft_value *scalar, const weft_type *type) {
    if (type && type->rank == 0) return scalar;
    weft_attr_pair dims[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, NULL, 0) } };
    return weft_build_1(z->b, WEFT_OP_broadcast_in_dim, type, &scalar, 1, dims, 1);
}

weft_value *weft_local_reshaped(weft_localizer *z, weft_value *x, uint32_t rank, const int64_t *dims) {
    return x ? weft_build_1(z->b, WEFT_OP_reshape, weft_type_with_dims(z->cx, x->type, rank, dims), &x, 1, NULL, 0)
             : NULL;
}

weft_value *weft_local_transposed(weft_localizer *z, weft_value *x, const int64_t *permutation) {
    int64_t dims[2 * WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t d = 0; d < x->type->rank; d++) dims[d] = x->type->dims[permutation[d]];
    weft_attr_pair attrs[] = { { WEFT_A_permutation, weft_attr_ints(z->cx, WEFT_I64, permutation, x->type->rank) } };
    return weft_build_1(z->b, WEFT_OP_transpose, weft_type_with_dims(z->cx, x->type, x->type->rank, dims), &x, 1, attrs,
                        1);
}

weft_value *weft_local_convert(weft_localizer *z, weft_value *x, weft_dtype dtype) {
    if (!x || (x->type->dtype == dtype && !weft_local_listed(z))) return x;
    return weft_build_1(z->b, WEFT_OP_convert, weft_type_with_dtype(z->cx, x->type, dtype), &x, 1, NULL, 0);
}

weft_value *weft_local_compare(weft_localizer *z, weft_value *x, weft_value *y, weft_enum_value direction) {
    if (!x || !y) return NULL;
    weft_value *operands[2] = { x, y };
    weft_attr_pair attrs[] = { { WEFT_A_comparison_direction, weft_attr_enum(z->cx, direction) } };
    return weft_build_1(z->b, WEFT_OP_compare, weft_type_with_dtype(z->cx, x->type, WEFT_I1), operands, 2, attrs, 1);
}

weft_value *weft_local_select(weft_localizer *z, weft_value *pred, weft_value *x, weft_value *y) {
    if (!pred || !x || !y) return NULL;
    weft_value *operands[3] = { pred, x, y };
    return weft_build_1(z->b, WEFT_OP_select, x->type, operands, 3, NULL, 0);
}

void weft_local_reducer(weft_localizer *z, weft_region *r, weft_op_kind kind, weft_dtype dtype) {
    const weft_type *scalar = weft_type_tensor(z->cx, dtype, 0, NULL);
    weft_builder body = *z->b;
    body.before = NULL;
    body.block = weft_build_block(z->b, r);
    weft_value *x = body.block && scalar ? weft_build_block_arg(&body, body.block, scalar, z->b->loc) : NULL;
    weft_value *y = x ? weft_build_block_arg(&body, body.block, scalar, z->b->loc) : NULL;
    weft_value *v = y ? weft_build_binary(&body, kind, x, y) : NULL;
    if (!v || !weft_build_op(&body, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = &v, .operand_count = 1 }))
        z->b->status = body.status != WEFT_OK ? body.status : weft_oom();
}

weft_status weft_local_clone(weft_localizer *z, const weft_op *op, weft_op **out) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    const weft_type **types = weft_scratch_array(z->cx, const weft_type *, op->result_count);
    weft_op *made = NULL;
    if (!types) z->b->status = weft_oom();
    for (uint32_t i = 0; types && i < op->result_count; i++) types[i] = weft_local_type(z, &op->results[i]);
    if (types) made = weft_clone_shell(z->b, op, &z->rewrite->map, types);
    weft_arena_reset(&z->cx->scratch, mark);
    if (!made) return z->b->status;
    *out = made;
    weft_status st = weft_local_listed(z) ? WEFT_OK : weft_local_strip(z, made);
    return st == WEFT_OK ? weft_rewrite_regions(z->rewrite, op, made) : st;
}

weft_status weft_local_strip(weft_localizer *z, weft_op *made) {
    weft_status st = weft_op_set(z->rewrite->out, made, WEFT_A_sdy_sharding, NULL);
    return st == WEFT_OK ? weft_op_set(z->rewrite->out, made, WEFT_A_sdy_sharding_rule, NULL) : st;
}
