/* MLIR bytecode reads as the text of the same module, and damaged bytecode is refused.
 *
 * tests/mlir/bytecode has files that jaxlib wrote, and the texts that MLIR prints for them (make_bytecode.py).
 * test_bytecode.py compares many more programs, and fuzz_read all that this misses. */
#include "tests/mlir/text.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static weft_str bytes_of(const char *path) {
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    static char bytes[1 << 16];
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    ck_assert(n > 0 && n < sizeof bytes);
    return (weft_str){ bytes, n };
}

static char *printed(const char *path, weft_str bytes, unsigned print_flags) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    if (weft_read_text(cx, bytes, path, 0, &m) != WEFT_OK) ck_abort_msg("%s", weft_context_diag(cx, 0)->message);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    weft_buf out = test_print(m, print_flags);
    char *copy = strdup(out.p);
    weft_buf_free(&out);
    weft_module_free(m);
    weft_context_free(cx);
    return copy;
}

/* The text beside an artifact; of a native file, the text of the room's own tests. */
static char *text_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const int n = (int)strcspn(slash + 1, ".");
    char name[256];
    snprintf(name, sizeof name, "%s%.*s.mlir", strstr(slash, ".native.") ? "" : "bytecode/", n, slash + 1);
    return test_file(name);
}

static const char *const patterns[] = { "bytecode/*.mlirbc", "bytecode/*.jaxexport" };

START_TEST(reads_as_text) {
    glob_t g = test_glob(patterns[_i]);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        const char *path = g.gl_pathv[i];
        char *text = text_of(path);
        weft_str bytes = bytes_of(path);
        for (unsigned flags = 0; flags < 2; flags++) {
            char *got = printed(path, bytes, flags ? WEFT_PRINT_GENERIC : WEFT_PRINT_PRETTY);
            char *want = test_reprint(text, 0, flags ? WEFT_PRINT_GENERIC : WEFT_PRINT_PRETTY);
            if (strcmp(got, want)) ck_abort_msg("%s:\n%s\nas text:\n%s", path, got, want);
            free(got);
            free(want);
        }
        free(text);
    }
    globfree(&g);
}
END_TEST

/* Refused with a diagnostic, or read; nothing is left, and out is unchanged on failure. */
static bool takes(const char *bytes, size_t n) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    const bool ok = weft_read_text(cx, (weft_str){ bytes, n }, "damaged", 0, &m) == WEFT_OK;
    ck_assert_int_eq(ok, m != NULL);
    ck_assert(ok || weft_context_diag_count(cx));
    weft_module_free(m);
    weft_context_free(cx);
    return ok;
}

/* A copy of n bytes and no more, so that the address sanitizer sees what is read after them. */
static bool takes_exactly(weft_str bytes) {
    char *copy = malloc(bytes.n ? bytes.n : 1);
    memcpy(copy, bytes.p, bytes.n);
    const bool ok = takes(copy, bytes.n);
    free(copy);
    return ok;
}

static const char *const whole[] = { "bytecode/*.1.17.0.mlirbc", "bytecode/*.jaxexport" };

START_TEST(refuses_truncated) {
    glob_t g = test_glob(whole[_i]);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        weft_str bytes = bytes_of(g.gl_pathv[i]);
        /* a file of jax.export has fields after its module */
        if (_i) bytes.n = (size_t)((char *)memmem(bytes.p, bytes.n, "ML\xefR", 4) - bytes.p) + 100;
        for (size_t n = 4; n < bytes.n; n += n < 64 ? 1 : 7)
            if (takes_exactly((weft_str){ bytes.p, n })) ck_abort_msg("%s: %zu bytes are enough", g.gl_pathv[i], n);
    }
    globfree(&g);
}
END_TEST

/* Each byte in turn is another one. Some are of names or numbers, and the file is as good as before. */
static const char *const damaged[] = {
    "bytecode/s*.1.17.0.mlirbc", "bytecode/attributes.native.mlirbc", "bytecode/exported_s*.jaxexport"
};

START_TEST(survives_damage) {
    static const unsigned char values[] = { 0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff };
    glob_t g = test_glob(damaged[_i]);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        weft_str bytes = bytes_of(g.gl_pathv[i]);
        char *copy = malloc(bytes.n);
        memcpy(copy, bytes.p, bytes.n);
        for (size_t at = 4; at < bytes.n; at++) {
            copy[at] = (char)values[at % sizeof values];
            takes(copy, bytes.n);
            copy[at] = bytes.p[at];
        }
        ck_assert(takes(copy, bytes.n));
        free(copy);
    }
    globfree(&g);
}
END_TEST

/* ---- files made by hand ---- */

/* Bytecode of a module whose attribute a.b is the last of the given entries. Entry 0 is an unknown location, entries 1
 * and 2 the string "a.b" and the dictionary; the others begin at 3. In it are modules, each with a region that is not
 * isolated and says that it defines so many values. */
