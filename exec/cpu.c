/* cpu.c: what CPUID says (Intel SDM 2A, CPUID; AMD APM 3, appendix E), and of aarch64 what Linux says in AT_HWCAP. */
#include <string.h>
#include "exec/cpu.h"

#if defined __x86_64__
#include <cpuid.h>

typedef enum reg { EAX, EBX, ECX, EDX } reg;
/* Registers that the system must save, as bits of XCR0: AVX's, AVX-512's, AMX's. */
enum { NO_STATE = 0, YMM = 0x6, ZMM = 0xe6, TILES = 0x60000 };

typedef struct feature {
    const char *name;
    uint32_t leaf, subleaf;
    reg reg;
    uint8_t bit;
    uint32_t state;
} feature;

static const feature features[] = {
    { "cx16", 1, 0, ECX, 13, NO_STATE },
    { "sse3", 1, 0, ECX, 0, NO_STATE },
    { "ssse3", 1, 0, ECX, 9, NO_STATE },
    { "sse4.1", 1, 0, ECX, 19, NO_STATE },
    { "sse4.2", 1, 0, ECX, 20, NO_STATE },
    { "crc32", 1, 0, ECX, 20, NO_STATE },
    { "popcnt", 1, 0, ECX, 23, NO_STATE },
    { "movbe", 1, 0, ECX, 22, NO_STATE },
    { "pclmul", 1, 0, ECX, 1, NO_STATE },
    { "aes", 1, 0, ECX, 25, NO_STATE },
    { "rdrnd", 1, 0, ECX, 30, NO_STATE },
    { "xsave", 1, 0, ECX, 27, NO_STATE },
    { "sahf", 0x80000001, 0, ECX, 0, NO_STATE },
    { "lzcnt", 0x80000001, 0, ECX, 5, NO_STATE },
    { "sse4a", 0x80000001, 0, ECX, 6, NO_STATE },
    { "prfchw", 0x80000001, 0, ECX, 8, NO_STATE },
    { "tbm", 0x80000001, 0, ECX, 21, NO_STATE },
    { "fsgsbase", 7, 0, EBX, 0, NO_STATE },
    { "bmi", 7, 0, EBX, 3, NO_STATE },
    { "bmi2", 7, 0, EBX, 8, NO_STATE },
    { "rdseed", 7, 0, EBX, 18, NO_STATE },
    { "adx", 7, 0, EBX, 19, NO_STATE },
    { "sha", 7, 0, EBX, 29, NO_STATE },
    { "movdiri", 7, 0, ECX, 27, NO_STATE },
    { "movdir64b", 7, 0, ECX, 28, NO_STATE },
    { "avx", 1, 0, ECX, 28, YMM },
    { "f16c", 1, 0, ECX, 29, YMM },
    { "fma", 1, 0, ECX, 12, YMM },
    { "xop", 0x80000001, 0, ECX, 11, YMM },
    { "fma4", 0x80000001, 0, ECX, 16, YMM },
    { "avx2", 7, 0, EBX, 5, YMM },
    { "gfni", 7, 0, ECX, 8, NO_STATE },
    { "vaes", 7, 0, ECX, 9, YMM },
    { "vpclmulqdq", 7, 0, ECX, 10, YMM },
    { "sha512", 7, 1, EAX, 0, YMM },
    { "sm3", 7, 1, EAX, 1, YMM },
    { "sm4", 7, 1, EAX, 2, YMM },
    { "avxvnni", 7, 1, EAX, 4, YMM },
    { "avxifma", 7, 1, EAX, 23, YMM },
    { "avxvnniint8", 7, 1, EDX, 4, YMM },
    { "avxneconvert", 7, 1, EDX, 5, YMM },
    { "avxvnniint16", 7, 1, EDX, 10, YMM },
    { "avx512f", 7, 0, EBX, 16, ZMM },
    { "avx512dq", 7, 0, EBX, 17, ZMM },
    { "avx512ifma", 7, 0, EBX, 21, ZMM },
    { "avx512cd", 7, 0, EBX, 28, ZMM },
    { "avx512bw", 7, 0, EBX, 30, ZMM },
    { "avx512vl", 7, 0, EBX, 31, ZMM },
    { "avx512vbmi", 7, 0, ECX, 1, ZMM },
    { "avx512vbmi2", 7, 0, ECX, 6, ZMM },
    { "avx512vnni", 7, 0, ECX, 11, ZMM },
    { "avx512bitalg", 7, 0, ECX, 12, ZMM },
    { "avx512vpopcntdq", 7, 0, ECX, 14, ZMM },
    { "avx512vp2intersect", 7, 0, EDX, 8, ZMM },
    { "avx512fp16", 7, 0, EDX, 23, ZMM },
    { "avx512bf16", 7, 1, EAX, 5, ZMM },
    { "amx-bf16", 7, 0, EDX, 22, TILES },
    { "amx-tile", 7, 0, EDX, 24, TILES },
    { "amx-int8", 7, 0, EDX, 25, TILES },
    { "amx-fp16", 7, 1, EAX, 21, TILES },
    { "amx-complex", 7, 1, EDX, 8, TILES },
};

