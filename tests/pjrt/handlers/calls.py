"""Calls of handlers from programs on Weft, compared with the same programs on JAX's CPU; one device."""
import gc
import threading

import jax
import jax.extend
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.interpreters import mlir

from handlers import F32, S32, U8, error_of, like, log, register_all

register_all()  # before JAX has looked for its platforms
cpu = jax.devices('cpu')[0]
weft = jax.devices()[0]
assert weft.platform == 'weft', weft
S = jax.ShapeDtypeStruct
call = jax.ffi.ffi_call
x = np.arange(12, dtype=F32).reshape(3, 4) / 4


def both(function, *args, **options):
    """Weft's results, which are those of the CPU to the bit."""
    results = []
    for device in (weft, cpu):
        with jax.default_device(device):
            got = jax.jit(function, **options)(*[jax.device_put(a, device) for a in args])
            results.append([np.asarray(r) for r in jax.tree.leaves(got)])
    assert len(results[0]) == len(results[1]) > 0
    for a, b in zip(*results):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype
    return results[0] if len(results[0]) > 1 else results[0][0]


def scale(v, factor=2, offset=1, **options):
    return call('Scale', like(v), **options)(v, factor=F32(factor), offset=np.int64(offset))


# Attributes, several results, in larger programs and by themselves.
np.testing.assert_array_equal(both(lambda v: scale(v) + 1, x), x * 2 + 2)
np.testing.assert_array_equal(both(lambda v: scale(scale(v * 3), offset=-5).sum(0), x), ((x * 3 * 2 + 1) * 2 - 5).sum(0))
rows, most, at = both(lambda v: call('Sums', (S((3,), F32), S((), F32), S((), S32)))(v), -x)
assert most == 0 and at == 0 and rows.shape == (3,)
both(lambda v: scale(v), np.zeros((0, 4), F32))
both(lambda v: scale(v), F32(3))


# --- attributes and buffers as the handler sees them ---

def described(*args, **attributes):
    def program(*a):
        return call('Describe', (S((900,), U8), S((2, 0), np.int8), S((), np.bool)))(*a, **attributes)[0]

    return lambda: bytes(both(program, *args)).decode().rstrip()


log()
text = described(x, np.int8([1, 2]), np.ones((2, 1), jnp.bfloat16), np.array(True), np.ones(3, np.complex64), a=1, b=2.5,
                 c='text', d=np.arange(3), e=F32(1), f=True, h=np.array(3.), i=np.array([], S32),
                 j=np.array([[1, 2], [3, 4]], np.int8), l=np.uint8(200), z='', many=np.full(5, 7, np.uint16))()
assert text.startswith('stage 3 (11 3 4) (2 2) (16 2 1) (1) (15 3) -> (6 900) (2 2 0) (1) {a=scalar 5:1:0100000000000000; '), text
assert "c='text'; d=array 5:3:0000" in text and 'f=scalar 1:1:01; ' in text and "many=array 7:5:07000700070007000700; z=''; }" in text, text
# Dictionaries in dictionaries are no parameters of JAX's own primitive: one of this program's has them.
nested = jax.extend.core.Primitive('nested')
nested.def_abstract_eval(lambda v: jax.core.ShapedArray((400,), U8))
mlir.register_lowering(nested, lambda ctx, v: jax.ffi.ffi_lowering('Describe')(
    ctx, v, table=dict(b=np.int64(2), a=dict(inner='deep', empty={}), c=np.float64(.5)), after=1))
text = bytes(both(nested.bind, x)).decode().rstrip()
assert "{after=scalar 5:1:0100000000000000; table={a={empty={}; inner='deep'; }; b=scalar 5:1:02" in text, text
# XLA takes no such attributes.
only = jax.jit(lambda v: call('Describe', S((400,), U8))(v, half=np.float16(1), bits=np.array([True, False]),
                                                         pair=np.array([1 + 2j], np.complex64)))
text = bytes(np.asarray(only(x))).decode()
assert '{bits=array 1:2:0100; half=scalar 10:1:003c; pair=array 15:1:0000803f00000040; }' in text, text
log()


# --- memory ---

def in_place(v, by=1):
    return call('AddInPlace', like(v), input_output_aliases={0: 0})(v, by=F32(by))


