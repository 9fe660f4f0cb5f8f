/* one_mesh: every sharding of a program over one mesh, cut in one way.
 *
 * Pass weft-one-mesh. Needs a propagated module. Leaves: shardings over meshes of the same devices in another order, or
 * of other axes, and those that split an axis where it cannot be split beside the others (after 3 of 6 and after 2),
 * written over the main mesh: the same parts on other devices (mesh_frame.h). Which device has which part is anybody's
 * business only where a program begins and ends, so arguments and results stay where they are, over a mesh of the main
 * one's axes that has the devices in that order, with an sdy.collective_permute each, and where a manual computation
 * asks for the device that it is on, or names devices in groups: there each device is told that it is the one whose
 * part it has. The main mesh is the one that most bytes of arguments and results are over; it comes to stand before the
 * meshes that are added. Meshes with other numbers of devices are left for the passes that report them.
 */
#include "ir/process.h"
#include "ir/symbols.h"
#include "partitioner/layout/device_number.h"
#include "partitioner/layout/mesh_frame.h"
#include "partitioner/partition.h"
#include "ir/rewrite.h"
#include "sharding/data_flow.h"
#include "sharding/values.h"

typedef struct border_sharding { const weft_sharding *s; double bytes; } border_sharding;

/* A frame, and main's axes over its devices: main itself where these stand as main's do. */
typedef struct view { weft_frame f; const weft_mesh *order; struct view *next; } view;

typedef struct held { const weft_mesh *mesh; weft_axis_list pieces; weft_bits manual; bool clash; } held;

typedef struct unifier {
    weft_context *cx;
    const weft_module *in;
    weft_arena *arena;
    weft_rewrite *r;
    weft_shardings *t;
    weft_symbol_table functions;
    weft_symbols symbols;
    border_sharding *border; size_t border_count, border_cap;
    const weft_mesh *main;
    weft_axis_list pieces;         /* of main */
    view *views;
    const view *inside;            /* of the manual computation around, or NULL */
    held held;                     /* what a computation's view is found from */
    weft_bits *called;             /* functions, by op id */
    bool needed, odd;              /* something is to be done; something cannot be */
} unifier;

/* --- what there is ------------------------------------------------------------------------------------------------ */

typedef weft_status (*visitor)(unifier *z, const weft_sharding *s, double bytes);

static weft_status visit_attr(unifier *z, const weft_attr *a, const weft_loc *loc, double bytes, visitor see) {
    const weft_sharding *s;
    weft_status st = WEFT_OK;
    if (a->kind == WEFT_ATTR_SHARDINGS)
        for (uint32_t i = 0; st == WEFT_OK && i < a->items.n; i++) st = visit_attr(z, a->items.v[i], loc, bytes, see);
    if (a->kind != WEFT_ATTR_SHARDING) return st;
    st = weft_sharding_from_attr(z->t, a, loc, &s);
    return st == WEFT_OK && s->mesh->axis_count ? see(z, s, bytes) : st;
}

/* Of the arguments, then the results. */
static const weft_attr *border_attr(const weft_op *f, uint32_t i) {
    uint32_t inputs = weft_func_type(f)->input_count;
    return i < inputs ? weft_func_arg_attr(f, i, WEFT_A_sdy_sharding)
                      : weft_func_result_attr(f, i - inputs, WEFT_A_sdy_sharding);
}

static weft_status visit_func(unifier *z, const weft_op *f, visitor see) {
    const weft_type *type = weft_func_type(f);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < type->part_count; i++) {
        const weft_attr *a = border_attr(f, i);
        double bytes = weft_type_is_tensor(type->parts[i]) ? (double)weft_type_bytes(type->parts[i]) : 0;
        if (a) st = visit_attr(z, a, f->loc, weft_bits_has(z->called[f->id / 64], f->id % 64) ? 0 : bytes, see);
    }
    return st;
}

typedef struct visit { unifier *z; visitor see; } visit;

static weft_status visit_op(void *user, weft_op *op) {
    visit *v = user;
    weft_status st = WEFT_OK;
    if (op->kind == WEFT_OP_func) return visit_func(v->z, op, v->see);
    for (uint32_t i = 0; st == WEFT_OK && i < op->attr_count; i++)
        if (weft_op_attr_says_sharding(op, op->attrs[i].name))
            st = visit_attr(v->z, op->attrs[i].value, op->loc, 0, v->see);
    return st;
}

