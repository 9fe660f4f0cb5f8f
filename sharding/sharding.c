/* sharding.c: the table of interned shardings and the questions about one; see sharding.h. */
#include "sharding/sharding.h"

#include "ir/attr_numbers.h"

struct weft_shardings {
    weft_context *cx;
    weft_arena *arena;
    weft_mesh **meshes;             /* pointers: meshes do not move */
    size_t mesh_count, mesh_cap;
    const weft_mesh **of_name;      /* by name id: the mesh of this symbol, or NULL */
    size_t of_name_cap;
    weft_attr_numbers written_out;  /* meshes without a symbol */
    const weft_mesh **of_written_out; /* by number there */
    size_t of_written_out_cap;
    weft_table interned;
    const weft_sharding **by_id;
    size_t count, id_cap;
    struct written {                /* by id; NULL until asked for */
        const weft_attr *one, *per_value;
    } *written;
    size_t written_cap;
    weft_attr_facts attrs;          /* shardings that were read: many ops share one attribute */
};

static weft_status note_mesh(weft_shardings *t, const weft_mesh *mesh) {
    uint32_t i = mesh->name ? mesh->name->id : 0;
    if (!mesh->name && !weft_attr_number_of(&t->written_out, mesh->attr, &i)) return weft_oom();
    const weft_mesh ***of = mesh->name ? &t->of_name : &t->of_written_out;
    size_t *cap = mesh->name ? &t->of_name_cap : &t->of_written_out_cap;
    if (!weft_arena_grow(t->arena, (void **)of, cap, (size_t)i + 1, sizeof **of)) return weft_oom();
    if (!(*of)[i]) (*of)[i] = mesh;
    return WEFT_OK;
}

weft_status weft_shardings_add_mesh(weft_shardings *t, weft_name name, const weft_attr *attr, const weft_loc *loc,
                                    const weft_mesh **out) {
    weft_mesh *mesh = weft_arena_new(t->arena, weft_mesh);
    if (!mesh || !weft_arena_grow(t->arena, (void **)&t->meshes, &t->mesh_cap, t->mesh_count + 1, sizeof *t->meshes))
        return weft_oom();
    weft_status st = weft_mesh_init(t->cx, name, attr, loc, mesh);
    if (st != WEFT_OK) return st;
    mesh->id = (uint32_t)t->mesh_count;
    *out = t->meshes[t->mesh_count++] = mesh;
    return note_mesh(t, mesh);
}

weft_status weft_shardings_open(weft_context *cx, const weft_module *m, weft_arena *arena, weft_shardings **out) {
    weft_shardings *t = weft_arena_new(arena, weft_shardings);
    if (!t) return weft_oom();
    t->cx = cx;
    t->arena = arena;
    t->attrs.numbers = t->written_out = weft_attr_numbers_in(arena);
    WEFT_EACH_OP(op, weft_module_body(m)) {
        if (op->kind != WEFT_OP_sdy_mesh) continue;
        const weft_attr *mesh = weft_op_attr(op, WEFT_A_mesh);
        weft_str symbol = weft_op_symbol(op, WEFT_A_sym_name);
        if (!mesh || mesh->kind != WEFT_ATTR_MESH || !symbol.n)
            return weft_report(cx, WEFT_D_sharding, op->loc, "sdy.mesh without a name or a mesh");
        weft_name name = weft_name_intern(cx, symbol);
        const weft_mesh *added;
        weft_status st = name ? weft_shardings_add_mesh(t, name, mesh, op->loc, &added) : weft_oom();
        if (st != WEFT_OK) return st;
    }
    *out = t;
    return WEFT_OK;
}

const weft_mesh *weft_shardings_mesh(const weft_shardings *t, weft_name symbol) {
    return symbol && symbol->id < t->of_name_cap ? t->of_name[symbol->id] : NULL;
}

