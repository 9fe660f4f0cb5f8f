/* order.h: which device of a machine a place of a mesh is, and the order that makes a plan's collectives cheapest.
 *
 * A place is a number with one digit per mesh axis, the first axis slowest. An order lists the axes, or parts of them,
 * from the slowest to the fastest digit of the device number: on nodes of eight devices the fastest axes of eight
 * places in all stay in a node. Contiguous is the order of the mesh itself. As text: `model,data`, with parts as Shardy
 * writes them: `"data":(1)2` is the slower half of an axis of 4, `"data":(2)2` the faster. A name that has a comma or a
 * colon in it stands in quotes.
 *
 * A pattern is the groups of a collective as places; a load is how often a collective of a kind and size runs in them.
 */
#ifndef WEFT_COST_ORDER_H
#define WEFT_COST_ORDER_H

#include "cost/machine.h"

#define WEFT_ORDER_PIECES 64

typedef struct weft_order_axis { weft_str name; int64_t size; } weft_order_axis;
typedef struct weft_order_mesh { const weft_order_axis *axes; uint32_t axis_count; } weft_order_mesh;
int64_t weft_order_places(const weft_order_mesh *mesh);

/* The part of an axis after `pre` of its places, of `size`; the whole: pre 1, its size. */
typedef struct weft_order_piece { uint32_t axis; int64_t pre, size; } weft_order_piece;
typedef struct weft_order { weft_order_piece pieces[WEFT_ORDER_PIECES]; uint32_t n; } weft_order;

/* Axes beyond the 64th are left out: weft_order_read refuses such meshes. */
weft_order weft_order_contiguous(const weft_order_mesh *mesh);
/* Reads the text; axes that it leaves out are the slowest, in their order. WEFT_ERR_USAGE, reported. */
weft_status weft_order_read(weft_context *cx, const weft_order_mesh *mesh, const char *text, weft_order *out);
void weft_order_print(weft_buf *out, const weft_order_mesh *mesh, const weft_order *order);
/* device_of[place], for all places. */
void weft_order_devices(const weft_order_mesh *mesh, const weft_order *order, int32_t *device_of);

typedef struct weft_pattern {
    const int32_t *members;      /* rows of `size` places, -1 behind the end of a shorter one */
    int64_t size, rows;
} weft_pattern;

typedef struct weft_load {
    weft_coll_kind kind;
    uint32_t pattern;
    int64_t group_size, bytes;   /* bytes: of the full tensor */
    double count;
} weft_load;

typedef struct weft_loads {
    const weft_pattern *patterns; uint32_t pattern_count;
    const weft_load *loads;       uint32_t load_count;
} weft_loads;

/* Of each load: where the dearest of its groups lies when place p is device device_of[p]; NULL: p. */
weft_status weft_load_reaches(weft_context *cx, const weft_machine *m, const weft_loads *loads,
                              const int32_t *device_of, weft_reach *out);

/* What the loads take together. */
weft_status weft_order_time(weft_context *cx, const weft_machine *m, const weft_loads *loads, const int32_t *device_of,
                            double *time_s);

/* The cheapest order found; axes of one place, which make no difference, are left out of it. It tries all orders of
 * whole axes, then all of their smallest parts where these are few, else parts moved one at a time. The same for the
 * same input, on every machine; within a thousandth of the cheapest of those tried, and contiguous when nothing is
 * better by more than that. */
typedef struct weft_order_found {
    weft_order order;
    double time_s, contiguous_s;
    int64_t tried;
} weft_order_found;
weft_status weft_order_search(weft_context *cx, const weft_machine *m, const weft_order_mesh *mesh,
                              const weft_loads *loads, weft_order_found *out);

#endif
