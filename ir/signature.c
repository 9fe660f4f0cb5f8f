/* signature.c: see signature.h. */
#include "ir/signature.h"
#include <limits.h>
#include <string.h>

static weft_dtype dtype_of(weft_dtype type, char letter) {
    const bool wide = type == WEFT_F64 || type == WEFT_C128;
    switch (letter) {
    case 'R': return wide ? WEFT_F64 : WEFT_F32;
    case 'C': return wide ? WEFT_C128 : WEFT_C64;
    case 'I': return WEFT_I32;
    default: return type;
    }
}

static bool dim_is(weft_signature_dims *s, char letter, int64_t size) {
    const int64_t m = s->dim['m' - 'a'], n = s->dim['n' - 'a'];
    if (size > INT_MAX - 64) return false;
    if (letter == 'p') return size == weft_min_i64(m, n);
    if (letter == 'q') return size == weft_max_i64(n - 1, 0);
    int64_t *known = &s->dim[letter - 'a'];
    if (*known < 0) *known = size;
    return *known == size;
}

static bool value_is(weft_signature_dims *s, weft_dtype type, const char *word, const weft_type *t) {
    const uint32_t rank = (uint32_t)strcspn(word, " ") - 1;
    if (!weft_type_is_tensor(t) || t->dtype != dtype_of(type, word[0]) || t->rank < rank) return false;
    if (!s->batch) {
        s->batch = t->dims;
        s->batch_rank = t->rank - rank;
    }
    if (t->rank != s->batch_rank + rank || memcmp(t->dims, s->batch, s->batch_rank * sizeof *t->dims)) return false;
    for (uint32_t d = 0; d < rank; d++)
        if (!dim_is(s, word[1 + d], t->dims[s->batch_rank + d])) return false;
    return true;
}

static const char *next_word(const char *p) {
    p += strcspn(p, " ");
    return p + strspn(p, " >");
}

static uint32_t words(const char *p, char end) {
    uint32_t n = 0;
    for (; *p && *p != end; p += strspn(p, " ")) n++, p += strcspn(p, " ");
    return n;
}

bool weft_signature_fits(const weft_op *op, const char *signature, weft_dtype type, weft_signature_dims *dims,
                         weft_signature_miss *miss) {
    weft_signature_miss unread;
    if (!miss) miss = &unread;
    *miss = (weft_signature_miss){ .word = signature };
    *dims = (weft_signature_dims){ 0 };
    for (size_t i = 0; i < WEFT_COUNT(dims->dim); i++) dims->dim[i] = -1;
    if (op->operand_count != words(signature, '>') || op->result_count != words(strchr(signature, '>') + 2, 0))
        return false;
    miss->side = "operand";
    for (miss->i = 0; miss->i < op->operand_count; miss->i++, miss->word = next_word(miss->word))
        if (!value_is(dims, type, miss->word, op->operands[miss->i]->type)) return false;
    miss->side = "result";
    for (miss->i = 0; miss->i < op->result_count; miss->i++, miss->word = next_word(miss->word))
        if (!value_is(dims, type, miss->word, op->results[miss->i].type)) return false;
    return true;
}

const weft_attr *weft_custom_call_configs(const weft_op *op) {
    const weft_attr *config = weft_op_attr(op, WEFT_A_backend_config);
    if (!config || config->kind != WEFT_ATTR_DICT) config = weft_op_attr(op, WEFT_A_mhlo_backend_config);
    if (!config) config = weft_op_attr_named(op, "mhlo.attributes");
    return config && config->kind == WEFT_ATTR_DICT ? config : NULL;
}

const weft_attr *weft_custom_call_config(const weft_op *op, const char *name) {
    return weft_dict_get_named(weft_custom_call_configs(op), name);
}

char weft_custom_call_letter(const weft_op *op, const char *name, const char *allowed) {
    const weft_attr *a = weft_custom_call_config(op, name);
    return a && a->kind == WEFT_ATTR_INT && a->i > 0 && a->i < 128 && strchr(allowed, (int)a->i) ? (char)a->i : 0;
}
