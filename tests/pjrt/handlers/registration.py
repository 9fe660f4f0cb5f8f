"""What is registered with jax.ffi for weft and for cpu, and what Weft refuses."""
import jax
import jax.numpy as jnp
import numpy as np

from handlers import F32, S32, capsule, error_of, lib, like, log, register_types

call = jax.ffi.ffi_call
register = jax.ffi.register_ffi_target
S = jax.ShapeDtypeStruct
x = np.ones(3, F32)

# Before JAX has looked for its platforms: mistakes are found, but nobody is there to be told.
register('early', capsule('Scale'), platform='weft')
register('early_wrong', dict(initialize=capsule('Scale')), platform='weft')
register('early_of_cpu', capsule('Scale'))
assert jax.devices()[0].platform == 'weft'


def scaled(target):
    return jax.jit(lambda v: call(target, like(v))(v, factor=F32(2), offset=np.int64(0)))


def refused(function, *args, **options):
    try:
        function(*args, **options)
    except Exception as error:
        return str(error)
    raise AssertionError('no exception')


for target in ('early', 'early_of_cpu'):
    np.testing.assert_array_equal(np.asarray(scaled(target)(x)), [2, 2, 2])
said = error_of(scaled('early_wrong'), x)
assert "'early_wrong'" in said and "it was registered, but 'early_wrong' has no handler for the stage 'execute'" in said, said

# --- versions ---

for major, minor, fine in ((0, 0, False), (0, 1, True), (0, 2, True), (0, 3, True), (0, 4, False), (1, 3, False)):
    lib.handlers_say_version(major, minor)
    name = 'version_%d_%d' % (major, minor)
    if fine:
        register(name, capsule('Describe'), platform='weft')
        np.testing.assert_array_equal(np.asarray(jax.jit(lambda v: call(name, S((0,), F32))(v))(x)), [])
        continue
    said = refused(register, name, capsule('Describe'), platform='weft')
    assert said == ("'%s' was compiled for version %d.%d of XLA's FFI: Weft calls handlers of 0.1 to 0.3"
                    % (name, major, minor)), said
    said = error_of(jax.jit(lambda v: call(name, like(v))(v)), x)
    assert 'it was registered, but' in said and 'was compiled for version' in said, said
lib.handlers_say_version(0, 3)
register('version_0_4', capsule('Describe'), platform='weft')  # another try
jax.jit(lambda v: call('version_0_4', S((0,), F32))(v))(x).block_until_ready()
log()

# --- stages, names ---

said = refused(register, 'a', dict(instantiate=capsule('CountInstantiate')), platform='weft')
assert "FFI handlers must be registered" in said or "has no handler for the stage 'execute'" in said, said
said = refused(register, 'a', dict(execute=capsule('Scale'), run=capsule('Scale')), platform='weft')
assert said == "'a' has a handler for 'run', which is no stage: instantiate, prepare, initialize, execute are", said
said = refused(register, 'a', capsule('Scale'), platform='weft', api_version=0)
assert said == "'a' has api_version 0: Weft calls typed functions only, of api_version 1", said
said = refused(register, 'Count', dict(instantiate=capsule('CountInstantiate'), execute=capsule('CountExecute')),
               platform='weft')
assert 'Types used by FFI handlers must be registered before' in said, said
register_types('weft')
register_types('weft')  # is what is there
register('Count', dict(instantiate=capsule('CountInstantiate'), execute=capsule('CountExecute')), platform='weft')
assert int(jax.jit(lambda: call('Count', S((), S32))(begin=S32(7)))()) == 7
register_types('cpu')  # of the number that they have
register('twice', capsule('Scale'), platform='weft')
register('twice', capsule('Scale'), platform='weft')
said = refused(register, 'twice', capsule('Reverse'), platform='weft')
assert said == "'twice' is registered already, with other handlers", said
np.testing.assert_array_equal(np.asarray(scaled('twice')(x)), [2, 2, 2])

# Weft's own goes before the CPU's.
register('either', capsule('Reverse'))
register('either', capsule('Scale'), platform='weft')
np.testing.assert_array_equal(np.asarray(scaled('either')(x)), [2, 2, 2])

# --- programs ---

said = error_of(scaled('earlie'), x)
assert said.startswith('UNIMPLEMENTED: ') and "no code for custom call target 'earlie'" in said, said
assert "jax.ffi.register_ffi_target('earlie', function) makes a function of the process the target; did you mean 'early'?" in said, said
said = error_of(jax.jit(lambda v: call('early', like(v), custom_call_api_version=2)(v)), x)
assert 'the call is of an older interface: only calls of api_version 4 are made' in said, said
said = error_of(jax.jit(lambda v: call('early', like(v))(v, pair=(1, 2))), x)
assert "attribute 'pair' of 'early' is no scalar, array, text or dictionary: functions take no others" in said, said

# A routine of LAPACK is Weft's own where it fits; of other calls of the name the function is what jaxlib registered.
np.testing.assert_allclose(np.asarray(jnp.linalg.cholesky(jnp.eye(3) * 4)), np.eye(3) * 2)
said = error_of(jax.jit(lambda: call('lapack_spotrf_ffi', S((), F32))()))
assert said.startswith('INVALID_ARGUMENT: ') and 'Wrong number of arguments' in said, said
