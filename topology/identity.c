/* identity.c: a name for a machine's speed, as a number and in words. */
#include <stdio.h>
#include "topology/topology_internal.h"

static uint64_t mix(uint64_t h, const char *text, uint64_t number) {
    for (const char *p = text ? text : ""; *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u; /* FNV-1a */
    for (int i = 0; i < 8; i++) h = (h ^ (number >> 8 * i & 0xff)) * 1099511628211u;
    return h;
}

static uint64_t mix_object(uint64_t h, hwloc_obj_t o) {
    h = mix(h, hwloc_obj_type_string(o->type), o->arity);
    if (hwloc_obj_type_is_cache(o->type)) h = mix(h, "bytes", o->attr->cache.size);
    if (o->type == HWLOC_OBJ_PACKAGE) h = mix(h, hwloc_obj_get_info_by_name(o, "CPUModel"), 0);
    for (hwloc_obj_t m = o->memory_first_child; m; m = m->next_sibling) h = mix(h, "memory", 0);
    for (hwloc_obj_t c = o->first_child; c; c = c->next_sibling) h = mix_object(h, c);
    return h;
}

uint64_t weft_topology_hash(const weft_topology *t) {
    return mix_object(14695981039346656037u, hwloc_get_root_obj(t->machine));
}

void weft_topology_words(const weft_topology *t, char *out, size_t room) {
    static const struct { hwloc_obj_type_t type; const char *name; } kinds[] = {
        { HWLOC_OBJ_PACKAGE, "package" }, { HWLOC_OBJ_NUMANODE, "memory" }, { HWLOC_OBJ_CORE, "core" }, { HWLOC_OBJ_PU, "thread" },
    };
    size_t n = 0;
    *out = 0;
    for (size_t i = 0; i < WEFT_COUNT(kinds) && n < room; i++) {
        int count = hwloc_get_nbobjs_by_type(t->machine, kinds[i].type);
        if (count > 0) n += (size_t)snprintf(out + n, room - n, "%s%d %s", n ? ", " : "", count, kinds[i].name);
    }
    hwloc_obj_t package = hwloc_get_obj_by_type(t->machine, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (model && n < room) snprintf(out + n, room - n, ", %s", model);
}
