/* process.c: replica groups as devices; see process.h. */
#include "ir/process.h"

weft_status weft_grid_of(const weft_module *m, int64_t devices, weft_grid *out) {
    int64_t replicas = weft_op_int(m->root, WEFT_A_mhlo_num_replicas, 1);
    if (replicas < 1 || devices % replicas)
        return weft_report(m->cx, WEFT_D_partition, m->root->loc, "%lld devices cannot be %lld replicas",
                           (long long)devices, (long long)replicas);
    *out = (weft_grid){ replicas, devices / replicas };
    return WEFT_OK;
}

typedef enum group_mode { CROSS_REPLICA, CROSS_PARTITION, CROSS_REPLICA_AND_PARTITION, FLATTENED_IDS } group_mode;

static bool takes_flag(const weft_op *op) {
    return op->kind == WEFT_OP_all_reduce || op->kind == WEFT_OP_all_gather || op->kind == WEFT_OP_reduce_scatter ||
           op->kind == WEFT_OP_collective_reduce;
}

static group_mode mode_of(const weft_op *op) {
    const weft_attr *channel = weft_op_attr(op, WEFT_A_channel_handle);
    if (weft_op_attr(op, WEFT_A_use_global_device_ids)) return FLATTENED_IDS;
    if (!channel || channel->kind != WEFT_ATTR_CHANNEL || channel->channel.handle <= 0) return CROSS_REPLICA;
    return takes_flag(op) ? CROSS_REPLICA_AND_PARTITION : CROSS_PARTITION;
}

/* Rows of ids as written; none at all: one row of every id. */
typedef struct written { const weft_attr *dense; int64_t rows, columns, all; } written;

static int64_t id_at(const written *w, int64_t row, int64_t column) {
    return w->all ? column : weft_dense_int(w->dense, row * w->columns + column);
}

static weft_status read_rows(weft_context *cx, const weft_op *op, const weft_attr *dense, int64_t limit, written *w) {
    if (!dense || dense->kind != WEFT_ATTR_DENSE || dense->type->rank != 2)
        return weft_report(cx, WEFT_D_verify, op->loc, "the groups of '%s' are not a matrix of ids", op->name->text);
    *w = (written){ dense, dense->type->dims[0], dense->type->dims[1], 0 };
    if (weft_type_elems(dense->type) == 0 && op->kind != WEFT_OP_collective_permute)
        *w = (written){ dense, 1, limit, limit };
    for (int64_t i = 0; !w->all && i < w->rows * w->columns; i++)
        if (weft_dense_int(dense, i) >= limit)
            return weft_report(cx, WEFT_D_partition, op->loc, "'%s' names id %lld, but the program runs on %lld",
                               op->name->text, (long long)weft_dense_int(dense, i), (long long)limit);
    return WEFT_OK;
}

static int64_t most(const weft_attr *dense) {
    int64_t m = -1;
    for (int64_t i = 0; dense && dense->kind == WEFT_ATTR_DENSE && i < weft_dense_stored(dense); i++)
        m = weft_max_i64(m, weft_dense_int(dense, i));
    return m;
}

static weft_status dense_groups(weft_context *cx, const weft_op *op, const weft_attr *dense, weft_grid grid,
                                weft_arena *arena, weft_process_groups *out) {
    group_mode mode = mode_of(op);
    bool of_replicas = mode == CROSS_REPLICA || mode == CROSS_REPLICA_AND_PARTITION;
    if (of_replicas && grid.replicas == 1 && most(dense) > 0) mode = FLATTENED_IDS;
    int64_t limit = mode == FLATTENED_IDS     ? grid.replicas * grid.partitions
                    : mode == CROSS_PARTITION ? grid.partitions
                                              : grid.replicas;
    /* A row of ids is written once per step of the other coordinate, or each id of it in all of them. */
    int64_t copies = mode == CROSS_REPLICA ? grid.partitions : mode == CROSS_PARTITION ? grid.replicas : 1;
    int64_t inner = mode == CROSS_REPLICA_AND_PARTITION ? grid.partitions : 1;
    written w = { 0 };
    weft_status st = read_rows(cx, op, dense, limit, &w);
    if (st != WEFT_OK) return st;
    int64_t *ids = weft_arena_array(arena, int64_t, w.rows * copies * w.columns * inner), *at = ids;
    if (!ids) return weft_oom();
    for (int64_t row = 0; row < w.rows; row++)
        for (int64_t copy = 0; copy < copies; copy++) {
            int64_t *end = at + w.columns * inner;
            for (int64_t k = 0; k < inner; k++)
                for (int64_t column = 0; column < w.columns; column++) {
                    int64_t id = id_at(&w, row, column);
                    if (id < 0) continue;
                    if (mode == CROSS_REPLICA) id = id * grid.partitions + copy;
                    else if (mode == CROSS_PARTITION) id += copy * grid.partitions;
                    else if (mode == CROSS_REPLICA_AND_PARTITION) id = id * grid.partitions + k;
                    *at++ = id;
                }
            while (at < end) *at++ = -1;
        }
    *out = (weft_process_groups){ ids, w.rows * copies, w.columns * inner };
    return WEFT_OK;
}

/* Axis a of a group: the distance of one step along it in the mesh, and the number of steps. */
typedef struct step { int64_t stride, size; } step;

