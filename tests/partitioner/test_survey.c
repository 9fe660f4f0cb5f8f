/* Tensors that are gathered though they arrive sharded: every family of ops, along every factor of its rule, with sizes
 * that the devices divide and with others.
 *
 * survey.mlir has a program of one op for each class. Here its arguments and results are split over four devices
 * along one factor of the op at a time; the program is partitioned, its collectives are examined, and it is run and
 * compared with one device. A collective that replicates a sharded argument on every device is a gather, and must be in
 * the table below with the reason. A row that no longer holds fails too, so the table is up to date.
 */
#include <ctype.h>
#include <stdio.h>
#include "pipeline/pipeline.h"
#include "pipeline/verify.h"
#include "sharding/rule.h"
#include "tests/support/suite.h"

enum { DEVICES = 4, EVEN = 8, UNEVEN = 10, MOST_PROGRAMS = 128 };

/* factor: the first of its dimensions, of operand 0 dimension 1 "0.1", of result 1 dimension 0 "r1.0"; where it moves
 * elements along them "0.1 moved". */
typedef enum when { BOTH_SIZES, EVEN_ONLY, UNEVEN_ONLY } when;
typedef struct gathered { const char *program, *factor; when when; const char *reason; } gathered;

static const gathered expected[] = {
    { "bitcast to wider", "0.2", BOTH_SIZES, "the pieces of one number" },
    { "reshape that merges", "0.2", BOTH_SIZES, "the minor dimension of a merge: no part of the result is one of it" },
    { "dynamic_slice of nearly all", "0.0", EVEN_ONLY, "it is asked for whole; a sum of nearly all, over the devices, is dearer than the operand" },
    { "dynamic_update_slice", "1.0", BOTH_SIZES, "where the update goes is known when it runs: any part may need all of it" },
    { "dynamic_update_slice of nearly all", "1.0", BOTH_SIZES, "what it goes into is whole on every device" },
    { "scatter that multiplies", "1.0", BOTH_SIZES, "no all-reduce multiplies; the updates travel" },
    { "convolution with strides and dilation", "1.0", BOTH_SIZES, "the kernel is smaller than halos and sums of results" },
    { "convolution in feature groups", "1.1", BOTH_SIZES, "the kernel is smaller than a sum of results; two features over four devices" },
    { "sort of a line", "0.0", BOTH_SIZES, "so short that finding where to cut it sends more" },
    { "triangular_solve", "0.1", BOTH_SIZES, "each row needs those before it: the batch is shared instead, and the result is asked for whole" },
    { "triangular_solve from the right", "0.0", BOTH_SIZES, "the matrix is needed whole" },
    { "triangular_solve from the right", "0.1", BOTH_SIZES, "the matrix is needed whole" },
    { "rng_bit_generator", "0.0", BOTH_SIZES, "the state, of two numbers; what follows from it depends on all of it" },
    { "custom call with a rule", "0.0", UNEVEN_ONLY, "a foreign routine may do anything with padding, such as not end" },
    { "custom call with a rule", "0.1", UNEVEN_ONLY, "its rule wants it whole, and the batch cannot be shared evenly" },
    { "custom call with a rule", "0.2", UNEVEN_ONLY, "its rule wants it whole, and the batch cannot be shared evenly" },
    { "custom call that takes the k largest", "0.2", UNEVEN_ONLY, "its results are asked for whole: values and indices with padding are dearer than the operand" },
};

/* Families of column `local` that no program here is of. */
static const char *const elsewhere[] = {
    /* nothing that arrives in parts, or nothing left */
    "constant",
    "none",
    "terminator",
    "marker",
    "device_id",
    "legalized",
    "refused",
    /* as their operands are: equal.mlir, test_shard_map.py */
    "region",
    "through",
    "manual_computation",
    "collective",
    "sdy_all_gather",
    "sdy_all_reduce",
    "sdy_all_slice",
    "sdy_all_to_all",
    "sdy_collective_permute",
    "sdy_reduce_scatter",
    /* reshards: lower_reshards.mlir */
    "sdy_replicated_to_unreduced",
    "sdy_sharded_to_unreduced",
};

