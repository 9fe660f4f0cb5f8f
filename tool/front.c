/* front: `weft` has the commands that need few libraries, and passes all others on to `weft-full`, but compiled
 * programs to `weft-load`, which has no LLVM. */
#include <stdlib.h>
#include "runtime/program_file.h"
#include "tool/tool.h"

#define FULL(name)
#define FRONT(name) extern const tool_command tool_cmd_##name;
#define COMMAND(name, where) where(name)
#include "tool/commands.def"
#undef FRONT

static const tool_command *const commands[] = {
#define FRONT(name) &tool_cmd_##name,
#define COMMAND(name, where) where(name)
#include "tool/commands.def"
};
const tool_commands tool_commands_of_program = { commands, WEFT_COUNT(commands) };

static bool is_compiled(const char *path) {
    char head[WEFT_PROGRAM_MAGIC_BYTES];
    FILE *f = *path == '-' ? NULL : fopen(path, "rb");
    const size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f) fclose(f);
    return weft_program_file_is(head, n);
}

/* Only a guess at what the command's table would say: weft-load passes on what is none. */
static bool runs_compiled(char **argv) {
    if (!argv[1] || strcmp(argv[1], "run")) return false;
    for (char **a = argv + 2; *a; a++)
        if (is_compiled(*a)) return true;
    return false;
}

tool_exit tool_pass_on(char **argv) { return tool_exec(runs_compiled(argv) ? "weft-load" : "weft-full", argv); }
