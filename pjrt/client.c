/* client: the devices of a job's processes, and the memories of this process's.
 *
 * A device is a thread, or several that never run at the same time for it (crew.c); all of them have the host's
 * memory. The number of this process's devices is the client's option num_devices, else WEFT_NUM_DEVICES, else 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include "pjrt/impl.h"

enum { MOST_PROCESSES = 1 << 20 };

/* --- memories --- */

static const char *const kinds[PJRT_MEMORY_KINDS] = { "device", "pinned_host", "unpinned_host" };

const char *pjrt_memory_kind_name(pjrt_memory_kind kind) { return kinds[kind]; }

pjrt_memory_kind pjrt_memory_kind_named(const char *name, size_t size) {
    for (int k = 0; k < PJRT_MEMORY_KINDS; k++)
        if (weft_str_is((weft_str){ name, size }, kinds[k])) return (pjrt_memory_kind)k;
    return PJRT_MEMORY_DEVICE;
}

static void *get_user_data(pjrt_memory *m, const void *key) {
    void *data = NULL;
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->data_count && !data; i++)
        if (m->data[i].key == key) data = m->data[i].data;
    pthread_mutex_unlock(&m->lock);
    return data;
}

static void set_user_data(pjrt_memory *m, const void *key, void *data, void (*end)(void *data)) {
    pjrt_user_data before = { 0 };
    pthread_mutex_lock(&m->lock);
    size_t i = 0;
    while (i < m->data_count && m->data[i].key != key) i++;
    pjrt_user_data *grown = i < m->data_count ? m->data : realloc(m->data, (i + 1) * sizeof *grown);
    if (grown) {
        if (i < m->data_count) before = grown[i];
        else m->data_count++;
        grown[i] = (pjrt_user_data){ key, data, end };
        m->data = grown;
    }
    pthread_mutex_unlock(&m->lock);
    if (before.end) before.end(before.data);
    if (!grown && end) end(data);
}

static const pjrt_memory_table memory_table = {
    .struct_size = sizeof memory_table, .instance_struct_size = sizeof(pjrt_memory), .get_user_data = get_user_data,
    .set_user_data = set_user_data
};

static void end_memory(pjrt_memory *m) {
    for (size_t i = 0; i < m->data_count; i++)
        if (m->data[i].end) m->data[i].end(m->data[i].data);
    free(m->data);
    pthread_mutex_destroy(&m->lock);
}

pjrt_memory *pjrt_client_memory(pjrt_client *c, pjrt_device *d, pjrt_memory *m) {
    if (!m && d && d->client == c && d->local >= 0) m = &d->memories[PJRT_MEMORY_DEVICE];
    return m && m->device->client == c && m->device->local >= 0 ? m : NULL;
}

/* --- options --- */

static bool option_is(const pjrt_named_value *v, const char *name) {
    return v->name_size == strlen(name) && !memcmp(v->name, name, v->name_size);
}

static pjrt_error *read_count(const char *what, const char *text, size_t n, int *out) {
    char copy[24];
    const size_t kept = n < sizeof copy ? n : sizeof copy - 1;
    int v;
    memcpy(copy, text, kept);
    copy[kept] = '\0';
    if (kept < n || !weft_count_read(copy, PJRT_MOST_DEVICES, &v) || v < 1)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "%s is the number of devices, 1 to %d, not '%.*s'", what,
                              PJRT_MOST_DEVICES, (int)kept, text);
    *out = v;
    return NULL;
}

typedef struct settings {
    int devices, node, nodes;
    char platform[32];
    pjrt_python_call *python;
    pjrt_python_calls *calls;
} settings;

/* jax.distributed's: this process's number, and how many there are. */
static pjrt_error *read_place(const pjrt_named_value *v, int most, int *out) {
    if (v->type != PJRT_VALUE_INT64 || v->int64_value < 0 || v->int64_value > most)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "%.*s is a number from 0 to %d",
                              (int)weft_min_i64((int64_t)v->name_size, 100), v->name, most);
    *out = (int)v->int64_value;
    return NULL;
}

