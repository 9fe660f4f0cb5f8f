/* import_gspmd: converts GSPMD's shardings to sdy's.
 *
 * Pass weft-import-gspmd. Reads mhlo.sharding of arguments, results and ops, and the custom calls of GSPMD:
 *
 *     @Sharding                    an sdy.sharding_constraint, open in the dimensions of "unspecified_dims"
 *     shard_as, shard_like         an sdy.sharding_group
 *     @SPMDFullToShardShape, @SPMDShardToFullShape
 *                                  with the ops between them an sdy.manual_computation (gspmd_manual.h)
 *
 * A custom call with "num_batch_dims" in its frontend attributes gets the sharding rule of such a batch. The pass makes
 * the meshes (gspmd.h), at the start of the module: @mesh with the axes named in the texts, or with axes axis_0,
 * axis_1, ..., and @maximal_mesh_N for values that only device N has. A value with sdy.sharding keeps it. A program
 * that only has "{replicated}" stays unchanged. An unreadable sharding gives a warning, class annotation, at its line;
 * the pass removes it, so that the next run does not warn again. So do mhlo.spmd_parameters_shardings and
 * mhlo.spmd_output_sharding, which XLA leaves on programs that it has partitioned.
 * Needs: nothing. Leaves: no mhlo.sharding that names devices; unreadable calls without theirs.
 * Sources: gspmd.h; JAX lowers to these forms if jax_use_shardy_partitioner is off.
 */
#include <stdio.h>

#include "ir/func_attrs.h"
#include "ir/verify.h"
#include "propagate/import_gspmd.h"
#include "propagate/propagate.h"

/* --- texts -------------------------------------------------------------------------------------------------------- */

static weft_status unread(gspmd_importer *im, const weft_loc *loc, weft_str text, const char *why) {
    return weft_report(im->cx, WEFT_D_annotation, loc,
                       "the sharding '%.*s' cannot be read: %s; it has no effect; " GSPMD_REMEDY, WEFT_STR_ARG(text),
                           why);
}

static bool names_devices(const gspmd_sharding *s) {
    for (uint32_t i = 0; s->kind == GSPMD_TUPLE && i < s->item_count; i++)
        if (names_devices(s->items[i])) return true;
    return s->unread || s->kind == GSPMD_MAXIMAL || s->kind == GSPMD_UNREDUCED || s->group != GSPMD_ALONE ||
        ((s->kind == GSPMD_GRID || s->axes) && s->device_count > 1);
}

static gspmd_mesh *alone_on(const gspmd_importer *im, int64_t device) {
    for (size_t i = 0; i < im->alone.count; i++)
        if (im->alone.v[i]->order[0] == device) return im->alone.v[i];
    return NULL;
}

static weft_status place_grids(gspmd_importer *im, gspmd_sharding *s) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < s->item_count; i++) st = place_grids(im, (gspmd_sharding *)s->items[i]);
    if (s->kind == GSPMD_GRID && s->device_count == 1) s->kind = GSPMD_REPLICATED;
    const bool on_mesh = s->kind == GSPMD_GRID || (s->axes && s->device_count > 1);
    if (st == WEFT_OK && s->kind == GSPMD_MAXIMAL && !alone_on(im, s->device))
        st = gspmd_add_alone(&im->alone, s->device);
    return st == WEFT_OK && on_mesh ? gspmd_place(&im->meshes, s) : st;
}

static gspmd_sharding *find_known(const gspmd_importer *im, const weft_attr *attr) {
    for (size_t i = 0; i < im->known_count; i++)
        if (weft_str_equal(im->known[i]->text, attr->s)) return im->known[i];
    return NULL;
}

/* Reads a text at its first occurrence; warns if it is unreadable. */
static weft_status meet(gspmd_importer *im, const weft_attr *attr, const weft_loc *loc) {
    if (!attr) return WEFT_OK;
    if (attr->kind != WEFT_ATTR_STRING) {
        im->names_devices = true;
        return weft_report(im->cx, WEFT_D_annotation, loc,
                           "mhlo.sharding is not a string: it has no effect; " GSPMD_REMEDY);
    }
    if (find_known(im, attr)) return WEFT_OK;
    if (!weft_arena_grow(&im->arena, (void **)&im->known, &im->known_cap, im->known_count + 1, sizeof *im->known))
        return weft_oom();
    weft_status st = gspmd_read(&im->arena, attr->s, &im->known[im->known_count]);
    if (st != WEFT_OK) return st;
    gspmd_sharding *s = im->known[im->known_count++];
    im->names_devices |= names_devices(s);
    if (s->unread) return unread(im, loc, s->text, s->unread);
    return place_grids(im, s);
}

