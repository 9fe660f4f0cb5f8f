/* launch: which process of a launch this is. Launchers say so in environment variables before anything is started. */
#include "runtime/processes.h"
#include <stdlib.h>

static const struct { const char *rank, *size; enum { BY_MPI, BY_RENDEZVOUS } only; } launchers[] = {
    { "WEFT_PROCESS", "WEFT_PROCESSES", BY_RENDEZVOUS },
#define LAUNCHER(rank, size) { rank, size, BY_MPI },
#include "collectives/launchers.def"
    { "SLURM_PROCID", "SLURM_NTASKS", BY_RENDEZVOUS }, /* also set where srun starts no MPI */
};

#define PROCESSES_MOST (1 << 24)

weft_processes weft_processes_of_launch(void) {
    const char *at = getenv("WEFT_RENDEZVOUS");
    if (at && !*at) at = NULL;
    for (size_t i = 0; i < WEFT_COUNT(launchers); i++) {
        const char *rank = getenv(launchers[i].rank), *size = getenv(launchers[i].size);
        if (launchers[i].only == BY_RENDEZVOUS && !at) continue;
        int process, processes;
        if (!rank || !size) continue;
        /* What is not one whole number is none: "x" must not become process 0. */
        if (weft_count_read(rank, PROCESSES_MOST, &process) && weft_count_read(size, PROCESSES_MOST, &processes) &&
            processes > 0)
            return (weft_processes){ process, processes, .rendezvous = processes > 1 ? at : NULL };
        /* what the user has set counts, also when it is wrong: then whoever makes the world says so */
        if (i == 0) break;
    }
    return (weft_processes){ .process = 0, .processes = 1, .rendezvous = at };
}