static uint64_t saved_state(void) {
    uint32_t r[4] = { 0 };
    __get_cpuid(1, &r[EAX], &r[EBX], &r[ECX], &r[EDX]);
    if (!(r[ECX] >> 27 & 1)) return 0; /* OSXSAVE */
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static bool has(const feature *f) {
    uint32_t r[4] = { 0 };
    if (!__get_cpuid_count(f->leaf, f->subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX])) return false;
    return r[f->reg] >> f->bit & 1 && (saved_state() & f->state) == f->state;
}

/* Family, model and stepping are in EAX of leaf 1. */
void weft_cpu_print(weft_buf *out) {
    uint32_t r[4] = { 0 }, vendor[3];
    __get_cpuid(0, &r[EAX], &vendor[0], &vendor[2], &vendor[1]);
    weft_buf_put(out, (const char *)vendor, sizeof vendor);
    __get_cpuid(1, &r[EAX], &r[EBX], &r[ECX], &r[EDX]);
    const uint32_t a = r[EAX];
    weft_buf_printf(out, " %u %u %u", (a >> 8 & 15) + (a >> 20 & 255), (a >> 4 & 15) + (a >> 12 & 0xf0), a & 15);
}

#elif defined __aarch64__
#include <stdio.h>
#include <sys/auxv.h>

/* In AT_HWCAP, or in AT_HWCAP2: the kernel's uapi/asm/hwcap.h. */
typedef struct feature { const char *name; uint8_t bit; bool second; } feature;
static const feature features[] = {
    { "fp-armv8", 0, false }, { "neon", 1, false },    { "aes", 3, false },     { "sha2", 6, false },
    { "crc", 7, false },      { "lse", 8, false },     { "fullfp16", 10, false }, { "rdm", 12, false },
    { "jsconv", 13, false },  { "complxnum", 14, false }, { "rcpc", 15, false }, { "sha3", 17, false },
    { "sm4", 19, false },     { "dotprod", 20, false }, { "sve", 22, false },   { "fp16fml", 23, false },
    { "sve2", 1, true },      { "i8mm", 13, true },    { "bf16", 14, true },
};

static bool has(const feature *f) {
    return getauxval(f->second ? AT_HWCAP2 : AT_HWCAP) >> f->bit & 1;
}

/* The main identification register, where the kernel shows it. */
void weft_cpu_print(weft_buf *out) {
    FILE *f = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "r");
    char midr[32] = "unknown";
    if (f) {
        if (!fgets(midr, sizeof midr, f)) memcpy(midr, "unknown", sizeof "unknown");
        fclose(f);
    }
    midr[strcspn(midr, "\n")] = '\0';
    weft_buf_puts(out, midr);
}

#else
typedef struct feature { const char *name; } feature;
static const feature features[] = { { "none" } };
static bool has(const feature *f) {
    (void)f;
    return false;
}
void weft_cpu_print(weft_buf *out) { weft_buf_puts(out, "another"); }
#endif

void weft_cpu_print_whole(weft_buf *out) {
    weft_cpu_print(out);
    for (size_t i = 0; i < WEFT_COUNT(features); i++)
        if (weft_cpu_has(i)) weft_buf_printf(out, " %s", features[i].name);
}

const char *weft_cpu_feature(size_t i) { return i < WEFT_COUNT(features) ? features[i].name : NULL; }

bool weft_cpu_has(size_t i) { return i < WEFT_COUNT(features) && has(&features[i]); }

static bool has_named(weft_str name) {
    for (size_t i = 0; i < WEFT_COUNT(features); i++)
        if (weft_str_is(name, features[i].name)) return has(&features[i]);
    return false;
}

weft_str weft_cpu_lacks(const char *list) {
    while (*list) {
        const size_t n = strcspn(list, ",");
        if (n > 1 && *list == '+' && !has_named((weft_str){ list + 1, n - 1 })) return (weft_str){ list + 1, n - 1 };
        list += n + (list[n] == ',');
    }
    return (weft_str){ NULL, 0 };
}
