/* moe.c: a mixture of experts, each device with experts of its own, from C.
 *
 *     cc -I.. moe.c train_run.c $(pkg-config --cflags --libs weft) -lm -o moe
 *     ./moe                                        # four devices: four sequences' tokens and two experts each
 *     mpirun -n 4 ./moe
 *     ./moe "data=2, expert=2"                     # another mesh, the same program
 *
 * It learns a function that is another one in each quarter of its inputs, so experts that specialise fit it. Sequences
 * are split along the axis of the experts too: tokens travel to their experts and back by all_to_all.
 */
#include <math.h>
#include <string.h>

#include "examples/train_run.h"

enum { BATCH = 16, TOKENS = 32, IN = 4, WIDTH = 32, EXPERTS = 8 };

static void build(weft_graph *g, const char *axes) {
    weft_tensor *x = weft_graph_input(g, "x", "16x32x4xf32"), *y = weft_graph_input(g, "y", "16x32x1xf32");
    const weft_experts_options experts = { .experts = EXPERTS, .hidden = 2 * WIDTH, .kind = WEFT_EXPERTS_GELU };
    weft_tensor *balance;

    weft_tensor *h = weft_linear(g, "in", x, WEFT_DIMS(WIDTH), NULL);
    h = weft_graph_add(g, h, weft_experts(g, "experts", weft_layer_norm(g, "norm", h, 1e-5), &experts, &balance));
    weft_tensor *error = weft_graph_subtract(g, weft_linear(g, "out", h, WEFT_DIMS(1), NULL), y);
    weft_tensor *loss = weft_mean(g, weft_graph_multiply(g, error, error), WEFT_DIMS(0, 1, 2));
    weft_graph_output(g, "loss", loss);

    /* A small price of uneven experts: without it one of them takes all. */
    loss = weft_graph_add(g, loss, weft_graph_scale(g, balance, 0.01));
    const weft_tensors p = weft_parameters(g, "*"), d = weft_gradients(g, loss, p, NULL);
    weft_adamw(g, p, d, weft_schedule_constant(g, 0.01), NULL);

    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    weft_strategy_ep(g, mesh, "expert", "experts/up/*, experts/down/*, x, y");
    const weft_tensors router = weft_parameters(g, "experts/router/weight"); /* none after an error */
    if (router.n) weft_shard(g, router.v[0], mesh, "-, -");
    if (strstr(axes, "data")) weft_strategy_dp(g, mesh, "data", "x, y");
}

static void batch(int step, void *inputs, void *wanted) {
    float *x = inputs, *y = wanted;
    unsigned state = (unsigned)step + 1;
    for (int i = 0; i < BATCH * TOKENS; i++, x += IN) {
        for (int k = 0; k < IN; k++) x[k] = (float)(2 * example_unit(&state) - 1);
        const int quarter = (x[0] > 0) + 2 * (x[1] > 0);
        const double v = x[2] + 2 * x[3], of[] = { sin(3 * v), -v, cos(2 * v), v * v / 4 };
        *y++ = (float)of[quarter];
    }
}

int main(int argc, char **argv) {
    const example e = { .name = "moe", .mesh = "expert=4", .steps = 300, .every = 50, .build = build, .batch = batch,
                        .x_bytes = sizeof(float[BATCH * TOKENS][IN]), .y_bytes = sizeof(float[BATCH * TOKENS]),
                        .most = 0.2F,
                        .help = "[MESH]\n\n"
                                "  MESH  an axis expert, and data if there is one (\"expert=4\")\n\n"
                                "  moe \"data=2, expert=2\"    on threads of this process\n"
                                "  mpirun -n 4 moe           four processes of one device each\n" };
    return example_run(&e, argc, argv);
}
