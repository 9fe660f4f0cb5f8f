/* rendezvous_file: processes find each other in a directory that all of them see. Each file is written by one process,
 * under another name first, so that who sees it sees all of it.
 *
 * What a job that was killed has left there must not be taken for this one's. So every process begins with a number
 * that nobody has had (hello.P); process 0 writes down the numbers it found (job); who finds its own in there agrees to
 * that list (yes.P), and once all have agreed to the same list process 0 says so (go). A list that names an old hello
 * finds no agreement, and is written again when the process comes that it was meant for. From then on files carry the
 * list's hash.
 *
 * The directory is this user's and nobody else may write to it, nor are files believed that are not plain ones of this
 * user's; then it is the key. Where the user gives a key, the directory may be shared with others: then the files lie
 * in a folder of mode 0700 in it, whose name only those find who have the key, so that nobody can take the name before,
 * and every file ends with a proof of its name and its bytes.
 *
 * A hello says, too, how many processes its writer counts: another count is what an earlier job may have left, or a
 * mistake, and is told when the time is over.
 */
#include "collectives/comm.h"
#include "collectives/rendezvous.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAP_MS 5                   /* between two looks, */
#define NAP_MOST_MS 100            /* longer the longer it takes: each look asks a file server */
#define END_NS 5000000000          /* how long process 0 waits to take the files away */

typedef enum owner { THEIRS, OURS } owner;

typedef struct folder {
    weft_meeting_place *place;
    int dir;                       /* where the files are: the directory, or the folder in it; -1: not there yet */
    const char *path;              /* of the directory, */
    char inner[64];                /* and the folder's name; "": there is none */
    bool is_loose;                 /* others may move the folder away */
    owner owner;                   /* OURS: this process made the directory */
    uint64_t job;                  /* the list's hash; 0: not agreed on */
    unsigned round;
    uint64_t *numbers;             /* [processes]: of this job */
    char *came;                    /* [processes] */
    uint64_t mine;                 /* this process's number, */
    bool said;                     /* this process has said hello, */
    int others;                    /* and found another's in its place */
} folder;

/* Who owns a file, where that may be why: ", which belongs to user 1000", or nothing. */
static const char *whose(const struct stat *st, char out[48]) {
    out[0] = 0;
    if (st->st_uid != geteuid()) snprintf(out, 48, ", which belongs to user %u", (unsigned)st->st_uid);
    return out;
}

/* name: of a file in the directory or its folder; "": the directory itself. */
static weft_status fail(folder *f, const char *what, const char *name) {
    int why = errno;
    char owner[48] = "";
    struct stat st;
    bool there = *name && f->dir >= 0 ? fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 || fstat(f->dir, &st) == 0
                                      : lstat(f->path, &st) == 0;
    if (there) (void)whose(&st, owner);
    snprintf(f->place->trouble, sizeof f->place->trouble, "process %d cannot %s %s%s%s%s%s%s: %s", f->place->process,
             what, f->path, *f->inner ? "/" : "", f->inner, *name ? "/" : "", name, owner, strerror(why));
    errno = why;
    return WEFT_ERR_IO;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

#define CHUNK 512

/* Of a file's name, length and bytes, chunk after chunk, each with the proof of those before it. False: libcrypto
 * refuses. */
static bool seal(const folder *f, const char *name, const void *p, size_t bytes, uint8_t out[WEFT_PROOF_BYTES]) {
    struct { char name[64]; uint64_t bytes, at; uint8_t before[WEFT_PROOF_BYTES]; } head = { .bytes = bytes };
    memcpy(head.name, name, strnlen(name, sizeof head.name - 1));
    do {
        size_t n = bytes - head.at < CHUNK ? bytes - head.at : CHUNK;
        const weft_claim c = { "file", &head, n ? (const char *)p + head.at : NULL, sizeof head, n };
        if (!weft_prove(&f->place->secret, &c, out)) return false;
        memcpy(head.before, out, WEFT_PROOF_BYTES);
        head.at += n;
    } while (head.at < bytes);
    return true;
}

static bool write_all(int fd, const void *p, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t n = write(fd, (const char *)p + at, bytes - at);
        if (n > 0) at += (size_t)n;
        else if (n == 0 || errno != EINTR) return false;
    }
    return true;
}

static bool read_all(int fd, void *p, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t n = read(fd, (char *)p + at, bytes - at);
        if (n > 0) at += (size_t)n;
        else if (n == 0 || errno != EINTR) return false;
    }
    return true;
}

