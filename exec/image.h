/* image.h: machine code as bytes, and the same mapped into memory to be run.
 *
 * An image is one block of code and constants that runs wherever it lies, if that is a multiple of its alignment. What
 * it needs from outside (memcpy, functions of the C library's mathematics) it calls through slots of 8 bytes in the
 * block, zero in the image, which the loader fills. Nothing else in a block is ever written.
 */
#ifndef WEFT_EXEC_IMAGE_H
#define WEFT_EXEC_IMAGE_H

#include "base/diag.h"

enum { WEFT_IMAGE_ALIGN = 4096 }; /* a page: aarch64 addresses its constants by pages */

/* A function that steps call. */
typedef struct weft_image_function { uint64_t offset, bytes; } weft_image_function;
typedef struct weft_image_import { const char *name; uint64_t slot; } weft_image_import;

typedef struct weft_image {
    const char *machine;                  /* weft_image_machine() of hosts that can run it; NULL: there is no code */
    const char *needs;                    /* features of their processors that it uses (cpu.h); NULL: none */
    const uint8_t *block; uint64_t bytes;
    const weft_image_function *functions; uint32_t function_count;
    const weft_image_import *imports; uint32_t import_count;
} weft_image;

/* Of this process: "x86_64", "aarch64". */
const char *weft_image_machine(void);

/* A block in executable memory. Zeroed: none. */
typedef struct weft_mapping { void *at; size_t bytes; } weft_mapping;

/* Reported: a plan without code, code for another machine or processor than this process's. */
weft_status weft_image_check(weft_context *cx, const weft_image *image);

/* Imports are taken from what the process has loaded. Reported: what weft_image_check reports, an import that is not
 * there. */
weft_status weft_image_map(weft_context *cx, const weft_image *image, weft_mapping *out);
void weft_image_unmap(weft_mapping *m);

#endif
