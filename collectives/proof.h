/* proof.h: how one process shows another that both know a secret, without saying it.
 *
 * Each side draws a number that nobody has had before (a nonce) and answers the other's with a keyed hash
 * (HMAC-SHA-256, RFC 2104) of who speaks, of everything that both have said, and of the other's number: so an answer is
 * good once, for one connection, in one direction. The hash is libcrypto's. A build without it knows no keys; between
 * processes that share a number which no stranger has heard (weft_tcp_card.token) the number itself is the proof.
 */
#ifndef WEFT_COLLECTIVES_PROOF_H
#define WEFT_COLLECTIVES_PROOF_H

#include "base/entropy.h"

#include <stdint.h>

#define WEFT_PROOF_BYTES 32
#define WEFT_NONCE_BYTES 16

/* LOST: there is one, but libcrypto refused to compute it. Nothing is proved with it, and nobody is believed. */
typedef enum weft_secret_state { WEFT_SECRET_NONE, WEFT_SECRET_KNOWN, WEFT_SECRET_LOST } weft_secret_state;

typedef struct weft_secret {
    uint8_t bytes[WEFT_PROOF_BYTES];
    weft_secret_state state; /* NONE: whoever comes is believed */
} weft_secret;

/* Whether this build has a keyed hash. */
int weft_proof_is_hashed(void);
/* The secret that a user's key stands for; LOST where libcrypto refuses (it may be told to allow less). */
void weft_secret_of_key(const char *key, weft_secret *out);
/* One that follows from `of`, which may be NONE, and from a number: for connections of one world to one process.
 * Without a hash it is the number. */
void weft_secret_derive(const weft_secret *of, const char *what, const uint8_t number[WEFT_PROOF_BYTES],
                        weft_secret *out);

/* What is proved: who says it ("caller", "door"), and two pieces of what was said, of WEFT_PROOF_MOST bytes in all. */
#define WEFT_PROOF_MOST 1024
typedef struct weft_claim {
    const char *who;
    const void *said, *more;
    size_t said_bytes, more_bytes;
} weft_claim;

/* The proof, and 1. Without a secret, or where libcrypto refuses, zeros, and 0. */
int weft_prove(const weft_secret *s, const weft_claim *c, uint8_t out[WEFT_PROOF_BYTES]);
/* Whether two proofs are the same; takes as long where they are not. */
int weft_is_same_proof(const uint8_t *a, const uint8_t *b);
/* Whether the proof is right; takes as long where it is not. With NONE every proof is, with LOST none. */
int weft_proves(const weft_secret *s, const weft_claim *c, const uint8_t proof[WEFT_PROOF_BYTES]);

#endif
