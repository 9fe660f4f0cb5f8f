/* mesh.c: meshes; see mesh.h. */
#include "sharding/mesh.h"

weft_status weft_mesh_init(weft_context *cx, weft_name name, const weft_attr *attr, const weft_loc *loc,
                           weft_mesh *out) {
    *out = (weft_mesh){ .name = name, .attr = attr, .axes = attr->mesh.axes, .axis_count = attr->mesh.axis_count,
                        .device_ids = attr->mesh.device_ids, .device_count = 1 };
    if (out->axis_count > WEFT_MAX_MESH_AXES)
        return weft_report(cx, WEFT_D_unsupported, loc, "a mesh of %u axes; at most %d can be handled", out->axis_count,
                           WEFT_MAX_MESH_AXES);
    for (uint32_t i = 0; i < out->axis_count; i++) {
        if (out->axes[i].size < 1)
            return weft_report(cx, WEFT_D_sharding, loc, "mesh axis \"%s\" has size %lld", out->axes[i].name->text,
                               (long long)out->axes[i].size);
        if (!weft_mul_i64(out->device_count, out->axes[i].size, &out->device_count) || out->device_count > INT32_MAX)
            return weft_report(cx, WEFT_D_unsupported, loc, "a mesh of more than 2^31 - 1 devices");
        for (uint32_t j = 0; j < i; j++)
            if (out->axes[i].name == out->axes[j].name)
                return weft_report(cx, WEFT_D_sharding, loc, "mesh axis \"%s\" is given twice",
                                   out->axes[i].name->text);
    }
    if (out->device_ids.n && (int64_t)out->device_ids.n != out->device_count)
        return weft_report(cx, WEFT_D_sharding, loc, "a mesh of %lld devices lists %u device ids",
                           (long long)out->device_count, out->device_ids.n);
    out->ref = name ? weft_attr_symbol(cx, name) : attr;
    return out->ref ? WEFT_OK : weft_oom();
}

bool weft_mesh_same_axes(const weft_mesh *a, const weft_mesh *b) {
    if (a == b) return true;
    if (a->axis_count != b->axis_count || weft_mesh_is_maximal(a) != weft_mesh_is_maximal(b)) return false;
    for (uint32_t i = 0; i < a->axis_count; i++)
        if (a->axes[i].name != b->axes[i].name || a->axes[i].size != b->axes[i].size) return false;
    return true;
}

bool weft_mesh_same_order(const weft_mesh *a, const weft_mesh *b) {
    if (a->device_ids.n != b->device_ids.n) return false;
    for (uint32_t i = 0; i < a->device_ids.n; i++)
        if (a->device_ids.v[i] != b->device_ids.v[i]) return false;
    return true;
}

bool weft_mesh_same_devices(const weft_mesh *a, const weft_mesh *b) {
    return a == b || (weft_mesh_same_axes(a, b) && weft_mesh_same_order(a, b));
}

uint32_t weft_mesh_find(const weft_mesh *m, weft_name axis) {
    for (uint32_t i = 0; i < m->axis_count; i++)
        if (m->axes[i].name == axis) return i;
    return WEFT_NO_AXIS;
}

int64_t weft_mesh_stride(const weft_mesh *m, weft_axis a) {
    int64_t stride = m->axes[a.axis].size / weft_axis_next(a);
    for (uint32_t i = a.axis + 1; i < m->axis_count; i++) stride *= m->axes[i].size;
    return stride;
}

int64_t weft_mesh_number(const weft_mesh *m, weft_axes axes, int64_t place) {
    int64_t number = 0;
    for (uint32_t i = 0; i < axes.n; i++)
        number = number * axes.v[i].size + place / weft_mesh_stride(m, axes.v[i]) % axes.v[i].size;
    return number;
}

int64_t weft_mesh_place(const weft_mesh *m, weft_axes axes, int64_t place, int64_t number) {
    for (uint32_t i = axes.n; i-- > 0; number /= axes.v[i].size) {
        int64_t stride = weft_mesh_stride(m, axes.v[i]), size = axes.v[i].size;
        place += (number % size - place / stride % size) * stride;
    }
    return place;
}

bool weft_axis_from_ref(const weft_mesh *m, weft_axis_ref ref, weft_axis *out) {
    uint32_t i = weft_mesh_find(m, ref.name);
    if (i == WEFT_NO_AXIS) return false;
    *out = ref.size ? (weft_axis){ i, (uint32_t)ref.pre_size, (uint32_t)ref.size } : weft_mesh_axis_at(m, i);
    return true;
}

weft_axis_ref weft_axis_to_ref(const weft_mesh *m, weft_axis a) {
    const weft_mesh_axis *axis = &m->axes[a.axis];
    if (a.pre == 1 && a.size == axis->size) return (weft_axis_ref){ axis->name, 0, 0 };
    return (weft_axis_ref){ axis->name, a.pre, a.size };
}

void weft_axis_print(weft_buf *b, const weft_mesh *m, weft_axis a) {
    weft_axis_ref ref = weft_axis_to_ref(m, a);
    weft_buf_printf(b, "\"%s\"", ref.name->text);
    if (ref.size) weft_buf_printf(b, ":(%lld)%lld", (long long)ref.pre_size, (long long)ref.size);
}

void weft_axes_print(weft_buf *b, const weft_mesh *m, weft_axes a) {
    for (uint32_t i = 0; i < a.n; i++) {
        if (i) weft_buf_puts(b, ", ");
        weft_axis_print(b, m, a.v[i]);
    }
}
