/* The folder of compiled code: entries are found by their whole key and read whole or not at all; folders of others and
 * bad folders are refused in one warning; full disks and read-only folders lose nothing but the entry; the least
 * recently used go first; writers that are killed and writers at one time leave whole entries only. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "exec/cache.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

static char folder[] = "/tmp/weft-cache-XXXXXX";
static char place[64];
static weft_context *cx;

static void setup(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(place, sizeof place, "%s/a/b", folder);
    cx = weft_context_new(NULL);
}

static void teardown(void) {
    char command[128];
    weft_context_free(cx);
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", folder, folder);
    ck_assert_int_eq(system(command), 0);
}

static weft_cache *open_cache(const char *size) {
    weft_cache *c = NULL;
    ck_assert_int_eq(weft_cache_open(cx, &(weft_cache_place){ .dir = place, .size = size }, &c), WEFT_OK);
    return c;
}

static void put(weft_cache *c, const char *key, const char *data, size_t n) {
    weft_cache_put(c, WEFT_CACHE_KERNEL, "some kernel", key, strlen(key), data, n);
}

static bool has(weft_cache *c, const char *key, const char *data, size_t n) {
    weft_cached e;
    if (!weft_cache_get(c, WEFT_CACHE_KERNEL, key, strlen(key), &e)) return false;
    const bool same = e.bytes == n && !memcmp(e.data, data, n);
    weft_cache_release(&e);
    ck_assert(same);
    return true;
}


static bool list_one(void *user, const weft_cache_entry *e) {
    int64_t *totals = user;
    ck_assert_msg(e->whole, "an entry is not whole");
    totals[0]++;
    totals[1] += e->file_bytes;
    return true;
}

/* How many entries there are; all are whole. */
static int64_t count(weft_cache *c, int64_t *bytes) {
    int64_t totals[2] = { 0, 0 };
    ck_assert(weft_cache_each(c, list_one, totals));
    if (bytes) *bytes = totals[1];
    return totals[0];
}

/* The path of the only file in the folder. */
static void only_file(char *path, size_t room) {
    char command[128];
    snprintf(command, sizeof command, "ls -A '%s' | head -n 1", place);
    FILE *f = popen(command, "r");
    char name[96] = "";
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(name, sizeof name, f));
    pclose(f);
    name[strcspn(name, "\n")] = '\0';
    snprintf(path, room, "%s/%s", place, name);
}

static void expect_warning(const char *says) {
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_int_eq(d->severity, WEFT_WARNING);
    ck_assert_str_eq(d->flag, "cache");
    ck_assert_msg(strstr(d->message, says) && strstr(d->message, place), "%s", d->message);
}

static void spill(const char *path, const char *p, size_t n) {
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(p, 1, n, f), n);
    fclose(f);
}

static const char *place_of_file(void) {
    static char path[96];
    snprintf(path, sizeof path, "%s/file", folder);
    return path;
}

