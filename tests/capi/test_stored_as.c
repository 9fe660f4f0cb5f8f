/* Arrays in files that lay them out in another way (weft_stored_as): split, transposed, cut, stacked, converted, on
 * every mesh, against the elements' numbers; and rows that do not fit. */
#include <dirent.h>
#include <unistd.h>
#include <weft/checkpoint.h>
#include "base/dtype.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static weft_context *cx;
static char dir[64];

static void setup(void) {
    cx = weft_context_new(NULL);
    strcpy(dir, "/tmp/weft-stored-as-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void teardown(void) {
    char command[128];
    weft_context_free(cx);
    snprintf(command, sizeof command, "rm -r %s", dir);
    ck_assert_int_eq(system(command), 0);
}

static const char *last_message(void) {
    const size_t n = weft_context_diag_count(cx);
    const weft_diag *d = n ? weft_context_diag(cx, n - 1) : NULL;
    if (d) ck_assert_msg(d->file && strstr(d->file, "test_stored_as.c") && d->line > 0, "%s has no line", d->message);
    return d ? d->message : "";
}

#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())

enum { MOST = 1 << 12, RANK = 4 };

/* A type as text, "3x4xf32". */
typedef struct shape { int64_t dims[RANK]; size_t rank, n; weft_dtype dtype; } shape;
static shape shape_of(const char *type) {
    shape s = { .n = 1 };
    char *end;
    for (; *type >= '0' && *type <= '9'; type = end + 1) s.n *= (size_t)(s.dims[s.rank++] = strtoll(type, &end, 10));
    for (int t = 1; t < WEFT_DTYPE_COUNT; t++)
        if (!strcmp(weft_dtype_of((weft_dtype)t)->name, type)) s.dtype = (weft_dtype)t;
    return s;
}

/* Whole numbers that every float type here has, other ones in each part. */
static double value(size_t part, size_t i) { return (double)((i * 7 + part * 13) % 127); }

static void put(weft_client *c, weft_state *s, const char *name, const char *type, size_t part) {
    const shape t = shape_of(type);
    const size_t bytes = weft_dtype_bytes(t.dtype);
    char *data = calloc(t.n + 1, bytes);
    weft_array *a;
    for (size_t i = 0; i < t.n; i++) weft_dtype_store(t.dtype, data + i * bytes, value(part, i));
    OK(weft_array_from(c, type, NULL, NULL, data, t.n * bytes, &a));
    OK(weft_state_set(s, name, a));
    weft_array_release(a);
    free(data);
}

static weft_client *open_client(int64_t devices) {
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = devices };
    weft_client *c = NULL;
    ck_assert_int_eq(weft_client_open(cx, &o, &c), WEFT_OK);
    return c;
}

/* An array of `name` with the type, and in the files `parts` arrays h.0.w, h.1.w ... of the type stored. */
static const struct {
    const char *type, *stored, *order;
    size_t parts;
    int64_t dim, from, count;
    const char *sharding[3];             /* on "a=2", "a=3" and "a=2, b=2" */
} fits[] = {
    { "4x6xf32", "4x6xf32", NULL, 1, 0, 0, 0, { "a, -", "-, a", "a, b" } },
    { "4x6xf32", "6x4xf32", "1, 0", 1, 0, 0, 0, { "a, -", "-, a", "b, a" } },
    { "4x6xf32", "6x4xbf16", "1,0", 1, 0, 0, 0, { "-, a", "a, -", "b, a" } },
    { "4x6xbf16", "4x6xf64", NULL, 1, 0, 0, 0, { "-, a", "a, -", "b, a" } },
    { "4x2x3xf16", "4x18xf32", NULL, 1, 1, 6, 6, { "-, a, -", "a, -, -", "a, b, -" } },
    { "4x2x3xf32", "18x4xf32", "1, 0", 1, 0, 12, 6, { "-, a, -", "-, -, a", "b, a, -" } },
    { "3x4x2x3xf32", "18x4xf16", "1, 0", 3, 0, 12, 6, { "-, -, a, -", "a, -, -, -", "b, a, -, -" } },
    { "5x6xf32", "18xbf16", NULL, 5, 0, 3, 6, { "a, -", "a, -", "a, b" } },
    { "2x3x4x5xf32", "5x3x2x4xf32", "2,1,3,0", 1, 0, 0, 0, { "a, -, -, -", "-, a, -, -", "a, -, b, -" } },
    { "1x4x1x6xf32", "1x4x6x1xf32", NULL, 1, 0, 0, 0, { "-, a, -, -", "-, -, -, a", "-, a, -, b" } },
    { "4x1xi32", "4xi32", NULL, 1, 0, 0, 0, { "a, -", "a, -", "a*b, -" } },
    { "3xf32", "f32", NULL, 3, 0, 0, 0, { "a", "a", "a" } },
    { "0x3xf32", "0x3xbf16", NULL, 1, 0, 0, 0, { "-, a", "-, -", "-, -" } },
    { "40x50xf32", "50x40xbf16", "1, 0", 1, 0, 0, 0, { "a, -", "-, a", "b, a" } },
};

