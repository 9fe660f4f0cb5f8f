/* machine.h: a machine as numbers, for estimates: levels nested in each other, each joined by one kind of link.
 *
 * A level joins `count` parts, which are the level inside it or, innermost, devices. Devices are numbered through from
 * 0: the innermost level is the fastest digit, and of a torus its last dimension. Two devices are joined by the link of
 * the outermost level in which their numbers differ; levels inside it do not matter.
 *
 * A switch gives each device the level's bandwidth while all devices use it. In a torus or grid each device has a link
 * to its neighbours in every dimension, and the bandwidth is that of one link in one direction; a grid has no links
 * that close its rows to rings, nor have the dimensions of a torus that are no multiple of its `rings`. The level
 * called "nodes" is where shared memory ends: what it joins, and all outside, talk in messages.
 *
 * Machines come from text (machine_read.c; docs/topology.md has the format) and from files by name (weft_machine_open).
 * A machine is a plain value. */
#ifndef WEFT_TOPOLOGY_MACHINE_H
#define WEFT_TOPOLOGY_MACHINE_H

#include "base/diag.h"
#include "topology/links.h"

#define WEFT_MACHINE_LEVELS 8
#define WEFT_MACHINE_DIMS 6                       /* of a torus */
#define WEFT_MACHINE_DEVICES ((int64_t)1 << 24)   /* the most there may be */
#define WEFT_MACHINE_NAME 48
#define WEFT_MACHINE_TEXT "<machine>"             /* what diagnostics call the file of a description that is in none */

/* Who moves the bytes of a collective between the devices of a node: the device itself, which then computes nothing, or
 * an engine beside it. Between nodes the network's adapter moves them. */
typedef enum weft_mover { WEFT_MOVER_DEVICE, WEFT_MOVER_ENGINE } weft_mover;

typedef enum weft_wiring { WEFT_WIRED_SWITCH, WEFT_WIRED_TORUS, WEFT_WIRED_GRID } weft_wiring;

typedef struct weft_machine_level {
    char name[WEFT_MACHINE_NAME];      /* of its parts: "nodes", "gpu"; of a torus or grid that word */
    char link_name[WEFT_MACHINE_NAME]; /* "nvlink"; "" where the text has none */
    weft_wiring wiring;
    int dim_count;                     /* 1 of a switch */
    int64_t dims[WEFT_MACHINE_DIMS];   /* dims[0] 0: as many as it takes; only of the outermost level, a switch */
    int64_t rings;                     /* of a torus: only dimensions that are a multiple of it close; 0: all do */
    /* the text gave the bandwidth of a whole part, of which link has one device's share */
    bool is_shared;
    weft_link link;
} weft_machine_level;

typedef struct weft_machine {
    char name[WEFT_MACHINE_NAME];
    char about[160];
    double flops_per_s;                /* one device's arithmetic, f32 or what its users train in; about says */
    double bytes_per_s;                /* one device's main memory */
    double memory_bytes;               /* its size; 0: the text does not say */
    weft_mover mover;                  /* within a node */
    /* of a device: the text's, or the default machine's where it has none */
    enum { WEFT_RATES_GIVEN, WEFT_RATES_DEFAULT } rates;
    int level_count;
    weft_machine_level levels[WEFT_MACHINE_LEVELS]; /* the outermost first */

    /* The same for those who tell two levels apart: inside a node, and between nodes (WEFT_LINK_NETWORK). */
    int64_t node_devices;              /* of one node */
    weft_link_level node_level;        /* the index of its innermost level's link */
    weft_links links;
} weft_machine;

/* The machine that estimates are for when nobody names one: nodes of a CPU with a device per core. */
extern const weft_machine weft_machine_default;

/* Reads a description. name is that of the file, for messages and for out->name. WEFT_ERR_INVALID, reported at
 * file:line:column. */
weft_status weft_machine_read(weft_context *cx, weft_str text, const char *name, weft_machine *out);

/* The machine of "NAME", "NAME:SIZE", the path of a file, which has a '/' or a '.' in it, or a description as it
 * stands, which has a blank in it and is no file. NAME is a file NAME.machine of the first folder that has one: those
 * of `folders` (as in PATH; NULL: none), those beside the running program, the installed ones. SIZE is a number, for an
 * outermost level that has none of its own, or the sizes of the torus, as 4x4x8. WEFT_ERR_USAGE, reported, where there
 * is no such NAME, the SIZE does not fit or a description as it stands is wrong: at WEFT_MACHINE_TEXT:line:column. */
weft_status weft_machine_open(weft_context *cx, const char *what, const char *folders, weft_machine *out);

/* The files that weft_machine_open would find by name, in the order of the alphabet: calls back with each. One that
 * cannot be read is reported and passed over; the status is then the first such one's. */
typedef void (*weft_machine_visit)(void *user, const char *name, const char *about);
weft_status weft_machine_each(weft_context *cx, const char *folders, weft_machine_visit visit, void *user);

/* Puts SIZE (see above) in. WEFT_ERR_USAGE, reported, where it does not fit. */
weft_status weft_machine_resize(weft_context *cx, weft_machine *m, weft_str size);

/* Gives an outermost level without a size the one that holds `devices`. WEFT_ERR_USAGE, reported, when the machine is
 * too small. */
weft_status weft_machine_hold(weft_context *cx, weft_machine *m, int64_t devices);

/* The description as text, which reads to the same machine; and parts of it: "450GB/s 2us", "torus 4x4". */
void weft_machine_print(const weft_machine *m, weft_buf *out);
void weft_link_print(weft_buf *out, const weft_link *l);
void weft_level_print(weft_buf *out, const weft_machine_level *l);

/* Devices; of one part of level i (0: the outermost) and of the levels from i on. An open size counts as 1. */
int64_t weft_machine_devices(const weft_machine *m);
int64_t weft_machine_part_devices(const weft_machine *m, int level);
int64_t weft_level_count(const weft_machine_level *l);

/* The innermost level that is joined by messages, -1: none is. */
int weft_machine_message_level(const weft_machine *m);

/* Fills what follows from the levels and the rates: links, node_devices. */
void weft_machine_settle(weft_machine *m);

/* Where a group of devices lies: what each of its members gets of the outermost level in which they differ, while all
 * devices of the machine are busy in groups like it. */
typedef struct weft_reach {
    int level;           /* -1: they do not differ */
    /* latency of a message between the farthest two; bandwidth of all links that a member can use at once */
    weft_link link;
    int64_t on_node;     /* members in the first member's node */
    /* of those, in the first member's part of the outermost level in which they differ; all of them where that joins
     * devices */
    int64_t on_package;
    weft_link node_link; /* what each of them gets of that level; nothing where they do not differ */
    int64_t inside;      /* members in the first member's part of that level */
    int inside_level;    /* the outermost level in which those differ, -1: they do not */
    weft_link inside_link; /* and what each of them gets of it */
} weft_reach;
weft_reach weft_machine_reach(const weft_machine *m, const int32_t *devices, int64_t n);
/* The same of the devices 0, stride, 2 stride ... (n of them), which lie on the machine. */
weft_reach weft_machine_reach_strided(const weft_machine *m, int64_t n, int64_t stride);

#endif
