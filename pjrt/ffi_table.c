/* ffi_table: the functions that handlers call (ffi_api.h).
 *
 * A handler may be of another version: the size of a function's arguments says whether they have all that is read.
 */
#include <stdlib.h>
#include "pjrt/ffi.h"

struct ffi_future {
    pthread_mutex_t lock;            /* guards what follows */
    pthread_cond_t told;
    bool done;
    ffi_error *error;
};

/* --- errors --- */

static ffi_error *too_small(const char *name, size_t least, size_t size) {
    return pjrt_error_new(PJRT_INVALID_ARGUMENT, "XLA_FFI_%s: its arguments have %zu bytes, of %zu or more", name, size,
                          least);
}

/* A code that PJRT does not have is one of an unknown error. */
static ffi_error *Error_Create(ffi_Error_Create_args *a) {
    const bool known = a->code > PJRT_OK && a->code <= PJRT_UNAUTHENTICATED;
    return pjrt_error_given(known ? (uint32_t)a->code : PJRT_UNKNOWN, a->message, a->message ? strlen(a->message) : 0);
}

static void Error_GetMessage(ffi_Error_GetMessage_args *a) { a->message = a->error ? a->error->text : ""; }
static void Error_Destroy(ffi_Error_Destroy_args *a) { pjrt_error_free(a->error); }

/* --- registering --- */

static ffi_error *Handler_Register(ffi_Handler_Register_args *a) { return pjrt_ffi_register(a); }
static ffi_error *Type_Register(ffi_Type_Register_args *a) { return pjrt_ffi_register_type(a); }

/* --- of a call --- */

static ffi_error *Stream_Get(ffi_Stream_Get_args *a) {
    (void)a;
    return pjrt_error_new(PJRT_UNIMPLEMENTED, "Weft's devices have no streams");
}

static ffi_error *ExecutionContext_Get(ffi_ExecutionContext_Get_args *a) {
    return pjrt_error_new(PJRT_NOT_FOUND, "the execution has no data of the type with number %lld",
                          (long long)(a->type_id ? a->type_id->id : 0));
}

static pjrt_ffi_state *state_of(const ffi_context *c, int stage) {
    switch (stage) {
    case FFI_INSTANTIATE: return c->site ? &c->site->instance : NULL;
    case FFI_PREPARE: return c->turn ? &c->turn->prepared : NULL;
    case FFI_INITIALIZE: return c->turn ? &c->turn->initialized : NULL;
    default: return NULL;
    }
}

static ffi_error *no_state(int stage) {
    return pjrt_error_new(PJRT_FAILED_PRECONDITION, "there is no state of the stage with number %d here", stage);
}

/* The arguments of any version. */
typedef struct state_args {
    ffi_context *context;
    int stage;
    ffi_type_id *type_id;
    void **state;                    /* the caller's field */
    void (*end)(void *state);        /* of State_Set before 0.2; else NULL */
} state_args;

static ffi_error *read_state_args(const char *name, void *args, state_args *out) {
    ffi_State_Set_args *a = args;
    ffi_old_state_args *old = args;
    const size_t least = FFI_SIZE(ffi_State_Set_args, state);
    const bool oldest = old->struct_size == sizeof *old && old->context->site->minor == FFI_OLDEST_MINOR;
    if (oldest || old->struct_size == FFI_SIZE(ffi_old_state_args, state)) {
        *out = (state_args){ old->context, FFI_INSTANTIATE, old->type_id, &old->state, oldest ? old->end : NULL };
        return NULL;
    }
    *out = (state_args){ a->context, a->stage, a->type_id, &a->state, NULL };
    return a->struct_size < least ? too_small(name, least, a->struct_size) : NULL;
}

static ffi_error *State_Set(ffi_State_Set_args *args) {
    state_args a;
    ffi_error *e = read_state_args("State_Set", args, &a);
    if (e) return e;
    pjrt_ffi_state *s = state_of(a.context, a.stage);
    if (!s) return no_state(a.stage);
    if ((int)a.context->stage != a.stage)
        return pjrt_error_new(PJRT_FAILED_PRECONDITION, "a handler sets the state of its own stage only");
    if (s->object) return pjrt_error_new(PJRT_FAILED_PRECONDITION, "the state of this stage is set already");
    if (!a.type_id || (!a.end && !pjrt_ffi_type_end(a.type_id->id, &a.end)))
        return pjrt_error_new(PJRT_NOT_FOUND,
                              "the state's type is not registered with Weft: jax.ffi.register_ffi_type does that");
    *s = (pjrt_ffi_state){ a.type_id->id, *a.state, a.end };
    return NULL;
}

