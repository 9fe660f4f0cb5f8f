/* target.c: see target.h. */
#include <string.h>
#include "base/nearest.h"
#include "codegen/target.h"
#include "exec/cpu.h"

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

/* Every x86-64 processor has these. */
static bool is_base(weft_str name) {
    static const char *const base[] = { "64bit", "cmov", "cx8", "fxsr", "mmx", "sse", "sse2", "x87" };
    for (size_t i = 0; i < WEFT_COUNT(base); i++)
        if (weft_str_is(name, base[i])) return true;
    return false;
}

static bool is_known(weft_str name) {
    const char *f;
    for (size_t i = 0; (f = weft_cpu_feature(i)); i++)
        if (weft_str_is(name, f)) return true;
    return false;
}

static bool is_wanted(weft_str entry) {
    const weft_str name = { entry.p + 1, entry.n - 1 };
    return entry.n > 1 && entry.p[0] == '+' && is_known(name) && !weft_str_is(name, "avx512fp16");
}

/* The next entry of a list, which is moved past it. */
static weft_str next_entry(const char **list) {
    const weft_str entry = { *list, strcspn(*list, ",") };
    *list += entry.n + ((*list)[entry.n] == ',');
    return entry;
}

static void put_entry(weft_buf *b, char sign, weft_str name) {
    weft_buf_printf(b, "%s%c%.*s", b->n ? "," : "", sign, WEFT_STR_ARG(name));
}

static void put_features(weft_buf *features, weft_buf *needs, const char *list, bool whole) {
    const char *f;
    for (size_t i = 0; whole && (f = weft_cpu_feature(i)); i++) put_entry(features, '-', weft_str_from(f));
    while (*list) {
        const weft_str entry = next_entry(&list);
        if (entry.n < 2) continue;
        const weft_str name = { entry.p + 1, entry.n - 1 };
        if (is_base(name)) continue;
        /* no instructions of its own, but that others may have 512 bits: to take it away would halve all vectors */
        if (entry.p[0] == '+' && weft_str_is(name, "evex512")) continue;
        const bool wanted = is_wanted(entry);
        put_entry(features, wanted ? '+' : '-', name);
        if (wanted) put_entry(needs, '+', name);
    }
}

weft_status cg_target_features(weft_arena *arena, const char *list, bool whole, char **features, char **needs) {
    weft_buf f, n;
    weft_buf_init(&f, &arena->alloc);
    weft_buf_init(&n, &arena->alloc);
    put_features(&f, &n, list, whole);
    *features = weft_arena_strdup(arena, f.n ? f.p : "", f.n);
    *needs = weft_arena_strdup(arena, n.n ? n.p : "", n.n);
    const bool failed = f.failed || n.failed || !*features || !*needs;
    weft_buf_free(&f);
    weft_buf_free(&n);
    return failed ? weft_oom() : WEFT_OK;
}

bool cg_target_multiplies_bf16(const char *cpu) {
    if (cpu) return strstr(cpu, ",+avx512bf16") != NULL;
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16");
#else
    return false;
#endif
}
