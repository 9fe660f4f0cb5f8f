/* cmd_tune: `weft tune`: measures this machine (tune.c) and stores the table where worlds look for it (cost/tune.h); or
 * a program on it (tune_program.h).
 */
#include "tool/tune.h"
#include "tool/tune_program.h"
#include "tool/tune_rates.h"

typedef struct tune_settings {
    int64_t ranks, most;
    bool show, fast;
    tool_tune_settings program;
} tune_settings;

static const tool_option options[] = {
    { "ranks", "N", TOOL_COUNT, offsetof(tune_settings, ranks), "threads of this process (default one per core it may use); of several processes, of each (default 1)" },
    { "most", "BYTES", TOOL_NUMBER, offsetof(tune_settings, most), "the largest full tensor for timing algorithms (default 4194304); for streaming stores eight times it" },
    { "fast", NULL, TOOL_FLAG, offsetof(tune_settings, fast), "also time algorithms that change the order of sums, which WEFT_FAST=1 allows" },
    { "show", NULL, TOOL_FLAG, offsetof(tune_settings, show), "print the stored table and its file's name; measure nothing" },
    { "dry", NULL, TOOL_FLAG, offsetof(tune_settings, program.dry), "print the measurements without storing them" },
    { "o", "FILE", TOOL_TEXT, offsetof(tune_settings, program.out), "with FILE: where costs are kept; by default FILE's name with .costs for its suffix, in this folder" },
    { "seconds", "S", TOOL_REAL, offsetof(tune_settings, program.seconds), "with FILE: no alternative is begun later than this (default 120)" },
    { "reproducible", NULL, TOOL_FLAG, offsetof(tune_settings, program.reproducible), "with FILE: only alternatives whose results are the same bit by bit" },
    { "inputs", "DIR", TOOL_TEXT, offsetof(tune_settings, program.inputs), "with FILE: read arguments from DIR/in0.npy, DIR/in1.npy, ..., as run does" },
    { "fill", "A[-B]=HOW", TOOL_LIST, offsetof(tune_settings, program.fill), "with FILE: arguments A to B: normal, uniform, zeros, ones or a number" },
    { "threads", "N", TOOL_NUMBER, offsetof(tune_settings, program.threads), "with FILE: threads of each device (default: WEFT_THREADS, or its share of the cores)" },
    { "bind", NULL, TOOL_FLAG, offsetof(tune_settings, program.bind), "with FILE: bind each device's thread to its cores" },
    TOOL_BUILD_OPTIONS(tune_settings, program.build),
    TOOL_COMPILING_OPTIONS(tune_settings, program.build.compiling),
};

enum { USUAL_MOST = 4 << 20 };
static const double usual_seconds = 120;

static void defaults(void *settings) {
    tune_settings *s = settings;
    s->most = USUAL_MOST;
    s->program.seconds = usual_seconds;
}

static void print_table(const weft_tune *t) {
    printf("machine: %s\n\n%-10s %12s %12s   %s\n", t->machine, "level", "latency", "bandwidth",
           "shared by two ranks");
    for (int i = 0; i < WEFT_LINK_COUNT; i++) {
        const weft_link *l = &t->links.at[i];
        printf("%-10s %9.2f us %7.2f GB/s   %s%s\n", weft_link_name((weft_link_level)i), 1e6 * l->latency_s,
               1e-9 * l->bytes_per_s, weft_link_about((weft_link_level)i),
               weft_bits_has(t->measured, (unsigned)i) ? "" : " (estimate)");
    }
    printf("\na rank adds %.2f GB/s%s and copies %.2f GB/s%s\n", 1e-9 * t->links.reduce_bytes_per_s,
           t->reduce_measured ? "" : " (estimate)", 1e-9 * t->links.copy_bytes_per_s,
           t->copy_measured ? "" : " (estimate)");
    for (int i = 0; i < WEFT_TUNE_PRODUCTS; i++)
        if (t->rates.product_flops_per_s[i] > 0)
            printf("a core multiplies matrices of %s at %.1f Gflop/s\n", weft_tune_product_name((weft_tune_product)i),
                   1e-9 * t->rates.product_flops_per_s[i]);
    if (t->rates.core_bytes_per_s > 0)
        printf("memory gives one core %.2f GB/s of bytes read and written\n", 1e-9 * t->rates.core_bytes_per_s);
    if (t->rates.node_bytes_per_s > 0) printf("and all cores %.2f GB/s\n", 1e-9 * t->rates.node_bytes_per_s);
}

