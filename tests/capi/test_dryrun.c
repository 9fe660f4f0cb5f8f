/* Dry runs from C: the numbers of a program whose collectives and memory are known, of Weft's own machine and of a
 * vendor's; changes of the program; mistakes; failing allocations. */
#include <math.h>
#include <string.h>
#include <weft/dryrun.h>
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

/* A step of x [batch, 64] by w [64, 64], which it updates: the gradient is summed over the batch. */
static const char program[] =
    "sdy.mesh @mesh = <[\"data\"=4]>\n"
    "func.func @main(%w: tensor<64x64xf32> {tf.aliasing_output = 0 : i32},\n"
    "                %x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}]>})\n"
    "    -> (tensor<64x64xf32>, tensor<f32>) {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]"
    " : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>\n"
    "  %g = stablehlo.dot_general %x, %h, contracting_dims = [0] x [0]"
    " : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>\n"
    "  %n = stablehlo.subtract %w, %g : tensor<64x64xf32>\n"
    "  %l = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [0, 1]"
    " : (tensor<32x64xf32>, tensor<f32>) -> tensor<f32>\n"
    "  return %n, %l : tensor<64x64xf32>, tensor<f32>\n"
    "}\n";
enum { W = 64 * 64 * 4, X = 32 * 64 * 4, DEVICES = 4 };

static weft_context *cx;
static char machines[4096];

static void setup(void) {
    const char *source = getenv("top_srcdir");
    cx = weft_context_new(NULL);
    snprintf(machines, sizeof machines, "%s/topology/machines", source ? source : ".");
}
static void teardown(void) { weft_context_free(cx); }

static const char *last_message(void) {
    const size_t n = weft_context_diag_count(cx);
    return n ? weft_context_diag(cx, n - 1)->message : "";
}
#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())

static weft_graph *read_program(weft_context *of) {
    weft_graph *g = NULL;
    return weft_graph_read_text(of, "step.mlir", program, sizeof program - 1, &g) == WEFT_OK ? g : NULL;
}

static weft_dryrun *dry(const weft_dryrun_options *o) {
    weft_graph *g = read_program(cx);
    weft_dryrun *d = NULL;
    ck_assert_ptr_nonnull(g);
    OK(weft_dryrun_make(cx, g, o, &d));
    weft_graph_free(g); /* it is not needed any more */
    return d;
}

static const weft_dryrun_collective *find(const weft_dryrun *d, const char *kind) {
    for (size_t i = 0; i < weft_dryrun_get(d)->collective_count; i++)
        if (!strcmp(weft_dryrun_get_collective(d, i)->kind, kind)) return weft_dryrun_get_collective(d, i);
    return NULL;
}

START_TEST(numbers_of_a_step) {
    const weft_dryrun_options o = { .size = sizeof o, .tokens = 1000 };
    weft_dryrun *d = dry(&o);
    const weft_dryrun_report *r = weft_dryrun_get(d);
    ck_assert_uint_eq(r->size, sizeof *r);
    ck_assert_int_eq(r->devices, DEVICES);
    ck_assert_int_eq(r->argument_bytes, W + X / DEVICES);
    ck_assert_int_eq(r->result_bytes, W + 4);
    ck_assert_int_eq(r->shared_bytes, W);
    ck_assert_int_eq(r->peak_memory_bytes, r->argument_bytes + r->result_bytes - r->shared_bytes + r->temporary_bytes +
                                               r->constant_bytes);
    ck_assert_double_gt(r->step_time_s, 0);
    ck_assert_double_le(r->least_step_time_s, r->step_time_s);
    ck_assert_double_eq_tol(r->tokens_per_s * r->step_time_s, 1000, 1e-6);
    const weft_dryrun_collective *sum = find(d, "all_reduce");
    ck_assert_ptr_nonnull(sum);
    ck_assert_str_eq(sum->axes, "data");
    ck_assert_str_ne(sum->location, "");
    int64_t wire = 0, calls = 0;
    for (size_t i = 0; i < r->collective_count; i++) {
        const weft_dryrun_collective *c = weft_dryrun_get_collective(d, i);
        ck_assert_uint_eq(c->size, sizeof *c);
        wire += c->wire_bytes;
        calls += c->count;
    }
    ck_assert_int_eq(wire, r->wire_bytes);
    ck_assert_int_eq(calls, r->collective_calls);
    ck_assert_int_ge(wire, 2 * (DEVICES - 1) * (W + 4) / DEVICES); /* the gradient and the loss, at least */
    double uses = 0;
    for (size_t i = 0; i < r->use_count; i++) uses += weft_dryrun_get_use(d, i)->bytes;
    ck_assert_double_eq_tol(uses, (double)r->peak_memory_bytes, 0.5);
    ck_assert_double_eq_tol(r->replicated_parameter_bytes, W - W / DEVICES, 0.5);
    ck_assert_double_eq(r->padding_parameter_bytes + r->padding_state_bytes + r->padding_data_bytes, 0);
    ck_assert_ptr_null(r->vendor);
    ck_assert_ptr_null(r->without_constraints);
    ck_assert_ptr_null(weft_dryrun_get_line(d, 0));
    weft_dryrun_free(d);
}
END_TEST

