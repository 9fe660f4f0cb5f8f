/* parameters.h: inputs of a graph (graph.h) that a model learns or keeps: with a name, a place in the model, and what
 * they begin with.
 *
 *     weft_graph_push(g, "head");
 *     weft_tensor *w = weft_parameter(g, "weight", "512x1000xf32", weft_init_normal(0.02));     "head/weight"
 *     weft_graph_pop(g);
 *     ...
 *     weft_tensors all = weft_parameters(g, "*"), gradient = weft_tensors_new(g, all.n);
 *     weft_graph_gradients(g, loss, all.v, all.n, gradient.v);
 *     weft_graph *begin = weft_graph_initialiser(g, 42);      outputs "head/weight" ..., as they lie in g
 *
 * Names are paths: the scopes that are open (weft_graph_push), then the parameter's own. A pattern is a list of paths
 * separated by commas: '*' stands for any characters, '/' included, and '?' for one. An item after '!' takes away what
 * it matches: "*, !*bias" is all but the biases.
 *
 * Parameters are what gradients are taken of; variables are all else that a program keeps: an optimizer's state,
 * running means, the number of the step. Both are ordinary inputs: weft_graph_update says what they become.
 *
 * Errors, ownership and threads are those of graph.h.
 */
#ifndef WEFT_PARAMETERS_H
#define WEFT_PARAMETERS_H

#include <weft/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tensors of a graph, in the order in which they were made. Made by the calls below, the list is the graph's memory. */
typedef struct weft_tensors {
    weft_tensor **v;
    size_t n;
} weft_tensors;

/* n times NULL. Empty when memory is out, which the graph keeps. */
WEFT_API weft_tensors weft_tensors_new(weft_graph *g, size_t n);

/* ---- how they begin ---- all zero: zeros, or what a layer (nn.h) has for the parameter. */
typedef enum weft_init_kind {
    WEFT_INIT_DEFAULT,
    WEFT_INIT_CONSTANT,  /* a */
    WEFT_INIT_NORMAL,    /* of mean 0 and standard deviation a */
    WEFT_INIT_TRUNCATED, /* of these, what lies within two standard deviations */
    WEFT_INIT_UNIFORM,   /* from a to b */
    WEFT_INIT_XAVIER,    /* uniform, to sqrt(6 / (fan_in + fan_out)) on both sides: Glorot and Bengio, 2010 */
    WEFT_INIT_HE,        /* normal, of standard deviation sqrt(2 / fan_in): He, Zhang, Ren and Sun, 2015 */
    WEFT_INIT_LECUN,     /* normal, of standard deviation sqrt(1 / fan_in) */
    WEFT_INIT_COPY       /* what the parameter begins with that a variable is of */
} weft_init_kind;

/* fan_in and fan_out are the sizes of what one output sums and of what one input is part of. 0: the last dimension is
 * the outputs', the others are summed. The first `stacked` dimensions are neither: each element of them has a matrix of
 * its own, as experts have. */
typedef struct weft_init {
    weft_init_kind kind;
    double a, b;
    int64_t fan_in, fan_out;
    int64_t stacked;
} weft_init;

WEFT_API weft_init weft_init_zeros(void);
WEFT_API weft_init weft_init_ones(void);
WEFT_API weft_init weft_init_constant(double v);
WEFT_API weft_init weft_init_normal(double deviation);
WEFT_API weft_init weft_init_truncated_normal(double deviation);
WEFT_API weft_init weft_init_uniform(double low, double high);
WEFT_API weft_init weft_init_xavier(void);
WEFT_API weft_init weft_init_he(void);
WEFT_API weft_init weft_init_lecun(void);
WEFT_API weft_init weft_init_copy(void);

/* ---- parameters and variables ---- */

/* An input of floats that is learned. It may be made in a body, too, except a function's; the bodies of weft_layers say
 * what it is there. */
WEFT_API weft_tensor *weft_parameter_at(weft_source at, weft_graph *g, const char *name, const char *type,
                                        weft_init init);
