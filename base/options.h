/* options.h: reading a public struct of options, whose caller may know fewer fields of it than the library, or more.
 *
 * Such a struct has a field `size` (weft/weft.h). The fields up to it, those of the first version, are always there.
 * Inside the library only what weft_options_read wrote is read.
 */
#ifndef WEFT_BASE_OPTIONS_H
#define WEFT_BASE_OPTIONS_H

#include "base/context.h"

/* What a struct of options has at least: all that ends with `size`. */
#define WEFT_OPTIONS_LEAST(type) (offsetof(type, size) + sizeof(size_t))

/* Copies the fields that the caller has and the library knows to `to`, of `known` bytes; the others are 0 there. given:
 * of `size` bytes as the caller says, or of `least` where that is 0. name: the struct's, for messages. Errors:
 * WEFT_ERR_USAGE for a size that no version has; WEFT_ERR_UNSUPPORTED when a field that only a newer library knows is
 * set. */
weft_status weft_options_read(weft_context *cx, const char *name, const void *given, size_t size, size_t least,
                              void *to, size_t known);

/* The same of *given into *to, both of `type`; NULL is all zero. */
#define WEFT_OPTIONS_READ(cx, type, given, to) \
    weft_options_read(cx, #type, given, (given) ? (given)->size : 0, WEFT_OPTIONS_LEAST(type), to, sizeof(type))

#endif
