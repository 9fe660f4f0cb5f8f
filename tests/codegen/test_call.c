/* Steps in C: operands, results, scratch, state and bodies reach the function; pure calls are merged and dropped, calls
 * with effects are neither; a failure is reported in the step's words. */
#include <stdio.h>
#include "codegen/call.h"
#include "codegen/import.h"
#include "codegen/lower.h"
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

enum { N = 6 };

/* --- the functions called --- */

typedef struct sort_state { weft_body_fn less; int64_t n; } sort_state;

static weft_status sort_run(const void *state, void *const *b, const weft_run_env *env) {
    const sort_state *s = state;
    int32_t *v = b[1];
    (void)env;
    if (b[0] != b[1]) memcpy(v, b[0], (size_t)s->n * sizeof *v);
    for (int64_t i = 1; i < s->n; i++)
        for (int64_t k = i; k > 0; k--) {
            uint8_t less = 0;
            s->less((const void *[]){ &v[k], &v[k - 1] }, (void *[]){ &less });
            if (!less) break;
            int32_t t = v[k];
            v[k] = v[k - 1], v[k - 1] = t;
        }
    return WEFT_OK;
}

/* Sum and product, by way of scratch. */
static weft_status both_run(const void *state, void *const *b, const weft_run_env *env) {
    const int64_t n = *(const int64_t *)state;
    int32_t *scratch = b[3], *sum = b[1], *product = b[2];
    (void)env;
    memcpy(scratch, b[0], (size_t)n * sizeof *scratch);
    *sum = 0, *product = 1;
    for (int64_t i = 0; i < n; i++) *sum += scratch[i], *product *= scratch[i];
    return WEFT_OK;
}

static weft_status add_run(const void *state, void *const *b, const weft_run_env *env) {
    const int32_t *x = b[0];
    int32_t *y = b[1];
    (void)env;
    for (int i = 0; i < N; i++) y[i] = x[i] + *(const int32_t *)state;
    return WEFT_OK;
}

static int32_t written[8];
static int write_count;

static weft_status write_run(const void *state, void *const *b, const weft_run_env *env) {
    (void)b, (void)env;
    written[write_count++] = *(const int32_t *)state;
    return WEFT_OK;
}

static weft_status refuse_run(const void *state, void *const *b, const weft_run_env *env) {
    (void)state;
    return weft_step_fail(env, WEFT_ERR_MISMATCH, "the first is %d", *(const int32_t *)b[0]);
}

typedef struct twice_state { weft_body_fn body; } twice_state;
static weft_status apply_run(const void *state, void *const *b, const weft_run_env *env) {
    (void)env;
    ((const twice_state *)state)->body((const void *[]){ b[0] }, (void *[]){ b[1] });
    return WEFT_OK;
}

/* The same as kernels. */
static const weft_kernel sort = { .name = "sort_slowly", .run = sort_run, .flags = WEFT_KERNEL_HAS_BODY };
static const weft_kernel both = { .name = "both", .run = both_run };
static const weft_kernel add = { .name = "add", .run = add_run };
static const weft_kernel write_down = { .name = "write", .run = write_run };
static const weft_kernel refuse = { .name = "refuse", .run = refuse_run };
static const weft_kernel apply = { .name = "apply", .run = apply_run, .flags = WEFT_KERNEL_HAS_BODY };
static const weft_kernel *const kernels[] = { &sort, &both, &add, &write_down, &refuse, &apply };
static const weft_kernel_set all_kernels = { kernels, WEFT_COUNT(kernels), NULL };

/* --- graphs made by hand: @main(tensor<6xi32>) --- */

typedef struct maker {
    weft_context *cx;
    weft_module *m;
    cg_graph g;
    cg_block *main;
    const weft_type *scalar, *vector;
} maker;

