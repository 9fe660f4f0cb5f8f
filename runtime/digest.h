/* digest.h: SHA-256 (FIPS 180-4) by libcrypto, as text. A Weft without libcrypto has none. Any thread may use one. */
#ifndef WEFT_RUNTIME_DIGEST_H
#define WEFT_RUNTIME_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

enum { WEFT_DIGEST_TEXT = 65 };

typedef struct weft_digest { void *state; bool failed; } weft_digest;

bool weft_digest_is_there(void);
void weft_digest_begin(weft_digest *d);
void weft_digest_add(weft_digest *d, const void *p, size_t n);
/* The hash in lower-case digits; "" where there is no libcrypto. False: it has failed. */
bool weft_digest_end(weft_digest *d, char out[WEFT_DIGEST_TEXT]);
bool weft_digest_of(const void *p, size_t n, char out[WEFT_DIGEST_TEXT]);

#endif