const weft_attr *gspmd_entry_text(const weft_attr *list, uint32_t i) {
    const weft_attr *dict = list && list->kind == WEFT_ATTR_ARRAY && i < list->items.n ? list->items.v[i] : NULL;
    return weft_dict_get(dict, WEFT_A_mhlo_sharding);
}

/* A text beside sdy.sharding is ignored. */
static weft_status meet_entry(gspmd_importer *im, const weft_op *func, weft_attr_name name, uint32_t i) {
    const weft_attr *list = weft_op_attr(func, name);
    const weft_attr *dict = list && list->kind == WEFT_ATTR_ARRAY && i < list->items.n ? list->items.v[i] : NULL;
    if (weft_dict_get(dict, WEFT_A_sdy_sharding)) return WEFT_OK;
    return meet(im, gspmd_entry_text(list, i), weft_func_entry_loc(func, name, i));
}

static weft_status meet_op(void *user, weft_op *op) {
    gspmd_importer *im = user;
    weft_status st = weft_op_attr(op, WEFT_A_sdy_sharding) ? WEFT_OK
        : meet(im, weft_op_attr(op, WEFT_A_mhlo_sharding), op->loc);
    im->names_devices |= (manual_is_begin(op) || manual_is_end(op)) && weft_op_attr(op, WEFT_A_mhlo_sharding);
    if (op->kind != WEFT_OP_func) return st;
    const weft_type *t = weft_func_type(op);
    for (uint32_t i = 0; st == WEFT_OK && i < t->input_count; i++) st = meet_entry(im, op, WEFT_A_arg_attrs, i);
    for (uint32_t i = 0; st == WEFT_OK && i < t->part_count - t->input_count; i++)
        st = meet_entry(im, op, WEFT_A_res_attrs, i);
    return st;
}

/* The sharding in the value's text, item i of a tuple; NULL if there is no readable one. */
const gspmd_sharding *gspmd_said(const gspmd_importer *im, const weft_attr *attr, uint32_t i) {
    const gspmd_sharding *s = attr && attr->kind == WEFT_ATTR_STRING ? find_known(im, attr) : NULL;
    if (!s || s->unread) return NULL;
    if (s->kind != GSPMD_TUPLE) return s;
    return i < s->item_count ? s->items[i] : NULL;
}

