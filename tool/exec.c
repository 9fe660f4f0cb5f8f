/* exec: one program of the tool becomes another, which is beside it in the build and in $(libexecdir)/weft when
 * installed. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>
#include "tool/tool.h"

tool_exit tool_exec(const char *program, char **argv) {
    char path[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
    while (n > 0 && path[n - 1] != '/') n--;
    snprintf(path + (n > 0 ? n : 0), sizeof path - PATH_MAX, "%s", program);
    execv(path, argv);
    snprintf(path, sizeof path, "%s/%s", WEFT_LIBEXEC_DIR, program);
    execv(path, argv);
    fprintf(stderr, "weft: error: '%s' cannot be started: %s; it is installed together with weft\n", path,
            strerror(errno));
    return TOOL_FAILED;
}
