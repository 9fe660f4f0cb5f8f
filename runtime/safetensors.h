/* safetensors.h: files of tensors by name, as Python's safetensors reads and writes them.
 *
 *   file   = n: 8 bytes; header: n bytes of JSON; data
 *   header = { "NAME": { "dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end] }, ...,
 *              "__metadata__": { "KEY": "TEXT", ... } }
 *
 * Offsets count from the begin of the data; tensors follow each other without gaps, row-major and little-endian. A file
 * is untrusted: the header is checked against the file's size before any tensor is read. Files are read, not mapped:
 * one that becomes shorter meanwhile would end the process by a signal (SIGBUS). Source: the format's page,
 * https://huggingface.co/docs/safetensors.
 */
#ifndef WEFT_RUNTIME_SAFETENSORS_H
#define WEFT_RUNTIME_SAFETENSORS_H

#include "base/diag.h"
#include "base/dtype.h"

typedef struct weft_stored {
    const char *name;
    weft_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
    int64_t at, bytes;             /* in the file */
} weft_stored;
void weft_stored_print_type(weft_buf *b, const weft_stored *t); /* "3x4xf32" */

typedef struct weft_safetensors {
    weft_context *cx;
    weft_arena arena;
    const char *path;
    int fd;
    int64_t bytes, header_bytes;   /* of the file; of the length and the JSON: where the data begins */
    weft_stored *tensors;          /* in the order of their data */
    size_t count;
    const char **keys, **texts;    /* of __metadata__ */
    size_t key_count;
} weft_safetensors;

/* Opens path and reads its header. Reports, naming the file and what is wrong. */
weft_status weft_safetensors_open(weft_context *cx, const char *path, weft_safetensors *out);
void weft_safetensors_close(weft_safetensors *f); /* a zeroed one is fine */
const weft_stored *weft_safetensors_find(const weft_safetensors *f, const char *name); /* NULL: none */
/* Bytes at .. at + n of the file. Reports a file that became shorter. */
weft_status weft_safetensors_read(const weft_safetensors *f, int64_t at, void *to, size_t n);

/* The format's name of a type: "F32"; NULL if it has none. */
const char *weft_safetensors_type(weft_dtype t);
/* Sets t[i].at, and appends the file's length and header: where its data begins. t[i].bytes is not looked at, but set.
 * The same for the same tensors, texts and order. WEFT_ERR_UNSUPPORTED, reported: a type that the format lacks. */
weft_status weft_safetensors_header(weft_context *cx, weft_stored *t, size_t n, const char *const *keys,
                                    const char *const *texts, size_t key_count, weft_buf *out);

#endif
