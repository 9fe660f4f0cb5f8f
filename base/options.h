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
weft_status weft_options_read(weft_context *cx, const weft_loc *loc, const char *name, const void *given, size_t size,
                              size_t least, void *to, size_t known);

typedef enum weft_options_fault {
    WEFT_OPTIONS_FINE,
    WEFT_OPTIONS_BAD_SIZE,
    WEFT_OPTIONS_NEWER /* a field is set that only a newer library knows */
} weft_options_fault;

/* The same, for a caller that reports in its own way. */
weft_options_fault weft_options_copy(const void *given, size_t size, size_t least, void *to, size_t known);
#define WEFT_OPTIONS_BAD_SIZE_TEXT "%s.size is %zu: it has to be 0 or sizeof(%s)"
#define WEFT_OPTIONS_NEWER_TEXT "a field of %s is set that this version of Weft, %s, does not have"

/* From *given to *to, both of `type`; NULL is all zero. */
#define WEFT_OPTIONS_READ(cx, loc, type, given, to) \
    weft_options_read(cx, loc, #type, given, (given) ? (given)->size : 0, WEFT_OPTIONS_LEAST(type), to, sizeof(type))

#endif
