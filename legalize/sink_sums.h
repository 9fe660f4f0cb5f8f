/* sink_sums.h: shared by the files of weft-sink-loop-sums (inside legalize/ only). */
#ifndef WEFT_LEGALIZE_SINK_SUMS_H
#define WEFT_LEGALIZE_SINK_SUMS_H

#include "legalize/steps.h"

typedef struct lg_stack lg_stack;
typedef struct lg_sum lg_sum;

/* An array of a value of the body, an element per iteration, that the loop is to carry. */
struct lg_stack {
    const weft_value *v;
    uint32_t readers;        /* factors of sums that are taken */
    weft_value *arg, *all;   /* in the new module: the body's argument, the loop's result */
    lg_stack *next;
};

struct lg_sum {
    uint32_t index;          /* of the value that the loop carries */
    const weft_op *add;      /* adds the term to it */
    const weft_value *term;
    const weft_op *core;     /* a dot_general, or a reduce that adds: sums commute with what makes the term of it */
    lg_stack *stacks[2];     /* of its factors, its first operands; NULL: a row in the loop's direction */
    bool taken;
    lg_sum *next;
};

/* How many of its core's operands are added up over: the two of a product, the one of a sum. */
static inline uint32_t lg_factors(const lg_sum *sum) { return sum->core->kind == WEFT_OP_dot_general ? 2 : 1; }

typedef struct lg_sunk {     /* a loop */
    lg_count count;
    lg_direction direction;  /* of its arrays */
    lg_sum *sums;
    lg_stack *stacks;
    lg_sum **of_value;       /* by number of a carried value: the sum that takes its place, or NULL */
} lg_sunk;

typedef struct lg_sinker {
    weft_arena *arena;
    lg_steps steps;
    lg_sunk **of_loop;       /* by op id, of a loop */
    lg_sunk **of_end;        /* by op id, of what ends its body */
} lg_sinker;

/* Takes the sums that are worth it (sink_worth.c). */
void lg_sums_choose(lg_steps *s, lg_sunk *k);

#endif
