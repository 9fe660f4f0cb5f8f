/* Strategies by name: what each pattern splits, that they combine, that state follows, and mistakes. */
#include <check.h>
#include <string.h>

#include <weft/nn.h>
#include <weft/optim.h>
#include <weft/strategy.h>
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static const weft_job_options threads = { .launch = WEFT_LAUNCH_THREADS };
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define OK(call) ck_assert_int_eq((call), WEFT_OK)

static void block(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    const weft_linear_options back = { .summed = 2, .bias = WEFT_WITH_BIAS };
    weft_tensor *h = weft_rms_norm(g, "norm", weft_activation(g, "residual", x[0]), 1e-5);
    weft_tensor *q = weft_linear(g, "q", h, WEFT_DIMS(4, 2), NULL), *k = weft_linear(g, "k", h, WEFT_DIMS(1, 2), NULL);
    h = weft_linear(g, "out", weft_attention(g, q, k, k, NULL), WEFT_DIMS(8), &back);
    h = weft_graph_add(g, h, weft_experts(g, "moe", h, &(weft_experts_options){ .experts = 2, .hidden = 12 }, NULL));
    y[0] = weft_graph_add(g, x[0], h);
}

typedef void strategy(weft_graph *g, const weft_device_mesh *mesh);
static void dp(weft_graph *g, const weft_device_mesh *mesh) { weft_strategy_dp(g, mesh, "data", "x, y"); }
static void fsdp(weft_graph *g, const weft_device_mesh *mesh) { weft_strategy_fsdp(g, mesh, "data", "*"); }
static void tp(weft_graph *g, const weft_device_mesh *mesh) {
    weft_strategy_tp(g, mesh, "model", "*q/*, *k/*, *up/*, *gate/*", "*out/*, *down/*, embed/*");
}
static void ep(weft_graph *g, const weft_device_mesh *mesh) { weft_strategy_ep(g, mesh, "data", "*moe/*, !*router*"); }
static void tp_fsdp(weft_graph *g, const weft_device_mesh *mesh) { tp(g, mesh), fsdp(g, mesh); }
static void ep_tp(weft_graph *g, const weft_device_mesh *mesh) { ep(g, mesh), tp(g, mesh); }
static void both(weft_graph *g, const weft_device_mesh *mesh) {
    weft_strategy_fsdp(g, mesh, "model", "embed/*");
    weft_strategy_fsdp(g, mesh, "data", "embed/*");
}

/* An input and its sharding as weft_shard spells it. */
static const struct { strategy *make; const char *name, *input, *sharding; } cases[] = {
    { dp, "dp", "x", "data, -" },
    { dp, "dp", "y", "data, -" },
    { fsdp, "fsdp", "embed/weight", "data, -" },
    { fsdp, "fsdp", "blocks/q/weight", "-, data, -, -" },
    { fsdp, "fsdp", "blocks/k/weight", "-, data, -, -" },
    { fsdp, "fsdp", "blocks/moe/up/weight", "-, -, -, data" },
    { fsdp, "fsdp", "adamw/m/blocks/moe/up/weight", "-, -, -, data" },
    { fsdp, "fsdp", "adamw/v/embed/weight", "data, -" },
    { fsdp, "fsdp", "ema/embed/weight", "data, -" },
    { tp, "tp", "blocks/q/weight", "-, -, model, -" },
    { tp, "tp", "blocks/q/bias", "-, model, -" },
    { tp, "tp", "blocks/k/weight", "-, -, -, -" },     /* one group of keys */
    { tp, "tp", "blocks/out/weight", "-, model, -, -" },
    { tp, "tp", "blocks/out/bias", "-, -" },
    { tp, "tp", "embed/weight", "model, -" },
    { tp, "tp", "blocks/moe/up/weight", "-, -, -, model" },
    { tp, "tp", "blocks/moe/down/weight", "-, -, model, -" },
    { tp, "tp", "adamw/m/blocks/q/weight", "-, -, model, -" },
    { ep, "ep", "blocks/moe/gate/weight", "-, data, -, -" },
    { ep_tp, "ep and tp", "blocks/moe/gate/weight", "-, data, -, model" },
    { tp_fsdp, "tp and fsdp", "blocks/q/weight", "-, data, model, -" },
    { tp_fsdp, "tp and fsdp", "blocks/out/weight", "-, model, -, data" },
    { tp_fsdp, "tp and fsdp", "adamw/m/blocks/out/weight", "-, model, -, data" },
    { both, "two of fsdp", "embed/weight", "model*data, -" },
};

