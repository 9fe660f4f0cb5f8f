/* votes.h: the processes of a client agree on a program, or all hear why they do not. Private to runtime/. */
#ifndef WEFT_RUNTIME_VOTES_H
#define WEFT_RUNTIME_VOTES_H

#include "runtime/client_impl.h"
#include "runtime/loaded_program.h"

/* Collective over the processes. prepared: how it went here; fingerprint: of this process's program. What all return is
 * the first rank's failure, or WEFT_ERR_PEER where programs differ; *speaker is then set (weft_client_load). */
weft_status weft_client_vote(weft_client *c, const weft_load_options *opt, weft_status prepared, uint64_t fingerprint,
                             bool *speaker);

#endif
