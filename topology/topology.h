/* topology.h: topology functions for the rooms above, besides include/weft/topo.h. */
#ifndef WEFT_TOPOLOGY_TOPOLOGY_H
#define WEFT_TOPOLOGY_TOPOLOGY_H

#include <weft/topo.h>
#include "base/str.h"
#include "topology/links.h"

/* The level that the cores of two ranks share, when `ranks` of them are placed. */
weft_link_level weft_topology_level(const weft_topology *t, int ranks, int a, int b);
/* The same of two cores. */
weft_link_level weft_topology_core_level(const weft_topology *t, int a, int b);

/* The machine's number of the package of a core; -1: hwloc knows of none. */
int weft_topology_package(const weft_topology *t, int core);
/* weft_topology_place for so many cores. */
void weft_cores_place(int cores, int ranks, int rank, int *first, int *n);

/* The place of a process: the numbers of the core, cache, memory and package that contain all its processors; -1: it
 * extends beyond one. */
typedef struct weft_locality { int16_t core, cache, numa, package; } weft_locality;
extern const weft_locality weft_locality_unknown;
/* for a topology that is not restricted to the bound part */
weft_locality weft_topology_locality(const weft_topology *t);
int weft_locality_is_unknown(const weft_locality *s);
/* the level that they share, on one node */
weft_link_level weft_locality_level(const weft_locality *a, const weft_locality *b);
/* the first core that the calling thread may run on */
int weft_topology_core_here(const weft_topology *t);

/* identity.c: a name for the machine's speed: processors, caches, memories and cores, regardless of the process's
 * binding; and the machine in words: "2 package, 16 core, Some CPU". */
uint64_t weft_topology_hash(const weft_topology *t);
void weft_topology_words(const weft_topology *t, char *out, size_t room);

typedef enum weft_topology_flags {
    WEFT_TOPOLOGY_DEVICES = 1, /* network adapters and accelerators as well */
    WEFT_TOPOLOGY_UNBOUND = 2  /* all that cgroups allow, not only the processors of this process's binding */
} weft_topology_flags;
weft_status weft_topology_discover_with(weft_context *cx, unsigned flags, weft_topology **out);

/* For transfer to another process: hwloc's XML, including its NUL. */
weft_status weft_topology_to_xml(weft_context *cx, const weft_topology *t, weft_buf *out);
weft_status weft_topology_from_xml_text(weft_context *cx, const char *text, size_t n, weft_topology **out);

/* The hardware threads that this process may run on, by their numbers in the system: "0-3,8". */
weft_status weft_topology_bound_cpus(const weft_topology *t, weft_buf *out);
/* Whether core i is one of such a list. */
int weft_topology_core_among(const weft_topology *t, int core, const char *cpus);

/* The time that cgroups grant this process, in cores; 0: they set no limit. */
double weft_topology_quota(void);
/* The bytes that this process may use: the machine's memory, or its cgroups' limit if that is less; 0: not
 * known. */
double weft_topology_memory(void);
/* How many ranks may run at once: one on each core, or one for each core's worth of time that cgroups allow; at least
 * 1. */
int weft_topology_room(const weft_topology *t, double quota);
/* The processors, and the limits on them, one per line. */
void weft_topology_why(const weft_topology *t, weft_buf *out);

#endif