uint32_t weft_shardings_mesh_count(const weft_shardings *t) { return (uint32_t)t->mesh_count; }
const weft_mesh *weft_shardings_mesh_at(const weft_shardings *t, uint32_t i) { return t->meshes[i]; }
uint32_t weft_shardings_count(const weft_shardings *t) { return (uint32_t)t->count; }
const weft_sharding *weft_shardings_at(const weft_shardings *t, uint32_t id) { return t->by_id[id]; }

static uint64_t mix_axes(uint64_t h, weft_axes a) {
    h = weft_hash_mix(h, a.n);
    for (uint32_t i = 0; i < a.n; i++)
        h = weft_hash_mix(h, ((uint64_t)a.v[i].axis << 58) ^ ((uint64_t)a.v[i].pre << 29) ^ a.v[i].size);
    return h;
}

static uint64_t sharding_hash(const weft_sharding *s) {
    uint64_t h = weft_hash_mix(weft_hash_mix(0xcbf29ce484222325u, s->mesh->id), s->rank);
    for (uint32_t d = 0; d < s->rank; d++)
        h = weft_hash_mix(mix_axes(h, s->dims[d].axes),
                          ((uint64_t)(uint32_t)s->dims[d].priority << 1) | s->dims[d].open);
    h = mix_axes(mix_axes(h, s->replicated), s->unreduced);
    h = weft_hash_mix(h, s->unreduced.n ? s->unreduced.by : WEFT_BY_SUM);
    return weft_hash_end(h);
}

static bool same_unreduced(const weft_sharding *a, const weft_sharding *b) {
    return weft_axes_equal(a->unreduced, b->unreduced) && (!a->unreduced.n || a->unreduced.by == b->unreduced.by);
}

static bool sharding_same(const weft_sharding *a, const weft_sharding *b) {
    if (a->mesh != b->mesh || a->rank != b->rank || a->used != b->used || a->open != b->open) return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (a->dims[d].priority != b->dims[d].priority || !weft_axes_equal(a->dims[d].axes, b->dims[d].axes))
            return false;
    return weft_axes_equal(a->replicated, b->replicated) && same_unreduced(a, b);
}

static bool copy_axes(weft_arena *arena, weft_axes *a) {
    weft_axis *v = weft_arena_dup(arena, a->v, a->n * sizeof *v, _Alignof(weft_axis));
    a->v = v;
    return v != NULL;
}

static const weft_sharding *store(weft_shardings *t, const weft_sharding *s, uint64_t hash) {
    weft_sharding *mine = weft_arena_dup(t->arena, s, sizeof *s, _Alignof(weft_sharding));
    weft_dim *dims = weft_arena_dup(t->arena, s->dims, s->rank * sizeof *dims, _Alignof(weft_dim));
    if (!mine || !dims || !copy_axes(t->arena, &mine->replicated) || !copy_axes(t->arena, &mine->unreduced))
        return NULL;
    for (uint32_t d = 0; d < s->rank; d++)
        if (!copy_axes(t->arena, &dims[d].axes)) return NULL;
    mine->dims = dims;
    mine->id = (uint32_t)t->count;
    if (!weft_arena_grow(t->arena, (void **)&t->by_id, &t->id_cap, t->count + 1, sizeof *t->by_id)) return NULL;
    if (!weft_table_add(&t->interned, t->arena, hash, mine)) return NULL;
    return t->by_id[t->count++] = mine;
}

static const weft_sharding *intern(weft_shardings *t, weft_sharding *s) {
    s->used = weft_axes_mask(s->replicated) | weft_axes_mask(s->unreduced);
    s->open = 0;
    for (uint32_t d = 0; d < s->rank; d++) {
        s->used |= weft_axes_mask(s->dims[d].axes);
        if (s->dims[d].open) s->open |= weft_bit(d);
    }
    const uint64_t hash = sharding_hash(s);
    size_t probe = 0;
    for (const weft_sharding *old; (old = weft_table_next(&t->interned, hash, &probe));)
        if (sharding_same(old, s)) return old;
    return store(t, s, hash);
}

