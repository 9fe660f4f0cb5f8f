/* test_rendezvous: processes that no launcher started find each other by TCP or in a directory; then the laws of law.h
 * between them, over UCX too. And errors before there is a world: missing and wrong processes are named.
 */
#include "config.h"
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collectives/door.h"
#include "tests/support/port.h"
#include "tests/support/suite.h"

#define MOST 8

static const char *program; /* set once in main */

/* --- processes ---------------------------------------------------------------------------------------------------- */

typedef struct child {
    pid_t pid;
    FILE *output;
} child;

typedef struct launch {
    char at[256], folder[128];   /* folder: of a file rendezvous, else empty */
    const char *transport;
    int processes;
    const char *key;             /* of all its processes; NULL: none */
    const struct rlimit *file;   /* of its processes; NULL: this one's */
    child of[MOST];
} launch;

static void place(launch *l, const char *scheme, const char *transport, int processes) {
    *l = (launch){ .transport = transport, .processes = processes };
    if (!strcmp(scheme, "file")) {
        snprintf(l->folder, sizeof l->folder, "/tmp/weft-meet-%d-%d", (int)getpid(), weft_test_free_port());
        snprintf(l->at, sizeof l->at, "file:%s", l->folder);
    } else {
        snprintf(l->at, sizeof l->at, "tcp:%s:%d", scheme, weft_test_free_port());
    }
}

/* Failed jobs leave their files; the next one is not put off by them. */
static void clear(const launch *l) {
    char command[256];
    if (!l->folder[0]) return;
    snprintf(command, sizeof command, "rm -rf '%s'", l->folder);
    (void)!system(command);
}

typedef struct role {
    int process, processes;      /* as it sees itself */
    const char *node;            /* NULL: not named */
    const char *args[4];         /* of ranks; the last may be "key=..." instead, the job's key as this process has it */
} role;

static void start(launch *l, int i, const role *r) {
    int out[2];
    ck_assert_int_eq(pipe(out), 0);
    l->of[i].pid = fork();
    ck_assert_int_ge(l->of[i].pid, 0);
    if (l->of[i].pid == 0) {
        char process[16], processes[16];
        snprintf(process, sizeof process, "%d", r->process);
        snprintf(processes, sizeof processes, "%d", r->processes);
        setenv("WEFT_RENDEZVOUS", l->at, 1);
        setenv("WEFT_PROCESS", process, 1);
        setenv("WEFT_PROCESSES", processes, 1);
        setenv("WEFT_TRANSPORT", l->transport, 1);
        if (r->node) setenv("WEFT_NODE", r->node, 1);
        bool own = r->args[3] && !strncmp(r->args[3], "key=", 4);
        bool given = l->key && r->process == 1; /* to the library, where it counts before the environment's */
        if (own || l->key) setenv("WEFT_RENDEZVOUS_KEY", own ? r->args[3] + 4 : given ? "another" : l->key, 1);
        if (given) setenv("WEFT_TEST_KEY", l->key, 1);
        if (l->file) setrlimit(RLIMIT_FSIZE, l->file);
        dup2(out[1], 1);
        dup2(out[1], 2);
        close(out[0]);
        close(out[1]);
        execl(program, program, r->args[0], r->args[1], r->args[2], own ? NULL : r->args[3], (char *)NULL);
        _exit(126);
    }
    close(out[1]);
    l->of[i].output = fdopen(out[0], "r");
}

