/* test_topology.c: machines by synthetic strings, and this one: cores, placement, levels, the tree as text. */
#include <check.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/context.h"
#include "tests/support/suite.h"
#include "topology/cgroup.h"
#include "topology/draw.h"
#include "topology/topology.h"

static weft_context *cx;
static void begin(void) { cx = weft_context_new(NULL); }
static void end(void) { weft_context_free(cx); }

static const struct { const char *machine; int cores, threads; } machines[] = {
    { "package:2 core:4 pu:2", 8, 16 },
    { "core:3 pu:1", 3, 3 },
    { "package:1 numa:2 l3:2 core:4 pu:1", 16, 16 },
    { "pu:5", 5, 5 },
};

START_TEST(test_counts) {
    weft_topology *t;
    ck_assert_int_eq(weft_topology_from_synthetic(cx, machines[_i].machine, &t), WEFT_OK);
    ck_assert_int_eq(weft_topology_cores(t), machines[_i].cores);
    ck_assert_int_eq(weft_topology_threads(t), machines[_i].threads);
    ck_assert_int_eq(weft_topology_whole(t), 1);
    weft_topology_free(t);
}
END_TEST

/* Ranks that run at once: one per core, but for what cgroups grant; a part of a core's time is none. */
static const struct { const char *machine; double quota; int room; } rooms[] = {
    { "core:4 pu:2", 0, 4 }, { "core:4 pu:2", 8, 4 }, { "core:4 pu:2", 4, 4 }, { "core:4 pu:2", 2.5, 2 }, { "core:4 pu:2", 1, 1 }, { "core:4 pu:2", 0.5, 1 }, { "core:1 pu:1", 0, 1 },
};

START_TEST(test_room) {
    weft_topology *t;
    ck_assert_int_eq(weft_topology_from_synthetic(cx, rooms[_i].machine, &t), WEFT_OK);
    ck_assert_int_eq(weft_topology_room(t, rooms[_i].quota), rooms[_i].room);
    weft_topology_free(t);
}
END_TEST

/* Limits of cgroups 1 and 2, in a folder made for the test: files as "NAME=TEXT", what the process's file says, and
 * what is granted. */
static const struct { const char *files[4], *self; double cores, memory; } granted[] = {
    { { NULL }, "0::/a/b\n", 0, 0 },
    { { "memory.max=1048576", "cpu.max=150000 100000" }, "0::/\n", 1.5, 1048576 },               /* a container's own root */
    { { "memory.max=max", "cpu.max=max 100000", "a/memory.max=max" }, "0::/a\n", 0, 0 },
    { { "a/memory.max=4096", "a/b/memory.max=8192", "a/b/cpu.max=50000 100000" }, "0::/a/b\n", 0.5, 4096 }, /* all groups above hold */
    { { "a/memory.max=8192", "a/b/memory.max=4096" }, "0::/a/b\n", 0, 4096 },
    { { "a/memory.max=4096" }, "0::/ab\n", 0, 0 },
    { { "memory/memory.limit_in_bytes=9223372036854771712" }, "5:memory:/\n", 0, 0 },               /* no limit, as cgroup 1 writes it */
    { { "memory/job/memory.limit_in_bytes=65536", "cpu/cpu.cfs_quota_us=-1", "cpu/cpu.cfs_period_us=100000" }, "5:memory:/job\n4:cpu,cpuacct:/job\n", 0, 65536 },
    { { "cpu/job/cpu.cfs_quota_us=200000", "cpu/job/cpu.cfs_period_us=100000" }, "4:cpuacct,cpu:/job\n", 2, 0 },
    { { "cpu/job/cpu.cfs_quota_us=200000", "cpu/job/cpu.cfs_period_us=100000" }, "4:cpuset:/job\n", 0, 0 },
    { { "unified/u/memory.max=32768", "memory/memory.limit_in_bytes=65536" }, "0::/u\n5:memory:/\n", 0, 32768 },
    { { "memory.max=garbage" }, "no line of that form\n0:/\n", 0, 0 },
};

static void write_file(const char *root, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *c = path + strlen(root) + 1; (c = strchr(c, '/')); c++) {
        *c = '\0';
        (void)mkdir(path, 0700);
        *c = '/';
    }
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st, (void)kind, (void)at;
    return remove(path);
}

