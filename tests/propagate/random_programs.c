/* random_programs SEED COUNT [sub-axes] [priorities] [uneven] [no-index] [mixed] [OPS]: prints random sharded programs,
 * each after a line "// -----", for comparing propagation with Shardy's own (test_against_shardy.py). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/print.h"
#include "tests/support/random_module.h"

static const struct { const char *name; unsigned flag; } flags[] = {
    { "sub-axes", WEFT_RANDOM_SUB_AXES }, { "priorities", WEFT_RANDOM_PRIORITIES },
    { "uneven", WEFT_RANDOM_UNEVEN }, { "no-index", WEFT_RANDOM_NO_INDEX }, { "mixed", WEFT_RANDOM_MIXED },
};

static weft_status print_one(weft_context *cx, const weft_random_options *opt) {
    weft_module *m;
    weft_buf text;
    weft_status st = weft_random_module(cx, opt, &m);
    if (st != WEFT_OK) return st;
    weft_buf_init(&text, &cx->alloc);
    st = weft_print_module(m, WEFT_PRINT_PRETTY, &text);
    if (st == WEFT_OK) printf("// ----- %llu\n%s", (unsigned long long)opt->seed, text.p);
    weft_buf_free(&text);
    weft_module_free(m);
    return st;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    weft_random_options opt = { .flags = WEFT_RANDOM_MESH, .max_elems = 1 << 14 };
    uint64_t seed = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (int i = 3; i < argc; i++) {
        if (argv[i][0] >= '0' && argv[i][0] <= '9') opt.ops = (uint32_t)strtoul(argv[i], NULL, 10);
        for (size_t k = 0; k < WEFT_COUNT(flags); k++)
            if (!strcmp(argv[i], flags[k].name)) opt.flags |= flags[k].flag;
    }
    for (uint64_t i = 0; i < count; i++) {
        weft_context *cx = weft_context_new(NULL);
        opt.seed = seed + i;
        weft_status st = cx ? print_one(cx, &opt) : WEFT_ERR_MEMORY;
        for (size_t k = 0; cx && k < weft_context_diag_count(cx); k++)
            fprintf(stderr, "%s\n", weft_context_diag(cx, k)->message);
        weft_context_free(cx);
        if (st != WEFT_OK) return 1;
    }
    return 0;
}
