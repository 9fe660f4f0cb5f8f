/* Three programs on one client that share buffers: donation, references, executions that are not waited for, failures
 * that leave the others whole, memory that stays bounded. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "tests/runtime/three.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static const weft_fill zeros = { .kind = WEFT_FILL_CONSTANT };
static const weft_processes threads = { .processes = 1, .timeout_s = 20 };

static weft_context *cx;
static three t;
static weft_buffer *w, *x;

static void begin(void) {
    cx = weft_context_new(NULL);
    ck_assert_int_eq(three_open(cx, &threads, &t), WEFT_OK);
    ck_assert_int_eq(weft_loaded_program_reserve(t.evaluate), WEFT_OK);
    ck_assert_int_eq(weft_loaded_program_execute(t.initialise, NULL, NULL, &w, NULL), WEFT_OK);
    ck_assert_int_eq(three_data(&t, 0.5, &x), WEFT_OK);
}

static void end(void) {
    weft_buffer_release(w);
    weft_buffer_release(x);
    ck_assert_int_eq(weft_client_memory_used(t.client).bytes, 4096); /* the temporaries' */
    three_close(&t);
    weft_context_free(cx);
}

static void expect_loss(weft_buffer *of, float want) {
    float loss = 0;
    ck_assert_int_eq(three_loss_of(&t, of, &loss), WEFT_OK);
    ck_assert_float_eq(loss, want);
}

static void expect_said(const char *what) {
    const size_t n = weft_context_diag_count(cx);
    ck_assert_uint_gt(n, 0);
    ck_assert_msg(strstr(weft_context_diag(cx, n - 1)->message, what) != NULL, "'%s' in '%s'", what,
                  weft_context_diag(cx, n - 1)->message);
}

START_TEST(programs_share_buffers) {
    begin();
    expect_loss(w, three_expected(0, 0.5f));
    for (int k = 1; k <= 3; k++) {
        ck_assert_int_eq(three_step(&t, &w, x, NULL), WEFT_OK);
        expect_loss(w, three_expected(k, 0.5f));
    }
    ck_assert_int_eq(weft_loaded_program_count(t.train).executions, 3);
    ck_assert_int_eq(weft_loaded_program_count(t.train).collectives, 3);
    ck_assert_int_eq(weft_loaded_program_count(t.evaluate).executions, 4);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    end();
}
END_TEST

START_TEST(whole_arrays_come_back) {
    static float got[THREE_DEVICES * THREE_N], sent[THREE_DEVICES * THREE_N];
    weft_host_array a = { .data = got };
    weft_buffer *b, *moved;
    const weft_layout_dim whole_dim = { THREE_DEVICES * THREE_N, THREE_DEVICES * THREE_N, NULL, 0 };
    const weft_layout whole = { WEFT_F32, 1, &whole_dim, THREE_DEVICES, NULL, NULL, 0 };
    begin();
    for (int i = 0; i < THREE_DEVICES * THREE_N; i++) sent[i] = (float)i;
    ck_assert_int_eq(weft_buffer_put(t.client, &three_cut,
                                     &(weft_host_array){ WEFT_F32, 1, { THREE_DEVICES * THREE_N }, sent }, &b),
                                         WEFT_OK);
    ck_assert_int_eq(weft_buffer_get(b, &a), WEFT_OK);
    ck_assert_mem_eq(got, sent, sizeof got);
    memset(got, 0, sizeof got);
    ck_assert_int_eq(weft_buffer_move(b, &whole, &moved), WEFT_OK);
    ck_assert_int_eq(weft_buffer_get(moved, &a), WEFT_OK);
    ck_assert_mem_eq(got, sent, sizeof got);
    weft_buffer_release(moved);
    ck_assert_int_eq(weft_buffer_move(b, &three_cut, &moved), WEFT_OK);
    ck_assert_ptr_eq(moved, b);
    ck_assert_int_eq(weft_buffer_move(b, &three_scalar, &moved), WEFT_ERR_USAGE);
    expect_said("to a layout of its type and shape only");
    weft_buffer_release(b);
    weft_buffer_release(b);
    end();
}
END_TEST