const weft_sharding *weft_sharding_make(weft_shardings *t, const weft_mesh *mesh, uint32_t rank, const weft_dim *dims,
                                        weft_axes replicated, weft_axes unreduced) {
    return intern(t, &(weft_sharding){
                         .mesh = mesh, .dims = dims, .rank = rank, .replicated = replicated, .unreduced = unreduced });
}

const weft_sharding *weft_sharding_empty(weft_shardings *t, const weft_mesh *mesh, uint32_t rank,
                                         weft_openness openness) {
    weft_dim dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < rank; d++)
        dims[d] = (weft_dim){ .open = openness == WEFT_OPEN, .priority = WEFT_NO_PRIORITY };
    return weft_sharding_make(t, mesh, rank, dims, (weft_axes){ 0 }, (weft_axes){ 0 });
}

const weft_sharding *weft_sharding_close(weft_shardings *t, const weft_sharding *s) {
    weft_dim dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < s->rank; d++) {
        dims[d] = s->dims[d];
        dims[d].open = false;
    }
    return weft_sharding_make(t, s->mesh, s->rank, dims, (weft_axes){ 0 }, s->unreduced);
}

const weft_sharding *weft_sharding_without_priorities(weft_shardings *t, const weft_sharding *s) {
    weft_dim dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < s->rank; d++) {
        dims[d] = s->dims[d];
        dims[d].priority = WEFT_NO_PRIORITY;
    }
    return weft_sharding_make(t, s->mesh, s->rank, dims, s->replicated, s->unreduced);
}

const weft_sharding *weft_sharding_with_dim(weft_shardings *t, const weft_sharding *s, uint32_t dim, weft_dim to) {
    weft_dim dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < s->rank; d++) dims[d] = d == dim ? to : s->dims[d];
    return weft_sharding_make(t, s->mesh, s->rank, dims, s->replicated, s->unreduced);
}

const weft_sharding *weft_sharding_with_unreduced(weft_shardings *t, const weft_sharding *s, weft_axes unreduced) {
    return weft_sharding_make(t, s->mesh, s->rank, s->dims, s->replicated, unreduced);
}

int64_t weft_sharding_shards(const weft_sharding *s) {
    int64_t n = 1;
    for (uint32_t d = 0; s && d < s->rank; d++) n *= weft_dim_shards(s, d);
    return n;
}

bool weft_sharding_has_axes(const weft_sharding *s) { return s && s->used; }

bool weft_sharding_cuts(const weft_sharding *s) {
    for (uint32_t d = 0; s && s->used && d < s->rank; d++)
        if (s->dims[d].axes.n) return true;
    return false;
}

bool weft_sharding_is_replicated(const weft_sharding *s) { return !s || (!s->unreduced.n && !weft_sharding_cuts(s)); }

bool weft_sharding_equivalent(const weft_sharding *a, const weft_sharding *b) {
    if (a == b) return true;
    if (weft_sharding_is_replicated(a) || weft_sharding_is_replicated(b))
        return weft_sharding_is_replicated(a) && weft_sharding_is_replicated(b);
    if (a->mesh != b->mesh || a->rank != b->rank || !same_unreduced(a, b)) return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (!weft_axes_equal(a->dims[d].axes, b->dims[d].axes)) return false;
    return true;
}

void weft_sharding_local_dims(const weft_sharding *s, uint32_t rank, const int64_t *global, int64_t *local) {
    for (uint32_t d = 0; d < rank; d++) local[d] = s ? weft_ceil_div(global[d], weft_dim_shards(s, d)) : global[d];
}

bool weft_sharding_divides(const weft_sharding *s, const int64_t *global) {
    for (uint32_t d = 0; s && d < s->rank; d++)
        if (global[d] % weft_dim_shards(s, d)) return false;
    return true;
}

void weft_sharding_dim_axes(const weft_sharding *s, weft_axis_list *out) {
    *out = (weft_axis_list){ 0 };
    for (uint32_t d = 0; d < s->rank; d++)
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++) weft_axis_list_push(out, s->dims[d].axes.v[i]);
}

