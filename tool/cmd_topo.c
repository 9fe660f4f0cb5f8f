/* cmd_topo: `weft topo`: the machine as a tree, and where ranks sit on it. */
#include <stdlib.h>
#include <weft/topo.h>
#include "tool/tool.h"

typedef struct topo_settings {
    const char *xml, *synthetic;
    int64_t ranks;
} topo_settings;

static const tool_option options[] = {
    { "ranks", "N", TOOL_COUNT, offsetof(topo_settings, ranks), "ranks to lay out; by default the processes of mpirun, alone one per core" },
    { "xml", "FILE", TOOL_TEXT, offsetof(topo_settings, xml), "a machine saved by hwloc's lstopo" },
    { "synthetic", "TEXT", TOOL_TEXT, offsetof(topo_settings, synthetic), "a machine described in hwloc's way" },
};

static weft_status print(tool *t, const weft_topology *topo, int ranks) {
    size_t n = weft_topology_print(topo, ranks, NULL, 0);
    char *text = malloc(n + 1);
    if (!text) return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    weft_topology_print(topo, ranks, text, n + 1);
    fputs(text, stdout);
    free(text);
    return WEFT_OK;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const topo_settings *s = settings;
    weft_topology *topo = NULL;
    weft_status st;
    (void)arguments;
    (void)count;
    if (s->xml && s->synthetic) return tool_usage(t, "--xml and --synthetic exclude each other");
    if (t->launch.process != 0) return TOOL_DONE;
    if (s->xml) st = weft_topology_from_xml(t->cx, s->xml, &topo);
    else if (s->synthetic) st = weft_topology_from_synthetic(t->cx, s->synthetic, &topo);
    else st = weft_topology_discover(t->cx, &topo);
    int64_t ranks = s->ranks ? s->ranks : t->launch.processes > 1 ? t->launch.processes : topo ? weft_topology_cores(topo) : 1;
    if (st == WEFT_OK) st = print(t, topo, (int)weft_min_i64(ranks, 1 << 20));
    weft_topology_free(topo);
    return tool_exit_of(st);
}

const tool_command tool_cmd_topo = {
    .name = "topo",
    .arguments = "",
    .summary = "show the machine and where its ranks sit",
    .description = "Prints what hwloc finds as a tree, one object a line, with the ranks behind the cores that they are bound to. A machine\n"
                   "that is not here can be given as hwloc's XML or as a synthetic description.",
    .examples = "weft topo\n"
                "mpirun -n 4 weft topo                                   # where these four sit\n"
                "weft topo --ranks 8 --synthetic 'package:2 core:4 pu:2'",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(topo_settings),
    .run = run,
};
