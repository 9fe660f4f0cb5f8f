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

/* How many processes srun has started beside this one, its first, by --mpi=none or an MPI that it was not built for. */
static int unmet_of_srun(void) {
    const char *rank = getenv("SLURM_PROCID"), *size = getenv("SLURM_STEP_NUM_TASKS");
    int process, processes;
    return rank && size && weft_count_read(rank, PROCESSES_MOST, &process) && process == 0 &&
                   weft_count_read(size, PROCESSES_MOST, &processes)
               ? processes
               : 0;
}

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
    return (weft_processes){ .process = 0, .processes = 1, .rendezvous = at, .unmet = at ? 0 : unmet_of_srun() };
}

weft_status weft_processes_check(weft_context *cx, const weft_processes *p) {
    if (p->unmet < 2) return WEFT_OK;
    return weft_report_once(cx, WEFT_D_environment, NULL,
                            "srun has started %d processes without MPI, and each runs the whole program alone: "
                            "'srun --mpi=pmix' or WEFT_RENDEZVOUS makes them one job", p->unmet);
}
