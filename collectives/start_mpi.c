/* start_mpi: a world over the processes of MPI_COMM_WORLD. */
#include "collectives/world.h"

weft_status weft_world_create_mpi(weft_context *cx, const weft_world_options *opt, weft_world **out) {
    (void)opt;
    *out = NULL;
    return weft_report(cx, WEFT_D_unsupported, NULL, "worlds of several processes");
}
