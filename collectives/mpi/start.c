/* start.c: the library's beginning and end, with MPI's. */
#include "collectives/mpi/tap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* --- whether at all ----------------------------------------------------------------------------------------------- */

/* The MPI that this library was built for, as its version begins. Others have other handles. An MPI by MPI 5's ABI has
 * that ABI's, whatever its version says. */
#ifdef MPI_ABI_VERSION
static const char *const families[] = { "MPI's ABI" };
#elif defined OPEN_MPI
static const char *const families[] = { "Open MPI" };
#else
static const char *const families[] = { "MPICH", "Intel(R) MPI", "MVAPICH" };
#endif

/* The program's MPI is the one that is found first; the library's own may be there beside it. */
static bool is_by_abi(void) {
    int (*version)(int *, int *), major = -1, minor = -1;
    void *first = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version"), *asked = dlsym(RTLD_DEFAULT, "PMPI_Abi_get_version");
    Dl_info a, b;
    if (!first || !asked || !dladdr(first, &a) || !dladdr(asked, &b) || a.dli_fbase != b.dli_fbase) return false;
    return tap_find("PMPI_Abi_get_version", &version) && version(&major, &minor) == MPI_SUCCESS && major > 0;
}

#define ANY_VERSION 16384 /* MPICH writes up to 8192 bytes, whatever the header says that is in use here */

static bool is_our_mpi(char *version) {
    int n;
    bool by_abi = is_by_abi();
    PMPI_Get_library_version(version, &n);
#ifdef MPI_ABI_VERSION
    if (by_abi) return true;
#endif
    for (size_t i = 0; i < sizeof families / sizeof *families && !by_abi; i++)
        if (strstr(version, families[i])) return true;
    version[strcspn(version, ",\n")] = 0;
    if (by_abi) strcat(version, " by MPI's ABI");
    for (char *tab = version; (tab = strchr(tab, '\t'));) *tab = ' ';
    return false;
}

/* Removes the library's name from LD_PRELOAD; whether it was there. */
static bool unload(void) {
    const char *list = getenv("LD_PRELOAD");
    size_t room = list ? strlen(list) + 1 : 0, n = 0;
    char *rest = room ? malloc(room) : NULL;
    bool was_there = false;
    for (const char *at = list; rest && *at;) {
        size_t word = strcspn(at, ": ");
        bool is_it = memmem(at, word, TAP_NAME, strlen(TAP_NAME)) != NULL;
        if (!is_it && word) {
            memcpy(rest + n, at, word);
            n += word;
            rest[n++] = ':';
        }
        was_there |= is_it;
        at += word + (at[word] != 0);
    }
    if (rest) rest[n ? n - 1 : 0] = 0;
    was_there = was_there && setenv("LD_PRELOAD", rest, 1) == 0;
    free(rest);
    return was_there;
}

/* Handles of another MPI have another width, so that calls cannot even be passed on. Before the program begins, it is
 * begun anew without the library. */
__attribute__((constructor)) static void leave_other_programs(void) {
    char version[ANY_VERSION] = "", line[65536], *argv[4096];
    if (is_our_mpi(version)) return;
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0, words = 0;
    if (f) fclose(f);
    for (size_t at = 0; at < n && words < 4095; at += strlen(line + at) + 1) argv[words++] = line + at;
    argv[words] = NULL;
    line[n] = 0;
    tap_say("it was built for %s, and this program's MPI is %s: calls go to MPI", families[0], version);
    if (n > 0 && n < sizeof line - 1 && words < 4095 && unload()) execv("/proc/self/exe", argv);
    tap_say("rank and program cannot go on with it: load or link the one for %s", version);
    _exit(1);
}

/* ASKED: wherever the processes are; the user says that all of them have the library. */
typedef enum wish { OFF, CHECKED, ASKED } wish;

static bool is_any(const char *text, const char *a, const char *b, const char *c, const char *d) {
    return !strcasecmp(text, a) || !strcasecmp(text, b) || !strcasecmp(text, c) || !strcasecmp(text, d);
}

static wish wish_of(const char *text) {
    if (!text || !*text || !strcasecmp(text, "all")) return CHECKED;
    if (is_any(text, "on", "1", "yes", "true")) return ASKED;
    if (!is_any(text, "off", "0", "no", "false"))
        tap_say("WEFT_MPI is on, off or all, not '%s': calls go to MPI", text);
    return OFF;
}

static bool is_wished(const char *text) { return text && *text && !is_any(text, "off", "0", "no", "false"); }