/* The element of the stored array that the array's element i is. */
static size_t source(shape stored, const char *order, int64_t dim, int64_t from, int64_t count, size_t i) {
    size_t perm[RANK] = { 0, 1, 2, 3 }, step[RANK] = { 0 }, n = 1, at = 0;
    for (size_t d = 0; order && d < stored.rank; d++, order += strcspn(order, "0123456789"))
        perm[d] = (size_t)strtol(order, (char **)&order, 10);
    for (size_t d = stored.rank; d-- > 0; n *= (size_t)stored.dims[d]) step[d] = n;
    if (count) at = (size_t)from * step[dim], stored.dims[dim] = count;
    for (size_t d = stored.rank; d-- > 0; i /= (size_t)stored.dims[perm[d]])
        at += i % (size_t)stored.dims[perm[d]] * step[perm[d]];
    return at;
}

static void check(weft_state *s, int n) {
    const shape t = shape_of(fits[n].type), stored = shape_of(fits[n].stored);
    const size_t bytes = weft_dtype_bytes(t.dtype), each = t.n / fits[n].parts;
    char *got = calloc(t.n + 1, bytes);
    OK(weft_array_read(weft_state_get(s, "w"), got, t.n * bytes));
    for (size_t i = 0; i < t.n; i++) {
        const size_t from = source(stored, fits[n].order, fits[n].dim, fits[n].from, fits[n].count, i % each);
        ck_assert_double_eq(weft_dtype_load(t.dtype, got + i * bytes), value(i / each, from));
    }
    free(got);
}

static void save_parts(const char *prefix, const char *stored, size_t parts) {
    weft_client *c = open_client(1);
    weft_state *s;
    char name[64];
    OK(weft_state_new(c, &s));
    for (size_t k = 0; k < parts; k++) {
        snprintf(name, sizeof name, parts > 1 ? "%sh.%zu.w" : "%sw", prefix, k);
        put(c, s, name, stored, k);
    }
    OK(weft_checkpoint_save(c, dir, s, 1, &(weft_checkpoint_options){ .blocking = 1, .file_bytes = 256 }));
    weft_state_free(s);
    weft_client_close(c);
}

START_TEST(test_fits) {
    static const struct { int64_t devices; const char *mesh; } meshes[] = {
        { 1, NULL }, { 2, "a=2" }, { 3, "a=3" }, { 4, "a=2, b=2" }
    };
    const weft_stored_as rows[] = { { .name = "w", .stored = "none" },
                                    { .name = "w", .stored = fits[_i].parts > 1 ? "h.{}.w" : "w", .dim = fits[_i].dim,
                                      .from = fits[_i].from, .count = fits[_i].count, .order = fits[_i].order } };
    const weft_restore_options o = { .as = rows, .as_count = 2, .prefix = "model." };
    save_parts(_i % 2 ? "model." : "", fits[_i].stored, fits[_i].parts);
    for (size_t m = 0; m < 4; m++) {
        weft_client *c = open_client(meshes[m].devices);
        weft_state *s;
        weft_array *a;
        OK(weft_state_new(c, &s));
        OK(weft_array_of_zeros(c, fits[_i].type, meshes[m].mesh, m ? fits[_i].sharding[m - 1] : NULL, &a));
        OK(weft_state_set(s, "w", a));
        weft_array_release(a);
        OK(weft_checkpoint_load(c, dir, s, &o, NULL));
        check(s, _i);
        weft_state_free(s);
        weft_client_close(c);
    }
}
END_TEST

/* ---- what does not fit ---- parts of 4x6xf32 are h.0.w to h.2.w, or w alone; the state has these. */

#define TEN_TIMES(x) x x x x x x x x x x
#define LONG_NAME TEN_TIMES(TEN_TIMES("layer.")) ".{}"
static const struct { const char *name, *type; } state[] = { { "w", "3x4x6xf32" }, { "layers/0/w", "4x6xf32" },
                                                              { "layers/1/w", "4x6xf32" }, { "step", "i64" } };
