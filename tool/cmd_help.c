/* cmd_help: `weft help COMMAND`, and the man pages of docs/man, which are its output. */
#include "tool/tool.h"

typedef struct help_settings { bool man; } help_settings;

static const tool_option options[] = {
    { "man", NULL, TOOL_FLAG, offsetof(help_settings, man), "as a man page" },
};

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const help_settings *s = settings;
    if (count == 0 || (s->man && !strcmp(arguments[0], "weft"))) {
        if (s->man) tool_man_main(t, stdout);
        else
            for (size_t i = 0; i < t->commands.n; i++)
                printf("%-10s %s\n", t->commands.v[i]->name, t->commands.v[i]->summary);
        return TOOL_DONE;
    }
    const tool_command *c = tool_command_find(t, arguments[0]);
    if (!c) return tool_no_command(t, arguments[0]);
    if (s->man) tool_man(c, stdout);
    else tool_help(c, stdout);
    return TOOL_DONE;
}

const tool_command tool_cmd_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "explain a command",
    .description = "Prints the help of COMMAND, or the list of commands.",
    .examples = "weft help run\n"
                "weft help --man run > weft-run.1",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(help_settings),
    .max_arguments = 1,
    .run = run,
};
