/* gpt_run.c: flags, text and the training loop of gpt.c.
 *
 * A file whose name ends in .bin (numbers of two bytes) or .npy has tokens, any other one is a text: of bytes, or with
 * --bpe of the tokens of a tokenizer. The last tenth of a text is kept for the evaluation; tokens for it are a file of
 * their own. The batch of a step follows from the seed and the step alone, so a run that resumes sees what an
 * uninterrupted one would have seen.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft/data.h>
#include <weft/tokenizer.h>

#include "examples/example.h"
#include "examples/gpt_run.h"

/* ---- flags ---- */

static void print_help(void) {
    puts("usage: gpt TEXT|TOKENS [FLAG [VALUE]]...\n\n"
         "  TEXT                a file of bytes; its last tenth is for the evaluation\n"
         "  TOKENS              a file .bin of numbers of two bytes, or .npy; --vocabulary says how many there are\n"
         "  --bpe FOLDER        the text in the tokens of tokenizer.json, or of vocab.json and merges.txt\n"
         "  --held-out TOKENS   other tokens for the evaluation\n"
         "  --layers, --heads, --kv-heads, --dim, --hidden, --tokens, --llama\n"
         "                      the model's shape (2, 4, as heads, 64, 4 dim, 32), GPT-2's or Llama's kind\n"
         "  --batch, --micro    sequences of a step (16), in so many parts one after another (1)\n"
         "  --steps, --stop     steps of the schedule (100), and how many of them this run makes\n"
         "  --rate, --warmup    AdamW's (0.003), steps until it is reached (a tenth)\n"
         "  --bf16, --unrolled, --keep\n"
         "                      products in bf16; layers one by one; what is kept for gradients: all\n"
         "  --mesh, --strategy  axes (data=1); dp, fsdp, tp, sp or several of them\n"
         "  --every, --evaluate a line every so many steps (10); after ten lines, and at the end, the loss of so\n"
         "                      many held-out batches\n"
         "  --sample, --temperature\n"
         "                      tokens that are written at the end, and how freely (0.8); 0: the likeliest\n"
         "  --load PATH         begins with weights in Hugging Face's layout: GPT-2's, or with --llama Llama's\n"
         "  --rope-base         of Llama's positions (10000)\n"
         "  --save DIR, --resume\n"
         "                      checkpoints, and going on from the last one\n"
         "  --seed, --peak      of weights and batches (1); flop/s of the devices, for MFU\n\n"
         "  gpt text.txt --layers 4 --dim 128 --steps 500 --sample 200\n"
         "  mpirun -n 4 gpt text.txt --mesh data=2,model=2 --strategy dp,tp --save run --resume");
}

/* Says what is wrong with the flags; 0. */
static int wrong(const char *flag, const char *what) {
    fprintf(stderr, "gpt: %s %s; gpt --help lists the flags\n", flag, what);
    return 0;
}

static int64_t read_whole(const char *text, int *ok) {
    char *end;
    errno = 0;
    const int64_t n = strtoll(text, &end, 10);
    *ok = end != text && !*end && !errno;
    return n;
}

static double read_real(const char *text, int *ok) {
    char *end;
    const double x = strtod(text, &end);
    *ok = end != text && !*end;
    return x;
}

