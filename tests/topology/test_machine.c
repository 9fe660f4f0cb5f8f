/* test_machine.c: descriptions of machines: the text read, refused and printed; machines by name; sizes; groups' shares
 * of the links. */
#include "base/context.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/support/random.h"
#include "tests/support/suite.h"
#include "topology/draw.h"

static weft_context *cx;
static void begin(void) { cx = weft_context_new(NULL); }
static void end(void) { weft_context_free(cx); }

static weft_status read_text(const char *text, weft_machine *m) {
    return weft_machine_read(cx, weft_str_from(text), "test.machine", m);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    int levels;
    int64_t devices;
    double outer_bw, outer_latency, inner_bw;
} good[] = {
    { "nodes 64 { gpu 8 nvlink 450GB/s 2us } fabric 50GB/s 5us", 2, 512, 50e9, 5e-6, 450e9 },
    { "torus 16x16x16 100GB/s", 1, 4096, 100e9, 0, 100e9 },
    { "grid 4x2 ici 50GB/s 500ns", 1, 8, 50e9, 0.5e-6, 50e9 },
    { "gpu 8 400Gbit/s", 1, 8, 50e9, 0, 50e9 },
    { "nodes * {\n  cores 4 1GiB/s 0.3us # a comment\n}\nlan 10Gbit/s shared 8us", 2, 4, 1.25e9 / 4, 8e-6, 0x1p30 },
    { "device 1.5Tflop/s engine bandwidth 2TB/s gpu 8 nvlink 450GB/s 2us", 1, 8, 450e9, 2e-6, 450e9 },
    { "about \"a rack\" device 1.5Tflop/s bandwidth 2TB/s memory 96GiB racks 2 { nodes 3 { torus 2x2 1TB/s } a 2GB/s } b 1GB/s 1ms",
      3, 24, 1e9, 1e-3, 1e12 },
    { "pod-2.b 3 x 1B/s 1s", 1, 3, 1, 1, 1 },
    { "costs { index 2kB keep 14.5 row 100KiB } costs { ring-gain 0.2 } gpu 8 1GB/s 1us", 1, 8, 1e9, 1e-6, 1e9 },
    { "costs { } gpu 8 1GB/s", 1, 8, 1e9, 0, 1e9 },
    { "# only\n#comments\nchips 1 1kB/s", 1, 1, 1e3, 0, 1e3 },
};

START_TEST(test_good) {
    weft_machine m;
    ck_assert_int_eq(read_text(good[_i].text, &m), WEFT_OK);
    ck_assert_int_eq(m.level_count, good[_i].levels);
    ck_assert_int_eq(weft_machine_devices(&m), good[_i].devices);
    ck_assert_double_eq_tol(m.levels[0].link.bytes_per_s, good[_i].outer_bw, 1e-9 * good[_i].outer_bw);
    ck_assert_double_eq_tol(m.levels[0].link.latency_s, good[_i].outer_latency, 1e-12);
    ck_assert_double_eq_tol(m.levels[m.level_count - 1].link.bytes_per_s, good[_i].inner_bw, 1e-9 * good[_i].inner_bw);
    ck_assert_double_gt(m.flops_per_s, 0);
    ck_assert_double_gt(m.links.copy_bytes_per_s, 0);
    ck_assert_int_eq(m.mover, strstr(good[_i].text, "engine") ? WEFT_MOVER_ENGINE : WEFT_MOVER_DEVICE);
}
END_TEST

/* What is printed reads to the same, and prints the same. */
START_TEST(test_print) {
    weft_machine m, again;
    weft_buf a, b;
    weft_buf_init(&a, &cx->alloc);
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(read_text(good[_i].text, &m), WEFT_OK);
    weft_machine_print(&m, &a);
    ck_assert_int_eq(read_text(a.p, &again), WEFT_OK);
    weft_machine_print(&again, &b);
    ck_assert_str_eq(a.p, b.p);
    ck_assert_int_eq(again.level_count, m.level_count);
    ck_assert_int_eq(again.mover, m.mover);
    ck_assert_int_eq(weft_machine_devices(&again), weft_machine_devices(&m));
    weft_buf_free(&a);
    weft_buf_free(&b);
}
END_TEST

