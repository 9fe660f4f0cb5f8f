/* rendezvous_folder.c: see rendezvous_folder.h. */
#include "collectives/rendezvous_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/whole.h"

weft_folder weft_folder_at(weft_meeting_place *place, const char *path) {
    return (weft_folder){ .place = place, .dir = -1, .path = path };
}

/* The owner of a file, if it may be the reason: ", which belongs to user 1000", or nothing. */
static const char *whose(const struct stat *st, char out[48]) {
    out[0] = 0;
    if (st->st_uid != geteuid()) snprintf(out, 48, ", which belongs to user %u", (unsigned)st->st_uid);
    return out;
}

/* name: of a file in the directory or its folder; "": the directory itself. */
static weft_status fail(weft_folder *f, const char *what, const char *name) {
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

/* The proof of a file's name, length and bytes, chunk by chunk, each with the proof of those before it. False:
 * libcrypto refuses. */
static bool seal(const weft_folder *f, const char *name, const void *p, size_t bytes, uint8_t out[WEFT_PROOF_BYTES]) {
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

weft_status weft_folder_put(weft_folder *f, const char *name, const void *p, size_t bytes) {
    char draft[96];
    uint8_t proof[WEFT_PROOF_BYTES];
    snprintf(draft, sizeof draft, ".%s.%d", name, f->place->process);
    (void)unlinkat(f->dir, draft, 0); /* of a killed job, or a stranger's link */
    int fd = openat(f->dir, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return fail(f, "write", name);
    bool good = weft_whole_write(fd, p, bytes);
    if (f->place->is_keyed) good = good && seal(f, name, p, bytes, proof) && weft_whole_write(fd, proof, sizeof proof);
    good &= close(fd) == 0;
    return good && renameat(f->dir, draft, f->dir, name) == 0 ? WEFT_OK : fail(f, "write", name);
}

static bool is_ours(const struct stat *st) { return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH)); }

bool weft_folder_get(const weft_folder *f, const char *name, void *p, size_t bytes) {
    int fd = openat(f->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool keyed = f->place->is_keyed;
    uint8_t proof[WEFT_PROOF_BYTES], right[WEFT_PROOF_BYTES];
    struct stat st;
    if (fd < 0) return false;
    bool good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                st.st_size == (off_t)(bytes + (keyed ? sizeof proof : 0)) && (keyed || is_ours(&st)) &&
                weft_whole_read(fd, p, bytes);
    if (keyed)
        good = good && seal(f, name, p, bytes, right) && weft_whole_read(fd, proof, sizeof proof) &&
               weft_is_same_proof(right, proof);
    close(fd);
    if (!good) errno = EBADMSG;
    return good;
}

/* --- the folder --------------------------------------------------------------------------------------------------- */

#define NAMES 16 /* for the folder: a stranger that saw an earlier job's may have taken that name */

static bool name_inner(weft_folder *f, uint8_t n) {
    uint8_t hash[WEFT_PROOF_BYTES];
    const weft_claim c = { .who = "folder", .said = &n, .said_bytes = 1 };
    if (!weft_prove(&f->place->secret, &c, hash)) return false;
    int at = snprintf(f->inner, sizeof f->inner, "weft-");
    for (int i = 0; i < 16; i++) at += snprintf(f->inner + at, sizeof f->inner - (size_t)at, "%02x", hash[i]);
    return true;
}

/* In a directory that others may write to: process 0 makes the folder under the first name that is not taken, where the
 * others look for it. */
static weft_status open_inner(weft_folder *f, const struct stat *of_shared) {
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

weft_status weft_folder_look(weft_folder *f) {
    struct stat st;
    char why[48];
    weft_folder_close(f);
    f->inner[0] = 0;
    if (f->place->process == 0) {
        if (mkdir(f->path, 0700) == 0) f->is_made_here = true;
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

/* The folder belongs to the key, so to this job only; the directory may no longer exist under this name. */
static void remove_inner(const weft_folder *f) {
    int shared = open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (shared < 0) return;
    (void)unlinkat(shared, f->inner, AT_REMOVEDIR);
    close(shared);
}

void weft_folder_drop(const weft_folder *f, const char *name) { (void)unlinkat(f->dir, name, 0); }

void weft_folder_remove(const weft_folder *f) {
    if (f->inner[0]) remove_inner(f);
    if (f->is_made_here) (void)rmdir(f->path);
}

void weft_folder_close(weft_folder *f) {
    if (f->dir >= 0) close(f->dir);
    f->dir = -1;
}