static weft_status axis_step(weft_context *cx, const weft_op *op, const weft_mesh_attr *mesh, const weft_axis_ref *ref,
                             step *out) {
    int64_t stride = 1;
    for (uint32_t i = mesh->axis_count; i-- > 0; stride *= mesh->axes[i].size) {
        int64_t whole = mesh->axes[i].size, size = ref->size ? ref->size : whole, pre = ref->size ? ref->pre_size : 1;
        if (mesh->axes[i].name != ref->name) continue;
        if (size < 1 || pre < 1 || whole % (pre * size)) break;
        *out = (step){ stride * (whole / (pre * size)), size };
        return WEFT_OK;
    }
    return weft_report(cx, WEFT_D_verify, op->loc, "the mesh of '%s' has no axis '%s' of that size", op->name->text,
                       ref->name->text);
}

static weft_status groups_along(const weft_module *m, const weft_op *op, const weft_attr *groups, weft_grid grid,
                                weft_arena *arena, weft_process_groups *out) {
    const weft_attr *mesh = groups->mesh_axes.mesh;
    step steps[64];
    int64_t size = 1;
    uint32_t n = groups->mesh_axes.axes.n;
    if (mesh->kind == WEFT_ATTR_SYMBOL) {
        const weft_op *def = weft_module_symbol(m, weft_name_str(mesh->names.v[mesh->names.n - 1]));
        mesh = def ? weft_op_attr(def, WEFT_A_mesh) : NULL;
    }
    if (!mesh || mesh->kind != WEFT_ATTR_MESH || n > WEFT_COUNT(steps))
        return weft_report(m->cx, WEFT_D_verify, op->loc, "the mesh of '%s' is not there", op->name->text);
    for (uint32_t i = 0; i < n; i++) {
        weft_status st = axis_step(m->cx, op, &mesh->mesh, &groups->mesh_axes.axes.v[i], &steps[i]);
        if (st != WEFT_OK) return st;
        size *= steps[i].size;
    }
    int64_t *ids = weft_arena_array(arena, int64_t, grid.replicas * grid.partitions), *at = ids;
    if (!ids) return weft_oom();
    for (int64_t place = 0; place < grid.replicas * grid.partitions; place++) {
        int64_t first = 1;
        for (uint32_t i = 0; i < n; i++) first &= place / steps[i].stride % steps[i].size == 0;
        for (int64_t k = 0; first && k < size; k++) {
            int64_t other = place, rest = k;
            for (uint32_t i = n; i-- > 0; rest /= steps[i].size) other += rest % steps[i].size * steps[i].stride;
            int64_t partition = other % grid.partitions;
            *at++ = other - partition +
                    (partition < mesh->mesh.device_ids.n ? mesh->mesh.device_ids.v[partition] : partition);
        }
    }
    *out = (weft_process_groups){ ids, (at - ids) / size, size };
    return WEFT_OK;
}

static const weft_attr *groups_attr(const weft_op *op) {
    return weft_op_attr(op, op->kind == WEFT_OP_collective_permute ? WEFT_A_source_target_pairs
                                                                   : WEFT_A_replica_groups);
}

weft_status weft_process_groups_of(const weft_module *m, const weft_op *op, weft_grid grid, weft_arena *arena,
                                   weft_process_groups *out) {
    const weft_attr *groups = groups_attr(op);
    bool along = groups && groups->kind == WEFT_ATTR_MESH_AXES;
    return along ? groups_along(m, op, groups, grid, arena, out) : dense_groups(m->cx, op, groups, grid, arena, out);
}

/* What of an op, beside the attribute, its groups depend on. */
static unsigned meaning_of(const weft_op *op) {
    return 2 * (unsigned)mode_of(op) + (op->kind == WEFT_OP_collective_permute);
}

weft_status weft_known_groups_of(weft_group_list *list, const weft_module *m, const weft_op *op, weft_grid grid,
                                 const weft_known_groups **out) {
    const weft_attr *attr = groups_attr(op);
    weft_arena *arena = list->facts.numbers.arena;
    weft_process_groups all;
    const void **fact = attr ? weft_attr_fact(&list->facts, attr) : NULL;
    if (attr && !fact) return weft_oom();
    for (*out = fact ? *fact : NULL; *out; *out = (*out)->next)
        if ((*out)->meaning == meaning_of(op)) return WEFT_OK;
    weft_status st = weft_process_groups_of(m, op, grid, arena, &all);
    if (st != WEFT_OK) return st;
    weft_known_groups *made = weft_arena_new(arena, weft_known_groups);
    if (!made) return weft_oom();
    *made = (weft_known_groups){ all, list->count++, meaning_of(op), fact ? *fact : NULL };
    if (fact) *fact = made;
    *out = made;
    return WEFT_OK;
}

static weft_status note_channel(void *user, weft_op *op) {
    int64_t *last = user;
    const weft_attr *channel = weft_op_attr(op, WEFT_A_channel_handle);
    if (channel && channel->kind == WEFT_ATTR_CHANNEL) *last = weft_max_i64(*last, channel->channel.handle);
    return WEFT_OK;
}

weft_status weft_last_channel(const weft_module *m, int64_t *out) {
    *out = 0;
    return weft_module_walk(m, note_channel, out);
}
