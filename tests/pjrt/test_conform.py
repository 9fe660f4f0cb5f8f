"""PyPI's conformance program for PJRT plugins, and what it does not ask: sizes of other versions, wrong arguments."""
import ctypes
import json
import os
import subprocess
import sys

import pytest

pytest.importorskip('pypjrt', reason='pypjrt is not there: pip install pypjrt')
abi = pytest.importorskip('pypjrt._abi.pjrt_0_114')

ADD = b'''module @add {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %r = stablehlo.add %a, %b : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}'''


@pytest.mark.parametrize('devices', [1, 3])
def test_pypjrt_conform(library, devices, tmp_path):
    run = subprocess.run([sys.executable, '-m', 'pypjrt.conform', library, '--json', tmp_path / 'report'],
                         capture_output=True, text=True, timeout=300,
                         env=dict(os.environ, WEFT_NUM_DEVICES=str(devices)))
    report = json.loads((tmp_path / 'report').read_text())
    bad = [c for c in report['checks'] if c['result'].upper() not in ('PASS', 'SKIP', 'UNSUPPORTED')]
    assert bad == [] and run.returncode == 0, run.stderr
    assert sum(c['result'].upper() == 'PASS' for c in report['checks']) >= 53


class Api:
    """The plugin's table, called with any arguments."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.GetPjrtApi.restype = ctypes.c_void_p
        self.table = abi.PJRT_Api.from_address(self.library.GetPjrtApi())

    def pointer(self, name):
        return ctypes.c_void_p.from_address(ctypes.addressof(self.table) + 40 + 8 * abi.SLOT['PJRT_' + name]).value

    def call(self, name, args):
        """None, or the error as (code, text)."""
        error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(self.pointer(name))(
            ctypes.addressof(args) if args is not None else None)
        if not error:
            return None
        text = abi.PJRT_Error_Message_Args(struct_size=40, error=error)
        code = abi.PJRT_Error_GetCode_Args(struct_size=28, error=error)
        assert self.call('Error_Message', text) is None and self.call('Error_GetCode', code) is None
        said = ctypes.string_at(text.message, text.message_size).decode()
        self.call('Error_Destroy', abi.PJRT_Error_Destroy_Args(struct_size=24, error=error))
        return code.code, said

    def new(self, name, **fields):
        struct = getattr(abi, f'PJRT_{name}_Args')
        return struct(struct_size=ctypes.sizeof(struct), **fields)

    def client(self):
        args = self.new('Client_Create')
        assert self.call('Client_Create', args) is None
        return args.client


@pytest.fixture(scope='module')
def api(library):
    return Api(library)


def test_null_and_small_arguments_are_errors(api):
    for name in abi.FUNCTIONS[:138]:
        short = name.removeprefix('PJRT_')
        if short in ('Error_Destroy', 'Error_Message'):
            continue
        assert api.call(short, None)[0] == 3, short
        tiny = abi.PJRT_Plugin_Initialize_Args(struct_size=8)
        assert api.call(short, tiny)[0] == 3, short


def test_zeroed_arguments_do_not_crash(api):
    """All fields zero: an error, or nothing to do."""
    for name in abi.FUNCTIONS[:138]:
        short = name.removeprefix('PJRT_')
        args = getattr(abi, name + '_Args')()
        args.struct_size = ctypes.sizeof(args)
        error = api.call(short, args)
        if short == 'Client_Create':
            assert error is None
            api.call('Client_Destroy', api.new('Client_Destroy', client=args.client))
        elif short.endswith('_Destroy'):
            assert error is None or error[0] == 12, short


def test_a_struct_is_not_written_beyond_its_end(api):
    """Callers before 0.73 (jaxlib 0.7) say 24 of this struct, which has 32 bytes (pjrt/calls.def)."""
    for size in 24, 32:
        room = (ctypes.c_uint8 * 64)(*[0x5a] * 64)
        args = abi.PJRT_Plugin_Attributes_Args.from_buffer(room)
        args.struct_size = size
        args.extension_start = None
        assert api.call('Plugin_Attributes', args) is None
        assert args.attributes and 0 < args.num_attributes < 100 and bytes(room[32:]) == b'\x5a' * 32


def test_a_client_of_an_older_caller(api):
    args = abi.PJRT_Client_Create_Args(struct_size=72)
    assert api.call('Client_Create', args) is None
    assert api.call('Client_Destroy', api.new('Client_Destroy', client=args.client)) is None


def compiled(api, client, text, options=b''):
    code = ctypes.create_string_buffer(text, len(text))
    program = abi.PJRT_Program(struct_size=48, code=ctypes.addressof(code), code_size=len(text),
                               format=ctypes.cast(ctypes.c_char_p(b'mlir'), ctypes.c_void_p), format_size=4)
    wire = ctypes.create_string_buffer(options, len(options) + 1)
    args = api.new('Client_Compile', client=client, program=ctypes.addressof(program),
                   compile_options=ctypes.addressof(wire), compile_options_size=len(options))
    return api.call('Client_Compile', args), args.executable


def test_errors_name_the_line(api):
    client = api.client()
    error, _ = compiled(api, client, ADD.replace(b'stablehlo.add %a, %b', b'stablehlo.add %a, %c'))
    assert error[0] == 3 and ':3:' in error[1] and '%c' in error[1]
    api.call('Client_Destroy', api.new('Client_Destroy', client=client))


@pytest.mark.parametrize('options,code', [
    (b'\xff\xff\xff', 3),                                       # a varint without an end
    (b'\x1a\x7f', 3),                                           # a message longer than all
    (b'\x10\x01', 12),                                          # arguments as one tuple
    (b'\x1a\x02\x28\x09', 3),                                   # nine partitions on one device
    (b'\x3a\x07\x0a\x05nosuc', 3),                              # an option that nobody has
    (b'\x1a\x0a\x4a\x08\x08\x01\x10\x01\x1a\x02\x08\x63', 3),   # device 99
])
def test_compile_options_that_are_wrong(api, options, code):
    client = api.client()
    error, _ = compiled(api, client, ADD, options)
    assert error and error[0] == code, error
    api.call('Client_Destroy', api.new('Client_Destroy', client=client))


def test_a_damaged_executable_is_refused(api):
    client = api.client()
    error, loaded = compiled(api, client, ADD)
    assert error is None
    got = api.new('LoadedExecutable_GetExecutable', loaded_executable=loaded)
    assert api.call('LoadedExecutable_GetExecutable', got) is None
    out = api.new('Executable_Serialize', executable=got.executable)
    assert api.call('Executable_Serialize', out) is None
    whole = bytearray(ctypes.string_at(out.serialized_bytes, out.serialized_bytes_size))

    def load(data):
        held = (ctypes.c_char * max(len(data), 1)).from_buffer_copy(bytes(data) or b'\0')
        args = api.new('Executable_DeserializeAndLoad', client=client, serialized_executable=ctypes.addressof(held),
                       serialized_executable_size=len(data))
        error = api.call('Executable_DeserializeAndLoad', args)
        if error is None:
            api.call('LoadedExecutable_Destroy', api.new('LoadedExecutable_Destroy', executable=args.loaded_executable))
        return error

    assert load(whole) is None
    for at in range(0, len(whole), 97):
        damaged = bytearray(whole)
        damaged[at] ^= 0x41
        assert load(damaged)[0] == 3, at
    for size in (0, 1, 7, 8, 9, 100, len(whole) - 1):
        assert load(whole[:size])[0] == 3, size
    api.call('LoadedExecutable_Destroy', api.new('LoadedExecutable_Destroy', executable=loaded))
    api.call('Executable_Destroy', api.new('Executable_Destroy', executable=got.executable))
    api.call('Client_Destroy', api.new('Client_Destroy', client=client))