/* An input that is kept and not learned. */
WEFT_API weft_tensor *weft_variable_at(weft_source at, weft_graph *g, const char *name, const char *type,
                                       weft_init init);
/* A variable that belongs to a parameter, such as an optimizer's state: called as the parameter, in the scopes that are
 * open. It has the parameter's dimensions `dims` (ascending), sharded as they are there, also where that is said
 * later, and dtype's elements (NULL: the parameter's). */
WEFT_API weft_tensor *weft_variable_of_at(weft_source at, weft_graph *g, weft_tensor *parameter, weft_dims dims,
                                          const char *dtype, weft_init init);

/* The parameters whose names a pattern chooses. It is an error if there are none. */
WEFT_API weft_tensors weft_parameters_at(weft_source at, weft_graph *g, const char *pattern);
/* The variables. Here there may be none. */
WEFT_API weft_tensors weft_variables_at(weft_source at, weft_graph *g, const char *pattern);
/* The whole name of an input; NULL for anything else. */
WEFT_API const char *weft_tensor_name(const weft_graph *g, const weft_tensor *input);
/* A parameter's first dimensions that are layers' (weft_layers) or stacked, and those after them that one output sums,
 * by the fan_in of its initialiser. 0 and 0 for anything else. */
WEFT_API void weft_parameter_dims(const weft_graph *g, const weft_tensor *parameter, size_t *stacked, size_t *summed);

/* `count` equal layers after one another, in the scope `name`: as weft_graph_scan (control.h), with the body once in
 * the program. body gets the n carried values and the layer's number, an i64 scalar, and returns n values. A parameter
 * of type T that the body makes is an input of type "countxT", which has those of all layers, and the tensor that the
 * body gets is its layer's. Layers within layers have one more dimension each. */
WEFT_API void weft_layers_at(weft_source at, weft_graph *g, const char *name, int64_t count, weft_tensor *const *init,
                             size_t n, weft_body *body, void *user, weft_tensor **out);
/* The same layers one by one in the program: their scopes are "name/0", "name/1" ..., with parameters of their own. */
WEFT_API void weft_layers_unrolled_at(weft_source at, weft_graph *g, const char *name, int64_t count,
                                      weft_tensor *const *init, size_t n, weft_body *body, void *user,
                                      weft_tensor **out);

/* ---- the start ---- */

/* A graph of the same context without inputs, whose outputs are what the parameters and variables of g begin with,
 * under their names and with the shardings that they were given. Random numbers are by counter (random.h), from the
 * seed and the name: the same on every mesh, drawn where they lie. Annotations of g that come later are not in it. NULL
 * when memory is out; the status is g's if g has an error. */
WEFT_API weft_graph *weft_graph_initialiser_at(weft_source at, weft_graph *g, uint64_t seed);

/* ---- for layers of one's own ---- */

/* Keeps an error at the caller's line, as the makers do, with a message in printf's form. Returns NULL. */
WEFT_API weft_tensor *weft_graph_refuse_at(weft_source at, weft_graph *g, const char *format, ...) WEFT_PRINTF(3, 4);

/* ---- the calls as they are made: with the caller's place ---- */

#define weft_parameter(...)                  weft_parameter_at(WEFT_HERE, __VA_ARGS__)
#define weft_variable(...)                   weft_variable_at(WEFT_HERE, __VA_ARGS__)
#define weft_variable_of(...)                weft_variable_of_at(WEFT_HERE, __VA_ARGS__)
#define weft_parameters(...)                 weft_parameters_at(WEFT_HERE, __VA_ARGS__)
#define weft_variables(...)                  weft_variables_at(WEFT_HERE, __VA_ARGS__)
#define weft_layers(...)                     weft_layers_at(WEFT_HERE, __VA_ARGS__)
#define weft_layers_unrolled(...)            weft_layers_unrolled_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_initialiser(...)          weft_graph_initialiser_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_refuse(...)               weft_graph_refuse_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
