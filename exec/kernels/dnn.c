/* dnn.c: lists of oneDNN primitives: made, run, freed.
 *
 * Debian's oneDNN runs on OpenMP; a device is one thread, so making and running each ask for one (threads.h).
 */
#include <pthread.h>
#include <stdlib.h>
#include "base/context.h"
#include "exec/kernels/conv_zeros.h"
#include "exec/kernels/dnn.h"
#include "exec/kernels/dnn_blas.h"
#include "exec/kernels/dnn_recode.h"
#include "exec/kernels/threads.h"

enum { MAX_STAGES = 8, MAX_ARGS = 4 };

typedef struct stage {
    enum { PRIMITIVE, CONVERT, BLAS } kind;
    dnnl_primitive_t primitive;
    weft_recode convert;     /* from arg[0] to arg[1] */
    weft_blas_product blas;  /* of arg[0] and arg[1] to arg[2] */
    weft_dnn_arg arg[MAX_ARGS];
    uint32_t arg_count;
} stage;

/* Scratch memory of a thread where the plan gives too little: WEFT_BUFFER_ALIGN bytes, of which this is the beginning,
 * then scratch_bytes. */
typedef struct workspace { struct workspace *next; } workspace;

struct weft_library {
    weft_allocator alloc;
    dnnl_engine_t engine;
    weft_mds mds;
    stage stages[MAX_STAGES];
    uint32_t count;
    int64_t scratch_bytes, planned_bytes;
    pthread_mutex_t lock;
    workspace *spare;             /* those that no thread uses now */
    bool is_reference, is_older;
    weft_conv_task zeros;           /* where has_zeros */
    int64_t zeros_at;             /* in scratch memory */
    bool has_zeros;
};

weft_library *weft_dnn_new(weft_context *cx, int64_t planned, dnnl_status_t *st) {
    weft_library *s = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *s);
    *st = dnnl_out_of_memory;
    if (!s) return NULL;
    memset(s, 0, sizeof *s);
    s->alloc = cx->alloc;
    s->planned_bytes = planned;
    pthread_mutex_init(&s->lock, NULL);
    *st = dnnl_engine_create(&s->engine, dnnl_cpu, 0);
    if (*st == dnnl_success) return s;
    weft_library_free(s);
    return NULL;
}

dnnl_engine_t weft_dnn_engine(const weft_library *s) { return s->engine; }
weft_mds *weft_dnn_mds(weft_library *s) { return &s->mds; }
bool weft_library_is_reference(const weft_library *s) { return s->is_reference; }
bool weft_library_is_older(const weft_library *s) { return s->is_older; }
bool weft_library_is_blas(const weft_library *s) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->stages[i].kind == BLAS) return true;
    return false;
}
int64_t weft_library_scratch_bytes(const weft_library *s) { return s->scratch_bytes; }
int64_t weft_library_workspace_bytes(const weft_library *s) {
    return s->scratch_bytes > s->planned_bytes ? s->scratch_bytes : 0;
}

void weft_library_free(weft_library *s) {
    if (!s) return;
    for (workspace *w = s->spare, *next; w; w = next) next = w->next, free(w);
    pthread_mutex_destroy(&s->lock);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->stages[i].primitive) dnnl_primitive_destroy(s->stages[i].primitive);
    weft_mds_free(&s->mds);
    if (s->engine) dnnl_engine_destroy(s->engine);
    s->alloc.resize(s->alloc.user, s, sizeof *s, 0);
}

dnnl_status_t weft_dnn_attr(dnnl_primitive_attr_t *out) {
    dnnl_status_t st = dnnl_primitive_attr_create(out);
    return st == dnnl_success ? dnnl_primitive_attr_set_scratchpad_mode(*out, dnnl_scratchpad_mode_user) : st;
}

int64_t weft_dnn_room(weft_library *s, int64_t bytes) {
    const int64_t at = s->scratch_bytes;
    s->scratch_bytes += (bytes + WEFT_BUFFER_ALIGN - 1) / WEFT_BUFFER_ALIGN * WEFT_BUFFER_ALIGN;
    return at;
}

void weft_dnn_add_zeros(weft_library *s, const weft_conv_task *c) {
    const int64_t bytes = weft_conv_zeros_room(c);
    if (!bytes) return;
    s->zeros = *c;
    s->has_zeros = true;
    s->zeros_at = weft_dnn_room(s, bytes);
}