/* --- programs ----------------------------------------------------------------------------------------------------- */

static struct { char name[64]; const char *text; size_t n; } programs[MOST_PROGRAMS];
static int program_count;
static char *source;

static void find_programs(void) {
    char path[1024];
    const char *top = getenv("top_srcdir"), *mark = "// ----- ";
    snprintf(path, sizeof path, "%s/tests/partitioner/survey.mlir", top ? top : ".");
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "no %s", path);
    program_count = 0;
    source = calloc(1, 1 << 20);
    ck_assert_uint_lt(fread(source, 1, (1 << 20) - 1, f), (1 << 20) - 1);
    fclose(f);
    for (char *p = strstr(source, mark); p;) {
        char *line = strchr(p, '\n'), *next = strstr(line, mark);
        ck_assert_int_lt(program_count, MOST_PROGRAMS);
        snprintf(programs[program_count].name, sizeof programs[0].name, "%.*s", (int)(line - p - (long)strlen(mark)),
                 p + strlen(mark));
        programs[program_count].text = line + 1;
        programs[program_count++].n = next ? (size_t)(next - line - 1) : strlen(line + 1);
        p = next;
    }
}

/* "$n" and what is made of it by one operator and number. */
static char *with_size(const char *text, size_t n, long size) {
    char *out = calloc(1, 2 * n + 64), *to = out;
    for (const char *p = text, *end = text + n; p < end;) {
        if (p[0] != '$' || p[1] != 'n') {
            *to++ = *p++;
            continue;
        }
        long v = size;
        const char op = p[2];
        char *rest = (char *)p + 2;
        if (strchr("+-*/", op) && isdigit((unsigned char)p[3])) {
            const long by = strtol(p + 3, &rest, 10);
            v = op == '+' ? v + by : op == '-' ? v - by : op == '*' ? v * by : v / by;
        }
        to += sprintf(to, "%ld", v);
        p = rest;
    }
    return out;
}

/* --- cutting ------------------------------------------------------------------------------------------------------ */

/* Whether dimension d of this tensor of the rule is cut where factor f is. */
static bool is_cut(const weft_rule *rule, uint32_t tensor, uint32_t d, uint32_t f) {
    const weft_rule_dim dim = rule->tensors[tensor].dims[d];
    return dim.n && rule->factors[dim.first] == f;
}

static bool is_cut_anywhere(const weft_rule *rule, uint32_t tensor, uint32_t f) {
    for (uint32_t d = 0; d < rule->tensors[tensor].rank; d++)
        if (is_cut(rule, tensor, d, f)) return true;
    return false;
}

static char *put_sharding(char *to, const weft_rule *rule, uint32_t tensor, uint32_t f) {
    to += sprintf(to, " {sdy.sharding = #sdy.sharding<@mesh, [");
    for (uint32_t d = 0; d < rule->tensors[tensor].rank; d++)
        to += sprintf(to, "%s%s", d ? ", " : "", is_cut(rule, tensor, d, f) ? "{\"x\"}" : "{}");
    return to + sprintf(to, "]>}");
}

/* The end of a type that begins at p. */
static const char *type_end(const char *p) {
    int depth = 0;
    for (; *p; p++) {
        depth += (*p == '<') - (*p == '>');
        if (*p == '>' && !depth) return p + 1;
    }
    return p;
}

/* The program with arguments and results of op cut along f, and arguments without it whole. What propagation makes of
 * other results is its affair. */
