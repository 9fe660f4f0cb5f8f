/* local_collective.c: sdy's collectives as StableHLO's, on local shapes.
 *
 * Groups are written as mesh axes, so the text does not grow with the devices; only collective_permute has no such form
 * and lists its pairs, which all permutes that are alike share. Ids are flattened (channel and use_global_device_ids
 * set), which with one replica are partition numbers. An op is read by the placements of its operand and result, not by
 * its axes attributes: sdy's verifier ties them together.
 */
#include "ir/process.h"
#include "partitioner/lower/local_ops.h"

/* [groups][size] devices: the groups in mesh order, in each the last of atoms fastest. */
static const weft_attr *list_groups(weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t size) {
    int64_t devices = weft_placements_devices(z->t), dims[2] = { devices / size, size }, count = 0;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *ids = weft_scratch_array(z->cx, int64_t, devices);
    for (int64_t first = 0; ids && first < devices; first++) {
        if (weft_local_number(z, atoms, n, first)) continue;
        for (int64_t k = 0; k < size; k++) {
            int64_t place = first, rest = k;
            for (uint32_t a = n; a-- > 0; rest /= weft_atom_size(z->t, atoms[a]))
                place += rest % weft_atom_size(z->t, atoms[a]) * weft_atom_stride(z->t, atoms[a]);
            ids[count++] = weft_local_device_at(z, place);
        }
    }
    const weft_attr *a = ids ? weft_attr_dense_i64(z->cx, 2, dims, ids) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return a;
}

weft_group weft_local_group(weft_localizer *z, const uint8_t *atoms, uint32_t n) {
    const weft_mesh *mesh = weft_placements_mesh(z->t);
    weft_axis_ref refs[WEFT_MAX_ATOMS];
    weft_group g = { NULL, 1 };
    weft_attr a = { .kind = WEFT_ATTR_MESH_AXES,
                    .mesh_axes = { mesh->ref, { refs, weft_atoms_to_refs(z->t, atoms, n, refs) } } };
    bool listed = weft_local_listed(z) && !(z->form & WEFT_FORM_GROUPS_BY_AXES);
    for (uint32_t i = 0; i < n; i++) g.size *= weft_atom_size(z->t, atoms[i]);
    /* part of an axis */
    for (uint32_t i = 0; weft_local_listed(z) && i < a.mesh_axes.axes.n; i++) listed = listed || refs[i].size;
    g.attr = listed ? list_groups(z, atoms, n, g.size) : weft_attr_copy(z->cx, &a);
    return g;
}

const weft_attr *weft_local_channel(weft_localizer *z) {
    weft_attr a = { .kind = WEFT_ATTR_CHANNEL, .channel = { ++z->channel, 1 } };
    return weft_attr_copy(z->cx, &a);
}

const weft_type *weft_local_scaled(weft_localizer *z, const weft_type *type, uint32_t d, int64_t times, int64_t over) {
    int64_t dims[WEFT_MAX_RANK];
    memcpy(dims, type->dims, type->rank * sizeof dims[0]);
    dims[d] = dims[d] * times / over;
    return weft_type_with_dims(z->cx, type, type->rank, dims);
}

static int64_t size_of(const weft_localizer *z, const uint8_t *atoms, uint32_t n) {
    int64_t size = 1;
    for (uint32_t i = 0; i < n; i++) size *= weft_atom_size(z->t, atoms[i]);
    return size;
}

weft_status weft_lower_all_slice(weft_localizer *z, const weft_op *op) {
    const weft_placement *from = weft_local_placement(z, op->operands[0]),
                         *to = weft_local_placement(z, &op->results[0]);
    const weft_type *type = weft_local_type(z, &op->results[0]);
    weft_value *starts[WEFT_MAX_RANK] = { NULL }, *v = weft_local_value(z, op->operands[0]);
    uint8_t atoms[WEFT_MAX_ATOMS];
    weft_status st = weft_local_check_step(z, op);
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; type && d < type->rank; d++) {
        uint32_t n = weft_placement_dim_tail(from, to, d, atoms);
        starts[d] = weft_local_start(z, atoms, n, type->dims[d]);
        if (n) v = weft_local_pad_to(z, v, d, type->dims[d] * size_of(z, atoms, n));
    }
    weft_local_map(z, &op->results[0], weft_local_part(z, v, type, starts));
    return z->b->status;
}

