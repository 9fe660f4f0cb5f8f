/* Shardings of other forms, imported: random grids of GSPMD give each device its part of the grid; damaged
 * texts are refused or read, and nothing worse; an imported program is not imported again; and memory may run out at
 * any point.
 */
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/pipeline.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "sharding/values.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { GRIDS = 200, DAMAGED = 400, ARGS = 3, MAX_DEVICES = 48 };

/* --- random grids ------------------------------------------------------------------------------------------------- */

/* two dimensions that split, one that replicates */
typedef struct grid { int64_t dims[3], devices[MAX_DEVICES]; } grid;

/* n as a product of `count` factors. */
static void factor(weft_rng *r, int64_t n, int64_t *out, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) out[i] = 1;
    for (int64_t p = 2; n > 1; p++)
        for (; n % p == 0; n /= p) out[weft_rng_below(r, count)] *= p;
}

static void shuffle(weft_rng *r, int64_t *v, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) v[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t k = weft_rng_below(r, i);
        const int64_t kept = v[i - 1];
        v[i - 1] = v[k];
        v[k] = kept;
    }
}

/* The devices of an iota over `from`, transposed by perm, as the definition has it. */
static void transpose(const int64_t *from, const int64_t *perm, int64_t n, int64_t *devices) {
    for (int64_t k = 0; k < n; k++) {
        int64_t at[3], rest = k, device = 0;
        for (int i = 2; i >= 0; i--) at[perm[i]] = rest % from[perm[i]], rest /= from[perm[i]];
        for (int i = 0; i < 3; i++) device = device * from[i] + at[i];
        devices[k] = device;
    }
}

/* The grid with named axes: one axis for each dimension, in any order, or one for the first two, of which each takes
 * a part. Devices are listed in the order of the mesh. */
static void draw_named(weft_rng *r, int64_t n, grid *g, weft_buf *text) {
    int64_t perm[3] = { 0, 1, 2 };
    const bool parts = g->dims[0] > 1 && g->dims[1] > 1 && weft_rng_below(r, 2);
    shuffle(r, g->devices, (uint32_t)n);
    if (!parts) shuffle(r, perm, 3);
    weft_buf_puts(text, "{mesh[");
    if (parts) weft_buf_printf(text, "'ab'=%lld,'c'=%lld", (long long)(g->dims[0] * g->dims[1]), (long long)g->dims[2]);
    for (int i = 0; i < 3 && !parts; i++)
        weft_buf_printf(text, "%s'%c'=%lld", i ? "," : "", 'a' + (int)perm[i], (long long)g->dims[perm[i]]);
    weft_buf_puts(text, "], device_ids=(");
    for (int64_t place = 0; place < n; place++) {
        int64_t at[3], rest = place;
        for (int i = 2; i >= 0; i--) at[perm[i]] = rest % g->dims[perm[i]], rest /= g->dims[perm[i]];
        const int64_t device = g->devices[(at[0] * g->dims[1] + at[1]) * g->dims[2] + at[2]];
        weft_buf_printf(text, "%s%lld", place ? "," : "", (long long)device);
    }
    if (parts) weft_buf_printf(text, "), [{'ab':(1)%lld}, {'ab':(%lld)%lld}]", (long long)g->dims[0],
                               (long long)g->dims[0], (long long)g->dims[1]);
    else weft_buf_printf(text, "), [{'a'%s}, {'b'}]", weft_rng_below(r, 2) ? ", ?" : "");
    weft_buf_puts(text, weft_rng_below(r, 2) ? ", replicated={'c'}}" : "}");
}

static void draw_grid(weft_rng *r, int64_t n, grid *g, weft_buf *text) {
    int64_t from[3], perm[3];
    factor(r, n, g->dims, 3);
    if (weft_rng_below(r, 3) == 0) {
        draw_named(r, n, g, text);
        return;
    }
    weft_buf_printf(text, "{devices=[%lld,%lld,%lld]", (long long)g->dims[0], (long long)g->dims[1],
                    (long long)g->dims[2]);
    if (weft_rng_below(r, 3)) {
        factor(r, n, from, 3);
        shuffle(r, perm, 3);
        transpose(from, perm, n, g->devices);
        weft_buf_printf(text, "<=[%lld,%lld,%lld]T(%lld,%lld,%lld)", (long long)from[0], (long long)from[1],
                        (long long)from[2],
                        (long long)perm[0], (long long)perm[1], (long long)perm[2]);
    } else {
        shuffle(r, g->devices, (uint32_t)n);
        for (int64_t i = 0; i < n; i++) weft_buf_printf(text, "%s%lld", i ? "," : "", (long long)g->devices[i]);
    }
    weft_buf_puts(text, " last_tile_dim_replicate}");
}

