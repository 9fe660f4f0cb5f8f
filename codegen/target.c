/* target.c: see target.h. */
#include <string.h>
#include "codegen/target.h"

bool cg_target_multiplies_bf16(const char *cpu) {
    if (cpu) return strstr(cpu, ",+avx512bf16") != NULL;
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16");
#else
    return false;
#endif
}