static weft_status make(maker *k, weft_context *cx) {
    static const char text[] = "func.func @main(%a: tensor<6xi32>) -> tensor<6xi32> {\n return %a : tensor<6xi32>\n}\n";
    *k = (maker){ .cx = cx };
    cg_graph_init(&k->g, k->cx);
    weft_status st = weft_read_text(k->cx, weft_str_from(text), "test", 0, &k->m);
    if (st == WEFT_OK)
        st = cg_import_main(&k->g, k->m, &(weft_compile_options){ .device_count = 1 }, (weft_grid){ 1, 1 }, &k->main);
    if (st != WEFT_OK) return st;
    k->g.block = k->main;
    k->scalar = weft_type_tensor(k->cx, WEFT_I32, 0, NULL);
    k->vector = weft_type_tensor(k->cx, WEFT_I32, 1, (int64_t[]){ N });
    return k->scalar && k->vector ? WEFT_OK : weft_oom();
}

static void unmake(maker *k) {
    weft_module_free(k->m);
    cg_graph_free(&k->g);
}

static cg_block *scalars(maker *k, weft_dtype t, uint32_t args) {
    const weft_type *type = weft_type_tensor(k->cx, t, 0, NULL);
    cg_block *b = cg_block_new(&k->g, k->main);
    if (!b || !type || !(b->args = weft_arena_array(&k->g.arena, cg_node *, args)) ||
        !(b->results = weft_arena_array(&k->g.arena, cg_node *, 1))) {
        k->g.status = weft_oom();
        return NULL;
    }
    b->arg_count = args;
    b->result_count = 1;
    k->g.block = b;
    for (uint32_t i = 0; i < args; i++) b->args[i] = cg_argument(&k->g, b, i, type);
    return b;
}

static weft_status give(maker *k, cg_node *const *results, uint32_t n) {
    k->main->results = weft_arena_dup(&k->g.arena, results, n * sizeof *results, _Alignof(cg_node *));
    k->main->result_count = n;
    for (uint32_t i = 0; i < n; i++)
        if (!results[i]) return k->g.status;
    return k->main->results ? k->g.status : weft_oom();
}

static weft_status compile(maker *k, weft_executable **x) {
    return cg_compile(&k->g, k->main, k->m, &(weft_compile_options){ .device_count = 1 }, x);
}

static const int32_t input[N] = { 5, -3, 9, 0, 2, -3 };

static void *argument(void) {
    void *p = walk_buffer(sizeof input);
    memcpy(p, input, sizeof input);
    return p;
}

static weft_status sorted(maker *k) {
    sort_state state = { NULL, N };
    cg_block *less = scalars(k, WEFT_I32, 2);
    cg_node *out = NULL;
    if (!less) return weft_oom();
    less->results[0] = cg_scalar(&k->g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_LT, less->args);
    k->g.block = k->main;
    if (!less->results[0]) return k->g.status;
    const cg_call_spec spec = {
        .kernel = &sort, .state = &state, .state_bytes = sizeof state, .in_place = 1, .body = less
    };
    cg_node *in =
        cg_binary(&k->g, CG_OP_add, k->main->args[0], cg_splat_value(&k->g, WEFT_I32, 1, (int64_t[]){ N }, 1));
    cg_call(&k->g, &spec, &in, 1, &k->vector, 1, &out);
    return give(k, &out, 1);
}

START_TEST(test_body) {
    maker k;
    weft_executable *x = NULL;
    int32_t *out = walk_buffer(sizeof input);
    void *in = argument();
    static const int32_t want[N] = { -2, -2, 1, 3, 6, 10 };
    ck_assert_int_eq(make(&k, weft_context_new(NULL)), WEFT_OK);
    ck_assert_int_eq(sorted(&k), WEFT_OK);
    ck_assert_int_eq(compile(&k, &x), WEFT_OK);
    unmake(&k);
    weft_context_free(k.cx);
    ck_assert_int_eq(walk_run(x, (void *[]){ in }, (void *[]){ out }, NULL), WEFT_OK);
    ck_assert_mem_eq(out, want, sizeof want);
    weft_executable_free(x);
    free(in);
    free(out);
}
END_TEST

