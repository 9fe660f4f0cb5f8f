/* inputs.c: see inputs.h. */
#include <stdlib.h>
#include "tests/exec/inputs.h"
#include "tests/exec/steps.h"

/* f32 in steps of 1/16 between -3 and 3; i32 from 0 to 6. */
static void fill(const weft_exec_value *v, void *p) {
    for (int64_t i = 0; i < v->bytes / 4; i++) {
        if (v->dtype == WEFT_F32) ((float *)p)[i] = (float)(i * 37 % 97 - 48) / 16;
        else ((int32_t *)p)[i] = (int32_t)(3 + i * 5) % 7;
    }
}

bool inputs_make(const weft_executable *x, inputs *out) {
    *out = (inputs){ { NULL }, { NULL } };
    if (x->arg_count > INPUTS_MOST || x->result_count > INPUTS_MOST) return false;
    for (uint32_t i = 0; i < x->arg_count; i++) {
        if (x->args[i].dtype != WEFT_F32 && x->args[i].dtype != WEFT_I32) return false;
        fill(&x->args[i], out->args[i] = steps_buffer((size_t)x->args[i].bytes));
    }
    for (uint32_t i = 0; i < x->result_count; i++) {
        if (x->results[i].alias >= 0) return false;
        out->results[i] = steps_buffer((size_t)x->results[i].bytes);
    }
    return true;
}

void inputs_free(inputs *in) {
    for (int i = 0; i < INPUTS_MOST; i++) free(in->args[i]), free(in->results[i]);
}