static ffi_error *State_Get(ffi_State_Get_args *args) {
    state_args a;
    ffi_error *e = read_state_args("State_Get", args, &a);
    if (e) return e;
    const pjrt_ffi_state *s = state_of(a.context, a.stage);
    if (!s) return no_state(a.stage);
    if (!s->object) return pjrt_error_new(PJRT_NOT_FOUND, "the state of this stage is not set");
    if (!a.type_id || s->type != a.type_id->id)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the state of this stage is of another type");
    *a.state = s->object;
    return NULL;
}

static ffi_error *DeviceMemory_Allocate(ffi_DeviceMemory_Allocate_args *a) {
    const size_t align = a->alignment > WEFT_BUFFER_ALIGN ? a->alignment : WEFT_BUFFER_ALIGN;
    void *at = NULL;
    if (a->alignment & (a->alignment - 1))
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "no alignment of memory: %zu", a->alignment);
    if (posix_memalign(&at, align, a->size ? a->size : 1))
        return pjrt_error_new(PJRT_RESOURCE_EXHAUSTED, "there is no room for %zu bytes", a->size);
    a->data = at;
    return NULL;
}

static ffi_error *DeviceMemory_Free(ffi_DeviceMemory_Free_args *a) {
    free(a->data);
    return NULL;
}

static ffi_error *no_device(void) {
    return pjrt_error_new(PJRT_FAILED_PRECONDITION, "a call is not made on a device while it is instantiated");
}

static ffi_error *ThreadPool_Schedule(ffi_ThreadPool_Schedule_args *a) {
    const ffi_context *c = a->context;
    if (!c->program) return no_device();
    pjrt_ffi_schedule(c->program->crew->pools, c->device, c->program->threads - 1, a->task, a->data);
    return NULL;
}

/* The device's own thread waits, or works beside them. */
static ffi_error *ThreadPool_NumThreads(ffi_ThreadPool_NumThreads_args *a) {
    if (!a->context->program) return no_device();
    *a->count = weft_max_i64(a->context->program->threads - 1, 1);
    return NULL;
}

static ffi_error *RunId_Get(ffi_RunId_Get_args *a) {
    if (!a->context->env) return no_device();
    a->run_id = (int64_t)a->context->env->execution;
    return NULL;
}

static ffi_error *DeviceOrdinal_Get(ffi_DeviceOrdinal_Get_args *a) {
    const ffi_context *c = a->context;
    if (!c->program) return no_device();
    const pjrt_crew *crew = c->program->crew;
    a->device_ordinal = crew->client->devices[crew->devices[crew->mine[c->device]]]->local;
    return NULL;
}

/* --- futures --- */

static ffi_error *Future_Create(ffi_Future_Create_args *a) {
    ffi_future *f = calloc(1, sizeof *f);
    if (!f) return pjrt_no_memory();
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->told, NULL);
    a->future = f;
    return NULL;
}

static void end_future(ffi_future *f, ffi_error *e) {
    pthread_mutex_lock(&f->lock);
    if (f->done) pjrt_error_free(e);
    else f->error = e;
    f->done = true;
    pthread_cond_signal(&f->told);
    pthread_mutex_unlock(&f->lock);
}

static ffi_error *Future_SetAvailable(ffi_Future_SetAvailable_args *a) {
    end_future(a->future, NULL);
    return NULL;
}

static ffi_error *Future_SetError(ffi_Future_SetError_args *a) {
    if (!a->error) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "a future fails without an error");
    end_future(a->future, a->error);
    return NULL;
}

ffi_error *pjrt_ffi_future_wait(ffi_future *f) {
    pthread_mutex_lock(&f->lock);
    while (!f->done) pthread_cond_wait(&f->told, &f->lock);
    ffi_error *e = f->error;
    pthread_mutex_unlock(&f->lock);
    pthread_cond_destroy(&f->told);
    pthread_mutex_destroy(&f->lock);
    free(f);
    return e;
}

/* --- the table --- */

#define ENTER_NOTHING(name, last) static void enter_##name(ffi_##name##_args *a) { name(a); }
#define ENTER_ERROR(name, last)                                                                \
    static ffi_error *enter_##name(ffi_##name##_args *a) {                                     \
        const size_t least = FFI_SIZE(ffi_##name##_args, last);                                \
        return a->struct_size < least ? too_small(#name, least, a->struct_size) : name(a);     \
    }
#define ENTER(name, result, last, ...) ENTER_##result(name, last)
FFI_FUNCTIONS(ENTER)

const ffi_api pjrt_ffi_api = {
    .struct_size = sizeof pjrt_ffi_api,
    .version = { .struct_size = FFI_SIZE(ffi_version, minor), .major = FFI_MAJOR, .minor = FFI_MINOR },
#define ENTRY(name, ...) .name = enter_##name,
    FFI_FUNCTIONS(ENTRY)
};

const ffi_api *XLA_FFI_GetApi(void) { return &pjrt_ffi_api; }
