/* mesh: the number of devices of a program, and the same program for meshes of other sizes. */
#include <stdlib.h>
#include "base/nearest.h"
#include "ir/builder.h"
#include "pipeline/pipeline.h"

#define MAX_AXIS ((int64_t)1 << 40) /* far beyond any machine; keeps typing errors from overflowing */

static int64_t mesh_devices(const weft_attr *mesh) {
    int64_t n = 1;
    for (uint32_t a = 0; a < mesh->mesh.axis_count; a++)
        if (!weft_mul_i64(n, mesh->mesh.axes[a].size, &n)) return INT64_MAX;
    return n;
}

/* 0: no mesh has axes. One without, for what is replicated or on one device, does not tell the number of devices. */
static int64_t most_devices(const weft_module *m) {
    int64_t most = 0;
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (mesh && mesh->mesh.axis_count) most = weft_max_i64(most, mesh_devices(mesh));
    }
    return most;
}

static int64_t partitions_of(const weft_module *m) {
    int64_t most = most_devices(m);
    return most ? most : weft_max_i64(1, weft_op_int(m->root, WEFT_A_mhlo_num_partitions, 1));
}

weft_status weft_module_check_partitions(const weft_module *m) {
    const weft_attr *said = weft_op_attr(m->root, WEFT_A_mhlo_num_partitions);
    const int64_t most = most_devices(m), partitions = weft_op_int(m->root, WEFT_A_mhlo_num_partitions, 1);
    if (!said || !most || partitions == most) return WEFT_OK;
    return weft_report_once(
        m->cx, WEFT_D_annotation, m->root->loc,
        "mhlo.num_partitions is %lld, but the program's largest mesh has %lld device%s: the mesh counts",
        (long long)partitions, (long long)most, most == 1 ? "" : "s");
}

weft_status weft_module_check_devices(const weft_module *m) {
    const int64_t devices = weft_module_devices(m);
    const weft_loc *loc = m->root->loc;
    if (devices <= WEFT_MACHINE_DEVICES) return WEFT_OK;
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (mesh && mesh_devices(mesh) == most_devices(m)) loc = op->loc;
    }
    return weft_report(m->cx, WEFT_D_usage, loc, "the program is for %lld devices; a machine has at most %lld devices",
                       (long long)devices, (long long)WEFT_MACHINE_DEVICES);
}

weft_status weft_module_check_main(const weft_module *m) {
    const weft_op *main = weft_module_main(m);
    if (main && weft_op_body(main, 0)) return WEFT_OK;
    return weft_report(m->cx, WEFT_D_partition, m->root->loc, "the module has no function @main");
}

int64_t weft_module_devices(const weft_module *m) {
    int64_t n;
    return weft_mul_i64(partitions_of(m), weft_max_i64(1, weft_op_int(m->root, WEFT_A_mhlo_num_replicas, 1)), &n)
               ? n
               : INT64_MAX;
}

/* Whether a program for several devices without a mesh uses its replicas, or its partitions: by replica_id and
 * collectives without a channel, or by partition_id and those with one. */
static weft_status note_speech(void *user, weft_op *op) {
    bool *speaks = user;
    const weft_attr *channel = weft_op_attr(op, WEFT_A_channel_handle);
    bool joins = weft_op_attr(op, WEFT_A_replica_groups) || op->kind == WEFT_OP_collective_permute;
    bool across = channel && channel->kind == WEFT_ATTR_CHANNEL && channel->channel.handle > 0;
    speaks[0] |= op->kind == WEFT_OP_replica_id || (joins && !across);
    speaks[1] |= op->kind == WEFT_OP_partition_id || (joins && across);
    return WEFT_OK;
}

static weft_status set_count(weft_module *m, weft_attr_name name, int64_t n) {
    const weft_type *i32 = weft_type_scalar(m->cx, WEFT_I32);
    const weft_attr *value = i32 ? weft_attr_int(m->cx, n, i32) : NULL;
    return value ? weft_op_set(m, m->root, name, value) : weft_oom();
}

weft_status weft_module_set_devices(weft_module *m, int64_t devices) {
    int64_t replicas = weft_op_int(m->root, WEFT_A_mhlo_num_replicas, 1);
    bool speaks[2] = { false, false };
    if (most_devices(m) || devices == weft_module_devices(m)) return WEFT_OK;
    weft_status st = weft_module_walk(m, note_speech, speaks);
    if (replicas < 1 || devices % replicas || weft_op_int(m->root, WEFT_A_mhlo_num_partitions, 1) == 1)
        replicas = speaks[0] && !speaks[1] ? devices : 1;
    if (st == WEFT_OK) st = set_count(m, WEFT_A_mhlo_num_replicas, replicas);
    return st == WEFT_OK ? set_count(m, WEFT_A_mhlo_num_partitions, devices / replicas) : st;
}

