/* gpt.c: trains a GPT on the bytes of a text, its tokens or a file of tokens, on a mesh of devices, from C.
 *
 *     cc -I.. gpt.c gpt_run.c gpt_weights.c $(pkg-config --cflags --libs weft) -lm -o gpt/gpt
 *     gpt/gpt gpt/text.txt                                        # GPT-2's shape, small, on one device
 *     gpt/gpt gpt/text.txt --llama --heads 4 --kv-heads 2         # Llama's
 *     gpt/gpt gpt/text.txt --mesh data=2,model=2 --strategy dp,fsdp,tp,sp
 *     gpt/gpt gpt/text.txt --bpe gpt2                             # a folder with GPT-2's vocab.json and merges.txt
 *     gpt/gpt train.bin --held-out val.bin --vocabulary 50257     # numbers of two bytes, encoded before
 *     gpt/gpt gpt/text.txt --bpe gpt2 --load gpt2 --layers 12 --heads 12 --dim 768 --stop 0 --sample 20
 *     mpirun -n 4 gpt/gpt gpt/text.txt --mesh data=2,model=2 --strategy dp,tp --save run --resume
 *
 * Model and training are here; flags, text and the loop are gpt_run.c's. gpt/gpt --help lists the flags.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "examples/gpt_run.h"

/* ---- the model ---- */

static weft_tensor *norm(weft_graph *g, const char *name, weft_tensor *x, const config *c) {
    return c->llama ? weft_rms_norm(g, name, x, 1e-5) : weft_layer_norm(g, name, x, 1e-5);
}

static weft_tensor *attention(weft_graph *g, weft_tensor *h, const config *c, const weft_linear_options *in,
                              const weft_linear_options *out) {
    const int64_t size = c->dim / c->heads;
    weft_tensor *q = weft_linear(g, "q", h, WEFT_DIMS(c->heads, size), in);
    weft_tensor *k = weft_linear(g, "k", h, WEFT_DIMS(c->groups, size), in);
    weft_tensor *v = weft_linear(g, "v", h, WEFT_DIMS(c->groups, size), in);
    if (c->llama) q = weft_rope(g, q, NULL, c->rope), k = weft_rope(g, k, NULL, c->rope);
    return weft_linear(g, "out", weft_attention(g, q, k, v, NULL), WEFT_DIMS(c->dim), out);
}

static void block(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const config *c = user;
    const weft_init small = weft_init_normal(0.02), smaller = weft_init_normal(0.02 / sqrt(2.0 * (double)c->layers));
    const weft_bias bias = c->llama ? WEFT_WITHOUT_BIAS : WEFT_WITH_BIAS;
    const weft_linear_options in = { .bias = bias, .weight_init = small };
    const weft_linear_options down = { .bias = bias, .weight_init = smaller };
    const weft_linear_options out = { .bias = bias, .weight_init = smaller, .summed = 2 };
    weft_tensor *h = weft_activation(g, "residual", x[0]);
    h = weft_graph_add(g, h, attention(g, norm(g, "norm1", h, c), c, &in, &out));
    weft_tensor *m = norm(g, "norm2", h, c);
    if (c->llama) m = weft_swiglu(g, "mlp", m, c->hidden, small);
    else {
        m = weft_gelu_tanh(g, weft_linear(g, "mlp/up", m, WEFT_DIMS(c->hidden), &in));
        m = weft_linear(g, "mlp/down", m, WEFT_DIMS(c->dim), &down);
    }
    y[0] = weft_graph_add(g, h, m);
}

/* Of tokens, [batch, tokens], the logits of the next ones. */
static weft_tensor *logits(weft_graph *g, weft_tensor *tokens, config *c) {
    const weft_linear_options plain = { .bias = WEFT_WITHOUT_BIAS, .weight_init = weft_init_normal(0.02) };
    weft_tensor *table, *h = weft_embedding(g, "embed", tokens, c->vocabulary, c->dim, weft_init_normal(0.02), &table);
    if (!c->llama) {
        char type[64];
        snprintf(type, sizeof type, "%lldx%lldxf32", (long long)c->tokens, (long long)c->dim);
        weft_tensor *place = weft_parameter(g, "positions", type, weft_init_normal(0.01));
        h = weft_graph_add(g, h, weft_graph_broadcast_like(g, place, h, WEFT_DIMS(1, 2)));
    }
    if (c->bf16) h = weft_graph_convert(g, h, "bf16");
    if (c->unrolled) weft_layers_unrolled(g, "blocks", c->layers, &h, 1, block, c, &h);
    else weft_layers(g, "blocks", c->layers, &h, 1, block, c, &h);
    h = norm(g, "norm", h, c);
    return c->llama ? weft_linear(g, "head", h, WEFT_DIMS(c->vocabulary), &plain) : weft_unembed(g, h, table);
}

