/* Sessions over hand-made executables: steps, loops, branches, groups, feeding back, failures; no compiler involved. */
#include <stdio.h>
#include <stdlib.h>
#include "runtime/execute.h"
#include "runtime/group.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

#define N 4 /* floats per buffer */

/* Kernels: buffers are what the step's slices say. */
static weft_status add_rank(const void *state, void *const *b, const weft_run_env *env) {
    (void)state;
    for (int i = 0; i < N; i++) ((float *)b[1])[i] = ((float *)b[0])[i] + (float)env->partition_id;
    return WEFT_OK;
}

static weft_status twice(const void *state, void *const *b, const weft_run_env *env) {
    (void)state;
    (void)env;
    for (int i = 0; i < N; i++) ((float *)b[0])[i] *= 2;
    return WEFT_OK;
}

/* b[0]: the counter, b[1]: whether to go on */
static weft_status count_down(const void *state, void *const *b, const weft_run_env *env) {
    (void)state;
    (void)env;
    *(uint8_t *)b[1] = (*(int32_t *)b[0])-- > 0;
    return WEFT_OK;
}

static weft_status start_count(const void *state, void *const *b, const weft_run_env *env) {
    (void)env;
    *(int32_t *)b[0] = *(const int32_t *)state;
    return WEFT_OK;
}

static weft_status fail_on_two(const void *state, void *const *b, const weft_run_env *env) {
    (void)state;
    (void)b;
    return env->partition_id == 2 ? WEFT_ERR_INTERNAL : WEFT_OK;
}

static weft_status fail_on_two_or_go_on(const void *state, void *const *b, const weft_run_env *env) {
    (void)state;
    *(uint8_t *)b[0] = 1;
    return env->partition_id == 2 ? WEFT_ERR_INTERNAL : WEFT_OK;
}

static const weft_kernel add_rank_kernel = { .name = "add_rank", .run = add_rank },
                         twice_kernel = { .name = "twice", .run = twice },
                         count_down_kernel = { .name = "count_down", .run = count_down },
                         start_count_kernel = { .name = "start_count", .run = start_count },
                         fail_kernel = { .name = "fail_on_two", .run = fail_on_two },
                         fail_or_go_on_kernel = { .name = "fail_on_two_or_go_on", .run = fail_on_two_or_go_on };
static const weft_kernel *const all_kernels[] = { &add_rank_kernel,    &twice_kernel, &count_down_kernel,
                                                  &start_count_kernel, &fail_kernel,  &fail_or_go_on_kernel };
static const weft_kernel_set kernels = { all_kernels, WEFT_COUNT(all_kernels), NULL };

static const int64_t dims[] = { N }, mesh_sizes[] = { 2, 2 };
static const weft_exec_mesh mesh = { mesh_sizes, 2, NULL, NULL };
static const weft_exec_value vector = { WEFT_F32, 1, dims, N * sizeof(float), -1, -1 };
static const weft_exec_value donated = { WEFT_F32, 1, dims, N * sizeof(float), 0, 0 };
static const weft_layout_dim whole[] = { { N, N, NULL, 0 } };
static const weft_layout replicated = { WEFT_F32, 1, whole, 4, NULL, NULL, 0 };
static const weft_layout_axis both_axes[] = { { 1, 4 } };
static const weft_layout_dim cut_dims[] = { { 4 * N, N, both_axes, 1 } };
static const weft_layout cut = { WEFT_F32, 1, cut_dims, 4, NULL, NULL, 0 };

static const weft_slice arg0 = { WEFT_SPACE_ARGUMENT, 0, 0, N * sizeof(float) };
static const weft_slice result0 = { WEFT_SPACE_RESULT, 0, 0, N * sizeof(float) };
static const weft_slice counter = { WEFT_SPACE_TEMP, 0, 64, sizeof(int32_t) }, flag = { WEFT_SPACE_TEMP, 0, 128, 1 };
static const weft_slice on_arg_result[2] = { { WEFT_SPACE_ARGUMENT, 0, 0, N * sizeof(float) },
                                             { WEFT_SPACE_RESULT, 0, 0, N * sizeof(float) } };

