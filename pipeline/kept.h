/* kept.h: programs compiled with the cache and the costs of the environment (exec/cache.h, WEFT_COSTS). */
#ifndef WEFT_PIPELINE_KEPT_H
#define WEFT_PIPELINE_KEPT_H

#include "pipeline/pipeline.h"
#include "runtime/program_file.h"

/* weft_program_build with the cache of this process's environment, and weft_kept_machine of the machine. */
weft_status weft_program_build_kept(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                                    weft_built_program **out);
/* A machine with the costs of WEFT_COSTS in place of those of `usual` (weft_costs_open); NULL: the default machine. */
weft_status weft_kept_machine(weft_context *cx, const weft_machine *usual, weft_machine *out);

/* Appends m, as lines of the key of a program that is compiled for it. text: memory of the caller's, whose text is
 * replaced; either has failed when memory is out. */
void weft_kept_key_machine(weft_buf *key, const weft_machine *m, weft_buf *text);

/* A program, wherever it is from. Zeros: none. */
typedef struct weft_kept {
    const weft_executable *exec;
    const weft_port *args, *results;             /* of exec->arg_count and exec->result_count */
    const weft_layout *arg_layouts, *result_layouts;
    weft_built_program *built;                   /* compiled here, */
    weft_program_file *file;                     /* or found in the cache */
} weft_kept;

/* The program of m, whose arguments and results are called as names say: from the cache, else compiled and kept there,
 * with what compilation says. Of processes that want it at once one compiles it, with the cores of the opt->processes
 * of a job, and the others wait for it. What the key of the cache does not name (the compile flags and the further
 * fields of opt but devices, obey_constraints, memory_bytes and precision; rules registered with cx, its partitioner)
 * makes the program one that is compiled by each process, of functions from the cache. */
weft_status weft_program_keep(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                              const weft_port_names *names, weft_kept *out);
/* A program that was read from a file, which it owns from now on. */
weft_kept weft_kept_of_file(weft_program_file *file);
/* Appends it as runtime/program_file.h has it. WEFT_ERR_MEMORY. */
weft_status weft_kept_write(const weft_kept *k, weft_buf *out);
void weft_kept_free(weft_kept *k); /* zeros are fine, and what *k is then */

#endif