static void loss_of(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    y[0] = weft_mean(g, weft_cross_entropy(g, logits(g, x[0], user), x[1]), WEFT_DIMS(0, 1));
}

/* ---- how it lies ---- */

static const weft_device_mesh *before_model(weft_graph *g, const config *c) {
    const weft_device_mesh *mesh = weft_graph_mesh(g, c->mesh);
    if (strstr(c->strategy, "sp")) weft_strategy_sp(g, mesh, "model", "blocks*residual");
    return mesh;
}

static void after_model(weft_graph *g, const config *c, const weft_device_mesh *mesh, const char *batches) {
    const char *s = c->strategy;
    if (batches && strstr(s, "dp")) /* fsdp's, too */ weft_strategy_dp(g, mesh, "data", batches);
    if (strstr(s, "tp"))
        weft_strategy_tp(g, mesh, "model", c->llama ? "*/q/*, */k/*, */v/*, */gate/*, */up/*, head/*"
                                                    : "*/q/*, */k/*, */v/*, */up/*", "*/out/*, */down/*, embed/*");
    if (strstr(s, "sp") && !c->llama) weft_strategy_tp(g, mesh, "model", NULL, "positions"); /* as the tokens lie */
    if (strstr(s, "fsdp")) weft_strategy_fsdp(g, mesh, "data", "*");
}

/* ---- the programs ---- */

static void inputs(weft_graph *g, const config *c, weft_tensor *x[2]) {
    char type[64];
    snprintf(type, sizeof type, "%lldx%lldxi32", (long long)c->batch, (long long)c->tokens);
    x[0] = weft_graph_input(g, "x", type);
    x[1] = weft_graph_input(g, "y", type);
}

void gpt_train(weft_graph *g, config *c) {
    const weft_device_mesh *mesh = before_model(g, c);
    weft_tensor *x[2], *loss, *norm;
    inputs(g, c, x);
    const weft_gradient_options kept = { .keep = c->keep, .size = sizeof kept };
    weft_tensors d = weft_accumulate_with(g, c->micro, x, 2, loss_of, c, "*", &loss, &kept);
    const weft_tensors p = weft_parameters(g, "*");
    weft_tensor *step = weft_training_step(g);
    weft_tensor *rate = weft_schedule_warmup_cosine(g, step, c->rate, c->warmup, c->steps, c->rate / 10);
    d = weft_clip_by_global_norm(g, d, 1, &norm);
    weft_adamw(g, p, d, rate, &(weft_adamw_options){ .beta2 = 0.95, .decay = 0.1, .decayed = "*weight" });
    weft_graph_output(g, "loss", loss);
    after_model(g, c, mesh, "x, y");
}

void gpt_evaluate(weft_graph *g, config *c) {
    const weft_device_mesh *mesh = before_model(g, c);
    weft_tensor *x[2], *loss;
    inputs(g, c, x);
    loss_of(g, x, &loss, c);
    weft_graph_output(g, "loss", loss);
    after_model(g, c, mesh, "x, y");
}

/* The token after the first `length` of a window, drawn with probabilities of the logits over the temperature,
 * or the likeliest. */
void gpt_sample(weft_graph *g, config *c) {
    const weft_device_mesh *mesh = before_model(g, c);
    char type[64];
    snprintf(type, sizeof type, "1x%lldxi32", (long long)c->tokens);
    weft_tensor *window = weft_graph_input(g, "window", type), *length = weft_graph_input(g, "length", "i32");
    weft_tensor *zero = weft_graph_fill(g, "i32", 0), *one = weft_graph_fill(g, "i32", 1);
    weft_tensor *const last[] = { zero, weft_graph_subtract(g, length, one), zero };
    weft_tensor *all = weft_graph_convert(g, logits(g, window, c), "f32");
    weft_tensor *row = weft_graph_dynamic_slice(g, all, last, WEFT_DIMS(1, 1, c->vocabulary));
    row = weft_graph_reshape(g, row, WEFT_DIMS(c->vocabulary));
    weft_tensor *key = weft_graph_random_fold(g, weft_graph_random_key(g, (uint64_t)c->seed),
                                              weft_graph_input(g, "turn", "i32"));
    weft_graph_output(g, "next", c->temperature > 0
        ? weft_graph_random_categorical(g, key, weft_graph_scale(g, row, 1 / c->temperature))
        : weft_graph_argmax(g, row, 0));
    after_model(g, c, mesh, NULL);
}

int main(int argc, char **argv) { return gpt_run(argc, argv); }