/* A text gives one cost and no other; what is printed reads to the same value. The documentation has its line. */
START_TEST(test_costs) {
    static const char *const values[] = { [WEFT_RATE] = "3GB/s", [WEFT_TIME] = "3us", [WEFT_FLOPS] = "3Gflop/s",
                                          [WEFT_SIZE] = "0.5kB", [WEFT_NUMBER] = "0.75" };
    static const double want[] = { 3e9, 3e-6, 3e9, 500, 0.75 };
    const weft_cost_field *field = &weft_cost_fields[_i];
    weft_machine m, again;
    weft_buf text, line;
    weft_buf_init(&text, &cx->alloc);
    weft_buf_init(&line, &cx->alloc);
    weft_buf_printf(&text, "costs { %s %s } gpu 8 1GB/s", field->name, values[field->quantity]);
    ck_assert_int_eq(read_text(text.p, &m), WEFT_OK);
    text.n = 0;
    weft_machine_print(&m, &text);
    ck_assert_int_eq(weft_machine_read(cx, (weft_str){ text.p, text.n }, "again", &again), WEFT_OK);
    for (size_t i = 0; i < WEFT_COST_COUNT; i++) {
        const double v = i == (size_t)_i ? want[field->quantity] : weft_cost_get(&weft_machine_default.costs, i);
        ck_assert_double_eq_tol(weft_cost_get(&m.costs, i), v, 1e-12 * v + DBL_MIN);
        ck_assert_double_eq_tol(weft_cost_get(&again.costs, i), v, 1e-9 * v + DBL_MIN);
    }
    char path[4096], *docs = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/docs/topology.md", getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_gt(getdelim(&docs, &size, '\0', f), 0);
    fclose(f);
    weft_buf_printf(&line, "\n| `%s` | ", field->name);
    ck_assert_msg(strstr(docs, line.p), "docs/topology.md has no line for cost '%s'", field->name);
    free(docs);
    weft_buf_free(&text);
    weft_buf_free(&line);
}
END_TEST