weft_value *weft_local_gathered(weft_localizer *z, weft_value *v, uint32_t d, const uint8_t *atoms, uint32_t n) {
    weft_group g = weft_local_group(z, atoms, n);
    weft_attr_pair attrs[] = {
        { WEFT_A_all_gather_dim, weft_attr_i64(z->cx, d) },
        { WEFT_A_replica_groups, g.attr },
        { WEFT_A_channel_handle, weft_local_channel(z) },
        { WEFT_A_use_global_device_ids, weft_attr_unit(z->cx) },
    };
    return v ? weft_build_1(z->b, WEFT_OP_all_gather, weft_local_scaled(z, v->type, d, g.size, 1), &v, 1, attrs,
                            WEFT_COUNT(attrs))
             : NULL;
}

/* One all_gather per dimension; the smaller ones first cost no more than one of all. */
weft_status weft_lower_all_gather(weft_localizer *z, const weft_op *op) {
    const weft_placement *from = weft_local_placement(z, op->operands[0]),
                         *to = weft_local_placement(z, &op->results[0]);
    const weft_type *type = weft_local_type(z, &op->results[0]);
    weft_value *v = type ? weft_local_value(z, op->operands[0]) : NULL;
    uint8_t atoms[WEFT_MAX_ATOMS];
    weft_status st = weft_local_check_step(z, op);
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; v && d < v->type->rank; d++) {
        uint32_t n = weft_placement_dim_tail(to, from, d, atoms);
        if (!n) continue;
        v = weft_local_gathered(z, v, d, atoms, n);
        v = weft_local_trim_to(z, v, d, type->dims[d]);
    }
    weft_local_map(z, &op->results[0], v);
    return z->b->status;
}

/* Atoms leave the minor end of the source dimension for the minor end of the target: each device cuts the target
 * dimension for its group, and joins what it gets along the source, in the order of the group. */
weft_value *weft_local_exchange(weft_localizer *z, weft_value *x, const uint8_t *atoms, uint32_t n, uint32_t from,
                                uint32_t to) {
    weft_group g = weft_local_group(z, atoms, n);
    int64_t dims[WEFT_MAX_RANK];
    memcpy(dims, x->type->dims, x->type->rank * sizeof dims[0]);
    dims[from] *= g.size;
    dims[to] /= g.size;
    const weft_type *type = weft_type_with_dims(z->cx, x->type, x->type->rank, dims);
    weft_attr_pair attrs[] = {
        { WEFT_A_split_dimension, weft_attr_i64(z->cx, to) },
        { WEFT_A_concat_dimension, weft_attr_i64(z->cx, from) },
        { WEFT_A_split_count, weft_attr_i64(z->cx, g.size) },
        { WEFT_A_replica_groups, g.attr },
        { WEFT_A_channel_handle, weft_local_channel(z) },
    };
    return weft_build_1(z->b, WEFT_OP_all_to_all, type, &x, 1, attrs, WEFT_COUNT(attrs));
}

weft_status weft_lower_all_to_all(weft_localizer *z, const weft_op *op) {
    const weft_attr *params = weft_op_attr(op, WEFT_A_params);
    const weft_type *type = weft_local_type(z, &op->results[0]);
    weft_value *v = type ? weft_local_value(z, op->operands[0]) : NULL;
    weft_status st = weft_local_check_step(z, op);
    for (uint32_t i = 0; st == WEFT_OK && v && i < params->a2a.n; i++) {
        const weft_a2a_param *p = &params->a2a.v[i];
        uint8_t atoms[WEFT_MAX_ATOMS];
        uint32_t n;
        st = weft_atoms_from_refs(z->t, p->axes, op->loc, atoms, &n);
        if (st != WEFT_OK) return st;
        v = weft_local_pad_to(z, v, (uint32_t)p->tgt_dim,
                              weft_round_up(v->type->dims[p->tgt_dim], size_of(z, atoms, n)));
        v = v ? weft_local_exchange(z, v, atoms, n, (uint32_t)p->src_dim, (uint32_t)p->tgt_dim) : NULL;
    }
    for (uint32_t d = 0; v && d < type->rank; d++) v = weft_local_trim_to(z, v, d, type->dims[d]);
    if (st == WEFT_OK && v && v->type != type)
        st = weft_report(z->cx, WEFT_D_unsupported, op->loc,
                         "an exchange of several dimensions that the devices do not divide");
    weft_local_map(z, &op->results[0], v);
    return st == WEFT_OK ? z->b->status : st;
}

