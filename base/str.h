/* str.h: strings with a length, interned names, and a growing text buffer.
 *
 * A weft_name is an interned string of a context: two names are equal when their pointers are. Ids below
 * WEFT_RESERVED_NAMES belong to well-known names, which a room gives fixed ids (ir/: attribute names and mnemonics), so
 * that name->id equals an enum value in every context; other names count up from there.
 */
#ifndef WEFT_BASE_STR_H
#define WEFT_BASE_STR_H

#include <stdarg.h>
#include <string.h>
#include "base/arena.h"

typedef struct weft_str {
    const char *p; /* not NUL-terminated in general */
    size_t n;
} weft_str;

#define WEFT_STR(literal) ((weft_str){ (literal), sizeof(literal) - 1 })

static inline weft_str weft_str_from(const char *z) { return (weft_str){ z, strlen(z) }; }
static inline bool weft_str_equal(weft_str a, weft_str b) { return a.n == b.n && (a.n == 0 || !memcmp(a.p, b.p, a.n)); }
static inline bool weft_str_is(weft_str a, const char *z) { return a.n == strlen(z) && !memcmp(a.p, z, a.n); }

/* The number of bytes of the UTF-8 character (RFC 3629) at p, in a text that ends with a NUL; 0: it is invalid. */
int weft_utf8_bytes(const unsigned char *p);
/* Copies as much of the text as fits with a NUL, in whole characters; an invalid byte becomes '?'. Returns the
 * length. */
size_t weft_utf8_copy(char *to, size_t room, weft_str s);

/* For "%.*s". */
#define WEFT_STR_ARG(s) (int)(s).n, (s).p

/* The length of a placeholder "{12}" at s.p[i], and its number; 0 if there is none. */
size_t weft_str_placeholder(weft_str s, size_t i, uint32_t *number);

/* Reads a text that is one integer from 0 to most and nothing else; NULL is invalid. */
bool weft_count_read(const char *text, int most, int *out);

/* FNV-1a of a text that ends with a NUL; NULL is "". Equal in every process. */
uint64_t weft_text_hash(const char *text);

#define WEFT_RESERVED_NAMES 1024

typedef struct weft_name_entry {
    uint32_t id;   /* reserved, or in the order of first interning */
    uint32_t n;    /* length of text */
    uint32_t hash;
    char text[];   /* NUL-terminated */
} weft_name_entry;
typedef const weft_name_entry *weft_name;

/* The interned form of s, or NULL when memory is out. */
weft_name weft_name_intern(weft_context *cx, weft_str s);
weft_name weft_name_from(weft_context *cx, const char *z);
/* Interns z with this id, below WEFT_RESERVED_NAMES; an existing name of that text gets the id too. */
weft_name weft_name_reserve(weft_context *cx, const char *z, uint32_t id);
/* The name of an id in use. */
weft_name weft_name_at(const weft_context *cx, uint32_t id);
static inline weft_str weft_name_str(weft_name n) { return (weft_str){ n->text, n->n }; }

/* A text under construction. A failed allocation leaves it unchanged and sets failed; check once at the end. */
typedef struct weft_buf {
    weft_allocator alloc;
    char *p; /* NUL-terminated once anything was appended */
    size_t n, cap;
    /* Bytes, as the owner has set it: to need more memory than for them, rounded up, is a failure, and sets over. 0:
     * any number. */
    size_t most;
    bool failed, over;
} weft_buf;

void weft_buf_init(weft_buf *b, const weft_allocator *alloc);
void weft_buf_free(weft_buf *b);
void weft_buf_put(weft_buf *b, const char *p, size_t n);
void weft_buf_putc(weft_buf *b, char c);
void weft_buf_puts(weft_buf *b, const char *z);
void weft_buf_str(weft_buf *b, weft_str s);
void weft_buf_i64(weft_buf *b, int64_t v);
void weft_buf_bytes(weft_buf *b, double bytes); /* "640 B", "1.5 KiB", "113 GiB" */
void weft_buf_printf(weft_buf *b, const char *fmt, ...) WEFT_PRINTF(2, 3);
void weft_buf_vprintf(weft_buf *b, const char *fmt, va_list ap);

/* vsnprintf, snprintf and strtod in the C locale: with a decimal point, also in a process whose locale has commas.
 * weft_buf_printf uses it too. */
int weft_vformat(char *to, size_t n, const char *fmt, va_list ap);
int weft_format(char *to, size_t n, const char *fmt, ...) WEFT_PRINTF(3, 4);
double weft_read_double(const char *z, char **end);

#endif
