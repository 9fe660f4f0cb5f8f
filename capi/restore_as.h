/* restore_as.h: arrays of a state in files that lay them out in another way (weft_stored_as). */
#ifndef WEFT_CAPI_RESTORE_AS_H
#define WEFT_CAPI_RESTORE_AS_H

#include <weft/checkpoint.h>
#include "capi/array_impl.h"
#include "runtime/checkpoint.h"

/* Where one array of the state is: its first `stacked` dimensions count `parts`, and along each of the others the
 * elements of a part are `file` apart. */
typedef struct weft_restore_view {
    const weft_saved_array *const *parts;
    uint32_t stacked;
    const int64_t *file;
    int64_t first;                       /* element of a part, for the array's element 0, 0, ... */
} weft_restore_view;

typedef struct weft_restore_as {
    weft_context *cx;
    weft_source at;
    const weft_saved *saved;
    const weft_stored_as *rows;
    size_t n;
    const char *prefix;
    bool *is_used;                       /* of each row: it is for an array of the state */
} weft_restore_as;

/* Checks the rows by themselves. In the context's scratch arena. */
weft_status weft_restore_as_begin(weft_restore_as *r);
/* The rows that are for an array of this name are in use. Whether there are any. */
bool weft_restore_as_names(weft_restore_as *r, const char *name);
/* Finds an array that has a row. */
weft_status weft_restore_as_find(weft_restore_as *r, const char *name, const weft_kind *kind,
                                 weft_restore_view **out);
/* Reports a row that is for no array; names are those that there are. */
weft_status weft_restore_as_end(weft_restore_as *r, const weft_name *names, size_t n);
/* A part of the array. */
weft_status weft_restore_as_read(const weft_restore_as *r, const weft_restore_view *v, const weft_kind *kind,
                                 const weft_part *part);

#endif