/* What a process has said, and its exit status; -1: killed by a signal. */
static int end(launch *l, int i, char *said, size_t room) {
    size_t n = 0;
    int status;
    for (size_t got; n + 1 < room && (got = fread(said + n, 1, room - 1 - n, l->of[i].output)) > 0;) n += got;
    said[n] = 0;
    fclose(l->of[i].output);
    ck_assert_int_eq(waitpid(l->of[i].pid, &status, 0), l->of[i].pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* --- worlds ------------------------------------------------------------------------------------------------------- */

static const struct { const char *scheme, *transport; int processes, nodes; const char *local; } worlds[] = {
    { "127.0.0.1", "shm", 1, 1, "2" },
    { "127.0.0.1", "shm", 3, 1, "1" },
    { "localhost", "shm", 2, 1, "2" }, /* where /etc/hosts does not have it, too */
    { "LOCALHOST.", "shm", 2, 1, "1" },
    { "file", "shm", 3, 1, "1" },
    { "file", "shm", 2, 1, "2" },
    { "127.0.0.1", "tcp", 3, 1, "1" },
    { "[::1]", "shm,tcp", 4, 2, "1" },
    { "file", "shm", 5, 3, "1" },
    { "file", "tcp", 2, 1, "3" },
#ifdef HAVE_UCX
    { "127.0.0.1", "ucx", 3, 1, "1" },
    { "[::1]", "shm,ucx", 4, 2, "1" },
    { "file", "ucx", 2, 1, "3" },
#endif
};

static void run_world(const char *scheme, const char *transport, int processes, int among, const char *local,
                      const char *key) {
    static const char *const nodes[] = { "a", "b", "c" };
    launch l;
    char said[MOST][8192];
    int results[MOST];
    place(&l, scheme, transport, processes);
    l.key = key;
    if (l.at[4] == '[' && access("/proc/net/if_inet6", R_OK) != 0) return; /* a machine without IPv6 */
    for (int i = l.processes; i-- > 0;) /* the one that the others look for comes last */
        start(&l, i, &(role){ i, l.processes, among > 1 ? nodes[i % among] : NULL, { local, "law", "5", "2400" } });
    for (int i = 0; i < l.processes; i++) results[i] = end(&l, i, said[i], sizeof said[i]);
    for (int i = 0; i < l.processes; i++)
        ck_assert_msg(results[i] == 0, "%s over %s, process %d: %d\n%s", l.at, l.transport, i, results[i], said[i]);
    if (l.folder[0]) ck_assert_msg(access(l.folder, F_OK) != 0 && errno == ENOENT, "%s is still there", l.folder);
}

START_TEST(test_worlds) {
    run_world(worlds[_i].scheme, worlds[_i].transport, worlds[_i].processes, worlds[_i].nodes, worlds[_i].local, NULL);
}
END_TEST

#define LONG \
    "a key of several lines, which may be as long as a variable may be: 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789\n"

static const struct { const char *scheme, *transport, *key; int nodes; } keyed[] = {
    { "127.0.0.1", "shm", "k", 1 },
    { "127.0.0.1", "tcp", "correct horse battery", 1 },
    { "file", "shm,tcp", LONG LONG LONG LONG LONG LONG LONG LONG LONG LONG "\t\xff", 2 },
};

START_TEST(test_keyed_worlds) {
    if (weft_proof_is_hashed())
        run_world(keyed[_i].scheme, keyed[_i].transport, 3, keyed[_i].nodes, "1", keyed[_i].key);
}
END_TEST

/* What a job that was killed has left is not taken for the next one's, nor taken away when it is not ours. */
START_TEST(test_old_files) {
    static const char *const old[] = { "hello.0", "hello.1", "hello.2", "yes.1",
                                       "yes.2",   "job",     "go",      "0123456789abcdef.1.0" };
    launch l;
    char said[8192], path[256];
    place(&l, "file", "shm", 3);
    ck_assert_int_eq(mkdir(l.folder, 0700), 0);
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        snprintf(path, sizeof path, "%s/%s", l.folder, old[i]);
        FILE *f = fopen(path, "w");
        ck_assert_ptr_nonnull(f);
        if (!strncmp(old[i], "hello", 5)) fwrite((uint64_t[]){ 87654321 + i, 3 }, 1, 16, f);
        else fwrite("12345678abcdefgh87654321", 1, strcmp(old[i], "job") ? 8 : 24, f);
        fclose(f);
    }
    for (int i = 0; i < 3; i++) {
        start(&l, i, &(role){ i, 3, NULL, { "1", "meet", "20", NULL } });
        usleep(200000); /* so that process 0 first finds hellos of ended processes */
    }
    for (int i = 0; i < 3; i++) {
        int rc = end(&l, i, said, sizeof said);
        ck_assert_msg(rc == 0, "process %d: %d\n%s", i, rc, said);
    }
    snprintf(path, sizeof path, "%s/%s", l.folder, "0123456789abcdef.1.0");
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(l.folder), 0); /* nothing else is left in it */
}
END_TEST

/* --- missing and wrong processes ---------------------------------------------------------------------------------- */

