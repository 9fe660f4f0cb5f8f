"""Calls from programs back into Python: jax.pure_callback, io_callback, jax.debug.callback and jax.debug.print.

A program has the number of a callback, and Weft calls `_call` with it, on the thread of the device, with the addresses
of operands and results. A number is of one run: a program that JAX has cached on disk names none of another. The
processes of a job compile equal programs, so a function has the same number in all of them: it comes from what is
random in the run, the function's name, and how often a function of this name was lowered before.
"""

import atexit
import ctypes
import functools
import hashlib
import os
import secrets
import threading
import time
import traceback
import weakref

import numpy as np

TARGET = "weft_callback"
_callbacks = weakref.WeakValueDictionary()
_lock = threading.Lock()
_held = {}  # under the lock, by number: the callback, and how many loaded programs call it
_lowered = {}  # under the lock, by name: how often
_HOLD, _LET_GO, _INSPECT = -1, -2, -3  # pjrt/impl.h


@functools.cache
def _run_name():
    """A text that is equal in the processes of this run, and another one in other runs."""
    from jax._src import distributed

    mine = secrets.token_hex(16)
    store = distributed.global_state.client
    if store is not None:
        if distributed.global_state.process_id == 0:
            store.key_value_set("weft_callbacks", mine)
        return store.blocking_key_value_get("weft_callbacks", 600_000)
    launch = [os.environ[n] for n in ("WEFT_RENDEZVOUS", "PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID") if n in os.environ]
    return " ".join(launch) if os.environ.get("WEFT_PJRT_ALONE") != "1" and launch else mine


def _number(function):
    inner = function
    while hasattr(inner, "func") or hasattr(inner, "__wrapped__"):
        inner = getattr(inner, "func", None) or inner.__wrapped__
    name = f"{getattr(inner, '__module__', '')}.{getattr(inner, '__qualname__', '')}"
    with _lock:
        count = _lowered[name] = _lowered.get(name, 0) + 1
    digest = hashlib.sha256(f"{_run_name()} {name} {count}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 2


def _array(address, shape, dtype):
    """The memory at address as an array; of no element where there is none."""
    count = int(np.prod(shape, dtype=np.int64))
    if not count:
        return np.empty(shape, dtype)
    raw = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(raw, dtype).reshape(shape)


def _kinds(avals):
    return [(a.shape, np.dtype(a.dtype)) for a in avals]


class _Callback:
    """A function of arrays, which returns arrays."""

    def __init__(self, function, operands, results):
        self.function, self.operands, self.results = function, _kinds(operands), _kinds(results)

    def run(self, operands, results):
        given = [_array(operands[i], *kind).copy() for i, kind in enumerate(self.operands)]
        got = self.function(*given)
        if len(got) != len(self.results):
            raise RuntimeError(
                f"Mismatched number of outputs from callback. Expected: {len(self.results)}, Actual: {len(got)}"
            )
        for i, (shape, dtype) in enumerate(self.results):
            value = np.asarray(got[i])
            if value.shape != shape:
                raise RuntimeError(
                    f"Incorrect output shape for return value #{i}: Expected: {shape}, Actual: {value.shape}"
                )
            if value.dtype != dtype:
                raise RuntimeError(
                    f"Incorrect output dtype for return value #{i}: Expected: {dtype}, Actual: {value.dtype}"
                )
            _array(results[i], shape, dtype)[...] = value


class _Buffer:
    """A buffer as jax.experimental.buffer_callback gives it: memory of an operand or result during the call."""

    def __init__(self, array, writeable):
        array.flags.writeable = writeable
        self._array, self.dtype, self.shape, self.ndim, self.writeable = array, array.dtype, array.shape, array.ndim, writeable

    def __array__(self, dtype=None, copy=None):
        if dtype is not None and np.dtype(dtype) != self.dtype:
            if copy is False:
                raise ValueError(f"a buffer of {self.dtype} is no array of {np.dtype(dtype)} without a copy")
            return self._array.astype(dtype)
        return self._array.copy() if copy else self._array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**dict({"max_version": (1, 0)}, **options))

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class _Context:
    """Of a call: it is on the host, and there are no other stages."""

    def __init__(self):
        from jax.experimental.buffer_callback import ExecutionStage

        self.stage = ExecutionStage.EXECUTE

    @property
    def stream(self):
        from jax.errors import JaxRuntimeError

        raise JaxRuntimeError("UNIMPLEMENTED: XLA FFI GPU context is not available")


