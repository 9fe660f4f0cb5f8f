/* rule_text.c: reading and using rules written as text; see rule_text.h. */
#include "sharding/rule_text.h"

#include "base/context.h"
#include "sharding/rule_build.h"

#define MOST_TENSORS 64
#define MOST_CELLS 255

typedef struct text_dim { uint8_t first, n; } text_dim;   /* letters[first .. first + n) */
typedef struct text_tensor { uint8_t first, rank; } text_tensor; /* dims[first .. first + rank) */

struct weft_rule_text {
    weft_str target, text;
    uint32_t operands, tensors, letter_count;   /* letters are numbered as they first occur */
    text_tensor tensor[MOST_TENSORS];
    text_dim dims[MOST_CELLS + 1];              /* one more than needed, while it is read */
    uint8_t letters[MOST_CELLS];
    uint32_t dim_count, cell_count;
    char names[WEFT_MAX_FACTORS];
    weft_bits in_results, reduced, replicated, permuted, passing, blocked;
    const weft_rule_text *next;
};

/* Reading. */

typedef struct reader {
    weft_context *cx;
    const weft_loc *loc;
    weft_rule_text *rule;
    size_t at;
    weft_status status;
} reader;

static void bad(reader *r, const char *why) {
    if (r->status != WEFT_OK) return;
    r->status = weft_report(r->cx, WEFT_D_sharding, r->loc, "the rule for '%.*s': %s at column %zu of \"%.*s\"",
                            WEFT_STR_ARG(r->rule->target), why, r->at + 1, WEFT_STR_ARG(r->rule->text));
}

static char peek(reader *r) {
    const weft_str t = r->rule->text;
    while (r->at < t.n && (t.p[r->at] == ' ' || t.p[r->at] == '\t')) r->at++;
    return r->at < t.n ? t.p[r->at] : '\0';
}

