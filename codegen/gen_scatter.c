/* gen_scatter.c: column `gen` of scatter. */
#include "codegen/import.h"

weft_status weft_gen_scatter(cg_import *im, const weft_op *op) { return weft_gen_unsupported(im, op); }