/* Why a text cannot be that of n values, the first of type t; NULL: it can. Values of tuple types have tuples, too. */
static const char *misfit(const gspmd_importer *im, const weft_attr *attr, uint32_t n, const weft_type *t) {
    const gspmd_sharding *s = attr && attr->kind == WEFT_ATTR_STRING ? find_known(im, attr) : NULL;
    if (!s || s->unread || s->kind != GSPMD_TUPLE || s->item_count == n || !weft_type_is_tensor(t)) return NULL;
    return "it is a tuple of more or fewer shardings than there are values";
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

/* Bits of the dimensions that a call leaves open: "unspecified_dims=[0,1]". */
weft_bits gspmd_open_dims(const weft_op *call) {
    static const char key[] = "unspecified_dims=[";
    const weft_attr *config = weft_op_attr(call, WEFT_A_backend_config);
    const size_t n = sizeof key - 1;
    weft_bits open = 0;
    if (!config || config->kind != WEFT_ATTR_STRING) return 0;
    const char *p = config->s.p, *end = p + config->s.n;
    while (p + n < end && memcmp(p, key, n)) p++;
    for (p += n; p < end && *p != ']'; p++) {
        uint32_t dim = 0;
        if (*p < '0' || *p > '9') continue;
        for (; p < end && *p >= '0' && *p <= '9'; p++) dim = dim < 64 ? dim * 10 + (uint32_t)(*p - '0') : 64;
        if (dim < 64) open |= weft_bit(dim);
        p--;
    }
    return open;
}

weft_status gspmd_to_sdy(gspmd_importer *im, const gspmd_sharding *s, const weft_type *type, weft_bits open,
                         const gspmd_mesh *mesh, const weft_attr **out,
                          const char **why) {
    weft_axis_ref refs[64], sums[64], kept[64];
    weft_dim_sharding dims[64];
    uint32_t n = 0, sum_count = 0, kept_count = 0;
    bool oom = false;
    const uint32_t rank = weft_type_is_tensor(type) ? type->rank : 0;
    *out = NULL;
    *why = NULL;
    if (s->kind == GSPMD_MANUAL || s->kind == GSPMD_UNKNOWN) return WEFT_OK;
    if (s->mesh) mesh = s->mesh;
    if (s->kind == GSPMD_MAXIMAL) mesh = alone_on(im, s->device);
    if (!mesh && s->kind == GSPMD_UNREDUCED) *why = "no sharding of the program says over which devices";
    if (!mesh) return WEFT_OK;
    if (rank > WEFT_COUNT(dims)) return *why = "the value has too many dimensions", WEFT_OK;
    if (s->kind == GSPMD_GRID && s->value_rank != rank)
        return *why = "it has another number of dimensions than the value", WEFT_OK;
    for (uint32_t d = 0; s->kind != GSPMD_MAXIMAL && d < rank; d++) {
        const uint32_t first = n;
        if (s->kind == GSPMD_GRID) n = gspmd_axes(im->cx, s, d, refs, n, &oom);
        dims[d] = (weft_dim_sharding){ { refs + first, n - first }, (open | s->open) >> d & 1, WEFT_NO_PRIORITY };
    }
    if (s->kind == GSPMD_GRID) {
        sum_count = gspmd_axes_for(im->cx, s, GSPMD_PARTIAL_SUMS, sums, &oom);
        kept_count = gspmd_axes_for(im->cx, s, GSPMD_STAYS_REPLICATED, kept, &oom);
    }
    if (s->kind == GSPMD_UNREDUCED) sum_count = gspmd_all_axes(im->cx, mesh, sums, sum_count, &oom);
    const weft_attr *symbol = oom ? NULL : weft_attr_symbol(im->cx, mesh->name);
    weft_attr a = { .kind = WEFT_ATTR_SHARDING,
                    .sharding =
                        { symbol, dims, s->kind == GSPMD_MAXIMAL ? 0 : rank, { kept, kept_count }, { sums, sum_count },
                          WEFT_BY_SUM } };
    *out = symbol ? weft_attr_copy(im->cx, &a) : NULL;
    return *out ? WEFT_OK : weft_oom();
}

/* The same, with a warning if there is a problem. */
static weft_status to_sdy_or_warn(gspmd_importer *im, const gspmd_sharding *s, const weft_type *type, weft_bits open,
                                  const weft_loc *loc, const weft_attr **out) {
    const char *why;
    weft_status st = gspmd_to_sdy(im, s, type, open, gspmd_main_mesh(im), out, &why);
    return st == WEFT_OK && why ? unread(im, loc, s->text, why) : st;
}

typedef struct importing {
    gspmd_importer *im;
    const weft_type *const *types;   /* [count]: of the arguments or results */
    uint32_t count;
} importing;

/* Converts an entry with mhlo.sharding to sdy.sharding. */
static weft_status import_entry(void *user, uint32_t at, const weft_loc *loc, const weft_attr **dict) {
    const importing *x = user;
    const weft_attr *own = weft_dict_get(*dict, WEFT_A_mhlo_sharding), *sharding = NULL;
    const gspmd_sharding *s = gspmd_said(x->im, own, 0);
    if (!own || at >= x->count) return WEFT_OK;
    const char *why = misfit(x->im, own, 1, x->types[at]);
    weft_status st = why ? unread(x->im, loc, own->s, why)
        : s && !weft_dict_get(*dict, WEFT_A_sdy_sharding) ? to_sdy_or_warn(x->im, s, x->types[at], 0, loc, &sharding)
                                                          : WEFT_OK;
    weft_named_attr *entries = weft_scratch_array(x->im->cx, weft_named_attr, (*dict)->entries.n + 1);
    uint32_t n = 0;
    if (st != WEFT_OK || !entries) return st == WEFT_OK ? weft_oom() : st;
    for (uint32_t i = 0; i < (*dict)->entries.n; i++)
        if ((*dict)->entries.v[i].name->id != WEFT_A_mhlo_sharding) entries[n++] = (*dict)->entries.v[i];
    if (sharding) entries[n++] = (weft_named_attr){ weft_name_from(x->im->cx, "sdy.sharding"), sharding };
    *dict = weft_attr_dict(x->im->cx, entries, n);
    return *dict ? WEFT_OK : weft_oom();
}

static weft_status import_func(gspmd_importer *im, weft_builder *b, const weft_op *op) {
    weft_op *made = weft_clone_shell(b, op, &im->rewrite.map, NULL);
    if (!made) return b->status;
    const weft_type *t = weft_func_type(op);
    importing args = { im, t->parts, t->input_count },
        results = { im, t->parts + t->input_count, t->part_count - t->input_count };
    weft_module *out = im->rewrite.out;
    weft_status st = weft_func_map_entries(out, op, made, WEFT_A_arg_attrs, import_entry, &args);
    if (st == WEFT_OK) st = weft_func_map_entries(out, op, made, WEFT_A_res_attrs, import_entry, &results);
    return st == WEFT_OK ? weft_rewrite_regions(&im->rewrite, op, made) : st;
}

/* Any op: the sharding of its results, and the rule of a batch. */
static weft_status import_results(gspmd_importer *im, weft_builder *b, const weft_op *op) {
    const weft_attr *own = weft_op_attr(op, WEFT_A_mhlo_sharding), *with = NULL;
    weft_op *made = weft_clone_shell(b, op, &im->rewrite.map, NULL);
    if (!made) return b->status;
    weft_status st = weft_op_set(im->rewrite.out, made, WEFT_A_mhlo_sharding, NULL);
    weft_mark mark = weft_arena_mark(&im->cx->scratch);
    if (st == WEFT_OK) st = gspmd_set_batch_rule(im, op, made);
    const weft_attr **items = weft_scratch_array(im->cx, const weft_attr *, op->result_count);
    bool all = items && op->result_count && !weft_op_attr(op, WEFT_A_sdy_sharding) && !manual_is_begin(op) &&
        !manual_is_end(op);
    const char *why = all ? misfit(im, own, op->result_count, op->results[0].type) : NULL;
    if (st == WEFT_OK && why) st = unread(im, op->loc, own->s, why);
    for (uint32_t i = 0; st == WEFT_OK && all && !why && i < op->result_count; i++) {
        const gspmd_sharding *s = gspmd_said(im, own, i);
        if (s) st = to_sdy_or_warn(im, s, op->results[i].type, 0, op->loc, &items[i]);
        all = s && items[i];
    }
    if (st == WEFT_OK && all && !why) {
        with = weft_attr_copy(im->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS,
                                                    .items = { items, op->result_count } });
        st = with ? weft_op_set(im->rewrite.out, made, WEFT_A_sdy_sharding, with) : weft_oom();
    }
    if (st == WEFT_OK && !items) st = weft_oom();
    weft_arena_reset(&im->cx->scratch, mark);
    return st == WEFT_OK ? weft_rewrite_regions(&im->rewrite, op, made) : st;
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

bool gspmd_is_sharding_call(const weft_op *op) {
    const weft_attr *target = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    return target && target->kind == WEFT_ATTR_STRING && weft_str_is(target->s, "Sharding") && op->operand_count == 1 &&
        op->result_count == 1 &&
           op->operands[0]->type == op->results[0].type;
}

/* Whether a constraint has content: axes, or a dimension to be split over all devices. */
static bool constrains(const weft_attr *s) {
    if (s->sharding.unreduced.n) return true;
    for (uint32_t d = 0; d < s->sharding.rank; d++)
        if (s->sharding.dims[d].axes.n || !s->sharding.dims[d].open) return true;
    return false;
}

/* A value used by manual computations only gets its sharding from their in_shardings. */
static bool goes_into_regions(const gspmd_importer *im, const weft_value *v) {
    for (uint32_t u = im->uses.start[v->id]; u < im->uses.start[v->id + 1]; u++) {
        const weft_op *user = im->uses.use[u].op;
        if (!manual_is_begin(user) || im->regions.v[im->regions.of_op[user->id]].unread) return false;
    }
    return weft_use_count(&im->uses, v) > 0;
}

static weft_status import_sharding_call(gspmd_importer *im, weft_builder *b, const weft_op *op) {
    const gspmd_sharding *s = goes_into_regions(im, &op->results[0]) ? NULL
        : gspmd_said(im, weft_op_attr(op, WEFT_A_mhlo_sharding), 0);
    const weft_attr *sharding = NULL;
    weft_value *value = gspmd_now(im, op->operands[0]);
    weft_status st = s ? to_sdy_or_warn(im, s, op->results[0].type, gspmd_open_dims(op), op->loc, &sharding) : WEFT_OK;
    if (st == WEFT_OK && sharding && (constrains(sharding) || s->kind == GSPMD_MAXIMAL))
        value = weft_build_1(b, WEFT_OP_sdy_sharding_constraint, value->type, &value, 1,
                             &(weft_attr_pair){ WEFT_A_sharding, sharding }, 1);
    if (st != WEFT_OK || !value) return st == WEFT_OK ? b->status : st;
    im->rewrite.map.to[op->results[0].id] = value;
    if (!s || s->group == GSPMD_ALONE) return WEFT_OK;
    const weft_attr *id = weft_attr_i64(im->cx, s->group_id);
    if (!id) return weft_oom();
    weft_named_attr attr = { weft_name_from(im->cx, "group_id"), id };
    return attr.name && weft_build_op(b,
                                      &(weft_op_spec){ .kind = WEFT_OP_sdy_sharding_group, .operands = &value,
                                                       .operand_count = 1, .attrs = &attr, .attr_count = 1 })
               ? WEFT_OK : weft_oom();
}

/* --- the module --------------------------------------------------------------------------------------------------- */

static weft_status import_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    gspmd_importer *im = r->user;
    const uint32_t index = im->regions.of_op[op->id];
    manual_region *region = index == WEFT_NO_REGION || im->regions.v[index].unread ? NULL : &im->regions.v[index];
    const bool filled = im->filling && im->filling->block == op->parent;
    *did = WEFT_DONE;
    if (region && !filled) return op == region->place ? gspmd_import_region(im, b, region) : WEFT_OK;
    if (op->kind == WEFT_OP_func) return import_func(im, b, op);
    if (gspmd_is_sharding_call(op) && !weft_op_attr(op, WEFT_A_sdy_sharding) && weft_op_attr(op, WEFT_A_mhlo_sharding))
        return import_sharding_call(im, b, op);
    if (weft_op_attr(op, WEFT_A_mhlo_sharding) || gspmd_batch_dims(op)) return import_results(im, b, op);
    *did = WEFT_KEEP;
    return WEFT_OK;
}

