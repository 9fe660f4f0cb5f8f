/* buffer: one device's arrays, and what a framework asks them. */
#include <stdlib.h>
#include "pjrt/impl.h"

/* --- element types --- */

static const weft_dtype dtypes[] = {
    [1] = WEFT_I1,
    [2] = WEFT_I8,
    [3] = WEFT_I16,
    [4] = WEFT_I32,
    [5] = WEFT_I64,
    [6] = WEFT_UI8,
    [7] = WEFT_UI16,
    [8] = WEFT_UI32,
    [9] = WEFT_UI64,
    [10] = WEFT_F16,
    [11] = WEFT_F32,
    [12] = WEFT_F64,
    [13] = WEFT_BF16,
    [14] = WEFT_C64,
    [15] = WEFT_C128,
    [16] = WEFT_F8E5M2,
    [17] = WEFT_F8E4M3FN,
    [18] = WEFT_F8E4M3B11FNUZ,
    [19] = WEFT_F8E5M2FNUZ,
    [20] = WEFT_F8E4M3FNUZ,
    [21] = WEFT_I4,
    [22] = WEFT_UI4,
    [24] = WEFT_I2,
    [25] = WEFT_UI2,
    [26] = WEFT_F8E4M3,
    [27] = WEFT_F8E3M4,
    [28] = WEFT_F8E8M0FNU,
    [29] = WEFT_F4E2M1FN,
    [32] = WEFT_F6E2M3FN,
    [33] = WEFT_F6E3M2FN,
};

weft_dtype pjrt_dtype_of(uint32_t type) { return type < WEFT_COUNT(dtypes) ? dtypes[type] : WEFT_DTYPE_NONE; }

uint32_t pjrt_type_of(weft_dtype t) {
    uint32_t type = 0;
    for (uint32_t i = 0; i < WEFT_COUNT(dtypes); i++)
        if (dtypes[i] == t && t != WEFT_DTYPE_NONE) type = i;
    return type;
}

int64_t pjrt_bytes_of(weft_dtype t, size_t rank, const int64_t *dims) {
    int64_t bytes = (int64_t)weft_dtype_bytes(t);
    bool fits = true, empty = false;
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < 0) return -1;
        if (dims[i] == 0) empty = true;
        else fits = fits && weft_mul_i64(bytes, dims[i], &bytes);
    }
    return empty ? 0 : fits ? bytes : -1;
}

/* --- making and ending --- */

pjrt_buffer *pjrt_buffer_new(pjrt_memory *m, weft_dtype t, uint32_t rank, const int64_t *dims, pjrt_storage *storage,
                             pjrt_event *ready) {
    pjrt_buffer *b = storage && ready ? malloc(sizeof *b + rank * sizeof *dims) : NULL;
    if (!b) {
        if (storage) pjrt_storage_back(storage);
        pjrt_event_release(ready);
        return NULL;
    }
    *b = (pjrt_buffer){ .client = pjrt_client_retain(m->device->client), .memory = m, .ready = ready, .dtype = t,
                        .bytes = pjrt_bytes_of(t, rank, dims), .storage = storage, .rank = rank };
    if (rank) memcpy(b->dims, dims, rank * sizeof *dims);
    pthread_mutex_init(&b->lock, NULL);
    return b;
}

/* Lets go of the memory, unless others hold on to it. */
static void drop(pjrt_buffer *b, pjrt_buffer_state state) {
    pjrt_storage *storage = NULL, *lent;
    pthread_mutex_lock(&b->lock);
    if (b->state == PJRT_BUFFER_LIVE) b->state = state;
    lent = b->lent;
    b->lent = NULL;
    if (!b->external) {
        storage = b->storage;
        b->storage = NULL;
    }
    pthread_mutex_unlock(&b->lock);
    pjrt_storage_release(lent);
    pjrt_storage_release(storage);
}

void pjrt_buffer_donate(pjrt_buffer *b) { drop(b, PJRT_BUFFER_DONATED); }

/* Meanwhile it may have been deleted. */
void pjrt_buffer_keep(pjrt_buffer *b) {
    pthread_mutex_lock(&b->lock);
    b->state = b->storage ? PJRT_BUFFER_LIVE : PJRT_BUFFER_DELETED;
    pthread_mutex_unlock(&b->lock);
}

