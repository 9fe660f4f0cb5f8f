/* data.h: token files as the batches of a training program.
 *
 *     weft_tokens_open(cx, "train.bin", NULL, &tokens);                 // numbers of two bytes
 *     for (step = from; ...; step++) {
 *         weft_tokens_put(tokens, train, state, "x", step, 0);          // input "x": batch x length
 *         weft_tokens_put(tokens, train, state, "y", step, 1);          // the same, one token on
 *         weft_program_run(train, state);
 *     }
 *
 * A file has windows of `length` tokens, one after another. Row r of step s is window number order(s * batch + r),
 * where order is a permutation for each pass through the file, made of the seed and the pass. So a batch depends on the
 * step alone: it is the same on every mesh and number of processes, and a run that is resumed at a step sees what it
 * would have seen. Each process reads the rows of its own parts, and a thread reads those of the next step meanwhile.
 */
#ifndef WEFT_DATA_H
#define WEFT_DATA_H

#include <weft/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_tokens weft_tokens;

typedef struct weft_tokens_options {
    const char *type;        /* of a file of numbers alone: "ui16", which NULL is, or "ui32". A .npy file has its own */
    uint64_t seed;           /* of the order; alike in all processes */
    int ordered;             /* 1: the windows in the order of the file */
    int64_t vocabulary;      /* a token that is not below it is an error when its batch is put; 0: any token that
                              * the input's type holds */
    size_t size;             /* sizeof(weft_tokens_options); 0: the fields above (weft/weft.h) */
} weft_tokens_options;

/* Opens a file of little-endian numbers, or a .npy file of one dimension of integers, whose name ends in .npy. Refuses
 * a file whose length is not that of whole tokens. opt may be NULL: all zero. Not collective: all processes open the
 * file before they use it. */
WEFT_API weft_status weft_tokens_open_at(weft_source at, weft_context *cx, const char *path,
                                         const weft_tokens_options *opt, weft_tokens **out);
#define weft_tokens_open(...) weft_tokens_open_at(WEFT_HERE, __VA_ARGS__)
WEFT_API void weft_tokens_close(weft_tokens *t);                 /* NULL is fine */
WEFT_API int64_t weft_tokens_count(const weft_tokens *t);        /* in the file; 0 for NULL */
/* Windows of so many tokens that the file has, each followed by one token more. */
WEFT_API int64_t weft_tokens_windows(const weft_tokens *t, int64_t length);

/* The batch of a step as the program's input `name`, of integers, batch x length, into the state. shift is 0, or 1 for
 * the tokens that follow each of those. Collective over the processes. */
WEFT_API weft_status weft_tokens_put_at(weft_source at, weft_tokens *t, weft_program *p, weft_state *s,
                                        const char *name, int64_t step, int shift);
#define weft_tokens_put(...) weft_tokens_put_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