/* 1 for a flag that is known, with its value read; *ok is 0 if that is no number. */
static int read_flag(config *c, const char *name, const char *value, int *takes, int *ok) {
    const struct { const char *name; int64_t *to; } numbers[] = {
        { "--layers", &c->layers }, { "--heads", &c->heads }, { "--kv-heads", &c->groups }, { "--dim", &c->dim },
        { "--hidden", &c->hidden }, { "--tokens", &c->tokens }, { "--batch", &c->batch }, { "--micro", &c->micro },
        { "--steps", &c->steps }, { "--stop", &c->stop }, { "--seed", &c->seed }, { "--every", &c->every },
        { "--evaluate", &c->evaluate }, { "--sample", &c->sample }, { "--vocabulary", &c->vocabulary } };
    const struct { const char *name; double *to; } reals[] = {
        { "--rate", &c->rate }, { "--warmup", &c->warmup }, { "--temperature", &c->temperature },
        { "--peak", &c->peak }, { "--rope-base", &c->rope } };
    const struct { const char *name; const char **to; } texts[] = {
        { "--mesh", &c->mesh }, { "--strategy", &c->strategy }, { "--save", &c->save }, { "--load", &c->load },
        { "--held-out", &c->held_out }, { "--bpe", &c->bpe }, { "--keep", &c->kept } };
    const struct { const char *name; int *to; } switches[] = {
        { "--llama", &c->llama }, { "--unrolled", &c->unrolled }, { "--bf16", &c->bf16 }, { "--resume", &c->resume } };
    *takes = 0;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (!strcmp(name, switches[i].name)) return *switches[i].to = 1;
    *takes = 1;
    if (!value) return 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(name, numbers[i].name)) return *numbers[i].to = read_whole(value, ok), 1;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (!strcmp(name, reals[i].name)) return *reals[i].to = read_real(value, ok), 1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(name, texts[i].name)) return *texts[i].to = value, 1;
    return 0;
}

static int has_tokens(const char *file) {
    const size_t n = strlen(file);
    return n > 4 && (!strcmp(file + n - 4, ".bin") || !strcmp(file + n - 4, ".npy"));
}

/* What of a layer is kept from the forward pass. */
static int read_keep(config *c) {
    static const char *const names[] = { "all", "products", "nothing" };
    for (int i = 0; i < 3; i++)
        if (!strcmp(c->kept, names[i])) return c->keep = (weft_gradient_keep)i, 1;
    return 0;
}

/* Whether a list has only names of strategies in it. */
static int is_strategy(const char *list) {
    static const char *const names[] = { "dp", "fsdp", "tp", "sp" };
    while (*list) {
        const size_t n = strcspn(list, ",");
        int known = 0;
        for (int i = 0; i < 4; i++) known |= strlen(names[i]) == n && !strncmp(names[i], list, n);
        if (!known) return 0;
        list += n + (list[n] == ',');
    }
    return 1;
}

/* What the programs cannot say better. */
static int check_flags(const config *c) {
    if (c->layers <= 0 || c->heads <= 0 || c->dim <= 0 || c->dim % c->heads)
        return wrong("--layers, --heads and --dim", "are at least 1, and heads divide dim");
    if (c->groups <= 0 || c->hidden <= 0) return wrong("--kv-heads and --hidden", "are at least 1");
    if (c->tokens <= 0 || c->batch <= 0 || c->every <= 0 || c->micro <= 0)
        return wrong("--tokens, --batch, --micro and --every", "are at least 1");
    if (c->tokens >= INT32_MAX || c->batch > INT64_MAX / 64 / c->tokens)
        return wrong("--tokens or --batch", "is too large");
    if (c->steps <= 0 || c->warmup >= (double)c->steps)
        return wrong("--steps", "is at least 1, and more than --warmup");
    if (c->evaluate < 0 || c->sample < 0) return wrong("--evaluate and --sample", "are not negative");
    if (!(c->temperature >= 0)) return wrong("--temperature", "is not negative");
    if (!is_strategy(c->strategy)) return wrong("--strategy", "is dp, fsdp, tp, sp or several of them, as dp,tp");
    if (c->resume && !c->save) return wrong("--resume", "needs --save, the directory to go on from");
    return 1;
}

static int read_flags(int argc, char **argv, config *c) {
    *c = (config){ .layers = 2, .heads = 4, .dim = 64, .tokens = 32, .batch = 16, .micro = 1, .steps = 100, .stop = -1,
                   .seed = 1, .every = 10, .rate = 3e-3, .warmup = -1, .temperature = 0.8, .mesh = "data=1",
                   .strategy = "", .kept = "all", .rope = 10000 };
    for (int i = 1, takes, ok = 1; i < argc; i += 1 + takes) {
        takes = 0;
        if (argv[i][0] != '-' && !c->text) c->text = argv[i];
        else if (!read_flag(c, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &takes, &ok))
            return wrong(argv[i], "is not a flag, or lacks its value");
        if (!ok) return wrong(argv[i], "is followed by a number");
    }
    if (c->warmup < 0) c->warmup = (double)(c->steps / 10);
    if (!c->groups) c->groups = c->heads;
    if (!c->hidden) c->hidden = c->llama ? 8 * c->dim / 3 / 8 * 8 : 4 * c->dim;
    if (c->stop < 0 || c->stop > c->steps) c->stop = c->steps;
    if (!c->text) return wrong("TEXT or TOKENS", "is missing");
    if (!has_tokens(c->text)) {
        if (c->held_out) return wrong("--held-out", "is for tokens: of a text the last tenth is held out");
        if (c->vocabulary && !c->bpe) return wrong("--vocabulary", "is for tokens: bytes have 256 values");
        if (!c->bpe) c->vocabulary = 256;
    }
    if (!read_keep(c)) return wrong("--keep", "is all, products or nothing");
    if (c->vocabulary <= 0 && !c->bpe) return wrong("--vocabulary", "is missing: how many tokens there are");
    return check_flags(c);
}

