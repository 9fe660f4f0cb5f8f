/* tool.h: shared by the subcommands of `weft`.
 *
 * A subcommand is a file cmd_NAME.c with one const tool_command and a line in commands.def. Its option table drives
 * parsing, --help and the man page alike. Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed
 * or differs, 2 wrong usage.
 */
#ifndef WEFT_TOOL_TOOL_H
#define WEFT_TOOL_TOOL_H

#include <stdio.h>
#include "base/context.h"
#include "cost/tune.h"
#include "exec/cache.h"
#include "topology/machine.h"

typedef enum tool_exit { TOOL_DONE = 0, TOOL_FAILED = 1, TOOL_USAGE = 2 } tool_exit;

/* How an option's text is stored at its offset in the command's settings. */
typedef enum tool_kind {
    TOOL_FLAG,   /* bool; --name, --name=true, --name=false */
    TOOL_TEXT,   /* const char * */
    TOOL_COUNT,  /* int64_t, at least 0 */
    TOOL_NUMBER, /* int64_t, at least 1 when given, else 0 */
    TOOL_REAL,   /* double, at least 0 */
    TOOL_LIST,   /* tool_list: may be given often */
} tool_kind;

typedef struct tool_list { const char **v; size_t n, cap; } tool_list;

typedef struct tool_option {
    const char *name;   /* without dashes; -name and --name are the same */
    const char *value;  /* the value's name in --help, NULL for a flag */
    tool_kind kind;
    size_t offset;      /* of the setting */
    const char *help;
} tool_option;

typedef struct tool tool;
typedef struct tool_command tool_command;

/* Of commands that compile: sharding rules of custom calls, warnings that are errors, and silenced warnings. */
typedef struct tool_compiling { tool_list rules, werror, silence; } tool_compiling;
#define TOOL_COMPILING_OPTIONS(settings, field) \
    { "rule", "TARGET=RULE", TOOL_LIST, offsetof(settings, field.rules), \
      "shard custom calls of TARGET as RULE says, e.g. 'my_matmul=ij,jk->ik'" }, \
        { "werror", "FLAG,...", TOOL_LIST, offsetof(settings, field.werror), \
          "fail on: replicate,fallback,rule,clone,cost,memory,constraint,input,annotation,cache,environment" }, \
        { "silence", "FLAG,...", TOOL_LIST, offsetof(settings, field.silence), "leave warnings of these flags out" }
weft_status tool_compiling_set(tool *t, const tool_compiling *w); /* reports an invalid rule or an unknown flag */

/* Called with options that the table does not have, as written after the dashes. WEFT_OK: accepted. WEFT_ERR_INVALID:
 * unknown here too, nothing reported. Else: reported. */
typedef weft_status (*tool_other_option)(tool *t, void *settings, const char *text);

struct tool_command {
    const char *name;
    const char *arguments;      /* "FILE" */
    const char *summary;        /* one line */
    const char *description;    /* paragraphs of --help and the man page */
    const char *examples;       /* lines "command # what it does" */
    const tool_option *options;
    size_t option_count;
    size_t settings_bytes;      /* zeroed; then `defaults` sets what is not zero */
    void (*defaults)(void *settings);
    tool_other_option other;    /* may be NULL */
    void (*more_help)(FILE *out); /* prints text after the options; may be NULL */
    size_t min_arguments, max_arguments;
    tool_exit (*run)(tool *t, const void *settings, char *const *arguments, size_t count);
};

/* A text to which diagnostics may refer; name: the name of its file in them. */
typedef struct tool_text { const char *name, *text; size_t n; } tool_text;

/* The number of this process in a launch, from the launcher's environment variables; alone: 0 of 1. */
typedef struct tool_launch { int process, processes; const char *rendezvous; int unmet; } tool_launch;

typedef struct tool_commands { const tool_command *const *v; size_t n; } tool_commands;