/* Attributes. */

typedef struct reader { /* one attribute being read */
    weft_shardings *t;
    const weft_mesh *mesh;
    const weft_loc *loc;
    weft_axis seen[128];
    uint32_t seen_count;
} reader;

static weft_status check_part(reader *r, weft_axis_ref ref, weft_axis a) {
    int64_t whole = r->mesh->axes[a.axis].size;
    if (ref.size && (ref.pre_size < 1 || ref.size < 2 || ref.pre_size > whole || ref.size >= whole ||
                     whole % (ref.pre_size * ref.size)))
        return weft_report(r->t->cx, WEFT_D_sharding, r->loc, "(%lld)%lld is not a part of axis \"%s\" of size %lld",
                           (long long)ref.pre_size, (long long)ref.size, ref.name->text, (long long)whole);
    for (uint32_t i = 0; i < r->seen_count; i++)
        if (weft_axis_overlaps(r->seen[i], a))
            return weft_report(r->t->cx, WEFT_D_sharding, r->loc, "a sharding uses axis \"%s\" twice", ref.name->text);
    if (r->seen_count == WEFT_COUNT(r->seen))
        return weft_report(r->t->cx, WEFT_D_unsupported, r->loc, "a sharding of more than 128 axes");
    r->seen[r->seen_count++] = a;
    return WEFT_OK;
}

static weft_status read_axes(reader *r, weft_axis_refs refs, weft_axes *out) {
    weft_axis *v = weft_arena_array(&r->t->cx->scratch, weft_axis, refs.n);
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < refs.n; i++) {
        if (!weft_axis_from_ref(r->mesh, refs.v[i], &v[i]))
            return weft_report(r->t->cx, WEFT_D_sharding, r->loc, "axis \"%s\" is not in the mesh%s%s",
                               refs.v[i].name->text, r->mesh->name ? " @" : "",
                               r->mesh->name ? r->mesh->name->text : "");
        weft_status st = check_part(r, refs.v[i], v[i]);
        if (st != WEFT_OK) return st;
        if (i && weft_axis_can_merge(v[i - 1], v[i]))
            return weft_report(r->t->cx, WEFT_D_sharding, r->loc,
                               "two neighbouring parts of axis \"%s\" must be written as one", refs.v[i].name->text);
    }
    *out = weft_axes_at(v, refs.n);
    return WEFT_OK;
}

static weft_status read_ordered(reader *r, weft_axis_refs refs, const char *what, weft_axes *out) {
    weft_status st = read_axes(r, refs, out);
    for (uint32_t i = 1; st == WEFT_OK && i < out->n; i++)
        if (weft_axis_compare(out->v[i - 1], out->v[i]) > 0)
            st = weft_report(r->t->cx, WEFT_D_sharding, r->loc, "%s axes are not in the order of the mesh", what);
    return st;
}

static weft_status find_mesh(weft_shardings *t, const weft_attr *ref, const weft_loc *loc, const weft_mesh **out) {
    if (ref->kind == WEFT_ATTR_SYMBOL) {
        *out = weft_shardings_mesh(t, ref->names.v[ref->names.n - 1]);
        return *out
                   ? WEFT_OK
                   : weft_report(t->cx, WEFT_D_sharding, loc, "unknown mesh @%s", ref->names.v[ref->names.n - 1]->text);
    }
    uint32_t i;
    if (!weft_attr_number_of(&t->written_out, ref, &i)) return weft_oom();
    *out = i < t->of_written_out_cap ? t->of_written_out[i] : NULL;
    return *out ? WEFT_OK : weft_shardings_add_mesh(t, NULL, ref, loc, out);
}

