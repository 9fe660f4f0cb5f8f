/* cmd_topo: `weft topo`: the machine, this one or a described one, as a tree or as SVG, with the places of its ranks.
 *
 * Under mpirun every process sends its node and its binding, and the first process of each node sends the node's tree;
 * process 0 draws. Alone, the ranks are assigned contiguously to the cores, as devices of one process are. */
#include <stdlib.h>
#include <unistd.h>
#include <weft/coll.h>
#include "runtime/execute.h"
#include "topology/draw.h"
#include "tool/tool.h"

typedef struct topo_settings {
    const char *xml, *synthetic, *topology, *svg;
    int64_t ranks;
    bool list, why;
} topo_settings;

static const tool_option options[] = {
    { "ranks", "N", TOOL_COUNT, offsetof(topo_settings, ranks), "number of ranks; by default the processes of mpirun, alone one per core" },
    { "svg", "FILE", TOOL_TEXT, offsetof(topo_settings, svg), "draw into FILE instead (-: standard output)" },
    { "topology", "FILE|NAME[:N]", TOOL_TEXT, offsetof(topo_settings, topology), "a machine in Weft's format, with N nodes" },
    { "xml", "FILE", TOOL_TEXT, offsetof(topo_settings, xml), "a machine saved by hwloc's lstopo" },
    { "synthetic", "TEXT", TOOL_TEXT, offsetof(topo_settings, synthetic), "a machine in hwloc's synthetic format" },
    { "list", NULL, TOOL_FLAG, offsetof(topo_settings, list), "list the named machines" },
    { "why", NULL, TOOL_FLAG, offsetof(topo_settings, why), "print the parts of this machine that cgroups and binding allow" },
};

