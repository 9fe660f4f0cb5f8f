/* launch.h: what jobs (weft_job_open), clients and programs (weft/array.h) share when they start. */
#ifndef WEFT_CAPI_LAUNCH_H
#define WEFT_CAPI_LAUNCH_H

#include "capi/graph_impl.h"
#include "pipeline/kept.h"
#include "runtime/processes.h"

/* Refuses what is no weft_launch or no number of threads; struct_name: whose fields they are. */
weft_status weft_launch_check(weft_context *cx, const char *struct_name, weft_launch launch, int threads);

/* As weft_build_options.precision; refuses what is no weft_precision. place may be NULL. */
weft_status weft_precision_check(weft_context *cx, const weft_loc *place, const char *struct_name,
                                 weft_precision precision, const char **out);

/* Refuses what is no weft_constraints; place may be NULL. */
weft_status weft_constraints_check(weft_context *cx, const weft_loc *place, const char *struct_name,
                                   weft_constraints constraints);

/* The processes of a given world, or of the launch, whose wait for one another ends after timeout_s; threads: of each
 * device, 0: as many as it can use. */
weft_processes weft_launch_processes(weft_launch launch, double timeout_s, int threads, const weft_world *world);

/* The graph's program, with the names of its inputs and outputs (weft_program_keep). g is finished. */
weft_status weft_graph_code(const weft_graph *g, const weft_build_options *opt, weft_kept *out);

/* Warns that an input and the output that becomes it are split differently; when: "between steps". An update whose
 * result has the input's sharding costs nothing, and propagation gives it that unless annotations forbid it. */
weft_status weft_update_moves(weft_context *cx, const weft_graph_port *input, const char *when);

#endif
