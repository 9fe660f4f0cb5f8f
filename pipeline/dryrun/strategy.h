/* strategy.h: the usual ways to split a training step, as annotations.
 *
 *     dp      data is split along its batch
 *     fsdp    the same; and every parameter with its state along the largest dimension that the axis divides
 *     zero1   the same for the optimizer's state only. Every device has the whole gradients (all_reduce), updates its
 *             part, and the new parameters are gathered
 *     zero2   the same, but each gradient is added up for its parts alone (reduce_scatter)
 *     tp      Megatron's (Shoeybi et al. 2019): of products that read one another's results the first has its matrix
 *             split by columns, the second by rows; and what shares these dimensions (heads, biases, the vocabulary)
 *     sp      its sequence parallelism (Korthikanti et al. 2022), on tp's axis: where tp adds up, parts of the sequence
 *     cp      data is split along its sequence
 *     ep      parameters along the dimension over which products batch them, and data along its batch
 *
 * "fsdp+tp" is both, each on an axis of the mesh; "fsdp:data+tp:model" names the axes. Without a name an axis is taken
 * that is called so (data, model, expert, seq, ...), else the first that is free.
 *
 * A tactic adds to what is there, so a strategy is a list of tactics. They see dimensions (dims.h), products and the
 * roles of arguments (roles.h), no names.
 */
#ifndef WEFT_PIPELINE_DRYRUN_STRATEGY_H
#define WEFT_PIPELINE_DRYRUN_STRATEGY_H

#include "pipeline/dryrun/roles.h"

typedef struct weft_strategist weft_strategist;

/* m: after weft-prepare, with one mesh and no shardings (annotate.h); it must live as long. In arena. */
weft_status weft_strategist_open(const weft_module *m, weft_arena *arena, weft_strategist **out);

/* "fsdp:data+tp". Mistakes are reported at loc. */
weft_status weft_strategist_add(weft_strategist *s, const weft_loc *loc, weft_str text);

/* A line of a tactics file: "AXIS STRATEGY" or "AXIS PATTERN DIMENSION", where the pattern is one of arguments
 * (arguments.h). Arguments whose dimension does not exist or has other axes are refused. */
weft_status weft_strategist_add_line(weft_strategist *s, const weft_loc *loc, weft_str line);

/* m with the shardings of all tactics so far: of every argument, and of the results that update them. */
weft_status weft_strategist_write(const weft_strategist *s, weft_module **out);

/* Two strategists of one program write the same if their keys are the same. */
typedef struct weft_strategist_key { uint64_t a, b; } weft_strategist_key;
weft_strategist_key weft_strategist_key_of(const weft_strategist *s);

const weft_roles *weft_strategist_roles(const weft_strategist *s);

#endif