/* --- collective_permute ------------------------------------------------------------------------------------------ */

static int64_t coordinate(const weft_localizer *z, int64_t place, uint32_t atom) {
    return place / weft_atom_stride(z->t, atom) % weft_atom_size(z->t, atom);
}

/* What is the same for all places on the way from one placement to another. */
typedef struct journey {
    weft_placement_range from[WEFT_MAX_RANK], to[WEFT_MAX_RANK]; /* by dimension */
    const weft_placement *of, *like;
    weft_atoms lost, gained;
    uint32_t rank, atoms;
    uint32_t size[WEFT_MAX_ATOMS];
    int64_t stride[WEFT_MAX_ATOMS];
} journey;

static journey journey_between(const weft_localizer *z, const weft_placement *from, const weft_placement *to,
                               uint32_t rank) {
    journey j = { .of = from, .like = to, .lost = from->used & ~to->used, .gained = to->used & ~from->used,
                  .rank = rank, .atoms = weft_placements_atom_count(z->t) };
    for (uint32_t d = 0; d < rank; d++) {
        j.from[d] = weft_placement_dim(from, d);
        j.to[d] = weft_placement_dim(to, d);
    }
    for (uint32_t a = 0; a < j.atoms; a++) {
        j.size[a] = (uint32_t)weft_atom_size(z->t, a);
        j.stride[a] = weft_atom_stride(z->t, a);
    }
    return j;
}

/* The place that holds, under `from`, the part that the place with these coordinates needs under `to`: the coordinates
 * along from's atoms follow from the parts' numbers, the others stay.
 *
 * Several targets may need one source's part, but a permute has each source once: devices that differ only along atoms
 * which `from` leaves replicated take different copies. Along such an atom the source's coordinate is that of the
 * target along the atom of `to` that it was given up for; both sets have the same sizes, since local shapes are equal.
 */
static int64_t source_of(const journey *j, const uint32_t *at) {
    uint32_t source[WEFT_MAX_ATOMS], number = 0;
    int64_t place = 0;
    memcpy(source, at, j->atoms * sizeof *at);
    for (uint32_t d = 0; d < j->rank; d++) {
        uint32_t part = 0;
        for (uint32_t i = 0; i < j->to[d].n; i++) {
            uint32_t atom = j->like->at[j->to[d].first + i].atom;
            part = part * j->size[atom] + at[atom];
        }
        for (uint32_t i = j->from[d].n; i-- > 0;) {
            uint32_t atom = j->of->at[j->from[d].first + i].atom;
            source[atom] = part % j->size[atom];
            part /= j->size[atom];
        }
    }
    for (uint32_t a = 0; j->lost && a < j->atoms; a++) /* the target's number along what it no longer uses */
        if (weft_bits_has(j->lost, a)) number = number * j->size[a] + at[a];
    for (uint32_t a = j->atoms; j->gained && a-- > 0;) { /* becomes the source's number along what it did not use */
        if (!weft_bits_has(j->gained, a)) continue;
        source[a] = number % j->size[a];
        number /= j->size[a];
    }
    for (uint32_t a = 0; a < j->atoms; a++) place += source[a] * j->stride[a];
    return place;
}

const weft_attr *weft_local_pairs(weft_localizer *z, const int64_t *pairs, int64_t n) {
    weft_attr new = { .kind = WEFT_ATTR_DENSE, .type = weft_type_tensor(z->cx, WEFT_I64, 2, (int64_t[]){ n, 2 }),
                      .dense = { pairs, 2 * (size_t)n * sizeof *pairs, false } };
    for (const weft_listed_pairs *p = z->pairs; p; p = p->next)
        if (weft_attr_equal(p->pairs, &new)) return p->pairs;
    weft_listed_pairs *made = weft_arena_new(z->arena, weft_listed_pairs);
    if (!made || !new.type || !(made->pairs = weft_attr_copy(z->cx, &new))) return NULL;
    made->next = z->pairs;
    z->pairs = made;
    return made->pairs;
}

