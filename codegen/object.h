/* object.h: the object file that LLVM writes, as an image that runs wherever it lies (exec/image.h). */
#ifndef WEFT_CODEGEN_OBJECT_H
#define WEFT_CODEGEN_OBJECT_H

#include "exec/image.h"

#define CG_OBJECT_FUNCTION "f"

/* A relocatable ELF file of this process's machine with the function CG_OBJECT_FUNCTION, of the small, position
 * independent code model, as an image of that function. The image belongs to arena. */
weft_status cg_object_image(weft_context *cx, const void *file, size_t bytes, weft_arena *arena, weft_image *out);

/* One image of the functions of n images, each of one function or of none, in their order. WEFT_ERR_MEMORY. */
weft_status cg_images_join(weft_arena *arena, const weft_image *images, uint32_t n, weft_image *out);

#endif