/* Threads divide what a device of Weft's own machines computes, and nothing of a vendor's. A machine without rates has
 * those of the default one, which threads divide as well. */
START_TEST(threads_of_a_device) {
    const char *own[] = { NULL, "nodes 1 { core 4 cache 10GB/s 500ns } net 1GB/s 2us" };
    weft_dryrun *a, *b;
    for (int i = 0; i < 2; i++) {
        const weft_dryrun_options one = { .size = sizeof one, .flags = WEFT_DRYRUN_BARE, .machine = own[i] };
        const weft_dryrun_options four = { .size = sizeof four, .flags = WEFT_DRYRUN_BARE, .machine = own[i],
                                           .threads = 4 };
        a = dry(&one), b = dry(&four);
        const double less = weft_dryrun_get(b)->step_time_s / weft_dryrun_get(a)->step_time_s;
        ck_assert_double_ge(less, 0.25 - 1e-9);
        ck_assert_double_lt(less, 0.9);
        ck_assert_int_eq(weft_dryrun_get(a)->peak_memory_bytes, weft_dryrun_get(b)->peak_memory_bytes);
        weft_dryrun_free(a), weft_dryrun_free(b);
    }
    const weft_dryrun_options gpu = { .size = sizeof gpu, .machine = "dgx-h100", .machines = machines };
    const weft_dryrun_options gpus = { .size = sizeof gpus, .machine = "dgx-h100", .machines = machines, .threads = 4 };
    a = dry(&gpu), b = dry(&gpus);
    ck_assert_double_eq(weft_dryrun_get(a)->step_time_s, weft_dryrun_get(b)->step_time_s);
    weft_dryrun_free(a), weft_dryrun_free(b);
}
END_TEST

START_TEST(a_vendors_machine) {
    const weft_dryrun_options o = { .size = sizeof o, .machine = "dgx-h100", .machines = machines };
    weft_dryrun *d = dry(&o);
    const weft_dryrun_report *r = weft_dryrun_get(d);
    ck_assert_str_eq(r->machine, "dgx-h100");
    ck_assert_int_eq(r->fits, 1);
    ck_assert_int_eq(r->memory_margin_bytes, r->machine_memory_bytes - r->peak_memory_bytes);
    ck_assert_ptr_nonnull(r->vendor);
    ck_assert_str_eq(r->vendor->attention, "fused");
    ck_assert_double_eq_tol(r->vendor->product_flops, 2 * 2.0 * 32 * 64 * 64 / DEVICES, 0.5);
    ck_assert_double_eq(r->vendor->repeated_flops, 0);
    ck_assert_double_gt(r->vendor->hfu, 0);
    ck_assert_double_eq(r->vendor->mfu, r->vendor->hfu);
    double classes = 0, last = 1e9;
    for (size_t i = 0; i < r->vendor->class_count; i++) classes += weft_dryrun_get_class(d, i)->time_s;
    ck_assert_double_le(classes, r->step_time_s * (1 + 1e-9));
    ck_assert_double_gt(classes, 0);
    ck_assert_uint_gt(r->vendor->line_count, 0);
    for (size_t i = 0; i < r->vendor->line_count; i++) {
        const weft_dryrun_line *l = weft_dryrun_get_line(d, i);
        ck_assert_double_le(l->time_s, last);
        last = l->time_s;
    }
    for (size_t i = 0; i < r->vendor->peak_value_count; i++)
        ck_assert_double_gt(weft_dryrun_get_peak_value(d, i)->bytes, 0);
    ck_assert_ptr_null(weft_dryrun_get_peak_value(d, r->vendor->peak_value_count));
    weft_dryrun_free(d);
}
END_TEST