weft_value *weft_local_permute(weft_localizer *z, weft_value *x, const weft_attr *pairs) {
    weft_attr_pair attrs[] = { { WEFT_A_source_target_pairs, pairs },
                               { WEFT_A_channel_handle, weft_local_channel(z) } };
    return x ? weft_build_1(z->b, WEFT_OP_collective_permute, x->type, &x, 1, attrs, WEFT_COUNT(attrs)) : NULL;
}

/* From where each place gets its part on the way from one placement to another. */
static const weft_attr *pairs_between(weft_localizer *z, const weft_placement *from, const weft_placement *to,
                                      uint32_t rank) {
    int64_t n = weft_placements_devices(z->t);
    journey j = journey_between(z, from, to, rank);
    uint32_t at[WEFT_MAX_ATOMS] = { 0 }; /* the place's coordinates */
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *pairs = weft_scratch_array(z->cx, int64_t, 2 * n);
    for (int64_t place = 0; pairs && place < n; place++) {
        pairs[2 * place] = weft_local_device_of(z, from, source_of(&j, at));
        pairs[2 * place + 1] = weft_local_device_of(z, to, place);
        for (uint32_t a = j.atoms; a-- > 0 && ++at[a] == j.size[a];) at[a] = 0;
    }
    const weft_attr *listed = pairs ? weft_local_pairs(z, pairs, n) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return listed;
}

/* Whether from and to cut as the two of p do, whatever the numbers of the dimensions that are split. */
static bool go_alike(const weft_localizer *z, const weft_permutation *p, const weft_placement *from,
                     const weft_placement *to) {
    const weft_placement *known[] = { weft_placement_of(z->t, p->from), weft_placement_of(z->t, p->to) },
                         *asked[] = { from, to };
    uint32_t there[WEFT_MAX_RANK] = { 0 }, back[WEFT_MAX_RANK] = { 0 }; /* which dimension goes with which, from 1 on */
    for (uint32_t side = 0; side < 2; side++) {
        if (known[side]->n != asked[side]->n || known[side]->order != asked[side]->order) return false;
        for (uint32_t i = 0; i < asked[side]->n; i++) {
            weft_atom_place a = known[side]->at[i], b = asked[side]->at[i];
            if (!there[a.dim] && !back[b.dim]) {
                there[a.dim] = b.dim + 1u;
                back[b.dim] = a.dim + 1u;
            }
            if (a.atom != b.atom || there[a.dim] != b.dim + 1u || back[b.dim] != a.dim + 1u) return false;
        }
    }
    return true;
}

weft_status weft_lower_collective_permute(weft_localizer *z, const weft_op *op) {
    weft_placement_id from = z->of[op->operands[0]->id], to = z->of[op->results[0].id];
    const weft_permutation *p = z->permutations;
    while (p && !go_alike(z, p, weft_placement_of(z->t, from), weft_placement_of(z->t, to))) p = p->next;
    if (!p) {
        weft_permutation *made = weft_arena_new(z->arena, weft_permutation);
        const weft_attr *pairs =
            pairs_between(z, weft_placement_of(z->t, from), weft_placement_of(z->t, to), op->operands[0]->type->rank);
        if (!made || !pairs) return weft_oom();
        *made = (weft_permutation){ from, to, pairs, z->permutations };
        p = z->permutations = made;
    }
    weft_local_map(z, &op->results[0], weft_local_permute(z, weft_local_value(z, op->operands[0]), p->pairs));
    return z->b->status;
}

/* --- reductions -------------------------------------------------------------------------------------------------- */

/* The reducer for sdy's reduction_op; booleans add as "or". */
static weft_op_kind reducer(const weft_op *op, weft_dtype dtype) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_reduction_op);
    weft_enum_value e = a && a->kind == WEFT_ATTR_ENUM ? a->e : WEFT_reduction_op_sum;
    if (e == WEFT_reduction_op_max) return dtype == WEFT_I1 ? WEFT_OP_or : WEFT_OP_maximum;
    if (e == WEFT_reduction_op_min) return dtype == WEFT_I1 ? WEFT_OP_and : WEFT_OP_minimum;
    return WEFT_OP_add;
}

