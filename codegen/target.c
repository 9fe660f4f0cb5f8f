/* target.c: see target.h. */
#include <string.h>
#include "base/nearest.h"
#include "codegen/target.h"

typedef struct target { const char *name, *llvm; } target;
static const target targets[] = {
#define TARGET(name, llvm) { name, llvm },
#include "codegen/targets.def"
#undef TARGET
};

weft_status cg_target_find(weft_context *cx, const char *name, const char **cpu) {
    *cpu = name;
    if (!name || strchr(name, ',')) return WEFT_OK;
    weft_nearest near = weft_nearest_to(weft_str_from(name));
    for (size_t i = 0; i < WEFT_COUNT(targets); i++) {
        if (!strcmp(targets[i].name, name)) {
            *cpu = targets[i].llvm;
            return WEFT_OK;
        }
        weft_nearest_offer(&near, weft_str_from(targets[i].name));
    }
    return weft_report(cx, WEFT_D_usage, NULL, "there is no processor '%s'" WEFT_NEAREST, name, WEFT_NEAREST_ARG(near));
}

bool cg_target_multiplies_bf16(const char *cpu) {
    if (cpu) return strstr(cpu, ",+avx512bf16") != NULL;
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16");
#else
    return false;
#endif
}
