/* entropy.h: random bytes from the kernel, for unpredictable numbers: names of drafts, nonces, tokens.
 *
 * The results of programs do not depend on them.
 */
#ifndef WEFT_BASE_ENTROPY_H
#define WEFT_BASE_ENTROPY_H

#include "base/status.h"

/* Fills p with random bytes. WEFT_ERR_IO with errno if the kernel gives none. After a boot it waits for the kernel's
 * pool. */
weft_status weft_random(void *p, size_t bytes);

#endif