START_TEST(donated_buffers_are_dead) {
    begin();
    weft_buffer *old = weft_buffer_retain(w);
    float loss;
    ck_assert(weft_loaded_program_donates(t.train, 0));
    ck_assert(!weft_loaded_program_donates(t.train, 1));
    ck_assert_int_eq(three_step(&t, &w, x, NULL), WEFT_OK);
    ck_assert_int_eq(weft_buffer_state_of(old), WEFT_BUFFER_DONATED);
    ck_assert_int_eq(weft_buffer_state_of(w), WEFT_BUFFER_LIVE);
    ck_assert_int_eq(weft_buffer_state_of(x), WEFT_BUFFER_LIVE);
    ck_assert_int_eq(three_loss_of(&t, old, &loss), WEFT_ERR_USAGE);
    expect_said("argument 0 was donated to an execution: its data is gone");
    ck_assert_int_eq(weft_buffer_get(old, &(weft_host_array){ .data = &loss }), WEFT_ERR_USAGE);
    expect_said("what is read was donated to an execution");
    ck_assert_int_eq(three_step(&t, &old, x, NULL), WEFT_ERR_USAGE);
    weft_buffer_release(old);
    expect_loss(w, three_expected(1, 0.5f));
    end();
}
END_TEST

/* A kept argument is not written, and can be used again. */
START_TEST(kept_buffers_stay) {
    begin();
    const uint32_t kept[] = { 0 };
    const weft_execute_options opt = { .kept = kept, .kept_count = 1 };
    weft_buffer *in[] = { w, x }, *out[2];
    for (int k = 0; k < 3; k++) {
        ck_assert_int_eq(weft_loaded_program_execute(t.train, in, &opt, out, NULL), WEFT_OK);
        expect_loss(w, three_expected(0, 0.5f));
        expect_loss(out[0], three_expected(1, 0.5f));
        weft_buffer_release(out[0]);
        weft_buffer_release(out[1]);
    }
    /* then it may be two arguments at once */
    in[1] = w;
    ck_assert_int_eq(weft_loaded_program_execute(t.train, in, &opt, out, NULL), WEFT_OK);
    expect_loss(out[0], 2 * three_expected(0, 0.5f));
    weft_buffer_release(out[0]);
    weft_buffer_release(out[1]);
    ck_assert_int_eq(weft_loaded_program_execute(t.train, in, NULL, out, NULL), WEFT_ERR_USAGE);
    expect_said("argument 1 is a buffer that is donated as another argument, too");
    expect_loss(w, three_expected(0, 0.5f));
    end();
}
END_TEST

typedef struct lent { float *at; atomic_int backs; } lent;

static void take_back(void *owner) { atomic_fetch_add(&((lent *)owner)->backs, 1); }

/* w of lent memory, of which shard i has the value of initialise. */
static weft_buffer *lend(lent *l) {
    weft_lent_shard shards[THREE_DEVICES];
    weft_buffer *b;
    for (int i = 0; i < THREE_DEVICES; i++) {
        l[i] = (lent){ .at = aligned_alloc(WEFT_BUFFER_ALIGN, THREE_BYTES) };
        for (int k = 0; k < THREE_N; k++) l[i].at[k] = (float)i + 1;
        shards[i] = (weft_lent_shard){ l[i].at, take_back, &l[i] };
    }
    ck_assert_int_eq(weft_buffer_lend(t.client, &three_cut, shards, &b), WEFT_OK);
    return b;
}

static void expect_backs(lent *l, int n) {
    (void)weft_client_memory_used(t.client); /* a command takes what was released */
    for (int i = 0; i < THREE_DEVICES; i++) ck_assert_int_eq(l[i].backs, n);
}

