/* dryrun_events.h: a step as a list of events on tracks, for drawings: of a vendor's machine its kernels and
 * collectives, of Weft's own the steps of the schedule. */
#ifndef WEFT_TOOL_DRYRUN_EVENTS_H
#define WEFT_TOOL_DRYRUN_EVENTS_H

#include "tool/dryrun.h"

enum { DRYRUN_TRACKS = 64 };

typedef enum dryrun_category { DRYRUN_KERNEL, DRYRUN_COLLECTIVE, DRYRUN_LOOP } dryrun_category;

typedef struct dryrun_event {
    dryrun_category category;  /* a loop: further iterations, which are not drawn */
    const char *name;          /* class of kernel, kind of collective */
    const weft_loc *loc;
    uint32_t track;            /* 0: the device */
    double start_s, end_s;
    double flops, bytes;       /* of a kernel; bytes of a collective too */
    int64_t wire_bytes, iterations;
    weft_str axes;             /* of a collective */
} dryrun_event;

typedef struct dryrun_memory_point { double at_s, bytes; } dryrun_memory_point;

typedef struct dryrun_events {
    const dryrun_event *v; size_t n;
    const char *track[DRYRUN_TRACKS]; uint32_t track_count; /* names */
    const dryrun_memory_point *memory; size_t memory_count; /* the device's memory from then on */
} dryrun_events;

/* In t's arena. */
weft_status dryrun_events_of(tool *t, const weft_dry_report *r, dryrun_events *out);

#endif