void pjrt_buffer_free(pjrt_buffer *b) {
    if (!b) return;
    pjrt_client *c = b->client;
    pjrt_storage_release(b->lent);
    pjrt_storage_release(b->storage);
    pjrt_event_release(b->ready);
    pthread_mutex_destroy(&b->lock);
    free(b);
    pjrt_client_release(c);
}

static pjrt_error *gone(const pjrt_buffer *b) {
    return pjrt_error_new(PJRT_INVALID_ARGUMENT,
                          b->state == PJRT_BUFFER_DONATED ? "Buffer has been deleted or donated: an execution took its memory"
                                                          : "Buffer has been deleted or donated: it was deleted");
}

pjrt_error *pjrt_buffer_hold(pjrt_buffer *b, pjrt_storage **out) {
    pjrt_error *e = NULL;
    *out = NULL;
    pthread_mutex_lock(&b->lock);
    if (b->state != PJRT_BUFFER_LIVE || !b->storage) e = gone(b);
    else *out = pjrt_storage_retain(b->storage);
    pthread_mutex_unlock(&b->lock);
    return e;
}

/* --- the API --- */

pjrt_error *pjrt_Buffer_Destroy(pjrt_Buffer_Destroy_args *a) {
    pjrt_buffer_free(a->buffer);
    return NULL;
}

pjrt_error *pjrt_Buffer_ElementType(pjrt_Buffer_ElementType_args *a) {
    a->type = pjrt_type_of(a->buffer->dtype);
    return NULL;
}

pjrt_error *pjrt_Buffer_Dimensions(pjrt_Buffer_Dimensions_args *a) {
    a->dims = a->buffer->dims;
    a->num_dims = a->buffer->rank;
    return NULL;
}

pjrt_error *pjrt_Buffer_UnpaddedDimensions(pjrt_Buffer_UnpaddedDimensions_args *a) {
    a->unpadded_dims = a->buffer->dims;
    a->num_dims = a->buffer->rank;
    return NULL;
}

pjrt_error *pjrt_Buffer_DynamicDimensionIndices(pjrt_Buffer_DynamicDimensionIndices_args *a) {
    a->dynamic_dim_indices = NULL;
    a->num_dynamic_dims = 0;
    return NULL;
}

static const int64_t minor_to_major[64] = { 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48,
                                            47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32,
                                            31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                                            15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1,  0 };

/* Row-major, as all arrays are. */
pjrt_error *pjrt_Buffer_GetMemoryLayout(pjrt_Buffer_GetMemoryLayout_args *a) {
    const uint32_t rank = a->buffer->rank;
    if (rank > WEFT_COUNT(minor_to_major))
        return pjrt_error_new(PJRT_UNIMPLEMENTED, "an array of %u dimensions has no layout here", rank);
    a->layout = (pjrt_memory_layout){ .struct_size = sizeof a->layout, .type = PJRT_LAYOUT_TILED };
    a->layout.tiled.struct_size = sizeof a->layout.tiled;
    a->layout.tiled.minor_to_major = minor_to_major + (WEFT_COUNT(minor_to_major) - rank);
    a->layout.tiled.minor_to_major_size = rank;
    return NULL;
}

pjrt_error *pjrt_Buffer_OnDeviceSizeInBytes(pjrt_Buffer_OnDeviceSizeInBytes_args *a) {
    a->on_device_size_in_bytes = (size_t)a->buffer->bytes;
    return NULL;
}

pjrt_error *pjrt_Buffer_Device(pjrt_Buffer_Device_args *a) {
    a->device = a->buffer->memory->device;
    return NULL;
}

pjrt_error *pjrt_Buffer_Memory(pjrt_Buffer_Memory_args *a) {
    a->memory = a->buffer->memory;
    return NULL;
}

pjrt_error *pjrt_Buffer_Delete(pjrt_Buffer_Delete_args *a) {
    drop(a->buffer, PJRT_BUFFER_DELETED);
    return NULL;
}

pjrt_error *pjrt_Buffer_IsDeleted(pjrt_Buffer_IsDeleted_args *a) {
    pthread_mutex_lock(&a->buffer->lock);
    a->is_deleted = a->buffer->state != PJRT_BUFFER_LIVE;
    pthread_mutex_unlock(&a->buffer->lock);
    return NULL;
}