#define ALL "*, !step, !layers*"
static const struct {
    const char *said;
    weft_stored_as row;
    const char *arrays;
    size_t parts;
} wrong[] = {
    { NULL, { "w", "h.{}.w", 0, 0, 0, NULL }, ALL, 3 },
    { "there is no row for array 'layers/0/w', and the pattern of `arrays` does not take it away",
      { "w", "h.{}.w", 0, 0, 0, NULL }, NULL, 3 },
    { "the row of 'layers/0/v' is for no array; did you mean 'layers/0/w'?",
      { "layers/0/v", "h.{}.w", 0, 0, 0, NULL }, "none", 3 },
    { "row 0 of how arrays are stored has no name, or not where it is stored", { "w", NULL, 0, 0, 0, NULL }, ALL, 3 },
    { "row 0 of how arrays are stored has no name, or not where it is stored", { "", "h", 0, 0, 0, NULL }, ALL, 3 },
    { "the row of 'layers/{}/w': what is stored has at least as many numbers '{}' as the name, and at most 8",
      { "layers/{}/w", "w", 0, 0, 0, NULL }, ALL, 3 },
    { "the row of 'w': its names are longer than 512 characters", { "w", LONG_NAME, 0, 0, 0, NULL }, ALL, 3 },
    { "the row of 'w': dim, from and count are not negative", { "w", "h.{}.w", 0, -1, 0, NULL }, ALL, 3 },
    { "' has no array 'h.{}.w' of number 2, which is part of 'w', 3x4x6xf32",
      { "w", "h.{}.w", 0, 0, 0, NULL }, ALL, 2 },
    { "' is 4x6xf32: there are more of them", { "w", "h.{}.w", 0, 0, 0, NULL }, ALL, 4 },
    { "' has no array 'g.{}.w', which 'w' is stored as", { "w", "g.{}.w", 0, 0, 0, NULL }, ALL, 3 },
    { "' is 4x6xf32: what its row takes has not these dimensions, nor can they be split so",
      { "w", "h.{}.w", 0, 0, 0, "1, 0" }, ALL, 3 },
    { "' is 4x6xf32: what its row takes has not these dimensions, nor can they be split so",
      { "w", "w", 0, 0, 0, NULL }, ALL, 1 },
    { "' is 4x6xf32: its row's order is not one of its dimensions", { "w", "h.{}.w", 0, 0, 0, "0, 0" }, ALL, 3 },
    { "' is 4x6xf32: its row's order is not one of its dimensions", { "w", "h.{}.w", 0, 0, 0, "1, 0, 2" }, ALL, 3 },
    { "' is 4x6xf32: its row's order is not one of its dimensions", { "w", "h.{}.w", 0, 0, 0, "" }, ALL, 3 },
    { "' is 4x6xf32: the elements that its row takes are not in it", { "w", "h.{}.w", 1, 3, 4, NULL }, ALL, 3 },
    { "' is 4x6xf32: the elements that its row takes are not in it", { "w", "h.{}.w", 2, 0, 1, NULL }, ALL, 3 },
    { "array 'step' is i64, and 'w' in '", { "step", "w", 0, 0, 0, NULL }, "step", 1 },
    { "' is 4x6xf32: it has fewer dimensions than numbers", { "step", "h.{}.w", 0, 0, 0, NULL }, "step", 3 },
    { NULL, { "layers/{}/w", "h.{}.w", 0, 0, 0, NULL }, "layers*", 2 },
    { "' has an array 'h.2.w', and there is no 'layers/2/w' that it is for",
      { "layers/{}/w", "h.{}.w", 0, 0, 0, NULL }, "layers*", 3 },
};

static weft_state *make_state(weft_client *c) {
    weft_state *s;
    OK(weft_state_new(c, &s));
    for (size_t i = 0; i < sizeof state / sizeof *state; i++) put(c, s, state[i].name, state[i].type, 5);
    return s;
}

START_TEST(test_wrong) {
    const weft_restore_options o = { .as = &wrong[_i].row, .as_count = 1, .arrays = wrong[_i].arrays };
    save_parts("", "4x6xf32", wrong[_i].parts);
    weft_client *c = open_client(2);
    weft_state *s = make_state(c);
    const weft_status st = weft_checkpoint_load(c, dir, s, &o, NULL);
    ck_assert_msg((st == WEFT_OK) == !wrong[_i].said, "%s", last_message());
    ck_assert_uint_eq(weft_context_diag_count(cx), wrong[_i].said != NULL);
    if (wrong[_i].said)
        ck_assert_msg(strstr(last_message(), wrong[_i].said) != NULL, "'%s', not '%s'", last_message(), wrong[_i].said);
    float w[72];
    if (wrong[_i].said) { /* the state is as before */
        OK(weft_array_read(weft_state_get(s, "w"), w, sizeof w));
        for (size_t i = 0; i < 72; i++) ck_assert_float_eq(w[i], (float)value(5, i));
    }
    weft_state_free(s);
    weft_client_close(c);
}
END_TEST

