/* api.h: the PJRT C API, by which JAX and other front ends call a backend that they load as a shared library.
 *
 * Its one exported function, GetPjrtApi, gives a table of functions (calls.def). Each takes one pointer to a struct of
 * arguments, in which it also leaves its results, and returns NULL or an error, which is the caller's to destroy. Every
 * struct begins with its size as the caller knows it: a caller of another version has fewer fields or more, and what it
 * lacks is neither read nor written. api.c sees to that for all functions. Versions with the same major number only add
 * functions and fields at the end.
 *
 * The declarations are Weft's own, by the layout of version 0.112; tests/pjrt/test_layout.py compares sizes and offsets
 * with another binding. Handles are opaque to frameworks; impl.h has their structs.
 */
#ifndef WEFT_PJRT_API_H
#define WEFT_PJRT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJRT_MAJOR = 0, PJRT_MINOR = 112 };

typedef struct pjrt_error pjrt_error;
typedef struct pjrt_event pjrt_event;
typedef struct pjrt_client pjrt_client;
typedef struct pjrt_device pjrt_device;
typedef struct pjrt_device_description pjrt_device_description;
typedef struct pjrt_memory pjrt_memory;
typedef struct pjrt_executable pjrt_executable;
typedef struct pjrt_loaded pjrt_loaded;
typedef struct pjrt_buffer pjrt_buffer;
typedef struct pjrt_topology pjrt_topology;
typedef struct pjrt_execute_context pjrt_execute_context;
typedef struct pjrt_transfer pjrt_transfer;
typedef struct pjrt_tracking_event pjrt_tracking_event;
typedef struct pjrt_process_info pjrt_process_info;

/* absl's codes. */
typedef enum pjrt_code {
    PJRT_OK,
    PJRT_CANCELLED,
    PJRT_UNKNOWN,
    PJRT_INVALID_ARGUMENT,
    PJRT_DEADLINE_EXCEEDED,
    PJRT_NOT_FOUND,
    PJRT_ALREADY_EXISTS,
    PJRT_PERMISSION_DENIED,
    PJRT_RESOURCE_EXHAUSTED,
    PJRT_FAILED_PRECONDITION,
    PJRT_ABORTED,
    PJRT_OUT_OF_RANGE,
    PJRT_UNIMPLEMENTED,
    PJRT_INTERNAL,
    PJRT_UNAVAILABLE,
    PJRT_DATA_LOSS,
    PJRT_UNAUTHENTICATED
} pjrt_code;

typedef enum pjrt_value_type {
    PJRT_VALUE_STRING,
    PJRT_VALUE_INT64,
    PJRT_VALUE_INT64_LIST,
    PJRT_VALUE_FLOAT,
    PJRT_VALUE_BOOL
} pjrt_value_type;

/* How long Weft may read the host's memory of which a buffer is made. */
typedef enum pjrt_host_semantics {
    PJRT_HOST_DURING_CALL,      /* during the call */
    PJRT_HOST_UNTIL_COPIED,     /* until the event of its end */
    PJRT_HOST_ZERO_COPY,        /* the same; it is not written until then, so it may be the buffer's memory */
    PJRT_HOST_MUTABLE_ZERO_COPY /* it may be the buffer's memory, which programs may write */
} pjrt_host_semantics;

typedef enum pjrt_layout_type { PJRT_LAYOUT_TILED, PJRT_LAYOUT_STRIDES } pjrt_layout_type;

enum { PJRT_EXTENSION_LAYOUTS = 4, PJRT_EXTENSION_SHARDINGS = 19 };

typedef struct pjrt_extension {
    size_t struct_size;
    uint32_t type;
    struct pjrt_extension *next;
} pjrt_extension;

typedef struct pjrt_named_value {
    size_t struct_size;
    pjrt_extension *extensions;
    const char *name;
    size_t name_size;
    uint32_t type;              /* pjrt_value_type */
    union {
        const char *string_value;
        int64_t int64_value;
        const int64_t *int64_array_value;
        float float_value;
        bool bool_value;
    };
    size_t value_size;          /* of texts and lists; 1 for all others */
} pjrt_named_value;