/* ---- text and tokens ---- */

typedef struct text { int32_t *tokens; int64_t n; } text;

static char *read_bytes(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    long bytes = 0;
    int ok = f && !fseek(f, 0, SEEK_END) && (bytes = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET);
    char *p = ok ? malloc((size_t)bytes) : NULL;
    if (p && fread(p, 1, (size_t)bytes, f) != (size_t)bytes) free(p), p = NULL;
    if (f) fclose(f);
    *n = (size_t)bytes;
    return p;
}

/* The tokens of a text: of bpe, or its bytes. */
static weft_status read_text(const config *c, weft_tokenizer *bpe, text *t) {
    size_t bytes, n = 0;
    char *p = read_bytes(c->text, &bytes);
    const int is_read = p != NULL;
    weft_status st = WEFT_OK;
    if (is_read && !(t->tokens = malloc(bytes * sizeof *t->tokens))) st = WEFT_ERR_MEMORY;
    else if (is_read && bpe) st = weft_tokenizer_encode(bpe, p, bytes, t->tokens, bytes, &n);
    else if (is_read)
        for (; n < bytes; n++) t->tokens[n] = (unsigned char)p[n];
    free(p);
    t->n = (int64_t)n;
    if (st != WEFT_OK || t->n > 20 * (c->tokens + 1)) return st; /* the tokenizer has said why */
    fprintf(stderr, "gpt: %s: not a text of more than %lld tokens%s\n", c->text, 20 * ((long long)c->tokens + 1),
            is_read ? "" : ": it is empty, or cannot be read");
    return WEFT_ERR_IO;
}

/* splitmix64 (Steele, Lea and Flood, 2014) of a counter. */
static uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Windows x, and y, which is x one token on: at random places of the text before its last tenth, or in that. */
static void batch(const config *c, const text *t, int64_t step, int of_evaluation, int32_t *x, int32_t *y) {
    const int64_t border = t->n - t->n / 10, from = of_evaluation ? border : 0;
    const uint64_t places = (uint64_t)((of_evaluation ? t->n : border) - from - c->tokens);
    for (int64_t b = 0; b < c->batch; b++) {
        const uint64_t counter = (uint64_t)c->seed << 40 ^ (uint64_t)(step * c->batch + b);
        const int64_t at = from + (int64_t)(mixed(counter) % places);
        for (int64_t i = 0; i < c->tokens; i++) {
            x[b * c->tokens + i] = t->tokens[at + i];
            y[b * c->tokens + i] = t->tokens[at + i + 1];
        }
    }
}

/* ---- programs ---- */

typedef struct run {
    config *c;
    text text;
    weft_tokens *tokens, *held_out;     /* in place of the text */
    weft_tokenizer *bpe;
    weft_context *cx;
    weft_client *client;
    weft_state *state;
    weft_program *start, *train, *evaluate, *sample;
    int32_t *x, *y;
    double peak;                        /* flop/s of all devices */
} run;

static weft_status open_tokens(run *r) {
    const config *c = r->c;
    const weft_tokens_options o = { .seed = (uint64_t)c->seed, .vocabulary = c->vocabulary, .size = sizeof o };
    weft_status st = weft_tokens_open(r->cx, c->text, &o, &r->tokens);
    if (st == WEFT_OK && c->held_out) st = weft_tokens_open(r->cx, c->held_out, &o, &r->held_out);
    if (st == WEFT_OK && c->evaluate && !r->held_out) {
        fputs("gpt: --evaluate needs --held-out, a file of other tokens\n", stderr);
        st = WEFT_ERR_USAGE;
    }
    return st;
}

