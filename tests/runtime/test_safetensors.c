/* safetensors files: what is written is read; truncated, corrupted and random ones are refused with one diagnostic. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/context.h"
#include "runtime/safetensors.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static weft_context *cx;
static char path[64];

static void setup(void) {
    cx = weft_context_new(NULL);
    strcpy(path, "/tmp/weft-safetensors-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void teardown(void) {
    unlink(path);
    weft_context_free(cx);
}

static void write_file(const void *p, size_t n) {
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(p, 1, n, f) == n && !fclose(f));
}

/* A file with this header, and so many bytes of data 0, 1, 2 ... */
static void write_text(const char *header, size_t data) {
    unsigned char file[4096];
    const size_t n = strlen(header);
    for (int i = 0; i < 8; i++) file[i] = (unsigned char)(n >> (8 * i));
    memcpy(file + 8, header, n);
    for (size_t i = 0; i < data; i++) file[8 + n + i] = (unsigned char)i;
    write_file(file, 8 + n + data);
}

static const int64_t dims[] = { 2, 3 }, none[] = { 0 };

static size_t write_example(unsigned char *out) {
    weft_stored t[] = { { .name = "w", .dtype = WEFT_F32, .rank = 2, .dims = dims }, { .name = "step",
                                                                                       .dtype = WEFT_I64 },
                        { .name = "empty", .dtype = WEFT_BF16, .rank = 1, .dims = none },
                        { .name = "flag \"\n", .dtype = WEFT_I1, .rank = 1, .dims = dims } };
    const char *const keys[] = { "format" }, *const texts[] = { "pt" };
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_safetensors_header(cx, t, 4, keys, texts, 1, &b), WEFT_OK);
    memcpy(out, b.p, b.n);
    size_t n = b.n;
    ck_assert_uint_eq(n % 8, 0);
    ck_assert_int_eq(t[1].at, (int64_t)n + 24);
    for (int i = 0; i < 24 + 8 + 0 + 2; i++) out[n++] = (unsigned char)i;
    weft_buf_free(&b);
    return n;
}

START_TEST(test_what_is_written_is_read) {
    unsigned char file[4096], got[24];
    weft_safetensors f;
    write_file(file, write_example(file));
    ck_assert_int_eq(weft_safetensors_open(cx, path, &f), WEFT_OK);
    ck_assert_uint_eq(f.count, 4);
    ck_assert_uint_eq(f.key_count, 1);
    ck_assert_str_eq(f.keys[0], "format");
    ck_assert_str_eq(f.texts[0], "pt");
    const weft_stored *w = weft_safetensors_find(&f, "w"), *step = weft_safetensors_find(&f, "step"),
                      *empty = weft_safetensors_find(&f, "empty"), *flag = weft_safetensors_find(&f, "flag \"\n");
    ck_assert(w && step && empty && flag && !weft_safetensors_find(&f, "x"));
    ck_assert(w->dtype == WEFT_F32 && w->rank == 2 && w->dims[0] == 2 && w->dims[1] == 3 && w->bytes == 24);
    ck_assert(step->dtype == WEFT_I64 && step->rank == 0 && step->bytes == 8);
    ck_assert(empty->dtype == WEFT_BF16 && empty->bytes == 0);
    ck_assert_int_eq(weft_safetensors_read(&f, w->at, got, 24), WEFT_OK);
    for (int i = 0; i < 24; i++) ck_assert_uint_eq(got[i], i);
    ck_assert_int_eq(weft_safetensors_read(&f, flag->at, got, 2), WEFT_OK);
    ck_assert_uint_eq(got[1], 33);
    weft_safetensors_close(&f);
    weft_safetensors_close(&f);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

#define A "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"
static const struct { const char *header; size_t data; const char *said; } wrong[] = {
    { "", 0, "its header: " },
    { "[1]", 0, "is not a safetensors file: its header is no object" },
    { "{" A, 8, "is not a safetensors file: its header: " },
    { "{" A "," A "}", 8, "is not a safetensors file: its header: " },
    { "{" A "}", 7, "tensor 'a' has data outside of the file" },
    { "{" A "}", 9, "bytes where its header says " },
    { "{\"a\":3}", 0, "tensor 'a' has no dtype" },
    { "{\"a\":{\"dtype\":\"F3\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "has tensor 'a' of type 'F3', which Weft does not read" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]}}", 8, "tensor 'a' has no shape of at most 64 dimensions" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8, "tensor 'a' has a dimension that is no size" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2.5],\"data_offsets\":[0,8]}}", 8, "tensor 'a' has a dimension that is no size" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,8]}}", 8, "tensor 'a' has a shape that is too large" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "tensor 'a' has no data_offsets" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,9]}}", 8, "tensor 'a' has no data_offsets" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8, "tensor 'a' has data outside of the file" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}", 8, "tensor 'a' has data outside of the file" },
    { "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8, "tensor 'a' has data of another size than its shape" },
    { "{" A ",\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}", 12, "tensor 'b' shares data with another" },
    { "{" A ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[12,16]}}", 16, "tensor 'b' does not follow the one before" },
    { "{\"__metadata__\":3}", 0, "its __metadata__ is no object" },
    { "{\"__metadata__\":{\"a\":3}}", 0, "its __metadata__ has more than texts" },
};

