/* object.h: the object file that LLVM writes, as an image that runs wherever it lies (exec/image.h). */
#ifndef WEFT_CODEGEN_OBJECT_H
#define WEFT_CODEGEN_OBJECT_H

#include "exec/image.h"

/* A relocatable ELF file of this process's machine with functions f0 to f<functions - 1>, of the small, position
 * independent code model. The image belongs to arena. */
weft_status cg_object_image(weft_context *cx, const void *file, size_t bytes, uint32_t functions, weft_arena *arena,
                            weft_image *out);

#endif
