/* .npy files: written ones are read again, and wrong ones give one diagnostic and leave nothing. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/host_array.h"
#include "tests/support/alloc.h"

static const char path[] = "test_npy.tmp.npy";

START_TEST(round_trip) {
    weft_dtype t = (weft_dtype)_i;
    weft_context *cx = weft_context_new(NULL);
    weft_host_array a = { .dtype = t, .rank = 2, .dims = { 3, 5 } }, empty = { .dtype = t, .rank = 1, .dims = { 0 } },
               scalar = { .dtype = t };
    size_t bytes = (size_t)weft_host_array_bytes(&a);
    weft_npy in;
    a.data = malloc(bytes);
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)a.data)[i] = (unsigned char)(i * 7 + 1);
    ck_assert_int_eq(weft_npy_write(cx, path, &a), WEFT_OK);
    ck_assert_int_eq(weft_npy_open(cx, path, &a, &in), WEFT_OK);
    ck_assert(!memcmp(in.array.data, a.data, bytes));
    weft_npy_close(cx, &in);
    ck_assert_int_eq(weft_npy_write(cx, path, &empty), WEFT_OK);
    ck_assert_int_eq(weft_npy_open(cx, path, &empty, &in), WEFT_OK);
    weft_npy_close(cx, &in);
    scalar.data = a.data;
    ck_assert_int_eq(weft_npy_write(cx, path, &scalar), WEFT_OK);
    ck_assert_int_eq(weft_npy_open(cx, path, &scalar, &in), WEFT_OK);
    weft_npy_close(cx, &in);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    free(a.data);
    remove(path);
    weft_context_free(cx);
}
END_TEST

/* A pipe, and a link that leads to it, is written to and stays what it is. */
START_TEST(a_pipe_is_not_replaced) {
    static const char pipe_name[] = "test_npy.tmp.pipe", link_name[] = "test_npy.tmp.link";
    const char *name = _i ? link_name : pipe_name;
    float data[2] = { 1, 2 };
    char read_back[256];
    struct stat is;
    weft_host_array a = { .dtype = WEFT_F32, .rank = 1, .dims = { 2 }, .data = data };
    weft_context *cx = weft_context_new(NULL);
    (void)remove(pipe_name), (void)remove(link_name);
    ck_assert_int_eq(mkfifo(pipe_name, 0600), 0);
    ck_assert_int_eq(symlink(pipe_name, link_name), 0);
    const int reader = open(pipe_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ck_assert_int_ge(reader, 0);
    ck_assert_int_eq(weft_npy_write(cx, name, &a), WEFT_OK);
    const ssize_t n = read(reader, read_back, sizeof read_back);
    ck_assert_int_gt(n, (int)sizeof data);
    ck_assert(!memcmp(read_back + n - sizeof data, data, sizeof data));
    ck_assert_int_eq(lstat(name, &is), 0);
    ck_assert(_i ? S_ISLNK(is.st_mode) : S_ISFIFO(is.st_mode));
    close(reader);
    (void)remove(pipe_name), (void)remove(link_name);
    weft_context_free(cx);
}
END_TEST

/* Header length is put in below; data is "abcdefgh". Expected: tensor<2x2xi16>. */
static const struct { const char *dict; const char *message; } bad[] = {
    { "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }", NULL },
    { "{'shape':(2,2),'descr':\"<i2\",'fortran_order':False}", NULL },
    { "{'descr': '<i2', 'fortran_order': False, 'shape': (4,), }", "holds tensor<4xi16>, expected tensor<2x2xi16>" },
    { "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }",
      "holds tensor<2x2xf16>, expected tensor<2x2xi16>" },
    { "{'descr': '>f2', 'fortran_order': False, 'shape': (2, 2), }",
      "holds tensor<2x2xf16>, expected tensor<2x2xi16>" },
    { "{'descr': '>U1', 'fortran_order': False, 'shape': (2, 2), }", "has elements of type '>U1', expected i16" },
    { "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 2), }", "has elements of type '<V2', expected i16" },
    { "{'descr': [('a', '<i2')], 'fortran_order': False, 'shape': (2, 2), }",
      "has elements of several fields: Weft reads each field as a .npy file of its own" },
    { "{'descr': '<i2', 'fortran_order': Maybe, 'shape': (2, 2), }", "is a .npy file whose header is damaged" },
    { "{'descr': '<i2', 'fortran_order': False, }", "is a .npy file whose header is damaged" },
    { "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2", "is a .npy file whose header is damaged" },
    { "{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999999999999, 2), }",
      "is a .npy file whose header is damaged" },
    { "{'descr': '<i2', 'fortran_order': False, 'shape': (4611686018427387904, 2), }", "expected tensor<2x2xi16>" },
    { "", "is a .npy file whose header is damaged" },
};

/* The last `cut` bytes are left out; spare: bytes more than the header says. */
static void write_file(const char *dict, size_t cut, size_t spare) {
    FILE *f = fopen(path, "wb");
    size_t n = strlen(dict);
    unsigned char all[512] = "\x93NUMPY\x01";
    all[7] = 0;
    all[8] = (unsigned char)n;
    all[9] = 0;
    memcpy(all + 10, dict, n);
    memcpy(all + 10 + n, "abcdefgh", 8);
    fwrite(all, 1, 18 + n + spare - cut, f);
    fclose(f);
}

START_TEST(headers) {
    weft_context *cx = weft_context_new(NULL);
    weft_host_array want = { .dtype = WEFT_I16, .rank = 2, .dims = { 2, 2 } };
    weft_npy in;
    write_file(bad[_i].dict, 0, 0);
    weft_status st = weft_npy_open(cx, path, &want, &in);
    if (!bad[_i].message) {
        ck_assert_int_eq(st, WEFT_OK);
        ck_assert(!memcmp(in.array.data, "abcdefgh", 8));
    } else {
        ck_assert_int_eq(st, WEFT_ERR_INVALID);
        ck_assert_uint_eq(weft_context_diag_count(cx), 1);
        ck_assert_msg(strstr(weft_context_diag(cx, 0)->message, bad[_i].message), "%s",
                      weft_context_diag(cx, 0)->message);
        ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, path));
    }
    weft_npy_close(cx, &in);
    weft_context_free(cx);
    remove(path);
}
END_TEST