/* Where a text is wrong, and a part of what is said there. */
static const struct { const char *text; int line, column; const char *message; } bad[] = {
    { "", 1, 1, "expected a level" },
    { "# nothing\n", 2, 1, "the description ends here" },
    { "gpu 8 nvlink 450GB/s 2us share 1.5", 1, 32, "out of range" },
    { "gpu 8 nvlink 450GB/s 2us reduces 0.5", 1, 34, "out of range" },
    { "gpu 8 nvlink 450GB/s ramp 2us", 1, 27, "expected a size" },
    { "gpu 8 nvlink 450GB/s launch 2us launch 3us", 1, 33, "'launch' is given twice" },
    { "nodes", 1, 6, "a count, as 8" },
    { "nodes 0 1GB/s", 1, 7, "at least one" },
    { "nodes 64 { gpu 8 nvlink 450GB/s 2us }", 1, 38, "the bandwidth of the link that joins the nodes" },
    { "nodes 64 { gpu 8 nvlink 450GB/s 2us fabric 50GB/s", 1, 37, "expected '}'" },
    { "nodes 64 { gpu 8 nvlink 450GB/s 2us", 1, 36, "expected '}'" },
    { "nodes 64 {\n  gpu 8 nvlink\n} fabric 50GB/s", 3, 1, "the bandwidth of the link that joins the gpu" },
    { "gpu 8 nvlink 2us 450GB/s", 1, 14, "not '2us'" },
    { "gpu 8 nvlink 450GB", 1, 14, "not '450GB'" },
    { "gpu 8 nvlink 450 GB/s", 1, 14, "not '450'" },
    { "gpu 8 nvlink 450GB/s 2 us", 1, 22, "expected a latency, as 2us, not '2'" },
    { "device 1Tflop/s bandwidth 1TB/s bandwidth 2TB/s gpu 8 1GB/s", 1, 33, "'bandwidth' is given twice" },
    { "device 1Tflop/s 2Tflop/s bandwidth 1TB/s gpu 8 1GB/s", 1, 17, "the arithmetic rate is given twice" },
    { "device 1Tflop/s bandwidth 1TB/s colour 80GB gpu 8 1GB/s", 1, 40, "a count, as 8" },
    { "gpu 8 nvlink 450gb/s", 1, 14, "not '450gb/s'" },
    { "gpu 8 nvlink 0GB/s", 1, 14, "out of range" },
    { "gpu 8 nvlink -5GB/s", 1, 14, "not '-'" },
    { "gpu 8 1GB/s 2parsec", 1, 13, "expected a latency, as 2us, not '2parsec'" },
    { "gpu 8 1GB/s 2us 3us", 1, 17, "the end of the description" },
    { "gpu 8 1GB/s } ", 1, 13, "the end of the description" },
    { "gpu 8x2 1GB/s", 1, 5, "only a torus or a grid has sizes" },
    { "gpu eight 1GB/s", 1, 5, "not 'eight'" },
    { "gpu 99999999999999999999 1GB/s", 1, 5, "at most 16777216 devices" },
    { "torus 1 1GB/s 1us torus", 1, 19, "the end" },
    { "torus * 1GB/s", 1, 7, "sizes, as 4x4x8" },
    { "torus 4x 1GB/s", 1, 7, "sizes, as 4x4x8" },
    { "torus 4xx4 1GB/s", 1, 7, "sizes, as 4x4x8" },
    { "torus 4x0 1GB/s", 1, 7, "at least one" },
    { "torus 2x2x2x2x2x2x2 1GB/s", 1, 7, "at most 6 dimensions" },
    { "torus 4x4 1GB/s shared", 1, 17, "belongs to one place" },
    { "torus 1024x1024x1024 1GB/s", 1, 1, "at most 16777216 devices" },
    { "a 2 { b * 1GB/s } 1GB/s", 1, 9, "only the outermost" },
    { "a 2 { a 2 1GB/s } 1GB/s", 1, 7, "'a' outside" },
    { "a 2{b 2{c 2{d 2{e 2{f 2{g 2{h 2{i 2 1B/s}1B/s}1B/s}1B/s}1B/s}1B/s}1B/s}1B/s}1B/s", 1, 33, "at most 8 levels" },
    { "a 2 { } 1GB/s", 1, 7, "expected a level" },
    { "device 1Tflop/s a 2 1GB/s", 1, 1, "memory's bandwidth" },
    { "device bandwidth 1TB/s a 2 1GB/s", 1, 1, "needs its arithmetic" },
    { "device 1Tflop/s bandwidth 2 a 2 1GB/s", 1, 27, "a bandwidth" },
    { "device 1Tflop/s 1TB/s a 2 1GB/s", 1, 17, "a property of a device" },
    { "device 1Tflop/s bandwidth 1TB/s memory 1TB/s a 2 1GB/s", 1, 40, "a size" },
    { "about nothing a 2 1GB/s", 1, 7, "a text in quotes" },
    { "about \"open\na 2 1GB/s", 1, 7, "a text in quotes" },
    { "a 2 1GB/s\n$", 2, 1, "not '$'" },
    { "costs keep 20 a 2 1GB/s", 1, 7, "'{' and costs" },
    { "costs { keep 20", 1, 16, "the description ends here" },
    { "costs { keep 200 300 } a 2 1GB/s", 1, 18, "a cost, as" },
    { "costs { keeps 20 } a 2 1GB/s", 1, 9, "there is no cost 'keeps'; did you mean 'keep'?" },
    { "costs { keep 200 } costs { keep 100 } a 2 1GB/s", 1, 28, "'keep' is given twice" },
    { "costs { index 2us } a 2 1GB/s", 1, 15, "a size" },
    { "costs { keep 2us } a 2 1GB/s", 1, 14, "a number" },
    { "costs { keep 1000000000 } a 2 1GB/s", 1, 14, "out of range" },
    { "costs { row 0B } a 2 1GB/s", 1, 13, "out of range" },
    { "costs { row 2MiB } a 2 1GB/s", 1, 13, "out of range" },
};

