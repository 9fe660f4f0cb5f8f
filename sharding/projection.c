/* projection.c: dimensions to factors and back; see projection.h. */
#include "sharding/projection.h"

#include <assert.h>

/* The axes of a dimension that are not distributed yet: rest, then axes from next on. */
typedef struct feed {
    weft_axes axes;
    uint32_t next;
    bool any;
    weft_axis rest;
} feed;

static void feed_advance(feed *f) {
    f->any = f->next < f->axes.n;
    if (f->any) f->rest = f->axes.v[f->next++];
}

static void feed_all(feed *f, weft_axis_list *to) {
    for (; f->any; feed_advance(f)) weft_axis_list_push_merged(to, f->rest);
}

/* Takes as many axes as divide the factor; false if some are left that do not. */
static bool feed_factor(feed *f, int64_t size, weft_axis_list *to) {
    uint32_t common = 1;
    while (f->any && (f->rest.size == 1 || (common = (uint32_t)weft_gcd(f->rest.size, size % f->rest.size)) > 1)) {
        if (f->rest.size > common) {
            weft_axis_list_push(to, (weft_axis){ f->rest.axis, f->rest.pre, common });
            f->rest = (weft_axis){ f->rest.axis, f->rest.pre * common, f->rest.size / common };
            size /= common;
        } else {
            weft_axis_list_push(to, f->rest);
            size /= f->rest.size;
            feed_advance(f);
        }
    }
    return size <= 1 || !f->any;
}

static bool project_dim(const weft_rule *rule, weft_rule_dim dim, const weft_dim *from, weft_openness missing,
                        weft_cells *out) {
    feed f = { .axes = from ? from->axes : (weft_axes){ 0 } };
    bool closed = from ? !from->open : missing == WEFT_CLOSED, overflow = false, fits = true;
    feed_advance(&f);
    for (uint32_t i = 0; i < dim.n; i++) {
        uint32_t factor = rule->factors[dim.first + i];
        weft_cell *cell = &out->cells[weft_bits_count(out->all & weft_bits_below(factor))];
        if (!weft_bits_has(out->factors, factor)) {
            cell->axes.n = cell->overflow.n = 0;
            cell->axes.full = cell->overflow.full = false;
        }
        out->factors |= weft_bit(factor);
        cell->minor_most = i + 1 == dim.n;
        cell->closed = overflow || closed;
        if (overflow) break;
        if (cell->minor_most) {
            feed_all(&f, &cell->axes);
        } else if (!feed_factor(&f, rule->sizes[factor], &cell->axes)) {
            overflow = true;
            feed_all(&f, &cell->overflow);
        }
        fits &= !cell->axes.full && !cell->overflow.full;
    }
    return fits;
}

weft_status weft_project(weft_context *cx, weft_arena *arena, const weft_rule *rule, const weft_mesh *mesh,
                         const weft_sharding *const *shardings, weft_openness missing, weft_projection *out) {
    *out = (weft_projection){ .rule = rule, .mesh = mesh,
                              .tensors = weft_arena_array(arena, weft_cells, rule->tensor_count) };
    if (!out->tensors) return weft_oom();
    for (uint32_t t = 0; t < rule->tensor_count; t++) {
        const weft_sharding *s = shardings[t];
        weft_cells *cells = &out->tensors[t];
        cells->all = rule->tensors[t].factors;
        /* Cells are large, since lists of axes are, and few axes are in them: unused memory is not cleared. */
        if (!(cells->cells =
                  weft_arena_take(arena, weft_bits_count(cells->all) * sizeof(weft_cell), _Alignof(weft_cell))))
            return weft_oom();
        bool fits = true;
        for (uint32_t d = 0; d < rule->tensors[t].rank; d++)
            fits &= project_dim(rule, rule->tensors[t].dims[d], s && d < s->rank ? &s->dims[d] : NULL, missing, cells);
        if (!fits)
            return weft_report(cx, WEFT_D_unsupported, NULL, "a dimension sharded over more than %d axes",
                               WEFT_AXIS_LIST_MAX);
        if (s) {
            cells->replicated = s->replicated;
            cells->unreduced = s->unreduced;
        }
    }
    return WEFT_OK;
}

const weft_sharding *weft_unproject(weft_shardings *t, const weft_projection *p, uint32_t tensor) {
    weft_dim dims[WEFT_MAX_RANK];
    const weft_rule_tensor *shape = &p->rule->tensors[tensor];
    /* all axes of size 1, and at most 31 parts of more: they multiply to < 2^31 */
    weft_axis store[WEFT_MAX_MESH_AXES + 32];
    uint32_t used = 0;
    for (uint32_t d = 0; d < shape->rank; d++) {
        weft_axis_list axes = { 0 };
        bool closed = false;
        for (uint32_t i = 0; i < shape->dims[d].n; i++) {
            uint32_t factor = p->rule->factors[shape->dims[d].first + i];
            const weft_cell *cell = weft_cell_of(p, tensor, factor);
            if (!cell) break;
            closed |= cell->closed;
            weft_axis_list_append_merged(&axes, weft_axes_of(&cell->axes));
            weft_axis_list_append_merged(&axes, weft_axes_of(&cell->overflow));
            if (cell->overflow.n || weft_axes_size(weft_axes_of(&cell->axes)) < p->rule->sizes[factor]) break;
        }
        assert(used + axes.n <= WEFT_COUNT(store));
        memcpy(store + used, axes.v, axes.n * sizeof axes.v[0]);
        dims[d] =
            (weft_dim){ .axes = weft_axes_at(store + used, axes.n), .open = !closed, .priority = WEFT_NO_PRIORITY };
        used += axes.n;
    }
    const weft_cells *cells = &p->tensors[tensor];
    return weft_sharding_make(t, p->mesh, shape->rank, dims, cells->replicated, cells->unreduced);
}
