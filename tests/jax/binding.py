"""Weft from Python, through its C API alone (include/weft/graph.h) and ctypes.

    program = weft.Program(jax.jit(f).lower(x, y).as_text())
    out, = program(x, y)

A program runs on one device in this process. Arrays are NumPy's, with ml_dtypes for what NumPy lacks. What the library
reports is raised as weft.Error, every diagnostic a line of its text.
"""
import ctypes
import os
import re

import ml_dtypes
import numpy as np

LIBRARY = os.environ.get('WEFT_LIBRARY') or os.path.join(
    os.environ.get('top_builddir') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../build'), '.libs/libweft.so')

DTYPES = {'i1': np.bool_, 'f16': np.float16, 'f32': np.float32, 'f64': np.float64, 'bf16': ml_dtypes.bfloat16,
          'complex<f32>': np.complex64, 'complex<f64>': np.complex128}
DTYPES |= {sign + 'i%d' % bits: getattr(np, sign + 'int%d' % bits) for sign in ('', 'u') for bits in (8, 16, 32, 64)}
DTYPES |= {sign + 'i%d' % bits: getattr(ml_dtypes, sign + 'int%d' % bits) for sign in ('', 'u') for bits in (2, 4)}
DTYPES |= {'f%d%s' % (bits, kind): getattr(ml_dtypes, 'float%d_%s' % (bits, kind.lower())) for bits, kinds in
           ((4, 'E2M1FN'), (6, 'E2M3FN E3M2FN'), (8, 'E3M4 E4M3 E4M3FN E4M3FNUZ E4M3B11FNUZ E5M2 E5M2FNUZ E8M0FNU')) for kind in kinds.split()}


class Error(Exception):
    """A call that failed, with what was reported."""


class Diag(ctypes.Structure):
    _fields_ = [('severity', ctypes.c_int), ('status', ctypes.c_int), ('flag', ctypes.c_char_p), ('file', ctypes.c_char_p),
                ('line', ctypes.c_int64), ('column', ctypes.c_int64), ('message', ctypes.c_char_p)]


class Options(ctypes.Structure):
    _fields_ = [('launch', ctypes.c_int), ('timeout_s', ctypes.c_double), ('world', ctypes.c_void_p),
                ('constraints', ctypes.c_int), ('threads', ctypes.c_int), ('memory_bytes', ctypes.c_int64),
                ('precision', ctypes.c_int), ('size', ctypes.c_size_t)]


def check_fields():
    """A field more in the header moves those after it: every call would be refused."""
    header = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../include/weft/graph.h')
    with open(header) as f:
        struct = re.search(r'typedef struct weft_job_options \{(.*?)\n\}', f.read(), re.S).group(1)
    names = re.findall(r'(\w+);', re.sub(r'/\*.*?\*/', '', struct, flags=re.S))
    assert names == [field[0] for field in Options._fields_], 'Options is not weft_job_options: %s' % names


check_fields()
THREADS = Options(launch=1, size=ctypes.sizeof(Options))      # WEFT_LAUNCH_THREADS
HANDLE, TEXT, SIZE, STATUS = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
OUT = ctypes.POINTER(ctypes.c_void_p)
FUNCTIONS = {
    'status_name': (TEXT, STATUS), 'context_new': (HANDLE, HANDLE), 'context_free': (None, HANDLE), 'context_diag_count': (SIZE, HANDLE),
    'context_diag': (ctypes.POINTER(Diag), HANDLE, SIZE), 'graph_read_text': (STATUS, HANDLE, TEXT, TEXT, SIZE, OUT), 'graph_free': (None, HANDLE),
    'graph_get_input': (HANDLE, HANDLE, SIZE, ctypes.POINTER(TEXT)), 'graph_get_output': (HANDLE, HANDLE, SIZE, ctypes.POINTER(TEXT)),
    'tensor_dtype': (TEXT, HANDLE), 'tensor_rank': (SIZE, HANDLE), 'tensor_dim': (ctypes.c_int64, HANDLE, SIZE),
    'job_open': (STATUS, HANDLE, HANDLE, ctypes.POINTER(Options), OUT), 'job_close': (None, HANDLE),
    'job_write': (STATUS, HANDLE, TEXT, HANDLE, SIZE), 'job_step': (STATUS, HANDLE), 'job_read': (STATUS, HANDLE, TEXT, HANDLE, SIZE),
}


class Library:
    """The shared library's functions without their prefix."""

    def __init__(self, path):
        lib = ctypes.CDLL(path)
        for name, (result, *arguments) in FUNCTIONS.items():
            f = getattr(lib, 'weft_' + name)
            f.restype, f.argtypes = result, arguments
            setattr(self, name, f)


library = None


class Program:
    """One compiled program and the device that runs it."""

    def __init__(self, text, name='program'):
        global library
        library = library or Library(LIBRARY)
        self.cx = self.graph = self.job = None
        self.cx = library.context_new(None)
        if not self.cx:
            raise MemoryError
        data = text if isinstance(text, bytes) else text.encode()
        self.graph = self.made(library.graph_read_text, self.cx, name.encode(), data, len(data))
        self.inputs = self.ports(library.graph_get_input)
        self.outputs = self.ports(library.graph_get_output)
        self.job = self.made(library.job_open, self.cx, self.graph, THREADS)

    def made(self, f, *arguments):
        handle = ctypes.c_void_p()
        self.check(f(*arguments, ctypes.byref(handle)))
        return handle.value

    def check(self, status):
        if status:
            diags = [library.context_diag(self.cx, i).contents for i in range(library.context_diag_count(self.cx))]
            lines = ['%s:%d:%d: %s' % (d.file.decode(), d.line, d.column, d.message.decode()) if d.file else d.message.decode() for d in diags]
            raise Error('\n'.join([library.status_name(status).decode()] + lines))

    def ports(self, get):
        """Name, element type and shape of all inputs or outputs."""
        found, name = [], ctypes.c_char_p()
        while t := get(self.graph, len(found), ctypes.byref(name)):
            shape = tuple(library.tensor_dim(t, i) for i in range(library.tensor_rank(t)))
            dtype = library.tensor_dtype(t).decode()
            if dtype not in DTYPES:
                raise Error("no array holds what %s is" % name.value.decode())
            found.append((name.value, np.dtype(DTYPES[dtype]), shape))
        return found

    def __call__(self, *arrays):
        if len(arrays) != len(self.inputs):
            raise TypeError('%d arguments, not %d' % (len(self.inputs), len(arrays)))
        for (name, dtype, shape), a in zip(self.inputs, arrays):
            a = np.ascontiguousarray(a).reshape(np.shape(a))
            if a.dtype != dtype or a.shape != shape:
                raise TypeError('input %s is %s%s, not %s%s' % (name.decode(), dtype, shape, a.dtype, a.shape))
            self.check(library.job_write(self.job, name, a.ctypes.data, a.nbytes))
        self.check(library.job_step(self.job))
        results = []
        for name, dtype, shape in self.outputs:
            results.append(np.empty(shape, dtype))
            self.check(library.job_read(self.job, name, results[-1].ctypes.data, results[-1].nbytes))
        return results

    def close(self):
        if self.cx:
            library.job_close(self.job)
            library.graph_free(self.graph)
            library.context_free(self.cx)
        self.cx = self.graph = self.job = None

    __del__ = close
