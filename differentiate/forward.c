/* forward.c: derivatives along tangents, by differentiating backwards twice.
 *
 * The cotangents of wrt are linear in the cotangents u of `of`: they are u times the matrix of derivatives. Backwards
 * through this linear function, from the tangents, comes the matrix times the tangents. Nothing of that depends on u,
 * for which zeros stand: the ops that do are unused, and passes that remove unused ops take them out. What is left of
 * straight code are the ops of forward mode. Loops are gone through three times, with the values of the first two kept.
 */
#include "differentiate/differentiate.h"

weft_status weft_differentiate_along(weft_builder *b, const weft_gradients *what, weft_value *const *tangents,
                                     weft_value **out) {
    weft_arena arena;
    weft_arena_init(&arena, &b->m->cx->chunks);
    weft_value **u = weft_arena_array(&arena, weft_value *, what->of_n + 1u),
               **ct = weft_arena_array(&arena, weft_value *, what->n + 1u);
    weft_status st = u && ct ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < what->of_n; i++)
        if (!(u[i] = weft_build_splat(b, what->of[i]->type, 0))) st = b->status;
    weft_gradients way = *what;
    way.seeds = u;
    if (st == WEFT_OK) st = weft_differentiate(b, &way, ct);
    way.of = ct;
    way.of_n = what->n;
    way.seeds = tangents;
    way.wrt = u;
    way.n = what->of_n;
    if (st == WEFT_OK) st = weft_differentiate(b, &way, out);
    weft_arena_free(&arena);
    return st;
}
