/* Every op of the table is within reach of C: the valid program of each (tests/ir/ops.mlir) is made again by
 * weft_graph_op_with and the calls for functions and meshes, and is the same program. */
#include <stdio.h>
#include "base/context.h"
#include "capi/graph_impl.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "tests/support/suite.h"

static char *text; /* of ops.mlir, each case ended by a NUL */
static const char *of[WEFT_OP_COUNT];

static void load(void) {
    static const char separator[] = "// -----\n// ";
    char path[1024];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/tests/ir/ops.mlir", top ? top : ".");
    FILE *f = fopen(path, "rb");
    text = calloc(1, 1 << 20);
    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f)) exit(1);
    fclose(f);
    for (char *at = strstr(text, separator), *next; at; at = next) {
        at += sizeof separator - 1;
        next = strstr(at, separator);
        if (next) next[-1] = '\0';
        char *eol = strchr(at, '\n');
        *eol = '\0';
        for (unsigned k = 0; k < WEFT_OP_other; k++)
            if (!strcmp(weft_op_table[k].name, at)) of[k] = eol + 1;
    }
}

/* ---- making a program again ---- */

static weft_context *cx;
static weft_graph *g;
static weft_tensor **made; /* by the id of the value in the program that was read */

static char *text_of_types(weft_value *const *values, size_t n) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_buf_puts(&b, "");
    for (size_t i = 0; i < n; i++) {
        if (i) weft_buf_puts(&b, "; ");
        weft_type_print(&b, values[i]->type);
    }
    char *copy = strdup(b.p ? b.p : "");
    weft_buf_free(&b);
    return copy;
}

static char *text_of_attributes(const weft_op *op) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_print_attr(&b, weft_attr_dict(cx, op->attrs, op->attr_count));
    char *copy = op->attr_count ? strdup(b.p) : NULL;
    weft_buf_free(&b);
    return copy;
}

static void make_block(weft_graph *gr, const weft_block *from, weft_tensor **y);

static void body(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    const weft_block *from = user;
    for (uint32_t i = 0; from && i < from->arg_count; i++) made[from->args[i]->id] = x[i];
    if (from) make_block(gr, from, y);
}

static void make_op(weft_graph *gr, const weft_op *op) {
    weft_tensor *x[16], *out[16];
    weft_value *results[16];
    weft_op_region regions[4];
    ck_assert(op->operand_count <= 16 && op->result_count <= 16 && op->region_count <= 4);
    for (uint32_t i = 0; i < op->operand_count; i++) x[i] = made[op->operands[i]->id];
    for (uint32_t i = 0; i < op->result_count; i++) results[i] = &op->results[i];
    for (uint32_t r = 0; r < op->region_count; r++) {
        const weft_block *blk = weft_op_body(op, r);
        regions[r] = (weft_op_region){ text_of_types(blk ? blk->args : NULL, blk ? blk->arg_count : 0),
                                       blk ? weft_block_terminator(blk)->operand_count : 0, body, (void *)blk };
    }
    char *types = text_of_types(results, op->result_count), *attributes = text_of_attributes(op);
    weft_graph_op_with(gr, op->name->text, x, op->operand_count, attributes, types, regions, op->region_count, out,
                       op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) made[op->results[i].id] = out[i];
    for (uint32_t r = 0; r < op->region_count; r++) free((void *)regions[r].arguments);
    free(types);
    free(attributes);
}

/* The ops of a block and what it returns. */
static void make_block(weft_graph *gr, const weft_block *from, weft_tensor **y) {
    WEFT_EACH_OP(op, from)
        if (!weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR)) make_op(gr, op);
    const weft_op *end = weft_block_terminator(from);
    for (uint32_t i = 0; i < end->operand_count; i++) y[i] = made[end->operands[i]->id];
}

static void make_mesh(const weft_op *mesh) {
    char axes[256] = "";
    const weft_mesh_attr *a = &weft_op_attr(mesh, WEFT_A_mesh)->mesh;
    for (uint32_t i = 0; i < a->axis_count; i++)
        snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%s=%lld", i ? ", " : "", a->axes[i].name->text,
                 (long long)a->axes[i].size);
    weft_graph_mesh(g, axes);
}

