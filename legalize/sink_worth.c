/* sink_worth: which sums of a loop weft-sink-loop-sums takes.
 *
 * In the loop a sum costs in each iteration its product, and the addition to the sum in memory. After the loop it costs
 * one product, and in the loop the writing of the arrays that only it needs, which are filled first. Sums are taken
 * together, since they may share arrays, and left one after the other while one saves less than its share of its time
 * (cost `stack-gain`). Then, while the arrays take more memory than the loop may hold by them (cost `hold-growth`), the
 * sum that saves least is left. A sum along dimensions reads its rows once, in the loop or after it: it gains where an
 * array is there anyway. The loop is then left with kernels whose rows threads share, which a sum of rows does not let
 * them: of an LSTM's gradient (bench/models lstm, two cores with AVX-512) a step takes 74.7 ms instead of 77.7.
 */
#include "cost/op.h"
#include "legalize/sink_sums.h"

static double bytes_of(const lg_count *c, const lg_stack *t) { return (double)c->n * lg_bytes(t->v); }

/* Seconds in the loop, and after it. */
static void times(const lg_steps *s, const lg_count *c, const lg_sum *sum, double *before, double *after) {
    const bool is_product = lg_factors(sum) == 2;
    const double n = (double)c->n, carried = lg_bytes(&sum->add->results[0]);
    double read = 0;
    weft_op_cost work;
    (void)weft_cost_op(sum->core, &work);
    for (uint32_t f = 0; f < lg_factors(sum); f++) read += lg_bytes(sum->core->operands[f]);
    const double result = is_product ? lg_bytes(&sum->core->results[0]) : 0,
                 add = lg_seconds(s->machine, 0, 3 * carried);
    *before = n * (lg_seconds(s->machine, work.flops, read + result) + add);
    *after = lg_seconds(s->machine, n * work.flops, n * read + result) + add;
}

static double seconds_to_write(const lg_steps *s, const lg_count *c, const lg_stack *t) {
    return lg_seconds(s->machine, 0, 2 * bytes_of(c, t));
}

/* What taking the sum saves beyond its share, of the sums that are taken. */
static double gain_of(const lg_steps *s, const lg_count *c, const lg_sum *sum) {
    double before, after;
    times(s, c, sum, &before, &after);
    for (uint32_t f = 0; f < lg_factors(sum); f++) {
        const lg_stack *t = sum->stacks[f];
        if (!t || (f && t == sum->stacks[0])) continue;
        const uint32_t own = f + 1 < lg_factors(sum) && t == sum->stacks[1] ? 2 : 1;
        if (t->readers == own) after += seconds_to_write(s, c, t);
    }
    return before - after - s->machine->costs.stack_gain * before;
}

static void set(lg_sum *sum, bool taken) {
    for (uint32_t f = 0; f < lg_factors(sum); f++)
        if (sum->stacks[f]) sum->stacks[f]->readers += taken ? 1 : -1u;
    sum->taken = taken;
}

/* The one of those taken that saves least. */
static lg_sum *least(const lg_steps *s, const lg_sunk *k, double *gain) {
    lg_sum *worst = NULL;
    for (lg_sum *sum = k->sums; sum; sum = sum->next) {
        const double one = sum->taken ? gain_of(s, &k->count, sum) : 0;
        if (sum->taken && (!worst || one < *gain)) *gain = one, worst = sum;
    }
    return worst;
}

/* Bytes of arrays that the sums taken need, those that rows are copied to among them; and what all save together. */
static double weigh(const lg_steps *s, const lg_sunk *k, double *gain) {
    double bytes = 0;
    *gain = 0;
    for (const lg_sum *sum = k->sums; sum; sum = sum->next) {
        double before, after;
        if (!sum->taken) continue;
        times(s, &k->count, sum, &before, &after);
        *gain += before - after - s->machine->costs.stack_gain * before;
        for (uint32_t f = 0; f < lg_factors(sum); f++)
            if (!sum->stacks[f]) bytes += lg_rows_bytes(s, &k->count, sum->core->operands[f]);
    }
    for (const lg_stack *t = k->stacks; t; t = t->next) {
        if (!t->readers) continue;
        *gain -= seconds_to_write(s, &k->count, t);
        bytes += bytes_of(&k->count, t);
    }
    return bytes;
}

void lg_sums_choose(lg_steps *s, lg_sunk *k) {
    const double room = lg_loop_room(s, &k->count);
    double gain = 0, all = 0;
    for (lg_sum *sum = k->sums; sum; sum = sum->next) set(sum, true);
    for (lg_sum *worst; (worst = least(s, k, &gain)) && gain < 0;) set(worst, false);
    for (lg_sum *worst; weigh(s, k, &all) > room && (worst = least(s, k, &gain));) set(worst, false);
    (void)weigh(s, k, &all);
    for (lg_sum *sum = k->sums; sum && all < 0; sum = sum->next)
        if (sum->taken) set(sum, false);
}
