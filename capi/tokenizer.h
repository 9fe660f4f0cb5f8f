/* tokenizer.h: the inside of a tokenizer (weft/tokenizer.h). */
#ifndef WEFT_CAPI_TOKENIZER_H
#define WEFT_CAPI_TOKENIZER_H

#include <weft/tokenizer.h>
#include "base/context.h"
#include "base/table.h"
#include "capi/graph_impl.h"

/* Two tokens that become one. */
typedef struct weft_merge { int32_t left, right, id, rank; } weft_merge;

struct weft_tokenizer {
    weft_context *cx;
    weft_arena arena;
    const char *path;
    weft_str *tokens;                    /* by number, each with a NUL; p NULL: there is none */
    int64_t count;
    int32_t of_byte[256];                /* the token of a byte; -1: none */
    weft_table merges;                   /* of weft_merge */
    int32_t *specials;                   /* the longest first */
    size_t special_count;
    bool begins_special[256];            /* whether a special token begins with the byte */
};

/* The merge of a pair; NULL: none. */
const weft_merge *weft_merge_of(const weft_tokenizer *t, int32_t left, int32_t right);
/* Adds one of a pair that has none; it is copied. */
weft_status weft_merge_add(weft_tokenizer *t, const weft_merge *m);

/* tokenizer_split.c: the bytes of the word that a text (n > 0 bytes of it are left) begins with. */
size_t weft_word_bytes(const unsigned char *text, size_t n);

#endif