typedef struct pjrt_program {
    size_t struct_size;
    pjrt_extension *extensions;
    char *code;
    size_t code_size;
    const char *format;         /* "mlir" */
    size_t format_size;
} pjrt_program;

typedef struct pjrt_memory_layout {
    size_t struct_size;
    pjrt_extension *extensions;
    union {
        struct {
            size_t struct_size;
            pjrt_extension *extensions;
            const int64_t *minor_to_major;
            size_t minor_to_major_size;
            const int64_t *tile_dims;
            const size_t *tile_dim_sizes;
            size_t num_tiles;
        } tiled;
        struct {
            size_t struct_size;
            pjrt_extension *extensions;
            const int64_t *byte_strides;
            size_t num_byte_strides;
        } strides;
    };
    uint32_t type;              /* pjrt_layout_type */
} pjrt_memory_layout;

typedef struct pjrt_shape_spec {
    size_t struct_size;
    pjrt_extension *extensions;
    const int64_t *dims;
    size_t num_dims;
    uint32_t element_type;
} pjrt_shape_spec;

typedef struct pjrt_logical_ids { int32_t replica, partition; } pjrt_logical_ids;

typedef struct pjrt_execute_options {
    size_t struct_size;
    pjrt_extension *extensions;
    void **send_callbacks, **recv_callbacks;
    size_t num_send_ops, num_recv_ops;
    int launch_id;
    const int64_t *non_donatable_input_indices;
    size_t num_non_donatable_input_indices;
    pjrt_execute_context *context;
    const char *call_location;
    size_t num_tasks;
    int *task_ids;
    int64_t *incarnation_ids;
    void *multi_slice_config;
    bool use_major_to_minor_data_layout_for_callbacks;
    void *hlo_output_callbacks;
    size_t num_hlo_output_callbacks;
} pjrt_execute_options;

/* A framework reads errors that reach it without a call through their first word. */
typedef bool pjrt_payload_visitor(const char *key, size_t key_size, const char *value, size_t value_size, void *user);
typedef struct pjrt_error_table {
    size_t struct_size, instance_size;
    pjrt_extension *extensions;
    void (*destroy)(pjrt_error *e);
    void (*message)(const pjrt_error *e, const char **text, size_t *size);
    uint32_t (*get_code)(const pjrt_error *e);
    void (*for_each_payload)(const pjrt_error *e, pjrt_payload_visitor *visitor, void *user);
} pjrt_error_table;

/* What a framework keeps with a memory, by keys of its own. */
typedef struct pjrt_memory_table {
    size_t struct_size;
    pjrt_extension *extensions;
    size_t instance_struct_size;
    void *(*get_user_data)(pjrt_memory *m, const void *key);
    void (*set_user_data)(pjrt_memory *m, const void *key, void *data, void (*end)(void *data));
} pjrt_memory_table;

typedef void pjrt_on_ready(pjrt_error *error, void *user); /* the error is the callback's */
typedef void pjrt_deleter(void *what);

/* How a process of a job fares, as the framework sees it. */
enum { PJRT_PROCESS_FAILED = 4 };
struct pjrt_process_info {
    size_t struct_size;
    int process;
    uint64_t incarnation;
    uint32_t state;
    int error_code;
    const char *error_message;
    size_t error_message_size;
};

/* The frameworks' store of keys and values, which all processes of a job share. */
typedef pjrt_error *pjrt_callback_error(uint32_t code, const char *message, size_t size);
typedef struct pjrt_kv_get_args {
    size_t struct_size;
    pjrt_extension *extensions;
    const char *key;
    size_t key_size;
    int timeout_in_ms;
    pjrt_callback_error *const *callback_error;
    void *user;
    char *value;
    size_t value_size;
    void (*delete_value)(char *value);
} pjrt_kv_get_args;
typedef struct pjrt_kv_put_args {
    size_t struct_size;
    pjrt_extension *extensions;
    const char *key;
    size_t key_size;
    const char *value;
    size_t value_size;
    pjrt_callback_error *const *callback_error;
    void *user;
} pjrt_kv_put_args;
typedef pjrt_error *pjrt_kv_get(pjrt_kv_get_args *args);
typedef pjrt_error *pjrt_kv_put(pjrt_kv_put_args *args);
typedef pjrt_error *pjrt_kv_try_get(void *args);