/* What the processes have to have alike beside the library; the first number is a version's. */
static bool agree(void) {
    const char *version = weft_version();
    int32_t mine[8] = { 0, tap.reports, tap.threads, tap.takes_all }, most[8];
    for (; *version; version++) mine[0] = (mine[0] * 31 + *version) & 0xffffff;
    for (int i = 0; i < 4; i++) mine[4 + i] = -mine[i];
    if (PMPI_Allreduce(mine, most, 8, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS) return false;
    bool is_same_version = most[0] == -most[4];
    /* alike for all, or none could count on the others */
    tap.reports = most[1] > 0;
    tap.threads = most[2] > 0;
    tap.takes_all = most[3] > 0;
    if (!is_same_version && tap.rank == 0)
        tap_say("the processes have it in several versions, rank 0 in %s: calls go to MPI", weft_version());
    return is_same_version;
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static void let_go(void) {
    tap.is_on = false;
    weft_comm_free(tap.all);
    weft_world_free(tap.world);
    weft_context_free(tap.cx);
    tap.all = NULL;
    tap.world = NULL;
    tap.cx = NULL;
}

/* The program's buffers are its own: no rank sees another's, and what Weft's cost model and `weft tune` choose for
 * buffers that all see takes up to ten times as long, by calls of the kernel for each. So all goes through the staging
 * areas, by one rendezvous while that is enough. Sums then read the operands of all ranks, which pays while they fit
 * in the first cache. bench/mpi with each algorithm, 2 and 4 processes, 28 November 2026 (docs/benchmarks.md). */
static void private_rules(char *to, size_t room) {
    int64_t most = 65536 / tap.size;
    snprintf(to, room,
             "all_reduce:-%lld=one_shot,all_reduce=windows,reduce:-%lld=one_shot,reduce=windows,reduce_scatter:-32K=small,"
             "reduce_scatter=windows,all_gather=small,all_gather=windows,all_to_all=small,all_to_all=windows,"
             "collective_broadcast=small,collective_broadcast=windows,gather=small,gather=windows,scatter=small,"
             "scatter=windows", (long long)most, (long long)most);
}

/* No limit to the time that a rank waits for others: MPI has none. Between nodes a rank that has given its part may be
 * in a call of MPI's next, while others still need it: a thread moves its messages. */
static weft_status open_world(wish w) {
    const char *given = getenv("WEFT_ALGORITHMS");
    char rules[512];
    private_rules(rules, sizeof rules);
    MPI_Comm all = MPI_COMM_WORLD;
    weft_world_options o = { .size = sizeof o, .local_ranks = 1, .timeout_s = -1, .join_timeout_s = 120,
                             .idle = tap_idle, .progress = w == ASKED || getenv("WEFT_NODE") ? 1 : -1,
                             .algorithms = given ? given : rules };
    weft_status st = weft_world_create_mpi_handle(tap.cx, &all, sizeof all, &o, &tap.world);
    return st == WEFT_OK ? weft_comm_world(tap.cx, tap.world, weft_world_first(tap.world), &tap.all) : st;
}

static void open_all(wish w) {
    tap.cx = weft_context_new(NULL);
    weft_status st = tap.cx ? WEFT_OK : WEFT_ERR_MEMORY;
    if (PMPI_Comm_dup(MPI_COMM_SELF, &tap.idle) != MPI_SUCCESS ||
        PMPI_Comm_dup(MPI_COMM_SELF, &tap.self) != MPI_SUCCESS || tap_comms_init() != MPI_SUCCESS ||
        tap_types_init() != MPI_SUCCESS)
        st = WEFT_ERR_MEMORY;
    /* What MPI refuses on it is told to the handler of the program's communicator. */
    else PMPI_Comm_set_errhandler(tap.self, MPI_ERRORS_RETURN);
    int fine = st == WEFT_OK, all = 0;
    PMPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) st = open_world(w);
    fine = all && st == WEFT_OK;
    PMPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) {
        fine = tap_hook();
        PMPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        tap.is_hooked = all;
        tap.is_on = true;
        tap_comm_made(MPI_COMM_WORLD);
        return;
    }
    if (st != WEFT_OK) {
        const weft_diag *d = tap.cx ? weft_context_diag(tap.cx, 0) : NULL;
        tap_say("rank %d: %s: calls go to MPI", tap.rank, d ? d->message : weft_status_name(st));
    }
    let_go();
}

void tap_start(void) {
    char why[512] = "";
    const char *text = getenv("WEFT_MPI");
    wish w = wish_of(text);
    int level = MPI_THREAD_SINGLE;
    PMPI_Comm_rank(MPI_COMM_WORLD, &tap.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &tap.size);
    tap.reports = is_wished(getenv("WEFT_MPI_REPORT"));
    if (tap.reports && tap.rank == 0 && (tap.size < 2 || w == OFF))
        tap_say("%s: calls go to MPI", tap.size < 2 ? "one process" : "WEFT_MPI is off");
    if (tap.size < 2) return;
    PMPI_Query_thread(&level);
    tap.threads = level == MPI_THREAD_MULTIPLE;
    tap.takes_all = text && !strcasecmp(text, "all");
    if (w != ASKED && !tap_muster(w == OFF, why, sizeof why)) {
        if (*why && w != OFF && tap.rank == 0) tap_say("%s: calls go to MPI", why);
        return;
    }
    if (agree()) open_all(w);
}

void tap_end(void) {
    tap_muster_end();
    if (!tap.cx) return;
    tap.is_on = false;
    if (tap.is_hooked) tap_later_end();
    tap_unhook();
    tap.is_hooked = false;
    if (tap.reports) tap_report();
    tap_comms_end();
    let_go();
    PMPI_Comm_free(&tap.idle);
    PMPI_Comm_free(&tap.self);
}