static char *cut_along(const char *text, const weft_op *op, const weft_rule *rule, uint32_t f) {
    char *out = calloc(1, strlen(text) + 8192), *to = out + sprintf(out, "sdy.mesh @mesh = <[\"x\"=%d]>\n", DEVICES);
    const weft_op *end = weft_block_terminator(op->parent);
    uint32_t arg = 0, result = 0;
    bool results = false;
    for (const char *p = text; *p;) {
        const bool head = p < strchr(text, '{');
        if (head && !strncmp(p, "->", 2)) results = true;
        if (!head || strncmp(p, "tensor<", 7)) {
            *to++ = *p++;
            continue;
        }
        const char *stop = type_end(p);
        to += sprintf(to, "%.*s", (int)(stop - p), p);
        p = stop;
        for (uint32_t i = 0; !results && i < op->operand_count; i++) {
            if (op->operands[i] != op->parent->args[arg]) continue;
            to = put_sharding(to, rule, i, f);
            break;
        }
        for (uint32_t i = 0; results && i < op->result_count; i++)
            if (end->operands[result] == &op->results[i] && is_cut_anywhere(rule, op->operand_count + i, f))
                to = put_sharding(to, rule, op->operand_count + i, f);
        arg += !results;
        result += results;
    }
    return out;
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

typedef struct seen { double whole, largest; char calls[512]; } seen;

static double bytes_of(const weft_type *t) { return (double)weft_type_elems(t) * (double)weft_dtype_bytes(t->dtype); }

static weft_status look(void *user, weft_op *op) {
    seen *s = user;
    const size_t n = strlen(s->calls);
    if (!weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE)) return WEFT_OK;
    snprintf(s->calls + n, sizeof s->calls - n, " %s:%.0f", op->name->text + strlen("stablehlo."),
             bytes_of(op->results[0].type));
    if (op->kind != WEFT_OP_all_gather) return WEFT_OK;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (bytes_of(op->results[i].type) > s->largest) s->largest = bytes_of(op->results[i].type);
    return WEFT_OK;
}

typedef struct subject { const weft_op *op; const weft_rule *rule; weft_arena arena; } subject;

static subject subject_of(weft_context *cx, const weft_module *m) {
    subject s = { .op = NULL };
    weft_rules *rules = NULL;
    const weft_op *main = weft_module_main(m);
    weft_arena_init(&s.arena, &cx->chunks);
    s.op = weft_block_terminator(weft_op_body(main, 0))->operands[0]->def;
    if (weft_rules_open(cx, &s.arena, &rules) != WEFT_OK ||
        weft_rule_of(rules, s.op, WEFT_RULE_WORK, NULL, &s.rule) != WEFT_OK)
        ck_abort_msg("no rule");
    return s;
}

static void name_factor(const subject *s, uint32_t f, char *out) {
    for (uint32_t t = 0; t < s->rule->tensor_count; t++)
        for (uint32_t d = 0; d < s->rule->tensors[t].rank; d++)
            if (is_cut(s->rule, t, d, f)) {
                sprintf(out, t < s->op->operand_count ? "%u.%u%s" : "r%u.%u%s",
                        t < s->op->operand_count ? t : t - s->op->operand_count, d,
                        weft_bits_has(s->rule->permutation, f) ? " moved" : "");
                return;
            }
    strcpy(out, "");
}

/* Bytes of the smallest tensor that is cut along f, whole. */
static double smallest_cut(const subject *s, uint32_t f) {
    double least = 0;
    for (uint32_t t = 0; t < s->rule->tensor_count; t++) {
        const weft_type *type =
            t < s->op->operand_count ? s->op->operands[t]->type : s->op->results[t - s->op->operand_count].type;
        if (is_cut_anywhere(s->rule, t, f) && (!least || bytes_of(type) < least)) least = bytes_of(type);
    }
    return least;
}

static bool is_expected(const char *program, const char *factor, long size) {
    const when not = size == EVEN ? UNEVEN_ONLY : EVEN_ONLY;
    for (size_t i = 0; i < WEFT_COUNT(expected); i++)
        if (!strcmp(expected[i].program, program) && !strcmp(expected[i].factor, factor))
            return expected[i].when != not;
    return false;
}

static weft_module *read_prepared(weft_context *cx, const char *text) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "survey.mlir", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-prepare"), 0, &m);
    ck_assert_msg(st == WEFT_OK, "%s\n%s", weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "", text);
    return m;
}

