/* mesh_frame.c: see mesh_frame.h. */
#include "partitioner/layout/mesh_frame.h"

/* --- pieces ------------------------------------------------------------------------------------------------------ */

void weft_mesh_pieces(const weft_mesh *m, weft_axis_list *out) {
    *out = (weft_axis_list){ 0 };
    for (uint32_t i = 0; i < m->axis_count; i++)
        if (m->axes[i].size > 1) weft_axis_list_push(out, weft_mesh_axis_at(m, i));
}

static bool cut_at(weft_axis_list *l, uint32_t axis, uint32_t at) {
    for (uint32_t i = 0; i < l->n; i++) {
        weft_axis a = l->v[i];
        if (a.axis != axis || at <= a.pre || at >= weft_axis_next(a)) continue;
        if (at % a.pre || weft_axis_next(a) % at || l->n == WEFT_AXIS_LIST_MAX) return false;
        memmove(l->v + i + 1, l->v + i, (l->n - i) * sizeof l->v[0]);
        l->n++;
        l->v[i].size = at / a.pre;
        l->v[i + 1] = (weft_axis){ axis, at, weft_axis_next(a) / at };
        return true;
    }
    return true;
}

static bool cut_by(weft_axis_list *l, weft_axes by) {
    for (uint32_t i = 0; i < by.n; i++)
        if (!cut_at(l, by.v[i].axis, by.v[i].pre) || !cut_at(l, by.v[i].axis, weft_axis_next(by.v[i]))) return false;
    return true;
}

bool weft_mesh_pieces_cut(weft_axis_list *pieces, weft_axes by) {
    weft_axis_list trial = *pieces;
    if (!cut_by(&trial, by)) return false;
    *pieces = trial;
    return true;
}

bool weft_mesh_pieces_cut_by(weft_axis_list *pieces, const weft_sharding *s) {
    weft_axis_list trial = *pieces;
    for (uint32_t d = 0; d < s->rank; d++)
        if (!cut_by(&trial, s->dims[d].axes)) return false;
    if (!cut_by(&trial, s->replicated) || !cut_by(&trial, s->unreduced)) return false;
    *pieces = trial;
    return true;
}

/* --- frames ------------------------------------------------------------------------------------------------------ */

static uint32_t least_prime(uint32_t n) {
    for (uint32_t p = 2; p <= n / p; p++)
        if (n % p == 0) return p;
    return n;
}

/* For each axis of mesh the axis of main that it goes to, or WEFT_NO_AXIS: then any that is left. */
static void find_partners(const weft_mesh *main, const weft_mesh *mesh, uint32_t *partner, weft_bits *taken) {
    *taken = 0;
    for (uint32_t i = 0; i < mesh->axis_count; i++) {
        uint32_t k = weft_mesh_find(main, mesh->axes[i].name);
        partner[i] = k != WEFT_NO_AXIS && main->axes[k].size == mesh->axes[i].size ? k : WEFT_NO_AXIS;
        if (partner[i] != WEFT_NO_AXIS) *taken |= weft_bit(k);
    }
    for (uint32_t i = 0; i < mesh->axis_count; i++)
        for (uint32_t k = 0; partner[i] == WEFT_NO_AXIS && k < main->axis_count; k++) {
            if (weft_bits_has(*taken, k) || main->axes[k].size != mesh->axes[i].size) continue;
            partner[i] = k;
            *taken |= weft_bit(k);
        }
}

/* The pieces of main in pieces of prime size. */
static uint32_t primes_of(const weft_axis_list *pieces, weft_axis *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < pieces->n; i++) {
        weft_axis a = pieces->v[i];
        while (a.size > 1 && n < WEFT_AXIS_LIST_MAX) {
            uint32_t p = least_prime(a.size);
            out[n++] = (weft_axis){ a.axis, a.pre, p };
            a = (weft_axis){ a.axis, a.pre * p, a.size / p };
        }
    }
    return n;
}