/* The program of a graph, and in *start (or NULL) the one of its initialiser. */
static weft_status load(run *r, const char *name, void (*build)(weft_graph *, config *), weft_program **program,
                        weft_program **start) {
    weft_graph *g = weft_graph_new(r->cx, name), *begin = NULL;
    if (!g) return WEFT_ERR_MEMORY;
    build(g, r->c);
    if (start) begin = weft_graph_initialiser(g, (uint64_t)r->c->seed);
    weft_status st = weft_graph_status(g);
    if (st == WEFT_OK && start) st = weft_program_load(r->client, begin, NULL, start);
    if (st == WEFT_OK) st = weft_program_load(r->client, g, NULL, program);
    weft_graph_free(begin);
    weft_graph_free(g);
    return st;
}

static weft_status open_all(run *r) {
    const config *c = r->c;
    const weft_client_options o = { .devices = example_devices(c->mesh), .size = sizeof o };
    weft_status st = weft_client_open(r->cx, &o, &r->client);
    if (st == WEFT_OK) st = weft_state_new(r->client, &r->state);
    if (st == WEFT_OK) st = load(r, "train", gpt_train, &r->train, &r->start);
    if (st == WEFT_OK && c->evaluate) st = load(r, "evaluate", gpt_evaluate, &r->evaluate, NULL);
    if (st == WEFT_OK && c->sample) st = load(r, "sample", gpt_sample, &r->sample, NULL);
    return st;
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- how fast it could be ---- */

/* The flop of a training step: the products of the model, forward and twice as many backward. Attention under a
 * triangular mask counts half. So `weft dryrun` counts MFU, and Chowdhery et al., PaLM (2022), appendix B. */
static double step_flops(const config *c) {
    const double dim = (double)c->dim, shared = dim * (double)(c->groups * (c->dim / c->heads));
    const double layer = 2 * dim * dim + 2 * shared + (c->llama ? 3 : 2) * dim * (double)c->hidden;
    const double weights = (double)c->layers * layer + dim * (double)c->vocabulary;
    const double scores = (double)c->layers * dim * (double)c->tokens; /* two products of 2 dim, over half the tokens */
    return 3 * (2 * weights + 2 * scores) * (double)(c->batch * c->tokens);
}

enum { SIDE = 512 };

/* A square product on each device. */
static void product(weft_graph *g, config *c) {
    char type[64], spelling[256] = "";
    size_t n = 0;
    snprintf(type, sizeof type, "%lldx%dx%dx%s", (long long)example_devices(c->mesh), SIDE, SIDE,
             c->bf16 ? "bf16" : "f32");
    for (const char *p = c->mesh; *p && n + 16 < sizeof spelling; p++) { /* "data=2, model=2": "data*model, -, -" */
        if (*p == '=') p += strcspn(p, ",") - 1;
        else if (*p != ' ') spelling[n++] = (char)(*p == ',' ? '*' : *p);
    }
    snprintf(spelling + n, sizeof spelling - n, ", -, -");
    weft_tensor *x = weft_shard(g, weft_graph_input(g, "x", type), weft_graph_mesh(g, c->mesh), spelling);
    weft_graph_output(g, "product", weft_graph_einsum(g, "dij,djk->dik", x, x));
}

/* The rate of products on all devices at once, the best of a few. */
static weft_status measure_peak(run *r) {
    weft_program *p = NULL;
    weft_state *s = NULL;
    weft_status st = weft_state_new(r->client, &s);
    if (st == WEFT_OK) st = load(r, "product", product, &p, NULL);
    if (st == WEFT_OK) st = weft_program_put_zeros(p, s);
    for (int i = 0; i < 4 && st == WEFT_OK; i++) {
        const double began = now();
        st = weft_program_run(p, s);
        const double rate = 2.0 * SIDE * SIDE * SIDE * (double)weft_client_devices(r->client) / (now() - began);
        if (rate > r->peak) r->peak = rate;
    }
    weft_program_close(p);
    weft_state_free(s);
    return st;
}

/* ---- the loop ---- */

/* One run of a program on a batch. loss, where it is not NULL, is process 0's. */
static weft_status on_batch(run *r, weft_program *p, int64_t step, int of_evaluation, float *loss) {
    const size_t bytes = (size_t)(r->c->batch * r->c->tokens) * sizeof *r->x;
    weft_tokens *tokens = of_evaluation ? r->held_out : r->tokens;
    weft_status st;
    if (tokens) {
        st = weft_tokens_put(tokens, p, r->state, "x", step, 0);
        if (st == WEFT_OK) st = weft_tokens_put(tokens, p, r->state, "y", step, 1);
    } else {
        batch(r->c, &r->text, step, of_evaluation, r->x, r->y);
        st = weft_program_put(p, r->state, "x", r->x, bytes);
        if (st == WEFT_OK) st = weft_program_put(p, r->state, "y", r->y, bytes);
    }
    if (st == WEFT_OK) st = weft_program_run(p, r->state);
    if (st == WEFT_OK && loss) st = weft_array_read(weft_program_output(p, "loss"), loss, sizeof *loss);
    return st;
}

static weft_status evaluate(run *r, int64_t step) {
    double sum = 0;
    for (int64_t i = 0; i < r->c->evaluate; i++) {
        float loss = 0;
        weft_status st = on_batch(r, r->evaluate, i, 1, &loss);
        if (st != WEFT_OK) return st;
        sum += loss;
    }
    if (!weft_client_process(r->client))
        printf("step %5lld  held-out loss %.4f\n", (long long)step, sum / (double)r->c->evaluate);
    return WEFT_OK;
}

static void print_progress(const run *r, int64_t step, int64_t first, float loss, double began) {
    const config *c = r->c;
    const double each = (now() - began) / (double)(step - first + 1), left = each * (double)(c->stop - step - 1);
    printf("step %5lld  loss %.6f  %.0f tokens/s  MFU %.1f%%  %.0f s left\n", (long long)step, loss,
           (double)(c->batch * c->tokens) / each, 100 * step_flops(c) / each / r->peak, left);
    fflush(stdout);
}

static weft_status train(run *r, int64_t first) {
    const config *c = r->c;
    const weft_checkpoint_options keep = { .keep = 3, .size = sizeof keep };
    const double began = now();
    weft_status st = WEFT_OK;
    for (int64_t step = first; step < c->stop && st == WEFT_OK; step++) {
        const int shown = step % c->every == 0 || step == c->stop - 1;
        float loss = 0;
        st = on_batch(r, r->train, step, 0, shown ? &loss : NULL);
        if (st == WEFT_OK && shown && !weft_client_process(r->client)) print_progress(r, step, first, loss, began);
        const int ends = (step + 1) % (10 * c->every) == 0 || step + 1 == c->stop;
        if (st == WEFT_OK && ends && c->evaluate) st = evaluate(r, step);
        if (st == WEFT_OK && ends && c->save)
            st = weft_checkpoint_save(r->client, c->save, r->state, step + 1, &keep);
    }
    const weft_status saved = weft_checkpoint_wait(r->client);
    return st == WEFT_OK ? saved : st;
}

static void print_token(const run *r, int32_t token) {
    size_t n = 0;
    const char *of = weft_tokenizer_token(r->bpe, token, &n);
    if (weft_client_process(r->client)) return;
    if (of) fwrite(of, 1, n, stdout);
    else if (r->tokens || r->bpe) printf("%d ", (int)token);
    else putchar(token);
}

/* What a sample begins with: the end of a text, which is GPT-2's last token, or of a line. */
static int32_t first_token(const run *r) {
    const int64_t end = weft_tokenizer_special(r->bpe, "<|endoftext|>");
    return end >= 0 ? (int32_t)end : r->tokens || r->bpe ? (int32_t)r->c->vocabulary - 1 : '\n';
}

/* All processes draw the same tokens; process 0 prints them, as numbers where nobody knows what they stand for. */
static weft_status sample(run *r) {
    const config *c = r->c;
    const size_t bytes = (size_t)c->tokens * sizeof *r->x;
    weft_status st = WEFT_OK;
    int32_t length = 1, next = 0;
    memset(r->x, 0, bytes);
    r->x[0] = first_token(r);
    for (int32_t turn = 0; turn < c->sample && st == WEFT_OK; turn++) {
        st = weft_program_put(r->sample, r->state, "window", r->x, bytes);
        if (st == WEFT_OK) st = weft_program_put(r->sample, r->state, "length", &length, sizeof length);
        if (st == WEFT_OK) st = weft_program_put(r->sample, r->state, "turn", &turn, sizeof turn);
        if (st == WEFT_OK) st = weft_program_run(r->sample, r->state);
        if (st == WEFT_OK) st = weft_array_read_all(weft_program_output(r->sample, "next"), &next, sizeof next);
        if (st != WEFT_OK) return st;
        print_token(r, next);
        if (length == c->tokens) memmove(r->x, r->x + 1, bytes - sizeof *r->x), length--;
        r->x[length++] = next;
    }
    if (!weft_client_process(r->client)) putchar('\n');
    return st;
}

/* What is trained on. */
static weft_status open_data(run *r) {
    config *c = r->c;
    weft_status st = c->bpe ? weft_tokenizer_open(r->cx, c->bpe, &r->bpe) : WEFT_OK;
    if (st != WEFT_OK) return st;
    if (!c->vocabulary) c->vocabulary = weft_tokenizer_count(r->bpe);
    if (r->bpe && c->vocabulary < weft_tokenizer_count(r->bpe)) {
        fprintf(stderr, "gpt: the tokenizer has %lld tokens, and --vocabulary says %lld\n",
                (long long)weft_tokenizer_count(r->bpe), (long long)c->vocabulary);
        return WEFT_ERR_USAGE;
    }
    if (has_tokens(c->text)) return open_tokens(r);
    return read_text(c, r->bpe, &r->text);
}

int gpt_run(int argc, char **argv) {
    config c;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            print_help();
            return EXIT_SUCCESS;
        }
    if (!read_flags(argc, argv, &c)) return EXIT_FAILURE;
    run r = { .c = &c, .cx = weft_context_new(NULL) };
    int64_t step = 0;
    weft_status st = WEFT_ERR_MEMORY;
    if (!r.cx) goto out;
    weft_context_set_handler(r.cx, example_print, NULL);
    if ((st = open_data(&r)) != WEFT_OK) goto out;
    r.x = malloc((size_t)(c.batch * c.tokens) * sizeof *r.x);
    r.y = malloc((size_t)(c.batch * c.tokens) * sizeof *r.y);
    if (!r.x || !r.y) fputs("gpt: no memory for a batch\n", stderr);
    st = r.x && r.y ? open_all(&r) : WEFT_ERR_MEMORY;
    if (st == WEFT_OK) r.peak = c.peak * (double)weft_client_devices(r.client);
    if (st == WEFT_OK && c.peak <= 0) st = measure_peak(&r);
    if (st == WEFT_OK && c.resume && c.save && weft_checkpoint_is_there(c.save)) {
        const weft_restore_options as_trained = { .program = r.train, .size = sizeof as_trained };
        st = weft_checkpoint_load(r.client, c.save, r.state, &as_trained, &step);
    } else if (st == WEFT_OK) {
        st = weft_program_run(r.start, r.state);
        if (st == WEFT_OK) st = weft_program_store(r.start, r.state);
        if (st == WEFT_OK && c.load) st = gpt_load_weights(r.client, r.state, &c);
        if (st == WEFT_OK && c.save) st = weft_checkpoint_save(r.client, c.save, r.state, 0, NULL);
    }
    if (st == WEFT_OK) st = train(&r, step);
    if (st == WEFT_OK && c.sample) st = sample(&r);
out:
    free(r.x);
    free(r.y);
    free(r.text.tokens);
    weft_tokenizer_close(r.bpe);
    weft_tokens_close(r.held_out);
    weft_tokens_close(r.tokens);
    weft_program_close(r.sample);
    weft_program_close(r.evaluate);
    weft_program_close(r.train);
    weft_program_close(r.start);
    weft_state_free(r.state);
    weft_client_close(r.client);
    weft_context_free(r.cx);
    return st == WEFT_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