struct tool {
    weft_context *cx;
    tool_commands commands;     /* all commands */
    const tool_command *command;
    tool_launch launch;
    char **argv;                /* of the process */
    /* places of tables of measurements: WEFT_TUNE, XDG_CACHE_HOME and HOME of the environment */
    weft_tune_place tune;
    const char *node;           /* the name of this process's node: WEFT_NODE of the environment; may be NULL */
    const char *machines;       /* folders of machine descriptions: WEFT_MACHINES of the environment; may be NULL */
    enum { TOOL_REPORT_NOW, TOOL_REPORT_LATER } report; /* later: diagnostics are kept until tool_report_kept */
    struct tool_diags { weft_diag *v; size_t n, cap; } kept;
    weft_cache_place cache_place; /* of the environment */
    weft_cache *cache;          /* tool_cache_open's, once it was called; may be NULL */
    bool cache_opened;
    const char *costs;          /* WEFT_COSTS of the environment; may be NULL */
    /* For source lines: the contents of `-` or FILE, and a machine's description and costs given as arguments. */
    tool_text input, described, priced;
};

/* The commands of this program: front.c's `weft`, or full.c's `weft-full`. */
extern const tool_commands tool_commands_of_program;
/* Replaces the process by a program of the tool that does what this one does not. TOOL_DONE: there is none;
 * TOOL_FAILED: that failed, and was reported. */
tool_exit tool_pass_on(char **argv);
/* exec.c: replaces the process by this program of the tool; returns after a failure, which is reported. */
tool_exit tool_exec(const char *program, char **argv);
const tool_command *tool_command_find(const tool *t, const char *name);
tool_exit tool_no_command(const tool *t, const char *name); /* reports it, with the nearest name */

/* Reads argv[1..) by the command's table into settings and arguments. TOOL_DONE: go on. Sets *help if --help is
 * given. */
tool_exit tool_options_parse(tool *t, const tool_command *c, int argc, char **argv, void *settings, char **arguments,
                             size_t *count, bool *help);

/* One wrong-usage message: "weft run: error: ...; see 'weft run --help'". */
tool_exit tool_usage(const tool *t, const char *fmt, ...) WEFT_PRINTF(2, 3);

void tool_help(const tool_command *c, FILE *out);
void tool_man(const tool_command *c, FILE *out);       /* the same as a man page */
void tool_man_main(const tool *t, FILE *out);          /* weft(1) */

/* diag.c: compiler-style messages with the line and a caret. */
void tool_diag_print(const tool *t, const weft_diag *d, FILE *out);
void tool_diag_handler(void *user, const weft_diag *d);  /* user: a tool */
void tool_diag_drop(void *user, const weft_diag *d);     /* says nothing */
void tool_report_kept(tool *t);                          /* prints kept diagnostics, and later ones at once */

/* The exit code for a status. */
static inline tool_exit tool_exit_of(weft_status st) {
    return st == WEFT_OK ? TOOL_DONE : st == WEFT_ERR_USAGE ? TOOL_USAGE : TOOL_FAILED;
}

struct weft_module;
/* rules.c: warns of each --rule with a target that no custom call of m has. */
weft_status tool_rules_check(tool *t, const struct weft_module *m, const tool_compiling *how);

/* Reads a file as a whole; out->text is to be freed. Reports. */
weft_status tool_text_read(tool *t, const char *path, tool_text *out);
/* files.c: reads a file, or standard input for "-" (of one process only), as t->input; reports. */
weft_status tool_input_read(tool *t, const char *path);
/* Reports, where t->input is a compiled program. */
weft_status tool_input_is_text(tool *t);
void tool_input_free(tool *t);

/* weft_machine_open of an option's value, or the default machine where what is NULL; errors in a description given
 * there are shown in it. */
weft_status tool_machine_open(tool *t, const char *what, weft_machine *out);

/* The value of --costs, or else that of WEFT_COSTS; NULL: neither is given. */
const char *tool_costs(tool *t, const char *asked);

/* The machine of --topology with these costs. */
weft_status tool_priced_open(tool *t, const char *topology, const char *costs, weft_machine *out);

/* "dir/program.mlir" with the suffix ".weft" gives "program.weft": the default name of what a command makes of FILE, in
 * the current folder. NULL: memory is out. */
const char *tool_name_beside(tool *t, const char *path, const char *suffix);

/* Writes text to stdout (path NULL or "-"), or to a file, as a whole or not at all; reports. */
weft_status tool_output_write(tool *t, const char *path, const char *text, size_t n);

/* Reports a file that tool_output_write could not write, before long work for it; nothing is written. */
weft_status tool_output_check(tool *t, const char *path);

/* Seconds since some fixed moment. */
double tool_now_s(void);

/* Prints "1.5 GiB", at the right end of as many columns. */
void tool_print_size(tool *t, int columns, double bytes);

#endif