/* Along dimension d each device has the part that the grid says. */
static void check_dimension(const weft_sharding *s, const grid *g, int64_t n, uint32_t d, const char *program) {
    const int64_t inner = d ? g->dims[2] : g->dims[1] * g->dims[2];
    ck_assert_msg(weft_axes_size(s->dims[d].axes) == g->dims[d], "dimension %u has other parts:\n%s", d, program);
    ck_assert(s->mesh->device_count == n || g->dims[d] == 1);
    for (int64_t place = 0; place < s->mesh->device_count && g->dims[d] > 1; place++) {
        int64_t at = 0;
        while (g->devices[at] != weft_mesh_device_at(s->mesh, place)) at++;
        ck_assert_msg(weft_mesh_number(s->mesh, s->dims[d].axes, place) == at / inner % g->dims[d],
                      "device %lld has another part of dimension %u:\n%s", (long long)g->devices[at], d, program);
    }
}

START_TEST(grids_say_who_has_what) {
    static const int64_t counts[] = { 2, 4, 6, 8, 12, 24, 30, 48 };
    const uint64_t number = weft_test_seed((uint64_t)_i);
    weft_rng r = { number };
    const int64_t n = counts[weft_rng_below(&r, WEFT_COUNT(counts))];
    weft_context *cx = weft_context_new(NULL);
    weft_shardings *t;
    weft_module *m = NULL;
    weft_buf text;
    grid grids[ARGS];
    weft_buf_init(&text, &cx->alloc);
    weft_buf_puts(&text, "func.func @main(");
    for (int i = 0; i < ARGS; i++) {
        weft_buf_printf(&text, "%s%%%c: tensor<96x96xf32> {mhlo.sharding = \"", i ? ", " : "", 'a' + i);
        draw_grid(&r, n, &grids[i], &text);
        weft_buf_puts(&text, "\"}");
    }
    weft_buf_puts(&text, ") -> tensor<96x96xf32> { return %a : tensor<96x96xf32> }");
    ck_assert_int_eq(weft_read_text(cx, (weft_str){ text.p, text.n }, "m.mlir", 0, &m), WEFT_OK);
    weft_status st = weft_pipeline_run(cx, WEFT_STR("weft-import"), WEFT_PIPELINE_VERIFY_EACH, &m);
    ck_assert_msg(st == WEFT_OK && !weft_context_diag_count(cx), "WEFT_SEED=%llu\n%s", (unsigned long long)number,
                  text.p);
    ck_assert_int_eq(weft_shardings_open(cx, m, &m->arena, &t), WEFT_OK);
    for (uint32_t i = 0; i < ARGS; i++) {
        const weft_sharding *s;
        const weft_attr *attr = weft_func_arg_attr(weft_module_main(m), i, WEFT_A_sdy_sharding);
        ck_assert_int_eq(weft_sharding_from_attr(t, attr, &weft_loc_unknown, &s), WEFT_OK);
        for (uint32_t d = 0; d < 2; d++) check_dimension(s, &grids[i], n, d, text.p);
    }
    weft_buf_free(&text);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* --- damaged texts ------------------------------------------------------------------------------------------------ */

/* One argument with this text; read, imported and dropped. Whatever the text is, it costs a warning at most. */
static void import_text(const char *sharding, uint64_t number) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    char program[512];
    snprintf(program, sizeof program, "func.func @main(%%a: tensor<8x8xf32> {mhlo.sharding = \"%s\"}) { return }",
             sharding);
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(program), "m.mlir", 0, &m), WEFT_OK);
    weft_status st = weft_pipeline_run(cx, WEFT_STR("weft-import"), WEFT_PIPELINE_VERIFY_EACH, &m);
    ck_assert_msg(st == WEFT_OK, "WEFT_SEED=%llu: %s", (unsigned long long)number, sharding);
    weft_module_free(m);
    weft_context_free(cx);
}