np.testing.assert_array_equal(both(lambda v: (in_place(v), v), x)[0], x + 1)
np.testing.assert_array_equal(both(lambda v: (in_place(v) + v, in_place(v * 2)), x)[0], x + 1 + x)
np.testing.assert_array_equal(both(lambda v: in_place(in_place(v)), x), x + 1 + 1)
a, b = both(lambda v: call('Swap', (like(v), like(v)), input_output_aliases={0: 1, 1: 0})(v, v * 10), x)
np.testing.assert_array_equal(a, x * 10 + 1)
np.testing.assert_array_equal(b, x + 2)
both(lambda v: call('Swap', (like(v), like(v)), input_output_aliases={0: 1, 1: 0})(v, v), x)
given = jax.device_put(x, weft)
taken = jax.jit(in_place, donate_argnums=0)(given)
np.testing.assert_array_equal(np.asarray(taken), x + 1)
assert given.is_deleted()
# XLA's CPU has no such memory.
np.testing.assert_array_equal(np.asarray(jax.jit(lambda v: call('Reverse', like(v))(v))(x)), x[::-1, ::-1])

# Layouts: the handler sees dimensions as they are called, and memory as it was asked for.
got = both(lambda v: call('CopyMemory', S((12,), F32), input_layouts=[(1, 0)])(v), x)
np.testing.assert_array_equal(got, x.T.ravel())
got = both(lambda v: call('CopyMemory', S((4, 3), F32), output_layouts=(1, 0))(v), x)
np.testing.assert_array_equal(got, x.ravel().reshape(3, 4).T)

# Elements of less than a byte come without gaps.
for dtype, values in ((jnp.int4, [1, -2, 3, 7, -8]), (jnp.uint4, [1, 15, 3, 7, 8]), (jnp.int2, [1, -2, 0, -1, 1]),
                      (jnp.uint2, [1, 2, 0, 3, 1]), (jnp.float4_e2m1fn, [.5, -6, 3, 0, 1])):
    v = np.array(values).astype(dtype)
    both(lambda v: call('CopyMemory', S((1,), U8))(v), v)
    np.testing.assert_array_equal(both(lambda v: call('CopyMemory', like(v))(v), v).astype(F32), np.float32(values))

# --- transformations and control flow ---

for method in ('sequential', 'sequential_unrolled', 'expand_dims', 'broadcast_all'):
    both(jax.vmap(lambda v: scale(v, vmap_method=method)), x)
both(lambda v: lax.scan(lambda c, r: (scale(c) + r, in_place(r)), jnp.zeros(4), v), x)
both(lambda v: lax.fori_loop(0, 5, lambda i, c: scale(c, .5, 0), v), x)
both(lambda v: lax.cond(v.sum() > 0, scale, in_place, v), x)
both(lambda v: lax.cond(v.sum() > 100, scale, in_place, v), x)


@jax.custom_vjp
def tripled(v):
    return scale(v, 3, 0)


tripled.defvjp(lambda v: (tripled(v), None), lambda _, g: (scale(g, 3, 0),))
np.testing.assert_array_equal(both(jax.grad(lambda v: tripled(v).sum()), x), np.full_like(x, 3))

# --- states ---


def counted(begin):
    return call('Count', S((), S32))(begin=S32(begin))


log()
program = jax.jit(lambda: (counted(10), counted(100)))
assert [tuple(int(v) for v in program()) for _ in range(3)] == [(10, 100), (11, 101), (12, 102)]
assert log() == ['instance made'] * 2
again = jax.jit(lambda: lax.fori_loop(0, 4, lambda i, c: c + counted(1), 0))
assert (int(again()), int(again())) == (1 + 2 + 3 + 4, 5 + 6 + 7 + 8)
assert log() == ['instance made']
del program, again
jax.clear_caches()
gc.collect()
jax.jit(lambda v: v - 1)(x).block_until_ready()  # what was let go is taken away by the next call
assert log() == ['instance ended'] * 3, log()
said = error_of(jax.jit(lambda: counted(-1)))
assert said.startswith('OUT_OF_RANGE: ') and "'Count': it begins below zero" in said and 'calls.py:' in said, said
assert int(jax.jit(lambda: call('OldState', S((), S32))())()) == 42
assert int(jax.jit(lambda: call('OldestState', S((), S32))())()) == 41
jax.clear_caches()
gc.collect()
jax.jit(lambda v: v - 1)(x).block_until_ready()
assert sorted(log()) == ['instance ended', 'instance made', 'old state ended']

