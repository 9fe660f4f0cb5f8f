/* journal.c: compares what the processes of a client do. */
#include <stdio.h>

#include "base/table.h"
#include "capi/array_impl.h"

enum { HASHED_WHOLE = 1 << 16, SAMPLES = 1 << 10, SAMPLE = 64 };

static uint64_t hash_on(uint64_t h, const void *p, size_t n) { return weft_hash_end(weft_hash_bytes(h, p, n)); }

void weft_journal_call(weft_client *c) {
    weft_front *f = weft_client_front_of(c);
    f->journal.calls++;
    if (f->saver) f->saver->on_call(c);
}

void weft_journal_write(weft_client *c, const char *name, const void *data, size_t bytes) {
    weft_journal *j = &weft_client_front_of(c)->journal;
    const unsigned char *p = data;
    if (weft_client_processes(c) == 1) return;
    uint64_t h = j->writes ? j->hashes[(j->writes - 1) % WEFT_JOURNAL_KEPT] : 0;
    h = hash_on(h, &bytes, sizeof bytes); /* so that zeros count */
    if (bytes <= HASHED_WHOLE) {
        h = hash_on(h, p, bytes);
    } else { /* at equal distances, the last bytes among them */
        for (size_t i = 0; i < SAMPLES; i++)
            h = hash_on(h, p + (bytes - SAMPLE) / (SAMPLES - 1) * i, SAMPLE);
        h = hash_on(h, p + bytes - SAMPLE, SAMPLE);
    }
    j->hashes[j->writes % WEFT_JOURNAL_KEPT] = h;
    j->names[j->writes % WEFT_JOURNAL_KEPT] = name;
    j->writes++;
}

/* Hashes go on from one write to the next: the first that differs is where the data does, or before the oldest. */
static weft_status compare(weft_client *c, const uint64_t *all) {
    weft_journal *j = &weft_client_front_of(c)->journal;
    const size_t n = 1 + WEFT_JOURNAL_KEPT;
    for (int64_t r = 1; r < weft_client_devices(c); r++) {
        const uint64_t *theirs = all + (size_t)r * n;
        char why[128];
        if (theirs[0] != j->calls) {
            snprintf(why, sizeof why, "rank %d has made %llu calls where rank 0 has made %llu", (int)r,
                     (unsigned long long)theirs[0], (unsigned long long)j->calls);
            return weft_client_fail(c, why);
        }
        const uint64_t kept = j->writes < WEFT_JOURNAL_KEPT ? j->writes : WEFT_JOURNAL_KEPT;
        for (uint64_t w = j->writes - kept; w < j->writes && !j->told; w++) {
            const size_t i = w % WEFT_JOURNAL_KEPT;
            if (theirs[1 + i] == j->hashes[i]) continue;
            j->told = true;
            weft_context *cx = weft_client_context(c);
            weft_status st = weft_report(cx, WEFT_D_input, NULL, "rank %d was given other data for '%s' than rank 0",
                                         (int)r, j->names[i]);
            weft_note(cx, NULL,
                      "every process writes the same and makes the same calls: a process may have left one out");
            return st;
        }
    }
    return WEFT_OK;
}

weft_status weft_journal_check(weft_client *c) {
    weft_context *cx = weft_client_context(c);
    weft_journal *j = &weft_client_front_of(c)->journal;
    uint64_t mine[1 + WEFT_JOURNAL_KEPT], *all = NULL;
    if (weft_client_processes(c) == 1) return WEFT_OK;
    const size_t bytes = sizeof mine * (size_t)weft_client_devices(c);
    mine[0] = j->calls;
    memcpy(mine + 1, j->hashes, sizeof j->hashes);
    if (weft_client_process(c) == 0 && !(all = cx->alloc.resize(cx->alloc.user, NULL, 0, bytes)))
        return weft_client_fail(c, "rank 0 has no memory to compare the processes");
    weft_status st = weft_client_tell(c, mine, WEFT_COUNT(mine), all);
    if (st == WEFT_OK && all) st = compare(c, all);
    if (all) cx->alloc.resize(cx->alloc.user, all, bytes, 0);
    return st;
}

weft_status weft_agree(weft_client *c, weft_status mine) {
    weft_context *cx = weft_client_context(c);
    weft_buf why;
    weft_buf_init(&why, &cx->alloc);
    if (mine != WEFT_OK && weft_error_print(cx, mine, &why) != WEFT_OK) why.n = 0;
    weft_status st = weft_client_agree(c, mine, why.n ? why.p : NULL);
    weft_buf_free(&why);
    return st;
}
