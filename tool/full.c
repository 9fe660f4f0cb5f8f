/* full: `weft-full` has every command. */
#include "tool/tool.h"

#define COMMAND(name, where) extern const tool_command tool_cmd_##name;
#include "tool/commands.def"

const tool_command *const tool_commands[] = {
#define COMMAND(name, where) &tool_cmd_##name,
#include "tool/commands.def"
};
const size_t tool_command_count = WEFT_COUNT(tool_commands);

tool_exit tool_pass_on(char **argv) {
    (void)argv;
    return TOOL_DONE;
}