static weft_executable executable(const weft_step *steps, uint32_t n, const weft_exec_value *result) {
    return (weft_executable){ .args = &vector, .arg_count = 1, .results = result, .result_count = 1, .steps = steps,
                              .step_count = n, .temp_bytes = 256, .meshes = &mesh, .mesh_count = 1, .device_count = 4,
                              .partition_count = 4, .fingerprint = 7 };
}

static weft_status open_session(weft_context *cx, const weft_executable *x, const weft_layout *arg,
                                const weft_layout *result, weft_session **s) {
    bool speaker;
    weft_session_options o = {
        .processes = { .processes = 1, .timeout_s = 10 }, .exec = x, .kernels = &kernels, .args = arg, .results = result
    };
    return weft_session_open(cx, &o, &speaker, s);
}

/* all_reduce over the first axis: devices {0, 2} and {1, 3} */
static const weft_group_axis first_axis = { 0, 1, 2 };
static const weft_coll_operand operand = { { WEFT_SPACE_RESULT, 0, 0, N * sizeof(float) },
                                           { WEFT_SPACE_RESULT, 0, 0, N * sizeof(float) }, WEFT_F32, 1, 1, N, false };
static const weft_coll_step sum = { .kind = WEFT_PLAN_ALL_REDUCE,
                                    .group = { .size = 2, .axes = &first_axis, .axis_count = 1 }, .operands = &operand,
                                    .operand_count = 1 };
static const int64_t ring[] = { 0, 1, 1, 2, 2, 3 };
static const weft_coll_step shift = { .kind = WEFT_PLAN_COLLECTIVE_PERMUTE,
                                      .group = { .size = 4, .pairs = ring, .pair_count = 3 }, .operands = &operand,
                                      .operand_count = 1 };

START_TEST(reduces_over_an_axis_and_joins) {
    weft_step steps[] = {
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "add_rank" },
          .slices = on_arg_result, .slice_count = 2, .loc = &weft_loc_unknown },
        { .kind = WEFT_STEP_COLLECTIVE, .coll = &sum, .loc = &weft_loc_unknown }
    };
    weft_executable x = executable(steps, 2, &vector);
    weft_context *cx = weft_context_new(NULL);
    weft_session *s;
    float in[4 * N], out[4 * N];
    for (int i = 0; i < 4 * N; i++) in[i] = (float)(100 * i);
    weft_host_array a = { .dtype = WEFT_F32, .rank = 1, .dims = { 4 * N }, .data = in }, b = { .data = out };
    ck_assert_int_eq(open_session(cx, &x, &cut, &cut, &s), WEFT_OK);
    ck_assert_int_eq(weft_session_put(s, 0, &a), WEFT_OK);
    for (int k = 0; k < 3; k++) {
        ck_assert_int_eq(weft_session_step(s), WEFT_OK);
        ck_assert_int_eq(weft_session_get(s, 0, &b), WEFT_OK);
        for (int d = 0; d < 4; d++)
            for (int i = 0; i < N; i++) {
                int low = d % 2; /* the group is {low, low + 2} */
                ck_assert_float_eq(out[d * N + i], in[low * N + i] + in[(low + 2) * N + i] + (float)(2 * low + 2));
            }
    }
    weft_session_counts c = weft_session_count(s);
    ck_assert_int_eq(c.steps, 3);
    ck_assert_int_eq(c.collectives, 3);
    ck_assert_int_eq(c.wire_bytes, 3 * N * (int)sizeof(float)); /* 2 (2 - 1) / 2 */
    ck_assert_int_eq(c.memory_bytes, 2 * N * (int)sizeof(float) + 256);
    weft_session_close(s);
    weft_context_free(cx);
}
END_TEST

