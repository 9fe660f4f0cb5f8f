/* muster.c: whether all processes have the library, found without MPI: a process that lacks it answers no message, and
 * would take one that it does not expect for another.
 *
 * The processes of a job on one machine share a file in /dev/shm, named after the job. Each enters itself when its
 * MPI_Init has returned. A process that finds that all have come writes the verdict yes. One that has waited for
 * WAIT_S, is switched off, or has another version, writes no. The first verdict stands, so all have the same. The file
 * goes when all have come, or when its time is over: a later process finds an empty one, and after WAIT_S the same
 * verdict, for yes needs all of them.
 */
#include "collectives/mpi/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_S 10 /* MPI_Init of all known MPIs ends together, or nearly */
#define MARK 0x57664d31u
enum { OPEN, YES, NO };

typedef struct card {
    int32_t pid;         /* 0: not here yet */
    uint32_t version;    /* a hash */
} card;

typedef struct board {
    uint32_t mark;
    int32_t size;
    _Atomic int32_t verdict; /* written under the file's lock */
    char why[256];           /* before the verdict */
    card of[];
} board;

static uint64_t mix(uint64_t h, const char *text) {
    while (*text) h = (h ^ (unsigned char)*text++) * 1099511628211u; /* FNV-1a */
    return h * 1099511628211u;
}

static uint32_t version_of(void) { return (uint32_t)mix(14695981039346656037u, weft_version()) | 1; }

/* When a process began, so that its number is no other's. */
static void name_process(pid_t pid, char *to, size_t room) {
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = 0;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    snprintf(to, room, "%d.%.20s", (int)pid, at ? at + 1 : "");
    to[strcspn(to, " ") < room ? strcspn(to, " ") : 0] = 0;
}

/* What the processes of this job on this machine have in common and no others: what their launcher has told them, or
 * the launcher itself, which is at the other end of MPICH's socket, or has started them. */
static uint64_t job_hash(void) {
    static const char *const told[] = { "PMIX_NAMESPACE", "PMIX_SERVER_URI2", "PMIX_SERVER_URI21",
                                        "PMIX_SERVER_URI3", "PMIX_SERVER_URI4", "SLURM_JOB_ID", "SLURM_STEP_ID",
                                        "PMI_PORT", "PMI_SPAWNED" };
    char launcher[96] = "";
    struct ucred peer = { 0 };
    socklen_t room = sizeof peer;
    const char *fd = getenv("PMI_FD");
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const char *text = getenv(told[i]);
        h = mix(h, text ? text : "-");
    }
    if (fd && !getsockopt(atoi(fd), SOL_SOCKET, SO_PEERCRED, &peer, &room) && peer.pid > 0)
        name_process(peer.pid, launcher, sizeof launcher);
    else if (!getenv("PMIX_NAMESPACE") && !getenv("PMI_PORT"))
        name_process(getppid(), launcher, sizeof launcher);
    return mix(h, launcher);
}

static size_t board_bytes(void) { return sizeof(board) + (size_t)tap.size * sizeof(card); }

/* Whether it is what a process of this job would have left there: else a job that was killed has, which had the same
 * number. Under the lock. */
static bool is_ours(const board *b) {
    if (b->mark != MARK || b->size != tap.size || b->of[tap.rank].pid) return false;
    for (int i = 0; i < tap.size; i++)
        if (b->of[i].pid && kill(b->of[i].pid, 0) != 0 && errno == ESRCH) return false;
    return true;
}

/* The board under the file's lock; NULL, and why, where there is none. */
static board *open_board(const char *path, int *fd, char *why, size_t room) {
    struct stat s;
    for (int tries = 0; tries < 100; tries++) {
        *fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (*fd < 0 || flock(*fd, LOCK_EX) != 0 || fstat(*fd, &s) != 0) break;
        if (s.st_uid != geteuid() || !S_ISREG(s.st_mode)) {
            snprintf(why, room, "%s belongs to another user", path);
            close(*fd);
            return NULL;
        }
        bool is_new = s.st_size == 0, is_there = s.st_nlink > 0;
        if (is_there && is_new && ftruncate(*fd, (off_t)board_bytes()) != 0) break;
        board *b = MAP_FAILED;
        if (is_there && (is_new || (size_t)s.st_size == board_bytes()))
            b = mmap(NULL, board_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
        if (b != MAP_FAILED && is_new) b->mark = MARK, b->size = tap.size;
        if (b != MAP_FAILED && is_ours(b)) return b;
        if (b != MAP_FAILED) munmap(b, board_bytes());
        if (is_there) unlink(path);
        close(*fd);
    }
    snprintf(why, room, "no file can be made in /dev/shm, in which the processes enter themselves: %s", strerror(errno));
    if (*fd >= 0) close(*fd);
    return NULL;
}

static char left[64]; /* the file that this process has left for who comes later; "": none */

/* Under the lock. */
static void decide(board *b, int verdict) {
    /* Pairs with the acquire in wait_for(): why is written before. */
    atomic_store_explicit(&b->verdict, verdict, memory_order_release);
}

static int come(const board *b) {
    int n = 0;
    for (int i = 0; i < tap.size; i++) n += b->of[i].pid != 0;
    return n;
}

static void enter(board *b, bool is_off) {
    int other = -1;
    if (b->verdict) return;
    for (int i = 0; i < tap.size; i++)
        if (b->of[i].pid && b->of[i].version != version_of()) other = i;
    if (is_off)
        snprintf(b->why, sizeof b->why, "WEFT_MPI is off for rank %d", tap.rank);
    else if (other >= 0)
        snprintf(b->why, sizeof b->why, "rank %d has it in another version than rank %d, which has %s", other, tap.rank,
                 weft_version());
    if (is_off || other >= 0) decide(b, NO);
    else if (come(b) == tap.size) decide(b, YES);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(board *b, const char *path, int fd) {
    int missing = 0;
    flock(fd, LOCK_EX);
    if (!b->verdict) {
        while (b->of[missing].pid) missing++;
        snprintf(b->why, sizeof b->why,
                 "of %d processes %d have it on this machine, rank %d has not; start all with it, and where they are on "
                 "several machines set WEFT_MPI=on", tap.size, come(b), missing);
        decide(b, NO);
        unlink(path);
    }
    flock(fd, LOCK_UN);
}

bool tap_muster(bool is_off, char *why, size_t room) {
    char path[64];
    int fd, there;
    snprintf(path, sizeof path, "/dev/shm/weft-mpi-%u-%016llx", (unsigned)geteuid(), (unsigned long long)job_hash());
    board *b = open_board(path, &fd, why, room);
    if (!b) return false;
    b->of[tap.rank] = (card){ (int32_t)getpid(), version_of() };
    enter(b, is_off);
    if (come(b) == tap.size) unlink(path);
    else if (b->verdict) snprintf(left, sizeof left, "%s", path);
    flock(fd, LOCK_UN);
    for (double end = now() + WAIT_S;;) {
        /* Pairs with the release in decide(). */
        if (atomic_load_explicit(&b->verdict, memory_order_acquire)) break;
        if (now() > end) give_up(b, path, fd);
        /* Others may need this process to come out of MPI_Init. */
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &there, MPI_STATUS_IGNORE);
        usleep(100);
    }
    bool yes = b->verdict == YES;
    snprintf(why, room, "%s", b->why);
    munmap(b, board_bytes());
    close(fd);
    return yes;
}

void tap_muster_end(void) {
    if (*left) unlink(left);
}