static weft_status visit_all(unifier *z, weft_op *root, visitor see) {
    return weft_op_walk(root, visit_op, &(visit){ z, see });
}

static weft_status note_called(void *user, weft_op *op) {
    unifier *z = user;
    const weft_op *f =
        op->kind == WEFT_OP_func_call ? weft_symbol_table_find(&z->functions, weft_op_symbol(op, WEFT_A_callee)) : NULL;
    if (f) z->called[f->id / 64] |= weft_bit(f->id % 64);
    return WEFT_OK;
}

static weft_status note_border(unifier *z, const weft_sharding *s, double bytes) {
    if (!bytes || !weft_sharding_has_axes(s)) return WEFT_OK;
    if (!weft_arena_grow(z->arena, (void **)&z->border, &z->border_cap, z->border_count + 1, sizeof *z->border))
        return weft_oom();
    z->border[z->border_count++] = (border_sharding){ s, bytes };
    return WEFT_OK;
}

static weft_status take_first(unifier *z, const weft_sharding *s, double bytes) {
    (void)bytes;
    if (!z->main) z->main = s->mesh;
    return WEFT_OK;
}

static weft_status choose_main(unifier *z) {
    double most = 0;
    for (size_t i = 0; i < z->border_count; i++) {
        double bytes = 0;
        for (size_t k = 0; k < z->border_count; k++)
            if (weft_mesh_same_devices(z->border[k].s->mesh, z->border[i].s->mesh)) bytes += z->border[k].bytes;
        if (bytes <= most) continue;
        most = bytes;
        z->main = z->border[i].s->mesh;
    }
    return z->main ? WEFT_OK : visit_all(z, z->in->root, take_first);
}

static weft_status cut_main(unifier *z, const weft_sharding *s, double bytes) {
    (void)bytes;
    if (weft_mesh_same_axes(s->mesh, z->main)) weft_mesh_pieces_cut_by(&z->pieces, s);
    return WEFT_OK;
}

static weft_status look(unifier *z, const weft_sharding *s, double bytes) {
    weft_axis_list trial = z->pieces;
    (void)bytes;
    z->odd |= s->mesh->device_count != z->main->device_count;
    z->needed |= !weft_mesh_same_devices(s->mesh, z->main) || !weft_mesh_pieces_cut_by(&trial, s);
    return WEFT_OK;
}

/* The heaviest first: then these move least. */
static void sort_border(unifier *z) {
    for (size_t i = 1; i < z->border_count; i++)
        for (size_t k = i; k > 0 && z->border[k].bytes > z->border[k - 1].bytes; k--) {
            border_sharding swap = z->border[k];
            z->border[k] = z->border[k - 1];
            z->border[k - 1] = swap;
        }
}