class _BufferCallback(_Callback):
    """A function that writes into its results' memory. aliases: of operands that are a result, too, its number."""

    def __init__(self, function, operands, results, aliases):
        super().__init__(function, operands, results)
        self.aliases = aliases

    def run(self, operands, results):
        out = [_array(results[i], *kind) for i, kind in enumerate(self.results)]
        given = []
        for i, kind in enumerate(self.operands):
            array = _array(operands[i], *kind)
            if i in self.aliases:
                out[self.aliases[i]][...] = array
                array = out[self.aliases[i]].view()
            given.append(_Buffer(array, False))
        self.function(_Context(), *given, *(_Buffer(array, True) for array in out))


def _hold(number):
    with _lock:
        callback, count = _held.get(number, (_callbacks.get(number), 0))
        if callback is not None:
            _held[number] = callback, count + 1


def _let_go(number):
    with _lock:
        callback, count = _held.pop(number, (None, 0))
        if count > 1:
            _held[number] = callback, count - 1


def _run(number, operands, results):
    callback = _callbacks.get(number)
    if callback is None:
        raise RuntimeError("the program calls a Python function that is gone, or was another process's")
    callback.run(operands, results)


_POINTERS = ctypes.POINTER(ctypes.c_void_p)


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64, ctypes.c_int, _POINTERS, ctypes.c_int, _POINTERS, ctypes.c_void_p, ctypes.c_size_t)
def _call(number, operand_count, operands, result_count, results, why, room):
    try:
        if operand_count == _HOLD:
            _hold(number)
        elif operand_count == _LET_GO:
            _let_go(number)
        elif operand_count == _INSPECT:
            _callbacks[number].tell(ctypes.string_at(operands[0], result_count))
        else:
            _run(number, operands, results)
        return 0
    except BaseException as error:
        said = f"CpuCallback error: {type(error).__name__}: {error}\n{traceback.format_exc()}"
        text = said.encode(errors="replace")[: room - 1] + b"\0"
        ctypes.memmove(why, text, len(text))
        return 1


def address():
    """Where Weft finds the function above, for the client's option python_callback."""
    return ctypes.cast(_call, ctypes.c_void_p).value


class _Calls(ctypes.Structure):
    """Of programs that call back: how many are under way, and whether no other one may begin (pjrt/impl.h)."""

    _fields_ = [("under_way", ctypes.c_int64), ("ending", ctypes.c_int64)]


@functools.cache
def counts():
    """Where Weft counts, for the client's option python_calls.

    A thread of a device that calls Python when the interpreter is at its end never returns. So the interpreter's end
    waits for the programs that do, as it does with JAX's CPU. Interrupted, it waits no longer.
    """
    calls, process = _Calls(), os.getpid()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(calls))  # Weft's threads may outlive this module

    @atexit.register
    def finish():
        if os.getpid() != process:  # a fork, without the threads of devices
            return
        calls.ending = 1
        while calls.under_way:
            time.sleep(0.001)

    return ctypes.addressof(calls)


def _is_for_each_device(context):
    """Whether the program is one device's, as inside of shard_map and pmap."""
    from jax._src.interpreters import mlir  # noqa: F401
    from jax._src import sharding_impls

    manual = getattr(context, "manual_axes", None)
    return bool(manual) or isinstance(context, getattr(sharding_impls, "ReplicaAxisContext", ()))


def _lowered_call(ctx, operands, entry, function, has_side_effect, partitioned=False):
    """Of entry, whose number has the name of function."""
    from jax import ffi

    number = _number(function)
    _callbacks[number] = entry
    ctx.module_context.add_keepalive(entry)
    each = partitioned or _is_for_each_device(ctx.module_context.axis_context)
    return ffi.ffi_lowering(TARGET, has_side_effect=has_side_effect)(
        ctx, *operands, id=np.int64(number), once=np.int64(0 if each else 1)
    )


