/* machine.h: a machine as numbers, for estimates: levels nested in each other, each joined by one kind of link.
 *
 * A level joins `count` parts, which are the level inside it or, innermost, devices. Devices are numbered from 0: the
 * innermost level is the fastest digit; in a torus the last dimension is. Two devices are joined by the link of the
 * outermost level in which their numbers differ; levels inside it do not matter.
 *
 * A switch gives each device the level's bandwidth while all devices use it. In a torus or grid each device has a link
 * to its neighbours in every dimension, and the bandwidth is that of one link in one direction. A grid has no links
 * that close its rows to rings, nor does a torus in dimensions that are no multiple of its `rings`. The level called
 * "nodes" is the border of shared memory: its parts, and all levels outside it, exchange messages.
 *
 * Machines come from text (machine_read.c; docs/topology.md has the format) and from files by name (weft_machine_open).
 * A machine is a plain value. */
#ifndef WEFT_TOPOLOGY_MACHINE_H
#define WEFT_TOPOLOGY_MACHINE_H

#include "base/diag.h"
#include "topology/links.h"
#include "base/quantity.h"

#define WEFT_MACHINE_LEVELS 8
#define WEFT_MACHINE_DIMS 6                       /* of a torus */
#define WEFT_MACHINE_DEVICES ((int64_t)1 << 24)   /* at most */
#define WEFT_MACHINE_NAME 48
#define WEFT_MACHINE_TEXT "<machine>"             /* the file name in diagnostics for a description given as text */
#define WEFT_COSTS_TEXT "<costs>"                 /* and for a list of costs */

/* What moves the bytes of a collective between the devices of a node: the device itself, which then computes nothing,
 * or an engine beside it. Between nodes the network adapter moves them. */
typedef enum weft_mover { WEFT_MOVER_DEVICE, WEFT_MOVER_ENGINE } weft_mover;

typedef enum weft_wiring { WEFT_WIRED_SWITCH, WEFT_WIRED_TORUS, WEFT_WIRED_GRID } weft_wiring;

typedef struct weft_machine_level {
    char name[WEFT_MACHINE_NAME];      /* of its parts: "nodes", "gpu"; of a torus or grid that word */
    char link_name[WEFT_MACHINE_NAME]; /* "nvlink"; "" if the text has none */
    weft_wiring wiring;
    int dim_count;                     /* 1 of a switch */
    int64_t dims[WEFT_MACHINE_DIMS];   /* dims[0] 0: open; only for the outermost level, a switch */
    int64_t rings;                     /* of a torus: only dimensions that are a multiple of it are rings; 0: all are */
    /* the text gave the bandwidth of a whole part; link has one device's share */
    bool is_shared;
    weft_link link;
    /* Of collectives by the vendor's library (cost/library.h); 0, 1, 0 and 1 where the text has none. */
    double launch_s;                   /* of a call */
    double share;                      /* of the bandwidth, for large sizes */
    double ramp_bytes;                 /* at this size half of that */
    double reduces;                    /* how much faster all_reduce is where the switch adds; 1: it does not */
} weft_machine_level;

/* Whose code runs there: Weft's own, step by step as codegen/ plans it, or that of the machine's compiler and library,
 * whose kernels and collectives are costed by class and size (cost/kernel.h, cost/library.h). */
typedef enum weft_compiler { WEFT_COMPILER_OWN, WEFT_COMPILER_VENDOR } weft_compiler;

/* Figures that passes compare costs by (costs.def): the default machine's where the text has no others. */
typedef struct weft_costs {
#define COST(field, name, quantity, value, most, use) double field;
#include "topology/costs.def"
} weft_costs;

/* The same as a table, in the order of costs.def; a cost is at `offset` of a weft_costs. */
typedef struct weft_cost_field {
    const char *name;
    weft_quantity quantity;
    size_t offset;
    double most;           /* 0: as its quantity */
    const char *use;
} weft_cost_field;
enum {
#define COST(field, name, quantity, value, most, use) WEFT_COST_##field,
#include "topology/costs.def"
    WEFT_COST_COUNT
};
extern const weft_cost_field weft_cost_fields[WEFT_COST_COUNT];
double weft_cost_get(const weft_costs *costs, size_t i);
void weft_cost_set(weft_costs *costs, size_t i, double v);
void weft_cost_print(weft_buf *b, const weft_costs *costs, size_t i); /* "keep 20" */

typedef struct weft_machine {
    char name[WEFT_MACHINE_NAME];
    char about[160];
    double flops_per_s;                /* one device's arithmetic, in f32 or the usual type of training: see about */
    double bytes_per_s;                /* one device's main memory */
    double memory_bytes;               /* its size; 0: not given */
    weft_mover mover;                  /* within a node */
    weft_compiler compiler;
    /* of a device: the text's, or the default machine's if it has none */
    enum { WEFT_RATES_GIVEN, WEFT_RATES_DEFAULT } rates;
    int level_count;
    weft_machine_level levels[WEFT_MACHINE_LEVELS]; /* the outermost first */

    /* The same for code that distinguishes two levels: inside a node, and between nodes (WEFT_LINK_NETWORK). */
    int64_t node_devices;              /* of one node */
    weft_link_level node_level;        /* the index of its innermost level's link */
    weft_links links;
    weft_costs costs;
} weft_machine;

