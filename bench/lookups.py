"""Gathers and scatters by indices of a run in JAX, as stencils.py has the stencils: caches of keys and values, losses by label, tables of embeddings,
paths of a beam search, messages on the edges of a graph: bench/partition --lookups.

`least` where indices count along the sharded dimension: nothing, or what sums over devices take. Where rows may lie anywhere: the indices, and columns
in place of rows, there and back, so that each device looks up all rows of its own columns.
"""
import sys

from stencils import F32, I32, LINE, P, PROGRAMS, jax, jnp, lax, main, program

PROGRAMS.clear()
B, T, H, D, V = 32, 128, 4, 16, 512
X, ALL, PAIR = P("x"), P(), dict(x=4, y=2)
CACHE, KEY, AT, LOGITS = ((B, T, H, D), F32), ((B, H, D), F32), ((B,), I32), ((B, V), F32)
rows = jnp.arange(B)
SUM = 2 * 4 * 7 / 8 # of one number, and of a gather after an addition in parts


def loss(logits, labels): return -jax.nn.log_softmax(logits)[rows, labels].mean()
def losses(logits, labels): return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()


# Caches: each sequence has its own position
program("cache_set", LINE, [CACHE, KEY, AT], [X, X, X], 0, "its own", lambda c, k, i: c.at[rows, i].set(k))
program("cache_layer", LINE, [((2,) + CACHE[0], F32), KEY, AT], [P(None, "x"), X, X], 0, "its own", lambda c, k, i: c.at[1, rows, i].set(k))
program("cache_chunk", LINE, [CACHE, ((B, 8, H, D), F32), AT], [X, X, X], 0, "its own",
        lambda c, k, i: c.at[rows[:, None], i[:, None] + jnp.arange(8)].set(k))
program("cache_heads", PAIR, [CACHE, KEY, AT], [P("x", None, "y"), P("x", "y"), X], 0, "its own",
        lambda c, k, i: c.at[rows[:, None], i[:, None], jnp.arange(H)].set(k))
program("cache_vmap", LINE, [CACHE, KEY, AT], [X, X, X], 0, "its own",
        lambda c, k, i: jax.vmap(lambda c, k, i: lax.dynamic_update_slice(c, k[None], (i, 0, 0)))(c, k, i))
program("cache_one", LINE, [CACHE, KEY, ((), I32)], [X, X, ALL], 0, "its own", lambda c, k, i: lax.dynamic_update_slice(c, k[:, None], (0, i, 0, 0)))
program("last_state", LINE, [((B, T, D), F32), AT], [X, X], 0, "its own", lambda s, i: s[rows, i])
program("beams", LINE, [((B, 8, T), I32), ((B, 8), I32)], [X, X], 0, "its own", lambda s, i: s[rows[:, None], i])
program("cache_long", LINE, [CACHE, KEY, AT], [P(None, "x"), ALL, ALL], 0, "all have the keys", lambda c, k, i: c.at[rows, i].set(k))

# Losses by label
program("loss", LINE, [LOGITS, AT], [X, X], SUM, "a sum", loss, ALL)
program("loss_grad", LINE, [LOGITS, AT], [X, X], 0, "its own", jax.grad(loss))
program("loss_vocabulary", LINE, [LOGITS, AT], [P(None, "x"), ALL], 2 * B * SUM + SUM, "maximum of each row, parts of sum and choice", loss, ALL)
program("losses_grad", PAIR, [((B, T, V), F32), ((B, T), I32)], [P("x", "y"), P("x", "y")], 0, "its own", jax.grad(losses))

# Tables of embeddings
TABLE, TOKENS = ((V, D), F32), ((B, T // 8), I32)
COLUMNS, INDICES = V * D * 4 // 8 * 7 // 8, B * T // 8 * 4 * 7 // 8 # there are as many tokens as rows
program("embed", LINE, [TABLE, TOKENS], [ALL, X], 0, "its own", lambda t, i: t[i], X)
program("embed_rows", LINE, [TABLE, TOKENS], [X, X], 2 * COLUMNS + INDICES, "columns twice, indices", lambda t, i: t[i], X)
program("embed_columns", LINE, [TABLE, TOKENS], [P(None, "x"), ALL], 0, "its own", lambda t, i: t[i], P(None, None, "x"))
program("embed_grad", LINE, [TABLE, TOKENS, ((B, T // 8, D), F32)], [ALL, X, X], COLUMNS + INDICES + V * D * 4 * 7 // 8, "columns, indices, the sum",
        lambda t, i, g: jnp.zeros_like(t).at[i].add(g), ALL)
program("embed_grad_rows", LINE, [TABLE, TOKENS, ((B, T // 8, D), F32)], [X, X, X], 2 * COLUMNS + INDICES, "columns twice, indices",
        lambda t, i, g: jnp.zeros_like(t).at[i].add(g))
program("tables", LINE, [((8, V, D), F32), ((B, 8), I32)], [X, P(None, "x")], 0, "its own",
        lambda t, i: jax.vmap(lambda t, i: t[i], (0, 1), 1)(t, i), P(None, "x"))

# Graphs: edges in any order
NODES, EDGES = ((B * 8, D), F32), ((B * 32,), I32)
program("messages", LINE, [NODES, EDGES], [X, X], B * 8 * D * 4 * 7 // 8, "all nodes", lambda h, s: h[s])
program("aggregate", LINE, [((B * 32, D), F32), EDGES], [X, X], B * 8 * D * 4 * 7 // 8, "the sum, in parts", lambda m, d: jax.ops.segment_sum(m, d, B * 8))

if __name__ == "__main__": main(sys.argv[1])