static const struct {
    const char *scheme;
    int count;
    role of[3];              /* those that are started */
    const char *told[3];     /* a part of what each says */
} troubles[] = {
    { "127.0.0.1",
      2,
      { { 0, 3, NULL, { "1", "meet", "1" } }, { 2, 3, NULL, { "1", "meet", "1" } } },
      { "process 1 did not come to tcp:127.0.0.1:", "process 1 did not come to tcp:127.0.0.1:" } },
    { "127.0.0.1",
      1,
      { { 0, 4, NULL, { "1", "meet", "1" } } },
      { "processes 1, 2 and 3 did not come to tcp:127.0.0.1:" } },
    { "127.0.0.1", 1, { { 2, 3, NULL, { "1", "meet", "1" } } }, { "process 0 did not come to tcp:127.0.0.1:" } },
    { "127.0.0.1",
      3,
      { { 0, 3, NULL, { "1", "meet", "4" } }, { 1, 3, NULL, { "1", "meet", "4" } },
        { 1, 3, NULL, { "1", "meet", "4" } } },
      { "two processes claim to be process 1 of tcp:", "two processes claim to be process 1 of tcp:",
        "two processes claim to be process 1 of tcp:" } },
    { "127.0.0.1",
      2,
      { { 0, 2, NULL, { "1", "meet", "4" } }, { 1, 3, NULL, { "1", "meet", "4" } } },
      { "process 1 counts 3 processes where process 0 counts 2",
        "process 1 counts 3 processes where process 0 counts 2" } },
    { "127.0.0.1",
      2,
      { { 0, 2, NULL, { "1", "meet", "9" } }, { 1, 2, NULL, { "0", "meet", "9" } } },
      { "process 1 has 0 ranks", "process 1 has 0 ranks" } },
#ifdef HAVE_CRYPTO /* process 0 waits for the right one until its time is out: long enough for the wrong one to come \
                      to a busy machine */
    { "127.0.0.1",
      2,
      { { 0, 2, NULL, { "1", "meet", "4", "key=a" } }, { 1, 2, NULL, { "1", "meet", "4", "key=b" } } },
      { "has another key", "does not know the key of the job" } },
    { "127.0.0.1",
      2,
      { { 0, 2, NULL, { "1", "meet", "4", "key=a" } }, { 1, 2, NULL, { "1", "meet", "4" } } },
      { "process 0 has a key (WEFT_RENDEZVOUS_KEY), and process 1 has none",
        "process 0 has a key (WEFT_RENDEZVOUS_KEY), and process 1 has none" } },
    { "127.0.0.1",
      2,
      { { 0, 2, NULL, { "1", "meet", "4" } }, { 1, 2, NULL, { "1", "meet", "4", "key=a" } } },
      { "process 1 has a key (WEFT_RENDEZVOUS_KEY), and process 0 has none",
        "process 1 has a key (WEFT_RENDEZVOUS_KEY), and process 0 has none" } },
    { "127.0.0.1",
      2,
      { { 0, 2, NULL, { "1", "meet", "30", "key=a" } }, { 1, 3, NULL, { "1", "meet", "30", "key=a" } } },
      { "process 1 counts 3 processes where process 0 counts 2",
        "process 1 counts 3 processes where process 0 counts 2" } },
    { "127.0.0.1",
      2,
      { { 0, 2, NULL, { "1", "meet", "4", "key=a" } }, { 1, 2, NULL, { "1", "meet", "4", "key=a\n" } } },
      { "has another key", "does not know the key of the job" } },
    { "file",
      2,
      { { 0, 2, NULL, { "1", "meet", "4", "key=a" } }, { 1, 2, NULL, { "1", "meet", "4", "key=b" } } },
      { "a file of process 1 was there, but not by this process's key: the two may differ in WEFT_RENDEZVOUS_KEY",
        "a file of process 0 was there, but not by this process's key" } },
    { "file",
      2,
      { { 0, 2, NULL, { "1", "meet", "4", "key=a" } }, { 1, 2, NULL, { "1", "meet", "4" } } },
      { "a file of process 1 was there, but not by this process's key",
        "a file of process 0 was there, but not by this process's key" } },
    { "127.0.0.1", 1, { { 0, 2, NULL, { "1", "meet", "1", "key=" } } }, { "WEFT_RENDEZVOUS_KEY is set but empty" } },
#endif
    { "127.0.0.1", 1, { { 3, 3, NULL, { "1", "meet", "1" } } }, { "no process 3 among 3" } },
    { "no.such.host.invalid", 1, { { 0, 2, NULL, { "1", "meet", "1" } } }, { "is no address to listen at" } },
    { "file",
      2,
      { { 0, 3, NULL, { "1", "meet", "1" } }, { 2, 3, NULL, { "1", "meet", "1" } } },
      { "process 1 did not come to file:", "process 1 did not come to file:" } },
    { "file", 1, { { 2, 3, NULL, { "1", "meet", "1" } } }, { "processes 0 and 1 did not come to file:" } },
    { "file",
      2,
      { { 0, 2, NULL, { "1", "meet", "4" } }, { 1, 3, NULL, { "1", "meet", "4" } } },
      { "process 1 counts 3 processes at file:", "process 0 counts 2 processes at file:" } },
    { "port", 1, { { 0, 2, NULL, { "1", "meet", "1" } } }, { "is no address to listen at" } },
    { "pigeon", 1, { { 0, 2, NULL, { "1", "meet", "1" } } }, { "cannot listen at" } },
};

