/* options.h: reads a public option struct, of which the caller may know fewer fields than the library, or more.
 *
 * Such a struct has a field `size` (weft/weft.h). The fields up to it, those of the first version, always exist. Inside
 * the library only the copy made by weft_options_read is read.
 */
#ifndef WEFT_BASE_OPTIONS_H
#define WEFT_BASE_OPTIONS_H

#include "base/context.h"

/* The least size of an option struct: up to the end of `size`. */
#define WEFT_OPTIONS_LEAST(type) (offsetof(type, size) + sizeof(size_t))

/* Copies the fields that both the caller and the library know to `to`, of `known` bytes; the others become 0. `given`
 * has `size` bytes, as the caller says, or `least` if that is 0. name: the struct's name, for messages. Errors:
 * WEFT_ERR_USAGE for a size that no version has; WEFT_ERR_UNSUPPORTED if a field is set that only a newer library
 * knows. */
weft_status weft_options_read(weft_context *cx, const char *name, const void *given, size_t size, size_t least,
                              void *to, size_t known);

/* The same from *given to *to, both of `type`; NULL is all zero. */
#define WEFT_OPTIONS_READ(cx, type, given, to) \
    weft_options_read(cx, #type, given, (given) ? (given)->size : 0, WEFT_OPTIONS_LEAST(type), to, sizeof(type))

#endif