START_TEST(damaged_texts_are_warnings) {
    static const char *const whole[] = {
        "{devices=[2,2,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "{devices=[4,2]0,1,2,3,7,6,5,4}",
        "{{replicated}, {maximal device=3}}",
        "{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}", "{devices=[2,1]<=[2] metadata={op_name={a}}}",
        "{manual shard_as 7}", "{mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)), [{'x':(1)2}, {'y', ?}], manual={}}",
        "{mesh[x=6], device_ids=(5,4,3,2,1,0), [{x:(2)3}, {?}], replicated={x:(1)2}}", "{maximal_mesh[device_id=2]}",
    };
    static const char letters[] = "{}[]<=,T() 0123456789dmr':?xy";
    const uint64_t number = weft_test_seed((uint64_t)_i);
    weft_rng r = { number };
    char text[128];
    snprintf(text, sizeof text, "%s", whole[weft_rng_below(&r, WEFT_COUNT(whole))]);
    for (uint32_t k = weft_rng_below(&r, 3) + 1; k-- > 0;) {
        const size_t length = strlen(text), at = weft_rng_below(&r, (uint32_t)length);
        if (weft_rng_below(&r, 3)) text[at] = letters[weft_rng_below(&r, sizeof letters - 1)];
        else memmove(text + at, text + at + 1, length - at);
    }
    import_text(text, number);
}
END_TEST

/* --- the programs of the two passes' own tests -------------------------------------------------------------------- */

static const char *const files[] = { "propagate/import_gspmd", "pipeline/import_round_trip" };

static char *slurp(const char *name) {
    char path[512];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/tests/%s.mlir", top ? top : ".", name);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f, "cannot open %s", path);
    fseek(f, 0, SEEK_END);
    const long n = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)n + 1);
    ck_assert(text && fread(text, 1, (size_t)n, f) == (size_t)n);
    fclose(f);
    return text;
}

/* The next program before its "// ==>", those that are refused left out. */
static bool next_program(char **at, weft_str *out) {
    for (char *end; (end = strstr(*at, "// ==>\n"));) {
        *out = (weft_str){ *at, (size_t)(end - *at) };
        *at = strstr(end, "// -----\n") ? strstr(end, "// -----\n") : end + strlen(end);
        if (strncmp(end + strlen("// ==>\n"), "// error", strlen("// error"))) return true;
    }
    return false;
}

static weft_status import_and_drop(weft_context *cx, void *user) {
    const weft_str *text = user;
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, *text, "m.mlir", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-import"), WEFT_PIPELINE_TAKE, &m);
    weft_module_free(m);
    return st;
}

START_TEST(imports_without_memory) {
    char *text = slurp(files[_i]), *at = text;
    weft_str program;
    int n = 0;
    for (; next_program(&at, &program); n++) weft_test_each_failure(import_and_drop, &program);
    ck_assert_int_gt(n, 3);
    free(text);
}
END_TEST

static void print(const weft_module *m, weft_buf *out) {
    weft_buf_init(out, &m->cx->alloc);
    ck_assert_int_eq(weft_print_module(m, WEFT_PRINT_PRETTY, out), WEFT_OK);
}

START_TEST(the_second_time_changes_nothing) {
    char *text = slurp(files[_i]), *at = text;
    weft_str program;
    while (next_program(&at, &program)) {
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL;
        weft_buf once, twice;
        ck_assert_int_eq(weft_read_text(cx, program, "m.mlir", 0, &m), WEFT_OK);
        ck_assert_int_eq(weft_pipeline_run(cx, WEFT_STR("weft-import"), 0, &m), WEFT_OK);
        const size_t warnings = weft_context_diag_count(cx);
        print(m, &once);
        ck_assert_int_eq(weft_pipeline_run(cx, WEFT_STR("weft-import"), 0, &m), WEFT_OK);
        print(m, &twice);
        ck_assert_str_eq(once.p, twice.p);
        ck_assert_uint_eq(weft_context_diag_count(cx), warnings);
        weft_buf_free(&once);
        weft_buf_free(&twice);
        weft_module_free(m);
        weft_context_free(cx);
    }
    free(text);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/import");
    TCase *tc = tcase_create("import");
    const bool one = getenv("WEFT_SEED");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, grids_say_who_has_what, 0, one ? 1 : weft_test_long(GRIDS));
    tcase_add_loop_test(tc, damaged_texts_are_warnings, 0, one ? 1 : weft_test_long(DAMAGED));
    tcase_add_loop_test(tc, imports_without_memory, 0, (int)WEFT_COUNT(files));
    tcase_add_loop_test(tc, the_second_time_changes_nothing, 0, (int)WEFT_COUNT(files));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