/* Elements of 2, 4 and 2 times 4 bytes from the most significant one on, by rows and by columns. */
static const struct { const char *descr, *order; weft_dtype dtype; int64_t dims[2]; const char *want; } swapped[] = {
    { ">i2", "False", WEFT_I16, { 2, 2 }, "badcfehg" }, { ">i2", "True", WEFT_I16, { 2, 2 }, "bafedchg" },
    { ">f4", "False", WEFT_F32, { 2, 1 }, "dcbahgfe" }, { ">c8", "False", WEFT_C64, { 1, 1 }, "dcbahgfe" },
    { ">f8", "True", WEFT_F64, { 1, 1 }, "hgfedcba" },  { ">u1", "False", WEFT_UI8, { 4, 2 }, "abcdefgh" },
};

START_TEST(big_endian) {
    weft_context *cx = weft_context_new(NULL);
    const int64_t *dims = swapped[_i].dims;
    weft_host_array want = { .dtype = swapped[_i].dtype, .rank = 2, .dims = { dims[0], dims[1] } };
    char dict[128];
    weft_npy in;
    snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", swapped[_i].descr,
             swapped[_i].order, (int)dims[0], (int)dims[1]);
    write_file(dict, 0, 0);
    ck_assert_int_eq(weft_npy_open(cx, path, &want, &in), WEFT_OK);
    ck_assert(!memcmp(in.array.data, swapped[_i].want, 8));
    weft_npy_close(cx, &in);
    weft_context_free(cx);
    remove(path);
}
END_TEST

START_TEST(another_version) {
    weft_context *cx = weft_context_new(NULL);
    weft_host_array want = { .dtype = WEFT_I16, .rank = 2, .dims = { 2, 2 } };
    weft_npy in;
    write_file(bad[0].dict, 0, 0);
    FILE *f = fopen(path, "r+b");
    ck_assert(f && !fseek(f, 6, SEEK_SET) && fputc(4, f) == 4 && !fclose(f));
    ck_assert_int_eq(weft_npy_open(cx, path, &want, &in), WEFT_ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "of another version than 1, 2 and 3"));
    weft_context_free(cx);
    remove(path);
}
END_TEST