static pjrt_error *read_option(const pjrt_named_value *v, settings *s) {
    char number[24];
    if (!v->name) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "an option of the client has no name");
    if (option_is(v, "num_devices")) {
        if (v->type == PJRT_VALUE_STRING && v->string_value)
            return read_count("num_devices", v->string_value, v->value_size, &s->devices);
        if (v->type != PJRT_VALUE_INT64)
            return pjrt_error_new(PJRT_INVALID_ARGUMENT, "num_devices is a number");
        const int n = snprintf(number, sizeof number, "%lld", (long long)v->int64_value);
        return read_count("num_devices", number, (size_t)n, &s->devices);
    }
    if (option_is(v, "platform_name") && v->type == PJRT_VALUE_STRING && v->string_value) {
        snprintf(s->platform, sizeof s->platform, "%.*s", (int)weft_min_i64((int64_t)v->value_size, 31),
                 v->string_value);
        return NULL;
    }
    if (option_is(v, "python_callback") && v->type == PJRT_VALUE_INT64) {
        s->python = (pjrt_python_call *)(uintptr_t)v->int64_value;
        return NULL;
    }
    if (option_is(v, "python_calls") && v->type == PJRT_VALUE_INT64) {
        s->calls = (pjrt_python_calls *)(uintptr_t)v->int64_value;
        return NULL;
    }
    if (option_is(v, "num_nodes")) return read_place(v, MOST_PROCESSES, &s->nodes);
    if (option_is(v, "node_id")) return read_place(v, MOST_PROCESSES, &s->node);
    if (option_is(v, "partition_index")) return NULL; /* of machines with partitions */
    return pjrt_error_new(PJRT_INVALID_ARGUMENT,
                          "Weft's client has no option '%.*s'; it has num_devices and platform_name",
                          (int)weft_min_i64((int64_t)v->name_size, 100), v->name);
}

static pjrt_error *read_settings(const pjrt_named_value *v, size_t n, settings *s) {
    const char *devices = getenv("WEFT_NUM_DEVICES"), *name = getenv("WEFT_PLATFORM_NAME");
    pjrt_error *e = NULL;
    *s = (settings){ .devices = 1, .nodes = 1 };
    snprintf(s->platform, sizeof s->platform, "%s", name && *name ? name : "weft");
    if (devices && *devices) e = read_count("WEFT_NUM_DEVICES", devices, strlen(devices), &s->devices);
    if (n && !v) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the options of the client are NULL");
    for (size_t i = 0; i < n && !e; i++) e = read_option(&v[i], s);
    if (!e && (s->nodes < 1 || s->node >= s->nodes))
        e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "there is no process %d among %d", s->node, s->nodes);
    return e;
}

/* --- making and ending --- */

static pjrt_device *make_device(pjrt_client *c, int id, int process) {
    pjrt_device *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->client = c;
    d->local = process == c->job.process ? id - c->first_local : -1;
    d->description = (pjrt_device_description){ .id = id, .process = process };
    snprintf(d->description.name, sizeof d->description.name, "%s:%d", c->platform, id);
    snprintf(d->description.full, sizeof d->description.full, "%s:%d (process %d)", c->platform, id, process);
    for (int k = 0; k < PJRT_MEMORY_KINDS; k++) {
        pjrt_memory *m = &d->memories[k];
        *m = (pjrt_memory){ .table = &memory_table, .device = d, .kind = (pjrt_memory_kind)k,
                            .id = id * PJRT_MEMORY_KINDS + k };
        snprintf(m->name, sizeof m->name, "%s memory of %s:%d", kinds[k], c->platform, id);
        pthread_mutex_init(&m->lock, NULL);
        d->memory_list[k] = m;
    }
    return d;
}

