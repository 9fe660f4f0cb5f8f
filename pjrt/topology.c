/* topology: the devices of a client as a description, by itself too: a number of devices of a platform.
 *
 * Its serialised form is the text "PLATFORM:COUNT".
 */
#include <stdio.h>
#include <stdlib.h>
#include "pjrt/impl.h"

enum { MOST_DEVICES = 1 << 20 };

static pjrt_error *make(const char *platform, size_t platform_size, int count, pjrt_topology **out) {
    pjrt_topology *t = calloc(1, sizeof *t);
    if (!t) return pjrt_no_memory();
    snprintf(t->platform, sizeof t->platform, "%.*s", (int)weft_min_i64((int64_t)platform_size, 31), platform);
    t->device_count = count;
    t->owned = calloc((size_t)count, sizeof *t->owned);
    t->descriptions = calloc((size_t)count, sizeof *t->descriptions);
    pjrt_error *e = t->owned && t->descriptions ? pjrt_version_write(t->version, sizeof t->version) : pjrt_no_memory();
    if (e) {
        free(t->owned);
        free(t->descriptions);
        free(t);
        return e;
    }
    for (int i = 0; i < count; i++) {
        pjrt_device_description *d = &t->owned[i];
        d->id = i;
        snprintf(d->name, sizeof d->name, "%s:%d", t->platform, i);
        snprintf(d->full, sizeof d->full, "%s:%d (of a topology)", t->platform, i);
        t->descriptions[i] = d;
    }
    *out = t;
    return NULL;
}

/* "weft:8", or a number alone. */
static pjrt_error *read(const char *text, size_t size, pjrt_topology **out) {
    const char *colon = size ? memchr(text, ':', size) : NULL;
    const char *digits = colon ? colon + 1 : text;
    const size_t n = size - (size_t)(digits - text);
    char copy[16] = "";
    int count;
    if (n < sizeof copy) memcpy(copy, digits, n), copy[n] = '\0';
    if (!weft_count_read(copy, MOST_DEVICES, &count) || !count)
        return pjrt_error_new(PJRT_INVALID_ARGUMENT, "a topology is the number of its devices, such as \"weft:8\", not '%.*s'",
                              (int)weft_min_i64((int64_t)size, 100), size ? text : "");
    return colon ? make(text, (size_t)(colon - text), count, out) : make("weft", 4, count, out);
}

pjrt_error *pjrt_TopologyDescription_Create(pjrt_TopologyDescription_Create_args *a) {
    if (a->topology_name && a->topology_name_size) return read(a->topology_name, a->topology_name_size, &a->topology);
    return make("weft", 4, 1, &a->topology);
}

pjrt_error *pjrt_TopologyDescription_Destroy(pjrt_TopologyDescription_Destroy_args *a) {
    pjrt_topology *t = a->topology;
    if (!t || t->is_clients) return NULL;
    free(t->owned);
    free(t->descriptions);
    free(t);
    return NULL;
}

pjrt_error *pjrt_Client_TopologyDescription(pjrt_Client_TopologyDescription_args *a) {
    a->topology = &a->client->topology;
    return NULL;
}

pjrt_error *pjrt_TopologyDescription_PlatformName(pjrt_TopologyDescription_PlatformName_args *a) {
    return pjrt_give(a->topology->platform, &a->platform_name, &a->platform_name_size);
}

pjrt_error *pjrt_TopologyDescription_PlatformVersion(pjrt_TopologyDescription_PlatformVersion_args *a) {
    return pjrt_give(a->topology->version, &a->platform_version, &a->platform_version_size);
}

pjrt_error *pjrt_TopologyDescription_GetDeviceDescriptions(pjrt_TopologyDescription_GetDeviceDescriptions_args *a) {
    a->descriptions = a->topology->descriptions;
    a->num_descriptions = (size_t)a->topology->device_count;
    return NULL;
}

pjrt_error *pjrt_TopologyDescription_Serialize(pjrt_TopologyDescription_Serialize_args *a) {
    char *text = malloc(64);
    if (!text) return pjrt_no_memory();
    a->serialized_bytes_size = (size_t)snprintf(text, 64, "%s:%d", a->topology->platform, a->topology->device_count);
    a->serialized_bytes = text;
    a->serialized_topology = text;
    a->serialized_topology_deleter = free;
    return NULL;
}

pjrt_error *pjrt_TopologyDescription_Deserialize(pjrt_TopologyDescription_Deserialize_args *a) {
    if (!a->serialized_topology) return pjrt_error_new(PJRT_INVALID_ARGUMENT, "the serialised topology is NULL");
    return read(a->serialized_topology, a->serialized_topology_size, &a->topology);
}

pjrt_error *pjrt_TopologyDescription_Attributes(pjrt_TopologyDescription_Attributes_args *a) {
    a->attributes = NULL;
    a->num_attributes = 0;
    return NULL;
}

/* Of the serialised form. */
pjrt_error *pjrt_TopologyDescription_Fingerprint(pjrt_TopologyDescription_Fingerprint_args *a) {
    char text[64];
    snprintf(text, sizeof text, "%s:%d", a->topology->platform, a->topology->device_count);
    a->fingerprint = weft_text_hash(text);
    return NULL;
}

pjrt_error *pjrt_TopologyDescription_GetMemorySpaceKindIds(pjrt_TopologyDescription_GetMemorySpaceKindIds_args *a) {
    static const int ids[PJRT_MEMORY_KINDS] = { PJRT_MEMORY_DEVICE, PJRT_MEMORY_PINNED, PJRT_MEMORY_UNPINNED };
    a->memory_space_kind_ids = ids;
    a->num_memory_space_kind_ids = PJRT_MEMORY_KINDS;
    return NULL;
}
