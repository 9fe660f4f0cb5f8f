/* splits.h: the borders of the sorted parts of several devices, so that device j gets elements [j part, (j + 1) part)
 * of all of them in order.
 *
 * Each device has a sorted row. The first t elements of all rows, for t = part, 2 part ..., are the first s[k] of each
 * device k; elements that the comparator calls equal are in the order of the devices. The devices find s together, in
 * rounds: for each t and each device there is a window in which s[k] lies, at first the whole row. In a round every
 * device tells the others some elements of its windows, evenly spaced, and each sorts those of all devices. An element
 * of rank at most t, as far as the spacing allows to say, ends the windows below; the first one of rank at least t ends
 * them above. The last round has spacing 1, so that s is exact. How many elements and rounds that takes follows from
 * the sizes alone, so all shapes are static. Source: the exact splitting of Varman, Scheufler, Iyer and Ricard, Merging
 * multiple lists on hierarchical-memory multiprocessors, J. Parallel Distrib. Comput. 12 (1991), by sampling.
 */
#ifndef WEFT_PARTITIONER_SPLITS_H
#define WEFT_PARTITIONER_SPLITS_H

#include "partitioner/lower/localize.h"

/* Elements of a window that a device tells in the first round, where the windows are rows, and in each later one. */
typedef struct weft_split_plan { int64_t first, later, rounds; } weft_split_plan;

/* Few elements in few rounds, for rows of `part` elements on so many devices. */
weft_split_plan weft_split_plan_of(int64_t part, int64_t devices);
/* Elements that a device tells, of each row. */
int64_t weft_split_told(const weft_split_plan *p, int64_t devices);
/* Elements of the largest value that a device holds for it, of each row. */
int64_t weft_split_room(const weft_split_plan *p, int64_t devices);

/* Sorted rows: of `count` operands [rows, part], over devices along atoms. real: [devices], an offset's element type:
 * how many elements of its rows each device has, the others being last. */
typedef struct weft_split_rows {
    weft_value *const *x;      /* NULL: op's comparator does not look at this operand */
    uint32_t count;
    int64_t rows, part, size, devices;
    const uint8_t *atoms; uint32_t n;
    weft_value *real;
} weft_split_rows;

/* [rows, devices + 1, devices]: entry [r, j, k] is how many elements of row r of device k are among the first j part of
 * all; NULL after an error. op: the sort. */
weft_value *weft_split_find(weft_localizer *z, const weft_op *op, const weft_split_rows *s);

/* stablehlo.sort along dimension d by op's comparator, with `carried` more operands that it does not look at; NULL
 * after an error. */
weft_op *weft_sort_build(weft_localizer *z, const weft_op *op, weft_value *const *x, uint32_t carried, uint32_t d);
/* Broadcasts: dimension i of y is dims[i] of shape. */
weft_value *weft_split_spread(weft_localizer *z, weft_value *y, uint32_t rank, const int64_t *shape,
                              const int64_t *dims);
/* Elements of the rows x [rows, n] at positions at [rows, g, s]: in its shape. */
weft_value *weft_split_elements(weft_localizer *z, weft_value *x, weft_value *at);
/* The sums of x along dimension d up to each element. */
weft_value *weft_split_running(weft_localizer *z, weft_value *x, uint32_t d);

#endif
