/* memory.h: what a program's arguments, results and values in between hold on a device that sharding would spread. */
#ifndef WEFT_PIPELINE_MEMORY_H
#define WEFT_PIPELINE_MEMORY_H

#include "pipeline/pipeline.h"

/* A large argument or result of @main, or value in between, that every device holds whole. */
typedef enum weft_held_kind { WEFT_HELD_ARGUMENT, WEFT_HELD_RESULT, WEFT_HELD_VALUE } weft_held_kind;
typedef struct weft_held_whole {
    weft_held_kind kind;
    uint32_t index;                /* of the argument or result, or in program.whole */
    int64_t bytes;
} weft_held_whole;

/* The largest first. None where there is one device. Large: 1 MiB and a hundredth of what a device holds, a twentieth
 * for values in between. A result in the memory of an argument is not told again, and of values in between only those
 * that the plan holds. In arena. */
weft_status weft_memory_held_whole(weft_arena *arena, const weft_program *p, const weft_held_whole **out,
                                   size_t *count);

/* Of the propagated m, in program order. In arena. */
weft_status weft_memory_whole_values(const weft_module *m, weft_arena *arena, weft_whole_value **out, size_t *count);

/* Warnings that name the largest of them, and one where a device of the machine has less memory than p needs. m: the
 * module that p was built from. */
weft_status weft_memory_warn(weft_context *cx, const weft_module *m, const weft_program *p,
                             const weft_machine *machine);

/* "argument 3 (params['w'])" of m's @main, or "'stablehlo.dot_general' at gpt.mlir:12:10". */
void weft_held_whole_print(weft_buf *b, const weft_module *m, const weft_program *p, const weft_held_whole *h);

#endif
