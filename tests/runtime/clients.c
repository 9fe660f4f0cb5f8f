/* clients: three programs that share buffers across the processes of mpirun; run by test_clients.sh.
 *
 *   clients ok      initialise, train with donation, evaluate; then uses of a donated buffer, which all refuse
 *   clients refuse  one process cannot load a program: all hear why, and go on with the others
 *   clients fail    a device fails while the others wait for it: every process hears of it
 *   clients turns   as ok, in a world where devices are the processes' in turns; and arrays that are put, moved and got
 * Process 0 prints what it gets; each process its diagnostics. Exit status 0 or 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include "tests/runtime/three.h"

static void report(void *user, const weft_diag *d) {
    (void)user;
    fprintf(stderr, "clients: error: %s\n", d->message);
}

/* One process gives a program with a kernel that is nowhere. */
static weft_status refuse(three *t, int process) {
    weft_step steps[] = { three_initialise_steps[0] };
    weft_executable odd = three_initialise_exec;
    weft_loaded_program *p;
    if (process == 1) steps[0].code.kernel = "no_such_kernel";
    odd.steps = steps;
    return three_load(t->client, &odd, NULL, &three_cut, &p) == WEFT_OK ? WEFT_ERR_INTERNAL : WEFT_OK;
}

static weft_status work(three *t, int process, const char *mode) {
    weft_buffer *w = NULL, *x = NULL, *old = NULL;
    float loss = 0, want = three_expected(100, 0.5f);
    weft_event *done;
    weft_status st = weft_loaded_program_execute(t->initialise, NULL, NULL, &w, NULL);
    if (st == WEFT_OK && !strcmp(mode, "refuse")) st = refuse(t, process);
    if (st == WEFT_OK) st = three_data(t, !strcmp(mode, "fail") ? THREE_FAIL : 0.5, &x);
    if (st == WEFT_OK) old = weft_buffer_retain(w);
    for (int k = 0; st == WEFT_OK && k < 100; k++) {
        st = three_step(t, &w, x, &done);
        if (st == WEFT_OK && k % 10 == 9) st = weft_event_wait(done);
        if (st == WEFT_OK) weft_event_release(done);
    }
    if (st == WEFT_OK) st = three_loss_of(t, w, &loss);
    if (st == WEFT_OK && process == 0 && loss != want) st = WEFT_ERR_MISMATCH;
    if (st == WEFT_OK && three_loss_of(t, old, &loss) != WEFT_ERR_USAGE) st = WEFT_ERR_INTERNAL;
    if (st == WEFT_OK) st = three_loss_of(t, w, &loss); /* a call that all refuse leaves them in step */
    if (st == WEFT_OK && process == 0) printf("loss %g\n", loss);
    weft_buffer_release(old);
    weft_buffer_release(w);
    weft_buffer_release(x);
    return st;
}

/* --- devices in turns --- */

static weft_status same_as(const weft_host_array *got, const float *want) {
    return !memcmp(got->data, want, 4 * THREE_BYTES) ? WEFT_OK : WEFT_ERR_MISMATCH;
}

/* Each device has its part, and what comes back is what was put. */
static weft_status arrays(three *t, const weft_processes *p) {
    static const int64_t backwards[] = { 3, 2, 1, 0 };
    static const weft_layout_axis halves_axis[] = { { 2, 2 } };
    static const weft_layout_dim halves_dims[] = { { 4 * THREE_N, 2 * THREE_N, halves_axis, 1 } };
    const weft_layout reversed = { WEFT_F32, 1, three_cut_dims, THREE_DEVICES, backwards, NULL, 0 },
                      halves = { WEFT_F32, 1, halves_dims, THREE_DEVICES, NULL, NULL, 0 };
    static float values[4 * THREE_N], room[4 * THREE_N];
    weft_host_array whole = { .dtype = WEFT_F32, .rank = 1, .dims = { 4 * THREE_N }, .data = values },
                    got = { .data = room };
    weft_buffer *b[3] = { NULL };
    for (int i = 0; i < 4 * THREE_N; i++) values[i] = (float)i;
    weft_status st = weft_buffer_put(t->client, &three_cut, &whole, &b[0]);
    if (st == WEFT_OK) st = weft_buffer_move(b[0], &reversed, &b[1]);
    if (st == WEFT_OK) st = weft_buffer_move(b[1], &halves, &b[2]);
    for (int device = 0; st == WEFT_OK && device < THREE_DEVICES; device++) {
        const float *one = weft_buffer_shard(b[0], device), *other = weft_buffer_shard(b[1], device);
        const bool here = device % p->processes == p->process;
        if ((one != NULL) != here || (other != NULL) != here) st = WEFT_ERR_MISMATCH;
        if (here && (one[0] != (float)(device * THREE_N) || other[0] != (float)((3 - device) * THREE_N)))
            st = WEFT_ERR_MISMATCH;
    }
    for (int i = 0; st == WEFT_OK && i < 3; i++) {
        memset(room, 0, sizeof room);
        st = weft_buffer_get_everywhere(b[i], &got);
        if (st == WEFT_OK) st = same_as(&got, values);
        memset(room, 0, sizeof room);
        if (st == WEFT_OK) st = weft_buffer_get(b[i], &got);
        if (st == WEFT_OK && p->process == 0) st = same_as(&got, values);
    }
    for (int i = 0; i < 3; i++) weft_buffer_release(b[i]);
    return st;
}

static weft_status turns(weft_context *cx, const weft_processes *p) {
    const int local = THREE_DEVICES / p->processes;
    const weft_world_options o = { .local_ranks = local, .timeout_s = 10 };
    int order[THREE_DEVICES];
    weft_world *world;
    three t = { 0 };
    for (int n = 0; n < THREE_DEVICES; n++) order[n] = n % p->processes * local + n / p->processes;
    weft_status st = weft_processes_world(cx, p, &o, &world);
    if (st != WEFT_OK) return st;
    const weft_client_setup setup = { .processes = *p, .world = world, .order = order };
    st = three_open_as(cx, &setup, &t);
    if (st == WEFT_OK) st = arrays(&t, p);
    if (st == WEFT_OK) st = work(&t, p->process, "ok");
    three_close(&t);
    weft_world_free(world);
    return st;
}

int main(int argc, char **argv) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *size = getenv("OMPI_COMM_WORLD_SIZE");
    const weft_processes p = { .process = rank ? atoi(rank) : 0, .processes = size ? atoi(size) : 1, .timeout_s = 10 };
    weft_context *cx = weft_context_new(NULL);
    const char *mode = argc > 1 ? argv[1] : "ok";
    three t = { 0 };
    weft_context_set_handler(cx, report, NULL);
    weft_status st = !strcmp(mode, "turns") ? turns(cx, &p) : three_open(cx, &p, &t);
    if (t.client) {
        if (st == WEFT_OK) st = work(&t, p.process, mode);
        three_close(&t);
    }
    weft_context_free(cx);
    return st != WEFT_OK;
}