/* Prints what is otherwise than expected. */
static int survey_factor(weft_context *cx, const char *program, long size, const char *text, const subject *s,
                         uint32_t f, weft_verify *v) {
    char label[32];
    name_factor(s, f, label);
    if (!*label || s->rule->sizes[f] < 2) return 0;
    char *cut = cut_along(text, s->op, s->rule, f);
    weft_module *m = read_prepared(cx, cut);
    seen what = { .whole = smallest_cut(s, f) };
    int wrong = 0;
    weft_status st = weft_verify_run(v, m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-partition"), 0, &m);
    if (st == WEFT_OK) st = weft_op_walk(m->root, look, &what);
    const bool gathers = what.largest >= what.whole;
    if (st != WEFT_OK) {
        wrong = 1;
        printf("%s, %ld, factor %s: %s\n%s\n", program, size, label,
               weft_context_diag_count(cx) ? weft_context_diag(cx, weft_context_diag_count(cx) - 1)->message : "", cut);
    } else if (gathers != is_expected(program, label, size)) {
        wrong = 1;
        printf("    { \"%s\", \"%s\", %s, \"\" }, %s:%s of %.0f\n", program, label,
               size == EVEN ? "EVEN_ONLY" : "UNEVEN_ONLY", gathers ? "gathers now" : "gathers no more", what.calls,
               what.whole);
    }
    if (getenv("WEFT_TRACE")) printf("%s %ld %s:%s%s\n", program, size, label, what.calls, gathers ? " GATHERS" : "");
    weft_module_free(m);
    free(cut);
    return wrong;
}

static int survey(int k, long size) {
    char *text = with_size(programs[k].text, programs[k].n, size);
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = read_prepared(cx, text);
    subject s = subject_of(cx, m);
    weft_verify *v = NULL;
    int wrong = 0;
    ck_assert_msg(weft_verify_open(cx, m, &(weft_verify_options){ .rtol = -1, .atol = -1 }, &v) == WEFT_OK, "%s: %s",
                  programs[k].name, weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    for (; s.rule; s.rule = s.rule->other)
        for (uint32_t f = 0; f < s.rule->factor_count; f++)
            wrong += survey_factor(cx, programs[k].name, size, text, &s, f, v);
    weft_verify_close(v);
    weft_arena_free(&s.arena);
    weft_module_free(m);
    weft_context_free(cx);
    free(text);
    return wrong;
}

START_TEST(every_family_is_surveyed) {
    bool seen[WEFT_OP_COUNT] = { false };
    find_programs();
    for (int k = 0; k < program_count; k++) {
        char *text = with_size(programs[k].text, programs[k].n, EVEN);
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = read_prepared(cx, text);
        WEFT_EACH_OP(op, weft_op_body(weft_module_main(m), 0)) seen[op->kind] = true;
        weft_module_free(m);
        weft_context_free(cx);
        free(text);
    }
    for (size_t i = 0; i < weft_op_support_count(); i++) {
        const char *family = weft_op_support_at(i)->local;
        bool there = false;
        for (size_t k = 0; k < WEFT_COUNT(elsewhere); k++) there = there || !strcmp(elsewhere[k], family);
        for (size_t k = 0; k < weft_op_support_count(); k++)
            there = there || (seen[k] && !strcmp(weft_op_support_at(k)->local, family));
        ck_assert_msg(there, "survey.mlir has no program with an op such as %s: %s", weft_op_support_at(i)->name,
                      family);
    }
    free(source);
}
END_TEST

START_TEST(nothing_gathers_without_a_reason) {
    int wrong = 0;
    find_programs();
    for (int k = 0; k < program_count; k++) wrong += survey(k, EVEN) + survey(k, UNEVEN);
    fflush(stdout);
    free(source);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

int main(void) {
    Suite *s = suite_create("survey");
    TCase *tc = tcase_create("gathers");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, every_family_is_surveyed);
    tcase_add_test(tc, nothing_gathers_without_a_reason);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