weft_value *weft_local_reduction(weft_localizer *z, const weft_op *op, weft_op_kind kind, weft_value *x,
                                 const weft_type *type, const uint8_t *atoms, uint32_t n, int64_t scatter_dim) {
    weft_named_attr attrs[4];
    uint32_t count = 0;
    if (!x) return NULL;
    if (kind == WEFT_OP_reduce_scatter)
        attrs[count++] =
            (weft_named_attr){ weft_name_at(z->cx, WEFT_A_scatter_dimension), weft_attr_i64(z->cx, scatter_dim) };
    attrs[count++] =
        (weft_named_attr){ weft_name_at(z->cx, WEFT_A_replica_groups), weft_local_group(z, atoms, n).attr };
    attrs[count++] = (weft_named_attr){ weft_name_at(z->cx, WEFT_A_channel_handle), weft_local_channel(z) };
    attrs[count++] = (weft_named_attr){ weft_name_at(z->cx, WEFT_A_use_global_device_ids), weft_attr_unit(z->cx) };
    weft_op *made = weft_build_op(z->b, &(weft_op_spec){ .kind = kind, .operands = &x, .operand_count = 1,
                                                         .types = &type, .result_count = 1, .attrs = attrs,
                                                         .attr_count = count, .region_count = 1 });
    if (!made) return NULL;
    weft_local_reducer(z, &made->regions[0], reducer(op, x->type->dtype), x->type->dtype);
    return &made->results[0];
}

weft_status weft_lower_all_reduce(weft_localizer *z, const weft_op *op) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n;
    weft_value *x = weft_local_value(z, op->operands[0]);
    weft_status st = weft_atoms_from_refs(z->t, weft_op_attr(op, WEFT_A_reduction_axes)->axes, op->loc, atoms, &n);
    if (st != WEFT_OK) return st;
    weft_local_map(z, &op->results[0],
                   n && x ? weft_local_reduction(z, op, WEFT_OP_all_reduce, x, x->type, atoms, n, 0) : x);
    return z->b->status;
}

weft_status weft_lower_reduce_scatter(weft_localizer *z, const weft_op *op) {
    const weft_placement *from = weft_local_placement(z, op->operands[0]),
                         *to = weft_local_placement(z, &op->results[0]);
    weft_value *v = weft_local_value(z, op->operands[0]);
    uint8_t atoms[WEFT_MAX_ATOMS];
    weft_status st = weft_local_check_step(z, op);
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; v && d < v->type->rank; d++) {
        uint32_t n = weft_placement_dim_tail(from, to, d, atoms);
        if (!n) continue;
        int64_t size = size_of(z, atoms, n);
        v = weft_local_pad_to(z, v, d, weft_round_up(v->type->dims[d], size));
        v = v ? weft_local_reduction(z, op, WEFT_OP_reduce_scatter, v, weft_local_scaled(z, v->type, d, 1, size), atoms,
                                     n, d)
              : NULL;
    }
    weft_local_map(z, &op->results[0], v);
    return z->b->status;
}

/* --- to partial sums: nobody talks ------------------------------------------------------------------------------- */

/* The first device along the axes has the value, the others zeros. */
weft_status weft_lower_replicated_to_unreduced(weft_localizer *z, const weft_op *op) {
    const weft_placement *from = weft_local_placement(z, op->operands[0]),
                         *to = weft_local_placement(z, &op->results[0]);
    weft_value *x = weft_local_value(z, op->operands[0]), *v = x;
    weft_atoms fresh = to->unreduced & ~from->unreduced;
    if (x && fresh) {
        weft_value *is = weft_local_is_first(z, fresh);
        is = is ? weft_local_broadcast(z, is, weft_type_with_dtype(z->cx, x->type, WEFT_I1)) : NULL;
        v = weft_local_select(z, is, x, weft_build_splat(z->b, x->type, 0));
    }
    weft_local_map(z, &op->results[0], v);
    return z->b->status != WEFT_OK || v ? z->b->status : weft_oom();
}