/* Optimizer first, strategy last: state follows all the same. */
static void build(weft_graph *g, strategy *make, const char *axes, const char *sequence) {
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    if (sequence) weft_strategy_sp(g, mesh, "model", sequence);
    weft_tensor *x = weft_graph_input(g, "x", "4x6xi32"), *y = weft_graph_input(g, "y", "4x6xi32"), *table;
    weft_tensor *h = weft_embedding(g, "embed", x, 16, 8, weft_init_normal(1), &table);
    weft_layers(g, "blocks", 2, &h, 1, block, NULL, &h);
    weft_tensor *loss = weft_mean(g, weft_cross_entropy(g, weft_unembed(g, h, table), y), WEFT_DIMS(0, 1));
    const weft_tensors p = weft_parameters(g, "*"), d = weft_gradients(g, loss, p, NULL);
    weft_ema(g, p, weft_adamw(g, p, d, weft_schedule_constant(g, 0.1), NULL), 0.5, NULL);
    weft_graph_output(g, "loss", loss);
    if (make) make(g, mesh);
}

START_TEST(test_sharding) {
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = weft_graph_new(cx, "strategy");
    build(g, cases[_i].make, "data=2, model=2", NULL);
    weft_job *job;
    weft_status st = weft_job_open(cx, g, &threads, &job);
    ck_assert_msg(st == WEFT_OK, "%s: %s", cases[_i].name, weft_context_diag(cx, 0)->message);
    const char *got = weft_job_input_sharding(job, cases[_i].input);
    ck_assert_msg(!strcmp(got, cases[_i].sharding), "%s: %s lies %s, not %s", cases[_i].name, cases[_i].input, got,
                  cases[_i].sharding);
    weft_job_close(job);
    weft_graph_free(g);
    weft_context_free(cx);
}
END_TEST

/* The initialising graph lies as the parameters do. */
START_TEST(test_start) {
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = weft_graph_new(cx, "strategy");
    build(g, tp_fsdp, "data=2, model=2", NULL);
    weft_graph *start = weft_graph_initialiser(g, 1);
    weft_job *job;
    OK(weft_job_open(cx, start, &threads, &job));
    ck_assert_str_eq(weft_job_output_sharding(job, "blocks/q/weight"), "-, data, model, -");
    ck_assert_str_eq(weft_job_output_sharding(job, "adamw/v/blocks/q/weight"), "-, data, model, -");
    weft_job_close(job);
    weft_graph_free(start);
    weft_graph_free(g);
    weft_context_free(cx);
}
END_TEST

START_TEST(test_sequence) {
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = weft_graph_new(cx, "strategy");
    build(g, dp, "data=2, model=2", "blocks/resid*");
    char *text;
    OK(weft_graph_text(g, &text));
    ck_assert(strstr(text, "sdy.sharding_constraint"));
    ck_assert(strstr(text, "[{?}, {\"model\"}, {?}]"));
    weft_text_free(cx, text);
    weft_graph_free(g);
    weft_context_free(cx);
}
END_TEST

/* ---- mistakes ---- */