static weft_status put(folder *f, const char *name, const void *p, size_t bytes) {
    char draft[96];
    uint8_t proof[WEFT_PROOF_BYTES];
    snprintf(draft, sizeof draft, ".%s.%d", name, f->place->process);
    (void)unlinkat(f->dir, draft, 0); /* of a job that was killed, or somebody's link */
    int fd = openat(f->dir, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return fail(f, "write", name);
    bool good = write_all(fd, p, bytes);
    if (f->place->is_keyed) good = good && seal(f, name, p, bytes, proof) && write_all(fd, proof, sizeof proof);
    good &= close(fd) == 0;
    return good && renameat(f->dir, draft, f->dir, name) == 0 ? WEFT_OK : fail(f, "write", name);
}

static bool is_ours(const struct stat *st) { return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH)); }

/* Whether the file is there, with as many bytes, and of this job's user or with a proof. */
static bool get(const folder *f, const char *name, void *p, size_t bytes) {
    int fd = openat(f->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool keyed = f->place->is_keyed;
    uint8_t proof[WEFT_PROOF_BYTES], right[WEFT_PROOF_BYTES];
    struct stat st;
    if (fd < 0) return false;
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                st.st_size == (off_t)(bytes + (keyed ? sizeof proof : 0)) && (keyed || is_ours(&st)) &&
                read_all(fd, p, bytes);
    if (keyed)
        good = good && seal(f, name, p, bytes, right) && read_all(fd, proof, sizeof proof) &&
               weft_is_same_proof(right, proof);
    close(fd);
    return good;
}

static bool get_of(const folder *f, const char *what, int process, uint64_t *out) {
    char name[64];
    snprintf(name, sizeof name, "%s.%d", what, process);
    return get(f, name, out, sizeof *out);
}

typedef struct hello {
    uint64_t number, processes;
} hello;

static bool get_hello(const folder *f, int process, hello *out) {
    char name[64];
    snprintf(name, sizeof name, "hello.%d", process);
    return get(f, name, out, sizeof *out);
}

/* Of a process that counts as this one does. */
static bool hello_of(const folder *f, int process, uint64_t *number) {
    hello h;
    if (!get_hello(f, process, &h) || h.processes != (uint64_t)f->place->processes) return false;
    *number = h.number;
    return true;
}

static weft_status put_own(folder *f, const char *what, uint64_t number) {
    char name[64];
    snprintf(name, sizeof name, "%s.%d", what, f->place->process);
    return put(f, name, &number, sizeof number);
}

static weft_status new_number(folder *f, uint64_t *out) {
    if (weft_random(out, sizeof *out) != WEFT_OK) {
        snprintf(f->place->trouble, sizeof f->place->trouble, "the system has no random numbers: %s", strerror(errno));
        return WEFT_ERR_IO;
    }
    *out |= 1;
    return WEFT_OK;
}

static uint64_t hash_of(const uint64_t *numbers, int n) { /* FNV-1a by words */
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < n; i++) h = (h ^ numbers[i]) * 1099511628211u;
    return h | 1;
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

typedef struct watch {
    int64_t end;
    int nap_ms;
} watch;

static watch watch_begin(const folder *f) { return (watch){ weft_meeting_end(f->place), NAP_MS }; }

/* A pause; false when the time is over. */
static bool watch_nap(watch *w) {
    int left = weft_meeting_left(w->end, w->nap_ms);
    if (!left) return false;
    (void)poll(NULL, 0, left);
    if (w->nap_ms < NAP_MOST_MS) w->nap_ms += w->nap_ms / 4 + 1;
    return true;
}

/* --- who is there ------------------------------------------------------------------------------------------------- */

/* Process 0: whether all have agreed to the list; when hellos have changed it is written anew. */
static weft_status gather_all(folder *f, bool *done) {
    int n = f->place->processes, changed = f->job == 0, all = 1;
    weft_status st = WEFT_OK;
    *done = false;
    for (int p = 1; p < n; p++) {
        uint64_t number = 0;
        f->came[p] = hello_of(f, p, &number);
        changed |= f->came[p] && number != f->numbers[p];
        if (f->came[p]) f->numbers[p] = number;
        all &= f->came[p];
    }
    if (!all) return WEFT_OK;
    if (changed) {
        st = new_number(f, &f->numbers[0]);
        if (st != WEFT_OK) return st;
        f->job = hash_of(f->numbers, n);
        st = put(f, "job", f->numbers, (size_t)n * sizeof *f->numbers);
    }
    for (int p = 1; p < n; p++) {
        uint64_t yes = 0;
        f->came[p] = get_of(f, "yes", p, &yes) && yes == f->job;
        all &= f->came[p];
    }
    *done = all;
    return st == WEFT_OK && all ? put(f, "go", &f->job, sizeof f->job) : st;
}

/* Another process: agrees to a list that it is in; whether process 0 has said that all have. */
static weft_status join_all(folder *f, uint64_t mine, bool *done) {
    int n = f->place->processes;
    weft_status st = WEFT_OK;
    uint64_t go = 0;
    *done = false;
    for (int p = 0; p < n; p++) f->came[p] = p == f->place->process;
    if (!get(f, "job", f->numbers, (size_t)n * sizeof *f->numbers) || f->numbers[f->place->process] != mine)
        return WEFT_OK;
    uint64_t job = f->job = hash_of(f->numbers, n), said = 0;
    if (!get_of(f, "yes", f->place->process, &said) || said != job) st = put_own(f, "yes", job);
    *done = get(f, "go", &go, sizeof go) && go == job;
    f->came[0] = 1;
    for (int p = 1; p < n && !*done; p++) {
        uint64_t yes = 0;
        f->came[p] |= get_of(f, "yes", p, &yes) && yes == job;
    }
    return st;
}

/* Of another process when the time is over and no list names it: who has not said hello, or else process 0. */
static void find_missing(folder *f) {
    int missing = 0;
    if (f->came[0]) return; /* a list: those who have not agreed to it */
    for (int p = 1; p < f->place->processes; p++) {
        uint64_t number;
        f->came[p] = p == f->place->process || (f->dir >= 0 && hello_of(f, p, &number));
        missing += !f->came[p];
    }
    uint64_t number;
    f->came[0] = missing && f->dir >= 0 && hello_of(f, 0, &number);
}

/* Why they may have missed each other: whether one that did not come to this job has said hello to a larger or smaller
 * one. */
static weft_status missed(folder *f) {
    hello h;
    for (int p = 0; p < f->place->processes && f->dir >= 0; p++) {
        if (p == f->place->process || !get_hello(f, p, &h) || h.processes == (uint64_t)f->place->processes ||
            h.processes > 1 << 24)
            continue;
        snprintf(
            f->place->trouble, sizeof f->place->trouble,
            "process %d counts %d processes at %s where process %d counts %d, unless an earlier job left that there", p,
            (int)h.processes, f->place->at, f->place->process, f->place->processes);
        return WEFT_ERR_IO;
    }
    weft_status st = weft_meeting_missed(f->place, f->came);
    size_t n = strlen(f->place->trouble);
    if (f->is_loose)
        snprintf(f->place->trouble + n, sizeof f->place->trouble - n,
                 "; who else may write to %s can move files of others: it has no sticky bit", f->path);
    return st;
}

#define NAMES 16 /* for the folder: a stranger who saw an earlier job's may have taken that name since */

static bool name_inner(folder *f, uint8_t n) {
    uint8_t hash[WEFT_PROOF_BYTES];
    const weft_claim c = { .who = "folder", .said = &n, .said_bytes = 1 };
    if (!weft_prove(&f->place->secret, &c, hash)) return false;
    int at = snprintf(f->inner, sizeof f->inner, "weft-");
    for (int i = 0; i < 16; i++) at += snprintf(f->inner + at, sizeof f->inner - (size_t)at, "%02x", hash[i]);
    return true;
}

/* In a directory that others may write to: process 0 makes the folder under the first name that nobody else has, where
 * the others look for it. */
static weft_status open_inner(folder *f, const struct stat *of_shared) {
    struct stat st = { 0 };
    int shared = f->dir;
    f->dir = -1;
    f->is_loose = !(of_shared->st_mode & S_ISVTX);
    weft_status how = WEFT_ERR_IO;
    for (uint8_t n = 0; n < NAMES && how != WEFT_OK && name_inner(f, n); n++) {
        bool made = f->place->process == 0 && mkdirat(shared, f->inner, 0700) == 0;
        if (f->place->process == 0 && !made && errno != EEXIST) {
            int why = errno;
            f->inner[0] = 0;
            errno = why;
            how = fail(f, "make a folder in", "");
            break;
        }
        int fd = openat(shared, f->inner, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 && errno == ENOENT) how = WEFT_OK; /* not yet */
        else if (fd >= 0 && fstat(fd, &st) == 0 && is_ours(&st)) f->dir = fd, how = WEFT_OK;
        else if (fd >= 0) close(fd);
    }
    if (how != WEFT_OK && !f->place->trouble[0]) {
        char owner[48];
        if (fstatat(shared, f->inner, &st, AT_SYMLINK_NOFOLLOW) != 0) st.st_uid = geteuid();
        snprintf(f->place->trouble, sizeof f->place->trouble,
                 "all %d names that the key gives to this job in %s are taken, the last by %s%s", NAMES, f->path,
                 f->inner, whose(&st, owner));
    }
    close(shared);
    return how;
}

/* Again at every look: an earlier job of these processes may just be taking the directory away. */
static weft_status open_folder(folder *f) {
    struct stat st;
    char why[48];
    if (f->dir >= 0) close(f->dir);
    f->dir = -1;
    f->inner[0] = 0;
    if (f->place->process == 0) {
        if (mkdir(f->path, 0700) == 0) f->owner = OURS;
        else if (errno != EEXIST) return fail(f, "make", "");
    }
    f->dir = open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->dir < 0) return errno == ENOENT ? WEFT_OK : fail(f, "open", "");
    if (fstat(f->dir, &st) != 0) return fail(f, "open", "");
    if (f->place->is_keyed) return st.st_mode & (S_IWGRP | S_IWOTH) ? open_inner(f, &st) : WEFT_OK;
    if (is_ours(&st)) return WEFT_OK;
    if (st.st_uid == geteuid()) snprintf(why, sizeof why, "others may write to it");
    else snprintf(why, sizeof why, "it belongs to user %u", (unsigned)st.st_uid);
    snprintf(f->place->trouble, sizeof f->place->trouble,
             "%s can be a rendezvous with a key only (WEFT_RENDEZVOUS_KEY): %s", f->path, why);
    return WEFT_ERR_IO;
}

