/* pipeline.c: a model of stages, one on each device, trained as a pipeline, from C.
 *
 *     cc -I.. pipeline.c $(pkg-config --cflags --libs weft) -lm -o pipeline
 *     ./pipeline                                   # four stages, threads of one process
 *     mpirun -n 4 ./pipeline                       # four processes of one device each
 *     ./pipeline 2                                 # two stages
 *
 * A batch is split into MICRO micro-batches. In each tick a stage works on one of them and passes what it has on to the
 * next stage, by a collective_permute. What a stage does is the body of an sdy.manual_computation: a program for one
 * device, which sees its own part of the stacked parameters. Two schedules:
 *
 *   gpipe   all forward passes, then all backward ones, which weft_graph_gradients makes of the forward loop. Each
 *           stage keeps something of all micro-batches (Huang et al., GPipe, 2019).
 *   1f1b    a backward pass in each tick too, as soon as the last stage is done with a micro-batch: the gradients of a
 *           stage are made in the body, and what arrives from the next stage is passed back to the one before. A stage
 *           keeps the inputs of at most 2 STAGES - 1 micro-batches, and computes its forward pass again (Narayanan et
 *           al., PipeDream, 2019).
 *
 * The losses are compared with those of the same model without a pipeline: exit status 1 where they differ.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/gradients.h>
#include <weft/ops.h>

#include "examples/example.h"

enum { MICRO = 8, ROWS = 4, WIDTH = 16, HIDDEN = 32, STEPS = 60, MOST_STAGES = 64 };
#define RATE 0.2

typedef struct pipeline {
    int64_t stages;
    weft_tensor *stage;                  /* in the region: this device's number, i32 */
    weft_tensor *w[2], *x, *y;           /* its weights [width, hidden], [hidden, width]; all micro-batches */
    const char *on, *back;               /* attributes of the permutes to the next stage and the one before */
} pipeline;

/* ---- the model ---- */

/* One stage: a block with a residual. */
static weft_tensor *block(weft_graph *g, weft_tensor *h, weft_tensor *const w[2]) {
    weft_tensor *inner = weft_graph_tanh(g, weft_graph_einsum(g, "bi,ij->bj", h, w[0]));
    return weft_graph_add(g, h, weft_graph_einsum(g, "bj,ji->bi", inner, w[1]));
}

static weft_tensor *mean_error(weft_graph *g, weft_tensor *out, weft_tensor *y) {
    weft_tensor *d = weft_graph_subtract(g, out, y);
    return weft_graph_scale(g, weft_graph_reduce(g, "add", weft_graph_multiply(g, d, d), WEFT_DIMS(0, 1)),
                            1.0 / (ROWS * WIDTH));
}

/* ---- small things ---- */

static weft_tensor *number(weft_graph *g, int64_t v) { return weft_graph_fill(g, "i32", (double)v); }
static weft_tensor *plus(weft_graph *g, weft_tensor *i, int64_t v) { return weft_graph_add(g, i, number(g, v)); }

/* Micro-batch i of all [n, rows, width]; an i outside of them takes the nearest. */
static weft_tensor *micro(weft_graph *g, weft_tensor *all, weft_tensor *i) {
    weft_tensor *const at[] = { i, number(g, 0), number(g, 0) };
    return weft_graph_reshape(g, weft_graph_dynamic_slice(g, all, at, WEFT_DIMS(1, ROWS, WIDTH)),
                              WEFT_DIMS(ROWS, WIDTH));
}

/* Whether i is the number of a micro-batch. */
static weft_tensor *is_micro(weft_graph *g, weft_tensor *i) {
    return weft_graph_and(g, weft_graph_compare(g, "GE", i, number(g, 0)),
                          weft_graph_compare(g, "LT", i, number(g, MICRO)));
}

static weft_tensor *is_stage(weft_graph *g, const pipeline *p, int64_t i) {
    return weft_graph_compare(g, "EQ", p->stage, number(g, i));
}

static weft_tensor *if_true(weft_graph *g, weft_tensor *yes, weft_tensor *x) {
    return weft_graph_select(g, yes, x, weft_graph_fill_like(g, x, 0));
}

static weft_tensor *permute(weft_graph *g, weft_tensor *x, const char *pairs) {
    weft_tensor *out = NULL;
    weft_graph_op(g, "stablehlo.collective_permute", &x, 1, pairs, NULL, &out, 1);
    return out;
}

