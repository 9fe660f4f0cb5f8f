/* Linear algebra over batches: whatever the number of the device's threads, the results are those of one thread, bit
 * for bit, and the plan is the same. Every routine in every type; batches around the numbers of threads, empty matrices
 * and single elements among the sizes; one matrix of a batch is not finite. */
#include <math.h>
#include <stdio.h>
#include "base/context.h"
#include "exec/kernels/kernels.h"
#include "exec/team.h"
#include "mlir/read.h"
#include "tests/codegen/tensor.h"
#include "tests/codegen/walk.h"
#include "tests/exec/steps.h"
#include "tests/support/suite.h"

enum { MOST = 10, THREADS = 4 };

static const weft_dtype types[] = { WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128 };
static const int64_t batches[] = { 0, 1, 2, 3, 9, 24 }, sizes[] = { 0, 1, 9 };

/* Values are an element (T of the type, R its real ones, C complex ones, I i32) and dimensions after the batch's: n, m
 * for n + 2, q for n - 1, 2. An argument H is a Hermitian and positive T. */
static const struct { const char *real, *complex_name, *in, *real_out, *complex_out, *config; } routines[] = {
    { "trsm", "trsm", "Hnn Tn2", "Tn2", "Tn2", "side = 76 : ui8, uplo = 76 : ui8, trans_x = 78 : ui8, diag = 78 : ui8" },
    { "potrf", "potrf", "Hnn", "Tnn I", "Tnn I", "uplo = 76 : ui8" },
    { "getrf", "getrf", "Tmn", "Tmn In I", "Tmn In I", "" },
    { "geqrf", "geqrf", "Tmn", "Tmn Tn", "Tmn Tn", "" },
    { "geqp3", "geqp3", "Tmn In", "Tmn In Tn", "Tmn In Tn", "" },
    { "orgqr", "ungqr", "Tmn Tn", "Tmn", "Tmn", "" },
    { "ormqr", "unmqr", "Tmn Tn Tm2", "Tm2", "Tm2", "left = true, transpose = false" },
    { "gesdd", "gesdd", "Tmn", "Tmn Rn Tmn Tnn I", "Tmn Rn Tmn Tnn I", "mode = 83 : ui8" },
    { "gesdd", "gesdd", "Tmn", "Tmn Rn Tmn Tnn I", "Tmn Rn Tmn Tnn I", "mode = 78 : ui8" },
    { "gesvd", "gesvd", "Tmn", "Tmn Rn Tmm Tnn I", "Tmn Rn Tmm Tnn I", "mode = 65 : ui8" },
    { "syevd", "heevd", "Hnn", "Tnn Rn I", "Tnn Rn I", "mode = 86 : ui8, uplo = 76 : ui8" },
    { "geev", "geev", "Tnn", "Tn Tn Cnn Cnn I", "Tn Tnn Tnn I", "compute_left = 86 : ui8, compute_right = 86 : ui8" },
    { "geev", "geev", "Tnn", "Tn Tn Cnn Cnn I", "Tn Tnn Tnn I", "compute_left = 78 : ui8, compute_right = 86 : ui8" },
    { "gees", "gees", "Tnn", "Tnn Tnn Tn Tn I I", "Tnn Tnn Tn I I", "mode = 86 : ui8, sort = 78 : ui8" },
    { "gehrd", "gehrd", "Tnn", "Tnn Tq I", "Tnn Tq I", "low = 1 : i32, high = N : i32" },
    { "sytrd", "hetrd", "Hnn", "Tnn Rn Rq Tq I", "Tnn Rn Rq Tq I", "uplo = 76 : ui8" },
    { "gtsv", "gtsv", "Tn Tn Tn Tn2", "Tn Tn Tn Tn2 I", "Tn Tn Tn Tn2 I", "" },
};

typedef struct batch { weft_dtype type; int64_t count, n; } batch;

static weft_dtype type_of(const batch *b, char letter) {
    const bool wide = b->type == WEFT_F64 || b->type == WEFT_C128;
    switch (letter) {
    case 'R': return wide ? WEFT_F64 : WEFT_F32;
    case 'C': return wide ? WEFT_C128 : WEFT_C64;
    case 'I': return WEFT_I32;
    default: return b->type;
    }
}

static int64_t dim_of(const batch *b, char letter) {
    return letter == 'm' ? b->n + 2 : letter == 'q' ? (b->n > 0 ? b->n - 1 : 0) : letter == 'n' ? b->n : letter - '0';
}

static int64_t elems_of(const batch *b, const char *word) {
    int64_t n = b->count;
    for (const char *p = word + 1; *p && *p != ' '; p++) n *= dim_of(b, *p);
    return n;
}

static const char *next(const char *word) {
    word += strcspn(word, " ");
    return word + strspn(word, " ");
}

