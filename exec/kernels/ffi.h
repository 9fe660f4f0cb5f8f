/* ffi.h: the kernel "ffi" calls a function that the process which runs the program knows by name (weft_host.foreign):
 * one of XLA's typed foreign function interface.
 *
 * Buffers: the operands, then the results. The state is words of 8 bytes, in this order:
 *
 *   how many words there are
 *   the name: a text
 *   how many operands and results
 *   each operand, then each result: its dtype (WEFT_DTYPE_NONE: a token), its rank, its dimensions as the program has
 *     them, in whatever order they lie; of a result then the operand whose memory it has, or -1
 *   the attributes: a dictionary
 *
 * A text is how many bytes and these, filled up with zeros to a whole word. A dictionary is how many entries, and for
 * each, in the order of the names' bytes, its name, a weft_ffi_kind and the value: of a text the text, of a dictionary
 * the dictionary, else the dtype, how many elements and these as a text.
 */
#ifndef WEFT_KERNELS_FFI_H
#define WEFT_KERNELS_FFI_H

#include "exec/kernels/kernels.h"

typedef enum weft_ffi_kind {
    WEFT_FFI_SCALAR,
    WEFT_FFI_ARRAY,
    WEFT_FFI_TEXT,
    WEFT_FFI_DICTIONARY,
    WEFT_FFI_KINDS
} weft_ffi_kind;

/* A state from its first word to its last; bad: it is damaged, and every further read gives zeros. */
typedef struct weft_ffi_reader { const int64_t *at, *end; bool bad; } weft_ffi_reader;

/* Whether so many bytes have as many words as they say; to be asked of a state from a file. */
bool weft_ffi_is_whole(const void *state, size_t bytes);
weft_ffi_reader weft_ffi_read(const void *state);
int64_t weft_ffi_read_number(weft_ffi_reader *r);
weft_str weft_ffi_read_text(weft_ffi_reader *r);

/* Of the state of a kernel of this name. */
weft_str weft_ffi_name(const void *state);

#endif