/* Device ids that are each number once. */
static weft_status check_ids(unifier *z) {
    int64_t n = z->main->device_count;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    bool *met = weft_scratch_array(z->cx, bool, n);
    if (!met) return weft_oom();
    for (uint32_t i = 0; i < weft_shardings_mesh_count(z->t); i++) {
        const weft_mesh *m = weft_shardings_mesh_at(z->t, i);
        if (m->device_count != n || !m->device_ids.n) continue;
        memset(met, 0, (size_t)n * sizeof *met);
        for (int64_t k = 0; k < n; k++) {
            int64_t id = m->device_ids.v[k];
            if (id < 0 || id >= n || met[id]) z->odd = true;
            else met[id] = true;
        }
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return WEFT_OK;
}

static weft_status analyse(unifier *z) {
    weft_status st = weft_symbol_table_open(z->in, z->arena, &z->functions, NULL);
    if (st == WEFT_OK) st = weft_module_walk(z->in, note_called, z);
    if (st == WEFT_OK) st = visit_all(z, z->in->root, note_border);
    if (st == WEFT_OK) st = choose_main(z);
    if (st != WEFT_OK || !z->main) return st;
    sort_border(z);
    weft_mesh_pieces(z->main, &z->pieces);
    for (size_t i = 0; i < z->border_count; i++) cut_main(z, z->border[i].s, 0);
    st = visit_all(z, z->in->root, cut_main);
    if (st == WEFT_OK) st = visit_all(z, z->in->root, look);
    return st == WEFT_OK && z->needed ? check_ids(z) : st;
}

/* --- views ------------------------------------------------------------------------------------------------------- */

/* A mesh of main's axes over these devices: one of the module's, or a new one. */
static weft_status mesh_over(unifier *z, const int64_t *ids, const weft_loc *loc, const weft_mesh **out) {
    bool counted = true;
    for (int64_t i = 0; i < z->main->device_count; i++) counted = counted && ids[i] == i;
    for (uint32_t i = 0; i < weft_shardings_mesh_count(z->t); i++) {
        const weft_mesh *m = *out = weft_shardings_mesh_at(z->t, i);
        bool same = m->name && weft_mesh_same_axes(m, z->main);
        for (int64_t k = 0; same && k < m->device_count; k++) same = ids[k] == weft_mesh_device_at(m, k);
        if (same) return WEFT_OK;
    }
    weft_attr a = { .kind = WEFT_ATTR_MESH, .mesh = z->main->attr->mesh };
    a.mesh.device_ids = (weft_ints){ ids, counted ? 0 : (uint32_t)z->main->device_count };
    const weft_attr *attr = weft_attr_copy(z->cx, &a);
    weft_name name = weft_name_from(z->cx, z->main->name ? z->main->name->text : "mesh");
    if (name) name = weft_symbols_add(&z->symbols, name);
    return attr && name ? weft_shardings_add_mesh(z->t, name, attr, loc, out) : weft_oom();
}

static weft_status view_of(unifier *z, const weft_mesh *mesh, const weft_axis_list *pieces, const weft_loc *loc,
                           const view **out) {
    view v = { .order = z->main };
    if (!weft_frame_open(&v.f, z->main, &z->pieces, mesh, pieces))
        return weft_report(z->cx, WEFT_D_internal, loc, "the pieces of two meshes of %lld devices do not match",
                           (long long)mesh->device_count);
    for (view *k = z->views; k; k = k->next)
        if (weft_frame_equal(&k->f, &v.f)) {
            *out = k;
            return WEFT_OK;
        }
    view *made = weft_arena_new(z->arena, view);
    int64_t n = z->main->device_count, *ids = weft_arena_array(z->arena, int64_t, n);
    if (!made || !ids) return weft_oom();
    bool same = true;
    for (int64_t i = 0; i < n; i++) {
        ids[i] = weft_frame_device(&v.f, i);
        same = same && ids[i] == weft_mesh_device_at(z->main, i);
    }
    weft_status st = same ? WEFT_OK : mesh_over(z, ids, loc, &v.order);
    *made = (view){ v.f, v.order, z->views };
    *out = z->views = made;
    return st;
}

/* The sharding's own, or that of the computation around, where it fits in there. */
static weft_status view_for(unifier *z, const weft_sharding *s, const weft_loc *loc, const view **out) {
    weft_axis_list pieces;
    if (z->inside && weft_frame_has_all(&z->inside->f, s)) {
        *out = z->inside;
        return WEFT_OK;
    }
    weft_mesh_pieces(s->mesh, &pieces);
    weft_mesh_pieces_cut_by(&pieces, s); /* the parts of one sharding do not clash */
    return view_of(z, s->mesh, &pieces, loc, out);
}

static weft_status map_sharding(unifier *z, const weft_attr *a, const weft_loc *loc, const weft_sharding **from,
                                const view **v, const weft_sharding **to) {
    weft_status st = weft_sharding_from_attr(z->t, a, loc, from);
    *to = *from;
    *v = NULL;
    if (st != WEFT_OK || !(*from)->mesh->axis_count) return st;
    st = view_for(z, *from, loc, v);
    if (st == WEFT_OK && !(*to = weft_frame_sharding(&(*v)->f, z->t, *from, z->main))) st = weft_oom();
    return st;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

static weft_status map_attr(unifier *z, const weft_attr *a, const weft_loc *loc, const weft_attr **out) {
    const weft_sharding *from, *to;
    const view *v;
    weft_status st = WEFT_OK;
    *out = a;
    if (a->kind == WEFT_ATTR_SHARDING) {
        st = map_sharding(z, a, loc, &from, &v, &to);
        if (st == WEFT_OK && !(*out = weft_sharding_to_attr(z->t, to))) st = weft_oom();
        return st;
    }
    if (a->kind != WEFT_ATTR_SHARDINGS) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    const weft_attr **items = weft_scratch_array(z->cx, const weft_attr *, a->items.n);
    if (!items) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < a->items.n; i++) st = map_attr(z, a->items.v[i], loc, &items[i]);
    if (st == WEFT_OK &&
        !(*out = weft_attr_copy(z->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { items, a->items.n } })))
        st = weft_oom();
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}

