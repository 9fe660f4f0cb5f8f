/* train_run.c: see train_run.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/example.h"
#include "examples/train_run.h"

double example_unit(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / (double)(1 << 24);
}

/* The step, and the program that makes its parameters, which runs at once. */
static weft_status load(const example *e, const char *mesh, weft_context *cx, weft_client *client, weft_state *state,
                        weft_program **train) {
    weft_graph *g = weft_graph_new(cx, e->name), *begin = NULL;
    weft_program *start = NULL;
    if (!g) return WEFT_ERR_MEMORY;
    e->build(g, mesh);
    begin = weft_graph_initialiser(g, 1);
    weft_status st = weft_graph_status(g);
    if (st == WEFT_OK) st = weft_program_load(client, begin, NULL, &start);
    if (st == WEFT_OK) st = weft_program_load(client, g, NULL, train);
    if (st == WEFT_OK) st = weft_program_run(start, state);
    if (st == WEFT_OK) st = weft_program_store(start, state);
    weft_program_close(start);
    weft_graph_free(begin);
    weft_graph_free(g);
    return st;
}

static weft_status train(const example *e, weft_client *client, weft_state *state, weft_program *p, float *loss) {
    void *x = malloc(e->x_bytes), *y = malloc(e->y_bytes);
    weft_status st = x && y ? WEFT_OK : WEFT_ERR_MEMORY;
    for (int step = 0; step <= e->steps && st == WEFT_OK; step++) {
        e->batch(step, x, y);
        st = weft_program_put(p, state, "x", x, e->x_bytes);
        if (st == WEFT_OK) st = weft_program_put(p, state, "y", y, e->y_bytes);
        if (st == WEFT_OK) st = weft_program_run(p, state);
        if (st != WEFT_OK || (step % e->every && step != e->steps)) continue;
        st = weft_array_read_all(weft_program_output(p, "loss"), loss, sizeof *loss);
        if (st == WEFT_OK && !weft_client_process(client)) printf("step %3d  loss %.5f\n", step, *loss);
    }
    free(x);
    free(y);
    return st;
}

int example_run(const example *e, int argc, char **argv) {
    const int ends = example_ends(argc, argv, 1, e->help);
    if (ends >= 0) return ends;
    const char *mesh = argc > 1 ? argv[1] : e->mesh;
    const weft_client_options o = { .devices = example_devices(mesh), .size = sizeof o };
    weft_context *cx = weft_context_new(NULL);
    weft_client *client = NULL;
    weft_state *state = NULL;
    weft_program *step = NULL;
    float loss = 0;
    if (!cx) return EXIT_FAILURE;
    weft_context_set_handler(cx, example_print, NULL);
    weft_status st = weft_client_open(cx, &o, &client);
    if (st == WEFT_OK) st = weft_state_new(client, &state);
    if (st == WEFT_OK) st = load(e, mesh, cx, client, state, &step);
    if (st == WEFT_OK) st = train(e, client, state, step, &loss);
    const int learned = loss < e->most;
    if (st == WEFT_OK && !learned) fprintf(stderr, "%s: the loss did not fall below %g\n", e->name, e->most);
    weft_program_close(step);
    weft_state_free(state);
    weft_client_close(client);
    weft_context_free(cx);
    return st == WEFT_OK && learned ? EXIT_SUCCESS : EXIT_FAILURE;
}
