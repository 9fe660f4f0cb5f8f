/* print_groups.c: replica groups given by mesh axes, spelled out as lists of devices for readers that know no axes.
 *
 * Devices are numbered along the mesh's axes, the last one fastest, or as its device_ids say. A group holds the devices
 * that differ only along the listed axes; within a group the first listed axis is the slowest, and groups come in the
 * order of their first devices. StableHLO, docs/spec.md, replica_group_mesh_axes.
 */
#include "mlir/writer.h"

/* One listed axis or sub-axis: position / stride % size is the device's place along it. */
typedef struct piece { int64_t stride, size; } piece;

#define MOST_PIECES 64

static const weft_mesh_attr *mesh_of(const weft_writer *w, const weft_attr *mesh) {
    if (mesh->kind == WEFT_ATTR_MESH) return &mesh->mesh;
    if (!w->m || mesh->kind != WEFT_ATTR_SYMBOL || mesh->names.n != 1) return NULL;
    const weft_op *op = weft_module_symbol(w->m, weft_name_str(mesh->names.v[0]));
    const weft_attr *a = op && op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
    return a && a->kind == WEFT_ATTR_MESH ? &a->mesh : NULL;
}

/* The place of an axis along the mesh; false if there is no such axis or the sub-axis does not divide it. */
static bool piece_of(const weft_mesh_attr *m, const weft_axis_ref *ref, piece *out) {
    int64_t stride = 1;
    for (uint32_t i = m->axis_count; i-- > 0;) {
        const weft_mesh_axis *x = &m->axes[i];
        if (x->name == ref->name) {
            int64_t pre = ref->size ? ref->pre_size : 1, size = ref->size ? ref->size : x->size, both;
            if (pre < 1 || size < 1 || !weft_mul_i64(pre, size, &both) || x->size % both) return false;
            *out = (piece){ stride * (x->size / both), size };
            return true;
        }
        if (x->size < 1 || !weft_mul_i64(stride, x->size, &stride)) return false;
    }
    return false;
}

static bool devices_of(const weft_mesh_attr *m, int64_t *total) {
    *total = 1;
    for (uint32_t i = 0; i < m->axis_count; i++)
        if (m->axes[i].size < 1 || !weft_mul_i64(*total, m->axes[i].size, total) || *total > INT32_MAX) return false;
    return !m->device_ids.n || m->device_ids.n == (uint64_t)*total;
}

/* out[group * size + member]; false when the pieces overlap. */
static bool fill(weft_context *cx, const weft_mesh_attr *m, const piece *p, uint32_t n, int64_t total, int64_t size,
                 int64_t *out) {
    int64_t *group_at = weft_scratch_array(cx, int64_t, total); /* number + 1 of the group with its first device here */
    int64_t groups = 0, filled = 0;
    if (!group_at) return false;
    for (int64_t device = 0; device < total; device++) {
        int64_t member = 0, first = device;
        for (uint32_t i = 0; i < n; i++) {
            int64_t along = device / p[i].stride % p[i].size;
            member = member * p[i].size + along;
            first -= along * p[i].stride;
        }
        if (first < 0 || first > device) return false;
        if (!group_at[first]) {
            if (first != device) return false;
            group_at[first] = ++groups;
        }
        int64_t to = (group_at[first] - 1) * size + member;
        if (to >= total) return false;
        out[to] = m->device_ids.n ? m->device_ids.v[device] : device;
        filled++;
    }
    return filled == total && groups * size == total;
}

static const weft_attr *dense_groups(weft_writer *w, const weft_mesh_axes_attr *a) {
    const weft_mesh_attr *m = mesh_of(w, a->mesh);
    weft_context *cx = w->m ? w->m->cx : NULL;
    piece p[MOST_PIECES];
    int64_t total, size = 1;
    if (!m || a->axes.n > MOST_PIECES || !devices_of(m, &total)) return NULL;
    for (uint32_t i = 0; i < a->axes.n; i++)
        if (!piece_of(m, &a->axes.v[i], &p[i]) || !weft_mul_i64(size, p[i].size, &size)) return NULL;
    if (total % size) return NULL;
    int64_t *out = weft_scratch_array(cx, int64_t, total);
    if (!out || !fill(cx, m, p, a->axes.n, total, size, out)) return NULL;
    const weft_type *t = weft_type_tensor(cx, WEFT_I64, 2, (int64_t[]){ total / size, size });
    return t ? weft_attr_dense(cx, t, out, total == 1) : NULL;
}

bool pr_mesh_axes_dense(weft_writer *w, const weft_attr *a) {
    if (!w->m) return false;
    weft_mark mark = weft_arena_mark(&w->m->cx->scratch);
    const weft_attr *dense = dense_groups(w, &a->mesh_axes);
    if (dense) pr_dense(w, dense);
    weft_arena_reset(&w->m->cx->scratch, mark);
    return dense != NULL;
}
