/* hook.c: MPI looks after Weft's requests whenever it looks after its own messages. Open MPI has a list of functions
 * for that, to which a library may add one (opal_progress_register, of its libopen-pal; versions 1 to 5). MPICH has one
 * since 4.3 (MPIX_Async_start). Before, its generalized requests are looked at in calls that wait for them alone, and a
 * rank that waits for a message would leave a collective where it is.
 */
#include "collectives/mpi/tap.h"

#include <stdatomic.h>

#ifdef OPEN_MPI
typedef int looks(void);
typedef int registers(looks *);

bool tap_hook(void) {
    registers *add, *remove;
    return tap_find("opal_progress_register", &add) && tap_find("opal_progress_unregister", &remove) &&
           add(tap_later_look) == 0;
}

void tap_unhook(void) {
    registers *remove;
    if (tap_find("opal_progress_unregister", &remove)) remove(tap_later_look);
}
#else
/* As MPICH's mpi.h has them from 4.3 on: the library is built with an older one, too, and run with a newer. */
typedef struct MPIR_Async_thing thing;
typedef int looks(thing *);
typedef int starts(looks *, void *state, int stream);
enum { NO_STREAM = 0x3c000000, GOES_ON = 0, IS_OVER = 1 };

static atomic_bool is_wanted;

static int look(thing *t) {
    (void)t;
    /* Relaxed: nothing else is told by it. */
    if (!atomic_load_explicit(&is_wanted, memory_order_relaxed)) return IS_OVER;
    tap_later_look();
    return GOES_ON;
}

/* MPICH holds a lock while it calls look(). Among several threads, messages of MPI's that Weft sends between nodes
 * would ask for it again. */
bool tap_hook(void) {
    starts *start;
    if (tap.threads && weft_world_nodes(tap.world) > 1) return false;
    atomic_store_explicit(&is_wanted, true, memory_order_relaxed);
    return tap_find("MPIX_Async_start", &start) && start(look, NULL, NO_STREAM) == MPI_SUCCESS;
}

void tap_unhook(void) { atomic_store_explicit(&is_wanted, false, memory_order_relaxed); }
#endif
