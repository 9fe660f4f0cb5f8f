/* module.h: a program in memory.
 *
 * A module owns an arena; its ops, values, blocks and regions live there and are freed with it. Attributes, types,
 * names and locations belong to the context and are shared between modules. Ops of a block are a doubly linked list
 * in execution order. Values and ops are numbered densely per module in the order of creation: a pass keeps its facts
 * about them in arrays indexed by id, not in fields here. Passes read a module and build a new one (builder.h), or
 * change one that they own (pass.h), which is then renumbered; only the builder changes a module.
 *
 * The root is a builtin.module op with one region of one block. Functions are func.func ops in it, found by name.
 */
#ifndef WEFT_IR_MODULE_H
#define WEFT_IR_MODULE_H

#include "ir/op.h"

typedef struct weft_op weft_op;
typedef struct weft_value weft_value;
typedef struct weft_block weft_block;
typedef struct weft_region weft_region;
typedef struct weft_module weft_module;

struct weft_value {
    uint32_t id;             /* dense in the module */
    uint32_t index;          /* result or argument number */
    const weft_type *type;
    weft_op *def;            /* NULL for a block argument */
    weft_block *block;       /* the block of an argument; NULL for a result */
    weft_name hint;          /* the name in the input ("cst", "arg0") for printing, or NULL */
    const weft_loc *loc;     /* of a block argument, else NULL: see weft_value_loc */
};

struct weft_op {
    uint32_t id;             /* dense in the module */
    uint16_t kind;           /* weft_op_kind */
    uint16_t region_count;
    uint32_t operand_count, result_count, attr_count;
    weft_value **operands;
    weft_value *results;     /* an array of values */
    weft_named_attr *attrs;  /* inherent and discardable; in the order given */
    weft_region *regions;    /* an array of regions */
    weft_name name;          /* mnemonic, interned */
    const weft_loc *loc;     /* never NULL */
    uint32_t *turns;         /* by operand: see weft_module; NULL: all 0 */
    weft_op *prev, *next;
    weft_block *parent;      /* NULL for the root */
};

struct weft_block {
    weft_value **args;
    uint32_t arg_count;
    weft_op *first, *last;
    weft_block *next;
    weft_region *parent;
};

struct weft_region {
    weft_block *first, *last;
    weft_op *parent;
};

/* The time at which an op reads its operands: while a module is read, after the ops of its regions are made. */
typedef enum weft_reading { WEFT_READS_AFTER_REGIONS, WEFT_READS_BEFORE_REGIONS } weft_reading;

struct weft_module {
    weft_context *cx;
    weft_arena arena;
    weft_op *root;
    uint32_t value_count, op_count; /* ids in use */
    uint32_t turns; /* in use. Among the readers of a value the one with the higher turn became one later, when a pass
                     * handed the value to it; those with turn 0 have read it since they were made */
    weft_reading reading;
    uint64_t had[(WEFT_OP_COUNT + 63) / 64]; /* kinds of ops made here since the module was last numbered: a kind that
                                              * is missing is in none of its ops */
    /* the func.call ops in program order, if calls_known: none was added or removed since the last numbering */
    weft_op **calls;
    uint32_t call_count;
    bool calls_known;
};

static inline bool weft_module_had(const weft_module *m, weft_op_kind kind) {
    return m->had[kind / 64] >> (kind % 64) & 1;
}

#define WEFT_EACH_OP(op, blk) for (weft_op *op = (blk)->first; op; op = op->next)
#define WEFT_EACH_BLOCK(b, region) for (weft_block *b = (region)->first; b; b = b->next)

/* An empty module with its root; NULL when memory is out. */
weft_module *weft_module_new(weft_context *cx);
void weft_module_free(weft_module *m); /* NULL is fine */

static inline weft_block *weft_module_body(const weft_module *m) { return m->root->regions[0].first; }
/* The result is the operand, possibly in another sharding. */
static inline bool weft_op_is_marker(const weft_op *op) {
    return weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_MARKER);
}
/* NULL when empty */
/* Operand i, or result i - operand_count: as sharding rules count an op's tensors. */
static inline const weft_value *weft_op_value(const weft_op *op, uint32_t i) {
    return i < op->operand_count ? op->operands[i] : &op->results[i - op->operand_count];
}
static inline weft_block *weft_op_body(const weft_op *op, uint32_t region) { return op->regions[region].first; }

