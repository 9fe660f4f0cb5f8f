/* order.h: the device of a machine for each place of a mesh, and the order with the cheapest collectives for a plan.
 *
 * A place is a number with one digit per mesh axis, the first axis slowest. An order lists the axes, or parts of them,
 * from the slowest to the fastest digit of the device number: on nodes of eight devices, the fastest axes with eight
 * places together stay in a node. "Contiguous" is the order of the mesh itself. As text: `model,data`, with parts as
 * Shardy writes them: `"data":(1)2` is the slower half of an axis of 4, `"data":(2)2` the faster. A name that contains
 * a comma or a colon is quoted.
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

/* The part of an axis after `pre` of its places, of `size`; the full axis: pre 1, its size. */
typedef struct weft_order_piece { uint32_t axis; int64_t pre, size; } weft_order_piece;
typedef struct weft_order { weft_order_piece pieces[WEFT_ORDER_PIECES]; uint32_t n; } weft_order;

/* Axes after the 64th are left out: weft_order_read refuses such meshes. */
weft_order weft_order_contiguous(const weft_order_mesh *mesh);
/* Reads the text; axes that it omits are the slowest, in their order. WEFT_ERR_USAGE, reported. */
weft_status weft_order_read(weft_context *cx, const weft_order_mesh *mesh, const char *text, weft_order *out);
void weft_order_print(weft_buf *out, const weft_order_mesh *mesh, const weft_order *order);
/* device_of[place], for all places. */
void weft_order_devices(const weft_order_mesh *mesh, const weft_order *order, int32_t *device_of);

typedef struct weft_pattern {
    const int32_t *members;      /* rows of `size` places, -1 after the end of a shorter row */
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

/* For each load: the reach of its most expensive group when place p is device device_of[p]; NULL: p. */
weft_status weft_load_reaches(weft_context *cx, const weft_machine *m, const weft_loads *loads,
                              const int32_t *device_of, weft_reach *out);

/* The time of the loads together. */
weft_status weft_order_time(weft_context *cx, const weft_machine *m, const weft_loads *loads, const int32_t *device_of,
                            double *time_s);

/* The cheapest order found; axes of size 1 are left out of it. The search tries all orders of whole axes, then all of
 * their smallest parts if these are few, else moves of one part at a time. Deterministic on every machine. The
 * result is within a thousandth of the cheapest order tried, and is contiguous if no order is better by more than
 * that. */
typedef struct weft_order_found {
    weft_order order;
    double time_s, contiguous_s;
    int64_t tried;
} weft_order_found;
weft_status weft_order_search(weft_context *cx, const weft_machine *m, const weft_order_mesh *mesh,
                              const weft_loads *loads, weft_order_found *out);

#endif
