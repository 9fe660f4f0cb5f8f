/* serialize: executables as bytes, for a framework's cache and other processes.
 *
 * The fields of a message, in this order of their numbers: NAME, OPTIONS (as they were given), EXECUTABLE
 * (exec/file.h, which says its own version and whether it is damaged), ARGUMENT and RESULT, a layout for each, MEMORY
 * (the kind of each argument, then of each result), PROGRAM (the partitioned one, as text), TOKEN and DONOR (the number
 * of each argument that is one).
 */
#include <stdlib.h>
#include "base/table.h"
#include "exec/file.h"
#include "pjrt/impl.h"

enum { NAME = 1, OPTIONS, EXECUTABLE, ARGUMENT, RESULT, MEMORY, PROGRAM, TOKEN, DONOR };
/* A layout: its type, devices, positions of the devices, for each dimension its sizes and axes, and axes of terms. */
enum { DTYPE = 1, DEVICES, POSITIONS, DIMENSION, TERMS };
enum { MOST_AXES = 64 };

/* --- writing --- */

static size_t put_axes(int64_t *v, const weft_layout_axis *axes, uint32_t count, weft_buf *b) {
    if (count > MOST_AXES) b->failed = true;
    for (uint32_t i = 0; i < count && i < MOST_AXES; i++) v[2 * i] = axes[i].stride, v[2 * i + 1] = axes[i].size;
    return 2 * (size_t)weft_min_i64(count, MOST_AXES);
}

static void write_layout(weft_buf *out, uint32_t field, const weft_layout *l) {
    weft_buf b;
    weft_buf_init(&b, &pjrt_heap);
    pjrt_wire_put_number(&b, DTYPE, l->dtype);
    pjrt_wire_put_number(&b, DEVICES, (uint64_t)l->device_count);
    if (l->position) pjrt_wire_put_list(&b, POSITIONS, l->position, (size_t)l->device_count);
    for (uint32_t d = 0; d < l->rank; d++) {
        const weft_layout_dim *dim = &l->dims[d];
        int64_t v[2 + 2 * MOST_AXES] = { dim->global, dim->local };
        pjrt_wire_put_list(&b, DIMENSION, v, 2 + put_axes(v + 2, dim->axes, dim->axis_count, &b));
    }
    if (l->term_axis_count) {
        int64_t v[2 * MOST_AXES];
        pjrt_wire_put_list(&b, TERMS, v, put_axes(v, l->terms, l->term_axis_count, &b));
    }
    if (b.failed) out->failed = true;
    pjrt_wire_put_bytes(out, field, b.p, b.n);
    weft_buf_free(&b);
}

static pjrt_error *write(pjrt_executable *x, weft_buf *out) {
    pjrt_error *e = pjrt_optimized_print(x);
    weft_buf exec;
    if (e) return e;
    weft_buf_init(&exec, &pjrt_heap);
    weft_status st = weft_executable_write(x->exec, &exec);
    pjrt_wire_put_bytes(out, NAME, x->name, strlen(x->name));
    pjrt_wire_put_bytes(out, OPTIONS, x->options, x->options_size);
    pjrt_wire_put_bytes(out, EXECUTABLE, exec.p, exec.n);
    for (uint32_t i = 0; i < x->exec->arg_count; i++) {
        write_layout(out, ARGUMENT, &x->arg_layouts[i]);
        pjrt_wire_put_bytes(out, MEMORY, x->parameter_memories[i], x->parameter_memory_sizes[i]);
    }
    for (uint32_t i = 0; i < x->exec->result_count; i++) {
        write_layout(out, RESULT, &x->result_layouts[i]);
        pjrt_wire_put_bytes(out, MEMORY, x->output_memories[i], x->output_memory_sizes[i]);
    }
    pjrt_wire_put_bytes(out, PROGRAM, x->optimized.p, x->optimized.n);
    for (uint32_t i = 0; i < x->exec->arg_count; i++) {
        if (x->tokens[i]) pjrt_wire_put_number(out, TOKEN, i);
        if (x->donors[i]) pjrt_wire_put_number(out, DONOR, i);
    }
    weft_buf_free(&exec);
    return st == WEFT_OK && !out->failed ? NULL : pjrt_no_memory();
}

/* A damaged file would be read as another program: the hash of all that comes before it. */
static uint64_t hash(const void *bytes, size_t n) { return weft_hash_end(weft_hash_bytes(0, bytes, n)); }

static void free_bytes(void *bytes) { free(bytes); }

pjrt_error *pjrt_Executable_Serialize(pjrt_Executable_Serialize_args *a) {
    pjrt_executable *x = (pjrt_executable *)a->executable;
    weft_buf out;
    weft_buf_init(&out, &pjrt_heap);
    pthread_mutex_lock(&x->lock);
    pjrt_error *e = write(x, &out);
    pthread_mutex_unlock(&x->lock);
    const uint64_t sum = e ? 0 : hash(out.p, out.n);
    weft_buf_put(&out, (const char *)&sum, sizeof sum);
    if (!e && out.failed) e = pjrt_no_memory();
    if (e) {
        weft_buf_free(&out);
        return e;
    }
    a->serialized_bytes = out.p;
    a->serialized_bytes_size = out.n;
    a->serialized_executable = out.p;
    a->serialized_executable_deleter = free_bytes;
    return NULL;
}

