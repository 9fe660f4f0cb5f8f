/* topology_internal.h: hwloc's tree, shared by topology.c and tree.c. */
#ifndef WEFT_TOPOLOGY_TOPOLOGY_INTERNAL_H
#define WEFT_TOPOLOGY_TOPOLOGY_INTERNAL_H

#include <hwloc.h>
#include "base/context.h"
#include "topology/topology.h"

struct weft_topology {
    weft_allocator alloc;
    hwloc_topology_t machine;
    int cores, threads;
    enum { PART, WHOLE } extent;
    enum { HERE, ELSEWHERE } where;
};

/* Core i, or its substitute if hwloc sees no cores. */
hwloc_obj_t weft_topology_core(const weft_topology *t, int i);

#endif