/* So many bytes less than a header and its array need, or more. */
static void expect_refused_length(size_t cut, size_t spare) {
    weft_host_array want = { .dtype = WEFT_I16, .rank = 2, .dims = { 2, 2 } };
    weft_context *cx = weft_context_new(NULL);
    weft_npy in;
    write_file(bad[0].dict, cut, spare);
    ck_assert_int_eq(weft_npy_open(cx, path, &want, &in), WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    weft_context_free(cx);
}

START_TEST(every_cut_is_refused) {
    for (size_t cut = 1; cut < 18 + strlen(bad[0].dict); cut++) expect_refused_length(cut, 0);
    remove(path);
}
END_TEST

START_TEST(longer_files_are_refused) {
    for (size_t spare = 1; spare <= 16; spare++) expect_refused_length(0, spare);
    remove(path);
}
END_TEST

START_TEST(column_major_is_turned) {
    weft_context *cx = weft_context_new(NULL);
    weft_host_array want = { .dtype = WEFT_I8, .rank = 2, .dims = { 2, 4 } };
    weft_npy in;
    write_file("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 4), }", 0, 0);
    ck_assert_int_eq(weft_npy_open(cx, path, &want, &in), WEFT_OK);
    ck_assert(!memcmp(in.array.data, "acegbdfh", 8));
    weft_npy_close(cx, &in);
    weft_context_free(cx);
    remove(path);
}
END_TEST

START_TEST(name_of_ml_dtypes) {
    weft_context *cx = weft_context_new(NULL);
    weft_host_array want = { .dtype = WEFT_F8E5M2, .rank = 1, .dims = { 8 } },
               other = { .dtype = WEFT_F8E4M3FN, .rank = 1, .dims = { 8 } };
    weft_npy in;
    write_file("{'descr': '<f1', 'fortran_order': False, 'shape': (8,), }", 0, 0);
    ck_assert_int_eq(weft_npy_open(cx, path, &want, &in), WEFT_OK);
    ck_assert(!memcmp(in.array.data, "abcdefgh", 8));
    weft_npy_close(cx, &in);
    ck_assert_int_eq(weft_npy_open(cx, path, &other, &in), WEFT_ERR_INVALID);
    weft_context_free(cx);
    remove(path);
}
END_TEST

/* What was read stays, whatever becomes of the file: a mapping would end the process by SIGBUS. */
START_TEST(file_shrinks_after) {
    enum { N = 1 << 16 };
    weft_context *cx = weft_context_new(NULL);
    weft_host_array a = { .dtype = WEFT_I8, .rank = 1, .dims = { N } };
    weft_npy in;
    a.data = malloc(N);
    for (int i = 0; i < N; i++) ((char *)a.data)[i] = (char)(i * 7 + 1);
    ck_assert_int_eq(weft_npy_write(cx, path, &a), WEFT_OK);
    ck_assert_int_eq(weft_npy_open(cx, path, &a, &in), WEFT_OK);
    ck_assert_int_eq(truncate(path, 1), 0);
    ck_assert(!memcmp(in.array.data, a.data, N));
    weft_npy_close(cx, &in);
    free(a.data);
    remove(path);
    weft_context_free(cx);
}
END_TEST

enum { SHRINKING = 1 << 20 };

/* The memory for the data is taken when the file's length has been checked and before the data is read. */
static void *shrink(void *user, void *p, size_t old, size_t n) {
    (void)user, (void)old;
    if (n >= SHRINKING && truncate(path, SHRINKING / 2)) return NULL;
    if (n) return realloc(p, n);
    free(p);
    return NULL;
}

START_TEST(file_shrinks_meanwhile) {
    weft_context *cx = weft_context_new(&(weft_allocator){ .resize = shrink });
    weft_host_array a = { .dtype = WEFT_I8, .rank = 1, .dims = { SHRINKING }, .data = calloc(1, SHRINKING) };
    weft_npy in;
    ck_assert_int_eq(weft_npy_write(cx, path, &a), WEFT_OK);
    ck_assert_int_eq(weft_npy_open(cx, path, &a, &in), WEFT_ERR_IO);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const char *said = weft_context_diag(cx, 0)->message;
    ck_assert_msg(strstr(said, "became shorter while it was read") && strstr(said, path), "%s", said);
    free(a.data);
    remove(path);
    weft_context_free(cx);
}
END_TEST

static weft_status open_and_close(weft_context *cx, void *want) {
    weft_npy in;
    const weft_status st = weft_npy_open(cx, path, want, &in);
    weft_npy_close(cx, &in);
    return st;
}

START_TEST(memory_may_be_refused) {
    weft_host_array want = { .dtype = WEFT_I8, .rank = 2, .dims = { 2, 4 } };
    write_file("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 4), }", 0, 0);
    weft_test_each_failure(open_and_close, &want);
    remove(path);
}
END_TEST

START_TEST(missing_file) {
    weft_context *cx = weft_context_new(NULL);
    weft_host_array want = { .dtype = WEFT_I8 };
    weft_npy in;
    ck_assert_int_eq(weft_npy_open(cx, "no/such/file.npy", &want, &in), WEFT_ERR_IO);
    ck_assert_int_eq(weft_npy_write(cx, "no/such/file.npy", &(weft_host_array){ .dtype = WEFT_I8, .data = "x" }),
                     WEFT_ERR_IO);
    ck_assert_uint_eq(weft_context_diag_count(cx), 2);
    weft_context_free(cx);
}
END_TEST

START_TEST(comparing) {
    float got[] = { 1, 2, 3 }, want[] = { 1, 2.0001f, 3 };
    int32_t i[] = { 1, 2 }, k[] = { 1, 3 };
    int64_t at = -1;
    weft_host_array a = { .dtype = WEFT_F32, .rank = 1, .dims = { 3 }, .data = got }, b = a,
               c = { .dtype = WEFT_I32, .rank = 1, .dims = { 2 }, .data = i }, d = c;
    b.data = want;
    d.data = k;
    ck_assert_int_eq(weft_host_array_compare(&a, &b, 1e-3, 0, &at), WEFT_OK);
    ck_assert_int_eq(weft_host_array_compare(&a, &b, 1e-6, 0, &at), WEFT_ERR_MISMATCH);
    ck_assert_int_eq(at, 1);
    ck_assert_int_eq(weft_host_array_compare(&c, &d, 10, 10, &at), WEFT_ERR_MISMATCH);
    got[0] = want[0] = 0.0f / 0.0f;
    got[2] = 1.0f / 0.0f;
    ck_assert_int_eq(weft_host_array_compare(&a, &b, 1, 1, &at), WEFT_ERR_MISMATCH);
    ck_assert_int_eq(at, 2);
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/npy");
    TCase *tc = tcase_create("npy");
    tcase_set_tags(tc, "npy");
    tcase_add_loop_test(tc, round_trip, 1, WEFT_DTYPE_COUNT);
    tcase_add_loop_test(tc, a_pipe_is_not_replaced, 0, 2);
    tcase_add_loop_test(tc, big_endian, 0, (int)WEFT_COUNT(swapped));
    tcase_add_test(tc, another_version);
    tcase_add_loop_test(tc, headers, 0, (int)WEFT_COUNT(bad));
    tcase_add_test(tc, every_cut_is_refused);
    tcase_add_test(tc, longer_files_are_refused);
    tcase_add_test(tc, column_major_is_turned);
    tcase_add_test(tc, name_of_ml_dtypes);
    tcase_add_test(tc, file_shrinks_after);
    tcase_add_test(tc, file_shrinks_meanwhile);
    tcase_add_test(tc, memory_may_be_refused);
    tcase_add_test(tc, missing_file);
    tcase_add_test(tc, comparing);
    suite_add_tcase(s, tc);
    SRunner *r = srunner_create(s);
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
