/* grad.h: what rules see of a derivation (inside differentiate/ only).
 *
 * A rule appends ops that compute the cotangents of an op's operands. It asks for the cotangents of the results
 * (gd_ct, NULL: zero), for the operands that want one (gd_wants) and for values of the forward program (gd_here), and
 * hands over what it made (gd_give). All functions accept NULL for a value that could not be made, as in
 * ir/builder.h: the status is in the builder.
 *
 * A scope is a block of the forward program and the place where its backward ops go. The outermost has both in one
 * block. The body of a loop, a branch, a function and a manual computation have scopes of their own: there a value of
 * the forward block cannot be read by backward ops, so gd_here saves it (or computes it again, where that is cheap),
 * and the op around the scope passes what was saved from one to the other when the scope is closed.
 *
 * A value from outside that is used in a scope is captured: the scope has a sum of its own for its cotangent.
 */
#ifndef WEFT_DIFFERENTIATE_GRAD_H
#define WEFT_DIFFERENTIATE_GRAD_H

#include "differentiate/differentiate.h"
#include "ir/expr.h"
#include "ir/symbols.h"

typedef struct gd gd;
typedef struct gd_scope gd_scope;
typedef void (*gd_rule)(gd *g, const weft_op *op);

typedef enum gd_marks {
    GD_VARIED = 1,       /* depends on wrt */
    GD_USEFUL = 2        /* `of` depends on it */
} gd_marks;

typedef struct gd_fact { /* of a value, by id */
    weft_value *ct;      /* its cotangent so far, in its own scope; NULL: zero */
    weft_value *here;    /* its copy among the backward ops of its scope, or NULL */
    weft_value *instead; /* readers of it are to read this, once all is made; or NULL */
    unsigned marks;
} gd_fact;

typedef struct gd_captured {
    weft_value *outer;   /* the value from outside */
    weft_value *sum;     /* its cotangent so far in this scope; NULL: zero */
    weft_value *arg;     /* in a loop: the argument of the backward body with which the sum begins */
    bool written;        /* each element of the sum is written at most once: it begins with zeros */
} gd_captured;

typedef struct gd_saved {
    weft_value *v;       /* of the forward block */
    weft_value *here;    /* stands for it among backward ops */
} gd_saved;

struct gd_scope {
    gd_scope *outer;     /* NULL: nothing can be captured */
    weft_block *forward;
    const weft_op *last; /* of the forward ops, where backward ops follow in the same block; else NULL */
    const weft_op *op;   /* around the scope; NULL: forward and backward ops are in one block */
    weft_builder b;      /* of backward ops */
    gd_captured *captured;
    size_t captured_count, captured_cap;
    gd_saved *saved;
    size_t saved_count, saved_cap;
    weft_value *(*save)(gd *g, gd_scope *s, weft_value *v); /* a value that stands for v among backward ops */
    bool (*free)(const gd_scope *s, const weft_value *v);   /* saving this argument costs nothing; NULL: never */
    void (*begin)(gd *g, gd_scope *s, gd_captured *c);      /* begins a sum; NULL: it is zero */
    void *own;           /* of the kind of scope */
};

struct gd {
    weft_context *cx;
    weft_module *m;
    weft_arena *arena;
    const gd_rule *rules;     /* by op kind */
    gd_scope *scope;
    weft_status status;       /* the first failure outside a builder */
    gd_fact *facts;
    size_t fact_cap;
    weft_op **replaced;       /* ops that have a successor with more results */
    size_t replaced_count, replaced_cap;
    struct gd_function *functions; /* made so far (call.c) */
    weft_map map;             /* for copies of ops: gd_map */
    weft_symbols symbols;     /* opened with the first of them */
    const weft_gradients *what;
    gd_fact spare;            /* for a value whose facts could not be made */
    weft_block *stand_ins;    /* owns values that stand for others until all is made */
};

/* ---- facts ---- */
gd_fact *gd_of(gd *g, const weft_value *v); /* never NULL */
weft_map *gd_map(gd *g);                    /* with room for all values there are; NULL: out of memory */
weft_status gd_status(const gd *g);         /* the first failure */
void gd_fail(gd *g, weft_status st);
static inline weft_builder *gd_b(gd *g) { return &g->scope->b; }
/* The same for the ops from first up to end. */
void gd_mark_ops(gd *g, const weft_op *first, const weft_op *end);
void gd_mark(gd *g, weft_block *blk);       /* activity.c: GD_VARIED and GD_USEFUL inside, from marks set before */

