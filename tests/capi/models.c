/* models.c: programs of layers and optimizers as text, for tests that compare them with JAX.
 *
 *     models NAME [AXES]      the program; with AXES, as "a=2, b=2", its annotations on that mesh
 *     models list             the layers' names
 *     models optimizers       the optimizers' names
 *
 * The text begins with the inputs' names, in a comment.
 *
 * The program of a layer has the result "y", the scalar "loss", which is the sum of y times cosines of the elements'
 * numbers, and "d NAME" for each input of floats: the gradient of the loss. The program of an optimizer has the
 * parameters "w", "blocks/w" (of two layers) and "b" and for each an input "c NAME", which is the gradient; its results
 * are what parameters and state become, and others by name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/gradients.h>
#include <weft/nn.h>
#include <weft/optim.h>
#include <weft/random.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static weft_tensor *x_of(weft_graph *g, const char *type) { return weft_graph_input(g, "x", type); }

static weft_tensor *linear(weft_graph *g) { return weft_linear(g, "l", x_of(g, "4x6x8xf32"), WEFT_DIMS(16), NULL); }
static weft_tensor *linear_heads(weft_graph *g) {
    const weft_linear_options o = { .bias = WEFT_WITHOUT_BIAS, .summed = 2 };
    weft_tensor *h = weft_linear(g, "in", x_of(g, "4x6x8xf32"), WEFT_DIMS(4, 2), NULL);
    return weft_linear(g, "out", h, WEFT_DIMS(10), &o);
}
static weft_tensor *linear_bf16(weft_graph *g) {
    weft_tensor *h = weft_graph_convert(g, x_of(g, "4x8xf32"), "bf16");
    return weft_graph_convert(g, weft_linear(g, "l", h, WEFT_DIMS(16), NULL), "f32");
}
static weft_tensor *embedding(weft_graph *g) {
    weft_tensor *table, *rows = weft_graph_input(g, "rows", "4x6xi32");
    weft_tensor *h = weft_embedding(g, "e", rows, 8, 4, weft_init_zeros(), &table);
    return weft_unembed(g, weft_graph_tanh(g, h), table);
}
static weft_tensor *conv1d(weft_graph *g) {
    const weft_conv_options o = { .padding = WEFT_PADDING_CAUSAL, .dilation = WEFT_DIMS(2) };
    return weft_conv(g, "c", x_of(g, "4x10x6xf32"), WEFT_DIMS(3), 8, &o);
}
static weft_tensor *conv2d(weft_graph *g) {
    const weft_conv_options o = { .strides = WEFT_DIMS(2, 2), .groups = 2, .bias = WEFT_WITHOUT_BIAS };
    return weft_conv(g, "c", x_of(g, "4x8x7x4xf32"), WEFT_DIMS(3, 3), 6, &o);
}
static weft_tensor *max_pool(weft_graph *g) {
    return weft_max_pool(g, x_of(g, "4x8x7x4xf32"), WEFT_DIMS(3, 2), WEFT_DIMS(2, 2), WEFT_PADDING_SAME);
}
static weft_tensor *average_pool(weft_graph *g) {
    return weft_average_pool(g, x_of(g, "4x8x6xf32"), WEFT_DIMS(2), WEFT_NO_DIMS, WEFT_PADDING_NONE);
}
static weft_tensor *layer_norm(weft_graph *g) { return weft_layer_norm(g, "n", x_of(g, "4x6x8xf32"), 1e-5); }
static weft_tensor *rms_norm(weft_graph *g) { return weft_rms_norm(g, "n", x_of(g, "4x6x8xf32"), 1e-5); }
static weft_tensor *batch_norm(weft_graph *g) {
    return weft_batch_norm(g, "n", x_of(g, "4x6x8xf32"), WEFT_BY_BATCH, 0.9, 1e-5);
}
static weft_tensor *batch_norm_running(weft_graph *g) {
    return weft_batch_norm(g, "n", x_of(g, "4x6x8xf32"), WEFT_BY_RUNNING, 0.9, 1e-5);
}
static weft_tensor *relu(weft_graph *g) { return weft_relu(g, x_of(g, "4x8xf32")); }
static weft_tensor *gelu(weft_graph *g) { return weft_gelu(g, x_of(g, "4x8xf32")); }
static weft_tensor *gelu_tanh(weft_graph *g) { return weft_gelu_tanh(g, x_of(g, "4x8xf32")); }
static weft_tensor *silu(weft_graph *g) { return weft_silu(g, x_of(g, "4x8xf32")); }
static weft_tensor *swiglu(weft_graph *g) {
    return weft_swiglu(g, "mlp", x_of(g, "4x6x8xf32"), 16, (weft_init){ .kind = WEFT_INIT_DEFAULT });
}
static weft_tensor *softmax(weft_graph *g) { return weft_softmax(g, x_of(g, "4x6x8xf32"), 1); }
static weft_tensor *log_softmax(weft_graph *g) { return weft_log_softmax(g, x_of(g, "4x8xf32"), 1); }
static weft_tensor *stopped(weft_graph *g) {
    weft_tensor *x = x_of(g, "4x8xf32");
    return weft_graph_multiply(g, x, weft_stop_gradient(g, weft_graph_tanh(g, x)));
}
static weft_tensor *dropout(weft_graph *g) {
    return weft_dropout(g, x_of(g, "4x64xf32"), weft_graph_random_key(g, 7), 0.25);
}
static weft_tensor *rope(weft_graph *g) { return weft_rope(g, x_of(g, "4x6x2x8xf32"), NULL, 0); }
static weft_tensor *rope_positions(weft_graph *g) {
    return weft_rope(g, x_of(g, "4x6x2x8xf32"), weft_graph_input(g, "positions", "6xi32"), 500);
}

static weft_tensor *attention_of(weft_graph *g, const char *q, const char *k, const weft_attention_options *o) {
    return weft_attention(g, weft_graph_input(g, "q", q), weft_graph_input(g, "k", k), weft_graph_input(g, "v", k), o);
}
static weft_tensor *attention(weft_graph *g) { return attention_of(g, "4x6x4x8xf32", "4x6x4x8xf32", NULL); }
static weft_tensor *attention_full(weft_graph *g) {
    const weft_attention_options o = { .mask = WEFT_MASK_NONE, .scale = 0.5 };
    return attention_of(g, "4x6x4x8xf32", "4x7x4x8xf32", &o);
}
static weft_tensor *attention_grouped(weft_graph *g) {
    return attention_of(g, "4x6x4x8xf32", "4x6x2x8xf32", &(weft_attention_options){ .window = 3 });
}
static weft_tensor *cross_entropy(weft_graph *g) {
    return weft_cross_entropy(g, x_of(g, "4x6x16xf32"), weft_graph_input(g, "labels", "4x6xi32"));
}
/* More classes than the labels' type has numbers. */
static weft_tensor *narrow_labels(weft_graph *g) {
    return weft_cross_entropy(g, x_of(g, "4x300xf32"), weft_graph_input(g, "labels", "4xui8"));
}
static weft_tensor *experts_of(weft_graph *g, const weft_experts_options *o) {
    weft_tensor *balance, *y = weft_experts(g, "moe", x_of(g, "4x8x6xf32"), o, &balance);
    return weft_graph_add(g, y, weft_graph_broadcast_like(g, balance, y, WEFT_NO_DIMS));
}
static weft_tensor *experts(weft_graph *g) {
    return experts_of(g, &(weft_experts_options){ .experts = 4, .hidden = 8 });
}
static weft_tensor *experts_tight(weft_graph *g) {
    return experts_of(g, &(weft_experts_options){ .experts = 4, .hidden = 8, .chosen = 1, .capacity = 0.75,
                                                  .kind = WEFT_EXPERTS_GELU });
}
static weft_tensor *experts_wide(weft_graph *g) {
    return weft_experts(g, "moe", x_of(g, "8x32x16xf32"), &(weft_experts_options){ .experts = 4, .hidden = 256 }, NULL);
}