static weft_status map_attrs(unifier *z, const weft_op *op, weft_op *made) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->attr_count; i++) {
        const weft_attr *to;
        if (!weft_op_attr_says_sharding(op, op->attrs[i].name)) continue;
        st = map_attr(z, op->attrs[i].value, op->loc, &to);
        if (st == WEFT_OK && to != op->attrs[i].value) st = weft_op_set_attr(z->r->out, made, op->attrs[i].name, to);
    }
    return st;
}

/* --- devices in manual computations ------------------------------------------------------------------------------- */

/* as[d]: the device that d is taken for; or, the other way, the one that is taken for d. */
typedef enum which_way { TAKEN_FOR, TAKING } which_way;
static weft_status devices_as(unifier *z, const view *v, which_way way, int64_t **out) {
    int64_t n = z->main->device_count;
    if (!(*out = weft_scratch_array(z->cx, int64_t, n))) return weft_oom();
    for (int64_t i = 0; i < n; i++) {
        int64_t stands = weft_mesh_device_at(z->main, i), plays = weft_mesh_device_at(v->order, i);
        if (way == TAKEN_FOR) (*out)[stands] = plays;
        else (*out)[plays] = stands;
    }
    return WEFT_OK;
}

static weft_status lower_id(unifier *z, weft_builder *b, const weft_op *op) {
    weft_op *made = weft_clone_op(b, op, &z->r->map);
    int64_t n = z->main->device_count, *as;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_status st = made ? devices_as(z, z->inside, TAKEN_FOR, &as) : b->status;
    if (st == WEFT_OK) {
        weft_value *x = weft_build_lookup(b, as, n, WEFT_UI32, &made->results[0]);
        z->r->map.to[op->results[0].id] =
            x ? weft_build_1(b, WEFT_OP_reshape, op->results[0].type, &x, 1, NULL, 0) : NULL;
        st = b->status;
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}

static weft_status axes_of_groups(unifier *z, const weft_op *op, const weft_attr *groups, const weft_mesh **mesh,
                                  weft_axis_list *axes) {
    const weft_attr *ref = groups->mesh_axes.mesh;
    weft_axis a;
    *axes = (weft_axis_list){ 0 };
    *mesh = ref->kind == WEFT_ATTR_SYMBOL ? weft_shardings_mesh(z->t, ref->names.v[0]) : NULL;
    if (!*mesh)
        return weft_report(z->cx, WEFT_D_unsupported, op->loc,
                           "groups over a mesh without a name in a program whose shardings are over several");
    for (uint32_t i = 0; i < groups->mesh_axes.axes.n; i++) {
        if (!weft_axis_from_ref(*mesh, groups->mesh_axes.axes.v[i], &a))
            return weft_report(z->cx, WEFT_D_sharding, op->loc, "groups along no axis of their mesh");
        weft_axis_list_push(axes, a);
    }
    return WEFT_OK;
}

/* Rows of devices; members of a group in the order of its axes. */
static weft_status list_axis_groups(unifier *z, const weft_mesh *m, weft_axes axes, weft_process_groups *out) {
    int64_t size = weft_axes_size(axes), *ids = weft_scratch_array(z->cx, int64_t, m->device_count), n = 0;
    if (!ids) return weft_oom();
    for (int64_t place = 0; place < m->device_count; place++)
        for (int64_t k = 0; k < size && weft_mesh_number(m, axes, place) == 0; k++)
            ids[n++] = weft_mesh_device_at(m, weft_mesh_place(m, axes, place, k));
    *out = (weft_process_groups){ ids, m->device_count / size, size };
    return WEFT_OK;
}

/* The groups, or pairs, of one of the program's own collectives name the devices that are meant. */
static weft_status map_groups(unifier *z, const weft_op *op, weft_op *made) {
    weft_attr_name name = weft_op_attr(op, WEFT_A_replica_groups) ? WEFT_A_replica_groups : WEFT_A_source_target_pairs;
    const weft_attr *groups = weft_op_attr(op, name);
    const weft_mesh *mesh = NULL;
    weft_axis_list axes, trial = z->pieces;
    weft_process_groups g;
    weft_grid grid = { 1, z->main->device_count };
    int64_t *as = NULL;
    bool along = groups && groups->kind == WEFT_ATTR_MESH_AXES, moved = z->inside && z->inside->order != z->main;
    if (!groups || (!along && !moved)) return WEFT_OK;
    weft_status st = along ? axes_of_groups(z, op, groups, &mesh, &axes) : WEFT_OK;
    bool stays = st == WEFT_OK && !moved && weft_mesh_same_devices(mesh, z->main) &&
                 weft_mesh_pieces_cut(&trial, weft_axes_of(&axes));
    if (st != WEFT_OK || stays) return st;
    if (weft_op_int(z->in->root, WEFT_A_mhlo_num_replicas, 1) != 1)
        return weft_report(z->cx, WEFT_D_unsupported, op->loc,
                           "%s in replicas of a program whose shardings are over several meshes", op->name->text);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    st = along ? list_axis_groups(z, mesh, weft_axes_of(&axes), &g)
               : weft_process_groups_of(z->in, op, grid, &z->cx->scratch, &g);
    if (st == WEFT_OK && moved) st = devices_as(z, z->inside, TAKING, &as);
    int64_t *ids = st == WEFT_OK ? weft_scratch_array(z->cx, int64_t, g.count * g.size) : NULL;
    if (st == WEFT_OK && !ids) st = weft_oom();
    for (int64_t i = 0; st == WEFT_OK && i < g.count * g.size; i++)
        ids[i] = as && g.ids[i] >= 0 ? as[g.ids[i]] : g.ids[i];
    const weft_attr *attr = st == WEFT_OK ? weft_attr_dense_i64(z->cx, 2, (int64_t[]){ g.count, g.size }, ids) : NULL;
    if (st == WEFT_OK) st = attr ? weft_op_set(z->r->out, made, name, attr) : weft_oom();
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}

/* --- ops --------------------------------------------------------------------------------------------------------- */

static weft_status refuse_cuts(unifier *z, const weft_op *op) {
    weft_status st =
        weft_report(z->cx, WEFT_D_unsupported, op->loc,
                    "a manual computation whose shardings cut a manual axis into parts that do not divide each other, "
                    "or are over another mesh than those of the computation around");
    weft_help(z->cx, op->loc, "write them over one mesh, and cut its manual axes at the same places");
    return st;
}

static weft_status cut_inside(unifier *z, const weft_sharding *s, double bytes) {
    (void)bytes;
    if (weft_mesh_same_devices(s->mesh, z->held.mesh)) weft_mesh_pieces_cut_by(&z->held.pieces, s);
    return WEFT_OK;
}

static weft_status cut_manual(unifier *z, const weft_sharding *s, double bytes) {
    (void)bytes;
    for (uint32_t d = 0; d < s->rank; d++)
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++)
            if (weft_bits_has(z->held.manual, s->dims[d].axes.v[i].axis))
                z->held.clash |= !weft_mesh_pieces_cut(&z->held.pieces, weft_axes_at(&s->dims[d].axes.v[i], 1));
    return WEFT_OK;
}

