/* launch_world: how the processes of a launch become a world. */
#include "runtime/execute.h"

/* A process that another MPI's launcher has started is alone to this one's: each of them would do the first one's part and take it for the whole. */
static weft_status by_mpi(weft_context *cx, const weft_processes *p, const weft_world_options *opt, weft_world **out) {
    weft_status st = weft_world_create_mpi(cx, opt, out);
    if (st != WEFT_OK) return st;
    int processes = weft_world_processes(*out), process = weft_world_process(*out);
    if (processes == p->processes && process == p->process) return st;
    weft_world_free(*out);
    *out = NULL;
    return weft_report(cx, WEFT_D_system, NULL,
                       "the launcher started process %d of %d, but in MPI this is process %d of %d: Weft was built with another MPI than the launcher's. Use that MPI's mpirun, or set "
                       "WEFT_RENDEZVOUS", p->process, p->processes, process, processes);
}

weft_processes weft_processes_of_world(const weft_world *w) {
    return (weft_processes){ weft_world_process(w), weft_world_processes(w), .bind = true };
}

weft_status weft_processes_world(weft_context *cx, const weft_processes *p, const weft_world_options *opt, weft_world **out) {
    *out = NULL;
    if (p->rendezvous && p->processes == 1)
        return weft_report(cx, WEFT_D_usage, NULL, "a rendezvous at %s needs this process's number in WEFT_PROCESS and how many there are in WEFT_PROCESSES", p->rendezvous);
    if (p->rendezvous) return weft_world_create_rendezvous(cx, opt, &(weft_rendezvous){ p->rendezvous, p->process, p->processes }, out);
    return p->processes > 1 ? by_mpi(cx, p, opt, out) : weft_world_create_threads(cx, opt, out);
}