dnnl_status_t weft_dnn_add(weft_library *s, const_dnnl_primitive_desc_t pd, const weft_dnn_arg *args, uint32_t n) {
    stage *g = &s->stages[s->count];
    if (s->count == MAX_STAGES || n >= MAX_ARGS) return dnnl_runtime_error;
    const weft_md_ref scratch = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    dnnl_status_t st = dnnl_primitive_create(&g->primitive, pd);
    if (st != dnnl_success) return st;
    memcpy(g->arg, args, n * sizeof *args);
    g->arg_count = n;
    s->count++;
    s->is_reference |= weft_pd_is_by(pd, "ref");
    s->is_older |= weft_pd_is_by(pd, "gemm");
    const int64_t bytes = scratch ? (int64_t)dnnl_memory_desc_get_size(scratch) : 0;
    if (!bytes) return dnnl_success;
    weft_dnn_arg room = { .id = DNNL_ARG_SCRATCHPAD, .buffer = WEFT_LIBRARY_SCRATCH,
                          .offset = weft_dnn_room(s, bytes) };
    st = weft_md_keep(&s->mds, scratch, &room.md);
    g->arg[g->arg_count++] = room;
    return st;
}

static dnnl_status_t reorder(weft_library *s, const weft_dnn_arg *from, const weft_dnn_arg *to) {
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    weft_dnn_arg args[2] = { *from, *to };
    args[0].id = DNNL_ARG_FROM, args[1].id = DNNL_ARG_TO;
    dnnl_status_t st = weft_dnn_attr(&attr);
    if (st == dnnl_success)
        st = dnnl_reorder_primitive_desc_create(&pd, weft_md_ref_of(&from->md), s->engine, weft_md_ref_of(&to->md),
                                                s->engine, attr);
    if (st == dnnl_success) st = weft_dnn_add(s, pd, args, 2);
    if (pd) dnnl_primitive_desc_destroy(pd);
    if (attr) dnnl_primitive_attr_destroy(attr);
    return st;
}

static dnnl_status_t convert(weft_library *s, const weft_dnn_arg *from, const weft_dnn_arg *to) {
    stage *g = &s->stages[s->count];
    if (s->count == MAX_STAGES || !weft_recode_of(&from->md, &to->md, &g->convert)) return dnnl_runtime_error;
    g->kind = CONVERT;
    g->arg[0] = *from, g->arg[1] = *to;
    g->arg_count = 2;
    s->count++;
    return dnnl_success;
}

dnnl_status_t weft_dnn_add_blas(weft_library *s, const struct weft_blas_product *p, const weft_dnn_arg args[3]) {
    stage *g = &s->stages[s->count];
    if (s->count == MAX_STAGES) return dnnl_runtime_error;
    g->kind = BLAS;
    g->blas = *p;
    s->is_older = true;
    memcpy(g->arg, args, 3 * sizeof *args);
    g->arg_count = 3;
    s->count++;
    return dnnl_success;
}

/* x's elements side by side, in x's order, as f32. */
static dnnl_status_t dense(weft_library *s, const weft_md *x, weft_md *out) {
    const weft_md_view v = weft_md_look(x);
    dnnl_dims_t strides;
    dnnl_dim_t step = 1;
    bool done[DNNL_MAX_NDIMS] = { false };
    for (int i = 0; i < v.n; i++) { /* the shortest step first, of equal ones the last dimension */
        int next = -1;
        for (int d = v.n; d-- > 0;)
            if (!done[d] && (next < 0 || v.strides[d] < v.strides[next])) next = d;
        done[next] = true;
        strides[next] = step;
        step *= v.dims[next];
    }
    return weft_md_strided(&s->mds, v.n, v.dims, dnnl_f32, strides, out);
}

/* oneDNN converts slowly where there is no AVX-512, so that is done here, in strides; blocks are made of, or taken
 * apart to, f32. */
dnnl_status_t weft_dnn_copy(weft_library *s, const weft_dnn_arg *from, const weft_dnn_arg *to) {
    const weft_md_view a = weft_md_look(&from->md), b = weft_md_look(&to->md);
    if (a.type == b.type || (a.blocks && b.blocks)) return reorder(s, from, to);
    if (!a.blocks && !b.blocks) return convert(s, from, to);
    const bool apart = a.blocks;
    const weft_dnn_arg *plain = apart ? to : from;
    if ((apart ? a : b).type != dnnl_f32) return reorder(s, from, to);
    weft_dnn_arg wide = { .buffer = WEFT_LIBRARY_SCRATCH };
    dnnl_status_t st = dense(s, &plain->md, &wide.md);
    if (st != dnnl_success) return st;
    wide.offset = weft_dnn_room(s, (int64_t)dnnl_memory_desc_get_size(weft_md_ref_of(&wide.md)));
    st = apart ? reorder(s, from, &wide) : convert(s, from, &wide);
    if (st != dnnl_success) return st;
    return apart ? convert(s, &wide, to) : reorder(s, &wide, to);
}