#ifdef HAVE_UCX
/* What UCX has to say is in the diagnostic, and nowhere else. */
START_TEST(test_ucx_says) {
    launch l;
    char said[8192];
    place(&l, "127.0.0.1", "ucx", 2);
    setenv("UCX_TLS", "pigeons", 1);
    for (int i = 0; i < 2; i++) start(&l, i, &(role){ i, 2, NULL, { "1", "meet", "20", NULL } });
    unsetenv("UCX_TLS");
    for (int i = 0; i < 2; i++) {
        int rc = end(&l, i, said, sizeof said);
        const char *line = strchr(said, '\n');
        ck_assert_msg(rc == 1 && strstr(said, "UCX does not start: ") && strstr(said, "pigeons") && line && !line[1],
                      "process %d: %d\n%s", i, rc, said);
    }
}
END_TEST
#endif

START_TEST(test_troubles) {
    launch l;
    char said[3][8192];
    int results[3];
    place(&l, troubles[_i].scheme, "shm", troubles[_i].of[0].processes);
    if (!strcmp(troubles[_i].scheme, "pigeon")) { /* an address that is not this machine's: TEST-NET-1, RFC 5737 */
        strcpy(l.at, "tcp:192.0.2.1:7");
    }
    if (!strcmp(troubles[_i].scheme, "port")) strcpy(l.at, "tcp:127.0.0.1:99999");
    for (int i = 0; i < troubles[_i].count; i++) start(&l, i, &troubles[_i].of[i]);
    for (int i = 0; i < troubles[_i].count; i++) results[i] = end(&l, i, said[i], sizeof said[i]);
    for (int i = 0; i < troubles[_i].count; i++) {
        ck_assert_msg(results[i] == 1, "process %d: %d\n%s", i, results[i], said[i]);
        ck_assert_msg(strstr(said[i], troubles[_i].told[i]) != NULL, "process %d says\n%s", i, said[i]);
    }
    clear(&l);
}
END_TEST

/* A network of its own, whose server of names hears every question and answers none; false, told: there is none to be
 * had here. */
static bool silence_names(void) {
    char conf[] = "/tmp/weft-resolv-XXXXXX";
    static const char text[] = "nameserver 127.0.0.1\n";
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    if (weft_test_leave_network() < 0) return false;
    int server = socket(AF_INET, SOCK_DGRAM, 0), fd = mkstemp(conf);
    ck_assert(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1 && fchmod(fd, 0644) == 0 &&
              bind(server, (struct sockaddr *)&a, sizeof a) == 0);
    close(fd);
    bool done = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                mount(conf, "/etc/resolv.conf", NULL, MS_BIND, NULL) == 0;
    unlink(conf);
    if (!done) printf("skipped: 1 (no /etc/resolv.conf of a test's own here)\n");
    return done;
}

/* The look-up of a name takes no longer than waiting for the other processes: the system's own limit is 10 s and
 * more. */
START_TEST(test_slow_names) {
    static const char *const told[] = { "is no address to listen at: the system has not found the name yet",
                                        "within 1 s: the system has not found the name yet" };
    launch l;
    char said[2][8192];
    int results[2];
    place(&l, "127.0.0.1", "shm", 2);
    if (!silence_names()) return;
    strcpy(l.at, "tcp:slow.example:7000");
    for (int i = 0; i < 2; i++) start(&l, i, &(role){ i, 2, NULL, { "1", "meet", "1", NULL } });
    for (int i = 0; i < 2; i++) results[i] = end(&l, i, said[i], sizeof said[i]);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(results[i] == 1 && strstr(said[i], told[i]), "process %d: %d\n%s", i, results[i], said[i]);
}
END_TEST

static const char *const between[] = {
    "shm,tcp",
#ifdef HAVE_UCX
    "shm,ucx",
#endif
};

/* A failure that a rank knows only through its node's memory also reaches a rank that waits for it. */
START_TEST(test_failed_elsewhere) {
    static const char *const nodes[] = { "a", "a", "b" };
    launch l;
    char said[3][8192];
    int results[3];
    place(&l, "127.0.0.1", between[_i], 3);
    for (int i = 0; i < 3; i++) start(&l, i, &(role){ i, 3, nodes[i], { "1", "elsewhere", NULL, NULL } });
    for (int i = 0; i < 3; i++) results[i] = end(&l, i, said[i], sizeof said[i]);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(results[i] == 0 && strstr(said[i], "calls all_") && strstr(said[i], " where rank "),
                      "process %d: %d\n%s", i, results[i], said[i]);
}
END_TEST

/* Two of the same number overwrite each other's hello until one sees it too often; the other is left. */
START_TEST(test_same_number_in_a_directory) {
    launch l;
    char said[2][8192];
    int results[2];
    place(&l, "file", "shm", 3);
    ck_assert_int_eq(mkdir(l.folder, 0700), 0);
    for (int i = 0; i < 2; i++) start(&l, i, &(role){ 1, 3, NULL, { "1", "meet", "5", NULL } });
    for (int i = 0; i < 2; i++) results[i] = end(&l, i, said[i], sizeof said[i]);
    ck_assert_msg(results[0] == 1 && results[1] == 1, "%s\n%s", said[0], said[1]);
    ck_assert_msg(strstr(said[0], "two processes claim to be process 1 of file:") ||
                      strstr(said[1], "two processes claim to be process 1 of file:"),
                  "%s\n%s", said[0], said[1]);
    clear(&l);
}
END_TEST

