/* nn.h: layers of neural networks, as functions over the ops of a graph (graph.h).
 *
 *     static void block(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
 *         weft_tensor *h = weft_rms_norm(g, "norm", x[0], 1e-5);
 *         h = weft_gelu_tanh(g, weft_linear(g, "up", h, WEFT_DIMS(2048), NULL));
 *         y[0] = weft_graph_add(g, x[0], weft_linear(g, "down", h, WEFT_DIMS(512), NULL));
 *     }
 *     weft_layers(g, "blocks", 12, &h, 1, block, NULL, &h);
 *
 * A layer that learns takes a name: it opens that scope, and its parameters are in it (parameters.h):
 * "blocks/up/weight" and "blocks/up/bias". Parameters are of f32, or of f64 for f64 operands, and are converted to the
 * operand's type where they are used: activations of bf16 compute in bf16, and parameters stay f32. Means, norms,
 * softmaxes and losses are computed in f32 at least; the result has the operand's type where nothing else is said.
 *
 * The first dimension of an operand is the batch, the last one its features. Nothing here annotates a sharding: layouts
 * follow from those of inputs and parameters, and layers are written so that they can: no dimension that
 * is worth sharding is merged or split.
 *
 * Options may be NULL, and each of their fields 0. Errors, ownership and threads are those of graph.h.
 */
#ifndef WEFT_NN_H
#define WEFT_NN_H

#include <weft/parameters.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- linear maps and embeddings ---- */

typedef enum weft_bias { WEFT_WITH_BIAS, WEFT_WITHOUT_BIAS } weft_bias;

typedef struct weft_linear_options {
    int64_t summed;          /* of x's last dimensions; 0: one */
    weft_bias bias;
    weft_init weight_init;   /* LeCun's */
    weft_init bias_init;     /* zeros */
    size_t size;             /* sizeof(weft_linear_options); 0: the fields above (weft/weft.h) */
} weft_linear_options;

/* x's last dimensions become `out`: "weight" has the summed ones and then those of out, "bias" those of out. Heads of
 * an attention are WEFT_DIMS(heads, size). */
WEFT_API weft_tensor *weft_linear_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, weft_dims out,
                                     const weft_linear_options *options);

/* Rows of "weight", count x width, by the integers of rows, [...]: [..., width] of f32. *table (or NULL) gets the
 * parameter, for weft_unembed. The initialiser's own is normal, of deviation 0.02. */
WEFT_API weft_tensor *weft_embedding_at(weft_source at, weft_graph *g, const char *name, weft_tensor *rows,
                                        int64_t count, int64_t width, weft_init init, weft_tensor **table);
/* Products of x, [..., width], with all rows of a table, [count, width]: [..., count]. */
WEFT_API weft_tensor *weft_unembed_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *table);

/* ---- convolutions and pools ---- x is [batch, spatial ..., features]; lists have an entry per spatial dimension. */

typedef enum weft_padding {
    WEFT_PADDING_SAME,    /* as many results as elements, over the stride; the odd element of padding comes last */
    WEFT_PADDING_NONE,
    WEFT_PADDING_CAUSAL   /* all of it comes first: result i reads elements up to i */
} weft_padding;

typedef struct weft_conv_options {
    weft_dims strides, dilation; /* ones */
    weft_padding padding;
    int64_t groups;              /* 0: one */
    weft_bias bias;
    weft_init weight_init;       /* LeCun's */
    weft_init bias_init;         /* zeros */
    size_t size;                 /* sizeof(weft_conv_options); 0: the fields above (weft/weft.h) */
} weft_conv_options;

/* With kernels of `size`: "weight" is [size ..., features / groups, out], "bias" [out]. */
WEFT_API weft_tensor *weft_conv_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, weft_dims size,
                                   int64_t out, const weft_conv_options *options);

/* The largest, and the mean, of each window. strides may be empty: those of the size, windows side by side. Padding is
 * below every element for the one, and zeros for the other. */
WEFT_API weft_tensor *weft_max_pool_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims size,
                                       weft_dims strides, weft_padding padding);
WEFT_API weft_tensor *weft_average_pool_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims size,
                                           weft_dims strides, weft_padding padding);

