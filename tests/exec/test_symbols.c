/* Names of functions for gdb and perf: what the process tells of a program that it has loaded, and what it takes
 * back. */
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/kernels/kernels.h"
#include "exec/load.h"
#include "exec/symbols.h"
#include "tests/codegen/walk.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

/* What gdb reads, by the names and layouts of its manual. */
typedef struct entry {
    struct entry *next, *previous;
    const char *object;
    uint64_t bytes;
} entry;
extern struct {
    uint32_t version, action;
    entry *changed, *first;
} __jit_debug_descriptor;

static const char program[] =
    "func.func @main(%a: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<64x32xf32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]\n"
    "    : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32> loc(\"/home/me/model.py\":7:3)\n"
    "  %t = \"stablehlo.sort\"(%a) <{dimension = 1 : i64, is_stable = true}> ({\n"
    "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "    %p = stablehlo.multiply %x, %x : tensor<f32>\n"
    "    %q = stablehlo.multiply %y, %y : tensor<f32>\n"
    "    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  }) : (tensor<64x32xf32>) -> tensor<64x32xf32> loc(\"two\\0Alines.py\":8:5)\n"
    "  return %s, %t : tensor<64xf32>, tensor<64x32xf32>\n"
    "}\n";

static weft_executable *compiled(weft_context *cx) {
    weft_executable *x = NULL;
    ck_assert_int_eq(walk_compile(cx, program, NULL, &x), WEFT_OK);
    ck_assert_uint_ge(x->image.function_count, 2);
    return x;
}

/* The name that an object file in memory has for an address; NULL: none. */
static const char *name_in(const entry *e, uint64_t address) {
    const Elf64_Ehdr *h = (const void *)e->object;
    const Elf64_Shdr *s = (const void *)(e->object + h->e_shoff);
    ck_assert_mem_eq(h->e_ident, ELFMAG, SELFMAG);
    for (int k = 0; k < h->e_shnum; k++) {
        if (s[k].sh_type != SHT_NOBITS && s[k].sh_type != SHT_NULL)
            ck_assert_uint_le(s[k].sh_offset + s[k].sh_size, e->bytes);
        if (s[k].sh_type != SHT_SYMTAB) continue;
        const Elf64_Shdr *strings = &s[s[k].sh_link];
        for (uint64_t i = 1; i < s[k].sh_size / sizeof(Elf64_Sym); i++) {
            const Elf64_Sym *y = (const Elf64_Sym *)(const void *)(e->object + s[k].sh_offset) + i;
            ck_assert_uint_lt(y->st_name, strings->sh_size);
            if (s[y->st_shndx].sh_addr + y->st_value == address && y->st_size)
                return e->object + strings->sh_offset + y->st_name;
        }
    }
    return NULL;
}

static const char *name_of_step(const entry *e, const weft_executable *x, const weft_loaded *p, const char *label) {
    for (uint32_t i = 0; i < x->step_count; i++) {
        const weft_loaded_step *s = &weft_loaded_steps(p)[i];
        uint64_t address = 0;
        if (!strstr(x->steps[i].label, label)) continue;
        if (x->steps[i].code.kernel) memcpy(&address, s->state, sizeof address); /* its body */
        else memcpy(&address, &s->fn, sizeof s->fn);
        return name_in(e, address);
    }
    return NULL;
}

START_TEST(gdb_reads_them) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = compiled(cx);
    weft_loaded *p[2] = { NULL };
    setenv("WEFT_SYMBOLS", "gdb", 1);
    ck_assert_ptr_null(__jit_debug_descriptor.first);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(weft_load(cx, x, &weft_kernels, 1, &p[i]), WEFT_OK);
    entry *second = __jit_debug_descriptor.first, *first = second->next;
    ck_assert_uint_eq(__jit_debug_descriptor.version, 1);
    ck_assert_ptr_eq(first->previous, second);
    ck_assert_ptr_null(first->next);
    for (int i = 0; i < 2; i++) {
        const entry *e = i ? second : first;
        const char *fused = name_of_step(e, x, p[i], "fusion"), *sort = name_of_step(e, x, p[i], "sort");
        ck_assert_ptr_nonnull(fused);
        ck_assert_ptr_nonnull(sort);
        ck_assert_msg(!strncmp(fused, "fusion.", 7) && strstr(fused, "[model.py:7:3]"), "%s", fused);
        ck_assert_msg(!strncmp(sort, "sort", 4) && strstr(sort, "[two?lines.py:8:5]"), "%s", sort);
    }
    weft_unload(p[0]);
    ck_assert_ptr_eq(__jit_debug_descriptor.first, second);
    ck_assert_ptr_null(second->next);
    weft_unload(p[1]);
    ck_assert_ptr_null(__jit_debug_descriptor.first);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