static weft_status read_sharding(weft_shardings *t, const weft_sharding_attr *a, const weft_loc *loc,
                                 const weft_sharding **out) {
    reader r = { .t = t, .loc = loc };
    weft_dim dims[WEFT_MAX_RANK];
    weft_axes replicated, unreduced;
    weft_status st = find_mesh(t, a->mesh, loc, &r.mesh);
    if (st != WEFT_OK) return st;
    if (a->rank > WEFT_MAX_RANK)
        return weft_report(t->cx, WEFT_D_unsupported, loc, "a sharding of %u dimensions", a->rank);
    for (uint32_t d = 0; d < a->rank; d++) {
        dims[d] = (weft_dim){ .open = a->dims[d].open, .priority = a->dims[d].priority };
        if ((st = read_axes(&r, a->dims[d].axes, &dims[d].axes)) != WEFT_OK) return st;
        if (dims[d].priority != WEFT_NO_PRIORITY && !dims[d].axes.n && !dims[d].open)
            return weft_report(t->cx, WEFT_D_sharding, loc, "dimension %u is empty and closed but has a priority", d);
    }
    if ((st = read_ordered(&r, a->replicated, "replicated", &replicated)) != WEFT_OK) return st;
    if ((st = read_ordered(&r, a->unreduced, "unreduced", &unreduced)) != WEFT_OK) return st;
    unreduced.by = a->unreduced_by;
    *out = weft_sharding_make(t, r.mesh, a->rank, dims, replicated, unreduced);
    return *out ? WEFT_OK : weft_oom();
}

weft_status weft_sharding_from_attr(weft_shardings *t, const weft_attr *attr, const weft_loc *loc,
                                    const weft_sharding **out) {
    if (attr->kind != WEFT_ATTR_SHARDING)
        return weft_report(t->cx, WEFT_D_sharding, loc, "sdy.sharding does not hold a sharding");
    const void **known = weft_attr_fact(&t->attrs, attr);
    if (!known) return weft_oom();
    if ((*out = *known)) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&t->cx->scratch);
    weft_status st = read_sharding(t, &attr->sharding, loc, out);
    weft_arena_reset(&t->cx->scratch, mark);
    if (st == WEFT_OK) *known = *out;
    return st;
}

static bool write_axes(weft_shardings *t, const weft_mesh *m, weft_axes a, weft_axis_refs *out) {
    weft_axis_ref *v = weft_arena_array(&t->cx->scratch, weft_axis_ref, a.n);
    for (uint32_t i = 0; v && i < a.n; i++) v[i] = weft_axis_to_ref(m, a.v[i]);
    *out = (weft_axis_refs){ v, a.n };
    return v != NULL;
}

static const weft_attr *write_sharding(weft_shardings *t, const weft_sharding *s) {
    weft_dim_sharding dims[WEFT_MAX_RANK];
    weft_attr a = { .kind = WEFT_ATTR_SHARDING,
                    .sharding = { .mesh = s->mesh->ref, .dims = dims, .rank = s->rank,
                                  .unreduced_by = s->unreduced.n ? s->unreduced.by : WEFT_BY_SUM } };
    for (uint32_t d = 0; d < s->rank; d++) {
        dims[d] = (weft_dim_sharding){ .open = s->dims[d].open, .priority = s->dims[d].priority };
        if (!write_axes(t, s->mesh, s->dims[d].axes, &dims[d].axes)) return NULL;
    }
    if (!write_axes(t, s->mesh, s->replicated, &a.sharding.replicated) ||
        !write_axes(t, s->mesh, s->unreduced, &a.sharding.unreduced))
        return NULL;
    return weft_attr_copy(t->cx, &a);
}

static struct written *written_of(weft_shardings *t, const weft_sharding *s) {
    return weft_arena_grow(t->arena, (void **)&t->written, &t->written_cap, t->count, sizeof *t->written)
               ? &t->written[s->id]
               : NULL;
}

const weft_attr *weft_sharding_to_attr(weft_shardings *t, const weft_sharding *s) {
    struct written *w = written_of(t, s);
    if (w && !w->one) {
        weft_mark mark = weft_arena_mark(&t->cx->scratch);
        w->one = write_sharding(t, s);
        weft_arena_reset(&t->cx->scratch, mark);
    }
    return w ? w->one : NULL;
}

