/* gen_control.c: column `gen` of loops and branches. */
#include "codegen/import.h"

weft_status weft_gen_while(cg_import *im, const weft_op *op) { return weft_gen_unsupported(im, op); }
weft_status weft_gen_case(cg_import *im, const weft_op *op) { return weft_gen_unsupported(im, op); }
weft_status weft_gen_if(cg_import *im, const weft_op *op) { return weft_gen_unsupported(im, op); }
