/* transfer: arrays from the host, to the host, and between devices.
 *
 * All memory is the host's. A copy whose source is there is done within the call; any other is done by the thread that
 * makes the source, when it has (then).
 */
#include <stdlib.h>
#include "pjrt/impl.h"

/* --- from the host --- */

static void tell(void *event) {
    pjrt_event_end(event, NULL);
    pjrt_event_release(event);
}

enum { LEAST_SHARED = 4096 }; /* bytes: of less, a copy costs less than what it takes to share it */

static bool may_share(const pjrt_Client_BufferFromHostBuffer_args *a, int64_t bytes, bool dense) {
    return dense && bytes >= LEAST_SHARED && (uintptr_t)a->data % WEFT_BUFFER_ALIGN == 0 &&
           (a->host_buffer_semantics == PJRT_HOST_ZERO_COPY || a->host_buffer_semantics == PJRT_HOST_MUTABLE_ZERO_COPY);
}

pjrt_error *pjrt_check_shape(uint32_t type, const int64_t *dims, size_t rank, weft_dtype *t, int64_t *bytes) {
    *t = pjrt_dtype_of(type);
    if (!*t) return pjrt_error_new(PJRT_UNIMPLEMENTED, "Weft has no arrays of element type %u", type);
    if (rank > WEFT_HOST_ARRAY_MAX_RANK || (rank && !dims))
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "an array has at most %d dimensions, not %zu",
                              WEFT_HOST_ARRAY_MAX_RANK, rank);
    *bytes = pjrt_bytes_of(*t, rank, dims);
    return *bytes < 0 ? pjrt_error_new(PJRT_INVALID_ARGUMENT, "the dimensions of the array are no size") : NULL;
}

static pjrt_error *no_room(int64_t bytes) {
    return pjrt_error_new(PJRT_RESOURCE_EXHAUSTED, "out of memory: an array of %lld bytes", (long long)bytes);
}

/* A layout on the device other than row-major is not there. */
static pjrt_error *check_layout(const pjrt_memory_layout *l, size_t item, size_t rank, const int64_t *dims) {
    int64_t strides[WEFT_HOST_ARRAY_MAX_RANK];
    pjrt_error *e = pjrt_layout_strides(l, item, rank, dims, strides);
    if (e || pjrt_is_dense(item, rank, dims, strides)) return e;
    return pjrt_error_new(PJRT_UNIMPLEMENTED, "Weft's arrays are row-major: it has no other layouts on devices");
}

pjrt_error *pjrt_Client_BufferFromHostBuffer(pjrt_Client_BufferFromHostBuffer_args *a) {
    pjrt_memory *m = pjrt_client_memory(a->client, a->device, a->memory);
    weft_dtype t;
    int64_t bytes;
    pjrt_error *e = pjrt_check_shape(a->type, a->dims, a->num_dims, &t, &bytes);
    if (!e && !m) e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "an array needs a device or a memory of this client");
    if (!e && bytes && !a->data) e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "the data of the array is NULL");
    if (!e && a->num_byte_strides && (!a->byte_strides || a->num_byte_strides != a->num_dims))
        e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "there are %zu strides for %zu dimensions", a->num_byte_strides,
                           a->num_dims);
    if (!e) e = check_layout(a->device_layout, weft_dtype_bytes(t), a->num_dims, a->dims);
    if (e) return e;
    const int64_t *strides = a->num_byte_strides ? a->byte_strides : NULL;
    const bool dense = pjrt_is_dense(weft_dtype_bytes(t), a->num_dims, a->dims, strides);
    const bool shared = may_share(a, bytes, dense);
    pjrt_event *done = shared ? pjrt_event_new() : pjrt_event_ready();
    if (!done) return pjrt_no_memory();
    pjrt_storage *s = shared ? pjrt_storage_foreign(m->device, (void *)a->data, bytes, tell, pjrt_event_retain(done))
                             : pjrt_storage_allocate(m->device, bytes);
    if (!s) {
        if (shared) pjrt_event_release(done);
        pjrt_event_release(done);
        return no_room(bytes);
    }
    if (!shared && dense && bytes) memcpy(s->at, a->data, (size_t)bytes);
    else if (!shared) pjrt_gather(weft_dtype_bytes(t), a->num_dims, a->dims, strides, a->data, s->at);
    a->buffer = pjrt_buffer_new(m, t, (uint32_t)a->num_dims, a->dims, s, pjrt_event_ready());
    if (!a->buffer) {
        pjrt_event_release(done);
        return pjrt_no_memory();
    }
    a->done_with_host_buffer = done;
    return NULL;
}

