/* tokens: a tokenizer's tokens of texts, for test_tokenizer.py.
 *
 *   tokens PATH      reads texts from stdin, each after its length in bytes and a line's end; prints for each a line
 *                    with its tokens, after "the text again" or "another text", and first how many tokens there are
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/tokenizer.h>

static void say(void *user, const weft_diag *d) {
    (void)user;
    fprintf(stderr, "%s: %s\n", weft_severity_name(d->severity), d->message);
}

static weft_status print_tokens(weft_tokenizer *t, const char *text, size_t bytes) {
    int32_t *ids = malloc((bytes + 1) * sizeof *ids);
    char *again = malloc(bytes + 1);
    size_t n = 0, has = 0;
    weft_status st = ids && again ? weft_tokenizer_encode(t, text, bytes, ids, bytes, &n) : WEFT_ERR_MEMORY;
    if (st == WEFT_OK) st = weft_tokenizer_decode(t, ids, n, again, bytes, &has);
    if (st == WEFT_OK) printf(has == bytes && !memcmp(again, text, bytes) ? "the text again:" : "another text:");
    for (size_t i = 0; st == WEFT_OK && i < n; i++) printf(" %d", (int)ids[i]);
    printf("\n");
    free(ids);
    free(again);
    return st;
}

int main(int argc, char **argv) {
    weft_context *cx = weft_context_new(NULL);
    weft_tokenizer *t = NULL;
    long bytes;
    if (argc != 2 || !cx) return 2;
    weft_context_set_handler(cx, say, NULL);
    weft_status st = weft_tokenizer_open(cx, argv[1], &t);
    if (st == WEFT_OK) printf("%lld\n", (long long)weft_tokenizer_count(t));
    while (st == WEFT_OK && scanf("%ld", &bytes) == 1 && getchar() == '\n') {
        char *text = malloc((size_t)bytes + 1); /* of its own size, so that the sanitizer sees what is read past it */
        if (!text || fread(text, 1, (size_t)bytes, stdin) != (size_t)bytes) return 2;
        st = print_tokens(t, text, (size_t)bytes);
        free(text);
    }
    weft_tokenizer_close(t);
    weft_context_free(cx);
    return st != WEFT_OK;
}
