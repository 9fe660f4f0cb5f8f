/* build.h: from a FILE argument to a compiled program: the options that run and compile share, and what follows. */
#ifndef WEFT_TOOL_BUILD_H
#define WEFT_TOOL_BUILD_H

#include "runtime/program_file.h"
#include "tool/program.h"

typedef struct tool_build_settings {
    int64_t devices;
    const char *mesh, *order, *topology, *costs, *types, *plan, *cpu, *memory, *precision;
    bool obey, blocking;
    tool_compiling compiling;
} tool_build_settings;

#define TOOL_BUILD_OPTIONS(settings, field) \
    { "devices", "N", TOOL_NUMBER, offsetof(settings, field.devices), \
      "devices to run on; the program's mesh by default, 1: unpartitioned" }, \
    { "mesh", "AXIS=SIZE,...", TOOL_TEXT, offsetof(settings, field.mesh), \
      "sizes of mesh axes to use instead of the program's" }, \
    { "order", "AXES|auto", TOOL_TEXT, offsetof(settings, field.order), \
      "device order: these axes, the slowest first; auto: the cheapest for --topology" }, \
    { "obey-constraints", NULL, TOOL_FLAG, offsetof(settings, field.obey), \
      "reshard values to their sharding constraints, whatever that costs" }, \
    { "plan", "FILE", TOOL_TEXT, offsetof(settings, field.plan), \
      "follow the plan in FILE, printed by 'weft explain --plan', for the ops in it" }, \
    { "topology", "FILE|NAME[:N]", TOOL_TEXT, offsetof(settings, field.topology), \
      "the machine by whose costs plan, order and schedule are chosen, as in dryrun" }, \
    { "machine", "FILE|NAME[:N]", TOOL_TEXT, offsetof(settings, field.topology), \
      "the same" }, \
    { "costs", "FILE|LIST", TOOL_TEXT, offsetof(settings, field.costs), \
      "costs in place of the machine's, as from 'weft tune FILE', or a list (default: WEFT_COSTS)" }, \
    { "types", "TYPE,...", TOOL_TEXT, offsetof(settings, field.types), \
      "types of all arguments, for a program that leaves sizes open with '?'" }, \
    { "memory", "SIZE", TOOL_TEXT, offsetof(settings, field.memory), \
      "the most that a device may hold, e.g. 8GiB: more is computed again then, and less fused" }, \
    { "precision", "f32|bf16", TOOL_TEXT, offsetof(settings, field.precision), \
      "bf16: products of f32 round their operands to it, and sum up in f32 (default f32)" }, \
    { "no-overlap", NULL, TOOL_FLAG, offsetof(settings, field.blocking), \
      "finish each collective before the next step" }

/* options.c: the first of these options that is given, --devices and --topology left out: it says how a program is
 * compiled. NULL: none is. */
const char *tool_build_option(const tool_build_settings *s);

/* What else a command wants of the program. */
typedef struct tool_build_request {
    const char *inputs;          /* a folder of .npy files whose sizes the program takes; may be NULL */
    weft_cache *cache;           /* may be NULL */
    bool leads;                  /* the launch's other processes wait for this program; else they compile it, too */
    weft_compile_dump dump;
    weft_buf *dumped;
} tool_build_request;

typedef struct tool_built {
    weft_module *m;              /* as read */
    weft_built_program *p;
    weft_ordered order;
    weft_build_options options;  /* as p is built by them; good for as long as this struct is where it is */
    char mesh[1024];             /* of the options, where the tool chose it */
    double compile_s;            /* from the module as read to the executable */
} tool_built;

/* The program of t->input with the options, compiled; with a dump only as far as that needs. tool_built_free also after
 * a failure. */
weft_status tool_build(tool *t, const tool_build_settings *s, const tool_build_request *r, tool_built *out);
void tool_built_free(tool_built *b);

#endif