START_TEST(test_bad) {
    weft_machine m;
    ck_assert_int_eq(read_text(bad[_i].text, &m), WEFT_ERR_INVALID);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_ptr_nonnull(d);
    ck_assert_str_eq(d->file, "test.machine");
    ck_assert_msg(strstr(d->message, bad[_i].message), "'%s' is said, not '%s'", d->message, bad[_i].message);
    ck_assert_int_eq(d->line, bad[_i].line);
    ck_assert_int_eq(d->column, bad[_i].column);
    for (size_t i = 1; i < weft_context_diag_count(cx); i++)
        ck_assert_int_eq(weft_context_diag(cx, i)->severity, WEFT_NOTE);
}
END_TEST

/* Every beginning of a description is refused or read, and what is refused is reported. */
START_TEST(test_cut) {
    for (size_t n = 0; n <= strlen(good[_i].text); n++) {
        weft_machine m;
        size_t before = weft_context_diag_count(cx);
        weft_status st = weft_machine_read(cx, (weft_str){ good[_i].text, n }, "cut", &m);
        ASSERT_EACH(st == WEFT_OK || (st == WEFT_ERR_INVALID && weft_context_diag_count(cx) > before), "%zu bytes of '%s'", n, good[_i].text);
        ASSERT_EACH(st != WEFT_OK || weft_machine_devices(&m) >= 1, "%zu bytes of '%s'", n, good[_i].text);
    }
}
END_TEST

/* --- by name, and sizes ------------------------------------------------------------------------------------------- */

static char folder[4096];

static const struct { const char *what; int64_t devices; } named[] = {
    { "cpu-node", 8 },          { "dgx-h100", 8 },       { "dgx-h100:64", 512 },  { "tpu-v4", 4096 },        { "tpu-v4:4x4x8", 128 },
    { "tpu-v5e", 256 },         { "tpu-v5e:4x8", 32 },   { "trn1:3", 48 },        { "trn1:2x4", 8 },         { "trn2", 16 },
    { "archer2:128", 128 * 128 },
};
/* As they stand. */
static const struct { const char *what; int64_t devices; } described[] = {
    { "nodes 3 { gpu 8 nvlink 450GB/s 2us } fabric 50GB/s 5us", 24 }, { "torus 4x4 100GB/s", 16 }, { "device 1Tflop/s bandwidth 10GB/s gpu 2 0.5GB/s", 2 },
};

START_TEST(test_described) {
    weft_machine m;
    ck_assert_int_eq(weft_machine_open(cx, described[_i].what, folder, &m), WEFT_OK);
    ck_assert_int_eq(weft_machine_devices(&m), described[_i].devices);
}
END_TEST


/* A part's rate is shared by the devices that the part then has; of a slice only whole multiples close to rings. */
static const struct {
    const char *what;
    int level;
    double bytes_per_s;
    int32_t row[16];
    int n;
    double row_bytes_per_s, row_latency_s;
} sized[] = {
    { "trn1", 0, 6.25e9, { 0 }, 0, 0, 0 },
    { "trn1:2x2", 0, 25e9, { 0 }, 0, 0, 0 },
    { "trn1:8x8", 0, 1.5625e9, { 0 }, 0, 0, 0 },
    { "tpu-v5e:4x4", 1, 45e9, { 0, 1, 2, 3 }, 4, 45e9, 1.5e-6 }, /* a row, which ends */
    { "tpu-v5e:4x16", 1, 45e9, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }, 16, 90e9, 4e-6 },
    { "tpu-v5e:2x(4x4)", 0, 3.125e9, { 0, 16 }, 2, 3.125e9, 10e-6 }, /* two slices */
    { "tpu-v4:4x4x4", 1, 45e9, { 0, 1, 2, 3 }, 4, 90e9, 1e-6 },
    { "tpu-v4:6x6x6", 1, 45e9, { 0, 1, 2, 3, 4, 5 }, 6, 45e9, 2.5e-6 },
    { "torus 4x4 rings 2 10GB/s 1us", 0, 10e9, { 0, 1, 2, 3 }, 4, 20e9, 2e-6 },
};

