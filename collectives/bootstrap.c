/* bootstrap.c: exchanges between the processes of a world before it has messages. */
#include "base/diag.h"
#include "collectives/transport.h"

weft_status weft_bootstrap_gather(weft_context *cx, const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    if (b->allgather(b, in, bytes, out) == WEFT_OK) return WEFT_OK;
    return weft_report(cx, WEFT_D_system, NULL, "%s",
                       b->trouble && *b->trouble ? b->trouble : "the processes do not find each other");
}
