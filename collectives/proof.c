/* proof.c: see proof.h. */
#include "config.h"
#include "collectives/proof.h"

#include <string.h>

#ifdef HAVE_CRYPTO
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

int weft_proof_is_hashed(void) { return 1; }

/* Whether libcrypto has computed it. */
static int hash(const uint8_t *key, const void *text, size_t bytes, uint8_t out[WEFT_PROOF_BYTES]) {
    unsigned n = WEFT_PROOF_BYTES;
    return HMAC(EVP_sha256(), key, WEFT_PROOF_BYTES, text, bytes, out, &n) && n == WEFT_PROOF_BYTES;
}

int weft_is_same_proof(const uint8_t *a, const uint8_t *b) { return CRYPTO_memcmp(a, b, WEFT_PROOF_BYTES) == 0; }
#else
int weft_proof_is_hashed(void) { return 0; }

static int hash(const uint8_t *key, const void *text, size_t bytes, uint8_t out[WEFT_PROOF_BYTES]) {
    (void)text, (void)bytes;
    memcpy(out, key, WEFT_PROOF_BYTES);
    return 1;
}

int weft_is_same_proof(const uint8_t *a, const uint8_t *b) {
    uint8_t differ = 0;
    for (int i = 0; i < WEFT_PROOF_BYTES; i++) differ |= (uint8_t)(a[i] ^ b[i]);
    return !differ;
}
#endif

/* A key of any length becomes one of 32 bytes by the hash with a fixed name, as in HKDF's first step (RFC
 * 5869, 2.2). */
void weft_secret_of_key(const char *key, weft_secret *out) {
    static const uint8_t name[WEFT_PROOF_BYTES] = "weft rendezvous key";
    *out = (weft_secret){ .state = WEFT_SECRET_LOST };
    if (hash(name, key, strlen(key), out->bytes)) out->state = WEFT_SECRET_KNOWN;
}

void weft_secret_derive(const weft_secret *of, const char *what, const uint8_t number[WEFT_PROOF_BYTES],
                        weft_secret *out) {
    *out = (weft_secret){ .state = WEFT_SECRET_KNOWN };
    memcpy(out->bytes, number, WEFT_PROOF_BYTES);
    if (!weft_proof_is_hashed()) return;
    const weft_secret base = of && of->state != WEFT_SECRET_NONE ? *of : *out;
    const weft_claim c = { .who = what, .said = number, .said_bytes = WEFT_PROOF_BYTES };
    if (!weft_prove(&base, &c, out->bytes)) out->state = WEFT_SECRET_LOST;
}

int weft_prove(const weft_secret *s, const weft_claim *c, uint8_t out[WEFT_PROOF_BYTES]) {
    uint8_t text[16 + WEFT_PROOF_MOST] = { 0 };
    size_t n = strnlen(c->who, 15), first = c->said_bytes < WEFT_PROOF_MOST ? c->said_bytes : WEFT_PROOF_MOST;
    size_t second = c->more_bytes < WEFT_PROOF_MOST - first ? c->more_bytes : WEFT_PROOF_MOST - first;
    memset(out, 0, WEFT_PROOF_BYTES);
    if (s->state != WEFT_SECRET_KNOWN) return 0;
    memcpy(text, c->who, n);
    if (first) memcpy(text + 16, c->said, first);
    if (second) memcpy(text + 16 + first, c->more, second);
    if (hash(s->bytes, text, 16 + first + second, out)) return 1;
    memset(out, 0, WEFT_PROOF_BYTES);
    return 0;
}

int weft_proves(const weft_secret *s, const weft_claim *c, const uint8_t proof[WEFT_PROOF_BYTES]) {
    uint8_t right[WEFT_PROOF_BYTES];
    if (s->state == WEFT_SECRET_NONE) return 1;
    return weft_prove(s, c, right) && weft_is_same_proof(right, proof);
}
