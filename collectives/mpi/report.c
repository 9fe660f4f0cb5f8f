/* report.c: WEFT_MPI_REPORT: what went where, how long it took, and what Weft has saved. A call's bytes are known where
 * all ranks know them; its time is from its beginning to its end on the rank. Saved is, for calls of about the same
 * size, how much longer MPI took for those that it got, times the calls that Weft got. */
#include "collectives/mpi/tap.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { WEFT, MPI, SIDES };
#define CLASSES 52 /* powers of two of bytes; 0: no bytes */

/* All doubles, to be summed by MPI. */
typedef struct tally { double calls, bytes, s; } tally;
static tally tallies[TAP_WHENS][TAP_KINDS][CLASSES][SIDES];

/* The call that this thread is in. */
static _Thread_local struct { tap_when when; tap_kind kind; int64_t bytes; double since; } under_way;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tap_note_begin(tap_kind kind, tap_when when) {
    under_way.when = when;
    under_way.kind = kind;
    under_way.bytes = 0;
    under_way.since = now();
}

void tap_note_bytes(int64_t bytes) { under_way.bytes = bytes; }

static void note(int side) {
    double took = now() - under_way.since;
    int k = 0;
    for (int64_t b = under_way.bytes; b && k < CLASSES - 1; b >>= 1) k++;
    pthread_mutex_lock(&tap.lock);
    tally *t = &tallies[under_way.when][under_way.kind][k][side];
    t->calls++;
    t->bytes += (double)under_way.bytes;
    t->s += took;
    pthread_mutex_unlock(&tap.lock);
}

void tap_note_weft(void) { note(WEFT); }
void tap_note_mpi(void) { note(MPI); }

static const struct { const char *name, *rest; } names[] = {
#define KIND(id, name, rest) { name, rest },
#include "collectives/mpi/kinds.def"
};

/* One line; what it has saved. A nonblocking call's end is not seen, so nothing is said of its gain. */
static double print_kind(tap_when when, int kind, double ranks) {
    tally sum[SIDES] = { { 0 } };
    double gain = 0;
    char name[64];
    for (int k = 0; k < CLASSES; k++) {
        const tally *t = tallies[when][kind][k];
        for (int side = 0; side < SIDES; side++) {
            sum[side].calls += t[side].calls / ranks;
            sum[side].bytes += t[side].bytes / ranks;
            sum[side].s += t[side].s / ranks;
        }
        if (when == TAP_NOW && t[MPI].calls > 0)
            gain += (t[MPI].s / t[MPI].calls * t[WEFT].calls - t[WEFT].s) / ranks;
    }
    if (sum[WEFT].calls + sum[MPI].calls == 0) return 0;
    snprintf(name, sizeof name, "MPI_%s%s%s", when == TAP_LATER ? "I" : "",
             when == TAP_LATER ? names[kind].rest : names[kind].name, when == TAP_EACH ? "_init" : "");
    fprintf(stderr, "%-26s %10.0f %12.4g %10.4g %10.0f %12.4g %10.4g", name, sum[WEFT].calls, sum[WEFT].bytes,
            sum[WEFT].s, sum[MPI].calls, sum[MPI].bytes, sum[MPI].s);
    if (when == TAP_NOW) fprintf(stderr, " %11.4g\n", gain);
    else fprintf(stderr, "\n");
    return gain;
}

static void print(double ranks) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    double saved = 0;
    PMPI_Get_library_version(version, &n);
    version[strcspn(version, ",\n")] = 0;
    for (char *tab = version; (tab = strchr(tab, '\t'));) *tab = ' ';
    fprintf(stderr, TAP_NAME ": Weft %s beside %s, %d processes on %d nodes; each number is the mean of a process\n",
            weft_version(), version, tap.size, weft_world_nodes(tap.world));
    fprintf(stderr, "%-26s %10s %12s %10s %10s %12s %10s %11s\n", "", "Weft calls", "bytes", "s", "MPI calls", "bytes",
            "s", "saved s");
    for (int when = 0; when < TAP_WHENS; when++)
        for (int kind = 0; kind < TAP_KINDS; kind++) saved += print_kind((tap_when)when, kind, ranks);
    fprintf(stderr, "%-26s saved about %.4g s of each process's time\n", "", saved);
}

void tap_report(void) {
    const int n = (int)(sizeof tallies / sizeof(double));
    /* Also of a world that has failed, of which one rank may know and another not yet. */
    void *mine = tap.rank ? (void *)tallies : MPI_IN_PLACE, *sum = tap.rank ? NULL : (void *)tallies;
    int rc = PMPI_Reduce(mine, sum, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rc == MPI_SUCCESS && tap.rank == 0) print(tap.size);
}
