/* test_tune.c: tables of measurements: written and read back, edited with errors, merged, found by environment
 * variables; rules as text. */
#include "cost/tune.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/context.h"
#include "tests/support/suite.h"

static weft_context *cx;
static weft_tune *t, *again;
static char folder[256];

static void begin(void) {
    cx = weft_context_new(NULL);
    t = weft_arena_new(&cx->arena, weft_tune);
    again = weft_arena_new(&cx->arena, weft_tune);
    snprintf(folder, sizeof folder, "/tmp/weft-tune-%ld", (long)getpid());
    mkdir(folder, 0777);
}

static void end(void) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    weft_context_free(cx);
}

static const char *path_of(const char *name) {
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* --- rules -------------------------------------------------------------------------------------------------------- */

static const struct { const char *text; int64_t from, to; const char *printed; } rules[] = {
    { "all_reduce=windows", 0, INT64_MAX, "all_reduce=windows" },
    { "all_reduce:-64K=one_shot", 0, 65536, "all_reduce:-64K=one_shot" },
    { "all_gather:65536-=place", 65536, INT64_MAX, "all_gather:64K-=place" },
    { "reduce_scatter:100-3M=place", 100, 3 << 20, "reduce_scatter:100-3M=place" },
    { "collective_permute:0-1025=pull", 0, 1025, "collective_permute:-1025=pull" },
    { "barrier:1G-2G=flags", 1 << 30, (int64_t)2 << 30, "barrier:1G-2G=flags" },
    { "all_reduce", 0, 0, NULL }, { "", 0, 0, NULL }, { "=windows", 0, 0, NULL }, { "all_reduce=", 0, 0, NULL }, { "all_reduce=place", 0, 0, NULL },
    { "all_reduce:64K=windows", 0, 0, NULL }, { "all_reduce:64Q-=windows", 0, 0, NULL }, { "all_reduce:-=windows", 0, INT64_MAX, "all_reduce=windows" },
    { "all_reduce:-99999999999999999999=windows", 0, 0, NULL }, { "all_reduce:1-2-3=windows", 0, 0, NULL },
    { "all_reduce:2M-1K=windows", 0, 0, NULL }, { "all_reduce:1K-1K=windows", 1024, 1024, "all_reduce:1K-1K=windows" },
};

START_TEST(test_rule) {
    weft_alg_rule rule;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_alg_rule_read(weft_str_from(rules[_i].text), &rule), rules[_i].printed != NULL);
    if (rules[_i].printed) {
        ck_assert_int_eq(rule.from, rules[_i].from);
        ck_assert_int_eq(rule.to, rules[_i].to);
        weft_alg_rule_print(&b, &rule);
        ck_assert_str_eq(b.p, rules[_i].printed);
    }
    weft_buf_free(&b);
}
END_TEST

static const struct { const char *text; int64_t bytes; const char *printed; } streams[] = {
    { "stream=4M", 4 << 20, "stream=4M" }, { "stream=1", 1, "stream=1" }, { "stream=1536", 1536, "stream=1536" },
    { "stream=1.5K", 1536, "stream=1536" }, { "stream=0", 0, NULL }, { "stream=", 0, NULL }, { "stream", 0, NULL },
    { "streams=4M", 0, NULL }, { "stream=4M-", 0, NULL }, { "stream=-4M", 0, NULL }, { "stream=99999999999999999999", 0, NULL },
    { "", 0, NULL },
};

START_TEST(test_stream) {
    int64_t bytes = 0;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_stream_rule_read(weft_str_from(streams[_i].text), &bytes), streams[_i].printed != NULL);
    if (streams[_i].printed) {
        ck_assert_int_eq(bytes, streams[_i].bytes);
        weft_stream_rule_print(&b, bytes);
        ck_assert_str_eq(b.p, streams[_i].printed);
    }
    weft_buf_free(&b);
}
END_TEST

/* --- tables ------------------------------------------------------------------------------------------------------- */

static weft_tune_rule rule_of(int ranks, int nodes, const char *text) {
    weft_tune_rule r = { .ranks = ranks, .nodes = nodes };
    ck_assert(weft_alg_rule_read(weft_str_from(text), &r.rule));
    return r;
}