/* The rules, under a line for each number of ranks and nodes. */
static weft_status print_rules(tool *t, const weft_tune *table) {
    weft_buf b;
    weft_buf_init(&b, &t->cx->alloc);
    for (int i = 0; i < table->rule_count; i++) {
        const weft_tune_rule *r = &table->rules[i];
        if (i == 0 || r->ranks != r[-1].ranks || r->nodes != r[-1].nodes)
            weft_buf_printf(&b, "\nalgorithms for %d ranks on %d %s, by bytes of the full tensor:\n", r->ranks,
                            r->nodes, r->nodes > 1 ? "nodes" : "node");
        weft_buf_puts(&b, "  ");
        weft_alg_rule_print(&b, &r->rule);
        weft_buf_putc(&b, '\n');
    }
    for (int i = 0; i < table->stream_count; i++) {
        const weft_tune_stream *s = &table->streams[i];
        weft_buf_printf(&b, "\nof %d ranks on %d %s, one that writes more than %.4g MiB in a call bypasses the caches\n",
                        s->ranks, s->nodes, s->nodes > 1 ? "nodes" : "node", (double)s->bytes / (1 << 20));
    }
    weft_status st = b.failed ? weft_oom() : WEFT_OK;
    if (st == WEFT_OK && b.n) fputs(b.p, stdout);
    weft_buf_free(&b);
    return st;
}

static weft_status print(tool *t, const weft_tune *table) {
    print_table(table);
    return print_rules(t, table);
}

static weft_status show(tool *t, const weft_topology *node) {
    char path[4096];
    weft_tune *table = weft_arena_new(&t->cx->arena, weft_tune);
    weft_status st = table ? weft_tune_path(t->cx, &t->tune, node, path, sizeof path) : weft_oom();
    if (st == WEFT_OK) st = weft_tune_load(t->cx, path, table);
    if (st == WEFT_ERR_IO) {
        printf("%s: nothing is stored for this machine; these are estimates\n", path);
        weft_topology_words(node, table->machine, sizeof table->machine);
        st = WEFT_OK;
    } else if (st == WEFT_OK) {
        printf("%s\n", path);
    }
    return st == WEFT_OK ? print(t, table) : st;
}

/* The table to which measurements are added, and its place: *out is empty if there is none yet. An unreadable one is
 * left alone, since its user has edited it. */
static weft_status open_table(tool *t, const weft_topology *node, char *path, size_t room, weft_tune **out) {
    *out = weft_arena_new(&t->cx->arena, weft_tune);
    weft_status st = *out ? weft_tune_path(t->cx, &t->tune, node, path, room) : weft_oom();
    if (st == WEFT_OK) st = weft_tune_load(t->cx, path, *out);
    return st == WEFT_ERR_IO ? WEFT_OK : st;
}

/* Reads the table again: other processes may have measured meanwhile. */
static weft_status store(tool *t, const weft_topology *node, const weft_tune *found, double took) {
    char path[4096];
    weft_tune *table;
    weft_status st = open_table(t, node, path, sizeof path, &table);
    if (st != WEFT_OK) return st;
    weft_tune_merge(table, found);
    st = weft_tune_save(t->cx, path, table);
    if (st == WEFT_OK) printf("\nstored in %s after %.1f s\n", path, took);
    return st;
}

/* Determines before measuring how many ranks this process has cores for, and whether the table can be
 * stored. */
static weft_status prepare(tool *t, const tune_settings *s, const weft_topology *node, int *room) {
    char path[4096];
    weft_tune *table;
    weft_topology *mine = NULL;
    weft_status st = weft_topology_discover_with(t->cx, 0, &mine);
    *room = st == WEFT_OK ? weft_topology_room(mine, weft_topology_quota()) : 0;
    weft_topology_free(mine);
    const bool stores = t->launch.process == 0 && !s->program.dry;
    return st == WEFT_OK && stores ? open_table(t, node, path, sizeof path, &table) : st;
}

static weft_status measure(tool *t, const tune_settings *s, const weft_topology *node) {
    double start = tool_now_s();
    tool_tune_job job = {
        .t = t, .node = node, .ranks = s->ranks, .most = s->most, .sums = s->fast ? WEFT_SUMS_FAST : WEFT_SUMS_IN_ORDER
    };
    weft_tune *found = weft_arena_new(&t->cx->arena, weft_tune);
    if (!found) return weft_oom();
    weft_tune_clear(found);
    weft_topology_words(node, found->machine, sizeof found->machine);
    job.ready = prepare(t, s, node, &job.room);
    weft_status st = tool_tune_measure(&job, found);
    if (st != WEFT_OK || t->launch.process != 0) return st;
    const bool silent = weft_warning_silence(t->cx, WEFT_D_fallback, true); /* worlds of their own, without a table */
    st = tool_tune_rates(t, job.room, &found->rates);
    (void)weft_warning_silence(t->cx, WEFT_D_fallback, silent);
    if (st != WEFT_OK) return st;
    st = print(t, found);
    return st == WEFT_OK && !s->program.dry ? store(t, node, found, tool_now_s() - start) : st;
}

/* The first option given that is for measuring the machine, and the first for tuning a program; NULL: none. */
static const char *option_of_machine(const tune_settings *s) {
    return s->ranks ? "ranks" : s->most != USUAL_MOST ? "most" : s->fast ? "fast" : s->show ? "show" : NULL;
}

