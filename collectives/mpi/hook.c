/* hook.c: MPI looks after Weft's requests whenever it looks after its own messages. Open MPI has a list of functions
 * for that, to which a library may add one (opal_progress_register, of its libopen-pal; versions 1 to 5). MPICH has no
 * such list that others reach: its generalized requests are looked at in calls that wait for them alone, and a rank
 * that waits for a message would leave a collective where it is.
 */
#include "collectives/mpi/tap.h"

#include <dlfcn.h>

typedef int looks(void);
typedef int registers(looks *);

static registers *find(const char *name) {
    void *f = dlsym(RTLD_DEFAULT, name);
    registers *as;
    _Static_assert(sizeof as == sizeof f, "POSIX: functions' addresses are as those of objects");
    __builtin_memcpy(&as, &f, sizeof f);
    return as;
}

bool tap_hook(void) {
#ifdef OPEN_MPI
    registers *f = find("opal_progress_register");
    return f && find("opal_progress_unregister") && f(tap_later_look) == 0;
#else
    (void)find;
    return false;
#endif
}

void tap_unhook(void) {
    registers *f = find("opal_progress_unregister");
    if (f) f(tap_later_look);
}