/* ---- for rules ---- */
weft_value *gd_ct(gd *g, const weft_op *op, uint32_t result); /* NULL: zero */
weft_value *gd_ct_full(gd *g, const weft_op *op, uint32_t result); /* zeros as a constant */
bool gd_wants(gd *g, const weft_op *op, uint32_t operand);
bool gd_varies(gd *g, const weft_value *v);  /* it has a tangent, and depends on wrt */
weft_value *gd_here(gd *g, weft_value *v);  /* v among backward ops */
static inline weft_value *gd_in(gd *g, const weft_op *op, uint32_t i) { return gd_here(g, op->operands[i]); }
static inline weft_value *gd_out(gd *g, const weft_op *op, uint32_t i) { return gd_here(g, &op->results[i]); }
void gd_give(gd *g, const weft_op *op, uint32_t operand, weft_value *ct); /* NULL: zero */
void gd_add(gd *g, weft_value *v, weft_value *ct);
weft_value *gd_zeros(gd *g, const weft_type *t);
/* x with the element type of `like`. */
weft_value *gd_as(gd *g, weft_value *x, const weft_value *like);
/* The sum over dimensions, which are left out of the result; dims ascending. */
weft_value *gd_sum(gd *g, weft_value *x, const int64_t *dims, uint32_t n);
weft_value *gd_sum_all(gd *g, weft_value *x);
/* The largest (or smallest) along dimension d, which is left out. */
weft_value *gd_reduced(gd *g, weft_value *x, int64_t d, weft_op_kind kind, double initial);
/* A scalar (or x of this shape already) with the shape of `like`. */
weft_value *gd_spread(gd *g, weft_value *x, const weft_value *like);
/* x, without dimensions dims of type t, with them again. */
weft_value *gd_expand(gd *g, weft_value *x, const weft_type *t, const int64_t *dims, uint32_t n);
weft_value *gd_reshape(gd *g, weft_value *x, const weft_type *t);
weft_value *gd_transpose(gd *g, weft_value *x, const int64_t *permutation);
/* An op of one result, and its attributes as attrs, over other operands and of another type. */
weft_value *gd_like(gd *g, const weft_op *op, const weft_type *t, weft_value *const *operands, uint32_t n);
/* A scalar reducer in region r of op: args a, b of type t, and kind(a, b) returned. */
void gd_build_reducer(gd *g, weft_op *op, uint32_t r, const weft_type *t, weft_op_kind kind);
/* A scalar of type t. */
const weft_type *gd_scalar(gd *g, const weft_type *t);
/* shift.c: whether nothing depends on the result of op, a maximum or minimum, but by rounding. */
bool gd_cancels(gd *g, const weft_op *op);
/* A scatter that adds to `into`. */
typedef enum gd_places { GD_MAY_MEET, GD_UNIQUE } gd_places;
weft_value *gd_build_scatter(gd *g, weft_value *into, weft_value *indices, weft_value *updates,
                             const weft_scatter_dims *dims, gd_places places);
/* Reports that op has no derivative, at its location, and why. */
void gd_refuse(gd *g, const weft_op *op, const char *why);

/* ---- for scopes ---- */
/* The sum of v's cotangent in the current scope; v may be an argument that a loop leaves unchanged. */
weft_value **gd_slot(gd *g, weft_value *v);
/* v, or the outer value that it equals in every iteration of a loop. */
weft_value *gd_origin(gd *g, weft_value *v);
/* In a loop: whether this dynamic_slice of v, from outside, is v's only reader in the body and has another part in
 * each iteration: its cotangent is then written, not added. */
bool gd_written_once(gd *g, weft_value *v, const weft_op *slice);
gd_captured *gd_capture(gd *g, gd_scope *s, weft_value *v);
/* Visits the ops of the current scope's block from last to first. */
void gd_sweep(gd *g);
/* A scope for blk whose backward ops go to a new block outside any region, and makes it the current one. */
void gd_open(gd *g, gd_scope *s, const weft_op *op, weft_block *blk);
void gd_close(gd *g, gd_scope *s);          /* the outer one is current again */
bool gd_note_saved(gd *g, gd_scope *s, weft_value *v, weft_value *here);
/* A value of this type that stands for another until gd_instead names that. */
weft_value *gd_stand_in(gd *g, const weft_type *t);
void gd_instead(gd *g, weft_value *v, weft_value *other);
/* The ops of a block go before op, with op's operands as its arguments, and their last operands take op's place. */
void gd_put_in_place(gd *g, weft_op *op, const weft_block *body);
/* Values that were made between `before` and op are op's results: they are visited next. */
void gd_take_place(gd *g, weft_op *op, const weft_op *before, weft_value *const *out);
/* expand.c: the op as element-wise ops, in its place */
void gd_expand_reduce(gd *g, const weft_op *op);
void gd_expand_window(gd *g, const weft_op *op);
void gd_expand_choice(gd *g, const weft_op *op); /* of a window's maximum or minimum, the first that equals it */
/* op, whose results these values now are, is taken out; or the first results of an op. */
void gd_replace(gd *g, weft_op *op, weft_value *const *by);
void gd_replace_by_op(gd *g, weft_op *op, weft_op *by);
void gd_move_region(weft_region *from, weft_region *to);
/* A block that has no region becomes the one of r. */
void gd_put_block(weft_block *blk, weft_region *r);
/* made is old with more results after its own, and has old's attributes. They become those of that many values: a list
 * of shardings gets open ones, and a sharding rule goes. */
void gd_extend_shardings(gd *g, const weft_op *old, weft_op *made);
/* Appends operands to an op of the module. */
void gd_extend_operands(gd *g, weft_op *op, weft_value *const *more, size_t n);
/* An op with this kind's terminator at the end of b's block. */
/* Lets all readers under root read what stands instead of their operands, and takes replaced ops out. */
void gd_settle(gd *g, weft_op *root);
weft_status gd_settle_op(void *gd, weft_op *op); /* of one op, to be walked with */
void gd_build_return(gd *g, weft_builder *b, weft_op_kind kind, weft_value *const *v, size_t n);

#define NAME(grad) void gd_rule_##grad(gd *g, const weft_op *op);
#include "ir/ops-grad.def"

#endif
