/* program_file.c: see program_file.h. */
#include "runtime/program_file.h"

#include <string.h>
#include "exec/archive.h"
#include "exec/file.h"
#include "runtime/host_array.h"

static const weft_file_header header = { { 'W', 'E', 'F', 'T', 'P', 'R', 'O', 'G' }, WEFT_PROGRAM_FORMAT };

bool weft_program_file_is(const void *bytes, size_t n) { return weft_file_header_is(&header, bytes, n); }

/* ---- one walk that writes and reads ---- */

static void walk_numbers(weft_archive *a, const int64_t **v, int64_t count) {
    const void *p = *v;
    const bool some = weft_archive_flag(a, *v != NULL);
    int64_t *to = some ? weft_archive_array(a, &p, (uint64_t)count, sizeof *to, _Alignof(int64_t)) : NULL;
    for (int64_t i = 0; to && i < count; i++) WEFT_ARCHIVE_NUMBER(a, to[i]);
    if (a->mode == WEFT_ARCHIVE_READ) *v = some ? p : NULL;
}

static void walk_dim(weft_archive *a, weft_layout_dim *d) {
    const void *p = d->axes;
    WEFT_ARCHIVE_NUMBER(a, d->global);
    WEFT_ARCHIVE_NUMBER(a, d->local);
    WEFT_ARCHIVE_NUMBER(a, d->axis_count);
    weft_layout_axis *axes =
        weft_archive_array(a, &p, d->axis_count, sizeof *axes, _Alignof(weft_layout_axis));
    for (uint32_t i = 0; axes && i < d->axis_count; i++) {
        WEFT_ARCHIVE_NUMBER(a, axes[i].stride);
        WEFT_ARCHIVE_NUMBER(a, axes[i].size);
    }
    if (a->mode == WEFT_ARCHIVE_READ) d->axes = p;
}

static void walk_layout(weft_archive *a, weft_layout *l) {
    const void *p = l->dims;
    const uint32_t dtype = weft_archive_enum(a, l->dtype, WEFT_DTYPE_COUNT);
    if (a->mode == WEFT_ARCHIVE_READ) l->dtype = (weft_dtype)dtype;
    WEFT_ARCHIVE_NUMBER(a, l->rank);
    WEFT_ARCHIVE_NUMBER(a, l->device_count);
    if (l->rank > WEFT_HOST_ARRAY_MAX_RANK || l->device_count < 1) weft_archive_malformed(a);
    weft_layout_dim *dims = weft_archive_array(a, &p, l->rank, sizeof *dims, _Alignof(weft_layout_dim));
    for (uint32_t i = 0; dims && i < l->rank; i++) walk_dim(a, &dims[i]);
    if (a->mode == WEFT_ARCHIVE_READ) l->dims = p;
    walk_numbers(a, &l->position, l->device_count);
}

static void walk_ports(weft_archive *a, uint32_t *count, const weft_port **ports, const weft_layout **layouts) {
    const void *p = *ports, *l = *layouts;
    WEFT_ARCHIVE_NUMBER(a, *count);
    weft_port *v = weft_archive_array(a, &p, *count, sizeof *v, _Alignof(weft_port));
    weft_layout *w = weft_archive_array(a, &l, *count, sizeof *w, _Alignof(weft_layout));
    for (uint32_t i = 0; v && w && i < *count; i++) {
        weft_archive_text(a, &v[i].name);
        weft_archive_text(a, &v[i].mesh);
        weft_archive_text(a, &v[i].sharding);
        walk_layout(a, &w[i]);
    }
    if (a->mode == WEFT_ARCHIVE_READ) *ports = p, *layouts = l;
}

/* ---- writing ---- */

