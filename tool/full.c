/* full: `weft-full` has every command. */
#include "tool/tool.h"

#define COMMAND(name, where) extern const tool_command tool_cmd_##name;
#include "tool/commands.def"

static const tool_command *const commands[] = {
#define COMMAND(name, where) &tool_cmd_##name,
#include "tool/commands.def"
};
const tool_commands tool_commands_of_program = { commands, WEFT_COUNT(commands) };

tool_exit tool_pass_on(char **argv) {
    (void)argv;
    return TOOL_DONE;
}