/* Inputs and how they lie, in pairs, for a mesh with the axes a and b. */
static const struct { const char *name; weft_tensor *(*make)(weft_graph *); const char *shardings[9]; } models[] = {
    { "linear", linear, { "x", "a, -, -", "l/weight", "-, b" } },
    { "linear_heads", linear_heads, { "x", "a, -, -", "in/weight", "-, b, -", "out/weight", "b, -, -" } },
    { "linear_bf16", linear_bf16, { "x", "a, -", "l/weight", "b, -" } },
    { "embedding", embedding, { "rows", "a, -", "e/weight", "b, -" } },
    { "conv1d", conv1d, { "x", "a, b, -" } },
    { "conv2d", conv2d, { "x", "a, b, -, -" } },
    { "max_pool", max_pool, { "x", "a, b, -, -" } },
    { "average_pool", average_pool, { "x", "a, b, -" } },
    { "layer_norm", layer_norm, { "x", "a, -, b" } },
    { "rms_norm", rms_norm, { "x", "a, -, b" } },
    { "batch_norm", batch_norm, { "x", "a, -, b" } },
    { "batch_norm_running", batch_norm_running, { "x", "a, -, b" } },
    { "relu", relu, { "x", "a, b" } },
    { "gelu", gelu, { "x", "a, b" } },
    { "gelu_tanh", gelu_tanh, { "x", "a, b" } },
    { "silu", silu, { "x", "a, b" } },
    { "swiglu", swiglu, { "x", "a, -, -", "mlp/up/weight", "-, b", "mlp/gate/weight", "-, b", "mlp/down/weight", "b, -" } },
    { "softmax", softmax, { "x", "a, b, -" } },
    { "log_softmax", log_softmax, { "x", "a, b" } },
    { "stopped", stopped, { "x", "a, b" } },
    { "dropout", dropout, { "x", "a, b" } },
    { "rope", rope, { "x", "a, -, b, -" } },
    { "rope_positions", rope_positions, { "x", "a, b, -, -" } },
    { "attention", attention, { "q", "a, -, b, -", "k", "a, -, b, -", "v", "a, -, b, -" } },
    { "attention_full", attention_full, { "q", "a, -, b, -", "k", "a, -, b, -", "v", "a, -, b, -" } },
    { "attention_grouped", attention_grouped, { "q", "a, -, b, -", "k", "a, -, b, -", "v", "a, -, b, -" } },
    { "cross_entropy", cross_entropy, { "x", "a, -, b", "labels", "a, -" } },
    { "narrow_labels", narrow_labels, { "x", "a, b", "labels", "a" } },
    { "experts", experts, { "x", "a, -, -", "moe/up/weight", "a, -, b", "moe/gate/weight", "a, -, b", "moe/down/weight", "a, b, -" } },
    { "experts_tight", experts_tight, { "x", "a, -, -", "moe/up/weight", "a, -, -", "moe/down/weight", "a, -, -" } },
    { "experts_wide", experts_wide, { "x", "a, -, -", "moe/up/weight", "a, -, -", "moe/gate/weight", "a, -, -",
                                      "moe/down/weight", "a, -, -" } },
};