static void end_client(pjrt_client *c) {
    pjrt_crews_end(c);
    pjrt_client_tell(c);
    for (int i = 0; c->devices && i < c->device_count; i++) {
        for (int k = 0; c->devices[i] && k < PJRT_MEMORY_KINDS; k++) end_memory(&c->devices[i]->memories[k]);
        free(c->devices[i]);
    }
    pjrt_job_end(&c->job);
    free(c->topology.descriptions);
    free(c->memories);
    free(c->devices);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* Processes in their order, the devices of each one after another. */
static void count_devices(pjrt_client *c) {
    for (int p = 0; p < c->job.processes; p++) {
        if (p == c->job.process) c->first_local = c->device_count;
        c->device_count += c->job.devices[p];
    }
    c->local_count = c->job.devices[c->job.process];
    c->topology.device_count = c->device_count;
}

static bool make_devices(pjrt_client *c) {
    const size_t n = (size_t)c->device_count;
    int process = 0, end = c->job.devices[0];
    c->devices = calloc(n, sizeof *c->devices);
    c->memories = calloc((size_t)c->local_count * PJRT_MEMORY_KINDS, sizeof *c->memories);
    c->topology.descriptions = calloc(n, sizeof *c->topology.descriptions);
    if (!c->devices || !c->memories || !c->topology.descriptions) return false;
    for (int i = 0; i < c->device_count; i++) {
        if (i == end) end += c->job.devices[++process];
        pjrt_device *d = c->devices[i] = make_device(c, i, process);
        if (!d) return false;
        c->topology.descriptions[i] = &d->description;
        for (int k = 0; d->local >= 0 && k < PJRT_MEMORY_KINDS; k++)
            c->memories[d->local * PJRT_MEMORY_KINDS + k] = &d->memories[k];
    }
    return true;
}

pjrt_client *pjrt_client_retain(pjrt_client *c) {
    atomic_fetch_add(&c->refs, 1);
    return c;
}

void pjrt_client_release(pjrt_client *c) {
    if (c && atomic_fetch_sub(&c->refs, 1) == 1) end_client(c);
}

/* --- the API --- */

pjrt_error *pjrt_Client_Create(pjrt_Client_Create_args *a) {
    settings s;
    pjrt_error *e = read_settings(a->create_options, a->num_options, &s);
    if (e) return e;
    pjrt_client *c = calloc(1, sizeof *c);
    if (!c) return pjrt_no_memory();
    c->refs = 1;
    c->python = s.python;
    c->calls = s.calls;
    c->job = (pjrt_job){ .process = s.node, .processes = s.nodes, .get = a->kv_get_callback,
                         .get_user = a->kv_get_user_arg, .put = a->kv_put_callback, .put_user = a->kv_put_user_arg };
    memcpy(c->platform, s.platform, sizeof c->platform);
    c->topology.is_clients = true;
    memcpy(c->topology.platform, s.platform, sizeof c->platform);
    pthread_mutex_init(&c->lock, NULL);
    if (s.nodes > 1 && (!a->kv_get_callback || !a->kv_put_callback))
        e = pjrt_error_new(PJRT_INVALID_ARGUMENT, "a job of %d processes needs the framework's store of keys", s.nodes);
    if (!e) e = pjrt_version_write(c->topology.version, sizeof c->topology.version);
    if (!e) e = pjrt_job_begin(&c->job, s.devices);
    if (!e) count_devices(c);
    if (!e && !make_devices(c)) e = pjrt_no_memory();
    if (e) end_client(c);
    else a->client = c;
    return e;
}

pjrt_error *pjrt_Client_Destroy(pjrt_Client_Destroy_args *a) {
    pjrt_client_release(a->client);
    return NULL;
}

pjrt_error *pjrt_Client_PlatformName(pjrt_Client_PlatformName_args *a) {
    return pjrt_give(a->client->platform, &a->platform_name, &a->platform_name_size);
}

pjrt_error *pjrt_Client_PlatformVersion(pjrt_Client_PlatformVersion_args *a) {
    return pjrt_give(a->client->topology.version, &a->platform_version, &a->platform_version_size);
}

pjrt_error *pjrt_Client_ProcessIndex(pjrt_Client_ProcessIndex_args *a) {
    a->process_index = a->client->job.process;
    return NULL;
}

pjrt_error *pjrt_Client_Devices(pjrt_Client_Devices_args *a) {
    a->devices = a->client->devices;
    a->num_devices = (size_t)a->client->device_count;
    return NULL;
}

pjrt_error *pjrt_Client_AddressableDevices(pjrt_Client_AddressableDevices_args *a) {
    a->addressable_devices = a->client->devices + a->client->first_local;
    a->num_addressable_devices = (size_t)a->client->local_count;
    return NULL;
}

pjrt_error *pjrt_Client_LookupDevice(pjrt_Client_LookupDevice_args *a) {
    if (a->id < 0 || a->id >= a->client->device_count)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "there is no device %d: the client has %d devices", a->id,
                              a->client->device_count);
    a->device = a->client->devices[a->id];
    return NULL;
}

pjrt_error *pjrt_Client_LookupAddressableDevice(pjrt_Client_LookupAddressableDevice_args *a) {
    const pjrt_client *c = a->client;
    if (a->local_hardware_id < 0 || a->local_hardware_id >= c->local_count)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "this process has no device %d: it has %d devices",
                              a->local_hardware_id, c->local_count);
    a->addressable_device = c->devices[c->first_local + a->local_hardware_id];
    return NULL;
}

pjrt_error *pjrt_Client_AddressableMemories(pjrt_Client_AddressableMemories_args *a) {
    a->addressable_memories = a->client->memories;
    a->num_addressable_memories = (size_t)a->client->local_count * PJRT_MEMORY_KINDS;
    return NULL;
}

pjrt_error *pjrt_Client_DefaultDeviceAssignment(pjrt_Client_DefaultDeviceAssignment_args *a) {
    const int64_t n = (int64_t)a->num_replicas * a->num_partitions;
    if (a->num_replicas < 1 || a->num_partitions < 1 || n > a->client->device_count)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "%d replicas of %d partitions do not fit on %d devices",
                              a->num_replicas, a->num_partitions, a->client->device_count);
    if (!a->default_assignment || a->default_assignment_size < (size_t)n)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "there is no room for the numbers of %lld devices", (long long)n);
    for (int i = 0; i < n; i++) a->default_assignment[i] = i;
    return NULL;
}