weft_status weft_program_file_write(const weft_program_file *p, weft_buf *out) {
    weft_program_file copy = *p;
    weft_archive a = { .mode = WEFT_ARCHIVE_WRITE, .out = out };
    uint32_t args = p->exec->arg_count, results = p->exec->result_count;
    const size_t begin = out->n;
    weft_file_header_write(&a, &header);
    walk_ports(&a, &args, &copy.args, &copy.arg_layouts);
    walk_ports(&a, &results, &copy.results, &copy.result_layouts);
    weft_status st = a.status == WEFT_OK ? weft_executable_write(p->exec, out) : a.status;
    if (st != WEFT_OK) return st;
    weft_file_seal(out->p + begin, out->n - begin);
    return WEFT_OK;
}

/* ---- reading ---- */

/* Whether shards of these axes cover the dimension with parts of its local size, as what divides by them expects. */
static bool dim_fits(const weft_layout_dim *d, int64_t local) {
    int64_t shards = 1;
    if (d->global < 0 || d->local != local) return false;
    for (uint32_t i = 0; i < d->axis_count; i++)
        if (d->axes[i].stride < 1 || d->axes[i].size < 1 || !weft_mul_i64(shards, d->axes[i].size, &shards))
            return false;
    return weft_ceil_div(d->global, shards) == local;
}

static bool layout_fits(const weft_executable *x, const weft_exec_value *v, const weft_layout *l) {
    if (l->dtype != v->dtype || l->rank != v->rank || l->device_count != x->device_count) return false;
    for (uint32_t d = 0; d < l->rank; d++)
        if (!dim_fits(&l->dims[d], v->dims[d])) return false;
    for (int64_t i = 0; l->position && i < l->device_count; i++)
        if (l->position[i] < 0 || l->position[i] >= l->device_count) return false;
    return weft_layout_global_bytes(l) >= 0;
}

static bool ports_fit(const weft_executable *x, const weft_exec_value *v, uint32_t n, const weft_port *ports,
                      const weft_layout *layouts) {
    for (uint32_t i = 0; i < n; i++)
        if (!ports[i].name || !ports[i].mesh || !ports[i].sharding || !layout_fits(x, &v[i], &layouts[i])) return false;
    return true;
}

static weft_status read_fields(weft_archive *a, weft_program_file *p, const char *name) {
    uint32_t args = 0, results = 0;
    walk_ports(a, &args, &p->args, &p->arg_layouts);
    walk_ports(a, &results, &p->results, &p->result_layouts);
    if (a->status == WEFT_ERR_MEMORY) return weft_oom();
    if (a->status != WEFT_OK)
        return weft_report(a->cx, WEFT_D_data, NULL, "'%s' is no compiled program: a field of it cannot be", name);
    weft_status st = weft_executable_read(a->cx, a->at, (size_t)(a->end - a->at), name, &p->exec);
    if (st != WEFT_OK) return st;
    const weft_executable *x = p->exec;
    if (args == x->arg_count && results == x->result_count &&
        ports_fit(x, x->args, args, p->args, p->arg_layouts) &&
        ports_fit(x, x->results, results, p->results, p->result_layouts))
        return weft_image_check(a->cx, &x->image);
    return weft_report(a->cx, WEFT_D_data, NULL,
                       "'%s' is no compiled program: its arguments and results are not its executable's", name);
}

weft_status weft_program_file_read(weft_context *cx, const void *bytes, size_t n, const char *name,
                                   weft_program_file **out) {
    *out = NULL;
    weft_program_file *p = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *p);
    if (!p) return weft_oom();
    *p = (weft_program_file){ .exec = NULL };
    weft_arena_init(&p->arena, &cx->alloc);
    weft_archive a = { .cx = cx, .arena = &p->arena };
    weft_status st = weft_file_header_read(&a, &header, bytes, n, name);
    if (st == WEFT_OK) st = read_fields(&a, p, name);
    if (st == WEFT_OK) *out = p;
    else weft_program_file_free(p);
    return st;
}

void weft_program_file_free(weft_program_file *p) {
    if (!p) return;
    weft_allocator alloc = p->arena.alloc;
    weft_executable_free(p->exec);
    weft_arena_free(&p->arena);
    alloc.resize(alloc.user, p, sizeof *p, 0);
}
