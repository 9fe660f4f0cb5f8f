/* dump.h: what code generation has decided, as text for people and for tests. Private to codegen/; asked for by
 * weft_compile_options.dump.
 *
 * Values in memory have names: arg0 of @main, carried0 of a loop or branch, and v0, v1 ... in the order in which they
 * are first written. Lines of blocks inside a loop or branch are indented below its line.
 *
 *   clusters   kernels: what each writes, its scalar ops by passes over a row ("|" is between two), what it reads
 *   storage    of every value what it must or may lie in, where its unit reads that; of every result what hands its
 *              memory on to it, and the argument that it is to lie in
 *   order      every unit of execution as it runs, collectives with their starts and ends
 *   buffers    every value and scratch area: bytes, memory, and the units from the one that writes it to the last one
 *              that reads it
 *   steps      the executable's steps: label and slices, and the argument that a result lies in
 */
#ifndef WEFT_CODEGEN_DUMP_H
#define WEFT_CODEGEN_DUMP_H

#include "codegen/lower.h"

/* Writes what l->opt->dump asks for to l->opt->dumped. main: the layout of @main's block, lowered. */
weft_status cg_dump(cg_lowering *l, const cg_layout *main);

#endif