static void path_of_map(char *path, size_t room) { snprintf(path, room, "/tmp/perf-%ld.map", (long)getpid()); }

/* Each case is a process of its own (Check forks), so each begins the file. */
START_TEST(perf_reads_them) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = compiled(cx);
    weft_loaded *p[2] = { NULL };
    char path[64], line[256], name[200];
    struct stat s;
    uint32_t lines = 0;
    path_of_map(path, sizeof path);
    FILE *f = fopen(path, "w"); /* of an older process */
    ck_assert_ptr_nonnull(f);
    fputs("1000 10 old\n", f);
    fclose(f);
    setenv("WEFT_SYMBOLS", "perf", 1);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(weft_load(cx, x, &weft_kernels, 1, &p[i]), WEFT_OK);
    ck_assert_int_eq(stat(path, &s), 0);
    ck_assert_int_eq(s.st_mode & 0777, 0600);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    for (unsigned long long begin, bytes; fgets(line, sizeof line, f); lines++) {
        ck_assert_msg(sscanf(line, "%llx %llx %199[^\n]", &begin, &bytes, name) == 3, "%s", line);
        ck_assert_uint_gt(bytes, 0);
        ck_assert_str_ne(name, "old");
    }
    fclose(f);
    ck_assert_uint_eq(lines, 2 * x->image.function_count);
    unlink(path);
    for (int i = 0; i < 2; i++) weft_unload(p[i]);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

/* A second name of another file of the user's in its place is neither followed nor written to. */
START_TEST(perf_writes_nobody_elses_file) {
    char path[64], other[] = "/tmp/weft-symbols-XXXXXX";
    struct stat s;
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = compiled(cx);
    weft_loaded *p = NULL;
    setenv("WEFT_SYMBOLS", "perf", 1);
    ck_assert_int_eq(weft_load(cx, x, &weft_kernels, 1, &p), WEFT_OK); /* the file is begun */
    weft_unload(p);
    path_of_map(path, sizeof path);
    unlink(path);
    const int fd = mkstemp(other);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(_i ? link(other, path) : symlink(other, path), 0);
    ck_assert_int_eq(weft_load(cx, x, &weft_kernels, 1, &p), WEFT_OK); /* a program runs without */
    weft_unload(p);
    ck_assert_int_eq(fstat(fd, &s), 0);
    ck_assert_int_eq(s.st_size, 0);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "perf gets no names of generated code"));
    close(fd), unlink(other), unlink(path);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

START_TEST(says_what_it_may_be) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = compiled(cx);
    weft_loaded *p = NULL;
    setenv("WEFT_SYMBOLS", "gdb,lldb", 1);
    ck_assert_int_eq(weft_load(cx, x, &weft_kernels, 1, &p), WEFT_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "WEFT_SYMBOLS says 'lldb'"));
    ck_assert_ptr_null(__jit_debug_descriptor.first);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

static weft_status load_again(weft_context *cx, void *user) {
    weft_loaded *p = NULL;
    const weft_status st = weft_load(cx, user, &weft_kernels, 1, &p);
    weft_unload(p);
    ck_assert_ptr_null(__jit_debug_descriptor.first);
    return st;
}

START_TEST(survives_failing_memory) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = compiled(cx);
    setenv("WEFT_SYMBOLS", "gdb", 1);
    weft_test_each_failure(load_again, x);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("exec/symbols");
    TCase *tc = tcase_create("symbols");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, gdb_reads_them);
    tcase_add_test(tc, perf_reads_them);
    tcase_add_loop_test(tc, perf_writes_nobody_elses_file, 0, 2);
    tcase_add_test(tc, says_what_it_may_be);
    tcase_add_test(tc, survives_failing_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
