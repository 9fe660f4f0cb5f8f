/* seeds.h: options that the fuzzers add to libFuzzer's: seeds and a dictionary, which are only read. Programs of every
 * op are among the seeds if tests/fuzz/seeds.sh has extracted them from tests/ir into a folder that is given as a
 * corpus. */
#ifndef WEFT_TESTS_FUZZ_SEEDS_H
#define WEFT_TESTS_FUZZ_SEEDS_H

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends the files that match to "-seed_inputs=a,b". */
static void add_seeds(char **list, const char *top, const char *pattern) {
    char full[1024];
    glob_t g;
    snprintf(full, sizeof full, "%s/%s", top, pattern);
    if (glob(full, 0, NULL, &g)) return;
    for (size_t i = 0; i < g.gl_pathc; i++) {
        size_t n = *list ? strlen(*list) : 0;
        char *p = realloc(*list, n + strlen(g.gl_pathv[i]) + 20);
        if (!p) break;
        sprintf(p + n, "%s%s", n ? "," : "-seed_inputs=", g.gl_pathv[i]);
        *list = p;
    }
    globfree(&g);
}

static int add_options(int *argc, char ***argv) {
    const char *top = getenv("top_srcdir");
    static char dict[1024];
    static char *seeds;
    static char **more;
    if (!top || !(more = calloc((size_t)*argc + 3, sizeof *more))) return 0;
    memcpy(more, *argv, (size_t)*argc * sizeof *more);
    add_seeds(&seeds, top, "tests/fuzz/corpus/*");
    add_seeds(&seeds, top, "tests/mlir/*.mlir");
    snprintf(dict, sizeof dict, "-dict=%s/tests/fuzz/mlir.dict", top);
    more[(*argc)++] = dict;
    if (seeds) more[(*argc)++] = seeds;
    *argv = more;
    return 0;
}

#endif
