/* test_misuse.c: calls with missing arguments are refused, with a diagnostic if there is a context, and without other
 * effects; handles that are freed too early stay for their requests; ranks that force different algorithms, or have
 * different counts, get an error.
 */
#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <weft/coll.h>
#include "collectives/comm.h"
#include "tests/support/suite.h"

#define P 3

/* --- without what they need --------------------------------------------------------------------------------------- */

typedef struct alone {       /* a world of one rank */
    weft_context *cx;
    weft_world *world;
    weft_comm *comm;
    float in[8], out[8];
} alone;

static const weft_world_options one_rank = { .local_ranks = 1, .timeout_s = 5 };

static void begin(alone *a) {
    memset(a, 0, sizeof *a);
    a->cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_world_create_threads(a->cx, &one_rank, &a->world), WEFT_OK);
    ck_assert_int_eq(weft_comm_world(a->cx, a->world, 0, &a->comm), WEFT_OK);
}

static void end(alone *a) {
    weft_comm_free(a->comm);
    weft_world_free(a->world);
    weft_context_free(a->cx);
}

static weft_coll_buf buf(alone *a) { return (weft_coll_buf){ a->in, a->out, weft_coll_type("f32"), 1, 1, 4 }; }

#define REFUSED(name, ...) \
    static weft_status name(alone *a) { (void)a; __VA_ARGS__ }
REFUSED(threads_without_options, weft_world *w; return weft_world_create_threads(a->cx, NULL, &w);)
REFUSED(threads_without_place, return weft_world_create_threads(a->cx, &one_rank, NULL);)
REFUSED(threads_of_none, weft_world *w; return weft_world_create_threads(a->cx, &(weft_world_options){ 0 }, &w);)
REFUSED(mpi_without_options, weft_world *w; return weft_world_create_mpi(a->cx, NULL, &w);)
REFUSED(meeting_without_options, weft_world *w; return weft_world_create_rendezvous(a->cx, NULL, &(weft_rendezvous){ "tcp:127.0.0.1:1", 0, 1 }, &w);)
REFUSED(meeting_nowhere, weft_world *w; return weft_world_create_rendezvous(a->cx, &one_rank, NULL, &w);)
REFUSED(meeting_of_too_many, weft_world *w; return weft_world_create_rendezvous(a->cx, &one_rank, &(weft_rendezvous){ "tcp:127.0.0.1:1", 0, INT32_MAX }, &w);)
REFUSED(meeting_of_too_many_files, weft_world *w; return weft_world_create_rendezvous(a->cx, &one_rank, &(weft_rendezvous){ "file:/tmp/x", 0, INT32_MAX }, &w);)
REFUSED(sizes_backwards, weft_world *w; weft_world_options o = one_rank; o.algorithms = "all_reduce:2M-1K=windows"; return weft_world_create_threads(a->cx, &o, &w);)
REFUSED(handle_of_no_world, weft_comm *c; return weft_comm_world(a->cx, NULL, 0, &c);)
REFUSED(handle_without_place, return weft_comm_world(a->cx, a->world, 0, NULL);)
REFUSED(handle_of_another, weft_comm *c; return weft_comm_world(a->cx, a->world, 1, &c);)
REFUSED(group_of_no_handle, weft_comm *c; return weft_comm_group(a->cx, NULL, (int[]){ 0 }, 1, &c);)
REFUSED(group_without_members, weft_comm *c; return weft_comm_group(a->cx, a->comm, NULL, 1, &c);)
REFUSED(group_without_place, return weft_comm_group(a->cx, a->comm, (int[]){ 0 }, 1, NULL);)
REFUSED(no_operands, return weft_coll_all_reduce(a->comm, WEFT_SUM, NULL, 1, NULL);)
REFUSED(no_uneven_operands, return weft_coll_all_to_all_uneven(a->comm, NULL, 1, NULL);)
REFUSED(fewer_than_no_operands, weft_coll_buf b = buf(a); return weft_coll_all_reduce(a->comm, WEFT_SUM, &b, -1, NULL);)
REFUSED(started_with_fewer_than_none, weft_coll_buf b = buf(a); weft_coll_request *q; return weft_coll_start_all_reduce(a->comm, WEFT_SUM, &b, INT32_MIN, NULL, &q);)
REFUSED(no_even_operands, return weft_coll_all_to_all(a->comm, 0, NULL, 2, NULL);)
REFUSED(no_input, weft_coll_buf b = buf(a); b.in = NULL; return weft_coll_all_reduce(a->comm, WEFT_SUM, &b, 1, NULL);)
REFUSED(no_output, weft_coll_buf b = buf(a); b.out = NULL; return weft_coll_permute(a->comm, -1, -1, &b, 1, NULL);)
REFUSED(from_itself_to_nobody, weft_coll_buf b = buf(a); b.in = NULL; return weft_coll_permute(a->comm, 0, -1, &b, 1, NULL);)
REFUSED(to_itself_from_nobody, weft_coll_buf b = buf(a); return weft_coll_permute(a->comm, -1, 0, &b, 1, NULL);)
REFUSED(more_than_itself_expects,
        weft_coll_uneven b = { a->in, a->out, weft_coll_type("f32"), (int64_t[]){ 4 }, NULL, (int64_t[]){ 3 }, NULL };
        return weft_coll_all_to_all_uneven(a->comm, &b, 1, NULL);)
