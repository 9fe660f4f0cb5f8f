/* program_impl.h: the inside of a program, whether it was compiled or read from a file. */
#ifndef WEFT_CAPI_PROGRAM_IMPL_H
#define WEFT_CAPI_PROGRAM_IMPL_H

#include "capi/array_impl.h"
#include "pipeline/kept.h"
#include "runtime/loaded_program.h"

typedef struct weft_program_in_port {
    weft_name name;
    const weft_kind *kind;
    int64_t update;        /* the output that becomes it, or -1 */
    bool told;             /* that it is moved */
} weft_program_in_port;

typedef struct weft_program_out_port {
    weft_name name;
    const weft_kind *kind;
    weft_array *array;     /* of the last run; NULL: none, or given to a state */
} weft_program_out_port;

struct weft_program {
    weft_client *client;
    weft_arena arena;
    weft_kept code;                  /* compiled, found or read */
    weft_loaded_program *loaded;
    weft_program_in_port *inputs;
    weft_program_out_port *outputs;
    uint32_t input_count, output_count;
    weft_buffer **args, **results;   /* of a run */
    uint32_t *kept;
    bool ran;
};

/* A program of this client without anything in it, for a call at that place whose result is out, which is checked; *out
 * is NULL until weft_program_finish. Where memory is out, the other processes know. */
weft_status weft_program_begin(weft_source at, weft_client *c, weft_program **out, weft_program **p);
/* The inputs and outputs of p->code; an input that its executable donates is updated by that output. */
weft_status weft_program_fill_ports(weft_program *p);
/* Loads what this process has prepared, or tells the others that it could not. o has the program as text. *out is p, or
 * NULL, and p closed. */
weft_status weft_program_finish(weft_program *p, weft_status prepared, weft_load_options *o, weft_program **out);

#endif
