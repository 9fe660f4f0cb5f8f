/* llvm.c: see llvm.h. */
#include "codegen/llvm.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "codegen/emit.h"
#include "codegen/object.h"
#include "codegen/target.h"

struct cg_llvm {
    weft_context *cx;
    const cg_llvm_target *target;
    cg_emit e;
    LLVMTargetMachineRef machine;
};

static pthread_once_t targets_once = PTHREAD_ONCE_INIT;
static void init_targets(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
}

/* ---- the target ---- */

static uint32_t vector_bytes(const char *features) {
    if (strstr(features, "+avx512f,") && strstr(features, "+avx512vl")) return 64;
    return strstr(features, "+avx2") ? 32 : 16;
}

weft_status cg_llvm_target_of(weft_arena *arena, const char *cpu, cg_llvm_target *out) {
    const char *comma = cpu ? strchr(cpu, ',') : NULL;
    char *name = cpu ? NULL : LLVMGetHostCPUName(), *list = cpu ? NULL : LLVMGetHostCPUFeatures(), *features, *needs;
    const size_t n = comma ? (size_t)(comma - cpu) : strlen(cpu ? cpu : name);
    unsigned major, minor, patch;
    *out = (cg_llvm_target){ .cpu = weft_arena_strdup(arena, cpu ? cpu : name, n) };
    weft_status st = cg_target_features(arena, list ? list : comma ? comma + 1 : "", cpu != NULL, &features, &needs);
    if (st == WEFT_OK && !out->cpu) st = weft_oom();
    if (st == WEFT_OK) out->features = features, out->needs = needs, out->vector_bytes = vector_bytes(features);
    LLVMGetVersion(&major, &minor, &patch);
    snprintf(out->version, sizeof out->version, "%u.%u.%u", major, minor, patch);
    if (name) LLVMDisposeMessage(name);
    if (list) LLVMDisposeMessage(list);
    return st;
}

static weft_status make_machine(cg_llvm *l) {
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef target = NULL;
    weft_status st = WEFT_OK;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        st = weft_report(l->cx, WEFT_D_unsupported, NULL, "LLVM has no code generator for '%s': %s", triple, message);
        LLVMDisposeMessage(message);
    } else {
        l->machine = LLVMCreateTargetMachine(target, triple, l->target->cpu, l->target->features,
                                             LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
        if (!l->machine)
            st = weft_report(l->cx, WEFT_D_unsupported, NULL, "LLVM cannot generate code for cpu '%s'", l->target->cpu);
    }
    LLVMDisposeMessage(triple);
    return st;
}

weft_status cg_llvm_new(weft_context *cx, const cg_llvm_target *t, const cg_code_costs *costs, cg_llvm **out) {
    *out = NULL;
    pthread_once(&targets_once, init_targets);
    cg_llvm *l = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *l);
    if (!l) return weft_oom();
    *l = (cg_llvm){ .cx = cx, .target = t };
    l->e.costs = costs;
    l->e.vector_bytes = t->vector_bytes;
    const weft_status st = make_machine(l);
    if (st == WEFT_OK) *out = l;
    else cg_llvm_free(l);
    return st;
}

void cg_llvm_free(cg_llvm *l) {
    if (!l) return;
    weft_allocator alloc = l->cx->alloc;
    if (l->machine) LLVMDisposeTargetMachine(l->machine);
    alloc.resize(alloc.user, l, sizeof *l, 0);
}

/* ---- a function ---- */

static void begin_module(cg_llvm *l) {
    l->e.cx = LLVMContextCreate();
    l->e.module = LLVMModuleCreateWithNameInContext("weft", l->e.cx);
    l->e.b = LLVMCreateBuilderInContext(l->e.cx);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(l->machine);
    LLVMSetModuleDataLayout(l->e.module, layout);
    LLVMDisposeTargetData(layout);
    char *triple = LLVMGetTargetMachineTriple(l->machine);
    LLVMSetTarget(l->e.module, triple);
    LLVMDisposeMessage(triple);
}

static void end_module(cg_llvm *l) {
    LLVMDisposeBuilder(l->e.b);
    LLVMDisposeModule(l->e.module);
    LLVMContextDispose(l->e.cx);
    l->e.b = NULL, l->e.module = NULL, l->e.cx = NULL;
}

/* The kernels that a strand calls, each once, under the names that it calls them by, and for it alone. */
static weft_status emit_kernels(cg_llvm *l, const cg_function *all, const cg_strand *s) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < s->count && st == WEFT_OK; i++) {
        const cg_strand_step *x = &s->steps[i];
        char name[16];
        snprintf(name, sizeof name, "f%u", x->number);
        if (x->does != CG_STRAND_KERNEL || LLVMGetNamedFunction(l->e.module, name)) continue;
        st = cg_emit_kernel(&l->e, l->cx, all[x->number].kernel, all[x->number].splits, name);
        LLVMValueRef fn = LLVMGetNamedFunction(l->e.module, name);
        if (fn) LLVMSetLinkage(fn, LLVMInternalLinkage);
    }
    return st;
}

static weft_status emit(cg_llvm *l, const cg_function *all, uint32_t number) {
    const cg_function *f = &all[number];
    if (f->kind == CG_FUNCTION_KERNEL) return cg_emit_kernel(&l->e, l->cx, f->kernel, f->splits, CG_OBJECT_FUNCTION);
    if (f->kind == CG_FUNCTION_BODY) return cg_emit_body_function(&l->e, &l->cx->scratch, f->body, CG_OBJECT_FUNCTION);
    const weft_status st = emit_kernels(l, all, f->strand);
    return st == WEFT_OK ? cg_emit_strand(&l->e, &l->cx->scratch, f->strand, CG_OBJECT_FUNCTION) : st;
}

/* Strands first take in kernels; what they passed in memory is found in two goes. */
static weft_status optimise(cg_llvm *l, cg_function_kind kind) {
    static const char plain[] = "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,gvn,dce)";
    static const char strands[] =
        "always-inline,globaldce,function(sroa,early-cse,sroa,instcombine<no-verify-fixpoint>,simplifycfg,gvn,dce)";

    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef err = LLVMRunPasses(l->e.module, kind == CG_FUNCTION_STRAND ? strands : plain, l->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!err) return WEFT_OK;
    char *message = LLVMGetErrorMessage(err);
    const weft_status st = weft_report(l->cx, WEFT_D_internal, NULL, "LLVM failed while optimising: %s", message);
    LLVMDisposeErrorMessage(message);
    return st;
}

static weft_status write_image(cg_llvm *l, weft_arena *arena, weft_image *out) {
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;
    weft_status st;
    if (LLVMTargetMachineEmitToMemoryBuffer(l->machine, l->e.module, LLVMObjectFile, &message, &object)) {
        st = weft_report(l->cx, WEFT_D_internal, NULL, "LLVM failed while generating code: %s", message);
        LLVMDisposeMessage(message);
    } else st = cg_object_image(l->cx, LLVMGetBufferStart(object), LLVMGetBufferSize(object), arena, out);
    if (object) LLVMDisposeMemoryBuffer(object);
    return st;
}

weft_status cg_llvm_compile(cg_llvm *l, const cg_function *all, uint32_t number, weft_arena *arena, weft_image *out) {
    begin_module(l);
    weft_status st = emit(l, all, number);
    if (st == WEFT_OK) st = optimise(l, all[number].kind);
    if (st == WEFT_OK) st = write_image(l, arena, out);
    end_module(l);
    return st;
}
