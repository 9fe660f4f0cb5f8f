/* test_requests.c: started calls that are tested: their time-outs, the call named in diagnostics, and their algorithms.
 * One thread is both ranks. */
#include <check.h>
#include <string.h>
#include <unistd.h>
#include "collectives/comm.h"
#include "tests/support/suite.h"

typedef struct pair {
    weft_context *cx[2];
    weft_world *w;
    weft_comm *c[2];
    float in[2], out[2];
} pair;

static void begin(pair *p, double timeout_s) {
    for (int i = 0; i < 2; i++) p->cx[i] = weft_context_new(NULL);
    ck_assert_int_eq(weft_world_create_threads(p->cx[0],
                                               &(weft_world_options){
                                                   .local_ranks = 2, .timeout_s = timeout_s, .progress = -1 },
                                               &p->w),
                     WEFT_OK);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(weft_comm_world(p->cx[i], p->w, i, &p->c[i]), WEFT_OK);
    p->in[0] = 1, p->in[1] = 2;
}

static void end(pair *p) {
    for (int i = 0; i < 2; i++) weft_comm_free(p->c[i]);
    weft_world_free(p->w);
    for (int i = 0; i < 2; i++) weft_context_free(p->cx[i]);
}

static weft_coll_request *start(pair *p, int rank, const weft_call_site *site) {
    weft_coll_buf b = { &p->in[rank], &p->out[rank], WEFT_F32, 1, 1, 1 };
    weft_coll_request *r;
    ck_assert_int_eq(weft_coll_start_all_reduce(p->c[rank], WEFT_SUM, &b, 1, site, &r), WEFT_OK);
    return r;
}

static void finish(pair *p, weft_coll_request *const *r) {
    for (int done[2] = { 0 }; !done[0] || !done[1];)
        for (int i = 0; i < 2; i++) ck_assert_int_eq(weft_coll_test(r[i], &done[i]), WEFT_OK);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(weft_coll_wait(r[i]), WEFT_OK);
    ck_assert(p->out[0] == 3 && p->out[1] == 3);
}

/* It waits for the one before it, and so for the ranks of that one. */
START_TEST(test_a_queued_call_times_out) {
    pair p;
    int done = 0;
    begin(&p, 1);
    weft_coll_request *first = start(&p, 0, NULL), *second = start(&p, 0, NULL);
    weft_status st = WEFT_OK;
    while (!done) st = weft_coll_test(second, &done);
    ck_assert_int_eq(st, WEFT_ERR_PEER);
    ck_assert_int_eq(weft_coll_wait(first), WEFT_ERR_PEER);
    ck_assert_int_eq(weft_coll_wait(second), WEFT_ERR_PEER);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(p.cx[0], 0)->message, "waited 1 s for rank 1"));
    end(&p);
}
END_TEST

START_TEST(test_computing_is_not_waiting) {
    pair p;
    int done = 0;
    begin(&p, 0.5);
    weft_coll_request *r[2] = { start(&p, 0, NULL) };
    ck_assert_int_eq(weft_coll_test(r[0], &done), WEFT_OK);
    usleep(1500000); /* longer than anybody waits */
    ck_assert_int_eq(weft_coll_test(r[0], &done), WEFT_OK);
    ck_assert(!done);
    r[1] = start(&p, 1, NULL);
    finish(&p, r);
    end(&p);
}
END_TEST

START_TEST(test_a_refused_call_has_its_own_name) {
    static const weft_call_site good = { .op = "all_reduce", .place = "good.mlir:1:1" },
                                bad = { .op = "all_gather", .place = "bad.mlir:2:2" };
    pair p;
    begin(&p, 30);
    weft_coll_request *r[2] = { start(&p, 0, &good) };
    ck_assert_int_eq(weft_coll_all_gather(p.c[0], NULL, 1, &bad), WEFT_ERR_USAGE);
    ck_assert_uint_eq(weft_context_diag_count(p.cx[0]), 1);
    const weft_diag *d = weft_context_diag(p.cx[0], 0);
    ck_assert_int_eq(strncmp(d->message, "all_gather", 10), 0);
    ck_assert_str_eq(d->file, "bad.mlir");
    r[1] = start(&p, 1, &good);
    finish(&p, r);
    ck_assert_uint_eq(weft_context_diag_count(p.cx[0]), 1);
    end(&p);
}
END_TEST

START_TEST(test_uses) {
    pair p;
    weft_coll_use use[2] = { 0 };
    begin(&p, 30);
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            ck_assert(weft_comm_force(p.c[0], "all_reduce=windows") == WEFT_OK &&
                      weft_comm_force(p.c[1], "all_reduce=windows") == WEFT_OK);
        weft_coll_request *r[2] = { start(&p, 0, NULL), start(&p, 1, NULL) };
        finish(&p, r);
    }
    ck_assert_int_eq(weft_comm_uses(p.c[0], NULL, 0), 2);
    ck_assert_int_eq(weft_comm_uses(p.c[0], use, 1), 2); /* no more than there is room for */
    ck_assert_ptr_null(use[1].op);
    ck_assert_int_eq(weft_comm_uses(p.c[0], use, 2), 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(use[i].op, "all_reduce");
        ck_assert_uint_eq(use[i].calls, strcmp(use[i].algorithm, "windows") ? 1 : 2);
    }
    ck_assert_int_eq(weft_comm_uses(NULL, use, 2), 0);
    end(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("requests");
    TCase *tc = tcase_create("requests");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_a_queued_call_times_out);
    tcase_add_test(tc, test_computing_is_not_waiting);
    tcase_add_test(tc, test_a_refused_call_has_its_own_name);
    tcase_add_test(tc, test_uses);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