static void no_such(weft_graph *g, const weft_device_mesh *mesh) {
    weft_strategy_fsdp(g, mesh, "data", "embed/wieght");
}
static void no_input(weft_graph *g, const weft_device_mesh *mesh) { weft_strategy_dp(g, mesh, "data", "z"); }
static void no_axis(weft_graph *g, const weft_device_mesh *mesh) { weft_strategy_dp(g, mesh, "dta", "x"); }
static void twice(weft_graph *g, const weft_device_mesh *mesh) { fsdp(g, mesh), fsdp(g, mesh); }
static void no_pattern(weft_graph *g, const weft_device_mesh *mesh) { weft_strategy_ep(g, mesh, "data", ""); }
static void empty_sequence(weft_graph *g, const weft_device_mesh *mesh) { weft_strategy_sp(g, mesh, "data", ""); }
static void another_mesh(weft_graph *g, const weft_device_mesh *mesh) {
    fsdp(g, mesh);
    weft_strategy_tp(g, weft_graph_mesh(g, "other=4"), "other", NULL, "embed/*");
}
static void no_mesh(weft_graph *g, const weft_device_mesh *mesh) { (void)mesh, weft_strategy_dp(g, NULL, "data", "x"); }
static void flat(weft_graph *g, const weft_device_mesh *mesh) {
    weft_strategy_sp(g, mesh, "data", "flat");
    weft_activation(g, "flat", weft_graph_fill(g, "4xf32", 0));
}
static void nameless(weft_graph *g, const weft_device_mesh *mesh) {
    (void)mesh, weft_activation(g, "", weft_graph_fill(g, "4xf32", 0));
}
static void late(weft_graph *g, const weft_device_mesh *mesh) {
    weft_strategy_sp(g, mesh, "data", "blocks/residaul");
    weft_activation(g, "blocks/residual", weft_graph_fill(g, "4x4xf32", 0));
}

static const struct { strategy *make; const char *said; } mistakes[] = {
    { no_such, "fsdp: none of 12 parameters is called \"embed/wieght\"; did you mean 'embed/weight'?" },
    { no_input, "dp: none of 2 inputs is called \"z\"" },
    { no_axis, "the mesh has no axis 'dta'" },
    { twice, "'embed/weight' is split over axis 'data' already" },
    { no_pattern, "a pattern of names is empty: \"*\" is all" },
    { empty_sequence, "a pattern of names is empty: \"*\" is all" },
    { another_mesh, "'embed/weight' lies on another mesh already" },
    { no_mesh, "the mesh is NULL or of another graph" },
    { flat, "activation 'flat' has no tokens: its rank is 1" },
    { nameless, "an activation needs a name" },
    { late, "sp: no activation made since is called \"blocks/residaul\"; did you mean 'blocks/residual'?" },
};

START_TEST(test_mistake) {
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = weft_graph_new(cx, "strategy");
    build(g, mistakes[_i].make, "data=2, model=2", NULL);
    char *text;
    ck_assert_int_ne(weft_graph_text(g, &text), WEFT_OK);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_str_eq(d->message, mistakes[_i].said);
    ck_assert(strstr(d->file, "test_strategy.c"));
    weft_graph_free(g);
    weft_context_free(cx);
}
END_TEST

static weft_status everything(weft_context *cx, void *user) {
    (void)user;
    weft_graph *g = weft_graph_new(cx, "strategy");
    if (!g) return WEFT_ERR_MEMORY;
    build(g, tp_fsdp, "data=2, model=2", "*residual");
    char *text;
    weft_status st = weft_graph_text(g, &text);
    if (st == WEFT_OK) weft_text_free(cx, text);
    weft_graph_free(g);
    return st;
}

START_TEST(test_memory) { weft_test_each_failure(everything, NULL); }
END_TEST

int main(void) {
    Suite *s = suite_create("capi/strategy");
    TCase *tc = tcase_create("strategy");
    tcase_add_loop_test(tc, test_sharding, 0, (int)COUNT(cases));
    tcase_add_test(tc, test_start);
    tcase_add_test(tc, test_sequence);
    tcase_add_loop_test(tc, test_mistake, 0, (int)COUNT(mistakes));
    tcase_add_test(tc, test_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
