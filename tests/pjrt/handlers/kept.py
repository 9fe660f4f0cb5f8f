"""An executable with calls of handlers, as bytes: written by one process, read by another. The arguments: the file, then
`write`, `read`, or `call`, with JAX's cache; `_without` registers nothing."""
import pickle
import sys

import jax
import numpy as np
from jax.experimental import serialize_executable

from handlers import F32, S32, like, register_all

path, what = sys.argv[1:]
if not what.endswith('_without'):
    register_all()
x = np.arange(4, dtype=F32)
S = jax.ShapeDtypeStruct


def program(v):
    y = jax.ffi.ffi_call('Scale', like(v))(v, factor=F32(2), offset=np.int64(1))
    return y, jax.ffi.ffi_call('Count', S((), S32))(begin=S32(3))


if what.startswith('call'):
    try:
        y, count = jax.jit(program)(x)
    except Exception as error:
        assert what == 'call_without' and "register_ffi_target('" in str(error), error
        sys.exit()
    assert what == 'call' and int(count) == 3
    np.testing.assert_array_equal(np.asarray(y), x * 2 + 1)
    sys.exit()
if what == 'write':
    compiled = jax.jit(program).lower(x).compile()
    with open(path, 'wb') as file:
        pickle.dump(serialize_executable.serialize(compiled), file)
    compiled(x)
    sys.exit()
with open(path, 'rb') as file:
    kept = pickle.load(file)
try:
    loaded = serialize_executable.deserialize_and_load(*kept)
except Exception as error:
    assert what == 'read_without', error
    lines = str(error).splitlines()
    assert len(lines) == 1 and lines[0].startswith('NOT_FOUND: '), error
    assert "jax.ffi.register_ffi_target('" in lines[0] and 'kept.py:' in lines[0], error
    sys.exit()
assert what == 'read'
y, count = loaded(x)
np.testing.assert_array_equal(np.asarray(y), x * 2 + 1)
assert int(count) == 3 and int(loaded(x)[1]) == 4
