/* launch_world: how the processes of a launch become a world. */
#include "runtime/processes.h"

weft_processes weft_processes_of_world(const weft_world *w) {
    return (weft_processes){ weft_world_process(w), weft_world_processes(w), .bind = true };
}

weft_status weft_processes_world(weft_context *cx, const weft_processes *p, const weft_world_options *opt,
                                 weft_world **out) {
    *out = NULL;
    if (p->rendezvous && p->processes == 1)
        return weft_report(
            cx, WEFT_D_usage, NULL,
            "a rendezvous at %s needs this process's number in WEFT_PROCESS and how many there are in WEFT_PROCESSES",
            p->rendezvous);
    if (p->rendezvous)
        return weft_world_create_rendezvous(cx, opt, &(weft_rendezvous){ p->rendezvous, p->process, p->processes },
                                            out);
    return p->processes > 1 ? weft_world_create_mpi(cx, opt, out) : weft_world_create_threads(cx, opt, out);
}