START_TEST(permutes_with_holes) {
    weft_step steps[] = {
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "add_rank" },
          .slices = on_arg_result, .slice_count = 2, .loc = &weft_loc_unknown },
        { .kind = WEFT_STEP_COLLECTIVE, .coll = &shift, .loc = &weft_loc_unknown }
    };
    weft_coll_operand apart = operand;
    apart.in = arg0;
    weft_coll_step c = shift;
    c.operands = &apart;
    steps[1].coll = &c;
    weft_executable x = executable(steps, 2, &vector);
    weft_context *cx = weft_context_new(NULL);
    weft_session *s;
    float in[4 * N], out[4 * N];
    for (int i = 0; i < 4 * N; i++) in[i] = (float)(i + 1);
    weft_host_array a = { .dtype = WEFT_F32, .rank = 1, .dims = { 4 * N }, .data = in }, b = { .data = out };
    ck_assert_int_eq(open_session(cx, &x, &cut, &cut, &s), WEFT_OK);
    ck_assert_int_eq(weft_session_put(s, 0, &a), WEFT_OK);
    ck_assert_int_eq(weft_session_step(s), WEFT_OK);
    ck_assert_int_eq(weft_session_get(s, 0, &b), WEFT_OK);
    for (int i = 0; i < 4 * N; i++) ck_assert_float_eq(out[i], i < N ? 0 : in[i - N]);
    weft_session_close(s);
    weft_context_free(cx);
}
END_TEST

/* while (3 times) { while (2 times) twice }, then a branch of three */
START_TEST(loops_and_branches) {
    static const int32_t three = 3, two = 2, seven = 7;
    weft_slice counter2 = counter, flag2 = flag, which = counter;
    counter2.offset += 4, flag2.offset += 1;
    weft_slice test1[] = { counter, flag }, test2[] = { counter2, flag2 };
    uint32_t branches[] = { 1, 0, 2 };
    weft_step steps[] = {
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "add_rank" }, .slices = on_arg_result, .slice_count = 2 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "start_count", .state = &three, .state_bytes = sizeof three },
          .slices = &counter, .slice_count = 1 },
        { .kind = WEFT_STEP_WHILE, .slices = &flag, .slice_count = 1, .cond_steps = 1, .body_steps = 4 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "count_down" }, .slices = test1, .slice_count = 2 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "start_count", .state = &two, .state_bytes = sizeof two },
          .slices = &counter2, .slice_count = 1 },
        { .kind = WEFT_STEP_WHILE, .slices = &flag2, .slice_count = 1, .cond_steps = 1, .body_steps = 1 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "count_down" }, .slices = test2, .slice_count = 2 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "twice" }, .slices = &result0, .slice_count = 1 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "start_count", .state = &seven, .state_bytes = sizeof seven },
          .slices = &which, .slice_count = 1 },
        { .kind = WEFT_STEP_CASE, .slices = &which, .slice_count = 1, .branch_steps = branches, .branch_count = 3 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "fail_on_two" } },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "twice" }, .slices = &result0, .slice_count = 1 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "twice" }, .slices = &result0, .slice_count = 1 },
    };
    for (size_t i = 0; i < WEFT_COUNT(steps); i++) steps[i].loc = &weft_loc_unknown;
    weft_executable x = executable(steps, WEFT_COUNT(steps), &vector);
    weft_context *cx = weft_context_new(NULL);
    weft_session *s;
    float out[N];
    weft_host_array b = { .data = out };
    ck_assert_int_eq(open_session(cx, &x, &replicated, &replicated, &s), WEFT_OK);
    ck_assert_int_eq(weft_session_fill(s, 0, &(weft_fill){ WEFT_FILL_CONSTANT, 1, 0 }), WEFT_OK);
    ck_assert_int_eq(weft_session_step(s), WEFT_OK);
    ck_assert_int_eq(weft_session_get(s, 0, &b), WEFT_OK);
    for (int i = 0; i < N; i++) ck_assert_float_eq(out[i], 64 * 4); /* 2^(3 * 2), and the last branch for 7 of 3 */
    weft_session_close(s);
    weft_context_free(cx);
}
END_TEST