/* Lent memory goes back once: when its buffer is released, or the result that took it. */
START_TEST(lent_memory_goes_back_once) {
    lent l[THREE_DEVICES];
    begin();
    weft_buffer *b = lend(l);
    ck_assert_ptr_eq(weft_buffer_shard_done(b, 1), l[1].at);
    ck_assert_ptr_null(weft_buffer_shard_done(b, THREE_DEVICES));
    expect_loss(b, three_expected(0, 0.5f));
    expect_backs(l, 0);
    weft_buffer_release(b);
    expect_backs(l, 1);
    for (int i = 0; i < THREE_DEVICES; i++) free(l[i].at);
    b = lend(l);
    weft_buffer *old = weft_buffer_retain(b);
    ck_assert_int_eq(three_step(&t, &b, x, NULL), WEFT_OK);
    ck_assert_int_eq(weft_buffer_state_of(old), WEFT_BUFFER_DONATED);
    ck_assert_ptr_eq(weft_buffer_shard(b, 1), l[1].at);
    weft_buffer_release(old);
    expect_backs(l, 0);
    expect_loss(b, three_expected(1, 0.5f));
    weft_buffer_release(b);
    expect_backs(l, 1);
    for (int i = 0; i < THREE_DEVICES; i++) free(l[i].at);
    end();
}
END_TEST

typedef struct ended { atomic_int calls; weft_status status; int device; char what[64]; } ended;

static void note_end(void *user, const weft_outcome_of_execution *how) {
    ended *e = user;
    e->status = how->status;
    e->device = how->device;
    snprintf(e->what, sizeof e->what, "%s", how->what ? how->what : "");
    atomic_fetch_add(&e->calls, 1);
}

START_TEST(who_asks_is_told_of_the_end) {
    begin();
    ended e = { 0 };
    const weft_execute_options opt = { .over = note_end, .user = &e };
    weft_buffer *bad, *in[] = { w, x }, *out[2];
    weft_event *done;
    ck_assert_int_eq(weft_loaded_program_execute(t.train, in, &opt, out, &done), WEFT_OK);
    ck_assert_int_eq(weft_event_wait(done), WEFT_OK);
    ck_assert_int_eq(e.calls, 1);
    ck_assert_int_eq(e.status, WEFT_OK);
    weft_event_release(done);
    weft_buffer_release(out[1]);
    weft_buffer_release(w);
    w = out[0];
    ck_assert_int_eq(three_data(&t, THREE_FAIL, &bad), WEFT_OK);
    in[0] = w, in[1] = bad;
    ck_assert_int_eq(weft_loaded_program_execute(t.train, in, &opt, out, &done), WEFT_OK);
    ck_assert_int_eq(weft_event_wait(done), WEFT_ERR_INVALID);
    ck_assert_int_eq(e.calls, 2);
    ck_assert_int_eq(e.status, WEFT_ERR_INVALID);
    ck_assert_int_eq(e.device, 2);
    ck_assert_str_eq(e.what, "bad data");
    weft_event_release(done);
    /* a call that is refused ends nothing */
    ck_assert_int_eq(weft_loaded_program_execute(t.train, in, &opt, out, &done), WEFT_ERR_USAGE);
    ck_assert_int_eq(e.calls, 2);
    weft_buffer_release(bad);
    weft_buffer_release(out[0]);
    weft_buffer_release(out[1]);
    weft_buffer_release(w);
    ck_assert_int_eq(weft_loaded_program_execute(t.initialise, NULL, NULL, &w, NULL), WEFT_OK);
    end();
}
END_TEST

enum { SHORT_DEVICES = 3 };
static pthread_t ran_on[SHORT_DEVICES];

static weft_status note_thread(const void *state, void *const *b, const weft_run_env *env) {
    (void)state;
    *(float *)b[0] = 7;
    ran_on[env->partition_id] = pthread_self();
    return WEFT_OK;
}