/* ---- norms ---- over the features, with "scale" (ones) and, but for rms_norm, "bias" (zeros) */

/* (x - mean) / sqrt(variance + epsilon) */
WEFT_API weft_tensor *weft_layer_norm_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x,
                                         double epsilon);
/* x / sqrt(mean of x^2 + epsilon) */
WEFT_API weft_tensor *weft_rms_norm_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, double epsilon);

typedef enum weft_batch_norm_by {
    WEFT_BY_BATCH,  /* by mean and variance of the batch. The variables "mean" and "variance" move towards them, which
                     * is an update of the graph: outside of bodies */
    WEFT_BY_RUNNING /* by these variables */
} weft_batch_norm_by;
/* Over all dimensions but the features. Each step the running values keep `momentum` of what they are. */
WEFT_API weft_tensor *weft_batch_norm_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x,
                                         weft_batch_norm_by by, double momentum, double epsilon);

/* ---- functions of elements ---- */

WEFT_API weft_tensor *weft_relu_at(weft_source at, weft_graph *g, weft_tensor *x);
/* x times the normal distribution at x: by erf, and by the formula with tanh (Hendrycks and Gimpel, 2016). */
WEFT_API weft_tensor *weft_gelu_at(weft_source at, weft_graph *g, weft_tensor *x);
WEFT_API weft_tensor *weft_gelu_tanh_at(weft_source at, weft_graph *g, weft_tensor *x);
WEFT_API weft_tensor *weft_silu_at(weft_source at, weft_graph *g, weft_tensor *x);
/* silu(linear "gate") * linear "up", both to `hidden` features without bias, and linear "down" back to x's (Shazeer,
 * 2020). The initialiser is of all three weights. */
WEFT_API weft_tensor *weft_swiglu_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x, int64_t hidden,
                                     weft_init init);

/* Along dim. */
WEFT_API weft_tensor *weft_softmax_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim);
WEFT_API weft_tensor *weft_log_softmax_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim);
/* The mean over dims, which the result lacks. */
WEFT_API weft_tensor *weft_mean_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims dims);

/* x, through which gradients do not go. */
WEFT_API weft_tensor *weft_stop_gradient_at(weft_source at, weft_graph *g, weft_tensor *x);

/* x with each element left out, at rate, or divided by 1 - rate: by the key and the element's index (random.h). */
WEFT_API weft_tensor *weft_dropout_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *key, double rate);

/* ---- attention ---- */

/* Rotary positions (Su et al., 2021): x is [batch, tokens, heads, size], and element i of the first half of a head
 * turns with element i of the second, by the position times base^(-2i / size). positions: [tokens] of integers; NULL:
 * 0, 1, 2 ... base 0: 10000. */
WEFT_API weft_tensor *weft_rope_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *positions, double base);

typedef enum weft_mask { WEFT_MASK_CAUSAL, WEFT_MASK_NONE } weft_mask;
typedef struct weft_attention_options {
    weft_mask mask;          /* causal: token i sees tokens up to i */
    int64_t window;          /* of these only the last `window`, i among them; 0: all */
    double scale;            /* of products; 0: 1 / sqrt(size) */
    size_t size;             /* sizeof(weft_attention_options); 0: the fields above (weft/weft.h) */
} weft_attention_options;

/* softmax(q k) v: q is [batch, tokens, heads, size], k and v [batch, tokens, groups, size], where groups divides heads:
 * equally many heads one after another share a group's keys and values. k and v may have other tokens than q: under a
 * causal mask at least as many, of which the last ones are q's. The result is q's shape. */
WEFT_API weft_tensor *weft_attention_at(weft_source at, weft_graph *g, weft_tensor *q, weft_tensor *k, weft_tensor *v,
                                        const weft_attention_options *options);

/* ---- losses ---- */

/* -log softmax(logits)[label] for each label: logits [..., classes], labels [...] of integers, result [...] of f32 (f64
 * for f64). Classes may be sharded: numbers per label are sent, and no logits. */
WEFT_API weft_tensor *weft_cross_entropy_at(weft_source at, weft_graph *g, weft_tensor *logits, weft_tensor *labels);

