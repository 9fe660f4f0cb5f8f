/* Token files: each pass has every window once, whatever the batch; batches do not depend on the mesh or on where a run
 * begins; and files that are none. */
#include <unistd.h>
#include <weft/data.h>
#include <weft/tokenizer.h>
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static weft_context *cx;
static char path[64], npy[64];

static void setup(void) {
    cx = weft_context_new(NULL);
    strcpy(path, "/tmp/weft-tokens-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    snprintf(npy, sizeof npy, "%s.npy", path);
}

static void teardown(void) {
    unlink(path);
    unlink(npy);
    weft_context_free(cx);
}

static const weft_diag *last(void) {
    static const weft_diag none = { .message = "" };
    const size_t n = weft_context_diag_count(cx);
    return n ? weft_context_diag(cx, n - 1) : &none;
}

/* Whatever it is about, it is at a line of this file. */
static const char *last_message(void) {
    ck_assert_msg(last()->file && strstr(last()->file, "test_data.c") && last()->line > 0, "%s has no line",
                  last()->message);
    return last()->message;
}

#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())

static void write_file(const char *name, const char *head, size_t head_bytes, const void *p, size_t n) {
    FILE *f = fopen(name, "wb");
    ck_assert(f && fwrite(head, 1, head_bytes, f) == head_bytes && fwrite(p, 1, n, f) == n && !fclose(f));
}

enum { TOKENS = 103 };

/* Token i is 3 i + 1, above 2^16 in a file of four bytes each. */
static int64_t token(int64_t i, int wide) { return 3 * i + 1 + (wide ? 70000 : 0); }

static void write_tokens(int wide) {
    uint16_t narrow[TOKENS];
    uint32_t words[TOKENS];
    for (int i = 0; i < TOKENS; i++) narrow[i] = (uint16_t)token(i, 0), words[i] = (uint32_t)token(i, 1);
    if (wide) write_file(path, "", 0, words, sizeof words);
    else write_file(path, "", 0, narrow, sizeof narrow);
}

typedef struct run {
    weft_client *client;
    weft_program *program;
    weft_state *state;
    int batch, length;
} run;

/* A program that adds its inputs x and y. */
static run start(int devices, const char *type, int batch, int length, const char *sharding) {
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = devices };
    run r = { .batch = batch, .length = length };
    char shape[64], mesh[16];
    snprintf(shape, sizeof shape, "%dx%dx%s", batch, length, type);
    snprintf(mesh, sizeof mesh, "a=%d", devices);
    OK(weft_client_open(cx, &o, &r.client));
    weft_graph *g = weft_graph_new(cx, "tokens");
    weft_tensor *x = weft_graph_input(g, "x", shape), *y = weft_graph_input(g, "y", shape);
    weft_shard(g, x, weft_graph_mesh(g, mesh), sharding);
    weft_graph_output(g, "sum", weft_graph_add(g, x, y));
    OK(weft_program_load(r.client, g, NULL, &r.program));
    OK(weft_state_new(r.client, &r.state));
    weft_graph_free(g);
    return r;
}

static void stop(run *r) {
    weft_state_free(r->state);
    weft_program_close(r->program);
    weft_client_close(r->client);
}

static void read_batch(run *r, weft_tokens *t, int64_t step, int shift, int32_t *out) {
    const char *name = shift ? "y" : "x";
    OK(weft_tokens_put(t, r->program, r->state, name, step, shift));
    OK(weft_array_read(weft_state_get(r->state, name), out, (size_t)(r->batch * r->length) * sizeof *out));
}

static const struct { int devices, batch, length, wide, ordered; const char *sharding; } cases[] = {
    { 1, 1, 5, 0, 0, "-, -" }, { 1, 1, 5, 0, 1, "-, -" }, { 2, 4, 5, 0, 0, "a, -" }, { 2, 4, 5, 1, 0, "a, -" },
    { 4, 6, 7, 0, 0, "a, -" },
    { 2, 3, 4, 1, 0, "-, a" }, { 4, 2, 51, 0, 0, "a, -" }, { 1, 3, 102, 0, 0, "-, -" }, { 2, 40, 5, 0, 0, "a, -" },
};

