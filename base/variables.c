/* variables: see variables.h. */
#include <string.h>
#include <unistd.h>
#include "base/nearest.h"
#include "base/variables.h"

/* Without their prefix; tests/style/test_variables.sh compares them with the source. The last line: the tests' own
 * (CONTRIBUTING.md). */
static const char *const names[] = {
    "ALGORITHMS", "CACHE_DIR", "CACHE_SIZE", "CHECK", "COSTS", "EXACT", "FAST", "FLIGHT", "JAX_PATCH", "MACHINES",
    "MEMORY", "MPI", "MPI_REPORT", "NODE", "NUM_DEVICES", "PACKAGE", "PJRT_ALONE", "PJRT_LIBRARY", "PLATFORM_NAME",
    "PROCESS", "PROCESSES", "PROGRESS", "RENDEZVOUS", "RENDEZVOUS_KEY", "SYMBOLS", "TCP_INTERFACES", "THREADS",
    "TRANSPORT", "TUNE",
    "FRESH", "LONG", "ONLY", "PYTHON", "SEED", "SHARED",
};

#define PREFIX "WEFT_"

/* The nearest of the names, compared without the prefix; best.n is 0 if name is one of them, or none is near. */
static weft_nearest nearest(weft_str name) {
    weft_nearest near = weft_nearest_to(name);
    for (size_t i = 0; i < WEFT_COUNT(names); i++) {
        if (weft_str_is(name, names[i])) return (weft_nearest){ .word = name };
        weft_nearest_offer(&near, weft_str_from(names[i]));
    }
    return near;
}

weft_status weft_variables_check(weft_context *cx) {
    const size_t n = strlen(PREFIX);
    for (size_t i = 0; environ && environ[i]; i++) {
        if (strncmp(environ[i], PREFIX, n)) continue;
        const weft_nearest near = nearest((weft_str){ environ[i] + n, strcspn(environ[i] + n, "=") });
        if (!near.best.n) continue;
        return weft_report_once(cx, WEFT_D_environment, NULL,
                                "the environment variable " PREFIX
                                "%.*s has no effect: Weft reads none of this name; did you mean '" PREFIX "%.*s'?",
                                WEFT_STR_ARG(near.word), WEFT_STR_ARG(near.best));
    }
    return WEFT_OK;
}