static weft_status compile_sorted(weft_context *cx, void *user) {
    maker k;
    weft_executable *x = NULL;
    (void)user;
    weft_status st = make(&k, cx);
    if (st == WEFT_OK) st = sorted(&k);
    if (st == WEFT_OK) st = compile(&k, &x);
    unmake(&k);
    weft_executable_free(x);
    return st;
}

START_TEST(test_allocation) { weft_test_each_failure(compile_sorted, NULL); }
END_TEST

START_TEST(test_results_and_scratch) {
    maker k;
    weft_executable *x = NULL;
    const int64_t n = N;
    cg_node *out[2];
    int32_t *sum = walk_buffer(4), *product = walk_buffer(4);
    void *in = argument();
    ck_assert_int_eq(make(&k, weft_context_new(NULL)), WEFT_OK);
    const cg_call_spec spec = { .kernel = &both, .state = &n, .state_bytes = sizeof n,
                                .scratch_bytes = sizeof input, .flops = 12 };
    cg_node *inc = cg_binary(&k.g, CG_OP_add, k.main->args[0], cg_splat_value(&k.g, WEFT_I32, 1, (int64_t[]){ N }, 10));
    cg_call(&k.g, &spec, &inc, 1, (const weft_type *[]){ k.scalar, k.scalar }, 2, out);
    ck_assert_int_eq(give(&k, out, 2), WEFT_OK);
    ck_assert_int_eq(compile(&k, &x), WEFT_OK);
    ck_assert_int_eq(walk_run(x, (void *[]){ in }, (void *[]){ sum, product }, NULL), WEFT_OK);
    ck_assert_int_eq(*sum, 70);
    ck_assert_int_eq(*product, 15 * 7 * 19 * 10 * 12 * 7);
    ck_assert_int_eq(x->plan.steps[x->plan.step_count - 1].kind, WEFT_PLAN_LIBRARY);
    ck_assert(x->plan.steps[x->plan.step_count - 1].flops == 12);
    ck_assert_int_eq(x->plan.steps[x->plan.step_count - 1].write_bytes, 8);
    unmake(&k);
    weft_context_free(k.cx);
    weft_executable_free(x);
    free(in), free(sum), free(product);
}
END_TEST

/* How many steps the calls leave. */
static const struct {
    const char *name;
    int32_t state[2];
    bool used[2];
    unsigned flags;
    uint32_t steps;
    int32_t want[N];
} merging[] = {
    { "equal calls are one", { 7, 7 }, { true, true }, 0, 2, { 24, 8, 32, 14, 18, 8 } },
    { "different states are two", { 7, 8 }, { true, true }, 0, 3, { 25, 9, 33, 15, 19, 9 } },
    { "what nobody uses is gone", { 7, 8 }, { false, true }, 0, 2, { 26, 10, 34, 16, 20, 10 } },
    { "but not what has effects", { 7, 8 }, { false, true }, CG_CALL_EFFECTS, 3, { 26, 10, 34, 16, 20, 10 } },
    { "nor is that one with its equal", { 7, 7 }, { true, true }, CG_CALL_EFFECTS, 3, { 24, 8, 32, 14, 18, 8 } },
};

START_TEST(test_merging) {
    maker k;
    weft_executable *x = NULL;
    cg_node *out[2], *sum;
    int32_t *result = walk_buffer(sizeof input);
    void *in = argument();
    ck_assert_int_eq(make(&k, weft_context_new(NULL)), WEFT_OK);
    for (int i = 0; i < 2; i++) {
        const cg_call_spec spec = {
            .kernel = &add, .state = &merging[_i].state[i], .state_bytes = 4, .flags = merging[_i].flags
        };
        cg_call(&k.g, &spec, k.main->args, 1, &k.vector, 1, &out[i]);
    }
    sum = cg_binary(&k.g, CG_OP_add, out[!merging[_i].used[0]], out[merging[_i].used[1]]);
    ck_assert_int_eq(give(&k, &sum, 1), WEFT_OK);
    ck_assert_int_eq(compile(&k, &x), WEFT_OK);
    ck_assert_msg(x->step_count == merging[_i].steps, "%s: %u steps", merging[_i].name, x->step_count);
    ck_assert_int_eq(walk_run(x, (void *[]){ in }, (void *[]){ result }, NULL), WEFT_OK);
    ck_assert_mem_eq(result, merging[_i].want, sizeof merging[_i].want);
    unmake(&k);
    weft_context_free(k.cx);
    weft_executable_free(x);
    free(in), free(result);
}
END_TEST

