/* The threads of a device: each grain of a step is done once, by whichever thread, with scratch memory of its own; a
 * failure is told; helpers that sleep wake. Random numbers of threads and grains, with printed seeds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "base/context.h"
#include "exec/team.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { MOST_GRAINS = 500, SCRATCH = 96, ROUNDS = 400 };

typedef struct task {
    int64_t fails;                          /* the grain that does; -1: none */
    _Atomic int done[MOST_GRAINS];
    _Atomic int pieces, nested;
} task;

static weft_status do_grains(const void *state, void *const *b, const weft_run_env *env) {
    task *t = (task *)state;
    weft_status st = WEFT_OK;
    atomic_fetch_add(&t->pieces, 1);
    if (env->divide) atomic_fetch_add(&t->nested, 1);
    for (int64_t i = env->first_grain; i < env->end_grain && i < MOST_GRAINS; i++) {
        unsigned char *scratch = b[1];
        for (int k = 0; scratch && k < SCRATCH; k++) scratch[k] = (unsigned char)i;
        atomic_fetch_add(&t->done[i], *(const int *)b[0]);
        for (int k = 0; scratch && k < SCRATCH; k++)
            if (scratch[k] != (unsigned char)i) st = WEFT_ERR_MISMATCH;
        if (i == t->fails) st = WEFT_ERR_INVALID;
    }
    return st;
}

static weft_status divide(const weft_run_env *env, const weft_loaded_step *s, void *const *buffers) {
    return weft_team_run(env->user, env, s, buffers);
}

static void one_round(weft_team *team, weft_rng *r, uint64_t seed) {
    task *t = calloc(1, sizeof *t);
    unsigned char planned[SCRATCH];
    int one = 1;
    const bool scratch = weft_rng_chance(r, 0.5), fails = weft_rng_chance(r, 0.1);
    const int64_t grains = weft_rng_range(r, 1, MOST_GRAINS);
    t->fails = fails ? weft_rng_range(r, 0, grains - 1) : -1;
    const weft_loaded_step s = { do_grains, t, { .grains = grains, .least = weft_rng_range(r, 0, 40),
                                                .apart = weft_rng_chance(r, 0.3), .scratch = scratch ? 1 : 0,
                                                .scratch_bytes = scratch ? SCRATCH : 0 } };
    weft_failure why = { .text = "nothing" };
    const weft_run_env env = { .failure = &why, .user = team, WEFT_ALL_GRAINS, .divide = divide };
    void *buffers[] = { &one, scratch ? planned : NULL };
    const weft_status st = weft_team_run(team, &env, &s, buffers);
    ck_assert_msg(st == (fails ? WEFT_ERR_INVALID : WEFT_OK), "seed %llu: %s", (unsigned long long)seed,
                  weft_status_name(st));
    for (int64_t i = 0; i < grains; i++)
        ck_assert_msg(t->done[i] == 1, "seed %llu: grain %lld of %lld is done %d times", (unsigned long long)seed,
                      (long long)i, (long long)grains, t->done[i]);
    if (t->pieces > 1) ck_assert_int_eq(t->nested, 0);
    free(t);
}

START_TEST(does_each_unit_once) {
    const uint64_t seed = weft_test_seed(100) + (uint64_t)_i;
    weft_rng r = { seed };
    weft_context *cx = weft_context_new(NULL);
    weft_team *team = NULL;
    ck_assert_int_eq(weft_team_new(cx, &cx->alloc, 1 + _i, &team), WEFT_OK);
    for (int k = 0; k < ROUNDS; k++) {
        one_round(team, &r, seed);
        if (k % 100 == 50) nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL); /* helpers fall asleep */
    }
    weft_team_free(team);
    weft_context_free(cx);
}
END_TEST

/* Two teams at a time, as of two devices. */
static void *alone(void *p) {
    weft_rng r = { *(uint64_t *)p };
    weft_context *cx = weft_context_new(NULL);
    weft_team *team = NULL;
    ck_assert_int_eq(weft_team_new(cx, &cx->alloc, 3, &team), WEFT_OK);
    for (int k = 0; k < ROUNDS / 4; k++) one_round(team, &r, *(uint64_t *)p);
    weft_team_free(team);
    weft_context_free(cx);
    return NULL;
}

START_TEST(works_beside_another) {
    pthread_t thread[2];
    uint64_t seed[2] = { 1, 2 };
    for (int i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, alone, &seed[i]), 0);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
}
END_TEST

/* Two helpers, rounds of numbers: a stretch for each round in which a helper did something, in their order and apart;
 * none once nobody watches; and of more than there is room for the first. */
START_TEST(tells_what_helpers_did) {
    enum { ROOM = 20 };
    weft_rng r = { 7 };
    weft_context *cx = weft_context_new(NULL);
    weft_team *team = NULL;
    weft_team_stretch v[2][ROOM];
    weft_team_log logs[2] = { { .v = v[0], .room = ROOM }, { .v = v[1], .room = ROOM } };
    ck_assert_int_eq(weft_team_new(cx, &cx->alloc, 3, &team), WEFT_OK);
    for (uint32_t k = 0; k < 100000 && !logs[0].is_cut && !logs[1].is_cut; k++) {
        weft_team_watch(team, logs, k);
        one_round(team, &r, k);
    }
    weft_team_watch(team, NULL, 0);
    const uint32_t had[2] = { logs[0].n, logs[1].n };
    for (int k = 0; k < 50; k++) one_round(team, &r, 1);
    ck_assert_msg(logs[0].is_cut || logs[1].is_cut, "no helper did anything");
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(logs[i].n, had[i]);
        ck_assert(!logs[i].is_cut || had[i] == ROOM);
        for (uint32_t k = 0; k < had[i]; k++) {
            ck_assert(v[i][k].begin_s <= v[i][k].end_s);
            ck_assert(!k || (v[i][k - 1].number < v[i][k].number && v[i][k - 1].end_s <= v[i][k].begin_s));
        }
    }
    weft_team_free(team);
    weft_context_free(cx);
}
END_TEST

START_TEST(needs_memory) {
    weft_context *cx = weft_context_new(NULL);
    weft_test_alloc a;
    weft_team *team = NULL;
    weft_test_alloc_init(&a, 0);
    ck_assert_int_eq(weft_team_new(cx, &a.alloc, 4, &team), WEFT_ERR_MEMORY);
    ck_assert_ptr_null(team);
    weft_team_free(NULL);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("exec/team");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, does_each_unit_once, 0, 5);
    tcase_add_test(tc, works_beside_another);
    tcase_add_test(tc, needs_memory);
    tcase_add_test(tc, tells_what_helpers_did);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