static void add(weft_tune *to, int ranks, int nodes, const char *text) {
    weft_tune_rule r = rule_of(ranks, nodes, text);
    ck_assert(weft_tune_add(to, &r));
}

static void fill(void) {
    weft_tune_clear(t);
    snprintf(t->machine, sizeof t->machine, "2 package, a \"machine\" of ours");
    t->links.at[WEFT_LINK_NUMA] = (weft_link){ 1.25e-7, 3e9 };
    t->links.at[WEFT_LINK_NETWORK] = (weft_link){ 0, 12.5e9 };
    t->measured = weft_bit(WEFT_LINK_NUMA) | weft_bit(WEFT_LINK_NETWORK);
    t->links.reduce_bytes_per_s = 5e9;
    t->links.copy_bytes_per_s = 7e9;
    t->reduce_measured = t->copy_measured = true;
    t->rates = (weft_tune_rates){ { 1e11, 2e11, 5e10 }, 1e10, 1.5e10 };
    add(t, 4, 1, "all_reduce:-64K=one_shot");
    add(t, 4, 1, "all_reduce:64K-=two_shot");
    add(t, 8, 2, "all_reduce=messages");
    weft_tune_set_stream(t, &(weft_tune_stream){ 4, 1, 3 << 20 });
    weft_tune_set_stream(t, &(weft_tune_stream){ 8, 2, 1000 });
}

START_TEST(test_there_and_back) {
    weft_buf a, b;
    weft_buf_init(&a, &cx->alloc);
    weft_buf_init(&b, &cx->alloc);
    fill();
    ck_assert_int_eq(weft_tune_save(cx, path_of("new/folders/t"), t), WEFT_OK);
    ck_assert_int_eq(weft_tune_load(cx, path_of("new/folders/t"), again), WEFT_OK);
    weft_tune_print(t, &a);
    weft_tune_print(again, &b);
    ck_assert_str_eq(a.p, b.p);
    ck_assert_uint_eq(again->measured, t->measured);
    ck_assert_double_eq_tol(again->links.at[WEFT_LINK_NUMA].latency_s, 1.25e-7, 1e-12);
    ck_assert_double_eq(again->links.at[WEFT_LINK_CACHE].bytes_per_s,
                        weft_links_default.at[WEFT_LINK_CACHE].bytes_per_s);
    ck_assert_double_eq(again->links.copy_bytes_per_s, 7e9);
    ck_assert_double_eq(again->rates.product_flops_per_s[WEFT_TUNE_BF16], 2e11);
    ck_assert_double_eq(again->rates.product_flops_per_s[WEFT_TUNE_F64], 5e10);
    ck_assert_double_eq(again->rates.node_bytes_per_s, 1.5e10);
    ck_assert_int_eq(again->rule_count, 3);
    ck_assert_int_eq(again->rules[2].nodes, 2);
    ck_assert_int_eq(again->stream_count, 2);
    ck_assert_int_eq(weft_tune_stream_of(again, 4, 1), 3 << 20);
    ck_assert_int_eq(weft_tune_stream_of(again, 8, 2), 1000);
    ck_assert_int_eq(weft_tune_stream_of(again, 8, 1), 0);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    weft_buf_free(&a);
    weft_buf_free(&b);
}
END_TEST

/* As a hand may leave it. */
START_TEST(test_edited) {
    static const char text[] =
        "# mine\r\n\n  # more\nweft-tune 1 # version\nlink CACHE\t1GB/s   2us # slow\n copy 3GB/s\n"
        "memory 4GB/s # of a core\nranks 2 nodes 1 all_gather:-1K=small\n";
    ck_assert_int_eq(weft_tune_read(cx, weft_str_from(text), "t", t), WEFT_OK);
    ck_assert_uint_eq(t->measured, weft_bit(WEFT_LINK_CACHE));
    ck_assert_double_eq(t->links.at[WEFT_LINK_CACHE].bytes_per_s, 1e9);
    ck_assert(t->copy_measured && !t->reduce_measured);
    ck_assert_double_eq(weft_tune_least_s(&t->rates, 3, WEFT_F32, 1e12, 12e9), 1); /* all are not known to give less */
    ck_assert_double_eq(t->links.reduce_bytes_per_s, weft_links_default.reduce_bytes_per_s);
    ck_assert_int_eq(t->rule_count, 1);
    ck_assert_int_eq(t->rules[0].rule.to, 1024);
}
END_TEST