/* The sum over all stages, which each of them has. */
static void add(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_add(g, x[0], x[1]);
}

static weft_tensor *over_stages(weft_graph *g, const pipeline *p, weft_tensor *x) {
    char attributes[32 * MOST_STAGES];
    size_t n = (size_t)snprintf(attributes, sizeof attributes, "{replica_groups = dense<[[");
    for (int64_t i = 0; i < p->stages; i++)
        n += (size_t)snprintf(attributes + n, sizeof attributes - n, "%s%lld", i ? ", " : "", (long long)i);
    snprintf(attributes + n, sizeof attributes - n, "]]> : tensor<1x%lldxi64>, use_global_device_ids, "
             "channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}", (long long)p->stages);
    const weft_op_region sum = { "f32; f32", 1, add, NULL };
    weft_tensor *out = NULL;
    weft_graph_op_with(g, "stablehlo.all_reduce", &x, 1, attributes, "f32", &sum, 1, &out, 1);
    return out;
}

/* ---- GPipe ---- */

enum { G_IN, G_LOSS, G_CARRIED }; /* what comes from the stage before; the sum of losses, on the last stage */

static void gpipe_tick(weft_graph *g, weft_tensor *const *v, weft_tensor **y, void *user) {
    const pipeline *p = user;
    weft_tensor *const *carried = v + 1, *tick = weft_graph_convert(g, v[0], "i32");
    weft_tensor *done = plus(g, tick, 1 - p->stages);
    weft_tensor *in = weft_graph_select(g, is_stage(g, p, 0), micro(g, p->x, tick), carried[G_IN]);
    weft_tensor *out = block(g, in, p->w);
    weft_tensor *counts = weft_graph_and(g, is_stage(g, p, p->stages - 1), is_micro(g, done));
    y[G_LOSS] = weft_graph_add(g, carried[G_LOSS], if_true(g, counts, mean_error(g, out, micro(g, p->y, done))));
    y[G_IN] = permute(g, out, p->on);
}

static void gpipe(weft_graph *g, pipeline *p, weft_tensor **y) {
    weft_tensor *init[G_CARRIED] = { [G_IN] = weft_graph_fill_like(g, micro(g, p->x, number(g, 0)), 0),
                                     [G_LOSS] = weft_graph_fill(g, "f32", 0) }, *out[G_CARRIED];
    weft_graph_for(g, 0, MICRO + p->stages - 1, 1, init, G_CARRIED, gpipe_tick, p, out);
    y[0] = weft_graph_scale(g, over_stages(g, p, out[G_LOSS]), 1.0 / MICRO);
}

/* ---- 1F1B ---- */

enum { F_IN, F_BACK, F_KEPT, F_LOSS, F_GRADIENT, F_CARRIED = F_GRADIENT + 2 };

/* The place of a micro-batch among those that are kept. */
static weft_tensor *slot(weft_graph *g, const pipeline *p, weft_tensor *i) {
    const int64_t kept = 2 * p->stages - 1;
    return weft_graph_remainder(g, plus(g, i, kept), number(g, kept));
}

