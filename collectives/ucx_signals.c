/* ucx_signals: leaves the process's signals to its user.
 *
 * UCX's library installs a handler for SIGILL, SIGSEGV, SIGBUS and SIGFPE that prints the process's stack, as soon as
 * it is loaded, before main. A program that links Weft has not asked for that, and its debugger, language or sanitizer
 * may have handlers of its own. So the old handlers are restored at the program's start, unless the environment
 * configures UCX's. SIGHUP, with which UCX turns on its debug log, stays: its earlier state (ignored, under nohup) is
 * not known any more.
 */
#include "config.h"
#ifdef HAVE_UCX
#include "collectives/ucx_log.h"

#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucs/debug/debug.h>

static const void *library_of(const void *address) {
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

__attribute__((constructor)) void weft_ucx_give_back_signals(void) {
    static const int taken[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE };
    const void *ucs = library_of((const void *)(uintptr_t)ucs_debug_disable_signal);
    if (!ucs || getenv("UCX_ERROR_SIGNALS") || getenv("UCX_HANDLE_ERRORS")) return;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        struct sigaction now;
        if (sigaction(taken[i], NULL, &now) == 0 && library_of((const void *)(uintptr_t)now.sa_handler) == ucs)
            ucs_debug_disable_signal(taken[i]);
    }
}
#endif