static weft_status name_meshes(gspmd_importer *im, const gspmd_meshes *meshes, const char *prefix) {
    for (size_t i = 0; i < meshes->count; i++) {
        char text[64];
        if (meshes == &im->alone) snprintf(text, sizeof text, "%s%lld", prefix, (long long)meshes->v[i]->order[0]);
        else snprintf(text, sizeof text, "%s", prefix);
        weft_name wanted = weft_name_from(im->cx, text);
        meshes->v[i]->name = wanted ? weft_symbols_add(&im->symbols, wanted) : NULL;
        if (!meshes->v[i]->name) return weft_oom();
    }
    return WEFT_OK;
}

static weft_status build_meshes(gspmd_importer *im, weft_builder *b, const gspmd_meshes *meshes) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < meshes->count; i++) {
        const weft_attr *mesh = gspmd_mesh_attr(im->cx, meshes->v[i]),
            *name = weft_attr_string(im->cx, weft_name_str(meshes->v[i]->name));
        const weft_named_attr attrs[] = {
            { weft_name_at(im->cx, WEFT_A_sym_name), name },
            { weft_name_at(im->cx, WEFT_A_mesh), mesh },
        };
        const weft_op_spec spec = { .kind = WEFT_OP_sdy_mesh, .attrs = attrs, .attr_count = WEFT_COUNT(attrs) };
        if (!mesh || !name) st = weft_oom();
        else if (!weft_build_op(b, &spec)) st = b->status;
    }
    return st;
}