/* The symbol (func.func, sdy.mesh, ...) of the root's body with this sym_name, or NULL. Linear: for many lookups open
 * a table (ir/symbols.h). */
weft_op *weft_module_symbol(const weft_module *m, weft_str name);
weft_op *weft_module_main(const weft_module *m); /* @main, else the only public function, or NULL */

/* Attribute lookup by well-known name; NULL when absent. */
const weft_attr *weft_op_attr(const weft_op *op, weft_attr_name name);
/* for a name that is not in the table, as custom calls have */
const weft_attr *weft_op_attr_named(const weft_op *op, const char *name);
/* The inherent value, or the given default when absent. */
int64_t weft_op_int(const weft_op *op, weft_attr_name name, int64_t absent); /* also bool and unit: 1 */
weft_ints weft_op_ints(const weft_op *op, weft_attr_name name);             /* n == 0 when absent */
/* Entry i of a list attribute; of `padding` ([n][2]) with end 0 for low, 1 for high: 0 when absent. */
int64_t weft_op_int_at(const weft_op *op, weft_attr_name name, uint32_t i, int64_t absent);
int64_t weft_op_padding_at(const weft_op *op, uint32_t i, uint32_t end);
/* text of sym_name or callee; n == 0 when absent */
weft_str weft_op_symbol(const weft_op *op, weft_attr_name name);
/* Of symbols: "public", "private", "nested". */
enum { WEFT_VISIBILITIES = 3 };
extern const char *const weft_visibilities[WEFT_VISIBILITIES];
bool weft_is_visibility(weft_str text);

/* func.func */
static inline const weft_type *weft_func_type(const weft_op *f) { return weft_op_attr(f, WEFT_A_function_type)->type; }
const weft_attr *weft_func_arg_attr(const weft_op *f, uint32_t arg, weft_attr_name name);    /* NULL when absent */
const weft_attr *weft_func_result_attr(const weft_op *f, uint32_t res, weft_attr_name name);

/* Operand i of op has read its value from now on, or since that turn. */
weft_status weft_op_read_since(weft_module *m, weft_op *op, uint32_t operand, uint32_t turn);
weft_status weft_op_read_as(weft_module *m, weft_op *copy, const weft_op *op); /* every operand since op's did */
static inline weft_status weft_op_read_now(weft_module *m, weft_op *op, uint32_t operand) {
    return weft_op_read_since(m, op, operand, m->turns + 1);
}

const weft_loc *weft_value_loc(const weft_value *v);   /* never NULL */
/* v, or the value that v only marks: constraints, reshards and barriers leave a value as it is. */
const weft_value *weft_value_root(const weft_value *v);
/* The op of a reducer's body when it is just `op(a, b)` of its two arguments, else WEFT_OP_other. */
weft_op_kind weft_reducer_kind(const weft_op *op, uint32_t region);
static inline weft_op *weft_block_terminator(const weft_block *b) { return b->last; }
static inline weft_op *weft_op_parent(const weft_op *op) { return op->parent ? op->parent->parent->parent : NULL; }
/* The block of the op that makes v, or whose argument v is. */
static inline weft_block *weft_value_block(const weft_value *v) { return v->def ? v->def->parent : v->block; }
/* Whether blk is in a region of op, however deep. */
static inline bool weft_block_is_within(const weft_block *blk, const weft_op *op) {
    for (; blk && blk->parent; blk = blk->parent->parent->parent)
        if (blk->parent->parent == op) return true;
    return false;
}

/* Uses of every value, built on demand: uses[start[id] .. start[id + 1]) are the operand slots that read value id, in
 * program order. Lives in the given arena; valid while the module does not change. */
typedef struct weft_use { weft_op *op; uint32_t operand; } weft_use;
typedef struct weft_uses { const uint32_t *start; const weft_use *use; } weft_uses;
weft_status weft_uses_build(const weft_module *m, weft_arena *arena, weft_uses *out);
static inline uint32_t weft_use_count(const weft_uses *u, const weft_value *v) {
    return u->start[v->id + 1] - u->start[v->id];
}

/* Every op nested in root, root first, each op before the ops of its regions. Stops at the first status but WEFT_OK. */
typedef weft_status (*weft_op_visitor)(void *user, weft_op *op);
weft_status weft_module_walk(const weft_module *m, weft_op_visitor visit, void *user);
weft_status weft_op_walk(weft_op *root, weft_op_visitor visit, void *user);

#endif
