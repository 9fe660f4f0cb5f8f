/* memory.h: what a program's arguments and results hold on a device that sharding would spread. */
#ifndef WEFT_PIPELINE_MEMORY_H
#define WEFT_PIPELINE_MEMORY_H

#include "pipeline/pipeline.h"

/* A large argument or result of @main that every device holds whole. */
typedef struct weft_held_whole {
    enum { WEFT_HELD_ARGUMENT, WEFT_HELD_RESULT } kind;
    uint32_t index;
    int64_t bytes;
} weft_held_whole;

/* The largest first; m: the module that p was built from. None where there is one device. Large: 1 MiB and a hundredth of what a device
 * holds. A result in the memory of an argument is not told again. In arena. */
weft_status weft_memory_held_whole(weft_arena *arena, const weft_program *p, const weft_held_whole **out, size_t *count);

/* A warning that names the largest of them, and one where a device of the machine has less memory than p needs. */
weft_status weft_memory_warn(weft_context *cx, const weft_module *m, const weft_program *p, const weft_machine *machine);

/* "argument 3 (params['w'])", of m's @main. */
void weft_held_whole_print(weft_buf *b, const weft_module *m, const weft_held_whole *h);

#endif