static weft_status no_memory(tool *t) { return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory"); }

static weft_status draw(tool *t, const topo_settings *s, const weft_box *root) {
    weft_buf out;
    weft_buf_init(&out, &t->cx->alloc);
    weft_status st = root ? WEFT_OK : no_memory(t);
    if (st == WEFT_OK && s->svg) st = weft_box_svg(t->cx, root, &out);
    else if (st == WEFT_OK) weft_box_text(root, &out);
    if (st == WEFT_OK && out.failed) st = no_memory(t);
    if (st == WEFT_OK) st = tool_output_write(t, s->svg, out.p, out.n);
    weft_buf_free(&out);
    return st;
}

/* The measurements of this machine (weft tune), else estimates. */
static weft_status measured(tool *t, weft_links *out) {
    weft_topology *node = NULL;
    weft_tune *table = weft_arena_new(&t->cx->arena, weft_tune);
    bool there;
    if (!table) return weft_oom();
    *out = weft_links_default;
    if (!weft_tune_any(&t->tune)) return weft_tune_miss(t->cx, &t->tune);
    weft_status st = weft_topology_discover_with(t->cx, WEFT_TOPOLOGY_UNBOUND, &node);
    if (st == WEFT_OK) st = weft_tune_find(t->cx, &t->tune, node, table, &there);
    if (st == WEFT_OK) *out = table->links;
    weft_topology_free(node);
    return st;
}

/* --- one machine -------------------------------------------------------------------------------------------------- */

#define MOST_RANKS (1 << 20) /* each is tested for each core */

typedef struct laid { int ranks; } laid;

static void contiguous(const void *user, const weft_topology *topo, int core, unsigned char *has) {
    const laid *l = user;
    for (int r = 0; r < l->ranks; r++) {
        int first, n;
        weft_topology_place(topo, l->ranks, r, &first, &n);
        has[r] = core >= first && core < first + n;
    }
}

static weft_status draw_one(tool *t, const topo_settings *s, const weft_topology *topo, const weft_links *links) {
    if (s->ranks > MOST_RANKS) return weft_report(t->cx, WEFT_D_usage, NULL, "--ranks is at most %d", MOST_RANKS);
    laid l = { s->ranks ? (int)s->ranks : weft_topology_cores(topo) };
    weft_rank_map map = { l.ranks, contiguous, &l };
    return draw(t, s, weft_topology_boxes(&t->cx->arena, topo, links, &map));
}

static weft_status draw_described(tool *t, const topo_settings *s) {
    weft_machine m;
    weft_status st = tool_machine_open(t, s->topology, &m);
    if (st == WEFT_OK) st = weft_machine_hold(t->cx, &m, s->ranks ? s->ranks : 1);
    return st == WEFT_OK
               ? draw(t, s, weft_machine_boxes(&t->cx->arena, &m, s->ranks ? s->ranks : weft_machine_devices(&m)))
               : st;
}

/* --- the nodes of a launch ---------------------------------------------------------------------------------------- */

/* A process's description of itself. */
typedef struct card {
    char host[64];
    char node[64];       /* WEFT_NODE; "": the node has no name of its own */
    int64_t whole;       /* 1: not bound to a part of the node */
} card;

/* A text of each rank, or none, one after another on rank 0. */
typedef struct texts {
    int64_t *sizes;      /* [ranks]: bytes */
    char *all;
} texts;

/* The place of a rank. Nodes are the world's, of which one host may have several: two network namespaces, two names in
 * WEFT_NODE. */
typedef struct stand {
    int leader;          /* the first rank of its node, which represents it */
    int seat;            /* its number on the node */
    int seats;           /* of a leader: ranks on the node */
    const char *cpus;    /* on rank 0: the processors of its binding */
} stand;

typedef struct launched {
    weft_world *world;
    weft_comm *comm;
    int rank, ranks;
    card *cards;         /* [ranks] */
    stand *stands;       /* [ranks] */
    texts trees, cpus;   /* trees: one per node, of its leader */
} launched;

/* The ranks of a node are in world order, and so are nodes, but a node's ranks need not be consecutive. */
static weft_status seat_all(tool *t, launched *l) {
    const int nodes = weft_world_nodes(l->world);
    int *leader = weft_arena_array(&t->cx->arena, int, nodes);
    if (!leader) return no_memory(t);
    for (int i = 0; i < nodes; i++) leader[i] = -1;
    for (int r = 0; r < l->ranks; r++) {
        int *first = &leader[weft_world_node_of(l->world, r)];
        if (*first < 0) *first = r;
        l->stands[r].leader = *first;
        l->stands[r].seat = l->stands[*first].seats++;
    }
    return WEFT_OK;
}

/* The ranks of one node, and how the unbound ones share it. */
typedef struct node_ranks { const launched *l; int leader; } node_ranks;

static void on_node(const void *user, const weft_topology *topo, int core, unsigned char *has) {
    const node_ranks *n = user;
    const stand *at = n->l->stands;
    for (int r = 0; r < n->l->ranks; r++) {
        if (at[r].leader != n->leader) continue;
        int first, count;
        weft_topology_place(topo, at[n->leader].seats, at[r].seat, &first, &count);
        has[r] = n->l->cards[r].whole ? core >= first && core < first + count
                                      : weft_topology_core_among(topo, core, at[r].cpus) != 0;
    }
}

static weft_status describe(tool *t, card *mine, weft_buf *xml, weft_buf *cpus) {
    weft_topology *part = NULL, *whole = NULL;
    gethostname(mine->host, sizeof mine->host - 1);
    if (t->node) weft_utf8_copy(mine->node, sizeof mine->node, weft_str_from(t->node));
    weft_status st = weft_topology_discover(t->cx, &part);
    if (st == WEFT_OK) st = weft_topology_discover_with(t->cx, WEFT_TOPOLOGY_DEVICES | WEFT_TOPOLOGY_UNBOUND, &whole);
    mine->whole = st == WEFT_OK && weft_topology_whole(part);
    if (st == WEFT_OK && !mine->whole) st = weft_topology_bound_cpus(part, cpus);
    if (st == WEFT_OK) st = weft_topology_to_xml(t->cx, whole, xml);
    weft_topology_free(part);
    weft_topology_free(whole);
    return st;
}

/* Sends every rank's n bytes to rank 0. */
static weft_status gather(tool *t, launched *l, const char *text, size_t n, texts *out) {
    int64_t mine = (int64_t)n, bytes = 0;
    weft_coll_buf size = { &mine, out->sizes, weft_coll_type("i64"), 1, 1, 1 };
    weft_status st = weft_coll_all_gather(l->comm, &size, 1, NULL);
    for (int r = 0; r < l->ranks; r++) bytes += out->sizes[r];
    out->all = st == WEFT_OK && l->rank == 0 ? malloc((size_t)bytes + 1) : NULL;
    weft_coll_uneven b = { .in = text, .out = out->all, .dtype = weft_coll_type("ui8"), .out_counts = out->sizes };
    if (st == WEFT_OK && l->rank == 0 && !out->all) st = no_memory(t);
    return st == WEFT_OK ? weft_coll_gather_uneven(l->comm, 0, &b, 1, NULL) : st;
}

/* Sends the trees of all nodes and the bindings of all ranks. */
static weft_status gather_all(tool *t, launched *l, const weft_buf *xml, const weft_buf *cpus) {
    const bool speaks = l->stands[l->rank].leader == l->rank;
    weft_status st = gather(t, l, xml->p, speaks ? xml->n : 0, &l->trees);
    /* including the NUL */
    if (st == WEFT_OK) st = gather(t, l, cpus->n ? cpus->p : "", cpus->n ? cpus->n + 1 : 0, &l->cpus);
    int64_t at = 0;
    for (int r = 0; r < l->ranks && st == WEFT_OK && l->rank == 0; at += l->cpus.sizes[r++])
        l->stands[r].cpus = l->cpus.sizes[r] ? l->cpus.all + at : "";
    return st;
}

static weft_status draw_nodes(tool *t, const topo_settings *s, launched *l) {
    weft_arena *a = &t->cx->arena;
    int nodes = 0, node_number = 0;
    for (int r = 0; r < l->ranks; r++) nodes += l->trees.sizes[r] > 0;
    weft_box *root =
        weft_box_add(a, NULL, WEFT_BOX_MACHINE, "%d %s, %d ranks", nodes, nodes > 1 ? "nodes" : "node", l->ranks);
    weft_links links;
    weft_buf link;
    weft_buf_init(&link, &t->cx->alloc);
    weft_status st = root ? measured(t, &links) : no_memory(t);
    if (st == WEFT_OK && nodes > 1) {
        weft_link_print(&link, &links.at[WEFT_LINK_NETWORK]);
        root->link = link.failed ? "" : link.p;
    }
    int64_t at = 0;
    for (int r = 0; r < l->ranks && st == WEFT_OK; at += l->trees.sizes[r++]) {
        weft_topology *topo = NULL;
        if (!l->trees.sizes[r]) continue;
        node_ranks on = { l, r };
        weft_rank_map map = { l->ranks, on_node, &on };
        const card *c = &l->cards[r];
        weft_box *node = weft_box_add(a, root, WEFT_BOX_NODE, "node %d %s%s%s", node_number++, c->node,
                                      *c->node ? " on " : "", c->host);
        st = node ? weft_topology_from_xml_text(t->cx, l->trees.all + at, (size_t)l->trees.sizes[r], &topo)
                  : no_memory(t);
        weft_box *tree = st == WEFT_OK ? weft_topology_boxes(a, topo, &links, &map) : NULL;
        if (st == WEFT_OK && !tree) st = no_memory(t);
        if (st == WEFT_OK) node->first = node->last = tree;
        weft_topology_free(topo);
    }
    if (st == WEFT_OK) st = draw(t, s, root);
    weft_buf_free(&link);
    return st;
}

/* The part of all processes after the world is made. */
static weft_status show_launched(tool *t, const topo_settings *s, launched *l) {
    weft_buf xml, cpus;
    weft_buf_init(&xml, &t->cx->alloc);
    weft_buf_init(&cpus, &t->cx->alloc);
    l->ranks = weft_world_size(l->world);
    l->cards = calloc((size_t)l->ranks, sizeof *l->cards);
    l->stands = calloc((size_t)l->ranks, sizeof *l->stands);
    l->trees.sizes = calloc((size_t)l->ranks, sizeof *l->trees.sizes);
    l->cpus.sizes = calloc((size_t)l->ranks, sizeof *l->cpus.sizes);
    card mine = { .host = "" };
    weft_status st = l->cards && l->stands && l->trees.sizes && l->cpus.sizes
                         ? weft_comm_world(t->cx, l->world, l->rank, &l->comm)
                         : no_memory(t);
    if (st == WEFT_OK) st = seat_all(t, l);
    if (st == WEFT_OK) st = describe(t, &mine, &xml, &cpus);
    if (st != WEFT_OK) weft_world_abort(l->world, "a process could not describe its node");
    weft_coll_buf b = { &mine, l->cards, weft_coll_type("ui8"), 1, 1, sizeof mine };
    if (st == WEFT_OK) st = weft_coll_all_gather(l->comm, &b, 1, NULL);
    if (st == WEFT_OK) st = gather_all(t, l, &xml, &cpus);
    if (st == WEFT_OK && l->rank == 0) st = draw_nodes(t, s, l);
    weft_buf_free(&xml);
    weft_buf_free(&cpus);
    return st;
}

static weft_status draw_launched(tool *t, const topo_settings *s) {
    launched l = { .rank = t->launch.process };
    /* measurements are drawn, and an error in them is reported once */
    const weft_world_options opt = { .local_ranks = 1, .tuned = "none" };
    const weft_processes all = { .process = t->launch.process, .processes = t->launch.processes,
                                 .rendezvous = t->launch.rendezvous };
    weft_status st = weft_processes_world(t->cx, &all, &opt, &l.world);
    if (st == WEFT_OK) st = show_launched(t, s, &l);
    weft_comm_free(l.comm);
    weft_world_free(l.world);
    free(l.cards);
    free(l.stands);
    free(l.trees.sizes);
    free(l.trees.all);
    free(l.cpus.sizes);
    free(l.cpus.all);
    return st;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static void print_named(void *user, const char *name, const char *about) {
    (void)user;
    printf("%-12s %s\n", name, about);
}

static weft_status list(tool *t) {
    print_named(NULL, weft_machine_default.name, weft_machine_default.about);
    return weft_machine_each(t->cx, t->machines, print_named, NULL);
}

static weft_status say_why(tool *t) {
    weft_topology *topo = NULL;
    weft_buf out;
    weft_buf_init(&out, &t->cx->alloc);
    weft_status st = weft_topology_discover_with(t->cx, WEFT_TOPOLOGY_UNBOUND, &topo);
    if (st == WEFT_OK) weft_topology_why(topo, &out);
    if (st == WEFT_OK) st = out.failed ? no_memory(t) : tool_output_write(t, NULL, out.p, out.n);
    weft_topology_free(topo);
    weft_buf_free(&out);
    return st;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const topo_settings *s = settings;
    weft_topology *topo = NULL;
    weft_links links = weft_links_default;
    weft_status st;
    bool here = !s->xml && !s->synthetic && !s->topology;
    (void)arguments;
    (void)count;
    if (!!s->xml + !!s->synthetic + !!s->topology + s->list + s->why > 1)
        return tool_usage(t, "--xml, --synthetic, --topology, --list and --why exclude each other");
    if (s->svg && (s->list || s->why)) return tool_usage(t, "--svg draws a machine, which --list and --why do not");
    if (here && !s->list && !s->why && !s->ranks && t->launch.processes > 1) return tool_exit_of(draw_launched(t, s));
    if (t->launch.process != 0) return TOOL_DONE;
    if (s->list) return tool_exit_of(list(t));
    if (s->why) return tool_exit_of(say_why(t));
    if (s->topology) return tool_exit_of(draw_described(t, s));
    if (s->xml) st = weft_topology_from_xml(t->cx, s->xml, &topo);
    else if (s->synthetic) st = weft_topology_from_synthetic(t->cx, s->synthetic, &topo);
    else st = weft_topology_discover_with(t->cx, WEFT_TOPOLOGY_DEVICES, &topo);
    if (st == WEFT_OK && here) st = measured(t, &links);
    if (st == WEFT_OK) st = draw_one(t, s, topo, &links);
    weft_topology_free(topo);
    return tool_exit_of(st);
}

const tool_command tool_cmd_topo = {
    .name = "topo",
    .arguments = "",
    .summary = "show the machine and the cores of its ranks",
    .description =
        "Prints what hwloc finds as a tree, one object a line: packages, memories, caches, cores, network adapters and accelerators, with\n"
        "the ranks after their cores and, in parentheses, the bandwidth and latency between the parts of an\n"
        "object, as weft tune has measured them or estimated. Under mpirun all nodes are shown, with the ranks where the launcher has\n"
        "bound them. --svg draws the same.\n\n"
        "Another machine can be given as hwloc's XML or synthetic description, or in Weft's own format, by name, as a file\n"
        "or as the text itself (docs/topology.md): `nodes 64 { gpu 8 nvlink 450GB/s 2us } fabric 50GB/s 5us` or `torus 16x16x16 100GB/s`.\n"
        "Named machines are files NAME.machine of the folders in WEFT_MACHINES, of the build and of the installation.",
    .examples = "weft topo\n"
                "weft topo --svg machine.svg\n"
                "mpirun -n 4 weft topo                                   # the cores of these four\n"
                "weft topo --ranks 8 --synthetic 'package:2 core:4 pu:2'\n"
                "weft topo --topology dgx-h100:2\n"
                "weft topo --topology 'torus 4x4x4 100GB/s 1us'",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(topo_settings),
    .run = run,
};
