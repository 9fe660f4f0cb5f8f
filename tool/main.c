/* main: finds the subcommand, reads its options, runs it. The tool reads the environment only here. */
#include <stdlib.h>
#include "base/variables.h"
#include "runtime/execute.h"
#include "tool/tool.h"

static void print_overview(const tool *t, FILE *out) {
    fprintf(
        out,
        "usage: weft COMMAND [OPTIONS] ...\n\nRuns one tensor program, with a few sharding annotations, on many devices.\n\nCommands:\n");
    for (size_t i = 0; i < t->commands.n; i++)
        fprintf(out, "  %-10s %s\n", t->commands.v[i]->name, t->commands.v[i]->summary);
    fprintf(out, "\n'weft COMMAND --help' tells more. 'weft --version' prints the version.\n");
}

static tool_exit run_command(tool *t, int argc, char **argv) {
    const tool_command *c = t->command;
    void *settings = calloc(1, c->settings_bytes ? c->settings_bytes : 1);
    char **arguments = calloc((size_t)argc, sizeof *arguments);
    size_t count = 0;
    bool help = false;
    tool_exit code = TOOL_FAILED;
    if (!settings || !arguments) {
        fprintf(stderr, "weft: error: out of memory\n");
        goto out;
    }
    if (c->defaults) c->defaults(settings);
    code = tool_options_parse(t, c, argc, argv, settings, arguments, &count, &help);
    if (code != TOOL_DONE) goto out;
    if (help) tool_help(c, stdout);
    else if (count < c->min_arguments) code = tool_usage(t, "%s is missing", c->arguments);
    else if (count > c->max_arguments)
        code = tool_usage(t, "there is one argument too many: '%s'", arguments[c->max_arguments]);
    else code = c->run(t, settings, arguments, count);
out:
    for (size_t i = 0; settings && i < c->option_count; i++)
        if (c->options[i].kind == TOOL_LIST) free(((tool_list *)((char *)settings + c->options[i].offset))->v);
    free(arguments);
    free(settings);
    return code;
}

int main(int argc, char **argv) {
    weft_processes all = weft_processes_of_launch();
    tool t = { .commands = tool_commands_of_program,
               .argv = argv,
               .launch = { all.process, all.processes, all.rendezvous, all.unmet },
               .node = getenv("WEFT_NODE"),
               .machines = getenv("WEFT_MACHINES"),
               .costs = getenv("WEFT_COSTS"),
               .cache_place = weft_cache_place_of_process(),
               .tune = { getenv("WEFT_TUNE"), getenv("XDG_CACHE_HOME"), getenv("HOME") } };
    const char *name = argc > 1 ? argv[1] : NULL;
    const bool version = name && !strcmp(name, "--version");
    tool_exit code;
    t.command = name ? tool_command_find(&t, name) : NULL;
    if (!t.command && !version && (code = tool_pass_on(argv)) != TOOL_DONE) return code;
    if (!name || !strcmp(name, "--help") || !strcmp(name, "-h")) {
        print_overview(&t, name ? stdout : stderr);
        return name ? TOOL_DONE : TOOL_USAGE;
    }
    if (version) {
        printf("weft %s\n", weft_version());
        return TOOL_DONE;
    }
    if (!t.command) return tool_no_command(&t, name);
    t.cx = weft_context_new(NULL);
    if (!t.cx) {
        fprintf(stderr, "weft: error: out of memory\n");
        return TOOL_FAILED;
    }
    weft_context_set_handler(t.cx, tool_diag_handler, &t);
    if (t.launch.process == 0) (void)weft_variables_check(t.cx);
    code = run_command(&t, argc - 1, argv + 1);
    /* Wrong usage is the same on all processes. mpirun ends the others at the first failure, so only process 0, which
     * has reported it, fails. At a rendezvous no process ends another: each returns its own status. */
    if (code == TOOL_USAGE && t.launch.process != 0 && !t.launch.rendezvous) code = TOOL_DONE;
    tool_input_free(&t);
    weft_cache_close(t.cache);
    weft_context_free(t.cx);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "weft: error: standard output cannot be written\n");
        if (code == TOOL_DONE) code = TOOL_FAILED;
    }
    return code;
}
