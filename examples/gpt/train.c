/* train.c: trains the GPT of gpt.mlir on the characters of a text.
 *
 *     cc train.c $(pkg-config --cflags --libs weft) -lm -o train
 *     mpirun -n 2 ./train gpt.mlir text.txt [STEPS]
 *
 * The program is a StableHLO file that contains its own sharding annotations; this is only the loop around it: starting
 * weights, windows of the text, and the loss. Alone, the devices are threads of one process.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/graph.h>

enum { MAX_TEXT = 1 << 16, REPORT = 10 };

/* Numbers in [0, 1), the same on every process and every run. xorshift64*, Vigna 2016. */
static double uniform(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 0x2545f4914f6cdd1du) >> 11) / (double)((uint64_t)1 << 53);
}

/* Norms start at one, matrices at small normal numbers; the optimizer's state starts at zero, as every array does. */
static weft_status start_weights(weft_graph *g, weft_job *job, uint64_t *state) {
    const char *name;
    weft_tensor *t;
    for (size_t i = 0; (t = weft_graph_get_input(g, i, &name)); i++) {
        size_t len = strlen(name), elems = 1;
        if (strcmp(weft_tensor_dtype(t), "f32") || !weft_tensor_rank(t)) continue;
        if (len > 2 && (!strcmp(name + len - 2, "_m") || !strcmp(name + len - 2, "_v"))) continue;
        for (size_t d = 0; d < weft_tensor_rank(t); d++) elems *= (size_t)weft_tensor_dim(t, d);
        float *w = malloc(elems * sizeof *w);
        if (!w) return WEFT_ERR_MEMORY;
        for (size_t k = 0; k < elems; k++) {
            double normal = sqrt(-2 * log(1 - uniform(state))) * cos(6.283185307179586 * uniform(state));
            w[k] = weft_tensor_rank(t) == 1 ? 1 : (float)(0.08 * normal);
        }
        weft_status st = weft_job_write(job, name, w, elems * sizeof *w);
        free(w);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

/* Windows at random places of the text: y is x, one character on. */
static weft_status write_batch(weft_job *job, const char *text, size_t length, size_t batch, size_t context, int32_t *x,
                               uint64_t *state) {
    int32_t *y = x + batch * context;
    for (size_t b = 0; b < batch; b++) {
        size_t from = (size_t)(uniform(state) * (double)(length - context - 1));
        for (size_t t = 0; t < context; t++) {
            unsigned char here = (unsigned char)text[from + t], next = (unsigned char)text[from + t + 1];
            x[b * context + t] = here < 32 || here > 126 ? 95 : here - 32;
            y[b * context + t] = next < 32 || next > 126 ? 95 : next - 32;
        }
    }
    weft_status st = weft_job_write(job, "x", x, batch * context * sizeof *x);
    return st == WEFT_OK ? weft_job_write(job, "y", y, batch * context * sizeof *y) : st;
}

static weft_status train(weft_graph *g, weft_job *job, const char *text, size_t length, int steps) {
    weft_tensor *tokens = NULL;
    const char *name = "";
    for (size_t i = 0; strcmp(name, "x") && (tokens = weft_graph_get_input(g, i, &name)); i++) {}
    if (!tokens || weft_tensor_rank(tokens) != 2) return WEFT_ERR_INVALID;
    size_t batch = (size_t)weft_tensor_dim(tokens, 0), context = (size_t)weft_tensor_dim(tokens, 1);
    if (length < context + 2) return WEFT_ERR_INVALID;
    int32_t *x = malloc(2 * batch * context * sizeof *x);
    if (!x) return WEFT_ERR_MEMORY;
    uint64_t state = 2026;
    float loss = 0;
    weft_status st = start_weights(g, job, &state);
    for (int step = 0; st == WEFT_OK && step <= steps; step++) {
        st = write_batch(job, text, length, batch, context, x, &state);
        if (st == WEFT_OK) st = weft_job_step(job);
        if (st != WEFT_OK || step % REPORT) continue;
        st = weft_job_read(job, "loss", &loss, sizeof loss);
        if (st == WEFT_OK && weft_job_process(job) == 0) {
            printf("step %4d  loss %.4f  %.*s\n", step, loss, (int)(loss * 10),
                   "##################################################");
            fflush(stdout);
        }
    }
    free(x);
    return st;
}

static void print_diagnostic(void *user, const weft_diag *d) {
    (void)user;
    if (d->file) fprintf(stderr, "%s:%lld:%lld: ", d->file, (long long)d->line, (long long)d->column);
    fprintf(stderr, "%s: %s\n", weft_severity_name(d->severity), d->message);
}

int main(int argc, char **argv) {
    static char text[MAX_TEXT];
    const int asked = argc > 1 && !strcmp(argv[1], "--help");
    if (asked || argc < 3) {
        fputs(asked ? "usage: train PROGRAM.mlir TEXT [STEPS]\n\n"
                      "  mpirun -n 2 train gpt.mlir text.txt 200    on two processes; alone, on threads of one\n"
                    : "train: PROGRAM.mlir or TEXT is missing; train --help has an example\n", asked ? stdout : stderr);
        return asked ? EXIT_SUCCESS : 2;
    }
    FILE *f = fopen(argv[2], "r");
    size_t length = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) fclose(f);
    if (!length) {
        fprintf(stderr, "%s: error: cannot be read\n", argv[2]);
        return 1;
    }
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = NULL;
    weft_job *job = NULL;
    weft_status st = cx ? WEFT_OK : WEFT_ERR_MEMORY;
    if (cx) weft_context_set_handler(cx, print_diagnostic, NULL);
    if (st == WEFT_OK) st = weft_graph_read(cx, argv[1], &g);
    if (st == WEFT_OK) st = weft_job_open(cx, g, NULL, &job);
    if (st == WEFT_OK) st = train(g, job, text, length, argc > 3 ? atoi(argv[3]) : 200);
    weft_job_close(job);
    weft_graph_free(g);
    weft_context_free(cx);
    if (st != WEFT_OK) fprintf(stderr, "%s: %s\n", argv[0], weft_status_name(st));
    return st == WEFT_OK ? 0 : 1;
}