START_TEST(changes_of_the_program) {
    const char *split[] = { "w=data, -" };
    const weft_dryrun_options sharded = { .size = sizeof sharded, .shard = split, .shard_count = 1 };
    weft_dryrun *d = dry(&sharded);
    ck_assert_int_eq(weft_dryrun_get(d)->argument_bytes, (W + X) / DEVICES);
    weft_dryrun_free(d);
    const weft_dryrun_options wide = { .size = sizeof wide, .mesh = "data=8" };
    d = dry(&wide);
    ck_assert_int_eq(weft_dryrun_get(d)->devices, 8);
    ck_assert_int_eq(weft_dryrun_get(d)->argument_bytes, W + X / 8);
    weft_dryrun_free(d);
    const weft_dryrun_options twice = { .size = sizeof twice, .batch = 64 };
    d = dry(&twice);
    ck_assert_int_eq(weft_dryrun_get(d)->argument_bytes, W + 2 * X / DEVICES);
    weft_dryrun_free(d);
    const weft_dryrun_options bare = { .size = sizeof bare, .flags = WEFT_DRYRUN_BARE };
    d = dry(&bare);
    ck_assert_int_eq(weft_dryrun_get(d)->devices, 1);
    ck_assert_int_eq(weft_dryrun_get(d)->wire_bytes, 0);
    weft_dryrun_free(d);
    const weft_dryrun_options fsdp = { .size = sizeof fsdp, .strategy = "fsdp" };
    d = dry(&fsdp);
    ck_assert_int_eq(weft_dryrun_get(d)->argument_bytes, (W + X) / DEVICES);
    ck_assert_ptr_nonnull(find(d, "all_gather"));
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    weft_dryrun_free(d);
}
END_TEST

static const char *const none[1], *const unknown[] = { "nobody=data, -" };
static const struct { weft_dryrun_options o; const char *message; } mistakes[] = {
    { { .machine = "no-such-machine" }, "no-such-machine" },
    { { .machine = "device 3" }, "" },
    { { .mesh = "modle=4" }, "modle" },
    { { .strategy = "dpp" }, "dpp" },
    { { .strategy = "tp:nothing" }, "nothing" },
    { { .order = "rows" }, "rows" },
    { { .shard = unknown, .shard_count = 1 }, "nobody" },
    { { .shard = none, .shard_count = 1 }, "list of a dry run's options is NULL" },
    { { .donate_count = 1 }, "list of a dry run's options is NULL" },
    { { .threads = -1 }, "weft_dryrun_options.threads is -1" },
    { { .threads = 2000000000 }, "weft_dryrun_options.threads is 2000000000" },
    { { .size = sizeof(weft_dryrun_options), .constraints = (weft_constraints)77 }, "weft_dryrun_options.constraints is 77" },
    { { .size = sizeof(weft_dryrun_options), .precision = (weft_precision)2 }, "weft_dryrun_options.precision is 2" },
    { { .batch = -1 }, "not negative" },
    { { .sizes = unknown, .size_count = 1 }, "no open sizes" },
    { { .sizes = none, .size_count = 1 }, "list of a dry run's options is NULL" },
    { { .tokens = -1 }, "not negative" },
    { { .tokens = NAN }, "not negative" },
    { { .tokens = INFINITY }, "finite" },
    { { .memory_bytes = -1 }, "weft_dryrun_options.memory_bytes is -1" },
    { { .memory_bytes = 0.5 }, "weft_dryrun_options.memory_bytes is 0.5" },
    { { .memory_bytes = INFINITY }, "weft_dryrun_options.memory_bytes is inf" },
    { { .memory_bytes = NAN }, "weft_dryrun_options.memory_bytes is nan" },
    { { .flags = 1024 }, "the flags of a dry run are not known: 0x400" },
    { { .size = 3 }, "size" },
};

START_TEST(a_mistake) {
    weft_graph *g = read_program(cx);
    weft_dryrun *d = (weft_dryrun *)&mistakes;
    ck_assert_int_ne(weft_dryrun_make(cx, g, &mistakes[_i].o, &d), WEFT_OK);
    ck_assert_ptr_null(d);
    ck_assert_uint_gt(weft_context_diag_count(cx), 0);
    ck_assert_msg(strstr(weft_context_diag(cx, 0)->message, mistakes[_i].message), "'%s' is not in '%s'",
                  mistakes[_i].message, weft_context_diag(cx, 0)->message);
    weft_graph_free(g);
}
END_TEST