/* --- reading --- */

static bool read_list(const pjrt_wire *field, weft_arena *arena, int64_t **out, size_t *n) {
    pjrt_wire w = pjrt_wire_of(field->bytes, field->size);
    uint64_t v;
    *out = weft_arena_array(arena, int64_t, field->size + 1);
    for (*n = 0; *out && pjrt_wire_number(&w, &v);) (*out)[(*n)++] = (int64_t)v;
    return *out && !w.bad;
}

/* What the runtime would divide by, or allocate, is checked. */
static bool read_axes(const int64_t *v, size_t n, weft_arena *arena, const weft_layout_axis **out, int64_t *shards) {
    weft_layout_axis *axes = weft_arena_array(arena, weft_layout_axis, n / 2);
    *shards = 1;
    if (!axes || n % 2) return false;
    for (size_t i = 0; i < n; i += 2) {
        if (v[i] < 1 || v[i + 1] < 1 || !weft_mul_i64(*shards, v[i + 1], shards)) return false;
        axes[i / 2] = (weft_layout_axis){ v[i], v[i + 1] };
    }
    *out = axes;
    return true;
}

static bool read_dim(const pjrt_wire *field, weft_arena *arena, weft_layout_dim *out) {
    int64_t *v, shards;
    size_t n;
    if (!read_list(field, arena, &v, &n) || n < 2 || v[0] < 0 || v[1] < 0) return false;
    *out = (weft_layout_dim){ .global = v[0], .local = v[1], .axis_count = (uint32_t)(n / 2 - 1) };
    return read_axes(v + 2, n - 2, arena, &out->axes, &shards) && weft_ceil_div(v[0], shards) == v[1];
}

static bool read_terms(const pjrt_wire *field, weft_arena *arena, weft_layout *out) {
    int64_t *v, terms;
    size_t n;
    if (!read_list(field, arena, &v, &n)) return false;
    out->term_axis_count = (uint32_t)(n / 2);
    return read_axes(v, n, arena, &out->terms, &terms);
}

static bool read_layout(const pjrt_wire *field, weft_arena *arena, int64_t devices, weft_layout *out) {
    pjrt_wire w = pjrt_wire_of(field->bytes, field->size);
    weft_layout_dim *dims = weft_arena_array(arena, weft_layout_dim, WEFT_HOST_ARRAY_MAX_RANK);
    int64_t *position = NULL;
    size_t n = 0;
    *out = (weft_layout){ .dims = dims };
    if (!dims) return false;
    while (pjrt_wire_next(&w)) {
        if (w.field == DTYPE && w.kind == PJRT_WIRE_NUMBER) out->dtype = (weft_dtype)w.number;
        if (w.field == DEVICES && w.kind == PJRT_WIRE_NUMBER) out->device_count = (int64_t)w.number;
        if (w.field == POSITIONS && w.kind == PJRT_WIRE_BYTES && !read_list(&w, arena, &position, &n)) return false;
        if (w.field == TERMS && w.kind == PJRT_WIRE_BYTES && !read_terms(&w, arena, out)) return false;
        if (w.field != DIMENSION || w.kind != PJRT_WIRE_BYTES) continue;
        if (out->rank == WEFT_HOST_ARRAY_MAX_RANK || !read_dim(&w, arena, &dims[out->rank++])) return false;
    }
    for (size_t i = 0; i < n; i++)
        if (position[i] < 0 || position[i] >= devices) return false;
    out->position = position;
    return !w.bad && out->dtype > WEFT_DTYPE_NONE && out->dtype < WEFT_DTYPE_COUNT && out->device_count == devices &&
           (!position || n == (size_t)devices);
}

static bool fits(const weft_exec_value *v, uint32_t n, const weft_layout *l, uint32_t layouts) {
    if (n != layouts) return false;
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].dtype != l[i].dtype || v[i].rank != l[i].rank) return false;
        for (uint32_t d = 0; d < v[i].rank; d++)
            if (v[i].dims[d] != l[i].dims[d].local) return false;
    }
    return true;
}

static pjrt_error *damaged(void) {
    return pjrt_error_new(PJRT_INVALID_ARGUMENT, "this is no serialised executable of Weft, or it is damaged");
}