static weft_status hold_first(unifier *z, const weft_sharding *s, double bytes) {
    (void)bytes;
    if (!z->held.mesh) z->held.mesh = s->mesh;
    return WEFT_OK;
}

static weft_status visit_ends(unifier *z, const weft_op *op, visitor see) {
    static const weft_attr_name ends[] = { WEFT_A_in_shardings, WEFT_A_out_shardings };
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < WEFT_COUNT(ends); i++)
        if (weft_op_attr(op, ends[i])) st = visit_attr(z, weft_op_attr(op, ends[i]), op->loc, 0, see);
    return st;
}

/* What a computation takes and gives along its manual axes is seen by one device at a time, so one view holds for all
 * of that, and for as much of the rest as fits. */
static weft_status view_inside(unifier *z, weft_op *op, const view **out) {
    const view *outer = z->inside;
    z->held = (held){ .mesh = NULL };
    weft_status st = visit_ends(z, op, hold_first);
    *out = outer;
    if (st != WEFT_OK || !z->held.mesh) return st;
    weft_mesh_pieces(z->held.mesh, &z->held.pieces);
    if (outer && weft_mesh_same_devices(outer->f.mesh, z->held.mesh))
        for (uint32_t i = 0; i < outer->f.n; i++)
            weft_mesh_pieces_cut(&z->held.pieces, weft_axes_at(&outer->f.here[i], 1));
    st = weft_manual_axes(z->cx, op, z->held.mesh, &z->held.manual);
    if (st == WEFT_OK) st = visit_ends(z, op, cut_manual);
    if (st == WEFT_OK && z->held.clash) return refuse_cuts(z, op);
    if (st == WEFT_OK) st = visit_all(z, op, cut_inside);
    if (st == WEFT_OK) st = view_of(z, z->held.mesh, &z->held.pieces, op->loc, out);
    return st == WEFT_OK && outer && outer->order != (*out)->order ? refuse_cuts(z, op) : st;
}

