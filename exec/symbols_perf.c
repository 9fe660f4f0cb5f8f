/* symbols_perf.c: /tmp/perf-PID.map: lines "BEGIN BYTES NAME", numbers in hexadecimal, which perf reads when it reports
 * on the process (perf's Documentation/jit-interface.txt). */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec/symbols.h"

static void path_of(char *path, size_t room) { snprintf(path, room, "/tmp/perf-%ld.map", (long)getpid()); }

/* An older process may have had this number. What is another user's stays, and is refused below. */
static void remove_old(void) {
    char path[64];
    path_of(path, sizeof path);
    (void)unlink(path);
}

/* Everybody may write to /tmp: the file is this user's alone, with one name, or it is not written. */
static FILE *open_map(void) {
    static pthread_once_t begun_once = PTHREAD_ONCE_INIT;
    char path[64];
    struct stat s;
    pthread_once(&begun_once, remove_old);
    path_of(path, sizeof path);
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return NULL;
    FILE *f = NULL;
    if (fstat(fd, &s) == 0) {
        if (S_ISREG(s.st_mode) && s.st_uid == geteuid() && s.st_nlink == 1) f = fdopen(fd, "a");
        else errno = EPERM;
    }
    const int e = errno;
    if (!f) close(fd);
    errno = e;
    return f;
}

bool weft_symbols_write(const weft_mapping *code, const weft_symbol *v, uint32_t n, char *why, size_t room) {
    FILE *f = open_map();
    bool good = f != NULL;
    for (uint32_t i = 0; i < n && good; i++)
        good = fprintf(f, "%llx %llx %s\n", (unsigned long long)((uintptr_t)code->at + v[i].offset),
                       (unsigned long long)v[i].bytes, v[i].name) > 0;
    int e = errno;
    if (f && fclose(f) != 0 && good) good = false, e = errno;
    if (!good) {
        char path[64];
        path_of(path, sizeof path);
        snprintf(why, room, "%s: %s", path, strerror(e));
    }
    return good;
}