START_TEST(finds_what_was_put) {
    weft_cache *c = open_cache(NULL);
    weft_cached e;
    struct stat st;
    put(c, "one", "1", 1);
    put(c, "two", "22", 2);
    put(c, "none", NULL, 0);
    ck_assert(has(c, "one", "1", 1) && has(c, "two", "22", 2) && has(c, "none", "", 0));
    ck_assert(!has(c, "three", "", 0));
    ck_assert(!weft_cache_get(c, WEFT_CACHE_PROGRAM, "one", 3, &e));
    put(c, "one", "other", 5);
    ck_assert(has(c, "one", "other", 5));
    ck_assert(weft_cache_has(c, WEFT_CACHE_KERNEL, "one", 3) && !weft_cache_has(c, WEFT_CACHE_PROGRAM, "one", 3));
    ck_assert_int_eq(stat(place, &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0700);
    ck_assert_int_eq(weft_cache_limit(c), 1 << 30);
    const weft_cache_counts n = weft_cache_count(c);
    ck_assert_uint_eq(n.written, 4);
    ck_assert_uint_eq(n.found[WEFT_CACHE_KERNEL], 4);
    ck_assert_uint_eq(n.missed[WEFT_CACHE_KERNEL], 1);
    ck_assert_uint_eq(n.missed[WEFT_CACHE_PROGRAM], 1);
    weft_cache_close(c);
    c = open_cache("3MiB");
    ck_assert_int_eq(weft_cache_limit(c), 3 << 20);
    ck_assert(has(c, "two", "22", 2));
    ck_assert_int_eq(count(c, NULL), 3);
    ck_assert_int_eq(weft_cache_clear(c), 3);
    ck_assert(!has(c, "two", "22", 2));
    ck_assert_int_eq(count(c, NULL), 0);
    weft_cache_close(c);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

START_TEST(has_no_folder) {
    weft_cache *c = (weft_cache *)place;
    const weft_cache_place none = { .dir = "none", .xdg = "/tmp", .home = "/tmp" }, nowhere = { .xdg = "relative" },
                           odd = { .dir = place, .size = "much" };
    ck_assert_int_eq(weft_cache_open(cx, &none, &c), WEFT_OK);
    ck_assert_ptr_null(c);
    ck_assert_int_eq(weft_cache_open(cx, &nowhere, &c), WEFT_OK);
    ck_assert_ptr_null(c);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    ck_assert_int_eq(weft_cache_open(cx, &odd, &c), WEFT_ERR_USAGE);
    ck_assert_ptr_null(c);
    weft_cache_close(c);
}
END_TEST

/* A home that is not there or may not be written to is no reason for a warning: nobody asked for the folder. */
START_TEST(needs_no_home) {
    weft_cache *c = (weft_cache *)place;
    spill(place_of_file(), "", 0);
    ck_assert_int_eq(weft_cache_open(cx, &(weft_cache_place){ .home = place_of_file() }, &c), WEFT_OK);
    ck_assert_ptr_null(c);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

START_TEST(finds_the_users_folder) {
    char path[96];
    weft_cache *c;
    ck_assert_int_eq(weft_cache_open(cx, &(weft_cache_place){ .xdg = folder, .home = "/nowhere" }, &c), WEFT_OK);
    snprintf(path, sizeof path, "%s/weft/compiled", folder);
    ck_assert_str_eq(weft_cache_folder(c), path);
    weft_cache_close(c);
    ck_assert_int_eq(weft_cache_open(cx, &(weft_cache_place){ .dir = "", .home = folder }, &c), WEFT_OK);
    snprintf(path, sizeof path, "%s/.cache/weft/compiled", folder);
    ck_assert_str_eq(weft_cache_folder(c), path);
    weft_cache_close(c);
}
END_TEST

/* ---- entries that are not whole ---- */

static char *slurp(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    char *p = malloc(1 << 16);
    ck_assert(f && p);
    *n = fread(p, 1, 1 << 16, f);
    fclose(f);
    return p;
}

START_TEST(refuses_damage) {
    weft_cache *c = open_cache(NULL);
    char path[192];
    size_t n;
    put(c, "key", "the data", 8);
    only_file(path, sizeof path);
    char *p = slurp(path, &n);
    for (size_t cut = 0; cut < n; cut++) {
        spill(path, p, cut);
        ck_assert(!has(c, "key", "the data", 8));
        ck_assert_int_ne(access(path, F_OK), 0); /* it is removed */
    }
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit++) {
            p[i] ^= (char)(1 << bit);
            spill(path, p, n);
            ck_assert_msg(!has(c, "key", "the data", 8), "bit %d of byte %zu", bit, i);
            p[i] ^= (char)(1 << bit);
        }
    spill(path, p, n);
    ck_assert(has(c, "key", "the data", 8));
    free(p);
    /* An entry under another's name: two keys of one hash. */
    weft_cache_clear(c);
    put(c, "other", "other data", 10);
    char other[192];
    only_file(other, sizeof other);
    ck_assert_int_eq(rename(other, path), 0);
    ck_assert(!has(c, "key", "the data", 8));
    ck_assert_int_eq(access(path, F_OK), 0);
    weft_cache_close(c);
}
END_TEST

START_TEST(refuses_links_and_what_others_wrote) {
    weft_cache *c = open_cache(NULL);
    char path[192], aside[192];
    put(c, "key", "the data", 8);
    only_file(path, sizeof path);
    ck_assert_int_eq(chmod(path, 0622), 0);
    ck_assert(!has(c, "key", "the data", 8));
    put(c, "key", "the data", 8);
    ck_assert(has(c, "key", "the data", 8));
    snprintf(aside, sizeof aside, "%s/aside", folder);
    ck_assert_int_eq(rename(path, aside), 0);
    ck_assert_int_eq(symlink(aside, path), 0);
    ck_assert(!has(c, "key", "the data", 8));
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0); /* is not waited for */
    ck_assert(!has(c, "key", "the data", 8));
    ck_assert_int_eq(unlink(path), 0);
    if (!geteuid()) {
        put(c, "key", "the data", 8);
        ck_assert_int_eq(chown(path, 12345, (gid_t)-1), 0);
        ck_assert(!has(c, "key", "the data", 8));
    } else printf("skipped: 1 (an entry of another user needs root)\n");
    weft_cache_close(c);
}
END_TEST

/* ---- folders that are not used ---- */

static void expect_no_folder(const char *says) {
    weft_cache *c = (weft_cache *)place;
    ck_assert_int_eq(weft_cache_open(cx, &(weft_cache_place){ .dir = place }, &c), WEFT_OK);
    ck_assert_ptr_null(c);
    expect_warning(says);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "' is not used: "));
}

