/* tune_rates.c: see tune_rates.h. Each rate is that of the fastest of some steps of a program: a product of square
 * matrices, or a sum of arrays that no cache holds. Other programs take the same ways through libraries and compiler.
 */
#include "tool/tune_rates.h"

#include <math.h>
#include "pipeline/pipeline.h"
#include "runtime/execute.h"

enum {
    ORDER = 1024,              /* of matrices: packing and the ends of blocks are some percent of that */
    ELEMS = 1 << 24,           /* of each of three arrays: 64 MiB */
    MOST_STEPS = 20
};
static const double enough_s = 0.3; /* of a program's steps after the first */

/* The shortest of its steps; the first touches memory and is left out. */
static weft_status time_steps(weft_session *s, double *out) {
    weft_status st = weft_session_step(s);
    double spent_s = 0;
    *out = INFINITY;
    for (int i = 0; i < MOST_STEPS && spent_s < enough_s && st == WEFT_OK; i++) {
        const double start_s = tool_now_s();
        st = weft_session_step(s);
        const double took_s = fmax(tool_now_s() - start_s, 1e-9);
        *out = fmin(*out, took_s);
        spent_s += took_s;
    }
    return st;
}

static weft_status run(weft_context *cx, const weft_built_program *p, int threads, double *step_s) {
    const weft_session_options so = { .processes = { .processes = 1, .threads = threads }, .exec = p->exec,
                                      .args = p->arg_layouts, .results = p->result_layouts, .here = true };
    const weft_fill fill = { .kind = WEFT_FILL_UNIFORM, .scale = 1 };
    weft_session *s;
    bool speaker;
    weft_status st = weft_session_open(cx, &so, &speaker, &s);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < p->exec->arg_count && st == WEFT_OK; i++) st = weft_session_fill(s, i, &fill);
    if (st == WEFT_OK) st = time_steps(s, step_s);
    weft_session_close(s);
    return st;
}

static weft_status measure(tool *t, const char *text, int threads, double *step_s) {
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    const weft_build_options opt = { .devices = 1 };
    weft_status st = weft_read_text(t->cx, weft_str_from(text), "weft tune", 0, &m);
    if (st == WEFT_OK) st = weft_program_build(t->cx, m, &opt, &p);
    if (st == WEFT_OK) st = run(t->cx, p, threads, step_s);
    weft_built_program_free(p);
    weft_module_free(m);
    return st;
}

static weft_status product(tool *t, const char *type, double *rate) {
    char text[512];
    double step_s;
    (void)snprintf(text, sizeof text,
                   "func.func @main(%%a: tensor<%dx%dx%s>, %%b: tensor<%dx%dx%s>) -> tensor<%dx%dx%s> {\n"
                   "  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0]\n"
                   "    : (tensor<%dx%dx%s>, tensor<%dx%dx%s>) -> tensor<%dx%dx%s>\n"
                   "  return %%0 : tensor<%dx%dx%s>\n}\n",
                   ORDER, ORDER, type, ORDER, ORDER, type, ORDER, ORDER, type, ORDER, ORDER, type, ORDER, ORDER, type,
                   ORDER, ORDER, type, ORDER, ORDER, type);
    const weft_status st = measure(t, text, 1, &step_s);
    if (st == WEFT_OK) *rate = 2.0 * ORDER * ORDER * ORDER / step_s;
    return st;
}

static weft_status memory(tool *t, int threads, double *rate) {
    char text[256];
    double step_s;
    (void)snprintf(text, sizeof text,
                   "func.func @main(%%a: tensor<%dxf32>, %%b: tensor<%dxf32>) -> tensor<%dxf32> {\n"
                   "  %%0 = stablehlo.add %%a, %%b : tensor<%dxf32>\n"
                   "  return %%0 : tensor<%dxf32>\n}\n",
                   ELEMS, ELEMS, ELEMS, ELEMS, ELEMS);
    const weft_status st = measure(t, text, threads, &step_s);
    if (st == WEFT_OK) *rate = 3.0 * ELEMS * sizeof(float) / step_s;
    return st;
}

weft_status tool_tune_rates(tool *t, int cores, weft_tune_rates *out) {
    weft_status st = WEFT_OK;
    for (int i = 0; i < WEFT_TUNE_PRODUCTS && st == WEFT_OK; i++)
        st = product(t, weft_tune_product_name((weft_tune_product)i), &out->product_flops_per_s[i]);
    if (st == WEFT_OK) st = memory(t, 1, &out->core_bytes_per_s);
    if (st != WEFT_OK || cores < 2) return st;
    st = memory(t, cores, &out->node_bytes_per_s);
    out->node_bytes_per_s = fmax(out->node_bytes_per_s, out->core_bytes_per_s);
    return st;
}
