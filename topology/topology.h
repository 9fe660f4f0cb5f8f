/* topology.h: what the rooms above ask of a topology besides include/weft/topo.h. */
#ifndef WEFT_TOPOLOGY_TOPOLOGY_H
#define WEFT_TOPOLOGY_TOPOLOGY_H

#include <weft/topo.h>
#include "base/str.h"
#include "topology/links.h"

/* What the cores of two ranks have in common, when `ranks` of them are placed. */
weft_link_level weft_topology_level(const weft_topology *t, int ranks, int a, int b);
/* The same of two cores. */
weft_link_level weft_topology_core_level(const weft_topology *t, int a, int b);

/* The machine's number of the package that a core is in; -1: hwloc knows of none. */
int weft_topology_package(const weft_topology *t, int core);
/* weft_topology_place of so many cores. */
void weft_cores_place(int cores, int ranks, int rank, int *first, int *n);

/* Where a process sits: the numbers of the core, cache, memory and package that hold all it may run on; -1: it reaches
 * beyond one. */
typedef struct weft_locality { int16_t core, cache, numa, package; } weft_locality;
extern const weft_locality weft_locality_unknown;
/* of a topology that is not restricted to the bound part */
weft_locality weft_topology_locality(const weft_topology *t);
int weft_locality_is_unknown(const weft_locality *s);
/* what they have in common, on one node */
weft_link_level weft_locality_level(const weft_locality *a, const weft_locality *b);
/* the first core that the calling thread may run on */
int weft_topology_core_here(const weft_topology *t);

/* identity.c: a name for the machine as far as speed goes: processors, caches, memories and cores, not what this
 * process is bound to; and the machine in words: "2 package, 16 core, Some CPU". */
uint64_t weft_topology_hash(const weft_topology *t);
void weft_topology_words(const weft_topology *t, char *out, size_t room);

typedef enum weft_topology_flags {
    WEFT_TOPOLOGY_DEVICES = 1, /* network adapters and accelerators as well */
    WEFT_TOPOLOGY_UNBOUND = 2  /* all that cgroups leave, not only what this process is bound to */
} weft_topology_flags;
weft_status weft_topology_discover_with(weft_context *cx, unsigned flags, weft_topology **out);

/* To another process and back: hwloc's XML, a NUL at its end included. */
weft_status weft_topology_to_xml(weft_context *cx, const weft_topology *t, weft_buf *out);
weft_status weft_topology_from_xml_text(weft_context *cx, const char *text, size_t n, weft_topology **out);

/* The hardware threads that this process may run on, by their numbers in the system: "0-3,8". */
weft_status weft_topology_bound_cpus(const weft_topology *t, weft_buf *out);
/* Whether core i is one of such a list. */
int weft_topology_core_among(const weft_topology *t, int core, const char *cpus);

/* The time that cgroups grant this process, in cores; 0: they set no limit. */
double weft_topology_quota(void);
/* The bytes that this process may use: what the machine has, or what its cgroups grant where that is less; 0: not
 * known. */
double weft_topology_memory(void);
/* How many ranks may run at once: on each core one, or for each core's worth of time that cgroups grant. At least 1. */
int weft_topology_room(const weft_topology *t, double quota);
/* What there is and what takes from it, one thing a line. */
void weft_topology_why(const weft_topology *t, weft_buf *out);

#endif
