/* gpt_run.h: flags, text and the training loop of gpt.c. */
#ifndef GPT_RUN_H
#define GPT_RUN_H

#include <weft/array.h>
#include <weft/checkpoint.h>
#include <weft/nn.h>
#include <weft/optim.h>
#include <weft/random.h>
#include <weft/strategy.h>

typedef struct config {
    int64_t layers, heads, groups, dim, hidden, tokens, batch, micro, steps, stop, seed, every, evaluate, sample,
        vocabulary;
    int llama, unrolled, bf16, resume;
    weft_gradient_keep keep;
    double rate, warmup, temperature, peak, rope;
    const char *mesh, *strategy, *text, *held_out, *save, *load, *bpe, *kept;
} config;

/* gpt.c: the programs. */
void gpt_train(weft_graph *g, config *c);
void gpt_evaluate(weft_graph *g, config *c);
void gpt_sample(weft_graph *g, config *c);

/* gpt_weights.c: c->load, a folder or file of another program. */
weft_status gpt_load_weights(weft_client *client, weft_state *state, const config *c);

int gpt_run(int argc, char **argv);

#endif
