/* inspect: calls of programs that ask how a value is sharded (jax.debug.inspect_array_sharding), answered when the
 * program is compiled.
 *
 * Such a program is propagated once more for it, since a compilation of a program that is kept has no shardings. The
 * call has the number of an interpreter's function, which gets XLA's OpSharding.
 */
#include <stdlib.h>
#include "pjrt/impl.h"

static const char TARGET[] = "InspectSharding";

typedef struct inspection {
    pjrt_client *client;
    weft_context *cx;
    weft_module *m;
    pjrt_error *error;
} inspection;

static bool is_manual(const weft_op *op) {
    for (const weft_op *in = weft_op_parent(op); in; in = weft_op_parent(in))
        if (in->kind == WEFT_OP_sdy_manual_computation) return true;
    return false;
}

static weft_status write_sharding(const inspection *n, const weft_op *op, weft_buf *out) {
    weft_arena arena;
    weft_layout layout;
    weft_io io;
    if (is_manual(op)) return pjrt_sharding_write_manual(out);
    weft_arena_init(&arena, &pjrt_heap);
    weft_status st = weft_io_of(n->m, op->operands[0], &io);
    if (st == WEFT_OK) st = weft_io_layout(n->cx, &arena, &io, NULL, weft_module_devices(n->m), op->loc, &layout);
    if (st == WEFT_OK) st = pjrt_sharding_write(&layout, out);
    weft_arena_free(&arena);
    return st;
}

static void tell(inspection *n, const weft_op *op, int64_t id) {
    char why[sizeof ((weft_failure *)0)->text] = "";
    weft_buf text;
    weft_buf_init(&text, &pjrt_heap);
    const weft_status st = write_sharding(n, op, &text);
    void *bytes = text.p ? text.p : why;
    if (st != WEFT_OK) n->error = pjrt_error_of(n->cx, st);
    else if (n->client->python(id, PJRT_PYTHON_INSPECT, &bytes, (int)text.n, NULL, why, sizeof why))
        why[sizeof why - 1] = '\0', n->error = pjrt_error_new(PJRT_INTERNAL, "%s", why);
    weft_buf_free(&text);
}

static weft_status visit(void *user, weft_op *op) {
    inspection *n = user;
    const weft_attr *name = weft_op_attr(op, WEFT_A_call_target_name), *id = weft_op_attr(op, WEFT_A_backend_config);
    if (n->error || op->kind != WEFT_OP_custom_call || !weft_str_is(name->s, TARGET)) return WEFT_OK;
    char digits[24] = "", *end;
    if (!id || id->kind != WEFT_ATTR_STRING || !op->operand_count) return WEFT_OK;
    if (!id->s.n || id->s.n >= sizeof digits) return WEFT_OK;
    memcpy(digits, id->s.p, id->s.n);
    const long long number = strtoll(digits, &end, 10);
    if (!*end) tell(n, op, number);
    return WEFT_OK;
}

pjrt_error *pjrt_inspect(pjrt_client *c, pjrt_executable *x, const pjrt_program *program) {
    if (!c->python || !memmem(program->code, program->code_size, TARGET, sizeof TARGET - 1)) return NULL;
    inspection n = { .client = c, .cx = x->cx };
    weft_module *m = NULL;
    const weft_build_options opt = { .devices = x->asked.replicas * x->asked.partitions, .even_borders = true,
                                     .terms = true };
    weft_status st = weft_read_text(x->cx, (weft_str){ program->code, program->code_size }, "program", 0, &m);
    if (st == WEFT_OK) st = weft_program_propagate(x->cx, m, &opt, &n.m);
    if (st == WEFT_OK) st = weft_module_walk(n.m, visit, &n);
    if (st != WEFT_OK && !n.error) n.error = pjrt_error_of(x->cx, st);
    weft_module_free(n.m);
    weft_module_free(m);
    return n.error;
}
