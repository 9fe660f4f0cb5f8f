/* memory.h: the memory of replicated arguments, results and intermediate values, which sharding would divide. */
#ifndef WEFT_PIPELINE_MEMORY_H
#define WEFT_PIPELINE_MEMORY_H

#include "pipeline/pipeline.h"

/* A large argument or result of @main, or intermediate value, that is replicated. */
typedef enum weft_held_kind { WEFT_HELD_ARGUMENT, WEFT_HELD_RESULT, WEFT_HELD_VALUE } weft_held_kind;
typedef struct weft_held_whole {
    weft_held_kind kind;
    uint32_t index;                /* of the argument or result, or in program.whole */
    int64_t bytes;
} weft_held_whole;

/* The largest first. None if there is one device. Large: 1 MiB and a hundredth of a device's memory, a twentieth for
 * intermediate values. A result in the memory of an argument is not listed again, and of intermediate values only those
 * in the plan. In arena. */
weft_status weft_memory_held_whole(weft_arena *arena, const weft_built_program *p, const weft_held_whole **out,
                                   size_t *count);

/* For the propagated m, in program order. In arena. */
weft_status weft_memory_whole_values(const weft_module *m, weft_arena *arena, weft_whole_value **out, size_t *count);

/* Warnings that name the largest of them, and one if p needs more memory than a device of the machine has. m: the
 * module from which p was built. */
weft_status weft_memory_warn(weft_context *cx, const weft_module *m, const weft_built_program *p,
                             const weft_machine *machine);

/* "argument 3 (params['w'])" of m's @main, or "'stablehlo.dot_general' at gpt.mlir:12:10". */
void weft_held_whole_print(weft_buf *b, const weft_module *m, const weft_built_program *p, const weft_held_whole *h);

#endif
