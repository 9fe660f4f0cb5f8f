/* emit_body.c: bodies of scalars as LLVM IR: inside a loop on vectors, and as functions that a call's C code asks for.
 */
#include "codegen/body.h"
#include "codegen/emit.h"

weft_status cg_emit_body(cg_emit *e, weft_arena *arena, const cg_block *block, const LLVMValueRef *args, unsigned lanes,
                         LLVMValueRef *out) {
    weft_mark mark = weft_arena_mark(arena);
    cg_body b;
    weft_status st = cg_body_read(arena, block, &b, NULL);
    LLVMValueRef *value = st == WEFT_OK ? weft_arena_array(arena, LLVMValueRef, b.arg_count + b.count + 1) : NULL;
    if (st == WEFT_OK && !value) st = weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < b.arg_count; i++) value[i] = args[i];
    for (uint32_t i = 0; st == WEFT_OK && i < b.count; i++) {
        const cg_node *n = b.ins[i].node;
        LLVMValueRef a[3] = { 0 }, *to = &value[b.arg_count + i];
        if (n->cls == CG_SPLAT) {
            *to = cg_spread(e, (weft_dtype)n->dtype, cg_splat_const(e, (weft_dtype)n->dtype, n->splat), lanes);
            continue;
        }
        for (uint32_t k = 0; k < n->in_count; k++) a[k] = value[b.ins[i].in[k]];
        const cg_form f = { (weft_dtype)n->in[n->op == CG_OP_select ? 1 : 0]->dtype, (weft_dtype)n->dtype, n->aux,
                            lanes };
        *to = n->op == CG_OP_copy ? a[0] : cg_emit_op(e, (cg_op)n->op, &f, a);
    }
    for (uint32_t r = 0; st == WEFT_OK && r < b.result_count; r++) out[r] = value[b.results[r]];
    weft_arena_reset(arena, mark);
    return st;
}

static LLVMValueRef element_address(cg_emit *e, LLVMValueRef list, uint32_t i) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx, 0);
    LLVMValueRef at = cg_integer(e, 64, 0, i);
    return LLVMBuildLoad2(e->b, pointer, LLVMBuildGEP2(e->b, pointer, list, &at, 1, ""), "");
}

weft_status cg_emit_body_function(cg_emit *e, weft_arena *arena, const cg_block *block, const char *name) {
    weft_mark mark = weft_arena_mark(arena);
    LLVMValueRef *args = weft_arena_array(arena, LLVMValueRef, block->arg_count + 1),
                 *out = weft_arena_array(arena, LLVMValueRef, block->result_count + 1);
    weft_status st = weft_oom();
    if (!args || !out) goto done;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx, 0), params[2] = { pointer, pointer };
    LLVMValueRef fn = LLVMAddFunction(e->module, name, LLVMFunctionType(LLVMVoidTypeInContext(e->cx), params, 2, 0));
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->cx, fn, ""));
    for (uint32_t i = 0; i < block->arg_count; i++) {
        const weft_dtype t = (weft_dtype)block->args[i]->dtype;
        LLVMValueRef v = LLVMBuildLoad2(e->b, cg_memory_type(e, t, 0), element_address(e, LLVMGetParam(fn, 0), i), "");
        LLVMSetAlignment(v, (unsigned)weft_dtype_bytes(weft_dtype_part(t)));
        args[i] = cg_from_memory(e, t, 0, v);
    }
    st = cg_emit_body(e, arena, block, args, 0, out);
    if (st != WEFT_OK) goto done;
    for (uint32_t r = 0; r < block->result_count; r++) {
        const weft_dtype t = (weft_dtype)block->results[r]->dtype;
        LLVMValueRef v =
            LLVMBuildStore(e->b, cg_to_memory(e, t, 0, out[r]), element_address(e, LLVMGetParam(fn, 1), r));
        LLVMSetAlignment(v, (unsigned)weft_dtype_bytes(weft_dtype_part(t)));
    }
    LLVMBuildRetVoid(e->b);
done:
    weft_arena_reset(arena, mark);
    return st;
}
