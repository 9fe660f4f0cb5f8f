/* test_tuned.c: a world follows its table of measurements: its links, and its algorithms for its number of ranks;
 * nothing of it if it is invalid, and the user's forced algorithms come first. */
#include "collectives/algorithm.h"
#include "collectives/world.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/context.h"
#include "tests/support/suite.h"

static weft_context *cx;
static char path[128];

static void begin(void) {
    cx = weft_context_new(NULL);
    snprintf(path, sizeof path, "/tmp/weft-tuned-%ld", (long)getpid());
}

static void end(void) {
    remove(path);
    weft_context_free(cx);
}

static void write_table(const char *text) {
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

/* --- what runs ---------------------------------------------------------------------------------------------------- */

typedef struct seat {
    weft_world *world;
    int rank, group;            /* of so many ranks, from 0 on */
    int64_t elems;
    const char *force;          /* weft_comm_force, NULL: nothing */
    float in[4096], out[4096];
    char ran[32];
} seat;

static void *sum(void *p) {
    seat *s = p;
    weft_context *own = weft_context_new(NULL);
    weft_comm *all, *c = NULL;
    weft_coll_record last;
    int members[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    ck_assert_int_eq(weft_comm_world(own, s->world, s->rank, &all), WEFT_OK);
    if (s->rank < s->group) ck_assert_int_eq(weft_comm_group(own, all, members, s->group, &c), WEFT_OK);
    for (int64_t i = 0; i < s->elems; i++) s->in[i] = (float)(s->rank + i % 7);
    weft_coll_buf b = { s->in, s->out, weft_coll_type("f32"), 1, 1, s->elems };
    if (c && s->force) ck_assert_int_eq(weft_comm_force(c, s->force), WEFT_OK);
    if (c) ck_assert_int_eq(weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL), WEFT_OK);
    if (c) ck_assert_int_eq(weft_comm_last(c, &last), 1);
    snprintf(s->ran, sizeof s->ran, "%s", c ? last.algorithm : "");
    for (int64_t i = 0; c && i < s->elems; i++)
        ck_assert_float_eq(s->out[i], (float)(s->group * (s->group - 1) / 2 + s->group * (i % 7)));
    weft_comm_free(c);
    weft_comm_free(all);
    weft_context_free(own);
    return NULL;
}

/* An all_reduce over the first `group` of the ranks; which algorithm ran. */
static const char *run(const weft_world_options *opt, int group, int64_t elems, const char *force) {
    static seat seats[8];
    pthread_t threads[8];
    weft_world *w;
    ck_assert_int_eq(weft_world_create_threads(cx, opt, &w), WEFT_OK);
    for (int i = 0; i < opt->local_ranks; i++) {
        seats[i] = (seat){ .world = w, .rank = i, .group = group, .elems = elems, .force = force };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, sum, &seats[i]), 0);
    }
    for (int i = 0; i < opt->local_ranks; i++) pthread_join(threads[i], NULL);
    for (int i = 1; i < group; i++) ck_assert_str_eq(seats[i].ran, seats[0].ran);
    weft_world_free(w);
    return seats[0].ran;
}

#define RULES \
    "ranks 2 nodes 1 all_reduce:-1K=windows\nranks 2 nodes 1 all_reduce:1K-=one_shot\nranks 4 nodes 1 all_reduce=windows\n"