/* The axes that are manual, which must be whole axes again. */
static weft_status map_manual_axes(unifier *z, const weft_op *op, weft_op *made) {
    const weft_attr *manual = weft_op_attr(op, WEFT_A_manual_axes);
    const weft_frame *f = &z->inside->f;
    weft_axis_list from = { 0 }, to;
    weft_axis a;
    if (!manual || manual->kind != WEFT_ATTR_AXES || !manual->axes.n) return WEFT_OK;
    for (uint32_t i = 0; i < manual->axes.n; i++)
        if (weft_axis_from_ref(f->mesh, manual->axes.v[i], &a)) weft_axis_list_push(&from, a);
    weft_frame_axes(f, weft_axes_of(&from), &to);
    weft_axis_list_sort_merge(&to);
    for (uint32_t i = 0; i < to.n; i++)
        if (to.v[i].size != z->main->axes[to.v[i].axis].size)
            return weft_report(z->cx, WEFT_D_unsupported, op->loc,
                               "a manual computation over @%s, whose manual axes are parts of axes of @%s",
                               f->mesh->name ? f->mesh->name->text : "", z->main->name->text);
    const weft_attr *attr = weft_axes_to_attr(z->cx, z->main, weft_axes_of(&to));
    return attr ? weft_op_set(z->r->out, made, WEFT_A_manual_axes, attr) : weft_oom();
}

static weft_status unify_computation(unifier *z, weft_builder *b, weft_op *op) {
    const view *outer = z->inside, *v;
    weft_status st = view_inside(z, op, &v);
    weft_op *made = st == WEFT_OK ? weft_clone_shell(b, op, &z->r->map, NULL) : NULL;
    if (!made) return st == WEFT_OK ? b->status : st;
    z->inside = v;
    st = map_attrs(z, op, made);
    if (st == WEFT_OK && v) st = map_manual_axes(z, op, made);
    if (st == WEFT_OK) st = weft_rewrite_regions(z->r, op, made);
    z->inside = outer;
    return st;
}

/* What sdy's collectives do to where a value is. */
static bool only_moves(const weft_op *op) {
    return op->kind == WEFT_OP_sdy_all_gather || op->kind == WEFT_OP_sdy_all_slice ||
           op->kind == WEFT_OP_sdy_all_to_all || op->kind == WEFT_OP_sdy_collective_permute;
}

static weft_value *move_to(unifier *z, weft_builder *b, weft_op_kind kind, weft_value *x, const weft_sharding *s) {
    const weft_attr *a = weft_sharding_to_attr(z->t, s);
    weft_attr_pair where = { kind == WEFT_OP_sdy_reshard ? WEFT_A_sharding : WEFT_A_out_sharding, a };
    if (!a) b->status = weft_oom();
    return x && a ? weft_build_1(b, kind, x->type, &x, 1, &where, 1) : NULL;
}

static weft_status unify_move(unifier *z, weft_builder *b, const weft_op *op) {
    const weft_sharding *from, *to;
    const view *v;
    weft_status st = map_sharding(z, weft_op_attr(op, WEFT_A_out_sharding), op->loc, &from, &v, &to);
    if (st != WEFT_OK) return st;
    z->r->map.to[op->results[0].id] = move_to(z, b, WEFT_OP_sdy_reshard, z->r->map.to[op->operands[0]->id], to);
    return b->status;
}

/* --- functions --------------------------------------------------------------------------------------------------- */

typedef struct end { const weft_sharding *inside, *there; bool moves; } end;  /* of an argument or result */

