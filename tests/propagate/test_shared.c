/* Programs as JAX wrote them, before and after Shardy's propagation (shared/propagation/NAME/{before,after}.mlir):
 * every op has Shardy's sharding and rule, and every argument and result of @main its
 * sharding. */
#include <dirent.h>
#include <stdio.h>

#include "pipeline/pipeline.h"
#include "tests/support/suite.h"

#define MOST_PROGRAMS 64
static char names[MOST_PROGRAMS][64];
static int name_count;
static char root[512];

static int compare_names(const void *a, const void *b) { return strcmp(a, b); }

static void find_programs(void) {
    const char *shared = getenv("WEFT_SHARED"), *top = getenv("top_srcdir");
    if (shared) snprintf(root, sizeof root, "%s/propagation", shared);
    else snprintf(root, sizeof root, "%s/../shared/propagation", top ? top : ".");
    DIR *d = opendir(root);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.' && name_count < MOST_PROGRAMS && strlen(e->d_name) < sizeof names[0])
            strcpy(names[name_count++], e->d_name);
    if (d) closedir(d);
    qsort(names, (size_t)name_count, sizeof names[0], compare_names);
}

static weft_module *read_one(weft_context *cx, const char *name, const char *which) {
    char path[700];
    weft_module *m = NULL;
    snprintf(path, sizeof path, "%s/%s/%s.mlir", root, name, which);
    weft_status st = weft_read_file(cx, path, 0, &m);
    ck_assert_msg(st == WEFT_OK, "%s: %s", path,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "cannot be read");
    return m;
}

static void show(weft_buf *b, const weft_attr *a) {
    if (a) weft_print_attr(b, a);
    else weft_buf_puts(b, "none");
}

static void same_attr(weft_context *cx, const weft_op *ours, const weft_attr *a, const weft_attr *b, const char *what) {
    if (weft_attr_equal(a, b)) return;
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    show(&text, a);
    weft_buf_puts(&text, ", not ");
    show(&text, b);
    ck_abort_msg("%s of %s at %u: %s", what, ours->name->text, ours->id, text.p);
}

/* MLIR prints the op of a short reduction without its attributes, so there Shardy's rule is not to be seen. */
static bool rule_is_hidden(const weft_op *theirs) {
    return weft_op_parent(theirs) && weft_op_parent(theirs)->kind == WEFT_OP_reduce;
}

static void same_op(weft_context *cx, const weft_op *a, const weft_op *b) {
    static const weft_attr_name held[] = { WEFT_A_sdy_sharding,  WEFT_A_sharding,  WEFT_A_in_shardings,
                                           WEFT_A_out_shardings, WEFT_A_arg_attrs, WEFT_A_res_attrs };
    ck_assert_msg(a->name->n == b->name->n && !memcmp(a->name->text, b->name->text, a->name->n),
                  "%s where Shardy has %s", a->name->text, b->name->text);
    for (size_t i = 0; i < WEFT_COUNT(held); i++)
        same_attr(cx, a, weft_op_attr(a, held[i]), weft_op_attr(b, held[i]), weft_attr_names[held[i]]);
    if (!rule_is_hidden(b))
        same_attr(cx, a, weft_op_attr(a, WEFT_A_sdy_sharding_rule), weft_op_attr(b, WEFT_A_sdy_sharding_rule),
                  "sharding rule");
    for (uint32_t r = 0; r < a->region_count; r++) {
        const weft_op *x = weft_op_body(a, r) ? weft_op_body(a, r)->first : NULL,
                      *y = weft_op_body(b, r) ? weft_op_body(b, r)->first : NULL;
        for (; x && y; x = x->next, y = y->next) same_op(cx, x, y);
        ck_assert_msg(!x && !y, "the region of %s differs in length", a->name->text);
    }
}

START_TEST(is_what_shardy_makes_of_it) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *ours = read_one(cx, names[_i], "before"), *theirs = read_one(cx, names[_i], "after");
    weft_status st = weft_pipeline_run(cx, WEFT_STR("weft-spread-shardings"), WEFT_PIPELINE_VERIFY_EACH, &ours);
    if (st == WEFT_OK)
        st = weft_pipeline_run(cx, WEFT_STR("weft-sink-shardings=keep-sharding-rules=true"), WEFT_PIPELINE_VERIFY_EACH,
                               &ours);
    ck_assert_msg(st == WEFT_OK, "%s: %s", names[_i],
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "failed");
    same_op(cx, ours->root, theirs->root);
    weft_module_free(ours);
    weft_module_free(theirs);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    find_programs();
    if (!name_count) {
        printf("skipped: 21 (%s is not there)\n", root);
        return 77;
    }
    Suite *s = suite_create("propagate/shared");
    TCase *tc = tcase_create("programs");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, is_what_shardy_makes_of_it, 0, name_count);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