static const struct {
    const char *what, *table;
    int ranks, group;
    int64_t elems;
    const char *algorithms, *force, *want;
} obeyed[] = {
    { "small", RULES, 2, 2, 4, "", NULL, "windows" },
    { "large", RULES, 2, 2, 4096, "", NULL, "one_shot" },
    { "on the border the first rule counts", RULES, 2, 2, 256, "", NULL, "windows" },
    { "edited", "ranks 2 nodes 1 all_reduce=two_shot\n" RULES, 2, 2, 4, "", NULL, "two_shot" },
    { "as many ranks", RULES, 4, 4, 4, "", NULL, "windows" },
    { "other nodes", "ranks 2 nodes 2 all_reduce=windows\nranks 2 nodes 1 all_reduce=two_shot\n", 2, 2, 4, "", NULL,
      "two_shot" },
    { "another collective", "ranks 2 nodes 1 all_gather=windows\nranks 2 nodes 1 all_reduce=two_shot\n", 2, 2, 4, "",
      NULL, "two_shot" },
    { "what cannot run is passed over", "ranks 2 nodes 1 all_reduce=messages\nranks 2 nodes 1 all_reduce=windows\n", 2,
      2, 4, "", NULL, "windows" },
    { "what the user forces comes first", RULES, 2, 2, 4, "all_reduce=two_shot", NULL, "two_shot" },
    { "what the handle forces before that", RULES, 2, 2, 4, "all_reduce=two_shot", "all_reduce=one_shot", "one_shot" },
    { "forced for other sizes", RULES, 2, 2, 4, "all_reduce:1K-=two_shot", "all_reduce:1M-=one_shot", "windows" },
    /* Of links whose rendezvous takes a second the fewest are best; of a link that takes no time but for bytes, the
       fewest bytes. */
    { "slow to begin with",
      "link CORE 100GB/s 1s\nlink CACHE 100GB/s 1s\nlink NUMA 100GB/s 1s\nlink PACKAGE 100GB/s 1s\nlink MACHINE 100GB/s 1s\n",
      4, 4, 4096, "", NULL, "one_shot" },
    { "slow to carry",
      "link CORE 1kB/s 0s\nlink CACHE 1kB/s 0s\nlink NUMA 1kB/s 0s\nlink PACKAGE 1kB/s 0s\nlink MACHINE 1kB/s 0s\n", 4,
      4, 1024, "", NULL, "two_shot" },
    { "of a part of the ranks only the links count",
      "link CORE 100GB/s 1s\nlink CACHE 100GB/s 1s\nlink NUMA 100GB/s 1s\nlink PACKAGE 100GB/s 1s\nlink MACHINE 100GB/s 1s\n" RULES,
      4, 2, 4, "", NULL, "one_shot" },
};

