/* topology.h: what the rooms above ask of a topology besides include/weft/topo.h. */
#ifndef WEFT_TOPOLOGY_TOPOLOGY_H
#define WEFT_TOPOLOGY_TOPOLOGY_H

#include <weft/topo.h>
#include "topology/links.h"

/* What the cores of two ranks have in common, when `ranks` of them are placed. */
weft_link_level weft_topology_level(const weft_topology *t, int ranks, int a, int b);

#endif