static weft_status enter(weft_rewrite *r, const weft_block *old, weft_block *made) {
    gspmd_importer *im = r->user;
    weft_builder b;
    if (old != weft_module_body(im->rewrite.in)) return WEFT_OK;
    weft_builder_init(&b, im->rewrite.out, made);
    b.loc = im->rewrite.in->root->loc;
    weft_status st = build_meshes(im, &b, &im->meshes);
    return st == WEFT_OK ? build_meshes(im, &b, &im->alone) : st;
}

/* Notes that XLA leaves on a module that it has partitioned: the global shapes of arguments and results. */
static const char *const notes[] = { "mhlo.spmd_parameters_shardings", "mhlo.spmd_output_sharding" };

/* For a text, or a list of texts. */
static weft_status note_names_devices(gspmd_importer *im, const weft_attr *note, bool *out) {
    const bool list = note->kind == WEFT_ATTR_ARRAY;
    *out = false;
    for (uint32_t i = 0; i < (list ? note->items.n : 1); i++) {
        const weft_attr *text = list ? note->items.v[i] : note;
        gspmd_sharding *s;
        if (text->kind != WEFT_ATTR_STRING) continue;
        weft_status st = gspmd_read(&im->arena, text->s, &s);
        if (st != WEFT_OK) return st;
        *out = *out || names_devices(s);
    }
    return WEFT_OK;
}