weft_status weft_dnn_check_count(weft_context *cx, const char *what, int64_t most, const weft_loc *loc) {
    if (most <= INT32_MAX) return WEFT_OK;
    return weft_report(cx, WEFT_D_unsupported, loc,
                       "this %s has 2^31 elements or more along a dimension of a device's part, and oneDNN counts in "
                       "32 bits; shard that dimension over more devices",
                       what);
}

bool weft_dnn_data_type(weft_dtype t, dnnl_data_type_t *out) {
    *out = t == WEFT_BF16 ? dnnl_bf16 : dnnl_f32;
    return t == WEFT_BF16 || t == WEFT_F32;
}

bool weft_dnn_multiplies_bf16(void) {
    return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_bf16) == dnnl_cpu_isa_avx512_core_bf16;
}

static void *place_of(const weft_dnn_arg *a, void *const *buffers) { return (char *)buffers[a->buffer] + a->offset; }

static dnnl_status_t run_stage(const weft_library *s, const stage *g, dnnl_stream_t stream, void *const *buffers) {
    void *at[MAX_ARGS];
    for (uint32_t i = 0; i < g->arg_count; i++) at[i] = place_of(&g->arg[i], buffers);
    if (g->kind == CONVERT) weft_recode_run(&g->convert, at[0], at[1]);
    if (g->kind == BLAS) weft_blas_product_run(&g->blas, at[0], at[1], at[2]);
    if (g->kind != PRIMITIVE) return dnnl_success;
    dnnl_memory_t memory[MAX_ARGS] = { 0 };
    dnnl_exec_arg_t args[MAX_ARGS];
    dnnl_status_t st = dnnl_success;
    for (uint32_t i = 0; i < g->arg_count && st == dnnl_success; i++) {
        st = dnnl_memory_create(&memory[i], weft_md_ref_of(&g->arg[i].md), s->engine, at[i]);
        args[i] = (dnnl_exec_arg_t){ g->arg[i].id, memory[i] };
    }
    if (st == dnnl_success) st = dnnl_primitive_execute(g->primitive, stream, (int)g->arg_count, args);
    if (st == dnnl_success) st = dnnl_stream_wait(stream);
    for (uint32_t i = 0; i < g->arg_count; i++)
        if (memory[i]) dnnl_memory_destroy(memory[i]);
    return st;
}

/* Kept for the next run: new memory costs a page fault for every 4 KiB. */
static workspace *take_workspace(weft_library *s) {
    pthread_mutex_lock(&s->lock);
    workspace *w = s->spare;
    if (w) s->spare = w->next;
    pthread_mutex_unlock(&s->lock);
    return w ? w : aligned_alloc(WEFT_BUFFER_ALIGN, WEFT_BUFFER_ALIGN + (size_t)s->scratch_bytes);
}

static void give_workspace(weft_library *s, workspace *w) {
    pthread_mutex_lock(&s->lock);
    w->next = s->spare;
    s->spare = w;
    pthread_mutex_unlock(&s->lock);
}

static weft_status run_all(const weft_library *s, void *const *buffers) {
    dnnl_stream_t stream = NULL;
    int threads = weft_threads_take_one();
    dnnl_status_t st = dnnl_stream_create(&stream, s->engine, dnnl_stream_default_flags);
    for (uint32_t i = 0; i < s->count && st == dnnl_success; i++) st = run_stage(s, &s->stages[i], stream, buffers);
    if (stream) dnnl_stream_destroy(stream);
    weft_threads_give(threads);
    if (st == dnnl_success && s->has_zeros)
        weft_conv_zeros(&s->zeros, buffers, (uint8_t *)buffers[WEFT_LIBRARY_SCRATCH] + s->zeros_at);
    return st == dnnl_success ? WEFT_OK : st == dnnl_out_of_memory ? WEFT_ERR_MEMORY : WEFT_ERR_INTERNAL;
}

weft_status weft_library_run(weft_library *s, void *const *buffers) {
    if (!weft_library_workspace_bytes(s)) return run_all(s, buffers);
    workspace *w = take_workspace(s);
    if (!w) return WEFT_ERR_MEMORY;
    void *own[WEFT_LIBRARY_BUFFERS];
    memcpy(own, buffers, sizeof own);
    own[WEFT_LIBRARY_SCRATCH] = (char *)w + WEFT_BUFFER_ALIGN;
    const weft_status st = run_all(s, own);
    give_workspace(s, w);
    return st;
}