/* Nothing is under way: the thread that calls is each device's. */
START_TEST(a_short_program_runs_on_the_thread_that_calls) {
    const int devices = _i ? SHORT_DEVICES : 1;
    static const weft_kernel kernel = { .name = "thread", .run = note_thread };
    static const weft_kernel *const table[] = { &kernel };
    static const weft_kernel_set set = { table, 1, NULL };
    static const weft_slice slice[] = { THREE_SLICE(WEFT_SPACE_RESULT, 0, sizeof(float)) };
    static const weft_step step[] = { THREE_CALL("thread", slice, 1) };
    const weft_executable exec = { .results = three_loss, .result_count = 1, .steps = step, .step_count = 1,
                                   .device_count = devices, .partition_count = devices, .fingerprint = 1 };
    const weft_layout scalar = { WEFT_F32, 0, NULL, devices, NULL, NULL, 0 };
    weft_context *own = weft_context_new(NULL);
    const weft_client_setup setup = { .processes = threads, .devices = devices, .heap = true };
    const weft_load_options load = { .exec = &exec, .kernels = &set, .results = &scalar, .voices = WEFT_VOICES_EACH };
    weft_client *c;
    weft_loaded_program *p;
    weft_event *done;
    weft_buffer *out;
    bool speaker;
    ended e = { 0 };
    ck_assert_int_eq(weft_client_start(own, &setup, &c), WEFT_OK);
    ck_assert_int_eq(weft_client_load(c, &load, &speaker, &p), WEFT_OK);
    for (int here = 0; here < 2; here++) {
        const weft_execute_options opt = { .here = here, .over = note_end, .user = &e };
        ck_assert_int_eq(weft_loaded_program_execute(p, NULL, &opt, &out, &done), WEFT_OK);
        if (here) ck_assert_int_eq(e.calls, 2);
        ck_assert_int_eq(weft_event_wait(done), WEFT_OK);
        for (int d = 0; d < devices; d++) {
            ck_assert_int_eq(pthread_equal(ran_on[d], pthread_self()) != 0, here);
            ck_assert_float_eq(*(float *)weft_buffer_shard(out, d), 7);
            ck_assert_uint_eq((uintptr_t)weft_buffer_shard(out, d) % WEFT_BUFFER_ALIGN, 0);
        }
        weft_event_release(done);
        weft_buffer_release(out);
    }
    weft_loaded_program_release(p);
    weft_client_end(c);
    weft_context_free(own);
}
END_TEST

START_TEST(wrong_buffers_are_refused) {
    begin();
    weft_buffer *scalar, *in[2] = { w, x }, *out[2];
    weft_client *other;
    float loss;
    const weft_execute_options opt = { .kept = (const uint32_t[]){ 7 }, .kept_count = 1 };
    ck_assert_int_eq(weft_buffer_fill(t.client, &three_scalar, &zeros, 0, &scalar), WEFT_OK);
    ck_assert_int_eq(three_loss_of(&t, scalar, &loss), WEFT_ERR_USAGE);
    expect_said("argument 0 has another type or shape than the program expects");
    weft_buffer_release(scalar);
    const weft_layout_dim whole_dim = { THREE_DEVICES * THREE_N, THREE_DEVICES * THREE_N, NULL, 0 };
    const weft_layout whole = { WEFT_F32, 1, &whole_dim, THREE_DEVICES, NULL, NULL, 0 };
    ck_assert_int_eq(weft_buffer_fill(t.client, &whole, &zeros, 0, &scalar), WEFT_OK);
    ck_assert_int_eq(three_loss_of(&t, scalar, &loss), WEFT_ERR_USAGE);
    expect_said("argument 0 lies otherwise on the devices than the program expects");
    weft_buffer_release(scalar);
    ck_assert_int_eq(weft_loaded_program_execute(t.train, in, &opt, out, NULL), WEFT_ERR_USAGE);
    expect_said("argument 7 cannot be kept: the program has 2 arguments");
    const weft_client_setup another = { .processes = threads, .devices = THREE_DEVICES };
    ck_assert_int_eq(weft_client_start(cx, &another, &other), WEFT_OK);
    ck_assert_int_eq(weft_buffer_fill(other, &three_cut, &zeros, 0, &scalar), WEFT_OK);
    ck_assert_int_eq(three_loss_of(&t, scalar, &loss), WEFT_ERR_USAGE);
    expect_said("argument 0 is a buffer of another client");
    weft_buffer_release(scalar);
    weft_client_end(other);
    expect_loss(w, three_expected(0, 0.5f));
    end();
}
END_TEST

