/* three.h: three programs that share buffers, by hand: initialise makes weights, train changes them, evaluate reads
 * them. The last two sum over all devices, and train fails on device 2 where its data says so. */
#ifndef WEFT_TESTS_RUNTIME_THREE_H
#define WEFT_TESTS_RUNTIME_THREE_H

#include "runtime/loaded_program.h"

enum { THREE_N = 1024, THREE_DEVICES = 4 };
#define THREE_FAIL (-1000.0f)

static weft_status three_initialise(const void *state, void *const *b, const weft_run_env *env) {
    (void)state;
    for (int i = 0; i < THREE_N; i++) ((float *)b[0])[i] = (float)env->partition_id + 1;
    return WEFT_OK;
}

/* b[0]: weights, which are w of the next step; b[1]: data; b[2]: this device's part of the loss */
static weft_status three_train(const void *state, void *const *b, const weft_run_env *env) {
    float *w = b[0], sum = 0;
    const float *x = b[1];
    (void)state;
    if (env->partition_id == 2 && x[0] == THREE_FAIL) return weft_step_fail(env, WEFT_ERR_INVALID, "bad data");
    for (int i = 0; i < THREE_N; i++) sum += w[i] += x[i];
    *(float *)b[2] = sum;
    return WEFT_OK;
}

static weft_status three_evaluate(const void *state, void *const *b, const weft_run_env *env) {
    const float *w = b[0];
    float sum = 0;
    (void)state, (void)env;
    for (int i = 0; i < THREE_N; i++) sum += w[i];
    *(float *)b[1] = sum;
    return WEFT_OK;
}

static const weft_kernel three_kernel_list[] = { { .name = "initialise", .run = three_initialise },
                                                 { .name = "train", .run = three_train },
                                                 { .name = "evaluate", .run = three_evaluate } };
static const weft_kernel *const three_kernel_table[] = { &three_kernel_list[0], &three_kernel_list[1],
                                                         &three_kernel_list[2] };
static const weft_kernel_set three_kernels = { three_kernel_table, 3, NULL };

#define THREE_BYTES (THREE_N * (int64_t)sizeof(float))
static const int64_t three_dims[] = { THREE_N }, three_sizes[] = { THREE_DEVICES };
static const weft_exec_mesh three_mesh = { three_sizes, 1, NULL, NULL };
static const weft_layout_axis three_axis[] = { { 1, THREE_DEVICES } };
static const weft_layout_dim three_cut_dims[] = { { THREE_DEVICES * THREE_N, THREE_N, three_axis, 1 } };
static const weft_layout three_cut = { WEFT_F32, 1, three_cut_dims, THREE_DEVICES, NULL, NULL, 0 },
                         three_scalar = { WEFT_F32, 0, NULL, THREE_DEVICES, NULL, NULL, 0 };
static const weft_layout three_two_cut[] = { { WEFT_F32, 1, three_cut_dims, THREE_DEVICES, NULL, NULL, 0 },
                                             { WEFT_F32, 1, three_cut_dims, THREE_DEVICES, NULL, NULL, 0 } },
                         three_cut_and_scalar[] = { { WEFT_F32, 1, three_cut_dims, THREE_DEVICES, NULL, NULL, 0 },
                                                    { WEFT_F32, 0, NULL, THREE_DEVICES, NULL, NULL, 0 } };
#define THREE_VECTOR(alias) { WEFT_F32, 1, three_dims, THREE_BYTES, alias, alias }
#define THREE_SCALAR        { WEFT_F32, 0, NULL, sizeof(float), -1, -1 }
static const weft_exec_value three_args[] = { THREE_VECTOR(-1), THREE_VECTOR(-1) },
                             three_weights[] = { THREE_VECTOR(-1) },
                             three_trained[] = { THREE_VECTOR(0), THREE_SCALAR }, three_loss[] = { THREE_SCALAR };

#define THREE_SLICE(space, index, bytes) { space, index, 0, bytes }
static const weft_slice three_of_initialise[] = { THREE_SLICE(WEFT_SPACE_RESULT, 0, THREE_BYTES) },
                        three_of_train[] = { THREE_SLICE(WEFT_SPACE_RESULT, 0, THREE_BYTES),
                                             THREE_SLICE(WEFT_SPACE_ARGUMENT, 1, THREE_BYTES),
                                             THREE_SLICE(WEFT_SPACE_RESULT, 1, sizeof(float)) },
                        three_of_evaluate[] = { THREE_SLICE(WEFT_SPACE_ARGUMENT, 0, THREE_BYTES),
                                                THREE_SLICE(WEFT_SPACE_RESULT, 0, sizeof(float)) };
static const weft_group_axis three_all = { 0, 1, THREE_DEVICES };
#define THREE_SUM(index)                                                                                           \
    { .in = THREE_SLICE(WEFT_SPACE_RESULT, index, sizeof(float)),                                                  \
      .out = THREE_SLICE(WEFT_SPACE_RESULT, index, sizeof(float)), .dtype = WEFT_F32, .outer = 1, .middle = 1,     \
      .inner = 1 }