START_TEST(test_sized) {
    weft_machine m, again;
    weft_buf text;
    ck_assert_int_eq(weft_machine_open(cx, sized[_i].what, folder, &m), WEFT_OK);
    ck_assert_double_eq_tol(m.levels[sized[_i].level].link.bytes_per_s, sized[_i].bytes_per_s, 1);
    if (sized[_i].n) {
        weft_reach r = weft_machine_reach(&m, sized[_i].row, sized[_i].n);
        ck_assert_double_eq_tol(r.link.bytes_per_s, sized[_i].row_bytes_per_s, 1);
        ck_assert_double_eq_tol(r.link.latency_s, sized[_i].row_latency_s, 1e-12);
    }
    weft_buf_init(&text, &cx->alloc);
    weft_machine_print(&m, &text);
    ck_assert_int_eq(weft_machine_read(cx, (weft_str){ text.p, text.n }, "again", &again), WEFT_OK);
    for (int i = 0; i < m.level_count; i++) {
        const weft_machine_level *a = &m.levels[i], *b = &again.levels[i];
        ck_assert_double_eq_tol(a->link.bytes_per_s, b->link.bytes_per_s, 1e-6 * a->link.bytes_per_s);
        ck_assert(a->is_shared == b->is_shared && a->rings == b->rings);
    }
    weft_buf_free(&text);
}
END_TEST

START_TEST(test_named) {
    weft_machine m;
    ck_assert_int_eq(weft_machine_open(cx, named[_i].what, folder, &m), WEFT_OK);
    ck_assert_int_eq(weft_machine_devices(&m), named[_i].devices);
    ck_assert_uint_gt(strlen(m.about), 0);
    ck_assert_int_eq(m.rates, WEFT_RATES_GIVEN);
}
END_TEST

static const struct { const char *what; weft_status status; const char *message; } not_named[] = {
    { "abacus", WEFT_ERR_USAGE, "no machine 'abacus'" },        { "dgx-h100:", WEFT_ERR_USAGE, "is not the size of a machine" },
    { "dgx-h100:0", WEFT_ERR_USAGE, "is not the size of a machine" },                { "dgx-h100:-1", WEFT_ERR_USAGE, "is not the size of a machine" },
    { "dgx-h100:4x4", WEFT_ERR_USAGE, "described by 1 size" },  { "tpu-v4:4x4", WEFT_ERR_USAGE, "described by 3 sizes, not 2" },
    { "tpu-v4:64", WEFT_ERR_USAGE, "described by 3 sizes" },    { "tpu-v4:4096x4096x4096", WEFT_ERR_USAGE, "at most" },
    { "./nowhere.machine", WEFT_ERR_IO, "cannot be opened" },   { "dgx-h100:99999999", WEFT_ERR_USAGE, "size" },
    { "tpu-v4:2x(4x4", WEFT_ERR_USAGE, "2x(4x4x8)" },            { "dgx-h100:2x(8)", WEFT_ERR_USAGE, "the size" },
    { "tpu-v4:2x(4x4)", WEFT_ERR_USAGE, "described by 3 sizes" }, { "tpu-v4:x(4x4x4)", WEFT_ERR_USAGE, "is not the size" },
    { ":", WEFT_ERR_USAGE, "no machine ''" },                    { "torus 4x4", WEFT_ERR_USAGE, "bandwidth" },
};

START_TEST(test_not_named) {
    weft_machine m;
    ck_assert_int_eq(weft_machine_open(cx, not_named[_i].what, folder, &m), not_named[_i].status);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_msg(d && strstr(d->message, not_named[_i].message), "'%s' is said, not '%s'", d ? d->message : "",
                  not_named[_i].message);
    if (d->file) ck_assert_str_eq(d->file, WEFT_MACHINE_TEXT);
}
END_TEST

static void count_one(void *user, const char *name, const char *about) {
    ck_assert_uint_gt(strlen(name), 0);
    ck_assert_uint_gt(strlen(about), 0);
    ++*(int *)user;
}

START_TEST(test_each) {
    int n = 0;
    ck_assert_int_eq(weft_machine_each(cx, folder, count_one, &n), WEFT_OK);
    ck_assert_int_ge(n, 6);
}
END_TEST

static void count_name(void *user, const char *name, const char *about) {
    (void)about;
    *(int *)user += !strcmp(name, "zebra");
}