typedef struct resize { weft_str name; int64_t size; bool used; } resize;

/* "data=64,model=8" */
static weft_status parse(weft_context *cx, const char *spec, resize *out, size_t cap, size_t *count) {
    *count = 0;
    for (const char *p = spec; *p;) {
        const char *end = p + strcspn(p, ","), *eq = memchr(p, '=', (size_t)(end - p));
        char *stop = NULL;
        long long size = eq ? strtoll(eq + 1, &stop, 10) : 0;
        if (!eq || eq == p || eq + 1 == end || stop != end || *count == cap)
            return weft_report(cx, WEFT_D_usage, NULL, "'%s' is not a mesh such as 'data=64,model=8'", spec);
        if (size < 1 || size > MAX_AXIS)
            return weft_report(cx, WEFT_D_usage, NULL, "mesh '%s' gives axis \"%.*s\" a size that is not 1 to 2^40",
                               spec, (int)(eq - p), p);
        for (size_t i = 0; i < *count; i++)
            if (weft_str_equal(out[i].name, (weft_str){ p, (size_t)(eq - p) }))
                return weft_report(cx, WEFT_D_usage, NULL, "mesh '%s' gives axis \"%.*s\" twice", spec, (int)(eq - p),
                                   p);
        out[(*count)++] = (resize){ { p, (size_t)(eq - p) }, size, false };
        p = *end ? end + 1 : end;
    }
    return WEFT_OK;
}

/* Device ids are for the old sizes: a mesh of other sizes is in device order again. */
static const weft_attr *resized(weft_context *cx, const weft_attr *old, resize *sizes, size_t count) {
    weft_attr a = *old;
    bool changed = false;
    weft_mesh_axis *axes = weft_scratch_array(cx, weft_mesh_axis, a.mesh.axis_count);
    if (!axes) return NULL;
    for (uint32_t i = 0; i < a.mesh.axis_count; i++) {
        axes[i] = a.mesh.axes[i];
        for (size_t k = 0; k < count; k++) {
            if (!weft_str_equal(weft_name_str(axes[i].name), sizes[k].name)) continue;
            sizes[k].used = true;
            changed |= axes[i].size != sizes[k].size;
            axes[i].size = sizes[k].size;
        }
    }
    a.mesh.axes = axes;
    if (changed) a.mesh.device_ids = (weft_ints){ NULL, 0 };
    return weft_attr_copy(cx, &a);
}

/* Lists the existing axes. */
static weft_status no_such_axis(const weft_module *m, weft_str name) {
    weft_nearest near = weft_nearest_to(name);
    weft_status st = WEFT_OK;
    weft_buf axes;
    weft_buf_init(&axes, &m->cx->alloc);
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        for (uint32_t i = 0; mesh && i < mesh->mesh.axis_count; i++) {
            weft_nearest_offer(&near, weft_name_str(mesh->mesh.axes[i].name));
            weft_buf_printf(&axes, "%s\"%s\"", axes.n ? ", " : "", mesh->mesh.axes[i].name->text);
        }
    }
    st = weft_report(m->cx, WEFT_D_usage, NULL, "no mesh of the program has an axis \"%.*s\"" WEFT_NEAREST "%s%.*s",
                     WEFT_STR_ARG(name), WEFT_NEAREST_ARG(near), axes.n ? "; there are " : "; it has no mesh",
                     (int)axes.n, axes.n ? axes.p : "");
    weft_buf_free(&axes);
    return st;
}

static weft_status resize_all(weft_module *m, resize *sizes, size_t count) {
    weft_context *cx = m->cx;
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *old = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (!old) continue;
        const weft_attr *mesh = resized(cx, old, sizes, count);
        weft_status st = mesh ? weft_op_set(m, op, WEFT_A_mesh, mesh) : weft_oom();
        if (st != WEFT_OK) return st;
    }
    for (size_t k = 0; k < count; k++)
        if (!sizes[k].used) return no_such_axis(m, sizes[k].name);
    const weft_attr *partitions = weft_op_attr(m->root, WEFT_A_mhlo_num_partitions);
    if (!partitions) return WEFT_OK;
    const weft_attr *now = weft_attr_int(cx, partitions_of(m), partitions->type);
    return now ? weft_op_set(m, m->root, WEFT_A_mhlo_num_partitions, now) : weft_oom();
}

weft_status weft_module_resize_mesh(const weft_module *in, const char *spec, weft_module **out) {
    weft_context *cx = in->cx;
    weft_module *m = NULL;
    resize sizes[64];
    size_t count;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = parse(cx, spec, sizes, WEFT_COUNT(sizes), &count);
    if (st == WEFT_OK) st = weft_module_clone(in, &m);
    if (st == WEFT_OK) st = resize_all(m, sizes, count);
    weft_arena_reset(&cx->scratch, mark);
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}
