/* print_names.c: how MLIR calls values.
 *
 * Results count up, %0, %1, ...; arguments of an entry block are %arg0, ...; constants and loop arguments carry a word
 * (%cst, %c, %iterArg) that gets _0, _1, ... from one common counter when it is taken already. A region continues its
 * parent's counters where they stood at the parent's end, and gives them back when it closes, so that two neighbours use
 * the same names.
 */
#include "mlir/writer.h"

typedef struct counters {
    int64_t value, arg, conflict;
    unsigned used;              /* bit per word of `words` that this or an outer region has used */
} counters;

typedef enum word { WORD_ARG, WORD_CST, WORD_C, WORD_ITER, WORD_INPUT, WORD_CARRY } word;
static const char *const words[] = { "arg", "cst", "c", "iterArg", "input", "carry" };

typedef struct naming {
    pr_name *names;
    bool generic;
} naming;

static void give(naming *n, const weft_value *v, counters *c, word which) {
    unsigned bit = 1u << which;
    n->names[v->id] = (pr_name){ words[which], c->used & bit ? c->conflict++ : PR_PLAIN, false };
    c->used |= bit;
}

static bool is_integer(const weft_type *t) {
    return t->kind == WEFT_TYPE_TENSOR && (weft_dtype_is_integer(t->dtype) || t->dtype == WEFT_I1);
}

/* Words come from the op's family, never from the input's spelling. */
static void name_args(naming *n, const weft_region *region, counters *c) {
    if (n->generic || !region->first) return;
    const weft_block *entry = region->first;
    weft_op_kind kind = region->parent->kind;
    if (kind == WEFT_OP_while)
        for (uint32_t i = 0; i < entry->arg_count; i++) give(n, entry->args[i], c, WORD_ITER);
}

static void name_results(naming *n, const weft_op *op, counters *c) {
    if (!op->result_count) return;
    const weft_value *v = &op->results[0];
    if (op->kind == WEFT_OP_constant && !n->generic) give(n, v, c, is_integer(v->type) ? WORD_C : WORD_CST);
    else n->names[v->id] = (pr_name){ NULL, c->value++, false };
}

static void name_region(naming *n, const weft_region *region, counters c) {
    name_args(n, region, &c);
    WEFT_EACH_BLOCK(blk, region) {
        for (uint32_t i = 0; i < blk->arg_count; i++) {
            pr_name *name = &n->names[blk->args[i]->id];
            if (name->base) continue;
            if (blk == region->first) *name = (pr_name){ words[WORD_ARG], c.arg++, true };
            else *name = (pr_name){ NULL, c.value++, false };
        }
        WEFT_EACH_OP(op, blk) name_results(n, op, &c);
    }
    WEFT_EACH_BLOCK(blk, region)
        WEFT_EACH_OP(op, blk)
            for (uint32_t i = 0; i < op->region_count; i++) name_region(n, &op->regions[i], c);
}

weft_status pr_number_values(const weft_module *m, unsigned flags, pr_name *names) {
    naming n = { names, (flags & WEFT_PRINT_GENERIC) != 0 };
    for (uint32_t i = 0; i < m->root->region_count; i++) name_region(&n, &m->root->regions[i], (counters){ 0 });
    return WEFT_OK;
}