pjrt_error *pjrt_Buffer_IsOnCpu(pjrt_Buffer_IsOnCpu_args *a) {
    a->is_on_cpu = true;
    return NULL;
}

pjrt_error *pjrt_Buffer_ReadyEvent(pjrt_Buffer_ReadyEvent_args *a) {
    a->event = pjrt_event_retain(a->buffer->ready);
    return NULL;
}

static pjrt_error *address(pjrt_buffer *b, void **out) {
    const pjrt_error *failed = pjrt_event_wait(b->ready);
    pjrt_error *e = NULL;
    if (failed) return pjrt_error_copy(failed);
    pthread_mutex_lock(&b->lock);
    if (b->storage) *out = pjrt_storage_at(b->storage);
    else e = gone(b);
    pthread_mutex_unlock(&b->lock);
    return e;
}

pjrt_error *pjrt_Buffer_UnsafePointer(pjrt_Buffer_UnsafePointer_args *a) {
    void *at = NULL;
    pjrt_error *e = address(a->buffer, &at);
    if (!e) a->buffer_pointer = (uintptr_t)at;
    return e;
}

pjrt_error *pjrt_Buffer_OpaqueDeviceMemoryDataPointer(pjrt_Buffer_OpaqueDeviceMemoryDataPointer_args *a) {
    return address(a->buffer, &a->device_memory_ptr);
}

pjrt_error *pjrt_Buffer_IncreaseExternalReferenceCount(pjrt_Buffer_IncreaseExternalReferenceCount_args *a) {
    pjrt_buffer *b = a->buffer;
    pjrt_error *e = NULL;
    pthread_mutex_lock(&b->lock);
    if (b->state == PJRT_BUFFER_LIVE) b->external++;
    else e = gone(b);
    pthread_mutex_unlock(&b->lock);
    return e;
}

pjrt_error *pjrt_Buffer_DecreaseExternalReferenceCount(pjrt_Buffer_DecreaseExternalReferenceCount_args *a) {
    pjrt_buffer *b = a->buffer;
    pjrt_storage *storage = NULL;
    pthread_mutex_lock(&b->lock);
    if (b->external > 0) b->external--;
    if (!b->external && b->state != PJRT_BUFFER_LIVE) {
        storage = b->storage;
        b->storage = NULL;
    }
    pthread_mutex_unlock(&b->lock);
    pjrt_storage_release(storage);
    return NULL;
}

pjrt_error *pjrt_Buffer_Bitcast(pjrt_Buffer_Bitcast_args *a) {
    weft_dtype t;
    int64_t bytes;
    pjrt_storage *storage;
    pjrt_error *e = pjrt_check_shape(a->element_type, a->dims, a->num_dims, &t, &bytes);
    if (!e && bytes != a->buffer->bytes)
        e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "a bitcast keeps the number of bytes, %lld",
                           (long long)a->buffer->bytes);
    if (!e) e = pjrt_buffer_hold(a->buffer, &storage);
    if (e) return e;
    a->out_buffer = pjrt_buffer_new(a->buffer->memory, t, (uint32_t)a->num_dims, a->dims, storage,
                                    pjrt_event_retain(a->buffer->ready));
    return a->out_buffer ? NULL : pjrt_no_memory();
}

/* --- what a device has --- */

pjrt_error *pjrt_Device_MemoryStats(pjrt_Device_MemoryStats_args *a) {
    pjrt_device *d = a->device;
    a->bytes_in_use = atomic_load(&d->bytes);
    a->peak_bytes_in_use = atomic_load(&d->most);
    a->num_allocs = atomic_load(&d->allocations);
    a->largest_alloc_size = atomic_load(&d->largest);
    a->peak_bytes_in_use_is_set = a->num_allocs_is_set = a->largest_alloc_size_is_set = true;
    a->bytes_limit_is_set = a->bytes_reserved_is_set = a->peak_bytes_reserved_is_set = false;
    a->bytes_reservable_limit_is_set = a->largest_free_block_bytes_is_set = false;
    a->pool_bytes_is_set = a->peak_pool_bytes_is_set = false;
    return NULL;
}

pjrt_error *pjrt_Device_ClearMemoryStats(pjrt_Device_ClearMemoryStats_args *a) {
    atomic_store(&a->device->most, atomic_load(&a->device->bytes));
    atomic_store(&a->device->allocations, 0);
    atomic_store(&a->device->largest, 0);
    return NULL;
}