/* One that is a folder and one that is wrong are reported, each once, and those after them are visited. */
START_TEST(test_each_behind_bad) {
    char own[128], command[512];
    int n = 0;
    snprintf(own, sizeof own, "/tmp/weft-machines-%ld", (long)getpid());
    snprintf(command, sizeof command,
             "mkdir -p %s/a.machine && echo 'torus' >%s/b.machine && echo 'gpu 2 1GB/s' >%s/zebra.machine", own, own,
             own);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(weft_machine_each(cx, own, count_name, &n), WEFT_ERR_IO);
    snprintf(command, sizeof command, "rm -r %s", own);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(n, 1);
    ck_assert_uint_eq(weft_context_diag_count(cx), 2);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "a.machine' cannot be read"));
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 1)->file, "b.machine"));
}
END_TEST

START_TEST(test_hold) {
    weft_machine m;
    ck_assert_int_eq(weft_machine_open(cx, "dgx-h100", folder, &m), WEFT_OK);
    ck_assert_int_eq(weft_machine_hold(cx, &m, 17), WEFT_OK);
    ck_assert_int_eq(weft_machine_devices(&m), 24);
    ck_assert_int_eq(weft_machine_hold(cx, &m, 25), WEFT_ERR_USAGE);
    for (int64_t n = 1; n <= 33; n++) { /* whole nodes of eight */
        ck_assert_int_eq(weft_machine_open(cx, "dgx-h100", folder, &m), WEFT_OK);
        ck_assert_int_eq(weft_machine_hold(cx, &m, n), WEFT_OK);
        ck_assert_int_eq(weft_machine_devices(&m), (n + 7) / 8 * 8);
    }
    ck_assert_int_eq(weft_machine_open(cx, "dgx-h100", folder, &m), WEFT_OK);
    ck_assert_int_eq(weft_machine_hold(cx, &m, INT64_MAX), WEFT_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 1)->message, "at most 16777216 devices"));
    m = weft_machine_default;
    ck_assert_int_eq(weft_machine_hold(cx, &m, WEFT_MACHINE_DEVICES + 1), WEFT_ERR_USAGE);
}
END_TEST

/* --- links of groups ---------------------------------------------------------------------------------------------- */

/* Members 0, stride, 2 stride ... and what each of them gets, in links of that level, after how many hops. */
static const struct {
    const char *machine;
    int64_t n, stride;
    int level;
    double links;
    int hops;
    int64_t inside;
} groups[] = {
    { "nodes 4 { gpu 8 a 1GB/s 1us } b 1GB/s 1us", 8, 1, 1, 1, 1, 1 },
    { "nodes 4 { gpu 8 a 1GB/s 1us } b 1GB/s 1us", 4, 8, 0, 1, 1, 1 },
    { "nodes 4 { gpu 8 a 1GB/s 1us } b 1GB/s 1us", 16, 2, 0, 1, 1, 4 },
    { "nodes 4 { gpu 8 a 1GB/s 1us } b 1GB/s 1us", 1, 1, -1, 0, 0, 1 },
    { "torus 4x8 1GB/s 1us", 8, 1, 0, 2, 4, 1 }, /* a whole ring: both ways */
    { "torus 4x8 1GB/s 1us", 4, 1, 0, 1, 3, 1 }, /* half of one: a row */
    { "torus 4x8 1GB/s 1us", 4, 2, 0, 1, 4,
      1 }, /* every second place: two groups share the ring, each goes both ways */
    { "torus 4x8 1GB/s 1us", 4, 8, 0, 2, 2, 1 }, /* the other dimension */
    { "torus 4x8 1GB/s 1us", 32, 1, 0, 4, 6, 1 }, /* both: four links each */
    { "torus 4x8 1GB/s 1us", 2, 7, 0, 1, 1, 1 }, /* neighbours over the edge */
    { "torus 4x8 1GB/s 1us", 2, 3, 0, 1.0 / 3, 3, 1 },
    { "grid 4x8 1GB/s 1us", 8, 1, 0, 1, 7, 1 },
    { "grid 4x8 1GB/s 1us", 2, 7, 0, 1.0 / 7, 7, 1 },
    { "torus 2x2 1GB/s 1us", 2, 1, 0, 1, 1, 1 }, /* a ring of two is one link */
    { "nodes 2 { torus 2x2 1GB/s 1us } 1GB/s 3us", 8, 1, 0, 1, 3, 4 },
};