static const weft_coll_operand three_sum_of[] = { THREE_SUM(0), THREE_SUM(1) };
#define THREE_REDUCE(operand)                                                                                      \
    { .kind = WEFT_PLAN_ALL_REDUCE,                                                                                \
      .group = { .size = THREE_DEVICES, .axes = &three_all, .axis_count = 1 }, .operands = operand,                \
      .operand_count = 1 }
static const weft_coll_step three_reduce[] = { THREE_REDUCE(&three_sum_of[0]), THREE_REDUCE(&three_sum_of[1]) };
#define THREE_CALL(which, slices_of, n)                                                                            \
    { .kind = WEFT_STEP_CALL, .code = { .kernel = which }, .slices = slices_of, .slice_count = n,                  \
      .loc = &weft_loc_unknown }
static const weft_step three_initialise_steps[] = { THREE_CALL("initialise", three_of_initialise, 1) },
                       three_train_steps[] = { THREE_CALL("train", three_of_train, 3),
                                               { .kind = WEFT_STEP_COLLECTIVE, .coll = &three_reduce[1],
                                                 .loc = &weft_loc_unknown } },
                       three_evaluate_steps[] = { THREE_CALL("evaluate", three_of_evaluate, 2),
                                                  { .kind = WEFT_STEP_COLLECTIVE, .coll = &three_reduce[0],
                                                    .loc = &weft_loc_unknown } };

#define THREE_PROGRAM(print)                                                                                       \
    .meshes = &three_mesh, .mesh_count = 1, .device_count = THREE_DEVICES, .partition_count = THREE_DEVICES,       \
    .fingerprint = print
static const weft_executable three_initialise_exec = { .results = three_weights, .result_count = 1,
                                                       .steps = three_initialise_steps, .step_count = 1,
                                                       THREE_PROGRAM(1) },
                             three_train_exec = { .args = three_args, .arg_count = 2, .results = three_trained,
                                                  .result_count = 2, .steps = three_train_steps, .step_count = 2,
                                                  .temp_bytes = 256, THREE_PROGRAM(2) },
                             three_evaluate_exec = { .args = three_args, .arg_count = 1, .results = three_loss,
                                                     .result_count = 1, .steps = three_evaluate_steps,
                                                     .step_count = 2, .temp_bytes = 4096, THREE_PROGRAM(3) };

typedef struct three {
    weft_client *client;
    weft_loaded_program *initialise, *train, *evaluate;
} three;

static inline weft_status three_load(weft_client *c, const weft_executable *x, const weft_layout *args,
                                     const weft_layout *results, weft_loaded_program **out) {
    bool speaker;
    const weft_load_options o = { .exec = x, .kernels = &three_kernels, .args = args, .results = results,
                                  .voices = WEFT_VOICES_EACH };
    return weft_client_load(c, &o, &speaker, out);
}

static inline weft_status three_open_as(weft_context *cx, const weft_client_setup *o, three *t) {
    *t = (three){ 0 };
    weft_status st = weft_client_start(cx, o, &t->client);
    if (st == WEFT_OK) st = three_load(t->client, &three_initialise_exec, NULL, &three_cut, &t->initialise);
    if (st == WEFT_OK) st = three_load(t->client, &three_train_exec, three_two_cut, three_cut_and_scalar, &t->train);
    if (st == WEFT_OK) st = three_load(t->client, &three_evaluate_exec, &three_cut, &three_scalar, &t->evaluate);
    return st;
}

static inline weft_status three_open(weft_context *cx, const weft_processes *p, three *t) {
    return three_open_as(cx, &(weft_client_setup){ .processes = *p, .devices = THREE_DEVICES }, t);
}

static inline void three_close(three *t) {
    weft_loaded_program_release(t->initialise);
    weft_loaded_program_release(t->train);
    weft_loaded_program_release(t->evaluate);
    weft_client_end(t->client);
}

/* Every element is v. */
static inline weft_status three_data(three *t, double v, weft_buffer **out) {
    return weft_buffer_fill(t->client, &three_cut, &(weft_fill){ WEFT_FILL_CONSTANT, v, 0 }, 0, out);
}

/* evaluate(w), on process 0. */
static inline weft_status three_loss_of(three *t, weft_buffer *w, float *loss) {
    weft_buffer *result;
    weft_status st = weft_loaded_program_execute(t->evaluate, &w, NULL, &result, NULL);
    if (st != WEFT_OK) return st;
    st = weft_buffer_get(result, &(weft_host_array){ .data = loss });
    weft_buffer_release(result);
    return st;
}

/* *w = train(*w, x), the loss released. */
static inline weft_status three_step(three *t, weft_buffer **w, weft_buffer *x, weft_event **done) {
    weft_buffer *in[] = { *w, x }, *out[2];
    weft_status st = weft_loaded_program_execute(t->train, in, NULL, out, done);
    if (st != WEFT_OK) return st;
    weft_buffer_release(*w);
    weft_buffer_release(out[1]);
    *w = out[0];
    return WEFT_OK;
}

/* The loss of initial weights after `steps` steps on data of `x`. */
static inline float three_expected(int steps, float x) {
    return (float)THREE_N * (10 + (float)THREE_DEVICES * (float)steps * x);
}

#endif