static const struct { const char *text; int line, column; const char *message; } bad[] = {
    { "", 1, 1, "'weft-tune 1'" },
    { "# nothing\n", 2, 1, "'weft-tune 1'" },
    { "{ \"links\": 1 }", 1, 1, "'weft-tune 1' on the first line, not '{" },
    { "weft-tune 2\n", 1, 1, "'weft-tune 1'" },
    { "weft-tune 1\nlinks CACHE 1GB/s 1us", 2, 1, "'link', 'reduce'" },
    { "weft-tune 1\n\nlink MOON 1GB/s 1us", 3, 6, "one of CORE" },
    { "weft-tune 1\nlink CACHE", 2, 11, "a bandwidth, as 450GB/s or 400Gbit/s, but the line ends here" },
    { "weft-tune 1\nlink CACHE 1us 1GB/s", 2, 12, "a bandwidth" },
    { "weft-tune 1\nlink CACHE 1GB/s", 2, 17, "a time" },
    { "weft-tune 1\nlink CACHE 1GB/s -1us", 2, 18, "a time, as 2us, not '-1us'" },
    { "weft-tune 1\nlink CACHE 0GB/s 1us", 2, 12, "a bandwidth" },
    { "weft-tune 1\nlink CACHE 1GB/s 1us fast", 2, 22, "the end of the line" },
    { "weft-tune 1\nmachine of\tours", 2, 11, "words" },
    { "weft-tune 1\ncopy fast", 2, 6, "a bandwidth" },
    { "weft-tune 1\nreduce 1GB/s\ncopy", 3, 5, "a bandwidth" },
    { "weft-tune 1\nproduct f16 1Gflop/s", 2, 9, "one of f32, bf16 and f64, not 'f16'" },
    { "weft-tune 1\nproduct f32 1GB/s", 2, 13, "an arithmetic rate" },
    { "weft-tune 1\nmemory 1GB/s all", 2, 14, "a bandwidth" },
    { "weft-tune 1\nmemory 1GB/s 2GB/s 3GB/s", 2, 20, "the end of the line" },
    { "weft-tune 1\nranks 0 nodes 1 all_reduce=windows", 2, 7, "a number from 1" },
    { "weft-tune 1\nranks 2 all_reduce=windows", 2, 9, "'nodes'" },
    { "weft-tune 1\nranks 2 nodes x all_reduce=windows", 2, 15, "a number from 1" },
    { "weft-tune 1\nranks 99999999999999999999 nodes 1 all_reduce=windows", 2, 7, "a number from 1" },
    { "weft-tune 1\nranks 2 nodes 1 all_reduce=magic", 2, 17, "an algorithm, as all_reduce:64K-1M=windows, or stream=4M, not 'all_reduce=magic'" },
    { "weft-tune 1\nranks 2 nodes 1", 2, 16, "an algorithm" },
    { "weft-tune 1\nranks 2 nodes 1 stream=0", 2, 17, "or stream=4M, not 'stream=0'" },
    { "weft-tune 1\nranks 2 nodes 1 stream=4M 5M", 2, 27, "the end of the line" },
    { "weft-tune 1\nstream=4M", 2, 1, "'link', 'reduce'" },
};

START_TEST(test_bad) {
    ck_assert_int_eq(weft_tune_read(cx, weft_str_from(bad[_i].text), "my/table", t), WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_msg(strstr(d->message, bad[_i].message), "'%s' is said, not '%s'", d->message, bad[_i].message);
    ck_assert_int_eq(d->line, bad[_i].line);
    ck_assert_int_eq(d->column, bad[_i].column);
    ck_assert_uint_eq(t->measured, 0); /* the estimates are left */
    ck_assert_int_eq(t->rule_count, 0);
    ck_assert_double_eq(t->links.at[WEFT_LINK_CACHE].bytes_per_s, weft_links_default.at[WEFT_LINK_CACHE].bytes_per_s);
}
END_TEST

/* Any beginning of a good table is read or refused. */
START_TEST(test_cut) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    fill();
    weft_tune_print(t, &b);
    for (size_t n = 0; n < b.n; n++) {
        weft_context *inner = weft_context_new(NULL);
        weft_status st = weft_tune_read(inner, (weft_str){ b.p, n }, "cut", again);
        ASSERT_EACH(st == WEFT_OK || (st == WEFT_ERR_INVALID && weft_context_diag_count(inner) == 1), "%zu bytes", n);
        weft_context_free(inner);
    }
    weft_buf_free(&b);
}
END_TEST

