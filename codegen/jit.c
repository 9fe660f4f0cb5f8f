/* jit.c: LLVM's side: target machine, passes, an object file.
 *
 * A program's kernels are functions of one module, optimised once and compiled once. The passes are few because the
 * IR is already in loops of vectors with its values hoisted: promotion of accumulators to registers, cleaning up, and
 * what the target's own pipeline does.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "codegen/emit.h"
#include "codegen/jit.h"
#include "codegen/object.h"
#include "codegen/target.h"

struct cg_jit {
    weft_context *cx;       /* until cg_jit_finish returns */
    weft_allocator alloc;
    cg_emit e;
    LLVMTargetMachineRef machine;
    weft_arena arena;
    char *cpu, *features, *needs;
    bool strands;           /* there are some */
};

static pthread_once_t targets_once = PTHREAD_ONCE_INIT;
static void init_targets(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
}

static weft_status failed(cg_jit *j, LLVMErrorRef err, const char *doing) {
    if (!err) return WEFT_OK;
    char *message = LLVMGetErrorMessage(err);
    weft_status st = weft_report(j->cx, WEFT_D_internal, NULL, "LLVM failed while %s: %s", doing, message);
    LLVMDisposeErrorMessage(message);
    return st;
}

/* cpu as in weft_compile_options. */
static weft_status name_machine(cg_jit *j, const char *cpu) {
    const char *comma = cpu ? strchr(cpu, ',') : NULL;
    char *name = cpu ? NULL : LLVMGetHostCPUName(), *list = cpu ? NULL : LLVMGetHostCPUFeatures();
    const size_t n = comma ? (size_t)(comma - cpu) : strlen(cpu ? cpu : name);
    weft_status st = cg_target_features(&j->arena, list ? list : comma ? comma + 1 : "", cpu != NULL, &j->features,
                                        &j->needs);
    if (st == WEFT_OK && !(j->cpu = weft_arena_strdup(&j->arena, cpu ? cpu : name, n))) st = weft_oom();
    if (name) LLVMDisposeMessage(name);
    if (list) LLVMDisposeMessage(list);
    return st;
}

static weft_status make_machine(cg_jit *j, const char *cpu) {
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef target = NULL;
    weft_status st = name_machine(j, cpu);
    if (st != WEFT_OK) {
        LLVMDisposeMessage(triple);
        return st;
    }
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        st = weft_report(j->cx, WEFT_D_unsupported, NULL, "LLVM has no code generator for '%s': %s", triple, message);
        LLVMDisposeMessage(message);
    } else {
        j->machine = LLVMCreateTargetMachine(target, triple, j->cpu, j->features, LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                             LLVMCodeModelSmall);
        if (!j->machine)
            st = weft_report(j->cx, WEFT_D_unsupported, NULL, "LLVM cannot generate code for cpu '%s'", j->cpu);
    }
    LLVMDisposeMessage(triple);
    return st;
}

static uint32_t vector_bytes(const char *features) {
    if (strstr(features, "+avx512f,") && strstr(features, "+avx512vl")) return 64;
    return strstr(features, "+avx2") ? 32 : 16;
}

weft_status cg_jit_new(weft_context *cx, const char *cpu, const weft_costs *costs, cg_jit **out) {
    pthread_once(&targets_once, init_targets);
    cg_jit *j = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *j);
    if (!j) return weft_oom();
    memset(j, 0, sizeof *j);
    j->cx = cx;
    j->alloc = cx->alloc;
    weft_arena_init(&j->arena, &cx->alloc);
    weft_status st = make_machine(j, cpu);
    if (st != WEFT_OK) {
        cg_jit_free(j);
        return st;
    }
    j->e.cx = LLVMContextCreate();
    j->e.module = LLVMModuleCreateWithNameInContext("weft", j->e.cx);
    j->e.b = LLVMCreateBuilderInContext(j->e.cx);
    j->e.vector_bytes = vector_bytes(j->features);
    j->e.costs = costs;
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(j->machine);
    LLVMSetModuleDataLayout(j->e.module, layout);
    LLVMDisposeTargetData(layout);
    char *triple = LLVMGetTargetMachineTriple(j->machine);
    LLVMSetTarget(j->e.module, triple);
    LLVMDisposeMessage(triple);
    *out = j;
    return WEFT_OK;
}

weft_status cg_jit_add(cg_jit *j, const cg_kernel *k, uint32_t number) {
    char name[16];
    snprintf(name, sizeof name, "f%u", number);
    return cg_emit_kernel(&j->e, j->cx, k, name);
}

weft_status cg_jit_add_body(cg_jit *j, const cg_block *body, uint32_t number) {
    char name[16];
    snprintf(name, sizeof name, "f%u", number);
    return cg_emit_body_function(&j->e, &j->cx->scratch, body, name);
}

weft_status cg_jit_add_strand(cg_jit *j, const struct cg_strand *s, uint32_t number) {
    char name[16];
    snprintf(name, sizeof name, "f%u", number);
    j->strands = true;
    return cg_emit_strand(&j->e, &j->cx->scratch, s, name);
}

/* Strands first take in kernels; what they passed in memory is found in two goes. */
static weft_status optimise(cg_jit *j) {
    static const char plain[] = "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,gvn,dce)";
    static const char strands[] =
        "always-inline,function(sroa,early-cse,sroa,instcombine<no-verify-fixpoint>,simplifycfg,gvn,dce)";

    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef err = LLVMRunPasses(j->e.module, j->strands ? strands : plain, j->machine, options);
    LLVMDisposePassBuilderOptions(options);
    return failed(j, err, "optimising");
}

weft_status cg_jit_finish(cg_jit *j, uint32_t functions, weft_arena *arena, weft_image *out) {
    weft_status st = optimise(j);
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;
    if (st == WEFT_OK &&
        LLVMTargetMachineEmitToMemoryBuffer(j->machine, j->e.module, LLVMObjectFile, &message, &object)) {
        st = weft_report(j->cx, WEFT_D_internal, NULL, "LLVM failed while generating code: %s", message);
        LLVMDisposeMessage(message);
    }
    if (st == WEFT_OK)
        st = cg_object_image(j->cx, LLVMGetBufferStart(object), LLVMGetBufferSize(object), functions, arena, out);
    if (st == WEFT_OK && !(out->needs = weft_arena_strdup(arena, j->needs, strlen(j->needs)))) st = weft_oom();
    if (object) LLVMDisposeMemoryBuffer(object);
    LLVMDisposeBuilder(j->e.b);
    LLVMDisposeModule(j->e.module);
    LLVMContextDispose(j->e.cx);
    j->e = (cg_emit){ 0 };
    return st;
}

void cg_jit_free(cg_jit *j) {
    if (!j) return;
    if (j->e.b) LLVMDisposeBuilder(j->e.b);
    if (j->e.module) LLVMDisposeModule(j->e.module);
    if (j->e.cx) LLVMContextDispose(j->e.cx);
    if (j->machine) LLVMDisposeTargetMachine(j->machine);
    weft_arena_free(&j->arena);
    j->alloc.resize(j->alloc.user, j, sizeof *j, 0);
}
