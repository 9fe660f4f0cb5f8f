/* plan_text.h: a plan as text that people read, and that is read back to be followed. docs/partitioner.md says what is
 * in it.
 */
#ifndef WEFT_PARTITIONER_PLAN_TEXT_H
#define WEFT_PARTITIONER_PLAN_TEXT_H

#include "partitioner/plan/layout_planner.h"

/* The place of op as a plan names it; and the mesh. */
void weft_plan_print_place(weft_buf *b, const weft_op *op);
void weft_plan_print_mesh(const weft_placements *t, weft_buf *b);
/* Appends the plan to b. */
weft_status weft_plan_print(const weft_layout_plan *p, weft_placements *t, weft_buf *b);
/* What both cost, and the ops that they do in different ways. Both are of one module. */
weft_status weft_plan_print_difference(const weft_layout_plan *p, const weft_layout_plan *stored, weft_placements *t,
                                       weft_buf *b);

/* What the text says of m's ops: file names it in messages. Reports a text that is no plan, an op that m does not have,
 * a sharding that its value cannot have. *out lives in the arena. */
weft_status weft_plan_read(weft_str text, const char *file, const weft_module *m, weft_placements *t,
                           weft_arena *arena, weft_forced_plan **out);
/* The same of a file; an empty path: *out is NULL. */
weft_status weft_plan_read_file(weft_str path, const weft_module *m, weft_placements *t, weft_arena *arena,
                                weft_forced_plan **out);

#endif