typedef struct handmade {
    uint8_t bytes[1 << 17];
    size_t n;
    uint8_t entries[1 << 15];
    size_t sizes[512], count, total;
    size_t types;           /* of the entries, the last */
    size_t modules, values;
    uint64_t resource;      /* bytes of the one resource "a.b" */
} handmade;

static void put(handmade *h, const void *p, size_t n) {
    ck_assert_uint_le(h->n + n, sizeof h->bytes);
    memcpy(h->bytes + h->n, p, n);
    h->n += n;
}

/* A varint in its longest form. */
static size_t varint(uint8_t *to, uint64_t v) {
    to[0] = 0;
    for (int i = 0; i < 8; i++) to[1 + i] = (uint8_t)(v >> 8 * i);
    return 9;
}

static void put_int(handmade *h, uint64_t v) {
    uint8_t p[9];
    put(h, p, varint(p, v));
}

static void put_section(handmade *h, uint8_t id, const handmade *body) {
    put(h, &id, 1);
    put_int(h, body->n);
    put(h, body->bytes, body->n);
}

/* Adds an entry of n numbers. */
static void add_entry(handmade *h, size_t n, const uint64_t *v) {
    size_t size = 0;
    for (size_t i = 0; i < n; i++) size += varint(h->entries + h->total + size, v[i]);
    h->sizes[h->count++] = size;
    h->total += size;
    ck_assert_uint_lt(h->total, sizeof h->entries - 100);
}
#define ENTRY(h, ...) add_entry((h), sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

enum { STRINGS, DIALECTS, ENTRIES, ENTRY_SIZES, IR, RESOURCES, RESOURCE_SIZES };
enum { ARRAY = 0, DICT = 1, STRING = 2, UNKNOWN_LOC = 15, DENSE_RESOURCE = 16, INTEGER = 0, TENSOR = 13 };

static void begin(handmade *h, uint64_t value) {
    memset(h, 0, sizeof *h);
    ENTRY(h, UNKNOWN_LOC);
    ENTRY(h, STRING, 2);
    ENTRY(h, DICT, 1, 1, value);
}

/* Op name 0 with attributes and regions, at location 0: dictionary 2, and one region, isolated or not. */
static void put_module(handmade *h, uint64_t isolated) {
    put_int(h, 0), put(h, "\x11", 1), put_int(h, 0), put_int(h, 2), put_int(h, 1 << 1 | isolated);
}

static void finish(handmade *h) {
    static const char strings[] = "builtin\0module\0a.b\0";
    handmade *s = calloc(1, sizeof *s);
    put(h, "ML\xefR\x0dhand\0", 10);
    put_int(s, 4), put_int(s, 1), put_int(s, 4), put_int(s, 7), put_int(s, 8), put(s, strings, sizeof strings);
    put_section(h, STRINGS, s), s->n = 0;
    put_int(s, 1), put_int(s, 0 << 1), put_int(s, 1), put_int(s, 0), put_int(s, 1), put_int(s, 1 << 1 | 1);
    put_section(h, DIALECTS, s), s->n = 0;
    const size_t attrs = h->count - h->types;
    put_int(s, attrs), put_int(s, h->types), put_int(s, 0), put_int(s, attrs);
    for (size_t i = 0; i < h->count; i++) {
        if (i == attrs) put_int(s, 0), put_int(s, h->types);
        put_int(s, h->sizes[i] << 1 | 1);
    }
    put_section(h, ENTRY_SIZES, s), s->n = 0;
    put(s, h->entries, h->total);
    put_section(h, ENTRIES, s), s->n = 0;
    /* regions: blocks, values; a block: ops */
    handmade *region = calloc(1, sizeof *region);
    put_int(region, 1), put_int(region, 0), put_int(region, h->modules << 1);
    for (size_t i = 0; i < h->modules; i++)
        put_module(region, 0), put_int(region, 1), put_int(region, h->values), put_int(region, 0);
    put_int(s, 1 << 1), put_module(s, 1), put_section(s, IR, region);
    put_section(h, IR, s), s->n = 0;
    free(region);
    if (h->resource) {
        /* no external groups; dialect 0 has one: its name, size and kind; then alignment, size and bytes */
        uint8_t *bytes = calloc(1, h->resource);
        put_int(s, 1), put_int(s, h->resource), put(s, bytes, h->resource);
        put_section(h, RESOURCES, s);
        const size_t all = s->n;
        s->n = 0, put_int(s, 0), put_int(s, 0), put_int(s, 1), put_int(s, 2), put_int(s, all), put(s, "", 1);
        put_section(h, RESOURCE_SIZES, s);
        free(bytes);
    }
    free(s);
}

/* The first diagnostic, to be freed; NULL: it reads. */
static char *complaint(const handmade *h) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, (weft_str){ (const char *)h->bytes, h->n }, "made", 0, &m);
    char *said = st == WEFT_OK ? NULL : strdup(weft_context_diag(cx, 0)->message);
    weft_module_free(m);
    weft_context_free(cx);
    return said;
}

