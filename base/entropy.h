/* entropy.h: random bytes of the kernel's, for numbers that nobody can know before: names of drafts, nonces, tokens.
 *
 * Nothing that a program computes depends on them.
 */
#ifndef WEFT_BASE_ENTROPY_H
#define WEFT_BASE_ENTROPY_H

#include "base/status.h"

/* Fills p with random bytes. WEFT_ERR_IO with errno where the kernel gives none. Waits for the kernel's pool after a
 * boot. */
weft_status weft_random(void *p, size_t bytes);

#endif