START_TEST(refuses_a_folder_that_others_may_write_to) {
    weft_cache_close(open_cache(NULL));
    ck_assert_int_eq(chmod(place, 0720), 0);
    expect_no_folder("others may write to it");
}
END_TEST

START_TEST(refuses_a_folder_of_another_user) {
    weft_cache_close(open_cache(NULL));
    if (geteuid()) {
        printf("skipped: 1 (a folder of another user needs root)\n");
        return;
    }
    ck_assert_int_eq(chown(place, 12345, (gid_t)-1), 0);
    expect_no_folder("it belongs to another user");
}
END_TEST

START_TEST(refuses_a_file) {
    snprintf(place, sizeof place, "%s/file", folder);
    spill(place, "", 0);
    expect_no_folder("Not a directory");
}
END_TEST

/* As a user whom permissions bind. */
static void expect_unwritable(void) {
    weft_cache *c = open_cache(NULL);
    ck_assert_ptr_nonnull(c);
    ck_assert(has(c, "there", "before", 6));
    put(c, "one", "1", 1);
    put(c, "two", "2", 1);
    ck_assert(!has(c, "one", "1", 1));
    weft_cache_tell(c);
    weft_cache_close(c);
    expect_warning("cannot be written: Permission denied");
}

START_TEST(says_once_that_a_folder_is_read_only) {
    enum { NOBODY = 65534 };
    if (!geteuid()) {
        ck_assert_int_eq(chmod(folder, 0711), 0);
        weft_cache *made = open_cache(NULL);
        weft_cache_close(made);
        char up[96];
        snprintf(up, sizeof up, "%s/a", folder);
        ck_assert_int_eq(chmod(up, 0711), 0);
        ck_assert_int_eq(chown(place, NOBODY, (gid_t)-1), 0);
        ck_assert_int_eq(seteuid(NOBODY), 0);
    }
    weft_cache *c = open_cache(NULL);
    put(c, "there", "before", 6);
    weft_cache_close(c);
    ck_assert_int_eq(chmod(place, 0500), 0);
    expect_unwritable();
    if (!getuid()) ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

START_TEST(says_once_that_the_disk_is_full) {
    weft_cache_close(open_cache(NULL));
    if (geteuid() || mount("weft", place, "tmpfs", 0, "size=64k,mode=0700")) {
        printf("skipped: 1 (a full disk needs root, who may mount one)\n");
        return;
    }
    static char large[48 << 10];
    weft_cache *c = open_cache(NULL);
    put(c, "first", large, sizeof large);
    ck_assert(has(c, "first", large, sizeof large));
    put(c, "second", large, sizeof large);
    put(c, "third", "3", 1);
    ck_assert(!has(c, "second", large, sizeof large));
    ck_assert(has(c, "first", large, sizeof large));
    ck_assert_int_eq(count(c, NULL), 1);
    weft_cache_close(c);
    expect_warning("cannot be written: No space left on device");
    char command[128];
    snprintf(command, sizeof command, "[ \"$(ls -A '%s' | wc -l)\" -eq 1 ]", place);
    ck_assert_int_eq(system(command), 0); /* no draft is left */
    ck_assert_int_eq(umount(place), 0);
}
END_TEST

/* ---- the limit ---- */

START_TEST(keeps_what_was_used_last) {
    static char data[4096];
    weft_cache *c = open_cache("256KiB");
    char key[32], path[192];
    int64_t bytes;
    put(c, "old but used", data, sizeof data);
    only_file(path, sizeof path);
    const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
    for (int i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "key %d", i);
        put(c, key, data, sizeof data);
    }
    usleep(20000); /* times of files are by ticks */
    ck_assert(has(c, "old but used", data, sizeof data)); /* so it is young again */
    weft_cache_close(c);
    c = open_cache("256KiB");
    const int64_t n = count(c, &bytes);
    ck_assert_int_le(bytes, 256 << 10);
    ck_assert_int_ge(n, 40);
    ck_assert(has(c, "old but used", data, sizeof data));
    ck_assert(!has(c, "key 0", data, sizeof data));
    static char huge[200 << 10];
    put(c, "huge", huge, sizeof huge); /* more than half of the limit */
    ck_assert(!has(c, "huge", huge, sizeof huge));
    weft_cache_close(c);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

/* ---- memory ---- */

static weft_status open_and_put(weft_context *with, void *user) {
    weft_cache *c = NULL;
    (void)user;
    const weft_status st = weft_cache_open(with, &(weft_cache_place){ .dir = place }, &c);
    if (c) put(c, "key", "data", 4);
    weft_cache_close(c);
    return st;
}

START_TEST(survives_failing_memory) {
    weft_test_each_failure(open_and_put, NULL);
}
END_TEST

/* ---- many writers ---- */

/* Bytes that follow from a key, of a length that does too. */
static size_t fill(uint32_t k, char *data) {
    weft_rng r = { k + 1 };
    const size_t n = weft_rng_below(&r, 60000);
    for (size_t i = 0; i < n; i++) data[i] = (char)weft_rng_below(&r, 256);
    return n;
}

enum { KEYS = 40 };

static void write_for_ever(uint64_t seed) {
    static char data[60000];
    weft_rng r = { seed };
    weft_cache *c = open_cache("1MiB");
    for (;;) {
        const uint32_t k = weft_rng_below(&r, KEYS);
        char key[32];
        snprintf(key, sizeof key, "key %u", k);
        const size_t n = fill(k, data);
        if (!has(c, key, data, n)) put(c, key, data, n);
        if (!weft_rng_below(&r, 10)) {
            weft_cache_close(c); /* it may remove entries */
            c = open_cache("1MiB");
        }
    }
}

START_TEST(survives_killed_writers) {
    static char data[60000];
    enum { WRITERS = 4 };
    const uint64_t seed = weft_test_seed(7);
    weft_rng r = { seed };
    printf("killed writers: seed %llu\n", (unsigned long long)seed);
    for (int round = 0; round < weft_test_long(12); round++) {
        pid_t pids[WRITERS];
        for (int w = 0; w < WRITERS; w++) {
            const uint64_t own = seed * 1000 + (uint64_t)(round * WRITERS + w);
            pids[w] = fork();
            ck_assert_int_ge(pids[w], 0);
            if (!pids[w]) write_for_ever(own);
        }
        usleep(1000 * (20 + weft_rng_below(&r, 80)));
        for (int w = 0; w < WRITERS; w++) kill(pids[w], SIGKILL); /* all at once */
        for (int w = 0; w < WRITERS; w++) {
            int status;
            ck_assert_int_eq(waitpid(pids[w], &status, 0), pids[w]);
            ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "a writer has failed");
        }
        weft_cache *c = open_cache("1MiB");
        (void)count(c, NULL); /* all are whole */
        int there = 0;
        for (uint32_t k = 0; k < KEYS; k++) {
            char key[32];
            snprintf(key, sizeof key, "key %u", k);
            const size_t n = fill(k, data);
            there += has(c, key, data, n);
        }
        ck_assert_int_gt(there, 0);
        weft_cache_close(c);
    }
    weft_cache *c = open_cache("1MiB");
    weft_cache_clear(c);
    char command[128];
    snprintf(command, sizeof command, "[ -z \"$(ls -A '%s')\" ]", place);
    ck_assert_int_eq(system(command), 0); /* drafts, too */
    weft_cache_close(c);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

/* A child that claims the key and waits to be killed; it writes a byte when it has the claim. */
static pid_t claiming_child(const char *key, int *told) {
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        int claim;
        weft_cache *c = open_cache(NULL);
        const bool mine = weft_cache_claim(c, WEFT_CACHE_KERNEL, key, strlen(key), &claim);
        (void)!write(ends[1], mine ? "y" : "n", 1);
        pause();
        _exit(0);
    }
    close(ends[1]);
    *told = ends[0];
    return child;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One maker, and others that wait for what it makes. */
START_TEST(has_one_maker) {
    weft_cache *c = open_cache(NULL);
    int claim, status;
    ck_assert(weft_cache_claim(c, WEFT_CACHE_KERNEL, "a key", 5, &claim));
    const pid_t other = fork();
    ck_assert_int_ge(other, 0);
    if (!other) { /* its own lock: it waits, and finds the entry */
        int none;
        weft_cache *d = open_cache(NULL);
        const bool mine = weft_cache_claim(d, WEFT_CACHE_KERNEL, "a key", 5, &none);
        weft_cached e;
        _exit(mine ? 1 : weft_cache_get(d, WEFT_CACHE_KERNEL, "a key", 5, &e) ? 0 : 2);
    }
    usleep(100000);
    ck_assert_int_eq(waitpid(other, &status, WNOHANG), 0); /* it waits */
    put(c, "a key", "data", 4);
    weft_cache_unclaim(c, WEFT_CACHE_KERNEL, "a key", 5, claim);
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the other has status %d", WEXITSTATUS(status));
    ck_assert(weft_cache_claim(c, WEFT_CACHE_KERNEL, "another", 7, &claim));
    weft_cache_unclaim(c, WEFT_CACHE_KERNEL, "another", 7, claim);
    ck_assert_int_eq(count(c, NULL), 1); /* claims are no entries, and nothing of them stays */
    weft_cache_clear(c);
    char command[128];
    snprintf(command, sizeof command, "[ -z \"$(ls -A '%s')\" ]", place);
    ck_assert_int_eq(system(command), 0);
    weft_cache_close(c);
}
END_TEST

/* A maker that is killed: whoever waits for it goes on at once and looks, whoever comes later is the maker. */
START_TEST(outlives_its_maker) {
    weft_cache *c = open_cache(NULL);
    int claim, told;
    char mine = 0;
    const pid_t child = claiming_child("a key", &told);
    ck_assert_int_eq(read(told, &mine, 1), 1);
    ck_assert_int_eq(mine, 'y');
    const pid_t killer = fork();
    if (!killer) usleep(100000), kill(child, SIGKILL), _exit(0);
    const double start = now_s();
    ck_assert(!weft_cache_claim(c, WEFT_CACHE_KERNEL, "a key", 5, &claim));
    ck_assert_double_ge(now_s() - start, 0.05);
    ck_assert_double_lt(now_s() - start, 30);
    waitpid(killer, NULL, 0);
    waitpid(child, NULL, 0);
    close(told);
    ck_assert(weft_cache_claim(c, WEFT_CACHE_KERNEL, "a key", 5, &claim));
    weft_cache_unclaim(c, WEFT_CACHE_KERNEL, "a key", 5, claim);
    weft_cache_close(c);
}
END_TEST

int main(void) {
    Suite *s = suite_create("exec/cache");
    TCase *tc = tcase_create("cache");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, finds_what_was_put);
    tcase_add_test(tc, has_no_folder);
    tcase_add_test(tc, needs_no_home);
    tcase_add_test(tc, finds_the_users_folder);
    tcase_add_test(tc, refuses_damage);
    tcase_add_test(tc, refuses_links_and_what_others_wrote);
    tcase_add_test(tc, refuses_a_folder_that_others_may_write_to);
    tcase_add_test(tc, refuses_a_folder_of_another_user);
    tcase_add_test(tc, refuses_a_file);
    tcase_add_test(tc, says_once_that_a_folder_is_read_only);
    tcase_add_test(tc, says_once_that_the_disk_is_full);
    tcase_add_test(tc, keeps_what_was_used_last);
    tcase_add_test(tc, survives_failing_memory);
    tcase_add_test(tc, survives_killed_writers);
    tcase_add_test(tc, has_one_maker);
    tcase_add_test(tc, outlives_its_maker);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
