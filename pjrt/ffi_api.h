/* ffi_api.h: XLA's foreign function interface, by which programs call functions of the process that runs them.
 *
 * A handler is a function of one pointer to a call frame: buffers of operands and results, attributes, and the table of
 * the functions that it may call. A target is up to four handlers, one for each stage: instantiate, once for each call
 * that a program has; prepare and initialize, once for each execution; execute. A handler that is called with the
 * metadata extension only says of which version of the interface it is. Structs begin with their size: those of the
 * functions' arguments as the handler knows them, the frame's as Weft does; a handler takes no frame of another size.
 *
 * The declarations are Weft's own, by the layout of version 0.3 (jaxlib 0.10.2, xla/ffi/api/c_api.h). tests/pjrt
 * compares sizes and offsets with jaxlib's header, and calls handlers that were compiled with it. Enumerations are
 * those of C, of the size of an int.
 */
#ifndef WEFT_PJRT_FFI_API_H
#define WEFT_PJRT_FFI_API_H

#include <stddef.h>
#include <stdint.h>

enum { FFI_MAJOR = 0, FFI_MINOR = 3, FFI_OLDEST_MINOR = 1 };

/* Up to and with its last field, without padding: how all of these structs state their size. */
#define FFI_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

typedef struct pjrt_error ffi_error; /* the plugin's own: pjrt/impl.h */
typedef struct ffi_future ffi_future;
typedef struct ffi_context ffi_context;

typedef enum ffi_stage { FFI_INSTANTIATE, FFI_PREPARE, FFI_INITIALIZE, FFI_EXECUTE, FFI_STAGES } ffi_stage;
typedef enum ffi_extension_type { FFI_METADATA = 1 } ffi_extension_type;
typedef enum ffi_kind { FFI_BUFFER = 1 } ffi_kind; /* of arguments and results */
typedef enum ffi_attr_kind { FFI_ARRAY = 1, FFI_DICTIONARY, FFI_SCALAR, FFI_STRING } ffi_attr_kind;

typedef struct ffi_extension {
    size_t struct_size;
    ffi_extension_type type;
    struct ffi_extension *next;
} ffi_extension;

typedef struct ffi_version {
    size_t struct_size;
    ffi_extension *extensions;
    int major, minor;
} ffi_version;

/* --- the call frame --- */

typedef struct ffi_span { const char *p; size_t n; } ffi_span;
typedef struct ffi_scalar { int dtype; const void *value; } ffi_scalar;
typedef struct ffi_array { int dtype; size_t count; const void *data; } ffi_array;

typedef struct ffi_buffer {
    size_t struct_size;
    ffi_extension *extensions;
    int dtype;
    void *data;
    int64_t rank;
    const int64_t *dims;
} ffi_buffer;

typedef struct ffi_values { /* arguments, and results */
    size_t struct_size;
    ffi_extension *extensions;
    int64_t count;
    ffi_kind *kinds;
    void **values;
} ffi_values;

typedef struct ffi_attrs { /* in the order of their names */
    size_t struct_size;
    ffi_extension *extensions;
    int64_t count;
    ffi_attr_kind *kinds;
    ffi_span **names;
    void **values;
} ffi_attrs;

typedef struct ffi_frame {
    size_t struct_size;
    ffi_extension *extensions;
    const struct ffi_api *api;
    ffi_context *context;
    ffi_stage stage;
    ffi_values arguments, results;
    ffi_attrs attributes;
    ffi_future *future;         /* out, not counted in the size: what the call's end is told by */
} ffi_frame;

typedef ffi_error *ffi_handler(ffi_frame *frame);
typedef struct ffi_bundle { ffi_handler *stage[FFI_STAGES]; } ffi_bundle;

typedef struct ffi_type_id { int64_t id; } ffi_type_id; /* 0: none */
typedef struct ffi_type_info {
    size_t struct_size;
    ffi_extension *extensions;
    void (*end)(void *object);
} ffi_type_info;