/* Functions first, since calls name them; their arguments have the types of values that are there. */
static void make_module(const weft_module *m) {
    weft_tensor *y[16];
    WEFT_EACH_OP(op, weft_module_body(m)) {
        if (op->kind == WEFT_OP_sdy_mesh) make_mesh(op);
        if (op->kind != WEFT_OP_func || op == weft_module_main(m)) continue;
        const weft_block *blk = weft_op_body(op, 0);
        weft_str name = weft_op_symbol(op, WEFT_A_sym_name);
        char *copy = strndup(name.p, name.n);
        weft_graph_function(g, copy, (const weft_tensor *const *)blk->args, blk->arg_count,
                            weft_block_terminator(blk)->operand_count, body, (void *)blk);
        free(copy);
    }
    if (!weft_module_main(m)) return;
    const weft_block *main = weft_op_body(weft_module_main(m), 0);
    for (uint32_t i = 0; i < main->arg_count; i++) {
        char name[32], *type = text_of_types(&main->args[i], 1);
        snprintf(name, sizeof name, "in%u", i);
        made[main->args[i]->id] = weft_graph_input(g, name, type);
        free(type);
    }
    make_block(g, main, y);
    for (uint32_t i = 0; i < weft_block_terminator(main)->operand_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "out%u", i);
        weft_graph_output(g, name, y[i]);
    }
}

/* ---- comparing ---- */

static bool reached[WEFT_OP_COUNT];

static void same_block(const weft_block *a, const weft_block *b);

static void same_op(const weft_op *a, const weft_op *b) {
    const char *name = a->name->text;
    ck_assert_str_eq(name, b->name->text);
    ck_assert_msg(a->operand_count == b->operand_count && a->result_count == b->result_count &&
                      a->region_count == b->region_count && a->attr_count == b->attr_count, "%s has other counts",
                          name);
    for (uint32_t i = 0; i < a->result_count; i++)
        ck_assert_msg(a->results[i].type == b->results[i].type, "result %u of %s has another type", i, name);
    for (uint32_t i = 0; i < a->operand_count; i++)
        ck_assert_msg(made[a->operands[i]->id] == b->operands[i], "operand %u of %s is another value", i, name);
    for (uint32_t i = 0; i < a->attr_count; i++) {
        const weft_attr *other = weft_op_attr_named(b, a->attrs[i].name->text);
        ck_assert_msg(weft_attr_equal(a->attrs[i].value, other), "%s of %s has another value", a->attrs[i].name->text,
            name);
    }
    for (uint32_t r = 0; r < a->region_count; r++)
        if (weft_op_body(a, r)) same_block(weft_op_body(a, r), weft_op_body(b, r));
}

static void same_block(const weft_block *a, const weft_block *b) {
    const weft_op *other = b->first;
    ck_assert_uint_eq(a->arg_count, b->arg_count);
    WEFT_EACH_OP(op, a) {
        ck_assert_ptr_nonnull(other);
        reached[op->kind] = true;
        same_op(op, other);
        other = other->next;
    }
    ck_assert_ptr_null(other);
}

/* Weft names meshes itself: @m of the cases is @mesh here. */
static char *renamed(const char *from) {
    char *to = calloc(1, 3 * strlen(from) + 1), *p = to;
    while (*from) {
        const bool is_m = !strncmp(from, "@m", 2) && !strchr("abcdefghijklmnopqrstuvwxyz_", from[2]);
        if (is_m) p = stpcpy(p, "@mesh");
        else *p++ = *from;
        from += is_m ? 2 : 1;
    }
    return to;
}

/* The table's op number _i. sdy's own collectives are what the partitioner writes, of values that have shardings. */
START_TEST(test_op) {
    const char *name = weft_op_table[_i].name;
    if (_i == WEFT_OP_module || _i == WEFT_OP_sdy_mesh) return; /* weft_graph_new, weft_graph_mesh */
    if (weft_op_kind_has((weft_op_kind)_i, WEFT_TRAIT_COLLECTIVE) && !strncmp(name, "sdy.", 4)) return;
    ck_assert_msg(of[_i] != NULL, "ops.mlir has no case of %s", name);
    cx = weft_context_new(NULL);
    g = weft_graph_new(cx, "op");
    weft_module *m = NULL;
    char *text_of_case = renamed(of[_i]);
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text_of_case), name, 0, &m), WEFT_OK);
    free(text_of_case);
    made = calloc(m->value_count + 1, sizeof *made);
    make_module(m);
    const weft_status st = weft_graph_finish(g);
    const size_t n = weft_context_diag_count(cx);
    ck_assert_msg(st == WEFT_OK, "a C caller cannot make %s: %s", name, n ? weft_context_diag(cx, 0)->message : "");
    memset(reached, 0, sizeof reached);
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_op *other = weft_module_symbol(g->m, weft_op_symbol(op, WEFT_A_sym_name));
        if (op == weft_module_main(m)) other = g->func;
        ck_assert_ptr_nonnull(other);
        reached[op->kind] = true;
        if (op->kind == WEFT_OP_func) same_block(weft_op_body(op, 0), weft_op_body(other, 0));
    }
    ck_assert_msg(reached[_i], "the case of %s has no such op", name);
    free(made);
    weft_module_free(m);
    weft_graph_free(g);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    load();
    Suite *s = suite_create("capi/every_op");
    TCase *tc = tcase_create("every_op");
    tcase_add_loop_test(tc, test_op, 0, WEFT_OP_other);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
