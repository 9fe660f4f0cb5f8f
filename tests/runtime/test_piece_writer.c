/* Parts of an array are written where they belong, whatever the cut, and have the hashes of their own bytes. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "runtime/piece_writer.h"
#include "tests/support/suite.h"

enum { BEFORE = 13, MOST_PARTS = 16 };

/* An array of `dims`, cut into as many parts along each dimension; every `pad` elements of a row of a part's memory
 * are nobody's. `kept`: bit i is whether part i is written. */
typedef struct cut {
    uint32_t rank;
    size_t elem_bytes;
    int64_t dims[3], parts[3], pad;
    unsigned kept;
} cut;

static const cut cuts[] = {
    { 0, 4, { 0 }, { 0 }, 0, ~0u },                         /* a scalar */
    { 1, 1, { 100 }, { 3 }, 0, ~0u },
    { 2, 4, { 64, 48 }, { 2, 1 }, 0, ~0u },                 /* by rows */
    { 2, 4, { 64, 48 }, { 1, 4 }, 0, ~0u },                 /* by columns: all runs are gathered */
    { 2, 4, { 64, 48 }, { 1, 4 }, 0, 0x5 },                 /* with gaps, which others fill */
    { 2, 8, { 7, 5 }, { 3, 2 }, 1, ~0u },                   /* uneven, and padded */
    { 3, 2, { 5, 6, 7 }, { 2, 3, 2 }, 2, ~0u },
    { 3, 2, { 5, 6, 7 }, { 2, 3, 2 }, 2, 0x2a5 },
    { 2, 4, { 3, 1 << 20 }, { 1, 2 }, 0, ~0u },             /* runs that are written as they lie: 2 MiB */
    { 2, 4, { 9, 70000 }, { 1, 1 }, 5, ~0u },               /* and such that fill what gathers: 280 kB */
    { 2, 4, { 4000, 300 }, { 1, 2 }, 0, ~0u },              /* short ones that fill it */
    { 2, 4, { 0, 5 }, { 2, 1 }, 0, ~0u },                   /* nothing */
};

typedef struct part {
    int64_t start[3], count[3], local[3];
    unsigned char *data;
    size_t bytes;
} part;

static unsigned char value(int64_t i) { return (unsigned char)((uint64_t)i * 2654435761u >> 13); }

static size_t parts_of(const cut *c) {
    size_t n = 1;
    for (uint32_t d = 0; d < c->rank; d++) n *= (size_t)c->parts[d];
    return n;
}

/* Part number i, with the array's bytes. whole (or NULL) gets the file as it is to be; row gets the part's own bytes
 * one after another. */
static size_t make(const cut *c, size_t i, part *p, unsigned char *whole, unsigned char *row) {
    size_t elems = 1, n = 0;
    for (uint32_t d = c->rank; d-- > 0; i /= (size_t)c->parts[d]) {
        const int64_t each = (c->dims[d] + c->parts[d] - 1) / c->parts[d];
        const int64_t at = (int64_t)(i % (size_t)c->parts[d]) * each;
        p->start[d] = at < c->dims[d] ? at : c->dims[d];
        p->count[d] = each < c->dims[d] - p->start[d] ? each : c->dims[d] - p->start[d];
        p->local[d] = each + (d == c->rank - 1 ? c->pad : 0);
        elems *= (size_t)p->local[d];
    }
    p->bytes = elems * c->elem_bytes;
    p->data = malloc(p->bytes + 1);
    memset(p->data, 0xee, p->bytes);
    for (size_t e = 0; e < elems; e++) {
        int64_t rest = (int64_t)e, at = 0, stride = 1;
        int inside = 1;
        for (uint32_t d = c->rank; d-- > 0; rest /= p->local[d], stride *= c->dims[d]) {
            inside &= rest % p->local[d] < p->count[d];
            at += (p->start[d] + rest % p->local[d]) * stride;
        }
        for (size_t b = 0; inside && b < c->elem_bytes; b++) {
            const unsigned char v = value(at * (int64_t)c->elem_bytes + (int64_t)b);
            p->data[e * c->elem_bytes + b] = row[n++] = v;
            whole[BEFORE + (size_t)at * c->elem_bytes + b] = v;
        }
    }
    return n;
}

static size_t bytes_of(const cut *c) {
    size_t n = c->elem_bytes;
    for (uint32_t d = 0; d < c->rank; d++) n *= (size_t)c->dims[d];
    return n;
}

START_TEST(each_byte_is_where_it_belongs) {
    const cut *c = &cuts[_i];
    const size_t bytes = BEFORE + bytes_of(c);
    char name[] = "/tmp/weft-pieces-XXXXXX";
    const int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    unlink(name);
    ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
    unsigned char *want = calloc(bytes + 1, 1), *got = malloc(bytes + 1), *row = malloc(bytes + 1);
    static part parts[MOST_PARTS];
    static weft_piece pieces[MOST_PARTS];
    char sums[MOST_PARTS][WEFT_DIGEST_TEXT];
    size_t n = 0;
    ck_assert_uint_le(parts_of(c), MOST_PARTS);
    for (size_t i = 0; i < parts_of(c); i++) {
        part *p = &parts[n];
        if (!(c->kept >> i & 1)) continue;
        const size_t of_row = make(c, i, p, want, row);
        ck_assert(weft_digest_of(row, of_row, sums[n]));
        pieces[n++] = (weft_piece){ { c->rank, c->elem_bytes, c->dims, p->start, p->count, p->local }, p->data, "" };
    }
    ck_assert(weft_pieces_write(fd, BEFORE, pieces, n));
    ck_assert_int_eq(pread(fd, got, bytes + 1, 0), (ssize_t)bytes);
    ck_assert_int_eq(memcmp(got, want, bytes), 0);
    for (size_t i = 0; i < n; i++) {
        ck_assert_str_eq(pieces[i].sha256, sums[i]);
        free(parts[i].data);
    }
    free(want);
    free(got);
    free(row);
    close(fd);
}
END_TEST

/* Written at once, gathered, and left for the end. */
START_TEST(a_full_disk_is_told) {
    static const cut some[] = { { 2, 4, { 2, 1 << 20 }, { 1, 1 }, 0, 1 }, { 2, 4, { 4000, 300 }, { 1, 2 }, 0, 1 },
                                { 1, 4, { 3 }, { 1 }, 0, 1 } };
    const cut *c = &some[_i];
    unsigned char *whole = malloc(BEFORE + bytes_of(c)), *row = malloc(bytes_of(c));
    part p;
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    make(c, 0, &p, whole, row);
    weft_piece piece = { { c->rank, c->elem_bytes, c->dims, p.start, p.count, p.local }, p.data, "" };
    ck_assert(!weft_pieces_write(full, 0, &piece, 1));
    ck_assert_int_eq(errno, ENOSPC);
    close(full);
    ck_assert(!weft_pieces_write(-1, 0, &piece, 1));
    ck_assert_int_eq(errno, EBADF);
    free(p.data);
    free(whole);
    free(row);
}
END_TEST

int main(void) {
    Suite *s = suite_create("piece_writer");
    TCase *tc = tcase_create("pieces");
    tcase_add_loop_test(tc, each_byte_is_where_it_belongs, 0, (int)(sizeof cuts / sizeof *cuts));
    tcase_add_loop_test(tc, a_full_disk_is_told, 0, 3);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
