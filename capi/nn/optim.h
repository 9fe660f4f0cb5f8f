/* optim.h: what optimizers share. WEFT_HERE is the caller's place, `at`, as in nn.h. */
#ifndef WEFT_CAPI_NN_OPTIM_H
#define WEFT_CAPI_NN_OPTIM_H

#include <weft/optim.h>
#include "capi/nn/nn.h"

/* One call of an optimizer: its lists and what holds for all parameters. */
typedef struct nn_optimizer {
    weft_tensors p, d, next;
    weft_tensors decayed;
    double decay;
    weft_tensor *rate, *when;
} nn_optimizer;

/* Opens the scope `name` and checks the lists. False with the graph's error, and the scope not opened. */
bool nn_optimizer_begin(weft_source at, weft_graph *g, const char *name, nn_optimizer *o, const char *decayed);
/* Gives parameter i the value p - change, less its decay. change is of f32 at least. */
void nn_optimizer_step(weft_source at, weft_graph *g, nn_optimizer *o, size_t i, weft_tensor *change);

/* Variable `what` of a parameter, with its dimensions dims. */
weft_tensor *nn_state(weft_source at, weft_graph *g, const char *what, weft_tensor *p, weft_dims dims);
weft_tensor *nn_state_like(weft_source at, weft_graph *g, const char *what, weft_tensor *p);
/* `input` becomes next, or stays as it is where `when` (not NULL) is false. Returns what it becomes. */
weft_tensor *nn_become(weft_source at, weft_graph *g, weft_tensor *input, weft_tensor *next, weft_tensor *when);
/* The variable "count", which goes up by one, as f32: 1 in the first run. */
weft_tensor *nn_count(weft_source at, weft_graph *g, weft_tensor *when);

/* a x + b y */
weft_tensor *nn_mix(weft_source at, weft_graph *g, double a, weft_tensor *x, double b, weft_tensor *y);
/* x times a scalar. */
weft_tensor *nn_times(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *scalar);
/* given, or otherwise where that is 0; 0 where it is negative. */
double nn_or(double given, double otherwise);
/* Whether an option is finite and below most; negative ones stand for 0. Refuses in the optimizer's name. */
bool nn_is_option(weft_source at, weft_graph *g, const char *name, const char *what, double v, double most);

#endif
