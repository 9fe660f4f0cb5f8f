/* state.c: the one state that a process has, and what all files of the library need. */
#include "collectives/mpi/tap.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

tap_state tap = { .lock = PTHREAD_MUTEX_INITIALIZER, .keyval = MPI_KEYVAL_INVALID, .type_keyval = MPI_KEYVAL_INVALID };

void tap_say(const char *fmt, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, TAP_NAME ": %s\n", text);
}

bool tap_find(const char *name, void *to) {
    void *f = dlsym(RTLD_DEFAULT, name);
    _Static_assert(sizeof(void (*)(void)) == sizeof f, "POSIX: functions' addresses are as those of objects");
    __builtin_memcpy(to, &f, sizeof f);
    return f != NULL;
}

void tap_idle(void *user) {
    int there;
    (void)user;
    /* no message comes to this communicator: asking makes MPI look after all others */
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, tap.idle, &there, MPI_STATUS_IGNORE);
}