static void one_f_one_b_tick(weft_graph *g, weft_tensor *const *v, weft_tensor **y, void *user) {
    const pipeline *p = user;
    weft_tensor *const *carried = v + 1, *tick = weft_graph_convert(g, v[0], "i32"), *zero = number(g, 0);
    weft_tensor *forth = weft_graph_subtract(g, tick, p->stage);
    weft_tensor *back = weft_graph_add(g, plus(g, tick, -2 * (p->stages - 1)), p->stage);

    weft_tensor *in = weft_graph_select(g, is_stage(g, p, 0), micro(g, p->x, forth), carried[F_IN]);
    weft_tensor *const at[] = { slot(g, p, forth), zero, zero };
    weft_tensor *row = weft_graph_reshape(g, in, WEFT_DIMS(1, ROWS, WIDTH));
    weft_tensor *kept = weft_graph_dynamic_update(g, carried[F_KEPT], row, at);
    y[F_IN] = permute(g, block(g, in, p->w), p->on);
    y[F_KEPT] = weft_graph_select(g, is_micro(g, forth), kept, carried[F_KEPT]);

    /* The last stage has the loss; of another one the product of its result and what came back has the gradients. */
    weft_tensor *of[3] = { micro(g, y[F_KEPT], slot(g, p, back)), p->w[0], p->w[1] }, *d[3];
    weft_tensor *again = block(g, of[0], p->w), *error = mean_error(g, again, micro(g, p->y, back));
    weft_tensor *product = weft_graph_reduce(g, "add", weft_graph_multiply(g, again, carried[F_BACK]), WEFT_DIMS(0, 1));
    weft_tensor *is_last = is_stage(g, p, p->stages - 1);
    weft_graph_gradients(g, weft_graph_select(g, is_last, error, product), of, 3, d);
    y[F_BACK] = permute(g, d[0], p->back);
    weft_tensor *counts = is_micro(g, back);
    for (int k = 0; k < 2; k++)
        y[F_GRADIENT + k] = weft_graph_add(g, carried[F_GRADIENT + k], if_true(g, counts, d[1 + k]));
    y[F_LOSS] = weft_graph_add(g, carried[F_LOSS], if_true(g, weft_graph_and(g, is_last, counts), error));
}

static void one_f_one_b(weft_graph *g, pipeline *p, weft_tensor **y) {
    char kept[64];
    snprintf(kept, sizeof kept, "%lldx%dx%dxf32", (long long)(2 * p->stages - 1), ROWS, WIDTH);
    weft_tensor *none = weft_graph_fill_like(g, micro(g, p->x, number(g, 0)), 0);
    weft_tensor *init[F_CARRIED] = { none, none, weft_graph_fill(g, kept, 0), weft_graph_fill(g, "f32", 0),
                                     weft_graph_fill_like(g, p->w[0], 0), weft_graph_fill_like(g, p->w[1], 0) };
    weft_tensor *out[F_CARRIED];
    weft_graph_for(g, 0, MICRO + 2 * (p->stages - 1), 1, init, F_CARRIED, one_f_one_b_tick, p, out);
    y[0] = weft_graph_scale(g, over_stages(g, p, out[F_LOSS]), 1.0 / MICRO);
    y[1] = weft_graph_reshape(g, weft_graph_scale(g, out[F_GRADIENT], 1.0 / MICRO), WEFT_DIMS(1, WIDTH, HIDDEN));
    y[2] = weft_graph_reshape(g, weft_graph_scale(g, out[F_GRADIENT + 1], 1.0 / MICRO), WEFT_DIMS(1, HIDDEN, WIDTH));
}

/* ---- the region of one device ---- */

typedef enum schedule { PLAIN, GPIPE, ONE_F_ONE_B } schedule;
typedef struct region { pipeline p; schedule how; } region;

static void on_device(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    region *r = user;
    r->p.stage = weft_graph_reshape(g, x[0], WEFT_NO_DIMS);
    r->p.w[0] = weft_graph_reshape(g, x[1], WEFT_DIMS(WIDTH, HIDDEN));
    r->p.w[1] = weft_graph_reshape(g, x[2], WEFT_DIMS(HIDDEN, WIDTH));
    r->p.x = x[3];
    r->p.y = x[4];
    if (r->how == GPIPE) gpipe(g, &r->p, y);
    else one_f_one_b(g, &r->p, y);
}

/* "{source_target_pairs = dense<[[0, 1], [1, 2]]> ...}", or the other way. */
static void write_pairs(char *to, size_t room, int64_t stages, int back) {
    size_t n = (size_t)snprintf(to, room, "{source_target_pairs = dense<[");
    for (int64_t i = 0; i + 1 < stages; i++)
        n += (size_t)snprintf(to + n, room - n, "%s[%lld, %lld]", i ? ", " : "", (long long)(i + back),
                              (long long)(i + !back));
    snprintf(to + n, room - n, "]> : tensor<%lldx2xi64>, "
             "channel_handle = #stablehlo.channel_handle<handle = %d, type = 1>}", (long long)(stages - 1), 1 + back);
}

