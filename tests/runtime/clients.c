/* clients: three programs that share buffers across the processes of mpirun; run by test_clients.sh.
 *
 *   clients ok      initialise, train with donation, evaluate; then uses of a donated buffer, which all refuse
 *   clients refuse  one process cannot load a program: all hear why, and go on with the others
 *   clients fail    a device fails while the others wait for it: every process hears of it
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

int main(int argc, char **argv) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *size = getenv("OMPI_COMM_WORLD_SIZE");
    const weft_processes p = { .process = rank ? atoi(rank) : 0, .processes = size ? atoi(size) : 1, .timeout_s = 10 };
    weft_context *cx = weft_context_new(NULL);
    three t;
    weft_context_set_handler(cx, report, NULL);
    weft_status st = three_open(cx, &p, &t);
    if (st == WEFT_OK) st = work(&t, p.process, argc > 1 ? argv[1] : "ok");
    three_close(&t);
    weft_context_free(cx);
    return st != WEFT_OK;
}