/* ---- optimizers ---- */

static void one_block(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_add(g, x[0], weft_parameter(g, "w", "8x6xf32", weft_init_zeros()));
}

/* The parameters that a pattern chooses, and gradients that are inputs. */
static weft_tensors parameters(weft_graph *g, const char *pattern, weft_tensors *d) {
    weft_tensor *sum = weft_graph_fill(g, "8x6xf32", 0), *loss = NULL;
    weft_parameter(g, "w", "6x8xf32", weft_init_zeros());
    weft_parameter(g, "b", "8xf32", weft_init_zeros());
    weft_layers(g, "blocks", 2, &sum, 1, one_block, NULL, &sum);
    const weft_tensors p = weft_parameters(g, pattern);
    for (size_t i = 0; i < p.n; i++) {
        char name[64], type[64] = "";
        int64_t all[4];
        snprintf(name, sizeof name, "c %s", weft_tensor_name(g, p.v[i]));
        for (size_t k = 0; k < weft_tensor_rank(p.v[i]); k++) {
            snprintf(type + strlen(type), sizeof type - strlen(type), "%lldx", (long long)weft_tensor_dim(p.v[i], k));
            all[k] = (int64_t)k;
        }
        weft_tensor *c = weft_graph_input(g, name, strcat(type, "f32"));
        const weft_dims dims = { all, weft_tensor_rank(p.v[i]) };
        weft_tensor *part = weft_graph_reduce(g, "add", weft_graph_multiply(g, p.v[i], c), dims);
        loss = loss ? weft_graph_add(g, loss, part) : part;
    }
    *d = weft_gradients(g, loss, p, NULL);
    return p;
}