/* Nobody waits for thousands of executions; what they hold is bounded, and an event tells the end of each. */
START_TEST(many_executions) {
    enum { STEPS = 4000 };
    weft_event *done;
    begin();
    int64_t most = 0;
    for (int k = 0; k < STEPS; k++) {
        ck_assert_int_eq(three_step(&t, &w, x, &done), WEFT_OK);
        if (k % 7 == 0) ck_assert_int_eq(weft_event_wait(done), WEFT_OK);
        weft_event_release(done);
        if (k == 9) most = weft_client_memory_used(t.client).most;
    }
    ck_assert_int_le(weft_client_memory_used(t.client).most, most);
    ck_assert_int_le(weft_client_memory_used(t.client).most, 4096 + 2 * THREE_BYTES + 70 * (int64_t)sizeof(float));
    expect_loss(w, three_expected(STEPS, 0.5f));
    ck_assert_int_eq(three_step(&t, &w, x, &done), WEFT_OK);
    ck_assert_int_eq(weft_event_wait(done), WEFT_OK);
    ck_assert(weft_event_is_done(done));
    ck_assert_int_eq(weft_event_wait(done), WEFT_OK);
    weft_event_release(done);
    end();
}
END_TEST

/* A device fails while the others wait for it in a collective: that execution fails, its results and what is made of
 * them, and nothing else. */
START_TEST(a_failure_is_one_program_s) {
    weft_buffer *bad, *fine, *result;
    weft_event *done[2];
    float loss;
    begin();
    ck_assert_int_eq(three_data(&t, THREE_FAIL, &bad), WEFT_OK);
    ck_assert_int_eq(weft_loaded_program_execute(t.initialise, NULL, NULL, &fine, NULL), WEFT_OK);
    for (int k = 0; k < 3; k++) {
        weft_buffer *in[] = { fine, bad }, *out[2];
        ck_assert_int_eq(weft_loaded_program_execute(t.train, in, NULL, out, NULL), WEFT_ERR_INVALID);
        expect_said("device 2: bad data");
        ck_assert_ptr_null(out[0]);
        ck_assert_uint_eq(weft_context_diag_count(cx), (size_t)k + 1);
        ck_assert(!weft_client_is_broken(t.client));
        weft_buffer_release(fine); /* gone, as promised */
        ck_assert_int_eq(weft_loaded_program_execute(t.initialise, NULL, NULL, &fine, NULL), WEFT_OK);
        ck_assert_int_eq(three_step(&t, &w, x, NULL), WEFT_OK);
        expect_loss(w, three_expected(k + 1, 0.5f));
    }
    /* both are under way before anybody knows */
    ck_assert_int_eq(three_step(&t, &fine, bad, &done[0]), WEFT_OK);
    ck_assert_int_eq(weft_loaded_program_execute(t.evaluate, &fine, NULL, &result, &done[1]), WEFT_OK);
    ck_assert_int_eq(weft_event_wait(done[1]), WEFT_ERR_INVALID);
    expect_said("device 2: an argument has no data: the execution that was to make it failed");
    ck_assert_int_eq(weft_event_wait(done[0]), WEFT_ERR_INVALID);
    expect_said("device 2: bad data");
    const size_t said = weft_context_diag_count(cx);
    ck_assert_int_eq(weft_event_wait(done[0]), WEFT_ERR_INVALID); /* once is enough */
    ck_assert_uint_eq(weft_context_diag_count(cx), said);
    ck_assert_int_eq(weft_buffer_state_of(fine), WEFT_BUFFER_FAILED);
    ck_assert_int_eq(weft_buffer_state_of(result), WEFT_BUFFER_FAILED);
    ck_assert_int_eq(three_loss_of(&t, fine, &loss), WEFT_ERR_USAGE);
    expect_said("argument 0 has no data: the execution that was to make it failed");
    weft_event_release(done[0]);
    weft_event_release(done[1]);
    weft_buffer_release(result);
    weft_buffer_release(fine);
    weft_buffer_release(bad);
    expect_loss(w, three_expected(3, 0.5f));
    end();
}
END_TEST