/* --- arguments, and the table --- */

#define CALL(name, first, has, ...) \
    typedef struct pjrt_##name##_args {     \
        size_t struct_size;                 \
        pjrt_extension *extensions;         \
        __VA_ARGS__                         \
    } pjrt_##name##_args;
#include "pjrt/calls.def"

typedef struct pjrt_version { size_t struct_size; pjrt_extension *extensions; int major, minor; } pjrt_version;

typedef struct pjrt_api {
    size_t struct_size;
    pjrt_extension *extensions;
    pjrt_version version;
#define CALL(name, ...) pjrt_error *(*name)(pjrt_##name##_args *args);
#include "pjrt/calls.def"
} pjrt_api;

/* --- extensions --- */

typedef struct pjrt_shardings_args {
    size_t struct_size;
    pjrt_extension *extensions;
    pjrt_executable *executable;
    size_t count;
    const char *const *shardings;        /* serialised OpShardings; NULL: nothing is known */
    const size_t *sizes;
} pjrt_shardings_args;
typedef struct pjrt_shardings_extension {
    pjrt_extension base;
    pjrt_error *(*parameters)(pjrt_shardings_args *args);
    pjrt_error *(*outputs)(pjrt_shardings_args *args);
} pjrt_shardings_extension;

typedef struct pjrt_layout pjrt_layout;  /* how an array lies on a device */
typedef struct pjrt_layout_destroy_args {
    size_t struct_size;
    pjrt_extension *extensions;
    pjrt_layout *layout;
} pjrt_layout_destroy_args;
typedef struct pjrt_layout_serialize_args {
    size_t struct_size;
    pjrt_extension *extensions;
    const pjrt_layout *layout;
    const char *serialized_bytes;        /* XLA's text: dimensions from the fastest to the slowest */
    size_t serialized_bytes_size;
    void *serialized_layout;
    void (*serialized_layout_deleter)(void *serialized_layout);
} pjrt_layout_serialize_args;
typedef struct pjrt_layout_default_args {
    size_t struct_size;
    pjrt_extension *extensions;
    void *owner;                         /* the client, or the topology */
    uint32_t type;
    const int64_t *dims; size_t num_dims;
    const pjrt_layout *layout;
} pjrt_layout_default_args;
typedef struct pjrt_layout_buffer_args {
    size_t struct_size;
    pjrt_extension *extensions;
    pjrt_buffer *buffer;
    const pjrt_layout *layout;
} pjrt_layout_buffer_args;
typedef struct pjrt_layouts_args {
    size_t struct_size;
    pjrt_extension *extensions;
    pjrt_executable *executable;
    size_t count;
    const pjrt_layout *const *layouts;
} pjrt_layouts_args;
typedef struct pjrt_layouts_extension {
    pjrt_extension base;
    pjrt_error *(*destroy)(pjrt_layout_destroy_args *args);
    pjrt_error *(*serialize)(pjrt_layout_serialize_args *args);
    pjrt_error *(*client_default)(pjrt_layout_default_args *args);
    pjrt_error *(*buffer)(pjrt_layout_buffer_args *args);
    pjrt_error *(*topology_default)(pjrt_layout_default_args *args);
    pjrt_error *(*outputs)(pjrt_layouts_args *args);
    pjrt_error *(*parameters)(pjrt_layouts_args *args);
} pjrt_layouts_extension;

__attribute__((visibility("default"))) const pjrt_api *GetPjrtApi(void);

#endif
