/* gpt_weights.c: weights of GPT-2 and of Llama, in Hugging Face's layout, as the parameters of gpt.c. */
#include <stdio.h>

#include "examples/gpt_run.h"

enum { ROWS = 24 };

typedef struct rows {
    weft_stored_as v[ROWS];
    char names[ROWS][64];
    size_t n;
    const config *c;
} rows;

/* A parameter of the blocks, which are stacked or one by one. */
static weft_stored_as *of_block(rows *r, const char *name, const char *stored) {
    char *full = r->names[r->n];
    snprintf(full, sizeof r->names[0], "blocks/%s%s", r->c->unrolled ? "{}/" : "", name);
    r->v[r->n] = (weft_stored_as){ .name = full, .stored = stored };
    return &r->v[r->n++];
}

static weft_stored_as *alone(rows *r, const char *name, const char *stored) {
    r->v[r->n] = (weft_stored_as){ .name = name, .stored = stored };
    return &r->v[r->n++];
}

/* Weights are inputs by outputs, as here; queries, keys and values lie beside each other. */
static void gpt2(rows *r) {
    const int64_t dim = r->c->dim;
    static const char *const parts[] = { "q", "k", "v" };
    static const char *const pairs[][2] = {
        { "norm1/scale", "h.{}.ln_1.weight" }, { "norm1/bias", "h.{}.ln_1.bias" },
        { "out/weight", "h.{}.attn.c_proj.weight" }, { "out/bias", "h.{}.attn.c_proj.bias" },
        { "norm2/scale", "h.{}.ln_2.weight" }, { "norm2/bias", "h.{}.ln_2.bias" },
        { "mlp/up/weight", "h.{}.mlp.c_fc.weight" }, { "mlp/up/bias", "h.{}.mlp.c_fc.bias" },
        { "mlp/down/weight", "h.{}.mlp.c_proj.weight" }, { "mlp/down/bias", "h.{}.mlp.c_proj.bias" } };
    for (int i = 0; i < 3; i++) {
        char name[16];
        weft_stored_as *row;
        snprintf(name, sizeof name, "%s/weight", parts[i]);
        row = of_block(r, name, "h.{}.attn.c_attn.weight");
        row->dim = 1, row->from = i * dim, row->count = dim;
        snprintf(name, sizeof name, "%s/bias", parts[i]);
        row = of_block(r, name, "h.{}.attn.c_attn.bias");
        row->from = i * dim, row->count = dim;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) of_block(r, pairs[i][0], pairs[i][1]);
    alone(r, "embed/weight", "wte.weight");
    alone(r, "positions", "wpe.weight")->count = r->c->tokens; /* the first ones of those that were learned */
    alone(r, "norm/scale", "ln_f.weight");
    alone(r, "norm/bias", "ln_f.bias");
}

/* Weights are outputs by inputs. */
static void llama(rows *r) {
    static const char *const pairs[][2] = {
        { "q/weight", "layers.{}.self_attn.q_proj.weight" }, { "k/weight", "layers.{}.self_attn.k_proj.weight" },
        { "v/weight", "layers.{}.self_attn.v_proj.weight" }, { "out/weight", "layers.{}.self_attn.o_proj.weight" },
        { "mlp/gate/weight", "layers.{}.mlp.gate_proj.weight" }, { "mlp/up/weight", "layers.{}.mlp.up_proj.weight" },
        { "mlp/down/weight", "layers.{}.mlp.down_proj.weight" } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) of_block(r, pairs[i][0], pairs[i][1])->order = "1, 0";
    of_block(r, "norm1/scale", "layers.{}.input_layernorm.weight");
    of_block(r, "norm2/scale", "layers.{}.post_attention_layernorm.weight");
    alone(r, "embed/weight", "embed_tokens.weight");
    alone(r, "norm/scale", "norm.weight");
    alone(r, "head/weight", "lm_head.weight")->order = "1, 0";
    alone(r, "head/weight", "embed_tokens.weight")->order = "1, 0"; /* of models whose head is the embedding */
}

weft_status gpt_load_weights(weft_client *client, weft_state *state, const config *c) {
    rows r = { .c = c };
    if (c->llama) llama(&r);
    else gpt2(&r);
    const weft_restore_options o = { .as = r.v, .as_count = r.n, .arrays = "*, !adamw*, !step*",
                                     .prefix = c->llama ? "model." : "transformer.", .size = sizeof o };
    return weft_checkpoint_load(client, c->load, state, &o, NULL);
}