/* A program that cannot be loaded leaves the client as it was. */
START_TEST(a_program_that_is_refused) {
    weft_loaded_program *p;
    begin();
    weft_step steps[] = { three_initialise_steps[0] };
    weft_executable odd = three_initialise_exec;
    steps[0].code.kernel = "no_such_kernel";
    odd.steps = steps;
    ck_assert_int_ne(three_load(t.client, &odd, NULL, &three_cut, &p), WEFT_OK);
    expect_said("no_such_kernel");
    odd = three_initialise_exec;
    odd.device_count = 8;
    ck_assert_int_ne(three_load(t.client, &odd, NULL, &three_cut, &p), WEFT_OK);
    expect_said("the world has 4 ranks where the program is for 8 devices");
    expect_loss(w, three_expected(0, 0.5f));
    end();
}
END_TEST

/* Programs come and go; the room for temporaries is one for all. */
START_TEST(programs_come_and_go) {
    begin();
    const int64_t most = weft_client_memory_used(t.client).most;
    for (int k = 0; k < 50; k++) {
        weft_loaded_program *p;
        weft_buffer *loss;
        ck_assert_int_eq(three_load(t.client, &three_evaluate_exec, &three_cut, &three_scalar, &p), WEFT_OK);
        ck_assert_int_eq(weft_loaded_program_execute(p, &w, NULL, &loss, NULL), WEFT_OK);
        weft_loaded_program_release(p);
        weft_buffer_release(loss);
    }
    ck_assert_int_le(weft_client_memory_used(t.client).most, most + (int64_t)sizeof(float));
    end();
}
END_TEST

static weft_status all_of_it(weft_context *of, void *user) {
    three all;
    weft_buffer *weights = NULL, *data = NULL;
    weft_event *done = NULL;
    float loss;
    (void)user;
    weft_status st = three_open(of, &threads, &all);
    if (st == WEFT_OK) st = weft_loaded_program_execute(all.initialise, NULL, NULL, &weights, NULL);
    if (st == WEFT_OK) st = three_data(&all, 1, &data);
    if (st == WEFT_OK) st = three_step(&all, &weights, data, &done);
    if (st == WEFT_OK) st = weft_event_wait(done);
    if (st == WEFT_OK) st = three_loss_of(&all, weights, &loss);
    weft_event_release(done);
    weft_buffer_release(weights);
    weft_buffer_release(data);
    three_close(&all);
    return st;
}

START_TEST(survives_failing_memory) { weft_test_each_failure(all_of_it, NULL); }
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/client");
    TCase *tc = tcase_create("client");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, programs_share_buffers);
    tcase_add_test(tc, whole_arrays_come_back);
    tcase_add_test(tc, donated_buffers_are_dead);
    tcase_add_test(tc, kept_buffers_stay);
    tcase_add_test(tc, lent_memory_goes_back_once);
    tcase_add_test(tc, who_asks_is_told_of_the_end);
    tcase_add_loop_test(tc, a_short_program_runs_on_the_thread_that_calls, 0, 2);
    tcase_add_test(tc, wrong_buffers_are_refused);
    tcase_add_test(tc, many_executions);
    tcase_add_test(tc, a_failure_is_one_program_s);
    tcase_add_test(tc, a_program_that_is_refused);
    tcase_add_test(tc, programs_come_and_go);
    tcase_add_test(tc, survives_failing_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