START_TEST(feeds_back) {
    weft_step steps[] = {
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "add_rank" },
          .slices = on_arg_result, .slice_count = 2, .loc = &weft_loc_unknown }
    };
    weft_executable x = executable(steps, 1, _i ? &donated : &vector);
    weft_context *cx = weft_context_new(NULL);
    weft_session *s;
    float out[4 * N];
    weft_host_array b = { .data = out };
    ck_assert_int_eq(open_session(cx, &x, &cut, &cut, &s), WEFT_OK);
    ck_assert_int_eq(weft_session_fill(s, 0, &(weft_fill){ WEFT_FILL_CONSTANT, 1, 0 }), WEFT_OK);
    for (int k = 0; k < 5; k++) {
        ck_assert_int_eq(weft_session_step(s), WEFT_OK);
        if (k < 4) ck_assert_int_eq(weft_session_feed(s, 0, 0), WEFT_OK);
    }
    ck_assert_int_eq(weft_session_get(s, 0, &b), WEFT_OK);
    for (int i = 0; i < 4 * N; i++) ck_assert_float_eq(out[i], (float)(1 + 5 * (i / N)));
    ck_assert_int_eq(weft_session_count(s).memory_bytes, (_i ? 1 : 2) * N * (int)sizeof(float) + 256);
    ck_assert_int_eq(weft_session_feed(s, 1, 0), WEFT_ERR_USAGE);
    /* in the donated argument's memory is now another value */
    ck_assert_int_eq(weft_session_fill(s, 0, &(weft_fill){ WEFT_FILL_CONSTANT, 1, 0 }), WEFT_OK);
    ck_assert_int_eq(weft_session_get(s, 0, &b), _i ? WEFT_ERR_USAGE : WEFT_OK);
    if (_i)
        ck_assert_str_eq(weft_context_diag(cx, 1)->message,
                         "result 0 is not there: no step has made it, or its argument was replaced");
    ck_assert_int_eq(weft_session_count(s).memory_bytes, (_i ? 1 : 2) * N * (int)sizeof(float) + 256);
    weft_session_close(s);
    weft_context_free(cx);
}
END_TEST

/* One device's kernel fails while the others wait in a collective: all come back, one diagnostic. */
START_TEST(failure_frees_the_others) {
    weft_step steps[] = { { .kind = WEFT_STEP_CALL, .code = { .kernel = "fail_on_two" }, .loc = &weft_loc_unknown },
                          { .kind = WEFT_STEP_COLLECTIVE, .coll = &sum, .loc = &weft_loc_unknown } };
    weft_executable x = executable(steps, 2, &vector);
    weft_context *cx = weft_context_new(NULL);
    weft_session *s;
    ck_assert_int_eq(open_session(cx, &x, &cut, &cut, &s), WEFT_OK);
    ck_assert_int_eq(weft_session_step(s), WEFT_ERR_INTERNAL);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "device 2"));
    ck_assert_int_ne(weft_session_step(s), WEFT_OK);
    weft_session_close(s);
    weft_context_free(cx);
}
END_TEST

/* One device's kernel fails while the others are in a loop without an end and without collectives: all come back, one
 * diagnostic. */
/* The step fails on device 2, and all hear of that, once. */
static void expect_failure_of_two(const weft_executable *x) {
    weft_context *cx = weft_context_new(NULL);
    weft_session *s;
    ck_assert_int_eq(open_session(cx, x, &cut, &cut, &s), WEFT_OK);
    ck_assert_int_eq(weft_session_step(s), WEFT_ERR_INTERNAL);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "device 2"));
    weft_session_close(s);
    weft_context_free(cx);
}

START_TEST(failure_ends_endless_loops) {
    weft_step steps[] = { { .kind = WEFT_STEP_WHILE, .slices = &flag, .slice_count = 1, .cond_steps = 1,
                            .body_steps = 0, .loc = &weft_loc_unknown },
                          { .kind = WEFT_STEP_CALL, .code = { .kernel = "fail_on_two_or_go_on" },
                            .slices = &flag, .slice_count = 1,
                            .loc = &weft_loc_unknown } };
    weft_executable x = executable(steps, 2, &vector);
    expect_failure_of_two(&x);
}
END_TEST

/* What is begun is there when its end has passed, whatever runs meanwhile: in each turn of a loop, and beside calls
 * that are not begun. */
