/* sort.h: sort and top_k (exec/kernels/sort.h) as nodes. */
#ifndef WEFT_CODEGEN_SORT_H
#define WEFT_CODEGEN_SORT_H

#include "codegen/import.h"
#include "exec/kernels/sort.h"

/* The keys by which a comparator orders, at most WEFT_SORT_KEYS; 0 when it has to be asked. */
uint32_t cg_sort_keys(const cg_block *body, weft_sort_key *keys);

/* Operand 0's k first along its last dimension and their indices, as the op's two results. */
typedef enum cg_top_k_order { CG_TOP_K_SMALLEST, CG_TOP_K_LARGEST } cg_top_k_order;
weft_status cg_top_k_make(cg_import *im, const weft_op *op, int64_t k, cg_top_k_order order);

#endif
