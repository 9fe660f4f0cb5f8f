/* group.h: which devices a collective step joins, as a list of their numbers. */
#ifndef WEFT_RUNTIME_GROUP_H
#define WEFT_RUNTIME_GROUP_H

#include "exec/executable.h"

/* The members of device's group in group order into members[0..g->size), and how many: the axes as one mixed-radix
 * number, major to minor, or the row of a dense list. 0 when device is in no group. */
int weft_group_members(const weft_executable *x, const weft_group *g, int64_t device, int *members);

/* The device that sends to device, and the one that device sends to, by the step's pairs; -1: none. */
void weft_group_partners(const weft_group *g, int64_t device, int *source, int *target);

#endif