/* Another program listens where process 0 should. */
START_TEST(test_another_server) {
    launch l;
    char said[8192];
    int port, listener = socket(AF_INET, SOCK_STREAM, 0);
    place(&l, "127.0.0.1", "shm", 2);
    ck_assert_int_eq(sscanf(l.at, "tcp:127.0.0.1:%d", &port), 1);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(listen(listener, 5), 0);
    start(&l, 0, &(role){ 1, 2, NULL, { "1", "meet", "20", NULL } });
    int fd = accept(listener, NULL, NULL);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(send(fd, "220 mail.example ESMTP\r\n", 24, 0), 24);
    ck_assert_int_eq(end(&l, 0, said, sizeof said), 1);
    ck_assert_msg(strstr(said, "is not process 0 of this Weft") != NULL, "%s", said);
    close(fd);
    close(listener);
}
END_TEST

/* Files may be limited in length (ulimit -f), beyond which a signal comes: shared memory is smaller then, or messages
 * carry everything, UCX's without files. */
static const struct { const char *transport, *node[2]; rlim_t most; const char *told; } limits[] = {
    { "shm", { NULL, NULL }, (rlim_t)1 << 27, "" },
    { "shm", { NULL, NULL }, (rlim_t)1 << 20, "File too large: messages carry everything" },
    { "shm,tcp", { "a", "b" }, 0, "" },
#ifdef HAVE_UCX
    { "shm,ucx", { "a", "b" }, 0, "" },
#endif
};

START_TEST(test_short_files) {
    launch l;
    char said[2][8192];
    int results[2];
    const struct rlimit limit = { limits[_i].most, limits[_i].most };
    place(&l, "127.0.0.1", limits[_i].transport, 2);
    l.file = &limit;
    for (int i = 0; i < 2; i++) start(&l, i, &(role){ i, 2, limits[_i].node[i], { "1", "law", "5", "2400" } });
    for (int i = 0; i < 2; i++) results[i] = end(&l, i, said[i], sizeof said[i]);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(results[i] == 0 && strstr(said[i], limits[_i].told), "process %d: %d\n%s", i, results[i],
                      said[i]);
}
END_TEST

/* A connection to process 0, which may not listen yet. */
static int connected(const struct sockaddr_in *a) {
    int fd = -1;
    for (int tries = 0; tries < 500; tries++) {
        fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fd, (const struct sockaddr *)a, sizeof *a) == 0) return fd;
        close(fd);
        usleep(20000);
    }
    return -1;
}