static weft_tensor *rate_of(weft_graph *g) { return weft_graph_fill(g, "f32", 0.125); }

static void sgd(weft_graph *g) {
    weft_tensors d, p = parameters(g, "*", &d);
    weft_sgd(g, p, d, rate_of(g), NULL);
}
static void sgd_momentum(weft_graph *g) {
    weft_tensors d, p = parameters(g, "*", &d);
    weft_sgd(g, p, d, rate_of(g), &(weft_sgd_options){ .momentum = 0.9, .decay = 0.1, .decayed = "*w" });
}
static void sgd_nesterov(weft_graph *g) {
    weft_tensors d, p = parameters(g, "*", &d);
    weft_sgd(g, p, d, rate_of(g), &(weft_sgd_options){ .momentum = 0.9, .nesterov = WEFT_NESTEROV });
}
static void adamw(weft_graph *g) {
    weft_tensors d, p = parameters(g, "*", &d);
    weft_adamw(g, p, d, rate_of(g), &(weft_adamw_options){ .beta2 = 0.95, .decay = 0.1, .decayed = "*, !b" });
}
static void lion(weft_graph *g) {
    weft_tensors d, p = parameters(g, "*", &d);
    weft_lion(g, p, d, rate_of(g), &(weft_lion_options){ .decay = 0.1 });
}
static void adafactor(weft_graph *g) {
    weft_tensors d, p = parameters(g, "*", &d);
    weft_adafactor(g, p, d, rate_of(g), &(weft_adafactor_options){ .least_factored = 6, .decay = 0.01 });
}
static void adafactor_whole(weft_graph *g) {
    weft_tensors d, p = parameters(g, "*", &d);
    weft_adafactor(g, p, d, rate_of(g), &(weft_adafactor_options){ .clip = 0.5, .least_scale = -1 });
}
static void muon(weft_graph *g) {
    weft_tensors d, p = parameters(g, "*w", &d);
    weft_muon(g, p, d, rate_of(g), &(weft_muon_options){ .decay = 0.1, .nesterov = WEFT_NESTEROV });
}
/* Clipped, averaged, and left alone where something is not finite. */
static void guarded(weft_graph *g) {
    weft_tensor *scale = weft_loss_scale(g, 1024), *finite, *norm;
    weft_tensors d, p = parameters(g, "*", &d);
    d = weft_unscale(g, d, scale, &(weft_unscale_options){ .interval = 2 }, &finite);
    d = weft_clip_by_global_norm(g, d, 2, &norm);
    weft_tensors next = weft_adamw(g, p, d, rate_of(g), &(weft_adamw_options){ .when = finite });
    weft_ema(g, p, next, 0.75, finite);
    weft_graph_output(g, "norm", norm);
}
static void schedules(weft_graph *g) {
    weft_tensor *step = weft_training_step(g);
    weft_graph_output(g, "constant", weft_schedule_constant(g, 0.5));
    weft_graph_output(g, "linear", weft_schedule_linear(g, step, 1, 0.25, 10));
    weft_graph_output(g, "cosine", weft_schedule_cosine(g, step, 1, 0.25, 10));
    weft_graph_output(g, "warmup_cosine", weft_schedule_warmup_cosine(g, step, 1, 4, 12, 0.1));
    weft_graph_output(g, "inverse_sqrt", weft_schedule_inverse_sqrt(g, step, 1, 4));
}