/* The machine for estimates when the user names none: nodes of a CPU with a device per core. */
extern const weft_machine weft_machine_default;

/* Reads a description. name is the file's, for messages and for out->name. WEFT_ERR_INVALID, reported at
 * file:line:column. */
weft_status weft_machine_read(weft_context *cx, weft_str text, const char *name, weft_machine *out);

/* The machine of "NAME", "NAME:SIZE", the path of a file, which contains a '/' or a '.', or a description itself, which
 * contains a blank and is no file. NAME is a file NAME.machine of the first folder that has one: those of `folders` (as
 * in PATH; NULL: none), those beside the running program, the installed ones. SIZE is a number, for an outermost level
 * without a size of its own, or the sizes of the torus, as 4x4x8. WEFT_ERR_USAGE, reported, if there is no such NAME,
 * the SIZE does not fit or the description is wrong: at WEFT_MACHINE_TEXT:line:column. */
weft_status weft_machine_open(weft_context *cx, const char *what, const char *folders, weft_machine *out);

/* Changes the costs of m to those of a list of names and values, "keep 20 row 64KiB", with '#' for comments; others
 * stay. WEFT_ERR_INVALID, reported at name:line:column; m is then as before. */
weft_status weft_costs_read(weft_context *cx, weft_str text, const char *name, weft_machine *m);
/* The same of a file, or of the list itself, which contains a blank and is no file: an error in it is WEFT_ERR_USAGE,
 * reported at WEFT_COSTS_TEXT:line:column. */
weft_status weft_costs_open(weft_context *cx, const char *what, weft_machine *m);
/* Those that differ from `usual`, a line each, from which weft_costs_read makes them of it. */
void weft_costs_print(weft_buf *b, const weft_costs *costs, const weft_costs *usual);

/* Calls back with each file that weft_machine_open would find by name, in alphabetical order. An unreadable one is
 * reported and skipped; the status is that of the first such one. */
typedef void (*weft_machine_visit)(void *user, const char *name, const char *about);
weft_status weft_machine_each(weft_context *cx, const char *folders, weft_machine_visit visit, void *user);

/* Sets SIZE (see above). WEFT_ERR_USAGE, reported, if it does not fit. */
weft_status weft_machine_resize(weft_context *cx, weft_machine *m, weft_str size);

/* Gives an outermost level without a size the size that holds `devices`. WEFT_ERR_USAGE, reported, if the machine is
 * too small. */
weft_status weft_machine_hold(weft_context *cx, weft_machine *m, int64_t devices);

/* The description as text, from which the same machine is read; and parts of it: "450GB/s 2us", "torus 4x4". */
void weft_machine_print(const weft_machine *m, weft_buf *out);
void weft_link_print(weft_buf *out, const weft_link *l);
void weft_level_print(weft_buf *out, const weft_machine_level *l);

/* The number of devices; of one part of level i (0: the outermost) and of the levels from i on. An open size counts
 * as 1. */
int64_t weft_machine_devices(const weft_machine *m);
int64_t weft_machine_part_devices(const weft_machine *m, int level);
int64_t weft_level_count(const weft_machine_level *l);

/* The innermost level that is joined by messages; -1: there is none. */
int weft_machine_message_level(const weft_machine *m);

/* Fills in the derived fields from the levels and the rates, which stay as they are: links, node_devices. */
void weft_machine_settle(weft_machine *m);

/* The reach of a group of devices: each member's share of the outermost level in which they differ, while all devices
 * of the machine are busy in such groups. */
typedef struct weft_reach {
    int level;           /* -1: they do not differ */
    /* latency of a message between the farthest two; bandwidth of all links that a member can use at once */
    weft_link link;
    int64_t on_node;     /* members in the first member's node */
    /* of those, the members in the first member's part of the outermost level in which they differ; all of them if that
     * level joins devices */
    int64_t on_package;
    weft_link node_link; /* each one's share of that level; zero if they do not differ */
    int64_t inside;      /* members in the first member's part of that level */
    int inside_level;    /* the outermost level in which those differ, -1: they do not */
    weft_link inside_link; /* and each one's share of it */
} weft_reach;
weft_reach weft_machine_reach(const weft_machine *m, const int32_t *devices, int64_t n);
/* The same for the devices 0, stride, 2 stride ... (n of them), which must exist on the machine. */
weft_reach weft_machine_reach_strided(const weft_machine *m, int64_t n, int64_t stride);

/* "nvlink 450GB/s 2us": the link of such a group. */
void weft_reach_print(weft_buf *out, const weft_machine *m, const weft_reach *r);

#endif
