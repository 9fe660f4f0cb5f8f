/* program_impl.h: the inside of a loaded program. Private to runtime/. */
#ifndef WEFT_RUNTIME_PROGRAM_IMPL_H
#define WEFT_RUNTIME_PROGRAM_IMPL_H

#include "runtime/client_impl.h"
#include "runtime/device.h"
#include "runtime/loaded_program.h"

struct weft_loaded_program {
    weft_client *client;
    weft_arena arena;                /* all tables and texts */
    const weft_executable *exec;
    void *front;                     /* weft_load_options.front */
    weft_loaded *loaded;             /* exec's code */
    const weft_layout **args, **results; /* the client's */
    bool *donors;                    /* per argument: an execution takes its memory */
    weft_call *calls;
    int threads;                     /* of a device: 1 for a program without steps that can be split */
    weft_device *devices;            /* per device of this process */
    weft_step_work *works;           /* per step of exec; NULL: nothing was measured */
    bool started;                    /* the devices have a part of it */
    bool quiet;                      /* no device waits for another */
    bool drains;                     /* a device that fails leaves no peer waiting */
    int64_t executions;
};

/* Reported to the device's context: it has no room for the program. */
weft_status weft_program_no_memory(const weft_loaded_program *p, weft_client_device *d);

#endif
