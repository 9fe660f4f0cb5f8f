/* dot_run.c: matrix products by oneDNN, one thread each.
 *
 * A primitive is made once, with the program, and run by many threads: scratch memory is the caller's, memory objects are
 * made per call. Debian's oneDNN runs on OpenMP; a device is one thread, so each call asks for one.
 */
#include <oneapi/dnnl/dnnl.h>
#include "codegen/dot.h"

/* oneDNN brings its OpenMP runtime along; without one there is nothing to set. */
void omp_set_num_threads(int n) __attribute__((weak));

struct cg_dot_state {
    weft_allocator alloc;
    dnnl_engine_t engine;
    dnnl_primitive_t primitive;
    dnnl_memory_desc_t md[3], scratch;
    int64_t offset[3];
};

static void one_thread(void) {
    if (omp_set_num_threads) omp_set_num_threads(1);
}

static int describe(const cg_matmul *m, const cg_matrix *x, int64_t rows, int64_t columns, dnnl_memory_desc_t *md) {
    dnnl_dims_t dims, strides;
    int n = 0;
    for (uint32_t i = 0; i < m->batch_rank; i++) {
        if (m->batch[i] == 1) continue;
        dims[n] = m->batch[i];
        strides[n++] = x->batch[i];
    }
    dims[n] = rows;
    strides[n++] = rows > 1 ? x->row : x->column == 1 ? columns : 1;
    dims[n] = columns;
    strides[n++] = columns > 1 ? x->column : x->row == 1 ? rows : 1;
    return dnnl_memory_desc_init_by_strides(md, n, dims, dnnl_f32, strides) == dnnl_success ? n : 0;
}

static dnnl_status_t make_primitive(cg_dot_state *s) {
    dnnl_matmul_desc_t desc;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t st = dnnl_engine_create(&s->engine, dnnl_cpu, 0);
    if (st == dnnl_success) st = dnnl_matmul_desc_init(&desc, &s->md[0], &s->md[1], NULL, &s->md[2]);
    if (st == dnnl_success) st = dnnl_primitive_attr_create(&attr);
    if (st == dnnl_success) st = dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    if (st == dnnl_success) st = dnnl_primitive_desc_create(&pd, &desc, attr, s->engine, NULL);
    if (st == dnnl_success) {
        s->scratch = *dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
        st = dnnl_primitive_create(&s->primitive, pd);
    }
    if (pd) dnnl_primitive_desc_destroy(pd);
    if (attr) dnnl_primitive_attr_destroy(attr);
    return st;
}

weft_status cg_dot_make(weft_context *cx, const cg_matmul *m, const weft_loc *loc, cg_dot_state **out, int64_t *scratch_bytes) {
    cg_dot_state *s = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *s);
    if (!s) return weft_oom();
    memset(s, 0, sizeof *s);
    s->alloc = cx->alloc;
    s->offset[0] = m->a.offset;
    s->offset[1] = m->b.offset;
    one_thread(); /* the primitive divides its work by the threads that it finds now */
    dnnl_status_t st = dnnl_invalid_arguments;
    if (describe(m, &m->a, m->m, m->k, &s->md[0]) && describe(m, &m->b, m->k, m->n, &s->md[1]) && describe(m, &m->c, m->m, m->n, &s->md[2]))
        st = make_primitive(s);
    if (st != dnnl_success) {
        cg_dot_free(s);
        return weft_report(cx, WEFT_D_unsupported, loc, "oneDNN cannot multiply these shapes (status %d)", (int)st);
    }
    *scratch_bytes = (int64_t)dnnl_memory_desc_get_size(&s->scratch);
    *out = s;
    return WEFT_OK;
}

void cg_dot_free(cg_dot_state *s) {
    if (!s) return;
    if (s->primitive) dnnl_primitive_destroy(s->primitive);
    if (s->engine) dnnl_engine_destroy(s->engine);
    s->alloc.resize(s->alloc.user, s, sizeof *s, 0);
}

weft_status cg_dot_run(const void *state, void *const *buffers, const weft_run_env *env) {
    static const int which[4] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD };
    const cg_dot_state *s = state;
    dnnl_memory_t memory[4] = { 0 };
    dnnl_exec_arg_t args[4];
    dnnl_stream_t stream = NULL;
    (void)env;
    one_thread();
    dnnl_status_t st = dnnl_stream_create(&stream, s->engine, dnnl_stream_default_flags);
    for (int i = 0; i < 4 && st == dnnl_success; i++) {
        void *p = i < 3 ? (float *)buffers[i] + s->offset[i] : buffers[3];
        st = dnnl_memory_create(&memory[i], i < 3 ? &s->md[i] : &s->scratch, s->engine, p);
        args[i] = (dnnl_exec_arg_t){ which[i], memory[i] };
    }
    if (st == dnnl_success) st = dnnl_primitive_execute(s->primitive, stream, 4, args);
    if (st == dnnl_success) st = dnnl_stream_wait(stream);
    for (int i = 0; i < 4; i++)
        if (memory[i]) dnnl_memory_destroy(memory[i]);
    if (stream) dnnl_stream_destroy(stream);
    return st == dnnl_success ? WEFT_OK : st == dnnl_out_of_memory ? WEFT_ERR_MEMORY : WEFT_ERR_INTERNAL;
}