/* hellos of others in place of this process's own: one may be of a job that was killed while it wrote it */
#define OTHERS_MOST 3

/* Process 0 of an earlier job may have taken this hello for one of its own, and away. */
static weft_status say_hello(folder *f, uint64_t mine) {
    hello seen = { 0 }, own = { mine, (uint64_t)f->place->processes };
    char name[64];
    bool there = get_hello(f, f->place->process, &seen);
    if (there && seen.number == mine) return WEFT_OK;
    if (there && f->said && ++f->others > OTHERS_MOST) {
        snprintf(f->place->trouble, sizeof f->place->trouble, "two processes say that they are process %d of %s",
                 f->place->process, f->place->at);
        return WEFT_ERR_IO;
    }
    snprintf(name, sizeof name, "hello.%d", f->place->process);
    weft_status st = put(f, name, &own, sizeof own);
    f->said |= st == WEFT_OK;
    return st != WEFT_OK && errno == ENOENT ? WEFT_OK : st; /* the directory is gone: again at the next look */
}

static weft_status find_each_other(folder *f) {
    uint64_t mine;
    bool done = false;
    watch w = watch_begin(f);
    if (new_number(f, &mine) != WEFT_OK) return WEFT_ERR_IO;
    f->mine = mine;
    for (;;) {
        weft_status st = open_folder(f);
        f->came[f->place->process] = 1;
        if (st == WEFT_OK && f->dir >= 0) st = say_hello(f, mine);
        if (st == WEFT_OK && f->dir >= 0) st = f->place->process == 0 ? gather_all(f, &done) : join_all(f, mine, &done);
        if (st != WEFT_OK || done) return st;
        if (watch_nap(&w)) continue;
        if (f->place->process) find_missing(f);
        return missed(f);
    }
}

