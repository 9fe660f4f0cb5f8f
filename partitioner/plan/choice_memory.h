/* choice_memory.h: choices that were made before, found again by all that they depend on.
 *
 * A network repeats its layers, and a module is planned several times: nearly every request (factor_choice.h) was
 * answered already, for this op or for another like it. What a choice asks of an op itself is its class: kind, rule,
 * types, which operands are one value, and what column `local` says of it. Ops that talk while they work look at their
 * attributes, so each is a class of its own, but where the rule says all that counts. All else is in the request: where
 * the operands are, where the results are wanted. Class and request are written down as words; equal words, equal
 * choice.
 *
 * How far propagation is trusted is no part of the words, since most choices do not depend on it: an answer says for
 * which trust it holds.
 */
#ifndef WEFT_PARTITIONER_CHOICE_MEMORY_H
#define WEFT_PARTITIONER_CHOICE_MEMORY_H

#include "partitioner/plan/factor_choice.h"

/* Ops that are shared alike when their operands and results lie alike. */
typedef struct weft_choice_class {
    uint32_t number;
    const weft_rule *rule;
    const weft_local *local;
    weft_bits allowed;                 /* factors that may be split */
    weft_bits uneven;                  /* of these, such that may leave padding */
    weft_bits places;                  /* such that are no work */
    /* by operands, then results: the first one whose dimensions are the same factors and sizes */
    const uint32_t *alike;
    weft_partial partial;
    weft_linearity linear, terms;    /* terms: where its results are declared as such */
    /* a loop nest that is larger than any of its tensors: it can be shared in more ways than it was found to be */
    bool product;
} weft_choice_class;

/* The settings under which a choice was made. */
typedef struct weft_choice_mode { double trust; bool wide; } weft_choice_mode;
typedef enum weft_choice_basis {
    WEFT_CHOICE_COMPARED,              /* the cheapest of several in this mode */
    WEFT_CHOICE_FREE                   /* nothing moves: in any mode in which nothing else is offered */
} weft_choice_basis;

/* A request as words. */
typedef struct weft_choice_key {
    uint32_t *words;
    uint32_t n;
    uint64_t hash;
    const weft_choice_class *of;
    const weft_op *op;
} weft_choice_key;

typedef struct weft_choice_memory weft_choice_memory;

/* For the ops of m; lives in the arena. */
weft_status weft_choice_memory_open(const weft_module *m, weft_arena *arena, weft_choice_memory **out);

weft_status weft_choice_class_of(weft_choice_memory *y, const weft_op *op, const weft_rule *rule,
                                 const weft_choice_class **out);
/* key: on scratch memory. */
weft_status weft_choice_key_of(weft_choice_memory *y, const weft_choice_class *of, const weft_choice_request *r,
                               weft_choice_key *key);
/* Whether there is an answer; then *out, whose arrays the caller gives, is it. */
bool weft_choice_recall(const weft_choice_memory *y, const weft_choice_key *key, weft_choice_mode mode,
                        weft_choice *out);
weft_status weft_choice_remember(weft_choice_memory *y, const weft_choice_key *key, weft_choice_mode mode,
                                 weft_choice_basis basis, const weft_choice *c);

#endif