START_TEST(test_obeyed) {
    char table[2048];
    weft_world_options opt = {
        .local_ranks = obeyed[_i].ranks, .algorithms = obeyed[_i].algorithms, .tuned = path, .fast = -1
    };
    snprintf(table, sizeof table, "weft-tune 1\n%s", obeyed[_i].table);
    write_table(table);
    const char *ran = run(&opt, obeyed[_i].group, obeyed[_i].elems, obeyed[_i].force);
    ck_assert_msg(!strcmp(ran, obeyed[_i].want), "%s: %s ran, not %s", obeyed[_i].what, ran, obeyed[_i].want);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

/* --- from which size on stores bypass the caches ----------------------------------------------------------------- */

static const struct { const char *table, *algorithms; int ranks; size_t want; } streams[] = {
    { "ranks 2 nodes 1 stream=1000\n", "", 2, 1000 },
    { "ranks 2 nodes 1 stream=1000\n", "stream=3K", 2, 3072 }, /* the user's comes first */
    { "ranks 2 nodes 1 stream=1000\n", "all_reduce=two_shot,stream=7,all_gather=small", 2, 7 },
    { "ranks 4 nodes 1 stream=1000\nranks 2 nodes 2 stream=1000\n", "", 2, 0 },
    { "copy 1GB/s\n", "", 2, 0 },
};

START_TEST(test_stream) {
    char table[256];
    weft_world *w, *estimated;
    weft_world_options opt = { .local_ranks = streams[_i].ranks, .algorithms = streams[_i].algorithms, .tuned = path },
                       none = { .local_ranks = streams[_i].ranks, .algorithms = "", .tuned = "none" };
    snprintf(table, sizeof table, "weft-tune 1\n%s", streams[_i].table);
    write_table(table);
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    ck_assert_int_eq(weft_world_create_threads(cx, &none, &estimated), WEFT_OK);
    ck_assert_uint_eq(w->cached_bytes, streams[_i].want ? streams[_i].want : estimated->cached_bytes);
    ck_assert_uint_gt(estimated->cached_bytes, 4096);
    weft_world_free(w);
    weft_world_free(estimated);
}
END_TEST

/* A handle's comes before the world's. */
START_TEST(test_stream_of_handle) {
    weft_world w = { .cached_bytes = 1000 };
    weft_slot slot = { .calls = 0 };
    weft_comm c = { .world = &w, .slot = &slot };
    weft_forced none = { .uses = 1 }, some = { .rules = { .stream = 10 }, .uses = 1 };
    weft_run r = { .comm = &c };
    ck_assert(weft_run_way(&r, 1000) == WEFT_COPY_CACHED && weft_run_way(&r, 1001) == WEFT_COPY_STREAMED);
    r.forced = &none;
    ck_assert(weft_run_way(&r, 1000) == WEFT_COPY_CACHED && weft_run_way(&r, 1001) == WEFT_COPY_STREAMED);
    r.forced = &some;
    ck_assert(weft_run_way(&r, 10) == WEFT_COPY_CACHED && weft_run_way(&r, 11) == WEFT_COPY_STREAMED);
}
END_TEST

/* --- tables that are not there, or wrong -------------------------------------------------------------------------- */

static const struct { const char *text; int line, column; const char *message; } wrong[] = {
    { "weft-tune 1\nranks 2 nodes 1 all_reduce=magic\n", 2, 17, "expected an algorithm" },
    { "weft-tune 1\n\nlink CACHE 1GB/s soon\n", 3, 18, "expected a time" },
    { "{}", 1, 1, "weft-tune 1" },
};

/* A warning at the line, and the estimates do. */
START_TEST(test_wrong) {
    weft_world_options opt = { .local_ranks = 2, .algorithms = "", .tuned = path, .fast = -1 },
                       none = { .local_ranks = 2, .algorithms = "", .tuned = "none", .fast = -1 };
    char want[32];
    snprintf(want, sizeof want, "%s", run(&none, 2, 4096, NULL));
    write_table(wrong[_i].text);
    ck_assert_str_eq(run(&opt, 2, 4096, NULL), want);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_int_eq(d->severity, WEFT_WARNING);
    ck_assert_str_eq(d->flag, "fallback");
    ck_assert_str_eq(d->file, path);
    ck_assert_int_eq(d->line, wrong[_i].line);
    ck_assert_int_eq(d->column, wrong[_i].column);
    ck_assert_msg(strstr(d->message, wrong[_i].message) && strstr(d->message, "are estimated"), "%s", d->message);
}
END_TEST

START_TEST(test_absent) {
    weft_world_options opt = { .local_ranks = 2, .algorithms = "", .tuned = "/nowhere/at/all" };
    run(&opt, 2, 4, NULL);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

static weft_status lose(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    (void)b, (void)in, (void)bytes, (void)out;
    return WEFT_ERR_IO;
}

/* The table is exchanged last: a process lost then is named as before. */
START_TEST(test_lost_at_the_end) {
    static const struct { const char *trouble, *told; } cases[] = {
        { "process 1 has left before the world was made", "process 1 has left before the world was made" },
        { "", "the processes do not find each other" },
        { NULL, "the processes do not find each other" },
    };
    weft_world w = { .alloc = cx->alloc, .processes = 2 };
    const weft_world_options opt = { .local_ranks = 1, .tuned = "none" };
    const weft_bootstrap all = { .size = 2, .allgather = lose, .trouble = cases[_i].trouble };
    ck_assert_int_ne(weft_world_tune(cx, &w, &opt, &all), WEFT_OK);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_str_eq(weft_context_diag(cx, 0)->message, cases[_i].told);
}
END_TEST

START_TEST(test_force_is_checked) {
    weft_world_options opt = { .local_ranks = 1, .tuned = "none" };
    weft_world *w;
    weft_comm *c;
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    ck_assert_int_eq(weft_comm_world(cx, w, 0, &c), WEFT_OK);
    ck_assert_int_eq(weft_comm_force(c, "all_reduce=magic"), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_comm_force(c, "stream=0"), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_comm_force(c, "stream=64K"), WEFT_OK);
    ck_assert_int_eq(weft_comm_force(c, "all_reduce=windows,all_gather:-1K=small"), WEFT_OK);
    ck_assert_int_eq(weft_comm_force(c, NULL), WEFT_OK);
    ck_assert_int_eq(weft_world_nodes(w), 1);
    ck_assert_int_eq(weft_world_node_of(w, 0), 0);
    weft_comm_free(c);
    weft_world_free(w);
}
END_TEST

int main(void) {
    Suite *s = suite_create("collectives/tuned");
    TCase *tc = tcase_create("tuned");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_obeyed, 0, (int)WEFT_COUNT(obeyed));
    tcase_add_loop_test(tc, test_wrong, 0, (int)WEFT_COUNT(wrong));
    tcase_add_test(tc, test_absent);
    tcase_add_loop_test(tc, test_lost_at_the_end, 0, 3);
    tcase_add_loop_test(tc, test_stream, 0, (int)WEFT_COUNT(streams));
    tcase_add_test(tc, test_stream_of_handle);
    tcase_add_test(tc, test_force_is_checked);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
