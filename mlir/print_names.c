/* print_names.c: names values as MLIR does.
 *
 * Results count up, %0, %1, ...; arguments of an entry block are %arg0, ...; constants and loop arguments carry a word
 * (%cst, %c, %iterArg, %values) that gets _0, _1, ... from one common counter if it is taken already. A region
 * continues its parent's counters from the parent's end, and restores them when it closes, so that two neighbours use
 * the same names.
 */
#include "mlir/syntax.h"

typedef struct counters {
    int32_t value, arg, conflict;
    uint32_t used;              /* bit per word that this or an outer region has used */
} counters;

typedef struct naming {
    pr_name *names;
    bool generic, hints;
} naming;

static void give(naming *n, const weft_value *v, counters *c, pr_word word) {
    uint32_t bit = UINT32_C(1) << word;
    n->names[v->id] = (pr_name){ word, c->used & bit ? c->conflict++ : PR_PLAIN };
    c->used |= bit;
}

static bool is_integer(const weft_type *t) {
    return t->kind == WEFT_TYPE_TENSOR && (weft_dtype_is_integer(t->dtype) || t->dtype == WEFT_I1);
}

/* Words come from the op's family, never from the input's spelling. */
static void name_args(naming *n, const weft_region *region, counters *c) {
    pr_word word = weft_syntax_of[region->parent->kind]->args;
    if (n->generic || !region->first || word == PR_NO_WORD) return;
    int inputs = word == PR_WORD_input ? pr_scan_inputs(region->parent) : -1;
    for (uint32_t i = 0; i < region->first->arg_count; i++)
        give(n, region->first->args[i], c, word == PR_WORD_input && (int64_t)i >= inputs ? PR_WORD_carry : word);
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("$._-", c) != NULL);
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Whether the counters could give it, too: a number, or one of their words with or without a number. */
static bool is_counted(const char *name) {
    size_t n = strlen(name), end = n;
    while (end && is_digit(name[end - 1])) end--;
    if (!end || (end == 3 && !memcmp(name, "arg", 3))) return true;
    if (end < n && name[end - 1] == '_') end--;
    for (uint32_t w = PR_NO_WORD + 1; w < PR_WORD_COUNT; w++)
        if (strlen(pr_words[w]) == end && !memcmp(name, pr_words[w], end)) return true;
    return false;
}

/* A hint that MLIR takes for the name of a value, of the function's arguments this one's alone. */
static bool is_usable(const weft_block *b, uint32_t arg) {
    const weft_name hint = b->args[arg]->hint;
    if (!hint || !is_letter(*hint->text) || is_counted(hint->text)) return false;
    for (const char *c = hint->text; *c; c++)
        if (!is_letter(*c) && !is_digit(*c)) return false;
    for (uint32_t i = 0; i < arg; i++)
        if (b->args[i]->hint == hint) return false;
    return true;
}

static void name_results(naming *n, const weft_op *op, counters *c) {
    if (!op->result_count) return;
    const pr_word *words = weft_syntax_of[op->kind]->results;
    pr_name *first = &n->names[op->results[0].id];
    const bool is_constant = words[0] == PR_WORD_cst;
    if (n->generic || !words[0] || (is_constant && op->result_count > 1)) {
        *first = (pr_name){ PR_NO_WORD, c->value++ };
        for (uint32_t i = 1; i < op->result_count; i++) n->names[op->results[i].id].number = PR_OF_FIRST;
    } else if (is_constant) {
        give(n, &op->results[0], c, is_integer(op->results[0].type) ? PR_WORD_c : PR_WORD_cst);
    } else {
        for (uint32_t i = 0; i < op->result_count; i++) give(n, &op->results[i], c, words[i < 2 ? i : 2]);
    }
}

/* The generic form never gives a number twice, and MLIR numbers neighbouring regions from the last to the first. */
static void name_region(naming *n, const weft_region *region, counters *outer) {
    counters c = *outer;
    name_args(n, region, &c);
    WEFT_EACH_BLOCK(blk, region) {
        for (uint32_t i = 0; i < blk->arg_count; i++) {
            pr_name *name = &n->names[blk->args[i]->id];
            if (name->word) continue;
            if (n->hints && region->parent->kind == WEFT_OP_func && is_usable(blk, i)) {
                *name = (pr_name){ PR_NO_WORD, PR_HINT };
                c.arg++;
            } else if (blk == region->first) *name = (pr_name){ PR_WORD_arg, c.arg++ };
            else *name = (pr_name){ PR_NO_WORD, c.value++ };
        }
        WEFT_EACH_OP(op, blk) name_results(n, op, &c);
    }
    WEFT_EACH_BLOCK(blk, region)
        for (const weft_op *op = blk->last; op; op = op->prev)
            for (uint32_t i = op->region_count; i-- > 0;) name_region(n, &op->regions[i], &c);
    if (n->generic) *outer = c;
}

void pr_number_values(const weft_module *m, unsigned flags, pr_name *names) {
    naming n = { names, (flags & WEFT_PRINT_GENERIC) != 0, (flags & WEFT_PRINT_HINTS) != 0 };
    counters c = { 0 };
    for (uint32_t i = m->root->region_count; i-- > 0;) name_region(&n, &m->root->regions[i], &c);
}