START_TEST(test_reach) {
    weft_machine m;
    int32_t list[64];
    ck_assert_int_eq(read_text(groups[_i].machine, &m), WEFT_OK);
    for (int i = 0; i < groups[_i].n; i++) list[i] = (int32_t)(i * groups[_i].stride);
    weft_reach both[2] = { weft_machine_reach(&m, list, groups[_i].n),
                           weft_machine_reach_strided(&m, groups[_i].n, groups[_i].stride) };
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(both[k].level, groups[_i].level);
        ck_assert_int_eq(both[k].inside, groups[_i].inside);
        if (groups[_i].level < 0) continue;
        ck_assert_double_eq_tol(both[k].link.bytes_per_s, groups[_i].links * 1e9, 1);
        ck_assert_double_eq_tol(both[k].link.latency_s, groups[_i].hops * 1e-6, 1e-12);
    }
}
END_TEST

/* A list of rising strides and the same said as strides agree on every machine; so do a group and its shift by whole
 * parts. */
START_TEST(test_reach_random) {
    uint64_t seed = weft_test_seed(2026);
    weft_rng r = { seed };
    for (int round = 0; round < 2000; round++) {
        weft_machine m;
        int32_t list[64], moved[64];
        ck_assert_int_eq(read_text(good[weft_rng_below(&r, 6)].text, &m), WEFT_OK);
        int64_t devices = weft_machine_devices(&m), n = weft_rng_range(&r, 1, weft_min_i64(devices, 64));
        int64_t stride = weft_rng_range(&r, 1, devices / n);
        for (int i = 0; i < n; i++) list[i] = (int32_t)(i * stride), moved[n - 1 - i] = list[i];
        weft_reach a = weft_machine_reach(&m, list, n), b = weft_machine_reach_strided(&m, n, stride),
                   c = weft_machine_reach(&m, moved, n);
        ASSERT_EACH(a.level == b.level && a.level == c.level && a.inside == b.inside &&
                        a.link.bytes_per_s == b.link.bytes_per_s && a.link.latency_s == b.link.latency_s &&
                        a.link.bytes_per_s == c.link.bytes_per_s && a.inside_level == b.inside_level,
                    "seed %llu, round %d: %lld of stride %lld", (unsigned long long)seed, round, (long long)n,
                    (long long)stride);
    }
}
END_TEST

/* --- drawings ----------------------------------------------------------------------------------------------------- */

START_TEST(test_draw) {
    weft_machine m;
    weft_buf text, svg;
    weft_buf_init(&text, &cx->alloc);
    weft_buf_init(&svg, &cx->alloc);
    ck_assert_int_eq(read_text(good[_i].text, &m), WEFT_OK);
    weft_box *root = weft_machine_boxes(&cx->arena, &m, weft_machine_devices(&m));
    ck_assert_ptr_nonnull(root);
    weft_box_text(root, &text);
    ck_assert_ptr_nonnull(strstr(text.p, "machine test"));
    ck_assert_ptr_nonnull(strstr(text.p, "rank"));
    ck_assert_int_eq(weft_box_svg(cx, root, &svg), WEFT_OK);
    ck_assert_int_eq(strncmp(svg.p, "<svg ", 5), 0);
    ck_assert_str_eq(svg.p + svg.n - 7, "</svg>\n");
    weft_buf_free(&text);
    weft_buf_free(&svg);
}
END_TEST

/* A label is UTF-8 in whole characters: SVG may have nothing else. */
START_TEST(test_label) {
    char two[400];
    for (size_t i = 0; i < 199; i++) memcpy(two + 2 * i, "\xc3\xa4", 2);
    two[398] = 0;
    weft_box *b = weft_box_add(&cx->arena, NULL, WEFT_BOX_NODE, "n%s", "\xe9!");
    ck_assert_ptr_nonnull(b);
    ck_assert_str_eq(b->label, "n?!");
    b = weft_box_add(&cx->arena, NULL, WEFT_BOX_NODE, "%s", two); /* 255 bytes would end within a character */
    ck_assert_ptr_nonnull(b);
    ck_assert_uint_eq(strlen(b->label), 254);
    ck_assert_int_eq(memcmp(b->label, two, 254), 0);
}
END_TEST

