/* conv.c: a network of convolutions on images that are split by rows, from C.
 *
 *     cc -I.. conv.c train_run.c $(pkg-config --cflags --libs weft) -lm -o conv
 *     ./conv                                       # two devices by images, two by rows of each image
 *     mpirun -n 4 ./conv
 *     ./conv "data=1, rows=4"                      # another mesh, the same program
 *
 * It tells the directions of gratings under noise. Only images have a sharding. A convolution over split rows needs the
 * rows beside its own: Weft sends these between neighbours, in the step and in its gradient, and no image is gathered.
 */
#include <math.h>

#include "examples/train_run.h"

enum { BATCH = 32, SIZE = 32, DIRECTIONS = 4 };

static weft_tensor *stage(weft_graph *g, const char *name, weft_tensor *x, int64_t features) {
    const weft_conv_options plain = { .bias = WEFT_WITHOUT_BIAS };
    weft_graph_push(g, name);
    x = weft_conv(g, "conv", x, WEFT_DIMS(3, 3), features, &plain);
    x = weft_relu(g, weft_batch_norm(g, "norm", x, WEFT_BY_BATCH, 0.9, 1e-5));
    x = weft_max_pool(g, x, WEFT_DIMS(2, 2), WEFT_NO_DIMS, WEFT_PADDING_NONE);
    weft_graph_pop(g);
    return x;
}

static void build(weft_graph *g, const char *axes) {
    weft_tensor *x = weft_graph_input(g, "x", "32x32x32x1xf32"), *y = weft_graph_input(g, "y", "32xi32");
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    weft_shard(g, x, mesh, "data, rows, -, -");
    weft_shard(g, y, mesh, "data");

    weft_tensor *h = stage(g, "first", x, 8);
    h = stage(g, "second", h, 16);
    h = weft_mean(g, h, WEFT_DIMS(1, 2));
    weft_tensor *logits = weft_linear(g, "out", h, WEFT_DIMS(DIRECTIONS), NULL);
    weft_tensor *loss = weft_mean(g, weft_cross_entropy(g, logits, y), WEFT_DIMS(0));
    weft_graph_output(g, "loss", loss);

    const weft_tensors p = weft_parameters(g, "*"), d = weft_gradients(g, loss, p, NULL);
    weft_adamw(g, p, d, weft_schedule_constant(g, 0.02), NULL);
}

static void batch(int step, void *images, void *labels) {
    float *x = images;
    int32_t *y = labels;
    unsigned state = (unsigned)step + 1;
    for (int i = 0; i < BATCH; i++) {
        y[i] = (int32_t)(DIRECTIONS * example_unit(&state));
        const double angle = M_PI * y[i] / DIRECTIONS, phase = 6.28 * example_unit(&state);
        for (int row = 0; row < SIZE; row++)
            for (int column = 0; column < SIZE; column++)
                *x++ = (float)(example_unit(&state) - 0.5 +
                               sin(1.2 * (cos(angle) * column + sin(angle) * row) + phase));
    }
}

int main(int argc, char **argv) {
    const example e = { .name = "conv", .mesh = "data=2, rows=2", .steps = 60, .every = 10, .build = build,
                        .batch = batch, .x_bytes = sizeof(float[BATCH][SIZE][SIZE]), .y_bytes = sizeof(int32_t[BATCH]),
                        .most = 0.2F,
                        .help = "[MESH]\n\n"
                                "  MESH  axes data (images) and rows (of each image) (\"data=2, rows=2\")\n\n"
                                "  conv \"data=1, rows=4\"    on threads of this process\n"
                                "  mpirun -n 4 conv         four processes of one device each\n" };
    return example_run(&e, argc, argv);
}