/* Calls without operands and results run all, in the order in which they were made. */
START_TEST(test_effects_in_order) {
    maker k;
    weft_executable *x = NULL;
    int32_t *result = walk_buffer(sizeof input);
    void *in = argument();
    write_count = 0;
    ck_assert_int_eq(make(&k, weft_context_new(NULL)), WEFT_OK);
    for (int32_t i = 0; i < 8; i++) {
        const int32_t number = i * 5 % 8;
        const cg_call_spec spec = {
            .kernel = &write_down, .state = &number, .state_bytes = 4, .flags = CG_CALL_EFFECTS
        };
        ck_assert_ptr_nonnull(cg_call(&k.g, &spec, k.main->args, i & 1, NULL, 0, NULL));
    }
    ck_assert_int_eq(give(&k, &k.main->args[0], 1), WEFT_OK);
    ck_assert_int_eq(compile(&k, &x), WEFT_OK);
    ck_assert_int_eq(walk_run(x, (void *[]){ in }, (void *[]){ result }, NULL), WEFT_OK);
    ck_assert_int_eq(write_count, 8);
    for (int32_t i = 0; i < 8; i++) ck_assert_int_eq(written[i], i * 5 % 8);
    unmake(&k);
    weft_context_free(k.cx);
    weft_executable_free(x);
    free(in), free(result);
}
END_TEST

/* A splat stands in memory for a call, and so the failure sees it. */
START_TEST(test_failure) {
    maker k;
    weft_executable *x = NULL;
    weft_failure why;
    const weft_step *where = NULL;
    int32_t *result = walk_buffer(sizeof input);
    void *in = argument();
    ck_assert_int_eq(make(&k, weft_context_new(NULL)), WEFT_OK);
    const weft_loc *loc = weft_loc_file(k.cx, weft_name_from(k.cx, "a.mlir"), 7, 3);
    k.g.loc = loc;
    cg_node *splat = cg_splat_value(&k.g, WEFT_I32, 1, (int64_t[]){ N }, 42);
    const cg_call_spec spec = { .kernel = &refuse, .flags = CG_CALL_EFFECTS };
    ck_assert_ptr_nonnull(cg_call(&k.g, &spec, &splat, 1, NULL, 0, NULL));
    ck_assert_int_eq(give(&k, &k.main->args[0], 1), WEFT_OK);
    ck_assert_int_eq(compile(&k, &x), WEFT_OK);
    ck_assert_int_eq(walk_run_why(x, (void *[]){ in }, (void *[]){ result }, &why, &where), WEFT_ERR_MISMATCH);
    ck_assert_str_eq(why.text, "the first is 42");
    ck_assert_ptr_nonnull(where);
    ck_assert_ptr_eq(where->loc, loc);
    ck_assert_str_eq(where->label, "refuse");
    /* nobody asks why */
    ck_assert_int_eq(walk_run(x, (void *[]){ in }, (void *[]){ result }, NULL), WEFT_ERR_MISMATCH);
    unmake(&k);
    weft_context_free(k.cx);
    weft_executable_free(x);
    free(in), free(result);
}
END_TEST

/* Text that is too long is shortened. */
START_TEST(test_long_failure) {
    char text[2000];
    weft_failure why;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    ck_assert_int_eq(weft_step_fail(&(weft_run_env){ .failure = &why }, WEFT_ERR_IO, "%s", text), WEFT_ERR_IO);
    ck_assert_uint_eq(strlen(why.text), sizeof why.text - 1);
}
END_TEST