START_TEST(nothing_given) {
    weft_dryrun *d;
    weft_graph *g = read_program(cx);
    ck_assert_int_eq(weft_dryrun_make(cx, NULL, NULL, &d), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the graph of a dry run is NULL");
    ck_assert_int_eq(weft_dryrun_make(cx, g, NULL, NULL), WEFT_ERR_USAGE);
    weft_context *other = weft_context_new(NULL);
    ck_assert_int_eq(weft_dryrun_make(other, g, NULL, &d), WEFT_ERR_USAGE);
    ck_assert_str_eq(weft_context_diag(other, 0)->message, "the graph of a dry run is of another context");
    weft_context_free(other);
    OK(weft_dryrun_make(cx, g, NULL, &d));
    ck_assert_int_eq(weft_dryrun_get(d)->devices, DEVICES);
    weft_dryrun_free(d);
    OK(weft_dryrun_make(cx, g, NULL, &d)); /* the graph can be used again */
    weft_dryrun_free(d);
    weft_graph_free(g);
    weft_dryrun_free(NULL);
    ck_assert_ptr_null(weft_dryrun_get(NULL));
    ck_assert_ptr_null(weft_dryrun_get_collective(NULL, 0));
}
END_TEST

static weft_status whole(weft_context *of, void *user) {
    weft_dryrun_options o = { .size = sizeof o, .machine = "dgx-h100", .machines = machines, .strategy = user,
                              .batch = 64 };
    weft_graph *g = NULL;
    weft_dryrun *d = NULL;
    weft_status st = weft_graph_read_text(of, "step.mlir", program, sizeof program - 1, &g);
    if (st == WEFT_OK) st = weft_dryrun_make(of, g, &o, &d);
    weft_dryrun_free(d);
    weft_graph_free(g);
    return st;
}

/* A size that is one less than twice a dimension, by a function of the program; another dimension is asserted to be
 * that size. */
static const char open_program[] =
    "func.func private @twice(%a: tensor<i32>) -> tensor<i32> {\n"
    "  %s = stablehlo.add %a, %a : tensor<i32>\n"
    "  return %s : tensor<i32>\n"
    "}\n"
    "func.func private @body(%n: tensor<i32> {jax.global_constant = \"n\"}, %x: tensor<?x4xf32>, %y: tensor<?xf32>)\n"
    "    -> tensor<?xf32> {\n"
    "  return %y : tensor<?xf32>\n"
    "}\n"
    "func.func @main(%x: tensor<?x4xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %d = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>\n"
    "  %s = func.call @twice(%d) : (tensor<i32>) -> tensor<i32>\n"
    "  %n = stablehlo.subtract %s, %one : tensor<i32>\n"
    "  %e = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
    "  %same = stablehlo.compare EQ, %e, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "  %r = func.call @body(%n, %x, %y) : (tensor<i32>, tensor<?x4xf32>, tensor<?xf32>) -> tensor<?xf32>\n"
    "  return %r : tensor<?xf32>\n"
    "}\n";

static weft_status open_sizes(weft_context *of, void *user) {
    const char *const sizes[] = { "n=31" };
    const weft_dryrun_options o = { .sizes = sizes, .size_count = 1 };
    weft_graph *g = NULL;
    weft_dryrun *d = NULL;
    weft_status st = weft_graph_read_text(of, "open.mlir", open_program, sizeof open_program - 1, &g);
    if (st == WEFT_OK) st = weft_dryrun_make(of, g, &o, &d);
    if (st == WEFT_OK) *(int64_t *)user = weft_dryrun_get(d)->argument_bytes;
    weft_dryrun_free(d);
    weft_graph_free(g);
    return st;
}

START_TEST(sizes_of_a_program) {
    int64_t bytes = 0;
    OK(open_sizes(cx, &bytes));
    ck_assert_int_eq(bytes, (16 * 4 + 31) * 4);
    weft_test_each_failure(open_sizes, &bytes);
}
END_TEST

START_TEST(failing_allocations) {
    weft_test_each_failure(whole, NULL);
    weft_test_each_failure(whole, "zero1");
    weft_test_each_failure(whole, "zero2");
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/dryrun");
    TCase *tc = tcase_create("dryrun");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, numbers_of_a_step);
    tcase_add_test(tc, threads_of_a_device);
    tcase_add_test(tc, a_vendors_machine);
    tcase_add_test(tc, changes_of_the_program);
    tcase_add_loop_test(tc, a_mistake, 0, (int)(sizeof mistakes / sizeof *mistakes));
    tcase_add_test(tc, nothing_given);
    tcase_add_test(tc, sizes_of_a_program);
    tcase_add_test(tc, failing_allocations);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