/* The loss, and of 1F1B the gradients of the weights w, [stages, ...]. */
static void pipelined(weft_graph *g, int64_t stages, schedule how, weft_tensor *const w[2], weft_tensor *x,
                      weft_tensor *y, weft_tensor **out) {
    static const char *const split = "<@mesh, [{\"stage\"}, {}, {}]>", *const whole = "<@mesh, [{}, {}, {}]>";
    char on[32 * MOST_STAGES], back[32 * MOST_STAGES], attributes[512], type[32], arguments[256];
    region r = { .p = { .stages = stages, .on = on, .back = back }, .how = how };
    write_pairs(on, sizeof on, stages, 0);
    write_pairs(back, sizeof back, stages, 1);
    snprintf(type, sizeof type, "%lldxi32", (long long)stages);
    snprintf(arguments, sizeof arguments, "1xi32; 1x%dx%dxf32; 1x%dx%dxf32; %dx%dx%dxf32; %dx%dx%dxf32", WIDTH, HIDDEN,
             HIDDEN, WIDTH, MICRO, ROWS, WIDTH, MICRO, ROWS, WIDTH);
    snprintf(attributes, sizeof attributes,
             "{in_shardings = #sdy.sharding_per_value<[<@mesh, [{\"stage\"}]>, %s, %s, %s, %s]>, "
             "out_shardings = #sdy.sharding_per_value<[<@mesh, []>%s%s%s%s]>, manual_axes = #sdy<manual_axes{\"stage\"}>}",
             split, split, whole, whole, how == GPIPE ? "" : ", ", how == GPIPE ? "" : split, how == GPIPE ? "" : ", ",
             how == GPIPE ? "" : split);
    weft_tensor *const in[5] = { weft_graph_iota(g, type, 0), w[0], w[1], x, y };
    char results[128];
    snprintf(results, sizeof results, how == GPIPE ? "f32" : "f32; %lldx%dx%dxf32; %lldx%dx%dxf32", (long long)stages,
             WIDTH, HIDDEN, (long long)stages, HIDDEN, WIDTH);
    const weft_op_region body = { arguments, how == GPIPE ? 1 : 3, on_device, &r };
    weft_graph_op_with(g, "sdy.manual_computation", in, 5, attributes, results, &body, 1, out, body.results);
}

/* ---- the same without a pipeline ---- */

static void plain_stage(weft_graph *g, weft_tensor *const *v, weft_tensor **y, void *user) {
    (void)user;
    y[0] = block(g, v[0], v + 1);
}

static weft_tensor *plain(weft_graph *g, int64_t stages, weft_tensor *const w[2], weft_tensor *x, weft_tensor *y) {
    weft_tensor *h = weft_graph_reshape(g, x, WEFT_DIMS(MICRO * ROWS, WIDTH));
    weft_graph_scan(g, stages, &h, 1, w, 2, 0, plain_stage, NULL, &h);
    weft_tensor *d = weft_graph_subtract(g, weft_graph_reshape(g, h, WEFT_DIMS(MICRO, ROWS, WIDTH)), y);
    return weft_graph_scale(g, weft_graph_reduce(g, "add", weft_graph_multiply(g, d, d), WEFT_DIMS(0, 1, 2)),
                            1.0 / (MICRO * ROWS * WIDTH));
}

/* ---- training ---- */

static void build(weft_graph *g, int64_t stages, schedule how) {
    char axes[32], type[64];
    snprintf(axes, sizeof axes, "stage=%lld", (long long)stages);
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    snprintf(type, sizeof type, "%lldx%dx%dxf32", (long long)stages, WIDTH, HIDDEN);
    weft_tensor *w[2] = { weft_graph_input(g, "up", type), NULL }, *out[3] = { NULL };
    snprintf(type, sizeof type, "%lldx%dx%dxf32", (long long)stages, HIDDEN, WIDTH);
    w[1] = weft_graph_input(g, "down", type);
    snprintf(type, sizeof type, "%dx%dx%dxf32", MICRO, ROWS, WIDTH);
    weft_tensor *x = weft_graph_input(g, "x", type), *y = weft_graph_input(g, "y", type);
    for (int k = 0; k < 2 && how != PLAIN; k++) w[k] = weft_shard(g, w[k], mesh, "stage, -, -");
    if (how == PLAIN) out[0] = plain(g, stages, w, x, y);
    else pipelined(g, stages, how, w, x, y, out);
    if (how != ONE_F_ONE_B) weft_graph_gradients(g, out[0], w, 2, out + 1);
    for (int k = 0; k < 2; k++)
        weft_graph_update(g, w[k], weft_graph_subtract(g, w[k], weft_graph_scale(g, out[1 + k], RATE)));
    weft_graph_output(g, "loss", out[0]);
}

