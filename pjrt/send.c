/* send: arrays that a framework fills piece by piece (AsyncHostToDeviceTransferManager). */
#include <stdlib.h>
#include "pjrt/impl.h"

typedef struct piece {
    weft_dtype dtype;
    uint32_t rank;
    int64_t bytes, dims[WEFT_HOST_ARRAY_MAX_RANK];
    pjrt_storage *storage;
    pjrt_event *ready;
    bool over;                       /* its last part came, or an error */
} piece;

struct pjrt_transfer {
    pjrt_memory *memory;
    pthread_mutex_t lock;            /* guards over of all */
    size_t count;
    piece pieces[];
};

/* Who waits for what never came is told so. */
static void end(pjrt_transfer *t) {
    for (size_t i = 0; i < t->count; i++) {
        piece *p = &t->pieces[i];
        if (p->ready && !p->over)
            pjrt_event_end(p->ready, pjrt_error_new(PJRT_CANCELLED, "the transfer ended before all of the array came"));
        pjrt_event_release(p->ready);
        pjrt_storage_release(p->storage);
    }
    pjrt_client *c = t->memory->device->client;
    pthread_mutex_destroy(&t->lock);
    free(t);
    pjrt_client_release(c);
}

static pjrt_error *describe(const pjrt_shape_spec *s, pjrt_memory *m, piece *p) {
    pjrt_error *e = pjrt_check_shape(s->element_type, s->dims, s->num_dims, &p->dtype, &p->bytes);
    if (e) return e;
    p->rank = (uint32_t)s->num_dims;
    if (p->rank) memcpy(p->dims, s->dims, p->rank * sizeof *p->dims);
    p->storage = pjrt_storage_allocate(m->device, p->bytes);
    p->ready = pjrt_event_new();
    return p->storage && p->ready ? NULL : pjrt_no_memory();
}

pjrt_error *pjrt_Client_CreateBuffersForAsyncHostToDevice(pjrt_Client_CreateBuffersForAsyncHostToDevice_args *a) {
    pjrt_memory *m = pjrt_client_memory(a->client, NULL, a->memory);
    pjrt_error *e = NULL;
    if (!m) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "arrays need a memory of this client");
    if (a->num_shape_specs && !a->shape_specs)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the shapes of the arrays are NULL");
    pjrt_transfer *t = calloc(1, sizeof *t + a->num_shape_specs * sizeof *t->pieces);
    if (!t) return pjrt_no_memory();
    t->memory = m;
    t->count = a->num_shape_specs;
    pthread_mutex_init(&t->lock, NULL);
    pjrt_client_retain(a->client);
    for (size_t i = 0; i < t->count && !e; i++) e = describe(&a->shape_specs[i], m, &t->pieces[i]);
    if (e) end(t);
    else a->transfer_manager = t;
    return e;
}

pjrt_error *pjrt_AsyncHostToDeviceTransferManager_Destroy(pjrt_AsyncHostToDeviceTransferManager_Destroy_args *a) {
    if (a->transfer_manager) end(a->transfer_manager);
    return NULL;
}

static pjrt_error *piece_of(pjrt_transfer *t, int index, piece **out) {
    if (index < 0 || (size_t)index >= t->count)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "there is no array %d: the transfer has %zu", index, t->count);
    *out = &t->pieces[index];
    return NULL;
}

/* false: it was over before. */
static bool set_over(pjrt_transfer *t, piece *p) {
    pthread_mutex_lock(&t->lock);
    const bool first = !p->over;
    p->over = true;
    pthread_mutex_unlock(&t->lock);
    return first;
}

pjrt_error *pjrt_AsyncHostToDeviceTransferManager_TransferData(
    pjrt_AsyncHostToDeviceTransferManager_TransferData_args *a) {
    piece *p;
    pjrt_error *e = piece_of(a->transfer_manager, a->buffer_index, &p);
    if (e) return e;
    if (a->offset < 0 || a->transfer_size < 0 || a->offset > p->bytes || a->transfer_size > p->bytes - a->offset)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the array has %lld bytes, not %lld from %lld on",
                              (long long)p->bytes, (long long)a->transfer_size, (long long)a->offset);
    if (a->transfer_size && !a->data) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the data of the array is NULL");
    if (pjrt_event_is_done(p->ready)) return pjrt_error_new(PJRT_FAILED_PRECONDITION, "all of the array has come");
    if (a->transfer_size) memcpy((char *)p->storage->at + a->offset, a->data, (size_t)a->transfer_size);
    if (a->is_last_transfer && set_over(a->transfer_manager, p)) pjrt_event_end(p->ready, NULL);
    a->done_with_h2d_transfer = pjrt_event_ready();
    return NULL;
}

pjrt_error *pjrt_AsyncHostToDeviceTransferManager_RetrieveBuffer(
    pjrt_AsyncHostToDeviceTransferManager_RetrieveBuffer_args *a) {
    piece *p;
    pjrt_error *e = piece_of(a->transfer_manager, a->buffer_index, &p);
    if (e) return e;
    a->buffer_out = pjrt_buffer_new(a->transfer_manager->memory, p->dtype, p->rank, p->dims,
                                    pjrt_storage_retain(p->storage), pjrt_event_retain(p->ready));
    return a->buffer_out ? NULL : pjrt_no_memory();
}

pjrt_error *pjrt_AsyncHostToDeviceTransferManager_Device(pjrt_AsyncHostToDeviceTransferManager_Device_args *a) {
    a->device_out = a->transfer_manager->memory->device;
    return NULL;
}

pjrt_error *pjrt_AsyncHostToDeviceTransferManager_BufferCount(
    pjrt_AsyncHostToDeviceTransferManager_BufferCount_args *a) {
    a->buffer_count = a->transfer_manager->count;
    return NULL;
}

pjrt_error *pjrt_AsyncHostToDeviceTransferManager_BufferSize(pjrt_AsyncHostToDeviceTransferManager_BufferSize_args *a) {
    piece *p;
    pjrt_error *e = piece_of(a->transfer_manager, a->buffer_index, &p);
    if (!e) a->buffer_size = (size_t)p->bytes;
    return e;
}

pjrt_error *pjrt_AsyncHostToDeviceTransferManager_SetBufferError(
    pjrt_AsyncHostToDeviceTransferManager_SetBufferError_args *a) {
    piece *p;
    pjrt_error *e = piece_of(a->transfer_manager, a->buffer_index, &p);
    if (e) return e;
    if (!set_over(a->transfer_manager, p)) return pjrt_error_new(PJRT_FAILED_PRECONDITION, "all of the array has come");
    pjrt_event_end(p->ready, pjrt_error_given(a->error_code, a->error_message, a->error_message_size));
    return NULL;
}

pjrt_error *pjrt_AsyncHostToDeviceTransferManager_AddMetadata(
    pjrt_AsyncHostToDeviceTransferManager_AddMetadata_args *a) {
    (void)a;
    return NULL;
}