static const weft_slice temp_a = { WEFT_SPACE_TEMP, 0, 192, N * sizeof(float) },
                        temp_b = { WEFT_SPACE_TEMP, 0, 208, N * sizeof(float) },
                        elsewhere = { WEFT_SPACE_TEMP, 0, 224, N * sizeof(float) };

START_TEST(begins_and_ends) {
    static const int32_t three = 3;
    weft_slice test[] = { counter, flag };
    weft_coll_operand into_a = operand, into_b = operand;
    into_a.in = into_b.in = result0;
    into_a.out = temp_a;
    into_b.in = temp_a, into_b.out = temp_b;
    weft_coll_operand back = operand;
    back.in = temp_b;
    weft_coll_step ca = sum, cb = sum, cc = sum;
    ca.operands = &into_a, cb.operands = &into_b, cc.operands = &back;
    weft_step steps[] = {
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "add_rank" }, .slices = on_arg_result, .slice_count = 2 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "start_count", .state = &three, .state_bytes = sizeof three },
          .slices = &counter, .slice_count = 1 },
        { .kind = WEFT_STEP_WHILE, .slices = &flag, .slice_count = 1, .cond_steps = 1, .body_steps = 7 },
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "count_down" }, .slices = test, .slice_count = 2 },
        { .kind = WEFT_STEP_START, .coll = &ca, .ticket = 1 }, /* a: the sum of both devices' results */
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "twice" }, .slices = &elsewhere, .slice_count = 1 },
        { .kind = WEFT_STEP_DONE, .coll = &ca, .ticket = 1 },
        { .kind = WEFT_STEP_START, .coll = &cb, .ticket = 0 }, /* b: twice a, which both have */
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "twice" }, .slices = &result0, .slice_count = 1 },
        { .kind = WEFT_STEP_DONE, .coll = &cb, .ticket = 0 },
        { .kind = WEFT_STEP_COLLECTIVE, .coll = &cc }, /* the result: twice b */
    };
    for (size_t i = 0; i < WEFT_COUNT(steps); i++) steps[i].loc = &weft_loc_unknown;
    weft_executable x = executable(steps, WEFT_COUNT(steps), &vector);
    x.ticket_count = 2;
    weft_context *cx = weft_context_new(NULL);
    weft_session *s;
    float in[4 * N], out[4 * N];
    for (int i = 0; i < 4 * N; i++) in[i] = (float)i;
    weft_host_array a = { .dtype = WEFT_F32, .rank = 1, .dims = { 4 * N }, .data = in }, b = { .data = out };
    ck_assert_int_eq(open_session(cx, &x, &cut, &cut, &s), WEFT_OK);
    ck_assert_int_eq(weft_session_put(s, 0, &a), WEFT_OK);
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(weft_session_step(s), WEFT_OK);
        ck_assert_int_eq(weft_session_get(s, 0, &b), WEFT_OK);
        for (int d = 0; d < 4; d++)
            for (int i = 0; i < N; i++) {
                int low = d % 2;
                float pair = in[low * N + i] + in[(low + 2) * N + i] + (float)(2 * low + 2);
                ck_assert_float_eq(out[d * N + i], pair * 4 * 8 * 8); /* by turns */
            }
    }
    ck_assert_int_eq(weft_session_count(s).collectives, 2 * 3 * 3);
    weft_session_close(s);
    weft_context_free(cx);
}
END_TEST

/* A device fails while calls are under way: its own are let go of, the others hear of it. */
START_TEST(failure_between_start_and_end) {
    weft_step steps[] = { { .kind = WEFT_STEP_START, .coll = &sum, .loc = &weft_loc_unknown },
                          { .kind = WEFT_STEP_CALL, .code = { .kernel = "fail_on_two" }, .loc = &weft_loc_unknown },
                          { .kind = WEFT_STEP_DONE, .coll = &sum, .loc = &weft_loc_unknown },
                          { .kind = WEFT_STEP_COLLECTIVE, .coll = &sum, .loc = &weft_loc_unknown } };
    weft_executable x = executable(steps, WEFT_COUNT(steps), &vector);
    x.ticket_count = 1;
    expect_failure_of_two(&x);
}
END_TEST

