/* ucx_log: a handler of UCX's log, installed once per process, that checks whether this thread is within a call by
 * Weft. */
#include "config.h"
#ifdef HAVE_UCX
#include "collectives/ucx_log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucs/debug/log_def.h>

static _Thread_local int held;
static _Thread_local char last[256];

static ucs_log_func_rc_t keep(const char *file, unsigned line, const char *function, ucs_log_level_t level,
                              const ucs_log_component_config_t *of, const char *message, va_list ap) {
    (void)file, (void)line, (void)function, (void)of;
    if (!held || level == UCS_LOG_LEVEL_FATAL) return UCS_LOG_FUNC_RC_CONTINUE; /* the process is about to end */
    if (level == UCS_LOG_LEVEL_ERROR) vsnprintf(last, sizeof last, message, ap);
    return UCS_LOG_FUNC_RC_STOP;
}

static void start(void) {
    if (!getenv("UCX_LOG_LEVEL")) ucs_log_push_handler(keep);
}

void weft_ucx_log_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

void weft_ucx_log_hold(void) { held++; }

void weft_ucx_log_release(void) { held--; }

const char *weft_ucx_log_last(void) { return last; }
#endif