bool weft_frame_open(weft_frame *f, const weft_mesh *main, const weft_axis_list *main_pieces, const weft_mesh *mesh,
                     const weft_axis_list *pieces) {
    uint32_t partner[WEFT_MAX_MESH_AXES];
    weft_axis prime[WEFT_AXIS_LIST_MAX];
    weft_bits taken, used = 0;
    uint32_t count = primes_of(main_pieces, prime);
    *f = (weft_frame){ .mesh = mesh, .main = main };
    find_partners(main, mesh, partner, &taken);
    for (uint32_t i = 0; i < pieces->n; i++) {
        weft_axis left = pieces->v[i];
        uint32_t to = partner[left.axis];
        for (uint32_t k = 0; k < count && left.size > 1; k++) {
            bool open = to == WEFT_NO_AXIS ? !weft_bits_has(taken, prime[k].axis) : prime[k].axis == to;
            if (!open || weft_bits_has(used, k) || left.size % prime[k].size) continue;
            used |= weft_bit(k);
            f->here[f->n] = (weft_axis){ left.axis, left.pre, prime[k].size };
            f->there[f->n++] = prime[k];
            left = (weft_axis){ left.axis, left.pre * prime[k].size, left.size / prime[k].size };
        }
        if (left.size > 1) return false;
    }
    return f->n == count;
}

bool weft_frame_equal(const weft_frame *a, const weft_frame *b) {
    if (a->n != b->n || !weft_mesh_same_devices(a->mesh, b->mesh)) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!weft_axis_equal(a->here[i], b->here[i]) || !weft_axis_equal(a->there[i], b->there[i])) return false;
    return true;
}

static bool ends_at(const weft_frame *f, uint32_t axis, uint32_t at) {
    if (at == 1 || at == f->mesh->axes[axis].size) return true;
    for (uint32_t i = 0; i < f->n; i++)
        if (f->here[i].axis == axis && f->here[i].pre == at) return true;
    return false;
}

bool weft_frame_has(const weft_frame *f, weft_axes axes) {
    for (uint32_t i = 0; i < axes.n; i++)
        if (!ends_at(f, axes.v[i].axis, axes.v[i].pre) || !ends_at(f, axes.v[i].axis, weft_axis_next(axes.v[i])))
            return false;
    return true;
}

bool weft_frame_has_all(const weft_frame *f, const weft_sharding *s) {
    if (!weft_mesh_same_devices(f->mesh, s->mesh)) return false;
    for (uint32_t d = 0; d < s->rank; d++)
        if (!weft_frame_has(f, s->dims[d].axes)) return false;
    return weft_frame_has(f, s->replicated) && weft_frame_has(f, s->unreduced);
}

void weft_frame_axes(const weft_frame *f, weft_axes axes, weft_axis_list *out) {
    *out = (weft_axis_list){ 0 };
    for (uint32_t a = 0; a < axes.n; a++)
        for (uint32_t i = 0; i < f->n; i++)
            if (f->here[i].axis == axes.v[a].axis && f->here[i].pre >= axes.v[a].pre &&
                f->here[i].pre < weft_axis_next(axes.v[a]))
                weft_axis_list_push_merged(out, f->there[i]);
}

const weft_sharding *weft_frame_sharding(const weft_frame *f, weft_shardings *t, const weft_sharding *s,
                                         const weft_mesh *order) {
    weft_dim dims[WEFT_MAX_RANK];
    weft_axis room[WEFT_AXIS_LIST_MAX];
    weft_axis_list l, replicated, unreduced;
    uint32_t used = 0;
    for (uint32_t d = 0; d < s->rank; d++) {
        dims[d] = s->dims[d];
        weft_frame_axes(f, s->dims[d].axes, &l);
        memcpy(room + used, l.v, l.n * sizeof l.v[0]);
        dims[d].axes = weft_axes_at(room + used, l.n);
        if (!l.n && !dims[d].open) dims[d].priority = WEFT_NO_PRIORITY;
        used += l.n;
    }
    weft_frame_axes(f, s->replicated, &replicated);
    weft_frame_axes(f, s->unreduced, &unreduced);
    weft_axis_list_sort_merge(&replicated);
    weft_axis_list_sort_merge(&unreduced);
    weft_axes partial = weft_axes_of(&unreduced);
    partial.by = s->unreduced.by;
    return weft_sharding_make(t, order, s->rank, dims, weft_axes_of(&replicated), partial);
}

int64_t weft_frame_device(const weft_frame *f, int64_t place) {
    int64_t at = 0;
    for (uint32_t i = 0; i < f->n; i++)
        at += place / weft_mesh_stride(f->main, f->there[i]) % f->there[i].size * weft_mesh_stride(f->mesh, f->here[i]);
    return weft_mesh_device_at(f->mesh, at);
}