static const char *same(void *user, const char *name) { (void)user; return name; }

START_TEST(test_rows_alone) {
    static const weft_stored_as row = { .name = "w", .stored = "h.{}.w" };
    save_parts("", "4x6xf32", 3);
    weft_client *c = open_client(1);
    weft_state *s = make_state(c), *empty;
    OK(weft_state_new(c, &empty));
    const weft_restore_options both = { .as = &row, .as_count = 1, .map = same }, rows = { .as = &row, .as_count = 1 };
    ck_assert_int_ne(weft_checkpoint_load(c, dir, s, &both, NULL), WEFT_OK);
    ck_assert_str_eq(last_message(), "names are given by a map or by rows, not by both");
    ck_assert_int_ne(weft_checkpoint_load(c, dir, empty, &rows, NULL), WEFT_OK);
    ck_assert_str_eq(last_message(), "a map of names needs a program, or a state that has arrays");
    weft_state_free(empty);
    weft_state_free(s);
    weft_client_close(c);
}
END_TEST

/* Arrays lie as the program's inputs; an input that it does not update needs no row, one that it does needs one. */
START_TEST(test_of_a_program) {
    static const weft_stored_as row = { .name = "w", .stored = "h.{}.w", .order = "1, 0" };
    weft_client *c = open_client(4);
    weft_graph *g = weft_graph_new(cx, "g");
    weft_tensor *x = weft_graph_input(g, "x", "2xf32"), *w = weft_graph_input(g, "w", "3x6x4xf32");
    weft_tensor *n = weft_graph_input(g, "n", "i32");
    weft_program *p;
    weft_state *s;
    save_parts("", "4x6xf32", 3);
    weft_shard(g, w, weft_graph_mesh(g, "a=2, b=2"), "-, a, b");
    weft_graph_update(g, w, weft_graph_add(g, w, w));
    weft_graph_update(g, n, weft_graph_add(g, n, n));
    weft_graph_output(g, "y", x);
    OK(weft_program_load(c, g, NULL, &p));
    OK(weft_state_new(c, &s));
    weft_restore_options o = { .program = p, .as = &row, .as_count = 1 };
    ck_assert_int_ne(weft_checkpoint_load(c, dir, s, &o, NULL), WEFT_OK);
    ck_assert_ptr_nonnull(strstr(last_message(), "there is no row for array 'n', and the pattern"));
    o.arrays = "*, !n";
    OK(weft_checkpoint_load(c, dir, s, &o, NULL));
    ck_assert_uint_eq(weft_state_count(s), 1);
    ck_assert_str_eq(weft_array_sharding(weft_state_get(s, "w")), "-, a, b");
    float got[72];
    OK(weft_array_read(weft_state_get(s, "w"), got, sizeof got));
    for (size_t i = 0; i < 72; i++) ck_assert_float_eq(got[i], (float)value(i / 24, i % 4 * 6 + i % 24 / 4));
    weft_program_close(p);
    weft_graph_free(g);
    weft_state_free(s);
    weft_client_close(c);
}
END_TEST

static weft_status load_rows(weft_context *own, void *user) {
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = 2 };
    static const weft_stored_as row = { .name = "w", .stored = "h.{}.w", .order = "0, 1" };
    weft_client *c = NULL;
    weft_state *s = NULL;
    weft_array *a = NULL;
    (void)user;
    weft_status st = weft_client_open(own, &o, &c);
    if (st == WEFT_OK) st = weft_state_new(c, &s);
    if (st == WEFT_OK) st = weft_array_of_zeros(c, "3x4x6xbf16", "a=2", "-, -, a", &a);
    if (st == WEFT_OK) st = weft_state_set(s, "w", a);
    if (st == WEFT_OK) st = weft_checkpoint_load(c, dir, s, &(weft_restore_options){ .as = &row, .as_count = 1 }, NULL);
    weft_array_release(a);
    weft_state_free(s);
    weft_client_close(c);
    return st;
}

START_TEST(test_memory_failures) {
    save_parts("", "4x6xf32", 3);
    weft_test_each_failure(load_rows, NULL);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/stored_as");
    TCase *tc = tcase_create("stored_as");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, test_fits, 0, (int)(sizeof fits / sizeof *fits));
    tcase_add_loop_test(tc, test_wrong, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, test_rows_alone);
    tcase_add_test(tc, test_of_a_program);
    tcase_add_test(tc, test_memory_failures);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
