/* front: `weft` has the commands that need few libraries, and passes all others on to `weft-full`, which is beside it
 * in the build and in $(libexecdir)/weft when installed. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>
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

tool_exit tool_pass_on(char **argv) {
    char path[PATH_MAX + sizeof "weft-full"];
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
    while (n > 0 && path[n - 1] != '/') n--;
    memcpy(path + (n > 0 ? n : 0), "weft-full", sizeof "weft-full");
    execv(path, argv);
    execv(WEFT_LIBEXEC_DIR "/weft-full", argv);
    fprintf(stderr, "weft: error: '%s' cannot be started: %s; it is installed together with weft\n",
            WEFT_LIBEXEC_DIR "/weft-full", strerror(errno));
    return TOOL_FAILED;
}