/* Numbers in [-most, most), the same on every process. */
static void fill(float *x, int64_t n, unsigned seed, double most) {
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(((seed >> 8) / 8388608.0 - 1) * most);
    }
}

static weft_status train(weft_context *cx, int64_t stages, schedule how, float *loss, int *process) {
    static float up[MOST_STAGES * WIDTH * HIDDEN], down[MOST_STAGES * HIDDEN * WIDTH], x[MICRO * ROWS * WIDTH],
        y[MICRO * ROWS * WIDTH];
    weft_graph *g = weft_graph_new(cx, "pipeline");
    weft_job *job = NULL;
    if (!g) return WEFT_ERR_MEMORY;
    fill(up, stages * WIDTH * HIDDEN, 1, 0.3);
    fill(down, stages * HIDDEN * WIDTH, 2, 0.3);
    fill(x, MICRO * ROWS * WIDTH, 3, 1);
    for (int i = 0; i < MICRO * ROWS * WIDTH; i++) y[i] = (float)sin(3.0 * x[i]);
    build(g, stages, how);
    weft_status st = weft_job_open(cx, g, NULL, &job);
    const size_t weights = (size_t)(stages * WIDTH * HIDDEN) * sizeof *up;
    if (st == WEFT_OK) st = weft_job_write(job, "up", up, weights);
    if (st == WEFT_OK) st = weft_job_write(job, "down", down, weights);
    if (st == WEFT_OK) st = weft_job_write(job, "x", x, sizeof x);
    if (st == WEFT_OK) st = weft_job_write(job, "y", y, sizeof y);
    for (int i = 0; i < STEPS && st == WEFT_OK; i++) {
        st = weft_job_step(job);
        if (st == WEFT_OK) st = weft_job_read(job, "loss", &loss[i], sizeof *loss);
    }
    *process = weft_job_process(job);
    weft_job_close(job);
    weft_graph_free(g);
    return st;
}

/* On process 0: whether the losses are those without a pipeline, up to the order of sums. */
static int compare(const float loss[3][STEPS]) {
    double apart[3] = { 0 };
    for (int i = 0; i < STEPS; i++)
        for (int how = GPIPE; how <= ONE_F_ONE_B; how++)
            apart[how] = fmax(apart[how], fabs(loss[how][i] - loss[PLAIN][i]) / loss[PLAIN][i]);
    printf("loss %.4f, after %d steps %.4f; apart from it: GPipe %.1g, 1F1B %.1g\n", loss[PLAIN][0], STEPS,
           loss[PLAIN][STEPS - 1], apart[GPIPE], apart[ONE_F_ONE_B]);
    return apart[GPIPE] < 1e-5 && apart[ONE_F_ONE_B] < 1e-5 && loss[PLAIN][STEPS - 1] < 0.7F * loss[PLAIN][0];
}

static const char help[] =
    "[STAGES]\n"
    "\n"
    "  STAGES  devices, each with a stage of the model, 2 to 64 (4)\n"
    "\n"
    "  pipeline 8                on threads of this process\n"
    "  mpirun -n 4 pipeline      four processes of one device each\n";

int main(int argc, char **argv) {
    const int ends = example_ends(argc, argv, 1, help);
    if (ends >= 0) return ends;
    const int64_t stages = argc > 1 ? strtoll(argv[1], NULL, 10) : 4;
    static float loss[3][STEPS];
    int process = 0;
    if (stages < 2 || stages > MOST_STAGES) {
        fprintf(stderr, "usage: pipeline [STAGES], 2 to %d of them\n", MOST_STAGES);
        return 2;
    }
    weft_context *cx = weft_context_new(NULL);
    weft_status st = cx ? WEFT_OK : WEFT_ERR_MEMORY;
    if (cx) weft_context_set_handler(cx, example_print, NULL);
    for (int how = PLAIN; how <= ONE_F_ONE_B && st == WEFT_OK; how++)
        st = train(cx, stages, (schedule)how, loss[how], &process);
    if (st == WEFT_OK && process == 0 && !compare(loss)) st = WEFT_ERR_MISMATCH;
    weft_context_free(cx);
    return st == WEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