/* --- exchanges ---------------------------------------------------------------------------------------------------- */

static void name_of(const folder *f, unsigned round, int process, char out[64]) {
    snprintf(out, 64, "%016llx.%u.%d", (unsigned long long)f->job, round, process);
}

static weft_status exchange(const weft_bootstrap *b, const void *in, size_t bytes, void *out) {
    folder *f = b->state;
    char name[64];
    watch w = watch_begin(f);
    name_of(f, ++f->round, b->rank, name);
    memset(f->came, 0, (size_t)b->size);
    weft_status st = put(f, name, in, bytes);
    for (int missing = b->size; st == WEFT_OK && missing;) {
        for (int p = 0; p < b->size; p++) {
            if (f->came[p]) continue;
            name_of(f, f->round, p, name);
            f->came[p] = get(f, name, (char *)out + (size_t)p * bytes, bytes);
            missing -= f->came[p];
        }
        if (missing && !watch_nap(&w)) st = weft_meeting_missed(f->place, f->came);
    }
    /* All have come to this round, so none needs the last one's files. */
    name_of(f, f->round - 1, b->rank, name);
    if (st == WEFT_OK && f->round > 1) (void)unlinkat(f->dir, name, 0);
    return st;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* The folder belongs to the key, so to nobody else; the directory may not be there any more under this name. */
static void remove_inner(const folder *f) {
    int shared = open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (shared < 0) return;
    (void)unlinkat(shared, f->inner, AT_REMOVEDIR);
    close(shared);
}

/* When all have said that they need the files no more: those of the job, and what led to it. */
static void clear(folder *f) {
    static const char *const kinds[] = { "hello", "yes", "gone" };
    char name[64];
    for (int p = 0; p < f->place->processes; p++) {
        for (size_t k = 0; k < WEFT_COUNT(kinds); k++) {
            snprintf(name, sizeof name, "%s.%d", kinds[k], p);
            (void)unlinkat(f->dir, name, 0);
        }
        for (unsigned r = f->round ? f->round - 1 : 0; r <= f->round + 1; r++) {
            name_of(f, r, p, name);
            (void)unlinkat(f->dir, name, 0);
        }
    }
    (void)unlinkat(f->dir, "job", 0);
    (void)unlinkat(f->dir, "go", 0);
    if (f->inner[0]) remove_inner(f);
    if (f->owner == OURS) (void)rmdir(f->path); /* not while somebody else's files are in it */
}

/* Without a word: why there is no world has been said. */
static weft_status put_gone(folder *f) {
    char why[WEFT_RENDEZVOUS_TROUBLE];
    memcpy(why, f->place->trouble, sizeof why);
    weft_status st = put_own(f, "gone", f->mine);
    memcpy(f->place->trouble, why, sizeof why);
    return st;
}

/* No world came of it. What each has said stays for the others, who have yet to say who is missing; the last one takes
 * it all away. */
static void give_up(folder *f) {
    hello h;
    uint64_t gone;
    if (!get_hello(f, f->place->process, &h) || h.number != f->mine || put_gone(f) != WEFT_OK) return;
    for (int p = 0; p < f->place->processes; p++)
        if (get_hello(f, p, &h) && (!get_of(f, "gone", p, &gone) || gone != h.number)) return;
    clear(f);
}

static void part(folder *f) {
    char name[64];
    int missing = f->place->processes;
    watch w = { weft_now_ns() + END_NS, NAP_MS };
    name_of(f, f->round + 1, f->place->process, name); /* one round more, without anything to say */
    if (put(f, name, "", 0) != WEFT_OK || f->place->process != 0) return;
    memset(f->came, 0, (size_t)f->place->processes);
    do {
        for (int p = 0; p < f->place->processes; p++) {
            if (f->came[p]) continue;
            name_of(f, f->round + 1, p, name);
            f->came[p] = get(f, name, NULL, 0);
            missing -= f->came[p];
        }
    } while (missing && watch_nap(&w));
    if (!missing) clear(f);
}

weft_status weft_rendezvous_file_open(weft_meeting_place *place, const char *where, weft_bootstrap *out) {
    const weft_allocator *a = &place->alloc;
    size_t n = (size_t)place->processes;
    folder *f = a->resize(a->user, NULL, 0, sizeof *f);
    if (!f) return WEFT_ERR_MEMORY;
    *f = (folder){ .place = place, .dir = -1, .path = where };
    *out = (weft_bootstrap){
        .rank = place->process, .size = place->processes, .allgather = exchange, .state = f, .trouble = place->trouble
    };
    f->numbers = a->resize(a->user, NULL, 0, n * sizeof *f->numbers);
    f->came = a->resize(a->user, NULL, 0, n);
    weft_status st = f->numbers && f->came ? WEFT_OK : WEFT_ERR_MEMORY;
    if (st == WEFT_OK) {
        memset(f->numbers, 0, n * sizeof *f->numbers);
        memset(f->came, 0, n);
        st = find_each_other(f);
    }
    if (st != WEFT_OK) {
        f->job = 0;
        weft_rendezvous_file_close(out);
    }
    return st;
}

void weft_rendezvous_file_close(weft_bootstrap *b) {
    folder *f = b->state;
    const weft_allocator a = f->place->alloc;
    size_t n = (size_t)f->place->processes;
    if (f->dir >= 0 && f->job) part(f);
    else if (f->dir >= 0) give_up(f);
    if (f->dir >= 0) close(f->dir);
    if (f->numbers) a.resize(a.user, f->numbers, n * sizeof *f->numbers, 0);
    if (f->came) a.resize(a.user, f->came, n, 0);
    a.resize(a.user, f, sizeof *f, 0);
    *b = (weft_bootstrap){ 0 };
}