# Stages that XLA's CPU leaves out: before the first call of each execution.
step = jax.jit(lambda: lax.fori_loop(0, 3, lambda i, c: c + call('Step', S((), S32))(), 0))
ended = lambda: [line for line in log() if line.startswith('step')]
assert int(step()) == 3 * 1015 and ended() == []
assert int(step()) == 3 * 1015 and ended() == ['step ended 15', 'step ended 10']
jax.jit(lambda v: call('Stages', like(v))(v))(x).block_until_ready()
assert [line[:8] for line in log() if line.startswith('stage')] == ['stage 0 ', 'stage 1 ', 'stage 2 ', 'stage 3 ']

# --- failures ---

NAMES = ('CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED '
         'RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS '
         'UNAUTHENTICATED').split()
for code, name in enumerate(NAMES, 1):
    said = error_of(jax.jit(lambda v: call('Fail', like(v))(v, code=S32(code), text='in words')), x)
    assert said.startswith(name + ': ') and 'in words' in said, said
said = error_of(jax.jit(lambda v: call('Scale', like(v))(v, factor=F32(1), other=np.int64(1))), x)
assert said.startswith('INVALID_ARGUMENT: ') and 'offset' in said, said
said = error_of(jax.jit(lambda v: call('Scale', S((3,), S32))(v, factor=F32(1), offset=np.int64(1))), x)
assert 'Wrong buffer dtype' in said, said
np.testing.assert_array_equal(np.asarray(jax.jit(scale)(x)), x * 2 + 1)  # and the device goes on

# --- threads and futures ---

big = np.arange(100_000, dtype=F32)
for tasks in (1, 3, 64):
    np.testing.assert_array_equal(both(lambda v: call('Squares', like(v))(v, tasks=S32(tasks)), big), big * big)
    np.testing.assert_array_equal(both(lambda v: call('SquaresLater', like(v))(v, tasks=S32(tasks)) + 1, big), big * big + 1)
np.testing.assert_array_equal(both(lambda v: call('Later', like(v))(v, code=S32(0)) * 2, x), -x * 2)
said = error_of(jax.jit(lambda v: call('Later', like(v))(v, code=S32(9))), x)
assert said.startswith('FAILED_PRECONDITION: ') and 'it failed later' in said, said

# --- tokens and effects ---


def writes(v):
    token = lax.create_token()
    out = []
    for i in range(3):
        token, y = call('Write', (jax.core.abstract_token, S((), S32)))(token, v + i)
        out.append(y)
    return out


log()
assert [int(v) for v in both(writes, S32(5))] == [5, 6, 7]
assert log() == ['write 5', 'write 6', 'write 7'] * 2
jax.jit(lambda v: call('Describe', (), has_side_effect=True)(v))(x)
jax.jit(lambda v: v + 1)(x).block_until_ready()  # after it, on the device
assert [line[:8] for line in log()] == ['stage 3 ']

# --- what the interface says no to ---

jax.jit(lambda: call('Ask', S((), S32))())().block_until_ready()
said = dict(line.split(': ', 1) for line in log() if ': ' in line)
assert said['stream'] == "Weft's devices have no streams" and 'have 8 bytes, of 32 or more' in said['size'], said
assert said['get'] == 'the state of this stage is not set' and said['stage'].startswith('there is no state of the stage'), said
assert said['set'] == 'a handler sets the state of its own stage only', said
assert said['twice'] == 'the state of this stage is set already', said
assert said['type'].startswith("the state's type is not registered with Weft"), said
assert said['other'] == 'the state of this stage is of another type', said
assert said['device'] == 'a call is not made on a device while it is instantiated', said
assert said['data'] == 'the execution has no data of the type with number 77', said
assert said['alignment'] == 'no alignment of memory: 3' and said['memory'] == said['free'] == 'fine', said
assert said['future'] == 'a future fails without an error', said

# --- several threads of the program at once ---

jitted = jax.jit(lambda v: scale(in_place(v)))
errors = []


def work(k):
    for i in range(20):
        got = np.asarray(jitted(np.full((64,), k + i, F32)))
        if not (got == (k + i + 1) * 2 + 1).all():
            errors.append((k, i, got))


threads = [threading.Thread(target=work, args=(100 * k,)) for k in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not errors, errors[0]