REFUSED(no_uneven_input,
        weft_coll_uneven b = { .out = a->out, .dtype = weft_coll_type("f32"), .out_counts = (int64_t[]){ 4 } };
        return weft_coll_all_gather_uneven(a->comm, &b, 1, NULL);)
REFUSED(no_counts, weft_coll_uneven b = { a->in, a->out, weft_coll_type("f32"), NULL, NULL, NULL, NULL }; return weft_coll_gather_uneven(a->comm, 0, &b, 1, NULL);)
REFUSED(no_type, weft_coll_buf b = buf(a); b.dtype = weft_coll_type(NULL); return weft_coll_broadcast(a->comm, 0, &b, 1, NULL);)
REFUSED(started_without_place, return weft_coll_start_barrier(a->comm, NULL, NULL);)
REFUSED(started_without_operands, weft_coll_request *q = (void *)a; weft_status st = weft_coll_start_all_gather(a->comm, NULL, 1, NULL, &q); ck_assert_ptr_null(q); return st;)
REFUSED(started_without_input, weft_coll_buf b = buf(a); b.in = NULL; weft_coll_request *q = (void *)a; weft_status st = weft_coll_start_all_gather(a->comm, &b, 1, NULL, &q);
        ck_assert_ptr_null(q); return st;)

static weft_status (*const refused[])(alone *a) = {
    threads_without_options,
    threads_without_place,
    threads_of_none,
    mpi_without_options,
    meeting_without_options,
    meeting_nowhere,
    meeting_of_too_many,
    meeting_of_too_many_files,
    sizes_backwards,
    handle_of_no_world,
    handle_without_place,
    handle_of_another,
    group_of_no_handle,
    group_without_members,
    group_without_place,
    no_operands,
    no_uneven_operands,
    fewer_than_no_operands,
    started_with_fewer_than_none,
    no_even_operands,
    no_input,
    no_output,
    from_itself_to_nobody,
    to_itself_from_nobody,
    more_than_itself_expects,
    no_uneven_input,
    no_counts,
    no_type,
    started_without_place,
    started_without_operands,
    started_without_input,
};
#define REFUSALS (int)(sizeof refused / sizeof *refused)

START_TEST(test_refused) {
    alone a;
    unsetenv("WEFT_RENDEZVOUS");
    begin(&a);
    weft_status st = refused[_i](&a);
    ck_assert_msg(st == WEFT_ERR_USAGE || (st == WEFT_ERR_UNSUPPORTED && refused[_i] == mpi_without_options), "%s",
                  weft_status_name(st));
    ck_assert_uint_eq(weft_context_diag_count(a.cx), 1);
    weft_coll_buf b = buf(&a);
    ck_assert_int_eq(weft_coll_all_reduce(a.comm, WEFT_SUM, &b, 1, NULL), WEFT_OK); /* nothing has happened */
    end(&a);
}
END_TEST

/* What is said of an operand. */
static const struct { weft_coll_buf b; weft_op_reduce op; const char *want; } said[] = {
    { { "", "", 0, 1, 1, 4 }, WEFT_SUM, "operand 0 has no element type: weft_coll_type gives 0 for no name" },
    { { "", "", 999, 1, 1, 4 }, WEFT_SUM, "operand 0 has no element type" },
    { { "", "", WEFT_F32, 1, 1, -4 }, WEFT_SUM, "operand 0 has a negative size" },
    { { "", "", WEFT_F32, 1, 1, INT64_MAX }, WEFT_SUM, "more bytes than can be counted" },
    { { "", "", WEFT_F32, 1, 1, 4 }, WEFT_AND, "no such reduction of f32" },
    { { NULL, "", WEFT_F32, 1, 1, 4 }, WEFT_SUM, "operand 0: there is no input" },
};

