/* process.h: the devices that a collective of the program joins.
 *
 * A StableHLO program runs on a grid of replicas times partitions. Process (r, p) is device r * partitions + p, the
 * order in which StableHLO flattens ids. The meaning of dense groups depends on the op's channel and flag:
 *
 *   cross_replica                 no channel                       ids are replicas; a group per partition
 *   cross_partition               channel, of ops without the flag ids are partitions; a group per replica
 *   cross_replica_and_partition   channel, no use_global_device_ids ids are replicas; all their partitions are one
 *                                 group
 *   flattened_ids                 channel, use_global_device_ids   ids are devices
 *
 * With one replica, the first and the third could only ever name id 0. Groups that name others are then read as
 * devices, as programs written for partitions only mean them. Groups along axes of a mesh are of partitions, in each
 * replica.
 * Source: StableHLO docs/spec.md, "Collective ops", and the ops' own sections.
 */
#ifndef WEFT_IR_PROCESS_H
#define WEFT_IR_PROCESS_H

#include "ir/attr_numbers.h"
#include "ir/module.h"

#define WEFT_MAX_DEVICES (1 << 24) /* devices that a program may name */

typedef struct weft_grid { int64_t replicas, partitions; } weft_grid;

/* Splits the devices into rows of mhlo.num_replicas; reports a number that does not divide them. */
weft_status weft_grid_of(const weft_module *m, int64_t devices, weft_grid *out);

typedef struct weft_process_groups {
    /* [count][size] devices, -1 after the end of a shorter group; a permute's rows are source and target */
    const int64_t *ids;
    int64_t count, size;
} weft_process_groups;

/* The groups of op, an op of m, or its pairs; ids live in arena. Reports ids outside the grid. */
weft_status weft_process_groups_of(const weft_module *m, const weft_op *op, weft_grid grid, weft_arena *arena,
                                   weft_process_groups *out);

/* Groups by attribute and meaning: most collectives of a large program have one of a few lists of many devices. */
typedef struct weft_known_groups {
    weft_process_groups groups;
    uint32_t number;                      /* from 0, in the order of first occurrence */
    unsigned meaning;
    const struct weft_known_groups *next; /* of the same attribute, with another meaning */
} weft_known_groups;
typedef struct weft_group_list { weft_attr_facts facts; uint32_t count; } weft_group_list;

static inline weft_group_list weft_group_list_in(weft_arena *arena) {
    return (weft_group_list){ .facts.numbers = weft_attr_numbers_in(arena) };
}

/* The same groups, spelled out once in the list's arena. All ops are of one module on one grid. */
weft_status weft_known_groups_of(weft_group_list *list, const weft_module *m, const weft_op *op, weft_grid grid,
                                 const weft_known_groups **out);

/* The largest channel handle of m's collectives, or 0: a pass adds higher ones. */
weft_status weft_last_channel(const weft_module *m, int64_t *out);

#endif
