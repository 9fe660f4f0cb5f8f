/* check_static: checks that every shape is known.
 *
 * Pass weft-check-static. Changes nothing: reports the first argument, result or op with an unknown shape.
 * Functions that @main does not reach are ignored, since they are not compiled.
 */
#include "legalize/legalize.h"

typedef struct search { weft_context *cx; const weft_op *main; } search;

static bool is_open(const weft_type *t) { return weft_type_is_tensor(t) && !weft_type_is_static(t); }

static weft_status open_argument(search *s, const weft_value *v, uint32_t i) {
    const weft_status st = weft_report(s->cx, WEFT_D_unsupported, weft_value_loc(v),
                                       "argument %u of '@main' has a shape with '?'; a run needs sizes", i);
    weft_note(s->cx, weft_value_loc(v),
              "the pass stablehlo-refine-arguments gives them, and so does 'weft run' by --types or --inputs, and "
              "'weft dryrun' by --set, where they have names");
    return st;
}

/* Values of ops inside @main; its arguments first. */
static weft_status check_block(search *s, const weft_block *b) {
    const weft_op *owner = b->parent->parent;
    for (uint32_t i = 0; i < b->arg_count; i++)
        if (is_open(b->args[i]->type)) {
            if (owner == s->main) return open_argument(s, b->args[i], i);
            return weft_report(s->cx, WEFT_D_unsupported, weft_value_loc(b->args[i]),
                               "the shape of argument %u of '%s' is not a constant", i, owner->name->text);
        }
    WEFT_EACH_OP(op, b) {
        for (uint32_t i = 0; i < op->result_count; i++) {
            if (!is_open(op->results[i].type)) continue;
            weft_status st = weft_report(s->cx, WEFT_D_unsupported, op->loc,
                                         "'%s': the shape of its result is not a constant", op->name->text);
            weft_note(
                s->cx, op->loc,
                "sizes may be computed from constants and from the shapes of other values, but not from their elements");
            return st;
        }
        for (uint32_t r = 0; r < op->region_count; r++)
            WEFT_EACH_BLOCK(inner, &op->regions[r]) {
                weft_status st = check_block(s, inner);
                if (st != WEFT_OK) return st;
            }
    }
    return WEFT_OK;
}

weft_status weft_pass_check_static(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)out;
    search s = { p->cx, weft_module_main(in) };
    return s.main && weft_op_body(s.main, 0) ? check_block(&s, weft_op_body(s.main, 0)) : WEFT_OK;
}
