/* digest: see digest.h. */
#include "config.h"
#include "runtime/digest.h"

#include <stdio.h>

#ifdef HAVE_CRYPTO
#include <openssl/evp.h>

bool weft_digest_is_there(void) { return true; }

void weft_digest_begin(weft_digest *d) {
    *d = (weft_digest){ .state = EVP_MD_CTX_new() };
    d->failed = !d->state || !EVP_DigestInit_ex(d->state, EVP_sha256(), NULL);
}

void weft_digest_add(weft_digest *d, const void *p, size_t n) {
    if (!d->failed && n) d->failed = !EVP_DigestUpdate(d->state, p, n);
}

bool weft_digest_end(weft_digest *d, char out[WEFT_DIGEST_TEXT]) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    out[0] = 0;
    if (!d->failed) d->failed = !EVP_DigestFinal_ex(d->state, bytes, &n);
    for (unsigned i = 0; !d->failed && i < n && i < WEFT_DIGEST_TEXT / 2; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    EVP_MD_CTX_free(d->state);
    return !d->failed;
}
#else
bool weft_digest_is_there(void) { return false; }
void weft_digest_begin(weft_digest *d) { *d = (weft_digest){ 0 }; }
void weft_digest_add(weft_digest *d, const void *p, size_t n) { (void)d, (void)p, (void)n; }
bool weft_digest_end(weft_digest *d, char out[WEFT_DIGEST_TEXT]) {
    (void)d;
    out[0] = 0;
    return true;
}
#endif

bool weft_digest_of(const void *p, size_t n, char out[WEFT_DIGEST_TEXT]) {
    weft_digest d;
    weft_digest_begin(&d);
    weft_digest_add(&d, p, n);
    return weft_digest_end(&d, out);
}