/* flops and bytes on cores, and what takes longer, in seconds: 100, 200 and 50 Gflop/s of a core, 10 GB/s of it, 15 of
 * all. */
static const struct { weft_dtype dtype; int cores; double flops, bytes, want_s; } least[] = {
    { WEFT_F32, 1, 1e11, 0, 1 },      { WEFT_F32, 4, 1e11, 0, 0.25 },   { WEFT_BF16, 1, 1e11, 0, 0.5 },
    { WEFT_F64, 1, 1e11, 0, 2 },      { WEFT_F16, 1, 1e11, 0, 1 },      { WEFT_I32, 2, 1e11, 0, 0.5 },
    { WEFT_C64, 1, 1e11, 0, 1 },      { WEFT_C128, 1, 1e11, 0, 2 },     { WEFT_F32, 1, 0, 3e10, 3 },
    { WEFT_F32, 2, 0, 3e10, 2 },      { WEFT_F32, 1, 1e11, 3e10, 3 },   { WEFT_F32, 1, 1e12, 3e10, 10 },
    { WEFT_F32, 1, 0, 0, 0 },
};

START_TEST(test_least) {
    fill();
    ck_assert_double_eq_tol(weft_tune_least_s(&t->rates, least[_i].cores, least[_i].dtype, least[_i].flops,
                                              least[_i].bytes), least[_i].want_s, 1e-12);
    const weft_tune_rates none = { .core_bytes_per_s = 0 };
    ck_assert_double_eq(weft_tune_least_s(&none, 1, least[_i].dtype, least[_i].flops, least[_i].bytes), 0);
}
END_TEST

START_TEST(test_merge) {
    fill();
    weft_tune_clear(again);
    again->rates.product_flops_per_s[WEFT_TUNE_F64] = 6e10;
    again->rates.core_bytes_per_s = again->rates.node_bytes_per_s = 2e10;
    again->links.at[WEFT_LINK_CORE] = (weft_link){ 1e-6, 1e9 };
    again->measured = weft_bit(WEFT_LINK_CORE);
    again->links.copy_bytes_per_s = 9e9;
    again->copy_measured = true;
    add(again, 4, 1, "all_gather=place");
    weft_tune_set_stream(again, &(weft_tune_stream){ 8, 2, 2000 });
    weft_tune_set_stream(again, &(weft_tune_stream){ 2, 1, 3000 });
    weft_tune_merge(t, again);
    ck_assert_double_eq(t->rates.product_flops_per_s[WEFT_TUNE_F32], 1e11);
    ck_assert_double_eq(t->rates.product_flops_per_s[WEFT_TUNE_F64], 6e10);
    ck_assert_double_eq(t->rates.core_bytes_per_s, 2e10);
    ck_assert_double_eq(t->rates.node_bytes_per_s, 2e10);
    ck_assert_int_eq(t->stream_count, 3);
    ck_assert_int_eq(weft_tune_stream_of(t, 4, 1), 3 << 20);
    ck_assert_int_eq(weft_tune_stream_of(t, 8, 2), 2000);
    ck_assert_int_eq(weft_tune_stream_of(t, 2, 1), 3000);
    for (int ranks = 10; ranks < 10 + WEFT_TUNE_STREAMS; ranks++)
        weft_tune_set_stream(t, &(weft_tune_stream){ ranks, 1, ranks });
    ck_assert_int_eq(t->stream_count, WEFT_TUNE_STREAMS);
    ck_assert_int_eq(weft_tune_stream_of(t, 4, 1), 0); /* the oldest made room */
    ck_assert_int_eq(weft_tune_stream_of(t, 10, 1), 10);
    ck_assert_int_eq(weft_tune_stream_of(t, 9 + WEFT_TUNE_STREAMS, 1), 9 + WEFT_TUNE_STREAMS);
    ck_assert_uint_eq(t->measured, weft_bit(WEFT_LINK_CORE) | weft_bit(WEFT_LINK_NUMA) | weft_bit(WEFT_LINK_NETWORK));
    ck_assert_double_eq(t->links.copy_bytes_per_s, 9e9);
    ck_assert_double_eq(t->links.reduce_bytes_per_s, 5e9);
    ck_assert_int_eq(t->rule_count, 2); /* those of 4 ranks on a node are replaced, the others stay */
    ck_assert_int_eq(t->rules[0].ranks, 8);
    ck_assert_int_eq(weft_alg_table[t->rules[1].rule.alg].kind, WEFT_PLAN_ALL_GATHER);
    while (t->rule_count < WEFT_TUNE_RULES) add(t, 16, 4, "all_gather=place");
    weft_tune_rule more = rule_of(1, 1, "all_gather=place");
    ck_assert(!weft_tune_add(t, &more));
    weft_tune_clear(again);
    add(again, 5, 1, "all_reduce=windows");
    weft_tune_merge(t, again);
    ck_assert_int_eq(t->rule_count, WEFT_TUNE_RULES);
    ck_assert_int_eq(t->rules[0].ranks, 4); /* the oldest made room */
    ck_assert_int_eq(t->rules[WEFT_TUNE_RULES - 1].ranks, 5);
}
END_TEST