static weft_status end_of(unifier *z, const weft_op *f, const weft_attr *a, end *out) {
    const view *v;
    const weft_sharding *from;
    *out = (end){ .moves = false };
    if (!a) return WEFT_OK;
    weft_status st = map_sharding(z, a, f->loc, &from, &v, &out->inside);
    out->there = out->inside;
    if (st != WEFT_OK || !v || v->order == z->main || !weft_sharding_has_axes(from) ||
        weft_bits_has(z->called[f->id / 64], f->id % 64))
        return st;
    if (from->unreduced.n == 0 && !weft_sharding_cuts(from)) return st;
    out->moves = true;
    return (out->there = weft_frame_sharding(&v->f, z->t, from, v->order)) ? WEFT_OK : weft_oom();
}

static weft_status ends_of(unifier *z, const weft_op *f, end **out) {
    const weft_type *type = weft_func_type(f);
    weft_status st = WEFT_OK;
    if (!(*out = weft_scratch_array(z->cx, end, type->part_count))) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < type->part_count; i++)
        st = end_of(z, f, border_attr(f, i), &(*out)[i]);
    return st;
}

static weft_status unify_func(unifier *z, weft_builder *b, const weft_op *f) {
    const weft_type *type = weft_func_type(f);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    const weft_sharding **there = weft_scratch_array(z->cx, const weft_sharding *, type->part_count);
    end *ends;
    weft_status st = there ? ends_of(z, f, &ends) : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < type->part_count; i++) there[i] = ends[i].there;
    weft_op *made = st == WEFT_OK ? weft_clone_shell(b, f, &z->r->map, NULL) : NULL;
    if (st == WEFT_OK && !made) st = b->status;
    if (st == WEFT_OK) st = weft_func_set_shardings(z->t, z->r->out, made, there, there + type->input_count);
    weft_arena_reset(&z->cx->scratch, mark);
    return st == WEFT_OK ? weft_rewrite_regions(z->r, f, made) : st;
}

/* Arguments that stand in another order, in main's. */
static weft_status enter_block(weft_rewrite *r, const weft_block *old, weft_block *made) {
    unifier *z = r->user;
    const weft_op *f = old->parent->parent;
    weft_builder b;
    end *ends;
    if (!f || f->kind != WEFT_OP_func) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_status st = ends_of(z, f, &ends);
    weft_builder_init(&b, r->out, made);
    for (uint32_t i = 0; st == WEFT_OK && i < old->arg_count; i++) {
        if (!ends[i].moves) continue;
        b.loc = weft_value_loc(old->args[i]);
        r->map.to[old->args[i]->id] =
            move_to(z, &b, WEFT_OP_sdy_collective_permute, r->map.to[old->args[i]->id], ends[i].inside);
        st = b.status;
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}

static weft_status unify_return(unifier *z, weft_builder *b, const weft_op *op) {
    const weft_op *f = weft_op_parent(op);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **values = weft_scratch_array(z->cx, weft_value *, op->operand_count);
    end *ends;
    weft_status st = values ? ends_of(z, f, &ends) : weft_oom();
    uint32_t first = weft_func_type(f)->input_count;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        values[i] = z->r->map.to[op->operands[i]->id];
        if (!ends[first + i].moves) continue;
        values[i] = move_to(z, b, WEFT_OP_sdy_reshard, values[i], ends[first + i].inside);
        values[i] = move_to(z, b, WEFT_OP_sdy_collective_permute, values[i], ends[first + i].there);
        st = b->status;
    }
    if (st == WEFT_OK && !weft_clone_shell_over(b, op, &z->r->map, values)) st = b->status;
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}

static weft_status unify_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    unifier *z = r->user;
    const weft_op *parent = weft_op_parent(op);
    if (op->kind == WEFT_OP_sdy_mesh || !parent) return WEFT_OK;
    *did = WEFT_DONE;
    if (op->kind == WEFT_OP_func) return unify_func(z, b, op);
    /* walked, not changed */
    if (op->kind == WEFT_OP_sdy_manual_computation) return unify_computation(z, b, (weft_op *)op);
    if (only_moves(op)) return unify_move(z, b, op);
    if (parent->kind == WEFT_OP_func && weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR))
        return unify_return(z, b, op);
    if (op->kind == WEFT_OP_partition_id && z->inside && z->inside->order != z->main) return lower_id(z, b, op);
    weft_op *made = weft_clone_shell(b, op, &r->map, NULL);
    weft_status st = made ? map_attrs(z, op, made) : b->status;
    if (st == WEFT_OK) st = map_groups(z, op, made);
    return st == WEFT_OK ? weft_rewrite_regions(r, op, made) : st;
}