/* A caller without a hello is ignored, and delays no process. */
START_TEST(test_strangers) {
    launch l;
    char said[8192];
    enum { STRANGERS = 70 }; /* more than process 0 listens to at once */
    int port, strangers[STRANGERS];
    place(&l, "127.0.0.1", "shm", 2);
    ck_assert_int_eq(sscanf(l.at, "tcp:127.0.0.1:%d", &port), 1);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    start(&l, 0, &(role){ 0, 2, NULL, { "1", "meet", "20", NULL } });
    for (int i = 0; i < STRANGERS; i++) {
        strangers[i] = connected(&a);
        if (i == 1) ck_assert_int_eq(send(strangers[i], "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
        if (i == 2) ck_assert_int_eq(send(strangers[i], "ab", 2, 0), 2);
    }
    start(&l, 1, &(role){ 1, 2, NULL, { "1", "meet", "20", NULL } });
    for (int i = 0; i < 2; i++) {
        int rc = end(&l, i, said, sizeof said);
        ck_assert_msg(rc == 0, "process %d: %d\n%s", i, rc, said);
    }
    for (int i = 0; i < STRANGERS; i++) close(strangers[i]);
}
END_TEST

/* One that speaks Weft's language and is none of the job: where there is no key it is sent away, with a key it does not
 * get so far; the job goes on. */
START_TEST(test_liars) {
    static const struct { int process, processes; } said[] = { { 1, 3 }, { 7, 2 }, { 0, 2 }, { -1, 2 }, { 1, 0 } };
    const char *key = _i ? "correct horse battery" : NULL;
    weft_secret none = { .state = WEFT_SECRET_NONE };
    launch l;
    char text[8192];
    int port, liars[5];
    if (key && !weft_proof_is_hashed()) return;
    place(&l, "127.0.0.1", "shm", 2);
    l.key = key;
    ck_assert_int_eq(sscanf(l.at, "tcp:127.0.0.1:%d", &port), 1);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    start(&l, 0, &(role){ 0, 2, NULL, { "1", "meet", "20", NULL } });
    for (int i = 0; i < 5; i++) {
        weft_caller c;
        weft_reply r;
        uint8_t proof[WEFT_PROOF_BYTES];
        ck_assert_int_eq(weft_caller_begin(&c, WEFT_DOOR_RENDEZVOUS, &none, said[i].process, said[i].processes),
                         WEFT_OK);
        c.hello.is_keyed = key != NULL;
        liars[i] = connected(&a);
        ck_assert_int_eq(send(liars[i], &c.hello, sizeof c.hello, MSG_NOSIGNAL), sizeof c.hello);
        ck_assert_int_eq(recv(liars[i], &r, sizeof r, MSG_WAITALL), sizeof r);
        ck_assert_int_eq(r.verdict, WEFT_VERDICT_CHALLENGE);
        weft_caller_prove(&c, &r, proof);
        ck_assert_int_eq(send(liars[i], proof, sizeof proof, MSG_NOSIGNAL), sizeof proof);
        ck_assert_int_eq(recv(liars[i], &r, sizeof r, MSG_WAITALL), sizeof r);
        ck_assert_int_eq(r.verdict, WEFT_VERDICT_REFUSED);
    }
    start(&l, 1, &(role){ 1, 2, NULL, { "1", "meet", "20", NULL } });
    for (int i = 0; i < 2; i++) {
        int rc = end(&l, i, text, sizeof text);
        ck_assert_msg(rc == 0, "process %d: %d\n%s", i, rc, text);
    }
    for (int i = 0; i < 5; i++) close(liars[i]);
}
END_TEST

/* Comes in at fd as this process of two, in a job without a key. */
static void enter(int fd, int process) {
    const weft_secret none = { .state = WEFT_SECRET_NONE };
    weft_caller c;
    weft_reply r;
    uint8_t proof[WEFT_PROOF_BYTES];
    ck_assert_int_eq(weft_caller_begin(&c, WEFT_DOOR_RENDEZVOUS, &none, process, 2), WEFT_OK);
    ck_assert_int_eq(send(fd, &c.hello, sizeof c.hello, MSG_NOSIGNAL), sizeof c.hello);
    ck_assert_int_eq(recv(fd, &r, sizeof r, MSG_WAITALL), sizeof r);
    weft_caller_prove(&c, &r, proof);
    ck_assert_int_eq(send(fd, proof, sizeof proof, MSG_NOSIGNAL), sizeof proof);
    ck_assert_int_eq(recv(fd, &r, sizeof r, MSG_WAITALL), sizeof r);
    ck_assert_int_eq(r.verdict, WEFT_VERDICT_WELCOME);
}

/* A process that has come in and leaves, without a word or in the middle of one, ends the job: process 0 does not wait
 * for the rest. */
START_TEST(test_leavers) {
    launch l;
    char said[8192];
    int port;
    place(&l, "127.0.0.1", "shm", 2);
    ck_assert_int_eq(sscanf(l.at, "tcp:127.0.0.1:%d", &port), 1);
    const struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    start(&l, 0, &(role){ 0, 2, NULL, { "1", "meet", "600", NULL } });
    int fd = connected(&a);
    ck_assert_int_ge(fd, 0);
    enter(fd, 1);
    if (_i) ck_assert_int_eq(send(fd, "ab", 2, MSG_NOSIGNAL), 2);
    close(fd);
    ck_assert_int_eq(end(&l, 0, said, sizeof said), 1);
    ck_assert_msg(strstr(said, "process 1 has left before the world was made"), "%s", said);
}
END_TEST

/* Holds as many connections as it can, calls again for each that is closed, says nothing or a hello, and never a proof.
 * Ends with its parent's kill. */
static void flood(const struct sockaddr_in *a, int speaks) {
    enum { HELD = 600 };
    int held[HELD];
    char answer[64];
    const weft_secret none = { .state = WEFT_SECRET_NONE };
    const struct linger now = { .l_onoff = 1 };
    memset(held, -1, sizeof held);
    alarm(60);
    for (unsigned i = 0;; i++) {
        weft_caller c;
        int *fd = &held[i % HELD];
        if (*fd >= 0 && (recv(*fd, answer, sizeof answer, MSG_DONTWAIT) > 0 || errno == EAGAIN)) continue;
        if (*fd >= 0) close(*fd);
        *fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)setsockopt(*fd, SOL_SOCKET, SO_LINGER, &now, sizeof now); /* its ports are free again at once */
        (void)connect(*fd, (const struct sockaddr *)a, sizeof *a);
        if (!speaks || weft_caller_begin(&c, WEFT_DOOR_RENDEZVOUS, &none, 1, 2) != WEFT_OK) continue;
        c.hello.is_keyed = 1;
        (void)!send(*fd, &c.hello, sizeof c.hello, MSG_NOSIGNAL);
    }
}

/* However many strangers call, the process of the job comes in. */
START_TEST(test_flood) {
    launch l;
    char said[2][8192];
    int port, result[2];
    if (!weft_proof_is_hashed()) return;
    place(&l, "127.0.0.1", "tcp", 2);
    l.key = "correct horse battery";
    ck_assert_int_eq(sscanf(l.at, "tcp:127.0.0.1:%d", &port), 1);
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    start(&l, 0, &(role){ 0, 2, NULL, { "1", "meet", "20", NULL } });
    pid_t stranger = fork();
    if (stranger == 0) flood(&a, _i);
    usleep(500000);
    start(&l, 1, &(role){ 1, 2, NULL, { "1", "meet", "20", NULL } });
    for (int i = 0; i < 2; i++) result[i] = end(&l, i, said[i], sizeof said[i]);
    kill(stranger, SIGKILL);
    ck_assert_int_eq(waitpid(stranger, NULL, 0), stranger);
    for (int i = 0; i < 2; i++) ck_assert_msg(result[i] == 0, "process %d: %d\n%s", i, result[i], said[i]);
}
END_TEST

/* A directory that others may write to, or a link, is no rendezvous; a process takes its files back if no other
 * process comes. */
START_TEST(test_directories) {
    launch l;
    char said[8192], other[160];
    place(&l, "file", "shm", 2);
    ck_assert_int_eq(mkdir(l.folder, 0700), 0);
    ck_assert_int_eq(chmod(l.folder, 0777), 0);
    start(&l, 0, &(role){ 0, 2, NULL, { "1", "meet", "1", NULL } });
    ck_assert_int_eq(end(&l, 0, said, sizeof said), 1);
    ck_assert_msg(strstr(said, "others may write to it"), "%s", said);
    ck_assert_int_eq(chmod(l.folder, 0755), 0);
    start(&l, 0, &(role){ 0, 2, NULL, { "1", "meet", "1", NULL } });
    ck_assert_int_eq(end(&l, 0, said, sizeof said), 1);
    ck_assert_msg(strstr(said, "process 1 did not come"), "%s", said);
    snprintf(other, sizeof other, "%s-other", l.folder);
    ck_assert_int_eq(rename(l.folder, other), 0);
    ck_assert_int_eq(symlink(other, l.folder), 0);
    start(&l, 0, &(role){ 0, 2, NULL, { "1", "meet", "1", NULL } });
    ck_assert_int_eq(end(&l, 0, said, sizeof said), 1);
    ck_assert_msg(strstr(said, "cannot open"), "%s", said);
    ck_assert_int_eq(unlink(l.folder), 0);
    ck_assert_int_eq(rmdir(other), 0); /* hello.0 is not in it */
}
END_TEST

/* --- a directory that others may write to: with a key ------------------------------------------------------------- */

#define KEY "correct horse battery"
enum { STRANGER = 54321 }; /* a user that does not exist */

/* The name that the key gives to the job's folder, the n-th that it tries (rendezvous_folder.c). */
static void folder_of_key(uint8_t n, char *out, size_t room) {
    weft_secret s;
    uint8_t hash[WEFT_PROOF_BYTES];
    weft_secret_of_key(KEY, &s);
    ck_assert(weft_prove(&s, &(weft_claim){ .who = "folder", .said = &n, .said_bytes = 1 }, hash));
    size_t at = (size_t)snprintf(out, room, "weft-");
    for (int i = 0; i < 16; i++) at += (size_t)snprintf(out + at, room - at, "%02x", hash[i]);
}

typedef enum thing { A_FOLDER, AN_OPEN_FOLDER, A_FILE, A_LINK } thing;

/* What a stranger has put there; false: this test is no root, and cannot play one. */
static bool put_strangers(const launch *l, const char *name, thing what) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", l->folder, name);
    int e = what == A_FILE   ? mknod(path, S_IFREG | 0666, 0)
            : what == A_LINK ? symlink("/tmp", path)
                             : mkdir(path, 0700);
    ck_assert_int_eq(e, 0);
    if (what == AN_OPEN_FOLDER) ck_assert_int_eq(chmod(path, 0777), 0);
    if (lchown(path, STRANGER, STRANGER) == 0) return true;
    printf("skipped: 1 (only root can play another user)\n");
    return false;
}