/* ---- mixture of experts ---- */

typedef enum weft_expert_kind { WEFT_EXPERTS_SWIGLU, WEFT_EXPERTS_GELU } weft_expert_kind;
typedef struct weft_experts_options {
    int64_t experts, hidden;     /* how many, and the hidden features of each: above 0 */
    int64_t chosen;              /* experts of a token; 0: 2 */
    double capacity;             /* places of an expert per sequence, of tokens * chosen / experts; 0: 1.25 */
    weft_expert_kind kind;
    weft_init weight_init;       /* of the experts, LeCun's; the router's is LeCun's in any case */
    size_t size;                 /* sizeof(weft_experts_options); 0: the fields above (weft/weft.h) */
} weft_experts_options;

/* x is [batch, tokens, features]. Each token goes to the `chosen` experts that "router/weight" gives the largest
 * probabilities, and gets the sum of their results, weighted by these probabilities over their sum. A token for which
 * an expert has no place left in its sequence goes without it: first choices come before second ones, earlier tokens
 * before later ones. *balance (or NULL) gets a scalar to add to the loss, times a small number: experts * sum over
 * experts of their share of first choices times their mean probability, 1 if all are even (Fedus, Zoph and Shazeer,
 * 2021). Weights are "up/weight" (and "gate/weight") [experts, features, hidden] and "down/weight" [experts, hidden,
 * features]. Tokens are put to their places by products, so with experts sharded over an axis of the batch they travel
 * by all_to_all. */
WEFT_API weft_tensor *weft_experts_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x,
                                      const weft_experts_options *options, weft_tensor **balance);

/* ---- the calls as they are made: with the caller's place. Options may be a compound literal ---- */

#define weft_linear(...)                     weft_linear_at(WEFT_HERE, __VA_ARGS__)
#define weft_embedding(...)                  weft_embedding_at(WEFT_HERE, __VA_ARGS__)
#define weft_unembed(...)                    weft_unembed_at(WEFT_HERE, __VA_ARGS__)
#define weft_conv(...)                       weft_conv_at(WEFT_HERE, __VA_ARGS__)
#define weft_max_pool(...)                   weft_max_pool_at(WEFT_HERE, __VA_ARGS__)
#define weft_average_pool(...)               weft_average_pool_at(WEFT_HERE, __VA_ARGS__)
#define weft_layer_norm(...)                 weft_layer_norm_at(WEFT_HERE, __VA_ARGS__)
#define weft_rms_norm(...)                   weft_rms_norm_at(WEFT_HERE, __VA_ARGS__)
#define weft_batch_norm(...)                 weft_batch_norm_at(WEFT_HERE, __VA_ARGS__)
#define weft_relu(...)                       weft_relu_at(WEFT_HERE, __VA_ARGS__)
#define weft_gelu(...)                       weft_gelu_at(WEFT_HERE, __VA_ARGS__)
#define weft_gelu_tanh(...)                  weft_gelu_tanh_at(WEFT_HERE, __VA_ARGS__)
#define weft_silu(...)                       weft_silu_at(WEFT_HERE, __VA_ARGS__)
#define weft_swiglu(...)                     weft_swiglu_at(WEFT_HERE, __VA_ARGS__)
#define weft_softmax(...)                    weft_softmax_at(WEFT_HERE, __VA_ARGS__)
#define weft_log_softmax(...)                weft_log_softmax_at(WEFT_HERE, __VA_ARGS__)
#define weft_mean(...)                       weft_mean_at(WEFT_HERE, __VA_ARGS__)
#define weft_stop_gradient(...)              weft_stop_gradient_at(WEFT_HERE, __VA_ARGS__)
#define weft_dropout(...)                    weft_dropout_at(WEFT_HERE, __VA_ARGS__)
#define weft_rope(...)                       weft_rope_at(WEFT_HERE, __VA_ARGS__)
#define weft_attention(...)                  weft_attention_at(WEFT_HERE, __VA_ARGS__)
#define weft_cross_entropy(...)              weft_cross_entropy_at(WEFT_HERE, __VA_ARGS__)
#define weft_experts(...)                    weft_experts_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
