"""The handlers of handlers.cc, registered for the CPU as most programs do; and what they tell."""
import ctypes
import os

import jax
import numpy as np

lib = ctypes.CDLL(os.environ['WEFT_TEST_HANDLERS'])
lib.handlers_log.restype = ctypes.c_int64
lib.handlers_log.argtypes = [ctypes.c_char_p, ctypes.c_int64]
for _name in ('counter_type_id', 'counter_type_info', 'step_type_id', 'step_type_info'):
    getattr(lib, _name).restype = ctypes.c_void_p
F32, S32, U8 = np.float32, np.int32, np.uint8


def log():
    """The lines since the last call."""
    room = ctypes.create_string_buffer(1 << 16)
    n = lib.handlers_log(room, len(room))
    return room.raw[:n].decode().splitlines()


def capsule(name):
    return jax.ffi.pycapsule(getattr(lib, name))


def pointer(address):
    return jax.ffi.pycapsule(ctypes.c_void_p(address))


def register_types(platform='cpu'):
    jax.ffi.register_ffi_type('counter', dict(type_id=pointer(lib.counter_type_id()),
                                              type_info=pointer(lib.counter_type_info())), platform=platform)
    jax.ffi.register_ffi_type('step', dict(type_id=pointer(lib.step_type_id()),
                                           type_info=pointer(lib.step_type_info())), platform=platform)


def register_all(platform='cpu'):
    register_types(platform)
    for name in ('Scale', 'Sums', 'AddInPlace', 'Swap', 'Ordinal', 'Together', 'Describe', 'CopyMemory', 'Fail',
                 'Squares', 'SquaresLater', 'Later', 'Reverse', 'Write'):
        jax.ffi.register_ffi_target(name, capsule(name), platform=platform)
    jax.ffi.register_ffi_target('Count', dict(instantiate=capsule('CountInstantiate'), execute=capsule('CountExecute')),
                                platform=platform)
    jax.ffi.register_ffi_target('Step', dict(prepare=capsule('StepPrepare'), initialize=capsule('StepInitialize'),
                                             execute=capsule('StepExecute')), platform=platform)
    for name in ('OldState', 'OldestState', 'Ask'):
        jax.ffi.register_ffi_target(name, dict(instantiate=capsule(name), execute=capsule(name)), platform=platform)
    jax.ffi.register_ffi_target('Stages', {s: capsule('Describe') for s in ('instantiate', 'prepare', 'initialize',
                                                                            'execute')}, platform=platform)


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def error_of(function, *args):
    """What the exception says."""
    try:
        jax.block_until_ready(function(*args))
    except Exception as error:
        return str(error)
    raise AssertionError('no exception')