static void share(launch *l, mode_t mode) {
    place(l, "file", "shm", 2);
    l->key = KEY;
    ck_assert_int_eq(mkdir(l->folder, 0700), 0);
    ck_assert_int_eq(chmod(l->folder, mode), 0);
}

static void meet(launch *l, int results[2], char said[2][8192], char *seconds) {
    for (int i = 0; i < 2; i++) start(l, i, &(role){ i, 2, NULL, { "1", "meet", seconds, NULL } });
    for (int i = 0; i < 2; i++) results[i] = end(l, i, said[i], 8192);
}

/* Whatever strangers have put there under the names that a job without a key would take, and under names of the job's
 * folder that they have seen before: the job starts, and leaves what is not its own. */
START_TEST(test_shared_directory) {
    static const char *const old[] = { "hello.0", "hello.1", ".hello.0.0", "job", "yes.1", "go" };
    launch l;
    char said[2][8192], name[64], path[256];
    int results[2];
    if (!weft_proof_is_hashed()) return;
    share(&l, _i ? 0777 : 01777);
    bool can = true;
    for (size_t i = 0; can && i < sizeof old / sizeof *old; i++) can = put_strangers(&l, old[i], (thing)(i % 4));
    for (uint8_t n = 0; can && n < 4; n++) {
        folder_of_key(n, name, sizeof name);
        can = put_strangers(&l, name, (thing)n);
    }
    meet(&l, results, said, "20");
    for (int i = 0; i < 2; i++) ck_assert_msg(results[i] == 0, "process %d: %d\n%s", i, results[i], said[i]);
    folder_of_key(4, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", l.folder, name);
    ck_assert_int_ne(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/job", l.folder);
    ck_assert_int_eq(access(path, F_OK), can ? 0 : -1);
    clear(&l);
}
END_TEST

/* A job that was killed has left its folder there: the next one takes it. */
START_TEST(test_shared_directory_again) {
    launch l;
    char said[2][8192], name[64], path[256];
    int results[2];
    if (!weft_proof_is_hashed()) return;
    share(&l, 01777);
    folder_of_key(0, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", l.folder, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    strcat(path, "/hello.1");
    ck_assert_int_eq(mknod(path, S_IFREG | 0600, 0), 0);
    meet(&l, results, said, "20");
    for (int i = 0; i < 2; i++) ck_assert_msg(results[i] == 0, "process %d: %d\n%s", i, results[i], said[i]);
    ck_assert_int_eq(rmdir(l.folder), 0); /* nothing is left in it */
}
END_TEST

/* Where it cannot start it says at once why, and whose it is. */
START_TEST(test_taken_directory) {
    launch l;
    char said[2][8192], name[64];
    int results[2];
    if (!weft_proof_is_hashed()) return;
    share(&l, 01777);
    for (uint8_t n = 0; n < 16; n++) {
        folder_of_key(n, name, sizeof name);
        if (!put_strangers(&l, name, A_FOLDER)) break;
        if (n < 15) continue;
        meet(&l, results, said, "60");
        for (int i = 0; i < 2; i++)
            ck_assert_msg(results[i] == 1 && strstr(said[i], "are taken, the last by weft-") &&
                              strstr(said[i], "which belongs to user 54321"),
                          "process %d: %d\n%s", i, results[i], said[i]);
        ck_assert_int_eq(chmod(l.folder, 0755), 0);
        ck_assert_int_eq(chown(l.folder, STRANGER, STRANGER), 0);
        l.key = NULL;
        meet(&l, results, said, "60");
        for (int i = 0; i < 2; i++)
            ck_assert_msg(results[i] == 1 && strstr(said[i], "it belongs to user 54321"), "process %d: %d\n%s", i,
                          results[i], said[i]);
    }
    clear(&l);
}
END_TEST

int main(void) {
    static char path[WEFT_TEST_PATH];
    program = weft_test_built(path, "tests/collectives/ranks");
    Suite *s = suite_create("rendezvous");
    TCase *tc = tcase_create("rendezvous");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_worlds, 0, sizeof worlds / sizeof *worlds);
    tcase_add_loop_test(tc, test_keyed_worlds, 0, sizeof keyed / sizeof *keyed);
    tcase_add_test(tc, test_old_files);
#ifdef HAVE_UCX
    tcase_add_test(tc, test_ucx_says);
#endif
    tcase_add_loop_test(tc, test_troubles, 0, sizeof troubles / sizeof *troubles);
#ifdef HAVE_GETADDRINFO_A
    tcase_add_test(tc, test_slow_names);
#endif
    tcase_add_test(tc, test_same_number_in_a_directory);
    tcase_add_loop_test(tc, test_failed_elsewhere, 0, sizeof between / sizeof *between);
    tcase_add_test(tc, test_another_server);
    tcase_add_loop_test(tc, test_short_files, 0, sizeof limits / sizeof *limits);
    tcase_add_test(tc, test_strangers);
    tcase_add_loop_test(tc, test_liars, 0, 2);
    tcase_add_loop_test(tc, test_leavers, 0, 2);
    tcase_add_loop_test(tc, test_flood, 0, 2);
    tcase_add_test(tc, test_directories);
    tcase_add_loop_test(tc, test_shared_directory, 0, 2);
    tcase_add_test(tc, test_shared_directory_again);
    tcase_add_test(tc, test_taken_directory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
