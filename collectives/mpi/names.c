/* names.c: MPI's functions that the program calls: Weft's where it takes the call, else MPI's own under its second name
 * (MPI 3.1, section 14.2). With MPI 4 also those with wide counts. */
#include "collectives/mpi/tap.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#define EXPORT __attribute__((visibility("default")))

static int through(int rc) {
    if (tap.reports && tap.world) tap_note_mpi(); /* Weft's own calls while it starts are none of the program's */
    return rc;
}

EXPORT int MPI_Init(int *argc, char ***argv) {
    int rc = PMPI_Init(argc, argv);
    if (rc == MPI_SUCCESS) tap_start();
    return rc;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    if (rc == MPI_SUCCESS) tap_start();
    return rc;
}

EXPORT int MPI_Finalize(void) {
    tap_end();
    return PMPI_Finalize();
}

/* --- collectives -------------------------------------------------------------------------------------------------- */

#define THESE(...) __VA_ARGS__
/* A function of MPI's that takes `more` beside the call's own arguments. */
#define FORM(prefix, name, parameters, more, when_, taken, carried, ...)       \
    EXPORT int prefix##name(THESE parameters THESE more) {                     \
        tap_call k;                                                            \
        k.when = when_;                                                        \
        return taken ? carried : through(P##prefix##name(__VA_ARGS__));        \
    }
#define TAKEN(rest, as) tap_##rest(&k, THESE as)
#define NOW(name, rest, suffix, parameters, arguments, as) \
    FORM(MPI_, name##suffix, parameters, (), TAP_NOW, TAKEN(rest, as), tap_run(&k), THESE arguments)
#define LATER(name, rest, suffix, parameters, arguments, as)                                                      \
    FORM(MPI_I, rest##suffix, parameters, (, MPI_Request *request), TAP_LATER, TAKEN(rest, as),                   \
         tap_start_later(&k, request), THESE arguments, request)
#define EACH(prefix, name, rest, suffix, parameters, arguments, as)                                               \
    FORM(prefix, name##_init##suffix, parameters, (, MPI_Info info, MPI_Request *request), TAP_EACH,              \
         TAKEN(rest, as) && tap_each_apart(&k), tap_each(&k, request), THESE arguments, info, request)

#define COUNT int
#define PLACE int
#define LIST(p) ((tap_list){ .narrow = (p) })
/* Open MPI 4 has the persistent ones by names of its own. Open MPI 5 has MPI 4's, though it is MPI 3.1 else. */
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
#define AGAIN(...) EACH(MPI_, __VA_ARGS__)
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define AGAIN(...) EACH(MPIX_, __VA_ARGS__)
#else
#define AGAIN(...)
#endif
#define CALL(name, rest, parameters, arguments, as)            \
    NOW(name, rest, , parameters, arguments, as)               \
    LATER(name, rest, , parameters, arguments, as)             \
    AGAIN(name, rest, , parameters, arguments, as)
#include "collectives/mpi/names.def"

#if MPI_VERSION >= 4
#define IS_WIDE
#define COUNT MPI_Count
#define PLACE MPI_Aint
#define LIST(p) ((tap_list){ .wide = (p), .bytes = sizeof *(p) })
#define CALL(name, rest, parameters, arguments, as)            \
    NOW(name, rest, _c, parameters, arguments, as)             \
    LATER(name, rest, _c, parameters, arguments, as)           \
    EACH(MPI_, name, rest, _c, parameters, arguments, as)
#include "collectives/mpi/names.def"
#endif

/* --- persistent requests ------------------------------------------------------------------------------------------ */

EXPORT int MPI_Start(MPI_Request *request) {
    int rc;
    return tap_each_start(request, &rc) ? rc : PMPI_Start(request);
}

EXPORT int MPI_Startall(int n, MPI_Request requests[]) {
    int rc = MPI_SUCCESS;
    if (!tap_each_any()) return PMPI_Startall(n, requests);
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++) rc = MPI_Start(&requests[i]);
    return rc;
}

EXPORT int MPI_Request_free(MPI_Request *request) {
    int rc;
    return tap_each_free(request, &rc) ? rc : PMPI_Request_free(request);
}

/* --- communicators, in which nonblocking calls may be the first --------------------------------------------------- */

static int made(int rc, const MPI_Comm *comm) {
    if (rc == MPI_SUCCESS) tap_comm_made(*comm);
    return rc;
}

EXPORT int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out) { return made(PMPI_Comm_dup(comm, out), out); }

EXPORT int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *out) {
    return made(PMPI_Comm_dup_with_info(comm, info, out), out);
}

EXPORT int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *out) {
    return made(PMPI_Comm_split(comm, colour, key, out), out);
}

EXPORT int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out) {
    return made(PMPI_Comm_split_type(comm, type, key, info, out), out);
}

EXPORT int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out) {
    return made(PMPI_Comm_create(comm, group, out), out);
}

EXPORT int MPI_Comm_free(MPI_Comm *comm) { return tap_comm_free(PMPI_Comm_free, comm); }

EXPORT int MPI_Comm_disconnect(MPI_Comm *comm) { return tap_comm_free(PMPI_Comm_disconnect, comm); }
