/* load: `weft-load` runs compiled programs and has no compiler, so that LLVM is not mapped. It is beside `weft-full`,
 * to which it passes on all else. */
#include <errno.h>
#include "tool/run.h"

extern const tool_command tool_cmd_run;
static const tool_command *const commands[] = { &tool_cmd_run };
const tool_commands tool_commands_of_program = { commands, WEFT_COUNT(commands) };
const run_compiler *const run_compiler_of_program = NULL;

tool_exit tool_pass_on(char **argv) { return tool_exec("weft-full", argv); }
