/* launch: which process of a launch this is. Launchers say so in environment variables before MPI is started. */
#include "runtime/execute.h"
#include <stdlib.h>

weft_place weft_place_of_launch(void) {
    static const char *const names[][2] = { /* Open MPI; PMI (MPICH, Slurm); PMIx */
        { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
        { "PMI_RANK", "PMI_SIZE" },
        { "PMIX_RANK", "PMIX_SIZE" },
    };
    for (size_t i = 0; i < WEFT_COUNT(names); i++) {
        const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
        if (rank && size && atoi(size) > 0) return (weft_place){ .process = atoi(rank), .processes = atoi(size) };
    }
    return (weft_place){ .process = 0, .processes = 1 };
}