START_TEST(test_cgroups) {
    char root[] = "/tmp/weft-cgroup-XXXXXX", self[64], name[128];
    ck_assert_ptr_nonnull(mkdtemp(root));
    for (size_t i = 0; i < WEFT_COUNT(granted[_i].files) && granted[_i].files[i]; i++) {
        const char *at = strchr(granted[_i].files[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(at - granted[_i].files[i]), granted[_i].files[i]);
        write_file(root, name, at + 1);
    }
    write_file(root, "self", granted[_i].self);
    snprintf(self, sizeof self, "%s/self", root);
    const weft_cgroups c = { root, self };
    const double cores = weft_cgroup_cores(&c), memory = weft_cgroup_memory(&c);
    nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    ck_assert_msg(cores == granted[_i].cores && memory == granted[_i].memory, "%g cores and %g bytes", cores, memory);
}
END_TEST

START_TEST(test_memory) {
    const double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    ck_assert(weft_topology_memory() > 0 && weft_topology_memory() <= all);
}
END_TEST

/* Runs of cores are contiguous, in rank order, and cover the machine; with more ranks than cores each has one. */
START_TEST(test_placement) {
    weft_topology *t;
    ck_assert_int_eq(weft_topology_from_synthetic(cx, machines[_i].machine, &t), WEFT_OK);
    for (int ranks = 1; ranks < 40; ranks++) {
        int at = 0;
        for (int r = 0; r < ranks; r++) {
            int first, n;
            weft_topology_place(t, ranks, r, &first, &n);
            ck_assert_int_ge(n, 1);
            ck_assert_int_le(first + n, machines[_i].cores);
            if (ranks <= machines[_i].cores) ck_assert_int_eq(first, at);
            else ck_assert_int_eq(n, 1);
            ck_assert_int_ge(first + n, at);
            at = first + n;
        }
        ck_assert_int_eq(at, machines[_i].cores);
    }
    weft_topology_free(t);
}
END_TEST

static const struct { const char *machine; int ranks, a, b; weft_link_level level; } levels[] = {
    { "package:2 numa:1 l3:1 core:4 pu:2", 8, 0, 0, WEFT_LINK_CORE },
    { "package:2 numa:1 l3:1 core:4 pu:2", 8, 0, 3, WEFT_LINK_CACHE },
    { "package:2 numa:1 l3:1 core:4 pu:2", 8, 3, 4, WEFT_LINK_MACHINE },
    { "package:2 numa:1 l3:1 core:4 pu:2", 16, 6, 7, WEFT_LINK_CORE },
    { "package:2 numa:2 core:4 pu:1", 16, 0, 1, WEFT_LINK_NUMA },
    { "package:2 numa:2 core:4 pu:1", 16, 0, 7, WEFT_LINK_PACKAGE },
    { "package:2 numa:2 core:4 pu:1", 16, 0, 15, WEFT_LINK_MACHINE },
};

START_TEST(test_level) {
    weft_topology *t;
    ck_assert_int_eq(weft_topology_from_synthetic(cx, levels[_i].machine, &t), WEFT_OK);
    ck_assert_str_eq(weft_link_name(weft_topology_level(t, levels[_i].ranks, levels[_i].a, levels[_i].b)),
                     weft_link_name(levels[_i].level));
    weft_topology_free(t);
}
END_TEST

START_TEST(test_tree) {
    weft_topology *t;
    char text[4096], cut[10];
    ck_assert_int_eq(weft_topology_from_synthetic(cx, "package:2 core:2 pu:1", &t), WEFT_OK);
    size_t n = weft_topology_print(t, 8, text, sizeof text);
    ck_assert_uint_eq(n, strlen(text));
    ck_assert_ptr_nonnull(strstr(text, "package 1"));
    ck_assert_ptr_nonnull(strstr(text, "core 0  ranks 0-1\n"));
    ck_assert_ptr_nonnull(strstr(text, "core 3  ranks 6-7\n"));
    ck_assert_uint_eq(weft_topology_print(t, 8, cut, sizeof cut), n);
    ck_assert_uint_eq(strlen(cut), sizeof cut - 1);
    ck_assert_uint_eq(weft_topology_print(t, 8, NULL, 0), n);
    weft_topology_print(t, 2, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "core 1  rank 0\n"));
    weft_topology_free(t);
}
END_TEST

START_TEST(test_this_machine) {
    weft_topology *t;
    char text[65536];
    ck_assert_int_eq(weft_topology_discover(cx, &t), WEFT_OK);
    ck_assert_int_ge(weft_topology_cores(t), 1);
    ck_assert_int_eq(weft_topology_bind(cx, t, 0, weft_topology_cores(t)), WEFT_OK);
    ck_assert_int_eq(weft_topology_bind(cx, t, 0, weft_topology_cores(t) + 1), WEFT_ERR_USAGE);
    ck_assert_uint_gt(weft_topology_print(t, 1, text, sizeof text), 0);
    ck_assert_ptr_nonnull(strstr(text, "rank 0"));
    weft_topology_free(t);
}
END_TEST

