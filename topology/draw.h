/* draw.h: a machine as nested boxes, drawn as an indented list or as SVG.
 *
 * The code that knows machines makes the boxes (tree.c from hwloc's tree, draw_machine.c from a description); the code
 * that draws knows only boxes. Boxes belong to the arena in which they were made. A box without a label draws its inner
 * boxes in its place. */
#ifndef WEFT_TOPOLOGY_DRAW_H
#define WEFT_TOPOLOGY_DRAW_H

#include "topology/machine.h"
#include "topology/topology.h"

typedef enum weft_box_kind {
    WEFT_BOX_MACHINE,
    WEFT_BOX_NODE,
    WEFT_BOX_PACKAGE,
    WEFT_BOX_MEMORY,
    WEFT_BOX_CACHE,
    WEFT_BOX_CORE,
    WEFT_BOX_IO,
    WEFT_BOX_KINDS
} weft_box_kind;

typedef struct weft_box {
    weft_box_kind kind;
    const char *label;           /* "package 0", "l3 32 MiB" */
    const char *ranks;           /* "ranks 0-3"; "": none */
    const char *link;            /* the link that joins the inner boxes: "10GB/s 0.4us"; "": none */
    struct weft_box *first, *last, *next;
} weft_box;

/* A box inside `in` (NULL: on its own), with the text of fmt as label: at most 255 bytes, in whole characters; invalid
 * UTF-8, which SVG does not allow, becomes '?'. NULL when memory is out. */
weft_box *weft_box_add(weft_arena *a, weft_box *in, weft_box_kind kind, const char *fmt, ...) WEFT_PRINTF(4, 5);

void weft_box_text(const weft_box *b, weft_buf *out);
/* A complete document. WEFT_ERR_MEMORY. */
weft_status weft_box_svg(weft_context *cx, const weft_box *b, weft_buf *out);

/* "rank 3", "ranks 0-2,5" from a bit per rank; "" for none. */
const char *weft_ranks_text(weft_arena *a, const unsigned char *has, int ranks);

/* A description's machine with `ranks` devices numbered from 0; of many equal parts only the first are drawn. NULL
 * when memory is out. */
weft_box *weft_machine_boxes(weft_arena *a, const weft_machine *m, int64_t ranks);

/* The tree that hwloc found. cores_of gives the ranks on core i: it fills has[0 .. ranks). */
typedef struct weft_rank_map {
    int ranks;
    void (*on_core)(const void *user, const weft_topology *t, int core, unsigned char *has);
    const void *user;
} weft_rank_map;
weft_box *weft_topology_boxes(weft_arena *a, const weft_topology *t, const weft_links *links, const weft_rank_map *map);

#endif