START_TEST(test_said) {
    alone a;
    begin(&a);
    ck_assert_int_ne(weft_coll_all_reduce(a.comm, said[_i].op, &said[_i].b, 1, NULL), WEFT_OK);
    const char *message = weft_context_diag(a.cx, 0)->message;
    ck_assert_msg(strstr(message, said[_i].want) != NULL, "'%s' is said, not '%s'", message, said[_i].want);
    end(&a);
}
END_TEST

/* Where a call says it stands: file:line:column, or a text of any other form, which has no line. What lies before the
 * text is not looked at. */
static const struct { const char *place, *file; int line, column; } places[] = {
    { "step.mlir:41:10", "step.mlir", 41, 10 }, { "C:\\a b.c:7:1", "C:\\a b.c", 7, 1 }, { "somewhere", NULL, 0, 0 }, { "12", NULL, 0, 0 }, { "a:b", NULL, 0, 0 },
    { "a.c:1", NULL, 0, 0 },                { "a.c:1:", NULL, 0, 0 },              { "a.c:1:2x", NULL, 0, 0 },  { "a.c:x:2", NULL, 0, 0 }, { ":", NULL, 0, 0 },
};

START_TEST(test_places) {
    alone a;
    char text[64];
    const weft_call_site site = { "all_reduce", "model", text + 3, 1 };
    snprintf(text, sizeof text, ":7:%s", places[_i].place);
    begin(&a);
    weft_coll_buf b = buf(&a);
    ck_assert_int_ne(weft_coll_all_reduce(a.comm, WEFT_SUM, &b, -1, &site), WEFT_OK);
    const weft_diag *d = weft_context_diag(a.cx, 0);
    ck_assert_int_eq(d->file != NULL, places[_i].file != NULL);
    if (d->file) ck_assert_str_eq(d->file, places[_i].file);
    if (d->file) ck_assert(d->line == (uint32_t)places[_i].line && d->column == (uint32_t)places[_i].column);
    end(&a);
}
END_TEST

/* Without a handle or a context the error cannot be reported. */
START_TEST(test_nobody) {
    alone a;
    weft_comm *c;
    weft_world *w;
    weft_coll_record record;
    weft_coll_request *q;
    int done;
    begin(&a);
    weft_coll_buf b = buf(&a);
    ck_assert_int_eq(weft_world_create_threads(NULL, &one_rank, &w), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_comm_world(NULL, a.world, 0, &c), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_all_reduce(NULL, WEFT_SUM, &b, 1, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_start_all_reduce(NULL, WEFT_SUM, &b, 1, NULL, &q), WEFT_ERR_USAGE);
    ck_assert_ptr_null(q);
    ck_assert_int_eq(weft_coll_barrier(NULL, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_test(NULL, &done), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_wait_all(NULL, 3), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_coll_wait_all(NULL, 0), WEFT_OK);
    ck_assert_int_eq(weft_comm_force(NULL, "all_reduce=windows"), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_comm_last(NULL, &record), 0);
    ck_assert_int_eq(weft_comm_size(NULL), 0);
    ck_assert_int_eq(weft_comm_rank(NULL), -1);
    ck_assert_uint_eq(weft_comm_counts(NULL).calls, 0);
    ck_assert_ptr_null(weft_comm_alloc(NULL, 1));
    ck_assert_int_eq(weft_world_size(NULL), 0);
    ck_assert_int_eq(weft_world_node_of(a.world, 1), -1);
    ck_assert_int_eq(weft_world_node_of(a.world, -1), -1);
    ck_assert_int_eq(weft_world_record(NULL, "/tmp/x"), WEFT_ERR_IO);
    ck_assert_int_eq(weft_world_record(a.world, NULL), WEFT_ERR_IO);
    weft_comm_dealloc(NULL, a.in);
    weft_world_abort(NULL, "nobody");
    weft_comm_free(NULL);
    weft_world_free(NULL);
    end(&a);
}
END_TEST

/* What can be done without is a warning. */
START_TEST(test_warned) {
    static const struct { weft_world_options options; const char *told; } cases[] = {
        { { .local_ranks = 1, .flight = "/nonexistent/flight" }, "the last calls cannot be written to '/nonexistent/flight'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weft_context *cx = weft_context_new(NULL);
        weft_world *w;
        ck_assert_int_eq(weft_world_create_threads(cx, &cases[i].options, &w), WEFT_OK);
        ck_assert_uint_eq(weft_context_diag_count(cx), 1);
        ck_assert_msg(strstr(weft_context_diag(cx, 0)->message, cases[i].told) != NULL, "%s",
                      weft_context_diag(cx, 0)->message);
        weft_world_free(w);
        weft_context_free(cx);
    }
}
END_TEST

/* --- ranks -------------------------------------------------------------------------------------------------------- */

typedef struct seat {
    weft_world *world;
    int rank, bad;
    char told[512];
} seat;

static void all_sit(void *(*sit)(void *), int progress, seat *seats) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_world_options opt = { .local_ranks = P, .timeout_s = 30, .progress = progress };
    pthread_t threads[P];
    ck_assert_int_eq(weft_world_create_threads(cx, &opt, &w), WEFT_OK);
    for (int i = 0; i < P; i++) {
        seats[i] = (seat){ .world = w, .rank = i };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, sit, &seats[i]), 0);
    }
    for (int i = 0; i < P; i++) pthread_join(threads[i], NULL);
    weft_world_free(w);
    weft_context_free(cx);
}