START_TEST(test_each_window_once) {
    const int batch = cases[_i].batch, length = cases[_i].length, windows = (TOKENS - 1) / length;
    const weft_tokens_options o = { .type = cases[_i].wide ? "ui32" : "ui16", .seed = 5, .size = sizeof o,
                                    .ordered = cases[_i].ordered };
    weft_tokens *t;
    int32_t *x = calloc((size_t)(batch * length), sizeof *x), *y = calloc((size_t)(batch * length), sizeof *y);
    int seen[TOKENS] = { 0 }, in_order = 1;
    write_tokens(cases[_i].wide);
    OK(weft_tokens_open(cx, path, &o, &t));
    ck_assert_int_eq(weft_tokens_count(t), TOKENS);
    ck_assert_int_eq(weft_tokens_windows(t, length), windows);
    run r = start(cases[_i].devices, "i32", batch, length, cases[_i].sharding);
    const int passes = 3, steps = (passes * windows + batch - 1) / batch;
    for (int step = 0, row = 0; step < steps; step++) {
        read_batch(&r, t, step, 0, x);
        read_batch(&r, t, step, 1, y);
        for (int b = 0; b < batch; b++, row++) {
            int64_t first = -1;
            for (int w = 0; w < windows; w++)
                if (x[b * length] == token((int64_t)w * length, cases[_i].wide)) first = w;
            ASSERT_EACH(first >= 0, "row %d begins with no window", row);
            for (int k = 0; k < length; k++) {
                ASSERT_EACH(x[b * length + k] == token(first * length + k, cases[_i].wide), "row %d, token %d", row, k);
                ASSERT_EACH(y[b * length + k] == token(first * length + k + 1, cases[_i].wide), "row %d, token %d",
                    row, k);
            }
            if (row < passes * windows) ASSERT_EACH(seen[first]++ == row / windows, "window %d comes twice in a pass",
                                                    (int)first);
            in_order &= first == row % windows;
        }
    }
    ck_assert_int_eq(in_order, cases[_i].ordered || windows == 1);
    stop(&r);
    weft_tokens_close(t);
    free(x);
    free(y);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

START_TEST(test_the_same_on_every_mesh_and_from_any_step) {
    int32_t want[12][20], got[20];
    write_tokens(0);
    static const struct { int devices, from; const char *sharding; } runs[] = { { 1, 0, "-, -" }, { 2, 3, "a, -" },
                                                                                { 4, 7, "a, -" }, { 2, 11, "-, a" } };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        weft_tokens *t;
        OK(weft_tokens_open(cx, path, &(weft_tokens_options){ .seed = 9 }, &t));
        run r = start(runs[k].devices, "i32", 4, 5, runs[k].sharding);
        for (int step = runs[k].from; step < 12; step++) {
            read_batch(&r, t, step, 0, k ? got : want[step]);
            if (k) ck_assert_int_eq(memcmp(got, want[step], sizeof got), 0);
        }
        for (int step = 11; k && step >= 0; step -= 3) { /* and back */
            read_batch(&r, t, step, 0, got);
            ck_assert_int_eq(memcmp(got, want[step], sizeof got), 0);
        }
        stop(&r);
        weft_tokens_close(t);
    }
    /* Another seed gives another order. */
    weft_tokens *t;
    OK(weft_tokens_open(cx, path, &(weft_tokens_options){ .seed = 10 }, &t));
    run r = start(1, "i32", 4, 5, "-, -");
    int same = 0;
    for (int step = 0; step < 12; step++) {
        read_batch(&r, t, step, 0, got);
        same += !memcmp(got, want[step], sizeof got);
    }
    ck_assert_int_lt(same, 3);
    stop(&r);
    weft_tokens_close(t);
}
END_TEST

static void write_npy(const char *descr, const char *shape, const void *p, size_t n) {
    char head[128], dict[128];
    snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(head + 10, dict, strlen(dict));
    head[127] = '\n';
    write_file(npy, head, sizeof head, p, n);
}