def install_buffers(name):
    """jax.experimental.buffer_callback, of newer versions of JAX."""
    from jax._src import buffer_callback as buffers
    from jax._src import tree_util
    from jax._src.interpreters import mlir

    def lowering(ctx, *operands, callback, in_tree, out_tree, has_side_effect, input_output_aliases, **_):
        def flat(context, *arrays):
            inputs, keywords = tree_util.tree_unflatten(in_tree, arrays[: in_tree.num_leaves])
            outputs = tree_util.tree_unflatten(out_tree, arrays[in_tree.num_leaves :])
            if callback(context, outputs, *inputs, **keywords) is not None:
                raise ValueError("buffer_callback callback must not return any values.")

        entry = _BufferCallback(flat, ctx.avals_in, ctx.avals_out, dict(input_output_aliases))
        return _lowered_call(ctx, operands, entry, callback, has_side_effect)

    mlir.register_lowering(buffers.buffer_callback_p, lowering, platform=name)


class _Inspection:
    """A function that is told the sharding of a value when the program is compiled."""

    def __init__(self, function, mesh, devices):
        self.function, self.mesh, self.devices = function, mesh, devices

    def tell(self, message):
        from jax._src import sharding_impls
        from jax._src.lib import xla_client
        from jax.sharding import NamedSharding, PartitionSpec

        proto = xla_client.OpSharding()
        proto.ParseFromString(message)
        sharding = xla_client.HloSharding.from_proto(proto)
        if self.mesh.empty:
            self.function(sharding_impls.GSPMDSharding(self.devices, sharding))
        elif sharding.is_manual():
            self.function(NamedSharding(self.mesh, PartitionSpec()))
        else:
            self.function(NamedSharding(self.mesh, sharding_impls.parse_flatten_op_sharding(sharding, self.mesh)[0]))


def install_inspection(name):
    """jax.debug.inspect_array_sharding, and visualize_array_sharding inside of jit."""
    from jax._src import debugging, sharding_impls
    from jax._src import mesh as meshes
    from jax._src.interpreters import mlir

    theirs = debugging._inspect_sharding_lowering_rule

    def lowering(ctx, value, *, callback):
        axes = ctx.module_context.axis_context
        mesh = meshes.thread_resources.env.physical_mesh
        if isinstance(axes, sharding_impls.SPMDAxisContext):
            mesh, devices = axes.mesh, axes.mesh._flat_devices_tuple
        else:
            devices = getattr(axes, "device_assignment", None)
            abstract = getattr(axes, "abstract_mesh", None)
            if devices is not None and abstract is not None:
                mesh = meshes.Mesh(np.array(devices).reshape(abstract.axis_sizes), abstract.axis_names)
        if devices is None or len(devices) == 1:
            return theirs(ctx, value, callback=callback)  # which knows the sharding of one device
        number = _number(callback)
        entry = _callbacks[number] = _Inspection(callback, mesh, devices)
        ctx.module_context.add_keepalive(entry)
        mlir.custom_call("InspectSharding", result_types=[value.type], operands=[value], backend_config=str(number),
                         has_side_effect=True, api_version=1)
        return []

    mlir.register_lowering(debugging.inspect_sharding_p, lowering, platform=name)


def install(name):
    import dataclasses

    from jax._src import callback as callbacks
    from jax._src import dtypes
    from jax.interpreters import mlir as public

    theirs = callbacks.emit_python_callback

    def emit_python_callback(ctx, callback, token, operands, operand_avals, result_avals, *, has_side_effect,
                             returns_token=True, partitioned=False, sharding=None):
        platforms = ctx.module_context.platforms
        if len(platforms) != 1 or platforms[0] != name:
            return theirs(ctx, callback, token, operands, operand_avals, result_avals, has_side_effect=has_side_effect,
                          returns_token=returns_token, partitioned=partitioned, sharding=sharding)

        def canonical(*args):
            return tuple(dtypes.canonicalize_value(np.asarray(a)) for a in callback(*args))

        entry = _Callback(canonical, operand_avals, result_avals)
        inner = dataclasses.replace(ctx, avals_in=list(operand_avals), avals_out=list(result_avals))
        results = _lowered_call(inner, operands, entry, callback, has_side_effect, partitioned)
        return results, token, entry

    callbacks.emit_python_callback = emit_python_callback
    if getattr(public, "emit_python_callback", None) is theirs:  # for lowerings outside of JAX's core
        public.emit_python_callback = emit_python_callback