static pjrt_error *read_executable(const char *bytes, size_t size, pjrt_executable *x) {
    pjrt_wire w = pjrt_wire_of(bytes, size), exec = { 0 }, name = { 0 }, program = { 0 };
    while (pjrt_wire_next(&w)) {
        if (w.kind != PJRT_WIRE_BYTES) continue;
        if (w.field == NAME) name = w;
        if (w.field == EXECUTABLE) exec = w;
        if (w.field == PROGRAM) program = w;
    }
    if (w.bad || !exec.bytes) return damaged();
    weft_status st = weft_executable_read(x->cx, exec.bytes, exec.size, "the serialised executable", &x->read);
    if (st != WEFT_OK) return pjrt_error_of(x->cx, st);
    x->exec = x->read;
    x->name = weft_arena_array(&x->arena, char, name.size + 1);
    if (!x->name) return pjrt_no_memory();
    if (name.size) memcpy(x->name, name.bytes, name.size);
    x->name[name.size] = '\0';
    weft_buf_put(&x->optimized, (const char *)program.bytes, program.size);
    if (x->exec->device_count != x->asked.replicas * x->asked.partitions) return damaged();
    return x->optimized.failed ? pjrt_no_memory() : NULL;
}

static pjrt_error *read_layouts(const char *bytes, size_t size, pjrt_executable *x) {
    const weft_executable *e = x->exec;
    weft_layout *args = weft_arena_array(&x->arena, weft_layout, e->arg_count),
                *results = weft_arena_array(&x->arena, weft_layout, e->result_count);
    uint32_t n = 0, m = 0;
    pjrt_wire w = pjrt_wire_of(bytes, size);
    if (!args || !results) return pjrt_no_memory();
    while (pjrt_wire_next(&w)) {
        if (w.kind != PJRT_WIRE_BYTES || (w.field != ARGUMENT && w.field != RESULT)) continue;
        uint32_t *at = w.field == ARGUMENT ? &n : &m;
        if (*at == (w.field == ARGUMENT ? e->arg_count : e->result_count)) return damaged();
        if (!read_layout(&w, &x->arena, e->device_count, &(w.field == ARGUMENT ? args : results)[(*at)++]))
            return damaged();
    }
    x->tokens = weft_arena_array(&x->arena, bool, e->arg_count);
    x->donors = weft_arena_array(&x->arena, bool, e->arg_count);
    if (!x->tokens || !x->donors) return pjrt_no_memory();
    w = pjrt_wire_of(bytes, size);
    while (pjrt_wire_next(&w)) {
        if (w.kind != PJRT_WIRE_NUMBER || w.number >= e->arg_count) continue;
        if (w.field == TOKEN) x->tokens[w.number] = true;
        if (w.field == DONOR) x->donors[w.number] = true;
    }
    x->arg_layouts = args;
    x->result_layouts = results;
    return fits(e->args, e->arg_count, args, n) && fits(e->results, e->result_count, results, m) ? NULL : damaged();
}

/* Over what pjrt_executable_note says without a program. */
static void read_memories(const char *bytes, size_t size, pjrt_executable *x) {
    const uint32_t n = x->exec->arg_count, m = x->exec->result_count;
    pjrt_wire w = pjrt_wire_of(bytes, size);
    for (uint32_t i = 0; i < n + m && pjrt_wire_next(&w);) {
        if (w.field != MEMORY || w.kind != PJRT_WIRE_BYTES) continue;
        const pjrt_memory_kind kind = pjrt_memory_kind_named((const char *)w.bytes, w.size);
        const char *name = pjrt_memory_kind_name(kind);
        if (i < n) x->parameter_memories[i] = name, x->parameter_memory_sizes[i] = strlen(name);
        else x->output_memories[i - n] = name, x->output_memory_sizes[i - n] = strlen(name);
        if (i >= n) x->output_kinds[i - n] = kind;
        i++;
    }
}

static pjrt_error *read(const char *bytes, size_t size, const char *options, size_t options_size,
                        pjrt_executable **out) {
    pjrt_wire w;
    uint64_t sum;
    if (size < sizeof sum) return damaged();
    size -= sizeof sum;
    memcpy(&sum, bytes + size, sizeof sum);
    if (sum != hash(bytes, size)) return damaged();
    w = pjrt_wire_of(bytes, size);
    while (!options && pjrt_wire_next(&w))
        if (w.field == OPTIONS && w.kind == PJRT_WIRE_BYTES) options = (const char *)w.bytes, options_size = w.size;
    pjrt_executable *x;
    pjrt_error *e = pjrt_executable_new(options, options ? options_size : 0, &x);
    if (e) return e;
    e = read_executable(bytes, size, x);
    if (!e) e = read_layouts(bytes, size, x);
    if (!e) e = pjrt_executable_note(x, NULL);
    if (!e) read_memories(bytes, size, x);
    if (e) pjrt_executable_release(x);
    else *out = x;
    return e;
}

pjrt_error *pjrt_Executable_DeserializeAndLoad(pjrt_Executable_DeserializeAndLoad_args *a) {
    pjrt_executable *x;
    const bool overridden = a->overridden_serialized_compile_options && a->overridden_serialized_compile_options_size;
    if (!a->serialized_executable) return damaged();
    pjrt_error *e = read(a->serialized_executable, a->serialized_executable_size,
                         overridden ? a->overridden_serialized_compile_options : NULL,
                         a->overridden_serialized_compile_options_size, &x);
    if (e) return e;
    e = pjrt_load(a->client, x, &a->loaded_executable);
    pjrt_executable_release(x);
    return e;
}
