/* status.c: names of status codes and severities, and the version. */
#include "base/status.h"
#include "config.h"

const char *weft_status_name(weft_status st) {
    static const char *const names[] = {
        [WEFT_OK] = "ok",
        [WEFT_ERR_MEMORY] = "out of memory",
        [WEFT_ERR_INVALID] = "invalid",
        [WEFT_ERR_UNSUPPORTED] = "unsupported",
        [WEFT_ERR_IO] = "input or output failed",
        [WEFT_ERR_USAGE] = "wrong usage",
        [WEFT_ERR_MISMATCH] = "results differ",
        [WEFT_ERR_PEER] = "another rank failed",
        [WEFT_ERR_INTERNAL] = "internal error",
    };
    return (size_t)st < WEFT_COUNT(names) ? names[st] : "unknown status";
}

const char *weft_severity_name(weft_severity s) {
    static const char *const names[] = {
        [WEFT_NOTE] = "note", [WEFT_WARNING] = "warning", [WEFT_ERROR] = "error", [WEFT_HELP] = "help"
    };
    return (size_t)s < WEFT_COUNT(names) ? names[s] : "unknown severity";
}

const char *weft_version(void) { return PACKAGE_VERSION; }