/* Of each value of words its type; or the order of its dimensions, matrices column by column. */
static void list(char *out, const char *words, const batch *b, bool layouts) {
    *out = 0;
    for (const char *w = words; *w; w = next(w)) {
        const size_t rank = strcspn(w, " ");
        if (w != words) out += sprintf(out, ", ");
        if (layouts)
            out += sprintf(out, "dense<[%s0]> : tensor<%zuxindex>", rank == 3 ? "1, 2, " : rank == 2 ? "1, " : "",
                           rank);
        else {
            out += sprintf(out, "tensor<%lldx", (long long)b->count);
            for (size_t i = 1; i < rank; i++) out += sprintf(out, "%lldx", (long long)dim_of(b, w[i]));
            out += sprintf(out, "%s>", weft_dtype_of(type_of(b, *w))->name);
        }
    }
}

static int count_of(const char *words) {
    int n = 0;
    for (; *words; words = next(words)) n++;
    return n;
}

static void names(char *out, const char *prefix, int n) {
    *out = 0;
    for (int i = 0; i < n; i++) out += sprintf(out, "%s%s%d", i ? ", " : "", prefix, i);
}

/* The body of @main between its arguments and its results. */
static void program(char *text, size_t size, const char *op, const char *in, const char *out, const batch *b) {
    char args[512] = "", results[512], returned[64], *to = args;
    int i = 0;
    for (const char *w = in; *w; w = next(w), i++) {
        char one[8] = "";
        strncat(one, w, strcspn(w, " "));
        to += sprintf(to, "%s%%a%d: ", i ? ", " : "", i);
        list(to, one, b, false);
        to += strlen(to);
    }
    list(results, out, b, false);
    names(returned, "%r#", count_of(out));
    snprintf(text, size, "func.func @main(%s) -> (%s) {\n %%r:%d = %s\n return %s : %s\n}\n", args, results,
             count_of(out), op, returned, results);
}

/* ---- arguments ---- */

static void *argument(const batch *b, const char *word, uint64_t seed) {
    const weft_dtype t = type_of(b, *word);
    const int64_t n = elems_of(b, word), order = b->n;
    if (*word == 'I') return walk_buffer((size_t)n * 4); /* of geqp3: all columns are free */
    void *a = tensor_random(t, n, seed);
    for (int64_t i = 0; *word == 'H' && i < n; i++) {
        const int64_t r = i / order % order, c = i % order;
        if (r > c) tensor_put(t, a, i, conj(tensor_get(t, a, i + (c - r) * order + r - c)));
        if (r == c) tensor_put(t, a, i, creal(tensor_get(t, a, i)) + 2.0 * (double)order);
    }
    if (seed == 0 && n > 1 && b->count > 1) tensor_put(t, a, n - 1, NAN); /* of the last matrix */
    return a;
}

static size_t bytes_of(const batch *b, const char *word) {
    return (size_t)elems_of(b, word) * weft_dtype_bytes(type_of(b, *word));
}

/* ---- runs ---- */

/* Whether threads share a step of the program. */
static bool is_shared(const weft_executable *x) {
    for (uint32_t i = 0; i < x->step_count; i++)
        if (x->steps[i].code.kernel && x->steps[i].code.split.grains > 1) return true;
    return false;
}

/* A run may write over its arguments' memory. */
static void run(const weft_executable *x, const batch *b, const char *in, const char *out, struct weft_team *team,
                void **results) {
    void *args[MOST];
    int n = 0, m = 0;
    for (const char *w = in; *w; w = next(w), n++) args[n] = argument(b, w, (uint64_t)n);
    for (const char *w = out; *w; w = next(w)) results[m++] = walk_buffer(bytes_of(b, w));
    weft_context *cx = weft_context_new(NULL);
    const steps_run r = { .x = x, .args = args, .results = results, .team = team };
    ck_assert_int_eq(steps_walk(cx, &weft_kernels, &r), WEFT_OK);
    weft_context_free(cx);
    while (n > 0) free(args[--n]);
}

static weft_executable *compiled(weft_context *cx, const char *text, double split_s) {
    weft_module *m = NULL;
    weft_executable *x = NULL;
    weft_machine machine = weft_machine_default;
    machine.costs.split_s = split_s;
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    const weft_compile_options opt = { .device_count = 1, .machine = &machine };
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, &opt, &x);
    ck_assert_msg(st == WEFT_OK, "%s\n%s", text, weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    weft_module_free(m);
    return x;
}