/* What hwloc would count out for hours, or not at all. */
static const struct { const char *machine; weft_status status; } sizes[] = {
    { "core:4096 pu:1", WEFT_OK },
    { "package:2 [numa(memory=999999GB)] l3:2(size=123456789) core:4 pu:2", WEFT_OK },
    { "2 2 2", WEFT_OK },
    { "core:4097", WEFT_ERR_USAGE },
    { "core:100000 pu:100000", WEFT_ERR_USAGE },
    { "2 3 4 5 6 7 8 9 10 11", WEFT_ERR_USAGE },
    { "core:99999999999999999999 pu:1", WEFT_ERR_USAGE },
    { "core:0 pu:99999", WEFT_ERR_USAGE },
    { "", WEFT_ERR_USAGE },
};

/* Every other rank of many, as cyclic binding leaves them: what there is no room for is not left out in silence. */
START_TEST(test_many_ranks) {
    unsigned char has[400] = { 0 };
    for (int i = 0; i < 400; i += 2) has[i] = 1;
    ck_assert_str_eq(weft_ranks_text(&cx->arena, has, 7), "ranks 0,2,4,6");
    const char *text = weft_ranks_text(&cx->arena, has, 400);
    ck_assert_str_eq(text + strlen(text) - 4, ",...");
    ck_assert_uint_lt(strlen(text), 220);
}
END_TEST

START_TEST(test_sizes) {
    weft_topology *t;
    ck_assert_int_eq(weft_topology_from_synthetic(cx, sizes[_i].machine, &t), sizes[_i].status);
    ck_assert_uint_eq(weft_context_diag_count(cx), sizes[_i].status != WEFT_OK);
    weft_topology_free(t);
}
END_TEST

/* NULL arguments. */
START_TEST(test_misuse) {
    weft_topology *t = (weft_topology *)cx;
    int first = 7, count = 7;
    char text[8] = "before", *svg;
    size_t length;
    ck_assert_int_eq(weft_topology_from_synthetic(cx, NULL, &t), WEFT_ERR_USAGE);
    ck_assert_ptr_null(t);
    ck_assert_int_eq(weft_topology_from_xml(cx, NULL, &t), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_topology_discover(cx, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_topology_bind(cx, NULL, 0, 1), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_topology_svg(cx, NULL, 1, &svg, &length), WEFT_ERR_USAGE);
    ck_assert_uint_eq(weft_context_diag_count(cx), 5);
    ck_assert_int_eq(weft_topology_discover(NULL, &t), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_topology_cores(NULL) + weft_topology_threads(NULL) + weft_topology_whole(NULL), 0);
    ck_assert_uint_eq(weft_topology_print(NULL, 1, text, sizeof text), 0);
    ck_assert_str_eq(text, "");
    ck_assert_int_eq(weft_topology_from_synthetic(cx, "core:2 pu:1", &t), WEFT_OK);
    weft_topology_place(t, 0, 0, &first, &count);
    ck_assert_int_eq(first + count, 0);
    weft_topology_place(t, 2, -1, &first, &count);
    ck_assert_int_eq(first + count, 0);
    weft_topology_free(t);
    ck_assert_int_eq(weft_topology_discover(cx, &t), WEFT_OK);
    ck_assert_int_eq(weft_topology_bind(cx, t, 1, INT32_MAX), WEFT_ERR_USAGE);
    weft_topology_free(t);
}
END_TEST

START_TEST(test_bad) {
    weft_topology *t;
    ck_assert_int_eq(weft_topology_from_synthetic(cx, "no machine", &t), WEFT_ERR_USAGE);
    ck_assert_ptr_null(t);
    ck_assert_int_eq(weft_topology_from_xml(cx, "/nowhere.xml", &t), WEFT_ERR_IO);
    ck_assert_ptr_null(t);
    ck_assert_uint_eq(weft_context_diag_count(cx), 2);
}
END_TEST

int main(void) {
    Suite *s = suite_create("topology");
    TCase *tc = tcase_create("topology");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_counts, 0, WEFT_COUNT(machines));
    tcase_add_loop_test(tc, test_room, 0, WEFT_COUNT(rooms));
    tcase_add_loop_test(tc, test_cgroups, 0, WEFT_COUNT(granted));
    tcase_add_test(tc, test_memory);
    tcase_add_loop_test(tc, test_placement, 0, WEFT_COUNT(machines));
    tcase_add_loop_test(tc, test_level, 0, WEFT_COUNT(levels));
    tcase_add_test(tc, test_tree);
    tcase_add_test(tc, test_this_machine);
    tcase_add_loop_test(tc, test_sizes, 0, (int)WEFT_COUNT(sizes));
    tcase_add_test(tc, test_many_ranks);
    tcase_add_test(tc, test_misuse);
    tcase_add_test(tc, test_bad);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