const weft_attr *weft_sharding_to_per_value(weft_shardings *t, const weft_sharding *s) {
    const weft_attr *one = weft_sharding_to_attr(t, s);
    struct written *w = one ? written_of(t, s) : NULL;
    if (w && !w->per_value)
        w->per_value = weft_attr_copy(t->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { &one, 1 } });
    return w ? w->per_value : NULL;
}

weft_status weft_sharding_check(weft_context *cx, const weft_sharding *s, const weft_type *type, const weft_loc *loc) {
    if (weft_mesh_is_maximal(s->mesh) || !weft_type_is_tensor(type)) {
        if (s->rank || s->used)
            return weft_report(cx, WEFT_D_sharding, loc, "sharded dimensions of a value without dimensions");
        return WEFT_OK;
    }
    if (s->rank != type->rank)
        return weft_report(cx, WEFT_D_sharding, loc, "a sharding of %u dimensions on a tensor of rank %u", s->rank,
                           type->rank);
    return WEFT_OK;
}

static void print_set(weft_buf *b, const weft_sharding *s, const char *what, weft_axes axes) {
    if (!axes.n) return;
    static const char *const by[] = { [WEFT_BY_SUM] = "", [WEFT_BY_MAX] = "max", [WEFT_BY_MIN] = "min" };
    weft_buf_printf(b, ", %s=%s{", what, by[axes.by]);
    weft_axes_print(b, s->mesh, axes);
    weft_buf_putc(b, '}');
}

const weft_attr *weft_axes_to_attr(weft_context *cx, const weft_mesh *mesh, weft_axes axes) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_axis_ref *refs = weft_scratch_array(cx, weft_axis_ref, axes.n);
    const weft_attr *out = NULL;
    for (uint32_t i = 0; refs && i < axes.n; i++) refs[i] = weft_axis_to_ref(mesh, axes.v[i]);
    if (refs) out = weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_AXES, .axes = { refs, axes.n } });
    weft_arena_reset(&cx->scratch, mark);
    return out;
}

const weft_attr *weft_axis_lists_to_attr(weft_context *cx, const weft_mesh *mesh, const weft_axis_list *lists,
                                         uint32_t n) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_axis_refs dims[WEFT_MAX_RANK];
    const weft_attr *out = NULL;
    bool fine = true;
    for (uint32_t d = 0; d < n; d++) {
        weft_axis_ref *refs = weft_scratch_array(cx, weft_axis_ref, lists[d].n);
        fine &= refs != NULL;
        for (uint32_t i = 0; refs && i < lists[d].n; i++) refs[i] = weft_axis_to_ref(mesh, lists[d].v[i]);
        dims[d] = (weft_axis_refs){ refs, lists[d].n };
    }
    if (fine) out = weft_attr_copy(cx, &(weft_attr){ .kind = WEFT_ATTR_AXES_PER_DIM, .axes_per_dim = { dims, n } });
    weft_arena_reset(&cx->scratch, mark);
    return out;
}

void weft_sharding_print(weft_buf *b, const weft_sharding *s) {
    if (!s) {
        weft_buf_puts(b, "none");
        return;
    }
    if (s->mesh->name) weft_buf_printf(b, "<@%s, [", s->mesh->name->text);
    else weft_buf_puts(b, "<inlined mesh, [");
    for (uint32_t d = 0; d < s->rank; d++) {
        weft_buf_puts(b, d ? ", {" : "{");
        weft_axes_print(b, s->mesh, s->dims[d].axes);
        if (s->dims[d].open) weft_buf_puts(b, s->dims[d].axes.n ? ", ?" : "?");
        weft_buf_putc(b, '}');
        if (s->dims[d].priority != WEFT_NO_PRIORITY) weft_buf_printf(b, "p%d", s->dims[d].priority);
    }
    weft_buf_putc(b, ']');
    print_set(b, s, "replicated", s->replicated);
    print_set(b, s, "unreduced", s->unreduced);
    weft_buf_putc(b, '>');
}
