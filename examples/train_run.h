/* train_run.h: the loop that conv.c and moe.c share: a client, a state, batches by name, a line every so many steps. */
#ifndef TRAIN_RUN_H
#define TRAIN_RUN_H

#include <weft/array.h>
#include <weft/nn.h>
#include <weft/optim.h>
#include <weft/strategy.h>

typedef struct example {
    const char *name;
    const char *mesh;                                 /* unless the first argument gives another */
    int steps, every;
    void (*build)(weft_graph *g, const char *mesh);   /* inputs x and y, output loss */
    void (*batch)(int step, void *x, void *y);        /* the same on every process */
    size_t x_bytes, y_bytes;
    float most;                                       /* the last loss is to be below it */
    const char *help;                                 /* example_ends */
} example;

/* EXIT_SUCCESS if the loss falls below what it has to. */
int example_run(const example *e, int argc, char **argv);

/* Numbers in [0, 1), the same on every process and every run. */
double example_unit(unsigned *state);

#endif
