/* proof.h: how one process proves to another that both know a secret, without sending it.
 *
 * Each side draws a number that was never used before (a nonce) and answers the other's with a keyed hash
 * (HMAC-SHA-256, RFC 2104) of the speaker's role, of everything that both have said, and of the other's number. So an
 * answer is valid once, for one connection, in one direction. The hash is libcrypto's. A build without it has no keys;
 * between processes that share a random number (weft_tcp_card.token) the number itself is the proof.
 */
#ifndef WEFT_COLLECTIVES_PROOF_H
#define WEFT_COLLECTIVES_PROOF_H

#include "base/entropy.h"

#include <stdint.h>

#define WEFT_PROOF_BYTES 32
#define WEFT_NONCE_BYTES 16

/* LOST: there is a secret, but libcrypto refused to compute it. Nothing is proved with it, and no peer is believed. */
typedef enum weft_secret_state { WEFT_SECRET_NONE, WEFT_SECRET_KNOWN, WEFT_SECRET_LOST } weft_secret_state;

typedef struct weft_secret {
    uint8_t bytes[WEFT_PROOF_BYTES];
    weft_secret_state state; /* NONE: every peer is believed */
} weft_secret;

/* Whether this build has a keyed hash. */
int weft_proof_is_hashed(void);
/* The secret of a user's key; LOST if libcrypto refuses (its configuration may allow fewer hashes). */
void weft_secret_of_key(const char *key, weft_secret *out);
/* A secret derived from `of`, which may be NONE, and a number: for connections of one world to one process. Without a
 * hash it is the number. */
void weft_secret_derive(const weft_secret *of, const char *what, const uint8_t number[WEFT_PROOF_BYTES],
                        weft_secret *out);

/* The statement to be proved: the role of its speaker ("caller", "door"), and two texts, WEFT_PROOF_MOST bytes in
 * all. */
#define WEFT_PROOF_MOST 1024
typedef struct weft_claim {
    const char *who;
    const void *said, *more;
    size_t said_bytes, more_bytes;
} weft_claim;

/* The proof; returns 1. Without a secret, or if libcrypto refuses: zeros, and 0. */
int weft_prove(const weft_secret *s, const weft_claim *c, uint8_t out[WEFT_PROOF_BYTES]);
/* Whether two proofs are equal, in constant time. */
int weft_is_same_proof(const uint8_t *a, const uint8_t *b);
/* Whether the proof is right, in constant time. With NONE every proof is, with LOST none. */
int weft_proves(const weft_secret *s, const weft_claim *c, const uint8_t proof[WEFT_PROOF_BYTES]);

#endif