/* Memory of the host is reached as it is. */
pjrt_error *pjrt_Client_DmaMap(pjrt_Client_DmaMap_args *a) {
    (void)a;
    return NULL;
}

pjrt_error *pjrt_Client_DmaUnmap(pjrt_Client_DmaUnmap_args *a) {
    (void)a;
    return NULL;
}

pjrt_error *pjrt_DeviceDescription_Id(pjrt_DeviceDescription_Id_args *a) {
    a->id = a->device_description->id;
    return NULL;
}

pjrt_error *pjrt_DeviceDescription_ProcessIndex(pjrt_DeviceDescription_ProcessIndex_args *a) {
    a->process_index = a->device_description->process;
    return NULL;
}

pjrt_error *pjrt_DeviceDescription_Attributes(pjrt_DeviceDescription_Attributes_args *a) {
    a->attributes = NULL;
    a->num_attributes = 0;
    return NULL;
}

pjrt_error *pjrt_DeviceDescription_Kind(pjrt_DeviceDescription_Kind_args *a) {
    return pjrt_give("weft-cpu", &a->device_kind, &a->device_kind_size);
}

pjrt_error *pjrt_DeviceDescription_DebugString(pjrt_DeviceDescription_DebugString_args *a) {
    return pjrt_give(a->device_description->full, &a->debug_string, &a->debug_string_size);
}

pjrt_error *pjrt_DeviceDescription_ToString(pjrt_DeviceDescription_ToString_args *a) {
    return pjrt_give(a->device_description->name, &a->to_string, &a->to_string_size);
}

pjrt_error *pjrt_Device_GetDescription(pjrt_Device_GetDescription_args *a) {
    a->device_description = &a->device->description;
    return NULL;
}

pjrt_error *pjrt_Device_IsAddressable(pjrt_Device_IsAddressable_args *a) {
    a->is_addressable = a->device->local >= 0;
    return NULL;
}

pjrt_error *pjrt_Device_LocalHardwareId(pjrt_Device_LocalHardwareId_args *a) {
    a->local_hardware_id = a->device->local;
    return NULL;
}

pjrt_error *pjrt_Device_AddressableMemories(pjrt_Device_AddressableMemories_args *a) {
    a->memories = a->device->memory_list;
    a->num_memories = a->device->local >= 0 ? PJRT_MEMORY_KINDS : 0;
    return NULL;
}

pjrt_error *pjrt_Device_DefaultMemory(pjrt_Device_DefaultMemory_args *a) {
    a->memory = &a->device->memories[PJRT_MEMORY_DEVICE];
    return NULL;
}

static void no_attributes(void *attributes) { (void)attributes; }

pjrt_error *pjrt_Device_GetAttributes(pjrt_Device_GetAttributes_args *a) {
    a->attributes = NULL;
    a->num_attributes = 0;
    a->device_attributes = NULL;
    a->attributes_deleter = no_attributes;
    return NULL;
}

pjrt_error *pjrt_Device_CreateAsyncTrackingEvent(pjrt_Device_CreateAsyncTrackingEvent_args *a) {
    a->event = NULL;
    return NULL;
}

pjrt_error *pjrt_AsyncTrackingEvent_Destroy(pjrt_AsyncTrackingEvent_Destroy_args *a) {
    (void)a;
    return NULL;
}

pjrt_error *pjrt_Memory_Id(pjrt_Memory_Id_args *a) {
    a->id = a->memory->id;
    return NULL;
}

pjrt_error *pjrt_Memory_Kind(pjrt_Memory_Kind_args *a) {
    return pjrt_give(kinds[a->memory->kind], &a->kind, &a->kind_size);
}

pjrt_error *pjrt_Memory_Kind_Id(pjrt_Memory_Kind_Id_args *a) {
    a->kind_id = (int)a->memory->kind;
    return NULL;
}

pjrt_error *pjrt_Memory_DebugString(pjrt_Memory_DebugString_args *a) {
    return pjrt_give(a->memory->name, &a->debug_string, &a->debug_string_size);
}

pjrt_error *pjrt_Memory_ToString(pjrt_Memory_ToString_args *a) {
    return pjrt_give(a->memory->name, &a->to_string, &a->to_string_size);
}

pjrt_error *pjrt_Memory_AddressableByDevices(pjrt_Memory_AddressableByDevices_args *a) {
    a->devices = a->memory->device->client->devices + a->memory->device->description.id;
    a->num_devices = 1;
    return NULL;
}