static void expect_complaint(handmade *h, const char *want) {
    finish(h);
    char *said = complaint(h);
    if (!want) ck_assert_msg(!said, "%s", said);
    else ck_assert_msg(said && strstr(said, want), "said: %s", said ? said : "nothing");
    free(said);
}

START_TEST(limits_what_entries_name) {
    handmade *h = calloc(1, sizeof *h);
    begin(h, 3), ENTRY(h, ARRAY, 2, 1, 1);
    expect_complaint(h, NULL);
    begin(h, 3), ENTRY(h, ARRAY, 1, 3);
    expect_complaint(h, "a part of itself");
    begin(h, 3), ENTRY(h, ARRAY, 1, 0);
    expect_complaint(h, "a location in place of an attribute");
    begin(h, 3), ENTRY(h, ARRAY, 1, 99);
    expect_complaint(h, "attribute 99 of 4");
    begin(h, 3), ENTRY(h, ARRAY, UINT64_C(1) << 60, 1);
    expect_complaint(h, "1152921504606846976 things in 9 bytes");
    begin(h, 3), ENTRY(h, DICT, 1, 4, 1), ENTRY(h, STRING, 3);
    expect_complaint(h, "an attribute without a name");
    begin(h, 3), ENTRY(h, DICT, 2, 1, 1, 1, 1);
    expect_complaint(h, "attribute 'a.b' is given twice");
    begin(h, 3), ENTRY(h, STRING, 2, 1);
    expect_complaint(h, "bytes after an attribute or type");
    begin(h, 3), ENTRY(h, 77, 1);
    expect_complaint(h, "unknown or unsupported kind 77");
    free(h);
}
END_TEST

/* Each entry names the one before it, once or twice. */
static void chain(handmade *h, unsigned n, unsigned times) {
    begin(h, 2 + n);
    ENTRY(h, STRING, 2);
    for (unsigned i = 1; i < n; i++)
        if (times == 1) ENTRY(h, ARRAY, 1, 2 + i);
        else ENTRY(h, ARRAY, 2, 2 + i, 2 + i);
}

START_TEST(limits_depth_and_size) {
    handmade *h = calloc(1, sizeof *h);
    chain(h, 200, 1);
    expect_complaint(h, NULL);
    chain(h, 300, 1);
    expect_complaint(h, "nested more than 256 deep");
    chain(h, 10, 2);
    expect_complaint(h, NULL);
    chain(h, 60, 2);
    expect_complaint(h, "spell out too much");
    free(h);
}
END_TEST

/* What a file names again and again costs time and memory each time. */
START_TEST(charges_what_is_named_again) {
    handmade *h = calloc(1, sizeof *h);
    begin(h, 1), h->modules = 4, h->values = 9;
    expect_complaint(h, "a module inside a module"); /* all of it was read */
    begin(h, 1), h->modules = 1500, h->values = 30000;
    expect_complaint(h, "spell out too much");
    for (unsigned n = 4; n <= 454; n += 450) { /* attributes of one resource, entries 4 ... n + 3 */
        uint64_t all[2 + 454] = { ARRAY, n };
        begin(h, 3), h->resource = 60000, h->types = 2;
        for (unsigned i = 0; i < n; i++) all[2 + i] = 4 + i;
        add_entry(h, 2 + n, all);
        for (unsigned i = 0; i < n; i++) ENTRY(h, DENSE_RESOURCE, 1, 0);
        ENTRY(h, INTEGER, 8 << 2), ENTRY(h, TENSOR, 1, 60000 << 1, 0);
        expect_complaint(h, n == 4 ? NULL : "one resource too often");
    }
    free(h);
}
END_TEST

static weft_status read_bytes(weft_context *cx, void *bytes) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, *(weft_str *)bytes, "bytes", 0, &m);
    weft_module_free(m);
    return st;
}

START_TEST(survives_failing_memory) {
    glob_t g = test_glob("bytecode/*.1.17.0.mlirbc");
    for (size_t i = 0; i < g.gl_pathc; i++) {
        weft_str bytes = bytes_of(g.gl_pathv[i]);
        weft_test_each_failure(read_bytes, &bytes);
    }
    globfree(&g);
}
END_TEST

int main(void) {
    Suite *s = suite_create("mlir bytecode");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, reads_as_text, 0, WEFT_COUNT(patterns));
    tcase_add_loop_test(tc, refuses_truncated, 0, WEFT_COUNT(whole));
    tcase_add_loop_test(tc, survives_damage, 0, WEFT_COUNT(damaged));
    tcase_add_test(tc, limits_what_entries_name);
    tcase_add_test(tc, limits_depth_and_size);
    tcase_add_test(tc, charges_what_is_named_again);
    tcase_add_test(tc, survives_failing_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