/* x = x + x, 40 times: as a tree it has 2^40 leaves. */
START_TEST(test_shared_nodes) {
    maker k;
    weft_executable *x = NULL;
    int64_t *result = walk_buffer(8), *in;
    ck_assert_int_eq(make(&k, weft_context_new(NULL)), WEFT_OK);
    cg_block *body = scalars(&k, WEFT_I64, 1);
    cg_node *v = body->args[0], *three;
    for (int i = 0; i < 40; i++) v = cg_binary(&k.g, CG_OP_add, v, v);
    body->results[0] = v;
    k.g.block = k.main;
    const weft_type *type = weft_type_tensor(k.cx, WEFT_I64, 0, NULL);
    const twice_state state = { NULL };
    const cg_call_spec spec = {
        .kernel = &apply, .state = &state, .state_bytes = sizeof state, .body = body
    };
    three = cg_splat_value(&k.g, WEFT_I64, 0, NULL, 3);
    cg_call(&k.g, &spec, &three, 1, &type, 1, &v);
    ck_assert_int_eq(give(&k, &v, 1), WEFT_OK);
    ck_assert_int_eq(compile(&k, &x), WEFT_OK);
    in = argument();
    ck_assert_int_eq(walk_run(x, (void *[]){ in }, (void *[]){ result }, NULL), WEFT_OK);
    ck_assert_int_eq(*result, INT64_C(3) << 40);
    unmake(&k);
    weft_context_free(k.cx);
    weft_executable_free(x);
    free(in), free(result);
}
END_TEST

/* What is not a scalar of the body's arguments is refused where it is. */
START_TEST(test_bad_body) {
    maker k;
    cg_node *v;
    ck_assert_int_eq(make(&k, weft_context_new(NULL)), WEFT_OK);
    cg_block *body = scalars(&k, WEFT_I32, 1);
    body->results[0] = cg_iota(&k.g, WEFT_I32, 1, (int64_t[]){ N }, 0);
    k.g.block = k.main;
    const twice_state state = { NULL };
    const cg_call_spec spec = {
        .kernel = &apply, .state = &state, .state_bytes = sizeof state, .body = body
    };
    ck_assert_ptr_null(cg_call(&k.g, &spec, k.main->args, 1, &k.vector, 1, &v));
    ck_assert_ptr_null(v);
    ck_assert_int_eq(k.g.status, WEFT_ERR_UNSUPPORTED);
    ck_assert_uint_eq(weft_context_diag_count(k.cx), 1);
    unmake(&k);
    weft_context_free(k.cx);
}
END_TEST

/* Ranks compare what they compiled: the state is part of it. */
START_TEST(test_fingerprint) {
    uint64_t seen[3];
    static const int32_t states[3] = { 4, 5, 4 };
    for (int i = 0; i < 3; i++) {
        maker k;
        weft_executable *x = NULL;
        cg_node *out;
        ck_assert_int_eq(make(&k, weft_context_new(NULL)), WEFT_OK);
        const cg_call_spec spec = { .kernel = &add, .state = &states[i], .state_bytes = 4 };
        cg_call(&k.g, &spec, k.main->args, 1, &k.vector, 1, &out);
        ck_assert_int_eq(give(&k, &out, 1), WEFT_OK);
        ck_assert_int_eq(compile(&k, &x), WEFT_OK);
        seen[i] = x->fingerprint;
        weft_executable_free(x);
        unmake(&k);
        weft_context_free(k.cx);
    }
    ck_assert(seen[0] == seen[2]);
    ck_assert(seen[0] != seen[1]);
}
END_TEST

int main(void) {
    walk_kernels = &all_kernels;
    Suite *s = suite_create("codegen/call");
    TCase *tc = tcase_create("call");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_body);
    tcase_add_test(tc, test_allocation);
    tcase_add_test(tc, test_results_and_scratch);
    tcase_add_loop_test(tc, test_merging, 0, WEFT_COUNT(merging));
    tcase_add_test(tc, test_effects_in_order);
    tcase_add_test(tc, test_failure);
    tcase_add_test(tc, test_long_failure);
    tcase_add_test(tc, test_shared_nodes);
    tcase_add_test(tc, test_bad_body);
    tcase_add_test(tc, test_fingerprint);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
