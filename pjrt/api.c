/* api: the table of functions, and what all of them do first.
 *
 * A function is entered with a whole struct of arguments: what a caller of an older version lacks is zero, and what
 * such a caller has no room for is not written back (except for WHOLE in calls.def: their caller's size is too small).
 */
#include "pjrt/impl.h"

/* Fields that every version has: the size and the extensions. */
enum { SMALLEST = 2 * sizeof(size_t) };

typedef enum first { FREE, FIRST, WHOLE } first;

static pjrt_error *check(const char *name, const void *args, first handle) {
    if (!args) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "PJRT_%s: the arguments are NULL", name);
    size_t size;
    memcpy(&size, args, sizeof size);
    const size_t least = SMALLEST + (handle == FIRST ? sizeof(void *) : 0);
    if (size < least)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "Unexpected PJRT_%s_Args size: expected at least %zu, got %zu",
                              name, least, size);
    void *given = NULL;
    if (handle == FIRST) memcpy(&given, (const char *)args + SMALLEST, sizeof given);
    if (handle == FIRST && !given)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "PJRT_%s: its object is NULL", name);
    return NULL;
}

#define HAS(name, whole) pjrt_##name(whole)
#define LACKS(name, whole) ((void)(whole), pjrt_error_new(PJRT_UNIMPLEMENTED, "Weft's plugin has no PJRT_%s", #name))
#define CALL(name, handle, has, ...)                                      \
    static pjrt_error *enter_##name(pjrt_##name##_args *args) {           \
        pjrt_error *e = check(#name, args, handle);                       \
        if (e) return e;                                                  \
        if (handle == WHOLE || args->struct_size >= sizeof *args)         \
            return has(name, args);                                       \
        pjrt_##name##_args whole = { 0 };                                 \
        const size_t size = args->struct_size;                            \
        memcpy(&whole, args, size);                                       \
        e = has(name, &whole);                                            \
        memcpy(args, &whole, size);                                       \
        return e;                                                         \
    }
#include "pjrt/calls.def"

const pjrt_api *GetPjrtApi(void) {
    static const pjrt_api api = {
        .struct_size = sizeof api,
        .extensions = (pjrt_extension *)&pjrt_layouts,
        .version = { .struct_size = sizeof api.version, .major = PJRT_MAJOR, .minor = PJRT_MINOR },
#define CALL(name, ...) .name = enter_##name,
#include "pjrt/calls.def"
    };
    return &api;
}

/* --- the plugin as a whole --- */

pjrt_error *pjrt_Plugin_Initialize(pjrt_Plugin_Initialize_args *a) {
    (void)a;
    return NULL;
}

/* The newest versions that mlir/ reads: a framework writes the program so. */
pjrt_error *pjrt_Plugin_Attributes(pjrt_Plugin_Attributes_args *a) {
    static const int64_t stablehlo[] = { WEFT_VHLO_NEWEST_MAJOR, WEFT_VHLO_NEWEST_MINOR, 0 };
    static const int64_t oldest[] = { 0, 9, 0 }, sdy[] = { 0, 0, 1 };
#define TEXT(s) s, sizeof s - 1
#define HEAD(s) .struct_size = sizeof(pjrt_named_value), .name = s, .name_size = sizeof s - 1
    static const pjrt_named_value attributes[] = {
        { HEAD("stablehlo_current_version"), .type = PJRT_VALUE_INT64_LIST, .int64_array_value = stablehlo,
          .value_size = 3 },
        { HEAD("stablehlo_minimum_version"), .type = PJRT_VALUE_INT64_LIST, .int64_array_value = oldest,
          .value_size = 3 },
        { HEAD("sdy_current_version"), .type = PJRT_VALUE_INT64_LIST, .int64_array_value = sdy, .value_size = 3 },
        { HEAD("xla_version"), .type = PJRT_VALUE_INT64, .int64_value = 2, .value_size = 1 },
    };
    a->attributes = attributes;
    a->num_attributes = WEFT_COUNT(attributes);
    return NULL;
}
