/* random.h: random bits as graph nodes, so that they fuse with what uses them.
 *
 * Counter-based generators (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a block cipher of
 * an element's number, so that every element is computed alone. Which words of which counter go to which element is
 * XLA's choice (its CPU back end is what users compare with, bit for bit):
 *
 *   state    ui64[k], ui64[0] is the key, the rest the counter. Threefry: one word. Philox: two, low word first, or one
 *            of two words in all, where the counter's high word is the key. ui32 states hold the same words, low halves
 *            first.
 *   Threefry 2x32, 20 rounds. Counter + i, split into halves, gives two 32-bit words: one element of 64 bits, or one of
 *   each
 *            half of the result along its first even (else its largest) dimension, the halves interleaved.
 *   Philox   4x32, 10 rounds. Counter + i gives four words: four elements of 32 bits, two of 64, in row-major order.
 *   Narrow elements are the low bits of 32-bit ones.
 */
#ifndef WEFT_CODEGEN_RANDOM_H
#define WEFT_CODEGEN_RANDOM_H

#include "codegen/graph.h"

typedef enum cg_generator { CG_THREEFRY, CG_PHILOX } cg_generator;

/* Two or three 64-bit words, rank 0. */
typedef struct cg_random_state { cg_node *word[3]; uint32_t count; } cg_random_state;

/* state as it stands in a program's tensor, and back. */
cg_random_state cg_random_words(cg_graph *g, cg_node *state);
cg_node *cg_random_tensor(cg_graph *g, const cg_random_state *s, const cg_node *like);

/* dims elements of t (any type of 8, 16, 32 or 64 bits), of which each bit is random; s moves on. NULL after a failure.
 */
cg_node *cg_random_bits(cg_graph *g, cg_generator how, cg_random_state *s, weft_dtype t, uint32_t rank,
                        const int64_t *dims);

#endif