static const struct {
    const char *text;
    weft_status status;
    const char *said;      /* NULL: nothing */
} lists[] = {
    { "keep 20 row 64KiB", WEFT_OK, NULL },
    { "# of a program\nkeep 20\nrow 64KiB # the rows\n", WEFT_OK, NULL },
    { " ", WEFT_OK, NULL },
    { "costs { keep 20 }", WEFT_ERR_USAGE, "there is no cost 'costs'" },
    { "keep 20 }", WEFT_ERR_USAGE, "a cost, as 'keep 20', not '}'" },
    { "keep 20 keep 30", WEFT_ERR_USAGE, "'keep' is given twice" },
    { "keep 20 \x1b[31m", WEFT_ERR_USAGE, "a cost, as 'keep 20', not byte 0x1B" },
    { "keep \xff", WEFT_ERR_USAGE, "a number, as 1.5, not byte 0xFF" },
    { "keep 20 row", WEFT_ERR_USAGE, "the description ends here" },
    { "keep 20 rows 64KiB", WEFT_ERR_USAGE, "did you mean 'row'?" },
    { "keep 20 row 64", WEFT_ERR_USAGE, "a size" },
    { "keep 20 row 64MiB", WEFT_ERR_USAGE, "out of range" },
    { "keep", WEFT_ERR_IO, "'keep'" },
};

/* What a list does not have stays; a wrong one changes nothing. */
START_TEST(test_lists) {
    weft_machine m = weft_machine_default;
    weft_cost_set(&m.costs, WEFT_COST_keep_weight, 7);
    weft_cost_set(&m.costs, WEFT_COST_wide_least, 8);
    const weft_costs before = m.costs;
    ck_assert_int_eq(weft_costs_open(cx, lists[_i].text, &m), lists[_i].status);
    const bool gives = lists[_i].status == WEFT_OK && strlen(lists[_i].text) > 1;
    ck_assert_double_eq(weft_cost_get(&m.costs, WEFT_COST_keep_weight), gives ? 20 : 7);
    ck_assert_double_eq(weft_cost_get(&m.costs, WEFT_COST_row_bytes), gives ? 65536 : before.row_bytes);
    ck_assert_double_eq(weft_cost_get(&m.costs, WEFT_COST_wide_least), 8);
    ck_assert_uint_eq(weft_context_diag_count(cx) > 0, lists[_i].said != NULL);
    if (lists[_i].said) ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, lists[_i].said));
}
END_TEST

int main(void) {
    Suite *s = suite_create("topology/machine");
    TCase *tc = tcase_create("machine");
    const char *top = getenv("top_srcdir");
    snprintf(folder, sizeof folder, "%s/topology/machines", top ? top : ".");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_good, 0, (int)WEFT_COUNT(good));
    tcase_add_loop_test(tc, test_print, 0, (int)WEFT_COUNT(good));
    tcase_add_loop_test(tc, test_costs, 0, WEFT_COST_COUNT);
    tcase_add_loop_test(tc, test_lists, 0, (int)WEFT_COUNT(lists));
    tcase_add_loop_test(tc, test_bad, 0, (int)WEFT_COUNT(bad));
    tcase_add_loop_test(tc, test_cut, 0, (int)WEFT_COUNT(good));
    tcase_add_loop_test(tc, test_named, 0, (int)WEFT_COUNT(named));
    tcase_add_loop_test(tc, test_sized, 0, (int)WEFT_COUNT(sized));
    tcase_add_loop_test(tc, test_described, 0, (int)WEFT_COUNT(described));
    tcase_add_loop_test(tc, test_not_named, 0, (int)WEFT_COUNT(not_named));
    tcase_add_test(tc, test_each);
    tcase_add_test(tc, test_each_behind_bad);
    tcase_add_test(tc, test_hold);
    tcase_add_loop_test(tc, test_reach, 0, (int)WEFT_COUNT(groups));
    tcase_add_test(tc, test_reach_random);
    tcase_add_test(tc, test_label);
    tcase_add_loop_test(tc, test_draw, 0, (int)WEFT_COUNT(good));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