pjrt_error *pjrt_Client_CreateUninitializedBuffer(pjrt_Client_CreateUninitializedBuffer_args *a) {
    pjrt_memory *m = pjrt_client_memory(a->client, a->device, a->memory);
    weft_dtype t;
    int64_t bytes;
    pjrt_error *e = pjrt_check_shape(a->shape_element_type, a->shape_dims, a->shape_num_dims, &t, &bytes);
    if (!e && !m) e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "an array needs a device or a memory of this client");
    if (!e) e = check_layout(a->shape_layout, weft_dtype_bytes(t), a->shape_num_dims, a->shape_dims);
    if (e) return e;
    pjrt_storage *s = pjrt_storage_allocate(m->device, bytes);
    if (!s) return no_room(bytes);
    memset(s->at, 0, (size_t)bytes);
    a->buffer = pjrt_buffer_new(m, t, (uint32_t)a->shape_num_dims, a->shape_dims, s, pjrt_event_ready());
    return a->buffer ? NULL : pjrt_no_memory();
}

pjrt_error *pjrt_Client_CreateErrorBuffer(pjrt_Client_CreateErrorBuffer_args *a) {
    pjrt_memory *m = pjrt_client_memory(a->client, NULL, a->memory);
    weft_dtype t;
    int64_t bytes;
    pjrt_error *e = pjrt_check_shape(a->shape_element_type, a->shape_dims, a->shape_num_dims, &t, &bytes);
    if (!e && !m) e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "an array needs a memory of this client");
    if (!e && a->error_code == PJRT_OK) e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "an error has a code other than OK");
    if (e) return e;
    pjrt_event *failed =
        pjrt_event_failed(pjrt_error_given(a->error_code, a->error_message, a->error_message_size));
    a->buffer = pjrt_buffer_new(m, t, (uint32_t)a->shape_num_dims, a->shape_dims, pjrt_storage_allocate(m->device, 0),
                                failed);
    return a->buffer ? NULL : pjrt_no_memory();
}

typedef struct view { void (*call)(void *at, void *user); void *at, *user; } view;

static void end_view(void *user) {
    view v = *(view *)user;
    free(user);
    if (v.call) v.call(v.at, v.user);
}

/* Memory that programs cannot read where it is, for its alignment, is copied. */
pjrt_error *pjrt_Client_CreateViewOfDeviceBuffer(pjrt_Client_CreateViewOfDeviceBuffer_args *a) {
    pjrt_memory *m = pjrt_client_memory(a->client, a->device, a->memory);
    weft_dtype t;
    int64_t bytes;
    pjrt_error *e = pjrt_check_shape(a->element_type, a->dims, a->num_dims, &t, &bytes);
    if (!e && !m) e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "an array needs a device or a memory of this client");
    if (!e && bytes && !a->device_buffer_ptr)
        e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "the data of the array is NULL");
    if (!e) e = check_layout(a->layout, weft_dtype_bytes(t), a->num_dims, a->dims);
    if (e) return e;
    view *v = malloc(sizeof *v);
    if (!v) return pjrt_no_memory();
    *v = (view){ a->on_delete_callback, a->device_buffer_ptr, a->on_delete_callback_arg };
    const bool shared = (uintptr_t)a->device_buffer_ptr % WEFT_BUFFER_ALIGN == 0;
    pjrt_storage *s = shared ? pjrt_storage_foreign(m->device, a->device_buffer_ptr, bytes, end_view, v)
                             : pjrt_storage_allocate(m->device, bytes);
    if (!s) {
        free(v);
        return no_room(bytes);
    }
    if (!shared) {
        if (bytes) memcpy(s->at, a->device_buffer_ptr, (size_t)bytes);
        end_view(v);
    }
    a->buffer = pjrt_buffer_new(m, t, (uint32_t)a->num_dims, a->dims, s, pjrt_event_ready());
    return a->buffer ? NULL : pjrt_no_memory();
}

/* --- from devices --- */

/* One copy: of `bytes` at offset, dense; or of all with strides. */
typedef struct job {
    pjrt_storage *from;
    pjrt_storage *to_storage;        /* or NULL: to */
    char *to;
    int64_t offset, bytes;
    pjrt_event *done;
    size_t item, rank;               /* rank 0: dense */
    int64_t dims[2 * WEFT_HOST_ARRAY_MAX_RANK];
} job;

static void copy(const job *j) {
    if (!j->bytes) return;
    const char *from = (const char *)pjrt_storage_at(j->from) + j->offset;
    char *to = j->to_storage ? pjrt_storage_at(j->to_storage) : j->to;
    if (j->rank) pjrt_scatter(j->item, j->rank, j->dims, j->dims + WEFT_HOST_ARRAY_MAX_RANK, from, to);
    else memcpy(to, from, (size_t)j->bytes);
}

static void run(void *user, const pjrt_error *error) {
    job *j = user;
    if (!error) copy(j);
    pjrt_event *done = j->done;
    pjrt_storage_back(j->from);
    if (j->to_storage) pjrt_storage_back(j->to_storage);
    free(j);
    pjrt_event_end(done, pjrt_error_copy(error));
    pjrt_event_release(done);
}

