/* quick.c: see quick.h. */
#include "runtime/quick.h"
#include "exec/kernels/kernels.h"

static const double quick_s = 5e-5, flops_per_s = 1e9, bytes_per_s = 2e9;

double weft_work_s(const weft_work *w) { return w->flops / flops_per_s + w->bytes / bytes_per_s; }

static bool is_own(const weft_code *code) {
    const weft_kernel *k = code->kernel ? weft_kernel_find(&weft_kernels, code->kernel) : NULL;
    bool own = !code->kernel || (k && !(k->flags & WEFT_KERNEL_CALLS_BACK));
    for (uint32_t i = 0; i < code->call_count && own; i++) own = is_own(&code->calls[i]);
    return own;
}

bool weft_executable_is_quick(const weft_executable *x) {
    const weft_work w = weft_plan_work(&x->plan);
    for (uint32_t i = 0; i < x->step_count; i++)
        if (x->steps[i].coll || !is_own(&x->steps[i].code)) return false;
    return w.known && weft_work_s(&w) * (double)x->device_count < quick_s;
}
