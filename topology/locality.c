/* locality.c: the place of a process on its machine, as numbers that can be sent and compared. */
#include "topology/topology_internal.h"

const weft_locality weft_locality_unknown = { -2, -2, -2, -2 };

int weft_locality_is_unknown(const weft_locality *s) { return s->package == weft_locality_unknown.package; }

static int16_t ancestor_number(const weft_topology *t, hwloc_obj_t o, hwloc_obj_type_t type) {
    hwloc_obj_t a = o->type == type ? o : hwloc_get_ancestor_obj_by_type(t->machine, type, o);
    return a ? (int16_t)a->logical_index : -1;
}

weft_locality weft_topology_locality(const weft_topology *t) {
    weft_locality s = { -1, -1, -1, -1 };
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_obj_t o = NULL;
    if (set && hwloc_get_cpubind(t->machine, set, HWLOC_CPUBIND_PROCESS) == 0) {
        hwloc_bitmap_and(set, set, hwloc_topology_get_topology_cpuset(t->machine));
        o = hwloc_get_obj_covering_cpuset(t->machine, set);
    }
    hwloc_bitmap_free(set);
    if (!o) return weft_locality_unknown;
    s.core = ancestor_number(t, o, HWLOC_OBJ_CORE);
    s.package = ancestor_number(t, o, HWLOC_OBJ_PACKAGE);
    if (hwloc_bitmap_weight(o->nodeset) == 1) s.numa = (int16_t)hwloc_bitmap_first(o->nodeset);
    for (hwloc_obj_t a = o; a; a = a->parent)
        if (hwloc_obj_type_is_cache(a->type)) s.cache = (int16_t)a->logical_index; /* the outermost cache counts */
    return s;
}

int weft_topology_package(const weft_topology *t, int core) {
    hwloc_obj_t o = weft_topology_core(t, core),
                package = hwloc_get_ancestor_obj_by_type(t->machine, HWLOC_OBJ_PACKAGE, o);
    return package ? (int)package->os_index : -1;
}

weft_link_level weft_locality_level(const weft_locality *a, const weft_locality *b) {
    if (a->core >= 0 && a->core == b->core) return WEFT_LINK_CORE;
    if (a->cache >= 0 && a->cache == b->cache) return WEFT_LINK_CACHE;
    if (a->numa >= 0 && a->numa == b->numa) return WEFT_LINK_NUMA;
    if (a->package >= 0 && a->package == b->package) return WEFT_LINK_PACKAGE;
    return WEFT_LINK_MACHINE;
}

int weft_topology_core_here(const weft_topology *t) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int here = 0;
    if (set && hwloc_get_cpubind(t->machine, set, HWLOC_CPUBIND_THREAD) == 0)
        while (here < t->cores && !hwloc_bitmap_intersects(set, weft_topology_core(t, here)->cpuset)) here++;
    hwloc_bitmap_free(set);
    return here < t->cores ? here : 0;
}