/* Two layers, in bf16 or f32, over micro-batches: x[0] rows, x[1] targets. */
typedef struct dense { const char *dtype; void (*layers)(weft_source, weft_graph *, const char *, int64_t,
                                                         weft_tensor *const *, size_t, weft_body *, void *,
                                                         weft_tensor **); } dense;
static void dense_block(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_tanh(g, weft_linear(g, "l", x[0], WEFT_DIMS(6), NULL));
}
static void micro_loss(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const dense *kind = user;
    weft_tensor *h = weft_graph_convert(g, x[0], kind->dtype);
    kind->layers(WEFT_HERE, g, "blocks", 2, &h, 1, dense_block, NULL, &h);
    weft_tensor *out = weft_linear(g, "head", weft_graph_convert(g, h, "f32"), WEFT_DIMS(5), NULL);
    y[0] = weft_mean(g, weft_cross_entropy(g, out, x[1]), WEFT_DIMS(0));
}
static void accumulated(weft_graph *g, int64_t n, dense kind) {
    weft_tensor *x[] = { weft_graph_input(g, "x", "256x6xf32"), weft_graph_input(g, "labels", "256xi32") }, *loss;
    const weft_tensors d = weft_accumulate(g, n, x, 2, micro_loss, &kind, "*", &loss), p = weft_parameters(g, "*");
    weft_graph_output(g, "loss", loss);
    for (size_t i = 0; i < p.n; i++) {
        char name[64];
        snprintf(name, sizeof name, "d %s", weft_tensor_name(g, p.v[i]));
        weft_graph_output(g, name, d.v[i]);
    }
}
static void accumulate(weft_graph *g) { accumulated(g, 4, (dense){ "f32", weft_layers_unrolled_at }); }
static void accumulate_scan(weft_graph *g) { accumulated(g, 4, (dense){ "f32", weft_layers_at }); }
static void accumulate_once(weft_graph *g) { accumulated(g, 1, (dense){ "f32", weft_layers_at }); }
static void accumulate_bf16(weft_graph *g) { accumulated(g, 4, (dense){ "bf16", weft_layers_at }); }

#define SHARDED { "w", "a, b", "blocks/w", "-, b, a", "b", "b" }
static const struct { const char *name; void (*make)(weft_graph *); const char *shardings[9]; } optimizers[] = {
    { "sgd", sgd, SHARDED },
    { "sgd_momentum", sgd_momentum, SHARDED },
    { "sgd_nesterov", sgd_nesterov, SHARDED },
    { "adamw", adamw, SHARDED },
    { "lion", lion, SHARDED },
    { "adafactor", adafactor, SHARDED },
    { "adafactor_whole", adafactor_whole, SHARDED },
    { "muon", muon, SHARDED },
    { "guarded", guarded, SHARDED },
    { "schedules", schedules, { NULL } },
    { "accumulate", accumulate, { "x", "a, -", "labels", "a" } },
    { "accumulate_scan", accumulate_scan, { "x", "a, -", "labels", "a", "blocks/l/weight", "-, -, b" } },
    { "accumulate_once", accumulate_once, { "x", "a, -", "labels", "a", "blocks/l/weight", "-, -, b" } },
    { "accumulate_bf16", accumulate_bf16, { "x", "a, -", "labels", "a", "blocks/l/weight", "-, -, b" } },
};

