/* sweep.h: meshes to try, and which of them are worth a look.
 *
 * "data=8..512,model=1..16" is every mesh with these axes whose sizes are powers of two between the bounds, times the
 * lower bound where that is none (3..12: 3, 6, 12). One number is a single size.
 */
#ifndef WEFT_PIPELINE_DRYRUN_SWEEP_H
#define WEFT_PIPELINE_DRYRUN_SWEEP_H

#include "base/context.h"

enum { WEFT_SWEEP_AXES = 8, WEFT_SWEEP_POINTS = 10000 };

typedef struct weft_sweep_point {
    char *mesh;                /* "data=8,model=4" */
    int64_t devices;
} weft_sweep_point;

/* All points in the order of their sizes, the last axis fastest; with devices above 0 those of that number. Reports a
 * text that is no sweep, and one without points. In arena. */
weft_status weft_sweep_read(weft_context *cx, const char *text, int64_t devices, weft_arena *arena,
                            const weft_sweep_point **out, size_t *count);

/* What a point costs; known false: it could not be planned. at_least: its memory is at least `bytes`, and it may not
 * fit though `fits` says so. */
typedef struct weft_sweep_cost { double step_s, bytes; bool known, fits, best, at_least; } weft_sweep_cost;

/* Whether x is cheaper: it fits and y does not, or it takes less time (of those that do not fit: less memory). A
 * smaller difference, as a share of y, is none. */
#define WEFT_LEAST_GAIN 1e-3
bool weft_cost_is_less(const weft_sweep_cost *x, const weft_sweep_cost *y);
/* The same, where any difference counts. */
bool weft_cost_is_lower(const weft_sweep_cost *x, const weft_sweep_cost *y);

/* Sets `best` where no other point that fits as well is at least as good in time and memory and better in one. */
void weft_sweep_frontier(weft_sweep_cost *v, size_t n);

#endif
