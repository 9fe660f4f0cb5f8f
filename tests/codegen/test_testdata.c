/* test_testdata.c: StableHLO's own test programs, one device: inputs and expected outputs are functions of the module.
 *
 * Looked for in $WEFT_SHARED/stablehlo-testdata, else beside the checkout; skipped with a message when absent. What code
 * generation reports as unsupported is counted, what it computes must be right.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

static char *slurp(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *p = calloc(1, (size_t)n + 1);
    ck_assert_uint_eq(fread(p, 1, (size_t)n, f), (size_t)n);
    fclose(f);
    return p;
}

/* @main returns what check.expect_*(a, b) compares, in place of its own results. NULL when there is no such call. */
static char *rewritten(const char *text) {
    char line[2][512] = { { 0 } }, *out = calloc(1, strlen(text) + 4096), *to = out;
    const char *check = strstr(text, "stablehlo.custom_call @check.expect_");
    const char *main = strstr(text, "@main() -> "), *body = main ? strchr(strstr(main, " {\n"), '\n') : NULL;
    const char *end = check ? strchr(check, '\n') : NULL, *ret = end ? strstr(end, "    return") : NULL;
    const char *types = check ? strstr(check, " : (") : NULL, *stop = types ? strstr(types, ") -> ()") : NULL;
    const char *open = check ? strchr(check, '(') : NULL, *close = open ? strchr(open, ')') : NULL;
    if (!main || !body || !ret || !stop || types > end || (size_t)(stop - types) >= sizeof line[0]) {
        free(out);
        return NULL;
    }
    snprintf(line[0], sizeof line[0], "%.*s", (int)(stop - types - 4), types + 4);
    snprintf(line[1], sizeof line[1], "%.*s", (int)(close - open - 1), open + 1);
    to += sprintf(to, "%.*s@main() -> (%s) {", (int)(main - text), text, line[0]);
    const char *start = check;
    while (start[-1] != '\n') start--;
    to += sprintf(to, "%.*s", (int)(start - body), body);
    to += sprintf(to, "    return %s : %s", line[1], line[0]);
    strcpy(to, strchr(ret, '\n'));
    return out;
}

static double tolerance(weft_dtype t) {
    return t == WEFT_BF16 ? 2e-2 : t == WEFT_F16 ? 3e-3 : t == WEFT_F32 ? 1e-4 : t == WEFT_F64 ? 1e-10 : 0;
}

/* Complex elements are compared part by part. */
static int64_t differing(const weft_exec_value *e, const char *a, const char *b) {
    const weft_dtype part = weft_dtype_part(e->dtype);
    const size_t size = weft_dtype_bytes(part);
    int64_t bad = 0;
    for (int64_t i = 0; i * (int64_t)size < e->bytes; i++) {
        if (!memcmp(a + i * (int64_t)size, b + i * (int64_t)size, size)) continue;
        double x = weft_dtype_load(part, a + i * (int64_t)size), y = weft_dtype_load(part, b + i * (int64_t)size);
        if (isnan(x) && isnan(y)) continue;
        if (!(fabs(x - y) <= tolerance(part) * (1 + fabs(y)))) bad++;
    }
    return bad;
}

typedef struct counts { int right, wrong, unsupported, unread; } counts;

static void one(const char *path, const char *name, counts *n) {
    char *text = slurp(path), *program = text ? rewritten(text) : NULL;
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_executable *x = NULL;
    ck_assert(cx);
    if (!program || weft_read_text(cx, weft_str_from(program), name, 0, &m) != WEFT_OK) n->unread++;
    else {
        weft_status st = weft_codegen_compile(cx, m, NULL, &x);
        if (st == WEFT_ERR_UNSUPPORTED) n->unsupported++;
        else if (st != WEFT_OK) {
            n->wrong++;
            const weft_diag *d = weft_context_diag(cx, 0);
            printf("%s: does not compile: %s\n", name, d ? d->message : "?");
        } else {
            void *results[2] = { walk_buffer((size_t)x->results[0].bytes), walk_buffer((size_t)x->results[1].bytes) };
            st = walk_run(x, NULL, results, NULL);
            int64_t bad = st == WEFT_OK ? differing(&x->results[0], results[0], results[1]) : -1;
            if (bad) printf("%s: %lld elements differ\n", name, (long long)bad);
            *(bad ? &n->wrong : &n->right) += 1;
            free(results[0]);
            free(results[1]);
        }
    }
    weft_executable_free(x);
    weft_module_free(m);
    weft_context_free(cx);
    free(program);
    free(text);
}

START_TEST(test_all) {
    const char *top = getenv("top_srcdir"), *shared = getenv("WEFT_SHARED");
    char dir[512], path[1024];
    counts n = { 0 };
    if (shared) snprintf(dir, sizeof dir, "%s/stablehlo-testdata", shared);
    else snprintf(dir, sizeof dir, "%s/../shared/stablehlo-testdata", top ? top : ".");
    DIR *d = opendir(dir);
    if (!d) {
        printf("skipped: no %s\n", dir);
        return;
    }
    for (struct dirent *e; (e = readdir(d));) {
        if (!strstr(e->d_name, ".mlir")) continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        one(path, e->d_name, &n);
    }
    closedir(d);
    printf("%d right, %d wrong, %d unsupported, %d not read\n", n.right, n.wrong, n.unsupported, n.unread);
    ck_assert_int_eq(n.wrong, 0);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/testdata");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, test_all);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