START_TEST(test_npy) {
    int64_t tokens[TOKENS];
    int32_t x[20];
    weft_tokens *t;
    for (int i = 0; i < TOKENS; i++) tokens[i] = token(i, 1);
    write_npy("<i8", "(103,)", tokens, sizeof tokens);
    OK(weft_tokens_open(cx, npy, &(weft_tokens_options){ .size = sizeof(weft_tokens_options), .ordered = 1 }, &t));
    ck_assert_int_eq(weft_tokens_count(t), TOKENS);
    run r = start(2, "i32", 4, 5, "a, -");
    read_batch(&r, t, 0, 1, x);
    for (int k = 0; k < 20; k++) ck_assert_int_eq(x[k], token(k + 1, 1));
    stop(&r);
    weft_tokens_close(t);
    unsigned char *byte = (unsigned char *)tokens;
    for (int i = 0; i < TOKENS; i++) /* the same, big-endian */
        for (int k = 0; k < 4; k++) {
            const unsigned char b = byte[8 * i + k];
            byte[8 * i + k] = byte[8 * i + 7 - k];
            byte[8 * i + 7 - k] = b;
        }
    write_npy(">i8", "(103,)", tokens, sizeof tokens);
    OK(weft_tokens_open(cx, npy, &(weft_tokens_options){ .size = sizeof(weft_tokens_options), .ordered = 1 }, &t));
    r = start(2, "i32", 4, 5, "a, -");
    read_batch(&r, t, 1, 0, x);
    for (int k = 0; k < 20; k++) ck_assert_int_eq(x[k], token(k + 20, 1));
    stop(&r);
    weft_tokens_close(t);
    write_npy("<f4", "(103,)", tokens, sizeof tokens / 2);
    ck_assert_int_eq(weft_tokens_open(cx, npy, NULL, &t), WEFT_ERR_INVALID);
    ck_assert(strstr(last_message(), "has no tokens: they are integers in one dimension"));
    write_npy("<i8", "(103, 1)", tokens, sizeof tokens);
    ck_assert_int_eq(weft_tokens_open(cx, npy, NULL, &t), WEFT_ERR_INVALID);
    write_npy("<i8", "(103,)", tokens, sizeof tokens - 1);
    ck_assert_int_eq(weft_tokens_open(cx, npy, NULL, &t), WEFT_ERR_INVALID);
    ck_assert(strstr(last_message(), "has 823 bytes of tokens where its header says 824"));
    write_npy("<q9", "(103,)", tokens, sizeof tokens);
    ck_assert_int_eq(weft_tokens_open(cx, npy, NULL, &t), WEFT_ERR_INVALID);
    ck_assert(strstr(last_message(), "has elements of type '<q9', which Weft does not read"));
    ck_assert_uint_eq(weft_context_diag_count(cx), 4);
}
END_TEST

START_TEST(test_vocabulary) {
    int64_t tokens[TOKENS];
    weft_tokens *t;
    for (int i = 0; i < TOKENS; i++) tokens[i] = i % 50;
    tokens[7] = 50;
    write_npy("<i8", "(103,)", tokens, sizeof tokens);
    weft_tokens_options o = { .size = sizeof o, .ordered = 1, .vocabulary = 51 };
    run r = start(2, "i32", 4, 5, "a, -");
    OK(weft_tokens_open(cx, npy, &o, &t));
    OK(weft_tokens_put(t, r.program, r.state, "x", 0, 0));
    weft_tokens_close(t);
    o.vocabulary = 50;
    OK(weft_tokens_open(cx, npy, &o, &t));
    ck_assert_int_eq(weft_tokens_put(t, r.program, r.state, "x", 0, 0), WEFT_ERR_INVALID);
    ck_assert(strstr(last_message(), "has token 50 at place 7, but the vocabulary has 50"));
    weft_tokens_close(t);
    tokens[7] = -1;
    write_npy("<i8", "(103,)", tokens, sizeof tokens);
    OK(weft_tokens_open(cx, npy, &o, &t));
    ck_assert_int_eq(weft_tokens_put(t, r.program, r.state, "x", 0, 0), WEFT_ERR_INVALID);
    weft_tokens_close(t);
    stop(&r);
    o.vocabulary = -1;
    ck_assert_int_eq(weft_tokens_open(cx, npy, &o, &t), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "weft_tokens_options.vocabulary is -1");
}
END_TEST

