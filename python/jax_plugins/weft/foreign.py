"""Functions registered with jax.ffi: XLA's typed foreign function interface.

The plugin has a registry of them (XLA_FFI_GetApi, pjrt/ffi_api.h). What a program registers for "weft" goes there. What
it registers for "cpu", which is what most write, goes there too, and to XLA as before: devices of Weft's have the host's
memory. A handler that XLA takes and Weft does not is refused when a program calls it on Weft, with the reason.
"""

import ctypes
import logging

_log = logging.getLogger(__name__)
_kept = []  # capsules, whose functions the plugin may call as long as the process runs
_STAGES = ("instantiate", "prepare", "initialize", "execute")
_FUNCTIONS = (  # of the plugin's table, in its order
    "Error_Create", "Error_GetMessage", "Error_Destroy", "Handler_Register", "Stream_Get", "Type_Register",
)


class _Span(ctypes.Structure):
    _fields_ = [("p", ctypes.c_char_p), ("n", ctypes.c_size_t)]


class _Api(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), ("version_size", ctypes.c_size_t),
                ("version_extensions", ctypes.c_void_p), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("internal", ctypes.c_void_p)] + [(name, ctypes.c_void_p) for name in _FUNCTIONS]


def _arguments(*fields):
    class Arguments(ctypes.Structure):
        _fields_ = [("size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), *fields]

    return Arguments


_Target = _arguments(("name", _Span), ("platform", _Span), ("handlers", ctypes.c_void_p * 4), ("traits", ctypes.c_uint32))
_Type = _arguments(("name", _Span), ("type_id", ctypes.c_void_p), ("info", ctypes.c_void_p))
_Message = _arguments(("error", ctypes.c_void_p), ("message", ctypes.c_char_p))
_Error = _arguments(("error", ctypes.c_void_p))


def _span(text):
    data = text if isinstance(text, bytes) else text.encode()
    return _Span(data, len(data))


def _address(capsule):
    """Of what a capsule, of whichever name, points to."""
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))


class Registry:
    def __init__(self, library):
        entry = ctypes.CDLL(library).XLA_FFI_GetApi
        entry.restype = ctypes.POINTER(_Api)
        self._api = entry().contents

    def _call(self, name, arguments, result=ctypes.c_void_p):
        arguments.size = ctypes.sizeof(arguments)
        return ctypes.CFUNCTYPE(result, ctypes.c_void_p)(getattr(self._api, name))(ctypes.addressof(arguments))

    def _check(self, error):
        if not error:
            return
        message = _Message(error=error)
        self._call("Error_GetMessage", message, None)
        text = message.message.decode(errors="replace")
        self._call("Error_Destroy", _Error(error=error), None)
        raise ValueError(text)

    def target(self, name, function, platform, api_version):
        if api_version != 1:
            raise ValueError(f"'{name}' has api_version {api_version}: Weft calls typed functions only, of api_version 1")
        stages = function if isinstance(function, dict) else {"execute": function}
        unknown = [s for s in stages if s not in _STAGES]
        if unknown:
            raise ValueError(f"'{name}' has a handler for '{unknown[0]}', which is no stage: {', '.join(_STAGES)} are")
        handlers = (ctypes.c_void_p * 4)(*(_address(stages[s]) if stages.get(s) is not None else None for s in _STAGES))
        _kept.append(function)
        self._check(self._call("Handler_Register", _Target(
            name=_span(name), platform=_span(platform), handlers=handlers)))

    def type(self, name, registration):
        if not isinstance(registration, dict):
            registration = {"type_id": registration}
        info = registration.get("type_info")
        _kept.append(registration)
        self._check(self._call("Type_Register", _Type(
            name=_span(name), type_id=_address(registration["type_id"]), info=None if info is None else _address(info))))


def install(name, library):
    from jaxlib import xla_client

    registry = Registry(library)
    host = xla_client.xla_platform_names.get("cpu", "cpu")
    starting = True

    def forward(register, what, *rest):
        """Of mistakes in what was registered before Weft was there nobody can be told but the log."""
        try:
            register(what, *rest)
        except Exception as error:
            if not starting:
                raise
            _log.warning("'%s' is not registered with jax.ffi: %s", what, error)

    def too(register, what, *rest):
        """What Weft does not take of the CPU's is refused in the program that calls it, with the reason."""
        try:
            register(what, *rest)
        except Exception as error:
            _log.debug("'%s' is not registered with Weft: %s", what, error)

    def target_of_weft(target, function, platform, api_version=0, *rest):
        forward(registry.target, target, function, name, api_version)

    def targets_of_cpu(theirs):
        def register(target, function, platform, api_version=0, *rest):
            forward(theirs, target, function, platform, api_version, *rest)
            too(registry.target, target, function, "cpu", api_version)

        return register

    def type_of_weft(type_name, registration):
        forward(registry.type, type_name, registration)

    def types_of_cpu(theirs):
        def register(type_name, registration):
            forward(theirs, type_name, registration)
            too(registry.type, type_name, registration)

        return register

    def hook(handlers, register, wrap, theirs):
        """Before or after JAX has made its client for the CPU, which asks for a handler, too."""
        if host in handlers:
            handlers[host] = wrap(handlers[host])
        else:
            register(host, wrap(theirs))

    for kind in ("register_custom_type", "register_custom_type_id"):  # of newer and older versions of jaxlib
        if hasattr(xla_client, kind + "_handler"):
            register_types = getattr(xla_client, kind + "_handler")
            hook(xla_client._custom_type_id_handler, register_types, types_of_cpu, getattr(xla_client._xla, kind))
            register_types(name, type_of_weft)
    hook(xla_client._custom_callback_handler, xla_client.register_custom_call_handler, targets_of_cpu,
         xla_client._xla.register_custom_call_target)
    xla_client.register_custom_call_handler(name, target_of_weft)
    starting = False