START_TEST(test_absent) {
    ck_assert_int_eq(weft_tune_load(cx, path_of("nothing"), t), WEFT_ERR_IO);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    ck_assert_int_eq(weft_tune_load(cx, folder, t), WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_int_eq(weft_tune_save(cx, "/proc/nowhere/t", t), WEFT_ERR_IO);
    ck_assert_uint_eq(weft_context_diag_count(cx), 2);
}
END_TEST

static const struct { weft_tune_place place; const char *begins; } places[] = {
    { { NULL, "/c", "/h" }, "/c/weft/tune-" }, { { NULL, NULL, "/h" }, "/h/.cache/weft/tune-" }, { { NULL, "relative", "/h" }, "/h/.cache/weft/tune-" },
    { { NULL, "", "/h" }, "/h/.cache/weft/tune-" }, { { "/my/table", "/c", "/h" }, "/my/table" }, { { "", "/c", NULL }, "/c/weft/tune-" },
    { { NULL, NULL, NULL }, NULL }, { { "none", "/c", "/h" }, NULL },
};

START_TEST(test_path) {
    weft_topology *machine;
    char path[4096];
    ck_assert_int_eq(weft_topology_from_synthetic(cx, "package:2 core:4 pu:1", &machine), WEFT_OK);
    weft_status st = weft_tune_path(cx, &places[_i].place, machine, path, sizeof path);
    ck_assert_int_eq(st, places[_i].begins ? WEFT_OK : WEFT_ERR_USAGE);
    if (places[_i].begins) ck_assert_int_eq(strncmp(path, places[_i].begins, strlen(places[_i].begins)), 0);
    ck_assert(!weft_tune_any(&places[_i].place));
    weft_topology_free(machine);
}
END_TEST

START_TEST(test_any) {
    char cache[300];
    snprintf(cache, sizeof cache, "%s/cache", folder);
    weft_tune_place place = { NULL, cache, NULL };
    ck_assert(!weft_tune_any(&place));
    weft_tune_clear(t);
    ck_assert_int_eq(weft_tune_save(cx, path_of("cache/weft/tune-0123"), t), WEFT_OK);
    ck_assert(weft_tune_any(&place));
    place.where = "none";
    ck_assert(!weft_tune_any(&place));
    place.where = path_of("cache/weft/tune-0123");
    ck_assert(weft_tune_any(&place));
}
END_TEST

/* Existing, missing and wrong tables, for callers that can do without. */
START_TEST(test_find) {
    weft_topology *machine;
    bool there = true;
    weft_tune_place place = { path_of("absent"), NULL, NULL };
    ck_assert_int_eq(weft_topology_from_synthetic(cx, "core:2 pu:1", &machine), WEFT_OK);
    ck_assert_int_eq(weft_tune_find(cx, &place, machine, t, &there), WEFT_OK);
    ck_assert(!there);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    fill();
    ck_assert_int_eq(weft_tune_save(cx, path_of("absent"), t), WEFT_OK);
    ck_assert_int_eq(weft_tune_find(cx, &place, machine, again, &there), WEFT_OK);
    ck_assert(there);
    ck_assert_int_eq(again->rule_count, 3);
    FILE *f = fopen(path_of("absent"), "w");
    ck_assert_ptr_nonnull(f);
    fputs("weft-tune 1\nlink CACHE 1GB/s soon\n", f);
    fclose(f);
    ck_assert_int_eq(weft_tune_find(cx, &place, machine, again, &there), WEFT_OK);
    ck_assert(!there);
    ck_assert_double_eq(again->links.at[WEFT_LINK_CACHE].bytes_per_s,
                        weft_links_default.at[WEFT_LINK_CACHE].bytes_per_s);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_int_eq(d->severity, WEFT_WARNING);
    ck_assert_int_eq(d->line, 2);
    ck_assert_int_eq(d->column, 18);
    weft_topology_free(machine);
}
END_TEST

/* A table that the user has not named is believed if no other user can have written it. */
START_TEST(test_whose) {
    weft_topology *machine;
    char path[4096];
    bool there;
    weft_tune_place place = { NULL, path_of("whose"), NULL };
    ck_assert_int_eq(weft_topology_from_synthetic(cx, "core:2 pu:1", &machine), WEFT_OK);
    ck_assert_int_eq(weft_tune_path(cx, &place, machine, path, sizeof path), WEFT_OK);
    fill();
    ck_assert_int_eq(weft_tune_save(cx, path, t), WEFT_OK);
    ck_assert_int_eq(weft_tune_find(cx, &place, machine, again, &there), WEFT_OK);
    ck_assert(there);
    ck_assert_int_eq(chmod(path, 0666), 0);
    ck_assert_int_eq(weft_tune_find(cx, &place, machine, again, &there), WEFT_OK);
    ck_assert(!there);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "is ignored"));
    ck_assert_int_eq(weft_tune_find(cx, &(weft_tune_place){ path, NULL, NULL }, machine, again, &there), WEFT_OK);
    ck_assert(there);
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(weft_tune_find(cx, &place, machine, again, &there), WEFT_OK);
    ck_assert(!there);
    ck_assert_uint_eq(weft_context_diag_count(cx), 2);
    ck_assert_int_eq(remove(path), 0);
    weft_topology_free(machine);
}
END_TEST