/* A copy of what is there. */
static pjrt_error *copy_now(pjrt_buffer *b, job *j, pjrt_event **done) {
    pjrt_error *e = pjrt_buffer_hold(b, &j->from);
    if (e) return e;
    copy(j);
    pjrt_storage_release(j->from);
    *done = pjrt_event_ready();
    return NULL;
}

/* Starts the copy j, which is the template of a job, from b; *done: when it is over. */
static pjrt_error *start(pjrt_buffer *b, job *template, pjrt_event **done) {
    if (pjrt_event_is_done(b->ready) && !pjrt_event_wait(b->ready)) return copy_now(b, template, done);
    job *j = malloc(sizeof *j);
    pjrt_error *e = j ? NULL : pjrt_no_memory();
    if (e) return e;
    *j = *template;
    e = pjrt_buffer_hold(b, &j->from);
    if (!e && !(j->done = pjrt_event_new())) e = pjrt_no_memory();
    if (!e) {
        if (j->to_storage) pjrt_storage_retain(j->to_storage);
        *done = pjrt_event_retain(j->done);
        if (pjrt_event_then(b->ready, run, j)) return NULL;
        if (j->to_storage) pjrt_storage_release(j->to_storage);
        pjrt_event_release(*done);
        *done = NULL;
        e = pjrt_no_memory();
    }
    pjrt_event_release(j->done);
    pjrt_storage_release(j->from);
    free(j);
    return e;
}

pjrt_error *pjrt_Buffer_ToHostBuffer(pjrt_Buffer_ToHostBuffer_args *a) {
    pjrt_buffer *b = a->src;
    if (!a->dst) {
        a->dst_size = (size_t)b->bytes;
        return NULL;
    }
    if (a->dst_size < (size_t)b->bytes)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the array has %lld bytes, there is room for %zu",
                              (long long)b->bytes, a->dst_size);
    job j = { .to = a->dst, .bytes = b->bytes, .item = weft_dtype_bytes(b->dtype), .rank = b->rank };
    if (b->rank) memcpy(j.dims, b->dims, b->rank * sizeof *b->dims);
    pjrt_error *e = pjrt_layout_strides(a->host_layout, j.item, b->rank, b->dims, j.dims + WEFT_HOST_ARRAY_MAX_RANK);
    if (e) return e;
    if (pjrt_is_dense(j.item, b->rank, b->dims, j.dims + WEFT_HOST_ARRAY_MAX_RANK)) j.rank = 0;
    return start(b, &j, &a->event);
}

pjrt_error *pjrt_Buffer_CopyRawToHost(pjrt_Buffer_CopyRawToHost_args *a) {
    pjrt_buffer *b = a->buffer;
    if (a->offset < 0 || a->transfer_size < 0 || a->offset > b->bytes || a->transfer_size > b->bytes - a->offset)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the array has %lld bytes, not %lld from %lld on",
                              (long long)b->bytes, (long long)a->transfer_size, (long long)a->offset);
    if (a->transfer_size && !a->dst) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the memory to copy to is NULL");
    return start(b, &(job){ .to = a->dst, .offset = a->offset, .bytes = a->transfer_size }, &a->event);
}

static pjrt_error *copy_to(pjrt_buffer *b, pjrt_memory *m, pjrt_buffer **out) {
    pjrt_event *done = NULL;
    if (!pjrt_client_memory(b->client, NULL, m))
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "an array is copied to a memory of its own client's devices");
    pjrt_storage *s = pjrt_storage_allocate(m->device, b->bytes);
    if (!s) return no_room(b->bytes);
    pjrt_error *e = start(b, &(job){ .to_storage = s, .bytes = b->bytes }, &done);
    if (e) {
        pjrt_storage_release(s);
        return e;
    }
    if (pjrt_event_is_done(done) && !pjrt_event_wait(done)) {
        pjrt_event_release(done);
        done = pjrt_event_ready();
    }
    *out = pjrt_buffer_new(m, b->dtype, b->rank, b->dims, s, done);
    return *out ? NULL : pjrt_no_memory();
}

pjrt_error *pjrt_Buffer_CopyToMemory(pjrt_Buffer_CopyToMemory_args *a) {
    if (!a->dst_memory) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the memory to copy to is NULL");
    return copy_to(a->buffer, a->dst_memory, &a->dst_buffer);
}

pjrt_error *pjrt_Buffer_CopyToDevice(pjrt_Buffer_CopyToDevice_args *a) {
    if (!a->dst_device) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the device to copy to is NULL");
    return copy_to(a->buffer, &a->dst_device->memories[PJRT_MEMORY_DEVICE], &a->dst_buffer);
}