typedef struct ffi_metadata {
    size_t struct_size;
    ffi_version version;
    uint32_t traits;
    ffi_type_id state;
} ffi_metadata;

typedef struct ffi_metadata_extension { ffi_extension base; ffi_metadata *metadata; } ffi_metadata_extension;

/* --- the functions that a handler may call --- */

typedef void ffi_task(void *data);

/* FUNCTION(name, ERROR if it returns one or NOTHING, the last field that its arguments must have, fields) */
#define FFI_FUNCTIONS(FUNCTION) \
    FUNCTION(Error_Create, ERROR, code, const char *message; int code;) \
    FUNCTION(Error_GetMessage, NOTHING, message, ffi_error *error; const char *message;) \
    FUNCTION(Error_Destroy, NOTHING, error, ffi_error *error;) \
    FUNCTION(Handler_Register, ERROR, traits, ffi_span name; ffi_span platform; ffi_bundle bundle; \
             uint32_t traits;) \
    FUNCTION(Stream_Get, ERROR, stream, ffi_context *context; void *stream;) \
    FUNCTION(Type_Register, ERROR, type_id, ffi_span name; ffi_type_id *type_id; const ffi_type_info *info;) \
    FUNCTION(ExecutionContext_Get, ERROR, data, ffi_context *context; ffi_type_id *type_id; void *data;) \
    FUNCTION(State_Set, ERROR, type_id, ffi_context *context; int stage; ffi_type_id *type_id; void *state;) \
    FUNCTION(State_Get, ERROR, type_id, ffi_context *context; int stage; ffi_type_id *type_id; void *state;) \
    FUNCTION(DeviceMemory_Allocate, ERROR, data, ffi_context *context; size_t size; size_t alignment; \
             void *data;) \
    FUNCTION(DeviceMemory_Free, ERROR, data, ffi_context *context; size_t size; void *data;) \
    FUNCTION(ThreadPool_Schedule, ERROR, data, ffi_context *context; ffi_task *task; void *data;) \
    FUNCTION(ThreadPool_NumThreads, ERROR, count, ffi_context *context; int64_t *count;) \
    FUNCTION(Future_Create, ERROR, extensions, ffi_future *future;) \
    FUNCTION(Future_SetAvailable, ERROR, future, ffi_future *future;) \
    FUNCTION(Future_SetError, ERROR, error, ffi_future *future; ffi_error *error;) \
    FUNCTION(RunId_Get, ERROR, run_id, ffi_context *context; int64_t run_id;) \
    FUNCTION(DeviceOrdinal_Get, ERROR, device_ordinal, ffi_context *context; int32_t device_ordinal;)

#define FFI_ERROR ffi_error *
#define FFI_NOTHING void
#define FFI_ARGS(name, result, last, ...) \
    typedef struct ffi_##name##_args {     \
        size_t struct_size;                \
        ffi_extension *extensions;         \
        __VA_ARGS__                        \
    } ffi_##name##_args;
FFI_FUNCTIONS(FFI_ARGS)
#undef FFI_ARGS

/* State_Set's and State_Get's arguments before version 0.3, of the stage instantiate. Before 0.2 State_Set has `end`,
 * which types did not have then, and so the size of today's. */
typedef struct ffi_old_state_args {
    size_t struct_size;
    ffi_extension *extensions;
    ffi_context *context;
    ffi_type_id *type_id;
    void *state;
    void (*end)(void *state);
} ffi_old_state_args;

typedef struct ffi_api {
    size_t struct_size;
    ffi_extension *extensions;
    ffi_version version;
    const void *internal;       /* NULL: of XLA's own build */
#define FFI_FIELD(name, result, last, ...) FFI_##result (*name)(ffi_##name##_args *args);
    FFI_FUNCTIONS(FFI_FIELD)
#undef FFI_FIELD
} ffi_api;

/* Weft's table; registering is by process. */
__attribute__((visibility("default"))) const ffi_api *XLA_FFI_GetApi(void);

#endif