/* The handle is freed while two calls are under way, which are waited for then. */
static void *free_early(void *p) {
    enum { N = 50000 };
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    weft_coll_request *q[2];
    float *x = malloc(N * sizeof *x), small = 1, sum = 0;
    s->bad = !x || weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK;
    if (!s->bad) {
        for (int i = 0; i < N; i++) x[i] = (float)s->rank;
        weft_coll_buf b[2] = { { x, x, weft_coll_type("f32"), 1, 1, N },
                               { &small, &sum, weft_coll_type("f32"), 1, 1, 1 } };
        for (int i = 0; i < 2; i++) s->bad |= weft_coll_start_all_reduce(c, WEFT_SUM, &b[i], 1, NULL, &q[i]) != WEFT_OK;
        weft_comm_free(c);
        s->bad |= weft_coll_wait(q[1]) != WEFT_OK || weft_coll_wait(q[0]) != WEFT_OK || sum != P;
        for (int i = 0; i < N; i++) s->bad |= x[i] != P * (P - 1) / 2;
    }
    free(x);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_freed_early) {
    seat seats[P];
    all_sit(free_early, _i ? 1 : -1, seats);
    for (int i = 0; i < P; i++) ck_assert_int_eq(seats[i].bad, 0);
}
END_TEST

static void *force_differently(void *p) {
    enum { N = 200000 };
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    float *x = calloc(N, sizeof *x);
    s->bad = !x || weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK;
    if (!s->bad) {
        weft_coll_buf b = { x, x, weft_coll_type("f32"), 1, 1, N };
        s->bad |= weft_comm_force(c, s->rank ? "all_reduce=windows" : "all_reduce=two_shot") != WEFT_OK;
        s->bad |= weft_coll_all_reduce(c, WEFT_SUM, &b, 1, NULL) != WEFT_ERR_PEER;
        if (weft_context_diag_count(cx)) snprintf(s->told, sizeof s->told, "%s", weft_context_diag(cx, 0)->message);
        weft_comm_free(c);
    }
    free(x);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_forced_differently) {
    seat seats[P];
    all_sit(force_differently, 0, seats);
    for (int i = 0; i < P; i++) {
        ck_assert_int_eq(seats[i].bad, 0);
        ck_assert_msg(strstr(seats[i].told, "all_reduce, call 1 of 800000 B: rank ") &&
                          strstr(seats[i].told, "other algorithms forced"),
                      "%s", seats[i].told);
    }
}
END_TEST

/* Rank 1 sends rank 2 nothing where that expects something. A rank that has found no error itself has gone on
 * meanwhile; all name the call as they made it, of which only rank 0 receives anything. */
static void *disagree_on_counts(void *p) {
    enum { N = 1000 };
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    float *x = calloc((P + 1) * N, sizeof *x);
    s->bad = !x || weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK;
    if (!s->bad) {
        const int64_t sends[P] = { N, 0, 0 }, takes[P][P] = { { N, N, N }, { 0, 0, 0 }, { 0, 1, 0 } };
        weft_coll_uneven b = { x, x + N, weft_coll_type("f32"), sends, NULL, takes[s->rank], NULL };
        s->bad |= weft_coll_all_to_all_uneven(c, &b, 1, NULL) != WEFT_ERR_PEER;
        if (weft_context_diag_count(cx)) snprintf(s->told, sizeof s->told, "%s", weft_context_diag(cx, 0)->message);
        weft_comm_free(c);
    }
    free(x);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_bytes_of_uneven_calls) {
    seat seats[P];
    all_sit(disagree_on_counts, 0, seats);
    for (int i = 0; i < P; i++) {
        ck_assert_int_eq(seats[i].bad, 0);
        ck_assert_msg(strstr(seats[i].told, "all_to_all, call 1 of 4000 B: rank 1 sends rank 2 0 x f32") != NULL, "%s",
                      seats[i].told);
    }
}
END_TEST