static bool eat(reader *r, char c) {
    if (peek(r) != c || c == '\0') return false;
    r->at++;
    return true;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The letter's number, or WEFT_MAX_FACTORS when it did not occur. */
static uint32_t find_letter(const weft_rule_text *rule, char c) {
    for (uint32_t i = 0; i < rule->letter_count; i++)
        if (rule->names[i] == c) return i;
    return WEFT_MAX_FACTORS;
}

static void read_letter(reader *r, weft_bits *seen) {
    weft_rule_text *rule = r->rule;
    uint32_t f = find_letter(rule, rule->text.p[r->at]);
    if (f == WEFT_MAX_FACTORS) {
        f = rule->letter_count++; /* fewer letters than factors exist */
        rule->names[f] = rule->text.p[r->at];
    }
    if (weft_bits_has(*seen, f)) {
        bad(r, "a letter that this tensor has already");
    } else if (rule->cell_count == MOST_CELLS) {
        bad(r, "more letters than a rule may have");
    } else {
        *seen |= weft_bit(f);
        rule->letters[rule->cell_count++] = (uint8_t)f;
        rule->dims[rule->dim_count].n++;
        r->at++;
    }
}

static void read_tensor(reader *r) {
    weft_rule_text *rule = r->rule;
    weft_bits seen = 0;
    if (rule->tensors == MOST_TENSORS) {
        bad(r, "more tensors than a rule may have");
        return;
    }
    text_tensor *t = &rule->tensor[rule->tensors++];
    t->first = (uint8_t)rule->dim_count;
    while (r->status == WEFT_OK && (is_letter(peek(r)) || peek(r) == '(')) {
        bool several = eat(r, '(');
        rule->dims[rule->dim_count] = (text_dim){ .first = (uint8_t)rule->cell_count };
        if (!is_letter(peek(r))) bad(r, "a letter is missing");
        do {
            if (r->status == WEFT_OK) read_letter(r, &seen);
        } while (r->status == WEFT_OK && several && is_letter(peek(r)));
        if (several && r->status == WEFT_OK && !eat(r, ')')) bad(r, "')' is missing");
        rule->dim_count++;
        t->rank++;
    }
    if (rule->tensors > rule->operands && rule->operands) rule->in_results |= seen;
}

static void read_tensors(reader *r) {
    do {
        read_tensor(r);
    } while (r->status == WEFT_OK && eat(r, ','));
}

static bool eat_text(reader *r, const char *text) {
    const weft_str t = r->rule->text;
    size_t n = strlen(text);
    peek(r);
    if (t.n - r->at < n || memcmp(t.p + r->at, text, n)) return false;
    r->at += n;
    return true;
}

/* "; replicated k m" */
static void read_kind(reader *r) {
    weft_rule_text *rule = r->rule;
    const struct { const char *word; weft_bits *of; } kinds[] = {
        { "reduced", &rule->reduced }, { "replicated", &rule->replicated }, { "permuted", &rule->permuted },
        { "passing", &rule->passing }, { "blocked", &rule->blocked },
    };
    weft_bits *of = NULL;
    for (size_t i = 0; !of && i < WEFT_COUNT(kinds); i++)
        if (eat_text(r, kinds[i].word)) of = kinds[i].of;
    if (!of) {
        bad(r, "expected 'reduced', 'replicated', 'permuted', 'passing' or 'blocked'");
        return;
    }
    if (!is_letter(peek(r))) bad(r, "a letter is missing");
    for (; r->status == WEFT_OK && is_letter(peek(r)); r->at++) {
        uint32_t f = find_letter(rule, rule->text.p[r->at]);
        weft_bits kinds_so_far = rule->reduced | rule->replicated | rule->permuted | rule->passing;
        if (f == WEFT_MAX_FACTORS) bad(r, "a letter that no tensor has");
        else if (of != &rule->blocked && weft_bits_has(kinds_so_far, f)) bad(r, "a letter of two kinds");
        else if (of == &rule->reduced && weft_bits_has(rule->in_results, f))
            bad(r, "a result's letter, which cannot be reduced,");
        else *of |= weft_bit(f);
    }
}

static weft_status read_rule(reader *r) {
    weft_rule_text *rule = r->rule;
    read_tensors(r);
    rule->operands = rule->tensors;
    if (r->status == WEFT_OK && !eat_text(r, "->")) bad(r, "expected a letter, ',' or '->'");
    if (r->status == WEFT_OK) read_tensors(r);
    while (r->status == WEFT_OK && eat(r, ';')) read_kind(r);
    if (r->status == WEFT_OK && peek(r) != '\0') bad(r, "unexpected text");
    if (r->status != WEFT_OK) return r->status;
    weft_bits all = weft_bits_below(rule->letter_count);
    rule->reduced |= all & ~(rule->in_results | rule->replicated | rule->permuted | rule->passing);
    return WEFT_OK;
}

const weft_rule_text *weft_rule_text_find(const weft_context *cx, weft_str target) {
    for (const weft_rule_text *r = cx->rule_texts; r; r = r->next)
        if (weft_str_equal(r->target, target)) return r;
    return NULL;
}

weft_status weft_rule_text_register(weft_context *cx, weft_str target, weft_str text, const weft_loc *loc) {
    if (!target.n) return weft_report(cx, WEFT_D_usage, loc, "a sharding rule for no target");
    const weft_rule_text *had = weft_rule_text_find(cx, target);
    if (had && weft_str_equal(had->text, text)) return WEFT_OK;
    weft_rule_text *rule = weft_arena_new(&cx->arena, weft_rule_text);
    if (!rule) return weft_oom();
    rule->target = (weft_str){ weft_arena_dup(&cx->arena, target.p, target.n, 1), target.n };
    rule->text = (weft_str){ weft_arena_dup(&cx->arena, text.p, text.n, 1), text.n };
    if (!rule->target.p || (text.n && !rule->text.p)) return weft_oom();
    reader r = { .cx = cx, .loc = loc, .rule = rule };
    weft_status st = read_rule(&r);
    if (st != WEFT_OK) return st;
    if (had)
        return weft_report(cx, WEFT_D_usage, loc, "the rule for '%.*s' is \"%.*s\" already", WEFT_STR_ARG(target),
                           WEFT_STR_ARG(had->text));
    rule->next = cx->rule_texts;
    cx->rule_texts = rule;
    return WEFT_OK;
}

/* Using. */

static void misfit(weft_rule_builder *b, const weft_rule_text *rule, const char *why) {
    if (b->status == WEFT_OK)
        b->status =
            weft_report(b->cx, WEFT_D_sharding, b->op->loc, "the sharding rule \"%.*s\" of '%.*s' does not fit: %s",
                        WEFT_STR_ARG(rule->text), WEFT_STR_ARG(rule->target), why);
}

/* An empty side of the arrow is one scalar or none. */
static bool count_fits(const weft_rule_text *rule, uint32_t first, uint32_t n, uint32_t wanted) {
    return n == wanted || (n == 1 && wanted == 0 && rule->tensor[first].rank == 0);
}

static bool tensors_fit(weft_rule_builder *b, const weft_rule_text *rule) {
    uint32_t results = b->tensor_count - b->operand_count;
    if (!count_fits(rule, 0, rule->operands, b->operand_count))
        misfit(b, rule, "the call has another number of operands");
    else if (!count_fits(rule, rule->operands, rule->tensors - rule->operands, results))
        misfit(b, rule, "the call has another number of results");
    return b->status == WEFT_OK;
}

static const text_tensor *tensor_of(const weft_rule_builder *b, const weft_rule_text *rule, uint32_t t) {
    return &rule->tensor[t < b->operand_count ? t : rule->operands + t - b->operand_count];
}

/* Finds the size of one unknown letter of the dimension from the others'. Returns the number of letters still
 * unknown. */
static uint32_t solve(weft_rule_builder *b, const weft_rule_text *rule, text_dim dim, int64_t whole, int64_t *sizes) {
    uint32_t unknown = 0, which = 0;
    int64_t known = 1;
    bool fits = true;
    for (uint32_t k = 0; k < dim.n; k++) {
        uint32_t f = rule->letters[dim.first + k];
        if (sizes[f] >= 0) fits = !__builtin_mul_overflow(known, sizes[f], &known) && fits;
        else which = f, unknown++;
    }
    if (!fits) return misfit(b, rule, "the sizes of the letters in parentheses have no product below 2^63"), 0;
    if (unknown > 1) return unknown;
    bool divides = known ? whole % known == 0 : whole == 0;
    if (unknown == 0 ? known != whole : !divides) misfit(b, rule, "two dimensions of one letter differ in size");
    else if (unknown) sizes[which] = known ? whole / known : 0;
    return 0;
}

/* Visits every dimension once. Returns how many letters are unknown, counted at each occurrence. */
static uint32_t look_at_sizes(weft_rule_builder *b, const weft_rule_text *rule, int64_t *sizes) {
    uint32_t unknown = 0;
    for (uint32_t t = 0; t < b->tensor_count; t++) {
        const text_tensor *tensor = tensor_of(b, rule, t);
        if (tensor->rank != weft_rule_rank(b, t)) misfit(b, rule, "the ranks differ");
        for (uint32_t d = 0; b->status == WEFT_OK && d < tensor->rank; d++)
            unknown += solve(b, rule, rule->dims[tensor->first + d], b->types[t]->dims[d], sizes);
    }
    return b->status == WEFT_OK ? unknown : 0;
}

static void find_sizes(weft_rule_builder *b, const weft_rule_text *rule, int64_t *sizes) {
    uint32_t before = UINT32_MAX, unknown;
    while ((unknown = look_at_sizes(b, rule, sizes)) && unknown < before) before = unknown;
    if (unknown) misfit(b, rule, "sizes of letters in parentheses do not follow from the others");
}

static weft_factor_kind kind_of(const weft_rule_text *rule, uint32_t f) {
    return weft_bits_has(rule->reduced, f)      ? WEFT_FACTOR_REDUCTION
           : weft_bits_has(rule->replicated, f) ? WEFT_FACTOR_REPLICATED
           : weft_bits_has(rule->permuted, f)   ? WEFT_FACTOR_PERMUTATION
                                                : WEFT_FACTOR_PASS;
}

/* Letters with a part in dim: of several, those of size 1 have none. */
static weft_bits parts_of(const weft_rule_text *rule, text_dim dim, const int64_t *sizes) {
    weft_bits parts = 0;
    for (uint32_t k = 0; k < dim.n; k++) {
        uint32_t f = rule->letters[dim.first + k];
        if (sizes[f] != 1) parts |= weft_bit(f);
    }
    return parts ? parts : weft_bit(rule->letters[dim.first]);
}

/* A factor for each letter that has a part anywhere; number[letter]. */
static void make_factors(weft_rule_builder *b, const weft_rule_text *rule, const int64_t *sizes, uint32_t *number) {
    weft_bits used = 0;
    for (uint32_t t = 0; t < b->tensor_count; t++)
        for (uint32_t d = 0; d < tensor_of(b, rule, t)->rank; d++)
            used |= parts_of(rule, rule->dims[tensor_of(b, rule, t)->first + d], sizes);
    for (uint32_t f = 0; f < rule->letter_count; f++)
        if (weft_bits_has(used, f))
            number[f] = weft_rule_factor(b, sizes[f], kind_of(rule, f),
                                         weft_bits_has(rule->blocked, f) ? WEFT_RULE_BLOCKED : WEFT_RULE_FLOWS);
}

void weft_rule_text_build(weft_rule_builder *b, const weft_rule_text *rule) {
    int64_t sizes[WEFT_MAX_FACTORS];
    uint32_t number[WEFT_MAX_FACTORS];
    if (!tensors_fit(b, rule)) return;
    for (uint32_t f = 0; f < WEFT_MAX_FACTORS; f++) sizes[f] = -1;
    b->registered = true;
    find_sizes(b, rule, sizes);
    if (b->status == WEFT_OK) make_factors(b, rule, sizes, number);
    for (uint32_t t = 0; b->status == WEFT_OK && t < b->tensor_count; t++) {
        const text_tensor *tensor = tensor_of(b, rule, t);
        for (uint32_t d = 0; d < tensor->rank; d++) {
            text_dim dim = rule->dims[tensor->first + d];
            weft_bits parts = parts_of(rule, dim, sizes);
            for (uint32_t k = 0; k < dim.n; k++)
                if (weft_bits_has(parts, rule->letters[dim.first + k]))
                    weft_rule_map(b, t, d, number[rule->letters[dim.first + k]]);
        }
    }
}