/* Each device puts its part where it belongs among zeros. */
weft_status weft_lower_sharded_to_unreduced(weft_localizer *z, const weft_op *op) {
    const weft_placement *from = weft_local_placement(z, op->operands[0]),
                         *to = weft_local_placement(z, &op->results[0]);
    const weft_type *type = weft_local_type(z, &op->results[0]);
    weft_value *operands[2 + WEFT_MAX_RANK] = { NULL, weft_local_value(z, op->operands[0]) };
    uint8_t atoms[WEFT_MAX_ATOMS];
    int64_t whole[WEFT_MAX_RANK];
    weft_status st = weft_local_check_step(z, op);
    if (!type || !operands[1] || st != WEFT_OK) return st != WEFT_OK ? st : weft_oom();
    for (uint32_t d = 0; d < type->rank; d++) {
        uint32_t n = weft_placement_dim_tail(to, from, d, atoms);
        whole[d] = n ? operands[1]->type->dims[d] * size_of(z, atoms, n) : type->dims[d];
        operands[2 + d] = n ? weft_local_index(z, atoms, n, operands[1]->type->dims[d])
                            : weft_build_splat(z->b, weft_local_offset_type(z), 0);
    }
    const weft_type *room = weft_type_with_dims(z->cx, type, type->rank, whole);
    if (!room) return weft_oom();
    operands[0] = weft_build_splat(z->b, room, 0);
    weft_value *v = weft_build_1(z->b, WEFT_OP_dynamic_update_slice, room, operands, 2 + type->rank, NULL, 0);
    for (uint32_t d = 0; v && d < type->rank; d++) v = weft_local_trim_to(z, v, d, type->dims[d]);
    weft_local_map(z, &op->results[0], v);
    return z->b->status;
}

/* --- the program's own -------------------------------------------------------------------------------------------- */

/* Whether the groups are all there are along these atoms, each in mesh order. */
static bool runs_along(const weft_localizer *z, const weft_process_groups *g, const uint8_t *atoms, uint32_t n) {
    for (int64_t i = 0; i < g->count; i++) {
        int64_t first = g->ids[i * g->size];
        for (uint32_t a = 0; a < n; a++)
            if (coordinate(z, first, atoms[a])) return false;
        for (int64_t k = 0; k < g->size; k++) {
            int64_t want = first, rest = k;
            for (uint32_t a = n; a-- > 0; rest /= weft_atom_size(z->t, atoms[a]))
                want += rest % weft_atom_size(z->t, atoms[a]) * weft_atom_stride(z->t, atoms[a]);
            if (g->ids[i * g->size + k] != want) return false;
        }
    }
    return true;
}

/* Groups listed by their devices are named by their axes where they are those of axes, so that the dry run and warnings
 * speak of "model" and the text does not grow with the devices. */
static weft_status name_groups(weft_localizer *z, const weft_op *op, weft_op *made) {
    const weft_mesh *mesh = weft_placements_mesh(z->t);
    const weft_attr *groups = weft_op_attr(op, WEFT_A_replica_groups),
                    *channel = weft_op_attr(op, WEFT_A_channel_handle);
    bool flat = weft_op_attr(op, WEFT_A_use_global_device_ids) ||
                ((op->kind == WEFT_OP_all_to_all || op->kind == WEFT_OP_collective_broadcast ||
                  op->kind == WEFT_OP_custom_call) && channel && channel->channel.handle > 0);
    if (!flat || !mesh || mesh->device_ids.n || !groups || groups->kind != WEFT_ATTR_DENSE ||
        weft_op_int(z->in->root, WEFT_A_mhlo_num_replicas, 1) != 1)
        return WEFT_OK;
    weft_process_groups all;
    weft_atoms crossed;
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n = 0;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_status st = weft_group_atoms(z->t, z->in, op, &crossed);
    if (st == WEFT_OK)
        st = weft_process_groups_of(z->in, op, (weft_grid){ 1, weft_placements_devices(z->t) }, &z->cx->scratch, &all);
    WEFT_EACH_BIT(a, crossed) atoms[n++] = (uint8_t)a;
    if (st == WEFT_OK && n && all.size == weft_atoms_size(z->t, crossed) &&
        all.size * all.count == weft_placements_devices(z->t) && runs_along(z, &all, atoms, n)) {
        weft_group g = weft_local_group(z, atoms, n);
        st = g.attr ? weft_op_set(z->rewrite->out, made, WEFT_A_replica_groups, g.attr) : weft_oom();
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}

weft_status weft_lower_grouped(weft_localizer *z, const weft_op *op) {
    weft_op *made = NULL;
    weft_status st = weft_local_clone(z, op, &made);
    return st == WEFT_OK ? name_groups(z, op, made) : st;
}
