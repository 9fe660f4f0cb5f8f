/* device_number.c: see device_number.h. */
#include "partitioner/layout/device_number.h"

weft_status weft_device_id_op(const weft_pass *p, const weft_loc *loc, weft_op_kind *out) {
    bool replicas = weft_pass_int(p, "replica-count", 1) > 1;
    *out = replicas ? WEFT_OP_replica_id : WEFT_OP_partition_id;
    if (!replicas || weft_pass_int(p, "partition-count", 1) <= 1) return WEFT_OK;
    return weft_report(p->cx, WEFT_D_unsupported, loc,
                       "%s does not support both replica_count > 1 and partition_count > 1 yet.", p->name);
}

static const weft_type *scalar(weft_builder *b, weft_dtype dtype) { return weft_type_tensor(b->m->cx, dtype, 0, NULL); }

static weft_value *number(weft_builder *b, int64_t v) { return weft_build_integer(b, scalar(b, WEFT_I64), v); }

weft_value *weft_build_device_id(weft_builder *b, weft_op_kind id) {
    weft_value *v = weft_build_1(b, id, scalar(b, WEFT_UI32), NULL, 0, NULL, 0);
    return weft_build_1(b, WEFT_OP_convert, scalar(b, WEFT_I64), &v, 1, NULL, 0);
}

weft_value *weft_build_lookup(weft_builder *b, const int64_t *table, int64_t n, weft_dtype dtype, weft_value *index) {
    weft_context *cx = b->m->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    char *raw = weft_scratch_array(cx, char, (size_t)n * weft_dtype_bytes(dtype));
    int64_t one = 1;
    for (int64_t i = 0; raw && i < n; i++)
        weft_dtype_store_int(dtype, raw + (size_t)i * weft_dtype_bytes(dtype), table[i]);
    const weft_type *all = weft_type_tensor(cx, dtype, 1, &n), *cell = weft_type_tensor(cx, dtype, 1, &one);
    const weft_attr *values = all && raw ? weft_attr_dense(cx, all, raw, false) : NULL;
    weft_arena_reset(&cx->scratch, mark);
    weft_value *operands[2] = { weft_build_constant(b, values), index };
    weft_attr_pair sizes[] = { { WEFT_A_slice_sizes, weft_attr_ints(cx, WEFT_I64, &one, 1) } };
    return weft_build_1(b, WEFT_OP_dynamic_slice, cell, operands, 2, sizes, 1);
}

static weft_value *looked_up(weft_builder *b, const int64_t *table, int64_t n, weft_value *index) {
    weft_value *v = weft_build_lookup(b, table, n, WEFT_I64, index);
    return weft_build_1(b, WEFT_OP_reshape, scalar(b, WEFT_I64), &v, 1, NULL, 0);
}

static weft_value *number_by_table(weft_builder *b, const weft_mesh *mesh, weft_axes axes, weft_value *id) {
    weft_context *cx = b->m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    int64_t *table = weft_scratch_array(cx, int64_t, mesh->device_count);
    for (int64_t place = 0; table && place < mesh->device_count; place++) {
        int64_t device = weft_mesh_device_at(mesh, place);
        if (device >= 0 && device < mesh->device_count) table[device] = weft_mesh_number(mesh, axes, place);
    }
    if (!table) b->status = weft_oom();
    weft_value *v = table ? looked_up(b, table, mesh->device_count, id) : NULL;
    weft_arena_reset(&cx->scratch, mark);
    return v;
}

weft_value *weft_build_device_number(weft_builder *b, const weft_mesh *mesh, weft_axes axes, weft_value *id) {
    weft_value *v = NULL;
    if (mesh->device_ids.n) return number_by_table(b, mesh, axes, id);
    for (uint32_t i = 0; i < axes.n; i++) {
        int64_t stride = weft_mesh_stride(mesh, axes.v[i]), size = axes.v[i].size;
        weft_value *c = id;
        if (stride > 1) c = weft_build_binary(b, WEFT_OP_divide, c, number(b, stride));
        if (size < mesh->device_count) c = weft_build_binary(b, WEFT_OP_remainder, c, number(b, size));
        if (v) {
            v = weft_build_binary(b, WEFT_OP_multiply, v, number(b, size));
            v = weft_build_binary(b, WEFT_OP_add, v, c);
        } else v = c;
    }
    return v ? v : number(b, 0);
}

weft_value *weft_build_by_number(weft_builder *b, const int64_t *values, int64_t n, weft_value *of) {
    int64_t step = n > 1 ? values[1] - values[0] : 0;
    for (int64_t k = 1; k < n; k++)
        if (values[k] - values[k - 1] != step) return looked_up(b, values, n, of);
    weft_value *by = number(b, step), *first = number(b, values[0]);
    return weft_build_binary(b, WEFT_OP_add, weft_build_binary(b, WEFT_OP_multiply, of, by), first);
}