/* Every allocation fails once: the session does not open or the step does not run, and nothing is left. */
static weft_status open_and_step(weft_context *cx, void *user) {
    weft_session *s;
    weft_status st = open_session(cx, user, &cut, &cut, &s);
    if (st != WEFT_OK) return st;
    st = weft_session_fill(s, 0, &(weft_fill){ WEFT_FILL_CONSTANT, 1, 0 });
    if (st == WEFT_OK) st = weft_session_step(s);
    weft_session_close(s);
    return st;
}

START_TEST(survives_failing_memory) {
    weft_step steps[] = {
        { .kind = WEFT_STEP_CALL, .code = { .kernel = "add_rank" },
          .slices = on_arg_result, .slice_count = 2, .loc = &weft_loc_unknown },
        { .kind = WEFT_STEP_COLLECTIVE, .coll = &sum, .loc = &weft_loc_unknown }
    };
    weft_executable x = executable(steps, 2, &vector);
    weft_test_each_failure(open_and_step, &x);
    weft_step parts[] = { steps[0], steps[1], steps[1] };
    parts[1].kind = WEFT_STEP_START, parts[2].kind = WEFT_STEP_DONE;
    x = executable(parts, 3, &vector);
    x.ticket_count = 1;
    weft_test_each_failure(open_and_step, &x);
}
END_TEST

/* Groups by axes, sub-axes and device ids against worked examples. */
static const int64_t g_sizes[] = { 2, 4 }, g_ids[] = { 7, 6, 5, 4, 3, 2, 1, 0 }, g_rows[] = { 0, 3, 1, 2 };
static const weft_exec_mesh g_meshes[] = { { g_sizes, 2, NULL, NULL }, { g_sizes, 2, NULL, g_ids } };
static const struct {
    weft_group g;
    weft_group_axis axes[2];
    int64_t device;
    int members[4];
    int64_t stride;
} groups[] = {
    { { .size = 4, .axis_count = 1 }, { { 1, 1, 4 } }, 5, { 4, 5, 6, 7 }, 1 },
    { { .size = 2, .axis_count = 1 }, { { 0, 1, 2 } }, 5, { 1, 5 }, 4 },
    { { .size = 2, .axis_count = 1 }, { { 1, 1, 2 } }, 5, { 5, 7 }, 2 }, /* "y":(1)2 */
    { { .size = 2, .axis_count = 1 }, { { 1, 2, 2 } }, 5, { 4, 5 }, 1 }, /* "y":(2)2 */
    { { .size = 4, .axis_count = 2 }, { { 1, 2, 2 }, { 0, 1, 2 } }, 5, { 0, 4, 1, 5 }, 4 },
    { { .size = 4, .mesh = 1, .axis_count = 1 }, { { 1, 1, 4 } }, 5, { 7, 6, 5, 4 }, 1 },
    { { .size = 2, .members = g_rows, .group_count = 2 }, { { 0, 0, 0 } }, 2, { 1, 2 }, 3 },
};

START_TEST(group_members) {
    weft_executable x = { .meshes = g_meshes, .mesh_count = 2, .device_count = 8, .partition_count = 8 };
    weft_group g = groups[_i].g;
    int members[8];
    g.axes = groups[_i].axes;
    ck_assert(weft_group_members(&x, &g, groups[_i].device, members));
    for (int64_t i = 0; i < g.size; i++) ck_assert_int_eq(members[i], groups[_i].members[i]);
    ck_assert_int_eq(weft_group_stride(&x, &g), groups[_i].stride);
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/session");
    TCase *tc = tcase_create("session");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, reduces_over_an_axis_and_joins);
    tcase_add_test(tc, permutes_with_holes);
    tcase_add_test(tc, loops_and_branches);
    tcase_add_loop_test(tc, feeds_back, 0, 2);
    tcase_add_test(tc, failure_frees_the_others);
    tcase_add_test(tc, failure_ends_endless_loops);
    tcase_add_test(tc, begins_and_ends);
    tcase_add_test(tc, failure_between_start_and_end);
    tcase_add_test(tc, survives_failing_memory);
    tcase_add_loop_test(tc, group_members, 0, (int)WEFT_COUNT(groups));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