/* Only a file that is named, and is not there, is missed. */
static const struct { weft_tune_place place; size_t warnings; } misses[] = {
    { { "/nowhere/at/all", "/c", "/h" }, 1 }, { { "none", "/c", "/h" }, 0 }, { { "", "/c", "/h" }, 0 }, { { NULL, "/c", "/h" }, 0 }, { { "/", NULL, NULL }, 0 },
};

START_TEST(test_miss) {
    ck_assert_int_eq(weft_tune_miss(cx, &misses[_i].place), WEFT_OK);
    ck_assert_uint_eq(weft_context_diag_count(cx), misses[_i].warnings);
}
END_TEST

int main(void) {
    Suite *s = suite_create("cost/tune");
    TCase *tc = tcase_create("tune");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_rule, 0, (int)WEFT_COUNT(rules));
    tcase_add_loop_test(tc, test_stream, 0, (int)WEFT_COUNT(streams));
    tcase_add_test(tc, test_there_and_back);
    tcase_add_test(tc, test_edited);
    tcase_add_loop_test(tc, test_bad, 0, (int)WEFT_COUNT(bad));
    tcase_add_test(tc, test_cut);
    tcase_add_test(tc, test_merge);
    tcase_add_loop_test(tc, test_least, 0, WEFT_COUNT(least));
    tcase_add_test(tc, test_absent);
    tcase_add_loop_test(tc, test_path, 0, (int)WEFT_COUNT(places));
    tcase_add_test(tc, test_any);
    tcase_add_test(tc, test_find);
    tcase_add_test(tc, test_whose);
    tcase_add_loop_test(tc, test_miss, 0, (int)WEFT_COUNT(misses));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