/* A caller with a new place for each of its calls loses the places, but no groups: in a pool with little room. */
START_TEST(test_made_up_sites) {
    weft_context *cx = weft_context_new(NULL);
    weft_world *w;
    weft_comm *c[2], *g;
    ck_assert_int_eq(weft_world_create_threads(cx, &(weft_world_options){ .local_ranks = 2 }, &w), WEFT_OK);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(weft_comm_world(cx, w, i, &c[i]), WEFT_OK);
    size_t all = w->node.segment.size;
    w->node.segment.size = w->node.note->committed + ((size_t)1 << 20);
    const weft_call_site site = { "all_reduce", "model", "made.up:1:1", 0 };
    for (uint64_t key = 1; key <= 8192; key++)
        for (int i = 0; i < 2; i++) (void)weft_site_of(c[i], &site, key);
    ck_assert_uint_ne(weft_site_of(c[1], &site, 1), 0);
    ck_assert_uint_eq(weft_site_of(c[1], &site, 8192), 0);
    ck_assert_int_eq(weft_comm_group(cx, c[0], (int[]){ 1, 0 }, 2, &g), WEFT_OK);
    w->node.segment.size = all;
    weft_comm_free(g);
    for (int i = 0; i < 2; i++) weft_comm_free(c[i]);
    weft_world_free(w);
    weft_context_free(cx);
}
END_TEST

/* What is forced between calls that are started counts from the next one on, whether those before it have begun yet or
 * wait for their turn. */
static void *force_between(void *p) {
    enum { N = 40000, CALLS = 4, TURNS = 40 };
    static const char *const forced[CALLS] = { "all_reduce=two_shot", "all_reduce=windows", NULL,
                                               "all_reduce=windows" };
    seat *s = p;
    weft_context *cx = weft_context_new(NULL);
    weft_comm *c;
    weft_coll_request *q[CALLS];
    float *x = calloc(CALLS * N, sizeof *x);
    s->bad = !x || weft_comm_world(cx, s->world, s->rank, &c) != WEFT_OK;
    for (int turn = 0; turn < TURNS && !s->bad; turn++) {
        if (s->rank == turn % P) sched_yield();
        for (int i = 0; i < CALLS; i++) {
            weft_coll_buf b = { x + i * N, x + i * N, weft_coll_type("f32"), 1, 1, N };
            s->bad |= weft_coll_start_all_reduce(c, WEFT_SUM, &b, 1, NULL, &q[i]) != WEFT_OK;
            s->bad |= weft_comm_force(c, forced[i]) != WEFT_OK;
        }
        s->bad |= weft_coll_wait_all(q, CALLS) != WEFT_OK;
    }
    if (weft_context_diag_count(cx)) snprintf(s->told, sizeof s->told, "%s", weft_context_diag(cx, 0)->message);
    if (!s->bad) weft_comm_free(c);
    free(x);
    weft_context_free(cx);
    return NULL;
}

START_TEST(test_forced_between) {
    seat seats[P];
    all_sit(force_between, _i ? 1 : -1, seats);
    for (int i = 0; i < P; i++) ck_assert_msg(!seats[i].bad, "%s", seats[i].told);
}
END_TEST

int main(void) {
    Suite *s = suite_create("misuse");
    TCase *tc = tcase_create("misuse");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_refused, 0, REFUSALS);
    tcase_add_loop_test(tc, test_said, 0, sizeof said / sizeof *said);
    tcase_add_loop_test(tc, test_places, 0, (int)(sizeof places / sizeof *places));
    tcase_add_test(tc, test_nobody);
    tcase_add_test(tc, test_warned);
    tcase_add_loop_test(tc, test_freed_early, 0, 2);
    tcase_add_test(tc, test_forced_differently);
    tcase_add_test(tc, test_bytes_of_uneven_calls);
    tcase_add_test(tc, test_made_up_sites);
    tcase_add_loop_test(tc, test_forced_between, 0, 2);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
