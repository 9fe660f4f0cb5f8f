/* topo.h: the machine as a tree, and the cores of its ranks.
 *
 * A topology is a machine that hwloc found, restricted to the cores that this process may use (cgroups, affinity), or
 * one described by an XML file of hwloc's lstopo or by a synthetic string such as "package:2 core:4 pu:2" (at most 4096
 * threads). Ranks are assigned contiguous runs of cores; if there are fewer cores than ranks, neighbouring ranks share
 * a core. A topology is immutable and may be read from several threads.
 */
#ifndef WEFT_TOPO_H
#define WEFT_TOPO_H

#include <weft/weft.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_topology weft_topology;

WEFT_API weft_status weft_topology_discover(weft_context *cx, weft_topology **out);
WEFT_API weft_status weft_topology_from_xml(weft_context *cx, const char *path, weft_topology **out);
WEFT_API weft_status weft_topology_from_synthetic(weft_context *cx, const char *description, weft_topology **out);
WEFT_API void weft_topology_free(weft_topology *t); /* NULL is fine */

WEFT_API int weft_topology_cores(const weft_topology *t);    /* cores that may be used, at least 1; 0 for NULL */
WEFT_API int weft_topology_threads(const weft_topology *t);  /* hardware threads of them */

/* 1 when these are all cores of the machine: the process is not bound to a part of it. */
WEFT_API int weft_topology_whole(const weft_topology *t);

/* Rank `rank` of `ranks` has the cores first .. first + count - 1; count is 0 when there is no such rank. */
WEFT_API void weft_topology_place(const weft_topology *t, int ranks, int rank, int *first, int *count);

/* Binds the calling thread to these cores. Only for a topology of this machine. */
WEFT_API weft_status weft_topology_bind(weft_context *cx, const weft_topology *t, int first, int count);

/* The tree as text, one object a line, with the ranks next to their cores (ranks 0: none). Writes at most
 * room bytes with a NUL and returns the length of the whole text, as snprintf does. */
WEFT_API size_t weft_topology_print(const weft_topology *t, int ranks, char *text, size_t room);

/* The same as a drawing with the bandwidths of the links: an SVG document of *length bytes and a NUL. It belongs to
 * cx. */
WEFT_API weft_status weft_topology_svg(weft_context *cx, const weft_topology *t, int ranks, char **svg, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