static const char *option_of_program(const tool_tune_settings *p) {
    const struct { const char *name; bool given; } all[] = {
        { "o", p->out }, { "seconds", p->seconds != usual_seconds }, { "reproducible", p->reproducible },
        { "inputs", p->inputs }, { "fill", p->fill.n }, { "threads", p->threads }, { "bind", p->bind },
        { "devices", p->build.devices }, { "topology", p->build.topology },
    };
    for (size_t i = 0; i < WEFT_COUNT(all); i++)
        if (all[i].given) return all[i].name;
    return tool_build_option(&p->build);
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const tune_settings *s = settings;
    weft_topology *node = NULL;
    const char *useless = count ? option_of_machine(s) : option_of_program(&s->program);
    if (useless && count) return tool_usage(t, "--%s is for measuring the machine, without FILE", useless);
    if (useless) return tool_usage(t, "--%s is for tuning a program: FILE is missing", useless);
    if (count) return tool_tune_program(t, &s->program, arguments[0]);
    if (s->most < TOOL_TUNE_LEAST || s->most > 1 << 30)
        return tool_usage(t, "--most is from %d to %d", TOOL_TUNE_LEAST, 1 << 30);
    if (s->ranks > TOOL_TUNE_RANKS) return tool_usage(t, "--ranks is at most %d", TOOL_TUNE_RANKS);
    if (s->show && t->launch.process != 0) return TOOL_DONE;
    weft_status st = weft_topology_discover_with(t->cx, WEFT_TOPOLOGY_UNBOUND, &node);
    if (st == WEFT_OK) st = s->show ? show(t, node) : measure(t, s, node);
    weft_topology_free(node);
    return tool_exit_of(st);
}

const tool_command tool_cmd_tune = {
    .name = "tune",
    .arguments = "[FILE|-]",
    .summary = "measure this machine's links and collectives, or a program's alternatives on it",
    .description =
        "Without FILE:\n"
        "Measures latency and bandwidth between ranks by the level that they share (a core, a cache, a memory, a package, the machine,\n"
        "the network), how fast a rank adds and copies, the fastest algorithm of each collective for each size, how fast a core\n"
        "multiplies matrices of each type, and what memory gives one core and all (by these 'weft run --profile' goes), and\n"
        "stores the table in a file for this machine under $XDG_CACHE_HOME/weft or ~/.cache/weft. Programs read it when they start: process\n"
        "0's table counts for all. Under mpirun, or with WEFT_RENDEZVOUS (weft help run), the processes are the ranks, and\n"
        "the table gets the best algorithms for their number; entries for other numbers of ranks stay.\n\n"
        "The file is text and may be edited, an entry a line: `link CACHE 12GB/s 150ns`, `copy 12GB/s`,\n"
        "`ranks 4 nodes 1 all_reduce:-64K=one_shot`. WEFT_TUNE names another file, or `none`. A missing file gives a warning.\n"
        "Algorithms that WEFT_ALGORITHMS forces come first, then the table's, for calls among all of as many ranks on as many\n"
        "nodes, then the cost model with the table's links. The table never changes results, except with WEFT_FAST.\n"
        "weft bench coll prints the algorithm that ran.\n\n"
        "With FILE, a program as for 'weft run', with threads of this process as devices: compiles it with one decision\n"
        "after another made otherwise, and times its steps in turns with those of the best program before: products as loops\n"
        "or by the library, products in the steps of a ring, collectives combined or begun early, fusion,\n"
        "recomputation, how kernels are vectorised. An alternative is kept if it takes at most 0.99 of the time in the median of\n"
        "16 pairs and less in 12 of them, or 0.97 and 7 of 8, and that twice.\n"
        "Its first results are compared with those of the program as it was, within the digits of their types, or bit by bit\n"
        "with --reproducible. At last all that was kept is timed beside the program as it was, and the gain is printed.\n\n"
        "Decisions are costs of the machine (docs/topology.md): a list of names and values, in a file that --costs of run,\n"
        "compile, dryrun, cache, verify and explain takes, and WEFT_COSTS for programs of the C API and of JAX. All processes of\n"
        "a job need the same.",
    .examples = "weft tune                                      # a rank per core\n"
                "mpirun -n 4 weft tune                          # the same for four processes, on any nodes\n"
                "weft tune --show\n"
                "WEFT_TUNE=mine weft tune --ranks 2 --most 65536    # into a file of one's own\n"
                "WEFT_TUNE=mine weft bench coll                 # uses that table\n"
                "weft tune program.mlir                         # its fastest costs here, into program.costs\n"
                "weft tune program.mlir --devices 4 --seconds 600 --reproducible -o four.costs\n"
                "weft run program.mlir --costs program.costs --repeat 10",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(tune_settings),
    .max_arguments = 1,
    .defaults = defaults,
    .run = run,
};