static void check(const char *text, const batch *b, const char *in, const char *out, struct weft_team *const *teams) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *whole = compiled(cx, text, 1e30), *split = compiled(cx, text, 1e-30);
    void *want[MOST], *got[MOST];
    ck_assert_int_eq(whole->temp_bytes, split->temp_bytes);
    ck_assert(!is_shared(whole) && (is_shared(split) || !b->n || !b->count));
    run(whole, b, in, out, NULL, want);
    for (int k = 0; k < THREADS; k++) {
        run(split, b, in, out, teams[k], got);
        int r = 0;
        for (const char *w = out; *w; w = next(w), r++) {
            ck_assert_msg(!memcmp(want[r], got[r], bytes_of(b, w)), "result %d differs on %d threads\n%s", r, k + 1,
                          text);
            free(got[r]);
        }
    }
    for (int r = 0; r < count_of(out); r++) free(want[r]);
    weft_executable_free(whole), weft_executable_free(split);
    weft_context_free(cx);
}

/* What is done with the programs of a test: for each batch and size, on teams of 1 to THREADS threads. */
typedef void sized(const batch *b, struct weft_team *const *teams);

static void each_size(weft_dtype t, sized *do_it) {
    weft_context *cx = weft_context_new(NULL);
    struct weft_team *teams[THREADS];
    for (int k = 0; k < THREADS; k++) ck_assert_int_eq(weft_team_new(cx, &cx->alloc, k + 1, &teams[k]), WEFT_OK);
    for (size_t c = 0; c < WEFT_COUNT(batches); c++)
        for (size_t n = 0; n < WEFT_COUNT(sizes); n++)
            if (n == 2 || c == 3 || (n == 1 && c == 2)) do_it(&(batch){ t, batches[c], sizes[n] }, teams);
    for (int k = 0; k < THREADS; k++) weft_team_free(teams[k]);
    weft_context_free(cx);
}

static void lapack(const batch *b, struct weft_team *const *teams) {
    const bool complex_type = weft_dtype_is_complex(b->type);
    const char letter = "sdcz"[b->type == WEFT_F32 ? 0 : b->type == WEFT_F64 ? 1 : b->type == WEFT_C64 ? 2 : 3];
    for (size_t i = 0; i < WEFT_COUNT(routines); i++) {
        const char *out = complex_type ? routines[i].complex_out : routines[i].real_out, *in = routines[i].in;
        char text[8192], op[4096], args[64], types_in[512], types_out[512], layouts_in[512], layouts_out[512],
            config[256];
        const char *order = strchr(routines[i].config, 'N');
        if (order) sprintf(config, "%.*s%lld%s", (int)(order - routines[i].config), routines[i].config, (long long)b->n,
                           order + 1);
        else strcpy(config, routines[i].config);
        names(args, "%a", count_of(in));
        list(types_in, in, b, false), list(types_out, out, b, false);
        list(layouts_in, in, b, true), list(layouts_out, out, b, true);
        sprintf(op,
                "stablehlo.custom_call @lapack_%c%s_ffi(%s) {backend_config = \"\", mhlo.backend_config = {%s}, operand_layouts = [%s], result_layouts = [%s]} : (%s) -> (%s)",
                letter, complex_type ? routines[i].complex_name : routines[i].real, args, config, layouts_in,
                layouts_out, types_in, types_out);
        program(text, sizeof text, op, in, out, b);
        check(text, b, in, out, teams);
    }
}

START_TEST(test_lapack) {
    each_size(types[_i], lapack);
}
END_TEST

static void ops(const batch *b, struct weft_team *const *teams) {
    char text[8192], op[2048], a[128], y[128], d[128];
    list(a, "Hnn", b, false), list(y, "Tn2", b, false), list(d, "Tn", b, false);
    sprintf(op, "\"stablehlo.cholesky\"(%%a0) <{lower = true}> : (%s) -> %s", a, a);
    program(text, sizeof text, op, "Hnn", "Tnn", b);
    check(text, b, "Hnn", "Tnn", teams);
    sprintf(op,
            "\"stablehlo.triangular_solve\"(%%a0, %%a1) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (%s, %s) -> %s",
            a, y, y);
    program(text, sizeof text, op, "Hnn Tn2", "Tn2", b);
    check(text, b, "Hnn Tn2", "Tn2", teams);
    sprintf(op,
            "stablehlo.custom_call @tridiagonal_solve_perturbed_ffi(%%a0, %%a1, %%a2, %%a3) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (%s, %s, %s, %s) -> %s",
            d, d, d, y, y);
    program(text, sizeof text, op, "Tn Tn Tn Tn2", "Tn2", b);
    check(text, b, "Tn Tn Tn Tn2", "Tn2", teams);
}

START_TEST(test_ops) {
    each_size(types[_i], ops);
}
END_TEST

int main(void) {
    Suite *s = suite_create("batches");
    TCase *tc = tcase_create("batches");
    tcase_add_loop_test(tc, test_lapack, 0, WEFT_COUNT(types));
    tcase_add_loop_test(tc, test_ops, 0, WEFT_COUNT(types));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