static weft_status meet_notes(gspmd_importer *im, const weft_op *root) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < WEFT_COUNT(notes); i++) {
        const weft_attr *note = weft_op_attr_named(root, notes[i]);
        bool says = false;
        if (note) st = note_names_devices(im, note, &says);
        if (st != WEFT_OK || !says) continue;
        im->noted = im->names_devices = true;
        st = weft_report(im->cx, WEFT_D_annotation, root->loc,
                         "'%s' has no effect: XLA has partitioned this program already, and each device takes its "
                         "arguments and results as they are; give Weft the program from before", notes[i]);
    }
    return st;
}

/* Removes them, so that the next run does not warn again. */
static weft_status drop_notes(const gspmd_importer *im, weft_module *m) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && im->noted && i < WEFT_COUNT(notes); i++) {
        weft_name name = weft_name_from(im->cx, notes[i]);
        st = name ? weft_op_set_attr(m, m->root, name, NULL) : weft_oom();
    }
    return st;
}

static weft_status import_module(gspmd_importer *im, const weft_module *in, weft_module **out) {
    weft_status st = weft_module_walk(in, meet_op, im);
    if (st == WEFT_OK) st = meet_notes(im, in->root);
    if (st != WEFT_OK || !im->names_devices) return st;
    st = weft_symbols_open(in, &im->arena, &im->symbols);
    if (st == WEFT_OK) st = name_meshes(im, &im->meshes, "mesh");
    if (st == WEFT_OK) st = name_meshes(im, &im->alone, "maximal_mesh_");
    if (st == WEFT_OK) st = weft_uses_build(in, &im->arena, &im->uses);
    if (st == WEFT_OK) st = manual_regions_find(in, &im->arena, &im->regions);
    if (st == WEFT_OK) st = gspmd_check_regions(im);
    if (st == WEFT_OK) st = weft_rewrite_module(&im->rewrite, in, &im->arena, out);
    if (st != WEFT_OK) return st;
    st = drop_notes(im, *out);
    if (st == WEFT_OK && (st = weft_verify_module(im->cx, *out)) == WEFT_OK) return st;
    weft_module_free(*out);
    *out = NULL;
    return st;
}

weft_status weft_pass_import_gspmd(weft_pass *p, const weft_module *in, weft_module **out) {
    gspmd_importer im = { .rewrite = { .op = import_op, .enter = enter }, .cx = p->cx };
    weft_arena_init(&im.arena, &p->cx->chunks);
    im.rewrite.user = &im;
    im.meshes.arena = im.alone.arena = &im.arena;
    weft_status st = import_module(&im, in, out);
    weft_arena_free(&im.arena);
    return st;
}
