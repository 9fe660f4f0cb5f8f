/* mlp.c: a two-layer perceptron on a mesh of devices, from C.
 *
 *     cc mlp.c $(pkg-config --cflags --libs weft) -lm -o mlp
 *     ./mlp                                        # four devices, threads of one process
 *     mpirun -n 4 ./mlp                            # four processes of one device each
 *     ./mlp "data=8"                               # another mesh, the same program
 *
 * It learns y = (sin 3a, a b) from points (a, b) of the unit square by gradient descent on all of them. Exit status 1
 * when the loss does not fall.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/gradients.h>

enum { BATCH = 256, IN = 2, HIDDEN = 64, OUT = 2, STEPS = 800 };

/* One training step; the parameters are inputs that the step updates. */
static void build(weft_graph *g, const char *axes, double rate) {
    weft_tensor *x = weft_graph_input(g, "x", "256x2xf32"), *y = weft_graph_input(g, "y", "256x2xf32");
    weft_tensor *w1 = weft_graph_input(g, "w1", "2x64xf32"), *b1 = weft_graph_input(g, "b1", "64xf32");
    weft_tensor *w2 = weft_graph_input(g, "w2", "64x2xf32"), *b2 = weft_graph_input(g, "b2", "2xf32");

    /* Where things lie; all else follows by propagation. */
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    weft_shard(g, x, mesh, "data, -");
    weft_shard(g, y, mesh, "data, -");
    weft_shard(g, w1, mesh, "-, model");
    weft_shard(g, w2, mesh, "model, -");

    /* Forward: h = tanh(x w1 + b1), o = h w2 + b2, loss = mean (o - y)^2. */
    weft_tensor *xw = weft_graph_einsum(g, "bi,ih->bh", x, w1);
    weft_tensor *h = weft_graph_tanh(g, weft_graph_add(g, xw, weft_graph_broadcast_like(g, b1, xw, WEFT_DIMS(1))));
    weft_tensor *hw = weft_graph_einsum(g, "bh,ho->bo", h, w2);
    weft_tensor *error =
        weft_graph_subtract(g, weft_graph_add(g, hw, weft_graph_broadcast_like(g, b2, hw, WEFT_DIMS(1))), y);
    weft_tensor *sum = weft_graph_reduce(g, "add", weft_graph_multiply(g, error, error), WEFT_DIMS(0, 1));
    weft_tensor *loss = weft_graph_scale(g, sum, 1.0 / (BATCH * OUT));
    weft_graph_output(g, "loss", loss);

    /* Backward, and descent. */
    weft_tensor *const parameter[] = { w1, b1, w2, b2 };
    weft_tensor *gradient[4];
    weft_graph_gradients(g, loss, parameter, 4, gradient);
    for (int i = 0; i < 4; i++)
        weft_graph_update(g, parameter[i],
                          weft_graph_subtract(g, parameter[i], weft_graph_scale(g, gradient[i], rate)));
}

/* Evenly spread points and small weights: the same on every process and every run. */
static double unit(int *state) {
    return ((*state = (int)(((unsigned)*state * 1103515245u + 12345u) & 0x7fffffff)) >> 8) / (double)(1 << 23);
}

static weft_status fill_arrays(weft_job *job) {
    static float x[BATCH][IN], y[BATCH][OUT], w1[IN][HIDDEN], w2[HIDDEN][OUT];
    int state = 1;
    for (int i = 0; i < BATCH; i++) {
        double a = x[i][0] = (float)(2 * unit(&state) - 1), b = x[i][1] = (float)(2 * unit(&state) - 1);
        y[i][0] = (float)sin(3 * a);
        y[i][1] = (float)(a * b);
    }
    for (int h = 0; h < HIDDEN; h++) {
        for (int i = 0; i < IN; i++) w1[i][h] = (float)(4 * unit(&state) - 2);
        for (int o = 0; o < OUT; o++) w2[h][o] = (float)(0.4 * unit(&state) - 0.2);
    }
    weft_status st = weft_job_write(job, "x", x, sizeof x);
    if (st == WEFT_OK) st = weft_job_write(job, "y", y, sizeof y);
    if (st == WEFT_OK) st = weft_job_write(job, "w1", w1, sizeof w1);
    if (st == WEFT_OK) st = weft_job_write(job, "w2", w2, sizeof w2);
    return st; /* the biases start at zero, as every array does */
}

static void print_diagnostic(void *user, const weft_diag *d) {
    (void)user;
    if (d->file) fprintf(stderr, "%s:%lld: ", d->file, (long long)d->line);
    fprintf(stderr, "%s: %s\n", weft_severity_name(d->severity), d->message);
}

/* The exit status for --help and for arguments that it does not have; -1: go on. */
static int ends(int argc, char **argv) {
    const int asked = argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
    if (argc < 2 || (argc == 2 && argv[1][0] != '-')) return -1;
    if (asked)
        puts("usage: mlp [MESH]\n\n  MESH  axes data and model (\"data=2, model=2\")\n\n"
             "  mlp \"data=8, model=1\"    on threads of this process\n"
             "  mpirun -n 4 mlp          four processes of one device each");
    else fprintf(stderr, "mlp: '%s' is not an argument of it; mlp --help has an example\n", argv[argc > 2 ? 2 : 1]);
    return asked ? EXIT_SUCCESS : 2;
}

int main(int argc, char **argv) {
    const int over = ends(argc, argv);
    if (over >= 0) return over;
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = cx ? weft_graph_new(cx, "mlp") : NULL;
    weft_job *job = NULL;
    float first = 0, loss = 0;
    weft_status st = WEFT_ERR_MEMORY;
    if (!g) goto out;
    weft_context_set_handler(cx, print_diagnostic, NULL);
    build(g, argc > 1 ? argv[1] : "data=2, model=2", 0.12);
    st = weft_job_open(cx, g, NULL, &job);
    if (st == WEFT_OK) st = fill_arrays(job);
    for (int step = 0; st == WEFT_OK && step <= STEPS; step++) {
        st = weft_job_step(job);
        if (st != WEFT_OK || step % 100) continue;
        st = weft_job_read(job, "loss", &loss, sizeof loss);
        if (!step) first = loss;
        if (st == WEFT_OK && weft_job_process(job) == 0) printf("step %3d  loss %.5f\n", step, loss);
    }
    if (st == WEFT_OK && weft_job_process(job) == 0 && !(loss < first / 10)) {
        fprintf(stderr, "mlp: the loss did not fall\n");
        st = WEFT_ERR_MISMATCH;
    }
out:
    weft_job_close(job);
    weft_graph_free(g);
    weft_context_free(cx);
    return st == WEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