START_TEST(test_mistakes) {
    weft_tokens *t = (weft_tokens *)1;
    write_file(path, "", 0, "1234567", 7);
    ck_assert_int_eq(weft_tokens_open(cx, path, NULL, &t), WEFT_ERR_INVALID);
    ck_assert_ptr_null(t);
    ck_assert(strstr(last_message(), "has 7 bytes, which are not whole tokens of 2"));
    ck_assert_int_eq(weft_tokens_open(cx, path, &(weft_tokens_options){ .type = "f32" }, &t), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "weft_tokens_options.type is 'f32', not ui16 or ui32");
    ck_assert_int_eq(weft_tokens_open(cx, "/nowhere.bin", NULL, &t), WEFT_ERR_IO);
    ck_assert_int_eq(weft_tokens_open(cx, path, NULL, NULL), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the tokens have no output pointer: out is NULL");
    ck_assert_int_eq(weft_tokens_open(cx, NULL, NULL, &t), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the path of the tokens is NULL");
    write_tokens(0);
    OK(weft_tokens_open(cx, path, NULL, &t));
    run r = start(2, "i32", 4, 5, "a, -"), wide = start(1, "i32", 1, 103, "-, -"), floats = start(1, "f32", 4, 5,
                                                                                                  "-, -");
    run narrow = start(2, "i8", 4, 20, "a, -");
    const struct { run *r; const char *name; int64_t step; int shift; const char *want; } wrong[] = {
        { &r, "z", 0, 0, "the program has no input 'z'" },
        { &r, "x", -1, 0, "step -1 with shift 0 is none of a token file: steps begin at 0, and shift is 0 or 1" },
        { &r, "x", 0, 2, "step 0 with shift 2 is none of a token file: steps begin at 0, and shift is 0 or 1" },
        { &r, "x", INT64_MAX, 0, "step 9223372036854775807 of input 'x' has rows above the number 2^63" },
        { &r, "x", INT64_MAX / 4 - 1, 1,
          "step 2305843009213693950 of input 'x' has rows above the number 2^63: its batches are of 4 rows" },
        { &narrow, "x", 0, 0, "which input 'x' of i8 cannot hold" },
        { &wide, "x", 0, 0, "has 103 tokens: a window of input 'x' and the token after it are 104" },
        { &floats, "x", 0, 0, "input 'x' is 4x5xf32: tokens go to integers, batch x length" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const size_t before = weft_context_diag_count(cx);
        ck_assert_int_ne(weft_tokens_put(t, wrong[i].r->program, wrong[i].r->state, wrong[i].name, wrong[i].step,
                                         wrong[i].shift), WEFT_OK);
        ck_assert_uint_eq(weft_context_diag_count(cx), before + 1);
        ck_assert_msg(strstr(last_message(), wrong[i].want) != NULL, "%s", last_message());
        ck_assert_str_ne(weft_context_diag(cx, before)->file, "");
    }
    OK(weft_tokens_put(t, r.program, r.state, "x", INT64_MAX / 4 - 2, 1)); /* the last one */
    ck_assert_int_eq(truncate(path, 20), 0);
    weft_status st = WEFT_OK;
    for (int step = 5; step < 9 && st == WEFT_OK; step++) st = weft_tokens_put(t, r.program, r.state, "x", step, 0);
    ck_assert_int_eq(st, WEFT_ERR_IO);
    ck_assert(strstr(last_message(), "cannot be read: it has become shorter"));
    ck_assert_int_eq(weft_tokens_put(NULL, r.program, r.state, "x", 0, 0), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_tokens_count(NULL), 0);
    ck_assert_int_eq(weft_tokens_windows(t, 0), 0);
    stop(&r), stop(&wide), stop(&floats), stop(&narrow);
    weft_tokens_close(t);
    weft_tokens_close(NULL);
}
END_TEST

/* ---- tokenizers (test_tokenizer.py has what they say of texts) ---- */

static const char whole[] = "{\"added_tokens\": [{\"id\": 4, \"content\": \"<end>\"}], "
                            "\"pre_tokenizer\": {\"type\": \"ByteLevel\"}, "
                            "\"model\": {\"vocab\": {\"a\": 0, \"b\": 1, \"ab\": 2, \"\\u0120\": 3}, "
                            "\"merges\": [[\"a\", \"b\"]]}}";

static weft_status tokens_and_back(weft_context *in, void *user) {
    int32_t ids[16];
    char again[32];
    size_t n, bytes;
    weft_tokenizer *t;
    weft_status st = weft_tokenizer_open(in, user, &t);
    if (st == WEFT_OK) st = weft_tokenizer_encode(t, "ab ba<end>a", 11, ids, 16, &n);
    if (st == WEFT_OK) st = weft_tokenizer_decode(t, ids, n, again, sizeof again, &bytes);
    if (st == WEFT_OK) ck_assert(n == 6 && bytes == 11 && !memcmp(again, "ab ba<end>a", 11));
    weft_tokenizer_close(t);
    return st;
}

START_TEST(test_tokenizer_memory) {
    write_file(path, whole, strlen(whole), "", 0);
    weft_test_each_failure(tokens_and_back, path);
}
END_TEST

START_TEST(test_tokenizer_calls) {
    int32_t ids[16] = { 2, 9 };
    char text[4];
    size_t n, bytes;
    weft_tokenizer *t;
    write_file(path, whole, strlen(whole), "", 0);
    OK(weft_tokenizer_open(cx, path, &t));
    ck_assert_int_eq(weft_tokenizer_count(t), 5);
    ck_assert_int_eq(weft_tokenizer_special(t, "<end>"), 4);
    ck_assert_int_eq(weft_tokenizer_special(t, "ab"), -1);
    ck_assert_str_eq(weft_tokenizer_token(t, 3, &bytes), " ");
    ck_assert_uint_eq(bytes, 1);
    ck_assert_ptr_null(weft_tokenizer_token(t, 5, &bytes));
    ck_assert_uint_eq(bytes, 0);
    ck_assert_str_eq(weft_tokenizer_token(t, 0, &bytes), "a");
    ck_assert_ptr_null(weft_tokenizer_token(t, -1, NULL));
    ck_assert_int_eq(weft_tokenizer_encode(t, "ba", 2, ids + 2, 1, &n), WEFT_ERR_USAGE);
    ck_assert_str_eq(last()->message, "there is room for 1 tokens, and the text has more");
    ck_assert_int_eq(weft_tokenizer_encode(t, NULL, 2, ids, 16, &n), WEFT_ERR_USAGE);
    ck_assert_str_eq(last()->message, "the text or the room for its tokens is NULL");
    OK(weft_tokenizer_encode(t, NULL, 0, NULL, 0, &n));
    ck_assert_uint_eq(n, 0);
    ck_assert_int_eq(weft_tokenizer_decode(t, ids, 2, text, sizeof text, &bytes), WEFT_ERR_INVALID);
    ck_assert(strstr(last()->message, "has no token 9"));
    ids[1] = 4;
    OK(weft_tokenizer_decode(t, ids, 2, NULL, 0, &bytes));
    ck_assert_uint_eq(bytes, 7);
    ck_assert_int_eq(weft_tokenizer_decode(t, ids, 2, text, sizeof text, &bytes), WEFT_ERR_USAGE);
    ck_assert_str_eq(last()->message, "there is room for 4 bytes, and the tokens have more");
    ck_assert_int_eq(weft_tokenizer_decode(t, NULL, 2, text, sizeof text, &bytes), WEFT_ERR_USAGE);
    ck_assert_str_eq(last()->message, "the tokens are NULL");
    weft_tokenizer_close(t);
    ck_assert_int_eq(weft_tokenizer_open(cx, path, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_tokenizer_open(cx, NULL, &t), WEFT_ERR_USAGE);
    ck_assert_ptr_null(t);
    ck_assert_int_eq(weft_tokenizer_encode(NULL, "a", 1, ids, 1, &n), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_tokenizer_count(NULL), 0);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/data");
    TCase *tc = tcase_create("data");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_each_window_once, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tc, test_the_same_on_every_mesh_and_from_any_step);
    tcase_add_test(tc, test_npy);
    tcase_add_test(tc, test_vocabulary);
    tcase_add_test(tc, test_mistakes);
    tcase_add_test(tc, test_tokenizer_memory);
    tcase_add_test(tc, test_tokenizer_calls);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