/* --- the module's meshes ------------------------------------------------------------------------------------------ */

static weft_status write_mesh(unifier *z, weft_module *m, weft_op *before, const weft_mesh *mesh) {
    weft_builder top;
    weft_builder_init(&top, m, weft_module_body(m));
    top.before = before;
    top.loc = m->root->loc;
    weft_op *old = weft_module_symbol(m, weft_name_str(mesh->name));
    if (old == before && old) return WEFT_OK;
    weft_named_attr attrs[] = { { weft_name_at(z->cx, WEFT_A_sym_name),
                                  weft_attr_string(z->cx, weft_name_str(mesh->name)) },
                                { weft_name_at(z->cx, WEFT_A_mesh), mesh->attr } };
    if (!attrs[0].value) return weft_oom();
    if (old) weft_op_remove(old);
    weft_op_spec spec = { .kind = WEFT_OP_sdy_mesh, .attrs = old ? old->attrs : attrs,
                          .attr_count = old ? old->attr_count : WEFT_COUNT(attrs) };
    return weft_build_op(&top, &spec) ? WEFT_OK : top.status;
}

/* Main first, those that were added after the module's own. */
static weft_status write_meshes(unifier *z, weft_module *m, uint32_t known) {
    weft_status st = write_mesh(z, m, weft_module_body(m)->first, z->main);
    weft_op *first = weft_module_body(m)->first;
    while (first && first->kind == WEFT_OP_sdy_mesh) first = first->next;
    for (uint32_t i = known; st == WEFT_OK && i < weft_shardings_mesh_count(z->t); i++) {
        const weft_mesh *mesh = weft_shardings_mesh_at(z->t, i);
        if (mesh != z->main && mesh->name) st = write_mesh(z, m, first, mesh);
    }
    if (st == WEFT_OK) weft_module_renumber(m);
    return st;
}

static weft_status unify(unifier *z, weft_module **out) {
    weft_rewrite r = { .user = z, .op = unify_op, .enter = enter_block };
    uint32_t known = weft_shardings_mesh_count(z->t);
    weft_module *made = NULL;
    z->r = &r;
    weft_status st = weft_symbols_open(z->in, z->arena, &z->symbols);
    if (st == WEFT_OK && !z->main->name) {
        weft_name name = weft_name_from(z->cx, "mesh");
        if (name) name = weft_symbols_add(&z->symbols, name);
        st = name ? weft_shardings_add_mesh(z->t, name, z->main->attr, z->in->root->loc, &z->main) : weft_oom();
    }
    if (st == WEFT_OK) st = weft_rewrite_module(&r, z->in, z->arena, &made);
    if (st == WEFT_OK) st = write_meshes(z, made, known);
    if (st == WEFT_OK) *out = made;
    else weft_module_free(made);
    return st;
}

/* --- the pass ---------------------------------------------------------------------------------------------------- */

static bool is_prime_power(int64_t n) {
    int64_t p = 2;
    while (n > 1 && p <= n / p && n % p) p++;
    if (p > n / p) return true;
    while (n % p == 0) n /= p;
    return n == 1;
}

/* One mesh, whose axes can only be split in ways that fit together: most programs. Needs no look at the shardings. */
static bool is_plain(const weft_module *in) {
    const weft_attr *mesh = NULL;
    WEFT_EACH_OP(op, weft_module_body(in)) {
        const weft_attr *a = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (!a || !a->mesh.axis_count) continue;
        if (mesh) return false;
        mesh = a;
    }
    for (uint32_t i = 0; mesh && i < mesh->mesh.axis_count; i++)
        if (!is_prime_power(mesh->mesh.axes[i].size)) return false;
    return mesh && !(weft_module_mentions(in) & WEFT_MENTIONS_WRITTEN_MESH);
}

weft_status weft_pass_one_mesh(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    if (is_plain(in)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    unifier z = { .cx = p->cx, .in = in, .arena = &arena };
    weft_status st = weft_shardings_open(p->cx, in, &arena, &z.t);
    if (st == WEFT_OK && !(z.called = weft_arena_array(&arena, weft_bits, in->op_count / 64 + 1))) st = weft_oom();
    if (st == WEFT_OK) st = analyse(&z);
    if (st == WEFT_OK && z.needed && !z.odd) st = unify(&z, out);
    weft_arena_free(&arena);
    return st;
}