static weft_tensor *loss_of(weft_graph *g, weft_tensor *y) {
    int64_t dims[8], all[8], elements = 1, n = (int64_t)weft_tensor_rank(y);
    for (int64_t d = 0; d < n; d++) elements *= dims[d] = weft_tensor_dim(y, (size_t)d), all[d] = d;
    char type[32];
    snprintf(type, sizeof type, "%lldxf32", (long long)elements);
    weft_tensor *c = weft_graph_cosine(g, weft_graph_iota(g, type, 0));
    const weft_dims shape = { dims, (size_t)n }, everything = { all, (size_t)n };
    return weft_graph_reduce(g, "add", weft_graph_multiply(g, y, weft_graph_reshape(g, c, shape)), everything);
}

static void annotate(weft_graph *g, const char *axes, const char *const *shardings) {
    const weft_device_mesh *mesh = weft_graph_mesh(g, axes);
    for (; *shardings; shardings += 2) {
        const char *name;
        weft_tensor *t;
        for (size_t i = 0; (t = weft_graph_get_input(g, i, &name)) && strcmp(name, *shardings); i++) continue;
        weft_shard(g, t, mesh, shardings[1]);
    }
}

static void differentiate(weft_graph *g, weft_tensor *loss) {
    weft_tensor *of[32], *gradient[32], *t;
    const char *names[32], *name;
    size_t n = 0;
    for (size_t i = 0; n < 32 && (t = weft_graph_get_input(g, i, &name)); i++)
        if (!strcmp(weft_tensor_dtype(t), "f32")) of[n] = t, names[n++] = name;
    weft_graph_gradients(g, loss, of, n, gradient);
    for (size_t i = 0; i < n; i++) {
        char text[128];
        snprintf(text, sizeof text, "d %s", names[i]);
        weft_graph_output(g, text, gradient[i]);
    }
}

static weft_status print(weft_context *cx, weft_graph *g) {
    const char *input;
    char *text;
    weft_status st = weft_graph_text(g, &text);
    if (st != WEFT_OK) return st;
    fputs("//", stdout);
    for (size_t k = 0; weft_graph_get_input(g, k, &input); k++) printf("%s%s", k ? ", " : " ", input);
    printf("\n%s", text);
    weft_text_free(cx, text);
    return WEFT_OK;
}

static void print_diagnostic(void *user, const weft_diag *d) {
    (void)user;
    if (d->file) fprintf(stderr, "%s:%lld: ", d->file, (long long)d->line);
    fprintf(stderr, "%s: %s\n", weft_severity_name(d->severity), d->message);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "list";
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = cx ? weft_graph_new(cx, name) : NULL;
    weft_status st = g ? WEFT_OK : WEFT_ERR_MEMORY;
    if (cx) weft_context_set_handler(cx, print_diagnostic, NULL);
    for (size_t i = 0; i < COUNT(models) && st == WEFT_OK; i++) {
        if (!strcmp(name, "list")) puts(models[i].name);
        if (strcmp(name, models[i].name)) continue;
        weft_tensor *y = models[i].make(g), *loss = loss_of(g, y);
        weft_graph_output(g, "y", y);
        weft_graph_output(g, "loss", loss);
        if (argc > 2) annotate(g, argv[2], models[i].shardings);
        differentiate(g, loss);
        st = print(cx, g);
    }
    for (size_t i = 0; i < COUNT(optimizers) && st == WEFT_OK; i++) {
        if (!strcmp(name, "optimizers")) puts(optimizers[i].name);
        if (strcmp(name, optimizers[i].name)) continue;
        optimizers[i].make(g);
        if (argc > 2) annotate(g, argv[2], optimizers[i].shardings);
        st = print(cx, g);
    }
    weft_graph_free(g);
    weft_context_free(cx);
    return st == WEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