static void expect_one(const char *said) {
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const char *m = weft_context_diag(cx, 0)->message;
    ck_assert_msg(strstr(m, said) && strstr(m, path), "'%s', not '%s'", m, said);
}

START_TEST(test_wrong_headers) {
    weft_safetensors f;
    write_text(wrong[_i].header, wrong[_i].data);
    ck_assert_int_ne(weft_safetensors_open(cx, path, &f), WEFT_OK);
    expect_one(wrong[_i].said);
    weft_safetensors_close(&f);
}
END_TEST

START_TEST(test_wrong_files) {
    weft_safetensors f;
    write_file("1234567", 7);
    ck_assert_int_eq(weft_safetensors_open(cx, path, &f), WEFT_ERR_INVALID);
    expect_one("it is shorter than 8 bytes");
    write_file("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10);
    ck_assert_int_eq(weft_safetensors_open(cx, path, &f), WEFT_ERR_INVALID);
    ck_assert(strstr(weft_context_diag(cx, 1)->message, "its header is longer than the file"));
    ck_assert_int_eq(weft_safetensors_open(cx, "/nowhere/x", &f), WEFT_ERR_IO);
    ck_assert_str_eq(weft_context_diag(cx, 2)->message, "'/nowhere/x' cannot be opened: No such file or directory");
    ck_assert_int_eq(weft_safetensors_open(cx, "/tmp", &f), WEFT_ERR_IO);
    ck_assert_str_eq(weft_context_diag(cx, 3)->message, "'/tmp' is a directory, not a file");
    unsigned char file[4096], byte;
    const size_t n = write_example(file);
    write_file(file, n);
    ck_assert_int_eq(weft_safetensors_open(cx, path, &f), WEFT_OK);
    ck_assert_int_eq(truncate(path, (off_t)n - 1), 0);
    ck_assert_int_eq(weft_safetensors_read(&f, (int64_t)n - 1, &byte, 1), WEFT_ERR_IO);
    ck_assert(strstr(weft_context_diag(cx, 4)->message, "where its data goes on"));
    weft_safetensors_close(&f);
    weft_stored t = { .name = "z", .dtype = WEFT_C128 };
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_safetensors_header(cx, &t, 1, NULL, NULL, 0, &b), WEFT_ERR_UNSUPPORTED);
    ck_assert_str_eq(weft_context_diag(cx, 5)->message, "'z' is of type complex<f64>, which safetensors files cannot hold");
    weft_buf_free(&b);
}
END_TEST

/* Every prefix, and files with changed bytes: refused with one diagnostic, or read with tensors inside the file. */
START_TEST(test_damaged_files) {
    unsigned char file[4096], damaged[4096];
    const char *text = getenv("WEFT_SEED");
    unsigned seed = text ? (unsigned)atoi(text) : 1;
    const size_t n = write_example(file);
    size_t reported = 0;
    const int cases = weft_test_long(2000);
    for (int i = 0; i < (int)n + cases; i++) {
        unsigned state = seed + (unsigned)i;
        size_t length = n;
        memcpy(damaged, file, n);
        if (i < (int)n) length = (size_t)i;
        for (int k = 0; i >= (int)n && k < 1 + i % 3; k++) {
            state = state * 1664525u + 1013904223u;
            damaged[(state >> 8) % n] = (unsigned char)(state >> 3);
        }
        write_file(damaged, length);
        weft_safetensors f;
        const weft_status st = weft_safetensors_open(cx, path, &f);
        reported += st != WEFT_OK;
        ASSERT_EACH(weft_context_diag_count(cx) == reported, "case %d (WEFT_SEED=%u): %zu diagnostics", i, seed,
                    weft_context_diag_count(cx));
        ASSERT_EACH(i >= (int)n || st != WEFT_OK, "a prefix of %d bytes is read", i);
        for (size_t k = 0; st == WEFT_OK && k < f.count; k++)
            ASSERT_EACH(f.tensors[k].at >= f.header_bytes && f.tensors[k].bytes >= 0 &&
                            f.tensors[k].at + f.tensors[k].bytes <= f.bytes,
                        "case %d (WEFT_SEED=%u): a tensor outside of the file", i, seed);
        if (st == WEFT_OK) weft_safetensors_close(&f);
    }
}
END_TEST

static weft_status read_it(weft_context *own, void *user) {
    weft_safetensors f;
    (void)user;
    weft_status st = weft_safetensors_open(own, path, &f);
    weft_safetensors_close(&f);
    return st;
}

START_TEST(test_memory_failures) {
    unsigned char file[4096];
    write_file(file, write_example(file));
    weft_test_each_failure(read_it, NULL);
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/safetensors");
    TCase *tc = tcase_create("safetensors");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_what_is_written_is_read);
    tcase_add_loop_test(tc, test_wrong_headers, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, test_wrong_files);
    tcase_add_test(tc, test_damaged_files);
    tcase_add_test(tc, test_memory_failures);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
