/* archive.h: one walk over a structure that writes it, reads it, or hashes it.
 *
 * A walker visits each field in turn. Writing appends the field to a buffer; reading fills it from bytes; hashing mixes
 * it in. So the three cannot disagree, and a field that the walker forgets is missing in all. Numbers are
 * little-endian, as memory is on the machines that there is code for. After a failure everything read is zero, and
 * walkers go on to their end; the status says what happened.
 */
#ifndef WEFT_EXEC_ARCHIVE_H
#define WEFT_EXEC_ARCHIVE_H

#include "base/context.h"
#include "base/diag.h"

typedef enum weft_archive_mode {
    WEFT_ARCHIVE_WRITE,
    WEFT_ARCHIVE_READ,
    WEFT_ARCHIVE_HASH /* locations are not hashed */
} weft_archive_mode;

typedef struct weft_archive {
    weft_archive_mode mode;
    weft_status status;         /* WEFT_ERR_INVALID: the bytes are no archive; WEFT_ERR_MEMORY */
    weft_context *cx;           /* of a read: its locations are made there */
    weft_arena *arena;          /* of a read: what is read; of a write: the table of locations */
    weft_buf *out;              /* of a write */
    const uint8_t *at, *end;    /* of a read */
    uint64_t hash;
    weft_table loc_numbers;     /* of a write: locations met so far */
    const weft_loc **locs;      /* of a read: the same, in the same order */
    size_t loc_count, loc_cap;
} weft_archive;

/* n bytes of a number, or of anything that is the same bytes everywhere. */
void weft_archive_bytes(weft_archive *a, void *p, size_t n);
#define WEFT_ARCHIVE_NUMBER(a, field) weft_archive_bytes((a), &(field), sizeof(field))

/* A value of an enum, below count. An unknown one fails. */
uint32_t weft_archive_enum(weft_archive *a, uint32_t value, uint32_t count);
bool weft_archive_flag(weft_archive *a, bool value);

/* Memory of count elements: what *p points to, or for a read new and zeroed, as *p then. NULL after a failure, and for
 * none. The walker visits the elements, each of which takes one byte or more. */
void *weft_archive_array(weft_archive *a, const void **p, uint64_t count, size_t size, size_t align);
/* The same for bytes, which are visited here. */
void weft_archive_block(weft_archive *a, const void **p, uint64_t bytes, size_t align);

void weft_archive_text(weft_archive *a, const char **z); /* NULL is one too */
void weft_archive_str(weft_archive *a, weft_str *s);
void weft_archive_loc(weft_archive *a, const weft_loc **loc);

/* The bytes that are read are no archive. */
void weft_archive_malformed(weft_archive *a);

#endif
