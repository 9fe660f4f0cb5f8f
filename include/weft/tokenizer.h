/* tokenizer.h: texts as tokens and back, by a byte-level byte pair encoding: GPT-2's, and those of its kind, as Hugging
 * Face's tokenizers lay them out.
 *
 *     weft_tokenizer_open(cx, "gpt2", &t);                  // a folder with tokenizer.json, or with the two files
 *     weft_tokenizer_encode(t, text, bytes, ids, room, &n); // as tokenizers' encode does
 *     weft_tokenizer_decode(t, ids, n, NULL, 0, &bytes);
 *
 * A call gives what tokenizers' encode gives with add_special_tokens=False: tokens that a tokenizer.json adds to each
 * text (its post_processor) are the caller's to add. A text is split at its special tokens ("<|endoftext|>"), then
 * into words as GPT-2's regular expression does; a word's bytes are joined pair by pair, the pair that was learned
 * first coming first. Any bytes are a text: those that are no UTF-8 count as signs. Letters and numbers are those of
 * Unicode 14.
 *
 * Sources: Sennrich, Haddow, Birch, ACL 2016; Radford et al., Language models are unsupervised multitask learners,
 * 2019.
 * A tokenizer is used by one thread at a time.
 */
#ifndef WEFT_TOKENIZER_H
#define WEFT_TOKENIZER_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_tokenizer weft_tokenizer;

/* Opens a tokenizer.json, a vocab.json beside which merges.txt lies, or a folder that has the one or the others.
 * Refuses, with one diagnostic, what is damaged (a pair of tokens that are not there, a number twice) and what is
 * another kind of tokenizer. Special are "<|endoftext|>" of a vocab.json, and all added_tokens of a tokenizer.json. */
WEFT_API weft_status weft_tokenizer_open(weft_context *cx, const char *path, weft_tokenizer **out);
WEFT_API weft_status weft_tokenizer_open_at(weft_source at, weft_context *cx, const char *path, weft_tokenizer **out);
#define weft_tokenizer_open(...) weft_tokenizer_open_at(WEFT_HERE, __VA_ARGS__)
WEFT_API void weft_tokenizer_close(weft_tokenizer *t);                 /* NULL is fine */

/* One more than the highest token: the size of a model's vocabulary. 0 for NULL. */
WEFT_API int64_t weft_tokenizer_count(const weft_tokenizer *t);
/* What a token stands for: *bytes bytes and a NUL, the tokenizer's. NULL if there is no such token. */
WEFT_API const char *weft_tokenizer_token(const weft_tokenizer *t, int64_t id, size_t *bytes);
/* The special token of this text; -1: none. */
WEFT_API int64_t weft_tokenizer_special(const weft_tokenizer *t, const char *text);

/* The tokens of a text to ids, which has room for `room` of them; a text has no more tokens than bytes. *n gets their
 * number. Refused: too little room, and a byte for which the vocabulary has no token. */
WEFT_API weft_status weft_tokenizer_encode(weft_tokenizer *t, const char *text, size_t bytes, int32_t *ids, size_t room,
                                           size_t *n);
WEFT_API weft_status weft_tokenizer_encode_at(weft_source at, weft_tokenizer *t, const char *text, size_t bytes,
                                              int32_t *ids, size_t room, size_t *n);
#define weft_tokenizer_encode(...) weft_tokenizer_encode_at(WEFT_HERE, __VA_ARGS__)
/* The text of n tokens, special ones as they are spelled: *bytes bytes, without a NUL, to text, which has room for
 * `room` of them, and where text is NULL only their number. A character may be in several tokens. */
WEFT_API weft_status weft_tokenizer_decode(weft_tokenizer *t, const int32_t *ids, size_t n, char *text, size_t room,
                                           size_t *bytes);
WEFT_API weft_status weft_tokenizer_decode_at(weft_source at, weft_tokenizer *t, const int32_t *ids, size_t n,
                                              char *text, size_t room, size_t *bytes);
#define weft_tokenizer_decode(...) weft_tokenizer_decode_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
